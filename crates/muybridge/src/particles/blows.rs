//! Substeps of a step in which a body runs into cloth.
//!
//! One pass over the sticks of a cloth in a substep of `h` makes it as stiff as springs of its particles' mass over h². So a body
//! of mass M and speed v, that a cloth of mass m and sticks of length e stops, stretches it by
//! ```text
//! ε ∝ h v/e √(n μ/m)      μ = M of a cloth that is held, M m/(M + m) of a free one
//! ```
//! with n particles along a side, which as many passes reach (measured with 16² to 64² particles).
//! More passes help less: what a pass takes from the heavy body is the impulse of light particles. v is the speed of the
//! body relative to the mean of the cloth.

use core::ops::Range;

use glam::DVec3;

use super::model::{Anchor, Core, Model};
use super::state::{Blow, State, Taut};

/// The cloths of a model: objects with triangles, held together by rigid sticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cloths {
    all: Vec<Cloth>,
    /// Whether a particle belongs to a cloth that nothing holds.
    is_free: Vec<bool>,
    /// Cloth of each collider.
    of_surfaces: Vec<Option<usize>>,
    /// Body of each collider.
    strikers: Vec<Option<Striker>>,
}

#[derive(Clone, Debug)]
struct Cloth {
    particles: Range<usize>,
    /// Mass of the particles that move, kilograms.
    mass: f64,
    /// Shortest stick, meters.
    shortest: f64,
    is_held: bool,
    /// Objects on which it hangs.
    holders: Vec<usize>,
}

/// A body that may run into a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Striker {
    particles: [usize; 4],
    /// Its object, if it has joints: it does not run into a cloth that hangs on it.
    jointed: Option<usize>,
    /// Mass, kilograms.
    mass: f64,
}

/// Substeps in which a body as heavy as a held cloth of one particle passes a stick: they leave a stretch below a tenth.
const PER_STICK: f64 = 4.5;

/// Speed below which a body only pushes a cloth, m/s.
const SLOW: f64 = 2.0;

/// Substeps of a blow in lanes in those that the world takes: a pass of the world is repeated until little stretch is left.
const IN_LANES: f64 = 5.0;

/// Time for which the substeps of a blow go on, seconds, and how much harder another must be to change them.
const LASTS: f64 = 0.1;
const HARDER: f64 = 1.5;

impl Cloths {
    pub fn of(model: &Model, is_free: &[bool]) -> Self {
        let mut cloths = Self::default();
        let mut of_particles = vec![None; model.positions.len()];
        let triangles = model.surfaces.iter().filter(|it| matches!(it.core, Core::Triangle(_)));
        let is_loose = |surface: &Core| surface.points().iter().all(|it| it.weights == [1.0, 0.0, 0.0, 0.0]);
        let mut objects: Vec<usize> = triangles.filter(|it| is_loose(&it.core)).map(|it| it.object).collect();
        objects.dedup();
        for object in objects {
            let particles = model.objects[object].particles.clone();
            of_particles[particles.clone()].fill(Some(cloths.all.len()));
            let masses = model.masses[particles.clone()].iter();
            let mass = masses.clone().filter(|mass| mass.is_finite()).sum();
            let is_held = masses.clone().any(|mass| mass.is_infinite());
            cloths.all.push(Cloth { particles, mass, shortest: f64::INFINITY, is_held, holders: Vec::new() });
        }
        let of_both =
            |particles: [usize; 2]| of_particles[particles[0]].filter(|it| of_particles[particles[1]] == Some(*it));
        for distance in &model.distances {
            let is_stick = distance.is_bilateral() && distance.compliance == 0.0;
            if let Some(cloth) = of_both(distance.particles).filter(|_| is_stick) {
                let cloth = &mut cloths.all[cloth];
                cloth.shortest = cloth.shortest.min(distance.most);
            }
        }
        let mut objects = vec![usize::MAX; model.positions.len()];
        for (index, object) in model.objects.iter().enumerate() {
            objects[object.particles.clone()].fill(index);
        }
        // Which proxies are linked to each other is not known here.
        objects[..model.proxy_particles()].fill(usize::MAX);
        for joint in &model.attachments {
            for cloth in joint.a.particles.iter().filter_map(|&it| of_particles[it]) {
                cloths.all[cloth].is_held = true;
                if let Anchor::Point(point) = joint.b {
                    cloths.all[cloth].holders.push(objects[point.particles[0]]);
                }
            }
        }
        // A plane pushes from outside as well.
        for plane in &model.planes {
            of_particles[plane.particle].into_iter().for_each(|it| cloths.all[it].is_held = true);
        }
        cloths.is_free = vec![false; model.positions.len()];
        for cloth in cloths.all.iter().filter(|cloth| !cloth.is_held) {
            cloths.is_free[cloth.particles.clone()].fill(true);
        }
        let mut strikers = vec![None; model.positions.len()];
        for (index, body) in model.tetrahedra.iter().enumerate() {
            let mass: f64 = body.particles.iter().map(|&it| model.masses[it]).sum();
            let is_alone = match model.proxies.get(index) {
                Some(linkage) => *linkage <= mass * (1.0 + 1e-6),
                None => is_free[body.particles[0]],
            };
            let jointed = (!is_alone).then_some(objects[body.particles[0]]);
            let striker = Striker { particles: body.particles, jointed, mass };
            body.particles.iter().for_each(|&it| strikers[it] = Some(striker));
        }
        for surface in &model.surfaces {
            let first = surface.core.points()[0].particles[0];
            cloths.of_surfaces.push(of_particles[first]);
            cloths.strikers.push(strikers[first]);
        }
        cloths
    }

