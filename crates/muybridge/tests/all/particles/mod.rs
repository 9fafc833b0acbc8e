//! Worlds of particles compared with theory: flights, pendulums, springs, chains, sleep, and external actions.

mod actions;
mod constraints;
mod contact;
mod degenerate;
mod motion;
mod pendulums;
mod sleep;

use muybridge::glam::DVec3;
use muybridge::particles::{Distance, Model, Object, Plane, Settings, World};

/// Acceleration of gravity in the default settings.
const G: f64 = 9.81;

/// Settings with one substep per step and without sleep.
fn plain() -> Settings {
    Settings { substeps: 1, rest_steps: 0, ..Settings::default() }
}

/// Settings without gravity, one substep per step.
fn weightless() -> Settings {
    Settings { gravity: DVec3::ZERO, ..plain() }
}

/// Particles of 1 kg at rest.
fn points(positions: &[DVec3]) -> Model {
    let count = positions.len();
    Model {
        positions: positions.to_vec(),
        velocities: vec![DVec3::ZERO; count],
        masses: vec![1.0; count],
        ..Model::default()
    }
}

/// A chain from the origin along x, its first particle immovable.
fn chain(sticks: usize, length: f64) -> Model {
    let mut model = points(&(0..=sticks).map(|i| DVec3::X * (i as f64 * length)).collect::<Vec<_>>());
    model.masses[0] = f64::INFINITY;
    model.distances = (0..sticks).map(|i| Distance::rigid([i, i + 1], length)).collect();
    model
}

/// Puts all particles in one object with the given drag.
fn with_drag(mut model: Model, drag: f64) -> Model {
    let particles = 0..model.positions.len();
    model.objects = vec![Object { drag, ..Object::smooth(particles) }];
    model
}

/// A floor at height 0 for every particle.
fn on_floor(mut model: Model) -> Model {
    let floor = |particle| Plane { particle, normal: DVec3::Y, offset: 0.0, both_sides: false };
    model.planes = (0..model.positions.len()).map(floor).collect();
    model
}

fn world(model: Model, settings: Settings) -> World {
    World::new(model, settings).expect("a sound model")
}

fn steps(world: &mut World, count: usize) {
    (0..count).for_each(|_| world.step());
}

/// All values of a state as bits, for exact comparison.
fn bits(world: &World) -> Vec<u64> {
    let state = &world.state;
    let lists = [&state.positions, &state.previous, &state.earlier];
    lists.into_iter().flatten().flat_map(|v| v.to_array().map(f64::to_bits)).collect()
}
