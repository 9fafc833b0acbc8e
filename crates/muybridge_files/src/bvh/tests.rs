//! Dialects of BVH, its errors, and writing, on texts small enough to read.

use muybridge::character::{Bone, Skeleton};
use muybridge::glam::DVec3;
use muybridge::math::rotation::about;
use muybridge::motion::{Clip, WorldMotion};

use super::*;
use crate::{Axis, Location};

const TWO_JOINTS: &str = "HIERARCHY
ROOT Hips
{
\tOFFSET 1 2 3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Left Leg:1
\t{
\t\tOFFSET 0 -10 0.5
\t\tCHANNELS 3 Yrotation Xrotation Zrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -8 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.04
4 5 6 0 0 0 0 0 0
4 5 7 90 0 0 0 0 90
";

fn read(text: &str) -> BvhDocument {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Line, column and message of the error of a text.
fn error(text: &str) -> (usize, usize, String) {
    match parse(text.as_bytes()) {
        Err(crate::Error { place: Location::Text { line, column }, message, .. }) => (line, column, message),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn a_rotation_is_the_product_of_its_channels_in_file_order_and_positions_replace_the_offset() {
    let imported = import(&read(TWO_JOINTS)).unwrap();
    let world = WorldMotion::new(&imported.skeleton, &imported.clips[0]);
    assert_eq!(world.position(0, 0), DVec3::new(4.0, 5.0, 6.0));
    assert_eq!(world.position(1, 0), DVec3::new(4.0, -5.0, 6.5));
    // Rz(90°) takes (0, -10, 0.5) to (10, 0, 0.5); the leg's own Rz(90°) then takes its end (0, -8, 0) to (8, 0, 0) first.
    assert!((world.position(1, 1) - DVec3::new(14.0, 5.0, 7.5)).length() < 1e-12);
    let end = world.point(1, 1, imported.skeleton.bones()[1].ends[0]);
    assert!((end - DVec3::new(14.0, 13.0, 7.5)).length() < 1e-12);
    let mixed = read(&TWO_JOINTS.replace("4 5 7 90 0 0 0 0 90", "0 0 0 10 20 30 40 50 60"));
    let turn = |axis, degrees: f64| about(axis, degrees.to_radians());
    let clip = &import(&mixed).unwrap().clips[0];
    let hips = turn(DVec3::Z, 10.0) * turn(DVec3::X, 20.0) * turn(DVec3::Y, 30.0);
    let leg = turn(DVec3::Y, 40.0) * turn(DVec3::X, 50.0) * turn(DVec3::Z, 60.0);
    assert!(clip.rotation(0, 1).abs_diff_eq(hips, 1e-15) && clip.rotation(1, 1).abs_diff_eq(leg, 1e-15));
}

#[test]
fn a_position_component_without_a_channel_keeps_the_offset() {
    let text = "HIERARCHY ROOT a { OFFSET 1 2 3 CHANNELS 1 Yposition } MOTION Frames: 1 Frame Time: 0.1 7";
    let clip = &import(&read(text)).unwrap().clips[0];
    assert_eq!(clip.translation(0, 0), DVec3::new(1.0, 7.0, 3.0));
}

#[test]
fn dialects_of_one_file_read_as_the_same_document() {
    let plain = read(TWO_JOINTS);
    let dialects = [
        TWO_JOINTS.replace('\n', "\r\n"),
        TWO_JOINTS.replace('\n', "\r"),
        TWO_JOINTS.replace('\t', "   "),
        TWO_JOINTS.replace('\t', ""),
        format!("\u{feff}{TWO_JOINTS}"),
        TWO_JOINTS.replace("\n{", " {").replace("\n\t{", "{").replace("\n\t\t{", " {"),
        TWO_JOINTS.replace("rotation", "ROTATION").replace("position", "POSITION").replace('X', "x"),
        TWO_JOINTS.replace("OFFSET", "Offset").replace("CHANNELS", "channels").replace("JOINT", "Joint"),
        TWO_JOINTS.to_lowercase().replace("hips", "Hips").replace("left leg", "Left Leg"),
        TWO_JOINTS.replace("Frames: ", "Frames:\t").replace("Frame Time: ", "Frame Time:\t"),
        TWO_JOINTS.replace("Frames: 2", "Frames : 2.0").replace("Frame Time:", "FRAMETIME"),
        TWO_JOINTS.replace("\n4 5", "\n\n  4\t5 ").trim_end().to_owned(),
        TWO_JOINTS.replace("4 5 6 0 0 0 0 0 0\n", "4 5 6 0 0\n 0 0 0 0 \n"),
        TWO_JOINTS.replace("4 5 6 0 0 0 0 0 0\n", "4 5 6 0 0 0 0 0 0 "),
        TWO_JOINTS.replace("End Site", "EndSite").replace("1 2 3\n", "+1 2.0 3e0\n"),
        TWO_JOINTS.replace("End Site", "End Site Toe").replace("0 -8 0\n", "0 -8 0 CHANNELS 0\n"),
        format!("{TWO_JOINTS}\0\u{1a}\n"),
    ];
    for dialect in dialects {
        let document = read(&dialect);
        assert_eq!(document, plain, "{dialect}");
        assert_eq!(document.notes(), [""; 0], "{dialect}");
    }
}

#[test]
fn numbers_of_every_spelling_are_read() {
    let text = TWO_JOINTS.replace("4 5 6 0 0 0 0 0 0", "1e-5 -.5 5. +3 -0 6.1E+2 -7.95139e-016 007 .25");
    let expected = [1e-5, -0.5, 5.0, 3.0, -0.0, 610.0, -7.95139e-16, 7.0, 0.25];
    assert_eq!(read(&text).row(0).iter().map(|v| v.to_bits()).collect::<Vec<_>>(), expected.map(f64::to_bits));
}

#[test]
fn a_wrong_frame_count_is_noted_and_every_complete_row_is_read() {
    for (count, notes) in [("1", 1), ("3", 1), ("1000000000000", 1), ("-1", 1), ("2", 0)] {
        let document = read(&TWO_JOINTS.replace("Frames: 2", &format!("Frames: {count}")));
        assert_eq!((document.frames(), document.notes().len()), (2, notes), "{count}");
    }
    let cut = read(TWO_JOINTS.strip_suffix(" 90\n").unwrap());
    assert_eq!((cut.frames(), cut.notes().len()), (1, 2), "{:?}", cut.notes());
    assert!(cut.notes()[0].contains("line 20") && cut.notes()[0].contains("8 of 9"), "{:?}", cut.notes());
    assert_eq!(read(&TWO_JOINTS.replace("0 90\n", "-")).frames(), 1);
    assert_eq!(read(&TWO_JOINTS.replace("Frames: 2\n", "")).frames(), 2);
}

#[test]
fn missing_ends_and_offsets_and_repeated_names_are_repaired_with_a_note() {
    let text = "HIERARCHY ROOT {CHANNELS 1 Xrotation
        JOINT a\n{ OFFSET 0 1 0 CHANNELS 1 Xrotation End Site { } }
        JOINT a\n{ OFFSET 0 2 0 CHANNELS 1 Xrotation JOINT a_2\n{ OFFSET 0 3 0 } } }
        ROOT b { OFFSET 0 0 0 } MOTION Frames: 1 Frame Time: 1 1 2 3";
    let document = read(text);
    let names = |joints: &[BvhJoint]| joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(document.joints()), ["", "a", "a", "a_2", "b"]);
    assert_eq!(document.notes().len(), 2, "{:?}", document.notes());
    let imported = import(&document).unwrap();
    let bones: Vec<&str> = imported.skeleton.bones().iter().map(|bone| bone.name.as_str()).collect();
    assert_eq!(bones, ["joint_2", "a", "a_3", "a_2", "b"]);
    assert_eq!((imported.ignored.len(), imported.skeleton.roots().count()), (4, 2), "{:?}", imported.ignored);
}

#[test]
fn x14_errors_name_line_and_column() {
    let with = |from: &str, to: &str| error(&TWO_JOINTS.replacen(from, to, 1));
    let at = |from: &str, to: &str| (with(from, to).0, with(from, to).1);
    assert_eq!(at("HIERARCHY", "hello"), (1, 1));
    assert_eq!(at("1 2 3", "1 nan 3"), (4, 11));
    assert_eq!(at("1 2 3", "1 2"), (5, 2));
    assert_eq!(at("-10", "1e999"), (8, 12));
    assert_eq!(at("CHANNELS 6", "CHANNELS six"), (5, 11));
    assert_eq!(at("CHANNELS 6", "CHANNELS 7"), (6, 2));
    assert_eq!(at("CHANNELS 6", "CHANNELS 5"), (5, 63));
    assert_eq!(at("Yposition", "Xposition"), (5, 23));
    assert_eq!(at("Xrotation", "Xscale"), (5, 53));
    assert_eq!(at("End Site\n\t\t{", "End Site\n"), (12, 4));
    assert_eq!(at("\n{", ""), (3, 2));
    assert_eq!(at("MOTION", "}\nMOTION"), (16, 1));
    assert_eq!(at("\n}\nMOTION", "\nMOTION"), (15, 1));
    assert_eq!(at("0.04", "0"), (18, 13));
    assert_eq!(at("0.04", "-0.04"), (18, 13));
    assert_eq!(at("0.04", "nan"), (18, 13));
    assert_eq!(at("Frame Time: 0.04\n", ""), (18, 1));
    assert_eq!(at("Frames: 2", "Frames: two"), (17, 9));
    assert_eq!(at("4 5 7", "4 5 nan"), (20, 5));
    assert_eq!(at("4 5 7", "4 inf 7"), (20, 3));
    assert_eq!(at("4 5 6 0 0", "4 5 6,0 0"), (19, 5));
    assert_eq!(at("4 5 6", "5 6"), (19, 1));
    assert_eq!(error(&TWO_JOINTS.replace("Hips", "Hüfte é").replace("1 2 3", "1 ü x")).1, 11);
}

#[test]
fn x14_files_cut_anywhere_are_read_or_refused() {
    for end in 0..TWO_JOINTS.len() {
        let _ = parse(&TWO_JOINTS.as_bytes()[..end]);
    }
    for text in
        ["", "HIERARCHY", "HIERARCHY MOTION Frames: 1 Frame Time: 1", "HIERARCHY ROOT a { } MOTION Frame Time: 1 0"]
    {
        error(text);
    }
}

#[test]
fn x14_a_million_nested_joints_neither_recurse_nor_fill_the_memory() {
    const DEPTH: usize = 1_000_000;
    let mut text = String::from("HIERARCHY ROOT a{OFFSET 0 0 0 CHANNELS 1 Xrotation ");
    for _ in 0..DEPTH {
        text.push_str("JOINT b\n{OFFSET 0 0 0 ");
    }
    error(&text);
    text.push_str(&"}".repeat(DEPTH + 1));
    text.push_str("MOTION Frames: 999999999999 Frame Time: 1 ");
    let one = read(&format!("{text} 1"));
    assert_eq!(one.joints().len(), DEPTH + 1);
    assert_eq!(read(&write(&one)), one);
    let refused = import(&read(&format!("{text} {}", "1 ".repeat(10_000)))).unwrap_err();
    assert!(refused.message.contains("do not move"), "{refused}");
}

#[test]
fn what_is_written_reads_back_bit_for_bit() {
    let numbers = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1e15, 123_456_789.125, 1.0 / 3.0, 1e-5, -9.999e-6];
    let joints = read(TWO_JOINTS).joints().to_vec();
    let document = BvhDocument::new(joints, ".0083333".into(), numbers.to_vec()).unwrap();
    let back = read(&write(&document));
    assert_eq!(back, document);
    assert_eq!(back.row(0).iter().map(|v| v.to_bits()).collect::<Vec<_>>(), numbers.map(f64::to_bits));
    assert!(write(&document).contains("\tJOINT Left Leg:1\n") && write(&document).contains("Frame Time: .0083333\n"));
}

#[test]
fn a_clip_exported_stands_where_it_stood_whatever_the_order_and_unit() {
    let imported = import(&read(&TWO_JOINTS.replace("0 0 90", "10 20 30"))).unwrap();
    let before = WorldMotion::new(&imported.skeleton, &imported.clips[0]);
    for order in [[Axis::Z, Axis::X, Axis::Y], [Axis::Y, Axis::Z, Axis::X], [Axis::X, Axis::Y, Axis::X]] {
        let options = ExportOptions { order, scale: 100.0 };
        let document = export(&imported.skeleton, &imported.clips[0], &options).unwrap();
        assert_eq!((document.joints()[0].channels.len(), document.joints()[1].channels.len()), (6, 3));
        let back = import(&read(&write(&document))).unwrap();
        let after = WorldMotion::new(&back.skeleton, &back.clips[0]);
        for (bone, frame) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let end = |world: &WorldMotion, scale: f64| world.point(bone, frame, DVec3::new(0.1, -8.0, 0.3) * scale);
            assert!((end(&before, 1.0) * 100.0 - end(&after, 100.0)).length() < 1e-11);
        }
    }
}

#[test]
fn new_motion_keeps_the_hierarchy_and_says_what_the_channels_cannot_hold() {
    let document =
        read(&TWO_JOINTS.replace("3 Yrotation Xrotation Zrotation", "1 Yrotation").replace(" 0 0\n4", "\n4"));
    let document = read(&write(&document).replace("90 0 0 0 0 90", "90 0 0 0"));
    let mut clip = import(&document).unwrap().clips.remove(0);
    assert_eq!(with_motion(&document, &clip).unwrap().notes(), [""; 0]);
    clip.set_rotation(1, 1, about(DVec3::X, 0.5));
    clip.set_translation(1, 1, DVec3::new(0.0, -9.0, 0.5));
    let changed = with_motion(&document, &clip).unwrap();
    assert_eq!((changed.joints(), changed.notes().len()), (document.joints(), 2), "{:?}", changed.notes());
    assert!(with_motion(&document, &Clip::new(3, 1, 0.1).unwrap()).is_err());
}

#[test]
fn bones_in_any_order_with_turned_rest_poses_and_odd_names_are_exported_depth_first() {
    let rest = about(DVec3::X, 0.7);
    let names = [("", None), ("left\n{hand}", Some(0)), (" right ", Some(0)), ("finger", Some(1))];
    let bone = |(name, parent): (&str, Option<usize>)| Bone {
        name: name.into(),
        parent,
        translation: DVec3::new(0.0, 1.0, 0.2),
        rotation: rest,
        ends: vec![],
    };
    let skeleton = Skeleton::new(names.map(bone).to_vec()).unwrap();
    let mut clip = Clip::new(4, 3, 0.008333).unwrap();
    for (frame, bone) in (0..3).flat_map(|frame| (0..4).map(move |bone| (frame, bone))) {
        clip.set_rotation(bone, frame, about(DVec3::Z, (frame * bone) as f64) * rest);
        let slide = if bone == 2 { 0.1 * frame as f64 } else { 0.0 };
        clip.set_translation(bone, frame, skeleton.bones()[bone].translation + DVec3::X * slide);
    }
    let document = export(&skeleton, &clip, &ExportOptions::default()).unwrap();
    let joints: Vec<(&str, usize)> = document.joints().iter().map(|j| (j.name.as_str(), j.channels.len())).collect();
    assert_eq!(joints, [("joint", 6), ("left__hand}", 3), ("finger", 3), ("right", 6)]);
    assert_eq!(document.notes().len(), 3, "{:?}", document.notes());
    let back = import(&read(&write(&document))).unwrap();
    assert_eq!(back.clips[0].frame_time, 0.008333);
    let (before, after) = (WorldMotion::new(&skeleton, &clip), WorldMotion::new(&back.skeleton, &back.clips[0]));
    for (bone, joint) in [(0, 0), (1, 1), (2, 3), (3, 2)] {
        for frame in 0..3 {
            let at = |world: &WorldMotion, bone: usize| world.point(bone, frame, DVec3::new(0.3, 0.2, 0.1));
            assert!((at(&before, bone) - at(&after, joint)).length() < 1e-14);
        }
    }
    assert!(export(&skeleton, &Clip::new(2, 1, 0.1).unwrap(), &ExportOptions::default()).is_err());
    let flat = ExportOptions { order: [Axis::X, Axis::X, Axis::Y], scale: 1.0 };
    assert!(export(&skeleton, &clip, &flat).is_err());
}
