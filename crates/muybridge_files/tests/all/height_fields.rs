//! Height fields under every method: what they hold, what falls through their holes, and what comes from below.

use std::fmt::Write;
use std::path::Path;

use muybridge::glam::DVec3;
use muybridge::simulation::recording::Drawn;
use muybridge::simulation::{Scene, World};
use muybridge_files::scene::{load, read, write};

const METHODS: [&str; 4] = ["particles", "multipliers", "displacement", "hennix"];
/// Gravity, m/s².
const G: f64 = 9.81;

/// A field of 41 × 41 heights over 12 × 12 m.
fn field(height: impl Fn(f64, f64) -> f64, friction: f64) -> String {
    let mut text = format!(
        "[[obstacle]]\nname = \"field\"\nkind = \"height_field\"\nsize = [12.0, 1.0, 12.0]\ncolumns = 41\nfriction = {friction}\nheights = ["
    );
    for row in 0..41 {
        for column in 0..41 {
            let [x, z] = [column, row].map(|i| 0.3 * f64::from(i) - 6.0);
            let _ = write!(text, "{:?}, ", height(x, z));
        }
    }
    text + "]\n"
}

fn scene(method: &str, seconds: f64, things: &str) -> Scene {
    let head = format!("[scene]\nseconds = {seconds}\n[solver]\nmethod = \"{method}\"\n");
    read(format!("{head}{things}").as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// Places of the thing “it” over time.
fn path(scene: Scene) -> Vec<DVec3> {
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    let recording = World::new(scene, &assets).unwrap().record();
    let track = recording.tracks.iter().find(|track| track.name == "it").unwrap();
    let Drawn::Body { poses, .. } = &track.drawn else { panic!("a body") };
    poses.iter().map(|pose| pose.0).collect()
}

fn run(method: &str, seconds: f64, things: &str) -> Vec<DVec3> {
    path(scene(method, seconds, things))
}

fn last(path: &[DVec3]) -> DVec3 {
    path[path.len() - 1]
}

fn box_at(position: DVec3, rest: &str) -> String {
    format!(
        "[[box]]\nname = \"it\"\nsize = [0.4, 0.2, 0.3]\nrestitution = 0.0\nposition = {:?}\n{rest}\n",
        position.to_array()
    )
}

fn ball_at(position: DVec3, rest: &str) -> String {
    format!("[[ball]]\nname = \"it\"\nradius = 0.2\nrestitution = 0.0\nposition = {:?}\n{rest}\n", position.to_array())
}

#[test]
fn nothing_is_too_fast_for_a_field() {
    let hills = |x: f64, z: f64| 0.2 * (1.3 * x).sin() * (1.1 * z).cos();
    for method in METHODS {
        for speed in [10.0, 60.0, 200.0] {
            let rest = format!("velocity = [1.0, {}, 0.0]\nspin = [1.0, 2.0, 3.0]", -speed);
            for thing in [box_at(DVec3::new(0.03, 8.0, 0.07), &rest), ball_at(DVec3::new(0.03, 8.0, 0.07), &rest)] {
                let seen = run(method, 0.9, &(thing + &field(hills, 0.6)));
                let least = seen.iter().map(|p| p.y - hills(p.x, p.z)).fold(f64::INFINITY, f64::min);
                // The center of a lying box is 0.1 m above the ground; cells cut off up to 0.02 m of the hills.
                assert!(least > 0.07, "{method} at {speed} m/s: {least}");
            }
        }
    }
}

#[test]
fn friction_on_a_tilted_field_is_coulombs() {
    // A box rests below arctan 0.5 = 26.6° and slides above by g (sin α − μ cos α).
    for method in METHODS {
        for degrees in [24.0_f64, 30.0] {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let start = DVec3::new(0.0, 0.1 / cosine, 0.03);
            let rest = format!("rotation = [0.0, 0.0, \"{} deg\"]\nfriction = 0.5", -degrees);
            let seen = run(method, 1.0, &(box_at(start, &rest) + &field(|x, _| -x * sine / cosine, 0.5)));
            let slid = last(&seen).distance(start);
            let expected = (0.5 * G * (sine - 0.5 * cosine)).max(0.0);
            assert!((slid - expected).abs() < 0.005 + 0.02 * expected, "{method} at {degrees}°: {slid} {expected}");
        }
    }
}

#[test]
fn inner_edges_of_a_field_trip_nothing() {
    for method in METHODS {
        let start = DVec3::new(-3.0, 0.1, 0.07);
        let seen =
            run(method, 2.0, &(box_at(start, "velocity = [2.0, 0.0, 0.3]\nfriction = 0.0") + &field(|_, _| 0.0, 0.0)));
        let expected = start + DVec3::new(4.0, 0.0, 0.6);
        assert!(last(&seen).distance(expected) < 2e-3, "{method}: {}", last(&seen));
        assert!(seen.iter().all(|p| (p.y - 0.1).abs() < 1e-3), "{method}: the box hops");
        // A ball rolls down a field shaped as a plane with five sevenths of g sin α.
        let (sine, cosine) = 8.0_f64.to_radians().sin_cos();
        let start = DVec3::new(-3.0, 3.0 * sine / cosine + 0.2 / cosine, 0.01);
        let seen = run(method, 2.0, &(ball_at(start, "") + &field(|x, _| -x * sine / cosine, 0.6)));
        let rolled = last(&seen).distance(start);
        let expected = 0.5 * 5.0 / 7.0 * G * sine * 4.0;
        assert!((rolled / expected - 1.0).abs() < 0.01, "{method}: {rolled} {expected}");
    }
}

#[test]
fn what_meets_a_hole_or_is_below_a_field_falls_as_if_it_were_not_there() {
    let hole = |x: f64, z: f64| if x.abs() < 1.0 && z.abs() < 1.0 { f64::NEG_INFINITY } else { 0.0 };
    for method in METHODS {
        for (start, heights) in
            [(DVec3::new(0.1, 1.0, 0.1), field(hole, 0.6)), (DVec3::new(0.1, -3.0, 0.1), field(|_, _| 0.0, 0.6))]
        {
            for thing in [box_at(start, ""), ball_at(start, "")] {
                let seen = run(method, 1.5, &(thing + &heights));
                let fallen = start.y - last(&seen).y;
                assert!((fallen - 0.5 * G * 2.25).abs() < 0.1, "{method}: {fallen}");
            }
        }
        // Beside the hole it is held.
        let seen = run(method, 1.5, &(ball_at(DVec3::new(2.0, 0.5, 2.0), "") + &field(hole, 0.6)));
        assert!((last(&seen).y - 0.2).abs() < 2e-3, "{method}: {}", last(&seen));
        // What comes from below passes, and lands on the upper side.
        let seen = run(
            method,
            3.0,
            &(ball_at(DVec3::new(0.1, -2.0, 0.1), "velocity = [0.0, 10.0, 0.0]") + &field(|_, _| 0.0, 0.6)),
        );
        let most = seen.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        // It would rise to 10²/2g − 2 = 3.10 m, and is lifted at most by its diameter and the thickness of the ground.
        assert!(
            most > 3.0 && most < 3.1 + 0.5 && (last(&seen).y - 0.2).abs() < 2e-3,
            "{method}: {most} {}",
            last(&seen)
        );
    }
}

#[test]
fn a_hole_is_written_and_read_back_and_a_field_is_as_deep_as_its_size() {
    let text = "[[obstacle]]\nname = \"f\"\nkind = \"height_field\"\nsize = [2.0, 1.0, 8.0]\ncolumns = 3\n\
                heights = [0, 0, 0, 0, nan, 0, 0, 0, 0, 0, 0, 0]\n";
    let scene = scene("particles", 1.0, text);
    assert_eq!(read(write(&scene).as_bytes()).unwrap(), scene);
    assert_eq!(read(text.replace("nan", "-inf").as_bytes()).unwrap().obstacles, scene.obstacles);
    for bad in ["inf", "1e13"] {
        let told = read(text.replace("nan", bad).as_bytes()).unwrap_err().to_string();
        assert!(told.contains("heights must be"), "{told}");
    }
    let told = read(text.replace(", 0]", ", 0, nan]").as_bytes()).unwrap_err().to_string();
    assert!(told.contains("rows of 3"), "{told}");
    for method in METHODS {
        for (z, is_held) in [(3.5, true), (4.5, false)] {
            let seen = run(method, 1.0, &(ball_at(DVec3::new(0.5, 0.3, z), "") + text));
            assert_eq!(last(&seen).y > 0.15, is_held, "{method} at {z}: {}", last(&seen));
        }
    }
}
