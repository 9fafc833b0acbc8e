//! Points that fall, and what holds them together: distances, tetrahedra, joints, limits, contact.
//!
//! A [`Model`] says what is simulated and never changes while it runs; a [`State`] is all that is needed to go on; a
//! `World` holds both and what can be thrown away. Particles know ids and arrays, never bones or names.
//!
//! A rigid body is four particles that have its mass, center and inertia exactly (mathematics 2.4). Every other point and
//! axis of it is a sum of the four with constant weights ([`Point`], [`Direction`]), so joints and contacts are linear in
//! the particles and need no orientation.

pub mod attachment;
pub mod axes;
pub mod herd;
pub mod hinge;
pub mod model;
pub mod point;
pub mod settings;
pub mod state;
pub mod swing_twist;
pub mod tetrahedron;

pub use herd::{Herd, HerdError, HerdSettings, HerdState, Obstacle, Placement, Slot};
pub use model::{
    Anchor, Angle, Attachment, Bend, Core, Distance, Hinge, Model, Object, Orientation, Plane, Surface, SwingTwist,
    Tetrahedron, Volume,
};
pub use point::{Direction, Point};
pub use settings::{Mode, Settings, SquareRoot};
pub use state::State;
