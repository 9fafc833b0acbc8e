//! Memory layout of the particles of a cloth, such that the ends of 16 sticks are 16 neighbors.
//!
//! Memory is blocks of 16 particles: 16 x, 16 y, 16 z. In a grid of rows of `n` columns a row is `s = ⌈n/16⌉` blocks (2
//! at least, never 3), and column `c` is lane `⌊c/s⌋` of block `c mod s`, as in Farrar's striped alignment (2007). Sticks along
//! a row, a column or a diagonal then join equal lanes of two blocks, 16 at a time and aligned; only the seam, from the
//! last block of a row to the first, shifts by one lane. Of a narrow grid only the first eight lanes are in use, and half as wide
//! vectors step it. A last column that alone would ask for more blocks a row or for more lanes, as that of 17, 33 and 65 columns,
//! has blocks of its own after all rows, striped along the column. Meshes that are no grids are laid out as they are numbered.

use crate::math::single_lanes::SingleLanes;

/// Particles of a block, independent of the processor's vector width.
pub(super) const BLOCK: usize = 16;

/// Count of f32 numbers in a block: x, y and z of each particle.
pub(super) const NUMBERS: usize = 3 * BLOCK;

/// End of the lanes that vectors of `V` step through, of so many in use: of one vector per block the compiler knows it.
#[inline(always)]
pub(super) fn end_of<V: SingleLanes>(lanes: usize) -> usize {
    if V::WIDTH < BLOCK { lanes } else { BLOCK }
}

/// Memory slot of every particle.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Memory slot of each particle: `16 block + lane`.
    pub slots: Vec<usize>,
    /// Number of blocks.
    pub blocks: usize,
    /// Number of lanes of a block that are in use, the first ones: [`BLOCK`] or half of it.
    pub lanes: usize,
    /// Row length of a grid that is numbered row by row; `None` for other meshes.
    pub columns: Option<usize>,
}

/// Index of the x of a slot; y and z follow 16 and 32 later.
pub(super) fn offset(slot: usize) -> usize {
    slot / BLOCK * NUMBERS + slot % BLOCK
}

impl Layout {
    /// Chooses the layout of `count` particles with these edges.
    pub(super) fn new(count: usize, edges: &[[usize; 2]]) -> Self {
        match columns(edges) {
            Some(columns) => Self::striped(count, columns),
            None => Self { slots: (0..count).collect(), blocks: count.div_ceil(BLOCK), lanes: BLOCK, columns: None },
        }
    }

    fn striped(count: usize, columns: usize) -> Self {
        let rows = count.div_ceil(columns);
        let width = |columns: usize| stripes(columns) * lanes(columns);
        let is_apart = width(columns - 1) < width(columns);
        let beside = columns - usize::from(is_apart);
        let (stripes, lanes) = (self::stripes(beside), self::lanes(beside));
        let of_last = if is_apart { not_three(rows.div_ceil(lanes)) } else { 0 };
        let slot = |i: usize| {
            let (row, column) = (i / columns, i % columns);
            if column < beside {
                (row * stripes + column % stripes) * BLOCK + column / stripes
            } else {
                (rows * stripes + row % of_last) * BLOCK + row / of_last
            }
        };
        let blocks = rows * stripes + of_last;
        Self { slots: (0..count).map(slot).collect(), blocks, lanes, columns: Some(columns) }
    }
}

/// Number of blocks of a row.
fn stripes(columns: usize) -> usize {
    not_three(columns.div_ceil(BLOCK).max(2))
}

/// Number of lanes of a block that a row needs: all of them, or half.
fn lanes(columns: usize) -> usize {
    if columns.div_ceil(stripes(columns)) <= BLOCK / 2 { BLOCK / 2 } else { BLOCK }
}

fn not_three(stripes: usize) -> usize {
    if stripes == THREE { THREE + 1 } else { stripes }
}

/// With as many stripes the sticks of a row have three colors by turns: a sweep from one end to the other, by which modes grow.
const THREE: usize = 3;

/// Row length of a grid numbered row by row; `None` if too few edges fit such a grid.
fn columns(edges: &[[usize; 2]]) -> Option<usize> {
    let mut steps: Vec<usize> = edges.iter().map(|[a, b]| b - a).filter(|&step| step > 1).collect();
    steps.sort_unstable();
    let often = |step: usize| steps.partition_point(|&s| s <= step) - steps.partition_point(|&s| s < step);
    let all = |n: usize| often(n) + often(n - 1) + often(n + 1);
    // Among the three steps of a grid, n − 1, n and n + 1, the columns are the most frequent, then the one in the middle.
    let columns = steps.iter().copied().max_by_key(|&step| (often(step), all(step), step))?;
    let beside = edges.iter().filter(|[a, b]| b - a == 1).count();
    (columns > 2 && 4 * (all(columns) + beside) >= 3 * edges.len() && 5 * often(columns) >= edges.len())
        .then_some(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_particles_share_a_place() {
        for (count, columns) in
            [(400, 20), (4096, 64), (35, 5), (1000, 100), (17 * 33, 17), (33 * 33, 33), (65 * 9, 65), (260, 13)]
        {
            let layout = Layout::striped(count, columns);
            assert!(layout.slots.iter().all(|slot| slot % BLOCK < layout.lanes));
            let mut slots = layout.slots.clone();
            slots.sort_unstable();
            slots.dedup();
            assert_eq!(slots.len(), count);
            assert!(slots[count - 1] < layout.blocks * BLOCK);
        }
    }

    #[test]
    fn rows_are_found_in_the_numbers_of_a_grid_and_only_there() {
        let mut edges = Vec::new();
        for i in 0..30 * 7 {
            let (row, column) = (i / 7, i % 7);
            edges.extend((column < 6).then_some([i, i + 1]));
            edges.extend((row < 29).then_some([i, i + 7]));
            edges.extend((row < 29 && column < 6).then_some([i, i + 8]));
        }
        assert_eq!(columns(&edges), Some(7));
        let scattered: Vec<[usize; 2]> = (0..200).map(|i| [i, i + 1 + (i * i * 31) % 97]).collect();
        assert_eq!(columns(&scattered), None);
        assert_eq!(columns(&[]), None);
    }
}
