//! Rows J1 to J22 of the specification (Jakobsen 2001), by the program on a file.

use muybridge::glam::{DQuat, DVec3};
use serde_json::Value;

use crate::simulate_contact::{METHODS, Run};

const MODES: [&str; 4] = ["shake", "xpbd", "jakobsen", "rosen"];

const G: f64 = 9.81;

/// The head of a scene in which nothing sleeps; keys of the particle solver may follow.
fn head(rate: u32, seconds: f64, gravity: [f64; 3], [substeps, passes]: [u32; 2]) -> String {
    format!(
        "[scene]\nrate = {rate}\nseconds = {seconds:?}\ngravity = {gravity:?}\n[solver]\nframes_before_sleep = 0\n\
         [solver.particles]\nsubsteps = {substeps}\nconstraint_iterations = {passes}\n"
    )
}

/// A few frames of one substep without gravity.
fn one_substep(passes: u32) -> String {
    head(60, 0.1, [0.0; 3], [1, passes])
}

fn vectors(rows: &Value) -> Vec<DVec3> {
    let vector = |row: &Value| DVec3::from_array([0, 1, 2].map(|axis| row[axis].as_f64().expect("a number")));
    rows.as_array().expect("rows").iter().map(vector).collect()
}

/// Places of a point: points without sticks have poses, all of one name.
fn places(run: &Run, index: usize) -> Vec<DVec3> {
    vectors(&run.0["poses"][index]["position_m"])
}

/// Momenta, and angular momenta about the center of mass.
fn momenta(run: &Run) -> [Vec<DVec3>; 2] {
    ["momentum_kgmps", "angular_momentum_kgm2ps"].map(|key| vectors(&run.0["per_frame"][key]))
}

fn count(run: &Run, of: &str, frame: usize) -> u64 {
    run.0["work"][of]["per_frame"][frame].as_u64().expect("a count")
}

#[test]
fn j1_a_throw_is_the_parabola_after_600_steps() {
    let (start, velocity) = (DVec3::new(0.5, 1.0, -2.0), DVec3::new(3.0, 4.0, -1.0));
    let check = |run: &Run, what: &str| {
        let places = places(run, 0);
        assert_eq!(places.len(), 601);
        for (frame, place) in places.iter().enumerate() {
            let time = frame as f64 / 60.0;
            let exact = start + velocity * time - DVec3::Y * (0.5 * G * time * time);
            assert!(place.distance(exact) <= 1e-9, "{what}, frame {frame}: {place}, not {exact}");
        }
    };
    for substeps in [1, 64] {
        let scene = head(60, 10.0, [0.0, -G, 0.0], [substeps, 1])
            + "[[points]]\nname = \"p\"\npositions = [[0.5, 1, -2]]\nvelocities = [[3, 4, -1]]\n";
        MODES.iter().for_each(|mode| check(&Run::in_mode(&scene, mode), mode));
    }
    let scene = head(60, 10.0, [0.0, -G, 0.0], [64, 1])
        + "[[ball]]\nname = \"b\"\nposition = [0.5, 1, -2]\nvelocity = [3, 4, -1]\n";
    METHODS.iter().chain(&["hennix"]).for_each(|method| check(&Run::of(&scene, method), method));
}

