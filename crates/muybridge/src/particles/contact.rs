//! Contact: what touches what, and what is done about it, without allocation after the first step.
//!
//! ```text
//! once per step       find         surfaces that may meet within the step: pairs of boxes that overlap
//! once per substep    prepare      where they touch: planes the predicted positions must stay in front of
//! every pass          project      push out along the normal, then friction            (3.9.3, 3.4)
//! after the passes    restitution  what bounces, bounces                                (3.3)
//! ```
//! `previous` are the positions at the start of the substep and `positions` the predicted ones, so that
//! `positions − previous` is the motion of the substep. A surface whose points all stand on one rigid tetrahedron answers
//! as a rigid body, any other by the weights of its points (3.11.1). A contact begins with the push that held it in the
//! substep before, so that a stack at rest is solved before it starts; to go on from a saved state bit for bit, save
//! [`Contacts::held`] with it.
//!
//! Specification: mathematics 3.3, 3.4, 3.9.3, 3.11, 3.16, 4.9 (R3, R24, J5–J7, J19–J21, J31, J36, J37).

mod cores;
mod law;
mod memory;
mod narrow;
#[cfg(test)]
mod obstacle_tests;
mod pairs;
mod response;
mod room;
mod surfaces;
#[cfg(test)]
mod tests;

use glam::DVec3;

use super::model::Model;
use crate::collision::Obstacle;

pub use memory::WarmContact;
pub use response::Lever;
use room::ContactCapacity;
pub(crate) use room::make_room;

/// Everything that may touch, everything that does, and the memory for both.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    surfaces: surfaces::Surfaces,
    pairs: pairs::Pairs,
    contacts: Vec<law::ContactConstraint>,
    /// What held in the substep before.
    held: Vec<WarmContact>,
    /// What of that holds where nothing can move now: nobody looks there, and it holds on when what sleeps is woken.
    resting: Vec<WarmContact>,
    /// Whether `held` was given by [`Contacts::hold`] and has not been used.
    is_restored: bool,
    bodies: response::Bodies,
    cores: Vec<cores::Core>,
    deepest: f64,
}

/// How often a pass goes there and back. With one, a stack of boxes takes longer to come to rest.
const ROUNDS: u32 = 1;

/// Particles as they are in a substep.
#[derive(Clone, Copy, Debug)]
pub struct ParticleMotion<'a> {
    /// Predicted, metres.
    pub positions: &'a [DVec3],
    /// At the start of the substep, metres.
    pub previous: &'a [DVec3],
    /// One per particle, 1/kg; 0 for one that nothing moves (pinned, asleep).
    pub inverse_masses: &'a [f64],
}

/// Two things that push each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    /// A surface of the model.
    pub surface: usize,
    /// What it touches.
    pub other: Other,
    /// Impulse of the substep along the normal times its length, kg m.
    pub push: f64,
    /// From the other to the surface.
    pub normal: DVec3,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Other {
    /// A surface of the model.
    Surface(usize),
    /// An obstacle, by its index.
    Obstacle(usize),
}

impl Other {
    /// The surfaces of a contact of `surface` with this: one, or two.
    fn surfaces(self, surface: usize) -> impl Iterator<Item = usize> {
        let other = if let Self::Surface(other) = self { Some(other) } else { None };
        core::iter::once(surface).chain(other)
    }
}

impl Contacts {
    /// What of a model may touch what. The model is sound (`World::new` has checked it).
    pub fn new(model: &Model) -> Self {
        Self { surfaces: surfaces::Surfaces::new(model), ..Self::default() }
    }

    /// Finds what may meet within the coming step: once per step. Surfaces go on as fast as they went from `previous` to
    /// `positions`, in any direction. The first time, and the first time with more obstacles, makes room for all that steps may
    /// find, and allocates.
    pub fn find(&mut self, obstacles: &[Obstacle], motion: &ParticleMotion, ahead: &Ahead) {
        self.reserve(&ContactCapacity::of(&self.surfaces, obstacles.len()), motion.inverse_masses.len());
        self.pairs.find(&self.surfaces, obstacles, motion, ahead);
    }

    fn reserve(&mut self, room: &ContactCapacity, particles: usize) {
        self.pairs.reserve(room);
        make_room(&mut self.contacts, room.contacts);
        make_room(&mut self.held, room.contacts);
        make_room(&mut self.resting, room.contacts);
        make_room(&mut self.cores, if room.pairs > 0 { room.surfaces } else { 0 });
        self.bodies.reserve(&self.surfaces, particles);
    }

