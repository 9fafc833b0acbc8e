//! Rows J23 to J44 of the acceptance table by scenes: bodies, limits, hits and energy of particles and their peers.

use std::collections::HashMap;
use std::fmt::Write as _;

use muybridge::glam::{DMat3, DQuat, DVec3};

use crate::program::{Folder, muybridge};
use crate::simulate_contact::Run;

const MODES: [&str; 4] = ["shake", "xpbd", "jakobsen", "rosen"];
const RIGID: [&str; 3] = ["multipliers", "displacement", "hennix"];
const G: f64 = 9.81;

/// Options of every mode and of every rigid method.
fn all() -> impl Iterator<Item = [&'static str; 2]> {
    MODES.map(|mode| ["--particle-mode", mode]).into_iter().chain(RIGID.map(|method| ["--method", method]))
}

fn by_mode(scene: &str, mode: &str) -> Run {
    Run::with(scene, ["--particle-mode", mode]).0
}

/// A run by every mode and method, each with its name.
fn by_all(scene: &str) -> Vec<(&'static str, Run)> {
    all().map(|option| (option[1], Run::with(scene, option).0)).collect()
}

/// A run of a scene with other files in its folder.
fn in_folder(folder: &Folder, scene: &str, [option, value]: [&str; 2]) -> Run {
    let path = folder.file("scene.toml", scene);
    let said = muybridge(["simulate", "--json", path.to_str().expect("a path"), option, value]);
    assert_eq!(said.code, Some(0), "{value}: {}", said.err);
    Run(serde_json::from_str(&said.out).expect("JSON"))
}

/// A scene that does not sleep and does not stop its passes early.
fn scene(setting: &str, substeps: u32, passes: u32) -> String {
    format!(
        "[scene]\n{setting}\n[solver]\nframes_before_sleep = 0\n[solver.particles]\nsubsteps = {substeps}\n\
         constraint_iterations = {passes}\ntolerance = 0.0\n[solver.rigid]\nsubsteps = {substeps}\n"
    )
}

fn most(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(0.0, f64::max)
}

#[test]
fn j23_four_particles_have_the_mass_center_and_tensor_of_their_box() {
    // m (b² + c²)/12 about each axis, turned with the box; the angular momentum of a spin of 1 rad/s is a column of it.
    let moments = DVec3::new(0.36 + 1.0, 0.16 + 1.0, 0.16 + 0.36) * (3.0 / 12.0);
    let axes = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.9)));
    let tensor = axes * DMat3::from_diagonal(moments) * axes.transpose();
    let (center, velocity) = (DVec3::new(0.7, -1.3, 2.1), DVec3::new(0.5, -1.25, 0.75));
    for axis in 0..3 {
        let text = scene("seconds = 1.0\nrate = 1.0\ngravity = [0.0, 0.0, 0.0]", 1, 1)
            + "[[box]]\nname = \"b\"\nsize = [0.4, 0.6, 1.0]\nmass = 3.0\nrotation = [0.3, -0.5, 0.9]\n\
               position = [0.7, -1.3, 2.1]\nvelocity = [0.5, -1.25, 0.75]\n"
            + &format!("spin = {:?}\n", DVec3::AXES[axis].to_array());
        for (name, run) in by_all(&text) {
            let [momentum, column] = ["momentum_kgmps", "angular_momentum_kgm2ps"].map(|key| run.vectors(key)[0]);
            let error = (column - tensor.col(axis)).length() / moments.max_element();
            assert!(error <= 1e-14, "{name}, axis {axis}: {column}, not {}", tensor.col(axis));
            assert!((momentum / 3.0 - velocity).length() <= 1e-14 * velocity.length(), "{name}: {momentum}");
            assert!((run.points("b")[0] - center).length() <= 1e-14 * center.length(), "{name}");
        }
    }
}

