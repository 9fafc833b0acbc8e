//! What the motion demands of Newton: momentum, forces, support, flights, and a verdict. Never changes a clip.

pub mod centroidal_motion;
pub mod momentum;
mod momentum_rows;
pub mod report;

pub use centroidal_motion::{CentroidalMotion, centroidal_motion};
pub use report::{Analysis, Finding, Flight, Severity, Verdict};
