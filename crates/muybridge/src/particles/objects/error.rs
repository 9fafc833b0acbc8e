//! Errors in the description of an object.

/// Error in the description of a rope, a cloth, a plant or a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ObjectError {
    /// A coordinate is not a finite number.
    #[error("{what} {index} is not finite; give finite numbers in SI units")]
    NotFinite {
        /// Name of the quantity.
        what: &'static str,
        /// Index of the quantity.
        index: usize,
    },
    /// A quantity is out of its range.
    #[error("{what} is {value}; it must be {wanted}")]
    OutOfRange {
        /// Name of the quantity.
        what: &'static str,
        /// The given value.
        value: f64,
        /// Description of the allowed range.
        wanted: &'static str,
    },
    /// A point index is out of range.
    #[error("{what} {index} names point {point}, but there are {points} points, counted from 0")]
    NoSuchPoint {
        /// Kind of the thing that names the point.
        what: &'static str,
        /// Index of that thing.
        index: usize,
        /// Index of the named point.
        point: usize,
        /// Number of points.
        points: usize,
    },
    /// The mesh has no triangles.
    #[error("the mesh has no triangles; a cloth needs at least one")]
    NoTriangles,
    /// A triangle has two corners at one place.
    #[error("triangle {triangle} has two corners at the same place; weld or remove it")]
    Collapsed {
        /// Index of the triangle.
        triangle: usize,
    },
    /// A point belongs to no triangle.
    #[error("point {point} belongs to no triangle, so it has no mass; remove it or pin it")]
    Loose {
        /// Index of the point.
        point: usize,
    },
    /// A shape has no volume.
    #[error("{what} has no volume, because its corners lie in one plane; move one out of the plane")]
    Flat {
        /// Name of the shape.
        what: &'static str,
    },
    /// A saved state belongs to another cloth.
    #[error(
        "the saved state has {found} particles, this cloth has {expected}; restore it into the cloth it was saved from"
    )]
    OtherState {
        /// Number of particles in the state.
        found: usize,
        /// Number of particles in the cloth.
        expected: usize,
    },
}

/// Returns `value`, or an error if it is not greater than 0 and finite.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, ObjectError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ObjectError::OutOfRange { what, value, wanted: "greater than 0" })
    }
}

/// Returns `value`, or an error if it is negative or not finite.
pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<f64, ObjectError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ObjectError::OutOfRange { what, value, wanted: "0 or greater" })
    }
}
