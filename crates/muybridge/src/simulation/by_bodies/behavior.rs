//! Converts the actions and plans of a scene to a script for a controller.
//!
//! ```text
//! a place of the world at the start ──► the body's point at that place      as for joints
//! turned by φ against the start:        R_t = exp(φ) R(0);   on a target: R_t = R_T(t) R_T(0)⁻¹ exp(φ) R(0)
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::{RigidHolder, World};
use crate::behavior::action::plan::{PlanStep, Wait};
use crate::behavior::action::{
    self, Align, Behavior, BodyPoint, Chase, Controller, EndCondition, Journey, MoveTo, PathOrigin, PlanSubject,
    PointMotion, Script, ScriptError, Stop, Strength, Target, Tolerance, TurnChase, TurnTo,
};
use crate::math::rotation::exp;
use crate::simulation::build::fault;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{Action, ActionKind, AxisWord, Plan, SceneError, UntilWord};

/// Controller of the actions and plans of a world's scene, from the present poses of its bodies.
pub(super) fn controller(world: &World) -> Result<Controller, SceneError> {
    let mut script = Script::default();
    for (index, action) in world.scene.actions.iter().enumerate() {
        let made = world.action(action).map_err(|(key, message)| fault::<Action>(index, key, message))?;
        script.actions.push(made);
    }
    for (index, plan) in world.scene.plans.iter().enumerate() {
        let steps = PlanStep::Sequence(plan.steps.clone());
        let watched = world.watch(&steps, &mut script.subjects);
        watched.map_err(|message| fault::<Plan>(index, "steps", message))?;
        script.plans.push((plan.name.clone(), plan.time, steps));
    }
    Controller::new(script, world.bodies.model.bodies.len()).map_err(|error| match error {
        ScriptError::Action { index, message, .. } => fault::<Action>(index, "name", message),
        ScriptError::Plan { index, message, .. } => fault::<Plan>(index, "steps", message),
    })
}

impl World {
    fn action(&self, action: &Action) -> Result<action::Action, (&'static str, String)> {
        let on = self.subject(&action.on, action.at).map_err(|message| ("on", message))?.point;
        let sees = match action.target.is_none() {
            true => None,
            false => Some(self.subject(&action.target, action.to).map_err(|message| ("target", message))?.point),
        };
        let arrived = Tolerance {
            distance: action.position_tolerance,
            speed: action.speed_tolerance,
            angle: action.angle_tolerance,
            spin: action.spin_tolerance,
        };
        let until = EndCondition {
            arrived: (action.until == UntilWord::Arrived).then_some(arrived),
            seconds: action.max_duration,
        };
        let is_planned = self.scene.plans.iter().flat_map(|plan| &plan.steps).any(|step| begins(step, &action.name));
        Ok(action::Action {
            name: action.name.clone(),
            on,
            sees: sees.into_iter().collect(),
            behavior: self.behavior(action, on, sees)?,
            until,
            begins: action.time.or((!is_planned).then_some(0.0)),
        })
    }

    fn behavior(
        &self,
        action: &Action,
        on: BodyPoint,
        sees: Option<BodyPoint>,
    ) -> Result<Arc<dyn Behavior>, (&'static str, String)> {
        let strength = strength(action)?;
        let rotation = |point: BodyPoint| self.bodies.state.poses[point.body].turn();
        let turned = (exp(action.turn) * rotation(on)).normalize();
        let path = action.path().ok_or_else(|| ("control_points", "do not fit the path".into()))?;
        let journey = action.seconds.map(|seconds| Journey {
            path,
            seconds,
            ease: action.ease,
            by_length: action.constant_speed,
            progress: action.progress,
        });
        let to = action.to.unwrap_or_default();
        let target = match sees {
            Some(seen) => {
                let turn = (rotation(seen).conjugate() * turned).normalize();
                Target::Seen { index: 0, offset: DVec3::ZERO, turn }
            }
            None => Target::Steady(PointMotion {
                position: to,
                rotation: turned,
                velocity: action.velocity,
                angular_velocity: action.spin,
            }),
        };
        let (seconds, most_acceleration) = (action.seconds, action.max_acceleration);
        Ok(match action.kind {
            ActionKind::MoveTo => Arc::new(MoveTo { to, journey, strength }),
            ActionKind::Chase => Arc::new(Chase { target, seconds, most_acceleration, strength }),
            ActionKind::TurnTo => Arc::new(TurnTo { to: turned, journey, strength }),
            ActionKind::TurnChase => Arc::new(TurnChase { target, seconds, strength }),
            ActionKind::Align => {
                // A path measured from the start ends at the target's present place; a moving target is met where it will be.
                let moves = sees.is_some() || action.velocity != DVec3::ZERO || action.spin != DVec3::ZERO;
                let met = |journey: Journey| match moves {
                    true => Journey { progress: PathOrigin::FromHere, ..journey },
                    false => journey,
                };
                Arc::new(Align { target, journey: journey.map(met), strength })
            }
            ActionKind::Stop => Arc::new(Stop { strength }),
        })
    }

