//! Validation of a model before simulation: indices are in range, numbers are usable.

use thiserror::Error;

use super::joint::{Curve, Joint};
use super::model::{JointLimit, Model, Motor, Range, Start};
use super::{Body, BodyError, Kind};
use crate::collision::ObstacleShape;

/// Reasons why a model cannot be simulated.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ModelError {
    /// A body has invalid mass properties.
    #[error("body {body}: {source}")]
    Body {
        /// Index of the body.
        body: usize,
        /// Reason why the mass properties are invalid.
        source: BodyError,
    },
    /// The number of start states differs from the number of bodies.
    #[error("{starts} start states are given for {bodies} bodies; give one for each body")]
    Starts {
        /// Number of start states given.
        starts: usize,
        /// Bodies of the model.
        bodies: usize,
    },
    /// A start state has a component that is not finite.
    #[error("the start state of body {body} has a number that is not finite")]
    StartNotFinite {
        /// Index of the body.
        body: usize,
    },
    /// An index that is out of range.
    #[error("{what} {index} names {of} {wanted}, but the model has {count}, counted from 0")]
    NoSuch {
        /// Kind of the item that holds the index, such as "joint".
        what: &'static str,
        /// Index of that item.
        index: usize,
        /// Kind of the item referred to, such as "body".
        of: &'static str,
        /// Index that is out of range.
        wanted: usize,
        /// Number of items referred to that exist.
        count: usize,
    },
    /// A joint connects a body to itself.
    #[error("joint {joint} joins body {body} to itself; name two different bodies")]
    ToItself {
        /// Index of the joint.
        joint: usize,
        /// Index of the body.
        body: usize,
    },
    /// A collider has a shape without an inside.
    #[error(
        "collider {solid} is a half-space, room, mesh or height field, which only obstacles can be; a body takes a sphere, capsule, cylinder, box or hull"
    )]
    NotSolid {
        /// Index of the collider.
        solid: usize,
    },
    /// A parameter has a value that is not allowed.
    #[error("{what} {index}: {name} is {value}, which is out of range")]
    Value {
        /// Kind of the item with the parameter, such as "motor".
        what: &'static str,
        /// Index of that item.
        index: usize,
        /// Name of the parameter.
        name: &'static str,
        /// Value as given.
        value: f64,
    },
}

/// Validates a model and its start states; a step relies on all of these checks.
pub fn model(model: &Model, starts: &[Start]) -> Result<(), ModelError> {
    let bodies = model.bodies.len();
    if starts.len() != bodies {
        return Err(ModelError::Starts { starts: starts.len(), bodies });
    }
    for (body, of) in model.bodies.iter().enumerate() {
        Body::new(of.mass, of.moments).map_err(|source| ModelError::Body { body, source })?;
    }
    let is_finite = |start: &Start| {
        let vectors = [start.position, start.velocity, start.angular_velocity];
        vectors.iter().all(|v| v.is_finite()) && start.rotation.is_finite() && start.rotation.length_squared() > 1e-12
    };
    if let Some(body) = starts.iter().position(|start| !is_finite(start)) {
        return Err(ModelError::StartNotFinite { body });
    }
    for (index, joint) in model.joints.iter().enumerate() {
        self::joint(index, joint, bodies)?;
    }
    for (index, range) in model.ranges.iter().enumerate() {
        self::range(index, range, model.joints.len())?;
    }
    for (index, motor) in model.motors.iter().enumerate() {
        self::motor(index, motor, model.joints.len())?;
    }
    for (index, solid) in model.solids.iter().enumerate() {
        exists("solid", index, ("body", solid.body, bodies))?;
        exists("solid", index, ("object", solid.object, model.objects.len()))?;
        let is_placed = solid.position.is_finite() && solid.rotation.is_finite();
        number("solid", index, ("position", solid.position.length()), is_placed)?;
        let is_solid = !matches!(
            solid.shape,
            ObstacleShape::HalfSpace
                | ObstacleShape::Room { .. }
                | ObstacleShape::Mesh(_)
                | ObstacleShape::HeightField(_)
        );
        if !is_solid {
            return Err(ModelError::NotSolid { solid: index });
        }
    }
    Ok(())
}

/// Validates a joint of a model with `bodies` bodies.
fn joint(index: usize, joint: &Joint, bodies: usize) -> Result<(), ModelError> {
    exists("joint", index, ("body", joint.child, bodies))?;
    if let Some(parent) = joint.parent {
        exists("joint", index, ("body", parent, bodies))?;
    }
    if joint.parent == Some(joint.child) {
        return Err(ModelError::ToItself { joint: index, body: joint.child });
    }
    for frame in &joint.frames {
        number("joint", index, ("anchor", frame.position.length()), frame.position.is_finite())?;
        let is_turn = frame.rotation.is_finite() && (frame.rotation.length_squared() - 1.0).abs() < 1e-6;
        number("joint", index, ("length of the frame's rotation", frame.rotation.length()), is_turn)?;
    }
    let is_soft = joint.compliance.is_finite() && joint.compliance >= 0.0;
    number("joint", index, ("compliance", joint.compliance), is_soft)?;
    match &joint.kind {
        Kind::Distance { length } => number("joint", index, ("length", *length), length.is_finite() && *length > 0.0),
        Kind::Curve(Curve::Circle { radius }) => {
            number("joint", index, ("radius", *radius), radius.is_finite() && *radius > 0.0)
        }
        Kind::Curve(Curve::Spline { points, .. }) => {
            let count = points.len();
            number("joint", index, ("number of points", count as f64), count >= 2)?;
            let is_finite = points.iter().all(|point| point.is_finite());
            number("joint", index, ("a point of the curve", f64::NAN), is_finite)
        }
        _ => Ok(()),
    }
}

