//! Behaviors: functions from the sensed state of a ragdoll to joint targets. They never change velocities directly.
//!
//! ```text
//! world ──► Sensed ──► behavior, behavior, … ──► Wanted ──► drives of the joints ──► world
//! ```
//! [`action`] moves single bodies, free or jointed, to positions and orientations by forces, and contains the plans that begin and end actions.
//! Specification: mathematics 4.7, 8.1, 8.2.

pub mod action;
pub mod balance;
pub mod biped;
pub mod capture;
pub mod clip_tracker;
pub mod drive;
pub mod drive_herd;
pub mod drive_particles;
pub mod figure;
pub mod look_at;
pub mod pose_target;
pub mod posture;
pub mod reach;
pub mod root_assist;
pub mod sensed;
pub mod standing_biped;
pub mod support;
pub mod tracking_error;
pub mod virtual_model;
pub mod whole_body;

pub use figure::RagdollModel;
pub use pose_target::{JointTarget, PoseTarget};
pub use posture::Posture;
pub use sensed::Sensed;

#[cfg(test)]
mod row_tests;
