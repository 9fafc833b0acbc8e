//! Runs that once exploded under rigid methods: tension of light links, contacts that repeat each other, boxes by points
//! and edges, and a clip lost on one's own feet. Energy has no source in them, so it never rises. And what once depended on
//! the order in a file.

use std::fmt::Write as _;

use muybridge::glam::{DQuat, DVec3};

use crate::simulate_contact::{METHODS, Run};

const RIGID: [&str; 3] = ["multipliers", "displacement", "hennix"];

pub fn greatest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

/// Greatest rise of the energy in a frame, joules.
fn rise(run: &Run) -> f64 {
    run.energies().windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}

#[test]
fn a_held_body_stays_where_it_is_under_hennix() {
    let scene = "[scene]\nseconds = 2.0\n[solver]\nframes_before_sleep = 0\n[[box]]\nname = \"b\"\nsize = [0.2, 0.3, 0.4]\n\
                 position = [0.3, 1.0, 0.0]\n[[joint]]\nname = \"j\"\nkind = \"fixed\"\nof = \"b\"\nat = [0.0, 1.0, 0.0]\n";
    let places = Run::of(scene, "hennix").points("b");
    // Velocities of the start are those of its poses, half a substep too late: g h²/6, which fades.
    let moved =
        |from: usize| places[from..].iter().map(|at| at.distance(DVec3::new(0.3, 1.0, 0.0))).fold(0.0, f64::max);
    assert!(moved(0) < 1e-4 && moved(60) < 1e-9, "{} m, then {} m", moved(0), moved(60));
}

#[test]
fn hennix_holds_light_links_under_tension() {
    // Links of 15 g between a hook and 3 kg: tension swings a link at some 900 rad/s, 4 radians in a usual substep.
    let rope = "[scene]\nseconds = 3.0\n[solver]\nmethod = \"hennix\"\n[[rope]]\nname = \"r\"\nfrom = [0, 2, 0]\nto = [1.5, 2, 0]\n\
                segments = 30\nmass = 0.45\nradius = 0.01\nfixed = [\"start\"]\nto_attached_to = \"w\"\n\
                [[ball]]\nname = \"w\"\nradius = 0.08\nmass = 3.0\nposition = [1.58, 2, 0]\n";
    let run = Run::of(rope, "hennix");
    let (gap, energies) = (greatest(&run.per_frame("gap_m")), run.energies());
    assert!(gap < 0.005, "{gap} m");
    assert!(greatest(&energies) < energies[0] + 0.01 * greatest(&run.per_frame("kinetic_energy_j")), "{energies:?}");
}

#[test]
fn a_heavy_ball_that_strikes_a_rope_gives_it_no_energy_as_it_whirls() {
    // Nothing else acts: what the hit leaves of the energy stays or is lost. 3.6 kJ became 5e12 J, and the rope whirled ever faster.
    for (along, speed) in [([0.5, 0.05], 30.0), ([0.0, 0.1], 60.0), ([-0.4, 0.25], 100.0)] {
        let [x, z] = along;
        let scene = format!(
            "[scene]\nseconds = 0.6\ngravity = [0, 0, 0]\n[[ball]]\nname = \"b\"\nradius = 0.1\nmass = 8.0\nrestitution = 1.0\n\
             position = [{x}, 0, {z}]\nvelocity = [0, {speed}, 0]\n[[rope]]\nname = \"r\"\nsegments = 9\nmass = 0.5\n\
             from = [0.8, 1.5, 0]\nto = [-0.5, 1.5, 0.3]\n"
        );
        for method in ["multipliers", "displacement", "hennix"] {
            let run = Run::of(&scene, method);
            let (gap, energies) = (greatest(&run.per_frame("gap_m")), run.energies());
            let (mut least, mut gained) = (energies[0], 0.0_f64);
            for energy in &energies {
                (least, gained) = (least.min(*energy), gained.max(energy - least));
            }
            assert!(gap < 0.01, "{method}, {speed} m/s: {gap} m");
            assert!(gained < 1e-3 * energies[0], "{method}, {speed} m/s: {gained} J of {}", energies[0]);
        }
    }
}

