//! Contact, rest and limits of bodies in scenes, under every method: closed forms.

use std::fmt::Write as _;
use std::path::Path;

use muybridge::glam::{DQuat, DVec3};
use serde_json::Value;

use crate::program::{Folder, muybridge};

pub const METHODS: [&str; 3] = ["particles", "multipliers", "displacement"];

/// Options of every mode of particles and every rigid method.
pub fn every() -> Vec<[&'static str; 2]> {
    let modes = ["shake", "xpbd", "jakobsen", "rosen"].map(|mode| ["--particle-mode", mode]);
    [modes.as_slice(), &["multipliers", "displacement", "hennix"].map(|method| ["--method", method])].concat()
}

/// Solvers of free bodies: under `particles` multipliers step them, unless a mode asks for particles.
pub const OF_FREE_BODIES: [&str; 3] = ["shake", "multipliers", "displacement"];

/// Poses of a scene under a method.
pub struct Run(pub Value);

impl Run {
    pub fn of(scene: &str, method: &str) -> Self {
        let option = if method == "shake" { "--particle-mode" } else { "--method" };
        Self::with(scene, [option, method]).0
    }

    /// A run of particles in a mode.
    pub fn in_mode(scene: &str, mode: &str) -> Self {
        Self::with(scene, ["--particle-mode", mode]).0
    }

    /// A run of a scene beside files that it names.
    pub fn beside(folder: &Folder, scene: &str, method: &str) -> Self {
        let option = if method == "shake" { "--particle-mode" } else { "--method" };
        Self::within(folder, scene, [option, method]).0
    }

    /// A run with an option, and what the program says beside the JSON.
    pub fn with(scene: &str, option: [&str; 2]) -> (Self, String) {
        Self::within(&Folder::new(), scene, option)
    }

    fn within(folder: &Folder, scene: &str, option: [&str; 2]) -> (Self, String) {
        let file = folder.file("scene.toml", scene);
        let path: &Path = file.as_ref();
        let said = muybridge(["simulate", "--json", path.to_str().expect("a path"), option[0], option[1]]);
        assert_eq!(said.code, Some(0), "{option:?}: {}", said.err);
        (Self(serde_json::from_str(&said.out).expect("JSON")), said.err)
    }

    /// Numbers of each frame.
    pub fn per_frame(&self, key: &str) -> Vec<f64> {
        self.0["per_frame"][key].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }

    /// Energy of each frame, joules.
    pub fn energies(&self) -> Vec<f64> {
        self.per_frame("kinetic_energy_j")
            .iter()
            .zip(self.per_frame("potential_energy_j"))
            .map(|(k, p)| k + p)
            .collect()
    }

    pub fn rows(&self, of: &str, key: &str) -> Vec<Vec<f64>> {
        let pose = self.0["poses"].as_array().unwrap().iter().find(|pose| pose["of"] == of);
        let row = |row: &Value| row.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
        pose.unwrap_or_else(|| panic!("no {of}"))[key].as_array().unwrap().iter().map(row).collect()
    }

    /// Positions of a body, meters.
    pub fn places(&self, of: &str) -> Vec<Vec<f64>> {
        self.rows(of, "position_m")
    }

    /// Positions of a body as vectors, meters.
    pub fn points(&self, of: &str) -> Vec<DVec3> {
        self.places(of).iter().map(|row| DVec3::from_slice(row)).collect()
    }

    /// Orientations of a body.
    pub fn turns(&self, of: &str) -> Vec<DQuat> {
        self.rows(of, "rotation_xyzw").iter().map(|row| DQuat::from_slice(row)).collect()
    }

    /// Vectors of each frame.
    pub fn vectors(&self, key: &str) -> Vec<DVec3> {
        let row = |row: &Value| DVec3::from_array([0, 1, 2].map(|axis| row[axis].as_f64().unwrap()));
        self.0["per_frame"][key].as_array().unwrap().iter().map(row).collect()
    }

