//! Joints of a scene between two rigid bodies, or between a body and the world.

use core::f64::consts::PI;

use glam::DVec3;

use super::build::RigidBuild;
use crate::math::rotation::exp;
use crate::rigid::model::{JointLimit, Motor, Range};
use crate::rigid::{self, Kind};
use crate::simulation::build::fault;
use crate::simulation::scene::{Joint, JointKind, JointLock, Scene, SceneError};

impl RigidBuild {
    pub(super) fn joints(&mut self, scene: &Scene) -> Result<(), SceneError> {
        for (index, joint) in scene.joints.iter().enumerate() {
            self.joint(joint).map_err(|(key, message)| fault::<Joint>(index, key, message))?;
        }
        Ok(())
    }

    fn joint(&mut self, joint: &Joint) -> Result<(), (&'static str, String)> {
        let child = self.held(&joint.of, joint.at).map_err(|message| ("of", message))?;
        let parent = match joint.to.is_none() {
            true => None,
            false => Some(self.held(&joint.to, joint.other_end()).map_err(|message| ("to", message))?),
        };
        if parent == Some(child) {
            return Err(("to", format!("is “{}”, which is one rigid body with what it holds", joint.to.0)));
        }
        let turn = joint.frame();
        let (is_limited, middle) = (joint.is_limited(), joint.middle());
        let (kind, bounds) = match joint.kind {
            JointKind::Fixed => (Kind::Fixed, None),
            JointKind::Hinge => {
                (Kind::Hinge, is_limited.then_some(JointLimit::Hinge(joint.angle_limits.map(|angle| angle - middle))))
            }
            JointKind::Ball => {
                let bounds =
                    JointLimit::SwingTwist { swing: [joint.swing_limit.min(PI); 2], twist: joint.angle_limits };
                (Kind::Ball, (is_limited || joint.swing_limit < PI).then_some(bounds))
            }
            JointKind::Universal => (Kind::Universal, None),
            JointKind::Slider => {
                let ends = [joint.min_travel.unwrap_or(-f64::INFINITY), joint.max_travel.unwrap_or(f64::INFINITY)];
                (Kind::Slider, ends.iter().any(|end| end.is_finite()).then_some(JointLimit::Slider(ends)))
            }
            JointKind::Distance => match joint.lengths() {
                [least, most] if least == most => (Kind::Distance { length: least }, None),
                ends => (Kind::Generic([false; 6]), Some(JointLimit::Distance(ends))),
            },
            JointKind::Generic => {
                let is_locked = |lock: JointLock| joint.locked.contains(&lock);
                (Kind::Generic(JointLock::ALL.map(is_locked)), None)
            }
            JointKind::Curve => (Kind::Curve(joint.wire()), None),
        };
        let parent = parent.map(|parent| self.side(parent));
        let is_direct = is_limited && kind == Kind::Hinge;
        let mut made = rigid::Joint::between(parent, self.side(child), (joint.at, turn), kind);
        let end = joint.other_end();
        made.frames[0].position = parent.map_or(end, |(_, place, turn)| turn.conjugate() * (end - place));
        made.frames[0].rotation *= exp(DVec3::X * middle);
        if let Some(bounds) = bounds {
            self.model.ranges.push(Range { joint: self.model.joints.len(), bounds });
            if joint.compliance > 0.0 {
                self.notes.push(format!(
                    "{}: compliance has no effect; ends of ranges are rigid but under particles",
                    joint.name
                ));
            }
        }
        if joint.is_driven() {
            let in_joint = turn.conjugate();
            let target = match joint.kind {
                JointKind::Slider => DVec3::X * joint.target_travel,
                _ => in_joint * joint.target - DVec3::X * middle,
            };
            self.model.motors.push(Motor {
                joint: self.model.joints.len(),
                target,
                rate: in_joint * joint.motor_speed,
                frequency: joint.frequency,
                stiffness: 0.0,
                inertia: None,
                damping_ratio: joint.damping_ratio,
                most: joint.max_torque.unwrap_or(f64::INFINITY),
                friction: joint.friction,
                drag: joint.motor_damping,
                is_direct,
            });
        }
        self.model.joints.push(made);
        Ok(())
    }
}
