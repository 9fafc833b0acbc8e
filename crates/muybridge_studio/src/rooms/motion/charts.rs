//! Charts of the motion below the time line, sharing its time axis: center of mass, ground force, angular momentum,
//! ZMP margin.
//!
//! ```text
//! height of the center of mass against free fall, m          vertical ground force, body weights
//! angular momentum x, y, z about the center of mass, kg m²/s  margin of the zero-moment point inside the support, cm
//! ```
//! A click or drag in a chart moves the cursor. All values come from the analysis.

use std::sync::Arc;

use eframe::egui::{self, Color32, FontId, Rect, Sense, Ui, pos2, vec2};
use egui_plot::{
    GridMark, HLine, Line, LineStyle, Plot, PlotBounds, PlotPoint, PlotPoints, PlotTransform, Points, Span,
};
use muybridge::analysis::{Analysis, Finding, FindingCurve, Severity};
use muybridge::glam::DVec3;

use crate::icon::{self, Icon};
use crate::motions::AnalyzedMotion;
use crate::theme::{Theme, mix};
use crate::timeline::{LABELS, Timeline, round_above};

/// Height of the title line over a chart, and the margin on the right that the time line leaves too, points.
const HEADER: f32 = 17.0;
const RIGHT: f32 = 8.0;
/// Smallest and greatest height of a chart, points.
const HEIGHTS: std::ops::RangeInclusive<f32> = 34.0..=160.0;

/// The charts of the room: which are closed, and the curves of the analysis that is shown.
#[derive(Debug, Default)]
pub struct Charts {
    closed: [bool; 4],
    drawn: Option<(Arc<Analysis>, Vec<MotionChart>)>,
}

/// A chart of one or more curves over time.
#[derive(Debug)]
struct MotionChart {
    title: &'static str,
    unit: &'static str,
    decimals: usize,
    curves: Vec<MotionCurve>,
    /// Lowest and highest value of the vertical axis.
    reach: (f64, f64),
    /// Reference value drawn as a line, and the least allowed value; `None` if the chart has none.
    level: Option<f64>,
    least: Option<f64>,
    /// The curve: the chart marks the findings that name it.
    curve: FindingCurve,
}

/// A curve with one value per frame; NaN if a frame has no value.
#[derive(Debug)]
struct MotionCurve {
    name: &'static str,
    ink: fn(&Theme) -> Color32,
    style: LineStyle,
    circles: bool,
    values: Vec<f64>,
}

impl Charts {
    /// Shows all charts that have values.
    pub fn ui(&mut self, ui: &mut Ui, motion: &AnalyzedMotion, timeline: &mut Timeline) {
        let analysis = &motion.analysis;
        if !self.drawn.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, analysis)) {
            self.drawn = Some((analysis.clone(), charts(analysis)));
        }
        let Some((_, charts)) = &self.drawn else { return };
        let theme = Theme::current(ui);
        let open = charts.iter().zip(&self.closed).filter(|(_, closed)| !**closed).count();
        let free = ui.ctx().content_rect().height() * 0.3 / open.max(1) as f32;
        let height = (free - HEADER).clamp(*HEIGHTS.start(), *HEIGHTS.end());
        ui.spacing_mut().item_spacing.y = 1.0;
        for (index, (chart, closed)) in charts.iter().zip(&mut self.closed).enumerate() {
            if !chart.has_values() {
                continue;
            }
            chart.header(ui, closed, timeline.frame(), &theme);
            if !*closed {
                chart.plot(ui, (index, height), analysis, timeline, &theme);
            }
        }
    }
}

