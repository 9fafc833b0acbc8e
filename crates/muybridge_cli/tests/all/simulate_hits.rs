//! Hard hits, bounces and tall stacks of scenes, under every method: closed forms.

use std::fmt::Write as _;

use muybridge::glam::DVec3;
use serde_json::Value;

use crate::program::{Folder, muybridge, shared};
use crate::simulate_contact::{METHODS, OF_FREE_BODIES, Run, every};
use crate::simulate_robust::greatest;

/// Two things that fly at each other along x, from 2 m away on either side, without friction.
fn meeting(kind: &str, shape: &str, [speed, offset, restitution]: [f64; 3]) -> String {
    let mut text = format!("[scene]\nseconds = {}\ngravity = [0.0, 0.0, 0.0]\n", 0.05 + 4.0 / speed);
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let (x, y, v) = (2.0 * side, -0.5 * offset * side, -speed * side);
        write!(
            text,
            "[[{kind}]]\nname = \"{name}\"\n{shape}\nmass = 2.0\nposition = [{x}, {y}, 0.0]\nvelocity = [{v}, 0.0, 0.0]\n\
             restitution = {restitution}\nfriction = 0.0\n"
        )
        .unwrap();
    }
    text
}

/// Velocity of a thing at the end, m/s.
pub fn velocity_at_end(run: &Run, of: &str) -> [f64; 3] {
    let places = run.places(of);
    let (last, before) = (&places[places.len() - 1], &places[places.len() - 2]);
    [0, 1, 2].map(|axis| 60.0 * (last[axis] - before[axis]))
}

#[test]
fn boxes_that_meet_squarely_at_any_speed_bounce_back_without_turning() {
    for method in OF_FREE_BODIES {
        for (speed, restitution) in [(30.0, 1.0), (95.0, 1.0), (150.0, 1.0), (150.0, 0.5)] {
            let run = Run::of(&meeting("box", "size = [0.6, 0.5, 0.4]", [speed, 0.0, restitution]), method);
            let [x, y, z] = velocity_at_end(&run, "right");
            let case = format!("{method}, {speed} m/s, e = {restitution}");
            assert!((x / (speed * restitution) - 1.0).abs() < 1e-3 && y.hypot(z) < 1e-3, "{case}: {x} {y} {z}");
            assert!(run.most_lean("right") < 1e-6, "{case}: turns by {}", run.most_lean("right"));
        }
    }
}

#[test]
fn small_fast_balls_do_not_pass_each_other_and_bounce_by_their_restitution() {
    for method in OF_FREE_BODIES {
        for (speed, radius) in [(60.0, 0.03), (120.0, 0.02), (125.0, 0.015), (240.0, 0.02), (310.0, 0.05)] {
            let run = Run::of(&meeting("ball", &format!("radius = {radius}"), [speed, 0.0, 0.4]), method);
            let [x, ..] = velocity_at_end(&run, "right");
            assert!((x / (0.4 * speed) - 1.0).abs() < 1e-6, "{method}, {speed} m/s, {radius} m: {x}");
        }
    }
}

#[test]
fn fast_balls_that_meet_off_center_fly_apart_along_the_line_between_their_centers() {
    for method in OF_FREE_BODIES {
        for speed in [40.0, 90.0, 180.0] {
            let run = Run::of(&meeting("ball", "radius = 0.05", [speed, 0.06, 1.0]), method);
            let [x, y, _] = velocity_at_end(&run, "right");
            // The normal leans by asin 0.6: v' = v − 2 (v·n) n = v (1 − 2 · 0.8², 2 · 0.8 · 0.6).
            let (wanted_x, wanted_y) = (0.28 * speed, 0.96 * speed);
            let off = (x - wanted_x).hypot(y.abs() - wanted_y) / speed;
            assert!(off < 0.04, "{method}, {speed} m/s: {x} {y} instead of {wanted_x} {wanted_y}");
        }
    }
}

#[test]
fn h18_boxes_that_bounce_without_loss_gain_no_energy() {
    let scene = "[scene]\nseconds = 12.0\ngravity = [0.0, 0.0, 0.0]\n[[box]]\nname = \"b\"\nsize = [0.25, 0.35, 0.3]\nmass = 3.0\n\
                 grid = [2, 3, 2]\nspacing = [0.7, 0.6, 0.7]\nvelocity = [1.5, -1.0, 2.0]\nspin = [2.0, -3.0, 1.0]\nrandom_orientation = true\n\
                 restitution = 1.0\nfriction = 0.0\n[[obstacle]]\nname = \"room\"\nkind = \"room\"\nsize = [3.0, 3.2, 3.0]\n\
                 restitution = 1.0\nfriction = 0.0\n";
    for option in every() {
        let (run, _) = Run::with(scene, option);
        let method = option[1];
        let energies = run.per_frame("kinetic_energy_j");
        let most = energies.iter().fold(0.0_f64, |most, now| most.max(now / energies[0] - 1.0));
        let end = energies[energies.len() - 1] / energies[0];
        // Bodies of particles lose some in every hit.
        let least = if ["xpbd", "jakobsen", "rosen"].contains(&method) { 0.0 } else { 0.9 };
        assert!(most < 1e-3 && end > least, "{method}: gains {most}, keeps {end}");
    }
}

