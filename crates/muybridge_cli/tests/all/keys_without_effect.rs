//! Keys of a scene that do nothing for the kind, the mode or the method of their thing are told, and change nothing.

use crate::program::{Folder, muybridge};
use crate::simulate_contact::Run;

/// Poses and measures of a run, with and without a key, and what is said with it.
fn with_and_without(scene: impl Fn(&str) -> String, key: &str, method: &str) -> ([Run; 2], String) {
    let (with, said) = Run::with(&scene(key), ["--method", method]);
    let (without, before) = Run::with(&scene(""), ["--method", method]);
    assert!(!before.contains("no effect"), "{method}: {before}");
    ([with, without], said)
}

fn says(scene: impl Fn(&str) -> String, (key, method): (&str, &str), note: &str) {
    let ([with, without], said) = with_and_without(scene, key, method);
    assert!(said.contains(note), "{key} under {method}: {said}");
    for part in ["poses", "per_frame", "energy_j"] {
        assert_eq!(with.0[part], without.0[part], "{key} under {method}: {part}");
    }
}

#[test]
fn a_key_of_another_kind_of_obstacle_is_told() {
    let keys = ["normal = [1, 1, 0]", "radius = 0.3", "length = 0.7", "size = [2, 1, 2]", "steps = 3", "columns = 3"];
    let points = "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let own = |kind: &str, key: &str| match kind {
        "half_space" => key.starts_with("normal"),
        "sphere" => key.starts_with("radius"),
        "capsule" => key.starts_with("radius") || key.starts_with("length"),
        "box" => key.starts_with("size"),
        _ => key.starts_with("size") || key.starts_with("steps"),
    };
    for kind in ["half_space", "sphere", "capsule", "box", "stairs"] {
        for key in keys.into_iter().chain([points]).filter(|key| !own(kind, key)) {
            let scene = |key: &str| {
                format!(
                    "[scene]\nseconds = 0.5\n[[obstacle]]\nname = \"o\"\nkind = \"{kind}\"\n{key}\n[[ball]]\nname = \"b\"\n\
                     position = [0.1, 2.0, 0.0]\n"
                )
            };
            let word = key.split(' ').next().expect("a key");
            says(scene, (key, "multipliers"), &format!("o: {word} has no effect on an obstacle of kind {kind}"));
        }
    }
}

#[test]
fn a_key_of_another_kind_of_action_is_told_and_so_is_one_that_needs_another() {
    let cases = [
        ("move_to\"\nto = [0, 2, 0]", "velocity = [1, 0, 0]", "a: velocity has no effect on an action of kind move_to"),
        ("move_to\"\nto = [0, 2, 0]", "max_torque = 1.0", "a: max_torque has no effect on an action of kind move_to"),
        ("move_to\"\nto = [0, 2, 0]", "ease = \"cubic\"", "a: ease has no effect without seconds"),
        (
            "move_to\"\nto = [0, 2, 0]\nposition_gain = 0.3\nvelocity_gain = 0.5",
            "time_constant = 0.4",
            "a: time_constant has no effect beside position_gain and velocity_gain",
        ),
        ("chase\"\ntarget = \"t\"", "velocity = [1, 0, 0]", "a: velocity has no effect beside a target"),
        ("chase\"\ntarget = \"t\"", "turn = [0, 1, 0]", "a: turn has no effect on an action of kind chase"),
        ("turn_to\"\nturn = [0, 1, 0]", "axes = [\"x\"]", "a: axes has no effect on an action of kind turn_to"),
        ("stop\"", "seconds = 1.0", "a: seconds has no effect on an action of kind stop"),
    ];
    for (kind, key, note) in cases {
        let scene = |key: &str| {
            format!(
                "[scene]\nseconds = 0.5\n[[box]]\nname = \"b\"\nvelocity = [1, 0, 0]\nspin = [0, 1, 0]\n[[ball]]\nname = \"t\"\n\
                 position = [1, 1, 0]\n[[action]]\nname = \"a\"\non = \"b\"\nkind = \"{kind}\n{key}\n"
            )
        };
        for method in ["particles", "multipliers"] {
            says(scene, (key, method), note);
        }
    }
}