#[test]
fn j25_a_pin_joint_stays_closed_and_a_hinge_keeps_its_axis_for_ten_seconds() {
    let bodies = "[[tetrahedron]]\nname = \"a\"\nsize = 0.4\nposition = [-0.2, 0.0, 0.0]\nspin = [0.5, 0.4, -0.3]\n\
                  friction = 0.0\n[[tetrahedron]]\nname = \"b\"\nsize = 0.4\nmass = 2.0\nposition = [0.4, 0.1, 0.1]\n\
                  spin = [0.3, -0.7, 0.8]\nfriction = 0.0\n[[joint]]\nname = \"j\"\nof = \"b\"\nto = \"a\"\n\
                  at = [0.1, 0.05, 0.02]\naxis = [0.0, 0.0, 1.0]\n";
    for mode in MODES {
        // One substep needs shorter frames and more passes.
        let (rate, passes) = if mode == "jakobsen" { (240, 60) } else { (60, 1) };
        let setting = format!("seconds = 10.0\nrate = {rate}\ngravity = [0.0, 0.0, 0.0]");
        for kind in ["ball", "hinge"] {
            let run = by_mode(&format!("{}{bodies}kind = \"{kind}\"\n", scene(&setting, 64, passes)), mode);
            assert!(most(run.per_frame("gap_m")) < 1e-15, "{mode}, {kind}: {:?} m", run.per_frame("gap_m"));
            let (a, b) = (run.turns("a"), run.turns("b"));
            let axis = |turns: &[DQuat], frame: usize| turns[frame] * (turns[0].conjugate() * DVec3::Z);
            let apart = most((0..a.len()).map(|frame| axis(&a, frame).distance(axis(&b, frame))));
            assert!(if kind == "hinge" { apart < 1e-6 } else { apart > 1.0 }, "{mode}, {kind}: {apart} rad");
        }
    }
}

#[test]
fn j26_a_stick_between_two_bodies_is_a_hundred_meters_long_to_two_ulp() {
    for sign in [1, -1] {
        // From longer and from shorter: the bodies part, or come together.
        let [left, right] = [-3 * sign, 2 * sign].map(|speed| format!("[{speed}, 0, 0]"));
        let text = format!(
            "{}[[points]]\nname = \"p\"\npositions = [[-101, 0, 0], [-1, 0, 0], [99, 0, 0], [199, 0, 0]]\n\
             velocities = [{left}, {left}, {right}, {right}]\n\
             masses = [1, 2, 3, 4]\nsticks = [[0, 1], [1, 2], [2, 3]]\n",
            scene("seconds = 1.0\ngravity = [0.0, 0.0, 0.0]", 64, 200)
        );
        for mode in MODES {
            let run = by_mode(&text, mode);
            let stretch = most(run.per_frame("stretch"));
            assert!(stretch <= 2.0 * 1.5e-16, "{mode}: {stretch}");
            // 3 kg at −3 m/s and 7 kg at 2 m/s go on together: 5 kg m/s of 10 kg.
            let (momentum, kinetic) = (run.vectors("momentum_kgmps"), run.per_frame("kinetic_energy_j"));
            assert!((momentum[60] - DVec3::X * f64::from(5 * sign)).length() < 1e-7, "{mode}: {}", momentum[60]);
            assert!((kinetic[60] - 1.25).abs() < 1e-7, "{mode}: {} J", kinetic[60]);
        }
    }
}

#[test]
fn j27_points_that_keep_apart_move_freely_up_to_their_distance_and_no_farther() {
    let text = scene("seconds = 1.0\nrate = 240", 1, 1)
        + "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [0, 1, 0]]\nmasses = [2.0]\nfixed = [0]\n\
           apart = [[0, 1]]\napart_shares = [0.3]\n";
    for mode in MODES {
        for (energy, frame) in by_mode(&text, mode).per_frame("potential_energy_j").into_iter().zip(0..) {
            // The energy is that of one substep ago.
            let time = (f64::from(frame) - 1.0) / 240.0;
            let wanted = (1.0 - 0.5 * G * time * time).max(0.3);
            let height = energy / (2.0 * G);
            assert!((height - wanted).abs() < 1e-14, "{mode}, {time} s: {height} m, not {wanted}");
        }
    }
}

