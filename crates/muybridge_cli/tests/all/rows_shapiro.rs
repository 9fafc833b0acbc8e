//! Rows of Shapiro and Lee (2011): exact clips and closed forms, by the program on files.

use muybridge::glam::{DQuat, DVec3};
use muybridge::math::Random;
use muybridge::math::rotation::log;
use serde_json::Value;

use crate::checking::thrown_bvh;
use crate::program::{Folder, muybridge};
use crate::simulate_contact::Run;

const RIGID: [&str; 3] = ["multipliers", "displacement", "hennix"];

/// Every method, and every mode of the particles.
pub fn modes() -> impl Iterator<Item = [&'static str; 2]> {
    let particles = ["shake", "xpbd", "jakobsen", "rosen"].map(|mode| ["--particle-mode", mode]);
    RIGID.map(|method| ["--method", method]).into_iter().chain(particles)
}

pub const G: f64 = 9.81;
const GRAVITY: DVec3 = DVec3::new(0.0, -G, 0.0);
pub const HEAD: &str = "joint,mass_kg,com_x,com_y,com_z,Ixx,Iyy,Izz\n";

/// A ball on the bone of [`moving`]: its angular momentum is along its spin.
const BALL: &str = "Crate,0.6,0,0,0,0.02,0.02,0.02\n";

pub fn file(folder: &Folder, name: &str, text: &str) -> String {
    folder.file(name, text).display().to_string()
}

/// What a command writes to standard output, with or without findings.
pub fn said(arguments: &[&str]) -> String {
    let said = muybridge(arguments);
    assert!(matches!(said.code, Some(0 | 1)), "{arguments:?}: {}", said.err);
    said.out
}

/// The clips of `check` with arguments.
pub fn checked(arguments: &[&str]) -> Vec<Value> {
    let mut found: Value = serde_json::from_str(&said(&[&["check", "--json"], arguments].concat())).expect("JSON");
    found["clips"].as_array_mut().map(std::mem::take).expect("clips")
}

/// What `check` says of a clip whose body is a row of a table, without a filter.
pub fn check(clip: &str, body: &str, options: &[&str]) -> Value {
    let folder = Folder::new();
    let [clip, body] = [file(&folder, "clip.bvh", clip), file(&folder, "body.csv", &format!("{HEAD}{body}"))];
    let arguments = [&[clip.as_str(), "--body", &body, "--unit", "m", "--cutoff", "off"], options].concat();
    checked(&arguments).remove(0)
}

