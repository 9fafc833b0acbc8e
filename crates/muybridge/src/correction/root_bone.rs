//! Root bone of the whole body: the bone whose transform moves everything without changing a joint angle.

use glam::{DQuat, DVec3};

use crate::character::{Character, Skeleton};
use crate::motion::{Clip, world_of};

/// Bones that together carry all mass and all contact points; a single bone in nearly all skeletons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootBone {
    bones: Vec<usize>,
}

impl RootBone {
    /// Finds the deepest bone that carries everything and whose position `clip` animates (the hips below an unmoving root). Returns the root if no
    /// such bone moves, and all massive roots if a skeleton has several. `None` without mass.
    pub fn of(character: &Character, clip: &Clip) -> Option<Self> {
        let skeleton = &character.skeleton;
        let load = load_below(character);
        let total: usize = skeleton.roots().map(|root| load[root]).sum();
        let roots: Vec<usize> = skeleton.roots().filter(|&root| load[root] > 0).collect();
        let &[root] = roots.as_slice() else {
            return (!roots.is_empty()).then_some(Self { bones: roots });
        };
        let (mut chain, mut bone) = (vec![root], root);
        while let Some(child) = skeleton.children(bone).find(|&child| load[child] == total) {
            chain.push(child);
            bone = child;
        }
        let moves = |bone: usize| {
            let first = clip.translation(bone, 0);
            (1..clip.frames()).any(|frame| clip.translation(bone, frame) != first)
        };
        let deepest = chain.iter().rev().find(|&&bone| moves(bone)).copied().unwrap_or(root);
        Some(Self { bones: vec![deepest] })
    }

    /// Indices of the bones, in the skeleton's order.
    pub fn bones(&self) -> &[usize] {
        &self.bones
    }

    /// Moves the body by `by` (world, meters) in one frame.
    pub(crate) fn translate(&self, skeleton: &Skeleton, clip: &mut Clip, frame: usize, by: DVec3) {
        for &bone in &self.bones {
            let local = match skeleton.bones()[bone].parent {
                Some(parent) => world_of(skeleton, clip, parent, frame).1.conjugate() * by,
                None => by,
            };
            clip.set_translation(bone, frame, clip.translation(bone, frame) + local);
        }
    }

    /// Turns the body by `turn` about the point `center` (world, meters) in one frame.
    pub fn turn(&self, skeleton: &Skeleton, clip: &mut Clip, frame: usize, center: DVec3, turn: DQuat) {
        for &bone in &self.bones {
            let (above, upright) = match skeleton.bones()[bone].parent {
                Some(parent) => world_of(skeleton, clip, parent, frame),
                None => (DVec3::ZERO, DQuat::IDENTITY),
            };
            let position = above + upright * clip.translation(bone, frame);
            let turned = center + turn * (position - center);
            clip.set_translation(bone, frame, upright.conjugate() * (turned - above));
            let rotation = upright.conjugate() * turn * upright * clip.rotation(bone, frame);
            clip.set_rotation(bone, frame, rotation.normalize());
        }
    }
}

/// Number of massive bodies and contact points in the subtree of each bone.
fn load_below(character: &Character) -> Vec<usize> {
    let mut load: Vec<usize> = character.bodies.iter().map(|body| usize::from(body.mass > 0.0)).collect();
    if load.iter().any(|&count| count > 0) {
        for contact in &character.contacts {
            load[contact.bone] += 1;
        }
    }
    for bone in (0..character.skeleton.len()).rev() {
        if let Some(parent) = character.skeleton.bones()[bone].parent {
            load[parent] += load[bone];
        }
    }
    load
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::momentum::BodyMotion;
    use crate::character::Bone;
    use crate::math::rotation::exp;
    use crate::motion::WorldMotion;
    use crate::samples;

    /// The sample under two bones that are rotated in the world: a scene and an unmoving root.
    fn below_a_root() -> (Character, Clip) {
        let (mut character, jump) = (samples::humanoid(), samples::jump());
        let still = |name: &str, parent| Bone {
            name: name.into(),
            parent,
            translation: DVec3::new(0.3, 0.1, -0.2),
            rotation: exp(DVec3::new(0.4, -0.9, 0.2)),
            ends: vec![],
        };
        let mut bones = vec![still("scene", None), still("armature", Some(0))];
        bones.extend(
            character
                .skeleton
                .bones()
                .iter()
                .map(|bone| Bone { parent: Some(bone.parent.map_or(1, |parent| parent + 2)), ..bone.clone() }),
        );
        let mut clip = Clip::new(bones.len(), jump.frames(), jump.frame_time).unwrap();
        for frame in 0..jump.frames() {
            for bone in 0..bones.len() {
                let (translation, rotation) = match bone.checked_sub(2) {
                    None => (bones[bone].translation, bones[bone].rotation),
                    Some(bone) => (jump.translation(bone, frame), jump.rotation(bone, frame)),
                };
                clip.set_translation(bone, frame, translation);
                clip.set_rotation(bone, frame, rotation);
            }
        }
        character.skeleton = Skeleton::new(bones).unwrap();
        let none = [crate::character::Body::none(), crate::character::Body::none()];
        character.bodies.splice(0..0, none);
        character.roles.splice(0..0, [None, None]);
        character.contacts.iter_mut().for_each(|contact| contact.bone += 2);
        (character, clip)
    }

    #[test]
    fn the_hips_below_a_still_root_carry_the_body() {
        let (character, clip) = below_a_root();
        assert_eq!(RootBone::of(&character, &clip).unwrap().bones(), [2]);
        assert_eq!(RootBone::of(&samples::humanoid(), &samples::jump()).unwrap().bones(), [0]);
        let mut weightless = character;
        weightless.bodies.fill(crate::character::Body::none());
        assert!(RootBone::of(&weightless, &clip).is_none());
    }

    #[test]
    fn what_is_moved_and_turned_moves_and_turns_in_the_world_and_no_joint_angle_changes() {
        let (character, mut clip) = below_a_root();
        let carrier = RootBone::of(&character, &clip).unwrap();
        let (before, frame) = (clip.clone(), 7);
        let world = |clip: &Clip| WorldMotion::new(&character.skeleton, clip);
        let old = world(&clip);
        let center = BodyMotion::new(&character, &old).mass_center(frame);
        let (by, turn) = (DVec3::new(0.1, -0.2, 0.3), exp(DVec3::new(0.5, 1.0, -0.7)));
        carrier.translate(&character.skeleton, &mut clip, frame, by);
        carrier.turn(&character.skeleton, &mut clip, frame, center + by, turn);
        let new = world(&clip);
        for bone in 2..clip.bones() {
            let expected = center + by + turn * (old.position(bone, frame) - center);
            assert!((new.position(bone, frame) - expected).length() < 1e-13);
            assert!((new.rotation(bone, frame) * (turn * old.rotation(bone, frame)).conjugate()).w.abs() > 1.0 - 1e-14);
        }
        assert!((BodyMotion::new(&character, &new).mass_center(frame) - center - by).length() < 1e-13);
        for bone in (0..clip.bones()).filter(|&bone| bone != 2) {
            assert_eq!(clip.rotation(bone, frame), before.rotation(bone, frame));
            assert_eq!(clip.translation(bone, frame), before.translation(bone, frame));
        }
        assert_eq!(clip.cut(0, 7), before.cut(0, 7));
        assert!((world_of(&character.skeleton, &clip, 5, 7).0 - new.position(5, 7)).length() < 1e-14);
    }
}