#[test]
fn j28_an_arm_on_its_limit_is_within_a_tenth_of_a_degree_after_ten_passes() {
    // A level arm with a limit of 0.7 rad falls onto it.
    let text = "[scene]\nseconds = 2.0\nrate = 240\n[solver]\nframes_before_sleep = 0\n[solver.particles]\n\
                constraint_iterations = 10\ntolerance = 0.0\n[solver.rigid]\ncontact_iterations = 10\n[[capsule]]\n\
                name = \"arm\"\nradius = 0.05\nlength = 0.4\nposition = [0.3, 0, 0]\ndamping = 1.0\n\
                rotation = [0, 0, 1.5707963267948966]\n[[joint]]\nname = \"j\"\nof = \"arm\"\nat = [0, 0, 0]\n\
                axis = [1, 0, 0]\nswing_limit = 0.7\n";
    for (name, run) in by_all(text) {
        for turn in &run.turns("arm")[240..] {
            let angle = (*turn * DVec3::NEG_Y).angle_between(DVec3::X).to_degrees();
            assert!((angle - 0.7_f64.to_degrees()).abs() < 0.1, "{name}: {angle}°");
        }
    }
}

#[test]
fn j29_a_ball_stays_on_its_side_of_a_slanted_plane_to_rounding() {
    let normal = DVec3::new(0.6, 0.8, 0.0);
    let text = "[scene]\nseconds = 3.0\ngravity = [-5.886, -7.848, 0.0]\n[solver]\nframes_before_sleep = 0\n\
                [[obstacle]]\nname = \"plane\"\nkind = \"half_space\"\nnormal = [0.6, 0.8, 0.0]\nfriction = 0.0\n\
                [[ball]]\nname = \"ball\"\nradius = 0.05\nposition = [0, 2, 0]\nvelocity = [0, 0, 0.4]\nfriction = 0\n";
    for (name, run) in by_all(text) {
        let above: Vec<f64> = run.points("ball").iter().map(|place| normal.dot(*place) - 0.05).collect();
        assert!(above.iter().all(|&height| height >= -1e-15), "{name}: {above:?}");
        assert!(above[180] < 1e-3, "{name}: it lies on the plane at the end, not {} m above", above[180]);
    }
}

