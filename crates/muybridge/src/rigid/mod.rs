//! Rigid bodies connected by joints: boxes, capsules and the limbs of characters with their inertia.
//!
//! ```text
//! Body (mass, principal moments)   Joint (two frames, a kind)      the scene: constant while stepping
//!        │                              │ rows J, error C
//!        ▼                              ▼
//! State (place, turn, momenta)     Forest: block LDLᵀ along the tree of joints, linear in the number of bodies
//!        └────────► a step ◄────────────┘
//! ```
//! Coordinates are maximal: every body has its own six, and joints are constraint equations. The state of a body is its
//! linear and angular momentum in the world, which a free body keeps to the bit. The code is generic over
//! [`Lanes`](crate::math::lanes::Lanes): one number, or one instance per lane.

pub mod acceleration;
pub mod body;
pub mod check;
pub mod composed;
pub mod composite;
pub mod crowd;
pub mod displacement;
pub mod drift;
pub mod drives;
mod envelope;
pub mod forest;
mod held;
pub mod implicit;
pub mod integrator;
pub mod joint;
mod joint_matrix;
mod kept;
pub mod model;
pub mod motion;
pub mod multipliers;
pub mod range;
pub mod rattle;
pub mod rest;
pub mod row;
pub mod settings;
mod solid;
pub mod solver;
mod sparse_cholesky;
#[cfg(test)]
mod specimens;
pub mod state;
pub mod swing;
mod touch;
pub mod tree;
pub mod world;

pub use body::{Body, BodyError};
pub use check::ModelError;
pub use forest::Forest;
pub use joint::{Guide, Joint, Kind};
pub use model::Model;
pub use motion::{Momentum, Pose};
pub use settings::{BroadPhase, Method, NarrowPhase, Settings};
pub use state::State;
pub use world::{Report, World};
