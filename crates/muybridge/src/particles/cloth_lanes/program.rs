//! The sticks of a cloth in batches of 16 with 32 different particles, in the order of projection.
//!
//! Sticks run kind by kind: along the rows, along the columns, along one diagonal and the other. Batches of a kind are colored
//! greedily: those of one color share no particle, and colors run in order (mathematics 3.8). In a grid this alternates
//! between even and odd rows. The order decides whether energy is kept: a sweep `P` over the sticks is no symmetric matrix,
//! and modes grow where an eigenvalue of `[2P −P; I 0]` is beyond 1. Kind by kind none is, with colors across the kinds some
//! are, by up to 4 % a substep. (A sweep row by row tore the cloth of W3 by 160 %.)

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::layout::{BLOCK, Layout, offset};

/// A stick between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stick {
    /// Indices of the two particles.
    pub ends: [usize; 2],
    /// Rest length, meters.
    pub rest: f64,
    /// Share of the length error that moves each end; 0 for a pinned end.
    pub shares: [f64; 2],
}

/// A batch of sixteen sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Batch {
    /// Sticks of one length and one pair of shares, whose ends lie in adjacent lanes.
    Alike {
        /// Offsets of the x of the first and second ends in lane 0.
        at: [u32; 2],
        /// Inverse squared rest length, 1/m².
        inverse_square: f32,
        /// Shares of the length error of the two ends.
        shares: [f32; 2],
    },
    /// Sticks with a length and shares each, whose ends lie in adjacent lanes.
    Own {
        /// Offsets of the x of the first and second ends in lane 0.
        at: [u32; 2],
        /// Index into [`Program::own`].
        own: u32,
    },
    /// Ends at arbitrary slots, which are gathered.
    Scattered {
        /// Index into [`Program::scattered`].
        scattered: u32,
        /// Index into [`Program::own`].
        own: u32,
    },
}

/// Individual numbers of 16 sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Own {
    /// Inverse squared rest length, 1/m².
    pub inverse_square: [f32; BLOCK],
    /// Shares of the length error of the first and second ends; 0 in lanes without a stick.
    pub shares: [[f32; BLOCK]; 2],
}

/// Offsets of the x of both ends of 16 sticks.
pub(super) type Scattered = [[u32; BLOCK]; 2];

/// The batches of a cloth in order of projection.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// Number of sticks.
    pub sticks: u64,
    /// Number of lanes in use of the blocks of contiguous batches.
    pub lanes: usize,
    /// Batches in order of projection.
    pub batches: Vec<Batch>,
    /// Numbers of [`Batch::Own`] and [`Batch::Scattered`].
    pub own: Vec<Own>,
    /// Ends of [`Batch::Scattered`].
    pub scattered: Vec<Scattered>,
}

/// Up to 16 sticks of one batch, by lane.
type Lanes = [Option<Stick>; BLOCK];

/// Relative tolerance within which two sticks are equal: the rounding of a grid's points.
const ALIKE: f64 = 1e-5;

/// Least number of sticks in a contiguous batch, and in one whose ends overlap, which waits for its own stores. Fewer sticks
/// are cheaper among the gathered ones.
const WORTH_IT: usize = 3;
const WORTH_IT_IN_A_BLOCK: usize = 4;

impl Program {
    /// Batches the sticks between particles of this layout.
    pub(super) fn new(sticks: &[Stick], layout: &Layout) -> Self {
        let (aligned, rest) = by_blocks(sticks, layout);
        let mut groups: Vec<(Lanes, Option<[usize; 2]>)> =
            aligned.into_iter().map(|(at, lanes)| (lanes, Some(at))).collect();
        groups.extend(scattered(&rest, layout.slots.len()).into_iter().map(|lanes| (lanes, None)));
        let ranks = ranks(&groups, layout.slots.len());
        let mut program = Self { sticks: sticks.len() as u64, lanes: layout.lanes, ..Self::default() };
        for group in wavefront(&groups, &ranks, layout) {
            let (lanes, at) = &groups[group];
            program.push(lanes, *at, layout);
        }
        program
    }

    fn push(&mut self, lanes: &Lanes, at: Option<[usize; 2]>, layout: &Layout) {
        let Some(at) = at.map(|at| at.map(|at| at as u32)) else {
            let batch = Batch::Scattered { scattered: self.scattered.len() as u32, own: self.own.len() as u32 };
            self.scattered.push(ends(lanes, layout));
            self.own.push(own(lanes));
            self.batches.push(batch);
            return;
        };
        if let Some(stick) = alike(&lanes[..layout.lanes]) {
            let inverse_square = (1.0 / (stick.rest * stick.rest)) as f32;
            self.batches.push(Batch::Alike { at, inverse_square, shares: stick.shares.map(|share| share as f32) });
        } else {
            self.batches.push(Batch::Own { at, own: self.own.len() as u32 });
            self.own.push(own(lanes));
        }
    }
}

