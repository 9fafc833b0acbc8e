//! Acceptance of flights through the whole analysis: errors of free fall, gravity, ends and size (S20–S22, S24–S26, S35, S36).

use crate::thrown;

use muybridge::analysis::{
    Analysis, Cutoff, FindingId, Flight, Limits, Settings, Severity, VelocityDifference, Verdict, analyze,
};
use muybridge::analysis::{momentum_error, momentum_error_norm};
use muybridge::character::{Character, Role, Side};
use muybridge::glam::{DMat3, DVec3};
use muybridge::math::rotation::exp;
use muybridge::motion::{Clip, WorldMotion};
use muybridge::samples;
use thrown::{GRAVITY, analysis, body, character, throw};

/// A ball: its momentum is parallel to its spin whatever the axis.
fn ball() -> Character {
    character(vec![body(0.6, DMat3::from_diagonal(DVec3::splat(0.02)))], vec![])
}

fn only_flight(analysis: &Analysis) -> &Flight {
    assert_eq!(analysis.flights.len(), 1);
    &analysis.flights[0]
}

#[test]
fn s20_s21_s22_an_ideal_throw_has_no_error_and_falls_with_one_g() {
    let clip = throw(31, 60.0, GRAVITY, DVec3::new(2.0, 2.4, -1.5), DVec3::new(3.0, -5.0, 2.0));
    let found = analysis(&ball(), &clip, VelocityDifference::Central);
    let flight = only_flight(&found);
    assert_eq!((flight.span.first, flight.span.last), (0, 30));
    assert!(flight.horizontal_path_error <= 1e-12 && !flight.path_error_in_meters);
    assert!(flight.linear_momentum_error[1].is_none(), "gravity changes the vertical momentum");
    for axis in [0, 2] {
        assert!(flight.linear_momentum_error[axis].unwrap() <= 1e-12, "{:?}", flight.linear_momentum_error);
    }
    for error in flight.angular_momentum_error {
        assert!(error.unwrap() <= 1e-12, "{:?}", flight.angular_momentum_error);
    }
    assert!(flight.linear_momentum_error_norm <= 1e-12 && flight.angular_momentum_error_norm <= 1e-12);
    assert!((flight.gravity - 1.0).abs() <= 1e-12, "S24: {}", flight.gravity);
    assert!(found.findings.is_empty() && found.verdict == Verdict::Plausible);
}

#[test]
fn s20_a_frame_moved_aside_is_off_by_its_distance_over_the_way() {
    let mut clip = throw(31, 60.0, GRAVITY, DVec3::new(2.0, 2.4, 0.0), DVec3::ZERO);
    let aside = clip.translation(0, 12) + DVec3::Z * 0.05;
    clip.set_translation(0, 12, aside);
    let found = analysis(&ball(), &clip, VelocityDifference::Central);
    let errors = &only_flight(&found).per_frame.horizontal_path;
    assert!((errors[12] - 0.05 / 1.0).abs() <= 1e-12, "1 m in half a second: {}", errors[12]);
    assert!(errors.iter().enumerate().all(|(frame, error)| frame == 12 || *error <= 1e-12));
}

/// Number of frames of the clips with one step of double length, and the frame that ends that step.
const ROWS: usize = 12;
const LONG: usize = 7;

/// Steps taken until `frame`, one of them of double length.
fn steps(frame: usize) -> f64 {
    (frame + usize::from(frame >= LONG)) as f64
}

#[test]
fn s21_doubling_one_velocity_gives_n_minus_1_over_n_plus_1() {
    let mut clip = throw(ROWS, 30.0, GRAVITY, DVec3::ZERO, DVec3::ZERO);
    for frame in 0..ROWS {
        let place = clip.translation(0, frame) + DVec3::new(0.1, 0.0, -0.04) * steps(frame);
        clip.set_translation(0, frame, place);
    }
    let found = analysis(&ball(), &clip, VelocityDifference::Backward);
    let rows = ROWS as f64;
    let (double, single) = ((rows - 1.0) / (rows + 1.0), 1.0 / (rows + 1.0));
    for (frame, error) in only_flight(&found).per_frame.linear_momentum.iter().enumerate() {
        let truth = if frame == LONG { double } else { single };
        for axis in [0, 2] {
            assert!((error[axis].unwrap() - truth).abs() <= 1e-12, "frame {frame}: {error:?}, not {truth}");
        }
    }
}