#[test]
fn j2_drag_ends_at_a_hundred_steps_of_gravity_and_does_not_depend_on_the_rate() {
    // 0.99 of a displacement are kept in a frame: it grows to a h²/0.01. The modes of the sources have this form.
    let rate = -60.0 * 0.99_f64.ln();
    let scene = head(60, 100.0, [0.0, -G, 0.0], [1, 1])
        + &format!("[[points]]\nname = \"p\"\npositions = [[0, 0, 0]]\ndamping = {rate:?}\n");
    for mode in ["jakobsen", "rosen"] {
        let places = places(&Run::in_mode(&scene, mode), 0);
        let step = places[6000].y - places[5999].y;
        assert!((step / (-100.0 * G / 3600.0) - 1.0).abs() < 1e-12, "{mode}: {step}");
    }
    for rate in [30, 60, 240] {
        let scene = head(rate, 2.0, [0.0; 3], [8, 1])
            + "[[points]]\nname = \"p\"\npositions = [[0, 0, 0]]\nvelocities = [[1, 0, 0]]\ndamping = 0.6\n";
        for mode in MODES {
            for (frame, momentum) in momenta(&Run::in_mode(&scene, mode))[0].iter().enumerate() {
                let exact = (-0.6 * frame as f64 / f64::from(rate)).exp();
                assert!((momentum.x - exact).abs() < 1e-12, "{mode}, {rate} Hz, frame {frame}: {}", momentum.x - exact);
            }
        }
    }
}

#[test]
fn j3_what_acts_in_a_frame_adds_up_once_and_nothing_moves_what_is_fixed() {
    let hit = |of: &str, impulse: &str| format!("[[hit]]\nof = \"{of}\"\ntime = 0.5\nimpulse = {impulse}\n");
    let scene = head(60, 1.0, [0.0; 3], [8, 1])
        + "[[points]]\nname = \"p\"\npositions = [[0, 0, 0]]\nmasses = [2.0]\n"
        + "[[points]]\nname = \"q\"\npositions = [[5, 0, 0]]\nfixed = [0]\n"
        + &hit("p", "[3.0, 0.0, 0.0]")
        + &hit("p", "[0.0, 1.0, 0.0]")
        + &hit("q", "[1e6, 0.0, 0.0]");
    for mode in MODES {
        let run = Run::in_mode(&scene, mode);
        for (frame, momentum) in momenta(&run)[0].iter().enumerate() {
            let exact = if frame > 30 { DVec3::new(3.0, 1.0, 0.0) } else { DVec3::ZERO };
            assert!(momentum.distance(exact) < 1e-12, "{mode}, frame {frame}: {momentum}");
        }
        let end = places(&run, 0)[60];
        assert!(end.distance(DVec3::new(0.75, 0.25, 0.0)) < 1e-12, "{mode}: {end}");
        assert!(places(&run, 1).iter().all(|place| *place == DVec3::X * 5.0), "{mode}");
    }
}

#[test]
fn j4_the_numbers_of_the_exercise() {
    // With v = (1, 0, ½) the place before the first is (0, 0, 0).
    let scene = head(1, 4.0, [0.0, 0.0, 1.0], [1, 1])
        + "[[points]]\nname = \"p\"\npositions = [[1, 0, 0]]\nvelocities = [[1, 0, 0.5]]\n";
    let exact = [[1.0, 0.0], [2.0, 1.0], [3.0, 3.0], [4.0, 6.0], [5.0, 10.0]].map(|[x, z]| DVec3::new(x, 0.0, z));
    for mode in MODES {
        assert_eq!(places(&Run::in_mode(&scene, mode), 0), exact, "{mode}");
    }
}

#[test]
fn j5_nothing_leaves_a_room_of_a_kilometer() {
    let mut scene = head(60, 5.0, [0.0, -G, 0.0], [1, 1]);
    scene += "[[obstacle]]\nname = \"room\"\nkind = \"room\"\nsize = [1000, 1000, 1000]\nposition = [500, 500, 500]\n";
    scene += "friction = 0.0\n";
    for index in 0..20 {
        // Up to 9 km/s, 150 m in a step.
        let some = |start: f64| DVec3::new(0.0, 1.9, 4.1).map(|more| (1.7 * f64::from(index) + start + more).sin());
        let (place, velocity) = (some(0.3) * 490.0 + 500.0, some(2.0) * 9000.0);
        scene += &format!(
            "[[points]]\nname = \"p{index}\"\npositions = [{:?}]\nvelocities = [{:?}]\nradius = 1e-6\nfriction = 0.0\n\
             restitution = {}\n",
            place.to_array(),
            velocity.to_array(),
            0.4 * f64::from(index % 3)
        );
    }
    for mode in MODES {
        let run = Run::in_mode(&scene, mode);
        let places: Vec<DVec3> = (0..20).flat_map(|index| places(&run, index)).collect();
        for place in &places {
            assert!(place.min_element() >= 0.0 && place.max_element() <= 1000.0, "{mode}: {place}");
        }
        let touch = |place: &&DVec3| place.min_element() < 1e-5 || place.max_element() > 1000.0 - 1e-5;
        assert!(places.iter().filter(touch).count() > 1000, "{mode}");
    }
}

