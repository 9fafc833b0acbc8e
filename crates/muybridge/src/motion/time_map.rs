//! Time maps: the source position in the old clip of each frame of a retimed clip.
//!
//! ```text
//! source: new frame k ↦ position in frames of the old clip;  source(0) = 0, strictly increasing, source(last) = old last
//! inverse: piecewise linear between the frames, slope 1 outside them
//! ```
//! A stretch is *rigid* if frames follow each other as before: `source(k) = whole`, `source(k + 1) = source(k) + 1`.
//! The frames between two rigid stretches are a changed [`RetimedSpan`].

use thiserror::Error;

use super::{Clip, sample};

/// Largest distance from a frame at which a position counts as that frame, as in [`sample`].
const ON_FRAME: f64 = 1e-6;

/// Reasons why positions are not a time map.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum TimeMapError {
    /// The map has no frames.
    #[error("a retimed clip needs at least one frame")]
    Empty,
    /// The first position is not frame 0 of the old clip.
    #[error("a retimed clip begins with frame 0 of the old one, not with {position}")]
    Start {
        /// Given position, frames of the old clip.
        position: f64,
    },
    /// The last position is not a whole frame of the old clip.
    #[error("a retimed clip ends with a whole frame of the old one, not with {position}")]
    End {
        /// Given position, frames of the old clip.
        position: f64,
    },
    /// A position is not after the one before.
    #[error("frame {frame} of a retimed clip does not come after the frame before it")]
    Order {
        /// Frame of the new clip.
        frame: usize,
    },
}

/// Time map: position of each frame of a retimed clip in the old clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeMap {
    source: Vec<f64>,
}

/// A retimed span: first and last frame in the old and in the new clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetimedSpan {
    /// First and last frame in the old clip; both exist in the new clip, too.
    pub old: (usize, usize),
    /// The same first and last frame, counted in the new clip.
    pub new: (usize, usize),
}

impl TimeMap {
    /// Builds a map from positions in frames of the old clip, one per new frame. Fails if they are not a time map.
    pub fn new(source: Vec<f64>) -> Result<Self, TimeMapError> {
        let (Some(&first), Some(&last)) = (source.first(), source.last()) else { return Err(TimeMapError::Empty) };
        if first != 0.0 {
            return Err(TimeMapError::Start { position: first });
        }
        if let Some(before) = source.windows(2).position(|pair| !(pair[1] > pair[0] && pair[1].is_finite())) {
            return Err(TimeMapError::Order { frame: before + 1 });
        }
        if last != last.round() {
            return Err(TimeMapError::End { position: last });
        }
        Ok(Self { source })
    }

    /// The identity map.
    pub fn identity(frames: usize) -> Self {
        Self { source: (0..frames.max(1)).map(|frame| frame as f64).collect() }
    }

    /// A map that spreads frames `first..=last` of `frames` evenly over `intervals`; later frames follow as before. A
    /// span that is empty or beyond the clip gives [`TimeMapError::Order`].
    pub fn stretched(frames: usize, first: usize, last: usize, intervals: usize) -> Result<Self, TimeMapError> {
        if !(first < last && last < frames && intervals > 0) {
            return Err(TimeMapError::Order { frame: first });
        }
        let length = (last - first) as f64 / intervals as f64;
        let inside = (0..intervals).map(|k| first as f64 + k as f64 * length);
        Self::new((0..first).map(|k| k as f64).chain(inside).chain((last..frames).map(|k| k as f64)).collect())
    }

    /// A map that spreads the frames of several spans `(first, last, intervals)` evenly, in order of time and without overlap; what
    /// is no such span is left out. The same as one [`TimeMap::stretched`] after another, in one pass.
    pub(crate) fn with_stretches(frames: usize, spans: impl Iterator<Item = (usize, usize, usize)>) -> Self {
        let identity = Self::identity(frames);
        let (mut source, mut from) = (Vec::with_capacity(frames), 0);
        for (first, last, intervals) in spans {
            if !(from <= first && first < last && last < frames && intervals > 0) {
                continue;
            }
            source.extend((from..first).map(|k| k as f64));
            let length = (last - first) as f64 / intervals as f64;
            source.extend((0..intervals).map(|k| identity.source_at(first as f64 + k as f64 * length)));
            from = last;
        }
        source.extend((from..frames.max(1)).map(|k| k as f64));
        Self { source }
    }

