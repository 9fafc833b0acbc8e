//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.

pub mod clip_report;
pub mod csv;
pub mod draw;
pub mod json;
pub mod labels;
mod leap;
pub mod page;
pub mod plate;
mod sample;
pub mod terminal;
#[cfg(test)]
#[cfg(test)]

#[cfg(test)]
#[cfg(test)]

pub use clip_report::{ClipReport, UnreadClip};
pub use labels::Labels;
