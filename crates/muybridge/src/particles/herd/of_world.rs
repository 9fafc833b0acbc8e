//! Ragdolls of a particle world in lanes.
//!
//! ```text
//! choose   a ragdoll that can touch nothing but fixed planes and others of its kind in this step, and that nothing pins,
//!          drags, pushes or drives
//! step     state of the world ─► lanes ─► kernel of the herd, substeps by need ─► state of the world
//! ```
//! All other ragdolls are stepped with the rest of the world. The state of the world has the motion of both, so that a
//! ragdoll may change from one to the other in every step. The face of a box is a plane for what lies inside its borders.
//! A ragdoll keeps only what predicts the coming substep: the impulses of contacts and limits in the last one. Few ragdolls
//! are stepped one by one, many in blocks of sixteen. Those that may touch each other are stepped as a herd; a sleeper among
//! them holds still.

mod batch;
mod meeting;

use core::ops::Range;

use batch::mass_center;
use glam::DVec3;
use meeting::Meeting;

use super::block::{HerdObstacle as PlacedPlane, LaneBlock};
use super::joint_friction;
use super::of_object::{Pieces, reach};
use super::packs::Packs;
use super::plan::BatchModel;
use super::rows::{BlockWidth, One, Sixteen};
use super::{HerdSettings, Model};
use crate::collision::Obstacle;
use crate::collision::broad_phase::Aabb;
use crate::collision::near_plane::{Near, lowest, plane_near};
use crate::particles::sleep;
use crate::particles::state::State;
use crate::particles::step::Fixed;
use crate::particles::world::Constants;

/// All ragdolls of a world that lanes can step.
#[derive(Clone, Debug, Default)]
pub(crate) struct RagdollLanes {
    groups: Vec<Group>,
    /// Objects with colliders: what a ragdoll must be apart from.
    colliders: Vec<Collider>,
    /// Indices into `colliders`, ordered along x.
    order: Vec<usize>,
    /// Colliders whose boxes overlap in this step.
    couples: Vec<[usize; 2]>,
}

/// Ragdolls of one topology.
#[derive(Clone, Debug)]
struct Group {
    plan: BatchModel,
    members: Vec<BatchMember>,
    few: WorldBatch<One>,
    many: WorldBatch<Sixteen>,
    /// Whether the last step took the blocks of one.
    is_few: bool,
    /// Planes near a member in this step, with their friction coefficients.
    planes: Vec<(PlacedPlane, f32)>,
    /// The same planes, as a step takes them.
    placed: Vec<PlacedPlane>,
    friction: f64,
    meeting: Meeting,
}

/// Blocks that ragdolls are stepped in, filled in every step.
#[derive(Clone, Debug)]
struct WorldBatch<W: BlockWidth> {
    blocks: Vec<LaneBlock<W>>,
    packs: Packs<W>,
}

/// A ragdoll.
#[derive(Clone, Debug)]
struct BatchMember {
    particles: Range<usize>,
    /// Index into the colliders.
    collider: usize,
    /// Indices of the drives of its joints.
    drives: Vec<usize>,
    /// Particles of sheets that hang on it.
    sheets: Vec<usize>,
    /// Whether lanes step it in this step.
    is_in: bool,
    /// Whether it sleeps, and would be in lanes otherwise.
    is_still: bool,
    /// Whether it may touch another in lanes in this step.
    meets: bool,
    /// Whether its skin has restitution.
    bounces: bool,
    memory: LaneMemory,
    /// Place among the ragdolls of the last step.
    place: usize,
    /// Whether it can touch nothing in this step.
    flies: bool,
    /// Mass center (m) and its velocity (m/s) at the start of a step in which it flies.
    flight: Option<[DVec3; 2]>,
}

