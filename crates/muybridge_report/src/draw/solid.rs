//! Signed distance functions of the solids of a body, in the camera frame.
//!
//! ```text
//! capsule    d = ‖p − a − t (b − a)‖ − r,  t = clamp((p − a)·(b − a)/‖b − a‖², 0, 1)
//! box        d = ‖max(|q| − e, 0)‖ + min(max(|q| − e), 0)
//! cylinder   the same in (√(x² + z²), y)
//! ellipsoid  d ≈ k₀ (k₀ − 1)/k₁,  k₀ = ‖q/s‖, k₁ = ‖q/s²‖   (never more than twice the true distance near by)
//! blend      min_k(a, b) = min(a, b) − h² k/4,  h = max(k − |a − b|, 0)/k
//! ```

use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};

/// A capsule between two points of the world, meters.
pub fn capsule_between(from: DVec3, to: DVec3, radius: f64) -> PlacedShape {
    let axis = to - from;
    let length = axis.length();
    let rotation = if length > 0.0 { turn_y_to(axis / length) } else { DQuat::IDENTITY };
    PlacedShape { shape: Shape::Capsule { radius, half_length: 0.5 * length }, position: 0.5 * (from + to), rotation }
}

/// The smallest rotation from y to the unit vector `direction`.
fn turn_y_to(direction: DVec3) -> DQuat {
    let w = 1.0 + direction.y;
    if w < 1e-9 {
        return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    DQuat::from_xyzw(direction.z, 0.0, -direction.x, w).normalize()
}

/// A solid in the camera frame, prepared for distance queries.
pub(crate) struct CameraSolid {
    shape: Shape,
    position: DVec3,
    local_from_camera: DMat3,
    axis: DVec3,
    /// Half extents of the bounding box along the camera's axes, meters.
    pub half: DVec3,
    /// Center of the bounding box in the camera frame, meters.
    pub center: DVec3,
}

impl CameraSolid {
    pub(crate) fn new(solid: &PlacedShape, camera_from_world: DMat3) -> Self {
        let turned = camera_from_world * DMat3::from_quat(solid.rotation);
        let position = camera_from_world * solid.position;
        let axis = turned.y_axis;
        let half = match solid.shape {
            Shape::Sphere { radius } => DVec3::splat(radius),
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                axis.abs() * half_length + radius
            }
            Shape::Box { half_extents: e } => {
                turned.x_axis.abs() * e.x + turned.y_axis.abs() * e.y + turned.z_axis.abs() * e.z
            }
            Shape::Ellipsoid { semi_axes: s } => {
                let squares = [turned.x_axis * s.x, turned.y_axis * s.y, turned.z_axis * s.z].map(|v| v * v);
                let sum = squares[0] + squares[1] + squares[2];
                DVec3::new(sum.x.sqrt(), sum.y.sqrt(), sum.z.sqrt())
            }
        };
        Self {
            shape: solid.shape.clone(),
            position,
            local_from_camera: turned.transpose(),
            axis,
            half,
            center: position,
        }
    }

    /// Signed distance of a point in the camera frame, meters, negative inside.
    pub(crate) fn distance(&self, point: DVec3) -> f64 {
        let offset = point - self.position;
        match self.shape {
            Shape::Sphere { radius } => offset.length() - radius,
            Shape::Capsule { radius, half_length } => {
                let along = self.axis.dot(offset).clamp(-half_length, half_length);
                (offset - self.axis * along).length() - radius
            }
            Shape::Cylinder { radius, half_length } => {
                let along = self.axis.dot(offset);
                let across = (offset - self.axis * along).length();
                beyond(DVec3::new(across - radius, along.abs() - half_length, f64::NEG_INFINITY))
            }
            Shape::Box { half_extents } => beyond((self.local_from_camera * offset).abs() - half_extents),
            Shape::Ellipsoid { semi_axes } => {
                let scaled = (self.local_from_camera * offset) / semi_axes;
                let (k0, k1) = (scaled.length(), (scaled / semi_axes).length());
                if k1 > 0.0 { 0.7 * k0 * (k0 - 1.0) / k1 } else { -semi_axes.min_element() }
            }
        }
    }
}

/// Signed distance to a box, from the excess of the point over each half side.
fn beyond(excess: DVec3) -> f64 {
    excess.max(DVec3::ZERO).length() + excess.max_element().min(0.0)
}

/// Smooth minimum of two distances, rounded where they are within `width` of each other.
pub(super) fn blended(a: f64, b: f64, width: f64) -> f64 {
    let h = (width - (a - b).abs()).max(0.0);
    a.min(b) - if width > 0.0 { 0.25 * h * h / width } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(shape: Shape, rotation: DQuat) -> CameraSolid {
        CameraSolid::new(&PlacedShape { shape, position: DVec3::new(0.1, 0.2, 0.3), rotation }, DMat3::IDENTITY)
    }

    #[test]
    fn a_capsule_between_two_points_has_its_caps_there() {
        for to in [DVec3::new(0.3, -0.2, 0.5), DVec3::Y, -DVec3::Y] {
            let solid = capsule_between(DVec3::ZERO, to, 0.05);
            let capsule = CameraSolid::new(&solid, DMat3::IDENTITY);
            for end in [DVec3::ZERO, to] {
                assert!((capsule.distance(end) + 0.05).abs() < 1e-12, "{to}");
            }
            assert!((capsule.distance(to * 1.5) - (0.5 * to.length() - 0.05)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_box_around_a_solid_touches_its_surface() {
        let turn = muybridge::math::rotation::exp(DVec3::new(0.3, 0.9, -0.4));
        let ball = measured(Shape::Ellipsoid { semi_axes: DVec3::splat(0.2) }, turn);
        assert!((ball.half - DVec3::splat(0.2)).length() < 1e-12);
        assert!(ball.distance(ball.center + DVec3::X * 0.2).abs() < 1e-12);
        let brick = measured(Shape::Box { half_extents: DVec3::new(0.1, 0.2, 0.3) }, DQuat::IDENTITY);
        assert!((brick.distance(brick.center + DVec3::new(0.1 + 0.3, 0.2 + 0.4, 0.0)) - 0.5).abs() < 1e-12);
        let drum = measured(Shape::Cylinder { radius: 0.1, half_length: 0.2 }, DQuat::IDENTITY);
        assert!((drum.distance(drum.center + DVec3::new(0.4, 0.6, 0.0)) - 0.5).abs() < 1e-12);
        assert!((drum.distance(drum.center) + 0.1).abs() < 1e-12);
    }
}