#[test]
fn j6_nothing_comes_back_without_restitution_and_a_quarter_of_the_height_with_one_half() {
    let floor = "[[obstacle]]\nname = \"floor\"\nkind = \"half_space\"\n";
    let check = |run: &Run, height: f64, restitution: f64, what: &str| {
        let heights: Vec<f64> = places(run, 0).iter().map(|place| place.y - 0.1).collect();
        let lowest = heights.windows(2).position(|two| two[1] >= two[0]).expect("an end of the fall");
        let back = heights[lowest..].iter().copied().fold(0.0, f64::max) / height;
        // v' = e v, so e² of the height.
        let (exact, within) = if restitution == 0.0 { (0.0, 1e-12) } else { (0.25, 0.03 * 0.25) };
        assert!((back - exact).abs() < within, "{what}, {height} m, restitution {restitution}: {back}");
    };
    for height in [0.5, 1.0, 2.0] {
        for restitution in [0.0, 0.5] {
            let floor = head(240, 1.5, [0.0, -G, 0.0], [8, 1]) + floor;
            let place = format!("[0.0, {}, 0.0]", height + 0.1);
            let keys = format!("radius = 0.1\nrestitution = {restitution}\n");
            let points = format!("{floor}[[points]]\nname = \"p\"\npositions = [{place}]\n{keys}");
            MODES.iter().for_each(|mode| check(&Run::in_mode(&points, mode), height, restitution, mode));
            let ball = format!("{floor}[[ball]]\nname = \"b\"\nposition = {place}\n{keys}");
            let methods = METHODS.iter().chain(&["hennix"]);
            methods.for_each(|method| check(&Run::of(&ball, method), height, restitution, method));
        }
    }
}

#[test]
fn j7_what_has_been_clamped_to_a_slope_is_not_moved_again() {
    let normal = DVec3::new(0.3, 1.0, -0.2).normalize();
    let scene = head(60, 2.0, [0.0; 3], [1, 1])
        + &format!(
            "[[obstacle]]\nname = \"slope\"\nkind = \"half_space\"\nnormal = [0.3, 1.0, -0.2]\n\
             position = [0.0, -0.1, 0.0]\n[[points]]\nname = \"p\"\npositions = [[0.1, 0.4, 0.2]]\n\
             velocities = [{:?}]\nradius = 0.01\n",
            (normal * -3.0).to_array()
        );
    for mode in MODES {
        let places = places(&Run::in_mode(&scene, mode), 0);
        assert!(places[0].distance(places[30]) > 0.1, "{mode}");
        for two in places[30..].windows(2) {
            let over = (two[1] + DVec3::Y * 0.1).dot(normal) - 0.01;
            assert!(two[0].distance(two[1]) < 1e-16 && over.abs() < 1e-15, "{mode}: {two:?}, {over}");
        }
    }
}

#[test]
fn j8_one_pass_makes_a_stick_exact_from_shorter_and_longer() {
    // Along the previous direction, as in mode shake, a pass is one step of Newton only.
    for mode in ["xpbd", "jakobsen", "rosen"] {
        // Both ends move by up to 20 m in the first step.
        for [left, right] in [[-600, 600], [-3, 3], [3, -3], [1200, -1200]] {
            let points = format!(
                "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [100, 0, 0]]\nsticks = [[0, 1]]\n\
                 velocities = [[{left}, 0, 0], [{right}, 0, 0]]\n"
            );
            let stretch = Run::in_mode(&(one_substep(1) + &points), mode).per_frame("stretch")[1];
            // 2 ulp of 100 m.
            assert!(stretch * 100.0 <= 2.0 * (100.0_f64.next_up() - 100.0), "{mode}, {right} m/s: {stretch}");
        }
    }
}

