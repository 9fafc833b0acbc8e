//! Cores of colliders in a substep with their bounding spheres, computed once for all pairs.

use glam::DVec3;

use super::ParticleMotion;
use super::surfaces::{Skin, SolidShape, Surfaces};
use crate::collision::Pose;
use crate::collision::simplex::Simplex;

/// The core of a collider in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    pub form: CoreForm,
    /// Greatest displacement of a point in the substep, meters.
    pub moved: f64,
    /// Whether all coordinates are finite.
    pub is_sound: bool,
    /// Displacement of the center since the previous substep, meters.
    shift: DVec3,
    /// Greatest displacement of a point relative to the center since the previous substep, meters.
    bend: f64,
    /// Center of a bounding sphere of the predicted core, meters.
    center: DVec3,
    radius: f64,
}

/// Geometry of a core at the predicted positions and at the start of the substep.
#[derive(Clone, Copy, Debug)]
pub(super) enum CoreForm {
    Simplex { now: Simplex, before: Simplex },
    Solid { now: Pose, before: Pose },
}

impl CoreForm {
    /// The same core, as if it had always been where it is predicted.
    pub fn at_end(self) -> Self {
        match self {
            Self::Simplex { now, .. } => Self::Simplex { now, before: now },
            Self::Solid { now, .. } => Self::Solid { now, before: now },
        }
    }
}

impl Core {
    fn of(skin: &Skin, surfaces: &Surfaces, motion: &ParticleMotion) -> Self {
        match skin.solid {
            Some(solid) => {
                Self::of_solid(&surfaces.solids[solid], skin.pose(motion.positions), skin.pose(motion.previous))
            }
            None => Self::of_simplex(skin.simplex(motion.positions), skin.simplex(motion.previous)),
        }
    }

    fn of_solid(solid: &SolidShape, now: Pose, before: Pose) -> Self {
        let is_sound = [now, before].iter().all(|pose| pose.position.is_finite() && pose.rotation.is_finite());
        let (moved, center) = (solid.greatest_move(&now, &before), now.to_world(solid.middle));
        let (form, radius) = (CoreForm::Solid { now, before }, solid.size);
        Self { form, moved, is_sound, shift: DVec3::ZERO, bend: 0.0, center, radius }
    }

    fn of_simplex(now: Simplex, before: Simplex) -> Self {
        let [a, b, c] = now.corners;
        let center = (a + b + c) / 3.0;
        let radius = now.corners.iter().fold(0.0_f64, |most, corner| most.max(corner.distance_squared(center))).sqrt();
        let is_sound = now.corners.iter().chain(&before.corners).all(|corner| corner.is_finite());
        let (form, moved) = (CoreForm::Simplex { now, before }, now.greatest_move(&before));
        Self { form, moved, is_sound, shift: DVec3::ZERO, bend: 0.0, center, radius }
    }

    /// Updates the core for the next substep.
    fn go_on(&mut self, skin: &Skin, surfaces: &Surfaces, motion: &ParticleMotion) {
        let last = core::mem::replace(self, Self::of(skin, surfaces, motion));
        self.shift = self.center - last.center;
        self.bend = match (&self.form, &last.form, skin.solid) {
            (CoreForm::Simplex { now, .. }, CoreForm::Simplex { now: last, .. }, _) => {
                let beside = |i: usize| now.corners[i] - last.corners[i] - self.shift;
                (0..3).fold(0.0_f64, |most, i| most.max(beside(i).length_squared())).sqrt()
            }
            (CoreForm::Solid { now, .. }, CoreForm::Solid { now: last, .. }, Some(solid)) => {
                surfaces.solids[solid].bend(now, last)
            }
            _ => f64::INFINITY,
        };
    }

    /// Lower bound of the distance of two predicted cores, meters.
    pub fn at_least_apart(&self, other: &Self) -> f64 {
        self.center.distance(other.center) - self.radius - other.radius
    }

    /// Upper bound of how much two cores have approached since the previous substep, meters.
    pub fn closer_by(&self, other: &Self) -> f64 {
        self.shift.distance(other.shift) + self.bend + other.bend
    }
}

/// Computes all cores: updates existing ones and appends new ones.
pub(super) fn find(cores: &mut Vec<Core>, surfaces: &Surfaces, motion: &ParticleMotion) {
    for (core, skin) in cores.iter_mut().zip(&surfaces.list) {
        core.go_on(skin, surfaces, motion);
    }
    let rest = surfaces.list.iter().skip(cores.len());
    cores.extend(rest.map(|skin| Core::of(skin, surfaces, motion)));
}
