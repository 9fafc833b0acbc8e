//! Batched simulation of thousands of ragdolls of one topology, one ragdoll per f32 lane.
//!
//! ```
//! # use muybridge::particles::herd::InstancePlacement;
//! # use muybridge::particles::{Herd, HerdError, HerdSettings, Model};
//! # fn throw(ragdoll: &Model) -> Result<(), HerdError> {
//! let mut herd = Herd::new(ragdoll, HerdSettings::default())?;
//! let slot = herd.spawn(&InstancePlacement::default()).unwrap();
//! for _ in 0..60 {
//!     herd.step();
//! }
//! println!("{}", herd.pose(slot, 0).0);
//! # Ok(())
//! # }
//! ```
//! Ragdolls are stored in blocks of sixteen on every processor, number by number. A lane has the same bits at every
//! vector width and for any number of threads. Each ragdoll has its own origin, which follows it in whole meters, so
//! that f32 is as accurate a hundred kilometers away as at the world origin.

mod algebra;
mod block;
mod calm;
mod ceiling;
mod contact;
mod drive;
mod encounter;
mod facing;
mod joint_friction;
mod kernel;
mod limit;
mod neighbors;
mod of_object;
pub(crate) mod of_world;
mod packs;
mod pair_contact;
mod parting;
mod plan;
mod push;
mod rows;
mod tree;

use glam::{DQuat, DVec3};

use super::Model;
use crate::math::input_error::InputError;
use crate::math::lanes::Width;
use crate::math::rest_criterion::steps_to_rest;
pub use block::HerdObstacle;
use block::LaneBlock;
pub use drive::{HerdJoints, JointDrive, JointStrength, JointTurn};
use encounter::Encounters;
use neighbors::{Kept, Neighbors};
pub use of_world::LaneMemory;
use packs::{Packs, pace};
use plan::BatchModel;
pub use push::Acceleration;
use rows::LANES;

/// Error in a model or in the settings of a batch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HerdError {
    /// The particles are not exactly the corners of the tetrahedra, four each.
    #[error(
        "a batch simulates rigid bodies of four particles each: {particles} particles are not the corners of {tetrahedra} tetrahedra"
    )]
    NotTetrahedra {
        /// Particles (or masses) of the model.
        particles: usize,
        /// Tetrahedra of the model.
        tetrahedra: usize,
    },
    /// A particle index is out of range.
    #[error("particle {particle} does not exist or is no corner of a tetrahedron; add it to one")]
    NoSuchParticle {
        /// Index of the particle.
        particle: usize,
    },
    /// A particle belongs to two bodies.
    #[error("particle {particle} is a corner of two tetrahedra; give each its own and attach them")]
    SharedParticle {
        /// Index of the particle.
        particle: usize,
    },
    /// A point or an axis is fixed to two bodies.
    #[error("a point or axis with particle {particle} is fixed to several tetrahedra; fix it to one")]
    AcrossBodies {
        /// One particle of the point or axis.
        particle: usize,
    },
    /// The model has a feature that batches do not support.
    #[error(
        "a batch cannot simulate {kind}; it takes tetrahedra, attachments between them, swing-twist and hinge limits, spheres and capsules"
    )]
    NotInAHerd {
        /// Name of the feature.
        kind: &'static str,
    },
    /// A body has no volume.
    #[error("tetrahedron {body} is flat, or its masses are not positive and finite; correct them")]
    Flat {
        /// Index of the tetrahedron.
        body: usize,
    },
    /// The joints form a loop.
    #[error("the joints of tetrahedron {body} close a loop; remove one, so that they form a tree")]
    Loop {
        /// Index of the tetrahedron.
        body: usize,
    },
    /// A body has no joint to the rest: the model is more than one ragdoll.
    #[error("tetrahedron {body} has no joint to the rest of the ragdoll; attach or remove it")]
    Apart {
        /// Index of the tetrahedron.
        body: usize,
    },
    /// The attachments of a body leave no axis of rotation.
    #[error("tetrahedron {body} cannot rotate: its attachments are not on one line; merge it with its parent")]
    Welded {
        /// Index of the tetrahedron.
        body: usize,
    },
    /// A joint limit connects bodies that have no joint.
    #[error("a limit of tetrahedron {body} refers to one that it is not attached to; remove it")]
    LimitWithoutJoint {
        /// Index of the tetrahedron.
        body: usize,
    },
    /// A setting is out of range.
    #[error("the setting {name} of the batch is {value}, which is out of range")]
    Setting {
        /// Name of the field.
        name: &'static str,
        /// The given value.
        value: f64,
    },
}

