//! Strain of a sheet at the end of a frame, and the substeps that keep it small.
//!
//! ```text
//! ε = max |ℓ/r − 1|         over the rigid sticks
//! n' = n ε/ε*                for the frame again, from its start, if ε is beyond the limit
//!                            otherwise for the next frame, if that is more than weight and speed ask for
//! ```
//! A pass over the sticks in a substep of h leaves a strain ∝ h of a motion that it stops, and ∝ h² of a weight that it carries.
//! What a sheet runs into within the frame, and how much hangs on one thread of a fold, shows only afterwards. Substeps of h' < h
//! are as stiff as m/h'²: they take the share 1 − h'/h of the speed that sticks give in the first h, else the strain left by
//! the frame before would become energy.

use super::kernel::{StickBlock, block, dot, gather, minus, read};
use super::layout::{BLOCK, end_of};
use super::program::{Batch, Own, Program};
use crate::math::single_lanes::SingleLanes;
use crate::particles::state::Taut;

/// Strain beyond which a frame is taken again, and the strain that substeps aim at.
const LIMIT: f64 = 0.098;
const AIM: f64 = 0.088;

/// Greatest number of times that a frame is taken again, and the range of factors of the substeps each time.
const MOST_TRIES: u32 = 5;
const TIMES: [f64; 2] = [1.6, 4.0];

/// Share of the strain that all tries together leave at least if substeps are no cure: a sheet may be pinned too wide.
const LEFT: f64 = 0.7;

/// How much greater such a strain must become before substeps are tried again.
const GREATER: f64 = 1.1;

/// Substeps that are longer than this share of the one before make little speed of its strain.
const SHORTER: f64 = 0.7;

impl Taut {
    /// Substep in parts of that of the frame before; 1 if it is hardly shorter.
    pub(super) fn shortening(&self, substep: f64) -> f64 {
        // Without a frame before it is infinite.
        let share = substep / self.substep;
        if share < SHORTER { share } else { 1.0 }
    }
}

/// The tries of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tries {
    /// What the frame before left.
    before: Taut,
    /// Substeps for weight, speed and blows, and the greatest number.
    needed: u32,
    most: u32,
    /// How many times looser the settings are than usual.
    looseness: f64,
    count: u32,
    /// Substeps of the first try, and the strain that it left.
    first: (u32, f64),
}

impl Tries {
    pub fn new(before: Taut, [needed, most]: [u32; 2], looseness: f64) -> Self {
        Self { before, needed, most, looseness, count: 0, first: (0, 0.0) }
    }

    /// Substeps with which a frame that left this strain is taken again; `None` if it stands.
    pub fn again(&mut self, substeps: u32, strain: f64) -> Option<u32> {
        if self.count == 0 {
            self.first = (substeps, strain);
        }
        self.count += 1;
        let may_help = substeps < self.most && self.count <= MOST_TRIES;
        // NaN compares false.
        if may_help && strain > (self.looseness * LIMIT).max(GREATER * self.before.lasting) {
            let times = (strain / (self.looseness * AIM)).clamp(TIMES[0], TIMES[1]);
            return Some((libm::ceil(f64::from(substeps) * times) as u32).min(self.most));
        }
        None
    }

    /// What a frame of `seconds` leaves to the next.
    pub fn end(&self, substeps: u32, strain: f64, seconds: f64) -> Taut {
        let share = strain / (self.looseness * AIM);
        let lasts = strain > (self.looseness * LIMIT).max(LEFT * self.first.1);
        let wanted = match lasts {
            // A few more in the frames to come may mend what many in this one do not.
            true if self.before.lasting == 0.0 => f64::from(self.first.0) * share,
            true => f64::from(self.first.0),
            false => f64::from(substeps) * share.min(1.0),
        };
        let goes_on = share > 1.0 || substeps > self.needed;
        Taut {
            rate: if goes_on { wanted / seconds } else { 0.0 },
            lasting: if lasts { strain } else { 0.0 },
            substep: seconds / f64::from(substeps),
        }
    }
}

/// Greatest strain of the rigid sticks.
#[inline(always)]
pub(super) fn strain<V: SingleLanes>(token: V::Token, positions: &[f32], program: &Program) -> f64 {
    let one = V::splat(token, 1.0);
    let mut range = [one; 2];
    for batch in &program.batches {
        match *batch {
            Batch::Alike { at, inverse_square, shares: [first, second] } => {
                let (Some(a), Some(b)) = (block(positions, at[0]), block(positions, at[1])) else { continue };
                let inverse_square = if first + second >= RIGID { inverse_square } else { 0.0 };
                for lane in (0..end_of::<V>(program.lanes)).step_by(V::WIDTH) {
                    add(token, &mut range, [a, b], lane, V::splat(token, inverse_square));
                }
            }
            Batch::Own { at, own } => {
                let (Some(a), Some(b)) = (block(positions, at[0]), block(positions, at[1])) else { continue };
                let own = &program.own[own as usize];
                for lane in (0..end_of::<V>(program.lanes)).step_by(V::WIDTH) {
                    add(token, &mut range, [a, b], lane, rigid(token, own, lane));
                }
            }
            Batch::Scattered { scattered, own } => {
                let (ends, own) = (&program.scattered[scattered as usize], &program.own[own as usize]);
                let (a, b) = (gather(positions, &ends[0]), gather(positions, &ends[1]));
                for lane in (0..BLOCK).step_by(V::WIDTH) {
                    add(token, &mut range, [&a, &b], lane, rigid(token, own, lane));
                }
            }
        }
    }
    let mut lanes = [[1.0; BLOCK]; 2];
    range.iter().zip(&mut lanes).for_each(|(of, lanes)| of.store(lanes));
    let (least, most) =
        (lanes[0].iter().fold(1.0, |a: f32, &b| a.min(b)), lanes[1].iter().fold(1.0, |a: f32, &b| a.max(b)));
    (1.0 - f64::from(least).sqrt()).max(f64::from(most).sqrt() - 1.0)
}

/// Sum of the shares of the ends of a stick from which on it counts as rigid.
const RIGID: f32 = 0.999;

/// 1/r² of rigid sticks, 0 in other lanes.
#[inline(always)]
fn rigid<V: SingleLanes>(token: V::Token, own: &Own, lane: usize) -> V {
    let sum = V::load(token, &own.shares[0][lane..]) + V::load(token, &own.shares[1][lane..]);
    let is_soft = sum.is_below(V::splat(token, RIGID));
    V::select(is_soft, V::splat(token, 0.0), V::load(token, &own.inverse_square[lane..]))
}

/// Widens a range of (ℓ/r)² by the sticks of one vector. Lanes without a stick have length 0 or 1/r² = 0.
#[inline(always)]
fn add<V: SingleLanes>(token: V::Token, range: &mut [V; 2], ends: [&StickBlock; 2], lane: usize, inverse_square: V) {
    let d = minus(read::<V>(token, ends[1], lane), read(token, ends[0], lane));
    let square = dot(d, d) * inverse_square;
    let square = V::select(V::splat(token, 0.0).is_below(square), square, V::splat(token, 1.0));
    *range = [range[0].least(square), range[1].greatest(square)];
}
