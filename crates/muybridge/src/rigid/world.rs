//! A world of rigid bodies that steps: model, settings and state, and memory that is kept.
//!
//! ```text
//! step:     look for what is near, then substeps, then rest
//! substep:  kick ── touch (contacts, ranges, motors: velocities) ── drift (joints: positions) ── kick ── project (joints: velocities)
//! ```
//! Half of the forces' impulse comes before the drift and half behind it, which is of second order and keeps energy; trees that
//! touch something get all of it before, so that what rests has no velocity.
//! Specification: mathematics 4.5.3, 9.1 (H5, H17, H22, H24).

mod act;
mod free;
mod impulses;
mod motors;
mod possible;
mod ranges;
mod spins;
mod touched;

use glam::DVec3;

use ranges::Near;
use spins::Spins;

use super::displacement::{self, Velocities::Follow};
use super::drift::drift;
use super::drives::Drives;
use super::forest::Forest;
use super::held::ContactAnchor;
use super::integrator::Integrator;
use super::joint::Joint;
use super::model::{Model, Start};
use super::motion::{Momentum, Velocity, vector};
use super::multipliers::{Elimination, Feedback, Multipliers};
use super::rattle::{Mechanism, Passes, Rattle};
use super::row::{Contact, Rules};
use super::settings::{Method, Settings};
use super::solver::Solver;
use super::state::State;
use super::touch::ContactDetector;
use super::{Pose, check, rest};

/// Bodies, and how far they have come.
#[derive(Clone, Debug)]
pub struct World {
    /// May be changed between steps, but for the numbers of bodies and joints and what joints join.
    pub model: Model,
    /// May be changed between steps; the next one has it.
    pub settings: Settings,
    /// All that is needed to continue.
    pub state: State,
    forest: Forest,
    /// The forest of what is awake.
    awake: Forest,
    scratch: Scratch,
}

/// Can be thrown away.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(super) rattle: Rattle<f64>,
    /// Whether its factors are those of where bodies are.
    is_factored: bool,
    /// The same with the soft rows of motors.
    driven: Rattle<f64>,
    drives: Drives,
    pub(super) solver: Solver,
    /// Momenta once joints hold and motors act, before contacts.
    unhindered: Vec<Momentum<f64>>,
    /// Trees of which something was missing and that are solved once more.
    again: Forest,
    /// Trees that take depth back.
    recovering: Forest,
    /// One tree.
    single: Forest,
    /// Bounds of ranges that may be met in a substep.
    near: Vec<Near>,
    /// By tree, whether one of its bounds was passed.
    is_passed: Vec<bool>,
    touch: ContactDetector,
    contacts: Vec<Contact>,
    /// Forces and moments about the centers of this step, newtons and newton metres.
    wrenches: Vec<[f64; 6]>,
    sums: Vec<[f64; 6]>,
    /// Before contacts, of what is awake.
    velocities: Vec<Velocity<f64>>,
    kept: Vec<Momentum<f64>>,
    spins: Spins,
    before: (Vec<Pose<f64>>, Vec<Momentum<f64>>),
    trial: (Vec<Pose<f64>>, Vec<Momentum<f64>>),
    displacement: displacement::Scratch,
    dense: Multipliers,
    loads: Vec<Momentum<f64>>,
    /// Contacts as bodies carry them through a displacement.
    held: Vec<ContactAnchor>,
    /// Whether a tree touches something.
    is_touched: Vec<bool>,
    /// Rate at which the velocities of a body decay.
    drags: Vec<f64>,
    flight: free::Flight,
    /// Substeps, solver passes and worst joint of the last step.
    report: Report,
}

/// What the last step took and left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Substeps.
    pub substeps: u32,
    /// Passes over contacts, all substeps together.
    pub passes: u32,
    /// Contacts of the last substep.
    pub contacts: usize,
    /// Worst row of a joint, metres or radians.
    pub worst_joint: f64,
    /// Bodies put back because they were faster than light or nowhere.
    pub put_back: u32,
}

