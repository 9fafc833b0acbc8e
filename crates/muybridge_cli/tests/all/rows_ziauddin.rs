//! Rows Z of the specification, read from the JSON of runs of scenes and from a converted clip.

use std::fmt::Write as _;
use std::path::Path;

use muybridge::glam::{DQuat, DVec3};

use crate::program::{Folder, muybridge};
use crate::simulate_contact::Run;

const RIGID: [&str; 3] = ["multipliers", "displacement", "hennix"];
const ALL: [&str; 7] = ["multipliers", "displacement", "hennix", "shake", "xpbd", "jakobsen", "rosen"];

const FLOATS: &str = "gravity = [0.0, 0.0, 0.0]\n";
/// The integrator of the source, in one step per frame.
const SOURCE: &str = "[solver.rigid]\nintegrator = \"ziauddin\"\nsubsteps = 1\n";
const SUBSTEPS: u32 = 20;
const TWO_STEPS: [f64; 2] = [0.5, 0.75];
/// Seconds of a frame.
const H: f64 = 1.0 / 60.0;
const G: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn head(seconds: f64, keys: &str, solver: &str) -> String {
    format!(
        "[scene]\nseconds = {seconds:?}\n{keys}[solver]\nframes_before_sleep = 0\n\
         [solver.particles]\nsubsteps = {SUBSTEPS}\n{solver}"
    )
}

fn body(name: &str, place: DVec3, keys: &str) -> String {
    let place = place.to_array();
    format!("[[box]]\nname = \"{name}\"\nsize = [0.3, 0.4, 0.5]\nmass = 2.0\nposition = {place:?}\n{keys}\n")
}

/// Rotation of a body, axis times angle.
const TILT: DVec3 = DVec3::new(0.3, -0.5, 0.2);

/// The axes of a body with that rotation, in the world.
fn own_axes() -> [(&'static str, DVec3); 3] {
    let [x, y, z] = DVec3::AXES.map(|axis| DQuat::from_scaled_axis(TILT) * axis);
    [("x", x), ("y", y), ("z", z)]
}

fn motion(rotation: DVec3, velocity: DVec3, spin: DVec3) -> String {
    let [rotation, velocity, spin] = [rotation, velocity, spin].map(|vector| vector.to_array());
    format!("rotation = {rotation:?}\nvelocity = {velocity:?}\nspin = {spin:?}")
}

/// An action that goes on for ever.
fn action(on: &str, kind: &str, [alpha, beta]: [f64; 2], keys: &str) -> String {
    format!(
        "[[action]]\nname = \"{kind} {on}\"\nkind = \"{kind}\"\non = \"{on}\"\nposition_gain = {alpha:?}\n\
         velocity_gain = {beta:?}\nuntil = \"cancelled\"\n{keys}\n"
    )
}

/// α = β = 1, which scenes refuse, but for the last bit of β. Particles give the impulse before they move, which takes
/// them 1 + 1/n times as far in n substeps: n/(n + 1) of way and velocity end a step on the goal, α and β − α/2n of a
/// scene.
fn one_step(mode: &str) -> [f64; 2] {
    let n = if mode == "jakobsen" { 1.0 } else { f64::from(SUBSTEPS) };
    if RIGID.contains(&mode) { [1.0, 1.0 - 0.5 * f64::EPSILON] } else { [n / (n + 1.0), (n + 0.5) / (n + 1.0)] }
}

/// Vectors from −1 to 1, spread evenly.
fn spread(n: u32) -> DVec3 {
    DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9).map(|a| 2.0 * (f64::from(n + 1) * a).fract() - 1.0)
}

/// The option that chooses a mode.
fn option(mode: &str) -> [&str; 2] {
    [if RIGID.contains(&mode) { "--method" } else { "--particle-mode" }, mode]
}

fn run(scene: &str, mode: &str) -> Run {
    Run::with(scene, option(mode)).0
}

/// Angle between two orientations that are close to each other, radians.
fn apart(a: DQuat, b: DQuat) -> f64 {
    2.0 * (a.conjugate() * b).xyz().length()
}

