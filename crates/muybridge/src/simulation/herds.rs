//! Herds of a scene: thousands of ragdolls of one character, each in a lane.
//!
//! They stand in rows of a square, fall, touch one another, and are recorded body by body. Of the obstacles they see the ground, half-spaces,
//! balls, capsules and boxes that do not move; what they do not see, a note says. That is so under particles; where they are rigid bodies,
//! `by_bodies` has them, which begin in the same places.

mod measured;
mod told;

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::assets::Assets;
use super::obstacles::Standing;
use super::recording::{Drawn, Track};
use super::scene::{Fault, Herd as Said, Scene, Setting, Solver, Thing};
use crate::character::Character;
use crate::collision::obstacle::{Obstacle, ObstacleShape};
use crate::collision::shape::PlacedShape;
use crate::math::random::Random;
use crate::particles::herd::{self, Herd, HerdSettings, HerdState, Slot};
use crate::ragdoll::{Bones, Ragdoll, RagdollSettings, particles};
use told::Told;

pub(super) use told::start;

/// A herd that runs.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub name: String,
    pub herd: Herd,
    pub slots: Vec<Slot>,
    ragdoll: Ragdoll,
    /// The solids of each body, in its frame.
    pub shapes: Vec<Vec<PlacedShape>>,
    gravity: DVec3,
    told: Option<Box<Told>>,
}

/// The herds of a scene, and what they do not see, one sentence each.
pub(super) fn herds(
    scene: &Scene,
    assets: &Assets,
    standing: &[Standing],
) -> Result<(Vec<Running>, Vec<String>), Fault> {
    let (seen, mut notes) = seen(standing);
    if scene.herds.is_empty() {
        notes.clear();
    }
    let mut all = Vec::new();
    for (index, said) in scene.herds.iter().enumerate() {
        let mut running = running(scene, (index, said), assets)?;
        running.herd.set_obstacles(&seen);
        all.push(running);
    }
    Ok((all, notes))
}

fn running(scene: &Scene, (index, said): (usize, &Said), assets: &Assets) -> Result<Running, Fault> {
    let fault = |message: String| Fault { kind: Said::KIND, index, key: "character", message };
    let cast = assets.cast(&said.character).map_err(fault)?;
    let character = &cast.character;
    let settings = settings(said);
    let start = start(scene, said, character, &cast.clips)?;
    let ragdoll = particles(character, &start, &settings).map_err(|error| fault(format!("is no ragdoll: {error}")))?;
    let pace = HerdSettings {
        time_step: 1.0 / scene.setting.rate,
        gravity: scene.setting.gravity,
        substeps: said.substeps,
        meeting_substeps: said.substeps,
        rest_speed: said.rest_speed,
        rest_steps: scene.solver.steps_at_rest(&scene.setting),
        touch_each_other: !said.alone,
        ..HerdSettings::default()
    };
    let mut herd = Herd::new(&ragdoll.model, pace).map_err(|error| fault(format!("makes no herd: {error}")))?;
    let members = members(scene, said, middle(&ragdoll));
    let slots = members.iter().map(|member| herd.spawn(&member.placement)).collect();
    let place = |member: &Member| (member.placement.position, member.placement.rotation, member.delay);
    let places = members.iter().map(place).collect();
    let step = 1.0 / scene.setting.rate;
    let told = Told::new(scene, said, (character, &cast.clips), (&ragdoll, step), places)?.map(Box::new);
    let shapes = ragdoll.bodies.iter().enumerate().map(|(body, _)| shapes(&ragdoll.bones, character, body)).collect();
    Ok(Running { name: said.name.clone(), herd, slots, ragdoll, shapes, gravity: scene.setting.gravity, told })
}

impl Running {
    /// Goes on by one frame that begins `time` seconds after the start.
    pub fn step(&mut self, time: f64) {
        if let Some(told) = &mut self.told {
            told.want(time, &mut self.herd, &self.slots);
        }
        self.herd.step();
    }

    /// Takes gravity, time step and the time to rest of other settings; its substeps and its rest speed are its own.
    pub fn tune(&mut self, setting: &Setting, solver: &Solver) {
        let settings = HerdSettings {
            time_step: 1.0 / setting.rate,
            gravity: setting.gravity,
            rest_steps: solver.steps_at_rest(setting),
            ..self.herd.settings().clone()
        };
        // What a scene may not say is refused before it comes here.
        if self.herd.tune(settings).is_ok() {
            self.gravity = setting.gravity;
        }
        if let Some(told) = &mut self.told {
            told.tune(&self.ragdoll, 1.0 / setting.rate);
        }
    }
}

/// Center of mass at the start, metres.
fn middle(ragdoll: &Ragdoll) -> DVec3 {
    let (positions, masses) = (&ragdoll.model.positions, &ragdoll.model.masses);
    let total: f64 = masses.iter().sum();
    positions.iter().zip(masses).map(|(position, mass)| *position * *mass).sum::<DVec3>() / total
}