/// Time stepping of a batch of ragdolls. The defaults suit all ragdolls.
#[derive(Clone, Debug)]
pub struct HerdSettings {
    /// Duration of a step (a frame), seconds.
    pub time_step: f64,
    /// Gravity, meters per second squared.
    pub gravity: DVec3,
    /// Substeps per step.
    pub substeps: u32,
    /// Substeps per step of ragdolls that may touch others. Contacts between ragdolls are solved at the start of each.
    pub meeting_substeps: u32,
    /// Greatest number of substeps of a repeated step. A step in which a limit yields or something penetrates is
    /// repeated with twice as many substeps, up to this many; never if this is not above [`Self::substeps`]. For
    /// ragdolls that may touch others, only the interval between two contact solves is repeated.
    pub most_substeps: u32,
    /// Substeps per step of a calm ragdoll. The value of `substeps` disables the distinction.
    pub calm_substeps: u32,
    /// A ragdoll is calm if all its bodies are slower than this (m/s; four times as many rad/s) and no other ragdoll is
    /// near.
    pub calm_speed: f64,
    /// Share of an old penetration that remains after a substep of 1/1440 s, 0 to 1; after a longer substep less
    /// remains.
    pub patience: f64,
    /// Sleep threshold: a ragdoll is at rest if the mean speed of every body over the rest steps is below this, m/s.
    /// For a body lighter than a quarter of the mean body, the threshold is multiplied by the root of that share.
    pub rest_speed: f64,
    /// Steps at rest before a ragdoll sleeps; 0 disables sleeping. See [`Self::steps_to_rest`].
    pub rest_steps: u32,
    /// Whether ragdolls touch each other. A sleeping ragdoll wakes when a moving one touches it.
    pub touch_each_other: bool,
    /// Excess over the energy limit that rounding explains, as a share of the energy. Scaled down for that alone, what turns slowly
    /// as it flies fast would lose its spin to the rounding of its flight. Whoever keeps the flight apart takes 0.
    pub rounding: f32,
    /// Instruction set of the SIMD kernels; the bits do not depend on it.
    pub width: Width,
}

impl HerdSettings {
    /// Steps at rest before a ragdoll sleeps: at least `rest_steps`, and enough to tell rest from the top of a flight.
    /// 0 if ragdolls never sleep, as without gravity.
    pub fn steps_to_rest(&self) -> u32 {
        steps_to_rest(self.rest_steps, self.rest_speed, self.gravity.length(), self.time_step)
    }
}

impl Default for HerdSettings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 60.0,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            substeps: 8,
            meeting_substeps: 8,
            most_substeps: 256,
            calm_substeps: 4,
            calm_speed: 0.5,
            patience: 0.8,
            rest_speed: 0.05,
            rest_steps: 30,
            touch_each_other: false,
            rounding: 1e-5,
            width: Width::widest(),
        }
    }
}

/// Initial placement of a ragdoll: the model is rotated about the world origin, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstancePlacement {
    /// Translation of the model, meters.
    pub position: DVec3,
    /// Rotation of the model about the world origin.
    pub rotation: DQuat,
    /// Velocity added to those of the rotated model, meters per second.
    pub velocity: DVec3,
    /// Angular velocity added about the center of mass, radians per second, world axes.
    pub spin: DVec3,
}

impl Default for InstancePlacement {
    fn default() -> Self {
        Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY, velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }
}

/// Index of a ragdoll in the batch. It can be reused after [`Herd::despawn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub usize);

/// A batch of ragdolls of one topology.
#[derive(Clone, Debug)]
pub struct Herd {
    plan: BatchModel,
    model: Model,
    settings: HerdSettings,
    blocks: Vec<LaneBlock>,
    obstacles: Vec<HerdObstacle>,
    free: Vec<usize>,
    packs: Packs,
    neighbors: Neighbors,
    encounters: Encounters,
}

/// Saved state of a batch: see [`Herd::save`].
#[derive(Clone, Debug, PartialEq)]
pub struct HerdState {
    blocks: Vec<LaneBlock>,
    free: Vec<usize>,
    contacts: Vec<Kept>,
}

