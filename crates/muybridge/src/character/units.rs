//! Infers the unit of length and the up axis of a file, from its statements or from the figure's size and pose.
//!
//! A person is about 1.7 m tall; children are shorter, and hardly anybody is taller than 2 m. Of the common units that
//! make a figure of 0.7 to 2.3 m the most likely is taken: by that height, by how fast the body falls (nobody falls
//! faster than gravity) and by how fast it steps. If no unit makes such a figure, it is taken to be 1.7 m tall. A unit
//! stated by the file is accepted if the figure is 0.4 to 4 m tall, which includes stylized figures; a glTF fox 79 m tall
//! is in centimeters. Standing height is the sum of segment lengths and so the same in every pose. Up is the axis along which the head is above the feet in most of
//! the clip; for a tumbling body y is assumed.

use glam::DVec3;

use super::Skeleton;
use super::humanoid::{Role, RoleMap, Side};
use super::humanoid_names::meaning;
use super::landmarks::Landmarks;
use super::reference_pose::reference_pose;
use super::time_scale::{GRAVITY, TimeScale};
use crate::motion::{Axis, Clip, WorldMotion};

/// A unit of length found in motion files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// Meters per unit.
    pub meters: f64,
    /// Name in words: "centimeters".
    pub name: &'static str,
}

/// Common units; CMU's is 1/0.45 inch.
pub(crate) const UNITS: [Unit; 7] = [
    Unit { meters: 1.0, name: "metres" },
    Unit { meters: 0.01, name: "centimetres" },
    Unit { meters: 0.001, name: "millimetres" },
    Unit { meters: 0.0254, name: "inches" },
    Unit { meters: 0.3048, name: "feet" },
    Unit { meters: 0.0254 / 0.45, name: "CMU units" },
    Unit { meters: 0.1, name: "decimetres" },
];

/// Unit and up axis as stated by a file or user; `None` if not stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stated {
    /// Meters per unit according to the file format.
    pub format: Option<f64>,
    /// Up axis according to the file format.
    pub format_up: Option<Axis>,
    /// Meters per unit according to the user.
    pub unit: Option<f64>,
    /// Up axis according to the user.
    pub up: Option<Axis>,
    /// Standing height according to the user, meters.
    pub height: Option<f64>,
}

/// Unit and up axis, each with its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// Meters per file unit.
    pub meters_per_unit: f64,
    /// Reason for the unit: "inferred: height 1.71 m", "file (1 m per unit)", "given".
    pub unit_source: String,
    /// Up axis.
    pub up: Axis,
    /// Reason for the up axis.
    pub up_source: String,
    /// Sentence for a finding if unit or up axis seem wrong; `None` otherwise.
    pub suspicious: Option<String>,
}

/// Infers unit and up axis of a motion with the coordinates of its file.
pub fn infer(skeleton: &Skeleton, clip: &Clip, map: &RoleMap, stated: &Stated) -> Units {
    let (up, up_source, odd_up) = up_axis(skeleton, clip, map, stated);
    let size = size(skeleton, clip, map);
    let pace = || TimeScale::new(skeleton, clip, map, up.unit());
    let (meters_per_unit, unit_source, odd_unit) = unit(size, stated, &pace);
    Units { meters_per_unit, unit_source, up, up_source, suspicious: odd_unit.or(odd_up) }
}

/// Typical height of a person, meters, and accepted heights of persons, figures and other things.
const TYPICAL: f64 = 1.7;
const PERSON: core::ops::RangeInclusive<f64> = 0.7..=2.3;
const FIGURE: core::ops::RangeInclusive<f64> = 0.4..=4.0;
const THING: core::ops::RangeInclusive<f64> = 0.05..=10.0;

/// Height above which people are rare, meters, and how much rarer by the logarithm of their height.
const TALL: f64 = 2.0;
const RARITY: f64 = 5.0;
/// Greatest fall of a body, g: gravity, with the errors of its mass center.
const FASTEST_FALL: f64 = 1.5;
/// Falls that gravity explains, g.
const FREE_FALL: core::ops::RangeInclusive<f64> = 0.7..=1.4;
/// What a step of unnatural frequency weighs against an unusual height, each as a logarithm.
const HASTE: f64 = 0.5;
/// Likelihoods, as logarithms, that leave a doubt: how far from usual a figure is, and how near the next unit comes.
const UNUSUAL: f64 = 0.45;
const NEAR: f64 = 0.3;
/// Length of a leg as a fraction of the height (de Leva, mean).
const LEG: f64 = 0.5;

