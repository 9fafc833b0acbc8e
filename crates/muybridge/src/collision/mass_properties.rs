//! Mass, center of mass and inertia of solid shapes and of bodies composed of them.
//!
//! ```text
//! box a,b,c        V = abc            Ix = m(b²+c²)/12, cyclic
//! ellipsoid a,b,c  V = 4πabc/3        Ix = m(b²+c²)/5, cyclic; the sphere is a = b = c
//! cylinder r,h     V = πr²h           Iy = mr²/2,  Ix = Iz = m(3r²+h²)/12
//! capsule r,h      V = πr²h + 4πr³/3  Iy = mc r²/2 + 2 ms r²/5
//!                                     Ix = Iz = mc(h²/12 + r²/4) + ms(2r²/5 + h²/4 + 3hr/8),  mc : ms = cylinder : sphere
//! sum              m = Σ m_i,  c = Σ m_i c_i / m,  I = Σ I_i + m_i((d_i·d_i) 1 − d_i d_iᵀ),  d_i = c_i − c
//! ```
//! Specification: mathematics 2.1 and 2.2 (H1, H4, Z4).

use core::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};

use super::shape::{PlacedShape, Shape};
use super::tensor;

/// Mass properties of a rigid body, in some frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kilograms.
    pub mass: f64,
    /// Center of mass, meters.
    pub center: DVec3,
    /// Inertia about the center of mass, axes of the frame, kg m².
    pub inertia: DMat3,
}

impl MassProperties {
    /// Zero mass at the origin.
    pub const NONE: Self = Self { mass: 0.0, center: DVec3::ZERO, inertia: DMat3::ZERO };

    /// Mass properties of a shape of uniform density (kg/m³), in its own frame.
    pub fn of_shape(shape: &Shape, density: f64) -> Self {
        let mass = density * volume(shape);
        let moments = match *shape {
            Shape::Sphere { radius } => DVec3::splat(0.4 * mass * radius * radius),
            Shape::Ellipsoid { semi_axes } => spread(semi_axes) * (mass / 5.0),
            Shape::Box { half_extents } => spread(half_extents) * (mass / 3.0),
            Shape::Cylinder { radius, half_length } => cylinder_moments(mass, radius, half_length),
            Shape::Capsule { radius, half_length } => capsule_moments(mass, radius, half_length),
        };
        Self { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }

    /// Mass properties of a shape of uniform density (kg/m³), in its bone's frame.
    pub fn of_placed_shape(placed: &PlacedShape, density: f64) -> Self {
        Self::of_shape(&placed.shape, density).placed(placed.position, placed.rotation)
    }

    /// Transforms to a frame in which the present one has the pose `position`, `rotation`.
    pub fn placed(&self, position: DVec3, rotation: DQuat) -> Self {
        Self {
            mass: self.mass,
            center: position + rotation * self.center,
            inertia: tensor::rotated(self.inertia, rotation),
        }
    }

    /// Scales to another total mass (kg). A body without mass stays as it is.
    pub fn with_mass(&self, mass: f64) -> Self {
        if self.mass == 0.0 {
            return *self;
        }
        Self { mass, center: self.center, inertia: self.inertia * (mass / self.mass) }
    }

    /// Sum of several bodies fixed to each other, all in one frame.
    pub fn sum(parts: &[Self]) -> Self {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        if let [only] = parts {
            return *only;
        }
        if mass == 0.0 {
            return Self::NONE;
        }
        let center = parts.iter().map(|part| part.center * part.mass).sum::<DVec3>() / mass;
        let inertia = parts.iter().fold(DMat3::ZERO, |sum, part| sum + part.inertia_about(center));
        Self { mass, center, inertia }
    }

    /// Inertia about `point`, kg m² (parallel axis theorem).
    pub fn inertia_about(&self, point: DVec3) -> DMat3 {
        self.inertia + tensor::of_point(self.mass, self.center - point)
    }
}

/// Volume of a shape, m³.
pub fn volume(shape: &Shape) -> f64 {
    match *shape {
        Shape::Sphere { radius } => ball(radius),
        Shape::Ellipsoid { semi_axes: s } => 4.0 / 3.0 * PI * s.x * s.y * s.z,
        Shape::Box { half_extents: h } => 8.0 * h.x * h.y * h.z,
        Shape::Cylinder { radius, half_length } => tube(radius, half_length),
        Shape::Capsule { radius, half_length } => tube(radius, half_length) + ball(radius),
    }
}

fn ball(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

fn tube(radius: f64, half_length: f64) -> f64 {
    2.0 * PI * radius * radius * half_length
}

/// Sums of squares `(b²+c², a²+c², a²+b²)`.
fn spread(s: DVec3) -> DVec3 {
    let square = s * s;
    DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y)
}

fn cylinder_moments(mass: f64, radius: f64, half_length: f64) -> DVec3 {
    let across = mass * (0.25 * radius * radius + half_length * half_length / 3.0);
    DVec3::new(across, 0.5 * mass * radius * radius, across)
}

fn capsule_moments(mass: f64, radius: f64, half_length: f64) -> DVec3 {
    let whole = tube(radius, half_length) + ball(radius);
    if whole == 0.0 {
        return DVec3::ZERO;
    }
    let caps = mass * ball(radius) / whole;
    let middle = cylinder_moments(mass - caps, radius, half_length);
    let along = 0.4 * caps * radius * radius;
    let across = along + caps * (half_length * half_length + 0.75 * half_length * radius);
    middle + DVec3::new(across, along, across)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation::exp;

    fn all_shapes() -> [Shape; 5] {
        [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.2, half_length: 0.4 },
            Shape::Cylinder { radius: 0.3, half_length: 0.5 },
            Shape::Box { half_extents: DVec3::new(0.1, 0.4, 0.25) },
            Shape::Ellipsoid { semi_axes: DVec3::new(0.2, 0.5, 0.3) },
        ]
    }

