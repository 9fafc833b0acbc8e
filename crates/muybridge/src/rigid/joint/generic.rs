//! Generic joint: any of the six degrees of freedom is locked, along the axes of the joint's frame.
//!
//! ```text
//! C_k = (x1 − x0) · a_k              translation along the parent's axis k
//! three rotations                    as the fixed joint
//! two, k free                        a_k · b_i,  a_k · b_j        as the hinge about k
//! one, k                             a_i · b_j                    as the universal joint of axes i and j
//! ```
//! a, b: axes of parent and child; i, j follow k. With the world as parent and all rotations locked it holds an
//! orientation. Specification: mathematics 5.2, 5.3 (Z19, Z21).

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball, fixed, hinge, slider};
use crate::math::lanes::Lanes;
use crate::rigid::motion::vector;

/// Which degrees of freedom are locked: translations along x, y and z, then rotations about them.
pub type Locks = [bool; 6];

/// Pairs of an axis of the parent and one of the child that stay perpendicular.
fn pairs(locked: &Locks) -> impl Iterator<Item = [usize; 2]> {
    let turns = [locked[3], locked[4], locked[5]];
    let count = turns.iter().filter(|&&turn| turn).count();
    // The one that is locked, or the one that is free.
    let axis = turns.iter().position(|&turn| turn == (count == 1)).unwrap_or(0);
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let pairs = match count {
        1 => [Some([i, j]), None],
        2 => [Some([axis, i]), Some([axis, j])],
        _ => [None, None],
    };
    pairs.into_iter().flatten()
}

fn locks_all_turns(locked: &Locks) -> bool {
    locked[3..].iter().all(|&turn| turn)
}

/// Adds a constraint row for each locked degree of freedom.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], locked: &Locks, rows: &mut JointJacobian<V>) {
    if locked[..3].iter().all(|&way| way) {
        ball::rows(sides, rows);
    } else {
        (0..3).filter(|&axis| locked[axis]).for_each(|axis| slider::along(sides, axis, rows));
    }
    if locks_all_turns(locked) {
        fixed::turn_rows(sides, rows);
    } else {
        pairs(locked).for_each(|pair| hinge::across(sides, pair, rows));
    }
}

/// Adds the bias terms of the rows.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, locked: &Locks, bias: &mut Bias) {
    if locked[..3].iter().all(|&way| way) {
        ball::bias(sides, velocities, bias);
    } else {
        (0..3).filter(|&axis| locked[axis]).for_each(|axis| slider::along_bias(sides, velocities, axis, bias));
    }
    if locks_all_turns(locked) {
        fixed::turn_bias(velocities, bias);
    } else {
        pairs(locked).for_each(|pair| hinge::across_bias(sides, velocities, pair, bias));
    }
}

/// Draws the free axes.
pub fn draw(sides: &[JointSide<f64>; 2], locked: &Locks, size: f64, lines: &mut Lines) {
    let at = vector(sides[1].anchor);
    for axis in (0..3).filter(|&axis| !locked[axis] || !locked[axis + 3]) {
        let axis = vector(sides[0].axes[axis]);
        lines.push([at - axis * size, at + axis * size]);
    }
}
