//! Joint limits in lanes: remaining angle to each limit and its gradient.
//!
//! ```text
//! swing   θ = angle(x_a, x_b),  n = x_a × x_b/‖·‖ = cos φ y_a + sin φ z_a,  s = θ (cos φ, sin φ),  ṡ from ω:  n along s, θ x_b × n/sin θ across
//!         room = distance of s from the ellipse of half axes α, β,   its gradient: minus the outward normal
//! twist   τ = atan2(z_a·y_b − y_a·z_b, y_a·y_b + z_a·z_b),   gradient  (x_a + x_b)/(1 + x_a·x_b)
//! hinge   τ = atan2(z_a·y_b, y_a·y_b),   gradient  x_a
//! ```
//! Computes the numbers of [`range`](crate::rigid::range) without quaternions. Specification: mathematics 1.2, 4.7.

use core::f64::consts::PI;

use crate::math::ellipse::depth_in_ellipse;
use crate::math::lane_angle::angle;
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::model::JointLimit;

/// One joint limit in lanes: see [`range::Bound`](crate::rigid::range::Bound).
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLimit<V> {
    /// Remaining angle to the limit, radians; negative beyond the limit.
    pub room: V,
    /// Derivative of `room` by the angular velocity of the child relative to the parent.
    pub turn: LaneVector<V>,
}

/// Axes of a joint's frame on the parent and on the child.
pub(super) type Axes<'a, V> = [&'a [LaneVector<V>; 3]; 2];

/// Remaining angle of a free joint, which has no limit.
const FAR: f64 = 1e3;

/// Sine of a swing angle below which the swing direction is undefined.
const STRAIGHT: f64 = 1e-9;

/// Limits of a joint: swing and twist, or one angle of a hinge.
#[inline(always)]
pub(super) fn bounds<V: Lanes>(range: &JointLimit, axes: Axes<'_, V>) -> [LaneLimit<V>; 2] {
    let [[x0, y0, z0], [_, y1, _]] = axes;
    match range {
        JointLimit::Hinge(ends) => [nearer(angle(z0.dot(*y1), y0.dot(*y1)), *x0, ends), nothing(*x0)],
        JointLimit::SwingTwist { swing, twist } => {
            let is_free = swing[0] >= PI && swing[1] >= PI;
            let is_untwisted = twist[0] <= -PI && twist[1] >= PI;
            [
                if is_free { nothing(*x0) } else { swung(swing, axes) },
                if is_untwisted { nothing(*x0) } else { twisted(twist, axes) },
            ]
        }
        JointLimit::Slider(_) | JointLimit::Distance(_) => [nothing(*x0), nothing(*x0)],
    }
}

#[inline(always)]
fn nothing<V: Lanes>(turn: LaneVector<V>) -> LaneLimit<V> {
    LaneLimit { room: turn.x.like(FAR), turn }
}

/// Limit at the nearer end of an interval.
#[inline(always)]
fn nearer<V: Lanes>(value: V, rate: LaneVector<V>, ends: &[f64; 2]) -> LaneLimit<V> {
    let (above, below) = (value - value.like(ends[0]), value.like(ends[1]) - value);
    let is_low = above.is_below(below);
    LaneLimit { room: V::select(is_low, above, below), turn: LaneVector::select(is_low, rate, -rate) }
}

#[inline(always)]
fn twisted<V: Lanes>(ends: &[f64; 2], [[x0, y0, z0], [x1, y1, z1]]: Axes<'_, V>) -> LaneLimit<V> {
    let twist = angle(z0.dot(*y1) - y0.dot(*z1), y0.dot(*y1) + z0.dot(*z1));
    let along = x0.dot(*x1) + 1.0;
    // At a swing of half a turn the twist is undefined.
    let scale = along.like(1.0) / along.greatest(along.like(1e-3));
    nearer(twist, x0.plus(*x1).scaled(scale), ends)
}

