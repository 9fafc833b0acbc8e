//! Converts body shapes to colliders: an ellipsoid becomes a hull of points on it, all other shapes are exact.

use core::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::DVec3;

use super::body::PrincipalFrame;
use super::model::Collider;
use crate::collision::ObstacleShape;
use crate::collision::shape::{PlacedShape, Shape};
use crate::collision::signed_distance::ConvexHull;

/// Rings of points around an ellipsoid, and points per ring.
const RINGS: (u32, u32) = (7, 12);

impl Collider {
    /// Collider of a body. `frame` is the principal frame of the body, written in the frame in which the shape is
    /// placed.
    pub fn of(body: usize, object: usize, placed: &PlacedShape, frame: &PrincipalFrame) -> Self {
        let back = frame.axes.conjugate();
        let shape = touching(&placed.shape);
        let (position, rotation) = (back * (placed.position - frame.center), (back * placed.rotation).normalize());
        Self { body, object, shape, position, rotation }
    }
}

fn touching(shape: &Shape) -> ObstacleShape {
    match *shape {
        Shape::Sphere { radius } => ObstacleShape::Sphere { radius },
        Shape::Capsule { radius, half_length } => ObstacleShape::Capsule { radius, half_length },
        Shape::Cylinder { radius, half_length } => ObstacleShape::Cylinder { radius, half_length },
        Shape::Box { half_extents } => ObstacleShape::Box { half_extents },
        Shape::Ellipsoid { semi_axes } => ConvexHull::new(&on_ellipsoid(semi_axes)).map_or(
            // Fallback for an ellipsoid too flat for a hull.
            ObstacleShape::Box { half_extents: semi_axes },
            |hull| ObstacleShape::Hull(Arc::new(hull)),
        ),
    }
}

/// Points on an ellipsoid: its poles along y and rings between them.
fn on_ellipsoid(semi_axes: DVec3) -> Vec<DVec3> {
    let (rings, around) = RINGS;
    let ring = |ring: u32| {
        let (rise, height) = libm::sincos(PI * f64::from(ring) / f64::from(rings + 1));
        (0..around).map(move |step| {
            let (sine, cosine) = libm::sincos(TAU * f64::from(step) / f64::from(around));
            DVec3::new(rise * cosine, height, rise * sine)
        })
    };
    let poles = [DVec3::Y, DVec3::NEG_Y];
    poles.into_iter().chain((1..=rings).flat_map(ring)).map(|point| point * semi_axes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::MassProperties;
    use crate::math::rotation::exp;
    use crate::rigid::Body;

    #[test]
    fn an_ellipsoid_is_touched_within_a_twelfth_of_its_size() {
        let semi_axes = DVec3::new(0.2, 0.5, 0.3);
        let ObstacleShape::Hull(hull) = touching(&Shape::Ellipsoid { semi_axes }) else { panic!("no hull") };
        for face in hull.faces() {
            let middle = face.corners.iter().sum::<DVec3>() / 3.0;
            let depth = 1.0 - (middle / semi_axes).length();
            assert!((0.0..0.08).contains(&depth), "{depth}");
        }
    }

    #[test]
    fn a_shape_stays_where_it_is_in_the_frame_it_was_placed_in() {
        let shape = Shape::Box { half_extents: DVec3::new(0.1, 0.2, 0.3) };
        let placed =
            PlacedShape { shape, position: DVec3::new(0.4, 0.1, 0.0), rotation: exp(DVec3::new(0.3, 0.2, 1.0)) };
        let (_, frame) = Body::of(&MassProperties::of_placed_shape(&placed, 1.0)).unwrap();
        let solid = Collider::of(0, 0, &placed, &frame);
        assert!(solid.position.length() < 1e-15);
        let back = frame.axes * solid.rotation;
        assert!(back.angle_between(placed.rotation) < 1e-7);
    }
}
