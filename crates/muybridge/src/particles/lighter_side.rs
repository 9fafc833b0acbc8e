//! Moment of inertia that scales joint friction: that of the lighter of the two sides into which a joint divides its
//! linkage.
//!
//! ```text
//! I = Σ_bodies (m ‖c − p‖² + ⅓ tr I_c)      about the joint p in the model's pose; own inertia averaged over axes
//! ```

use glam::DVec3;

use super::model::{Anchor, Model};
use super::point::Point;

/// The tetrahedra of a model and the positions of their attachments.
pub(crate) struct Sides {
    bodies: Vec<SideInertia>,
    /// Bodies attached to each body, with the attachment point, meters.
    joints: Vec<Vec<(usize, DVec3)>>,
    /// Body of each particle; `None` if it belongs to none.
    of_particles: Vec<Option<usize>>,
}

/// Mass properties of one body.
struct SideInertia {
    /// Mass, kilograms.
    mass: f64,
    /// Center of mass in the model, meters.
    center: DVec3,
    /// Mean of the body's principal moments, kg m².
    mean: f64,
}

impl Sides {
    /// Collects the bodies and attachments of a model in its own pose.
    pub fn of(model: &Model) -> Self {
        let mut of_particles = vec![None; model.positions.len()];
        let mut bodies = Vec::with_capacity(model.tetrahedra.len());
        for (index, body) in model.tetrahedra.iter().enumerate() {
            body.particles.iter().for_each(|&particle| of_particles[particle] = Some(index));
            bodies.push(SideInertia::of(
                body.particles.map(|particle| (model.masses[particle], model.positions[particle])),
            ));
        }
        let mut joints = vec![Vec::new(); bodies.len()];
        for attachment in &model.attachments {
            let Anchor::Point(b) = &attachment.b else { continue };
            let [one, other] = [&attachment.a, b].map(|point| body_of(&of_particles, point));
            let place = attachment.a.position(&model.positions);
            if let (Some(one), Some(other)) = (one, other) {
                joints[one].push((other, place));
                joints[other].push((one, place));
            }
        }
        Self { bodies, joints, of_particles }
    }

    /// Inertia of the lighter side of the joint between the bodies of two particles, kg m²; 0 if no attachment joins
    /// them.
    pub fn lighter(&self, particles: [usize; 2]) -> f64 {
        let [Some(one), Some(other)] = particles.map(|particle| self.of_particles[particle]) else { return 0.0 };
        let Some(&(_, place)) = self.joints[one].iter().find(|(body, _)| *body == other) else { return 0.0 };
        let least = self.side(one, other, place).min(self.side(other, one, place));
        if least.is_finite() { least } else { 0.0 }
    }

    /// Inertia about `place` of a body and all bodies connected to it, except through `without`, kg m².
    fn side(&self, body: usize, without: usize, place: DVec3) -> f64 {
        let (mut found, mut next, mut sum) = (vec![body], 0, 0.0);
        let mut is_known = vec![false; self.bodies.len()];
        (is_known[body], is_known[without]) = (true, true);
        while let Some(&body) = found.get(next) {
            next += 1;
            let SideInertia { mass, center, mean } = &self.bodies[body];
            sum += mass * (*center - place).length_squared() + mean;
            for &(other, _) in &self.joints[body] {
                if !is_known[other] {
                    is_known[other] = true;
                    found.push(other);
                }
            }
        }
        sum
    }
}

impl SideInertia {
    fn of(corners: [(f64, DVec3); 4]) -> Self {
        let mass: f64 = corners.iter().map(|(mass, _)| mass).sum();
        let center = corners.iter().map(|&(own, place)| place * own).sum::<DVec3>() / mass;
        let spread: f64 = corners.iter().map(|&(own, place)| own * (place - center).length_squared()).sum();
        Self { mass, center, mean: 2.0 / 3.0 * spread }
    }
}

fn body_of(of_particles: &[Option<usize>], point: &Point) -> Option<usize> {
    (0..4).filter(|&i| point.weights[i] != 0.0).find_map(|i| of_particles[point.particles[i]])
}
