//! Rows S10, S12, S13, S24 and S26: flights of figures of a few bones, by `check`, `fix` and `survey` on files.

use std::f64::consts::PI;

use muybridge::math::Random;
use serde_json::Value;

use crate::program::{Folder, muybridge};
use crate::rows_shapiro::{G, HEAD, bvh, checked, file, moving, said};

const TURNS: &str = "Zrotation Xrotation Yrotation\n";
const PLACES: &str = "Xposition Yposition Zposition";

/// A crate whose leg has contact points, at 0.3 m over the floor.
fn hopper() -> String {
    format!(
        "ROOT Crate\n{{\nOFFSET 0 0 0\nCHANNELS 6 {PLACES} {TURNS}JOINT Leg\n{{\nOFFSET 0 -0.3 0\nCHANNELS 3 {TURNS}\
         End Site\n{{\nOFFSET 0 -0.1 0\n}}\n}}\n}}\n"
    )
}

const BODY: &str = "Crate,6,0,0,0,0.1,0.1,0.1\nLeg,1,0,0,0,0.01,0.01,0.01\n";
const CORNERS: &str = "joint,point,x,y,z\nLeg,a,-0.2,0,-0.2\nLeg,b,0.2,0,-0.2\nLeg,c,0.2,0,0.2\nLeg,d,-0.2,0,0.2\n";

/// A hop of `intervals` frame times under `gravity`, after and before as many frames `still`; aside by an arch of `aside` meters,
/// with a leg that swings.
fn hop(rate: f64, (still, intervals): (u32, u32), gravity: f64, aside: f64) -> Vec<[f64; 9]> {
    let seconds = f64::from(intervals) / rate;
    let row = |frame: u32| {
        let time = (f64::from(frame.clamp(still, still + intervals)) - f64::from(still)) / rate;
        let up = 0.5 * gravity * time * (seconds - time);
        let arch = aside * (PI * time / seconds).sin();
        [arch, 0.3 + up, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0 * (0.3 * f64::from(frame)).sin() * up, 0.0]
    };
    (0..2 * still + intervals + 1).map(row).collect()
}

/// Rows of a BVH file, as text.
fn rows(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a file");
    text.lines().skip_while(|line| !line.starts_with("Frame Time")).skip(1).map(str::to_owned).collect()
}

