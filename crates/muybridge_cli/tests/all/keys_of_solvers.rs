//! Every key of both solvers in every mode and method: one that is told to have no effect changes no bit, and one of which
//! nothing is told changes something, in one scene or another.

use crate::program::{Folder, muybridge};
use crate::simulate_contact::Run;

/// Section, key and a value that is not its default.
const KEYS: [[&str; 3]; 24] = [
    ["solver", "frames_before_sleep", "5"],
    ["solver.particles", "mode", "\"xpbd\""],
    ["solver.particles", "substeps", "11"],
    ["solver.particles", "constraint_iterations", "3"],
    ["solver.particles", "tolerance", "1e-2"],
    ["solver.particles", "over_relaxation", "1.3"],
    ["solver.particles", "square_root", "\"taylor\""],
    ["solver.particles", "solve", "\"conjugate_gradients\""],
    ["solver.particles", "gravity_is", "\"displacement_per_frame\""],
    ["solver.particles", "sleep_threshold", "0.5"],
    ["solver.particles", "free_bodies", "\"particles\""],
    ["solver.rigid", "substeps", "9"],
    ["solver.rigid", "most_turn", "0.02"],
    ["solver.rigid", "step_tolerance", "1e-6"],
    ["solver.rigid", "contact_iterations", "2"],
    ["solver.rigid", "sleep_threshold", "0.5"],
    ["solver.rigid", "joint_tolerance", "1e-2"],
    ["solver.rigid", "integrator", "\"rk4\""],
    ["solver.rigid", "displacement", "\"lamouret\""],
    ["solver.rigid", "displacement_tolerance", "1e-3"],
    ["solver.rigid", "k_s", "100.0"],
    ["solver.rigid", "k_d", "30.0"],
    ["solver.rigid", "broad_phase", "\"sort_and_sweep\""],
    ["solver.rigid", "narrow_phase", "\"averaged\""],
];

const GROUND: &str = "[[obstacle]]\nname = \"g\"\nkind = \"half_space\"\n";

/// Things, and how long they take to show what a key does, seconds.
fn scenes() -> [(f64, String); 9] {
    let on_ground = |things: &str| GROUND.to_owned() + things;
    let sticks = |keys: &str| {
        format!(
            "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [1, 0, 0], [2, 0.1, 0], [3, 0, 0]]\n\
             sticks = [[0, 1], [1, 2], [2, 3]]\nfixed = [0]\n{keys}"
        )
    };
    [
        (0.4, on_ground("[[ragdoll]]\nname = \"d\"\nposition = [0, 0.2, 0]\n")),
        (
            0.4,
            "[[cloth]]\nname = \"c\"\ncolumns = 5\nrows = 5\nstretch_compliance = 1e-4\npins = [\"left\"]\n".to_owned(),
        ),
        (0.4, sticks("")),
        (0.4, sticks("compliance = 1e-3\n")),
        (0.4, sticks("iterations = 4\n")),
        (
            0.4,
            on_ground(
                "[[box]]\nname = \"b\"\nsize = [0.3, 0.2, 0.4]\nposition = [0, 0.16, 0]\nspin = [3, 5, 2]\n\
                 [[ball]]\nname = \"k\"\nradius = 0.1\nposition = [0.4, 0.16, 0]\n\
                 [[joint]]\nname = \"j\"\nof = \"b\"\nto = \"k\"\nat = [0.25, 0.16, 0]\n\
                 [[joint]]\nname = \"w\"\nof = \"b\"\nat = [-0.3, 0.16, 0]\n",
            ),
        ),
        (0.3, on_ground("[[herd]]\nname = \"h\"\ncount = 2\nheight = 0.02\n")),
        // Things that fall asleep as they slow down.
        (
            1.0,
            on_ground(
                "[[box]]\nname = \"b\"\nsize = [0.4, 0.4, 0.4]\nposition = [0, 0.2, 0]\nvelocity = [0.4, 0, 0]\nfriction = 0.02\n",
            ),
        ),
        (
            1.0,
            on_ground(
                "[[points]]\nname = \"p\"\npositions = [[0, 0.01, 0], [1, 0.01, 0]]\nsticks = [[0, 1]]\n\
                 velocities = [[0.4, 0, 0], [0.4, 0, 0]]\nfriction = 0.02\n",
            ),
        ),
    ]
}

