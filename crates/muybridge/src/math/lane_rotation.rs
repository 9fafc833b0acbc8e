//! Vectors and rotations with one frame per SIMD lane: operations for kinematics and momentum.
//!
//! ```text
//! rotate:   v' = v + w t + b × t,   t = 2 b × v,   q = (b, w)
//! log:      φ = turn(|w|) sign(w) b / ‖q‖            the shorter way round, X12; see `lane_trigonometry`
//! halfway:  exp(½ log(q₁ q₀*)) q₀ = (q₀ ± q₁)/‖q₀ ± q₁‖,   the sign that of q₀·q₁
//! ```

use glam::{DMat3, DQuat, DVec3};

use super::arithmetic::Arithmetic;
use super::lane_trigonometry::turn_factor;
use super::lanes::Lanes;

/// A vector per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneVector<V> {
    /// First component.
    pub x: V,
    /// Second component.
    pub y: V,
    /// Third component.
    pub z: V,
}

/// A unit quaternion per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneRotation<V> {
    /// Vector part.
    pub axis: LaneVector<V>,
    /// Scalar part.
    pub w: V,
}

/// A rotation matrix per lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneMatrix<V> {
    /// The rotated axes x, y, z.
    pub columns: [LaneVector<V>; 3],
}

/// Numbers stored item by item, component by component, frame by frame, as in [`crate::motion::Clip`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracks<'a> {
    /// All numbers.
    pub values: &'a [f64],
    /// Offset from one component to the next.
    pub stride: usize,
}

impl Tracks<'_> {
    /// Vectors of `item`, one frame per lane, from `frame` on.
    #[inline(always)]
    pub(crate) fn vector<V: Lanes>(&self, token: V::Token, item: usize, frame: usize) -> LaneVector<V> {
        let [vector] = self.vectors(token, item, frame);
        vector
    }

    /// Rotations of `item`, one frame per lane, from `frame` on.
    #[inline(always)]
    pub(crate) fn rotation<V: Lanes>(&self, token: V::Token, item: usize, frame: usize) -> LaneRotation<V> {
        let [rotation] = self.rotations(token, item, frame);
        rotation
    }

    /// Vectors of `item` from `frame` on, from `frame + 1` on and so forth.
    #[inline(always)]
    pub(crate) fn vectors<V: Lanes, const N: usize>(
        &self,
        token: V::Token,
        item: usize,
        frame: usize,
    ) -> [LaneVector<V>; N] {
        let (x, y, z) = (
            self.shifted::<V, N>(token, item * 3, frame),
            self.shifted::<V, N>(token, item * 3 + 1, frame),
            self.shifted::<V, N>(token, item * 3 + 2, frame),
        );
        let mut vectors = [LaneVector { x: x[0], y: y[0], z: z[0] }; N];
        for shift in 1..N {
            vectors[shift] = LaneVector { x: x[shift], y: y[shift], z: z[shift] };
        }
        vectors
    }

    /// Rotations of `item` from `frame` on, from `frame + 1` on and so forth.
    #[inline(always)]
    pub(crate) fn rotations<V: Lanes, const N: usize>(
        &self,
        token: V::Token,
        item: usize,
        frame: usize,
    ) -> [LaneRotation<V>; N] {
        let (x, y, z, w) = (
            self.shifted::<V, N>(token, item * 4, frame),
            self.shifted::<V, N>(token, item * 4 + 1, frame),
            self.shifted::<V, N>(token, item * 4 + 2, frame),
            self.shifted::<V, N>(token, item * 4 + 3, frame),
        );
        let mut rotations = [LaneRotation { axis: LaneVector { x: x[0], y: y[0], z: z[0] }, w: w[0] }; N];
        for shift in 1..N {
            rotations[shift] = LaneRotation { axis: LaneVector { x: x[shift], y: y[shift], z: z[shift] }, w: w[shift] };
        }
        rotations
    }

    /// Loads all shifts of a track with a single bounds check.
    #[inline(always)]
    fn shifted<V: Lanes, const N: usize>(&self, token: V::Token, track: usize, frame: usize) -> [V; N] {
        let window = &self.values[track * self.stride + frame..][..V::WIDTH + N - 1];
        let mut shifts = [V::load(token, window); N];
        for shift in 1..N {
            shifts[shift] = V::load(token, &window[shift..]);
        }
        shifts
    }
}

impl<V: Lanes> LaneVector<V> {
    /// `vector` in every lane.
    #[inline(always)]
    pub fn splat(token: V::Token, vector: DVec3) -> Self {
        Self { x: V::splat(token, vector.x), y: V::splat(token, vector.y), z: V::splat(token, vector.z) }
    }

