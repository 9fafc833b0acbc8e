//! Recordings made by hand for the tests: a jump, a falling ball, a waving sheet, a swinging rope, a crowd.

use std::f64::consts::TAU;

use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::samples;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::{Drawn, Measures, Track};

/// A recording without characters or tracks.
pub(super) fn empty(name: &str, frames: usize, frame_time: f64) -> Recording {
    let measures = vec![Measures::default(); frames];
    Recording { name: name.into(), frame_time, frames, measures, ground: Some(0.0), ..Recording::default() }
}

/// The sample jump as a recording.
pub(super) fn jump() -> Recording {
    let clip = samples::jump();
    let mut recording = empty("jump", clip.frames(), clip.frame_time);
    recording.characters.push(("jumper".into(), samples::humanoid(), clip));
    recording
}

fn body(name: &str, shape: Shape, poses: Vec<(DVec3, DQuat)>, obstacle: bool) -> Track {
    let shapes = vec![PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }];
    Track { name: name.into(), obstacle, drawn: Drawn::Body { shapes, shell: None, poses } }
}

/// A ball of 1 kg thrown past steps; its energy and horizontal momentum are conserved.
pub(super) fn ball() -> Recording {
    let frames = 80;
    let mut recording = empty("ball", frames, 0.01);
    let velocity = DVec3::new(2.0, 1.0, 0.0);
    let at = |frame: usize| {
        let t = frame as f64 * 0.01;
        DVec3::new(-1.0, 2.6, 0.0) + velocity * t - DVec3::Y * (0.5 * 9.81 * t * t)
    };
    let poses = (0..frames).map(|frame| (at(frame), DQuat::from_rotation_z(-0.1 * frame as f64))).collect();
    recording.tracks.push(body("ball", Shape::Sphere { radius: 0.12 }, poses, false));
    for (step, height) in [0.75, 0.5, 0.25].into_iter().enumerate() {
        let shape = Shape::Box { half_extents: DVec3::new(0.2, 0.5 * height, 0.6) };
        let place = (DVec3::new(-1.4 + 0.4 * step as f64, 0.5 * height, 0.0), DQuat::IDENTITY);
        recording.tracks.push(body(&format!("step {step}"), shape, vec![place], true));
    }
    for (frame, measures) in recording.measures.iter_mut().enumerate() {
        let speed = velocity - DVec3::Y * (9.81 * 0.01 * frame as f64);
        measures.kinetic_energy = 0.5 * speed.length_squared();
        measures.potential_energy = 9.81 * at(frame).y;
        measures.momentum = speed;
    }
    recording
}

/// A waving sheet of `side` × `side` points.
pub(super) fn sheet(side: usize) -> Recording {
    let frames = 40;
    let mut recording = empty("sheet", frames, 1.0 / 30.0);
    let point = |frame: usize, i: usize, j: usize| {
        let (x, z) = (i as f64 / (side - 1) as f64 - 0.5, j as f64 / (side - 1) as f64 - 0.5);
        let phase = TAU * (1.3 * x + 0.6 * z - frame as f64 / 40.0);
        DVec3::new(1.6 * x, 0.9 + 0.12 * libm::sin(phase) + 0.25 * libm::cos(4.0 * x), 1.2 * z)
    };
    let points: Vec<Vec<DVec3>> =
        (0..frames).map(|frame| (0..side * side).map(|at| point(frame, at % side, at / side)).collect()).collect();
    let mut triangles = Vec::new();
    for (i, j) in (0..(side - 1) * (side - 1)).map(|at| (at % (side - 1), at / (side - 1))) {
        let corner = j * side + i;
        triangles.extend([[corner, corner + side, corner + 1], [corner + 1, corner + side, corner + side + 1]]);
    }
    let drawn = Drawn::Mesh { triangles, points };
    recording.tracks.push(Track { name: "sheet".into(), obstacle: false, drawn });
    let pose = vec![(DVec3::new(0.0, 0.45, 0.0), DQuat::IDENTITY)];
    recording.tracks.push(body("globe", Shape::Sphere { radius: 0.4 }, pose, true));
    recording
}

/// A rope of 2 m that swings from a post.
pub(super) fn rope() -> Recording {
    let frames = 60;
    let mut recording = empty("rope", frames, 1.0 / 30.0);
    let count = 24;
    let point = |frame: usize, index: usize| {
        let along = index as f64 / count as f64;
        let angle = 0.9 * libm::cos(TAU * frame as f64 / 60.0) * (1.0 - 0.3 * along);
        DVec3::new(2.0 * along * libm::sin(angle), 2.4 - 2.0 * along * libm::cos(angle), 0.0)
    };
    let points = (0..frames).map(|frame| (0..=count).map(|index| point(frame, index)).collect()).collect();
    let segments = (0..count).map(|index| [index, index + 1]).collect();
    let drawn = Drawn::Lines { segments, radius: 0.02, points };
    recording.tracks.push(Track { name: "rope".into(), obstacle: false, drawn });
    let shape = Shape::Cylinder { radius: 0.05, half_length: 1.2 };
    recording.tracks.push(body("post", shape, vec![(DVec3::new(0.0, 1.2, -0.3), DQuat::IDENTITY)], true));
    recording
}

/// `side` × `side` jumpers 1.5 m apart, each at another moment of the jump.
pub(super) fn crowd(side: usize) -> Recording {
    let (character, clip) = (samples::humanoid(), samples::jump());
    let mut recording = empty("crowd", 2, clip.frame_time);
    for index in 0..side * side {
        let mut moved = muybridge::motion::Clip::new(clip.bones(), 2, clip.frame_time).expect("two frames");
        let shift = DVec3::new((index % side) as f64, 0.0, (index / side) as f64) * 1.5;
        for frame in 0..2 {
            let from = (7 * index + frame) % clip.frames();
            for bone in 0..clip.bones() {
                moved.set_rotation(bone, frame, clip.rotation(bone, from));
                let root = if bone == 0 { shift } else { DVec3::ZERO };
                moved.set_translation(bone, frame, clip.translation(bone, from) + root);
            }
        }
        recording.characters.push((format!("jumper {index}"), character.clone(), moved));
    }
    recording
}
