//! S13: the fading offset around a flight, and planted limbs beside it.

use glam::DVec3;

use super::*;
use crate::analysis::{Settings, analyze};
use crate::character::{Role, Side};
use crate::correction::follow_path::{mass_centers, move_along_path};
use crate::samples;

const FLIGHT: (usize, usize) = (67, 90);

/// The sample jump, with its flight raised by an additional arch of `rise` meters between unchanged ends.
fn arched(rise: f64) -> (Character, Clip, Clip) {
    let (character, before) = (samples::humanoid(), samples::jump());
    let centers = mass_centers(&character, &before);
    let length = (FLIGHT.1 - FLIGHT.0) as f64;
    let path: Vec<DVec3> = (FLIGHT.0..=FLIGHT.1)
        .map(|frame| {
            let s = (frame - FLIGHT.0) as f64 / length;
            centers[frame] + DVec3::new(0.3, 1.0, 0.1) * (4.0 * rise * s * (1.0 - s))
        })
        .collect();
    let mut clip = before.clone();
    move_along_path(&character, &mut clip, FLIGHT.0, &path, &Scope::all(0..before.frames())).unwrap();
    (character, before, clip)
}

#[test]
fn s13_without_a_blend_the_frames_outside_are_bitwise_equal_and_with_it_those_outside_the_window() {
    let (character, before, followed) = arched(0.05);
    let outside = |clip: &Clip, window: usize| {
        assert_eq!(clip.cut(0, FLIGHT.0 - window), before.cut(0, FLIGHT.0 - window));
        let end = FLIGHT.1 + 1 + window;
        assert_eq!(clip.cut(end, clip.frames()), before.cut(end, before.frames()));
        assert_eq!(clip.cut(FLIGHT.0, FLIGHT.1 + 1), followed.cut(FLIGHT.0, FLIGHT.1 + 1));
    };
    outside(&followed, 0);
    for window in [0, 1, 3, 10] {
        let mut clip = followed.clone();
        let report = blend(&character, &before, &mut clip, (FLIGHT, window), &[], &Scope::all(0..before.frames()));
        assert_eq!(report.frames, [window; 2]);
        outside(&clip, window);
    }
    let mut clip = followed.clone();
    let protected = Scope { protected: vec![true], ..Scope::all(0..clip.frames()) };
    assert_eq!(blend(&character, &before, &mut clip, (FLIGHT, 3), &[], &protected), BlendReport::default());
    assert_eq!(clip, followed);
    let cut = Scope::all(FLIGHT.0 - 1..FLIGHT.1 + 1);
    assert_eq!(blend(&character, &before, &mut clip, (FLIGHT, 3), &[], &cut).frames, [1, 0]);
    assert_eq!(clip.cut(0, FLIGHT.0 - 1), before.cut(0, FLIGHT.0 - 1));
}

#[test]
fn s13_the_offset_and_its_velocity_are_continuous() {
    let (character, before, followed) = arched(0.05);
    let bends = |clip: &Clip| -> Vec<f64> {
        let offsets: Vec<DVec3> =
            mass_centers(&character, clip).iter().zip(mass_centers(&character, &before)).map(|(a, b)| *a - b).collect();
        offsets.windows(3).map(|o| (o[0] - 2.0 * o[1] + o[2]).length()).collect()
    };
    // Entry k is the second difference at frame k + 1.
    let seams = [FLIGHT.0 - 1, FLIGHT.1 - 1];
    let corner = bends(&followed);
    for window in [3, 6, 12] {
        let mut clip = followed.clone();
        blend(&character, &before, &mut clip, (FLIGHT, window), &[], &Scope::all(0..before.frames()));
        let bends = bends(&clip);
        let largest = |range: Range<usize>| bends[range].iter().copied().fold(0.0, f64::max);
        let beside = largest(FLIGHT.0 - 1 - window..FLIGHT.0 - 1).max(largest(FLIGHT.0..FLIGHT.1 - 1));
        for seam in seams {
            // The polynomial bends by 0.262, 0.85, 0.36 … of the corner at and beyond the seam for a window of 3.
            assert!(bends[seam] < 0.3 * corner[seam], "{window}: {} of {}", bends[seam], corner[seam]);
            assert!(bends[seam] <= beside, "{window}: {} beside {beside}", bends[seam]);
        }
        // Relative to the rate at the seam, which is 23/22 of the first difference in a flight of 23 frames.
        assert!(largest(0..bends.len()) < 0.86 * 23.0 / 22.0 * corner[seams[0]], "{window}");
    }
}

