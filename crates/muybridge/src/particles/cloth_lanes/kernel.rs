//! SIMD kernels of a cloth substep: free fall, sticks, tethers, colliders, pins.
//!
//! ```text
//! fall       x' = x + e^{−c h} (x − x*) + g h² + (1 − e^{−c h}) h u        c drag, u wind               (3.1)
//! stick      q = d²/r² − 1,   s = min(q, 1) (½ − 0.207 min(q, 1)) ≈ 1 − r/ℓ,   x1 += k1 s d,  x2 −= k2 s d  (3.5.1)
//! tether     the same for one end, only where q > 0
//! ```
//! `s` is the Taylor expansion of 3.6 to second order, without its division: exact to q³ for usual strains. Beyond q =
//! 1 (1.41 times the length) it keeps its value there, so it never overshoots. The direction is the current one: its
//! dissipation is desired in a cloth (3.9.2).

use super::layout::{BLOCK, NUMBERS, end_of};
use super::program::{Batch, Own, Program};
use super::solid::Now;
use super::tethers::Tether;
use crate::math::single_lanes::SingleLanes;

/// Sixteen x, y and z from any offset on. Numbers after the z of a shifted batch belong to no stick.
pub(super) type StickBlock = [f32; NUMBERS];

/// Free fall for one substep: multiplies displacements by `keep` and adds `add`.
#[inline(always)]
pub(super) fn fall<V: SingleLanes>(
    token: V::Token,
    positions: &mut [f32],
    previous: &mut [f32],
    lanes: usize,
    (keep, add): (f32, [f32; 3]),
) {
    let keep = V::splat(token, keep);
    let add = wide::<V>(token, &add);
    for (now, before) in positions.chunks_exact_mut(NUMBERS).zip(previous.chunks_exact_mut(NUMBERS)) {
        for axis in 0..3 {
            for lane in (axis * BLOCK..axis * BLOCK + end_of::<V>(lanes)).step_by(V::WIDTH) {
                let (x, old) = (V::load(token, &now[lane..]), V::load(token, &before[lane..]));
                x.store(&mut before[lane..]);
                (x + ((x - old) * keep + add[axis])).store(&mut now[lane..]);
            }
        }
    }
}

/// Adds displacements.
#[inline(always)]
pub(super) fn push<V: SingleLanes>(token: V::Token, positions: &mut [f32], by: &[f32], lanes: usize) {
    for (now, by) in positions.chunks_exact_mut(BLOCK).zip(by.chunks_exact(BLOCK)) {
        for lane in (0..end_of::<V>(lanes)).step_by(V::WIDTH) {
            (V::load(token, &now[lane..]) + V::load(token, &by[lane..])).store(&mut now[lane..]);
        }
    }
}

/// Projects every stick once. A squared length, relative to that at rest, counts as `LEAST` at least: 0 for sticks, 1 for ribs,
/// which hold only what is longer. Positions are relative to `bases` if `FINE`.
#[inline(always)]
pub(super) fn project_sticks<V: SingleLanes, const LEAST: u8, const FINE: bool>(
    token: V::Token,
    positions: &mut [f32],
    bases: &[f32],
    program: &Program,
) {
    for batch in &program.batches {
        match *batch {
            Batch::Alike { at, inverse_square, shares: [first, second] } => {
                let numbers = (V::splat(token, inverse_square), [V::splat(token, first), V::splat(token, second)]);
                for lane in (0..end_of::<V>(program.lanes)).step_by(V::WIDTH) {
                    project::<V, LEAST, FINE, false>(token, positions, bases, (at, lane), numbers);
                }
            }
            Batch::Own { at, own } => {
                let own = &program.own[own as usize];
                for lane in (0..end_of::<V>(program.lanes)).step_by(V::WIDTH) {
                    let numbers = numbers(token, own, lane);
                    if at[1] == at[0] + 1 {
                        project::<V, LEAST, FINE, true>(token, positions, bases, (at, lane), numbers);
                    } else {
                        project::<V, LEAST, FINE, false>(token, positions, bases, (at, lane), numbers);
                    }
                }
            }
            Batch::Scattered { scattered, own } => {
                let (ends, own) = (&program.scattered[scattered as usize], &program.own[own as usize]);
                let (mut a, mut b) = (gather(positions, &ends[0]), gather(positions, &ends[1]));
                let own_bases =
                    if FINE { [gather(bases, &ends[0]), gather(bases, &ends[1])] } else { [[0.0; NUMBERS]; 2] };
                for lane in (0..BLOCK).step_by(V::WIDTH) {
                    let ends = [read::<V>(token, &a, lane), read::<V>(token, &b, lane)];
                    let mut apart = None;
                    if FINE {
                        apart = Some(minus(read::<V>(token, &own_bases[1], lane), read(token, &own_bases[0], lane)));
                    }
                    let [first, second] = moves::<V, LEAST>(ends, apart, numbers(token, own, lane));
                    write(plus(ends[0], first), &mut a, lane);
                    write(minus(ends[1], second), &mut b, lane);
                }
                scatter(positions, &ends[0], own, &a);
                scatter(positions, &ends[1], own, &b);
            }
        }
    }
}

