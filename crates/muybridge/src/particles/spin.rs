//! Angular momentum of cloth that nothing holds, about its center of mass.
//!
//! Sticks move particles along the line between these, which turns in the substep. So they turn a cloth a little, and so does the
//! rounding of f32 numbers. A rigid rotation gives back what is missing, with d the displacement in a substep and J what contacts
//! give at r, as mass times displacement:
//! ```text
//! S = Σ m (x − c) × d       S' = k S + Σ (r − c) × J       δ = I⁻¹ (S' − S),   d += δ × (x − c)
//! ```
//! It is the least change of the velocities that does so.

use glam::{DMat3, DVec3};

use crate::collision::tensor;

/// Angular momentum that a sheet should have, in the time unit of its substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spin {
    /// Center of mass, meters.
    pub center: DVec3,
    /// Sum of mass times arm × displacement, kg m².
    pub sum: DVec3,
}

/// Sums of mass times place, displacement, place × displacement, and place ⊗ place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    mass: f64,
    places: DVec3,
    moved: DVec3,
    turned: DVec3,
    squares: DMat3,
}

impl Moments {
    pub const NONE: Self =
        Self { mass: 0.0, places: DVec3::ZERO, moved: DVec3::ZERO, turned: DVec3::ZERO, squares: DMat3::ZERO };

    /// Adds a particle at `place` that moved by `moved`, meters.
    pub fn add(&mut self, mass: f64, place: DVec3, moved: DVec3) {
        self.mass += mass;
        self.places += place * mass;
        self.moved += moved * mass;
        self.turned += place.cross(moved) * mass;
        let weighted = place * mass;
        self.squares += DMat3::from_cols(weighted * place.x, weighted * place.y, weighted * place.z);
    }

    /// Sum of mass times displacement, kg m.
    pub fn momentum(&self) -> DVec3 {
        self.moved
    }

    /// Center of mass, meters.
    pub fn center(&self) -> DVec3 {
        self.places / self.mass
    }

    /// Spin about the center of mass, where places are relative to `origin`.
    pub fn spin(&self, origin: DVec3) -> Spin {
        let center = self.center();
        Spin { center: origin + center, sum: self.turned - center.cross(self.moved) }
    }

    /// Rotation that adds `missing` to the spin; none of what is too thin to turn about every axis.
    pub fn turn(&self, missing: DVec3) -> DVec3 {
        let center = self.center();
        let arm = center * self.mass;
        let squares = self.squares - DMat3::from_cols(arm * center.x, arm * center.y, arm * center.z);
        let inertia = tensor::from_second_moments(squares);
        let turn = inertia.inverse() * missing;
        let trace = squares.x_axis.x + squares.y_axis.y + squares.z_axis.z;
        let is_thick = inertia.determinant() > THINNEST * trace * trace * trace;
        if is_thick && turn.is_finite() { turn } else { DVec3::ZERO }
    }
}

/// [`Moments`] lane by lane of blocks of particles, which compilers make vectors of: mass, places, moved, turned, and the upper
/// triangle of the squares, row by row.
#[derive(Clone, Debug)]
pub(crate) struct LaneMoments<const BLOCK: usize>([[f64; BLOCK]; 16]);

impl<const BLOCK: usize> LaneMoments<BLOCK> {
    pub const NONE: Self = Self([[0.0; BLOCK]; 16]);

    /// Adds particles at `now` that were at `before`, by axis, meters; a lane without one has no mass.
    #[inline(always)]
    pub fn add(&mut self, masses: &[f32; BLOCK], now: [&[f32; BLOCK]; 3], before: [&[f32; BLOCK]; 3]) {
        for lane in 0..BLOCK {
            let mass = f64::from(masses[lane]);
            let [x, y, z] = now.map(|axis| f64::from(axis[lane]));
            let [u, v, w] = [0, 1, 2].map(|axis| f64::from(now[axis][lane]) - f64::from(before[axis][lane]));
            let (mx, my, mz) = (mass * x, mass * y, mass * z);
            let (moved, turned) = ([mass * u, mass * v, mass * w], [my * w - mz * v, mz * u - mx * w, mx * v - my * u]);
            let ([u, v, w], [a, b, c]) = (moved, turned);
            let own = [mass, mx, my, mz, u, v, w, a, b, c, mx * x, mx * y, mx * z, my * y, my * z, mz * z];
            for (sum, own) in self.0.iter_mut().zip(own) {
                sum[lane] += own;
            }
        }
    }

    /// Moments of all lanes.
    pub fn total(&self) -> Moments {
        let [mass, px, py, pz, mx, my, mz, tx, ty, tz, xx, xy, xz, yy, yz, zz] = self.0.map(|lanes| lanes.iter().sum());
        Moments {
            mass,
            places: DVec3::new(px, py, pz),
            moved: DVec3::new(mx, my, mz),
            turned: DVec3::new(tx, ty, tz),
            squares: DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]),
        }
    }
}

/// Least determinant of an inertia, in cubes of half its trace.
const THINNEST: f64 = 1e-6;

impl Spin {
    /// Takes what contacts give in a substep: mass times displacement, and its moment about a point.
    pub fn take(&mut self, [given, moment]: [DVec3; 2], about: DVec3) {
        self.sum += moment + (about - self.center).cross(given);
    }
}
