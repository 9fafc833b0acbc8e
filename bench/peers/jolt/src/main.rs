//! Jolt: bodies and cloth of TOML scenes. Its other workloads are in the shared benchmark.

mod door;
mod ffi;

fn main() {
    match std::env::var_os("DOOR") {
        Some(folder) => door::run(folder.as_ref()),
        None => eprintln!("Jolt runs the scenes of DOOR=1 here; SHARED_BIN brings its other workloads"),
    }
}
