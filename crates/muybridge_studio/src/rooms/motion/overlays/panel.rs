//! Toggles of the overlays, each beside the sign it is drawn with; they also serve as the legend of the view.

use eframe::egui::{self, Color32, Painter, Pos2, Sense, Shape, Ui, pos2, vec2};

use super::Overlays;
use crate::theme::Theme;

/// Height of a toggle, points.
const HEIGHT: f32 = 21.0;

/// Sign that is drawn beside a toggle.
#[derive(Clone, Copy)]
enum Swatch {
    Capsule,
    Skin,
    Bones,
    Path,
    Foot,
    Dashed,
    Fan,
    Straight,
    Turning,
    Diamond,
    Hatched,
    Ticks,
    Dotted,
    Ghosts,
    Pole,
}

/// A toggle: the flag it switches, its name, its tooltip, its sign.
type Toggle<'a> = (&'a mut bool, &'static str, &'static str, Swatch);

impl Overlays {
    fn toggles(&mut self) -> [Toggle<'_>; 15] {
        use Swatch as S;
        [
            (&mut self.bodies, "Bodies", "The shapes of the bodies that carry the mass", S::Capsule),
            (&mut self.skin, "Skin", "The skinned mesh of the file, if it has one", S::Skin),
            (&mut self.skeleton, "Skeleton", "Lines from bone to bone", S::Bones),
            (&mut self.mass_center, "Mass center", "The center of mass and its path", S::Path),
            (&mut self.ground, "Ground projection", "The center of mass on the floor, with a drop line", S::Foot),
            (
                &mut self.ballistic,
                "Ballistic path",
                "The parabola of the center of mass in each flight, with a circle per frame",
                S::Dashed,
            ),
            (
                &mut self.family,
                "Family of curves",
                "Parabolas between the same ends that take less and more time",
                S::Fan,
            ),
            (&mut self.linear_momentum, "Linear momentum", "An arrow from the center of mass, kg m/s", S::Straight),
            (
                &mut self.angular_momentum,
                "Angular momentum",
                "An arrow along the axis, about the center of mass, kg m²/s; the arc turns as the body does",
                S::Turning,
            ),
            (
                &mut self.zero_moment_point,
                "Zero-moment point",
                "The zero-moment point; in orange where it is outside the support polygon",
                S::Diamond,
            ),
            (&mut self.support, "Support polygon", "The convex hull of all contact points on the floor", S::Hatched),
            (&mut self.contacts, "Contact ticks", "A tick in the floor under every contact", S::Ticks),
            (
                &mut self.unseen,
                "Unseen support",
                "A box where something that the clip does not show must carry the body",
                S::Dotted,
            ),
            (&mut self.exposures, "Exposures", "Ghosts evenly spaced in time, with their frames", S::Ghosts),
            (&mut self.scale, "Scale", "A pole with a tick every 10 cm, and meters along the floor", S::Pole),
        ]
    }
}

/// Shows the toggles in two columns, and the number fields of the overlays that have some.
pub fn panel(ui: &mut Ui, overlays: &mut Overlays) {
    let theme = Theme::current(ui);
    let shown = egui::CollapsingHeader::new("Overlays").default_open(true);
    shown.show_unindented(ui, |ui| {
        let width = (ui.available_width() - 4.0) / 2.0;
        egui::Grid::new("overlays").num_columns(2).spacing(vec2(4.0, 2.0)).show(ui, |ui| {
            for (index, toggle) in overlays.toggles().into_iter().enumerate() {
                entry(ui, toggle, width, &theme);
                if index % 2 == 1 {
                    ui.end_row();
                }
            }
        });
        numbers(ui, overlays);
    });
}

fn entry(ui: &mut Ui, (on, name, words, swatch): Toggle<'_>, width: f32, theme: &Theme) {
    let (rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::click());
    if response.clicked() {
        *on = !*on;
    }
    let on = *on;
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, on, name));
    let painter = ui.painter();
    if on || response.hovered() || response.has_focus() {
        let weight = if on { 1.0 } else { 0.5 };
        painter.rect_filled(rect, 3.0, ui.visuals().widgets.inactive.weak_bg_fill.gamma_multiply(weight));
    }
    if response.has_focus() {
        painter.rect_stroke(rect, 3.0, egui::Stroke::new(1.0, theme.accent), egui::StrokeKind::Inside);
    }
    let fade = if on { 1.0 } else { 0.4 };
    paint(painter, swatch, rect.left_center() + vec2(15.0, 0.0), theme, fade);
    let color = if on { theme.text } else { theme.quiet };
    let at = rect.left_center() + vec2(30.0, 0.0);
    painter.text(at, egui::Align2::LEFT_CENTER, name, egui::FontId::proportional(12.5), color);
    response.on_hover_text(words);
}

fn numbers(ui: &mut Ui, overlays: &mut Overlays) {
    if overlays.exposures {
        ui.horizontal(|ui| {
            let label = ui.label("Number of exposures");
            ui.add(egui::DragValue::new(&mut overlays.exposure_count).range(6..=12).speed(0.05)).labelled_by(label.id);
        });
    }
    if overlays.family {
        ui.horizontal(|ui| {
            let [least, most] = &mut overlays.family_times;
            let label = ui.label("Family from").on_hover_text("Minimum time, in parts of the flight's own");
            let part =
                |value, range| egui::DragValue::new(value).range(range).speed(0.01).fixed_decimals(2).suffix("×");
            ui.add(part(least, 0.1..=0.95)).labelled_by(label.id);
            let label = ui.label("to").on_hover_text("Maximum time, in parts of the flight's own");
            ui.add(part(most, 1.05..=3.0)).labelled_by(label.id);
        });
    }
}

