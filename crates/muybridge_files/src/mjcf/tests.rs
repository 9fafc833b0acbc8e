//! The MJCF reader compared with the masses that MuJoCo computes.

use muybridge::character::JointRange;
use muybridge::collision::shape::Shape;
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::*;
use crate::test_files::path as shared;

fn read_text(text: &str) -> Result<Model, Error> {
    read(text.as_bytes(), &mut alone)
}

fn read_shared(path: &str) -> Model {
    let path = shared(path);
    read(&std::fs::read(&path).unwrap(), &mut include_reader(&path, &crate::AllowedFiles::default())).unwrap()
}

/// Converts MuJoCo's axes to those of the BVH: (X, Y, Z) = (y, z, x).
fn to_clip(v: DVec3) -> DVec3 {
    DVec3::new(v.y, v.z, v.x)
}

/// Compares every body with MuJoCo's results, to the ten digits printed.
fn agrees_with_mujoco(model: &Model, table: &str) {
    let text = std::fs::read_to_string(shared(table)).unwrap();
    assert_eq!(text.lines().count() - 1, model.bodies.len());
    let c = DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y);
    for line in text.lines().skip(1) {
        let (name, numbers) = line.split_once(',').unwrap();
        let n: Vec<f64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        let body = &model.bodies[model.find(name).unwrap()].body;
        assert!((body.mass - n[0]).abs() <= 6e-10 * n[0], "{name}: {} {}", body.mass, n[0]);
        let center = to_clip(body.center);
        assert!((center - DVec3::new(n[1], n[2], n[3])).length() < 2e-11, "{name}: {center}");
        let inertia = c * body.inertia * c.transpose();
        let scale = n[4].max(n[5]).max(n[6]);
        let entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        for ((row, column), expected) in entries.into_iter().zip(&n[4..]) {
            let found = inertia.col(column)[row];
            assert!((found - expected).abs() <= 6e-10 * scale, "{name} I{row}{column}: {found} {expected}");
        }
    }
}

#[test]
fn the_mujoco_humanoid_weighs_what_mujoco_says_body_by_body() {
    let model = read_shared("models/mjcf/mujoco_humanoid.xml");
    assert_eq!(model.bodies.len(), 16);
    assert!((model.mass() - 40.844).abs() < 5e-4);
    agrees_with_mujoco(&model, "truth/mj_jump_120_body.csv");
}

#[test]
fn the_cmu_humanoid_weighs_what_mujoco_says_body_by_body() {
    let model = read_shared("models/mjcf/dm_humanoid_CMU_V2020.xml");
    assert_eq!(model.bodies.len(), 31);
    assert!((model.mass() - 66.954).abs() < 1e-3);
    agrees_with_mujoco(&model, "truth/cmu2020_tumble_120_body.csv");
}

#[test]
fn the_suite_humanoid_reads_its_includes_and_weighs_the_same() {
    let model = read_shared("models/mjcf/dm_suite/humanoid.xml");
    assert!((model.mass() - 40.844).abs() < 5e-4);
    assert!(model.ignored.iter().any(|sentence| sentence.starts_with("<asset>")), "{:?}", model.ignored);
    let text = std::fs::read(shared("models/mjcf/dm_suite/humanoid.xml")).unwrap();
    assert!(read(&text, &mut alone).unwrap_err().to_string().contains("skybox.xml"));
}

#[test]
fn ranges_and_contacts_of_the_humanoid_are_those_of_its_joints_and_geoms() {
    let model = read_shared("models/mjcf/mujoco_humanoid.xml");
    let body = |name: &str| &model.bodies[model.find(name).unwrap()];
    assert_eq!(body("torso").range, JointRange::Free);
    assert_eq!(body("head").range, JointRange::Fixed);
    let JointRange::Hinge { axis, lower, upper } = body("shin_left").range else { panic!("a knee is a hinge") };
    assert_eq!(axis, -DVec3::Y);
    assert!((lower.to_degrees() + 160.0).abs() < 1e-12 && (upper.to_degrees() - 2.0).abs() < 1e-12);
    let JointRange::SwingTwist { frame, swing_x, swing_z, twist } = body("thigh_right").range else {
        panic!("a hip swings and twists")
    };
    assert!((frame * DVec3::Y - DVec3::Z).length() < 1e-12, "a thigh twists about its length");
    assert!((frame * DVec3::X - DVec3::X).length() < 1e-12);
    let degrees = [twist, swing_x, swing_z].map(|range| range.map(|a| a.to_degrees().round()));
    assert_eq!(degrees, [[-60.0, 35.0], [-30.0, 10.0], [-20.0, 150.0]], "z of the frame is −y of the thigh");
    assert_eq!(body("foot_left").contacts.len(), 4);
    assert!(body("foot_left").contacts.iter().all(|(_, radius)| *radius == 0.027));
}

#[test]
fn malformed_models_are_refused_with_place_and_reason() {
    let duplicated = shared("malformed/mjcf/malformed_duplicated.xml");
    let error =
        read(&std::fs::read(&duplicated).unwrap(), &mut include_reader(&duplicated, &crate::AllowedFiles::default()))
            .unwrap_err();
    assert!(error.to_string().contains("no bodies"), "{error}");
    let face = shared("malformed/mjcf/malformed_face.xml");
    let error =
        read(&std::fs::read(&face).unwrap(), &mut include_reader(&face, &crate::AllowedFiles::default())).unwrap_err();
    assert_eq!(error.place, Location::Text { line: 6, column: 5 });
    assert!(error.to_string().contains("takes its mass from a mesh"), "{error}");
}

