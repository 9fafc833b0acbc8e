//! Tests of `muybridge survey`: rows, resuming and shards.

use crate::checking;
use crate::surveying;
use crate::test_files::here;

use checking::{Folder, clips, shared, thrown_bvh};
use serde_json::Value;
use surveying::{interrupted, library, long_list, survey, surveyed, tables};

fn rows(out: &str, kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(out).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["kind"] == kind).collect()
}

#[test]
fn s33_one_row_per_scene_and_the_same_bytes_with_any_number_of_threads() {
    let folder = Folder::new("survey_threads");
    let list = long_list(&folder, 20);
    for extension in ["parquet", "csv", "jsonl"] {
        let out = |threads: &str| {
            let (out, html) = (folder.path(&format!("{threads}.{extension}")), folder.path("all.html"));
            let said = surveyed([&list, "--out", &out, "--html", &html, "--threads", threads, "--force"]);
            (tables(&out), std::fs::read(html).unwrap(), said.out.replace(&out, ""))
        };
        let one = out("1");
        assert!(one.2.contains("200 clips") && one.2.contains("thrown_8.bvh"), "{}", one.2);
        for threads in ["2", "7"] {
            let several = out(threads);
            assert!(one.0 == several.0 && one.1 == several.1, "{extension}, {threads} threads");
        }
    }
    let csv = std::fs::read_to_string(folder.path("1.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 200);
    let flights = std::fs::read_to_string(folder.path("1.flights.csv")).unwrap();
    assert_eq!(flights.lines().count(), 1 + 180, "every thrown body flies once");
    assert!(!folder.names().iter().any(|name| name.contains("parts") || name.starts_with('.')), "{:?}", folder.names());
}

#[test]
fn s31_the_rows_hold_what_check_says_in_json() {
    let folder = Folder::new("survey_rows");
    let clip = folder.file("thrown.bvh", thrown_bvh(60, 30.0, 6.5));
    let out = folder.path("out.jsonl");
    surveyed([&clip, "--out", &out, "--mass", "52"]);
    let checked = &clips([&clip, "--mass", "52"])[0];
    let (row, flight) = (&rows(&out, "clip")[0], &rows(&out, "flight")[0]);
    assert_eq!(row["verdict"], checked["verdict"]);
    assert_eq!(row["mass_kg"], checked["body"]["mass_kg"]);
    assert_eq!(row["error_ids"], checked["findings"][0]["id"]);
    for name in ["gravity_g", "gravity_se_g", "frames_to_add", "start_s", "end_s", "noticeability", "size_factor"] {
        assert_eq!(flight[name], checked["flights"][0][name], "{name}");
    }
    assert_eq!(flight["linear_momentum_error_norm"], checked["flights"][0]["linear_momentum_error_norm"]);
    // Thrown with 6.5 m/s² instead of 9.81.
    assert!((row["gravity_median_g"].as_f64().unwrap() - 6.5 / 9.81).abs() < 1e-6);
}

#[test]
fn s31_the_rows_of_recorded_clips_hold_what_check_says_in_json() {
    let folder = Folder::new("survey_recorded");
    let out = folder.path("out.jsonl");
    surveyed([&shared("bvh"), "--out", &out]);
    let (checked, rows, mut flights) = (clips([shared("bvh")]), rows(&out, "clip"), rows(&out, "flight").into_iter());
    assert_eq!(rows.len(), checked.len());
    for (row, clip) in rows.iter().zip(&checked) {
        for name in ["file", "verdict", "frames", "fps", "bones", "floor_m", "cutoff_hz", "meters_per_unit"] {
            assert_eq!(row[name], clip[name], "{name} of {}", row["file"]);
        }
        for name in ["inside_fraction", "within_one_fraction"] {
            assert_eq!(row[name], clip["balance"][name], "{name} of {}", row["file"]);
        }
        if !clip["floor_m"].is_null() {
            assert_eq!(row["skate_mps"], clip["feet"]["skate_mps"]);
        }
        for expected in clip["flights"].as_array().unwrap() {
            let flight = flights.next().unwrap();
            assert_eq!(flight["file"], clip["file"]);
            for name in ["gravity_g", "gravity_se_g", "first_frame", "last_frame", "angular_momentum_error_norm"] {
                assert_eq!(flight[name], expected[name], "{name} of {}", row["file"]);
            }
        }
    }
    assert!(flights.next().is_none());
}

#[test]
fn what_cannot_be_read_is_a_row_with_its_reason_and_no_stop() {
    let folder = Folder::new("survey_unread");
    let (clips, out) = (library(&folder), folder.path("out.jsonl"));
    let missing = folder.file("list.txt", "clips/thrown_0.bvh\nclips/gone.bvh # not a comment\n#a comment\nclips\n");
    let said = surveyed([&clips, &missing, "--out", &out]);
    let rows = rows(&out, "clip");
    assert_eq!(rows.len(), 10 + 2 + 10);
    let unread: Vec<&Value> = rows.iter().filter(|row| row["status"] == "unreadable").collect();
    assert_eq!(unread.len(), 3);
    assert!(unread[0]["reason"].as_str().unwrap().contains("broken.bvh:5"), "{}", unread[0]["reason"]);
    assert!(unread[1]["reason"].as_str().unwrap().contains("there is no such file"));
    assert!(unread[1]["verdict"].is_null() && unread[1]["bytes"].is_null());
    assert!(said.out.contains("could not be read"), "{}", said.out);
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_listed_or_is_empty_leaves_the_others() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = Folder::new("survey_unlisted");
    for name in ["clips/closed", "clips/open", "empty", "out"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    folder.file("clips/open/a.bvh", thrown_bvh(30, 30.0, 9.81));
    let mode = |name: &str, mode| {
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("clips/closed", 0);
    mode("out", 0o777);
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_muybridge"));
        command.args(arguments);
        if std::fs::read_dir(folder.path("clips/closed")).is_ok() {
            // Root can list every folder, so run as another user.
            command.gid(65534).uid(65534);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (clips, empty, out) = (folder.path("clips"), folder.path("empty"), folder.path("out/out.jsonl"));
    let (code, err) = run(&["survey", &clips, &empty, "--out", &out]);
    assert_eq!(code, Some(0), "{err}");
    let reasons: Vec<Value> = rows(&out, "clip").iter().map(|row| row["reason"].clone()).collect();
    let reason = |index: usize| reasons[index].as_str().unwrap_or_default();
    assert_eq!(reasons.len(), 3);
    assert!(reason(0).contains("cannot be listed: Permission denied"), "{reasons:?}");
    assert!(reasons[1].is_null() && reason(2).contains("no motion files in this folder"), "{reasons:?}");
    let fixed = folder.path("out/fixed");
    for arguments in [["check"].as_slice(), &["fix", "-o", &fixed]] {
        let (code, err) = run(&[arguments, &[&clips, &empty]].concat());
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains("closed: cannot be listed") && err.contains("empty: no motion files"), "{err}");
    }
    assert!(std::path::Path::new(&folder.path("out/fixed/open/a.bvh")).exists(), "the others are corrected");
    let nothing = survey([&empty, "--out", &folder.path("none.csv")]);
    assert!(nothing.code == 2 && nothing.err.contains("empty: no motion files"), "{nothing:?}");
    mode("clips/closed", 0o755);
}

#[test]
fn shards_merged_in_any_order_are_the_one_survey_bit_for_bit() {
    let folder = Folder::new("survey_shards");
    let list = long_list(&folder, 5);
    for extension in ["parquet", "csv", "jsonl"] {
        let file = |name: &str| folder.path(&format!("{name}.{extension}"));
        surveyed([&list, "--out", &file("whole"), "--html", &folder.path("whole.html"), "--force"]);
        for number in ["1", "2", "3"] {
            surveyed([&list, "--out", &file(number), "--shard", &format!("{number}/3")]);
        }
        let part = file("3") + ".part";
        let said = surveyed([
            "--merge",
            &file("merged"),
            &file("2"),
            &part,
            &file("1"),
            "--html",
            &folder.path("merged.html"),
            "--force",
        ]);
        assert!(said.out.contains("50 clips"), "{}", said.out);
        assert!(tables(&file("whole")) == tables(&file("merged")), "{extension}");
        let page = |name| std::fs::read(folder.path(name)).unwrap();
        assert!(page("whole.html") == page("merged.html"));
    }
}

#[test]
fn more_shards_than_files_are_merged_too() {
    let folder = Folder::new("survey_empty_shards");
    let clip = folder.file("one.bvh", thrown_bvh(30, 30.0, 9.81));
    let file = |name: &str| folder.path(&format!("{name}.parquet"));
    surveyed([&clip, "--out", &file("whole")]);
    for number in ["1", "2", "3"] {
        surveyed([&clip, "--out", &file(number), "--shard", &format!("{number}/3")]);
    }
    // As a pattern names them: `?.*parquet` names the tables of flights, too.
    let named = ["1.flights", "1", "2.flights", "2", "3.flights", "3"].map(file);
    surveyed(["--merge", &file("merged")].into_iter().chain(named.iter().map(String::as_str)));
    assert!(tables(&file("whole")) == tables(&file("merged")));
}

#[test]
fn shards_that_do_not_make_a_whole_are_refused_with_a_sentence() {
    let folder = Folder::new("survey_bad_shards");
    let list = long_list(&folder, 2);
    let file = |name: &str| folder.path(&format!("{name}.csv"));
    surveyed([&list, "--out", &file("a"), "--shard", "1/2"]);
    surveyed([&list, "--out", &file("b"), "--shard", "2/2"]);
    surveyed([&list, "--out", &file("heavy"), "--shard", "2/2", "--mass", "90"]);
    surveyed([&list, "--out", &file("third"), "--shard", "2/3"]);
    surveyed([&list, "--out", &file("plain")]);
    let refused = |parts: &[&str]| {
        let mut arguments = vec!["--merge".to_string(), file("merged")];
        arguments.extend(parts.iter().map(|part| file(part)));
        let ran = survey(&arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(!std::path::Path::new(&file("merged")).exists());
        ran.err
    };
    assert!(refused(&["b"]).contains("missing: 1/2"));
    assert!(refused(&["a", "b", "a"]).contains("1/2 is given twice"));
    assert!(refused(&["a", "heavy"]).contains("other options"));
    assert!(refused(&["a", "third"]).contains("in 3 shards"));
    assert!(refused(&["a", "plain"]).contains("there is no such .part file"));
}

#[test]
fn an_interrupted_survey_goes_on_only_as_it_was_begun() {
    let folder = Folder::new("survey_resume");
    let list = long_list(&folder, 300);
    let (out, whole) = (folder.path("out.csv"), folder.path("whole.csv"));
    surveyed([&list, "--out", &whole]);
    interrupted(&folder, &list, &out);

    let plain = survey([&list, "--out", &out]);
    assert!(plain.code == 2 && plain.err.contains("--resume") && plain.err.contains("--force"), "{plain:?}");
    let other = survey([&list, "--out", &out, "--resume", "--mass", "90"]);
    assert!(other.code == 2 && other.err.contains("other options"), "{other:?}");
    let shard = survey([&list, "--out", &out, "--resume", "--shard", "1/2"]);
    assert!(shard.code == 2 && shard.err.contains("of shard 1/1"), "{shard:?}");
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, format!("{text}clips/thrown_0.bvh\n")).unwrap();
    let longer = survey([&list, "--out", &out, "--resume"]);
    assert!(longer.code == 2 && longer.err.contains("(3000 files then, 3001 now)"), "{longer:?}");
    std::fs::write(&list, text).unwrap();

    let resumed = surveyed([&list, "--out", &out, "--resume"]);
    assert!(resumed.err.contains("of 3000 files are done already"), "{}", resumed.err);
    assert!(!resumed.err.contains(" 0 of"), "{}", resumed.err);
    assert!(tables(&out) == tables(&whole));
    let again = survey([&list, "--out", &out, "--resume"]);
    assert!(
        again.code == 0 && again.err.contains("nothing was surveyed") && again.err.contains("--force"),
        "{again:?}"
    );
    assert!(tables(&out) == tables(&whole));
}

#[test]
fn a_complete_shard_is_resumed_only_as_what_it_is() {
    let folder = Folder::new("survey_complete_shard");
    let (list, out) = (long_list(&folder, 2), folder.path("out.csv"));
    surveyed([&list, "--out", &out, "--shard", "1/2"]);
    let before = tables(&out);
    let again = surveyed([&list, "--out", &out, "--shard", "1/2", "--resume"]);
    assert!(again.err.contains("nothing to resume"), "{}", again.err);
    for (arguments, why) in [
        (["--shard", "1/2", "--mass", "90"].as_slice(), "other options"),
        (&["--shard", "2/2"], "of shard 1/2"),
        (&[], "of shard 1/2"),
    ] {
        let ran = survey([&list as &str, "--out", &out, "--resume"].iter().chain(arguments));
        assert!(ran.code == 2 && ran.err.contains(why) && ran.err.contains("--force"), "{ran:?}");
    }
    assert!(tables(&out) == before);
}

#[test]
fn what_is_no_part_of_a_survey_is_never_removed() {
    let folder = Folder::new("survey_precious");
    let (clip, out) = (folder.file("one.bvh", thrown_bvh(30, 30.0, 9.81)), folder.path("t.csv"));
    std::fs::create_dir_all(folder.path("t.csv.parts")).unwrap();
    let precious = folder.file("t.csv.parts/precious.txt", "years of work");
    let plan = folder.path("t.csv.parts/plan.json");
    for options in [[].as_slice(), &["--force"], &["--resume"]] {
        for is_begun in [false, true] {
            if is_begun {
                std::fs::write(&plan, "{}").unwrap();
            }
            let ran = survey([&clip as &str, "--out", &out].iter().chain(options));
            assert!(ran.code == 2 && ran.err.contains("t.csv.parts"), "{ran:?}");
            let told = ran.err.contains("holds precious.txt") && ran.err.contains("move the file away");
            assert!(told || is_begun && options.is_empty() && ran.err.contains("--resume"), "{ran:?}");
            assert_eq!(std::fs::read_to_string(&precious).unwrap(), "years of work");
            let _ = std::fs::remove_file(&plan);
        }
    }
    std::fs::remove_file(&precious).unwrap();
    for own in [
        "lock",
        "plan.json.tmp",
        "0000000064.jsonl",
        "0000000000.jsonl.tmp",
        "t.csv.tmp",
        "t.csv.part.tmp",
        "t.flights.csv.tmp",
        ".muybridge-0123456789abcdef.part",
    ] {
        folder.file(&format!("t.csv.parts/{own}"), "");
    }
    surveyed([&clip, "--out", &out]);
    assert!(!std::path::Path::new(&folder.path("t.csv.parts")).exists());
}

#[test]
fn with_force_an_interrupted_survey_begins_again_and_existing_tables_are_replaced() {
    let folder = Folder::new("survey_force");
    let (list, out) = (long_list(&folder, 300), folder.path("out.csv"));
    interrupted(&folder, &list, &out);
    let clip = folder.file("one.bvh", thrown_bvh(30, 30.0, 9.81));
    surveyed([&clip, "--out", &out, "--force"]);
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 2);
    let kept = survey([&clip, "--out", &out]);
    assert!(kept.code == 2 && kept.err.contains("exists already"), "{kept:?}");
    surveyed([&clip, "--out", &out, "--force"]);
}

#[test]
fn wrong_arguments_are_told_in_a_sentence() {
    let folder = Folder::new("survey_usage");
    let clips = library(&folder);
    let refused = |arguments: &[&str]| {
        let ran = survey(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        ran.err
    };
    assert!(refused(&[&clips, "--out", &folder.path("out.xls")]).contains(".parquet, .csv or .jsonl"));
    assert!(refused(&[&clips, "--out", &folder.path("out.csv"), "--shard", "3/2"]).contains("i/n"));
    let empty = folder.file("empty.txt", "# nothing\n\n");
    assert!(refused(&[&empty, "--out", &folder.path("out.csv")]).contains("the list is empty"));
    assert!(refused(&[&clips]).contains("--out"));
    assert!(
        refused(&["--merge", &folder.path("out.csv"), &clips, "--mass", "80"]).contains("takes no options of check")
    );
    let columns = surveyed(["--columns"]);
    assert!(columns.out.contains("gravity_median_g") && columns.out.contains("frames_to_add"));
}

#[test]
fn s28_walks_and_runs_of_the_wild_are_told_apart() {
    let folder = Folder::new("survey_gaits");
    let out = folder.path("out.jsonl");
    surveyed([&shared("bvh"), &shared("truth/opencap4_walking1.bvh"), "--out", &out]);
    let of = |gait: &str| -> Vec<String> {
        let rows = rows(&out, "clip");
        let found = rows.iter().filter(|row| row["gait"] == gait);
        found.map(|row| row["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    let walks = ["cmu_12_01_walk", "freebvh_walk_55joints", "games105_walk_turn_left_metres", "snu_walk_phase"];
    let walks = here(walks, |name| format!("bvh/{name}.bvh"));
    let walks: Vec<String> = walks.iter().chain(&["opencap4_walking1"]).map(|name| format!("{name}.bvh")).collect();
    assert_eq!(of("walk"), walks);
    assert_eq!(of("run"), ["mass_run.bvh"]);
}
