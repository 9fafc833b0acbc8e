//! The kinetic energy that a ragdoll may have: a solve that has lost its way in rounding gives it no more.
//!
//! ```text
//! E = Σ_bodies ½ m‖Δc‖² + ½ Σ_a s_a‖Δf_a‖²                   times the square of the substep, kg m²
//! ceiling += P·g h² + ½ M‖g h²‖²                             the work of gravity, P = Σ m Δc
//! E > ceiling:   Δc = s_c Δc̄ + s_r (Δc − Δc̄),  Δf = s_r Δf    the motion of the mass center is kept where it can be
//! ceiling = max(½ M (recovery)², min(ceiling, 1.05 E))        what is lost is lost; old penetrations may always be left
//! ```
//! Constraints of a ragdoll do no work and nothing in its way moves, so an exact solution is never above it.

use super::kernel::Pace;
use super::plan::{Body, Plan};
use super::rows::{BodyRows, Lanes, Row};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// What the ceiling of a new ragdoll is above its energy, as a factor.
pub const AT_FIRST: f32 = 1.005;

/// What it is above a lower energy later: room for the rise and fall of the energy of an integrator.
pub const LATER: f32 = 1.05;

/// Squares of what the center (metres) and an axis may move in a substep; more is no motion.
const FAR: [f32; 2] = [1e6, 1e2];

/// Masses of the axes of a body, kg m².
#[inline(always)]
pub fn spread([a, b, c]: [f32; 3]) -> [f32; 3] {
    let half = 0.5 * (a + b + c);
    [half - a, half - b, half - c]
}

/// Momentum times the substep, kg m.
#[inline(always)]
fn momentum<V: SingleLanes>(lanes: Lanes<V>, plan: &Plan, bodies: &[BodyRows]) -> LaneVector<V> {
    let mut sum = lanes.same_vector([0.0; 3]);
    for (body, rows) in plan.bodies.iter().zip(bodies) {
        sum = sum.plus(lanes.times(lanes.vector(&rows.moved), body.mass));
    }
    sum
}

/// Adds the work of gravity in the coming substep. Before the bodies fall.
#[inline(always)]
pub fn lift<V: SingleLanes>(lanes: Lanes<V>, plan: &Plan, pace: &Pace, bodies: &[BodyRows], ceiling: &mut Row) {
    let fall = lanes.same_vector(pace.fall);
    let along = momentum(lanes, plan, bodies).plus(lanes.times(fall, 0.5 * plan.mass)).dot(fall);
    lanes.store(lanes.load(ceiling) + along, ceiling);
}

/// Kinetic energy of a body, where its motion is one; elsewhere it stops.
#[inline(always)]
fn energy<V: SingleLanes>(lanes: Lanes<V>, body: &Body, rows: &mut BodyRows) -> V {
    let (far, wild) = (lanes.same(FAR[0]), lanes.same(FAR[1]));
    let (moved, turned) = (lanes.vector(&rows.moved), lanes.vectors(&rows.turned));
    let spread = spread(body.moments);
    let own = moved.dot(moved);
    let [a, b, c] = [turned[0].dot(turned[0]), turned[1].dot(turned[1]), turned[2].dot(turned[2])];
    let is_good = V::both(own.is_below(far), V::both(V::both(a.is_below(wild), b.is_below(wild)), c.is_below(wild)));
    let bad = V::select(is_good, lanes.same(0.0), lanes.same(1.0));
    if V::any(lanes.same(0.5).is_below(bad)) {
        let none = lanes.same_vector([0.0; 3]);
        lanes.store_vector(LaneVector::select(is_good, moved, none), &mut rows.moved);
        for axis in 0..3 {
            lanes.store_vector(LaneVector::select(is_good, turned[axis], none), &mut rows.turned[axis]);
        }
    }
    let sum =
        own * lanes.same(body.mass) + a * lanes.same(spread[0]) + b * lanes.same(spread[1]) + c * lanes.same(spread[2]);
    V::select(is_good, sum * lanes.same(0.5), lanes.same(0.0))
}

/// Takes away what is above the ceiling, and lowers it. After the solve.
#[inline(always)]
pub fn keep_below<V: SingleLanes>(
    lanes: Lanes<V>,
    plan: &Plan,
    pace: &Pace,
    bodies: &mut [BodyRows],
    ceiling: &mut Row,
) {
    let mut sum = lanes.same(0.0);
    for (body, rows) in plan.bodies.iter().zip(bodies.iter_mut()) {
        sum = sum + energy(lanes, body, rows);
    }
    let floor = lanes.same(0.5 * plan.mass * pace.recovery[0] * pace.recovery[0]);
    let most = lanes.load(ceiling).greatest(floor);
    if V::any(most.is_below(sum)) {
        slow(lanes, plan, bodies, (sum, most));
    }
    lanes.store(most.least(sum * lanes.same(LATER)).greatest(floor), ceiling);
}

/// Slows the ragdolls whose energy is above the most that it may be.
#[inline(always)]
fn slow<V: SingleLanes>(lanes: Lanes<V>, plan: &Plan, bodies: &mut [BodyRows], (sum, most): (V, V)) {
    let (zero, one, tiny) = (lanes.same(0.0), lanes.same(1.0), lanes.same(1e-30));
    let common = lanes.times(momentum(lanes, plan, bodies), 1.0 / plan.mass);
    let of_center = common.dot(common) * lanes.same(0.5 * plan.mass);
    let is_above = most.is_below(sum);
    let kept = (most / of_center.greatest(tiny)).least(one);
    let left = (most - kept * of_center).greatest(zero);
    let share = (left / (sum - of_center).greatest(tiny)).least(one).sqrt();
    let share = V::select(is_above, share, one);
    let common_share = V::select(is_above, kept.sqrt(), one);
    let shift = common.scaled(common_share - share);
    for rows in bodies {
        let moved = lanes.vector(&rows.moved).scaled(share).plus(shift);
        lanes.store_vector(moved, &mut rows.moved);
        for axis in 0..3 {
            let turned = lanes.vector(&rows.turned[axis]).scaled(share);
            lanes.store_vector(turned, &mut rows.turned[axis]);
        }
    }
}
