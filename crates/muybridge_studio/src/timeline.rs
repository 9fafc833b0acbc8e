//! The time line: one time cursor shared by view, charts and findings, with bars for flights and contacts below it.

use eframe::egui::{self, Color32, Key, Rect, Sense, Ui, pos2, vec2};

use crate::icon::{self, Icon};
use crate::shortcuts::{Shortcut, key};
use crate::theme::{Theme, mix};

/// Time cursor of a motion and its playback. Times are seconds from the first frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// Time of the cursor, seconds from the first frame.
    pub time: f64,
    /// Time between frames, seconds.
    pub frame_time: f64,
    /// Number of frames, at least 1.
    pub frames: usize,
    /// Whether the motion plays.
    pub playing: bool,
    /// Whether playback starts again at the end.
    pub looping: bool,
    /// Playback speed: seconds of motion per second of real time.
    pub speed: f64,
}

/// A bar under the time line, such as a flight or a contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Row of the bar: "flight" or "contact".
    pub row: &'static str,
    /// First and last frame of the bar.
    pub frames: (usize, usize),
    /// Color of the bar.
    pub color: Color32,
    /// Tooltip of the bar.
    pub words: String,
}

/// Keyboard shortcuts of the time line.
pub const SHORTCUTS: &[Shortcut] = &[
    key(Key::Space, "Play or pause"),
    key(Key::ArrowLeft, "A frame back"),
    key(Key::ArrowRight, "A frame on"),
    key(Key::Home, "To the first frame"),
    key(Key::End, "To the last frame"),
    key(Key::L, "Loop or stop at the end"),
];

/// Playback speeds that can be chosen.
const SPEEDS: [f64; 6] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0];

impl Default for Timeline {
    fn default() -> Self {
        Self { time: 0.0, frame_time: 1.0 / 30.0, frames: 1, playing: false, looping: true, speed: 1.0 }
    }
}

impl Timeline {
    /// Time line of a clip of `frames` frames, `frame_time` seconds apart, with the cursor at its start.
    pub fn new(frames: usize, frame_time: f64) -> Self {
        Self { frame_time, frames: frames.max(1), ..Self::default() }
    }

    /// Time from the first frame to the last, seconds.
    pub fn duration(&self) -> f64 {
        (self.frames - 1) as f64 * self.frame_time
    }

    /// Index of the frame at the cursor.
    pub fn frame(&self) -> usize {
        ((self.time / self.frame_time + 1e-6).max(0.0) as usize).min(self.frames - 1)
    }

    /// Moves the cursor to a frame, or to the last frame if `frame` is too large, and pauses.
    pub fn go_to(&mut self, frame: usize) {
        self.time = frame.min(self.frames - 1) as f64 * self.frame_time;
        self.playing = false;
    }

    /// Moves the cursor to the first of these ascending frames after the present one; does nothing if there is none.
    pub fn go_to_next(&mut self, frames: &[usize]) {
        let now = self.frame();
        frames.iter().find(|frame| **frame > now).into_iter().for_each(|frame| self.go_to(*frame));
    }

    /// Moves the cursor to the last of these ascending frames before the present one; does nothing if there is none.
    pub fn go_to_last(&mut self, frames: &[usize]) {
        let now = self.frame();
        frames.iter().rfind(|frame| **frame < now).into_iter().for_each(|frame| self.go_to(*frame));
    }

    /// Advances the cursor by `seconds` of real time if playing; the last frame lasts as long as the others.
    pub fn advance(&mut self, seconds: f64) {
        if !self.playing {
            return;
        }
        self.time += seconds * self.speed;
        let whole = self.frames as f64 * self.frame_time;
        if self.time >= whole {
            if self.looping {
                self.time %= whole;
            } else {
                self.go_to(self.frames - 1);
            }
        }
    }

