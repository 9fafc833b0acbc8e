//! Symbols of a plate: center of mass, ballistic path, contacts, heights.

use crate::draw::{Canvas, Ink, OrthographicView, Palette, Pen, TextAnchor, Type};

use muybridge::analysis::Verdict;

use super::grid::{self, SheetRect};
use super::subject::PlateSubject;

/// Draws the animated center of mass: a dot with a rim of paper.
pub(super) fn mass_center(canvas: &mut Canvas, at: (f64, f64), radius: f64, palette: &Palette) {
    canvas.disc(at, radius + 2.0, palette.paper);
    canvas.disc(at, radius, palette.mass_center);
}

/// Draws a frame of the ballistic path: an open circle.
pub(super) fn asked(canvas: &mut Canvas, at: (f64, f64), radius: f64, palette: &Palette) {
    canvas.disc(at, radius, palette.paper);
    canvas.ring(at, radius, Pen::new(palette.ballistic, 2.6));
}

/// Draws a verdict: a check, a cross or a ring, 28 pixels large around `at`.
pub(super) fn verdict(canvas: &mut Canvas, at: (f64, f64), (verdict, ink): (Verdict, Ink)) {
    let pen = Pen::new(ink, 4.6);
    let place = |x: f64, y: f64| (at.0 + x, at.1 + y);
    match verdict {
        Verdict::Plausible => canvas.polyline(&[place(-14.0, 1.0), place(-4.0, 12.0), place(15.0, -13.0)], pen),
        Verdict::Implausible => {
            canvas.line(place(-12.0, -12.0), place(12.0, 12.0), pen);
            canvas.line(place(-12.0, 12.0), place(12.0, -12.0), pen);
        }
        Verdict::Undecided => canvas.ring(at, 12.0, pen),
    }
}

/// Draws ticks in the floor under the bones in contact at a frame, at both ends of their contact points.
pub(super) fn contacts(
    canvas: &mut Canvas,
    subject: &PlateSubject,
    view: &OrthographicView,
    (frame, ink): (usize, Ink),
) {
    let Some(bones) = subject.analysis.per_frame.contacts.get(frame) else { return };
    let floor = view.pixel_y(subject.floor);
    for &bone in bones.iter().filter(|&&bone| bone < subject.character.skeleton.len()) {
        let points: Vec<f64> = subject
            .character
            .contacts
            .iter()
            .filter(|point| point.bone == bone)
            .map(|point| (subject.world.point(bone, frame, point.position), point.radius))
            .filter(|(place, radius)| (place.y - radius - subject.floor).abs() < 0.03 * subject.size)
            .map(|(place, _)| view.pixel(place).0)
            .collect();
        let low = points.iter().copied().fold(f64::INFINITY, f64::min);
        let high = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bone = view.pixel(subject.world.position(bone, frame)).0;
        let columns = match points.len() {
            0 => vec![bone],
            _ if high - low < 9.0 => vec![0.5 * (low + high)],
            _ => vec![low, high],
        };
        for x in columns {
            canvas.line((x, floor + 3.0), (x, floor + 15.0), Pen::new(ink, 4.0));
        }
    }
}

/// Draws heights above the floor at the left edge of a wall: every meter, or every bold line on a small wall.
pub(super) fn heights(canvas: &mut Canvas, view: &OrthographicView, frame: SheetRect, palette: &Palette) {
    let tall = (view.pixel_y(view.floor) - frame.top) / view.scale;
    let step = grid::label_step(view.scale, 105.0);
    let style = Type { size: 21.0, weight: 0.012, ink: palette.quiet, align: TextAnchor::Right };
    for index in 0..=(libm::floor(tall / step) as usize).min(40) {
        let height = index as f64 * step;
        let y = view.pixel_y(view.floor + height);
        if y - 8.0 < frame.top {
            break;
        }
        canvas.text(&grid::mark(height, step), (frame.left - 12.0, y + 7.0), style);
    }
}
