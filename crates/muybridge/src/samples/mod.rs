//! Built-in characters and clips: tests, benches, docs and pictures share them.

pub mod figures;
pub mod jump;
mod stance;

pub use figures::{humanoid, quadruped};
pub use jump::jump;
