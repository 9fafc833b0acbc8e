//! `muybridge explain`, as a user runs it.

use std::process::Command;

use muybridge::analysis::FindingId;

use crate::checking::clip;

/// Exit code, standard output and standard error.
fn explain(arguments: &[&str]) -> (Option<i32>, String, String) {
    let ran = Command::new(env!("CARGO_BIN_EXE_muybridge")).arg("explain").args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (ran.status.code(), text(ran.stdout), text(ran.stderr))
}

#[test]
fn every_finding_is_listed_once_and_explained() {
    let (code, list, _) = explain(&[]);
    let names: Vec<&str> = list.lines().map(|line| line.split_once(' ').unwrap().0).collect();
    let known: Vec<&str> = FindingId::ALL.iter().map(|id| id.name()).chain(["residual"]).collect();
    assert_eq!((code, names), (Some(0), known));
    for id in FindingId::ALL {
        let (code, text, err) = explain(&[id.name()]);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{id}");
        for part in ["value", "formula", "source", "severity", "to mend", "by hand"] {
            assert!(text.lines().any(|line| line.starts_with(part)), "{id} says no {part}:\n{text}");
        }
        assert_eq!(text.contains("\nlimits"), !id.facts().limits.is_empty(), "{text}");
    }
    let (code, text, _) = explain(&["residual"]);
    assert!(code == Some(0) && text.contains("S34") && text.contains("BW"), "{text}");
}

#[test]
fn s36_gravity_is_explained_with_the_limits_that_judge_it_and_the_tools_that_mend_it() {
    let (_, text, _) = explain(&["flight.gravity"]);
    for part in ["S24", "gravity_g = [0.8, 1.25]", "skeleton_error_m = 0.005", "--tools path,time"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let (_, text, _) = explain(&["support.unseen"]);
    assert!(text.contains("No tool") && text.contains("--support A..B") && !text.contains("--limits"), "{text}");
}

#[test]
fn an_unknown_name_is_exit_2_with_the_names_nearest_to_it() {
    let (code, out, err) = explain(&["feet.skates"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert_eq!(err.trim(), "muybridge: there is no finding “feet.skates”; did you mean feet.skate?");
    assert!(explain(&["flight"]).2.contains("flight.gravity, flight.hover, flight.momentum"));
}

#[test]
fn what_check_finds_can_be_explained() {
    let folder = crate::checking::Folder::new("explain");
    let heavy = folder.file("heavy.bvh", crate::checking::thrown_bvh(60, 60.0, 1.5 * 9.81));
    let found = clip([&heavy]);
    for finding in found["findings"].as_array().unwrap() {
        assert_eq!(explain(&[finding["id"].as_str().unwrap()]).0, Some(0), "{finding}");
    }
}
