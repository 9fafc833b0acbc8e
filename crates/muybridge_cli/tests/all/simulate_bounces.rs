//! Bounces of scenes without loss, under every method: nothing gains energy, whatever it bounces on.

use std::fmt::Write as _;

use muybridge::glam::DVec3;

use crate::simulate_contact::{Run, every};
use crate::simulate_hits::velocity_at_end;
use crate::simulate_robust::greatest;

const SOLVERS: [&str; 5] = ["particles", "shake", "multipliers", "displacement", "hennix"];

/// Greatest energy over that of the start, as a share of the greatest kinetic energy.
fn gain(run: &Run) -> f64 {
    gain_from(run, 0)
}

/// The same over the greatest of the first frames: they tell of a fall before the start, which what lies has not had.
fn gain_from(run: &Run, first: usize) -> f64 {
    let energies = run.energies();
    let (start, rest) = energies.split_at(first + 1);
    (greatest(rest) - greatest(start)).max(0.0) / greatest(&run.per_frame("kinetic_energy_j"))
}

#[test]
fn h18_what_tumbles_onto_rough_ground_gains_no_energy() {
    // With friction, restitution by velocities gave a rod a tenth in a hit.
    let things = [
        "[[capsule]]\nradius = 0.1\nlength = 0.5\n",
        "[[box]]\nsize = [0.6, 0.05, 0.05]\n",
        "[[box]]\nsize = [0.4, 0.02, 0.4]\n",
    ];
    for gravity in [0.0, -9.81] {
        let mut scene = format!("[scene]\nseconds = 1.0\ngravity = [0, {gravity}, 0]\nair_density = 0.0\n");
        for index in 0..12 {
            let (thing, i) = (things[index % 3], index as f64);
            let _ = write!(
                scene,
                "{thing}name = \"b{index}\"\nmass = 1.0\nposition = [{}, 1.0, 0]\nvelocity = [{}, {}, 1.0]\n\
                 rotation = [{}, {}, {}]\nspin = [{}, 3.0, {}]\nfriction = 0.5\nrestitution = 1.0\n",
                6.0 * i,
                2.0 - 0.4 * i,
                -2.0 - 0.5 * i,
                0.3 * i,
                0.2 + 0.1 * i,
                1.0 - 0.2 * i,
                4.0 - i,
                2.0 - 0.6 * i,
            );
        }
        scene += "[[obstacle]]\nname = \"floor\"\nkind = \"box\"\nsize = [400.0, 1.0, 400.0]\nposition = [0, -0.5, 0]\n\
                  friction = 0.5\nrestitution = 1.0\n";
        for method in SOLVERS {
            let gain = gain(&Run::of(&scene, method));
            assert!(gain < 1e-5, "{method}, {gravity}: {gain}");
        }
    }
}

#[test]
fn h18_a_rod_that_lands_on_one_end_bounces_on_the_other_as_well() {
    let scene = "[scene]\nseconds = 0.4\ngravity = [0, 0, 0]\nair_density = 0.0\n[[box]]\nname = \"rod\"\nsize = [0.6, 0.05, 0.05]\n\
                 position = [0, 0.6, 0]\nvelocity = [1.02, -4.3, 1.57]\nrotation = [0.884, 0.636, -0.427]\nspin = [4.56, -3.01, -3.42]\n\
                 friction = 0.0\nrestitution = 1.0\n[[obstacle]]\nname = \"floor\"\nkind = \"box\"\nsize = [40, 1, 40]\n\
                 position = [0, -0.5, 0]\nfriction = 0.0\nrestitution = 1.0\n";
    for method in SOLVERS {
        let energies = Run::of(scene, method).energies();
        // Both ends meet in one substep; it kept half of its energy.
        let kept = energies[energies.len() - 1] / energies[0];
        assert!((kept - 1.0).abs() < 1e-2, "{method}: {kept}");
    }
}

