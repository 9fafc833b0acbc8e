//! Three-by-three matrices with one ragdoll per lane, and the quadratic form of an articulated body.
//!
//! ```text
//! Q(δ, ω) = ½ δᵀ M δ + δᵀ H ω + ½ ωᵀ J ω + f·δ + t·ω
//! at a point r:  d = δ + ω × r:   H' = H + M[r],  J' = J + [r]ᵀH' + Hᵀ[r],  t' = t + f × r
//! J' = L D Lᵀ
//! ```

use super::rows::Lanes;
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// Expands to an array of three. (A closure would be compiled for the oldest processor.)
macro_rules! three {
    (|$i:ident| $element:expr) => {
        [
            {
                let $i = 0_usize;
                $element
            },
            {
                let $i = 1_usize;
                $element
            },
            {
                let $i = 2_usize;
                $element
            },
        ]
    };
}
pub(super) use three;

/// Expands to a symmetric matrix from its element in row i and column j.
macro_rules! symmetric {
    (|$i:ident, $j:ident| $element:expr) => {
        $crate::particles::herd::algebra::Symmetric {
            diagonal: three!(|k| {
                let ($i, $j) = (k, k);
                $element
            }),
            off: three!(|k| {
                let ($i, $j) = ([0_usize, 0, 1][k], [1_usize, 2, 2][k]);
                $element
            }),
        }
    };
}
pub(super) use symmetric;

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy)]
pub struct Symmetric<V> {
    /// Diagonal elements 00, 11, 22.
    pub diagonal: [V; 3],
    /// Off-diagonal elements 01, 02, 12.
    pub off: [V; 3],
}

impl<V: SingleLanes> Symmetric<V> {
    /// Element in a row and column.
    #[inline(always)]
    pub fn at(&self, row: usize, column: usize) -> V {
        if row == column { self.diagonal[row] } else { self.off[row + column - 1] }
    }

    /// Sum of two symmetric matrices.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        symmetric!(|i, j| self.at(i, j) + other.at(i, j))
    }

    /// Matrix times vector.
    #[inline(always)]
    pub fn apply(&self, v: LaneVector<V>) -> LaneVector<V> {
        let [x, y, z] = three!(|i| self.at(i, 0) * v.x + self.at(i, 1) * v.y + self.at(i, 2) * v.z);
        LaneVector { x, y, z }
    }
}

/// Elements of a vector by index.
#[inline(always)]
pub fn elements<V: Copy>(v: LaneVector<V>) -> [V; 3] {
    [v.x, v.y, v.z]
}

/// `matrix [r]` for a symmetric matrix: row i of the result is (row i) × `r`.
#[inline(always)]
pub fn times_cross<V: SingleLanes>(matrix: &Symmetric<V>, r: LaneVector<V>) -> [LaneVector<V>; 3] {
    three!(|i| LaneVector { x: matrix.at(i, 0), y: matrix.at(i, 1), z: matrix.at(i, 2) }.cross(r))
}

/// Column `index` of a matrix stored by rows.
#[inline(always)]
pub fn column<V: SingleLanes>(rows: &[LaneVector<V>; 3], index: usize) -> LaneVector<V> {
    let [x, y, z] = three!(|i| elements(rows[i])[index]);
    LaneVector { x, y, z }
}

/// Articulated inertia and bias of a body with its subtree (Featherstone), as a quadratic form.
#[derive(Clone, Copy)]
pub struct Articulated<V> {
    /// M: mass matrix, kg.
    pub mass: Symmetric<V>,
    /// H by rows: coupling of displacement and rotation, kg m.
    pub coupling: [LaneVector<V>; 3],
    /// J: rotational inertia, kg m².
    pub inertia: Symmetric<V>,
    /// f: linear bias, kg m.
    pub force: LaneVector<V>,
    /// t: angular bias, kg m².
    pub torque: LaneVector<V>,
}

impl<V: SingleLanes> Articulated<V> {
    /// A body without its subtree, about its center of mass.
    #[inline(always)]
    pub fn of_body(lanes: Lanes<V>, mass: f32, inertia: Symmetric<V>) -> Self {
        let zero = lanes.same(0.0);
        let none = LaneVector { x: zero, y: zero, z: zero };
        Self {
            mass: Symmetric { diagonal: [lanes.same(mass); 3], off: [zero; 3] },
            coupling: [none; 3],
            inertia,
            force: none,
            torque: none,
        }
    }

    /// Sum of two forms about the same point.
    #[inline(always)]
    pub fn plus(&self, other: &Self) -> Self {
        let [a, b, c] = &self.coupling;
        let [d, e, f] = &other.coupling;
        Self {
            mass: self.mass.plus(&other.mass),
            coupling: [a.plus(*d), b.plus(*e), c.plus(*f)],
            inertia: self.inertia.plus(&other.inertia),
            force: self.force.plus(other.force),
            torque: self.torque.plus(other.torque),
        }
    }

    /// Adds `½ (p + b)ᵀ K (p + b)` for the motion `p` of the point at `lever`: an effective mass K attached to that
    /// point.
    #[inline(always)]
    pub fn add_point(&mut self, mass: &Symmetric<V>, lever: LaneVector<V>, force: LaneVector<V>) {
        let spread = times_cross(mass, lever);
        for i in 0..3 {
            self.coupling[i] = self.coupling[i].minus(spread[i]);
        }
        // [r]ᵀ K [r], its column j is (column j of K[r]) × r.
        let turned = three!(|j| elements(column(&spread, j).cross(lever)));
        self.inertia = symmetric!(|i, j| self.inertia.at(i, j) + turned[j][i]);
        self.mass = self.mass.plus(mass);
        self.force = self.force.plus(force);
        self.torque = self.torque.plus(lever.cross(force));
    }

