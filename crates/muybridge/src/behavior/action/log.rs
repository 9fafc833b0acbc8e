//! What began and ended when, and why: in numbers while it runs, in sentences for people.

use core::fmt;

/// What began or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSubject {
    /// An action, by index.
    Action(usize),
    /// A plan, by index.
    Plan(usize),
    /// A wait, by the number of its step in all plans.
    Wait(usize),
}

/// What happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// It began, by itself or because a plan (by index) came to it.
    Began(Option<usize>),
    /// It ended.
    Ended(Why),
}

/// Why something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is where it was to be.
    Arrived,
    /// Its time is over.
    TimeOver,
    /// What it waited for has come, or all its steps are done.
    Done,
    /// A plan (by index) cancelled it.
    Cancelled(usize),
    /// Something else of a race was done first.
    Outrun,
    /// It was begun again.
    BegunAgain,
    /// It was cancelled from outside, in code.
    Stopped,
}

/// One line of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// Seconds since the start of the run.
    pub time: f64,
    /// What.
    pub what: EventSubject,
    /// How.
    pub change: EventKind,
}

/// An event with its names, as a recording keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionLogEntry {
    /// Seconds since the start of the run.
    pub time: f64,
    /// `action`, `plan` or `wait`.
    pub kind: &'static str,
    /// Its name, or what is waited for.
    pub name: String,
    /// Whether it began; else it ended.
    pub began: bool,
    /// Why, in words.
    pub why: String,
}

impl fmt::Display for ActionLogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.began { "begins" } else { "ends" };
        write!(f, "{:8.3} s  {} “{}” {verb}: {}", self.time, self.kind, self.name, self.why)
    }
}