    /// Stores the components into three tracks, from `frame` on.
    #[inline(always)]
    pub(crate) fn store(self, tracks: &mut [f64], stride: usize, frame: usize) {
        self.x.store(&mut tracks[frame..]);
        self.y.store(&mut tracks[stride + frame..]);
        self.z.store(&mut tracks[2 * stride + frame..]);
    }

    /// Stores one vector per lane into the first `rows`.
    #[inline(always)]
    pub fn store_rows(self, rows: &mut [DVec3]) {
        let mut lanes = [[0.0; MOST_LANES]; 3];
        self.x.store(&mut lanes[0]);
        self.y.store(&mut lanes[1]);
        self.z.store(&mut lanes[2]);
        for (lane, row) in rows[..V::WIDTH].iter_mut().enumerate() {
            *row = DVec3::new(lanes[0][lane], lanes[1][lane], lanes[2][lane]);
        }
    }
}

impl<V: Arithmetic> LaneVector<V> {
    /// `vector` in every lane, in lanes as wide as `zero`, which is 0.
    #[inline(always)]
    pub(crate) fn like(zero: V, vector: DVec3) -> Self {
        Self { x: zero + vector.x, y: zero + vector.y, z: zero + vector.z }
    }

    /// Sum.
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }

    /// Difference.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }

    /// Multiplies each lane by its own factor.
    #[inline(always)]
    pub fn scaled(self, factor: V) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    /// Multiplies every lane by the same factor.
    #[inline(always)]
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    /// Scalar product.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> V {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Vector product.
    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// `matrix` times the vector of each lane.
    #[inline(always)]
    pub(crate) fn transformed(self, matrix: &DMat3) -> Self {
        let [a, b, c] = [&matrix.x_axis, &matrix.y_axis, &matrix.z_axis];
        Self {
            x: self.x * a.x + self.y * b.x + self.z * c.x,
            y: self.x * a.y + self.y * b.y + self.z * c.y,
            z: self.x * a.z + self.y * b.z + self.z * c.z,
        }
    }

    /// Per lane `yes` if `mask` is true, else `no`.
    #[inline(always)]
    pub(crate) fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        Self { x: V::select(mask, yes.x, no.x), y: V::select(mask, yes.y, no.y), z: V::select(mask, yes.z, no.z) }
    }
}

impl<V: Arithmetic> core::ops::Neg for LaneVector<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

/// Largest number of f64 lanes of any instruction set.
const MOST_LANES: usize = 8;

impl<V: Lanes> LaneRotation<V> {
    /// `rotation` in every lane.
    #[inline(always)]
    pub fn splat(token: V::Token, rotation: DQuat) -> Self {
        Self { axis: LaneVector::splat(token, rotation.xyz()), w: V::splat(token, rotation.w) }
    }

    /// Stores the components into four tracks, from `frame` on.
    #[inline(always)]
    pub(crate) fn store(self, tracks: &mut [f64], stride: usize, frame: usize) {
        self.axis.store(tracks, stride, frame);
        self.w.store(&mut tracks[3 * stride + frame..]);
    }

    /// Product of rotations: first `other`, then `self`.
    #[inline(always)]
    pub(crate) fn after(self, other: Self) -> Self {
        let (a, b) = (self.axis, other.axis);
        Self { axis: a.cross(b).plus(b.scaled(self.w)).plus(a.scaled(other.w)), w: self.w * other.w - a.dot(b) }
    }

    /// Rotation from `first` to `self`: `self` after the inverse of `first`.
    #[inline(always)]
    pub(crate) fn since(self, first: Self) -> Self {
        let (a, b) = (self.axis, first.axis);
        Self { axis: a.scaled(first.w).minus(b.scaled(self.w)).minus(a.cross(b)), w: self.dot(first) }
    }