fn values(row: &str) -> Vec<f64> {
    row.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

/// Rows before and after `fix` with options, and what it says of the only clip.
fn fixed(clip: &[[f64; 9]], rate: f64, options: &[&str]) -> ([Vec<String>; 2], Value) {
    let folder = Folder::new();
    let source = file(&folder, "in.bvh", &bvh(&hopper(), clip, rate));
    let [body, contacts] = [("body.csv", format!("{HEAD}{BODY}")), ("contacts.csv", CORNERS.to_owned())]
        .map(|(name, text)| file(&folder, name, &text));
    let out = folder.path("out.bvh").display().to_string();
    let own = ["fix", &source, "-o", &out, "--json", "--body", &body, "--contacts", &contacts, "--unit", "m"];
    let told = said(&[&own[..], &["--cutoff", "off", "--most-shift", "1"], options].concat());
    let told: Value = serde_json::from_str(&told).expect("JSON");
    ([rows(&source), rows(&out)], told["fixes"][0].clone())
}

#[test]
fn s10_the_mass_center_follows_the_path_and_joint_angles_keep_their_digits() {
    let clip = hop(60.0, (20, 30), G, 0.05);
    let ([before, after], _) = fixed(&clip, 60.0, &["--tools", "path", "--flight", "20..50"]);
    assert_eq!((before.len(), after.len()), (71, 71));
    // The leg swings about its origin at a height, so the center moves with the crate: a parabola between equal ends.
    for (frame, (old, new)) in before.iter().zip(&after).enumerate() {
        let angles = |row: &str| row.split_whitespace().skip(3).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(angles(old), angles(new), "frame {frame}");
        let time = (frame as f64).clamp(20.0, 50.0) / 60.0 - 20.0 / 60.0;
        let [x, y, z] = [0, 1, 2].map(|axis| values(new)[axis]);
        let off = x.abs().max((y - 0.3 - 0.5 * G * time * (0.5 - time)).abs()).max(z.abs());
        assert!(off <= 1e-12, "frame {frame}: {off} m");
    }
    let moved = before.iter().zip(&after).map(|(old, new)| (values(old)[0] - values(new)[0]).abs()).fold(0.0, f64::max);
    assert!((moved - 0.05).abs() < 1e-3, "{moved} m");
}

#[test]
fn s12_frames_outside_a_retimed_flight_are_shifted_as_they_are() {
    // 12 intervals at 2.2 g are 17.799 at 1 g: six more.
    let clip = hop(24.0, (20, 12), 2.2 * G, 0.0);
    let ([before, after], told) = fixed(&clip, 24.0, &["--tools", "time", "--flight", "20..32"]);
    let flight = &told["steps"][0]["flights"][0];
    assert_eq!((&flight["intervals"], &flight["new_intervals"]), (&12.into(), &18.into()), "{told}");
    assert!(flight["reason"].as_str().is_some_and(|reason| reason.contains("13 → 19 frames")), "{flight}");
    assert_eq!((before.len(), after.len()), (53, 59));
    assert_eq!(before[..=20], after[..=20]);
    assert_eq!(before[32..], after[38..]);
}

#[test]
fn s13_without_a_blend_frames_outside_are_equal_and_with_it_the_offset_has_no_corner() {
    let corners: Vec<[f64; 2]> = [60_u16, 120, 240].into_iter().map(corner).collect();
    // A corner in the offset shrinks with the frame time, a bend without a corner with its square.
    for [coarse, fine] in corners.iter().zip(&corners[1..]).map(|(a, b)| [a, b]) {
        assert!((coarse[0] / fine[0] - 2.0).abs() < 0.1, "{corners:?}");
        assert!(coarse[1] / fine[1] > 3.8, "{corners:?}");
    }
}

/// Second difference of the offset at the start of a flight that is moved aside, without and with a blend over 0.1 s.
fn corner(rate: u16) -> [f64; 2] {
    let half = usize::from(rate / 2);
    let clip = hop(rate.into(), (half as u32, half as u32), G, 0.05);
    let (flight, blend) = (format!("{half}..{}", 2 * half), format!("--blend={}", rate / 10 - 1));
    let options = ["--tools", "path", "--flight", &flight];
    [&options[..], &[&options[..], &[&blend]].concat()].map(|options| {
        let ([before, after], _) = fixed(&clip, rate.into(), options);
        let offsets: Vec<f64> = before.iter().zip(&after).map(|(old, new)| values(new)[0] - values(old)[0]).collect();
        let window = if options.len() > 4 { usize::from(rate / 10) } else { 1 };
        assert_eq!(before[..=half - window], after[..=half - window], "outside of the window");
        assert_eq!(before[2 * half + window..], after[2 * half + window..], "outside of the window");
        assert!(offsets.iter().any(|offset| offset.abs() > 0.049));
        (offsets[half + 1] - 2.0 * offsets[half] + offsets[half - 1]).abs()
    })
}

/// A free fall under `gravity` g at 60 frames per second, with a noise in all places.
fn fall(gravity: f64, noise: &mut dyn FnMut() -> f64) -> String {
    let row = |frame: u32| {
        let time = f64::from(frame) / 60.0;
        let up = 3.0 + 2.0 * time - 0.5 * gravity * G * time * time;
        [time + noise(), up + noise(), noise(), 0.0, 0.0, 0.0]
    };
    moving(&(0..31).map(row).collect::<Vec<_>>(), 60.0)
}

#[test]
fn s24_an_ideal_fall_has_one_g_and_the_thirteen_of_the_paper_a_median_of_1_02() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("paper")).expect("a folder");
    let paper = [1.02, 0.89, 2.20, 0.47, 0.50, 1.52, 1.41, 0.77, 3.35, 1.81, 0.43, 0.56, 2.51];
    for (index, gravity) in paper.into_iter().enumerate() {
        file(&folder, &format!("paper/{index:02}.bvh"), &fall(gravity, &mut || 0.0));
    }
    let [clips, table] = ["paper", "out.csv"].map(|name| folder.path(name).display().to_string());
    let options = ["--unit", "m", "--cutoff", "off", "--flight", "0..30"];
    let told = said(&[&["survey", &clips, "--out", &table], &options[..]].concat());
    assert!(told.contains("13 flights   median 1.02 g") && told.contains("range 0.43–3.35"), "{told}");
    let ideal = file(&folder, "ideal.bvh", &fall(1.0, &mut || 0.0));
    let found = checked(&[&[ideal.as_str()], &options[..]].concat()).remove(0);
    let gravity = found["flights"][0]["gravity_g"].as_f64().expect("a number");
    assert!((gravity - 1.0).abs() < 5e-7, "{gravity} g");
}

