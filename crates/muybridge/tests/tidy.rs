//! Checks the rules of STYLE.md that a program can check, on every Rust file of the workspace.

mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use source::{Source, assert_none, below, root, stored, words, workspace};

/// Libraries whose results must be reproducible on other machines.
const LIBRARIES: [&str; 3] = ["crates/muybridge/src/", "crates/muybridge_files/src/", "crates/muybridge_report/src/"];

/// Methods of `f64` that call the platform's math library, whose last bits differ between machines.
const PLATFORM_MATHEMATICS: [&str; 25] = [
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "cbrt", "hypot",
];

/// Words that carry no meaning in a name.
const EMPTY_WORDS: [&str; 9] = ["utils", "helpers", "common", "misc", "manager", "data", "info", "legacy", "phase1"];

/// Largest number of lines in a file; 200 to 300 are good sizes.
const MOST_LINES: usize = 600;

/// Modules of the solvers and of scenes, whose names and doors the issues about the engine bring down.
const ENGINE: [&str; 3] =
    ["crates/muybridge/src/particles/", "crates/muybridge/src/rigid/", "crates/muybridge/src/simulation/"];

/// Names of types that may stand for several, with the reason.
const SHARED_NAMES: [(&str, &str); 6] = [
    ("Error", "one per crate, by convention"),
    ("Settings", "one per module that has any: `analysis::Settings`, `rigid::Settings`"),
    ("State", "the drawer of a world that is saved"),
    ("World", "one per solver, and the scene's"),
    ("Model", "the drawer of a world that is constant"),
    ("Scratch", "the drawer of a world that is thrown away"),
];

/// Most names of types that are defined more than once: in the whole product, and outside the engine.
const MOST_SHARED_NAMES: [usize; 2] = [45, 14];

/// First words of doc comments that hide the subject.
const RIDDLES: [&str; 6] = ["What", "Where", "How", "That", "Who", "Does"];

/// Most doc lines that may begin with such a word.
const MOST_RIDDLES: usize = 200;

/// Most public items of the library outside particles, rigid, simulation and collision: as many as there are; the aim is 450.
const MOST_DOORS: usize = 473;

/// Largest size of each document, bytes.
const DOCUMENTS: [(&str, usize); 3] =
    [("ARCHITECTURE.md", 10_000), ("README.md", 10_000), ("bench/RESULTS.md", 10_000)];

/// Largest size of all stored pictures together, bytes.
const PICTURES: u64 = 4_000_000;

#[test]
fn every_file_begins_by_saying_what_it_does() {
    let silent = |source: &&Source| !source.lines.first().is_some_and(|line| line.starts_with("//! "));
    let complaints: Vec<String> =
        workspace().iter().filter(silent).map(|source| format!("{}:1", source.path)).collect();
    assert_none("a file begins with `//!` and one sentence that says what it does:", &complaints);
}

#[test]
fn no_file_is_longer_than_can_be_read_at_once() {
    let long = |source: &&Source| source.lines.len() > MOST_LINES;
    let complaints: Vec<String> =
        workspace().iter().filter(long).map(|s| format!("{}: {} lines", s.path, s.lines.len())).collect();
    assert_none(&format!("a file has at most {MOST_LINES} lines; split it by what its parts do:"), &complaints);
}

#[test]
fn libraries_do_their_trigonometry_with_libm() {
    let complaints =
        complaints(
            &library_sources(),
            |source, line| {
                if source.test[line] { Vec::new() } else { platform_calls(&source.code[line]) }
            },
        );
    assert_none(
        "the last bits of these depend on the machine; `libm::name(x)` gives the same everywhere:",
        &complaints,
    );
}

#[test]
fn fused_multiply_add_stays_in_the_lanes() {
    let sources: Vec<Source> =
        workspace().into_iter().filter(|s| !s.path.starts_with("crates/muybridge/src/math/lane")).collect();
    let complaints = complaints(&sources, |source, line| found(&source.code[line], &["mul_add"]));
    assert_none(
        "a fused multiply-add rounds once where the others round twice; only math/lanes may choose it:",
        &complaints,
    );
}

