//! The user's hand in a running world: grasps, pulls and throws things with the mouse.
//!
//! ```text
//! particles   the held point reaches the hand within a frame, by no more than the force allowed     (`particles::World::drag`)
//! bodies      f = Λ (a − a₀),  a = α 2/h² (hand − x) − β 2/h v     Λ: operational-space inertia of the held point
//! ```
//! α and β are critically damped with a time constant of 0.05 s. A thing that is let go keeps its velocity. The hand is
//! no part of a scene: it is user input. Specification: mathematics 3.11.1, 5.4, 5.5 (J35).

use glam::DVec3;
use thiserror::Error;

use super::scene::slot::PartPath;
use super::world::World;
use crate::behavior::action::BodyPoint;
use crate::math::input_error::InputError;
use crate::particles::Point;

/// The reason why a hand cannot do something in a world. A refused action changes nothing.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HandError {
    /// No thing or bone of that name moves.
    #[error("there is no “{part}” that moves")]
    NoPart {
        /// The name that was given.
        part: String,
    },
    /// A pull while the hand is empty.
    #[error("nothing is held")]
    NothingHeld,
    /// A grasp of a world with other things.
    #[error("what is held belongs to another world")]
    OtherWorld,
    /// A number that is not finite.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A grasp: a point fixed to a body or to particles of its world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp(GraspTarget);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GraspTarget {
    Point(Point),
    Body(BodyPoint),
}

impl GraspTarget {
    /// The held point of particles.
    pub fn point(self) -> Result<Point, HandError> {
        match self {
            Self::Point(point) => Ok(point),
            Self::Body(_) => Err(HandError::OtherWorld),
        }
    }
}

impl World {
    /// Takes hold of a part ("box", "doll/hand") at a place (m) fixed to it. A thing that bends is held by its particle nearest to
    /// the place.
    ///
    /// # Errors
    /// If nothing of that name moves, or the place is not finite.
    pub fn grasp(&self, part: &PartPath, place: DVec3) -> Result<Grasp, HandError> {
        InputError::check_finite("the place of a hand", place)?;
        self.0.grasp(part, place).map(Grasp).ok_or_else(|| HandError::NoPart { part: part.0.clone() })
    }

    /// Position of the held point, meters; `None` for a grasp of another world.
    pub fn held_place(&self, grasp: &Grasp) -> Option<DVec3> {
        self.0.held_place(grasp.0)
    }

    /// Pulls a held point towards a place (m) during the next step, with at most `most_force` newtons.
    ///
    /// # Errors
    /// If the grasp belongs to another world, the place is not finite, or the force is NaN.
    pub fn pull(&mut self, grasp: &Grasp, to: DVec3, most_force: f64) -> Result<(), HandError> {
        self.held_place(grasp).ok_or(HandError::OtherWorld)?;
        InputError::check_finite("the place to pull to", to)?;
        if most_force.is_nan() {
            return Err(InputError::NotFinite { what: "the greatest force", value: most_force }.into());
        }
        self.0.pull(grasp.0, to, most_force)
    }

    /// Gives a held point an impulse (N s), at once.
    ///
    /// # Errors
    /// If the grasp belongs to another world, or the impulse is not finite.
    pub fn hit(&mut self, grasp: &Grasp, impulse: DVec3) -> Result<(), HandError> {
        self.held_place(grasp).ok_or(HandError::OtherWorld)?;
        InputError::check_finite("the impulse", impulse)?;
        self.0.hit(grasp.0, impulse)
    }

    /// Lets go of the held point.
    ///
    /// # Errors
    /// If the grasp belongs to another world.
    pub fn let_go(&mut self, grasp: &Grasp) -> Result<(), HandError> {
        self.held_place(grasp).ok_or(HandError::OtherWorld)?;
        self.0.let_go(grasp.0)
    }
}

/// The index nearest to a place, the first if several are.
pub(super) fn nearest(of: impl Iterator<Item = usize>, at: impl Fn(usize) -> DVec3, place: DVec3) -> Option<usize> {
    of.map(|index| (index, at(index).distance_squared(place)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests;