#[test]
fn j9_every_pass_takes_its_share_of_the_error_and_the_stop_rule_stops() {
    // Three points in a row; in the first step the outer ones go 0.3 m away.
    let row = "[[points]]\nname = \"p\"\npositions = [[-1, 0, 0], [0, 0, 0], [1, 0, 0]]\n\
               sticks = [[0, 1], [1, 2]]\nvelocities = [[-18, 0, 0], [0, 0, 0], [18, 0, 0]]\n";
    for mode in MODES {
        let left = |passes: u32| Run::in_mode(&(one_substep(passes) + row), mode).per_frame("stretch")[1];
        let errors: Vec<f64> = (1..=12).map(left).collect();
        assert!(errors.windows(2).all(|two| two[1] < two[0]), "{mode}: {errors:?}");
        // One after the other leaves a half of the neighbor's error twice a pass; the mean of two proposals 3/4.
        let share: f64 = if mode == "rosen" { 0.75 } else { 0.25 };
        for (passes, error) in (0..).zip(&errors).filter(|_| mode != "shake") {
            assert!((error - 0.225 * share.powi(passes)).abs() < 1e-12, "{mode}, {passes}: {error}");
        }
        let run = Run::in_mode(&(one_substep(1000) + "tolerance = 1e-3\n" + row), mode);
        let passes = count(&run, "passes", 1);
        // 0.225 · 4⁻⁴ and 0.3 · (3/4)²⁰ are the first below 1e-3, and the next pass finds that.
        let allowed = match mode {
            "shake" => 2..=20,
            "rosen" => 21..=21,
            _ => 6..=6,
        };
        assert!(allowed.contains(&passes) && run.per_frame("stretch")[1] < 1e-3, "{mode}: {passes} passes");
    }
}

#[test]
fn j10_j16_what_is_fixed_keeps_its_bits_and_infinite_mass_is_the_same() {
    // The first pair is too near and cannot move; the third point is pushed by both, and falls.
    let scene = |held: &str| {
        head(60, 1.0, [0.0, -G, 0.0], [4, 1])
            + "[[points]]\nname = \"p\"\npositions = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.9], [1.1, 0.2, 0.3]]\n"
            + "velocities = [[0, 0, 0], [0, 0, 0], [-3, 0, 1]]\napart = [[0, 1], [0, 2], [1, 2]]\n"
            + "apart_shares = [1.5, 1.1, 0.9]\n"
            + held
    };
    for mode in MODES {
        let fixed = Run::in_mode(&scene("fixed = [0, 1]\n"), mode);
        for (index, place) in [DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.4, 0.5, 0.9)].into_iter().enumerate() {
            assert!(places(&fixed, index).iter().all(|now| *now == place), "{mode}, point {index}");
        }
        let free = places(&fixed, 2);
        assert!(free.iter().all(|place| place.is_finite()) && free[60].y < -4.0, "{mode}: {}", free[60]);
        let heavy = Run::in_mode(&scene("masses = [inf, inf, 1.0]\n"), mode);
        assert_eq!(fixed.0["poses"], heavy.0["poses"], "{mode}");
    }
}

