//! Corrects a whole flight to constant angular momentum: the first frame is fixed, every later one is rotated about its center of mass.
//!
//! For a given H* the motion follows frame by frame from the previous corrected frame; the choice is H* ([`SpinTarget`]). All momenta, measured and
//! targeted, use the backward differences of [`FramePair`](super::FramePair); a momentum of another scheme is not comparable (mathematics 6.1).
//! Specification: mathematics 7.3.3.

use core::ops::RangeInclusive;

use glam::DVec3;

use super::frame_turn::mass_center;
use super::landing::{self, followed};
use super::steps::{SpinPass, SpinSteps};
use super::{SpinError, SpinReport, SpinSettings, SpinTarget, Unchanged, body_poses};
use crate::character::Character;
use crate::correction::{RootBone, Scope};
use crate::math::rotation::{exp, log};
use crate::math::spatial::Transform;
use crate::motion::Clip;

/// Rotation of the last frame that counts as none if the landing should stay, radians.
const NO_TURN: f64 = 1e-12;

/// Rotates the frames of `flight` after its first so that the angular momentum about the center of mass is constant.
///
/// Only the local transform of the bone that moves the whole body changes, and only in those frames: every joint angle, the first frame and all
/// frames outside keep their bits. With [`SpinTarget::Landing`] so does the last frame, except for the drift of the paper's method. With another
/// momentum the last frame may be rotated, while the frames after it stay. With a strength below 1 each frame rotates by that share of its angle
/// about the same axis. Nothing changes if the scope does not allow it ([`SpinReport::unchanged`]). Panics if the clip belongs to another skeleton.
pub fn spin_flight(
    character: &Character,
    clip: &mut Clip,
    flight: RangeInclusive<usize>,
    settings: &SpinSettings,
    scope: &Scope,
) -> Result<SpinReport, SpinError> {
    let span = (*flight.start(), *flight.end());
    check(clip, span, settings, scope)?;
    let carrier = RootBone::of(character, clip).ok_or(SpinError::Weightless)?;
    if let Some(reason) = forbidden(&carrier, span, scope) {
        return Ok(untouched(span, DVec3::ZERO, reason));
    }
    let solver = (settings.method, settings.newton);
    let steps = SpinSteps::new(character, clip, span, &carrier, solver);
    let pass = solve(&steps, span, settings, scope)?;
    if pass.largest_angle() <= settings.least_angle {
        return Ok(SpinReport {
            iterations: pass.iterations,
            residual: off(&steps, pass.momentum),
            landing_error: log(pass.last()).length(),
            ..untouched(span, pass.momentum, Unchanged::AlreadyRight)
        });
    }
    let moves = softened(&pass, scope.strength);
    let drift = apply(character, clip, span.0, &carrier, &moves);
    let now = SpinSteps::new(character, clip, span, &carrier, solver);
    let angles: Vec<f64> = moves.iter().map(|by| log(by.rotation).length()).collect();
    Ok(SpinReport {
        momentum: pass.momentum,
        largest_angle: angles.iter().copied().fold(0.0, f64::max),
        landing_error: angles.last().copied().unwrap_or(0.0),
        angles,
        iterations: pass.iterations,
        residual: off(&now, pass.momentum),
        drift,
        unchanged: None,
    })
}

fn check(clip: &Clip, (first, last): (usize, usize), settings: &SpinSettings, scope: &Scope) -> Result<(), SpinError> {
    if first >= last || last >= clip.frames() {
        return Err(SpinError::Frames { first, last, frames: clip.frames() });
    }
    let newton = &settings.newton;
    let given = match settings.momentum {
        SpinTarget::Given(momentum) => momentum.length(),
        _ => 0.0,
    };
    let positive = "above 0 and at most 1";
    let rules = [
        ("the tolerance", newton.tolerance, newton.tolerance > 0.0 && newton.tolerance <= 1.0, positive),
        ("the damping", newton.damping, newton.damping > 0.0 && newton.damping <= 1.0, positive),
        ("the strength", scope.strength, (0.0..=1.0).contains(&scope.strength), "0 to 1"),
        ("the size of the wanted momentum", given, given.is_finite(), "a finite number"),
    ];
    match rules.into_iter().find(|rule| !rule.2) {
        Some((name, value, _, must)) => Err(SpinError::Setting { name, value, must }),
        None => Ok(()),
    }
}

