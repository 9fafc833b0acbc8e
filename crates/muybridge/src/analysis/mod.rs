//! What the motion demands of Newton: momentum, forces, support, flights, and a verdict. Never changes a clip.

pub mod ballistic;
pub mod flight_errors;
pub mod gravity_table;
pub mod report;
pub mod similarity;

pub use report::{Analysis, Finding, Flight, Severity, Verdict};
