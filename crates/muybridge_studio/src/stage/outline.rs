//! The outline of a scene: its list of things, and edits to whole things: remove, copy, mirror, rename, move.
//!
//! All functions walk the scene's own list of kinds and keys, so a new kind of thing needs no change here.

use muybridge::behavior::action::{PlanStep, Wait};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::slot::{KeySlot, PartPath};
use muybridge::simulation::scene::{Scene, Thing, Visitor, Walker};

/// Reference to a thing of a scene: its kind and its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThingRef {
    /// Name of the kind, as in scene files.
    pub kind: &'static str,
    /// Index among the things of its kind, from 0.
    pub index: usize,
}

/// A line of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The thing of this line.
    pub chosen: ThingRef,
    /// Name of the thing; if it has none, the thing that it refers to or its kind.
    pub name: String,
    /// Whether the thing has a name by which others can refer to it.
    pub named: bool,
    /// Description of its kind.
    pub about: &'static str,
}

/// All things of a scene in file order, without the scene and solver settings.
pub fn entries(scene: &Scene) -> Vec<OutlineEntry> {
    let mut listing = Listing(Vec::new());
    scene.clone().walk(&mut listing);
    listing.0
}

/// Finds the thing with this name, or the thing whose grid has a member with this name.
pub fn find(entries: &[OutlineEntry], name: &str) -> Option<ThingRef> {
    let of = |name: &str| entries.iter().find(|entry| entry.named && entry.name == name).map(|entry| entry.chosen);
    of(name).or_else(|| of(Scene::numbered(name)?.0))
}

/// Removes a thing and everything that needs it: joints and actions on it.
pub fn remove(scene: &mut Scene, chosen: ThingRef) {
    let gone = entries(scene).into_iter().find(|entry| entry.chosen == chosen && entry.named);
    scene.walk(&mut Removing(chosen));
    if let Some(entry) = gone {
        scene.walk(&mut Leaving(&entry.name));
    }
}

/// Appends a copy of a thing, moved by `aside`, and returns it; `None` if there is no such thing.
pub fn copy(scene: &mut Scene, chosen: ThingRef, aside: DVec3) -> Option<ThingRef> {
    let copied = again(scene, chosen, "")?;
    shift(scene, copied, aside);
    Some(copied)
}

/// Appends the mirror image of a thing in the plane x = 0 and returns it; `None` if there is no such thing.
pub fn mirror(scene: &mut Scene, chosen: ThingRef) -> Option<ThingRef> {
    let copied = again(scene, chosen, "mirrored")?;
    scene.walk(&mut ThingVisit(copied, &mut Mirroring));
    Some(copied)
}

/// Moves all positions of a thing by a vector, meters.
pub fn shift(scene: &mut Scene, chosen: ThingRef, by: DVec3) {
    let mut relative = Relative(false);
    scene.walk(&mut ThingVisit(chosen, &mut relative));
    let mut places = Places { each: &mut |place| *place += by, with_path: !relative.0 };
    scene.walk(&mut ThingVisit(chosen, &mut places));
}

/// Mean of all positions of a thing, meters; `None` if it has none.
pub fn middle(scene: &Scene, chosen: ThingRef) -> Option<DVec3> {
    let (mut sum, mut count) = (DVec3::ZERO, 0_u32);
    let mut each = |place: &mut DVec3| {
        sum += *place;
        count += 1;
    };
    scene.clone().walk(&mut ThingVisit(chosen, &mut Places { each: &mut each, with_path: false }));
    (count > 0).then(|| sum / f64::from(count))
}

/// Renames a thing and all references to it.
pub fn rename(scene: &mut Scene, chosen: ThingRef, name: &str) {
    let Some(old) = entries(scene).into_iter().find(|entry| entry.chosen == chosen && entry.named) else { return };
    scene.walk(&mut ThingVisit(chosen, &mut Naming(name)));
    scene.walk(&mut Everything(&mut Renaming { old: &old.name, new: name }));
}

/// Finds an unused name: "ball", "ball-2", "ball-3".
pub fn free_name(scene: &Scene, wanted: &str) -> String {
    let entries = entries(scene);
    let taken = |name: &str| entries.iter().any(|entry| entry.named && entry.name == name);
    let stem = wanted.rsplit_once('-').filter(|(_, end)| end.parse::<u32>().is_ok()).map_or(wanted, |(stem, _)| stem);
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let numbers = 2..10_000_u32;
    numbers.map(|number| format!("{stem}-{number}")).find(|name| !taken(name)).unwrap_or_else(|| wanted.to_owned())
}

