//! Scenes in TOML through the world that people run, and the same bodies in other engines.
//!
//! `peer-muybridge` reads the scenes, runs them and writes their bodies and cloths as JSON into the folder that `DOOR` names;
//! the other peers read that folder. Environment: `ONLY=drop,heap` scenes, `REPS=3` repetitions, `FRAMES=60` fewer frames.
//! Nothing sleeps. A frame is 1/60 s of CPU time of the step alone: building, looking and recording are not timed. Gaps,
//! limits and depth of peers are computed here from their poses; Muybridge's are those of its own report.

use std::path::Path;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::humanoid::Pose;
use crate::run::{cpu_time, from_env, median, repetitions, three_digits, wanted};

/// Bodies and cloth of a scene at the start.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    pub name: String,
    /// Number of frames of 1/60 s.
    pub frames: usize,
    pub gravity: [f64; 3],
    pub bodies: Vec<BodySetup>,
    pub joints: Vec<JointSetup>,
    pub obstacles: Vec<ShapeSetup>,
    /// Pairs of bodies that never touch besides those with joints.
    pub apart: Vec<[usize; 2]>,
    pub cloth: Option<ClothSetup>,
    /// Whether the scene has a cloth that the setup leaves out.
    pub is_without_cloth: bool,
    /// Reasons why a peer cannot run this scene as it is.
    pub lacks: Vec<String>,
}

/// A body: its frame is that of its principal axes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BodySetup {
    pub mass: f64,
    pub moments: [f64; 3],
    pub position: [f64; 3],
    pub rotation: [f64; 4],
    pub velocity: [f64; 3],
    pub spin: [f64; 3],
    pub shapes: Vec<ShapeSetup>,
    /// Bodies of one group do not touch each other; `None` touches all.
    pub group: Option<u32>,
}

/// A shape in the frame of its body, or of the world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShapeSetup {
    pub kind: ShapeKind,
    pub position: [f64; 3],
    pub rotation: [f64; 4],
    pub friction: f64,
    pub restitution: f64,
}

/// Long shapes lie along y.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ShapeKind {
    /// Solid below y = 0; obstacles only.
    HalfSpace,
    Sphere(f64),
    Capsule { radius: f64, half_length: f64 },
    Box([f64; 3]),
    Hull(Vec<[f64; 3]>),
}

/// A joint: frames are local to the bodies; x is the axis of a hinge and of twist.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointSetup {
    /// `None` is the world.
    pub parent: Option<usize>,
    pub child: usize,
    pub kind: JointKind,
    pub anchors: [[f64; 3]; 2],
    pub axes: [[f64; 4]; 2],
    pub limit: Option<Limit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    Ball,
    Hinge,
    Fixed,
}

/// Limits of a joint, radians.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Limit {
    Hinge([f64; 2]),
    SwingTwist { swing: [f64; 2], twist: [f64; 2] },
}

/// A cloth: masses are equal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClothSetup {
    pub points: Vec<[f64; 3]>,
    pub triangles: Vec<[usize; 3]>,
    pub pinned: Vec<usize>,
    pub mass: f64,
    pub radius: f64,
    pub friction: f64,
    /// Rate at which velocities decay, per second.
    pub damping: f64,
}

/// Quality of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Greatest distance of joint anchors, meters.
    pub gap: f64,
    /// Greatest excess over a limit, radians.
    pub limit: f64,
    /// Greatest depth, meters: of peers' bodies inside half-spaces, of peers' cloth inside half-spaces and balls, of
    /// Muybridge inside anything.
    pub depth: f64,
    /// Greatest relative error of a length, of cloths and ropes.
    pub stretch: f64,
    /// Whether all numbers are finite.
    pub is_finite: bool,
}

/// A world of a peer.
pub trait DoorWorld {
    /// Advances the world by a frame.
    fn step(&mut self);
    /// Quality of the present frame.
    fn look(&mut self) -> Seen;
}

