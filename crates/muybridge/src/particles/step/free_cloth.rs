//! Angular momentum of free cloth, and of the bodies that meet it, in a substep.
//!
//! Every correction gives two sides opposite moves, but in turn, so that points have moved in between: that takes and gives angular
//! momentum. Of an island in which nothing is held, and which meets no obstacle, the cloth gets back what is missing
//! ([`crate::particles::spin`]).

use glam::DVec3;

use super::Fixed;
use crate::particles::contact::Contacts;
use crate::particles::proxies::Proxies;
use crate::particles::sleep::Islands;
use crate::particles::spin::Moments;
use crate::particles::state::State;

/// Islands of free cloths and bodies in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeCloths {
    islands: Vec<Island>,
    /// Index of the island of each particle, or [`NONE`].
    of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Island {
    root: usize,
    /// Whether all that acts on it is known.
    is_known: bool,
    /// Sum of mass times place × displacement that it should have, kg m².
    turned: DVec3,
    /// Moments of its cloths.
    moments: Moments,
}

impl FreeCloths {
    /// Finds the islands of a step.
    pub fn choose(&mut self, fixed: Fixed, islands: &Islands, contacts: &Contacts, inverse_masses: &[f64]) {
        let (own, cloths) = (&mut self.islands, &fixed.constants.cloths);
        own.clear();
        for cloth in cloths.free().filter(|cloth| cloth.clone().all(|it| inverse_masses[it] > 0.0)) {
            let root = islands.island(cloth.start);
            if own.iter().all(|it| it.root != root) {
                own.push(Island { root, is_known: true, turned: DVec3::ZERO, moments: Moments::NONE });
            }
        }
        if own.is_empty() {
            return;
        }
        let proxies = fixed.model.proxy_particles();
        self.of.resize(inverse_masses.len(), NONE);
        for (particle, of) in self.of.iter_mut().enumerate() {
            let root = islands.island(particle);
            let index = own.iter().position(|it| it.root == root).filter(|_| inverse_masses[particle] > 0.0);
            *of = index.map_or(NONE, |index| index as u32);
            if let Some(index) = index {
                let is_body = particle < proxies || fixed.constants.is_free[particle];
                own[index].is_known &= is_body || cloths.is_free(particle);
            }
        }
        let of = &self.of;
        let mut forget = |index: u32| own.get_mut(index as usize).into_iter().for_each(|it| it.is_known = false);
        let of_surface = |surface: usize| fixed.constants.of_surfaces[surface].map_or(NONE, |it| of[it]);
        for pair in contacts.may_meet() {
            let [a, b] = pair.map(of_surface);
            if a != b {
                forget(a);
                forget(b);
            }
        }
        contacts.may_meet_obstacles().for_each(|surface| forget(of_surface(surface)));
    }

    /// Notes what the islands have after the prediction of a substep.
    pub fn predicted(&mut self, fixed: Fixed, state: &State) {
        for island in &mut self.islands {
            island.turned = DVec3::ZERO;
        }
        self.add(fixed, state, 1.0);
    }

    /// Adds the angular momentum of what is not a proxy, times `sign`, and sums the moments of cloths.
    fn add(&mut self, fixed: Fixed, state: &State, sign: f64) {
        if self.islands.is_empty() {
            return;
        }
        for particle in fixed.model.proxy_particles()..self.of.len() {
            let Some(island) = self.islands.get_mut(self.of[particle] as usize).filter(|it| it.is_known) else {
                continue;
            };
            let (mass, place) = (fixed.model.masses[particle], state.positions[particle]);
            let moved = place - state.previous[particle];
            island.turned += place.cross(moved) * (sign * mass);
            if sign < 0.0 && fixed.constants.cloths.is_free(particle) {
                island.moments.add(mass, place, moved);
            }
        }
    }

    /// Gives cloths at the end of a substep what is missing.
    pub fn keep_spin(&mut self, fixed: Fixed, proxies: &Proxies, state: &mut State) {
        if self.islands.iter().all(|island| !island.is_known) {
            return;
        }
        self.islands.iter_mut().for_each(|island| island.moments = Moments::NONE);
        self.add(fixed, state, -1.0);
        for body in 0..fixed.model.proxies.len() {
            if let Some(island) = self.islands.get_mut(self.of[4 * body] as usize) {
                island.turned -= proxies.turned(fixed.model, state, body);
            }
        }
        for (index, island) in self.islands.iter().enumerate().filter(|(_, island)| island.is_known) {
            let (turn, center) = (island.moments.turn(island.turned), island.moments.center());
            let own =
                |particle: &usize| self.of[*particle] == index as u32 && fixed.constants.cloths.is_free(*particle);
            for particle in (0..self.of.len()).filter(own) {
                state.previous[particle] -= turn.cross(state.positions[particle] - center);
            }
        }
    }
}
