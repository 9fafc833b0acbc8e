//! Contact and limit detection: finds those within reach of a stride, and measures how calm an instance is.

use super::bounds::{Axes, LaneLimit, bounds};
use super::pace::{Pace, Unrest};
use super::plan::{BatchColliders, Feeler};
use super::rows::{LaneContact, LaneLimitRow, TURN, at, like, turned, turns};
use super::touch::LaneContactSolver;
use super::{LanesOf, Settings};
use crate::math::lane_rotation::LaneMatrix;
use crate::math::lanes::Lanes;
use crate::rigid::rattle::{Mechanism, Rattle};

/// Gap below which a contact always has rows, meters.
pub(super) const NEAR_GAP: f64 = 0.01;

/// Distance to a joint limit below which the limit always has a row, radians.
const NEAR_ROOM: f64 = 0.03;

/// Strides of the present approach speed within which a contact or limit gets rows.
pub(super) const AHEAD: f64 = 2.0;

impl<V: Lanes> LaneContactSolver<V> {
    /// Detects contacts and limits within reach. Call [`Self::measure`] at these poses first.
    pub fn look(
        &mut self,
        (rattle, mechanism): (&Rattle<V>, Mechanism<'_>),
        (plan, lanes, settings): (&BatchColliders, &LanesOf<V>, &Settings),
        pace: &Pace<V>,
    ) {
        self.zero.within(
            #[inline(always)]
            || {
                self.contacts.clear();
                self.rows.clear();
                self.pairs.clear();
                (self.touched, self.held, self.paired) = (self.zero, self.zero, self.zero);
                self.unrest = Unrest::none(self.zero);
                // Approaches that could hit within the longest stride, which may be the next one.
                self.unrest.ahead = self.zero.like(pace.most * AHEAD * settings.time_step) / pace.stride;
                for &body in &mechanism.forest.order {
                    let velocity = lanes.momenta[body].velocity(&mechanism.bodies[body], &rattle.axes[body]);
                    self.velocities[body] = velocity;
                    self.unrest.turns(turns(&velocity));
                }
                let mut next = 0;
                for body in 0..mechanism.bodies.len() {
                    let first = [self.contacts.len(), self.rows.len()];
                    while let Some(feeler) = plan.feelers.get(next).filter(|feeler| feeler.body == body) {
                        self.feel((next, feeler), &rattle.axes[body], lanes, (settings, pace));
                        next += 1;
                    }
                    if let (Some(_), Some(parent)) = (&plan.bounded[body], mechanism.forest.parent[body]) {
                        self.bound((body, parent), lanes, (settings, pace));
                    }
                    self.of_body[body] = [first[0]..self.contacts.len(), first[1]..self.rows.len()];
                    self.is_busy[body] = self.contacts.len() > first[0] || self.rows.len() > first[1];
                }
            },
        );
    }

    /// Adds a contact if the point is near the plane in any lane.
    #[inline(always)]
    fn feel(
        &mut self,
        (index, feeler): (usize, &Feeler),
        axes: &LaneMatrix<V>,
        lanes: &LanesOf<V>,
        (settings, pace): (&Settings, &Pace<V>),
    ) {
        let zero = self.zero;
        let h = settings.time_step;
        let normal = like(zero, feeler.directions[0]);
        let (gap, arm) = feeler.gap(axes, &lanes.poses[feeler.body], lanes.levels[feeler.plane]);
        let approach = zero - normal.dot(at(&self.velocities[feeler.body], arm));
        let reach = approach.greatest(zero) * (AHEAD * h) + NEAR_GAP;
        let is_near = gap.is_below(reach);
        let is_soon = gap.is_below(approach * self.unrest.ahead + NEAR_GAP);
        self.unrest.hit = V::select(is_soon, self.unrest.hit.greatest(approach), self.unrest.hit);
        if !V::any(is_near) {
            return;
        }
        let one = zero.like(1.0);
        let near = V::select(is_near, one, zero);
        self.touched = self.touched.greatest(near);
        let hits = V::both((pace.stride * settings.bounce).is_below(approach), gap.is_below(approach * h));
        let apart = (zero - gap) * (1.0 / h);
        let deep = ((zero - gap) - zero.like(settings.slop)).greatest(zero) * (settings.recovery / h);
        let rest = V::select(zero.is_below(gap), apart, deep.least(pace.stride * settings.fastest_recovery));
        let target = if feeler.restitution > 0.0 { V::select(hits, approach * feeler.restitution, rest) } else { rest };
        let [a, b, c] = lanes.touching[index];
        let impulse = [a * near, b * near, c * near];
        self.contacts.push(LaneContact::new((index, near, arm), target, impulse));
    }

    /// Measures all joint limits. `rattle` must be factored at these poses.
    pub fn measure(&mut self, (rattle, mechanism): (&Rattle<V>, Mechanism<'_>), plan: &BatchColliders) {
        let zero = self.zero;
        zero.within(
            #[inline(always)]
            || {
                for (body, bounded) in plan.bounded.iter().enumerate() {
                    let (Some(bounded), Some(parent)) = (bounded, mechanism.forest.parent[body]) else { continue };
                    let (above, below) = if bounded.is_turned { (body, parent) } else { (parent, body) };
                    let axes: Axes<'_, V> = [
                        &turned(&rattle.axes[above], &bounded.frames[0]),
                        &turned(&rattle.axes[below], &bounded.frames[1]),
                    ];
                    let mut found = bounds(&bounded.bounds, axes);
                    if bounded.is_turned {
                        (found[0].turn, found[1].turn) = (-found[0].turn, -found[1].turn);
                    }
                    self.found[body] = found;
                }
            },
        );
    }

    /// Least room of all joint limits where [`Self::measure`] found them, radians: 0 within all, negative beyond one.
    pub fn least_room(&self, plan: &BatchColliders) -> V {
        let zero = self.zero;
        zero.within(
            #[inline(always)]
            || {
                let mut least = zero;
                for (found, _) in self.found.iter().zip(&plan.bounded).filter(|(_, bounded)| bounded.is_some()) {
                    // What is not a number counts as no limit.
                    least = found[0].room.least(found[1].room).least(least);
                }
                least
            },
        )
    }

    /// Adds rows for the limits of a joint that are near in any lane.
    #[inline(always)]
    fn bound(&mut self, (body, parent): (usize, usize), lanes: &LanesOf<V>, (settings, pace): (&Settings, &Pace<V>)) {
        let (zero, h) = (self.zero, settings.time_step);
        let spin = turns(&self.velocities[body]).minus(turns(&self.velocities[parent]));
        for bound in 0..2 {
            let LaneLimit { room, turn } = self.found[body][bound];
            let approach = zero - turn.dot(spin);
            let reach = approach.greatest(zero) * (AHEAD * h) + NEAR_ROOM;
            let is_near = room.is_below(reach);
            if !V::any(is_near) {
                continue;
            }
            let near = V::select(is_near, zero.like(1.0), zero);
            let passed = (zero - room) * (settings.recovery / h);
            let back = passed.least(pace.stride * (TURN * settings.fastest_recovery));
            let target = V::select(zero.is_below(room), (zero - room) * (1.0 / h), back);
            let impulse = lanes.bounding[body][bound] * near;
            self.rows.push(LaneLimitRow::new((body, bound), near, turn, [target, impulse]));
        }
    }
}
