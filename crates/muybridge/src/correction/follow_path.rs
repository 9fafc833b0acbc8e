//! Moves the body along a path: it is translated as a whole until its center of mass is on the path.
//!
//! ```text
//! Δ_n = r(t_n) − c_n,   root_n ← root_n + Δ_n            c moves by exactly Δ_n, the pose is unchanged
//! ```
//! Specification: mathematics 7.2 (S10); Shapiro, Lee 2011.

use core::ops::Range;

use glam::DVec3;

use super::{RootBone, Scope};
use crate::analysis::momentum::BodyMotion;
use crate::character::Character;
use crate::motion::{Clip, WorldMotion};

/// Displacements below this are rounding errors and are skipped, meters.
const ROUNDING: f64 = 1e-12;

/// Computes the center of mass in every frame, meters.
pub(crate) fn mass_centers(character: &Character, clip: &Clip) -> Vec<DVec3> {
    let bodies = BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip));
    (0..clip.frames()).map(|frame| bodies.mass_center(frame)).collect()
}

/// Computes the center of mass in some frames, meters; the first entry is that of the first of them.
pub(crate) fn mass_centers_in(character: &Character, clip: &Clip, frames: Range<usize>) -> Vec<DVec3> {
    if frames.is_empty() { Vec::new() } else { mass_centers(character, &clip.cut(frames.start, frames.end)) }
}

/// Moves the body so that its center of mass is at `path[k]` in frame `first + k`, or with a strength below 1 by that share of the way. Joint
/// angles, and frames outside the scope, keep their bits. Returns the largest displacement in meters; `None` if the bone that moves the body is
/// protected, or the character has no mass.
pub(crate) fn move_along_path(
    character: &Character,
    clip: &mut Clip,
    first: usize,
    path: &[DVec3],
    scope: &Scope,
) -> Option<f64> {
    let carrier = RootBone::of(character, clip).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)))?;
    let frames = scope.within(first..(first + path.len()).min(clip.frames())).frames;
    let centers = mass_centers_in(character, clip, frames.clone());
    let mut largest: f64 = 0.0;
    for (frame, center) in frames.zip(centers) {
        let by = scope.strength * (path[frame - first] - center);
        if by.length() > ROUNDING {
            carrier.translate(&character.skeleton, clip, frame, by);
            largest = largest.max(by.length());
        }
    }
    Some(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correction::path::BallisticPath;
    use crate::samples;

    const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

    #[test]
    fn s10_the_mass_center_is_on_the_path_and_every_joint_angle_keeps_its_bits() {
        let (character, original) = (samples::humanoid(), samples::jump());
        let (first, last) = (20, 60);
        let centers = mass_centers(&character, &original);
        let seconds = (last - first) as f64 * original.frame_time;
        let path = BallisticPath::between(centers[first], centers[last], seconds, 0.3 * GRAVITY).frames(last - first);
        let mut clip = original.clone();
        let largest = move_along_path(&character, &mut clip, first, &path, &Scope::all(0..usize::MAX)).unwrap();
        assert!(largest > 0.05, "{largest}");
        let followed = mass_centers(&character, &clip);
        for (k, target) in path.iter().enumerate() {
            assert!((followed[first + k] - *target).length() <= 1e-12);
        }
        for bone in 0..clip.bones() {
            for component in 0..4 {
                assert_eq!(clip.rotation_track(bone, component), original.rotation_track(bone, component));
            }
            for frame in (0..clip.frames()).filter(|&frame| bone > 0 || frame <= first || frame >= last) {
                assert_eq!(clip.translation(bone, frame), original.translation(bone, frame));
            }
        }
    }

    #[test]
    fn strength_frames_and_protected_bones_are_respected() {
        let (character, original) = (samples::humanoid(), samples::jump());
        let centers = mass_centers(&character, &original);
        let path: Vec<DVec3> = centers[10..20].iter().map(|c| *c + DVec3::X).collect();
        let mut clip = original.clone();
        let half = Scope { strength: 0.5, ..Scope::all(12..100) };
        assert!((move_along_path(&character, &mut clip, 10, &path, &half).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(clip.cut(0, 12), original.cut(0, 12));
        assert!((mass_centers(&character, &clip)[12] - centers[12] - 0.5 * DVec3::X).length() < 1e-12);
        let locked = Scope { protected: vec![true], ..Scope::all(0..100) };
        assert!(move_along_path(&character, &mut clip, 10, &path, &locked).is_none());
    }
}
