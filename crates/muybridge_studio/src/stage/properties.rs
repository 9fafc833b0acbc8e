//! Edit fields for the keys of a thing, generated from the list that reader, writer and check of scenes use.
//!
//! Description, unit and bound of a field come from that list; a key with an error is marked.

use eframe::egui::{self, DragValue, Id, Role, Ui, WidgetInfo};
use muybridge::glam::DVec3;
use muybridge::math::SPEED_OF_LIGHT;
use muybridge::simulation::scene::slot::{GREATEST, KeySlot, MOST, NumberRange};
use muybridge::simulation::scene::{EMBEDDED, Scene, Thing, Visitor, Walker, file_word};

use super::document::Keep;
use super::lists;
use super::outline::ThingRef;
use super::settings::{self, Taken};
use super::steps::{self, Known};
use crate::theme::Theme;

/// The thing to edit, and how its fields are shown.
pub struct Fields<'a> {
    /// The thing; for settings, its kind says which.
    pub chosen: ThingRef,
    /// Keys to show; if empty, all keys are shown.
    pub only: &'a [&'a str],
    /// The key with an error; `None` if there is none.
    pub wrong: Option<&'static str>,
    /// Names that fields can refer to.
    pub known: Known<'a>,
}

/// Change that the user made in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// This key has a new value.
    Value(&'static str),
    /// The thing is to get this new name.
    Name(String),
}

/// Keys that a run takes while it goes on, without beginning again: material, motors, strength.
const LIVE: [&str; 30] = [
    "seconds",
    "friction",
    "restitution",
    "damping",
    "compliance",
    "stiffness",
    "motor_damping",
    "damping_ratio",
    "speed",
    "motor_speed",
    "stretch_compliance",
    "bend_compliance",
    "air_drag",
    "air_lift",
    "joint_friction",
    "rolling_resistance",
    "swing_limit",
    "angle_limits",
    "max_torque",
    "max_angle",
    "stick",
    "frequency",
    "strength",
    "time_constant",
    "mechanism_damping",
    "max_force",
    "gust_share",
    "period",
    "self_collision",
    "velocity",
];

/// Whether a change of this key restarts or continues the run.
pub fn effect_on_run(kind: &str, key: &str) -> Keep {
    let lives = match kind {
        "scene" | "solver" => settings::effect_on_world(key) != Taken::Restarted,
        "wind" => LIVE.contains(&key),
        "joint" if key == "target" => true,
        _ => LIVE.contains(&key) && key != "velocity",
    };
    if lives { Keep::State } else { Keep::Start }
}

impl Fields<'_> {
    /// Shows the fields and writes the user's input into the scene; returns the change, if any.
    pub fn show(&self, scene: &mut Scene, ui: &mut Ui) -> Option<KeyChange> {
        let mut walker = Showing { fields: self, ui, change: None };
        scene.walk(&mut walker);
        walker.change
    }
}

struct Showing<'a> {
    fields: &'a Fields<'a>,
    ui: &'a mut Ui,
    change: Option<KeyChange>,
}

impl Showing<'_> {
    fn thing<T: Thing>(&mut self, thing: &mut T) {
        let ThingRef { kind, index } = self.fields.chosen;
        let mut change = None;
        let grid = egui::Grid::new(("fields", kind, index)).num_columns(2).spacing([10.0, 5.0]).striped(false);
        grid.show(self.ui, |ui| {
            let mut rows = KeyRows { fields: self.fields, about: T::ABOUT.1, ui, change: None };
            thing.visit(&mut rows);
            change = rows.change;
        });
        self.change = change;
    }
}

impl Walker for Showing<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        if T::KIND == self.fields.chosen.kind && T::ABOUT.1.iter().any(|(key, _)| self.fields.asks(key)) {
            self.thing(section);
        }
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if T::KIND == self.fields.chosen.kind
            && let Some(thing) = things.get_mut(self.fields.chosen.index)
        {
            self.thing(thing);
        }
    }
}

impl Fields<'_> {
    fn asks(&self, key: &str) -> bool {
        self.only.is_empty() || self.only.contains(&key)
    }
}

struct KeyRows<'a> {
    fields: &'a Fields<'a>,
    about: &'static [(&'static str, &'static str)],
    ui: &'a mut Ui,
    change: Option<KeyChange>,
}