    /// Particles of the cloths that nothing holds.
    pub fn free(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.all.iter().filter(|cloth| !cloth.is_held).map(|cloth| cloth.particles.clone())
    }

    /// Whether a particle belongs to such a cloth.
    pub fn is_free(&self, particle: usize) -> bool {
        self.is_free[particle]
    }

    /// Forgets what the last step asked for.
    pub fn begin(&self, state: &mut State, asked: &mut Vec<Asked>) {
        state.blows.resize(self.all.len(), Blow::default());
        state.taut.resize(self.all.len(), Taut::default());
        asked.clear();
        asked.resize(self.all.len(), Asked::default());
    }

    /// Asks for the cloths that are not `in_lanes`, struck by pairs of colliders. Returns the most substeps per second.
    pub fn ask(
        &self,
        state: &State,
        pairs: impl Iterator<Item = [usize; 2]> + Clone,
        in_lanes: &[bool],
        asked: &mut [Asked],
    ) -> f64 {
        let mut most = 0.0_f64;
        for (index, asked) in
            asked.iter_mut().enumerate().filter(|(index, _)| !in_lanes[self.all[*index].particles.start])
        {
            let of = |surface: usize| self.of_surfaces[surface] == Some(index);
            let struck = pairs.clone().filter_map(|[a, b]| match [of(a), of(b)] {
                [true, false] => self.strikers[b],
                [false, true] => self.strikers[a],
                _ => None,
            });
            let mut struck = struck.peekable();
            if struck.peek().is_some() || state.blows[index].left > 0.0 {
                *asked = Asked::of(state.blows[index], self.all[index].blow(state, struck));
                asked.is_of_world = true;
                most = most.max(asked.rate);
            }
        }
        most
    }

    /// Index of the cloth whose first particle is `first`.
    pub fn index(&self, first: usize) -> Option<usize> {
        self.all.iter().position(|cloth| cloth.particles.start == first)
    }

    /// Asks for the cloth in lanes whose first particle is `first`, struck by `colliders`. Returns its substeps per second.
    pub fn ask_for(&self, first: usize, state: &State, colliders: &[usize], asked: &mut [Asked]) -> f64 {
        let Some(index) = self.index(first) else { return 0.0 };
        let strikers = colliders.iter().filter_map(|&surface| self.strikers[surface]);
        asked[index] = Asked::of(state.blows[index], self.all[index].blow(state, strikers));
        if asked[index].is_of_world { asked[index].rate } else { IN_LANES * asked[index].rate }
    }
}

/// Substeps per second that a cloth asks for in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    rate: f64,
    /// Whether a blow goes on.
    is_fresh: bool,
    /// Whether the cloth took substeps of the world in it.
    is_of_world: bool,
}

impl Asked {
    /// After the last blow, with what those of this step need.
    fn of(last: Blow, needed: f64) -> Self {
        let goes_on = last.left > 0.0 && needed <= HARDER * last.rate;
        let rate = if goes_on { last.rate } else { needed };
        Self { rate, is_fresh: needed > 0.0, is_of_world: goes_on && last.is_of_world }
    }

    /// What a step of `seconds` leaves of the blow.
    pub fn keep(self, last: &mut Blow, seconds: f64) {
        last.left = if self.is_fresh { LASTS } else { (last.left - seconds).max(0.0) };
        last.rate = if last.left > 0.0 { self.rate } else { 0.0 };
        last.is_of_world = last.left > 0.0 && self.is_of_world;
    }
}

impl Cloth {
    /// Substeps per second that the greatest blow needs; 0 if none is fast.
    fn blow(&self, state: &State, strikers: impl Iterator<Item = Striker>) -> f64 {
        let velocity = |it: usize| (state.positions[it] - state.previous[it]) / state.last_substep;
        let count = self.particles.len() as f64;
        let mean = self.particles.clone().map(velocity).sum::<DVec3>() / count;
        let speed = |it: usize| (velocity(it) - mean).length();
        let is_held = self.is_held || self.particles.clone().any(|it| state.pins[it].is_some());
        let (mut greatest, mut last) = (0.0_f64, None);
        for striker in strikers {
            let is_holder = striker.jointed.is_some_and(|own| self.holders.contains(&own));
            if is_holder || last.replace(striker).is_some_and(|last| last == striker) {
                continue;
            }
            let mass = if is_held { striker.mass } else { striker.mass * self.mass / (striker.mass + self.mass) };
            let fastest = striker.particles.iter().map(|&it| speed(it)).fold(0.0, f64::max);
            if fastest > SLOW {
                greatest = greatest.max(fastest * (mass / self.mass).sqrt());
            }
        }
        PER_STICK * greatest / self.shortest * count.sqrt().sqrt()
    }
}