impl World {
    /// A world of a model whose bodies stand at `starts`. Errors name what is wrong, by index.
    pub fn new(model: Model, starts: &[Start], settings: Settings) -> Result<Self, check::ModelError> {
        check::model(&model, starts)?;
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let state = State::new(&model, starts);
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: &forest };
        let bodies = model.bodies.len();
        let scratch = Scratch {
            rattle: Rattle::new(0.0, mechanism),
            is_factored: false,
            driven: Rattle::new(0.0, mechanism),
            drives: Drives::default(),
            solver: Solver::default(),
            unhindered: state.momenta.clone(),
            again: forest.clone(),
            recovering: forest.clone(),
            single: forest.clone(),
            near: Vec::new(),
            is_passed: Vec::new(),
            touch: ContactDetector::new(&model, &state),
            contacts: Vec::new(),
            wrenches: vec![[0.0; 6]; bodies],
            sums: vec![[0.0; 6]; bodies],
            velocities: vec![[0.0; 6]; bodies],
            kept: state.momenta.clone(),
            spins: Spins::default(),
            before: (state.poses.clone(), state.momenta.clone()),
            trial: (state.poses.clone(), state.momenta.clone()),
            displacement: displacement::Scratch::new(mechanism),
            dense: Multipliers::new(mechanism),
            loads: state.momenta.clone(),
            held: Vec::new(),
            is_touched: vec![false; forest.trees],
            drags: vec![0.0; bodies],
            flight: free::Flight::new(&forest),
            report: Report::default(),
        };
        Ok(Self { model, settings, state, awake: forest.clone(), forest, scratch })
    }

    /// Forces and moments that wait for the next step, body by body.
    pub(crate) fn pushed(&self) -> &[[f64; 6]] {
        &self.scratch.wrenches
    }

    /// Forgets them.
    pub(crate) fn forget_pushes(&mut self) {
        self.scratch.wrenches.fill([0.0; 6]);
    }

    /// Seconds since the start, in steps of the present length.
    pub fn time(&self) -> f64 {
        self.state.steps as f64 * self.settings.time_step
    }

    /// Which body belongs to which tree, and how joints hang.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Where things touched in the last substep.
    pub fn contacts(&self) -> &[Contact] {
        &self.scratch.contacts
    }

    /// What the last step took and left.
    pub fn report(&self) -> Report {
        self.scratch.report
    }

    /// Goes on by [`Settings::time_step`].
    pub fn step(&mut self) {
        self.scratch.report = Report::default();
        rest::settle_what_woke(&mut self.state);
        let state = &self.state;
        self.awake.leave_out(&self.forest, |tree| state.asleep[tree].is_some());
        if !self.awake.order.is_empty() {
            let substeps = self.substeps();
            self.scratch.report.substeps = substeps;
            let h = self.settings.time_step / f64::from(substeps);
            self.scratch.touch.look(&self.model, &self.state, &self.awake, &self.settings);
            self.model.greatest(|object| object.drag, &mut self.scratch.drags);
            let mechanism = Mechanism { bodies: &self.model.bodies, joints: &self.model.joints, forest: &self.awake };
            self.scratch.drives.look(mechanism, &self.model, &self.state.poses);
            self.scratch.is_factored = false;
            let is_displaced = matches!(self.settings.method, Method::Displacement(_));
            self.scratch.repeats_below(if is_displaced { displacement::REPEATED } else { 0.0 });
            self.scratch.before.0.copy_from_slice(&self.state.poses);
            for substep in 0..substeps {
                self.substep(h, h * f64::from(substep));
            }
            self.answer_last_kick(h);
            self.scratch.leave_asleep(&self.forest, &self.awake, &mut self.state);
            rest::look(&mut self.state, &self.model, &self.forest, &self.scratch.contacts, &self.settings);
        }
        self.forget_pushes();
        for obstacle in &mut self.model.obstacles {
            obstacle.advance(self.settings.time_step);
        }
        self.state.steps += 1;
    }

    /// Displaced bodies have half a kick that joints have not answered; whoever senses velocities would take it for motion. A displacement
    /// along the directions of its start answers it all the same, so no path changes.
    fn answer_last_kick(&mut self, h: f64) {
        let Self { model, settings, state, awake, scratch, .. } = self;
        if !matches!(settings.method, Method::Displacement(how) if how.velocities == Follow) {
            return;
        }
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        scratch.rattle.repeats_below(displacement::NEARLY_REPEATED);
        scratch.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
        scratch.rattle.project(mechanism, &mut state.momenta);
        scratch.put_back(mechanism, state, h);
    }

    /// As many as the fastest turn needs.
    fn substeps(&self) -> u32 {
        let speed = |&body: &usize| {
            let (pose, momentum) = (&self.state.poses[body], &self.state.momenta[body]);
            momentum.velocities(&self.model.bodies[body], pose.turn()).1.length()
        };
        let fastest = self.awake.order.iter().map(speed).fold(0.0, f64::max);
        let least = self.settings.substeps.max(1);
        let wanted = libm::ceil(fastest * self.settings.time_step / self.settings.most_turn);
        if wanted.is_finite() { (wanted as u32).clamp(least, least.saturating_mul(16)) } else { least }
    }

    fn substep(&mut self, h: f64, elapsed: f64) {
        let Self { model, settings, state, awake, scratch, .. } = self;
        let all = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        scratch.contacts.clear();
        scratch.touch.contacts((model, settings), state, (awake, h), &mut scratch.contacts);
        scratch.held.clear();
        if let Method::Displacement(_) = settings.method {
            scratch.held.extend(scratch.contacts.iter().map(|contact| ContactAnchor::new(contact, &state.poses, h)));
        }
        scratch.mark_touched(all);
        scratch.keep(awake, state);
        let forests = scratch.divide(all, (model, settings), state);
        let part = |forest| Mechanism { forest, ..all };
        let (flying, rest) =
            forests.as_ref().map_or((None, all), |forests| (Some(part(&forests.flying)), part(&forests.rest)));
        if !scratch.is_factored {
            scratch.rattle.factor(all, &state.poses, &Joint::guide, h);
            scratch.find_near(all, (model, state), &rules(settings, h));
        }
        scratch.kick(model, settings, state, rest.forest, (h, [0.5, 1.0]));
        if let Method::Hennix(feedback) = settings.method {
            scratch.accelerate(rest, (settings, feedback), state, h);
        }
        let is_recovering = scratch.touch(all, (model, settings), state, (h, elapsed));
        scratch.drift(rest, settings, state, (h, is_recovering));
        scratch.kick(model, settings, state, rest.forest, (h, [0.5, 0.0]));
        if let Some(flying) = flying {
            scratch.fly(flying, (model, settings), state, h);
        }
        if settings.method == Method::Multipliers {
            scratch.rattle.factor(all, &state.poses, &Joint::guide, h);
            if !scratch.rattle.has_left_out() {
                scratch.repeats_below(0.0);
            }
            scratch.hold_ranges(all, (model, settings), state, h);
            scratch.rattle.project(all, &mut state.momenta);
        }
        scratch.is_factored = settings.method == Method::Multipliers;
        scratch.put_back(all, state, h);
        scratch.flight.keep(forests);
    }
}

