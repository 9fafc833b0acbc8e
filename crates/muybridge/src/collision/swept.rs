//! Contact of two convex shapes so fast that the direction between them turns within a substep.
//!
//! ```text
//! t ← t + gap(t) / v          conservative advancement to the first touch, J37
//! points, normal              of the manifold there, shifted back with the centers to the start of the substep
//! gap                         that which closes in t at the rate that the points have there
//! ```
//! A manifold at the start has the normal of a head-on hit, however far off-center the two will meet; points that also turned
//! back with the bodies would let an impulse give angular momentum.
//! Specification: mathematics 3.16 (J37), 4.9.

use glam::{DQuat, DVec3};

use super::manifold::ManifoldPoint;
use super::{Manifold, ObstacleShape, Pose, each_manifold};
use crate::math::rotation::exp;

/// A shape that moves with its body.
#[derive(Clone, Copy, Debug)]
pub struct Swept<'a> {
    pub shape: &'a ObstacleShape,
    pub pose: Pose,
    /// Point about which it turns, meters.
    pub center: DVec3,
    /// Velocity of that point (m/s) and angular velocity (rad/s).
    pub velocities: (DVec3, DVec3),
    /// Greatest distance of its points from the center, meters.
    pub reach: f64,
    /// Thickness of what covers the shape, meters.
    pub skin: f64,
}

/// Way per substep above which a contact is swept, as a share of the smaller reach; and with joints: a tree does not come together
/// with what it meets without a change of angular momentum.
const FAST: f64 = 0.02;
const FAST_JOINTED: f64 = 0.5;

/// Distance at which two shapes touch, the same of what touches at other points or turns fast, as shares of the smaller reach, and
/// the greatest number of steps to it.
const TOUCHING: f64 = 1e-4;
const SLIDING: f64 = 1e-2;
const MOST_STEPS: u32 = 48;

impl Swept<'_> {
    fn at(&self, t: f64) -> Pose {
        let (v, w) = self.velocities;
        let turn = if w == DVec3::ZERO { DQuat::IDENTITY } else { exp(w * t) };
        let arm = self.pose.position - self.center;
        Pose { position: self.center + v * t + turn * arm, rotation: (turn * self.pose.rotation).normalize() }
    }

    /// Velocity of a point of it that is at `place` at time `t`, m/s.
    fn velocity_at(&self, place: DVec3, t: f64) -> DVec3 {
        let (v, w) = self.velocities;
        v + w.cross(place - self.center - v * t)
    }
}

/// Whether a shape can be swept.
pub fn is_convex(shape: &ObstacleShape) -> bool {
    matches!(
        shape,
        ObstacleShape::Sphere { .. }
            | ObstacleShape::Capsule { .. }
            | ObstacleShape::Box { .. }
            | ObstacleShape::Cylinder { .. }
            | ObstacleShape::Hull(_)
    )
}

/// Way in a substep from which on two shapes may be swept of which the smaller has a reach of `size`, meters.
pub fn least_way(size: f64, are_jointed: bool) -> f64 {
    size * if are_jointed { FAST_JOINTED } else { FAST }
}