/// Size of the figure in file units: standing height of a humanoid, largest extent of anything else.
#[derive(Clone, Copy)]
enum UnitSize {
    Human(f64),
    Other(f64),
}

/// How unlikely it is that a person is `height` meters tall: the logarithm of the ratio to the typical height, more for giants.
fn rarity(height: f64) -> f64 {
    libm::log(height / TYPICAL).abs() + RARITY * libm::log((height / TALL).max(1.0))
}

/// The unit that makes the most likely person, with a sentence if another is nearly as likely; `None` if no common unit makes one.
fn likely(height: f64, pace: &dyn Fn() -> TimeScale) -> Option<(Unit, Option<String>)> {
    let mut people: Vec<Unit> = UNITS.into_iter().filter(|unit| PERSON.contains(&(height * unit.meters))).collect();
    let usual = people.iter().map(|unit| rarity(height * unit.meters)).fold(f64::INFINITY, f64::min);
    let pace = if people.len() > 1 || usual > UNUSUAL { pace() } else { TimeScale::default() };
    let fall = |unit: &Unit| pace.fall * unit.meters / GRAVITY;
    if people.iter().any(|unit| fall(unit) <= FASTEST_FALL) {
        people.retain(|unit| fall(unit) <= FASTEST_FALL);
    }
    let unlikely = |unit: &Unit| {
        let tall = height * unit.meters;
        rarity(tall) + HASTE * pace.haste(LEG * tall).abs()
    };
    people.sort_by(|a, b| unlikely(a).total_cmp(&unlikely(b)));
    let (best, others) = people.split_first()?;
    let falls_free = FREE_FALL.contains(&fall(best));
    let next = others.first().filter(|next| unlikely(next) < unlikely(best) + NEAR && !falls_free);
    let tall = |unit: &Unit| format!("{:.2} m tall in {}", height * unit.meters, unit.name);
    let doubt = match next {
        Some(next) => Some(format!("the figure is {}, or {}", tall(best), tall(next))),
        None if rarity(height * best.meters) > UNUSUAL && !falls_free => Some(format!("the figure is {}", tall(best))),
        None => None,
    };
    Some((*best, doubt.map(|sentence| format!("{sentence}; say it with --unit or --height"))))
}

fn size(skeleton: &Skeleton, clip: &Clip, map: &RoleMap) -> UnitSize {
    if map.is_humanoid() {
        let pose = reference_pose(skeleton, Some(clip), map).world;
        if let Some(marks) = Landmarks::new(skeleton, map, pose) {
            return UnitSize::Human(marks.height());
        }
    }
    let body: Vec<bool> = skeleton.bones().iter().map(|bone| !meaning(&bone.name).helper).collect();
    let mut extents: Vec<f64> = sampled(clip)
        .map(|frame| {
            let world = WorldMotion::new(skeleton, &clip.cut(frame, frame + 1));
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for bone in (0..skeleton.len()).filter(|&bone| body[bone]) {
                let ends = skeleton.bones()[bone].ends.iter().map(|&end| world.point(bone, 0, end));
                for point in ends.chain([world.position(bone, 0)]) {
                    (low, high) = (low.min(point), high.max(point));
                }
            }
            if low.x <= high.x { (high - low).max_element() } else { 0.0 }
        })
        .collect();
    extents.sort_by(f64::total_cmp);
    UnitSize::Other(extents[extents.len() / 2])
}

/// Up to 33 frames spread over the clip.
fn sampled(clip: &Clip) -> impl Iterator<Item = usize> {
    let last = clip.frames() - 1;
    let count = last.min(32);
    (0..=count).map(move |at| (at * last).checked_div(count).unwrap_or(0))
}

