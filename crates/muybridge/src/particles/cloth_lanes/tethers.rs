//! Tethers: limit the distance of a particle from a pin to the length of cloth between them.
//!
//! ```text
//! |x − p| ≤ L,   L the shortest way over the cloth at rest      (Kim, Chentanez, Müller 2012)
//! ```
//! Tethers carry the load of the whole cloth directly to the pins instead of through the few sticks beside them. With
//! them 20 to 30 substeps hold a cloth that needs hundreds without.

use super::super::objects::geodesic::Surroundings;
use super::layout::{BLOCK, Layout};

/// One tether for each of the 16 particles of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tether {
    /// Index of the block.
    pub block: u32,
    /// Pin of each lane, as an index into the list of pins.
    pub pins: [u32; BLOCK],
    /// Whether all lanes hang on the same pin.
    pub one_pin: bool,
    /// Inverse squared tether length 1 / L² of each lane, 1/m²; 0 without a tether.
    pub inverse_square: [f32; BLOCK],
}

/// Creates up to `per_particle` tethers for every particle that the mesh connects to as many pins, ordered by block.
pub(super) fn tethers(
    ways: &Surroundings,
    pins: &[usize],
    per_particle: usize,
    slack: f64,
    layout: &Layout,
) -> Vec<Tether> {
    let ways = ways.ways_from(pins);
    let mut list = Vec::new();
    for particle in (0..layout.slots.len()).filter(|particle| pins.binary_search(particle).is_err()) {
        let nearest = ways.nearest(particle, per_particle);
        list.extend(nearest.into_iter().map(|(pin, way)| (particle, pin, way * slack)));
    }
    in_blocks(&list, layout)
}

/// Packs tethers, each a particle, the index of its pin and a length (m), into blocks, ordered by block.
pub(super) fn in_blocks(list: &[(usize, usize, f64)], layout: &Layout) -> Vec<Tether> {
    let mut ranks = vec![0; layout.slots.len()];
    let mut tethers: Vec<Tether> = Vec::new();
    for &(particle, pin, length) in list {
        let (slot, rank) = (layout.slots[particle], ranks[particle]);
        ranks[particle] += 1;
        if rank * layout.blocks >= tethers.len() {
            tethers.extend((0..layout.blocks as u32).map(Tether::none));
        }
        let tether = &mut tethers[rank * layout.blocks + slot / BLOCK];
        tether.pins[slot % BLOCK] = pin as u32;
        tether.inverse_square[slot % BLOCK] = (1.0 / (length * length)) as f32;
    }
    tethers.retain(|tether| tether.inverse_square.iter().any(|&number| number > 0.0));
    tethers.iter_mut().for_each(Tether::settle);
    tethers.sort_by_key(|tether| tether.block);
    tethers
}

impl Tether {
    fn none(block: u32) -> Self {
        Self { block, pins: [0; BLOCK], one_pin: false, inverse_square: [0.0; BLOCK] }
    }

    /// Gives lanes without a tether the pin of the other lanes and sets `one_pin`.
    fn settle(&mut self) {
        let held = |lane: &usize| self.inverse_square[*lane] > 0.0;
        let Some(pin) = (0..BLOCK).find(held).map(|lane| self.pins[lane]) else { return };
        self.one_pin = (0..BLOCK).filter(held).all(|lane| self.pins[lane] == pin);
        for lane in 0..BLOCK {
            if self.inverse_square[lane] == 0.0 {
                self.pins[lane] = pin;
            }
        }
    }
}
