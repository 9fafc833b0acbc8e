//! Sums over everything in a frame that is measured.

use glam::DVec3;

use super::recording::Measures;

/// What measures are made of that cannot be added up as they are.
#[derive(Default)]
pub(super) struct Sums {
    /// Squares of the distances of points that should coincide, m², and their number.
    squares: f64,
    count: f64,
    /// The greatest of them, metres.
    gap: f64,
    /// Angular momentum about the origin, kg m²/s.
    moment: DVec3,
    /// Kilograms, and their places times them.
    mass: f64,
    weighted: DVec3,
}

impl Sums {
    /// Adds a joint by the square of its gap, m².
    pub fn gap(&mut self, square: f64) {
        (self.squares, self.count) = (self.squares + square, self.count + 1.0);
        self.gap = self.gap.max(libm::sqrt(square));
    }

    /// Adds a body of `mass` at `center` that has angular momentum `own` about it.
    pub fn body(&mut self, mass: f64, center: DVec3, velocity: DVec3, own: DVec3) {
        self.moment += center.cross(velocity) * mass + own;
        self.place(mass, center);
    }

    /// Adds a mass whose angular momentum is added otherwise.
    pub fn place(&mut self, mass: f64, center: DVec3) {
        self.weighted += center * mass;
        self.mass += mass;
    }

    /// Adds angular momentum about the origin, kg m²/s.
    pub fn moment(&mut self, moment: DVec3) {
        self.moment += moment;
    }

    /// Writes gaps, and angular momentum about the common center of mass, of what has the momentum that is measured.
    pub fn tell(&self, measures: &mut Measures) {
        let center = self.weighted / self.mass.max(f64::MIN_POSITIVE);
        measures.angular_momentum = self.moment - center.cross(measures.momentum);
        measures.worst_gap = measures.worst_gap.max(self.gap);
        measures.rms_gap = libm::sqrt(self.squares / f64::max(self.count, 1.0));
    }
}