impl Tether {
    /// Numbers of the pin of each lane.
    #[inline(always)]
    fn each(&self, pins: &[[f32; 3]]) -> StickBlock {
        let mut each = [0.0; NUMBERS];
        for (lane, &pin) in self.pins.iter().enumerate() {
            let [x, y, z] = pins[pin as usize];
            (each[lane], each[BLOCK + lane], each[2 * BLOCK + lane]) = (x, y, z);
        }
        each
    }
}

/// Projects the sticks of one vector of a batch in place. Both ends are in one block, in adjacent lanes, if `OVERLAPS`.
#[inline(always)]
fn project<V: SingleLanes, const LEAST: u8, const FINE: bool, const OVERLAPS: bool>(
    token: V::Token,
    positions: &mut [f32],
    bases: &[f32],
    (at, lane): ([u32; 2], usize),
    numbers: (V, [V; 2]),
) {
    let (Some(a), Some(b)) = (block(positions, at[0]), block(positions, at[1])) else { return };
    let mut apart = None;
    if FINE {
        let (Some(a), Some(b)) = (block(bases, at[0]), block(bases, at[1])) else { return };
        apart = Some(minus(read::<V>(token, b, lane), read(token, a, lane)));
    }
    let (mut a, b) = (read::<V>(token, a, lane), read::<V>(token, b, lane));
    let [first, second] = moves::<V, LEAST>([a, b], apart, numbers);
    // The first end is stored last: a lane without a stick that overlaps the second end would overwrite it with the old
    // value.
    if let Some(b_now) = block_mut(positions, at[1]) {
        write(minus(b, second), b_now, lane);
    }
    if let Some(a_now) = block_mut(positions, at[0]) {
        if OVERLAPS {
            a = read(token, a_now, lane);
        }
        write(plus(a, first), a_now, lane);
    }
}

#[inline(always)]
fn numbers<V: SingleLanes>(token: V::Token, own: &Own, lane: usize) -> (V, [V; 2]) {
    let shares = [V::load(token, &own.shares[0][lane..]), V::load(token, &own.shares[1][lane..])];
    (V::load(token, &own.inverse_square[lane..]), shares)
}

/// Moves of both ends of sticks whose bases are `apart`, towards each other.
#[inline(always)]
fn moves<V: SingleLanes, const LEAST: u8>(
    [p, q]: [[V; 3]; 2],
    apart: Option<[V; 3]>,
    (inverse_square, shares): (V, [V; 2]),
) -> [[V; 3]; 2] {
    let d = between(p, q, apart);
    let mut square = dot(d, d) * inverse_square;
    if LEAST > 0 {
        square = square.greatest(square.like(f64::from(LEAST)));
    }
    let s = excess(square);
    [times(d, s * shares[0]), times(d, s * shares[1])]
}

/// Vector from one place to another whose bases are `apart`.
#[inline(always)]
fn between<V: SingleLanes>(from: [V; 3], to: [V; 3], apart: Option<[V; 3]>) -> [V; 3] {
    match apart {
        Some(apart) => plus(apart, minus(to, from)),
        None => minus(to, from),
    }
}

