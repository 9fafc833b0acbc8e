//! Checks of actions and plans: the things, keys and steps they refer to.

use super::behavior::{Action, ActionKind, PathWord, Plan};
use super::check::{Names, WrongKey};
use super::nearest;
use super::thing::AttachPoint;
use crate::behavior::action::plan::{MOST_DEPTH, PlanStep, Wait};

pub(super) fn check_action(action: &Action, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.attaches(&action.on, AttachPoint::Line).map_err(|message| ("on", message))?;
    let has_target = !action.target.is_none();
    if has_target {
        names.attaches(&action.target, AttachPoint::Line).map_err(|message| ("target", message))?;
    }
    let missing = match action.kind {
        ActionKind::MoveTo if has_target => {
            return Err((
                "target",
                "works with chase, turn_chase and align only; move_to goes to a fixed place: give to".into(),
            ));
        }
        ActionKind::TurnTo if has_target => {
            return Err(("target", "works with chase, turn_chase and align only; turn_to needs turn instead".into()));
        }
        ActionKind::MoveTo => action.to.is_none().then_some("is missing; move_to needs a place [x, y, z]"),
        ActionKind::Chase | ActionKind::Align => (action.to.is_none() && !has_target)
            .then_some("is missing; this kind of action needs a place in the key to, or a target"),
        _ => None,
    };
    if let Some(missing) = missing {
        return Err(("to", missing.into()));
    }
    if action.path().is_none() {
        let message = match action.path {
            PathWord::Line => {
                "need a curved path; set path = \"bezier\" or \"catmull_rom\", or remove the points".into()
            }
            _ => format!("must be two tangents for a hermite path, not {}", action.control_points.len()),
        };
        return Err(("control_points", message));
    }
    action.response().map(drop)
}

pub(super) fn check_plan(plan: &Plan, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    check_steps(&plan.steps, names).map_err(|message| ("steps", message))
}

/// Checks the steps of a plan. The error is a sentence.
fn check_steps(steps: &[PlanStep], names: &Names<'_>) -> Result<(), String> {
    let depth = steps.iter().map(PlanStep::depth).max().unwrap_or(0);
    if depth >= MOST_DEPTH {
        return Err(format!("are nested {depth} levels deep; the depth must be less than {MOST_DEPTH}"));
    }
    steps.iter().try_for_each(|step| check_step(step, names))
}

fn check_step(step: &PlanStep, names: &Names<'_>) -> Result<(), String> {
    let scene = names.scene;
    let is_action = |name: &str| scene.actions.iter().any(|action| action.name == name);
    let is_plan = |name: &str| scene.plans.iter().any(|plan| plan.name == name);
    let action = |name: &str| {
        if is_action(name) {
            Ok(())
        } else {
            Err(unknown(name, "action", scene.actions.iter().map(|a| a.name.as_str())))
        }
    };
    let watched = |name: &str| {
        names
            .attaches(&name.into(), AttachPoint::Line)
            .map_err(|message| format!("name a thing that cannot be used: {message}"))
    };
    match step {
        PlanStep::Act(name) | PlanStep::Begin(name) | PlanStep::Wait(Wait::Arrival(name)) => action(name),
        PlanStep::Cancel(name) if is_action(name) || is_plan(name) => Ok(()),
        PlanStep::Cancel(name) => {
            let all = scene.actions.iter().map(|a| a.name.as_str()).chain(scene.plans.iter().map(|p| p.name.as_str()));
            Err(unknown(name, "action or plan", all))
        }
        PlanStep::Wait(Wait::Contact { of, with }) => {
            watched(of)?;
            if with.is_empty() { Ok(()) } else { watched(with) }
        }
        PlanStep::Wait(Wait::Near { of, to, .. }) => watched(of).and_then(|()| watched(to)),
        PlanStep::Wait(Wait::Condition(name)) => {
            Err(format!("wait for the condition “{name}”, but a scene has no conditions; only Rust code can give them"))
        }
        PlanStep::Wait(Wait::Seconds(_)) => Ok(()),
        _ => step.inside().iter().try_for_each(|inside| check_step(inside, names)),
    }
}

fn unknown<'a>(name: &str, what: &str, all: impl Iterator<Item = &'a str>) -> String {
    let hint = nearest(name, all).map_or_else(String::new, |near| format!("; did you mean “{near}”?"));
    format!("name “{name}”, but this scene has no {what} of that name{hint}")
}
