//! glTF 2.0 (`.gltf`, `.glb`), VRM 0.x and 1.0, and VRMA.
//!
//! [`parse`] turns bytes into a [`Document`] and checks every reference and range; [`import`](fn@import) turns the
//! document into a skeleton and clips.

mod accessor;
mod animation;
mod check;
mod container;
mod document;
mod import;
mod placement;
mod scene;
mod timing;
mod tree;
pub mod vrm;

pub use document::{Document, parse};
pub use import::{Options, import};
