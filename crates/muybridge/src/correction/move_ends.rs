//! Moves the ends of a flight: the motion before it moves with its take-off, the motion after it with its landing.
//!
//! ```text
//! d(t) = d_0 + (d_1 − d_0) (t − t_0)/T      within the flight; d_0 before it, d_1 after it
//! ```
//! The shift is linear in time, so a free fall remains a free fall, under the same gravity and in the same time.
//! Specification: mathematics 7.2 (S7).

use glam::DVec3;

use super::{RootBone, Scope};
use crate::character::Character;
use crate::motion::Clip;

/// Moves the body by `ways[0]` (world, meters) up to the frame `first`, by `ways[1]` from the frame `last` on, and interpolates between them. With
/// a strength below 1 it moves by that share. Joint angles, and frames outside the scope, keep their bits. Returns the largest displacement in
/// meters; `None` if the bone that moves the body is protected, or the character has no mass.
pub(crate) fn move_flight_ends(
    character: &Character,
    clip: &mut Clip,
    (first, last): (usize, usize),
    ways: [DVec3; 2],
    scope: &Scope,
) -> Option<f64> {
    let carrier = RootBone::of(character, clip).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)))?;
    let mut longest: f64 = 0.0;
    for frame in scope.within(0..clip.frames()).frames {
        let share = frame.saturating_sub(first) as f64 / (last - first).max(1) as f64;
        let by = scope.strength * ways[0].lerp(ways[1], share.min(1.0));
        if by != DVec3::ZERO {
            carrier.translate(&character.skeleton, clip, frame, by);
            longest = longest.max(by.length());
        }
    }
    Some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Settings, analyze};
    use crate::correction::follow_path::mass_centers;
    use crate::correction::{FixSettings, fix};
    use crate::samples;

    #[test]
    fn s7_a_flight_whose_ends_move_falls_as_before_and_what_is_beside_it_goes_along() {
        let (character, original) = (samples::humanoid(), samples::jump());
        let before = analyze(&character, &original, &Settings::default());
        let (first, last) = (before.flights[0].span.first, before.flights[0].span.last);
        let ways = [DVec3::new(-0.1, 0.0, 0.05), DVec3::new(0.2, 0.1, -0.3)];
        let mut clip = original.clone();
        let scope = Scope::all(0..clip.frames());
        let longest = move_flight_ends(&character, &mut clip, (first, last), ways, &scope).unwrap();
        assert!((longest - ways[1].length()).abs() < 1e-15);
        let (old, new) = (mass_centers(&character, &original), mass_centers(&character, &clip));
        assert!((0..=first).all(|frame| (new[frame] - old[frame] - ways[0]).length() < 1e-13));
        assert!((last..clip.frames()).all(|frame| (new[frame] - old[frame] - ways[1]).length() < 1e-13));
        // Second differences are accelerations: the free fall is unchanged.
        for frame in first + 1..last {
            let fall = |row: &[DVec3]| row[frame + 1] - 2.0 * row[frame] + row[frame - 1];
            assert!((fall(&new) - fall(&old)).length() < 1e-13);
        }
        assert!((0..clip.bones()).all(|bone| {
            (0..4).all(|component| clip.rotation_track(bone, component) == original.rotation_track(bone, component))
        }));
    }

    #[test]
    fn s7_a_correction_places_the_landing_once_and_the_flight_is_still_sound() {
        let (character, original) = (samples::humanoid(), samples::jump());
        let way = DVec3::new(0.05, 0.0, 0.1);
        let wanted = FixSettings { ends: Some([DVec3::ZERO, way]), ..FixSettings::default() };
        let fixed = fix(&character, &original, &Settings::default(), &wanted);
        assert_eq!(fixed.steps.len(), 1, "{:?}", fixed.left);
        let (old, new) = (mass_centers(&character, &original), mass_centers(&character, &fixed.clip));
        let last = fixed.before.flights[0].span.last;
        assert!((new[last] - old[last] - way).length() < 1e-13);
        assert!((fixed.after.flights[0].gravity - fixed.before.flights[0].gravity).abs() < 1e-9);
        assert!(fixed.clip.cut(0, 10) == original.cut(0, 10), "nothing before the flight has moved");
    }
}
