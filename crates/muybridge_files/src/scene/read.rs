//! Reads a scene from text. Errors name line, column and key.

use std::borrow::Cow;
use std::ops::Range;

use muybridge::simulation::Scene;
use muybridge::simulation::scene::slot::KeySlot;
use muybridge::simulation::scene::{SceneError, Thing, Visitor, Walker, a, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::value::fill;
use crate::error::Complaint;
use crate::error::place_in;
use crate::xml::shorten;
use crate::{Error, Location};

/// Reads a scene and checks it. Errors carry line and column and name the key.
pub fn read(bytes: &[u8]) -> Result<Scene, Error> {
    let scene = read_unchecked(bytes)?;
    scene.check().map_err(|fault| located(bytes, &fault))?;
    Ok(scene)
}

/// Reads a scene without checking it, as an editor does; a scene from [`write`](super::write) comes back unchanged. Errors carry
/// line and column and name the key.
pub fn read_unchecked(bytes: &[u8]) -> Result<Scene, Error> {
    if super::is_log(bytes) {
        let message = "this is the log of a run, not a scene; `muybridge simulate --replay FILE` does the run again";
        return Err(Error::new(Location::File, message));
    }
    Ok(parse(text_of(bytes)?)?.0)
}

/// Notes on old words for kinds and keys in a scene or a log, one for each word, with the place of its first use: such words are still read.
/// Empty where the text cannot be read.
pub fn notes(bytes: &[u8]) -> Vec<Error> {
    if super::is_log(bytes) {
        return super::input_log::notes(bytes);
    }
    text_of(bytes).and_then(parse).map_or_else(|_| Vec::new(), |(_, read)| read.notes)
}

/// Decodes the text of a file, without its byte order mark.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::new(Location::Byte(error.valid_up_to()), "this is not UTF-8 text; save the file as UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Converts a scene error found while building to an error at the line and column of its key.
pub fn located(bytes: &[u8], fault: &SceneError) -> Error {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match parse(text) {
        Ok((_, read)) => at_fault(text, &read.document, fault),
        Err(error) => error,
    }
}

pub(super) fn at_fault(text: &str, document: &DeTable<'_>, fault: &SceneError) -> Error {
    let span = span_of(document, fault.kind, fault.index, fault.key);
    Error::new(place_in(text, span.start), format!("[{}] {} {}", fault.kind, fault.key, fault.message))
}

/// Parses a scene without checking it. Also returns the TOML document.
pub(super) fn parse(text: &str) -> Result<(Scene, SectionsRead<'_>), Error> {
    let mut scene = Scene::default();
    let read = parse_sections(text, |reader| scene.walk(reader))?;
    Ok((scene, read))
}

/// A document whose sections were read, with the present words for its kinds and keys.
pub(super) struct SectionsRead<'a> {
    pub(super) document: DeTable<'a>,
    /// Notes on old words, with the place of the first use of each.
    pub(super) notes: Vec<Error>,
}

