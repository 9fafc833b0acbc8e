//! Estimates the memory of a run before any of it is built.
//!
//! ```text
//! bytes = Σ things × bytes of one + Σ pairs that overlap at the start × bytes of their contacts + frames × bytes of a frame
//! pairs of a grid that are up to m_i places apart along axis i:  ½ (Π_i (n_i (1 + 2 m_i) − m_i (m_i + 1)) − Π_i n_i)
//! ```
//! The bytes of one thing are measured: the growth of the resident memory with the number of such things, on 64-bit Linux.

use std::collections::BTreeMap;

use glam::DVec3;

use super::assets::Assets;
use super::recorder::held_frames;
use super::scene::{Cloth, Method, Scene, file_word};
use crate::ragdoll::RagdollStart;

/// Estimated memory of a run, by what takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryEstimate {
    /// The parts of the run, in the order of the scene; the recording is last.
    pub parts: Vec<MemoryPart>,
}

/// Estimated memory of a part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPart {
    /// The part in words: “ragdoll “heap”: 8,000 × 16 bodies”.
    pub name: String,
    /// Its size, bytes.
    pub bytes: u64,
}

impl MemoryEstimate {
    /// Size of all parts together, bytes.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
    }

    /// The largest part; `None` if nothing takes memory.
    pub fn largest(&self) -> Option<&MemoryPart> {
        self.parts.iter().max_by_key(|part| part.bytes)
    }

    fn add(&mut self, name: String, bytes: f64) {
        self.parts.extend((bytes >= 1.0).then_some(MemoryPart { name, bytes: bytes as u64 }));
    }
}

/// A number with commas between thousands: 6,000,000.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let from_end = |index: usize| digits.len() - index;
    let comma = |(index, digit)| [(index > 0 && from_end(index) % 3 == 0).then_some(','), Some(digit)];
    digits.chars().enumerate().flat_map(comma).flatten().collect()
}

/// Bytes of a frame that hold its measures and the time of its step.
const MEASURES: f64 = 250.0;
/// Bytes of a position and an orientation in a recording.
const POSE: f64 = 56.0;
/// Bytes of a point in a recording.
const POINT: f64 = 24.0;
/// Bytes of an external force in a recording.
const FORCE: f64 = 72.0;

impl Scene {
    /// Estimates the memory of building this scene and recording `steps` steps of it, with their poses or without.
    pub fn memory(&self, assets: &Assets, steps: usize, keeps_poses: bool) -> MemoryEstimate {
        let is_particles = self.body_method() == Method::Particles;
        let mut counting = Counting {
            assets,
            is_particles,
            recorded: Recorded::default(),
            joints: 0.0,
            estimate: MemoryEstimate::default(),
        };
        counting.figures(self);
        counting.solids(self);
        counting.soft(self);
        counting.obstacles(self);
        counting.joints += self.joints.len() as f64;
        if self.solver.method == Method::Hennix {
            // One matrix with about four rows for each joint; it has zeros only where joints share no body.
            let rows = 4.0 * counting.joints;
            counting.estimate.add(format!("hennix: a matrix of {} rows", grouped(rows)), 8.0 * rows * rows);
        }
        let led = self.actions.len() + self.follows.len() + self.pulls.len() + self.hits.len();
        let (recorded, frames) = (counting.recorded, steps as f64 + 1.0);
        let held = held_frames(self, steps.saturating_add(1), keeps_poses) as f64;
        let bytes = frames * MEASURES + held * (FORCE * led as f64 + POSE * recorded.poses + POINT * recorded.points);
        let mut of = vec![format!("{} bones and bodies", grouped(recorded.poses))];
        of.extend((recorded.points > 0.0).then(|| format!("{} points", grouped(recorded.points))));
        counting.estimate.add(format!("recording: {} frames of {}", grouped(frames), of.join(" and ")), bytes);
        counting.estimate
    }
}

/// Poses and points in each frame of the recording.
#[derive(Clone, Copy, Debug, Default)]
struct Recorded {
    poses: f64,
    points: f64,
}

/// An estimate in progress.
struct Counting<'a> {
    assets: &'a Assets,
    is_particles: bool,
    recorded: Recorded,
    joints: f64,
    estimate: MemoryEstimate,
}

/// Sizes of a character: numbers of bones and of bodies, and extent of the rest pose, meters.
struct FigureSize {
    bones: f64,
    bodies: f64,
    extent: f64,
}