impl Scratch {
    fn keep(&mut self, awake: &Forest, state: &State) {
        for &body in &awake.order {
            self.before.0[body] = state.poses[body];
            self.before.1[body] = state.momenta[body];
        }
    }

    /// The shares of the forces' impulse: of free trees, and of those that touch something.
    fn kick(
        &mut self,
        model: &Model,
        settings: &Settings,
        state: &mut State,
        awake: &Forest,
        (h, [free, touched]): (f64, [f64; 2]),
    ) {
        for &body in &awake.order {
            let seconds = h * if self.is_touched[awake.tree[body]] { touched } else { free };
            if seconds == 0.0 {
                continue;
            }
            let momentum = &mut state.momenta[body];
            let weight = settings.gravity * model.bodies[body].mass;
            let [x, y, z, a, b, c] = self.wrenches[body];
            let decay = if self.drags[body] > 0.0 { libm::exp(-self.drags[body] * seconds) } else { 1.0 };
            let linear = vector(momentum.linear) * decay + (weight + DVec3::new(x, y, z)) * seconds;
            let angular = vector(momentum.angular) * decay + DVec3::new(a, b, c) * seconds;
            *momentum = Momentum::from_vectors(linear, angular);
        }
    }

    fn drift(
        &mut self,
        mechanism: Mechanism<'_>,
        settings: &Settings,
        state: &mut State,
        (h, is_recovering): (f64, bool),
    ) {
        let mut forest = core::mem::take(&mut self.recovering);
        if is_recovering {
            let is_pushed = |&body: &usize| self.sums[body] != [0.0; 6];
            forest.leave_out(mechanism.forest, |tree| !mechanism.forest.of_tree(tree).iter().any(is_pushed));
            let recovering = Mechanism { forest: &forest, ..mechanism };
            self.spins.measure(recovering, state);
            for &body in &forest.order {
                self.kept[body] = state.momenta[body];
            }
            self.absorb(recovering, state);
            for &body in &forest.order {
                self.kept[body] = state.momenta[body].minus(self.kept[body]);
            }
        }
        let worst = match settings.method {
            Method::Multipliers => self.hold_each(mechanism, settings, state, h),
            Method::Displacement(how) => self.displace(mechanism, (&how, settings.integrator), state, h),
            Method::Hennix(_) => {
                for &body in &mechanism.forest.order {
                    let (pose, momentum) = (&mut state.poses[body], &state.momenta[body]);
                    *pose = drift(&mechanism.bodies[body], pose, momentum, h);
                }
                worst_gap(mechanism.joints, &state.poses)
            }
        };
        self.report.worst_joint = self.report.worst_joint.max(worst);
        if is_recovering {
            for &body in &forest.order {
                state.momenta[body] = state.momenta[body].minus(self.kept[body]);
            }
            self.spins.restore(Mechanism { forest: &forest, ..mechanism }, state);
        }
        self.recovering = forest;
    }