#[test]
fn h18_boxes_gain_no_energy_over_a_hundred_thousand_contacts() {
    let scene = "[scene]\nseconds = 33.0\ngravity = [0.0, 0.0, 0.0]\n[[box]]\nname = \"b\"\nsize = [0.35, 0.3, 0.4]\nmass = 3.0\n\
                 grid = [4, 4, 4]\nspacing = [0.68, 0.68, 0.68]\nposition = [0.0, -1.02, 0.0]\nvelocity = [1.5, -1.0, 2.0]\nspin = [2.0, -3.0, 1.0]\n\
                 random_orientation = true\nrestitution = 1.0\nfriction = 0.0\n[[obstacle]]\nname = \"room\"\nkind = \"room\"\n\
                 size = [3.0, 3.0, 3.0]\nrestitution = 1.0\nfriction = 0.0\n";
    for method in ["multipliers", "displacement"] {
        let run = Run::of(scene, method);
        let contacts = run.0["work"]["contacts"]["total"].as_u64().unwrap();
        let energies = run.per_frame("kinetic_energy_j");
        let most = energies.iter().fold(0.0_f64, |most, now| most.max(now / energies[0] - 1.0));
        assert!(contacts > 100_000 && most < 1e-4, "{method}: gains {most} over {contacts}");
    }
}

#[test]
fn a_tower_of_twenty_boxes_stands() {
    let mut scene = String::from("[scene]\nseconds = 4.0\nground = 0.0\n");
    for floor in 0..20 {
        let height = 0.15 + 0.3 * f64::from(floor);
        write!(scene, "[[box]]\nname = \"floor {floor}\"\nsize = [0.35, 0.3, 0.35]\nmass = 5.0\nposition = [0.0, {height}, 0.0]\nrestitution = 0.0\n").unwrap();
    }
    for method in OF_FREE_BODIES {
        let run = Run::of(&scene, method);
        let top = run.places("floor 19");
        let last = &top[top.len() - 1];
        assert!(last[0].hypot(last[2]) < 1e-3 && (last[1] - 5.85).abs() < 5e-3, "{method}: {last:?}");
        assert!(run.most_lean("floor 19") < 2e-3, "{method}: leans by {}", run.most_lean("floor 19"));
        assert_eq!(run.0["warnings"].as_array().map(Vec::len), Some(0), "{method}: {}", run.0["warnings"]);
    }
}

#[test]
fn a_hit_goes_from_ball_to_ball_along_a_row() {
    // Each hit of two: v₁' = (m₁ − m₂)/(m₁ + m₂) v₁ and v₂' = 2 m₁/(m₁ + m₂) v₁.
    let unlike = vec![-2.0 / 3.0, -4.0 / 15.0, 16.0 / 15.0];
    for (masses, wanted) in [(vec![1.5; 5], vec![0.0, 0.0, 0.0, 0.0, 2.0]), (vec![1.0, 2.0, 3.0], unlike)] {
        for gap in [0.0, 1e-4] {
            let mut scene = String::from("[scene]\nseconds = 1.0\ngravity = [0.0, 0.0, 0.0]\n");
            for (index, mass) in masses.iter().enumerate() {
                let (x, speed) = (f64::from(index as u32) * (0.3 + gap), if index == 0 { 2.0 } else { 0.0 });
                write!(
                    scene,
                    "[[ball]]\nname = \"{index}\"\nradius = 0.15\nmass = {mass}\nposition = [{x}, 0.0, 0.0]\nvelocity = [{speed}, 0.0, 0.0]\n\
                     restitution = 1.0\nfriction = 0.0\n"
                )
                .unwrap();
            }
            for method in ["particles", "multipliers", "displacement"] {
                let run = Run::of(&scene, method);
                let found: Vec<f64> =
                    (0..masses.len()).map(|ball| velocity_at_end(&run, &ball.to_string())[0]).collect();
                let off = found.iter().zip(&wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max);
                assert!(off < 1e-6, "{method}, {gap} m apart: {found:?}, not {wanted:?}");
            }
        }
    }
}

