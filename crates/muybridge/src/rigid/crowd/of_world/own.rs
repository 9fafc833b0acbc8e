//! What a tree of a world has beside a batch: contacts with itself, damping in its joints, rolling resistance.

use glam::DVec3;

use crate::collision::segment;
use crate::collision::{ObstacleShape, Pose as Placed, each_manifold};
use crate::math::lane_rotation::LaneVector;
use crate::rigid::Pose;
use crate::rigid::crowd::Settings;
use crate::rigid::crowd::block::LanesOf;
use crate::rigid::crowd::extras::Extras;
use crate::rigid::crowd::look::{AHEAD, NEAR_GAP};
use crate::rigid::crowd::pace::Pace;
use crate::rigid::crowd::pair::LanePair;
use crate::rigid::crowd::plan::BatchColliders;
use crate::rigid::crowd::rows::at;
use crate::rigid::crowd::touch::LaneContactSolver;
use crate::rigid::drives::Drives;
use crate::rigid::model::{Collider, Model};
use crate::rigid::motion::vector;
use crate::rigid::rattle::{Mechanism, Rattle};
use crate::rigid::row;
use crate::rigid::state::State;
use crate::rigid::touch::{contact_key, key};

/// A collider of the tree.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    body: usize,
    /// Index of the collider in the world.
    index: u32,
    /// Ends of its axis in the frame of the body (m), and its radius; `None` unless it is a ball or capsule.
    segment: Option<([DVec3; 2], f64)>,
    /// Distance of its farthest point from the center of the body, meters.
    reach: f64,
}

/// Contact of the tree with itself in the last stride.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub key: u64,
    pub bodies: [usize; 2],
    pub point: DVec3,
    pub normal: DVec3,
    pub gap: f64,
    pub surface: (f64, f64),
    /// Impulse along normal and tangents, per second.
    pub force: [f64; 3],
}

/// Contacts of a tree with itself, and what acts in its joints.
#[derive(Clone, Debug)]
pub(super) struct OwnContacts {
    limbs: Vec<Limb>,
    /// Pairs of colliders that may touch in this step.
    pub near: Vec<[usize; 2]>,
    pub found: Vec<Found>,
    /// Limbs at the start of the step.
    motions: Vec<Motion>,
    /// Those of the stride before.
    before: Vec<Found>,
    /// Factorization with the damping of joints.
    pub driven: Rattle<f64>,
    drives: Drives,
}

/// Contacts of a tree during a step.
pub(super) struct OwnExtras<'a> {
    own: &'a mut OwnContacts,
    model: &'a Model,
    plan: &'a BatchColliders,
    /// State at the start of the step, of which the first stride takes impulses.
    state: Option<&'a State>,
}

/// Way beyond its motion within which a pair of a step is looked at, meters.
const MARGIN: f64 = 0.02;

/// A limb at the start of a step.
#[derive(Clone, Copy, Debug)]
struct Motion {
    /// Ends of its axis, meters.
    ends: [DVec3; 2],
    velocity: DVec3,
    /// Greatest speed of a point relative to the center of the body, m/s.
    turning: f64,
}

/// Whether two segments are nearer to each other than `reach`.
fn is_within(one: [DVec3; 2], other: [DVec3; 2], reach: f64) -> bool {
    let half = |ends: [DVec3; 2]| 0.5 * (ends[1] - ends[0]).length();
    let middles = 0.5 * (one[0] + one[1] - other[0] - other[1]);
    if middles.length() > reach + half(one) + half(other) {
        return false;
    }
    let [s, t] = segment::parameters(one, other);
    segment::at(one, s).distance_squared(segment::at(other, t)) < reach * reach
}

impl Limb {
    /// Ends of the axis at a pose of the body, meters.
    fn placed(&self, pose: &Pose<f64>) -> [DVec3; 2] {
        let turn = pose.rotation.matrix();
        self.segment.map_or([pose.place(); 2], |(ends, _)| {
            ends.map(|end| pose.place() + vector(turn.rotate(LaneVector::splat((), end))))
        })
    }

    fn radius(&self) -> Option<f64> {
        self.segment.map(|(_, radius)| radius)
    }

