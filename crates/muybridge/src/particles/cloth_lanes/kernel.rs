//! The substeps of a cloth in lanes: fall, sticks, tethers, solids, pins.
//!
//! ```text
//! fall       x' = x + e^{−c h} (x − x*) + g h² + (1 − e^{−c h}) h u        c drag, u wind               (3.1)
//! stick      q = d²/r² − 1,   s = min(q, 1) (½ − 0.207 min(q, 1)) ≈ 1 − r/ℓ,   x1 += k1 s d,  x2 −= k2 s d  (3.5.1)
//! tether     the same for one end, only where q > 0
//! ```
//! `s` is the Taylor expansion of 3.6 to second order, without its division: exact to q³ where sticks live, and bounded by its value at
//! q = 1 (1.41 times the length) beyond, so that it never overshoots. The direction is the present one: its dissipation
//! is wanted in a cloth (3.9.2).

use super::layout::{BLOCK, NUMBERS};
use super::program::{Batch, Own, Program, Scattered};
use super::solid::Now;
use super::tethers::Tether;
use crate::math::single_lanes::SingleLanes;

/// Sixteen x, y and z from any offset on; what follows the z of a shifted batch belongs to no stick.
type Block = [f32; NUMBERS];

/// Falls freely for one substep: `keep` of the displacement stays, `add` comes on top.
#[inline(always)]
pub(super) fn fall<V: SingleLanes>(
    token: V::Token,
    positions: &mut [f32],
    previous: &mut [f32],
    keep: f32,
    add: [f32; 3],
) {
    let keep = V::splat(token, keep);
    let add = add.map(|number| V::splat(token, number));
    for (now, before) in positions.chunks_exact_mut(NUMBERS).zip(previous.chunks_exact_mut(NUMBERS)) {
        for axis in 0..3 {
            for lane in (axis * BLOCK..(axis + 1) * BLOCK).step_by(V::WIDTH) {
                let (x, old) = (V::load(token, &now[lane..]), V::load(token, &before[lane..]));
                x.store(&mut before[lane..]);
                (x + ((x - old) * keep + add[axis])).store(&mut now[lane..]);
            }
        }
    }
}

/// Projects every stick once.
#[inline(always)]
pub(super) fn project_sticks<V: SingleLanes>(token: V::Token, positions: &mut [f32], program: &Program) {
    for batch in &program.batches {
        match *batch {
            Batch::Alike { at, inverse_square, shares } => {
                let inverse_square = V::splat(token, inverse_square);
                let shares = shares.map(|share| V::splat(token, share));
                for lane in (0..BLOCK).step_by(V::WIDTH) {
                    project::<V>(token, positions, at, lane, |_| (inverse_square, shares));
                }
            }
            Batch::Own { at, own } => {
                let own = &program.own[own as usize];
                for lane in (0..BLOCK).step_by(V::WIDTH) {
                    project::<V>(token, positions, at, lane, |lane| numbers(token, own, lane));
                }
            }
            Batch::Scattered { scattered, own } => {
                let (ends, own) = (&program.scattered[scattered as usize], &program.own[own as usize]);
                let [mut a, mut b] = gather(positions, ends);
                for lane in (0..BLOCK).step_by(V::WIDTH) {
                    let (inverse_square, shares) = numbers::<V>(token, own, lane);
                    let ends = [read(token, &a, lane), read(token, &b, lane)];
                    let [p, q] = stick(ends, inverse_square, shares);
                    write(p, &mut a, lane);
                    write(q, &mut b, lane);
                }
                scatter(positions, ends, own, [&a, &b]);
            }
        }
    }
}

/// One vector of a batch, in place.
#[inline(always)]
fn project<V: SingleLanes>(
    token: V::Token,
    positions: &mut [f32],
    at: [u32; 2],
    lane: usize,
    numbers: impl Fn(usize) -> (V, [V; 2]),
) {
    let [Some(p), Some(q)] = at.map(|at| block(positions, at).map(|block| read::<V>(token, block, lane))) else {
        return;
    };
    let (inverse_square, shares) = numbers(lane);
    let [p, q] = stick([p, q], inverse_square, shares);
    // The first end last: where a lane without a stick overlaps it, that lane holds what was there before.
    if let Some(b) = block_mut(positions, at[1]) {
        write(q, b, lane);
    }
    if let Some(a) = block_mut(positions, at[0]) {
        write(p, a, lane);
    }
}

