//! Recent measures of a run and their charts: energy, momentum, joint gaps, time per step.

use std::collections::VecDeque;

use eframe::egui::{self, Color32, Ui};
use egui_plot::{AxisHints, GridMark, Line, LineStyle, Plot, PlotPoints};
use muybridge::simulation::Measures;

use crate::theme::Theme;
use crate::timeline::round_above;

/// Measures of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Simulated time, seconds.
    pub time: f64,
    /// Kinetic energy, potential energy, and their sum, joules.
    pub energy: [f64; 3],
    /// Magnitudes of the linear momentum, kg m/s, and of the angular momentum about the common center of mass, kg
    /// m²/s.
    pub momentum: [f64; 2],
    /// Largest joint gap and deepest penetration, millimeters.
    pub gaps: [f64; 2],
    /// Solver time of this step, milliseconds.
    pub step: f64,
}

/// The most recent samples.
#[derive(Clone, Debug, Default)]
pub struct Trace(VecDeque<Sample>);

/// Greatest number of samples kept.
const KEPT: usize = 480;

impl Sample {
    /// Sample at a time in seconds, of a step that took `step` milliseconds.
    pub fn new(time: f64, measures: &Measures, step: f64) -> Self {
        let (kinetic, potential) = (measures.kinetic_energy, measures.potential_energy);
        Self {
            time,
            energy: [kinetic, potential, kinetic + potential],
            momentum: [measures.momentum.length(), measures.angular_momentum.length()],
            gaps: [measures.worst_gap * 1e3, measures.worst_penetration * 1e3],
            step,
        }
    }
}

impl Trace {
    /// Adds a sample; the oldest is dropped if there are too many.
    pub fn push(&mut self, sample: Sample) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(sample);
    }

    /// The most recent sample; `None` if there is none.
    pub fn last(&self) -> Option<&Sample> {
        self.0.back()
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows the four charts, one below the other, over time in seconds.
    pub fn charts(&self, ui: &mut Ui) {
        let theme = Theme::current(ui);
        let (a, b, c) = (theme.mass_center, theme.ballistic, theme.text);
        self.chart(
            ui,
            "Energy, J",
            &[
                ("kinetic", a, LineStyle::Solid, &|sample| sample.energy[0]),
                ("potential", b, LineStyle::dashed_loose(), &|sample| sample.energy[1]),
                ("sum", c, LineStyle::Solid, &|sample| sample.energy[2]),
            ],
        );
        self.chart(
            ui,
            "Momentum, kg m/s and kg m²/s",
            &[
                ("linear", theme.linear_momentum, LineStyle::Solid, &|sample| sample.momentum[0]),
                ("angular", theme.angular_momentum, LineStyle::dashed_loose(), &|sample| sample.momentum[1]),
            ],
        );
        self.chart(
            ui,
            "Joint gaps and contacts, mm",
            &[
                ("worst gap", a, LineStyle::Solid, &|sample| sample.gaps[0]),
                ("deepest contact", b, LineStyle::dashed_loose(), &|sample| sample.gaps[1]),
            ],
        );
        self.chart(ui, "Time per step, ms", &[("solver", c, LineStyle::Solid, &|sample| sample.step)]);
    }

    fn chart(&self, ui: &mut Ui, title: &str, lines: &[TraceCurve<'_>]) {
        let theme = Theme::current(ui);
        ui.horizontal(|ui| {
            ui.strong(title);
            if let (Some(sample), Some((.., of))) = (self.last(), lines.last()) {
                ui.weak(format!("{:.4}", of(sample)));
            }
        });
        // The legend is above the chart, as inside it would cover the newest values.
        if lines.len() > 1 {
            ui.horizontal(|ui| lines.iter().for_each(|line| named(ui, line)));
        }
        let plot = Plot::new(title)
            .height(92.0)
            .allow_zoom(false)
            .allow_drag(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .include_y(0.0)
            .custom_y_axes(vec![AxisHints::new_y().min_thickness(44.0).label_spacing(11.0..=17.0)])
            .y_grid_spacer(|input| marks(input.bounds))
            .x_axis_formatter(|mark, _| format!("{} s", mark.value))
            .show_axes([true, true])
            .grid_color(theme.line);
        plot.show(ui, |plot| {
            for (name, color, style, of) in lines {
                let points: PlotPoints<'_> = self.0.iter().map(|sample| [sample.time, of(sample)]).collect();
                plot.line(Line::new(*name, points).color(*color).width(1.5).style(*style));
            }
        });
        ui.add_space(4.0);
    }
}

/// Grid marks: two to five round numbers within the bounds.
fn marks((low, high): (f64, f64)) -> Vec<GridMark> {
    let step_size = round_above((high - low) / 5.0);
    let range = (low / step_size).ceil() as i64..=(high / step_size).floor() as i64;
    range.map(|index| GridMark { value: index as f64 * step_size, step_size }).collect()
}

/// Legend entry: a piece of the curve and its name.
fn named(ui: &mut Ui, (name, color, style, _): &TraceCurve<'_>) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(18.0, 10.0), egui::Sense::hover());
    let (from, to, stroke) = (rect.left_center(), rect.right_center(), egui::Stroke::new(1.8, *color));
    if *style == LineStyle::Solid {
        ui.painter().line_segment([from, to], stroke);
    } else {
        ui.painter().extend(egui::Shape::dashed_line(&[from, to], stroke, 5.0, 3.0));
    }
    ui.label(egui::RichText::new(*name).small());
    ui.add_space(6.0);
}

/// A curve of a chart: name, color, line style, and the function that takes its value from a sample.
type TraceCurve<'a> = (&'a str, Color32, LineStyle, &'a dyn Fn(&Sample) -> f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_chart_shows_two_to_five_round_numbers_stand_beside_it() {
        for high in [0.003, 0.9, 1.0, 7.3, 70_000.0, 99.0, 123.0, 4.1e6] {
            let values: Vec<f64> = marks((0.0, high)).iter().map(|mark| mark.value).collect();
            assert!((3..=6).contains(&values.len()) && values[0] == 0.0, "{high}: {values:?}");
        }
    }
}