#[test]
fn nothing_iterates_a_hash_map_into_a_result() {
    let complaints = complaints(&library_sources(), |source, line| {
        let explained = |at: usize| source.remarks[at].contains("// order does not matter:");
        if source.test[line] || explained(line) || line > 0 && explained(line - 1) {
            return Vec::new();
        }
        found(&source.code[line], &["HashMap", "HashSet"])
    });
    assert_none("use a BTreeMap or a list, or say why on the line: `// order does not matter: …`:", &complaints);
}

/// Jolt's bodies and cloth have no binding of others; it is a peer of benchmarks, in no package of ours.
const CALLS_CPP: &str = "bench/peers/jolt/src/ffi.rs";

#[test]
fn nothing_is_left_for_later_and_nothing_is_unsafe() {
    let complaints = complaints(&workspace(), |source, line| {
        let macros = ["unimplemented", "todo", "dbg"].into_iter().filter(|name| calls_macro(&source.code[line], name));
        let mut found_here = found(&source.remarks[line], &["TODO", "FIXME", "XXX"]);
        if source.path != CALLS_CPP {
            found_here.extend(found(&source.code[line], &["unsafe"]));
        }
        found_here.extend(macros.map(|name| format!("{name}!")));
        found_here
    });
    assert_none("finish it, or take it out:", &complaints);
}

#[test]
fn names_say_what_they_name() {
    let mut complaints = Vec::new();
    for source in &workspace() {
        let name = source.path.split_once("crates/").map_or(source.path.as_str(), |(_, inside)| inside);
        complaints.extend(empty_words(name).map(|word| format!("{}: \"{word}\" in the name of the file", source.path)));
    }
    complaints.extend(self::complaints(&workspace(), |source, line| {
        if source.test[line] { Vec::new() } else { empty_names(&source.code[line]) }
    }));
    assert_none(&format!("never in a name: {}:", EMPTY_WORDS.join(", ")), &complaints);
}

/// `cargo test -p muybridge --test tidy -- --nocapture names` prints the names and where they are.
#[test]
fn names_of_types_have_one_meaning() {
    let all = definitions(is_product);
    let outside = definitions(|path| is_product(path) && !ENGINE.iter().any(|folder| path.starts_with(folder)));
    let shared = |names: &BTreeMap<String, BTreeSet<String>>| -> Vec<String> {
        let several = names.iter().filter(|(name, places)| places.len() > 1 && !is_shared(name));
        several
            .map(|(name, places)| format!("{name}: {}", places.iter().cloned().collect::<Vec<_>>().join(", ")))
            .collect()
    };
    let (everywhere, complaints) = (shared(&all), shared(&outside));
    println!(
        "{} names of types; defined more than once: {}, of them outside the engine: {}",
        all.len(),
        everywhere.len(),
        complaints.len()
    );
    everywhere.iter().for_each(|complaint| println!("{complaint}"));
    for (complaints, most) in [everywhere, complaints].iter().zip(MOST_SHARED_NAMES) {
        assert!(complaints.len() <= most, "give each its own name:\n{}", complaints.join("\n"));
    }
}

#[test]
fn doc_comments_begin_with_their_subject() {
    let complaints = complaints(&workspace(), |source, line| {
        let text = source.lines[line].trim_start();
        let Some(text) = text.strip_prefix("/// ").or_else(|| text.strip_prefix("//! ")) else { return Vec::new() };
        let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        RIDDLES.iter().filter(|word| **word == first).map(|_| text.to_owned()).collect()
    });
    println!("doc lines that begin with one of {}: {}", RIDDLES.join(", "), complaints.len());
    assert!(complaints.len() <= MOST_RIDDLES, "name the thing, or begin with a verb:\n{}", complaints.join("\n"));
}

