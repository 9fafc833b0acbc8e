//! Every row has its extensions and its place in the sentences that list formats.

use super::*;
use crate::sniff::sniff;

#[test]
fn every_extension_leads_back_to_its_row_and_names_a_new_file_of_one_format_alone() {
    for format in FORMATS {
        for extension in format.extensions {
            assert_eq!(*extension, extension.to_ascii_lowercase(), "{format:?}");
            let upper = format!("walk.{}", extension.to_ascii_uppercase());
            assert!(
                of_path(Path::new(&upper)).any(|found| found == *format),
                "{format:?} is not found by .{extension}"
            );
        }
        let found = by_extension(format.extension());
        assert!(found.is_none_or(|found| found == *format), "{format:?}");
        assert!(found.is_some() || !(format.holds_motion() || format.is_written()), "{format:?} shares its extension");
    }
}

#[test]
fn a_broken_file_goes_to_the_reader_that_its_extension_means() {
    for format in FORMATS.iter().filter(|format| by_extension(format.extension()).is_some()) {
        let path = format!("broken.{}", format.extension());
        assert_eq!(sniff(Path::new(&path), b"broken"), Ok(*format), "{path}");
    }
}

#[test]
fn one_row_at_most_recognizes_a_file() {
    let heads: [&[u8]; 12] = [
        b"HIERARCHY",
        b"glTF",
        b"glTF \"VRM\"",
        b"glTF \"VRMC_vrm_animation\" \"VRMC_vrm\"",
        b"{\"asset\": {}}",
        b"{\"accessors\": []}",
        b"{\"asset\": {}, \"VRMC_vrm\": {}}",
        b"; FBX 7.4.0",
        b"<mujoco/>",
        b"<robot/>",
        b"joint,mass_kg,x,y,z",
        b"format = \"muybridge character\"",
    ];
    for extension in extensions(|_| true) {
        for bytes in heads {
            let path = format!("file.{extension}");
            let head = FileHead::new(Path::new(&path), bytes);
            let found: Vec<&&FileFormat> = FORMATS.iter().filter(|format| (format.recognizes)(&head)).collect();
            assert_eq!(found.len(), 1, "{path} {:?}: {found:?}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn the_sentence_for_an_unknown_file_lists_every_format_that_is_read() {
    let sentence = sniff(Path::new("a"), b"noise of no kind").unwrap_err();
    for format in FORMATS.iter().filter(|format| format.holds_motion() || format.holds_masses()) {
        assert!(sentence.contains(format.name), "{format:?}: {sentence}");
    }
}

#[test]
fn the_readme_lists_the_formats_of_motions_and_of_new_files_as_the_table_does() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).expect("README.md in the root of the workspace");
    let read = names(FileFormat::holds_motion).join(", ");
    let written = names(FileFormat::is_written).join(", ");
    for list in [read, written] {
        assert!(readme.contains(&list), "README.md does not list {list}");
    }
    for name in names(FileFormat::holds_masses) {
        assert!(readme.contains(name), "README.md does not name {name}");
    }
}

#[test]
fn what_is_not_written_says_what_to_write_instead() {
    for format in FORMATS.iter().filter(|format| format.holds_motion() && !format.is_written()) {
        let sentence = format.writable().unwrap_err().message;
        assert!(sentence.contains(format.name) && sentence.contains("."), "{sentence}");
    }
}

#[test]
fn a_list_reads_as_in_a_sentence() {
    assert_eq!(listed(&["a", "b", "c"], "or"), "a, b or c");
    assert_eq!(listed(&["a"], "or"), "a");
    assert_eq!(listed::<&str>(&[], "or"), "");
}

#[test]
fn a_file_called_by_its_extension_alone_is_not_passed_over() {
    for (path, extension) in
        [("a/.bvh", "bvh"), (".walk.BVH", "bvh"), ("a.b/c", ""), (".gitignore", "gitignore"), ("", "")]
    {
        assert_eq!(extension_of(Path::new(path)), extension, "{path}");
    }
}
