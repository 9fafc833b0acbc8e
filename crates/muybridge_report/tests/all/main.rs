//! Tests of pictures, plates and tables of real clips.
//!
//! All test files form one program, because each program would link the library again.

mod exported_values;
mod shared_plates;
mod survey_tables;
#[path = "../../../../tests/test_files.rs"]
mod test_files;
