//! The FBX reader on the shared files and on damaged ones.

use std::collections::BTreeMap;
use std::path::PathBuf;

use muybridge::motion::WorldMotion;

use super::*;

fn shared(path: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("MUYBRIDGE_DATA").expect("MUYBRIDGE_DATA")).join(path)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(shared(&format!("fbx/{name}.fbx"))).unwrap()
}

/// Greatest distance between a bone and its position in Blender, meters.
fn distance_from_heads(name: &str, frames: usize, rate: f64) -> f64 {
    let imported = read(&bytes(name)).unwrap();
    let clip = &imported.clips[0];
    assert_eq!((clip.frames(), clip.frames_per_second()), (frames, rate), "{name}");
    assert!(imported.format.contains("centimetres"), "{}", imported.format);
    let world = WorldMotion::new(&imported.skeleton, clip);
    let text = std::fs::read_to_string(shared(&format!("fbx/{name}_heads.csv"))).unwrap();
    let mut worst: f64 = 0.0;
    let mut seen = BTreeMap::new();
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split(',').collect();
        let bone = imported.skeleton.find(words[1]).unwrap_or_else(|| panic!("{name}: no bone {}", words[1]));
        let head = DVec3::from([words[2], words[3], words[4]].map(|w| w.parse().unwrap()));
        worst = worst.max((world.position(bone, words[0].parse().unwrap()) - head).length());
        *seen.entry(bone).or_insert(0) += 1;
    }
    assert_eq!(seen.len(), imported.skeleton.len(), "every bone is in the table: {:?}", imported.skeleton);
    worst
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn bones_stand_where_blender_had_them() {
    for (name, frames, rate) in
        [("snu_hjump_phase", 80, 30.0), ("mass_cartwheel", 286, 120.0), ("mj_tumble_30", 49, 30.0)]
    {
        let worst = distance_from_heads(name, frames, rate);
        assert!(worst < 1e-4, "{name}: {worst} m");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_file_cut_short_anywhere_is_an_error_or_a_clip_never_a_crash() {
    let whole = bytes("mj_tumble_30");
    for part in 0..40 {
        let _ = read(&whole[..whole.len() * part / 40]);
    }
    for length in 0..60 {
        assert!(read(&whole[..length]).is_err());
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_file_with_bytes_changed_is_an_error_or_a_clip_never_a_crash() {
    let whole = bytes("mj_tumble_30");
    let mut state = 12345_u32;
    for _ in 0..60 {
        let mut changed = whole.clone();
        for _ in 0..8 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = state as usize % changed.len();
            changed[at] ^= (state >> 24) as u8 | 1;
        }
        let _ = read(&changed);
    }
}

#[test]
fn x14_what_is_no_fbx_is_an_error() {
    for bytes in [&b""[..], b"Kaydara FBX Binary  \0\x1a\0", b"v 0 0 0\n", b"; FBX 7.4.0 project file\n", &[0xff; 300]]
    {
        assert!(read(bytes).is_err(), "{bytes:?}");
    }
}

#[test]
fn rates_of_exporters_are_the_whole_numbers_they_mean() {
    assert_eq!(whole_rate(29.99997), 30.0);
    assert_eq!(whole_rate(119.99995), 120.0);
    assert_eq!(whole_rate(29.97), 29.97);
}

/// A text FBX of one node moving by linear keys over `seconds`, in centimeters and z up.
fn text_scene(seconds: f64) -> String {
    let end = (seconds * 46_186_158_000.0) as i64;
    format!(
        r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {{ FBXVersion: 7400 }}
GlobalSettings:  {{ Properties70:  {{
  P: "UpAxis", "int", "Integer", "",2
  P: "UpAxisSign", "int", "Integer", "",1
  P: "FrontAxis", "int", "Integer", "",1
  P: "FrontAxisSign", "int", "Integer", "",-1
  P: "CoordAxis", "int", "Integer", "",0
  P: "CoordAxisSign", "int", "Integer", "",1
  P: "UnitScaleFactor", "double", "Number", "",1
  P: "TimeMode", "enum", "", "",6
}} }}
Objects:  {{
  Model: 1, "Model::Ball", "Null" {{ Version: 232 }}
  AnimationStack: 10, "AnimStack::Take", "" {{ Properties70:  {{
    P: "LocalStart", "KTime", "Time", "",0
    P: "LocalStop", "KTime", "Time", "",{end}
    P: "ReferenceStart", "KTime", "Time", "",0
    P: "ReferenceStop", "KTime", "Time", "",{end} }} }}
  AnimationLayer: 11, "AnimLayer::Base", "" {{ }}
  AnimationCurveNode: 12, "AnimCurveNode::T", "" {{ Properties70:  {{ P: "d|Z", "Number", "", "A",0 }} }}
  AnimationCurve: 13, "AnimCurve::", "" {{
    Default: 0
    KeyVer: 4008
    KeyTime: *2 {{ a: 0,{end} }}
    KeyValueFloat: *2 {{ a: 0,100 }}
    KeyAttrFlags: *1 {{ a: 4 }}
    KeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}
    KeyAttrRefCount: *1 {{ a: 2 }}
  }}
}}
Connections:  {{
  C: "OO",1,0
  C: "OO",11,10
  C: "OO",12,11
  C: "OP",12,1, "Lcl Translation"
  C: "OP",13,12, "d|Z"
}}
"#
    )
}

#[test]
fn a_ball_rising_a_hundred_centimetres_along_z_rises_one_metre_along_y() {
    let imported = read(text_scene(2.0).as_bytes()).unwrap();
    assert_eq!(imported.format, "FBX 7.4 text, centimetres, z up");
    let clip = &imported.clips[0];
    assert_eq!(
        (clip.frames(), clip.frames_per_second(), imported.skeleton.bones()[0].name.as_str()),
        (61, 30.0, "Ball")
    );
    let world = WorldMotion::new(&imported.skeleton, clip);
    for frame in 0..clip.frames() {
        let expected = DVec3::Y * (frame as f64 / 60.0);
        assert!((world.position(0, frame) - expected).length() < 1e-6, "{}", world.position(0, frame));
    }
}

#[test]
fn a_small_file_cannot_claim_a_year_of_frames() {
    let error = read(text_scene(3e7).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("cut it"), "{error}");
}
