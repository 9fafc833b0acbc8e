//! Herds of a scene: thousands of ragdolls of one character, each in a lane.
//!
//! The ragdolls start in rows of a square, fall, touch one another, and are recorded each as a character of its own,
//! `crowd 1`, `crowd 2` …. A herd collides with the ground and with half-spaces, balls, capsules and boxes that do not
//! move; a scene with others is refused. This holds under particles. Herds of rigid bodies start in the same places and are
//! simulated by `by_bodies`.

mod measured;
mod told;

use core::f64::consts::TAU;

use glam::{DQuat, DVec3};

use super::assets::Assets;
use super::following::Herded;
use super::obstacles::PlacedObstacle;
use super::scene::slot::Choice;
use super::scene::{self, AttachPoint, Herd as Said, Scene, SceneError, Setting, Solver, Thing, Walker};
use crate::behavior::drive::Led;
use crate::character::Character;
use crate::collision::obstacle::{Obstacle, ObstacleShape};
use crate::math::random::Random;
use crate::motion::Clip;
use crate::particles::herd::{self, Herd, HerdSettings, HerdState, InstanceId};
use crate::ragdoll::{Ragdoll, RagdollSettings, particles};
use told::BatchGoals;

pub(super) use told::start;

/// A running herd.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub herd: Herd,
    pub slots: Vec<InstanceId>,
    ragdoll: Ragdoll,
    /// Character of every ragdoll of the herd.
    character: Character,
    /// Name of each ragdoll.
    names: Vec<String>,
    gravity: DVec3,
    told: Option<Box<BatchGoals>>,
}

/// Builds the herds of a scene. Also returns notes on what they do otherwise than other things, one sentence each.
pub(super) fn herds(
    scene: &Scene,
    assets: &Assets,
    standing: &[PlacedObstacle],
) -> Result<(Vec<Running>, Vec<String>), SceneError> {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for (index, said) in scene.herds.iter().enumerate() {
        let meets = "half-spaces, balls, capsules, boxes and stairs that stand still";
        let seen = met(scene, standing, (said, meets), as_seen)?;
        let is_other =
            |one: &&PlacedObstacle| one.obstacle.friction != said.friction || one.obstacle.restitution != 0.0;
        if let Some(one) = standing.iter().find(is_other) {
            notes.push(format!("{}: meets “{}” with its own friction and without restitution", said.name, one.name()));
        }
        notes.extend(beside(scene, said));
        let mut running = running(scene, (index, said), assets)?;
        running.herd.set_obstacles(&seen);
        all.push(running);
    }
    Ok((all, notes))
}

/// Note on the first thing of a scene that a herd in lanes does not touch.
pub(super) fn beside(scene: &Scene, herd: &Said) -> Option<String> {
    struct OtherThing<'a>(&'a str, Option<String>);
    impl Walker for OtherThing<'_> {
        fn one<T: Thing>(&mut self, _: &mut T) {}

        fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
            if T::ATTACH_POINT > AttachPoint::Nothing || T::KIND == Said::KIND {
                let mut names = things.iter().filter_map(T::name).filter(|name| *name != self.0);
                self.1 = self.1.take().or_else(|| names.next().map(str::to_owned));
            }
        }
    }
    let mut beside = OtherThing(&herd.name, None);
    scene.clone().walk(&mut beside);
    beside.1.map(|other| format!("{}: runs in lanes, and its ragdolls pass through “{other}”", herd.name))
}

/// Obstacles in the form in which a herd meets them. Fails at one that it cannot meet; `meets` says which it can.
pub(super) fn met<T>(
    scene: &Scene,
    standing: &[PlacedObstacle],
    (herd, meets): (&Said, &str),
    form: impl Fn(&Obstacle) -> Option<T>,
) -> Result<Vec<T>, SceneError> {
    let of_one = |one: &PlacedObstacle| {
        let formed = form(&one.obstacle).filter(|_| !one.moves());
        formed.ok_or_else(|| {
            let index = scene.obstacles.iter().position(|said| said.name == one.name()).unwrap_or(0);
            let said = &scene.obstacles[index];
            let (key, what) = match one.moves() {
                false => ("kind", format!("is “{}”", said.kind.word())),
                true if !said.path.is_empty() => ("path", format!("moves “{}”", said.name)),
                true if said.spin != DVec3::ZERO => ("spin", format!("turns “{}”", said.name)),
                true => ("velocity", format!("moves “{}”", said.name)),
            };
            let message = format!("{what}, but the herd “{}” meets only {meets}; use ragdolls in its place", herd.name);
            SceneError { kind: scene::Obstacle::KIND, index, key, message }
        })
    };
    standing.iter().map(of_one).collect()
}