pub fn numbers(row: &Value) -> Vec<f64> {
    row.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

pub fn vectors(rows: &Value) -> Vec<DVec3> {
    rows.as_array().expect("a list").iter().map(|row| DVec3::from_slice(&numbers(row))).collect()
}

pub fn bvh<R: AsRef<[f64]>>(hierarchy: &str, rows: &[R], rate: f64) -> String {
    let numbers = |row: &R| row.as_ref().iter().map(|number| format!("{number} ")).chain(["\n".into()]).collect();
    let rows: Vec<String> = rows.iter().map(numbers).collect();
    format!("HIERARCHY\n{hierarchy}MOTION\nFrames: {}\nFrame Time: {}\n{}", rows.len(), 1.0 / rate, rows.concat())
}

/// A BVH of one bone: positions in meters, turns in degrees about z, x and y.
pub fn moving(rows: &[[f64; 6]], rate: f64) -> String {
    let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
    bvh(&format!("ROOT Crate\n{{\nOFFSET 0 0 0\n{channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n"), rows, rate)
}

/// Frames of a throw from (0.3, 1, −0.2) at 60 frames per second, turning about z.
fn throw(frames: u32) -> Vec<[f64; 6]> {
    let row = |frame| {
        let time = f64::from(frame) / 60.0;
        [0.3 + 2.0 * time, 1.0 + 2.4 * time - 0.5 * G * time * time, -0.2 - 1.5 * time, 40.0 * time, 0.0, 0.0]
    };
    (0..frames).map(row).collect()
}

/// Twelve frames at 30 per second with one step and one turn about an axis of double length, at frame 7.
fn doubled([x, z]: [f64; 2], turn: [f64; 3]) -> Vec<[f64; 6]> {
    let row = |frame| {
        let (time, steps) = (f64::from(frame) / 30.0, f64::from(frame + u32::from(frame >= 7)));
        [x * steps, 1.0 - 0.5 * G * time * time, z * steps, turn[0] * steps, turn[1] * steps, turn[2] * steps]
    };
    (0..12).map(row).collect()
}

#[test]
fn s8_seven_curves_share_their_ends_and_rise_higher_the_longer_they_last() {
    let folder = Folder::new();
    let (source, out) = (file(&folder, "throw.bvh", &thrown_bvh(61, 60.0, G)), folder.path("out.bvh"));
    let out = out.display().to_string();
    // Ends of the throw. A body that leaves level falls from the first to the second in √(2h/g).
    let (from, to) = (DVec3::Y * 2.0, DVec3::new(1.0, 6.0 - 0.5 * G, 0.0));
    let mut highest = f64::NEG_INFINITY;
    for curve in 0..7_u32 {
        let intervals = 18 + 12 * curve;
        let seconds = f64::from(intervals) / 60.0;
        said(&["fix", &source, "-o", &out, "--force", "--unit", "m", "--duration", &seconds.to_string()]);
        let clip = checked(&[&out, "--unit", "m"]).remove(0);
        let centers = vectors(&clip["per_frame"]["mass_center_m"]);
        assert_eq!(clip["frames"], intervals + 1, "durations are 0.2 s apart");
        for (frame, center) in (0..).zip(&centers) {
            let time = f64::from(frame) / 60.0;
            let path = from.lerp(to, time / seconds) - 0.5 * time * (seconds - time) * GRAVITY;
            assert!(center.distance(path) < 1e-12, "{seconds} s, frame {frame}: {center}, not {path}");
        }
        let ends = centers[0].distance(from) + centers[centers.len() - 1].distance(to);
        assert!(ends < 1e-14, "{seconds} s: {ends} m");
        let top = centers.iter().map(|center| center.y).fold(f64::NEG_INFINITY, f64::max);
        if seconds > (2.0 * (from.y - to.y) / G).sqrt() {
            assert!(top >= highest, "{seconds} s: {top} m, below {highest}");
            highest = top;
        }
    }
}

#[test]
fn s9_a_path_from_its_last_position_and_velocity_is_the_one_from_its_first() {
    // The curve backward from r₁ and v₁ at 0.5 s.
    let (to, landing) = (DVec3::new(1.2, 0.7, -0.4), DVec3::new(2.0, -3.1, -1.5));
    let backward = |frame| {
        let left = 0.5 - f64::from(frame) / 60.0;
        let place = to - landing * left + 0.5 * left * left * GRAVITY;
        [place.x, place.y, place.z, 0.0, 0.0, 0.0]
    };
    let rows: Vec<[f64; 6]> = (0..31).map(backward).collect();
    let found = check(&moving(&rows, 60.0), BALL, &[]);
    let flight = &found["flights"][0];
    let [place, velocity] = ["fit_position_m", "fit_velocity_mps"].map(|key| DVec3::from_slice(&numbers(&flight[key])));
    let paths = vectors(&flight["ballistic_path_m"]);
    assert_eq!(paths.len(), 31);
    for (frame, (row, path)) in (0..).zip(rows.iter().zip(paths)) {
        let time = f64::from(frame) / 60.0;
        let (row, forward) = (DVec3::from_slice(row), place + time * velocity + 0.5 * time * time * GRAVITY);
        assert!(forward.distance(row) < 1e-12 && path.distance(row) < 1e-12, "{frame}: {row} {forward} {path}");
    }
}

#[test]
fn s9_a_throw_back_from_where_it_came_down_goes_the_same_way_in_every_mode() {
    let (from, velocity, seconds) = (DVec3::new(0.3, 1.0, -0.2), DVec3::new(2.0, 3.4, -1.5), 0.7);
    let (to, landing) = (from + seconds * velocity + 0.5 * seconds * seconds * GRAVITY, velocity + seconds * GRAVITY);
    let scene = |place: DVec3, velocity: DVec3| {
        format!(
            "[scene]\nrate = 100\nseconds = {seconds}\n[solver]\nframes_before_sleep = 0\n[[ball]]\nname = \"b\"\n\
             radius = 0.1\nmass = 3.0\nposition = {place}\nvelocity = {velocity}\n"
        )
    };
    for mode in modes() {
        let [forward, back] =
            [scene(from, velocity), scene(to, -landing)].map(|scene| Run::with(&scene, mode).0.places("b"));
        assert_eq!(forward.len(), 71);
        for (frame, (there, back)) in forward.iter().zip(back.iter().rev()).enumerate() {
            let apart = DVec3::from_slice(there).distance(DVec3::from_slice(back));
            assert!(apart < 1e-12, "{mode:?}, frame {frame}: {apart} m");
        }
    }
}

#[test]
fn s14_energy_and_momentum_of_a_box_are_those_of_its_spatial_inertia_about_any_point() {
    let mut random = Random::new(14);
    for _ in 0..6 {
        let (size, mass) = (DVec3::splat(0.35) + 0.25 * random.vector(), 2.0 + random.signed());
        let (place, turn) = (random.vector(), 2.0 * random.vector());
        let (velocity, spin) = (3.0 * random.vector(), 5.0 * random.vector());
        let scene = format!(
            "[scene]\nseconds = 0.1\ngravity = [0.0, 0.0, 0.0]\n[[box]]\nname = \"b\"\nmass = {mass}\nsize = {size}\n\
             position = {place}\nrotation = {turn}\nvelocity = {velocity}\nspin = {spin}\n"
        );
        // h = J v in a frame whose origin is somewhere else: J = (I − m[r][r], m[r]; −m[r], m).
        let (turn, r) = (DQuat::from_scaled_axis(turn), 0.3 * random.vector());
        let inertia = mass / 12.0 * (DVec3::splat(size.length_squared()) - size * size);
        let (w, u) = (turn.conjugate() * spin, turn.conjugate() * (velocity - spin.cross(turn * r)));
        let k = inertia * w - mass * r.cross(r.cross(w)) + mass * r.cross(u);
        let l = mass * (u - r.cross(w));
        // h in the world is Ad* of it, and H = k − c × l.
        let linear = turn * l;
        let angular = turn * k + (place - turn * r).cross(linear) - place.cross(linear);
        for mode in RIGID {
            let run = Run::of(&scene, mode);
            let first = |key: &str| DVec3::from_slice(&numbers(&run.0["per_frame"][key][0]));
            let off = [
                run.per_frame("kinetic_energy_j")[0] / (0.5 * (w.dot(k) + u.dot(l))) - 1.0,
                first("momentum_kgmps").distance(linear) / linear.length(),
                first("angular_momentum_kgm2ps").distance(angular) / angular.length(),
            ];
            assert!(off.iter().all(|off| off.abs() < 1e-13), "{mode}: {off:?}\n{scene}");
        }
    }
}

/// Center of mass of each bone of [`flight`], meters, and its moments of inertia, kg m².
const CENTER: DVec3 = DVec3::new(0.05, 0.04, -0.02);
const MOMENTS: DVec3 = DVec3::new(0.02, 0.03, 0.025);

/// Eight bones: mass, and offset from the first.
fn bones() -> Vec<(f64, DVec3)> {
    let mut random = Random::new(8);
    let bone = |index| (3.0 + 2.0 * random.signed(), random.vector() * if index == 0 { 0.0 } else { 0.3 });
    (0..8).map(bone).collect()
}

/// The table of their bodies.
fn bodies() -> String {
    let row = |(bone, (mass, _)): (usize, &(f64, DVec3))| format!("b{bone},{mass},0.05,0.04,-0.02,0.02,0.03,0.025\n");
    HEAD.to_owned() + &bones().iter().enumerate().map(row).collect::<String>()
}

/// Five frames of a flight of [`bones`] at 24 frames per second whose angles all change evenly, and their BVH.
fn flight(random: &mut Random) -> (Vec<Vec<f64>>, String) {
    let velocity = random.vector();
    let angles: Vec<[f64; 2]> = (0..24).map(|_| [180.0 * random.signed(), 150.0 * random.signed()]).collect();
    let row = |frame| {
        let time = f64::from(frame) / 24.0;
        let place = time * velocity + 0.5 * time * time * GRAVITY;
        place.to_array().into_iter().chain(angles.iter().map(|[start, rate]| start + rate * time)).collect()
    };
    let rows: Vec<Vec<f64>> = (0..5).map(row).collect();
    let turns = "Zrotation Xrotation Yrotation\n";
    let mut text = format!("ROOT b0\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition {turns}");
    for (bone, (_, DVec3 { x, y, z })) in bones().iter().enumerate().skip(1) {
        let end = "End Site\n{\nOFFSET 0.2 0 0\n}\n}\n";
        text += &format!("JOINT b{bone}\n{{\nOFFSET {x} {y} {z}\nCHANNELS 3 {turns}{end}");
    }
    let text = bvh(&(text + "}\n"), &rows, 24.0);
    (rows, text)
}

/// Centers of mass and orientations of [`bones`] in a frame.
fn placed(row: &[f64]) -> Vec<(DVec3, DQuat)> {
    let turn = |bone: usize| {
        let [z, x, y] = [0, 1, 2].map(|axis| row[3 + 3 * bone + axis].to_radians());
        DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y)
    };
    let (root, first) = (DVec3::from_slice(row), turn(0));
    let body = |(bone, (_, offset)): (usize, &(f64, DVec3))| {
        let turned = if bone == 0 { first } else { first * turn(bone) };
        (root + first * *offset + turned * CENTER, turned)
    };
    bones().iter().enumerate().map(body).collect()
}

