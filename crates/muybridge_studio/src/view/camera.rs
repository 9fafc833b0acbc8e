//! Orbit camera: an eye that turns around a target, with picking rays and projection.
//!
//! ```text
//! eye   = target + distance (sin yaw cos pitch, sin pitch, cos yaw cos pitch)
//! right = (cos yaw, 0, −sin yaw)      up = toward × … so that y stays up
//! ```
//! World positions are `f64` and become `f32` only as differences from the eye, so that a clip a kilometer from the
//! origin is drawn as steadily as one at it. Depth is reversed: 1 at the near plane, 0 at infinity, which keeps it
//! exact far away.

use eframe::egui::{Pos2, Rect};
use muybridge::glam::{DMat3, DVec3};

/// A camera that orbits a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// Point that the camera looks at and turns around, meters.
    pub target: DVec3,
    /// Distance from eye to target, meters.
    pub distance: f64,
    /// Angle about y, radians: 0 looks along −z (at the front of a figure that faces +z), positive moves the eye
    /// toward +x.
    pub yaw: f64,
    /// Elevation of the eye above the horizontal, radians, −π/2 to π/2.
    pub pitch: f64,
    /// Orthographic instead of perspective projection; objects at the target keep their size.
    pub orthographic: bool,
}

/// Vertical field of view, radians.
pub const FIELD_OF_VIEW: f64 = 0.6;

/// Smallest and greatest distance from eye to target, meters.
const DISTANCES: (f64, f64) = (0.02, 5_000.0);

/// View axes, with the keys of Blender's numpad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAxis {
    /// View from +z (key 1).
    Front,
    /// View from −z (Ctrl 1).
    Back,
    /// View from +x (key 3).
    Right,
    /// View from −x (Ctrl 3).
    Left,
    /// View from above (key 7).
    Top,
    /// View from below (Ctrl 7).
    Bottom,
}

/// A ray: a half-line from a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start of the ray, meters.
    pub origin: DVec3,
    /// Direction, a unit vector.
    pub direction: DVec3,
}

impl Ray {
    /// Intersection with the plane through `point` with this normal, meters; `None` if the ray misses it.
    pub fn meets_plane(&self, point: DVec3, normal: DVec3) -> Option<DVec3> {
        let rate = self.direction.dot(normal);
        let along = (point - self.origin).dot(normal) / rate;
        (rate.abs() > 1e-9 && along > 0.0).then(|| self.origin + self.direction * along)
    }

    /// Distance from a point to the ray, and distance along the ray of its nearest point, meters.
    pub fn distance_to(&self, point: DVec3) -> (f64, f64) {
        let along = (point - self.origin).dot(self.direction).max(0.0);
        ((self.origin + self.direction * along).distance(point), along)
    }
}

impl Default for OrbitCamera {
    /// View of a standing person from 30° off the side, with the floor in view.
    fn default() -> Self {
        let yaw = 60_f64.to_radians();
        Self { target: DVec3::Y * 0.9, distance: 4.5, yaw, pitch: 0.2, orthographic: false }
    }
}

impl OrbitCamera {
    /// Position of the eye, meters.
    pub fn eye(&self) -> DVec3 {
        self.target - self.toward() * self.distance
    }

    /// Unit vector from eye to target.
    pub fn toward(&self) -> DVec3 {
        let (sin, cos) = self.yaw.sin_cos();
        let (rise, flat) = self.pitch.sin_cos();
        -DVec3::new(sin * flat, rise, cos * flat)
    }

    /// The axis of the world along which the eye looks most: a click without a surface under it lies in the plane across this axis.
    pub fn facing_axis(&self) -> DVec3 {
        let toward = self.toward().abs();
        match toward.max_element() {
            most if most == toward.z => DVec3::Z,
            most if most == toward.x => DVec3::X,
            _ => DVec3::Y,
        }
    }

    /// Axes of the picture in world coordinates: right, up, and backward toward the eye.
    pub fn axes(&self) -> DMat3 {
        let right = DVec3::new(self.yaw.cos(), 0.0, -self.yaw.sin());
        let back = -self.toward();
        DMat3::from_cols(right, back.cross(right), back)
    }

    /// Turns around the target by a drag of so many points.
    pub fn orbit(&mut self, right: f64, down: f64) {
        let limit = std::f64::consts::FRAC_PI_2;
        self.yaw = (self.yaw - right * 0.008) % std::f64::consts::TAU;
        self.pitch = (self.pitch + down * 0.008).clamp(-limit, limit);
    }

    /// Moves sideways so that the target follows a drag of so many points, in a view `height` points high.
    pub fn pan(&mut self, right: f64, down: f64, height: f64) {
        let meters = self.height_at_target() / height.max(1.0);
        let axes = self.axes();
        self.target += (axes.y_axis * down - axes.x_axis * right) * meters;
    }

    /// Zooms in by a factor above 1, or out by a factor below 1.
    pub fn zoom(&mut self, factor: f64) {
        self.distance = (self.distance / factor.clamp(0.1, 10.0)).clamp(DISTANCES.0, DISTANCES.1);
    }

    /// Height of the visible area at the target, meters.
    pub fn height_at_target(&self) -> f64 {
        2.0 * self.distance * (FIELD_OF_VIEW / 2.0).tan()
    }

    /// Frames the box from `low` to `high` without turning; `aspect` is width by height of the view.
    pub fn frame(&mut self, low: DVec3, high: DVec3, aspect: f64) {
        if !(low.is_finite() && high.is_finite()) {
            return;
        }
        self.target = (low + high) / 2.0;
        let half = ((high - low) / 2.0).max(DVec3::splat(0.05));
        let axes = self.axes();
        let reach = |axis: DVec3| half.dot(axis.abs());
        let tangent = (FIELD_OF_VIEW / 2.0).tan();
        let fit = reach(axes.y_axis).max(reach(axes.x_axis) / aspect.max(0.1)) / tangent;
        self.distance = (1.12 * fit + reach(axes.z_axis)).clamp(DISTANCES.0, DISTANCES.1);
    }

