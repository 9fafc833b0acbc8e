//! The file of an input log: a scene with the inputs to its run.
//!
//! ```toml
//! [input_log]
//! version = 3
//! end = 180                              # steps taken, and the fingerprint of the state then
//! sum = "cbf29ce484222325"
//!
//! [[mark]]                               # fingerprints during the run
//! step = 60
//! sum = "85944171f73967e8"
//!
//! [[input]]                              # inputs, each with the step it precedes
//! step = 12
//! kind = "hold"                          # or pull let_go push tune change
//! of = "man/LeftHand"
//! at = [0.4, 1.4, 0.0]
//!
//! [scene]                                # from here on the scene as it began
//! ground = 0.0
//! ```
//! Numbers have all the digits needed to be read back exactly, so that a replay has the same bits.

use muybridge::glam::DVec3;
use muybridge::simulation::input_log::{Fingerprint, Input, InputLog};
use muybridge::simulation::scene::slot::{Choice, KeySlot, NumberRange, PartPath};
use muybridge::simulation::scene::{Scene, SceneError, Thing, Visitor, Walker};

use super::read::{SectionsRead, at_fault, parse_sections, span_of, text_of};
use super::write::write_sections;
use crate::Error;
use crate::error::place_in;

/// Version of the format.
const VERSION: u32 = 3;

/// The sections of a log, in the order in which they are written.
#[derive(Default)]
struct LogSections {
    head: Head,
    marks: Vec<FingerprintEntry>,
    entries: Vec<InputEntry>,
    scene: Scene,
}

impl LogSections {
    fn walk(&mut self, walker: &mut impl Walker) {
        walker.one(&mut self.head);
        walker.many(&mut self.marks);
        walker.many(&mut self.entries);
        self.scene.walk(walker);
    }

    fn parse(text: &str) -> Result<(Self, SectionsRead<'_>), Error> {
        let mut sections = Self::default();
        let read = parse_sections(text, |reader| sections.walk(reader))?;
        Ok((sections, read))
    }
}

/// Writes a log as text.
pub fn write_log(log: &InputLog) -> String {
    let (end, sum) = log.end.map_or((0, String::new()), |(step, sum)| (count(step), sum.to_string()));
    let mark = |&(step, sum): &(u64, Fingerprint)| FingerprintEntry { step: count(step), sum: sum.to_string() };
    let mut sections = LogSections {
        head: Head { version: VERSION, end, sum },
        marks: log.marks.iter().map(mark).collect(),
        entries: log.inputs.iter().map(|(step, input)| InputEntry::of(count(*step), input)).collect(),
        scene: log.scene.clone(),
    };
    write_sections(|writer| sections.walk(writer))
}

/// Reads a log and checks it. Errors carry line and column and name the key.
pub fn read_log(bytes: &[u8]) -> Result<InputLog, Error> {
    let text = text_of(bytes)?;
    let (LogSections { head, marks, entries, scene }, read) = LogSections::parse(text)?;
    let located = |fault: SceneError| at_fault(text, &read.document, &fault);
    if head.version != VERSION {
        let message = match head.version < VERSION {
            true => format!(
                "is {}, of a log whose scene an earlier version of muybridge ran to other places; record it again to have version {VERSION}",
                head.version
            ),
            false => format!("is {}, but only version {VERSION} can be read; update muybridge", head.version),
        };
        return Err(located(SceneError { kind: Head::KIND, index: 0, key: "version", message }));
    }
    scene.check().map_err(located)?;
    let mut log = InputLog { scene, ..InputLog::default() };
    if !head.sum.is_empty() {
        log.end = Some((head.end.into(), fingerprint(&head.sum, Head::KIND, 0).map_err(located)?));
    }
    for (index, FingerprintEntry { step, sum }) in marks.iter().enumerate() {
        let before = log.marks.last().map_or(0, |(step, _)| *step);
        ordered(before, *step, FingerprintEntry::KIND, index).map_err(located)?;
        log.marks.push(((*step).into(), fingerprint(sum, FingerprintEntry::KIND, index).map_err(located)?));
    }
    for (index, entry) in entries.into_iter().enumerate() {
        let (step, before) = (entry.step, log.inputs.last().map_or(0, |(step, _)| *step));
        ordered(before, step, InputEntry::KIND, index).map_err(located)?;
        log.inputs.push((step.into(), entry.input(index).map_err(located)?));
    }
    Ok(log)
}

