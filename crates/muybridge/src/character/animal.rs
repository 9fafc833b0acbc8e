//! Tells animals from people, whatever their bones are called: nobody has the mass and proportions of a person who
//! walks on four legs, or whose arms are wings.

use glam::DVec3;

use super::Skeleton;
use super::ancestry::Family;
use super::humanoid::{Role, RoleMap, Side};
use super::humanoid_names::words;
use super::reference_pose::stands_at_rest;
use crate::motion::{Clip, world_of};

/// Words that only the bones of animals have.
const OF_ANIMALS: [&str; 8] = ["beak", "paw", "hoof", "fetlock", "pastern", "horselink", "foreleg", "hindleg"];
/// Words that mark a leg as one of four.
const OF_FOUR_LEGS: [&str; 7] = ["hind", "front", "rear", "foreupper", "forelower", "backleg", "backupper"];
/// Words of a wing; a person may have wings beside arms.
const WINGS: [&str; 3] = ["wing", "wings", "feather"];

/// Least length of arms and of the trunk, as shares of the legs', with which a body may walk on four legs. People have
/// 0.64 and 0.6 (de Leva), dogs 1.0 and 1.4.
const FOUR_LEGGED: f64 = 0.8;

/// Why a skeleton with these roles is an animal, in words; `None` for a person. Without a clip, the rest pose counts.
pub(crate) fn animal(skeleton: &Skeleton, family: &Family, map: &RoleMap, clip: Option<&Clip>) -> Option<String> {
    let says = |bone: usize, list: &[&str]| {
        let words = words(&skeleton.bones()[bone].name);
        let pairs = words.windows(2).map(<[String]>::concat);
        words.iter().cloned().chain(pairs).any(|word| list.contains(&word.as_str()))
    };
    let called = |bone: usize| format!("it has the bone “{}” of an animal", skeleton.bones()[bone].name);
    let limb = |bone: usize| map.roles[bone].is_some_and(|role| role.side().is_some());
    let arms = [Side::Left, Side::Right].iter().all(|&side| map.bone_of(Role::UpperArm(side)).is_some());
    let of_animal = |&bone: &usize| {
        says(bone, &OF_ANIMALS)
            || limb(bone) && says(bone, &OF_FOUR_LEGS) && !says(bone, &["arm"])
            || says(bone, &WINGS) && (limb(bone) || !arms)
    };
    if let Some(bone) = (0..skeleton.len()).find(of_animal) {
        return Some(called(bone));
    }
    let share = |of: fn(&AnimalPosture) -> bool| share_of_frames(skeleton, map, clip, of);
    // A stocky figure of a game that sits with its arms down stands upright at rest, as no dog does.
    let may_walk_on_four = has_long_arms_and_trunk(skeleton, family, map) && !stands_at_rest(skeleton, map);
    if may_walk_on_four && share(|pose| pose.on_four_legs) > 0.25 {
        return Some("it walks on four legs".into());
    }
    let tail = |&bone: &usize| says(bone, &["tail"]) && !says(bone, &["hair", "coat", "pony"]);
    let tail = (0..skeleton.len()).find(tail).filter(|&tail| !family.children(tail).is_empty());
    let lies = |pose: &AnimalPosture| pose.trunk_across;
    tail.filter(|_| share(lies) > 0.5).map(|_| "it has a tail and a trunk across its legs".into())
}

/// How a body holds itself in one pose, from directions between its own joints.
struct AnimalPosture {
    /// The arms are parallel to the legs, and the trunk is across them.
    on_four_legs: bool,
    /// The trunk does not stand on the legs.
    trunk_across: bool,
}

fn share_of_frames(skeleton: &Skeleton, map: &RoleMap, clip: Option<&Clip>, of: fn(&AnimalPosture) -> bool) -> f64 {
    let Some(clip) = clip else {
        let rest = skeleton.rest_pose();
        return f64::from(u8::from(posture(map, &|bone| rest[bone].0).is_some_and(|pose| of(&pose))));
    };
    // A dog sits up at times.
    let frames: Vec<usize> = (0..clip.frames()).step_by(1 + clip.frames() / 33).collect();
    let held =
        |&&frame: &&usize| posture(map, &|bone| world_of(skeleton, clip, bone, frame).0).is_some_and(|pose| of(&pose));
    frames.iter().filter(held).count() as f64 / frames.len() as f64
}

fn posture(map: &RoleMap, place: &dyn Fn(usize) -> DVec3) -> Option<AnimalPosture> {
    let at = |role| map.bone_of(role).map(place);
    let sum = |start: fn(Side) -> Role, end: fn(Side) -> Role| -> Option<DVec3> {
        let of = |side| Some((at(end(side))? - at(start(side))?).normalize_or_zero());
        Some((of(Side::Left)? + of(Side::Right)?).normalize_or_zero())
    };
    let middle = |of: fn(Side) -> Role| Some((at(of(Side::Left))? + at(of(Side::Right))?) * 0.5);
    let leg = sum(Role::UpperLeg, Role::Foot).or_else(|| sum(Role::UpperLeg, Role::LowerLeg))?;
    let arm = sum(Role::UpperArm, Role::Hand).or_else(|| sum(Role::UpperArm, Role::LowerArm));
    let top = middle(Role::UpperArm).or_else(|| at(Role::Neck)).or_else(|| at(Role::Head))?;
    let trunk = (top - middle(Role::UpperLeg)?).normalize_or_zero();
    let trunk_across = trunk.dot(leg) > -0.6;
    Some(AnimalPosture { on_four_legs: trunk_across && arm.is_some_and(|arm| arm.dot(leg) > 0.6), trunk_across })
}

fn has_long_arms_and_trunk(skeleton: &Skeleton, family: &Family, map: &RoleMap) -> bool {
    let reach = |from: Role, to: Role| Some(family.reach(skeleton, map.bone_of(from)?, map.bone_of(to)?));
    let limbs = |of: [fn(Side) -> Role; 3]| -> Option<f64> {
        let one = |side| Some(reach(of[0](side), of[1](side))? + reach(of[1](side), of[2](side))?);
        Some(one(Side::Left)? + one(Side::Right)?)
    };
    let legs = limbs([Role::UpperLeg, Role::LowerLeg, Role::Foot]);
    let arms = limbs([Role::UpperArm, Role::LowerArm, Role::Hand]);
    let trunk = reach(Role::Hips, Role::UpperArm(Side::Left));
    let (Some(legs), Some(arms), Some(trunk)) = (legs, arms, trunk) else { return true };
    arms > FOUR_LEGGED * legs && 2.0 * trunk > FOUR_LEGGED * legs
}