/// Distance of a segment from a triangle, by samples of both that come ever closer to the nearest ones.
fn between([start, end]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> f64 {
    let at = |[t, u, v]: [f64; 3]| start.lerp(end, t).distance(a + (b - a) * u + (c - a) * v);
    let (mut best, mut step) = ([0.5, 0.25, 0.25], 0.25);
    while step > 1e-9 {
        let near = (0..27).map(|way| [way % 3, way / 3 % 3, way / 9].map(|way| f64::from(way - 1) * step));
        let samples = near.map(|way| [0, 1, 2].map(|axis| best[axis] + way[axis]));
        let inside = samples.filter(|[t, u, v]| (0.0..=1.0).contains(t) && *u >= 0.0 && *v >= 0.0 && u + v <= 1.0);
        let found = inside.min_by(|one, other| at(*one).total_cmp(&at(*other))).unwrap();
        (best, step) = if at(found) < at(best) { (found, step) } else { (best, 0.5 * step) };
    }
    at(best)
}

#[test]
fn j31_capsules_overlap_triangles_as_deep_as_a_search_over_both_says() {
    let (mut text, mut mesh, mut wanted) = (String::new(), String::new(), HashMap::new());
    // Random numbers from −1 to 1 by Knuth's congruence.
    let mut state = 31_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1 << 30) - 1.0
    };
    let mut vector = |scale: f64| DVec3::new(unit(), unit(), unit()) * scale;
    while wanted.len() < 500 {
        let number = wanted.len();
        let base = DVec3::new(5.0 * f64::from(u32::try_from(number).unwrap()), 0.0, 0.0);
        let triangle = [0, 1, 2].map(|_| base + vector(0.6));
        let (center, turn) = (base + vector(0.6), vector(2.0));
        let half = DQuat::from_scaled_axis(turn) * DVec3::Y * 0.25;
        let depth = 0.3 - between([center - half, center + half], triangle);
        if !(0.03..0.27).contains(&depth) {
            continue;
        }
        let (place, turn) = (center.to_array(), turn.to_array());
        writeln!(text, "[[capsule]]\nname = \"{number}\"\nradius = 0.3\nlength = 0.5\nposition = {place:?}").unwrap();
        writeln!(text, "rotation = {turn:?}").unwrap();
        triangle.iter().for_each(|corner| writeln!(mesh, "v {} {} {}", corner.x, corner.y, corner.z).unwrap());
        writeln!(mesh, "f {} {} {}", 3 * number + 1, 3 * number + 2, 3 * number + 3).unwrap();
        wanted.insert(number.to_string(), depth);
    }
    let folder = Folder::new();
    folder.file("t.obj", &mesh);
    let text = scene("seconds = 0.01\nrate = 100\ngravity = [0.0, 0.0, 0.0]", 1, 1)
        + "[solver.warnings]\npenetration = 0.0\n[[obstacle]]\nname = \"t\"\nkind = \"mesh\"\nmesh = \"t.obj\"\n"
        + &text;
    for option in all() {
        let (method, run) = (option[1], in_folder(&folder, &text, option).0);
        let warnings = run["warnings"].as_array().unwrap().iter().filter(|warning| warning["kind"] == "penetration");
        assert_eq!(warnings.clone().count(), wanted.len(), "{method}");
        for warning in warnings {
            let depth = wanted[warning["of"].as_str().unwrap()];
            assert!((warning["value"].as_f64().unwrap() - depth).abs() < 1e-6, "{method}: {warning}, not {depth}");
        }
    }
}

#[test]
fn j32_a_hit_changes_the_velocity_by_its_impulse_over_the_mass() {
    let text = "[scene]\nseconds = 0.5\ngravity = [0.0, 0.0, 0.0]\n[[ball]]\nname = \"ball\"\nmass = 3.0\n\
                velocity = [0.5, 0.0, 0.0]\n[[points]]\nname = \"point\"\npositions = [[5, 0, 0]]\nmasses = [3.0]\n\
                [[hit]]\nof = \"ball\"\ntime = 0.2\nimpulse = [6.0, 0.0, -1.5]\n\
                [[hit]]\nof = \"point\"\ntime = 0.3\nimpulse = [0.0, 6.0, -1.5]\n";
    for (name, run) in by_all(text) {
        let momentum = run.vectors("momentum_kgmps");
        for (frame, wanted) in [(12, DVec3::new(2.0, 0.0, -0.5)), (18, DVec3::new(0.0, 2.0, -0.5))] {
            let change = (momentum[frame + 1] - momentum[frame]) / 3.0;
            assert!((change - wanted).length() < 1e-12, "{name}: {change}, not {wanted}");
        }
    }
}

#[test]
fn j33_a_clip_of_constant_velocity_goes_on_exactly_for_any_step() {
    let (velocity, turn) = (DVec3::new(0.7, 1.3, -0.4), "Zrotation Xrotation Yrotation");
    let mut clip = format!(
        "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition {turn}\nJOINT Spine\n{{\n\
         OFFSET 0 0.3 0\nCHANNELS 3 {turn}\nJOINT Head\n{{\nOFFSET 0 0.5 0\nCHANNELS 3 {turn}\nEnd Site\n{{\n\
         OFFSET 0 0.2 0\n}}\n}}\n}}\n}}\nMOTION\nFrames: 31\nFrame Time: 0.03125\n"
    );
    for frame in 0..31 {
        let at = DVec3::Y + velocity * (f64::from(frame) / 32.0);
        writeln!(clip, "{} {} {}{}", at.x, at.y, at.z, " 0".repeat(9)).unwrap();
    }
    let folder = Folder::new();
    folder.file("clip.bvh", &clip);
    for (rate, substeps) in [(60, 1), (47, 3), (60, 8), (240, 1)] {
        let text = scene(&format!("seconds = 2.0\nrate = {rate}\ngravity = [0.0, 0.0, 0.0]"), substeps, 1)
            + "[[ragdoll]]\nname = \"man\"\ncharacter = \"clip.bvh\"\nunit = \"m\"\nclip = \"clip\"\n";
        for option in all() {
            let (name, run) = (option[1], in_folder(&folder, &text, option));
            for bone in ["Hips", "Spine", "Head"] {
                let places = run.points(&format!("man/{bone}"));
                for (place, frame) in places.iter().zip(0..) {
                    let off = *place - places[0] - velocity * (f64::from(frame) / f64::from(rate));
                    assert!(off.length() < 1e-12, "{name}, {rate} Hz × {substeps}, {bone}: {} m", off.length());
                }
            }
        }
    }
}

