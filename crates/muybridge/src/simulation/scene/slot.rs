//! Types of scene keys. A thing lists its keys once; reader, writer and checks all use that list.

use core::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::behavior::action::plan::{MOST_DEPTH, PlanStep, Wait};
use crate::math::speed_limit::SPEED_OF_LIGHT;

/// Greatest number of things that a grid, a count or a list may ask for.
pub const MOST: u32 = 1 << 20;

/// A mutable reference to the value of a key, with its type and bounds.
pub enum KeySlot<'a> {
    /// The name of the thing, by which others refer to it.
    Name(&'a mut String),
    /// A text or file name; may be empty.
    Text(&'a mut String),
    /// A thing of the scene, `"box"`, or a bone of one, `"man/LeftHand"`; empty: none.
    Part(&'a mut PartPath),
    /// A Boolean.
    Flag(&'a mut bool),
    /// One word of a fixed set.
    Choice(&'a mut dyn Choice),
    /// Several words of a fixed set.
    Choices(&'a mut dyn Choices),
    /// A whole number between two bounds, both included.
    Count(&'a mut u32, [u32; 2]),
    /// Number of copies along x, y and z.
    Grid(&'a mut [u32; 3]),
    /// A number in SI units.
    Number(&'a mut f64, NumberRange),
    /// A number that may be left out.
    Optional(&'a mut Option<f64>, NumberRange),
    /// An angle, radians; in text also `"30 deg"`.
    Angle(&'a mut f64, NumberRange),
    /// Least and greatest angle, radians from −π to π.
    Angles(&'a mut [f64; 2]),
    /// Three numbers.
    Vector(&'a mut DVec3, NumberRange),
    /// A position, meters, that may be left out.
    Place(&'a mut Option<DVec3>),
    /// A rotation as axis times angle, radians.
    Turn(&'a mut DVec3),
    /// A list of numbers.
    Numbers(&'a mut Vec<f64>, NumberRange),
    /// A list of points, meters.
    Vectors(&'a mut Vec<DVec3>),
    /// A list of positions at times, meters and seconds.
    Path(&'a mut Vec<Waypoint>),
    /// Indices of points.
    Indices(&'a mut Vec<u32>),
    /// Pairs of indices of points.
    Pairs(&'a mut Vec<[u32; 2]>),
    /// Triples of indices of points.
    Triples(&'a mut Vec<[u32; 3]>),
    /// Steps of a plan: an action's name, or a table such as `{ wait = 0.5 }`.
    Steps(&'a mut Vec<PlanStep>),
}

const WRONG_RANGE: &str = "must be a lower and an upper angle between -6.2832 and 6.2832 radians and at most a whole \
                           turn apart, such as [\"-30 deg\", \"90 deg\"]";

/// Greatest magnitude of a number in a scene. Squares, moments and determinants of such numbers stay finite in every method. A
/// kilometer-long tanker weighs 1e9 kg, and at 1e12 m from the origin neighboring places are a tenth of a millimeter apart.
pub const GREATEST: f64 = 1e12;

/// Least positive number in a scene, the inverse of [`GREATEST`].
pub const LEAST: f64 = 1e-12;

/// Range of a number. Its magnitude is at most [`GREATEST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberRange {
    /// Any finite number.
    Any,
    /// A speed, meters or radians per second: up to the speed of light, also as an angular speed at one meter.
    Speed,
    /// A number above 0, and no less than [`LEAST`].
    Positive,
    /// A number of 0 or more.
    NotNegative,
    /// A number from 0 to 1.
    Share,
    /// As [`NumberRange::Positive`], or infinite.
    PositiveOrInfinite,
    /// Any finite number, or −∞ in a hole; in text also `nan`.
    HeightOrHole,
}

/// A position at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Waypoint {
    /// Seconds from the start of the run.
    pub time: f64,
    /// Position, meters.
    pub place: DVec3,
}

/// A thing of the scene or a bone of one: `"box"`, `"man/LeftHand"`; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartPath(pub String);

impl PartPath {
    /// The name of the thing.
    pub fn thing(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(thing, _)| thing)
    }

    /// The name of the bone, if the part has one.
    pub fn bone(&self) -> Option<&str> {
        self.0.split_once('/').map(|(_, bone)| bone)
    }

    /// Whether the part is empty.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for PartPath {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

/// An option that is written as one of a few words.
pub trait Choice {
    /// All words of the option.
    fn words(&self) -> &'static [&'static str];
    /// Word of the present value.
    fn word(&self) -> &'static str;
    /// Takes the value of the word at that index; an index beyond the last changes nothing.
    fn set(&mut self, index: usize);

    /// Index of the present word in [`Choice::words`].
    fn index(&self) -> usize {
        self.words().iter().position(|word| *word == self.word()).unwrap_or(0)
    }
}

/// A value that is several words of a fixed set.
pub trait Choices {
    /// All words of the set.
    fn words(&self) -> &'static [&'static str];
    /// Indices of the present words.
    fn indices(&self) -> Vec<usize>;
    /// Changes to the words of these indices.
    fn set(&mut self, indices: &[usize]);
}

impl<T: Choice + Copy + Default> Choices for Vec<T> {
    fn words(&self) -> &'static [&'static str] {
        T::default().words()
    }

    fn indices(&self) -> Vec<usize> {
        self.iter().map(Choice::index).collect()
    }

    fn set(&mut self, indices: &[usize]) {
        self.clear();
        for &index in indices {
            let mut word = T::default();
            word.set(index);
            self.push(word);
        }
    }
}

/// Gives the variants of an enum their words in a scene: of a new enum, or with `impl` of one that the engine has.
macro_rules! choice {
    (impl $name:ident { $($variant:ident = $word:literal,)+ }) => {
        impl $crate::simulation::scene::slot::Choice for $name {
            fn words(&self) -> &'static [&'static str] {
                &[$($word),+]
            }

            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn set(&mut self, index: usize) {
                if let Some(&variant) = [$(Self::$variant),+].get(index) {
                    *self = variant;
                }
            }
        }
    };
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        $crate::simulation::scene::slot::choice! { impl $name { $($variant = $word,)+ } }
    };
}
pub(super) use choice;

impl KeySlot<'_> {
    /// Error sentence if the value is invalid.
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Text(_) | Self::Flag(_) | Self::Choice(_) | Self::Choices(_) => None,
            Self::Name(name) => name_fault(name),
            Self::Part(part) => part_fault(part),
            Self::Count(count, [least, most]) => {
                let good = (*least..=*most).contains(*count);
                (!good).then(|| format!("must be a whole number from {least} to {most}, not {count}"))
            }
            Self::Grid(grid) => {
                let good = (1..=MOST).contains(&product(grid));
                (!good).then(|| format!("must be three whole numbers above 0 with a product of at most {MOST}"))
            }
            Self::Number(value, bound) => bound.fault(**value),
            Self::Angle(value, bound) => bound.fault(**value).or_else(|| turn_fault(**value)),
            Self::Optional(value, bound) => value.and_then(|value| bound.fault(value)),
            Self::Angles([least, most]) => {
                let turn = -TAU..=TAU;
                let good = least <= most && turn.contains(least) && turn.contains(most) && *most - *least <= TAU;
                (!good).then(|| WRONG_RANGE.into())
            }
            Self::Vector(value, bound) => value.to_array().into_iter().find_map(|v| bound.fault(v)),
            Self::Turn(value) => value.to_array().into_iter().find_map(|v| NumberRange::Any.fault(v).or(turn_fault(v))),
            Self::Numbers(values, bound) => values.iter().find_map(|&v| bound.fault(v)),
            Self::Place(value) => value.and_then(finite_fault),
            Self::Steps(steps) => steps_fault(steps),
            Self::Vectors(values) => values.iter().find_map(|v| finite_fault(*v)),
            Self::Path(path) => path_fault(path),
            Self::Indices(_) => None,
            Self::Pairs(pairs) => pairs
                .iter()
                .find(|[a, b]| a == b)
                .map(|[a, _]| format!("joins point {a} to itself; name two different points")),
            Self::Triples(triples) => {
                let flat = triples.iter().find(|[a, b, c]| a == b || b == c || a == c);
                flat.map(|[a, b, c]| format!("has a triangle that uses a point twice: [{a}, {b}, {c}]"))
            }
        }
    }
}

impl NumberRange {
    /// Error sentence if `value` is out of range.
    pub fn fault(self, value: f64) -> Option<String> {
        let (good, wanted) = match self {
            Self::Any | Self::Speed => (value.is_finite(), "a finite number"),
            Self::Positive => (value.is_finite() && value > 0.0, "a finite number above 0"),
            Self::NotNegative => (value.is_finite() && value >= 0.0, "a finite number of 0 or more"),
            Self::Share => ((0.0..=1.0).contains(&value), "a number from 0 to 1"),
            Self::PositiveOrInfinite => (value > 0.0, "a number above 0, or inf"),
            Self::HeightOrHole => (value < f64::INFINITY, "a finite number, or nan in a hole"),
        };
        if good {
            return self.beyond(value);
        }
        Some(format!("must be {wanted}, not {value}"))
    }

    /// Error sentence if a number of the right sign is too great or too small to compute with.
    fn beyond(self, value: f64) -> Option<String> {
        let is_positive = matches!(self, Self::Positive | Self::PositiveOrInfinite);
        if self == Self::Speed && value.abs() > SPEED_OF_LIGHT {
            let message = format!("must be at most {SPEED_OF_LIGHT:.0}, the speed of light, not {value:e}");
            return Some(message);
        }
        if value.abs() > GREATEST && value.is_finite() {
            return Some(format!("must be at most {GREATEST:e}, not {value:e}: products of larger numbers overflow"));
        }
        (is_positive && value < LEAST)
            .then(|| format!("must be at least {LEAST:e}, not {value:e}: quotients by smaller numbers overflow"))
    }
}

/// Number of things in a grid; `u32::MAX` where there are more.
pub(super) fn product(grid: &[u32; 3]) -> u32 {
    grid.iter().fold(1, |all: u32, &n| all.saturating_mul(n))
}

fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("must not be empty: other entries refer to the thing by its name".into());
    }
    let bad = name.contains('/') || name.chars().any(char::is_control) || name.trim() != name;
    bad.then(|| "must have no slash (it stands before a bone), no line breaks and no blanks at its ends".into())
}

fn part_fault(part: &PartPath) -> Option<String> {
    let bad = part.0.starts_with('/') || part.0.ends_with('/');
    bad.then(|| "must be the name of a thing, or of a thing and a bone with a slash between: \"man/LeftHand\"".into())
}

fn turn_fault(angle: f64) -> Option<String> {
    let many = angle.abs() > 4.0 * PI;
    many.then(|| format!("is in radians, and {angle} would be several full turns; write degrees as \"{angle} deg\""))
}

fn finite_fault(v: DVec3) -> Option<String> {
    v.to_array().into_iter().find_map(|v| NumberRange::Any.fault(v))
}

fn steps_fault(steps: &[PlanStep]) -> Option<String> {
    if steps.iter().any(|step| step.depth() >= MOST_DEPTH) {
        return Some(format!("must be nested less than {MOST_DEPTH} levels deep"));
    }
    steps.iter().find_map(|step| match step {
        PlanStep::Wait(Wait::Seconds(value) | Wait::Near { within: value, .. }) => {
            NumberRange::NotNegative.fault(*value).map(|message| format!("hold a wait that {message}"))
        }
        _ => steps_fault(step.inside()),
    })
}

fn path_fault(path: &[Waypoint]) -> Option<String> {
    let broken =
        path.iter().find_map(|point| NumberRange::NotNegative.fault(point.time).or_else(|| finite_fault(point.place)));
    let back = || path.windows(2).find(|pair| pair[1].time <= pair[0].time);
    broken.or_else(|| {
        back().map(|pair| format!("must go forward in time, but {} s follows {} s", pair[1].time, pair[0].time))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_keep_out_what_makes_no_sense() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(NumberRange::Any.fault(value).is_some() && NumberRange::Positive.fault(value).is_some());
        }
        assert!(NumberRange::Positive.fault(0.0).is_some() && NumberRange::NotNegative.fault(0.0).is_none());
        assert!(NumberRange::PositiveOrInfinite.fault(f64::INFINITY).is_none());
        assert!(NumberRange::PositiveOrInfinite.fault(f64::NAN).is_some());
        assert!(NumberRange::PositiveOrInfinite.fault(1e13).is_some() && NumberRange::Positive.fault(LEAST).is_none());
        assert!(NumberRange::Positive.fault(1e-13).unwrap().contains("at least 1e-12"));
        assert!(
            NumberRange::Any.fault(-1e13).unwrap().contains("at most 1e12")
                && NumberRange::NotNegative.fault(1e-30).is_none()
        );
        assert!(
            NumberRange::Speed.fault(-3e8).unwrap().contains("speed of light")
                && NumberRange::Speed.fault(1e8).is_none()
        );
        assert!(KeySlot::Angles(&mut [1.0, 0.0]).fault().is_some());
        assert!(KeySlot::Angles(&mut [-30.0, 90.0]).fault().unwrap().contains("deg"));
    }

    #[test]
    fn a_part_is_a_thing_or_a_bone_of_one() {
        let part = PartPath::from("man/mixamorig:LeftHand");
        assert_eq!((part.thing(), part.bone()), ("man", Some("mixamorig:LeftHand")));
        assert_eq!((PartPath::from("box").thing(), PartPath::from("box").bone()), ("box", None));
        assert!(PartPath::default().is_none());
    }
}
