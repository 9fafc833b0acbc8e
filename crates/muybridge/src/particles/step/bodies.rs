//! Stages that hold bodies together: rigid tetrahedra, joint limits, joints.

use glam::{DMat3, DVec3};

use super::substep::{Substep, Wanted};
use crate::math::lane_rotation::LaneVector;
use crate::particles::angular_friction::Turn;
use crate::particles::distance::{self, lanes, vector};
use crate::particles::drive::OfStep;
use crate::particles::model::Drive;
use crate::particles::settings::Mode;
use crate::particles::tetrahedron::{EDGES, edges};
use crate::particles::world::Local;

/// Relative error of a squared edge length above which a tetrahedron is solved edge by edge, as with an edge rotated by
/// more than 60°: its constant matrix no longer fits.
const FAR: f64 = 0.3;

/// Corrects every tetrahedron towards its rest shape.
pub(crate) fn tetrahedra(substep: &mut Substep) {
    for index in 0..substep.model.tetrahedra.len() {
        let particles = substep.model.tetrahedra[index].particles;
        if substep.takes_part(&particles) {
            *substep.work += 1;
            match tetrahedron(substep, index) {
                Some(wanted) => {
                    substep.apply(&wanted);
                    if substep.settings.mode == Mode::Shake && substep.constants.is_free[particles[0]] {
                        finish(substep, index, &wanted);
                    }
                }
                None => edge_by_edge(substep, index),
            }
        }
    }
}

/// Brings a body without joints to its shape, after a first correction: with the error of that alone it gains energy as it turns.
fn finish(substep: &mut Substep, index: usize, first: &Wanted<4>) {
    let square = |wanted: &Wanted<4>| wanted.moves.iter().fold(0.0_f64, |most, by| most.max(by.length_squared()));
    let [a, b, ..] = substep.model.tetrahedra[index].rest;
    let (size, mut left) = ((b - a).length_squared(), square(first));
    if left <= SLOW * size {
        return;
    }
    for _ in 0..MOST_ROUNDS {
        if left <= EXACT * size {
            return;
        }
        let Some(wanted) = tetrahedron(substep, index) else { return };
        substep.apply(&wanted);
        left = square(&wanted);
    }
}

/// Greatest number of further corrections of a free body in a pass, and the square of the correction at which they end, as a share
/// of that of an edge: the next would be as small.
const MOST_ROUNDS: u32 = 8;
const EXACT: f64 = 1e-13;

/// The same of a first correction, in a substep in which a body turns by half a degree: below it gains nothing to speak of.
const SLOW: f64 = 1e-9;

/// Correction of a tetrahedron by all edges at once; `None` far from its rest shape.
pub(crate) fn tetrahedron(substep: &Substep, index: usize) -> Option<Wanted<4>> {
    let body = &substep.model.tetrahedra[index];
    let rigid = substep.prepared.tetrahedra[index].as_ref()?;
    let now = body.particles.map(|particle| lanes(substep.positions[particle]));
    let began = match substep.settings.mode {
        Mode::Shake => edges(&body.particles.map(|particle| lanes(substep.previous[particle]))),
        Mode::Xpbd | Mode::Jakobsen | Mode::Rosen => edges(&now),
    };
    let near = |((d, o), [a, b]): ((&LaneVector<f64>, &LaneVector<f64>), [usize; 2])| {
        let rest = (body.rest[b] - body.rest[a]).length_squared();
        let off = |square: f64| (square - rest).abs() < FAR * rest;
        off(d.dot(*d)) && off(o.dot(*o)) && d.dot(*o) > 0.5 * rest
    };
    let all_near = edges(&now).iter().zip(&began).zip(EDGES).all(near);
    let moves = || rigid.correction(&began, &now).map(vector);
    all_near.then(|| Wanted::rigid(body.particles, moves()))
}

/// Corrects a tetrahedron edge by edge along the current gradient, and undoes a mirror image (chirality).
pub(super) fn edge_by_edge(substep: &mut Substep, index: usize) {
    let body = substep.model.tetrahedra[index];
    for [a, b] in EDGES {
        let ends = [body.particles[a], body.particles[b]];
        let rest = (body.rest[b] - body.rest[a]).length();
        let weights = ends.map(|particle| substep.inverse_masses[particle]);
        let d = distance::between(substep.positions, ends, rest);
        let pull = vector(distance::exact(d, weights[0] + weights[1], [rest; 2]));
        substep.apply(&Wanted::rigid(ends, [pull * weights[0], pull * -weights[1]]));
    }
    turn_right_way_out(substep, index);
}

