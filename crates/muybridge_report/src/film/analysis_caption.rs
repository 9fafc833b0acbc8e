//! Words of an analysis film: over each motion its title, its verdict and what is wrong now; under it time and values,
//! each beside the mark that it belongs to.

use muybridge::analysis::{Analysis, Finding, Severity, Verdict};
use muybridge::glam::DVec3;

use crate::draw::{Canvas, Palette, Pen, TextAnchor, Type};
use crate::measure::Measure;

use super::caption::{self, amount, squares};
use super::ground::FloorGrid;
use super::ink::Inks;
use super::overlay;

/// Largest number of findings that are shown at once.
const MOST_FINDINGS: usize = 3;

/// Draws all words of a frame.
pub(super) fn draw(
    canvas: &mut Canvas,
    (title, analysis): (&str, &Analysis),
    frame: usize,
    inks: &Inks,
    ground: Option<&FloorGrid>,
) {
    let palette = inks.palette;
    let em = caption::size(canvas.height());
    let mut words = Words { canvas, palette, em };
    words.title(title, analysis);
    words.findings(analysis, frame);
    words.values(analysis, frame, ground);
}

/// A canvas with the size of its letters.
struct Words<'a> {
    canvas: &'a mut Canvas,
    palette: &'a Palette,
    em: f64,
}

/// The mark beside a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    MassCenter,
    Ballistic,
    ZeroMomentPoint,
    Linear,
    Angular,
}

impl Words<'_> {
    fn bold(&self) -> Type {
        Type { size: self.em, weight: 0.03, ink: self.palette.text, align: TextAnchor::Left }
    }

    fn plain(&self) -> Type {
        Type { size: 0.92 * self.em, weight: 0.015, ..self.bold() }
    }

    /// Title and verdict at the top left.
    fn title(&mut self, title: &str, analysis: &Analysis) {
        let (em, palette) = (self.em, self.palette);
        let (word, ink) = match analysis.verdict {
            Verdict::Plausible => ("plausible", palette.contact),
            Verdict::Implausible => ("implausible", palette.ballistic),
            Verdict::Undecided => ("undecided", palette.quiet),
        };
        let title: String = title.chars().filter(|character| !character.is_control()).collect();
        let width = f64::from(self.canvas.width());
        let room = width - 2.7 * em - self.canvas.lettering.width(word, em);
        let title = self.canvas.lettering.fit(&title, em, room.max(0.0));
        let (left, y) = (0.9 * em, 1.6 * em);
        let after = left + self.halo(&title, (left, y), self.bold()) + 0.9 * em;
        self.halo(word, (after, y), Type { ink, ..self.bold() });
    }

    /// Errors and warnings that are about the frame.
    fn findings(&mut self, analysis: &Analysis, frame: usize) {
        let em = self.em;
        let is_now = |finding: &&Finding| {
            finding.severity < Severity::Note && (finding.span.first..=finding.span.last).contains(&frame)
        };
        for (line, finding) in analysis.findings.iter().filter(is_now).take(MOST_FINDINGS).enumerate() {
            let y = (3.0 + 1.25 * line as f64) * em;
            let ink = if finding.severity == Severity::Error { self.palette.ballistic } else { self.palette.warning };
            overlay::warning(self.canvas, (1.35 * em, y - 0.32 * em), 0.48 * em, (ink, self.palette.paper));
            let text = format!("{}  {}", finding.id.name(), Measure::of(finding).text(finding.value));
            self.halo(&text.replace('-', "−"), (2.2 * em, y), self.plain());
        }
    }

    /// Time and values in two lines at the bottom.
    fn values(&mut self, analysis: &Analysis, frame: usize, ground: Option<&FloorGrid>) {
        let (em, palette) = (self.em, self.palette);
        let (width, height) = (f64::from(self.canvas.width()), f64::from(self.canvas.height()));
        let band = caption::share(self.canvas.height()) * height;
        self.canvas.rectangle((0.0, height - band), (width, band), palette.paper.faded(0.72));
        let rows = [height - 1.75 * em, height - 0.6 * em];
        let seconds = analysis.per_frame.time.get(frame).copied().unwrap_or_default();
        let time = format!("{seconds:.2} s [{frame}]");
        self.canvas.text(&time, (0.9 * em, rows[0]), self.bold());
        let after = 0.9 * em + self.canvas.lettering.width("00.00 s [0000]", em);
        let place = [standing(analysis, frame), falling(analysis, frame)].into_iter().flatten();
        let mut right = self.row(place, (after, rows[0]));
        if let Some(ground) = ground {
            let text = squares(ground.square);
            let style = Type { ink: palette.quiet, align: TextAnchor::Right, ..self.plain() };
            right += self.canvas.lettering.width(&text, style.size);
            if right < width - 0.9 * em {
                self.canvas.text(&text, (width - 0.9 * em, rows[0]), style);
            }
        }
        self.row(moving(analysis, frame), (0.9 * em, rows[1]));
    }

    /// Draws marks with their values, as many as fit; returns where the next would begin.
    fn row(&mut self, values: impl IntoIterator<Item = (Mark, String)>, (mut x, y): (f64, f64)) -> f64 {
        let (style, em) = (self.plain(), self.em);
        for (mark, text) in values {
            let width = self.canvas.lettering.width(&text, style.size);
            if x + 1.7 * em + width > f64::from(self.canvas.width()) - 0.5 * em {
                break;
            }
            self.mark(mark, (x + 0.7 * em, y - 0.33 * em));
            self.canvas.text(&text, (x + 1.7 * em, y), style);
            x += 1.7 * em + width + 1.1 * em;
        }
        x
    }

    fn mark(&mut self, mark: Mark, (x, y): (f64, f64)) {
        let (unit, palette) = (self.em / 13.0, self.palette);
        let half = 0.55 * self.em;
        let canvas = &mut *self.canvas;
        match mark {
            Mark::MassCenter => overlay::mass_center(canvas, (x, y), 3.6 * unit, palette),
            Mark::ZeroMomentPoint => overlay::diamond(canvas, (x, y), 4.8 * unit, palette),
            Mark::Ballistic => {
                canvas.disc((x, y), 3.4 * unit, palette.paper);
                canvas.ring((x, y), 3.4 * unit, Pen::new(palette.ballistic, 1.5 * unit));
            }
            Mark::Linear => {
                overlay::arrow(canvas, &[(x - half, y), (x + half, y)], (palette.linear_momentum, palette.paper), unit);
            }
            Mark::Angular => {
                let arc = (0..=16).map(|step| core::f64::consts::PI * (0.9 + 1.5 * f64::from(step) / 16.0));
                let points: Vec<_> =
                    arc.map(|angle| (x + 0.8 * half * libm::cos(angle), y + 0.8 * half * libm::sin(angle))).collect();
                overlay::arrow(canvas, &points, (palette.angular_momentum, palette.paper), 0.7 * unit);
            }
        }
    }

    /// Draws text with a rim of paper; returns its width.
    fn halo(&mut self, text: &str, at: (f64, f64), style: Type) -> f64 {
        self.canvas.text(text, at, Type { weight: 0.3, ink: self.palette.paper.faded(0.75), ..style });
        self.canvas.text(text, at, style)
    }
}