#[inline(always)]
fn swung<V: Lanes>(most: &[f64; 2], [[x0, y0, z0], [x1, ..]]: Axes<'_, V>) -> LaneLimit<V> {
    let normal = x0.cross(*x1);
    let sine = normal.dot(normal).sqrt();
    let swing = angle(sine, x0.dot(*x1));
    let over = sine.like(1.0) / sine.greatest(sine.like(STRAIGHT));
    let n = normal.scaled(over);
    let (c, s) = (n.dot(*y0), n.dot(*z0));
    let (room, out) = depth_in_ellipse([swing * c, swing * s], *most);
    let (along, across) = (out[0] * c + out[1] * s, out[1] * c - out[0] * s);
    let outward = n.scaled(along).plus(x1.cross(n).scaled(across * swing * over));
    LaneLimit { room, turn: -outward }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation::exp;
    use crate::rigid::joint::{Frame, Joint, Kind};
    use crate::rigid::motion::{Pose, vector};
    use crate::rigid::range;

    /// Compares the limits in lanes with those of [`range`] for many poses.
    fn both(
        range: JointLimit,
        kind: &Kind,
        turn: impl Fn(&mut Random) -> DVec3,
        mut found: impl FnMut(LaneLimit<f64>, range::LimitRow),
    ) {
        let mut random = Random::new(12);
        for _ in 0..500 {
            let frame = |random: &mut Random| Frame { position: random.vector(), rotation: random.rotation() };
            let frames = [frame(&mut random), frame(&mut random)];
            let joint = Joint { parent: Some(0), child: 1, frames, kind: kind.clone(), compliance: 0.0 };
            let above = random.rotation();
            let below = above * frames[0].rotation * exp(turn(&mut random)) * frames[1].rotation.conjugate();
            let poses = [Pose::new(random.vector(), above), Pose::new(random.vector(), below)];
            let sides = joint.sides(Some(&poses[0]), &poses[1]);
            let here = bounds(&range, [&sides[0].axes, &sides[1].axes]);
            for there in range::bounds(&range, &sides).into_iter().flatten() {
                found(here[usize::from(there.index > 0 && *kind == Kind::Ball)], there);
            }
        }
    }

    #[test]
    fn bounds_of_hinges_and_round_cones_are_those_of_one_joint_alone() {
        let near = |here: LaneLimit<f64>, there: range::LimitRow| {
            assert!((here.room - there.room).abs() < 1e-12, "{here:?} {there:?}");
            assert!((vector(here.turn) - there.turn).length() < 1e-9, "{here:?} {there:?}");
        };
        both(JointLimit::Hinge([-0.4, 1.9]), &Kind::Hinge, |random| DVec3::X * (2.0 * random.signed()), near);
        let round = JointLimit::SwingTwist { swing: [0.7; 2], twist: [-0.3, 0.5] };
        both(round, &Kind::Ball, |random| random.vector() * 1.5, near);
    }

    #[test]
    fn an_ellipse_is_left_where_that_of_one_joint_is_left() {
        let range = JointLimit::SwingTwist { swing: [0.4, 0.9], twist: [-0.3, 0.5] };
        both(
            range,
            &Kind::Ball,
            |random| random.vector() * 1.2,
            |here, there| {
                assert!((here.room - there.room).abs() < 1e-12, "{here:?} {there:?}");
            },
        );
    }

    #[test]
    fn the_room_of_an_ellipse_shrinks_as_its_row_says() {
        let mut random = Random::new(13);
        let range = JointLimit::SwingTwist { swing: [0.4, 0.9], twist: [-0.3, 0.5] };
        for _ in 0..300 {
            let (above, turn, rate) = (random.rotation(), exp(random.vector() * 1.2), random.vector());
            let axes =
                |turn: glam::DQuat| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| LaneVector::splat((), turn * axis));
            let at = |seconds: f64| bounds(&range, [&axes(above), &axes(exp(rate * seconds) * (above * turn))]);
            let (before, now, after) = (at(-1e-6), at(0.0), at(1e-6));
            for bound in 0..2 {
                let slope = (after[bound].room - before[bound].room) / 2e-6;
                let said = vector(now[bound].turn).dot(rate);
                assert!((slope - said).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {said}");
            }
        }
    }
}