impl Herd {
    /// Creates an empty batch for ragdolls like `model`.
    pub fn new(model: &Model, settings: HerdSettings) -> Result<Self, HerdError> {
        check(&settings)?;
        let plan = BatchModel::new(model, joint_friction::Source::Herd)?;
        let packs = Packs::new(&plan, &[]);
        let model = model.clone();
        Ok(Self {
            plan,
            model,
            settings,
            blocks: Vec::new(),
            obstacles: Vec::new(),
            free: Vec::new(),
            packs,
            neighbors: Neighbors::default(),
            encounters: Encounters::default(),
        })
    }

    /// Sets the obstacles of all ragdolls, and wakes all ragdolls.
    pub fn set_obstacles(&mut self, obstacles: &[HerdObstacle]) {
        self.obstacles = obstacles.to_vec();
        let friction = self.plan.friction;
        self.packs.set_obstacles(&block::obstacle_rows(&self.obstacles, friction));
        self.blocks.iter_mut().for_each(LaneBlock::wake_all);
    }

    /// The settings in use.
    pub fn settings(&self) -> &HerdSettings {
        &self.settings
    }

    /// Changes the settings from the next step on; velocities stay. Wakes all ragdolls.
    ///
    /// # Errors
    /// [`HerdError::Setting`] for a setting out of range; nothing changes then.
    pub fn tune(&mut self, settings: HerdSettings) -> Result<(), HerdError> {
        check(&settings)?;
        for block in &mut self.blocks {
            block.wake_all();
            for lane in 0..LANES {
                if !block.is_empty(lane) {
                    block.tune(&self.plan, [&self.settings, &settings], lane);
                }
            }
        }
        self.settings = settings;
        Ok(())
    }

    /// Adds a ragdoll in the lowest free slot. Allocates if all slots are taken.
    ///
    /// # Errors
    /// If a number of the placement is not finite.
    pub fn spawn(&mut self, placement: &InstancePlacement) -> Result<InstanceId, InputError> {
        let InstancePlacement { position, rotation, velocity, spin } = *placement;
        InputError::check_finite("the position", position)?;
        InputError::check_finite("the rotation", DVec3::splat(rotation.length()))?;
        InputError::check_finite("the velocity", velocity)?;
        InputError::check_finite("the spin", spin)?;
        if self.free.is_empty() {
            let first = self.blocks.len() * LANES;
            self.blocks.push(LaneBlock::new(&self.plan));
            self.free.reserve(first + LANES);
            self.free.extend((first..first + LANES).rev());
            self.reserve();
        }
        let slot = self.free.pop().unwrap_or(0);
        self.blocks[slot / LANES].spawn(&self.plan, &self.model, placement, slot % LANES, &self.settings);
        Ok(InstanceId(slot))
    }

    /// Takes a ragdoll out; the next one that spawns may get its place. Wakes all ragdolls where they touch one another, since
    /// some may have lain on it.
    ///
    /// # Errors
    /// If there is no ragdoll at that place.
    pub fn despawn(&mut self, slot: InstanceId) -> Result<(), InputError> {
        self.block_of(slot)?.clear(slot.0 % LANES);
        if self.settings.touch_each_other {
            self.encounters.forget(slot.0);
            self.blocks.iter_mut().for_each(LaneBlock::wake_all);
        }
        let place = self.free.partition_point(|&other| other > slot.0);
        self.free.insert(place, slot.0);
        Ok(())
    }

    /// The block of a ragdoll, or an error where there is no ragdoll at that place.
    fn block_of(&mut self, slot: InstanceId) -> Result<&mut LaneBlock, InputError> {
        let count = self.len();
        let block = self.blocks.get_mut(slot.0 / LANES).filter(|block| !block.is_empty(slot.0 % LANES));
        block.ok_or(InputError::NoSuch { what: "ragdoll", index: slot.0, count })
    }

    /// Advances all ragdolls by one step, with the feature `parallel` on the threads of the current rayon pool: the bits do not depend
    /// on them.
    pub fn step(&mut self) {
        self.meet();
        let Self { plan, settings, obstacles, packs, blocks, encounters, .. } = self;
        let of_meeting = pace(plan, settings, settings.meeting_substeps);
        encounters.alternate(plan, settings, &of_meeting, blocks, |part, blocks| {
            packs.step(part, (&*plan, &*settings, &obstacles[..]), blocks);
        });
    }

    /// Reserves memory for contacts, so that steps allocate nothing. It allocates only after new slots, or in a clone.
    fn reserve(&mut self) {
        self.packs.reserve(&self.plan);
        if self.settings.touch_each_other {
            self.neighbors.reserve(&self.plan, self.blocks.len() * LANES);
            self.encounters.reserve(&self.plan, self.blocks.len() * LANES);
        }
    }

