//! Source text of the workspace, with comments and strings separated from code.
#![allow(dead_code, reason = "each test file uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

/// One file of Rust source.
pub struct Source {
    /// Path from the root of the workspace, with `/`.
    pub path: String,
    /// Every line of the file, unchanged.
    pub lines: Vec<String>,
    /// Every line with comments, strings and characters blanked.
    pub code: Vec<String>,
    /// Every line with strings and characters blanked: code and comments.
    pub remarks: Vec<String>,
    /// Per line: whether it is compiled for tests only.
    pub test: Vec<bool>,
}

/// Folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is two folders up")
}

/// Every Rust file of the workspace, sorted by path.
pub fn workspace() -> Vec<Source> {
    let root = root();
    let mut paths = Vec::new();
    for folder in ["crates", "fuzz", "bench", "examples", "integrations"] {
        collect(&root.join(folder), &["rs"], &mut paths);
    }
    paths.sort();
    let mut sources: Vec<Source> = paths.iter().map(|path| Source::read(&root, path)).collect();
    mark_test_files(&mut sources);
    sources
}

/// Every Rust file below `folder`, a path from the root that ends with `/`.
pub fn below(folder: &str) -> Vec<Source> {
    workspace().into_iter().filter(|source| source.path.starts_with(folder)).collect()
}

/// Every file with one of these extensions that the repository stores: not those below `target`, nor those that
/// `just gallery` draws into folders of `gallery`.
pub fn stored(extensions: &[&str]) -> Vec<PathBuf> {
    let root = root();
    let mut paths = Vec::new();
    collect(&root, extensions, &mut paths);
    let gallery = root.join("gallery");
    paths.retain(|path| !path.starts_with(&gallery) || path.parent() == Some(&gallery));
    paths
}

fn collect(folder: &Path, extensions: &[&str], paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(|entry| entry.expect("a readable folder").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
        if entry.is_dir() && name != "target" && !name.starts_with('.') {
            collect(&entry, extensions, paths);
        } else if entry.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
            paths.push(entry);
        }
    }
}

impl Source {
    fn read(root: &Path, path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let relative = path.strip_prefix(root).expect("a file of the workspace").to_string_lossy().replace('\\', "/");
        Self::from_text(relative, &text)
    }

    /// Parses `text` as the source of a file at `path`.
    pub fn from_text(path: String, text: &str) -> Self {
        let (code, remarks) = blank(text);
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let code = lines(&code);
        let whole = path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/benches/");
        let test = if whole { vec![true; code.len()] } else { test_lines(&code) };
        Self { path, lines: lines(text), code, remarks: lines(&remarks), test }
    }
}

/// Returns the code with comments and literals blanked, and the code with only literals blanked; line breaks are kept.
fn blank(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut remarks) = (String::with_capacity(text.len()), String::with_capacity(text.len()));
    let mut at = 0;
    while at < chars.len() {
        let (end, in_code, in_remarks) = token(&chars, at);
        for &c in &chars[at..end] {
            let or_space = |keep: bool| if keep || c == '\n' { c } else { ' ' };
            code.push(or_space(in_code));
            remarks.push(or_space(in_remarks));
        }
        at = end;
    }
    (code, remarks)
}

/// End of the token that starts at `at`, whether the token is code, and whether it is code or comment.
fn token(chars: &[char], at: usize) -> (usize, bool, bool) {
    let next = |offset: usize| chars.get(at + offset).copied().unwrap_or(' ');
    let behind_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match chars[at] {
        '/' if next(1) == '/' => (find(chars, at, '\n'), false, true),
        '/' if next(1) == '*' => (end_of_block(chars, at), false, true),
        '"' => (end_of_string(chars, at + 1), false, false),
        'r' if !behind_word && (next(1) == '"' || next(1) == '#') || chars[at] == 'r' && next(1) == '"' => {
            let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
            if next(1 + hashes) == '"' {
                (end_of_raw_string(chars, at + 2 + hashes, hashes), false, false)
            } else {
                (at + 1, true, true)
            }
        }
        '\'' if next(1) == '\\' => (find(chars, at + 3, '\'') + 1, false, false),
        '\'' if next(2) == '\'' => (at + 3, false, false),
        _ => (at + 1, true, true),
    }
}

fn find(chars: &[char], from: usize, wanted: char) -> usize {
    (from..chars.len()).find(|&i| chars[i] == wanted).unwrap_or(chars.len())
}

fn end_of_block(chars: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0, at);
    while i + 1 < chars.len() {
        match (chars[i], chars[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    chars.len()
}

fn end_of_string(chars: &[char], from: usize) -> usize {
    let mut i = from;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    chars.len()
}

fn end_of_raw_string(chars: &[char], from: usize, hashes: usize) -> usize {
    let closes =
        |&i: &usize| chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
    (from..chars.len()).find(closes).map_or(chars.len(), |i| i + 1 + hashes)
}

/// Per line: whether it belongs to an item under `#[cfg(test)]` or `#[test]`. The item ends at its own indentation, as
/// rustfmt closes it.
fn test_lines(code: &[String]) -> Vec<bool> {
    let mut test = vec![false; code.len()];
    let mut line = 0;
    while line < code.len() {
        let trimmed = code[line].trim_start();
        if !(trimmed.starts_with("#[cfg(test)]") || trimmed.starts_with("#[test]")) {
            line += 1;
            continue;
        }
        let indent = code[line].len() - trimmed.len();
        let closes = |text: &String| {
            let inner = text.trim();
            let level = text.len() - text.trim_start().len() == indent;
            level && !inner.starts_with("#[") && (inner.ends_with(';') || inner.ends_with('}'))
        };
        let end = (line..code.len()).find(|&i| closes(&code[i])).unwrap_or(code.len() - 1);
        test[line..=end].fill(true);
        line = end + 1;
    }
    test
}

/// Marks all lines of files that are included by `#[cfg(test)] mod name;` as test lines.
fn mark_test_files(sources: &mut [Source]) {
    let mut files = Vec::new();
    for source in sources.iter() {
        let folder = match source.path.rsplit_once('/').expect("a folder") {
            (folder, "mod.rs" | "lib.rs" | "main.rs") => folder.to_owned(),
            _ => source.path.trim_end_matches(".rs").to_owned(),
        };
        for (line, _) in source.code.iter().zip(&source.test).filter(|(_, test)| **test) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [.., "mod", name] = words.as_slice()
                && let Some(name) = name.strip_suffix(';')
            {
                files.push(format!("{folder}/{name}"));
            }
        }
    }
    for source in sources.iter_mut() {
        let is = |file: &String| source.path == format!("{file}.rs") || source.path.starts_with(&format!("{file}/"));
        if files.iter().any(is) {
            source.test.fill(true);
        }
    }
}

/// Words of a line of code: identifiers and keywords, each with its start column.
pub fn words(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in code.char_indices().chain([(code.len(), ' ')]) {
        match (c.is_alphanumeric() || c == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, &code[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Panics if there are `complaints`; prints one per line, below the violated `rule`.
pub fn assert_none(rule: &str, complaints: &[String]) {
    assert!(complaints.is_empty(), "{rule}\n  {}\n", complaints.join("\n  "));
}
