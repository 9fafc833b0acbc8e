//! Tests of `muybridge convert`: joints and verdicts are preserved, and no file is lost.

use crate::program;

use std::fs;
use std::path::{Path, PathBuf};

use muybridge::glam::DVec3;
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::prepare::prepare;
use muybridge_files::{OpenOptions, Preparation, Prepared, open};
use program::{Folder, files_below, muybridge, shared};
use serde_json::Value;

use crate::test_files::{here, whole};

const STEP: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 10 -5 0
    CHANNELS 3 Xrotation Yrotation Zrotation
    End Site
    {
      OFFSET 0 -85 3
    }
  }
}
MOTION
Frames: 3
Frame Time: .0333333
0 90.10 0 0 0 0 10 20 30
1 91 0 5 -3 10 10 20 31
2 92 0 5 -3 11 10 20 32
";

/// The first clip of a file in meters, y up.
fn prepared(path: &Path) -> Prepared {
    let opened = open(path, &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    prepare(&opened.imported, 0, &Preparation::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Largest distance between joints with the same name, meters.
fn apart(a: &Prepared, b: &Prepared) -> f64 {
    assert_eq!(a.clip.frames(), b.clip.frames());
    // A single frame has no rate in glTF.
    let rates = (a.clip.frame_time, b.clip.frame_time);
    assert!(a.clip.frames() == 1 || (rates.0 / rates.1 - 1.0).abs() < 1e-5, "{rates:?}");
    let (one, two) = (&a.character.skeleton, &b.character.skeleton);
    assert_eq!(one.len(), two.len());
    let (here, there) = (WorldMotion::new(one, &a.clip), WorldMotion::new(two, &b.clip));
    let mut worst = 0.0_f64;
    for (bone, entry) in one.bones().iter().enumerate() {
        let same = two.find(&entry.name).unwrap_or_else(|| panic!("no bone {}", entry.name));
        for frame in 0..a.clip.frames() {
            worst = worst.max(here.position(bone, frame).distance(there.position(same, frame)));
        }
    }
    worst
}

/// Largest distance of a joint from the origin, meters; rounding of 32-bit floats is relative to it.
fn reach(motion: &Prepared) -> f64 {
    let world = WorldMotion::new(&motion.character.skeleton, &motion.clip);
    let far = |bone| (0..motion.clip.frames()).map(move |frame| (bone, frame));
    let places = (0..motion.character.skeleton.len()).flat_map(far);
    places.map(|(bone, frame)| DVec3::length(world.position(bone, frame))).fold(0.0, f64::max)
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_bvh_comes_back_from_glb_and_gltf_with_its_joints_in_their_places() {
    let folder = Folder::new();
    let source = folder.file("step.bvh", STEP);
    for middle in ["step.glb", "step.gltf"] {
        let (middle, back) = (folder.path(middle), folder.path(&format!("{middle}.bvh")));
        let how = ["--unit", "cm", "--up", "y"].map(String::from);
        let said = muybridge([vec!["convert".into(), text(&source), text(&middle)], how.to_vec()].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert_eq!(said.out.trim(), text(&middle));
        let said = muybridge(["convert", &text(&middle), &text(&back)]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.err.contains("centimetres"), "{}", said.err);
        let (a, b) = (prepared(&middle), prepared(&back));
        assert!(apart(&a, &b) < 1e-9, "{}", apart(&a, &b));
        let hips = WorldMotion::new(&a.character.skeleton, &a.clip).position(0, 0);
        assert!(hips.distance(DVec3::new(0.0, 0.901, 0.0)) < 1e-7, "{hips}");
        assert_eq!(a.character.skeleton.len(), 2, "the end site is no bone");
    }
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence_and_nothing_is_written() {
    let folder = Folder::new();
    let source = text(&folder.file("step.bvh", STEP));
    let there = text(&folder.file("there.glb", "precious"));
    let refused = |arguments: &[&str], words: &[&str]| {
        let said = muybridge([&["convert"], arguments].concat());
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        for word in words {
            assert!(said.err.contains(word), "{arguments:?} must say “{word}”: {}", said.err);
        }
    };
    let out = text(&folder.path("out.glb"));
    refused(&[&source, &there], &["there.glb", "exists already", "--force"]);
    refused(&[&source, &source], &["input and output are the same file", "--force"]);
    refused(&["nowhere.bvh", &out], &["nowhere.bvh", "no such file"]);
    refused(&[&source, &text(&folder.path("out.fbx"))], &["out.fbx", ".glb"]);
    refused(&[&source, &text(&folder.path("out.mp4"))], &["out.mp4", ".bvh, .gltf, .glb, .vrma or .obj"]);
    refused(&[&source, &text(&folder.path("."))], &["--to"]);
    refused(&[&source, &out, "--clip", "Run"], &["step.bvh", "“Run”"]);
    refused(&[&source, &out, "--frames", "7..9"], &["step.bvh", "frame 7"]);
    refused(&[&source, &text(&folder.path("out.vrma"))], &["step.bvh", "hips", "--roles"]);
    refused(&[&source, &there, &out], &["folder"]);
    refused(&[&source], &["after it the file or folder to write"]);
    refused(&[&source, &out, "--out-unit", "m"], &["BVH"]);
    refused(&[&there, &out], &["there.glb"]);
    assert_eq!(folder.names("."), ["step.bvh", "there.glb"]);
    assert_eq!(fs::read_to_string(&there).unwrap(), "precious");
    assert_eq!(fs::read_to_string(&source).unwrap(), STEP);
    let said = muybridge(["convert", &source, &there, "--force"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_ne!(fs::read(&there).unwrap(), b"precious");
}

#[test]
fn several_motions_go_to_a_folder_and_one_bad_file_stops_none() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a.bvh", STEP), folder.file("b.bvh", STEP));
    let bad = folder.file("bad.bvh", "HIERARCHY\nROOT");
    let said = muybridge(["convert", &text(&a), &text(&bad), &text(&b), &text(&folder.path("out")), "--to", "glb"]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("bad.bvh"), "{}", said.err);
    assert_eq!(folder.names("out"), ["a.glb", "b.glb"]);
    let named = text(&folder.path("{clip}_short.bvh"));
    let said = muybridge(["convert", &text(&a), &text(&b), &named, "--frames", "1.."]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let short = fs::read_to_string(folder.path("b_short.bvh")).unwrap();
    assert!(short.contains("Frames: 2\nFrame Time: .0333333\n1 91 0 5 -3 10 10 20 31\n"), "{short}");
}

/// Motion files of the shared data.
fn motions() -> Vec<PathBuf> {
    let folders = ["bvh", "gltf", "vrm", "fbx", "truth"];
    let is_motion = |path: &PathBuf| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        ["bvh", "gltf", "glb", "vrm", "vrma", "fbx"].contains(&extension.as_str())
    };
    folders
        .iter()
        .filter(|folder| shared(folder).is_dir())
        .flat_map(|folder| files_below(&shared(folder)))
        .filter(is_motion)
        .collect()
}

#[test]
fn every_shared_bvh_keeps_its_joints_through_glb_and_back_to_a_32_bit_float() {
    let folder = Folder::new();
    let (glb, bvh) = (text(&folder.path("glb")), text(&folder.path("bvh")));
    let said = muybridge(["convert", &text(&shared("bvh")), &glb, "--to", "glb"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let said = muybridge(["convert", &glb, &bvh, "--to", "bvh"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let mut compared = 0;
    for source in files_below(&shared("bvh")) {
        let stem = source.file_stem().unwrap().to_string_lossy().into_owned();
        let before = prepared(&source);
        let through = prepared(&folder.path(&format!("glb/{stem}.glb")));
        let back = prepared(&folder.path(&format!("bvh/{stem}.bvh")));
        let tolerance = 2e-6 * reach(&before).max(1.0);
        assert!(apart(&before, &through) < tolerance, "{stem}: {} m in GLB", apart(&before, &through));
        assert!(apart(&before, &back) < tolerance, "{stem}: {} m in BVH", apart(&before, &back));
        compared += 1;
    }
    assert!(compared == if whole() { 18 } else { 8 }, "{compared}");
}

#[test]
fn every_shared_motion_converts_to_every_format_or_says_why_not() {
    let folder = Folder::new();
    for format in ["bvh", "gltf", "glb", "vrma"] {
        for (index, source) in motions().iter().enumerate() {
            let target = folder.path(&format!("{format}/{index}"));
            fs::create_dir_all(&target).unwrap();
            let said = muybridge(["convert", &text(source), &text(&target), "--to", format]);
            let written: Vec<&str> = said.out.lines().collect();
            if said.code == Some(0) {
                assert!(!written.is_empty());
                let read = |path: &Path| open(path, &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"));
                let files: Vec<_> = written.iter().map(|path| read(Path::new(path)).imported).collect();
                assert!(format != "vrma" || files.iter().all(|file| file.roles.len() > 10), "{source:?}");
                let of_all = |clips: Vec<&Clip>| clips.iter().map(|clip| clip.frames()).sum::<usize>();
                let before = read(source).imported;
                let frames = of_all(before.clips.iter().collect());
                assert_eq!(of_all(files.iter().flat_map(|file| &file.clips).collect()), frames, "{source:?} {format}");
                continue;
            }
            assert_eq!(said.code, Some(2), "{}", said.err);
            assert!(said.err.contains(&text(source)) && !said.err.contains("panicked"), "{}", said.err);
            let reasons = ["VRMA moves a humanoid", "no animation"];
            assert!(reasons.iter().any(|reason| said.err.contains(reason)), "{}", said.err);
        }
    }
}

#[test]
fn the_clips_of_a_fox_become_one_bvh_each() {
    let folder = Folder::new();
    let fox = text(&shared("gltf/Fox.glb"));
    let said = muybridge(["convert", &fox, &text(&folder.path("fox.bvh"))]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("“Survey”, “Walk”, “Run”") && said.err.contains("--clip"), "{}", said.err);
    let said = muybridge(["convert", &fox, &text(&folder.path("out")), "--to", "bvh"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(said.err.contains("1 meshes are left out"), "{}", said.err);
    assert_eq!(folder.names("out"), ["Fox_Run.bvh", "Fox_Survey.bvh", "Fox_Walk.bvh"]);
    let said = muybridge(["convert", &fox, "--clip", "Walk", &text(&folder.path("walk.bvh"))]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(fs::read(folder.path("walk.bvh")).unwrap(), fs::read(folder.path("out/Fox_Walk.bvh")).unwrap());
    let said = muybridge(["convert", &fox, &text(&folder.path("swim.bvh")), "--clip", "Swim"]);
    assert!(said.err.contains("“Swim”; there are “Survey”, “Walk”, “Run”"), "{}", said.err);
}

#[test]
fn a_gltf_stays_as_it_is_in_gltf_and_keeps_meshes_and_pictures_where_frames_change() {
    let folder = Folder::new();
    let files = ["gltf/Fox.glb", "gltf/RobotExpressive.glb", "gltf/cesium_man.gltf", "gltf/interpolation_test.gltf"];
    for name in here(files, |file| file.to_string()) {
        let source = shared(name);
        let copy = folder.path(&source.file_name().unwrap().to_string_lossy());
        let said = muybridge(["convert", &text(&source), &text(&copy)]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(fs::read(&source).unwrap() == fs::read(&copy).unwrap(), "{name} changed");
    }
    let numbers = fs::read(shared("gltf/interpolation_test.bin")).unwrap();
    assert!(fs::read(folder.path("interpolation_test.bin")).unwrap() == numbers);
    let walk = folder.path("walk.gltf");
    let fox = text(&shared("gltf/Fox.glb"));
    let said = muybridge(["convert", &fox, &text(&walk), "--clip", "Walk", "--fps", "60"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let json: Value = serde_json::from_slice(&fs::read(&walk).unwrap()).unwrap();
    assert_eq!((json["meshes"].as_array().unwrap().len(), json["skins"].as_array().unwrap().len()), (1, 1));
    assert_eq!(json["animations"].as_array().unwrap().len(), 1);
    let clip = &open(&walk, &OpenOptions::default()).unwrap().imported.clips[0];
    assert_eq!((clip.name.as_str(), (clip.frames_per_second() * 1e3).round()), ("Walk", 60e3));
}

/// Compares two documents. Numbers must agree within 0.1 %, numbers of a list within 0.1 % of its largest. Force errors
/// must agree within a hundredth of a newton; they are 0 N in free fall and hundreds of newtons for wrong motions.
fn assert_alike(a: &Value, b: &Value, what: &str) {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => assert_near(a, b, largest(a), what),
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{what}");
            let most = a.iter().map(largest).fold(0.0, f64::max);
            for (a, b) in a.iter().zip(b) {
                if a.is_number() { assert_near(a, b, most, what) } else { assert_alike(a, b, what) }
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a.iter().filter(|(key, _)| *key != "message") {
                assert_alike(value, &b[key], &format!("{what}.{key}"));
            }
        }
        _ => assert_eq!(a, b, "{what}"),
    }
}

fn assert_near(a: &Value, b: &Value, scale: f64, what: &str) {
    let off = (a.as_f64().unwrap() - b.as_f64().unwrap_or(f64::NAN)).abs();
    let least = if what.contains("error") { 10.0 } else { 1e-3 };
    assert!(off <= 1e-3 * scale.max(least), "{what}: {a} and {b}");
}

fn largest(value: &Value) -> f64 {
    value.as_f64().map_or(0.0, f64::abs)
}

fn checked(path: &Path) -> Value {
    let said = muybridge(["check", "--json", &text(path)]);
    assert!(matches!(said.code, Some(0 | 1)), "{}", said.err);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    json["clips"][0].clone()
}

#[test]
fn a_clip_through_bvh_and_through_glb_gives_the_same_findings_and_verdict() {
    let folder = Folder::new();
    let clips = ["truth/mj_jump_120", "bvh/cmu_01_01_forward_hops", "bvh/snu_hjump_phase"];
    for name in here(clips, |name| format!("{name}.bvh")) {
        let source = shared(&format!("{name}.bvh"));
        let (glb, bvh) = (folder.path("through.glb"), folder.path("through.bvh"));
        for (from, to) in [(&source, &glb), (&glb, &bvh)] {
            let said = muybridge(["convert", "--force", &text(from), &text(to)]);
            assert_eq!(said.code, Some(0), "{}", said.err);
        }
        let before = checked(&source);
        for after in [checked(&glb), checked(&bvh)] {
            assert_eq!((&before["verdict"], &before["frames"]), (&after["verdict"], &after["frames"]), "{name}");
            for key in ["findings", "flights", "feet", "floor_m", "body"] {
                assert_alike(&before[key], &after[key], &format!("{name}: {key}"));
            }
        }
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_clip_that_blender_wrote_as_fbx_gets_the_verdict_of_its_bvh() {
    let (bvh, fbx) = (checked(&shared("bvh/snu_hjump_phase.bvh")), checked(&shared("fbx/snu_hjump_phase.fbx")));
    assert_eq!(bvh["verdict"], fbx["verdict"]);
    let ids = |clip: &Value| -> Vec<String> {
        clip["findings"].as_array().unwrap().iter().map(|finding| finding["id"].to_string()).collect()
    };
    assert_eq!(ids(&bvh), ids(&fbx));
}

#[test]
fn s29_a_giant_takes_3_162278_times_as_long_and_still_falls_with_one_g() {
    let folder = Folder::new();
    let source = folder.file("throw.bvh", &crate::checking::thrown_bvh(61, 60.0, 9.81)).display().to_string();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    for (name, options) in [("giant.bvh", &["--out-unit", "m"][..]), ("giant.glb", &[])] {
        let giant = folder.path(name).display().to_string();
        let said = muybridge([&["convert", &source, &giant, "--unit", "m", "--resize", "10"], options].concat());
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.err.contains("3.1623 times as slow"), "{}", said.err);
        let said = muybridge(["check", "--json", "--unit", "m", &giant]);
        let found: Value = serde_json::from_str(&said.out).unwrap();
        let clip = &found["clips"][0];
        assert!((number(&clip["fps"]) * 10.0_f64.sqrt() / 60.0 - 1.0).abs() < 1e-6, "{name}: {}", clip["fps"]);
        assert!((number(&clip["flights"][0]["gravity_g"]) - 1.0).abs() < 1e-4, "{name}: {}", clip["flights"][0]);
        // The throw goes 1 m along x in a second.
        let centers = clip["per_frame"]["mass_center_m"].as_array().unwrap();
        let way = number(&centers[60][0]) - number(&centers[0][0]);
        assert!(centers.len() == 61 && (way - 10.0).abs() < 1e-4, "{name}: {way}");
    }
    let said = muybridge(["convert", &source, &folder.path("no.bvh").display().to_string(), "--resize", "0"]);
    assert!(said.code == Some(2) && said.err.contains("a number from 0.001 to 1000"), "{}", said.err);
}