#[test]
fn hennix_keeps_what_whirls_about_the_line_between_two_balls() {
    // Nothing acts from outside: ½ (m v² + ⅖ m r² ω²) of each, and the sum of m x × v and ⅖ m r² ω, stay. 139 J became 2100 J.
    let (mass, radius, arm, speed, spin) = (1.5, 0.08, 0.6, 0.2, 190.0);
    let inertia = 0.4 * mass * radius * radius;
    let energy: f64 = mass * speed * speed + inertia * spin * spin;
    for (kind, rate) in [("ball", 30), ("hinge", 30), ("fixed", 60)] {
        let mut scene = format!("[scene]\nseconds = 1.0\nrate = {rate}\ngravity = [0, 0, 0]\n");
        for (name, side) in [("one", -1.0), ("other", 1.0)] {
            let _ = writeln!(
                scene,
                "[[ball]]\nname = \"{name}\"\nradius = {radius}\nmass = {mass}\nposition = [{}, 0, 0]\nspin = [{spin:?}, 0, 0]\n\
                 velocity = [0, {}, 0]",
                arm * side,
                -speed * side
            );
        }
        let axis = if kind == "hinge" { "axis = [0, 1, 0]\n" } else { "" };
        let _ = writeln!(
            scene,
            "[[joint]]\nname = \"j\"\nkind = \"{kind}\"\nof = \"one\"\nto = \"other\"\nat = [0, 0, 0]\n{axis}"
        );
        let run = Run::of(&scene, "hennix");
        let gap = greatest(&run.per_frame("gap_m"));
        assert!(gap < 1e-3, "{kind}: {gap} m");
        for now in run.energies() {
            assert!((now - energy).abs() < 1e-4 * energy, "{kind}: {now} J, not {energy} J");
        }
        let wanted = DVec3::new(2.0 * inertia * spin, 0.0, -2.0 * mass * arm * speed);
        for now in run.vectors("angular_momentum_kgm2ps") {
            assert!(now.distance(wanted) < 1e-6 * wanted.length(), "{kind}: {now}, not {wanted} kg m²/s");
        }
    }
}

/// Name, size, place, mass, the part it hangs on and the place of that joint.
type Part = (&'static str, [f64; 3], [f64; 3], f64, &'static str, [f64; 3]);

/// Fifteen boxes with ball joints, their sizes and masses those of a person, turned as a whole; limbs by name have limits.
fn doll(turn: DVec3, limited: &[&str]) -> String {
    let parts: [Part; 9] = [
        ("pelvis", [0.34, 0.2, 0.2], [0.0, 0.0, 0.0], 10.0, "", [0.0; 3]),
        ("torso", [0.36, 0.5, 0.22], [0.0, 0.37, 0.0], 28.0, "pelvis", [0.0, 0.11, 0.0]),
        ("head", [0.18, 0.24, 0.2], [0.0, 0.77, 0.0], 5.0, "torso", [0.0, 0.64, 0.0]),
        ("upper_arm", [0.3, 0.09, 0.09], [0.36, 0.55, 0.0], 2.0, "torso", [0.2, 0.55, 0.0]),
        ("forearm", [0.28, 0.08, 0.08], [0.67, 0.55, 0.0], 1.2, "upper_arm", [0.52, 0.55, 0.0]),
        ("hand", [0.1, 0.06, 0.1], [0.88, 0.55, 0.0], 0.5, "forearm", [0.82, 0.55, 0.0]),
        ("thigh", [0.14, 0.4, 0.14], [0.1, -0.31, 0.0], 7.0, "pelvis", [0.1, -0.1, 0.0]),
        ("shin", [0.11, 0.38, 0.11], [0.1, -0.72, 0.0], 3.5, "thigh", [0.1, -0.52, 0.0]),
        ("foot", [0.1, 0.06, 0.24], [0.1, -0.96, 0.06], 1.0, "shin", [0.1, -0.92, 0.0]),
    ];
    let rotation = DQuat::from_scaled_axis(turn);
    let place = |at: [f64; 3], side: f64| {
        (rotation * DVec3::new(at[0] * side, at[1], at[2]) + DVec3::new(0.0, 1.4, 0.0)).to_array()
    };
    let mut text = String::new();
    for (part, size, at, mass, parent, joint) in parts {
        let sides: &[(&str, f64)] = if at[0] == 0.0 { &[("", 1.0)] } else { &[("_l", 1.0), ("_r", -1.0)] };
        for (side, sign) in sides {
            let name = format!("{part}{side}");
            text += &format!(
                "[[box]]\nname = \"{name}\"\nsize = {size:?}\nmass = {mass:?}\nfriction = 0.6\nposition = {:?}\nrotation = {:?}\n",
                place(at, *sign),
                turn.to_array()
            );
            if parent.is_empty() {
                continue;
            }
            let to = if matches!(parent, "pelvis" | "torso") { parent.to_owned() } else { format!("{parent}{side}") };
            text += &format!(
                "[[joint]]\nname = \"j_{name}\"\nof = \"{name}\"\nto = \"{to}\"\nat = {:?}\n",
                place(joint, *sign)
            );
            if limited.contains(&name.as_str()) {
                text += "swing_limit = 0.5\n";
            }
        }
    }
    text
}