    /// What joints do to accelerations, from one dense matrix.
    fn accelerate(
        &mut self,
        mechanism: Mechanism<'_>,
        (settings, feedback): (&Settings, Feedback),
        state: &mut State,
        h: f64,
    ) {
        for (body, load) in self.loads.iter_mut().enumerate() {
            let [x, y, z, a, b, c] = self.wrenches[body];
            let weight = settings.gravity * mechanism.bodies[body].mass;
            *load = Momentum::from_vectors(weight + DVec3::new(x, y, z), DVec3::new(a, b, c));
        }
        let how = (Elimination::Dense, feedback);
        self.dense.solve(mechanism, (&state.poses, &state.momenta), &self.loads, how);
        self.loads.fill(Momentum::ZERO);
        self.dense.add_to(&mut self.loads);
        for &body in &mechanism.forest.order {
            state.momenta[body] = state.momenta[body].plus(self.loads[body].times(h));
        }
    }

    /// A free drift, and displacement until joints hold. Returns the worst gap.
    fn displace(
        &mut self,
        mechanism: Mechanism<'_>,
        (how, integrator): (&displacement::Settings, Integrator),
        state: &mut State,
        h: f64,
    ) -> f64 {
        let held: &[ContactAnchor] = &self.held;
        let bound = |index: usize, poses: &[Pose<f64>]| held.get(index).map(|held| held.one_sided(poses));
        let constraints = displacement::Constraints { mechanism, masks: &[], bounds: held.len(), bound: &bound };
        let State { poses, momenta, .. } = state;
        let outcome = displacement::drift(&constraints, (poses, momenta), (h, how, integrator), &mut self.displacement);
        outcome.gap.max(outcome.angle)
    }