#[test]
fn j12_the_square_root_by_expansion_leaves_the_lengths_of_its_formula() {
    // Both ends of a stick of 1 m go `away` meters in the first step.
    let by_taylor = |mode: &str, away: f64, passes: u32| {
        let (left, right) = (-64.0 * away, 64.0 * away);
        let points = format!(
            "square_root = \"taylor\"\n[[points]]\nname = \"p\"\npositions = [[-0.5, 0, 0], [0.5, 0, 0]]\n\
             velocities = [[{left:?}, 0, 0], [{right:?}, 0, 0]]\nsticks = [[0, 1]]\n"
        );
        Run::in_mode(&(head(64, 0.0625, [0.0; 3], [1, passes]) + &points), mode).per_frame("stretch")[1]
    };
    // 2ℓr²/(ℓ² + r²) after each pass. Mode shake takes no root.
    for mode in ["xpbd", "jakobsen", "rosen"] {
        for (away, length) in [(0.05, 0.995475), (0.5, 0.8)] {
            let error = by_taylor(mode, away, 1);
            assert!((1.0 - error - length).abs() < 5e-7, "{mode}: {error} m short");
        }
        let mut length = 1.5;
        for (passes, rounded) in [(1, 7.7e-2), (2, 3.2e-3), (3, 5.1e-6), (4, 1.3e-11)] {
            length = 2.0 * length / (length * length + 1.0);
            let error = by_taylor(mode, 0.25, passes);
            assert!((1.0 - error - length).abs() < 1e-15, "{mode}, {passes} passes: {error}");
            assert!((error / rounded - 1.0).abs() < 0.02, "{mode}, {passes} passes: {error}, not {rounded}");
        }
    }
}

#[test]
fn j13_the_counter_counts_every_stick_once_a_pass() {
    let points = "square_root = \"taylor\"\n[[points]]\nname = \"p\"\nsticks = [[0, 1], [1, 2], [0, 2]]\n\
                  positions = [[0, 0, 0], [1, 0, 0], [2, 1, 0]]\nvelocities = [[0, 1, 0], [0, 0, 2], [3, 0, 0]]\n";
    for mode in MODES {
        let run = Run::in_mode(&(head(60, 0.1, [0.0; 3], [3, 4]) + points), mode);
        let substeps = if mode == "jakobsen" { 1 } else { 3 };
        assert_eq!(count(&run, "corrections", 2), 3 * 4 * substeps, "{mode}");
    }
}

#[test]
fn j14_a_stalk_gives_way_less_with_every_layer_of_support_and_recovers() {
    // A helix of which four points in a row are a regular tetrahedron. Wind pushes almost only the tip. Gravity of
    // 1e-6 m/s² shows in the potential energy how far. Less than three layers of support let it turn freely.
    let turn = (-2.0_f64 / 3.0).acos();
    let points: Vec<[f64; 3]> = (0..13)
        .map(|index| {
            let (sin, cos) = (turn * f64::from(index)).sin_cos();
            let (radius, rise) = (0.15 * 0.3 * 3.0_f64.sqrt(), 0.15 / 10.0_f64.sqrt());
            [radius * cos, rise * f64::from(index), radius * sin]
        })
        .collect();
    // In one substep a frame, and averaged over eight sticks a point, one pass leaves most to be done.
    for (mode, passes) in [("shake", 1), ("xpbd", 1), ("jakobsen", 20), ("rosen", 20)] {
        let mut last = f64::INFINITY;
        for reach in 1..=5 {
            let sticks: Vec<[usize; 2]> =
                (1..=reach).flat_map(|apart| (0..13 - apart).map(move |a| [a, a + apart])).collect();
            let scene = head(60, 16.0, [1e-6, 0.0, 0.0], [8, passes])
                + &format!(
                    "[[points]]\nname = \"p\"\npositions = {points:?}\nsticks = {sticks:?}\nfixed = [0, 1, 2]\n\
                     masses = [{}1.0]\ncompliance = 1e-3\ndamping = 2.0\nradius = 0.001\n\
                     [[wind]]\nname = \"w\"\nvelocity = [0.5, 0.0, 0.0]\nends = 8.0\n",
                    "0.01, ".repeat(12)
                );
            let energies = Run::in_mode(&scene, mode).per_frame("potential_energy_j");
            let way = |frame: usize| 1e6 * (energies[0] - energies[frame]);
            let (loaded, after) = (way(480), way(960));
            assert!(loaded < 0.97 * last && loaded > 0.01, "{mode}, {reach}: {loaded} of {last}");
            assert!(reach < 3 || after.abs() < 0.02 * loaded, "{mode}, {reach}: {after} m left of {loaded}");
            last = loaded;
        }
    }
}

