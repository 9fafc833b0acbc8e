//! Models fitted to the bones of clips.

use muybridge::character::Bone;

use super::*;
use crate::mjcf;
use crate::test_files::{here, path as shared, whole};

fn shared_model(path: &str) -> Model {
    let path = shared(path);
    mjcf::read(&std::fs::read(&path).unwrap(), &mut mjcf::include_reader(&path, &crate::AllowedFiles::default()))
        .unwrap()
}

/// Reads the skeleton of a BVH, and the local rotations of every frame.
fn bvh(path: &str) -> (Skeleton, Vec<Vec<DQuat>>) {
    let text = std::fs::read_to_string(shared(path)).unwrap();
    let (mut bones, mut open, mut in_end): (Vec<Bone>, Vec<usize>, bool) = (Vec::new(), Vec::new(), false);
    let (mut channels, mut frames) = (Vec::new(), Vec::new());
    for words in text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()) {
        match words[..] {
            ["ROOT" | "JOINT", name] => {
                let parent = open.last().copied();
                open.push(bones.len());
                bones.push(bone(name, parent, DVec3::ZERO));
            }
            ["End", "Site"] => in_end = true,
            ["OFFSET", x, y, z] if !in_end => {
                bones[*open.last().unwrap()].translation = DVec3::from([x, y, z].map(|w| w.parse().unwrap()));
            }
            ["CHANNELS", _, ref names @ ..] => channels.extend(names.iter().map(|name| (bones.len() - 1, *name))),
            ["}"] if in_end => in_end = false,
            ["}"] => drop(open.pop()),
            [first, ..] if first.parse::<f64>().is_ok() => frames.push(rotations(bones.len(), &channels, &words)),
            _ => {}
        }
    }
    (Skeleton::new(bones).unwrap(), frames)
}

fn rotations(bones: usize, channels: &[(usize, &str)], words: &[&str]) -> Vec<DQuat> {
    let mut rotations = vec![DQuat::IDENTITY; bones];
    for ((bone, channel), word) in channels.iter().zip(words) {
        let axis = match *channel {
            "Xrotation" => DVec3::X,
            "Yrotation" => DVec3::Y,
            "Zrotation" => DVec3::Z,
            _ => continue,
        };
        rotations[*bone] *= muybridge::math::rotation::about(axis, word.parse::<f64>().unwrap().to_radians());
    }
    rotations
}

fn bone(name: &str, parent: Option<usize>, translation: DVec3) -> Bone {
    Bone { name: name.to_owned(), parent, translation, rotation: DQuat::IDENTITY, ends: Vec::new() }
}

fn body(name: &str, parent: Option<usize>, position: DVec3, mass: f64) -> ModelBody {
    let body =
        Body { mass, center: DVec3::X, inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)), shapes: vec![] };
    ModelBody {
        name: name.to_owned(),
        parent,
        position,
        rotation: DQuat::IDENTITY,
        body,
        range: JointRange::Fixed,
        contacts: vec![(DVec3::X, 0.1)],
    }
}

fn model(bodies: Vec<ModelBody>) -> Model {
    Model { format: "test".to_owned(), bodies, up: None, ignored: Vec::new() }
}

/// A trunk with an arm and a leg; no two offsets are parallel.
fn small_model() -> Model {
    model(vec![
        body("hips", None, DVec3::ZERO, 5.0),
        body("arm", Some(0), DVec3::new(0.1, 0.2, 0.6), 1.0),
        body("leg", Some(0), DVec3::new(0.0, 0.3, -0.9), 2.0),
    ])
}

fn small_skeleton(turn: impl Fn(DVec3) -> DVec3) -> Skeleton {
    let model = small_model();
    let bones = model.bodies.iter().map(|b| bone(&b.name, b.parent, turn(b.position))).collect();
    Skeleton::new(bones).unwrap()
}

