//! Rounding of the root's positions: keys in single precision far from the origin, or a text of whole units.
//!
//! ```text
//! single precision   q = 2^(e − 23) for 2^e ≤ |x| < 2^(e+1), where every position is such a number
//! whole units        x_{k+1} − x_k = n_k q, the least step; Σ Δn_k · Δn_{k+1} < −0.3 Σ Δn_k²
//! ```
//! Steps of one length alone are no rounding: a root that moves evenly, or falls, has such steps too. Rounding makes
//! neighboring second differences alternate, as noise does.

use super::Examined;
use super::jitter::alternation;
use crate::character::Role;

/// Fewest steps of an axis that show a rounding.
const FEWEST_STEPS: usize = 12;

/// The length to which the positions of the root, or of a bone from it to the hips, are rounded, meters; 0 if it is less than `least` or not seen.
pub(crate) fn rounding(clip: &Examined<'_>, least: f64) -> f64 {
    let bones = clip.character.skeleton.bones();
    let mut bone = clip.character.bone_of(Role::Hips).or((!bones.is_empty()).then_some(0));
    let mut coarsest = 0.0_f64;
    while let Some(at) = bone {
        for axis in 0..3 {
            let track = &clip.world.position_track(at, axis)[clip.range.0..clip.range.1];
            coarsest = coarsest.max(of_track(track, least));
        }
        bone = bones[at].parent;
    }
    coarsest
}

fn of_track(track: &[f64], least: f64) -> f64 {
    let farthest = track.iter().fold(0.0_f64, |farthest, x| farthest.max(x.abs()));
    let single = f64::from((farthest as f32).next_up()) - f64::from(farthest as f32);
    if single > least && track.iter().all(|x| f64::from(*x as f32) == *x) {
        return single;
    }
    let exact = 1e-9 + 1e-13 * farthest;
    let steps = || track.windows(2).map(|pair| pair[1] - pair[0]);
    let unit = steps().map(f64::abs).filter(|step| *step > exact).fold(f64::INFINITY, f64::min);
    if unit <= least || unit.is_infinite() {
        return 0.0;
    }
    let is_multiple = |step: f64| (step - unit * libm::round(step / unit)).abs() < 1e-3 * unit + 4.0 * exact;
    let moving = steps().filter(|step| step.abs() > exact).count();
    let mut sum = 0.0;
    let places = core::iter::once(0.0).chain(steps().map(|step| {
        sum += libm::round(step / unit);
        sum
    }));
    let (product, power) = alternation(&places.collect::<Vec<f64>>());
    if moving >= FEWEST_STEPS && steps().all(is_multiple) && product < -0.3 * power { unit } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::of_track;

    fn track(of: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..240).map(|frame| of(f64::from(frame) / 120.0)).collect()
    }

    #[test]
    fn the_spacing_of_single_precision_far_away_is_the_rounding() {
        // Between 2^19 and 2^20 meters a number of 24 bits is a multiple of 2^-4 m.
        let walk = |time: f64| 1e6 - 30.0 + 1.3 * time + 0.02 * libm::sin(9.0 * time);
        assert_eq!(of_track(&track(|time| f64::from(walk(time) as f32)), 0.007), 0.0625);
        assert_eq!(of_track(&track(|_| 1e6), 0.007), 0.0625, "a way that is shorter than the spacing");
        assert_eq!(of_track(&track(|time| f64::from((walk(time) - 1e6) as f32)), 0.007), 0.0);
        let whole_centimeters = track(|time| 0.01 * libm::round(100.0 * (walk(time) - 1e6)));
        assert!((of_track(&whole_centimeters, 0.007) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn an_even_motion_and_a_fall_are_not_rounded() {
        assert_eq!(of_track(&track(|time| 120.0 * 0.05 * time), 0.007), 0.0);
        // The same with six digits.
        assert_eq!(of_track(&track(|time| 1e-4 * libm::round(1e4 * 120.0 * 0.052_544_7 * time)), 0.007), 0.0);
        assert_eq!(of_track(&track(|time| 14400.0 * 0.01 * time * time), 0.007), 0.0);
        assert_eq!(of_track(&track(|_| 3.0), 0.007), 0.0);
    }
}
