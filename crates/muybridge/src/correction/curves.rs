//! The family of ballistic paths between two frames of a clip (S8), and the one nearest to its motion (S6).
//!
//! ```text
//! T_k = T (1/2 + k/(K − 1)),   k = 0 … K − 1      T: the animated time; the path in the middle takes it
//! ```
//! Figure 1 of A. Shapiro, S.-H. Lee (2011) shows such a family between two locators.

use super::path::BallisticPath;
use crate::analysis::Analysis;
use glam::DVec3;

/// Number of paths of a family.
const PATHS: usize = 7;

/// Ballistic paths from the center of mass at one frame to that at a later one.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveFamily {
    /// First frame.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// The paths, the fastest first.
    pub paths: Vec<BallisticPath>,
    /// The free fall nearest to the animated motion between these frames, which meets neither of them exactly.
    pub nearest: BallisticPath,
}

impl CurveFamily {
    /// Seven paths, which take from half to one and a half times as long as the clip from `first` to `last`. `None` if
    /// the center of mass is unknown at one of these frames or between them, or the second is not later.
    pub fn between(analysis: &Analysis, first: usize, last: usize) -> Option<Self> {
        let rows = &analysis.per_frame;
        let center = |frame: usize| rows.mass_center.get(frame).copied().flatten();
        let seconds = rows.time.get(last)? - rows.time.get(first)?;
        let gravity = DVec3::NEG_Y * analysis.gravity;
        if first >= last {
            return None;
        }
        let centers: Vec<DVec3> = (first..=last).map(center).collect::<Option<_>>()?;
        let nearest = BallisticPath::fitted(&centers, seconds / (last - first) as f64, gravity)?;
        let (from, to) = (centers[0], centers[last - first]);
        let paths = BallisticPath::family(from, to, (0.5 * seconds, 1.5 * seconds), PATHS, gravity);
        Some(Self { first, last, paths, nearest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Settings, analyze};
    use crate::samples;

    #[test]
    fn s8_seven_paths_meet_both_frames_and_the_middle_one_takes_the_animated_time() {
        let analysis = analyze(&samples::humanoid(), &samples::jump(), &Settings::default());
        let span = analysis.flights[0].span;
        let family = CurveFamily::between(&analysis, span.first, span.last).unwrap();
        assert_eq!(family.paths.len(), 7);
        assert!((family.paths[3].duration - (span.end - span.start)).abs() < 1e-12);
        let middle = &family.paths[3];
        for (k, path) in family.paths.iter().enumerate() {
            assert!((path.duration / middle.duration - (0.5 + k as f64 / 6.0)).abs() < 1e-12);
            assert_eq!((path.from, path.to), (middle.from, middle.to));
        }
        assert!(CurveFamily::between(&analysis, 9, 9).is_none());
        assert!(CurveFamily::between(&analysis, 9, 100_000).is_none());
    }
}