/// The skeleton of the CMU humanoid's tumble. Its file is not in the small set; without it, the same bones are taken from
/// the bodies of the model, with (X, Y, Z) = (y, z, x) of MuJoCo.
fn cmu_skeleton(model: &Model) -> Skeleton {
    if whole() {
        return bvh("truth/cmu2020_tumble_120.bvh").0;
    }
    let bones = model.bodies.iter().map(|body| {
        let [x, y, z] = body.parent.map_or(DVec3::ZERO, |_| body.position).to_array();
        bone(&body.name, body.parent, DVec3::new(y, z, x))
    });
    Skeleton::new(bones.collect()).unwrap()
}

fn agrees_with_table(skeleton: &Skeleton, model: &Model, table: &str, total: f64) {
    let fitted = fit(model, skeleton, 1.0).unwrap();
    assert_eq!(fitted.axes, "(X, Y, Z) = (y, z, x)");
    let mass: f64 = fitted.bodies.iter().map(|body| body.mass).sum();
    assert!((mass - total).abs() < 1e-3, "{mass}");
    for line in std::fs::read_to_string(shared(table)).unwrap().lines().skip(1) {
        let (name, numbers) = line.split_once(',').unwrap();
        let n: Vec<f64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        let body = &fitted.bodies[skeleton.find(name).unwrap()];
        assert!((body.mass - n[0]).abs() < 1e-6, "{name}");
        assert!((body.center - DVec3::new(n[1], n[2], n[3])).length() < 1e-6, "{name}: {}", body.center);
        let diagonal = DVec3::new(body.inertia.x_axis.x, body.inertia.y_axis.y, body.inertia.z_axis.z);
        assert!((diagonal - DVec3::new(n[4], n[5], n[6])).length() < 1e-6, "{name}: {diagonal}");
        assert!((body.inertia.y_axis.x - n[7]).abs() < 1e-6, "{name}");
    }
}

#[test]
fn the_mujoco_humanoid_lands_on_the_bones_of_its_jump_with_the_masses_of_its_table() {
    let (skeleton, _) = bvh("truth/mj_jump_30.bvh");
    let model = shared_model("models/mjcf/mujoco_humanoid.xml");
    agrees_with_table(&skeleton, &model, "truth/mj_jump_30_body.csv", 40.844);
}

#[test]
fn the_cmu_humanoid_lands_on_the_bones_of_its_tumble_with_the_masses_of_its_table() {
    let model = shared_model("models/mjcf/dm_humanoid_CMU_V2020.xml");
    agrees_with_table(&cmu_skeleton(&model), &model, "truth/cmu2020_tumble_120_body.csv", 66.954);
}

#[test]
fn contacts_of_the_humanoid_stand_where_its_geoms_are() {
    let (skeleton, _) = bvh("truth/mj_jump_30.bvh");
    let fitted = fit(&shared_model("models/mjcf/mujoco_humanoid.xml"), &skeleton, 1.0).unwrap();
    for line in std::fs::read_to_string(shared("truth/mj_geoms.csv")).unwrap().lines().skip(1) {
        let words: Vec<&str> = line.split(',').collect();
        let n: Vec<f64> = words[3..].iter().map(|n| n.parse().unwrap()).collect();
        let bone = skeleton.find(words[0]).unwrap();
        for end in [DVec3::new(n[0], n[1], n[2]), DVec3::new(n[3], n[4], n[5])] {
            let near = |c: &&ContactPoint| c.bone == bone && (c.position - end).length() < 2e-6 && c.radius == n[6];
            assert!(fitted.contacts.iter().any(|c| near(&c)), "{line}");
        }
    }
}