/// Walks all keys in all scenes under an option of the program.
fn walk(option: [&str; 2]) {
    let mut works = [false; KEYS.len()];
    let mut is_silent = [false; KEYS.len()];
    for (seconds, things) in scenes() {
        let scene = |keys: &str| format!("[scene]\nseconds = {seconds}\n{keys}{things}");
        let usual = Run::with(&scene(""), option).0;
        for (index, [section, key, value]) in KEYS.into_iter().enumerate() {
            if key == "mode" && option[0] == "--particle-mode" {
                continue;
            }
            let (run, said) = Run::with(&scene(&format!("[{section}]\n{key} = {value}\n")), option);
            let group = section.strip_prefix("solver").expect("a section").trim_start_matches('.');
            let word = if group.is_empty() { format!(" {key} ") } else { format!(" {group}.{key} ") };
            let is_told = said.lines().any(|line| line.contains("no effect") && line.contains(&word));
            let changes = ["poses", "per_frame", "energy_j"].into_iter().any(|part| run.0[part] != usual.0[part]);
            assert!(
                !(is_told && changes),
                "{option:?}: {word}changes a scene though it is told not to: {said}{things}"
            );
            works[index] |= changes;
            is_silent[index] |= !is_told;
        }
    }
    for (index, [_, key, _]) in KEYS.into_iter().enumerate() {
        // Each kind of broad phase finds the same pairs.
        let works = works[index] || key == "broad_phase";
        assert!(works || !is_silent[index], "{option:?}: {key} does nothing, and nothing is told of it");
    }
}

#[test]
fn keys_under_particles() {
    walk(["--method", "particles"]);
}

#[test]
fn keys_in_mode_xpbd() {
    walk(["--particle-mode", "xpbd"]);
}

#[test]
fn keys_in_mode_jakobsen() {
    walk(["--particle-mode", "jakobsen"]);
}

#[test]
fn keys_in_mode_rosen() {
    walk(["--particle-mode", "rosen"]);
}

#[test]
fn keys_under_multipliers() {
    walk(["--method", "multipliers"]);
}

#[test]
fn keys_under_displacement() {
    walk(["--method", "displacement"]);
}

#[test]
fn keys_under_hennix() {
    walk(["--method", "hennix"]);
}

#[test]
fn keys_of_the_air_and_of_things_are_told_where_they_do_nothing() {
    let cloth = "[[cloth]]\nname = \"c\"\ncolumns = 4\nrows = 4\npins = [\"left\"]\n";
    let wind = "[[wind]]\nname = \"w\"\nvelocity = [2, 0, 0]\n";
    let doll = "[[ragdoll]]\nname = \"d\"\nposition = [0, 1, 0]\n";
    let stairs = "[[obstacle]]\nname = \"s\"\nkind = \"stairs\"\n";
    let plant = "[solver.particles]\nsolve = \"conjugate_gradients\"\n[[plant]]\nname = \"p\"\n";
    let soft = format!("{cloth}stretch_compliance = 1e-3\n");
    let crowd = "[[herd]]\nname = \"h\"\ncount = 2\nheight = 0.0\nrandom_orientation = false\n\
                 [[follow]]\nof = \"h\"\nclip = \"walk\"\nfrequency = 15.0\n";
    // Scenes with a key behind them, what is told, and whether it acts.
    let cases = [
        (cloth.to_owned(), "air_drag = 0.3", "c: air_drag has no effect in a scene without wind", "particles"),
        (cloth.to_owned(), "air_lift = 0.3", "c: air_lift has no effect in a scene without wind", "multipliers"),
        (format!("{wind}{cloth}"), "air_drag = 0.3", "", "particles"),
        (soft, "share = 0.5", "c: share has no effect with stretch_compliance", "particles"),
        (plant.to_owned(), "share = 0.5", "p: share has no effect on distances that particles.solve", "particles"),
        (doll.to_owned(), "iterations = 3", "", "particles"),
        (doll.to_owned(), "iterations = 3", "d: iterations has no effect on rigid bodies", "displacement"),
        (format!("{stairs}{doll}"), "iterations = 3", "d: iterations has no effect on rigid bodies", "particles"),
    ];
    for (things, key, note, method) in cases {
        let scene = |key: &str| format!("[scene]\nseconds = 0.3\n{things}{key}\n");
        let (run, said) = Run::with(&scene(key), ["--method", method]);
        let (usual, _) = Run::with(&scene(""), ["--method", method]);
        assert!(if note.is_empty() { !said.contains("no effect") } else { said.contains(note) }, "{key}: {said}");
        assert_eq!(run.0["per_frame"] == usual.0["per_frame"], !note.is_empty(), "{key} under {method}");
    }
    let air = |things: &str| {
        Run::with(&format!("[scene]\nseconds = 0.1\nair_density = 2.0\n{things}"), ["--method", "particles"]).1
    };
    assert!(air(cloth).contains("[scene] air_density has no effect in a scene without wind"));
    assert!(air(wind).contains("[scene] air_density has no effect in a scene without cloth"));
    assert!(!air(&format!("{wind}{cloth}")).contains("no effect"));
    // A herd has substeps of its own, whatever the mode takes.
    let folder = Folder::new();
    let file = folder.file("scene.toml", &format!("[scene]\nseconds = 0.1\nground = 0.0\n{crowd}"));
    let said = muybridge(["simulate", file.to_str().expect("a path"), "--particle-mode", "jakobsen"]).err;
    assert!(said.contains("particles.mode has no effect on it") && !said.contains("acts as"), "{said}");
}
