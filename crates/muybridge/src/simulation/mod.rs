//! Scenes, the running worlds built from them, and recordings of runs.

mod actions;
pub mod assets;
mod backend;
mod build;
mod by_bodies;
mod by_particles;
mod direction;
pub mod following;
pub mod grasp;
mod herds;
pub mod input_log;
pub mod memory;
mod obstacles;
mod recorder;
pub mod recording;
pub mod scene;
pub mod shell;
mod sums;
mod touches;
pub mod warnings;
mod wind;
pub mod wires;
pub mod world;

pub use assets::{Assets, Cast, CharacterSource, TriangleMesh};
pub use following::Following;
pub use grasp::{Grasp, HandError};
pub use input_log::{InputLog, LoggedWorld, Replay, ReplayError, settings_of};
pub use memory::{MemoryEstimate, MemoryPart};
pub use recording::{ChainTrack, Drawn, ExternalForce, Measures, Recording, Track, Work};
pub use scene::{Method, Scene, SceneError};
pub use shell::Shell;
pub use touches::ContactMark;
pub use warnings::{Warning, WarningKind};
pub use world::{Count, OtherScene, World, WorldState};
