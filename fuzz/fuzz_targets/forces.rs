//! Any bytes as the JSON of a run give positive masses and finite forces, or an error.

pub fn fuzz(bytes: &[u8]) {
    muybridge_cli::fuzzing::forces(bytes);
}