#[test]
fn z1_under_a_constant_force_every_frame_is_exact() {
    let (from, velocity) = (DVec3::new(0.1, 7.0, -0.2), DVec3::new(1.0, 3.0, -2.0));
    let scene = head(1.0, "", SOURCE) + &body("b", from, &motion(DVec3::ZERO, velocity, DVec3::ZERO));
    for mode in RIGID {
        for (place, frame) in run(&scene, mode).points("b").into_iter().zip(0..) {
            let time = f64::from(frame) * H;
            let wanted = from + velocity * time + 0.5 * G * time * time;
            assert!(place.distance(wanted) < 1e-12, "{mode}, {time} s: {place}, not {wanted}");
        }
    }
}

#[test]
fn z1_an_oscillator_gains_150_times_its_energy_in_a_thousand_steps() {
    // The gap of a joint under hennix is an oscillator of Ω² = k_s: hΩ = 0.1.
    let solver = format!("{SOURCE}k_s = 100.0\nk_d = 0.0\n");
    let scene = head(10.01, &format!("rate = 100.0\n{FLOATS}"), &solver)
        + &body("b", DVec3::ZERO, "velocity = [0.01, 0.0, 0.0]")
        + "[[joint]]\nname = \"spring\"\nof = \"b\"\nat = [0.0, 0.0, 0.0]\n";
    let run = run(&scene, "hennix");
    let states = run.points("b").into_iter().zip(run.vectors("momentum_kgmps"));
    let states: Vec<[f64; 2]> = states.map(|(place, momentum)| [10.0 * place.x, momentum.x / 2.0]).collect();
    let energy = |[x, v]: [f64; 2]| x * x + v * v;
    let from_speed = energy(states[1000]) / energy(states[0]);
    assert!((from_speed - 143.12).abs() < 0.01, "{from_speed}");
    // The motion is linear: the difference of this run and one begun a frame later begins at rest, beside the middle.
    let later = |frame: usize| [0, 1].map(|part| states[frame + 1][part] - states[frame][part]);
    assert!(later(0)[1].abs() < 1e-15 && later(0)[0] > 0.0, "{:?}", later(0));
    let from_place = energy(later(1000)) / energy(later(0));
    assert!((from_place - 150.16).abs() < 0.01, "{from_place}");
}

#[test]
fn z2_a_free_body_turns_by_the_step_of_the_source_and_follows_euler_in_first_order() {
    let (moments, spin) = (DVec3::new(0.05, 0.02, 0.05), DVec3::new(1.2, -0.8, 0.9));
    let start = DQuat::from_scaled_axis(TILT);
    let own = start.conjugate() * spin;
    let momentum = moments * own;
    // After a second. With two equal moments it turns evenly about L, and about its own axis against that.
    let own_turn = DQuat::from_rotation_y(own.y * (1.0 - moments.y / moments.x));
    let exact = DQuat::from_scaled_axis(start * momentum / moments.x) * start * own_turn;
    let keys = format!("inertia = {:?}\n{}", moments.to_array(), motion(TILT, DVec3::ZERO, spin));
    for mode in RIGID {
        let errors = [60_u32, 120, 240].map(|rate| {
            let scene = head(1.0, &format!("rate = {rate}.0\n{FLOATS}"), SOURCE) + &body("b", DVec3::ZERO, &keys);
            let turns = run(&scene, mode).turns("b");
            // ω' = ω + h J⁻¹ (L × ω), and the turn is that of ½ h (ω + ω').
            let step = 1.0 / f64::from(rate);
            let next = start * (own + step * momentum.cross(own) / moments);
            let once = DQuat::from_scaled_axis(0.5 * step * (spin + next)) * start;
            assert!(apart(once, turns[1]) < 1e-14, "{mode}: {:?}, not {once:?}", turns[1]);
            apart(exact, *turns.last().unwrap())
        });
        assert!(errors.windows(2).all(|two| (two[0] / two[1] - 2.0).abs() < 0.05), "{mode}: {errors:?}");
    }
}

