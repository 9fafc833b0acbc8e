//! Joints between things of particles: ball joints between points, and limits of the free angles.
//!
//! ```text
//! ball     one ball joint                       limits of swing of the axis, and of twist about it
//! hinge    two, to either side along the axis   limit of the angle about it
//! fixed    three, not on one line
//! ```

use core::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};

use super::{Builder, fault};
use crate::math::rotation::exp;
use crate::particles::objects::particle;
use crate::particles::{Anchor, BallJoint, Direction, Drive, Hinge, Point, SwingTwist};
use crate::rigid::composite::{Piece, compliance};
use crate::simulation::scene::slot::Choice;
use crate::simulation::scene::{Joint, JointKind, SceneError};

/// Distance from the joint to the points that hold its axis, meters.
const REACH: f64 = 0.1;

impl Builder<'_> {
    pub(super) fn joints(&mut self) -> Result<(), SceneError> {
        let scene = self.scene;
        for (index, joint) in scene.joints.iter().enumerate() {
            self.joint(joint).map_err(|(key, message)| fault::<Joint>(index, key, message))?;
        }
        Ok(())
    }

    fn joint(&mut self, joint: &Joint) -> Result<(), (&'static str, String)> {
        let frame = joint.frame();
        let side = |direction: DVec3| frame * direction * REACH;
        let offsets = match joint.kind {
            JointKind::Ball => vec![DVec3::ZERO],
            JointKind::Hinge => vec![side(DVec3::X), side(DVec3::NEG_X)],
            JointKind::Fixed => vec![side(DVec3::X), side(DVec3::Y), side(DVec3::Z)],
            kind => {
                let word = Choice::word(&kind);
                let message = format!(
                    "is {word}, which particles do not have; set [solver] method = \"multipliers\" or \"displacement\", or use a ball, hinge or fixed joint"
                );
                return Err(("kind", message));
            }
        };
        for offset in offsets {
            let place = joint.at + offset;
            let a = self.point(&joint.of, place).map_err(|message| ("of", message))?;
            let b = match joint.to.is_none() {
                true => Anchor::Place(place),
                false => Anchor::Point(self.point(&joint.to, place).map_err(|message| ("to", message))?),
            };
            self.built.model.attachments.push(BallJoint { a, b, compliance: 0.0 });
        }
        match joint.kind {
            JointKind::Hinge if joint.is_limited() => {
                let [a, b] = self.axes(joint, frame)?;
                let (range, compliance) = (joint.angle_limits.map(|angle| angle - joint.middle()), joint.compliance);
                self.built.model.hinges.push(Hinge { a, b, range, compliance, friction: 0.0 });
            }
            JointKind::Ball if joint.is_limited() || joint.swing_limit < PI => {
                let [a, b] = self.axes(joint, frame)?;
                let (swing, twist, compliance) = ([joint.swing_limit; 2], joint.angle_limits, joint.compliance);
                self.built.model.swing_twists.push(SwingTwist { a, b, swing, twist, compliance, friction: 0.0 });
            }
            _ => {}
        }
        if joint.is_driven() {
            self.drive(joint, frame)?;
        }
        Ok(())
    }

    /// Adds springs, motors and friction of a joint. Gains use the inertia of the two bodies alone about it.
    fn drive(&mut self, joint: &Joint, frame: DQuat) -> Result<(), (&'static str, String)> {
        let [a, b] = self.axes(joint, frame)?;
        let piece = |particles: [usize; 4]| {
            let model = &self.built.model;
            let points = particles.map(|particle| Piece::of_point(model.masses[particle], model.positions[particle]));
            let is_free = points.iter().all(|point| point.mass.is_finite());
            is_free.then(|| {
                let mut whole = Piece::NONE;
                points.iter().for_each(|point| whole.add(point));
                whole
            })
        };
        let parent = DMat3::from_quat(frame * exp(DVec3::X * joint.middle()));
        let felt = compliance([a, b].map(|axes| piece(axes[0].particles)), joint.at)
            .map(|felt| parent.transpose() * felt.inverse() * parent);
        let in_joint = frame.conjugate();
        let target = in_joint * joint.target - DVec3::X * joint.middle();
        let is_direct = joint.kind == JointKind::Hinge && joint.is_limited();
        self.built.model.drives.push(Drive {
            target: exp(target),
            rate: in_joint * joint.motor_speed,
            inertia: felt.filter(|felt| felt.is_finite()).unwrap_or(DMat3::ZERO),
            frequency: joint.frequency,
            damping_ratio: joint.damping_ratio,
            drag: joint.motor_damping,
            most: joint.max_torque.unwrap_or(f64::INFINITY),
            angle: is_direct.then_some(target.x),
            ..Drive::idle(a, b)
        });
        if joint.friction > 0.0 {
            self.built.notes.push(format!("{}: there is no dry friction under particles", joint.name));
        }
        Ok(())
    }

    /// Axes of the joint in the parent (or world) and in the child; the parent's are turned to the middle of the limits.
    fn axes(&mut self, joint: &Joint, frame: DQuat) -> Result<[[Direction; 3]; 2], (&'static str, String)> {
        let turned = frame * exp(DVec3::X * joint.middle());
        let world = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| [turned * axis, frame * axis]);
        let mut a = [Direction { particles: [0; 4], weights: [0.0; 4] }; 3];
        let mut b = a;
        let still = joint.to.is_none().then(|| self.still_frame(joint.at));
        for (index, [above, axis]) in world.into_iter().enumerate() {
            b[index] = self.direction(&joint.of, axis).map_err(|message| ("of", message))?;
            a[index] = match &still {
                Some(origin) => origin.along(above),
                None => self.direction(&joint.to, above).map_err(|message| ("to", message))?,
            };
        }
        Ok([a, b])
    }

    /// Adds four fixed particles that hold the axes of the world.
    fn still_frame(&mut self, at: DVec3) -> Still {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        Still(corners.map(|corner| particle(&mut self.built.model, at + corner, DVec3::ZERO, f64::INFINITY)))
    }
}

struct Still([usize; 4]);

impl Still {
    fn along(&self, axis: DVec3) -> Direction {
        Direction { particles: self.0, weights: [-axis.element_sum(), axis.x, axis.y, axis.z] }
    }
}

/// A ball joint between a particle and a point of another thing.
pub(super) fn hang(particle: usize, on: Point) -> BallJoint {
    BallJoint { a: Point::at(particle), b: Anchor::Point(on), compliance: 0.0 }
}