    /// Counts of each frame's work.
    pub fn work(&self, key: &str) -> Vec<u64> {
        self.0["work"][key]["per_frame"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect()
    }

    /// Turn of a body about an axis of the world, radians, counted through whole turns.
    fn angles(&self, of: &str, axis: usize) -> Vec<f64> {
        let mut last = 0.0_f64;
        let rows = self.rows(of, "rotation_xyzw");
        let start = 2.0 * rows[0][axis].atan2(rows[0][3]);
        let angle = |row: Vec<f64>| {
            let angle = 2.0 * row[axis].atan2(row[3]) - start;
            last = angle + std::f64::consts::TAU * ((last - angle) / std::f64::consts::TAU).round();
            last
        };
        rows.into_iter().map(angle).collect()
    }

    /// Greatest lean of a body's y axis against the vertical, radians.
    pub fn most_lean(&self, of: &str) -> f64 {
        let lean = |q: &Vec<f64>| (1.0 - 2.0 * (q[0] * q[0] + q[2] * q[2])).clamp(-1.0, 1.0).acos();
        self.rows(of, "rotation_xyzw").iter().map(lean).fold(0.0, f64::max)
    }
}

/// A floor at height 0 of flush tiles along x, from 0.
fn tiles(count: u32, side: f64, friction: f64) -> String {
    let mut text = String::new();
    for index in 0..count {
        let middle = (f64::from(index) + 0.5) * side;
        let _ = write!(
            text,
            "[[obstacle]]\nname = \"tile {index}\"\nkind = \"box\"\nsize = [{side}, 0.3, 3.0]\nposition = [{middle}, -0.15, 0.0]\nfriction = {friction}\n"
        );
    }
    text
}

#[test]
fn what_slides_stops_or_rolls_as_coulomb_says_at_any_frame_rate() {
    for (rate, speed, friction) in [(24, 1.3, 0.4), (60, 0.8, 0.25), (60, 4.0, 0.55), (120, 2.0, 0.3)] {
        let body = |kind: &str, keys: &str, at: [f64; 3]| {
            format!(
                "[[{kind}]]\nname = \"{kind}\"\n{keys}\nmass = 3.0\nposition = {at:?}\nvelocity = [{}, 0.0, {}]\nfriction = {friction}\n",
                speed * 0.6,
                speed * 0.8
            )
        };
        let scene = format!(
            "[scene]\nrate = {rate}\nseconds = 1.25\nground = 0.0\nground_friction = {friction}\n{}{}",
            body("box", "size = [0.5, 0.16, 0.3]", [0.0, 0.08, 0.0]),
            body("ball", "radius = 0.12", [2.0, 0.12, 0.0])
        );
        // v²/2µg; a ball rolls from 2v/7µg on, with 5/7 of its speed.
        let (pull, rolls) = (friction * 9.81, 2.0 * speed / (7.0 * friction * 9.81));
        let exact = [speed * speed / (2.0 * pull), rolls * speed * 6.0 / 7.0 + (1.25 - rolls) * speed * 5.0 / 7.0];
        for method in OF_FREE_BODIES {
            let run = Run::of(&scene, method);
            for (kind, exact) in ["box", "ball"].into_iter().zip(exact) {
                let places = run.points(kind);
                let way = (*places.last().unwrap() - places[0]).length();
                assert!((way / exact - 1.0).abs() < 2e-3, "{method}, {kind}, {rate} Hz: {way} m of {exact}");
            }
        }
    }
}

#[test]
fn a_crate_slides_over_the_seams_of_a_floor_as_over_one_piece() {
    // v²/2µg with 3 m/s and 0.4.
    let exact = 9.0 / (2.0 * 0.4 * 9.81);
    let scene = format!(
        "[scene]\nseconds = 2.0\n[[box]]\nname = \"crate\"\nsize = [0.5, 0.3, 0.4]\nmass = 4.0\nposition = [0.5, 0.15, 0.2]\n\
         velocity = [3.0, 0.0, 0.0]\nfriction = 0.4\n{}",
        tiles(7, 0.37, 0.4)
    );
    for method in OF_FREE_BODIES {
        let run = Run::of(&scene, method);
        let (places, lean) = (run.places("crate"), run.most_lean("crate"));
        let way = places.last().unwrap()[0] - 0.5;
        assert!((way - exact).abs() < 0.02 * exact && lean < 0.01, "{method}: {way} m of {exact}, {lean} rad");
    }
}

#[test]
fn a_fast_ball_does_not_notice_the_seams_of_a_floor() {
    let scene = format!(
        "[scene]\nseconds = 0.8\n[[ball]]\nname = \"ball\"\nradius = 0.15\nposition = [0.3, 0.15, 0.0]\n\
         velocity = [21.0, 0.0, 0.0]\nfriction = 0.0\n{}",
        tiles(30, 0.6, 0.0)
    );
    for method in OF_FREE_BODIES {
        for (frame, place) in Run::of(&scene, method).places("ball").iter().enumerate() {
            let exact = 0.3 + 21.0 * frame as f64 / 60.0;
            assert!((place[0] - exact).abs() < 1e-3 && (place[1] - 0.15).abs() < 1e-3, "{method} {frame}: {place:?}");
        }
    }
}

#[test]
fn a_crate_stands_in_a_corner_of_floor_and_walls() {
    let scene = "[scene]\nseconds = 2.0\n[[box]]\nname = \"crate\"\nsize = [0.4, 0.6, 0.4]\nposition = [0.2, 0.31, 0.2]\n\
                 [[obstacle]]\nname = \"floor\"\nkind = \"box\"\nsize = [4.0, 0.2, 4.0]\nposition = [0.0, -0.1, 0.0]\n\
                 [[obstacle]]\nname = \"left\"\nkind = \"box\"\nsize = [0.2, 2.0, 4.0]\nposition = [-0.1, 1.0, 0.0]\n\
                 [[obstacle]]\nname = \"back\"\nkind = \"box\"\nsize = [4.0, 2.0, 0.2]\nposition = [0.0, 1.0, -0.1]\n";
    for method in OF_FREE_BODIES {
        let run = Run::of(scene, method);
        let end = run.places("crate").pop().unwrap();
        for (axis, exact) in [0.2, 0.3, 0.2].into_iter().enumerate() {
            assert!((end[axis] - exact).abs() < 2e-3, "{method}: {end:?}");
        }
        assert!(run.most_lean("crate") < 0.01, "{method}");
    }
}

#[test]
fn boxes_that_meet_squarely_go_on_together() {
    let scene = "[scene]\nseconds = 1.5\ngravity = [0.0, 0.0, 0.0]\n\
                 [[box]]\nname = \"one\"\nsize = [0.6, 0.5, 0.7]\nmass = 3.0\nrestitution = 0.0\nposition = [-0.5, 0.0, 0.0]\nvelocity = [0.8, 0.0, 0.0]\n\
                 [[box]]\nname = \"other\"\nsize = [0.6, 0.5, 0.7]\nmass = 1.0\nrestitution = 0.0\nposition = [0.4, 0.0, 0.0]\n";
    for method in OF_FREE_BODIES {
        let run = Run::of(scene, method);
        for name in ["one", "other"] {
            let places = run.places(name);
            let speed = (places[90][0] - places[60][0]) * 2.0;
            assert!((speed - 0.6).abs() < 0.02 && run.most_lean(name) < 0.01, "{method}, {name}: {speed} m/s");
        }
    }
}

#[test]
fn a_row_of_dominoes_that_fell_asleep_falls() {
    let mut scene = "[scene]\nseconds = 12.0\nground = 0.0\nground_friction = 0.6\n\
                     [[box]]\nname = \"first\"\nsize = [0.1, 2.0, 1.0]\nposition = [0.0, 1.01, 0.0]\nrotation = [0.0, 0.0, -0.08]\n"
        .to_owned();
    for index in 0..5 {
        let x = 0.35 + 0.25 * f64::from(index);
        let _ = write!(
            scene,
            "[[box]]\nname = \"{index}\"\nsize = [0.1, 2.0, 1.0]\nposition = [{x}, 1.0, 0.0]\nfriction = 0.5\n"
        );
    }
    for method in ["shake", "multipliers"] {
        let run = Run::of(&scene, method);
        for name in ["first", "0", "1", "2", "3", "4"] {
            let lean = run.most_lean(name);
            assert!(lean > 1.0, "{method}, {name}: {lean} rad");
        }
    }
}

#[test]
fn what_swings_or_turns_slowly_does_not_fall_asleep() {
    let scene = "[scene]\nseconds = 8.0\n\
                 [[box]]\nname = \"lamp\"\nsize = [0.4, 0.1, 0.4]\nposition = [3.0, 2.0, 0.0]\nspin = [0.0, 0.03, 0.0]\n\
                 [[joint]]\nname = \"string\"\nkind = \"hinge\"\nof = \"lamp\"\nat = [3.0, 2.5, 0.0]\naxis = [0.0, 1.0, 0.0]\n\
                 [[box]]\nname = \"hand\"\nsize = [0.2, 0.02, 0.02]\nposition = [6.0, 2.0, 0.0]\n\
                 [[joint]]\nname = \"clock\"\nkind = \"hinge\"\nof = \"hand\"\nat = [5.9, 2.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n\
                 motor_damping = 50.0\nmotor_speed = [0.0, -0.01, 0.0]\n\
                 [[box]]\nname = \"rod\"\nsize = [0.05, 1.0, 0.05]\nposition = [0.0087265, 1.5000381, 0.0]\nrotation = [0.0, 0.0, 0.0174533]\n\
                 [[joint]]\nname = \"pivot\"\nkind = \"hinge\"\nof = \"rod\"\nat = [0.0, 2.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n\
                 [[obstacle]]\nname = \"shelf\"\nkind = \"box\"\nsize = [0.3, 0.2, 0.3]\nposition = [9.0, 0.9, 0.0]\n\
                 [[box]]\nname = \"head\"\nsize = [0.3, 0.3, 0.3]\nmass = 20.0\nposition = [9.0, 1.15, 0.0]\n\
                 [[ball]]\nname = \"earring\"\nradius = 0.015\nmass = 0.03\nposition = [9.229887, 0.840449, 0.0]\ndamping = 0.0\n\
                 [[obstacle]]\nname = \"slope\"\nkind = \"box\"\nsize = [6.0, 0.2, 2.0]\nposition = [20.0, 0.0, 0.0]\n\
                 rotation = [0.0, 0.0, -0.004]\n[[ball]]\nname = \"rolls\"\nradius = 0.1\nposition = [20.0, 0.2, 0.0]\n\
                 [[joint]]\nname = \"ear\"\nof = \"earring\"\nto = \"head\"\nat = [9.2, 1.139, 0.0]\n";
    for method in METHODS {
        let run = Run::of(scene, method);
        let lamp = *run.angles("lamp", 1).last().unwrap();
        assert!((lamp - 0.24).abs() < 0.005, "{method}: the lamp turned by {lamp}");
        let hand = *run.angles("hand", 1).last().unwrap();
        assert!((hand + 0.08).abs() < 0.002, "{method}: the hand turned by {hand}");
        // From 1° to −1° and back, as it began.
        let swings = run.angles("rod", 2);
        let late = &swings[240..];
        let range =
            late.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)) - late.iter().fold(f64::INFINITY, |a, &b| a.min(b));
        assert!((range.to_degrees() - 2.0).abs() < 0.1, "{method}: the rod swings over {}°", range.to_degrees());
        // 0.3 m below the ear, let go 3 cm aside.
        let ways = &run.points("earring")[240..];
        let farthest = ways.iter().map(|place| place.x - 9.2).fold(0.0, f64::max);
        assert!((farthest - 0.03).abs() < 0.003, "{method}: the earring swings by {farthest} m");
        // ½ · 5/7 g · slope · t².
        let (rolled, exact) = (run.points("rolls").last().unwrap().x - 20.0, 0.5 * 5.0 / 7.0 * 9.81 * 0.004 * 64.0);
        assert!((rolled - exact).abs() < 0.1 * exact, "{method}: the ball rolls by {rolled} m");
    }
}

