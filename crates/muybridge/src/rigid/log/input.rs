//! What can be done to a world between two steps.
//!
//! Everything is checked before anything is changed: what is refused leaves the world as it was. What sleeps and feels the change
//! wakes, so that it has effect in the next step.

use glam::{DQuat, DVec3};
use thiserror::Error;

use crate::rigid::check::{self, ModelError};
use crate::rigid::joint::Frame;
use crate::rigid::model::{Motor, Object, Range, Start};
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::settings::{Method, Settings};
use crate::rigid::{Body, World};

/// One thing that is done to a world. Units are those of what it names.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Other settings: gravity, time step, method and its constants, and the rest. Wakes all.
    Settings(Settings),
    /// [`World::push`].
    Push {
        /// Index of the body.
        body: usize,
        /// Newtons, for the next step.
        force: DVec3,
        /// Metres, world.
        at: DVec3,
    },
    /// [`World::push_and_turn`].
    PushAndTurn {
        /// Index of the body.
        body: usize,
        /// Newtons, for the next step.
        force: DVec3,
        /// Newton metres, for the next step.
        moment: DVec3,
    },
    /// [`World::hit`].
    Hit {
        /// Index of the body.
        body: usize,
        /// Newton seconds.
        impulse: DVec3,
        /// Metres, world.
        at: DVec3,
    },
    /// [`World::wake`].
    Wake {
        /// Index of the body.
        body: usize,
    },
    /// A body is put somewhere and moves from there. Wakes it.
    Place {
        /// Index of the body.
        body: usize,
        /// Where, and how it moves.
        start: Start,
    },
    /// Another mass and other moments. The momenta stay. Wakes it.
    Body {
        /// Index of the body.
        body: usize,
        /// What it is from now on.
        is: Body,
    },
    /// A joint holds elsewhere. Wakes its bodies.
    Anchor {
        /// Index of the joint.
        joint: usize,
        /// 0: of the parent (or the world), 1: of the child.
        side: usize,
        /// Its frame there.
        frame: Frame,
    },
    /// Another range. Wakes its bodies.
    Range {
        /// Index of the range.
        range: usize,
        /// What it is from now on.
        is: Range,
    },
    /// Another motor, such as one with another target. Wakes its bodies.
    Motor {
        /// Index of the motor.
        motor: usize,
        /// What it is from now on.
        is: Motor,
    },
    /// Another friction, restitution, drag. Wakes all.
    Object {
        /// Index of the object.
        object: usize,
        /// What it is from now on.
        is: Object,
    },
    /// An obstacle is dragged: it gets the velocity and the spin with which it stands there in time. Wakes all.
    Drag {
        /// Index of the obstacle.
        obstacle: usize,
        /// Where its frame is to stand, metres.
        position: DVec3,
        /// How it is to be turned.
        rotation: DQuat,
        /// In how many seconds, above 0.
        seconds: f64,
    },
    /// An obstacle as it is to be, all but its shape. Wakes all.
    Obstacle {
        /// Index of the obstacle.
        obstacle: usize,
        /// Metres.
        position: DVec3,
        /// Orientation.
        rotation: DQuat,
        /// Metres per second.
        velocity: DVec3,
        /// Radians per second, world axes.
        spin: DVec3,
        /// Coulomb friction.
        friction: f64,
        /// Share of the normal speed that comes back.
        restitution: f64,
    },
}

