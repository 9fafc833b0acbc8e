//! Where the cores of surfaces are in a substep, and balls around them: each found once, however many pairs ask.

use glam::DVec3;

use super::ParticleMotion;
use super::surfaces::{Skin, Surfaces};
use crate::collision::simplex::Simplex;

/// The core of a surface in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    /// As predicted.
    pub now: Simplex,
    /// At the start of the substep.
    pub before: Simplex,
    /// How far the corner goes that goes farthest, metres.
    pub moved: f64,
    /// Whether all of it are numbers.
    pub is_sound: bool,
    /// How far its center has come since the substep before, metres.
    shift: DVec3,
    /// How far a corner has come at most beside that, metres.
    bend: f64,
    /// Of a ball around `now`.
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

    /// Goes on to where it is in the next substep.
    fn go_on(&mut self, now: Simplex, before: Simplex) {
        let last = core::mem::replace(self, Self::new(now, before));
        self.shift = self.center - last.center;
        let beside = |i: usize| self.now.corners[i] - last.now.corners[i] - self.shift;
        self.bend = (0..3).fold(0.0_f64, |most, i| most.max(beside(i).length_squared())).sqrt();
    }

    /// No more than the distance of both as predicted, metres.
    pub fn at_least_apart(&self, other: &Self) -> f64 {
        self.center.distance(other.center) - self.radius - other.radius
    }

    /// How much nearer to each other both can have come since the substep before, metres.
    pub fn closer_by(&self, other: &Self) -> f64 {
        self.shift.distance(other.shift) + self.bend + other.bend
    }
}

/// Finds them all: those of the substep before go on.
pub(super) fn find(cores: &mut Vec<Core>, surfaces: &Surfaces, motion: &ParticleMotion) {
    let places = |skin: &Skin| (skin.simplex(motion.positions), skin.simplex(motion.previous));
    for (core, (now, before)) in cores.iter_mut().zip(surfaces.list.iter().map(places)) {
        core.go_on(now, before);
    }
    let rest = surfaces.list.iter().skip(cores.len()).map(places);
    cores.extend(rest.map(|(now, before)| Core::new(now, before)));
}