#[test]
fn an_elastic_rope_sags_between_its_supports_as_a_beam() {
    // 5 w L⁴/384 E I over a span of 0.79 m, for any number of segments.
    let exact = 5.0 * (0.2 * 9.81 / 0.8) * 0.79_f64.powi(4) / (384.0 * 2.0);
    let scene = |segments: u32| {
        format!(
            "[scene]\nseconds = 5.0\n[[rope]]\nname = \"beam\"\nfrom = [-0.4, 1.0, 0.0]\nto = [0.4, 1.0, 0.0]\nsegments = {segments}\n\
             mass = 0.2\nradius = 0.004\nstiffness = 2.0\nfixed = [\"start\"]\nfriction = 0.0\ndamping = 3.0\n\
             [[obstacle]]\nname = \"support\"\nkind = \"capsule\"\nradius = 0.02\nlength = 0.4\nposition = [0.39, 0.976, 0.0]\n\
             rotation = [1.5707963, 0.0, 0.0]\nfriction = 0.0\n"
        )
    };
    for segments in [8, 16] {
        for method in ["multipliers", "displacement"] {
            let run = Run::of(&scene(segments), method);
            let lowest = |link: u32| run.places(&format!("beam/{link}")).last().unwrap()[1];
            let sag = 1.0 - (1..=segments).map(lowest).fold(f64::INFINITY, f64::min);
            assert!((sag - exact).abs() < 0.1 * exact, "{method}, {segments}: {sag} m of {exact}");
        }
    }
    // Particles have no poses: the mean sag is w L⁴/120 E I.
    let mean = 0.2 * 9.81 / 0.8 * 0.79_f64.powi(4) / (120.0 * 2.0);
    for segments in [10, 40] {
        for mode in ["shake", "xpbd"] {
            let potential = Run::in_mode(&scene(segments), mode).per_frame("potential_energy_j");
            let sag = (potential[0] - potential.last().unwrap()) / (0.2 * 9.81);
            assert!((sag - mean).abs() < 0.1 * mean, "{mode}, {segments}: {sag} m of {mean}");
        }
    }
}