#[test]
fn j34_a_bomb_pushes_four_times_as_fast_at_one_meter_as_at_two() {
    let text = "[scene]\nseconds = 0.5\ngravity = [0.0, 0.0, 0.0]\n[[points]]\nname = \"near\"\n\
                positions = [[1, 0, 0]]\n[[points]]\nname = \"far\"\npositions = [[0, 0, -2]]\n\
                [[explosion]]\nposition = [0, 0, 0]\ntime = 0.1\nspeed = 6.0\n";
    for (name, run) in by_all(text) {
        let momentum = run.vectors("momentum_kgmps")[30];
        assert!((momentum.x / -momentum.z - 4.0).abs() < 1e-11, "{name}: {momentum}");
        assert!((momentum - DVec3::new(6.0, 0.0, -1.5)).length() < 1e-11, "{name}: {momentum}");
    }
}

#[test]
fn j35_a_pulled_hand_is_where_it_is_put_and_its_chain_follows() {
    // Nothing moves a hand of 10¹² kg off its path, as if it had no inverse mass.
    let path = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.3, 0.4, 0.2], [2.0, 0.0, 0.5, -0.2], [3.0, 0.1, 0.2, 0.0]];
    let text = format!(
        "[scene]\nseconds = 3.0\n[solver]\nframes_before_sleep = 0\n[[ball]]\nname = \"hand\"\nradius = 0.05\n\
         mass = 1e12\n[[pull]]\nof = \"hand\"\npath = {path:?}\n[[rope]]\nname = \"chain\"\nfrom = [0.0, -0.05, 0.0]\n\
         to = [0.0, -1.05, 0.0]\nsegments = 20\nfrom_attached_to = \"hand\"\n"
    );
    // One step a frame pulls twenty sticks tight in four hundred passes.
    let many = text.replace("[[ball]]", "[solver.particles]\nconstraint_iterations = 400\n[[ball]]");
    for (mode, text) in [("shake", &text), ("xpbd", &text), ("rosen", &text), ("jakobsen", &many)] {
        let run = by_mode(text, mode);
        for (frame, place) in run.points("hand").iter().enumerate() {
            let leg = (frame / 60).min(2);
            let [from, to] = [path[leg], path[leg + 1]].map(|point| DVec3::from_slice(&point[1..]));
            let wanted = from.lerp(to, f64::from(u32::try_from(frame - 60 * leg).unwrap()) / 60.0);
            assert!(place.distance(wanted) < 1e-15, "{mode}, frame {frame}: {place}, not {wanted}");
        }
        let (stretch, gap) = (most(run.per_frame("stretch")), most(run.per_frame("gap_m")));
        assert!(stretch < 0.01 && gap < 1e-15, "{mode}: {stretch}, {gap} m");
    }
}

