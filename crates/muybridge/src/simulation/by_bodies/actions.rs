//! Timed inputs to a world of rigid bodies: clips played and released, drags, hits, bombs, and last the wind.
//!
//! ```text
//! hit     J at the center of mass of a body                       (J32)
//! bomb    J = m s (x − b)/(‖x − b‖³ + ε³)  at every center          (J34)
//! drag    a mouse anchor jointed to the part, with the velocity of the path and 10⁵ times the scene's mass; else nearly massless
//! wind    F = k m u                        k: rate of drag; a free body ends at the wind's velocity u
//! ```
//! A ragdoll that plays a clip is set to the clip's pose before and after every step: it pushes, and nothing pushes it.
//! Specification: mathematics 3.16.

use core::ops::Range;

use glam::DVec3;

use super::{DirectedBodies, RigidHolder, World};
use crate::behavior::Sensed;
use crate::behavior::drive::Led;
use crate::math::rotation::angular_velocity;
use crate::particles::Placement;
use crate::rigid::{Momentum, Pose, rest};
use crate::simulation::actions::{along, is_in_step};
use crate::simulation::build::figures::pose_at;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{Hit, SceneError, Thing};
use crate::simulation::wind;

/// Puts ragdolls that play a clip into its starting pose. Fails if a hit names a part that does not exist.
pub(super) fn begin(world: &mut World) -> Result<(), SceneError> {
    lead_all(world, 0.0);
    let fault = |kind, index, message| SceneError { kind, index, key: "of", message };
    for (index, hit) in world.scene.hits.iter().enumerate().filter(|(_, hit)| world.world_of_soft(&hit.of).is_none()) {
        target(world, &hit.of).map_err(|message| fault(Hit::KIND, index, message))?;
    }
    Ok(())
}

/// Applies all inputs of the coming step.
pub(super) fn act(world: &mut World) {
    let (time, step) = (world.time(), world.bodies.settings.time_step);
    lead_all(world, time);
    for index in 0..world.actors.len() {
        if world.actors[index].plays.as_ref().is_some_and(|playing| is_due(world, playing.until)) {
            release(world, index);
        }
    }
    for index in 0..world.scene.hits.len() {
        if is_due(world, world.scene.hits[index].time) {
            strike(world, index);
        }
    }
    for index in 0..world.scene.explosions.len() {
        if is_due(world, world.scene.explosions[index].time) {
            explode(world, index);
        }
    }
    direct(world, time);
    lead_along(world, (time, step));
    let air = wind::air(&world.scene.winds, time).unwrap_or_default();
    if air != DVec3::ZERO {
        for &(body, rate) in &world.carried {
            world.bodies.add_wrench(body, air * rate, DVec3::ZERO);
        }
    }
}

/// Drives the ragdolls that have goals and play no clip.
fn direct(world: &mut World, time: f64) {
    let World { directions, actors, bodies, notes, .. } = world;
    for DirectedBodies { direction, drives, led } in directions {
        *led = Led::default();
        let actor = &actors[direction.actor];
        if actor.plays.as_ref().is_some_and(|playing| playing.goes_on(time, bodies.settings.time_step)) {
            continue;
        }
        let sensed = Sensed::of_rigid(&actor.ragdoll, bodies);
        let lost = direction.lost();
        let wanted = direction.decide(&sensed);
        if let Some(time) = direction.lost().filter(|_| lost != direction.lost()) {
            notes.push(format!(
                "{}: lost its clip at {time:.2} s; own_feet lets go, and its joints are limp",
                actor.name
            ));
        }
        match wanted {
            Some(wanted) => *led = drives.apply_pose_target(&wanted, &sensed, bodies),
            None => drives.release(bodies),
        }
    }
}

/// Sets ragdolls that play a clip to their pose after a step.
pub(super) fn follow(world: &mut World) {
    lead_all(world, world.time());
}

/// Whether a time is nearest to the start of the coming step.
fn is_due(world: &World, time: f64) -> bool {
    is_in_step(time, world.bodies.settings.time_step, world.bodies.state.steps)
}

fn lead_all(world: &mut World, time: f64) {
    let World { actors, bodies, .. } = world;
    let step = bodies.settings.time_step;
    for actor in actors.iter() {
        let Some(playing) = actor.plays.as_ref().filter(|playing| playing.holds(time, step)) else { continue };
        let at = |time: f64| {
            let seconds = playing.start + time.min(playing.until);
            pose_at(&actor.character.skeleton, &playing.clip, seconds, (playing.position, playing.rotation))
        };
        // In the frame of the release the clip goes on no more, but its velocity is the last one.
        let early = time.min(playing.until - step).max(0.0);
        let (pose, [now, next]) = (at(time), [at(early), at(early + step)]);
        for (index, own) in actor.ragdoll.bodies.iter().enumerate() {
            let ((p, q), (p_next, q_next)) = (now[own.bone], next[own.bone]);
            let velocity = (p_next + q_next * own.frame.center - p - q * own.frame.center) / step;
            let spin = angular_velocity(q, q_next, step);
            let (position, rotation) = pose[own.bone];
            let start = own.start(&Placement { position, rotation, velocity, angular_velocity: spin });
            put(bodies, actor.ragdoll.first + index, &start);
        }
    }
}

