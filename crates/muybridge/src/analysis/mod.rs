//! What the motion demands of Newton: momentum, forces, support, flights, and a verdict. Never changes a clip.

pub mod contacts;
pub mod momentum;
pub mod phases;
pub mod report;
pub mod settings;

pub use report::{Analysis, Finding, Flight, Severity, Verdict};