#[test]
fn a_doll_of_boxes_that_falls_gains_no_energy_and_stays_together() {
    let turns = [[0.3, 0.2, 1.1], [1.2, -0.7, 0.4], [-0.5, 2.1, 0.9], [2.4, 0.3, -1.0], [0.1, -1.3, 2.2]];
    let limbs = ["head", "forearm_l", "shin_r", "foot_l", "hand_r"];
    for narrow_phase in ["manifolds", "points_and_edges"] {
        let head = format!("[scene]\nseconds = 2.0\nground = 0.0\n[solver.rigid]\nnarrow_phase = \"{narrow_phase}\"\n");
        for (turn, limb) in turns.into_iter().zip(limbs) {
            let scene = head.clone() + &doll(DVec3::from(turn), &[limb]);
            for method in RIGID {
                let run = Run::of(&scene, method);
                let (gap, rise, first) = (greatest(&run.per_frame("gap_m")), rise(&run), run.energies()[0]);
                assert!(gap < 0.012, "{method}, {narrow_phase}, {turn:?}: {gap} m");
                assert!(rise < 2e-3 * first, "{method}, {narrow_phase}, {turn:?}: {rise} of {first} J");
            }
        }
    }
}

#[test]
fn a_plank_across_two_blocks_stays_on_them_by_points_and_edges() {
    // One point carries each pair, as on the top of a pendulum: if nothing may sleep, rounding tips the blocks after four seconds.
    let scene = "[scene]\nseconds = 5.0\nground = 0.0\n[solver.rigid]\nnarrow_phase = \"points_and_edges\"\n\
                 [[box]]\nname = \"left\"\nsize = [0.3, 0.4, 0.4]\nmass = 10.0\nposition = [-0.7, 0.2, 0.0]\n\
                 [[box]]\nname = \"right\"\nsize = [0.3, 0.4, 0.4]\nmass = 10.0\nposition = [0.7, 0.2, 0.0]\n\
                 [[box]]\nname = \"plank\"\nsize = [2.0, 0.06, 0.3]\nmass = 6.0\nposition = [0.0, 0.43, 0.0]\n";
    for method in RIGID {
        let run = Run::of(scene, method);
        let sunk = 0.43 - run.points("plank").last().unwrap().y;
        // Two contacts, each as deep as the slop of a millimeter.
        assert!(sunk.abs() < 2.5e-3, "{method}: {sunk} m");
    }
}

