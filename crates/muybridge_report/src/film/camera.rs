//! A perspective camera: placed so that a whole run is in the picture, and mapped from pixels to rays.
//!
//! ```text
//! camera axes: x right, y up, z forward.   pixel = center + f (x/z, −y/z),   ray of a pixel = ((px − cx)/f, (cy − py)/f, 1)
//! in the picture:  |x − e_x| ≤ (z − e_z) t_x  for all points, e the eye in camera axes:
//! e_x + t_x e_z ≤ min(x + t_x z) = A,   e_x − t_x e_z ≥ max(x − t_x z) = B   ⟹   e_z = (A − B)/(2 t_x),  e_x = (A + B)/2
//! ```
//! The same holds for y; the smaller `e_z` of the two shows everything.

use muybridge::glam::{DMat3, DVec3};

/// Position and direction of a perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerspectiveCamera {
    /// Position of the eye, meters.
    pub eye: DVec3,
    /// Point that the camera looks at, meters.
    pub target: DVec3,
    /// Angle between the lower and the upper edge of the picture, radians, above 0 and below π.
    pub field_of_view: f64,
}

/// Field of view of automatic cameras, radians.
pub(super) const FIELD_OF_VIEW: f64 = 0.49;

/// Axes of a camera that looks along `forward`, as the rows of the rotation into its frame; y up if possible.
pub(super) fn axes(forward: DVec3) -> DMat3 {
    let forward = forward.try_normalize().unwrap_or(-DVec3::Z);
    let level = forward.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X);
    DMat3::from_cols(level, level.cross(forward), forward).transpose()
}

/// Extreme points that decide the camera position; the equations are in the module documentation.
pub(super) struct Fit {
    /// Half the width and height of the picture, divided by the distance.
    half: (f64, f64),
    turn: DMat3,
    /// Minima of `x + t z`, `t z − x`, `y + t z` and `t z − y`.
    least: [f64; 4],
    nearest: f64,
    farthest: f64,
}

impl Fit {
    /// An empty fit for a camera that looks along `forward`.
    pub(super) fn new(forward: DVec3, half: (f64, f64)) -> Self {
        let (nearest, farthest) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { half, turn: axes(forward), least: [f64::INFINITY; 4], nearest, farthest }
    }

    /// Adds a point, given in camera axes (see [`axes`]).
    pub(super) fn add(&mut self, point: DVec3) {
        if !point.is_finite() {
            return;
        }
        let (x, y) = (self.half.0 * point.z, self.half.1 * point.z);
        let sums = [x + point.x, x - point.x, y + point.y, y - point.y];
        self.least = std::array::from_fn(|i| self.least[i].min(sums[i]));
        self.nearest = self.nearest.min(point.z);
        self.farthest = self.farthest.max(point.z);
    }

    /// The nearest camera that has all points in view.
    pub(super) fn camera(&self) -> PerspectiveCamera {
        let [a, minus_b, c, minus_d] = self.least;
        let (across, near_x) = (0.5 * (a - minus_b), 0.5 * (a + minus_b) / self.half.0);
        let (up, near_y) = (0.5 * (c - minus_d), 0.5 * (c + minus_d) / self.half.1);
        let back = near_x.min(near_y).min(self.nearest - 0.02);
        let eye = self.turn.transpose() * DVec3::new(across, up, back);
        let eye = if eye.is_finite() { eye } else { DVec3::new(0.0, 1.0, 5.0) };
        let reach = 0.5 * (self.nearest + self.farthest) - back;
        let reach = if reach.is_finite() { reach } else { 5.0 };
        PerspectiveCamera { eye, target: eye + self.turn.row(2) * reach, field_of_view: FIELD_OF_VIEW }
    }
}