/// 1 − r/ℓ to second order in `q = ℓ²/r² − 1`; `square` is ℓ²/r².
#[inline(always)]
pub(super) fn excess<V: SingleLanes>(square: V) -> V {
    let q = square.least(square.like(2.0)) - 1.0;
    q * (q * -0.207 + 0.5)
}

/// Pulls back every particle that is farther from its pin than its tether is long. Adds the moves to `pulled`, one entry
/// per tether, unless it is empty. Positions and pins are relative to `bases` and `pin_bases` if `FINE`.
#[inline(always)]
pub(super) fn pull_tethers<V: SingleLanes, const FINE: bool>(
    token: V::Token,
    (positions, bases): (&mut [f32], &[f32]),
    (tethers, pins, pin_bases): (&[Tether], &[[f32; 3]], &[[f32; 3]]),
    pulled: &mut [StickBlock],
    lanes: usize,
) {
    for (index, tether) in tethers.iter().enumerate() {
        let Some(block) = block_mut(positions, tether.block * NUMBERS as u32) else { continue };
        let mut pulled = pulled.get_mut(index);
        let each = if tether.one_pin { [0.0; NUMBERS] } else { tether.each(pins) };
        let each_base = if FINE { tether.each(pin_bases) } else { [0.0; NUMBERS] };
        for lane in (0..end_of::<V>(lanes)).step_by(V::WIDTH) {
            let pin = if tether.one_pin {
                wide::<V>(token, &pins[tether.pins[0] as usize])
            } else {
                read(token, &each, lane)
            };
            let mut apart = None;
            if FINE && let Some(base) = self::block(bases, tether.block * NUMBERS as u32) {
                apart = Some(minus(read::<V>(token, &each_base, lane), read(token, base, lane)));
            }
            let moved = pull(token, block, lane, (pin, apart), V::load(token, &tether.inverse_square[lane..]));
            if let Some(sum) = pulled.as_deref_mut() {
                write(plus(read::<V>(token, sum, lane), moved), sum, lane);
            }
        }
    }
}

/// Pulls the particles of one vector; returns their moves.
#[inline(always)]
fn pull<V: SingleLanes>(
    token: V::Token,
    block: &mut StickBlock,
    lane: usize,
    (pin, apart): ([V; 3], Option<[V; 3]>),
    inverse_square: V,
) -> [V; 3] {
    let x = read::<V>(token, &*block, lane);
    let d = between(x, pin, apart);
    let moved = times(d, excess((dot(d, d) * inverse_square).greatest(V::splat(token, 1.0))));
    write(plus(x, moved), block, lane);
    moved
}

/// Pushes every particle out of the colliders, with Coulomb friction (3.3, 3.9.3).
#[inline(always)]
pub(super) fn keep_out<V: SingleLanes>(
    token: V::Token,
    positions: &mut [f32],
    previous: &[f32],
    solids: &[Now],
    (friction, lanes): (f32, usize),
) {
    if solids.is_empty() {
        return;
    }
    let friction = V::splat(token, friction);
    for (now, before) in positions.chunks_exact_mut(NUMBERS).zip(previous.chunks_exact(NUMBERS)) {
        let (Some(now), Some(before)) = (now.first_chunk_mut(), before.first_chunk()) else { continue };
        for lane in (0..end_of::<V>(lanes)).step_by(V::WIDTH) {
            let (mut x, old) = (read::<V>(token, now, lane), read::<V>(token, before, lane));
            for solid in solids {
                let (normal, depth, moved) = contact(token, solid, x);
                if V::any(V::splat(token, 0.0).is_below(depth)) {
                    x = pushed_out(x, old, normal, depth, moved, friction);
                }
            }
            write(x, now, lane);
        }
    }
}