#[test]
fn piles_come_to_lie_by_points_and_edges() {
    let piles =
        [([0.3, 0.2, 0.4], [0.7, 0.8, 0.7], 5.0), ([0.2, 0.2, 0.2], [0.4, 0.5, 0.4], 1.0), ([0.3; 3], [0.6; 3], 50.0)];
    for (size, spacing, mass) in piles {
        let scene = format!(
            "[scene]\nseconds = 6.0\nground = 0.0\n[solver.rigid]\nnarrow_phase = \"points_and_edges\"\n[[box]]\nname = \"b\"\n\
             size = {size:?}\nmass = {mass:?}\ngrid = [3, 3, 3]\nspacing = {spacing:?}\nposition = [0.0, 1.2, 0.0]\n\
             random_orientation = true\n"
        );
        for method in RIGID {
            let depths = Run::of(&scene, method).per_frame("penetration_m");
            let mean = depths[300..].iter().sum::<f64>() / (depths.len() - 300) as f64;
            // One in ten piles keeps a pair that grinds 8 mm deep; H24 allows 10.
            assert!(mean < 1e-2, "{method}, {size:?}: the deepest overlap is {mean} m in the mean of the last second");
        }
    }
}

#[test]
fn flush_boxes_do_not_turn_by_points_and_edges() {
    // Two equal boxes without gravity meet face to face, through their centers: nothing turns.
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.2));
    let scene = format!(
        "[scene]\nseconds = 1.0\ngravity = [0, 0, 0]\n[solver]\nframes_before_sleep = 0\n[solver.rigid]\n\
         narrow_phase = \"points_and_edges\"\n\
         [[box]]\nname = \"a\"\nsize = [0.4, 0.3, 0.5]\nmass = 2.0\nrotation = [0.3, -0.5, 0.2]\nvelocity = {:?}\n\
         [[box]]\nname = \"b\"\nsize = [0.4, 0.3, 0.5]\nmass = 2.0\nrotation = [0.3, -0.5, 0.2]\nposition = {:?}\n",
        (turn * DVec3::Y).to_array(),
        (turn * DVec3::Y * 0.4).to_array()
    );
    for method in RIGID {
        let run = Run::of(&scene, method);
        for name in ["a", "b"] {
            let turns = run.turns(name);
            let turned = (turns[60] * turns[0].conjugate()).xyz().length();
            assert!(turned < 1e-6, "{method}: {name} turns by {turned}");
        }
    }
}