/// Sets pose and velocity of a body and wakes it.
fn put(bodies: &mut crate::rigid::World, body: usize, at: &crate::rigid::model::Start) {
    let turn = at.rotation.normalize();
    bodies.state.poses[body] = Pose::new(at.position, turn);
    bodies.state.momenta[body] = Momentum::of(&bodies.model.bodies[body], turn, at.velocity, at.angular_velocity);
    let tree = bodies.forest().tree[body];
    rest::wake(&mut bodies.state, tree);
}

/// Releases a ragdoll: it falls from its present pose with the velocity of the clip.
fn release(world: &mut World, index: usize) {
    let World { actors, bodies, .. } = world;
    let ragdoll = &actors[index].ragdoll;
    for (body, start) in ragdoll.starts.iter().enumerate() {
        put(bodies, ragdoll.first + body, start);
    }
}

/// Bodies of a thing, or the body of a bone. The error is a sentence if it does not exist.
pub(super) fn target(world: &World, part: &PartPath) -> Result<Range<usize>, String> {
    let one = |body: usize| body..body + 1;
    let holder = world.names.get(part.thing());
    match holder.ok_or_else(|| format!("names “{}”, but the scene has no thing of that name", part.thing()))? {
        RigidHolder::Actor(actor) => world.actors[*actor].body(part).map(one),
        RigidHolder::Solid(solid) => Ok(one(world.solids[*solid].body)),
        RigidHolder::Bodies(bodies) => Ok(bodies.clone()),
    }
}

impl World {
    /// Bodies of a part: all bodies of a ragdoll if the part names no bone; `None` if there are none.
    pub(in crate::simulation) fn bodies_of(&self, part: &PartPath) -> Option<Range<usize>> {
        match (self.names.get(part.thing())?, part.bone()) {
            (RigidHolder::Actor(actor), None) => {
                let ragdoll = &self.actors[*actor].ragdoll;
                Some(ragdoll.first..ragdoll.first + ragdoll.bodies.len())
            }
            _ => target(self, part).ok(),
        }
    }
}

fn strike(world: &mut World, index: usize) {
    let hit = &world.scene.hits[index];
    // [`begin`] has already refused parts that do not exist.
    let Ok(bodies) = target(world, &hit.of) else { return };
    let impulse = hit.impulse;
    let mass = |body: usize| world.bodies.model.bodies[body].mass;
    let total: f64 = bodies.clone().map(mass).sum();
    for body in bodies {
        let share = world.bodies.model.bodies[body].mass / total;
        let place = world.bodies.state.poses[body].place();
        // A body whose state is not finite cannot be hit; the run goes on.
        let _ = world.bodies.hit(body, impulse * share, place);
    }
}

fn explode(world: &mut World, index: usize) {
    let step = world.bodies.settings.time_step;
    for body in 0..world.own {
        let change = world.scene.explosions[index].change(world.bodies.state.poses[body].place());
        let force = change * (world.bodies.model.bodies[body].mass / step);
        world.bodies.add_wrench(body, force, DVec3::ZERO);
    }
}

/// Drags parts along their paths, each from its path's first time to the last.
fn lead_along(world: &mut World, (time, step): (f64, f64)) {
    let World { scene, bodies, carriers, own, .. } = world;
    let total: f64 = bodies.model.bodies[..*own].iter().map(|body| body.mass).sum();
    for (drag, carrier) in scene.pulls.iter().zip(carriers.iter_mut()) {
        let (Some(carrier), Some(begin), Some(end)) = (carrier, drag.path.first(), drag.path.last()) else { continue };
        let leads = time + 0.5 * step >= begin.time && time + 0.5 * step <= end.time;
        let (place, turn) = (bodies.state.poses[carrier.of].place(), bodies.state.poses[carrier.body].turn());
        let velocity = match leads {
            true => ((carrier.origin + along(&drag.path, time + step) - place) / step).clamp_length_max(FASTEST),
            false => {
                let of = &bodies.state.momenta[carrier.of];
                of.velocities(&bodies.model.bodies[carrier.of], bodies.state.poses[carrier.of].turn()).0
            }
        };
        carrier.given = leads.then_some(velocity);
        let mass = if leads { HEAVY * total } else { LIGHT * bodies.model.bodies[carrier.of].mass };
        bodies.model.bodies[carrier.body] = super::carrier_of(mass);
        bodies.state.poses[carrier.body] = Pose::new(place, turn);
        bodies.state.momenta[carrier.body] =
            Momentum::of(&bodies.model.bodies[carrier.body], turn, velocity, DVec3::ZERO);
        if leads {
            bodies.add_wrench(carrier.body, bodies.settings.gravity * -mass, DVec3::ZERO);
        }
    }
}

/// Mass of a mouse anchor that drags, as a multiple of all other mass.
const HEAVY: f64 = 1e5;
/// Mass of a mouse anchor that does not drag, as a multiple of its body's mass.
const LIGHT: f64 = 1e-6;
/// Greatest speed of a dragged part, m/s; a part away from its path goes there at this speed.
const FASTEST: f64 = 20.0;
