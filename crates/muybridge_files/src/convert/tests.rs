//! Invariants of conversions: joint positions, the rest pose, and every number if no change is asked for.

use super::*;
use crate::formats::{BVH, FBX, GLB, GLTF, VRMA};
use crate::open::FileOrigin;
use muybridge::glam::DVec3;
use muybridge::math::rotation::exp;
use muybridge::motion::WorldMotion;

const ARM: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 0 10.50 0
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {
      OFFSET 3 0 0
    }
  }
}
MOTION
Frames: 3
Frame Time: .0083333
0 90.10 0 0 0 0 10 20 30
1 91 0 5 -3 400 10 20 31
2 92 0 5 -3 401 10 20 32
";

fn opened(text: &str) -> Opened {
    let document = bvh::parse(text.as_bytes()).unwrap();
    Opened {
        imported: bvh::import(&document).unwrap(),
        document: SourceDocument::Bvh(document),
        source: source_of(&BVH),
    }
}

fn glb(bytes: &[u8]) -> Opened {
    let document = gltf::parse(bytes, &mut |_| None).unwrap();
    let imported = gltf::import(&document, &gltf::ImportOptions::default()).unwrap();
    Opened { imported, document: SourceDocument::Gltf(document), source: source_of(&GLB) }
}

fn source_of(format: &'static FileFormat) -> FileOrigin {
    FileOrigin { bytes: Vec::new(), format, extension: format.extension(), fps: None, notes: Vec::new() }
}

fn one(conversions: Conversions) -> Vec<u8> {
    assert_eq!(conversions.files.len(), 1);
    conversions.files.into_iter().next().unwrap().file
}

fn joints(opened: &Opened, meters: f64) -> Vec<DVec3> {
    let (skeleton, clip) = (&opened.imported.skeleton, &opened.imported.clips[0]);
    let world = WorldMotion::new(skeleton, clip);
    let of_frame = |frame| (0..skeleton.len()).map(move |bone| (bone, frame));
    (0..clip.frames()).flat_map(of_frame).map(|(bone, frame)| world.position(bone, frame) * meters).collect()
}

#[test]
fn a_bvh_keeps_every_number_in_a_bvh_and_the_frames_asked_for_keep_theirs() {
    let source = opened(ARM);
    let SourceDocument::Bvh(before) = &source.document else { panic!("a BVH") };
    let again = one(convert(&source, &BVH, &Conversion::default()).unwrap());
    assert_eq!(&bvh::parse(&again).unwrap(), before);
    let how = Conversion { frames: Some((1, 9)), ..Default::default() };
    let later = bvh::parse(&one(convert(&source, &BVH, &how).unwrap())).unwrap();
    assert_eq!((later.frames(), later.row(0), later.row(1)), (2, before.row(1), before.row(2)));
    assert_eq!(later.frame_time_text(), ".0083333");
}

#[test]
fn joints_stay_in_their_places_through_glb_and_back() {
    let source = opened(ARM);
    let how = Conversion { unit: Some(0.01), up: Some(Axis::Y), title: "arm".into(), ..Default::default() };
    let through = glb(&one(convert(&source, &GLB, &how).unwrap()));
    assert_eq!(through.imported.clips[0].name, "arm");
    let back = one(convert(&through, &BVH, &Conversion { unit: Some(1.0), ..Default::default() }).unwrap());
    let back = opened(std::str::from_utf8(&back).unwrap());
    assert_eq!(back.imported.skeleton.bones()[1].ends.len(), 1);
    for ((a, b), c) in joints(&source, 0.01).iter().zip(joints(&through, 1.0)).zip(joints(&back, 0.01)) {
        assert!((*a - b).length() < 1e-6 && (*a - c).length() < 1e-6, "{a} {b} {c}");
    }
}

