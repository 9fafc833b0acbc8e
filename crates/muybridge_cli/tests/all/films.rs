//! Films of analyses: `check --gif` and `fix --gif`.

use std::path::Path;

use crate::checking::thrown_bvh;
use crate::program::{Folder, Said, muybridge};

fn run(folder: &Folder, line: &str) -> Said {
    let at = format!("{}/", folder.path("").display());
    muybridge(line.split_whitespace().map(|word| word.replace('@', &at)))
}

/// Width, height and number of pictures of a GIF, by its blocks.
fn gif(path: &Path) -> (u16, u16, usize) {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && bytes.ends_with(&[0x3B]), "{}", path.display());
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let blocks = |mut at: usize| {
        while bytes[at] != 0 {
            at += 1 + usize::from(bytes[at]);
        }
        at + 1
    };
    let (mut at, mut pictures) = (13 + table(bytes[10]), 0);
    loop {
        at = match bytes[at] {
            0x21 => blocks(at + 2),
            0x2C => {
                pictures += 1;
                blocks(at + 11 + table(bytes[at + 9]))
            }
            0x3B => return (number(6), number(8), pictures),
            other => panic!("no block begins with {other}"),
        };
    }
}

#[test]
fn a_film_of_check_shows_the_clip_in_its_own_time_at_25_frames_a_second() {
    let folder = Folder::new();
    // 0.5 s at 60 frames a second: pictures at 0, 0.04 … 0.48 s.
    folder.file("throw.bvh", &thrown_bvh(31, 60.0, 9.81));
    let said = run(&folder, "check @throw.bvh --gif @film.gif --size 320x180");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(gif(&folder.path("film.gif")), (320, 180, 13));
    let dark = run(&folder, "check @throw.bvh --gif @dark.gif --size 320,180 --dark --frames 0..15");
    assert_eq!(dark.code, Some(0), "{}", dark.err);
    assert_eq!(gif(&folder.path("dark.gif")), (320, 180, 7), "0.25 s of the clip");
    // The same call gives the same bytes, with any number of threads.
    let again = run(&folder, "check @throw.bvh --gif @again.gif --size 320x180 --threads 1");
    assert_eq!(again.code, Some(0), "{}", again.err);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("film.gif") == bytes("again.gif"));
}

#[test]
fn a_film_of_fix_lasts_as_long_as_the_longer_of_both_motions() {
    let folder = Folder::new();
    // A second at 2.25 g becomes 1.5 s.
    folder.file("heavy.bvh", &thrown_bvh(61, 60.0, 2.25 * 9.81));
    let said = run(&folder, "fix @heavy.bvh -o @out.bvh --tools time --gif @film.gif --size 400x160");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(gif(&folder.path("film.gif")), (400, 160, 38));
    let still = run(&folder, "fix @out.bvh --dry-run --png @still.png --at 0.2 --size 400x160");
    assert!(still.code == Some(0) && std::fs::read(folder.path("still.png")).unwrap().starts_with(b"\x89PNG"));
    // What stays as it is is shown once, as `check` shows it.
    let checked = run(&folder, "check @out.bvh --png @checked.png --at 0.2 --size 400x160");
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("still.png") == bytes("checked.png"));
    let dry = run(&folder, "fix @heavy.bvh --dry-run --gif @dry.gif --size 400x160 --dark --curves 0..60");
    assert!(dry.code.is_some_and(|code| code < 2), "{}", dry.err);
    assert_eq!(gif(&folder.path("dry.gif")).0, 400);
}

#[test]
fn films_of_several_clips_have_names_of_their_own_and_wrong_sizes_are_refused() {
    let folder = Folder::new();
    for name in ["a.bvh", "b.bvh"] {
        folder.file(name, &thrown_bvh(11, 60.0, 9.81));
    }
    let said = run(&folder, "check @a.bvh @b.bvh --gif @{clip}_film.gif --size 64x48");
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(gif(&folder.path("b_film.gif")), (64, 48, 5));
    for (line, sentence) in [
        ("check @a.bvh @b.bvh --gif @one.gif", "several clips cannot go into one file"),
        ("check @a.bvh --gif @film.png", "a film is a .gif file"),
        ("fix @a.bvh --dry-run --gif @film.mp4", "a film is a .gif file"),
        ("check @a.bvh --size 64x48", "--gif"),
        ("check @a.bvh --gif @x.gif --size 64", "two whole numbers such as 640x360"),
        ("check @a.bvh --gif @x.gif --size 4x4", "each side has to be 16 to 8192 pixels"),
        ("check @a.bvh --gif @a_film.gif --size 64x48", "exists already"),
    ] {
        let said = run(&folder, line);
        assert!(said.code == Some(2) && said.err.contains(sentence), "{line}: {}", said.err);
    }
}