/// Makes the charts of an analysis.
fn charts(analysis: &Analysis) -> Vec<MotionChart> {
    let rows = &analysis.per_frame;
    let floor = analysis.floor.unwrap_or(0.0);
    let weight = analysis.mass * analysis.gravity;
    let vectors = |rows: &[Option<DVec3>], value: &dyn Fn(DVec3) -> f64| -> Vec<f64> {
        rows.iter().map(|row| row.map_or(f64::NAN, value)).collect()
    };
    let mut fall = vec![f64::NAN; analysis.frames];
    for flight in &analysis.flights {
        let places = fall.iter_mut().skip(flight.span.first);
        places.zip(&flight.ballistic_path).for_each(|(place, at)| *place = at.y - floor);
    }
    let curve =
        |name, ink: fn(&Theme) -> Color32, style, values| MotionCurve { name, ink, style, circles: false, values };
    let dashed = LineStyle::Dashed { length: 7.0 };
    let height =
        curve("animated", |theme| theme.mass_center, LineStyle::Solid, vectors(&rows.mass_center, &|at| at.y - floor));
    let fall = MotionCurve { circles: true, ..curve("free fall", |theme| theme.ballistic, dashed, fall) };
    let force = curve("", |theme| theme.text, LineStyle::Solid, vectors(&rows.ground_force, &|force| force.y / weight));
    let spin = |axis: usize, name, style| {
        curve(name, |theme| theme.angular_momentum, style, vectors(&rows.angular_momentum, &|spin| spin[axis]))
    };
    let spins =
        vec![spin(0, "x", LineStyle::Solid), spin(1, "y", dashed), spin(2, "z", LineStyle::Dotted { spacing: 4.0 })];
    let margin = rows.support_margin.iter().map(|margin| margin.map_or(f64::NAN, |margin| 100.0 * margin)).collect();
    let margin = curve("", |theme| theme.zero_moment_point, LineStyle::Solid, margin);
    let chart = |title, unit, decimals, curves, curve| MotionChart {
        title,
        unit,
        decimals,
        curves,
        reach: (0.0, 1.0),
        level: None,
        least: None,
        curve,
    };
    let all = [
        chart("Mass center height", "m", 3, vec![height, fall], FindingCurve::MassCenterHeight),
        MotionChart {
            level: Some(1.0),
            ..chart("Vertical force", "body weights", 2, vec![force], FindingCurve::VerticalForce)
        },
        MotionChart {
            level: Some(0.0),
            ..chart("Angular momentum", "kg m²/s", 2, spins, FindingCurve::AngularMomentum)
        },
        MotionChart { least: Some(0.0), ..chart("ZMP margin", "cm", 1, vec![margin], FindingCurve::ZmpMargin) },
    ];
    all.into_iter().map(MotionChart::fitted).collect()
}

impl MotionChart {
    fn has_values(&self) -> bool {
        self.curves.iter().any(|curve| curve.values.iter().any(|value| value.is_finite()))
    }

    /// Returns the chart with a vertical range that holds its values, reference level and least value, with some
    /// margin.
    fn fitted(self) -> Self {
        let values = self.curves.iter().flat_map(|curve| curve.values.iter().copied());
        let all = values.chain(self.level).chain(self.least).filter(|value| value.is_finite());
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let room = if high > low { 0.1 * (high - low) } else { 0.5 };
        let reach = if low <= high { (low - room, high + room) } else { (0.0, 1.0) };
        Self { reach, ..self }
    }