/// Undoes a mirror image, which distances cannot detect. The last corner moves to the other side of the plane of the
/// others, and these move so that momentum is kept.
fn turn_right_way_out(substep: &mut Substep, index: usize) {
    let body = substep.model.tetrahedra[index];
    let signed = |corners: [DVec3; 4]| {
        let [a, b, c] = [1, 2, 3].map(|corner| corners[corner] - corners[0]);
        a.dot(b.cross(c))
    };
    let now = body.particles.map(|particle| substep.positions[particle]);
    if signed(now) * signed(body.rest) >= 0.0 {
        return;
    }
    let normal = (now[1] - now[0]).cross(now[2] - now[0]).normalize_or_zero();
    let height = normal.dot(now[3] - now[0]);
    let third = [1.0, 1.0, 1.0, -3.0];
    let weights: [f64; 4] = core::array::from_fn(|i| substep.inverse_masses[body.particles[i]] * third[i]);
    let sum: f64 = (0..4).map(|i| weights[i] * third[i]).sum();
    let share = if sum > 0.0 { 6.0 * height / sum } else { 0.0 };
    let moves = weights.map(|weight| normal * (share * weight));
    substep.apply(&Wanted::rigid(body.particles, moves));
}

/// Applies friction and drives of joints to the relative rotation of two bodies, once per substep (a drive perhaps in
/// every second or fourth).
pub(crate) fn turning(substep: &mut Substep) {
    let (model, constants) = (substep.model, substep.constants);
    let count = libm::round(substep.done * f64::from(substep.settings.substeps)) as usize;
    // Joints of one ragdoll usually have one friction rate, so its share is cached.
    let mut known = [0.0; 2];
    for (index, pair) in constants.turning.iter().enumerate() {
        let rate = pair.friction(model);
        let driven = pair.drive.and_then(|drive| Some((&model.drives[drive], substep.driven[drive].as_ref()?)));
        let drive = driven.filter(|(_, of_step)| (count + index).is_multiple_of(of_step.pace as usize));
        let [is_some, is_other] = [substep.takes_part(&pair.bodies[0]), substep.takes_part(&pair.bodies[1])];
        let slows = rate > 0.0 && is_some && is_other;
        if !(slows || drive.is_some() && (is_some || is_other)) {
            continue;
        }
        *substep.work += u64::from(slows) + u64::from(drive.is_some());
        let [a, b] = pair.bodies;
        let before = [four(substep.previous, a), four(substep.previous, b)];
        let now = [four(substep.positions, a), four(substep.positions, b)];
        let masses = [substep.masses(a), substep.masses(b)];
        let turn = Turn::new(&before, &now, &masses);
        if known[0] != rate {
            known = [rate, -libm::expm1(-rate * substep.seconds)];
        }
        let share = if slows { known[1] } else { 0.0 };
        let side = if slows && driven.is_none() { pair.side * rate } else { 0.0 };
        let mut impulse = braked(&turn, share, side, substep.seconds).unwrap_or_default();
        if let Some((drive, of_step)) = drive {
            let left = turn.turned * (1.0 - share);
            impulse += given((drive, of_step), left, turn.yielding, substep.positions);
        }
        if impulse == DVec3::ZERO {
            continue;
        }
        for (particles, moves) in pair.bodies.into_iter().zip(turn.moves(impulse)) {
            substep.apply(&Wanted::rigid(particles, moves));
        }
    }
}

/// Impulse of a drive on the child, kg m² rad. Not inlined, so that joints without a drive do not spill its variables.
#[inline(never)]
fn given((drive, of_step): (&Drive, &OfStep), turned: DVec3, yielding: DMat3, positions: &[DVec3]) -> DVec3 {
    of_step.impulse(turned, &yielding, drive.frames(positions)).unwrap_or_default()
}

