//! Bounces of a substep: what is held up does not fall, and passes a hit on to what it rests on.
//!
//! ```text
//! v⁺_i = −e v⁻_i where things hit, v⁺_j ≥ v_j where they rest,   λ ≥ 0        ΔT = ½ Σ λ (v⁺ + v⁻) = 0 for e = 1
//! ```
//! A ball that hits a slab pushes it into the ground at once: bounced alone, the slab would take a part of its speed, which the
//! ground then takes from the slab. A hit that no other push of its things accompanies is bounced alone, with its exact energy.
//! Specification: mathematics 3.3, 4.10 (H18).

use core::ops::Range;

use glam::DVec3;

use super::energy::BounceEnergy;
use super::law::ContactConstraint;
use super::manifold;
use super::response::Bodies;
use super::room::make_room;
use super::surfaces::Surfaces;
use crate::particles::sleep::Islands;

/// Rounds over contacts that bounce together, and the change of a gap at which they end, as a share of the greatest.
const ROUNDS: u32 = 200;
const EXACT: f64 = 1e-13;

/// What the constraints of a model join, and what they hang.
#[derive(Clone, Copy, Debug)]
pub struct JoinedIslands<'a> {
    /// Islands of particles connected by constraints.
    pub islands: &'a Islands,
    /// Whether something immovable holds a particle by a constraint.
    pub hangs: &'a [bool],
}

impl JoinedIslands<'_> {
    /// Island of a surface that has particles.
    fn island(&self, surfaces: &Surfaces, surface: usize) -> Option<usize> {
        surfaces.list[surface].particles().next().map(|particle| self.islands.island(particle))
    }
}

/// Islands of particles that contacts connect.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactBounces {
    clusters: Islands,
    /// Whether something immovable holds the cluster of that index.
    is_held: Vec<bool>,
    /// Groups of contacts in the cluster of that index, and whether one of them bounces.
    groups_of: Vec<(u32, bool)>,
    energy: BounceEnergy,
}

/// Contacts of a substep, in groups that are solved together.
pub(super) struct ContactGroups<'a> {
    pub contacts: &'a mut [ContactConstraint],
    pub groups: &'a [Range<u32>],
    pub surfaces: &'a Surfaces,
    pub bodies: &'a Bodies,
}

impl ContactBounces {
    /// Reserves memory for `bodies` bodies and `particles` particles.
    pub fn reserve(&mut self, bodies: usize, particles: usize) {
        self.energy.reserve(bodies);
        self.clusters.part(particles);
        make_room(&mut self.is_held, particles);
        make_room(&mut self.groups_of, particles);
    }

    /// Bounces what bounces, by moving `previous`. `fall` is the acceleration of gravity times the square of the substep, meters.
    pub fn apply(
        &mut self,
        groups: &mut ContactGroups,
        joined: JoinedIslands,
        (positions, previous): (&[DVec3], &mut [DVec3]),
        fall: DVec3,
    ) {
        self.hold(groups, joined, fall);
        for contact in groups.contacts.iter_mut() {
            // A soft thing goes on pushing after it has bounced.
            contact.has_bounced = contact.bounces(fall) && contact.is_rigid(groups.bodies);
        }
        self.gather(groups, joined, fall);
        let ContactGroups { contacts, groups, surfaces, bodies } = groups;
        self.energy.start(contacts, bodies, previous);
        for contact in contacts.iter_mut() {
            contact.begin_bounce(positions, previous);
        }
        let of = |group: &Range<u32>| group.start as usize..group.end as usize;
        let root = |group: &[ContactConstraint]| {
            let first = group[0].surfaces().find_map(|surface| joined.island(surfaces, surface));
            first.map_or(0, |island| self.clusters.island(island))
        };
        for group in *groups {
            match &mut contacts[of(group)] {
                group if self.groups_of[root(group)].0 > 1 => {}
                [contact] if !contact.is_rigid(bodies) => {
                    contact.bounce(bodies, positions, previous, fall);
                }
                group => manifold::bounce(group, bodies, positions, previous, fall),
            }
        }
        let mut greatest = 0.0_f64;
        for _ in 0..ROUNDS {
            let mut change = 0.0_f64;
            for group in *groups {
                let group = &mut contacts[of(group)];
                let is_in = group.iter().any(|contact| takes_part(contact, fall));
                if is_in && matches!(self.groups_of[root(group)], (2.., true)) {
                    change = change.max(manifold::bounce_with_others(group, bodies, positions, previous, fall));
                }
            }
            greatest = greatest.max(change);
            if change <= EXACT * greatest {
                break;
            }
        }
        self.energy.keep_below(bodies, positions, previous, fall);
    }