#[inline(always)]
fn numbers<V: SingleLanes>(token: V::Token, own: &Own, lane: usize) -> (V, [V; 2]) {
    let shares = [0, 1].map(|end| V::load(token, &own.shares[end][lane..]));
    (V::load(token, &own.inverse_square[lane..]), shares)
}

#[inline(always)]
fn stick<V: SingleLanes>([p, q]: [[V; 3]; 2], inverse_square: V, shares: [V; 2]) -> [[V; 3]; 2] {
    let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let s = excess(dot(d, d) * inverse_square);
    let (first, second) = (s * shares[0], s * shares[1]);
    [
        [p[0] + d[0] * first, p[1] + d[1] * first, p[2] + d[2] * first],
        [q[0] - d[0] * second, q[1] - d[1] * second, q[2] - d[2] * second],
    ]
}

/// 1 − r/ℓ to second order in `q = ℓ²/r² − 1`.
#[inline(always)]
fn excess<V: SingleLanes>(square: V) -> V {
    let q = square.least(square.like(2.0)) - 1.0;
    q * (q * -0.207 + 0.5)
}

/// Brings back what is farther from its pin than its tether is long.
#[inline(always)]
pub(super) fn pull_tethers<V: SingleLanes>(
    token: V::Token,
    positions: &mut [f32],
    tethers: &[Tether],
    pins: &[[f32; 3]],
) {
    for tether in tethers {
        let Some(block) = block_mut(positions, tether.block * NUMBERS as u32) else { continue };
        if tether.one_pin {
            let pin = pins[tether.pins[0] as usize].map(|number| V::splat(token, number));
            for lane in (0..BLOCK).step_by(V::WIDTH) {
                pull(token, block, lane, pin, V::load(token, &tether.inverse_square[lane..]));
            }
        } else {
            let each: [[f32; BLOCK]; 3] = core::array::from_fn(|axis| tether.pins.map(|pin| pins[pin as usize][axis]));
            for lane in (0..BLOCK).step_by(V::WIDTH) {
                let pin = [0, 1, 2].map(|axis| V::load(token, &each[axis][lane..]));
                pull(token, block, lane, pin, V::load(token, &tether.inverse_square[lane..]));
            }
        }
    }
}

#[inline(always)]
fn pull<V: SingleLanes>(token: V::Token, block: &mut Block, lane: usize, pin: [V; 3], inverse_square: V) {
    let x = read::<V>(token, &*block, lane);
    let d = [x[0] - pin[0], x[1] - pin[1], x[2] - pin[2]];
    let one = V::splat(token, 1.0);
    let s = excess((dot(d, d) * inverse_square).greatest(one));
    for axis in 0..3 {
        (x[axis] - d[axis] * s).store(&mut block[axis * BLOCK + lane..]);
    }
}

/// Keeps every particle out of the solids, with Coulomb friction (3.3, 3.9.3).
#[inline(always)]
pub(super) fn keep_out<V: SingleLanes>(
    token: V::Token,
    positions: &mut [f32],
    previous: &[f32],
    solids: &[Now],
    friction: f32,
) {
    if solids.is_empty() {
        return;
    }
    let friction = V::splat(token, friction);
    for (now, before) in positions.chunks_exact_mut(NUMBERS).zip(previous.chunks_exact(NUMBERS)) {
        let Some(now) = now.first_chunk_mut::<NUMBERS>() else { continue };
        for lane in (0..BLOCK).step_by(V::WIDTH) {
            let old = [0, 1, 2].map(|axis| V::load(token, &before[axis * BLOCK + lane..]));
            for solid in solids {
                let x = read::<V>(token, now, lane);
                let (normal, depth, moved) = contact(token, solid, x);
                if V::any(V::splat(token, 0.0).is_below(depth)) {
                    let x = pushed_out(x, old, normal, depth, moved, friction);
                    for axis in 0..3 {
                        x[axis].store(&mut now[axis * BLOCK + lane..]);
                    }
                }
            }
        }
    }
}

