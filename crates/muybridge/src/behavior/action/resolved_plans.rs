//! Plans with names resolved to indices, and their progress, which is saved with the state of the world.
//!
//! ```text
//! step of a plan      idle ─► running ─► done;  at the start of every step of the world, from the root down
//! sequence            starts the next step at once;  parallel: done with the last;  race: done with the first, the others are cancelled
//! repeat              runs the same steps again; steps that take no time are repeated once per step of the world
//! ```

use super::controller::Senses;
use super::log::{Event, EventKind, EventSubject, Why};
use super::plan::{MOST_DEPTH, PlanStep, Wait};
use super::sensed::PointMotion;

/// Plans whose names are resolved to indices.
#[derive(Clone, Debug, Default)]
pub(super) struct ResolvedPlans {
    nodes: Vec<PlanNode>,
    plans: Vec<Root>,
    /// Contacts that waits need: a subject, and the other subject or `None` for anything.
    pub contacts: Vec<[Option<usize>; 2]>,
}

#[derive(Clone, Debug)]
struct Root {
    node: usize,
    begins: f64,
}

#[derive(Clone, Debug)]
struct PlanNode {
    kind: NodeKind,
    plan: usize,
    inside: Vec<usize>,
    words: String,
}

#[derive(Clone, Copy, Debug)]
enum NodeKind {
    Act(usize),
    Begin(usize),
    Seconds(f64),
    Arrival(usize),
    /// Index into [`ResolvedPlans::contacts`].
    Contact(usize),
    Near([usize; 2], f64),
    Condition(usize),
    CancelAction(usize),
    CancelPlan(usize),
    Sequence,
    Parallel,
    Race,
    Repeat(u32),
}

/// Progress of plans and actions: all that is needed to continue, beside the state of the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanState {
    nodes: Vec<NodeProgress>,
    plans: Vec<PlanStatus>,
    /// Start data of each running action; `None` for actions that do not run.
    pub actions: Vec<Option<RunningAction>>,
    begun: Vec<bool>,
    /// Time at which each action was last at its target, seconds; `None` if never since its begin.
    pub arrivals: Vec<Option<f64>>,
    /// Whether each awaited contact exists, one per entry of `ResolvedPlans::contacts`.
    pub touching: Vec<bool>,
    /// Events of actions, plans and waits so far.
    pub log: Vec<Event>,
}

