//! Sample characters: a person of 1.75 m and 70 kg in T-pose, and a small quadruped.
//!
//! The person has de Leva's (1996) male proportions, stands on y = 0 and faces +z, left on +x.

use glam::{DQuat, DVec3};

use crate::character::{BodySettings, Bone, Character, CharacterEvidence, Skeleton, assemble};

/// Lengths of upper arm, forearm and hand, meters.
const ARM: [f64; 3] = [0.276, 0.264, 0.185];
/// Thigh, shank and ankle height, meters.
pub(crate) const LEG: [f64; 3] = [0.416, 0.431, 0.069];
/// Distance of a hip joint from the middle, meters.
pub(crate) const HALF_HIPS: f64 = 0.085;

/// The person, with masses.
pub fn humanoid() -> Character {
    let mut bones = SkeletonBuilder::default();
    let hips = bones.add("Hips", None, [0.0, LEG.iter().sum(), 0.0]);
    let spine = bones.add("Spine", Some(hips), [0.0, 0.12, -0.01]);
    let chest = bones.add("Chest", Some(spine), [0.0, 0.16, 0.0]);
    let neck = bones.add("Neck", Some(chest), [0.0, 0.314, 0.0]);
    let head = bones.add("Head", Some(neck), [0.0, 0.09, 0.02]);
    bones.end(head, [0.0, 0.15, 0.0]);
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let shoulder = bones.add(&format!("{side}Shoulder"), Some(chest), [sign * 0.03, 0.24, 0.01]);
        let upper = bones.add(&format!("{side}UpperArm"), Some(shoulder), [sign * 0.15, -0.012, 0.0]);
        let lower = bones.add(&format!("{side}LowerArm"), Some(upper), [sign * ARM[0], 0.0, 0.0]);
        let hand = bones.add(&format!("{side}Hand"), Some(lower), [sign * ARM[1], 0.0, 0.0]);
        bones.end(hand, [sign * ARM[2], 0.0, 0.0]);
    }
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let upper = bones.add(&format!("{side}UpperLeg"), Some(hips), [sign * HALF_HIPS, 0.0, 0.0]);
        let lower = bones.add(&format!("{side}LowerLeg"), Some(upper), [0.0, -LEG[0], 0.0]);
        let foot = bones.add(&format!("{side}Foot"), Some(lower), [0.0, -LEG[1], 0.0]);
        bones.end(foot, [0.0, -LEG[2], -0.06]);
        let toes = bones.add(&format!("{side}Toes"), Some(foot), [0.0, -0.05, 0.125]);
        bones.end(toes, [0.0, -0.019, 0.065]);
    }
    weighed(bones, 70.0)
}

/// A quadruped of about 0.6 m at the shoulder and 20 kg, with masses from the volume of its bones.
pub fn quadruped() -> Character {
    let mut bones = SkeletonBuilder::default();
    let hips = bones.add("Haunch", None, [0.0, 0.58, -0.3]);
    let back = bones.add("Back", Some(hips), [0.0, 0.02, 0.3]);
    let withers = bones.add("Withers", Some(back), [0.0, 0.0, 0.3]);
    let neck = bones.add("Neck", Some(withers), [0.0, 0.06, 0.08]);
    let head = bones.add("Head", Some(neck), [0.0, 0.18, 0.12]);
    bones.end(head, [0.0, -0.03, 0.18]);
    let tail = bones.add("Tail", Some(hips), [0.0, 0.0, -0.1]);
    bones.end(tail, [0.0, -0.05, -0.3]);
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        for (end, parent, bend) in [("Fore", withers, -0.04), ("Hind", hips, 0.06)] {
            let upper = bones.add(&format!("{side}{end}Upper"), Some(parent), [sign * 0.09, -0.08, 0.0]);
            let lower = bones.add(&format!("{side}{end}Lower"), Some(upper), [0.0, -0.22, bend]);
            let paw = bones.add(&format!("{side}{end}Paw"), Some(lower), [0.0, -0.22, -bend]);
            bones.end(paw, [0.0, -0.06, 0.03]);
        }
    }
    weighed(bones, 20.0)
}

#[derive(Default)]
struct SkeletonBuilder(Vec<Bone>);

impl SkeletonBuilder {
    fn add(&mut self, name: &str, parent: Option<usize>, offset: [f64; 3]) -> usize {
        let (translation, rotation) = (DVec3::from_array(offset), DQuat::IDENTITY);
        self.0.push(Bone { name: name.into(), parent, translation, rotation, ends: Vec::new() });
        self.0.len() - 1
    }

    fn end(&mut self, bone: usize, offset: [f64; 3]) {
        self.0[bone].ends.push(DVec3::from_array(offset));
    }
}

fn weighed(bones: SkeletonBuilder, mass: f64) -> Character {
    let skeleton = Skeleton::new(bones.0).expect("parents first, names unique");
    let settings = BodySettings { mass: Some(mass), ..BodySettings::default() };
    let character = assemble(&skeleton, &CharacterEvidence::default(), &settings).expect("a sound skeleton").character;
    // The clips stand on these very soles.
    Character { measured_contacts: true, ..character }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::{Role, Side};

    #[test]
    fn the_person_is_1_75_m_tall_stands_on_the_floor_and_has_every_limb() {
        let person = humanoid();
        let rest = person.skeleton.rest_pose();
        let points = person.skeleton.bones().iter().zip(&rest).flat_map(|(bone, (position, rotation))| {
            bone.ends.iter().map(move |&end| *position + *rotation * end).chain([*position])
        });
        let (low, high) = points.fold((f64::MAX, f64::MIN), |(low, high), p| (p.y.min(low), p.y.max(high)));
        assert!(low.abs() < 1e-12 && (high - 1.75).abs() < 1e-12, "{low} {high}");
        for role in Role::ALL {
            assert_eq!(person.bone_of(role).is_some(), role != Role::UpperChest, "{}", role.name());
        }
        let arm = person.bone_of(Role::UpperArm(Side::Left)).unwrap();
        assert!(rest[arm].0.x > 0.0, "left is +x");
        assert!((person.mass() - 70.0).abs() < 1e-12);
    }

    #[test]
    fn s1_the_mass_center_of_a_symmetric_t_pose_is_on_the_symmetry_plane() {
        let person = humanoid();
        let rest = person.skeleton.rest_pose();
        let bodies = person.bodies.iter().zip(&rest);
        let moment: DVec3 = bodies.map(|(body, (p, q))| (*p + *q * body.center) * body.mass).sum();
        assert!((moment / person.mass()).x.abs() < 1e-12);
        // Standing height of the center of mass: 0.55 to 0.58 of stature in adults (arms raised to the sides).
        assert!((0.54..0.60).contains(&(moment.y / person.mass() / 1.75)), "{}", moment.y / person.mass());
    }

    #[test]
    fn s32_the_quadruped_is_no_humanoid_and_weighs_what_it_is_told() {
        let dog = quadruped();
        assert!(dog.roles.iter().all(Option::is_none));
        assert!((dog.mass() - 20.0).abs() < 1e-12);
        assert!(dog.bodies.iter().all(|body| body.mass > 0.0));
        assert!(!dog.contacts.is_empty());
    }
}