#[test]
fn what_sleeps_takes_a_hit_as_if_awake() {
    // Equal masses without loss: the second goes on as the first came. At any time within a frame, and through a row of hanging balls.
    for way in [2.0, 2.009, 2.021, 2.03] {
        let scene = format!(
            "[scene]\nseconds = 2.5\nground = 0.0\nground_friction = 0.0\n[[box]]\nname = \"lies\"\nsize = [0.4, 0.4, 0.4]\nmass = 1.5\n\
             position = [0.0, 0.2, 0.0]\nfriction = 0.0\nrestitution = 1.0\n[[box]]\nname = \"comes\"\nsize = [0.4, 0.4, 0.4]\nmass = 1.5\n\
             position = [{}, 0.2, 0.0]\nvelocity = [1.5, 0.0, 0.0]\nfriction = 0.0\nrestitution = 1.0\n",
            -0.4 - way
        );
        for method in ["particles", "multipliers", "displacement"] {
            let run = Run::of(&scene, method);
            let [comes, lies] = ["comes", "lies"].map(|name| velocity_at_end(&run, name)[0]);
            assert!(comes.abs() < 1e-3 && (lies - 1.5).abs() < 1e-3, "{method}, {way} m: {comes} and {lies} m/s");
        }
    }
    let mut scene = String::from("[scene]\nseconds = 1.6\n");
    for index in 0..4 {
        let (x, aside, drop) = (0.212 * f64::from(index), [0.6, 0.0], [0.8, 1.0]);
        let first = usize::from(index > 0);
        write!(
            scene,
            "[[ball]]\nname = \"{index}\"\nradius = 0.1\nmass = 0.7\nposition = [{}, {}, 0.0]\nrestitution = 1.0\nfriction = 0.0\ndamping = 0.0\n\
             [[joint]]\nname = \"string {index}\"\nkind = \"hinge\"\nof = \"{index}\"\nat = [{x}, 2.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n",
            x - aside[first],
            2.0 - drop[first],
        )
        .unwrap();
    }
    for method in ["particles", "multipliers", "displacement"] {
        let run = Run::of(&scene, method);
        let swings = run.points("3").iter().map(|place| place.x - 0.636).fold(0.0, f64::max);
        assert!((swings - 0.6).abs() < 0.01, "{method}: {swings} m");
    }
}

#[test]
fn boxes_lie_on_ground_of_a_million_meters() {
    let scene = "[scene]\nseconds = 2.0\n[[obstacle]]\nname = \"ground\"\nkind = \"box\"\nsize = [1e6, 20.0, 1e6]\nposition = [0.0, -10.0, 0.0]\n\
                 [[box]]\nname = \"box\"\nsize = [0.3, 0.2, 0.4]\nposition = [300.0, 0.3, -70.0]\nrotation = [0.2, 0.1, 0.1]\n";
    for mode in OF_FREE_BODIES {
        let place = *Run::of(scene, mode).points("box").last().unwrap();
        assert!((place.y - 0.1).abs() < 2e-3, "{mode}: {place}");
    }
}

/// Cloth is as stiff as its substeps are short: limbs at 25 m/s stretched it by a half, at 30 m/s to three times its length, and with a
/// ball behind them 40 kJ became 1.3 MJ.
#[test]
fn a_ragdoll_that_flies_into_a_cloth_neither_tears_it_nor_gains_energy() {
    let cloth = "[[cloth]]\nname = \"cloth\"\nwidth = 0.7\ndepth = 0.6\nmass = 0.3\nposition = [0.04, 5.2, 0.15]\n";
    let doll = "[[ragdoll]]\nname = \"doll\"\nposition = [-0.1, 6.4, -0.1]\nrotation = [2.6, -2.5, -0.4]\nvelocity = [0, -25, 0]\n";
    for rate in [30, 60] {
        let scene = format!("[scene]\nseconds = 0.3\nrate = {rate}\ngravity = [0, 0, 0]\n{cloth}{doll}");
        for method in METHODS {
            let run = Run::of(&scene, method);
            let (energies, stretch) = (run.energies(), greatest(&run.per_frame("stretch")));
            assert!(stretch < 0.1, "{method}, {rate} Hz: stretched by {stretch}");
            assert!(greatest(&energies) < energies[0] * 1.0001, "{method}, {rate} Hz: {energies:?}");
            let momenta = run.vectors("momentum_kgmps");
            let moved = momenta[momenta.len() - 1].distance(momenta[0]);
            assert!(moved < 1e-4 * momenta[0].length(), "{method}, {rate} Hz: {momenta:?}");
        }
    }
}

