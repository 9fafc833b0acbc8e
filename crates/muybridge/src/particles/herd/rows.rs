//! Lane layout: rows of sixteen f32, one per ragdoll, and how vectors of any width read them.

use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// Number of ragdolls in a block, independent of the vector width.
pub const LANES: usize = 16;

/// One number per ragdoll of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct LaneValues(pub [f32; LANES]);

impl LaneValues {
    /// 1 in lanes with true, else 0.
    pub fn of(is: [bool; LANES]) -> Self {
        Self(is.map(|is| if is { 1.0 } else { 0.0 }))
    }
}

/// Zero in every lane.
pub const ZERO: LaneValues = LaneValues([0.0; LANES]);

/// State of a body in sixteen ragdolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRows {
    /// Center of mass, meters from the ragdoll's origin.
    pub center: [LaneValues; 3],
    /// Principal axes in world axes; unit length up to the stretch of one substep.
    pub axes: [[LaneValues; 3]; 3],
    /// Displacement of the center in the last substep, meters.
    pub moved: [LaneValues; 3],
    /// Displacement of the axes in the last substep.
    pub turned: [[LaneValues; 3]; 3],
}

impl BodyRows {
    /// A body at the origin, at rest.
    pub const AT_ORIGIN: Self = {
        const ONE: LaneValues = LaneValues([1.0; LANES]);
        let axes = [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO], [ZERO, ZERO, ONE]];
        Self { center: [ZERO; 3], axes, moved: [ZERO; 3], turned: [[ZERO; 3]; 3] }
    };
}

/// The lanes of a block that one vector processes.
pub struct Lanes<V: SingleLanes> {
    /// Proof that the processor has the instructions.
    pub token: V::Token,
    /// Index of the first of these lanes.
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

    /// Loads a row. A vector of sixteen starts at 0, which the compiler can see.
    #[inline(always)]
    pub fn load(self, row: &LaneValues) -> V {
        let first = if V::WIDTH == LANES { 0 } else { self.first };
        V::load(self.token, &row.0[first..])
    }

    /// Stores a vector of lanes into a row.
    #[inline(always)]
    pub fn store(self, value: V, row: &mut LaneValues) {
        let first = if V::WIDTH == LANES { 0 } else { self.first };
        value.store(&mut row.0[first..]);
    }

    /// Loads a vector from three rows.
    #[inline(always)]
    pub fn vector(self, rows: &[LaneValues; 3]) -> LaneVector<V> {
        LaneVector { x: self.load(&rows[0]), y: self.load(&rows[1]), z: self.load(&rows[2]) }
    }

    /// Loads three vectors.
    #[inline(always)]
    pub fn vectors(self, rows: &[[LaneValues; 3]; 3]) -> [LaneVector<V>; 3] {
        [self.vector(&rows[0]), self.vector(&rows[1]), self.vector(&rows[2])]
    }

    /// Stores a vector into three rows.
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

    /// `Σ coefficient · axis`; zero coefficients are skipped.
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