#[test]
fn settings_come_from_the_element_then_its_class_then_the_classes_around_it() {
    let model = read_text(
        r#"<mujoco><default><geom density="500"/>
             <default class="leg"><geom type="capsule" size=".1 .2"/>
               <default class="thin"><geom size=".05"/></default></default></default>
           <worldbody><body name="a" childclass="leg"><geom/>
             <body name="b"><geom class="thin"/></body><body name="c"><geom class="main" size="1" mass="2"/></body>
           </body></worldbody></mujoco>"#,
    )
    .unwrap();
    let shape = |index: usize| model.bodies[index].body.shapes[0].shape.clone();
    assert_eq!(shape(0), Shape::Capsule { radius: 0.1, half_length: 0.2 });
    assert_eq!(shape(1), Shape::Capsule { radius: 0.05, half_length: 0.2 });
    assert_eq!(shape(2), Shape::Sphere { radius: 1.0 });
    assert_eq!(model.bodies[2].body.mass, 2.0);
    let volume = std::f64::consts::PI * (0.1 * 0.1 * 0.4 + 4.0 / 3.0 * 0.001);
    assert!((model.bodies[0].body.mass - 500.0 * volume).abs() < 1e-12);
}

#[test]
fn every_way_to_write_a_quarter_turn_about_z_is_the_same_orientation() {
    let expected = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    for written in [r#"quat="2 0 0 2""#, r#"axisangle="0 0 3 90""#, r#"euler="0 0 90""#, r#"xyaxes="0 2 0 -1 1 0""#] {
        let model = read_text(&format!(
            r#"<mujoco><worldbody><body name="a" {written}><geom size="1"/></body></worldbody></mujoco>"#
        ))
        .unwrap();
        assert!(model.bodies[0].rotation.angle_between(expected) < 1e-7, "{written}");
    }
}

#[test]
fn euler_letters_of_lower_case_turn_with_the_body_and_of_upper_case_do_not() {
    let with = |order: &str| {
        let text = format!(
            r#"<mujoco><compiler eulerseq="{order}"/><worldbody><body name="a" euler="90 90 0"><geom size="1"/></body>
               </worldbody></mujoco>"#
        );
        read_text(&text).unwrap().bodies[0].rotation
    };
    assert!((with("xyz") * DVec3::X - DVec3::Y).length() < 1e-12, "z has become y");
    assert!((with("XYZ") * DVec3::X + DVec3::Z).length() < 1e-12);
}

#[test]
fn an_inertial_wins_over_geoms_and_full_inertia_is_in_tensor_elements() {
    let model = read_text(
        r#"<mujoco><worldbody><body name="a"><geom size="1"/>
           <inertial pos="1 2 3" mass="4" fullinertia="3 4 5 .1 .2 .3"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let body = &model.bodies[0].body;
    assert_eq!((body.mass, body.center), (4.0, DVec3::new(1.0, 2.0, 3.0)));
    assert!(body.inertia.abs_diff_eq(DMat3::from_cols_array(&[3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0]), 1e-15));
}

#[test]
fn a_frame_moves_what_stands_in_it_and_the_total_mass_can_be_set() {
    let model = read_text(
        r#"<mujoco><compiler settotalmass="10"/><worldbody><frame pos="0 0 1" euler="0 0 90">
             <body name="a" pos="1 0 0"><frame pos="1 0 0"><geom size=".1"/></frame></body></frame></worldbody></mujoco>"#,
    )
    .unwrap();
    let body = &model.bodies[0];
    assert!((body.position - DVec3::new(0.0, 1.0, 1.0)).length() < 1e-15);
    assert_eq!(body.body.center, DVec3::X);
    assert!((model.mass() - 10.0).abs() < 1e-14);
}

#[test]
fn x14_wrong_models_are_errors_with_line_and_reason() {
    let body = |inside: &str| format!("<mujoco>\n<worldbody>\n<body name=\"a\">{inside}</body></worldbody></mujoco>");
    for (text, reason) in [
        (body("<geom/>"), "size"),
        (body("<geom size=\"-1\"/>"), "size"),
        (body("<geom size=\"nan\"/>"), "not a finite number"),
        (body("<geom type=\"blob\" size=\"1\"/>"), "blob"),
        (body("<geom size=\"1\" class=\"no\"/>"), "“no”"),
        (body("<geom size=\"1\" mass=\"-3\"/>"), "negative"),
        (body("<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>"), "no direction"),
        (body("<body name=\"a\"/>"), "two bodies"),
        (body("<body pos=\"1 2\"/>"), "3 numbers"),
        (body("<body quat=\"0 0 0 0\"/>"), "quaternion"),
        (body("<joint range=\"2 1\"/>"), "range"),
        (body("<inertial mass=\"1\" diaginertia=\"1 1 0\"/>"), "positive definite"),
        (body("<replicate/>"), "replicate"),
        (body("<include file=\"x.xml\"/>"), "x.xml"),
        ("<robot/>".to_owned(), "<mujoco>"),
        ("<mujoco><default><default/></default></mujoco>".to_owned(), "class"),
    ] {
        let error = read_text(&text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn includes_that_go_in_circles_end_in_an_error() {
    let mut open = |_: &str| Ok(b"<mujoco><include file=\"a.xml\"/></mujoco>".to_vec());
    let error = read(b"<mujoco><include file=\"a.xml\"/></mujoco>", &mut open).unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
}

#[test]
fn a_file_that_includes_itself_under_ever_new_names_ends_in_an_error() {
    let lines: String = (0..2000).map(|name| format!("<include file=\"{name}\"/>")).collect();
    let text = format!("<mujoco>{lines}</mujoco>");
    let mut open = |_: &str| Ok(text.clone().into_bytes());
    let error = read(text.as_bytes(), &mut open).unwrap_err().to_string();
    assert!(error.contains("larger than") || error.contains("twice") || error.contains("nested"), "{error}");
}
