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

/// Most points of a manifold.
const MOST: usize = 4;

/// Rounds over the points, and the change at which they end, as a share of the greatest gap.
const ROUNDS: u32 = 16;
const ENOUGH: f64 = 1e-3;

/// Ranges of contacts that are solved together; single contacts are ranges of one.
pub(super) fn groups<'a>(
    contacts: &'a [ContactConstraint],
    bodies: &'a Bodies,
) -> impl Iterator<Item = Range<u32>> + 'a {
    let is_one = |a: &ContactConstraint, b: &ContactConstraint| {
        a.pair() == b.pair() && a.is_rigid(bodies) && a.normal() == b.normal()
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
    let count = group.len();
    let normal = group[0].normal();
    let mut gaps = [0.0; MOST];
    for (gap, contact) in gaps.iter_mut().zip(&*group) {
        *gap = contact.gap(positions);
    }
    let is_idle = |(contact, gap): (&ContactConstraint, &f64)| !contact.pushes() && *gap >= 0.0;
    if group.iter().zip(&gaps).all(is_idle) {
        return 0.0;
    }
    // Moments and turns of both sides per unit of push at each point.
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
    if !(0..count).all(|i| response[i][i] > 0.0) {
        return 0.0;
    }
    // Entries past the last point stay zero.
    let inverse: [f64; MOST] = core::array::from_fn(|i| if i < count { 1.0 / response[i][i] } else { 0.0 });
    let least: [f64; MOST] = core::array::from_fn(|i| if i < count { -group[i].push() } else { 0.0 });
    let change_of = |i: usize, steps: &[f64; MOST]| {
        let part = |j: usize| response[i][j] * steps[j];
        (part(0) + part(1)) + (part(2) + part(3))
    };
    let mut steps = [0.0; MOST];
    let greatest = gaps[..count].iter().fold(0.0_f64, |most, gap| most.max(gap.abs()));
    for _ in 0..ROUNDS {
        let mut change = 0.0_f64;
        for i in 0..MOST {
            let step = (steps[i] - (gaps[i] + change_of(i, &steps)) * inverse[i]).max(least[i]);
            change = change.max((step - steps[i]).abs() * response[i][i]);
            steps[i] = step;
        }
        if change <= ENOUGH * greatest {
            break;
        }
    }
    let mut turned = [DVec3::ZERO; 2];
    let mut pushed = 0.0;
    for (i, contact) in group.iter_mut().enumerate() {
        contact.add_push(steps[i]);
        pushed += steps[i];
        for side in 0..2 {
            turned[side] += turns[i][side] * steps[i];
        }
    }
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        bodies.displace(
            group[0].side(side),
            normal * (sign * pushed * inverse_mass[side]),
            turned[side] * sign,
            positions,
        );
    }
    for contact in group {
        contact.resist(bodies, positions, previous);
    }
    (0..count).map(|i| change_of(i, &steps).abs()).fold(0.0, f64::max)
}