/// Checks that every hinge of a simulated clip turns about its axis alone. Returns the number of hinges that moved, and the
/// greatest excess over the range of a bone above 0.3 kg, radians: MuJoCo's limits are springs, which fingers and toes exceed more.
fn hinges_hold(clip: &str, path: &str) -> (usize, f64) {
    let (skeleton, frames) = bvh(clip);
    let fitted = fit(&shared_model(path), &skeleton, 1.0).unwrap();
    let (mut moved, mut excess) = (std::collections::BTreeSet::new(), 0.0_f64);
    for (bone, range) in fitted.ranges.iter().enumerate() {
        let JointRange::Hinge { axis, lower, upper } = *range else { continue };
        for frame in &frames {
            let turn = muybridge::math::rotation::log(fitted.rest[bone].conjugate() * frame[bone]);
            let angle = turn.dot(axis);
            assert!((turn - axis * angle).length() < 1e-5, "{}: {turn} {axis}", skeleton.bones()[bone].name);
            let whole_turns = ((0.5 * (lower + upper) - angle) / std::f64::consts::TAU).round();
            let angle = angle + whole_turns * std::f64::consts::TAU;
            if fitted.bodies[bone].mass > 0.3 {
                excess = excess.max(lower - angle).max(angle - upper);
            }
            if angle.abs() > 0.1 {
                moved.insert(bone);
            }
        }
    }
    (moved.len(), excess)
}

#[test]
fn simulated_knees_and_elbows_turn_about_their_fitted_axes_within_their_ranges() {
    let clips = [
        ("truth/mj_jump_120.bvh", "models/mjcf/mujoco_humanoid.xml", 4..=4, 0.01),
        ("truth/mj_jump_30.bvh", "models/mjcf/mujoco_humanoid.xml", 4..=4, 0.01),
        ("truth/cmu2020_tumble_120.bvh", "models/mjcf/dm_humanoid_CMU_V2020.xml", 4..=30, 0.1),
    ];
    for (clip, model, hinges, most) in here(clips, |case| case.0.into()) {
        let (moved, excess) = hinges_hold(clip, model);
        assert!(hinges.contains(&moved) && excess < most, "{clip}: {moved} {excess}");
    }
}

#[test]
fn with_the_fitted_rest_rotations_the_clips_skeleton_stands_as_the_model_does() {
    let model = shared_model("models/mjcf/dm_humanoid_CMU_V2020.xml");
    let skeleton = cmu_skeleton(&model);
    let fitted = fit(&model, &skeleton, 1.0).unwrap();
    let mut bones = skeleton.bones().to_vec();
    bones.iter_mut().zip(&fitted.rest).for_each(|(bone, rest)| bone.rotation = *rest);
    let stands = Skeleton::new(bones).unwrap();
    let mut world: Vec<(DVec3, DQuat)> = Vec::new();
    for body in &model.bodies {
        let (position, rotation) = body.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| world[parent]);
        world.push((position + rotation * body.position, rotation * body.rotation));
        let at = world[world.len() - 1].0;
        let found = stands.rest_pose()[stands.find(&body.name).unwrap()].0;
        assert!((found - DVec3::new(at.y, at.z, at.x)).length() < 1e-5, "{}: {found} {at}", body.name);
    }
}

#[test]
fn all_24_turns_are_proper_and_different() {
    let turns = axis_turns();
    assert_eq!(turns.len(), 24);
    assert!(turns.iter().all(|turn| turn.determinant() == 1.0));
}

#[test]
fn a_model_of_the_clips_own_axes_is_not_turned() {
    let fitted = fit(&small_model(), &small_skeleton(|v| v), 1.0).unwrap();
    assert_eq!((fitted.axes.as_str(), fitted.bodies[1].center), ("as in the file", DVec3::X));
}

#[test]
fn a_z_up_model_is_turned_to_any_y_up_clip_and_to_its_unit() {
    let fitted = fit(&small_model(), &small_skeleton(|v| DVec3::new(v.x, v.z, -v.y) * 100.0), 0.01).unwrap();
    assert_eq!(fitted.axes, "(X, Y, Z) = (x, z, −y)");
    let inertia = fitted.bodies[0].inertia;
    assert_eq!([inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z], [1.0, 3.0, 2.0]);
    assert_eq!(fitted.contacts[2].bone, 2);
}

#[test]
fn a_clip_of_other_proportions_or_another_unit_is_an_error_that_names_a_bone() {
    for scale in [1.05, 0.01, -1.0, f64::NAN] {
        let error = fit(&small_model(), &small_skeleton(|v| v), scale).unwrap_err().to_string();
        assert!(error.contains("under no turn"), "{error}");
    }
}

