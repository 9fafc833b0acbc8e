//! Analysis of a motion by Newton's laws: momentum, forces, support, flights, and a verdict. It never changes a clip.

pub(crate) mod ballistic;
pub(crate) mod carriage;
pub(crate) mod centroidal;
pub(crate) mod centroidal_motion;
pub(crate) mod centroidal_rows;
pub(crate) mod check;
pub(crate) mod clip_contacts;
pub(crate) mod contact_wrench;
pub(crate) mod contacts;
pub(crate) mod continuity;
pub(crate) mod cutoff;
pub(crate) mod feasibility;
mod finding_facts;
mod finding_id;
pub(crate) mod findings;
pub(crate) mod flight;
pub(crate) mod flight_errors;
mod frames;
mod frozen_contacts;
pub(crate) mod gait;
pub(crate) mod gravity_table;
pub(crate) mod histogram;
pub(crate) mod momentum;
mod momentum_rows;
pub(crate) mod motion_artifacts;
mod no_body;
mod overflow;
pub(crate) mod phases;
pub(crate) mod report;
mod residual;
pub(crate) mod settings;
pub(crate) mod similarity;
pub(crate) mod stance;
pub(crate) mod support;
mod tool;
pub(crate) mod zero_moment_point;

pub use centroidal_motion::{CentroidalMotion, centroidal_motion_with_width};
pub use check::{analyze, begins_elsewhere};
pub use contacts::{ContactScale, Ground, PointTracks, runs};
pub use feasibility::{Feasibility, Floor, Impossible, LEAST_MISSING_SHARE, Missing, feasibility};
pub use finding_facts::{FindingCurve, FindingFacts, FindingSection, FindingUnit, FindingValue};
pub use finding_id::{FindingId, UnknownFindingId};
pub use flight_errors::{momentum_error, momentum_error_norm};
pub use frozen_contacts::FrozenContacts;
pub use gait::{Gait, gait, horizontal_speed};
pub use gravity_table::{GravityTable, gravity_table};
pub use histogram::{Bins, InBalance, counts, percent};
pub use momentum::BodyMotion;
pub use report::{
    Analysis, Balance, Feet, Finding, Flight, FlightErrors, PerFrame, Severity, Span, Verdict, YawChange, shared_frames,
};
pub use residual::{Residual, ResidualSpan};
pub use settings::{Actuated, Cutoff, Limits, Settings, Velocity};
pub use similarity::ScaledQuantity;
pub use tool::Tool;