/// A contact of a ragdoll in lanes at the end of a step.
#[derive(Clone, Copy, Debug)]
struct TouchInLanes {
    /// A particle of the body.
    particle: usize,
    /// Depth of the penetration, meters; negative where it is near.
    depth: f64,
    /// Point of the skin, meters.
    point: DVec3,
    /// Normal towards the ragdoll.
    normal: DVec3,
    /// Whether it pushed in the last substep.
    pushes: bool,
}

/// An object with colliders, and the box that it stays in during a step.
#[derive(Clone, Debug)]
struct Collider {
    particles: Range<usize>,
    /// Greatest distance of the skin from the nearest particle, meters.
    skin: f64,
    reach: Aabb,
    /// Greatest way of a particle in the step, meters.
    way: f64,
    /// Its group and its place there; `None` if lanes cannot step it.
    member: Option<[usize; 2]>,
}

/// What lanes remember of a ragdoll beside its motion.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LaneMemory {
    /// Index of the ragdoll's object in the model.
    object: usize,
    /// Substeps of the last step; 0 if lanes did not step it.
    substeps: u32,
    /// Impulses of contacts and activity of limits in the last substep.
    impulses: Vec<f32>,
    /// Contacts with later ragdolls in the last substep.
    #[cfg_attr(feature = "serde", serde(default))]
    contacts: Vec<WorldContact>,
}

/// A contact of two ragdolls in lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct WorldContact {
    /// Index of the other ragdoll's object in the model.
    other: usize,
    /// Indices of the capsules of both.
    capsules: [usize; 2],
    /// Slip since the contact began, meters.
    slipped: [f32; 3],
}

/// Distance of two objects that counts as apart beside what they may travel, meters.
const APART: f64 = 0.005;

/// Substeps of a frame of 1/60 s in which a ragdoll moves: fewer than in a batch, as a frame with errors is repeated.
const SUBSTEPS: u32 = 6;

/// Substeps of such a frame of ragdolls that may touch each other. A heap of 64 has depths of 128 mm in its fall and 73 at rest
/// with 8 of soft contacts, 67 and 18 with 16, 33 and 1 with these.
const MEETING_SUBSTEPS: u32 = 24;

/// Way of a ragdoll that may touch another in a substep, meters, and most substeps for one. Two thrown at each other at 30 m/s
/// go in by 80 mm with [`MEETING_SUBSTEPS`].
const MEETING_WAY: f64 = 0.012;
const MOST_TIMES: f64 = 8.0;

/// Greatest number of ragdolls of one topology that are stepped one by one.
const FEW: usize = 2;

/// Greatest coordinate of a ragdoll in lanes, meters.
const FARTHEST: f64 = 1e9;

impl RagdollLanes {
    /// Finds the ragdolls of a model.
    pub fn of(model: &Model) -> Self {
        let mut lanes = Self::default();
        if model.tetrahedra.is_empty() {
            return lanes;
        }
        for (object, pieces) in Pieces::of(model).into_iter().enumerate() {
            let skins = pieces.surfaces.iter().map(|&index| &model.surfaces[index]);
            let skin = skins.map(|surface| surface.radius + reach(model, &surface.core)).fold(-1.0, f64::max);
            if skin >= 0.0 {
                let collider = lanes.colliders.len();
                let particles = model.objects[object].particles.clone();
                lanes.colliders.push(Collider { particles, skin, reach: Aabb::NOTHING, way: 0.0, member: None });
                lanes.add(model, (object, collider), pieces);
            }
        }
        if lanes.groups.is_empty() {
            return Self::default();
        }
        lanes.order = (0..lanes.colliders.len()).collect();
        lanes
    }

