//! Whether a scene makes sense: every value alone, then each thing by its own rule ([`Thing::check`]).

use std::collections::BTreeMap;

use thiserror::Error;

use super::figure::Ragdoll;
use super::slot::{KeySlot, PartPath};
use super::thing::{AttachPoint, Thing, Visitor};
use super::{Scene, Walker};

/// Error of a scene, with its place.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{kind} {}: {key} {message}", index + 1)]
pub struct SceneError {
    /// Kind of the thing: the name of its table.
    pub kind: &'static str,
    /// Index of the thing among its kind, from 0.
    pub index: usize,
    /// The key that is wrong.
    pub key: &'static str,
    /// The end of a sentence that begins with the key.
    pub message: String,
}

/// A key that is wrong, and the end of a sentence that begins with it.
pub type WrongKey = (&'static str, String);

impl Scene {
    /// Checks everything but whether bones and files exist, which the world says.
    ///
    /// # Errors
    /// The first thing that makes no sense.
    pub fn check(&self) -> Result<(), SceneError> {
        let mut scene = self.clone();
        let mut values = Values(None);
        scene.walk(&mut values);
        values.0.map_or(Ok(()), Err)?;
        let mut naming = Naming { names: Names { scene: self, by_name: BTreeMap::new(), bodies: 0 }, fault: None };
        scene.walk(&mut naming);
        naming.fault.map_or(Ok(()), Err)?;
        let mut rules = SceneRules { names: &naming.names, fault: None };
        scene.walk(&mut rules);
        rules.fault.map_or(Ok(()), Err)
    }

    /// Splits the name of one thing of a grid: `("heap", 3)` for `"heap 4"`; the index counts from 0.
    pub fn numbered(name: &str) -> Option<(&str, u32)> {
        let (stem, number) = name.rsplit_once(' ')?;
        Some((stem, number.parse::<u32>().ok()?.checked_sub(1)?))
    }
}

/// Walker that checks value by value.
struct Values(Option<SceneError>);

impl Values {
    fn thing<T: Thing>(&mut self, index: usize, thing: &mut T) {
        let mut slots = Slots(None);
        thing.visit(&mut slots);
        if let (None, Some((key, message))) = (&self.0, slots.0) {
            self.0 = Some(SceneError { kind: T::KIND, index, key, message });
        }
    }
}

impl Walker for Values {
    fn one<T: Thing>(&mut self, section: &mut T) {
        self.thing(0, section);
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        for (index, thing) in things.iter_mut().enumerate() {
            self.thing(index, thing);
        }
    }
}

struct Slots(Option<(&'static str, String)>);

impl Visitor for Slots {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        if self.0.is_none() {
            self.0 = slot.fault().map(|message| (key, message));
        }
    }
}

/// Gathers the names of all things.
struct Naming<'a> {
    names: Names<'a>,
    fault: Option<SceneError>,
}

impl Walker for Naming<'_> {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        for (index, thing) in things.iter().enumerate() {
            self.names.bodies += thing.count().map_or(0, u64::from);
            let Some(name) = thing.name() else { continue };
            let named = Named { kind: T::KIND, count: thing.count().unwrap_or(1), attach_point: T::ATTACH_POINT };
            if let Some(other) = self.names.by_name.insert(name.to_owned(), named)
                && self.fault.is_none()
            {
                let message = format!("“{name}” is already the name of {}; rename one of the two", a(other.kind));
                self.fault = Some(SceneError { kind: T::KIND, index, key: "name", message });
            }
        }
    }
}

/// Checks each thing by its own rule.
struct SceneRules<'a> {
    names: &'a Names<'a>,
    fault: Option<SceneError>,
}

impl SceneRules<'_> {
    fn thing<T: Thing>(&mut self, index: usize, thing: &T) {
        if self.fault.is_none()
            && let Err((key, message)) = thing.check(index, self.names)
        {
            self.fault = Some(SceneError { kind: T::KIND, index, key, message });
        }
    }
}

impl Walker for SceneRules<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        self.thing(0, section);
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        for (index, thing) in things.iter().enumerate() {
            self.thing(index, thing);
        }
    }
}

/// Thing or things of a name.
#[derive(Clone, Copy, Debug)]
struct Named {
    kind: &'static str,
    count: u32,
    attach_point: AttachPoint,
}

/// A scene, and all its names with the things they stand for.
pub struct Names<'a> {
    /// The scene that is checked.
    pub(super) scene: &'a Scene,
    /// Bodies and characters in all.
    pub(super) bodies: u64,
    by_name: BTreeMap<String, Named>,
}

