//! Drift of trees with joints that hold at its end, with further tries where the iterations do not close them.

use glam::DVec3;

use super::Scratch;
use super::recovery::{kinetic_energy, slow_to};
use crate::rigid::forest::Forest;
use crate::rigid::joint::Joint;
use crate::rigid::motion::vector;
use crate::rigid::rattle::{Mechanism, Passes};
use crate::rigid::settings::Settings;
use crate::rigid::state::State;
use crate::rigid::swing::Swing;

/// Newton iterations of a cold start.
pub(super) const COLD_PASSES: u32 = 10;
/// Greatest joint error of an accepted substep, meters or radians.
pub(super) const GOOD: f64 = 1e-6;
/// Greatest joint error of an accepted substep with rows left to inertia.
const NEARLY_GOOD: f64 = 1e-5;
/// Greatest pivot ratio of a row that is left to inertia.
const MOST_LEFT_OUT: f64 = 0.1;
/// Greatest joint error after the last piece of a substep that is accepted.
const ENOUGH: f64 = 1e-3;
/// Greatest joint error of an accepted piece with joints that yield.
const YIELDED: f64 = 5e-4;
/// Number of pieces of a substep whose joints do not close otherwise.
const PIECES: u32 = 8;
/// Greatest rotation of a body in a piece of a substep under tension, radians: faster ones lose energy.
const PIECE_TURN: f64 = 0.15;

impl Scratch {
    /// Drifts tree by tree, so that the iterations of a tree do not depend on the rest of the world. With loops, all
    /// trees drift together. Returns the greatest joint error.
    pub(super) fn hold_each(
        &mut self,
        mechanism: Mechanism<'_>,
        settings: &Settings,
        state: &mut State,
        h: f64,
    ) -> f64 {
        if !mechanism.forest.closing.is_empty() {
            return self.hold(mechanism, settings, state, h);
        }
        let mut single = core::mem::take(&mut self.single);
        let mut worst = 0.0_f64;
        for tree in 0..mechanism.forest.trees {
            if !mechanism.forest.of_tree(tree).is_empty() {
                single.take_one(mechanism.forest, tree);
                worst = worst.max(self.hold(Mechanism { forest: &single, ..mechanism }, settings, state, h));
            }
        }
        self.single = single;
        worst
    }

    /// Drifts a tree of ball joints in pieces that turn little. Returns the greatest joint error; `None`, with nothing
    /// moved, if no piece is short enough.
    fn swing(&mut self, mechanism: Mechanism<'_>, state: &mut State, h: f64) -> Option<f64> {
        let speed = |&body: &usize| state.momenta[body].velocities(&mechanism.bodies[body], state.poses[body].turn()).1;
        let fastest = mechanism.forest.order.iter().map(|body| speed(body).length()).fold(0.0, f64::max);
        let least = libm::ceil(fastest * h / PIECE_TURN).clamp(1.0, f64::from(PIECES)) as u32;
        [1, 2, 4, 8].into_iter().find_map(|times| self.swing_in_pieces(mechanism, state, h, least * times))
    }

    fn swing_in_pieces(&mut self, mechanism: Mechanism<'_>, state: &mut State, h: f64, pieces: u32) -> Option<f64> {
        let length = h / f64::from(pieces);
        let mut worst = 0.0_f64;
        for piece in 0..pieces {
            if piece > 0 {
                self.rattle.factor(mechanism, &state.poses, &Joint::guide, length);
                self.rattle.project(mechanism, &mut state.momenta);
            }
            let State { poses, momenta, multipliers, .. } = &mut *state;
            match self.swing.drift(mechanism, (poses, momenta), multipliers, (length, GOOD)) {
                Some(error) => worst = worst.max(error),
                None if piece == 0 => return None,
                None => {
                    self.start_again(mechanism, state, (h, true));
                    return None;
                }
            }
        }
        Some(worst)
    }

    /// Drifts with joints. Ball joints under tension [`Swing`]; many loops that a warm start does not close yield.
    /// Otherwise tries in turn: a warm start, [`Swing`] if all are ball joints, two halves of the substep, a cold
    /// start with more iterations, and shorter pieces. Returns the greatest joint error.
    fn hold(&mut self, mechanism: Mechanism<'_>, settings: &Settings, state: &mut State, h: f64) -> f64 {
        for &body in &mechanism.forest.order {
            self.trial.0[body] = state.poses[body];
            self.trial.1[body] = state.momenta[body];
        }
        let can_swing = Swing::suits(mechanism);
        if can_swing
            && self.swing.is_needed(mechanism, &state.poses, &state.multipliers[0], h)
            && let Some(worst) = self.swing(mechanism, state, h)
        {
            return worst;
        }
        let cold = Passes { most: COLD_PASSES, is_warm: false, ..settings.passes };
        let is_open = mechanism.forest.closing.is_empty();
        let has_many_loops = self.rattle.has_many_loops();
        if has_many_loops {
            self.known.clone_from(&state.multipliers);
        }
        for (passes, pieces) in [(settings.passes, 1), (cold, 2), (cold, 1)] {
            // Loops may be at a singular pose, which is passed in one piece.
            if pieces > 1 && !is_open {
                continue;
            }
            let worst = self.drift_in_pieces(mechanism, state, (h, passes), pieces);
            if worst <= if self.rattle.has_left_out() { NEARLY_GOOD } else { GOOD } {
                self.rattle.set_yielding(false);
                return worst;
            }
            if has_many_loops {
                self.rattle.set_yielding(true);
                return self.yield_in_pieces(mechanism, state, h);
            }
            self.start_again(mechanism, state, (h, pieces > 1));
            if can_swing
                && pieces == 1
                && passes.is_warm
                && let Some(worst) = self.swing(mechanism, state, h)
            {
                return worst;
            }
        }
        if let Some(worst) = self.pass_over(mechanism, state, (h, cold)) {
            return worst;
        }
        let worst = self.drift_in_pieces(mechanism, state, (h, cold), PIECES);
        if worst <= ENOUGH {
            self.pay_for_height(mechanism, settings.gravity, state, h);
            return worst;
        }
        self.start_again(mechanism, state, (h, true));
        let none = Passes { most: 0, ..cold };
        let State { poses, momenta, multipliers, .. } = &mut *state;
        self.rattle.drift(mechanism, (poses, momenta), multipliers, &Joint::guide, (h, none));
        let worst = self.rattle.pull_together(mechanism, poses, &Joint::guide, Passes { most: COLD_PASSES, ..cold });
        self.pay_for_height(mechanism, settings.gravity, state, h);
        worst
    }