fn again(scene: &mut Scene, chosen: ThingRef, word: &str) -> Option<ThingRef> {
    let entry = entries(scene).into_iter().find(|entry| entry.chosen == chosen)?;
    let mut copying = Copying { chosen, copied: None };
    scene.walk(&mut copying);
    let copied = ThingRef { kind: chosen.kind, index: copying.copied? };
    if entry.named {
        let wanted = if word.is_empty() { entry.name } else { format!("{} {word}", entry.name) };
        let name = free_name(scene, &wanted);
        scene.walk(&mut ThingVisit(copied, &mut Naming(&name)));
    }
    Some(copied)
}

struct Listing(Vec<OutlineEntry>);

impl Walker for Listing {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        for (index, thing) in things.iter_mut().enumerate() {
            let mut of = AboutPart(None);
            thing.visit(&mut of);
            let named = thing.name().map(str::to_owned);
            let chosen = ThingRef { kind: T::KIND, index };
            let (is_named, about) = (named.is_some(), T::ABOUT.0.trim());
            let name = named.or(of.0).unwrap_or_else(|| T::KIND.to_owned());
            self.0.push(OutlineEntry { chosen, name, named: is_named, about });
        }
    }
}

/// Finds the first part that a thing speaks of.
struct AboutPart(Option<String>);

impl Visitor for AboutPart {
    fn slot(&mut self, _key: &'static str, slot: KeySlot<'_>) {
        if let (KeySlot::Part(part), None) = (slot, &self.0)
            && !part.is_none()
        {
            self.0 = Some(format!("of {}", part.0));
        }
    }
}

/// Walker that shows the keys of one thing to a visitor.
pub struct ThingVisit<'a>(
    /// The thing to visit.
    pub ThingRef,
    /// The visitor that receives its keys.
    pub &'a mut dyn Visitor,
);

impl Walker for ThingVisit<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        if self.0.kind == T::KIND {
            section.visit(self.1);
        }
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if self.0.kind == T::KIND
            && let Some(thing) = things.get_mut(self.0.index)
        {
            thing.visit(self.1);
        }
    }
}

/// Walker that shows the keys of all things to a visitor.
struct Everything<'a>(&'a mut dyn Visitor);

impl Walker for Everything<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        section.visit(self.0);
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        things.iter_mut().for_each(|thing| thing.visit(self.0));
    }
}

struct Removing(ThingRef);

impl Walker for Removing {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if self.0.kind == T::KIND && self.0.index < things.len() {
            things.remove(self.0.index);
        }
    }
}

/// Walker that removes references to a removed thing, and things that cannot exist without it.
struct Leaving<'a>(&'a str);

impl Walker for Leaving<'_> {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        things.retain_mut(|thing| {
            let mut orphan = Orphan { gone: self.0, required: T::REQUIRED, is_one: false };
            thing.visit(&mut orphan);
            !orphan.is_one
        });
    }
}

struct Orphan<'a> {
    gone: &'a str,
    required: &'static [&'static str],
    is_one: bool,
}

impl Visitor for Orphan<'_> {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        match slot {
            KeySlot::Part(part) if speaks_of(part, self.gone) => {
                self.is_one |= self.required.contains(&key);
                part.0.clear();
            }
            KeySlot::Steps(steps) => steps.retain(|step| !matches!(step, PlanStep::Act(name) if name == self.gone)),
            _ => {}
        }
    }
}

fn speaks_of(part: &PartPath, name: &str) -> bool {
    part.thing() == name || Scene::numbered(part.thing()).is_some_and(|(stem, _)| stem == name)
}

struct Copying {
    chosen: ThingRef,
    copied: Option<usize>,
}

impl Walker for Copying {
    fn one<T: Thing>(&mut self, _section: &mut T) {}

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if self.chosen.kind == T::KIND
            && let Some(thing) = things.get(self.chosen.index).cloned()
        {
            self.copied = Some(things.len());
            things.push(thing);
        }
    }
}

struct Naming<'a>(&'a str);

impl Visitor for Naming<'_> {
    fn slot(&mut self, _key: &'static str, slot: KeySlot<'_>) {
        if let KeySlot::Name(name) = slot {
            self.0.clone_into(name);
        }
    }
}

struct Renaming<'a> {
    old: &'a str,
    new: &'a str,
}

impl Visitor for Renaming<'_> {
    fn slot(&mut self, _key: &'static str, slot: KeySlot<'_>) {
        match slot {
            KeySlot::Part(part) if speaks_of(part, self.old) => {
                let rest = part.0.strip_prefix(self.old).unwrap_or_default();
                part.0 = format!("{}{rest}", self.new);
            }
            KeySlot::Steps(steps) => steps.iter_mut().for_each(|step| self.step(step)),
            _ => {}
        }
    }
}