    /// Adds the ragdoll that an object is, if it is one.
    fn add(&mut self, model: &Model, (object, collider): (usize, usize), pieces: Pieces) {
        let Some(own) = pieces.alone(model, object) else { return };
        let Ok(plan) = BatchModel::new(&own, joint_friction::Source::Model) else { return };
        let group = match self.groups.iter().position(|group| group.plan == plan) {
            Some(group) => group,
            None => {
                let (few, many) = (WorldBatch::new(&plan), WorldBatch::new(&plan));
                let friction = model.objects[object].friction;
                let (members, planes, placed) = (Vec::new(), Vec::new(), Vec::new());
                let meeting = Meeting::default();
                self.groups.push(Group { plan, members, few, many, is_few: true, planes, placed, friction, meeting });
                self.groups.len() - 1
            }
        };
        let Group { plan, members, .. } = &mut self.groups[group];
        let particles = model.objects[object].particles.clone();
        let impulses = vec![0.0; 2 * (plan.capsules.len() + plan.bodies.len())];
        let memory = LaneMemory { object, substeps: 0, impulses, contacts: Vec::new() };
        self.colliders[collider].member = Some([group, members.len()]);
        members.push(BatchMember {
            particles,
            collider,
            drives: pieces.drives,
            sheets: pieces.hung,
            is_in: false,
            is_still: false,
            meets: false,
            bounces: model.objects[object].restitution > 0.0,
            memory,
            place: 0,
            flies: false,
            flight: None,
        });
    }

    /// Chooses the ragdolls that lanes step, and marks their particles beside those of the sheets that `in_lanes` has. Returns
    /// whether there are any.
    pub fn choose(
        &mut self,
        fixed: Fixed,
        obstacles: &[Obstacle],
        state: &State,
        in_lanes: &mut [bool],
        seconds: f64,
    ) -> bool {
        let steps = fixed.settings.steps_to_rest();
        let mut any = false;
        self.couples.clear();
        for member in self.groups.iter_mut().flat_map(|group| &mut group.members) {
            let is_free = fixed.settings.lanes && is_free(fixed, state, member, in_lanes);
            let sleeps = sleep::is_long(state.rested[member.particles.start], steps);
            (member.is_in, member.is_still, member.meets) = (is_free && !sleeps, is_free && sleeps, false);
            any |= member.is_in;
        }
        if any {
            self.find_boxes(fixed, state, in_lanes, seconds);
            self.find_couples();
            self.leave_out_mixed();
        }
        for group in &mut self.groups {
            group.find_planes(fixed, obstacles, &self.colliders, seconds);
        }
        self.leave_out_mixed();
        let Self { groups, colliders, couples, .. } = self;
        let members = |colliders: &[Collider], couple: &[usize; 2]| {
            Some([colliders[couple[0]].member?, colliders[couple[1]].member?])
        };
        for [one, other] in couples.iter().filter_map(|couple| members(colliders, couple)) {
            if [one, other].iter().any(|&[group, member]| groups[group].members[member].is_in) {
                for [group, member] in [one, other] {
                    let member = &mut groups[group].members[member];
                    (member.meets, member.flies) = (true, false);
                }
            }
        }
        any = false;
        for member in groups.iter_mut().flat_map(|group| &mut group.members) {
            if member.is_in {
                in_lanes[member.particles.clone()].fill(true);
                any = true;
            } else {
                member.memory.substeps = 0;
            }
            if !member.meets {
                member.memory.contacts.clear();
            }
        }
        any
    }

    /// Leaves out the ragdolls near something that lanes do not step, and those near them.
    fn leave_out_mixed(&mut self) {
        let Self { groups, colliders, couples, .. } = self;
        loop {
            let mut any = false;
            for &[a, b] in &*couples {
                for [one, other] in [[a, b], [b, a]].map(|both| both.map(|collider| colliders[collider].member)) {
                    let Some([group, member]) = one.filter(|&[group, member]| groups[group].members[member].is_in)
                    else {
                        continue;
                    };
                    let members = &groups[group].members;
                    let is_along = other.is_some_and(|[of, other]| {
                        of == group && (members[other].is_in || members[other].is_still) && !members[other].bounces
                    });
                    if !is_along || members[member].bounces {
                        groups[group].members[member].is_in = false;
                        any = true;
                    }
                }
            }
            if !any {
                return;
            }
        }
    }