/// Start time and start motion of a running action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningAction {
    /// Begin of the action, seconds since the start of the run.
    pub since: f64,
    /// Motion of the action's point at its begin.
    pub start: PointMotion,
    /// Plan step that began the action; `None` if it began by itself.
    by: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct NodeProgress {
    phase: PlanStatus,
    since: f64,
    count: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PlanStatus {
    #[default]
    Idle,
    Running,
    Done,
}

/// Resolves names to indices.
pub(super) trait NameResolver {
    fn action_of(&self, name: &str) -> Option<usize>;
    fn plan_of(&self, name: &str) -> Option<usize>;
    fn subject_of(&self, name: &str) -> Option<usize>;
    fn condition_of(&self, name: &str) -> Option<usize>;
}

impl ResolvedPlans {
    /// Adds a plan; an error is a sentence about the wrong step.
    pub(crate) fn add(&mut self, plan: &PlanStep, begins: f64, names: &dyn NameResolver) -> Result<(), String> {
        if plan.depth() > MOST_DEPTH {
            return Err(format!("is nested {} levels deep; the limit is {MOST_DEPTH}, so flatten it", plan.depth()));
        }
        let node = self.node(plan, self.plans.len(), names)?;
        self.plans.push(Root { node, begins });
        Ok(())
    }

    fn node(&mut self, step: &PlanStep, plan: usize, names: &dyn NameResolver) -> Result<usize, String> {
        let kind = self.kind(step, names)?;
        let inside: Result<Vec<usize>, String> =
            step.inside().iter().map(|inside| self.node(inside, plan, names)).collect();
        let words = if let PlanStep::Wait(wait) = step { wait.describe() } else { String::new() };
        self.nodes.push(PlanNode { kind, plan, inside: inside?, words });
        Ok(self.nodes.len() - 1)
    }

    fn kind(&mut self, step: &PlanStep, names: &dyn NameResolver) -> Result<NodeKind, String> {
        let action = |name: &str| {
            names.action_of(name).ok_or_else(|| format!("names “{name}”, but there is no action of that name"))
        };
        let subject = |name: &str| {
            names.subject_of(name).ok_or_else(|| format!("names “{name}”, but there is no thing of that name"))
        };
        let positive = |value: f64, what: &str| {
            if value.is_finite() && value >= 0.0 {
                Ok(value)
            } else {
                Err(format!("{what} {value}; give a finite number of 0 or more"))
            }
        };
        Ok(match step {
            PlanStep::Act(name) => NodeKind::Act(action(name)?),
            PlanStep::Begin(name) => NodeKind::Begin(action(name)?),
            PlanStep::Cancel(name) => match (names.action_of(name), names.plan_of(name)) {
                (Some(action), _) => NodeKind::CancelAction(action),
                (None, Some(plan)) => NodeKind::CancelPlan(plan),
                (None, None) => return Err(format!("cancels “{name}”, but there is no action or plan of that name")),
            },
            PlanStep::Wait(Wait::Seconds(seconds)) => {
                NodeKind::Seconds(positive(*seconds, "waits for a time in seconds of")?)
            }
            PlanStep::Wait(Wait::Arrival(name)) => NodeKind::Arrival(action(name)?),
            PlanStep::Wait(Wait::Contact { of, with }) => {
                let with = if with.is_empty() { None } else { Some(subject(with)?) };
                self.contacts.push([Some(subject(of)?), with]);
                NodeKind::Contact(self.contacts.len() - 1)
            }
            PlanStep::Wait(Wait::Near { of, to, within }) => {
                NodeKind::Near([subject(of)?, subject(to)?], positive(*within, "waits for a distance in meters of")?)
            }
            PlanStep::Wait(Wait::Condition(name)) => {
                let condition = names.condition_of(name);
                NodeKind::Condition(
                    condition.ok_or_else(|| format!("waits for “{name}”, but there is no condition of that name"))?,
                )
            }
            PlanStep::Sequence(_) => NodeKind::Sequence,
            PlanStep::Parallel(_) => NodeKind::Parallel,
            PlanStep::Race(_) => NodeKind::Race,
            PlanStep::Repeat { times, .. } => NodeKind::Repeat(*times),
        })
    }

    /// Initial state for `actions` actions: nothing has begun.
    pub(crate) fn state(&self, actions: usize) -> PlanState {
        PlanState {
            nodes: vec![NodeProgress::default(); self.nodes.len()],
            plans: vec![PlanStatus::Idle; self.plans.len()],
            actions: vec![None; actions],
            begun: vec![false; actions],
            arrivals: vec![None; actions],
            touching: vec![false; self.contacts.len()],
            // Enough capacity that the log of a run without repetitions never grows.
            log: Vec::with_capacity(2 * (self.nodes.len() + self.plans.len() + actions)),
        }
    }

    /// True if a state belongs to these plans and to `actions` actions.
    pub(crate) fn fits(&self, state: &PlanState, actions: usize) -> bool {
        state.nodes.len() == self.nodes.len()
            && state.plans.len() == self.plans.len()
            && state.actions.len() == actions
            && state.begun.len() == actions
            && state.arrivals.len() == actions
            && state.touching.len() == self.contacts.len()
    }

    /// Describes the event that a step of a plan waits for, in words.
    pub(crate) fn words(&self, node: usize) -> &str {
        self.nodes.get(node).map_or("", |node| &node.words)
    }

    /// Begins, advances and ends plans and actions at the current time. `begins` gives the begin of actions that start by themselves.
    pub(crate) fn advance(&self, state: &mut PlanState, senses: &dyn Senses, begins: &dyn Fn(usize) -> Option<f64>) {
        let mut pass = PlanWalk { program: self, state, senses, cancelled: Vec::new() };
        let due = |time: f64| senses.time() + 0.5 * senses.step() >= time;
        for action in 0..pass.state.actions.len() {
            if !pass.state.begun[action] && begins(action).is_some_and(due) {
                pass.begin(action, None);
            }
        }
        for (plan, root) in self.plans.iter().enumerate() {
            if pass.state.plans[plan] == PlanStatus::Idle && due(root.begins) {
                pass.state.plans[plan] = PlanStatus::Running;
                pass.log_event(EventSubject::Plan(plan), EventKind::Began(None));
            }
            if pass.state.plans[plan] == PlanStatus::Running
                && pass.run(root.node)
                && !pass.cancelled.contains(&(plan, plan))
            {
                pass.state.plans[plan] = PlanStatus::Done;
                pass.log_event(EventSubject::Plan(plan), EventKind::Ended(Why::Done));
            }
        }
        for (plan, by) in core::mem::take(&mut pass.cancelled) {
            if pass.state.plans[plan] == PlanStatus::Running {
                pass.state.plans[plan] = PlanStatus::Done;
                pass.drop(self.plans[plan].node, Why::Cancelled(by));
                pass.log_event(EventSubject::Plan(plan), EventKind::Ended(Why::Cancelled(by)));
            }
        }
    }
}

impl PlanState {
    /// Ends an action if it runs, and logs the reason.
    pub(crate) fn end(&mut self, action: usize, time: f64, why: Why) {
        if self.actions[action].take().is_some() {
            self.log.push(Event { time, what: EventSubject::Action(action), change: EventKind::Ended(why) });
        }
    }
}

/// One traversal of all plans.
struct PlanWalk<'a> {
    program: &'a ResolvedPlans,
    state: &'a mut PlanState,
    senses: &'a dyn Senses,
    /// Plans to cancel, each with the plan that cancels it.
    cancelled: Vec<(usize, usize)>,
}

