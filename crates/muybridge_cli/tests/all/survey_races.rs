//! Tests of surveys that run at the same time.

use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};

use crate::checking::{Folder, names_in};
use crate::surveying::{begun, command, long_list, survey, surveyed, tables};

fn started(arguments: &[&str]) -> Child {
    command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// The bytes of the tables of clips and flights.
type TableBytes = (Vec<u8>, Vec<u8>);

/// Two sets of parts of different length, and the table of each.
fn two_sets(folder: &Folder) -> [(String, TableBytes); 2] {
    let (long, short) = (long_list(folder, 30), folder.file("short.txt", "clips\n"));
    [(long, "long"), (short, "short")].map(|(list, name)| {
        let (part, table) = (folder.path(&format!("{name}.csv")), folder.path(&format!("{name}_merged.csv")));
        surveyed([&list, "--out", &part, "--shard", "1/1"]);
        surveyed(["--merge", &table, &part]);
        (part, tables(&table))
    })
}

#[test]
fn two_merges_to_one_table_never_mix_their_rows() {
    let folder = Folder::new("survey_merge_race");
    let [(a, of_a), (b, of_b)] = two_sets(&folder);
    fs::create_dir(folder.path("out")).unwrap();
    let out = folder.path("out/all.csv");
    for round in 0..20 {
        let force: &[&str] = if round % 2 == 0 { &[] } else { &["--force"] };
        let children = [&a, &b].map(|part| started(&[&["--merge", &out, part], force].concat()));
        let outcomes = children.map(ended);
        let [won_a, won_b] = [0, 1].map(|at: usize| outcomes[at].0 == Some(0));
        let there = tables(&out);
        assert!(won_a && there == of_a || won_b && there == of_b, "{outcomes:?}");
        assert!(!force.is_empty() || won_a != won_b, "both claim the table: {outcomes:?}");
        for (code, err) in &outcomes {
            let refused = err.contains("is writing this table") || err.contains("exists already");
            assert!(*code == Some(0) || *code == Some(2) && refused, "{outcomes:?}");
        }
        assert_eq!(names_in(Path::new(&folder.path("out"))), ["all.csv", "all.flights.csv"]);
        fs::remove_file(&out).unwrap();
        fs::remove_file(folder.path("out/all.flights.csv")).unwrap();
    }
}

#[test]
fn two_surveys_that_begin_at_once_are_one_and_a_refusal() {
    let folder = Folder::new("survey_begin_race");
    let list = long_list(&folder, 1);
    fs::create_dir(folder.path("out")).unwrap();
    let out = folder.path("out/all.jsonl");
    for _ in 0..20 {
        let outcomes = [0; 4].map(|_| started(&[&list, "--out", &out])).map(ended);
        let won = outcomes.iter().filter(|(code, _)| *code == Some(0)).count();
        assert_eq!(won, 1, "{outcomes:?}");
        assert!(outcomes.iter().all(|(code, err)| *code == Some(0) || *code == Some(2) && err.contains("all.jsonl")));
        assert_eq!(names_in(Path::new(&folder.path("out"))), ["all.jsonl"]);
        fs::remove_file(&out).unwrap();
    }
}

#[test]
fn a_second_program_is_told_which_one_works_on_the_table() {
    let folder = Folder::new("survey_lock");
    let (list, out) = (long_list(&folder, 600), folder.path("out.csv"));
    let part = folder.path("part.csv");
    surveyed([&folder.path("clips"), "--out", &part, "--shard", "1/1"]);
    let mut child = begun([&list, "--out", &out, "--threads", "1"]);
    while !Path::new(&folder.path("out.csv.parts/plan.json")).exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let other = if cfg!(windows) { String::new() } else { format!(" ({})", child.id()) };
    let sentence = format!("out.csv: another muybridge process{other} is writing this table");
    for arguments in [&[&list, "--out", &out, "--resume"], &[&list, "--out", &out, "--force"]] {
        let second = survey(arguments);
        assert!(second.code == 2 && second.err.contains(&sentence), "{second:?}");
    }
    let second = survey(["--merge", &out, &part, "--force"]);
    assert!(second.code == 2 && second.err.contains(&sentence), "{second:?}");
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 1 + 6000);
}

#[test]
fn a_merge_keeps_an_interrupted_survey_of_its_table() {
    let folder = Folder::new("survey_merge_over");
    let (list, out, part) = (long_list(&folder, 300), folder.path("out.csv"), folder.path("part.csv"));
    surveyed([&folder.path("clips"), "--out", &part, "--shard", "1/1"]);
    crate::surveying::interrupted(&folder, &list, &out);
    let merged = survey(["--merge", &out, &part]);
    assert!(merged.code == 2 && merged.err.contains("holds an interrupted survey"), "{merged:?}");
    assert!(Path::new(&folder.path("out.csv.parts/0000000000.jsonl")).exists());
}

#[test]
#[cfg(unix)]
fn a_lock_that_is_a_link_is_not_written_through() {
    let folder = Folder::new("survey_lock_link");
    let (clip, out) = (folder.file("one.bvh", crate::checking::thrown_bvh(30, 30.0, 9.81)), folder.path("t.csv"));
    let precious = folder.file("precious.txt", "years of work");
    fs::create_dir(folder.path("t.csv.parts")).unwrap();
    std::os::unix::fs::symlink(&precious, folder.path("t.csv.parts/lock")).unwrap();
    for options in [[].as_slice(), &["--force"], &["--resume"]] {
        let ran = survey([&clip as &str, "--out", &out].iter().chain(options));
        assert!(ran.code == 2 && ran.err.contains("t.csv.parts"), "{ran:?}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "years of work");
    }
    fs::remove_file(folder.path("t.csv.parts/lock")).unwrap();
    fs::remove_dir(folder.path("t.csv.parts")).unwrap();
    fs::create_dir(folder.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("t.csv.parts")).unwrap();
    let ran = survey([&clip, "--out", &out]);
    assert!(ran.code == 2 && ran.err.contains("is a link"), "{ran:?}");
}
