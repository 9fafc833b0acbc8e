//! Which way the soles face, from a clip: a foot that rests has its sole on the ground.
//!
//! The rest pose of many files is no standing pose, so the sole found there is tilted. Of the frames in which a foot is
//! still and the hips stand well over it, those in which ankle and ball of the foot are lowest together have the sole
//! level; the middle one of them, by the direction it gives the sole, is taken, so that a single stumble does not tilt
//! it. A sole that would turn by more than 40° stays as it was: such a foot never stood flat.

use glam::{DQuat, DVec3};

use super::Skeleton;
use super::landmarks::Landmarks;
use crate::motion::{Clip, WorldMotion};

/// A foot slower than this rests, m/s.
const STILL: f64 = 0.3;
/// cos 40°.
const LARGEST_TURN: f64 = 0.766;
/// Frames looked at.
const SAMPLES: usize = 96;
/// Ankle and ball no higher than this above their lowest, by foot length, stand flat.
const LOW: f64 = 0.1;

/// A foot at rest in one frame.
struct Stand {
    /// Heights of ankle and ball together, metres.
    height: f64,
    /// The world's up, and the place and orientation of the toes, in the reference pose of the foot.
    up: DVec3,
    toes: (DVec3, DQuat),
}

/// Turns the feet of the landmarks so that their soles are level where the clip puts them down. The clip must be y up.
pub(crate) fn level_soles(marks: &mut Landmarks, skeleton: &Skeleton, clip: &Clip) {
    let last = clip.frames() - 1;
    let count = last.clamp(1, SAMPLES);
    let hips = marks.trunk_bones[0].0;
    let mut stands: Vec<Vec<Stand>> = marks.feet.iter().map(|_| Vec::new()).collect();
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
            if speed < STILL && standing {
                let back = rotation * world.rotation(foot.bone, 0).inverse();
                let toes = foot.toes.unwrap_or(foot.bone);
                let toes_place = origin + back * (world.position(toes, 0) - world.position(foot.bone, 0));
                let toes = (toes_place, back * world.rotation(toes, 0));
                stands[at].push(Stand { height: ankle.y + ball.y, up: back * DVec3::Y, toes });
            }
        }
    }
    for (foot, stands) in marks.feet.iter_mut().zip(stands) {
        let flat = flattest(stands, LOW * foot.length);
        let Some((up, toes_pose)) = flat.filter(|(up, _)| up.dot(foot.up) > LARGEST_TURN) else { continue };
        let forward = foot.forward - up * up.dot(foot.forward);
        (foot.up, foot.forward) = (up.normalize(), forward.normalize_or(foot.forward));
        foot.toes_pose = toes_pose;
    }
}

/// Of the stands no higher than `slack` above the lowest tenth, the one nearest to all others in the direction of up.
fn flattest(mut stands: Vec<Stand>, slack: f64) -> Option<(DVec3, (DVec3, DQuat))> {
    stands.sort_by(|a, b| a.height.total_cmp(&b.height));
    let limit = stands.get(stands.len() / 10)?.height + slack;
    stands.retain(|stand| stand.height <= limit);
    let apart = |stand: &Stand| stands.iter().map(|other| stand.up.distance(other.up)).sum::<f64>();
    let middle = stands.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some((middle.up, middle.toes))
}
