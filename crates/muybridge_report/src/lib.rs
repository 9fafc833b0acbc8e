//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.

pub mod clip_report;
pub mod csv;
pub mod draw;
pub mod json;
pub mod labels;
pub mod plate;
pub mod terminal;

#[cfg(test)]
mod leap;
#[cfg(test)]
mod sample;

pub use clip_report::{ClipReport, UnreadClip};
pub use labels::Labels;
