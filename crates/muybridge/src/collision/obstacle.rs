//! Obstacles: fixed or kinematic shapes with friction and restitution.
//!
//! Contacts never push an obstacle. It moves with constant velocity and spin between two calls of
//! [`Obstacle::advance`], or to a given pose ([`Obstacle::move_to`]). Specification: mathematics 3.3 (J5–J7), 4.9.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::height_field::HeightField;
use super::mesh::TriMesh;
use super::signed_distance::ConvexHull;

/// Fixed or kinematic collider in the world.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Shape in the obstacle's frame.
    pub shape: ObstacleShape,
    /// Position of the origin of its frame, meters.
    pub position: DVec3,
    /// Orientation of its frame.
    pub rotation: DQuat,
    /// Velocity of the origin of its frame, meters per second.
    pub velocity: DVec3,
    /// Angular velocity, radians per second, world axes.
    pub spin: DVec3,
    /// Coulomb friction coefficient; a contact uses the geometric mean of both surfaces.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1; a contact uses the greater of both surfaces.
    pub restitution: f64,
}

/// Shape of an obstacle in its own frame; lengths in meters. Long shapes lie along y.
#[derive(Clone, Debug)]
pub enum ObstacleShape {
    /// Half-space below y = 0.
    HalfSpace,
    /// Outside of a box, which keeps bodies inside.
    Room {
        /// Least corner, meters.
        least: DVec3,
        /// Greatest corner, meters.
        most: DVec3,
    },
    /// Ball around the origin.
    Sphere {
        /// Radius, meters.
        radius: f64,
    },
    /// Cylinder with hemispherical caps.
    Capsule {
        /// Radius, meters.
        radius: f64,
        /// Half the distance between the centers of the caps, meters.
        half_length: f64,
    },
    /// Box around the origin.
    Box {
        /// Half the sides, meters.
        half_extents: DVec3,
    },
    /// Flat-ended cylinder.
    Cylinder {
        /// Radius, meters.
        radius: f64,
        /// Half the height, meters.
        half_length: f64,
    },
    /// Convex hull of points.
    Hull(Arc<ConvexHull>),
    /// Triangle mesh: a thin surface with two sides.
    Mesh(Arc<TriMesh>),
    /// Height field: ground from heights on a grid, which holds what is above it.
    HeightField(Arc<HeightField>),
}

/// Reasons why a shape cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ObstacleError {
    /// A number is NaN or infinite.
    #[error("the {what} of the obstacle is not a finite number; give a finite length in meters")]
    NotFinite {
        /// Name of the number.
        what: &'static str,
    },
    /// A length is zero or negative.
    #[error("the {what} is not positive; give a length above 0 m")]
    NotPositive {
        /// Name of the length.
        what: &'static str,
    },
    /// A point or height is NaN or infinite.
    #[error("point {point} of the obstacle is not finite; remove it or give its place in meters")]
    PointNotFinite {
        /// Index of the point.
        point: usize,
    },
    /// A triangle refers to a point that does not exist.
    #[error(
        "triangle {triangle} of the obstacle names a point that does not exist; it has {points} points, counted from 0"
    )]
    MissingPoint {
        /// Index of the triangle.
        triangle: usize,
        /// Number of points.
        points: usize,
    },
    /// No triangle has an area, or all are holes.
    #[error("the surface of the obstacle has no triangle with an area; give at least one")]
    NoTriangle,
    /// The points of a hull have no volume.
    #[error("the {points} points of the convex hull lie in one plane or on a line; give four that do not")]
    FlatHull {
        /// Number of points.
        points: usize,
    },
    /// The heights do not fill a grid.
    #[error(
        "{heights} heights do not fill rows of {columns}; a height field needs at least two full rows of two or more heights"
    )]
    BadGrid {
        /// Number of heights.
        heights: usize,
        /// Number of heights per row.
        columns: usize,
    },
    /// The least corner of a room is not below its greatest.
    #[error("the lower corner of the room is not below the upper corner in every axis; swap the coordinates")]
    NoRoom,
}

impl Obstacle {
    /// Shape at a pose, at rest, with friction [`Obstacle::FRICTION`] and no restitution.
    pub fn new(shape: ObstacleShape, position: DVec3, rotation: DQuat) -> Result<Self, ObstacleError> {
        finite("position", position.is_finite())?;
        finite("rotation", rotation.is_finite() && rotation.length_squared() > 1e-6)?;
        let rotation = if rotation.is_normalized() { rotation } else { rotation.normalize() };
        let (velocity, spin) = (DVec3::ZERO, DVec3::ZERO);
        Ok(Self { shape, position, rotation, velocity, spin, friction: Self::FRICTION, restitution: 0.0 })
    }

