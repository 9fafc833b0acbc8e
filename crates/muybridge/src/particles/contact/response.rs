//! Response to a push at a contact point: by the weights of the point's particles, or together as a rigid body.
//!
//! ```text
//! particles    P = Σ c_i x_i      x_i += w_i c_i J                         n·ΔP = (Σ w_i c_i²) n·J           (3.11.1)
//! rigid body   x_i += J/m + (I⁻¹ (r × J)) × (x_i − c),   r = P − c         n·ΔP = (1/m + (r × n)·I⁻¹(r × n)) n·J
//! beyond a radian   x_i = c + J/m + exp(I⁻¹ (r × J)) (x_i − c)
//! ```
//! The arm of a rigid body reaches to its skin: friction there rotates the body, and rolling causes no friction. Along
//! the normal this equals the arm at the core, because the skin point lies on the normal. The arm of a body with
//! joints ends at its core on an obstacle, and on another limb at the core of one of them.
//!
//! The rigid response is the particle response after the six edges are restored, and needs no pass over them. The
//! particles of an equimomental tetrahedron give mass, center and inertia exactly (2.4). Both keep linear and angular
//! momentum.
//! Specification: mathematics 3.11 (J19–J21), 4.9 (R24).

use glam::{DMat3, DQuat, DVec3};

use super::ParticleMotion;
use super::room::make_room;
use super::surfaces::{Skin, Surfaces};
use crate::math::rotation::exp;
use crate::particles::point::Point;

/// A contact point as a weighted sum of particles, each particle at most once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lever {
    particles: [u32; 12],
    weights: [f64; 12],
    count: usize,
}

impl Lever {
    /// The point with barycentric `shares` of the corners.
    pub fn new(corners: &[Point], shares: &[f64]) -> Self {
        let mut lever = Self::NOTHING;
        for (point, &share) in corners.iter().zip(shares) {
            for (&particle, weight) in point.particles.iter().zip(point.weights) {
                lever.add(particle as u32, share * weight);
            }
        }
        lever
    }

    const NOTHING: Self = Self { particles: [0; 12], weights: [0.0; 12], count: 0 };

    fn add(&mut self, particle: u32, weight: f64) {
        if weight == 0.0 {
            return;
        }
        if let Some(at) = self.particles[..self.count].iter().position(|&other| other == particle) {
            self.weights[at] += weight;
        } else {
            (self.particles[self.count], self.weights[self.count]) = (particle, weight);
            self.count += 1;
        }
    }

    fn parts(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.count).map(|i| (self.particles[i] as usize, self.weights[i]))
    }

    /// Whether two levers have weights that differ by less than a tenth for every particle.
    pub fn is_near(&self, other: &Self) -> bool {
        let weight = |lever: &Self, particle: u32| {
            let at = lever.particles[..lever.count].iter().position(|&it| it == particle);
            at.map_or(0.0, |at| lever.weights[at])
        };
        let both = self.particles[..self.count].iter().chain(&other.particles[..other.count]);
        both.into_iter().all(|&particle| (weight(self, particle) - weight(other, particle)).abs() < 0.1)
    }

    /// Position of the point, meters.
    pub fn position(&self, positions: &[DVec3]) -> DVec3 {
        self.parts().fold(DVec3::ZERO, |sum, (particle, weight)| sum + positions[particle] * weight)
    }

    /// `Σ w c²`: displacement of the point per unit of push, 1/kg.
    pub fn mobility(&self, inverse_masses: &[f64]) -> f64 {
        self.parts().map(|(particle, weight)| inverse_masses[particle] * weight * weight).sum()
    }

    /// Pushes with `change / mobility`. With its own mobility the point moves by `change` (J19, J20). Each particle's
    /// share is computed first, so that a single particle lands exactly at its target.
    pub fn push(&self, change: DVec3, mobility: f64, inverse_masses: &[f64], moved: &mut [DVec3]) {
        for (particle, weight) in self.parts() {
            moved[particle] += change * (inverse_masses[particle] * weight / mobility);
        }
    }
}

