//! Cores of colliders in a substep with their bounding spheres, computed once for all pairs.

use glam::DVec3;

use super::ParticleMotion;
use super::surfaces::{Skin, Surfaces};
use crate::collision::simplex::Simplex;

/// The core of a collider in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    /// Core at the predicted positions.
    pub now: Simplex,
    /// Core at the start of the substep.
    pub before: Simplex,
    /// Greatest displacement of a corner in the substep, meters.
    pub moved: f64,
    /// Whether all coordinates are finite.
    pub is_sound: bool,
    /// Displacement of the center since the previous substep, meters.
    shift: DVec3,
    /// Greatest displacement of a corner relative to the center since the previous substep, meters.
    bend: f64,
    /// Center of a bounding sphere of `now`, meters.
    center: DVec3,
    radius: f64,
}

impl Core {
    fn new(now: Simplex, before: Simplex) -> Self {
        let [a, b, c] = now.corners;
        let center = (a + b + c) / 3.0;
        let radius = now.corners.iter().fold(0.0_f64, |most, corner| most.max(corner.distance_squared(center))).sqrt();
        let is_sound = now.corners.iter().chain(&before.corners).all(|corner| corner.is_finite());
        let moved = now.greatest_move(&before);
        Self { now, before, moved, is_sound, shift: DVec3::ZERO, bend: 0.0, center, radius }
    }

    /// Updates the core for the next substep.
    fn go_on(&mut self, now: Simplex, before: Simplex) {
        let last = core::mem::replace(self, Self::new(now, before));
        self.shift = self.center - last.center;
        let beside = |i: usize| self.now.corners[i] - last.now.corners[i] - self.shift;
        self.bend = (0..3).fold(0.0_f64, |most, i| most.max(beside(i).length_squared())).sqrt();
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
    let places = |skin: &Skin| (skin.simplex(motion.positions), skin.simplex(motion.previous));
    for (core, (now, before)) in cores.iter_mut().zip(surfaces.list.iter().map(places)) {
        core.go_on(now, before);
    }
    let rest = surfaces.list.iter().skip(cores.len()).map(places);
    cores.extend(rest.map(|(now, before)| Core::new(now, before)));
}
