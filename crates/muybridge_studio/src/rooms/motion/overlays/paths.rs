//! Where the center of mass goes, where it stands over the floor, and where free fall would take it.

use muybridge::analysis::Flight;
use muybridge::correction::path::BallisticPath;
use muybridge::glam::DVec3;

use super::OverlayInput;
use crate::view::{Drawing, DrawnLine, Sign, Stroke};

/// Frames of the path at either side of the cursor, of clips that are longer.
const REACH: usize = 1000;
/// Seconds of the path at either side of the cursor that are drawn in full weight.
const NEAR: f64 = 0.5;
/// Seconds from a flight in which it is drawn in full.
const BESIDE: f64 = 1.5;
/// Curves of a family, and the parts each is drawn in.
const CURVES: usize = 11;
const PARTS: usize = 32;

/// Thin over the clip, thick around the cursor, with a dot at its place.
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

/// A circle on the floor under the center of mass, with a drop line.
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

/// The free fall of each flight, dashed, an open circle at each of its frames; faint where the cursor is far.
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
            // How far the motion is from it.
            if let Some(center) = scene.mass_center() {
                drawing.path(&[center, *at], 1.4, color, Stroke::Solid);
            }
        }
    }
}

/// Free falls between the ends of the flight at the cursor, from the minimum to the maximum time, fading away from its own.
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

/// A unit vector in the plane of the floor, `turn` of the way around.
pub(super) fn around_y(turn: f64) -> DVec3 {
    let (sine, cosine) = (turn * std::f64::consts::TAU).sin_cos();
    DVec3::new(cosine, 0.0, sine)
}

impl OverlayInput<'_> {
    /// The center of mass at the cursor.
    pub(super) fn mass_center(&self) -> Option<DVec3> {
        self.now(&self.motion.analysis.per_frame.mass_center)
    }

    /// What a row of values holds at the cursor.
    pub(super) fn now<T: Copy>(&self, rows: &[Option<T>]) -> Option<T> {
        rows.get(self.frame).copied().flatten()
    }

    /// Number of frames in a time.
    fn frames(&self, seconds: f64) -> usize {
        (seconds * self.motion.analysis.frames_per_second).round().max(1.0) as usize
    }

    fn is_near(&self, flight: &Flight) -> bool {
        let reach = self.frames(BESIDE);
        flight.span.first <= self.frame + reach && self.frame <= flight.span.last + reach
    }
}
