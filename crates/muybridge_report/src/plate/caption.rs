//! The title of a plate: clip, facts and verdict.

use crate::labels::title as title_of;
use muybridge::analysis::{Severity, Verdict};

use crate::draw::{Canvas, Palette, TextAnchor, Type};

use super::grid::{self, SheetRect};
use super::marks;
use super::subject::PlateSubject;

/// Draws clip, facts and verdict over the first row, whose exposures have `scale` pixels per meter.
pub(super) fn title(canvas: &mut Canvas, subject: &PlateSubject, frame: SheetRect, scale: f64, palette: &Palette) {
    let analysis = subject.analysis;
    let (word, ink) = match analysis.verdict {
        Verdict::Plausible => ("plausible", palette.contact),
        Verdict::Implausible => ("implausible", palette.ballistic),
        Verdict::Undecided => ("undecided", palette.quiet),
    };
    let verdict = Type { size: 52.0, weight: 0.012, ink, align: TextAnchor::Right };
    let width = canvas.text(word, (frame.right(), frame.top + 56.0), verdict) + 56.0;
    marks::verdict(canvas, (frame.right() - width + 16.0, frame.top + 38.0), (analysis.verdict, ink));
    let file = subject.labels.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = title_of(&[file, &analysis.clip, &subject.labels.character]);
    let name: String = name.chars().filter(|character| !character.is_control()).collect();
    let heading = Type { size: 60.0, weight: 0.006, ink: palette.text, align: TextAnchor::Left };
    let name = canvas.lettering.fit(&name, heading.size, frame.width - width - 60.0);
    canvas.text(&name, (frame.left - 3.0, frame.top + 56.0), heading);
    let quiet = Type { size: 25.0, weight: 0.012, ink: palette.quiet, align: TextAnchor::Left };
    let facts = canvas.lettering.fit(&facts(subject, scale), quiet.size, frame.width - 330.0);
    canvas.text(&facts, (frame.left, frame.top + 103.0), quiet);
    let count = |severity| analysis.findings.iter().filter(|finding| finding.severity == severity).count();
    let counts = [(count(Severity::Error), "error"), (count(Severity::Warning), "warning")]
        .map(|(number, word)| format!("{number} {word}{}", if number == 1 { "" } else { "s" }));
    canvas.text(&counts.join(", "), (frame.right(), frame.top + 103.0), Type { align: TextAnchor::Right, ..quiet });
}

/// Frame rate, spacing of the exposures, mass and scale in one line.
fn facts(subject: &PlateSubject, scale: f64) -> String {
    let analysis = subject.analysis;
    let (first, last) = subject.shown();
    let step = subject.frames.get(1).map_or(0, |second| second - first);
    let spacing = match step {
        0 => String::new(),
        1 => format!("   ·   every frame, {}", seconds(subject.frame_time)),
        step => format!("   ·   every {} frames, {}", step, seconds(step as f64 * subject.frame_time)),
    };
    // Leave out the reason of the unit, because the line has to fit.
    let unit = subject.labels.unit.split(" (").next().unwrap_or_default();
    let unit = if unit.is_empty() { String::new() } else { format!("   ·   {unit}") };
    format!(
        "frames {first}–{last} of {}, {} fps{spacing}   ·   {:.1} kg, {}   ·   squares of {}{unit}",
        analysis.frames,
        libm::round(analysis.frames_per_second * 100.0) / 100.0,
        analysis.mass,
        analysis.body_source,
        grid::length(grid::square(scale)),
    )
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.0995 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}
