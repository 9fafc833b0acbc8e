//! Corrections of a motion: path, timing and spin according to physics, and feet that stay where they stand.
//!
//! Every tool takes a clip in meters, y up, and reports its changes. It changes only the frames and bones that its [`Scope`] allows, with a
//! strength of 0 to 1, and keeps every other number to the bit. A character is never changed.
//!
//! [`fix()`] combines all tools: it plans a correction for the findings, applies it, analyzes the result, and repeats until nothing is left to do.
//! The tools can also be used one by one: [`BallisticPath`] and `move_along_path`, `right_intervals` and [`TimeMap`](crate::motion::TimeMap),
//! `move_flight_ends`, [`spin::spin_flight`], `blend`, [`clean_feet`].
//!
//! ```
//! use muybridge::correction::{FixSettings, fix};
//! use muybridge::motion::TimeMap;
//! use muybridge::samples;
//!
//! // A jump whose flight plays 1.5 times too fast falls with 2.25 g.
//! let (character, jump) = (samples::humanoid(), samples::jump());
//! let fast = TimeMap::stretched(jump.frames(), 68, 89, 14)?.apply(&jump);
//! let fixed = fix(&character, &fast, &Default::default(), &FixSettings::default());
//! assert_eq!(fixed.clip.frames(), jump.frames());
//! assert!((fixed.after.flights[0].gravity - 1.0).abs() < 0.01);
//! # Ok::<(), muybridge::motion::TimeMapError>(())
//! ```

pub(crate) mod apply;
pub(crate) mod blend;
mod bounds;
pub(crate) mod compare_findings;
pub(crate) mod cost;
mod curves;
pub(crate) mod feet;
pub(crate) mod fix;
mod flight_ends;
pub(crate) mod follow_path;
pub(crate) mod move_ends;
pub(crate) mod path;
pub(crate) mod plan;
mod planted_limbs;
pub(crate) mod retime;
pub(crate) mod root_bone;
pub(crate) mod scope;
pub(crate) mod settings;
pub(crate) mod spin;
mod stages;
mod take_off;

pub use crate::analysis::Tool;
pub use blend::BlendReport;
pub use bounds::Bounds;
pub use compare_findings::{Comparison, compare};
pub use curves::CurveFamily;
pub use feet::{FeetReport, FeetSettings, LimbChange, clean_feet};
pub use fix::{CorrectedClip, FixStep, Largest, fix, fix_with, largest_changes, sketch};
pub use flight_ends::{FlightEnd, extrapolate_flight};
pub use path::BallisticPath;
pub use plan::{CorrectionPlan, FlightPlan, ToolCandidate, Unfixed, retimed_settings};
pub use root_bone::RootBone;
pub use scope::Scope;
pub use settings::{FixSettings, Tools};
pub use spin::{
    Displaced, FramePair, Jacobian, Newton, RootPair, SpinError, SpinMethod, SpinReport, SpinSettings, SpinTarget,
    Turned, Unchanged, body_poses, spin_flight,
};
pub use stages::LONGEST_FLIGHT;
