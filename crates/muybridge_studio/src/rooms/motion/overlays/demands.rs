//! Overlays of the dynamics at the cursor: momenta, zero-moment point, support polygon and contacts.

use eframe::egui::Color32;
use muybridge::glam::DVec3;

use super::OverlayInput;
use super::paths::around_y;
use crate::view::drawing::y_along;
use crate::view::{Drawing, DrawnLine, Sign, Stroke};

/// Length of the longest arrow of a clip, meters, before its scale is rounded.
const LONGEST: f64 = 0.8;
/// Distance between the hatching lines of a polygon, meters.
const HATCH: f64 = 0.025;
/// Height at which overlays on the floor are drawn above it, meters.
const LIFT: f64 = 0.003;
/// Length of a contact tick, meters.
const TICK: f64 = 0.06;

/// Linear momentum as an arrow from the center of mass.
pub(super) fn linear_momentum(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let rows = &scene.motion.analysis.per_frame.linear_momentum;
    let (Some(from), Some(momentum)) = (scene.mass_center(), scene.now(rows)) else { return };
    arrow(drawing, from, momentum / per_meter(rows), scene.theme.linear_momentum);
}

/// Angular momentum as an arrow from the center of mass along its axis, with an arc in the sense of rotation.
pub(super) fn angular_momentum(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (rows, color) = (&scene.motion.analysis.per_frame.angular_momentum, scene.theme.angular_momentum);
    let (Some(from), Some(momentum)) = (scene.mass_center(), scene.now(rows)) else { return };
    let way = momentum / per_meter(rows);
    if way.length() < 0.02 {
        return;
    }
    arrow(drawing, from, way, color);
    // Seen from the tip, z to x is counter-clockwise.
    let (turn, radius) = (y_along(way), (0.3 * way.length()).clamp(0.08, 0.18));
    let at = |angle: f64| from + turn * DVec3::new(angle.sin(), 0.0, angle.cos()) * radius;
    let arc: Vec<DVec3> = (0..=40).map(|i| at(f64::from(i) * 0.12)).collect();
    drawing.path(&arc, 2.2, color, Stroke::Solid);
    let heading = (at(4.85) - at(4.75)).normalize_or_zero();
    head(drawing, at(4.8) + heading * 0.05, heading, 0.06, color);
}

/// Zero-moment point as a diamond; with a rim and a warning sign if it is outside of the support polygon.
pub(super) fn zero_moment_point(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (per_frame, theme) = (&scene.motion.analysis.per_frame, scene.theme);
    let Some(at) = scene.now(&per_frame.zero_moment_point) else { return };
    let outside = scene.now(&per_frame.support_margin).is_some_and(|margin| margin < 0.0);
    drawing.handle(
        Sign::Diamond,
        at,
        if outside { 22.0 } else { 17.0 },
        if outside { theme.ballistic } else { theme.well },
    );
    drawing.handle(Sign::Diamond, at, 14.0, theme.zero_moment_point);
    if outside {
        drawing.handle(Sign::Warning, at + 0.12 * DVec3::Y, 15.0, theme.ballistic);
    }
}

/// Support polygon: outline and hatching on the floor.
pub(super) fn support(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let Some(corners) = scene.motion.analysis.per_frame.support_polygon.get(scene.frame) else { return };
    let lifted: Vec<DVec3> = corners.iter().map(|corner| *corner + LIFT * DVec3::Y).collect();
    for (from, to) in hatching(&lifted) {
        drawing.lines.push(DrawnLine::new(from, to, 1.2, scene.theme.contact.gamma_multiply(0.75)));
    }
    if lifted.len() > 1 {
        let closed: Vec<DVec3> = lifted.iter().chain(lifted.first()).copied().collect();
        drawing.polyline(&closed, 2.6, scene.theme.contact, Stroke::Solid);
        drawing.path(&closed, 1.0, scene.theme.contact.gamma_multiply(0.6), Stroke::Solid);
    }
}

/// Contacts: short ticks into the floor under the lowest points of each bone in contact.
pub(super) fn contacts(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (motion, color) = (scene.motion, scene.theme.contact);
    let (Some(floor), Some(bones)) = (motion.analysis.floor, motion.analysis.per_frame.contacts.get(scene.frame))
    else {
        return;
    };
    for bone in bones {
        let (position, rotation) = motion.pose(*bone, scene.frame);
        let own = motion.prepared.character.contacts.iter().filter(|contact| contact.bone == *bone);
        let mut points: Vec<DVec3> =
            own.map(|contact| position + rotation * contact.position - contact.radius * DVec3::Y).collect();
        if points.is_empty() {
            points.push(position);
        }
        let lowest = points.iter().fold(f64::INFINITY, |least, point| least.min(point.y));
        for point in points.iter().filter(|point| point.y < lowest + 0.03) {
            drawing.path(&[point.with_y(floor), point.with_y(floor - TICK)], 3.0, color, Stroke::Solid);
        }
    }
}

