//! Text to a scene. Errors say line, column and key.

use std::ops::Range;

use muybridge::simulation::Scene;
use muybridge::simulation::scene::slot::KeySlot;
use muybridge::simulation::scene::{SceneError, Thing, Visitor, Walker, a, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::value::{Complaint, fill};
use crate::error::place_in;
use crate::xml::shorten;
use crate::{Error, Location};

/// Reads a scene and checks it. Errors carry line and column and name the key.
pub fn read(bytes: &[u8]) -> Result<Scene, Error> {
    let scene = read_unchecked(bytes)?;
    scene.check().map_err(|fault| located(bytes, &fault))?;
    Ok(scene)
}

/// Reads a scene as it stands there, whether it makes sense or not, as an editor does: what [`write`](super::write) wrote comes back.
/// Errors carry line and column and name the key.
pub fn read_unchecked(bytes: &[u8]) -> Result<Scene, Error> {
    if super::is_log(bytes) {
        let message = "this is the log of a run, not a scene; `muybridge simulate --replay FILE` does the run again";
        return Err(Error::new(Location::File, message));
    }
    Ok(parse(text_of(bytes)?)?.0)
}

/// The text of a file, without a mark of its byte order.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::new(Location::Byte(error.valid_up_to()), "this is not UTF-8 text; save the file as UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A fault found later, in building what the scene says, as an error of the text it was read from.
pub fn located(bytes: &[u8], fault: &SceneError) -> Error {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match parse(text) {
        Ok((_, document)) => at_fault(text, document.get_ref(), fault),
        Err(error) => error,
    }
}

pub(super) fn at_fault(text: &str, document: &DeTable<'_>, fault: &SceneError) -> Error {
    let span = span_of(document, fault.kind, fault.index, fault.key);
    Error::new(place_in(text, span.start), format!("[{}] {} {}", fault.kind, fault.key, fault.message))
}

/// A scene as it stands there, whether it makes sense or not, and the document it was read from.
pub(super) fn parse(text: &str) -> Result<(Scene, Spanned<DeTable<'_>>), Error> {
    let mut scene = Scene::default();
    let document = parse_sections(text, |reader| scene.walk(reader))?;
    Ok((scene, document))
}

/// A document, after `walk` has gone through its sections.
pub(super) fn parse_sections(text: &str, walk: impl FnOnce(&mut Reader<'_>)) -> Result<Spanned<DeTable<'_>>, Error> {
    let complain = |(span, message): Complaint| Error::new(place_in(text, span.start), message);
    let document = DeTable::parse(text).map_err(|error| {
        let message = error.message().trim_end().replace('\n', "; ");
        Error::new(error.span().map_or(Location::File, |span| place_in(text, span.start)), message)
    })?;
    let mut reader = Reader { document: document.get_ref(), kinds: Vec::new(), complaint: None };
    walk(&mut reader);
    reader.finish().map_err(complain)?;
    Ok(document)
}

/// Where a key of a thing stands; of one left out, the thing.
fn span_of(document: &DeTable<'_>, kind: &str, index: usize, key: &str) -> Range<usize> {
    let Some(section) = find(document, kind) else { return 0..0 };
    let thing = match section.get_ref() {
        DeValue::Array(things) => things.get(index),
        _ => Some(section),
    };
    let Some(thing) = thing else { return section.span() };
    let value = thing.get_ref().as_table().and_then(|table| find(table, key));
    value.map_or_else(|| thing.span(), Spanned::span)
}

fn find<'a, 'b>(table: &'a DeTable<'b>, key: &str) -> Option<&'a Spanned<DeValue<'b>>> {
    table.iter().find(|(name, _)| name.get_ref().as_ref() == key).map(|(_, value)| value)
}

/// Goes through a document along the sections of a scene; remembers the first complaint.
pub(super) struct Reader<'a> {
    document: &'a DeTable<'a>,
    kinds: Vec<&'static str>,
    complaint: Option<Complaint>,
}

impl Reader<'_> {
    /// A thing from its table.
    fn thing<T: Thing>(&mut self, value: &Spanned<DeValue<'_>>) -> T {
        let mut thing = T::default();
        let Some(table) = value.get_ref().as_table() else {
            self.complain(value.span(), format!("{} must be a table with keys", T::KIND));
            return thing;
        };
        let mut keys = TableKeys { table, kind: T::KIND, seen: Vec::new(), complaint: None };
        thing.visit(&mut keys);
        if let Some((span, message)) = keys.complaint.take().or_else(|| keys.unknown()) {
            self.complain(span, message);
        }
        if let Some(missing) = T::REQUIRED.iter().find(|key| find(table, key).is_none()) {
            self.complain(value.span(), format!("[[{}]] needs {missing}", T::KIND));
        }
        thing
    }

    fn complain(&mut self, span: Range<usize>, message: String) {
        // The first in the file is the one to mend first.
        if self.complaint.as_ref().is_none_or(|(earlier, _)| span.start < earlier.start) {
            self.complaint = Some((span, message));
        }
    }

    fn finish(mut self) -> Result<(), Complaint> {
        let document = self.document;
        for (name, _) in document.iter() {
            let given = name.get_ref().as_ref();
            if !self.kinds.contains(&given) {
                let hint = hint(given, &self.kinds);
                let hint = if hint.is_empty() { format!("; there are {}", self.kinds.join(", ")) } else { hint };
                self.complain(name.span(), format!("“{}” is no kind of thing{hint}", shorten(given)));
            }
        }
        self.complaint.map_or(Ok(()), Err)
    }
}

impl Walker for Reader<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        self.kinds.push(T::KIND);
        let Some(value) = find(self.document, T::KIND) else { return };
        if value.get_ref().is_array() {
            self.complain(value.span(), format!("there is one [{}], in single brackets", T::KIND));
        } else {
            *section = self.thing(value);
        }
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        self.kinds.push(T::KIND);
        let Some(value) = find(self.document, T::KIND) else { return };
        match value.get_ref().as_array() {
            Some(values) => {
                for value in values.iter() {
                    things.push(self.thing(value));
                }
            }
            None => self.complain(value.span(), format!("there may be many: write [[{}]] in double brackets", T::KIND)),
        }
    }
}

