//! What the motion demands of Newton: momentum, forces, support, flights, and a verdict. Never changes a clip.

pub mod ballistic;
pub mod centroidal;
pub mod contact_wrench;
pub mod flight_errors;
pub mod gravity_table;
pub mod histogram;
pub mod report;
pub mod similarity;
pub mod zero_moment_point;

pub use report::{Analysis, Finding, Flight, Severity, Verdict};
