//! Overlays for size and distance: ghosts of the motion, a measuring pole, and meters along the floor.

use eframe::egui::{self, Align2, Color32, FontId, Rect, Ui, vec2};
use muybridge::glam::DVec3;

use super::{OverlayInput, Overlays};
use crate::motions::AnalyzedMotion;
use crate::theme::Theme;
use crate::view::{Drawing, DrawnLine, OrbitCamera, Stroke};

/// Opacity of a ghost.
const GHOST: f32 = 0.28;
/// Distance between the pole and the start of the motion, meters.
const BEFORE: f64 = 0.35;

/// Ghosts at frames evenly spaced over the analyzed range, including the first and the last.
pub(super) fn exposures(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let (motion, theme) = (scene.motion, scene.theme);
    for frame in exposed(motion, scene.overlays.exposure_count) {
        if frame == scene.frame {
            continue;
        }
        let (character, pose) = (&motion.prepared.character, |bone: usize| motion.pose(bone, frame));
        if scene.overlays.bodies {
            drawing.character(character, pose, theme.body.gamma_multiply(GHOST));
        } else {
            drawing.skeleton(character, pose, theme.body.gamma_multiply(0.6));
        }
    }
}

/// Frames at which ghosts are drawn.
pub(super) fn exposed(motion: &AnalyzedMotion, count: usize) -> Vec<usize> {
    let (first, end) = motion.analysis.range;
    let last = end.saturating_sub(1).max(first);
    let count = count.clamp(2, (last - first + 1).max(2));
    (0..count).map(|i| first + (last - first) * i / (count - 1)).collect()
}

/// A pole behind the motion with a tick every 10 cm, and a line along the floor beside it with a tick every meter.
pub(super) fn pole(drawing: &mut Drawing, scene: &OverlayInput<'_>) {
    let Some(rule) = Rule::of(scene.motion) else { return };
    let (color, thin) = (scene.theme.quiet, scene.theme.quiet.gamma_multiply(0.7));
    drawing.polyline(&[rule.foot, rule.foot + DVec3::Y * rule.height], 2.0, color, Stroke::Solid);
    for step in 0..=(rule.height * 10.0).round() as i32 {
        let long = if step % 10 == 0 {
            0.1
        } else if step % 5 == 0 {
            0.06
        } else {
            0.03
        };
        let at = rule.foot + DVec3::Y * (f64::from(step) / 10.0);
        drawing.lines.push(DrawnLine::new(at, at + rule.along * long, 1.2, thin));
    }
    drawing.polyline(&[rule.foot, rule.foot + rule.along * rule.length], 2.0, color, Stroke::Solid);
    for metre in 0..=rule.length.round() as i32 {
        let at = rule.foot + rule.along * f64::from(metre);
        drawing.lines.push(DrawnLine::new(at - rule.across * 0.06, at + rule.across * 0.06, 1.6, color));
    }
}

/// Text over the view: meters on the pole and along the floor, frame numbers at the ghosts.
pub fn labels(ui: &Ui, rect: Rect, camera: &OrbitCamera, motion: &AnalyzedMotion, overlays: &Overlays) {
    let theme = Theme::current(ui);
    let painter = ui.painter().with_clip_rect(rect);
    let words = |at: DVec3, offset: egui::Vec2, align: Align2, text: String, color: Color32| {
        if let Some(place) = camera.project(rect, at) {
            let font = FontId::proportional(11.5);
            let around = [vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, 1.0)];
            for shift in around {
                painter.text(place + offset + shift, align, &text, font.clone(), theme.backdrop[1].gamma_multiply(0.8));
            }
            painter.text(place + offset, align, text, font, color);
        }
    };
    if let Some(rule) = Rule::of(motion).filter(|_| overlays.scale) {
        for metre in 1..=rule.height.round() as i32 {
            let at = rule.foot + DVec3::Y * f64::from(metre);
            words(at, vec2(-6.0, 0.0), Align2::RIGHT_CENTER, format!("{metre} m"), theme.text);
        }
        for metre in 0..=rule.length.round() as i32 {
            let at = rule.foot + rule.along * f64::from(metre) + rule.across * 0.12;
            words(at, vec2(0.0, 0.0), Align2::CENTER_CENTER, format!("{metre} m"), theme.text);
        }
    }
    if overlays.exposures {
        let floor = motion.analysis.floor.unwrap_or(0.0);
        let mut taken: Vec<egui::Pos2> = Vec::new();
        for frame in exposed(motion, overlays.exposure_count) {
            let Some(Some(center)) = motion.analysis.per_frame.mass_center.get(frame) else { continue };
            let foot = center.with_y(floor);
            let Some(place) = camera.project(rect, foot) else { continue };
            // Numbers of ghosts that stand close together would overlap.
            if taken.iter().all(|other| other.distance(place) > 26.0) {
                taken.push(place);
                words(foot, vec2(0.0, 14.0), Align2::CENTER_TOP, frame.to_string(), theme.text);
            }
        }
    }
}

/// Position and size of the measuring pole and the floor line.
struct Rule {
    foot: DVec3,
    /// Unit vector along the floor line.
    along: DVec3,
    /// Unit vector along the floor away from the motion.
    across: DVec3,
    /// Height of the pole and length of the floor line, rounded up to whole meters.
    height: f64,
    length: f64,
}

impl Rule {
    /// Puts the rule at the back corner of the motion's bounding box, as seen from the side, along the box's longer
    /// side.
    fn of(motion: &AnalyzedMotion) -> Option<Self> {
        let (low, high) = motion.extent()?;
        let floor = motion.analysis.floor.unwrap_or(low.y);
        let size = high - low;
        let (along, across) = if size.x >= size.z { (DVec3::X, DVec3::NEG_Z) } else { (DVec3::Z, DVec3::NEG_X) };
        let whole = |length: f64| length.clamp(1.0, 50.0).ceil();
        let foot = DVec3::new(low.x, floor + 0.002, low.z) + across * 0.25 - along * BEFORE;
        Some(Self { foot, along, across, height: whole(high.y - floor), length: whole(size.dot(along) + BEFORE) })
    }
}