#[test]
fn z3_angles_of_a_clip_come_back_in_all_12_orders() {
    let all = (0..27).map(|n| [n / 9, n / 3 % 3, n % 3]);
    let orders: Vec<[usize; 3]> = all.filter(|[a, b, c]| a != b && b != c).collect();
    let mut text = "HIERARCHY\nROOT root\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n".to_owned();
    for (order, n) in orders.iter().zip(0..) {
        let channels = order.map(|axis| ["Xrotation", "Yrotation", "Zrotation"][axis]).join(" ");
        let _ = write!(text, "JOINT j{n}\n{{\nOFFSET 10 {n} 0\nCHANNELS 3 {channels}\n");
        text += "End Site\n{\nOFFSET 10 0 0\n}\n}\n";
    }
    text += "}\nMOTION\nFrames: 30\nFrame Time: 0.025\n";
    let mut angles = Vec::new();
    for frame in 0..30 {
        text += "0 0 0";
        for (order, n) in orders.iter().zip(0..) {
            let time = f64::from(frame) * (1.0 + 0.01 * f64::from(n));
            // Gimbal lock is at ±90°, or at 0° and 180° if an axis comes twice.
            let middle = if order[0] == order[2] { 30.0 + 3.7 * time } else { 30.0 - 2.7 * time };
            let three = [10.0 + 4.1 * time, middle, -20.0 - 3.3 * time];
            angles.extend(three);
            let _ = write!(text, " {:?} {:?} {:?}", three[0], three[1], three[2]);
        }
        text += "\n";
    }
    let folder = Folder::new();
    let [from, to] = [folder.file("from.bvh", &text), folder.path("to.bvh")];
    // Another unit: the rotations are read and written anew.
    let said = muybridge([&["convert", "--unit", "cm", "--out-unit", "m"].map(Path::new)[..], &[&from, &to]].concat());
    assert_eq!(said.code, Some(0), "{}", said.err);
    let text = std::fs::read_to_string(to).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("Frame Time")).skip(1);
    let numbers = rows.flat_map(|line| line.split_whitespace().skip(3));
    let back: Vec<f64> = numbers.map(|number| number.parse().unwrap()).collect();
    assert!(back.len() == angles.len() && back != angles, "the file was copied");
    for (back, angle) in back.iter().zip(&angles) {
        assert!((back - angle).to_radians().abs() < 1e-12, "{back}°, not {angle}°");
    }
}

#[test]
fn z4_momentum_and_energy_at_the_start_are_those_of_the_turned_tensor() {
    let moments = DVec3::new(0.3, 0.4, 0.55);
    for n in 0..4 {
        let (rotation, spin) = (2.0 * spread(n), 3.0 * spread(n + 7));
        let keys = format!("inertia = {:?}\n{}", moments.to_array(), motion(rotation, DVec3::ZERO, spin));
        let scene = head(0.05, FLOATS, "") + &body("b", DVec3::ZERO, &keys);
        // L = R J Rᵀ ω by the triple product.
        let turn = DQuat::from_scaled_axis(rotation);
        let momentum = turn * (moments * (turn.conjugate() * spin));
        let energy = 0.5 * spin.dot(momentum);
        for mode in ["multipliers", "displacement", "hennix", "jakobsen"] {
            let run = run(&scene, mode);
            let (found, work) = (run.vectors("angular_momentum_kgm2ps")[0], run.per_frame("kinetic_energy_j")[0]);
            assert!(found.distance(momentum) < 1e-14 * momentum.length(), "{mode}: {found}, not {momentum}");
            assert!((work - energy).abs() < 1e-14 * energy, "{mode}: {work} J, not {energy}");
        }
    }
}