impl Renaming<'_> {
    fn step(&self, step: &mut PlanStep) {
        let renamed = |name: &mut String| {
            if name == self.old {
                self.new.clone_into(name);
            }
        };
        match step {
            PlanStep::Act(name) | PlanStep::Begin(name) | PlanStep::Cancel(name) => renamed(name),
            PlanStep::Wait(Wait::Arrival(name)) => renamed(name),
            PlanStep::Wait(Wait::Contact { of, with }) => [of, with].into_iter().for_each(renamed),
            PlanStep::Wait(Wait::Near { of, to, .. }) => [of, to].into_iter().for_each(renamed),
            PlanStep::Wait(_) => {}
            PlanStep::Sequence(steps) | PlanStep::Parallel(steps) | PlanStep::Race(steps) => {
                steps.iter_mut().for_each(|step| self.step(step));
            }
            PlanStep::Repeat { step, .. } => self.step(step),
        }
    }
}

struct Relative(bool);

impl Visitor for Relative {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        if let (KeySlot::Flag(flag), "relative") = (slot, key) {
            self.0 = *flag;
        }
    }
}

/// Visitor that calls `each` for every world position of a thing.
struct Places<'a> {
    each: &'a mut dyn FnMut(&mut DVec3),
    with_path: bool,
}

impl Visitor for Places<'_> {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        match (slot, key) {
            (KeySlot::Vector(place, _), "position" | "from" | "to" | "at") => (self.each)(place),
            (KeySlot::Place(Some(place)), _) => (self.each)(place),
            (KeySlot::Vectors(places), "positions" | "pin_points" | "control_points") => {
                places.iter_mut().for_each(|place| (self.each)(place));
            }
            (KeySlot::Path(path), _) if self.with_path => {
                path.iter_mut().for_each(|point| (self.each)(&mut point.place))
            }
            _ => {}
        }
    }
}

/// Visitor that mirrors a thing: positions and velocities change the sign of x, rotations those of y and z.
struct Mirroring;

impl Visitor for Mirroring {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        let polar = |v: &mut DVec3| v.x = -v.x;
        let axial = |v: &mut DVec3| (v.y, v.z) = (-v.y, -v.z);
        match (slot, key) {
            (KeySlot::Vector(..), "size" | "spacing") => {}
            (KeySlot::Vector(v, _), "spin" | "axis") | (KeySlot::Turn(v), _) => axial(v),
            (KeySlot::Vector(v, _) | KeySlot::Place(Some(v)), _) => polar(v),
            (KeySlot::Vectors(vectors), _) => vectors.iter_mut().for_each(polar),
            (KeySlot::Path(path), _) => path.iter_mut().for_each(|point| polar(&mut point.place)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge_files::scene::{built_in, read, write};

    fn arm() -> Scene {
        read(built_in::text("arm").unwrap().as_bytes()).unwrap()
    }

    fn of(scene: &Scene, name: &str) -> ThingRef {
        find(&entries(scene), name).unwrap()
    }

    #[test]
    fn what_is_removed_takes_with_it_what_hangs_on_it_and_the_rest_makes_sense() {
        let mut scene = arm();
        let hand = of(&scene, "hand");
        remove(&mut scene, hand);
        assert!(scene.actions.is_empty() && scene.joints.len() == 2);
        scene.plans.clear();
        assert_eq!(scene.check(), Ok(()));
    }

    #[test]
    fn a_new_name_is_known_everywhere() {
        let mut scene = arm();
        let (hand, reach) = (of(&scene, "hand"), of(&scene, "reach a"));
        rename(&mut scene, hand, "fist");
        rename(&mut scene, reach, "grab");
        assert_eq!(scene.check(), Ok(()));
        assert!(!write(&scene).contains("\"hand\"") && write(&scene).contains("steps = [\"grab\""));
    }

    #[test]
    fn a_mirror_image_of_a_mirror_image_is_where_it_was() {
        let mut scene = arm();
        let arm = of(&scene, "forearm");
        let once = mirror(&mut scene, arm).unwrap();
        assert_eq!(middle(&scene, once).unwrap().x, -0.7);
        let twice = mirror(&mut scene, once).unwrap();
        assert_eq!(scene.capsules[twice.index].position, scene.capsules[arm.index].position);
        assert_eq!(scene.capsules[twice.index].rotation, scene.capsules[arm.index].rotation);
    }

    #[test]
    fn a_copy_has_a_name_of_its_own_and_stands_aside() {
        let mut scene = arm();
        let arm = of(&scene, "hand");
        let copied = copy(&mut scene, arm, DVec3::X).unwrap();
        assert_eq!(scene.capsules[copied.index].name, "hand-2");
        assert_eq!(scene.capsules[copied.index].position.x, scene.capsules[arm.index].position.x + 1.0);
        assert_eq!(scene.check(), Ok(()));
    }
}