fn forbidden(carrier: &RootBone, (first, last): (usize, usize), scope: &Scope) -> Option<Unchanged> {
    if !carrier.bones().iter().all(|&bone| scope.allows(bone)) {
        Some(Unchanged::Protected)
    } else if !(scope.frames.contains(&first) && scope.frames.contains(&last)) {
        Some(Unchanged::OutsideScope)
    } else if scope.strength == 0.0 {
        Some(Unchanged::NoStrength)
    } else {
        None
    }
}

fn untouched((first, last): (usize, usize), momentum: DVec3, reason: Unchanged) -> SpinReport {
    SpinReport {
        momentum,
        angles: vec![0.0; last - first + 1],
        largest_angle: 0.0,
        landing_error: 0.0,
        iterations: 0,
        residual: 0.0,
        drift: 0.0,
        unchanged: Some(reason),
    }
}

/// Solves the flight for the momentum that the settings choose.
fn solve(
    steps: &SpinSteps,
    span: (usize, usize),
    settings: &SpinSettings,
    scope: &Scope,
) -> Result<SpinPass, SpinError> {
    let damped = settings.newton.damping < 1.0;
    let momenta = steps.momenta();
    let momentum = match settings.momentum {
        SpinTarget::Given(momentum) => momentum,
        SpinTarget::Mean => momenta.iter().sum::<DVec3>() / momenta.len() as f64,
        SpinTarget::TakeOff => momenta[0],
        SpinTarget::Landing => {
            let landed = landing::land(steps, scope.strength < 1.0);
            return landed.map(settled).map_err(|angle| SpinError::LandingNotMet { last: span.1, angle, damped });
        }
    };
    steps.pass(momentum).map_err(|stuck| SpinError::NotReached {
        frame: span.0 + 1 + stuck.step,
        momentum,
        residual: stuck.residual,
        damped,
    })
}

/// Sets the rotation of the last frame to the identity if it differs only by rounding.
fn settled(mut pass: SpinPass) -> SpinPass {
    if let Some(last) = pass.moves.last_mut()
        && log(last.rotation).length() <= NO_TURN
    {
        last.rotation = glam::DQuat::IDENTITY;
    }
    pass
}

/// Scales every move by `strength`.
fn softened(pass: &SpinPass, strength: f64) -> Vec<Transform> {
    if strength == 1.0 {
        return pass.moves.clone();
    }
    let part = |(turn, by): (DVec3, &Transform)| Transform {
        rotation: if turn == DVec3::ZERO { glam::DQuat::IDENTITY } else { exp(turn * strength) },
        position: by.position * strength,
    };
    followed(pass).into_iter().zip(&pass.moves).map(part).collect()
}

/// Moves the frames from `first` on; returns the largest drift of a center of mass, meters.
fn apply(character: &Character, clip: &mut Clip, first: usize, carrier: &RootBone, moves: &[Transform]) -> f64 {
    let mut drift = 0.0;
    for (frame, by) in (first..).zip(moves).filter(|(_, by)| **by != Transform::IDENTITY) {
        let center = mass_center(&body_poses(character, clip, frame));
        carrier.turn(&character.skeleton, clip, frame, center, by.rotation);
        if by.position != DVec3::ZERO {
            carrier.translate(&character.skeleton, clip, frame, by.position);
        }
        drift = f64::max(drift, mass_center(&body_poses(character, clip, frame)).distance(center));
    }
    drift
}

/// Largest distance of a step's momentum from `momentum`, kg m²/s.
fn off(steps: &SpinSteps, momentum: DVec3) -> f64 {
    steps.momenta().iter().map(|h| h.distance(momentum)).fold(0.0, f64::max)
}