    /// Broad phase between ragdolls for the coming step.
    fn meet(&mut self) {
        self.blocks.iter_mut().for_each(|block| block.meets = [false; LANES]);
        self.neighbors.clear();
        self.reserve();
        if self.settings.touch_each_other {
            self.neighbors.find(&self.plan, &self.settings, &mut self.blocks);
        }
        self.encounters.set(&self.plan, &self.neighbors, &mut self.blocks);
    }

    /// Number of ragdolls in the batch.
    pub fn len(&self) -> usize {
        self.blocks.len() * LANES - self.free.len()
    }

    /// Whether the batch has no ragdolls.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of bodies per ragdoll: tetrahedra of the model.
    pub fn bodies(&self) -> usize {
        self.plan.bodies.len()
    }

    /// Best-fitting rigid pose of a tetrahedron: position (meters) and rotation of its rest frame in the world.
    /// Identity for a slot or body that does not exist.
    pub fn pose(&self, slot: InstanceId, body: usize) -> (DVec3, DQuat) {
        match (self.blocks.get(slot.0 / LANES), self.plan.places.get(body)) {
            (Some(block), Some(&place)) => block.pose(&self.plan.bodies[place], place, slot.0 % LANES),
            _ => (DVec3::ZERO, DQuat::IDENTITY),
        }
    }

    /// Velocity of the center of mass of a tetrahedron, m/s, and its angular velocity, rad/s, both in world axes.
    pub fn velocity(&self, slot: InstanceId, body: usize) -> (DVec3, DVec3) {
        match (self.blocks.get(slot.0 / LANES), self.plan.places.get(body)) {
            (Some(block), Some(&place)) => block.velocity(place, slot.0 % LANES, &self.settings),
            _ => (DVec3::ZERO, DVec3::ZERO),
        }
    }

    /// Center of mass of a ragdoll, meters.
    pub fn mass_center(&self, slot: InstanceId) -> DVec3 {
        self.blocks.get(slot.0 / LANES).map_or(DVec3::ZERO, |block| block.mass_center(&self.plan, slot.0 % LANES))
    }

    /// Writes the particle positions, meters, in the order of the model into `positions`.
    pub fn positions(&self, slot: InstanceId, positions: &mut Vec<DVec3>) {
        positions.clear();
        positions.resize(self.plan.particles, DVec3::ZERO);
        if let Some(block) = self.blocks.get(slot.0 / LANES) {
            block.positions(&self.plan, slot.0 % LANES, positions);
        }
    }

    /// Whether the ragdoll sleeps: it is at rest and costs no time until it wakes.
    pub fn is_asleep(&self, slot: InstanceId) -> bool {
        self.blocks.get(slot.0 / LANES).is_some_and(|block| block.is_asleep(slot.0 % LANES))
    }

    /// Wakes a ragdoll.
    ///
    /// # Errors
    /// If there is no ragdoll at that place.
    pub fn wake(&mut self, slot: InstanceId) -> Result<(), InputError> {
        self.block_of(slot)?.wake(slot.0 % LANES);
        Ok(())
    }

    /// Wakes every ragdoll.
    pub fn wake_all(&mut self) {
        self.blocks.iter_mut().for_each(LaneBlock::wake_all);
    }

    /// Drives the joint between two bodies (tetrahedra) of a ragdoll during the next step and, until another drive is set or
    /// [`Self::release`] is called, in the same way after. Wakes the ragdoll. The first drive of sixteen places allocates.
    ///
    /// # Errors
    /// If there is no ragdoll at that place, no such body, or no joint between the bodies, or if a number is NaN.
    pub fn drive(&mut self, slot: InstanceId, bodies: [usize; 2], drive: &JointDrive) -> Result<(), InputError> {
        let JointDrive { turn, rate, stiffness, damping, most } = *drive;
        let count = self.plan.places.len();
        bodies.into_iter().try_for_each(|body| InputError::check_index("body", body, count))?;
        InputError::check_finite("the turn of a drive", DVec3::splat(turn.length()))?;
        InputError::check_finite("the rate of a drive", rate)?;
        InputError::check_finite("the stiffness or damping of a drive", DVec3::new(stiffness, damping, 0.0))?;
        if most.is_nan() {
            return Err(InputError::NotFinite { what: "the greatest moment of a drive", value: most });
        }
        let hung = self.plan.joint_between(bodies).ok_or(InputError::NotJoined { bodies })?;
        let turn = JointTurn::new(&self.plan, hung, turn, rate);
        self.drive_body(slot, (hung.0, turn.as_ref()), &drive.strength())
    }

