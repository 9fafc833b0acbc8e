//! Actions: bodies move to targets by forces that a behavior computes from sensed motion.
//!
//! ```text
//! sensed motion ──► Behavior ──► Command: targets and strengths ──► actuator or mobility ──► forces on a rigid::World
//!                       ▲                                                                        │
//!                 Plan: begins and ends actions, and logs them  ◄────── arrival, contact, distance, time
//! ```
//! Actions on particles go through rigid proxies that copy their motion ([`likeness`]).
//! A behavior is a pure function and never changes a velocity. Six behaviors stand here, one file each, in the same order: equation, options,
//! command. Closures are behaviors too. Specification: mathematics 5.4, 5.5 (Z6–Z16, Z24, Z27); Ziauddin 2001.

pub mod actuator;
pub mod align;
pub mod chase;
pub mod command;
pub mod controller;
pub mod gains;
pub mod log;
pub mod move_to;
pub mod operational_space;
pub mod path;
pub mod path_progress;
pub mod plan;
mod resolved_plans;
pub mod rigid_proxy;
pub mod sensed;
pub mod stop;
pub mod target;
pub mod turn_chase;
pub mod turn_to;

pub use actuator::{Effort, Stepping};
pub use align::Align;
pub use chase::Chase;
pub use command::{AssumedInertia, Behavior, Command, Heading, PointTarget, Strength};
pub use controller::{Action, Condition, Controller, EndCondition, PlanSubject, Script, ScriptError, Tolerance};
pub use gains::{GainError, Gains, Response};
pub use log::ActionLogEntry;
pub use move_to::MoveTo;
pub use path::{Curve, Ease, Path};
pub use path_progress::{Journey, PathOrigin};
pub use resolved_plans::{PlanState, RunningAction};
pub use rigid_proxy::{Likeness, ProxySource};
pub use sensed::{ActionInput, BodyPoint, PointMotion};
pub use stop::Stop;
pub use target::Target;
pub use turn_chase::TurnChase;
pub use turn_to::TurnTo;
