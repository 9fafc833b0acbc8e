//! Joint limits: rows for limits that a substep may reach, and position correction of limits that were passed.
//!
//! ```text
//! before the drift    w ≥ −room/h                                     velocities: near limits, and others that would be passed
//! after it            room < 0:  δ = H⁻¹ Jᵀ λ,  J δ = −room,  λ ≥ 0    positions only, along the trees; angular momentum stays
//! ```
//! During a drift, joint impulses turn a light whirling limb by radians a second more than the limit rows foresaw.
//! Specification: mathematics 4.5.1, 4.7.

use glam::DVec3;

use super::hold::COLD_PASSES;
use super::{Scratch, rules};
use crate::rigid::forest::Forest;
use crate::rigid::joint::{Joint, JointSide, Kind};
use crate::rigid::model::Model;
use crate::rigid::motion::{Momentum, halves};
use crate::rigid::range::{self, LimitRow};
use crate::rigid::rattle::{Mechanism, Passes};
use crate::rigid::row::{self, ConstraintRow, Rules};
use crate::rigid::settings::Settings;
use crate::rigid::solver;
use crate::rigid::state::State;

/// Distance to a joint limit below which the limit always has a row, radians or meters.
pub(super) const NEAR: f64 = 0.05;

/// Rotation (radians) or way (meters) of a joint that the impulses of a substep may add.
const ROOM: f64 = 0.1;

/// Distance to a joint limit beyond which it never has a row.
const MOST_ROOM: f64 = 1.0;

/// Corrections of joint limits per substep, at most: correcting one joint may push another beyond its limit.
const MOST_HOLDS: u32 = 8;

/// Violation of a joint limit that is not corrected, radians or meters.
const LEFT: f64 = 1e-3;

/// Joint limit that may be reached within a substep.
#[derive(Clone, Debug)]
pub(super) struct NearRange {
    /// Distance to the limit, radians (meters).
    room: f64,
    /// Whether its row is among those being solved.
    is_row: bool,
    row: ConstraintRow,
}

impl Scratch {
    /// Finds the limits within reach of the present poses: those nearer than a joint turns in two substeps, and some way
    /// more for the impulses of contacts.
    pub(super) fn find_near(&mut self, mechanism: Mechanism<'_>, (model, state): (&Model, &State), rules: &Rules) {
        let Self { near, rattle, .. } = self;
        near.clear();
        let spin = |body: usize| {
            let velocity = state.momenta[body].velocity(&mechanism.bodies[body], &rattle.axes[body]);
            halves(&velocity).1
        };
        let reach = |joint: &Joint| {
            if !matches!(joint.kind, Kind::Ball | Kind::Hinge) {
                return MOST_ROOM;
            }
            let turn = (spin(joint.child) - joint.parent.map_or(DVec3::ZERO, spin)).length() * rules.step;
            (NEAR + ROOM + 2.0 * turn).min(MOST_ROOM)
        };
        each(mechanism, model, state, reach, |key, joint, bound, sides| {
            let row = row::of_bound(bound, [joint.parent, Some(joint.child)], sides, key, rules);
            near.push(NearRange { room: bound.room, is_row: false, row });
        });
    }

    /// Marks the limits that always have a row.
    pub(super) fn mark_near(&mut self) {
        for near in &mut self.near {
            near.is_row = near.room < NEAR;
        }
    }

    /// Adds rows of the marked limits.
    pub(super) fn add_ranges(&mut self) {
        self.solver.rows.extend(self.near.iter().filter(|near| near.is_row).map(|near| near.row));
    }

    /// Adds rows for limits without a row that velocities would pass within `h` seconds. Returns `true` if there are
    /// any.
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

    /// Moves joints back within their limits after a drift of `h` seconds. Factorization and near limits must be those
    /// of the present poses, and are afterwards.
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

    /// Finds the trees with a limit that was passed.
    fn find_passed(&mut self, all: &Forest, passed: &mut Forest) {
        let Self { near, is_passed, .. } = self;
        is_passed.clear();
        is_passed.resize(all.trees, false);
        for near in near.iter().filter(|near| near.room < -LEFT) {
            near.row.bodies.into_iter().flatten().for_each(|body| is_passed[all.tree[body]] = true);
        }
        passed.leave_out(all, |tree| !is_passed[tree]);
    }

    /// Corrects the joint limits of the trees of a mechanism once.
    fn hold_passed(&mut self, mechanism: Mechanism<'_>, settings: &Settings, state: &mut State, h: f64) {
        self.solver.begin(mechanism.forest);
        let is_here = |near: &&NearRange| near.row.bodies.into_iter().flatten().all(|body| mechanism.forest.has(body));
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

/// Calls `found` with key, joint, limit and sides for every limit of an awake joint nearer than `reach`.
pub(super) fn each(
    mechanism: Mechanism<'_>,
    model: &Model,
    state: &State,
    reach: impl Fn(&Joint) -> f64,
    mut found: impl FnMut(u64, &Joint, &LimitRow, &[JointSide<f64>; 2]),
) {
    for (index, range) in model.ranges.iter().enumerate() {
        let joint = &model.joints[range.joint];
        if !mechanism.forest.has(joint.child) {
            continue;
        }
        let room = reach(joint);
        if range::is_far(&range.bounds, joint, &state.poses, room) {
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
