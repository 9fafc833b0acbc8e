//! Constants that a world derives from its model.

use std::collections::BTreeMap;

use crate::particles::blows::Cloths;
use crate::particles::chains::Chains;
use crate::particles::coloring::Coloring;
use crate::particles::lighter_side::Sides;
use crate::particles::model::{Anchor, Model, Object, Surface};
use crate::particles::point::Direction;
use crate::particles::sleep::{self, Islands};
use crate::particles::step::ceiling::Ragdolls;

/// Passes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PassKind {
    /// Those of the settings, but as many as these in modes with multipliers.
    AtLeast(u32),
    /// These.
    Exactly(u32),
}

impl PassKind {
    fn of(object: &Object) -> Self {
        let Object { iterations, least_iterations, .. } = object;
        iterations.map_or(Self::AtLeast(*least_iterations), |iterations| Self::Exactly(iterations.max(1)))
    }
}

/// Constants computed once per world.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    /// Inverse masses, 1/kg; 0 for immovable particles.
    pub inverse_masses: Vec<f64>,
    /// Indices of the distances in solving order.
    pub distances: Vec<usize>,
    /// Chains of distances.
    pub chains: Chains,
    /// Cloths, and what may run into them.
    pub cloths: Cloths,
    /// Passes over the constraints of each particle (J38).
    pub passes: Vec<PassKind>,
    /// Passes of the objects that do not go by the settings alone, each once.
    pub own_passes: Vec<PassKind>,
    /// A movable particle of each collider; `None` if it has none.
    pub of_surfaces: Vec<Option<usize>>,
    /// Islands of particles connected by constraints.
    pub islands: Islands,
    /// Whether something immovable holds a particle by a constraint.
    pub hangs: Vec<bool>,
    /// Whether a particle has no constraint but those of its rigid body.
    pub is_free: Vec<bool>,
    /// Weight of the squared displacement of each particle in the rest test.
    pub counts: Vec<f64>,
    /// Whether each particle belongs to a rigid body.
    pub is_body: Vec<bool>,
    /// The islands of jointed rigid bodies.
    pub ragdolls: Ragdolls,
    /// Pairs of bodies with joint friction or a drive.
    pub turning: Vec<Turning>,
}

/// A pair of bodies of four particles with joint friction or a drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turning {
    /// Particles of parent and child.
    pub bodies: [[usize; 4]; 2],
    /// Joint with friction between the bodies; `None` if there is none.
    pub joint: Option<TurningJoint>,
    /// Index of the drive; `None` if there is none.
    pub drive: Option<usize>,
    /// Moment of inertia of the lighter side of the joint, kg m².
    pub side: f64,
}

/// Index of a joint in the model, by its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TurningJoint {
    SwingTwist(usize),
    Hinge(usize),
}

impl Turning {
    /// Lists each joint with the first drive of its two bodies, and drives without a joint, in the order of the drives.
    /// Drives are listed along chains, so that one pass propagates along them. Joints without a drive follow.
    fn all(model: &Model) -> Vec<Self> {
        let of = |a: &[Direction; 3], b: &[Direction; 3]| [a[0].particles, b[0].particles];
        let balls = model.swing_twists.iter().enumerate();
        let balls = balls.map(|(index, joint)| (of(&joint.a, &joint.b), TurningJoint::SwingTwist(index)));
        let hinges = model.hinges.iter().enumerate();
        let hinges = hinges.map(|(index, joint)| (of(&joint.a, &joint.b), TurningJoint::Hinge(index)));
        let turning = |(bodies, joint)| Self { bodies, joint: Some(joint), drive: None, side: 0.0 };
        let mut all: Vec<Self> = balls.chain(hinges).map(turning).collect();
        // Joints without a drive, the first of two bodies last.
        let mut undriven: BTreeMap<[[usize; 4]; 2], Vec<usize>> = BTreeMap::new();
        for (joint, it) in all.iter().enumerate().rev() {
            undriven.entry(it.bodies).or_default().push(joint);
        }
        for (index, drive) in model.drives.iter().enumerate() {
            let bodies = of(&drive.a, &drive.b);
            match undriven.get_mut(&bodies).and_then(Vec::pop) {
                Some(joint) => all[joint].drive = Some(index),
                None => all.push(Self { bodies, joint: None, drive: Some(index), side: 0.0 }),
            }
        }
        all.sort_by_key(|it| it.drive.unwrap_or(usize::MAX));
        let sides = Sides::of(model);
        for it in all.iter_mut().filter(|it| it.friction(model) > 0.0) {
            it.side = sides.lighter(it.bodies.map(|[first, ..]| first));
        }
        all
    }