impl PlanWalk<'_> {
    fn log_event(&mut self, what: EventSubject, change: EventKind) {
        self.state.log.push(Event { time: self.senses.time(), what, change });
    }

    fn begin(&mut self, action: usize, by: Option<usize>) {
        let time = self.senses.time();
        self.state.end(action, time, Why::BegunAgain);
        let plan = by.map(|node| self.program.nodes[node].plan);
        self.state.begun[action] = true;
        self.state.arrivals[action] = None;
        self.state.actions[action] = Some(RunningAction { since: time, start: self.senses.motion(action), by });
        self.log_event(EventSubject::Action(action), EventKind::Began(plan));
    }

    /// Advances a step of a plan; returns whether the step is done.
    fn run(&mut self, index: usize) -> bool {
        let program = self.program;
        let node = &program.nodes[index];
        if self.state.nodes[index].phase == PlanStatus::Done {
            return true;
        }
        let is_new = self.state.nodes[index].phase == PlanStatus::Idle;
        if is_new {
            self.state.nodes[index] = NodeProgress { phase: PlanStatus::Running, since: self.senses.time(), count: 0 };
        }
        let is_done = match node.kind {
            NodeKind::Act(action) => {
                if is_new {
                    self.begin(action, Some(index));
                }
                self.state.actions[action].is_none_or(|running| running.by != Some(index))
            }
            NodeKind::Begin(action) => {
                self.begin(action, Some(index));
                true
            }
            NodeKind::CancelAction(action) => {
                self.state.end(action, self.senses.time(), Why::Cancelled(node.plan));
                true
            }
            NodeKind::CancelPlan(plan) => {
                self.cancelled.push((plan, node.plan));
                plan != node.plan
            }
            NodeKind::Sequence => self.sequence(index),
            // Run every member, whether or not another is done.
            NodeKind::Parallel => node.inside.iter().filter(|&&inside| !self.run(inside)).count() == 0,
            NodeKind::Race => {
                let is_won = node.inside.iter().filter(|&&inside| self.run(inside)).count() > 0;
                if is_won {
                    node.inside.iter().for_each(|&inside| self.drop(inside, Why::Outrun));
                }
                is_won || node.inside.is_empty()
            }
            NodeKind::Repeat(times) => self.repeat(index, times),
            _ => {
                if is_new {
                    self.log_event(EventSubject::Wait(index), EventKind::Began(Some(node.plan)));
                }
                let has_come = self.has_come(index);
                if has_come {
                    self.log_event(EventSubject::Wait(index), EventKind::Ended(Why::Done));
                }
                has_come
            }
        };
        if is_done {
            self.state.nodes[index].phase = PlanStatus::Done;
        }
        is_done
    }

    fn sequence(&mut self, index: usize) -> bool {
        let inside = &self.program.nodes[index].inside;
        while let Some(&next) = inside.get(self.state.nodes[index].count as usize) {
            if !self.run(next) {
                return false;
            }
            self.state.nodes[index].count += 1;
        }
        true
    }

    fn repeat(&mut self, index: usize, times: u32) -> bool {
        let Some(&inside) = self.program.nodes[index].inside.first() else { return true };
        loop {
            let is_fresh = self.state.nodes[inside].phase == PlanStatus::Idle;
            if !self.run(inside) {
                return false;
            }
            let count = &mut self.state.nodes[index].count;
            *count = count.saturating_add(1);
            if times > 0 && *count >= times {
                return true;
            }
            self.reset(inside);
            if is_fresh {
                return false;
            }
        }
    }

    fn has_come(&self, index: usize) -> bool {
        let (time, since) = (self.senses.time(), self.state.nodes[index].since);
        match self.program.nodes[index].kind {
            NodeKind::Seconds(seconds) => time + 0.5 * self.senses.step() >= since + seconds,
            NodeKind::Arrival(action) => {
                let is_over = self.state.actions[action].is_none();
                self.state.arrivals[action].is_some_and(|arrived| is_over || arrived >= time)
            }
            NodeKind::Contact(contact) => self.state.touching[contact],
            NodeKind::Near([of, to], within) => self.senses.distance(of, to) <= within,
            NodeKind::Condition(condition) => self.senses.holds(condition),
            _ => true,
        }
    }

    /// Sets a step and all steps inside to idle.
    fn reset(&mut self, index: usize) {
        self.state.nodes[index] = NodeProgress::default();
        let program = self.program;
        program.nodes[index].inside.iter().for_each(|&inside| self.reset(inside));
    }

    /// Ends a step and all steps inside before they are done, with reason `why`.
    fn drop(&mut self, index: usize, why: Why) {
        let program = self.program;
        let phase = core::mem::replace(&mut self.state.nodes[index].phase, PlanStatus::Done);
        let node = &program.nodes[index];
        let is_action = |action: usize| self.state.actions[action].is_some_and(|running| running.by == Some(index));
        match node.kind {
            NodeKind::Act(action) if is_action(action) => self.state.end(action, self.senses.time(), why),
            _ if phase == PlanStatus::Running && !node.words.is_empty() => {
                self.log_event(EventSubject::Wait(index), EventKind::Ended(why));
            }
            _ => {}
        }
        node.inside.iter().for_each(|&inside| self.drop(inside, why));
    }
}
