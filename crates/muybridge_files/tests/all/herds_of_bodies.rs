//! Herds of rigid bodies: their starts, the clips they follow, and agreement of lanes with single ragdolls.

use std::path::Path;

use muybridge::character::Character;
use muybridge::glam::DVec3;
use muybridge::motion::Clip;
use muybridge::simulation::{Recording, Scene, World};
use muybridge_files::scene::{load, read};

fn scene(text: &str) -> Scene {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn world(text: &str) -> World {
    let scene = scene(text);
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    World::new(scene, &assets).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    let scene = scene(text);
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    World::new(scene, &assets).unwrap_err().to_string()
}

/// Nine thrown ragdolls without gravity.
fn thrown(method: &str, more: &str) -> String {
    format!(
        "[scene]\ngravity = [0.0, 0.0, 0.0]\nseconds = 0.5\n[solver]\nmethod = \"{method}\"\n[[herd]]\nname = \"h\"\n\
         character = \"mannequin\"\ncount = 9\nspacing = 9.0\nspeed = 3.0\nspin = 2.0\n{more}"
    )
}

#[test]
fn a_herd_begins_alike_under_every_method() {
    let first = |method, more| world(&thrown(method, more)).snapshot().measures[0];
    let wanted = first("particles", "");
    assert!(wanted.momentum.length() > 10.0 && wanted.angular_momentum.length() > 10.0);
    for (method, more) in [("multipliers", ""), ("multipliers", "alone = true\n"), ("displacement", "")] {
        let now = first(method, more);
        // Lanes of particles have single precision, and their velocities are those of the middle of a substep.
        let near = |a: DVec3, b: DVec3| (a - b).length() < 1e-4 * b.length();
        assert!(near(now.momentum, wanted.momentum), "{method}: {} {}", now.momentum, wanted.momentum);
        let (l, l_wanted) = (now.angular_momentum, wanted.angular_momentum);
        assert!(near(l, l_wanted), "{method}: {l} {l_wanted}");
        let energy = now.kinetic_energy / wanted.kinetic_energy - 1.0;
        assert!(energy.abs() < 1e-4, "{method}: {energy}");
    }
}

#[test]
fn h23_a_free_ragdoll_keeps_its_momentum_to_rounding() {
    let text = "[scene]\ngravity = [0.0, 0.0, 0.0]\nseconds = 1.0\n[solver]\nmethod = \"multipliers\"\nframes_before_sleep = 0\n[[ragdoll]]\nname = \"r\"\n\
                character = \"mannequin\"\nvelocity = [1.0, 2.0, -0.5]\nspin = [0.5, 1.0, -0.7]\n";
    let flown = world(text).record().measures;
    let first = flown[0].momentum;
    for now in &flown {
        assert!((now.momentum - first).length() < 1e-12 * first.length(), "{} {first}", now.momentum);
        assert!(now.worst_gap < 1e-5, "{}", now.worst_gap);
    }
}

#[test]
fn a_herd_in_lanes_flies_and_lands_as_single_ragdolls_do() {
    let lanes = world(&thrown("multipliers", "alone = true\n")).record();
    let first = lanes.measures[0];
    for now in &lanes.measures {
        // Lanes have single precision.
        assert!((now.momentum - first.momentum).length() < 1e-5 * first.momentum.length(), "{}", now.momentum);
        let drift = (now.angular_momentum - first.angular_momentum).length() / first.angular_momentum.length();
        assert!(drift < 1e-4, "{drift}");
        assert!(now.worst_gap < 1e-5 && now.worst_limit < 0.035, "{} m, {} rad", now.worst_gap, now.worst_limit);
    }
    // A ragdoll of a herd without random start falls and lies like the same single ragdoll, with joints as free.
    let of = |things: &str| {
        let text =
            "[scene]\nseconds = 0.4\nground = 0.0\n[solver]\nmethod = \"multipliers\"\nframes_before_sleep = 0\n";
        world(&format!("{text}{things}character = \"mannequin\"\n")).record().measures
    };
    let herd = of("[[herd]]\nname = \"h\"\ncount = 1\nheight = 0.5\nrandom_orientation = false\nalone = true\n");
    let single =
        of("[[ragdoll]]\nname = \"r\"\nposition = [0.0, 0.5, 0.0]\njoint_friction = 0.0\nself_collision = false\n");
    for (frame, (a, b)) in herd.iter().zip(&single).enumerate() {
        let (a, b) = (a.potential_energy, b.potential_energy);
        assert!((a - b).abs() < 2e-3 * b, "frame {frame}: {a} {b} J");
    }
    // The ragdoll has hit the ground by then: half a meter takes 0.32 s.
    let pushed = herd.windows(2).map(|two| two[1].momentum.y - two[0].momentum.y);
    assert!(pushed.fold(f64::NEG_INFINITY, f64::max) > 0.0, "it never touched");
}

#[test]
fn a_herd_of_bodies_follows_a_clip_each_in_its_own_time() {
    let text = |method: &str| {
        format!(
            "[scene]\nseconds = 3.0\nground = 0.0\n[solver]\nmethod = \"{method}\"\n[[herd]]\nname = \"crowd\"\ncount = 4\nspacing = 3.0\n\
             height = 0.0\nrandom_orientation = false\nmax_start_delay = 0.5\n[[follow]]\nof = \"crowd\"\nclip = \"walk\"\nassist_time = 0.02\n"
        )
    };
    let mut particles = world(&text("particles"));
    let mut bodies = world(&text("multipliers"));
    assert_eq!(bodies.ragdolls().collect::<Vec<_>>(), ["crowd 1", "crowd 2", "crowd 3", "crowd 4"]);
    let heights = |recording: &Recording| recording.measures.iter().map(|now| now.potential_energy).collect::<Vec<_>>();
    let (a, b) = (particles.record(), bodies.record());
    let weight = bodies.mass() * 9.81;
    for (frame, (a, b)) in heights(&a).into_iter().zip(heights(&b)).enumerate() {
        assert!((a - b).abs() < 0.02 * weight, "frame {frame}: the mass centers are {} m apart", (a - b) / weight);
    }
    // Each ragdoll moves like the lane of particles with the same delay; no two walk in step.
    let frames = b.frames;
    let moved = |poses: &[DVec3]| -> Vec<DVec3> { poses.iter().map(|place| *place - poses[0]).collect() };
    let hips = |(_, character, clip): &(String, Character, Clip)| {
        assert_eq!(character.skeleton.bones()[0].name, "Hips");
        moved(&(0..frames).map(|frame| clip.translation(0, frame)).collect::<Vec<_>>())
    };
    let roots: Vec<Vec<DVec3>> = b.characters.iter().map(hips).collect();
    let lanes: Vec<Vec<DVec3>> = a.characters.iter().map(hips).collect();
    let names = |of: &Recording| of.characters.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), ["crowd 1", "crowd 2", "crowd 3", "crowd 4"]);
    assert_eq!(names(&a), names(&b));
    for one in 0..4 {
        let lane = &lanes[one];
        for (frame, (root, lane)) in roots[one].iter().zip(lane).enumerate() {
            assert!((*root - *lane).length() < 0.05, "{one} at frame {frame}: {root} {lane}");
        }
        assert!(lane[frames - 1].length() > 0.3, "{one} goes {} m", lane[frames - 1]);
        for other in 0..one {
            let apart = (roots[one][frames - 1] - roots[other][frames - 1]).length();
            assert!(apart > 1e-3, "{one} and {other} walk in step");
        }
    }
}

