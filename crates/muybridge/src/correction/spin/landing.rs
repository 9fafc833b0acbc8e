//! Constant momentum that brings a flight to the orientation of its last frame with the least rotation.
//!
//! There are many solutions: full turns apart, and for a tumbling body also others. [`relax`] finds the one near its start, and starts at the clip
//! itself. If this fails or leads to rotations above [`NEAR`], further starts are tried: the clip bent about each axis, in one and in two half
//! waves over the flight, and with a full turn more or less about the axis of spin. The least sum of squared angles wins.
//!
//! The paper's method has no such derivative. It starts from the momentum found about the center of mass and uses shooting: Newton's method on `log
//! P_N(H*) = 0` with finite differences.

use core::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, DVec3};

use super::Newton;
use super::global_newton::relax;
use super::steps::{SpinPass, SpinSteps};
use crate::math::rotation::{exp, log};
use crate::math::spatial::Transform;

/// Greatest remaining angle at the last frame, radians; then the angle at which the iteration stops.
const LANDED: f64 = 1e-10;
const AIM: f64 = 1e-13;
/// If every frame rotates by less than this, no other solution is searched, radians: no random start finds a better one (see the tests).
const NEAR: f64 = 1.0;
/// Amplitudes of the bent starts, radians.
const BENDS: [f64; 2] = [1.0, -1.0];
/// Limit of undamped iterations from another start: successful ones mostly need fewer than 15.
const OTHERS: f64 = 25.0;
/// Rotations below this have no axis of their own, radians.
const NO_AXIS: f64 = 1e-6;
/// Maximal number of shooting steps.
const SHOTS: usize = 16;

/// Finds the pass that lands as the clip does with the least rotation; with `no_turns`, only passes without a full turn more or less than the clip.
/// `Err` holds the angle (radians) that the mean momentum leaves.
pub(super) fn land(steps: &SpinSteps, no_turns: bool) -> Result<SpinPass, f64> {
    let best = about_centers(steps, no_turns);
    let found = if steps.by_root() { best.and_then(|start| shoot(steps, start.momentum)) } else { best };
    let mean = || steps.momenta().iter().sum::<DVec3>() / steps.pairs.len() as f64;
    found.ok_or_else(|| steps.pass(mean()).map_or(f64::NAN, |pass| log(pass.last()).length()))
}

fn about_centers(steps: &SpinSteps, no_turns: bool) -> Option<SpinPass> {
    let frames = steps.pairs.len() + 1;
    let near = relax(&steps.pairs, vec![DQuat::IDENTITY; frames], &steps.newton);
    if near.as_ref().is_some_and(|pass| pass.largest_angle() <= NEAR) {
        return near;
    }
    let enough = (OTHERS / steps.newton.damping) as usize;
    let newton = Newton { iterations: steps.newton.iterations.min(enough), ..steps.newton };
    let others = starts(steps).into_iter().filter_map(|guess| relax(&steps.pairs, guess, &newton));
    let allowed = near.into_iter().chain(others).filter(|pass| !(no_turns && goes_round(pass)));
    allowed.min_by(|a, b| a.cost().total_cmp(&b.cost()))
}

/// Start rotations of the frames, with the identity at both ends.
fn starts(steps: &SpinSteps) -> Vec<Vec<DQuat>> {
    let last = steps.pairs.len();
    let start = |turn: &dyn Fn(f64) -> DVec3| {
        let inner = (1..last).map(|frame| exp(turn(frame as f64 / last as f64)));
        core::iter::once(DQuat::IDENTITY).chain(inner).chain([DQuat::IDENTITY]).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    let bends = BENDS.into_iter().flat_map(|bend| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| bend * axis));
    for axis in bends {
        all.push(start(&|way| axis * libm::sin(PI * way)));
        all.push(start(&|way| axis * libm::sin(TAU * way)));
    }
    if let Some(axis) = steps.momenta().iter().sum::<DVec3>().try_normalize() {
        all.push(start(&|way| axis * (TAU * way)));
        all.push(start(&|way| axis * (-TAU * way)));
    }
    all
}

/// Shooting: Newton's method on the momentum alone, from `start`, until the rotation at the last frame vanishes.
fn shoot(steps: &SpinSteps, start: DVec3) -> Option<SpinPass> {
    let left = |pass: &SpinPass| log(pass.last().conjugate());
    let mut pass = steps.pass(start).ok()?;
    for _ in 0..SHOTS {
        let error = left(&pass);
        if error.length() <= AIM {
            break;
        }
        let next = steps.pass(pass.momentum + derivative(steps, &pass)?.inverse() * error).ok()?;
        if left(&next).length() >= error.length() {
            break;
        }
        pass = next;
    }
    (left(&pass).length() <= LANDED).then_some(pass)
}

/// Derivative of the last frame's rotation with respect to the momentum, by finite differences.
fn derivative(steps: &SpinSteps, pass: &SpinPass) -> Option<DMat3> {
    let small = 1e-6 * pass.momentum.length().max(1.0);
    let column = |axis: DVec3| {
        let moved = steps.pass(pass.momentum + axis * small).ok()?;
        Some(log(moved.last() * pass.last().conjugate()) / small)
    };
    Some(DMat3::from_cols(column(DVec3::X)?, column(DVec3::Y)?, column(DVec3::Z)?))
}

/// True if the rotations, followed from frame to frame, end a full turn from their start.
fn goes_round(pass: &SpinPass) -> bool {
    followed(pass).last().is_some_and(|turn| turn.length() > PI)
}

