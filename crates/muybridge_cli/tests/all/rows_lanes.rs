//! What runs in lanes of f32 keeps its momenta to 1e-5, for ten seconds.

use muybridge::glam::DVec3;

use crate::simulate_contact::Run;

/// Momentum and angular momentum of each frame of a run, all of it in lanes of f32 but a crowd, whose lanes are not counted.
fn momenta(scene: &str, method: &str, is_counted: bool) -> [Vec<DVec3>; 2] {
    let run = Run::of(scene, method);
    if is_counted {
        let counts = run.work("in_lanes");
        assert!(counts[1..].iter().all(|count| *count == counts[1] && *count > 0), "{counts:?} of {scene}");
    }
    ["momentum_kgmps", "angular_momentum_kgm2ps"].map(|key| run.vectors(key))
}

fn head(seconds: f64, gravity: f64) -> String {
    format!("[scene]\nseconds = {seconds}\ngravity = [0, {gravity}, 0]\nair_density = 0.0\n")
}

const MOVES: &str = "velocity = [1.0, 0.5, -0.7]\ndamping = 0.0\n";

#[test]
fn what_flies_in_lanes_keeps_its_momenta_for_ten_seconds() {
    let herd = |speed: f64, spin: f64| {
        format!("[[herd]]\nname = \"h\"\ncount = 1\nheight = 2.0\nspeed = {speed}\nspin = {spin}\n")
    };
    let cases = [
        (format!("[[ragdoll]]\nname = \"r\"\nposition = [0, 1, 0]\nspin = [1, 2, 0.5]\n{MOVES}"), "particles", true),
        (
            format!("[[cloth]]\nname = \"c\"\nwidth = 1.0\ndepth = 1.0\nposition = [0, 1, 0]\n{MOVES}"),
            "particles",
            true,
        ),
        // A slow turn on a fast flight: its rounding ate the spin within a second, and the flight grew by 1e-3.
        (herd(1.5, 0.1), "particles", true),
        (herd(1.5, 2.0), "particles", true),
        (herd(4.0, 0.5), "particles", true),
        (herd(1.5, 2.0) + "alone = true\n", "multipliers", false),
    ];
    for (thing, method, is_counted) in cases {
        let [linear, angular] = momenta(&(head(10.0, 0.0) + &thing), method, is_counted);
        // Of the angular momentum, and of the momentum about a point at a tenth of a meter.
        let of_spin = angular[0].length() + 0.1 * linear[0].length();
        for (p, l) in linear.iter().zip(&angular) {
            assert!(p.distance(linear[0]) < 1e-5 * linear[0].length(), "{p}, not {} of {thing}", linear[0]);
            assert!(l.distance(angular[0]) < 1e-5 * of_spin, "{l}, not {} of {thing}", angular[0]);
        }
    }
}

#[test]
fn what_falls_in_lanes_gets_the_momentum_of_its_weight() {
    let things = [
        (format!("[[ragdoll]]\nname = \"r\"\nposition = [0, 600, 0]\nspin = [1, 2, 0.5]\n{MOVES}"), 70.0),
        (
            format!("[[cloth]]\nname = \"c\"\nwidth = 1.0\ndepth = 1.0\nmass = 0.3\nposition = [0, 600, 0]\n{MOVES}"),
            0.3,
        ),
    ];
    for (thing, mass) in things {
        let [linear, _] = momenta(&(head(10.0, -9.81) + &thing), "particles", true);
        for (frame, p) in linear.iter().enumerate().skip(1) {
            // Half a substep before the frame, of which there are ten at least.
            let fallen = DVec3::NEG_Y * (mass * 9.81 * frame as f64 / 60.0);
            let off = *p - linear[0] - fallen;
            assert!(off.length() < 1e-5 * mass * 9.81 * 10.0, "frame {frame}: off by {off} of {thing}");
        }
    }
}
