//! What did not converge is said: warnings with the name of the thing, on the terminal and in the JSON, exit code 0.

use serde_json::Value;

use crate::program::{Folder, muybridge};
use crate::simulate_contact::{METHODS, Run};

/// Warnings of a run: kind, thing, greatest value, value at the end. Each must be printed as well, also by a run that keeps no
/// poses.
fn warnings(scene: &str, method: &str) -> Vec<(String, String, f64, f64)> {
    let (run, told) = Run::with(scene, ["--method", method]);
    let folder = Folder::new();
    let file = folder.file("scene.toml", scene);
    let alone = muybridge(["simulate", file.to_str().unwrap(), "--method", method]);
    let printed = |told: &str| told.lines().filter(|line| line.starts_with("warning: ")).count();
    assert_eq!(printed(&alone.err), run.0["warnings"].as_array().unwrap().len(), "{method}: {}", alone.err);
    let warning = |own: &Value| {
        let message = own["message"].as_str().unwrap();
        let message = format!("warning: {message}");
        assert!(told.contains(&message) && alone.err.contains(&message), "{method}: {told}{}", alone.err);
        let number = |key: &str| own[key].as_f64().unwrap();
        let text = |key: &str| own[key].as_str().unwrap().to_owned();
        (text("kind"), text("of"), number("value"), number("at_end"))
    };
    run.0["warnings"].as_array().unwrap().iter().map(warning).collect()
}

fn heavy_rope(keys: &str) -> String {
    format!(
        "[scene]\nseconds = 2.0\n{keys}[[rope]]\nname = \"hoist\"\nfrom = [0.0, 4.0, 0.0]\nto = [0.0, 2.0, 0.0]\nmass = 0.4\nfixed = [\"start\"]\n\
         to_attached_to = \"load\"\n[[ball]]\nname = \"load\"\nradius = 0.2\nmass = 20000.0\nposition = [0.0, 1.8, 0.0]\n"
    )
}

#[test]
fn a_rope_that_does_not_hold_says_by_how_much_and_one_that_does_says_nothing() {
    let particles = "[solver.particles]\nfree_bodies = \"particles\"\n";
    let found = warnings(&heavy_rope(particles), "particles");
    let of_rope: Vec<_> = found.iter().filter(|(_, of, ..)| of == "hoist").collect();
    assert!(
        matches!(&of_rope[..], [(kind, _, most, end)] if kind == "stretch" && *most > 0.1 && *end > 0.01),
        "{found:?}"
    );
    assert_eq!(warnings(&heavy_rope(""), "particles"), [], "beside a solid it is a chain of rigid bodies");
    assert_eq!(warnings(&heavy_rope(""), "multipliers"), []);
    let limit = format!("{particles}[solver.warnings]\nstretch = 50.0\n");
    let allowed = warnings(&heavy_rope(&limit), "particles");
    assert!(allowed.iter().all(|(kind, ..)| kind != "stretch"), "the limit is a key: {allowed:?}");
}

#[test]
fn what_begins_in_something_is_named_under_every_method() {
    // A hand in the ground, alone and beside another person that is far; and two people in each other.
    let hand = "[scene]\nseconds = 0.1\nground = 1.15\n[[ragdoll]]\nname = \"man\"\nposition = [0, 1, 0]\nrotation = [0, 0, -1.57]\n";
    let far = "[[ragdoll]]\nname = \"far\"\nposition = [9, 2.0, 0]\n";
    let both = "[scene]\nseconds = 0.1\n[[ragdoll]]\nname = \"other\"\nposition = [0.05, 0, 0.02]\n[[ragdoll]]\nname = \"one\"\n";
    for method in METHODS {
        let deepest = |scene: &str| {
            let found = warnings(scene, method);
            let inside = found.into_iter().filter(|own| own.0 == "penetration");
            inside.max_by(|a, b| a.2.total_cmp(&b.2)).map(|own| own.1)
        };
        for scene in [hand.to_owned(), format!("{hand}{far}")] {
            assert_eq!(deepest(&scene).as_deref(), Some("man/LeftHand"), "{method}");
        }
        assert!(deepest(both).is_some_and(|of| of.starts_with("one/")), "{method}");
    }
}