    /// Bodies of a thing or bone, and its point that is now at a place (meters, world). Without a place, the point is the
    /// center, or the end of a rope.
    fn subject(&self, part: &PartPath, place: Option<DVec3>) -> Result<PlanSubject, String> {
        let pose = |body: usize| self.bodies.state.poses[body];
        let holder = self.names.get(part.thing());
        let (bodies, body) = match holder
            .ok_or_else(|| format!("names “{}”, but the scene has no thing of that name", part.thing()))?
        {
            RigidHolder::Actor(actor) => {
                let body = self.actors[*actor].body(part)?;
                // A ragdoll without a bone is watched as a whole.
                let whole = &self.actors[*actor].ragdoll;
                let all = whole.first..whole.first + whole.bodies.len();
                (if part.bone().is_some() { body..body + 1 } else { all }, body)
            }
            RigidHolder::Solid(solid) => {
                let body = self.solids[*solid].body;
                (body..body + 1, body)
            }
            RigidHolder::Bodies(bodies) => {
                let apart = |body: &usize| place.map_or(0.0, |place| pose(*body).place().distance_squared(place));
                let nearest = bodies.clone().min_by(|a, b| apart(a).total_cmp(&apart(b)));
                let last = bodies.end.saturating_sub(1);
                (bodies.clone(), if place.is_some() { nearest.unwrap_or(last) } else { last })
            }
        };
        let in_body = match place {
            Some(place) => pose(body).turn().conjugate() * (place - pose(body).place()),
            None => self.end_of_chain(body).unwrap_or(DVec3::ZERO),
        };
        Ok(PlanSubject { bodies, point: BodyPoint { body, in_body } })
    }

    /// The far end of the last link of a rope, in the link's principal axes; `None` for other bodies.
    fn end_of_chain(&self, body: usize) -> Option<DVec3> {
        let chain = self.chains.iter().find(|chain| chain.links.end == body + 1)?;
        let end = DVec3::Y * chain.half - chain.frame.center;
        let back: DQuat = chain.frame.axes.conjugate();
        Some(back * end)
    }

    /// Finds the subjects of all waits in a step.
    fn watch(&self, step: &PlanStep, subjects: &mut BTreeMap<String, PlanSubject>) -> Result<(), String> {
        let mut add = |name: &String| -> Result<(), String> {
            if !name.is_empty() {
                subjects.insert(name.clone(), self.subject(&PartPath(name.clone()), None)?);
            }
            Ok(())
        };
        match step {
            PlanStep::Wait(Wait::Contact { of, with }) => add(of).and_then(|()| add(with)),
            PlanStep::Wait(Wait::Near { of, to, .. }) => add(of).and_then(|()| add(to)),
            _ => step.inside().iter().try_for_each(|inside| self.watch(inside, subjects)),
        }
    }
}

/// Whether a step, or a step inside it, begins an action.
fn begins(step: &PlanStep, action: &str) -> bool {
    match step {
        PlanStep::Act(name) | PlanStep::Begin(name) => name == action,
        _ => step.inside().iter().any(|inside| begins(inside, action)),
    }
}

fn strength(action: &Action) -> Result<Strength, (&'static str, String)> {
    let mask = |axes: &[AxisWord]| [AxisWord::X, AxisWord::Y, AxisWord::Z].map(|axis| axes.contains(&axis));
    Ok(Strength {
        response: action.response()?,
        most_force: action.max_force.unwrap_or(f64::INFINITY),
        most_torque: action.max_torque.unwrap_or(f64::INFINITY),
        axes: mask(&action.axes),
        turn_axes: mask(&action.turn_axes),
        inertia: action.inertia,
        carries: action.gravity_compensation,
        calm: action.mechanism_damping,
        is_braced: action.braced,
    })
}