#[test]
fn a_hinge_turns_beyond_half_a_turn_as_far_as_its_limit() {
    // A spring to 200°, the long way because the short one is closed; and one to 320° behind a limit at 260°.
    let hinge = |name: &str, x: f64, target: f64| {
        format!(
            "[[box]]\nname = \"{name}\"\nsize = [0.6, 0.1, 0.1]\nposition = [{x}, 0.0, 0.0]\n\
             [[joint]]\nname = \"hinge of {name}\"\nkind = \"hinge\"\nof = \"{name}\"\nat = [{}, 0.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n\
             angle_limits = [\"-20 deg\", \"260 deg\"]\nfrequency = 1.0\ntarget = [0.0, 0.0, {}]\n",
            x - 0.3,
            target.to_radians()
        )
    };
    let scene = format!(
        "[scene]\nseconds = 4.0\ngravity = [0.0, 0.0, 0.0]\n{}{}",
        hinge("free", 0.0, 200.0),
        hinge("stopped", 4.0, 320.0)
    );
    for method in METHODS {
        let run = Run::of(&scene, method);
        for (name, exact) in [("free", 200.0), ("stopped", 260.0)] {
            let angle = run.angles(name, 2).last().unwrap().to_degrees();
            assert!((angle - exact).abs() < 1.0, "{method}, {name}: {angle}°");
        }
    }
    let wrong = scene.replace("260 deg", "345 deg");
    let folder = Folder::new();
    let file = folder.file("wide.toml", &wrong);
    let said = muybridge(["simulate", AsRef::<Path>::as_ref(&file).to_str().unwrap()]);
    assert!(said.code == Some(2) && said.err.contains("whole turn apart"), "{}", said.err);
}