/// Parses a document after `walk` has visited its sections.
pub(super) fn parse_sections(text: &str, walk: impl FnOnce(&mut Reader<'_>)) -> Result<SectionsRead<'_>, Error> {
    let said = |(span, message): Complaint| Error::new(place_in(text, span.start), message);
    let document = DeTable::parse(text).map_err(|error| {
        let message = error.message().trim_end().replace('\n', "; ");
        Error::new(error.span().map_or(Location::File, |span| place_in(text, span.start)), message)
    })?;
    let document = document.into_inner();
    let mut reader = Reader { document, kinds: Vec::new(), old_kinds: Vec::new(), notes: Vec::new(), complaint: None };
    walk(&mut reader);
    reader.finish();
    let Reader { document, mut notes, complaint, .. } = reader;
    if let Some(complaint) = complaint {
        return Err(said(complaint));
    }
    notes.sort_by_key(|(span, _)| span.start);
    Ok(SectionsRead { document, notes: notes.into_iter().map(said).collect() })
}

/// Span of a key of a thing in the text; of a key left out, that of the thing.
pub(super) fn span_of(document: &DeTable<'_>, kind: &str, index: usize, key: &str) -> Range<usize> {
    let Some(section) = document.get(kind) else { return 0..0 };
    let thing = match section.get_ref() {
        DeValue::Array(things) => things.get(index),
        _ => Some(section),
    };
    let Some(thing) = thing else { return section.span() };
    let value = thing.get_ref().as_table().and_then(|table| find(table, key));
    value.map_or_else(|| thing.span(), Spanned::span)
}

/// Value of a key; a key with a dot is one of a sub-table.
fn find<'a, 'b>(table: &'a DeTable<'b>, key: &str) -> Option<&'a Spanned<DeValue<'b>>> {
    match key.split_once('.') {
        Some((inner, key)) => table.get(inner)?.get_ref().as_table()?.get(key),
        None => table.get(key),
    }
}

/// Gives a key of an old word its present one; the span of the old one, or a complaint where both are given. `None` where neither is.
fn rename(table: &mut DeTable<'_>, (old, new): (&str, &'static str)) -> Option<Result<Range<usize>, Range<usize>>> {
    let (name, value) = table.remove_entry(old)?;
    let span = name.span();
    let (table, key) = match new.split_once('.') {
        Some((inner, key)) => {
            let inner = table.entry(Spanned::new(span.clone(), Cow::Borrowed(inner)));
            let inner = inner.or_insert_with(|| Spanned::new(span.clone(), DeValue::Table(DeTable::new())));
            // A sub-table that is none is complained of with the unknown keys.
            let DeValue::Table(inner) = inner.get_mut() else { return None };
            (inner, key)
        }
        None => (table, new),
    };
    let both = table.insert(Spanned::new(span.clone(), Cow::Borrowed(key)), value).is_some();
    Some(if both { Err(span) } else { Ok(span) })
}

/// Visits the sections of a document; remembers the first complaint.
pub(super) struct Reader<'a> {
    document: DeTable<'a>,
    kinds: Vec<&'static str>,
    old_kinds: Vec<(&'static str, &'static str)>,
    notes: Vec<Complaint>,
    complaint: Option<Complaint>,
}

impl<'a> Reader<'a> {
    /// Takes the section of a kind out of the document, under its present word; it is put back when it was read.
    fn section<T: Thing>(&mut self) -> Option<(Spanned<Cow<'a, str>>, Spanned<DeValue<'a>>)> {
        self.kinds.push(T::KIND);
        if let Some(old) = T::OLD_KIND {
            self.old_kinds.push((old, T::KIND));
            let renamed = rename(&mut self.document, (old, T::KIND));
            self.renamed(renamed, ("", old, T::KIND));
        }
        self.document.remove_entry(T::KIND)
    }

    /// A thing from its table, whose keys get their present words.
    fn thing<T: Thing>(&mut self, value: &mut Spanned<DeValue<'_>>) -> T {
        let (mut thing, span) = (T::default(), value.span());
        let DeValue::Table(table) = value.get_mut() else {
            self.complain(span, format!("{} must be a table with keys", T::KIND));
            return thing;
        };
        for &(old, new) in T::OLD_KEYS {
            self.renamed(rename(table, (old, new)), (&format!("[{}] ", T::KIND), old, new));
        }
        let mut keys = TableKeys { table, kind: T::KIND, old: T::OLD_KEYS, seen: Vec::new(), complaint: None };
        thing.visit(&mut keys);
        if let Some((span, message)) = keys.complaint.take().or_else(|| keys.unknown()) {
            self.complain(span, message);
        }
        if let Some(missing) = T::REQUIRED.iter().find(|key| find(table, key).is_none()) {
            self.complain(span, format!("[[{}]] needs {missing}", T::KIND));
        }
        thing
    }

    /// Notes an old word once, or complains of it where the present one is given, too.
    fn renamed(&mut self, span: Option<Result<Range<usize>, Range<usize>>>, (of, old, new): (&str, &str, &str)) {
        match span {
            Some(Ok(span)) => {
                let note = format!("{of}{old} is called {new} now");
                if self.notes.iter().all(|(_, known)| *known != note) {
                    self.notes.push((span, note));
                }
            }
            Some(Err(span)) => {
                self.complain(
                    span,
                    format!("{of}{old} is the old word for {new}, which is given, too; leave {old} out"),
                );
            }
            None => {}
        }
    }

