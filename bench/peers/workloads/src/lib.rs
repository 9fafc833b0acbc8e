//! Workloads that every peer runs, and their measurement. Time and quality are computed here, from poses and
//! positions alone, so that numbers of all peers are comparable.
//!
//! W1a: N separate ragdolls with ground contact only. W1b: also with self-collision of bodies that are not neighbors.
//! W2: 64 ragdolls in one heap. W3: cloth pinned at two corners. 300 steps of 1/60 s, no sleeping.

pub mod cloth;
pub mod door;
pub mod humanoid;
pub mod quality;
pub mod ragdolls;
pub mod run;

pub use cloth::{Cloth, ClothWorld, cloth};
pub use glam;
pub use humanoid::{Humanoid, Kind, Pose, humanoid};
pub use quality::Quality;
pub use ragdolls::{DT, FRICTION, GRAVITY, GROUND, STEPS, Scene, Vel, World, scene};
pub use run::{run_all, run_cloths, run_some};
