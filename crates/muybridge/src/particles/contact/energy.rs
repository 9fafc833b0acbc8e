//! Energy of what bounces: several hits of a substep together give free bodies no more than they had before.
//!
//! ```text
//! T(s) = (1 − s)² T₁ + 2 s (1 − s) X + s² T₂ = T₀        T₁ before the bounces, T₂ after them, X that of both
//! ```
//! Hits of one body are bounced one after the other, each as if it were alone. Where bodies that hit each other have more
//! energy than `T₀`, that of the start, in the end, all their bounces are scaled by `s`, which keeps both momenta.
//! Specification: mathematics 4.10 (H18).

use glam::DVec3;

use super::law::ContactConstraint;
use super::response::Bodies;
use super::room::make_room;
use crate::particles::sleep::Islands;

/// Bodies in contact, grouped by the hits between them.
#[derive(Clone, Debug, Default)]
pub(super) struct BounceEnergy {
    list: Vec<BouncingBody>,
    /// Clusters of bodies that hit each other.
    clusters: Islands,
}

#[derive(Clone, Copy, Debug, Default)]
struct BouncingBody {
    /// Energies of the body, then of the cluster at its first body: T₀, T₁, X and T₂.
    energies: [f64; 4],
    /// Positions of its particles before the bounces, meters.
    places: [DVec3; 4],
}

impl BounceEnergy {
    /// Reserves memory for `bodies` bodies.
    pub fn reserve(&mut self, bodies: usize) {
        make_room(&mut self.list, bodies);
        self.clusters.part(bodies);
    }

    /// Call it before the bounces of a substep.
    pub fn start(&mut self, contacts: &[ContactConstraint], bodies: &Bodies, previous: &[DVec3]) {
        self.list.clear();
        self.list.extend(bodies.all().map(|body| BouncingBody {
            energies: [f64::NEG_INFINITY, 0.0, 0.0, 0.0],
            places: body.particles().map(|particle| previous[particle]),
        }));
        self.clusters.part(self.list.len());
        for contact in contacts.iter().filter(|contact| contact.has_bounced) {
            let both = [0, 1].map(|side| contact.side(side).body());
            // What works on a body while it bounces may give it energy.
            let before = contact.energies_before().unwrap_or([f64::INFINITY; 2]);
            for (body, before) in both.into_iter().zip(before) {
                if let Some(body) = body {
                    self.list[body].energies[0] = self.list[body].energies[0].max(before);
                }
            }
            if let [Some(a), Some(b)] = both {
                self.clusters.join(a, b);
            }
        }
    }

    /// Call it after the bounces of a substep.
    pub fn keep_below(&mut self, bodies: &Bodies, positions: &[DVec3], previous: &mut [DVec3], fall: DVec3) {
        for (index, body) in bodies.all().enumerate() {
            let (root, places) = (self.clusters.island(index), self.list[index].places);
            let now = body.particles().map(|particle| previous[particle]);
            let [one, two] = [places, now]
                .map(|from| core::array::from_fn(|i| positions[body.particles()[i]] - from[i] + 0.5 * fall));
            let of = |moved| body.kinetic(positions, moved) + body.potential(positions, fall);
            let own = [self.list[index].energies[0], of([&one, &one]), of([&one, &two]), of([&two, &two])];
            self.list[index].energies = if root == index { own } else { [0.0; 4] };
            if root != index {
                (0..4).for_each(|i| self.list[root].energies[i] += own[i]);
            }
        }
        for (index, body) in bodies.all().enumerate() {
            let (root, places) = (self.clusters.island(index), self.list[index].places);
            if let Some(share) = share(self.list[root].energies) {
                for (particle, before) in body.particles().into_iter().zip(places) {
                    previous[particle] = before.lerp(previous[particle], share);
                }
            }
        }
    }
}

/// Share of the bounces that leaves a cluster its energy; `None` if it has no more.
fn share([most, one, both, two]: [f64; 4]) -> Option<f64> {
    if !(one <= most && most < two) {
        return None;
    }
    let (a, b, c) = (one + two - 2.0 * both, 2.0 * (both - one), one - most);
    let share = (-b + (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a);
    (0.0..1.0).contains(&share).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_gives_the_energy_that_was_there() {
        // Displacements of 1 before and −3 after the bounces of a unit mass: 1 − 4 s.
        let energies = |most| [most, 0.5, -1.5, 4.5];
        assert!((share(energies(2.0)).unwrap() - 0.75).abs() < 1e-15, "|1 − 4 s| = 2");
        assert_eq!(share(energies(4.5)), None);
        assert_eq!(share(energies(0.4)), None, "something else gave it energy");
        assert_eq!(share(energies(f64::INFINITY)), None);
    }
}