    /// Pairs of particles of ragdolls in lanes that may meet in this step.
    pub fn may_meet(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.couples.iter().filter_map(|couple| {
            let [a, b] = couple.map(|collider| &self.colliders[collider]);
            let meets = |[group, member]: [usize; 2]| self.groups[group].members[member].meets;
            (a.member.is_some_and(meets) && b.member.is_some_and(meets))
                .then_some([a.particles.start, b.particles.start])
        })
    }

    /// Gives the particles of the chosen ragdolls their inverse masses, 1/kg.
    pub fn weigh(&self, constants: &Constants, inverse_masses: &mut [f64]) {
        for member in self.groups.iter().flat_map(|group| &group.members).filter(|member| member.is_in) {
            let own = member.particles.clone();
            inverse_masses[own.clone()].copy_from_slice(&constants.inverse_masses[own]);
        }
    }

    /// Finds the box that each object with colliders stays in during the step.
    fn find_boxes(&mut self, fixed: Fixed, state: &State, in_lanes: &[bool], seconds: f64) {
        let falls = 0.5 * fixed.settings.acceleration().length() * seconds * seconds;
        let ahead = if state.last_substep > 0.0 { seconds / state.last_substep } else { 0.0 };
        for collider in &mut self.colliders {
            if in_lanes[collider.particles.start] {
                // A sheet in lanes: it touches the ragdoll, after the step of the ragdoll.
                collider.reach = Aabb::NOTHING;
                continue;
            }
            let Aabb { mut least, mut most } = Aabb::NOTHING;
            let mut square = 0.0_f64;
            for particle in collider.particles.clone() {
                let position = state.positions[particle];
                (least, most) = (least.min(position), most.max(position));
                square = square.max((position - state.previous[particle]).length_squared());
                if let Some(place) = state.pins[particle] {
                    (least, most) = (least.min(place), most.max(place));
                }
            }
            collider.way = ahead * square.sqrt();
            let margin = collider.skin + collider.way + falls + APART;
            collider.reach = Aabb { least, most }.grown(margin);
        }
    }

    /// Finds the objects whose boxes overlap: sweep along x.
    fn find_couples(&mut self) {
        let Self { colliders, order, couples, .. } = self;
        order.sort_by(|&a, &b| colliders[a].reach.least.x.total_cmp(&colliders[b].reach.least.x).then(a.cmp(&b)));
        for (place, &a) in order.iter().enumerate() {
            for &b in &order[place + 1..] {
                // A box with a number that is not finite overlaps all.
                if colliders[b].reach.least.x > colliders[a].reach.most.x {
                    break;
                }
                let (one, other) = (&colliders[a].reach, &colliders[b].reach);
                let is_apart = one.least.cmpgt(other.most).any() || other.least.cmpgt(one.most).any();
                if !is_apart {
                    couples.push([a, b]);
                }
            }
        }
    }

    /// Steps the chosen ragdolls, and returns how often a body was stepped.
    pub fn step(&mut self, fixed: Fixed, state: &State, seconds: f64) -> u64 {
        let usual = HerdSettings { substeps: SUBSTEPS, meeting_substeps: MEETING_SUBSTEPS, ..HerdSettings::default() };
        let as_often = |substeps: u32| libm::ceil(f64::from(substeps) * seconds / usual.time_step) as u32;
        let settings = HerdSettings {
            substeps: as_often(usual.substeps).max(1),
            calm_substeps: as_often(usual.calm_substeps).max(1),
            meeting_substeps: as_often(usual.meeting_substeps).max(1),
            time_step: seconds,
            gravity: fixed.settings.acceleration(),
            rest_steps: 0,
            rounding: 0.0,
            ..usual
        };
        let Self { groups, colliders, .. } = self;
        let mut steps = 0;
        for group in groups {
            let meeting = group.members.iter().filter(|member| member.is_in && member.meets);
            let way = meeting.map(|member| colliders[member.collider].way).fold(0.0, f64::max);
            let usual = settings.meeting_substeps;
            // NaN counts as none.
            let wanted = libm::ceil((way / MEETING_WAY).min(MOST_TIMES * f64::from(usual))) as u32;
            let settings = HerdSettings { meeting_substeps: usual.max(wanted), ..settings };
            steps += group.step(&settings, &fixed.model.masses, state);
        }
        steps
    }

