//! Fields of acceleration that move a ragdoll as one rigid piece: a hand that leads it, or wind that no part of it feels more than another.
//!
//! ```text
//! a(x) = a_c + α × (x − c):    Δc += a h²,   Δf += (α × f) h²,   and the energy of both may be had
//! ```
//! No joint feels it where all bodies have it. Specification: mathematics 5.4, 8.1.

use glam::DVec3;

use super::ceiling::spread;
use super::plan::BatchModel;
use super::rows::{BodyRows, LaneValues, Lanes, ZERO};
use crate::math::single_lanes::SingleLanes;

/// Accelerations of a rigid motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceleration {
    /// Where [`Self::linear`] holds, metres.
    pub center: DVec3,
    /// Metres per second squared.
    pub linear: DVec3,
    /// Radians per second squared, world axes.
    pub angular: DVec3,
}

/// The fields of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushRows {
    /// At the ragdoll's origin, m/s².
    pub linear: [LaneValues; 3],
    /// rad/s².
    pub angular: [LaneValues; 3],
}

impl PushRows {
    /// No field.
    pub const NONE: Self = Self { linear: [ZERO; 3], angular: [ZERO; 3] };

    /// Copies the field of a lane from another.
    pub fn copy_lane(&mut self, lane: usize, (from, from_lane): (&Self, usize)) {
        let to = self.linear.iter_mut().chain(&mut self.angular);
        to.zip(from.linear.iter().chain(&from.angular)).for_each(|(to, from)| to.0[lane] = from.0[from_lane]);
    }
}

/// Makes room for the fields of so many bodies, 1 for one of all.
pub fn widen(rows: &mut Vec<PushRows>, bodies: usize) {
    if rows.len() < bodies {
        let all = rows.first().copied().unwrap_or(PushRows::NONE);
        rows.resize(bodies, all);
    }
}

/// Copies the fields of a lane from others; where there are none, none.
pub fn copy_lane(rows: &mut Vec<PushRows>, lane: usize, (from, from_lane): (&[PushRows], usize)) {
    widen(rows, from.len());
    for (body, to) in rows.iter_mut().enumerate() {
        match from.get(body).or(from.first()) {
            Some(from) => to.copy_lane(lane, (from, from_lane)),
            None => to.copy_lane(lane, (&PushRows::NONE, 0)),
        }
    }
}

/// Adds what fields do in a substep: one of all bodies, or one of each. Before bodies are predicted.
#[inline(always)]
pub fn push<V: SingleLanes>(
    lanes: Lanes<V>,
    (plan, substep): (&BatchModel, f32),
    fields: &[PushRows],
    bodies: &mut [BodyRows],
    ceiling: &mut LaneValues,
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