    /// Title line: title with unit, a triangle that opens or closes the chart, and on the right the values at the
    /// cursor.
    fn header(&self, ui: &mut Ui, closed: &mut bool, frame: usize, theme: &Theme) {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEADER), Sense::click());
        if response.clicked() {
            *closed = !*closed;
        }
        let (open, title) = (!*closed, self.title);
        response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, open, format!("Chart: {title}")));
        let color = if response.hovered() || response.has_focus() { theme.text } else { theme.quiet };
        let painter = ui.painter();
        let (sign, turn) = (rect.left_center() + vec2(LABELS - 10.0, 0.0), if open { 0.0 } else { -1.0_f32 });
        let corners = [(-4.0, -2.5), (4.0, -2.5), (0.0, 3.0)];
        let corners = corners.map(|(x, y)| if turn == 0.0 { sign + vec2(x, y) } else { sign + vec2(y, x) });
        painter.add(egui::Shape::convex_polygon(corners.to_vec(), color, egui::Stroke::NONE));
        let text = |at, align, text: String, color| painter.text(at, align, text, FontId::proportional(12.0), color);
        let at = rect.left_center() + vec2(LABELS, 0.0);
        let end = text(at, egui::Align2::LEFT_CENTER, self.title.to_owned(), theme.text).right();
        let mut x =
            text(pos2(end + 6.0, at.y), egui::Align2::LEFT_CENTER, self.unit.to_owned(), theme.quiet).right() + 18.0;
        for curve in self.curves.iter().filter(|curve| !curve.name.is_empty()) {
            let (from, to) = (pos2(x, at.y), pos2(x + 22.0, at.y));
            sample(painter, curve, [from, to], theme);
            x = text(pos2(x + 27.0, at.y), egui::Align2::LEFT_CENTER, curve.name.to_owned(), theme.quiet).right()
                + 14.0;
        }
        let mut right = rect.right() - RIGHT;
        for curve in self.curves.iter().rev() {
            let value = curve.values.get(frame).copied().unwrap_or(f64::NAN);
            let figure = self.figure(value);
            let color = if self.is_outside(value) { theme.ballistic } else { (curve.ink)(theme) };
            let place =
                painter.text(pos2(right, at.y), egui::Align2::RIGHT_CENTER, figure, FontId::proportional(12.0), color);
            right = place.left().min(right - 46.0) - 4.0;
            if !curve.name.is_empty() {
                right = text(pos2(right, at.y), egui::Align2::RIGHT_CENTER, curve.name.to_owned(), theme.quiet).left()
                    - 12.0;
            }
        }
        response.on_hover_text(if open { "Close this chart" } else { "Open this chart" });
    }

    fn is_outside(&self, value: f64) -> bool {
        self.least.is_some_and(|least| value < least)
    }

    fn figure(&self, value: f64) -> String {
        if value.is_finite() { figure(value, self.decimals) } else { "–".to_owned() }
    }

    fn plot(
        &self,
        ui: &mut Ui,
        (index, height): (usize, f32),
        analysis: &Analysis,
        timeline: &mut Timeline,
        theme: &Theme,
    ) {
        let size = vec2(ui.available_width(), height);
        let (whole, _) = ui.allocate_exact_size(size, Sense::hover());
        let rect = Rect::from_min_max(whole.min + vec2(LABELS, 0.0), whole.max - vec2(RIGHT, 1.0));
        let mut inside = ui.new_child(egui::UiBuilder::new().max_rect(rect));
        let step = tick(self.reach.1 - self.reach.0, f64::from(height));
        let (low, high) = self.reach;
        let duration = timeline.duration().max(timeline.frame_time);
        let seconds = tick_of_time(duration, f64::from(rect.width()));
        let marks = move |from: f64, to: f64, step: f64| -> Vec<GridMark> {
            let range = (from / step).ceil() as i64..=(to / step).floor() as i64;
            range.map(|i| GridMark { value: i as f64 * step, step_size: step }).collect()
        };
        let plot = Plot::new(("chart", index))
            .width(rect.width())
            .height(rect.height())
            .min_size(vec2(8.0, 8.0))
            .show_axes(false)
            .show_x(false)
            .show_y(false)
            .show_crosshair(false)
            .allow_zoom(false)
            .allow_drag(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_double_click_reset(false)
            .allow_axis_zoom_drag(false)
            .set_margin_fraction(egui::Vec2::ZERO)
            .label_formatter(|_| None)
            .cursor_color(Color32::TRANSPARENT)
            .grid_color(theme.line)
            .x_grid_spacer(move |_| marks(0.0, duration, seconds))
            .y_grid_spacer(move |_| marks(low, high, step));
        let shown = plot.show(&mut inside, |plot| {
            plot.set_plot_bounds(PlotBounds::from_min_max([0.0, low], [duration, high]));
            phases(plot, analysis, timeline.frame_time, theme);
            if let Some(level) = self.level.or(self.least) {
                plot.hline(HLine::new("", level).color(theme.quiet).width(1.0));
            }
            for curve in &self.curves {
                self.curve(plot, curve, timeline, (rect.width(), theme));
            }
        });
        self.ticks(ui, rect, &shown.transform, step, theme);
        self.warnings(ui, &shown.transform, analysis, timeline, theme);
        let words = format!("Plot: {}", self.title);
        shown.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, words.clone()));
        self.cursor(ui, rect, &shown.response, timeline, theme);
    }

    /// Draws a curve, with gaps at missing values; parts below the least allowed value are thicker.
    fn curve<'a>(
        &'a self,
        plot: &mut egui_plot::PlotUi<'a>,
        curve: &'a MotionCurve,
        timeline: &Timeline,
        (width, theme): (f32, &Theme),
    ) {
        let place = |frame: usize| [frame as f64 * timeline.frame_time, curve.values[frame]];
        let frames = thinned(&curve.values, (2.0 * width) as usize);
        let mut add = |keep: &dyn Fn(f64) -> bool, thickness: f32, color: Color32| {
            for run in frames.chunk_by(|a, b| keep(curve.values[*a]) == keep(curve.values[*b])) {
                if !run.first().is_some_and(|frame| keep(curve.values[*frame])) {
                    continue;
                }
                let points: PlotPoints<'_> = run.iter().map(|frame| place(*frame)).collect();
                let name = format!("{} {}", self.title, run[0]);
                plot.line(Line::new(name, points).color(color).width(thickness).style(curve.style).allow_hover(false));
            }
        };
        add(&f64::is_finite, 1.8, (curve.ink)(theme));
        if self.least.is_some() {
            add(&|value| value.is_finite() && self.is_outside(value), 3.0, theme.ballistic);
        }
        if curve.circles && width / timeline.frames as f32 > 3.0 {
            let each = ((7.0 * timeline.frames as f32 / width).ceil() as usize).max(1);
            let points = frames.iter().filter(|frame| curve.values[**frame].is_finite() && **frame % each == 0);
            let points: PlotPoints<'_> = points.map(|frame| place(*frame)).collect();
            plot.points(
                Points::new("circles", points).radius(2.6).filled(false).color((curve.ink)(theme)).allow_hover(false),
            );
        }
    }

    /// Labels of the vertical axis.
    fn ticks(&self, ui: &Ui, rect: Rect, transform: &PlotTransform, step: f64, theme: &Theme) {
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        for i in (self.reach.0 / step).ceil() as i64..=(self.reach.1 / step).floor() as i64 {
            let value = i as f64 * step;
            let y = transform.position_from_point(&PlotPoint::new(0.0, value)).y;
            let at = pos2(rect.left() - 6.0, y.clamp(rect.top() + 5.0, rect.bottom() - 5.0));
            let text = figure(value, decimals);
            ui.painter().text(at, egui::Align2::RIGHT_CENTER, text, FontId::proportional(10.5), theme.quiet);
        }
    }

    /// Draws a warning triangle over each span of a finding that belongs to this chart.
    fn warnings(&self, ui: &Ui, transform: &PlotTransform, analysis: &Analysis, timeline: &Timeline, theme: &Theme) {
        let mut before = f32::NEG_INFINITY;
        let is_marked =
            |finding: &&Finding| finding.severity != Severity::Note && finding.id.facts().curve == Some(self.curve);
        for finding in analysis.findings.iter().filter(is_marked) {
            let middle = 0.5 * (finding.span.first + finding.span.last) as f64 * timeline.frame_time;
            let at = transform.position_from_point(&PlotPoint::new(middle, self.reach.1)) + vec2(0.0, 9.0);
            if (at.x - before).abs() > 16.0 {
                icon::paint(ui.painter(), Icon::Warning, at, 13.0, theme.well);
                icon::paint(ui.painter(), Icon::Warning, at, 10.0, theme.ballistic);
                before = at.x;
            }
        }
    }

    /// Draws the time cursor and the values under the pointer; a click or drag moves the cursor there.
    fn cursor(&self, ui: &Ui, rect: Rect, response: &egui::Response, timeline: &mut Timeline, theme: &Theme) {
        let last = (timeline.frames - 1) as f64;
        let frame_at = |x: f32| (f64::from((x - rect.left()) / rect.width()).clamp(0.0, 1.0) * last).round() as usize;
        let x_of = |frame: usize| rect.left() + rect.width() * (frame as f64 / last.max(1.0)) as f32;
        let y_of = |value: f64| {
            rect.bottom() - rect.height() * ((value - self.reach.0) / (self.reach.1 - self.reach.0)) as f32
        };
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.is_pointer_button_down_on()) {
            timeline.go_to(frame_at(at.x));
        }
        let painter = ui.painter();
        let dots = |frame: usize, radius: f32| {
            for curve in &self.curves {
                if let Some(value) = curve.values.get(frame).filter(|value| value.is_finite()) {
                    let at = pos2(x_of(frame), y_of(*value));
                    painter.circle(at, radius, (curve.ink)(theme), egui::Stroke::new(1.0, theme.well));
                }
            }
        };
        painter.vline(x_of(timeline.frame()), rect.y_range(), egui::Stroke::new(1.5, theme.text));
        dots(timeline.frame(), 3.5);
        if let Some(at) = response.hover_pos() {
            let frame = frame_at(at.x);
            painter.vline(x_of(frame), rect.y_range(), egui::Stroke::new(1.0, theme.quiet));
            dots(frame, 3.0);
            let words = self.describe(frame, frame as f64 * timeline.frame_time);
            let (layer, id) = (response.layer_id, response.id.with("values"));
            let tip = egui::Tooltip::always_open(ui.ctx().clone(), layer, id, egui::PopupAnchor::Pointer).gap(14.0);
            tip.show(|ui| ui.label(words));
        }
    }

    /// Values of a frame as text for the tooltip.
    fn describe(&self, frame: usize, seconds: f64) -> String {
        let value = |curve: &MotionCurve| {
            let value = self.figure(*curve.values.get(frame)?);
            Some(format!("{} {value} {}", curve.name, self.unit).trim().to_owned())
        };
        let values: Vec<String> = self.curves.iter().filter_map(value).collect();
        format!("{}\n{}\n{seconds:.3} s  [frame {frame}]", self.title, values.join("\n"))
    }
}

