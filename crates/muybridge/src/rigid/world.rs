//! World of rigid bodies: model, settings, state, and buffers for its steps.
//!
//! ```text
//! step:     broad phase, substeps, sleeping
//! substep:  kick ── touch (contacts, limits, motors: velocities) ── drift (joints: positions) ── kick ── project (joints: velocities)
//! ```
//! Half of the forces' impulse acts before the drift and half after it: second order, and energy is kept. Trees in
//! contact with something fixed get the whole impulse before, so that resting bodies have no velocity. Joint forces that
//! come from accelerations act in both kicks. Between substeps the projection is left to the next `touch`, which projects
//! as well: the result is the same. Specification: mathematics 4.5.3, 9.1 (H5, H17, H22, H24).

mod act;
mod detect;
mod feedback;
mod free;
mod hold;
mod impulses;
mod meetings;
mod motors;
mod pace;
mod possible;
mod ranges;
mod recovery;
mod slide;
mod spins;
mod touched;

use glam::DVec3;

use ranges::NearRange;
use recovery::RecoveryBound;
use spins::Spins;

use super::crowd::TreeLanes;
use super::displacement::{self, Velocities::Follow};
use super::drift::drift;
use super::drives::Drives;
use super::forest::Forest;
use super::held::ContactAnchor;
use super::integrator::Integrator;
use super::joint::{Joint, MOST_ROWS};
use super::model::{Model, Start};
use super::motion::{Momentum, Velocity, vector};
use super::multipliers::Multipliers;
use super::rattle::{Mechanism, Rattle};
use super::row::{Contact, Rules};
use super::settings::{Method, Settings};
use super::solver::Solver;
use super::state::State;
use super::swing::Swing;
use super::touch::ContactDetector;
use super::{Pose, check, rest};
use crate::collision::{self, Obstacle};

/// Length above which a step looks for pairs in each substep, seconds: in a whole one, all may meet all.
const LONG_STEP: f64 = 0.1;

/// World of rigid bodies that can be stepped.
#[derive(Clone, Debug)]
pub struct World {
    /// Model; may change between steps, except the numbers of bodies and joints and which bodies joints connect.
    pub model: Model,
    /// Settings; changes between steps take effect in the next step.
    pub settings: Settings,
    /// State: all that is needed to continue.
    pub state: State,
    forest: Forest,
    /// Trees of awake bodies.
    awake: Forest,
    /// Trees that are stepped in lanes.
    lanes: TreeLanes,
    scratch: Scratch,
}

/// Buffers of a step; they carry no state.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(super) rattle: Rattle<f64>,
    /// Whether `rattle` is factored at the present poses.
    is_factored: bool,
    swing: Swing,
    /// Factorization with the soft rows of motors.
    driven: Rattle<f64>,
    drives: Drives,
    pub(super) solver: Solver,
    /// Momenta after joints and motors, before contacts.
    unhindered: Vec<Momentum<f64>>,
    /// Trees to be solved again because rows were added.
    again: Forest,
    /// Trees with penetration to remove.
    recovering: Forest,
    /// Scratch forest that holds one tree.
    single: Forest,
    /// Joint limits that may be reached in a substep.
    near: Vec<NearRange>,
    /// Whether a joint limit of each tree was passed.
    is_passed: Vec<bool>,
    touch: ContactDetector,
    contacts: Vec<Contact>,
    /// External forces and moments about the centers of mass in this step, newtons and newton meters.
    wrenches: Vec<[f64; 6]>,
    /// Bodies, the growth of their wrench from the middle of this step to its end, and the share that is in the wrench.
    ramps: Vec<(usize, [f64; 6], f64)>,
    sums: Vec<[f64; 6]>,
    /// Changes of the velocities of free bodies across their contacts, m/s.
    slides: Vec<DVec3>,
    /// Velocities of awake bodies before contacts.
    velocities: Vec<Velocity<f64>>,
    /// Separation speed of each contact before its rows act, m/s.
    speeds: Vec<f64>,
    lifts: Vec<impulses::Lift>,
    kept: Vec<Momentum<f64>>,
    spins: Spins,
    recovery: RecoveryBound,
    /// Impulses that bodies that meet in this substep lack until they meet.
    closing: Vec<[f64; 6]>,
    meetings: meetings::Meetings,
    before: (Vec<Pose<f64>>, Vec<Momentum<f64>>),
    trial: (Vec<Pose<f64>>, Vec<Momentum<f64>>),
    /// Multipliers before a drift of many loops.
    known: [Vec<[f64; MOST_ROWS]>; 2],
    displacement: displacement::Scratch,
    multipliers: Option<Multipliers>,
    /// Forces of the joints on the bodies under [`Method::Hennix`], else zero.
    reactions: Vec<Momentum<f64>>,
    /// Whether `reactions` are those of the present state.
    is_solved: bool,
    /// Length of the last substep of this step, seconds; 0 before the first.
    last_substep: f64,
    /// Contact anchors during displacement.
    held: Vec<ContactAnchor>,
    /// Poses of the obstacles at the start of the step.
    places: Vec<collision::Pose>,
    /// Whether each tree touches something fixed.
    is_touched: Vec<bool>,
    /// Whether something that does not belong to it is near each tree in this step.
    is_near: Vec<bool>,
    /// Damping of each body: decay rate of its velocities, per second.
    drags: Vec<f64>,
    flight: free::FreeFlight,
    /// Substeps, solver iterations and greatest joint error of the last step.
    report: Report,
}