/// They took ragdolls and cloth out of the lanes, whose substeps are others.
#[test]
fn a_root_that_is_not_taken_and_a_tolerance_of_one_pass_leave_every_bit() {
    let doll = "[[ragdoll]]\nname = \"doll\"\nposition = [0, 0.3, 0]\n";
    let cloth = "[[cloth]]\nname = \"c\"\nposition = [0, 0.2, 0]\n[[obstacle]]\nname = \"o\"\nkind = \"sphere\"\nradius = 0.2\n";
    for things in [doll, cloth] {
        let scene = |key: &str| format!("[scene]\nseconds = 0.6\nground = 0.0\n{key}{things}");
        let key = "[solver.particles]\nsquare_root = \"taylor\"\n";
        says(scene, (key, "particles"), "particles.square_root has no effect in mode shake");
        let key = "[solver.particles]\ntolerance = 1e-3\n";
        says(scene, (key, "particles"), "particles.tolerance has no effect with one of constraint_iterations");
    }
}

#[test]
fn a_herd_in_lanes_tells_which_keys_of_the_solver_are_not_its_own() {
    let herd = |group: &str, alone: bool| {
        let group = group.to_owned();
        move |key: &str| {
            format!(
                "[scene]\nseconds = 0.4\nground = 0.0\n[{group}]\n{key}\n[[herd]]\nname = \"h\"\ncount = 2\nalone = {alone}\nheight = 0.02\n"
            )
        }
    };
    let own = |key: &str| format!("h: runs in lanes, and [solver] {key} has no effect on it");
    let cases = [
        ("particles", "solver.particles", false, "mode = \"rosen\"", own("particles.mode")),
        ("particles", "solver.particles", false, "constraint_iterations = 3", own("particles.constraint_iterations")),
        ("particles", "solver.particles", true, "substeps = 20", own("particles.substeps")),
        ("multipliers", "solver.rigid", true, "contact_iterations = 3", own("rigid.contact_iterations")),
        ("multipliers", "solver.rigid", true, "integrator = \"heun\"", own("rigid.integrator")),
        ("multipliers", "solver", true, "frames_before_sleep = 0", own("frames_before_sleep")),
    ];
    for (method, group, alone, key, note) in cases {
        says(herd(group, alone), (key, method), &note);
    }
    let delayed = |key: &str| herd("solver", false)("").replace("height", &format!("{key}\nheight"));
    says(delayed, ("max_start_delay = 0.3", "particles"), "h: max_start_delay has no effect without a follow");
}

#[test]
fn cloth_whose_sticks_are_solved_at_once_needs_a_compliance_and_is_told_which() {
    let scene = |cloth: &str| {
        format!(
            "[scene]\nseconds = 0.1\n[solver.particles]\nsolve = \"conjugate_gradients\"\n[[cloth]]\nname = \"sail\"\n\
             columns = 5\nrows = 5\nposition = [0, 1, 0]\npins = [\"left_front\", \"right_front\"]\n{cloth}\n"
        )
    };
    let folder = Folder::new();
    let file = folder.file("scene.toml", &scene(""));
    let said = muybridge(["simulate", file.to_str().expect("a path")]);
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(
        said.err.contains("solve is conjugate_gradients") && said.err.contains("stretch_compliance to 1e-6"),
        "{}",
        said.err
    );
    // With it, nothing stretches by more than its compliance, and no energy comes from nothing.
    for cells in ["squares", "hexagons"] {
        let (run, said) =
            Run::with(&scene(&format!("stretch_compliance = 1e-6\ncells = \"{cells}\"")), ["--method", "particles"]);
        assert_eq!(said, "", "{cells}");
        assert!(run.0["worst"]["stretch"]["value"].as_f64().expect("a number") < 1e-3, "{cells}");
    }
}

#[test]
fn whole_body_control_tells_that_it_has_frequencies_of_its_own() {
    let scene = |key: &str| {
        format!(
            "[scene]\nseconds = 0.2\nrate = 120.0\nground = 0.0\n[[ragdoll]]\nname = \"p\"\nclip = \"walk\"\n\
             [[follow]]\nof = \"p\"\nown_feet = true\n{key}\n"
        )
    };
    for key in ["frequency = 5.0", "damping = 3.0"] {
        let word = key.split(' ').next().expect("a key");
        says(scene, (key, "multipliers"), &format!("p: {word} has no effect with own_feet"));
    }
}
