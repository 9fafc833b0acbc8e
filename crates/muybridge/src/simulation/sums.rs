//! Running sums of the measures of one frame.

use glam::DVec3;

use super::recording::Measures;

/// Running sums from which the gaps, angular momentum and center of mass of a frame are computed.
#[derive(Default)]
pub(super) struct Sums {
    /// Sum of the squared joint gaps, m², and their number.
    squares: f64,
    count: f64,
    /// Greatest joint gap, meters.
    gap: f64,
    /// Angular momentum about the origin, kg m²/s.
    moment: DVec3,
    /// Total mass, kg, and sum of mass times position, kg m.
    mass: f64,
    weighted: DVec3,
}

impl Sums {
    /// Adds a joint whose squared gap is `square`, m².
    pub fn gap(&mut self, square: f64) {
        (self.squares, self.count) = (self.squares + square, self.count + 1.0);
        self.gap = self.gap.max(libm::sqrt(square));
    }

    /// Adds a body of `mass` at `center` with angular momentum `own` about its own center.
    pub fn body(&mut self, mass: f64, center: DVec3, velocity: DVec3, own: DVec3) {
        self.moment += center.cross(velocity) * mass + own;
        self.place(mass, center);
    }

    /// Adds a mass to the common center of mass only; its angular momentum is added with [`Self::moment`].
    pub fn place(&mut self, mass: f64, center: DVec3) {
        self.weighted += center * mass;
        self.mass += mass;
    }

    /// Adds angular momentum about the origin, kg m²/s.
    pub fn moment(&mut self, moment: DVec3) {
        self.moment += moment;
    }

    /// Writes the joint gaps and the angular momentum about the common center of mass. `measures.momentum` must already
    /// be that of the summed masses.
    pub fn tell(&self, measures: &mut Measures) {
        let center = self.weighted / self.mass.max(f64::MIN_POSITIVE);
        measures.angular_momentum = self.moment - center.cross(measures.momentum);
        measures.mass = self.mass;
        measures.worst_gap = measures.worst_gap.max(self.gap);
        measures.rms_gap = libm::sqrt(self.squares / f64::max(self.count, 1.0));
    }
}
