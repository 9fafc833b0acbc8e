//! Acting on a ragdoll: hits, blasts, pulling by a bone.
//!
//! ```text
//! hit     impulse J at point P = Σ c_k x_k of a body: particle k gets c_k J, which is J and P × J in all
//! blast   every body gets S A/r² away from the center, A = π R² of its own radius of gyration R
//! ```
//! Specification: mathematics 3.16 (J32, J34, J35).

use core::f64::consts::PI;

use glam::DVec3;

use super::{BoneBody, Ragdoll};
use crate::particles::{Point, World};

impl Ragdoll {
    /// An impulse (N s) at a place of a bone (metres, the bone's frame). Whether the bone can be hit.
    pub fn hit(&self, world: &mut World, bone: usize, in_bone: DVec3, impulse: DVec3) -> bool {
        let point = self.point(bone, in_bone);
        if let Some(point) = &point {
            hit_point(world, point, impulse);
        }
        point.is_some()
    }

    /// A blast at `center`: bodies are pushed away by their area, so that small ones are not shot off. `strength` is the
    /// impulse on a square metre at one metre, N s.
    pub fn blast(&self, world: &mut World, center: DVec3, strength: f64) {
        for (index, body) in self.bodies.iter().enumerate() {
            let point = self.of_body(index, body.body.center);
            let away = point.position(&world.state.positions) - center;
            let (gyration, distance) = (gyration_squared(body), away.length());
            let square = away.length_squared().max(gyration);
            if distance > 0.0 && square.is_finite() {
                hit_point(world, &point, away * (strength * PI * gyration / (distance * square)));
            }
        }
    }

    /// Pulls a place of a bone (metres, the bone's frame) to `to` with at most `most_force` newtons, until
    /// [`World::release`] is called with the point this returns; `None` if the bone cannot be pulled.
    pub fn pull(&self, world: &mut World, bone: usize, in_bone: DVec3, to: DVec3, most_force: f64) -> Option<Point> {
        let point = self.point(bone, in_bone)?;
        world.drag(point, to, most_force);
        Some(point)
    }
}

fn hit_point(world: &mut World, point: &Point, impulse: DVec3) {
    for (particle, weight) in point.particles.into_iter().zip(point.weights) {
        world.hit(particle, impulse * weight);
    }
}

/// Mean square distance of the mass from the center, over three, m².
pub(super) fn gyration_squared(body: &BoneBody) -> f64 {
    body.body.rest.iter().map(|x| x.distance_squared(body.body.center)).sum::<f64>() / 12.0
}