/// Copies of a thing along x, y and z, their distances (m), and the extents (m) within which they overlap.
struct Copies {
    grid: [u32; 3],
    spacing: DVec3,
    extent: DVec3,
}

impl Copies {
    fn count(&self) -> f64 {
        self.grid.iter().map(|&n| f64::from(n)).product()
    }

    /// Number of pairs that overlap.
    fn pairs(&self) -> f64 {
        let axis = |axis: usize| {
            let (n, spacing, extent) = (f64::from(self.grid[axis]), self.spacing[axis].abs(), self.extent[axis]);
            let apart = if spacing > 0.0 { libm::ceil(extent / spacing - 1e-9) - 1.0 } else { n };
            let apart = apart.clamp(0.0, n - 1.0);
            n * (1.0 + 2.0 * apart) - apart * (apart + 1.0)
        };
        0.5 * ((0..3).map(axis).product::<f64>() - self.count())
    }

    /// Whether copies lie close enough to become a heap.
    fn is_heap(&self) -> bool {
        (0..3).any(|axis| self.grid[axis] > 1 && self.spacing[axis].abs() <= 2.0 * self.extent[axis])
    }
}

/// Things by place and size: those of one size in one place overlap.
#[derive(Default)]
struct PlaceCounts(BTreeMap<([i64; 3], [u64; 3]), (f64, f64)>);

impl PlaceCounts {
    /// Adds a thing; `bytes` is the size of the contacts of a pair.
    fn add(&mut self, position: DVec3, extent: DVec3, bytes: f64) {
        let cell = (position / extent).to_array().map(|place| libm::floor(place) as i64);
        let (count, most) = self.0.entry((cell, extent.to_array().map(f64::to_bits))).or_default();
        (*count, *most) = (*count + 1.0, most.max(bytes));
    }

    fn bytes(&self) -> f64 {
        self.0.values().map(|(count, bytes)| 0.5 * count * (count - 1.0) * bytes).sum()
    }
}