/// Formats a value with a true minus sign; zero gets no sign.
fn figure(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let nothing = text.trim_start_matches('-').bytes().all(|byte| matches!(byte, b'0' | b'.'));
    text.replace('-', if nothing { "" } else { "−" })
}

/// Draws a short piece of a curve for the legend.
fn sample(painter: &egui::Painter, curve: &MotionCurve, [from, to]: [egui::Pos2; 2], theme: &Theme) {
    let stroke = egui::Stroke::new(1.8, (curve.ink)(theme));
    match curve.style {
        LineStyle::Solid => {
            painter.line_segment([from, to], stroke);
        }
        LineStyle::Dashed { .. } => painter.extend(egui::Shape::dashed_line(&[from, to], stroke, 5.0, 3.0)),
        LineStyle::Dotted { .. } => painter.extend(egui::Shape::dotted_line(&[from, to], stroke.color, 4.0, 1.1)),
    }
}

/// Tints flights, and shades spans of unseen support and frames that the analysis leaves out.
fn phases(plot: &mut egui_plot::PlotUi<'_>, analysis: &Analysis, frame_time: f64, theme: &Theme) {
    let mut band = |first: f64, last: f64, color: Color32, amount: f64| {
        let range = (first - 0.5) * frame_time..=(last + 0.5) * frame_time;
        plot.span(Span::new("", range).fill(mix(theme.well, color, amount)).border_width(0.0));
    };
    for flight in &analysis.flights {
        band(flight.span.first as f64, flight.span.last as f64, theme.ballistic, 0.1);
    }
    for span in &analysis.unseen_support {
        band(span.first as f64, span.last as f64, theme.unseen, 0.18);
    }
    let (first, end) = analysis.range;
    if first > 0 {
        band(0.0, first as f64 - 1.0, theme.unseen, 0.12);
    }
    if end < analysis.frames {
        band(end as f64, analysis.frames as f64 - 1.0, theme.unseen, 0.12);
    }
}

