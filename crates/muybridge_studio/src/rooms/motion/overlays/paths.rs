//! Overlays of the center of mass: its path, its projection on the floor, and its ballistic path.

use muybridge::analysis::Flight;
use muybridge::correction::BallisticPath;
use muybridge::glam::DVec3;

use super::OverlayInput;
use crate::view::{Drawing, DrawnLine, Sign, Stroke};

/// Greatest number of frames of the path that are drawn on either side of the cursor.
const REACH: usize = 1000;
/// Seconds of the path on either side of the cursor that are drawn thick.
const NEAR: f64 = 0.5;
/// Time between cursor and flight, seconds, up to which the flight's path is drawn in full color.
const BESIDE: f64 = 1.5;
/// Number of curves of a family, and number of line segments per curve.
const CURVES: usize = 11;
const PARTS: usize = 32;

/// Path of the center of mass: thin over the clip, thick around the cursor, with a dot at the current position.
pub(super) fn mass_center(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (color, centers) = (scene.theme.mass_center, &scene.motion.analysis.per_frame.mass_center);
    let around = |reach: usize| -> Vec<DVec3> {
        let (first, end) = (scene.frame.saturating_sub(reach), (scene.frame + reach + 1).min(centers.len()));
        centers.get(first..end).unwrap_or_default().iter().copied().flatten().collect()
    };
    drawing.path(&around(REACH), 1.6, color.gamma_multiply(0.5), Stroke::Solid);
    drawing.path(&around(scene.frames(NEAR)), 3.0, color, Stroke::Solid);
    if let Some(at) = scene.mass_center() {
        drawing.handle(Sign::Disc, at, 13.0, scene.theme.well);
        drawing.handle(Sign::Disc, at, 10.0, color);
    }
}

/// Projection of the center of mass: a circle on the floor with a drop line.
pub(super) fn ground(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (Some(at), Some(floor)) = (scene.mass_center(), scene.motion.analysis.floor) else { return };
    let (foot, color) = (at.with_y(floor + 0.002), scene.theme.mass_center);
    drawing.lines.push(DrawnLine { on_top: true, ..DrawnLine::new(at, foot, 1.2, color.gamma_multiply(0.7)) });
    let ring: Vec<DVec3> = (0..=32).map(|i| foot + 0.06 * around_y(f64::from(i) / 32.0)).collect();
    drawing.path(&ring, 2.2, color, Stroke::Solid);
    for arm in [DVec3::X, DVec3::Z] {
        drawing.path(&[foot - 0.03 * arm, foot + 0.03 * arm], 1.6, color, Stroke::Solid);
    }
}

/// Ballistic path of each flight, dashed, with open circles at its frames; faint if the cursor is far away.
pub(super) fn ballistic(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let color = scene.theme.ballistic;
    for flight in &scene.motion.analysis.flights {
        let near = scene.is_near(flight);
        let (width, shade) = if near { (2.4, color) } else { (1.4, color.gamma_multiply(0.4)) };
        drawing.path(&flight.ballistic_path, width, shade, Stroke::Dashed(0.06));
        if !near {
            continue;
        }
        let each = flight.ballistic_path.len().div_ceil(40).max(1);
        for at in flight.ballistic_path.iter().step_by(each) {
            drawing.handle(Sign::Circle, *at, 6.5, color);
        }
        let now = scene.frame.checked_sub(flight.span.first).and_then(|row| flight.ballistic_path.get(row));
        if let Some(at) = now {
            drawing.handle(Sign::Circle, *at, 15.0, color);
            // Line from the center of mass to the ballistic path at this frame.
            if let Some(center) = scene.mass_center() {
                drawing.path(&[center, *at], 1.4, color, Stroke::Solid);
            }
        }
    }
}

/// Family of ballistic paths between the ends of the flight at the cursor, from the shortest to the longest time; they
/// fade away from the flight's own duration.
pub(super) fn family(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let analysis = &scene.motion.analysis;
    let gravity = DVec3::NEG_Y * analysis.gravity;
    for flight in analysis.flights.iter().filter(|flight| scene.is_near(flight)) {
        let duration = flight.span.end - flight.span.start;
        let (Some(&from), Some(&to)) = (flight.ballistic_path.first(), flight.ballistic_path.last()) else { continue };
        let [least, most] = scene.overlays.family_times;
        let span = (least * duration, most * duration);
        if !(span.0 > 0.0 && span.1 > span.0) {
            continue;
        }
        for path in BallisticPath::family(from, to, span, CURVES, gravity) {
            let share = path.duration / duration;
            let away = ((share - 1.0) / if share < 1.0 { least - 1.0 } else { most - 1.0 }).clamp(0.0, 1.0);
            let color = scene.theme.ballistic.gamma_multiply(0.65 - 0.45 * away as f32);
            drawing.path(&path.frames(PARTS), 1.3, color, Stroke::Dashed(0.04));
        }
    }
}

/// Unit vector in the floor plane; `turn` is the fraction of a full turn about y.
pub(super) fn around_y(turn: f64) -> DVec3 {
    let (sine, cosine) = (turn * std::f64::consts::TAU).sin_cos();
    DVec3::new(cosine, 0.0, sine)
}

impl OverlayInput<'_> {
    /// Center of mass at the cursor, meters.
    pub(super) fn mass_center(&self) -> Option<DVec3> {
        self.now(&self.motion.analysis.per_frame.mass_center)
    }

    /// Value of a per-frame row at the cursor; `None` if that frame has no value.
    pub(super) fn now<T: Copy>(&self, rows: &[Option<T>]) -> Option<T> {
        rows.get(self.frame).copied().flatten()
    }

    /// Number of frames in a time, at least 1.
    fn frames(&self, seconds: f64) -> usize {
        (seconds * self.motion.analysis.frames_per_second).round().max(1.0) as usize
    }

    fn is_near(&self, flight: &Flight) -> bool {
        let reach = self.frames(BESIDE);
        flight.span.first <= self.frame + reach && self.frame <= flight.span.last + reach
    }
}
