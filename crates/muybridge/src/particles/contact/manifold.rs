//! The points of a manifold of rigid bodies, solved together.
//!
//! ```text
//! gaps      C_i + Σ_j K_ij Δ_j ≥ 0,   λ_i + Δ_i ≥ 0,   one or the other zero       K_ij = n·(1/m + I⁻¹ …) of both bodies
//! ```
//! One after the other, the corners of a box that meets another squarely would each stop their own part and turn the box,
//! and a pass would end with boxes that part. The small system takes a few Gauss–Seidel rounds on numbers; then each body
//! moves once. Friction follows, point by point.
//! Specification: mathematics 3.9.3, 3.11.

use core::ops::Range;

use glam::DVec3;

use super::law::ContactConstraint;
use super::response::Bodies;

/// Angle of two normals that is due to rounding, radians: that of a slope is measured from each end of a capsule.
const ALIKE: f64 = 1e-8;

/// Most points of a manifold.
const MOST: usize = 4;

/// Rounds over the points, and the change at which they end, as a share of the greatest gap.
const ROUNDS: u32 = 16;
const ENOUGH: f64 = 1e-3;

/// The same for what bounces, which is rare.
const EXACT_ROUNDS: u32 = 200;
const EXACT: f64 = 1e-12;

/// Rounds of Newton's method for the energy after a bounce.
const ENERGY_ROUNDS: u32 = 3;

/// Least share of a bounce, and its greatest excess over 1, that the turning of arms can explain.
const LEAST_SHARE: f64 = 0.5;
const TURNED: f64 = 0.05;

/// Ranges of contacts that are solved together; single contacts are ranges of one.
pub(super) fn groups<'a>(
    contacts: &'a [ContactConstraint],
    bodies: &'a Bodies,
) -> impl Iterator<Item = Range<u32>> + 'a {
    let is_one = |a: &ContactConstraint, b: &ContactConstraint| {
        let is_along = || a.normal().distance_squared(b.normal()) < ALIKE * ALIKE;
        a.pair() == b.pair() && a.is_rigid(bodies) && is_along()
    };
    let mut start = 0;
    contacts.chunk_by(is_one).flat_map(|run| run.chunks(MOST)).map(move |group| {
        let first = start;
        start += group.len() as u32;
        first..start
    })
}

/// One pass over the points of a manifold: normal pushes together, then friction. Returns the greatest change of a gap by the
/// pushes, meters.
pub(super) fn project(
    group: &mut [ContactConstraint],
    bodies: &Bodies,
    positions: &mut [DVec3],
    previous: &[DVec3],
) -> f64 {
    let mut gaps = [0.0; MOST];
    for (gap, contact) in gaps.iter_mut().zip(&*group) {
        *gap = contact.gap(positions);
    }
    let is_idle = |(contact, gap): (&ContactConstraint, &f64)| !contact.pushes() && *gap >= 0.0;
    if group.iter().zip(&gaps).all(is_idle) {
        return 0.0;
    }
    let Some(points) = PointSystem::new(group, bodies, positions) else { return 0.0 };
    let least = core::array::from_fn(|i| group.get(i).map_or(0.0, |contact| -contact.push()));
    let steps = points.solve(&gaps, &least, (ROUNDS, ENOUGH));
    for (contact, step) in group.iter_mut().zip(steps) {
        contact.add_push(step);
    }
    points.push(group, bodies, &steps, positions);
    for contact in &mut *group {
        contact.resist(bodies, positions, previous);
    }
    (0..group.len()).map(|i| points.change(i, &steps).abs()).fold(0.0, f64::max)
}

/// Gives all points of a manifold that hit something the speeds they bounce with, by moving `previous`.
///
/// Arms turn within a substep, and what bounces would gain or lose energy with every hit. So the impulses are scaled by the
/// share with which two free bodies have the energy that the hit leaves them: `T₁ + e² (T₀ − T₁)`, `T₀` before the hit and
/// `T₁` after a hit without restitution. `fall` is the acceleration of gravity times the square of the substep, meters.
pub(super) fn bounce(
    group: &[ContactConstraint],
    bodies: &Bodies,
    positions: &[DVec3],
    previous: &mut [DVec3],
    fall: DVec3,
) {
    let mut gaps = [0.0; MOST];
    let mut hits = false;
    for (gap, contact) in gaps.iter_mut().zip(group) {
        *gap = -contact.missing(positions, previous, fall);
        hits |= contact.bounces(fall);
    }
    if !hits {
        return;
    }
    let Some(points) = PointSystem::new(group, bodies, previous) else { return };
    let steps = points.solve(&gaps, &[0.0; MOST], (EXACT_ROUNDS, EXACT));
    let share = points.share_with_energy((group, bodies, &steps), (positions, previous), fall);
    let steps = steps.map(|step| -step * share);
    points.push(group, bodies, &steps, previous);
}

/// One round over a manifold of things that others push as well: it gives what bounces its speeds, and keeps the rest from coming
/// closer than before. Returns the greatest change of a gap, meters.
pub(super) fn bounce_with_others(
    group: &mut [ContactConstraint],
    bodies: &Bodies,
    positions: &[DVec3],
    previous: &mut [DVec3],
    fall: DVec3,
) -> f64 {
    if let [contact] = group
        && !contact.is_rigid(bodies)
    {
        return contact.bounce(bodies, positions, previous, fall);
    }
    let (mut gaps, mut least) = ([0.0; MOST], [0.0; MOST]);
    for (i, contact) in group.iter().enumerate() {
        gaps[i] = -contact.missing(positions, previous, fall);
        least[i] = -contact.bounce_impulse();
    }
    let Some(points) = PointSystem::new(group, bodies, previous) else { return 0.0 };
    let steps = points.solve(&gaps, &least, (EXACT_ROUNDS, EXACT));
    group.iter_mut().zip(steps).for_each(|(contact, step)| contact.add_bounce(step));
    points.push(group, bodies, &steps.map(|step| -step), previous);
    (0..group.len()).map(|i| points.change(i, &steps).abs()).fold(0.0, f64::max)
}