    /// Number of frames of the new clip, at least 1.
    pub fn frames(&self) -> usize {
        self.source.len()
    }

    /// Number of frames of the old clip.
    pub(crate) fn old_frames(&self) -> usize {
        self.source[self.source.len() - 1] as usize + 1
    }

    /// Position of a new frame, in frames of the old clip.
    pub fn source(&self, frame: usize) -> f64 {
        self.source[frame]
    }

    /// The old frame that a new frame coincides with; `None` if it lies between two.
    pub fn old_frame(&self, frame: usize) -> Option<usize> {
        let at = self.source[frame];
        ((at - at.round()).abs() < ON_FRAME).then_some(at.round() as usize)
    }

    /// Converts a position in frames of the old clip to frames of the new clip.
    pub fn inverse(&self, old: f64) -> f64 {
        let last = self.source.len() - 1;
        if old <= 0.0 || last == 0 {
            return old;
        }
        if old >= self.source[last] {
            return last as f64 + (old - self.source[last]);
        }
        let after = self.source.partition_point(|&position| position <= old);
        let (low, high) = (self.source[after - 1], self.source[after]);
        (after - 1) as f64 + (old - low) / (high - low)
    }

    /// Converts the span `first..=last` of the old clip to the nearest frames of the new clip.
    pub fn span(&self, (first, last): (usize, usize)) -> (usize, usize) {
        let place = |frame: usize| libm::round(self.inverse(frame as f64)).max(0.0) as usize;
        (place(first), place(last))
    }

    /// Composes this map with `later`. Panics if `later` is for a clip of another length.
    pub fn then(&self, later: &Self) -> Self {
        assert_eq!(self.frames(), later.old_frames(), "a map for a clip of another length");
        Self { source: later.source.iter().map(|&position| self.source_at(position)).collect() }
    }

    /// Position in frames of the old clip of a position in frames of the new clip.
    pub(crate) fn source_at(&self, position: f64) -> f64 {
        let last = self.source.len() - 1;
        let before = (position.floor() as usize).min(last);
        let part = position - before as f64;
        let after = self.source[(before + 1).min(last)];
        let source = self.source[before] * (1.0 - part) + after * part;
        if (source - source.round()).abs() < 1e-9 { source.round() } else { source }
    }

    /// Whether the map leaves every frame unchanged.
    pub fn is_identity(&self) -> bool {
        self.spans().is_empty()
    }

    /// Retimed spans, in order.
    pub fn spans(&self) -> Vec<RetimedSpan> {
        let mut spans: Vec<RetimedSpan> = Vec::new();
        for frame in 1..self.source.len() {
            let (before, here) = (self.old_frame(frame - 1), self.old_frame(frame));
            if before.is_some() && before.map(|whole| whole + 1) == here {
                continue;
            }
            match spans.last_mut() {
                Some(span) if span.new.1 == frame - 1 => span.new.1 = frame,
                _ => spans.push(RetimedSpan { old: (0, 0), new: (frame - 1, frame) }),
            }
        }
        for span in &mut spans {
            span.old = (self.source[span.new.0].round() as usize, self.source[span.new.1].round() as usize);
        }
        spans
    }

