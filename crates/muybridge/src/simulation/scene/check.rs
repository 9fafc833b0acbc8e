//! Whether a scene makes sense: every value alone, then what one thing says of another.

use std::collections::BTreeMap;

use glam::DVec3;
use thiserror::Error;

use super::slot::{KeySlot, MOST, NumberRange, PartPath, Waypoint};
use super::thing::{Thing, Visitor};
use super::{JointKind, Obstacle, ObstacleKind, Points, Scene, Walker, check_own_feet};

/// What is wrong with a scene, and where.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{kind} {}: {key} {message}", index + 1)]
pub struct SceneError {
    /// The kind of thing: the name of its table.
    pub kind: &'static str,
    /// Which one of its kind, from 0.
    pub index: usize,
    /// The key that is wrong.
    pub key: &'static str,
    /// What is wrong with it, to follow its name.
    pub message: String,
}

/// The most frames of a run.
const MOST_FRAMES: f64 = 1e7;

/// Frames per second that a run can have.
const RATES: [f64; 2] = [0.1, 1e5];

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Named {
    kind: &'static str,
    count: u32,
}

impl Scene {
    /// The first thing that makes no sense, if there is one. Whether bones and files exist is for the world to say.
    pub fn check(&self) -> Result<(), SceneError> {
        let mut values = Values(None);
        self.clone().walk(&mut values);
        values.0.map_or(Ok(()), Err)?;
        let names = Names::of(self)?;
        check_setting(self)?;
        super::check_solver::check(self)?;
        check_bodies(self)?;
        check_soft(self, &names)?;
        check_points(self, &names)?;
        check_joints(self, &names)?;
        check_obstacles(&self.obstacles)?;
        check_actions(self, &names)?;
        super::check_behavior::check(self, &names)
    }

    /// The number of a thing of a grid in the name of it: `("heap", 3)` for `"heap 4"`.
    pub fn numbered(name: &str) -> Option<(&str, u32)> {
        let (stem, number) = name.rsplit_once(' ')?;
        Some((stem, number.parse::<u32>().ok()?.checked_sub(1)?))
    }
}

/// Checks value by value.
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

pub(super) fn fault<T: Thing>(index: usize, key: &'static str, message: impl Into<String>) -> SceneError {
    SceneError { kind: T::KIND, index, key, message: message.into() }
}

/// All names and what they stand for.
pub(super) struct Names(BTreeMap<String, Named>);

impl Names {
    fn of(scene: &Scene) -> Result<Self, SceneError> {
        let mut names = Self(BTreeMap::new());
        names.add(&scene.ragdolls, |thing| (&thing.name, count(thing.grid)))?;
        names.add(&scene.herds, |thing| (&thing.name, thing.count))?;
        names.add(&scene.ropes, |thing| (&thing.name, 1))?;
        names.add(&scene.flails, |thing| (&thing.name, 1))?;
        names.add(&scene.cloths, |thing| (&thing.name, 1))?;
        names.add(&scene.plants, |thing| (&thing.name, 1))?;
        names.add(&scene.boxes, |thing| (&thing.name, count(thing.grid)))?;
        names.add(&scene.balls, |thing| (&thing.name, count(thing.grid)))?;
        names.add(&scene.capsules, |thing| (&thing.name, count(thing.grid)))?;
        names.add(&scene.tetrahedra, |thing| (&thing.name, count(thing.grid)))?;
        names.add(&scene.carved, |thing| (&thing.name, count(thing.grid)))?;
        names.add(&scene.points, |thing| (&thing.name, 1))?;
        names.add(&scene.joints, |thing| (&thing.name, 1))?;
        names.add(&scene.limits, |thing| (&thing.name, 1))?;
        names.add(&scene.obstacles, |thing| (&thing.name, 1))?;
        names.add(&scene.winds, |thing| (&thing.name, 1))?;
        names.add(&scene.actions, |thing| (&thing.name, 1))?;
        names.add(&scene.plans, |thing| (&thing.name, 1))?;
        Ok(names)
    }