/// Angular speed (rad/s) at which dry friction slows a whole limb as much as viscous friction would.
const DRY: f64 = 0.05;

/// Greatest share of the relative rotation of the two bodies alone that dry friction removes in a substep.
const MOST_OF_BODIES: f64 = 0.5;

/// Impulse of joint friction. Viscous friction acts on the inertia of the two bodies alone, dry friction on the limb.
/// `limb` is its moment of inertia times the friction rate, kg m²/s. So a long limb on a light body comes to rest too.
/// inertia times the rate of friction is `limb`, kg m²/s: a long limb on a light body, which the first hardly slows,
/// rests as well.
///
/// ```text
/// Λ = −s K⁻¹φ,   s = 1 − e^{−r h} + min(½, 0.05 I r h²/‖K⁻¹φ‖)
/// ```
fn braked(turn: &Turn<4>, share: f64, limb: f64, seconds: f64) -> Option<DVec3> {
    let whole = turn.slowed(1.0).filter(|_| share > 0.0)?;
    let (dry, size) = (DRY * limb * seconds * seconds, whole.length());
    let of_limb = if dry < MOST_OF_BODIES * size { dry / size } else { MOST_OF_BODIES };
    Some(whole * (share + of_limb).min(1.0))
}

fn four(at: &[DVec3], [a, b, c, d]: [usize; 4]) -> [DVec3; 4] {
    [at[a], at[b], at[c], at[d]]
}

/// Applies swing, twist and hinge limits.
pub(crate) fn limits(substep: &mut Substep) {
    limits_of(substep, |_| true);
}

/// Applies the limits of selected islands; `is_wanted` gets one of their particles.
pub(super) fn limits_of(substep: &mut Substep, is_wanted: impl Fn(usize) -> bool) {
    let prepared = substep.prepared;
    let seconds = substep.seconds;
    for limit in prepared.swing_twists.iter().filter(|limit| is_wanted(limit.particles[0])) {
        in_own_numbers(substep, limit, |places, _| limit.it.correct(seconds, places));
    }
    for limit in prepared.hinges.iter().filter(|limit| is_wanted(limit.particles[0])) {
        in_own_numbers(substep, limit, |places, _| limit.it.correct(seconds, places));
    }
}

/// Solves the attachments of each island at once.
pub(crate) fn attachments(substep: &mut Substep) {
    joints(substep, |_| true);
}

/// Solves the attachments of selected islands; `is_wanted` gets one of their particles.
pub(super) fn joints(substep: &mut Substep, is_wanted: impl Fn(usize) -> bool) {
    let prepared = substep.prepared;
    for (joints, indices) in prepared.joints.iter().zip(&prepared.attachments) {
        if !is_wanted(joints.particles[0]) {
            continue;
        }
        let rows = joints.it.len();
        if !joints.it.is_soft() {
            in_own_numbers(substep, joints, |places, scratch| joints.it.satisfy(places, &mut scratch[..rows]));
            continue;
        }
        for (multiplier, &index) in substep.rows[rows..].iter_mut().zip(indices) {
            *multiplier = lanes(substep.multipliers.attachments[index]);
        }
        in_own_numbers(substep, joints, |places, scratch| {
            let (scratch, multipliers) = scratch.split_at_mut(rows);
            joints.it.satisfy_softly(places, scratch, multipliers);
        });
        for (multiplier, &index) in substep.rows[rows..].iter().zip(indices) {
            substep.multipliers.attachments[index] = vector(*multiplier);
        }
    }
}

/// Calls `correct` with the positions of the particles of `local`, in its numbering, and a buffer for rows.
fn in_own_numbers<T>(
    substep: &mut Substep,
    local: &Local<T>,
    correct: impl FnOnce(&mut [LaneVector<f64>], &mut [LaneVector<f64>]),
) {
    if !substep.takes_part(&local.particles) {
        return;
    }
    *substep.work += 1;
    let places = &mut substep.places[..local.particles.len()];
    for (place, &particle) in places.iter_mut().zip(&local.particles) {
        *place = lanes(substep.positions[particle]);
    }
    correct(places, substep.rows);
    for (place, &particle) in places.iter().zip(&local.particles) {
        substep.positions[particle] = vector(*place);
    }
}