#[test]
fn z6_a_torque_or_a_force_at_its_bound_turns_and_moves_by_its_share_of_inertia_and_mass() {
    let moments = [0.05, 0.08, 0.11];
    let mut scene = head(0.2, FLOATS, "");
    for (name, axis) in own_axes() {
        let keys = format!("inertia = {moments:?}\n{}", motion(TILT, DVec3::ZERO, DVec3::ZERO));
        let goal = format!("turn = {:?}\nmax_torque = 0.3", (3.0 * axis).to_array());
        scene += &(body(name, 4.0 * axis, &keys) + &action(name, "turn_to", TWO_STEPS, &goal));
    }
    let to = DVec3::new(2.0, 1.0, -2.0);
    let goal = format!("to = {:?}\nmax_force = 4.0", to.to_array());
    scene += &(body("pushed", DVec3::ZERO, "") + &action("pushed", "move_to", TWO_STEPS, &goal));
    for mode in RIGID {
        let run = run(&scene, mode);
        for ((name, axis), moment) in own_axes().into_iter().zip(moments) {
            let turns = run.turns(name);
            for (turn, frame) in turns.iter().zip(0..) {
                // ½ τ/J t².
                let angle = 0.5 * 0.3 / moment * (f64::from(frame) * H).powi(2);
                let wanted = DQuat::from_axis_angle(axis, angle) * turns[0];
                assert!(apart(wanted, *turn) < 1e-12, "{mode}, {name}, {frame}: {turn:?}, not {wanted:?}");
            }
        }
        for (place, frame) in run.points("pushed").into_iter().zip(0..) {
            // ½ f/m t² along the way of 3 m.
            let wanted = to / 3.0 * (0.5 * 4.0 / 2.0 * (f64::from(frame) * H).powi(2));
            assert!(place.distance(wanted) < 1e-12, "{mode}, {frame}: {place}, not {wanted}");
        }
    }
}

#[test]
fn z7_z8_a_place_fixed_or_moving_is_reached_in_one_step() {
    // Every other goal moves; the bodies are 10 m apart.
    let names = ["0", "1", "2", "3", "4", "5", "6", "7"];
    let middle = |n: u32| DVec3::X * 10.0 * f64::from(n);
    let goal = |n: u32| [middle(n) + 2.0 * spread(n + 40), 5.0 * f64::from(n % 2) * spread(n + 50)];
    for mode in ALL {
        let mut scene = head(0.1, "", "");
        for (name, n) in names.into_iter().zip(0..) {
            let [to, velocity] = goal(n).map(|vector| vector.to_array());
            let start = motion(2.0 * spread(n + 10), 3.0 * spread(n + 20), spread(n + 30));
            let moves = format!("velocity = {velocity:?}\n");
            let (kind, moves) = if n % 2 == 0 { ("move_to", "") } else { ("chase", &*moves) };
            let keys = format!("to = {to:?}\n{moves}");
            scene += &(body(name, middle(n) + spread(n), &start) + &action(name, kind, one_step(mode), &keys));
        }
        let run = run(&scene, mode);
        for (name, n) in names.into_iter().zip(0..) {
            for (place, frame) in run.points(name).into_iter().zip(0..).skip(1) {
                let wanted = goal(n)[0] + goal(n)[1] * (f64::from(frame) * H);
                assert!(place.distance(wanted) < 1e-12, "{mode}, {name}, {frame}: {place}, not {wanted}");
            }
        }
    }
}

#[test]
fn z10_a_target_that_turns_steadily_about_an_axis_of_the_body_is_tracked() {
    let mut scene = head(2.0, FLOATS, "");
    for (name, axis) in own_axes() {
        let keys = format!("turn = {:?}\nspin = {:?}", (0.3 * axis).to_array(), (5.0 * axis).to_array());
        let start = motion(TILT, DVec3::ZERO, 2.0 * axis);
        scene += &(body(name, 4.0 * axis, &start) + &action(name, "turn_chase", TWO_STEPS, &keys));
    }
    for mode in ["multipliers", "displacement", "hennix", "shake"] {
        let run = run(&scene, mode);
        for (name, axis) in own_axes() {
            let turns = run.turns(name);
            for (turn, frame) in turns.iter().zip(0..).skip(8) {
                let wanted = DQuat::from_axis_angle(axis, 0.3 + 5.0 * f64::from(frame) * H) * turns[0];
                assert!(apart(wanted, *turn) < 1e-9, "{mode}, {name}, {frame}: {turn:?}, not {wanted:?}");
            }
        }
    }
}

