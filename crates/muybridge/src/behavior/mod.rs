//! Behaviors: functions from the sensed state of a ragdoll to joint targets. They never change velocities directly.
//!
//! ```text
//! world ──► Sensed ──► behavior, behavior, … ──► Wanted ──► drives of the joints ──► world
//! ```
//! [`action`] moves single bodies, free or jointed, to positions and orientations by forces, and contains the plans that begin and end actions.
//! Specification: mathematics 4.7, 8.1, 8.2.

pub mod action;
pub(crate) mod balance;
pub mod biped;
pub(crate) mod capture;
pub mod clip_tracker;
pub mod drive;
pub mod drive_herd;
pub mod drive_particles;
pub mod figure;
pub(crate) mod look_at;
pub mod pose_target;
pub(crate) mod posture;
pub(crate) mod reach;
pub(crate) mod root_assist;
pub(crate) mod sensed;
pub mod standing_biped;
pub(crate) mod support;
pub mod tracking_error;
pub(crate) mod virtual_model;
pub(crate) mod whole_body;

pub use figure::RagdollModel;
pub use pose_target::{JointTarget, PoseTarget};
pub use posture::Posture;
pub use sensed::Sensed;

#[cfg(test)]
mod row_tests;
