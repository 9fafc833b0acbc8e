//! Checks the layering tables of ARCHITECTURE.md against the `use` lines of the library and the manifests.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use source::{Source, assert_none, below, root, words};

const LIBRARY: &str = "crates/muybridge/src/";
const PROGRAM: &str = "crates/muybridge_cli/src/";
const ROOMS: &str = "crates/muybridge_studio/src/rooms/";

/// Modules of `std` that pure computation must not use.
const OUTSIDE_WORLD: [&str; 7] = ["fs", "net", "env", "time", "process", "io", "thread"];

/// Rows of a table: a name, and the names it may use.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn every_module_has_a_row_and_every_row_a_module() {
    let (rows, modules) = (module_table(), modules());
    let (files, top): (BTreeSet<String>, BTreeSet<String>) = rows.into_keys().partition(|name| name.contains("::"));
    assert_eq!(top, modules, "left: the table \"module | may use\" of ARCHITECTURE.md; right: crates/muybridge/src");
    let paths: BTreeSet<String> =
        below(LIBRARY).iter().map(|source| module_path(LIBRARY, &source.path).join("::")).collect();
    let gone: Vec<String> = files.difference(&paths).cloned().collect();
    assert_none("ARCHITECTURE.md has rows for files that are not there:", &gone);
}

#[test]
fn modules_use_what_the_table_allows() {
    let (table, mut complaints) = (module_table(), Vec::new());
    for source in below(LIBRARY) {
        let path = module_path(LIBRARY, &source.path);
        let Some(module) = path.first() else { continue };
        let Some(allowed) = table.get(&path.join("::")).or_else(|| table.get(module)) else { continue };
        for (line, used) in names_used(LIBRARY, &source) {
            let in_test = source.test[line] && used == "samples";
            if used != *module && !allowed.contains(&used) && !in_test {
                let allowed = allowed.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                let place = format!("{}:{}", source.path, line + 1);
                complaints.push(format!("{place}: {module} uses `crate::{used}`; it may use: {allowed}"));
            }
        }
    }
    assert_none("ARCHITECTURE.md says which module may use which:", &complaints);
}

#[test]
fn no_two_modules_use_each_other() {
    let mut order = Vec::new();
    let mut left: Uses = module_table().into_iter().filter(|(name, _)| !name.contains("::")).collect();
    while !left.is_empty() {
        let ready = |(_, uses): &(&String, &BTreeSet<String>)| uses.iter().all(|used| order.contains(used));
        let next = left.iter().find(ready).map(|(name, _)| name.clone());
        let next = next.unwrap_or_else(|| panic!("the table of ARCHITECTURE.md lets these go in a circle: {left:?}"));
        left.remove(&next);
        order.push(next);
    }
}

#[test]
fn the_library_opens_no_file_reads_no_clock_and_prints_nothing() {
    let mut complaints = Vec::new();
    for source in below(LIBRARY) {
        for (line, code) in source.code.iter().enumerate().filter(|(line, _)| !source.test[*line]) {
            let place = format!("{}:{}", source.path, line + 1);
            complaints.extend(outside_world(code).into_iter().map(|what| format!("{place}: {what}")));
        }
    }
    assert_none("the library is pure computation; files belong to muybridge_files, words to the program:", &complaints);
}

#[test]
fn no_verb_uses_another_verb() {
    let program = below(PROGRAM).into_iter().find(|source| source.path.ends_with("/lib.rs")).expect("the program");
    let lines = program.code.iter().skip_while(|line| !line.contains("enum Verb")).take_while(|line| *line != "}");
    let module = |line: &String| words(line.split_once("::")?.0).pop().map(|(_, module)| module.to_owned());
    let verbs: BTreeSet<String> = lines.filter_map(module).collect();
    assert!(verbs.contains("check") && verbs.len() > 5, "the verbs of the program: {verbs:?}");
    assert_none("verbs share a module of the program, never each other's:", &siblings_used(PROGRAM, &verbs));
}

#[test]
fn no_room_uses_another_room() {
    let rooms = below(ROOMS).iter().filter_map(|source| module_path(ROOMS, &source.path).into_iter().next()).collect();
    assert_none("rooms share a module of the studio, never each other's:", &siblings_used(ROOMS, &rooms));
}

