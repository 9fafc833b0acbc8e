//! Levels the soles from a clip: a resting foot has its sole on the ground.
//!
//! The rest pose of many files is no standing pose, so its soles are tilted. Frames in which a foot is still and the
//! hips are well above it are candidates; in those with the lowest ankle and ball the sole is level. The frame whose
//! sole direction is the median is taken, so that a single stumble does not tilt the sole. A sole that would turn by
//! more than 40° is not leveled, because such a foot never stood flat.

use glam::{DQuat, DVec3};

use super::Skeleton;
use super::landmarks::Landmarks;
use crate::motion::{Clip, WorldMotion};

/// A foot slower than this is at rest, m/s.
const STILL: f64 = 0.3;
/// Cosine of the largest correction of a sole, 40°.
const LARGEST_TURN: f64 = 0.766;
/// Number of frames sampled.
const SAMPLES: usize = 96;
/// A foot stands flat if ankle and ball are at most this above their lowest height, as a share of foot length.
const LOW: f64 = 0.1;

/// A foot at rest in one frame.
struct Stand {
    /// Sum of the heights of ankle and ball, meters.
    height: f64,
    /// World up direction and the pose of the toes, in the reference pose of the foot.
    up: DVec3,
    toes: (DVec3, DQuat),
}

/// Rotates the feet of the landmarks so that their soles are level when the clip plants them. The clip must be y up.
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

/// Of the frames at most `slack` above the lowest tenth, the one whose up direction is nearest to all others.
fn flattest(mut stands: Vec<Stand>, slack: f64) -> Option<(DVec3, (DVec3, DQuat))> {
    stands.sort_by(|a, b| a.height.total_cmp(&b.height));
    let limit = stands.get(stands.len() / 10)?.height + slack;
    stands.retain(|stand| stand.height <= limit);
    let apart = |stand: &Stand| stands.iter().map(|other| stand.up.distance(other.up)).sum::<f64>();
    let middle = stands.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some((middle.up, middle.toes))
}
