//! Retiming: gives a flight the number of frames that its path takes; all later frames move in time.
//!
//! ```text
//! T / T_old = √G*                     on the same path, G* the gravity of the flight in g: 12 intervals at 2.2 → 17.80
//! pose(t) = old pose at t0 + (t − t0) T_old / T,   c on the ballistic path for the rounded T
//! ```
//! Specification: mathematics 7.2 (S11, S12); Shapiro, Lee 2011. Files hold whole frames: the number of intervals is rounded and the path is
//! computed for the rounded time, so that gravity is exact. A [`TimeMap`](crate::motion::TimeMap) retimes the clip itself.

/// Number of intervals that a flight of `intervals` intervals needs so that its gravity `gravity` (in g) becomes 1: the exact number and the whole
/// number. `None` if the result is below two intervals, not finite, or more than a hundred times `intervals`.
pub(crate) fn right_intervals(intervals: usize, gravity: f64) -> Option<(f64, usize)> {
    let exact = intervals as f64 * libm::sqrt(gravity);
    let sound = exact.is_finite() && exact >= 1.5 && exact <= 100.0 * intervals as f64;
    sound.then(|| (exact, libm::round(exact) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::ballistic::{Loss, fit_gravity};
    use crate::correction::Scope;
    use crate::correction::follow_path::{mass_centers, move_along_path};
    use crate::correction::path::BallisticPath;
    use crate::motion::TimeMap;
    use crate::samples;
    use glam::DVec3;

    #[test]
    fn s11_twelve_intervals_at_2_2_g_become_17_799() {
        let (exact, whole) = right_intervals(12, 2.2).unwrap();
        assert!((exact - 17.799).abs() < 5e-4 && whole == 18);
        for (intervals, gravity) in [(12, 0.0), (12, -1.0), (12, f64::NAN), (3, 0.1), (2, 1e9)] {
            assert!(right_intervals(intervals, gravity).is_none());
        }
    }

    #[test]
    fn s11_a_flight_that_plays_too_fast_gets_its_ends_its_time_and_one_g() {
        let (character, slow) = (samples::humanoid(), samples::jump());
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        // The jump's flight, told with two frames of three: 2.25 g.
        let flight = crate::analysis::analyze(&character, &slow, &Default::default()).flights[0].span;
        let (first, last) = (flight.first, flight.first + (flight.last - flight.first) / 3 * 3);
        let fast = TimeMap::stretched(slow.frames(), first, last, (last - first) / 3 * 2).unwrap().apply(&slow);
        let end = first + (last - first) / 3 * 2;
        let centers = mass_centers(&character, &fast);
        let shown = fit_gravity(&centers[first..=end], fast.frame_time, Loss::Squares, 0).unwrap();
        let measured = shown.in_units_of(gravity).0;
        assert!((measured - 2.25).abs() < 0.02, "{measured}");
        let (exact, whole) = right_intervals(end - first, measured).unwrap();
        assert!((exact - (last - first) as f64).abs() < 0.2 && whole == last - first);
        let mut fixed = TimeMap::stretched(fast.frames(), first, end, whole).unwrap().apply(&fast);
        let seconds = whole as f64 * fixed.frame_time;
        let path = BallisticPath::between(centers[first], centers[end], seconds, gravity);
        let everything = Scope::all(0..fixed.frames());
        move_along_path(&character, &mut fixed, first, &path.frames(whole), &everything).unwrap();
        let after = mass_centers(&character, &fixed);
        assert!((after[first] - centers[first]).length() < 1e-12 && (after[last] - centers[end]).length() < 1e-12);
        let refit = fit_gravity(&after[first..=last], fixed.frame_time, Loss::Squares, 0).unwrap();
        assert!((refit.in_units_of(gravity).0 - 1.0).abs() < 1e-9);
        // The original slow jump is the second reference.
        for frame in first..=last {
            assert!((mass_centers(&character, &slow)[frame] - after[frame]).length() < 1e-3);
        }
    }

    #[test]
    fn s12_frames_outside_the_flight_are_shifted_as_they_are() {
        let clip = samples::jump();
        let longer = TimeMap::stretched(clip.frames(), 10, 20, 12).unwrap().apply(&clip);
        assert_eq!(longer.frames(), clip.frames() + 2);
        for bone in 0..clip.bones() {
            for frame in 0..=10 {
                assert_eq!(longer.rotation(bone, frame), clip.rotation(bone, frame));
            }
            for frame in 20..clip.frames() {
                assert_eq!(longer.rotation(bone, frame + 2), clip.rotation(bone, frame));
                assert_eq!(longer.translation(bone, frame + 2), clip.translation(bone, frame));
            }
        }
        assert_eq!(TimeMap::identity(clip.frames()).apply(&clip), clip);
    }
}