#[test]
fn j15_moves_are_in_the_ratio_of_the_inverse_masses_and_give_no_momentum() {
    // Two points at 1 m keep 1.25 m apart.
    for (a, b) in [(1.0, 1.0), (1.0, 3.0), (0.7, 2.3)] {
        let scene = one_substep(1)
            + &format!(
                "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [0.6, 0.8, 0]]\nmasses = [{a}, {b}]\n\
                 apart = [[0, 1]]\napart_shares = [1.25]\n"
            );
        for mode in MODES {
            let run = Run::in_mode(&scene, mode);
            let (first, second) = (places(&run, 0), places(&run, 1));
            let moves = [first[1] - first[0], second[1] - second[0]];
            assert!((moves[0] * a + moves[1] * b).length() <= 1e-15, "{mode}, {a} and {b} kg: {moves:?}");
            let wanted = DVec3::new(0.6, 0.8, 0.0) * (0.25 / (a + b));
            let off = moves[0].distance(wanted * -b).max(moves[1].distance(wanted * a));
            assert!(off < 1e-15, "{mode}, {a} and {b} kg: {moves:?}");
        }
    }
}

#[test]
fn j17_a_tetrahedron_tumbling_in_a_room_keeps_its_edges_its_volume_and_its_side() {
    let scene = head(60, 10.0, [0.0, -G, 0.0], [1, 4])
        + "[[tetrahedron]]\nname = \"t\"\nsize = 1.0\nposition = [0.05, 0.1, -0.05]\nvelocity = [1.0, 0.5, -0.7]\n\
           spin = [4.0, 3.0, -2.0]\nfriction = 0.0\nrestitution = 0.95\n\
           [[obstacle]]\nname = \"room\"\nkind = \"room\"\nsize = [1.2, 1.2, 1.2]\nfriction = 0.0\n";
    for mode in MODES {
        let run = Run::in_mode(&scene, mode);
        // A volume changes by half the sum of its six edges' errors at most, so 0.33 % keep it within 1 %.
        let worst = run.per_frame("stretch").into_iter().fold(0.0, f64::max);
        assert!(worst < 0.0033, "{mode}: {worst}");
        // The axes of a mirror image would jump.
        let turns: Vec<DQuat> = run.rows("t", "rotation_xyzw").iter().map(|row| DQuat::from_slice(row)).collect();
        let angles: Vec<f64> = turns.windows(2).map(|two| two[0].angle_between(two[1])).collect();
        let (sum, most) = (angles.iter().sum::<f64>(), angles.iter().copied().fold(0.0, f64::max));
        assert!(sum > 5.0 && most < 0.5, "{mode}: {sum} rad, at most {most} in a frame");
    }
}

#[test]
fn j17_so_does_one_of_six_sticks() {
    // Edges of 1 m; the corners start with v + ω × x.
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
        .map(|corner| DVec3::from_array(corner) / 8.0_f64.sqrt());
    let positions = corners.map(|corner| (corner + DVec3::new(0.05, 0.1, -0.05)).to_array());
    let spin = DVec3::new(4.0, 3.0, -2.0);
    let velocities = corners.map(|corner| (DVec3::new(1.0, 0.5, -0.7) + spin.cross(corner)).to_array());
    let scene = head(60, 10.0, [0.0, -G, 0.0], [1, 4])
        + &format!(
            "[[points]]\nname = \"t\"\npositions = {positions:?}\nvelocities = {velocities:?}\nradius = 0.001\n\
             sticks = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]\nfriction = 0.0\n\
             [[obstacle]]\nname = \"room\"\nkind = \"room\"\nsize = [1.2, 1.2, 1.2]\nfriction = 0.0\n"
        );
    for mode in ["shake", "xpbd", "jakobsen"] {
        let worst = Run::in_mode(&scene, mode).per_frame("stretch").into_iter().fold(0.0, f64::max);
        assert!(worst < 0.01, "{mode}: {worst}");
    }
}

