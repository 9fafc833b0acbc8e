//! glTF 2.0 (`.gltf`, `.glb`), VRM 0.x and 1.0, and VRMA.
//!
//! [`parse`] reads bytes to a [`GltfDocument`] and checks every reference and range; [`import`](fn@import) converts the document to a
//! skeleton and clips. [`with_motion`] writes a clip back and changes nothing else, `corrected` changes only the keys of changed bones
//! and frames, and `retimed` only the times of keys. [`repack`](fn@repack) changes the container or drops animations.
//! [`export`](fn@export) makes a new file, [`export_vrma`] a VRMA that plays on any VRM model.

mod accessor;
mod animation;
pub(crate) mod buffer;
mod channels;
mod check;
mod container;
mod correct;
mod curve;
mod document;
mod edit;
mod export;
mod export_mesh;
mod fit_shapes;
mod import;
mod layout;
mod look;
mod mesh;
mod placement;
mod repack;
mod retime;
mod scene;
mod skin;
mod splice;
mod target;
mod timing;
mod track;
mod tree;
mod triangles;
pub mod vrm;
mod vrma;
mod write;

pub(crate) use container::{decode_data_uri, encode_base64};
pub(crate) use correct::corrected;
pub use document::{GltfDocument, parse};
pub use export::{ExportOptions, export, export_skinned};
pub(crate) use export::{continuous, inverse_matrix, join, turned};
pub(crate) use export_mesh::mesh_and_skin;
pub(crate) use import::{ChangedAnimation, with_animation_read_again};
pub use import::{ImportOptions, import};
pub(crate) use look::{CharacterSkin, CopiedLooks, Materials};
pub(crate) use mesh::meshes_with_looks;
pub use mesh::skinned_meshes;
pub use repack::{animations_of_clips, reopened, repack};
pub(crate) use repack::{files_beside, part_of};
pub use repack::{files_named, renamed_beside};
pub(crate) use retime::{retimed, with_frame_keys};
pub(crate) use triangles::triangles;
pub use vrma::{export_vrma, required};
pub use write::{WrittenGltf, with_motion};
