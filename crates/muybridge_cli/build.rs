//! Tests that need more than the small set in `tests/data` compile as `ignored` unless `MUYBRIDGE_DATA` names the shared data folder.
//! They are all in this package, which nothing depends on: no other is built again when the variable changes.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(muybridge_data, fuzzing)");
    println!("cargo::rerun-if-env-changed=MUYBRIDGE_DATA");
    if std::env::var_os("MUYBRIDGE_DATA").is_some_and(|folder| !folder.is_empty()) {
        println!("cargo::rustc-cfg=muybridge_data");
    }
}
