//! Energy limit: caps the kinetic energy of a ragdoll, so that rounding errors of a solve cannot add energy.
//!
//! ```text
//! E = Σ_bodies ½ m‖Δc‖² + ½ Σ_a s_a‖Δf_a‖²                   times the square of the substep, kg m²
//! ceiling += min(P·f − ½ M f², P'·f − ½ M f²) − ‖P' − P‖²/2M   f = g h², P = Σ m Δc as predicted and P' after the solve
//! E > ceiling:   Δc = Δc̄ + Ω × r + s (Δc − Δc̄ − Ω × r),  Δf = Ω × f + s (Δf − Ω × f),  I Ω = Σ m r × Δc + Σ s_a f_a × Δf_a
//!                in flight, the motion of the mass center and the angular momentum are kept where they can be
//!                Δc = s Δc,  Δf = s Δf                         of what touches something
//! ceiling = max(½ M r², min(ceiling, 1.05 E))                 what is lost is lost; an old penetration may be left, by r in this substep
//! ```
//! Constraints of a ragdoll do no work, and obstacles neither move nor rebound. A hit loses the energy of the lost
//! velocity (Carnot's theorem), and the share of the center of mass in it is known. So an exact solution hardly exceeds
//! the limit. A light limb between the ground and a heavy body, whose length errors would lift that body, gives back no
//! more than the hit left. In flight P' is P. If something supports the ragdoll, P'·f is the work of gravity, and a
//! resting ragdoll gets nothing: from rest a fall begins with the twentieth by which energy may grow in a substep.

use super::algebra::{Symmetric, SymmetricFactors, elements, symmetric, three};
use super::kernel::KernelPace;
use super::plan::{BatchBody, BatchModel};
use super::rows::{BlockWidth, BodyRows, LaneValues, Lanes};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// Factor of the limit over a lower energy: margin for energy oscillations of the integrator.
pub const LATER: f32 = 1.05;

/// Squared limits of the displacement of a center (meters) and of an axis in a substep. A greater one counts as
/// invalid.
const FAR: [f32; 2] = [1e6, 1e2];

/// Effective masses of the three axes of a body, kg m².
#[inline(always)]
pub fn spread([a, b, c]: [f32; 3]) -> [f32; 3] {
    let half = 0.5 * (a + b + c);
    [half - a, half - b, half - c]
}

/// Momentum of a ragdoll times the substep, kg m.
#[inline(always)]
fn momentum<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    plan: &BatchModel,
    bodies: &[BodyRows<W>],
) -> LaneVector<V> {
    let mut sum = lanes.same_vector([0.0; 3]);
    for (body, rows) in plan.bodies.iter().zip(bodies) {
        sum = sum.plus(lanes.times(lanes.vector(&rows.moved), body.mass));
    }
    sum
}

/// Momentum and work of gravity before the solve.
#[derive(Clone, Copy)]
pub struct Before<V> {
    /// Predicted momentum times the substep, kg m.
    momentum: LaneVector<V>,
    /// Work of gravity in the substep without obstacles, times the square of the substep, kg m².
    lift: V,
}

impl<V: SingleLanes> Before<V> {
    /// Computes both after the free-fall prediction.
    #[inline(always)]
    pub fn of<W: BlockWidth>(lanes: Lanes<V>, plan: &BatchModel, pace: &KernelPace, bodies: &[BodyRows<W>]) -> Self {
        let (fall, momentum) = (lanes.same_vector(pace.fall), momentum(lanes, plan, bodies));
        Self { momentum, lift: momentum.minus(lanes.times(fall, 0.5 * plan.mass)).dot(fall) }
    }

    /// Greatest possible growth of the energy in the substep, kg m².
    #[inline(always)]
    fn growth<W: BlockWidth>(
        &self,
        lanes: Lanes<V>,
        (plan, pace): (&BatchModel, &KernelPace),
        bodies: &[BodyRows<W>],
    ) -> V {
        let (fall, momentum) = (lanes.same_vector(pace.fall), momentum(lanes, plan, bodies));
        let fallen = momentum.minus(lanes.times(fall, 0.5 * plan.mass)).dot(fall);
        let stopped = momentum.minus(self.momentum);
        self.lift.least(fallen) - stopped.dot(stopped) * lanes.same(0.5 / plan.mass)
    }
}

/// Kinetic energy of a body. A body with an invalid motion is stopped.
#[inline(always)]
fn energy<V: SingleLanes, W: BlockWidth>(lanes: Lanes<V>, body: &BatchBody, rows: &mut BodyRows<W>) -> V {
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

/// Applies the energy limit after the solve, and lowers the limit. `deepest` is the depth of the deepest old
/// penetration, meters, 0 without contact.
#[inline(always)]
pub fn keep_below<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    (plan, pace): (&BatchModel, &KernelPace),
    (before, deepest): (&Before<V>, V),
    bodies: &mut [BodyRows<W>],
    ceiling: &mut LaneValues<W>,
) {
    let mut sum = lanes.same(0.0);
    for (body, rows) in plan.bodies.iter().zip(bodies.iter_mut()) {
        sum = sum + energy(lanes, body, rows);
    }
    let recovered = (deepest * lanes.same(1.0 - pace.patience)).least(lanes.same(pace.recovery[0]));
    let floor = recovered * recovered * lanes.same(0.5 * plan.mass);
    let last = lanes.load(ceiling);
    let mut most = (last + before.growth(lanes, (plan, pace), bodies)).greatest(floor);
    let is_above = (most + sum * lanes.same(pace.rounding)).is_below(sum);
    if V::any(is_above) {
        let touches = lanes.same(0.0).is_below(deepest);
        slow(lanes, plan, bodies, (sum, most), [is_above, touches]);
        most = (last + before.growth(lanes, (plan, pace), bodies)).greatest(floor);
    }
    lanes.store(most.least(sum * lanes.same(LATER)).greatest(floor), ceiling);
}