    /// Friction rate of the relative rotation, 1/s; 0 without a joint.
    pub fn friction(&self, model: &Model) -> f64 {
        match self.joint {
            Some(TurningJoint::SwingTwist(index)) => model.swing_twists[index].friction,
            Some(TurningJoint::Hinge(index)) => model.hinges[index].friction,
            None => 0.0,
        }
    }
}

impl Constants {
    pub fn of(model: &Model) -> Self {
        let mut is_body = vec![false; model.positions.len()];
        model.tetrahedra.iter().flat_map(|body| body.particles).for_each(|particle| is_body[particle] = true);
        let sticks: Vec<[usize; 2]> = model.distances.iter().map(|distance| distance.particles).collect();
        let mut passes = vec![PassKind::AtLeast(1); model.positions.len()];
        for object in &model.objects {
            passes[object.particles.clone()].fill(PassKind::of(object));
        }
        let mut own: Vec<PassKind> =
            model.objects.iter().map(PassKind::of).filter(|&own| own != PassKind::AtLeast(1)).collect();
        own.sort_unstable();
        own.dedup();
        let islands = Islands::of(model);
        let distances = in_order(&sticks, model.positions.len());
        let is_free = free(model, &islands);
        Self {
            inverse_masses: model.masses.iter().map(|mass| 1.0 / mass).collect(),
            chains: Chains::of(model, &islands, &distances),
            cloths: Cloths::of(model, &is_free),
            distances,
            own_passes: own,
            passes,
            of_surfaces: model.surfaces.iter().map(|surface| movable(surface, model)).collect(),
            counts: sleep::counts_of(model, &islands),
            is_body,
            ragdolls: Ragdolls::of(model, &islands),
            hangs: hanging(model),
            is_free,
            islands,
            turning: Turning::all(model),
        }
    }
}

/// Whether each particle has no constraint but those of its rigid body: what joins it to others makes one island of more
/// than four particles, or of other than four. What a joint holds at a place is not free.
fn free(model: &Model, islands: &Islands) -> Vec<bool> {
    let mut bodies = vec![0_u32; model.positions.len()];
    let mut sizes = bodies.clone();
    (0..sizes.len()).for_each(|particle| sizes[islands.island(particle)] += 1);
    model.tetrahedra.iter().for_each(|body| bodies[islands.island(body.particles[0])] += 1);
    model.attachments.iter().flat_map(|joint| sleep::used(&joint.a)).for_each(|it| bodies[islands.island(it)] += 2);
    let is_one = |island: usize| matches!((sizes[island], bodies[island]), (1, 0) | (4, 1));
    (0..sizes.len()).map(|particle| is_one(islands.island(particle))).collect()
}

/// Particles that a place in the world, a plane or an immovable particle holds.
fn hanging(model: &Model) -> Vec<bool> {
    let mut hangs = vec![false; model.positions.len()];
    let is_immovable = |particle: &usize| model.masses[*particle].is_infinite();
    model.planes.iter().for_each(|plane| hangs[plane.particle] = true);
    let sticks = model.distances.iter().map(|it| it.particles.to_vec());
    let joints = model.attachments.iter().map(|it| {
        let mut all = sleep::used(&it.a);
        match &it.b {
            Anchor::Point(point) => all.extend(sleep::used(point)),
            Anchor::Place(_) => all.iter().for_each(|&particle| hangs[particle] = true),
        }
        all
    });
    let held: Vec<usize> = joints.chain(sticks).filter(|it| it.iter().any(is_immovable)).flatten().collect();
    held.into_iter().for_each(|particle| hangs[particle] = true);
    hangs
}

/// Orders the distances: first chains (no particle has more than two distances) as listed, so that a pass runs through
/// them from end to end; then the others by color.
fn in_order(sticks: &[[usize; 2]], particles: usize) -> Vec<usize> {
    let mut degrees = vec![0_u32; particles];
    sticks.iter().flatten().for_each(|&particle| degrees[particle] += 1);
    let in_chain = |index: &usize| sticks[*index].iter().all(|&particle| degrees[particle] <= 2);
    let (chains, others): (Vec<usize>, Vec<usize>) = (0..sticks.len()).partition(in_chain);
    let meshed: Vec<[usize; 2]> = others.iter().map(|&index| sticks[index]).collect();
    let colored = Coloring::of(&meshed, particles).order;
    chains.into_iter().chain(colored.into_iter().map(|place| others[place])).collect()
}

fn movable(surface: &Surface, model: &Model) -> Option<usize> {
    let used = surface.core.points().iter().flat_map(|point| point.particles.iter().zip(&point.weights));
    used.filter(|(_, weight)| **weight != 0.0).map(|(particle, _)| *particle).find(|&i| model.masses[i].is_finite())
}
