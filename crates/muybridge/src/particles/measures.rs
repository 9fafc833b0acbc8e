//! Measures of a world: energy, momentum, stretch.
//!
//! ```text
//! at t − h:    v = (x_n − x_{n−2})/2h,   E = Σ ½ m v² − m g·x_{n−1} + Σ ½ C²/α         central: second order (J44)
//! at t − h/2:  v = (x_n − x_{n−1})/h,    P = Σ m v,   H = Σ m x_{n−1} × v              conserved to rounding
//! ```
//! Immovable particles do not count in energy and momentum.

use glam::DVec3;

use super::model::{Anchor, BallJoint, Distance, Tetrahedron};
use super::tetrahedron::EDGES;
use super::world::{Scratch, World};

/// Statistics of the last step, all substeps together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Number of substeps.
    pub substeps: u32,
    /// Passes over the constraints.
    pub passes: u32,
    /// Pairs of colliders, or of a collider and an obstacle, that were looked at for contacts.
    pub pairs: u64,
    /// Contact points.
    pub contacts: u64,
    /// Corrections of single constraints, without contacts.
    pub corrections: u64,
    /// Corrections of single contacts.
    pub contact_corrections: u64,
    /// Number of island recoveries. An island is restored if the passes could not keep its rigid bodies together. If
    /// this is not 0, more substeps are needed.
    pub put_back: u32,
    /// Number of awake particles that were stepped in lanes of f32.
    pub in_lanes: u64,
}

impl World {
    /// Velocity of a particle half a substep ago, meters per second; zero for a missing particle or before the first
    /// substep.
    pub fn velocity(&self, particle: usize) -> DVec3 {
        let state = &self.state;
        match (state.positions.get(particle), state.previous.get(particle)) {
            (Some(now), Some(before)) if state.last_substep > 0.0 => (*now - *before) / state.last_substep,
            _ => DVec3::ZERO,
        }
    }

    /// Velocity of a particle one substep ago, to second order, meters per second; zero for a missing particle or
    /// before the first substep.
    pub fn central_velocity(&self, particle: usize) -> DVec3 {
        let state = &self.state;
        match (state.positions.get(particle), state.earlier.get(particle)) {
            (Some(now), Some(before)) if state.span > 0.0 => (*now - *before) / state.span,
            _ => DVec3::ZERO,
        }
    }

    /// Kinetic, gravitational and elastic energy one substep ago, joules.
    pub fn energy(&self) -> f64 {
        let gravity = self.settings.acceleration();
        let falling = self.movable().map(|(particle, mass)| {
            let velocity = self.central_velocity(particle);
            mass * (0.5 * velocity.length_squared() - gravity.dot(self.state.previous[particle]))
        });
        let soft = self.model.distances.iter().filter(|distance| distance.compliance > 0.0);
        let elastic = soft.map(|distance| {
            let error = distance.error(&self.state.previous);
            0.5 * error * error / distance.compliance
        });
        falling.sum::<f64>() + elastic.sum::<f64>()
    }

    /// Momentum half a substep ago, kg m/s.
    pub fn momentum(&self) -> DVec3 {
        self.movable().map(|(particle, mass)| self.velocity(particle) * mass).sum()
    }

    /// Angular momentum about the origin half a substep ago, kg m²/s.
    pub fn angular_momentum(&self) -> DVec3 {
        self.movable().map(|(particle, mass)| self.state.previous[particle].cross(self.velocity(particle)) * mass).sum()
    }

    /// Current center of mass of the movable particles, meters; zero if there are none.
    pub fn center_of_mass(&self) -> DVec3 {
        let mass: f64 = self.movable().map(|(_, mass)| mass).sum();
        let sum: DVec3 = self.movable().map(|(particle, mass)| self.state.positions[particle] * mass).sum();
        if mass > 0.0 { sum / mass } else { DVec3::ZERO }
    }

    /// Greatest relative length error of a distance without compliance; 0 if there is none.
    pub fn worst_stretch(&self) -> f64 {
        let rigid = self.model.distances.iter().filter(|distance| distance.compliance == 0.0);
        rigid.map(|distance| distance.relative_error(&self.state.positions)).fold(0.0, f64::max)
    }