    fn add<T: Thing>(&mut self, things: &[T], name: impl Fn(&T) -> (&String, u32)) -> Result<(), SceneError> {
        for (index, thing) in things.iter().enumerate() {
            let (name, count) = name(thing);
            let named = Named { kind: T::KIND, count };
            if let Some(other) = self.0.insert(name.clone(), named) {
                let message = format!("“{name}” is taken: there is {} of this name", a(other.kind));
                return Err(fault::<T>(index, "name", message));
            }
        }
        Ok(())
    }

    /// What a part speaks of; a sentence where it speaks of nothing.
    fn find(&self, part: &PartPath) -> Result<Named, String> {
        let name = part.thing();
        if let Some(&named) = self.0.get(name) {
            return if named.count == 1 {
                Ok(named)
            } else {
                let (kind, count) = (a(named.kind), named.count);
                Err(format!("“{name}” is {count} of {kind}; name one of them, “{name} 1” to “{name} {count}”"))
            };
        }
        if let Some((stem, number)) = Scene::numbered(name)
            && let Some(&named) = self.0.get(stem)
            && number < named.count
        {
            return Ok(Named { count: 1, ..named });
        }
        let near = nearest(name, self.0.keys().map(String::as_str));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean “{near}”?"));
        Err(format!("“{name}” is no thing of this scene{hint}"))
    }

    /// What a part speaks of, if it may: a rigid body or a bone of a ragdoll, and what else is allowed.
    pub(super) fn holds(&self, part: &PartPath, kinds: &[&str]) -> Result<(), String> {
        let wrong = |named: Named| {
            let message = format!("“{}” is {}; this takes {}", part.thing(), a(named.kind), a(&kinds.join(", ")));
            if kinds.contains(&named.kind) { Ok(named) } else { Err(message) }
        };
        // Of many of a wrong kind nobody needs to name one.
        self.0.get(part.thing()).copied().map_or(Ok(()), |named| wrong(named).map(drop))?;
        let named = self.find(part).and_then(wrong)?;
        match (named.kind == "ragdoll", part.bone()) {
            (false, Some(bone)) => Err(format!("“{}” is {} and has no bone “{bone}”", part.thing(), a(named.kind))),
            _ => Ok(()),
        }
    }
}

/// A kind of thing with its article.
pub fn a(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// The word of `words` that is most like `wanted`, if one is like it: at most a third of its letters differ.
pub fn nearest<'a>(wanted: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.chars().take(64).flat_map(char::to_lowercase).collect();
    let rated = words.map(|word| {
        let letters: Vec<char> = word.chars().take(64).flat_map(char::to_lowercase).collect();
        (edits(&wanted, &letters), word)
    });
    let (edits, word) = rated.min()?;
    (edits * 3 <= wanted.len().max(3)).then_some(word)
}

/// Letters to put in, take out or exchange to make `b` of `a` (Levenshtein).
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

fn count(grid: [u32; 3]) -> u32 {
    grid.iter().fold(1, |all: u32, &n| all.saturating_mul(n))
}

fn check_setting(scene: &Scene) -> Result<(), SceneError> {
    let rate = scene.setting.rate;
    if !(RATES[0]..=RATES[1]).contains(&rate) {
        let message = format!("must be {} to {:.0} frames per second, not {rate:e}", RATES[0], RATES[1]);
        return Err(fault::<super::Setting>(0, "rate", message));
    }
    let frames = scene.setting.seconds * rate;
    if frames > MOST_FRAMES {
        let message = format!("makes {frames:.0} frames at this rate; at most {MOST_FRAMES:.0} are run at once");
        return Err(fault::<super::Setting>(0, "seconds", message));
    }
    let grids = scene.ragdolls.iter().map(|thing| thing.grid).chain(scene.boxes.iter().map(|thing| thing.grid));
    let grids = grids.chain(scene.balls.iter().map(|thing| thing.grid));
    let grids = grids.chain(scene.capsules.iter().map(|thing| thing.grid));
    let grids = grids.chain(scene.tetrahedra.iter().map(|thing| thing.grid));
    let grids = grids.chain(scene.carved.iter().map(|thing| thing.grid));
    let bodies: u64 = grids.map(|grid| u64::from(count(grid))).sum();
    let herds: u64 = scene.herds.iter().map(|herd| u64::from(herd.count)).sum();
    let cells: u64 = scene.cloths.iter().map(|cloth| u64::from(cloth.columns) * u64::from(cloth.rows)).sum();
    if bodies + herds > u64::from(MOST) || cells > 1 << 24 {
        let message = format!("holds {} bodies and {cells} cells of cloth, more than memory does", bodies + herds);
        return Err(fault::<super::Setting>(0, "name", message));
    }
    Ok(())
}