#[test]
fn j18_a_stick_and_a_room_of_its_length_agree_after_20_passes() {
    // The stick goes 0.3 m into a wall in the first step.
    let left = |mode: &str, passes: u32| {
        let scene = one_substep(passes)
            + "[[points]]\nname = \"p\"\npositions = [[0, 0.5, 0.5], [1, 0.5, 0.5]]\nsticks = [[0, 1]]\n\
               velocities = [[-18, 0, 0], [-18, 0, 0]]\nradius = 1e-6\nfriction = 0.0\n\
               [[obstacle]]\nname = \"room\"\nkind = \"room\"\nsize = [1.000002, 1, 1]\nposition = [0.5, 0.5, 0.5]\n\
               friction = 0.0\n";
        let run = Run::in_mode(&scene, mode);
        // Depths are those at the start of a step.
        run.per_frame("stretch")[1].max(run.per_frame("penetration_m")[2])
    };
    for mode in MODES {
        let errors: Vec<f64> = (1..=20).map(|passes| left(mode, passes)).collect();
        assert!(errors.windows(2).all(|two| two[1] < two[0]) && errors[19] < 1e-6, "{mode}: {errors:?}");
        // Each pass gives half of the error to the end at the wall.
        let is_halved = |(power, error): (i32, &f64)| (error - 0.3 * 0.5_f64.powi(power)).abs() < 1e-12;
        let is_by_turns = mode == "xpbd" || mode == "jakobsen";
        assert!(!is_by_turns || (0..).zip(&errors).all(is_halved), "{mode}: {errors:?}");
    }
}

/// Points whose sticks are so soft that only the contact acts, with a skin of 1/8 m.
fn limp(name: &str, positions: &[[f64; 3]], speed: f64, masses: &[f64], joined: &str) -> String {
    let velocities = vec![[0.0, speed, 0.0]; positions.len()];
    format!(
        "[[points]]\nname = \"{name}\"\npositions = {positions:?}\nvelocities = {velocities:?}\nmasses = {masses:?}\n\
         {joined}\ncompliance = 1e12\nradius = 0.125\nfriction = 0.0\n"
    )
}

/// A ball at rest that touches such a skin at the origin from below.
const BALL: &str =
    "[[obstacle]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 0.5\nposition = [0, -0.625, 0]\nfriction = 0.0\n";

#[test]
fn j19_a_stick_met_at_a_quarter_gives_way_by_1_6() {
    // Of a move of 1/4 m/s, the ends take back 1.2 and 0.4 parts.
    let points = limp("p", &[[-0.25, 0.0, 0.0], [0.75, 0.0, 0.0]], -0.25, &[1.0, 1.0], "sticks = [[0, 1]]");
    for mode in MODES {
        let run = Run::in_mode(&(one_substep(1) + &points + BALL), mode);
        let [momentum, spin] = momenta(&run).map(|frames| frames[1]);
        // P = v1 + v2 and L = (v2 − v1)/2.
        let [near, far] = [0.5 * momentum.y - spin.z, 0.5 * momentum.y + spin.z];
        let parts = [near / 0.25 + 1.0, far / 0.25 + 1.0];
        assert!((parts[0] - 1.2).abs() < 1e-13 && (parts[1] - 0.4).abs() < 1e-13, "{mode}: {parts:?}");
        assert!((0.75 * near + 0.25 * far).abs() / 60.0 <= 1e-15, "{mode}: {near} and {far} m/s");
    }
}

