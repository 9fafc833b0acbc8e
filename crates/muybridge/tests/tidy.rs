//! Checks the rules of STYLE.md that a program can check, on every Rust file of the workspace.

mod source;

use source::{Source, assert_none, below, words, workspace};

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

#[test]
fn nothing_is_left_for_later_and_nothing_is_unsafe() {
    let complaints = complaints(&workspace(), |source, line| {
        let macros = ["unimplemented", "todo", "dbg"].into_iter().filter(|name| calls_macro(&source.code[line], name));
        let mut found_here = found(&source.remarks[line], &["TODO", "FIXME", "XXX"]);
        found_here.extend(found(&source.code[line], &["unsafe"]));
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

#[test]
fn every_block_of_the_readme_names_its_language() {
    let readme = include_str!("../../../README.md");
    let fences = readme.lines().enumerate().filter(|(_, line)| line.starts_with("```"));
    let opening = fences.step_by(2).filter(|(_, line)| line.trim_end() == "```");
    let complaints: Vec<String> = opening.map(|(line, _)| format!("README.md:{}", line + 1)).collect();
    assert_none("a block without a language is compiled as Rust by the doc tests:", &complaints);
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
