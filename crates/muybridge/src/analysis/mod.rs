//! What the motion demands of Newton: momentum, forces, support, flights, and a verdict. Never changes a clip.

pub mod momentum;
pub mod report;

pub use report::{Analysis, Finding, Flight, Severity, Verdict};
