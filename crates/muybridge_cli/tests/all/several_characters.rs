//! Tests of files that hold several characters: each is judged as if it were alone, and the others stay as they are.

use serde_json::Value;

use crate::checking::{Folder, check, clip, clips, shared};
use crate::program::muybridge;
use crate::surveying::surveyed;

/// The hierarchy and the rows of a BVH with one root.
fn parts(text: &str) -> (String, Vec<String>) {
    let (tree, motion) = text.split_once("MOTION").unwrap();
    let rows = motion.lines().filter(|line| line.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    (tree.replace("HIERARCHY", ""), rows.map(str::to_owned).collect())
}

/// A BVH of these trees side by side; the rows belong together.
fn joined(trees: &[&str], rows: &[&[String]]) -> String {
    let frames = rows[0].len();
    let rows: Vec<String> =
        (0..frames).map(|frame| rows.iter().map(|rows| rows[frame].as_str()).collect::<Vec<_>>().join(" ")).collect();
    let (trees, rows) = (trees.concat(), rows.join("\n"));
    format!("HIERARCHY\n{trees}MOTION\nFrames: {frames}\nFrame Time: 0.0333333\n{rows}\n")
}

/// A jump, and the same jump with each second frame left out: the second body falls with four times the gravity.
struct Pair {
    tree: String,
    sound: Vec<String>,
    fast: Vec<String>,
}

impl Pair {
    fn new() -> Self {
        let (tree, sound) = parts(&std::fs::read_to_string(shared("bvh/snu_hjump_phase.bvh")).unwrap());
        let fast = (0..sound.len()).map(|frame| sound[(2 * frame).min(sound.len() - 1)].clone()).collect();
        Self { tree, sound, fast }
    }

    /// Both in one file; the second tree has the names of the first, with `prefix` before.
    fn together(&self, prefix: &str) -> String {
        let named = |word: &str| format!("{word} {prefix}");
        let second = self.tree.replace("ROOT ", &named("ROOT")).replace("JOINT ", &named("JOINT"));
        joined(&[&self.tree, &second], &[&self.sound, &self.fast])
    }
}

/// What a report says about a clip, without the names of its bones.
fn judged(clip: &Value) -> Value {
    let findings: Vec<(&Value, &Value)> =
        clip["findings"].as_array().unwrap().iter().map(|one| (&one["id"], &one["value"])).collect();
    serde_json::json!([clip["verdict"], clip["flights"], clip["floor_m"], clip["body"]["mass_kg"], findings])
}

#[test]
fn each_character_of_a_bvh_is_judged_as_if_it_were_alone() {
    let (folder, pair) = (Folder::new("two_roots"), Pair::new());
    let both = folder.file("both.bvh", pair.together("B_"));
    let alone = [&pair.sound, &pair.fast].map(|rows| joined(&[&pair.tree], &[rows]));
    let found = clips([&both]);
    assert_eq!(found.len(), 2);
    for (clip, (name, text)) in found.iter().zip([("Hips", &alone[0]), ("B_Hips", &alone[1])]) {
        let own = self::clip([&folder.file("alone.bvh", text)]);
        assert_eq!(clip["character"], name);
        assert_eq!(judged(clip), judged(&own), "{name}");
    }
    assert_eq!((&found[0]["verdict"], &found[1]["verdict"]), (&"plausible".into(), &"implausible".into()));
    let gravity = gravities(&found);
    assert!((gravity[1] / gravity[0] - 4.0).abs() < 0.2, "half the time is four times the gravity: {gravity:?}");
}

/// Gravity of the first flight of each clip.
fn gravities(clips: &[Value]) -> Vec<f64> {
    clips.iter().map(|clip| clip["flights"][0]["gravity_g"].as_f64().unwrap()).collect()
}

#[test]
fn characters_are_named_chosen_and_reported_one_by_one() {
    let (folder, pair) = (Folder::new("named_roots"), Pair::new());
    let both = folder.file("both.bvh", pair.together(""));
    let names: Vec<Value> = clips([&both]).into_iter().map(|clip| clip["character"].clone()).collect();
    assert_eq!(names, ["Hips", "Hips#2"]);
    let second = clip([&both, "--character", "Hips#2"]);
    assert_eq!(second["verdict"], "implausible");
    let refused = check([&both, "--character", "Bob"]);
    assert!(refused.code == 2 && refused.err.contains("“Hips”, “Hips#2”"), "{refused:?}");
    let told = check([&both]).out;
    assert!(told.contains("2 clips: 1 plausible, 1 implausible") && told.contains("Hips#2"), "{told}");
    check([&both, "--csv", &folder.path("tables/")]);
    let written = crate::checking::names_in(folder.path("tables").as_ref());
    assert_eq!(written.len(), 2, "{written:?}");
    let table = folder.path("survey.csv");
    surveyed([&both, "--out", &table]);
    let rows = std::fs::read_to_string(&table).unwrap();
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "character").unwrap();
    assert_eq!(rows[1..].iter().map(|row| row[column]).collect::<Vec<_>>(), ["Hips", "Hips#2"]);
}

