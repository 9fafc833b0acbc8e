//! Kinds of files, told by their content.

use std::path::PathBuf;

use super::*;

fn shared(path: &str) -> FileKind {
    let path = PathBuf::from(std::env::var_os("MUYBRIDGE_DATA").expect("MUYBRIDGE_DATA")).join(path);
    sniff(&path, &std::fs::read(&path).unwrap())
}

/// Every file of a folder of the shared data, with its kind.
fn folder(name: &str) -> Vec<(String, FileKind)> {
    let path = PathBuf::from(std::env::var_os("MUYBRIDGE_DATA").expect("MUYBRIDGE_DATA")).join(name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().filter(|path| path.is_file()).map(|p| (name(p), sniff(p, &std::fs::read(p).unwrap()))).collect()
}

fn all_are(name: &str, kind: FileKind) {
    let files = folder(name);
    assert!(!files.is_empty());
    for (file, found) in files {
        assert_eq!(found, kind, "{file}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn every_shared_motion_and_model_is_known_for_what_it_is() {
    all_are("bvh", FileKind::Bvh);
    all_are("models/mjcf", FileKind::Mjcf);
    all_are("models/mjcf/dm_suite/common", FileKind::Mjcf);
    all_are("models/urdf", FileKind::Urdf);
    all_are("malformed/urdf", FileKind::Urdf);
    for (file, kind) in folder("gltf").into_iter().filter(|(file, _)| !file.ends_with("bin")) {
        assert_eq!(kind, if file.ends_with("glb") { FileKind::Glb } else { FileKind::Gltf }, "{file}");
    }
    for (file, kind) in folder("vrm") {
        assert_eq!(kind, if file.ends_with("vrma") { FileKind::Vrma } else { FileKind::Vrm }, "{file}");
    }
    for (file, kind) in folder("fbx").into_iter().filter(|(file, _)| file.ends_with("fbx")) {
        assert_eq!(kind, FileKind::Fbx, "{file}");
    }
    for (file, kind) in folder("truth") {
        let expected = match file.as_str() {
            name if name.ends_with("_body.csv") => FileKind::BodyCsv,
            "mj_geoms.csv" | "opencap4_contacts.csv" => FileKind::ContactsCsv,
            name if name.ends_with(".bvh") => FileKind::Bvh,
            _ => continue,
        };
        assert_eq!(kind, expected, "{file}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn laboratory_files_are_refused_with_what_they_are() {
    all_are("malformed/trc_mot", FileKind::Refused(TRC));
    all_are("malformed/c3d", FileKind::Refused(C3D));
    assert_eq!(shared("malformed/git_lfs_pointer.glb"), FileKind::Refused(LFS));
    all_are("forceplate/bmc_jump", FileKind::Refused(NUMBERS));
    for (file, kind) in folder("forceplate/opencap_subject4").into_iter().chain(folder("forceplate/opensim_walking2")) {
        let expected = match file.rsplit('.').next().unwrap() {
            "trc" => TRC,
            "mot" => MOT,
            "sto" => STO,
            "c3d" => C3D,
            "osim" => OSIM,
            _ => OPENSIM_SETUP,
        };
        assert_eq!(kind, FileKind::Refused(expected), "{file}");
    }
    for (file, kind) in folder("deepmimic") {
        let expected = if file.starts_with("character") { DEEPMIMIC_CHARACTER } else { DEEPMIMIC_MOTION };
        assert_eq!(kind, FileKind::Refused(expected), "{file}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn malformed_models_go_to_their_readers_and_meshes_do_not() {
    for (file, kind) in folder("malformed/mjcf") {
        assert_eq!(kind, if file.ends_with("obj") { FileKind::Refused(MESH) } else { FileKind::Mjcf }, "{file}");
    }
    for group in ["accessor", "animation", "asset", "buffer", "glb", "json", "node", "root", "scene", "skin"] {
        for (file, kind) in folder(&format!("malformed/gltf_validator/{group}")) {
            let expected = match file.rsplit('.').next().unwrap() {
                "gltf" => FileKind::Gltf,
                "glb" => FileKind::Glb,
                _ => continue,
            };
            let empty = kind == FileKind::Refused(EMPTY);
            assert!(kind == expected || empty, "{group}/{file}: {kind:?}");
        }
    }
}

#[test]
fn content_wins_over_the_name() {
    let kind = |name: &str, text: &str| sniff(Path::new(name), text.as_bytes());
    assert_eq!(kind("a.fbx", "\u{feff}\r\n hierarchy\r\nROOT x"), FileKind::Bvh);
    assert_eq!(kind("walk.bvh", "<!DOCTYPE html><html>"), FileKind::Refused(HTML));
    assert_eq!(kind("walk.bvh", "version https://git-lfs.github.com/spec/v1\n"), FileKind::Refused(LFS));
    assert_eq!(kind("a.xml", "<?xml version=\"1.0\"?><!-- <robot> -->\n<mujoco/>"), FileKind::Mjcf);
    assert_eq!(kind("a", "; FBX 7.4.0 project file"), FileKind::Fbx);
    assert_eq!(kind("a.txt", "format = \"muybridge character\"\nversion = 1"), FileKind::CharacterToml);
    assert_eq!(kind("a.bvh", "PK\u{3}\u{4}"), FileKind::Refused(ARCHIVE));
    assert_eq!(kind("smpl.npz", "PK\u{3}\u{4}"), FileKind::Refused(NUMPY));
}

#[test]
fn where_the_content_does_not_tell_the_name_does() {
    let kind = |name: &str, text: &str| sniff(Path::new(name), text.as_bytes());
    assert_eq!(kind("a.BVH", "garbage"), FileKind::Bvh);
    assert_eq!(kind("a.glb", "gl"), FileKind::Glb);
    assert_eq!(kind("a.gltf", "{}"), FileKind::Gltf);
    assert_eq!(kind("walk.amc", "# frames\n1"), FileKind::Refused(AMC));
    assert_eq!(kind("walk.asf", ":version 1.10"), FileKind::Refused(ASF));
    assert_eq!(kind("a.stl", "\u{1}\u{2}binary"), FileKind::Refused(MESH));
}

#[test]
fn x14_nothing_blanks_and_noise_have_a_sentence_too() {
    let kind = |name: &str, bytes: &[u8]| sniff(Path::new(name), bytes);
    assert_eq!(kind("a.bvh", b""), FileKind::Refused(EMPTY));
    assert_eq!(kind("a.bvh", b" \r\n\0"), FileKind::Refused(EMPTY));
    assert_eq!(kind("a", b"noise of no kind"), FileKind::Refused(UNKNOWN));
    assert_eq!(kind("", b"<"), FileKind::Refused(XML));
    assert_eq!(kind("", b"{"), FileKind::Refused(JSON));
    assert_eq!(kind("a.csv", b"time,fx\n0,1"), FileKind::Refused(TABLE));
}
