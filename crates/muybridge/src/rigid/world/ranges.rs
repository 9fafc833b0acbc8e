//! Ranges of joints: rows for what may be met in a substep, and a way back for what was passed in it.
//!
//! ```text
//! before the drift    w ≥ −room/h                                     velocities: what is near, and what else they would pass
//! behind it           room < 0:  δ = H⁻¹ Jᵀ λ,  J δ = −room,  λ ≥ 0    positions alone, along the trees; momentum about the center stays
//! ```
//! In a drift the impulses of joints turn a light limb that whirls by radians a second more than the rows before it knew.
//! Specification: mathematics 4.5.1, 4.7.

use super::{COLD_PASSES, ROOM, Scratch, rules};
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, JointSide};
use crate::rigid::model::Model;
use crate::rigid::motion::Momentum;
use crate::rigid::range::{self, LimitRow};
use crate::rigid::rattle::{Mechanism, Passes};
use crate::rigid::row::{self, ConstraintRow, Rules};
use crate::rigid::settings::Settings;
use crate::rigid::solver;
use crate::rigid::state::State;

/// Room of a bound that always has a row, radians or metres.
pub(super) const NEAR: f64 = 0.05;

/// How often bounds that were passed are gone back to in a substep: the way back of one may pass another.
const MOST_HOLDS: u32 = 3;

/// What may be left beyond a bound, radians or metres.
const LEFT: f64 = 1e-3;

/// A bound that may be met within a substep.
#[derive(Clone, Debug)]
pub(super) struct Near {
    /// How far there is to go, radians (metres).
    room: f64,
    /// Whether its row is among those that are solved.
    is_row: bool,
    row: ConstraintRow,
}

impl Scratch {
    /// Finds the bounds that may be met from where bodies are: what is farther than any body turns in a substep cannot be.
    pub(super) fn find_near(&mut self, mechanism: Mechanism<'_>, (model, state): (&Model, &State), rules: &Rules) {
        let Self { near, .. } = self;
        near.clear();
        each(mechanism, model, state, 2.0 * ROOM, |key, joint, bound, sides| {
            let row = row::of_bound(bound, [joint.parent, Some(joint.child)], sides, key, rules);
            near.push(Near { room: bound.room, is_row: false, row });
        });
    }

    /// Marks the bounds that always have a row.
    pub(super) fn mark_near(&mut self) {
        for near in &mut self.near {
            near.is_row = near.room < NEAR;
        }
    }

    /// Rows of the bounds that are marked.
    pub(super) fn add_ranges(&mut self) {
        self.solver.rows.extend(self.near.iter().filter(|near| near.is_row).map(|near| near.row));
    }

    /// Rows for the bounds that velocities would pass within `h` seconds and that have none. `true` where there are any.
    pub(super) fn add_passed(&mut self, mechanism: Mechanism<'_>, state: &State, h: f64) -> bool {
        let velocity = |body: usize| state.momenta[body].velocity(&mechanism.bodies[body], &self.rattle.axes[body]);
        let before = self.solver.rows.len();
        for near in self.near.iter_mut().filter(|near| !near.is_row) {
            if near.room + solver::rate(&near.row, velocity) * h < 0.0 {
                near.is_row = true;
                self.solver.rows.push(near.row);
            }
        }
        self.solver.rows.len() > before
    }

    /// Brings joints back that a drift of `h` seconds left beyond their bounds. The factors are those at the poses, before and behind, and
    /// so are the bounds that are near.
    pub(super) fn hold_ranges(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        h: f64,
    ) {
        self.find_near(mechanism, (model, state), &rules(settings, h));
        let mut forest = core::mem::take(&mut self.again);
        for _ in 0..MOST_HOLDS {
            if !self.near.iter().any(|near| near.room < -LEFT) {
                break;
            }
            self.find_passed(mechanism.forest, &mut forest);
            let passed = Mechanism { forest: &forest, ..mechanism };
            self.hold_passed(passed, settings, state, h);
            self.find_near(mechanism, (model, state), &rules(settings, h));
        }
        self.again = forest;
    }

    /// The trees with a bound that was passed.
    fn find_passed(&mut self, all: &Forest, passed: &mut Forest) {
        let Self { near, is_passed, .. } = self;
        is_passed.clear();
        is_passed.resize(all.trees, false);
        for near in near.iter().filter(|near| near.room < -LEFT) {
            near.row.bodies.into_iter().flatten().for_each(|body| is_passed[all.tree[body]] = true);
        }
        passed.leave_out(all, |tree| !is_passed[tree]);
    }

    /// One way back of the trees of a mechanism.
    fn hold_passed(&mut self, mechanism: Mechanism<'_>, settings: &Settings, state: &mut State, h: f64) {
        self.solver.begin(mechanism.forest);
        let is_here = |near: &&Near| near.row.bodies.into_iter().flatten().all(|body| mechanism.forest.has(body));
        for near in self.near.iter().filter(|near| near.room < NEAR).filter(is_here) {
            self.solver.rows.push(ConstraintRow { target: -near.room / h, ..near.row });
        }
        self.solver.couple(mechanism, &mut self.rattle, |_| [0.0; 6]);
        self.solver.solve(|_| 0.0, settings.iterations, settings.tolerance);
        self.sums.fill([0.0; 6]);
        self.solver.impulses(&mut self.sums, |_| true);
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

/// Calls `found` with key, joint, bound and sides of every bound of a joint that is awake and has less than `room` left.
pub(super) fn each(
    mechanism: Mechanism<'_>,
    model: &Model,
    state: &State,
    room: f64,
    mut found: impl FnMut(u64, &Joint, &LimitRow, &[JointSide<f64>; 2]),
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
