//! Small icons, drawn as shapes so that they look the same on every machine, with names for screen readers.

use eframe::egui::{self, Color32, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, pos2, vec2};

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// To the start: a bar and a triangle to the left.
    First,
    /// One step back: a triangle to the left and a thin bar.
    Back,
    /// Play: a triangle to the right.
    Play,
    /// Pause: two bars.
    Pause,
    /// One step forward: a thin bar and a triangle to the right.
    On,
    /// To the end: a triangle to the right and a bar.
    Last,
    /// Loop: a circle with an arrow.
    Loop,
    /// Light theme: a sun.
    Sun,
    /// Dark theme: a moon.
    Moon,
    /// Error: a cross.
    Cross,
    /// Warning: a triangle.
    Warning,
    /// Note: a circle.
    Note,
}

/// Width and height of an icon, points.
const SIZE: f32 = 12.0;

/// A button with an icon. A screen reader says `name`; the tooltip shows `name` and `hint`.
pub fn button(ui: &mut Ui, icon: Icon, name: &str, hint: &str) -> Response {
    toggle(ui, icon, false, name, hint)
}

/// A button with an icon, drawn as pressed if `on`. A screen reader says `name`; the tooltip shows `name` and `hint`.
pub fn toggle(ui: &mut Ui, icon: Icon, on: bool, name: &str, hint: &str) -> Response {
    let size = vec2(SIZE, SIZE) + 2.0 * ui.spacing().button_padding;
    let (rect, response) = ui.allocate_exact_size(size.max(vec2(26.0, ui.spacing().interact_size.y)), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), on, name));
    let visuals = ui.style().interact_selectable(&response, on);
    ui.painter().rect(rect, visuals.corner_radius, visuals.weak_bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
    paint(ui.painter(), icon, rect.center(), SIZE, visuals.fg_stroke.color);
    response.on_hover_text(format!("{name} ({hint})"))
}

/// A small frameless button with an icon. A screen reader says `name`, and the tooltip shows it.
pub fn small(ui: &mut Ui, icon: Icon, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, ui.is_enabled(), name));
    let visuals = ui.style().interact(&response);
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 3.0, visuals.weak_bg_fill);
    }
    let color = if response.hovered() { visuals.text_color() } else { ui.visuals().weak_text_color() };
    paint(ui.painter(), icon, rect.center(), 8.0, color);
    response.on_hover_text(name)
}

/// Shows an icon in a line of text.
pub fn show(ui: &mut Ui, icon: Icon, color: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(SIZE + 2.0, SIZE), Sense::hover());
    paint(ui.painter(), icon, rect.center(), SIZE, color);
    response
}

/// Paints an icon of `size` points around `center`.
pub fn paint(painter: &Painter, icon: Icon, center: Pos2, size: f32, color: Color32) {
    let r = size / 2.0;
    let at = |x: f32, y: f32| center + vec2(x, y) * r;
    let triangle = |from: f32, to: f32| {
        let corners = vec![at(from, -0.8), at(from, 0.8), at(to, 0.0)];
        painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
    };
    let bar = |x: f32, half: f32| {
        painter.rect_filled(Rect::from_center_size(at(x, 0.0), vec2(2.0 * half * r, 1.6 * r)), 0.0, color);
    };
    let stroke = Stroke::new(1.6, color);
    match icon {
        Icon::First => {
            bar(-0.75, 0.12);
            triangle(0.75, -0.55);
        }
        Icon::Back => {
            triangle(0.3, -0.85);
            bar(0.65, 0.09);
        }
        Icon::Play => triangle(-0.6, 0.8),
        Icon::Pause => {
            bar(-0.4, 0.2);
            bar(0.4, 0.2);
        }
        Icon::On => {
            bar(-0.65, 0.09);
            triangle(-0.3, 0.85);
        }
        Icon::Last => {
            bar(0.75, 0.12);
            triangle(-0.75, 0.55);
        }
        Icon::Loop => {
            let around = |i: i32| {
                let angle = 0.5 + i as f32 * 0.27;
                at(0.8 * angle.cos(), 0.8 * angle.sin())
            };
            painter.add(Shape::line((0..=18).map(around).collect(), stroke));
            let head = vec![at(0.35, -0.45), at(1.1, -0.35), at(0.8, 0.3)];
            painter.add(Shape::convex_polygon(head, color, Stroke::NONE));
        }
        Icon::Sun => {
            painter.circle_filled(center, 0.45 * r, color);
            for i in 0..8 {
                let (y, x) = (i as f32 * std::f32::consts::FRAC_PI_4).sin_cos();
                painter.line_segment([at(0.68 * x, 0.68 * y), at(x, y)], stroke);
            }
        }
        Icon::Moon => {
            let arc = |from: f32, to: f32, center: f32, radius: f32| {
                (0..=12).map(move |i| (from + (to - from) * i as f32 / 12.0, center, radius))
            };
            let outer = arc(-1.1, -5.18, 0.0, 0.9).map(|(angle, c, k)| at(c + k * angle.cos(), k * angle.sin()));
            painter.add(Shape::line(outer.collect(), stroke));
            let inner = arc(-1.62, -4.66, 0.45, 0.8).map(|(angle, c, k)| at(c + k * angle.cos(), k * angle.sin()));
            painter.add(Shape::line(inner.collect(), stroke));
        }
        Icon::Cross => {
            let stroke = Stroke::new(2.2, color);
            painter.line_segment([at(-0.65, -0.65), at(0.65, 0.65)], stroke);
            painter.line_segment([at(-0.65, 0.65), at(0.65, -0.65)], stroke);
        }
        Icon::Warning => {
            let corners = vec![at(0.0, -0.85), at(0.9, 0.75), at(-0.9, 0.75)];
            painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
        }
        Icon::Note => {
            painter.circle_stroke(pos2(center.x, center.y), 0.6 * r, stroke);
        }
    }
}

/// Gives a name for screen readers to widgets whose text is only a symbol.
pub trait Labelled {
    /// Returns the widget after setting `name` for screen readers.
    fn labelled(self, name: &str) -> Self;
}

impl Labelled for Response {
    fn labelled(self, name: &str) -> Self {
        self.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
        self
    }
}
