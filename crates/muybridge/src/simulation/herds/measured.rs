//! Measures of a frame of a herd: energies, gaps, joint limits, penetration of obstacles.

use glam::DVec3;

use super::Running;
use crate::collision::simplex_contact::signed;
use crate::particles::Point;
use crate::simulation::by_particles::recorded::{gaps, worst_limit};
use crate::simulation::obstacles::PlacedObstacle;
use crate::simulation::recording::Measures;
use crate::simulation::sums::Sums;

impl Running {
    /// Adds the herd's energies, gaps and worst errors, and its number of sleeping particles to `asleep`. Returns its number of
    /// particles.
    pub fn measure(
        &self,
        standing: &[PlacedObstacle],
        (measures, sums): (&mut Measures, &mut Sums),
        asleep: &mut usize,
    ) -> usize {
        let model = &self.ragdoll.model;
        let mut positions = model.positions.clone();
        for &slot in &self.slots {
            if self.herd.is_asleep(slot) {
                *asleep += positions.len();
            } else if let Some(count) = &mut measures.work.in_lanes {
                *count += positions.len() as u64;
            }
            for (index, body) in self.ragdoll.bodies.iter().enumerate() {
                let (position, rotation) = self.herd.pose(slot, index);
                let (velocity, spin) = self.herd.velocity(slot, index);
                let body = &body.body;
                let turning = |rest: &DVec3| spin.cross(rotation * (*rest - body.center)).length_squared();
                let squares = 4.0 * velocity.length_squared() + body.rest.iter().map(turning).sum::<f64>();
                measures.kinetic_energy += 0.5 * body.particle_mass * squares;
                let center = position + rotation * body.center;
                measures.potential_energy -= 4.0 * body.particle_mass * self.gravity.dot(center);
                measures.momentum += velocity * (4.0 * body.particle_mass);
                let turned = |rest: &DVec3| {
                    let arm = rotation * (*rest - body.center);
                    arm.cross(spin.cross(arm)) * body.particle_mass
                };
                let own = body.rest.iter().map(turned).sum::<DVec3>();
                sums.body(4.0 * body.particle_mass, center, velocity, own);
                for (place, rest) in positions[4 * index..].iter_mut().zip(&body.rest) {
                    *place = position + rotation * *rest;
                }
            }
            gaps(model, &positions, sums);
            measures.worst_limit = measures.worst_limit.max(worst_limit(model, &positions));
            let depth = standing.iter().map(|one| self.depth(one, &positions)).fold(0.0, f64::max);
            measures.worst_penetration = measures.worst_penetration.max(depth);
        }
        positions.len() * self.slots.len()
    }

    /// Greatest penetration of the ends of the colliders into an obstacle the herd collides with, meters.
    fn depth(&self, one: &PlacedObstacle, positions: &[DVec3]) -> f64 {
        if one.moves() || super::as_seen(&one.obstacle).is_none() {
            return 0.0;
        }
        let pose = one.obstacle.pose();
        let depth = |point: &Point, radius: f64| {
            let place = pose.to_local(point.position(positions));
            radius - signed(&one.obstacle.shape, place, radius).distance
        };
        let of_surface = |surface: &crate::particles::Surface| {
            surface.core.points().iter().map(|point| depth(point, surface.radius)).fold(0.0, f64::max)
        };
        self.ragdoll.model.surfaces.iter().map(of_surface).fold(0.0, f64::max)
    }
}
