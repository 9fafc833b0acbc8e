//! Tests of `muybridge fix` on thrown bodies with known correct motion.

use crate::checking;

use checking::{Folder, Ran, clip, names_in, thrown_bvh};
use std::path::Path;

fn fix(arguments: &[&str]) -> Ran {
    checking::run("fix", arguments)
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

/// A throw of one second at 60 frames per second, falling with `gravity` times 9.81 m/s².
fn throw(gravity: f64) -> String {
    thrown_bvh(61, 60.0, gravity * 9.81)
}

/// The frames of a BVH as numbers.
fn rows(path: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).unwrap();
    let motion = text.split_once("Frame Time:").unwrap().1;
    let numbers = |line: &str| line.split_whitespace().map(|number| number.parse().unwrap()).collect();
    motion.lines().skip(1).filter(|line| !line.trim().is_empty()).map(numbers).collect()
}

/// Center of the rod of [`thrown_bvh`].
fn middle(row: &[f64]) -> [f64; 3] {
    let turn = row[4].to_radians();
    [row[0], row[1] + 0.5 * turn.cos(), row[2] + 0.5 * turn.sin()]
}

#[test]
fn s11_a_throw_at_two_and_a_quarter_g_gets_one_and_a_half_times_its_intervals() {
    let folder = Folder::new("fix_time");
    let (source, out) = (folder.file("heavy.bvh", throw(2.25)), folder.path("out.bvh"));
    let ran = fix(&[&source, "-o", &out, "--tools", "time"]);
    assert_eq!((ran.code, rows(&out).len()), (0, 91), "{ran:?}");
    assert!(ran.out.contains("61 → 91 frames") && ran.out.contains("2.25 g"), "{}", ran.out);
    let after = clip([&out]);
    assert!((after["flights"][0]["gravity_g"].as_f64().unwrap() - 1.0).abs() < 1e-4, "{}", after["flights"]);
    let (first, last) = (middle(&rows(&source)[60]), middle(&rows(&out)[90]));
    assert!((0..3).all(|axis| (first[axis] - last[axis]).abs() < 1e-5), "the end stays: {first:?} {last:?}");
}

#[test]
fn s6_its_path_becomes_the_parabola_between_its_own_ends_and_nothing_turns() {
    let folder = Folder::new("fix_path");
    let (source, out) = (folder.file("light.bvh", throw(0.3)), folder.path("out.bvh"));
    let asked = ["--least-gravity", "0.2", "--most-shift", "1"];
    assert_eq!(fix(&[&[source.as_str(), "-o", &out, "--tools", "path"], &asked[..]].concat()).code, 0);
    let (before, after) = (rows(&source), rows(&out));
    let end = 2.0 + 4.0 - 0.5 * 0.3 * 9.81;
    for (frame, (old, new)) in before.iter().zip(&after).enumerate() {
        let t = frame as f64 / 60.0;
        let height = 2.0 + (end - 2.0) * t + 0.5 * 9.81 * t * (1.0 - t);
        assert!((middle(new)[1] - height).abs() < 2e-6, "frame {frame}: {} m for {height} m", middle(new)[1]);
        assert!((middle(new)[0] - t).abs() < 2e-6 && middle(new)[2].abs() < 2e-6, "frame {frame}");
        assert_eq!(old[3..], new[3..], "frame {frame}");
    }
    // With lunar gravity the parabola differs.
    let lunar = [source.as_str(), "-o", &out, "--tools", "path", "--gravity", "1.62", "--force"];
    assert_eq!(fix(&[&lunar[..], &asked[..]].concat()).code, 0);
    let top = 2.0 + (end - 2.0) * 0.5 + 0.125 * 1.62;
    assert!((middle(&rows(&out)[30])[1] - top).abs() < 2e-6, "{}", middle(&rows(&out)[30])[1]);
}

