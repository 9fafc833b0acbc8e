//! The facts that every kind of finding has: section, unit, curve, tools, limits, and the sentences that explain it.

use super::report::{Analysis, Flight};
use super::tool::Tool;

/// Everything that is known of a kind of finding, whatever the clip. [`FindingId::facts`](super::FindingId::facts) has the table.
#[derive(Clone, Copy, Debug)]
pub struct FindingFacts {
    /// Part of the analysis that makes the finding; the id begins with its name.
    pub section: FindingSection,
    /// Unit of the finding's value and limits.
    pub unit: FindingUnit,
    /// Reads the value from an analysis, whether or not it is outside its limits.
    pub value: FindingValue,
    /// Curve over time on which the finding can be seen; `None` where no chart shows it.
    pub curve: Option<FindingCurve>,
    /// Tools of a correction that can mend it, in the order they are tried; empty where none can.
    pub tools: &'static [Tool],
    /// Keys of [`Limits`](super::Limits) that decide whether it is a finding; empty where none does.
    pub limits: &'static [&'static str],
    /// True where a relative change is no finding if the change itself is below the smallest that matters.
    pub ignores_small: bool,
    /// The measured quantity in a few words, as a caption under its value.
    pub quantity: &'static str,
    /// What the finding says about the motion, in one sentence.
    pub meaning: &'static str,
    /// How the value is computed.
    pub formula: &'static str,
    /// Publication and feature of the specification it is from.
    pub source: &'static str,
    /// When it is an error, a warning or a note.
    pub severity: &'static str,
    /// What an artist can do about it by hand.
    pub remedy: &'static str,
}

/// Part of the analysis that a finding belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingSection {
    /// Zero-moment point against the support polygon.
    Balance,
    /// The clip as a whole: clock, unit, jumps, jitter, loop.
    Clip,
    /// Everything that touches the floor.
    Feet,
    /// A phase without contact.
    Flight,
    /// The force of the ground.
    Force,
    /// Motion of the root.
    Root,
    /// Support that the clip does not show.
    Support,
}

impl FindingSection {
    /// "balance", "clip", "feet", "flight", "force", "root" or "support": the part of an id before its dot.
    pub fn name(self) -> &'static str {
        match self {
            Self::Balance => "balance",
            Self::Clip => "clip",
            Self::Feet => "feet",
            Self::Flight => "flight",
            Self::Force => "force",
            Self::Root => "root",
            Self::Support => "support",
        }
    }
}

/// A curve over the frames of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingCurve {
    /// Height of the center of mass above the floor.
    MassCenterHeight,
    /// Vertical force of the ground in body weights.
    VerticalForce,
    /// Angular momentum about the center of mass.
    AngularMomentum,
    /// Distance of the zero-moment point to the edge of the support polygon.
    ZmpMargin,
    /// Bars of contact, one row per bone that touches.
    Contacts,
}

impl FindingCurve {
    /// Name of the curve in the data of a page: "mass_center_height" …
    pub fn name(self) -> &'static str {
        match self {
            Self::MassCenterHeight => "mass_center_height",
            Self::VerticalForce => "vertical_force",
            Self::AngularMomentum => "angular_momentum",
            Self::ZmpMargin => "zmp_margin",
            Self::Contacts => "contacts",
        }
    }
}

/// Unit of a finding's value, in which it is kept and in which it is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FindingUnit {
    /// Unit of the value as it is kept and written to JSON: "m", "m/s", "s", "g"; "1" for a fraction or a factor.
    pub kept: &'static str,
    /// Unit in which the value is shown to a person; empty where it has none.
    pub shown: &'static str,
    /// The shown number is the kept one times this.
    pub factor: f64,
    /// Decimals of the shown number.
    pub digits: usize,
}

impl FindingUnit {
    const fn new(kept: &'static str, shown: &'static str, factor: f64, digits: usize) -> Self {
        Self { kept, shown, factor, digits }
    }

    /// A multiple of the gravity that the motion is held against.
    pub(super) const GRAVITIES: Self = Self::new("g", "g", 1.0, 2);
    /// A fraction, shown in percent.
    pub(super) const PERCENT: Self = Self::new("1", "%", 100.0, 1);
    /// A ratio, shown as "1.50 ×".
    pub(super) const TIMES: Self = Self::new("1", "×", 1.0, 2);
    /// A multiple of the body's weight.
    pub(super) const WEIGHTS: Self = Self::new("1", "weights", 1.0, 1);
    /// A number without unit.
    pub(super) const NUMBER: Self = Self::new("1", "", 1.0, 2);
    /// Seconds.
    pub(super) const SECONDS: Self = Self::new("s", "s", 1.0, 2);
    /// Meters, as they are.
    pub(super) const METERS: Self = Self::new("m", "m", 1.0, 4);
    /// Meters, shown in centimeters.
    pub(super) const CENTIMETERS: Self = Self::new("m", "cm", 100.0, 1);
    /// Meters, shown in millimeters.
    pub(super) const MILLIMETERS: Self = Self::new("m", "mm", 1000.0, 1);
    /// Meters per second, as they are.
    pub(super) const METERS_PER_SECOND: Self = Self::new("m/s", "m/s", 1.0, 2);
    /// Meters per second, shown in centimeters per second.
    pub(super) const CENTIMETERS_PER_SECOND: Self = Self::new("m/s", "cm/s", 100.0, 1);
}

/// Place of a finding's value in an analysis.
#[derive(Clone, Copy, Debug)]
pub enum FindingValue {
    /// A number of the flight that the finding is about.
    OfFlight(fn(&Flight) -> f64),
    /// A number of the whole clip.
    OfClip(fn(&Analysis) -> f64),
    /// Only the finding itself holds the value.
    OfFinding,
}