fn unit(size: UnitSize, stated: &Stated, pace: &dyn Fn() -> TimeScale) -> (f64, String, Option<String>) {
    if let Some(meters) = stated.unit {
        return (meters, "given".into(), None);
    }
    let by_file = |meters: f64| format!("file ({meters} m per unit)");
    match size {
        UnitSize::Human(height) => {
            let typical = stated.height.unwrap_or(TYPICAL);
            let ratio = typical / TYPICAL;
            let within =
                |range: &core::ops::RangeInclusive<f64>, meters: f64| range.contains(&(height * meters / ratio));
            if let Some(meters) = stated.format.filter(|&meters| within(&FIGURE, meters)) {
                return (meters, by_file(meters), None);
            }
            let nearest = match stated.height {
                Some(_) => {
                    let miss = |unit: &Unit| libm::log(height * unit.meters / typical).abs();
                    let nearest = UNITS.into_iter().min_by(|a, b| miss(a).total_cmp(&miss(b)));
                    nearest.filter(|unit| within(&PERSON, unit.meters)).map(|unit| (unit, None))
                }
                None => likely(height, pace),
            };
            let Some((nearest, doubt)) = nearest else {
                // A rig scaled by a power of ten was scaled by mistake.
                let tenfold = stated.format.and_then(|meters| {
                    let scaled = [10.0, 100.0, 1000.0].map(|by| by * meters);
                    scaled.into_iter().find(|&meters| within(&PERSON, meters))
                });
                if let Some(meters) = tenfold {
                    let tall = height * stated.format.unwrap_or(1.0);
                    let odd = format!(
                        "by its format the file makes a figure {tall:.2} m tall; taken {:.0} times as large",
                        meters / stated.format.unwrap_or(1.0)
                    );
                    return (meters, format!("inferred: height {:.2} m", height * meters), Some(odd));
                }
                let tall = height * stated.format.unwrap_or(1.0);
                let odd = format!("no common unit makes a person of a figure {tall:.2} m tall; say it with --unit");
                return match stated.format {
                    Some(meters) => (meters, by_file(meters), Some(odd)),
                    None if height > 0.0 => {
                        (typical / height, format!("guessed: a person of {typical:.2} m"), Some(odd))
                    }
                    None => (1.0, "guessed".into(), Some(odd)),
                };
            };
            let odd = stated.format.map(|meters| {
                let tall = height * meters;
                format!("by its format the file makes a figure {tall:.1} m tall; taken for {}", nearest.name)
            });
            (nearest.meters, format!("inferred: height {:.2} m", height * nearest.meters), odd.or(doubt))
        }
        UnitSize::Other(extent) => {
            let meters = stated.format.unwrap_or(1.0);
            if THING.contains(&(extent * meters)) || extent == 0.0 {
                let source = stated.format.map_or_else(|| format!("inferred: extent {extent:.2} m"), by_file);
                return (meters, source, None);
            }
            let odd = stated.format.map(|_| {
                format!("by its format the file makes a figure of {:.1} m; taken for centimetres", extent * meters)
            });
            (0.01, format!("inferred: extent {:.2} m", extent * 0.01), odd)
        }
    }
}

fn up_axis(skeleton: &Skeleton, clip: &Clip, map: &RoleMap, stated: &Stated) -> (Axis, String, Option<String>) {
    if let Some(up) = stated.up {
        return (up, "given".into(), None);
    }
    let seen = seen_up(skeleton, clip, map);
    match (stated.format_up, seen) {
        (Some(up), Some((seen, true))) if seen != up => {
            let odd = format!("the file says {} is up, but the figure stands along {}", up.name(), seen.name());
            (up, "file".into(), Some(odd))
        }
        (Some(up), _) => (up, "file".into(), None),
        (None, Some((seen, _))) => (seen, "inferred: the head stands over the feet".into(), None),
        (None, None) => (Axis::Y, "assumed".into(), None),
    }
}

