//! Lane layout: rows of f32, one per ragdoll of a block of sixteen or one, and how vectors of any width read them.

use core::fmt::Debug;
use core::ops::{Index, IndexMut};

use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Width;
use crate::math::single_lanes::{SingleKernel, SingleLanes};

/// Number of ragdolls in a block of a herd, independent of the vector width.
pub const LANES: usize = 16;

/// How many ragdolls a block holds. A ragdoll has the same bits in any block.
pub trait BlockWidth: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Number of ragdolls.
    const LANES: usize;
    /// One number per ragdoll.
    type Row: Copy + Debug + PartialEq + Send + Sync + AsRef<[f32]> + AsMut<[f32]> + IndexMut<usize, Output = f32>;
    /// A row of zeros.
    const ZERO: Self::Row;
    /// A row of ones.
    const ONE: Self::Row;

    /// Runs a kernel on a block whose first `filled` lanes are in use.
    fn run<K: SingleKernel + Send>(width: Width, filled: usize, kernel: K) -> K::Output
    where
        K::Output: Send;
}

/// Blocks of sixteen ragdolls, for many: vectors of any width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sixteen;

/// Blocks of one ragdoll, for few. A row of sixteen would take a cache line for its one number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct One;

/// Sixteen numbers in a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct LaneRow(pub [f32; LANES]);

impl AsRef<[f32]> for LaneRow {
    #[inline(always)]
    fn as_ref(&self) -> &[f32] {
        &self.0
    }
}

impl AsMut<[f32]> for LaneRow {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [f32] {
        &mut self.0
    }
}

impl Index<usize> for LaneRow {
    type Output = f32;

    #[inline(always)]
    fn index(&self, lane: usize) -> &f32 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for LaneRow {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut f32 {
        &mut self.0[lane]
    }
}

impl BlockWidth for Sixteen {
    const LANES: usize = LANES;
    type Row = LaneRow;
    const ZERO: LaneRow = LaneRow([0.0; LANES]);
    const ONE: LaneRow = LaneRow([1.0; LANES]);

    fn run<K: SingleKernel + Send>(width: Width, filled: usize, kernel: K) -> K::Output
    where
        K::Output: Send,
    {
        width.for_singles(filled).run_single(kernel)
    }
}

impl BlockWidth for One {
    const LANES: usize = 1;
    type Row = [f32; 1];
    const ZERO: [f32; 1] = [0.0];
    const ONE: [f32; 1] = [1.0];

    fn run<K: SingleKernel + Send>(width: Width, _: usize, kernel: K) -> K::Output
    where
        K::Output: Send,
    {
        width.run_alone(kernel)
    }
}

/// One number per ragdoll of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneValues<W: BlockWidth = Sixteen>(pub W::Row);

impl<W: BlockWidth> LaneValues<W> {
    /// Zero in every lane.
    pub const ZERO: Self = Self(W::ZERO);
    /// One in every lane.
    pub const ONE: Self = Self(W::ONE);

    /// The number of each lane.
    pub fn of(mut number: impl FnMut(usize) -> f32) -> Self {
        let mut row = W::ZERO;
        (0..W::LANES).for_each(|lane| row[lane] = number(lane));
        Self(row)
    }
}

/// Zero in every lane.
pub const ZERO: LaneValues = LaneValues::ZERO;

/// State of a body in the ragdolls of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRows<W: BlockWidth = Sixteen> {
    /// Center of mass, meters from the ragdoll's origin.
    pub center: [LaneValues<W>; 3],
    /// Principal axes in world axes; unit length up to the stretch of one substep.
    pub axes: [[LaneValues<W>; 3]; 3],
    /// Displacement of the center in the last substep, meters.
    pub moved: [LaneValues<W>; 3],
    /// Displacement of the axes in the last substep.
    pub turned: [[LaneValues<W>; 3]; 3],
}

impl<W: BlockWidth> BodyRows<W> {
    /// A body at the origin, at rest.
    pub const AT_ORIGIN: Self = {
        let (zero, one) = (LaneValues::ZERO, LaneValues::ONE);
        let axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        Self { center: [zero; 3], axes, moved: [zero; 3], turned: [[zero; 3]; 3] }
    };
}

/// Copies bodies of ragdolls; each pair of lanes is target and source.
pub fn copy_lanes<W: BlockWidth>(to: &mut [BodyRows<W>], from: &[BodyRows<W>], lanes: &[(usize, usize)]) {
    for (to, from) in to.iter_mut().zip(from) {
        let axes = to.axes.iter_mut().zip(&from.axes).chain(to.turned.iter_mut().zip(&from.turned));
        let all = axes.chain([(&mut to.center, &from.center), (&mut to.moved, &from.moved)]);
        for (to, from) in all.flat_map(|(to, from)| to.iter_mut().zip(from)) {
            copy_row(to, from, lanes);
        }
    }
}

/// Copies numbers of ragdolls; each pair of lanes is target and source.
pub fn copy_row<W: BlockWidth>(to: &mut LaneValues<W>, from: &LaneValues<W>, lanes: &[(usize, usize)]) {
    for &(lane, from_lane) in lanes {
        to.0[lane % W::LANES] = from.0[from_lane % W::LANES];
    }
}

/// Copies a body of a ragdoll from one lane to another.
pub fn copy_lane<W: BlockWidth>((to, lane): (&mut BodyRows<W>, usize), (from, from_lane): (&BodyRows<W>, usize)) {
    for axis in 0..3 {
        to.center[axis].0[lane] = from.center[axis].0[from_lane];
        to.moved[axis].0[lane] = from.moved[axis].0[from_lane];
        for component in 0..3 {
            to.axes[axis][component].0[lane] = from.axes[axis][component].0[from_lane];
            to.turned[axis][component].0[lane] = from.turned[axis][component].0[from_lane];
        }
    }
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

    /// Loads a row. A vector as wide as the block starts at 0, which the compiler can see.
    #[inline(always)]
    pub fn load<W: BlockWidth>(self, row: &LaneValues<W>) -> V {
        let first = if V::WIDTH == W::LANES { 0 } else { self.first };
        V::load(self.token, &row.0.as_ref()[first..])
    }

    /// Stores a vector of lanes into a row.
    #[inline(always)]
    pub fn store<W: BlockWidth>(self, value: V, row: &mut LaneValues<W>) {
        let first = if V::WIDTH == W::LANES { 0 } else { self.first };
        value.store(&mut row.0.as_mut()[first..]);
    }

    /// Loads a vector from three rows.
    #[inline(always)]
    pub fn vector<W: BlockWidth>(self, rows: &[LaneValues<W>; 3]) -> LaneVector<V> {
        LaneVector { x: self.load(&rows[0]), y: self.load(&rows[1]), z: self.load(&rows[2]) }
    }

    /// Loads three vectors.
    #[inline(always)]
    pub fn vectors<W: BlockWidth>(self, rows: &[[LaneValues<W>; 3]; 3]) -> [LaneVector<V>; 3] {
        [self.vector(&rows[0]), self.vector(&rows[1]), self.vector(&rows[2])]
    }

    /// Stores a vector into three rows.
    #[inline(always)]
    pub fn store_vector<W: BlockWidth>(self, vector: LaneVector<V>, rows: &mut [LaneValues<W>; 3]) {
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
