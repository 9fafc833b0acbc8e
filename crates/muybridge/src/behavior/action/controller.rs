//! Controller of actions: runs actions on the bodies of a world and the plans that begin and end them, and turns commands into forces at every
//! step.
//!
//! ```text
//! act      sense ─► end actions that arrived ─► advance plans ─► commands ─► forces
//! world    steps
//! look     contacts, for plans that wait for them
//! ```
//! Forces are constant over a step. A free body with plain inertia gets [`actuator::effort`]; actions on a jointed tree are solved together by
//! [`OperationalInertia`]. Everything follows from the state of the world, the time and [`PlanState`].

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use super::actuator::{self, Effort, Stepping};
use super::command::{AssumedInertia, Behavior, Command};
use super::log::{ActionLogEntry, Event, EventKind, EventSubject, Why};
use super::operational_space::{OperationalInertia, OperationalSpaceScratch, Probe, Upkeep};
use super::plan::PlanStep;
use super::resolved_plans::{NameResolver, PlanState, ResolvedPlans};
use super::sensed::{ActionInput, BodyPoint, PointMotion};
use crate::math::rotation::log;
use crate::rigid::World;
use crate::rigid::integrator::Integrator;

/// A behavior that acts on a point of a body, with the conditions of its begin and end.
#[derive(Clone)]
pub struct Action {
    /// Name by which plans and logs refer to the action.
    pub name: String,
    /// Point of the body on which the action acts.
    pub on: BodyPoint,
    /// Points whose motion the behavior senses, as [`ActionInput::seen`].
    pub sees: Vec<BodyPoint>,
    /// Behavior that gives the commands.
    pub behavior: Arc<dyn Behavior>,
    /// Conditions that end the action.
    pub until: EndCondition,
    /// Time at which the action begins by itself, seconds; `None` if a plan begins it.
    pub begins: Option<f64>,
}

/// Conditions that end an action.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndCondition {
    /// Tolerance within which arrival ends the action; `None` holds the target after arrival.
    pub arrived: Option<Tolerance>,
    /// Duration after which the action ends, seconds; `None` for no limit.
    pub seconds: Option<f64>,
}

/// Tolerances within which an action has arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Distance from the target, meters.
    pub distance: f64,
    /// Speed relative to the target, meters per second.
    pub speed: f64,
    /// Angle from the target orientation, radians.
    pub angle: f64,
    /// Angular speed relative to the target, radians per second.
    pub spin: f64,
}

/// Subject of plan waits: bodies, and the point from which distances are measured.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanSubject {
    /// Bodies whose contacts count as contacts of the subject.
    pub bodies: Range<usize>,
    /// Point from which distances to the subject are measured.
    pub point: BodyPoint,
}

/// Condition on the world that plans may wait for.
pub(crate) type Condition = Arc<dyn Fn(&World) -> bool + Send + Sync>;

/// Actions, plans, subjects and conditions of a run, by name.
#[derive(Clone, Default)]
pub struct Script {
    /// Actions.
    pub actions: Vec<Action>,
    /// Plans: name, begin (seconds), and steps.
    pub plans: Vec<(String, f64, PlanStep)>,
    /// Subjects of waits for contact and distance, by name.
    pub subjects: BTreeMap<String, PlanSubject>,
    /// Conditions that waits may test, by name.
    pub conditions: BTreeMap<String, Condition>,
}

/// Error in a script.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ScriptError {
    /// An action is wrong.
    #[error("action “{name}” {message}")]
    Action {
        /// Name of the action.
        name: String,
        /// Index of the action.
        index: usize,
        /// Description of the error, to be read after the name.
        message: String,
    },
    /// A plan is wrong.
    #[error("plan “{name}” {message}")]
    Plan {
        /// Name of the plan.
        name: String,
        /// Index of the plan.
        index: usize,
        /// Description of the error, to be read after the name.
        message: String,
    },
}

/// Runs a script in a world; the default controller has no actions and plans.
#[derive(Clone, Default)]
pub struct Controller {
    /// Progress of plans and actions.
    pub state: PlanState,
    /// Integrator of the world that moves the bodies.
    pub stepping: Stepping,
    script: Script,
    subjects: Vec<PlanSubject>,
    program: ResolvedPlans,
    /// Force and torque of each action in the last step.
    efforts: Vec<Effort>,
    scratch: Scratch,
}

