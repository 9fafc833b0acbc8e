//! Acceptance of the angular-momentum tool on whole flights (S10, S16, S18, S22): the built-in jump with an added
//! wobble, and throws with an analytic solution.

use glam::{DMat3, DVec3};

use self::thrown::{GRAVITY, body, character, throw};
use crate::analysis::BodyMotion;
use crate::analysis::flight_errors::{Negligible, flight_errors, largest_per_axis, momentum_error_norm};
use crate::character::Character;
use crate::correction::{
    Jacobian, Newton, RootBone, Scope, SpinError, SpinMethod, SpinReport, SpinSettings, SpinTarget, Unchanged,
    spin_flight,
};
use crate::math::rotation::{exp, log};
use crate::motion::{Clip, WorldMotion};
use crate::samples;

#[path = "../../../tests/all/thrown/mod.rs"]
#[allow(dead_code, reason = "tests from outside use the rest")]
mod thrown;

/// First and last frame of the built-in jump's flight.
const FLIGHT: (usize, usize) = (66, 90);

/// Rotates the body of `clip` about its center of mass by `size · sin²` over the flight, zero at both ends.
fn wobble(character: &Character, clip: &mut Clip, (first, last): (usize, usize), size: DVec3) {
    let carrier = RootBone::of(character, clip).unwrap();
    let bodies = BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip));
    for frame in first + 1..last {
        let way = (frame - first) as f64 / (last - first) as f64;
        let part = (std::f64::consts::PI * way).sin().powi(2);
        carrier.turn(&character.skeleton, clip, frame, bodies.mass_center(frame), exp(size * part));
    }
}

fn bodies(character: &Character, clip: &Clip) -> BodyMotion {
    BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip))
}

/// H over each step of the flight, by backward differences.
fn momenta(character: &Character, clip: &Clip, (first, last): (usize, usize)) -> Vec<DVec3> {
    let bodies = bodies(character, clip);
    (first + 1..=last).map(|n| bodies.angular_momentum(n - 1, n, n, clip.frame_time)).collect()
}

fn settings(momentum: SpinTarget) -> SpinSettings {
    SpinSettings { momentum, ..SpinSettings::default() }
}

fn spun(character: &Character, clip: &Clip, span: (usize, usize), settings: &SpinSettings) -> (Clip, SpinReport) {
    let mut fixed = clip.clone();
    let scope = Scope::all(0..clip.frames());
    let report = spin_flight(character, &mut fixed, span.0..=span.1, settings, &scope).unwrap();
    (fixed, report)
}

fn wobbling_jump() -> (Character, Clip) {
    let (character, mut clip) = (samples::humanoid(), samples::jump());
    wobble(&character, &mut clip, FLIGHT, DVec3::new(0.5, 0.3, -0.2));
    (character, clip)
}

/// A somersault with the jump's poses: the body rotates steadily about x by `turns`, and wobbles.
fn wobbling_somersault(turns: f64) -> (Character, Clip) {
    let (character, mut clip) = wobbling_jump();
    let carrier = RootBone::of(&character, &clip).unwrap();
    let bodies = bodies(&character, &clip);
    for frame in FLIGHT.0 + 1..clip.frames() {
        let way = f64::min((frame - FLIGHT.0) as f64 / (FLIGHT.1 - FLIGHT.0) as f64, 1.0);
        let turn = exp(DVec3::X * (std::f64::consts::TAU * turns * way));
        carrier.turn(&character.skeleton, &mut clip, frame, bodies.mass_center(frame), turn);
    }
    (character, clip)
}

fn assert_only_the_carrier_turned(character: &Character, before: &Clip, after: &Clip, frames: (usize, usize)) {
    let carrier = RootBone::of(character, before).unwrap().bones()[0];
    for frame in 0..before.frames() {
        for bone in 0..before.bones() {
            let same = before.rotation(bone, frame) == after.rotation(bone, frame)
                && before.translation(bone, frame) == after.translation(bone, frame);
            let may_change = bone == carrier && (frames.0..=frames.1).contains(&frame);
            assert!(same || may_change, "bone {bone} frame {frame}");
        }
    }
}