/// Outward normal, depth (positive inside) and displacement of the surface at that point in the substep.
#[inline(always)]
fn contact<V: SingleLanes>(token: V::Token, solid: &Now, x: [V; 3]) -> ([V; 3], V, [V; 3]) {
    match solid {
        Now::HalfSpace { normal, offset } => {
            let normal = wide(token, normal);
            (normal, V::splat(token, *offset) - dot(normal, x), [V::splat(token, 0.0); 3])
        }
        Now::Capsule { from, along, inverse_square, radius, moved } => {
            let along = wide(token, along);
            let out = minus(x, wide(token, from));
            let share = dot(out, along) * V::splat(token, *inverse_square);
            let share = share.greatest(V::splat(token, 0.0)).least(V::splat(token, 1.0));
            let d = minus(out, times(along, share));
            let length = dot(d, d).sqrt().greatest(V::splat(token, 1e-9));
            let (first, second) = (wide(token, &moved[0]), wide(token, &moved[1]));
            let moved = plus(first, times(minus(second, first), share));
            (times(d, V::splat(token, 1.0) / length), V::splat(token, *radius) - length, moved)
        }
    }
}

#[inline(always)]
fn pushed_out<V: SingleLanes>(x: [V; 3], old: [V; 3], normal: [V; 3], depth: V, moved: [V; 3], friction: V) -> [V; 3] {
    let depth = depth.greatest(depth.like(0.0));
    let out = plus(x, times(normal, depth));
    let slip = minus(minus(out, old), moved);
    let slip = minus(slip, times(normal, dot(slip, normal)));
    let length = dot(slip, slip).sqrt().greatest(depth.like(1e-12));
    let stopped = (depth * friction / length).least(depth.like(1.0));
    minus(out, times(slip, stopped))
}

#[inline(always)]
pub(super) fn plus<V: SingleLanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn minus<V: SingleLanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn times<V: SingleLanes>(a: [V; 3], number: V) -> [V; 3] {
    [a[0] * number, a[1] * number, a[2] * number]
}

#[inline(always)]
pub(super) fn wide<V: SingleLanes>(token: V::Token, vector: &[f32; 3]) -> [V; 3] {
    [V::splat(token, vector[0]), V::splat(token, vector[1]), V::splat(token, vector[2])]
}

#[inline(always)]
pub(super) fn dot<V: SingleLanes>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn read<V: SingleLanes>(token: V::Token, block: &StickBlock, lane: usize) -> [V; 3] {
    [V::load(token, &block[lane..]), V::load(token, &block[BLOCK + lane..]), V::load(token, &block[2 * BLOCK + lane..])]
}

#[inline(always)]
pub(super) fn write<V: SingleLanes>(vector: [V; 3], block: &mut StickBlock, lane: usize) {
    vector[0].store(&mut block[lane..]);
    vector[1].store(&mut block[BLOCK + lane..]);
    vector[2].store(&mut block[2 * BLOCK + lane..]);
}

#[inline(always)]
pub(super) fn block(positions: &[f32], at: u32) -> Option<&StickBlock> {
    positions.get(at as usize..).and_then(|rest| rest.first_chunk())
}

#[inline(always)]
fn block_mut(positions: &mut [f32], at: u32) -> Option<&mut StickBlock> {
    positions.get_mut(at as usize..).and_then(|rest| rest.first_chunk_mut())
}

/// Count of f32 numbers from the x of a particle to its z, both included.
pub(super) const X_TO_Z: usize = 2 * BLOCK + 1;

#[inline(always)]
pub(super) fn gather(positions: &[f32], ends: &[u32; BLOCK]) -> StickBlock {
    let mut block = [0.0; NUMBERS];
    for (lane, &at) in ends.iter().enumerate() {
        if let Some(place) = positions.get(at as usize..).and_then(|rest| rest.first_chunk::<X_TO_Z>()) {
            (block[lane], block[BLOCK + lane], block[2 * BLOCK + lane]) = (place[0], place[BLOCK], place[2 * BLOCK]);
        }
    }
    block
}

/// Writes the ends of a batch back. Lanes without a stick write nothing.
#[inline(always)]
fn scatter(positions: &mut [f32], ends: &[u32; BLOCK], own: &Own, block: &StickBlock) {
    for (lane, &at) in ends.iter().enumerate() {
        let Some(place) = positions.get_mut(at as usize..).and_then(|rest| rest.first_chunk_mut::<X_TO_Z>()) else {
            continue;
        };
        if own.inverse_square[lane] > 0.0 {
            (place[0], place[BLOCK], place[2 * BLOCK]) = (block[lane], block[BLOCK + lane], block[2 * BLOCK + lane]);
        }
    }
}
