//! Behaviors: functions from what a body senses to what it wants. They never touch velocities.
//!
//! ```text
//! world ──► Sensed ──► behavior, behavior, … ──► Wanted ──► drives of the joints ──► world
//! ```
//! [`action`] brings single bodies, free or jointed, to places and orientations by forces, and has the plans that begin and end actions.
//! Specification: mathematics 4.7, 8.1, 8.2.

pub mod action;
pub mod balance;
pub mod biped;
pub mod capture;
pub mod drive;
pub mod drive_herd;
pub mod drive_particles;
pub mod figure;
pub mod lead;
pub mod look_at;
pub mod on_foot;
pub mod own_feet;
pub mod posture;
pub mod reach;
pub mod sensed;
pub mod support;
pub mod track;
pub mod tracking;
pub mod virtual_model;
pub mod wanted;

pub use figure::Figure;
pub use posture::Posture;
pub use sensed::Sensed;
pub use wanted::{Aim, Wanted};

#[cfg(test)]
mod row_tests;