/// A hand that touches a chest from behind, with its wrist on the other side: it goes out where it is.
#[test]
fn an_arm_around_a_body_is_not_led_through_it() {
    let scene = "[scene]\nseconds = 1.0\ngravity = [0, 0, 0]\n\
         [[capsule]]\nname = \"chest\"\nradius = 0.15\nlength = 0.12\nmass = 20.0\n\
         [[ball]]\nname = \"shoulder\"\nradius = 0.03\nmass = 5.0\nposition = [0.4, 0, 0]\n\
         [[capsule]]\nname = \"hand\"\nradius = 0.035\nlength = 0.09\nmass = 0.4\nposition = [-0.16, 0, 0]\n\
         rotation = [\"90 deg\", 0, 0]\n\
         [[joint]]\nname = \"arm\"\nof = \"hand\"\nto = \"shoulder\"\nat = [0.25, 0, 0]\n";
    for method in ["multipliers", "displacement"] {
        let run = Run::of(scene, method);
        let depth = run.per_frame("penetration_m").into_iter().fold(0.0, f64::max);
        assert!(depth < 0.0251, "{method}: {depth} m");
        let end = run.points("hand").last().unwrap().x;
        assert!(end < -0.17, "{method}: the hand ends at {end} m");
    }
}

/// A ball takes the velocity of one of its mass that hits it, and meets a plate within the same frame.
#[test]
fn what_a_hit_flings_does_not_pass_what_it_meets_in_that_frame() {
    let ball = |name: &str, x: f64, speed: f64| {
        format!(
            "[[ball]]\nname = \"{name}\"\nradius = 0.02\nmass = 0.1\nrestitution = 1.0\nposition = [{x}, 0, 0]\n\
             velocity = [{speed}, 0, 0]\n"
        )
    };
    let plate = "[[box]]\nname = \"plate\"\nsize = [0.01, 1, 1]\nmass = 50.0\nposition = [0.25, 0, 0]\n";
    let still = "[scene]\nseconds = 0.05\ngravity = [0, 0, 0]\n";
    let scene = still.to_owned() + &ball("hammer", -0.17, 30.0) + &ball("pea", 0.0, 0.0) + plate;
    for method in ["multipliers", "displacement"] {
        let run = Run::of(&scene, method);
        let farthest = run.points("pea").iter().fold(0.0, |most: f64, place| most.max(place.x));
        assert!(farthest < 0.226, "{method}: the ball goes to {farthest} m");
    }
}

#[test]
fn a_ragdoll_that_starts_with_an_arm_through_a_wall_comes_out_without_energy() {
    for x in [-0.1, 0.0, 0.2] {
        let scene = format!(
            "[scene]\nseconds = 3.0\nground = 0.0\n[[obstacle]]\nname = \"wall\"\nkind = \"box\"\nsize = [0.4, 3.0, 6.0]\n\
             position = [0.2, 1.5, 0.0]\n[[ragdoll]]\nname = \"doll\"\nposition = [{x}, 0.02, 0.0]\n"
        );
        for method in ["multipliers", "displacement"] {
            let run = Run::of(&scene, method);
            let (energies, inside) = (run.energies(), run.per_frame("penetration_m"));
            let gained = energies.iter().fold(0.0_f64, |most, now| most.max(now - energies[0]));
            // Some 700 J at the start, most of which the fall takes.
            assert!(gained < 35.0 && inside[inside.len() - 1] < 0.01, "{method}, {x}: gains {gained} J");
        }
    }
}

#[test]
fn what_meets_fast_and_does_not_bounce_touches_when_it_stops() {
    // At 40 m/s two bodies come 167 mm closer in a substep.
    for (kind, size, apart) in [("ball", "radius = 0.1", 0.2), ("box", "size = [0.2, 0.2, 0.2]", 0.2)] {
        for start in [0.47, 0.513, 0.6] {
            let one = |name: &str, x: f64, speed: f64| {
                format!(
                    "[[{kind}]]\nname = \"{name}\"\n{size}\nmass = 1.0\nposition = [{x}, 0, 0]\nvelocity = [{speed}, 0, 0]\n\
                     restitution = 0.0\ndamping = 0.0\n"
                )
            };
            let head = "[scene]\nseconds = 0.5\ngravity = [0, 0, 0]\n".to_owned();
            let scene = head + &one("one", 0.0, 40.0) + &one("other", start, 0.0);
            for method in METHODS {
                let run = Run::of(&scene, method);
                let [one, other] = ["one", "other"].map(|name| *run.points(name).last().unwrap());
                let gap = other.x - one.x - apart;
                assert!(gap.abs() < 1e-3, "{method}, {kind} from {start}: {gap} m");
            }
        }
    }
}