/// One side of a contact: its lever and the rigid body that responds, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactSide {
    pub lever: Lever,
    /// Vector from the lever to the touching skin, meters; from [`Self::meeting`] on, to the point that is pushed.
    skin: DVec3,
    /// Vector from the center of mass to the point that is pushed, meters, if it is the same throughout the substep.
    arm: Option<DVec3>,
    /// Index into [`Bodies`]; `None` if the particles respond individually.
    body: Option<u32>,
    /// Whether it is a rigid body without joints.
    is_free: bool,
    /// Whether single particles respond.
    is_loose: bool,
}

impl ContactSide {
    /// Vector from the center of mass to the skin, meters.
    fn arm(&self, positions: &[DVec3], body: &TetrahedronInertia) -> DVec3 {
        self.arm.unwrap_or_else(|| self.lever.position(positions) + self.skin - body.center(positions))
    }

    /// The side of an obstacle: immovable.
    pub const NOTHING: Self =
        Self { lever: Lever::NOTHING, skin: DVec3::ZERO, arm: None, body: None, is_free: false, is_loose: false };

    pub fn is_free(&self) -> bool {
        self.is_free
    }

    /// The two sides of a contact, pushed at one point, so that their spin about each other is kept: between the skins
    /// of bodies, at the particles of what has none. On an obstacle, only a body without joints is pushed at its skin; two limbs
    /// are pushed at the core of the first: pushed at their skins, a ragdoll does not come to rest.
    pub fn meeting(mut sides: [Self; 2], is_obstacle: bool) -> [Self; 2] {
        let [a, b] = sides.map(|side| side.skin);
        match sides.map(|side| side.is_loose) {
            _ if is_obstacle && !sides[0].is_free => sides[0].skin = DVec3::ZERO,
            [false, false] if sides.iter().all(|side| !side.is_free) => {
                (sides[0].skin, sides[1].skin) = (DVec3::ZERO, b - a);
            }
            [false, true] => sides[0].skin = a - b,
            [true, false] => sides[1].skin = b - a,
            _ => {}
        }
        sides
    }

    pub fn is_loose(&self) -> bool {
        self.is_loose
    }

    fn most_tangent(&self) -> f64 {
        if self.is_free { MOST_TANGENT_FREE } else { MOST_TANGENT }
    }

    /// Its index among the bodies.
    pub fn body(&self) -> Option<usize> {
        self.body.map(|body| body as usize)
    }
}

/// Mass properties of the rigid bodies in contact in this substep, and inverse masses of all particles.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    list: Vec<TetrahedronInertia>,
    /// Index into `list` for each body of the model; [`ABSENT`] if it has none.
    places: Vec<u32>,
    inverse_masses: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::particles) struct TetrahedronInertia {
    particles: [usize; 4],
    /// Share of each particle in the mass.
    shares: [f64; 4],
    inverse_mass: f64,
    inverse_inertia: DMat3,
    /// Impulse and moment about the center of gathered pushes, times the substep, kg m and kg m².
    gathered: [DVec3; 2],
    /// Greatest linearized rotation of them, radians.
    most_tangent: f64,
}

const ABSENT: u32 = u32::MAX;

/// Greatest linearized rotation of a push, radians. A larger push rotates exactly, because the tangent would stretch the body more
/// with every push.
const MOST_TANGENT: f64 = 1.0;

/// The same of a body without joints: what straightens it would take energy from its bounces.
const MOST_TANGENT_FREE: f64 = 1e-3;

impl Bodies {
    /// Reserves memory for all bodies and particles.
    pub fn reserve(&mut self, surfaces: &Surfaces, particles: usize) {
        make_room(&mut self.list, surfaces.bodies.len());
        make_room(&mut self.places, surfaces.bodies.len());
        make_room(&mut self.inverse_masses, particles);
    }

