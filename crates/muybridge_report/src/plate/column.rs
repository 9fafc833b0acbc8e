//! The words beside the panel of a plate: the headline in numbers, the key to the signs, and the finding in its sentences.

use muybridge::analysis::{Finding, FindingId, FindingSection, Flight, Severity};

use crate::draw::{Canvas, Palette, Pen, TextAnchor, Type};
use crate::measure::Measure;
use crate::terminal::numbers;

use super::grid::{self, SheetRect};
use super::headline;
use super::marks;
use super::panel::WidePanel;
use super::subject::PlateSubject;

/// Draws the column.
pub(super) fn draw(
    canvas: &mut Canvas,
    subject: &PlateSubject,
    frame: SheetRect,
    panel: &WidePanel,
    palette: &Palette,
) {
    let analysis = subject.analysis;
    let headline = headline::headline(analysis);
    let (first, last) = subject.shown();
    let is_shown = |flight: &&Flight| flight.span.first <= last && flight.span.last >= first;
    let flight = headline::shown_flight(analysis).filter(is_shown);
    let mut column = CaptionColumn { canvas, subject, frame, panel, palette, y: frame.top };
    match (headline, flight) {
        (Some(finding), flight) if finding.id != FindingId::FlightGravity || flight.is_none() => {
            column.finding_numbers(finding);
        }
        (_, Some(flight)) => column.flight_numbers(flight),
        (_, None) => column.balance_numbers(),
    }
    column.key();
    if let Some(finding) = headline.or(analysis.findings.first()) {
        column.sentences(finding);
    }
}

/// The column while it is drawn, from top to bottom.
struct CaptionColumn<'a> {
    canvas: &'a mut Canvas,
    subject: &'a PlateSubject<'a>,
    frame: SheetRect,
    panel: &'a WidePanel,
    palette: &'a Palette,
    /// Upper end of what is still empty, pixels from the top of the sheet.
    y: f64,
}