#[test]
fn a_herd_that_follows_a_clip_is_one_entry_of_the_report_under_every_method() {
    // All have the same root assist, so the herd's error is that of one ragdoll; the walk is feasible, and each assist is recorded.
    for method in ["particles", "multipliers"] {
        let text = |kind: &str| {
            format!(
                "[scene]\nseconds = 1.5\nground = 0.0\n[solver]\nmethod = \"{method}\"\n{kind}[[follow]]\nof = \"crowd\"\nclip = \"walk\"\n\
                 assist_time = 0.02\n"
            )
        };
        let herd = "[[herd]]\nname = \"crowd\"\ncount = 4\nspacing = 3.0\nheight = 0.0\nrandom_orientation = false\nmax_start_delay = 0.5\n";
        let [own] = &world(&text(herd)).record().follows[..] else { panic!("{method}: one entry") };
        assert_eq!((own.of.as_str(), own.ragdolls, own.clip.as_str()), ("crowd", 4, "walk"));
        // The span runs from the first ragdoll that begins to the end of the run.
        assert!(own.span[0] > 0.0 && own.span[0] < 0.5 && (own.span[1] - 1.5).abs() < 1e-9, "{:?}", own.span);
        let frames = own.all.frames as f64 / 60.0;
        assert!(frames > 4.0 && frames < 6.0 - 4.0 * own.span[0] + 0.1, "{method}: {frames} s of all");
        assert!(own.all.place < 0.05 && own.possible.is_some(), "{method}: {own:?}");
        let alone = world(&text("[[ragdoll]]\nname = \"crowd\"\nclip = \"walk\"\n")).record();
        let [one] = &alone.follows[..] else { panic!("{method}: one entry") };
        let [herd, one] = [own, one].map(|own| own.feasibility.as_ref().unwrap());
        let apart = herd.missing.iter().zip(&one.missing).map(|(a, b)| (a.share - b.share).abs()).fold(0.0, f64::max);
        assert!(apart < 0.01, "{method}: what the clip asks for is off by {apart}");
    }
}