/// Both measures of the angular-momentum error (S22).
fn assert_constant(character: &Character, clip: &Clip, span: (usize, usize), limit: f64) {
    let rows = momenta(character, clip, span);
    let negligible = Negligible::of(character.mass(), 0.9, GRAVITY);
    let none = vec![DVec3::ZERO; rows.len()];
    let errors = flight_errors(&none, &none, &rows, negligible).angular_momentum;
    for error in largest_per_axis(&errors).into_iter().flatten() {
        assert!(error <= limit, "{:?}", largest_per_axis(&errors));
    }
    let norm = momentum_error_norm(&rows, negligible.angular).into_iter().fold(0.0, f64::max);
    assert!(norm <= limit, "{norm}");
}

#[test]
fn s22_after_landing_spin_the_momentum_of_a_wobbling_somersault_is_constant_and_both_ends_are_kept() {
    let (character, clip) = wobbling_somersault(1.0);
    let before = momentum_error_norm(&momenta(&character, &clip, FLIGHT), 0.0).into_iter().fold(0.0, f64::max);
    assert!(before > 0.2, "the wobble is seen: {before}");
    let (fixed, report) = spun(&character, &clip, FLIGHT, &settings(SpinTarget::Landing));
    assert_constant(&character, &fixed, FLIGHT, 1e-9);
    assert!(report.landing_error <= 1e-10 && report.drift <= 5e-15, "{report:?}");
    assert!(report.residual <= 1e-9 * report.momentum.length(), "{report:?}");
    assert_only_the_carrier_turned(&character, &clip, &fixed, (FLIGHT.0 + 1, FLIGHT.1 - 1));
    assert!(report.largest_angle > 0.3 && report.largest_angle < 1.0, "the wobble and no more: {report:?}");
    assert_eq!((report.angles.len(), report.angles[0]), (25, 0.0));
}

#[test]
fn s22_a_wobble_in_a_jump_without_spin_is_taken_out() {
    let (character, clip) = wobbling_jump();
    let (fixed, report) = spun(&character, &clip, FLIGHT, &settings(SpinTarget::Landing));
    let rows = momenta(&character, &fixed, FLIGHT);
    assert!(rows.iter().all(|h| h.distance(report.momentum) < 1e-11), "{report:?}");
    // The jump has no angular momentum by half steps; backward differences of arms and legs leave a small one.
    let still = momenta(&character, &samples::jump(), FLIGHT);
    let largest = still.iter().map(|h| h.length()).fold(0.0, f64::max);
    assert!(report.momentum.length() < 0.3 + largest, "{} {largest}", report.momentum);
    let (old, new) = (bodies(&character, &samples::jump()), bodies(&character, &fixed));
    let off = (FLIGHT.0..=FLIGHT.1)
        .map(|frame| log(new.rotation(0, frame) * old.rotation(0, frame).conjugate()).length())
        .fold(0.0, f64::max);
    assert!(off < 0.03, "the jump as it was before the wobble: {off} rad");
}

#[test]
fn s16_given_mean_and_take_off_momenta_are_what_the_flight_then_has() {
    let (character, clip) = wobbling_somersault(1.0);
    let rows = momenta(&character, &clip, FLIGHT);
    let mean = rows.iter().sum::<DVec3>() / rows.len() as f64;
    let given = mean * 1.3 + DVec3::new(0.0, 4.0, -3.0);
    for (wanted, truth) in [(SpinTarget::Given(given), given), (SpinTarget::Mean, mean), (SpinTarget::TakeOff, rows[0])]
    {
        let (fixed, report) = spun(&character, &clip, FLIGHT, &settings(wanted));
        assert!((report.momentum - truth).length() < 1e-9, "{wanted:?}: {} {truth}", report.momentum);
        assert_constant(&character, &fixed, FLIGHT, 1e-9);
        let last = FLIGHT.1;
        let turned = fixed.rotation(0, last) * clip.rotation(0, last).conjugate();
        assert!((log(turned).length() - report.landing_error).abs() < 1e-12 && report.landing_error > 0.01);
        assert_only_the_carrier_turned(&character, &clip, &fixed, (FLIGHT.0 + 1, FLIGHT.1));
        assert!(report.iterations <= 5, "{report:?}");
    }
}

#[test]
fn s16_a_corrected_flight_is_right_already_and_stays_to_the_bit() {
    let (character, clip) = wobbling_somersault(0.75);
    let wanted =
        [SpinTarget::Landing, SpinTarget::Mean, SpinTarget::TakeOff, SpinTarget::Given(DVec3::new(20.0, 1.0, 2.0))];
    for wanted in wanted {
        let (fixed, report) = spun(&character, &clip, FLIGHT, &settings(wanted));
        assert!(report.unchanged.is_none());
        let (again, report) = spun(&character, &fixed, FLIGHT, &settings(wanted));
        assert_eq!((report.unchanged, again == fixed), (Some(Unchanged::AlreadyRight), true), "{wanted:?}");
    }
}

