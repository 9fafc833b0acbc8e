//! Rows about the narrow phase of boxes, by the program on a scene.

use std::fmt::Write as _;

use muybridge::glam::{DMat3, DQuat, DVec3};

use crate::simulate_contact::Run;

/// Pairs of boxes in a scene.
const PAIRS: u32 = 1000;

/// Half the sides of both boxes, and how they lie.
struct Pair {
    half: [DVec3; 2],
    place: [DVec3; 2],
    turn: [DMat3; 2],
}

/// Vectors from −1 to 1, spread evenly.
fn spread(n: u32) -> DVec3 {
    DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9).map(|a| 2.0 * (f64::from(n + 1) * a).fract() - 1.0)
}

impl Pair {
    fn new(n: u32) -> (Self, String) {
        let middle = DVec3::new(4.0 * f64::from(n % 40), 4.0 * f64::from(n / 40), 0.0);
        let half = [0, 1].map(|side| 0.3 + 0.2 * spread(6 * n + side).abs());
        let place = [middle, middle + 1.1 * spread(6 * n + 2)];
        let rotations = [0, 1].map(|side| 3.0 * spread(6 * n + 3 + side));
        let turn = rotations.map(|rotation| DMat3::from_quat(DQuat::from_scaled_axis(rotation)));
        let mut text = String::new();
        for side in 0..2 {
            let (size, place, rotation) = (2.0 * half[side], place[side], rotations[side]);
            let _ = write!(
                text,
                "[[box]]\nname = \"{n} {side}\"\nsize = {size}\nposition = {place}\nrotation = {rotation}\n"
            );
        }
        (Self { half, place, turn }, text)
    }

    /// Greatest gap along an axis of the separating-axis theorem, meters; negative if the boxes overlap.
    fn gap(&self) -> f64 {
        let [a, b] = &self.turn;
        let [a, b] = [[a.x_axis, a.y_axis, a.z_axis], [b.x_axis, b.y_axis, b.z_axis]];
        let crossed = a.iter().flat_map(|a| b.iter().map(|b| a.cross(*b)));
        let axes = a.iter().chain(&b).copied().chain(crossed).filter_map(DVec3::try_normalize);
        let of = |axis: DVec3| {
            let reach = |sides: &[DVec3; 3], half: DVec3| {
                (0..3).map(|side| half[side] * sides[side].dot(axis).abs()).sum::<f64>()
            };
            (self.place[1] - self.place[0]).dot(axis).abs() - reach(&a, self.half[0]) - reach(&b, self.half[1])
        };
        axes.map(of).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Greatest depth of a corner of one box in the other, meters; negative if none is inside.
    fn corner_depth(&self) -> f64 {
        let of = |own: usize, other: usize, corner: u32| {
            let signs = DVec3::new(f64::from(corner & 1), f64::from(corner >> 1 & 1), f64::from(corner >> 2));
            let point = self.place[own] + self.turn[own] * (self.half[own] * (2.0 * signs - 1.0));
            let inside = self.turn[other].transpose() * (point - self.place[other]);
            (self.half[other] - inside.abs()).min_element()
        };
        let all = (0..8).flat_map(|corner| [of(0, 1, corner), of(1, 0, corner)]);
        all.fold(f64::NEG_INFINITY, f64::max)
    }
}

#[test]
fn h15_h16_corners_inside_and_crossed_edges_are_what_separating_axes_say() {
    for scene in 0..2 {
        let (pairs, texts): (Vec<Pair>, Vec<String>) = (scene * PAIRS..(scene + 1) * PAIRS).map(Pair::new).unzip();
        let head = "[scene]\nseconds = 0.01\ngravity = [0, 0, 0]\n[solver]\nframes_before_sleep = 0\n[solver.rigid]\n\
                    narrow_phase = \"points_and_edges\"\n";
        for method in ["multipliers", "displacement", "hennix"] {
            let run = Run::of(&(head.to_owned() + &texts.concat()), method);
            // Boxes that touch are pushed apart, if they are deeper than the slop of a millimeter.
            let mut counts = [0; 3];
            for (pair, n) in pairs.iter().zip(scene * PAIRS..) {
                let (gap, corner) = (pair.gap(), pair.corner_depth());
                if (-2e-3..0.0).contains(&gap) || (0.0..2e-3).contains(&corner) {
                    continue;
                }
                let places = run.places(&format!("{n} 0"));
                let is_hit = places[1] != places[0];
                assert_eq!(is_hit, gap < 0.0, "{method}, {n}: a gap of {gap} m, and of corners {corner} m");
                // A corner inside is a hit; a hit without one is of edges.
                counts[if corner > 0.0 {
                    0
                } else if is_hit {
                    1
                } else {
                    2
                }] += 1;
            }
            assert!(counts.iter().all(|count| *count > 20), "{method}: {counts:?} by corners, by edges, apart");
        }
    }
}
