//! Timed inputs to a world of particles: clips played and released, drags, hits, bombs, and last the wind.
//!
//! ```text
//! hit     Δv_i = J c_i / m_i              c: barycentric weights of the point that is hit    (J32)
//! bomb    Δv = s (x − b)/(‖x − b‖³ + ε³)   s: meters per second at one meter                  (J34)
//! ```
//! Specification: mathematics 3.16.

use core::ops::Range;

use glam::DVec3;

use super::backend::Backend;
use super::build::figures::{particles_in, pose_at};
use super::build::{Actor, Holder, Playing};
use super::by_particles::World;
use super::scene::slot::{PartPath, Waypoint};
use super::scene::{Bomb, Drag, Hit, SceneError, Thing};
use super::wind;
use crate::behavior::Sensed;
use crate::behavior::drive::Led;
use crate::particles::Point;

/// Puts ragdolls that play a clip into its starting pose. Fails if an input names a part that does not exist.
pub(super) fn begin(world: &mut World) -> Result<(), SceneError> {
    for index in 0..world.actors.len() {
        let Some(playing) = world.actors[index].plays.clone() else { continue };
        lead(world, index, &playing, 0.0);
        let first = world.actors[index].ragdoll.first;
        for (offset, &place) in world.places.iter().enumerate() {
            let state = &mut world.particles.state;
            (state.positions[first + offset], state.previous[first + offset]) = (place, place);
            state.earlier[first + offset] = place;
        }
    }
    let fault = |kind, index, message| SceneError { kind, index, key: "of", message };
    for (index, hit) in world.scene.hits.iter().enumerate() {
        target(world, &hit.of).map_err(|message| fault(Hit::KIND, index, message))?;
    }
    for (index, drag) in world.scene.pulls.iter().enumerate() {
        let of = target(world, &drag.of).map_err(|message| fault(Drag::KIND, index, message))?;
        let origin = match of {
            InputTarget::Point(point) if drag.relative => point.position(&world.particles.state.positions),
            _ => DVec3::ZERO,
        };
        world.origins.push(origin);
    }
    Ok(())
}

/// Applies all inputs of the coming step.
pub(super) fn act(world: &mut World) {
    play(world);
    for index in 0..world.scene.hits.len() {
        if is_due(world, world.scene.hits[index].time) {
            let hit = world.scene.hits[index].clone();
            strike(world, &hit);
        }
    }
    for index in 0..world.scene.explosions.len() {
        if is_due(world, world.scene.explosions[index].time) {
            let bomb = world.scene.explosions[index].clone();
            explode(world, &bomb);
        }
    }
    for index in 0..world.scene.pulls.len() {
        pull(world, index);
    }
    direct(world);
    wind::blow(world);
}

/// Drives the ragdolls that have goals and play no clip.
fn direct(world: &mut World) {
    let (time, step) = (world.time(), world.particles.settings.time_step);
    let World { directions, actors, particles, .. } = world;
    for directed in directions {
        directed.led = Led::default();
        let actor = &actors[directed.direction.actor];
        if actor.plays.as_ref().is_some_and(|playing| playing.goes_on(time, step)) {
            continue;
        }
        let sensed = Sensed::of_particles(&actor.ragdoll, particles, directed.before.as_ref());
        match directed.direction.decide(&sensed) {
            Some(wanted) => {
                directed.led =
                    directed.drives.apply_pose_target(&directed.direction.figure, &wanted, &sensed, particles);
            }
            None => directed.drives.release(particles),
        }
        directed.before = Some(sensed);
    }
}

/// Whether a time is nearest to the start of the coming step.
fn is_due(world: &World, time: f64) -> bool {
    is_in_step(time, world.particles.settings.time_step, world.steps())
}

/// Whether a time is nearest to the start of step number `step`.
pub(super) fn is_in_step(time: f64, time_step: f64, step: u64) -> bool {
    libm::round(time / time_step) == step as f64
}

/// Moves ragdolls along the clips they play, and releases those whose time has come.
fn play(world: &mut World) {
    for index in 0..world.actors.len() {
        let (time, step) = (world.time(), world.particles.settings.time_step);
        let Some(playing) = &world.actors[index].plays else { continue };
        if is_due(world, playing.until) {
            release(world, index);
        } else if playing.goes_on(time, step) {
            let Some(playing) = world.actors[index].plays.take() else { continue };
            lead(world, index, &playing, time + step);
            world.actors[index].plays = Some(playing);
            let first = world.actors[index].ragdoll.first;
            for offset in 0..world.places.len() {
                // The particles are the actor's own, and a clip is finite: nothing is refused.
                let _ = world.particles.pin(first + offset, world.places[offset]);
            }
        }
    }
}

