//! Cloth, plants and points beside bodies, under every method: what each gives the other.

use muybridge::glam::DVec3;
use serde_json::Value;

use crate::program::{Folder, muybridge};
use crate::simulate_contact::{METHODS, Run};

impl Run {
    /// Greatest number of a key over all frames.
    pub fn most(&self, key: &str) -> f64 {
        self.per_frame(key).into_iter().fold(0.0, f64::max)
    }
}

#[test]
fn a_ball_gives_a_free_cloth_the_momentum_that_it_loses() {
    let scene = "[scene]\nseconds = 0.4\ngravity = [0.0, 0.0, 0.0]\n[[ball]]\nname = \"ball\"\nradius = 0.15\nmass = 1.5\n\
                 position = [-0.5, 0.1, 0.0]\nvelocity = [12.0, 0.0, 0.0]\n[[cloth]]\nname = \"sheet\"\nwidth = 1.2\n\
                 depth = 1.2\ncolumns = 14\nrows = 14\nrotation = [0.0, 0.0, 1.5707963267948966]\nmass = 0.8\nthickness = 0.02\ndamping = 0.0\n";
    for method in METHODS {
        let run = Run::of(scene, method);
        let momenta = run.vectors("momentum_kgmps");
        let worst = momenta.iter().map(|now| now.distance(DVec3::X * 18.0)).fold(0.0, f64::max);
        let places = run.places("ball");
        let last = (places[places.len() - 1][0] - places[places.len() - 2][0]) * 60.0;
        // Together they would move at 18/2.3 m/s.
        assert!(worst < 1e-3 && (4.0..11.0).contains(&last), "{method}: {worst} N s, {last} m/s");
        let energies = run.energies();
        assert!(energies.iter().all(|now| *now < 1.001 * energies[0]), "{method}: {energies:?}");
    }
}

#[test]
fn a_cloth_on_a_turning_box_keeps_momentum_angular_momentum_and_energy() {
    let scene = "[scene]\nseconds = 2.0\ngravity = [0.0, 0.0, 0.0]\n[[box]]\nname = \"box\"\nsize = [0.4, 0.3, 0.3]\nmass = 3.0\n\
                 velocity = [0.0, 0.5, 0.0]\nspin = [0.0, 0.0, 1.5707963267948966]\n[[cloth]]\nname = \"flag\"\nwidth = 0.8\ndepth = 0.5\n\
                 columns = 10\nrows = 6\nposition = [0.61, 0.0, 0.0]\nmass = 0.4\nthickness = 0.01\ndamping = 0.0\n\
                 pins = [\"left\"]\nattached_to = \"box\"\n";
    for method in METHODS {
        let run = Run::of(scene, method);
        let (momenta, turns) = (run.vectors("momentum_kgmps"), run.vectors("angular_momentum_kgm2ps"));
        let worst = momenta.iter().map(|now| now.distance(DVec3::Y * 1.5)).fold(0.0, f64::max);
        // The cloth starts at rest: 3 kg at 0.5 m/s, m (a² + b²)/12 at π/2 rad/s, and the two apart by 0.61 m.
        let (own, apart) = (3.0 * 0.25 / 12.0 * std::f64::consts::FRAC_PI_2, 0.61 * 0.5 * 3.0 * 0.4 / 3.4);
        let turned = turns.iter().map(|now| now.distance(DVec3::Z * (own - apart))).fold(0.0, f64::max);
        assert!(worst < 1e-3 && turned < 0.02 * apart, "{method}: {worst} N s, {turned} N m s of {own} − {apart}");
        let (energies, gap) = (run.energies(), run.most("gap_m"));
        assert!(energies.iter().all(|now| *now < 1.001 * energies[0]), "{method}: {energies:?}");
        assert!(gap < 4e-3, "{method}: {gap} m apart");
    }
}

