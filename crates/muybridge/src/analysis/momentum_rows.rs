//! Momentum of a block of frames in lanes: what [`BodyMotion`] computes frame by frame, one frame per lane.
//!
//! ```text
//! H_n = ( Σ m (x_n − c_n) × (Δx − Δc) + R_n I R_nᵀ log(R_after R_beforeᵀ) ) / Δt,   P_n = M Δc / Δt        6.1, 6.2
//! ends:  Δx/Δt = (−3 x₀ + 4 x₁ − x₂)/2h,   ω = (4 log(R₁R₀ᵀ) − log(R₂R₀ᵀ))/2h         second order, and its mirror image
//! ```
//! The turn over two frames is unique below half a turn only; where the turns over one frame add up to more than 0.9 of
//! that, their sum is taken instead (6.1). That one frame of a block turns fast is a branch, that a lane does is a
//! selection: the bits of a lane do not depend on its neighbors.

use core::ops::Range;

use glam::{DMat3, DVec3};

use super::centroidal_motion::CentroidalMotion;
use super::momentum::{BodyMotion, Differences};
use crate::math::blocks;
use crate::math::lane_rotation::{LaneRotation, LaneVector, Tracks};
use crate::math::lanes::{Kernel, Lanes, Width};

/// A body and where its numbers lie.
#[derive(Clone, Debug)]
pub(super) struct BodyTracks {
    /// Item of the position tracks.
    pub position: usize,
    /// Item of the rotation tracks.
    pub rotation: usize,
    /// kg.
    pub mass: f64,
    /// About its centre, in its own axes, kg m².
    pub inertia: DMat3,
}

/// Centres and orientations of bodies over a few frames. Frames are counted from the first of the tracks.
#[derive(Clone, Copy)]
pub(super) struct BodyTrackSet<'a> {
    pub carried: &'a [BodyTracks],
    pub positions: Tracks<'a>,
    pub rotations: Tracks<'a>,
}

/// Where a block's results go; all three have one entry per row of the block, or none where nobody asks.
pub(super) struct RowsMut<'a> {
    pub first: usize,
    pub mass_center: &'a mut [DVec3],
    pub linear_momentum: &'a mut [DVec3],
    pub angular_momentum: &'a mut [DVec3],
}

