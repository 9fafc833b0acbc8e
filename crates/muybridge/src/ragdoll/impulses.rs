//! Impulses on a ragdoll: hits, explosions, and pulling by a bone.
//!
//! ```text
//! hit     impulse J at point P = Σ c_k x_k of a body: particle k gets c_k J, in total J and P × J
//! blast   every body gets S A/r² away from the center, A = π R² with its radius of gyration R
//! ```
//! Specification: mathematics 3.16 (J32, J34, J35).

use core::f64::consts::PI;

use glam::DVec3;

use super::{BoneBody, Ragdoll};
use crate::math::input_error::InputError;
use crate::particles::{Point, World};

impl Ragdoll {
    /// Gives a bone an impulse (N s) at a place of it (meters, the bone's frame).
    ///
    /// # Errors
    /// If there is no such bone, or impulse or place is not finite.
    pub fn hit(&self, world: &mut World, bone: usize, in_bone: DVec3, impulse: DVec3) -> Result<(), InputError> {
        hit_point(world, &self.known_point(bone, in_bone)?, impulse)
    }

    /// Applies an explosion at `center`. Bodies are pushed away in proportion to their area, so small ones are not shot
    /// off. `strength` is the impulse on a square meter at a distance of one meter, N s.
    ///
    /// # Errors
    /// If the center or the strength is not finite.
    pub fn blast(&self, world: &mut World, center: DVec3, strength: f64) -> Result<(), InputError> {
        InputError::check_finite("the center of a blast", center)?;
        InputError::check_finite("the strength of a blast", DVec3::splat(strength))?;
        for (index, body) in self.bodies.iter().enumerate() {
            let point = self.of_body(index, body.body.center);
            let away = point.position(&world.state.positions) - center;
            let (gyration, distance) = (gyration_squared(body), away.length());
            let square = away.length_squared().max(gyration);
            if distance > 0.0 && square.is_finite() {
                hit_point(world, &point, away * (strength * PI * gyration / (distance * square)))?;
            }
        }
        Ok(())
    }

    /// Pulls a place of a bone (meters, the bone's frame) to `to` with at most `most_force` newtons, until
    /// [`World::release`] is called with the point that this returns.
    ///
    /// # Errors
    /// If there is no such bone, a place is not finite, or the force is NaN.
    pub fn pull(
        &self,
        world: &mut World,
        bone: usize,
        in_bone: DVec3,
        to: DVec3,
        most_force: f64,
    ) -> Result<Point, InputError> {
        let point = self.known_point(bone, in_bone)?;
        world.drag(point, to, most_force)?;
        Ok(point)
    }

    fn known_point(&self, bone: usize, in_bone: DVec3) -> Result<Point, InputError> {
        InputError::check_finite("the place in the bone", in_bone)?;
        self.point(bone, in_bone).ok_or(self.bones.unknown(bone))
    }
}

fn hit_point(world: &mut World, point: &Point, impulse: DVec3) -> Result<(), InputError> {
    let mut parts = point.particles.into_iter().zip(point.weights);
    parts.try_for_each(|(particle, weight)| world.hit(particle, impulse * weight))
}

/// Mean square distance of the mass from the center of mass, divided by three, m².
pub(super) fn gyration_squared(body: &BoneBody) -> f64 {
    body.body.rest.iter().map(|x| x.distance_squared(body.body.center)).sum::<f64>() / 12.0
}
