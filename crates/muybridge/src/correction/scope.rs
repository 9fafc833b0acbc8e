//! Scope of a correction: the frames and bones that a tool may change, and its strength.

use core::ops::Range;

/// Frames, bones and strength of a correction.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// Frames whose poses may change.
    pub frames: Range<usize>,
    /// Protected bones, whose local rotation and translation may not change; one flag per bone, missing flags mean unprotected.
    pub protected: Vec<bool>,
    /// Strength from 0 (nothing changes) to 1 (the whole correction).
    pub strength: f64,
}

impl Scope {
    /// Scope of all bones in `frames`, at full strength.
    pub fn all(frames: Range<usize>) -> Self {
        Self { frames, protected: Vec::new(), strength: 1.0 }
    }

    /// Restricts the scope to frames that also lie in `frames`.
    pub(crate) fn within(&self, frames: Range<usize>) -> Self {
        let start = frames.start.max(self.frames.start);
        let frames = start..frames.end.min(self.frames.end).max(start);
        Self { frames, ..self.clone() }
    }

    /// True if the local transform of `bone` may change.
    pub(crate) fn allows(&self, bone: usize) -> bool {
        !self.protected.get(bone).copied().unwrap_or(false)
    }
}
