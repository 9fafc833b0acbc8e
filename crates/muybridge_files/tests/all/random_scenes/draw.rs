//! Draws a random scene: a few things of every kind, with every key drawn from its bound.
//!
//! Keys are those that a thing shows its visitor, so new keys are drawn as well. Most values are ordinary or default; the others
//! are extreme but finite. Counts are small: the test is about values, not about numbers of things.

use std::f64::consts::PI;

use muybridge::behavior::action::{PlanStep, Wait};
use muybridge::glam::DVec3;
use muybridge::math::Random;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::slot::{KeySlot, NumberRange, PartPath, Waypoint};
use muybridge::simulation::scene::{Thing, Visitor, Walker};

/// The scene of a seed.
pub fn scene(seed: u64) -> Scene {
    let mut chance = Random::new(seed);
    let shares = [0.0, 0.01, 0.04, 0.15];
    let extreme = shares[(seed % shares.len() as u64) as usize];
    let mut scene = Scene::default();
    scene.walk(&mut Many { chance: &mut chance });
    let mut names = Names(Vec::new());
    scene.walk(&mut names);
    scene.walk(&mut Keys { chance: &mut chance, names: &names.0, extreme });
    scene
}

/// Extreme numbers, all finite; some are beyond the bounds of a scene.
const EXTREME: [f64; 12] = [0.0, 1e-300, 1e-30, 1e-12, 1e-9, 1e-3, 1e3, 1e6, 1e9, 1e12, 1e30, 1e300];

/// A mesh that random scenes may name.
pub const MESH: &str = "sheet.obj";

/// Walker that adds a few things of each kind.
struct Many<'a> {
    chance: &'a mut Random,
}

impl Walker for Many<'_> {
    fn one<T: Thing>(&mut self, _: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        let count = pick(self.chance, &[0, 0, 0, 1, 1, 2]);
        for index in 0..count {
            let mut thing = T::default();
            thing.visit(&mut Name(format!("{}{index}", T::KIND)));
            things.push(thing);
        }
    }
}

/// Visitor that names a thing.
struct Name(String);

impl Visitor for Name {
    fn slot(&mut self, _: &'static str, slot: KeySlot<'_>) {
        if let KeySlot::Name(name) = slot {
            name.clone_from(&self.0);
        }
    }
}

/// Walker that collects the names of things.
struct Names(Vec<String>);

impl Walker for Names {
    fn one<T: Thing>(&mut self, _: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        things.iter_mut().for_each(|thing| thing.visit(self));
    }
}

impl Visitor for Names {
    fn slot(&mut self, _: &'static str, slot: KeySlot<'_>) {
        if let KeySlot::Name(name) = slot {
            self.0.push(name.clone());
        }
    }
}

/// Walker that draws every key of every thing.
struct Keys<'a> {
    chance: &'a mut Random,
    names: &'a [String],
    extreme: f64,
}

impl Walker for Keys<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        section.visit(&mut self.of(T::KIND, T::REQUIRED));
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        things.iter_mut().for_each(|thing| thing.visit(&mut self.of(T::KIND, T::REQUIRED)));
    }
}

impl Keys<'_> {
    fn of(&mut self, kind: &'static str, required: &'static [&'static str]) -> Draw<'_> {
        Draw { chance: self.chance, names: self.names, extreme: self.extreme, kind, required }
    }
}

/// Visitor that draws every key of a thing.
struct Draw<'a> {
    chance: &'a mut Random,
    names: &'a [String],
    /// Share of numbers that are extreme.
    extreme: f64,
    kind: &'static str,
    required: &'static [&'static str],
}

impl Visitor for Draw<'_> {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        let kept = if matches!(slot, KeySlot::Vector(_, NumberRange::Any)) { 0.1 } else { 0.4 };
        let is_kept = self.chance.unit() < kept && !self.required.contains(&key) && !is_of_size(&slot);
        match slot {
            KeySlot::Name(name) if self.is(0.005) => *name = self.name(),
            KeySlot::Name(_) => {}
            _ if is_kept => {}
            KeySlot::Text(text) => *text = self.words(key),
            KeySlot::Part(part) => *part = self.part(),
            KeySlot::Flag(flag) => *flag = self.is(0.5),
            KeySlot::Choice(choice) => choice.set(self.below(choice.words().len())),
            KeySlot::Choices(choices) => {
                let indices: Vec<usize> = (0..choices.words().len()).filter(|_| self.is(0.5)).collect();
                choices.set(&indices);
            }
            KeySlot::Count(count, [least, most]) => {
                *count = match self.chance.unit() {
                    share if share < 0.1 * self.extreme => most.wrapping_add(1),
                    share if share < 0.2 * self.extreme => least.wrapping_sub(1),
                    _ => least.saturating_add(self.below(5) as u32).min(most),
                }
            }
            KeySlot::Grid(grid) => *grid = [(); 3].map(|()| if self.is(0.1) { 2 } else { 1 }),
            KeySlot::Number(value, bound) | KeySlot::Angle(value, bound) => *value = self.number(bound),
            KeySlot::Optional(value, bound) => *value = self.is(0.7).then(|| self.number(bound)),
            KeySlot::Angles(range) => {
                *range = [-PI * self.chance.unit(), PI * self.chance.unit()];
                if self.is(self.extreme) {
                    *range = [self.number(NumberRange::Any); 2];
                }
            }
            // Distances large enough that not everything overlaps.
            KeySlot::Vector(value, NumberRange::Any) => *value = self.vector(NumberRange::Any) * 4.0,
            KeySlot::Vector(value, bound) => *value = self.vector(bound),
            KeySlot::Place(place) => *place = self.is(0.7).then(|| self.vector(NumberRange::Any)),
            KeySlot::Turn(value) => *value = self.vector(NumberRange::Any),
            KeySlot::Numbers(values, bound) => *values = self.several(&[0, 1, 3, 4, 6], |draw| draw.number(bound)),
            KeySlot::Vectors(values) => {
                *values = self.several(&[0, 2, 4, 4, 4, 5], |draw| draw.vector(NumberRange::Any))
            }
            KeySlot::Path(path) => {
                let mut time = 0.0;
                *path = self.several(&[0, 1, 2, 3], |draw| {
                    time += draw.number(NumberRange::Positive) * 0.05;
                    Waypoint { time, place: draw.vector(NumberRange::Any) }
                });
            }
            KeySlot::Indices(indices) => *indices = self.several(&[0, 0, 1, 2], Self::index),
            KeySlot::Pairs(pairs) => *pairs = self.several(&[0, 1, 2, 4], |draw| [draw.index(), draw.index()]),
            KeySlot::Triples(triples) => {
                *triples = self.several(&[0, 1, 2, 3], |draw| [draw.index(), draw.index(), draw.index()]);
            }
            KeySlot::Steps(steps) => *steps = self.several(&[0, 1, 2, 3], |draw| draw.step(2)),
        }
    }
}

