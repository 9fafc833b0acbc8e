//! Tests that numbers beyond physics are refused or undecided, and that no report of them holds a number that is none.

use crate::program::{Folder, Said, muybridge};

/// A body of two bones that swings, with a place for a number of the file: offset, root position, angle and frame time.
fn swinging(offset: &str, position: &str, angle: &str, frame_time: &str) -> String {
    let mut text = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
         JOINT Chest\n{{\nOFFSET 0 {offset} 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET 0 0.4 0\n}}\n}}\n}}\n\
         MOTION\nFrames: 12\nFrame Time: {frame_time}\n"
    );
    for frame in 0..12 {
        let (y, turn) = match frame {
            5 => (position, angle),
            _ => ("1", "3"),
        };
        text += &format!("0.{frame:02} {y} 0 0 {turn} 0 0 {frame} 0\n");
    }
    text
}

/// Whether a text holds a number that is none, as a word.
fn holds_no_number(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word.to_lowercase().as_str(), "nan" | "inf" | "infinity"))
}

/// Fails where a call ends with another exit code than 0, 1 or 2, or a text or file of it holds a number that is none.
fn assert_sound(folder: &Folder, what: &str, said: &Said) {
    assert!(matches!(said.code, Some(0..=2)), "{what}: {:?}\n{}", said.code, said.err);
    assert!(!said.err.contains("internal error") && !said.err.contains("panicked"), "{what}: {}", said.err);
    let mut texts = vec![said.out.clone()];
    for name in folder.names("out") {
        let bytes = std::fs::read(folder.path("out").join(name)).unwrap();
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    for text in texts {
        // The page brings its script along, which knows the word.
        let data =
            text.split("id=\"data\">").nth(1).map_or(text.as_str(), |data| data.split("</script>").next().unwrap());
        assert!(!holds_no_number(data), "{what}: {}", &data[..data.len().min(2000)]);
    }
}

/// Runs every verb on a file with some options, each with all of its reports.
fn assert_every_verb_sound(file: &std::path::Path, options: &[&str]) {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).unwrap();
    let out = |name: &str| folder.path("out").join(name).display().to_string();
    let name = file.display().to_string();
    let calls: [Vec<String>; 5] = [
        ["check", "--force", "--details", "--residual"]
            .map(String::from)
            .into_iter()
            .chain([
                format!("--json={}", out("c.json")),
                format!("--csv={}", out("c.csv")),
                format!("--html={}", out("c.html")),
                format!("--plate={}", out("c.png.bin")),
            ])
            .collect(),
        vec!["check".into(), "--json".into()],
        vec![
            "fix".into(),
            "--force".into(),
            "-o".into(),
            out("f.bvh"),
            format!("--json={}", out("f.json")),
            format!("--html={}", out("f.html")),
        ],
        vec!["survey".into(), "--force".into(), "--out".into(), out("s.csv"), "--html".into(), out("s.html")],
        vec!["survey".into(), "--force".into(), "--out".into(), out("s.jsonl")],
    ];
    for call in calls {
        let said = muybridge(call.iter().map(String::as_str).chain([name.as_str()]).chain(options.iter().copied()));
        let _ = std::fs::remove_file(folder.path("out").join("c.png.bin"));
        assert_sound(&folder, &format!("{call:?} {name} {options:?}"), &said);
    }
    if options.is_empty() {
        for kind in ["x.bvh", "x.gltf", "x.glb"] {
            let said = muybridge(["convert", "--force", &name, &out(kind)]);
            assert_sound(&folder, &format!("convert {name} {kind}"), &said);
        }
    }
}

#[test]
fn numbers_of_a_file_beyond_physics_are_never_a_result() {
    let folder = Folder::new();
    let huge = ["1e308", "-1e308", "1e160", "9e18", "1e9", "1e-320"];
    let clips = huge.iter().flat_map(|number| {
        [
            swinging(number, "1", "3", "0.04"),
            swinging("0.5", number, "3", "0.04"),
            swinging("0.5", "1", number, "0.04"),
            swinging("0.5", "1", "3", number.trim_start_matches('-')),
        ]
    });
    for (index, text) in clips.enumerate() {
        assert_every_verb_sound(&folder.file(&format!("{index}.bvh"), &text), &[]);
    }
}

