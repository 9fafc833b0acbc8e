//! Limbs of a character: the chains of bones that end in contact points.

use glam::DVec3;

use super::{Limb, LimbPose};
use crate::character::{Character, JointRange, Role, Side, Skeleton};
use crate::motion::Clip;

/// Smallest share of the path from trunk to contact for a bone to count as long.
const LONG: f64 = 0.15;
/// Smallest share of the character's size for a branch to count as a limb.
const LIMB: f64 = 0.15;
/// Largest number of long bones in a limb.
const MOST_LONG: usize = 3;

/// Limbs of a character. A humanoid has legs and arms by role, left before right. Other characters have a limb for
/// every branch that ends in contact points: its last long bones, at most three.
pub(crate) fn limbs(character: &Character) -> Vec<Limb> {
    let humanoid: Vec<Limb> = [Side::Left, Side::Right]
        .into_iter()
        .flat_map(|side| {
            [
                [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)],
                [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)],
            ]
        })
        .filter_map(|roles| by_role(character, roles))
        .collect();
    if humanoid.is_empty() { by_contacts(character) } else { humanoid }
}

fn by_role(character: &Character, roles: [Role; 3]) -> Option<Limb> {
    let [upper, middle, end] = roles.map(|role| character.bone_of(role));
    let (upper, middle, end) = (upper?, middle?, end?);
    let skeleton = &character.skeleton;
    let one_below_the_other = is_below(skeleton, middle, upper) && is_below(skeleton, end, middle);
    one_below_the_other.then(|| Limb { joints: vec![upper, middle], end, bend: hinge(character, middle) })
}

/// Hinge axis of a joint, directed so that the wider half of its range is positive; `None` if the joint is no hinge.
fn hinge(character: &Character, bone: usize) -> Option<DVec3> {
    match character.ranges.get(bone)? {
        JointRange::Hinge { axis, lower, upper } => Some(if lower + upper < 0.0 { -*axis } else { *axis }),
        _ => None,
    }
}

fn is_below(skeleton: &Skeleton, bone: usize, above: usize) -> bool {
    let mut at = skeleton.bones()[bone].parent;
    while let Some(parent) = at {
        if parent == above {
            return true;
        }
        at = skeleton.bones()[parent].parent;
    }
    false
}

/// Bend axis of a limb in a clip, in the frame of its second joint: mean normal of the limb's plane, weighted by the
/// bend in each frame. If the clip does not bend the limb, the axis of the joint's range or `None`.
pub(crate) fn bend_of(skeleton: &Skeleton, clip: &Clip, limb: &Limb) -> Option<DVec3> {
    let (mut sum, mut size) = (DVec3::ZERO, 0.0);
    for frame in 0..clip.frames() {
        let pose = LimbPose::new(skeleton, clip, limb, frame);
        let (a, b) = (pose.positions[1] - pose.positions[0], pose.positions[2] - pose.positions[1]);
        let normal = a.normalize_or_zero().cross(b.normalize_or_zero());
        sum += (pose.parents[1] * pose.locals[1]).conjugate() * normal;
        size += normal.length();
    }
    let clear = sum.length() > 0.7 * size && sum.length() > 0.05 * clip.frames() as f64;
    if clear { sum.try_normalize() } else { limb.bend }
}

fn by_contacts(character: &Character) -> Vec<Limb> {
    let skeleton = &character.skeleton;
    let reach = reach_below(character);
    let least = LIMB * size(skeleton);
    let carries = |bone: usize| reach[bone].is_some_and(|(far, _)| far + own_length(skeleton, bone) >= least);
    // A bone that carries two or more limbs is trunk, and so are all bones above it.
    let mut trunk = vec![false; skeleton.len()];
    for bone in (0..skeleton.len()).rev() {
        trunk[bone] |= skeleton.children(bone).filter(|&child| carries(child)).count() >= 2;
        if let Some(parent) = skeleton.bones()[bone].parent {
            trunk[parent] |= trunk[bone];
        }
    }
    let tops = (0..skeleton.len()).filter(|&bone| {
        !trunk[bone] && carries(bone) && skeleton.bones()[bone].parent.is_some_and(|parent| trunk[parent])
    });
    tops.filter_map(|top| below(character, top, reach[top]?.1)).collect()
}

/// The limb from `top` to the bone `last` with the farthest contact.
fn below(character: &Character, top: usize, last: usize) -> Option<Limb> {
    let skeleton = &character.skeleton;
    let mut path = vec![last];
    while *path.last()? != top {
        path.push(skeleton.bones()[*path.last()?].parent?);
    }
    path.reverse();
    let length: f64 = path[1..].iter().map(|&bone| own_length(skeleton, bone)).sum();
    let long: Vec<usize> = (1..path.len()).filter(|&at| own_length(skeleton, path[at]) >= LONG * length).collect();
    let &end = long.last()?;
    let mut joints: Vec<usize> = long.iter().map(|&at| path[at - 1]).collect();
    if long.len() < 2 {
        return None;
    }
    joints.drain(..joints.len().saturating_sub(MOST_LONG));
    Some(Limb { bend: hinge(character, joints[1]), joints, end: path[end] })
}

/// Length of a bone's offset from its parent at rest, meters.
fn own_length(skeleton: &Skeleton, bone: usize) -> f64 {
    skeleton.bones()[bone].translation.length()
}

/// Per bone with contact points in its subtree: distance along the bones to the farthest contact, meters, and the bone
/// of that contact.
fn reach_below(character: &Character) -> Vec<Option<(f64, usize)>> {
    let mut reach: Vec<Option<(f64, usize)>> = vec![None; character.skeleton.len()];
    for contact in &character.contacts {
        reach[contact.bone] = Some((0.0, contact.bone));
    }
    for bone in (0..reach.len()).rev() {
        if let (Some(parent), Some((far, last))) = (character.skeleton.bones()[bone].parent, reach[bone]) {
            let along = far + own_length(&character.skeleton, bone);
            if reach[parent].is_none_or(|(farthest, _)| along > farthest) {
                reach[parent] = Some((along, last));
            }
        }
    }
    reach
}

/// Diagonal of the bounding box of the joints at rest, meters.
fn size(skeleton: &Skeleton) -> f64 {
    let rest = skeleton.rest_pose();
    let low = rest.iter().fold(DVec3::INFINITY, |low, (p, _)| low.min(*p));
    let high = rest.iter().fold(DVec3::NEG_INFINITY, |high, (p, _)| high.max(*p));
    (high - low).length()
}