    /// Drives a joint as [`Self::drive`] does, to a turn from [`HerdJoints::turn`] of the model of this herd. Numbers that are not
    /// finite drive nothing.
    ///
    /// # Errors
    /// If there is no ragdoll at that place, or the turn belongs to a model with more bodies.
    pub fn drive_to(&mut self, slot: InstanceId, turn: &JointTurn, strength: &JointStrength) -> Result<(), InputError> {
        InputError::check_index("body", turn.body, self.plan.bodies.len())?;
        self.drive_body(slot, (turn.body, Some(turn)), strength)
    }

    fn drive_body(
        &mut self,
        slot: InstanceId,
        to: (usize, Option<&JointTurn>),
        strength: &JointStrength,
    ) -> Result<(), InputError> {
        let bodies = self.plan.bodies.len();
        self.block_of(slot)?.drive(bodies, to, slot.0 % LANES, strength);
        Ok(())
    }

    /// Turns off the drives of all joints of a ragdoll.
    ///
    /// # Errors
    /// If there is no ragdoll at that place.
    pub fn release(&mut self, slot: InstanceId) -> Result<(), InputError> {
        self.block_of(slot)?.release(slot.0 % LANES);
        Ok(())
    }

    /// Accelerates a ragdoll as one rigid piece during the next step, on top of gravity and earlier calls for that step. Wakes
    /// the ragdoll. The first call for sixteen places allocates.
    ///
    /// # Errors
    /// If there is no ragdoll at that place, or a number of the field is not finite.
    pub fn accelerate(&mut self, slot: InstanceId, field: &Acceleration) -> Result<(), InputError> {
        self.accelerate_some(slot, None, field)
    }

    /// Accelerates some bodies of a ragdoll, as [`Self::accelerate`] does all; `which` has a flag for each body, and `None` means all.
    ///
    /// # Errors
    /// As [`Self::accelerate`].
    pub fn accelerate_some(
        &mut self,
        slot: InstanceId,
        which: Option<&[bool]>,
        field: &Acceleration,
    ) -> Result<(), InputError> {
        InputError::check_finite("the center of a field", field.center)?;
        InputError::check_finite("the linear acceleration", field.linear)?;
        InputError::check_finite("the angular acceleration", field.angular)?;
        self.block_of(slot)?;
        let block = &mut self.blocks[slot.0 / LANES];
        block.accelerate(slot.0 % LANES, which.map(|which| (which, &self.plan.places[..])), field);
        Ok(())
    }

    /// Saves the state that [`Self::restore`] continues from.
    pub fn save(&self) -> HerdState {
        HerdState { blocks: self.blocks.clone(), free: self.free.clone(), contacts: self.encounters.kept().to_vec() }
    }

    /// Continues from a saved state of a batch of the same model, bit for bit.
    pub fn restore(&mut self, state: &HerdState) {
        self.blocks.clone_from(&state.blocks);
        self.free.clone_from(&state.free);
        self.encounters.restore(&state.contacts);
    }

    /// Memory of the state per ragdoll, bytes.
    pub fn bytes_per_ragdoll(&self) -> usize {
        <LaneBlock>::bytes(&self.plan) / LANES
    }
}

fn check(settings: &HerdSettings) -> Result<(), HerdError> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let checks = [
        ("time_step", settings.time_step, positive(settings.time_step)),
        ("substeps", f64::from(settings.substeps), settings.substeps > 0),
        ("meeting_substeps", f64::from(settings.meeting_substeps), settings.meeting_substeps > 0),
        ("calm_substeps", f64::from(settings.calm_substeps), settings.calm_substeps > 0),
        ("calm_speed", settings.calm_speed, settings.calm_speed >= 0.0),
        ("gravity", settings.gravity.length(), settings.gravity.is_finite()),
        ("patience", settings.patience, (0.0..=1.0).contains(&settings.patience)),
        ("rest_speed", settings.rest_speed, settings.rest_speed >= 0.0),
    ];
    match checks.into_iter().find(|&(_, _, is_good)| !is_good) {
        Some((name, value, _)) => Err(HerdError::Setting { name, value }),
        None => Ok(()),
    }
}
