//! The words on a plate: title, verdict, key and what was found.

use muybridge::analysis::{FindingId, FindingSection, Flight, Severity, Verdict};

use crate::draw::{Canvas, Palette, Pen, TextAnchor, Type};

use super::exposures::badness;
use super::grid::{self, SheetRect};
use super::marks;
use super::panel::WidePanel;
use super::subject::PlateSubject;

/// Clip, facts and verdict over the first row.
pub(super) fn title(canvas: &mut Canvas, subject: &PlateSubject, (frame, scale): (SheetRect, f64), palette: &Palette) {
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
    let name = [file, analysis.clip.as_str()];
    let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
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

/// Rate, spacing of the exposures, mass and scale in one line.
fn facts(subject: &PlateSubject, scale: f64) -> String {
    let analysis = subject.analysis;
    let (first, last) = subject.shown();
    let step = subject.frames.get(1).map_or(0, |second| second - first);
    let spacing = match step {
        0 => String::new(),
        1 => format!("   ·   every frame, {}", seconds(subject.frame_time)),
        step => format!("   ·   every {} frames, {}", step, seconds(step as f64 * subject.frame_time)),
    };
    // The unit without its reason: the line has to fit.
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

/// Beside the panel: the flights in numbers, the key to the signs, and the gravest finding.
pub(super) fn column(
    canvas: &mut Canvas,
    subject: &PlateSubject,
    (frame, panel): (SheetRect, &WidePanel),
    palette: &Palette,
) {
    let mut y = frame.top;
    let (first, last) = subject.shown();
    let shown = |flight: &&Flight| flight.span.first <= last && flight.span.last >= first;
    let mut flights: Vec<&Flight> = subject.analysis.flights.iter().filter(shown).collect();
    flights.sort_by(|a, b| badness(b).total_cmp(&badness(a)).then(a.span.first.cmp(&b.span.first)));
    for flight in flights.iter().take(1) {
        y = flight_numbers(canvas, subject, flight, (frame, y), palette);
    }
    if flights.is_empty() {
        y = balance_numbers(canvas, subject, (frame, y), palette);
    }
    y = key(canvas, subject, (frame, panel, y), palette);
    let findings = &subject.analysis.findings;
    let errors = || findings.iter().filter(|finding| finding.severity == Severity::Error);
    let of_flight = flights.first().and_then(|flight| {
        errors().find(|finding| finding.span.first <= flight.span.last && finding.span.last >= flight.span.first)
    });
    let gravest = of_flight.or_else(|| findings.iter().find(|finding| finding.severity != Severity::Note));
    let gravest = gravest.or_else(|| findings.first());
    if let Some(finding) = gravest {
        let ink = if finding.severity == Severity::Error { palette.ballistic } else { palette.text };
        let head = Type { size: 22.0, weight: 0.035, ink, align: TextAnchor::Left };
        canvas.text(finding.id.name(), (frame.left, y + 20.0), head);
        paragraph(
            canvas,
            &finding.message,
            SheetRect { top: y + 26.0, height: frame.bottom() - y - 26.0, ..frame },
            palette,
        );
    }
}

/// The gravity of a flight large, what it means small.
fn flight_numbers(
    canvas: &mut Canvas,
    subject: &PlateSubject,
    flight: &Flight,
    (frame, top): (SheetRect, f64),
    palette: &Palette,
) -> f64 {
    let outside = subject.analysis.findings.iter().any(|finding| {
        finding.id == FindingId::FlightGravity
            && finding.span.first <= flight.span.last
            && finding.span.last >= flight.span.first
    });
    let ink = if outside { palette.ballistic } else { palette.text };
    let large = Type { size: 76.0, weight: 0.0, ink, align: TextAnchor::Left };
    let width =
        canvas.text(&format!("{:.2} g", flight.gravity).replace('-', "−"), (frame.left - 4.0, top + 58.0), large);
    let quiet = Type { size: 23.0, weight: 0.014, ink: palette.quiet, align: TextAnchor::Left };
    canvas.text(&format!("± {:.2}", flight.gravity_standard_error), (frame.left + width + 14.0, top + 58.0), quiet);
    canvas.text("gravity the body falls with", (frame.left, top + 96.0), quiet);
    let body = Type { size: 25.0, weight: 0.018, ink: palette.text, align: TextAnchor::Left };
    let span = format!(
        "in the air {:.2}–{:.2} s  ({}–{})",
        flight.span.start, flight.span.end, flight.span.first, flight.span.last
    );
    canvas.text(&span, (frame.left, top + 140.0), body);
    let frames = match flight.frames_to_add {
        0 => "its number of frames is right".to_owned(),
        count => {
            let plural = if count.abs() == 1 { "" } else { "s" };
            format!("{} frame{plural} too {}", count.abs(), if count > 0 { "few" } else { "many" })
        }
    };
    canvas.text(&frames, (frame.left, top + 174.0), body);
    top + 222.0
}

/// How much of the time the zero-moment point is where it can be, where that is known.
fn balance_numbers(
    canvas: &mut Canvas,
    subject: &PlateSubject,
    (frame, top): (SheetRect, f64),
    palette: &Palette,
) -> f64 {
    let Some(inside) = subject.analysis.balance.inside_fraction else { return top };
    let outside = subject.analysis.findings.iter().any(|finding| finding.id.section() == FindingSection::Balance);
    let ink = if outside { palette.ballistic } else { palette.text };
    let large = Type { size: 76.0, weight: 0.0, ink, align: TextAnchor::Left };
    canvas.text(&format!("{:.0} %", libm::floor(100.0 * inside + 1e-9)), (frame.left - 4.0, top + 58.0), large);
    let quiet = Type { size: 23.0, weight: 0.014, ink: palette.quiet, align: TextAnchor::Left };
    canvas.text("of the time the zero-moment point", (frame.left, top + 96.0), quiet);
    canvas.text("lies inside the support", (frame.left, top + 125.0), quiet);
    top + 170.0
}

/// What the signs mean.
fn key(
    canvas: &mut Canvas,
    subject: &PlateSubject,
    (frame, panel, top): (SheetRect, &WidePanel, f64),
    palette: &Palette,
) -> f64 {
    let (x, words) = (frame.left, frame.left + 78.0);
    let style = Type { size: 23.0, weight: 0.014, ink: palette.text, align: TextAnchor::Left };
    let quiet = Type { ink: palette.quiet, size: 21.0, ..style };
    canvas.line((x, top), (frame.right(), top), Pen::new(palette.quiet.toward(palette.paper, 0.5), 1.2));
    let mut y = top + 38.0;
    canvas.line((x, y - 8.0), (x + 60.0, y - 8.0), Pen::new(palette.mass_center, 4.0));
    marks::mass_center(canvas, (x + 30.0, y - 8.0), 7.0, palette);
    canvas.text("center of mass", (words, y), style);
    y += 38.0;
    if !subject.analysis.flights.is_empty() {
        canvas.line((x, y - 8.0), (x + 60.0, y - 8.0), Pen::new(palette.ballistic, 3.2).dashed(13.0, 10.0));
        marks::asked(canvas, (x + 30.0, y - 8.0), 6.0, palette);
        canvas.text(&format!("the path {:.2} m/s² asks for", subject.analysis.gravity), (words, y), style);
        y += 38.0;
    }
    for offset in [18.0, 30.0, 42.0] {
        canvas.line((x + offset, y - 15.0), (x + offset, y - 2.0), Pen::new(palette.contact, 4.0));
    }
    canvas.text("contact", (words, y), style);
    y += 38.0;
    y = scale(canvas, (x, words, y), (panel, style), palette);
    for line in canvas.lettering.wrap(&spacing_note(subject, panel), quiet.size, frame.width) {
        canvas.text(&line, (x, y), quiet);
        y += 28.0;
    }
    canvas.line((x, y - 2.0), (frame.right(), y - 2.0), Pen::new(palette.quiet.toward(palette.paper, 0.5), 1.2));
    y + 22.0
}

/// A piece of the grid with the length of its squares.
fn scale(
    canvas: &mut Canvas,
    (x, words, y): (f64, f64, f64),
    (panel, style): (&WidePanel, Type),
    palette: &Palette,
) -> f64 {
    let side = grid::square(panel.view.scale);
    let pen = Pen::new(palette.quiet, 1.6);
    let bar = (side * panel.view.scale).min(60.0);
    let count = libm::floor(60.0 / bar).clamp(1.0, 4.0);
    let left = x + 0.5 * (60.0 - count * bar);
    for index in 0..=count as usize {
        let at = left + index as f64 * bar;
        canvas.line((at, y - 8.0 - 0.5 * bar), (at, y - 8.0 + 0.5 * bar), pen);
    }
    for row in [-0.5, 0.5] {
        canvas.line((left, y - 8.0 + row * bar), (left + count * bar, y - 8.0 + row * bar), pen);
    }
    let text = format!("squares of {}, bold {}", grid::length(side), grid::length(10.0 * side));
    canvas.text(&text, (words, y), style);
    y + 40.0
}

/// How the figures of the panel are set apart.
fn spacing_note(subject: &PlateSubject, panel: &WidePanel) -> String {
    let treadmill = subject.analysis.treadmill.length();
    let note = if panel.spread != 0.0 {
        "The motion hardly travels: figures are set apart evenly in time, left to right. Heights are to scale."
            .to_owned()
    } else if treadmill > 0.0 {
        format!("The clip stays in place; figures stand where they would on ground moving {treadmill:.2} m/s.")
    } else {
        "Figures stand where they happened.".to_owned()
    };
    let floor = " Nothing ever rests: heights count from the lowest point shown.";
    if subject.analysis.floor.is_some() { note } else { note + floor }
}

/// Wrapped text, as many lines as the frame holds.
fn paragraph(canvas: &mut Canvas, text: &str, frame: SheetRect, palette: &Palette) {
    let style = Type { size: 22.0, weight: 0.014, ink: palette.text, align: TextAnchor::Left };
    let lines = canvas.lettering.wrap(text, style.size, frame.width);
    let room = (frame.height / 29.0) as usize;
    for (index, line) in lines.iter().take(room).enumerate() {
        let cut = index + 1 == room && lines.len() > room;
        let line = if cut { format!("{line} …") } else { line.clone() };
        canvas.text(&line, (frame.left, frame.top + 24.0 + 29.0 * index as f64), style);
    }
}
