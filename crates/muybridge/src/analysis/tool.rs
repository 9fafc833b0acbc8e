//! The kinds of change by which a correction mends a motion.
//!
//! They stand beside the findings, so that a finding can name the tools that mend it; `correction` carries them out.

/// A kind of change to a flight, or to the feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// Moves the ends of a flight; the motion before and after moves along.
    Place,
    /// Puts the center of mass on the parabola between the ends of a flight.
    Path,
    /// Gives a flight the number of frames its path takes, and puts the center of mass on the parabola of that time.
    Time,
    /// Turns the body so that its angular momentum stays constant.
    Spin,
    /// Plants the feet.
    Feet,
}

impl Tool {
    /// The tools that mend findings, in the order a correction uses them. [`Tool::Place`] only does what an artist asks for.
    pub(crate) const ALL: [Self; 4] = [Self::Path, Self::Time, Self::Spin, Self::Feet];

    /// The tool of that name, of those in `Tool::ALL`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// "place", "path", "time", "spin" or "feet".
    pub fn name(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Path => "path",
            Self::Time => "time",
            Self::Spin => "spin",
            Self::Feet => "feet",
        }
    }
}