#[test]
fn j36_friction_stops_a_box_of_three_meters_per_second_within_0_9174_meters_and_holds_it_on_a_slope_below_it() {
    // v²/2µg; and on a slope of 0.49 below a friction of 0.5 nothing, instead of 2.16 m without friction.
    let slope = 0.49_f64.atan();
    let slanted = DVec3::new(slope.sin(), -slope.cos(), 0.0) * G;
    let flat = (DVec3::NEG_Y * G, 3.0, 9.0 / (2.0 * 0.5 * G), 0.005 * 0.9174);
    for (gravity, speed, wanted, within) in [flat, (slanted, 0.0, 0.0, 1e-4)] {
        let gravity = gravity.to_array();
        let setting = format!("seconds = 1.0\nrate = 600\nground = 0.0\nground_friction = 0.5\ngravity = {gravity:?}");
        let text = format!(
            "{}[[box]]\nname = \"box\"\nsize = [1.0, 0.05, 1.0]\nposition = [0.0, 0.025, 0.0]\n\
             velocity = [{speed:?}, 0.0, 0.0]\nfriction = 0.5\nrestitution = 0.0\n",
            scene(&setting, 1, 1)
        );
        for (name, run) in by_all(&text) {
            let places = run.points("box");
            assert!((places[600].x - wanted).abs() < within, "{name}: {}, not {wanted} m", places[600]);
            assert!(places[590].distance(places[600]) < 1e-6, "{name}: it has stopped");
        }
    }
}

#[test]
fn j37_nothing_at_a_hundred_meters_per_second_passes_a_wall_of_a_centimeter() {
    // 24 points reach the wall at different parts of a frame of 1.67 m.
    let points: Vec<[f64; 3]> = (0..24).map(f64::from).map(|index| [-0.0712 * index, -2.0, 0.3 * index]).collect();
    let text = format!(
        "[scene]\nseconds = 0.5\ngravity = [0.0, 0.0, 0.0]\n[[obstacle]]\nname = \"wall\"\nkind = \"box\"\n\
         size = [0.01, 8.0, 30.0]\nposition = [7.0, 0.0, 0.0]\n[[ball]]\nname = \"ball\"\nradius = 0.02\n\
         velocity = [100.0, 0.0, 0.0]\nrestitution = 0.0\n[[points]]\nname = \"p\"\npositions = {points:?}\n\
         velocities = {:?}\n",
        [[100, 0, 0]; 24]
    );
    for (name, run) in by_all(&text) {
        // The ball's front stops at the wall's.
        let farthest = most(run.points("ball").iter().map(|place| place.x));
        assert!(farthest < 6.975 + 1e-9, "{name}: {farthest} m");
        // 25 kg at 100 m/s, and none of it is left.
        let momentum = run.vectors("momentum_kgmps");
        assert!((momentum[0].x - 2500.0).abs() < 1e-9 && momentum[30].length() < 1e-9, "{name}: {}", momentum[30]);
    }
}

#[test]
fn j38_objects_have_passes_of_their_own() {
    let text = scene("seconds = 0.5", 3, 2)
        + "[[points]]\nname = \"own\"\npositions = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]\nfixed = [0]\n\
           sticks = [[0, 1], [1, 2], [2, 3]]\niterations = 7\n[[points]]\nname = \"common\"\nfixed = [0]\n\
           positions = [[0, 0, 2], [1, 0, 2], [2, 0, 2], [3, 0, 2], [4, 0, 2]]\n\
           sticks = [[0, 1], [1, 2], [2, 3], [3, 4]]\n";
    for mode in MODES {
        // 3 sticks 7 times and 4 sticks twice, in each substep, of which jakobsen takes one.
        let wanted = if mode == "jakobsen" { 29 } else { 3 * 29 };
        let corrections = by_mode(&text, mode).work("corrections");
        assert!(corrections[1..].iter().all(|&count| count == wanted), "{mode}: {corrections:?}");
    }
}

/// A stick of 100 m whose ends come to 60 m from each other in the first frame.
const HALVED: &str = "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [100, 0, 0]]\nvelocities = [[20, 0, 0], [-20, 0, 0]]\n\
    sticks = [[0, 1]]\n";

