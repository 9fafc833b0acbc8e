//! Random scenes: each is refused in a sentence, or runs on finite numbers (X14).

mod draw;

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use muybridge::glam::{DQuat, DVec3};
use muybridge::rigid::motion::vector;
use muybridge::simulation::assets::TriangleMesh;
use muybridge::simulation::recording::{Drawn, Measures, Recording};
use muybridge::simulation::scene::{Method, SceneError, Thing, Walker};
use muybridge::simulation::{Assets, Scene, World};
use muybridge_files::scene::{load, read_unchecked, write};

/// Seeds of the test: a range without scenes that put hundreds of ragdoll parts inside others.
const SEEDS: Range<u64> = 40..81;

/// Seed of flails that begin meters inside the ground, which displacement takes minutes to bring out.
const SLOW: u64 = 45;

/// Number of steps of each run.
const STEPS: u32 = 10;

#[test]
fn x14_scenes_by_chance_run_or_say_why_not() {
    let (assets, mut ran) = (assets(), 0);
    for seed in SEEDS.filter(|&seed| seed != SLOW) {
        let scene = draw::scene(seed);
        let read = read_unchecked(write(&scene).as_bytes());
        assert_eq!(read.as_ref(), Ok(&scene), "seed {seed}: another scene comes back");
        for method in [Method::Particles, Method::Multipliers, Method::Displacement] {
            let mut scene = scene.clone();
            scene.solver.method = method;
            let outcome = catch_unwind(AssertUnwindSafe(|| run(scene, &assets)));
            match outcome.unwrap_or_else(|_| panic!("seed {seed} panics under {method:?}")) {
                Ok(moving) => ran += usize::from(moving > 0),
                Err(problem) => panic!("seed {seed} under {method:?}: {problem}"),
            }
        }
    }
    assert!(ran > 80, "{ran} of 120 worlds had something to move");
}

/// Runs a scene after removing its refused parts. Returns the number of moving particles or bodies, or the failure.
fn run(mut scene: Scene, assets: &Assets) -> Result<usize, String> {
    let mut world = loop {
        match World::new(scene.clone(), assets) {
            Ok(world) => break world,
            Err(fault) if fault.message.trim().is_empty() => return Err(format!("refused without a word: {fault:?}")),
            Err(fault) => {
                let (before, method) = (scene.clone(), scene.solver.method);
                scene.walk(&mut Without(&fault));
                scene.solver.method = method;
                if scene == before {
                    return Ok(0);
                }
            }
        }
    };
    for step in 0..=STEPS {
        if let Some(problem) = no_number_of(&world) {
            return Err(format!("step {step}: {problem}"));
        }
        world.step();
    }
    Ok(world.count().particles + world.count().bodies)
}

/// Removes the thing that an error names; a section that exists once is reset to its defaults.
struct Without<'a>(&'a SceneError);

impl Walker for Without<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        if T::KIND == self.0.kind {
            *section = T::default();
        }
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if T::KIND == self.0.kind && self.0.index < things.len() {
            things.remove(self.0.index);
        }
    }
}

/// All assets that a random scene may name.
fn assets() -> Assets {
    let ragdoll = |name| format!("[[ragdoll]]\nname = \"{name}\"\ncharacter = \"{name}\"\n");
    let text = ["humanoid", "mannequin", "quadruped"].map(ragdoll).concat();
    let (mut assets, _) = load(&read_unchecked(text.as_bytes()).unwrap(), Path::new("")).unwrap();
    let points = vec![DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::new(1.0, 0.0, 1.0)];
    let sheet = TriangleMesh { points, triangles: vec![[0, 2, 1], [1, 2, 3]] };
    assets.meshes.insert(draw::MESH.into(), sheet);
    assets
}

/// The first value of a world that is not finite, in words; `None` if all are.
fn no_number_of(world: &World) -> Option<String> {
    if let Some(particles) = world.particles() {
        for (particle, place) in particles.state.positions.iter().enumerate() {
            let velocity = particles.velocity(particle);
            if !(place.is_finite() && velocity.is_finite()) {
                return Some(format!("particle {particle} is at {place} with {velocity}"));
            }
        }
    }
    if let Some(bodies) = world.bodies() {
        for (body, (pose, momentum)) in bodies.state.poses.iter().zip(&bodies.state.momenta).enumerate() {
            let all = [pose.place(), pose.turn() * DVec3::ONE, vector(momentum.linear), vector(momentum.angular)];
            if all.iter().any(|v| !v.is_finite()) {
                return Some(format!("body {body}: {all:?}"));
            }
        }
    }
    no_number_in(&world.snapshot())
}

fn no_number_in(seen: &Recording) -> Option<String> {
    let is_posed = |(place, turn): &(DVec3, DQuat)| place.is_finite() && turn.is_finite();
    let are_placed = |points: &Vec<DVec3>| points.iter().all(|point| point.is_finite());
    let is_drawn = |drawn: &Drawn| match drawn {
        Drawn::Body { poses, .. } => poses.iter().all(is_posed),
        Drawn::Lines { points, .. } | Drawn::Mesh { points, .. } => points.iter().all(are_placed),
    };
    if let Some(track) = seen.tracks.iter().find(|track| !is_drawn(&track.drawn)) {
        return Some(format!("“{}” is drawn nowhere", track.name));
    }
    if let Some((name, ..)) = seen.characters.iter().find(|(_, _, clip)| clip.check_finite().is_err()) {
        return Some(format!("“{name}” has no pose"));
    }
    let mut efforts = seen.exertions.iter().flat_map(|own| own.efforts.iter().map(move |effort| (&own.action, effort)));
    if let Some((action, effort)) = efforts.find(|(_, (force, torque))| !(force.is_finite() && torque.is_finite())) {
        return Some(format!("“{action}” pushes by {effort:?}"));
    }
    let unmeasured = seen.measures.iter().find(|measures| !are_numbers(measures));
    unmeasured.map(|measures| format!("{measures:?}"))
}

fn are_numbers(measures: &Measures) -> bool {
    let Measures { kinetic_energy, potential_energy, momentum, angular_momentum, .. } = *measures;
    let Measures { worst_stretch, worst_gap, rms_gap, worst_limit, worst_penetration, asleep, .. } = *measures;
    let errors = [worst_stretch, worst_gap, rms_gap, worst_limit, worst_penetration, asleep];
    let sums = [kinetic_energy, potential_energy];
    momentum.is_finite() && angular_momentum.is_finite() && errors.iter().chain(&sums).all(|number| number.is_finite())
}