/// Axis that a humanoid stands along, and whether it does so in every frame; `None` if it does not stand.
fn seen_up(skeleton: &Skeleton, clip: &Clip, map: &RoleMap) -> Option<(Axis, bool)> {
    let mut sum = DVec3::ZERO;
    let mut least = DVec3::INFINITY;
    let mut count = 0.0;
    for frame in sampled(clip) {
        let world = WorldMotion::new(skeleton, &clip.cut(frame, frame + 1));
        let standing = standing(map, |bone| world.position(bone, 0))?;
        sum += standing;
        least = least.min(standing);
        count += 1.0;
    }
    let mean = sum / count;
    let axis = |v: DVec3| match v.max_position() {
        0 => Axis::X,
        1 => Axis::Y,
        _ => Axis::Z,
    };
    let along = axis(mean);
    let always = along.unit().dot(mean) > 0.9 && along.unit().dot(least) > 0.7;
    let rest = skeleton.rest_pose();
    let at_rest = standing(map, |bone| rest[bone].0).filter(|rest| rest.max_element() > 0.7).map(axis);
    // Who lies stretched out looks like who stands along another axis.
    if at_rest == Some(Axis::Y) && along != Axis::Y && lies_on_the_ground(skeleton, clip, along) {
        return Some((Axis::Y, false));
    }
    let agrees = at_rest == Some(along) && along.unit().dot(mean) > 0.4;
    let mostly_y = along == Axis::Y && mean.y > 0.5;
    (always || mostly_y || agrees && along != Axis::X).then_some((along, always))
}

/// Whether a figure that stretches `along` an axis lies on a ground under y: what is lowest is near the origin in y, and not along that axis.
fn lies_on_the_ground(skeleton: &Skeleton, clip: &Clip, along: Axis) -> bool {
    let (lowest, sizes): (Vec<DVec3>, Vec<DVec3>) = sampled(clip)
        .map(|frame| {
            let world = WorldMotion::new(skeleton, &clip.cut(frame, frame + 1));
            let places = (0..skeleton.len()).map(|bone| world.position(bone, 0));
            let (low, high) = places
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
            (low, high - low)
        })
        .unzip();
    let is_ground = |axis: Axis| middle(&lowest, axis).abs() < 0.1 * middle(&sizes, along);
    is_ground(Axis::Y) && !is_ground(along)
}

/// Median of some points along an axis.
fn middle(points: &[DVec3], axis: Axis) -> f64 {
    let mut along: Vec<f64> = points.iter().map(|point| point.dot(axis.unit())).collect();
    along.sort_by(f64::total_cmp);
    along[along.len() / 2]
}