    /// Adds a soft constraint row `½ κ (z·δ + y·ω + e)²`.
    #[inline(always)]
    pub fn add_row(&mut self, stiffness: V, z: LaneVector<V>, y: LaneVector<V>, error: V) {
        let (kz, ky) = (z.scaled(stiffness), y.scaled(stiffness));
        let (z_at, y_at, kz_at, ky_at) = (elements(z), elements(y), elements(kz), elements(ky));
        self.mass = symmetric!(|i, j| self.mass.at(i, j) + kz_at[i] * z_at[j]);
        self.inertia = symmetric!(|i, j| self.inertia.at(i, j) + ky_at[i] * y_at[j]);
        for i in 0..3 {
            self.coupling[i] = self.coupling[i].plus(y.scaled(kz_at[i]));
        }
        self.force = self.force.plus(kz.scaled(error));
        self.torque = self.torque.plus(ky.scaled(error));
    }

    /// Expresses the form in terms of the motion of the point at `r` (and ω).
    #[inline(always)]
    pub fn at_point(&self, r: LaneVector<V>) -> Self {
        let spread = times_cross(&self.mass, r);
        let coupling = three!(|i| self.coupling[i].plus(spread[i]));
        let after = three!(|j| elements(column(&coupling, j).cross(r)));
        let before = three!(|i| elements(column(&self.coupling, i).cross(r)));
        let inertia = symmetric!(|i, j| self.inertia.at(i, j) + after[j][i] + before[i][j]);
        Self { mass: self.mass, coupling, inertia, force: self.force, torque: self.torque.plus(self.force.cross(r)) }
    }

    /// Eliminates the rotation: returns its solution and the remaining form of the point.
    #[inline(always)]
    pub fn freed(&self, lanes: Lanes<V>) -> Freed<V> {
        let factors = SymmetricFactors::new(lanes, &self.inertia);
        let by_motion = three!(|i| factors.solve(self.coupling[i]));
        let by_itself = factors.solve(self.torque);
        let mass = symmetric!(|i, j| self.mass.at(i, j) - by_motion[i].dot(self.coupling[j]));
        let [a, b, c] = self.coupling;
        let bias = LaneVector { x: a.dot(by_itself), y: b.dot(by_itself), z: c.dot(by_itself) };
        Freed { factors, by_motion, by_itself, mass, force: self.force.minus(bias) }
    }
}

/// An articulated body with its rotation eliminated: `ω = −(Σ d_i T_i + t)`.
pub struct Freed<V> {
    /// Factors of the inertia about the point.
    pub factors: SymmetricFactors<V>,
    /// Rotation per displacement of the point: `T_i = J'⁻¹ (row i of H')`.
    pub by_motion: [LaneVector<V>; 3],
    /// Rotation by the bias alone: `J'⁻¹ t'`.
    pub by_itself: LaneVector<V>,
    /// Mass matrix of the point after elimination, kg.
    pub mass: Symmetric<V>,
    /// Linear bias of the point after elimination, kg m.
    pub force: LaneVector<V>,
}

/// Factorization `L D Lᵀ` of a symmetric positive matrix.
#[derive(Clone, Copy)]
pub struct SymmetricFactors<V> {
    inverse: [V; 3],
    lower: [V; 3],
}

/// Least pivot (kg m² or kg): smaller values are rounding.
const LEAST_PIVOT: f32 = 1e-12;

/// Least pivot as a share of its diagonal: ten times the rounding of an f32.
const LEAST_SHARE: f32 = 2e-6;

impl<V: SingleLanes> SymmetricFactors<V> {
    /// Factorizes `matrix`.
    #[inline(always)]
    pub fn new(lanes: Lanes<V>, matrix: &Symmetric<V>) -> Self {
        let (one, least, share) = (lanes.same(1.0), lanes.same(LEAST_PIVOT), lanes.same(LEAST_SHARE));
        let ([a, b, c], [d, e, f]) = (matrix.diagonal, matrix.off);
        let first = one / a.greatest(least);
        let (l10, l20) = (d * first, e * first);
        let second = one / (b - l10 * d).greatest(b * share).greatest(least);
        let below = f - l10 * e;
        let l21 = below * second;
        let third = one / (c - l20 * e - l21 * below).greatest(c * share).greatest(least);
        Self { inverse: [first, second, third], lower: [l10, l20, l21] }
    }

    /// Computes `matrix⁻¹`.
    #[inline(always)]
    pub fn inverse(&self) -> Symmetric<V> {
        let ([i0, i1, i2], [l10, l20, l21]) = (self.inverse, self.lower);
        // The last row of L⁻¹ is (p, −l21, 1).
        let p = l10 * l21 - l20;
        let (q, r) = (p * i2, l21 * i2);
        let (u, v) = (l10 * i1, l21 * r);
        Symmetric { diagonal: [i0 + l10 * u + p * q, i1 + v, i2], off: [-u - p * r, q, -r] }
    }

    /// Computes `matrix⁻¹ v`.
    #[inline(always)]
    pub fn solve(&self, v: LaneVector<V>) -> LaneVector<V> {
        let [l10, l20, l21] = self.lower;
        let y = v.y - l10 * v.x;
        let z = v.z - l20 * v.x - l21 * y;
        let z = z * self.inverse[2];
        let y = y * self.inverse[1] - l21 * z;
        LaneVector { x: v.x * self.inverse[0] - l10 * y - l20 * z, y, z }
    }
}