    /// Default friction coefficient of an obstacle.
    pub const FRICTION: f64 = 0.5;

    /// Ground: a half-space below a height, meters.
    pub fn ground(height: f64) -> Result<Self, ObstacleError> {
        Self::new(ObstacleShape::HalfSpace, DVec3::new(0.0, height, 0.0), DQuat::IDENTITY)
    }

    /// Half-space below the plane through `point` with the normal `up` (of any length).
    pub fn half_space(point: DVec3, up: DVec3) -> Result<Self, ObstacleError> {
        let normal = up.try_normalize().ok_or(ObstacleError::NotFinite { what: "normal" })?;
        Self::new(ObstacleShape::HalfSpace, point, DQuat::from_rotation_arc(DVec3::Y, normal))
    }

    /// Room: nothing leaves the box between two corners (J5).
    pub fn room(least: DVec3, most: DVec3) -> Result<Self, ObstacleError> {
        finite("corner", least.is_finite() && most.is_finite())?;
        if !least.cmplt(most).all() {
            return Err(ObstacleError::NoRoom);
        }
        Self::new(ObstacleShape::Room { least, most }, DVec3::ZERO, DQuat::IDENTITY)
    }

    /// Ball obstacle.
    pub fn sphere(center: DVec3, radius: f64) -> Result<Self, ObstacleError> {
        positive("radius of the sphere", radius)?;
        Self::new(ObstacleShape::Sphere { radius }, center, DQuat::IDENTITY)
    }

    /// Capsule around the segment between the centers of its caps.
    pub fn capsule(ends: [DVec3; 2], radius: f64) -> Result<Self, ObstacleError> {
        positive("radius of the capsule", radius)?;
        let (center, rotation, half_length) = along(ends)?;
        Self::new(ObstacleShape::Capsule { radius, half_length }, center, rotation)
    }

    /// Flat-ended cylinder between the centers of its ends.
    pub fn cylinder(ends: [DVec3; 2], radius: f64) -> Result<Self, ObstacleError> {
        positive("radius of the cylinder", radius)?;
        let (center, rotation, half_length) = along(ends)?;
        positive("length of the cylinder", half_length)?;
        Self::new(ObstacleShape::Cylinder { radius, half_length }, center, rotation)
    }

    /// Box around its center.
    pub fn cuboid(center: DVec3, rotation: DQuat, half_extents: DVec3) -> Result<Self, ObstacleError> {
        positive("shortest side of the box", half_extents.min_element())?;
        finite("size", half_extents.is_finite())?;
        Self::new(ObstacleShape::Box { half_extents }, center, rotation)
    }

    /// Convex hull of points in the world.
    pub fn hull(points: &[DVec3]) -> Result<Self, ObstacleError> {
        Self::new(ObstacleShape::Hull(Arc::new(ConvexHull::new(points)?)), DVec3::ZERO, DQuat::IDENTITY)
    }

    /// Triangle mesh of points in the world.
    pub fn mesh(points: &[DVec3], triangles: &[[usize; 3]]) -> Result<Self, ObstacleError> {
        Self::new(ObstacleShape::Mesh(Arc::new(TriMesh::new(points, triangles)?)), DVec3::ZERO, DQuat::IDENTITY)
    }

    /// Height field of heights row by row along z, `columns` along x, its first height at `corner`; see [`HeightField::new`].
    pub fn height_field(
        corner: DVec3,
        heights: &[f64],
        columns: usize,
        spacing: [f64; 2],
    ) -> Result<Self, ObstacleError> {
        let field = HeightField::new(heights, columns, spacing)?;
        Self::new(ObstacleShape::HeightField(Arc::new(field)), corner, DQuat::IDENTITY)
    }

    /// Sets the friction coefficient.
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// Sets the restitution.
    pub fn with_restitution(self, restitution: f64) -> Self {
        Self { restitution, ..self }
    }