fn running(scene: &Scene, (index, said): (usize, &Said), assets: &Assets) -> Result<Running, SceneError> {
    let fault = |message: String| SceneError { kind: Said::KIND, index, key: "character", message };
    let cast = assets.cast(&said.character).map_err(fault)?;
    let character = &cast.character;
    let settings = settings(said);
    let start = start(scene, said, character, &cast.clips)?;
    let ragdoll =
        particles(character, &start, &settings).map_err(|error| fault(format!("cannot become a ragdoll: {error}")))?;
    let pace = HerdSettings {
        time_step: 1.0 / scene.setting.rate,
        gravity: scene.solver.gravity(&scene.setting),
        substeps: said.substeps,
        meeting_substeps: said.substeps,
        rest_speed: said.sleep_threshold,
        rest_steps: scene.solver.steps_at_rest(&scene.setting),
        touch_each_other: !said.alone,
        ..HerdSettings::default()
    };
    let mut herd = Herd::new(&ragdoll.model, pace).map_err(|error| fault(format!("cannot run as a batch: {error}")))?;
    let members = members(scene, said, middle(&ragdoll));
    let slots = members.iter().map(|member| herd.spawn(&member.placement)).collect::<Result<Vec<InstanceId>, _>>();
    let slots = slots.map_err(|error| fault(format!("cannot be placed: {error}")))?;
    let place = |member: &HerdMember| (member.placement.position, member.placement.rotation, member.delay);
    let places = members.iter().map(place).collect();
    let step = 1.0 / scene.setting.rate;
    let told = BatchGoals::new(scene, said, (character, &cast.clips), (&ragdoll, step), places)?.map(Box::new);
    let (names, gravity) = (names(&said.name, slots.len()), scene.solver.gravity(&scene.setting));
    Ok(Running { herd, slots, ragdoll, character: character.clone(), names, gravity, told })
}

impl Running {
    /// Advances the herd by one frame that begins `time` seconds after the start.
    pub fn step(&mut self, time: f64) {
        if let Some(told) = &mut self.told {
            told.want(time, &mut self.herd, &self.slots);
        }
        self.herd.step();
    }

    /// Takes gravity, time step and sleep time from other settings. Substeps and sleep speed stay the herd's own.
    pub fn tune(&mut self, setting: &Setting, solver: &Solver) {
        let settings = HerdSettings {
            time_step: 1.0 / setting.rate,
            gravity: solver.gravity(setting),
            rest_steps: solver.steps_at_rest(setting),
            ..self.herd.settings().clone()
        };
        // Invalid settings of a scene are refused earlier.
        if self.herd.tune(settings).is_ok() {
            self.gravity = solver.gravity(setting);
        }
        if let Some(told) = &mut self.told {
            told.tune(&self.ragdoll, 1.0 / setting.rate);
        }
    }
}

/// Center of mass at the start, meters.
fn middle(ragdoll: &Ragdoll) -> DVec3 {
    let (positions, masses) = (&ragdoll.model.positions, &ragdoll.model.masses);
    let total: f64 = masses.iter().sum();
    positions.iter().zip(masses).map(|(position, mass)| *position * *mass).sum::<DVec3>() / total
}

/// Ragdoll settings of a herd: friction, self-contact and joint friction.
pub(super) fn settings(said: &Said) -> RagdollSettings {
    let usual = RagdollSettings { friction: said.friction, ..RagdollSettings::default() };
    match said.alone {
        true => RagdollSettings { touches_itself: false, joint_friction: 0.0, ..usual },
        false => usual,
    }
}

/// Start of one ragdoll of a herd.
#[derive(Clone, Copy, Debug)]
pub(super) struct HerdMember {
    pub placement: herd::InstancePlacement,
    /// Delay of this ragdoll before it begins a clip of the herd, seconds.
    pub delay: f64,
}