    /// Turns the camera to a view axis.
    pub fn look_from(&mut self, side: ViewAxis) {
        let quarter = std::f64::consts::FRAC_PI_2;
        (self.yaw, self.pitch) = match side {
            ViewAxis::Front => (0.0, 0.0),
            ViewAxis::Back => (2.0 * quarter, 0.0),
            ViewAxis::Right => (quarter, 0.0),
            ViewAxis::Left => (-quarter, 0.0),
            ViewAxis::Top => (0.0, quarter),
            ViewAxis::Bottom => (0.0, -quarter),
        };
    }

    /// Ray through a point of the screen, for a view that covers `rect`.
    pub fn ray(&self, rect: Rect, at: Pos2) -> Ray {
        let axes = self.axes();
        let half = self.height_at_target() / 2.0;
        let scale = half / (f64::from(rect.height()) / 2.0).max(1e-6);
        let (x, y) = (f64::from(at.x - rect.center().x) * scale, f64::from(rect.center().y - at.y) * scale);
        let aimed = self.target + axes.x_axis * x + axes.y_axis * y;
        if self.orthographic {
            return Ray { origin: aimed + axes.z_axis * self.distance, direction: -axes.z_axis };
        }
        let eye = self.eye();
        Ray { origin: eye, direction: (aimed - eye).normalize_or(-axes.z_axis) }
    }

    /// Projects a world point to the screen, for a view that covers `rect`; `None` if the point is behind the eye.
    pub fn project(&self, rect: Rect, point: DVec3) -> Option<Pos2> {
        let seen = self.axes().transpose() * (point - self.eye());
        let depth = if self.orthographic { self.distance } else { -seen.z };
        let scale = f64::from(rect.height()) / self.height_at_target() * self.distance / depth;
        let place = Pos2::new(
            (f64::from(rect.center().x) + seen.x * scale) as f32,
            (f64::from(rect.center().y) - seen.y * scale) as f32,
        );
        (depth > 1e-3).then_some(place)
    }

    /// Matrix from positions relative to the eye to clip coordinates; `aspect` is width by height of the view.
    pub fn clip_from_eye(&self, aspect: f64) -> glam::Mat4 {
        let turn = glam::DMat4::from_mat3(self.axes().transpose());
        let near = (self.distance * 0.02).clamp(0.002, 0.1);
        let projection = if self.orthographic {
            let half = self.height_at_target() / 2.0;
            let far = self.distance + 200.0;
            // Near and far are swapped, so that depth is 1 at the near plane and 0 at the far one.
            glam::DMat4::orthographic_rh(-half * aspect, half * aspect, -half, half, far, -200.0)
        } else {
            glam::DMat4::perspective_infinite_reverse_rh(FIELD_OF_VIEW, aspect, near)
        };
        (projection * turn).as_mat4()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::pos2;

    fn rect() -> Rect {
        Rect::from_min_max(pos2(100.0, 50.0), pos2(900.0, 650.0))
    }

    #[test]
    fn the_ray_under_the_place_of_a_point_goes_through_it() {
        for orthographic in [false, true] {
            let camera = OrbitCamera { orthographic, target: DVec3::new(1e3, 1.0, -40.0), ..OrbitCamera::default() };
            let point = camera.target + DVec3::new(0.4, -0.3, 0.2);
            let ray = camera.ray(rect(), camera.project(rect(), point).unwrap());
            assert!(ray.distance_to(point).0 < 1e-4, "{orthographic}");
        }
    }

    #[test]
    fn clip_coordinates_agree_with_places() {
        for orthographic in [false, true] {
            let camera = OrbitCamera { orthographic, ..OrbitCamera::default() };
            let point = DVec3::new(0.3, 1.2, -0.4);
            let clip = camera.clip_from_eye(800.0 / 600.0) * (point - camera.eye()).as_vec3().extend(1.0);
            let place = camera.project(rect(), point).unwrap();
            let x = 100.0 + 400.0 * (1.0 + clip.x / clip.w);
            let y = 50.0 + 300.0 * (1.0 - clip.y / clip.w);
            assert!((x - place.x).abs() < 0.01 && (y - place.y).abs() < 0.01, "{orthographic}: {x} {y} {place:?}");
            assert!(clip.z / clip.w > 0.0 && clip.z / clip.w < 1.0);
        }
    }

    #[test]
    fn what_is_framed_is_seen_from_every_side() {
        let (low, high) = (DVec3::new(-2.0, 0.0, 1.0), DVec3::new(3.0, 2.0, 1.5));
        for side in [ViewAxis::Front, ViewAxis::Back, ViewAxis::Left, ViewAxis::Right, ViewAxis::Top, ViewAxis::Bottom]
        {
            let mut camera = OrbitCamera::default();
            camera.look_from(side);
            camera.frame(low, high, 800.0 / 600.0);
            for corner in 0..8 {
                let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
                let place = camera.project(rect(), DVec3::new(pick(0), pick(1), pick(2))).unwrap();
                assert!(rect().contains(place), "{side:?} {place:?}");
            }
        }
    }

    #[test]
    fn a_pan_keeps_what_is_at_the_target_under_the_pointer() {
        let mut camera = OrbitCamera::default();
        let point = camera.target;
        camera.pan(30.0, -12.0, f64::from(rect().height()));
        let place = camera.project(rect(), point).unwrap();
        assert!((place - (rect().center() + eframe::egui::vec2(30.0, -12.0))).length() < 1e-3);
    }
}
