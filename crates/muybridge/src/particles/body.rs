//! A rigid body as four particles with its mass, center and inertia; the body frame is recovered from the particles.
//!
//! ```text
//! Σ = ½ tr(I) 1 − I,   Σ/m = L Lᵀ,  L = Q √Λ         eigenvectors and roots of eigenvalues
//! x_k = c + L v_k,     v = (1,1,1) (1,−1,−1) (−1,−1,1) (−1,1,−1),    particles of mass m/4
//! point p        c_k = ¼ (1 + v_k · L⁻¹ (p − c))                     since Σ v_k = 0, Σ v_k v_kᵀ = 4·1
//! axis d         c_k = ¼ v_k · L⁻¹ d
//! frame          R = argmax tr(Rᵀ A),   A = Σ m_k (x_k − c)(X_k − C)ᵀ
//!                R ← exp(ω) R,  ω = (tr K 1 − K)⁻¹ Σ r_i × a_i,  K = sym(A Rᵀ), r_i and a_i the columns of R and A
//! ```
//! Specification: mathematics 2.4 and 3.11 (J17, J22, J23). The rotation is extracted as in Müller, Bender, Chentanez
//! and Macklin (2016), *A Robust Method to Extract the Rotational Part of Deformations*, but with Newton's matrix in
//! place of their scalar, so that thin bodies need as few steps as round ones.

use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

use super::model::{Model, Tetrahedron};
use super::point::{Direction, Point};
use crate::collision::{MassProperties, tensor};
use crate::math::rotation::exp;

/// Error in the mass properties of a rigid body.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BodyError {
    /// The mass is not a positive number.
    #[error("the mass is {kilograms} kg; it must be a positive number")]
    Mass {
        /// The given mass, kilograms.
        kilograms: f64,
    },
    /// The center of mass or the inertia has a component that is not finite.
    #[error("the center of mass or the inertia has a number that is not finite")]
    NotFinite,
}

/// Four particles of equal mass with the mass properties of a rigid body, in the body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidBody {
    /// Mass of each of the four particles, kilograms.
    pub particle_mass: f64,
    /// Rest positions of the particles in the body frame, meters.
    pub rest: [DVec3; 4],
    /// Center of mass in the body frame, meters.
    pub center: DVec3,
    /// `L⁻¹`: maps an offset from the center of mass to the cube of side 2 whose corners are the particles.
    cube_from_body: DMat3,
}

/// Pose and velocity of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Origin of the body frame, meters.
    pub position: DVec3,
    /// Orientation of the body frame.
    pub rotation: DQuat,
    /// Velocity of the center of mass, meters per second.
    pub velocity: DVec3,
    /// Angular velocity, radians per second, world axes.
    pub angular_velocity: DVec3,
}

/// Alternate corners of a cube, ordered so that they span a positive volume.
const CORNERS: [DVec3; 4] =
    [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0), DVec3::new(-1.0, 1.0, -1.0)];

/// Least second moment about a plane through the center, as a fraction of the mean of the three. It applies to planar
/// bodies and to impossible tensors.
pub const LEAST_MOMENT: f64 = 1e-6;

/// Root of the second moments given to a body without inertia, meters.
const POINT_SIZE: f64 = 1e-3;

impl Placement {
    /// A body at rest with this position (meters) and rotation.
    pub fn at(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }
}

impl RigidBody {
    /// Creates the four particles of a body. Planar bodies and impossible tensors get the least thickness
    /// [`LEAST_MOMENT`]; a body without inertia gets a radius of gyration of 1 mm per axis.
    pub fn new(properties: &MassProperties) -> Result<Self, BodyError> {
        Self::with_least_moment(properties, LEAST_MOMENT)
    }