#[test]
fn a_column_of_twelve_boxes_stands_still() {
    let scene = "[scene]\nseconds = 3.0\nground = 0.0\n[[box]]\nname = \"box\"\nsize = [0.4, 0.25, 0.3]\nmass = 3.0\n\
                 position = [0.0, 0.125, 0.0]\ngrid = [1, 12, 1]\nspacing = [1.0, 0.25, 1.0]\n";
    for method in OF_FREE_BODIES {
        let run = Run::of(scene, method);
        let poses = run.0["poses"].as_array().unwrap();
        assert_eq!(poses.len(), 12, "{method}");
        for pose in poses {
            let of = pose["of"].as_str().unwrap();
            let places = run.places(of);
            for place in &places {
                let moved: f64 = (0..3).map(|axis| (place[axis] - places[0][axis]).powi(2)).sum();
                assert!(moved.sqrt() < 0.004, "{method}, {of}: {place:?} from {:?}", places[0]);
            }
        }
    }
}

#[test]
fn a_heavy_box_stands_on_three_light_ones_though_nothing_may_sleep() {
    let scene = "[scene]\nseconds = 4\nground = 0.0\n[solver]\nframes_before_sleep = 0\n[[box]]\nname = \"light\"\n\
                 size = [0.3, 0.3, 0.3]\nmass = 2\nposition = [0, 0.15, 0]\ngrid = [1, 3, 1]\nspacing = [1, 0.3, 1]\n\
                 [[box]]\nname = \"heavy\"\nsize = [0.3, 0.3, 0.3]\nmass = 200\nposition = [0, 1.05, 0]\n";
    for method in ["multipliers", "displacement"] {
        let run = Run::of(scene, method);
        let start = DVec3::new(0.0, 1.05, 0.0);
        let farthest = run.points("heavy").iter().map(|place| place.distance(start)).fold(0.0, f64::max);
        // Four contacts, each at most as deep as the slop of a millimeter.
        assert!(farthest < 4e-3, "{method}: {farthest}");
        let (energies, most) = (run.energies(), 1.0 + 1e-4);
        assert!(energies.iter().all(|energy| *energy <= energies[0] * most), "{method}");
    }
}

#[test]
fn a_ton_stands_on_kilograms_though_nothing_may_sleep() {
    let one = |name: &str, mass: f64, height: f64| {
        format!("[[box]]\nname = \"{name}\"\nsize = [0.4, 0.4, 0.4]\nmass = {mass}\nposition = [0, {height}, 0]\n")
    };
    let head = "[scene]\nseconds = 3\nground = 0.0\n[solver]\nframes_before_sleep = 0\n";
    let doll = "[[ragdoll]]\nname = \"doll\"\nposition = [0.3, 0.1, 0.3]\n";
    for (scene, height) in [
        (one("low", 2.0, 0.2) + &one("heavy", 2000.0, 0.6) + doll, 0.6),
        (one("low", 1.0, 0.2) + &one("middle", 1.0, 0.6) + &one("heavy", 1000.0, 1.0), 1.0),
    ] {
        for method in ["multipliers", "displacement"] {
            let run = Run::of(&(head.to_owned() + &scene), method);
            let start = DVec3::new(0.0, height, 0.0);
            let farthest = run.points("heavy").iter().map(|place| place.distance(start)).fold(0.0, f64::max);
            // Each contact may be as deep as the slop of a millimeter, and the doll falls against the boxes.
            assert!(farthest < 5e-3, "{method}, {height}: {farthest} m");
        }
    }
}