/// Validates a motor of a model with `joints` joints.
fn motor(index: usize, motor: &Motor, joints: usize) -> Result<(), ModelError> {
    exists("motor", index, ("joint", motor.joint, joints))?;
    let numbers = [
        ("frequency", motor.frequency),
        ("stiffness", motor.stiffness),
        ("damping_ratio", motor.damping_ratio),
        ("friction", motor.friction),
        ("drag", motor.drag),
    ];
    for (name, value) in numbers {
        number("motor", index, (name, value), value.is_finite() && value >= 0.0)?;
    }
    number("motor", index, ("most", motor.most), motor.most >= 0.0)?;
    number("motor", index, ("target", motor.target.length()), motor.target.is_finite())?;
    number("motor", index, ("rate", motor.rate.length()), motor.rate.is_finite())
}

/// Validates a joint limit of a model with `joints` joints.
fn range(index: usize, range: &Range, joints: usize) -> Result<(), ModelError> {
    exists("range", index, ("joint", range.joint, joints))?;
    let ordered = |[least, most]: [f64; 2]| number("range", index, ("least", least), least <= most);
    match range.bounds {
        JointLimit::Hinge(ends) | JointLimit::Slider(ends) | JointLimit::Distance(ends) => ordered(ends),
        JointLimit::SwingTwist { swing, twist } => {
            for value in swing {
                number("range", index, ("swing", value), value >= 0.0)?;
            }
            ordered(twist)
        }
    }
}

fn exists(
    what: &'static str,
    index: usize,
    (of, wanted, count): (&'static str, usize, usize),
) -> Result<(), ModelError> {
    if wanted < count { Ok(()) } else { Err(ModelError::NoSuch { what, index, of, wanted, count }) }
}

fn number(
    what: &'static str,
    index: usize,
    (name, value): (&'static str, f64),
    is_right: bool,
) -> Result<(), ModelError> {
    if is_right { Ok(()) } else { Err(ModelError::Value { what, index, name, value }) }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::rigid::joint::Frame;

    #[test]
    fn x14_models_that_cannot_be_are_refused_in_words() {
        let body = Body { mass: 1.0, moments: DVec3::ONE };
        let start = Start::at(DVec3::ZERO, DQuat::IDENTITY);
        let frames = [Frame::at(DVec3::ZERO); 2];
        let joint = Joint { parent: Some(0), child: 1, frames, kind: Kind::Ball, compliance: 0.0 };
        let base = Model { bodies: vec![body; 2], joints: vec![joint.clone()], ..Model::default() };
        assert!(model(&base, &[start; 2]).is_ok());
        let with = |change: &dyn Fn(&mut Model)| {
            let mut changed = base.clone();
            change(&mut changed);
            model(&changed, &[start; 2]).unwrap_err().to_string()
        };
        let cases = [
            (with(&|m| m.bodies[1].mass = 0.0), "body 1: the mass is 0 kg"),
            (with(&|m| m.bodies[1].moments.y = f64::NAN), "body 1: the principal moments"),
            (with(&|m| m.joints[0].child = 7), "joint 0 names body 7, but the model has 2, counted from 0"),
            (with(&|m| m.joints[0].parent = Some(1)), "joint 0 joins body 1 to itself"),
            (
                with(&|m| m.joints[0].kind = Kind::Distance { length: 0.0 }),
                "joint 0: length is 0, which is out of range",
            ),
            (
                with(&|m| m.joints[0].frames[0].position.x = f64::INFINITY),
                "joint 0: anchor is inf, which is out of range",
            ),
            (
                with(&|m| m.ranges.push(Range { joint: 3, bounds: JointLimit::Hinge([0.0, 1.0]) })),
                "range 0 names joint 3",
            ),
            (
                with(&|m| m.ranges.push(Range { joint: 0, bounds: JointLimit::Hinge([1.0, 0.0]) })),
                "range 0: least is 1, which is out of range",
            ),
        ];
        for (message, expected) in cases {
            assert!(message.contains(expected), "{message}");
        }
        let nowhere = Start::at(DVec3::NAN, DQuat::IDENTITY);
        assert_eq!(model(&base, &[start, nowhere]), Err(ModelError::StartNotFinite { body: 1 }));
    }
}