#[test]
fn z12_a_point_beside_the_center_lands_on_its_goal_and_the_body_does_not_turn() {
    let (at, to) = (DVec3::new(0.3, 0.5, 0.3), DVec3::new(1.0, 2.0, 3.0));
    let from = DVec3::new(0.1, 0.7, -0.2);
    let scene = head(0.1, "", "") + &body("b", from, &motion(TILT, DVec3::new(1.0, -2.0, 0.5), DVec3::ZERO));
    let keys = format!("at = {:?}\nto = {:?}", at.to_array(), to.to_array());
    for mode in ALL {
        let run = run(&(scene.clone() + &action("b", "move_to", one_step(mode), &keys)), mode);
        let (place, turns) = (run.points("b")[1], run.turns("b"));
        let point = place + turns[1] * (turns[0].conjugate() * (at - from));
        assert!(point.distance(to) < 1e-9, "{mode}: {point}");
        assert!(apart(turns[0], turns[1]) < 1e-12, "{mode}: {:?}", turns[1]);
    }
}

#[test]
fn z13_on_a_curve_every_step_ends_on_the_point_of_that_step() {
    let curves = ["line", "bezier", "catmull_rom"];
    // Start, two control points, goal; the bodies are 10 m apart.
    let points = |n: u32| {
        let four = [DVec3::ZERO, DVec3::new(1.0, 2.0, 0.0), DVec3::new(2.0, -1.0, 1.0), DVec3::new(3.0, 0.5, 0.0)];
        four.map(|point| point + DVec3::new(0.1, 0.7, 10.0 * f64::from(n)))
    };
    for mode in ALL {
        let mut scene = head(0.5, "", "");
        for (curve, n) in curves.into_iter().zip(0..) {
            let [from, a, b, to] = points(n).map(|point| point.to_array());
            let inner = if n == 0 { String::new() } else { format!("control_points = [{a:?}, {b:?}]") };
            let keys = format!("to = {to:?}\nseconds = 0.5\npath = \"{curve}\"\n{inner}");
            scene += &(body(curve, from.into(), "") + &action(curve, "move_to", one_step(mode), &keys));
        }
        let run = run(&scene, mode);
        for (curve, n) in curves.into_iter().zip(0..) {
            let [from, a, b, to] = points(n);
            for (place, frame) in run.points(curve).into_iter().zip(0_u32..).skip(1) {
                let u = f64::from(frame) / 30.0;
                let left = 1.0 - u;
                let wanted = match curve {
                    "line" => from * left + to * u,
                    "bezier" => from * left.powi(3) + 3.0 * u * left * (a * left + b * u) + to * u.powi(3),
                    _ => {
                        // Ten steps from point to point; behind the ends it goes on straight.
                        let t = f64::from(frame % 10) / 10.0;
                        let all = [2.0 * from - a, from, a, b, to, 2.0 * to - b, to];
                        let [p, q, r, s] = [0, 1, 2, 3].map(|k| all[(frame / 10) as usize + k]);
                        let (two, three) = (2.0 * p - 5.0 * q + 4.0 * r - s, 3.0 * (q - r) + s - p);
                        q + 0.5 * t * (r - p + t * (two + t * three))
                    }
                };
                assert!(place.distance(wanted) < 1e-12, "{mode}, {curve}, {frame}: {place}, not {wanted}");
            }
        }
    }
}

#[test]
fn z14_from_here_the_way_is_even_and_read_literally_what_is_left_is_a_product() {
    let (to, velocity) = (DVec3::new(2.0, 1.0, 0.0), DVec3::Z * 4.0);
    for mode in ALL {
        let way = |kind: &str, keys: &str| {
            let keys = format!("to = {:?}\nseconds = 0.5\n{keys}", to.to_array());
            let go = action("b", kind, one_step(mode), &keys);
            run(&(head(0.5, "", "") + &body("b", DVec3::ZERO, "") + &go), mode).points("b")
        };
        let even = way("move_to", "progress = \"from_here\"");
        let literal = way("move_to", "progress = \"literal\"");
        let chase = way("chase", "velocity = [0.0, 0.0, 4.0]");
        let mut left = 1.0;
        for (((even, literal), chase), frame) in even.iter().zip(literal).zip(chase).zip(0..) {
            let share = f64::from(frame) / 30.0;
            left *= 1.0 - share;
            assert!(even.distance(to * share) < 1e-12, "{mode}, {frame}: {even}");
            assert!(literal.distance(to * (1.0 - left)) < 1e-12, "{mode}, {frame}: {literal}");
            // Straight to where the target will be.
            assert!(chase.distance((to + velocity * 0.5) * share) < 1e-12, "{mode}, {frame}: {chase}");
        }
    }
}