#[test]
fn s15_the_momentum_of_a_figure_is_the_sum_over_its_bodies() {
    let folder = Folder::new();
    let (body, bones, mut random) = (file(&folder, "body.csv", &bodies()), bones(), Random::new(15));
    for _ in 0..8 {
        let (rows, clip) = flight(&mut random);
        let clip = file(&folder, "clip.bvh", &clip);
        let found = checked(&[&clip, "--body", &body, "--unit", "m", "--cutoff", "off"]).remove(0);
        let [linear, angular] =
            ["linear_momentum_kgmps", "angular_momentum_kgm2ps"].map(|key| vectors(&found["per_frame"][key]));
        let frames: Vec<_> = rows.iter().map(|row| placed(row)).collect();
        let total: f64 = bones.iter().map(|bone| bone.0).sum();
        let mean = |rows: &[DVec3]| rows.iter().zip(&bones).map(|(row, bone)| bone.0 * *row).sum::<DVec3>() / total;
        for frame in 1..4 {
            // Central differences (6.1): 1/2h is 12 per second.
            let (before, now, after) = (&frames[frame - 1], &frames[frame], &frames[frame + 1]);
            let places: Vec<DVec3> = now.iter().map(|body| body.0).collect();
            let velocities: Vec<DVec3> = before.iter().zip(after).map(|(a, b)| 12.0 * (b.0 - a.0)).collect();
            let (center, velocity) = (mean(&places), mean(&velocities));
            let mut sum = DVec3::ZERO;
            for (bone, (mass, _)) in bones.iter().enumerate() {
                let (turn, spin) = (now[bone].1, 12.0 * log(after[bone].1 * before[bone].1.conjugate()));
                sum += (places[bone] - center).cross(*mass * (velocities[bone] - velocity));
                sum += turn * (MOMENTS * (turn.conjugate() * spin));
            }
            let off = [(angular[frame], sum), (linear[frame], total * velocity)]
                .map(|(found, truth)| found.distance(truth) / truth.length());
            assert!(off.iter().all(|off| *off < 1e-12), "frame {frame}: {off:?}");
        }
    }
}