#[test]
fn tetrahedra_that_meet_edge_to_edge_touch_when_they_stop() {
    // Of a regular one, opposite edges cross at right angles, 1/√2 of their length apart. The faces beside them come near only later.
    for (size, speed) in [(0.3, 90.0), (0.2, 260.0), (0.12, 40.0)] {
        let shape = format!("size = {size}");
        for method in METHODS {
            let run = Run::of(&meeting("tetrahedron", &shape, [speed, 0.0, 0.0]), method);
            let [left, right] = ["left", "right"].map(|name| *run.points(name).last().unwrap());
            let gap = right.x - left.x - size / 2.0_f64.sqrt();
            assert!(gap.abs() < 1e-3, "{method}, {size} m, {speed} m/s: {gap} m");
        }
    }
}

#[test]
fn ragdolls_of_particles_that_collide_in_the_air_keep_their_momentum() {
    let scene = "[scene]\nseconds = 1.5\ngravity = [0, 0, 0]\n\
         [[ragdoll]]\nname = \"one\"\nposition = [0, 1.0, 0]\nvelocity = [2.0, 0, 0]\ndamping = 0.0\n\
         [[ragdoll]]\nname = \"other\"\nposition = [1.6, 1.1, 0.1]\nrotation = [0.3, 1.0, 0.2]\nvelocity = [-2.0, 0, 0]\ndamping = 0.0\n";
    let run = Run::of(scene, "particles");
    let (momentum, spin) = (run.vectors("momentum_kgmps"), run.vectors("angular_momentum_kgm2ps"));
    // In f32: 1e-5 of the momentum of each, and of its moment about the middle at a meter.
    let most = 1e-5 * 2.0 * 70.0;
    for (linear, angular) in momentum.iter().zip(&spin) {
        assert!((*linear - momentum[0]).length() < most, "{linear}, not {}", momentum[0]);
        assert!((*angular - spin[0]).length() < most, "{angular}, not {}", spin[0]);
    }
    let energies = run.energies();
    assert!(greatest(&energies) < energies[0] * (1.0 + 1e-4), "{} of {} J", greatest(&energies), energies[0]);
    assert!(energies.last().unwrap() < &(0.8 * energies[0]), "they did not meet");
}

#[test]
fn a_pile_of_ragdolls_of_particles_comes_to_rest_without_lying_in_each_other() {
    let scene = "[scene]\nseconds = 6.0\nground = 0.0\nseed = 3\n[[ragdoll]]\nname = \"doll\"\nposition = [0, 0.6, 0]\ngrid = [2, 4, 2]\n\
                 spacing = [1.9, 2.2, 1.85]\nrandom_orientation = true\n";
    let run = Run::of(scene, "particles");
    let depth = run.per_frame("penetration_m");
    assert!(depth[240..].iter().all(|&depth| depth < 0.01), "{:?}", &depth[240..]);
    assert!(run.0["worst"]["limit_rad"]["value"].as_f64().unwrap() < 3_f64.to_radians());
    let energies = run.energies();
    assert!(energies.iter().all(|energy| *energy <= energies[0] * (1.0 + 1e-4)));
    assert!(run.0["asleep"].as_f64().unwrap() > 0.5, "{}", run.0["asleep"]);
}

#[test]
fn ragdolls_thrown_onto_each_other_do_not_go_into_each_other() {
    // Limbs that were still to meet one thing were drawn into others, and those inside were led out along their own length: 150
    // to 340 mm. A limb of 0.1 m that turns with 60 rad/s leaves its tangent by ½ ω² r h² = 3 mm in a substep at either end. From
    // 20 mm the program warns.
    for (speed, turn) in [(12.0, 0.4), (12.0, 1.0), (30.0, 0.4)] {
        let mut scene = "[scene]\nseconds = 0.8\nground = 0.0\n".to_owned();
        for index in 0..5 {
            let (angle, height, speed) =
                (turn * f64::from(index + 1), 0.4 + 1.1 * f64::from(index), speed * f64::from(index.min(1)));
            writeln!(
                scene,
                "[[ragdoll]]\nname = \"d{index}\"\nposition = [0.0, {height}, 0.1]\nvelocity = [0, {}, 0]",
                -speed
            )
            .unwrap();
            writeln!(scene, "rotation = [1.57, {angle}, 0.2]").unwrap();
        }
        for method in ["multipliers", "displacement"] {
            let run = Run::of(&scene, method);
            let (energies, depth) = (run.energies(), greatest(&run.per_frame("penetration_m")));
            assert!(depth < 0.020, "{method}, {speed} m/s, {turn}: {depth} m");
            assert!(greatest(&energies) < energies[0] * 1.0001, "{method}, {speed} m/s, {turn}: {energies:?}");
        }
    }
}

