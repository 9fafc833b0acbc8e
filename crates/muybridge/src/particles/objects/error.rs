//! Why an object cannot be made, as a sentence.

/// What was wrong with the description of a rope, a cloth, a plant or a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ObjectError {
    /// A number that is not one.
    #[error("{what} {index} is not a finite number; give metres")]
    NotFinite {
        /// What it belongs to.
        what: &'static str,
        /// Which of them.
        index: usize,
    },
    /// A quantity outside its range.
    #[error("{what} is {value}; it must be {wanted}")]
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// What it was.
        value: f64,
        /// What is possible.
        wanted: &'static str,
    },
    /// An index beyond the points.
    #[error("{what} {index} names point {point}, but there are {points} points, counted from 0")]
    NoSuchPoint {
        /// What names it.
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The point it names.
        point: usize,
        /// How many there are.
        points: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh has no triangles; a cloth needs at least one")]
    NoTriangles,
    /// A triangle with two corners at one place.
    #[error("triangle {triangle} has two corners at the same place; weld or remove it")]
    Collapsed {
        /// Which.
        triangle: usize,
    },
    /// A point that no triangle uses.
    #[error("point {point} belongs to no triangle, so it has no mass; remove it or pin it")]
    Loose {
        /// Which.
        point: usize,
    },
    /// A shape without volume.
    #[error("{what} has no volume; its corners lie in one plane")]
    Flat {
        /// The shape.
        what: &'static str,
    },
    /// A saved state of something else.
    #[error(
        "the saved state has {found} particles, this cloth has {expected}; restore it into the cloth it was saved from"
    )]
    OtherState {
        /// Particles of the state.
        found: usize,
        /// Particles of the cloth.
        expected: usize,
    },
}

/// `value`, or a sentence that it must be greater than 0.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, ObjectError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ObjectError::OutOfRange { what, value, wanted: "greater than 0" })
    }
}

/// `value`, or a sentence that it must not be negative.
pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<f64, ObjectError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ObjectError::OutOfRange { what, value, wanted: "0 or greater" })
    }
}
