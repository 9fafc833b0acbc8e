//! Rotations and the numerical tools the rest is written in. Knows nothing of characters.

pub mod filter;
pub mod hull;
#[cfg(test)]
pub(crate) mod random;
pub mod rotation;
