//! Phases of a biped: when it stands, shifts its weight and steps, and where it places its feet.

use glam::{DVec2, DVec3};

use super::{Biped, BipedState};
use crate::behavior::sensed::Sensed;
use crate::behavior::support::{above, nearest};
use crate::math::hull::ConvexPolygon;

/// Phase of a biped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BipedPhase {
    /// Stand: both feet carry.
    Stand,
    /// Shift: the weight moves over the next standing foot (0 left, 1 right).
    Shift {
        /// Foot that will carry: 0 left, 1 right.
        onto: usize,
        /// Time since the begin of the phase, seconds.
        elapsed: f64,
    },
    /// Step: one foot carries, the other swings.
    Step {
        /// Swinging foot: 0 left, 1 right.
        free: usize,
        /// Time since the foot left the ground, seconds.
        elapsed: f64,
        /// Position of the middle of the sole when it left the ground, meters.
        from: DVec3,
        /// Target position of the middle of the sole, meters.
        to: DVec3,
        /// Planned duration of the step, seconds.
        seconds: f64,
    },
}

/// Rate at which the capture point returns to its reference, in units of ω0.
const RETURN: f64 = 1.0;
/// Margin of the soles that the center of pressure avoids on every side, meters.
const MARGIN: f64 = 0.01;
/// Duration of a recovery step, seconds.
const QUICK: f64 = 0.30;
/// Time in which the weight moves to the other foot after landing, seconds.
pub(super) const HANDOVER: f64 = 0.05;
/// Greatest distance of a foothold from the other foot, meters.
const REACH: f64 = 0.75;
/// Distance outside of the capture point at which a stopping step lands, meters.
const OUTSIDE: f64 = 0.05;
/// Least lateral distance of the feet, meters.
pub(super) const NARROW: f64 = 0.13;

impl BipedPhase {
    /// Share of the weight on left and right foot according to the phase.
    pub(super) fn shares(&self) -> [f64; 2] {
        match *self {
            Self::Step { free: 0, .. } => [0.0, 1.0],
            Self::Step { .. } => [1.0, 0.0],
            Self::Stand | Self::Shift { .. } => [0.5, 0.5],
        }
    }
}

impl Biped {
    /// Advances the state machine: stand, shift, step.
    pub(super) fn advance(&mut self, sensed: &Sensed, now: &BipedState) {
        let walks = self.gait.velocity.length() > 1e-3;
        match self.phase {
            BipedPhase::Stand if self.may_step && self.falls(now) => self.save(now),
            BipedPhase::Stand if walks => self.phase = BipedPhase::Shift { onto: 1, elapsed: 0.0 },
            BipedPhase::Stand => {}
            BipedPhase::Shift { onto, elapsed } => {
                let ready = (now.capture - self.shifted(onto, now)).length() < 0.03;
                if !walks {
                    self.phase = BipedPhase::Stand;
                } else if ready || elapsed > 1.0 {
                    self.lift(1 - onto, now, self.gait.step_time);
                } else {
                    self.phase = BipedPhase::Shift { onto, elapsed: elapsed + sensed.step };
                }
            }
            BipedPhase::Step { free, elapsed, from, seconds, .. } => {
                let lands = elapsed > 0.6 * seconds && now.loads[free] > 0.02 * sensed.mass * sensed.gravity.length();
                if lands || elapsed > 1.6 * seconds {
                    self.steps += 1;
                    self.phase = BipedPhase::Stand;
                    let keeps = walks || self.may_step && self.falls(now);
                    if keeps {
                        let quick = if walks { self.gait.step_time } else { QUICK };
                        self.lift(1 - free, now, quick);
                    }
                } else {
                    let to = self.foothold(free, (seconds - elapsed).max(0.0), now);
                    self.phase = BipedPhase::Step { free, elapsed: elapsed + sensed.step, from, to, seconds };
                }
            }
        }
    }

    fn lift(&mut self, free: usize, now: &BipedState, seconds: f64) {
        let to = self.foothold(free, seconds, now);
        self.phase = BipedPhase::Step { free, elapsed: 0.0, from: now.middles[free], to, seconds };
    }

    /// True if the biped cannot keep standing without a step: the capture point is outside of the support polygon.
    fn falls(&self, now: &BipedState) -> bool {
        self.polygon(now, 0.0).signed_distance(now.capture) > 0.0
    }

    /// Begins the recovery step with the lower cost of foot placement.
    fn save(&mut self, now: &BipedState) {
        let effort = [0, 1].map(|free: usize| {
            let stands = above(now.middles[1 - free]);
            let wanted = self.capture_at_landing(free, QUICK, now);
            let to = above(self.reachable(free, wanted, now));
            (to - wanted).length() * 10.0 + (to - above(now.middles[free])).length() + 0.1 * (to - stands).length()
        });
        self.lift(if effort[0] < effort[1] { 0 } else { 1 }, now, QUICK);
    }

