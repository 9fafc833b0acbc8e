//! Where the frames of a retimed clip come from.
//!
//! Frame `k` of the new clip shows what the old one showed at the position `source(k)`, in frames. Where positions are
//! whole, frames are taken over as they are; between them poses are sampled.

use thiserror::Error;

/// Why a list of positions is not a time map.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TimeMapError {
    /// No frames.
    #[error("a time map without frames")]
    Empty,
    /// The positions do not rise, or are not numbers of 0 or more.
    #[error("frame {frame} of the retimed clip does not come after the frame before it")]
    NotRising {
        /// The first frame at fault.
        frame: usize,
    },
}

/// Positions in the old clip, in frames, one per frame of the new clip; strictly rising.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeMap {
    sources: Vec<f64>,
}

/// Frames that do not follow each other as before: first and last, in the old and in the new clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First and last frame in the old clip.
    pub old: (usize, usize),
    /// The same two in the new clip.
    pub new: (usize, usize),
}

/// How near to a frame a position is that frame, as in [`super::sample`].
const ON_FRAME: f64 = 1e-6;

impl TimeMap {
    /// Checks that the positions are numbers of 0 or more and rise.
    pub fn new(sources: Vec<f64>) -> Result<Self, TimeMapError> {
        let Some(&first) = sources.first() else { return Err(TimeMapError::Empty) };
        if !(first.is_finite() && first >= 0.0) {
            return Err(TimeMapError::NotRising { frame: 0 });
        }
        match (1..sources.len()).find(|&k| !(sources[k].is_finite() && sources[k] > sources[k - 1])) {
            Some(frame) => Err(TimeMapError::NotRising { frame }),
            None => Ok(Self { sources }),
        }
    }

    /// Every frame from itself.
    pub fn identity(frames: usize) -> Self {
        Self { sources: (0..frames).map(|frame| frame as f64).collect() }
    }

    /// The frames `first..=last` of a clip of `frames` spread over `intervals` intervals instead of `last − first`; what
    /// comes later follows unchanged. Panics unless `first < last < frames` and `intervals` is at least 1.
    pub fn stretched(frames: usize, first: usize, last: usize, intervals: usize) -> Self {
        assert!(first < last && last < frames && intervals > 0, "frames {first}..={last} of {frames} in {intervals}");
        let before = (0..first).map(|frame| frame as f64);
        let pace = (last - first) as f64 / intervals as f64;
        let within = (0..intervals).map(|k| first as f64 + k as f64 * pace);
        let after = (last..frames).map(|frame| frame as f64);
        Self { sources: before.chain(within).chain(after).collect() }
    }

    /// Frames of the new clip, at least 1.
    pub fn frames(&self) -> usize {
        self.sources.len()
    }

    /// Where frame `frame` of the new clip is in the old one, in frames.
    pub fn source(&self, frame: usize) -> f64 {
        self.sources[frame]
    }

    /// The frame of the old clip that frame `frame` of the new one is; `None` if it lies between two.
    pub fn whole(&self, frame: usize) -> Option<usize> {
        let (at, near) = (self.sources[frame], libm::round(self.sources[frame]));
        ((at - near).abs() < ON_FRAME).then_some(near as usize)
    }

    /// The stretches whose frames do not follow each other as before, in order; whole frames at both ends of each, as far
    /// as the first and the last position are whole.
    pub fn spans(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for frame in 1..self.sources.len() {
            let (before, here) = (self.whole(frame - 1), self.whole(frame));
            if before.is_some() && before.map(|whole| whole + 1) == here {
                continue;
            }
            match spans.last_mut() {
                Some(span) if span.new.1 == frame - 1 => span.new.1 = frame,
                _ => spans.push(Span { old: (0, 0), new: (frame - 1, frame) }),
            }
        }
        let old = |frame: usize| libm::round(self.sources[frame]) as usize;
        spans.iter_mut().for_each(|span| span.old = (old(span.new.0), old(span.new.1)));
        spans
    }

