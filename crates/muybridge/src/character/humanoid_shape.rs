//! Roles by shape, for names without meaning: two pairs of mirrored limbs on a trunk; the longer pair are the legs.
//!
//! A limb is a chain of at least three bones; two chains from one bone mirror each other if their first segments agree
//! within a tenth. Sides follow from the direction of the toes, else from the bend of the knees:
//! `left = up × forward`, up from the hips to the shoulders.

use glam::DVec3;

use super::Skeleton;
use super::ancestry::Family;
use super::humanoid::{Role, RoleMap, Side};
use super::humanoid_chains::{LimbChain, give_limbs, give_trunk};
use super::humanoid_names::meaning;
use crate::motion::{Clip, world_of};

/// Roles from the shape alone; empty without two pairs of mirrored limbs.
pub(crate) fn by_shape(skeleton: &Skeleton, family: &Family) -> RoleMap {
    let shape = SkeletonShape::new(skeleton, family);
    let mut map = RoleMap::none(skeleton.len());
    let mut pairs: Vec<MirroredLimbs> = (0..skeleton.len()).filter_map(|bone| shape.pair(bone)).collect();
    pairs.sort_by(|a, b| b.length.total_cmp(&a.length).then(a.at.cmp(&b.at)));
    let Some(legs) = pairs.first() else { return map };
    let outside = |pair: &&MirroredLimbs| {
        let inside = |limb: &[usize]| pair.at == limb[0] || family.is_below(pair.at, limb[0]);
        pair.at != legs.at && !legs.limbs.iter().any(|limb| inside(limb))
    };
    let Some(arms) = pairs.iter().skip(1).find(outside) else { return map };
    let up = (shape.rest[arms.at] - shape.rest[legs.at]).normalize_or_zero();
    let (mut leg_limbs, mut arm_limbs) =
        (legs.limbs.clone().map(|l| shape.limb(&l)), arms.limbs.clone().map(|l| shape.limb(&l)));
    for limb in &mut leg_limbs {
        limb.girdle = None;
    }
    for limb in &mut arm_limbs {
        limb.toes = None;
    }
    let Some(left) = shape.left(&leg_limbs, up) else { return map };
    for limbs in [&mut leg_limbs, &mut arm_limbs] {
        let across = |limb: &LimbChain| limb.upper.map_or(0.0, |bone| left.dot(shape.rest[bone]));
        if across(&limbs[0]) < across(&limbs[1]) {
            limbs.swap(0, 1);
        }
    }
    map.give(Role::Hips, legs.at, "by shape");
    give_limbs(&mut map, leg_limbs, arm_limbs, "by shape");
    let trunk: Vec<usize> = family.path(legs.at, arms.at).into_iter().skip(1).collect();
    give_trunk(&mut map, &trunk, |_| true);
    let neck = family.children(arms.at).iter().copied().find(|&c| map.roles[c].is_none() && shape.body[c]);
    if let Some(neck) = neck.filter(|&neck| up.dot(shape.rest[neck] - shape.rest[arms.at]) > 0.0) {
        let chain = shape.chain(neck);
        if chain.len() > 1 {
            map.give(Role::Neck, neck, "by shape");
        }
        map.give(Role::Head, *chain.last().expect("starts at the neck"), "by shape");
    }
    map
}

/// Whether the arms are legs at rest, and in a quarter of the motion if there is one: a rest pose may lie along one axis, or be a crouch.
pub(crate) fn walks_on_four_legs(skeleton: &Skeleton, map: &RoleMap, clip: Option<&Clip>) -> bool {
    let rest = skeleton.rest_pose();
    if !is_on_four_legs(map, &|bone| rest[bone].0) {
        return false;
    }
    let Some(clip) = clip else { return true };
    let frames: Vec<usize> = (0..clip.frames()).step_by(1 + clip.frames() / 33).collect();
    let on_four = |&&frame: &&usize| is_on_four_legs(map, &|bone| world_of(skeleton, clip, bone, frame).0);
    // A dog sits up at times.
    4 * frames.iter().filter(on_four).count() > frames.len()
}

