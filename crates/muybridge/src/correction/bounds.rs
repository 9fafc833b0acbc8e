//! Bounds of a correction: how far the root may move and a joint may turn, against the original at the same phase.
//!
//! A frame k of the corrected clip shows the original at the time `map(k)`. The change is measured there: the way of the root in its parent, and
//! the angle between the two rotations of each bone. A request of the user (a height, a duration, a spin, displaced ends) is measured from its
//! result, since it is asked for.

use core::ops::Range;

use crate::character::{Character, Skeleton};
use crate::math::rotation::log;
use crate::motion::sample::{rotation_at, translation_at};
use crate::motion::{Clip, TimeMap};

use super::RootBone;

/// Bounds of the change that a correction makes without being asked for more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Largest displacement of the root in any frame, meters.
    pub shift: f64,
    /// Largest rotation of any joint or of the root in any frame, radians.
    pub turn: f64,
    /// Least gravity that a flight must show to be corrected, in units of the reference gravity: below it, the contacts are doubted first. Flights
    /// that the user marks are not doubted.
    pub least_gravity: f64,
}

impl Bounds {
    /// Largest rotation of `bone`, radians: an ankle that lifts a toe or a heel out of the floor may turn by [`MOST_ANKLE_TURN`].
    fn turn_of(&self, bone: usize, ankles: &[usize]) -> f64 {
        if ankles.contains(&bone) { self.turn.max(MOST_ANKLE_TURN) } else { self.turn }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self { shift: 0.10, turn: 15_f64.to_radians(), least_gravity: 0.5 }
    }
}

/// Largest rotation of a foot about its ankle that lifts a dipping toe or heel out of the floor, radians: 40°.
pub(crate) const MOST_ANKLE_TURN: f64 = 40.0 * core::f64::consts::PI / 180.0;

/// Share by which a change may exceed its bound: rounding of files.
const ROUNDING: f64 = 1e-4;

/// The clip that changes are measured from.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    /// The clip before the correction.
    clip: Clip,
    /// Map from frames of the current clip to frames of `clip`.
    map: TimeMap,
    /// Bones that move the whole body.
    root: Vec<usize>,
}

impl Baseline {
    /// Measures changes from `clip`.
    pub(crate) fn new(character: &Character, clip: &Clip) -> Self {
        let root = RootBone::of(character, clip).map_or_else(Vec::new, |root| root.bones().to_vec());
        Self { clip: clip.clone(), map: TimeMap::identity(clip.frames()), root }
    }

    /// Follows a retiming of the current clip.
    pub(crate) fn retime(&mut self, map: &TimeMap) {
        self.map = self.map.then(map);
    }

    /// The sentence about a change beyond the bounds, in some frames of a clip that `map` retimes from the current one; `None` within them. `ankles`
    /// are the bones that may turn farther to lift a toe or a heel out of the floor.
    pub(crate) fn beyond(
        &self,
        skeleton: &Skeleton,
        (corrected, map): (&Clip, &TimeMap),
        frames: Range<usize>,
        (bounds, ankles): (&Bounds, &[usize]),
    ) -> Option<String> {
        let map = self.map.then(map);
        beyond(skeleton, (&self.clip, corrected, &map), (frames, &self.root), (bounds, ankles))
    }
}

fn beyond(
    skeleton: &Skeleton,
    (original, corrected, map): (&Clip, &Clip, &TimeMap),
    (frames, root): (Range<usize>, &[usize]),
    (bounds, ankles): (&Bounds, &[usize]),
) -> Option<String> {
    let (mut shift, mut turn, mut turned) = (0.0_f64, 0.0_f64, None);
    for frame in frames.start..frames.end.min(corrected.frames()) {
        let at = map.source(frame);
        for bone in 0..corrected.bones() {
            let angle = log(corrected.rotation(bone, frame) * rotation_at(original, bone, at).conjugate()).length();
            if angle > turn && angle > bounds.turn_of(bone, ankles) * (1.0 + ROUNDING) {
                (turn, turned) = (angle, Some(bone));
            }
        }
        for &bone in root {
            shift = shift.max((corrected.translation(bone, frame) - translation_at(original, bone, at)).length());
        }
    }
    let far = (shift > bounds.shift * (1.0 + ROUNDING)).then(|| {
        let least = libm::ceil(100.0 * shift) / 100.0;
        format!("move the root by {:.0} cm (--most-shift {least:.2} allows it)", 100.0 * shift)
    });
    let wide = turned.map(|bone| {
        let (name, degrees) = (&skeleton.bones()[bone].name, turn.to_degrees());
        format!("turn {name} by {degrees:.0}° (--most-turn {:.0} allows it)", libm::ceil(degrees))
    });
    let parts: Vec<String> = far.into_iter().chain(wide).collect();
    (!parts.is_empty()).then(|| format!("would {}", parts.join(" and ")))
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::samples;

    #[test]
    fn a_change_beyond_its_bound_is_told_with_the_option_that_allows_it() {
        let (character, walk) = (samples::humanoid(), samples::walk());
        let map = TimeMap::identity(walk.frames());
        let baseline = Baseline::new(&character, &walk);
        let told = |clip: &Clip, bounds: &Bounds, ankles: &[usize]| {
            baseline.beyond(&character.skeleton, (clip, &map), 0..clip.frames(), (bounds, ankles))
        };
        assert_eq!(told(&walk, &Bounds::default(), &[]), None);
        let mut moved = walk.clone();
        moved.set_translation(0, 7, walk.translation(0, 7) + 0.306 * DVec3::Y);
        moved.set_rotation(3, 9, walk.rotation(3, 9) * DQuat::from_rotation_x(0.5));
        let name = &character.skeleton.bones()[3].name;
        let sentence = format!(
            "would move the root by 31 cm (--most-shift 0.31 allows it) and turn {name} by 29° (--most-turn 29 allows it)"
        );
        assert_eq!(told(&moved, &Bounds::default(), &[]), Some(sentence));
        let wide = Bounds { shift: 0.31, ..Bounds::default() };
        assert_eq!(told(&moved, &wide, &[3]), None, "an ankle may turn by 40°");
        assert_eq!(told(&moved, &Bounds { turn: 0.51, ..wide }, &[]), None);
    }

    #[test]
    fn a_change_is_measured_at_the_same_phase() {
        let (character, walk) = (samples::humanoid(), samples::walk());
        let map = TimeMap::stretched(walk.frames(), 40, 80, 55).unwrap();
        let slow = map.apply(&walk);
        let baseline = Baseline::new(&character, &walk);
        let none = Bounds { shift: 1e-6, turn: 1e-6, ..Bounds::default() };
        assert_eq!(baseline.beyond(&character.skeleton, (&slow, &map), 0..slow.frames(), (&none, &[])), None);
    }
}
