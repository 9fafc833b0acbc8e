//! Behavior: bodies that go where they are to be, by forces that follow from what they sense.
//!
//! ```text
//! what is sensed ──► Behavior ──► Command: targets and strengths ──► actuator or mobility ──► forces on a rigid::World
//!                       ▲                                                                        │
//!                 Plan: begins and ends actions, and writes it down  ◄──── arrival, contact, nearness, time
//! ```
//! Particles are acted on through rigid bodies that stand and move as they do ([`likeness`]).
//! A behavior is a pure function and never touches a velocity; six of them stand here, one file each, all in the same order: equation, what
//! one may ask of it, what it commands. Closures are behaviors too. Specification: mathematics 5.4, 5.5 (Z6–Z16, Z24, Z27); Ziauddin 2001.

pub mod actuator;
pub mod align;
pub mod chase;
pub mod command;
pub mod controller;
pub mod gains;
pub mod journey;
pub mod likeness;
pub mod log;
pub mod mobility;
pub mod move_to;
pub mod path;
pub mod plan;
mod program;
pub mod sensed;
pub mod stop;
pub mod target;
pub mod turn_chase;
pub mod turn_to;

pub use actuator::{Effort, Stepping};
pub use align::Align;
pub use chase::Chase;
pub use command::{Behavior, Command, Heading, Inertia, Place, Strength};
pub use controller::{Action, Condition, Controller, Script, ScriptError, Subject, Tolerance, Until};
pub use gains::{GainError, Gains, Response};
pub use journey::{Journey, Progress};
pub use likeness::{Likeness, Part};
pub use log::Entry;
pub use move_to::MoveTo;
pub use path::{Curve, Ease, Path};
pub use program::{Running, State};
pub use sensed::{BodyPoint, Motion, Sensed};
pub use stop::Stop;
pub use target::Target;
pub use turn_chase::TurnChase;
pub use turn_to::TurnTo;
