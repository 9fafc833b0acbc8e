//! Physics for character animation: check, fix and simulate motion.
//!
//! This crate is pure computation: it opens no file, reads no clock and prints nothing. Everything is SI and
//! radians, right-handed, y up; `muybridge_files` converts at the border. Same input, same bits: trigonometry
//! is `libm`'s, never the platform's, and no result depends on the number of threads.
//!
//! The modules stand in the order data flows through them; `ARCHITECTURE.md` says which may use which.

pub mod analysis;
pub mod behavior;
pub mod character;
pub mod collision;
pub mod correction;
pub mod math;
pub mod motion;
pub mod particles;
pub mod ragdoll;
pub mod rigid;
pub mod samples;
pub mod simulation;
pub mod skinning;

pub use glam;