    /// Tells the contacts which of their sides are held up: by constraints, or by contacts that pushed in the last substep.
    fn hold(
        &mut self,
        ContactGroups { contacts, surfaces, bodies, .. }: &mut ContactGroups,
        joined: JoinedIslands,
        fall: DVec3,
    ) {
        let count = joined.hangs.len();
        self.clusters.part(count);
        self.is_held.clear();
        self.is_held.resize(count, false);
        let island = |surface: usize| joined.island(surfaces, surface);
        for contact in contacts.iter().filter(|contact| contact.rests) {
            join(&mut self.clusters, contact.surfaces().filter_map(island));
        }
        for particle in (0..count).filter(|&it| joined.hangs[it] || bodies.is_immovable(it)) {
            self.is_held[self.clusters.island(joined.islands.island(particle))] = true;
        }
        for contact in contacts.iter().filter(|contact| contact.rests) {
            if let Some(first) = contact.surfaces().find_map(island) {
                let root = self.clusters.island(first);
                self.is_held[root] |= (0..2).any(|side| bodies.is_nothing(contact.side(side)));
            }
        }
        for contact in contacts.iter_mut().filter(|contact| contact.bounces(fall) && contact.is_of_free()) {
            let held = |island: usize| self.is_held[self.clusters.island(island)];
            let mut sides = contact.surfaces().map(|surface| island(surface).is_some_and(held));
            let held = [sides.next().unwrap_or(false), sides.next().unwrap_or(false)];
            drop(sides);
            contact.hold(held, fall);
        }
    }

    /// Joins what rests on each other with what hits it, and counts the groups of contacts.
    fn gather(
        &mut self,
        ContactGroups { contacts, groups, surfaces, .. }: &ContactGroups,
        joined: JoinedIslands,
        fall: DVec3,
    ) {
        let count = joined.hangs.len();
        self.clusters.part(count);
        let island = |surface: usize| joined.island(surfaces, surface);
        for contact in contacts.iter().filter(|contact| takes_part(contact, fall)) {
            join(&mut self.clusters, contact.surfaces().filter_map(island));
        }
        self.groups_of.clear();
        self.groups_of.resize(count, (0, false));
        for group in groups.iter().map(|group| &contacts[group.start as usize..group.end as usize]) {
            let is_in = group.iter().any(|contact| takes_part(contact, fall));
            if let Some(first) = group[0].surfaces().find_map(island).filter(|_| is_in) {
                let (count, bounces) = &mut self.groups_of[self.clusters.island(first)];
                *count += 1;
                *bounces |= group.iter().any(|contact| contact.bounces(fall));
            }
        }
    }
}

/// Whether a contact bounces, or carries something. What only touches is hit by the next substep, as in a row of balls.
fn takes_part(contact: &ContactConstraint, fall: DVec3) -> bool {
    contact.bounces(fall) || (contact.rests && contact.pushes() && contact.is_of_free())
}

fn join(clusters: &mut Islands, mut islands: impl Iterator<Item = usize>) {
    if let Some(first) = islands.next() {
        islands.for_each(|it| clusters.join(first, it));
    }
}
