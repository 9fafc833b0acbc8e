//! One program fuzzes every reader. `MUYBRIDGE_FUZZ` names the target; `MUYBRIDGE_FUZZ=list` prints the names. Without
//! the variable, the first byte of the input picks the target, and the target gets the bytes after it.
#![no_main]

mod body_csv;
mod bvh;
mod character_toml;
mod contacts_csv;
mod fbx;
mod fix;
mod gltf;
mod input_log;
mod mesh;
mod mjcf;
mod scene;
mod sniff;
mod urdf;

use std::process::exit;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

/// Gives any bytes to a reader. It panics where what it promises does not hold.
type Target = fn(&[u8]);

/// Every target by its name: a new reader adds a module and a line.
const TARGETS: [(&str, Target); 13] = [
    ("body_csv", body_csv::fuzz),
    ("bvh", bvh::fuzz),
    ("character_toml", character_toml::fuzz),
    ("contacts_csv", contacts_csv::fuzz),
    ("fbx", fbx::fuzz),
    ("fix", fix::fuzz),
    ("gltf", gltf::fuzz),
    ("input_log", input_log::fuzz),
    ("mesh", mesh::fuzz),
    ("mjcf", mjcf::fuzz),
    ("scene", scene::fuzz),
    ("sniff", sniff::fuzz),
    ("urdf", urdf::fuzz),
];

/// The target that `MUYBRIDGE_FUZZ` names; `None` without the variable.
static CHOSEN: OnceLock<Option<Target>> = OnceLock::new();

/// Reads `MUYBRIDGE_FUZZ`. An unknown name and `list` end the program.
fn chosen() -> Option<Target> {
    let name = std::env::var_os("MUYBRIDGE_FUZZ")?;
    let name = name.to_string_lossy();
    let names = TARGETS.map(|(name, _)| name);
    if name == "list" {
        println!("{}", names.join("\n"));
        exit(0);
    }
    let Some(&(_, target)) = TARGETS.iter().find(|(known, _)| *known == name) else {
        eprintln!("MUYBRIDGE_FUZZ={name} is no target; there are {}", names.join(", "));
        exit(2);
    };
    Some(target)
}

fuzz_target!(init: CHOSEN.get_or_init(chosen), |bytes: &[u8]| {
    match (CHOSEN.get().copied().flatten(), bytes) {
        (Some(target), _) => target(bytes),
        (None, [first, rest @ ..]) => TARGETS[usize::from(*first) % TARGETS.len()].1(rest),
        (None, []) => {}
    }
});
