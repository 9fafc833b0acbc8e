//! Actions: bodies move to targets by forces that a behavior computes from sensed motion.
//!
//! ```text
//! sensed motion ──► Behavior ──► Command: targets and strengths ──► actuator or mobility ──► forces on a rigid::World
//!                       ▲                                                                        │
//!                 Plan: begins and ends actions, and logs them  ◄────── arrival, contact, distance, time
//! ```
//! Actions on particles go through rigid proxies that copy their motion (`rigid_proxy`).
//! A behavior is a pure function and never changes a velocity. Six behaviors stand here, one file each, in the same order: equation, options,
//! command. Closures are behaviors too. Specification: mathematics 5.4, 5.5 (Z6–Z16, Z24, Z27); Ziauddin 2001.

pub(crate) mod actuator;
pub(crate) mod align;
pub(crate) mod chase;
pub(crate) mod command;
pub(crate) mod controller;
pub(crate) mod gains;
pub(crate) mod log;
pub(crate) mod move_to;
pub(crate) mod operational_space;
pub(crate) mod path;
pub(crate) mod path_progress;
pub(crate) mod plan;
mod resolved_plans;
pub(crate) mod rigid_proxy;
pub(crate) mod sensed;
pub(crate) mod stop;
pub(crate) mod target;
pub(crate) mod turn_chase;
pub(crate) mod turn_to;

pub use actuator::{Effort, Stepping};
pub(crate) use align::Align;
pub use chase::Chase;
pub use command::{AssumedInertia, Behavior, Command, Heading, PointTarget, Strength};
pub use controller::{Action, Controller, EndCondition, PlanSubject, Script, ScriptError, Tolerance};
pub use gains::{GainError, Gains, Response};
pub use log::ActionLogEntry;
pub use move_to::MoveTo;
pub use path::{Ease, Path, PathCurve};
pub use path_progress::{Journey, PathOrigin};
pub use plan::{MOST_DEPTH, PlanStep, Wait, act, race, repeat, sequence, together, wait, wait_until};
pub use resolved_plans::{PlanState, RunningAction};
pub use sensed::{ActionInput, BodyPoint, PointMotion};
pub use stop::Stop;
pub use target::Target;
pub(crate) use turn_chase::TurnChase;
pub use turn_to::TurnTo;

#[cfg(test)]
mod particle_tests;
#[cfg(test)]
mod random_bodies;
#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod world_tests;
