//! Move gizmo of the selected thing: three arrows along the axes, and a square that moves in the plane facing the
//! camera.

use eframe::egui::{Color32, Pos2, Rect};
use muybridge::glam::DVec3;

use crate::theme::Theme;
use crate::view::{Drawing, OrbitCamera, Ray, Sign};

/// A part of the move gizmo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GizmoPart {
    /// Arrow that moves along an axis.
    Axis(DVec3),
    /// Square that moves in the plane with this normal.
    Plane(DVec3),
}

/// A drag of the move gizmo.
#[derive(Clone, Copy, Debug)]
pub struct Dragged {
    /// The dragged part.
    pub grip: GizmoPart,
    /// Position of the gizmo when the drag began, meters.
    pub from: DVec3,
    /// Point of the gizmo that the pointer grabbed, meters.
    grabbed: DVec3,
}

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

/// Length of the arrows as a fraction of the view's height.
const LENGTH: f64 = 0.11;

/// Greatest distance between pointer and arrow for picking, points of the screen.
const NEAR: f32 = 9.0;

/// Draws the move gizmo at a position.
pub fn draw(drawing: &mut Drawing, at: DVec3, camera: &OrbitCamera, theme: &Theme) {
    let length = LENGTH * camera.height_at_target();
    for (axis, color) in AXES.into_iter().zip(colors(theme)) {
        drawing.path(&[at, at + axis * length], 2.5, color, crate::view::Stroke::Solid);
        drawing.handle(Sign::Disc, at + axis * length, 10.0, color);
    }
    drawing.handle(Sign::Square, at, 10.0, theme.accent);
}

fn colors(theme: &Theme) -> [Color32; 3] {
    [theme.ballistic, theme.contact, theme.mass_center]
}

/// Part of a gizmo at `at` that is under the pointer; `None` if there is none.
pub fn pick(at: DVec3, camera: &OrbitCamera, rect: Rect, pointer: Pos2) -> Option<GizmoPart> {
    let middle = camera.project(rect, at)?;
    if middle.distance(pointer) < NEAR {
        return Some(GizmoPart::Plane(camera.axes().z_axis));
    }
    let length = LENGTH * camera.height_at_target();
    let near = |axis: &DVec3| {
        let end = camera.project(rect, at + *axis * length)?;
        let along = end - middle;
        let share = ((pointer - middle).dot(along) / along.length_sq().max(1e-3)).clamp(0.0, 1.0);
        let distance = (middle + along * share).distance(pointer);
        (along.length() > 2.0 * NEAR && distance < NEAR).then_some((distance, *axis))
    };
    let nearest = AXES.iter().filter_map(near).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, axis)| GizmoPart::Axis(axis))
}

impl Dragged {
    /// Starts a drag of a part of the gizmo at `from`.
    pub fn begin(grip: GizmoPart, from: DVec3, ray: &Ray) -> Self {
        Self { grip, from, grabbed: on(grip, from, ray).unwrap_or(from) }
    }

    /// Displacement of the gizmo since the drag began, meters; rounded to tenths of a meter if `snaps`.
    pub fn by(&self, ray: &Ray, snaps: bool) -> Option<DVec3> {
        let by = on(self.grip, self.from, ray)? - self.grabbed;
        Some(if snaps { (by * 10.0).round() / 10.0 } else { by })
    }
}

/// Point on the part's line or plane through `from` that is nearest to the ray.
fn on(grip: GizmoPart, from: DVec3, ray: &Ray) -> Option<DVec3> {
    match grip {
        GizmoPart::Plane(normal) => ray.meets_plane(from, normal),
        GizmoPart::Axis(axis) => {
            // (from + s a − o − t d) is perpendicular to both a and d.
            let (between, both) = (from - ray.origin, axis.dot(ray.direction));
            let scale = 1.0 - both * both;
            let along = (both * between.dot(ray.direction) - between.dot(axis)) / scale;
            (scale > 1e-6).then_some(from + axis * along)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::pos2;

    #[test]
    fn an_arrow_moves_along_its_axis_by_what_the_pointer_moves() {
        let (camera, rect) = (OrbitCamera::default(), Rect::from_min_max(pos2(0.0, 0.0), pos2(800.0, 600.0)));
        let at = DVec3::new(0.2, 1.0, 0.3);
        let length = LENGTH * camera.height_at_target();
        let pointer = camera.project(rect, at + DVec3::Y * length * 0.6).unwrap();
        let grip = pick(at, &camera, rect, pointer).unwrap();
        assert_eq!(grip, GizmoPart::Axis(DVec3::Y));
        let dragged = Dragged::begin(grip, at, &camera.ray(rect, pointer));
        let later = camera.project(rect, at + DVec3::Y * (length * 0.6 + 0.5)).unwrap();
        let by = dragged.by(&camera.ray(rect, later), false).unwrap();
        assert!((by - DVec3::Y * 0.5).length() < 1e-4, "{by}");
        assert_eq!(dragged.by(&camera.ray(rect, later), true).unwrap(), DVec3::Y * 0.5);
    }
}
