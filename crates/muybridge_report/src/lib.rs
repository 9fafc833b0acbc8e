//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.

pub mod clip_report;
mod contact_spans;
pub mod csv;
pub mod draw;
pub mod film;
pub mod fix;
pub mod json;
pub mod labels;
#[cfg(test)]
mod leap;
mod measure;
pub mod page;
pub mod plate;
#[cfg(test)]
mod sample;
pub mod survey;
pub mod terminal;

pub use clip_report::{ClipReport, UnreadClip};
pub use fix::FixReport;
pub use labels::Labels;

/// Runs the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
