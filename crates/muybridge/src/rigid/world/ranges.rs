//! Ranges of joints: rows for what may be met in a substep, and a way back for what was passed in it.
//!
//! ```text
//! before the drift    w ≥ −room/h                                     velocities: what is near, and what else they would pass
//! behind it           room < 0:  δ = H⁻¹ Jᵀ λ,  J δ = −room,  λ ≥ 0    positions alone, along the trees; momentum about the center stays
//! ```
//! In a drift the impulses of joints turn a light limb that whirls by radians a second more than the rows before it knew.
//! Specification: mathematics 4.5.1, 4.7.

use glam::DVec3;

use super::{COLD_PASSES, ROOM, Scratch};
use crate::rigid::joint::{Joint, Side};
use crate::rigid::model::Model;
use crate::rigid::motion::{Momentum, vector};
use crate::rigid::range::{self, Bound};
use crate::rigid::rattle::{Mechanism, Passes};
use crate::rigid::row::{self, Rules};
use crate::rigid::settings::Settings;
use crate::rigid::state::State;

/// Room of a bound that always has a row, radians or metres.
pub(super) const NEAR: f64 = 0.05;

/// How often bounds that were passed are gone back to in a substep: the way back of one may pass another.
const MOST_HOLDS: u32 = 3;

/// What may be left beyond a bound, radians or metres.
const LEFT: f64 = 1e-3;

impl Scratch {
    /// Rows of the bounds that are near, or of all that may be met within a substep.
    pub(super) fn add_ranges(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, state): (&Model, &State),
        rules: &Rules,
        only_near: bool,
    ) {
        // What is farther than any body turns in a substep cannot be met.
        let room = if only_near { NEAR } else { 2.0 * ROOM };
        each(mechanism, model, state, room, |key, joint, bound, sides| {
            self.solver.rows.push(row::of_bound(bound, [joint.parent, Some(joint.child)], sides, key, rules));
        });
    }

    /// Whether velocities would pass a bound that is not near within `h` seconds.
    pub(super) fn would_pass(&self, mechanism: Mechanism<'_>, (model, state): (&Model, &State), h: f64) -> bool {
        let mut any = false;
        each(mechanism, model, state, 2.0 * ROOM, |_, joint, bound, sides| {
            if bound.room < NEAR {
                return;
            }
            let of = |body: usize| state.momenta[body].velocities(&mechanism.bodies[body], state.poses[body].turn());
            let still = (DVec3::ZERO, DVec3::ZERO);
            let [parent, child] = [joint.parent.map_or(still, of), of(joint.child)];
            let at =
                |side: usize, (v, w): (DVec3, DVec3)| v + w.cross(vector(sides[1].anchor) - vector(sides[side].center));
            let rate = bound.slide.dot(at(1, child) - at(0, parent)) + bound.turn.dot(child.1 - parent.1);
            any |= bound.room + rate * h < 0.0;
        });
        any
    }

    /// Brings joints back that a drift of `h` seconds left beyond their bounds. The factors are those at the poses, before and behind.
    pub(super) fn hold_ranges(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        h: f64,
    ) {
        for _ in 0..MOST_HOLDS {
            if !self.find_passed(mechanism, (model, state), h) {
                break;
            }
            self.solver.couple(mechanism, &mut self.rattle, |_| [0.0; 6]);
            self.solver.solve(|_| 0.0, settings.iterations, settings.tolerance);
            self.sums.fill([0.0; 6]);
            self.solver.impulses(&mut self.sums);
            self.spins.measure(mechanism, state);
            self.kept.fill(Momentum::ZERO);
            self.rattle.absorb(mechanism, &mut self.kept, &self.sums);
            for &body in &mechanism.forest.order {
                let velocity = self.kept[body].velocity(&mechanism.bodies[body], &self.rattle.axes[body]);
                state.poses[body] = state.poses[body].moved(&velocity.map(|rate| rate * h));
            }
            let cold = Passes { most: COLD_PASSES, is_warm: false, ..settings.passes };
            self.rattle.pull_together(mechanism, &mut state.poses, &Joint::guide, cold);
            self.spins.restore(mechanism, state);
            self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
        }
    }

    /// Rows of the bounds that are near, which are to move back or no further than they may. `true` where one was passed.
    fn find_passed(&mut self, mechanism: Mechanism<'_>, (model, state): (&Model, &State), h: f64) -> bool {
        let mut is_passed = false;
        each(mechanism, model, state, -LEFT, |_, _, _, _| is_passed = true);
        if !is_passed {
            return false;
        }
        let rules = Rules { step: h, slop: 0.0, recovery: 0.0, fastest: 0.0, bounce: 0.0 };
        self.solver.rows.clear();
        each(mechanism, model, state, NEAR, |key, joint, bound, sides| {
            let mut row = row::of_bound(bound, [joint.parent, Some(joint.child)], sides, key, &rules);
            row.target = -bound.room / h;
            self.solver.rows.push(row);
        });
        true
    }
}

/// Calls `found` with key, joint, bound and sides of every bound of a joint that is awake and has less than `room` left.
pub(super) fn each(
    mechanism: Mechanism<'_>,
    model: &Model,
    state: &State,
    room: f64,
    mut found: impl FnMut(u64, &Joint, &Bound, &[Side<f64>; 2]),
) {
    for (index, range) in model.ranges.iter().enumerate() {
        let joint = &model.joints[range.joint];
        if !mechanism.forest.has(joint.child) {
            continue;
        }
        let sides = joint.sides_at(&state.poses);
        for bound in range::bounds(&range.bounds, &sides).into_iter().flatten() {
            if bound.room < room {
                found(row::RANGES | (index as u64) << 4 | bound.index as u64, joint, &bound, &sides);
            }
        }
    }
}