/// Notes on old words in a log, and in the scenes that its inputs hold, which have the place of the input.
pub(super) fn notes(bytes: &[u8]) -> Vec<Error> {
    let Ok((text, (sections, read))) = text_of(bytes).and_then(|text| Ok((text, LogSections::parse(text)?))) else {
        return Vec::new();
    };
    let mut notes = read.notes;
    for (index, entry) in sections.entries.iter().enumerate() {
        for note in super::notes(entry.scene.as_bytes()) {
            if notes.iter().all(|known| known.message != note.message) {
                let place = place_in(text, span_of(&read.document, InputEntry::KIND, index, "scene").start);
                notes.push(Error::new(place, note.message));
            }
        }
    }
    notes
}

/// Whether a file begins like an input log.
pub fn is_log(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    text.lines().map(str::trim).find(|line| line.starts_with('[')).is_some_and(|line| line.starts_with("[input_log]"))
}

/// Converts a step number for the file; 32 bits hold two years at 60 steps per second.
fn count(step: u64) -> u32 {
    u32::try_from(step).unwrap_or(u32::MAX)
}

fn fingerprint(text: &str, kind: &'static str, index: usize) -> Result<Fingerprint, SceneError> {
    text.parse().map_err(|_| {
        let message = format!("must be sixteen hexadecimal digits, not “{text}”");
        SceneError { kind, index, key: "sum", message }
    })
}

fn ordered(before: u64, step: u32, kind: &'static str, index: usize) -> Result<(), SceneError> {
    if u64::from(step) >= before {
        return Ok(());
    }
    Err(SceneError {
        kind,
        index,
        key: "step",
        message: format!("is {step}, but the entry before it is at step {before}; put the entries in order"),
    })
}

/// The section `input_log`.
#[derive(Clone, Debug)]
struct Head {
    version: u32,
    end: u32,
    sum: String,
}

impl Default for Head {
    fn default() -> Self {
        Self { version: VERSION, end: 0, sum: String::new() }
    }
}

impl Thing for Head {
    const KIND: &'static str = "input_log";
    const REQUIRED: &'static [&'static str] = &["version"];
    const ABOUT: (&'static str, &'static [(&'static str, &'static str)]) = (
        "A run and what was done to it.",
        &[
            ("version", "Number of the format."),
            ("end", "Steps taken in all."),
            ("sum", "Fingerprint of the state at the end."),
        ],
    );

    fn visit(&mut self, visitor: &mut dyn Visitor) {
        visitor.slot("version", KeySlot::Count(&mut self.version, [0, u32::MAX]));
        visitor.slot("end", KeySlot::Count(&mut self.end, [0, u32::MAX]));
        visitor.slot("sum", KeySlot::Text(&mut self.sum));
    }
}

/// A fingerprint during the run: one `[[mark]]`.
#[derive(Clone, Debug, Default)]
struct FingerprintEntry {
    step: u32,
    sum: String,
}

impl Thing for FingerprintEntry {
    const KIND: &'static str = "mark";
    const REQUIRED: &'static [&'static str] = &["step", "sum"];
    const ABOUT: (&'static str, &'static [(&'static str, &'static str)]) = (
        "What the state was on the way.",
        &[("step", "Steps taken."), ("sum", "Fingerprint of the state, before what is done there.")],
    );

    fn visit(&mut self, visitor: &mut dyn Visitor) {
        visitor.slot("step", KeySlot::Count(&mut self.step, [0, u32::MAX]));
        visitor.slot("sum", KeySlot::Text(&mut self.sum));
    }
}

/// An input: one `[[input]]`, with the keys of every kind.
#[derive(Clone, Debug, Default)]
struct InputEntry {
    step: u32,
    kind: InputKind,
    of: PartPath,
    at: DVec3,
    to: DVec3,
    force: f64,
    impulse: DVec3,
    scene: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum InputKind {
    #[default]
    Hold,
    Pull,
    LetGo,
    Push,
    Tune,
    Change,
}

const KINDS: [(InputKind, &str); 6] = [
    (InputKind::Hold, "hold"),
    (InputKind::Pull, "pull"),
    (InputKind::LetGo, "let_go"),
    (InputKind::Push, "push"),
    (InputKind::Tune, "tune"),
    (InputKind::Change, "change"),
];

impl Choice for InputKind {
    fn words(&self) -> &'static [&'static str] {
        const WORDS: [&str; 6] = [KINDS[0].1, KINDS[1].1, KINDS[2].1, KINDS[3].1, KINDS[4].1, KINDS[5].1];
        &WORDS
    }