/// Buffers that are reused from step to step.
#[derive(Clone, Debug, Default)]
struct Scratch {
    probe: Option<Probe>,
    mobility: OperationalInertia,
    seen: Vec<PointMotion>,
    pursuits: Vec<Pursuit>,
    points: Vec<BodyPoint>,
    wanted: Vec<Option<f64>>,
    /// Buffers for two solutions: the forces the actions ask for, and the forces that hold the controlled accelerations at zero.
    rooms: [OperationalSpaceScratch; 2],
}

/// Queries that plans make about a world.
pub(super) trait Senses {
    fn time(&self) -> f64;
    fn step(&self) -> f64;
    /// Motion of the point of an action.
    fn motion(&self, action: usize) -> PointMotion;
    /// Distance between two subjects, meters.
    fn distance(&self, of: usize, to: usize) -> f64;
    fn holds(&self, condition: usize) -> bool;
}

impl Default for Tolerance {
    /// Default tolerances: a centimeter, a tenth of a meter per second, about a degree (0.02 rad), a third of a radian per second.
    fn default() -> Self {
        Self { distance: 0.01, speed: 0.1, angle: 0.02, spin: 0.3 }
    }
}

impl EndCondition {
    /// Ends the action when it has arrived within the default tolerances.
    pub(crate) fn arrived() -> Self {
        Self { arrived: Some(Tolerance::default()), seconds: None }
    }

    /// Keeps the action running until it is cancelled.
    pub const fn cancelled() -> Self {
        Self { arrived: None, seconds: None }
    }

    /// Ends the action after `seconds`.
    pub const fn over(seconds: f64) -> Self {
        Self { arrived: None, seconds: Some(seconds) }
    }
}

impl Action {
    /// Creates an action of a behavior on a point. A plan must begin the action; arrival ends it.
    pub fn new(name: &str, on: BodyPoint, behavior: impl Behavior + 'static) -> Self {
        let (name, behavior): (String, Arc<dyn Behavior>) = (name.into(), Arc::new(behavior));
        Self { name, on, sees: Vec::new(), behavior, until: EndCondition::arrived(), begins: None }
    }

    /// Sets the points whose motion the behavior senses.
    pub fn seeing(self, sees: impl IntoIterator<Item = BodyPoint>) -> Self {
        Self { sees: sees.into_iter().collect(), ..self }
    }

    /// Sets the conditions that end the action.
    pub fn until(self, until: EndCondition) -> Self {
        Self { until, ..self }
    }

    /// Lets the action begin by itself, `seconds` after the start of the run.
    pub fn from(self, seconds: f64) -> Self {
        Self { begins: Some(seconds), ..self }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, on, sees, until, begins, .. } = self;
        let mut all = f.debug_struct("Action");
        all.field("name", name).field("on", on).field("sees", sees).field("until", until).field("begins", begins);
        all.finish_non_exhaustive()
    }
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("state", &self.state)
            .field("actions", &self.script.actions)
            .finish_non_exhaustive()
    }
}

impl Script {
    /// Adds an action.
    pub fn action(mut self, action: Action) -> Self {
        self.actions.push(action);
        self
    }

    /// Adds a plan that begins with the run.
    pub fn plan(mut self, name: &str, steps: PlanStep) -> Self {
        self.plans.push((name.into(), 0.0, steps));
        self
    }

    /// Adds a condition that plans may wait for.
    pub fn condition(mut self, name: &str, holds: impl Fn(&World) -> bool + Send + Sync + 'static) -> Self {
        self.conditions.insert(name.into(), Arc::new(holds));
        self
    }
}

impl NameResolver for Script {
    fn action_of(&self, name: &str) -> Option<usize> {
        self.actions.iter().position(|action| action.name == name)
    }

    fn plan_of(&self, name: &str) -> Option<usize> {
        self.plans.iter().position(|(plan, ..)| plan == name)
    }

    fn subject_of(&self, name: &str) -> Option<usize> {
        self.subjects.keys().position(|subject| subject == name)
    }

    fn condition_of(&self, name: &str) -> Option<usize> {
        self.conditions.keys().position(|condition| condition == name)
    }
}

