//! The analyzed frames of a clip, and velocities inside them.

use glam::DVec3;

/// The analyzed frames of a clip and the time between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frames {
    /// Frames `first..end`.
    pub range: (usize, usize),
    /// Seconds between frames.
    pub time: f64,
}

impl Frames {
    pub(crate) fn all(&self) -> core::ops::Range<usize> {
        self.range.0..self.range.1
    }

    /// Number of frames nearest to `seconds`, at least one.
    pub(crate) fn within(&self, seconds: f64) -> usize {
        libm::round(seconds / self.time).max(1.0) as usize
    }

    /// Velocity of what is `at` a place in each frame, by the difference over `reach` frames to either side inside the range, m/s.
    pub(super) fn velocity(&self, at: impl Fn(usize) -> DVec3, frame: usize, reach: usize) -> DVec3 {
        let (before, after) = (frame.saturating_sub(reach).max(self.range.0), (frame + reach).min(self.range.1 - 1));
        if before == after {
            return DVec3::ZERO;
        }
        (at(after) - at(before)) / ((after - before) as f64 * self.time)
    }

    /// Speeds of a track on ground that moves with `ground` (m/s), one per frame of the clip, m/s; zero outside the range.
    pub(super) fn speeds(&self, track: &[DVec3], reach: usize, ground: DVec3) -> Vec<f64> {
        let mut speeds = vec![0.0; track.len()];
        self.all().for_each(|frame| speeds[frame] = (self.velocity(|f| track[f], frame, reach) - ground).length());
        speeds
    }
}