    fn word(&self) -> &'static str {
        KINDS[*self as usize].1
    }

    fn set(&mut self, index: usize) {
        if let Some((kind, _)) = KINDS.get(index) {
            *self = *kind;
        }
    }
}

impl Thing for InputEntry {
    const KIND: &'static str = "input";
    const REQUIRED: &'static [&'static str] = &["step", "kind"];
    const ABOUT: (&'static str, &'static [(&'static str, &'static str)]) = (
        "What is done to a running scene.",
        &[
            ("step", "Steps taken before it."),
            ("kind", "hold, pull, let_go, push, tune or change."),
            ("of", "hold, push: a thing, or a bone of one."),
            ("at", "hold, push: a place, metres."),
            ("to", "pull: where what is held is to be after the step, metres."),
            ("force", "pull: greatest force, newtons."),
            ("impulse", "push: newton seconds."),
            ("scene", "tune: a scene of which setting and solver count. change: the scene that it becomes."),
        ],
    );

    fn visit(&mut self, visitor: &mut dyn Visitor) {
        visitor.slot("step", KeySlot::Count(&mut self.step, [0, u32::MAX]));
        visitor.slot("kind", KeySlot::Choice(&mut self.kind));
        visitor.slot("of", KeySlot::Part(&mut self.of));
        visitor.slot("at", KeySlot::Vector(&mut self.at, NumberRange::Any));
        visitor.slot("to", KeySlot::Vector(&mut self.to, NumberRange::Any));
        visitor.slot("force", KeySlot::Number(&mut self.force, NumberRange::PositiveOrInfinite));
        visitor.slot("impulse", KeySlot::Vector(&mut self.impulse, NumberRange::Any));
        visitor.slot("scene", KeySlot::Text(&mut self.scene));
    }
}

impl InputEntry {
    fn of(step: u32, input: &Input) -> Self {
        let new = |kind| Self { step, kind, ..Self::default() };
        match input {
            Input::Hold { part, place } => Self { of: part.clone(), at: *place, ..new(InputKind::Hold) },
            Input::Pull { to, most_force } => Self { to: *to, force: *most_force, ..new(InputKind::Pull) },
            Input::LetGo => new(InputKind::LetGo),
            Input::Push { part, place, impulse } => {
                Self { of: part.clone(), at: *place, impulse: *impulse, ..new(InputKind::Push) }
            }
            Input::Tune(scene) => Self { scene: super::write(scene), ..new(InputKind::Tune) },
            Input::Change(scene) => Self { scene: super::write(scene), ..new(InputKind::Change) },
        }
    }

    fn input(mut self, index: usize) -> Result<Input, SceneError> {
        let fault = |key, message| Err(SceneError { kind: Self::KIND, index, key, message });
        let mut wrong = InvalidInput { first: None, unused: (self.kind != InputKind::Pull).then_some("force") };
        self.visit(&mut wrong);
        if let Some((key, message)) = wrong.first {
            return fault(key, message);
        }
        if matches!(self.kind, InputKind::Hold | InputKind::Push) && self.of.is_none() {
            return fault("of", "is missing; name the thing or bone that is held or pushed".into());
        }
        Ok(match self.kind {
            InputKind::Hold => Input::Hold { part: self.of, place: self.at },
            InputKind::Pull => Input::Pull { to: self.to, most_force: self.force },
            InputKind::LetGo => Input::LetGo,
            InputKind::Push => Input::Push { part: self.of, place: self.at, impulse: self.impulse },
            InputKind::Tune | InputKind::Change => {
                let scene = match super::read(self.scene.as_bytes()) {
                    Ok(scene) => Box::new(scene),
                    Err(error) => return fault("scene", format!("does not hold a valid scene: {error}")),
                };
                if self.kind == InputKind::Tune { Input::Tune(scene) } else { Input::Change(scene) }
            }
        })
    }
}

/// Finds the first invalid value of an input, except a key that its kind does not use.
struct InvalidInput {
    first: Option<(&'static str, String)>,
    unused: Option<&'static str>,
}

impl Visitor for InvalidInput {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        if self.first.is_none() && self.unused != Some(key) {
            self.first = slot.fault().map(|message| (key, message));
        }
    }
}

#[cfg(test)]
mod tests;