impl PerspectiveCamera {
    /// The projection onto a picture of `size` pixels whose middle is at `center`.
    pub(super) fn lens(&self, size: (u32, u32), center: (f64, f64)) -> Lens {
        let half = libm::tan(0.5 * self.field_of_view.clamp(1e-4, 3.1));
        let focal = 0.5 * f64::from(size.1) / half;
        Lens { eye: self.eye, turn: axes(self.target - self.eye), focal, center }
    }
}

/// Projection from the world to pixels and back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lens {
    pub eye: DVec3,
    /// Rotates directions from the world into camera axes.
    pub turn: DMat3,
    /// Focal length, pixels: a meter covers this many pixels at a distance of a meter.
    pub focal: f64,
    pub center: (f64, f64),
}

impl Lens {
    /// Transforms a world point into camera axes, with the eye as origin.
    pub(super) fn see(&self, point: DVec3) -> DVec3 {
        self.turn * (point - self.eye)
    }

    /// Projects a world point to a pixel; `None` behind the camera.
    pub(super) fn pixel(&self, point: DVec3) -> Option<(f64, f64)> {
        let seen = self.see(point);
        let at = (self.center.0 + self.focal * seen.x / seen.z, self.center.1 - self.focal * seen.y / seen.z);
        (seen.z > NEAR && at.0.is_finite() && at.1.is_finite()).then_some(at)
    }

    /// The ray of a pixel in camera axes; its z is 1, so that a distance along it is a depth.
    pub(super) fn ray(&self, x: f64, y: f64) -> DVec3 {
        DVec3::new((x - self.center.0) / self.focal, (self.center.1 - y) / self.focal, 1.0)
    }

    /// Rotates a direction from camera axes into the world.
    pub(super) fn world(&self, direction: DVec3) -> DVec3 {
        self.turn.transpose() * direction
    }
}

/// Near plane: nothing nearer is drawn, meters.
pub(super) const NEAR: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_around_points_shows_all_of_them_and_touches_two_edges() {
        let forward = DVec3::new(0.3, -0.4, -1.0);
        let world: Vec<DVec3> =
            (0..40).map(f64::from).map(|i| DVec3::new((i * 7.3) % 5.0, (i * 3.1) % 2.0, (i * 5.7) % 3.0)).collect();
        let mut fit = Fit::new(forward, (16.0 / 9.0 * libm::tan(0.245), libm::tan(0.245)));
        world.iter().for_each(|&point| fit.add(axes(forward) * point));
        let lens = fit.camera().lens((640, 360), (320.0, 180.0));
        let pixels: Vec<(f64, f64)> = world.iter().map(|&point| lens.pixel(point).unwrap()).collect();
        assert!(pixels.iter().all(|&(x, y)| (-1e-6..640.0 + 1e-6).contains(&x) && (-1e-6..360.0 + 1e-6).contains(&y)));
        let (left, right) = pixels.iter().fold((640.0_f64, 0.0_f64), |(l, r), p| (l.min(p.0), r.max(p.0)));
        let (top, bottom) = pixels.iter().fold((360.0_f64, 0.0_f64), |(t, b), p| (t.min(p.1), b.max(p.1)));
        let tight = |from: f64, to: f64, size: f64| from.abs() < 1e-6 && (to - size).abs() < 1e-6;
        assert!(tight(left, right, 640.0) || tight(top, bottom, 360.0), "{left} {right} {top} {bottom}");
    }

    #[test]
    fn the_ray_of_a_pixel_passes_through_the_point_that_falls_on_it() {
        let camera = PerspectiveCamera { eye: DVec3::new(1.0, 2.0, 6.0), target: DVec3::Y, field_of_view: 0.6 };
        let lens = camera.lens((800, 600), (400.0, 300.0));
        let point = DVec3::new(-0.4, 0.7, 0.2);
        let (x, y) = lens.pixel(point).unwrap();
        let ray = lens.ray(x, y);
        assert!((ray * lens.see(point).z - lens.see(point)).length() < 1e-12);
        assert!(lens.pixel(DVec3::new(3.0, 4.0, 20.0)).is_none(), "behind the camera");
    }
}