#[test]
fn a_ball_and_a_box_come_to_rest_on_a_held_cloth() {
    let cloth = "[[cloth]]\nname = \"net\"\nwidth = 1.6\ndepth = 1.6\ncolumns = 16\nrows = 16\nposition = [0.0, 1.0, 0.0]\n\
                 mass = 0.5\nthickness = 0.03\npins = [\"left_back\", \"right_back\", \"left_front\", \"right_front\"]\n";
    let things = [
        "[[ball]]\nname = \"it\"\nradius = 0.15\nmass = 1.2\nposition = [0.1, 1.25, 0.0]\n",
        "[[box]]\nname = \"it\"\nsize = [0.3, 0.2, 0.25]\nmass = 1.2\nposition = [0.0, 1.25, 0.1]\n",
    ];
    for (thing, method) in things.iter().flat_map(|thing| METHODS.map(|method| (thing, method))) {
        let run = Run::of(&format!("[scene]\nseconds = 2.0\n{thing}{cloth}"), method);
        let (heights, energies) = (run.places("it"), run.energies());
        let last: Vec<f64> = heights.iter().rev().take(30).map(|place| place[1]).collect();
        let least = last.iter().copied().fold(f64::INFINITY, f64::min);
        let moved = last.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        // A cloth of 1.6 m whose diagonal is straight would hold it a little below 1 m.
        assert!(least > 0.5 && moved < 0.1, "{method}: {thing}: at {least} m, {moved} m up and down");
        assert!(energies.iter().all(|now| *now < 1.03 * energies[0]), "{method}: {thing}: {energies:?}");
    }
}

#[test]
fn hits_on_cloth_and_points_give_their_impulse_under_every_method() {
    let scene = "[scene]\nseconds = 0.5\ngravity = [0.0, 0.0, 0.0]\n[[cloth]]\nname = \"sheet\"\ncolumns = 9\nrows = 9\nmass = 0.6\n\
                 damping = 0.0\n[[points]]\nname = \"beads\"\npositions = [[3.0, 0.0, 0.0], [3.5, 0.0, 0.0]]\nsticks = [[0, 1]]\n\
                 damping = 0.0\n[[box]]\nname = \"box\"\nposition = [-4.0, 0.0, 0.0]\n[[hit]]\nof = \"sheet\"\n\
                 time = 0.1\nimpulse = [0.3, 0.9, 0.0]\n[[hit]]\nof = \"beads\"\ntime = 0.2\nimpulse = [0.0, 0.0, 0.4]\n[[hit]]\nof = \"box\"\n\
                 time = 0.3\nimpulse = [-1.0, 0.0, 0.0]\n";
    for method in METHODS {
        let run = Run::of(scene, method);
        let momenta = run.vectors("momentum_kgmps");
        let last = momenta[momenta.len() - 1];
        assert!(last.distance(DVec3::new(-0.7, 0.9, 0.4)) < 1e-4, "{method}: {last}");
        let forces: Vec<f64> = run.0["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| {
                let force = |row: &Value| {
                    row.as_array().unwrap().iter().map(|part| part.as_f64().unwrap().powi(2)).sum::<f64>()
                };
                own["force_n"].as_array().unwrap().iter().map(force).fold(0.0, f64::max).sqrt() / 60.0
            })
            .collect();
        for (found, given) in forces.iter().zip([0.9_f64.hypot(0.3), 0.4, 1.0]) {
            assert!((found - given).abs() < 1e-9, "{method}: {forces:?}");
        }
    }
}

#[test]
fn a_person_with_a_cape_falls_under_every_method_and_again_from_the_log() {
    let scene = "[scene]\nseconds = 2.0\nground = 0.0\n[[ragdoll]]\nname = \"man\"\nposition = [0.0, 0.1, 0.0]\n\
                 rotation = [0.3, 0.0, 0.0]\n[[cloth]]\nname = \"cape\"\nwidth = 0.5\ndepth = 0.9\ncolumns = 10\nrows = 18\n\
                 position = [0.0, 0.95, -0.25]\nrotation = [-1.3, 0.0, 0.0]\nmass = 0.3\nthickness = 0.01\n\
                 pins = [\"left_front\", \"right_front\"]\nattached_to = \"man/Chest\"\n";
    for method in ["particles", "multipliers", "displacement", "hennix"] {
        let folder = Folder::new();
        let (file, log) = (folder.file("scene.toml", scene), folder.path("run.log"));
        let (file, log) = (file.to_str().unwrap(), log.to_str().unwrap());
        let said = muybridge(["simulate", "--json", file, "--method", method, "--log", log]);
        assert_eq!(said.code, Some(0), "{method}: {}", said.err);
        let run = Run(serde_json::from_str(&said.out).expect("JSON"));
        let (gap, stretch) = (run.most("gap_m"), run.per_frame("stretch"));
        assert!(gap < 0.01 && stretch[stretch.len() - 1] < 0.1, "{method}: {gap} m, {stretch:?}");
        let again = muybridge(["simulate", "--replay", log]);
        assert_eq!(again.code, Some(0), "{method}: {}{}", again.out, again.err);
    }
}

