//! Tests that names of files, clips and bones cannot steer a terminal, turn the text beside them, or become formulas.

use std::path::Path;

use crate::program::{Folder, Said, muybridge};

/// Characters that a terminal or a browser obeys instead of showing them.
fn hidden(text: &str) -> Vec<char> {
    let is_hidden = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(is_hidden).collect()
}

fn assert_plain(what: &str, said: &Said) {
    let (out, err) = (hidden(&said.out), hidden(&said.err));
    assert!(out.is_empty() && err.is_empty(), "{what}: {out:?} {err:?}\n{}\n{}", said.out, said.err);
}

/// A glTF of a body of two nodes that moves; its clip and its nodes have these names.
fn gltf(clip: &str, bone: &str) -> String {
    let numbers: [f32; 12] = [0.0, 0.5, 1.0, 0.0, 1.0, 0.0, 0.0, 1.2, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let buffer: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    let names = [format!("{bone} root"), bone.to_owned(), clip.to_owned()];
    let [root, bone, clip] = names.map(|name| serde_json::Value::from(name).to_string());
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"name":{root},"children":[1]}},{{"name":{bone},"translation":[0,0.5,0]}}],
        "buffers":[{{"byteLength":48,"uri":"data:application/octet-stream,{buffer}"}}],
        "bufferViews":[{{"buffer":0,"byteLength":12}},{{"buffer":0,"byteOffset":12,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR","min":[0],"max":[1]}},
        {{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"}}],
        "animations":[{{"name":{clip},"samplers":[{{"input":0,"output":1}}],
        "channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}]}}]}}"#
    )
}

const HOSTILE: &str = "a\u{1b}[31m\u{9b}2J\u{202e}gpj\u{2066}b\u{200f}\u{2028}c\u{7}";

#[test]
fn names_in_a_file_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let file = folder.file("clip.gltf", &gltf(HOSTILE, HOSTILE));
    let file = file.display().to_string();
    let out = |name: &str| folder.path(name).display().to_string();
    let calls: [&[&str]; 9] = [
        &["check", &file, "--details", "--residual"],
        &["check", &file, &file],
        &["check", &file, "--clip", "other"],
        &["check", &file, "--character", "other"],
        &["fix", &file, "--dry-run"],
        &["fix", &file, &file, "--dry-run"],
        &["convert", &file, &out("x.bvh"), "--force"],
        &["convert", &file, &out("x.vrma"), "--force"],
        &["survey", &file, "--out", &out("s.csv"), "--html", &out("s.html"), "--force"],
    ];
    for call in calls {
        let said = muybridge(call);
        assert!(matches!(said.code, Some(0..=2)), "{call:?}: {}", said.err);
        assert_plain(&format!("{call:?}"), &said);
    }
    let seen = muybridge(["check", &file]);
    assert!(seen.out.contains("\\u{202e}"), "a hidden character is shown as an escape: {}", seen.out);
    muybridge(["check", &file, "--html", &out("c.html"), "--force"]);
    for page in ["c.html", "s.html"] {
        let text = std::fs::read_to_string(folder.path(page)).unwrap();
        assert!(hidden(&text).is_empty(), "{page}: {:?}", hidden(&text));
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let bad = folder.file(&format!("{HOSTILE}\nbroken.bvh"), "HIERARCHY\nROOT a\n{\n");
    let good = folder.file(&format!("{HOSTILE}.gltf"), &gltf("walk", "hips"));
    let missing = folder.path(&format!("{HOSTILE}.missing.bvh"));
    let table = folder.path("s.csv");
    for file in [&bad, &good, &missing] {
        let calls: [Vec<&Path>; 5] = [
            vec![Path::new("check"), file],
            vec![Path::new("fix"), file, Path::new("--dry-run")],
            vec![Path::new("survey"), file, Path::new("--force"), Path::new("--out"), &table],
            vec![Path::new("simulate"), file],
            vec![Path::new("check"), Path::new("--limits"), file, file],
        ];
        for call in calls {
            assert_plain(&format!("{call:?}"), &muybridge(call.iter().map(|part| part.as_os_str())));
        }
    }
    let target = folder.path(&format!("{HOSTILE}.glb"));
    let said = muybridge([Path::new("convert"), &good, &target].map(Path::as_os_str));
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_plain("convert", &said);
    let said = muybridge(["check", &format!("--{HOSTILE}")]);
    assert_eq!(said.code, Some(2));
    assert_plain("an unknown option", &said);
}

#[test]
fn names_in_tables_are_no_formulas_and_numbers_stay() {
    let folder = Folder::new();
    let names = ["=1+1", "+1", "-1", "@SUM(A1)"];
    for (index, name) in names.iter().enumerate() {
        let file = folder.file(&format!("{index}.gltf"), &gltf(name, name)).display().to_string();
        let out = |name: &str| folder.path(name).display().to_string();
        muybridge(["survey", &file, "--out", &out("s.csv"), "--force"]);
        muybridge(["check", &file, "--csv", &out("c.csv"), "--force"]);
        let table = std::fs::read_to_string(folder.path("s.csv")).unwrap();
        let row: Vec<&str> = table.lines().nth(1).unwrap().split(',').collect();
        assert_eq!(row[1], format!("'{name}"), "{table}");
        for table in ["s.csv", "c.csv"] {
            let text = std::fs::read_to_string(folder.path(table)).unwrap();
            for cell in text.lines().skip(1).flat_map(|line| line.split(',')) {
                let is_number = cell.parse::<f64>().is_ok() && !names.contains(&cell);
                assert!(is_number || !cell.starts_with(['=', '+', '-', '@']), "{table}: {cell}");
            }
        }
    }
}