#[test]
fn s16_a_box_thrown_with_a_spin_about_a_principal_axis_gets_it_back() {
    // Steady rotation about a principal axis is the free motion; the wobble is the error.
    let inertia = DMat3::from_diagonal(DVec3::new(0.3, 0.2, 0.1));
    for (rate, frames, spin) in [(24.0, 13, 5.0), (30.0, 5, 3.0), (60.0, 61, -8.0), (240.0, 401, 6.0)] {
        let character = character(vec![body(2.0, inertia)], vec![]);
        let truth = throw(frames, rate, GRAVITY, DVec3::new(1.0, 4.0, 0.5), DVec3::Z * spin);
        let mut clip = truth.clone();
        wobble(&character, &mut clip, (0, frames - 1), DVec3::new(0.2, -0.3, 0.4));
        let (fixed, report) = spun(&character, &clip, (0, frames - 1), &settings(SpinTarget::Landing));
        assert!((report.momentum - DVec3::Z * (0.1 * spin)).length() < 1e-9, "{rate}: {report:?}");
        for frame in 0..frames {
            let off = log(fixed.rotation(0, frame) * truth.rotation(0, frame).conjugate()).length();
            assert!(off < 1e-9, "{rate} frame {frame}: {off} rad");
        }
    }
}

#[test]
fn s16_a_spin_that_goes_round_the_wrong_way_is_turned_the_way_that_needs_least() {
    // A ball that rotates by 0.9 turns in uneven steps; −0.1 turns would end in the same orientation.
    let character = character(vec![body(2.0, DMat3::from_diagonal(DVec3::splat(0.1)))], vec![]);
    let frames = 31;
    let uneven = thrown::clip(frames, 60.0, |t| {
        let way = t * 2.0;
        (DVec3::Y, exp(DVec3::Z * (std::f64::consts::TAU * 0.9 * way * way * (3.0 - 2.0 * way))))
    });
    let (_, report) = spun(&character, &uneven, (0, frames - 1), &settings(SpinTarget::Landing));
    let truth = 0.1 * std::f64::consts::TAU * 0.9 * 2.0;
    assert!((report.momentum - DVec3::Z * truth).length() < 1e-9, "{report:?}");
}

#[test]
fn s16_of_two_ways_to_land_the_one_with_less_rotation_is_taken() {
    // A ball that stands still and then rotates by 0.6 turns in the last fifth. At constant momentum it reaches the
    // same orientation by 0.6 turns forward, up to 0.48 turns from the clip, or by 0.4 turns back, up to 0.32.
    let character = character(vec![body(2.0, DMat3::from_diagonal(DVec3::splat(0.1)))], vec![]);
    let clip = thrown::clip(61, 60.0, |t| {
        (DVec3::Y, exp(DVec3::Z * (std::f64::consts::TAU * 0.6 * f64::max(0.0, 5.0 * t - 4.0))))
    });
    let (_, report) = spun(&character, &clip, (0, 60), &settings(SpinTarget::Landing));
    let turns = report.momentum / (0.1 * std::f64::consts::TAU);
    assert!((turns - DVec3::Z * -0.4).length() < 1e-9, "{turns}");
    let whole_turn_later = std::f64::consts::TAU - report.angles[59];
    assert!((report.angles[48] - std::f64::consts::TAU * 0.32).abs() < 1e-9 && whole_turn_later > 0.0);
}