/// Reads the setups that `peer-muybridge` wrote into `folder`, and runs those that `make` can build.
pub fn run_peer(folder: &Path, peer: &str, make: &dyn Fn(&Setup) -> Result<Box<dyn DoorWorld>, String>) {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder that DOOR names")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a setup");
        let setup: Setup = serde_json::from_str(&text).expect("a setup of peer-muybridge");
        if wanted(&setup.name) {
            run(&setup, peer, &|| make(&setup));
        }
    }
}

/// Whether the environment selects a scene.
pub fn is_wanted(scene: &str) -> bool {
    wanted(scene)
}

/// Number of frames to run of a scene.
fn frames(whole: usize) -> usize {
    from_env("FRAMES").and_then(|text| text.parse().ok()).unwrap_or(whole).min(whole)
}

/// Runs a scene and prints a line of JSON.
pub fn run(setup: &Setup, peer: &str, make: &dyn Fn() -> Result<Box<dyn DoorWorld>, String>) {
    let (frames, is_ours) = (frames(setup.frames), peer.starts_with("Muybridge"));
    let (mut times, mut worst, mut last) = (Vec::new(), Seen { is_finite: true, ..Seen::default() }, Seen::default());
    for repetition in 0..repetitions() {
        let mut world = match if setup.lacks.is_empty() || is_ours { make() } else { Err(setup.lacks.join(", ")) } {
            Ok(world) => world,
            Err(why) => return eprintln!("{peer} leaves out {}: {why}", setup.name),
        };
        let mut spent = 0.0;
        for _ in 0..frames {
            let start = cpu_time();
            world.step();
            spent += cpu_time() - start;
            if repetition == 0 {
                last = world.look();
                worst.gap = worst.gap.max(last.gap);
                worst.limit = worst.limit.max(last.limit);
                worst.depth = worst.depth.max(last.depth);
                worst.stretch = worst.stretch.max(last.stretch);
                worst.is_finite &= last.is_finite;
            }
        }
        times.push(spent * 1e6 / frames as f64);
    }
    let least = times.iter().copied().fold(f64::MAX, f64::min);
    println!(
        "{}",
        json!({
            "peer": peer, "door": setup.name, "frames": frames, "reps": times.len(),
            "median_us": three_digits(median(times)), "least_us": three_digits(least),
            "gap_mm": three_digits(worst.gap * 1e3), "limit_deg": three_digits(worst.limit.to_degrees()),
            "depth_mm": three_digits(worst.depth * 1e3), "depth_end_mm": three_digits(last.depth * 1e3),
            "stretch_end_pct": three_digits(last.stretch * 100.0), "exploded": !worst.is_finite,
            "without_cloth": setup.is_without_cloth && !is_ours,
        })
    );
}

/// Quality of a peer's bodies from their poses.
pub fn look(setup: &Setup, poses: &[Pose]) -> Seen {
    let mut seen = Seen { is_finite: poses.iter().all(|pose| pose.p.is_finite() && pose.q.is_finite()), ..Seen::default() };
    for joint in &setup.joints {
        let local = |side: usize| Pose { p: joint.anchors[side].into(), q: DQuat::from_array(joint.axes[side]) };
        let parent = joint.parent.map_or(local(0), |parent| poses[parent].mul(&local(0)));
        let child = poses[joint.child].mul(&local(1));
        seen.gap = seen.gap.max(parent.p.distance(child.p));
        if let Some(limit) = &joint.limit {
            seen.limit = seen.limit.max(excess(limit, parent.q.inverse() * child.q));
        }
    }
    for (body, pose) in setup.bodies.iter().zip(poses) {
        for shape in &body.shapes {
            let place = pose.mul(&shape.pose());
            for obstacle in &setup.obstacles {
                if matches!(obstacle.kind, ShapeKind::HalfSpace) {
                    seen.depth = seen.depth.max(depth(&shape.kind, &place, &obstacle.pose()));
                }
            }
        }
    }
    seen
}