impl Controller {
    /// Creates a controller for a script in worlds with `bodies` bodies.
    ///
    /// # Errors
    /// Names the wrong action or plan and the reason: an index beyond the bodies, or a name that is unknown or ambiguous.
    pub fn new(script: Script, bodies: usize) -> Result<Self, ScriptError> {
        for (index, action) in script.actions.iter().enumerate() {
            let wrong = |message: String| Err(ScriptError::Action { name: action.name.clone(), index, message });
            if script.actions[..index].iter().any(|other| other.name == action.name) {
                return wrong("is defined twice; plans call actions by name, so rename one".into());
            }
            let points = core::iter::once(&action.on).chain(&action.sees);
            if let Some(point) = points.into_iter().find(|point| point.body >= bodies) {
                return wrong(format!(
                    "refers to body {}, but the world has {bodies} bodies, counted from 0",
                    point.body
                ));
            }
        }
        let mut program = ResolvedPlans::default();
        for (index, (name, begins, steps)) in script.plans.iter().enumerate() {
            let wrong = |message: String| ScriptError::Plan { name: name.clone(), index, message };
            program.add(steps, *begins, &script).map_err(wrong)?;
        }
        let subjects: Vec<PlanSubject> = script.subjects.values().cloned().collect();
        if let Some((name, index)) =
            script.subjects.keys().zip(0..).find(|&(_, index)| subjects[index].point.body >= bodies)
        {
            let message = format!(
                "is the name of body {}, but the world has {bodies} bodies, counted from 0",
                subjects[index].point.body
            );
            return Err(ScriptError::Action { name: name.clone(), index, message });
        }
        let state = program.state(script.actions.len());
        let efforts = vec![Effort::default(); script.actions.len()];
        let (stepping, scratch) = (Stepping::Momentum, Scratch::default());
        Ok(Self { state, script, subjects, program, efforts, stepping, scratch })
    }

    /// Applies the forces of the actions, steps the world, and detects contacts for the plans.
    pub fn step(&mut self, world: &mut World) {
        self.act(world);
        world.step();
        self.sense_contacts(world);
    }

    /// Ends finished actions, advances the plans, and applies the forces of the actions for the coming step.
    pub fn act(&mut self, world: &mut World) {
        self.efforts.fill(Effort::default());
        self.end_what_is_over(world);
        let Self { state, script, subjects, program, .. } = self;
        let senses = WorldSenses { script, subjects, world };
        program.advance(state, &senses, &|action| script.actions[action].begins);
        self.push(world);
    }

    /// Records the contacts after a step, for plans that wait for them.
    pub fn sense_contacts(&mut self, world: &World) {
        // Bodies that are only about to touch have a gap.
        let near = world.contacts().iter().filter(|contact| contact.gap <= TOUCH);
        self.look_at(near.map(|contact| contact.bodies));
    }

    /// Records contacts from a list of touching pairs; `None` stands for something that is no body.
    pub(crate) fn look_at(&mut self, touching: impl Iterator<Item = [Option<usize>; 2]> + Clone) {
        let within = |subject: Option<usize>, body: Option<usize>| match subject {
            Some(subject) => body.is_some_and(|body| self.subjects[subject].bodies.contains(&body)),
            None => true,
        };
        let is_pair = |[of, with]: [Option<usize>; 2], [a, b]: [Option<usize>; 2]| {
            within(of, a) && within(with, b) || within(of, b) && within(with, a)
        };
        for (touches, &pair) in self.state.touching.iter_mut().zip(&self.program.contacts) {
            *touches = touching.clone().any(|bodies| is_pair(pair, bodies));
        }
    }

    /// True if a state belongs to this script.
    pub(crate) fn fits(&self, state: &PlanState) -> bool {
        self.program.fits(state, self.script.actions.len())
    }

    /// The actions.
    pub(crate) fn actions(&self) -> &[Action] {
        &self.script.actions
    }

    /// Force and torque of each action in the last step.
    pub fn efforts(&self) -> &[Effort] {
        &self.efforts
    }

    /// Log of the begins and ends of actions and plans, with times, names and reasons.
    pub fn log(&self) -> Vec<ActionLogEntry> {
        self.state.log.iter().map(|event| self.entry(event)).collect()
    }

    fn entry(&self, event: &Event) -> ActionLogEntry {
        let plan = |plan: usize| self.script.plans.get(plan).map_or("", |(name, ..)| name.as_str());
        let (kind, name) = match event.what {
            EventSubject::Action(action) => ("action", self.script.actions[action].name.clone()),
            EventSubject::Plan(index) => ("plan", plan(index).into()),
            EventSubject::Wait(node) => ("wait", self.program.words(node).into()),
        };
        let why = match event.change {
            EventKind::Began(None) => "its time has come".into(),
            EventKind::Began(Some(index)) => format!("plan {}", plan(index)),
            EventKind::Ended(Why::Arrived) => "arrived".into(),
            EventKind::Ended(Why::TimeOver) => "its time is over".into(),
            EventKind::Ended(Why::Done) => if kind == "wait" { "it has come" } else { "done" }.into(),
            EventKind::Ended(Why::Cancelled(index)) => format!("cancelled by plan {}", plan(index)),
            EventKind::Ended(Why::Outrun) => "another was done first".into(),
            EventKind::Ended(Why::BegunAgain) => "begun again".into(),
            EventKind::Ended(Why::Stopped) => "stopped".into(),
        };
        ActionLogEntry { time: event.time, kind, name, began: matches!(event.change, EventKind::Began(_)), why }
    }

