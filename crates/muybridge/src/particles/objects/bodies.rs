//! Rigid bodies of four particles: a box with its mass properties, and a regular tetrahedron. (3.11, J17, J23)

use glam::DVec3;

use super::error::{ObjectError, not_negative, positive};
use super::{ObjectRange, Traits};
use crate::collision::MassProperties;
use crate::collision::shape::Shape;
use crate::particles::body::{Placement, RigidBody};
use crate::particles::model::{Core, Model, Solid, Surface, Tetrahedron};
use crate::particles::point::Point;

/// A rigid box. Its four particles have its mass, center and inertia; they are not its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Edge lengths, meters.
    pub size: DVec3,
    /// Mass, kilograms.
    pub mass: f64,
    /// Radius of the rounded edges and corners, meters; less than half the least edge.
    pub rounding: f64,
    /// Initial pose and velocity.
    pub placement: Placement,
    /// Friction and other properties.
    pub traits: Traits,
}

/// A rigid regular tetrahedron. Its particles are its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegularTetrahedron {
    /// Edge length, meters.
    pub edge: f64,
    /// Mass, kilograms, a quarter at each corner.
    pub mass: f64,
    /// Rounding radius of the surface, meters.
    pub radius: f64,
    /// Initial pose of the center, and velocity.
    pub placement: Placement,
    /// Friction and other properties.
    pub traits: Traits,
}

/// Corners of a box about its middle, numbered by the bits x, y, z.
pub(crate) fn box_corners(half_extents: DVec3) -> [DVec3; 8] {
    let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
    core::array::from_fn(|corner| half_extents * DVec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2)))
}

impl Box3 {
    /// A box of 1 kg, rounded by a twentieth of its least edge, at the given placement.
    pub fn new(size: DVec3, placement: Placement) -> Self {
        let rounding = 0.05 * size.min_element();
        Self { size, mass: 1.0, rounding, placement, traits: Traits { drag: 0.0, ..Traits::default() } }
    }

    /// The rigid body of the box: four particles, and the weights of other points.
    ///
    /// # Errors
    /// An [`ObjectError`] if a size or the mass is out of range.
    pub fn body(&self) -> Result<RigidBody, ObjectError> {
        positive("the least edge of a box", self.size.min_element())?;
        positive("the greatest edge of a box", self.size.max_element())?;
        positive("the mass of a box", self.mass)?;
        let half_extents = self.size * 0.5;
        let properties = MassProperties::of_shape(&Shape::Box { half_extents }, 1.0).with_mass(self.mass);
        RigidBody::new(&properties).map_err(|_| ObjectError::Flat { what: "a box" })
    }

    /// Pushes the box into a model.
    ///
    /// # Errors
    /// An [`ObjectError`] if a size, the mass or the rounding is out of range.
    pub fn add_to(&self, model: &mut Model) -> Result<ObjectRange, ObjectError> {
        let body = self.body()?;
        self.traits.check()?;
        not_negative("the rounding of a box", self.rounding)?;
        positive("half the least edge of a box without its rounding", 0.5 * self.size.min_element() - self.rounding)?;
        check(&self.placement)?;
        let first = body.add_to(model, &self.placement);
        let built = self.traits.close(model, first);
        let core = Core::Solid { solid: model.solids.len(), frame: body.frame_points(first) };
        model.solids.push(Solid::Box { half_extents: self.size * 0.5 - DVec3::splat(self.rounding) });
        model.surfaces.push(Surface { core, radius: self.rounding, object: built.object, part: 0 });
        Ok(built)
    }
}

impl RegularTetrahedron {
    /// A tetrahedron of 1 kg at the given placement.
    pub fn new(edge: f64, placement: Placement) -> Self {
        let traits = Traits { drag: 0.0, ..Traits::default() };
        Self { edge, mass: 1.0, radius: 0.0, placement, traits }
    }

    /// Corners in the body frame, meters; the center is the origin.
    pub fn corners(&self) -> [DVec3; 4] {
        let reach = self.edge / 8.0_f64.sqrt();
        let corner = |x, y, z| DVec3::new(x, y, z) * reach;
        [corner(1.0, 1.0, 1.0), corner(1.0, -1.0, -1.0), corner(-1.0, -1.0, 1.0), corner(-1.0, 1.0, -1.0)]
    }

    /// Pushes the tetrahedron into a model.
    ///
    /// # Errors
    /// An [`ObjectError`] if a size or the mass is out of range.
    pub fn add_to(&self, model: &mut Model) -> Result<ObjectRange, ObjectError> {
        positive("the edge of a tetrahedron", self.edge)?;
        positive("the mass of a tetrahedron", self.mass)?;
        not_negative("the radius of a tetrahedron", self.radius)?;
        self.traits.check()?;
        check(&self.placement)?;
        let (first, rest) = (model.positions.len(), self.corners());
        for corner in rest {
            let offset = self.placement.rotation * corner;
            let velocity = self.placement.velocity + self.placement.angular_velocity.cross(offset);
            super::particle(model, self.placement.position + offset, velocity, 0.25 * self.mass);
        }
        let particles = [first, first + 1, first + 2, first + 3];
        model.tetrahedra.push(Tetrahedron { particles, rest });
        let built = self.traits.close(model, first);
        for face in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] {
            let core = Core::Triangle(face.map(|corner| Point::at(first + corner)));
            model.surfaces.push(Surface { core, radius: self.radius, object: built.object, part: 0 });
        }
        Ok(built)
    }
}

fn check(placement: &Placement) -> Result<(), ObjectError> {
    let Placement { position, rotation, velocity, angular_velocity } = placement;
    if position.is_finite() && rotation.is_finite() && velocity.is_finite() && angular_velocity.is_finite() {
        Ok(())
    } else {
        Err(ObjectError::NotFinite { what: "the placement of body", index: 0 })
    }
}
