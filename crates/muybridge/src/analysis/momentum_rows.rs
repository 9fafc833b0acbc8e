//! Momentum of a block of frames in SIMD lanes: the same numbers as [`BodyMotion`] computes frame by frame, with one frame per lane.
//!
//! ```text
//! H_n = ( Σ m (x_n − c_n) × (Δx − Δc) + R_n I R_nᵀ log(R_after R_beforeᵀ) ) / Δt,   P_n = M Δc / Δt        6.1, 6.2
//! ends:  Δx/Δt = (−3 x₀ + 4 x₁ − x₂)/2h,   ω = (4 log(R₁R₀ᵀ) − log(R₂R₀ᵀ))/2h         second order, and its mirror image
//! ```
//! The rotation over two frames is unique only below half a turn. If the rotations over the single frames add up to more than 0.9 of half a turn,
//! their sum is used instead (6.1). A branch tests whether any lane of a block turns that fast, and a selection picks per lane: the bits of a lane
//! do not depend on its neighbors.

use core::ops::Range;

use glam::{DMat3, DVec3};

use super::centroidal_motion::CentroidalMotion;
use super::momentum::{BodyMotion, Differences};
use crate::math::blocks;
use crate::math::lane_rotation::{LaneRotation, LaneVector, Tracks};
use crate::math::lanes::{Kernel, Lanes, Width};

/// A body with mass, and the indices of its tracks.
#[derive(Clone, Debug)]
pub(super) struct BodyTracks {
    /// Index of the body's position tracks.
    pub position: usize,
    /// Index of the body's rotation tracks.
    pub rotation: usize,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the body's center of mass, in the body's axes, kg m².
    pub inertia: DMat3,
}

/// Tracks of centers of mass and orientations of bodies over a few frames. Frames are counted from the first of the tracks.
#[derive(Clone, Copy)]
pub(super) struct BodyTrackSet<'a> {
    pub carried: &'a [BodyTracks],
    pub positions: Tracks<'a>,
    pub rotations: Tracks<'a>,
}

/// Output rows of a block. Each list has one entry per row of the block; momentum lists may be empty if they are not needed.
pub(super) struct RowsMut<'a> {
    pub first: usize,
    pub mass_center: &'a mut [DVec3],
    pub linear_momentum: &'a mut [DVec3],
    pub angular_momentum: &'a mut [DVec3],
}

impl<'a> RowsMut<'a> {
    /// Range of clip frames that these rows cover.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first..self.first + self.mass_center.len()
    }

    /// Splits the rows into blocks of `length` rows.
    pub(crate) fn cut(self, length: usize) -> Vec<Self> {
        let centers = self.mass_center.chunks_mut(length);
        let momenta = self.linear_momentum.chunks_mut(length).zip(self.angular_momentum.chunks_mut(length));
        let block = |(index, (mass_center, (linear_momentum, angular_momentum)))| Self {
            first: self.first + index * length,
            mass_center,
            linear_momentum,
            angular_momentum,
        };
        centers.zip(momenta).enumerate().map(block).collect()
    }
}

/// Frame ranges of a block: the frames it reads, and the frames whose rows it writes.
#[derive(Clone, Debug)]
pub(super) struct FrameBlock {
    /// Number of frames of the whole clip.
    pub clip_frames: usize,
    /// Seconds between frames.
    pub frame_time: f64,
    /// Range of clip frames that the block reads.
    pub view: Range<usize>,
    /// Range of clip frames whose rows the block writes.
    pub rows: Range<usize>,
}

impl FrameBlock {
    /// Creates the ranges for a block that writes `rows`. It reads two more frames on either side, for the one-sided differences at the ends of the
    /// clip.
    pub(crate) fn new(rows: Range<usize>, clip_frames: usize, frame_time: f64) -> Self {
        let view = rows.start.saturating_sub(HALO)..(rows.end + HALO).min(clip_frames);
        Self { clip_frames, frame_time, view, rows }
    }
}

/// Number of frames that a block reads on either side of its rows.
pub(super) const HALO: usize = 2;

