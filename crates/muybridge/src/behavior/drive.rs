//! Joint drives of a rigid ragdoll: pose targets become motor springs and torque limits, and forces of the root assist.
//!
//! ```text
//! target of the motor      log(a⁻¹ turn b),   a, b the joint's frames in the bones of parent and child
//! an aim's rotation is that at the end of the step, a motor's target that at its beginning: rate · h before it
//! ```
//! Specification: mathematics 4.7, 8.1 (R18, R20).

use glam::{DQuat, DVec3};

use super::figure::RagdollModel;
use super::pose_target::{JointTarget, PoseTarget};
use super::root_assist::{self, AssistedMass};
use super::sensed::Sensed;
use crate::collision::tensor;
use crate::math::rotation::{exp, log};
use crate::ragdoll::RigidRagdoll;
use crate::rigid::model::{Model, Motor};
use crate::rigid::{Kind, World};

/// Motors of the joints of a ragdoll.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidDrives {
    drives: Vec<Drive>,
    first: usize,
}

/// Motor of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drive {
    /// Index into the model's motors.
    motor: usize,
    /// Parent and child, indices of the world's bodies.
    bodies: [usize; 2],
    /// Orientation of the joint's frame in the bones of the parent's and of the child's body.
    frames: [DQuat; 2],
    is_hinge: bool,
    /// Damping of the limp joint, per second.
    drag: f64,
}

/// Wrench of the root assist in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Led {
    /// Force, newtons.
    pub force: DVec3,
    /// Moment about the center of mass, newton meters.
    pub moment: DVec3,
}

impl RigidDrives {
    /// Gives every joint of `ragdoll` a motor in `model`, which contains the ragdoll from body [`RigidRagdoll::first`] and joint `first_joint` on.
    /// An existing motor of a joint (such as its damping) is reused.
    pub fn add(figure: &RagdollModel, ragdoll: &RigidRagdoll, model: &mut Model, first_joint: usize) -> Self {
        let mut drives = Vec::with_capacity(figure.links.len());
        for (index, link) in figure.links.iter().enumerate() {
            let Some(joint) = model.joints.get(first_joint + index) else { break };
            let axes = |side: usize| ragdoll.bodies[link.bodies[side]].frame.axes * joint.frames[side].rotation;
            let frames = [axes(0), axes(1)].map(DQuat::normalize);
            let is_hinge = matches!(joint.kind, Kind::Hinge);
            let known = model.motors.iter().position(|motor| motor.joint == first_joint + index);
            let motor = known.unwrap_or(model.motors.len());
            if known.is_none() {
                model.motors.push(Motor::idle(first_joint + index));
            }
            drives.push(Drive {
                motor,
                bodies: link.bodies.map(|body| ragdoll.first + body),
                frames,
                is_hinge,
                drag: model.motors[motor].drag,
            });
        }
        Self { drives, first: ragdoll.first }
    }

    /// Sets the joint motors and applies the root assist for the next step. Returns the wrench of the root assist.
    pub fn apply_pose_target(&self, wanted: &PoseTarget, sensed: &Sensed, world: &mut World) -> Led {
        let step = world.settings.time_step;
        for (drive, aim) in self.drives.iter().zip(&wanted.aims) {
            if let Some(motor) = world.model.motors.get_mut(drive.motor) {
                drive.set(motor, aim, step);
            }
            if let Some(moment) = aim.moment_given() {
                world.add_wrench(drive.bodies[1], DVec3::ZERO, moment);
                world.add_wrench(drive.bodies[0], DVec3::ZERO, -moment);
            } else if aim.strength > 0.0 {
                world.wake_tree(drive.bodies[1]);
            }
        }
        let Some(hand) = &wanted.lead else { return Led::default() };
        let bodies = &world.model.bodies[self.first..];
        let links = self.drives.iter().map(|drive| drive.bodies.map(|body| body - self.first));
        let held = root_assist::assisted_bodies(sensed.motions.len(), links, &wanted.aims);
        let masses = || bodies.iter().map(|body| body.mass);
        let all = || masses().zip(sensed.motions.iter().map(|motion| motion.center));
        let grip = held.as_ref().map_or_else(|| AssistedMass::all_bodies(sensed), |held| AssistedMass::of(held, all()));
        let inertia = root_assist::inertia(sensed, (&grip, held.as_deref()), masses(), |index| {
            let body = self.first + index;
            tensor::from_principal(world.model.bodies[body].moments, world.state.poses[body].turn())
        });
        let field = root_assist::field(hand, sensed, &grip);
        for (index, motion) in sensed.motions.iter().enumerate() {
            if held.as_ref().is_some_and(|held| !held[index]) {
                continue;
            }
            let body = self.first + index;
            let turn = world.state.poses[body].turn();
            let own = world.model.bodies[body];
            let moment = turn * (own.moments * (turn.conjugate() * field.angular));
            world.add_wrench(body, field.at(motion.center) * own.mass, moment);
        }
        let force = field.linear * grip.mass;
        Led { force, moment: inertia * field.angular + (grip.center - sensed.mass_center).cross(force) }
    }

    /// Releases every joint.
    pub(crate) fn release(&self, world: &mut World) {
        for drive in &self.drives {
            if let Some(motor) = world.model.motors.get_mut(drive.motor) {
                drive.set_limp(motor);
            }
        }
    }
}

impl Drive {
    /// Makes the joint limp: leaves only its damping and friction. A target rate must be removed, because the damper would keep it up.
    fn set_limp(&self, motor: &mut Motor) {
        *motor = Motor { drag: self.drag, friction: motor.friction, ..Motor::idle(motor.joint) };
    }

    fn set(&self, motor: &mut Motor, aim: &JointTarget, step: f64) {
        let (strength, share) = aim.shares();
        let frequency = aim.frequency * share;
        if frequency.is_nan() || frequency <= 0.0 {
            return self.set_limp(motor);
        }
        motor.frequency = frequency;
        motor.damping_ratio = aim.damping_ratio * share;
        motor.most = aim.most * strength;
        motor.drag = self.drag * (1.0 - strength);
        let turn = (self.frames[0].conjugate() * aim.turn * self.frames[1]).normalize();
        let rate = self.frames[0].conjugate() * aim.rate;
        (motor.rate, motor.target) = if self.is_hinge {
            (DVec3::X * rate.x, DVec3::X * (2.0 * libm::atan2(turn.x, turn.w) - rate.x * step))
        } else {
            (rate, log(exp(rate * -step) * turn))
        };
    }
}
