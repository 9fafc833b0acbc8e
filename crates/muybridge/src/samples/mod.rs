//! Built-in characters, clips and meshes, shared by tests, benches, docs and pictures.

pub(crate) mod figures;
pub(crate) mod jump;
pub(crate) mod mannequin;
pub(crate) mod meshes;
mod stance;
pub(crate) mod walk;

pub use figures::{humanoid, quadruped};
pub use jump::jump;
pub use mannequin::mannequin;
pub use meshes::{skittle, stool};
pub use walk::walk;
