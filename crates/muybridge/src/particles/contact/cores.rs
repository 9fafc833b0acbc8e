//! Where the cores of surfaces are in a substep, and balls around them: each found once, however many pairs ask.

use glam::DVec3;

use super::Motion;
use super::surfaces::Surfaces;
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
        Self { now, before, moved: now.greatest_move(&before), is_sound, center, radius }
    }

    /// No more than the distance of both as predicted, metres.
    pub fn at_least_apart(&self, other: &Self) -> f64 {
        self.center.distance(other.center) - self.radius - other.radius
    }
}

/// Finds them all anew.
pub(super) fn find(cores: &mut Vec<Core>, surfaces: &Surfaces, motion: &Motion) {
    cores.clear();
    let core = |skin: &super::surfaces::Skin| Core::new(skin.simplex(motion.positions), skin.simplex(motion.previous));
    cores.extend(surfaces.list.iter().map(core));
}
