//! The sticks of a cloth as batches of 16 that touch 32 different particles, in the order in which they are projected.
//!
//! Batches are colored greedily: those of one color touch different particles, colors run in order (mathematics 3.8). In a
//! grid this gives rows of even and odd number in turn. (A sweep row by row from the pins carries corrections further,
//! but is not symmetric and pumps energy: at 30 to 100 substeps it tore the cloth of W3 by 160 %.)

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::layout::{BLOCK, Layout, offset};

/// A stick between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stick {
    /// Particles.
    pub ends: [usize; 2],
    /// Rest length, metres.
    pub rest: f64,
    /// Share of the error that moves each end; 0 for a pinned one.
    pub shares: [f64; 2],
}

/// Sixteen sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Batch {
    /// Ends in lanes side by side, all sticks alike.
    Alike {
        /// Offsets of the x of the first lanes.
        at: [u32; 2],
        /// 1 / rest², 1/m².
        inverse_square: f32,
        /// Shares of the two ends.
        shares: [f32; 2],
    },
    /// Ends in lanes side by side, each stick with numbers of its own.
    Own {
        /// Offsets of the x of the first lanes.
        at: [u32; 2],
        /// Index into [`Program::own`].
        own: u32,
    },
    /// Ends anywhere.
    Scattered {
        /// Index into [`Program::scattered`].
        scattered: u32,
        /// Index into [`Program::own`].
        own: u32,
    },
}

/// Numbers of 16 sticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Own {
    /// 1 / rest², 1/m².
    pub inverse_square: [f32; BLOCK],
    /// Shares of the first and of the second ends; 0 in lanes without a stick.
    pub shares: [[f32; BLOCK]; 2],
}

/// Offsets of the ends of 16 sticks.
pub(super) type Scattered = [[u32; BLOCK]; 2];

/// Batches in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    /// What to do.
    pub batches: Vec<Batch>,
    /// Numbers of [`Batch::Own`] and [`Batch::Scattered`].
    pub own: Vec<Own>,
    /// Ends of [`Batch::Scattered`].
    pub scattered: Vec<Scattered>,
}

/// Up to 16 sticks, by lane, that go together.
type Lanes = [Option<Stick>; BLOCK];

/// Rest lengths that differ by less are alike: the rounding of a grid's points.
const ALIKE: f64 = 1e-5;

/// With fewer sticks a batch of neighbors costs more than the same sticks among scattered ones.
const WORTH_IT: usize = 3;

impl Program {
    /// For sticks between particles laid out so.
    pub(super) fn new(sticks: &[Stick], layout: &Layout) -> Self {
        let (aligned, rest) = by_blocks(sticks, layout);
        let mut groups: Vec<(Lanes, Option<[usize; 2]>)> =
            aligned.into_iter().map(|(at, lanes)| (lanes, Some(at))).collect();
        groups.extend(scattered(&rest, layout.slots.len()).into_iter().map(|lanes| (lanes, None)));
        let colors = colors(&groups, layout.slots.len());
        let mut program = Self::default();
        for group in wavefront(&groups, &colors, layout) {
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
        if let Some(stick) = alike(lanes) {
            let inverse_square = (1.0 / (stick.rest * stick.rest)) as f32;
            self.batches.push(Batch::Alike { at, inverse_square, shares: stick.shares.map(|share| share as f32) });
        } else {
            self.batches.push(Batch::Own { at, own: self.own.len() as u32 });
            self.own.push(own(lanes));
        }
    }
}

/// Sticks that join equal lanes of two blocks, or lanes one apart; and those that do not.
fn by_blocks(sticks: &[Stick], layout: &Layout) -> (Vec<([usize; 2], Lanes)>, Vec<Stick>) {
    // Batches of one kind, row after row: the order in which colors are given.
    let mut groups: BTreeMap<(usize, usize, [usize; 2]), Lanes> = BTreeMap::new();
    let mut rest = Vec::new();
    for stick in sticks {
        let Some((turned, blocks, shifts, lane)) = aligned(stick, layout) else {
            rest.push(*stick);
            continue;
        };
        let key = (blocks[0].abs_diff(blocks[1]), 2 * blocks[0] + usize::from(blocks[1] < blocks[0]), shifts);
        let lanes = groups.entry(key).or_default();
        if lanes[lane].is_none() {
            lanes[lane] = Some(turned);
        } else {
            rest.push(*stick);
        }
    }
    let mut whole = Vec::new();
    for ((apart, from, shifts), lanes) in groups {
        if lanes.iter().flatten().count() < WORTH_IT {
            rest.extend(lanes.iter().flatten());
            continue;
        }
        let first = from / 2;
        let second = if from % 2 == 0 { first + apart } else { first - apart };
        whole.push(([offset(first * BLOCK) + shifts[0], offset(second * BLOCK) + shifts[1]], lanes));
    }
    (whole, rest)
}

/// The stick with its ends in order, their blocks, shifts and the lane of the batch.
fn aligned(stick: &Stick, layout: &Layout) -> Option<(Stick, [usize; 2], [usize; 2], usize)> {
    let place = |end: usize| {
        let slot = layout.slots[stick.ends[end]];
        (slot / BLOCK, slot % BLOCK)
    };
    let (a, b) = (place(0), place(1));
    if a.0 == b.0 || a.1.abs_diff(b.1) > 1 {
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

/// Sticks in batches of 16 that share no particle.
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
    // What is beyond the last color goes one by one, for its sticks may share particles.
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

/// The least color that no earlier batch with a particle in common has.
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

/// The batches color by color, but each as early as those before it allow, beginning with the first rows: what is near in
/// memory is near in time. Batches of a particle keep the order of their colors, so every result keeps its bits.
fn wavefront(groups: &[(Lanes, Option<[usize; 2]>)], colors: &[u32], layout: &Layout) -> Vec<usize> {
    let mut by_color: Vec<usize> = (0..groups.len()).collect();
    by_color.sort_by_key(|&group| colors[group]);
    let ends = |group: usize| groups[group].0.iter().flatten().flat_map(|stick| stick.ends);
    let mut last = vec![usize::MAX; layout.slots.len()];
    let (mut after, mut missing) = (vec![Vec::new(); groups.len()], vec![0_u32; groups.len()]);
    for &group in &by_color {
        let mut before: Vec<usize> = ends(group).map(|end| last[end]).filter(|&g| g != usize::MAX).collect();
        before.sort_unstable();
        before.dedup();
        missing[group] = before.len() as u32;
        before.into_iter().for_each(|earlier| after[earlier].push(group));
        ends(group).for_each(|end| last[end] = group);
    }
    let place = |group: usize| (ends(group).map(|end| layout.slots[end] / BAND).max(), colors[group], group);
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

/// Slots that a wavefront takes together: batches of one color within them wait for no other.
const BAND: usize = 64 * BLOCK;

/// The one stick that all 16 are like.
fn alike(lanes: &Lanes) -> Option<Stick> {
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
