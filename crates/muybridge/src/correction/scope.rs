//! What a tool may touch: the artist's own stays the artist's.

use core::ops::Range;

/// Frames, bones and strength of a correction.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The only frames whose poses may change.
    pub frames: Range<usize>,
    /// Bones whose local rotation and translation may not change, one flag per bone; shorter lists protect nothing more.
    pub protected: Vec<bool>,
    /// From 0 (nothing changes) to 1 (the whole correction).
    pub strength: f64,
}

impl Scope {
    /// Everything in `frames`, at full strength.
    pub fn all(frames: Range<usize>) -> Self {
        Self { frames, protected: Vec::new(), strength: 1.0 }
    }

    /// The same for the frames that `frames` shares with it.
    pub fn within(&self, frames: Range<usize>) -> Self {
        let start = frames.start.max(self.frames.start);
        let frames = start..frames.end.min(self.frames.end).max(start);
        Self { frames, ..self.clone() }
    }

    /// Whether the local transform of `bone` may change.
    pub fn allows(&self, bone: usize) -> bool {
        !self.protected.get(bone).copied().unwrap_or(false)
    }
}