/// Frames to draw: all frames of a short curve; of a long curve the smallest and largest value of each stretch, so
/// that peaks survive.
fn thinned(values: &[f64], most: usize) -> Vec<usize> {
    if values.len() <= most.max(4) {
        return (0..values.len()).collect();
    }
    let stretch = (2 * values.len()).div_ceil(most.max(4));
    let extremes = |(index, part): (usize, &[f64])| {
        let first = index * stretch;
        let by = |a: &usize, b: &usize| part[*a].total_cmp(&part[*b]);
        let all = || (0..part.len()).filter(|i| part[*i].is_finite());
        let mut found = match (all().min_by(by), all().max_by(by)) {
            (Some(low), Some(high)) => vec![first + low, first + high],
            _ => vec![first],
        };
        found.sort_unstable();
        found.dedup();
        found
    };
    values.chunks(stretch).enumerate().flat_map(extremes).collect()
}

/// Round step of values, so that labels are at least 13 points apart.
fn tick(reach: f64, height: f64) -> f64 {
    round_above(reach * 13.0 / height.max(13.0))
}

/// Round step of seconds, so that vertical lines are at least 70 points apart, as on the ruler of the time line.
fn tick_of_time(duration: f64, width: f64) -> f64 {
    round_above(duration * 70.0 / width.max(70.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_peak_and_its_gaps() {
        let mut values: Vec<f64> = (0..10_000).map(|i| f64::from(i % 7)).collect();
        values[4321] = 99.0;
        values[6000..7000].fill(f64::NAN);
        let kept = thinned(&values, 500);
        assert!(kept.len() <= 502 && kept.contains(&4321) && kept.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(kept.iter().any(|frame| values[*frame].is_nan()));
        assert_eq!(thinned(&values[..100], 500), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn ticks_are_round_and_never_nothing() {
        assert_eq!(tick(1.0, 50.0), 0.5);
        assert_eq!((tick(0.0, 50.0), tick(f64::NAN, 50.0)), (1.0, 1.0));
    }

    #[test]
    fn figures_have_a_true_minus_and_none_before_nothing() {
        assert_eq!([-0.001, -1.25, 0.5].map(|value| figure(value, 2)), ["0.00", "−1.25", "0.50"]);
    }

    #[test]
    fn a_level_is_always_in_sight() {
        let curve = MotionCurve {
            name: "",
            ink: |theme| theme.text,
            style: LineStyle::Solid,
            circles: false,
            values: vec![2.0, 3.0],
        };
        let chart = MotionChart {
            title: "",
            unit: "",
            decimals: 1,
            curves: vec![curve],
            reach: (0.0, 0.0),
            level: Some(1.0),
            least: None,
            curve: FindingCurve::Contacts,
        };
        let (low, high) = chart.fitted().reach;
        assert!(low < 1.0 && high > 3.0);
    }
}