    fn end_what_is_over(&mut self, world: &World) {
        let time = world.time();
        for action in 0..self.script.actions.len() {
            let Some((command, sensed)) = self.command(action, world) else { continue };
            let EndCondition { arrived, seconds } = self.script.actions[action].until;
            if is_there(&command, &sensed.0, &arrived.unwrap_or_default()) {
                self.state.arrivals[action] = Some(time);
                if arrived.is_some() {
                    self.state.end(action, time, Why::Arrived);
                }
            }
            if seconds.is_some_and(|seconds| sensed.1 + 0.5 * world.settings.time_step >= seconds) {
                self.state.end(action, time, Why::TimeOver);
            }
        }
    }

    /// Command of a running action, with the motion of its point and the seconds it has run; `None` if the action does not run.
    fn command(&mut self, action: usize, world: &World) -> Option<(Command, (PointMotion, f64))> {
        let (said, running) = (&self.script.actions[action], self.state.actions[action]?);
        let seen = &mut self.scratch.seen;
        seen.clear();
        seen.extend(said.sees.iter().map(|&point| motion(world, point)));
        let (time, own) = (world.time(), motion(world, said.on));
        let elapsed = time - running.since;
        let step = world.settings.time_step;
        let sensed = ActionInput { time, elapsed, step, own, start: running.start, seen };
        Some((said.behavior.command(&sensed), (own, elapsed)))
    }

    fn push(&mut self, world: &mut World) {
        let settings = &world.settings;
        // One step of this integrator moves the angular velocity, not the momentum.
        let by_velocity = settings.integrator == Integrator::Ziauddin && settings.substeps == 1;
        let stepping = match self.stepping {
            Stepping::Momentum if by_velocity => Stepping::AngularVelocity,
            stepping => stepping,
        };
        let (gravity, step) = (settings.gravity, (stepping, settings.time_step));
        let mut pursuits = core::mem::take(&mut self.scratch.pursuits);
        pursuits.clear();
        for action in 0..self.script.actions.len() {
            let Some((command, (own, _))) = self.command(action, world) else { continue };
            let on = self.script.actions[action].on;
            let tree = world.forest().tree[on.body];
            let is_effective = match command.strength.inertia {
                AssumedInertia::Plain => false,
                AssumedInertia::Effective => true,
                AssumedInertia::Natural => is_jointed(world, on.body),
            };
            if is_effective {
                let wanted = actuator::wanted(&command, &own, step);
                pursuits.push(Pursuit { tree, action, command, wanted });
            } else {
                let body = &world.model.bodies[on.body];
                let effort = actuator::effort(&command, (body, &own), gravity, step);
                self.exert(world, action, effort);
            }
        }
        // Sort by tree, because actions on the same tree are solved together.
        pursuits.sort_unstable_by_key(|pursuit| (pursuit.tree, pursuit.action));
        if !pursuits.is_empty() {
            self.keep_up(world, &pursuits);
        }
        for all in pursuits.chunk_by(|a, b| a.tree == b.tree) {
            self.push_tree(world, all);
        }
        self.scratch.pursuits = pursuits;
    }

    /// Applies damping and bracing torques to whole mechanisms.
    fn keep_up(&mut self, world: &mut World, pursuits: &[Pursuit]) {
        let upkeep = |tree: usize| {
            let mut all =
                pursuits.iter().filter(|pursuit| pursuit.tree == tree).map(|pursuit| pursuit.command.strength);
            let first = all.next()?;
            let one = Upkeep { calm: first.calm.max(0.0), is_braced: first.is_braced };
            Some(all.fold(one, |sum, strength| Upkeep {
                calm: sum.calm.max(strength.calm),
                is_braced: sum.is_braced || strength.is_braced,
            }))
        };
        let probe = self.scratch.probe.get_or_insert_with(|| Probe::new(world));
        probe.factor(world, upkeep);
        for (body, [force, torque]) in probe.upkeep() {
            world.add_wrench(body, force, torque);
        }
    }

