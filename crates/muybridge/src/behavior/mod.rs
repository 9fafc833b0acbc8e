//! Behaviors: functions from the sensed state of a ragdoll to joint targets. They never change velocities directly.
//!
//! ```text
//! world ──► Sensed ──► behavior, behavior, … ──► PoseTarget ──► drives of the joints ──► world
//! ```
//! [`action`] moves single bodies, free or jointed, to positions and orientations by forces, and contains the plans that begin and end actions.
//! Specification: mathematics 4.7, 8.1, 8.2.

pub mod action;
pub(crate) mod balance;
pub(crate) mod biped;
pub(crate) mod capture;
pub(crate) mod clip_tracker;
pub(crate) mod drive;
pub(crate) mod drive_herd;
pub(crate) mod drive_particles;
pub(crate) mod figure;
pub(crate) mod look_at;
pub(crate) mod pose_target;
pub(crate) mod posture;
pub(crate) mod reach;
pub(crate) mod root_assist;
pub(crate) mod sensed;
pub(crate) mod standing_biped;
pub(crate) mod support;
pub(crate) mod tracking_error;
pub(crate) mod virtual_model;
pub(crate) mod whole_body;

pub use biped::{Biped, BipedError, GaitSettings};
pub use clip_tracker::{ClipTracker, Helped};
pub use drive::{Led, RigidDrives};
pub use drive_herd::HerdTrack;
pub use drive_particles::ParticleDrives;
pub use figure::{RagdollBody, RagdollLink, RagdollModel};
pub use pose_target::{JointTarget, PoseTarget, RootAssist};
pub use posture::Posture;
pub use sensed::Sensed;
pub use standing_biped::{OnFoot, OnFootError};
pub use tracking_error::{Followed, Possible, Push, TrackingSettings, hand, run_tracking};

#[cfg(test)]
mod herd_tests;
#[cfg(test)]
mod row_tests;