impl CaptionColumn<'_> {
    /// The gravity of a flight large, with its time and frames under it.
    fn flight_numbers(&mut self, flight: &Flight) {
        let outside = self.subject.analysis.findings.iter().any(|finding| {
            finding.id == FindingId::FlightGravity
                && finding.span.first <= flight.span.last
                && finding.span.last >= flight.span.first
        });
        let width = self.large(&format!("{:.2} g", flight.gravity), outside);
        let error = format!("± {}", numbers::gravity(flight.gravity_standard_error));
        self.canvas.text(&error, (self.frame.left + width + 14.0, self.y + 58.0), self.quiet());
        self.canvas.text(FindingId::FlightGravity.facts().quantity, (self.frame.left, self.y + 96.0), self.quiet());
        self.canvas.text(&in_the_air(flight), (self.frame.left, self.y + 140.0), self.body());
        let frames = match flight.frames_to_add {
            0 => "its number of frames is right".to_owned(),
            count => {
                let plural = if count.abs() == 1 { "" } else { "s" };
                format!("{} frame{plural} too {}", count.abs(), if count > 0 { "few" } else { "many" })
            }
        };
        self.canvas.text(&frames, (self.frame.left, self.y + 174.0), self.body());
        self.y += 222.0;
    }

    /// The value of a finding large, with its quantity and its time under it.
    fn finding_numbers(&mut self, finding: &Finding) {
        let analysis = self.subject.analysis;
        self.large(&Measure::of(finding).text(finding.value), true);
        self.y += 96.0;
        for line in self.canvas.lettering.wrap(finding.id.facts().quantity, self.quiet().size, self.frame.width) {
            self.canvas.text(&line, (self.frame.left, self.y), self.quiet());
            self.y += 29.0;
        }
        let span = finding.span;
        let everywhere = span.first <= analysis.range.0 && span.last + 1 >= analysis.range.1;
        let place = match headline::flight_of(analysis, finding) {
            Some(flight) => in_the_air(flight),
            None if everywhere => "over the whole clip".to_owned(),
            None => format!("{:.2}–{:.2} s  ({}–{})", span.start, span.end, span.first, span.last),
        };
        self.canvas.text(&place, (self.frame.left, self.y + 15.0), self.body());
        self.y += 63.0;
    }

    /// The part of the time in which the zero-moment point lies inside the support, where that is known.
    fn balance_numbers(&mut self) {
        let analysis = self.subject.analysis;
        let Some(inside) = analysis.balance.inside_fraction else { return };
        let outside = analysis.findings.iter().any(|finding| finding.id.section() == FindingSection::Balance);
        self.large(&format!("{:.0} %", libm::floor(100.0 * inside + 1e-9)), outside);
        self.canvas.text("of the time the zero-moment point", (self.frame.left, self.y + 96.0), self.quiet());
        self.canvas.text("lies inside the support", (self.frame.left, self.y + 125.0), self.quiet());
        self.y += 170.0;
    }

    /// Explains the signs.
    fn key(&mut self) {
        let (x, words, right) = (self.frame.left, self.frame.left + 78.0, self.frame.right());
        let palette = self.palette;
        let style = Type { size: 23.0, weight: 0.014, ink: palette.text, align: TextAnchor::Left };
        let quiet = Type { ink: palette.quiet, size: 21.0, ..style };
        let rule = Pen::new(palette.quiet.toward(palette.paper, 0.5), 1.2);
        self.canvas.line((x, self.y), (right, self.y), rule);
        let mut y = self.y + 38.0;
        self.canvas.line((x, y - 8.0), (x + 60.0, y - 8.0), Pen::new(palette.mass_center, 4.0));
        marks::mass_center(self.canvas, (x + 30.0, y - 8.0), 7.0, palette);
        self.canvas.text("center of mass", (words, y), style);
        y += 38.0;
        if !self.subject.analysis.flights.is_empty() {
            self.canvas.line((x, y - 8.0), (x + 60.0, y - 8.0), Pen::new(palette.ballistic, 3.2).dashed(13.0, 10.0));
            marks::asked(self.canvas, (x + 30.0, y - 8.0), 6.0, palette);
            let text = format!("the path {:.2} m/s² asks for", self.subject.analysis.gravity);
            self.canvas.text(&text, (words, y), style);
            y += 38.0;
        }
        for offset in [18.0, 30.0, 42.0] {
            self.canvas.line((x + offset, y - 15.0), (x + offset, y - 2.0), Pen::new(palette.contact, 4.0));
        }
        self.canvas.text("contact", (words, y), style);
        y += 38.0;
        self.squares(y);
        let side = grid::square(self.panel.view.scale);
        let text = format!("squares of {}, bold {}", grid::length(side), grid::length(10.0 * side));
        self.canvas.text(&text, (words, y), style);
        y += 40.0;
        let note = spacing_note(self.subject, self.panel);
        for line in self.canvas.lettering.wrap(&note, quiet.size, self.frame.width) {
            self.canvas.text(&line, (x, y), quiet);
            y += 28.0;
        }
        self.canvas.line((x, y - 2.0), (right, y - 2.0), rule);
        self.y = y + 22.0;
    }

    /// Draws a piece of the panel's grid, its middle 8 pixels above `y`.
    fn squares(&mut self, y: f64) {
        let side = grid::square(self.panel.view.scale);
        let pen = Pen::new(self.palette.quiet, 1.6);
        let bar = (side * self.panel.view.scale).min(60.0);
        let count = libm::floor(60.0 / bar).clamp(1.0, 4.0);
        let left = self.frame.left + 0.5 * (60.0 - count * bar);
        for index in 0..=count as usize {
            let at = left + index as f64 * bar;
            self.canvas.line((at, y - 8.0 - 0.5 * bar), (at, y - 8.0 + 0.5 * bar), pen);
        }
        for row in [-0.5, 0.5] {
            self.canvas.line((left, y - 8.0 + row * bar), (left + count * bar, y - 8.0 + row * bar), pen);
        }
    }

    /// Id and message of a finding, as many lines as there is room for.
    fn sentences(&mut self, finding: &Finding) {
        let palette = self.palette;
        let ink = if finding.severity == Severity::Error { palette.ballistic } else { palette.text };
        let head = Type { size: 22.0, weight: 0.035, ink, align: TextAnchor::Left };
        self.canvas.text(finding.id.name(), (self.frame.left, self.y + 20.0), head);
        let top = self.y + 26.0;
        let style = Type { size: 22.0, weight: 0.014, ink: palette.text, align: TextAnchor::Left };
        let lines = self.canvas.lettering.wrap(&finding.message, style.size, self.frame.width);
        let room = ((self.frame.bottom() - top) / 29.0) as usize;
        for (index, line) in lines.iter().take(room).enumerate() {
            let cut = index + 1 == room && lines.len() > room;
            let line = if cut { format!("{line} …") } else { line.clone() };
            self.canvas.text(&line, (self.frame.left, top + 24.0 + 29.0 * index as f64), style);
        }
    }

    /// Draws a number at the head of the column; returns its width in pixels.
    fn large(&mut self, number: &str, outside: bool) -> f64 {
        let ink = if outside { self.palette.ballistic } else { self.palette.text };
        let style = Type { size: 76.0, weight: 0.0, ink, align: TextAnchor::Left };
        self.canvas.text(&number.replace('-', "−"), (self.frame.left - 4.0, self.y + 58.0), style)
    }

    fn quiet(&self) -> Type {
        Type { size: 23.0, weight: 0.014, ink: self.palette.quiet, align: TextAnchor::Left }
    }

    fn body(&self) -> Type {
        Type { size: 25.0, weight: 0.018, ink: self.palette.text, align: TextAnchor::Left }
    }
}

/// "in the air 0.90–1.37 s  (27–41)".
fn in_the_air(flight: &Flight) -> String {
    let span = flight.span;
    format!("in the air {:.2}–{:.2} s  ({}–{})", span.start, span.end, span.first, span.last)
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
