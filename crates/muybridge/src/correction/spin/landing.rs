//! The constant momentum that brings a flight to the orientation of its last frame: shooting on its three numbers.
//!
//! Newton's method on `log Q_last(H*) = 0` with the derivative of [`Pass::follows`]. Where it does not get there in one go, the
//! turn that is left with the first guess is taken away in parts (continuation).
//!
//! There are several answers, full turns apart. A body that turns once more than another is, somewhere between, half a turn
//! away from it: where one answer never turns a frame by more than [`NEAR`], no other can need less. Else the starts are the
//! mean momentum the short and the long way round, that of the first and the last step, and one turn more and less about the
//! axis of spin of what was found; the least sum of squared angles wins.

use core::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, DVec3};

use super::steps::{Pass, Steps};
use crate::math::rotation::{exp, log};

/// The angle that may be left at the last frame, radians, and the one that is aimed at.
pub(super) const LANDED: f64 = 1e-10;
const AIM: f64 = 1e-13;
/// Below this angle of every frame no other answer is looked for, radians.
const NEAR: f64 = 0.5;
/// The most steps of Newton's method towards one aim, and of halving one of them.
const STEPS: usize = 16;
const HALVINGS: i32 = 6;
/// The smallest part of the turn that is left which is taken away at a time.
const SMALLEST_PART: f64 = 1.0 / 64.0;

/// The pass that lands as the clip does with the least rotation; with `no_turns`, none that goes round once more or less than
/// the clip. `Err` has the angle (radians) that the mean momentum leaves.
pub(super) fn land(steps: &Steps, no_turns: bool) -> Result<Pass, f64> {
    let momenta = steps.momenta();
    let mean = momenta.iter().sum::<DVec3>() / momenta.len() as f64;
    let open = steps.pass(mean).map(|pass| log(pass.last()));
    let allowed = |pass: &Pass| !(no_turns && goes_round(pass));
    let mut found: Vec<Pass> = shoot(steps, mean, true).into_iter().filter(allowed).collect();
    if found.first().is_none_or(|pass| pass.largest_angle() > NEAR) {
        let starts = [mean, momenta[0], momenta[momenta.len() - 1]];
        let others = [(mean, false), (starts[1], true), (starts[2], true)];
        found.extend(others.into_iter().filter_map(|(start, short)| shoot(steps, start, short)).filter(allowed));
        if let Some(best) = least(&found).cloned() {
            let around = turns_more(steps, &best);
            found.extend(around.into_iter().filter_map(|start| shoot(steps, start, true)).filter(allowed));
        }
    }
    least(&found).cloned().ok_or(open.map_or(f64::NAN, DVec3::length))
}

/// The first of those with the least cost.
fn least(found: &[Pass]) -> Option<&Pass> {
    found.iter().min_by(|a, b| a.cost().total_cmp(&b.cost()))
}

/// Momenta with which the last frame turns once more, and once less, about the axis of spin.
fn turns_more(steps: &Steps, pass: &Pass) -> Vec<DVec3> {
    let Some(follows) = derivative(steps, pass) else { return Vec::new() };
    let Some(axis) = (follows * pass.momentum).try_normalize() else { return Vec::new() };
    [TAU, -TAU].map(|turn| pass.momentum + follows.inverse() * (axis * turn)).into_iter().collect()
}

/// Newton's method from `start`, the turn that it leaves taken away the short way or the long way round.
fn shoot(steps: &Steps, start: DVec3, short: bool) -> Option<Pass> {
    let mut pass = steps.pass(start).ok()?;
    let mut open = log(pass.last());
    if !short {
        open *= 1.0 - TAU / open.length();
    }
    if !open.is_finite() {
        return None;
    }
    let (mut done, mut part) = (0.0, if open.length() < 2.0 { 1.0 } else { 0.25 });
    while done < 1.0 {
        let next = f64::min(done + part, 1.0);
        match close(steps, &pass, exp(open * (1.0 - next))) {
            Some(closer) => (pass, done, part) = (closer, next, 2.0 * part),
            None => part *= 0.5,
        }
        if part < SMALLEST_PART {
            return None;
        }
    }
    Some(pass)
}

/// Newton's method from `pass` until the last frame is turned by `goal`.
fn close(steps: &Steps, pass: &Pass, goal: DQuat) -> Option<Pass> {
    let left = |pass: &Pass| log(goal * pass.last().conjugate());
    let mut pass = pass.clone();
    for _ in 0..STEPS {
        let error = left(&pass);
        if error.length() <= AIM {
            break;
        }
        let change = derivative(steps, &pass)?.inverse() * error;
        if !change.is_finite() {
            return None;
        }
        let shorter = (0..HALVINGS).find_map(|halvings| {
            let tried = steps.pass(pass.momentum + change * libm::ldexp(1.0, -halvings)).ok()?;
            (left(&tried).length() < error.length()).then_some(tried)
        });
        match shorter {
            Some(shorter) => pass = shorter,
            None => break,
        }
    }
    (left(&pass).length() <= LANDED).then_some(pass)
}

/// How the last frame turns with the momentum: known, or by differences.
fn derivative(steps: &Steps, pass: &Pass) -> Option<DMat3> {
    if pass.follows.is_some() {
        return pass.follows;
    }
    let small = 1e-6 * pass.momentum.length().max(1.0);
    let column = |axis: DVec3| {
        let moved = steps.pass(pass.momentum + axis * small).ok()?;
        Some(log(moved.last() * pass.last().conjugate()) / small)
    };
    Some(DMat3::from_cols(column(DVec3::X)?, column(DVec3::Y)?, column(DVec3::Z)?))
}

/// Whether the turns, followed from frame to frame, end a full turn from where they began.
fn goes_round(pass: &Pass) -> bool {
    followed(pass).last().is_some_and(|turn| turn.length() > PI)
}

/// The rotation vectors of all turns, each of the ones that stand for it the nearest to that of the frame before.
pub(super) fn followed(pass: &Pass) -> Vec<DVec3> {
    let mut before = DVec3::ZERO;
    pass.moves
        .iter()
        .map(|by| {
            let turn = log(by.rotation);
            let other = turn * (1.0 - TAU / turn.length().max(f64::MIN_POSITIVE));
            before = if other.is_finite() && other.distance(before) < turn.distance(before) { other } else { turn };
            before
        })
        .collect()
}