    fn inside(shape: &Shape, p: DVec3) -> bool {
        match *shape {
            Shape::Sphere { radius } => p.length() <= radius,
            Shape::Capsule { radius, half_length } => {
                (p - DVec3::Y * p.y.clamp(-half_length, half_length)).length() <= radius
            }
            Shape::Cylinder { radius, half_length } => {
                p.y.abs() <= half_length && p.x * p.x + p.z * p.z <= radius * radius
            }
            Shape::Box { half_extents: h } => p.abs().cmple(h).all(),
            Shape::Ellipsoid { semi_axes } => (p / semi_axes).length() <= 1.0,
        }
    }

    /// Independent computation: midpoint sums over a grid of cells.
    fn by_quadrature(shape: &Shape) -> (f64, DVec3) {
        let (cells, half) = (120, 0.6);
        let side = 2.0 * half / f64::from(cells);
        let at = |i: i32| -half + (f64::from(i) + 0.5) * side;
        let (mut volume, mut moments) = (0.0, DVec3::ZERO);
        for i in 0..cells {
            for j in 0..cells {
                for k in 0..cells {
                    let p = DVec3::new(at(i), at(j), at(k));
                    if inside(shape, p) {
                        volume += side * side * side;
                        moments += spread(p) * side * side * side;
                    }
                }
            }
        }
        (volume, moments)
    }

    #[test]
    fn h1_the_reference_capsule_has_its_tabulated_moments() {
        let capsule = MassProperties::of_shape(&Shape::Capsule { radius: 0.5, half_length: 1.0 }, 1.0);
        assert!((capsule.mass - 2.0943951).abs() < 5e-8);
        assert!((capsule.inertia.y_axis.y - 0.2487094).abs() < 5e-8);
        assert!((capsule.inertia.x_axis.x - 1.3940817).abs() < 5e-8);
        assert_eq!(capsule.inertia.x_axis.x, capsule.inertia.z_axis.z);
    }

    #[test]
    fn h1_the_reference_box_has_its_tabulated_moments() {
        let cuboid = Shape::Box { half_extents: DVec3::new(1.0, 1.5, 2.5) };
        let properties = MassProperties::of_shape(&cuboid, 1.0);
        assert!((properties.mass - 30.0).abs() < 1e-13);
        let expected = DMat3::from_diagonal(DVec3::new(85.0, 72.5, 32.5));
        assert!(properties.inertia.abs_diff_eq(expected, 1e-12));
    }

    #[test]
    fn the_moments_of_every_shape_agree_with_counting_cells() {
        for shape in all_shapes() {
            let (volume, moments) = by_quadrature(&shape);
            let exact = MassProperties::of_shape(&shape, 1.0);
            assert!((exact.mass / volume - 1.0).abs() < 0.02, "{shape:?}: {} {volume}", exact.mass);
            for axis in 0..3 {
                let ratio = exact.inertia.col(axis)[axis] / moments[axis];
                assert!((ratio - 1.0).abs() < 0.03, "{shape:?} axis {axis}: {ratio}");
            }
        }
    }

    #[test]
    fn two_halves_of_a_box_make_the_box_however_it_is_turned() {
        let turn = exp(DVec3::new(0.7, -0.2, 1.9));
        let half = Shape::Box { half_extents: DVec3::new(0.5, 0.2, 0.3) };
        let whole = Shape::Box { half_extents: DVec3::new(1.0, 0.2, 0.3) };
        let at = |x: f64| MassProperties::of_shape(&half, 700.0).placed(turn * DVec3::new(x, 0.0, 0.0), turn);
        let sum = MassProperties::sum(&[at(-0.5), at(0.5)]);
        let expected = MassProperties::of_shape(&whole, 700.0).placed(DVec3::ZERO, turn);
        assert!((sum.mass - expected.mass).abs() < 1e-11);
        assert!(sum.center.length() < 1e-15);
        assert!(sum.inertia.abs_diff_eq(expected.inertia, 1e-11));
    }

    #[test]
    fn a_capsule_without_a_middle_is_a_ball() {
        let capsule = MassProperties::of_shape(&Shape::Capsule { radius: 0.3, half_length: 0.0 }, 1000.0);
        let sphere = MassProperties::of_shape(&Shape::Sphere { radius: 0.3 }, 1000.0);
        assert!((capsule.mass - sphere.mass).abs() < 1e-12);
        assert!(capsule.inertia.abs_diff_eq(sphere.inertia, 1e-12));
    }

    #[test]
    fn x14_shapes_of_no_size_weigh_nothing_and_stay_finite() {
        let none = MassProperties::of_shape(&Shape::Capsule { radius: 0.0, half_length: 0.0 }, 1000.0);
        assert_eq!(none, MassProperties::NONE);
        assert_eq!(none.with_mass(3.0), MassProperties::NONE);
        assert_eq!(MassProperties::sum(&[none, none]), MassProperties::NONE);
        assert_eq!(MassProperties::sum(&[]), MassProperties::NONE);
    }
}
