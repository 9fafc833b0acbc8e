//! Log of the begins and ends of actions, plans and waits: indices while the run lasts, sentences for people.

use core::fmt;

/// Subject of a log event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSubject {
    /// An action, by its index.
    Action(usize),
    /// A plan, by its index.
    Plan(usize),
    /// A wait, by the number of its step among all plans.
    Wait(usize),
}

/// Change that a log event reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The subject began, by itself or because a plan (by index) reached it.
    Began(Option<usize>),
    /// The subject ended, for this reason.
    Ended(Why),
}

/// Reason why an action, plan or wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The action reached its target.
    Arrived,
    /// The duration is over.
    TimeOver,
    /// The awaited event happened, or all steps of the plan are done.
    Done,
    /// A plan (by index) cancelled the action or plan.
    Cancelled(usize),
    /// Another member of a race was done first.
    Outrun,
    /// The action was begun again while it ran.
    BegunAgain,
    /// Code outside of the plans cancelled the action.
    Stopped,
}

/// One event of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Seconds since the start of the run.
    pub time: f64,
    /// Subject: action, plan or wait.
    pub what: EventSubject,
    /// Begin, or end with its reason.
    pub change: EventKind,
}

/// A log event with names instead of indices, as a recording stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionLogEntry {
    /// Seconds since the start of the run.
    pub time: f64,
    /// `action`, `plan` or `wait`.
    pub kind: &'static str,
    /// Name of the action or plan, or a description of the awaited event.
    pub name: String,
    /// True for a begin, false for an end.
    pub began: bool,
    /// Reason in words.
    pub why: String,
}

impl fmt::Display for ActionLogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.began { "begins" } else { "ends" };
        write!(f, "{:8.3} s  {} “{}” {verb}: {}", self.time, self.kind, self.name, self.why)
    }
}
