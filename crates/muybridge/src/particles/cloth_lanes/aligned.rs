//! Numbers that begin at the start of a cache line: a vector of 16 f32 is one line, and one across two costs twice.

use core::ops::{Deref, DerefMut};

/// A fixed number of f32.
#[derive(Debug)]
pub(super) struct Aligned {
    numbers: Vec<f32>,
    start: usize,
    length: usize,
}

/// f32 of a cache line.
const LINE: usize = 16;

impl Aligned {
    /// A copy of `numbers`.
    pub(super) fn new(numbers: &[f32]) -> Self {
        let mut room = vec![0.0; numbers.len() + LINE];
        let start = room.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        room[start..start + numbers.len()].copy_from_slice(numbers);
        Self { numbers: room, start, length: numbers.len() }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers[self.start..self.start + self.length]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..self.start + self.length]
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        Self::new(self)
    }
}