#[test]
fn crates_depend_on_what_the_table_allows() {
    let table = table("| crate |");
    let folders: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .expect("the folder crates")
        .map(|entry| entry.expect("a folder").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(table.keys().cloned().collect::<BTreeSet<_>>(), folders, "left: the table of crates; right: crates/");
    let mut complaints = Vec::new();
    for (name, allowed) in &table {
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        for (line, dependency) in dependencies(&manifest) {
            if dependency.starts_with("muybridge") && dependency != *name && !allowed.contains(&dependency) {
                complaints.push(format!("{path}:{line}: {name} may not depend on {dependency}"));
            }
        }
    }
    assert_none("ARCHITECTURE.md says which crate may depend on which:", &complaints);
}

#[test]
fn paths_are_followed_to_the_root_of_the_crate() {
    let text = "use crate::math::{rotation, hull};\nuse crate::{character::Body, motion};\nuse super::super::samples;\n\
                use super::cutoff; // crate::comment\nmod tests {\n    use super::super::collision;\n    \
                use super::super::super::rigid;\n}\nlet x = crate::herd::lanes(super::contacts::L);\n";
    let source = Source::from_text(format!("{LIBRARY}analysis/check.rs"), text);
    let seen: Vec<(usize, String)> = names_used(LIBRARY, &source);
    let seen: Vec<(usize, &str)> = seen.iter().map(|(line, name)| (*line, name.as_str())).collect();
    assert_eq!(
        seen,
        [
            (0, "math"),
            (1, "character"),
            (1, "motion"),
            (2, "samples"),
            (3, "analysis"),
            (5, "analysis"),
            (6, "rigid"),
            (8, "herd"),
            (8, "analysis")
        ]
    );
    let text = "use crate::rooms::motion::Motion;\nuse crate::{rooms::start, theme};\nuse super::super::behavior;\n\
                use super::draft;\nuse crate::motion;\n";
    let room = Source::from_text(format!("{ROOMS}simulate/doll.rs"), text);
    let seen: Vec<(usize, String)> = names_used(ROOMS, &room);
    let seen: Vec<(usize, &str)> = seen.iter().map(|(line, name)| (*line, name.as_str())).collect();
    assert_eq!(seen, [(0, "motion"), (1, "start"), (2, "behavior"), (3, "simulate")]);
    assert_eq!(outside_world("use std::{fmt, fs};"), ["std::fs"]);
    assert_eq!(outside_world("let t = std::time::Instant::now();"), ["std::time"]);
    assert_eq!(outside_world("eprintln(); dbg!(x); println!()"), ["dbg!", "println!"]);
}

/// `path:line` of each use of one of `siblings`, modules directly below `folder`, in another of them.
fn siblings_used(folder: &str, siblings: &BTreeSet<String>) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in below(folder) {
        let Some(module) = module_path(folder, &source.path).into_iter().next() else { continue };
        let others =
            names_used(folder, &source).into_iter().filter(|(_, used)| *used != module && siblings.contains(used));
        let complaint = |(line, used)| format!("{}:{}: {module} uses {used}", source.path, line + 1);
        complaints.extend(others.filter(|_| siblings.contains(&module)).map(complaint));
    }
    complaints
}

/// Modules of the library: folders and files directly under `src`.
fn modules() -> BTreeSet<String> {
    below(LIBRARY).iter().filter_map(|source| module_path(LIBRARY, &source.path).into_iter().next()).collect()
}

/// Below `crates/muybridge/src/`, `crates/muybridge/src/analysis/check.rs` is the module `[analysis, check]`; the module
/// of the folder itself is `[]`.
fn module_path(folder: &str, path: &str) -> Vec<String> {
    let inside = path.strip_prefix(folder).expect("a file of the folder").trim_end_matches(".rs");
    inside.split('/').filter(|part| !matches!(*part, "mod" | "lib")).map(str::to_owned).collect()
}

fn module_table() -> Uses {
    table("| module |")
}

/// The table of ARCHITECTURE.md whose header starts with `header`. The first column has names (several may share a
/// row), the column "may use" has names separated by commas. Cells that are no word (`—`) are ignored.
fn table(header: &str) -> Uses {
    let text =
        fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md in the root of the workspace");
    let mut rows = text.lines().skip_while(|line| !line.starts_with(header));
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let columns =
        cells(rows.next().unwrap_or_else(|| panic!("ARCHITECTURE.md has no table that begins with \"{header}\"")));
    let may_use = columns.iter().position(|name| name == "may use").expect("a column \"may use\"");
    let mut table = Uses::new();
    for row in rows.skip(1).take_while(|row| row.starts_with('|')).map(cells) {
        let names = |cell: &str| words(cell).into_iter().map(|(_, word)| word.to_owned()).collect::<BTreeSet<_>>();
        for name in row[0].split(',').map(|name| name.trim().trim_matches('`')) {
            table.insert(name.to_owned(), names(&row[may_use]));
        }
    }
    table
}

