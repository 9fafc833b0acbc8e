//! Plans: steps in sequence, in parallel, repeated, or waiting for an event.
//!
//! ```
//! use muybridge::behavior::action::{PlanStep, act, repeat, sequence, together, wait};
//! let plan = sequence([act("reach a"), wait(0.5), together([act("reach b"), act("look")]), repeat(3, act("wave"))]);
//! assert!(matches!(plan, PlanStep::Sequence(steps) if steps.len() == 4));
//! ```
//! Specification: mathematics 5.5 (Z27).

/// A step of a plan; a plan is one step that may contain others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlanStep {
    /// Runs an action, by name, until it ends.
    Act(String),
    /// Begins an action, by name, which continues beside the plan until it ends or is cancelled.
    Begin(String),
    /// Waits until something has happened.
    Wait(Wait),
    /// Ends an action or plan, by name, if it runs.
    Cancel(String),
    /// Runs steps one after the other.
    Sequence(Vec<PlanStep>),
    /// Runs steps at the same time, until all are done.
    Parallel(Vec<PlanStep>),
    /// Runs steps at the same time, until the first is done; the others are cancelled.
    Race(Vec<PlanStep>),
    /// Repeats a step a number of times; 0 repeats forever.
    Repeat {
        /// Number of repetitions; 0 for endless.
        times: u32,
        /// Step to repeat.
        step: Box<PlanStep>,
    },
}

/// Event for which a plan waits.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Wait {
    /// A duration in seconds is over.
    Seconds(f64),
    /// An action, by name, has arrived at its target, or had arrived when it ended.
    Arrival(String),
    /// A subject touches another subject, or anything.
    Contact {
        /// Name of the subject.
        of: String,
        /// Name of the other subject; empty for anything.
        with: String,
    },
    /// Two subjects are within a distance.
    Near {
        /// Name of the subject.
        of: String,
        /// Name of the other subject.
        to: String,
        /// Distance from point to point, meters.
        within: f64,
    },
    /// A user-defined condition holds, by the name that code gave it.
    Condition(String),
}

/// Maximal nesting depth of plans.
pub const MOST_DEPTH: usize = 32;

/// Step that runs an action until it ends.
pub fn act(name: &str) -> PlanStep {
    PlanStep::Act(name.into())
}

/// Step that runs steps one after the other.
pub fn sequence(steps: impl IntoIterator<Item = PlanStep>) -> PlanStep {
    PlanStep::Sequence(steps.into_iter().collect())
}

/// Step that runs steps at the same time, until all are done.
pub fn together(steps: impl IntoIterator<Item = PlanStep>) -> PlanStep {
    PlanStep::Parallel(steps.into_iter().collect())
}

/// Step that runs steps at the same time, until the first is done.
pub fn race(steps: impl IntoIterator<Item = PlanStep>) -> PlanStep {
    PlanStep::Race(steps.into_iter().collect())
}

/// Step that repeats a step `times` times; 0 repeats forever.
pub fn repeat(times: u32, step: PlanStep) -> PlanStep {
    PlanStep::Repeat { times, step: Box::new(step) }
}

/// Step that waits for a number of seconds.
pub fn wait(seconds: f64) -> PlanStep {
    PlanStep::Wait(Wait::Seconds(seconds))
}

/// Step that waits until a named condition holds.
pub fn wait_until(condition: &str) -> PlanStep {
    PlanStep::Wait(Wait::Condition(condition.into()))
}

impl PlanStep {
    /// Nesting depth: 1 for a step that contains no other.
    pub(crate) fn depth(&self) -> usize {
        let below = |steps: &[PlanStep]| steps.iter().map(PlanStep::depth).max().unwrap_or(0);
        1 + match self {
            Self::Sequence(steps) | Self::Parallel(steps) | Self::Race(steps) => below(steps),
            Self::Repeat { step, .. } => step.depth(),
            _ => 0,
        }
    }

    /// Steps that this step contains.
    pub(crate) fn inside(&self) -> &[PlanStep] {
        match self {
            Self::Sequence(steps) | Self::Parallel(steps) | Self::Race(steps) => steps,
            Self::Repeat { step, .. } => core::slice::from_ref(step),
            _ => &[],
        }
    }
}

impl Wait {
    /// Describes the awaited event in words.
    pub(crate) fn describe(&self) -> String {
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