impl Visitor for KeyRows<'_> {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        if !self.fields.asks(key) {
            return;
        }
        let theme = Theme::current(self.ui);
        let about = self.about.iter().find(|(known, _)| *known == key).map_or("", |(_, about)| about.trim());
        let words: String = about.chars().filter(|c| !matches!(c, '`' | '[' | ']')).collect();
        let hint =
            [words.as_str(), &bound(&slot)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        let color = if self.fields.wrong == Some(key) { theme.ballistic } else { theme.text };
        let label = self.ui.colored_label(color, spoken(key)).on_hover_text(&hint);
        if self.fields.wrong == Some(key) {
            let rect = label.rect.expand2(egui::vec2(3.0, 1.0));
            let stroke = egui::Stroke::new(1.0, theme.ballistic);
            self.ui.painter().rect_stroke(rect, 3.0, stroke, egui::StrokeKind::Outside);
        }
        let field = KeyField { key, unit: unit(about), hint: &hint, id: self.id(key) };
        let known = self.fields.known;
        let change = if is_list(&slot) {
            self.ui.horizontal_top(|ui| field.show(ui, slot, known)).inner
        } else {
            self.ui.horizontal(|ui| field.show(ui, slot, known)).inner
        };
        self.ui.end_row();
        if change.is_some() {
            self.change = change;
        }
    }
}

impl KeyRows<'_> {
    fn id(&self, key: &str) -> Id {
        let ThingRef { kind, index } = self.fields.chosen;
        Id::unique(("field", kind, index, key))
    }
}

/// Field for one key.
pub struct KeyField<'a> {
    /// The key.
    pub key: &'static str,
    /// Unit of the key, abbreviated; empty if it has none.
    pub unit: &'static str,
    /// Tooltip: description and bound of the key.
    pub hint: &'a str,
    /// Id under which egui stores unfinished input.
    pub id: Id,
}