#[test]
fn strength_half_goes_half_the_way_and_strength_0_gives_the_bytes_back() {
    let folder = Folder::new("fix_strength");
    let (source, half, none) = (folder.file("heavy.bvh", throw(1.6)), folder.path("half.bvh"), folder.path("none.bvh"));
    fix(&[&source, "-o", &half, "--tools", "path", "--strength", "0.5", "--most-shift", "1"]);
    // After half a second a parabola of 1 g is 0.6 g/8 below a parabola of 1.6 g.
    let rises = middle(&rows(&half)[30])[1] - middle(&rows(&source)[30])[1];
    assert!((rises + 0.5 * 0.6 * 9.81 / 8.0).abs() < 2e-6, "{rises}");
    let ran = fix(&[&source, "-o", &none, "--strength", "0"]);
    assert_eq!(ran.code, 1, "the finding is still there: {ran:?}");
    assert_eq!(bytes(&none), bytes(&source));
}

#[test]
fn a_change_beyond_the_bounds_is_left_and_its_need_is_said() {
    let folder = Folder::new("fix_bounds");
    let (source, out) = (folder.file("heavy.bvh", throw(1.6)), folder.path("out.bvh"));
    let ran = fix(&[&source, "-o", &out, "--tools", "path"]);
    assert_eq!((ran.code, bytes(&out)), (1, bytes(&source)), "{ran:?}");
    // Half a second from its ends a parabola of 1.6 g is 0.6 g/8 = 73.6 cm above one of 1 g.
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("would move the root by 74 cm (--most-shift 0.74 allows it)"), "{said}");
    assert!(said.contains("bounds root at most 10.0 cm joints at most 15°"), "{said}");
    let ran = fix(&[&source, "-o", &out, "--tools", "path", "--most-shift", "0.74", "--force"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_ne!(bytes(&out), bytes(&source));
}

#[test]
fn a_flight_below_half_of_gravity_is_left_unless_it_is_marked() {
    let folder = Folder::new("fix_doubt");
    let (source, out) = (folder.file("light.bvh", throw(0.3)), folder.path("out.bvh"));
    let ran = fix(&[&source, "-o", &out]);
    assert_eq!((ran.code, bytes(&out)), (1, bytes(&source)), "{ran:?}");
    let said = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("it falls with 0.30 g, so something may carry the body; --flight 0..60 says"), "{said}");
    let ran = fix(&[&source, "-o", &out, "--flight", "0..60", "--force"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!((clip([&out])["flights"][0]["gravity_g"].as_f64().unwrap() - 1.0).abs() < 0.05);
}

#[test]
fn a_flight_lasts_and_rises_as_asked() {
    let folder = Folder::new("fix_forced");
    let (source, out) = (folder.file("sound.bvh", throw(1.0)), folder.path("out.bvh"));
    assert_eq!(fix(&[&source, "-o", &out, "--duration", "1.5"]).code, 0);
    let lasts = rows(&out);
    assert_eq!(lasts.len(), 91);
    let end = 2.0 + 4.0 - 0.5 * 9.81;
    let top = 2.0 + 0.5 * (end - 2.0) + 9.81 * 1.5 * 1.5 / 8.0;
    assert!((middle(&lasts[45])[1] - top).abs() < 2e-6, "{}", middle(&lasts[45])[1]);
    assert_eq!(fix(&[&source, "-o", &out, "--apex", "5", "--force"]).code, 0);
    let seconds = (2.0 * 3.0 / 9.81_f64).sqrt() + (2.0 * (5.0 - end) / 9.81_f64).sqrt();
    assert_eq!(rows(&out).len(), (seconds * 60.0).round() as usize + 1);
    let top = rows(&out).iter().map(|row| middle(row)[1]).fold(0.0, f64::max);
    // The number of frames is rounded by up to half a frame, and the top may lie between two frames.
    let rounding = 0.125 * 9.81 * seconds / 60.0 + 9.81 / 8.0 / 3600.0;
    assert!((top - 5.0).abs() < rounding + 1e-6, "{top}");
    let ran = fix(&[&source, "--dry-run", "--apex", "1.5"]);
    assert!(ran.out.contains("an apex of 1.50 m lies below an end of its path, at 2.00 m"), "{}", ran.out);
    let ran = fix(&[&source, "--dry-run", "--apex", "1e9"]);
    assert!(ran.out.contains("at most 60 s are made"), "{}", ran.out);
}

#[test]
fn s7_the_ends_of_a_flight_go_where_they_are_asked_to() {
    let folder = Folder::new("fix_ends");
    let (source, out) = (folder.file("sound.bvh", throw(1.0)), folder.path("out.bvh"));
    let ran = fix(&[&source, "-o", &out, "--move-landing", "0.5,0.25,-1", "--move-takeoff", "-0.1,0,0"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (before, after) = (rows(&source), rows(&out));
    assert_eq!(before.len(), after.len());
    for (row, (before, after)) in before.iter().zip(&after).enumerate() {
        let (share, before, after) = (row as f64 / 60.0, middle(before), middle(after));
        // Positions between the two displacements are interpolated.
        let way = [-0.1 + 0.6 * share, 0.25 * share, -share];
        assert!(
            (0..3).all(|axis| (after[axis] - before[axis] - way[axis]).abs() < 2e-6),
            "{row}: {before:?} {after:?}"
        );
    }
    let ran = fix(&[&source, "--dry-run", "--move-landing", "1,2"]);
    assert!(ran.err.contains("three numbers such as 0.2,0,-0.1 are needed"), "{}", ran.err);
}

#[test]
fn s9_a_flight_takes_off_as_it_is_asked_to_and_lands_where_that_leads() {
    let folder = Folder::new("fix_takeoff");
    let (source, out) = (folder.file("sound.bvh", throw(1.0)), folder.path("out.bvh"));
    let ran = fix(&[&source, "-o", &out, "--takeoff-velocity", "1.5,3,-1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // From 2 m up at 3 m/s down to 1.095 m: (3 + √(9 + 2 · 9.81 · 0.905))/9.81 = 0.8333 s, 50 frames.
    let after = rows(&out);
    assert_eq!(after.len(), 51, "{ran:?}");
    for (frame, row) in after.iter().enumerate() {
        let (t, [x, y, z]) = (frame as f64 / 60.0, middle(row));
        let wanted = [1.5 * t, 2.0 + 3.0 * t - 0.5 * 9.81 * t * t, -t];
        // The vertical velocity is met within a quarter of what gravity gives in a frame.
        let rise = 0.25 * 9.81 / 60.0 * t;
        assert!((x - wanted[0]).abs() < 1e-5 && (z - wanted[2]).abs() < 1e-5, "{frame}: {x} {z} {wanted:?}");
        assert!((y - wanted[1]).abs() < rise + 1e-5, "{frame}: {y} {wanted:?}");
    }
    assert!((middle(&after[50])[1] - (2.0 + 4.0 - 0.5 * 9.81)).abs() < 1e-5, "the landing keeps its height");
    let again = fix(&[&out, "-o", &folder.path("again.bvh"), "--takeoff-velocity", "1.5,3,-1"]);
    assert!(again.code == 0 && bytes(&out) == bytes(&folder.path("again.bvh")), "{again:?}");
    let up = folder.file("up.bvh", thrown_bvh(31, 60.0, 9.81));
    let ran = fix(&[&up, "--dry-run", "--takeoff-velocity", "0,0.5,0"]);
    assert!(ran.out.contains("never gets to its landing"), "{}", ran.out);
    let ran = fix(&[&up, "--dry-run", "--takeoff-velocity", "0,1,0", "--apex", "3"]);
    assert!(ran.code == 2 && ran.err.contains("--apex"), "{}", ran.err);
}

#[test]
fn s6_a_flight_takes_off_at_the_speed_asked_for_by_the_throw_that_lasts_about_as_long() {
    let folder = Folder::new("fix_speed");
    let out = folder.path("out.bvh");
    // T² = 2 (V² + g·d ± √((V² + g·d)² − g² ‖d‖²))/g²: of a second the high throw is nearer, of a quarter the flat one.
    for (frames, speed, sign) in [(61, 5.0, 1.0), (16, 6.0, -1.0)] {
        let source = folder.file("throw.bvh", thrown_bvh(frames, 60.0, 9.81));
        let ran = fix(&[&source, "-o", &out, "--force", "--takeoff-speed", &speed.to_string()]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let (before, after) = (rows(&source), rows(&out));
        let ends = [&before[0], &before[before.len() - 1]].map(|row| middle(row));
        let [x, y] = [0, 1].map(|axis| ends[1][axis] - ends[0][axis]);
        let sum = speed * speed - 9.81 * y;
        let root = (sum * sum - 9.81 * 9.81 * (x * x + y * y)).sqrt();
        let seconds = (2.0 * (sum + sign * root)).sqrt() / 9.81;
        assert_eq!(after.len(), (seconds * 60.0).round() as usize + 1, "{seconds} s");
        let seconds = (after.len() - 1) as f64 / 60.0;
        for (frame, row) in after.iter().enumerate() {
            let (time, [px, py, _]) = (frame as f64 / 60.0, middle(row));
            let wanted = ends[0][1] + y * time / seconds + 0.5 * 9.81 * time * (seconds - time);
            assert!((px - x * time / seconds).abs() < 1e-5 && (py - wanted).abs() < 1e-5, "{frame}: {px} {py}");
        }
        let again = fix(&[&out, "-o", &folder.path("again.bvh"), "--force", "--takeoff-speed", &speed.to_string()]);
        assert!(again.code == 0 && bytes(&out) == bytes(&folder.path("again.bvh")), "{again:?}");
    }
    let source = folder.file("throw.bvh", thrown_bvh(61, 60.0, 9.81));
    let ran = fix(&[&source, "--dry-run", "--takeoff-speed", "2"]);
    // √(g (d_y + ‖d‖)), d = (1, −0.905).
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    assert!(words.join(" ").contains("does not reach its landing; that takes 2.09 m/s"), "{}", ran.out);
}

/// What `fix --json` says of the only clip.
fn told(arguments: &[&str]) -> serde_json::Value {
    let ran = fix(&[&["--json"], arguments].concat());
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    document["fixes"][0].clone()
}

#[test]
fn s8_curves_between_two_frames_take_half_to_one_and_a_half_times_as_long() {
    let folder = Folder::new("fix_curves");
    let source = folder.file("sound.bvh", throw(1.0));
    let curves = &told(&[&source, "--dry-run", "--curves", "6..54"])["curves"];
    assert_eq!((&curves["first_frame"], &curves["last_frame"]), (&6.into(), &54.into()));
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let vector = |value: &serde_json::Value| [0, 1, 2].map(|axis| number(&value[axis]));
    let (from, to) = (vector(&curves["from_m"]), vector(&curves["to_m"]));
    let paths = curves["paths"].as_array().expect("paths");
    assert_eq!(paths.len(), 7);
    for (k, path) in paths.iter().enumerate() {
        let seconds = 0.8 * (0.5 + k as f64 / 6.0);
        let (off, apex) = (vector(&path["takeoff_mps"]), vector(&path["apex_m"]));
        let rise = (to[1] - from[1]) / seconds + 0.5 * 9.81 * seconds;
        assert!((number(&path["duration_s"]) - seconds).abs() < 1e-6, "{path}");
        assert!((off[0] - (to[0] - from[0]) / seconds).abs() < 1e-9 && (off[1] - rise).abs() < 1e-5, "{path}");
        let top = if rise > 0.0 { from[1] + rise * rise / (2.0 * 9.81) } else { from[1] };
        assert!((apex[1] - top).abs() < 1e-5, "{path}: {top}");
    }
    // The throw falls freely, so the path in the middle is its own.
    assert!((number(&paths[3]["takeoff_mps"][1]) - (4.0 - 0.1 * 9.81)).abs() < 1e-4, "{}", paths[3]);
    // The free fall nearest to a free fall is itself.
    let nearest = &curves["nearest"];
    for (key, truth) in [("from_m", from), ("to_m", to), ("takeoff_mps", vector(&paths[3]["takeoff_mps"]))] {
        let off = vector(&nearest[key]).iter().zip(truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-5, "{key}: {nearest}");
    }
    let ran = fix(&[&source, "--dry-run", "--curves", "6..54"]);
    let lines = ran.out.lines().filter(|line| line.matches(" m/s").count() == 2).count();
    assert!(
        lines == 8 && ran.out.contains("nearest fall") && ran.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.out
    );
    for (frames, sentence) in [("54..54", "a frame and a later one"), ("70..80", "a frame and a later one")] {
        let ran = fix(&[&source, "--dry-run", "--curves", frames]);
        assert!(ran.code == 2 && ran.err.contains(sentence), "{}", ran.err);
    }
    assert!(told(&[&source, "--dry-run"])["curves"].is_null());
}

#[test]
fn s17_half_a_newton_step_takes_more_iterations_to_the_same_momentum_and_their_number_is_limited() {
    let folder = Folder::new("fix_newton");
    let source = folder.file("sound.bvh", throw(1.0));
    let spin = |options: &[&str]| {
        let found = told(&[&[source.as_str(), "--dry-run", "--momentum", "10,0,0"], options].concat());
        (found["steps"][0]["flights"][0].clone(), found["left"].clone())
    };
    let (whole, half) = (spin(&[]).0, spin(&["--newton-damping", "0.5"]).0);
    let iterations = |flight: &serde_json::Value| flight["newton_iterations"].as_u64().expect("a number");
    // Newton's method doubles the digits of each step; half of a step halves the error: 40 halvings are 1e-12.
    assert!(iterations(&whole) <= 6, "{whole}");
    assert!((30..=60).contains(&iterations(&half)), "{half}");
    for flight in [&whole, &half] {
        assert!(flight["newton_residual_kgm2ps"].as_f64().expect("a number") < 1e-9, "{flight}");
        assert!((flight["angular_momentum_kgm2ps"][0].as_f64().expect("a number") - 10.0).abs() < 1e-9, "{flight}");
    }
    let (none, left) = spin(&["--newton-damping", "0.5", "--newton-iterations", "10"]);
    assert!(none.is_null() && left[0]["why"].as_str().expect("a reason").contains("kg m²/s are left"), "{left}");
    for wrong in ["0", "1.5", "x"] {
        let ran = fix(&[&source, "--dry-run", "--newton-damping", wrong]);
        assert!(ran.code == 2 && ran.err.contains("a number above 0 and up to 1 is needed"), "{}", ran.err);
    }
}

#[test]
fn a_rod_turns_as_fast_as_its_momentum_says() {
    let folder = Folder::new("fix_momentum");
    let (source, out) = (folder.file("sound.bvh", throw(1.0)), folder.path("out.bvh"));
    let momentum = &clip([&source])["per_frame"]["angular_momentum_kgm2ps"][30];
    let [x, y, z] = [0, 1, 2].map(|axis| momentum[axis].as_f64().unwrap());
    assert!(x > 1.0 && y.abs() < 1e-6 && z.abs() < 1e-6, "{momentum}");
    for times in [0.0, 2.0] {
        let wanted = format!("{},0,0", times * x);
        let ran = fix(&[&source, "-o", &out, "--momentum", &wanted, "--force"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for (frame, row) in rows(&out).iter().enumerate() {
            let turn = (times * 200.0 * frame as f64 / 60.0 - row[4]).to_radians();
            // Angles are written with few decimals and may differ by full turns.
            assert!(turn.sin().abs() < 0.02 && turn.cos() > 0.0, "{times} times, frame {frame}: {}", row[4]);
        }
    }
    let ran = fix(&[&source, "--dry-run", "--momentum", "1e6,0,0"]);
    assert!(ran.out.contains("left"), "what cannot be is said: {}", ran.out);
}

#[test]
fn frames_and_bones_that_may_not_change_do_not() {
    let folder = Folder::new("fix_allowed");
    let (source, out) = (folder.file("heavy.bvh", throw(2.25)), folder.path("out.bvh"));
    for (options, said) in [
        (["--frames", "0..30"], "nothing that the tools allowed make better"),
        (["--protect", "Crate"], "the bone that carries the body is protected"),
        (["--tools", "feet"], "nothing that the tools allowed make better"),
    ] {
        let ran = fix(&[&[source.as_str(), "-o", &out, "--force"], &options[..]].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.out.contains(said), "{}", ran.out);
        assert_eq!(bytes(&out), bytes(&source), "{options:?}");
    }
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_be_done() {
    let folder = Folder::new("fix_dry");
    let source = folder.file("heavy.bvh", throw(2.25));
    let dry = fix(&[&source, "--dry-run"]);
    assert_eq!((dry.code, folder.names()), (0, vec!["heavy.bvh".to_string()]), "{dry:?}");
    assert!(dry.out.contains("Nothing was written"), "{}", dry.out);
    let out = folder.path("out.bvh");
    assert_eq!(fix(&[&source, "-o", &out, "--dry-run"]).code, 0);
    assert!(!Path::new(&out).exists());
    let wet = fix(&[&source, "-o", &out]);
    let done = |ran: &Ran| {
        ran.out
            .lines()
            .filter(|line| !line.contains("ritten") && !line.contains("--html"))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    assert_eq!(done(&dry), done(&wet));
    let source_head = throw(2.25).split_once("MOTION").unwrap().0.to_string();
    assert!(std::fs::read_to_string(&out).unwrap().starts_with(&source_head), "the hierarchy stays as typed");
}

#[test]
fn the_exit_code_is_0_1_or_2_and_one_bad_file_stops_none() {
    let folder = Folder::new("fix_codes");
    std::fs::create_dir_all(folder.path("in/deep")).unwrap();
    let sound = folder.file("in/sound.bvh", throw(1.0));
    let heavy = folder.file("in/deep/heavy.bvh", throw(2.25));
    assert_eq!(fix(&[&sound, "--dry-run"]).code, 0);
    assert_eq!(fix(&[&heavy, "--dry-run", "--tools", "feet"]).code, 1);
    folder.file("in/broken.bvh", "HIERARCHY\nROOT a\n{\n");
    let out = folder.path("out");
    let ran = fix(&[&folder.path("in"), "-o", &out]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("broken.bvh") && ran.out.contains("1 not corrected"), "{ran:?}");
    assert_eq!(names_in(Path::new(&out)), ["deep", "sound.bvh"]);
    assert_eq!(names_in(Path::new(&folder.path("out/deep"))), ["heavy.bvh"]);
    assert_eq!(bytes(&folder.path("out/sound.bvh")), bytes(&sound), "what is sound is written byte for byte");
    let ran = fix(&[&folder.path("in"), "-o", &out]);
    assert!(ran.code == 2 && ran.err.contains("exists already; give --force"), "{ran:?}");
    let one = folder.path("one.bvh");
    assert_eq!(fix(&[&folder.path("in/deep"), "-o", &one]).code, 0, "a folder of one file may go to a file");
    assert_eq!(bytes(&one), bytes(&folder.path("out/deep/heavy.bvh")));
    let ran = fix(&[&folder.path("in"), &folder.path("in/deep"), "-o", &folder.path("flat"), "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["fixes"].as_array().unwrap().len(), 4);
}

#[test]
fn what_cannot_be_done_is_a_sentence_and_nothing_is_written() {
    let folder = Folder::new("fix_sentences");
    let source = folder.file("heavy.bvh", throw(2.25));
    let other = folder.file("other.bvh", throw(1.0));
    let out = folder.path("out.bvh");
    let below = folder.path("heavy.bvh/out.bvh");
    let glb = folder.path("out.glb");
    let page = folder.file("page.html", "precious");
    let names = folder.names();
    let refused: &[(&[&str], &[&str])] = &[
        (&[], &["-o", "--dry-run"]),
        (&["-o", &other], &["other.bvh", "exists already", "--force"]),
        (&["-o", &source], &["heavy.bvh", "the same file", "--force"]),
        (&["-o", &glb], &["out.glb", "name it .bvh", "muybridge convert"]),
        (&["-o", &below], &["heavy.bvh is a file, not a folder"]),
        (&["-o", &out, "--html", &page], &["page.html", "exists already"]),
        (&["-o", &out, "--json", "-o"], &["-o"]),
        (&["-o", &out, &other], &["one file cannot hold 2 motions; give a folder"]),
        (&["-o", &out, "nowhere.bvh", "--threads", "1"], &["one file cannot hold"]),
        (&["-o", &out, "--tools", "jump"], &["path, time, spin or feet"]),
        (&["-o", &out, "--strength", "-1"], &["from 0 to 1"]),
        (&["-o", &out, "--strength", "nan"], &["from 0 to 1"]),
        (&["-o", &out, "--blend=0"], &["1..=1000"]),
        (&["-o", &out, "--apex", "-2"], &["a number above 0"]),
        (&["-o", &out, "--duration", "1e9"], &["above 0 and up to 60"]),
        (&["-o", &out, "--duration", "1", "--apex", "1"], &["cannot be used with"]),
        (&["-o", &out, "--momentum", "1,2"], &["three numbers"]),
        (&["-o", &out, "--momentum", "-1,inf,0"], &["three numbers"]),
        (&["-o", &out, "--protect", "Tail"], &["heavy.bvh", "“Tail”", "no bone and no role"]),
        (&["-o", &out, "--clip", "Run"], &["heavy.bvh", "“Run”", "its clips have no names"]),
        (&["-o", &out, "--frames", "900.."], &["heavy.bvh", "frame 900", "60"]),
    ];
    let unwritable: (&[&str], &[&str]) = (&["-o", "/proc/out.bvh"], &["/proc/out.bvh", "cannot be written"]);
    let unwritable = Path::new("/proc/self").is_dir().then_some(&unwritable);
    for (options, words) in refused.iter().chain(unwritable) {
        let ran = fix(&[&[source.as_str()], *options].concat());
        assert_eq!(ran.code, 2, "{options:?}: {ran:?}");
        for word in *words {
            assert!(ran.err.contains(word), "{options:?} must say “{word}”: {}", ran.err);
        }
    }
    assert_eq!(folder.names(), names);
    assert_eq!(bytes(&source), throw(2.25).into_bytes());
    let ran = fix(&["nowhere.bvh", "-o", &out]);
    assert!(ran.code == 2 && ran.err.contains("nowhere.bvh: there is no such file"), "{ran:?}");
    assert_eq!(fix(&[&source, "-o", &source, "--force"]).code, 0);
    assert_ne!(bytes(&source), throw(2.25).into_bytes());
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_a_sentence_and_leaves_no_half_file() {
    let folder = Folder::new("fix_full");
    let source = folder.file("heavy.bvh", throw(2.25));
    let script = format!(
        "ulimit -f 1; {} fix {source} -o {} 2>&1 | cat; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_muybridge"),
        folder.path("out.bvh")
    );
    let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("out.bvh: cannot be written: File too large"), "{said}");
    assert_eq!(folder.names(), ["heavy.bvh"]);
}