#[test]
fn bodies_without_a_bone_are_an_error_unless_they_weigh_next_to_nothing() {
    let mut bodies = small_model().bodies;
    bodies.push(ModelBody { range: JointRange::Free, ..body("tail", Some(0), DVec3::X, 0.5) });
    let error = fit(&model(bodies.clone()), &small_skeleton(|v| v), 1.0).unwrap_err().to_string();
    assert!(error.contains("“tail”"), "{error}");
    bodies[3].body.mass = 1e-6;
    assert!(fit(&model(bodies), &small_skeleton(|v| v), 1.0).is_ok());
}

#[test]
fn a_body_without_joint_and_bone_is_a_part_of_its_parent() {
    let mut bodies = small_model().bodies;
    let quarter = muybridge::math::rotation::about(DVec3::Z, std::f64::consts::FRAC_PI_2);
    let helmet = ModelBody { rotation: quarter, ..body("helmet", Some(1), DVec3::new(0.0, 0.0, 2.0), 3.0) };
    bodies.push(helmet);
    bodies.push(ModelBody { contacts: vec![], ..body("lamp", Some(3), DVec3::X, 0.0) });
    let fitted = fit(&model(bodies), &small_skeleton(|v| v), 1.0).unwrap();
    let arm = &fitted.bodies[1];
    // 1 kg at (1, 0, 0) and 3 kg at (0, 1, 2): reduced mass 3/4 kg, apart by (−1, 1, 2).
    assert_eq!(arm.mass, 4.0);
    assert!(arm.center.distance(DVec3::new(0.25, 0.75, 1.5)) < 1e-15, "{}", arm.center);
    let diagonal = DVec3::new(arm.inertia.x_axis.x, arm.inertia.y_axis.y, arm.inertia.z_axis.z);
    let (own, turned) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 1.0, 3.0));
    let apart = 0.75 * DVec3::new(5.0, 5.0, 2.0);
    assert!(diagonal.distance(own + turned + apart) < 1e-14, "{diagonal}");
    let spheres: Vec<DVec3> = fitted.contacts.iter().filter(|at| at.bone == 1).map(|at| at.position).collect();
    assert!(spheres.len() == 2 && spheres[1].distance(DVec3::new(0.0, 1.0, 2.0)) < 1e-15, "{spheres:?}");
    assert_eq!(fitted.notes, ["body “helmet” has no joint and no bone; it is a part of “arm”"]);
}

#[test]
fn bones_the_model_does_not_name_weigh_nothing() {
    let mut bones = small_skeleton(|v| v).bones().to_vec();
    bones.push(bone("hat", Some(0), DVec3::Y));
    let fitted = fit(&small_model(), &Skeleton::new(bones).unwrap(), 1.0).unwrap();
    assert_eq!((fitted.bodies[3].clone(), fitted.ranges[3].clone()), (Body::none(), JointRange::Free));
}

#[test]
fn offsets_that_leave_the_turn_open_are_an_error_not_a_guess() {
    let line = model(vec![body("a", None, DVec3::ZERO, 1.0), body("b", Some(0), DVec3::X, 1.0)]);
    let clip = Skeleton::new(vec![bone("a", None, DVec3::ZERO), bone("b", Some(0), DVec3::Y)]).unwrap();
    let error = fit(&line, &clip, 1.0).unwrap_err().to_string();
    assert!(error.contains("several turns"), "{error}");
}

#[test]
fn a_bone_between_two_named_ones_does_not_stand_in_the_way() {
    let mut bones = small_skeleton(|v| v).bones().to_vec();
    bones[2].translation = DVec3::new(0.0, 0.1, -0.4);
    bones[2].name = "helper".to_owned();
    bones.push(bone("leg", Some(2), DVec3::new(0.0, 0.2, -0.5)));
    assert!(fit(&small_model(), &Skeleton::new(bones).unwrap(), 1.0).is_ok());
}