#[test]
fn j39_half_of_the_error_goes_in_each_pass() {
    for (passes, length) in [(1, 80.0), (2, 90.0), (3, 95.0), (4, 97.5)] {
        let text = scene("seconds = 1.0\nrate = 1.0\ngravity = [0.0, 0.0, 0.0]", 1, passes)
            .replace("tolerance = 0.0", "tolerance = 0.0\nover_relaxation = 0.5")
            + HALVED;
        for mode in ["xpbd", "jakobsen", "rosen"] {
            let found = 100.0 * (1.0 - by_mode(&text, mode).per_frame("stretch")[1]);
            assert!((found - length).abs() < 1e-12, "{mode}, {passes} passes: {found}, not {length}");
        }
    }
}

#[test]
fn half_of_a_newton_step_goes_in_each_pass_of_shake() {
    // ℓ' = ℓ + ½ (r² − ℓ²)/2ℓ
    let mut wanted = 60.0;
    for passes in 1..5 {
        wanted += 0.5 * (1e4 - wanted * wanted) / (2.0 * wanted);
        let text = scene("seconds = 1.0\nrate = 1.0\ngravity = [0.0, 0.0, 0.0]", 1, passes)
            .replace("tolerance = 0.0", "tolerance = 0.0\nover_relaxation = 0.5")
            + HALVED;
        let found = 100.0 * (1.0 - by_mode(&text, "shake").per_frame("stretch")[1]);
        assert!((found - wanted).abs() < 1e-12, "{passes} passes: {found}, not {wanted}");
    }
}

#[test]
fn j40_over_relaxation_needs_fewer_passes() {
    // A chain of 20 sticks of 1 m whose end is drawn away by 1 m in the first frame.
    let places: Vec<[i32; 3]> = (0..=20).map(|index| [index, 0, 0]).collect();
    let sticks: Vec<[i32; 2]> = (0..20).map(|index| [index, index + 1]).collect();
    let chain = format!(
        "[[points]]\nname = \"p\"\npositions = {places:?}\nvelocities = [{}[1, 0, 0]]\nfixed = [0]\n\
         sticks = {sticks:?}\n",
        "[0, 0, 0], ".repeat(20)
    );
    for mode in MODES {
        let passes = |factor: f64| {
            let text = scene("seconds = 1.0\nrate = 1.0\ngravity = [0.0, 0.0, 0.0]", 1, 10_000)
                .replace("tolerance = 0.0", &format!("tolerance = 1e-6\nover_relaxation = {factor:?}"));
            let run = by_mode(&(text + &chain), mode);
            assert!(run.per_frame("stretch")[1] < 1e-6, "{mode}, {factor}");
            run.work("passes")[1]
        };
        let (plain, relaxed) = (passes(1.0), passes(1.3));
        assert!(relaxed < plain, "{mode}: {relaxed} passes, not below {plain}");
    }
}

#[test]
fn j41_points_that_meet_in_one_place_part_and_always_the_same_way() {
    // All three come to the origin in the first frame.
    let text = scene("seconds = 1.0\nrate = 1.0\ngravity = [0.0, 0.0, 0.0]", 1, 100)
        + "[[points]]\nname = \"p\"\npositions = [[-1, 0, 0], [1, 0, 0], [0, 1, 0]]\n\
           velocities = [[1, 0, 0], [-1, 0, 0], [0, -1, 0]]\nsticks = [[0, 1], [1, 2]]\n";
    for mode in MODES {
        let [run, again] = [0, 1].map(|_| by_mode(&text, mode));
        assert_eq!(run.0["per_frame"], again.0["per_frame"], "{mode}");
        // A number that is none would be null, and no number.
        let (stretch, momentum) = (run.per_frame("stretch")[1], run.vectors("momentum_kgmps")[1]);
        assert!(stretch < 1e-6 && (momentum - DVec3::NEG_Y).length() < 1e-12, "{mode}: {stretch}, {momentum}");
    }
}

