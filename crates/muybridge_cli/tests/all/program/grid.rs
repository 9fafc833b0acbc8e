//! Notes for the grid of rows and modes which test ran the program how.
//!
//! A test whose name begins with rows of the specification (`r15_…`, `z20_z21_…`) shows them in the mode or command that
//! it runs. With `MUYBRIDGE_GRID` set to a file, each run adds a line to it; `.ci/grid.py` prints the table.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

/// Notes a run by its arguments.
pub fn note(arguments: &[Cow<'_, str>]) {
    let Some(file) = std::env::var_os("MUYBRIDGE_GRID") else { return };
    let thread = std::thread::current();
    let rows = rows(thread.name().unwrap_or_default());
    if rows.is_empty() {
        return;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(file).expect("the file of MUYBRIDGE_GRID");
    let column = column(arguments);
    let lines: String = rows.iter().map(|row| format!("{row} {column}\n")).collect();
    file.write_all(lines.as_bytes()).expect("room in the file of MUYBRIDGE_GRID");
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

/// Mode or method of a simulation, else the command.
fn column(arguments: &[Cow<'_, str>]) -> String {
    let command = arguments.first().map_or("", |command| command);
    if command != "simulate" {
        return command.to_owned();
    }
    let after = |option: &str| {
        let place = arguments.iter().position(|argument| argument == option)?;
        Some(arguments.get(place + 1)?.to_string())
    };
    let scene: String = arguments[1..].iter().filter_map(|file| fs::read_to_string(&**file).ok()).collect();
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
    assert_eq!(column(&["simulate".into(), "x.toml".into(), "--method".into(), "hennix".into()]), "hennix");
    assert_eq!(column(&["check".into()]), "check");
}