/// Paints a sign of about 20 by 14 points around `center`.
fn paint(painter: &Painter, swatch: Swatch, center: Pos2, theme: &Theme, fade: f32) {
    let at = |x: f32, y: f32| center + vec2(x, y);
    let ink = |color: Color32| color.gamma_multiply(fade);
    let stroke = |width: f32, color: Color32| egui::Stroke::new(width, ink(color));
    let line = |points: &[Pos2], width: f32, color: Color32| {
        painter.add(Shape::line(points.to_vec(), stroke(width, color)));
    };
    let arc = |high: f32| -> Vec<Pos2> {
        (0..=12).map(|i| i as f32 / 6.0 - 1.0).map(|x| at(9.0 * x, 5.0 - high * (1.0 - x * x))).collect()
    };
    match swatch {
        Swatch::Capsule => {
            painter.rect_filled(egui::Rect::from_center_size(center, vec2(18.0, 8.0)), 4.0, ink(theme.body));
        }
        Swatch::Skin => {
            painter.rect_filled(egui::Rect::from_center_size(center, vec2(18.0, 8.0)), 4.0, ink(theme.cloth));
        }
        Swatch::Bones => {
            let joints = [at(-9.0, 4.0), at(-2.0, -4.0), at(9.0, 2.0)];
            line(&joints, 1.6, theme.text);
            joints.iter().for_each(|joint| {
                painter.circle_filled(*joint, 2.0, ink(theme.text));
            });
        }
        Swatch::Path => {
            line(&arc(9.0), 2.0, theme.mass_center);
            painter.circle_filled(at(0.0, -4.0), 3.5, ink(theme.mass_center));
        }
        Swatch::Foot => {
            line(&[at(0.0, -7.0), at(0.0, 4.0)], 1.2, theme.mass_center);
            painter.add(egui::epaint::EllipseShape::stroke(
                at(0.0, 4.0),
                vec2(8.0, 3.0),
                stroke(1.6, theme.mass_center),
            ));
        }
        Swatch::Dashed => {
            painter.extend(Shape::dashed_line(&arc(9.0), stroke(1.8, theme.ballistic), 4.0, 2.5));
            painter.circle_stroke(at(0.0, -4.0), 3.0, stroke(1.4, theme.ballistic));
        }
        Swatch::Fan => {
            for (high, weight) in [(2.0, 0.4), (6.0, 0.8), (11.0, 0.4)] {
                painter.extend(Shape::dashed_line(
                    &arc(high),
                    stroke(1.3, theme.ballistic.gamma_multiply(weight)),
                    3.0,
                    2.0,
                ));
            }
        }
        Swatch::Straight => straight(painter, center, ink(theme.linear_momentum)),
        Swatch::Turning => {
            let turn = |i: i32| 0.6 + i as f32 * 0.3;
            let around: Vec<Pos2> = (0..=15).map(|i| at(-3.0 + 3.5 * turn(i).cos(), 6.0 * turn(i).sin())).collect();
            line(&around, 1.4, theme.angular_momentum);
            straight(painter, center, ink(theme.angular_momentum));
        }
        Swatch::Diamond => {
            let corners = vec![at(0.0, -6.5), at(6.5, 0.0), at(0.0, 6.5), at(-6.5, 0.0)];
            painter.add(Shape::convex_polygon(corners, ink(theme.zero_moment_point), egui::Stroke::NONE));
        }
        Swatch::Hatched => {
            let rect = egui::Rect::from_center_size(center, vec2(18.0, 11.0));
            painter.rect_stroke(rect, 1.0, stroke(1.5, theme.contact), egui::StrokeKind::Inside);
            for step in [-5.0, 0.0, 5.0] {
                painter.line_segment([at(step - 3.5, 4.5), at(step + 3.5, -4.5)], stroke(1.0, theme.contact));
            }
        }
        Swatch::Ticks => {
            line(&[at(-9.0, -2.0), at(9.0, -2.0)], 1.0, theme.quiet);
            [-5.0, 0.0, 5.0].iter().for_each(|x| line(&[at(*x, -2.0), at(*x, 5.0)], 2.2, theme.contact));
        }
        Swatch::Dotted => {
            let corners = [at(-8.0, -5.0), at(8.0, -5.0), at(8.0, 5.0), at(-8.0, 5.0), at(-8.0, -5.0)];
            painter.extend(Shape::dotted_line(&corners, ink(theme.unseen), 3.0, 0.9));
        }
        Swatch::Ghosts => {
            for (x, weight) in [(-7.0, 0.35), (0.0, 0.6), (7.0, 1.0)] {
                let place = egui::Rect::from_center_size(at(x, 0.0), vec2(5.0, 13.0));
                painter.rect_filled(place, 2.5, ink(theme.body.gamma_multiply(weight)));
            }
        }
        Swatch::Pole => {
            line(&[at(-3.0, -7.0), at(-3.0, 7.0)], 1.6, theme.text);
            for (y, long) in [(-7.0, 8.0), (-3.5, 4.0), (0.0, 6.0), (3.5, 4.0), (7.0, 8.0)] {
                line(&[at(-3.0, y), at(long - 3.0, y)], 1.0, theme.text);
            }
        }
    }
}

fn straight(painter: &Painter, center: Pos2, color: Color32) {
    let at = |x: f32, y: f32| pos2(center.x + x, center.y + y);
    painter.line_segment([at(-9.0, 0.0), at(4.0, 0.0)], egui::Stroke::new(2.0, color));
    painter.add(Shape::convex_polygon(vec![at(3.0, -4.0), at(10.0, 0.0), at(3.0, 4.0)], color, egui::Stroke::NONE));
}
