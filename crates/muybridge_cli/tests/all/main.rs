//! Tests of the program as a user runs it, and those that need the shared data.
//!
//! All test files form one program, because each program would link the library again.

mod bad_clocks;
mod bad_files;
mod body_files;
mod check_ground;
mod checking;
mod convert;
mod exits_and_outputs;
mod explain;
mod fbx_files;
mod feet_shared_clips;
mod films;
mod fix;
mod fix_real_clips;
mod fix_reports;
mod fix_truth;
mod hostile_names;
mod hostile_numbers;
mod keys_without_effect;
mod large_gltf;
mod memory_limit;
mod option_meaning;
mod outputs;
mod outside_files;
mod partial_meshes;
mod program;
mod real_clips;
mod renamed_options;
mod residual;
#[path = "../../../muybridge_files/tests/all/rewriting/mod.rs"]
#[allow(dead_code, reason = "the tests of the readers use the rest")]
mod rewriting;
mod rows_balance;
mod rows_boxes;
mod rows_cloth;
mod rows_displaced;
mod rows_flights;
mod rows_hennix;
mod rows_jakobsen;
mod rows_meshes;
mod rows_momenta;
mod rows_points;
mod rows_rosen;
mod rows_shapiro;
mod rows_verlet;
mod rows_ziauddin;
mod scenes_in_modes;
mod several_characters;
mod signs;
mod simulate;
mod simulate_contact;
mod simulate_hits;
mod simulate_joints;
mod simulate_json;
mod simulate_mixed;
mod simulate_papers;
mod simulate_robust;
mod simulate_warnings;
mod small_set;
mod special_files;
mod studio;
mod survey;
mod survey_inputs;
mod survey_interrupted;
mod survey_parts;
mod survey_races;
mod surveying;
#[path = "../../../../tests/test_files.rs"]
mod test_files;
mod tracking_shared_clips;
mod truth;
mod truth_exact;
mod truth_kinematics;
mod truth_measured;
mod units_and_axes;