#[test]
fn a_capsule_that_lands_flat_bounces_straight() {
    let floors = [
        "kind = \"hull\"\npoints = [[-12, -1, -12], [12, -1, -12], [-12, 0, -12], [12, 0, -12], [-12, -1, 12], [12, -1, 12], [-12, 0, 12], [12, 0, 12]]",
        "kind = \"box\"\nsize = [24, 1, 24]\nposition = [0, -0.5, 0]",
        "kind = \"half_space\"",
    ];
    for floor in floors {
        for turn in [0.3, 1.1, 2.5, 4.0] {
            // About y after a quarter about z.
            let rotation = muybridge::glam::DQuat::from_rotation_y(turn)
                * muybridge::glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
            let scene = format!(
                "[scene]\nseconds = 0.4\ngravity = [0, 0, 0]\nair_density = 0.0\n[[capsule]]\nname = \"c\"\nradius = 0.1\nlength = 0.5\n\
                 position = [0.37, 0.6, -0.21]\nvelocity = [0.5, -4.0, 1.0]\nrotation = {:?}\nfriction = 0.0\nrestitution = 1.0\n\
                 [[obstacle]]\nname = \"floor\"\n{floor}\nfriction = 0.0\nrestitution = 1.0\n",
                rotation.to_scaled_axis().to_array()
            );
            for method in SOLVERS {
                let run = Run::of(&scene, method);
                let (turns, energies) = (run.turns("c"), run.energies());
                let turned = turns[0].angle_between(turns[turns.len() - 1]);
                assert!(turned < 1e-3, "{method}, {turn} on {floor}: turned by {turned}");
                assert!((energies[energies.len() - 1] / energies[0] - 1.0).abs() < 1e-6, "{method}: {energies:?}");
            }
        }
    }
}

#[test]
fn a_ball_bounces_no_higher_on_what_stands_or_hangs_than_on_the_ground() {
    let slab = "[[box]]\nname = \"slab\"\nsize = [2, 1, 2]\nposition = [0, 0.5, 0]\nmass = 10000\nfriction = 0.5\n";
    let ground = "[[obstacle]]\nname = \"ground\"\nkind = \"half_space\"\n";
    let beds = [
        format!("{slab}{ground}"),
        format!("{slab}[[joint]]\nname = \"j\"\nkind = \"fixed\"\nof = \"slab\"\nat = [0, 0.5, 0]\n"),
        format!("{slab}[[joint]]\nname = \"j\"\nkind = \"hinge\"\nof = \"slab\"\nat = [0, 0.5, 0]\naxis = [0, 0, 1]\n"),
        "[[obstacle]]\nname = \"slab\"\nkind = \"box\"\nsize = [2, 1, 2]\nposition = [0, 0.5, 0]\n".to_owned(),
    ];
    for bed in beds {
        for method in SOLVERS {
            let scene = format!(
                "[scene]\nseconds = 4.0\nair_density = 0.0\n[[ball]]\nname = \"ball\"\nradius = 0.1\nmass = 1.0\nposition = [0, 2.1, 0]\n\
                 restitution = 1.0\n{bed}"
            );
            let points = Run::of(&scene, method).points("ball");
            let highest = points[40..].iter().map(|at: &DVec3| at.y - 1.1).fold(0.0, f64::max);
            // It gained 2 % a bounce on what lies, 4 % on what a joint holds. Of particles, it loses some.
            let least = if method == "shake" { 0.95 } else { 0.998 };
            assert!((least..1.001).contains(&highest), "{method}: {highest} m on {bed}");
        }
    }
}

