//! Analysis of a motion by Newton's laws: momentum, forces, support, flights, and a verdict. It never changes a clip.

pub(crate) mod ballistic;
pub(crate) mod centroidal;
pub mod centroidal_motion;
pub(crate) mod centroidal_rows;
pub mod check;
pub(crate) mod contact_wrench;
pub mod contacts;
pub(crate) mod cutoff;
pub mod feasibility;
mod finding_facts;
mod finding_id;
pub(crate) mod findings;
pub(crate) mod flight;
pub mod flight_errors;
pub mod gait;
pub mod gravity_table;
pub mod histogram;
pub mod momentum;
mod momentum_rows;
pub(crate) mod motion_artifacts;
pub(crate) mod phases;
pub mod report;
pub(crate) mod settings;
pub(crate) mod similarity;
pub(crate) mod support;
mod tool;
pub(crate) mod zero_moment_point;

pub use centroidal_motion::CentroidalMotion;
pub use check::{analyze, begins_elsewhere};
pub use finding_facts::{FindingCurve, FindingFacts, FindingSection, FindingUnit, FindingValue};
pub use finding_id::{FindingId, UnknownFindingId};
pub use report::{Analysis, Finding, Flight, Severity, Verdict};
pub use settings::{Actuated, Cutoff, Limits, Settings, Velocity};
pub use tool::Tool;