/// Outward normal, depth (positive inside) and how far the surface there has moved.
#[inline(always)]
fn contact<V: SingleLanes>(token: V::Token, solid: &Now, x: [V; 3]) -> ([V; 3], V, [V; 3]) {
    let wide = |vector: &[f32; 3]| vector.map(|number| V::splat(token, number));
    match solid {
        Now::HalfSpace { normal, offset } => {
            let normal = wide(normal);
            (normal, V::splat(token, *offset) - dot(normal, x), [V::splat(token, 0.0); 3])
        }
        Now::Capsule { from, along, inverse_square, radius, moved } => {
            let (from, along) = (wide(from), wide(along));
            let out = [x[0] - from[0], x[1] - from[1], x[2] - from[2]];
            let share = dot(out, along) * V::splat(token, *inverse_square);
            let share = share.greatest(V::splat(token, 0.0)).least(V::splat(token, 1.0));
            let d = [0, 1, 2].map(|axis| out[axis] - along[axis] * share);
            let length = dot(d, d).sqrt().greatest(V::splat(token, 1e-9));
            let inverse = V::splat(token, 1.0) / length;
            let (first, second) = (wide(&moved[0]), wide(&moved[1]));
            let moved = [0, 1, 2].map(|axis| first[axis] + (second[axis] - first[axis]) * share);
            (d.map(|number| number * inverse), V::splat(token, *radius) - length, moved)
        }
    }
}

#[inline(always)]
fn pushed_out<V: SingleLanes>(x: [V; 3], old: [V; 3], normal: [V; 3], depth: V, moved: [V; 3], friction: V) -> [V; 3] {
    let zero = depth.like(0.0);
    let depth = depth.greatest(zero);
    let out: [V; 3] = core::array::from_fn(|axis| x[axis] + normal[axis] * depth);
    let slip: [V; 3] = core::array::from_fn(|axis| out[axis] - old[axis] - moved[axis]);
    let along = dot(slip, normal);
    let slip: [V; 3] = core::array::from_fn(|axis| slip[axis] - normal[axis] * along);
    let length = dot(slip, slip).sqrt().greatest(depth.like(1e-12));
    let stopped = (depth * friction / length).least(depth.like(1.0));
    core::array::from_fn(|axis| out[axis] - slip[axis] * stopped)
}

#[inline(always)]
fn dot<V: SingleLanes>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn read<V: SingleLanes>(token: V::Token, block: &Block, lane: usize) -> [V; 3] {
    [V::load(token, &block[lane..]), V::load(token, &block[BLOCK + lane..]), V::load(token, &block[2 * BLOCK + lane..])]
}

#[inline(always)]
fn write<V: SingleLanes>(vector: [V; 3], block: &mut Block, lane: usize) {
    vector[0].store(&mut block[lane..]);
    vector[1].store(&mut block[BLOCK + lane..]);
    vector[2].store(&mut block[2 * BLOCK + lane..]);
}

#[inline(always)]
fn block(positions: &[f32], at: u32) -> Option<&Block> {
    positions.get(at as usize..).and_then(|rest| rest.first_chunk())
}

#[inline(always)]
fn block_mut(positions: &mut [f32], at: u32) -> Option<&mut Block> {
    positions.get_mut(at as usize..).and_then(|rest| rest.first_chunk_mut())
}

#[inline(always)]
fn gather(positions: &[f32], ends: &Scattered) -> [Block; 2] {
    let mut blocks = [[0.0; NUMBERS]; 2];
    for (block, ends) in blocks.iter_mut().zip(ends) {
        for (lane, &at) in ends.iter().enumerate() {
            for axis in 0..3 {
                block[axis * BLOCK + lane] = positions[at as usize + axis * BLOCK];
            }
        }
    }
    blocks
}

/// Lanes without a stick have no place of their own and write nothing.
#[inline(always)]
fn scatter(positions: &mut [f32], ends: &Scattered, own: &Own, blocks: [&Block; 2]) {
    for (end, block) in blocks.into_iter().enumerate() {
        for (lane, &at) in ends[end].iter().enumerate() {
            if own.inverse_square[lane] > 0.0 {
                for axis in 0..3 {
                    positions[at as usize + axis * BLOCK] = block[axis * BLOCK + lane];
                }
            }
        }
    }
}