    /// Velocity at a point, m/s.
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.position)
    }

    /// Moves the obstacle by its velocity and spin; backward if `seconds` is negative.
    pub fn advance(&mut self, seconds: f64) {
        let pose = self.pose_after(seconds);
        (self.position, self.rotation) = (pose.position, pose.rotation);
    }

    /// Sets velocity and spin so that the obstacle reaches a pose after `seconds` (above 0).
    pub fn move_to(&mut self, position: DVec3, rotation: DQuat, seconds: f64) {
        let turn = rotation * self.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let axis = DVec3::new(turn.x, turn.y, turn.z);
        let sine = axis.length();
        let angle = 2.0 * libm::atan2(sine, turn.w);
        self.velocity = (position - self.position) / seconds;
        self.spin = if sine > 0.0 { axis * (angle / (sine * seconds)) } else { DVec3::ZERO };
    }

    /// Present pose of the obstacle's frame.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    /// Pose of the obstacle's frame after `seconds`; before the present if negative.
    pub fn pose_after(&self, seconds: f64) -> Pose {
        let position =
            if self.velocity == DVec3::ZERO { self.position } else { self.position + self.velocity * seconds };
        let angle = self.spin.length() * seconds;
        if angle == 0.0 || !angle.is_finite() {
            return Pose { position, rotation: self.rotation };
        }
        let (sine, cosine) = libm::sincos(0.5 * angle);
        let axis = self.spin.normalize_or_zero() * sine;
        let turn = DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine);
        Pose { position, rotation: (turn * self.rotation).normalize() }
    }
}

/// Pose of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the origin, meters.
    pub position: DVec3,
    /// Orientation.
    pub rotation: DQuat,
}

impl Pose {
    /// Identity pose.
    pub const HERE: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Transforms a point from the frame to the world.
    pub fn to_world(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.position
    }

    /// The pose in the frame of another.
    pub(crate) fn seen_from(&self, other: &Self) -> Self {
        let rotation = (other.rotation.inverse() * self.rotation).normalize();
        Self { position: other.to_local(self.position), rotation }
    }

    /// Transforms a point from the world to the frame.
    pub fn to_local(&self, p: DVec3) -> DVec3 {
        self.rotation.inverse() * (p - self.position)
    }
}

fn finite(what: &'static str, is_finite: bool) -> Result<(), ObstacleError> {
    if is_finite { Ok(()) } else { Err(ObstacleError::NotFinite { what }) }
}

fn positive(what: &'static str, length: f64) -> Result<(), ObstacleError> {
    // Not `length <= 0.0`, so that a NaN is refused too.
    if length > 0.0 && length.is_finite() { Ok(()) } else { Err(ObstacleError::NotPositive { what }) }
}

/// Center, rotation and half length of the segment between two ends.
fn along([a, b]: [DVec3; 2]) -> Result<(DVec3, DQuat, f64), ObstacleError> {
    finite("end", a.is_finite() && b.is_finite())?;
    let rotation = (b - a).try_normalize().map_or(DQuat::IDENTITY, |axis| DQuat::from_rotation_arc(DVec3::Y, axis));
    Ok((0.5 * (a + b), rotation, 0.5 * a.distance(b)))
}

#[cfg(test)]
mod tests {
    use core::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn a_wheel_with_a_quarter_turn_per_second_has_turned_a_quarter_after_one() {
        let mut wheel = Obstacle::sphere(DVec3::ZERO, 1.0).unwrap();
        (wheel.spin, wheel.velocity) = (DVec3::Z * FRAC_PI_2, DVec3::X * 2.0);
        (0..10).for_each(|_| wheel.advance(0.1));
        assert!((wheel.pose().to_world(DVec3::X) - DVec3::new(2.0, 1.0, 0.0)).length() < 1e-14);
    }

    #[test]
    fn what_is_told_to_be_somewhere_is_there_in_time() {
        let mut door = Obstacle::cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE).unwrap();
        let (position, rotation) = (DVec3::new(1.0, 2.0, 3.0), DQuat::from_rotation_x(2.0));
        door.move_to(position, rotation, 0.25);
        door.advance(0.25);
        assert!((door.position - position).length() < 1e-14 && door.rotation.dot(rotation).abs() > 1.0 - 1e-14);
    }

    #[test]
    fn shapes_that_cannot_be_are_refused_in_words() {
        let (zero, one) = (DVec3::ZERO, DVec3::ONE);
        let refused = [
            Obstacle::sphere(zero, f64::NAN),
            Obstacle::sphere(DVec3::NAN, 1.0),
            Obstacle::capsule([zero, one], -1.0),
            Obstacle::cylinder([one, one], 1.0),
            Obstacle::cuboid(zero, DQuat::IDENTITY, DVec3::new(1.0, 0.0, 1.0)),
            Obstacle::room(one, zero),
            Obstacle::half_space(zero, zero),
            Obstacle::mesh(&[zero, one], &[[0, 1, 2]]),
            Obstacle::mesh(&[zero, one, one], &[[0, 1, 2]]),
            Obstacle::hull(&[zero, one]),
            Obstacle::ground(f64::INFINITY),
        ];
        for result in refused {
            assert!(result.unwrap_err().to_string().len() > 30);
        }
    }
}