/// Statistics of the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Number of substeps.
    pub substeps: u32,
    /// Contact iterations, and passes of displacement that moved a body, all substeps together.
    pub passes: u32,
    /// Pairs of shapes that were looked at for contacts, all substeps together.
    pub pairs: u64,
    /// Contact points, all substeps together.
    pub contacts: u64,
    /// Corrections of single contacts, joint limits and motors.
    pub corrections: u64,
    /// Trees of joints that were factored.
    pub factorizations: u64,
    /// Solutions of factored trees.
    pub tree_solves: u64,
    /// Greatest joint error, meters or radians.
    pub worst_joint: f64,
    /// Number of bodies reset because they diverged: beyond the speed of light or not finite.
    pub put_back: u32,
}

impl World {
    /// Creates a world of a model with bodies at `starts`. Errors name the faulty item by index.
    pub fn new(model: Model, starts: &[Start], settings: Settings) -> Result<Self, check::ModelError> {
        check::model(&model, starts)?;
        let forest = Forest::new(model.bodies.len(), &model.joints);
        let state = State::new(&model, starts);
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: &forest };
        let bodies = model.bodies.len();
        let scratch = Scratch {
            rattle: Rattle::new(0.0, mechanism),
            is_factored: false,
            swing: Swing::default(),
            driven: Rattle::with_soft_rows(0.0, mechanism, true),
            drives: Drives::default(),
            solver: Solver::default(),
            unhindered: state.momenta.clone(),
            again: forest.clone(),
            recovering: forest.clone(),
            single: forest.clone(),
            near: Vec::new(),
            is_passed: Vec::new(),
            touch: ContactDetector::new(&model, &forest, &state),
            contacts: Vec::new(),
            wrenches: vec![[0.0; 6]; bodies],
            ramps: Vec::new(),
            sums: vec![[0.0; 6]; bodies],
            slides: Vec::new(),
            velocities: vec![[0.0; 6]; bodies],
            speeds: Vec::new(),
            lifts: Vec::new(),
            kept: state.momenta.clone(),
            spins: Spins::default(),
            recovery: RecoveryBound::default(),
            closing: vec![[0.0; 6]; bodies],
            meetings: meetings::Meetings::default(),
            before: (state.poses.clone(), state.momenta.clone()),
            trial: (state.poses.clone(), state.momenta.clone()),
            known: Default::default(),
            displacement: displacement::Scratch::new(mechanism),
            multipliers: None,
            reactions: vec![Momentum::ZERO; bodies],
            is_solved: false,
            last_substep: 0.0,
            held: Vec::new(),
            places: Vec::new(),
            is_touched: vec![false; forest.trees],
            is_near: vec![false; forest.trees],
            drags: vec![0.0; bodies],
            flight: free::FreeFlight::new(&forest),
            report: Report::default(),
        };
        let lanes = TreeLanes::of(&model, &forest);
        Ok(Self { model, settings, state, awake: forest.clone(), forest, lanes, scratch })
    }

    /// Gives every spring with a frequency the stiffness that it has at the present poses, to keep it.
    pub fn keep_stiffness(&mut self) {
        let Self { model, state, forest, scratch, .. } = self;
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest };
        let inertias = scratch.drives.inertias(mechanism, model, &state.poses);
        model.motors.iter_mut().zip(inertias).for_each(|(motor, inertia)| motor.inertia = inertia);
    }

    /// Forces and moments waiting for the next step, by body.
    pub(crate) fn pushed(&self) -> &[[f64; 6]] {
        &self.scratch.wrenches
    }

    /// Removes the forces and moments waiting for the next step.
    pub(crate) fn forget_pushes(&mut self) {
        self.scratch.wrenches.fill([0.0; 6]);
        self.scratch.ramps.clear();
    }

    /// Time since the start, seconds, with the present step length.
    pub fn time(&self) -> f64 {
        self.state.steps as f64 * self.settings.time_step
    }

    /// Kinematic trees of the joints, all bodies included.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Contacts of the last substep.
    pub fn contacts(&self) -> &[Contact] {
        &self.scratch.contacts
    }

    /// Statistics of the last step.
    pub fn report(&self) -> Report {
        self.scratch.report
    }

    /// Advances the world by [`Settings::time_step`].
    pub fn step(&mut self) {
        self.scratch.report = Report::default();
        rest::settle_what_woke(&mut self.state);
        let state = &self.state;
        self.awake.leave_out(&self.forest, |tree| state.asleep[tree].is_some());
        if !self.awake.order.is_empty() {
            self.scratch.before.0.copy_from_slice(&self.state.poses);
            let whole = (&self.settings, self.settings.time_step);
            self.scratch.touch.look(&self.model, &self.state, &self.awake, whole);
            let in_lanes = self.step_in_lanes();
            if self.awake.order.is_empty() {
                self.scratch.contacts.clear();
                self.state.impulses.clear();
            } else {
                self.step_others();
            }
            if in_lanes {
                self.lanes.tell(&mut self.state, &mut self.scratch.contacts);
            }
            self.scratch.leave_asleep(&self.forest, &self.awake, &mut self.state);
            let Scratch { touch, contacts, .. } = &self.scratch;
            rest::look(&mut self.state, (&self.model, &self.forest), contacts, (&self.settings, touch.reaches()));
        }
        self.forget_pushes();
        for obstacle in &mut self.model.obstacles {
            obstacle.advance(self.settings.time_step);
        }
        self.state.steps += 1;
    }

    /// Steps trees in lanes and takes them out of the awake ones. Returns whether there are any.
    fn step_in_lanes(&mut self) -> bool {
        let Self { model, settings, state, forest, awake, lanes, scratch } = self;
        let near = (&scratch.touch, &scratch.wrenches[..]);
        let Some(work) = lanes.step((&*model, &*settings), state, (&*forest, &*awake), near) else { return false };
        let asleep = &state.asleep;
        awake.leave_out(forest, |tree| asleep[tree].is_some() || lanes.has(tree));
        scratch.touch.keep_awake(model, awake);
        scratch.report = work;
        true
    }

    /// Steps the awake trees together, by the general method.
    fn step_others(&mut self) {
        let substeps = self.substeps();
        let mut h = self.settings.time_step / f64::from(substeps);
        self.model.greatest(|object| object.drag, &mut self.scratch.drags);
        let mechanism = Mechanism { bodies: &self.model.bodies, joints: &self.model.joints, forest: &self.awake };
        self.scratch.drives.look(mechanism, &self.model, &self.state.poses);
        (self.scratch.is_factored, self.scratch.is_solved, self.scratch.last_substep) = (false, false, 0.0);
        self.scratch.reactions.fill(Momentum::ZERO);
        self.scratch.multipliers.iter_mut().for_each(|known| known.accelerations.fill([0.0; 6]));
        self.scratch.places.clear();
        self.scratch.places.extend(self.model.obstacles.iter().map(Obstacle::pose));
        self.scratch.repeats_below(if self.settings.method.is_displaced() { displacement::REPEATED } else { 0.0 });
        if self.scratch.rattle.has_many_loops() {
            let is_open = worst_gap(&self.model.joints, &self.state.poses) > hold::GOOD;
            self.scratch.rattle.set_yielding(is_open);
        }
        self.scratch.touch.keep_manifolds(&self.model, &mut self.state);
        self.join_start();
        let before = self.scratch.counts();
        let mut taken = 0;
        if self.settings.step_tolerance.is_none() {
            for substep in 0..substeps {
                taken += self.substep_in_pieces(h, h * f64::from(substep));
            }
        } else {
            let (whole, mut elapsed, mut shortened) = (self.settings.time_step, 0.0, None);
            h = self.first_substep(h);
            loop {
                self.detect_contacts(h, elapsed);
                self.substep(h, elapsed);
                (elapsed, taken) = (elapsed + h, taken + 1);
                let left = whole - elapsed;
                if left <= 1e-9 * whole {
                    break;
                }
                let next = self.next_substep(h, left, &mut shortened).unwrap_or(h);
                self.scratch.is_factored &= next == h;
                h = next;
            }
        }
        self.place_obstacles(0.0);
        self.scratch.report.substeps = self.scratch.report.substeps.max(taken);
        self.answer_last_kick(h);
        let counts = self.scratch.counts();
        let report = &mut self.scratch.report;
        let sums = [&mut report.factorizations, &mut report.tree_solves, &mut report.corrections];
        for (of, sum) in sums.into_iter().enumerate() {
            *sum += counts[of] - before[of];
        }
    }

    /// Projects the last half kick of displaced bodies onto the joints; otherwise sensors would take it for motion. A
    /// displacement along the directions of its start does this anyway, so no path changes.
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

    /// Takes a substep with the contacts that are found.
    fn substep(&mut self, h: f64, elapsed: f64) {
        let Self { model, settings, state, awake, scratch, .. } = self;
        scratch.ramp(2.0 * (elapsed + 0.5 * h) / settings.time_step - 1.0);
        let all = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: awake };
        let is_displaced = settings.method.is_displaced();
        scratch.report.contacts += scratch.contacts.len() as u64;
        scratch.held.clear();
        if is_displaced {
            scratch.held.extend(scratch.contacts.iter().map(|contact| ContactAnchor::new(contact, &state.poses, h)));
        }
        scratch.keep(awake, state);
        let forests = scratch.divide(all, (model, settings), state);
        let part = |forest| Mechanism { forest, ..all };
        let (flying, rest) =
            forests.as_ref().map_or((None, all), |forests| (Some(part(&forests.flying)), part(&forests.rest)));
        if !scratch.is_factored {
            scratch.rattle.factor(all, &state.poses, &Joint::guide, h);
            scratch.find_near(all, (model, state), &rules(settings, h));
        }
        scratch.solve_joints(all, settings, state, [0.0, 0.5 * h]);
        scratch.kick(model, settings, state, rest.forest, (h, [0.5, 1.0]));
        let is_recovering = scratch.touch(all, (model, settings), state, (h, elapsed));
        scratch.drift(rest, settings, state, (h, is_recovering));
        scratch.slide(rest, state, (h, settings.gravity.length()));
        scratch.is_solved = false;
        scratch.solve_joints(all, settings, state, [0.5 * h; 2]);
        scratch.kick(model, settings, state, rest.forest, (h, [0.5, 0.0]));
        if let Some(flying) = flying {
            scratch.fly(flying, (model, settings), state, h);
        }
        let is_multiplied = settings.method == Method::Multipliers;
        // Where joints are held by feedback, it would answer every correction of a limit by a push.
        let holds_ranges = is_displaced && !model.ranges.is_empty();
        let drives_again = scratch.drives.any_halved();
        let is_factored = is_multiplied || holds_ranges || drives_again;
        if is_factored {
            scratch.rattle.factor(all, &state.poses, &Joint::guide, h);
        }
        if drives_again {
            scratch.drive_again(all, model, state);
        }
        if is_multiplied || holds_ranges {
            if is_multiplied && !scratch.rattle.has_left_out() {
                scratch.repeats_below(0.0);
            }
            scratch.hold_ranges(all, (model, settings), state, h);
            // The next substep projects before its contacts anyway.
            let is_last = settings.time_step - elapsed < 1.5 * h;
            if is_multiplied && (is_last || settings.integrator != Integrator::Splitting) {
                scratch.rattle.project(all, &mut state.momenta);
            }
        }
        let projects = !matches!(settings.method, Method::Hennix(_));
        scratch.keep_bounces_below(all, state, &rules(settings, h), [projects, is_factored]);
        scratch.is_factored = is_factored;
        scratch.is_solved &= forests.is_none();
        scratch.put_back(all, state, h);
        scratch.flight.keep(forests);
    }
}

