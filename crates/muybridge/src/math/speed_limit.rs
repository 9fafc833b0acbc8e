//! How fast anything can be: a bound on what a step may do, far above all that is simulated.

/// The speed of light, metres per second. A world in which something is faster is broken, and so is one in which something is nowhere.
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;