/// How the points of a manifold respond to pushes along the common normal.
struct PointSystem {
    count: usize,
    /// Turns of both sides per unit of push at each point.
    turns: [[DVec3; 2]; MOST],
    inverse_mass: [f64; 2],
    response: [[f64; MOST]; MOST],
}

impl PointSystem {
    /// With arms at `positions`. `None` if nothing can move.
    fn new(group: &[ContactConstraint], bodies: &Bodies, positions: &[DVec3]) -> Option<Self> {
        let (count, normal) = (group.len(), group[0].normal());
        let mut moments = [[DVec3::ZERO; 2]; MOST];
        let mut turns = [[DVec3::ZERO; 2]; MOST];
        for (i, contact) in group.iter().enumerate() {
            for side in 0..2 {
                (moments[i][side], turns[i][side]) = bodies.lever(contact.side(side), normal, positions);
            }
        }
        let inverse_mass = [0, 1].map(|side| bodies.inverse_mass(group[0].side(side)));
        let still = inverse_mass[0] + inverse_mass[1];
        let mut response = [[0.0; MOST]; MOST];
        for i in 0..count {
            for j in 0..count {
                response[i][j] = still + moments[i][0].dot(turns[j][0]) + moments[i][1].dot(turns[j][1]);
            }
        }
        (0..count).all(|i| response[i][i] > 0.0).then_some(Self { count, turns, inverse_mass, response })
    }

    /// Change of a gap by pushes.
    fn change(&self, i: usize, steps: &[f64; MOST]) -> f64 {
        let part = |j: usize| self.response[i][j] * steps[j];
        (part(0) + part(1)) + (part(2) + part(3))
    }

    /// Pushes, none below `least`, after which no gap is negative. Ends after so many rounds, or when a round changes
    /// no gap by more than a share of the greatest.
    fn solve(&self, gaps: &[f64; MOST], least: &[f64; MOST], (rounds, enough): (u32, f64)) -> [f64; MOST] {
        // Entries past the last point stay zero.
        let inverse: [f64; MOST] =
            core::array::from_fn(|i| if i < self.count { 1.0 / self.response[i][i] } else { 0.0 });
        let mut steps = [0.0; MOST];
        let greatest = gaps[..self.count].iter().fold(0.0_f64, |most, gap| most.max(gap.abs()));
        for _ in 0..rounds {
            let mut change = 0.0_f64;
            for i in 0..MOST {
                let step = (steps[i] - (gaps[i] + self.change(i, &steps)) * inverse[i]).max(least[i]);
                change = change.max((step - steps[i]).abs() * self.response[i][i]);
                steps[i] = step;
            }
            if change <= enough * greatest {
                break;
            }
        }
        steps
    }

    /// Moves both bodies by pushes.
    fn push(&self, group: &[ContactConstraint], bodies: &Bodies, steps: &[f64; MOST], moved: &mut [DVec3]) {
        let normal = group[0].normal();
        let pushed = ((steps[0] + steps[1]) + steps[2]) + steps[3];
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let turned = (0..self.count).fold(DVec3::ZERO, |sum, i| sum + self.turns[i][side] * steps[i]);
            let shift = normal * (sign * pushed * self.inverse_mass[side]);
            bodies.displace(group[0].side(side), shift, turned * sign, moved);
        }
    }

    /// Share of the pushes with which the bodies have the energy that the hit leaves them; 1 where joints, friction or
    /// another contact have a part in it.
    fn share_with_energy(
        &self,
        (group, bodies, steps): (&[ContactConstraint], &Bodies, &[f64; MOST]),
        (positions, previous): (&[DVec3], &mut [DVec3]),
        fall: DVec3,
    ) -> f64 {
        let Some([one, other]) = group[0].energies_before() else { return 1.0 };
        let energy = |previous: &[DVec3]| group[0].energies(bodies, [positions, previous], fall).iter().sum::<f64>();
        let (before, after) = (one + other, energy(previous));
        let restitution = group.iter().fold(0.0_f64, |most, contact| most.max(contact.restitution));
        // Without restitution the points would not part: the least energy along the pushes.
        let rate = |previous: &[DVec3]| -> f64 {
            (0..self.count).map(|i| steps[i] * group[i].parting([positions, previous], fall)).sum()
        };
        let square: f64 = (0..self.count).map(|i| 0.5 * steps[i] * self.change(i, steps)).sum();
        let least = after - rate(previous).powi(2) / (4.0 * square);
        let target = least + restitution * restitution * (before - least);
        let is_alone = group.iter().all(|contact| contact.slide() == DVec3::ZERO);
        let start = bodies.places_of([0, 1].map(|side| group[0].side(side)), previous);
        let mut share = 1.0;
        for _ in 0..ENERGY_ROUNDS {
            self.push(group, bodies, &steps.map(|step| -step * share), previous);
            share += (target - energy(previous)) / rate(previous);
            start.iter().for_each(|&(particle, place)| previous[particle] = place);
        }
        let most = if is_alone { 1.0 + TURNED } else { 1.0 };
        if (LEAST_SHARE..=most).contains(&share) { share } else { 1.0 }
    }
}
