//! Scenes that say what things are, the worlds they become, and runs recorded as clips.

mod actions;
pub mod assets;
mod build;
mod herds;
mod obstacles;
mod recorder;
pub mod recording;
pub mod scene;
pub mod world;

pub use assets::{Assets, Cast, TriangleMesh};
pub use recording::{Drawn, Measures, Recording, Track};
pub use scene::{Fault, Scene};
pub use world::{World, WorldState};