#[test]
fn s16_s18_s22_sixty_figures_get_half_as_much_more_momentum_and_their_mass_centers_stay() {
    let folder = Folder::new();
    let [source, out] = ["in", "out"].map(|name| {
        std::fs::create_dir(folder.path(name)).expect("a folder");
        folder.path(name).display().to_string()
    });
    let (body, mut random) = (file(&folder, "body.csv", &bodies()), Random::new(1));
    let options = ["--body", &body, "--unit", "m", "--cutoff", "off", "--flight", "0..4"];
    let turn = |case| {
        file(&folder, &format!("in/{case:02}.bvh"), &flight(&mut random).1);
        random.vector().normalize()
    };
    let turns: Vec<DVec3> = (0..60).map(turn).collect();
    // Momentum of the steps from frame to frame, as the tool counts it.
    let all = |folder: &str| checked(&[&[folder, "--velocity-scheme", "backward"], &options[..]].concat());
    let before = all(&source);
    let steps = |clip: &Value| vectors(&clip["per_frame"]["angular_momentum_kgm2ps"])[1..].to_vec();
    let mut wanted = Vec::new();
    for (case, (clip, turn)) in before.iter().zip(&turns).enumerate() {
        let name = format!("{case:02}.bvh");
        assert!(clip["file"].as_str().is_some_and(|file| file.ends_with(&name)), "{}", clip["file"]);
        let momentum = steps(clip).iter().sum::<DVec3>() / 4.0;
        let momentum = momentum + 0.5 * momentum.length() * *turn;
        let asked = momentum.to_array().map(|number| number.to_string()).join(",");
        let [from, to] = [&source, &out].map(|folder| format!("{folder}/{name}"));
        said(&[&["fix", &from, "-o", &to, "--tools", "spin", "--momentum", &asked], &options[..]].concat());
        wanted.push(momentum);
    }
    let after = all(&out);
    assert_eq!((before.len(), after.len()), (60, 60));
    for (case, ((before, after), wanted)) in before.iter().zip(&after).zip(wanted).enumerate() {
        let steps = steps(after);
        assert_eq!(steps.len(), 4);
        let off = steps.iter().map(|step| step.distance(wanted)).fold(0.0, f64::max);
        assert!(off <= 1e-12 * wanted.length().max(1.0), "case {case}: {off} beside {wanted}");
        let errors = numbers(&after["flights"][0]["angular_momentum_error"]);
        assert!(errors.iter().all(|error| *error <= 1e-9), "case {case}: {errors:?}");
        let [old, new] = [before, after].map(|clip| vectors(&clip["per_frame"]["mass_center_m"]));
        let moved = old.iter().zip(&new).map(|(old, new)| old.distance(*new)).fold(0.0, f64::max);
        assert!(moved <= 1e-15, "case {case}: {moved} m");
    }
}

