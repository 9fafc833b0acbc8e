//! One program fuzzes every reader. `MUYBRIDGE_FUZZ` names the target; `MUYBRIDGE_FUZZ=list` prints the names. Without
//! the variable, the first byte of the input picks the target, and the target gets the bytes after it.
#![no_main]

mod body_csv;
mod bvh;
mod character_toml;
mod check;
mod contacts_csv;
mod convert;
mod fbx;
mod fix;
mod forces;
mod gltf;
mod input_log;
mod limits;
mod mesh;
mod mjcf;
mod roles;
mod scene;
mod sniff;
mod survey_part;
mod urdf;

use std::process::exit;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

/// Gives any bytes to a reader. It panics where what it promises does not hold.
type Target = fn(&[u8]);

/// Every target by its name: a new reader adds a module and a line.
const TARGETS: [(&str, Target); 19] = [
    ("body_csv", body_csv::fuzz),
    ("bvh", bvh::fuzz),
    ("character_toml", character_toml::fuzz),
    ("check", check::fuzz),
    ("contacts_csv", contacts_csv::fuzz),
    ("convert", convert::fuzz),
    ("fbx", fbx::fuzz),
    ("fix", fix::fuzz),
    ("forces", forces::fuzz),
    ("gltf", gltf::fuzz),
    ("input_log", input_log::fuzz),
    ("limits", limits::fuzz),
    ("mesh", mesh::fuzz),
    ("mjcf", mjcf::fuzz),
    ("roles", roles::fuzz),
    ("scene", scene::fuzz),
    ("sniff", sniff::fuzz),
    ("survey_part", survey_part::fuzz),
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