fn check_bodies(scene: &Scene) -> Result<(), SceneError> {
    fn inertia<T: Thing>(things: &[T], of: impl Fn(&T) -> &Vec<f64>) -> Result<(), SceneError> {
        let bad = things.iter().enumerate().find_map(|(index, thing)| Some((index, inertia_fault(of(thing))?)));
        bad.map_or(Ok(()), |(index, message)| Err(fault::<T>(index, "inertia", message)))
    }
    inertia(&scene.boxes, |thing| &thing.inertia)?;
    inertia(&scene.balls, |thing| &thing.inertia)?;
    inertia(&scene.capsules, |thing| &thing.inertia)?;
    inertia(&scene.tetrahedra, |thing| &thing.inertia)?;
    inertia(&scene.carved, |thing| &thing.inertia)?;
    if let Some(index) = scene.carved.iter().position(|thing| thing.mesh.is_empty()) {
        return Err(fault::<super::MeshBody>(index, "mesh", "must name a mesh: “skittle”, “stool” or a file"));
    }
    for (index, thing) in scene.tetrahedra.iter().enumerate() {
        let message = match thing.corners[..] {
            [] => continue,
            [a, b, c, d] => {
                let (edges, size) = ([b - a, c - a, d - a], (b - a).length().max((c - a).length()));
                if edges[0].cross(edges[1]).dot(edges[2]).abs() > 1e-6 * size * size * size {
                    continue;
                }
                "lie in one plane; a body needs a volume"
            }
            _ => "must be four points",
        };
        return Err(fault::<super::Tetrahedron>(index, "corners", message));
    }
    Ok(())
}

/// Why no body has these principal moments, if none has: each is at most the sum of the others.
fn inertia_fault(moments: &[f64]) -> Option<String> {
    match *moments {
        [] => None,
        [a, b, c] if a > 0.0 && b > 0.0 && c > 0.0 => {
            let slack = 1.0 + 1e-9;
            let good = a <= (b + c) * slack && b <= (a + c) * slack && c <= (a + b) * slack;
            (!good).then(|| {
                format!("of {a}, {b}, {c} belongs to no body: no moment is greater than the other two together")
            })
        }
        _ => Some("must be three moments above 0".into()),
    }
}

fn check_soft(scene: &Scene, names: &Names) -> Result<(), SceneError> {
    let (bodies, same) = (&BODIES, "is where it begins; it needs a length");
    let on = |part: &PartPath| if part.is_none() { Ok(()) } else { names.holds(part, bodies) };
    for (index, rope) in scene.ropes.iter().enumerate() {
        on(&rope.from_on).map_err(|message| fault::<super::Rope>(index, "from_on", message))?;
        on(&rope.to_on).map_err(|message| fault::<super::Rope>(index, "to_on", message))?;
        if rope.from == rope.to {
            return Err(fault::<super::Rope>(index, "to", same));
        }
    }
    for (index, flail) in scene.flails.iter().enumerate() {
        on(&flail.from_on).map_err(|message| fault::<super::Flail>(index, "from_on", message))?;
        if flail.from == flail.to {
            return Err(fault::<super::Flail>(index, "to", same));
        }
    }
    for (index, cloth) in scene.cloths.iter().enumerate() {
        on(&cloth.on).map_err(|message| fault::<super::Cloth>(index, "on", message))?;
        if !cloth.mesh.is_empty() && !cloth.pins.is_empty() {
            let message = "are corners of a grid; hold points of a mesh with pin_points";
            return Err(fault::<super::Cloth>(index, "pins", message));
        }
        if !cloth.on.is_none() && cloth.pins.is_empty() && cloth.pin_points.is_empty() {
            let message = "needs points to hang by: give pins or pin_points";
            return Err(fault::<super::Cloth>(index, "on", message));
        }
    }
    Ok(())
}

