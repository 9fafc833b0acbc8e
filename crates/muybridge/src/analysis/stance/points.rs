//! Points of the body that may stand on the ground: ankles, balls and tips of the feet, or the ends of mirrored limbs.
//!
//! A joint is judged over its own dwelling level (`levels`), so no sole has to be guessed from the rest pose. Each point
//! belongs to one of four parts: the heel or the toe of the left or the right limb.

use std::collections::BTreeMap;

use glam::DVec3;

use super::super::frames::Frames;
use super::Size;
use crate::character::{Character, Role, Side};
use crate::motion::WorldMotion;

/// Kind of a standing point: points of one kind dwell at one height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointKind {
    /// The ankle joint; the end of the lower pair of limbs of a body that is no human.
    Ankle,
    /// The ball of the foot; the end of the other pair of limbs of a body that is no human.
    Ball,
    /// The tip of the toes.
    Tip,
}

impl PointKind {
    pub(super) const ALL: [Self; 3] = [Self::Ankle, Self::Ball, Self::Tip];

    /// Height of a standing point of a human over the sole and its standard deviation, as shares of the stature.
    pub(super) fn over_sole(self) -> (f64, f64) {
        match self {
            Self::Ankle => (0.048, 0.012),
            Self::Ball => (0.014, 0.007),
            Self::Tip => (0.006, 0.010),
        }
    }
}

/// A point fixed to a bone that may stand on the ground.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StandingPoint {
    /// Part of the body: twice the side (left 0, right 1), plus 1 for toes.
    pub part: usize,
    pub kind: PointKind,
    pub bone: usize,
    /// Position in the bone's frame, meters.
    pub offset: DVec3,
    /// World positions, one per frame of the clip, meters.
    pub track: Vec<DVec3>,
    /// Height over the level at which the point dwells, per frame of the clip, meters; infinite where it is not known.
    pub height: Vec<f64>,
}

/// Finds the standing points of `character`; empty for a body without two legs and without mirrored limbs.
pub(super) fn standing_points(
    character: &Character,
    world: &WorldMotion,
    frames: &Frames,
    size: &Size,
) -> Vec<StandingPoint> {
    if size.is_human { feet(character, world, frames, size) } else { mirrored_limbs(character, world, frames, size) }
}

fn feet(character: &Character, world: &WorldMotion, frames: &Frames, size: &Size) -> Vec<StandingPoint> {
    let mut points = Vec::new();
    for (at, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        let mut add = |part: usize, kind: PointKind, (bone, offset): (usize, DVec3)| {
            points.push(StandingPoint {
                part: 2 * at + part,
                kind,
                bone,
                offset,
                track: track(world, bone, offset),
                height: Vec::new(),
            });
        };
        let Some(foot) = character.bone_of(Role::Foot(side)) else {
            let shank = character.bone_of(Role::LowerLeg(side));
            if let Some(end) = shank.and_then(|bone| farthest(character, bone, (0.25 * size.leg, f64::INFINITY))) {
                add(0, PointKind::Ankle, end);
            }
            continue;
        };
        add(0, PointKind::Ankle, (foot, DVec3::ZERO));
        let toes = character.bone_of(Role::Toes(side)).map(|toes| (toes, DVec3::ZERO));
        let ball = toes.or_else(|| farthest(character, foot, (0.02 * size.leg, 0.45 * size.leg)));
        let ball = ball.or_else(|| guessed_ball(character, world, foot, frames, size).map(|offset| (foot, offset)));
        let Some(ball) = ball else { continue };
        add(1, PointKind::Ball, ball);
        if ball.1 == DVec3::ZERO {
            let tip = farthest(character, ball.0, (0.015 * size.leg, 0.25 * size.leg));
            tip.into_iter().for_each(|tip| add(1, PointKind::Tip, tip));
        }
    }
    points
}

/// World positions of a point of a bone, meters.
pub(super) fn track(world: &WorldMotion, bone: usize, offset: DVec3) -> Vec<DVec3> {
    let frames = world.frames();
    let mut values = vec![0.0; 3 * frames];
    world.point_track(bone, offset, &mut values);
    (0..frames).map(|f| DVec3::new(values[f], values[frames + f], values[2 * frames + f])).collect()
}

/// The farthest child joint or end of a bone whose distance lies within `(least, most)`: a bone and a point in its frame.
fn farthest(character: &Character, bone: usize, (least, most): (f64, f64)) -> Option<(usize, DVec3)> {
    let skeleton = &character.skeleton;
    let bones = skeleton.bones();
    let joints = skeleton.children(bone).map(|child| (child, DVec3::ZERO, bones[child].translation.length()));
    let ends = bones[bone].ends.iter().map(|&end| (bone, end, end.length()));
    let near = joints.chain(ends).filter(|(_, _, length)| *length > least && *length < most);
    near.max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0))).map(|(bone, offset, _)| (bone, offset))
}

