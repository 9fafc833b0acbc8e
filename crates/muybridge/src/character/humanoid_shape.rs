//! Roles by the tree of bones, for names without meaning: two pairs of mirrored limbs on a trunk; the longer pair are
//! the legs.
//!
//! A limb is a chain of at least three bones. Two chains from one bone mirror each other if their first segments agree
//! within a tenth, or their names differ by a side only. Lengths are those of bones, so the rest pose does not matter.
//! Sides follow from names ("gauche" and "droite"), else from the direction of the toes or the bend of the knees:
//! `left = up × forward`, up from the hips to the shoulders.

use glam::DVec3;

use super::Skeleton;
use super::ancestry::Family;
use super::humanoid::{Role, RoleMap};
use super::humanoid_chains::{LimbChain, between, give_limbs, give_trunk};
use super::humanoid_names::{NamedPart, meaning, named_sides};
use crate::motion::{Clip, pose_of};

/// Roles from the tree alone; empty without two pairs of mirrored limbs. The clip, or else the rest pose, shows where
/// toes and knees point.
pub(crate) fn by_shape(skeleton: &Skeleton, family: &Family, clip: Option<&Clip>) -> RoleMap {
    let tree = Tree::new(skeleton, family);
    let mut map = RoleMap::none(skeleton.len());
    let mut pairs: Vec<MirroredLimbs> = (0..skeleton.len()).filter_map(|bone| tree.pair(bone)).collect();
    pairs.sort_by(|a, b| b.length.total_cmp(&a.length).then(a.at.cmp(&b.at)));
    let Some(legs) = pairs.first() else { return map };
    let Some(arms) = pairs.iter().skip(1).find(|pair| pair.is_apart_from(legs, family)) else { return map };
    let (legs, arms) = if tree.has_fingers(legs) && !tree.has_fingers(arms) { (arms, legs) } else { (legs, arms) };
    let mut leg_limbs = legs.limbs.each_ref().map(|chain| LimbChain { girdle: None, ..tree.limb(chain) });
    let mut arm_limbs = arms.limbs.each_ref().map(|chain| LimbChain { toes: None, ..tree.limb(chain) });
    let ends = [legs.at, arms.at];
    if !tree.left_is_first(&legs.limbs, &leg_limbs, ends, clip) {
        leg_limbs.swap(0, 1);
    }
    let arms_swapped = match tree.sides_by_name(&arms.limbs) {
        Some(left_first) => !left_first,
        None => !tree.on_one_side(&leg_limbs, &arm_limbs, clip),
    };
    if arms_swapped {
        arm_limbs.swap(0, 1);
    }
    map.give(Role::Hips, legs.at, "by shape");
    give_limbs(&mut map, leg_limbs, arm_limbs, "by shape");
    give_trunk(&mut map, &between(family, legs.at, arms.at), |_| false);
    if let Some(neck) = tree.neck(&map, arms.at, legs.at) {
        let (neck, head) = tree.neck_and_head(neck);
        for (role, bone) in [(Role::Neck, neck), (Role::Head, Some(head))] {
            if let Some(bone) = bone {
                map.give(role, bone, "by shape");
            }
        }
    }
    map
}

/// Two mirrored chains that start at one bone.
#[derive(Clone, Debug)]
struct MirroredLimbs {
    at: usize,
    limbs: [Vec<usize>; 2],
    /// Length of the two long segments.
    length: f64,
}

impl MirroredLimbs {
    /// Whether this pair starts at another bone than `legs`, and not inside them.
    fn is_apart_from(&self, legs: &Self, family: &Family) -> bool {
        let inside = |limb: &Vec<usize>| self.at == limb[0] || family.is_below(self.at, limb[0]);
        self.at != legs.at && !legs.limbs.iter().any(inside)
    }
}

struct Tree<'a> {
    skeleton: &'a Skeleton,
    family: &'a Family,
    /// Per bone: whether its name does not mark it as a helper.
    body: Vec<bool>,
}

impl<'a> Tree<'a> {
    fn new(skeleton: &'a Skeleton, family: &'a Family) -> Self {
        let body = skeleton.bones().iter().map(|bone| !meaning(&bone.name).helper).collect();
        Self { skeleton, family, body }
    }

    fn name(&self, bone: usize) -> &str {
        &self.skeleton.bones()[bone].name
    }

    /// Distance of a bone's joint from its parent's.
    fn length(&self, bone: usize) -> f64 {
        self.skeleton.bones()[bone].translation.length()
    }