#[test]
fn angles_of_zero_are_the_rest_pose_of_a_skeleton_with_turned_bones() {
    let bone = |name: &str, parent, x: f64| Bone {
        name: name.into(),
        parent,
        translation: DVec3::new(x, 0.3, 0.0),
        rotation: exp(DVec3::new(0.4, x, -0.7)),
        ends: vec![DVec3::new(0.0, 0.2, 0.1)],
    };
    let skeleton = Skeleton::new(vec![bone("a", None, 0.0), bone("b", Some(0), 0.5), bone("c", Some(1), 1.0)]).unwrap();
    let mut clip = Clip::new(3, 2, 0.1).unwrap();
    for (index, bone) in skeleton.bones().iter().enumerate() {
        for frame in 0..2 {
            let turn = exp(DVec3::new(0.3, -0.8, index as f64) * frame as f64);
            clip.set_rotation(index, frame, bone.rotation * turn);
            clip.set_translation(index, frame, bone.translation);
        }
    }
    let (turned, moved) = turned_like_the_world(skeleton.clone(), vec![clip.clone()]).unwrap();
    for (a, b) in skeleton.rest_pose().iter().zip(turned.rest_pose()) {
        assert!((a.0 - b.0).length() < 1e-15 && b.1 == DQuat::IDENTITY);
    }
    let (before, after) = (WorldMotion::new(&skeleton, &clip), WorldMotion::new(&turned, &moved[0]));
    for bone in 0..3 {
        assert!(moved[0].rotation(bone, 0).xyz().length() < 1e-15, "frame 0 is the rest pose");
        for frame in 0..2 {
            let end = |w: &WorldMotion, s: &Skeleton| {
                w.position(bone, frame) + w.rotation(bone, frame) * s.bones()[bone].ends[0]
            };
            assert!((end(&before, &skeleton) - end(&after, &turned)).length() < 1e-14);
        }
    }
}

#[test]
fn bones_that_stray_by_rounding_alone_get_no_position_channels() {
    let source = opened(ARM);
    let SourceDocument::Bvh(document) = &source.document else { panic!("a BVH") };
    let (mut clip, meter) = (source.imported.clips[0].clone(), Conversion { unit: Some(1.0), ..Default::default() });
    for frame in 0..3 {
        clip.set_translation(1, frame, DVec3::new(4e-7 * frame as f64, 10.5, 0.25));
    }
    let imported = Imported { clips: vec![clip], meters_per_unit: Some(1.0), ..source.imported.clone() };
    let moved = Opened { imported, document: SourceDocument::ReadOnly, source: source_of(&FBX) };
    let back = bvh::parse(&one(convert(&moved, &BVH, &meter).unwrap())).unwrap();
    assert_eq!((back.joints()[1].channels.len(), document.joints()[1].channels.len()), (3, 3));
    assert!((back.joints()[1].offset - DVec3::new(4e-5, 1050.0, 25.0)).length() < 1e-9);
}

#[test]
fn another_unit_scales_a_bvh_and_keeps_its_orders_and_ends() {
    let how = Conversion { unit: Some(0.01), out_unit: Some(1.0), up: Some(Axis::Z), ..Default::default() };
    let source = opened(ARM);
    let scaled = opened(std::str::from_utf8(&one(convert(&source, &BVH, &how).unwrap())).unwrap());
    let (SourceDocument::Bvh(before), SourceDocument::Bvh(after)) = (&source.document, &scaled.document) else {
        panic!("BVH")
    };
    for (a, b) in before.joints().iter().zip(after.joints()) {
        assert_eq!((&a.name, &a.channels, a.ends.len()), (&b.name, &b.channels, b.ends.len()));
    }
    for (a, b) in joints(&source, 0.01).iter().zip(joints(&scaled, 1.0)) {
        assert!((DVec3::new(a.x, a.z, -a.y) - b).length() < 1e-12, "z up becomes y up: {a} {b}");
    }
}

#[test]
fn what_is_no_humanoid_is_no_vrma_and_an_unknown_clip_is_answered_with_those_there_are() {
    let source = opened(ARM);
    let error = convert(&source, &VRMA, &Conversion::default()).unwrap_err();
    assert!(error.message.contains("hips, spine, head") && error.message.contains("--roles"), "{error}");
    let through = glb(&one(convert(&source, &GLB, &Conversion { title: "arm".into(), ..Default::default() }).unwrap()));
    let how = Conversion { clip: Some("leg".into()), ..Default::default() };
    let error = convert(&through, &BVH, &how).unwrap_err();
    assert!(error.message.contains("“leg”") && error.message.contains("“arm”"), "{error}");
}

