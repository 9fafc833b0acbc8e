//! Scenes that say what things are, the worlds they become, and runs recorded as clips.

pub mod recording;
pub mod scene;

pub use recording::{Drawn, Measures, Recording, Track};
pub use scene::Scene;
