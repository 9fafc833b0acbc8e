//! Tests of the library from outside: acceptance rows, whole scenes, and invariants of every body.
//!
//! All test files form one program, because each program would link the library again. `layers` and `tidy` stand apart: they
//! read the source text and need no library, so that `rustc --test` builds them in seconds.

mod acceptance_any_body;
mod acceptance_degenerate;
mod acceptance_flights;
mod acceptance_momentum;
mod acceptance_support;
mod angular_limits;
mod bodies;
mod bone_names;
mod cloth_on_ragdoll;
mod contact_scenes;
mod free_humanoid;
mod herd_contact;
mod herd_determinism;
mod herd_physics;
mod lane_scenes;
mod limb_frames;
mod no_allocation;
mod objects_rows;
mod particle_throws;
mod particles;
mod ragdoll_check;
mod ragdoll_lanes;
mod ragdoll_rest;
mod refused_inputs;
mod rest_twins;
mod rigid_crowd;
mod rigid_free_humanoid;
mod rigid_lanes;
mod rigid_parameters;
mod rigid_throws;
mod roles;
mod shared_motion;
mod shared_particles;
#[path = "../../../../tests/test_files.rs"]
mod test_files;
mod thrown;
mod units;
#[path = "../../benches/herd/workload.rs"]
#[allow(dead_code, reason = "the benchmark uses the rest")]
mod workload;
