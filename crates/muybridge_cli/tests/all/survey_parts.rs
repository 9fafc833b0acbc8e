//! Tests of the files that a survey keeps: damaged, edited, mixed, old, or older than the clips.

use std::fs;
use std::path::Path;

use crate::checking::{Folder, thrown_bvh};
use crate::surveying::{interrupted, library, long_list, survey, surveyed, tables};

/// The sizes of all segments of a survey, and the text of each.
fn segments(parts: &str) -> Vec<(String, String)> {
    let mut names: Vec<String> =
        fs::read_dir(parts).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".jsonl"));
    names.sort();
    names
        .iter()
        .map(|name| (format!("{parts}/{name}"), fs::read_to_string(format!("{parts}/{name}")).unwrap()))
        .collect()
}

fn done(said: &str) -> usize {
    let (before, _) = said.split_once(" of 3000 files are done already").unwrap();
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Changes the text of a file.
type Edit = dyn Fn(&str) -> String;

#[test]
fn a_segment_that_is_cut_or_edited_is_named_and_done_again() {
    let folder = Folder::new("survey_damaged");
    let list = long_list(&folder, 300);
    let whole = folder.path("whole.csv");
    surveyed([&list, "--out", &whole]);
    let edits: [(&str, &Edit); 5] = [
        ("cut", &|text| text[..text.len() - 40].to_owned()),
        ("without its last line", &|text| text[..text.trim_end().rfind('\n').unwrap() + 1].to_owned()),
        ("with another verdict", &|text| text.replacen("implausible", "plausible", 1)),
        ("with a line of zeros", &|text| format!("{}\n{text}", "\0".repeat(500))),
        ("empty", &|_| String::new()),
    ];
    for (number, (how, edit)) in edits.iter().enumerate() {
        let out = folder.path(&format!("out{number}.csv"));
        interrupted(&folder, &list, &out);
        let parts = format!("{out}.parts");
        let before = segments(&parts);
        let (first, text) = &before[0];
        let lost = text.lines().count() - 1;
        let all: usize = before.iter().map(|(_, text)| text.lines().count() - 1).sum();
        fs::write(first, edit(text)).unwrap();
        fs::write(format!("{parts}/0000000999.jsonl.tmp"), "half").unwrap();
        let resumed = surveyed([&list, "--out", &out, "--resume"]);
        assert!(resumed.err.contains("0000000000.jsonl:"), "{how}: {}", resumed.err);
        assert!(resumed.err.contains("does not match its checksum; the files of this segment are checked again"));
        assert_eq!(done(&resumed.err), all - lost, "only the segment that is {how} is lost");
        assert!(tables(&out) == tables(&whole), "{how}");
        assert!(!Path::new(&parts).exists());
    }
}

#[test]
fn the_segment_of_another_survey_is_done_again() {
    let folder = Folder::new("survey_mixed");
    let list = long_list(&folder, 300);
    let (out, other, whole) = (folder.path("out.csv"), folder.path("other.csv"), folder.path("whole.csv"));
    surveyed([&list, "--out", &whole]);
    interrupted(&folder, &list, &out);
    let mut child = crate::surveying::begun([&list, "--out", &other, "--threads", "1", "--mass", "90"]);
    let strange = format!("{other}.parts/0000000000.jsonl");
    while !Path::new(&strange).exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    fs::copy(&strange, format!("{out}.parts/0000000000.jsonl")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = surveyed([&list, "--out", &out, "--resume"]);
    assert!(resumed.err.contains("0000000000.jsonl:1: this line does not match its checksum"), "{}", resumed.err);
    assert!(tables(&out) == tables(&whole));
}

#[test]
fn clips_that_have_changed_or_gone_since_are_checked_again() {
    let folder = Folder::new("survey_changed");
    let list = long_list(&folder, 300);
    let out = folder.path("out.csv");
    interrupted(&folder, &list, &out);
    // Of the ten clips that the list repeats, one has another gravity, one is gone, and one is whole now.
    folder.file("clips/thrown_0.bvh", thrown_bvh(40, 30.0, 9.0));
    folder.file("clips/broken.bvh", thrown_bvh(33, 30.0, 9.81));
    fs::remove_file(folder.path("clips/deep/thrown_3.bvh")).unwrap();
    let resumed = surveyed([&list, "--out", &out, "--resume"]);
    let (before, _) = resumed.err.split_once(" of the files that were done have changed or gone since").unwrap();
    let changed: usize = before.rsplit(' ').next().unwrap().parse().unwrap();
    // The list repeats them as clip 0, 2 and 5 of ten; one thread has done the first of it.
    let first = done(&resumed.err) + changed;
    assert_eq!(changed, (0..first).filter(|at| [0, 2, 5].contains(&(at % 10))).count(), "of the first {first}");
    assert!(changed > 0);
    let whole = folder.path("whole.csv");
    surveyed([&list, "--out", &whole]);
    assert!(tables(&out) == tables(&whole));
}

#[test]
fn a_gltf_changes_with_its_buffer() {
    use std::time::{Duration, SystemTime};
    let folder = Folder::new("survey_buffer");
    let (clip, glb) = (folder.file("clip.bvh", thrown_bvh(40, 30.0, 9.81)), folder.path("clip.gltf"));
    let converted = std::process::Command::new(env!("CARGO_BIN_EXE_muybridge")).args(["convert", &clip, &glb]).output();
    assert!(converted.unwrap().status.success());
    // The numbers go into a file beside it.
    let text = fs::read_to_string(&glb).unwrap();
    let start = text.find("data:application/octet-stream;base64,").unwrap();
    let end = start + text[start..].find('"').unwrap();
    let bytes = base64(&text[start + "data:application/octet-stream;base64,".len()..end]);
    let buffer = folder.file("numbers.bin", bytes);
    fs::write(&glb, format!("{}numbers.bin{}", &text[..start], &text[end..])).unwrap();
    let out = folder.path("out.csv");
    surveyed([&glb, "--out", &out, "--shard", "1/1"]);
    surveyed([&glb, "--out", &out, "--shard", "1/1", "--resume"]);
    let later = SystemTime::now() + Duration::from_secs(5);
    fs::File::options().write(true).open(buffer).unwrap().set_modified(later).unwrap();
    let again = survey([&glb, "--out", &out, "--shard", "1/1", "--resume"]);
    assert!(again.code == 2 && again.err.contains("1 of its files have changed"), "{again:?}");
}

fn base64(text: &str) -> Vec<u8> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values: Vec<u32> =
        text.bytes().filter_map(|byte| letters.iter().position(|&letter| letter == byte)).map(|at| at as u32).collect();
    let group = |four: &[u32]| {
        let number = four.iter().fold(0, |number, value| number << 6 | value) << (6 * (4 - four.len()));
        number.to_be_bytes()[1..four.len()].to_vec()
    };
    values.chunks(4).flat_map(group).collect()
}

#[test]
fn a_complete_table_says_if_its_clips_have_changed_since() {
    let folder = Folder::new("survey_complete_changed");
    let clips = library(&folder);
    let (table, shard) = (folder.path("table.csv"), folder.path("shard.csv"));
    surveyed([&clips, "--out", &table]);
    surveyed([&clips, "--out", &shard, "--shard", "1/1"]);
    let resumed =
        |out: &str, options: &[&str]| survey([&clips as &str, "--out", out, "--resume"].iter().chain(options));
    assert_eq!(resumed(&table, &[]).code, 0);
    assert_eq!(resumed(&shard, &["--shard", "1/1"]).code, 0);
    std::thread::sleep(std::time::Duration::from_millis(20));
    folder.file("clips/thrown_0.bvh", thrown_bvh(40, 30.0, 9.0));
    for ran in [resumed(&table, &[]), resumed(&shard, &["--shard", "1/1"])] {
        assert!(ran.code == 2 && ran.err.contains("1 of its files have changed or gone since"), "{ran:?}");
        assert!(ran.err.contains("--force without --resume"), "{ran:?}");
    }
}

#[test]
fn a_part_that_is_cut_edited_or_mixed_is_refused() {
    let folder = Folder::new("survey_bad_parts");
    let list = long_list(&folder, 2);
    let file = |name: &str| folder.path(&format!("{name}.csv"));
    for number in ["1", "2"] {
        surveyed([&list, "--out", &file(number), "--shard", &format!("{number}/2")]);
        let heavy = file(&format!("heavy{number}"));
        surveyed([&list, "--out", &heavy, "--shard", &format!("{number}/2"), "--mass", "90"]);
    }
    let part = file("2") + ".part";
    let text = fs::read_to_string(&part).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let heavy = fs::read_to_string(file("heavy2") + ".part").unwrap();
    let heavy: Vec<&str> = heavy.lines().collect();
    let with = |lines: &[&str]| lines.join("\n") + "\n";
    let mixed = |at: usize| with(&[&lines[..at], &heavy[at..=at], &lines[at + 1..]].concat());
    let bad = [
        ("cut within a line", text[..text.len() / 2].to_owned()),
        ("cut between lines", with(&lines[..lines.len() - 2])),
        ("without its last line", with(&lines[..lines.len() - 1])),
        ("without its last line break", text.trim_end().to_owned()),
        ("with another verdict", text.replacen("implausible", "plausible", 1)),
        ("with a record of other options", mixed(3)),
        ("with the plan of other options", mixed(0)),
        ("with the end twice", with(&[&lines[..], &lines[lines.len() - 1..]].concat())),
        ("twice", text.repeat(2)),
    ];
    for (how, bad) in bad {
        assert!(bad != text, "{how}");
        fs::write(&part, bad).unwrap();
        let ran = survey(["--merge", &file("merged"), &file("1"), &file("2")]);
        assert_eq!(ran.code, 2, "{how}: {ran:?}");
        let told = ran.err.contains("2.csv.part:") && ran.err.contains("survey shard 2/2 again");
        assert!(told || how.contains("plan") && ran.err.contains("other options"), "{how}: {}", ran.err);
        assert!(!folder.names().iter().any(|name| name.starts_with("merged") || name.starts_with('.')), "{how}");
    }
    fs::write(&part, &text).unwrap();
    surveyed(["--merge", &file("merged"), &file("1"), &file("2")]);
}

#[test]
fn parts_and_segments_without_checksums_are_done_again() {
    let folder = Folder::new("survey_old");
    let list = long_list(&folder, 300);
    let old =
        r#"{"muybridge_survey":1,"version":"0.1.0","options":"x","list":"y","files":0,"shard":{"number":1,"of":1}}"#;
    let part = folder.file("old.csv.part", format!("{old}\n"));
    let merged = survey(["--merge", &folder.path("merged.csv"), &part]);
    let sentence = "by an older version of muybridge, without checksums";
    assert!(merged.code == 2 && merged.err.contains(sentence) && merged.err.contains("again"), "{merged:?}");
    let out = folder.path("out.csv");
    interrupted(&folder, &list, &out);
    fs::write(format!("{out}.parts/plan.json"), old).unwrap();
    let resumed = survey([&list, "--out", &out, "--resume"]);
    assert!(resumed.code == 2 && resumed.err.contains(sentence) && resumed.err.contains("--force"), "{resumed:?}");
    // The layout before this one pooled the axes of the momenta.
    let pooled = old.replace("survey\":1", "survey\":2");
    let part = folder.file("pooled.csv.part", format!("{pooled}\n"));
    let merged = survey(["--merge", &folder.path("merged.csv"), &part]);
    let sentence = "whose histograms do not tell the axes of a momentum apart";
    assert!(merged.code == 2 && merged.err.contains(sentence) && merged.err.contains("again"), "{merged:?}");
}

#[test]
fn impossible_numbers_in_a_part_are_a_sentence() {
    let folder = Folder::new("survey_numbers");
    let out = folder.path("out.csv");
    let most = u64::MAX;
    for (files, number, of) in
        [(1, 1, most), (most, 1, 1), (most, 1, 1_000_000), (1, 0, 1), (1, 2, 1), (1, 0, 0), (most, most, most)]
    {
        let shard = format!(r#"{{"number":{number},"of":{of}}}"#);
        let start = r#"{"muybridge_survey":3,"version":"0.1.0","options":"x","list":"y""#;
        let part = folder.file("bad.csv.part", format!("{start},\"files\":{files},\"shard\":{shard}}}\n"));
        let ran = survey(["--merge", &out, &part]);
        let told = ["this is not a .part file", "damaged or incomplete", "and 999979 more"];
        assert!(ran.code == 2 && told.iter().any(|why| ran.err.contains(why)), "{ran:?}");
        assert!(ran.err.len() < 1000, "{}", ran.err.len());
        assert_eq!(folder.names(), ["bad.csv.part"]);
    }
}
