//! Bodies, joints and limits prepared with the current masses: pinned particles have infinite mass.
//!
//! Computed when the world is created, and again in the step after a pin is set or removed. Joints are factored per
//! island, each with its own particle numbering, so that islands can sleep.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::math::lane_rotation::LaneVector;
use crate::particles::attachment::AttachedPoints;
use crate::particles::hinge::HingeLimit;
use crate::particles::model::{Anchor, BallJoint, Hinge, Model, SwingTwist};
use crate::particles::point::{Direction, Point};
use crate::particles::sleep::Islands;
use crate::particles::swing_twist::SwingTwistLimit;
use crate::particles::tetrahedron::RigidTetrahedron;

/// Prepared constraints, which depend on the masses.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreparedModel {
    /// Particles that were pinned at the time of preparation.
    pinned: Vec<bool>,
    /// Attachments left out because a particle of theirs was stepped in lanes.
    left_out: Vec<bool>,
    /// Length of the substeps of soft attachments, seconds; `None` without them.
    substep: Option<f64>,
    /// The prepared constraints.
    pub ready: Ready,
    /// Buffer for the particles of the largest prepared constraint.
    pub places: Vec<LaneVector<f64>>,
    /// Buffer for the rows of the largest joint group.
    pub rows: Vec<LaneVector<f64>>,
}

/// Prepared constraints that the stages read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    /// Constants of each tetrahedron of the model; `None` if it cannot be solved at once.
    pub tetrahedra: Vec<Option<RigidTetrahedron>>,
    /// Attachments, grouped by island.
    pub joints: Vec<Local<AttachedPoints>>,
    /// Indices in the model of the attachments of each group.
    pub attachments: Vec<Vec<usize>>,
    pub swing_twists: Vec<Local<SwingTwistLimit>>,
    pub hinges: Vec<Local<HingeLimit>>,
}

/// A constraint group with its own particle numbering.
#[derive(Clone, Debug)]
pub(crate) struct Local<T> {
    /// Particle index in the model for each local number.
    pub particles: Vec<usize>,
    pub it: T,
}

impl PreparedModel {
    /// `substep` is in seconds.
    pub fn of(model: &Model, islands: &Islands, (pins, in_lanes): (&[Option<DVec3>], &[bool]), substep: f64) -> Self {
        let left_out: Vec<bool> = model.attachments.iter().map(|it| is_left_out(it, in_lanes)).collect();
        let pinned: Vec<bool> = pins.iter().map(Option::is_some).collect();
        let held = |(mass, pinned): (&f64, &bool)| if *pinned { f64::INFINITY } else { *mass };
        let masses: Vec<f64> = model.masses.iter().zip(&pinned).map(held).collect();
        let tetrahedra = model.tetrahedra.iter().map(|body| {
            let masses = body.particles.map(|particle| masses[particle]);
            RigidTetrahedron::new(&body.rest, &masses)
        });
        let (attachments, joints) = joints(model, islands, (&masses, &left_out), substep);
        let ready = Ready {
            tetrahedra: tetrahedra.collect(),
            joints,
            attachments,
            swing_twists: model.swing_twist_limits().map(|limit| swing_twist(limit, &masses)).collect(),
            hinges: model.hinge_limits().map(|limit| hinge(limit, &masses)).collect(),
        };
        let particles = ready.joints.iter().map(|joint| joint.particles.len()).fold(MOST_OF_A_LIMIT, usize::max);
        let rows = ready.joints.iter().map(|joint| joint.it.len()).fold(0, usize::max);
        let zero = LaneVector { x: 0.0, y: 0.0, z: 0.0 };
        let is_soft = ready.joints.iter().any(|joints| joints.it.is_soft());
        let (substep, places, rows) = (is_soft.then_some(substep), vec![zero; particles], vec![zero; 2 * rows]);
        Self { pinned, left_out, substep, ready, places, rows }
    }