#[test]
fn a_cloth_without_forces_stays_as_it_is_and_a_swinging_one_gains_nothing() {
    // Rounding moves its points by less than a micrometer a substep; nothing may let that grow.
    for (cells, pins) in [(11, ""), (14, "pins = [\"left_back\"]\n"), (23, ""), (37, "pins = [\"left\"]\n")] {
        let scene = format!(
            "[scene]\nseconds = 3.0\ngravity = [0.0, 0.0, 0.0]\n[solver]\nframes_before_sleep = 0\n[[cloth]]\nname = \"sheet\"\n\
             width = 1.3\ndepth = 1.1\ncolumns = {cells}\nrows = {cells}\nmass = 0.7\ndamping = 0.0\n{pins}"
        );
        let most = Run::of(&scene, "particles").most("kinetic_energy_j");
        assert!(most < 1e-6, "{cells} cells {pins}: {most} J");
    }
    for rate in [60, 240] {
        let scene = format!(
            "[scene]\nseconds = 1.5\nrate = {rate}\n[[cloth]]\nname = \"sheet\"\nwidth = 6.0\ndepth = 5.0\ncolumns = 26\nrows = 22\n\
             mass = 3.0\nposition = [0.0, 6.0, 0.0]\npins = [\"left_back\", \"right_back\"]\n"
        );
        let run = Run::of(&scene, "particles");
        let (energies, stretch) = (run.energies(), run.most("stretch"));
        let gained = energies.iter().fold(0.0, |most: f64, now| most.max(now - energies[0]));
        assert!(gained < 0.02 && stretch < 0.01, "{rate} Hz: {gained} J of {}, stretch {stretch}", energies[0]);
    }
}

