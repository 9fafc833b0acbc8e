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

use crate::collision::manifold::ManifoldPoint;
use crate::collision::{Manifold, ObstacleShape, Pose, each_manifold};
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
}

/// Way per substep above which a contact is swept, as a share of the smaller reach; and with joints: a tree does not come together
/// with what it meets without a change of angular momentum.
const FAST: f64 = 0.02;
const FAST_JOINTED: f64 = 0.5;

/// Distance at which two shapes touch, as a share of the smaller reach, and the greatest number of steps to it.
const TOUCHING: f64 = 1e-4;
const MOST_STEPS: u32 = 48;

impl Swept<'_> {
    fn at(&self, t: f64) -> Pose {
        let (v, w) = self.velocities;
        let turn = if w == DVec3::ZERO { DQuat::IDENTITY } else { exp(w * t) };
        let arm = self.pose.position - self.center;
        Pose { position: self.center + v * t + turn * arm, rotation: (turn * self.pose.rotation).normalize() }
    }

    fn is_convex(&self) -> bool {
        matches!(
            self.shape,
            ObstacleShape::Sphere { .. }
                | ObstacleShape::Capsule { .. }
                | ObstacleShape::Box { .. }
                | ObstacleShape::Cylinder { .. }
                | ObstacleShape::Hull(_)
        )
    }
}

/// Way in a substep from which on two shapes may be swept of which the smaller has a reach of `size`, meters.
pub fn least_way(size: f64, are_jointed: bool) -> f64 {
    size * if are_jointed { FAST_JOINTED } else { FAST }
}

/// Manifold of two shapes at their first touch within a substep of `h` seconds, at their present poses. If they do not touch, it is
/// that where they come nearest if joints may bend their ways, and otherwise without points. `None` for shapes that are slow,
/// touch already or are not convex.
pub fn swept([a, b]: [&Swept<'_>; 2], (h, are_jointed): (f64, bool)) -> Option<Manifold> {
    let size = a.reach.min(b.reach);
    let turning = a.velocities.1.length() * a.reach + b.velocities.1.length() * b.reach;
    let speed = (a.velocities.0 - b.velocities.0).length() + turning;
    if !(speed * h > least_way(size, are_jointed) && a.is_convex() && b.is_convex()) {
        return None;
    }
    let manifold_at = |t: f64| {
        let mut met = Manifold::NONE;
        let margin = speed * (h - t) + size;
        each_manifold(a.shape, &a.at(t), b.shape, &b.at(t), margin, &mut |one| met = *one);
        met
    };
    let (mut t, mut least, mut nearest) = (0.0, f64::INFINITY, None);
    for step in 0..MOST_STEPS {
        let met = manifold_at(t);
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

impl Manifold {
    /// The points of two shapes as they are `t` seconds before.
    fn at_start(&self, [a, b]: [&Swept<'_>; 2], t: f64) -> Self {
        self.map(|point| {
            let [on_a, on_b] = [(point.on_a, a), (point.on_b, b)].map(|(place, of)| place - of.velocities.0 * t);
            let [first, second] = [(on_a, a), (on_b, b)].map(|(place, of)| {
                let (v, w) = of.velocities;
                v + w.cross(place - of.center)
            });
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
        Swept { shape: &ObstacleShape::Sphere { radius: 0.1 }, pose, center: pose.position, velocities, reach: 0.1 }
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
