//! Bounds of a correction: how far the root may move and a bone may turn, against the original at the same phase.
//!
//! A frame k of the corrected clip shows the original at the time `map(k)`. The change is measured there, as a viewer sees it: the way and the
//! rotation of the root in its parent, and the rotation of every other bone against the root.
//!
//! ```text
//! R_b = R_parent(b) q_b,   R_root = 1;      turn of b = |log (R'_b R_b⁻¹)|
//! ```
//!
//! The angle of a joint alone says little: a leg of two bones a is shorter by a φ²/4 if a straight knee bends by φ. One centimeter of a leg of
//! 0.9 m asks for 17°, which turn thigh and shin by 8.5° each. A request of the user (a height, a duration, a spin, displaced ends) is measured from
//! its result, since it is asked for.

use core::ops::Range;

use glam::DQuat;

use crate::character::{Character, Skeleton};
use crate::math::rotation::log;
use crate::motion::sample::{rotation_at, translation_at};
use crate::motion::{Clip, TimeMap};

use super::RootBone;
use super::planted_limbs::below;

/// Bounds of the change that a correction makes without being asked for more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Largest displacement of the root in any frame, meters.
    pub shift: f64,
    /// Largest rotation of any bone against the root, and of the root, in any frame, radians.
    pub turn: f64,
    /// Least gravity that a flight must show to be corrected, in units of the reference gravity: below it, the contacts are doubted first. Flights
    /// that the user marks are not doubted.
    pub least_gravity: f64,
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
        let source = |frame: usize| self.map.source_at(map.source(frame));
        beyond(skeleton, (&self.clip, corrected, &source), (frames, &self.root), (bounds, ankles))
    }
}

fn beyond(
    skeleton: &Skeleton,
    (original, corrected, source): (&Clip, &Clip, &dyn Fn(usize) -> f64),
    (frames, root): (Range<usize>, &[usize]),
    (bounds, ankles): (&Bounds, &[usize]),
) -> Option<String> {
    let mut may_turn = vec![bounds.turn; corrected.bones()];
    for &ankle in ankles {
        // A foot that lifts its toe or heel out of the floor takes its toes along.
        let carried = below(skeleton, ankle).into_iter().zip(&mut may_turn);
        carried.filter(|(is_carried, _)| *is_carried).for_each(|(_, most)| *most = bounds.turn.max(MOST_ANKLE_TURN));
    }
    let (mut shift, mut turn, mut turned) = (0.0_f64, 0.0_f64, None);
    for frame in frames.start..frames.end.min(corrected.frames()) {
        let at = source(frame);
        for (bone, angle) in turns(skeleton, (original, at), (corrected, frame), root).into_iter().enumerate() {
            // Of bones that turn alike, the first is the one whose joint bends.
            if angle > turn * (1.0 + ROUNDING) && angle > may_turn[bone] * (1.0 + ROUNDING) {
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

/// How far every bone is turned in a frame of the corrected clip, against the original at the time `at` (frames), radians: the bones of `root` in
/// their parents, every other bone against the root.
pub(super) fn turns(
    skeleton: &Skeleton,
    (original, at): (&Clip, f64),
    (corrected, frame): (&Clip, usize),
    root: &[usize],
) -> Vec<f64> {
    let (mut old, mut new) = (Vec::with_capacity(skeleton.len()), Vec::with_capacity(skeleton.len()));
    let turn = |bone: usize| {
        let (before, after) = (rotation_at(original, bone, at), corrected.rotation(bone, frame));
        if root.contains(&bone) {
            old.push(DQuat::IDENTITY);
            new.push(DQuat::IDENTITY);
            return log(after * before.conjugate()).length();
        }
        let parent = skeleton.bones()[bone].parent;
        let against_root = |poses: &[DQuat], own: DQuat| parent.map_or(own, |parent| poses[parent] * own);
        let (before, after) = (against_root(&old, before), against_root(&new, after));
        old.push(before);
        new.push(after);
        log(after * before.conjugate()).length()
    };
    (0..skeleton.len()).map(turn).collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::character::{Role, Side};
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
    fn a_knee_that_bends_by_24_degrees_turns_thigh_and_shin_by_12_and_a_root_that_turns_takes_all_along() {
        let (character, walk) = (samples::humanoid(), samples::walk());
        let skeleton = &character.skeleton;
        let bone = |role| character.bone_of(role).unwrap();
        let (root, thigh) = (bone(Role::Hips), bone(Role::UpperLeg(Side::Left)));
        let (shin, foot) = (bone(Role::LowerLeg(Side::Left)), bone(Role::Foot(Side::Left)));
        let parents = [shin, foot].map(|bone| skeleton.bones()[bone].parent);
        assert_eq!(parents, [Some(thigh), Some(shin)]);
        let mut bent = walk.clone();
        // Thigh and shin turn by 12° about one axis of the hips, to either side; the foot keeps its direction.
        let lean = DQuat::from_rotation_x(12_f64.to_radians());
        let above = walk.rotation(thigh, 0);
        let knee = above * walk.rotation(shin, 0);
        bent.set_rotation(thigh, 0, lean * above);
        bent.set_rotation(shin, 0, (lean * above).conjugate() * lean.conjugate() * knee);
        let ankle = knee.conjugate() * lean * knee;
        bent.set_rotation(foot, 0, ankle * walk.rotation(foot, 0));
        bent.set_rotation(root, 0, walk.rotation(root, 0) * DQuat::from_rotation_y(0.2));
        let found = turns(skeleton, (&walk, 0.0), (&bent, 0), &[root]);
        for (bone, degrees) in [(thigh, 12.0), (shin, 12.0), (foot, 0.0), (root, 0.2_f64.to_degrees())] {
            assert!((found[bone].to_degrees() - degrees).abs() < 1e-6, "{} {}", found[bone].to_degrees(), degrees);
        }
        let joint = log(bent.rotation(shin, 0) * walk.rotation(shin, 0).conjugate()).length();
        assert!((joint.to_degrees() - 24.0).abs() < 1e-6);
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
