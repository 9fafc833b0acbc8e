//! Constraint rows of contacts and joint limits in lanes, and their response to impulses.

use glam::{DMat3, DVec3};

use super::plan::Feeler;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::motion::Pose;
use crate::rigid::tree::{Answer, LEAST, six};

/// Angular rate equivalent to a rate of 1 m/s: a limb is a tenth of a meter to a meter long.
pub(super) const TURN: f64 = 10.0;

/// Over-relaxation factor of a row from the second iteration on, because coupled rows converge faster that way. A
/// single row is solved exactly by the first iteration.
pub(super) const BEYOND: f64 = 1.2;

/// Contact that is near in at least one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneContact<V> {
    pub feeler: usize,
    /// 1 in lanes in which the contact is near, otherwise 0.
    pub near: V,
    /// Vector from the center of mass of the body to the contact, meters.
    pub arm: LaneVector<V>,
    /// Normal velocity of the point per unit normal impulse, and its reciprocal.
    normal: [V; 2],
    /// Tangential velocities of the point per unit normal impulse.
    across: [V; 2],
    /// Reciprocal of the greatest tangential response to a tangential impulse. One number serves both tangents, so
    /// friction opposes the sliding.
    pub tangent: V,
    pub target: V,
    pub impulse: [V; 3],
}

/// Joint limit that is near in at least one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLimitRow<V> {
    pub body: usize,
    /// Index of the limit among the two of a joint.
    pub bound: usize,
    pub near: V,
    /// Axis that turns a body relative to its parent away from the limit.
    pub turn: LaneVector<V>,
    /// Effect of a unit impulse: `push` is the wrench on the parent, `above` and `own` are velocity changes of parent
    /// and body.
    pub push: [V; 6],
    pub above: [V; 6],
    pub own: [V; 6],
    /// Rate of `room` per unit impulse, and its reciprocal.
    pub response: [V; 2],
    pub target: V,
    pub impulse: V,
}

impl<V: Lanes> LaneLimitRow<V> {
    /// Row of a limit; responses follow in `prepare`.
    #[inline(always)]
    pub fn new((body, bound): (usize, usize), near: V, turn: LaneVector<V>, [target, impulse]: [V; 2]) -> Self {
        let zero = near.like(0.0);
        let six = [zero; 6];
        Self { body, bound, near, turn, push: six, above: six, own: six, response: [zero; 2], target, impulse }
    }
}

impl<V: Lanes> LaneContact<V> {
    /// Contact without responses; [`Self::answer`] computes them.
    #[inline(always)]
    pub fn new((feeler, near, arm): (usize, V, LaneVector<V>), target: V, impulse: [V; 3]) -> Self {
        let zero = near.like(0.0);
        let none = [zero; 2];
        Self { feeler, near, arm, normal: none, across: none, tangent: zero, target, impulse }
    }

    /// Computes the response of the contact point to impulses at it.
    #[inline(always)]
    pub fn answer(&mut self, feeler: &Feeler, answer: &Answer<V>) {
        let zero = self.near.like(0.0);
        let [n, s, t] = feeler.directions;
        let (n, s, t) = (like(zero, n), like(zero, s), like(zero, t));
        let by_normal = at(&answer.by(&six(n, self.arm.cross(n))), self.arm);
        let by_first = at(&answer.by(&six(s, self.arm.cross(s))), self.arm);
        let by_second = at(&answer.by(&six(t, self.arm.cross(t))), self.arm);
        let normal = n.dot(by_normal);
        let one = zero.like(1.0);
        self.normal = [normal, one / normal.greatest(zero.like(LEAST))];
        self.across = [s.dot(by_normal), t.dot(by_normal)];
        let (a, b, c) = (s.dot(by_first), s.dot(by_second), t.dot(by_second));
        let (mean, half) = ((a + c) * 0.5, (a - c) * 0.5);
        let most = mean + (half * half + b * b).sqrt();
        self.tangent = one / most.greatest(zero.like(LEAST));
    }

