//! Shapes and what follows from them: mass properties now, contact between shapes later.

pub mod mass_properties;
pub mod polyhedron;
pub mod shape;
pub mod tensor;

pub use mass_properties::MassProperties;