/// The ball of a foot that is one bone: ahead of and below the ankle where the ankle stands lowest, in the bone's frame.
fn guessed_ball(
    character: &Character,
    world: &WorldMotion,
    foot: usize,
    frames: &Frames,
    size: &Size,
) -> Option<DVec3> {
    let hips = [Side::Left, Side::Right].map(|side| character.bone_of(Role::UpperLeg(side)));
    let [Some(left), Some(right)] = hips else { return None };
    let ankle = track(world, foot, DVec3::ZERO);
    let speeds = frames.speeds(&ankle, frames.within(0.03), DVec3::ZERO);
    let slow: Vec<usize> = frames.all().filter(|&f| speeds[f] < 0.3 * size.pace).collect();
    if slow.len() < 3 {
        return None;
    }
    let low = super::quantile(slow.iter().map(|&f| ankle[f].y).collect(), 0.2)?;
    let near = slow.into_iter().filter(|&f| (ankle[f].y - low).abs() < 0.02 * size.leg);
    let stature = size.stature();
    let in_bone = |frame: usize| {
        let left = world.position(left, frame) - world.position(right, frame);
        let forward = DVec3::new(-left.z, 0.0, left.x).normalize_or_zero();
        let offset = 0.07 * stature * forward - 0.034 * stature * DVec3::Y;
        world.rotation(foot, frame).conjugate() * offset
    };
    let offsets: Vec<DVec3> = near.map(in_bone).collect();
    let middle = |axis: usize| super::quantile(offsets.iter().map(|o| o[axis]).collect(), 0.5);
    Some(DVec3::new(middle(0)?, middle(1)?, middle(2)?))
}

/// Number of frames of which the dwelling levels of limbs are compared.
const SAMPLES: usize = 4000;

/// Ends of the two pairs of mirrored limbs that dwell lowest. A tail, a head or a single limb is no foot.
fn mirrored_limbs(character: &Character, world: &WorldMotion, frames: &Frames, size: &Size) -> Vec<StandingPoint> {
    let bones = character.skeleton.bones();
    let is_end = |bone: usize| character.skeleton.children(bone).next().is_none();
    let by_name: BTreeMap<&str, usize> =
        bones.iter().enumerate().map(|(bone, own)| (own.name.as_str(), bone)).collect();
    let mut pairs = Vec::new();
    for (bone, own) in bones.iter().enumerate().filter(|(bone, _)| is_end(*bone)) {
        let Some(mirrored) = mirrored_name(&own.name) else { continue };
        let other = by_name.get(mirrored.as_str()).copied();
        let Some(other) = other.filter(|&other| other > bone && is_end(other)) else { continue };
        let ends = |bone: usize| farthest(character, bone, (0.0, f64::INFINITY)).unwrap_or((bone, DVec3::ZERO));
        let tracks = [ends(bone), ends(other)].map(|(bone, offset)| (bone, offset, track(world, bone, offset)));
        let mut dwelling: Vec<(f64, f64)> = Vec::new();
        for (_, _, track) in &tracks {
            let reach = frames.within(0.017);
            let slowness = |f: usize| frames.velocity(|f| track[f], f, reach).length() / (0.25 * size.pace);
            let weigh = |f: usize| libm::exp(-slowness(f).powi(2)) + 1e-6;
            let sampled = frames.all().step_by(1 + frames.all().len() / SAMPLES);
            dwelling.extend(sampled.map(|f| (track[f].y, weigh(f))));
        }
        if let Some(level) = super::weighted_quantile(dwelling, 0.3) {
            pairs.push((level, own.parent, tracks));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(lowest, above, _)) = pairs.first() else { return Vec::new() };
    let near = pairs.into_iter().filter(|(level, _, _)| *level < lowest + 0.15 * size.leg);
    let mut points = Vec::new();
    let mut used = 0;
    for (_, parent, tracks) in near {
        if used == 2 || (used == 1 && parent == above) {
            continue;
        }
        let kind = [PointKind::Ankle, PointKind::Ball][used];
        for (side, (bone, offset, track)) in tracks.into_iter().enumerate() {
            points.push(StandingPoint { part: 2 * side + used, kind, bone, offset, track, height: Vec::new() });
        }
        used += 1;
    }
    points
}

/// The name of the bone on the other side: "LeftPaw" of "RightPaw", "paw.l" of "paw.r"; `None` for a name without a side.
fn mirrored_name(name: &str) -> Option<String> {
    for (left, right) in [("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")] {
        if name.contains(left) {
            return Some(name.replace(left, right));
        }
        if name.contains(right) {
            return Some(name.replace(right, left));
        }
    }
    let opposite = |letter: u8| match letter {
        b'l' => Some('r'),
        b'r' => Some('l'),
        b'L' => Some('R'),
        b'R' => Some('L'),
        _ => None,
    };
    let bytes = name.as_bytes();
    let is_break = |letter: Option<&u8>| letter.is_none_or(|letter| b"_. :-".contains(letter));
    let stands_alone = |at: usize| (at == 0 || is_break(bytes.get(at - 1))) && is_break(bytes.get(at + 1));
    let first = || (bytes.len() > 1 && bytes[1].is_ascii_uppercase()).then_some(0);
    let at = (0..bytes.len()).find(|&at| opposite(bytes[at]).is_some() && stands_alone(at)).or_else(first)?;
    let letter = opposite(bytes[at])?;
    Some(format!("{}{letter}{}", &name[..at], &name[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_side_has_a_twin() {
        let twins = [
            ("LeftPaw", "RightPaw"),
            ("paw.l", "paw.r"),
            ("R_Toe", "L_Toe"),
            ("lToe", "rToe"),
            ("foot_right", "foot_left"),
        ];
        for (name, twin) in twins {
            assert_eq!(mirrored_name(name).as_deref(), Some(twin));
            assert_eq!(mirrored_name(twin).as_deref(), Some(name));
        }
        for name in ["Tail", "Head", "jaw", "Lower", ""] {
            assert_eq!(mirrored_name(name), None, "{name}");
        }
    }
}