/// What the skin and the joints of its ragdolls are like.
pub(super) fn settings(said: &Said) -> RagdollSettings {
    let usual = RagdollSettings { friction: said.friction, ..RagdollSettings::default() };
    match said.alone {
        true => RagdollSettings { touches_itself: false, joint_friction: 0.0, ..usual },
        false => usual,
    }
}

/// One of a herd at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub placement: herd::Placement,
    /// Seconds with which it begins what the herd follows.
    pub delay: f64,
}

/// All of a herd whose center of mass is at `middle` (metres) before they are placed.
pub(super) fn members(scene: &Scene, said: &Said, middle: DVec3) -> Vec<Member> {
    let mut chance = Random::new(u64::from(scene.setting.seed));
    let side = libm::ceil(libm::sqrt(f64::from(said.count))) as u32;
    let placed: Vec<_> = (0..said.count).map(|index| placed(said, index, side, middle, &mut chance)).collect();
    placed.into_iter().map(|placement| Member { placement, delay: said.stagger * chance.unit() }).collect()
}

/// Where one of a herd begins: its place in the square, `height` above its rest pose, turned about its center of mass.
fn placed(said: &Said, index: u32, side: u32, middle: DVec3, chance: &mut Random) -> herd::Placement {
    let place = |n: u32| (f64::from(n) - 0.5 * f64::from(side - 1)) * said.spacing;
    let rotation = if said.tumble { chance.rotation() } else { DQuat::IDENTITY };
    let (sine, cosine) = libm::sincos(TAU * chance.unit());
    let speed = said.speed * chance.unit();
    let spin = chance.vector() * said.spin;
    let position = DVec3::new(place(index % side), said.height, place(index / side)) + middle - rotation * middle;
    herd::Placement { position, rotation, velocity: DVec3::new(cosine, 0.0, sine) * speed, spin }
}

/// A track for each body of each of `count` ragdolls that have these solids.
pub(super) fn tracks<'a>(name: &'a str, shapes: &'a [Vec<PlacedShape>], count: usize) -> impl Iterator<Item = Track> {
    let body = move |shapes: &Vec<PlacedShape>| Track {
        name: name.to_owned(),
        obstacle: false,
        drawn: Drawn::Body { shapes: shapes.clone(), shell: None, poses: Vec::new() },
    };
    (0..count).flat_map(move |_| shapes.iter().map(body))
}

/// The solids of the bones that ride on a body, in its frame.
pub(super) fn shapes(bones: &Bones, character: &Character, body: usize) -> Vec<PlacedShape> {
    let mut all = Vec::new();
    for (bone, own) in character.bodies.iter().enumerate() {
        let Some(ride) = bones.rides[bone].filter(|ride| ride.body == body) else { continue };
        all.extend(own.shapes.iter().map(|placed| PlacedShape {
            shape: placed.shape.clone(),
            position: ride.position + ride.rotation * placed.position,
            rotation: ride.rotation * placed.rotation,
        }));
    }
    all
}

/// The obstacles as a herd sees them.
fn seen(standing: &[Standing]) -> (Vec<herd::Obstacle>, Vec<String>) {
    let (mut seen, mut notes) = (Vec::new(), Vec::new());
    for one in standing {
        match as_seen(&one.obstacle).filter(|_| !one.moves()) {
            Some(shape) => seen.push(shape),
            None => {
                let name = one.name();
                notes.push(format!("{name}: a herd sees no obstacle that moves, nor hulls, meshes, fields and rooms"))
            }
        }
    }
    (seen, notes)
}

/// An obstacle that stands as a herd sees it, if it does.
fn as_seen(obstacle: &Obstacle) -> Option<herd::Obstacle> {
    let Obstacle { position, rotation, .. } = *obstacle;
    match obstacle.shape {
        ObstacleShape::HalfSpace => {
            let normal = rotation * DVec3::Y;
            Some(herd::Obstacle::HalfSpace { normal, offset: normal.dot(position) })
        }
        ObstacleShape::Sphere { radius } => Some(herd::Obstacle::Ball { center: position, radius }),
        ObstacleShape::Capsule { radius, half_length } => {
            let reach = rotation * DVec3::Y * half_length;
            Some(herd::Obstacle::Capsule { ends: [position - reach, position + reach], radius })
        }
        ObstacleShape::Box { half_extents } => Some(herd::Obstacle::Box { center: position, rotation, half_extents }),
        _ => None,
    }
}

impl Running {
    /// Where every body of every ragdoll is, ragdoll by ragdoll.
    pub fn poses(&self) -> impl Iterator<Item = (DVec3, DQuat)> {
        let bodies = self.shapes.len();
        self.slots.iter().flat_map(move |&slot| (0..bodies).map(move |body| self.herd.pose(slot, body)))
    }

    /// A track for each of them.
    pub fn tracks(&self) -> impl Iterator<Item = Track> {
        tracks(&self.name, &self.shapes, self.slots.len())
    }

    /// Kilograms of all of it.
    pub fn mass(&self) -> f64 {
        self.ragdoll.model.masses.iter().sum::<f64>() * self.slots.len() as f64
    }

    /// All that is needed to go on.
    pub fn save(&self) -> HerdState {
        self.herd.save()
    }
}