#[test]
fn s24_the_standard_error_is_the_scatter_of_many_noisy_falls() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("noisy")).expect("a folder");
    let mut random = Random::new(24);
    // Twelve even numbers on [−1, 1] have the variance 4.
    let mut noise = || 1e-3 * 0.5 * (0..12).map(|_| random.signed()).sum::<f64>();
    const CASES: usize = 1500;
    for case in 0..CASES {
        file(&folder, &format!("noisy/{case:04}.bvh"), &fall(1.0, &mut noise));
    }
    let noisy = folder.path("noisy").display().to_string();
    let found = checked(&[&noisy, "--unit", "m", "--cutoff", "off", "--flight", "0..30"]);
    let of = |key: &str| -> Vec<f64> {
        found.iter().map(|clip| clip["flights"][0][key].as_f64().expect("a number")).collect()
    };
    let (gravities, errors) = (of("gravity_g"), of("gravity_se_g"));
    assert_eq!(gravities.len(), CASES);
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / CASES as f64;
    let middle = mean(&mut gravities.iter().copied());
    let scatter = mean(&mut gravities.iter().map(|gravity| (gravity - middle).powi(2))).sqrt();
    let said = mean(&mut errors.iter().map(|error| error * error)).sqrt();
    // The scatter of 1500 is itself known to 1.8 %.
    assert!((said / scatter - 1.0).abs() < 0.03, "said {said}, scatter {scatter} g");
}

/// Frames of a step, of the walk, of standing, and of the time in the air.
const STEP: u32 = 30;
const WALK: u32 = 4 * STEP;
const TAKE_OFF: u32 = WALK + 20;
const AIR: u32 = 24;

/// Place along the way, and height, of a foot in a frame of a walk of 1 m/s.
fn foot(side: u32, frame: u32) -> [f64; 2] {
    let (step, phase) = (frame.min(WALK) / STEP, frame.min(WALK) % STEP);
    let stride = f64::from(STEP) / 60.0;
    let before = (0..step).filter(|step| step % 2 == side).max().map_or(0.0, |step| f64::from(step + 1) * stride);
    if step % 2 != side || frame >= WALK {
        return [before, 0.0];
    }
    let share = f64::from(phase) / f64::from(STEP);
    let ease = share * share * (3.0 - 2.0 * share);
    [before + (f64::from(step + 1) * stride - before) * ease, 0.1 * (PI * share).sin().powi(2)]
}

#[test]
fn s26_a_walk_that_becomes_a_jump_flies_once_and_the_ends_are_right_to_a_frame() {
    let folder = Folder::new();
    let leg = |name: &str| {
        format!("JOINT {name}\n{{\nOFFSET 0 0 0\nCHANNELS 6 {PLACES} {TURNS}End Site\n{{\nOFFSET 0 0.1 0\n}}\n}}\n")
    };
    let hierarchy = format!("ROOT Body\n{{\nOFFSET 0 0 0\nCHANNELS 6 {PLACES} {TURNS}{}{}}}\n", leg("L"), leg("R"));
    let row = |frame: u32| {
        let time = (f64::from(frame.clamp(TAKE_OFF, TAKE_OFF + AIR)) - f64::from(TAKE_OFF)) / 60.0;
        let (up, ahead) = (0.5 * G * time * (f64::from(AIR) / 60.0 - time), f64::from(frame.min(WALK)) / 60.0);
        let mut row = vec![0.0, 0.9 + up, ahead, 0.0, 0.0, 0.0];
        for side in 0..2 {
            let [place, lift] = foot(side, frame);
            row.extend([0.2 * f64::from(side) - 0.1, lift - 0.9, place - ahead, 0.0, 0.0, 0.0]);
        }
        row
    };
    let rows: Vec<Vec<f64>> = (0..TAKE_OFF + AIR + 30).map(row).collect();
    let sole = |name: &str| {
        [[-0.05, -0.1], [0.05, -0.1], [0.05, 0.15], [-0.05, 0.15]]
            .map(|[x, z]| format!("{name},{x}/{z},{x},0,{z}\n"))
            .concat()
    };
    let clip = file(&folder, "clip.bvh", &bvh(&hierarchy, &rows, 60.0));
    let soles = format!("joint,point,x,y,z\n{}{}", sole("L"), sole("R"));
    let contacts = file(&folder, "contacts.csv", &soles);
    let masses = "Body,60,0,0,0,3,3,3\nL,1,0,0,0,0.01,0.01,0.01\nR,1,0,0,0,0.01,0.01,0.01\n";
    let body = file(&folder, "body.csv", &format!("{HEAD}{masses}"));
    let found = checked(&[&clip, "--body", &body, "--contacts", &contacts, "--unit", "m", "--cutoff", "off"]).remove(0);
    let flights = found["flights"].as_array().expect("flights");
    assert_eq!(flights.len(), 1, "{flights:?}");
    // In its first and its last frame in the air it touches the floor.
    for (key, truth) in [("first_frame", TAKE_OFF), ("last_frame", TAKE_OFF + AIR)] {
        let frame = flights[0][key].as_u64().expect("a frame");
        assert!(frame.abs_diff(truth.into()) <= 1, "{key}: {frame}, not {truth}");
    }
    assert!((flights[0]["gravity_g"].as_f64().expect("a number") - 1.0).abs() < 1e-9);
    let none =
        muybridge(["check", &clip, "--body", &body, "--contacts", &contacts, "--unit", "m", "--support", "130..170"]);
    assert!(!none.out.contains("flight.gravity"), "{}", none.out);
}