#[test]
fn what_is_heavy_and_falls_fast_on_a_stack_of_light_boxes_stops_on_it() {
    let heavy = [
        "[[ball]]\nname = \"heavy\"\nradius = 0.3\nmass = 400.0\nposition = [0.0, 0.94, 0.0]\nrestitution = 0.0",
        "[[ball]]\nname = \"heavy\"\nradius = 0.3\nmass = 150.0\nposition = [0.06, 0.94, 0.0]\nrestitution = 0.2",
        "[[box]]\nname = \"heavy\"\nsize = [0.5, 0.5, 0.5]\nmass = 90.0\nposition = [0.0, 0.94, 0.02]\nrestitution = 0.0",
        "[[ragdoll]]\nname = \"heavy\"\nposition = [0.0, 1.3, 0.0]\nrotation = [1.57, 0.0, 0.0]",
    ];
    let light = "[[box]]\nname = \"light\"\nsize = [0.5, 0.1, 0.4]\nmass = 0.6\nposition = [0.0, 0.05, 0.0]\ngrid = [1, 3, 1]\n\
                 spacing = [1.0, 0.1, 1.0]\nrestitution = 0.0\n";
    for method in ["multipliers", "displacement"] {
        for heavy in heavy {
            for rate in [30, 60, 120] {
                let scene = format!(
                    "[scene]\nseconds = 0.4\nrate = {rate}\nground = 0.0\n{light}{heavy}\nvelocity = [0.0, -14.0, 0.0]\n"
                );
                let run = Run::of(&scene, method);
                let (energies, depth) = (run.energies(), greatest(&run.per_frame("penetration_m")));
                let case = format!("{method}, {rate} Hz, {heavy}");
                // From 20 mm the program warns; limbs that fall turn fast.
                let most = if heavy.starts_with("[[ragdoll") { 0.02 } else { 0.01 };
                assert!(depth < most, "{case}: {depth} m");
                assert!(greatest(&energies) < energies[0] * 1.0001, "{case}: {energies:?}");
            }
        }
    }
}

#[test]
fn who_is_dragged_takes_no_more_substeps_for_the_weight_of_the_hand_that_drags() {
    // The hand is a body of 1e5 times the mass, whose weight something else carries: it pulls with what the person weighs.
    for method in ["multipliers", "displacement"] {
        let said = muybridge(["simulate", "dragged", "--seconds", "2", "--method", method, "--json"]);
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{method}");
        let run: Value = serde_json::from_str(&said.out).expect("JSON");
        let most = run["work"]["substeps"]["most"].as_u64().expect("a number");
        assert!(most <= 16, "{method}: {most} substeps");
    }
}

#[test]
fn what_hits_a_ragdoll_or_cloth_in_the_air_keeps_momentum_and_spin_of_both() {
    let ragdoll = "[solver.particles]\nfree_bodies = \"particles\"\n[[ragdoll]]\nname = \"hit\"\n";
    let cloth = "[[cloth]]\nname = \"hit\"\nwidth = 1.0\ncolumns = 12\ndamping = 0.0\nposition = [0.0, 1.0, 0.0]\n\
                 rotation = [0.0, 0.0, 1.5708]\n";
    for (what, shape) in [("box", "size = [0.22, 0.16, 0.2]"), ("ball", "radius = 0.11"), ("body", "mesh = \"stool\"")]
    {
        for (hit, speed, seconds) in [(ragdoll, 4.0, 0.8), (ragdoll, 30.0, 0.3), (cloth, 4.0, 0.8)] {
            if (what, hit) == ("ball", cloth) {
                // Lanes step it, and give the ball its impulses at the end of the frame.
                continue;
            }
            let scene = format!(
                "[scene]\nseconds = {seconds}\ngravity = [0.0, 0.0, 0.0]\n{hit}[[{what}]]\nname = \"it\"\n{shape}\n\
                 mass = 2.0\nposition = [-1.0, 1.05, 0.04]\nvelocity = [{speed}, 0.0, 0.0]\n"
            );
            let run = Run::of(&scene, "particles");
            let farthest = |list: &[DVec3]| list.iter().map(|now| now.distance(list[0])).fold(0.0, f64::max);
            let (lost, turned) = (run.vectors("momentum_kgmps"), run.vectors("angular_momentum_kgm2ps"));
            let case = format!("{what} at {speed} m/s on {}", if hit == ragdoll { "a ragdoll" } else { "cloth" });
            let energies = run.energies();
            assert!(energies[energies.len() - 1] < 0.95 * energies[0], "{case}: misses");
            assert!(farthest(&lost) < 1e-9 * lost[0].length(), "{case}: {} kg m/s", farthest(&lost));
            // Points move within a substep, by its length times the speed.
            let arm = 2.0 * speed / (60.0 * 64.0);
            assert!(farthest(&turned) < arm * lost[0].length(), "{case}: {} kg m²/s", farthest(&turned));
        }
    }
}