#[test]
fn a_plate_that_tumbles_in_the_air_keeps_its_energy() {
    let scene = "[scene]\nseconds = 2.0\ngravity = [0, 0, 0]\nair_density = 0.0\n[[box]]\nname = \"plate\"\nsize = [0.3, 0.3, 0.02]\n\
                 position = [0, 1, 0]\nspin = [60, 50, 30]\n";
    for method in SOLVERS {
        let energies = Run::of(scene, method).energies();
        // Of particles, it gained 0.8 % a second.
        let off = energies.iter().map(|energy| (energy / energies[0] - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{method}: {off}");
    }
}

#[test]
fn a_box_lies_on_a_body_that_is_fixed_to_the_world() {
    let scene = "[scene]\nseconds = 1.0\n[[box]]\nname = \"b\"\nsize = [0.4, 0.2, 0.3]\nposition = [0, 0.1, 0]\n\
                 [[box]]\nname = \"slab\"\nsize = [24, 1, 24]\nposition = [0, -0.5, 0]\nmass = 1e9\n\
                 [[joint]]\nname = \"j\"\nkind = \"fixed\"\nof = \"slab\"\nat = [0, -0.5, 0]\n";
    for method in SOLVERS {
        let places = Run::of(scene, method).points("b");
        let moved = places[places.len() - 1].distance(DVec3::Y * 0.1);
        assert!(moved < 1e-3, "{method}: {moved}");
    }
}

#[test]
fn h18_a_body_with_a_joint_keeps_its_energy_when_it_bounces_on_the_ground() {
    // A pendulum that meets the ground twelve times at up to 3 m/s, and two balls that are one body: both gained a tenth in two seconds.
    let ball = |name: &str, mass: f64, [x, y]: [f64; 2]| {
        format!(
            "[[ball]]\nname = \"{name}\"\nradius = 0.1\nmass = {mass}\nposition = [{x}, {y}, 0]\nfriction = 0\nrestitution = 1\n"
        )
    };
    let head = "[scene]\nseconds = 2.0\nground = 0.0\nair_density = 0.0\n";
    let swings = ball("bob", 3.0, [0.0, 0.9])
        + "[[joint]]\nname = \"j\"\nkind = \"hinge\"\naxis = [0, 0, 1]\nof = \"bob\"\nat = [1, 0.5, 0]\n";
    let flies = ball("a", 3.0, [0.0, 1.0])
        + &ball("b", 1.0, [0.5, 1.2])
        + "[[joint]]\nname = \"j\"\nkind = \"fixed\"\nof = \"b\"\nto = \"a\"\nat = [0.25, 1.1, 0]\n";
    for things in [swings, flies] {
        for method in ["particles", "multipliers", "displacement", "hennix"] {
            let run = Run::of(&format!("{head}{things}"), method);
            let energies = run.energies();
            let (most, last) = (greatest(&energies) / energies[0], energies[energies.len() - 1] / energies[0]);
            assert!(greatest(&run.per_frame("kinetic_energy_j")) > 0.5 * energies[0], "{method}: it falls");
            assert!(most < 1.005 && last > 0.99, "{method}: {most}, {last}\n{things}");
        }
    }
}

#[test]
fn h18_a_tetrahedron_that_few_passes_do_not_keep_rigid_gains_no_energy() {
    // Its four sticks left it half as long again, and twice its energy, after one hit in a step of jakobsen.
    let scene = "[scene]\nseconds = 4\nrate = 24\nground = 0.0\n[[tetrahedron]]\nname = \"b\"\nsize = 0.394\nmass = 13.911\n\
                 position = [0, 2, 0]\nrotation = [-1.041, -0.648, 0.833]\nvelocity = [-1.317, -1.42, -1.628]\n\
                 spin = [4.294, 4.494, 3.571]\nfriction = 0.201\nrestitution = 1\n";
    for mode in ["shake", "xpbd", "rosen", "jakobsen"] {
        let gained = gain_from(&Run::in_mode(scene, mode), 0);
        assert!(gained < 1e-5, "{mode}: {gained}");
    }
}

#[test]
fn h18_what_hangs_and_meets_or_passes_the_ground_gains_no_energy_at_any_rate() {
    // Near the ground a pendulum got its weight before the drift, and gained a hundredth each time that it passed; where it bounced,
    // a thousandth, as it turns. The last one clears the ground by 6 mm.
    let swings = [
        ("ball", "radius = 0.1", "hinge", [0.8, 0.75], 0.95),
        ("box", "size = [0.24, 0.1, 0.2]", "ball", [0.4, 0.2], 0.9),
        ("capsule", "radius = 0.06\nlength = 0.2", "hinge", [0.9, 0.8], 1.1),
        ("ball", "radius = 0.0858", "hinge", [0.5273, 0.4023], 0.6949),
    ];
    for (shape, size, kind, [x, y], pivot) in swings {
        let axis = if kind == "hinge" { "axis = [0, 0, 1]\n" } else { "" };
        for rate in [24, 30, 60] {
            let scene = format!(
                "[scene]\nseconds = 4.0\nrate = {rate}\nair_density = 0.0\n{GROUND}{ELASTIC}[[{shape}]]\nname = \"b\"\n{size}\n\
                 position = [{x}, {y}, 0]\n{ELASTIC}[[joint]]\nname = \"j\"\nkind = \"{kind}\"\nof = \"b\"\nat = [0, {pivot}, 0]\n{axis}"
            );
            for method in ["particles", "multipliers", "displacement", "hennix"] {
                let run = Run::of(&scene, method);
                let (energies, moving) = (run.energies(), greatest(&run.per_frame("kinetic_energy_j")));
                let gained = (greatest(&energies) - energies[0]) / moving;
                assert!(gained < 1e-3, "{method}: {gained} of\n{scene}");
            }
        }
    }
}

#[test]
fn h18_corners_that_meet_walls_one_after_the_other_in_a_substep_lose_nothing() {
    // What one corner asked for after another was hit stopped it, and corners near each other were left half solved: 3 to 12 % for
    // a tetrahedron, 5 to 14 % for a skittle.
    let tetrahedron = "[[tetrahedron]]\nsize = 0.4\nmass = 2.0\n";
    let skittle = "[[body]]\nmesh = \"skittle\"\nmass = 3.0\n";
    let throws = [
        (tetrahedron, [-2.65, 0.04, -2.78], [-1.33, -8.6, -8.19]),
        (tetrahedron, [-2.13, -2.29, -1.15], [6.32, -6.39, 1.63]),
        (tetrahedron, [0.83, -0.77, 0.29], [-8.74, -8.81, -5.88]),
        (skittle, [-1.57, 0.27, -0.78], [1.66, 2.01, -6.95]),
        (skittle, [-2.92, 2.02, -1.44], [-4.25, 7.93, -0.48]),
        (skittle, [1.28, 2.53, -0.63], [4.81, -0.89, 6.97]),
    ];
    for (shape, velocity, spin) in throws {
        let scene = format!(
            "[scene]\nseconds = 6.0\ngravity = [0, 0, 0]\nair_density = 0.0\n[solver]\nframes_before_sleep = 0\n{shape}\
             name = \"t\"\nposition = [0, 0, 0]\nvelocity = {velocity:?}\nspin = {spin:?}\nrestitution = 1\nfriction = 0\n\
             [[obstacle]]\nname = \"room\"\nkind = \"room\"\nsize = [2, 2, 2]\nrestitution = 1\nfriction = 0\n"
        );
        for method in ["multipliers", "displacement"] {
            let energies = Run::of(&scene, method).energies();
            let left = energies[energies.len() - 1] / energies[0];
            // Approaches slower than 0.3 m/s do not bounce.
            assert!((0.995..1.0001).contains(&left), "{method}: {left} of {shape} {velocity:?}");
        }
    }
}

const ELASTIC: &str = "friction = 0.0\nrestitution = 1.0\n";

fn elastic(gravity: f64, seconds: f64, things: &str) -> String {
    format!(
        "[scene]\nseconds = {seconds}\ngravity = [0, {gravity}, 0]\nair_density = 0.0\n[solver]\nframes_before_sleep = 0\n{things}"
    )
}

#[test]
fn h18_what_falls_keeps_its_energy_to_a_millionth_a_bounce_in_every_mode() {
    let ground = format!("[[obstacle]]\nname = \"o\"\nkind = \"half_space\"\n{ELASTIC}");
    let slab =
        format!("[[obstacle]]\nname = \"o\"\nkind = \"box\"\nsize = [9, 1, 9]\nposition = [0, -0.5, 0]\n{ELASTIC}");
    let dome = format!("[[obstacle]]\nname = \"o\"\nkind = \"sphere\"\nposition = [0, -0.5, 0]\n{ELASTIC}");
    let ceiling = format!(
        "{ground}[[obstacle]]\nname = \"c\"\nkind = \"half_space\"\nnormal = [0, -1, 0]\nposition = [0, 1, 0]\n{ELASTIC}"
    );
    let pin = format!(
        "[[points]]\nname = \"o\"\npositions = [[0, 0, 0]]\nvelocities = [[0, 0, 0]]\nradius = 0.02\nfixed = [0]\n{ELASTIC}"
    );
    let ball = |speed: f64| {
        format!("[[ball]]\nname = \"b\"\nradius = 0.1\nposition = [0, 0.6, 0]\nvelocity = [0, {speed}, 0]\n{ELASTIC}")
    };
    let brick = format!("[[box]]\nname = \"b\"\nsize = [0.3, 0.2, 0.4]\nposition = [0, 0.6, 0]\n{ELASTIC}");
    let point = format!(
        "[[points]]\nname = \"b\"\npositions = [[0, 0.6, 0]]\nvelocities = [[0, 0, 0]]\nradius = 0.02\n{ELASTIC}"
    );
    let cases = [
        (&ground, ball(0.0)),
        (&slab, ball(0.0)),
        (&dome, ball(0.0)),
        (&ceiling, ball(4.0)),
        (&ground, brick.clone()),
        (&slab, brick),
        (&ground, point.clone()),
        (&pin, point),
    ];
    for (bed, thing) in cases {
        // Five bounces or more.
        let scene = elastic(-9.81, 3.0, &format!("{bed}{thing}"));
        for option in every() {
            let run = Run::with(&scene, option).0;
            let energies = run.energies();
            // A ball in mode jakobsen lost 6 % a bounce, in shake 0.2 %.
            let lost =
                (energies[energies.len() - 1] - energies[0]).abs() / greatest(&run.per_frame("kinetic_energy_j"));
            // Under rigid methods a ball lost 2 % a bounce from a ceiling, and 6e-5 in a substep that left it a gap.
            assert!(lost < 1e-6, "{option:?}: {lost} of {thing} on {bed}");
        }
    }
}

#[test]
fn h18_what_turns_as_it_bounces_keeps_its_energy_to_a_millionth_in_shake() {
    let beds = [
        "kind = \"half_space\"\n",
        "kind = \"box\"\nsize = [9, 1, 9]\nposition = [0, -0.5, 0]\n",
        "kind = \"sphere\"\nradius = 1.0\nposition = [0, -1, 0]\n",
    ];
    let things = [
        "[[capsule]]\nradius = 0.05\nlength = 0.5\nrotation = [0, 0, 0.5]\n",
        "[[box]]\nsize = [0.3, 0.2, 0.4]\nrotation = [0.5, 0.3, 0.4]\n",
        "[[box]]\nsize = [0.3, 0.2, 0.4]\nrotation = [0.5, 0.3, 0.4]\nspin = [1, 2, -1]\n",
    ];
    for bed in beds {
        for thing in things {
            for x in [0.0, 0.03, 0.1] {
                let scene = format!(
                    "{thing}name = \"b\"\nposition = [{x}, 0.55, 0]\nvelocity = [0.7, -3.1, 0.4]\n{ELASTIC}\
                     [[obstacle]]\nname = \"o\"\n{bed}{ELASTIC}"
                );
                let energies = Run::of(&elastic(0.0, 0.5, &scene), "shake").energies();
                // Taken for its way straight through the substep, the turn lost 1e-4.
                let lost = energies[energies.len() - 1] / energies[0] - 1.0;
                assert!(lost.abs() < 1e-6, "{lost} of {scene}");
            }
        }
    }
}

const GROUND: &str = "[[obstacle]]\nname = \"ground\"\nkind = \"half_space\"\n";

/// A slab of a mass whose top is 0.2 m above its own place, with what follows.
fn slab(name: &str, [x, y]: [f64; 2], mass: f64, more: &str) -> String {
    format!("[[box]]\nname = \"{name}\"\nsize = [1, 0.2, 1]\nposition = [{x}, {y}, 0]\nmass = {mass}\n{more}")
}

fn ball(name: &str, [x, y]: [f64; 2], speed: f64) -> String {
    format!(
        "[[ball]]\nname = \"{name}\"\nradius = 0.1\nposition = [{x}, {y}, 0]\nvelocity = [0, {speed}, 0]\n{ELASTIC}"
    )
}

fn joint(kind: &str, of: &str, [x, y]: [f64; 2]) -> String {
    let axis = if kind == "hinge" { "axis = [0, 0, 1]\n" } else { "" };
    format!("[[joint]]\nname = \"{of} {kind}\"\nkind = \"{kind}\"\nof = \"{of}\"\nat = [{x}, {y}, 0]\n{axis}")
}

#[test]
fn h18_a_ball_bounces_from_a_slab_on_the_ground_as_from_the_ground() {
    // The slab took a part of the speed, which the ground then took from the slab: 44 % in 3 s of 20 kg in shake. As if the slab fell,
    // too, a ball in jakobsen gained 6 % on one of a ton.
    let point = format!(
        "[[points]]\nname = \"b\"\npositions = [[0, 0.9, 0]]\nvelocities = [[0, 0, 0]]\nradius = 0.02\n{ELASTIC}"
    );
    let elastic_ground = format!("{GROUND}{ELASTIC}");
    for (mass, ground) in [(2.0, GROUND), (20.0, GROUND), (20.0, &elastic_ground), (1000.0, GROUND)] {
        for thing in [ball("b", [0.0, 0.9], 0.0), point.clone()] {
            let scene = elastic(-9.81, 3.0, &format!("{ground}{}{thing}", slab("s", [0.0, 0.1], mass, "")));
            for (mode, most) in [("shake", 3e-6), ("xpbd", 2e-3), ("rosen", 2e-3), ("jakobsen", 1e-1)] {
                let run = Run::in_mode(&scene, mode);
                let (energies, moving) = (run.energies(), greatest(&run.per_frame("kinetic_energy_j")));
                // In a step with a hit, the mean speed of two is less.
                let lost = (energies[3] - greatest(&energies[energies.len() - 10..])) / moving;
                let gained = gain_from(&run, 3);
                assert!(gained < 1e-5, "{mode}: gains {gained} of {scene}");
                assert!(lost < most, "{mode}: {lost} of {scene}");
            }
        }
    }
}

#[test]
fn h18_what_bounces_on_what_lies_hangs_or_bounces_gains_no_energy() {
    let own_axis = slab("s", [0.0, 0.1], 20.0, "") + &joint("hinge", "s", [0.0, 0.1]);
    let lies = format!("{GROUND}{}", slab("s", [0.0, 0.1], 20.0, ""));
    let upper = slab("t", [0.0, 1.2], 20.0, "") + &joint("fixed", "t", [0.0, 1.2]);
    let scenes = [
        lies.clone() + &slab("t", [0.0, 0.3], 20.0, "") + &ball("b", [0.1, 1.1], 0.0),
        lies.clone() + &upper + &ball("b", [0.1, 0.6], -5.0),
        lies.clone() + &ball("b", [0.2, 0.9], 0.0) + &ball("c", [-0.4, 0.8], 0.0),
        format!("{GROUND}{}", slab("s", [0.0, 0.1], 20.0, ELASTIC)) + &slab("t", [0.1, 0.9], 2.0, ELASTIC),
        own_axis.clone() + &ball("b", [0.0, 0.9], 0.0),
        own_axis + &ball("b", [0.3, 0.9], 0.0),
        slab("s", [0.0, 0.1], 20.0, "") + &joint("fixed", "s", [0.0, 0.1]) + &ball("b", [0.1, 0.9], 0.0),
        slab("s", [0.0, 0.5], 5.0, "")
            + &joint("hinge", "s", [0.0, 0.5])
            + &ball("b", [0.4, 1.2], 0.0)
            + &ball("c", [-0.3, 1.0], 0.0),
        slab("s", [0.0, 0.1], 20.0, "") + &joint("hinge", "s", [0.0, 0.55]) + &ball("b", [0.1, 0.9], 0.0),
    ];
    for things in scenes {
        let scene = elastic(-9.81, 3.0, &things);
        for option in every() {
            let gained = gain_from(&Run::with(&scene, option).0, 3);
            // Where a swinging body is hit under rigid methods, half a kick of gravity comes too early or too late.
            let most = if option[0] == "--method" { 5e-4 } else { 3e-6 };
            assert!(gained < most, "{option:?}: {gained} of {scene}");
        }
    }
}

#[test]
fn what_lies_without_friction_does_not_begin_to_turn() {
    // Pushed at its corners one after the other, a box in jakobsen turned by 0.1 rad/s² about the vertical.
    let scene = elastic(-9.81, 3.0, &format!("{GROUND}{ELASTIC}{}", slab("s", [0.0, 0.1], 20.0, ELASTIC)));
    for option in every() {
        let run = Run::with(&scene, option).0;
        let (turns, energies) = (run.turns("s"), run.energies());
        let turned = turns[0].angle_between(turns[turns.len() - 1]);
        assert!(turned < 1e-6, "{option:?}: {turned}");
        assert!(energies[3..].iter().all(|energy| (energy - energies[3]).abs() < 1e-6), "{option:?}: {energies:?}");
    }
}

#[test]
fn j6_what_falls_rises_to_the_square_of_its_restitution() {
    // What met the ground within a substep bounced where it was when it began, up to 3 cm above.
    let shapes = [
        ("ball", "radius = 0.11", 0.11),
        ("box", "size = [0.3, 0.2, 0.25]", 0.1),
        ("capsule", "radius = 0.07\nlength = 0.3", 0.22),
    ];
    for (shape, size, low) in shapes {
        for (restitution, height, rate) in
            [(0.13, 3.68, 60), (0.44, 3.45, 30), (0.58, 0.43, 60), (0.8, 0.655, 24), (0.95, 1.3, 120)]
        {
            let scene = format!(
                "[scene]\nseconds = {}\nrate = {rate}\nground = 0.0\nair_density = 0.0\n[[{shape}]]\nname = \"b\"\n{size}\nmass = 2.0\n\
                 position = [0, {}, 0]\nrestitution = {restitution}\n",
                (1.0 + 1.2 * restitution) * f64::sqrt(2.0 * height / 9.81),
                height + low
            );
            for method in ["particles", "multipliers", "displacement", "hennix"] {
                let energies = Run::of(&scene, method).energies();
                let rises = energies[energies.len() - 1] / (2.0 * 9.81) - low;
                let wanted = restitution * restitution * height;
                assert!((rises - wanted).abs() < 1e-6 * height, "{method}: {rises} for {wanted} of\n{scene}");
            }
        }
    }
}

#[test]
fn h18_what_meets_off_center_and_spins_keeps_its_angular_momentum() {
    // The impulse acted between points as far apart as the two flew in the substep: up to a seventh of the angular momentum.
    let shapes =
        ["[[box]]\nsize = [0.5, 0.2, 0.3]\n", "[[capsule]]\nradius = 0.1\nlength = 0.4\n", "[[ball]]\nradius = 0.2\n"];
    for (index, speed) in [3.0, 5.0, 12.0, 30.0, 75.0].into_iter().enumerate() {
        for restitution in [0.3, 1.0] {
            let mut scene = String::from("[scene]\nseconds = 1.0\ngravity = [0, 0, 0]\nair_density = 0.0\n");
            let flies = [[-1.0, 0.1, speed], [0.0, 0.0, 0.0]];
            for (side, [x, y, v]) in flies.into_iter().enumerate() {
                let _ = write!(
                    scene,
                    "{}name = \"b{side}\"\nmass = {}\nposition = [{x}, {y}, 0.05]\nvelocity = [{v}, 0, 0]\nfriction = 0.4\n\
                     rotation = [0.3, {index}, 0.9]\nspin = [7, -5, {index}]\nrestitution = {restitution}\n",
                    shapes[(index + side) % 3],
                    1.0 + index as f64 * 0.5,
                );
            }
            for method in ["particles", "multipliers", "displacement", "hennix"] {
                let run = Run::of(&scene, method);
                let spins = run.vectors("angular_momentum_kgm2ps");
                let off = spins[spins.len() - 1].distance(spins[0]) / spins[0].length();
                assert!(off < 1e-3, "{method}: {off} of\n{scene}");
                let places = run.points("b1");
                assert!(places[places.len() - 1].distance(places[0]) > 0.1, "{method}: they meet\n{scene}");
            }
        }
    }
}

#[test]
fn h18_balls_that_meet_off_center_part_along_the_line_between_their_centers() {
    // The normal was that of the start of the substep: up to a tenth of the speed.
    let (radii, masses) = ([0.12, 0.07], [2.0, 0.5]);
    for (speed, share, restitution) in
        [(2.8, 0.8, 0.5), (4.6, 0.3, 1.0), (10.3, 0.7, 1.0), (26.4, 0.5, 0.0), (34.6, 0.9, 0.5)]
    {
        let reach: f64 = radii.iter().sum();
        let mut scene = format!("[scene]\nseconds = {}\ngravity = [0, 0, 0]\nair_density = 0.0\n", 1.5 / speed + 0.1);
        let flies = [[-1.0, 0.0, speed], [0.0, share * reach, 0.0]];
        for (side, [x, y, v]) in flies.into_iter().enumerate() {
            let _ = write!(
                scene,
                "[[ball]]\nname = \"b{side}\"\nradius = {}\nmass = {}\nposition = [{x}, {y}, 0]\nvelocity = [{v}, 0, 0]\n\
                 restitution = {restitution}\nfriction = 0\n",
                radii[side], masses[side],
            );
        }
        let normal = DVec3::new(f64::sqrt(1.0 - share * share), share, 0.0);
        let impulse = (1.0 + restitution) * speed * normal.x / (1.0 / masses[0] + 1.0 / masses[1]);
        let wanted = [DVec3::X * speed - normal * (impulse / masses[0]), normal * (impulse / masses[1])];
        for method in ["particles", "multipliers", "displacement", "hennix"] {
            let run = Run::of(&scene, method);
            for (side, wanted) in wanted.into_iter().enumerate() {
                let velocity = DVec3::from_array(velocity_at_end(&run, &format!("b{side}")));
                let off = velocity.distance(wanted) / speed;
                assert!(off < 1e-3, "{method}: {velocity} for {wanted} of\n{scene}");
            }
        }
    }
}