#[test]
fn s20_s21_s22_an_ideal_throw_has_no_error_and_a_frame_aside_its_distance_over_the_way() {
    let mut rows = throw(31);
    let found = check(&moving(&rows, 60.0), BALL, &[]);
    let flight = &found["flights"][0];
    assert_eq!((flight["last_frame"].as_u64(), &flight["horizontal_path_error_unit"]), (Some(30), &"1".into()));
    let [linear, angular] = ["linear_momentum_error", "angular_momentum_error"].map(|key| &flight[key]);
    assert!(linear[1].is_null(), "gravity changes the vertical momentum");
    let errors = [&flight["horizontal_path_error"], &linear[0], &linear[2], &angular[0], &angular[1], &angular[2]];
    assert!(errors.iter().all(|error| error.as_f64().is_some_and(|error| error <= 1e-12)), "{errors:?}");
    // A frame 5 cm across (2, −1.5), of a way of 2.5 m/s in half a second.
    rows[12][0] += 0.03;
    rows[12][2] += 0.04;
    let found = check(&moving(&rows, 60.0), BALL, &[]);
    let errors = numbers(&found["flights"][0]["per_frame"]["horizontal_path_error"]);
    for (frame, error) in errors.into_iter().enumerate() {
        let truth = if frame == 12 { 0.05 / 1.25 } else { 0.0 };
        assert!((error - truth).abs() <= 1e-12, "frame {frame}: {error}, not {truth}");
    }
}