/// Starts of all ragdolls of a herd. `middle` is a ragdoll's center of mass before it is placed, meters.
pub(super) fn members(scene: &Scene, said: &Said, middle: DVec3) -> Vec<HerdMember> {
    let mut chance = Random::new(u64::from(scene.setting.seed));
    let side = libm::ceil(libm::sqrt(f64::from(said.count))) as u32;
    let placed: Vec<_> = (0..said.count).map(|index| placed(said, index, side, middle, &mut chance)).collect();
    placed.into_iter().map(|placement| HerdMember { placement, delay: said.max_start_delay * chance.unit() }).collect()
}

/// Start of one ragdoll: its place in the square, `height` above its rest pose, turned about its center of mass.
fn placed(said: &Said, index: u32, side: u32, middle: DVec3, chance: &mut Random) -> herd::InstancePlacement {
    let place = |n: u32| (f64::from(n) - 0.5 * f64::from(side - 1)) * said.spacing;
    let rotation = if said.random_orientation { chance.rotation() } else { DQuat::IDENTITY };
    let (sine, cosine) = libm::sincos(TAU * chance.unit());
    let speed = said.speed * chance.unit();
    let spin = chance.vector() * said.spin;
    let position = DVec3::new(place(index % side), said.height, place(index / side)) + middle - rotation * middle;
    herd::InstancePlacement { position, rotation, velocity: DVec3::new(cosine, 0.0, sine) * speed, spin }
}

/// Names of the ragdolls of a herd.
pub(super) fn names(herd: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{herd} {}", index + 1)).collect()
}

/// Converts an obstacle that stands still to one a herd collides with; `None` if it has no such form.
fn as_seen(obstacle: &Obstacle) -> Option<herd::HerdObstacle> {
    let Obstacle { position, rotation, .. } = *obstacle;
    match obstacle.shape {
        ObstacleShape::HalfSpace => {
            let normal = rotation * DVec3::Y;
            Some(herd::HerdObstacle::HalfSpace { normal, offset: normal.dot(position) })
        }
        ObstacleShape::Sphere { radius } => Some(herd::HerdObstacle::Ball { center: position, radius }),
        ObstacleShape::Capsule { radius, half_length } => {
            let reach = rotation * DVec3::Y * half_length;
            Some(herd::HerdObstacle::Capsule { ends: [position - reach, position + reach], radius })
        }
        ObstacleShape::Box { half_extents } => {
            Some(herd::HerdObstacle::Box { center: position, rotation, half_extents })
        }
        _ => None,
    }
}

impl Running {
    /// Names and characters of all ragdolls.
    pub fn cast(&self) -> impl Iterator<Item = (&str, &Character)> {
        self.names.iter().map(|name| (name.as_str(), &self.character))
    }

    /// Writes the pose of one ragdoll into a frame of its clip. Returns how far the farthest body was moved to close joints, meters.
    pub fn write_pose(&self, member: usize, clip: &mut Clip, frame: usize) -> f64 {
        let frames: Vec<_> = (0..self.herd.bodies()).map(|body| self.herd.pose(self.slots[member], body)).collect();
        self.ragdoll.bones.write_frame(&frames, clip, frame)
    }

    /// Ragdolls with a root assist, and its wrench in the last step.
    pub fn hands(&self) -> impl Iterator<Item = (&str, Led)> {
        let told = self.told.as_deref().filter(|told| told.may_be_led());
        told.into_iter().flat_map(|told| self.names.iter().map(String::as_str).zip(told.led(&self.herd, &self.slots)))
    }

    /// Clips of the herd that have begun by `time`, seconds of the run; `name` is the herd's.
    pub fn herded<'a>(&'a self, name: &'a str, time: f64) -> Vec<Herded<'a>> {
        let Some(told) = self.told.as_deref() else { return Vec::new() };
        told.herded(name, &self.names, time)
    }

    /// Total mass of the herd, kilograms.
    pub fn mass(&self) -> f64 {
        self.ragdoll.model.masses.iter().sum::<f64>() * self.slots.len() as f64
    }

    /// Saves the complete state of the herd.
    pub fn save(&self) -> HerdState {
        self.herd.save()
    }
}