/// `cargo test -p muybridge --test tidy -- --nocapture doors` prints public items and lines of product code per room.
#[test]
fn doors_are_closed_unless_somebody_comes_through() {
    let mut rooms = BTreeMap::<String, [usize; 2]>::new();
    for source in
        workspace().iter().filter(|source| source.path.starts_with("crates/") && source.path.contains("/src/"))
    {
        let mut parts = source.path.split('/').skip(1);
        let (name, inside) = (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
        let room =
            if name == "muybridge" { format!("{name}::{}", inside.trim_end_matches(".rs")) } else { name.to_owned() };
        let [doors, lines] = rooms.entry(room).or_default();
        for (line, code) in source.code.iter().enumerate().filter(|(line, _)| !source.test[*line]) {
            *lines += usize::from(!code.trim().is_empty());
            *doors += usize::from(is_door(&source.lines[line]));
        }
    }
    for (room, [doors, lines]) in &rooms {
        println!("{room}: {doors} public items, {lines} lines of product code");
    }
    println!("all rooms: {} lines of product code", rooms.values().map(|[_, lines]| lines).sum::<usize>());
    let library = rooms.iter().filter(|(room, _)| room.starts_with("muybridge::"));
    let rebuilt = ["particles", "rigid", "simulation", "collision"];
    let outside: usize = library
        .filter(|(room, _)| !rebuilt.iter().any(|module| room.ends_with(&format!("::{module}"))))
        .map(|(_, [doors, _])| doors)
        .sum();
    println!("public items of the library outside {}: {outside}", rebuilt.join(", "));
    assert!(outside <= MOST_DOORS, "{outside} public items outside {}: make them `pub(crate)`", rebuilt.join(", "));
}

#[test]
fn documents_are_short_enough_to_be_read() {
    let size = |name: &str| fs::metadata(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}")).len();
    let long = DOCUMENTS.iter().filter(|(name, most)| size(name) > *most as u64);
    let complaints: Vec<String> =
        long.map(|(name, most)| format!("{name}: {} bytes, at most {most}", size(name))).collect();
    assert_none("move what is about one file into that file, and the rest below docs/:", &complaints);
    assert!(text("GLOSSARY.md").lines().count() <= 60, "GLOSSARY.md has at most 60 lines");
}

#[test]
fn stored_pictures_are_few_and_small() {
    let size = |path: &PathBuf| fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).len();
    let all: u64 = stored(&["png", "gif", "svg", "jpg", "webp"]).iter().map(size).sum();
    println!("stored pictures: {all} bytes");
    assert!(all <= PICTURES, "{all} bytes of pictures, at most {PICTURES}; `just gallery` draws what no page shows");
}

#[test]
fn links_of_documents_lead_somewhere() {
    let mut complaints = Vec::new();
    for path in stored(&["md"]) {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let folder = path.parent().expect("a folder");
        for (line, target) in links(&text).into_iter().filter(|(_, target)| !folder.join(target).exists()) {
            complaints.push(format!("{}:{line}: {target}", path.strip_prefix(root()).unwrap_or(&path).display()));
        }
    }
    assert_none("there is no such file; a link is relative to the document that holds it:", &complaints);
}

#[test]
fn links_are_found_outside_of_code() {
    let text = "[a](b.md#c) `[i](j.md)` ![k](l.png)\n```text\n[x](y.md)\n```\n[d](#e) [f](https://g.h) [m](n/)\n";
    assert_eq!(links(text), [(1, "b.md"), (1, "l.png"), (5, "n/")]);
}

