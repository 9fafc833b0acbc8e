//! Acceleration fields that move a ragdoll as one rigid piece: a root assist, or a wind that acts equally on all parts.
//!
//! ```text
//! a(x) = a_c + α × (x − c):    Δc += a h²,   Δf += (α × f) h²,   and the energy limit grows by the work
//! ```
//! If all bodies have the field, joints carry no load from it. Specification: mathematics 5.4, 8.1.

use glam::DVec3;

use super::ceiling::spread;
use super::plan::BatchModel;
use super::rows::{BlockWidth, BodyRows, LaneValues, Lanes, Sixteen};
use crate::math::single_lanes::SingleLanes;

/// Acceleration field of a rigid motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceleration {
    /// Point at which the acceleration is [`Self::linear`], meters.
    pub center: DVec3,
    /// Linear acceleration at the center, meters per second squared.
    pub linear: DVec3,
    /// Angular acceleration, radians per second squared, world axes.
    pub angular: DVec3,
}

/// Acceleration fields of a block, one per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushRows<W: BlockWidth = Sixteen> {
    /// Linear acceleration at the ragdoll's origin, m/s².
    pub linear: [LaneValues<W>; 3],
    /// Angular acceleration, rad/s².
    pub angular: [LaneValues<W>; 3],
}

impl<W: BlockWidth> PushRows<W> {
    /// Zero field in all lanes.
    pub const NONE: Self = Self { linear: [LaneValues::ZERO; 3], angular: [LaneValues::ZERO; 3] };

    /// Copies the field of one lane from another.
    pub fn copy_lane(&mut self, lane: usize, (from, from_lane): (&Self, usize)) {
        let to = self.linear.iter_mut().chain(&mut self.angular);
        to.zip(from.linear.iter().chain(&from.angular)).for_each(|(to, from)| to.0[lane] = from.0[from_lane]);
    }
}

/// Extends the list to fields for `bodies` bodies; 1 means one field for all.
pub fn widen<W: BlockWidth>(rows: &mut Vec<PushRows<W>>, bodies: usize) {
    if rows.len() < bodies {
        let all = rows.first().copied().unwrap_or(PushRows::NONE);
        rows.resize(bodies, all);
    }
}

/// Copies all fields of one lane from another list; a missing field counts as zero.
pub fn copy_lane<W: BlockWidth>(rows: &mut Vec<PushRows<W>>, lane: usize, (from, from_lane): (&[PushRows<W>], usize)) {
    widen(rows, from.len());
    for (body, to) in rows.iter_mut().enumerate() {
        match from.get(body).or(from.first()) {
            Some(from) => to.copy_lane(lane, (from, from_lane)),
            None => to.copy_lane(lane, (&PushRows::NONE, 0)),
        }
    }
}

/// Adds the displacements by the fields in a substep, before the prediction. `fields` holds one for all bodies, or one
/// per body.
#[inline(always)]
pub fn push<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    (plan, substep): (&BatchModel, f32),
    fields: &[PushRows<W>],
    bodies: &mut [BodyRows<W>],
    ceiling: &mut LaneValues<W>,
) {
    let squared = substep * substep;
    let mut work = lanes.same(0.0);
    for (index, (body, rows)) in plan.bodies.iter().zip(bodies).enumerate() {
        let field = &fields[if fields.len() == 1 { 0 } else { index }];
        let (linear, angular) = (lanes.vector(&field.linear), lanes.vector(&field.angular));
        let arm = lanes.vector(&rows.center);
        let more = lanes.times(linear.plus(angular.cross(arm)), squared);
        let moved = lanes.vector(&rows.moved);
        work = work + moved.plus(lanes.times(more, 0.5)).dot(more) * lanes.same(body.mass);
        lanes.store_vector(moved.plus(more), &mut rows.moved);
        let spread = spread(body.moments);
        for axis in 0..3 {
            let more = lanes.times(angular.cross(lanes.vector(&rows.axes[axis])), squared);
            let turned = lanes.vector(&rows.turned[axis]);
            work = work + turned.plus(lanes.times(more, 0.5)).dot(more) * lanes.same(spread[axis]);
            lanes.store_vector(turned.plus(more), &mut rows.turned[axis]);
        }
    }
    lanes.store(lanes.load(ceiling) + work.greatest(lanes.same(0.0)), ceiling);
}
