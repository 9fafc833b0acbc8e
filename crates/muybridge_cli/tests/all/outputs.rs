//! What a call writes replaces nothing that it reads, nothing else that it writes, and nothing of another program.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::checking::thrown_bvh;
use crate::program::{Folder, Said, files_below, muybridge};

/// Runs the program in a folder.
fn run(folder: &Folder, line: &str) -> Said {
    muybridge(line.split_whitespace().map(|word| placed(folder, word)))
}

/// The word with `@` replaced by the folder, and `+` by a space.
fn placed(folder: &Folder, word: &str) -> String {
    word.replace('@', &format!("{}/", folder.path("").display())).replace('+', " ")
}

fn begun(folder: &Folder, line: &str) -> Child {
    let words = line.split_whitespace().map(|word| placed(folder, word));
    let mut command = Command::new(env!("CARGO_BIN_EXE_muybridge"));
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn throw() -> String {
    thrown_bvh(31, 60.0, 9.81)
}

/// A folder with clips whose names become equal in the names of files, and three sub-folders with clips of one name.
fn twins() -> Folder {
    let folder = Folder::new();
    for name in ["p q", "p_q", "p(q", "Walk", "walk"] {
        folder.file(&format!("{name}.bvh"), &throw());
    }
    folder
}

#[test]
fn clips_of_equal_names_have_files_of_their_own() {
    let folder = twins();
    let clips = "@p+q.bvh @p_q.bvh @p(q.bvh @Walk.bvh @walk.bvh";
    for force in ["", "--force"] {
        assert_eq!(run(&folder, &format!("convert {clips} @glb --to glb {force}")).code, Some(0));
        let names = ["Walk.glb", "p_q.glb", "p_q_2.glb", "p_q_3.glb", "walk_2.glb"];
        assert_eq!(folder.names("glb"), names);
        assert_eq!(run(&folder, &format!("check {clips} --csv @reports --html @reports {force}")).code, Some(0));
        let kinds = |ending: &str| names.map(|name| name.replace(".glb", ending));
        let mut all = [kinds(".csv"), kinds(".html")].concat();
        all.sort();
        assert_eq!(folder.names("reports"), all);
        assert_eq!(run(&folder, &format!("fix {clips} -o @fixed --html @pages {force}")).code, Some(0));
        assert_eq!(folder.names("pages"), kinds(".html"));
        assert_eq!(folder.names("fixed").len(), 5);
    }
    let again = run(&folder, &format!("convert {clips} @glb --to glb"));
    assert!(again.code == Some(2) && again.err.matches("exists already").count() == 5, "{}", again.err);
}

#[test]
fn an_output_is_no_input_and_no_other_output() {
    let folder = Folder::new();
    let clip = folder.file("a.bvh", &throw());
    folder.file("b.bvh", &throw());
    folder.file("limits.toml", "");
    fs::create_dir(folder.path("in")).unwrap();
    assert_eq!(run(&folder, "convert @a.bvh @in/c.glb").code, Some(0));
    // The same motion with its numbers in a file beside it.
    let glb = fs::read(folder.path("in/c.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let text = String::from_utf8(glb[20..20 + length].to_vec()).unwrap();
    let text = text.replacen("\"buffers\":[{", "\"buffers\":[{\"uri\":\"n%20s.bin\",", 1);
    assert!(text.contains("n%20s.bin"), "{text}");
    folder.file("c.gltf", &text);
    fs::write(folder.path("n s.bin"), &glb[28 + length..]).unwrap();
    assert_eq!(run(&folder, "check @c.gltf").code, Some(0));
    folder.file("scene.toml", "[[ragdoll]]\nname = \"a\"\ncharacter = \"a.bvh\"\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.bvh", folder.path("link.json")).unwrap();
    let before: Vec<(PathBuf, Vec<u8>)> =
        files_below(&folder.path("")).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let over_input = [
        "check @a.bvh --json=@a.bvh",
        "check @a.bvh --html @in/../a.bvh",
        "check @a.bvh --csv @a.bvh",
        "check @a.bvh @b.bvh --json=@b.bvh",
        "check @a.bvh --limits @limits.toml --plate @limits.toml",
        "check @c.gltf --json=@n+s.bin",
        "fix @a.bvh -o @o.bvh --json=@a.bvh",
        "fix @a.bvh -o @o.bvh --html @a.bvh",
        "fix @a.bvh @b.bvh -o @out --json=@b.bvh",
        "simulate @scene.toml --log @scene.toml",
        "simulate @scene.toml --log @a.bvh",
        "simulate @scene.toml --seconds 0.1 --json=@scene.toml",
        "survey @a.bvh --out @t.csv --html @a.bvh",
        "survey @a.bvh --limits @limits.toml --out @t.csv --html @limits.toml",
    ];
    let twice = [
        "check @a.bvh --json=@o.x --csv @o.x",
        "check @a.bvh --csv @o.x --html @./o.x --plate @o.x --json=@o.x",
        "check @a.bvh @b.bvh --csv @{clip}.x --html @{clip}.x",
        "fix @a.bvh -o @o.bvh --json=@o.bvh",
        "fix @a.bvh -o @o.bvh --html @o.bvh",
        "simulate @scene.toml --log @o.x --json=@o.x",
        "survey @a.bvh --out @t.csv --html @t.csv",
        "survey @a.bvh --out @t.csv --html @t.flights.csv",
    ];
    let mut lines: Vec<(&str, &str)> = over_input.into_iter().map(|line| (line, "this call reads")).collect();
    lines.extend(twice.map(|line| (line, "two options")));
    if cfg!(unix) {
        lines.push(("check @a.bvh --json=@link.json", "this call reads"));
    }
    for (line, words) in lines {
        let said = run(&folder, &format!("{line} --force"));
        assert_eq!(said.code, Some(2), "{line}: {}", said.err);
        assert!(said.err.contains(words), "{line}: {}", said.err);
        let after = files_below(&folder.path(""));
        assert_eq!(after, before.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(), "{line}");
        assert!(before.iter().all(|(path, bytes)| fs::read(path).unwrap() == *bytes), "{line}");
    }
    assert_eq!(run(&folder, "fix @a.bvh -o @a.bvh --force").code, Some(0), "a motion may replace its own file");
    assert!(clip.is_file());
}

#[test]
fn numbers_beside_a_gltf_replace_no_others() {
    let folder = Folder::new();
    folder.file("a.bvh", &throw());
    folder.file("b.bvh", &thrown_bvh(21, 60.0, 9.81));
    for (name, source) in [("one", "a"), ("two", "b")] {
        fs::create_dir(folder.path(name)).unwrap();
        assert_eq!(run(&folder, &format!("convert @{source}.bvh @{name}/x.glb")).code, Some(0));
        let glb = fs::read(folder.path(&format!("{name}/x.glb"))).unwrap();
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let text = String::from_utf8(glb[20..20 + length].to_vec()).unwrap();
        folder.file(
            &format!("{name}/{name}.gltf"),
            &text.replacen("\"buffers\":[{", "\"buffers\":[{\"uri\":\"numbers.bin\",", 1),
        );
        fs::write(folder.path(&format!("{name}/numbers.bin")), &glb[28 + length..]).unwrap();
    }
    for force in ["", "--force"] {
        let said = run(&folder, &format!("convert @one/one.gltf @two/two.gltf @out --to gltf {force}"));
        assert_eq!(said.code, Some(0), "{}", said.err);
        for (name, frames) in [("one", "31"), ("two", "21")] {
            let said = run(&folder, &format!("check @out/{name}.gltf"));
            assert!(said.out.contains(&format!("{frames} frames")), "{name}: {}", said.out);
        }
        assert_eq!(folder.names("out"), ["numbers.bin", "one.gltf", "two.bin", "two.gltf"]);
    }
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_links_are_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let clip = folder.file("a.bvh", &thrown_bvh(61, 60.0, 2.25 * 9.81));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    set(&clip, 0o640);
    assert_eq!(run(&folder, "fix @a.bvh -o @a.bvh --force").code, Some(0));
    assert_eq!(mode(&clip), 0o640);
    set(&clip, 0o440);
    let said = run(&folder, "fix @a.bvh -o @a.bvh --force");
    assert!(said.code == Some(2) && said.err.contains("read-only"), "{}", said.err);
    let real = folder.file("real.json", "old");
    symlink("real.json", folder.path("link.json")).unwrap();
    assert_eq!(run(&folder, "check @a.bvh --json=@link.json --force").code, Some(0));
    assert!(fs::symlink_metadata(folder.path("link.json")).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with('{'));
    symlink("nowhere", folder.path("broken.json")).unwrap();
    for (name, words) in [("broken.json", "a link to nowhere"), ("pipe", "a device, a pipe or a socket")] {
        if name == "pipe" && !Command::new("mkfifo").arg(folder.path(name)).status().is_ok_and(|made| made.success()) {
            continue;
        }
        let said = run(&folder, &format!("check @a.bvh --json=@{name} --force"));
        assert!(said.code == Some(2) && said.err.contains(words), "{}", said.err);
    }
}

#[test]
fn leftovers_of_killed_programs_are_removed_and_others_stay() {
    let folder = Folder::new();
    folder.file("a.bvh", &throw());
    fs::create_dir(folder.path("out")).unwrap();
    folder.file("out/.muybridge-0123456789abcdef.part", "half");
    let living = folder.file("out/.muybridge-fedcba9876543210.part", "half");
    folder.file("out/.other.part", "somebody's");
    let held = File::open(&living).unwrap();
    held.lock().unwrap();
    assert_eq!(run(&folder, "convert @a.bvh @out/a.glb").code, Some(0));
    assert_eq!(folder.names("out"), [".muybridge-fedcba9876543210.part", ".other.part", "a.glb"]);
}

#[test]
fn of_two_writers_without_force_one_is_refused() {
    let folder = Folder::new();
    folder.file("a.bvh", &throw());
    for number in 0..8 {
        let line = format!("convert @a.bvh @out/{number}.glb");
        let both = [begun(&folder, &line), begun(&folder, &line)].map(|child| child.wait_with_output().unwrap());
        let mut codes = both.each_ref().map(|output| output.status.code());
        codes.sort();
        assert_eq!(codes, [Some(0), Some(2)]);
        let refused = both.iter().find(|output| output.status.code() == Some(2)).unwrap();
        assert!(String::from_utf8_lossy(&refused.stderr).contains("exists already"));
    }
    assert_eq!(folder.names("out").len(), 8);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_every_verb_with_130_and_leaves_nothing() {
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    folder.file("long.bvh", &thrown_bvh(400_000, 60.0, 0.0));
    fs::create_dir(folder.path("out")).unwrap();
    let lines = [
        "check @long.bvh --json=@out/a.json --html @out/a.html",
        "fix @long.bvh -o @out/a.bvh",
        "convert @long.bvh @out/a.glb",
        "simulate drop --seconds 3600 --out @out/a.glb --log @out/a.log",
    ];
    for line in lines {
        let child = begun(&folder, line);
        std::thread::sleep(Duration::from_millis(150));
        let start = Instant::now();
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{line}");
        assert!(start.elapsed() < Duration::from_secs(10), "{line}: {:?}", start.elapsed());
        assert_eq!(folder.names("out"), [""; 0], "{line}");
    }
}
