//! Tests that need a graphics adapter or a display server compile as `ignored` where there is none: the cfgs `no_graphics` and
//! `no_xvfb`.

use std::env::{split_paths, var, var_os};
use std::path::Path;

/// Folders in which drivers of graphics adapters say that they are there, on Linux.
const DRIVERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// Variables that name drivers elsewhere.
const NAMED_DRIVERS: [&str; 2] = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(no_graphics, no_xvfb)");
    let (graphics, tools) = (has_graphics(), ["Xvfb", "xdotool", "xwd"].iter().all(|tool| has(tool)));
    if !graphics {
        println!("cargo::rustc-cfg=no_graphics");
    }
    if !tools {
        println!("cargo::rustc-cfg=no_xvfb");
    }
    if !(graphics && tools) {
        // Debian's list of packages: what is installed later is seen.
        watch(Path::new("/var/lib/dpkg/status"));
    }
}

/// Whether a driver is installed; on other systems than Linux one is assumed.
fn has_graphics() -> bool {
    NAMED_DRIVERS.iter().for_each(|name| println!("cargo::rerun-if-env-changed={name}"));
    DRIVERS.iter().for_each(|folder| watch(Path::new(folder)));
    let installed = |folder: &&str| {
        let entries = Path::new(folder).read_dir().into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
    };
    var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux")
        || NAMED_DRIVERS.iter().any(|name| var_os(name).is_some_and(|value| !value.is_empty()))
        || DRIVERS.iter().any(installed)
}

/// Whether a program is in a folder of `PATH`.
fn has(program: &str) -> bool {
    let found =
        split_paths(&var_os("PATH").unwrap_or_default()).map(|folder| folder.join(program)).find(|p| p.is_file());
    found.inspect(|path| watch(path)).is_some()
}

/// Has Cargo look at a path that is there; a missing one would have it build again every time.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}
