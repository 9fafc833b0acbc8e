//! Position correction of joints beyond their limits, and the correction of angular momentum that it requires.
//!
//! ```text
//! room < 0:  δ = H⁻¹ Jᵀ λ,  J δ ≥ −room,  λ ≥ 0         positions only, along the trees; momentum and center of mass stay
//! L = Σ (xᵢ − c) × mᵢ vᵢ + Lᵢ,   δω = I⁻¹ (L before − L after)      rigid rotation added to the whole
//! ```
//! During a drift, joint impulses turn a light whirling limb by radians a second more than the limit rows foresaw.
//! Specification: mathematics 4.5.1, 4.7, 4.10 (X4).

use super::LanesOf;
use super::pace::Pace;
use super::plan::{BatchColliders, Feeler};
use super::rows::{LaneContact, LaneLimitRow, add, turn_by, wrench};
use super::touch::{LaneContactSolver, Until};
use crate::math::lane_rotation::{LaneMatrix, LaneRotation, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::Body;
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::rattle::{Mechanism, Passes, Rattle};

/// Violation of a joint limit that is left to the velocity solver, radians.
const LEFT: f64 = 1.5e-2;

/// Limits and contacts included in a correction: limits with less room (radians), points with a smaller gap (meters).
const NEAR: f64 = 0.05;

/// When solver iterations end. Few strides need a correction; those that do follow a hit.
const WALKS: Until = Until { most: 60.0, share: 0.03, growth: 1.0 };

/// Tolerance of the correction: meters, or a tenth of an angle in radians.
const TOLERANCE: f64 = 1e-4;

impl<V: Lanes> LaneContactSolver<V> {
    /// Moves joints back within their limits. Returns `true` if a joint was beyond its limit; bodies have then moved.
    /// Call [`Self::measure`] at these poses first.
    pub fn hold(
        &mut self,
        (rattle, mechanism): (&mut Rattle<V>, Mechanism<'_>),
        (plan, lanes): (&BatchColliders, &mut LanesOf<V>),
        pace: &Pace<V>,
    ) -> bool {
        let zero = self.zero;
        let is_beyond = self.least_room(plan).is_below(zero.like(-LEFT));
        let passed = V::select(is_beyond, pace.live, zero);
        let is_passed = zero.like(0.5).is_below(passed);
        if !V::any(is_passed) {
            return false;
        }
        self.contacts.clear();
        self.rows.clear();
        let pairs = core::mem::take(&mut self.pairs);
        let mut next = 0;
        for body in 0..mechanism.bodies.len() {
            let first = [self.contacts.len(), self.rows.len()];
            while let Some(feeler) = plan.feelers.get(next).filter(|feeler| feeler.body == body) {
                self.keep_off((next, feeler), &rattle.axes[body], lanes, is_passed);
                next += 1;
            }
            if plan.bounded[body].is_some() {
                let Self { found, rows, .. } = self;
                for (bound, found) in found[body].iter().enumerate() {
                    let is_near = V::both(found.room.is_below(zero.like(NEAR)), is_passed);
                    if V::any(is_near) {
                        let near = V::select(is_near, zero.like(1.0), zero);
                        rows.push(LaneLimitRow::new((body, bound), near, found.turn, [zero - found.room, zero]));
                    }
                }
            }
            self.of_body[body] = [first[0]..self.contacts.len(), first[1]..self.rows.len()];
            self.is_busy[body] = self.contacts.len() > first[0] || self.rows.len() > first[1];
        }
        for list in [&mut self.velocities, &mut self.pending, &mut self.seen] {
            list.fill([zero; 6]);
        }
        self.prepare((rattle, mechanism), plan);
        for contact in &mut self.contacts {
            contact.tangent = zero;
        }
        self.walk((rattle, mechanism), plan, (WALKS.like(zero), zero.like(TOLERANCE)), passed);
        self.work.count(passed, [3.0, 3.0]);
        self.displace((rattle, mechanism), (plan, lanes), passed);
        self.pairs = pairs;
        self.held = self.held.greatest(passed);
        true
    }

    /// Adds a contact that keeps a point from entering a plane, or from going deeper, during the correction.
    #[inline(always)]
    fn keep_off(
        &mut self,
        (index, feeler): (usize, &Feeler),
        axes: &LaneMatrix<V>,
        lanes: &LanesOf<V>,
        is_passed: V::Mask,
    ) {
        let zero = self.zero;
        let (gap, arm) = feeler.gap(axes, &lanes.poses[feeler.body], lanes.levels[feeler.plane]);
        let is_near = V::both(gap.is_below(zero.like(NEAR)), is_passed);
        if V::any(is_near) {
            let near = V::select(is_near, zero.like(1.0), zero);
            self.contacts.push(LaneContact::new((index, near, arm), zero - gap.greatest(zero), [zero; 3]));
        }
    }

    /// Moves bodies by the impulses of contacts and limits, then closes the joints.
    fn displace(
        &mut self,
        (rattle, mechanism): (&mut Rattle<V>, Mechanism<'_>),
        (plan, lanes): (&BatchColliders, &mut LanesOf<V>),
        passed: V,
    ) {
        let zero = self.zero;
        let none = LaneVector { x: zero, y: zero, z: zero };
        self.sums.fill([zero; 6]);
        self.kept.fill(Momentum { linear: none, angular: none });
        for contact in &self.contacts {
            let feeler = &plan.feelers[contact.feeler];
            add(&mut self.sums[feeler.body], &wrench(feeler, contact.arm, &contact.impulse));
        }
        for row in &self.rows {
            let moment = row.turn.scaled(row.impulse);
            turn_by(&mut self.sums[row.body], moment);
            if let Some(parent) = mechanism.forest.parent[row.body] {
                turn_by(&mut self.sums[parent], -moment);
            }
        }
        rattle.absorb(mechanism, &mut self.kept, &self.sums);
        self.places.copy_from_slice(&lanes.poses);
        let before = spin(mechanism, lanes);
        zero.within(
            #[inline(always)]
            || {
                for (body, pose) in self.places.iter_mut().enumerate() {
                    *pose = pose.moved(&self.kept[body].velocity(&mechanism.bodies[body], &rattle.axes[body]));
                }
            },
        );
        let twice = Passes { most: 2, tolerance: 0.0, is_warm: false };
        rattle.pull_together(mechanism, &mut self.places, &|_, _| None, twice);
        zero.within(
            #[inline(always)]
            || {
                let is_passed = zero.like(0.5).is_below(passed);
                for (pose, place) in lanes.poses.iter_mut().zip(&self.places) {
                    let (p, q) = (&pose.rotation, &place.rotation);
                    *pose = Pose {
                        position: LaneVector::select(is_passed, place.position, pose.position),
                        rotation: LaneRotation {
                            axis: LaneVector::select(is_passed, q.axis, p.axis),
                            w: V::select(is_passed, q.w, p.w),
                        },
                    };
                }
            },
        );
        respin(mechanism, lanes, &before, passed);
    }
}

/// Center of mass and angular momentum about it.
#[inline(always)]
pub(super) fn spin<V: Lanes>(mechanism: Mechanism<'_>, lanes: &LanesOf<V>) -> [LaneVector<V>; 2] {
    let zero = lanes.poses[0].position.x.like(0.0);
    zero.within(
        #[inline(always)]
        || {
            let none = LaneVector { x: zero, y: zero, z: zero };
            let (mut center, mut mass) = (none, 0.0);
            for (pose, body) in lanes.poses.iter().zip(mechanism.bodies) {
                center = center.plus(pose.position.times(body.mass));
                mass += body.mass;
            }
            let center = center.times(1.0 / mass);
            let mut spin = none;
            for (pose, momentum) in lanes.poses.iter().zip(&lanes.momenta) {
                let around = pose.position.minus(center).cross(momentum.linear);
                spin = spin.plus(around).plus(momentum.angular);
            }
            [center, spin]
        },
    )
}

/// Adds a rigid rotation of the whole that restores the angular momentum `before`.
#[inline(always)]
fn respin<V: Lanes>(mechanism: Mechanism<'_>, lanes: &mut LanesOf<V>, before: &[LaneVector<V>; 2], passed: V) {
    let [center, now] = spin(mechanism, lanes);
    let zero = passed.like(0.0);
    zero.within(
        #[inline(always)]
        || {
            let missing = before[1].minus(now).scaled(passed);
            let turn = solved(&whole(mechanism, lanes, center), missing);
            for ((pose, body), momentum) in lanes.poses.iter().zip(mechanism.bodies).zip(&mut lanes.momenta) {
                *momentum = momentum.plus(turning(pose, body, center, turn));
            }
        },
    );
}

/// Inertia of all bodies about their center of mass: six numbers, lower triangle by rows.
#[inline(always)]
pub(super) fn whole<V: Lanes>(mechanism: Mechanism<'_>, lanes: &LanesOf<V>, center: LaneVector<V>) -> [V; 6] {
    let zero = center.x.like(0.0);
    zero.within(
        #[inline(always)]
        || {
            let mut sum = [zero; 6];
            for (pose, body) in lanes.poses.iter().zip(mechanism.bodies) {
                let [a, b, c] = pose.rotation.matrix().columns;
                let r = pose.position.minus(center);
                let (square, m) = (r.dot(r), body.mass);
                let (x, y, z) = (body.moments.x, body.moments.y, body.moments.z);
                let more = [
                    a.x * a.x * x + b.x * b.x * y + c.x * c.x * z + (square - r.x * r.x) * m,
                    a.y * a.x * x + b.y * b.x * y + c.y * c.x * z - r.y * r.x * m,
                    a.y * a.y * x + b.y * b.y * y + c.y * c.y * z + (square - r.y * r.y) * m,
                    a.z * a.x * x + b.z * b.x * y + c.z * c.x * z - r.z * r.x * m,
                    a.z * a.y * x + b.z * b.y * y + c.z * c.y * z - r.z * r.y * m,
                    a.z * a.z * x + b.z * b.z * y + c.z * c.z * z + (square - r.z * r.z) * m,
                ];
                add(&mut sum, &more);
            }
            sum
        },
    )
}

/// Momentum of a body if the whole turns rigidly about its center.
#[inline(always)]
pub(super) fn turning<V: Lanes>(
    pose: &Pose<V>,
    body: &Body,
    center: LaneVector<V>,
    turn: LaneVector<V>,
) -> Momentum<V> {
    let axes = pose.rotation.matrix();
    let w = axes.rotate_back(turn);
    let moments = body.moments;
    let angular = axes.rotate(LaneVector { x: w.x * moments.x, y: w.y * moments.y, z: w.z * moments.z });
    Momentum { linear: turn.cross(pose.position.minus(center)).times(body.mass), angular }
}

/// Solves A x = b for a symmetric positive definite A, given by its lower triangle.
#[inline(always)]
pub(super) fn solved<V: Lanes>(a: &[V; 6], b: LaneVector<V>) -> LaneVector<V> {
    let one = b.x.like(1.0);
    let d0 = one / a[0];
    let (l10, l20) = (a[1] * d0, a[3] * d0);
    let d1 = one / (a[2] - a[1] * l10);
    let rest = a[4] - a[3] * l10;
    let l21 = rest * d1;
    let d2 = one / (a[5] - a[3] * l20 - rest * l21);
    let y = b.y - b.x * l10;
    let z = (b.z - b.x * l20 - y * l21) * d2;
    let y = y * d1 - z * l21;
    LaneVector { x: b.x * d0 - y * l10 - z * l20, y, z }
}