#[test]
fn s22_doubling_one_angular_velocity_gives_n_minus_1_over_n_plus_1() {
    let mut clip = throw(ROWS, 30.0, GRAVITY, DVec3::X, DVec3::ZERO);
    for frame in 0..ROWS {
        clip.set_rotation(0, frame, exp(DVec3::new(0.06, -0.1, 0.05) * steps(frame)));
    }
    let found = analysis(&ball(), &clip, VelocityDifference::Backward);
    let rows = ROWS as f64;
    let (double, single) = ((rows - 1.0) / (rows + 1.0), 1.0 / (rows + 1.0));
    let flight = only_flight(&found);
    for (frame, error) in flight.per_frame.angular_momentum.iter().enumerate() {
        let truth = if frame == LONG { double } else { single };
        assert!(error.iter().all(|e| (e.unwrap() - truth).abs() <= 1e-12), "frame {frame}: {error:?}, not {truth}");
    }
    assert!(flight.angular_momentum_error.iter().all(|e| (e.unwrap() - double).abs() <= 1e-12));
}

#[test]
fn s22_each_axis_is_judged_by_its_own_mean_and_the_norm_by_the_whole() {
    let mut momenta = vec![DVec3::new(4.0, 0.0, -3.0); 10];
    momenta[3].x += 4.0;
    let (errors, norms) = (momentum_error(&momenta, 1e-9), momentum_error_norm(&momenta, 1e-9));
    assert!((errors[3].x - 3.6 / 4.4).abs() <= 1e-14 && errors[3].y == 0.0 && errors[3].z == 0.0);
    assert!((norms[3] - 3.6 / (4.4f64 * 4.4 + 9.0).sqrt()).abs() <= 1e-14);
}

#[test]
fn s22_the_built_in_jump_has_no_angular_momentum_to_lose() {
    let found = analysis(&samples::humanoid(), &samples::jump(), VelocityDifference::Central);
    let flight = only_flight(&found);
    // The angular momentum by half steps is zero; central differences see it to second order in the step.
    assert!(flight.angular_momentum_change < 0.25, "{} kg m²/s", flight.angular_momentum_change);
    assert!((flight.gravity - 1.0).abs() < 1e-6, "{}", flight.gravity);
}

#[test]
fn s24_s25_s35_thirteen_frames_that_fall_with_2_2_g_ask_for_six_more_or_a_smaller_body() {
    for (gravity, frames, size) in [(2.2, 6, 1.0 / 2.2), (1.0, 0, 1.0), (0.43, -4, 2.3256), (3.35, 10, 0.2985)] {
        let clip = throw(13, 24.0, gravity * GRAVITY, DVec3::new(1.0, 3.0, 0.0), DVec3::Z);
        let found = analysis(&ball(), &clip, VelocityDifference::Central);
        let flight = only_flight(&found);
        assert!((flight.gravity - gravity).abs() <= 1e-12, "{}", flight.gravity);
        assert_eq!(flight.frames_to_add, frames, "{gravity} g");
        assert!((flight.size_factor - size).abs() < 1e-4);
    }
}