    /// Like [`Self::new`], with a chosen least second moment as a fraction of their mean. A larger value makes a flat
    /// body thicker and easier to solve in single precision.
    pub fn with_least_moment(properties: &MassProperties, least: f64) -> Result<Self, BodyError> {
        let &MassProperties { mass, center, inertia } = properties;
        if !(mass.is_finite() && mass > 0.0) {
            return Err(BodyError::Mass { kilograms: mass });
        }
        if !(center.is_finite() && inertia.is_finite()) {
            return Err(BodyError::NotFinite);
        }
        let (moments, axes) = tensor::principal(tensor::second_moments(inertia) * (1.0 / mass));
        let mean = moments.max(DVec3::ZERO).element_sum() / 3.0;
        let floor = if mean > 0.0 { least * mean } else { POINT_SIZE * POINT_SIZE };
        let reach = moments.max(DVec3::splat(floor)).map(libm::sqrt);
        let axes =
            if axes.determinant() < 0.0 { DMat3::from_cols(-axes.x_axis, axes.y_axis, axes.z_axis) } else { axes };
        let body_from_cube = axes * DMat3::from_diagonal(reach);
        Ok(Self {
            particle_mass: 0.25 * mass,
            rest: CORNERS.map(|corner| center + body_from_cube * corner),
            center,
            cube_from_body: DMat3::from_diagonal(reach.recip()) * axes.transpose(),
        })
    }

    /// Weights of a point of the body (meters, body frame); they sum to 1.
    pub fn weights_of_point(&self, in_body: DVec3) -> [f64; 4] {
        let at = self.cube_from_body * (in_body - self.center);
        CORNERS.map(|corner| 0.25 * (1.0 + corner.dot(at)))
    }

    /// Weights of an axis of the body (body frame); they sum to 0.
    pub fn weights_of_direction(&self, in_body: DVec3) -> [f64; 4] {
        let along = self.cube_from_body * in_body;
        CORNERS.map(|corner| 0.25 * corner.dot(along))
    }

    /// Point of the body at `in_body` (meters, body frame); its particles begin at `first`.
    pub fn point(&self, first: usize, in_body: DVec3) -> Point {
        Point { particles: four(first), weights: self.weights_of_point(in_body) }
    }

    /// Frame of the body for a solid: its origin and the ends of its unit axes; its particles begin at `first`.
    pub fn frame_points(&self, first: usize) -> [Point; 4] {
        [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|point| self.point(first, point))
    }

    /// Axis of the body along `in_body` (body frame); its particles begin at `first`.
    pub fn direction(&self, first: usize, in_body: DVec3) -> Direction {
        Direction { particles: four(first), weights: self.weights_of_direction(in_body) }
    }

    /// Tetrahedron constraint that keeps the four particles from `first` on rigid.
    pub fn tetrahedron(&self, first: usize) -> Tetrahedron {
        Tetrahedron { particles: four(first), rest: self.rest }
    }

    /// Positions (meters) and velocities (meters per second) of the particles of a placed body.
    pub fn placed(&self, placement: &Placement) -> ([DVec3; 4], [DVec3; 4]) {
        let turn = |offset: DVec3| placement.rotation * offset;
        let velocity = |at: DVec3| placement.velocity + placement.angular_velocity.cross(turn(at - self.center));
        (self.rest.map(|at| placement.position + turn(at)), self.rest.map(velocity))
    }

    /// Adds particles and tetrahedron to a model; returns the index of the first particle.
    pub fn add_to(&self, model: &mut Model, placement: &Placement) -> usize {
        let first = model.positions.len();
        let (positions, velocities) = self.placed(placement);
        model.positions.extend(positions);
        model.velocities.extend(velocities);
        model.masses.extend([self.particle_mass; 4]);
        model.tetrahedra.push(self.tetrahedron(first));
        first
    }

    /// Position (meters) and orientation of the body frame for particles at `positions`; see [`frame`].
    pub fn frame(&self, positions: &[DVec3; 4]) -> (DVec3, DQuat) {
        frame(&self.rest, &[self.particle_mass; 4], positions)
    }
}

fn four(first: usize) -> [usize; 4] {
    [first, first + 1, first + 2, first + 3]
}

