//! Microseconds per step of a ragdoll that tracks a clip and of a limp one: rigid bodies, particles and herd, in one
//! run.
//!
//! `cargo bench -p muybridge --bench driving`, with `-- particles` for particles only. CPU time, the best of several
//! runs taken in turn. Both ragdolls fall freely, so that they differ only by the drive: sensing, deciding, setting
//! targets and the solve.

mod clock;

use clock::cpu_seconds;
use muybridge::behavior::{ClipTracker, HerdTrack, ParticleDrives, RagdollModel, RigidDrives, Sensed};
use muybridge::glam::{DQuat, DVec3};
use muybridge::particles::herd::{Herd, HerdSettings, InstancePlacement};
use muybridge::ragdoll::{self, Inherited, RagdollSettings, RagdollStart};
use muybridge::{particles, rigid, samples};

const RUNS: usize = 15;
const STEPS: usize = 240;
const HERD: u32 = 256;
const STEP: f64 = 1.0 / 60.0;

fn main() {
    let only = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    println!("| ragdoll | limp, µs per step | driven, µs per step | ratio |");
    println!("| ------- | ----------------: | ------------------: | ----: |");
    let all = [
        ("rigid bodies", of_bodies as fn(bool) -> f64),
        ("particles, 16 substeps", |is_driven| of_particles(is_driven, 16)),
        ("particles, 64 substeps", |is_driven| of_particles(is_driven, 64)),
        ("one of a herd of 256", of_herd),
    ];
    for (name, of) in all.into_iter().filter(|(name, _)| name.contains(&only)) {
        let (mut limp, mut driven) = (f64::MAX, f64::MAX);
        for _ in 0..RUNS {
            limp = limp.min(of(false));
            driven = driven.min(of(true));
        }
        println!("| {name} | {:.1} | {:.1} | {:.2} |", limp * 1e6, driven * 1e6, driven / limp);
    }
}

fn start() -> RagdollStart {
    let character = samples::humanoid();
    RagdollStart::from_clip(&character.skeleton, &samples::walk(), 0, Inherited::Central)
        .expect("the sample has a first frame")
}

fn track(figure: &RagdollModel) -> ClipTracker {
    ClipTracker::new(figure, samples::walk(), 0.0, 1.0, 10.0)
}

fn of_bodies(is_driven: bool) -> f64 {
    let character = samples::humanoid();
    let ragdoll = ragdoll::rigid(&character, &start(), &RagdollSettings::default()).expect("the sample is a ragdoll");
    let figure = RagdollModel::of_rigid(&character, &ragdoll);
    let mut model = ragdoll.model.clone();
    let drives = is_driven.then(|| RigidDrives::add(&figure, &ragdoll, &mut model, 0));
    let settings = rigid::Settings { time_step: STEP, rest_steps: 0, ..rigid::Settings::default() };
    let mut world = rigid::World::new(model, &ragdoll.starts, settings).expect("a ragdoll is a world");
    let track = track(&figure);
    seconds(|| {
        if let Some(drives) = &drives {
            let sensed = Sensed::of_rigid(&ragdoll, &world);
            let wanted = track.decide(&figure, &sensed);
            drives.apply_pose_target(&wanted, &sensed, &mut world);
        }
        world.step();
    })
}

fn of_particles(is_driven: bool, substeps: u32) -> f64 {
    let character = samples::humanoid();
    let mut ragdoll =
        ragdoll::particles(&character, &start(), &RagdollSettings::default()).expect("the sample is a ragdoll");
    let figure = RagdollModel::of_particles(&character, &ragdoll);
    let mut model = core::mem::take(&mut ragdoll.model);
    let drives = is_driven.then(|| ParticleDrives::add(&figure, &ragdoll, &mut model));
    let settings = particles::Settings { time_step: STEP, substeps, ..particles::Settings::default() };
    let mut world = particles::World::new(model, settings).expect("a ragdoll is a world");
    let (track, mut before) = (track(&figure), None);
    seconds(|| {
        if let Some(drives) = &drives {
            let sensed = Sensed::of_particles(&ragdoll, &world, before.as_ref());
            let wanted = track.decide(&figure, &sensed);
            drives.apply_pose_target(&figure, &wanted, &sensed, &mut world);
            before = Some(sensed);
        }
        world.step();
    })
}

fn of_herd(is_driven: bool) -> f64 {
    let character = samples::humanoid();
    let ragdoll =
        ragdoll::particles(&character, &start(), &RagdollSettings::default()).expect("the sample is a ragdoll");
    let figure = RagdollModel::of_particles(&character, &ragdoll);
    let settings = HerdSettings { time_step: STEP, rest_steps: 0, ..HerdSettings::default() };
    let mut herd = Herd::new(&ragdoll.model, settings).expect("a ragdoll is a herd");
    let placement =
        |index: u32| InstancePlacement { position: DVec3::X * 3.0 * f64::from(index), ..InstancePlacement::default() };
    let slots: Vec<_> = (0..HERD).map(|index| herd.spawn(&placement(index)).unwrap()).collect();
    let track = HerdTrack::new(&figure, &ragdoll, &samples::walk(), (STEP, 1.0, 10.0));
    let mut step = 0;
    let all = seconds(|| {
        if is_driven {
            let place = |slot: usize| (DVec3::X * 3.0 * slot as f64, DQuat::IDENTITY);
            for (index, &slot) in slots.iter().enumerate() {
                track.apply_pose_target(step, place(index), &mut herd, slot).unwrap();
            }
        }
        herd.step();
        step += 1;
    });
    all / f64::from(HERD)
}

/// Seconds per step.
fn seconds(mut step: impl FnMut()) -> f64 {
    let start = cpu_seconds();
    (0..STEPS).for_each(|_| step());
    (cpu_seconds() - start) / STEPS as f64
}
