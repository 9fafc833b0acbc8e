//! Particle solver (position-based dynamics): distances, tetrahedra, joints, limits, contacts.
//!
//! A [`Model`] describes the simulated things and stays constant during a run. A [`State`] is all that a run continues
//! from. A `World` holds both and its scratch. Particles are indices into arrays; this module knows no bones or names.
//!
//! A rigid body is four particles that have its mass, center and inertia exactly (mathematics 2.4). Every other point and
//! axis of it is a sum of the four with constant weights ([`Point`], [`Direction`]), so joints and contacts are linear in
//! the particles and need no orientation.

pub mod act;
pub mod angle;
pub mod angular_friction;
pub mod attachment;
pub mod axes;
pub mod bend;
pub(crate) mod blows;
pub mod body;
pub mod bone_frame;
mod chains;
pub mod cloth_lanes;
pub mod coloring;
pub mod conjugate_gradients;
pub mod contact;
pub mod distance;
pub mod drive;
pub mod frame;
pub mod herd;
pub mod hinge;
mod lighter_side;
pub mod measures;
pub mod model;
pub mod model_error;
pub mod objects;
pub mod orientation;
pub mod plane;
pub mod point;
pub mod projection;
pub(crate) mod proxies;
mod relaxation;
pub mod settings;
pub mod sleep;
pub(crate) mod spin;
pub mod state;
mod step;
pub mod swing_twist;
pub mod tetrahedron;
pub mod verlet;
pub mod volume;
pub mod world;

pub use body::{BodyError, Placement, RigidBody};
pub use cloth_lanes::{ClothCollider, ClothLanes, ClothSettings, ClothState};
pub use contact::Contacts;
pub use herd::{Herd, HerdError, HerdSettings, HerdState, InstanceId};
pub use measures::Report;
pub use model::{
    Anchor, Angle, BallJoint, Bend, Core, Distance, Drive, Hinge, Model, Object, Orientation, Plane, Solid, Surface,
    SwingTwist, Tetrahedron, Volume,
};
pub use model_error::ModelError;
pub use point::{Direction, Point};
pub use settings::{GravityIs, Mode, Settings, Solve, SquareRoot};
pub use state::{Blow, Drag, State, Taut};
pub use world::World;