#[test]
fn a_glb_keeps_every_byte_and_changes_its_container_without_losing_a_number() {
    let how = Conversion { title: "arm".into(), ..Default::default() };
    let bytes = one(convert(&opened(ARM), &GLB, &how).unwrap());
    let source = glb(&bytes);
    assert_eq!(one(convert(&source, &GLB, &Conversion::default()).unwrap()), bytes);
    let text = one(convert(&source, &GLTF, &Conversion::default()).unwrap());
    assert!(text.starts_with(b"{"));
    assert_eq!(glb(&text).imported.clips, source.imported.clips);
    let back = one(convert(&glb(&text), &GLB, &Conversion::default()).unwrap());
    assert_eq!(glb(&back).imported.clips, source.imported.clips);
}

#[test]
fn every_buffer_of_a_text_goes_into_the_one_chunk_of_a_glb_which_has_no_uri() {
    let text = std::fs::read(crate::test_files::path("gltf/SimpleSkin.gltf")).unwrap();
    let source = glb(&text);
    let SourceDocument::Gltf(before) = &source.document else { panic!("a glTF") };
    assert!(before.buffers().len() > 1);
    let packed = glb(&one(convert(&source, &GLB, &Conversion::default()).unwrap()));
    let SourceDocument::Gltf(after) = &packed.document else { panic!("a glTF") };
    assert_eq!(after.json()["buffers"].as_array().unwrap().len(), 1);
    assert!(after.json()["buffers"][0].get("uri").is_none());
    assert_eq!(
        (&packed.imported.clips, &packed.imported.skin_points),
        (&source.imported.clips, &source.imported.skin_points)
    );
}

#[test]
fn no_view_of_a_new_file_holds_both_matrices_of_a_skin_and_keys() {
    let how = Conversion { title: "arm".into(), ..Default::default() };
    let written = glb(&one(convert(&opened(ARM), &GLB, &how).unwrap()));
    let SourceDocument::Gltf(document) = &written.document else { panic!("a glTF") };
    let accessors = document.json()["accessors"].as_array().unwrap();
    let views_of = |kinds: &[&str]| -> Vec<u64> {
        let of_kind = accessors.iter().filter(|accessor| kinds.contains(&accessor["type"].as_str().unwrap()));
        of_kind.map(|accessor| accessor["bufferView"].as_u64().unwrap()).collect()
    };
    let (matrices, keys) = (views_of(&["MAT4"]), views_of(&["SCALAR", "VEC3", "VEC4"]));
    assert!(!matrices.is_empty() && keys.len() > 2 && matrices.iter().all(|view| !keys.contains(view)));
}

#[test]
fn a_vrma_that_hangs_from_the_torso_hangs_from_the_hips_once_it_is_written_again() {
    let text = br#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [
        {"name": "torso", "translation": [0, 1.2, 0], "children": [1]}, {"name": "pelvis", "translation": [0, -0.3, 0]}],
        "extensionsUsed": ["VRMC_vrm_animation"], "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0",
        "humanoid": {"humanBones": {"chest": {"node": 0}, "hips": {"node": 1}}}}}}"#;
    let again = glb(&one(convert(&glb(text), &VRMA, &Conversion::default()).unwrap()));
    let bones = again.imported.skeleton.bones();
    assert_eq!((bones[0].name.as_str(), bones[0].parent, bones[1].parent), ("pelvis", None, Some(0)));
    assert!((bones[0].translation - DVec3::Y * 0.9).length() < 1e-12);
    let SourceDocument::Gltf(before) = &again.document else { panic!("a glTF") };
    let kept = glb(&one(convert(&again, &VRMA, &Conversion::default()).unwrap()));
    let SourceDocument::Gltf(after) = &kept.document else { panic!("a glTF") };
    assert_eq!(before.json(), after.json(), "a VRMA as it should be stays as it is");
}