    /// Plays or pauses; playing starts from the beginning if the cursor is at the end and does not loop.
    pub fn toggle(&mut self) {
        if !self.playing && !self.looping && self.frame() + 1 == self.frames {
            self.time = 0.0;
        }
        self.playing = !self.playing;
    }

    /// Advances the cursor by the time of a window frame and handles keys. Returns true if the cursor moved.
    pub fn tick(&mut self, ctx: &egui::Context) -> bool {
        let before = self.time;
        self.advance(ctx.input(|input| f64::from(input.stable_dt).min(0.1)));
        if !ctx.egui_wants_keyboard_input() {
            self.keys(ctx);
        }
        if self.playing {
            ctx.request_repaint();
        }
        before != self.time
    }

    fn keys(&mut self, ctx: &egui::Context) {
        let pressed = SHORTCUTS.iter().find(|shortcut| shortcut.pressed(ctx)).map(|shortcut| shortcut.keys.logical_key);
        match pressed {
            Some(Key::Space) => self.toggle(),
            Some(Key::ArrowLeft) => self.go_to(self.frame().saturating_sub(1)),
            Some(Key::ArrowRight) => self.go_to(self.frame() + 1),
            Some(Key::Home) => self.go_to(0),
            Some(Key::End) => self.go_to(self.frames - 1),
            Some(Key::L) => self.looping = !self.looping,
            _ => {}
        }
    }

