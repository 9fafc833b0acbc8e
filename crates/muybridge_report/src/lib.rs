//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.

pub mod clip_report;
pub mod csv;
pub mod draw;
pub mod json;
pub mod labels;
#[cfg(test)]
mod leap;
pub mod page;
pub mod plate;
#[cfg(test)]
mod sample;
pub mod survey;
pub mod terminal;

pub use clip_report::{ClipReport, UnreadClip};
pub use labels::Labels;