    /// Bones from `start` outward, always along the child with the most descendants.
    fn chain(&self, start: usize) -> Vec<usize> {
        let mut chain = vec![start];
        let mut at = start;
        while chain.len() < 8 {
            let next = self.family.children(at).iter().copied().filter(|&child| self.body[child]);
            let Some(child) = next.max_by_key(|&child| (self.family.size(child), usize::MAX - child)) else { break };
            chain.push(child);
            at = child;
        }
        chain
    }

    /// Longest pair of mirrored limbs that starts at a bone's children; `None` if there is none.
    fn pair(&self, bone: usize) -> Option<MirroredLimbs> {
        let children: Vec<usize> =
            self.family.children(bone).iter().copied().filter(|&c| self.body[c]).take(16).collect();
        let chains: Vec<Vec<usize>> = children.iter().map(|&child| self.chain(child)).collect();
        let mut best: Option<MirroredLimbs> = None;
        for (at, a) in chains.iter().enumerate() {
            for b in &chains[at + 1..] {
                if a.len() < 3 || b.len() < 3 || !self.mirrored(a, b) {
                    continue;
                }
                let length = self.two_segments(a).1;
                if best.as_ref().is_none_or(|pair| pair.length < length) {
                    best = Some(MirroredLimbs { at: bone, limbs: [a.clone(), b.clone()], length });
                }
            }
        }
        best
    }

    fn mirrored(&self, a: &[usize], b: &[usize]) -> bool {
        let near = |at: usize| {
            let (x, y) = (self.length(a[at]), self.length(b[at]));
            (x - y).abs() <= 0.1 * x.max(y)
        };
        let long = self.length(a[1]) > 0.0 && self.length(a[2]) > 0.0;
        let by_name = named_sides(self.name(a[0]), self.name(b[0])).is_some();
        (a.len() == b.len() && long && (0..3).all(near)) || by_name && self.two_segments(a).1 > 0.0
    }

    /// Place in a chain of the two consecutive segments whose shorter one is longest, and their length.
    fn two_segments(&self, chain: &[usize]) -> (usize, f64) {
        let segments = |at: usize| [self.length(chain[at + 1]), self.length(chain[at + 2])];
        let shorter = |at: usize| segments(at)[0].min(segments(at)[1]);
        let upper =
            (0..chain.len() - 2).max_by(|&a, &b| shorter(a).total_cmp(&shorter(b)).then(b.cmp(&a))).unwrap_or(0);
        (upper, segments(upper).iter().sum())
    }

    fn limb(&self, chain: &[usize]) -> LimbChain {
        let (upper, _) = self.two_segments(chain);
        let bone = |at: usize| chain.get(at).copied();
        LimbChain {
            girdle: upper.checked_sub(1).and_then(bone),
            upper: bone(upper),
            lower: bone(upper + 1),
            end: bone(upper + 2),
            toes: bone(upper + 3),
        }
    }

    /// Whether both limbs end in three bones or more.
    fn has_fingers(&self, pair: &MirroredLimbs) -> bool {
        pair.limbs.iter().all(|chain| chain.iter().skip(2).any(|&bone| self.family.children(bone).len() >= 3))
    }

    /// Whether the first of two limbs is the left one by the first pair of bones whose names say so.
    fn sides_by_name(&self, limbs: &[Vec<usize>; 2]) -> Option<bool> {
        limbs[0].iter().zip(&limbs[1]).find_map(|(&a, &b)| named_sides(self.name(a), self.name(b)))
    }