    pub fn of(solid: &Collider, index: usize) -> Self {
        let along = |half: f64| solid.rotation * DVec3::Y * half;
        let ends = |half: f64| [solid.position - along(half), solid.position + along(half)];
        let segment = match solid.shape {
            ObstacleShape::Sphere { radius } => Some((ends(0.0), radius)),
            ObstacleShape::Capsule { radius, half_length } => Some((ends(half_length), radius)),
            _ => None,
        };
        Self { body: solid.body, index: index as u32, segment, reach: solid.reach() }
    }
}

impl OwnContacts {
    pub fn new(limbs: Vec<Limb>, driven: Rattle<f64>, drives: Drives) -> Self {
        Self { limbs, near: Vec::new(), found: Vec::new(), motions: Vec::new(), before: Vec::new(), driven, drives }
    }

    /// Prepares a step: damping, and pairs of limbs. Returns `false` if a motor does not fit into the tree.
    pub fn begin(&mut self, mechanism: Mechanism<'_>, (model, lanes): (&Model, &LanesOf<f64>), seconds: f64) -> bool {
        self.drives.look(mechanism, model, &lanes.poses);
        let Self { limbs, near, found, motions, .. } = self;
        found.clear();
        motions.clear();
        motions.extend(limbs.iter().map(|limb| {
            let (pose, momentum) = (&lanes.poses[limb.body], &lanes.momenta[limb.body]);
            let (velocity, spin) = momentum.velocities(&model.bodies[limb.body], pose.turn());
            Motion { ends: limb.placed(pose), velocity, turning: spin.length() * limb.reach }
        }));
        near.retain(|&[a, b]| {
            let (Some(radius), Some(other_radius)) = (limbs[a].radius(), limbs[b].radius()) else { return true };
            let (one, other) = (&motions[a], &motions[b]);
            let speed = (one.velocity - other.velocity).length() + one.turning + other.turning;
            let reach = radius + other_radius + 2.0 * speed * seconds + MARGIN;
            is_within(one.ends, other.ends, reach)
        });
        self.drives.begin_in_tree()
    }

    pub fn of_step<'a>(
        &'a mut self,
        (model, plan): (&'a Model, &'a BatchColliders),
        state: &'a State,
    ) -> OwnExtras<'a> {
        OwnExtras { own: self, model, plan, state: Some(state) }
    }
}

impl OwnExtras<'_> {
    /// Calls `is` with normal, point, gap and feature of each contact of a pair.
    fn contacts(
        &self,
        [a, b]: [usize; 2],
        (rattle, lanes): (&Rattle<f64>, &LanesOf<f64>),
        margin: f64,
        mut is: impl FnMut(DVec3, DVec3, f64, u64),
    ) {
        let limbs = &self.own.limbs;
        let placed = |limb: &Limb, point: DVec3| {
            let arm = rattle.axes[limb.body].rotate(LaneVector::splat((), point));
            lanes.poses[limb.body].place() + vector(arm)
        };
        if let (Some((first, radius)), Some((second, other_radius))) = (limbs[a].segment, limbs[b].segment) {
            let one = first.map(|end| placed(&limbs[a], end));
            let other = second.map(|end| placed(&limbs[b], end));
            let [s, t] = segment::parameters(one, other);
            let (on_a, on_b) = (segment::at(one, s), segment::at(other, t));
            let between = on_a - on_b;
            let distance = between.length();
            let gap = distance - radius - other_radius;
            if gap < margin && distance > 0.0 {
                let normal = between / distance;
                let point = 0.5 * (on_a - normal * radius + on_b + normal * other_radius);
                is(normal, point, gap, 0);
            }
            return;
        }
        let [one, other] = [a, b].map(|solid| &self.model.solids[solid]);
        let pose = |solid: &Collider| {
            let pose = &lanes.poses[solid.body];
            Placed { position: pose.point(solid.position), rotation: (pose.turn() * solid.rotation).normalize() }
        };
        each_manifold(&one.shape, &pose(one), &other.shape, &pose(other), margin, &mut |manifold| {
            for point in manifold.points() {
                is(manifold.normal, 0.5 * (point.on_a + point.on_b), point.gap, point.feature);
            }
        });
    }
}

