//! Roles by name, disambiguated by the chain a bone belongs to.
//!
//! "Leg" is the thigh in one rig and the shin in another, "shoulder" the clavicle or the shoulder joint, "hip" the
//! pelvis or the hip joint. A limb is therefore read from the trunk outward: its upper bone is the first candidate with
//! a lower bone below it. The hips are the bone where the legs meet, whatever its name. The trunk is the path from
//! there to the bone where the arms meet (MuJoCo's humanoid is rooted at the chest, so the path may run toward the
//! root).

use super::Skeleton;
use super::ancestry::Family;
use super::humanoid::{Role, RoleMap, Side};
use super::humanoid_names::{Meaning, NamedPart, meaning};

/// Bones of one limb from the trunk outward; `None` for missing bones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LimbChain {
    pub(crate) girdle: Option<usize>,
    pub(crate) upper: Option<usize>,
    pub(crate) lower: Option<usize>,
    pub(crate) end: Option<usize>,
    pub(crate) toes: Option<usize>,
}

/// Roles from names and chains; incomplete if names say too little.
pub(crate) fn by_name(skeleton: &Skeleton, family: &Family) -> RoleMap {
    let names = NameClaims::new(skeleton, family);
    let legs = [Side::Left, Side::Right].map(|side| names.leg(side));
    let arms = [Side::Left, Side::Right].map(|side| names.arm(side));
    let mut map = RoleMap::none(skeleton.len());
    let (Some(left), Some(right)) = (legs[0].upper, legs[1].upper) else { return map };
    let Some(hips) = family.common_ancestor(left, right).filter(|&hips| hips != left && hips != right) else {
        return map;
    };
    map.give(Role::Hips, hips, "where the legs meet");
    give_limbs(&mut map, legs, arms, "by its name");
    let meet = arms_meet(family, arms);
    let head = names.first_above(NamedPart::Head, meet, |_| true);
    let neck = names.first_above(NamedPart::Neck, meet, |neck| head.is_none_or(|head| family.is_below(head, neck)));
    let top = meet.or_else(|| neck.or(head).and_then(|bone| family.parent(bone)));
    let trunk: Vec<usize> = top.map_or(Vec::new(), |top| between(family, hips, top));
    let trunk: Vec<usize> = trunk.into_iter().filter(|&bone| names.may_be_trunk(bone)).collect();
    give_trunk(&mut map, &trunk, |bone| names.says_thorax(bone));
    let (neck, head) = match (neck, head, top) {
        (_, None, Some(top)) => middle_chain(family, &names, &map, top),
        // Character Creator's "NeckTwist01" bears the head.
        (None, Some(head), Some(top)) if family.is_below(head, top) => {
            let way = family.path(top, head);
            (way[1..way.len() - 1].iter().copied().find(|&bone| names.says_neck(bone)), Some(head))
        }
        found => (found.0, found.1),
    };
    for (role, bone) in [(Role::Neck, neck), (Role::Head, head)] {
        if let Some(bone) = bone.filter(|&bone| map.roles[bone].is_none()) {
            map.give(role, bone, "by its name");
        }
    }
    map
}

/// Writes the limbs of both sides into the map.
pub(crate) fn give_limbs(map: &mut RoleMap, legs: [LimbChain; 2], arms: [LimbChain; 2], reason: &str) {
    for (at, side) in [Side::Left, Side::Right].into_iter().enumerate() {
        for (role, bone) in [
            (Role::UpperLeg(side), legs[at].upper),
            (Role::LowerLeg(side), legs[at].lower),
            (Role::Foot(side), legs[at].end),
            (Role::Toes(side), legs[at].toes),
            (Role::Shoulder(side), arms[at].girdle),
            (Role::UpperArm(side), arms[at].upper),
            (Role::LowerArm(side), arms[at].lower),
            (Role::Hand(side), arms[at].end),
        ] {
            if let Some(bone) = bone.filter(|&bone| map.roles[bone].is_none()) {
                map.give(role, bone, reason);
            }
        }
    }
}

/// Assigns spine, chest and upper chest among the trunk bones, from the hips up.
pub(crate) fn give_trunk(map: &mut RoleMap, trunk: &[usize], says_thorax: impl Fn(usize) -> bool) {
    let reason = "between hips and arms";
    match trunk {
        [] => {}
        [only] if says_thorax(*only) => map.give(Role::Chest, *only, reason),
        [only] => map.give(Role::Spine, *only, reason),
        [first, .., last] => {
            map.give(Role::Spine, *first, reason);
            if trunk.len() == 2 {
                map.give(Role::Chest, *last, reason);
            } else {
                map.give(Role::Chest, trunk[trunk.len() / 2], reason);
                map.give(Role::UpperChest, *last, reason);
            }
        }
    }
}

