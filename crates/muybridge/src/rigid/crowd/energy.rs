//! Energy limit of the batch: contacts with fixed obstacles and position corrections must not add energy.
//!
//! ```text
//! E = Σ ½ uᵀ M u − m g · x,     E after > E before, with contact:   u ← u √((T − excess)/T)
//! in the air                     scales u − u_rigid by its own T; u_rigid: rigid motion of the whole with the same momenta
//! ```
//! Scaled velocities still satisfy the joints. Specification: mathematics 4.10 (H24), Carnot's theorem.

use super::hold::{solved, spin, turning, whole};
use super::pace::Pace;
use super::{LanesOf, Settings};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::rattle::Mechanism;
use crate::rigid::tree::LEAST;

/// Kinetic and potential energy, joules (in the units of [`super::pace`]).
#[inline(always)]
pub(super) fn energy<V: Lanes>(
    mechanism: Mechanism<'_>,
    settings: &Settings,
    lanes: &LanesOf<V>,
    pace: &Pace<V>,
) -> [V; 2] {
    let zero = lanes.poses[0].position.x.like(0.0);
    zero.within(
        #[inline(always)]
        || {
            let (mut kinetic, mut potential) = (zero, zero);
            for ((pose, momentum), body) in lanes.poses.iter().zip(&lanes.momenta).zip(mechanism.bodies) {
                let LaneVector { x, y, z } = pose.rotation.matrix().rotate_back(momentum.angular);
                let (p, place) = (momentum.linear, pose.position);
                let turning =
                    x * x * (0.5 / body.moments.x) + y * y * (0.5 / body.moments.y) + z * z * (0.5 / body.moments.z);
                kinetic = kinetic + p.dot(p) * (0.5 / body.mass) + turning;
                let weight = settings.gravity * body.mass;
                potential = potential - (place.x * weight.x + place.y * weight.y + place.z * weight.z);
            }
            [kinetic, potential * (pace.stride * pace.stride)]
        },
    )
}

/// Scales velocities to remove energy gained since `before`. With contact (1 in `touched`) all velocities shrink.
/// Without contact, after a joint-limit correction (1 in `held`), only velocities relative to the rigid motion of the
/// whole shrink, so linear and angular momentum stay.
#[inline(always)]
pub(super) fn bound<V: Lanes>(
    (mechanism, settings): (Mechanism<'_>, &Settings),
    lanes: &mut LanesOf<V>,
    before: [V; 2],
    [touched, held]: [V; 2],
    pace: &Pace<V>,
) {
    let [kinetic, potential] = energy(mechanism, settings, lanes, pace);
    let zero = touched.like(0.0);
    let excess = ((kinetic + potential) - (before[0] + before[1])).greatest(zero) * touched.greatest(held);
    if !V::any(zero.is_below(excess)) {
        return;
    }
    let [center, spin] = spin(mechanism, lanes);
    let inertia = whole(mechanism, lanes, center);
    zero.within(
        #[inline(always)]
        || {
            let (mut push, mut mass) = (center.times(0.0), 0.0);
            for (momentum, body) in lanes.momenta.iter().zip(mechanism.bodies) {
                push = push.plus(momentum.linear);
                mass += body.mass;
            }
            let turn = solved(&inertia, spin);
            let of_whole = push.dot(push) * (0.5 / mass) + spin.dot(turn) * 0.5;
            let is_free = touched.is_below(zero.like(0.5));
            let velocity = push.times(1.0 / mass);
            let velocity = LaneVector::select(is_free, velocity, velocity.times(0.0));
            let turn = LaneVector::select(is_free, turn, turn.times(0.0));
            let speed = V::select(is_free, kinetic - of_whole, kinetic);
            let left = (speed - excess).greatest(zero) / speed.greatest(zero.like(LEAST));
            let share = V::select(zero.is_below(excess), left.sqrt(), zero.like(1.0));
            let is_less = zero.is_below(excess);
            for ((pose, body), momentum) in lanes.poses.iter().zip(mechanism.bodies).zip(&mut lanes.momenta) {
                let mut kept = turning(pose, body, center, turn);
                kept.linear = kept.linear.plus(velocity.times(body.mass));
                let rest = momentum.minus(kept);
                let (linear, angular) = (rest.linear.scaled(share), rest.angular.scaled(share));
                momentum.linear = LaneVector::select(is_less, kept.linear.plus(linear), momentum.linear);
                momentum.angular = LaneVector::select(is_less, kept.angular.plus(angular), momentum.angular);
            }
        },
    );
}