/// Unseen support: a dotted box under the body while something that the clip does not show supports it.
pub(super) fn unseen(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (motion, analysis) = (scene.motion, &scene.motion.analysis);
    let Some(center) = scene.mass_center() else { return };
    if !analysis.unseen_support.iter().any(|span| (span.first..=span.last).contains(&scene.frame)) {
        return;
    }
    let floor = analysis.floor.unwrap_or(0.0);
    let heights = (0..motion.prepared.character.skeleton.len()).map(|bone| motion.pose(bone, scene.frame).0.y);
    let lowest = heights.fold(center.y, f64::min);
    let top = if lowest > floor + 0.2 { lowest } else { (center.y - 0.15).max(floor + 0.1) };
    let corner = |x: f64, y: f64, z: f64| DVec3::new(center.x + 0.3 * x, y, center.z + 0.3 * z);
    let ring =
        |y: f64| [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, z)| corner(x, y, z));
    for line in [ring(floor).to_vec(), ring(top).to_vec()] {
        drawing.path(&line, 2.0, scene.theme.unseen, Stroke::Dashed(0.03));
    }
    for (x, z) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        drawing.path(&[corner(x, floor, z), corner(x, top, z)], 2.0, scene.theme.unseen, Stroke::Dashed(0.03));
    }
}

/// Scale of the arrows: a round number of the row's unit per meter, so that the longest arrow of the clip is near
/// [`LONGEST`].
fn per_meter(rows: &[Option<DVec3>]) -> f64 {
    let largest = rows.iter().flatten().map(|row| row.length()).filter(|length| length.is_finite()).fold(0.0, f64::max);
    let wanted = if largest > 0.0 { largest / LONGEST } else { 1.0 };
    let decade = 10_f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0].map(|step| step * decade).into_iter().find(|step| *step >= 0.999 * wanted).unwrap_or(10.0 * decade)
}

/// Draws an arrow on top of everything, as its foot is inside the body.
fn arrow(drawing: &mut Drawing, from: DVec3, way: DVec3, color: Color32) {
    let length = way.length();
    if !(length > 1e-3 && length.is_finite()) {
        return;
    }
    let (toward, size) = (way / length, (0.35 * length).min(0.09));
    drawing.path(&[from, from + way - toward * (0.8 * size)], 3.2, color, Stroke::Solid);
    head(drawing, from + way, toward, size, color);
}

/// Draws a filled arrow head of length `size`: lines from the tip to the rim of its base, close enough to look solid.
fn head(drawing: &mut Drawing, tip: DVec3, toward: DVec3, size: f64, color: Color32) {
    let (turn, foot) = (y_along(toward), tip - toward * size);
    for side in 0..24 {
        let rim = foot + turn * around_y(f64::from(side) / 24.0) * (0.36 * size);
        drawing.path(&[rim, tip], 1.8, color, Stroke::Solid);
    }
}

/// Lines at 45° over a convex polygon on the floor.
fn hatching(corners: &[DVec3]) -> Vec<(DVec3, DVec3)> {
    let level = |point: DVec3| (point.x + point.z) / std::f64::consts::SQRT_2;
    let (low, high) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), corner| {
        (low.min(level(*corner)), high.max(level(*corner)))
    });
    if corners.len() < 3 || !(high - low).is_finite() || high - low >= 10.0 {
        return Vec::new();
    }
    let crossing = |at: f64| {
        let next = corners.iter().cycle().skip(1);
        let cuts = corners.iter().zip(next).filter_map(|(a, b)| {
            let (from, to) = (level(*a) - at, level(*b) - at);
            ((from < 0.0) != (to < 0.0)).then(|| a.lerp(*b, from / (from - to)))
        });
        let cuts: Vec<DVec3> = cuts.collect();
        Some((*cuts.first()?, *cuts.get(1)?))
    };
    let lines = ((low / HATCH).ceil() as i64)..=((high / HATCH).floor() as i64);
    lines.filter_map(|line| crossing(line as f64 * HATCH)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatching_stays_inside_and_covers_a_square_evenly() {
        let square = [(0.0, 0.0), (0.3, 0.0), (0.3, 0.2), (0.0, 0.2)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let lines = hatching(&square);
        let length: f64 = lines.iter().map(|(from, to)| from.distance(*to)).sum();
        assert!((length * HATCH / 0.06 - 1.0).abs() < 0.05, "{length}");
        let inside = |at: &DVec3| (-1e-9..0.3 + 1e-9).contains(&at.x) && (-1e-9..0.2 + 1e-9).contains(&at.z);
        assert!(lines.iter().all(|(from, to)| inside(from) && inside(to)));
        assert!(hatching(&square[..2]).is_empty());
    }

    #[test]
    fn the_longest_arrow_is_near_its_length_and_its_scale_round() {
        let rows = [None, Some(DVec3::X * 210.0), Some(DVec3::Y * 12.0)];
        assert_eq!(per_meter(&rows), 500.0);
        assert_eq!(per_meter(&[]), 1.0);
    }
}