#[test]
fn s18_the_papers_method_gets_its_own_momentum_and_says_how_far_the_mass_center_drifts() {
    let (character, clip) = wobbling_somersault(0.5);
    for (jacobian, damping) in [(Jacobian::Source, 1.0), (Jacobian::Exact, 1.0), (Jacobian::Exact, 0.5)] {
        let newton = Newton { damping, iterations: 100, ..Newton::default() };
        let settings = SpinSettings { method: SpinMethod::Source(jacobian), newton, ..settings(SpinTarget::Mean) };
        let (fixed, report) = spun(&character, &clip, FLIGHT, &settings);
        let (old, new) = (bodies(&character, &clip), bodies(&character, &fixed));
        let moved = |frame| new.mass_center(frame).distance(old.mass_center(frame));
        let drift = (FLIGHT.0..=FLIGHT.1).map(moved).fold(0.0, f64::max);
        assert!((drift - report.drift).abs() < 1e-12 && drift > 1e-6 && drift < 0.1, "{report:?}");
        assert!(report.iterations <= if damping < 1.0 { 50 } else { 30 }, "{report:?}");
        assert_only_the_carrier_turned(&character, &clip, &fixed, (FLIGHT.0 + 1, FLIGHT.1));
        // The two measures of momentum agree to first order in the step, so the wobble is gone.
        let rows = momenta(&character, &fixed, FLIGHT);
        let error = momentum_error_norm(&rows, 0.0).into_iter().fold(0.0, f64::max);
        let before = momentum_error_norm(&momenta(&character, &clip, FLIGHT), 0.0).into_iter().fold(0.0, f64::max);
        assert!(error < 0.1 * before, "{error} {before}");
    }
    let source = SpinSettings { method: SpinMethod::Source(Jacobian::Exact), ..settings(SpinTarget::Landing) };
    let (_, report) = spun(&character, &clip, FLIGHT, &source);
    assert!(report.landing_error <= 1e-10, "{report:?}");
}

#[test]
fn half_the_strength_turns_every_frame_by_half_its_angle() {
    let (character, clip) = wobbling_somersault(1.0);
    let (_, whole) = spun(&character, &clip, FLIGHT, &settings(SpinTarget::Landing));
    let mut half = clip.clone();
    let scope = Scope { strength: 0.5, ..Scope::all(0..clip.frames()) };
    let report =
        spin_flight(&character, &mut half, FLIGHT.0..=FLIGHT.1, &settings(SpinTarget::Landing), &scope).unwrap();
    for (half, whole) in report.angles.iter().zip(&whole.angles) {
        assert!((half - 0.5 * whole).abs() < 1e-12);
    }
    assert!(report.landing_error == 0.0 && report.momentum == whole.momentum);
}

