//! The rows of what touches and of the ends of ranges, in lanes, and what an impulse of them does.

use glam::{DMat3, DVec3};

use super::plan::Feeler;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::motion::Pose;
use crate::rigid::tree::{Answer, LEAST, six};

/// Rates of turns to those of points: a limb is a tenth of a metre to a metre.
pub(super) const TURN: f64 = 10.0;

/// By how much more a row is solved than it would be alone, from the second walk on: a little too far is where many rows together want to go. What is
/// alone is done after the first.
pub(super) const BEYOND: f64 = 1.2;

/// A contact that is near in some lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneContact<V> {
    pub feeler: usize,
    /// 1 in lanes in which it is near.
    pub near: V,
    /// From the center of the body.
    pub arm: LaneVector<V>,
    /// What the point does along the normal by an impulse along it, and one over that.
    normal: [V; 2],
    /// What it does along the tangents by an impulse along the normal.
    across: [V; 2],
    /// One over the most that it does along them by an impulse along them. One number for both, so that friction is against the slide.
    pub tangent: V,
    pub target: V,
    pub impulse: [V; 3],
}

/// A bound that is near in some lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLimitRow<V> {
    pub body: usize,
    /// Which of the two of its range.
    pub bound: usize,
    pub near: V,
    /// What turns a body against the one above away from the bound.
    pub turn: LaneVector<V>,
    /// What a unit impulse is to the one above, and what it does to that and to the body.
    pub push: [V; 6],
    pub above: [V; 6],
    pub own: [V; 6],
    /// What the room does by it, and one over that.
    pub response: [V; 2],
    pub target: V,
    pub impulse: V,
}

impl<V: Lanes> LaneLimitRow<V> {
    /// A row of a bound before its responses are known.
    #[inline(always)]
    pub fn new((body, bound): (usize, usize), near: V, turn: LaneVector<V>, [target, impulse]: [V; 2]) -> Self {
        let zero = near.like(0.0);
        let six = [zero; 6];
        Self { body, bound, near, turn, push: six, above: six, own: six, response: [zero; 2], target, impulse }
    }
}

impl<V: Lanes> LaneContact<V> {
    /// Before its responses are known.
    #[inline(always)]
    pub fn new((feeler, near, arm): (usize, V, LaneVector<V>), target: V, impulse: [V; 3]) -> Self {
        let zero = near.like(0.0);
        let none = [zero; 2];
        Self { feeler, near, arm, normal: none, across: none, tangent: zero, target, impulse }
    }

    /// What the point does by impulses at it.
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

    /// The impulse on the body by its velocity, and how much the point's changes by it.
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
    /// Distance to the plane, metres, and from the center of the body to where both touch.
    #[inline(always)]
    pub fn gap<V: Lanes>(&self, axes: &LaneMatrix<V>, pose: &Pose<V>, level: V) -> (V, LaneVector<V>) {
        let any = pose.position.x;
        let normal = like(any, self.directions[0]);
        let out = axes.rotate(like(any, self.point));
        let gap = normal.dot(pose.position.plus(out)) - (level + self.radius);
        (gap, out.minus(normal.scaled(gap * 0.5 + self.radius)))
    }
}

/// Impulse and angular impulse on a body by one along normal and tangents.
#[inline(always)]
pub(super) fn wrench<V: Lanes>(feeler: &Feeler, arm: LaneVector<V>, impulse: &[V; 3]) -> [V; 6] {
    let [n, s, t] = feeler.directions;
    let [a, b, c] = *impulse;
    let push =
        LaneVector { x: a * n.x + b * s.x + c * t.x, y: a * n.y + b * s.y + c * t.y, z: a * n.z + b * s.z + c * t.z };
    six(push, arm.cross(push))
}

/// The axes of a frame of a body.
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

/// A constant in every lane.
#[inline(always)]
pub(super) fn like<V: Lanes>(any: V, v: DVec3) -> LaneVector<V> {
    LaneVector { x: any.like(v.x), y: any.like(v.y), z: any.like(v.z) }
}