#[test]
fn a_crate_includes_no_file_from_outside_its_folder() {
    // Tests read `tests/data` of the workspace, and packages leave them out.
    let is_packaged = |source: &Source| source.path.starts_with("crates/") && !source.path.contains("/tests/");
    let sources: Vec<Source> = workspace().into_iter().filter(is_packaged).collect();
    let complaints = complaints(&sources, |source, line| {
        let text = &source.lines[line];
        let includes =
            ["include_str!(", "include_bytes!(", "include!(", "#[path"].iter().any(|word| text.contains(word));
        let folders_in_crate = source.path.split('/').count().saturating_sub(3);
        let is_test = line > 0 && source.lines[line - 1].trim() == "#[cfg(test)]";
        if includes && !is_test && text.matches("../").count() > folders_in_crate {
            vec![text.trim().to_owned()]
        } else {
            Vec::new()
        }
    });
    assert_none("a package holds the folder of its crate alone:", &complaints);
}

#[test]
fn every_block_of_a_readme_names_its_language() {
    let mut complaints = Vec::new();
    for folder in ["src/"].into_iter().chain(LIBRARIES) {
        let path = folder.replace("src/", "README.md");
        let readme = text(&path);
        let fences = readme.lines().enumerate().filter(|(_, line)| line.starts_with("```"));
        let opening = fences.step_by(2).filter(|(_, line)| line.trim_end() == "```");
        complaints.extend(opening.map(|(line, _)| format!("{path}:{}", line + 1)));
    }
    assert_none("a block without a language is compiled as Rust by the doc tests:", &complaints);
}

#[test]
fn the_readme_shows_the_example_that_the_doc_tests_of_a_crate_compile() {
    let (readme, compiled) = (text("README.md"), text("crates/muybridge_files/README.md"));
    let blocks = |text: &str| -> Vec<String> {
        text.split("\n```").filter(|block| block.starts_with("rust")).map(str::to_owned).collect()
    };
    assert_eq!(blocks(&readme), blocks(&compiled), "left: README.md; right: crates/muybridge_files/README.md");
    assert!(!blocks(&readme).is_empty());
}

#[test]
fn the_rules_see_code_and_nothing_but_code() {
    let text = "//! A file.\n/* a.sin() */ let a = \"x.sin()\"; // TODO\nlet c = '\"'; let s = r#\"b.cos()\"#; d.tan();\n\
                #[cfg(test)]\nmod tests {\n    fn f() {\n        y.sin();\n    }\n}\nf64::exp(1.0);\n";
    let source = Source::from_text("crates/muybridge/src/a.rs".into(), text);
    let seen: Vec<Vec<String>> = source.code.iter().map(|line| platform_calls(line)).collect();
    let seen: Vec<(usize, &str)> =
        seen.iter().enumerate().flat_map(|(line, calls)| calls.iter().map(move |call| (line, call.as_str()))).collect();
    assert_eq!(seen, [(2, ".tan("), (6, ".sin("), (9, "f64::exp")]);
    assert_eq!(source.test, [false, false, false, true, true, true, true, true, true, false]);
    assert_eq!(found(&source.remarks[1], &["TODO"]), ["TODO"]);
    assert_eq!(empty_names("    pub struct MotionInfo {"), ["\"info\" in MotionInfo"]);
    assert_eq!(empty_words("a/DataTable_helpers.rs").collect::<Vec<_>>(), ["helpers", "data"]);
}

/// Text of a file, by its path from the root of the workspace.
fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files and folders that a document in Markdown links to, with their lines; addresses on the web and code are left out.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (line, text) in text.lines().enumerate() {
        is_code ^= text.trim_start().starts_with("```");
        let prose = text.split('`').step_by(2).filter(|_| !is_code);
        for target in prose.flat_map(|part| part.split("](").skip(1)) {
            let target = target.split([')', '#', ' ']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') {
                found.push((line + 1, target));
            }
        }
    }
    found
}

