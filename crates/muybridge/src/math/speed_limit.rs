//! Upper bound on speeds, far above any simulated speed.

/// Speed of light, meters per second. A world with a faster body, or a position that is NaN, is broken.
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;
