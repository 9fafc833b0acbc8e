//! Charts of measures over the time of a run, stacked above one time axis.

use muybridge::simulation::Recording;
use muybridge::simulation::recording::Measures;

use crate::draw::{Canvas, Ink, Palette, Pen, TextAnchor, Type};

use super::caption::amount;

/// A rectangle of the plate, pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// One curve of a chart.
pub(super) struct FilmCurve {
    pub name: &'static str,
    pub ink: Ink,
    /// Lengths of dash and gap, pixels.
    pub dash: Option<(f64, f64)>,
    pub value: fn(&Measures) -> f64,
}

/// A chart: title, unit and curves.
pub(super) struct FilmChart {
    pub title: &'static str,
    pub unit: &'static str,
    pub curves: Vec<FilmCurve>,
}

/// The charts of a plate: energy, linear momentum and angular momentum.
pub(super) fn charts(palette: &Palette) -> Vec<FilmChart> {
    let curve = |name, ink, dash, value: fn(&Measures) -> f64| FilmCurve { name, ink, dash, value };
    vec![
        FilmChart {
            title: "Energy",
            unit: "J",
            curves: vec![
                curve("kinetic", palette.ballistic, None, |m| m.kinetic_energy),
                curve("potential", palette.mass_center, Some((13.0, 8.0)), |m| m.potential_energy),
                curve("sum", palette.text, Some((2.0, 6.0)), |m| m.kinetic_energy + m.potential_energy),
            ],
        },
        FilmChart {
            title: "Linear momentum",
            unit: "kg m/s",
            curves: vec![curve("|p|", palette.warning, None, |m| m.momentum.length())],
        },
        FilmChart {
            title: "Angular momentum",
            unit: "kg m²/s",
            curves: vec![curve("|L|", palette.text, None, |m| m.angular_momentum.length())],
        },
    ]
}

/// Smallest value range that is drawn to scale, in the unit of the chart.
const LEAST: f64 = 1e-6;

impl FilmChart {
    /// Draws the curves of all frames in `area`, with thin vertical lines at the `marked` frames.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        area: Area,
        recording: &Recording,
        marked: &[usize],
        palette: &Palette,
    ) {
        let name = Type { size: 22.0, weight: 0.03, ink: palette.text, align: TextAnchor::Left };
        let quiet = Type { size: 20.0, weight: 0.014, ink: palette.quiet, align: TextAnchor::Right };
        let heading = canvas.text(self.title, (area.left, area.top - 12.0), name);
        self.key(canvas, (area.left + heading + 34.0, area.top - 12.0));
        let hair = Pen::new(palette.quiet.toward(palette.paper, 0.72), 1.2);
        for &frame in marked {
            let x = self.x(area, recording, frame);
            canvas.line((x, area.top), (x, area.bottom()), hair);
        }
        let (low, high) = self.range(recording);
        let y = |value: f64| area.bottom() - (value - low) / (high - low) * area.height;
        for value in [low, 0.0, high] {
            let at = y(value);
            let axis = Pen::new(palette.quiet.toward(palette.paper, if value == 0.0 { 0.2 } else { 0.6 }), 1.2);
            canvas.line((area.left, at), (area.right(), at), axis);
            if value != 0.0 || low == 0.0 || (at - area.top).min(area.bottom() - at) > 24.0 {
                let text = if value == 0.0 { "0".to_owned() } else { amount(value, self.unit) };
                canvas.text(&text, (area.left - 12.0, at + 7.0), quiet);
            }
        }
        for curve in &self.curves {
            let mut points: Vec<(f64, f64)> = Vec::new();
            for (frame, measures) in recording.measures.iter().enumerate().take(recording.frames) {
                let value = (curve.value)(measures);
                if value.is_finite() {
                    points.push((self.x(area, recording, frame), y(value)));
                }
            }
            let pen = Pen { ink: curve.ink, width: 2.6, dash: curve.dash };
            canvas.polyline(&points, pen);
        }
    }

    /// Draws the legend: a piece of each curve and its name.
    fn key(&self, canvas: &mut Canvas, (mut x, y): (f64, f64)) {
        for curve in self.curves.iter().filter(|_| self.curves.len() > 1) {
            canvas.line((x, y - 7.0), (x + 40.0, y - 7.0), Pen { ink: curve.ink, width: 2.6, dash: curve.dash });
            let style = Type { size: 20.0, weight: 0.014, ink: curve.ink, align: TextAnchor::Left };
            x += 50.0 + canvas.text(curve.name, (x + 50.0, y), style) + 30.0;
        }
    }

    fn x(&self, area: Area, recording: &Recording, frame: usize) -> f64 {
        area.left + area.width * frame as f64 / recording.frames.saturating_sub(1).max(1) as f64
    }

    /// Smallest and largest value, with 0 included.
    fn range(&self, recording: &Recording) -> (f64, f64) {
        let values = || {
            let frames = recording.measures.iter().take(recording.frames);
            frames.flat_map(|m| self.curves.iter().map(move |curve| (curve.value)(m))).filter(|value| value.is_finite())
        };
        let (low, high) = values().fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        // A smaller range is rounding noise.
        if high - low > LEAST { (low, high) } else { (0.0, 1.0) }
    }
}

/// Draws the time axis: ticks 1, 2 or 5 times a power of ten apart, with room for their labels, seconds.
pub(super) fn time_axis(canvas: &mut Canvas, area: Area, recording: &Recording, palette: &Palette) {
    let seconds = recording.frames.saturating_sub(1) as f64 * recording.frame_time;
    if seconds <= 0.0 {
        return;
    }
    let style = Type { size: 20.0, weight: 0.014, ink: palette.quiet, align: TextAnchor::Middle };
    let mut step = 1e-3;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(30) {
        if step / seconds * area.width >= 150.0 {
            break;
        }
        step *= factor;
    }
    let digits = if step < 0.0095 {
        3
    } else if step < 0.095 {
        2
    } else if step < 0.95 {
        1
    } else {
        0
    };
    for index in 0..=libm::floor(seconds / step + 1e-9) as usize {
        let time = index as f64 * step;
        let x = area.left + area.width * time / seconds;
        canvas.line((x, area.bottom()), (x, area.bottom() + 8.0), Pen::new(palette.quiet, 1.4));
        let unit = if index == 0 { " s" } else { "" };
        canvas.text(&format!("{time:.digits$}{unit}"), (x, area.bottom() + 30.0), style);
    }
}