    /// Capture point ξ at the landing of the free foot, with the pressure at the best place of the standing sole.
    fn capture_at_landing(&self, free: usize, seconds: f64, now: &BipedState) -> DVec2 {
        now.pendulum.capture_point_after(now.capture, self.pressure_of_step(free, now), seconds)
    }

    /// Target position of the middle of the free foot's sole.
    fn foothold(&self, free: usize, left: f64, now: &BipedState) -> DVec3 {
        let landing = self.capture_at_landing(free, left, now);
        let along = self.gait.velocity;
        let outward = self.outward(free);
        let wanted = if along.length() > 1e-3 {
            let length = along * self.gait.step_time;
            let [behind, outside] = now.pendulum.offset(1.0, self.gait.width, self.gait.step_time);
            landing - length * behind + outward * outside
        } else {
            landing + outward * OUTSIDE
        };
        self.reachable(free, wanted, now)
    }

    /// Nearest position to `wanted` that the free foot can reach without crossing the other foot.
    fn reachable(&self, free: usize, wanted: DVec2, now: &BipedState) -> DVec3 {
        let stands = above(now.middles[1 - free]);
        let aside = self.outward(free);
        let mut offset = wanted - stands;
        offset += aside * (NARROW - offset.dot(aside)).max(0.0);
        let place = stands + offset.clamp_length_max(REACH);
        DVec3::new(place.x, now.ground, place.y)
    }

    pub(super) fn forward(&self) -> DVec2 {
        self.gait.facing.normalize_or(DVec2::Y)
    }

    /// Lateral unit vector to the side of the left foot (0) or the right foot (1).
    pub(super) fn outward(&self, side: usize) -> DVec2 {
        let forward = self.forward();
        DVec2::new(forward.y, -forward.x) * if side == 0 { 1.0 } else { -1.0 }
    }

    /// Support polygon: hull of the carrying soles, each shrunk by `inset` meters on every side.
    fn polygon(&self, now: &BipedState, inset: f64) -> ConvexPolygon {
        let shares = self.phase.shares();
        let mut corners = Vec::with_capacity(8);
        for side in (0..2).filter(|&side| shares[side] > 0.0) {
            corners.extend(self.soles[side].corners(now.feet[side], inset).map(above));
        }
        ConvexPolygon::new(&corners)
    }

    /// Reference of the capture point ξ at the end of a weight shift, over the foot that will carry.
    fn shifted(&self, onto: usize, now: &BipedState) -> DVec2 {
        let forward = self.forward();
        let inward = DVec2::new(forward.y, -forward.x) * if onto == 0 { -1.0 } else { 1.0 };
        let seconds = self.gait.step_time;
        let [before, inside] = now.pendulum.offset(1.0, self.gait.width, seconds);
        above(now.middles[onto]) + inward * inside + self.gait.velocity * (seconds * before)
    }

    /// Desired center of pressure of the ground force.
    pub(super) fn pressure(&self, now: &BipedState) -> DVec2 {
        let reference = match self.phase {
            BipedPhase::Stand => 0.5 * (above(now.middles[0]) + above(now.middles[1])),
            BipedPhase::Shift { onto, .. } => self.shifted(onto, now),
            BipedPhase::Step { free, .. } => return self.pressure_of_step(free, now),
        };
        let wanted = reference + (now.capture - reference) * (1.0 + RETURN);
        nearest(&self.polygon(now, MARGIN), wanted)
    }

    /// Desired center of pressure while one foot is free: around the middle of the sole to walk, toward ξ to stop.
    fn pressure_of_step(&self, free: usize, now: &BipedState) -> DVec2 {
        let stands = 1 - free;
        let sole = ConvexPolygon::new(&self.soles[stands].corners(now.feet[stands], MARGIN).map(above));
        if self.gait.velocity.length() <= 1e-3 {
            return nearest(&sole, now.capture);
        }
        let BipedPhase::Step { elapsed, .. } = self.phase else { return above(now.middles[stands]) };
        let middle = above(now.middles[stands]);
        let even = (self.shifted(stands, now) - middle) * libm::exp(now.pendulum.rate * elapsed);
        nearest(&sole, middle + (now.capture - middle - even) * RETURN)
    }

    /// Current share of the weight on each foot: in double support by the position of `pressure` on the line between the feet.
    pub(super) fn shared(&self, now: &BipedState, pressure: DVec2) -> [f64; 2] {
        if let BipedPhase::Step { free, elapsed, .. } = self.phase {
            let left = (1.0 - elapsed / HANDOVER).clamp(0.0, 1.0) * 0.5;
            let mut shares = [1.0 - left; 2];
            shares[free] = left;
            return shares;
        }
        let [a, b] = now.middles.map(above);
        let along = b - a;
        let share = ((pressure - a).dot(along) / along.length_squared().max(1e-6)).clamp(0.0, 1.0);
        [1.0 - share, share]
    }
}