    /// Greatest number of substeps that a ragdoll in lanes takes; 0 if there are none.
    pub fn substeps(&self) -> u32 {
        let members = self.groups.iter().flat_map(|group| &group.members).filter(|member| member.is_in);
        members.map(|member| member.memory.substeps).max().unwrap_or(0)
    }

    /// Writes the motion of the stepped ragdolls into the state of the world.
    pub fn store(&self, fixed: Fixed, state: &mut State, seconds: f64) {
        let (gravity, h) = (fixed.settings.acceleration(), state.last_substep);
        for group in &self.groups {
            match group.is_few {
                true => group.few.store(group, (gravity, h), state, seconds),
                false => group.many.store(group, (gravity, h), state, seconds),
            }
        }
        let members = self.groups.iter().flat_map(|group| &group.members).filter(|member| member.is_in);
        for (member, [center, velocity]) in members.filter_map(|member| Some((member, member.flight?))) {
            // What f32 rounds off of the mass center's parabola.
            let now = mass_center(&fixed.model.masses, state, gravity, &member.particles);
            let shift = center + velocity * seconds + 0.5 * gravity * seconds * seconds - now[0];
            let change = velocity + gravity * seconds - now[1];
            for particle in member.particles.clone() {
                state.positions[particle] += shift;
                state.previous[particle] += shift - change * h;
                state.earlier[particle] += shift - change * (2.0 * h);
            }
        }
    }

    /// What the lanes remember, to be saved with the positions.
    pub fn save(&self) -> Vec<LaneMemory> {
        let all = self.groups.iter().flat_map(|group| &group.members).map(|member| &member.memory);
        all.filter(|memory| memory.substeps > 0 || !memory.contacts.is_empty()).cloned().collect()
    }

    /// Continues from what [`Self::save`] returned.
    pub fn restore(&mut self, saved: &[LaneMemory]) {
        for member in self.groups.iter_mut().flat_map(|group| &mut group.members) {
            (member.is_in, member.memory.substeps) = (false, 0);
            member.memory.contacts.clear();
            let fits = |it: &&LaneMemory| it.impulses.len() == member.memory.impulses.len();
            let known = saved.iter().filter(fits).find(|it| it.object == member.memory.object);
            if let Some(known) = known {
                member.memory.clone_from(known);
            }
        }
    }

    /// Contacts of the ragdolls that lanes stepped last.
    fn contacts(&self) -> impl Iterator<Item = TouchInLanes> + '_ {
        self.groups.iter().flat_map(|group| {
            let members = group.members.iter().filter(|member| member.is_in);
            members.flat_map(|member| group.contacts(member)).chain(group.meeting.contacts.iter().copied())
        })
    }

    /// Overlaps after the last step, meters, each with a particle of one side.
    pub fn overlaps(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.contacts().map(|touch| (touch.particle, touch.depth)).filter(|&(_, depth)| depth > 0.0)
    }

    /// Contact points (m) that pushed in the last substep, and the normals there, towards the ragdoll.
    pub fn touches(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        self.contacts().filter(|touch| touch.pushes).map(|touch| (touch.point, touch.normal))
    }
}

impl BatchMember {
    /// A particle of a body.
    fn particle_of(&self, plan: &BatchModel, body: usize) -> usize {
        self.particles.start + plan.bodies[body].particles[0]
    }
}