    /// Clears the bodies of the last substep and stores the inverse masses.
    pub fn start(&mut self, surfaces: &Surfaces, inverse_masses: &[f64]) {
        self.list.clear();
        self.places.clear();
        self.places.resize(surfaces.bodies.len(), ABSENT);
        self.inverse_masses.clear();
        self.inverse_masses.extend_from_slice(inverse_masses);
    }

    /// Side of a contact at the point of `skin` with `shares` of its corners. `inward` points from the contact point to
    /// the core (meters).
    pub fn side(
        &mut self,
        (skin, shares, inward): (&Skin, [f64; 3], DVec3),
        surfaces: &Surfaces,
        motion: &ParticleMotion,
    ) -> ContactSide {
        self.side_of((skin, &shares, -inward), surfaces, motion)
    }

    /// Side of a contact at a point of a solid: a point in the world where particles are at `positions` (meters).
    /// `to_skin` points from there to the touching skin (meters).
    pub fn side_of_solid(
        &mut self,
        (skin, point, to_skin): (&Skin, DVec3, DVec3),
        positions: &[DVec3],
        surfaces: &Surfaces,
        motion: &ParticleMotion,
    ) -> ContactSide {
        self.side_of((skin, &skin.shares(point, positions), to_skin), surfaces, motion)
    }

    fn side_of(
        &mut self,
        (skin, shares, to_skin): (&Skin, &[f64], DVec3),
        surfaces: &Surfaces,
        motion: &ParticleMotion,
    ) -> ContactSide {
        let lever = Lever::new(&skin.points[..skin.count], shares);
        let body = skin.body.and_then(|body| {
            if self.places[body] == ABSENT {
                let built = TetrahedronInertia::new(surfaces.bodies[body], motion)?;
                self.places[body] = self.list.len() as u32;
                self.list.push(built);
            }
            Some(self.places[body])
        });
        let is_free = skin.rolls && body.is_some();
        let is_loose = body.is_none() && lever.mobility(&self.inverse_masses) > 0.0;
        ContactSide { lever, skin: to_skin, arm: None, body, is_free, is_loose }
    }

    /// Lets two free bodies be pushed at one point as they are at the start: pushed where they are at the end, what slides would
    /// gain angular momentum.
    pub fn hold_arms(&self, sides: &mut [ContactSide; 2], previous: &[DVec3]) {
        let [Some(a), Some(b)] = sides.each_ref().map(|side| self.body(side).filter(|_| side.is_free)) else { return };
        let [on_a, on_b] = sides.each_ref().map(|side| side.lever.position(previous) + side.skin);
        for (side, body) in sides.iter_mut().zip([a, b]) {
            side.arm = Some(0.5 * (on_a + on_b) - body.center(previous));
        }
    }

    /// Displacement of the point along `direction` per unit of push along it, 1/kg.
    pub fn mobility(&self, side: &ContactSide, direction: DVec3, positions: &[DVec3]) -> f64 {
        match self.body(side) {
            Some(body) => {
                let arm = side.arm(positions, body);
                let turn = arm.cross(direction);
                body.inverse_mass * direction.length_squared() + turn.dot(body.inverse_inertia * turn)
            }
            None => side.lever.mobility(&self.inverse_masses),
        }
    }

    /// Moment of a unit push along `direction` at a side of a rigid body, and the turn that it gives.
    pub fn lever(&self, side: &ContactSide, direction: DVec3, positions: &[DVec3]) -> (DVec3, DVec3) {
        self.body(side).map_or((DVec3::ZERO, DVec3::ZERO), |body| {
            let moment = side.arm(positions, body).cross(direction);
            (moment, body.inverse_inertia * moment)
        })
    }

    /// Whether a rigid body responds at a side, or nothing does.
    pub fn is_rigid(&self, side: &ContactSide) -> bool {
        side.body.is_some() || self.is_nothing(side)
    }

    /// Whether nothing moves at a side.
    pub fn is_nothing(&self, side: &ContactSide) -> bool {
        side.body.is_none() && side.lever.mobility(&self.inverse_masses) == 0.0
    }

    /// Whether a particle is immovable.
    pub fn is_immovable(&self, particle: usize) -> bool {
        self.inverse_masses[particle] == 0.0
    }