/// Kinds that something can hang on.
const BODIES: [&str; 6] = ["ragdoll", "box", "ball", "capsule", "tetrahedron", "body"];

fn check_points(scene: &Scene, names: &Names) -> Result<(), SceneError> {
    for (index, points) in scene.points.iter().enumerate() {
        if let Some((key, message)) = points_fault(points) {
            return Err(fault::<Points>(index, key, message));
        }
    }
    for (index, limit) in scene.limits.iter().enumerate() {
        let fault = |key, message: String| Err(fault::<super::Limit>(index, key, message));
        if let Err(message) = names.holds(&limit.of, &["points"]) {
            return fault("of", message);
        }
        let of = scene.points.iter().find(|points| points.name == limit.of.thing());
        let triangles = of.map_or(0, |points| points.triangles.len());
        for (key, triangle) in [("first", limit.first), ("second", limit.second)] {
            if triangle as usize >= triangles {
                return fault(key, format!("is triangle {triangle}, but “{}” has {triangles}, from 0", limit.of.0));
            }
        }
        if limit.first == limit.second {
            return fault("second", "is the first triangle again".into());
        }
    }
    Ok(())
}

fn points_fault(points: &Points) -> Option<(&'static str, String)> {
    let count = points.positions.len();
    if count == 0 {
        return Some(("positions", "must hold a point".into()));
    }
    if !points.velocities.is_empty() && points.velocities.len() != count {
        let message = format!("must be one for each of the {count} points, not {}", points.velocities.len());
        return Some(("velocities", message));
    }
    if let Some(message) = points.velocities.iter().flat_map(|v| v.to_array()).find_map(|v| NumberRange::Speed.fault(v))
    {
        return Some(("velocities", message));
    }
    if points.masses.len() != 1 && points.masses.len() != count {
        let message = format!("must be one for all or one for each of the {count} points, not {}", points.masses.len());
        return Some(("masses", message));
    }
    let lists: [(&'static str, Vec<u32>); 4] = [
        ("fixed", points.fixed.clone()),
        ("sticks", points.sticks.concat()),
        ("strings", points.strings.concat()),
        ("triangles", points.triangles.concat()),
    ];
    for (key, indices) in lists {
        if let Some(index) = indices.iter().find(|&&index| index as usize >= count) {
            return Some((key, format!("speaks of point {index}, but there are {count}, counted from 0")));
        }
    }
    let place = |index: u32| points.positions[index as usize];
    let short = points.sticks.iter().chain(&points.strings).find(|[a, b]| place(*a) == place(*b));
    short.map(|[a, b]| ("sticks", format!("has one without length: points {a} and {b} are at one place")))
}

fn check_joints(scene: &Scene, names: &Names) -> Result<(), SceneError> {
    for (index, joint) in scene.joints.iter().enumerate() {
        let fault = |key, message: String| Err(fault::<super::Joint>(index, key, message));
        if let Err(message) = names.holds(&joint.of, &BODIES) {
            return fault("of", message);
        }
        if !joint.to.is_none() {
            if let Err(message) = names.holds(&joint.to, &BODIES) {
                return fault("to", message);
            }
            if joint.to == joint.of {
                return fault("to", "joins the thing to itself".into());
            }
        }
        if joint.kind != JointKind::Fixed && joint.axis.length() < 1e-9 {
            return fault("axis", "must have a length".into());
        }
        if joint.kind == JointKind::Fixed && joint.is_driven() {
            return fault("kind", "is fixed and cannot be driven; leave frequency, drag and friction out".into());
        }
        if joint.speed != DVec3::ZERO && joint.frequency > 0.0 {
            return fault("speed", "and a frequency do not go together: a spring holds a target, drag a speed".into());
        }
        if joint.speed != DVec3::ZERO && joint.drag == 0.0 {
            return fault("speed", "needs a drag: the rate at which it is reached, per second".into());
        }
    }
    Ok(())
}

fn check_obstacles(obstacles: &[Obstacle]) -> Result<(), SceneError> {
    for (index, obstacle) in obstacles.iter().enumerate() {
        if let Some((key, message)) = obstacle_fault(obstacle) {
            return Err(fault::<Obstacle>(index, key, message));
        }
    }
    Ok(())
}

fn obstacle_fault(obstacle: &Obstacle) -> Option<(&'static str, String)> {
    let moves = obstacle.velocity != DVec3::ZERO || obstacle.spin != DVec3::ZERO;
    if moves && !obstacle.path.is_empty() {
        return Some(("path", "and a velocity or spin do not go together; give one of them".into()));
    }
    let rows = |columns: u32| obstacle.heights.len() / columns as usize;
    match obstacle.kind {
        ObstacleKind::HalfSpace if obstacle.normal.length() < 1e-9 => Some(("normal", "must have a length".into())),
        ObstacleKind::Hull if obstacle.points.len() < 4 => {
            Some(("points", format!("must be four or more corners of a hull, not {}", obstacle.points.len())))
        }
        ObstacleKind::Mesh if obstacle.mesh.is_empty() => Some(("mesh", "must name a file".into())),
        ObstacleKind::HeightField
            if rows(obstacle.columns) < 2
                || rows(obstacle.columns) * obstacle.columns as usize != obstacle.heights.len() =>
        {
            let (count, columns) = (obstacle.heights.len(), obstacle.columns);
            Some(("heights", format!("must be two or more rows of {columns} numbers, not {count} numbers")))
        }
        _ => None,
    }
}

fn check_actions(scene: &Scene, names: &Names) -> Result<(), SceneError> {
    for (index, release) in scene.releases.iter().enumerate() {
        let fault = |message: String| Err(fault::<super::Release>(index, "of", message));
        if let Err(message) = names.holds(&release.of, &["ragdoll"]) {
            return fault(message);
        }
        let of = Scene::numbered(&release.of.0).map_or(release.of.0.as_str(), |(stem, _)| stem);
        let named = |name: &str| scene.ragdolls.iter().find(|ragdoll| ragdoll.name == name);
        let Some(ragdoll) = named(release.of.thing()).or_else(|| named(of)) else { continue };
        if release.of.bone().is_some() || ragdoll.clip.is_empty() {
            return fault(format!("“{}” plays no clip that could end; give the ragdoll a clip", release.of.0));
        }
        if scene.releases[..index].iter().any(|other| other.of == release.of) {
            return fault(format!("“{}” is released twice", release.of.0));
        }
    }
    for (index, follow) in scene.follows.iter().enumerate() {
        let fault = |key, message| Err(fault::<super::Follow>(index, key, message));
        let is_herd = |name: &str| scene.herds.iter().any(|herd| herd.name == name);
        let of = follow.of.thing();
        match Scene::numbered(of).filter(|(stem, _)| is_herd(stem)) {
            Some((stem, _)) => {
                return fault("of", format!("“{of}” is one of a herd, which is told as a whole: “{stem}”"));
            }
            None if is_herd(of) && follow.rise > 0.0 => {
                return fault("rise", format!("“{of}” is a herd, which does not get up; a single ragdoll does"));
            }
            None if is_herd(of) => {}
            None => names.holds(&follow.of, &["ragdoll"]).or_else(|message| fault("of", message))?,
        }
        if follow.strength > 1.0 {
            let message = format!("must be from 0 (limp) to 1 (all of it), not {}", follow.strength);
            return fault("strength", message);
        }
        let bounds = [("most_lead", follow.most_lead), ("most_missing", follow.most_missing)];
        for (key, _) in bounds.into_iter().filter(|(_, most)| most.is_some()) {
            if follow.lead == 0.0 {
                return fault(key, "bounds a hand that is not there: give lead the seconds in which it leads".into());
            }
            if is_herd(of) {
                let message = format!("is for a single ragdoll, and “{of}” is a herd, whose hand gives what it takes");
                return fault(key, message);
            }
        }
        if follow.most_missing.is_some() && scene.setting.falls_at().is_none() {
            return fault("most_missing", "needs gravity that points down y: nothing else is asked of a floor".into());
        }
        if follow.most_missing.is_some() && follow.rise > 0.0 {
            let message =
                "and rise do not go together: who gets up is led to the clip, which says nothing of what that asks for";
            return fault("most_missing", message.into());
        }
        if let Some(message) = (follow.own_feet).then(|| check_own_feet::fault(scene, follow, is_herd(of))).flatten() {
            return fault("own_feet", message);
        }
    }
    for (index, stand) in scene.stands.iter().enumerate() {
        names.holds(&stand.of, &["ragdoll"]).map_err(|message| fault::<super::Stand>(index, "of", message))?;
    }
    super::check_stand::check(scene)?;
    for (index, look) in scene.looks.iter().enumerate() {
        check_place(scene, names, &look.of, &look.path)
            .map_err(|(key, said)| fault::<super::Look>(index, key, said))?;
        if let Some(bone) = look.of.bone() {
            let message = format!("names the bone “{bone}”; it is the whole ragdoll that looks");
            return Err(fault::<super::Look>(index, "of", message));
        }
    }
    for (index, reach) in scene.reaches.iter().enumerate() {
        check_place(scene, names, &reach.of, &reach.path)
            .map_err(|(key, said)| fault::<super::Reach>(index, key, said))?;
        if reach.of.bone().is_none() {
            let message = format!("must name what reaches, such as “{}/LeftHand”", reach.of.0);
            return Err(fault::<super::Reach>(index, "of", message));
        }
    }
    const PUSHED: [&str; 11] =
        ["ragdoll", "box", "ball", "capsule", "tetrahedron", "body", "rope", "flail", "cloth", "plant", "points"];
    for (index, hit) in scene.hits.iter().enumerate() {
        names.holds(&hit.of, &PUSHED).map_err(|message| fault::<super::Hit>(index, "of", message))?;
    }
    for (index, drag) in scene.drags.iter().enumerate() {
        names.holds(&drag.of, &BODIES).map_err(|message| fault::<super::Drag>(index, "of", message))?;
        if drag.path.is_empty() {
            return Err(fault::<super::Drag>(index, "path", "must hold a place"));
        }
    }
    Ok(())
}

/// What looks or reaches is a ragdoll whose joints are driven, and has a place to look at or to reach.
fn check_place(scene: &Scene, names: &Names, of: &PartPath, path: &[Waypoint]) -> Result<(), (&'static str, String)> {
    names.holds(of, &["ragdoll"]).map_err(|message| ("of", message))?;
    let follows = scene.follows.iter().filter(|follow| follow.of.bone().is_none()).map(|follow| follow.of.thing());
    let mut driven = follows.chain(scene.stands.iter().map(|stand| stand.of.thing()));
    if !driven.any(|driven| driven == of.thing()) {
        return Err((
            "of",
            format!("“{}” needs a [[follow]] or [[stand]] as well, which drives its joints", of.thing()),
        ));
    }
    if path.is_empty() {
        return Err(("path", "must hold a place: [[0.0, x, y, z]]".into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Ball, Drag, Joint, Ragdoll, Release};
    use super::*;

    fn scene() -> Scene {
        let ragdoll = Ragdoll { name: "man".into(), grid: [2, 1, 1], ..Ragdoll::default() };
        let ball = Ball { name: "ball".into(), ..Ball::default() };
        Scene { ragdolls: vec![ragdoll], balls: vec![ball], ..Scene::default() }
    }

    #[test]
    fn things_of_a_grid_are_called_by_number() {
        let drag = |of: &str| Drag { of: of.into(), path: vec![Waypoint::default()], ..Drag::default() };
        let with = |of: &str| Scene { drags: vec![drag(of)], ..scene() }.check();
        assert_eq!(with("man 2/LeftHand"), Ok(()));
        assert_eq!(with("ball"), Ok(()));
        assert!(with("man").unwrap_err().to_string().contains("“man 1” to “man 2”"));
        assert!(with("man 3").unwrap_err().to_string().contains("no thing"));
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
    fn no_moment_of_a_body_is_greater_than_the_other_two_together() {
        assert_eq!(inertia_fault(&[1.0, 1.0, 2.0]), None);
        assert!(inertia_fault(&[1.0, 1.0, 2.1]).is_some());
        assert!(inertia_fault(&[1.0, 1.0]).is_some() && inertia_fault(&[1.0, 1.0, 0.0]).is_some());
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