#[test]
fn s21_s22_a_velocity_or_a_spin_that_is_doubled_is_off_by_eleven_thirteenths() {
    // The mean of twelve rows, one of them double, is 13/12 of the others.
    let truth = |frame| if frame == 7 { 11.0 / 13.0 } else { 1.0 / 13.0 };
    // The channels turn about z, x and y.
    for (channel, turned) in [2, 0, 1].into_iter().enumerate() {
        let mut turn = [0.0; 3];
        turn[channel] = 6.0;
        let found = check(&moving(&doubled([0.1, -0.04], turn), 30.0), BALL, &["--velocity-scheme", "backward"]);
        let errors = &found["flights"][0]["per_frame"];
        for frame in 0..12 {
            let [linear, angular] = ["linear_momentum_error", "angular_momentum_error"].map(|key| &errors[key][frame]);
            for (axis, error) in [(0, linear), (2, linear), (turned, angular)] {
                let off = error[axis].as_f64().expect("a number") - truth(frame);
                assert!(off.abs() <= 1e-12, "frame {frame}, axis {axis}: {error}");
            }
        }
    }
}

/// Percent and number of values in each bin of a histogram of a survey's page.
fn bins(page: &str, name: &str) -> Vec<(f64, u32)> {
    let start = format!("aria-label=\"{name}\" class=\"histogram\">");
    let drawing = page.split_once(start.as_str()).and_then(|(_, rest)| rest.split_once("</svg>"));
    let bin = |title: &str| {
        let (percent, rest) = title.split_once(": ")?.1.split_once(" % (")?;
        Some((percent.parse().ok()?, rest.split_once(')')?.0.parse().ok()?))
    };
    drawing.expect("the histogram").0.split("<title>").skip(1).map(|title| bin(title).expect("a bin")).collect()
}

