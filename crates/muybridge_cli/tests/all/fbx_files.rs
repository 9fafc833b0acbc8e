//! FBX files that Blender wrote: where their bones stand, and corrections that become a GLB.

use crate::rewriting;

use std::collections::BTreeMap;

use muybridge::glam::DVec3;
use muybridge::motion::WorldMotion;
use muybridge_files::fbx;
use muybridge_files::rewrite::{bytes, corrected, writable};
use rewriting::{distance, opened, prepared, prepared_like, shifted};

use crate::test_files::path;

/// Greatest distance between a bone and its position in Blender, meters.
fn distance_from_heads(name: &str, frames: usize, rate: f64) -> f64 {
    let imported = fbx::read(&std::fs::read(path(&format!("fbx/{name}.fbx"))).unwrap()).unwrap();
    let clip = &imported.clips[0];
    assert_eq!((clip.frames(), clip.frames_per_second()), (frames, rate), "{name}");
    assert!(imported.format.contains("centimetres"), "{}", imported.format);
    let world = WorldMotion::new(&imported.skeleton, clip);
    let text = std::fs::read_to_string(path(&format!("fbx/{name}_heads.csv"))).unwrap();
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
fn an_fbx_becomes_a_glb_that_can_be_corrected() {
    for name in ["fbx/snu_hjump_phase.fbx", "fbx/mj_tumble_30.fbx", "fbx/mass_cartwheel.fbx"] {
        let fbx = opened(name);
        let old = fbx.imported.clips[0].clone();
        let (file, notes) = writable(fbx, false, "jump").unwrap();
        assert!(notes[0].contains("FBX cannot be written"), "{notes:?}");
        assert_eq!(bytes(&file).extension, "glb");
        assert_eq!(file.imported.clips[0].frames(), old.frames(), "{name}");
        let before = prepared(&file, 0);
        let wanted = shifted(&before, (10, 20), DVec3::new(0.0, 0.1, 0.0));
        let after = corrected(&file, 0, &before.units, &before.clip, &wanted).unwrap();
        assert!(distance(&before, &wanted, &prepared_like(&after, 0, &before).clip) < 2e-6, "{name}");
    }
}
