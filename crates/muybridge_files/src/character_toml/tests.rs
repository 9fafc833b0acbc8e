//! The character file: writing, reading, and errors.

use muybridge::character::{Body, Bone, Character, ContactPoint, JointRange, Skeleton};
use muybridge::collision::MassProperties;
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::DMat3;
use muybridge::math::rotation::exp;

use super::*;
use crate::Location;

/// A character with every kind of shape and limit, and numbers without short decimals.
fn everything() -> Character {
    let third = 1.0 / 3.0;
    let turn = exp(DVec3::new(third, -1.1, 2.0 * third));
    let shapes = [
        Shape::Sphere { radius: third },
        Shape::Capsule { radius: 0.1, half_length: third },
        Shape::Cylinder { radius: 1e-7, half_length: 0.3 },
        Shape::Box { half_extents: DVec3::new(0.1, 0.2, third) },
        Shape::Ellipsoid { semi_axes: DVec3::new(0.1, third, 0.3) },
    ];
    let ranges = [
        JointRange::Free,
        JointRange::Fixed,
        JointRange::Hinge { axis: DVec3::new(0.6, 0.0, -0.8), lower: -third, upper: 2.0 },
        JointRange::SwingTwist { frame: turn, swing_x: [-third, 1.0], swing_z: [0.0, third], twist: [-1e-9, 1e-9] },
        JointRange::Free,
    ];
    let names = ["mixamorig:Hips", "a \"quoted\"\\ name\n", "Größe", "", "hand.L"];
    let mut bodies = Vec::new();
    for shape in shapes {
        let placed = PlacedShape { shape, position: DVec3::new(0.0, third, 1e-20), rotation: turn };
        let mass = MassProperties::of_placed_shape(&placed, 1000.0);
        bodies.push(Body { mass: mass.mass, center: mass.center, inertia: mass.inertia, shapes: vec![placed] });
    }
    bodies[4] = Body::none();
    let bones = names.iter().enumerate().map(|(index, name)| Bone {
        name: (*name).to_owned(),
        parent: index.checked_sub(1).map(|parent| parent / 2),
        translation: DVec3::new(0.1, third, -0.2) * index as f64,
        rotation: exp(DVec3::X * index as f64 * third),
        ends: vec![DVec3::new(third, 0.0, 0.1); index],
    });
    let skeleton = Skeleton::new(bones.collect()).unwrap();
    Character {
        skeleton,
        bodies,
        ranges: ranges.into(),
        roles: vec![Some(Role::Hips), None, Some(Role::UpperLeg(Side::Right)), None, Some(Role::Hand(Side::Left))],
        contacts: vec![
            ContactPoint { bone: 4, position: DVec3::new(third, 0.0, 0.0), radius: 0.0 },
            ContactPoint { bone: 0, position: DVec3::ZERO, radius: third },
        ],
        body_source: "measured \u{201c}here\u{201d}".to_owned(),
        measured_contacts: true,
    }
}

#[test]
fn what_is_written_is_read_back_to_the_last_bit() {
    let character = everything();
    let text = write(&character);
    assert_eq!(read(text.as_bytes()).unwrap().character().unwrap(), character, "{text}");
}

#[test]
fn every_role_has_one_word() {
    let words: Vec<(String, Role)> = role_words().collect();
    let unique: std::collections::BTreeSet<&String> = words.iter().map(|(word, _)| word).collect();
    assert_eq!((words.len(), unique.len()), (22, 22));
}

#[test]
fn the_example_of_the_documentation_is_a_character_file() {
    let source = include_str!("mod.rs");
    let example: String = source
        .lines()
        .skip_while(|line| *line != "//! ```toml")
        .skip(1)
        .take_while(|line| *line != "//! ```")
        .map(|line| format!("{}\n", line.trim_start_matches("//!")))
        .collect();
    let document = read(example.as_bytes()).unwrap();
    let bone = |name: &str| Bone {
        name: name.to_owned(),
        parent: None,
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        ends: Vec::new(),
    };
    let character = document.fit(&Skeleton::new(vec![bone("Hips"), bone("LeftLeg")]).unwrap()).unwrap();
    assert_eq!((character.bodies[0].mass, character.bodies[1].mass), (0.0, 3.2));
    assert_eq!(character.roles[1], Some(Role::LowerLeg(Side::Left)));
    assert_eq!(character.contacts[0].bone, 1);
    assert_eq!(character.bodies[1].inertia, DMat3::from_diagonal(DVec3::new(0.05, 0.006, 0.05)));
    assert_eq!(character.body_source, "measured, 3 March");
}

#[test]
fn a_bone_the_clip_does_not_have_is_an_error_that_names_it() {
    let document = read(write(&everything()).as_bytes()).unwrap();
    let mut bones = everything().skeleton.bones()[..4].to_vec();
    bones[0].name = "Root".to_owned();
    let error = document.fit(&Skeleton::new(bones).unwrap()).unwrap_err().to_string();
    assert!(error.contains("“mixamorig:Hips”") && error.contains("“hand.L”"), "{error}");
}

#[test]
fn x14_wrong_files_are_errors_with_line_and_column() {
    let header = "format = \"muybridge character\"\nversion = 1\nunits = \"m\"\n";
    let bone = |lines: &str| format!("{header}[[bone]]\nname = \"a\"\n{lines}\n");
    for (text, reason) in [
        (String::new(), "format"),
        ("format = \"x\"\nversion = 1\nunits = \"m\"".to_owned(), "format must be"),
        (header.replace("= 1", "= 2"), "version"),
        (header.replace("\"m\"", "\"cm\""), "metres"),
        (format!("{header}mass = 3"), "mass"),
        (format!("{header}[[bone]]\nmass = 3"), "name"),
        (bone("mass = -1"), "mass must be"),
        (bone("mass = nan"), "mass must be"),
        (bone("mass = \"heavy\""), "heavy"),
        (bone("center = [1, 2]"), ""),
        (bone("inertia = [1, 1, -1, 0, 0, 0]"), "negative principal"),
        (bone("rotation = [0, 0, 0, 0]"), "unit quaternion"),
        (bone("role = \"tail\""), "“tail”"),
        (bone("shapes = [{ kind = \"blob\" }]"), "blob"),
        (bone("range = { kind = \"hinge\", axis = [0, 0, 2], lower = 0, upper = 1 }"), "axis of length 1"),
        (bone("[[bone]]\nname = \"a\""), "another bone"),
        (bone("[[contact]]\nbone = \"b\"\nposition = [0, 0, 0]"), "does not hold"),
        (format!("{header}a = {}", "[".repeat(100_000)), ""),
    ] {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(matches!(error.place, Location::Text { .. }), "{text}: {error}");
        assert!(error.to_string().contains(reason), "{text}: {error}");
    }
    let error = read(bone("parent = \"b\"\nposition = [0, 0, 0]").as_bytes()).unwrap().character().unwrap_err();
    assert!(error.to_string().contains("“b”"), "{error}");
    let error = read(bone("mass = 1").as_bytes()).unwrap().character().unwrap_err();
    assert!(error.to_string().contains("no skeleton"), "{error}");
    assert_eq!(read(bone("mass = -1").as_bytes()).unwrap_err().place, Location::Text { line: 5, column: 8 });
}