/// Bones of the trunk from the hips, without them, to the bone where the arms meet. A bone that carries both is none of
/// them: the center of a rig whose hips are no root.
pub(crate) fn between(family: &Family, hips: usize, arms_meet: usize) -> Vec<usize> {
    let carries_both = family.common_ancestor(hips, arms_meet);
    let path = family.path(hips, arms_meet).into_iter().skip(1);
    path.filter(|&bone| bone == arms_meet || Some(bone) != carries_both).collect()
}

fn arms_meet(family: &Family, arms: [LimbChain; 2]) -> Option<usize> {
    let meet = family.common_ancestor(arms[0].upper?, arms[1].upper?)?;
    (Some(meet) != arms[0].upper && Some(meet) != arms[1].upper).then_some(meet)
}

/// Finds neck and head without names (Rigify's spine.004 … spine.006): the chain that continues where the arms meet.
fn middle_chain(family: &Family, names: &NameClaims, map: &RoleMap, top: usize) -> (Option<usize>, Option<usize>) {
    let next = |bone: usize| {
        let mut children = family.children(bone).iter().copied();
        children.find(|&child| map.roles[child].is_none() && names.may_be_middle(child))
    };
    let mut chain = Vec::new();
    let mut at = top;
    while let Some(child) = next(at) {
        chain.push(child);
        at = child;
    }
    match chain.as_slice() {
        [] => (None, None),
        [only] if names.meanings[*only].part == Some(NamedPart::Neck) => (Some(*only), None),
        [only] => (None, Some(*only)),
        [first, .., last] => (Some(*first), Some(*last)),
    }
}

/// Body parts that bone names claim, with the tree of bones.
struct NameClaims<'a> {
    skeleton: &'a Skeleton,
    family: &'a Family,
    meanings: Vec<Meaning>,
    thorax: Vec<bool>,
}

impl<'a> NameClaims<'a> {
    fn new(skeleton: &'a Skeleton, family: &'a Family) -> Self {
        let bones = skeleton.bones();
        let mut meanings: Vec<Meaning> = bones.iter().map(|bone| meaning(&bone.name)).collect();
        if meanings.iter().any(|m| m.deforms && m.part.is_some()) {
            for meaning in meanings.iter_mut().filter(|m| !m.deforms) {
                meaning.part = None;
            }
        }
        let thorax = bones.iter().map(|bone| {
            let name = bone.name.to_lowercase();
            ["chest", "torso", "thorax", "rib"].iter().any(|word| name.contains(word))
        });
        Self { skeleton, family, meanings, thorax: thorax.collect() }
    }

    fn says_thorax(&self, bone: usize) -> bool {
        self.thorax[bone]
    }

    fn says_neck(&self, bone: usize) -> bool {
        self.skeleton.bones()[bone].name.to_lowercase().contains("neck")
    }

    fn may_be_trunk(&self, bone: usize) -> bool {
        let said = self.meanings[bone];
        // Kinect's "SpineShoulder" is a part of the trunk, because it has no side.
        let part = matches!(said.part, None | Some(NamedPart::Trunk | NamedPart::Hip | NamedPart::Shoulder));
        !said.helper && said.side.is_none() && part
    }

    fn may_be_middle(&self, bone: usize) -> bool {
        let said = self.meanings[bone];
        !said.helper && said.side.is_none() && matches!(said.part, Some(NamedPart::Trunk | NamedPart::Neck))
    }

    /// Bones whose names claim a part on a side: nearest to the root first, then those with more descendants.
    fn claims(&self, part: NamedPart, side: Option<Side>) -> Vec<usize> {
        let wanted = |m: &Meaning| m.part == Some(part) && m.side == side;
        let mut bones: Vec<usize> = (0..self.meanings.len()).filter(|&bone| wanted(&self.meanings[bone])).collect();
        bones.sort_by_key(|&bone| (self.family.depth(bone), usize::MAX - self.family.size(bone), bone));
        bones
    }

    /// First claim without a side that fits; claims at or beyond the meeting point of the arms come first.
    fn first_above(&self, part: NamedPart, meet: Option<usize>, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let beyond = |bone: usize| meet.is_some_and(|meet| bone == meet || self.family.is_below(bone, meet));
        self.claims(part, None).into_iter().filter(|&bone| fits(bone)).min_by_key(|&bone| !beyond(bone))
    }