#[test]
fn j42_bodies_fall_asleep_do_not_move_or_work_and_wake_when_hit() {
    let block = "[[box]]\nname = \"it\"\nposition = [0.0, 0.5, 0.0]\n\
                 [[hit]]\nof = \"it\"\ntime = 5.5\nimpulse = [0.0, 3.0, 0.0]\n";
    let man = "[[ragdoll]]\nname = \"it\"\nposition = [0.0, 0.2, 0.0]\n\
               [[hit]]\nof = \"it/Chest\"\ntime = 5.5\nimpulse = [0.0, 30.0, 0.0]\n";
    // Under particles a ragdoll does not stay asleep.
    for (thing, of, modes) in [(block, "it", 0), (man, "it/LeftFoot", MODES.len())] {
        for option in all().skip(modes) {
            let (method, text) = (option[1], format!("[scene]\nseconds = 6.0\nground = 0.0\n{thing}"));
            let (run, _) = Run::with(&text, option);
            let (asleep, places) = (run.per_frame("asleep"), run.points(of));
            let first = asleep.iter().position(|&share| share == 1.0).expect("it sleeps");
            // It is hit after frame 330.
            assert!(asleep[first..=330].iter().all(|&share| share == 1.0) && asleep[331] == 0.0, "{method}, {of}");
            assert!(places[first..=330].iter().all(|place| *place == places[first]), "{method}, {of}: it moves");
            assert!(places[331] != places[330], "{method}, {of}: it does not move");
            for key in ["substeps", "pairs", "passes", "corrections"] {
                assert_eq!(run.work(key)[first + 1..=330].iter().sum::<u64>(), 0, "{method}, {of}: {key}");
            }
        }
    }
}

/// A pendulum of 1 m and 1 kg, released horizontally, one substep per frame.
fn pendulum() -> String {
    scene("seconds = 10.0", 1, 20)
        + "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [1, 0, 0]]\nfixed = [0]\nsticks = [[0, 1]]\n"
}

#[test]
fn j43_velocity_verlet_with_a_stick_is_the_same_trajectory() {
    // RATTLE: velocity Verlet, with the stick's impulse along its last direction, then none along the stick.
    let h = 1.0 / 60.0;
    let (mut place, mut velocity) = (DVec3::X, DVec3::ZERO);
    let run = by_mode(&pendulum(), "shake");
    // Energies are those of one substep ago.
    for energy in &run.per_frame("potential_energy_j")[1..] {
        assert!((energy / G - place.y).abs() < 1e-10, "{} m, not {}", energy / G, place.y);
        velocity -= DVec3::Y * (0.5 * h * G);
        let (free, last) = (place + velocity * h, place);
        let (b, c) = (free.dot(last), free.length_squared() - 1.0);
        let impulse = c / (b + (b * b - c * last.length_squared()).sqrt());
        place = free - last * impulse;
        velocity -= last * (impulse / h) + DVec3::Y * (0.5 * h * G);
        velocity -= place * (place.dot(velocity) / place.length_squared());
    }
}

#[test]
fn j44_shake_keeps_the_energy_and_period_of_a_pendulum_and_jakobsen_loses_nine_tenths() {
    let run = by_mode(&pendulum(), "shake");
    let energies = run.energies();
    let change = most(energies.iter().map(|energy| (energy - energies[0]).abs())) / G;
    assert!(change <= 2e-3, "{change} m g L");
    // It turns around where its way up becomes a way down, twice in a period.
    let up: Vec<f64> = run.vectors("momentum_kgmps").iter().map(|momentum| momentum.y).collect();
    let turns: Vec<f64> = up
        .windows(2)
        .zip(0..)
        .skip(1)
        .filter(|(two, _)| two[0] > 0.0 && two[1] <= 0.0)
        .map(|(two, frame)| (f64::from(frame) + two[0] / (two[0] - two[1])) / 60.0)
        .collect();
    let period = (turns[7] - turns[0]) / 3.5;
    // 4 √(L/g) K(sin 45°).
    let wanted = 2.367842;
    assert!((period / wanted - 1.0).abs() <= 5e-4, "{period} s, not {wanted}");
    let energies = by_mode(&pendulum(), "jakobsen").energies();
    let lost = (energies[0] - energies[600]) / G;
    assert!((lost - 0.90).abs() < 0.01, "{lost} m g L");
}