#[test]
fn z15_a_half_and_three_quarters_stop_in_two_steps_and_one_and_one_never() {
    let (from, to) = (DVec3::new(0.1, 0.7, -0.2), DVec3::new(1.0, 2.0, 3.0));
    let keys = format!("to = {:?}", to.to_array());
    for mode in ALL {
        let run = |velocity: DVec3, gains: [f64; 2]| {
            let scene = head(2.0, "", "") + &body("b", from, &motion(DVec3::ZERO, velocity, DVec3::ZERO));
            let run = run(&(scene + &action("b", "move_to", gains, &keys)), mode);
            (run.points("b"), run.vectors("momentum_kgmps").into_iter().map(|momentum| momentum.length() / 2.0))
        };
        let (places, speeds) = run(DVec3::new(1.0, -2.0, 0.5), TWO_STEPS);
        for (place, speed) in places.into_iter().zip(speeds).skip(2) {
            // The speed as the way of a step, as the error is.
            assert!(place.distance(to) < 1e-12 && speed * H < 1e-12, "{mode}: {place}, {speed} m/s");
        }
        // From rest: there and back for ever.
        let speeds: Vec<f64> = run(DVec3::ZERO, [1.0, 1.0 - 0.5 * f64::EPSILON]).1.skip(1).collect();
        assert!(speeds.iter().all(|speed| (speed / speeds[0] - 1.0).abs() < 1e-9), "{mode}: {speeds:?}");
        assert!(speeds[0] > from.distance(to) / H, "{mode}: {}", speeds[0]);
    }
}

#[test]
fn z15_gains_settle_or_are_refused_as_the_eigenvalues_of_the_step_say() {
    // Greatest magnitude of an eigenvalue of e' = (1 − α) e + (1 − β) w, w' = −2α e + (1 − 2β) w.
    let growth = |[alpha, beta]: [f64; 2]| {
        let (half, determinant) = (1.0 - 0.5 * alpha - beta, 1.0 + alpha - 2.0 * beta);
        let inside = half * half - determinant;
        if inside < 0.0 { determinant.sqrt() } else { half.abs() + inside.sqrt() }
    };
    let grid = (0..40).map(|n| [0.3 * f64::from(n % 8), 0.25 * f64::from(n / 8)]);
    let (stable, unstable): (Vec<_>, Vec<_>) = grid.partition(|&gains| growth(gains) < 1.0 - 1e-9);
    assert_eq!(stable.len(), 8);
    let folder = Folder::new();
    let still = head(6.0, FLOATS, "") + &body("b", DVec3::ZERO, "");
    let scene = |gains: [f64; 2]| still.clone() + &action("b", "move_to", gains, "to = [1.0, 0.0, 0.0]");
    for gains in unstable {
        let file = folder.file("scene.toml", &scene(gains));
        let said = muybridge(["simulate".as_ref(), file.as_os_str()]);
        assert!(said.code == Some(2) && said.err.contains("_gain is out of range"), "{gains:?}: {}", said.err);
    }
    for mode in ALL {
        for gains in &stable {
            let end = *run(&scene(*gains), mode).points("b").last().unwrap();
            assert!(end.distance(DVec3::X) < 1e-6, "{mode}, {gains:?}: {end}");
        }
    }
}

