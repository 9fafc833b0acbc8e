//! Notes for the grid of rows and modes which test ran the program how.
//!
//! A test whose name begins with rows of the specification (`r15_…`, `z20_z21_…`) shows them in the mode or command that
//! it runs. With `MUYBRIDGE_GRID` set to a file, each run adds a line to it, which says `f32` of a run in lanes of f32 (as its JSON does);
//! `.ci/grid.py` prints the table.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

use muybridge_files::scene::built_in;

/// Reads the arguments of a run before it begins; what this returns notes it by what it printed.
pub fn note(arguments: &[Cow<'_, str>]) -> impl FnOnce(&str) + use<> {
    let rows = rows(std::thread::current().name().unwrap_or_default());
    let file = std::env::var_os("MUYBRIDGE_GRID").filter(|_| !rows.is_empty());
    let scene = if file.is_some() { scene(arguments) } else { String::new() };
    let column = column(arguments, &scene);
    move |out| {
        let Some(file) = file else { return };
        let mut file = OpenOptions::new().create(true).append(true).open(file).expect("the file of MUYBRIDGE_GRID");
        let precision = if was_in_lanes(out).unwrap_or_else(|| is_in_lanes(&scene, &column)) { "f32" } else { "f64" };
        let lines: String = rows.iter().map(|row| format!("{row} {column} {precision}\n")).collect();
        file.write_all(lines.as_bytes()).expect("room in the file of MUYBRIDGE_GRID");
    }
}

/// Rows that a test is named after.
fn rows(test: &str) -> Vec<String> {
    let name = test.rsplit("::").next().unwrap_or_default();
    let is_row = |word: &&str| {
        let (letter, number) = word.split_at(word.len().min(1));
        "rhjsz".contains(letter) && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    };
    name.split('_').take_while(is_row).map(str::to_uppercase).collect()
}

/// Text of the scene that is run; of a command that runs none, whatever text it reads.
fn scene(arguments: &[Cow<'_, str>]) -> String {
    let text =
        |word: &Cow<'_, str>| fs::read_to_string(&**word).ok().or_else(|| built_in::text(word).map(str::to_owned));
    arguments.iter().skip(1).filter_map(text).collect()
}

/// Whether a run says in its JSON that particles were stepped in lanes of f32; `None` if it says nothing of it.
fn was_in_lanes(out: &str) -> Option<bool> {
    let report: serde_json::Value = serde_json::from_str(out).ok()?;
    Some(report["work"]["in_lanes"]["total"].as_u64()? > 0)
}

/// Whether the things of a scene without such JSON run in lanes of f32: ragdolls and cloth of particles under `shake`, and herds.
fn is_in_lanes(scene: &str, column: &str) -> bool {
    let has = |kinds: &[&str]| kinds.iter().any(|kind| scene.lines().any(|line| line.trim() == format!("[[{kind}]]")));
    match column {
        "shake" => has(&["ragdoll", "cloth", "herd"]),
        "multipliers" => has(&["herd"]) && scene.lines().any(|line| line.trim() == "alone = true"),
        _ => false,
    }
}

/// Mode or method of a simulation, else the command.
fn column(arguments: &[Cow<'_, str>], scene: &str) -> String {
    let command = arguments.first().map_or("", |command| command);
    if command != "simulate" {
        return command.to_owned();
    }
    let after = |option: &str| {
        let place = arguments.iter().position(|argument| argument == option)?;
        Some(arguments.get(place + 1)?.to_string())
    };
    let key = |key: &str| {
        let line = scene.lines().find(|line| line.split('=').next().is_some_and(|word| word.trim() == key))?;
        Some(line.split('"').nth(1)?.to_owned())
    };
    match after("--method").or_else(|| key("method")).unwrap_or_else(|| "particles".into()) {
        method if method == "particles" => {
            after("--particle-mode").or_else(|| key("mode")).unwrap_or_else(|| "shake".into())
        }
        method => method,
    }
}

#[test]
fn a_test_shows_the_rows_that_its_name_begins_with() {
    assert_eq!(rows("simulate::r15_r16_friction_of_a_limit"), ["R15", "R16"]);
    assert_eq!(rows("a_bead_on_r15"), Vec::<String>::new());
    assert_eq!(column(&["simulate".into(), "x.toml".into(), "--method".into(), "hennix".into()], ""), "hennix");
    assert_eq!(column(&["check".into()], ""), "check");
}

#[test]
fn a_run_in_json_says_itself_whether_it_was_in_lanes() {
    assert_eq!(was_in_lanes(r#"{"work": {"in_lanes": {"total": 3}}}"#), Some(true));
    assert_eq!(was_in_lanes(r#"{"work": {"in_lanes": {"total": 0}}}"#), Some(false));
    assert_eq!(was_in_lanes(r#"{"work": {"in_lanes": null}}"#), None);
    assert_eq!(was_in_lanes("a text"), None);
}

#[test]
fn ragdolls_of_particles_run_in_lanes_and_their_rigid_ones_do_not() {
    let scene = "[scene]\n[[ragdoll]]\nname = \"a\"\n";
    assert!(is_in_lanes(scene, "shake") && !is_in_lanes(scene, "rosen") && !is_in_lanes(scene, "multipliers"));
    let scene = "[scene]\n[[herd]]\nname = \"a\"\nalone = true\n";
    assert!(is_in_lanes(scene, "multipliers") && !is_in_lanes(scene, "check"));
}