#[test]
fn solids_beside_a_plant_and_cloth_under_particles_run_again_from_the_log() {
    let scene = "[scene]\nseconds = 2.0\nground = 0.0\n[[box]]\nname = \"crate\"\nsize = [0.3, 0.3, 0.3]\nposition = [0.0, 1.3, 0.0]\n\
                 [[ball]]\nname = \"ball\"\nradius = 0.1\nposition = [-1.5, 0.5, 0.0]\nvelocity = [6.0, 1.0, 0.0]\n\
                 [[plant]]\nname = \"reed\"\nposition = [-0.9, 0.0, 0.0]\nsegments = 6\nbranches = 2\n[[cloth]]\nname = \"net\"\nwidth = 1.2\n\
                 depth = 1.2\ncolumns = 9\nrows = 9\nposition = [0.0, 0.9, 0.0]\nmass = 0.4\npins = [\"left\", \"right\"]\n\
                 [[pull]]\nof = \"ball\"\npath = [[0.8, 1.5, 0.5, 0.0], [1.2, 1.5, 1.5, 0.0]]\n[[action]]\nname = \"lift\"\nkind = \"move_to\"\n\
                 on = \"crate\"\nto = [0.0, 2.0, 0.0]\nseconds = 0.5\nease = \"quintic\"\nuntil = \"cancelled\"\n[[plan]]\nname = \"p\"\ntime = 0.9\nsteps = [{ begin = \"lift\" }]\n";
    let folder = Folder::new();
    let (file, log) = (folder.file("scene.toml", scene), folder.path("log.toml"));
    let (file, log) = (file.to_str().unwrap(), log.to_str().unwrap());
    let said = muybridge(["simulate", "--json", file, "--log", log]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let run = Run(serde_json::from_str(&said.out).expect("JSON"));
    assert_eq!(run.0["bodies"], 2);
    let lifted = run.places("crate").pop().unwrap();
    assert!((lifted[1] - 2.0).abs() < 0.02, "the plan lifts the crate to 2 m and holds it there: {lifted:?}");
    let again = muybridge(["simulate", "--replay", log]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    let earlier = std::fs::read_to_string(log).unwrap().replacen("version = 3", "version = 2", 1);
    let earlier = folder.file("earlier.toml", &earlier);
    let refused = muybridge(["simulate", "--replay", earlier.to_str().unwrap()]);
    assert!(refused.code == Some(2) && refused.err.contains("an earlier version of muybridge"), "{}", refused.err);
}

#[test]
fn a_clip_that_ends_keeps_its_momentum_in_the_frame_of_release() {
    // Without ground and with the clip's own momentum p: p before and in the frame of release, and p + m g t after it.
    let scene = "[scene]\nseconds = 0.6\n[[ragdoll]]\nname = \"walker\"\nclip = \"walk\"\n[[release]]\nof = \"walker\"\ntime = 0.4\n";
    for method in METHODS {
        let momenta = Run::of(scene, method).vectors("momentum_kgmps");
        let (before, at) = (momenta[23], momenta[24]);
        assert!(before.length() > 0.5 && (at - before).length() < 0.2, "{method}: {before}, then {at}");
        let sideways = DVec3::new(1.0, 0.0, 1.0);
        assert!(((momenta[30] - at) * sideways).length() < 0.2, "{method}: {at}, then {}", momenta[30]);
    }
}

#[test]
fn a_person_who_spins_freely_keeps_the_angular_momentum_while_limbs_touch() {
    let scene = |touches: bool| {
        format!(
            "[scene]\nseconds = 2.0\ngravity = [0.0, 0.0, 0.0]\n[[ragdoll]]\nname = \"man\"\nspin = [3.0, 7.0, 2.0]\n\
             velocity = [1.0, 0.0, 0.0]\nrotation = [0.1, 0.2, 0.3]\nself_collision = {touches}\n"
        )
    };
    for method in METHODS {
        let run = Run::of(&scene(true), method);
        let momenta = run.vectors("angular_momentum_kgm2ps");
        let off = momenta[2..].iter().map(|own| (*own - momenta[2]).length()).fold(0.0, f64::max) / momenta[2].length();
        assert!(off < 2e-6, "{method}: {off}");
        if method != "particles" {
            continue;
        }
        let alone = Run::of(&scene(false), method);
        let touches = ["man/LeftHand", "man/RightHand", "man/LeftFoot", "man/RightFoot"]
            .map(|limb| alone.points(limb)[120].distance(run.points(limb)[120]));
        assert!(touches.iter().any(|way| *way > 1e-3), "{method}: no limb touches another, {touches:?}");
    }
}

#[test]
fn a_person_in_the_air_keeps_the_angular_momentum_where_joints_reach_their_limits() {
    // The energy limit acts there: it once took all rotations alike, up to a fortieth of the angular momentum.
    for spin in [[0.75, 6.4, -0.45], [0.0, 6.0, 0.0], [0.5, 4.0, -1.0]] {
        for friction in [10.0, 0.0] {
            let scene = format!(
                "[scene]\nseconds = 3.0\ngravity = [0.0, 0.0, 0.0]\n[[ragdoll]]\nname = \"man\"\nspin = {spin:?}\n\
                 joint_friction = {friction:?}\n"
            );
            for method in METHODS {
                let run = Run::of(&scene, method);
                let momenta = run.vectors("angular_momentum_kgm2ps");
                let off = momenta[2..].iter().map(|own| (*own - momenta[2]).length()).fold(0.0, f64::max);
                // Particles are stepped in single precision.
                let bound = if method == "particles" { 3e-5 } else { 1e-12 };
                let off = off / momenta[2].length();
                assert!(off < bound, "{method}, {spin:?}, friction {friction}: {off}");
            }
        }
    }
}

#[test]
fn a_cloth_that_a_ball_or_a_box_hits_stretches_by_a_tenth_at_most_and_gives_it_no_energy() {
    let ball = "[[ball]]\nradius = 0.1\n";
    let cases = [
        (ball, 2.0, 15.0, 20, "left_back\", \"right_back\", \"left_front\", \"right_front", 480.0),
        (ball, 20.0, 15.0, 32, "left_back\", \"right_back\", \"left_front\", \"right_front", 480.0),
        (ball, 0.2, 10.0, 16, "left\", \"right", 240.0),
        ("[[capsule]]\nradius = 0.08\nlength = 0.3\n", 2.0, 15.0, 20, "left\", \"right", 60.0),
        (
            "[[box]]\nsize = [0.2, 0.2, 0.2]\n",
            2.0,
            8.0,
            16,
            "left_back\", \"right_back\", \"left_front\", \"right_front",
            60.0,
        ),
        (
            "[[box]]\nsize = [0.2, 0.2, 0.2]\n",
            2.0,
            15.0,
            20,
            "left_back\", \"right_back\", \"left_front\", \"right_front",
            240.0,
        ),
    ];
    for (body, mass, speed, cells, pins, rate) in cases {
        let scene = format!(
            "[scene]\nrate = {rate:?}\nseconds = {:?}\n{body}name = \"b\"\nmass = {mass:?}\n\
             position = [0.0, 1.0, -0.2]\nvelocity = [0.0, 0.0, {speed:?}]\n[[cloth]]\nname = \"sheet\"\n\
             columns = {cells}\nrows = {cells}\nposition = [0.0, 1.0, 0.0]\nrotation = [1.5707963267948966, 0.0, 0.0]\n\
             pins = [\"{pins}\"]\n",
            0.4 / speed + 0.02,
        );
        let methods = if rate == 60.0 { &METHODS[..] } else { &METHODS[..1] };
        for method in methods {
            let run = Run::of(&scene, method);
            let (most, last) = (run.most("stretch"), run.per_frame("stretch").pop().unwrap());
            let case = format!("{mass} kg at {speed} m/s on {cells}² cells at {rate} Hz, {method}");
            assert!(most < 0.1 && last < 0.1, "{case}: {most}, {last} at the end");
            let energies = run.energies();
            assert!(energies.iter().all(|now| *now < 1.001 * energies[0]), "{case}: {energies:?}");
        }
    }
}

#[test]
fn a_free_cloth_and_what_hits_it_keep_their_angular_momentum() {
    let cases = [
        ("[[ball]]\nradius = 0.1\n", 2.0, 0.0),
        ("[[ball]]\nradius = 0.1\n", 2.0, 0.2),
        ("[[ball]]\nradius = 0.1\n", 0.2, 0.2),
        ("[[capsule]]\nradius = 0.08\nlength = 0.3\n", 2.0, 0.2),
        ("[[box]]\nsize = [0.2, 0.2, 0.2]\n", 2.0, 0.2),
    ];
    for ((body, mass, aside), rate) in cases.into_iter().flat_map(|case| [(case, 60.0), (case, 240.0)]) {
        let scene = format!(
            "[scene]\nrate = {rate:?}\nseconds = 0.1\ngravity = [0.0, 0.0, 0.0]\n{body}name = \"b\"\nmass = {mass:?}\n\
             position = [{aside:?}, 1.0, -0.2]\nvelocity = [0.0, 0.0, 15.0]\n[[cloth]]\nname = \"sheet\"\ncolumns = 16\n\
             rows = 16\ndamping = 0.0\nposition = [0.0, 1.0, 0.0]\nrotation = [1.5707963267948966, 0.0, 0.0]\n",
        );
        for method in METHODS {
            let run = Run::of(&scene, method);
            let (turns, energies) = (run.vectors("angular_momentum_kgm2ps"), run.energies());
            let most = turns.iter().map(|now| now.distance(turns[0])).fold(0.0, f64::max);
            let case = format!("{body}{mass} kg, {aside} m aside, at {rate} Hz, {method}");
            assert!(energies[energies.len() - 1] < 0.95 * energies[0], "{case}: misses");
            // Of the blow at a quarter of a meter.
            assert!(most < 2e-4 * 0.25 * mass * 15.0, "{case}: {most} kg m²/s");
        }
    }
}

#[test]
fn what_spins_fast_near_a_cloth_that_it_does_not_touch_keeps_energy_and_angular_momentum() {
    for rate in [30.0, 60.0] {
        let scene = format!(
            "[scene]\nrate = {rate:?}\nseconds = 0.3\n[[box]]\nname = \"rod\"\nsize = [0.08, 0.05, 0.3]\nmass = 0.5\nposition = [0, 3, 0]\n\
             rotation = [0.4, -0.2, 0.9]\nspin = [150, 90, -170]\n[[cloth]]\nname = \"sheet\"\nwidth = 1\ndepth = 1\ncolumns = 3\n\
             rows = 3\nmass = 0.2\nposition = [0, 3.22, 0]\n",
        );
        for method in METHODS {
            let run = Run::of(&scene, method);
            let (energies, turns) = (run.energies(), run.vectors("angular_momentum_kgm2ps"));
            let of_energy = energies[1..].iter().map(|now| (now - energies[1]).abs()).fold(0.0, f64::max);
            let of_turns = turns[1..].iter().map(|now| now.distance(turns[1])).fold(0.0, f64::max);
            assert!(of_energy < 0.01 * energies[1], "{method}, {rate} Hz: {of_energy} J of {} J", energies[1]);
            assert!(of_turns < 0.01 * turns[1].length(), "{method}, {rate} Hz: {of_turns} kg m²/s of {}", turns[1]);
        }
    }
}