impl KeyField<'_> {
    fn show(&self, ui: &mut Ui, slot: KeySlot<'_>, known: Known<'_>) -> Option<KeyChange> {
        let changed = match slot {
            KeySlot::Name(name) => {
                let mut wanted = name.clone();
                return self.words(ui, &mut wanted).then_some(KeyChange::Name(wanted));
            }
            KeySlot::Text(text) if text.starts_with(EMBEDDED) => {
                // Embedded files are shown by name and size only, as they are long and not readable.
                let size = format!("{}, {} kB in the scene", file_word(text), text.len() / 1000);
                ui.label(size).on_hover_text(self.hint);
                false
            }
            KeySlot::Text(text) => self.words(ui, text),
            KeySlot::Part(part) => self.part(ui, &mut part.0, known.parts),
            KeySlot::Flag(flag) => {
                let response = ui.checkbox(flag, "").on_hover_text(self.hint);
                response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, *flag, spoken(self.key)));
                response.changed()
            }
            KeySlot::Choice(choice) => {
                let words = choice.words();
                let mut index = choice.index();
                let changed = self.combo(ui, words[index], |ui| {
                    words.iter().enumerate().fold(false, |changed, (at, word)| {
                        changed | ui.selectable_value(&mut index, at, word.replace('_', " ")).changed()
                    })
                });
                choice.set(index);
                changed
            }
            KeySlot::Choices(choices) => lists::choices(ui, choices),
            KeySlot::Count(count, [least, most]) => {
                let most = most.min(MOST);
                self.drag(ui, DragValue::new(count).range(least..=most).speed(0.2), "")
            }
            KeySlot::Grid(grid) => ["x", "y", "z"].iter().zip(grid).fold(false, |changed, (axis, value)| {
                changed | self.drag(ui, DragValue::new(value).range(1..=1000_u32).speed(0.05), axis)
            }),
            KeySlot::Number(value, bound) => self.number(ui, value, bound, ""),
            KeySlot::Optional(value, bound) => {
                self.optional(ui, value, 1.0, |field, ui, value| field.number(ui, value, bound, ""))
            }
            KeySlot::Angle(value, bound) => self.angle(ui, value, bound == NumberRange::NotNegative, ""),
            KeySlot::Angles([least, most]) => {
                self.angle(ui, least, false, "least") | self.angle(ui, most, false, "greatest")
            }
            KeySlot::Vector(value, bound) => self.vector(ui, value, bound),
            KeySlot::Place(value) => {
                self.optional(ui, value, DVec3::Y, |field, ui, value| field.vector(ui, value, NumberRange::Any))
            }
            KeySlot::Turn(value) => {
                self.angle(ui, &mut value.x, false, "x")
                    | self.angle(ui, &mut value.y, false, "y")
                    | self.angle(ui, &mut value.z, false, "z")
            }
            KeySlot::Numbers(values, bound) => lists::numbers(ui, self, values, bound),
            KeySlot::Vectors(values) => lists::vectors(ui, self, values),
            KeySlot::Path(path) => lists::path(ui, self, path),
            KeySlot::Indices(values) => lists::indices(ui, self, values),
            KeySlot::Pairs(pairs) => lists::pairs(ui, self, pairs),
            KeySlot::Triples(triples) => lists::triples(ui, self, triples),
            KeySlot::Steps(list) => steps::show(ui, list, known),
        };
        changed.then_some(KeyChange::Value(self.key))
    }

    /// Text field; the new text counts once the field loses focus or Enter is pressed.
    pub fn words(&self, ui: &mut Ui, value: &mut String) -> bool {
        let mut text = ui.data_mut(|kept| kept.get_temp::<String>(self.id)).unwrap_or_else(|| value.clone());
        let response = ui.add(egui::TextEdit::singleline(&mut text).desired_width(150.0)).on_hover_text(self.hint);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, spoken(self.key)));
        if response.has_focus() {
            ui.data_mut(|kept| kept.insert_temp(self.id, text));
            return false;
        }
        ui.data_mut(|kept| kept.remove::<String>(self.id));
        let changed = response.lost_focus() && text != *value;
        if changed {
            *value = text;
        }
        changed
    }

    fn part(&self, ui: &mut Ui, part: &mut String, parts: &[String]) -> bool {
        let shown = if part.is_empty() { "none".to_owned() } else { part.clone() };
        self.combo(ui, &shown, |ui| {
            let mut changed = ui.selectable_value(part, String::new(), "none").changed();
            for known in parts {
                changed |= ui.selectable_value(part, known.clone(), known).changed();
            }
            changed
        })
    }

    /// Drop-down list.
    pub fn combo(&self, ui: &mut Ui, shown: &str, content: impl FnOnce(&mut Ui) -> bool) -> bool {
        let list = egui::ComboBox::from_id_salt(self.id).width(150.0).selected_text(shown.replace('_', " "));
        let answer = list.show_ui(ui, content);
        answer.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, spoken(self.key)));
        answer.response.on_hover_text(self.hint);
        answer.inner.unwrap_or(false)
    }

    fn optional<T: Copy>(
        &self,
        ui: &mut Ui,
        value: &mut Option<T>,
        first: T,
        show: impl FnOnce(&Self, &mut Ui, &mut T) -> bool,
    ) -> bool {
        let mut is_given = value.is_some();
        let response = ui.checkbox(&mut is_given, "").on_hover_text("Given, or left out");
        response.widget_info(|| {
            WidgetInfo::selected(Role::CheckBox, true, is_given, format!("{} given", spoken(self.key)))
        });
        let mut changed = response.changed();
        match value {
            Some(value) if is_given => changed |= show(self, ui, value),
            _ if is_given => *value = Some(first),
            _ => *value = None,
        }
        changed
    }

    /// Number field with its unit, limited to its bound.
    pub fn number(&self, ui: &mut Ui, value: &mut f64, bound: NumberRange, axis: &str) -> bool {
        let speed = (value.abs() * 0.01).clamp(1e-5, 1e6).max(if *value == 0.0 { 0.01 } else { 0.0 });
        let range = match bound {
            NumberRange::Any => -GREATEST..=GREATEST,
            NumberRange::HeightOrHole => f64::NEG_INFINITY..=GREATEST,
            NumberRange::Speed => -SPEED_OF_LIGHT..=SPEED_OF_LIGHT,
            NumberRange::Positive => 1e-9..=GREATEST,
            NumberRange::PositiveOrInfinite => 1e-9..=f64::MAX,
            NumberRange::NotNegative => 0.0..=GREATEST,
            NumberRange::Share => 0.0..=1.0,
        };
        let drag = DragValue::new(value).speed(speed).range(range).clamp_existing_to_range(false).max_decimals(6);
        let suffix = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        self.drag(ui, if axis.is_empty() { drag.suffix(suffix) } else { drag }, axis)
    }

    fn angle(&self, ui: &mut Ui, value: &mut f64, is_positive: bool, axis: &str) -> bool {
        let mut degrees = value.to_degrees();
        let range = if is_positive { 0.0..=720.0 } else { -720.0..=720.0 };
        let drag = DragValue::new(&mut degrees).speed(0.5).range(range).clamp_existing_to_range(false);
        let changed = self.drag(ui, drag.suffix("°").max_decimals(3), axis);
        if changed {
            *value = degrees.to_radians();
        }
        changed
    }

    /// Field for a vector of three numbers.
    pub fn vector(&self, ui: &mut Ui, value: &mut DVec3, bound: NumberRange) -> bool {
        ui.spacing_mut().item_spacing.x = 4.0;
        let axes = [("x", &mut value.x), ("y", &mut value.y), ("z", &mut value.z)];
        let changed = axes.into_iter().fold(false, |changed, (axis, value)| {
            let unseen = KeyField { unit: "", ..*self };
            changed | unseen.number(ui, value, bound, axis)
        });
        if !self.unit.is_empty() {
            ui.weak(self.unit);
        }
        changed
    }

    /// Number field to drag or type into, labeled with its key and axis.
    pub fn drag(&self, ui: &mut Ui, drag: DragValue<'_>, axis: &str) -> bool {
        let response = ui.add(drag).on_hover_text(self.hint);
        let key = spoken(self.key);
        let name = [key.as_str(), axis].into_iter().filter(|part| !part.is_empty());
        let name = name.collect::<Vec<&str>>().join(" ");
        response.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, name.clone()));
        response.changed()
    }
}

