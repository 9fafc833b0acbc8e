//! Plans: what is done one after the other, at the same time, again, or when something has happened.
//!
//! ```
//! use muybridge::behavior::action::plan::{act, repeat, sequence, together, wait};
//! let plan = sequence([act("reach a"), wait(0.5), together([act("reach b"), act("look")]), repeat(3, act("wave"))]);
//! assert_eq!(plan.depth(), 3);
//! ```
//! Specification: mathematics 5.5 (Z27).

/// A step of a plan; a plan is one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlanStep {
    /// An action by its name, until it ends.
    Act(String),
    /// An action by its name, which goes on beside the plan until it ends or is cancelled.
    Begin(String),
    /// Until something has happened.
    Wait(Wait),
    /// An action or plan by its name is ended, if it runs.
    Cancel(String),
    /// One after the other.
    Sequence(Vec<PlanStep>),
    /// All at the same time, until all are done.
    Parallel(Vec<PlanStep>),
    /// All at the same time, until the first is done; the others are cancelled.
    Race(Vec<PlanStep>),
    /// Again and again, so many times; 0: for ever.
    Repeat {
        /// How often.
        times: u32,
        /// What.
        step: Box<PlanStep>,
    },
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Wait {
    /// So many seconds.
    Seconds(f64),
    /// An action by its name is where it was to be, or was when it ended.
    Arrival(String),
    /// A thing touches another, or anything.
    Contact {
        /// Name of the thing.
        of: String,
        /// Of the other; empty: anything.
        with: String,
    },
    /// Two things are so near.
    Near {
        /// Name of the thing.
        of: String,
        /// Of the other.
        to: String,
        /// Metres from point to point.
        within: f64,
    },
    /// A condition of the user's, by the name it was given in code.
    Condition(String),
}

/// Plans nest no deeper.
pub const MOST_DEPTH: usize = 32;

/// An action, until it ends.
pub fn act(name: &str) -> PlanStep {
    PlanStep::Act(name.into())
}

/// An action that goes on beside the plan.
pub fn begin(name: &str) -> PlanStep {
    PlanStep::Begin(name.into())
}

/// An action or plan is ended, if it runs.
pub fn cancel(name: &str) -> PlanStep {
    PlanStep::Cancel(name.into())
}

/// One after the other.
pub fn sequence(steps: impl IntoIterator<Item = PlanStep>) -> PlanStep {
    PlanStep::Sequence(steps.into_iter().collect())
}

/// At the same time, until all are done.
pub fn together(steps: impl IntoIterator<Item = PlanStep>) -> PlanStep {
    PlanStep::Parallel(steps.into_iter().collect())
}

/// At the same time, until the first is done.
pub fn race(steps: impl IntoIterator<Item = PlanStep>) -> PlanStep {
    PlanStep::Race(steps.into_iter().collect())
}

/// So many times; 0: for ever.
pub fn repeat(times: u32, step: PlanStep) -> PlanStep {
    PlanStep::Repeat { times, step: Box::new(step) }
}

/// Seconds pass.
pub fn wait(seconds: f64) -> PlanStep {
    PlanStep::Wait(Wait::Seconds(seconds))
}

/// Until an action has arrived.
pub fn wait_for_arrival(action: &str) -> PlanStep {
    PlanStep::Wait(Wait::Arrival(action.into()))
}

/// Until one thing touches another.
pub fn wait_for_contact(of: &str, with: &str) -> PlanStep {
    PlanStep::Wait(Wait::Contact { of: of.into(), with: with.into() })
}

/// Until two things are within metres of each other.
pub fn wait_until_near(of: &str, to: &str, within: f64) -> PlanStep {
    PlanStep::Wait(Wait::Near { of: of.into(), to: to.into(), within })
}

/// Until a condition holds that was given by name.
pub fn wait_until(condition: &str) -> PlanStep {
    PlanStep::Wait(Wait::Condition(condition.into()))
}

impl PlanStep {
    /// How deep it nests: 1 for what holds nothing else.
    pub fn depth(&self) -> usize {
        let below = |steps: &[PlanStep]| steps.iter().map(PlanStep::depth).max().unwrap_or(0);
        1 + match self {
            Self::Sequence(steps) | Self::Parallel(steps) | Self::Race(steps) => below(steps),
            Self::Repeat { step, .. } => step.depth(),
            _ => 0,
        }
    }

    /// The steps inside.
    pub fn inside(&self) -> &[PlanStep] {
        match self {
            Self::Sequence(steps) | Self::Parallel(steps) | Self::Race(steps) => steps,
            Self::Repeat { step, .. } => core::slice::from_ref(step),
            _ => &[],
        }
    }
}

impl Wait {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::Seconds(seconds) => format!("{seconds} s"),
            Self::Arrival(action) => format!("arrival of {action}"),
            Self::Contact { of, with } if with.is_empty() => format!("contact of {of}"),
            Self::Contact { of, with } => format!("contact of {of} with {with}"),
            Self::Near { of, to, within } => format!("{of} within {within} m of {to}"),
            Self::Condition(name) => name.clone(),
        }
    }
}
