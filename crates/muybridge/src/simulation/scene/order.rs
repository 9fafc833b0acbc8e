//! Order in which the things of a scene are built and act: one that does not depend on their order in the file.
//!
//! ```text
//! where it is      from low to high, then along x and z, as a pile is built
//! when it begins   what is done to things
//! its name         numbers in names count as numbers: "box 2" is before "box 10"; then all values
//! ```
//! Solvers pass from one thing to the next, and sums are rounded, so that every order is another run.

use glam::DVec3;

use super::slot::KeySlot;
use super::{AttachPoint, Ragdoll, Scene, SceneError, Thing, Visitor, Walker};

/// Places in the file of the things of a sorted scene.
pub(in crate::simulation) struct FilePlaces(Vec<(&'static str, Vec<usize>)>);

impl Scene {
    /// The same scene with its things in their own order.
    pub(in crate::simulation) fn sorted(mut self) -> (Self, FilePlaces) {
        let mut places = FilePlaces(Vec::new());
        self.walk(&mut places);
        (self, places)
    }

    /// Names of what moves, in the order of the scene.
    pub(in crate::simulation) fn movers(&self) -> Vec<String> {
        let mut movers = Movers(Vec::new());
        self.clone().walk(&mut movers);
        movers.0
    }
}

/// Gathers the names of what moves, in the order of a scene.
struct Movers(Vec<String>);

impl Walker for Movers {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if T::ATTACH_POINT != AttachPoint::Nothing {
            self.0.extend(things.iter().filter_map(|thing| thing.name().map(str::to_owned)));
        }
    }
}

impl FilePlaces {
    /// Indices of characters of a sorted scene, by name, in the order of the file; those of herds come last.
    pub fn cast<'a>(&self, scene: &Scene, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let places = self.0.iter().find(|(kind, _)| *kind == Ragdoll::KIND).map_or(&[][..], |(_, places)| places);
        let place = |name: &str| {
            let stem = Scene::numbered(name).map_or(name, |(stem, _)| stem);
            let is_it = |ragdoll: &Ragdoll| ragdoll.name == name || ragdoll.name == stem;
            scene.ragdolls.iter().position(is_it).map_or(usize::MAX, |index| places[index])
        };
        let mut order: Vec<(usize, usize)> = names.enumerate().map(|(index, name)| (place(name), index)).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, index)| index).collect()
    }

    /// An error about the sorted scene as one about the scene in the file.
    pub fn in_file(&self, fault: SceneError) -> SceneError {
        let of_kind = self.0.iter().find(|(kind, _)| *kind == fault.kind);
        let index = of_kind.and_then(|(_, places)| places.get(fault.index)).map_or(fault.index, |&place| place);
        SceneError { index, ..fault }
    }
}

impl Walker for FilePlaces {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        let mut placed: Vec<(usize, T)> = core::mem::take(things).into_iter().enumerate().collect();
        placed.sort_by_cached_key(|(_, thing)| {
            let mut found = PlaceAndTime::default();
            thing.clone().visit(&mut found);
            let start = [found.place.y, found.place.x, found.place.z, found.time].map(in_order);
            match thing.name() {
                Some(name) => (start, parts(name), name.to_owned()),
                None => (start, Vec::new(), format!("{thing:?}")),
            }
        });
        let (places, sorted) = placed.into_iter().unzip();
        self.0.push((T::KIND, places));
        *things = sorted;
    }
}

/// A name in parts: digits are compared as a number, by length and then from the left.
fn parts(name: &str) -> Vec<(bool, usize, String)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_digit(c) != is_digit(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        let number = part.trim_start_matches('0');
        parts.push(match is_digit(first) {
            true => (false, number.len(), number.to_owned()),
            false => (true, 0, part.to_owned()),
        });
        rest = after;
    }
    parts
}

/// Where a thing is at the start, meters, and the time at which it begins to act, seconds.
#[derive(Default)]
struct PlaceAndTime {
    place: DVec3,
    time: f64,
}

impl Visitor for PlaceAndTime {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        match (slot, key) {
            (KeySlot::Vector(place, _), "position" | "at" | "from") => self.place = *place,
            (KeySlot::Number(time, _), "begins" | "time") => self.time = *time,
            _ => {}
        }
    }
}

/// A whole number whose order is that of the numbers; both zeros are one.
fn in_order(number: f64) -> u64 {
    let bits = (number + 0.0).to_bits();
    if number < 0.0 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::super::{Ball, Hit};
    use super::*;

    #[test]
    fn things_are_sorted_by_height_and_name_and_inputs_by_their_times() {
        let ball = |(name, height): (&str, f64)| Ball {
            name: name.into(),
            position: DVec3::new(1.0, height, -2.0),
            ..Ball::default()
        };
        let balls =
            [("b10", 0.0), ("c", -1.0), ("b2", -0.0), ("b02", 0.0), ("b 3", 0.0), ("b", 0.0), ("a", 2.0), ("d", -2.0)];
        let hits = [10.0, 2.0, 3.5].map(|time| Hit { time, ..Hit::default() });
        let scene = Scene { balls: balls.map(ball).to_vec(), hits: hits.to_vec(), ..Scene::default() };
        let (sorted, places) = scene.sorted();
        let found: Vec<&str> = sorted.balls.iter().map(|ball| ball.name.as_str()).collect();
        assert_eq!(found, ["d", "c", "b", "b02", "b2", "b10", "b 3", "a"]);
        let times: Vec<f64> = sorted.hits.iter().map(|hit| hit.time).collect();
        assert_eq!(times, [2.0, 3.5, 10.0]);
        let fault = SceneError { kind: "ball", index: 5, key: "mass", message: String::new() };
        assert_eq!(places.in_file(fault).index, 0);
    }
}
