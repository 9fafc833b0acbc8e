//! What a run measured of late, and its charts: energy, momentum, gaps of joints, time per step.

use std::collections::VecDeque;

use eframe::egui::{self, Color32, Ui};
use egui_plot::{AxisHints, GridMark, Line, LineStyle, Plot, PlotPoints};
use muybridge::simulation::Measures;

use crate::theme::Theme;
use crate::timeline::round_above;

/// Measures of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds.
    pub time: f64,
    /// Kinetic, potential energy, their sum: joules.
    pub energy: [f64; 3],
    /// Linear momentum, kg m/s, and angular momentum about the common center of mass, kg m²/s: lengths.
    pub momentum: [f64; 2],
    /// Worst gap of a joint and deepest contact, millimetres.
    pub gaps: [f64; 2],
    /// Milliseconds of the solver for this step.
    pub step: f64,
}

/// The last samples.
#[derive(Clone, Debug, Default)]
pub struct Trace(VecDeque<Sample>);

/// How many are kept.
const KEPT: usize = 480;

impl Sample {
    /// Of a frame at a time, whose step took so many milliseconds.
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
    /// Adds a sample.
    pub fn push(&mut self, sample: Sample) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(sample);
    }

    /// The last one.
    pub fn last(&self) -> Option<&Sample> {
        self.0.back()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows the four charts under each other, seconds along.
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
        // Over the chart and not in it, where it would cover what is at its end.
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

/// Two to five round numbers within these bounds.
fn marks((low, high): (f64, f64)) -> Vec<GridMark> {
    let step_size = round_above((high - low) / 5.0);
    let range = (low / step_size).ceil() as i64..=(high / step_size).floor() as i64;
    range.map(|index| GridMark { value: index as f64 * step_size, step_size }).collect()
}

/// A piece of a curve and its name.
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

/// A name, how it is drawn, and what of a sample it shows.
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