/// Unit vector from the ankles to the head, or to the shoulders of a body without head.
fn standing(map: &RoleMap, at: impl Fn(usize) -> DVec3) -> Option<DVec3> {
    let point = |role| map.bone_of(role).map(&at);
    let middle = |of: fn(Side) -> Role| Some(point(of(Side::Left))?.midpoint(point(of(Side::Right))?));
    let top = point(Role::Head).or_else(|| point(Role::Neck)).or_else(|| middle(Role::UpperArm))?;
    let bottom = middle(Role::Foot).or_else(|| middle(Role::LowerLeg))?;
    (top - bottom).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::roles;
    use crate::math::rotation;
    use crate::motion::conform;
    use crate::samples::{humanoid, jump};

    #[test]
    fn one_jump_in_seven_units_and_three_axes_comes_back_to_metres_and_y() {
        let (skeleton, clip) = (humanoid().skeleton, jump());
        let map = roles(&skeleton);
        for unit in UNITS {
            let (file, motion) = conform(&skeleton, &clip, 1.0 / unit.meters, Axis::Y);
            for up in [Axis::X, Axis::Y, Axis::Z] {
                let (file, motion) = lying(&file, &motion, up);
                let found = infer(&file, &motion, &map, &Stated::default());
                assert!((found.meters_per_unit / unit.meters - 1.0).abs() < 1e-12, "{}: {found:?}", unit.name);
                assert_eq!(found.up, up, "{found:?}");
                let (back, moved) = conform(&file, &motion, found.meters_per_unit, found.up);
                let (a, b) = (WorldMotion::new(&skeleton, &clip), WorldMotion::new(&back, &moved));
                let head = map.bone_of(Role::Head).unwrap();
                assert!((a.position(head, 70) - b.position(head, 70)).length() < 1e-9);
            }
        }
    }

    #[test]
    fn a_unit_that_makes_a_child_comes_before_one_that_makes_a_giant_and_without_one_a_person_is_guessed() {
        let (skeleton, clip) = (humanoid().skeleton, jump());
        let map = roles(&skeleton);
        let UnitSize::Human(height) = size(&skeleton, &clip, &map) else { panic!("a person") };
        let of = |units: f64, height_given: Option<f64>| {
            let (file, motion) = conform(&skeleton, &clip, units / height, Axis::Y);
            infer(&file, &motion, &map, &Stated { height: height_given, ..Stated::default() })
        };
        // 43.4 inches are 1.10 m; as CMU units they are 2.45 m, by ratio nearer to 1.7 m.
        let child = of(43.4, None);
        assert_eq!((child.meters_per_unit, child.suspicious), (0.0254, None), "{}", child.unit_source);
        // 374 centimeters are a giant, 374 millimeters a doll.
        let guess = of(374.0, None);
        assert!((guess.meters_per_unit * 374.0 - 1.7).abs() < 1e-9 && guess.suspicious.is_some(), "{guess:?}");
        assert!((of(374.0, Some(1.3)).meters_per_unit * 374.0 - 1.3).abs() < 1e-9);
    }

    #[test]
    fn a_person_who_lies_most_of_the_time_does_not_turn_the_world() {
        let (skeleton, walk) = (humanoid().skeleton, crate::samples::walk());
        let map = roles(&skeleton);
        let (file, motion) = conform(&skeleton, &walk, 100.0, Axis::Y);
        let mut crawl = motion.clone();
        let back = rotation::about(DVec3::X, 1.4);
        for frame in 0..motion.frames() {
            let place = motion.translation(0, frame);
            crawl.set_translation(0, frame, DVec3::new(place.x, 15.0, place.z));
            crawl.set_rotation(0, frame, back * motion.rotation(0, frame));
        }
        let found = infer(&file, &crawl, &map, &Stated::default());
        assert_eq!(found.up, Axis::Y, "{found:?}");
        // A file whose skeleton stands along y although its world has z up.
        let mut upright = motion.clone();
        let turned = rotation::about(DVec3::X, core::f64::consts::FRAC_PI_2);
        for frame in 0..motion.frames() {
            upright.set_translation(0, frame, turned * motion.translation(0, frame));
            upright.set_rotation(0, frame, turned * motion.rotation(0, frame));
        }
        let found = infer(&file, &upright, &map, &Stated::default());
        assert_eq!(found.up, Axis::Z, "{found:?}");
    }

    /// The same motion with another up axis: three more quarter turns undo the quarter turn of conforming.
    fn lying(skeleton: &Skeleton, clip: &Clip, up: Axis) -> (Skeleton, Clip) {
        let (mut skeleton, mut clip) = (skeleton.clone(), clip.clone());
        for _ in 0..if up == Axis::Y { 0 } else { 3 } {
            (skeleton, clip) = conform(&skeleton, &clip, 1.0, up);
        }
        (skeleton, clip)
    }

    #[test]
    fn what_a_person_says_wins_over_file_and_figure() {
        let (skeleton, clip) = (humanoid().skeleton, jump());
        let map = roles(&skeleton);
        let stated = Stated { format: Some(0.01), unit: Some(0.5), up: Some(Axis::Z), ..Stated::default() };
        let found = infer(&skeleton, &clip, &map, &stated);
        assert_eq!((found.meters_per_unit, found.up, found.unit_source.as_str()), (0.5, Axis::Z, "given"));
        let wrong = infer(&skeleton, &clip, &map, &Stated { format: Some(100.0), ..Stated::default() });
        assert_eq!(wrong.meters_per_unit, 1.0);
        assert!(wrong.suspicious.unwrap().contains("171"), "a figure of metres called hectometres");
        let measured = infer(&skeleton, &clip, &map, &Stated { height: Some(1.75), ..Stated::default() });
        assert_eq!(measured.meters_per_unit, 1.0);
    }
}
