//! Microseconds per frame for kinematics and centroidal momentum of a 24-bone character from a clip in memory.
//!
//! `cargo bench -p muybridge --bench centroidal`. The character is the SMPL tree with 24 capsules, the workload of
//! `bench/peers/pinocchio`. All variants take turns, round after round, so that a busy machine slows all of them. The
//! table has the fastest and the median round, in CPU time of the process if the system provides it (rows with two
//! threads in wall time). Two references run along: the same computation in the straightforward way, one frame after
//! the other with `glam`, and the time to read the clip.

mod clock;

use std::hint::black_box;
use std::time::Instant;

use clock::cpu_seconds;
use muybridge::analysis::centroidal_motion_with_width;
use muybridge::character::{Body, Bone, Character, JointRange, Skeleton};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation;
use muybridge::math::{Kernel, Lanes, Width};
use muybridge::motion::{Clip, WorldBlock, WorldMotion};

fn main() {
    let character = humanoid();
    let seconds = moving_clip(1_000);
    measure("1 000 frames, 1.3 MB", &seconds, variants(&character, &seconds, true), 301);
    let short = moving_clip(10_000);
    measure("10 000 frames, 13 MB", &short, variants(&character, &short, true), 61);
    let long = repeated(&short, 100);
    measure("1 000 000 frames, 1.3 GB", &long, variants(&character, &long, false), 7);
}

/// A variant of the computation, a row of the table.
struct Variant<'a> {
    name: String,
    threads: usize,
    work: Box<dyn Fn() + Send + Sync + 'a>,
}

fn variants<'a>(character: &'a Character, clip: &'a Clip, with_scalar: bool) -> Vec<Variant<'a>> {
    let mut variants = Vec::new();
    let mut add = |name: String, threads, work: Box<dyn Fn() + Send + Sync + 'a>| {
        variants.push(Variant { name, threads, work });
    };
    if with_scalar {
        let poses = poses_of(clip);
        let frame_time = clip.frame_time;
        let work = move || _ = black_box(obvious_momentum(character, &poses, frame_time));
        add("kinematics + momentum, the obvious way".into(), 1, Box::new(work));
    }
    add("reading the clip".into(), 1, Box::new(|| _ = black_box(Width::widest().run(Sum(clip)))));
    for width in Width::all() {
        add(format!("kinematics, {width}"), 1, Box::new(move || kinematics(character, clip, width)));
    }
    let kept = || _ = black_box(WorldMotion::new(&character.skeleton, clip));
    add("kinematics, all poses kept".into(), 1, Box::new(kept));
    for width in Width::all() {
        let work = move || _ = black_box(centroidal_motion_with_width(character, clip, width));
        add(format!("kinematics + momentum, {width}"), 1, Box::new(work));
    }
    let widest = || _ = black_box(centroidal_motion_with_width(character, clip, Width::widest()));
    add(format!("kinematics + momentum, {}, 2 threads", Width::widest()), 2, Box::new(widest));
    variants
}

/// Runs all variants once per round and prints the table.
fn measure(title: &str, clip: &Clip, variants: Vec<Variant<'_>>, rounds: usize) {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
    let pools = [pool(1), pool(2)];
    let mut micros = vec![Vec::new(); variants.len()];
    for _ in 0..rounds {
        for (variant, micros) in variants.iter().zip(&mut micros) {
            let (start, start_of_cpu) = (Instant::now(), cpu_seconds());
            pools[variant.threads - 1].install(&variant.work);
            let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - start_of_cpu);
            let seconds = if variant.threads == 1 && cfg!(unix) { cpu } else { wall };
            micros.push(seconds * 1e6 / clip.frames() as f64);
        }
    }
    println!("{title}; µs per frame over {rounds} rounds\n");
    println!("| {:44} | fastest | median | × reading |", "24 bones, f64");
    println!("| {:-<44} | ------: | -----: | --------: |", "");
    let reading = variants.iter().position(|variant| variant.name == "reading the clip").expect("a row");
    let fastest = |row: usize| micros[row].iter().copied().fold(f64::INFINITY, f64::min);
    for (row, variant) in variants.iter().enumerate() {
        let mut sorted = micros[row].clone();
        sorted.sort_by(f64::total_cmp);
        let ratio = fastest(row) / fastest(reading);
        println!("| {:44} | {:7.3} | {:6.3} | {ratio:9.1} |", variant.name, fastest(row), sorted[rounds / 2]);
    }
    println!();
}

/// Computes world poses block by block and keeps none.
fn kinematics(character: &Character, clip: &Clip, width: Width) {
    let bones = character.skeleton.len();
    let length = WorldBlock::frames_in_cache(bones);
    let mut block = WorldBlock::new(bones, length);
    for first in (0..clip.frames()).step_by(length) {
        block.fill(&character.skeleton, clip, first..clip.frames().min(first + length), width);
    }
    black_box(&block);
}

/// Lane kernel for the sum of all numbers of a clip: a lower bound on the time of any pass over it.
struct Sum<'a>(&'a Clip);

impl Kernel for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) -> f64 {
        let mut sums = [V::splat(token, 0.0); 8];
        for bone in 0..self.0.bones() {
            let translations = (0..3).map(|component| self.0.translation_track(bone, component));
            let rotations = (0..4).map(|component| self.0.rotation_track(bone, component));
            for track in translations.chain(rotations) {
                for numbers in track.chunks_exact(8 * V::WIDTH) {
                    for (sum, numbers) in sums.iter_mut().zip(numbers.chunks_exact(V::WIDTH)) {
                        *sum = *sum + V::load(token, numbers);
                    }
                }
            }
        }
        let mut lanes = [0.0; 8];
        sums.into_iter().fold(V::splat(token, 0.0), |a, b| a + b).store(&mut lanes);
        lanes.iter().sum()
    }
}

