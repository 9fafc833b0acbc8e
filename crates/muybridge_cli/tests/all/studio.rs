//! Tests of `muybridge studio`: it starts the desktop program beside it, or says in one line how to build it.

#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use crate::program::Folder;

/// A folder with a copy of the program and no other program.
fn alone() -> Folder {
    let folder = Folder::new();
    by_another("cp \"$1\" \"$2\"", &[env!("CARGO_BIN_EXE_muybridge").as_ref(), &folder.path("muybridge")]);
    folder
}

/// Lets a shell write a program. A program that this process has written cannot start while another test forks, because
/// the child has the file open for an instant.
fn by_another(script: &str, paths: &[&Path]) {
    let status = Command::new("sh").args(["-c", script, "sh"]).args(paths).status().expect("a shell");
    assert!(status.success(), "{script}");
}

fn studio(folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(folder.path("muybridge"));
    command.arg("studio").args(arguments).env("PATH", folder.path("")).output().expect("it runs")
}

#[test]
fn a_studio_that_is_not_built_is_a_line_that_says_how() {
    let output = studio(&alone(), &[]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.trim_end().lines().count() == 1 && told.contains("cargo build --release -p muybridge_studio"),
        "{told}"
    );
}

#[test]
fn the_studio_beside_the_program_is_started_with_the_files_and_its_exit_code_is_ours() {
    let folder = alone();
    let beside = folder.path("muybridge-studio");
    by_another("printf '#!/bin/sh\\necho \"$@\"\\nexit 7\\n' >\"$1\" && chmod 755 \"$1\"", &[&beside]);
    let output = studio(&folder, &["jump.bvh", "drop.toml"]);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(7), &b"jump.bvh drop.toml\n"[..]));
}