    fn first_below(&self, part: NamedPart, side: Side, above: usize) -> Option<usize> {
        self.claims(part, Some(side)).into_iter().find(|&bone| self.family.is_below(bone, above))
    }

    /// First bone that claims one of `parts`, in that order, and has a bone claiming one of `below` under it.
    fn upper_and_lower(&self, side: Side, parts: &[NamedPart], below: &[NamedPart]) -> Option<(usize, usize)> {
        let uppers = parts.iter().flat_map(|&part| self.claims(part, Some(side)));
        uppers.take(64).find_map(|upper| {
            let lowers = || below.iter().filter_map(|&part| self.first_below(part, side, upper));
            // A shape of the shin may have its name; the shin itself carries on.
            let carries = |&lower: &usize| !self.family.children(lower).is_empty();
            let lower = lowers().find(carries).or_else(|| lowers().next())?;
            Some((upper, lower))
        })
    }

    /// The one bone that goes on from another and carries something itself: a hand or foot by another name.
    fn only_child(&self, bone: usize) -> Option<usize> {
        let [child] = self.family.children(bone) else { return None };
        let carries = !self.family.children(*child).is_empty() || !self.skeleton.bones()[*child].ends.is_empty();
        carries.then_some(*child)
    }

    fn leg(&self, side: Side) -> LimbChain {
        let uppers = [NamedPart::UpperLeg, NamedPart::Leg, NamedPart::Hip];
        let Some((upper, lower)) = self.upper_and_lower(side, &uppers, &[NamedPart::LowerLeg, NamedPart::Leg]) else {
            return LimbChain::default();
        };
        // In a rig without feet, "toe" may be at the ankle.
        let end = [NamedPart::Foot, NamedPart::Leg, NamedPart::Toes]
            .iter()
            .find_map(|&part| self.first_below(part, side, lower))
            .or_else(|| self.only_child(lower));
        // Below an "ankle", "foot" is the ball of the foot.
        let toes = end.and_then(|end| {
            let parts = [NamedPart::Toes, NamedPart::Leg, NamedPart::Foot];
            parts.iter().find_map(|&part| self.first_below(part, side, end))
        });
        LimbChain { girdle: None, upper: Some(upper), lower: Some(lower), end, toes }
    }

    fn arm(&self, side: Side) -> LimbChain {
        let uppers = [NamedPart::UpperArm, NamedPart::Arm, NamedPart::Shoulder];
        let both = self.upper_and_lower(side, &uppers, &[NamedPart::LowerArm, NamedPart::Arm]);
        // A lone "shoulder" that carries no bone is a clavicle whose arm is missing.
        let is_arm = |&bone: &usize| {
            self.meanings[bone].part != Some(NamedPart::Shoulder) || !self.family.children(bone).is_empty()
        };
        let alone = || uppers.iter().flat_map(|&part| self.claims(part, Some(side))).find(is_arm);
        let (upper, lower) = match both {
            Some((upper, lower)) => (Some(upper), Some(lower)),
            None => (alone(), None),
        };
        let Some(upper) = upper else { return LimbChain::default() };
        let girdle = [NamedPart::Clavicle, NamedPart::Shoulder].iter().find_map(|&part| {
            self.claims(part, Some(side)).into_iter().find(|&bone| self.family.is_below(upper, bone))
        });
        let end = self.hand(side, upper, lower.unwrap_or(upper)).or_else(|| self.only_child(lower?));
        LimbChain { girdle, upper: Some(upper), lower, end, toes: None }
    }

    /// The wrist: of the bones named hand or wrist, the one about as far from the elbow as the elbow is from the
    /// shoulder (de Leva: 0.955 times). CMU's skeletons have an "lwrist" in the middle of the forearm.
    fn hand(&self, side: Side, upper: usize, lower: usize) -> Option<usize> {
        let mut named = self.claims(NamedPart::Hand, Some(side));
        named.retain(|&bone| self.family.is_below(bone, lower));
        let reach = |from: usize, to: usize| self.family.reach(self.skeleton, from, to);
        let miss = |bone: usize| (reach(lower, bone) - 0.955 * reach(upper, lower)).abs();
        let nearest = named.iter().copied().min_by(|&a, &b| miss(a).total_cmp(&miss(b)));
        nearest.or_else(|| self.first_below(NamedPart::Arm, side, lower))
    }
}
