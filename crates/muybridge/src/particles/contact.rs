//! Contacts of the particle solver: detection and response, without allocation after the first step.
//!
//! ```text
//! once per step       find         surfaces that may meet within the step: pairs of boxes that overlap
//! once per substep    prepare      where they touch: planes the predicted positions must stay in front of
//! every pass          project      push out along the normal, then friction            (3.9.3, 3.4)
//! after the passes    restitution  what bounces, bounces                                (3.3)
//! ```
//! `previous` holds the positions at the start of the substep and `positions` the predicted ones, so that `positions −
//! previous` is the motion of the substep. A collider whose points all lie on one rigid tetrahedron responds as a rigid
//! body, any other by the weights of its points (3.11.1). Contacts are warm-started with the impulse of the previous
//! substep, so that a stack at rest starts solved. To continue from a saved state bit for bit, save [`Contacts::held`]
//! with it.
//!
//! Specification: mathematics 3.3, 3.4, 3.9.3, 3.11, 3.16, 4.9 (R3, R24, J5–J7, J19–J21, J31, J36, J37).

mod bounces;
mod cores;
mod energy;
mod flight;
mod hits;
mod kept;
mod law;
mod manifold;
mod memory;
mod narrow;
#[cfg(test)]
mod obstacle_tests;
mod pairs;
mod response;
mod room;
mod solids;
mod surfaces;
#[cfg(test)]
mod tests;

use glam::DVec3;

use super::model::Model;
use crate::collision::Obstacle;
use crate::collision::broad_phase::Aabb;

use bounces::ContactGroups;
pub(super) use bounces::JoinedIslands;
pub(super) use flight::Ways;
pub(super) use hits::FlightScene;
pub use memory::WarmContact;
pub(super) use pairs::{in_world, may_leave};
pub use response::Lever;
pub(super) use response::TetrahedronInertia;
use room::ContactCapacity;
pub(crate) use room::make_room;

/// Colliders, candidate pairs and contacts of a model, with the buffers for them.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    surfaces: surfaces::Surfaces,
    pairs: pairs::Pairs,
    contacts: Vec<law::ContactConstraint>,
    /// Ranges of contacts that are solved together: the points of a manifold of rigid bodies.
    groups: Vec<core::ops::Range<u32>>,
    /// Contact impulses of the previous substep, for the warm start.
    held: Vec<WarmContact>,
    /// Impulses from `held` of contacts whose colliders are all immovable now. They are kept until a sleeping collider
    /// wakes.
    resting: Vec<WarmContact>,
    /// Whether `held` was set by [`Contacts::hold`] and has not been used.
    is_restored: bool,
    bodies: response::Bodies,
    bounces: bounces::ContactBounces,
    hits: hits::FreeHits,
    cores: Vec<cores::Core>,
    deepest: f64,
    /// Greatest change of a gap by the pushes of the last pass, meters.
    greatest_push: f64,
}

/// Forward-and-backward sweeps per pass. A stack of boxes then takes longer to come to rest than with more sweeps.
const ROUNDS: u32 = 1;

/// Greatest number of times that pairs are looked for in a substep.
const LOOKS: u32 = 32;

/// Motion of all particles in a substep.
#[derive(Clone, Copy, Debug)]
pub struct ParticleMotion<'a> {
    /// Predicted positions, meters.
    pub positions: &'a [DVec3],
    /// Positions at the start of the substep, meters.
    pub previous: &'a [DVec3],
    /// Inverse mass of each particle, 1/kg; 0 for an immovable particle (pinned, asleep).
    pub inverse_masses: &'a [f64],
}

/// An active contact: two colliders that push each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    /// Index of a collider of the model.
    pub surface: usize,
    /// The other collider or obstacle.
    pub other: Other,
    /// Normal impulse of the substep times its duration, kg m.
    pub push: f64,
    /// Unit normal from the other to the collider.
    pub normal: DVec3,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Other {
    /// A collider of the model, by its index.
    Surface(usize),
    /// An obstacle, by its index.
    Obstacle(usize),
}

impl Other {
    /// Colliders of the model in a contact between `surface` and this: one or two.
    fn surfaces(self, surface: usize) -> impl Iterator<Item = usize> {
        let other = if let Self::Surface(other) = self { Some(other) } else { None };
        core::iter::once(surface).chain(other)
    }
}

impl Contacts {
    /// Creates the contacts of a model that `World::new` has checked.
    pub fn new(model: &Model) -> Self {
        Self { surfaces: surfaces::Surfaces::new(model), ..Self::default() }
    }