    /// Whether the first leg is the left one: by name, by toes or feet, by knees, or else as it rests along x.
    fn left_is_first(
        &self,
        chains: &[Vec<usize>; 2],
        legs: &[LimbChain; 2],
        [hips, shoulders]: [usize; 2],
        clip: Option<&Clip>,
    ) -> bool {
        if let Some(by_name) = self.sides_by_name(chains) {
            return by_name;
        }
        let poses = self.poses(clip);
        let knee = |leg: &LimbChain| leg.lower.expect("a limb has three bones");
        let mut vote = 0.0;
        for pose in &poses {
            let at = |bone: usize| pose[bone].0;
            let up = (at(shoulders) - at(hips)).normalize_or_zero();
            let across = at(knee(&legs[0])) - at(knee(&legs[1]));
            let mut forward = DVec3::ZERO;
            for leg in legs {
                let (Some(hip), Some(ankle)) = (leg.upper, leg.end) else { continue };
                // A foot in the air hangs behind its shank, but always points to the front of it.
                let shank = (at(ankle) - at(knee(leg))).normalize_or_zero();
                let foot = self.tip(pose, leg.toes.unwrap_or(ankle)) - at(ankle);
                forward += foot - shank * shank.dot(foot);
                forward += at(knee(leg)) - at(hip).midpoint(at(ankle));
            }
            let level = forward - up * up.dot(forward);
            vote += up.cross(level).dot(across.normalize_or_zero());
        }
        let size = poses.len() as f64 * (self.length(knee(&legs[0])) + self.length(knee(&legs[1])));
        let clear = (vote.abs() > 0.01 * size).then_some(vote);
        let along_x = || poses[0][knee(&legs[0])].0.x - poses[0][knee(&legs[1])].0.x;
        clear.unwrap_or_else(along_x) > 0.0
    }

    /// Whether the first arm is on the side of the first leg.
    fn on_one_side(&self, legs: &[LimbChain; 2], arms: &[LimbChain; 2], clip: Option<&Clip>) -> bool {
        let across = |pose: &[(glam::DVec3, glam::DQuat)], limbs: &[LimbChain; 2]| {
            let [first, second] = limbs.each_ref().map(|limb| limb.upper.map_or(DVec3::ZERO, |bone| pose[bone].0));
            (first - second).normalize_or_zero()
        };
        self.poses(clip).iter().map(|pose| across(pose, legs).dot(across(pose, arms))).sum::<f64>() >= 0.0
    }

    /// Up to 17 poses of the clip, or the rest pose.
    fn poses(&self, clip: Option<&Clip>) -> Vec<Vec<(DVec3, glam::DQuat)>> {
        let Some(clip) = clip else { return vec![self.skeleton.rest_pose()] };
        let frames = (0..clip.frames()).step_by(1 + clip.frames() / 17);
        frames
            .map(|frame| {
                let mut pose = Vec::new();
                pose_of(self.skeleton, clip, frame, &mut pose);
                pose
            })
            .collect()
    }

    /// The farthest end or child of a bone from its joint; the joint itself if there is none.
    fn tip(&self, pose: &[(DVec3, glam::DQuat)], bone: usize) -> DVec3 {
        let (joint, rotation) = pose[bone];
        let ends = self.skeleton.bones()[bone].ends.iter().map(|&end| joint + rotation * end);
        let children = self.family.children(bone).iter().map(|&child| pose[child].0);
        let farther = |a: &DVec3, b: &DVec3| a.distance(joint).total_cmp(&b.distance(joint));
        ends.chain(children).max_by(farther).unwrap_or(joint)
    }

    /// First bone of the neck and head: of the bones where the arms meet, the one named so, or else the largest.
    fn neck(&self, map: &RoleMap, arms_meet: usize, hips: usize) -> Option<usize> {
        let leads_down = |bone: usize| bone == hips || self.family.is_below(hips, bone);
        let free = self.family.children(arms_meet).iter().copied().filter(|&child| {
            let limb = |&role: &Option<Role>| role.is_some_and(|role| role.side().is_some());
            let of_limb = |bone: usize| limb(&map.roles[bone]) && (bone == child || self.family.is_below(bone, child));
            self.body[child] && !leads_down(child) && !(child..map.roles.len()).any(of_limb)
        });
        let named = |&bone: &usize| matches!(meaning(self.name(bone)).part, Some(NamedPart::Neck | NamedPart::Head));
        free.max_by_key(|bone| (named(bone), self.family.size(*bone), usize::MAX - bone))
    }

    /// Neck, if there is one, and head on the chain from a bone: the head is where the chain branches, or its last
    /// bone that carries anything.
    fn neck_and_head(&self, start: usize) -> (Option<usize>, usize) {
        let mut chain = self.chain(start);
        let branches = |&bone: &usize| self.family.children(bone).iter().filter(|&&child| self.body[child]).count() > 1;
        if let Some(branch) = chain.iter().position(branches) {
            chain.truncate(branch + 1);
        } else if let [.., last] = chain[..]
            && chain.len() > 2
            && self.skeleton.bones()[last].ends.iter().all(|end| *end == DVec3::ZERO)
        {
            chain.pop();
        }
        let head = chain[chain.len() - 1];
        ((head != start).then_some(start), head)
    }
}