    /// Finds where they touch: once per substep of `seconds`, after positions were predicted. Obstacles stand where they are
    /// at its end. What overlapped before the substep is moved apart a little in both `positions` and `previous`, so that it
    /// gains no speed.
    pub fn prepare(
        &mut self,
        obstacles: &[Obstacle],
        positions: &mut [DVec3],
        previous: &mut [DVec3],
        inverse_masses: &[f64],
        seconds: f64,
    ) {
        self.keep();
        let motion = ParticleMotion { positions, previous, inverse_masses };
        if !self.pairs.surfaces.is_empty() {
            cores::find(&mut self.cores, &self.surfaces, &motion);
        }
        let scene = narrow::Scene { surfaces: &self.surfaces, cores: &self.cores, obstacles, motion, seconds };
        self.bodies.start(&self.surfaces, inverse_masses);
        narrow::find(&mut self.contacts, &mut self.bodies, &mut self.pairs, &scene);
        self.deepest = self.contacts.iter().fold(0.0, |deepest, contact| deepest.max(-contact.gap_before));
        for contact in &mut self.contacts {
            contact.start(positions, previous);
        }
        for contact in &mut self.contacts {
            contact.recover(&self.bodies, positions, previous, seconds);
        }
        memory::remember(&mut self.contacts, &mut self.held, |contact| {
            contact.push_again(&self.bodies, positions, seconds)
        });
        let Self { surfaces, held, resting, .. } = self;
        resting.clear();
        let is_free = |surface: usize| surfaces.list.get(surface).is_some_and(|skin| skin.is_free(inverse_masses));
        resting.extend(held.iter().filter(|old| old.push > 0.0 && !old.surfaces().any(is_free)));
    }

    /// One pass over the contacts of the surfaces that are wanted, there and back so that their order leaves no trace: out along the
    /// normal, then friction.
    pub fn project(&mut self, positions: &mut [DVec3], previous: &[DVec3], is_wanted: impl Fn(usize) -> bool) {
        let Self { contacts, bodies, .. } = self;
        let is_wanted = |contact: &&mut law::ContactConstraint| contact.surfaces().any(&is_wanted);
        for _ in 0..ROUNDS {
            contacts.iter_mut().filter(&is_wanted).for_each(|contact| contact.project(bodies, positions, previous));
            contacts
                .iter_mut()
                .rev()
                .filter(&is_wanted)
                .for_each(|contact| contact.project(bodies, positions, previous));
        }
    }

    /// Ends a substep: notes what slid since friction had its say, and gives back its share of the speed of what has hit something, by
    /// moving `previous`.
    pub fn restitution(&mut self, positions: &[DVec3], previous: &mut [DVec3], gravity: DVec3, seconds: f64) {
        for contact in &mut self.contacts {
            contact.note_slip(&self.bodies, positions, previous, seconds);
        }
        for contact in &self.contacts {
            contact.bounce(&self.bodies, positions, previous, gravity, seconds);
        }
    }

    /// What holds, to be saved with the positions.
    pub fn held(&self) -> impl Iterator<Item = WarmContact> + '_ {
        let restored = self.is_restored.then_some(&self.held).into_iter().flatten().copied();
        let pushing = self.contacts.iter().filter(|contact| contact.pushes()).map(law::ContactConstraint::held);
        restored.chain(memory::in_order(pushing, self.resting.iter().copied()))
    }

    /// Goes on from what was saved; [`Contacts::touching`] is empty until the next substep. With an empty list, contacts
    /// begin without a push.
    pub fn hold(&mut self, held: impl IntoIterator<Item = WarmContact>) {
        self.forget();
        self.held.extend(held);
        self.is_restored = true;
    }

    /// Forgets the contacts but for what they hold.
    fn keep(&mut self) {
        if !core::mem::take(&mut self.is_restored) {
            self.held.clear();
            let again = self.contacts.iter().filter(|contact| contact.pushes() && contact.is_sound());
            self.held.extend(memory::in_order(again.map(law::ContactConstraint::held), self.resting.iter().copied()));
        }
        self.contacts.clear();
    }

    /// Forgets what touches and what it held: the next substep begins without a push.
    pub(crate) fn forget(&mut self) {
        self.contacts.clear();
        self.held.clear();
        self.resting.clear();
    }

    /// What pushed what since the last [`Contacts::prepare`], in the order of the contacts.
    pub fn touching(&self) -> impl Iterator<Item = Touching> + Clone + '_ {
        self.contacts.iter().filter(|contact| contact.pushes()).map(law::ContactConstraint::touching)
    }

    /// Where surfaces touch what pushes them, on their skin (m), and the normals there, towards the surface.
    pub fn places<'a>(&'a self, positions: &'a [DVec3]) -> impl Iterator<Item = (DVec3, DVec3)> + 'a {
        let pushing = self.contacts.iter().filter(|contact| contact.pushes());
        pushing.map(|contact| contact.place(&self.surfaces, positions))
    }

    /// Pairs of surfaces that may meet in this step, for islands and for who wakes whom.
    pub fn may_meet(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.pairs.surfaces.iter().map(|pair| pair.map(|surface| surface as usize))
    }

    /// Lengths the lists can have without allocating.
    #[cfg(test)]
    fn capacities(&self) -> [usize; 4] {
        [self.contacts.capacity(), self.held.capacity(), self.resting.capacity(), self.pairs.capacity()]
    }

    /// How deep the deepest overlap was at the start of the last substep, metres.
    pub fn deepest(&self) -> f64 {
        self.deepest
    }
}

/// How far ahead [`Contacts::find`] looks.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Length of the coming step.
    pub seconds: f64,
    /// Length of the substep from `previous` to `positions`; 0 if there was none.
    pub last_substep: f64,
    /// Metres per second squared.
    pub gravity: DVec3,
}
