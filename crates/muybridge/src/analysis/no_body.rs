//! Tells whether a clip has a body to judge: cubes that no bone joins and strips of bones have none.
//!
//! A humanoid is a body, and so is what has masses of its own: a robot, a simulated thing with its body file. One rigid solid is a body too, a box
//! or a ball. Of what is weighed by the volume of its bones, a tree with limbs is a body, such as a dog; loose solids and a chain without limbs are
//! none, for nothing says how they hang together or what they could stand on.

use crate::character::{Character, WeighedBy};
use crate::motion::Clip;

/// Says in a sentence why the clip has no body; `None` if it has one, or nothing has mass. `range` are the analyzed frames `first..end`.
pub(crate) fn why_no_body(character: &Character, clip: &Clip, range: (usize, usize)) -> Option<String> {
    let bodies = &character.bodies;
    let heavy: Vec<usize> = (0..bodies.len()).filter(|&bone| bodies[bone].mass > 0.0).collect();
    if heavy.is_empty() || character.roles.iter().any(Option::is_some) {
        return None;
    }
    let why = match character.weighed_by()? {
        WeighedBy::LooseSolids => format!("{} solids that no bone joins", heavy.len()),
        WeighedBy::Capsules if heavy.len() > 1 && is_chain(character, &heavy) => {
            format!("a chain of {} bones without limbs has nothing to stand on", heavy.len())
        }
        WeighedBy::OneSolid if moves_without(character, clip, range, heavy[0]) => {
            "the bones that move carry no mass".to_owned()
        }
        _ => return None,
    };
    Some(format!("There is no body to judge: {why}. If it is a body, give its masses with --body."))
}

/// Whether the heavy bones are one line: each has one shape at most, and one heavy bone next below it at most.
fn is_chain(character: &Character, heavy: &[usize]) -> bool {
    let bones = character.skeleton.bones();
    let is_heavy = |bone: usize| character.bodies[bone].mass > 0.0;
    let above = |bone: usize| {
        let mut at = bones[bone].parent;
        while let Some(parent) = at.filter(|&parent| !is_heavy(parent)) {
            at = bones[parent].parent;
        }
        at
    };
    let mut parents: Vec<Option<usize>> = heavy.iter().map(|&bone| above(bone)).collect();
    parents.sort_unstable();
    parents.windows(2).all(|pair| pair[0] != pair[1])
        && heavy.iter().all(|&bone| character.bodies[bone].shapes.len() < 2)
}

/// Whether bones move, but neither the heavy one nor a bone that carries it.
fn moves_without(character: &Character, clip: &Clip, (first, end): (usize, usize), heavy: usize) -> bool {
    let moves = |bone: usize| {
        (first..end).any(|frame| {
            let turned = clip.rotation(bone, first).dot(clip.rotation(bone, frame)).abs() < 1.0 - 1e-9;
            turned || clip.translation(bone, first).distance(clip.translation(bone, frame)) > 1e-6
        })
    };
    let bones = character.skeleton.bones();
    let carries = core::iter::successors(Some(heavy), |&bone| bones[bone].parent);
    !carries.into_iter().any(moves) && (0..bones.len()).any(moves)
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::analysis::{Settings, Verdict, analyze};
    use crate::character::{BodySettings, Bone, CharacterEvidence, Skeleton, assemble};
    use crate::math::rotation::about;

    fn bone(name: &str, parent: Option<usize>, translation: DVec3, ends: Vec<DVec3>) -> Bone {
        Bone { name: name.into(), parent, translation, rotation: DQuat::IDENTITY, ends }
    }

    /// A character of these bones, and half a second in which the last one turns.
    fn swinging(bones: Vec<Bone>) -> (Character, Clip) {
        let skeleton = Skeleton::new(bones).unwrap();
        let count = skeleton.len();
        let mut clip = Clip::new(count, 30, 1.0 / 60.0).unwrap();
        for frame in 0..30 {
            for (bone, given) in skeleton.bones().iter().enumerate() {
                clip.set_translation(bone, frame, given.translation);
                clip.set_rotation(bone, frame, DQuat::IDENTITY);
            }
            clip.set_rotation(count - 1, frame, about(DVec3::X, 0.2 * libm::sin(0.2 * frame as f64)));
        }
        let character = assemble(&skeleton, &CharacterEvidence::default(), &BodySettings::default()).unwrap().character;
        (character, clip)
    }

    #[test]
    fn cubes_a_strip_and_bones_without_mass_are_no_body_and_undecided() {
        let cubes = (0..3).map(|at| bone(&format!("Cube{at}"), None, 3.0 * f64::from(at) * DVec3::X, vec![])).collect();
        let (mut cubes, spinning) = swinging(cubes);
        cubes.bodies.iter_mut().for_each(|body| body.mass = 1.0);
        cubes.body_source = WeighedBy::LooseSolids.source().into();
        let strip = swinging(vec![
            bone("Root", None, DVec3::ZERO, vec![]),
            bone("Lower", Some(0), DVec3::Y, vec![]),
            bone("Upper", Some(1), DVec3::Y, vec![DVec3::Y]),
        ]);
        let still =
            swinging(vec![bone("Crate", None, DVec3::ZERO, vec![]), bone("Switch", Some(0), DVec3::ZERO, vec![])]);
        for ((character, clip), word) in
            [((cubes, spinning), "3 solids"), (strip.clone(), "chain of"), (still, "carry no mass")]
        {
            let found = analyze(&character, &clip, &Settings::default());
            assert!(found.no_body.as_ref().is_some_and(|why| why.contains(word)), "{word}: {:?}", found.no_body);
            assert_eq!(found.verdict, Verdict::Undecided);
        }
        let (mut robot, clip) = strip;
        robot.body_source = "robot.xml".into();
        assert_eq!(why_no_body(&robot, &clip, (0, 30)), None, "masses of a file make a body");
    }

    #[test]
    fn a_box_that_moves_and_a_tree_with_limbs_are_bodies() {
        let crate_ = vec![bone("Crate", None, DVec3::ZERO, vec![])];
        let mut dog = vec![bone("Trunk", None, DVec3::Y, vec![DVec3::Z])];
        for (at, z) in [0.0, 0.0, 1.0, 1.0].into_iter().enumerate() {
            let x = if at % 2 == 0 { 0.2 } else { -0.2 };
            let hip = dog.len();
            dog.push(bone(&format!("A{at}"), Some(0), DVec3::new(x, 0.0, z), vec![]));
            dog.push(bone(&format!("B{at}"), Some(hip), DVec3::NEG_Y * 0.5, vec![DVec3::NEG_Y * 0.5]));
        }
        for (character, clip) in [crate_, dog].map(swinging) {
            assert_eq!(why_no_body(&character, &clip, (0, 30)), None);
        }
    }
}