/// Groups sticks that join equal lanes of two blocks, or lanes one apart, also of one block; returns the remaining sticks separately.
fn by_blocks(sticks: &[Stick], layout: &Layout) -> (Vec<([usize; 2], Lanes)>, Vec<Stick>) {
    // Keys sort batches by kind, then row after row: the order of coloring.
    let mut groups: BTreeMap<(usize, usize, [usize; 2], usize), Lanes> = BTreeMap::new();
    let mut rest = Vec::new();
    for stick in sticks {
        let Some((turned, blocks, shifts, lane)) = aligned(stick, layout) else {
            rest.push(*stick);
            continue;
        };
        // In one block every other stick, as neighbors share a particle.
        let turn = if blocks[0] == blocks[1] { lane % 2 } else { 0 };
        let key = (blocks[0].abs_diff(blocks[1]), 2 * blocks[0] + usize::from(blocks[1] < blocks[0]), shifts, turn);
        let lanes = groups.entry(key).or_default();
        if lanes[lane].is_none() {
            lanes[lane] = Some(turned);
        } else {
            rest.push(*stick);
        }
    }
    let mut whole = Vec::new();
    for ((apart, from, shifts, _), lanes) in groups {
        let least = if apart == 0 { WORTH_IT_IN_A_BLOCK } else { WORTH_IT };
        if lanes.iter().flatten().count() < least {
            rest.extend(lanes.iter().flatten());
            continue;
        }
        let first = from / 2;
        let second = if from % 2 == 0 { first + apart } else { first - apart };
        whole.push(([offset(first * BLOCK) + shifts[0], offset(second * BLOCK) + shifts[1]], lanes));
    }
    (whole, rest)
}

/// Returns the stick with its ends in order, their blocks, their lane shifts and the lane of the batch. `None` if the
/// stick does not fit a contiguous batch.
fn aligned(stick: &Stick, layout: &Layout) -> Option<(Stick, [usize; 2], [usize; 2], usize)> {
    let place = |end: usize| {
        let slot = layout.slots[stick.ends[end]];
        (slot / BLOCK, slot % BLOCK)
    };
    let (a, b) = (place(0), place(1));
    if a.1.abs_diff(b.1) > 1 {
        return None;
    }
    let turn = if a.1 == b.1 { a.0 > b.0 } else { a.1 > b.1 };
    let (turned, a, b) = if turn {
        let ([p, q], [v, w]) = (stick.ends, stick.shares);
        (Stick { ends: [q, p], shares: [w, v], ..*stick }, b, a)
    } else {
        (*stick, a, b)
    };
    Some((turned, [a.0, b.0], [0, b.1 - a.1], a.1))
}

/// Packs sticks into batches of 16 that share no particle.
fn scattered(sticks: &[Stick], particles: usize) -> Vec<Lanes> {
    let single: Vec<(Lanes, Option<[usize; 2]>)> = sticks
        .iter()
        .map(|stick| {
            let mut lanes = Lanes::default();
            lanes[0] = Some(*stick);
            (lanes, None)
        })
        .collect();
    let colors = colors(&single, particles);
    let mut by_color: BTreeMap<u32, Vec<Stick>> = BTreeMap::new();
    for (stick, color) in sticks.iter().zip(colors) {
        by_color.entry(color).or_default().push(*stick);
    }
    // Sticks beyond the last color go one by one, because they may share particles.
    let size = |color: u32| if color == LAST_COLOR { 1 } else { BLOCK };
    let pack = |(color, sticks): (&u32, &Vec<Stick>)| {
        sticks
            .chunks(size(*color))
            .map(|chunk| core::array::from_fn(|lane| chunk.get(lane).copied()))
            .collect::<Vec<_>>()
    };
    by_color.iter().flat_map(pack).collect()
}

const LAST_COLOR: u32 = 127;