#[test]
fn ragdolls_of_particles_that_start_in_each_other_come_apart_without_being_thrown() {
    for (spacing, count) in [(0.0, 2), (0.0, 10), (0.04, 12)] {
        let mut scene = String::from("[scene]\nseconds = 5.0\nground = 0.0\n");
        for index in 0..count {
            let x = spacing * f64::from(index);
            write!(scene, "[[ragdoll]]\nname = \"r{index}\"\nposition = [{x}, 0.5, 0.0]\n").unwrap();
        }
        let run = Run::of(&scene, "particles");
        let (energies, depths) = (run.energies(), run.per_frame("penetration_m"));
        let (case, last) = (format!("{count} at {spacing} m"), depths[depths.len() - 1]);
        // Nothing works on them: what limbs that still touch push is the error.
        let gained = greatest(&energies) / energies[0] - 1.0;
        assert!(depths[1] > 0.1 && gained < 0.1, "{case}: gain {gained}, {} m deep", depths[1]);
        assert!(last < 0.005, "{case}: lie {last} m deep in each other");
    }
}

#[test]
fn a_thin_wall_takes_along_what_it_meets_at_any_speed_and_moment() {
    for method in OF_FREE_BODIES {
        for (speed, radius) in [(4.0, 0.06), (25.0, 0.12), (70.0, 0.08), (160.0, 0.1)] {
            for phase in 0..5 {
                // Phases of a substep of 1/240 s.
                let start = -1.3 - speed * f64::from(phase) / 1200.0;
                let scene = format!(
                    "[scene]\nseconds = 0.6\ngravity = [0.0, 0.0, 0.0]\n\
                     [[ball]]\nname = \"ball\"\nradius = {radius}\nrestitution = 0.0\n\
                     [[obstacle]]\nname = \"wall\"\nkind = \"box\"\nsize = [0.03, 2.0, 2.0]\nposition = [{start}, 0.0, 0.0]\n\
                     velocity = [{speed}, 0.0, 0.0]\n"
                );
                let run = Run::of(&scene, method);
                let places = run.places("ball");
                let wanted = (start + 0.015 + speed * 0.6 + radius).max(0.0);
                let found = places[places.len() - 1][0];
                assert!((found - wanted).abs() < 0.01, "{method}, {speed} m/s, phase {phase}: {found}, not {wanted}");
            }
        }
    }
}

