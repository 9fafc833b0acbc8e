//! Microseconds to change the angular momentum of one frame of a 60-bone character (S19: at most 50), and of a whole
//! flight.
//!
//! `cargo bench -p muybridge --bench spin`. The target momentum differs from that of the clip by half its length. A
//! frame includes: world poses of the frame and of the previous one, preparation of the pair, Newton's method to 1e-12.
//! All rows take turns, round after round; CPU time of the process if the system provides it.

mod clock;

use std::hint::black_box;
use std::time::Instant;

use clock::cpu_seconds;
use muybridge::character::{Body, Bone, Character, JointRange, Skeleton};
use muybridge::correction::{
    FramePair, Jacobian, Newton, RootPair, Scope, SpinSettings, SpinTarget, body_poses, spin_flight,
};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation::exp;
use muybridge::math::{SpatialMomentum, Transform};
use muybridge::motion::Clip;
use muybridge::motion::world_of;

const BONES: usize = 60;
const FRAMES: usize = 61;
const ROUNDS: usize = 201;

fn main() {
    let character = character();
    let clip = flight(&character);
    let frames = (FRAMES - 1) as f64;
    let mut iterations = 0;
    let rows: [(&str, &dyn Fn()); 5] = [
        ("poses of one frame", &|| (1..FRAMES).for_each(|n| _ = black_box(body_poses(&character, &clip, n)))),
        ("one frame about its center of mass", &|| {
            (1..FRAMES).for_each(|n| _ = black_box(center(&character, &clip, n)))
        }),
        ("one frame, the paper's Jacobian", &|| {
            (1..FRAMES).for_each(|n| _ = black_box(root(&character, &clip, n, Jacobian::Source)));
        }),
        ("one frame, the paper's method, exact Jacobian", &|| {
            (1..FRAMES).for_each(|n| _ = black_box(root(&character, &clip, n, Jacobian::Exact)));
        }),
        ("a flight of 61 frames that lands, per frame", &|| _ = black_box(landed(&character, &clip))),
    ];
    for n in 1..FRAMES {
        iterations = iterations.max(center(&character, &clip, n));
    }
    let mut micros = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
        for ((_, work), micros) in rows.iter().zip(&mut micros) {
            let (start, start_of_cpu) = (Instant::now(), cpu_seconds());
            work();
            let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - start_of_cpu);
            micros.push(1e6 / frames * if cfg!(unix) { cpu } else { wall });
        }
    }
    println!("{BONES} bones, {ROUNDS} rounds; about the center of mass at most {iterations} iterations\n");
    println!("| {:46} | fastest µs | median µs |", "");
    println!("| {:-<46} | ---------: | --------: |", "");
    for ((name, _), micros) in rows.iter().zip(&mut micros) {
        micros.sort_by(f64::total_cmp);
        println!("| {name:46} | {:10.2} | {:9.2} |", micros[0], micros[ROUNDS / 2]);
    }
}

/// Number of iterations.
fn center(character: &Character, clip: &Clip, frame: usize) -> usize {
    let (before, now) = (body_poses(character, clip, frame - 1), body_poses(character, clip, frame));
    let pair = FramePair::new(&before, &now, clip.frame_time);
    let found = pair.solve(half_as_much_more(pair.momentum(DQuat::IDENTITY)), DQuat::IDENTITY, &Newton::default());
    assert!(found.converged, "frame {frame}: {found:?}");
    found.iterations
}

fn root(character: &Character, clip: &Clip, frame: usize, jacobian: Jacobian) -> usize {
    let place = |frame| {
        let (position, rotation) = world_of(&character.skeleton, clip, 0, frame);
        Transform { rotation, position }
    };
    let (before, now) = (body_poses(character, clip, frame - 1), body_poses(character, clip, frame));
    let pair = RootPair::new((place(frame - 1), &before), (place(frame), &now), clip.frame_time);
    let present = pair.momentum(Transform::IDENTITY);
    let target = SpatialMomentum { angular: half_as_much_more(present.angular), ..present };
    let found = pair.solve(target, Transform::IDENTITY, &Newton::default(), jacobian);
    assert!(found.converged, "frame {frame}: {found:?}");
    found.iterations
}

fn half_as_much_more(momentum: DVec3) -> DVec3 {
    momentum + 0.5 * momentum.length() * DVec3::new(0.6, 0.0, 0.8)
}

fn landed(character: &Character, clip: &Clip) -> f64 {
    let mut clip = clip.clone();
    let settings = SpinSettings { momentum: SpinTarget::Landing, ..SpinSettings::default() };
    let scope = Scope::all(0..FRAMES);
    spin_flight(character, &mut clip, 0..=FRAMES - 1, &settings, &scope).expect("it lands").largest_angle
}

/// A spine with branching chains, every bone with a body.
fn character() -> Character {
    let bone = |index: usize| Bone {
        name: format!("bone {index}"),
        parent: (index > 0).then(|| if index % 6 == 1 { index / 7 } else { index - 1 }),
        translation: DVec3::new(0.03, 0.05, 0.02) * if index.is_multiple_of(2) { 1.0 } else { -1.0 },
        rotation: DQuat::IDENTITY,
        ends: vec![],
    };
    let body = |index: usize| Body {
        mass: 0.3 + 0.02 * index as f64,
        center: DVec3::new(0.0, 0.06, 0.01),
        inertia: DMat3::from_diagonal(DVec3::new(0.006, 0.002, 0.005)),
        shapes: vec![],
    };
    Character {
        skeleton: Skeleton::new((0..BONES).map(bone).collect()).expect("parents first"),
        bodies: (0..BONES).map(body).collect(),
        ranges: vec![JointRange::Free; BONES],
        roles: vec![None; BONES],
        contacts: vec![],
        body_source: "stated".into(),
        measured_contacts: true,
    }
}

/// A throw with 0.6 turns at 60 frames per second while all joints move and the root wobbles.
fn flight(character: &Character) -> Clip {
    let mut clip = Clip::new(BONES, FRAMES, 1.0 / 60.0).expect("a frame time");
    for frame in 0..FRAMES {
        let time = clip.time(frame);
        let swing = |rate: f64, phase: f64| libm::sin(rate * time + phase);
        for (index, bone) in character.skeleton.bones().iter().enumerate() {
            let phase = index as f64;
            let joint = DVec3::new(swing(5.0, phase), swing(4.0, 2.0 * phase), swing(3.0, 0.5 * phase));
            clip.set_rotation(index, frame, exp(0.3 * joint));
            clip.set_translation(index, frame, bone.translation);
        }
        let wobble = exp(DVec3::new(0.0, 0.3, 0.2) * swing(6.0, 0.0));
        clip.set_rotation(0, frame, exp(DVec3::X * (4.0 * time)) * wobble);
        clip.set_translation(0, frame, DVec3::new(0.5 * time, 1.0 + 4.9 * time * (1.0 - time), 0.0));
    }
    clip
}
