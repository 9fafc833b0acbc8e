//! Reads and writes files of the types of `muybridge`, one module per format.
//!
//! A reader has two halves: bytes to a faithful document, and document to character or clip, with notes on ignored parts. No
//! reader panics, hangs or allocates more than a small multiple of its input.

pub mod beside;
pub mod body_csv;
pub mod bvh;
pub mod character_toml;
pub mod contacts_csv;
pub mod convert;
pub mod error;
#[cfg(not(target_arch = "wasm32"))]
pub mod fbx;
#[cfg(target_arch = "wasm32")]
#[path = "fbx/on_the_web.rs"]
pub mod fbx;
pub mod fix;
pub mod formats;
pub mod gltf;
pub mod imported;
pub mod limits_file;
mod magnitude;
pub mod mesh;
pub mod mjcf;
pub mod model;
pub mod open;
pub mod output;
pub mod prepare;
pub mod recording_gltf;
mod recording_obj;
pub mod rewrite;
pub mod roles_file;
pub mod scene;
pub mod sniff;
pub mod split_characters;
mod table;
#[cfg(test)]
#[path = "../../../tests/test_files.rs"]
mod test_files;
pub mod urdf;
mod xml;

pub use beside::AllowedFiles;
pub use error::{Error, Location, decimal_comma};
pub use imported::{Axis, Imported, MisreadClock};
pub use open::{OpenOptions, Opened, open};
pub use prepare::{Preparation, Prepared, prepare};

/// Compiles the example in the README; `tests/tidy.rs` of the library compares that of the workspace with it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