#[test]
fn s23_the_histograms_of_a_survey_sum_to_100_percent_and_count_infinities_last() {
    let folder = Folder::new();
    // A way of 1 m with a frame 12 cm beside it, 7.2 cm in x and 9.6 cm in z: at 2 and −1.5 m/s the two steps
    // there are off by 2.16 and 3.84 times their mean.
    let mut aside = throw(25);
    aside[12][0] += 0.072;
    aside[12][2] += 0.096;
    // Velocities along z: twice +, twice −, and then by turns, so that they sum to zero.
    let mut zigzag = doubled([0.1, 0.0], [0.0; 3]);
    zigzag[1][2] = 0.01;
    (3..12).step_by(2).for_each(|frame| zigzag[frame][2] = -0.01);
    file(&folder, "aside.bvh", &moving(&aside, 60.0));
    file(&folder, "zigzag.bvh", &moving(&zigzag, 30.0));
    let body = file(&folder, "body.csv", &format!("{HEAD}{BALL}"));
    let [clips, out, html] = ["", "out.csv", "out.html"].map(|name| folder.path(name).display().to_string());
    let physics = ["--unit", "m", "--cutoff", "off", "--velocity-scheme", "backward"];
    let files = [clips.as_str(), "--body", &body, "--out", &out, "--html", &html];
    said(&[&["survey"], &files[..], &physics].concat());
    let page = std::fs::read_to_string(&html).expect("the page");
    // Of 37 frames one is 0.12 aside. Along x one momentum is off by 11/13 and 2 by 2.16; along z 2 by 3.84 and 12 by
    // infinity.
    let wanted: [(&str, &[(usize, u32)]); 6] = [
        ("path error", &[(0, 36), (2, 1)]),
        ("linear momentum error along x", &[(0, 34), (4, 1), (10, 2)]),
        ("linear momentum error along z", &[(0, 23), (15, 14)]),
        ("angular momentum error about x", &[(0, 37)]),
        ("angular momentum error about y", &[(0, 37)]),
        ("angular momentum error about z", &[(0, 37)]),
    ];
    for (name, wanted) in wanted {
        let found = bins(&page, name);
        assert_eq!(found.len(), if name == "path error" { 8 } else { 16 });
        let filled = found.iter().enumerate().map(|(bin, (_, count))| (bin, *count)).filter(|(_, count)| *count > 0);
        assert_eq!(filled.collect::<Vec<_>>(), wanted, "{name}");
        // Each is written to 0.01 %.
        let sum: f64 = found.iter().map(|(percent, _)| percent).sum();
        assert!((sum - 100.0).abs() < 0.021, "{name}: {sum} %");
    }
}

#[test]
fn s25_s29_s35_a_flight_of_another_gravity_asks_for_another_size_or_time() {
    // Frames by √G − 1 of the intervals. Ten times too small is 10 g: √10 makes 1000 intervals 3162.3.
    let folder = Folder::new();
    let cases = [(0.43, 13, "2.33", -4), (3.35, 13, "0.30", 10), (2.2, 13, "0.45", 6), (10.0, 1001, "0.10", 2162)];
    for (gravity, frames, size, more) in cases {
        let rate = if frames > 13 { 240.0 } else { 24.0 };
        let clip = file(&folder, "clip.bvh", &thrown_bvh(frames, rate, gravity * G));
        let found = checked(&[&clip, "--unit", "m"]).remove(0);
        let flight = &found["flights"][0];
        let factor = flight["size_factor"].as_f64().expect("a number");
        assert!((factor * gravity - 1.0).abs() < 1e-12 && format!("{factor:.2}") == size, "{gravity} g: {factor}");
        assert_eq!(flight["frames_to_add"], more, "{gravity} g");
        let message = found["findings"][0]["message"].as_str().expect("a message");
        assert!(message.contains(&format!("{size} times its size")), "{message}");
        let fixed = said(&["fix", &clip, "--dry-run", "--unit", "m", "--tools", "time"]);
        assert!(more != 6 || fixed.contains("13 → 19 frames"), "{fixed}");
    }
}

#[test]
fn s27_one_outside_a_unit_square_is_1_570796_of_its_mean_radius() {
    let folder = Folder::new();
    let corners = "joint,point,x,y,z\nCrate,a,-0.5,0,-0.5\nCrate,b,0.5,0,-0.5\nCrate,c,0.5,0,0.5\nCrate,d,-0.5,0,0.5\n";
    let contacts = file(&folder, "contacts.csv", corners);
    // At rest the zero-moment point is below the mass center; the mean radius of the square is 4/2π.
    for (x, z, distance) in [(1.5, 0.0, 1.0), (1.1, 1.3, 1.0), (0.0, 0.0, -0.5), (0.25, 0.1, -0.25)] {
        let body = format!("Crate,5,{x},0.4,{z},0.2,0.2,0.2\n");
        let found = check(&moving(&[[0.0; 6]; 20], 30.0), &body, &["--contacts", &contacts]);
        let distances = numbers(&found["balance"]["normalized_distance"]);
        assert_eq!(distances.len(), 20);
        let wanted = distance * std::f64::consts::FRAC_PI_2;
        assert!(distances.iter().all(|found| (found - wanted).abs() < 1e-12), "({x}, {z}): {distances:?}");
    }
}