/// Why something cannot be done to a world.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InputError {
    /// An index that is out of range.
    #[error("there is no {what} {index}; there are {count}")]
    NoSuch {
        /// What was spoken of.
        what: &'static str,
        /// By this index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A number that cannot be used.
    #[error("{name} cannot be {value}")]
    Value {
        /// What it is.
        name: &'static str,
        /// As given.
        value: f64,
    },
    /// What no model may have.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Input {
    /// Does it to a world, or says why it cannot be done and changes nothing.
    pub fn apply(&self, world: &mut World) -> Result<(), InputError> {
        self.check(world)?;
        match *self {
            Self::Settings(settings) => world.settings = settings,
            Self::Push { body, force, at } => world.push(body, force, at),
            Self::PushAndTurn { body, force, moment } => world.push_and_turn(body, force, moment),
            Self::Hit { body, impulse, at } => world.hit(body, impulse, at),
            Self::Wake { .. } => {}
            Self::Place { body, start } => {
                let turn = start.rotation.normalize();
                world.state.poses[body] = Pose::new(start.position, turn);
                let of = &world.model.bodies[body];
                world.state.momenta[body] = Momentum::of(of, turn, start.velocity, start.angular_velocity);
            }
            Self::Body { body, is } => world.model.bodies[body] = is,
            Self::Anchor { joint, side, frame } => world.model.joints[joint].frames[side] = frame,
            Self::Range { range, is } => world.model.ranges[range] = is,
            Self::Motor { motor, is } => world.model.motors[motor] = is,
            Self::Object { object, is } => world.model.objects[object] = is,
            Self::Drag { obstacle, position, rotation, seconds } => {
                world.model.obstacles[obstacle].move_to(position, rotation.normalize(), seconds);
            }
            Self::Obstacle { obstacle, position, rotation, velocity, spin, friction, restitution } => {
                let of = &mut world.model.obstacles[obstacle];
                (of.position, of.rotation, of.velocity, of.spin) = (position, rotation.normalize(), velocity, spin);
                (of.friction, of.restitution) = (friction, restitution);
            }
        }
        self.wake(world);
        Ok(())
    }

    fn wake(&self, world: &mut World) {
        let child = |joint: usize, world: &World| world.model.joints[joint].child;
        match *self {
            // These wake by themselves.
            Self::Push { .. } | Self::PushAndTurn { .. } | Self::Hit { .. } => {}
            Self::Wake { body } | Self::Place { body, .. } | Self::Body { body, .. } => world.wake(body),
            Self::Anchor { joint, .. } => world.wake(child(joint, world)),
            Self::Range { is: Range { joint, .. }, .. } | Self::Motor { is: Motor { joint, .. }, .. } => {
                world.wake(child(joint, world));
            }
            Self::Settings(_) | Self::Object { .. } | Self::Drag { .. } | Self::Obstacle { .. } => {
                (0..world.model.bodies.len()).for_each(|body| world.wake(body));
            }
        }
    }

    fn check(&self, world: &World) -> Result<(), InputError> {
        let model = &world.model;
        let body = |index: usize| exists("body", index, model.bodies.len());
        match self {
            Self::Settings(settings) => check_settings(settings),
            Self::Wake { body: index } => body(*index),
            Self::Push { body: index, force: a, at: b }
            | Self::PushAndTurn { body: index, force: a, moment: b }
            | Self::Hit { body: index, impulse: a, at: b } => {
                body(*index)?;
                finite("a push or its place", &[*a, *b])
            }
            Self::Place { body: index, start } => {
                body(*index)?;
                finite("a place or a velocity", &[start.position, start.velocity, start.angular_velocity])?;
                turn(start.rotation)
            }
            Self::Body { body: index, is } => {
                body(*index)?;
                let sound = Body::new(is.mass, is.moments);
                sound.map_err(|source| ModelError::Body { body: *index, source })?;
                Ok(())
            }
            Self::Anchor { joint, side, frame } => {
                exists("joint", *joint, model.joints.len())?;
                exists("side", *side, 2)?;
                let mut changed = model.joints[*joint].clone();
                changed.frames[*side] = *frame;
                Ok(check::joint(*joint, &changed, model.bodies.len())?)
            }
            Self::Range { range, is } => {
                exists("range", *range, model.ranges.len())?;
                Ok(check::range(*range, is, model.joints.len())?)
            }
            Self::Motor { motor, is } => {
                exists("motor", *motor, model.motors.len())?;
                Ok(check::motor(*motor, is, model.joints.len())?)
            }
            Self::Object { object, is } => {
                exists("object", *object, model.objects.len())?;
                not_negative("friction", is.friction)?;
                not_negative("restitution", is.restitution)?;
                not_negative("drag", is.drag)
            }
            Self::Drag { obstacle, position, rotation, seconds } => {
                exists("obstacle", *obstacle, model.obstacles.len())?;
                finite("the place of an obstacle", &[*position])?;
                turn(*rotation)?;
                positive("the time of a drag", *seconds)
            }
            Self::Obstacle { obstacle, position, rotation, velocity, spin, friction, restitution } => {
                exists("obstacle", *obstacle, model.obstacles.len())?;
                finite("the place or motion of an obstacle", &[*position, *velocity, *spin])?;
                turn(*rotation)?;
                not_negative("friction", *friction)?;
                not_negative("restitution", *restitution)
            }
        }
    }
}

fn check_settings(settings: &Settings) -> Result<(), InputError> {
    positive("time_step", settings.time_step)?;
    positive("most_turn", settings.most_turn)?;
    finite("gravity", &[settings.gravity])?;
    let method = match settings.method {
        Method::Multipliers => [("", 0.0); 2],
        Method::Displacement(how) => [("gap", how.gap), ("angle", how.angle)],
        Method::Hennix(feedback) => [("stiffness", feedback.stiffness), ("damping", feedback.damping)],
    };
    let others = [
        ("passes' tolerance", settings.passes.tolerance),
        ("tolerance", settings.tolerance),
        ("slop", settings.slop),
        ("recovery", settings.recovery),
        ("fastest_recovery", settings.fastest_recovery),
        ("bounce", settings.bounce),
        ("rest_speed", settings.rest_speed),
    ];
    method.into_iter().chain(others).try_for_each(|(name, value)| not_negative(name, value))
}

fn exists(what: &'static str, index: usize, count: usize) -> Result<(), InputError> {
    if index < count { Ok(()) } else { Err(InputError::NoSuch { what, index, count }) }
}

fn finite(name: &'static str, vectors: &[DVec3]) -> Result<(), InputError> {
    let wrong = vectors.iter().flat_map(|vector| vector.to_array()).find(|value| !value.is_finite());
    wrong.map_or(Ok(()), |value| Err(InputError::Value { name, value }))
}

fn turn(rotation: DQuat) -> Result<(), InputError> {
    let value = rotation.length();
    if value.is_finite() && value > 1e-6 {
        return Ok(());
    }
    Err(InputError::Value { name: "the length of a rotation", value })
}

fn positive(name: &'static str, value: f64) -> Result<(), InputError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(InputError::Value { name, value }) }
}

fn not_negative(name: &'static str, value: f64) -> Result<(), InputError> {
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(InputError::Value { name, value }) }
}