/// Whether the field has several rows.
fn is_list(slot: &KeySlot<'_>) -> bool {
    let points = matches!(slot, KeySlot::Indices(_) | KeySlot::Pairs(_) | KeySlot::Triples(_) | KeySlot::Steps(_));
    points || matches!(slot, KeySlot::Choices(_) | KeySlot::Numbers(..) | KeySlot::Vectors(_) | KeySlot::Path(_))
}

/// Description of the values that a key may have.
fn bound(slot: &KeySlot<'_>) -> String {
    let words = |bound: &NumberRange| match bound {
        NumberRange::Any | NumberRange::Speed => "",
        NumberRange::Positive => "Above 0.",
        NumberRange::NotNegative => "0 or more.",
        NumberRange::Share => "From 0 to 1.",
        NumberRange::PositiveOrInfinite => "Above 0, or inf.",
        NumberRange::HeightOrHole => "A height, or -inf for a hole.",
    };
    match slot {
        KeySlot::Number(_, bound)
        | KeySlot::Optional(_, bound)
        | KeySlot::Numbers(_, bound)
        | KeySlot::Vector(_, bound) => words(bound).into(),
        KeySlot::Angle(_, bound) => format!("Shown in degrees. {}", words(bound)),
        KeySlot::Angles(_) => "Shown in degrees, from -360 to 360, at most a whole turn apart.".into(),
        KeySlot::Turn(_) => "Shown in degrees.".into(),
        KeySlot::Count(_, [least, most]) if *most == u32::MAX => format!("{least} or more."),
        KeySlot::Count(_, [least, most]) => format!("{least} to {most}."),
        KeySlot::Name(_) => "No slash; no other thing has it.".into(),
        _ => String::new(),
    }
}

/// A key as it is shown, without its sub-table: "sleep threshold"; k_s and k_d are names as they stand.
pub fn spoken(key: &str) -> String {
    let key = key.rsplit('.').next().unwrap_or(key);
    if key.starts_with("k_") { key.into() } else { key.replace('_', " ") }
}

/// Unit abbreviations, with the words that name them in descriptions.
const UNITS: [(&str, &str); 23] = [
    ("meters per second squared", "m/s²"),
    ("m/s²", "m/s²"),
    ("meters per second", "m/s"),
    ("radians per newton meter", "rad/(N m)"),
    ("meters per newton", "m/N"),
    ("radians per second", "rad/s"),
    ("newton meters", "N m"),
    ("newton seconds", "N s"),
    ("frames per second", "1/s"),
    ("kg/m³", "kg/m³"),
    ("1/s²", "1/s²"),
    ("1/s", "1/s"),
    ("kg m²", "kg m²"),
    ("n m²", "N m²"),
    ("newtons", "N"),
    ("kilograms", "kg"),
    ("hertz", "Hz"),
    ("per second", "1/s"),
    ("meters", "m"),
    ("meter", "m"),
    ("seconds", "s"),
    ("radians", "rad"),
    ("joules", "J"),
];

fn unit(about: &str) -> &'static str {
    let about = about.to_lowercase();
    let found =
        UNITS.iter().filter_map(|(words, unit)| Some((about.find(words)?, std::cmp::Reverse(words.len()), unit)));
    found.min().map_or("", |(.., unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::simulation::scene::{Joint, Setting, Solver};

    #[test]
    fn units_are_those_of_the_words() {
        let of = |keys: &[(&str, &str)], key: &str| unit(keys.iter().find(|(known, _)| *known == key).unwrap().1);
        assert_eq!(of(Setting::ABOUT.1, "gravity"), "m/s²");
        assert_eq!(of(Setting::ABOUT.1, "air_density"), "kg/m³");
        assert_eq!(of(Solver::ABOUT.1, "rigid.sleep_threshold"), "m/s");
        assert_eq!(of(Joint::ABOUT.1, "compliance"), "rad/(N m)");
        assert_eq!(of(Joint::ABOUT.1, "at"), "m");
    }

    #[test]
    fn what_a_thing_is_made_of_changes_while_it_runs_and_where_it_starts_does_not() {
        assert_eq!(effect_on_run("box", "friction"), Keep::State);
        assert_eq!(effect_on_run("box", "velocity"), Keep::Start);
        assert_eq!(effect_on_run("wind", "velocity"), Keep::State);
        assert_eq!(effect_on_run("joint", "target"), Keep::State);
        assert_eq!(effect_on_run("box", "position"), Keep::Start);
    }
}
