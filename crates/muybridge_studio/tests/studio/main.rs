//! The program as it is used: clicked through by the names that a screen reader would read, its pictures compared, and once in a real
//! window. One binary, because each would link the whole interface.

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
mod threads;
mod tools;
mod window;
mod written;
