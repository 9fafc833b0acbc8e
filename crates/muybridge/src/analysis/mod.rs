//! Analysis of a motion by Newton's laws: momentum, forces, support, flights, and a verdict. It never changes a clip.

pub mod ballistic;
pub mod centroidal;
pub mod centroidal_motion;
pub mod centroidal_rows;
pub mod check;
pub mod contact_wrench;
pub mod contacts;
pub mod cutoff;
pub mod feasibility;
mod finding_facts;
mod finding_id;
pub mod findings;
pub mod flight;
pub mod flight_errors;
pub mod gait;
pub mod gravity_table;
pub mod histogram;
pub mod momentum;
mod momentum_rows;
pub mod motion_artifacts;
pub mod phases;
pub mod report;
pub mod settings;
pub mod similarity;
pub mod support;
mod tool;
pub mod zero_moment_point;

pub use centroidal_motion::{CentroidalMotion, centroidal_motion};
pub use check::{analyze, begins_elsewhere};
pub use finding_facts::{FindingCurve, FindingFacts, FindingSection, FindingUnit, FindingValue};
pub use finding_id::{FindingId, UnknownFindingId};
pub use report::{Analysis, Finding, Flight, Severity, Verdict};
pub use settings::{Actuated, Cutoff, Limits, Settings, Velocity};
pub use tool::Tool;
