//! What is drawn of a motion at the time of the cursor, each part with a toggle of its own.

use muybridge::glam::DVec3;

use super::document::Motion;
use crate::theme::Theme;
use crate::timeline::Bar;
use crate::view::{Drawing, Line, Sign, Stroke};

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlays {
    /// Solids of the bodies.
    pub bodies: bool,
    /// Lines from bone to bone.
    pub skeleton: bool,
    /// The center of mass and its path.
    pub mass_center: bool,
    /// The paths physics asks for.
    pub ballistic: bool,
    /// Zero-moment point and support polygon.
    pub support: bool,
}

impl Default for Overlays {
    fn default() -> Self {
        Self { bodies: true, skeleton: false, mass_center: true, ballistic: true, support: true }
    }
}

impl Overlays {
    /// Each toggle with its name and what it shows.
    pub fn toggles(&mut self) -> [(&mut bool, &'static str, &'static str); 5] {
        [
            (&mut self.bodies, "Bodies", "The solids that carry the mass"),
            (&mut self.skeleton, "Skeleton", "Lines from bone to bone"),
            (&mut self.mass_center, "Mass center", "The center of mass, its path, and its foot on the floor"),
            (&mut self.ballistic, "Ballistic path", "The path physics asks for in each flight, dashed"),
            (&mut self.support, "Support", "Zero-moment point (diamond) and support polygon"),
        ]
    }
}

/// What is drawn at a frame.
pub fn drawing(motion: &Motion, frame: usize, overlays: &Overlays, theme: &Theme) -> Drawing {
    let floor = motion.analysis.floor;
    let mut drawing = Drawing { floor: Some(floor.unwrap_or(0.0)), ..Drawing::default() };
    let character = &motion.prepared.character;
    let pose = |bone: usize| motion.pose(bone, frame);
    if overlays.bodies {
        drawing.character(character, pose, theme.body);
    }
    if overlays.skeleton {
        drawing.skeleton(character, pose, theme.text);
    }
    if overlays.mass_center {
        mass_center(&mut drawing, motion, frame, theme);
    }
    if overlays.ballistic {
        for flight in &motion.analysis.flights {
            drawing.path(&flight.ballistic_path, 2.5, theme.ballistic, Stroke::Dashed(0.06));
            if (flight.span.first..=flight.span.last).contains(&frame)
                && let Some(&at) = flight.ballistic_path.get(frame - flight.span.first)
            {
                drawing.handle(Sign::Circle, at, 12.0, theme.ballistic);
            }
        }
    }
    if overlays.support {
        support(&mut drawing, motion, frame, theme);
    }
    drawing
}

/// Another motion at a time in seconds, as a ghost.
pub fn ghost(drawing: &mut Drawing, motion: &Motion, time: f64, theme: &Theme) {
    let clip = &motion.prepared.clip;
    let frame = ((time / clip.frame_time).round() as usize).min(clip.frames().saturating_sub(1));
    drawing.character(&motion.prepared.character, |bone| motion.pose(bone, frame), theme.quiet.gamma_multiply(0.35));
    let path: Vec<DVec3> = motion.analysis.per_frame.mass_center.iter().copied().flatten().collect();
    drawing.path(&path, 1.5, theme.quiet, Stroke::Solid);
}

fn mass_center(drawing: &mut Drawing, motion: &Motion, frame: usize, theme: &Theme) {
    let path: Vec<DVec3> = motion.analysis.per_frame.mass_center.iter().copied().flatten().collect();
    drawing.path(&path, 2.0, theme.mass_center, Stroke::Solid);
    let Some(Some(at)) = motion.analysis.per_frame.mass_center.get(frame).copied() else { return };
    drawing.handle(Sign::Disc, at, 10.0, theme.mass_center);
    if let Some(floor) = motion.analysis.floor {
        let foot = at.with_y(floor);
        drawing.lines.push(Line::new(at, foot, 1.0, theme.mass_center.gamma_multiply(0.7)));
        drawing.mark(Sign::Circle, foot, 10.0, theme.mass_center);
    }
}

fn support(drawing: &mut Drawing, motion: &Motion, frame: usize, theme: &Theme) {
    let per_frame = &motion.analysis.per_frame;
    if let Some(corners) = per_frame.support_polygon.get(frame).filter(|corners| corners.len() > 1) {
        let mut closed = corners.clone();
        closed.extend(corners.first());
        drawing.polyline(&closed, 2.5, theme.contact, Stroke::Solid);
    }
    if let Some(Some(at)) = per_frame.zero_moment_point.get(frame) {
        drawing.handle(Sign::Diamond, *at, 12.0, theme.zero_moment_point);
    }
}

/// Rows of bars under the time line: what flies, what touches.
pub const ROWS: [&str; 2] = ["flight", "contact"];

/// Bars of the motion for these rows.
pub fn bars(motion: &Motion, theme: &Theme) -> Vec<Bar> {
    let analysis = &motion.analysis;
    let mut bars = Vec::new();
    for flight in &analysis.flights {
        let words = format!("flight {:.2}–{:.2} s, {:.2} g", flight.span.start, flight.span.end, flight.gravity);
        bars.push(Bar { row: ROWS[0], frames: (flight.span.first, flight.span.last), color: theme.ballistic, words });
    }
    for span in &analysis.unseen_support {
        let words = format!("carried by something the clip does not show, {:.2}–{:.2} s", span.start, span.end);
        bars.push(Bar { row: ROWS[0], frames: (span.first, span.last), color: theme.unseen, words });
    }
    let touches = analysis.per_frame.contacts.iter().map(|bones| !bones.is_empty());
    for (first, end) in muybridge::analysis::contacts::runs(touches) {
        let words = format!("contact, frames {first} to {}", end - 1);
        bars.push(Bar { row: ROWS[1], frames: (first, end - 1), color: theme.contact, words });
    }
    bars
}
