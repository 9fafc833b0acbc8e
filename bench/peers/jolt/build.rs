//! Compiles `shim.cpp` with the sources of Jolt that the package joltc-sys carries. Its own C interface knows neither
//! constraints nor soft bodies. Options are those of Jolt's own build of its configuration Distribution. Its sources
//! are one unit: that is quick to compile, and functions are inlined across files, as by the LTO of Jolt's own build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/shim.cpp");
    let root = jolt();
    let mut files = Vec::new();
    sources(&root.join("Jolt"), &mut files);
    files.sort();
    // This one has functions with the names of others.
    let (alone, together): (Vec<_>, Vec<_>) = files.into_iter().partition(|path| path.ends_with("Ragdoll.cpp"));
    let unit = Path::new(&env::var("OUT_DIR").expect("a folder")).join("jolt_unit.cpp");
    let lines: String = together.iter().map(|path| format!("#include \"{}\"\n", path.display())).collect();
    std::fs::write(&unit, lines).expect("the unit is written");
    compiler().include(&root).file("src/shim.cpp").file(unit).files(alone).compile("jolt");
}

/// The folder of Jolt's sources.
fn jolt() -> PathBuf {
    let cargo = env::var("CARGO").expect("cargo says where it is");
    let said = Command::new(cargo).args(["metadata", "--format-version", "1"]).output().expect("cargo runs");
    let packages: serde_json::Value = serde_json::from_slice(&said.stdout).expect("cargo metadata is JSON");
    let mut packages = packages["packages"].as_array().expect("a list of packages").iter();
    let package = packages.find(|package| package["name"] == "joltc-sys").expect("joltc-sys");
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.with_file_name("JoltC").join("JoltPhysics")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).expect("a folder of Jolt").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "cpp") {
            found.push(path);
        }
    }
}

fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).debug(false).warnings(false).define("NDEBUG", None);
    // As cmake does where programs are position-independent: functions of -fPIC are not inlined across files.
    build.pic(false).flag_if_supported("-fPIE").flag_if_supported("-ffp-contract=off");
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|name| name == "x86_64") {
        for flag in ["-mavx2", "-mbmi", "-mpopcnt", "-mlzcnt", "-mf16c", "-mfma", "-mfpmath=sse"] {
            build.flag_if_supported(flag);
        }
    }
    build
}