/// Manifold of two shapes at their first touch within a substep of `h` seconds, at their present poses. If they do not touch, it is
/// that where they come nearest if joints may bend their ways, and otherwise without points. `None` for shapes that are slow,
/// touch already or are not convex.
pub fn swept([a, b]: [&Swept<'_>; 2], (h, are_jointed): (f64, bool)) -> Option<Manifold> {
    let (size, speed) = (a.reach.min(b.reach), greatest_speed([a, b]));
    if !(speed * h > least_way(size, are_jointed) && is_convex(a.shape) && is_convex(b.shape)) {
        return None;
    }
    let (mut t, mut least, mut nearest) = (0.0, f64::INFINITY, None);
    for step in 0..MOST_STEPS {
        let met = manifold_at([a, b], t, speed * (h - t) + size);
        let gap = met.least_gap();
        if gap <= TOUCHING * size {
            // At the start there is nothing to sweep.
            return (step > 0).then(|| met.at_start([a, b], t));
        }
        if are_jointed && gap < least {
            (least, nearest) = (gap, Some((t, met)));
        }
        t += gap / speed;
        if t > h || t.is_nan() {
            return Some(nearest.map_or(Manifold::NONE, |(t, met)| met.at_start([a, b], t)));
        }
    }
    None
}

/// When two convex shapes meet with points that approach faster than `slow` (m/s), from one time (s) to another, and the manifold of
/// those points. They may touch at the start.
pub fn meeting([a, b]: [&Swept<'_>; 2], [from, until]: [f64; 2], slow: f64) -> Option<(f64, Manifold)> {
    let (size, speed) = (a.reach.min(b.reach), greatest_speed([a, b]));
    let (velocity, reach) = (b.velocities.0 - a.velocities.0, a.reach + b.reach);
    let way = b.center - a.center + velocity * from;
    let nearest = (-way.dot(velocity) / velocity.length_squared()).clamp(0.0, until - from);
    let passes = velocity != DVec3::ZERO && (way + velocity * nearest).length() > reach;
    if passes || (velocity == DVec3::ZERO && way.length() > reach) || speed <= slow {
        return None;
    }
    let mut t = from;
    for step in 0..MOST_STEPS {
        let met = manifold_at([a, b], t, speed * (until - t) + size);
        let parts = |point: &ManifoldPoint| {
            let [one, other] = [a.velocity_at(point.on_a, t), b.velocity_at(point.on_b, t)];
            met.normal.dot(one - other) >= -slow
        };
        let coming = met.without(parts);
        let gap = coming.least_gap();
        let is_last = step + 1 == MOST_STEPS && gap <= SLIDING * size;
        if gap <= TOUCHING * size || is_last {
            let is_near = |point: &ManifoldPoint| point.gap <= gap + TOUCHING * size;
            return Some((t, coming.without(|point| !is_near(point))));
        }
        // Along the normal, the shapes come together no faster than this. What touches already slides, or parts at these points.
        let turning = [a, b].map(|it| it.velocities.1.cross(met.normal).length() * it.reach);
        let closing = met.normal.dot(velocity).max(0.0) + turning[0] + turning[1];
        t += if gap < f64::INFINITY { gap } else { met.least_gap().max(SLIDING * size) } / closing;
        if t > until || t.is_nan() {
            return None;
        }
    }
    None
}

/// Greatest speed at which points of two shapes come together, m/s.
fn greatest_speed([a, b]: [&Swept<'_>; 2]) -> f64 {
    let turning = a.velocities.1.length() * a.reach + b.velocities.1.length() * b.reach;
    (a.velocities.0 - b.velocities.0).length() + turning
}

/// Manifold of two shapes at time `t`, with their skins.
fn manifold_at([a, b]: [&Swept<'_>; 2], t: f64, margin: f64) -> Manifold {
    let (mut met, thickness) = (Manifold::NONE, a.skin + b.skin);
    each_manifold(a.shape, &a.at(t), b.shape, &b.at(t), margin + thickness, &mut |one| met = *one);
    let normal = met.normal;
    met.map(|point| ManifoldPoint {
        on_a: point.on_a - normal * a.skin,
        on_b: point.on_b + normal * b.skin,
        gap: point.gap - thickness,
        ..*point
    })
}

impl Manifold {
    /// The points of two shapes as they are `t` seconds before.
    fn at_start(&self, [a, b]: [&Swept<'_>; 2], t: f64) -> Self {
        self.map(|point| {
            let [on_a, on_b] = [(point.on_a, a), (point.on_b, b)].map(|(place, of)| place - of.velocities.0 * t);
            let [first, second] = [(on_a, a), (on_b, b)].map(|(place, of)| of.velocity_at(place, 0.0));
            ManifoldPoint { on_a, on_b, gap: point.gap + self.normal.dot(second - first) * t, ..*point }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(x: f64, y: f64, speed: f64) -> Swept<'static> {
        let pose = Pose { position: DVec3::new(x, y, 0.0), rotation: DQuat::IDENTITY };
        let velocities = (DVec3::X * speed, DVec3::ZERO);
        Swept {
            shape: &ObstacleShape::Sphere { radius: 0.1 },
            pose,
            center: pose.position,
            velocities,
            reach: 0.1,
            skin: 0.0,
        }
    }

    #[test]
    fn balls_that_meet_off_center_have_the_normal_of_where_they_touch() {
        let (a, b) = (ball(-0.5, 0.1, 80.0), ball(0.5, 0.0, -80.0));
        let met = swept([&a, &b], (0.01, false)).expect("they are fast");
        // The sine of the angle is the offset over the sum of the radii.
        let (normal, point) = (met.normal, met.points()[0]);
        assert!((normal.y - 0.5).abs() < 1e-4 && normal.x < 0.0, "{normal}");
        // Each point lies on the skin of its ball at the start.
        assert!(
            (point.on_a.distance(a.center) - 0.1).abs() < 1e-4 && (point.on_b.distance(b.center) - 0.1).abs() < 1e-4
        );
        assert!((point.gap - normal.dot(point.on_a - point.on_b)).abs() < 1e-12);
    }

    #[test]
    fn what_passes_beside_is_met_where_it_comes_nearest_if_its_way_may_bend_and_what_is_slow_is_not_swept() {
        let balls = [&ball(-0.5, 0.21, 80.0), &ball(0.5, 0.0, -80.0)];
        assert!(swept(balls, (0.01, false)).is_some_and(|met| met.points().is_empty()));
        // One meter at 160 m/s brings them beside each other: the normal is across their ways then.
        let passing = swept(balls, (0.01, true)).expect("they are fast");
        assert!(passing.normal.y > 0.9999 && (0.0..=0.011).contains(&passing.points()[0].gap), "{passing:?}");
        assert_eq!(swept([&ball(-0.5, 0.0, 1.0), &ball(0.5, 0.0, -1.0)], (0.01, true)), None);
    }
}
