//! Logs as text: a line per input, read and written by the same walk over its fields.
//!
//! ```text
//! muybridge rigid log 1
//! model a83c2f0d5be01477
//! start 03d2f4b7c1a0e955
//! 0 settings time_step 0.016666666666666666 gravity 0.0 -9.81 0.0 method multipliers …
//! 12 push body 3 force 0.0 0.0 40.0 at 0.1 1.2 0.0
//! 60 mark 77b0a1d2e3f40516                the state before the inputs of that step
//! 100 end 1f2e3d4c5b6a7988                the state behind them
//! ```
//! Numbers are the shortest that read back as the same bits. Lines that begin with `#` and empty ones are passed over.

use core::fmt;
use core::str::FromStr;

use glam::{DQuat, DVec3};
use thiserror::Error;

use super::choices;
use super::line::{Line, Read, Written, Wrong, field, quoted, turn, vector};
use super::{Input, Log};
use crate::rigid::Body;
use crate::rigid::joint::Frame;
use crate::rigid::model::{JointLimit, Motor, Object, Range, Start};
use crate::rigid::settings::Settings;

/// What the first line says.
const FIRST: &str = "muybridge rigid log 1";

/// A line that is not what it should be.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct TextError {
    /// From 1.
    pub line: usize,
    /// What should be there.
    pub expected: String,
    /// What is.
    pub found: String,
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST}\nmodel {}\nstart {}", self.model, self.start)?;
        let mut marks = self.marks.iter().peekable();
        for (step, input) in &self.inputs {
            while let Some((step, mark)) = marks.next_if(|(marked, _)| marked <= step) {
                writeln!(f, "{step} mark {mark}")?;
            }
            let mut line = Written(format!("{step} {}", name(input)));
            // Writing finds nothing wrong.
            let _ = fields(&mut line, &mut input.clone());
            writeln!(f, "{}", line.0)?;
        }
        for (step, mark) in marks {
            writeln!(f, "{step} mark {mark}")?;
        }
        self.end.map_or(Ok(()), |(step, end)| writeln!(f, "{step} end {end}"))
    }
}

impl FromStr for Log {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let count = text.lines().count();
        let said = |line: &(usize, &str)| !line.1.trim().is_empty() && !line.1.trim_start().starts_with('#');
        let mut lines = text.lines().enumerate().filter(said);
        let mut next = |expected: &str| {
            let none = || TextError { line: count + 1, expected: expected.into(), found: "the end of the log".into() };
            lines.next().map(|(index, line)| (index + 1, line)).ok_or_else(none)
        };
        let (line, first) = next(FIRST)?;
        if first.trim() != FIRST {
            return Err(TextError { line, expected: format!("“{FIRST}”"), found: quoted(first) });
        }
        let mut log = Self::default();
        for (word, sum) in [("model", &mut log.model), ("start", &mut log.start)] {
            let (line, text) = next(word)?;
            let mut read = Read::new(text);
            let got = read.word(word).and_then(|()| read.parsed("sixteen hexadecimal digits"));
            *sum = got.and_then(|sum| read.end().map(|()| sum)).map_err(|wrong| wrong.on(line))?;
        }
        let mut last = 0;
        for (index, text) in lines {
            log.line(text, &mut last).map_err(|wrong| wrong.on(index + 1))?;
        }
        Ok(log)
    }
}

impl Log {
    fn line(&mut self, text: &str, last: &mut u64) -> Result<(), Wrong> {
        let mut read = Read::new(text);
        if let Some((step, _)) = self.end {
            return Err(Wrong { expected: format!("nothing after the end at step {step}"), found: quoted(text) });
        }
        let step: u64 = read.parsed("the number of a step")?;
        if step < *last {
            return Err(Wrong { expected: format!("a step not before {last}"), found: step.to_string() });
        }
        *last = step;
        match read.next("what is done")? {
            "mark" => self.marks.push((step, read.parsed("sixteen hexadecimal digits")?)),
            "end" => self.end = Some((step, read.parsed("sixteen hexadecimal digits")?)),
            word => {
                let known = blanks().into_iter().find(|input| name(input) == word);
                let names = || blanks().map(|input| name(&input)).join(", ");
                let unknown = || Wrong { expected: format!("mark, end, {}", names()), found: quoted(word) };
                let mut input = known.ok_or_else(unknown)?;
                fields(&mut read, &mut input)?;
                self.inputs.push((step, input));
            }
        }
        read.end()
    }
}