#[test]
fn z16_stop_leaves_no_velocity_and_nothing_that_waits() {
    let start = motion(TILT, DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.5, 1.0, -0.7));
    let stop = "[[action]]\nname = \"halt\"\nkind = \"stop\"\non = \"b\"\ntime_constant = 0.0\nuntil = \"cancelled\"\n";
    let scene = head(0.5, "", "") + &body("b", DVec3::ZERO, &start) + stop;
    for mode in RIGID {
        let run = run(&scene, mode);
        let (places, turns) = (&run.points("b")[1..], &run.turns("b")[1..]);
        let momenta = ["momentum_kgmps", "angular_momentum_kgm2ps"].map(|key| run.vectors(key)[1..].to_vec());
        assert!(momenta.concat().iter().all(|now| now.length() < 1e-12), "{mode}: {momenta:?}");
        assert!(places.iter().all(|place| place.distance(places[0]) < 1e-12), "{mode}: {places:?}");
        assert!(turns.iter().all(|turn| apart(*turn, turns[0]) < 1e-12), "{mode}: {turns:?}");
    }
}

#[test]
fn z18_a_joint_to_the_world_is_the_limit_of_one_to_a_heavy_body() {
    let at = "[0.3, 0.2, -0.1]";
    let joint = format!("[[joint]]\nname = \"j\"\nof = \"b\"\nat = {at}\n");
    let heavy = format!("to = \"w\"\n[[ball]]\nname = \"w\"\nradius = 0.01\nmass = 1.0e12\nposition = {at}\n");
    let swings = head(2.0, FLOATS, "[solver.rigid]\nsubsteps = 1\n")
        + &body("b", DVec3::ZERO, "spin = [0.5, 1.0, -2.0]")
        + &joint;
    for mode in ["multipliers", "hennix", "shake", "xpbd", "jakobsen", "rosen"] {
        let [fixed, limit] = [&swings, &(swings.clone() + &heavy)].map(|scene| run(scene, mode));
        assert!(fixed.points("b").iter().zip(limit.points("b")).all(|(a, b)| a.distance(b) < 1e-9), "{mode}");
        assert!(fixed.turns("b").into_iter().zip(limit.turns("b")).all(|(a, b)| apart(a, b) < 1e-9), "{mode}");
    }
}

#[test]
fn z24_the_arm_reaches_its_three_goals_in_turn() {
    let arm = include_str!("../../../muybridge_files/scenes/arm.toml");
    let goals = [[1.009, 0.633, 0.459], [0.82, 1.273, -0.638], [0.319, 1.684, 0.775]].map(DVec3::from_array);
    for mode in ALL {
        let run = run(&arm.replace("method = \"multipliers\"\n", ""), mode);
        let (places, turns) = (run.points("hand"), run.turns("hand"));
        let tip = turns[0].conjugate() * (DVec3::new(0.7, 1.905, 0.0) - places[0]);
        let ends = run.0["log"].as_array().unwrap().iter().filter(|entry| entry["event"] == "ends");
        let ends: Vec<_> = ends.filter(|entry| entry["kind"] == "action").collect();
        assert_eq!(ends.len(), 3, "{mode}: {ends:?}");
        for ((entry, name), goal) in ends.into_iter().zip(["reach a", "reach b", "reach c"]).zip(goals) {
            assert!(entry["name"] == name && entry["why"] == "arrived", "{mode}: {entry}");
            let at = run.per_frame("time_s").iter().position(|time| entry["time_s"] == *time).unwrap();
            let there = places[at] + turns[at] * tip;
            // The tolerance of the scene, a centimetre.
            assert!(there.distance(goal) <= 0.01, "{mode}, {name}: {there}");
        }
    }
}