#[test]
fn s26_a_walk_that_becomes_a_jump_flies_once_and_the_ends_are_right_to_a_frame() {
    let (clip, airborne) = walk_and_jump();
    let person = samples::humanoid();
    for floor in [0.0, -1.37, 2.5] {
        let mut moved = clip.clone();
        for frame in 0..clip.frames() {
            moved.set_translation(0, frame, clip.translation(0, frame) + DVec3::Y * floor);
        }
        for settings in [Settings::default(), Settings { cutoff: Cutoff::Off, ..Settings::default() }] {
            let found = analyze(&person, &moved, &settings);
            let spans: Vec<_> = found.flights.iter().map(|f| (f.span.first, f.span.last)).collect();
            assert_eq!(spans.len(), 1, "floor {floor}: {spans:?}");
            let (first, last) = spans[0];
            assert!(first.abs_diff(airborne.0) <= 1 && last.abs_diff(airborne.1) <= 1, "{spans:?}, not {airborne:?}");
            assert!((found.floor.unwrap() - floor).abs() < 0.005, "{:?}, not {floor}", found.floor);
            assert!(found.unseen_support.is_empty());
            assert!((found.flights[0].gravity - 1.0).abs() < 0.01, "{}", found.flights[0].gravity);
            let errors: Vec<_> = found.findings.iter().filter(|f| f.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{errors:?}");
        }
    }
}

#[test]
fn s26_what_the_user_marks_is_a_flight_or_none() {
    let (person, clip) = (samples::humanoid(), samples::jump());
    let marked = Settings { flights: vec![(70, 85)], supports: vec![(60, 69), (86, 95)], ..Settings::default() };
    let found = analyze(&person, &clip, &marked);
    let flight = only_flight(&found);
    assert_eq!((flight.span.first, flight.span.last, flight.marked), (70, 85, true));
    assert!((flight.gravity - 1.0).abs() < 1e-6);
    let carried = analyze(&person, &clip, &Settings { supports: vec![(60, 95)], ..Settings::default() });
    assert!(carried.flights.is_empty());
    assert_eq!(carried.unseen_support.iter().map(|s| (s.first, s.last)).collect::<Vec<_>>(), [(60, 95)]);
}

#[test]
fn s36_what_is_a_finding_follows_from_limits_that_can_be_edited() {
    let clip = throw(40, 60.0, 1.5 * GRAVITY, DVec3::new(1.0, 3.0, 0.0), DVec3::Z);
    let judged = |gravity_g: [f64; 2]| {
        let limits = Limits { gravity_g, ..Limits::default() };
        let found = analyze(&ball(), &clip, &Settings { limits, ..Settings::default() });
        let finding = found.findings.iter().find(|f| f.id == FindingId::FlightGravity).map(|f| (f.severity, f.limit));
        (found.verdict, finding)
    };
    let [low, high] = Limits::default().gravity_g;
    assert_eq!([low, high], [0.8, 1.25]);
    assert_eq!(judged([low, high]), (Verdict::Implausible, Some((Severity::Error, [Some(0.8), Some(1.25)]))));
    assert_eq!(judged([0.5, 2.0]), (Verdict::Plausible, None));
    assert_eq!(judged([1.6, 2.0]).0, Verdict::Implausible);
}

/// The built-in walk, a second in which the knees stretch, and then the built-in jump at the place where the walk
/// ended; with the first and last airborne frame. The jump's feet leave the ground after its frame 66 and touch it
/// again at 91.
fn walk_and_jump() -> (Clip, (usize, usize)) {
    const BLEND: usize = 60;
    let person = samples::humanoid();
    let (walk, jump) = (samples::walk(), samples::jump());
    let bones = person.skeleton.len();
    let (before, after) = (walk.frames(), jump.frames());
    let foot = person.bone_of(Role::Foot(Side::Left)).unwrap();
    let ankle = |clip: &Clip, frame: usize| WorldMotion::new(&person.skeleton, clip).position(foot, frame);
    let travel = ankle(&walk, before - 1) - ankle(&jump, 0);
    let mut clip = Clip::new(bones, before + BLEND + after, walk.frame_time).unwrap();
    for frame in 0..clip.frames() {
        for bone in 0..bones {
            let walked = frame.min(before - 1);
            let jumped = frame.saturating_sub(before + BLEND);
            let s = ((frame + 1).saturating_sub(before) as f64 / (BLEND + 1) as f64).min(1.0);
            let share = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
            let shift = if bone == 0 { travel } else { DVec3::ZERO };
            let rotation = walk.rotation(bone, walked).slerp(jump.rotation(bone, jumped), share);
            let from = walk.translation(bone, walked);
            clip.set_rotation(bone, frame, rotation.normalize());
            clip.set_translation(bone, frame, from.lerp(jump.translation(bone, jumped) + shift, share));
        }
    }
    // While the knees stretch, the hips move so that the left ankle stays.
    let planted = ankle(&walk, before - 1);
    let slid: Vec<DVec3> = (before..before + BLEND).map(|frame| planted - ankle(&clip, frame)).collect();
    for (frame, slid) in (before..).zip(slid) {
        clip.set_translation(0, frame, clip.translation(0, frame) + slid);
    }
    (clip, (before + BLEND + 67, before + BLEND + 90))
}