#[test]
fn j20_a_point_of_a_tetrahedron_stops_where_it_is_sent_whatever_the_masses() {
    // The ball touches the lower face at shares c of its corners: each gets λ w c of the speed, λ = 1/Σ w c².
    for (masses, c) in [([1.0, 2.0, 5.0, 3.0], [0.5, 0.25, 0.25, 0.0]), ([0.7, 0.3, 1.9, 0.2], [0.2, 0.5, 0.3, 0.0])] {
        let (a, b) = (DVec3::new(-0.5, 0.0, -0.25), DVec3::new(0.5, 0.0, -0.25));
        let corners = [a, b, (a * c[0] + b * c[1]) / -c[2], DVec3::Y];
        let faces = "triangles = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]]";
        let scene = one_substep(1) + &limp("p", &corners.map(|corner| corner.to_array()), -0.25, &masses, faces) + BALL;
        let weight: f64 = (0..4).map(|i| c[i] * c[i] / masses[i]).sum();
        let velocities = [0, 1, 2, 3].map(|i| DVec3::Y * (-0.25 + 0.25 * c[i] / masses[i] / weight));
        let center = (0..4).map(|i| corners[i] * masses[i]).sum::<DVec3>() / masses.iter().sum::<f64>();
        let exact: DVec3 = (0..4).map(|i| velocities[i] * masses[i]).sum();
        let exact_spin: DVec3 = (0..4).map(|i| (corners[i] - center).cross(velocities[i]) * masses[i]).sum();
        for mode in MODES {
            let run = Run::in_mode(&scene, mode);
            let [momentum, spin] = momenta(&run).map(|frames| frames[1]);
            // 1e-15 m and kg m in a step of 1/60 s.
            assert!(momentum.distance(exact) / 60.0 <= 1e-15, "{mode}: {momentum}, not {exact}");
            assert!(spin.distance(exact_spin) / 60.0 <= 1e-15, "{mode}: {spin}, not {exact_spin}");
        }
    }
}

#[test]
fn j21_two_sticks_that_cross_close_their_gap_and_keep_their_momentum() {
    // They touch at shares of their ends, one along x and one along z, at 3/8 m/s.
    let (below, above, masses) = ([0.75, 0.25], [0.375, 0.625], [[1.0, 3.0], [2.0, 0.7]]);
    let one = [[-below[1], -0.125, 0.0], [below[0], -0.125, 0.0]];
    let other = [[0.0, 0.125, -above[1]], [0.0, 0.125, above[0]]];
    let scene = one_substep(1)
        + &limp("a", &one, 0.125, &masses[0], "sticks = [[0, 1]]")
        + &limp("b", &other, -0.25, &masses[1], "sticks = [[0, 1]]");
    let ends = (0..2).flat_map(|i| [(0.125, -below[i], masses[0][i]), (-0.25, above[i], masses[1][i])]);
    let weight: f64 = ends.clone().map(|(_, share, mass)| share * share / mass).sum();
    // The gap is closed if each end gets w c of 3/8 m/s over Σ w c². The energy of the first frame is that of the mean
    // of the speeds before and after.
    let mean = |speed: f64, share: f64, mass: f64| speed + 0.5 * 0.375 / weight * share / mass;
    let exact: f64 = ends.clone().map(|(speed, share, mass)| 0.5 * mass * mean(speed, share, mass).powi(2)).sum();
    let total = DVec3::Y * ends.map(|(speed, _, mass)| speed * mass).sum::<f64>();
    for mode in MODES {
        let run = Run::in_mode(&scene, mode);
        let found = run.per_frame("kinetic_energy_j")[1];
        assert!((found - exact).abs() < 1e-14, "{mode}: {found} J, not {exact}");
        for momentum in &momenta(&run)[0] {
            assert!(momentum.distance(total) / 60.0 <= 1e-15, "{mode}: {momentum}, not {total}");
        }
    }
}