/// Local transforms of all bones in one frame.
type Pose = Vec<(DQuat, DVec3)>;

fn poses_of(clip: &Clip) -> Vec<Pose> {
    let bone = |bone, frame| (clip.rotation(bone, frame), clip.translation(bone, frame));
    (0..clip.frames()).map(|frame| (0..clip.bones()).map(|index| bone(index, frame)).collect()).collect()
}

/// Center of mass, linear and angular momentum by the formulas of mathematics 6.1 and 6.2, written straightforwardly.
fn obvious_momentum(character: &Character, poses: &[Pose], frame_time: f64) -> Vec<[DVec3; 3]> {
    let worlds: Vec<Pose> = poses.iter().map(|pose| bodies_in_world(character, pose)).collect();
    let mass = character.mass();
    let center = |world: &Pose| {
        let moments = world.iter().zip(&character.bodies).map(|((_, position), body)| body.mass * *position);
        moments.sum::<DVec3>() / mass
    };
    let row = |worlds: &[Pose]| {
        let [before, world, after] = worlds else { unreachable!("windows of three") };
        let (seconds, center_here) = (2.0 * frame_time, center(world));
        let velocity = (center(after) - center(before)) / seconds;
        let mut total = DVec3::ZERO;
        for (index, body) in character.bodies.iter().enumerate() {
            let (turn, position) = world[index];
            let body_velocity = (after[index].1 - before[index].1) / seconds;
            let rate = rotation::log(after[index].0 * before[index].0.conjugate()) / seconds;
            total += (position - center_here).cross(body.mass * (body_velocity - velocity));
            total += turn * (body.inertia * (turn.conjugate() * rate));
        }
        [center_here, mass * velocity, total]
    };
    worlds.windows(3).map(row).collect()
}

/// World orientations and centers of the bodies in one frame.
fn bodies_in_world(character: &Character, pose: &Pose) -> Pose {
    let mut world: Pose = Vec::with_capacity(pose.len());
    for (bone, (turn, offset)) in character.skeleton.bones().iter().zip(pose) {
        let (parent_turn, parent_position) = bone.parent.map_or((DQuat::IDENTITY, DVec3::ZERO), |p| world[p]);
        world.push((parent_turn * *turn, parent_position + parent_turn * *offset));
    }
    for ((turn, position), body) in world.iter_mut().zip(&character.bodies) {
        *position += *turn * body.center;
    }
    world
}

/// The SMPL skeleton with a capsule of 2.9 kg on every bone.
fn humanoid() -> Character {
    let bone = |index: usize| Bone {
        name: format!("bone {index}"),
        parent: (index > 0).then(|| PARENTS[index]),
        translation: offset(index),
        rotation: DQuat::IDENTITY,
        ends: vec![],
    };
    let (mass, radius, height) = (70.0 / 24.0, 0.05, 0.15);
    let across = mass * (3.0 * radius * radius + height * height) / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(across, 0.5 * mass * radius * radius, across));
    let body = Body { mass, center: DVec3::Y * (0.5 * height), inertia, shapes: vec![] };
    Character {
        skeleton: Skeleton::new((0..24).map(bone).collect()).expect("parents stand first"),
        bodies: vec![body; 24],
        ranges: vec![JointRange::Free; 24],
        roles: vec![None; 24],
        contacts: vec![],
        body_source: "24 capsules".into(),
        measured_contacts: true,
    }
}

const PARENTS: [usize; 24] = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21];

fn offset(bone: usize) -> DVec3 {
    if bone == 0 {
        DVec3::ZERO
    } else {
        DVec3::new(0.02 * (bone % 3) as f64 - 0.02, 0.1 + 0.01 * (bone % 5) as f64, 0.01)
    }
}

/// A dance at 120 frames per second: every joint swings by up to half a radian at about 1 Hz.
fn moving_clip(frames: usize) -> Clip {
    let mut clip = Clip::new(24, frames, 1.0 / 120.0).expect("frames");
    for bone in 0..24 {
        for frame in 0..frames {
            let t = clip.time(frame) * (5.0 + 0.1 * bone as f64) + bone as f64;
            let phi = DVec3::new(libm::sin(t), libm::cos(1.3 * t), libm::sin(0.7 * t)) * 0.3;
            let travel = if bone == 0 { DVec3::new(libm::sin(0.1 * t), 1.0, libm::cos(0.1 * t)) } else { DVec3::ZERO };
            clip.set_rotation(bone, frame, rotation::exp(phi));
            clip.set_translation(bone, frame, offset(bone) + travel);
        }
    }
    clip
}

/// Repeats `clip` `times` times.
fn repeated(clip: &Clip, times: usize) -> Clip {
    let mut long = Clip::new(clip.bones(), clip.frames() * times, clip.frame_time).expect("frames");
    for bone in 0..clip.bones() {
        for frame in 0..long.frames() {
            long.set_rotation(bone, frame, clip.rotation(bone, frame % clip.frames()));
            long.set_translation(bone, frame, clip.translation(bone, frame % clip.frames()));
        }
    }
    long
}