#[test]
fn a_thrown_box_keeps_its_path_and_spin_when_what_lies_beside_it_falls_asleep() {
    // Under particles, frames with a rope take more substeps than those of a box alone.
    let scene = "[scene]\nseconds = 3.5\nground = 0.0\n[[box]]\nname = \"box\"\nsize = [0.4, 0.25, 0.3]\nmass = 3.0\n\
                 position = [0.0, 2.0, 0.0]\nvelocity = [0.7, 20.0, 0.0]\nspin = [0.0, 0.0, 4.0]\ndamping = 0.0\n\
                 [[rope]]\nname = \"rope\"\nfrom = [3.0, 0.02, 0.0]\nto = [4.0, 0.02, 0.0]\nsegments = 5\nmass = 1.0\nradius = 0.02\n";
    for method in METHODS {
        let run = Run::of(scene, method);
        for (frame, place) in run.places("box").iter().enumerate() {
            let time = frame as f64 / 60.0;
            let exact = [0.7 * time, 2.0 + 20.0 * time - 0.5 * 9.81 * time * time, 0.0];
            let off = (0..3).map(|axis| (place[axis] - exact[axis]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-4, "{method} at {time} s: {place:?}, not {exact:?}");
        }
        let turned = *run.angles("box", 2).last().unwrap();
        assert!((turned - 14.0).abs() < 5e-3, "{method}: {turned} rad");
    }
}

#[test]
fn an_arm_that_starts_deep_in_a_slab_is_brought_out_where_it_begins() {
    // The hand is at the underside, where the arm cannot follow. To lift the arm out takes less than 250 J.
    let scene = "[scene]\nseconds = 2.0\n[[ragdoll]]\nname = \"man\"\nposition = [0.0, -0.77, 0.0]\nrotation = [0.0, 0.0, -1.5707963]\n\
                 [[obstacle]]\nname = \"slab\"\nkind = \"box\"\nsize = [12.0, 0.55, 5.0]\nposition = [0.0, -0.275, 0.0]\n";
    for method in METHODS {
        let run = Run::of(scene, method);
        let energy = run.energies();
        let most = energy.iter().fold(0.0_f64, |most, &one| most.max(one));
        assert!(most - energy[0] < 250.0, "{method}: {} J, then {most}", energy[0]);
        let hand = run.places("man/LeftHand");
        assert!(hand.last().unwrap()[1] > 0.0, "{method}: {:?}", hand.last());
    }
}

#[test]
fn a_box_rides_in_a_circle_on_a_turntable() {
    // Friction carries ω² r = 1.2 m/s² of 5.9.
    let (rate, radius) = (0.9_f64, 1.5);
    let scene = format!(
        "[scene]\nseconds = 6.0\n[[obstacle]]\nname = \"table\"\nkind = \"box\"\nsize = [5.0, 0.2, 5.0]\nposition = [0.0, -0.1, 0.0]\n\
         spin = [0.0, {rate}, 0.0]\nfriction = 0.6\n[[box]]\nname = \"rider\"\nsize = [0.3, 0.2, 0.2]\nposition = [{radius}, 0.1, 0.0]\n\
         velocity = [0.0, 0.0, {}]\nspin = [0.0, {rate}, 0.0]\nfriction = 0.6\nrestitution = 0.0\n",
        -rate * radius
    );
    for method in METHODS {
        for (frame, place) in Run::of(&scene, method).points("rider").into_iter().enumerate() {
            let angle = rate * frame as f64 / 60.0;
            let exact = DVec3::new(radius * angle.cos(), 0.1, -radius * angle.sin());
            assert!(place.distance(exact) < 2e-3, "{method}, frame {frame}: {place}, not {exact}");
        }
    }
}

/// One solid of each kind above a slope, a floor and a wall that moves.
const SOLIDS: &str = "[[box]]\nname = \"box\"\nsize = [0.3, 0.2, 0.4]\nposition = [0.0, 0.5, 0.0]\nrotation = [0.2, 0.0, 0.1]\ngrid = [1, 3, 1]\n\
    spacing = [0.0, 0.4, 0.0]\n[[ball]]\nname = \"ball\"\nradius = 0.1\nposition = [-1.0, 0.6, 0.05]\nvelocity = [5.0, 0.0, 0.0]\n\
    [[capsule]]\nname = \"capsule\"\nposition = [0.5, 0.8, 0.1]\nspin = [0.0, 0.0, 6.0]\n\
    [[tetrahedron]]\nname = \"tetrahedron\"\nposition = [0.1, 2.0, 0.1]\n[[body]]\nname = \"skittle\"\nmesh = \"skittle\"\nposition = [0.9, 0.2, 0.0]\n\
    [[obstacle]]\nname = \"slope\"\nkind = \"half_space\"\nnormal = [-0.2, 1.0, 0.0]\n\
    [[obstacle]]\nname = \"wall\"\nkind = \"box\"\nsize = [0.2, 1.0, 2.0]\nposition = [1.6, 0.5, 0.0]\nvelocity = [-0.3, 0.0, 0.0]\n\
    [[hit]]\nof = \"box 2\"\ntime = 0.4\nimpulse = [0.0, 2.0, 1.0]\n[[explosion]]\nposition = [0.5, 0.0, 0.0]\ntime = 0.8\nspeed = 2.0\n\
    [[pull]]\nof = \"capsule\"\npath = [[0.6, 0.5, 0.5, 0.0], [1.2, 0.0, 1.5, 0.5]]\n";

#[test]
fn free_bodies_of_particles_are_stepped_to_the_bit_as_by_multipliers() {
    let scene = format!("[scene]\nseconds = 1.5\nground = 0.0\n{SOLIDS}");
    let [particles, multipliers] = ["particles", "multipliers"].map(|method| Run::of(&scene, method).0);
    for key in ["poses", "mode", "integrator", "substeps", "iterations", "actions", "work", "energy_j", "worst"] {
        assert_eq!(particles[key], multipliers[key], "{key}");
    }
    assert_eq!((&particles["method"], &particles["mode"]), (&"particles".into(), &"rattle".into()));
    assert_eq!((&particles["bodies"], &particles["particles"]), (&7.into(), &0.into()));
}

#[test]
fn solids_are_particles_in_nets_and_where_a_key_says_so() {
    let scene = |keys: &str, things: &str| {
        format!("[scene]\nseconds = 0.1\n[solver.particles]\n{keys}[[ball]]\nname = \"ball\"\n{things}")
    };
    let joint =
        |index: usize| format!("[[joint]]\nname = \"joint {index}\"\nof = \"ball\"\nat = [0.0, {index}.0, 0.0]\n");
    let net: String = (0..18).map(joint).collect();
    let cloth = "[[cloth]]\nname = \"cloth\"\nposition = [4.0, 1.0, 0.0]\ncolumns = 3\nrows = 2\n";
    let as_particles = [
        (scene("", &net), 4),
        (
            scene(
                "",
                "[[joint]]\nname = \"soft\"\nof = \"ball\"\nat = [0, 1, 0]\nkind = \"hinge\"\ncompliance = 0.1\n",
            ),
            4,
        ),
        (scene("free_bodies = \"particles\"\n", ""), 4),
        (scene("substeps = 20\n", ""), 4),
        (scene("mode = \"jakobsen\"\n", cloth), 4 + 12),
    ];
    for (scene, particles) in as_particles {
        let run = Run::of(&scene, "particles").0;
        assert_eq!((&run["particles"], &run["bodies"]), (&particles.into(), &0.into()), "{scene}");
        assert!(run["integrator"].is_null() && run["mode"] != "rattle", "{scene}");
    }
    let as_bodies = [(scene("sleep_threshold = 0.1\n", ""), 0), (scene("", cloth), 12), (scene("", &joint(1)), 0)];
    for (scene, particles) in as_bodies {
        let run = Run::of(&scene, "particles").0;
        assert_eq!((&run["particles"], &run["bodies"]), (&particles.into(), &1.into()), "{scene}");
        let folder = Folder::new();
        let file = folder.file("scene.toml", &scene);
        let told = muybridge(["simulate", AsRef::<Path>::as_ref(&file).to_str().unwrap()]).out;
        assert!(told.contains("particles, as rigid bodies   4 substeps by need   1 rigid bod"), "{told}");
    }
}

#[test]
fn a_hundred_boxes_in_ten_columns_stand_and_sleep_under_particles() {
    // The kth box of a column at 0.1 + 0.2 k.
    let scene = |keys: &str| {
        format!(
            "[scene]\nseconds = 2.5\nground = 0.0\n{keys}[[box]]\nname = \"box\"\nsize = [0.2, 0.2, 0.2]\nmass = 1.5\n\
             position = [0.0, 0.1, 0.0]\ngrid = [5, 10, 2]\nspacing = [0.5, 0.2, 0.5]\n"
        )
    };
    let run = Run::of(&scene(""), "particles");
    for index in 0..100 {
        let (place, height) =
            (run.places(&format!("box {}", index + 1)).pop().unwrap(), 0.1 + 0.2 * f64::from(index / 10));
        assert!((place[1] - height).abs() < 1e-3, "box {}: {place:?}, not {height}", index + 1);
    }
    assert_eq!(run.0["asleep"], 1.0);
    let awake = Run::of(&scene("[solver.particles]\nsleep_threshold = 0.0\n"), "particles");
    assert_eq!((&awake.0["asleep"], &awake.0["bodies"]), (&0.0.into(), &100.into()));
}

#[test]
fn ragdolls_of_particles_are_rigid_bodies_beside_more_than_planes() {
    let scene = |more: &str| {
        format!(
            "[scene]\nseconds = 0.05\nground = 0.0\n[[ragdoll]]\nname = \"doll\"\ncharacter = \"mannequin\"\nposition = [0.0, 1.0, 0.0]\n{more}"
        )
    };
    let bodies = |scene: &str| {
        let run = Run::of(scene, "particles").0;
        [&run["bodies"], &run["particles"]].map(|count| count.as_u64().expect("a count"))
    };
    let crate_ = "[[box]]\nname = \"crate\"\nposition = [3.0, 0.5, 0.0]\n";
    let alone = bodies(&scene(""));
    assert_eq!(alone[0], 0);
    let dolls = bodies(&scene("[[obstacle]]\nname = \"slope\"\nkind = \"half_space\"\nnormal = [0.2, 1.0, 0.0]\n"));
    assert_eq!(dolls, alone, "planes");
    let own = bodies(&scene("[[obstacle]]\nname = \"flight\"\nkind = \"stairs\"\nposition = [1.0, 0.0, 0.0]\n"))[0];
    assert!(4 * own == alone[1], "{own} bones of {} particles", alone[1]);
    for (more, solids) in [
        (crate_, 1),
        ("[[joint]]\nname = \"hand\"\nof = \"doll/l_hand\"\nat = [0.5, 2.4, 0.0]\n", 0),
        (
            "[[obstacle]]\nname = \"hill\"\nkind = \"height_field\"\ncolumns = 2\nheights = [0.0, 0.5, 0.0, 0.5]\nsize = [4, 1, 4]\n",
            0,
        ),
    ] {
        assert_eq!(bodies(&scene(more)), [own + solids, 0], "{more}");
    }
    let cloth = "[[cloth]]\nname = \"cloth\"\nposition = [4.0, 1.0, 0.0]\ncolumns = 3\nrows = 2\n";
    assert_eq!(bodies(&scene(&format!("{crate_}{cloth}"))), [0, alone[1] + 4 + 12]);
}

#[test]
fn a_ragdoll_that_a_crate_hits_in_the_air_keeps_momentum_and_spin() {
    let scene = "[scene]\nseconds = 1.0\ngravity = [0.0, 0.0, 0.0]\n\
        [[ragdoll]]\nname = \"doll\"\ncharacter = \"mannequin\"\nposition = [0.0, 1.0, 0.0]\n\
        [[box]]\nname = \"crate\"\nsize = [0.4, 0.4, 0.4]\nmass = 12.0\nposition = [0.2, 2.1, 1.5]\nvelocity = [0.0, 0.0, -5.0]\n";
    let run = Run::of(scene, "particles").0;
    let last = |key: &str| {
        let all = run["per_frame"][key].as_array().expect("a list");
        [&all[0], all.last().expect("a frame")]
            .map(|of| DVec3::from_array(core::array::from_fn(|axis| of[axis].as_f64().expect("a number"))))
    };
    let [start, end] = last("momentum_kgmps");
    assert!(start.distance(DVec3::new(0.0, 0.0, -60.0)) < 1e-9, "{start}");
    assert!(end.distance(start) < 1e-5 * 60.0, "{start} {end}");
    let [start, end] = last("angular_momentum_kgm2ps");
    assert!(end.distance(start) < 1e-5 * start.length(), "{start} {end}");
    let lost = |frame: usize| run["per_frame"]["kinetic_energy_j"][frame].as_f64().expect("an energy");
    assert!(lost(59) < 0.95 * lost(0), "it was hit: {} J", lost(59));
}