    /// Sum of the components; not a rotation.
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { axis: self.axis.plus(other.axis), w: self.w + other.w }
    }

    /// Cosine of half the angle between two orientations, up to its sign.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> V {
        self.w * other.w + self.axis.dot(other.axis)
    }

    /// Rotates `vector` by `self`.
    #[inline(always)]
    pub(crate) fn rotate(self, vector: LaneVector<V>) -> LaneVector<V> {
        let t = self.axis.cross(vector).times(2.0);
        vector.plus(t.scaled(self.w)).plus(self.axis.cross(t))
    }

    /// Rotation matrix, which is cheaper than the quaternion from the second vector on.
    #[inline(always)]
    pub(crate) fn matrix(self) -> LaneMatrix<V> {
        let LaneVector { x, y, z } = self.axis;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
        let one = x.like(1.0);
        LaneMatrix {
            columns: [
                LaneVector { x: one - (yy + zz), y: xy + wz, z: xz - wy },
                LaneVector { x: xy - wz, y: one - (xx + zz), z: yz + wx },
                LaneVector { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
            ],
        }
    }

    /// Rotation vector, of length 0 to π radians.
    #[inline(always)]
    pub(crate) fn log(self) -> LaneVector<V> {
        self.axis.scaled(self.log_factor())
    }

    /// Factor from the vector part to the rotation vector. A quaternion with a length error ε gives an error of ε²: the
    /// scale `1/‖q‖` is `3/2 − ‖q‖²/2`, a Newton step from 1.
    #[inline(always)]
    pub(crate) fn log_factor(self) -> V {
        let scale = self.w.like(1.5) - self.dot(self) * 0.5;
        (turn_factor((self.w * scale).abs()) * scale).with_sign_of(self.w)
    }

    /// Orientation halfway to `other`, along the shorter arc.
    #[inline(always)]
    pub(crate) fn halfway(self, other: Self) -> Self {
        let side = self.w.like(1.0).with_sign_of(self.dot(other));
        let sum = Self { axis: self.axis.plus(other.axis.scaled(side)), w: self.w + other.w * side };
        let scale = sum.w.like(1.0) / sum.dot(sum).sqrt();
        Self { axis: sum.axis.scaled(scale), w: sum.w * scale }
    }
}

impl LaneMatrix<f64> {
    /// The matrix of a single lane.
    pub(crate) fn single(&self) -> DMat3 {
        let [x, y, z] = self.columns.map(|column| DVec3::new(column.x, column.y, column.z));
        DMat3::from_cols(x, y, z)
    }
}

impl<V: Arithmetic> LaneMatrix<V> {
    /// Diagonal matrix.
    #[inline(always)]
    pub(crate) fn diagonal([a, b, c]: [V; 3]) -> Self {
        let zero = a.like(0.0);
        let x = LaneVector { x: a, y: zero, z: zero };
        Self { columns: [x, LaneVector { x: zero, y: b, z: zero }, LaneVector { x: zero, y: zero, z: c }] }
    }

    /// Matrix of `v × …`.
    #[inline(always)]
    pub(crate) fn cross(LaneVector { x, y, z }: LaneVector<V>) -> Self {
        let zero = x.like(0.0);
        let third = LaneVector { x: y, y: -x, z: zero };
        Self { columns: [LaneVector { x: zero, y: z, z: -y }, LaneVector { x: -z, y: zero, z: x }, third] }
    }

    /// Inertia of a point mass at `place` about the origin: `m ((d·d) 1 − d dᵀ)`.
    #[inline(always)]
    pub(crate) fn of_point(mass: f64, place: LaneVector<V>) -> Self {
        let LaneVector { x, y, z } = place;
        let square = place.dot(place);
        let outer = Self { columns: [place.scaled(x), place.scaled(y), place.scaled(z)] };
        let [a, b, c] = Self::diagonal([square; 3]).minus(outer).columns;
        Self { columns: [a.times(mass), b.times(mass), c.times(mass)] }
    }

    /// Tensor with principal moments `moments` about the columns: `R diag(moments) Rᵀ`, exactly symmetric.
    #[inline(always)]
    pub(crate) fn around(self, moments: LaneVector<V>) -> Self {
        let [a, b, c] = self.columns;
        let [a2, b2, c2] = [a.scaled(moments.x), b.scaled(moments.y), c.scaled(moments.z)];
        let product = Self { columns: [a2, b2, c2] }.times(self.transposed());
        let [a, b, c] = product.plus(product.transposed()).columns;
        Self { columns: [a.times(0.5), b.times(0.5), c.times(0.5)] }
    }