impl Scratch {
    /// Trees factored, trees solved and corrections since the world was made.
    fn counts(&self) -> [u64; 3] {
        let trees = [&self.rattle, &self.driven, self.displacement.rattle()].map(|rattle| rattle.factors.count);
        let sum = |of: usize| self.swing.count[of] + trees.iter().map(|count| count[of]).sum::<u64>();
        [sum(0), sum(1), self.solver.corrections]
    }

    fn keep(&mut self, awake: &Forest, state: &State) {
        for &body in &awake.order {
            self.before.0[body] = state.poses[body];
            self.before.1[body] = state.momenta[body];
        }
    }

    /// Applies the impulse of forces and damping: shares of the substep for free trees and for trees in contact.
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
            // p' = f − c p, solved exactly for a constant force.
            let (decay, seconds) = match self.drags[body] {
                drag if drag > 0.0 => (libm::exp(-drag * seconds), -libm::expm1(-drag * seconds) / drag),
                _ => (1.0, seconds),
            };
            let reaction = &self.reactions[body];
            let (force, moment) = (weight + DVec3::new(x, y, z), DVec3::new(a, b, c));
            let linear = vector(momentum.linear) * decay + (force + vector(reaction.linear)) * seconds;
            let angular = vector(momentum.angular) * decay + (moment + vector(reaction.angular)) * seconds;
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
            self.absorb(recovering, &mut state.momenta);
            let most = settings.fastest_recovery * if self.touch.is_crowded() { 1.0 } else { recovery::MOST };
            self.recovery.bound((recovering, &self.closing), most, state, &mut self.kept);
        }
        let worst = match settings.method {
            Method::Multipliers => self.hold_each(mechanism, settings, state, h),
            Method::Displacement(how) => {
                let how = how.in_piece(h * f64::from(settings.substeps.max(1)) / settings.time_step);
                self.displace(mechanism, (&how, settings.integrator), state, h)
            }
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
            let recovering = Mechanism { forest: &forest, ..mechanism };
            self.spins.restore(recovering, state);
            self.recovery.keep_below(recovering, (&self.is_touched, &self.contacts), state);
        }
        self.recovering = forest;
    }

    /// Drifts freely, then displaces bodies until joints hold. Returns the greatest remaining error.
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
        self.report.passes += outcome.passes;
        outcome.gap.max(outcome.angle)
    }

    /// Brings the wrenches to the time of a substep, from −1 at the start of the step to 1 at its end.
    fn ramp(&mut self, time: f64) {
        for (body, growth, share) in &mut self.ramps {
            let more = time - core::mem::replace(share, time);
            self.wrenches[*body].iter_mut().zip(growth).for_each(|(sum, growth)| *sum += *growth * more);
        }
    }

    /// Sets the pivot ratio of redundant rows, as [`Rattle::repeats_below`], in both factorizations.
    fn repeats_below(&mut self, share: f64) {
        self.rattle.repeats_below(share);
        self.driven.repeats_below(share);
    }
}

/// Greatest joint error, meters or radians.
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

#[cfg(test)]
mod contact_tests;
#[cfg(test)]
mod loop_tests;
#[cfg(test)]
mod method_tests;
#[cfg(test)]
mod tests;
