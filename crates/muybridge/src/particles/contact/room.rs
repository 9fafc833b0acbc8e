//! How long the lists of a step can get, so that they are given their memory before anything touches and grow no more.
//!
//! ```text
//! boxes, cores, the tree      as many as there are surfaces
//! pairs of surfaces           those that may touch at all;      at most PAIRS per surface and MOST_PAIRS
//! surfaces and obstacles      all of both;                      at most OBSTACLES per surface
//! contacts                    OF_A_PAIR for each pair of both;  at most CONTACTS per surface and MOST_CONTACTS
//! ```
//! The first bound of a line holds always (but for contacts with meshes of many triangles). It would be far too much where thousands of
//! surfaces may touch, of which few do, so that there is a second: what is more than that makes a list grow, which keeps what it has then.
//! Memory that is given is not written before it is used.

use super::surfaces::Surfaces;

/// Pairs of surfaces per surface, with room to spare: in a cloth of 512 triangles that falls on itself they are 32.
const PAIRS: usize = 64;
const MOST_PAIRS: usize = 1 << 20;

/// Obstacles that one surface may reach in a step: stairs, walls, the ground.
const OBSTACLES: usize = 8;

/// Contacts per surface, with room to spare: in a cloth on the ground they are three.
const CONTACTS: usize = 4;

/// There is no more room than for so many contacts, which with what they remember are a kilobyte each.
const MOST_CONTACTS: usize = 1 << 16;

/// Contacts of a pair of surfaces: the corners of both and where they are nearest.
const OF_A_PAIR: usize = 7;

/// Lengths that the lists of a step will not pass, or hardly ever.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactCapacity {
    /// Surfaces.
    pub surfaces: usize,
    /// Pairs of surfaces.
    pub pairs: usize,
    /// Pairs of a surface and an obstacle.
    pub obstacles: usize,
    /// Contacts of both.
    pub contacts: usize,
}

impl ContactCapacity {
    /// For surfaces among so many obstacles.
    pub fn of(surfaces: &Surfaces, obstacles: usize) -> Self {
        let count = surfaces.list.len();
        let pairs = surfaces.most_pairs.min(PAIRS * count).min(MOST_PAIRS);
        let obstacles = count * obstacles.min(OBSTACLES);
        let contacts = (OF_A_PAIR * (pairs + obstacles)).min(CONTACTS * count).min(MOST_CONTACTS);
        Self { surfaces: count, pairs, obstacles, contacts }
    }
}

/// Makes a list able to become so long without growing.
pub(crate) fn make_room<T>(list: &mut Vec<T>, length: usize) {
    list.reserve(length.saturating_sub(list.len()));
}