impl Names<'_> {
    /// Finds the thing of a part; a sentence where it speaks of nothing.
    fn find(&self, part: &PartPath) -> Result<Named, String> {
        let name = part.thing();
        if let Some(&named) = self.by_name.get(name) {
            return if named.count == 1 {
                Ok(named)
            } else {
                let (kind, count) = (a(named.kind), named.count);
                Err(format!(
                    "“{name}” stands for {count} things, each {kind}; name one of them, “{name} 1” to “{name} {count}”"
                ))
            };
        }
        if let Some((stem, number)) = Scene::numbered(name)
            && let Some(&named) = self.by_name.get(stem)
            && number < named.count
        {
            return Ok(Named { count: 1, ..named });
        }
        let near = nearest(name, self.by_name.keys().map(String::as_str));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean “{near}”?"));
        Err(format!("“{name}” is not in this scene{hint}"))
    }

    /// Checks that a part speaks of a thing with such an attach point, or of a bone of a ragdoll.
    ///
    /// # Errors
    /// A sentence, where it speaks of nothing or of something else.
    pub(super) fn attaches(&self, part: &PartPath, least: AttachPoint) -> Result<(), String> {
        let kinds = || {
            let mut kinds = Kinds { least, words: Vec::new() };
            Scene::default().walk(&mut kinds);
            kinds.words.join(", ")
        };
        self.fits(part, |named| named.attach_point >= least, kinds)
    }

    /// Checks that a part speaks of a thing of the kind, or of a bone of one.
    ///
    /// # Errors
    /// A sentence, where it speaks of nothing or of something else.
    pub(super) fn is_a<T: Thing>(&self, part: &PartPath) -> Result<(), String> {
        self.fits(part, |named| named.kind == T::KIND, || T::KIND.into())
    }

    fn fits(&self, part: &PartPath, fits: impl Fn(Named) -> bool, kinds: impl Fn() -> String) -> Result<(), String> {
        let fitting = |named: Named| {
            let wrong = || format!("“{}” is {}, but this key takes {}", part.thing(), a(named.kind), a(&kinds()));
            fits(named).then_some(named).ok_or_else(wrong)
        };
        // If the kind is wrong, the thing in a grid need not be named.
        self.by_name.get(part.thing()).copied().map_or(Ok(()), |named| fitting(named).map(drop))?;
        let named = self.find(part).and_then(fitting)?;
        match (named.kind == Ragdoll::KIND, part.bone()) {
            (false, Some(bone)) => Err(format!("“{}” is {} and has no bone “{bone}”", part.thing(), a(named.kind))),
            _ => Ok(()),
        }
    }
}

/// Gathers the kinds with an attach point of at least `least`.
struct Kinds {
    least: AttachPoint,
    words: Vec<&'static str>,
}

impl Walker for Kinds {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, _things: &mut Vec<T>) {
        if T::ATTACH_POINT >= self.least {
            self.words.push(T::KIND);
        }
    }
}

/// Puts the indefinite article before a kind of thing.
pub fn a(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// The word most like `wanted`; `None` if more than a third of its letters differ from every word.
pub fn nearest<'a>(wanted: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.chars().take(64).flat_map(char::to_lowercase).collect();
    let rated = words.map(|word| {
        let letters: Vec<char> = word.chars().take(64).flat_map(char::to_lowercase).collect();
        (edits(&wanted, &letters), word)
    });
    let (edits, word) = rated.min()?;
    (edits * 3 <= wanted.len().max(3)).then_some(word)
}

/// Levenshtein distance: letters to insert, remove or replace to turn `a` into `b`.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let exchanged = corner + usize::from(letter != other);
            corner = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::super::{Ball, Drag, Joint, Ragdoll, Release, Waypoint};
    use super::*;

    fn scene() -> Scene {
        let ragdoll = Ragdoll { name: "man".into(), grid: [2, 1, 1], ..Ragdoll::default() };
        let ball = Ball { name: "ball".into(), ..Ball::default() };
        Scene { ragdolls: vec![ragdoll], balls: vec![ball], ..Scene::default() }
    }

    #[test]
    fn things_of_a_grid_are_called_by_number() {
        let pull = |of: &str| Drag { of: of.into(), path: vec![Waypoint::default()], ..Drag::default() };
        let with = |of: &str| Scene { pulls: vec![pull(of)], ..scene() }.check();
        assert_eq!(with("man 2/LeftHand"), Ok(()));
        assert_eq!(with("ball"), Ok(()));
        assert!(with("man").unwrap_err().to_string().contains("“man 1” to “man 2”"));
        assert!(with("man 3").unwrap_err().to_string().contains("“man 3” is not in this scene"));
        assert!(with("bal").unwrap_err().to_string().contains("did you mean “ball”?"));
        assert!(with("ball/LeftHand").unwrap_err().to_string().contains("has no bone"));
    }

    #[test]
    fn what_a_thing_says_of_another_must_hold() {
        let release = Release { of: "man 1".into(), time: 1.0 };
        let fault = Scene { releases: vec![release], ..scene() }.check().unwrap_err();
        assert!(fault.message.contains("plays no clip"), "{fault}");
        let joint = Joint { name: "j".into(), of: "ball".into(), to: "ball".into(), ..Joint::default() };
        let fault = Scene { joints: vec![joint], ..scene() }.check().unwrap_err();
        assert!(fault.message.contains("itself"), "{fault}");
        let twin = Ball { name: "man".into(), ..Ball::default() };
        let fault = Scene { balls: vec![twin], ..scene() }.check().unwrap_err();
        assert_eq!((fault.kind, fault.index, fault.key), ("ball", 0, "name"));
    }

    #[test]
    fn the_nearest_word_is_the_one_with_the_fewest_edits() {
        let words = || ["friction", "position", "rotation"].into_iter();
        assert_eq!(nearest("postion", words()), Some("position"));
        assert_eq!(nearest("Friction", words()), Some("friction"));
        assert_eq!(nearest("mass", words()), None);
        assert_eq!(edits(&['a', 'b'], &['b', 'a']), 2);
    }
}
