//! An orthographic view: the world direction to the right of the picture, and the pixels per meter.
//!
//! ```text
//! right = r (horizontal unit vector),  up = y,  toward the viewer = r × y
//! pixel x = origin.x + s (r·p − left),   pixel y = origin.y − s (p.y − floor)
//! ```

use muybridge::glam::DVec3;

/// Orthographic projection from the world to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrthographicView {
    /// Horizontal unit vector to the right of the picture.
    pub right: DVec3,
    /// Pixels per meter.
    pub scale: f64,
    /// Pixel at which world points with `right · p = left` and `p.y = floor` fall.
    pub origin: (f64, f64),
    /// World coordinate along `right` at the origin, meters.
    pub left: f64,
    /// World height at the origin, meters.
    pub floor: f64,
}

impl OrthographicView {
    /// Transforms a world point into the camera frame: x right, y up, z toward the viewer, meters.
    pub fn camera(&self, point: DVec3) -> DVec3 {
        DVec3::new(self.right.dot(point), point.y, self.right.cross(DVec3::Y).dot(point))
    }

    /// Projects a world point to a pixel.
    pub fn pixel(&self, point: DVec3) -> (f64, f64) {
        (self.pixel_x(self.right.dot(point)), self.pixel_y(point.y))
    }

    /// Pixel column of a coordinate along `right`, given in meters.
    pub fn pixel_x(&self, along: f64) -> f64 {
        self.origin.0 + self.scale * (along - self.left)
    }

    /// Pixel row of a height, given in meters.
    pub fn pixel_y(&self, height: f64) -> f64 {
        self.origin.1 - self.scale * (height - self.floor)
    }

    /// The same view with the picture shifted right by `meters`.
    pub fn shifted(&self, meters: f64) -> Self {
        Self { left: self.left - meters, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_faces_z_seen_from_its_right_moves_from_left_to_right() {
        let view = OrthographicView { right: DVec3::Z, scale: 100.0, origin: (50.0, 400.0), left: 0.0, floor: 0.0 };
        assert_eq!(view.pixel(DVec3::new(3.0, 1.0, 2.0)), (250.0, 300.0));
        // Facing +z with y up, the left hand is at +x; the right hand at −x is nearer to this viewer.
        assert!(view.camera(-DVec3::X).z > view.camera(DVec3::X).z);
    }
}