/// Whether the arms are parallel to the legs, and the trunk is across them.
fn is_on_four_legs(map: &RoleMap, place: &dyn Fn(usize) -> DVec3) -> bool {
    let at = |role| map.bone_of(role).map(place);
    let sum = |start: fn(Side) -> Role, end: fn(Side) -> Role| -> Option<DVec3> {
        let of = |side| Some((at(end(side))? - at(start(side))?).normalize_or_zero());
        Some((of(Side::Left)? + of(Side::Right)?).normalize_or_zero())
    };
    let leg = sum(Role::UpperLeg, Role::Foot).or_else(|| sum(Role::UpperLeg, Role::LowerLeg));
    let arm = sum(Role::UpperArm, Role::Hand).or_else(|| sum(Role::UpperArm, Role::LowerArm));
    let middle = |of: fn(Side) -> Role| Some((at(of(Side::Left))? + at(of(Side::Right))?) * 0.5);
    let (Some(leg), Some(arm)) = (leg, arm) else { return false };
    let (Some(shoulders), Some(hips)) = (middle(Role::UpperArm), middle(Role::UpperLeg)) else { return false };
    let trunk = (shoulders - hips).normalize_or_zero();
    trunk.dot(leg) > -0.6 && arm.dot(leg) > 0.6
}

/// Two mirrored chains that start at one bone.
#[derive(Clone, Debug)]
struct MirroredLimbs {
    at: usize,
    limbs: [Vec<usize>; 2],
    length: f64,
}

struct SkeletonShape<'a> {
    family: &'a Family,
    rest: Vec<DVec3>,
    /// Per bone: whether its name does not mark it as a helper.
    body: Vec<bool>,
}

impl<'a> SkeletonShape<'a> {
    fn new(skeleton: &Skeleton, family: &'a Family) -> Self {
        Self {
            family,
            rest: skeleton.rest_pose().into_iter().map(|(position, _)| position).collect(),
            body: skeleton.bones().iter().map(|bone| !meaning(&bone.name).helper).collect(),
        }
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

    fn segment(&self, chain: &[usize], at: usize) -> f64 {
        self.rest[chain[at]].distance(self.rest[chain[at + 1]])
    }

    /// Longest pair of mirrored limbs that starts at a bone's children; `None` if there is none.
    fn pair(&self, bone: usize) -> Option<MirroredLimbs> {
        let children: Vec<usize> =
            self.family.children(bone).iter().copied().filter(|&c| self.body[c]).take(16).collect();
        let chains: Vec<Vec<usize>> = children.iter().map(|&child| self.chain(child)).collect();
        let mut best: Option<MirroredLimbs> = None;
        for (at, a) in chains.iter().enumerate() {
            for b in &chains[at + 1..] {
                if a.len() < 3 || a.len() != b.len() || !self.mirrored(bone, a, b) {
                    continue;
                }
                let length = (0..a.len() - 1).map(|i| self.segment(a, i)).sum();
                if best.as_ref().is_none_or(|pair| pair.length < length) {
                    best = Some(MirroredLimbs { at: bone, limbs: [a.clone(), b.clone()], length });
                }
            }
        }
        best
    }

    fn mirrored(&self, bone: usize, a: &[usize], b: &[usize]) -> bool {
        let near = |x: f64, y: f64| (x - y).abs() <= 0.1 * x.max(y) && x.max(y) > 0.0;
        let from = |chain: &[usize]| self.rest[bone].distance(self.rest[chain[0]]);
        near(from(a), from(b)) && (0..2).all(|at| near(self.segment(a, at), self.segment(b, at)))
    }

    /// Bones of a limb: upper and lower are the two consecutive segments whose shorter one is longest.
    fn limb(&self, chain: &[usize]) -> LimbChain {
        let shorter = |at: usize| self.segment(chain, at).min(self.segment(chain, at + 1));
        let upper =
            (0..chain.len() - 2).max_by(|&a, &b| shorter(a).total_cmp(&shorter(b)).then(b.cmp(&a))).unwrap_or(0);
        let bone = |at: usize| chain.get(at).copied();
        LimbChain {
            girdle: upper.checked_sub(1).and_then(bone),
            upper: bone(upper),
            lower: bone(upper + 1),
            end: bone(upper + 2),
            toes: bone(upper + 3),
        }
    }

    /// Unit vector to the character's left, from toes or knees; `None` if neither shows it.
    fn left(&self, legs: &[LimbChain; 2], up: DVec3) -> Option<DVec3> {
        let level = |v: DVec3| v - up * up.dot(v);
        let sum = |vector: &dyn Fn(&LimbChain) -> Option<DVec3>| -> Option<DVec3> {
            Some(level(vector(&legs[0])? + vector(&legs[1])?))
        };
        let toes = sum(&|leg| Some(self.rest[leg.toes?] - self.rest[leg.end?]));
        let knees = sum(&|leg| {
            let (hip, knee, ankle) = (self.rest[leg.upper?], self.rest[leg.lower?], self.rest[leg.end?]);
            Some(knee - (hip + ankle) * 0.5)
        });
        let forward = toes.filter(|v| v.length_squared() > 0.0).or(knees)?;
        let left = up.cross(forward).normalize_or_zero();
        (left != DVec3::ZERO).then_some(left)
    }
}