/// Whether a key is a count, whose default may be too large for a test.
fn is_of_size(slot: &KeySlot<'_>) -> bool {
    matches!(slot, KeySlot::Count(..) | KeySlot::Grid(_))
}

impl Draw<'_> {
    fn is(&mut self, share: f64) -> bool {
        self.chance.unit() < share
    }

    fn below(&mut self, count: usize) -> usize {
        (self.chance.unit() * count as f64) as usize
    }

    fn several<T>(&mut self, counts: &[usize], mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = pick(self.chance, counts);
        (0..count).map(|_| item(self)).collect()
    }

    fn number(&mut self, bound: NumberRange) -> f64 {
        let size = if self.is(self.extreme) {
            pick(self.chance, &EXTREME)
        } else {
            pick(self.chance, &[0.1, 0.5, 1.0, 1.0, 3.0]) * self.chance.unit()
        };
        match bound {
            NumberRange::Any | NumberRange::Speed if self.is(0.5) => -size,
            NumberRange::Share => size.min(1.0),
            NumberRange::PositiveOrInfinite if self.is(0.1) => f64::INFINITY,
            NumberRange::HeightOrHole if self.is(0.2) => f64::NEG_INFINITY,
            _ if self.is(0.02 * self.extreme) => -size,
            _ => size,
        }
    }

    fn vector(&mut self, bound: NumberRange) -> DVec3 {
        DVec3::new(self.number(bound), self.number(bound), self.number(bound))
    }

    fn index(&mut self) -> u32 {
        if self.is(0.1 * self.extreme) { u32::MAX } else { self.below(4) as u32 }
    }

    /// A name for a reference, more often one of a fitting thing.
    fn name(&mut self) -> String {
        let wanted = match self.kind {
            "release" | "follow" | "stand" | "look" | "reach" => "ragdoll",
            "limit" => "points",
            "plan" => "action",
            _ => "",
        };
        let meant: Vec<&String> = self.names.iter().filter(|name| name.starts_with(wanted)).collect();
        match meant.len() {
            0 => "nobody".into(),
            count => meant[self.below(count)].clone(),
        }
    }

    fn part(&mut self) -> PartPath {
        let mut name = self.name();
        if self.is(0.1) {
            name += pick(self.chance, &[" 1", " 2", " 9"]);
        }
        if name.starts_with("ragdoll") && self.is(0.6) {
            name += pick(self.chance, &["/LeftHand", "/RightFoot", "/Head", "/Hips", "/Tail"]);
        }
        PartPath(name)
    }

    fn words(&mut self, key: &str) -> String {
        let words: &[&str] = match key {
            "character" => &["humanoid", "mannequin", "quadruped"],
            "clip" => &["", "jump", "walk"],
            "mesh" => &["", "", MESH],
            _ => &["", "a name", "\"in quotes\" \\ 'and' more", "# Läufer\t\n[[ball]]"],
        };
        pick(self.chance, words).into()
    }

    fn step(&mut self, depth: u32) -> PlanStep {
        let kinds = if depth == 0 { 5 } else { 9 };
        let steps = |draw: &mut Self| draw.several(&[1, 2], |draw| draw.step(depth - 1));
        match self.below(kinds) {
            0 => PlanStep::Begin(self.name()),
            1 => PlanStep::Wait(Wait::Seconds(self.number(NumberRange::NotNegative))),
            2 => PlanStep::Cancel(self.name()),
            3 => PlanStep::Wait(Wait::Arrival(self.name())),
            4 => PlanStep::Act(self.name()),
            5 => PlanStep::Sequence(steps(self)),
            6 => PlanStep::Parallel(steps(self)),
            7 => PlanStep::Race(steps(self)),
            _ => PlanStep::Repeat { times: self.below(3) as u32, step: Box::new(self.step(depth - 1)) },
        }
    }
}

fn pick<T: Copy>(chance: &mut Random, all: &[T]) -> T {
    all[(chance.unit() * all.len() as f64) as usize]
}
