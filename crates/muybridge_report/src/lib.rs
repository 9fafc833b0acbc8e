//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.

pub mod draw;
pub mod labels;
pub mod plate;
pub mod terminal;

pub use labels::Labels;

#[cfg(test)]
mod leap;