/// Slows the ragdolls whose energy `sum` exceeds the limit `most`.
#[inline(always)]
fn slow<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    plan: &BatchModel,
    bodies: &mut [BodyRows<W>],
    (sum, most): (V, V),
    [is_above, touches]: [V::Mask; 2],
) {
    let (zero, one, tiny) = (lanes.same(0.0), lanes.same(1.0), lanes.same(1e-30));
    let whole = RigidShare::of(lanes, plan, bodies);
    let all = (most / sum.greatest(tiny)).least(one).sqrt();
    let [of_shift, of_spin] = whole.energies;
    let energies = [of_shift, of_spin, (sum - of_shift - of_spin).greatest(zero)];
    let (mut left, mut shares) = (most, [one; 3]);
    for i in 0..3 {
        let kept = (left / energies[i].greatest(tiny)).least(one);
        left = (left - kept * energies[i]).greatest(zero);
        shares[i] = V::select(is_above, V::select(touches, all, kept.sqrt()), one);
    }
    let share = shares[2];
    let (common, spin) = (whole.shift.scaled(shares[0] - share), whole.spin.scaled(shares[1] - share));
    for rows in bodies {
        let turning = spin.cross(lanes.vector(&rows.center).minus(whole.middle));
        let moved = lanes.vector(&rows.moved).scaled(share).plus(common).plus(turning);
        lanes.store_vector(moved, &mut rows.moved);
        for axis in 0..3 {
            let turning = spin.cross(lanes.vector(&rows.axes[axis]));
            let turned = lanes.vector(&rows.turned[axis]).scaled(share).plus(turning);
            lanes.store_vector(turned, &mut rows.turned[axis]);
        }
    }
}

/// Motion of a ragdoll as one rigid body with its momentum and angular momentum.
struct RigidShare<V> {
    /// Mass center, meters.
    middle: LaneVector<V>,
    /// Displacement of the mass center, meters.
    shift: LaneVector<V>,
    /// Rotation, radians.
    spin: LaneVector<V>,
    /// Energies of both, times the square of the substep, kg m².
    energies: [V; 2],
}

impl<V: SingleLanes> RigidShare<V> {
    #[inline(always)]
    fn of<W: BlockWidth>(lanes: Lanes<V>, plan: &BatchModel, bodies: &[BodyRows<W>]) -> Self {
        let shift = lanes.times(momentum(lanes, plan, bodies), 1.0 / plan.mass);
        let mut middle = lanes.same_vector([0.0; 3]);
        for (body, rows) in plan.bodies.iter().zip(bodies) {
            middle = middle.plus(lanes.times(lanes.vector(&rows.center), body.mass / plan.mass));
        }
        let zero = lanes.same(0.0);
        let mut sums = (lanes.same_vector([0.0; 3]), Symmetric { diagonal: [zero; 3], off: [zero; 3] });
        for (body, rows) in plan.bodies.iter().zip(bodies) {
            let (arm, moved) = (lanes.vector(&rows.center).minus(middle), lanes.vector(&rows.moved).minus(shift));
            add(lanes, &mut sums, body.mass, [arm, moved]);
            let (axes, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
            for (axis, mass) in spread(body.moments).into_iter().enumerate() {
                add(lanes, &mut sums, mass, [axes[axis], turned[axis]]);
            }
        }
        let (momentum, inertia) = sums;
        let spin = SymmetricFactors::new(lanes, &inertia).solve(momentum);
        let half = lanes.same(0.5);
        let energies = [shift.dot(shift) * lanes.same(0.5 * plan.mass), spin.dot(momentum) * half];
        Self { middle, shift, spin, energies }
    }
}

/// Adds angular momentum and inertia of a mass that moves at the end of an arm.
#[inline(always)]
fn add<V: SingleLanes>(
    lanes: Lanes<V>,
    (momentum, inertia): &mut (LaneVector<V>, Symmetric<V>),
    mass: f32,
    [arm, moved]: [LaneVector<V>; 2],
) {
    let (scaled, length) = (lanes.times(arm, mass), arm.dot(arm) * lanes.same(mass));
    *momentum = momentum.plus(scaled.cross(moved));
    let (a, b, zero) = (elements(arm), elements(scaled), lanes.same(0.0));
    let of = symmetric!(|i, j| if i == j { length - a[i] * b[j] } else { zero - a[i] * b[j] });
    *inertia = inertia.plus(&of);
}