#[test]
fn a_position_beyond_the_moon_is_refused_by_bone_and_frame() {
    let folder = Folder::new();
    let file = folder.file("far.bvh", &swinging("0.5", "1e300", "3", "0.04"));
    let said = muybridge(["check".as_ref(), file.as_os_str()]);
    assert_eq!(said.code, Some(2));
    assert!(said.err.contains("“Hips”") && said.err.contains("in frame 5"), "{}", said.err);
}

#[test]
fn options_beyond_physics_are_refused_in_a_sentence() {
    let folder = Folder::new();
    let file = folder.file("a.bvh", &swinging("0.5", "1", "3", "0.04"));
    let name = file.display().to_string();
    for option in [
        ["--height", "1e300"],
        ["--unit", "1e308"],
        ["--unit", "1e-320"],
        ["--mass", "1e308"],
        ["--gravity", "1e-320"],
        ["--gravity", "inf"],
        ["--floor", "1e300"],
        ["--cutoff", "nan"],
        ["--threads", "60000"],
    ] {
        let said = muybridge(["check", &name, option[0], option[1]]);
        assert_eq!(said.code, Some(2), "{option:?}: {}", said.out);
        assert!(said.err.contains(option[0]) && said.out.is_empty(), "{option:?}: {}", said.err);
    }
    for option in
        [["--most-shift", "1e300"], ["--apex", "1e300"], ["--move-takeoff", "1e300,0,0"], ["--momentum", "0,0,1e300"]]
    {
        let said = muybridge(["fix", &name, "--dry-run", option[0], option[1]]);
        assert_eq!(said.code, Some(2), "{option:?}: {}", said.out);
    }
    let target = folder.path("b.bvh").display().to_string();
    let said = muybridge(["convert", &name, &target, "--out-unit", "1e-320"]);
    assert!(said.code == Some(2) && !folder.path("b.bvh").exists(), "{}", said.err);
}

#[test]
fn options_at_the_edge_of_their_bounds_give_numbers() {
    let folder = Folder::new();
    let file = folder.file("a.bvh", &swinging("0.5", "1", "3", "0.04"));
    for options in [
        ["--unit", "1e-9"],
        ["--unit", "1e9"],
        ["--floor", "1e9"],
        ["--flight", "4..5"],
        ["--flight", "0..11"],
        ["--frames", "3..3"],
        ["--fps", "0.000001"],
    ] {
        assert_every_verb_sound(&file, &options);
    }
}

#[test]
fn limits_that_are_no_numbers_or_exchanged_are_refused_by_line() {
    let folder = Folder::new();
    let clip = folder.file("a.bvh", &swinging("0.5", "1", "3", "0.04"));
    for (text, word) in [
        ("# mine\ngravity_g = [inf, 0]\n", "gravity_g"),
        ("# mine\ngravity_g = [1.25, 0.8]\n", "smaller one first"),
        ("# mine\nzmp_seconds = nan\n", "zmp_seconds"),
        ("# mine\npath_m = [0.02, 1e300]\n", "path_m"),
    ] {
        let limits = folder.file("l.toml", text);
        let said = muybridge(["check".as_ref(), clip.as_os_str(), "--limits".as_ref(), limits.as_os_str()]);
        assert_eq!(said.code, Some(2), "{text}: {}", said.out);
        assert!(said.err.contains("l.toml:2:") && said.err.contains(word), "{text}: {}", said.err);
    }
}

#[test]
fn masses_beyond_physics_are_refused_by_bone() {
    let folder = Folder::new();
    let clip = folder.file("a.bvh", &swinging("0.5", "1", "3", "0.04"));
    let header = "joint,mass_kg,com_x,com_y,com_z,Ixx,Iyy,Izz\n";
    for row in
        ["Chest,1e308,0,0,0,1,1,1", "Chest,3,1e308,0,0,1,1,1", "Chest,3,0,0,0,1e308,1,1", "Chest,1e-300,0,0,0,1,1,1"]
    {
        let body = folder.file("body.csv", &format!("{header}{row}\n"));
        let said = muybridge(["check".as_ref(), clip.as_os_str(), "--body".as_ref(), body.as_os_str()]);
        assert_eq!(said.code, Some(2), "{row}: {}", said.out);
        assert!(said.err.contains("Chest"), "{row}: {}", said.err);
    }
}
