//! Which way the soles face, from a clip: a foot that rests has its sole on the ground.
//!
//! The rest pose of many files is no standing pose, so the sole found there is tilted. Of the frames in which a foot is
//! still and the hips stand well over it, the one in which ankle and ball of the foot are lowest together has the sole
//! level. A sole that would turn by more than 40° stays as it was: such a foot never stood flat.

use glam::DVec3;

use super::Skeleton;
use super::landmarks::Landmarks;
use crate::motion::{Clip, WorldMotion};

/// A foot slower than this rests, m/s.
const STILL: f64 = 0.3;
/// cos 40°.
const LARGEST_TURN: f64 = 0.766;
/// Frames looked at.
const SAMPLES: usize = 96;

/// Turns the feet of the landmarks so that their soles are level where the clip puts them down. The clip must be y up.
pub(crate) fn level_soles(marks: &mut Landmarks, skeleton: &Skeleton, clip: &Clip) {
    let last = clip.frames() - 1;
    let count = last.clamp(1, SAMPLES);
    let hips = marks.trunk_bones[0].0;
    let mut lowest = vec![f64::INFINITY; marks.feet.len()];
    let mut level = vec![None; marks.feet.len()];
    for sample in 0..count {
        let frame = sample * last / count;
        let world = WorldMotion::new(skeleton, &clip.cut(frame, (frame + 2).min(clip.frames())));
        for (at, foot) in marks.feet.iter().enumerate().filter(|(at, foot)| marks.legs[*at].bones[1] != foot.bone) {
            let (origin, rotation) = marks.pose[foot.bone];
            let in_bone = |point: DVec3| rotation.inverse() * (point - origin);
            let ball = in_bone(foot.ankle + foot.forward * (0.48 * foot.length));
            let place = |frame: usize| world.point(foot.bone, frame, ball);
            let (ankle, ball) = (world.position(foot.bone, 0), place(0));
            let speed = (place(world.frames() - 1) - ball).length() / clip.frame_time;
            let standing = world.position(hips, 0).y - ankle.y > 1.5 * foot.length;
            if speed < STILL && standing && ankle.y + ball.y < lowest[at] {
                lowest[at] = ankle.y + ball.y;
                let back = rotation * world.rotation(foot.bone, 0).inverse();
                let toes = foot.toes.unwrap_or(foot.bone);
                let toes_place = origin + back * (world.position(toes, 0) - world.position(foot.bone, 0));
                level[at] = Some((back * DVec3::Y, (toes_place, back * world.rotation(toes, 0))));
            }
        }
    }
    for (foot, flat) in marks.feet.iter_mut().zip(level) {
        let Some((up, toes_pose)) = flat.filter(|(up, _)| up.dot(foot.up) > LARGEST_TURN) else { continue };
        let forward = foot.forward - up * up.dot(foot.forward);
        (foot.up, foot.forward) = (up.normalize(), forward.normalize_or(foot.forward));
        foot.toes_pose = toes_pose;
    }
}