    /// Takes from the kinetic energy of a tree what joints that did not close have lifted it beyond its own way: they do no work.
    /// A bridge hinged tautly between two posts would shake forever.
    fn pay_for_height(&self, mechanism: Mechanism<'_>, gravity: DVec3, state: &mut State, h: f64) {
        let Mechanism { bodies, forest, .. } = mechanism;
        for tree in 0..forest.trees {
            let lifted: f64 = forest
                .of_tree(tree)
                .iter()
                .map(|&body| {
                    let way = state.poses[body].place() - self.trial.0[body].place();
                    (vector(self.trial.1[body].linear) * h - way * bodies[body].mass).dot(gravity)
                })
                .sum();
            let before = kinetic_energy((mechanism, tree), (&self.trial.0, &self.trial.1));
            slow_to((before - lifted.max(0.0)).max(0.0), (mechanism, tree), state);
        }
    }

    /// Takes a drift of many loops back and drifts with joints that yield, in as many pieces as they need to close
    /// enough. Returns the greatest joint error.
    fn yield_in_pieces(&mut self, mechanism: Mechanism<'_>, state: &mut State, h: f64) -> f64 {
        let mut pieces = 1;
        loop {
            self.take_back(mechanism.forest, state);
            state.multipliers.clone_from(&self.known);
            let (length, mut worst) = (h / f64::from(pieces), 0.0_f64);
            for _ in 0..pieces {
                if pieces > 1 {
                    self.rattle.factor(mechanism, &state.poses, &Joint::guide, length);
                    self.rattle.project(mechanism, &mut state.momenta);
                }
                let State { poses, momenta, multipliers, .. } = &mut *state;
                let how = (&Joint::guide as _, length);
                worst = worst.max(self.rattle.drift_yielding(mechanism, (poses, momenta), multipliers, how));
                if worst > YIELDED && pieces < PIECES {
                    break;
                }
            }
            if worst <= YIELDED || pieces == PIECES {
                return worst;
            }
            pieces *= 2;
        }
    }

    /// Drifts in pieces of equal length. Returns the greatest joint error of the last; of two, the first may be the
    /// last.
    fn drift_in_pieces(
        &mut self,
        mechanism: Mechanism<'_>,
        state: &mut State,
        (h, passes): (f64, Passes),
        pieces: u32,
    ) -> f64 {
        let h = h / f64::from(pieces);
        let mut worst = 0.0;
        for piece in 0..pieces {
            if piece > 0 {
                self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
                self.rattle.project(mechanism, &mut state.momenta);
            }
            let State { poses, momenta, multipliers, .. } = &mut *state;
            worst = self.rattle.drift(mechanism, (poses, momenta), multipliers, &Joint::guide, (h, passes));
            if pieces < PIECES && worst > GOOD {
                break;
            }
        }
        worst
    }

    /// Takes a drift back. If poses were factored meanwhile, those of the start are again.
    fn start_again(&mut self, mechanism: Mechanism<'_>, state: &mut State, (h, is_factored): (f64, bool)) {
        self.take_back(mechanism.forest, state);
        if is_factored {
            self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
            self.rattle.project(mechanism, &mut state.momenta);
        }
    }

    /// Drifts across a singular pose of a loop (four equal bars in a row) within the substep. Nearly redundant rows are
    /// left to inertia, now and in the following substeps until the pose is passed. Returns `None` and moves nothing if
    /// there is no such pose, or if joints do not close anyway.
    ///
    /// A row that becomes redundant has a pivot ratio of about φ² at φ radians from the singular pose.
    fn pass_over(&mut self, mechanism: Mechanism<'_>, state: &mut State, (h, passes): (f64, Passes)) -> Option<f64> {
        if mechanism.forest.closing.is_empty() {
            return None;
        }
        let was_left_out = self.rattle.has_left_out();
        let speed = |&body: &usize| state.momenta[body].velocities(&mechanism.bodies[body], state.poses[body].turn()).1;
        let turn = mechanism.forest.order.iter().map(|body| speed(body).length() * h).fold(0.0, f64::max);
        self.repeats_below(if was_left_out { 0.0 } else { (4.0 * turn * turn).min(MOST_LEFT_OUT) });
        self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
        if was_left_out || self.rattle.has_left_out() {
            let State { poses, momenta, multipliers, .. } = &mut *state;
            let worst = self.rattle.drift(mechanism, (poses, momenta), multipliers, &Joint::guide, (h, passes));
            if worst <= if was_left_out { GOOD } else { NEARLY_GOOD } {
                return Some(worst);
            }
            self.take_back(mechanism.forest, state);
            self.repeats_below(0.0);
            self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
        }
        self.repeats_below(0.0);
        None
    }

    fn take_back(&self, forest: &Forest, state: &mut State) {
        for &body in &forest.order {
            state.poses[body] = self.trial.0[body];
            state.momenta[body] = self.trial.1[body];
        }
    }
}
