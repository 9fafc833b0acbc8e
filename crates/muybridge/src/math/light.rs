//! How much a light part of a whole counts when it is judged whether the whole is at rest: as much as its energy would.
//!
//! ```text
//! c = min(1, m / ¼ m̄)        by which squares of speeds or ways are multiplied;   m̄ the mean mass of the parts
//! ```
//! A heavy body that lies on a limb of a hundredth of its mass is not moved by what trembles there. Specification: mathematics 3.15.

/// Share of the mean mass below which a part counts for less.
const LIGHT: f64 = 0.25;

/// What the square of a speed or way of a part counts. `mean` is the mean mass of all parts.
pub fn counts(mass: f64, mean: f64) -> f64 {
    (mass / (LIGHT * mean)).min(1.0)
}