    /// Solves all actions on one tree together and applies their forces.
    fn push_tree(&mut self, world: &mut World, all: &[Pursuit]) {
        let Scratch { probe, mobility, points, wanted, rooms: [asked, kept], .. } = &mut self.scratch;
        let Some(probe) = probe else { return };
        points.clear();
        points.extend(all.iter().map(|pursuit| self.script.actions[pursuit.action].on));
        probe.measure(world, points, mobility);
        let carries = |point: usize| all[point].command.strength.carries;
        wanted.clear();
        wanted.extend(all.iter().flat_map(|pursuit| pursuit.wanted));
        mobility.solve(wanted, carries, asked);
        wanted.iter_mut().flatten().for_each(|wanted| *wanted = 0.0);
        mobility.solve(wanted, carries, kept);
        for (index, pursuit) in all.iter().enumerate() {
            let of = |room: &OperationalSpaceScratch| Effort {
                force: DVec3::from_slice(&room.forces[6 * index..]),
                torque: DVec3::from_slice(&room.forces[6 * index + 3..]),
            };
            let [asked, kept] = &self.scratch.rooms;
            let Effort { force, torque } = of(asked).within(&pursuit.command, &of(kept));
            // The force acts at the point, so it adds a torque about the center of mass.
            let point = self.script.actions[pursuit.action].on;
            let arm = world.state.poses[point.body].turn() * point.in_body;
            self.exert(world, pursuit.action, Effort { force, torque: torque + arm.cross(force) });
        }
    }

    fn exert(&mut self, world: &mut World, action: usize, effort: Effort) {
        if effort.force.is_finite() && effort.torque.is_finite() {
            self.efforts[action] = effort;
            world.add_wrench(self.script.actions[action].on.body, effort.force, effort.torque);
        }
    }
}

/// Accelerations that an action asks of a point of a mechanism.
#[derive(Clone, Debug)]
struct Pursuit {
    tree: usize,
    action: usize,
    command: Command,
    /// Acceleration along and about the world axes, m/s² and rad/s²; `None` for an axis without demand.
    wanted: [Option<f64>; 6],
}

/// Gap below which bodies count as touching, meters.
const TOUCH: f64 = 1e-3;

/// Script and world as plans sense them.
struct WorldSenses<'a> {
    script: &'a Script,
    subjects: &'a [PlanSubject],
    world: &'a World,
}

impl Senses for WorldSenses<'_> {
    fn time(&self) -> f64 {
        self.world.time()
    }

    fn step(&self) -> f64 {
        self.world.settings.time_step
    }

    fn motion(&self, action: usize) -> PointMotion {
        motion(self.world, self.script.actions[action].on)
    }

    fn distance(&self, of: usize, to: usize) -> f64 {
        let place = |subject: usize| motion(self.world, self.subjects[subject].point).position;
        place(of).distance(place(to))
    }

    fn holds(&self, condition: usize) -> bool {
        self.script.conditions.values().nth(condition).is_some_and(|holds| holds(self.world))
    }
}

/// Motion of a point of a body in a world.
pub(crate) fn motion(world: &World, point: BodyPoint) -> PointMotion {
    let BodyPoint { body, in_body } = point;
    PointMotion::of(&world.model.bodies[body], &world.state.poses[body], &world.state.momenta[body], in_body)
}

fn is_jointed(world: &World, body: usize) -> bool {
    let tree = world.forest().tree[body];
    let span = &world.forest().spans[tree];
    span.len() > 1 || world.forest().hangs_by[body].is_some()
}

/// True if a motion fulfils a command within the tolerance, along and about the controlled axes.
fn is_there(command: &Command, own: &PointMotion, tolerance: &Tolerance) -> bool {
    let along = |v: DVec3, axes: [bool; 3]| {
        let [x, y, z] = [0, 1, 2].map(|axis: usize| if axes[axis] { v[axis] } else { 0.0 });
        DVec3::new(x, y, z).length()
    };
    let (axes, turn_axes) = (command.strength.axes, command.strength.turn_axes);
    let placed = command.place.is_none_or(|place| {
        let away = place.position.map_or(DVec3::ZERO, |to| to - own.position);
        along(away, axes) <= tolerance.distance && along(place.velocity - own.velocity, axes) <= tolerance.speed
    });
    let turned = command.heading.is_none_or(|heading| {
        let away = heading.rotation.map_or(DVec3::ZERO, |to| log(to * own.rotation.conjugate()));
        let spin = heading.angular_velocity - own.angular_velocity;
        along(away, turn_axes) <= tolerance.angle && along(spin, turn_axes) <= tolerance.spin
    });
    !command.is_under_way && placed && turned
}
