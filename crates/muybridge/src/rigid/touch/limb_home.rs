//! Limbs deep in what they touch: they go out where they begin.

use glam::DVec3;

use crate::collision::manifold::manifold_towards;
use crate::collision::{Manifold, ObstacleShape, Pose};
use crate::rigid::state::State;

/// Where a body hangs on its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimbHome {
    pub parent: usize,
    /// Place in the frame of the body, meters.
    pub place: DVec3,
}

/// Where the bodies of a detector hang, and how far they reach.
pub(super) struct LimbHomes<'a> {
    pub list: &'a [Option<LimbHome>],
    pub reaches: &'a [f64],
}

/// Depth of a limb above which it must go out where it begins, as a share of the farthest point of its body; its middle must
/// be inside as well. An arm around another body touches it from behind, and would be led through it.
const DEEP: f64 = 0.25;

/// Cosine of a way out to the limb, away from its joint, above which the limb cannot go there by a turn about the joint.
const ALONG: f64 = 0.5;

/// Distance of the surface of a shape from its middle at least, meters.
fn thickness(shape: &ObstacleShape) -> f64 {
    match *shape {
        ObstacleShape::Sphere { radius } | ObstacleShape::Capsule { radius, .. } => radius,
        ObstacleShape::Box { half_extents } => half_extents.min_element(),
        _ => 0.0,
    }
}

impl LimbHomes<'_> {
    pub fn is_deep(&self, body: usize, shape: &ObstacleShape, manifold: &Manifold) -> bool {
        -manifold.least_gap() > thickness(shape).max(DEEP * self.reaches[body])
    }

    /// Manifold of two shapes of which one is a limb deep in the other, that leads it out on the side where it begins: the
    /// nearest way out may be the far side, where its joint cannot follow. `is_led`: its parent is deep in the other, so
    /// that the limb must follow. `None` if `manifold` is good.
    pub fn lead_out(
        &self,
        bodies: [Option<usize>; 2],
        (shapes, poses): ([&ObstacleShape; 2], &[Pose; 2]),
        manifold: &Manifold,
        state: &State,
        (margin, is_led): (f64, bool),
    ) -> Option<Manifold> {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let is_inside = |&body: &usize| is_led || self.is_deep(body, shapes[side], manifold);
            let Some(body) = bodies[side].filter(is_inside) else { continue };
            let Some(home) = self.list[body] else { continue };
            let pose = &state.poses[body];
            let direction = (pose.place() + pose.turn() * home.place - poses[side].position) * sign;
            if manifold.normal.dot(direction) < -ALONG * direction.length() {
                return manifold_towards(shapes, [&poses[0], &poses[1]], direction, margin);
            }
        }
        None
    }
}