/// Quality of a peer's cloth from its points: the error of edges and diagonals, as `worst_stretch` of Muybridge's report.
pub fn look_at_cloth(setup: &Setup, points: &[DVec3]) -> Seen {
    let cloth = setup.cloth.as_ref().expect("a cloth");
    let mut seen = Seen { is_finite: points.iter().all(|point| point.is_finite()), ..Seen::default() };
    let rest = |point: usize| DVec3::from(cloth.points[point]);
    for [a, b] in sticks(&cloth.triangles, &rest) {
        let error = points[a].distance(points[b]) / rest(a).distance(rest(b)) - 1.0;
        seen.stretch = seen.stretch.max(error.abs());
    }
    for obstacle in &setup.obstacles {
        let place = obstacle.pose();
        let inside = |&point: &DVec3| match obstacle.kind {
            ShapeKind::HalfSpace => cloth.radius - (point - place.p).dot(place.q * DVec3::Y),
            ShapeKind::Sphere(radius) => cloth.radius + radius - point.distance(place.p),
            _ => 0.0,
        };
        seen.depth = points.iter().map(inside).fold(seen.depth, f64::max);
    }
    seen
}

/// Edges of triangles, and the second diagonals of cells: of two triangles whose corners at their common edge are right angles.
fn sticks(triangles: &[[usize; 3]], rest: &dyn Fn(usize) -> DVec3) -> Vec<[usize; 2]> {
    let mut edges: Vec<([usize; 2], usize)> = Vec::new();
    for &[a, b, c] in triangles {
        edges.extend([[a, b, c], [b, c, a], [c, a, b]].map(|[from, to, wing]| ([from.min(to), from.max(to)], wing)));
    }
    edges.sort_unstable();
    let mut sticks = Vec::new();
    for same in edges.chunk_by(|a, b| a.0 == b.0) {
        let [from, to] = same[0].0;
        sticks.push([from, to]);
        if let &[(_, left), (_, right)] = same {
            let cosine = |end: usize| (rest(left) - rest(end)).normalize().dot((rest(right) - rest(end)).normalize()).abs();
            if cosine(from) < 0.1 && cosine(to) < 0.1 {
                sticks.push([left, right]);
            }
        }
    }
    sticks
}

impl ShapeSetup {
    pub fn pose(&self) -> Pose {
        Pose { p: self.position.into(), q: DQuat::from_array(self.rotation) }
    }
}

impl BodySetup {
    pub fn pose(&self) -> Pose {
        Pose { p: self.position.into(), q: DQuat::from_array(self.rotation) }
    }
}

/// Excess of a relative orientation over a limit, radians.
fn excess(limit: &Limit, turn: DQuat) -> f64 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let twist = 2.0 * turn.x.atan2(turn.w);
    let outside = |angle: f64, [least, most]: [f64; 2]| (least - angle).max(angle - most).max(0.0);
    match *limit {
        Limit::Hinge(range) => outside(twist, range),
        Limit::SwingTwist { swing: [about_y, about_z], twist: range } => {
            let swing = turn * DQuat::from_rotation_x(twist).inverse();
            let vector = swing.to_scaled_axis();
            let size = vector.length();
            let share = ((vector.y / about_y).powi(2) + (vector.z / about_z).powi(2)).sqrt();
            let beyond = if share > 1.0 { size * (1.0 - 1.0 / share) } else { 0.0 };
            beyond.max(outside(twist, range))
        }
    }
}

/// Depth of a shape inside a half-space, meters.
fn depth(shape: &ShapeKind, place: &Pose, plane: &Pose) -> f64 {
    let up = plane.q * DVec3::Y;
    let height = |point: DVec3| (place.pt(point) - plane.p).dot(up);
    let lowest = |points: &mut dyn Iterator<Item = DVec3>| points.map(height).fold(f64::MAX, f64::min);
    let least = match shape {
        ShapeKind::HalfSpace => 0.0,
        ShapeKind::Sphere(radius) => height(DVec3::ZERO) - radius,
        ShapeKind::Capsule { radius, half_length } => {
            lowest(&mut [-half_length, *half_length].into_iter().map(|y| DVec3::Y * y)) - radius
        }
        ShapeKind::Box(half) => {
            let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            lowest(&mut (0..8).map(|c| DVec3::from(*half) * DVec3::new(sign(c, 0), sign(c, 1), sign(c, 2))))
        }
        ShapeKind::Hull(points) => lowest(&mut points.iter().map(|&point| point.into())),
    };
    (-least).max(0.0)
}
