//! The URDF reader on published robots.

use muybridge::collision::shape::Shape;
use muybridge::glam::DMat3;

use super::*;
use crate::test_files;

fn read_shared(path: &str) -> Model {
    read(&std::fs::read(test_files::path(path)).unwrap()).unwrap()
}

#[test]
fn the_deepmimic_humanoid_is_read_past_the_nul_byte_at_its_end() {
    let model = read_shared("models/urdf/pybullet_deepmimic_humanoid.urdf");
    let root = model.find("root").unwrap();
    assert_eq!((model.bodies[root].range.clone(), model.bodies[root].body.mass), (JointRange::Fixed, 6.0));
    let moving = model.mass() - model.bodies[root].body.mass - model.bodies[0].body.mass;
    assert!((moving - 39.0).abs() < 1e-9, "MuJoCo counts 39 kg, without what is welded to the world: {moving}");
    let knee = &model.bodies[model.find("right_knee").unwrap()];
    assert_eq!(knee.parent, model.find("right_hip"));
    assert!(
        matches!(knee.range, JointRange::Hinge { axis: DVec3::Z, lower, upper: 0.0 } if (-3.15..-3.13).contains(&lower))
    );
    assert_eq!(knee.body.shapes[0].shape, Shape::Capsule { radius: 0.2, half_length: 0.62 });
    let ends: Vec<f64> = knee.contacts.iter().map(|(point, _)| point.y).collect();
    assert!(
        (ends[0] + ends[1] + 1.6).abs() < 1e-5 && (ends[0] - ends[1]).abs() > 1.23,
        "the shin lies along y: {ends:?}"
    );
    let feet: Vec<usize> =
        model.bodies.iter().filter(|b| b.name.ends_with("ankle")).map(|b| b.contacts.len()).collect();
    assert_eq!(feet, [8, 8], "the corners of two boxes");
}

#[test]
fn the_simple_humanoid_weighs_what_pinocchio_says_without_its_mesh() {
    let model = read_shared("models/urdf/pinocchio_simple_humanoid.urdf");
    assert_eq!(model.bodies.len(), 30);
    assert!((model.mass() - 130.80).abs() < 1e-9, "{}", model.mass());
    assert!(model.ignored.iter().any(|sentence| sentence.contains("<mesh>")), "{:?}", model.ignored);
    assert!(model.bodies.iter().enumerate().all(|(index, body)| body.parent.is_none_or(|parent| parent < index)));
}

#[test]
fn a_link_and_a_joint_may_have_one_name() {
    let model = read_shared("malformed/urdf/link_and_joint_identical_name.urdf");
    let names: Vec<&str> = model.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["base", "trunk"]);
    assert_eq!((model.bodies[1].parent, model.bodies[1].range.clone()), (Some(0), JointRange::Fixed));
}

#[test]
fn roll_pitch_yaw_turn_about_the_fixed_axes_in_this_order() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let text = format!(
        r#"<robot name="r"><link name="b"><inertial><origin xyz="1 2 3" rpy="0 0 {quarter}"/><mass value="2"/>
           <inertia ixx="1" iyy="2" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="a"/>
           <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
           <origin xyz="0 0 1" rpy="{quarter} 0 {quarter}"/><axis xyz="0 2 0"/></joint></robot>"#
    );
    let model = read(text.as_bytes()).unwrap();
    let body = &model.bodies[1];
    assert!((body.rotation * DVec3::Y - DVec3::Z).length() < 1e-15, "roll takes y to z, yaw leaves it");
    assert!((body.rotation * DVec3::X - DVec3::Y).length() < 1e-15);
    assert!(body.body.inertia.abs_diff_eq(DMat3::from_diagonal(DVec3::new(2.0, 1.0, 3.0)), 1e-15));
    assert_eq!(body.body.center, DVec3::new(1.0, 2.0, 3.0));
    assert!(matches!(body.range, JointRange::Hinge { axis: DVec3::Y, .. }));
}

#[test]
fn x14_wrong_models_are_errors_with_line_and_reason() {
    let robot = |inside: &str| format!("<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>{inside}</robot>");
    let joint = |ends: &str, kind: &str| format!("<joint name=\"j\" type=\"{kind}\">{ends}</joint>");
    let ends = "<parent link=\"a\"/><child link=\"b\"/>";
    let inertial = |mass: &str, ixx: &str| {
        format!(
            "<link name=\"c\"><inertial><mass value=\"{mass}\"/><inertia ixx=\"{ixx}\" iyy=\"1\" izz=\"1\"/></inertial></link>"
        )
    };
    for (text, reason) in [
        ("<mujoco/>".to_owned(), "<robot>"),
        ("<robot/>".to_owned(), "no links"),
        (robot("<link/>"), "name"),
        (robot("<link name=\"a\"/>"), "two links"),
        (robot(&joint(ends, "ball")), "“ball”"),
        (robot(&joint("<parent link=\"a\"/>", "fixed")), "<child>"),
        (robot(&joint("<parent link=\"a\"/><child link=\"x\"/>", "fixed")), "“x”"),
        (robot(&joint(ends, "fixed").repeat(2)), "another joint"),
        (robot(&joint("<parent link=\"a\"/><child link=\"a\"/>", "fixed")), "itself"),
        (robot(&joint(&format!("{ends}<limit lower=\"2\" upper=\"1\"/>"), "revolute")), "lower limit"),
        (robot(&joint(&format!("{ends}<axis xyz=\"0 0 0\"/>"), "continuous")), "axis"),
        (robot(&inertial("-1", "1")), "negative mass"),
        (robot(&inertial("1", "-1")), "positive definite"),
        (robot(&inertial("${m}", "1")), "not a finite number"),
        (robot("<link name=\"c\"><collision/></link>"), "<geometry>"),
        (
            robot("<link name=\"c\"><collision><geometry><sphere radius=\"-1\"/></geometry></collision></link>"),
            "negative",
        ),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}