    /// Broad phase: finds pairs that may meet within the coming step. Call it once per step. It assumes that colliders
    /// keep the speed between `previous` and `positions`, in any direction. The first call, and the first call with
    /// more obstacles, allocates the room for all later steps. Colliders whose first particle is `in_lanes` are left out.
    pub fn find(&mut self, obstacles: &[Obstacle], motion: &ParticleMotion, ahead: &Ahead, in_lanes: &[bool]) {
        self.reserve(&ContactCapacity::of(&self.surfaces, obstacles.len()), motion.inverse_masses.len());
        self.hits.met.clear();
        self.pairs.find(&self.surfaces, obstacles, (motion, in_lanes), ahead);
    }

    /// Greatest way within the coming step of a rigid collider that may meet a thin obstacle, in its own sizes.
    pub(super) fn way_at_thin(&self, obstacles: &[Obstacle], motion: &ParticleMotion, ahead: &Ahead) -> f64 {
        self.pairs.way_at_thin(&self.surfaces, obstacles, (motion, ahead))
    }

    fn reserve(&mut self, room: &ContactCapacity, particles: usize) {
        self.pairs.reserve(room);
        make_room(&mut self.contacts, room.contacts);
        make_room(&mut self.groups, room.contacts);
        make_room(&mut self.held, room.contacts);
        make_room(&mut self.resting, room.contacts);
        make_room(&mut self.cores, if room.pairs > 0 { room.surfaces } else { 0 });
        self.bodies.reserve(&self.surfaces, particles);
        self.bounces.reserve(self.surfaces.bodies.len(), particles);
        self.hits.reserve(room, self.surfaces.bodies.len());
    }

    /// Lets bodies without joints hit each other on their ways within the substep. Call it after prediction. What is flung out of
    /// the box in which its pairs were looked for meets others as well; what sleeps stays
    /// where it is until the next step. Returns the number of hits.
    pub(super) fn hit(
        &mut self,
        obstacles: &[Obstacle],
        ways: &mut Ways,
        (scene, h): (FlightScene, f64),
        (ahead, in_lanes): (&Ahead, &[bool]),
    ) -> u64 {
        self.hits.begin(self.surfaces.bodies.len());
        let mut count = 0;
        for _ in 0..LOOKS {
            let pairs::Pairs { surfaces, memory, .. } = &mut self.pairs;
            count += self.hits.apply((&self.surfaces, surfaces, memory), &self.contacts, ways, scene);
            let Self { surfaces, pairs, hits, .. } = self;
            let motion = ParticleMotion {
                positions: ways.positions,
                previous: ways.previous,
                inverse_masses: scene.inverse_masses,
            };
            let is_hit = |surface: usize| hits.last_hit(surfaces, surface).is_some();
            if count == 0 || !pairs.are_outrun(surfaces, &motion, [h, ahead.seconds], is_hit) {
                break;
            }
            pairs.find(surfaces, obstacles, (&motion, in_lanes), ahead);
        }
        count
    }

    /// Narrow phase: finds contact points. Call it once per substep of `seconds` under `gravity`, after prediction. Obstacles are at
    /// their pose at the end of the substep. Colliders that overlapped before the substep are moved apart a little in
    /// both `positions` and `previous`, so that they gain no speed.
    pub fn prepare(
        &mut self,
        obstacles: &[Obstacle],
        positions: &mut [DVec3],
        previous: &mut [DVec3],
        inverse_masses: &[f64],
        (gravity, seconds): (DVec3, f64),
    ) {
        self.keep();
        let motion = ParticleMotion { positions, previous, inverse_masses };
        if !self.pairs.surfaces.is_empty() {
            cores::find(&mut self.cores, &self.surfaces, &motion);
        }
        let scene = narrow::ContactScene { surfaces: &self.surfaces, cores: &self.cores, obstacles, motion, seconds };
        self.bodies.start(&self.surfaces, inverse_masses);
        narrow::find(&mut self.contacts, &mut self.bodies, &mut self.pairs, &scene);
        self.groups.clear();
        self.groups.extend(manifold::groups(&self.contacts, &self.bodies));
        for contact in &mut self.contacts {
            // Before the hit it was not on this way.
            if contact.surfaces().any(|surface| self.hits.last_hit(&self.surfaces, surface).is_some()) {
                contact.gap_before = contact.gap_before.max(0.0);
                contact.depth = 0.0;
            }
            contact.start(&self.bodies, positions, previous, gravity * (seconds * seconds));
        }
        self.deepest = self.contacts.iter().fold(0.0, |deepest, contact| deepest.max(contact.depth));
        for contact in &mut self.contacts {
            contact.recover(&self.bodies, positions, previous, seconds);
        }
        memory::remember(&mut self.contacts, &mut self.held, |contact| {
            contact.push_again(&mut self.bodies, positions, seconds)
        });
        self.bodies.push_gathered(positions);
        let Self { surfaces, held, resting, .. } = self;
        resting.clear();
        let is_free = |surface: usize| surfaces.list.get(surface).is_some_and(|skin| skin.is_free(inverse_masses));
        resting.extend(held.iter().filter(|old| old.push > 0.0 && !old.surfaces().any(is_free)));
    }