impl Counting<'_> {
    /// The first number under particles, the second under rigid bodies.
    fn of_method(&self, particles: f64, rigid: f64) -> f64 {
        if self.is_particles { particles } else { rigid }
    }

    /// Adds a thing, and the pairs of its copies that overlap at the start.
    fn copies(&mut self, name: &str, copies: &Copies, each: f64, pair: f64) {
        let pairs = copies.pairs();
        let count = copies.count();
        let all = if count > 1.0 { format!("{name}: {} copies", grouped(count)) } else { name.to_owned() };
        self.estimate.add(all, count * each);
        if pairs > 0.0 {
            self.estimate.add(format!("{name}: {} pairs that overlap at the start", grouped(pairs)), pairs * pair);
        }
    }

    fn figure(&self, word: &str) -> FigureSize {
        let Ok(cast) = self.assets.cast(word) else { return FigureSize { bones: 20.0, bodies: 20.0, extent: 1.7 } };
        let skeleton = &cast.character.skeleton;
        let places = RagdollStart::at_rest(skeleton).pose;
        let range = |axis: usize| {
            let along = places.iter().map(|(place, _)| place[axis]);
            along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)
        };
        let bodies = cast.character.bodies.iter().filter(|body| body.mass > 0.0).count() as f64;
        FigureSize { bones: skeleton.len() as f64, bodies, extent: (0..3).map(range).fold(0.0, f64::max) }
    }

    fn figures(&mut self, scene: &Scene) {
        let mut places = PlaceCounts::default();
        for ragdoll in &scene.ragdolls {
            let figure = self.figure(&ragdoll.source().word());
            // One or two contacts each: of more, the deepest count.
            let pair = self.of_method(3e3, 4e3);
            // Standing and lying people overlap within about a quarter of their height.
            let extent = DVec3::splat((0.25 * figure.extent).max(1e-3));
            let copies = Copies { grid: ragdoll.grid, spacing: ragdoll.spacing, extent };
            let name = format!("ragdoll “{}” of {} bodies", ragdoll.name, figure.bodies);
            self.copies(&name, &copies, figure.bodies * self.of_method(9e3, 16e3), pair);
            self.recorded.poses += copies.count() * figure.bones;
            self.joints += copies.count() * figure.bodies;
            places.add(ragdoll.position, extent, pair);
        }
        self.estimate.add("ragdolls in one place".into(), places.bytes());
        for herd in &scene.herds {
            let figure = self.figure(&herd.character);
            let side = libm::ceil(libm::sqrt(f64::from(herd.count)));
            let extent = DVec3::splat(0.25 * figure.extent);
            let square = Copies { grid: [side as u32, 1, side as u32], spacing: DVec3::splat(herd.spacing), extent };
            let count = f64::from(herd.count);
            let each = if herd.alone { self.of_method(2.1e3, 1.1e3) } else { self.of_method(2.1e3, 16e3) };
            let pair = self.of_method(3e3, figure.bodies * figure.bodies * 640.0);
            let name = format!("herd “{}” of {} × {} bodies", herd.name, grouped(count), figure.bodies);
            self.estimate.add(name, count * figure.bodies * each);
            if !herd.alone {
                let pairs = square.pairs() * count / square.count();
                let name = format!("herd “{}”: {} pairs that overlap at the start", herd.name, grouped(pairs));
                self.estimate.add(name, pairs * pair);
            }
            self.recorded.poses += count * figure.bones;
            self.joints += count * figure.bodies;
        }
    }

    fn solids(&mut self, scene: &Scene) {
        let mut places = PlaceCounts::default();
        // Bytes of one, of a pair that overlaps, and of one in a heap, under particles.
        let mut solid = |counting: &mut Self, name: String, copies: Copies, at: DVec3, [each, pair, heap]: [f64; 3]| {
            let heap = if copies.is_heap() { heap * counting.of_method(1.0, 0.2) } else { 0.0 };
            let pair = counting.of_method(pair, 6e3);
            counting.copies(&name, &copies, each + heap, pair);
            counting.recorded.poses += copies.count();
            places.add(at, copies.extent, pair);
        };
        for thing in &scene.boxes {
            let copies = Copies { grid: thing.grid, spacing: thing.spacing, extent: thing.size };
            solid(self, format!("box “{}”", thing.name), copies, thing.position, [12e3, 127e3, 200e3]);
        }
        for thing in &scene.balls {
            let copies = Copies { grid: thing.grid, spacing: thing.spacing, extent: DVec3::splat(2.0 * thing.radius) };
            solid(self, format!("ball “{}”", thing.name), copies, thing.position, [12e3, 1e3, 0.0]);
        }
        for thing in &scene.capsules {
            let extent = DVec3::splat(2.0 * thing.radius) + DVec3::Y * thing.length;
            let copies = Copies { grid: thing.grid, spacing: thing.spacing, extent };
            solid(self, format!("capsule “{}”", thing.name), copies, thing.position, [12e3, 1e3, 0.0]);
        }
        for thing in &scene.tetrahedra {
            let copies = Copies { grid: thing.grid, spacing: thing.spacing, extent: DVec3::splat(0.7 * thing.size) };
            solid(self, format!("tetrahedron “{}”", thing.name), copies, thing.position, [12e3, 14e3, 30e3]);
        }
        for thing in &scene.carved {
            let mesh = self.assets.meshes.get(&thing.mesh);
            let triangles = mesh.map_or(0.0, |mesh| mesh.triangles.len() as f64);
            let range = |axis: usize| {
                let along = mesh.into_iter().flat_map(|mesh| &mesh.points).map(|point| point[axis]);
                (along.clone().fold(f64::MIN, f64::max) - along.fold(f64::MAX, f64::min)).clamp(1e-6, 1e6) * thing.scale
            };
            let extent = DVec3::from_array([0, 1, 2].map(range));
            let copies = Copies { grid: thing.grid, spacing: thing.spacing, extent };
            let each = 12e3 + triangles * self.of_method(600.0, 100.0);
            let name = format!("body “{}” of “{}”", thing.name, file_word(&thing.mesh));
            solid(self, name, copies, thing.position, [each, 127e3, 200e3]);
        }
        self.estimate.add("bodies in one place".into(), places.bytes());
    }

    fn soft(&mut self, scene: &Scene) {
        for rope in &scene.ropes {
            self.line(&format!("rope “{}”", rope.name), rope.segments);
        }
        for flail in &scene.flails {
            self.line(&format!("flail “{}”", flail.name), flail.segments);
        }
        for cloth in &scene.cloths {
            self.cloth(cloth);
        }
        for plant in &scene.plants {
            // A branch has two segments.
            let points = f64::from(plant.segments) + 2.0 * f64::from(plant.branches);
            self.points(format!("plant “{}” of {} points", plant.name, grouped(points)), points, points * 1.5e3);
        }
        for points in &scene.points {
            let sticks = points.sticks.len() + points.strings.len() + 3 * points.triangles.len();
            let count = points.positions.len() as f64;
            let name = format!("points “{}”: {} points", points.name, grouped(count));
            self.points(name, count, count * 1.5e3 + sticks as f64 * 500.0);
        }
    }

    fn line(&mut self, name: &str, segments: u32) {
        let segments = f64::from(segments);
        self.estimate.add(format!("{name} of {} segments", grouped(segments)), segments * self.of_method(1.2e3, 12e3));
        self.joints += segments;
        self.recorded.points += segments;
        if !self.is_particles {
            self.recorded.poses += segments;
        }
    }

    fn cloth(&mut self, cloth: &Cloth) {
        let (columns, rows) = (f64::from(cloth.columns), f64::from(cloth.rows));
        let mesh = self.assets.meshes.get(&cloth.mesh);
        let points = mesh.map_or((columns + 1.0) * (rows + 1.0), |mesh| mesh.points.len() as f64);
        let is_held = !(cloth.pins.is_empty() && cloth.pin_points.is_empty());
        // Folds that touch: the more layers of cells within the thickness, the more pairs of triangles.
        let cell = (cloth.width / columns).min(cloth.depth / rows);
        let layers = if mesh.is_some() { 1.0 } else { cloth.thickness / cell };
        let own = match cloth.self_collision {
            false => 0.0,
            true if layers < 0.5 => 1e3,
            true if layers < 2.0 => 17e3,
            true => 27e3,
        };
        let bending = if cloth.bend_compliance.is_some() { 0.4e3 } else { 0.0 };
        let each = 2.5e3 + own + bending + if is_held { 0.8e3 } else { 0.0 };
        self.points(format!("cloth “{}” of {} points", cloth.name, grouped(points)), points, points * each);
    }

    fn points(&mut self, name: String, points: f64, bytes: f64) {
        self.estimate.add(name, bytes);
        self.recorded.points += points;
    }

    fn obstacles(&mut self, scene: &Scene) {
        for obstacle in &scene.obstacles {
            let mesh = self.assets.meshes.get(&obstacle.mesh);
            let triangles = mesh.map_or(0, |mesh| mesh.triangles.len()) + obstacle.heights.len();
            let steps = f64::from(obstacle.steps);
            let bytes = 1.2e3 * steps + 300.0 * triangles as f64 + 200.0 * obstacle.points.len() as f64;
            self.estimate.add(format!("obstacle “{}”", obstacle.name), bytes);
            if obstacle.moves() {
                self.recorded.poses += steps;
                self.recorded.points += mesh.map_or(0.0, |mesh| mesh.points.len() as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Ball;
    use super::*;

    #[test]
    fn pairs_of_a_grid_are_those_that_a_count_finds() {
        let (grid, spacing, extent) = ([5, 2, 3], DVec3::new(0.2, 1.0, 0.0), DVec3::new(0.5, 0.5, 0.1));
        let all: Vec<[i32; 3]> =
            (0..5).flat_map(|x| (0..2).flat_map(move |y| (0..3).map(move |z| [x, y, z]))).collect();
        let overlap = |a: &[i32; 3], b: &[i32; 3]| {
            (0..3).all(|axis| f64::from((a[axis] - b[axis]).abs()) * spacing[axis] < extent[axis])
        };
        let pairs = all.iter().enumerate().flat_map(|(index, a)| all[..index].iter().filter(move |b| overlap(a, b)));
        assert_eq!(Copies { grid, spacing, extent }.pairs(), pairs.count() as f64);
    }

    #[test]
    fn a_recording_grows_with_frames_and_bodies() {
        let ball = Ball { name: "b".into(), grid: [10, 1, 1], ..Ball::default() };
        let scene = Scene { balls: vec![ball], ..Scene::default() };
        let [short, long] = [0, 1_000_000].map(|steps| scene.memory(&Assets::default(), steps, true));
        // Ten positions and orientations of seven numbers in each frame.
        assert!(long.bytes() - short.bytes() > 1_000_000 * 10 * 7 * 8);
        let without_poses = scene.memory(&Assets::default(), 1_000_000, false);
        assert!(without_poses.bytes() - short.bytes() < 300_000_000);
        let largest = long.largest().unwrap();
        assert_eq!(largest.name, "recording: 1,000,001 frames of 10 bones and bodies");
        assert!(largest.bytes > long.bytes() / 2);
    }
}
