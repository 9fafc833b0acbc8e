//! Tests of broken files and non-motions: an error sentence names the file, in the terminal and in JSON, without panic.

use crate::program;

use std::path::Path;

use program::{files_below, muybridge, shared};
use serde_json::Value;

use crate::test_files::whole;

/// Fragments of Rust debug output that no message to the user may contain.
const FOR_PROGRAMMERS: [&str; 8] = ["panicked", "Some(", "None", "Ok(", "Err(", "unwrap", "{ ", "RUST_BACKTRACE"];

/// Faults of the program's messages about a file.
fn complaints(path: &Path) -> Vec<String> {
    let name = path.display().to_string();
    let said = muybridge(["check", "--json", &name]);
    let mut wrong = Vec::new();
    if !matches!(said.code, Some(0..=2)) {
        wrong.push(format!("exit code {:?}", said.code));
    }
    let shown = said.err.replace(&name, "");
    wrong.extend(FOR_PROGRAMMERS.iter().filter(|word| shown.contains(*word)).map(|word| format!("says “{word}”")));
    let json: Value = serde_json::from_str(&said.out).unwrap_or_default();
    let clips = json["clips"].as_array().cloned().unwrap_or_default();
    if clips.is_empty() {
        wrong.push("no entry in the JSON".into());
    }
    let errors: Vec<&str> = clips.iter().filter_map(|clip| clip["error"].as_str()).collect();
    if (said.code == Some(2)) == errors.is_empty() {
        wrong.push(format!("exit code {:?} with {} errors in the JSON", said.code, errors.len()));
    }
    for error in errors {
        if !error.contains(&name) || !said.err.contains(error) {
            wrong.push(format!("the JSON says “{error}”, which does not name the file or is not what stderr says"));
        }
    }
    wrong.into_iter().map(|what| format!("{name}: {what}: {}", said.err.trim())).collect()
}

fn assert_all_said_well(folder: &str, least: usize) {
    let files = files_below(&shared(folder));
    let least = if whole() { least } else { 1 };
    assert!(files.len() >= least, "{} files in {folder}", files.len());
    let wrong: Vec<String> = files.iter().flat_map(|path| complaints(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_malformed_file_gets_a_sentence_that_names_it() {
    assert_all_said_well("malformed", 190);
}

#[test]
fn records_models_and_tables_are_named_for_what_they_are() {
    let mut folders = vec![("forceplate", 5), ("models", 5), ("anthropometry", 5)];
    folders.extend(whole().then_some(("deepmimic", 6)));
    for (folder, least) in folders {
        assert_all_said_well(folder, least);
    }
}

#[test]
fn a_missing_file_an_empty_file_and_a_folder_without_motion_are_told_apart() {
    let folder = program::Folder::new();
    let empty = folder.file("empty.bvh", "");
    let said = |path: &Path| muybridge(["check".as_ref(), path.as_os_str()]);
    let expect = |path: &Path, words: &str| {
        let said = said(path);
        assert_eq!(said.code, Some(2));
        let name = path.display().to_string();
        assert!(said.err.contains(words) && said.err.contains(&name), "{}", said.err);
    };
    expect(&folder.path("missing.bvh"), "there is no such file");
    expect(&empty, "the file is empty");
    std::fs::create_dir(folder.path("clips")).unwrap();
    expect(&folder.path("clips"), "no motion files in this folder");
}

#[test]
#[cfg(target_os = "linux")]
fn a_standard_error_that_cannot_be_written_loses_no_result_and_no_exit_code() {
    let folder = program::Folder::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_muybridge"));
        command.args(arguments).stderr(full()).output().unwrap()
    };
    let missing = folder.path("missing.bvh").display().to_string();
    let there = crate::test_files::path("bvh/mass_run.bvh").display().to_string();
    let both = run(&["check", &missing, &there, "--json"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(!both.stdout.is_empty(), "the result of what could be read");
    let mut help = std::process::Command::new(env!("CARGO_BIN_EXE_muybridge"));
    assert_eq!(help.arg("--help").stdout(full()).status().unwrap().code(), Some(2));
}