    /// Kinetic and potential energy of the body of a side where it is `here`, and `there` a substep before or after, times the
    /// square of the substep, kg m²; 0 without one. `fall` is the acceleration of gravity times that square, meters.
    pub fn energy(&self, side: &ContactSide, [here, there]: [&[DVec3]; 2], fall: DVec3) -> f64 {
        self.body(side).map_or(0.0, |body| {
            let moved = body.particles.map(|particle| here[particle] - there[particle] + 0.5 * fall);
            body.kinetic(here, [&moved; 2]) + body.potential(here, fall)
        })
    }

    /// Inverse mass of the rigid body of a side; 0 without one.
    pub fn inverse_mass(&self, side: &ContactSide) -> f64 {
        self.body(side).map_or(0.0, |body| body.inverse_mass)
    }

    /// Moves and turns the rigid body of a side, meters and radians.
    pub fn displace(&self, side: &ContactSide, shift: DVec3, turn: DVec3, moved: &mut [DVec3]) {
        if let Some(body) = self.body(side) {
            body.displace_within(side.most_tangent(), (shift, turn), moved);
        }
    }

    /// Particles of the bodies of two sides, with their positions.
    pub fn places_of(&self, sides: [&ContactSide; 2], positions: &[DVec3]) -> [(usize, DVec3); 8] {
        let bodies = sides.map(|side| self.body(side));
        // A side without a body repeats the other's.
        let particles = |body: Option<&TetrahedronInertia>| body.map(|body| body.particles);
        let first = particles(bodies[0]).or(particles(bodies[1])).unwrap_or_default();
        let second = particles(bodies[1]).unwrap_or(first);
        core::array::from_fn(|i| {
            let particle = if i < 4 { first[i] } else { second[i - 4] };
            (particle, positions[particle])
        })
    }

    /// Pushes a side with `change / mobility`. The push changes `moved`, and the arms are measured there.
    pub fn push(&self, side: &ContactSide, change: DVec3, mobility: f64, moved: &mut [DVec3]) {
        self.push_all(side, change, mobility, [moved]);
    }

    /// Pushes a side in several lists alike, so that its motion from one to another is kept but for its turn. The arm is measured
    /// in the first.
    pub fn push_all<const N: usize>(&self, side: &ContactSide, change: DVec3, mobility: f64, lists: [&mut [DVec3]; N]) {
        match self.body(side) {
            Some(body) => {
                let push = change / mobility;
                let turn = body.inverse_inertia * side.arm(lists[0], body).cross(push);
                for moved in lists {
                    body.displace_within(side.most_tangent(), (push * body.inverse_mass, turn), moved);
                }
            }
            None => {
                lists.into_iter().for_each(|moved| side.lever.push(change, mobility, &self.inverse_masses, moved));
            }
        }
    }

    /// Gathers a push and a moment on the body of a side; what is no body is pushed at once.
    pub fn gather(&mut self, side: &ContactSide, (push, moment): (DVec3, DVec3), positions: &mut [DVec3]) {
        match side.body {
            Some(place) => {
                let body = &mut self.list[place as usize];
                let arm = side.arm(positions, body);
                body.gathered[0] += push;
                body.gathered[1] += arm.cross(push) + moment;
                body.most_tangent = side.most_tangent();
            }
            None => side.lever.push(push, 1.0, &self.inverse_masses, positions),
        }
    }

    /// Pushes each body once with what was gathered: one after the other, pushes at its corners would turn it about their common
    /// normal, as rotations do not commute.
    pub fn push_gathered(&self, positions: &mut [DVec3]) {
        for body in self.list.iter().filter(|body| body.gathered != [DVec3::ZERO; 2]) {
            let [shift, turn] = body.velocities(body.gathered);
            body.displace_within(body.most_tangent, (shift, turn), positions);
        }
    }