#[test]
fn what_the_scope_forbids_stays_to_the_bit_and_is_said() {
    let (character, clip) = wobbling_somersault(1.0);
    let all = Scope::all(0..clip.frames());
    let carrier = RootBone::of(&character, &clip).unwrap().bones()[0];
    let mut protected = vec![false; clip.bones()];
    protected[carrier] = true;
    for (scope, reason) in [
        (Scope { protected, ..all.clone() }, Unchanged::Protected),
        (all.within(0..FLIGHT.1), Unchanged::OutsideScope),
        (all.within(FLIGHT.0 + 1..151), Unchanged::OutsideScope),
        (Scope { strength: 0.0, ..all.clone() }, Unchanged::NoStrength),
    ] {
        let mut fixed = clip.clone();
        let report =
            spin_flight(&character, &mut fixed, FLIGHT.0..=FLIGHT.1, &settings(SpinTarget::Mean), &scope).unwrap();
        assert_eq!((report.unchanged, report.largest_angle), (Some(reason), 0.0));
        assert!(fixed == clip);
    }
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence_and_changes_nothing() {
    let (character, clip) = wobbling_somersault(1.0);
    let scope = Scope::all(0..clip.frames());
    let refuse = |span: (usize, usize), settings: SpinSettings, scope: &Scope| {
        let mut fixed = clip.clone();
        let error = spin_flight(&character, &mut fixed, span.0..=span.1, &settings, scope).unwrap_err();
        assert!(fixed == clip);
        error
    };
    let mean = settings(SpinTarget::Mean);
    assert_eq!(refuse((9, 9), mean, &scope), SpinError::Frames { first: 9, last: 9, frames: 151 });
    assert_eq!(refuse((9, 151), mean, &scope), SpinError::Frames { first: 9, last: 151, frames: 151 });
    let far = refuse(FLIGHT, settings(SpinTarget::Given(DVec3::X * 1e6)), &scope);
    assert!(matches!(far, SpinError::NotReached { frame: 67, .. }), "{far}");
    let nan = refuse(FLIGHT, settings(SpinTarget::Given(DVec3::X * f64::NAN)), &scope);
    assert!(matches!(nan, SpinError::Setting { .. }), "{nan}");
    let near = SpinError::LandingNotMet { last: 9, angle: 0.25, damped: false }.to_string();
    assert!(near.contains("of frame 9: 0.2500 rad are left; keep"), "{near}");
    for far in [f64::NAN, f64::INFINITY] {
        let far = SpinError::LandingNotMet { last: 9, angle: far, damped: false }.to_string();
        assert!(far.contains("of frame 9: nothing near it was reached; keep"), "{far}");
    }
    let strong = refuse(FLIGHT, mean, &Scope { strength: 1.5, ..scope.clone() });
    assert_eq!(strong.to_string(), "the strength is 1.5; it must be 0 to 1");
    let mut weightless = character.clone();
    weightless.bodies.fill(crate::character::Body::none());
    let none = spin_flight(&weightless, &mut clip.clone(), FLIGHT.0..=FLIGHT.1, &mean, &scope);
    assert_eq!(none, Err(SpinError::Weightless));
}

/// Three bodies that rotate by `turns` about x, unevenly, while they swing: not a free motion, but near one.
fn swinging(rate: f64, frames: usize, turns: f64) -> (Character, Clip) {
    let inertia = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
    let bodies = vec![
        body(30.0, inertia(2.0, 0.8, 1.6)),
        body(5.0, inertia(0.05, 0.02, 0.04)),
        body(4.0, inertia(0.02, 0.02, 0.02)),
    ];
    let mut clip = Clip::new(3, frames, 1.0 / rate).unwrap();
    for frame in 0..frames {
        let way = clip.time(frame) / clip.duration();
        let spin = DVec3::new(turns, 0.2, 0.1) * (std::f64::consts::TAU * (way + 0.1 * (way * 3.0).sin()));
        clip.set_rotation(0, frame, exp(spin));
        clip.set_translation(0, frame, DVec3::new(way, 1.0 + way * (1.0 - way), 0.0));
        for (bone, side) in [(1, 1.0), (2, -1.0)] {
            clip.set_translation(bone, frame, DVec3::new(0.4 * side, 0.5 * way.sin(), 0.3 * way));
            clip.set_rotation(bone, frame, exp(DVec3::new(way, side * way, 0.3)));
        }
    }
    (character(bodies, vec![]), clip)
}

#[test]
fn s16_flights_of_four_to_four_hundred_frames_at_24_to_240_frames_per_second_land_on_the_same_motion() {
    for turns in [0.2, 1.0, -2.0] {
        let (character, clip) = swinging(240.0, 400, turns);
        let (_, finest) = spun(&character, &clip, (0, 399), &settings(SpinTarget::Landing));
        let turn = finest.momentum * clip.duration();
        for (rate, frames) in [(24.0, 4), (24.0, 30), (30.0, 20), (60.0, 40), (120.0, 100), (240.0, 4), (240.0, 400)] {
            // At most 0.15 turns per step; backward differences are accurate to first order of that.
            let (steps, round) = ((frames - 1) as f64, turns.abs() + 0.3);
            let possible = turns.abs() <= 0.15 * steps;
            let (character, clip) = swinging(rate, frames, if possible { turns } else { turns.signum() * 0.3 });
            let (fixed, report) = spun(&character, &clip, (0, frames - 1), &settings(SpinTarget::Landing));
            let context = format!("{rate} fps, {frames} frames, {turns} turns: {report:?}");
            assert!(report.landing_error == 0.0 && report.unchanged.is_none(), "{context}");
            assert!(report.residual <= 1e-11 * report.momentum.length(), "{context}");
            assert!(fixed.rotation(0, frames - 1) == clip.rotation(0, frames - 1), "{context}");
            let other = (report.momentum * clip.duration()).distance(turn) / turn.length();
            assert!(!possible || other < 3.0 * round / steps, "{other} {context}");
            assert!(report.largest_angle < 1.7, "{context}");
        }
    }
}

#[test]
fn a_landing_that_no_momentum_reaches_is_an_error_that_says_what_is_left() {
    // Two point masses on a line: a rotation about the line has no inertia, and so no momentum.
    let mut rod = character(vec![body(1.0, DMat3::ZERO), body(1.0, DMat3::ZERO)], vec![]);
    rod.bodies[1].center = DVec3::X;
    let mut clip = Clip::new(2, 10, 1.0 / 60.0).unwrap();
    for frame in 0..10 {
        clip.set_rotation(0, frame, exp(DVec3::new(0.2, 0.1, 0.01 * frame as f64) * frame as f64));
    }
    let before = clip.clone();
    let landed = spin_flight(&rod, &mut clip, 0..=9, &settings(SpinTarget::Landing), &Scope::all(0..10))
        .map_err(|e| e.to_string());
    assert!(landed.as_ref().is_err_and(|error| error.contains("frame 9")), "{landed:?}");
    assert!(clip == before);
}