/// Computes the output `rows` from `bodies`, which hold the frames the block reads.
pub(super) fn fill_rows(
    bodies: BodyTrackSet<'_>,
    span: &FrameBlock,
    differences: Differences,
    width: Width,
    rows: &mut RowsMut<'_>,
) {
    let frames = span.view.len();
    let centers = mass_centers(bodies, frames, width);
    let centers = Tracks { values: &centers, stride: frames };
    let offset = span.rows.start - span.view.start;
    for (row, center) in rows.mass_center.iter_mut().enumerate() {
        *center = dvec3(centers.vector::<f64>((), 0, offset + row));
    }
    if rows.angular_momentum.is_empty() {
        return;
    }
    let before_last = if differences == Differences::Central { span.clip_frames - 1 } else { span.clip_frames };
    let inner = span.rows.start.max(1)..span.rows.end.min(before_last);
    if !inner.is_empty() {
        let kernel = InnerRows { bodies, centers, span, differences, inner: inner.clone(), rows };
        width.at_most(inner.len()).run(kernel);
    }
    for row in span.rows.clone().filter(|row| !inner.contains(row)) {
        end_row(bodies, centers, span, differences, row, rows);
    }
}

/// Computes three tracks: the center of mass of all bodies in each of the first `frames` frames.
fn mass_centers(bodies: BodyTrackSet<'_>, frames: usize, width: Width) -> Vec<f64> {
    let mut centers = vec![0.0; 3 * frames];
    width.at_most(frames).run(MassCenters { bodies, frames, centers: &mut centers });
    centers
}

/// Kernel for the center of mass: `c = Σ m x / M`.
struct MassCenters<'a> {
    bodies: BodyTrackSet<'a>,
    frames: usize,
    centers: &'a mut [f64],
}

impl Kernel for MassCenters<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let mass = total_mass(self.bodies.carried);
        for start in (0..self.frames).step_by(V::WIDTH) {
            let frame = start.min(self.frames - V::WIDTH);
            let mut moment = LaneVector::splat(token, DVec3::ZERO);
            for body in self.bodies.carried {
                let position = self.bodies.positions.vector::<V>(token, body.position, frame);
                moment = moment.plus(position.times(body.mass));
            }
            let LaneVector { x, y, z } = moment;
            let mass = x.like(mass);
            LaneVector { x: x / mass, y: y / mass, z: z / mass }.store(self.centers, self.frames, frame);
        }
    }
}

fn total_mass(carried: &[BodyTracks]) -> f64 {
    carried.iter().map(|body| body.mass).sum()
}

/// Kernel for the frames that have all neighbors they need.
struct InnerRows<'a, 'b> {
    bodies: BodyTrackSet<'a>,
    centers: Tracks<'a>,
    span: &'a FrameBlock,
    differences: Differences,
    inner: Range<usize>,
    rows: &'a mut RowsMut<'b>,
}

impl Kernel for InnerRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        if self.differences == Differences::Central {
            self.differences_over::<V, 3>(token);
        } else {
            self.differences_over::<V, 2>(token);
        }
    }
}

impl InnerRows<'_, '_> {
    /// Computes rows from differences over `N` frames: with 3 from the frame before to the frame after, with 2 from the frame before to the frame
    /// itself.
    #[inline(always)]
    fn differences_over<V: Lanes, const N: usize>(self, token: V::Token) {
        let seconds = (N - 1) as f64 * self.span.frame_time;
        let momentum_per_step = total_mass(self.bodies.carried) / seconds;
        for start in self.inner.clone().step_by(V::WIDTH) {
            let row = start.min(self.inner.end - V::WIDTH);
            let before = row - 1 - self.span.view.start;
            let centers: [LaneVector<V>; N] = self.centers.vectors(token, 0, before);
            let center_step = centers[N - 1].minus(centers[0]);
            let mut total = LaneVector::splat(token, DVec3::ZERO);
            for body in self.bodies.carried {
                let positions: [LaneVector<V>; N] = self.bodies.positions.vectors(token, body.position, before);
                let step = positions[N - 1].minus(positions[0]).minus(center_step);
                let swing = positions[1].minus(centers[1]).cross(step);
                let rotations: [LaneRotation<V>; N] = self.bodies.rotations.rotations(token, body.rotation, before);
                let turn = if N == 3 {
                    UnscaledRotation::over_two(rotations[0], rotations[1], rotations[N - 1])
                } else {
                    UnscaledRotation::from_to(rotations[0], rotations[1])
                };
                total = total.plus(swing.times(body.mass)).plus(turn.spin(rotations[1], &body.inertia));
            }
            let out = row - self.rows.first;
            center_step.times(momentum_per_step).store_rows(&mut self.rows.linear_momentum[out..]);
            total.times(1.0 / seconds).store_rows(&mut self.rows.angular_momentum[out..]);
        }
    }
}

/// Rotation vector whose factor is not yet applied: the factor takes longest, and the inertia can be applied meanwhile.
struct UnscaledRotation<V> {
    axis: LaneVector<V>,
    factor: V,
}