#[test]
fn z26_a_tetrahedron_has_an_80th_and_a_480th_and_an_open_mesh_is_refused() {
    let folder = Folder::new();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    folder.file("open.obj", corners);
    folder.file("closed.obj", &format!("{corners}f 2 3 4\n"));
    let keys = format!("mass = {:?}\nspin = [1.0, 0.0, 0.0]\n", 1.0 / 6.0);
    let [closed, open] = ["closed", "open"].map(|mesh| {
        let text = head(0.05, FLOATS, "") + &format!("[[body]]\nname = \"t\"\nmesh = \"{mesh}.obj\"\n{keys}");
        folder.file(&format!("{mesh}.toml"), &text).to_str().expect("a path").to_owned()
    });
    let by_hand = head(0.05, FLOATS, "") + &body("b", DVec3::ZERO, "inertia = [1.0, 2.0, 4.0]\nspin = [0.0, 2.0, 0.0]");
    for mode in ALL {
        let [by, mode] = option(mode);
        let momentum = |run: &Run| run.vectors("angular_momentum_kgm2ps")[0];
        let said = muybridge(["simulate", "--json", &closed, by, mode]);
        let found = momentum(&Run(serde_json::from_str(&said.out).expect("JSON")));
        // L = J ω about x, with 1 kg/m³.
        let wanted = DVec3::new(1.0 / 80.0, 1.0 / 480.0, 1.0 / 480.0);
        assert!(found.distance(wanted) < 1e-14, "{mode}: {found}, not {wanted}");
        let said = muybridge(["simulate", &open, by, mode]);
        assert!(said.code == Some(2) && said.err.contains("the mesh is open"), "{mode}: {}", said.err);
        let (run, said) = Run::with(&by_hand, [by, mode]);
        assert!(said.contains("the inertia 1, 2, 4 is that of no real body"), "{mode}: {said}");
        // Particles take the nearest one that a body has.
        let is_taken = momentum(&run).distance(DVec3::Y * 4.0) < 1e-12;
        assert!(is_taken || !RIGID.contains(&mode), "{mode}: {}", momentum(&run));
    }
}

#[test]
fn z27_a_plan_goes_on_with_arrival_nearness_contact_and_cancels_what_runs() {
    let go = |name: &str, to: f64, seconds: f64| {
        format!(
            "[[action]]\nname = \"{name}\"\nkind = \"move_to\"\non = \"b\"\nto = [0.0, {to:?}, 0.0]\nseconds = {seconds:?}\n\
             time_constant = 0.0\nuntil = \"cancelled\"\n"
        )
    };
    let steps = "[{ begin = \"up\" }, { arrival = \"up\" }, { cancel = \"up\" }, { begin = \"down\" }, \
                 { near = \"b\", to = \"post\", within = 0.6 }, { contact = \"b\", with = \"post\" }, { cancel = \"down\" }, \
                 { race = [{ repeat = [{ wait = 0.1 }], times = 3 }, { wait = 9.0 }] }]";
    let scene = head(5.0, FLOATS, "")
        + &body("b", DVec3::ZERO, "")
        + "[[ball]]\nname = \"post\"\nradius = 0.1\nmass = 1e6\nposition = [0.0, -1.0, 0.0]\n"
        + &go("up", 1.0, 0.5)
        + &go("down", -2.0, 6.0)
        + &format!("[[plan]]\nname = \"p\"\nsteps = {steps}\n");
    for mode in ALL {
        let run = run(&scene, mode);
        let log = run.0["log"].as_array().unwrap();
        let times = |kind: &str, event: &str| -> Vec<f64> {
            let entries = log.iter().filter(|entry| entry["kind"] == kind && entry["event"] == event);
            entries.map(|entry| entry["time_s"].as_f64().unwrap() / H).collect()
        };
        // Frames: 30 upward and two until it stops; half a meter a second downward, 1.4 m until it is near, 1.7 m until it touches.
        let ends = times("wait", "ends");
        let frames = [32.0, 32.0 + 168.0, 32.0 + 204.0];
        assert!(ends.iter().zip(frames).all(|(end, frame)| (end - frame).abs() <= 2.0), "{mode}: {ends:?}");
        let [up, down] = [ends[0], ends[2]];
        assert_eq!(times("action", "begins"), [0.0, up], "{mode}");
        assert_eq!(times("action", "ends"), [up, down], "{mode}");
        // Three waits of a tenth of a second, and the one that lost the race.
        let over: Vec<f64> = ends[3..].iter().map(|end| (end - down).round()).collect();
        assert_eq!(over, [6.0, 12.0, 18.0, 18.0], "{mode}");
        assert_eq!(times("plan", "ends").iter().map(|end| (end - down).round()).collect::<Vec<_>>(), [18.0], "{mode}");
    }
}