/// Height of the mass center above the floor, and where the zero-moment point is.
fn standing(analysis: &Analysis, frame: usize) -> Option<(Mark, String)> {
    let margin = analysis.per_frame.support_margin.get(frame).copied().flatten()?;
    let side = if margin < 0.0 { "outside" } else { "inside" };
    Some((Mark::ZeroMomentPoint, format!("zero-moment point {:.1} cm {side}", 100.0 * margin.abs())))
}

/// Distance from the path of free fall.
fn falling(analysis: &Analysis, frame: usize) -> Option<(Mark, String)> {
    let center = analysis.per_frame.mass_center.get(frame).copied().flatten()?;
    let flight = analysis.flights.iter().find(|flight| (flight.span.first..=flight.span.last).contains(&frame))?;
    let asked = flight.ballistic_path.get(frame - flight.span.first)?;
    Some((Mark::Ballistic, format!("{:.1} cm off free fall", 100.0 * center.distance(*asked))))
}

/// Mass center and momenta.
fn moving(analysis: &Analysis, frame: usize) -> Vec<(Mark, String)> {
    let rows = &analysis.per_frame;
    let now = |list: &[Option<DVec3>]| list.get(frame).copied().flatten().filter(|value| value.is_finite());
    let height = now(&rows.mass_center).zip(analysis.floor).map(|(center, floor)| center.y - floor);
    let height = height.map(|height| (Mark::MassCenter, format!("mass center {height:.2} m").replace('-', "−")));
    let linear = now(&rows.linear_momentum).map(|p| (Mark::Linear, format!("p {}", amount(p.length(), "kg m/s"))));
    let angular = now(&rows.angular_momentum).map(|h| (Mark::Angular, format!("L {}", amount(h.length(), "kg m²/s"))));
    [height, linear, angular].into_iter().flatten().collect()
}