#[test]
fn s29_a_giant_of_ten_times_the_size_moves_alike_in_3_162278_times_the_time() {
    // A beam on a hinge with friction, all of it by the exponents of 6.9; frames are as much longer as times. The gap that
    // displacement leaves is a length, too.
    let scene = |s: f64| {
        let (seconds, size, place) = (s.sqrt(), s * DVec3::new(1.0, 0.1, 0.1), 0.5 * s * DVec3::X);
        let (rate, mass, friction, gap) = (240.0 / seconds, 3.0 * s.powi(3), 2.0 * s.powi(4), 1e-9 * s);
        format!(
            "[scene]\nrate = {rate}\nseconds = {seconds}\n[solver]\nframes_before_sleep = 0\n\
             [solver.rigid]\ndisplacement_tolerance = {gap}\n[[box]]\nname = \"beam\"\n\
             size = {size}\nmass = {mass}\nposition = {place}\n[[joint]]\nname = \"pivot\"\nkind = \"hinge\"\n\
             of = \"beam\"\nat = [0.0, 0.0, 0.0]\naxis = [0.0, 0.0, 1.0]\nfriction = {friction}\n"
        )
    };
    let rows = |run: &Run, key: &str| match key {
        "places" => run.places("beam").iter().map(|row| DVec3::from_slice(row)).collect(),
        _ => vectors(&run.0["per_frame"][key]),
    };
    for mode in modes() {
        let runs = [1.0, 10.0].map(|s| Run::with(&scene(s), mode).0);
        for (key, exponent) in [("places", 1.0), ("momentum_kgmps", 3.5), ("angular_momentum_kgm2ps", 4.5)] {
            let [small, giant] = [0, 1].map(|which| rows(&runs[which], key));
            assert_eq!((small.len(), giant.len()), (241, 241));
            for (frame, (small, giant)) in small.into_iter().zip(giant).enumerate() {
                let wanted = 10.0_f64.powf(exponent) * small;
                let off = giant.distance(wanted) / wanted.length().max(1.0);
                assert!(off < 1e-6, "{mode:?}, {key}, frame {frame}: {giant}, not {wanted}");
            }
        }
    }
}

/// Time at which a body has fallen by `depth`, seconds: on the parabola through three frames.
fn fallen(places: &[Vec<f64>], depth: f64, rate: f64) -> f64 {
    let ways: Vec<f64> = places.iter().map(|place| places[0][1] - place[1]).collect();
    let frame = ways.iter().rposition(|way| *way < depth).expect("a frame");
    let (before, now, after) = (ways[frame - 1], ways[frame], ways[frame + 1]);
    let (bend, slope) = (0.5 * (before - 2.0 * now + after), 0.5 * (after - before));
    let share = ((slope * slope - 4.0 * bend * (now - depth)).sqrt() - slope) / (2.0 * bend);
    (frame as f64 + share) / rate
}

#[test]
fn s29_s30_a_fall_of_one_meter_takes_0_451524_s_and_one_of_ten_3_162278_times_that() {
    let scene = "[scene]\nrate = 240\nseconds = 1.6\n[solver]\nframes_before_sleep = 0\n[[ball]]\nname = \"b\"\n\
                 radius = 0.1\nmass = 3.0\nposition = [0.3, 5.0, 0.1]\nvelocity = [1.5, 0.0, -0.7]\n";
    for mode in modes() {
        let places = Run::with(scene, mode).0.places("b");
        let [one, ten] = [1.0, 10.0].map(|depth| fallen(&places, depth, 240.0));
        assert!((one - 0.451_524).abs() < 5e-7, "{mode:?}: {one} s");
        assert!((ten / one - 3.162_278).abs() < 5e-7, "{mode:?}: {}", ten / one);
    }
}