    /// One pass over the contacts of the colliders selected by `is_wanted`: normal push, then friction. It runs forward
    /// and backward to cancel the effect of the order. Returns the number of corrections.
    pub fn project(&mut self, positions: &mut [DVec3], previous: &[DVec3], is_wanted: impl Fn(usize) -> bool) -> u64 {
        let Self { contacts, groups, bodies, .. } = self;
        let (mut corrections, mut greatest) = (0, 0.0_f64);
        let mut project = |group: &core::ops::Range<u32>| {
            let group = &mut contacts[group.start as usize..group.end as usize];
            if !group[0].surfaces().any(&is_wanted) {
                return;
            }
            corrections += group.len() as u64;
            greatest = greatest.max(match group {
                [contact] => contact.project(bodies, positions, previous),
                _ => manifold::project(group, bodies, positions, previous),
            });
        };
        for _ in 0..ROUNDS {
            groups.iter().for_each(&mut project);
            groups.iter().rev().for_each(&mut project);
        }
        self.greatest_push = greatest;
        corrections
    }

    /// Greatest change of a gap by the pushes of the last pass, meters.
    pub(super) fn greatest_push(&self) -> f64 {
        self.greatest_push
    }

    /// A particle of each side of the contacts of rigid bodies that approach by more than `least`, meters, before they are solved.
    pub(super) fn striking(&self, least: f64) -> impl Iterator<Item = usize> + '_ {
        self.particles_of(move |contact| contact.strikes(least))
    }

    /// The same of those that `positions` make deeper by more than `least` than at the start.
    pub(super) fn entering<'a>(&'a self, positions: &'a [DVec3], least: f64) -> impl Iterator<Item = usize> + 'a {
        self.particles_of(move |contact| contact.gap(positions) < -least)
    }

    fn particles_of<'a>(
        &'a self,
        is_wanted: impl Fn(&law::ContactConstraint) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let wanted = self.contacts.iter().filter(move |contact| is_wanted(contact) && contact.is_rigid(&self.bodies));
        let surfaces = wanted.flat_map(law::ContactConstraint::surfaces);
        surfaces.filter_map(|surface| self.surfaces.list[surface].particles().next())
    }

    /// Ends a substep: records the slip after friction, and applies restitution by moving `previous`.
    pub(super) fn restitution(
        &mut self,
        joined: JoinedIslands,
        positions: &[DVec3],
        previous: &mut [DVec3],
        (gravity, seconds): (DVec3, f64),
    ) {
        let fall = gravity * (seconds * seconds);
        for contact in &mut self.contacts {
            contact.note_slip(&self.bodies, positions, previous, seconds);
        }
        if self.contacts.iter().any(|contact| contact.bounces(fall)) {
            let Self { contacts, groups, surfaces, bodies, .. } = self;
            self.bounces.apply(
                &mut ContactGroups { contacts, groups, surfaces, bodies },
                joined,
                (positions, previous),
                fall,
            );
        }
    }

    /// Impulses of the active contacts, to be saved with the positions.
    pub fn held(&self) -> impl Iterator<Item = WarmContact> + '_ {
        let restored = self.is_restored.then_some(&self.held).into_iter().flatten().copied();
        let lasting = self.contacts.iter().filter(|contact| contact.lasts()).map(law::ContactConstraint::held);
        restored.chain(memory::in_order(lasting, self.resting.iter().copied()))
    }

    /// Warm-starts from saved impulses. [`Contacts::touching`] is empty until the next substep. An empty list gives a
    /// cold start.
    pub fn hold(&mut self, held: impl IntoIterator<Item = WarmContact>) {
        self.forget();
        self.held.extend(held);
        self.is_restored = true;
    }

    /// Moves the impulses of active contacts to `held` and clears the contacts.
    fn keep(&mut self) {
        if !core::mem::take(&mut self.is_restored) {
            self.held.clear();
            let again = self.contacts.iter().filter(|contact| contact.lasts());
            self.held.extend(memory::in_order(again.map(law::ContactConstraint::held), self.resting.iter().copied()));
        }
        self.contacts.clear();
        self.groups.clear();
    }

    /// Multiplies the kept impulses by `ratio`: that of the squares of this substep and the last.
    pub(super) fn rescale(&mut self, ratio: f64) {
        self.contacts.iter_mut().for_each(|contact| contact.rescale(ratio));
        self.held.iter_mut().chain(&mut self.resting).for_each(|held| held.rescale(ratio));
    }

    /// Clears contacts and impulses: the next substep starts cold.
    pub(crate) fn forget(&mut self) {
        self.contacts.clear();
        self.groups.clear();
        self.held.clear();
        self.resting.clear();
    }

    /// Active contacts since the last [`Contacts::prepare`], in order.
    pub fn touching(&self) -> impl Iterator<Item = Touching> + Clone + '_ {
        self.contacts.iter().filter(|contact| contact.pushes()).map(law::ContactConstraint::touching)
    }

    /// Pairs of colliders of bodies without joints that have hit each other since the last [`Contacts::find`].
    pub(crate) fn hits(&self) -> impl Iterator<Item = [usize; 2]> + Clone + '_ {
        self.hits.met.iter().copied()
    }

    /// Marks the particles that carry a collider in contact.
    pub(super) fn mark_touched(&self, is_touched: &mut [bool]) {
        for surface in self.contacts.iter().filter(|contact| contact.pushes()).flat_map(|contact| contact.surfaces()) {
            let skin = &self.surfaces.list[surface];
            let body = skin.body.map(|body| self.surfaces.bodies[body]);
            let carriers = skin.particles().chain(body.into_iter().flatten());
            carriers.for_each(|particle| is_touched[particle] = true);
        }
    }

    /// Contact points on the skin of the colliders (m), and the normals there, towards the collider.
    pub fn places<'a>(&'a self, positions: &'a [DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> + 'a {
        let pushing = self.contacts.iter().filter(|contact| contact.pushes());
        pushing.map(|contact| contact.place(&self.surfaces, positions))
    }

    /// Pairs of colliders that may meet in this step, for islands and waking.
    pub fn may_meet(&self) -> impl Iterator<Item = [usize; 2]> + Clone + '_ {
        self.pairs.surfaces.iter().map(|pair| pair.map(|surface| surface as usize))
    }

    /// Colliders that may meet an obstacle in this step.
    pub fn may_meet_obstacles(&self) -> impl Iterator<Item = usize> + '_ {
        self.pairs.obstacles.iter().map(|pair| pair[0] as usize)
    }

    /// Calls `found` with every collider of the last [`Contacts::find`] whose box in the step overlaps `bounds`, and
    /// with that box.
    pub(super) fn near(&self, bounds: &Aabb, found: &mut dyn FnMut(usize, &Aabb)) {
        self.pairs.near(bounds, found);
    }

    /// Number of pairs that may meet in this step, obstacles included.
    pub fn pairs(&self) -> usize {
        self.pairs.surfaces.len() + self.pairs.obstacles.len()
    }

    /// Number of contact points since the last [`Contacts::prepare`].
    pub fn count(&self) -> usize {
        self.contacts.len()
    }

    /// Capacities of the lists.
    #[cfg(test)]
    fn capacities(&self) -> [usize; 4] {
        [self.contacts.capacity(), self.held.capacity(), self.resting.capacity(), self.pairs.capacity()]
    }

    /// Overlaps at the start of the last substep, meters, each with a particle of the side that was added to the model later.
    pub(super) fn overlaps(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let deep = self.contacts.iter().filter(|contact| contact.depth > 0.0);
        deep.filter_map(|contact| {
            let particles = contact.surfaces().filter_map(|surface| self.surfaces.list[surface].particles().next());
            Some((particles.max()?, contact.depth))
        })
    }

    /// Contacts of the last substep: a collider, the other side, and the overlap at its start, meters.
    pub(super) fn depths(&self) -> impl Iterator<Item = (usize, Other, f64)> + '_ {
        self.contacts.iter().map(|contact| {
            let touching = contact.touching();
            (touching.surface, touching.other, contact.depth)
        })
    }

    /// Depth of the deepest overlap at the start of the last substep, meters.
    pub fn deepest(&self) -> f64 {
        self.deepest
    }
}

/// Time horizon of [`Contacts::find`].
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Duration of the coming step, seconds.
    pub seconds: f64,
    /// Duration of the substep from `previous` to `positions`, seconds; 0 if there was none.
    pub last_substep: f64,
    /// Gravity, meters per second squared.
    pub gravity: DVec3,
}