/// The names directly under the module of `folder` that a file of the folder uses, and the lines where it does. A path
/// gets there by the name of the module (`crate` for a folder `src`) or by enough `super::`.
fn names_used(folder: &str, source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut modules, mut depth) = (Vec::<usize>::new(), 0);
    let code = source.code.join("\n");
    let here = module_path(folder, &source.path);
    let module = folder.trim_end_matches('/').rsplit('/').next().filter(|name| *name != "src").unwrap_or("crate");
    let mut line = 0;
    let all = words(&code);
    let mut at = 0;
    for (index, &(start, word)) in all.iter().enumerate() {
        for c in code[at..start].chars() {
            match c {
                '\n' => line += 1,
                '{' => {
                    depth += 1;
                    if index >= 2 && all[index - 2].1 == "mod" {
                        modules.push(depth);
                    }
                }
                '}' => {
                    if modules.last() == Some(&depth) {
                        modules.pop();
                    }
                    depth -= 1;
                }
                _ => {}
            }
        }
        at = start;
        let begins = !code[..start].ends_with("::");
        let rest = match word {
            _ if word == module && (begins || module != "crate") => Some(&code[start + word.len()..]),
            "super" if begins => climb(&code[start..], &here, modules.len(), &mut found, line),
            _ => None,
        };
        found.extend(rest.map(first_names).unwrap_or_default().into_iter().map(|name| (line, name)));
    }
    found
}

/// Resolves `super::super::…` from inside `inline` modules of the module `here`. Returns the rest of the path if it
/// leads to the root of the crate; otherwise records the module it stays in.
fn climb<'a>(
    path: &'a str,
    here: &[String],
    inline: usize,
    found: &mut Vec<(usize, String)>,
    line: usize,
) -> Option<&'a str> {
    let (mut rest, mut levels) = (path, 0);
    while let Some(after) = rest.strip_prefix("super") {
        levels += 1;
        rest = after.strip_prefix("::").unwrap_or(after);
    }
    if levels >= here.len() + inline {
        return Some(&path[path.len() - rest.len() - 2..]);
    }
    found.extend(here.first().map(|module| (line, module.clone())));
    None
}

/// First names after `::`, or in the braces after it.
fn first_names(path: &str) -> Vec<String> {
    let Some(path) = path.strip_prefix("::") else { return Vec::new() };
    let Some(group) = path.strip_prefix('{') else {
        return words(path).first().map(|(_, word)| (*word).to_owned()).into_iter().collect();
    };
    let (mut names, mut depth, mut fresh) = (Vec::new(), 0, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && (c.is_alphanumeric() || c == '_') => {
                names.extend(words(&group[at..]).first().map(|(_, word)| (*word).to_owned()));
                fresh = false;
            }
            _ => {}
        }
    }
    names
}

/// Words in a line of code that access the outside world: files, clocks, the terminal.
fn outside_world(code: &str) -> Vec<String> {
    const PRINTS: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];
    let mut found = Vec::new();
    for (at, word) in words(code) {
        let rest = &code[at + word.len()..];
        if word == "std" {
            let names = first_names(rest).into_iter().filter(|name| OUTSIDE_WORLD.contains(&name.as_str()));
            found.extend(names.map(|name| format!("std::{name}")));
        } else if PRINTS.contains(&word) && rest.starts_with('!') {
            found.push(format!("{word}!"));
        }
    }
    found
}

/// Crates that a manifest depends on outside of tests, with the lines (from 1) of the dependencies.
fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let (mut found, mut inside) = (Vec::new(), false);
    for (index, line) in manifest.lines().map(str::trim).enumerate() {
        if line.starts_with('[') {
            let section = line.trim_matches(['[', ']']);
            let binding = !section.contains("dev-dependencies");
            inside = binding && section.ends_with("dependencies");
            if let Some((_, name)) = section.rsplit_once("dependencies.").filter(|_| binding) {
                found.push((index + 1, name.to_owned()));
            }
        } else if inside {
            found.extend(words(line).first().map(|(_, word)| (index + 1, (*word).to_owned())));
        }
    }
    found
}
