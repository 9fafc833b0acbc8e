//! Writes a scene as text. Numbers have all the digits needed to be read back exactly; keys at their defaults are left out.

use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::slot::KeySlot;
use muybridge::simulation::scene::{Thing, Visitor, Walker};

/// Writes a scene as text.
pub fn write(scene: &Scene) -> String {
    write_sections(|writer| scene.clone().walk(writer))
}

/// Writes the sections that `walk` visits as text.
pub(super) fn write_sections(walk: impl FnOnce(&mut SceneWriter)) -> String {
    let mut writer = SceneWriter(String::new());
    walk(&mut writer);
    writer.0
}

pub(super) struct SceneWriter(String);

impl SceneWriter {
    fn table<T: Thing>(&mut self, heading: &str, thing: &mut T) {
        let (mut lines, mut defaults) = (TomlLines::default(), TomlLines::default());
        thing.visit(&mut lines);
        T::default().visit(&mut defaults);
        let differs =
            |(line, default): &(&(&str, String), &(&str, String))| T::REQUIRED.contains(&line.0) || line.1 != default.1;
        let kept = lines.0.iter().zip(&defaults.0).filter(differs).map(|(line, _)| line);
        let (inner, own): (Vec<_>, Vec<_>) = kept.partition(|(key, _)| key.contains('.'));
        if !own.is_empty() || heading.starts_with("[[") {
            self.heading(heading);
        }
        for (key, value) in own {
            self.0 += &format!("{key} = {value}\n");
        }
        let mut open = "";
        for (key, value) in inner {
            let (table, key) = key.split_once('.').unwrap_or(("", key));
            if table != open {
                self.heading(&format!("[{}.{table}]", T::KIND));
                open = table;
            }
            self.0 += &format!("{key} = {value}\n");
        }
    }

    fn heading(&mut self, heading: &str) {
        let gap = if self.0.is_empty() { "" } else { "\n" };
        self.0 += &format!("{gap}{heading}\n");
    }
}

impl Walker for SceneWriter {
    fn one<T: Thing>(&mut self, section: &mut T) {
        self.table(&format!("[{}]", T::KIND), section);
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        for thing in things {
            self.table(&format!("[[{}]]", T::KIND), thing);
        }
    }
}

/// Keys and their values as text; empty for a value that is left out.
#[derive(Default)]
pub(super) struct TomlLines(pub(super) Vec<(&'static str, String)>);

impl Visitor for TomlLines {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        self.0.push((key, in_text(&slot)));
    }
}

fn in_text(slot: &KeySlot<'_>) -> String {
    match slot {
        KeySlot::Name(value) | KeySlot::Text(value) => text(value),
        KeySlot::Part(part) => text(&part.0),
        KeySlot::Flag(value) => value.to_string(),
        KeySlot::Choice(choice) => text(choice.word()),
        KeySlot::Choices(choices) => listed(&choices.indices(), |&index| text(choices.words()[index])),
        KeySlot::Count(value, _) => value.to_string(),
        KeySlot::Grid(value) => listed(&value[..], u32::to_string),
        KeySlot::Number(value, _) | KeySlot::Angle(value, _) => number(value),
        KeySlot::Optional(value, _) => value.as_ref().map_or_else(String::new, number),
        KeySlot::Place(place) => place.as_ref().map_or_else(String::new, vector),
        KeySlot::Steps(steps) => super::plan::in_text(steps),
        KeySlot::Angles(values) => listed(&values[..], number),
        KeySlot::Vector(value, _) | KeySlot::Turn(value) => vector(value),
        KeySlot::Numbers(values, _) => listed(values, number),
        KeySlot::Vectors(values) => listed(values, vector),
        KeySlot::Path(path) => listed(path, |point| {
            let [x, y, z] = point.place.to_array();
            listed(&[point.time, x, y, z], number)
        }),
        KeySlot::Indices(values) => listed(values, u32::to_string),
        KeySlot::Pairs(values) => listed(values, |pair| listed(pair, u32::to_string)),
        KeySlot::Triples(values) => listed(values, |triple| listed(triple, u32::to_string)),
    }
}

pub(super) fn text(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn vector(v: &DVec3) -> String {
    listed(&v.to_array(), number)
}

pub(super) fn listed<T>(values: &[T], text: impl Fn(&T) -> String) -> String {
    let values: Vec<String> = values.iter().map(text).collect();
    format!("[{}]", values.join(", "))
}

/// Writes a number with the fewest digits that read back exactly.
pub(super) fn number(value: &f64) -> String {
    format!("{value:?}")
}