impl<V: Lanes> UnscaledRotation<V> {
    /// Rotation `log(R_last R_firstᵀ)`.
    #[inline(always)]
    fn from_to(first: LaneRotation<V>, last: LaneRotation<V>) -> Self {
        let turn = last.since(first);
        Self { axis: turn.axis, factor: turn.log_factor() }
    }

    /// [`UnscaledRotation::from_to`] if the rotation is unique, else the sum of the rotations from `first` to `middle` and from `middle` to `last`.
    #[inline(always)]
    fn over_two(first: LaneRotation<V>, middle: LaneRotation<V>, last: LaneRotation<V>) -> Self {
        let whole = Self::from_to(first, last);
        let both = middle.dot(first.plus(last));
        if !V::any(both.is_below(both.like(SURELY_SLOW))) {
            return whole;
        }
        let (left, right) = (middle.since(first).log(), last.since(middle).log());
        let sum = left.dot(left).sqrt() + right.dot(right).sqrt();
        let is_slow = sum.is_below(sum.like(LARGEST_SUM));
        Self {
            axis: LaneVector::select(is_slow, whole.axis, left.plus(right)),
            factor: V::select(is_slow, whole.factor, both.like(1.0)),
        }
    }

    /// `R I Rᵀ φ` for this rotation vector φ.
    #[inline(always)]
    fn spin(self, orientation: LaneRotation<V>, inertia: &DMat3) -> LaneVector<V> {
        let world_from_body = orientation.matrix();
        let per_factor = world_from_body.rotate_back(self.axis).transformed(inertia);
        world_from_body.rotate(per_factor).scaled(self.factor)
    }
}

/// Bound on the sum of two cosines, each of half the rotation over one frame. Neither is above 1, so above this sum both exceed `cos(0.9 π/4) =
/// 0.7604`: then the rotations certainly add up to less than [`LARGEST_SUM`].
const SURELY_SLOW: f64 = 1.77;

/// Sum of two rotation angles, radians, up to which the rotation over both is considered unique.
const LARGEST_SUM: f64 = 0.9 * core::f64::consts::PI;

/// Computes the row of a frame at an end of the clip from the frame itself and up to two frames on its one side.
fn end_row(
    bodies: BodyTrackSet<'_>,
    centers: Tracks<'_>,
    span: &FrameBlock,
    differences: Differences,
    row: usize,
    rows: &mut RowsMut<'_>,
) {
    if span.clip_frames == 1 {
        return;
    }
    let out = row - rows.first;
    let second_order = differences == Differences::Central && span.clip_frames > 2;
    let frame = row - span.view.start;
    let (next, second, seconds) = match row {
        0 => (frame + 1, frame + if second_order { 2 } else { 1 }, span.frame_time),
        _ => (frame - 1, frame - if second_order { 2 } else { 1 }, -span.frame_time),
    };
    let velocity = |at: &dyn Fn(usize) -> DVec3| {
        if second_order {
            (4.0 * at(next) - 3.0 * at(frame) - at(second)) / (2.0 * seconds)
        } else {
            (at(next) - at(frame)) / seconds
        }
    };
    let center_at = |at| dvec3(centers.vector::<f64>((), 0, at));
    let (center, center_velocity) = (center_at(frame), velocity(&center_at));
    let mut total = DVec3::ZERO;
    for body in bodies.carried {
        let position = |at| dvec3(bodies.positions.vector::<f64>((), body.position, at));
        let rotation = |at| bodies.rotations.rotation::<f64>((), body.rotation, at);
        total += body.mass * (position(frame) - center).cross(velocity(&position) - center_velocity);
        let step = rotation(next).since(rotation(frame)).log();
        let (step_turn, second_turn) = (dvec3(step), dvec3(rotation(second).since(rotation(next)).log()));
        let rate = if second_order && step_turn.length() + second_turn.length() < LARGEST_SUM {
            (4.0 * step_turn - dvec3(rotation(second).since(rotation(frame)).log())) / (2.0 * seconds)
        } else {
            step_turn / seconds
        };
        let rate = UnscaledRotation { axis: LaneVector::splat((), rate), factor: 1.0 };
        total += dvec3(rate.spin(rotation(frame), &body.inertia));
    }
    rows.linear_momentum[out] = total_mass(bodies.carried) * center_velocity;
    rows.angular_momentum[out] = total;
}

fn dvec3(v: LaneVector<f64>) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// Kernel for the angular momentum over the steps between frames.
struct HalfSteps<'a> {
    bodies: BodyTrackSet<'a>,
    centers: Tracks<'a>,
    frame_time: f64,
    steps: &'a mut [DVec3],
}