    /// Shows buttons, the ruler, and a row of bars for each name in `rows`; a drag or click moves the cursor.
    pub fn ui(&mut self, ui: &mut Ui, rows: &[&'static str], bars: &[Bar]) {
        ui.horizontal(|ui| self.buttons(ui));
        let theme = Theme::current(ui);
        let height = RULER + rows.len() as f32 * ROW + 4.0;
        let (whole, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, "Time line"));
        let rect = Rect::from_min_max(whole.min + vec2(LABELS, 0.0), whole.max - vec2(8.0, 0.0));
        ui.painter().rect_filled(rect, 3.0, theme.well);
        self.ruler(ui, rect, &theme);
        for (index, row) in rows.iter().enumerate() {
            let top = rect.top() + RULER + index as f32 * ROW;
            let at = pos2(whole.left() + LABELS - 6.0, top + ROW / 2.0);
            ui.painter().text(at, egui::Align2::RIGHT_CENTER, row, egui::FontId::proportional(11.0), theme.quiet);
            for bar in bars.iter().filter(|bar| bar.row == *row) {
                let reach =
                    self.x(rect, bar.frames.0)..=self.x(rect, bar.frames.1).max(self.x(rect, bar.frames.0) + 2.0);
                let place = Rect::from_x_y_ranges(reach, top + 3.0..=top + ROW - 2.0);
                ui.painter().rect_filled(place, 2.0, mix(theme.well, bar.color, 0.75));
                if response.hover_pos().is_some_and(|at| place.expand(2.0).contains(at)) {
                    response.show_tooltip_text(&bar.words);
                }
            }
        }
        let x = self.x(rect, self.frame());
        ui.painter().vline(x, rect.y_range(), egui::Stroke::new(1.5, theme.text));
        let head = [pos2(x - 5.0, rect.top()), pos2(x + 5.0, rect.top()), pos2(x, rect.top() + 7.0)];
        ui.painter().add(egui::Shape::convex_polygon(head.into(), theme.text, egui::Stroke::NONE));
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.is_pointer_button_down_on()) {
            let share = f64::from((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
            self.go_to((share * (self.frames - 1) as f64).round() as usize);
        }
    }

    fn buttons(&mut self, ui: &mut Ui) {
        if icon::button(ui, Icon::First, "First frame", "Home").clicked() {
            self.go_to(0);
        }
        if icon::button(ui, Icon::Back, "Frame back", "Left").clicked() {
            self.go_to(self.frame().saturating_sub(1));
        }
        let (sign, name) = if self.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        if icon::button(ui, sign, name, "Space").clicked() {
            self.toggle();
        }
        if icon::button(ui, Icon::On, "Frame on", "Right").clicked() {
            self.go_to(self.frame() + 1);
        }
        if icon::button(ui, Icon::Last, "Last frame", "End").clicked() {
            self.go_to(self.frames - 1);
        }
        if icon::toggle(ui, Icon::Loop, self.looping, "Loop", "L").clicked() {
            self.looping = !self.looping;
        }
        let speed = egui::ComboBox::from_id_salt("speed").width(58.0).selected_text(format!("{}×", self.speed));
        let speed = speed.show_ui(ui, |ui| {
            for speed in SPEEDS {
                ui.selectable_value(&mut self.speed, speed, format!("{speed}×"));
            }
        });
        let words = "Speed: seconds of the motion per second";
        speed.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Speed"));
        speed.response.on_hover_text(words);
        let (frame, last) = (self.frame(), self.frames - 1);
        let seconds = frame as f64 * self.frame_time;
        ui.monospace(format!("{seconds:6.3} s  [{frame} of {last}]"));
        ui.weak(format!("{:.4} fps", 1.0 / self.frame_time).replace(".0000", ""));
    }

    fn x(&self, rect: Rect, frame: usize) -> f32 {
        let share = frame as f64 / ((self.frames - 1) as f64).max(1.0);
        rect.left() + rect.width() * share as f32
    }

    fn ruler(&self, ui: &Ui, rect: Rect, theme: &Theme) {
        let duration = self.duration().max(self.frame_time);
        let step = tick_seconds(duration, f64::from(rect.width()));
        let (painter, font) = (ui.painter(), egui::FontId::proportional(10.5));
        for index in 0..=(duration / step + 1e-6) as usize {
            let seconds = index as f64 * step;
            let x = rect.left() + rect.width() * (seconds / duration) as f32;
            painter.vline(x, rect.y_range(), egui::Stroke::new(1.0, theme.line));
            let decimals = if step < 0.1 { 2 } else { 1 };
            let text = format!("{seconds:.decimals$} s");
            if x + 34.0 < rect.right() {
                painter.text(
                    pos2(x + 3.0, rect.top() + 8.0),
                    egui::Align2::LEFT_CENTER,
                    text,
                    font.clone(),
                    theme.quiet,
                );
            }
        }
    }
}

/// Height of the ruler and of a row of bars, points.
const RULER: f32 = 18.0;
const ROW: f32 = 15.0;
/// Width of the row labels, and of the labels of charts that share the time axis, points.
pub const LABELS: f32 = 64.0;

/// Round number of seconds between ticks, so that they are at least 70 points apart.
fn tick_seconds(duration: f64, width: f64) -> f64 {
    round_above(duration * 70.0 / width.max(70.0))
}

/// Smallest of …, 0.2, 0.5, 1, 2, 5, 10, … that is not less than `least`; 1 if `least` is not positive and finite.
pub fn round_above(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let decade = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|step| step * decade).into_iter().find(|step| *step >= least).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_has_a_time_that_leads_back_to_it() {
        let mut timeline = Timeline::new(3000, 1.0 / 29.97);
        for frame in 0..3000 {
            timeline.go_to(frame);
            assert_eq!(timeline.frame(), frame);
        }
    }

    #[test]
    fn a_loop_begins_again_and_without_it_the_last_frame_stays() {
        let mut timeline = Timeline { playing: true, ..Timeline::new(10, 0.1) };
        timeline.advance(1.05);
        assert!((timeline.time - 0.05).abs() < 1e-12 && timeline.playing);
        timeline.looping = false;
        timeline.advance(3.0);
        assert_eq!((timeline.frame(), timeline.playing), (9, false));
        timeline.toggle();
        assert_eq!(timeline.time, 0.0);
    }

    #[test]
    fn ticks_are_round_and_not_crowded() {
        assert_eq!(tick_seconds(1.6, 800.0), 0.2);
        assert_eq!(tick_seconds(60.0, 800.0), 10.0);
    }
}