    /// Displacement of the skin relative to the lever as the body rotates from `previous` to `positions`, meters.
    pub fn rolled(&self, side: &ContactSide, positions: &[DVec3], previous: &[DVec3]) -> DVec3 {
        match self.body(side) {
            Some(body) => body.turned(positions, previous).cross(side.skin),
            None => DVec3::ZERO,
        }
    }

    /// Rotation of a body from `previous` to `positions` (radians), and its rotation about that axis per unit of
    /// moment, 1/(kg m²). `None` without a body or without rotation.
    pub fn turned(&self, side: &ContactSide, positions: &[DVec3], previous: &[DVec3]) -> Option<(DVec3, f64)> {
        let body = self.body(side)?;
        let turned = body.turned(positions, previous);
        let axis = turned.try_normalize()?;
        Some((turned, axis.dot(body.inverse_inertia * axis)))
    }

    /// Rotates a body by a moment.
    pub fn twist(&self, side: &ContactSide, moment: DVec3, moved: &mut [DVec3]) {
        if let Some(body) = self.body(side) {
            let turn = body.inverse_inertia * moment;
            body.displace_within(side.most_tangent(), (DVec3::ZERO, turn), moved);
        }
    }

    /// The bodies in contact.
    pub fn all(&self) -> impl Iterator<Item = &TetrahedronInertia> {
        self.list.iter()
    }

    fn body(&self, side: &ContactSide) -> Option<&TetrahedronInertia> {
        side.body.map(|place| &self.list[place as usize])
    }
}

impl TetrahedronInertia {
    /// Mass properties of four particles. `None` if a particle is immovable or the four are collinear.
    fn new(particles: [usize; 4], motion: &ParticleMotion) -> Option<Self> {
        let masses = particles.map(|particle| 1.0 / motion.inverse_masses[particle]);
        let mass: f64 = masses.iter().sum();
        let mut body = Self {
            particles,
            shares: masses.map(|m| m / mass),
            inverse_mass: 1.0 / mass,
            inverse_inertia: DMat3::ZERO,
            gathered: [DVec3::ZERO; 2],
            most_tangent: MOST_TANGENT,
        };
        if !mass.is_finite() {
            return None;
        }
        body.inverse_inertia = body.inverse_inertia_at(motion.positions);
        body.inverse_inertia.is_finite().then_some(body)
    }

    fn inverse_inertia_at(&self, positions: &[DVec3]) -> DMat3 {
        let center = self.center(positions);
        let mut inertia = DMat3::ZERO;
        for (particle, mass) in self.particles.into_iter().zip(self.masses()) {
            let arm = positions[particle] - center;
            let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass;
        }
        inertia.inverse()
    }

    /// `½ (P₁·P₂/m + L₁·I⁻¹ L₂)` of two displacements of the particles from `positions`, kg m². Of one twice this is the kinetic
    /// energy that it has once its edges allow no other motion than that of a rigid body.
    pub(super) fn kinetic(&self, positions: &[DVec3], moved: [&[DVec3; 4]; 2]) -> f64 {
        let center = self.center(positions);
        let momenta = moved.map(|moved| {
            let mut momenta = [DVec3::ZERO; 2];
            for ((particle, mass), moved) in self.particles.into_iter().zip(self.masses()).zip(moved) {
                momenta[0] += *moved * mass;
                momenta[1] += (positions[particle] - center).cross(*moved) * mass;
            }
            momenta
        });
        let turned = self.inverse_inertia_at(positions) * momenta[1][1];
        0.5 * (momenta[0][0].dot(momenta[1][0]) * self.inverse_mass + momenta[0][1].dot(turned))
    }

    pub(super) fn particles(&self) -> [usize; 4] {
        self.particles
    }

    /// Potential energy times the square of the substep, kg m².
    pub(super) fn potential(&self, positions: &[DVec3], fall: DVec3) -> f64 {
        -fall.dot(self.center(positions)) / self.inverse_mass
    }

    /// Masses of the particles, kg.
    fn masses(&self) -> [f64; 4] {
        self.shares.map(|share| share / self.inverse_mass)
    }

