//! Ready objects: rope, flail, cloth, plant, rigid bodies, pushed into a [`super::Model`].

pub mod error;
pub(crate) mod geodesic;
pub(crate) mod mesh;

pub use error::ObjectError;
