//! Hits of bodies without joints in every mode of particles: where they meet, what they pass on, and stacks of them.

use std::fmt::Write as _;

use muybridge::glam::DVec3;

use crate::simulate_contact::{Run, every};
use crate::simulate_hits::velocity_at_end;
use crate::simulate_robust::greatest;

const MODES: [&str; 4] = ["shake", "xpbd", "rosen", "jakobsen"];

/// A scene without gravity and air.
fn in_space(seconds: f64, rate: u32, things: &str) -> String {
    format!("[scene]\nseconds = {seconds}\nrate = {rate}\ngravity = [0, 0, 0]\nair_density = 0.0\n{things}")
}

/// Velocity over the last frame, m/s.
fn last_velocity(run: &Run, of: &str, rate: u32) -> DVec3 {
    DVec3::from_array(velocity_at_end(run, of)) * (f64::from(rate) / 60.0)
}

#[test]
fn h18_a_row_of_balls_passes_a_hit_on_to_the_last() {
    // Several hits of a substep were solved together: the first ball came back with a third of its speed.
    for (count, gap, speed, rate) in
        [(5, 0.0, 1.3, 60), (4, 1e-5, 6.1, 30), (7, 1e-4, 7.7, 60), (3, 1e-3, 2.2, 120), (6, 0.02, 7.3, 30)]
    {
        let mut things = String::new();
        for index in 0..=count {
            let (place, speed) = if index == 0 { (-0.6, speed) } else { (f64::from(index - 1) * (0.1 + gap), 0.0) };
            let _ = write!(
                things,
                "[[ball]]\nname = \"b{index}\"\nradius = 0.05\nmass = 2.0\nposition = [0, 0, {place}]\n\
                 velocity = [0, 0, {speed}]\nrestitution = 1.0\nfriction = 0.0\n"
            );
        }
        let seconds = (0.6 + f64::from(count) * gap) / speed + 0.2;
        let scene = in_space(seconds, rate, &things);
        for mode in MODES {
            let run = Run::in_mode(&scene, mode);
            for index in 0..=count {
                let wanted = if index == count { speed } else { 0.0 };
                let velocity = last_velocity(&run, &format!("b{index}"), rate);
                assert!(velocity.distance(DVec3::Z * wanted) < 1e-3 * speed, "{mode}: b{index} {velocity} of\n{scene}");
            }
            let energies = run.energies();
            assert!(greatest(&energies) < energies[0] * (1.0 + 1e-6), "{mode}: {energies:?}");
        }
    }
}

#[test]
fn h18_balls_that_meet_off_center_part_in_every_mode_as_two_points_of_mass_along_their_line() {
    // The normal was that of balls that had gone through each other: up to 16 % of the speed, in jakobsen more.
    let (radii, masses) = ([0.05, 0.21], [0.7, 3.1]);
    for (speed, share, restitution, rate) in [
        (1.7, 0.6, 0.0, 60),
        (6.6, 0.25, 0.4, 30),
        (14.0, 0.75, 1.0, 24),
        (39.0, 0.45, 1.0, 120),
        (39.0, 0.88, 0.7, 60),
    ] {
        let reach: f64 = radii.iter().sum();
        let mut things = String::new();
        for (side, [y, z, v]) in [[0.0, -2.0, speed], [share * reach, 0.0, 0.0]].into_iter().enumerate() {
            let _ = write!(
                things,
                "[[ball]]\nname = \"b{side}\"\nradius = {}\nmass = {}\nposition = [0, {y}, {z}]\nvelocity = [0, 0, {v}]\n\
                 restitution = {restitution}\nfriction = 0.0\n",
                radii[side], masses[side],
            );
        }
        let normal = DVec3::new(0.0, share, f64::sqrt(1.0 - share * share));
        let impulse = (1.0 + restitution) * speed * normal.z / (1.0 / masses[0] + 1.0 / masses[1]);
        let wanted = [DVec3::Z * speed - normal * (impulse / masses[0]), normal * (impulse / masses[1])];
        let scene = in_space(2.2 / speed + 0.2, rate, &things);
        for mode in MODES {
            let run = Run::in_mode(&scene, mode);
            for (side, wanted) in wanted.into_iter().enumerate() {
                let velocity = last_velocity(&run, &format!("b{side}"), rate);
                let off = velocity.distance(wanted) / speed;
                assert!(off < 2e-3, "{mode}: {velocity} for {wanted} of\n{scene}");
            }
        }
    }
}