#[test]
fn small_fast_bodies_do_not_pass_what_is_thin() {
    let mut strips = String::new();
    for i in 0..=400 {
        let x = -10.0 + 0.05 * f64::from(i);
        let _ = write!(strips, "v {x} 0 -10\nv {x} 0 10\n");
    }
    for a in (1..800).step_by(2) {
        let _ = write!(strips, "f {a} {} {}\nf {a} {} {}\n", a + 1, a + 3, a + 3, a + 2);
    }
    let sheets = [
        ("narrow", "kind = \"mesh\"\nmesh = \"narrow.obj\"", strips.as_str()),
        (
            "wide",
            "kind = \"mesh\"\nmesh = \"wide.obj\"",
            "v -10 0 -10\nv 10 0 -10\nv 10 0 10\nv -10 0 10\nf 1 3 2\nf 1 4 3\n",
        ),
        ("box", "kind = \"box\"\nsize = [20, 0.01, 20]\nposition = [0, -0.005, 0]", ""),
    ];
    let shapes = [
        "[[box]]\nsize = [0.04, 0.03, 0.05]\n",
        "[[capsule]]\nradius = 0.01\nlength = 0.05\n",
        "[[tetrahedron]]\nsize = 0.04\n",
        "[[box]]\nsize = [0.12, 0.004, 0.02]\n",
    ];
    for (name, sheet, mesh) in sheets {
        let folder = Folder::new();
        folder.file(&format!("{name}.obj"), mesh);
        for speed in [30.0, 100.0] {
            let mut scene = String::from("[scene]\nseconds = 0.08\n");
            for (index, shape) in shapes.iter().cycle().take(32).enumerate() {
                let i = index as f64;
                let lean = DVec3::new(0.6 * i.sin(), -1.0, 0.6 * (2.0 * i + 1.0).sin()).normalize();
                let from = DVec3::new(-4.0 + 0.25 * i, 0.0, (3.0 * i).sin()) - lean * speed * (0.01 + 0.0003 * i);
                let _ = write!(
                    scene,
                    "{shape}name = \"b{index}\"\nmass = 0.1\nposition = {:?}\nvelocity = {:?}\nrotation = {:?}\nrestitution = 0.0\n",
                    from.to_array(),
                    (lean * speed).to_array(),
                    [0.7 * i.sin(), (1.7 * i).sin(), 0.9 * (2.3 * i).sin()]
                );
            }
            let _ = write!(scene, "[[obstacle]]\nname = \"sheet\"\n{sheet}\n");
            for method in OF_FREE_BODIES {
                let run = Run::beside(&folder, &scene, method);
                let passes = |index: &usize| run.points(&format!("b{index}")).pop().is_some_and(|at| at.y < -0.05);
                let passed: Vec<usize> = (0..32).filter(passes).collect();
                assert_eq!(passed, [0; 0], "{method}, {speed} m/s, {name}");
            }
        }
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn the_light_legs_of_a_fox_stay_within_their_limits_when_they_are_thrown_about() {
    let fox = shared("gltf/Fox.glb");
    for (height, turn) in [(0.3, "[0.2, 0.3, 0.4]"), (0.35, "[0.1, -0.4, 0.3]"), (1.0, "[2.1, -1.3, 0.4]")] {
        let scene = format!(
            "[scene]\nseconds = 1.5\nground = 0.0\n[[ragdoll]]\nname = \"fox\"\ncharacter = {fox:?}\n\
             position = [0, {height}, 0]\nrotation = {turn}\n"
        );
        let (run, _) = Run::with(&scene, ["--allow-outside", "--method=multipliers"]);
        let worst = run.0["worst"]["limit_rad"]["value"].as_f64().unwrap().to_degrees();
        assert!(worst < 2.0, "{height}, {turn}: {worst} degrees");
    }
}

#[test]
fn h24_hands_between_a_person_who_falls_and_the_edge_of_a_step_stay_out_of_it() {
    // One pass cannot do what a heavy trunk and an edge ask of a light hand.
    for (speed, spin, mode) in [(1.6, 1.2, "shake"), (1.6, 1.2, "xpbd"), (2.5, 0.5, "shake")] {
        let scene = format!(
            "[scene]\nseconds = 1.1\nground = 0.0\n[[obstacle]]\nname = \"stairs\"\nkind = \"stairs\"\nsteps = 9\n\
             size = [0.29, 0.18, 1.8]\n[[ragdoll]]\nname = \"person\"\nposition = [2.45, 1.66, 0.0]\nrotation = [0, \"-90 deg\", 0]\n\
             velocity = [-{speed}, 0.0, 0.0]\nspin = [0.0, 0.0, {spin}]\n"
        );
        let run = Run::with(&scene, ["--particle-mode", mode]).0;
        let depth = run.0["worst"]["penetration_m"]["value"].as_f64().expect("meters");
        assert!(depth < 0.01, "{mode}, {speed} m/s: {depth}");
    }
}

#[test]
fn people_thrown_onto_each_other_go_in_no_deeper_than_they_fly_in_a_substep() {
    for turn in [0.4, 1.0, 1.6, 2.2] {
        let mut scene = String::from("[scene]\nseconds = 0.6\nground = 0.0\n");
        for i in 0..3 {
            let (at, speed) = (f64::from(i), if i > 0 { 30.0 } else { 0.0 });
            let (place, turns) = ([0.1 * at, 1.3 + 2.2 * at, -0.05 * at], [turn * (at + 1.0), 0.7 * at, turn]);
            write!(
                scene,
                "[[ragdoll]]\nname = \"r{i}\"\ncharacter = \"mannequin\"\nposition = {place:?}\nrotation = {turns:?}\n\
                 velocity = [0.0, -{speed}, 0.0]\n"
            )
            .unwrap();
        }
        let run = Run::of(&scene, "particles");
        let depth = run.0["worst"]["penetration_m"]["value"].as_f64().expect("meters");
        // At most 12 mm in a substep.
        assert!(depth < 0.012, "{turn}: {depth}");
    }
}