#[test]
fn s13_over_a_window_of_fixed_duration_the_corner_at_the_seam_shrinks_with_the_square_of_the_frame_time() {
    // Δ(t) = A sin πt/T and φ likewise, in a flight of 24 units: rate πA/T at both ends.
    let corners = |fineness: usize| {
        let (inside, window) = (24 * fineness, 6 * fineness - 1);
        let value = |frame: usize| DVec3::Y * libm::sin(core::f64::consts::PI * frame as f64 / inside as f64);
        let offsets = Offsets {
            first: 0,
            centers: vec![DVec3::ZERO; inside + 1],
            shifts: (0..=inside).map(value).collect(),
            turns: (0..=inside).map(|frame| exp(value(frame))).collect(),
        };
        let fade = offsets.fade((0, 1), inside, window);
        let (shift, turn) = fade.at(1);
        let corner = |outside: DVec3| (outside + value(1) - 2.0 * value(0)).length();
        let (end_shift, end_turn) = fade.at(window + 1);
        assert!(end_shift.length() < 1e-15 && end_turn.length() < 1e-15);
        (corner(shift), corner(turn), corner(DVec3::ZERO))
    };
    let (coarse, fine) = (corners(8), corners(16));
    for (a, b, order) in [(coarse.0, fine.0, 4.0), (coarse.1, fine.1, 4.0), (coarse.2, fine.2, 2.0)] {
        assert!(a / b > 0.95 * order, "{a} → {b}, not by {order}");
    }
}

#[test]
fn s13_planted_feet_stay_where_they_were_while_the_body_is_blended() {
    let (character, before, followed) = arched(0.04);
    let analysis = analyze(&character, &before, &Settings::default());
    let planted = planted(&character, &analysis);
    let feet = [Side::Left, Side::Right].map(|side| character.bone_of(Role::Foot(side)).unwrap());
    assert_eq!(planted.iter().map(|p| p.limb.end).collect::<Vec<_>>(), feet);
    let mut clip = followed.clone();
    let report = blend(&character, &before, &mut clip, (FLIGHT, 6), &planted, &Scope::all(0..before.frames()));
    assert!(report.largest_shift > 0.005 && report.residual < 1e-3, "{report:?}");
    let (old, new) = (WorldMotion::new(&character.skeleton, &before), WorldMotion::new(&character.skeleton, &clip));
    for frame in (FLIGHT.0 - 6..FLIGHT.0).chain(FLIGHT.1 + 1..FLIGHT.1 + 7) {
        let hips = new.position(0, frame).distance(old.position(0, frame));
        assert!(hips > 0.0);
        for foot in feet {
            let slid = new.position(foot, frame).distance(old.position(foot, frame));
            assert!(slid <= report.residual + 1e-12, "frame {frame}: {slid}");
            assert!(new.rotation(foot, frame).dot(old.rotation(foot, frame)).abs() > 1.0 - 1e-14);
        }
    }
    // If bones of a leg are protected, the foot moves with the body and the report says so.
    let knee = character.bone_of(Role::LowerLeg(Side::Left)).unwrap();
    let mut protected = vec![false; clip.bones()];
    protected[knee] = true;
    let mut clip = followed.clone();
    let report =
        blend(&character, &before, &mut clip, (FLIGHT, 6), &planted, &Scope { protected, ..Scope::all(0..151) });
    assert_eq!(report.left, [feet[0]]);
    assert_eq!(clip.rotation(knee, FLIGHT.1 + 2), before.rotation(knee, FLIGHT.1 + 2));
}

#[test]
fn a_turn_left_at_the_landing_fades_out_about_the_center_of_mass() {
    let (character, before) = (samples::humanoid(), samples::jump());
    let centers = mass_centers(&character, &before);
    let carrier = RootBone::of(&character, &before).unwrap();
    let mut clip = before.clone();
    for frame in FLIGHT.0..=FLIGHT.1 {
        let turn = exp(DVec3::Y * (0.02 * (frame - FLIGHT.0) as f64));
        carrier.turn(&character.skeleton, &mut clip, frame, centers[frame], turn);
    }
    let report = blend(&character, &before, &mut clip, (FLIGHT, 12), &[], &Scope::all(0..before.frames()));
    let heading = |frame: usize| {
        let old = world_of(&character.skeleton, &before, 0, frame).1;
        log(world_of(&character.skeleton, &clip, 0, frame).1 * old.conjugate()).y
    };
    let headings: Vec<f64> = (FLIGHT.1 - 2..FLIGHT.1 + 14).map(heading).collect();
    let bends: Vec<f64> = headings.windows(3).map(|h| (h[0] - 2.0 * h[1] + h[2]).abs()).collect();
    assert!((headings[2] - 0.46).abs() < 1e-12 && headings[15] == 0.0 && report.largest_turn > 0.45, "{headings:?}");
    assert!(bends.iter().all(|&bend| bend < 0.025) && bends[1] < 0.005, "{bends:?}");
    for frame in FLIGHT.1..FLIGHT.1 + 14 {
        assert!((mass_centers(&character, &clip)[frame] - centers[frame]).length() < 1e-12);
    }
}
