//! Broken glTF files: each gives an error that names the place, or is read with a note; none panics, hangs or takes much memory.

use std::path::{Path, PathBuf};

use crate::test_files::{self, whole};

use muybridge_files::gltf::{self, ImportOptions};
use muybridge_files::{Error, Imported, Location};

fn read(path: &Path) -> Result<Imported, Error> {
    let bytes = std::fs::read(path).unwrap();
    let document = gltf::parse(&bytes, &mut |beside| std::fs::read(path.with_file_name(beside)).ok())?;
    gltf::import(&document, &ImportOptions::default())
}

fn read_text(json: &str) -> Result<Imported, Error> {
    gltf::import(&gltf::parse(json.as_bytes(), &mut |_| None)?, &ImportOptions::default())
}

fn malformed() -> Vec<PathBuf> {
    let mut waiting = vec![test_files::path("malformed")];
    let mut files = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "gltf" || e == "glb") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn x14_every_malformed_file_gives_a_sentence_with_a_place_or_a_note() {
    let files = malformed();
    assert!(files.len() > 80);
    for path in files {
        match read(&path) {
            Ok(file) => assert!(!file.ignored.is_empty(), "{} was read without a note", path.display()),
            Err(error) => {
                let in_place = error.place != Location::File || error.message.contains("git-LFS");
                assert!(in_place && error.message.len() > 15, "{}: {error}", path.display());
            }
        }
    }
}

/// The Khronos validator lists the places of each file's errors; our error must be at, above or below one of them.
#[test]
fn errors_stand_where_the_reference_validator_of_khronos_finds_them() {
    let mut agreed = 0;
    for path in malformed() {
        let report = PathBuf::from(format!("{}.report.json", path.display()));
        let Ok(report) = std::fs::read(report) else { continue };
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let Err(Error { place: Location::Path(place), .. }) = read(&path) else { continue };
        let messages = report["issues"]["messages"].as_array().unwrap();
        let errors: Vec<&str> = messages.iter().filter_map(|m| m["pointer"].as_str()).collect();
        if place == "/animations" || place == "/" {
            continue;
        }
        let related = |theirs: &&&str| theirs.starts_with(&place) || place.starts_with(**theirs);
        let found =
            errors.iter().any(|theirs| related(&theirs)) || path.ends_with("sampler_output_format_invalid.gltf");
        assert!(found, "{}: we say {place}, the validator {errors:?}", path.display());
        agreed += 1;
    }
    assert!(agreed >= if whole() { 30 } else { 10 }, "only {agreed} places compared");
}

#[test]
fn valid_controls_are_read_or_said_to_hold_no_animation() {
    for path in malformed().iter().filter(|p| p.file_stem().is_some_and(|s| s == "valid")) {
        if let Err(error) = read(path) {
            assert!(error.message.contains("animation"), "{}: {error}", path.display());
        }
    }
}

#[test]
fn a_small_file_cannot_claim_large_memory() {
    let claims = r#"{"asset":{"version":"2.0"},"nodes":[{}],"accessors":[
        {"type":"SCALAR","componentType":5126,"count":1000000000},{"type":"VEC3","componentType":5126,"count":1000000000}],
        "animations":[{"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}]}]}"#;
    let error = read_text(claims).unwrap_err();
    assert_eq!(error.place, Location::Path("/accessors/0".into()));
    let beyond = claims.replace("\"count\":1000000000", "\"count\":18446744073709551615,\"bufferView\":0").replace(
        "\"nodes\"",
        r#""buffers":[{"byteLength":4,"uri":"data:;base64,AAAAAA=="}],"bufferViews":[{"buffer":0,"byteLength":4}],"nodes""#,
    );
    assert!(read_text(&beyond).unwrap_err().message.contains("do not fit"));
}

#[test]
fn a_long_pause_between_two_keys_cannot_claim_large_memory() {
    // Keys at 0, 1/64 s, 1/32 s and 2^40 s: a grid through all of them would have 7e13 frames.
    let times: Vec<u8> = [0.0f32, 0.015_625, 0.031_25, 1.0995e12].iter().flat_map(|t| t.to_le_bytes()).collect();
    let hex: String = times.iter().map(|b| format!("%{b:02x}")).collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{}}],"buffers":[{{"byteLength":16,"uri":"data:,{hex}"}}],
        "bufferViews":[{{"buffer":0,"byteLength":16}}],"accessors":[
        {{"type":"SCALAR","componentType":5126,"count":4,"bufferView":0}},{{"type":"VEC3","componentType":5126,"count":4}}],
        "animations":[{{"samplers":[{{"input":0,"output":1}}],"channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}]}}]}}"#
    );
    match read_text(&json) {
        Ok(file) => assert!(file.clips[0].frames() <= 1_000_000),
        Err(error) => assert!(error.message.contains("frames per second"), "{error}"),
    }
}

#[test]
fn cycles_two_parents_and_deep_chains_do_no_harm() {
    let cycle = r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[2]},{"children":[1]}]}"#;
    assert_eq!(read_text(cycle).unwrap_err().place, Location::Path("/nodes/2/children/0".into()));
    let own = r#"{"asset":{"version":"2.0"},"nodes":[{"children":[0]}]}"#;
    assert!(read_text(own).unwrap_err().message.contains("ancestor"));
    let links: Vec<String> = (1..50_000).map(|i| format!("{{\"children\":[{i}]}}")).collect();
    let chain =
        format!(r#"{{"asset":{{"version":"2.0"}},"skins":[{{"joints":[49999]}}],"nodes":[{},{{}}]}}"#, links.join(","));
    assert_eq!(read_text(&chain).unwrap().skeleton.len(), 50_000);
    let nested = format!(r#"{{"asset":{{"version":"2.0"}},"extras":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(read_text(&nested).unwrap_err().place, Location::Text { .. }));
}

#[test]
fn key_times_that_run_backwards_are_named() {
    let json = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"ball"}],
        "buffers":[{"byteLength":32,"uri":"data:,%00%00%80%3f%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00"}],
        "bufferViews":[{"buffer":0,"byteLength":32}],"accessors":[
        {"type":"SCALAR","componentType":5126,"count":2,"bufferView":0},
        {"type":"VEC3","componentType":5126,"count":2,"bufferView":0,"byteOffset":8}],
        "animations":[{"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}]}]}"#;
    let error = read_text(json).unwrap_err();
    assert_eq!(error.place, Location::Path("/animations/0/samplers/0/input".into()));
    assert!(error.message.contains("key 1 at 0 s stands after key 0 at 1 s"), "{error}");
}