    fn complain(&mut self, span: Range<usize>, message: String) {
        // The first complaint in the file is reported.
        if self.complaint.as_ref().is_none_or(|(earlier, _)| span.start < earlier.start) {
            self.complaint = Some((span, message));
        }
    }

    /// Complains of sections that no kind has.
    fn finish(&mut self) {
        let unknown = self.document.iter().map(|(name, _)| name).filter(|name| !self.kinds.contains(&name_of(name)));
        let Some(name) = unknown.min_by_key(|name| name.span().start) else { return };
        let given = name_of(name);
        let words = self.kinds.iter().map(|kind| (*kind, *kind)).chain(self.old_kinds.iter().copied());
        let hint = hint(given, words).unwrap_or_else(|| format!("; there are {}", self.kinds.join(", ")));
        let complaint = (name.span(), format!("“{}” is not a section of a scene{hint}", shorten(given)));
        self.complain(complaint.0, complaint.1);
    }
}

impl Walker for Reader<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        let Some((name, mut value)) = self.section::<T>() else { return };
        if value.get_ref().is_array() {
            self.complain(value.span(), format!("a scene has only one [{}]; write it in single brackets", T::KIND));
        } else {
            *section = self.thing(&mut value);
        }
        self.document.insert(name, value);
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        let Some((name, mut value)) = self.section::<T>() else { return };
        let span = value.span();
        match value.get_mut() {
            DeValue::Array(values) => {
                for value in values.iter_mut() {
                    things.push(self.thing(value));
                }
            }
            _ => self
                .complain(span, format!("a scene can have several of these; write [[{}]] in double brackets", T::KIND)),
        }
        self.document.insert(name, value);
    }
}

/// Keys seen in one table.
struct TableKeys<'a> {
    table: &'a DeTable<'a>,
    kind: &'static str,
    /// Old words, each with the key it means.
    old: &'static [(&'static str, &'static str)],
    seen: Vec<&'static str>,
    complaint: Option<Complaint>,
}

impl TableKeys<'_> {
    /// The first key of the table or of a sub-table that the thing has not.
    fn unknown(&self) -> Option<Complaint> {
        let complaints = self.table.iter().filter_map(|(name, value)| {
            let given = name_of(name);
            let prefix = format!("{given}.");
            if !self.seen.iter().any(|key| key.starts_with(&prefix)) {
                return (!self.seen.contains(&given)).then(|| self.unknown_key(name, ""));
            }
            let Some(inner) = value.get_ref().as_table() else {
                return Some((value.span(), format!("[{}] {given} must be a table with keys", self.kind)));
            };
            let unknown = |name: &&Spanned<_>| !self.seen.contains(&format!("{prefix}{}", name_of(name)).as_str());
            let name = inner.iter().map(|(name, _)| name).filter(unknown).min_by_key(|name| name.span().start)?;
            Some(self.unknown_key(name, &prefix))
        });
        complaints.min_by_key(|(span, _)| span.start)
    }

    /// Complains of a key; `prefix` is that of its sub-table.
    fn unknown_key(&self, name: &Spanned<Cow<'_, str>>, prefix: &str) -> Complaint {
        let keys = self.seen.iter().filter_map(|key| Some((key.strip_prefix(prefix)?, *key)));
        let hint = hint(name_of(name), keys.chain(self.old.iter().copied()));
        let hint = hint.unwrap_or_else(|| format!("; it has {}", self.seen.join(", ")));
        (name.span(), format!("{} has no key “{prefix}{}”{hint}", a(self.kind), shorten(name_of(name))))
    }
}

fn name_of<'a>(name: &'a Spanned<toml::de::DeString<'_>>) -> &'a str {
    name.get_ref().as_ref()
}

/// Asks for the word that is most like the one given, of pairs of a word and what it is called now.
fn hint<'a>(given: &str, words: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Option<String> {
    let near = nearest(given, words.clone().map(|(word, _)| word))?;
    let (_, now) = words.into_iter().find(|(word, _)| *word == near)?;
    Some(format!("; did you mean {now}?"))
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