    /// Greatest gap of an attachment without compliance, meters; 0 if there is none.
    pub fn worst_gap(&self) -> f64 {
        let rigid = self.model.attachments.iter().filter(|attachment| attachment.compliance == 0.0);
        rigid.map(|attachment| attachment.gap(&self.state.positions).length()).fold(0.0, f64::max)
    }

    /// Greatest relative length error of a tetrahedron edge; 0 if there is none.
    pub fn worst_deformation(&self) -> f64 {
        self.model.tetrahedra.iter().map(|body| body.deformation(&self.state.positions)).fold(0.0, f64::max)
    }

    /// Statistics of the last step.
    pub fn report(&self) -> Report {
        self.scratch.report
    }

    /// Depth of the deepest overlap at the start of the last substep, meters.
    pub fn worst_penetration(&self) -> f64 {
        self.overlaps().map(|(_, depth)| depth).fold(0.0, f64::max)
    }

    /// Overlaps at the start of the last substep, meters, each with a particle of one side.
    pub(crate) fn overlaps(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let Scratch { contacts, ragdolls, sheets, .. } = &self.scratch;
        contacts.overlaps().chain(ragdolls.overlaps()).chain(sheets.overlaps())
    }

    /// Contact points of the last substep, meters, and the unit normals there, towards the collider.
    pub fn touches(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        let (positions, Scratch { contacts, ragdolls, sheets, .. }) = (&self.state.positions, &self.scratch);
        contacts.places(positions).chain(ragdolls.touches()).chain(sheets.touches(&self.obstacles, positions))
    }

    /// Number of constraints solved since the world was created; it stays constant while everything sleeps (R17).
    pub fn constraints_solved(&self) -> u64 {
        self.scratch.work
    }

    fn movable(&self) -> impl Iterator<Item = (usize, f64)> {
        let finite = |(_, mass): &(usize, f64)| mass.is_finite();
        self.model.masses.iter().copied().enumerate().skip(self.model.proxy_particles()).filter(finite)
    }
}

impl Distance {
    /// A distance constraint of fixed length, meters.
    pub fn rigid(particles: [usize; 2], length: f64) -> Self {
        Self { particles, least: length, most: length, compliance: 0.0, damping: 0.0, share: 1.0 }
    }

    /// Length error, meters: positive if too long, negative if too short, 0 inside the range.
    pub fn error(&self, positions: &[DVec3]) -> f64 {
        let length = (positions[self.particles[1]] - positions[self.particles[0]]).length();
        if length > self.most {
            length - self.most
        } else if length < self.least {
            length - self.least
        } else {
            0.0
        }
    }

    /// Length error relative to the greatest length, or to the least if the greatest is infinite.
    pub fn relative_error(&self, positions: &[DVec3]) -> f64 {
        let (error, reference) = (self.error(positions).abs(), self.reference());
        if reference > 0.0 { error / reference } else { error }
    }

    /// Whether the distance has one length instead of a range.
    pub fn is_bilateral(&self) -> bool {
        self.least == self.most
    }

    /// Reference length for relative errors: the greatest, or the least if that is infinite.
    pub(crate) fn reference(&self) -> f64 {
        if self.most.is_finite() { self.most } else { self.least }
    }
}

impl Tetrahedron {
    /// Greatest relative length error of an edge.
    pub(crate) fn deformation(&self, positions: &[DVec3]) -> f64 {
        let error = |[a, b]: [usize; 2]| {
            let now = positions[self.particles[a]].distance(positions[self.particles[b]]);
            (now / self.rest[a].distance(self.rest[b]) - 1.0).abs()
        };
        EDGES.map(error).into_iter().fold(0.0, f64::max)
    }
}

impl BallJoint {
    /// Vector from the target of `a` to `a`, meters.
    pub fn gap(&self, positions: &[DVec3]) -> DVec3 {
        let place = match &self.b {
            Anchor::Point(point) => point.position(positions),
            Anchor::Place(place) => *place,
        };
        self.a.position(positions) - place
    }
}