impl Extras<f64> for OwnExtras<'_> {
    fn touch(
        &mut self,
        touch: &mut LaneContactSolver<f64>,
        (rattle, lanes): (&Rattle<f64>, &LanesOf<f64>),
        (settings, pace): (&Settings, &Pace<f64>),
    ) {
        let (h, stride) = (settings.time_step, pace.stride);
        core::mem::swap(&mut self.own.found, &mut self.own.before);
        let mut found = core::mem::take(&mut self.own.found);
        found.clear();
        for place in 0..self.own.near.len() {
            let pair = self.own.near[place];
            let bodies = pair.map(|limb| self.own.limbs[limb].body);
            let ids = pair.map(|limb| self.own.limbs[limb].index);
            let [a, b] = pair.map(|limb| self.model.solids[limb].object);
            let surface = row::surface(self.model, [Some(a), Some(b)], (0.0, 0.0));
            let velocities = bodies.map(|body| touch.velocities[body]);
            let speed = velocities.map(|u| vector(LaneVector { x: u[0], y: u[1], z: u[2] }));
            let turn = velocities.map(|u| DVec3::new(u[3], u[4], u[5]).length());
            let reach = pair.map(|limb| self.own.limbs[limb].reach);
            let fastest = (speed[0] - speed[1]).length() + turn[0] * reach[0] + turn[1] * reach[1];
            self.contacts(pair, (rattle, lanes), fastest * (AHEAD * h) + NEAR_GAP, |normal, point, gap, feature| {
                let arms = bodies.map(|body| LaneVector::splat((), point - lanes.poses[body].place()));
                let velocity = vector(at(&velocities[0], arms[0]).minus(at(&velocities[1], arms[1])));
                let approach = -velocity.dot(normal);
                if gap >= approach.max(0.0) * (AHEAD * h) + NEAR_GAP {
                    return;
                }
                if gap < approach * touch.unrest.ahead + NEAR_GAP {
                    touch.unrest.hit = touch.unrest.hit.max(approach);
                }
                let key = contact_key(key(ids[0], ids[1]), feature);
                let force = match self.state {
                    Some(state) => [0, 1, 2].map(|row| state.force((4 * key).wrapping_add(row)).unwrap_or(0.0)),
                    None => self.own.before.iter().find(|known| known.key == key).map_or([0.0; 3], |known| known.force),
                };
                let bounces = approach > pace.stride * settings.bounce && gap < approach * h;
                let deep = (-gap - settings.slop).max(0.0) * (settings.recovery / h);
                let target = if surface.1 > 0.0 && bounces {
                    approach * surface.1
                } else if gap > 0.0 {
                    -gap / h
                } else {
                    touch.paired = 1.0;
                    deep.min(stride * settings.fastest_recovery)
                };
                let tangent = normal.any_orthonormal_vector();
                let directions = [normal, tangent, normal.cross(tangent)].map(|axis| LaneVector::splat((), axis));
                let impulse = force.map(|force| force * (h * stride * stride));
                touch.pairs.push(LanePair::new(bodies, 1.0, (arms, directions), surface.0, (target, impulse)));
                bodies.into_iter().for_each(|body| touch.is_busy[body] = true);
                found.push(Found { key, bodies, point, normal, gap, surface, force: [0.0; 3] });
            });
        }
        self.own.found = found;
        self.state = None;
    }

    fn project(
        &mut self,
        touch: &LaneContactSolver<f64>,
        (rattle, mechanism): (&mut Rattle<f64>, Mechanism<'_>),
        lanes: &mut LanesOf<f64>,
        (settings, pace): (&Settings, &Pace<f64>),
    ) {
        let (h, stride) = (settings.time_step, pace.stride);
        let OwnContacts { found, drives, driven, .. } = &mut *self.own;
        for (found, pair) in found.iter_mut().zip(&touch.pairs) {
            found.force = pair.impulse.map(|impulse| impulse / (h * stride * stride));
        }
        let mut next = 0;
        for body in 0..mechanism.bodies.len() {
            let mut pressing = 0.0;
            while self.plan.feelers.get(next).is_some_and(|feeler| feeler.body == body) {
                pressing += lanes.touching[next][0];
                next += 1;
            }
            let spin = lanes.momenta[body].velocity(&mechanism.bodies[body], &rattle.axes[body]);
            let spin = DVec3::new(spin[3], spin[4], spin[5]).length() / stride;
            drives.brake_one(body, pressing / stride, spin);
        }
        let h = h * stride;
        match drives.aim(mechanism, (self.model, &lanes.poses), (h, 0.0)) {
            Some(driving) => {
                driven.factor_driven(mechanism, &lanes.poses, (&|_, _| None, h), driving);
                driven.drive(mechanism, &mut lanes.momenta, (driving, true));
            }
            None => rattle.project(mechanism, &mut lanes.momenta),
        }
    }
}