    /// Applies the map to a clip: whole frames bit for bit, others along the splines of `sample`.
    ///
    /// Panics if the clip does not have `TimeMap::old_frames` frames.
    pub fn apply(&self, clip: &Clip) -> Clip {
        assert_eq!(clip.frames(), self.old_frames(), "a map for a clip of another length");
        let mut retimed = Clip::new(clip.bones(), self.frames(), clip.frame_time).expect("a clip with other times");
        retimed.name.clone_from(&clip.name);
        retimed.start_time = clip.start_time;
        for frame in 0..self.frames() {
            let at = self.old_frame(frame).map_or(self.source[frame], |whole| whole as f64);
            for bone in 0..clip.bones() {
                retimed.set_rotation(bone, frame, sample::rotation_at(clip, bone, at));
                retimed.set_translation(bone, frame, sample::translation_at(clip, bone, at));
            }
        }
        retimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn ten_intervals_become_sixteen_and_later_frames_follow_rigidly() {
        let map = TimeMap::stretched(31, 10, 20, 16).unwrap();
        assert_eq!((map.frames(), map.old_frames()), (37, 31));
        assert_eq!(map.spans(), [RetimedSpan { old: (10, 20), new: (10, 26) }]);
        assert_eq!((map.source(10), map.source(18), map.source(26), map.source(36)), (10.0, 15.0, 20.0, 30.0));
        for old in [0.0, 3.25, 10.0, 12.5, 19.99, 20.0, 27.75, 30.0] {
            let new = map.inverse(old);
            let expected = if old <= 10.0 { old } else { (10.0 + (old - 10.0) * 1.6).min(old + 6.0) };
            assert!((new - expected).abs() < 1e-12, "{old} {new} {expected}");
        }
        assert_eq!((map.inverse(-2.0), map.inverse(33.5)), (-2.0, 39.5));
    }

    #[test]
    fn many_stretches_in_one_pass_are_one_stretch_after_another() {
        let spans = [(3, 9, 5), (9, 20, 17), (24, 25, 3), (40, 52, 12), (60, 67, 1)];
        let mut one_by_one = TimeMap::identity(80);
        for &(first, last, intervals) in spans.iter().rev() {
            one_by_one = one_by_one.then(&TimeMap::stretched(one_by_one.frames(), first, last, intervals).unwrap());
        }
        assert_eq!(TimeMap::with_stretches(80, spans.into_iter()), one_by_one);
        let senseless = [(5, 5, 3), (70, 80, 4), (3, 4, 0)];
        assert!(TimeMap::with_stretches(80, senseless.into_iter()).is_identity());
    }

    #[test]
    fn maps_one_after_the_other_are_one_map() {
        let first = TimeMap::stretched(10, 3, 6, 6).unwrap();
        let second = TimeMap::stretched(13, 3, 9, 3).unwrap();
        assert!(first.then(&second).is_identity());
        assert_eq!(first.span((3, 6)), (3, 9));
        assert_eq!(first.then(&TimeMap::identity(13)), first);
        let third = TimeMap::stretched(13, 10, 12, 4).unwrap();
        assert_eq!(first.then(&third).spans().len(), 2);
    }

    #[test]
    fn a_map_that_changes_nothing_has_no_spans_and_gives_the_clip_back() {
        let mut clip = Clip::new(1, 5, 0.1).unwrap();
        (0..5).for_each(|f| clip.set_translation(0, f, DVec3::new(f as f64, 0.1, -0.0)));
        let map = TimeMap::identity(5);
        assert!(map.is_identity() && map.spans().is_empty());
        assert_eq!(map.apply(&clip), clip);
    }

    #[test]
    fn a_parabola_played_slower_is_a_parabola_at_the_new_times() {
        let mut clip = Clip::new(1, 31, 1.0 / 30.0).unwrap();
        let height = |u: f64| 1.0 + 0.2 * u - 0.01 * u * u;
        (0..31).for_each(|f| clip.set_translation(0, f, DVec3::new(0.0, height(f as f64), 0.0)));
        let map = TimeMap::stretched(31, 10, 20, 13).unwrap();
        let slow = map.apply(&clip);
        assert_eq!(slow.frames(), 34);
        for frame in 0..slow.frames() {
            assert!((slow.translation(0, frame).y - height(map.source(frame))).abs() < 1e-12);
        }
        assert_eq!(slow.translation(0, 33), clip.translation(0, 30));
    }

    #[test]
    fn positions_out_of_order_are_refused() {
        assert_eq!(TimeMap::new(vec![]), Err(TimeMapError::Empty));
        assert_eq!(TimeMap::new(vec![0.5, 1.0]), Err(TimeMapError::Start { position: 0.5 }));
        assert_eq!(TimeMap::new(vec![0.0, 2.0, 2.0]), Err(TimeMapError::Order { frame: 2 }));
        assert!(TimeMap::new(vec![0.0, f64::NAN, 2.0]).is_err());
        assert_eq!(TimeMap::new(vec![0.0, 1.5]), Err(TimeMapError::End { position: 1.5 }));
        assert!(TimeMap::stretched(10, 4, 12, 3).is_err());
    }
}