/// Greedy coloring: each batch gets the least color of no earlier batch with a shared particle.
fn colors(groups: &[(Lanes, Option<[usize; 2]>)], particles: usize) -> Vec<u32> {
    let mut used = vec![0_u128; particles];
    let mut colors = Vec::with_capacity(groups.len());
    for (lanes, _) in groups {
        let ends = || lanes.iter().flatten().flat_map(|stick| stick.ends);
        let taken = ends().fold(0, |taken, end| taken | used[end]);
        let color = (!taken).trailing_zeros().min(LAST_COLOR);
        ends().for_each(|end| used[end] |= 1 << color);
        colors.push(color);
    }
    colors
}

/// Place of each batch in the order of projection: by kind, and by color within a kind. The kind of a contiguous batch is the
/// difference of the indices of its ends, which in a grid is the direction of its sticks; gathered sticks are the last kind.
fn ranks(groups: &[(Lanes, Option<[usize; 2]>)], particles: usize) -> Vec<u32> {
    let mut kinds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (group, (lanes, at)) in groups.iter().enumerate() {
        let first = lanes.iter().flatten().next().filter(|_| at.is_some());
        kinds.entry(first.map_or(usize::MAX, |stick| stick.ends[0].abs_diff(stick.ends[1]))).or_default().push(group);
    }
    let (mut ranks, mut next) = (vec![0; groups.len()], 0);
    for own in kinds.values() {
        let members: Vec<(Lanes, Option<[usize; 2]>)> = own.iter().map(|&group| groups[group]).collect();
        let colors = colors(&members, particles);
        own.iter().zip(&colors).for_each(|(&group, color)| ranks[group] = next + color);
        next += colors.into_iter().max().map_or(0, |most| most + 1);
    }
    ranks
}

/// Orders batches by rank, but moves each forward as far as the batches before it allow, first rows first: batches
/// near in memory run close in time. Batches that share a particle keep the order of their ranks, so every result
/// keeps its bits.
fn wavefront(groups: &[(Lanes, Option<[usize; 2]>)], ranks: &[u32], layout: &Layout) -> Vec<usize> {
    let mut by_rank: Vec<usize> = (0..groups.len()).collect();
    by_rank.sort_by_key(|&group| ranks[group]);
    let ends = |group: usize| groups[group].0.iter().flatten().flat_map(|stick| stick.ends);
    let mut last = vec![usize::MAX; layout.slots.len()];
    let (mut after, mut missing) = (vec![Vec::new(); groups.len()], vec![0_u32; groups.len()]);
    for &group in &by_rank {
        let mut before: Vec<usize> = ends(group).map(|end| last[end]).filter(|&g| g != usize::MAX).collect();
        before.sort_unstable();
        before.dedup();
        missing[group] = before.len() as u32;
        before.into_iter().for_each(|earlier| after[earlier].push(group));
        ends(group).for_each(|end| last[end] = group);
    }
    let place = |group: usize| (ends(group).map(|end| layout.slots[end] / BAND).max(), ranks[group], group);
    let mut ready: BinaryHeap<_> =
        (0..groups.len()).filter(|&group| missing[group] == 0).map(|group| Reverse(place(group))).collect();
    let mut order = Vec::with_capacity(groups.len());
    while let Some(Reverse((_, _, group))) = ready.pop() {
        order.push(group);
        for &later in &after[group] {
            missing[later] -= 1;
            if missing[later] == 0 {
                ready.push(Reverse(place(later)));
            }
        }
    }
    order
}

/// Number of slots that the wavefront takes together.
const BAND: usize = 64 * BLOCK;

/// The stick that all equal within [`ALIKE`], if there is one.
fn alike(lanes: &[Option<Stick>]) -> Option<Stick> {
    let first = lanes[0]?;
    let same = |stick: &Stick| (stick.rest / first.rest - 1.0).abs() < ALIKE && close(stick.shares, first.shares);
    lanes.iter().all(|stick| stick.as_ref().is_some_and(same)).then_some(first)
}

fn close(a: [f64; 2], b: [f64; 2]) -> bool {
    (0..2).all(|end| (a[end] - b[end]).abs() < ALIKE)
}

fn own(lanes: &Lanes) -> Own {
    let number = |of: &dyn Fn(&Stick) -> f64| lanes.map(|stick| stick.as_ref().map_or(0.0, of) as f32);
    Own {
        inverse_square: number(&|stick| 1.0 / (stick.rest * stick.rest)),
        shares: [number(&|stick| stick.shares[0]), number(&|stick| stick.shares[1])],
    }
}

fn ends(lanes: &Lanes, layout: &Layout) -> Scattered {
    [0, 1].map(|end| lanes.map(|stick| stick.map_or(0, |stick| offset(layout.slots[stick.ends[end]]) as u32)))
}