impl Group {
    /// Finds the planes near the chosen members. Leaves members out that are near anything else.
    fn find_planes(&mut self, fixed: Fixed, obstacles: &[Obstacle], colliders: &[Collider], seconds: f64) {
        let mut planes: Vec<(PlacedPlane, f32)> = Vec::new();
        self.members.iter_mut().for_each(|member| member.flies = true);
        for obstacle in obstacles {
            let mut found: Option<(DVec3, f64)> = None;
            for member in self.members.iter_mut().filter(|member| member.is_in) {
                let collider = &colliders[member.collider];
                let near = match (found, plane_near(obstacle, &collider.reach, seconds)) {
                    // The plane of a face holds for all lanes: those of other members must be above it.
                    (Some((normal, offset)), Near::Nothing) if lowest(&collider.reach, normal) < offset => Near::Other,
                    (Some(plane), Near::Plane(other)) if plane != other => Near::Other,
                    (_, near) => near,
                };
                let bounces = obstacle.restitution > 0.0 || fixed.model.objects[member.memory.object].restitution > 0.0;
                match near {
                    Near::Nothing => {}
                    Near::Plane(plane) if !bounces => (found, member.flies) = (Some(plane), false),
                    Near::Plane(_) | Near::Other => member.is_in = false,
                }
            }
            if let Some((normal, offset)) = found {
                // Members that were far when the plane was found.
                for member in self.members.iter_mut().filter(|member| member.is_in) {
                    let collider = &colliders[member.collider];
                    let is_near = matches!(plane_near(obstacle, &collider.reach, seconds), Near::Plane(_));
                    member.is_in = is_near || lowest(&collider.reach, normal) >= offset;
                }
                let friction = libm::sqrt(self.friction * obstacle.friction) as f32;
                planes.push((PlacedPlane::HalfSpace { normal, offset }, friction));
            }
        }
        if planes != self.planes {
            self.placed = planes.iter().map(|(plane, _)| *plane).collect();
            self.few.place(&self.placed, &planes);
            self.many.place(&self.placed, &planes);
            self.planes = planes;
        }
    }

    fn step(&mut self, settings: &HerdSettings, masses: &[f64], state: &State) -> u64 {
        let Self { plan, members, few, many, placed, meeting, .. } = self;
        let count = members.iter().filter(|member| member.is_in).count();
        let meets = members.iter().any(|member| member.meets);
        self.is_few = count <= FEW && !meets;
        meeting.contacts.clear();
        let constants = (&*plan, settings, &placed[..]);
        let substeps = match (self.is_few, meets) {
            (true, _) => few.step(constants, members, (masses, state)),
            (false, false) => many.step(constants, members, (masses, state)),
            (false, true) => many.step_meeting(constants, members, (masses, state), meeting),
        };
        substeps * plan.bodies.len() as u64
    }

    /// Contacts of a member with planes after the last step.
    fn contacts(&self, member: &BatchMember) -> Vec<TouchInLanes> {
        match self.is_few {
            true => self.few.contacts(&self.plan, &self.placed, member),
            false => self.many.contacts(&self.plan, &self.placed, member),
        }
    }
}

/// Whether nothing pins, drags, pushes or drives a ragdoll. Sheets that hang on it must be in lanes.
fn is_free(fixed: Fixed, state: &State, member: &BatchMember, in_lanes: &[bool]) -> bool {
    let (model, own) = (fixed.model, &member.particles);
    let is_sound = |particle: usize| state.positions[particle].abs().max_element() < FARTHEST;
    model.objects[member.memory.object].iterations.is_none()
        && state.last_substep > 0.0
        && state.pins[own.clone()].iter().all(Option::is_none)
        && state.forces[own.clone()].iter().all(|&force| force == DVec3::ZERO)
        && state.drags.iter().all(|drag| drag.point.particles.iter().all(|particle| !own.contains(particle)))
        && member.drives.iter().all(|&drive| !model.drives[drive].is_on())
        && member.sheets.iter().all(|&particle| in_lanes[particle])
        && own.clone().all(is_sound)
}