    /// Whether other particles are pinned or attachments left out now than at the time of preparation, or substeps of
    /// soft ones have another length, seconds.
    pub fn is_outdated(&self, model: &Model, (pins, in_lanes): (&[Option<DVec3>], &[bool]), substep: f64) -> bool {
        self.substep.is_some_and(|own| own != substep)
            || pins.iter().zip(&self.pinned).any(|(pin, pinned)| pin.is_some() != *pinned)
            || model.attachments.iter().zip(&self.left_out).any(|(it, left_out)| is_left_out(it, in_lanes) != *left_out)
    }
}

/// Whether the first particle of an attachment is stepped in lanes.
fn is_left_out(attachment: &BallJoint, in_lanes: &[bool]) -> bool {
    in_lanes[attachment.a.particles[0]]
}

/// Greatest number of particles of a limit: six directions of four particles each.
const MOST_OF_A_LIMIT: usize = 24;

/// Assigns local numbers to particles in order of appearance.
#[derive(Default)]
struct Numbers {
    places: BTreeMap<usize, usize>,
    particles: Vec<usize>,
}

impl Numbers {
    fn number(&mut self, particle: usize) -> usize {
        *self.places.entry(particle).or_insert_with(|| {
            self.particles.push(particle);
            self.particles.len() - 1
        })
    }

    fn point(&mut self, point: &Point) -> Point {
        Point { particles: point.particles.map(|particle| self.number(particle)), ..*point }
    }

    fn axes(&mut self, axes: &[Direction; 3]) -> [Direction; 3] {
        axes.map(|axis| Direction { particles: axis.particles.map(|particle| self.number(particle)), ..axis })
    }

    fn with<T>(self, masses: &[f64], it: impl FnOnce(&[f64]) -> T) -> Local<T> {
        let masses: Vec<f64> = self.particles.iter().map(|&particle| masses[particle]).collect();
        Local { particles: self.particles, it: it(&masses) }
    }
}

/// Groups of attachments, and the indices of those of each.
fn joints(
    model: &Model,
    islands: &Islands,
    (masses, left_out): (&[f64], &[bool]),
    substep: f64,
) -> (Vec<Vec<usize>>, Vec<Local<AttachedPoints>>) {
    let mut groups: BTreeMap<usize, (Vec<usize>, Numbers, Vec<BallJoint>)> = BTreeMap::new();
    for (index, attachment) in model.attachments.iter().enumerate().filter(|&(index, _)| !left_out[index]) {
        let Some(particle) = movable(attachment, model) else { continue };
        let (indices, numbers, attachments) = groups.entry(islands.island(particle)).or_default();
        indices.push(index);
        let b = match &attachment.b {
            Anchor::Point(point) => Anchor::Point(numbers.point(point)),
            Anchor::Place(place) => Anchor::Place(*place),
        };
        attachments.push(BallJoint { a: numbers.point(&attachment.a), b, compliance: attachment.compliance });
    }
    let solved_at_once = |(indices, numbers, attachments): (Vec<usize>, Numbers, Vec<BallJoint>)| {
        (indices, numbers.with(masses, |masses| AttachedPoints::new(&attachments, masses, substep)))
    };
    groups.into_values().map(solved_at_once).unzip()
}

/// Finds a movable particle of an attachment.
fn movable(attachment: &BallJoint, model: &Model) -> Option<usize> {
    let b = match &attachment.b {
        Anchor::Point(point) => point,
        Anchor::Place(_) => &attachment.a,
    };
    let used = |point: &Point, i: usize| point.weights[i] != 0.0 && model.masses[point.particles[i]].is_finite();
    [&attachment.a, b].into_iter().find_map(|point| (0..4).find(|&i| used(point, i)).map(|i| point.particles[i]))
}

fn swing_twist(limit: &SwingTwist, masses: &[f64]) -> Local<SwingTwistLimit> {
    let mut numbers = Numbers::default();
    let limit = SwingTwist { a: numbers.axes(&limit.a), b: numbers.axes(&limit.b), ..*limit };
    numbers.with(masses, |masses| SwingTwistLimit::new(&limit, masses))
}

fn hinge(limit: &Hinge, masses: &[f64]) -> Local<HingeLimit> {
    let mut numbers = Numbers::default();
    let limit = Hinge { a: numbers.axes(&limit.a), b: numbers.axes(&limit.b), ..*limit };
    numbers.with(masses, |masses| HingeLimit::new(&limit, masses))
}
