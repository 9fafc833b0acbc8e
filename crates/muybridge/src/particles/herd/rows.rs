//! Sixteen ragdolls side by side: rows of sixteen f32, and how a vector of any width reads them.

use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// Ragdolls of a block, whatever the width of the processor.
pub const LANES: usize = 16;

/// One number per ragdoll of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct LaneValues(pub [f32; LANES]);

impl LaneValues {
    /// 1 where it is so, else 0.
    pub fn of(is: [bool; LANES]) -> Self {
        Self(is.map(|is| if is { 1.0 } else { 0.0 }))
    }
}

/// Zero for every ragdoll.
pub const ZERO: LaneValues = LaneValues([0.0; LANES]);

/// A body of sixteen ragdolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRows {
    /// Its center, metres from the ragdoll's origin.
    pub center: [LaneValues; 3],
    /// Its principal axes in world axes, of unit length up to what one substep stretches.
    pub axes: [[LaneValues; 3]; 3],
    /// What the last substep added to the center, metres.
    pub moved: [LaneValues; 3],
    /// What the last substep added to the axes.
    pub turned: [[LaneValues; 3]; 3],
}

impl BodyRows {
    /// At the origin, at rest.
    pub const AT_ORIGIN: Self = {
        const ONE: LaneValues = LaneValues([1.0; LANES]);
        let axes = [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]];
        Self { center: [ZERO; 3], axes, moved: [ZERO; 3], turned: [[ZERO; 3]; 3] }
    };
}

/// The lanes of a block that are worked on together.
pub struct Lanes<V: SingleLanes> {
    /// Proof that the processor has the instructions.
    pub token: V::Token,
    /// The first of them.
    pub first: usize,
}

impl<V: SingleLanes> Clone for Lanes<V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V: SingleLanes> Copy for Lanes<V> {}

impl<V: SingleLanes> Lanes<V> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn same(self, value: f32) -> V {
        V::splat(self.token, value)
    }

    /// The numbers of a row. A vector of sixteen begins at 0, which the compiler sees.
    #[inline(always)]
    pub fn load(self, row: &LaneValues) -> V {
        let first = if V::WIDTH == LANES { 0 } else { self.first };
        V::load(self.token, &row.0[first..])
    }

    /// Into a row.
    #[inline(always)]
    pub fn store(self, value: V, row: &mut LaneValues) {
        let first = if V::WIDTH == LANES { 0 } else { self.first };
        value.store(&mut row.0[first..]);
    }

    /// Three rows.
    #[inline(always)]
    pub fn vector(self, rows: &[LaneValues; 3]) -> LaneVector<V> {
        LaneVector { x: self.load(&rows[0]), y: self.load(&rows[1]), z: self.load(&rows[2]) }
    }

    /// Three vectors.
    #[inline(always)]
    pub fn vectors(self, rows: &[[LaneValues; 3]; 3]) -> [LaneVector<V>; 3] {
        [self.vector(&rows[0]), self.vector(&rows[1]), self.vector(&rows[2])]
    }

    /// Into three rows.
    #[inline(always)]
    pub fn store_vector(self, vector: LaneVector<V>, rows: &mut [LaneValues; 3]) {
        self.store(vector.x, &mut rows[0]);
        self.store(vector.y, &mut rows[1]);
        self.store(vector.z, &mut rows[2]);
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn same_vector(self, [x, y, z]: [f32; 3]) -> LaneVector<V> {
        LaneVector { x: self.same(x), y: self.same(y), z: self.same(z) }
    }

    /// A constant times a vector of lanes.
    #[inline(always)]
    pub fn times(self, vector: LaneVector<V>, factor: f32) -> LaneVector<V> {
        vector.scaled(self.same(factor))
    }

    /// `Σ coefficient · axis`; coefficients that are 0 cost nothing.
    #[inline(always)]
    pub fn combined(self, axes: &[LaneVector<V>; 3], coefficients: &[f32; 3]) -> LaneVector<V> {
        let [x, y, z] = coefficients;
        match (*x != 0.0, *y != 0.0, *z != 0.0) {
            (true, false, false) => self.times(axes[0], *x),
            (false, true, false) => self.times(axes[1], *y),
            (false, false, true) => self.times(axes[2], *z),
            (true, true, false) => self.times(axes[0], *x).plus(self.times(axes[1], *y)),
            (false, true, true) => self.times(axes[1], *y).plus(self.times(axes[2], *z)),
            (true, false, true) => self.times(axes[0], *x).plus(self.times(axes[2], *z)),
            _ => self.times(axes[0], *x).plus(self.times(axes[1], *y)).plus(self.times(axes[2], *z)),
        }
    }
}
