//! Shapes and what follows from them: mass properties now, contact between shapes later.

pub mod shape;
