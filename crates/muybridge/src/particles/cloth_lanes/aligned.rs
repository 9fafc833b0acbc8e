//! f32 numbers aligned to a cache line: a vector of 16 f32 fills one line, and a vector across two lines costs twice.

use core::ops::{Deref, DerefMut};

/// A fixed number of f32, aligned to a cache line.
#[derive(Debug)]
pub(super) struct Aligned {
    numbers: Vec<f32>,
    start: usize,
    length: usize,
}

/// Number of f32 in a cache line.
const LINE: usize = 16;

impl Aligned {
    /// Copies `numbers` into aligned memory.
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
