//! Capacities of the contact lists, so that they are allocated before the first contact and do not grow.
//!
//! ```text
//! boxes, cores, the tree      as many as there are surfaces
//! pairs of surfaces           those that may touch at all;      at most PAIRS per surface and MOST_PAIRS
//! surfaces and obstacles      all of both;                      at most OBSTACLES per surface
//! contacts                    OF_A_PAIR for each pair of both;  at most CONTACTS per surface and MOST_CONTACTS
//! ```
//! The first bound of a line always holds (except for contacts with meshes of many triangles). It is far too large for
//! thousands of colliders of which few touch; hence the second bound. A list that exceeds it grows, and keeps its new
//! capacity. Reserved memory is not written before use.

use super::surfaces::Surfaces;

/// Pairs of colliders per collider, with margin: a cloth of 512 triangles that falls on itself has 32.
const PAIRS: usize = 64;
const MOST_PAIRS: usize = 1 << 20;

/// Obstacles that one collider may reach in a step: stairs, walls, the ground.
const OBSTACLES: usize = 8;

/// Contacts per collider, with margin: a cloth on the ground has three.
const CONTACTS: usize = 4;

/// Greatest number of contacts with reserved memory. A contact and its warm-start data take a kilobyte.
const MOST_CONTACTS: usize = 1 << 16;

/// Contacts of a pair of colliders: the corners of both and the nearest points.
const OF_A_PAIR: usize = 7;

/// Capacities that the lists of a step rarely exceed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactCapacity {
    /// Number of colliders.
    pub surfaces: usize,
    /// Pairs of colliders.
    pub pairs: usize,
    /// Pairs of a collider and an obstacle.
    pub obstacles: usize,
    /// Contacts of all pairs.
    pub contacts: usize,
}

impl ContactCapacity {
    /// Computes the capacities for colliders among `obstacles` obstacles.
    pub fn of(surfaces: &Surfaces, obstacles: usize) -> Self {
        let count = surfaces.list.len();
        let pairs = surfaces.most_pairs.min(PAIRS * count).min(MOST_PAIRS);
        let obstacles = count * obstacles.min(OBSTACLES);
        let contacts = (OF_A_PAIR * (pairs + obstacles)).min(CONTACTS * count).min(MOST_CONTACTS);
        Self { surfaces: count, pairs, obstacles, contacts }
    }
}

/// Reserves memory so that a list can reach `length` without growing.
pub(crate) fn make_room<T>(list: &mut Vec<T>, length: usize) {
    list.reserve(length.saturating_sub(list.len()));
}