    /// Sum.
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.columns, other.columns);
        Self { columns: [a.plus(d), b.plus(e), c.plus(f)] }
    }

    /// Difference.
    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.columns, other.columns);
        Self { columns: [a.minus(d), b.minus(e), c.minus(f)] }
    }

    /// Matrix with all signs changed.
    #[inline(always)]
    pub(crate) fn negated(self) -> Self {
        let [a, b, c] = self.columns;
        Self { columns: [-a, -b, -c] }
    }

    /// Product of matrices.
    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        let [a, b, c] = other.columns;
        Self { columns: [self.rotate(a), self.rotate(b), self.rotate(c)] }
    }

    /// Matrix of rows as columns.
    #[inline(always)]
    pub(crate) fn transposed(self) -> Self {
        let [a, b, c] = self.columns;
        let (x, y) = (LaneVector { x: a.x, y: b.x, z: c.x }, LaneVector { x: a.y, y: b.y, z: c.y });
        Self { columns: [x, y, LaneVector { x: a.z, y: b.z, z: c.z }] }
    }

    /// Inverse by cofactors; not finite if there is none.
    #[inline(always)]
    pub(crate) fn inverse(self) -> Self {
        let [a, b, c] = self.columns;
        let (x, y, z) = (b.cross(c), c.cross(a), a.cross(b));
        let by = a.x.like(1.0) / c.dot(z);
        Self { columns: [x.scaled(by), y.scaled(by), z.scaled(by)] }.transposed()
    }

    /// `R v`.
    #[inline(always)]
    pub(crate) fn rotate(self, vector: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.columns;
        a.scaled(vector.x).plus(b.scaled(vector.y)).plus(c.scaled(vector.z))
    }

    /// `Rᵀ v`.
    #[inline(always)]
    pub(crate) fn rotate_back(self, vector: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.columns;
        LaneVector { x: a.dot(vector), y: b.dot(vector), z: c.dot(vector) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    fn lane(q: DQuat) -> LaneRotation<f64> {
        LaneRotation::splat((), q)
    }

    fn vector(v: LaneVector<f64>) -> DVec3 {
        DVec3::new(v.x, v.y, v.z)
    }

    fn quaternion(q: LaneRotation<f64>) -> DQuat {
        DQuat::from_xyzw(q.axis.x, q.axis.y, q.axis.z, q.w)
    }

    fn turns() -> impl Iterator<Item = (DQuat, DQuat, DVec3)> {
        (0..2000).map(|i| {
            let t = f64::from(i);
            let a = DVec3::new(libm::sin(t * 1.3), libm::cos(t * 2.1), libm::sin(t * 0.7 + 1.0));
            let b = DVec3::new(libm::sin(t * 0.9), libm::sin(t * 3.1), libm::cos(t * 1.7));
            (rotation::exp(a * 1.7), rotation::exp(b * 1.7), b)
        })
    }

    #[test]
    fn products_and_rotated_vectors_are_those_of_quaternions() {
        for (p, q, v) in turns() {
            assert!((quaternion(lane(p).after(lane(q))) - p * q).length() < 1e-15);
            assert!((quaternion(lane(p).since(lane(q))) - p * q.conjugate()).length() < 1e-15);
            let in_lanes = LaneVector::splat((), v);
            assert!((vector(lane(p).rotate(in_lanes)) - p * v).length() < 2e-15);
            assert!((vector(lane(p).matrix().rotate(in_lanes)) - p * v).length() < 2e-15);
            assert!((vector(lane(p).matrix().rotate_back(in_lanes)) - p.conjugate() * v).length() < 2e-15);
        }
    }

    #[test]
    fn x12_the_logarithm_in_lanes_is_the_logarithm() {
        for (p, q, _) in turns() {
            let (expected, found) = (rotation::log(p * q), vector(lane(p).after(lane(q)).log()));
            assert!((expected - found).length() <= 2e-15 * expected.length(), "{expected} != {found}");
        }
        for exponent in -15..=0 {
            let phi = DVec3::new(0.36, -0.48, 0.8) * 3.1 * libm::pow(10.0, f64::from(exponent));
            let found = vector(lane(rotation::exp(phi)).log());
            assert!((found - phi).length() <= 1e-14 * phi.length(), "{found} != {phi}");
        }
    }

    #[test]
    fn a_quaternion_off_unit_length_has_the_same_logarithm() {
        let q = rotation::exp(DVec3::new(1.0, -0.5, 0.3));
        let difference = vector(lane(q * (1.0 + 1e-7)).log()) - rotation::log(q);
        assert!(difference.length() < 1e-13, "{difference}");
    }

    #[test]
    fn halfway_is_half_the_turn() {
        for (p, q, _) in turns() {
            let expected = rotation::exp(0.5 * rotation::log(q * p.conjugate())) * p;
            let found = quaternion(lane(p).halfway(lane(q)));
            let nearer = if found.dot(expected) < 0.0 { -found } else { found };
            assert!((nearer - expected).length() < 1e-14, "{expected} != {found}");
        }
    }
}
