//! A model file (MJCF, URDF) in memory: a tree of bodies with mass, joint limits and contact points.
//!
//! Lengths are in meters, angles in radians, axes as in the file. [`fit`] fits a model to the bones of a clip.

mod match_bones;

use muybridge::character::{Body, JointRange};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};

use crate::Axis;

pub use match_bones::{Fitted, fit};

/// A model file in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The format in words: "MJCF", "URDF".
    pub format: String,
    /// The bodies, parents before children.
    pub bodies: Vec<ModelBody>,
    /// The axis that points up; `None` if the format does not state it.
    pub up: Option<Axis>,
    /// Notes on what the reader left out, one sentence each.
    pub ignored: Vec<String>,
}

/// One body (MJCF) or link (URDF).
#[derive(Clone, Debug, PartialEq)]
pub struct ModelBody {
    /// Name, unique in the model.
    pub name: String,
    /// Index of the parent body; `None` if the parent is the world.
    pub parent: Option<usize>,
    /// Origin in the parent's frame, meters.
    pub position: DVec3,
    /// Orientation in the parent's frame with every joint at zero.
    pub rotation: DQuat,
    /// Mass and shapes, in the body's frame.
    pub body: Body,
    /// Limits of the joint to the parent.
    pub range: JointRange,
    /// Contact spheres: center in the body's frame (m) and radius (m).
    pub contacts: Vec<(DVec3, f64)>,
}

impl Model {
    /// Total mass, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|body| body.body.mass).sum()
    }

    /// Index of the body with exactly that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| body.name == name)
    }
}

/// Rotation from the y axis of a shape to the z axis that files use: y → z, z → −y.
pub(crate) const Z_FROM_Y: DQuat =
    DQuat::from_xyzw(std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2);

/// Points of a solid that can touch a plane first: exact for balls, capsules and boxes; eight points per rim for cylinders,
/// poles and diagonals for ellipsoids.
pub(crate) fn contact_points(placed: &PlacedShape) -> Vec<(DVec3, f64)> {
    let at = |point: DVec3, radius: f64| (placed.position + placed.rotation * point, radius);
    match placed.shape {
        Shape::Sphere { radius } => vec![at(DVec3::ZERO, radius)],
        Shape::Capsule { radius, half_length } => [-half_length, half_length].map(|y| at(DVec3::Y * y, radius)).into(),
        Shape::Box { half_extents } => corners().map(|corner| at(corner * half_extents, 0.0)).collect(),
        Shape::Cylinder { radius, half_length } => rim()
            .flat_map(|(x, z)| [-1.0, 1.0].map(|y| at(DVec3::new(x * radius, y * half_length, z * radius), 0.0)))
            .collect(),
        Shape::Ellipsoid { semi_axes } => {
            let poles = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [-axis, axis]);
            poles.chain(corners().map(|corner| corner.normalize())).map(|p| at(p * semi_axes, 0.0)).collect()
        }
    }
}

fn corners() -> impl Iterator<Item = DVec3> {
    let sign = |bit: u32| if bit & 1 == 0 { -1.0 } else { 1.0 };
    (0..8_u32).map(move |i| DVec3::new(sign(i), sign(i >> 1), sign(i >> 2)))
}

fn rim() -> impl Iterator<Item = (f64, f64)> {
    let d = std::f64::consts::FRAC_1_SQRT_2;
    [(1.0, 0.0), (d, d), (0.0, 1.0), (-d, d), (-1.0, 0.0), (-d, -d), (0.0, -1.0), (d, -d)].into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_contact_point_of_a_leaning_capsule_is_where_it_touches() {
        let tilt = muybridge::math::rotation::about(DVec3::X, 0.3);
        let capsule = PlacedShape {
            shape: Shape::Capsule { radius: 0.1, half_length: 0.5 },
            position: DVec3::new(0.0, 2.0, 0.0),
            rotation: tilt,
        };
        let lowest = contact_points(&capsule).iter().map(|(p, r)| p.y - r).fold(f64::MAX, f64::min);
        assert!((lowest - (2.0 - 0.5 * 0.3_f64.cos() - 0.1)).abs() < 1e-15);
    }

    #[test]
    fn contact_points_of_an_ellipsoid_and_a_cylinder_lie_on_them() {
        let semi_axes = DVec3::new(0.1, 0.2, 0.3);
        let place = |shape| PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY };
        for (point, _) in contact_points(&place(Shape::Ellipsoid { semi_axes })) {
            assert!(((point / semi_axes).length() - 1.0).abs() < 1e-14);
        }
        for (point, _) in contact_points(&place(Shape::Cylinder { radius: 0.2, half_length: 0.4 })) {
            assert!((point.x.hypot(point.z) - 0.2).abs() < 1e-15 && point.y.abs() == 0.4);
        }
    }

    #[test]
    fn the_long_axis_of_a_shape_goes_from_y_to_z() {
        assert!((Z_FROM_Y * DVec3::Y - DVec3::Z).length() < 1e-15);
    }
}