#[test]
fn what_a_herd_in_lanes_cannot_is_said() {
    let herd =
        "[scene]\nground = 0.0\n[solver]\nmethod = \"multipliers\"\n[[herd]]\nname = \"h\"\ncount = 2\nalone = true\n";
    let told = refusal(&format!("{herd}[[follow]]\nof = \"h\"\nclip = \"walk\"\n"));
    assert!(told.starts_with("follow 1: of") && told.contains("under multipliers these follow nothing"), "{told}");
    let notes = |text: &str| world(text).notes().join("\n");
    let ball = "[[obstacle]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 1.0\nposition = [0.0, 0.0, 0.0]\n";
    let told = refusal(&format!("{herd}{ball}"));
    assert!(told.starts_with("obstacle 1: kind is “sphere”, but the herd “h” meets only half-spaces"), "{told}");
    let lift = ball.replace("sphere", "half_space") + "velocity = [0.0, 1.0, 0.0]\n";
    let told = refusal(&format!("{herd}{lift}"));
    assert!(told.starts_with("obstacle 1: velocity moves “ball”, but the herd “h”"), "{told}");
    let touching = notes(&herd.replace("multipliers", "displacement"));
    assert!(touching.contains("h: alone only under particles and multipliers"), "{touching}");
}

#[test]
fn r26_a_saved_herd_in_lanes_goes_on_with_the_same_bits() {
    let text = "[scene]\nground = 0.0\n[solver]\nmethod = \"multipliers\"\n[[herd]]\nname = \"h\"\ncharacter = \"mannequin\"\ncount = 11\n\
                alone = true\nheight = 0.1\n";
    let mut running = world(text);
    (0..20).for_each(|_| running.step());
    let saved = running.save();
    (0..10).for_each(|_| running.step());
    let mut again = world(text);
    again.restore(saved.clone()).unwrap();
    assert_eq!(again.save(), saved);
    (0..10).for_each(|_| again.step());
    assert_eq!(again.fingerprint(), running.fingerprint());
    assert_eq!(again.save(), running.save());
    assert_eq!(again.snapshot().characters.len(), 11);
    let other = text.replace("count = 11", "count = 30");
    assert!(world(&other).restore(saved).unwrap_err().to_string().contains("its herds have other ragdolls"));
}