/// One of every kind, to be filled.
fn blanks() -> [Input; 13] {
    let (zero, none) = (DVec3::ZERO, DQuat::IDENTITY);
    let bounds = JointLimit::Hinge([0.0; 2]);
    let (velocity, spin) = (zero, zero);
    [
        Input::Settings(Settings::default()),
        Input::Push { body: 0, force: zero, at: zero },
        Input::PushAndTurn { body: 0, force: zero, moment: zero },
        Input::Hit { body: 0, impulse: zero, at: zero },
        Input::Wake { body: 0 },
        Input::Place { body: 0, start: Start::at(zero, none) },
        Input::Body { body: 0, is: Body { mass: 1.0, moments: DVec3::ONE } },
        Input::Anchor { joint: 0, side: 0, frame: Frame::at(zero) },
        Input::Range { range: 0, is: Range { joint: 0, bounds } },
        Input::Motor { motor: 0, is: Motor::idle(0) },
        Input::Object { object: 0, is: Object::default() },
        Input::Drag { obstacle: 0, position: zero, rotation: none, seconds: 1.0 },
        Input::Obstacle {
            obstacle: 0,
            position: zero,
            rotation: none,
            velocity,
            spin,
            friction: 0.0,
            restitution: 0.0,
        },
    ]
}

/// The word a line of it begins with.
fn name(input: &Input) -> &'static str {
    match input {
        Input::Settings(_) => "settings",
        Input::Push { .. } => "push",
        Input::PushAndTurn { .. } => "push_and_turn",
        Input::Hit { .. } => "hit",
        Input::Wake { .. } => "wake",
        Input::Place { .. } => "place",
        Input::Body { .. } => "body",
        Input::Anchor { .. } => "anchor",
        Input::Range { .. } => "range",
        Input::Motor { .. } => "motor",
        Input::Object { .. } => "object",
        Input::Drag { .. } => "drag",
        Input::Obstacle { .. } => "obstacle",
    }
}

/// All that follows the name.
fn fields(line: &mut impl Line, input: &mut Input) -> Result<(), Wrong> {
    match input {
        Input::Settings(is) => choices::settings(line, is),
        Input::Push { body, force, at } => {
            field(line, "body", body)?;
            vector(line, "force", force)?;
            vector(line, "at", at)
        }
        Input::PushAndTurn { body, force, moment } => {
            field(line, "body", body)?;
            vector(line, "force", force)?;
            vector(line, "moment", moment)
        }
        Input::Hit { body, impulse, at } => {
            field(line, "body", body)?;
            vector(line, "impulse", impulse)?;
            vector(line, "at", at)
        }
        Input::Wake { body } => field(line, "body", body),
        Input::Place { body, start: Start { position, rotation, velocity, angular_velocity } } => {
            field(line, "body", body)?;
            vector(line, "position", position)?;
            turn(line, "rotation", rotation)?;
            vector(line, "velocity", velocity)?;
            vector(line, "angular_velocity", angular_velocity)
        }
        Input::Body { body, is: Body { mass, moments } } => {
            field(line, "body", body)?;
            field(line, "mass", mass)?;
            vector(line, "moments", moments)
        }
        Input::Anchor { joint, side, frame: Frame { position, rotation } } => {
            field(line, "joint", joint)?;
            field(line, "side", side)?;
            vector(line, "position", position)?;
            turn(line, "rotation", rotation)
        }
        Input::Range { range, is: Range { joint, bounds } } => {
            field(line, "range", range)?;
            field(line, "joint", joint)?;
            choices::bounds(line, bounds)
        }
        Input::Motor { motor, is: Motor { joint, target, rate, frequency, damping_ratio, most, friction, drag } } => {
            field(line, "motor", motor)?;
            field(line, "joint", joint)?;
            vector(line, "target", target)?;
            vector(line, "rate", rate)?;
            field(line, "frequency", frequency)?;
            field(line, "damping_ratio", damping_ratio)?;
            field(line, "most", most)?;
            field(line, "friction", friction)?;
            field(line, "drag", drag)
        }
        Input::Object { object, is: Object { friction, restitution, drag, touches_itself, rolling } } => {
            field(line, "object", object)?;
            field(line, "friction", friction)?;
            field(line, "restitution", restitution)?;
            field(line, "drag", drag)?;
            field(line, "touches_itself", touches_itself)?;
            field(line, "rolling", rolling)
        }
        Input::Drag { obstacle, position, rotation, seconds } => {
            field(line, "obstacle", obstacle)?;
            vector(line, "position", position)?;
            turn(line, "rotation", rotation)?;
            field(line, "seconds", seconds)
        }
        Input::Obstacle { obstacle, position, rotation, velocity, spin, friction, restitution } => {
            field(line, "obstacle", obstacle)?;
            vector(line, "position", position)?;
            turn(line, "rotation", rotation)?;
            vector(line, "velocity", velocity)?;
            vector(line, "spin", spin)?;
            field(line, "friction", friction)?;
            field(line, "restitution", restitution)
        }
    }
}
