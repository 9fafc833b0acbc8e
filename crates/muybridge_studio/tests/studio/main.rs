//! Tests of the program as users see it: clicked through by the names that a screen reader would read, with pictures
//! compared, and once in a real window. All are in one binary, as each binary would link the whole interface.

mod choices;
mod correction;
mod documents;
mod dolls;
mod motion_room;
mod mouse;
mod overlays;
mod real_window;
mod rooms;
mod runs;
mod scenes;
mod solvers;
mod targets;
#[path = "../../../../tests/test_files.rs"]
mod test_files;
mod threads;
mod tools;
mod window;
mod written;