/// Weights of a point among the four corners of any tetrahedron (3.11); they sum to 1. `None` if the tetrahedron is
/// flat.
pub fn weights_in(corners: &[DVec3; 4], point: DVec3) -> Option<[f64; 4]> {
    let edges = DMat3::from_cols(corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]);
    let size = edges.x_axis.length() * edges.y_axis.length() * edges.z_axis.length();
    if edges.determinant().abs() <= 1e-12 * size || !size.is_finite() {
        return None;
    }
    let c = edges.inverse() * (point - corners[0]);
    Some([1.0 - c.element_sum(), c.x, c.y, c.z])
}

/// Position and orientation of the body frame of four particles with positions `rest` in the body and `positions` in
/// the world: the best-fitting rotation, weighted by mass. The same particles always give the same bits.
///
/// If particles coincide or are not finite, the orientation is one of the best fits, or arbitrary.
pub fn frame(rest: &[DVec3; 4], masses: &[f64; 4], positions: &[DVec3; 4]) -> (DVec3, DQuat) {
    let total: f64 = masses.iter().sum();
    let center = |at: &[DVec3; 4]| weighted(at, masses) / total;
    let (in_rest, in_world) = (center(rest), center(positions));
    let mut moments = DMat3::ZERO;
    let mut at_rest = DMat3::ZERO;
    for k in 0..4 {
        moments += tensor::outer((positions[k] - in_world) * masses[k], rest[k] - in_rest);
        at_rest += tensor::outer((rest[k] - in_rest) * masses[k], rest[k] - in_rest);
    }
    let rotation = fitted(moments, start(moments, at_rest));
    (in_world - rotation * in_rest, rotation)
}

fn weighted(at: &[DVec3; 4], masses: &[f64; 4]) -> DVec3 {
    at[0] * masses[0] + at[1] * masses[1] + at[2] * masses[2] + at[3] * masses[3]
}

/// Start of the fit: orthonormal axes of the linear map from rest to moments. Exact for a rigid motion.
fn start(moments: DMat3, at_rest: DMat3) -> DQuat {
    let size = (at_rest.x_axis.x + at_rest.y_axis.y + at_rest.z_axis.z) / 3.0;
    let solid = at_rest.determinant() > 1e-24 * size * size * size;
    let map = if solid { moments * at_rest.inverse() } else { moments };
    let x = map.x_axis.try_normalize().unwrap_or(DVec3::X);
    let y = (map.y_axis - x * x.dot(map.y_axis)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
    let turn = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
    if turn.is_finite() { turn } else { DQuat::IDENTITY }
}

/// Length of the last Newton step, radians. The step after it would be far below rounding.
const LAST_STEP: f64 = 1e-9;

/// Maximizes `tr(Rᵀ A)` by Newton's method; with a singular matrix it uses the scalar of the source.
fn fitted(moments: DMat3, start: DQuat) -> DQuat {
    let mut rotation = start;
    for _ in 0..24 {
        let r = DMat3::from_quat(rotation);
        let turn = r.x_axis.cross(moments.x_axis) + r.y_axis.cross(moments.y_axis) + r.z_axis.cross(moments.z_axis);
        let k = moments * r.transpose();
        let k = (k + k.transpose()) * 0.5;
        let trace = k.x_axis.x + k.y_axis.y + k.z_axis.z;
        let newton = DMat3::from_diagonal(DVec3::splat(trace)) - k;
        let sound = trace > 0.0 && newton.determinant() > 1e-12 * trace * trace * trace;
        let step = if sound { newton.inverse() * turn } else { turn / (trace.abs() + f64::MIN_POSITIVE) };
        if !step.is_finite() {
            break;
        }
        rotation = (exp(step.clamp_length_max(1.0)) * rotation).normalize();
        // Newton's next step would be about the square of this one; the scalar step would be nearly as long.
        let last = if sound { LAST_STEP } else { 1e-16 };
        if step.length_squared() < last * last {
            break;
        }
    }
    rotation
}

#[cfg(test)]
mod tests;