#[test]
fn a_bad_start_names_what_overlaps_and_says_that_it_gains_energy() {
    let boxed = |name: &str, height: f64| {
        format!(
            "[[box]]\nname = \"{name}\"\nsize = [0.4, 0.4, 0.4]\nposition = [0.0, {height}, 0.0]\nrestitution = 0.0\n"
        )
    };
    let scene = |gap: f64| {
        format!("[scene]\nseconds = 2.0\nground = 0.0\n{}{}", boxed("lower", 0.2), boxed("upper", 0.6 + gap))
    };
    for method in METHODS {
        let found = warnings(&scene(-0.2), method);
        for wanted in ["penetration", "energy"] {
            assert!(
                found.iter().any(|(kind, of, ..)| kind == wanted && of.ends_with("er")),
                "{method} {wanted}: {found:?}"
            );
        }
        let depth = found.iter().find(|(kind, ..)| kind == "penetration").map_or(0.0, |own| own.2);
        assert!((0.1..=0.201).contains(&depth), "{method}: {depth}");
        assert_eq!(warnings(&scene(0.0), method), [], "{method}: a sound start");
        assert_eq!(warnings(&scene(0.3), method), [], "{method}: a fall");
    }
}

#[test]
fn a_box_that_stood_and_tilts_is_said_to_lean() {
    // A wedge of a slope of 8° under a box that starts level, with friction enough to hold it there.
    let scene = "[scene]\nseconds = 3.0\n[[obstacle]]\nname = \"slope\"\nkind = \"box\"\nsize = [4.0, 0.4, 4.0]\nposition = [0.0, -0.2, 0.0]\n\
                 rotation = [0.0, 0.0, 0.14]\nfriction = 1.0\n[[box]]\nname = \"crate\"\nsize = [0.4, 0.4, 0.4]\nposition = [0.0, 0.232, 0.0]\n\
                 friction = 1.0\nrestitution = 0.0\n";
    for method in METHODS {
        let found = warnings(scene, method);
        let lean = found.iter().find(|(kind, of, ..)| kind == "lean" && of == "crate");
        assert!(lean.is_some_and(|(.., end)| (end - 0.14).abs() < 0.01), "{method}: {found:?}");
    }
}

#[test]
fn a_pose_that_a_clip_gives_is_no_error_of_a_solver() {
    // The crouch of the built-in jump bends knees by 22° more than their range, and its feet press on the ground.
    let scene = "[scene]\nseconds = 1.1\nground = 0.0\n[[ragdoll]]\nname = \"jumper\"\nclip = \"jump\"\n\
                 [[release]]\nof = \"jumper\"\ntime = 1.0\n[[ball]]\nname = \"ball\"\nposition = [2.0, 0.15, 0.0]\n";
    for method in METHODS {
        assert_eq!(warnings(scene, method), [], "{method}");
        let limits = "[solver.warnings]\nlimit = 0.0\n";
        let found = warnings(&format!("{scene}{limits}"), method);
        assert!(found.iter().all(|(.., most, _)| *most < 0.2), "{method}: {found:?}");
    }
}

#[test]
fn a_cloth_that_stretches_too_far_is_stiffer_with_more_substeps_as_the_warning_says() {
    let cloth = |substeps: u32| {
        let scene = format!(
            "[scene]\nseconds = 1.0\nground = 0.0\n[solver.particles]\nsubsteps = {substeps}\n[[obstacle]]\nname = \"ball\"\n\
             kind = \"sphere\"\nradius = 0.45\nposition = [0.0, 0.6, 0.0]\n[[cloth]]\nname = \"cloth\"\nwidth = 1.6\ndepth = 1.6\n\
             columns = 32\nrows = 32\nposition = [0.0, 1.35, 0.0]\nmass = 0.5\nthickness = 0.012\n"
        );
        let run = Run::of(&scene, "particles");
        run.0["worst"]["stretch"]["value"].as_f64().expect("a number")
    };
    // A pass leaves a stretch by the square of the substep, contacts at least by its root, which is a quarter.
    for substeps in [32, 64] {
        let [few, many] = [substeps, 16 * substeps].map(cloth);
        assert!(many < 0.25 * few, "{substeps} substeps: {few}, then {many}");
    }
}

#[test]
fn what_dry_friction_of_a_joint_holds_has_no_speed_and_warns_of_no_energy() {
    // Half a kick of gravity was taken for motion, and told as 0.000 J of gain: the height of zero made it count.
    for axis in ["[0, 1, 0]", "[0.6, 0.8, 0]"] {
        let scene = format!(
            "[scene]\nseconds = 0.4\n[[box]]\nname = \"b\"\nsize = [0.2, 0.2, 0.2]\nmass = 1.0\nposition = [0, 0, 0]\n\
             [[joint]]\nname = \"j\"\nkind = \"slider\"\nof = \"b\"\nat = [0, 0, 0]\naxis = {axis}\nfriction = 20.0\n"
        );
        for method in ["multipliers", "displacement", "hennix"] {
            let (run, said) = Run::with(&scene, ["--method", method]);
            assert!(!said.contains("energy"), "{method}: {said}");
            assert!(run.per_frame("kinetic_energy_j").iter().all(|energy| *energy < 1e-20), "{method}, {axis}");
        }
    }
}
