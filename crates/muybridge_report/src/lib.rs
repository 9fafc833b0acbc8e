//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.

pub mod clip_report;
pub mod csv;
pub mod json;
pub mod page;

#[cfg(test)]
mod sample;

pub use clip_report::{ClipReport, UnreadClip};