    /// Solves one contact. Returns the impulse on the body, and the change of the point's velocity.
    #[inline(always)]
    pub fn solve(&mut self, feeler: &Feeler, velocity: &[V; 6], (live, beyond): (V, f64)) -> ([V; 6], V) {
        let zero = self.near.like(0.0);
        let gate = self.near * live;
        let [n, s, t] = feeler.directions;
        let point = at(velocity, self.arm);
        let along = |direction: DVec3| point.x * direction.x + point.y * direction.y + point.z * direction.z;
        let (wn, ws, wt) = (along(n), along(s), along(t));
        let [ln, ls, lt] = self.impulse;
        let dn = ((ln + (self.target - wn) * (self.normal[1] * beyond)).greatest(zero) - ln) * gate;
        let pressing = ln + dn;
        let (ws, wt) = (ws + self.across[0] * dn, wt + self.across[1] * dn);
        let (s1, t1) = (ls - self.tangent * ws, lt - self.tangent * wt);
        let most = pressing * feeler.friction;
        let length = (s1 * s1 + t1 * t1).sqrt();
        let scale = V::select(most.is_below(length), most / length.greatest(zero.like(LEAST)), zero.like(1.0));
        let (ds, dt) = ((s1 * scale - ls) * gate, (t1 * scale - lt) * gate);
        self.impulse = [pressing, ls + ds, lt + dt];
        let change = (dn.abs() + ds.abs() + dt.abs()) * self.normal[0];
        (wrench(feeler, self.arm, &[dn, ds, dt]), change)
    }
}

impl Feeler {
    /// Distance to the plane, meters, and the vector from the center of mass to the contact point.
    #[inline(always)]
    pub fn gap<V: Lanes>(&self, axes: &LaneMatrix<V>, pose: &Pose<V>, level: V) -> (V, LaneVector<V>) {
        let any = pose.position.x;
        let normal = like(any, self.directions[0]);
        let out = axes.rotate(like(any, self.point));
        let gap = normal.dot(pose.position.plus(out)) - (level + self.radius);
        (gap, out.minus(normal.scaled(gap * 0.5 + self.radius)))
    }
}

/// Impulse and angular impulse on a body of a contact impulse along normal and tangents.
#[inline(always)]
pub(super) fn wrench<V: Lanes>(feeler: &Feeler, arm: LaneVector<V>, impulse: &[V; 3]) -> [V; 6] {
    let [n, s, t] = feeler.directions;
    let [a, b, c] = *impulse;
    let push =
        LaneVector { x: a * n.x + b * s.x + c * t.x, y: a * n.y + b * s.y + c * t.y, z: a * n.z + b * s.z + c * t.z };
    six(push, arm.cross(push))
}

/// World axes of a frame fixed to a body.
#[inline(always)]
pub(super) fn turned<V: Lanes>(axes: &LaneMatrix<V>, frame: &DMat3) -> [LaneVector<V>; 3] {
    let any = axes.columns[0].x;
    let (x, y, z) = (like(any, frame.x_axis), like(any, frame.y_axis), like(any, frame.z_axis));
    [axes.rotate(x), axes.rotate(y), axes.rotate(z)]
}

/// Velocity of a point of a body.
#[inline(always)]
pub(super) fn at<V: Lanes>(velocity: &[V; 6], arm: LaneVector<V>) -> LaneVector<V> {
    let [x, y, z, ..] = *velocity;
    LaneVector { x, y, z }.plus(turns(velocity).cross(arm))
}

#[inline(always)]
pub(super) fn turns<V: Lanes>(velocity: &[V; 6]) -> LaneVector<V> {
    let [.., x, y, z] = *velocity;
    LaneVector { x, y, z }
}

#[inline(always)]
pub(super) fn turn_by<V: Lanes>(sum: &mut [V; 6], moment: LaneVector<V>) {
    sum[3] = sum[3] + moment.x;
    sum[4] = sum[4] + moment.y;
    sum[5] = sum[5] + moment.z;
}

#[inline(always)]
pub(super) fn add<V: Lanes>(sum: &mut [V; 6], more: &[V; 6]) {
    for i in 0..6 {
        sum[i] = sum[i] + more[i];
    }
}

#[inline(always)]
pub(super) fn add_times<V: Lanes>(sum: &mut [V; 6], more: &[V; 6], times: V) {
    for i in 0..6 {
        sum[i] = sum[i] + more[i] * times;
    }
}

/// Broadcasts a constant vector to every lane.
#[inline(always)]
pub(super) fn like<V: Lanes>(any: V, v: DVec3) -> LaneVector<V> {
    LaneVector { x: any.like(v.x), y: any.like(v.y), z: any.like(v.z) }
}