impl<'a> RowsMut<'a> {
    /// The frames of the clip these are the rows of.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.mass_center.len()
    }

    /// Blocks of `length` rows.
    pub fn cut(self, length: usize) -> Vec<Self> {
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

/// Which frames of a clip a block needs to see and which of them it answers for.
#[derive(Clone, Debug)]
pub(super) struct FrameBlock {
    /// Frames of the whole clip.
    pub clip_frames: usize,
    /// Seconds between frames.
    pub frame_time: f64,
    /// Frames in view.
    pub view: Range<usize>,
    /// Frames answered for.
    pub rows: Range<usize>,
}

impl FrameBlock {
    /// Two frames on either side are in view: the ends of the clip need them.
    pub fn new(rows: Range<usize>, clip_frames: usize, frame_time: f64) -> Self {
        let view = rows.start.saturating_sub(HALO)..(rows.end + HALO).min(clip_frames);
        Self { clip_frames, frame_time, view, rows }
    }
}

/// Frames a block sees on either side of its rows.
pub(super) const HALO: usize = 2;

/// Fills `rows` from `bodies`, which hold the frames in view.
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

/// Three tracks: the centre of mass of all bodies in each of the first `frames` frames.
fn mass_centers(bodies: BodyTrackSet<'_>, frames: usize, width: Width) -> Vec<f64> {
    let mut centers = vec![0.0; 3 * frames];
    width.at_most(frames).run(MassCenters { bodies, frames, centers: &mut centers });
    centers
}

/// `c = Σ m x / M`.
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

/// The frames that have a neighbor on the sides they need.
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
    /// Over `N` frames: 3 from the one before to the one after, 2 from the one before to the frame itself.
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

/// A rotation vector, not yet multiplied out: the factor takes longest, and the inertia can be applied meanwhile.
struct UnscaledRotation<V> {
    axis: LaneVector<V>,
    factor: V,
}

impl<V: Lanes> UnscaledRotation<V> {
    /// `log(R_last R_firstᵀ)`.
    #[inline(always)]
    fn from_to(first: LaneRotation<V>, last: LaneRotation<V>) -> Self {
        let turn = last.since(first);
        Self { axis: turn.axis, factor: turn.log_factor() }
    }

    /// [`UnscaledRotation::from_to`] where that is unique, else the sum of the turns to and from `middle`.
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

    /// `R I Rᵀ φ`.
    #[inline(always)]
    fn spin(self, orientation: LaneRotation<V>, inertia: &DMat3) -> LaneVector<V> {
        let world_from_body = orientation.matrix();
        let per_factor = world_from_body.rotate_back(self.axis).transformed(inertia);
        world_from_body.rotate(per_factor).scaled(self.factor)
    }
}

/// Two cosines of half a turn over one frame that add up to this are both above `cos(0.9 π/4) = 0.7604`, since neither
/// is above 1: then the two turns are certainly below [`LARGEST_SUM`].
const SURELY_SLOW: f64 = 1.77;

/// Sum of two turns, radians, up to which the turn over both is taken for unique.
const LARGEST_SUM: f64 = 0.9 * core::f64::consts::PI;

/// A frame at an end of the clip, from itself and up to two frames on its one side.
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

/// Angular momentum over the steps between frames.
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
    /// Centre of mass of all bodies in every frame, metres.
    pub fn mass_center_rows(&self) -> Vec<DVec3> {
        let mut centers = vec![DVec3::ZERO; self.frames()];
        let pieces = centers.chunks_mut(BLOCK).enumerate().map(|(block, mass_center)| RowsMut {
            first: block * BLOCK,
            mass_center,
            linear_momentum: &mut [],
            angular_momentum: &mut [],
        });
        self.fill_blocks(pieces.collect(), 1.0, Differences::Central, Width::widest());
        centers
    }

    /// Centre of mass, linear momentum and angular momentum about the centre of mass in every frame; the first and, for
    /// central differences, the last frame from one side. A single frame has no momentum.
    pub fn centroidal_rows(&self, frame_time: f64, differences: Differences) -> CentroidalMotion {
        self.centroidal_rows_with_width(frame_time, differences, Width::widest())
    }

    /// [`BodyMotion::centroidal_rows`] with vectors of a given width; the result is the same to the bit.
    pub fn centroidal_rows_with_width(
        &self,
        frame_time: f64,
        differences: Differences,
        width: Width,
    ) -> CentroidalMotion {
        let mut motion = CentroidalMotion::zero(self.frames());
        self.fill_blocks(motion.blocks_mut(BLOCK), frame_time, differences, width);
        motion
    }

    /// Angular momentum about the centre of mass in every frame, kg m²/s; see [`BodyMotion::centroidal_rows`].
    pub fn angular_momentum_rows(&self, frame_time: f64, differences: Differences) -> Vec<DVec3> {
        self.centroidal_rows(frame_time, differences).angular_momentum
    }

    /// Angular momentum about the centre of mass over every step between two frames, kg m²/s: entry `n` is
    /// [`BodyMotion::half_step_angular_momentum`] of frame `n`. One entry fewer than frames.
    pub fn half_step_angular_momentum_rows(&self, frame_time: f64) -> Vec<DVec3> {
        self.half_step_angular_momentum_rows_with_width(frame_time, Width::widest())
    }

    /// [`BodyMotion::half_step_angular_momentum_rows`] with vectors of a given width; the result is the same to the bit.
    pub fn half_step_angular_momentum_rows_with_width(&self, frame_time: f64, width: Width) -> Vec<DVec3> {
        let carried = self.carried();
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
        let carried = self.carried();
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

    fn carried(&self) -> Vec<BodyTracks> {
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

/// Frames per block of a motion that is in memory as a whole.
const BLOCK: usize = 512;