/// Names of types declared outside tests, with the files that declare them; associated types do not count.
fn definitions(is_meant: impl Fn(&str) -> bool) -> BTreeMap<String, BTreeSet<String>> {
    const DECLARES: [&str; 4] = ["struct", "enum", "trait", "type"];
    let mut names = BTreeMap::<String, BTreeSet<String>>::new();
    for source in workspace().iter().filter(|source| is_meant(&source.path)) {
        for (line, code) in source.code.iter().enumerate().filter(|(line, _)| !source.test[*line]) {
            let words = words(code);
            let is_associated = code.starts_with(' ') && words.first().is_some_and(|(_, word)| *word == "type");
            for pair in words.windows(2).filter(|pair| DECLARES.contains(&pair[0].1) && !is_associated) {
                if pair[1].1.starts_with(char::is_uppercase) {
                    names.entry(pair[1].1.to_owned()).or_default().insert(format!("{}:{}", source.path, line + 1));
                }
            }
        }
    }
    names
}

/// Whether a file is compiled into a library or a program of ours.
fn is_product(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/")
}

fn is_shared(name: &str) -> bool {
    SHARED_NAMES.iter().any(|(shared, _)| *shared == name)
}

/// Whether a line declares a public item that is counted: a function, type, trait, constant or module.
fn is_door(line: &str) -> bool {
    const KINDS: [&str; 7] = ["fn", "struct", "enum", "trait", "type", "const", "mod"];
    line.trim_start()
        .strip_prefix("pub ")
        .is_some_and(|rest| KINDS.contains(&rest.split(' ').next().unwrap_or_default()))
}

fn library_sources() -> Vec<Source> {
    LIBRARIES.iter().flat_map(|folder| below(folder)).collect()
}

/// `path:line: what` for everything that `rule` finds in a line.
fn complaints(sources: &[Source], rule: impl Fn(&Source, usize) -> Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for source in sources {
        for line in 0..source.code.len() {
            all.extend(rule(source, line).into_iter().map(|what| format!("{}:{}: {what}", source.path, line + 1)));
        }
    }
    all
}

/// The words of `wanted` that occur in a line as whole words.
fn found(code: &str, wanted: &[&str]) -> Vec<String> {
    words(code).into_iter().filter(|(_, word)| wanted.contains(word)).map(|(_, word)| word.to_owned()).collect()
}

fn calls_macro(code: &str, name: &str) -> bool {
    words(code).into_iter().any(|(at, word)| word == name && code[at + word.len()..].starts_with('!'))
}

/// Calls of platform mathematics such as `x.sin()` and `f64::sin`.
fn platform_calls(code: &str) -> Vec<String> {
    let mut calls = Vec::new();
    for (at, word) in words(code) {
        if !PLATFORM_MATHEMATICS.contains(&word) {
            continue;
        }
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        // A logarithm of a number has a base; `log()` without one is that of a rotation.
        if word == "log" && after.starts_with("()") {
            continue;
        }
        if before.ends_with('.') && after.starts_with('(') {
            calls.push(format!(".{word}("));
        } else if before.ends_with("f64::") || before.ends_with("f32::") {
            calls.push(format!("{}{word}", &before[before.len() - 5..]));
        }
    }
    calls
}

/// Types and modules declared in a line of code with an empty word in their name. Functions are exempt: `data_uri` is a
/// term.
fn empty_names(code: &str) -> Vec<String> {
    const DECLARES: [&str; 5] = ["struct", "enum", "trait", "mod", "type"];
    let words = words(code);
    let declared = words.windows(2).filter(|pair| DECLARES.contains(&pair[0].1)).map(|pair| pair[1].1);
    declared.flat_map(|name| empty_words(name).map(move |word| format!("\"{word}\" in {name}"))).collect()
}

/// Empty words in a name whose words are joined by `_`, `/`, `.` or capitals.
fn empty_words(name: &str) -> impl Iterator<Item = &'static str> {
    let mut spaced = String::new();
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.extend(c.to_lowercase());
    }
    let parts: Vec<String> = spaced.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    EMPTY_WORDS.into_iter().filter(move |word| parts.iter().any(|part| part == word))
}