    /// Where a position of the old clip is in the new one, in frames: straight between frames, at the old pace outside.
    pub fn inverse(&self, position: f64) -> f64 {
        let after = self.sources.partition_point(|&source| source < position);
        let last = self.sources.len() - 1;
        if after > last {
            return last as f64 + position - self.sources[last];
        }
        if after == 0 {
            return position - self.sources[0];
        }
        let (a, b) = (self.sources[after - 1], self.sources[after]);
        if position == b { after as f64 } else { (after - 1) as f64 + (position - a) / (b - a) }
    }

    /// Where the frames `first..=last` of the old clip are in the new one, to the nearest frame.
    pub fn span(&self, (first, last): (usize, usize)) -> (usize, usize) {
        let place = |frame: usize| libm::round(self.inverse(frame as f64)).max(0.0) as usize;
        (place(first), place(last))
    }

    /// The map of a clip retimed by `self` and then by `later`.
    pub fn then(&self, later: &Self) -> Self {
        let last = self.sources.len() - 1;
        let at = |position: f64| {
            let before = (position.floor() as usize).min(last);
            let part = position - before as f64;
            if part == 0.0 || before == last {
                self.sources[before] + part
            } else {
                self.sources[before] * (1.0 - part) + self.sources[before + 1] * part
            }
        };
        Self { sources: later.sources.iter().map(|&position| at(position)).collect() }
    }

    /// True if every frame comes from itself, for an old clip of `frames`.
    pub fn is_identity(&self, frames: usize) -> bool {
        self.sources.len() == frames && self.sources.iter().enumerate().all(|(frame, &source)| source == frame as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_span_keeps_its_ends_and_what_follows_keeps_its_spacing() {
        let map = TimeMap::stretched(10, 3, 6, 5);
        let sources: Vec<f64> = (0..map.frames()).map(|k| map.source(k)).collect();
        assert_eq!(&sources[..4], [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(&sources[8..], [6.0, 7.0, 8.0, 9.0]);
        for (k, source) in sources[3..9].iter().enumerate() {
            assert!((source - (3.0 + 0.6 * k as f64)).abs() < 1e-15);
        }
        for (frame, &source) in sources.iter().enumerate() {
            assert!((map.inverse(source) - frame as f64).abs() < 1e-14);
        }
        assert!((map.inverse(4.5) - 5.5).abs() < 1e-14);
        assert_eq!((map.inverse(-1.0), map.inverse(12.0)), (-1.0, 14.0));
        assert!(TimeMap::stretched(10, 3, 6, 3).is_identity(10) && TimeMap::identity(10).is_identity(10));
    }

    #[test]
    fn the_spans_of_a_map_are_what_it_stretches() {
        let map = TimeMap::stretched(40, 20, 24, 6).then(&TimeMap::stretched(42, 3, 9, 4));
        assert_eq!(map.spans(), [Span { old: (3, 9), new: (3, 7) }, Span { old: (20, 24), new: (18, 24) }]);
        assert_eq!((map.whole(5), map.whole(6), map.whole(39)), (Some(6), None, Some(39)));
        assert_eq!(TimeMap::identity(9).spans(), []);
    }

    #[test]
    fn maps_one_after_the_other_are_one_map() {
        let (first, second) = (TimeMap::stretched(10, 3, 6, 6), TimeMap::stretched(13, 3, 9, 3));
        let both = first.then(&second);
        assert!(both.is_identity(10), "{both:?}");
        assert_eq!(first.span((3, 6)), (3, 9));
        assert_eq!(TimeMap::stretched(10, 3, 6, 6).then(&TimeMap::identity(13)), first);
    }

    #[test]
    fn x14_positions_that_do_not_rise_are_no_map() {
        assert_eq!(TimeMap::new(vec![]).unwrap_err(), TimeMapError::Empty);
        assert_eq!(TimeMap::new(vec![0.0, 1.0, 1.0]).unwrap_err(), TimeMapError::NotRising { frame: 2 });
        assert_eq!(TimeMap::new(vec![f64::NAN]).unwrap_err(), TimeMapError::NotRising { frame: 0 });
    }
}