    /// [`Self::new`] at some positions.
    pub(in crate::particles) fn of(particles: [usize; 4], positions: &[DVec3], inverse_masses: &[f64]) -> Option<Self> {
        Self::new(particles, &ParticleMotion { positions, previous: positions, inverse_masses })
    }

    /// Velocity (m/s) and angular velocity (rad/s) that an impulse and a moment about the center give.
    pub(in crate::particles) fn velocities(&self, [impulse, moment]: [DVec3; 2]) -> [DVec3; 2] {
        [impulse * self.inverse_mass, self.inverse_inertia * moment]
    }

    /// `I⁻¹ Σ m r_before × r`: rotation from `previous` to `positions`, radians, to third order.
    pub(in crate::particles) fn turned(&self, positions: &[DVec3], previous: &[DVec3]) -> DVec3 {
        self.inverse_inertia * self.spin(positions, previous)
    }

    /// `Σ m r_before × r`: angular momentum from `previous` to `positions` times the time between, kg m².
    pub(super) fn spin(&self, positions: &[DVec3], previous: &[DVec3]) -> DVec3 {
        let (now, before) = (self.center(positions), self.center(previous));
        let part = |i: usize| {
            let particle = self.particles[i];
            (previous[particle] - before).cross(positions[particle] - now) * self.shares[i]
        };
        (part(0) + part(1) + part(2) + part(3)) / self.inverse_mass
    }

    pub(super) fn inverse_mass(&self) -> f64 {
        self.inverse_mass
    }

    pub(super) fn inverse_inertia(&self) -> DMat3 {
        self.inverse_inertia
    }

    /// Moves the particles by `shift` (meters) and turns them about their center.
    pub(super) fn place(&self, moved: &mut [DVec3], shift: DVec3, turned: DQuat) {
        let center = self.center(moved);
        for particle in self.particles {
            moved[particle] = center + shift + turned * (moved[particle] - center);
        }
    }

    /// Moves the particles by `shift` (meters) and rotates them about their center by `turn` (radians).
    pub(in crate::particles) fn displace(&self, shift: DVec3, turn: DVec3, moved: &mut [DVec3]) {
        self.displace_within(MOST_TANGENT, (shift, turn), moved);
    }

    /// The same, exactly for a turn above `most_tangent`.
    fn displace_within(&self, most_tangent: f64, (shift, turn): (DVec3, DVec3), moved: &mut [DVec3]) {
        let center = self.center(moved);
        if turn.length_squared() > most_tangent * most_tangent {
            return self.place(moved, shift, exp(turn));
        }
        for particle in self.particles {
            moved[particle] += shift + turn.cross(moved[particle] - center);
        }
    }

    pub(in crate::particles) fn center(&self, positions: &[DVec3]) -> DVec3 {
        let at = |i: usize| positions[self.particles[i]] * self.shares[i];
        at(0) + at(1) + at(2) + at(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_that_turns_a_body_over_and_over_keeps_its_shape() {
        let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let motion = ParticleMotion { positions: &places, previous: &places, inverse_masses: &[1.0; 4] };
        let body = TetrahedronInertia::new([0, 1, 2, 3], &motion).expect("a body");
        let bodies = Bodies { list: vec![body], places: vec![0], inverse_masses: vec![1.0; 4] };
        let lever = Lever::new(&[Point::at(1)], &[1.0]);
        let side = ContactSide { lever, skin: DVec3::ZERO, arm: None, body: Some(0), is_free: true, is_loose: false };
        // The tangent stretches by half the square of its angle.
        for (push, most) in [(0.01, 1e-4), (10.0, 1e-12), (1e6, 1e-9)] {
            let mut moved = places;
            bodies.push(&side, DVec3::Y * push, 1.0, &mut moved);
            let stretch = |[a, b]: [usize; 2]| moved[a].distance(moved[b]) / places[a].distance(places[b]) - 1.0;
            let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
            let worst = edges.map(stretch).into_iter().fold(0.0, |worst: f64, error| worst.max(error.abs()));
            assert!(worst <= most, "{push}: {worst}");
        }
    }
}
