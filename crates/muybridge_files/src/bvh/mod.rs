//! BVH: the text format of motion capture, read and written in two halves.
//!
//! ```text
//! bytes —parse→ Document —import→ Imported          Skeleton, Clip —export→ Document —write→ text
//!                  └── with_motion(clip) → the same hierarchy, names and channel orders with other motion
//! ```
//!
//! A joint's rotation is the product of its rotation channels **in file order**, acting on column vectors:
//! `Zrotation Xrotation Yrotation` is `R = Rz Rx Ry`. World transform: `T = T_parent · Translate(p) · R`, where the
//! position channels **replace** the components of `OFFSET` they name. Degrees; no unit and no up axis are declared.
//! Specification: mathematics 1.3 and the original description of the format by Biovision.
//!
//! A frame time printed with few digits stands for an exact rate: `.0083333` is 1/120 s ([`exact_frame_time`]); the document
//! keeps the text. A T-pose as frame 0 before the motion stays: only analysis can tell it from motion.
//!
//! The reader accepts common deviations (any case, tabs or none, any line ends, wrong frame counts, missing End Sites,
//! `ROOT Hips {` on one line, several roots) and notes its repairs. It never recurses, and its allocations are bounded by the
//! length of the file, whatever the header claims.

mod document;
mod euler;
mod export;
mod frame_time;
mod import;
mod parse;
mod rewrite;
mod scan;
mod text;
mod write;

pub use document::{BvhDocument, BvhJoint, Channel};
pub use export::{ExportOptions, export, with_motion};
pub use frame_time::exact_frame_time;
pub use import::import;
pub use parse::parse;
pub(crate) use rewrite::{corrected, retimed};
pub(crate) use text::with_clock;
pub use write::write;

#[cfg(test)]
mod tests;