/// The keys of one table.
struct TableKeys<'a> {
    table: &'a DeTable<'a>,
    kind: &'static str,
    seen: Vec<&'static str>,
    complaint: Option<Complaint>,
}

impl TableKeys<'_> {
    fn unknown(&self) -> Option<Complaint> {
        let unknown = |name: &&Spanned<_>| !self.seen.contains(&name_of(name));
        let name = self.table.iter().map(|(name, _)| name).filter(unknown).min_by_key(|name| name.span().start)?;
        let given = name.get_ref().as_ref();
        let hint = hint(given, &self.seen);
        let hint = if hint.is_empty() { format!("; it has {}", self.seen.join(", ")) } else { hint };
        Some((name.span(), format!("{} has no key “{}”{hint}", a(self.kind), shorten(given))))
    }
}

fn name_of<'a>(name: &'a Spanned<toml::de::DeString<'_>>) -> &'a str {
    name.get_ref().as_ref()
}

fn hint(given: &str, words: &[&'static str]) -> String {
    nearest(given, words.iter().copied()).map_or_else(String::new, |near| format!("; did you mean {near}?"))
}

impl Visitor for TableKeys<'_> {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        self.seen.push(key);
        let Some(value) = find(self.table, key) else { return };
        if let Err((span, message)) = fill(slot, value)
            && self.complaint.as_ref().is_none_or(|(earlier, _)| span.start < earlier.start)
        {
            self.complaint = Some((span, format!("[{}] {key} {message}", self.kind)));
        }
    }
}
