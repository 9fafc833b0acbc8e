//! The error of a call that acts on a world by an index and numbers: an index out of range, bodies without a joint, or a number that is not
//! finite.

use glam::DVec3;
use thiserror::Error;

/// The reason why a world refuses an input. A refused input changes nothing.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InputError {
    /// An index that is out of range.
    #[error("there is no {what} {index}; there are {count}")]
    NoSuch {
        /// Kind of the thing that the index names, such as "body".
        what: &'static str,
        /// The index that was given.
        index: usize,
        /// Number of things of that kind.
        count: usize,
    },
    /// Two bodies without a joint between them.
    #[error("no joint connects bodies {} and {}", bodies[0], bodies[1])]
    NotJoined {
        /// Indices of the bodies.
        bodies: [usize; 2],
    },
    /// A number that is NaN or infinite.
    #[error("{what} must be finite, not {value}")]
    NotFinite {
        /// Name of the quantity, such as "the force".
        what: &'static str,
        /// The number that was given.
        value: f64,
    },
}

impl InputError {
    /// Refuses an index that is not below `count`.
    pub(crate) fn check_index(what: &'static str, index: usize, count: usize) -> Result<(), Self> {
        if index < count { Ok(()) } else { Err(Self::NoSuch { what, index, count }) }
    }

    /// Refuses a vector with a component that is NaN or infinite.
    pub(crate) fn check_finite(what: &'static str, vector: DVec3) -> Result<(), Self> {
        match vector.to_array().into_iter().find(|value| !value.is_finite()) {
            Some(value) => Err(Self::NotFinite { what, value }),
            None => Ok(()),
        }
    }
}
