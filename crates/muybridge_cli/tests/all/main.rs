//! Tests of the program as a user runs it.
//!
//! All test files form one program, because each program would link the library again.

mod bad_files;
mod body_files;
mod checking;
mod convert;
mod exits_and_outputs;
mod explain;
mod fix;
mod fix_real_clips;
mod option_meaning;
mod program;
mod real_clips;
mod renamed_options;
mod simulate;
mod studio;
mod survey;
mod survey_interrupted;
mod surveying;
mod units_and_axes;
