//! Formats of files, told by their content.

use super::*;
use crate::formats::{BODY_CSV, BVH, CHARACTER, CONTACTS_CSV, FBX, GLB, GLTF, MJCF, OBJ, URDF, VRM, VRMA};
use crate::test_files;

type Told = Result<&'static FileFormat, String>;

fn shared(path: &str) -> Told {
    let path = test_files::path(path);
    sniff(&path, &std::fs::read(&path).unwrap())
}

/// Files of a folder of the shared data, each with its kind.
fn folder(name: &str) -> Vec<(String, Told)> {
    let told = |path: &std::path::PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), sniff(path, &std::fs::read(path).unwrap()))
    };
    test_files::in_folder(name).iter().map(told).collect()
}

fn all_are(name: &str, format: &'static FileFormat) {
    let files = folder(name);
    assert!(!files.is_empty());
    for (file, found) in files {
        assert_eq!(found, Ok(format), "{file}");
    }
}

fn all_are_refused(name: &str, words: &str) {
    let files = folder(name);
    assert!(!files.is_empty() || !test_files::whole(), "{name}");
    for (_, found) in files {
        refused(&found, words);
    }
}

/// Checks that a file is refused with a sentence that has these words.
fn refused(told: &Told, words: &str) {
    let sentence = told.as_ref().expect_err("a file that is not read");
    assert!(sentence.contains(words), "{sentence}");
}

#[test]
fn every_shared_motion_and_model_is_known_for_what_it_is() {
    all_are("bvh", &BVH);
    all_are("models/mjcf", &MJCF);
    all_are("models/mjcf/dm_suite/common", &MJCF);
    all_are("models/urdf", &URDF);
    all_are("malformed/urdf", &URDF);
    for (file, kind) in folder("gltf").into_iter().filter(|(file, _)| !file.ends_with("bin")) {
        assert_eq!(kind, if file.ends_with("glb") { Ok(&GLB) } else { Ok(&GLTF) }, "{file}");
    }
    for (file, kind) in folder("vrm") {
        assert_eq!(kind, if file.ends_with("vrma") { Ok(&VRMA) } else { Ok(&VRM) }, "{file}");
    }
    for (file, kind) in folder("fbx").into_iter().filter(|(file, _)| file.ends_with("fbx")) {
        assert_eq!(kind, Ok(&FBX), "{file}");
    }
    for (file, kind) in folder("truth") {
        let expected = match file.as_str() {
            name if name.ends_with("_body.csv") => Ok(&BODY_CSV),
            "mj_geoms.csv" | "opencap4_contacts.csv" => Ok(&CONTACTS_CSV),
            name if name.ends_with(".bvh") => Ok(&BVH),
            _ => continue,
        };
        assert_eq!(kind, expected, "{file}");
    }
}

#[test]
fn laboratory_files_are_refused_with_what_they_are() {
    all_are_refused("malformed/trc_mot", "a .trc file");
    all_are_refused("malformed/c3d", "a .c3d file");
    refused(&shared("malformed/git_lfs_pointer.glb"), "git-LFS pointer");
    all_are_refused("forceplate/bmc_jump", "a table of numbers");
    for (file, kind) in folder("forceplate/opencap_subject4").into_iter().chain(folder("forceplate/opensim_walking2")) {
        let expected = match file.rsplit('.').next().unwrap() {
            "trc" => "a .trc file",
            "mot" => "a .mot file",
            "sto" => "a .sto file",
            "c3d" => "a .c3d file",
            "osim" => "an .osim file",
            _ => "an OpenSim set-up file",
        };
        refused(&kind, expected);
    }
    for (file, kind) in folder("deepmimic") {
        let expected = if file.starts_with("character") { "DeepMimic character" } else { "DeepMimic motion" };
        refused(&kind, expected);
    }
}

#[test]
fn malformed_models_go_to_their_readers_and_meshes_do_not() {
    for (file, kind) in folder("malformed/mjcf") {
        assert_eq!(kind, if file.ends_with("obj") { Ok(&OBJ) } else { Ok(&MJCF) }, "{file}");
    }
    for group in ["accessor", "animation", "asset", "buffer", "glb", "json", "node", "root", "scene", "skin"] {
        for (file, kind) in folder(&format!("malformed/gltf_validator/{group}")) {
            let expected = match file.rsplit('.').next().unwrap() {
                "gltf" => Ok(&GLTF),
                "glb" => Ok(&GLB),
                _ => continue,
            };
            let empty = kind == Err(EMPTY.into());
            assert!(kind == expected || empty, "{group}/{file}: {kind:?}");
        }
    }
}

#[test]
fn content_wins_over_the_name() {
    let kind = |name: &str, text: &str| sniff(Path::new(name), text.as_bytes());
    assert_eq!(kind("a.fbx", "\u{feff}\r\n hierarchy\r\nROOT x"), Ok(&BVH));
    refused(&kind("walk.bvh", "<!DOCTYPE html><html>"), "a web page");
    refused(&kind("walk.bvh", "version https://git-lfs.github.com/spec/v1\n"), "git-LFS pointer");
    assert_eq!(kind("a.xml", "<?xml version=\"1.0\"?><!-- <robot> -->\n<mujoco/>"), Ok(&MJCF));
    assert_eq!(kind("a", "; FBX 7.4.0 project file"), Ok(&FBX));
    assert_eq!(kind("a.txt", "format = \"muybridge character\"\nversion = 1"), Ok(&CHARACTER));
    refused(&kind("a.bvh", "PK\u{3}\u{4}"), "a compressed archive");
    refused(&kind("smpl.npz", "PK\u{3}\u{4}"), "a NumPy file");
}

#[test]
fn where_the_content_does_not_tell_the_name_does() {
    let kind = |name: &str, text: &str| sniff(Path::new(name), text.as_bytes());
    assert_eq!(kind("a.BVH", "garbage"), Ok(&BVH));
    assert_eq!(kind("a.glb", "gl"), Ok(&GLB));
    assert_eq!(kind("a.gltf", "{}"), Ok(&GLTF));
    refused(&kind("walk.amc", "# frames\n1"), "an .amc file");
    refused(&kind("walk.asf", ":version 1.10"), "an .asf file");
    refused(&kind("a.stl", "\u{1}\u{2}binary"), "a bare mesh");
}

#[test]
fn x14_nothing_blanks_and_noise_have_a_sentence_too() {
    let kind = |name: &str, bytes: &[u8]| sniff(Path::new(name), bytes);
    refused(&kind("a.bvh", b""), "the file is empty");
    refused(&kind("a.bvh", b" \r\n\0"), "the file is empty");
    refused(&kind("a", b"noise of no kind"), "no known format");
    refused(&kind("", b"<"), "this is XML");
    refused(&kind("", b"{"), "this is JSON");
    refused(&kind("a.csv", b"time,fx\n0,1"), "columns are not known");
}