#[test]
fn h18_balls_on_a_table_part_as_in_the_air() {
    let (radius, share) = (0.06_f64, 0.6_f64);
    let normal = DVec3::new(f64::sqrt(1.0 - share * share), 0.0, share);
    for speed in [0.9, 3.3, 9.5] {
        let mut scene = format!(
            "[scene]\nseconds = {}\nair_density = 0.0\nground = 0.0\nground_friction = 0.0\n",
            0.4 / speed + 0.2
        );
        for (name, [x, z, v]) in [("a", [-0.5, 0.0, speed]), ("b", [0.0, 2.0 * radius * share, 0.0])] {
            let _ = write!(
                scene,
                "[[ball]]\nname = \"{name}\"\nradius = {radius}\nmass = 0.2\nposition = [{x}, {radius}, {z}]\nvelocity = [{v}, 0, 0]\n\
                 restitution = 1.0\nfriction = 0.0\n"
            );
        }
        let passed = normal * (speed * normal.x);
        for option in every() {
            let run = Run::with(&scene, option).0;
            for (name, wanted) in [("a", DVec3::X * speed - passed), ("b", passed)] {
                let velocity = last_velocity(&run, name, 60);
                assert!(
                    velocity.distance(wanted) < 1e-3 * speed,
                    "{option:?}: {name} {velocity} for {wanted} of\n{scene}"
                );
            }
        }
    }
}

#[test]
fn h18_boxes_that_spin_and_meet_keep_both_momenta_and_no_more_than_their_energy() {
    // Without a bounce they go on to slide on each other, which still costs some.
    for (index, (speed, restitution)) in [(2.4, 0.6), (8.0, 1.0), (17.0, 0.5), (45.0, 0.2)].into_iter().enumerate() {
        let mut things = String::new();
        for (side, [x, y, v]) in [[-1.5, 0.13, speed], [0.0, 0.0, -1.0]].into_iter().enumerate() {
            let spin = 6.0 - 3.0 * index as f64;
            let _ = write!(
                things,
                "[[box]]\nname = \"b{side}\"\nsize = [0.3, 0.22, {}]\nmass = {}\nposition = [{x}, {y}, 0.02]\nvelocity = [{v}, 0, 0]\n\
                 rotation = [0.4, {index}, -0.7]\nspin = [{spin}, 4, -5]\nfriction = 0.3\nrestitution = {restitution}\n",
                0.4 - 0.15 * side as f64,
                0.8 + side as f64,
            );
        }
        let run = Run::in_mode(&in_space(1.0, 60, &things), "shake");
        for key in ["momentum_kgmps", "angular_momentum_kgm2ps"] {
            let list = run.vectors(key);
            let off = list[list.len() - 1].distance(list[0]) / list[0].length();
            assert!(off < 1e-5, "{key} {off} of\n{things}");
        }
        let energies = run.energies();
        assert!(greatest(&energies) < energies[0] * (1.0 + 1e-5), "{energies:?}");
        assert!(run.points("b1")[59].distance(run.points("b1")[0] - DVec3::X) > 0.1, "they meet");
    }
}

#[test]
fn a_stack_at_thirty_frames_a_second_stands_still() {
    // Friction started with that of the substep before: ten boxes trembled by 3 mm and 2.6 J.
    for (count, size, rate) in [(10, 0.37, 30), (12, 0.12, 24), (9, 0.26, 60)] {
        let mut scene = format!("[scene]\nseconds = 3.0\nrate = {rate}\nground = 0.0\nair_density = 0.0\n");
        for index in 0..count {
            let _ = write!(
                scene,
                "[[box]]\nname = \"b{index}\"\nsize = [{size}, {size}, {size}]\nmass = 20.0\nposition = [0.1, {}, -0.2]\n\
                 rotation = [0, 0.7, 0]\nrestitution = 0.0\n",
                (f64::from(index) + 0.5) * size
            );
        }
        let run = Run::in_mode(&scene, "shake");
        for index in 0..count {
            let places = run.points(&format!("b{index}"));
            let moved = places[places.len() - 1].distance(places[0]);
            // As of the tower of twenty.
            assert!(moved < 1e-3, "b{index} moves by {moved} of\n{scene}");
        }
        let energies = run.energies();
        let gained = greatest(&energies) - energies[0];
        assert!(gained < 5e-5 * energies[0], "{gained} J of {}", energies[0]);
    }
}