    /// Drifts tree by tree, so that each takes the passes it needs itself, whatever else is in the world; all at once where there are loops.
    /// Returns the worst row.
    fn hold_each(&mut self, mechanism: Mechanism<'_>, settings: &Settings, state: &mut State, h: f64) -> f64 {
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

    /// Drifts with joints, by whatever of these it takes: impulses of the last steps, impulses from nothing with more passes, pieces
    /// of the substep. Returns the worst row.
    fn hold(&mut self, mechanism: Mechanism<'_>, settings: &Settings, state: &mut State, h: f64) -> f64 {
        for &body in &mechanism.forest.order {
            self.trial.0[body] = state.poses[body];
            self.trial.1[body] = state.momenta[body];
        }
        let cold = Passes { most: COLD_PASSES, is_warm: false, ..settings.passes };
        let mut worst = f64::INFINITY;
        for passes in [settings.passes, cold] {
            let State { poses, momenta, multipliers, .. } = &mut *state;
            worst = self.rattle.drift(mechanism, (poses, momenta), multipliers, &Joint::guide, (h, passes));
            let enough = if self.rattle.has_left_out() { NEARLY_GOOD } else { GOOD };
            if worst <= enough {
                return worst;
            }
            self.take_back(mechanism.forest, state);
        }
        if let Some(worst) = self.pass_over(mechanism, state, (h, cold)) {
            return worst;
        }
        for piece in 0..PIECES {
            let h = h / f64::from(PIECES);
            if piece > 0 {
                self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
                self.rattle.project(mechanism, &mut state.momenta);
            }
            let State { poses, momenta, multipliers, .. } = &mut *state;
            worst = self.rattle.drift(mechanism, (poses, momenta), multipliers, &Joint::guide, (h, cold));
        }
        if worst <= ENOUGH {
            return worst;
        }
        self.take_back(mechanism.forest, state);
        self.rattle.factor(mechanism, &state.poses, &Joint::guide, h);
        self.rattle.project(mechanism, &mut state.momenta);
        let none = Passes { most: 0, ..cold };
        let State { poses, momenta, multipliers, .. } = &mut *state;
        self.rattle.drift(mechanism, (poses, momenta), multipliers, &Joint::guide, (h, none));
        self.rattle.pull_together(mechanism, poses, &Joint::guide, Passes { most: COLD_PASSES, ..cold })
    }

    /// Drifts over a place where rows that close a loop repeat each other (four equal bars in a row), which they do not at either end of
    /// the substep: what they nearly repeat is left to inertia, now and in the substeps that follow until the place is behind. `None`, and
    /// nothing moved, where there is none, or more than that is wrong.
    ///
    /// Of a row that says less and less, a share of φ² is left φ radians from there.
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

    /// As [`Rattle::repeats_below`].
    fn repeats_below(&mut self, share: f64) {
        self.rattle.repeats_below(share);
        self.driven.repeats_below(share);
    }

    fn take_back(&self, forest: &Forest, state: &mut State) {
        for &body in &forest.order {
            state.poses[body] = self.trial.0[body];
            state.momenta[body] = self.trial.1[body];
        }
    }
}

/// Worst error of a joint's rows, metres and radians.
fn worst_gap<'a>(joints: impl IntoIterator<Item = &'a Joint>, poses: &[Pose<f64>]) -> f64 {
    let of = |joint: &Joint| {
        let sides = joint.sides_at(poses);
        let rows = joint.equations(&sides, joint.guide(&sides).as_ref());
        rows.error.iter().take(rows.count).fold(0.0_f64, |worst, error| worst.max(error.abs()))
    };
    joints.into_iter().map(of).fold(0.0, f64::max)
}

fn rules(settings: &Settings, h: f64) -> Rules {
    Rules {
        step: h,
        slop: settings.slop,
        recovery: settings.recovery,
        fastest: settings.fastest_recovery,
        bounce: settings.bounce,
        kick: settings.gravity * h,
    }
}

/// Passes from nothing.
const COLD_PASSES: u32 = 10;
/// Worst row of a substep that is taken, metres and radians.
const GOOD: f64 = 1e-6;
/// The same where rows of loops were left to inertia.
const NEARLY_GOOD: f64 = 1e-5;
/// Greatest share of a row that is left to inertia.
const MOST_LEFT_OUT: f64 = 0.1;
/// The same of the last of the pieces.
const ENOUGH: f64 = 1e-3;
/// Into how many pieces a substep is cut whose joints do not close.
const PIECES: u32 = 8;

/// What a body may turn in a substep, radians; see [`Settings::most_turn`].
const ROOM: f64 = 0.5;

#[cfg(test)]
mod contact_tests;
#[cfg(test)]
mod loop_tests;
#[cfg(test)]
mod method_tests;
#[cfg(test)]
mod tests;
