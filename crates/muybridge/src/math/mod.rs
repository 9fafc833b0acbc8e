//! Rotations and the numerical tools the rest is written in. Knows nothing of characters.

pub mod rotation;