impl Kernel for HalfSteps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        for start in (0..self.steps.len()).step_by(V::WIDTH) {
            let frame = start.min(self.steps.len() - V::WIDTH);
            let center = self.centers.vector::<V>(token, 0, frame);
            let next_center = self.centers.vector::<V>(token, 0, frame + 1);
            let mut total = LaneVector::<V>::splat(token, DVec3::ZERO);
            for body in self.bodies.carried {
                let arm = self.bodies.positions.vector::<V>(token, body.position, frame).minus(center);
                let next_arm = self.bodies.positions.vector::<V>(token, body.position, frame + 1).minus(next_center);
                let orientation = self.bodies.rotations.rotation::<V>(token, body.rotation, frame);
                let next = self.bodies.rotations.rotation::<V>(token, body.rotation, frame + 1);
                let spin = UnscaledRotation::from_to(orientation, next).spin(orientation.halfway(next), &body.inertia);
                total = total.plus(arm.cross(next_arm).times(body.mass)).plus(spin);
            }
            total.times(1.0 / self.frame_time).store_rows(&mut self.steps[frame..]);
        }
    }
}

impl BodyMotion {
    /// Center of mass, linear momentum and angular momentum about the center of mass in every frame. The first and, for central differences, the
    /// last frame use one-sided differences. A single frame has no momentum.
    pub(crate) fn centroidal_rows(&self, frame_time: f64, differences: Differences) -> CentroidalMotion {
        self.centroidal_rows_with_width(frame_time, differences, Width::widest())
    }

    /// [`BodyMotion::centroidal_rows`] with SIMD vectors of a given width; the result is the same to the bit.
    pub(crate) fn centroidal_rows_with_width(
        &self,
        frame_time: f64,
        differences: Differences,
        width: Width,
    ) -> CentroidalMotion {
        let mut motion = CentroidalMotion::zero(self.frames());
        self.fill_blocks(motion.blocks_mut(BLOCK), frame_time, differences, width);
        motion
    }

    /// Angular momentum about the center of mass over every step between two frames, kg m²/s: entry `n` is
    /// [`BodyMotion::half_step_angular_momentum`] of frame `n`. One entry fewer than frames.
    pub(crate) fn half_step_angular_momentum_rows(&self, frame_time: f64) -> Vec<DVec3> {
        self.half_step_angular_momentum_rows_with_width(frame_time, Width::widest())
    }

    /// [`BodyMotion::half_step_angular_momentum_rows`] with SIMD vectors of a given width; the result is the same to the bit.
    pub(crate) fn half_step_angular_momentum_rows_with_width(&self, frame_time: f64, width: Width) -> Vec<DVec3> {
        let carried = self.body_tracks();
        let mut steps = vec![DVec3::ZERO; self.frames() - 1];
        let pieces = steps.chunks_mut(BLOCK).enumerate().collect();
        blocks::for_each(
            pieces,
            || (),
            |(), (block, steps): (usize, &mut [DVec3])| {
                let bodies = self.bodies_from(&carried, block * BLOCK);
                let frames = steps.len() + 1;
                let centers = mass_centers(bodies, frames, width);
                let centers = Tracks { values: &centers, stride: frames };
                width.at_most(steps.len()).run(HalfSteps { bodies, centers, frame_time, steps });
            },
        );
        steps
    }

    fn fill_blocks(&self, pieces: Vec<RowsMut<'_>>, frame_time: f64, differences: Differences, width: Width) {
        let carried = self.body_tracks();
        blocks::for_each(
            pieces,
            || (),
            |(), mut rows| {
                let span = FrameBlock::new(rows.range(), self.frames(), frame_time);
                let bodies = self.bodies_from(&carried, span.view.start);
                fill_rows(bodies, &span, differences, width, &mut rows);
            },
        );
    }

    fn body_tracks(&self) -> Vec<BodyTracks> {
        let body = |body: usize| BodyTracks {
            position: body,
            rotation: body,
            mass: self.masses[body],
            inertia: self.inertias[body],
        };
        (0..self.bodies()).map(body).collect()
    }

    fn bodies_from<'a>(&'a self, carried: &'a [BodyTracks], frame: usize) -> BodyTrackSet<'a> {
        let from = |values: &'a [f64]| Tracks { values: values.get(frame..).unwrap_or(&[]), stride: self.frames() };
        BodyTrackSet { carried, positions: from(&self.positions), rotations: from(&self.rotations) }
    }
}

/// Frames per block of a motion that is completely in memory.
const BLOCK: usize = 512;