#[test]
fn a_correction_of_one_character_leaves_the_others_as_they_are() {
    let (folder, pair) = (Folder::new("fixed_roots"), Pair::new());
    let both = folder.file("both.bvh", pair.together("B_"));
    let (glb, fixed) = (folder.path("both.glb"), folder.path("fixed.glb"));
    assert_eq!(muybridge(["convert", &both, &glb]).code, Some(0));
    let told = muybridge(["fix", &glb, "-o", &fixed]);
    let (before, after) = (clips([&glb]), clips([&fixed]));
    assert_eq!(before[0]["per_frame"], after[0]["per_frame"], "the sound one is as it was");
    assert_eq!(
        (&before[1]["verdict"], &after[1]["verdict"]),
        (&"implausible".into(), &"plausible".into()),
        "{}",
        told.out
    );
    let fixed = folder.path("fixed.bvh");
    let told = muybridge(["fix", &both, "-o", &fixed]);
    assert!(told.err.contains("share its rows"), "{}", told.err);
    let again = clips([&fixed]);
    assert_eq!((&again[0]["per_frame"], &again[0]["verdict"]), (&clips([&both])[0]["per_frame"], &"plausible".into()));
}

#[test]
fn convert_writes_one_character_alone() {
    let (folder, pair) = (Folder::new("one_root"), Pair::new());
    let both = folder.file("both.bvh", pair.together("B_"));
    let one = folder.path("one.bvh");
    assert_eq!(muybridge(["convert", &both, &one, "--character", "B_Hips"]).code, Some(0));
    let (one, found) = (clip([&one]), clips([&both]));
    assert_eq!((&one["character"], &one["verdict"]), (&"B_Hips".into(), &found[1]["verdict"]));
    assert_eq!(one["bones"], found[1]["bones"]);
}

#[test]
fn a_prop_is_no_second_character() {
    let (folder, pair) = (Folder::new("one_and_props"), Pair::new());
    let prop = "ROOT Sword\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT Blade\n{\nOFFSET 0 90 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n";
    let rows = vec!["100 0 100 0 0 0".to_owned(); pair.sound.len()];
    let with_prop = folder.file("prop.bvh", joined(&[&pair.tree, prop], &[&pair.sound, &rows]));
    let found = clips([&with_prop]);
    assert_eq!((found.len(), &found[0]["character"]), (1, &"Hips".into()));
}

#[test]
fn roles_of_one_character_are_no_fault_of_the_others() {
    let (folder, pair) = (Folder::new("roles_of_one"), Pair::new());
    let both = folder.file("both.bvh", pair.together("B_"));
    let roles = folder.file("roles.toml", "hips = \"B_Hips\"\n");
    assert_eq!(clips([&both, "--roles", &roles]).len(), 2);
    let wrong = folder.file("wrong.toml", "hips = \"Nobody\"\n");
    let refused = check([&both, "--roles", &wrong]);
    assert!(refused.code == 2 && refused.err.contains("Nobody"), "{refused:?}");
}

#[test]
fn two_bodies_below_a_bone_that_stands_still_are_two_characters() {
    let (folder, pair) = (Folder::new("one_root_above"), Pair::new());
    let scene = |step: f64| {
        let [first, second] =
            ["", "B_"].map(|prefix| pair.tree.replace("ROOT ", "JOINT ").replace("JOINT ", &format!("JOINT {prefix}")));
        let root = "ROOT Scene\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n";
        let places: Vec<String> = (0..pair.sound.len()).map(|frame| format!("{} 0 0", step * frame as f64)).collect();
        joined(&[root, &first, &second, "}\n"], &[&places, &pair.sound, &pair.fast])
    };
    let (still, glb, fixed) =
        (folder.file("still.bvh", scene(0.0)), folder.path("still.glb"), folder.path("fixed.glb"));
    let names = |file: &str| clips([file]).iter().map(|clip| clip["character"].clone()).collect::<Vec<Value>>();
    assert_eq!(names(&still), ["Hips", "B_Hips"]);
    assert_eq!(muybridge(["convert", &still, &glb]).code, Some(0));
    assert_eq!(names(&glb), ["Hips", "B_Hips"]);
    muybridge(["fix", &glb, "-o", &fixed]);
    let (before, after) = (clips([&glb]), clips([&fixed]));
    assert_eq!(before[0]["per_frame"], after[0]["per_frame"], "the sound one is as it was");
    assert_eq!(after[1]["verdict"], "plausible");
    assert_eq!(names(&folder.file("moving.bvh", scene(2.0))), ["Scene"], "what moves both is a part of both");
}
