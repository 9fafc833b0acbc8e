//! Pictures, plates and tables of real clips.
//!
//! One program of all files: each would be linked with the library on its own.

mod exported_values;
mod shared_fixes;
mod shared_plates;
mod survey_tables;
