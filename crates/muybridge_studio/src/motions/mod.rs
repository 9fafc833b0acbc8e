//! The open motions: documents, their corrections, and how they are written.

mod correct;
mod correction_queue;
mod document;
mod save;

pub use correct::{Ask, CorrectionChoices, CorrectionResult, run_correction};
pub use correction_queue::Bench;
pub use document::{AnalyzedMotion, MotionDocument, Motions};