#[test]
fn a_clip_lost_on_own_feet_is_let_go_and_told() {
    let scene = "[scene]\nseconds = 4.0\nrate = 240.0\nground = 0.0\nground_friction = 0.9\n[[ragdoll]]\nname = \"walker\"\nclip = \"walk\"\n\
                 friction = 0.9\nself_collision = false\njoint_limits = false\nhinges = false\n[[follow]]\nof = \"walker\"\nown_feet = true\n\
                 [[hit]]\nof = \"walker/Spine\"\ntime = 0.5\nimpulse = [90.0, 0.0, 0.0]\n";
    for method in ["multipliers", "displacement"] {
        let (run, said) = Run::with(scene, ["--method", method]);
        let note =
            said.lines().find(|line| line.contains("walker: lost its clip at ")).unwrap_or_else(|| panic!("{said}"));
        let time: f64 = note.split(" at ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let frame = (time * 240.0).ceil() as usize + 1;
        let energies = run.energies();
        // Limp joints give nothing.
        let later = greatest(&energies[frame..]);
        assert!(later <= energies[frame] + 1.0, "{method}: {later} of {} J", energies[frame]);
        // The hit gives at most J²/2m of the bone, and the joints no more than a fall from the height of the clip's highest point.
        assert!(greatest(&energies) < 2.0 * energies[0], "{method}: {} of {} J", greatest(&energies), energies[0]);
        assert!(run.0["notes"].to_string().contains("lost its clip"), "{}", run.0["notes"]);
    }
}

#[test]
fn the_order_of_things_in_a_scene_does_not_change_its_run() {
    let things = [
        "[[box]]\nname = \"low\"\nsize = [0.4, 0.4, 0.4]\nmass = 2\nposition = [0.0, 0.2, 0.0]\n",
        "[[box]]\nname = \"lean\"\nsize = [0.3, 0.2, 0.5]\nmass = 3\nposition = [0.12, 0.6, 0.1]\nrotation = [0.3, 0.2, 0.1]\n",
        "[[box]]\nname = \"high\"\nsize = [0.2, 0.5, 0.3]\nmass = 1\nposition = [-0.05, 1.1, 0.02]\nrotation = [0.9, 0.1, 0.4]\n",
        "[[ball]]\nname = \"round\"\nradius = 0.15\nmass = 2\nposition = [0.1, 1.6, 0.1]\n",
        "[[ball]]\nname = \"small\"\nradius = 0.1\nmass = 1\nposition = [0.0, 2.0, 0.05]\n",
        "[[rope]]\nname = \"rope\"\nfrom = [0.2, 2.4, 0.0]\nto = [0.9, 2.4, 0.0]\nsegments = 6\nmass = 0.5\n\
         to_attached_to = \"bob\"\n",
        "[[ball]]\nname = \"bob\"\nradius = 0.1\nmass = 2\nposition = [0.9, 2.4, 0.0]\n",
        "[[obstacle]]\nname = \"stone\"\nkind = \"sphere\"\nradius = 0.3\nposition = [0.5, 0.1, 0.2]\n",
        "[[obstacle]]\nname = \"step\"\nkind = \"box\"\nsize = [0.4, 0.2, 0.4]\nposition = [-0.4, 0.1, 0.0]\n",
        "[[hit]]\nof = \"round\"\ntime = 0.2\nimpulse = [1.0, 0.0, 0.5]\n",
        "[[hit]]\nof = \"round\"\ntime = 0.1\nimpulse = [-0.7, 0.0, 0.1]\n",
    ];
    let scene = |order: &mut dyn Iterator<Item = &&str>| {
        format!("[scene]\nseconds = 1.5\nground = 0.0\n{}", order.copied().collect::<String>())
    };
    for method in METHODS {
        let one = Run::of(&scene(&mut things.iter()), method).0;
        let other = Run::of(&scene(&mut things.iter().rev()), method).0;
        assert_eq!(one["poses"], other["poses"], "{method}");
        assert_eq!(one["per_frame"], other["per_frame"], "{method}");
    }
}

#[test]
fn a_heavy_box_on_a_light_rope_swings_as_a_pendulum() {
    // 1000 : 1 to the rope, 20 000 : 1 to its links. The box turns about the end of the rope as well: the two swing as a double pendulum
    // that starts straight, with the lower arm a twentieth of the upper one.
    let (length, angle) = (2.0, 0.02_f64);
    let end = DVec3::new(length * angle.sin(), 3.0 - length * angle.cos(), 0.0);
    let scene = format!(
        "[scene]\nseconds = 1.5\n[[rope]]\nname = \"rope\"\nfrom = [0, 3, 0]\nto = [{0}, {1}, 0]\nsegments = 20\nmass = 0.5\n\
         fixed = [\"start\"]\nto_attached_to = \"box\"\n[[box]]\nname = \"box\"\nsize = [0.2, 0.2, 0.2]\nmass = 500\n\
         position = [{0}, {2}, 0]\n",
        end.x,
        end.y,
        end.y - 0.1,
    );
    for method in ["particles", "multipliers", "displacement"] {
        let run = Run::of(&scene, method);
        let farthest =
            run.points("box").iter().map(|place| (place.distance(DVec3::Y * 3.0) - 2.1).abs()).fold(0.0, f64::max);
        assert!(farthest < 1e-4, "{method}: {farthest}");
        assert!(run.per_frame("gap_m").iter().all(|&gap| gap < 1e-6), "{method}");
        let (energies, weight) = (run.energies(), 500.0 * 9.81);
        let fall = weight * length * (1.0 - angle.cos());
        assert!(energies.iter().all(|energy| (energy - energies[0]).abs() < 0.1 * fall), "{method}: {energies:?}");
    }
}

#[test]
fn a_whipping_rope_keeps_its_energy_at_any_frame_rate() {
    // Let go level, it falls by up to its length: 2 % of m g L.
    for rate in [30, 120] {
        let scene = format!(
            "[scene]\nseconds = 2.0\nrate = {rate}\n[[rope]]\nname = \"rope\"\nfrom = [0, 3, 0]\nto = [1.5, 3, 0]\nsegments = 16\nmass = 0.8\n\
             fixed = [\"start\"]\ndamping = 0.0\n"
        );
        for method in ["particles", "multipliers", "displacement"] {
            let energies = Run::of(&scene, method).energies();
            let off = energies.iter().map(|energy| (energy - energies[0]).abs()).fold(0.0, f64::max);
            assert!(off < 0.02 * 0.8 * 9.81 * 1.5, "{method} at {rate} Hz: {off} J");
        }
    }
}

#[test]
fn a_chain_of_particles_neither_stretches_nor_loses_energy_and_takes_the_substeps_that_its_waves_need() {
    // The greatest angular frequency of waves of a hanging chain of n links is 2 n sqrt(g/L) at its top; it swings and whips as well.
    for (segments, most) in [(20, 16), (200, 64), (400, 256)] {
        let scene = format!(
            "[scene]\nseconds = 2.5\n[[rope]]\nname = \"chain\"\nfrom = [0, 6, 0]\nto = [5, 6, 0]\nsegments = {segments}\nmass = 10.0\n\
             fixed = [\"start\"]\ndamping = 0.0\n"
        );
        let run = Run::of(&scene, "particles");
        assert!(greatest(&run.per_frame("stretch")) < 1e-6, "{segments}");
        let energies = run.energies();
        let off = energies.iter().map(|energy| (energy - energies[0]).abs()).fold(0.0, f64::max);
        assert!(off < 0.02 * 10.0 * 9.81 * 5.0, "{segments}: {off} J");
        let substeps: Vec<u64> = serde_json::from_value(run.0["work"]["substeps"]["per_frame"].clone()).unwrap();
        let waves = 2.0 * f64::from(segments) * (9.81_f64 / 5.0).sqrt() / 60.0;
        assert!(
            substeps[1..].iter().all(|&taken| taken >= 16 && taken as f64 >= waves && taken <= most),
            "{substeps:?}"
        );
    }
}

/// Boxes of a scene, each with its size and place.
type Boxes = Vec<([f64; 3], [f64; 3])>;

/// A pyramid of `rows` rows, a brick wall and a crib (layers of two beams across) of as many.
fn piles(rows: usize) -> [(&'static str, Boxes); 3] {
    let row = |rows: usize| (0..rows).map(|row| (row, row as f64));
    let pyramid = row(rows).flat_map(|(number, height)| {
        row(rows - number).map(move |(_, x)| ([0.5; 3], [0.5 * (x + 0.5 * height), 0.25 + 0.5 * height, 0.0]))
    });
    let wall = row(rows).flat_map(|(number, height)| {
        let shift = 0.1 * (number % 2) as f64;
        row(rows).map(move |(_, x)| ([0.38, 0.18, 0.2], [0.4 * x + shift, 0.09 + 0.18 * height, 0.0]))
    });
    let crib = row(rows).flat_map(|(number, height)| {
        [-0.3, 0.3].map(|side| {
            let y = 0.06 + 0.12 * height;
            if number % 2 == 0 { ([0.12, 0.12, 0.8], [side, y, 0.0]) } else { ([0.8, 0.12, 0.12], [0.0, y, side]) }
        })
    });
    [("pyramid", pyramid.collect()), ("wall", wall.collect()), ("crib", crib.collect())]
}

#[test]
fn pyramids_walls_and_cribs_stand_still_at_any_angle_and_frame_rate() {
    for (name, boxes) in piles(8) {
        for (angle, rate) in [(0.0_f64, 60), (0.37, 60), (2.3, 60), (0.37, 24), (2.3, 30)] {
            let mut scene = format!("[scene]\nseconds = 3.0\nrate = {rate}\nground = 0.0\n");
            for (index, ([width, height, depth], [x, y, z])) in boxes.iter().enumerate() {
                let (sin, cos) = angle.sin_cos();
                let (x, z) = (cos * x + sin * z, cos * z - sin * x);
                write!(
                    scene,
                    "[[box]]\nname = \"{index}\"\nsize = [{width}, {height}, {depth}]\nposition = [{x}, {y}, {z}]\n\
                     rotation = [0.0, {angle}, 0.0]\nrestitution = 0.0\n"
                )
                .unwrap();
            }
            for method in RIGID {
                let run = Run::of(&scene, method);
                let case = format!("{name} at {angle} rad, {rate} Hz, {method}");
                assert_eq!(run.per_frame("asleep").last(), Some(&1.0), "{case}");
                let deep = greatest(&run.per_frame("penetration_m"));
                assert!(deep < 1e-3, "{case}: {deep}");
                for (index, (_, start)) in boxes.iter().enumerate() {
                    let places = run.places(&index.to_string());
                    let sunk = start[1] - places[places.len() - 1][1];
                    assert!(sunk.abs() < 2e-3, "{case}, box {index}: {sunk}");
                }
            }
        }
    }
}

#[test]
fn a_heavy_weight_that_makes_a_slack_rope_taut_gains_no_energy() {
    // Thrown upward beside what the rope hangs from, the weight falls until the rope, 1/300 of its mass and less, is taut.
    for (segments, rope, weight, length, speed) in
        [(12, 0.5, 200.0, 3.0, -6.0), (10, 0.4, 120.0, 2.0, 6.0), (14, 0.6, 250.0, 3.0, 4.5)]
    {
        let scene = format!(
            "[scene]\nseconds = 3.0\n[[rope]]\nname = \"r\"\nfrom = [0, 3, 0]\nto = [{length}, 3, 0]\nsegments = {segments}\n\
             mass = {rope}\nradius = 0.02\nfixed = [\"start\"]\nto_attached_to = \"w\"\n[[ball]]\nname = \"w\"\nradius = 0.25\n\
             mass = {weight}\nposition = [{}, 3, 0]\nvelocity = [0, {speed}, 0]\n",
            length + 0.25
        );
        for method in METHODS {
            let run = Run::of(&scene, method);
            let (energies, kinetic) = (run.energies(), run.per_frame("kinetic_energy_j"));
            let gained = energies.iter().map(|energy| energy - energies[0]).fold(0.0, f64::max);
            assert!(gained < 0.01 * kinetic[0], "{method}, {segments} segments: {gained} J, of {} J", kinetic[0]);
        }
    }
}

#[test]
fn a_taut_rope_does_not_sink_into_what_it_hangs_over() {
    // Tension pulled its links in by more than contacts gave back: it fell through within seconds, by up to 1.2 m.
    let ends = |rope: &str, [length, height, weight]: [f64; 3]| {
        let ball = |name: &str, sign: f64| {
            format!(
                "[[ball]]\nname = \"{name}\"\nradius = 0.06\nmass = {weight}\nposition = [{}, {height}, 0]\ndamping = 1.5\nfriction = 0\n",
                sign * (length + 0.06)
            )
        };
        format!(
            "[[rope]]\nname = \"r\"\nfrom = [-{length}, {height}, 0]\nto = [{length}, {height}, 0]\nradius = 0.01\n\
             from_attached_to = \"a\"\nto_attached_to = \"b\"\nfriction = 0.5\ndamping = 1.5\n{rope}{}{}",
            ball("a", -1.0),
            ball("b", 1.0)
        )
    };
    let capsule = "kind = \"capsule\"\nradius = 0.15\nlength = 2\nrotation = [1.5707963267948966, 0, 0]\n";
    let beam = "kind = \"box\"\nsize = [0.3, 0.3, 2]\n";
    for (solid, rate, rope, weight) in [
        (capsule, 30, "segments = 24\nmass = 0.2\n", 5.0),
        (beam, 60, "segments = 30\nmass = 0.3\n", 9.0),
        (capsule, 120, "segments = 12\nmass = 0.5\n", 14.0),
    ] {
        let scene = format!(
            "[scene]\nseconds = 3\nrate = {rate}\n[[obstacle]]\nname = \"o\"\n{solid}friction = 0.5\n{}",
            ends(rope, [1.2, 0.161, weight])
        );
        for method in ["particles", "multipliers", "displacement"] {
            let deepest = greatest(&Run::of(&scene, method).per_frame("penetration_m"));
            assert!(deepest < 0.01, "{method}: {deepest} of\n{scene}");
        }
    }
}