/// Rotation vectors of all moves, each chosen among its equivalents as the nearest to that of the frame before.
pub(super) fn followed(pass: &SpinPass) -> Vec<DVec3> {
    let mut before = DVec3::ZERO;
    let mut nearest = |by: &Transform| {
        let turn = log(by.rotation);
        let axis = if turn.length() < NO_AXIS { before.normalize_or_zero() } else { turn.normalize() };
        let rounds = libm::round((before - turn).dot(axis) / TAU);
        before = turn + axis * (TAU * rounds);
        before
    };
    pass.moves.iter().map(&mut nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::momentum::BodyMotion;
    use crate::character::Character;
    use crate::correction::RootBone;
    use crate::correction::spin::SpinMethod;
    use crate::math::random::Random;
    use crate::motion::{Clip, WorldMotion};
    use crate::samples;

    const FLIGHT: (usize, usize) = (66, 90);
    const STEPS: usize = FLIGHT.1 - FLIGHT.0;

    /// Flight of the built-in jump with an additional rotation.
    fn flight(turn: impl Fn(f64) -> DQuat, newton: Newton) -> SpinSteps {
        let (character, mut clip) = (samples::humanoid(), samples::jump());
        let carrier = RootBone::of(&character, &clip).unwrap();
        turn_about_centers(&character, &mut clip, &carrier, turn);
        SpinSteps::new(&character, &clip, FLIGHT, &carrier, (SpinMethod::Center, newton))
    }

    fn turn_about_centers(character: &Character, clip: &mut Clip, carrier: &RootBone, turn: impl Fn(f64) -> DQuat) {
        let bodies = BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip));
        for frame in FLIGHT.0 + 1..=FLIGHT.1 {
            let way = (frame - FLIGHT.0) as f64 / STEPS as f64;
            carrier.turn(&character.skeleton, clip, frame, bodies.mass_center(frame), turn(way));
        }
    }

    /// Flights with up to 0.8 revolutions about any axis and a wobble of up to 1.4 rad.
    fn random_flight(random: &mut Random) -> SpinSteps {
        let axis = 0.8 * random.signed() * random.vector().normalize();
        let bump = 0.8 * random.vector();
        let turn = |way: f64| {
            let part = libm::sin(PI * way);
            exp(axis * (TAU * way)) * exp(bump * part * part)
        };
        flight(turn, Newton::default())
    }

    #[test]
    fn s16_solving_all_frames_at_once_and_one_after_the_other_is_the_same_motion() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let steps = random_flight(&mut random);
            let landed = land(&steps, false).unwrap();
            assert_eq!(landed.last(), DQuat::IDENTITY);
            let forward = steps.pass(landed.momentum).unwrap();
            // Rounding errors grow along the flight.
            for (a, b) in landed.moves.iter().zip(&forward.moves) {
                assert!(log(a.rotation * b.rotation.conjugate()).length() < 1e-8);
            }
        }
    }

    #[test]
    fn s16_no_other_start_finds_a_landing_with_less_rotation() {
        let (mut random, mut others) = (Random::new(6), 0);
        for _ in 0..12 {
            let steps = random_flight(&mut random);
            let best = land(&steps, false).unwrap();
            for start in 0..20 {
                let spin = if start % 3 == 0 { TAU } else { 0.0 } * random.vector().normalize();
                let (once, twice) = (2.0 * random.vector(), 2.0 * random.vector());
                let guess = |frame: usize| {
                    let way = frame as f64 / STEPS as f64;
                    let bend = once * libm::sin(PI * way) + twice * libm::sin(TAU * way);
                    if frame.is_multiple_of(STEPS) { DQuat::IDENTITY } else { exp(spin * way) * exp(bend) }
                };
                if let Some(other) = relax(&steps.pairs, (0..=STEPS).map(guess).collect(), &Newton::default()) {
                    assert!(best.cost() < other.cost() + 1e-6, "{} {}", best.momentum, other.momentum);
                    others += usize::from(other.momentum.distance(best.momentum) > 1.0);
                }
            }
        }
        assert!(others > 50, "there are other landings: {others}");
    }

    #[test]
    fn s17_half_the_step_lands_on_the_same_momentum() {
        let bump = DVec3::new(0.5, 0.3, -0.2);
        let turn = |way: f64| exp(DVec3::X * (TAU * way)) * exp(bump * libm::sin(PI * way) * libm::sin(PI * way));
        let newton = |damping| Newton { damping, ..Newton::default() };
        let [whole, half] = [1.0, 0.5].map(|damping| land(&flight(turn, newton(damping)), false).unwrap());
        assert!(half.momentum.distance(whole.momentum) < 1e-8 && half.iterations > 2 * whole.iterations, "{half:?}");
    }

    #[test]
    fn with_no_turns_a_landing_that_goes_round_is_not_taken() {
        // The body stands, then makes 0.6 revolutions within a fifth of the flight: going back 0.4 revolutions needs less rotation.
        let turn = |way: f64| exp(DVec3::X * (TAU * (0.6 * f64::max(0.0, 5.0 * way - 4.0))));
        let steps = flight(turn, Newton::default());
        let (any, none) = (land(&steps, false).unwrap(), land(&steps, true).unwrap());
        assert!(any.momentum.x < -10.0 && goes_round(&any), "{}", any.momentum);
        assert!(none.momentum.x > 10.0 && !goes_round(&none), "{}", none.momentum);
        assert!(any.cost() < none.cost());
    }
}
