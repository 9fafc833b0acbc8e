//! Forces of drags, hits and a user's hand are recorded; their sums are weights and momenta.

use std::path::Path;

use muybridge::glam::DVec3;
use muybridge::simulation::scene::slot::PartPath;
use muybridge::simulation::{Recording, World};
use muybridge_files::scene::{load, read};

const METHODS: [&str; 4] = ["particles", "multipliers", "displacement", "hennix"];
const RATE: f64 = 120.0;

fn world(method: &str, gravity: f64, more: &str) -> World {
    let text = format!(
        "[scene]\ngravity = [0.0, {}, 0.0]\nseconds = 1.0\nrate = {RATE}\n[solver]\nmethod = \"{method}\"\nframes_before_sleep = 0\n\
         [[box]]\nname = \"box\"\nmass = 3.0\nsize = [0.2, 0.2, 0.2]\nposition = [0.0, 1.0, 0.0]\n{more}",
        -gravity
    );
    let scene = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    World::new(scene, &assets).unwrap()
}

/// Forces on the box of the external force named `action`, frame by frame.
fn forces(recording: &Recording, action: &str) -> Vec<DVec3> {
    let own = recording.exertions.iter().find(|own| own.action == action).unwrap_or_else(|| panic!("no {action}"));
    assert!(own.on == "box" && own.efforts.len() == recording.frames && own.centers.len() == recording.frames);
    own.efforts.iter().map(|effort| effort.0).collect()
}

/// Checks that the momentum besides gravity's is the sum of the forces of the steps up to the last frame.
fn is_all_of_it(recording: &Recording, forces: &[DVec3], gravity: f64, method: &str) {
    let given = forces.iter().skip(1).sum::<DVec3>() / RATE;
    let fallen = DVec3::NEG_Y * (3.0 * gravity * (recording.frames - 1) as f64 / RATE);
    let found = recording.measures.last().unwrap().momentum - recording.measures[0].momentum - fallen;
    assert!(given.distance(found) < 0.02 * given.length(), "{method}: {given} gave {found}");
}

#[test]
fn a_hit_is_its_impulse_by_the_time_of_the_frame_in_which_it_is_given() {
    for method in METHODS {
        let hit = "[[hit]]\nof = \"box\"\ntime = 0.5\nimpulse = [6.0, 0.0, 0.0]\n";
        let recording = world(method, 0.0, hit).record();
        let forces = forces(&recording, "hit on box");
        let given: Vec<usize> = (0..forces.len()).filter(|&frame| forces[frame] != DVec3::ZERO).collect();
        // The step that begins at 0.5 s leads to the frame after it.
        assert_eq!(given, [61], "{method}");
        assert!((forces[61] - DVec3::X * (6.0 * RATE)).length() < 1e-9, "{method}: {}", forces[61]);
        is_all_of_it(&recording, &forces, 0.0, method);
    }
}

#[test]
fn what_is_dragged_feels_its_weight_and_what_moves_it() {
    for method in METHODS {
        let drag =
            "[[pull]]\nof = \"box\"\npath = [[0.0, 0.0, 1.0, 0.0], [0.5, 0.0, 1.0, 0.0], [0.75, 0.5, 1.0, 0.0]]\n";
        let recording = world(method, 9.81, drag).record();
        let forces = forces(&recording, "drag of box");
        // At rest it carries 3 g; after 0.75 s it has let go.
        let weight = DVec3::Y * (3.0 * 9.81);
        for force in &forces[30..60] {
            assert!(force.distance(weight) < 0.02 * weight.y, "{method}: {force}");
        }
        assert!(forces[95..].iter().all(|force| *force == DVec3::ZERO), "{method}");
        is_all_of_it(&recording, &forces, 9.81, method);
    }
}

#[test]
fn what_a_user_pulls_and_hits_feels_that_too() {
    for method in METHODS {
        let mut world = world(method, 9.81, "");
        let grasp = world.grasp(&PartPath("box".into()), DVec3::Y).unwrap();
        let mut step = 0;
        let recording = world.record_by(&mut |world| {
            if (10..70).contains(&step) {
                world.pull(&grasp, DVec3::Y, f64::INFINITY).unwrap();
            } else if step == 70 {
                world.let_go(&grasp).unwrap();
                world.hit(&grasp, DVec3::new(0.0, 3.0, 1.0)).unwrap();
            }
            world.step();
            step += 1;
        });
        let forces = forces(&recording, "user at box");
        assert!(forces[..11].iter().chain(&forces[72..]).all(|force| *force == DVec3::ZERO), "{method}");
        let weight = DVec3::Y * (3.0 * 9.81);
        assert!(forces[69].distance(weight) < 0.05 * weight.y, "{method}: {}", forces[69]);
        assert!(forces[71].distance(DVec3::new(0.0, 3.0, 1.0) * RATE) < 1e-6, "{method}: {}", forces[71]);
        is_all_of_it(&recording, &forces, 9.81, method);
    }
}

#[test]
fn a_run_in_which_nobody_touches_anything_has_no_forces_from_outside() {
    assert!(METHODS.iter().all(|method| world(method, 9.81, "").record().exertions.is_empty()));
}