/// Writes the particle positions of an actor at `time`, seconds of the run, into the scratch buffer.
fn lead(world: &mut World, index: usize, playing: &Playing, time: f64) {
    let World { actors, places, .. } = world;
    let actor: &Actor = &actors[index];
    let seconds = playing.start + time.min(playing.until);
    let pose = pose_at(&actor.character.skeleton, &playing.clip, seconds, (playing.position, playing.rotation));
    particles_in(actor, &pose, places);
}

/// Releases a ragdoll: it falls from its present pose with the velocity of the clip.
fn release(world: &mut World, index: usize) {
    let World { actors, particles, .. } = world;
    let actor = &actors[index];
    let first = actor.ragdoll.first;
    let (positions, velocities) = &actor.released;
    for (offset, (&position, &velocity)) in positions.iter().zip(velocities).enumerate() {
        // The particles are the actor's own, and a clip is finite: nothing is refused.
        let _ = particles.unpin(first + offset);
        particles.state.positions[first + offset] = position;
        let _ = particles.set_velocity(first + offset, velocity);
    }
}

/// Particles that an input acts on.
pub(super) enum InputTarget {
    Point(Point),
    All(Range<usize>),
}

/// The center of a thing or bone. The error is a sentence if it does not exist.
pub(super) fn target(world: &World, part: &PartPath) -> Result<InputTarget, String> {
    let holder = world.names.get(part.thing());
    match holder.ok_or_else(|| format!("names “{}”, but the scene has no thing of that name", part.thing()))? {
        Holder::Actor(actor) => {
            let actor = &world.actors[*actor];
            let point = actor.ragdoll.center_of(actor.bone(part)?);
            point
                .map(InputTarget::Point)
                .ok_or_else(|| format!("names “{}”, which has no mass, so nothing can act on it", part.0))
        }
        Holder::Solid(solid) => {
            let solid = &world.solids[*solid];
            Ok(InputTarget::Point(solid.body.point(solid.first, solid.body.center)))
        }
        Holder::Particles(particles) => Ok(InputTarget::All(particles.clone())),
    }
}

fn strike(world: &mut World, hit: &Hit) {
    match target(world, &hit.of) {
        Ok(InputTarget::Point(point)) => {
            for (particle, weight) in point.particles.into_iter().zip(point.weights) {
                world.particles.add_impulse(particle, hit.impulse * weight);
            }
        }
        Ok(InputTarget::All(particles)) => {
            let masses = &world.particles.model().masses;
            let own: Vec<f64> =
                particles.clone().map(|p| if masses[p].is_finite() { masses[p] } else { 0.0 }).collect();
            let total: f64 = own.iter().sum();
            for (particle, mass) in particles.zip(own).filter(|_| total > 0.0) {
                world.particles.add_impulse(particle, hit.impulse * (mass / total));
            }
        }
        // [`begin`] has already refused parts that do not exist.
        Err(_) => {}
    }
}

fn explode(world: &mut World, bomb: &Bomb) {
    for particle in 0..world.particles.state.positions.len() {
        let mass = world.particles.model().masses[particle];
        let change = bomb.change(world.particles.state.positions[particle]);
        if mass.is_finite() {
            world.particles.add_impulse(particle, change * mass);
        }
    }
}

/// Drags a part along its path, from the path's first time to its last.
fn pull(world: &mut World, index: usize) {
    let Ok(InputTarget::Point(point)) = target(world, &world.scene.pulls[index].of) else { return };
    let (time, step) = (world.time(), world.particles.settings.time_step);
    let path = &world.scene.pulls[index].path;
    let (Some(begin), Some(end)) = (path.first(), path.last()) else { return };
    if time + 0.5 * step < begin.time {
        return;
    }
    if time + 0.5 * step > end.time {
        if world.particles.state.drags.iter().any(|drag| drag.point == point) {
            let _ = world.particles.release(&point);
        }
        return;
    }
    let to = world.origins[index] + along(path, time + step);
    // A path of a scene is finite: nothing is refused.
    let _ = world.particles.drag(point, to, f64::INFINITY);
}

/// Position on a path: linear between its points, constant before the first and after the last.
pub(super) fn along(path: &[Waypoint], time: f64) -> DVec3 {
    let next = path.partition_point(|point| point.time <= time);
    match (next.checked_sub(1).and_then(|before| path.get(before)), path.get(next)) {
        (Some(a), Some(b)) => a.place + (b.place - a.place) * ((time - a.time) / (b.time - a.time)),
        (Some(a), None) => a.place,
        (None, Some(b)) => b.place,
        (None, None) => DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_straight_between_its_points_and_at_rest_before_and_after() {
        let at = |time, x| Waypoint { time, place: DVec3::X * x };
        let path = [at(1.0, 0.0), at(2.0, 2.0), at(4.0, 4.0)];
        let places = [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(|time| along(&path, time).x);
        assert_eq!(places, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 4.0]);
    }
}
