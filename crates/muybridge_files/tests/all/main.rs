//! Tests on files of every format, good and bad, and on characters and scenes built from them.
//!
//! All tests are one program, because each program would be linked with the library separately.

mod behavior_checked;
mod behavior_scenes;
mod bvh_files;
mod forces_from_outside;
mod gltf_malformed;
mod gltf_reading;
mod gltf_small;
mod gltf_writing;
mod height_fields;
mod herds_of_bodies;
mod keys_by_method;
mod mesh_bodies;
mod not_a_number;
mod obstacles_by_method;
mod ragdolls;
mod random_scenes;
mod rewrite_bvh;
mod rewrite_gltf;
mod rewriting;
mod scenes;
mod self_contact;
#[path = "../../../../tests/test_files.rs"]
mod test_files;
mod truth_spin;
