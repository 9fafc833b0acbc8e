//! Joint targets of legs, trunk and arms of a biped in each phase: moments for standing legs, a posture for everything else.

use glam::{DVec2, DVec3};

use super::phases::{HANDOVER, NARROW};
use super::{Biped, BipedPhase, BipedState};
use crate::behavior::pose_target::{JointTarget, PoseTarget};
use crate::behavior::posture::Posture;
use crate::behavior::sensed::Sensed;
use crate::behavior::support::{above, nearest};
use crate::behavior::virtual_model::{Load, moments};
use crate::math::hull::ConvexPolygon;

/// Natural frequency, rad/s, and damping ratio with which the trunk is kept upright.
const UPRIGHT: [f64; 2] = [9.0, 1.0];
/// Natural frequency, rad/s, and damping ratio with which the height of the center of mass is kept.
const HEIGHT: [f64; 2] = [9.0, 0.9];
/// Radius of gyration of the trunk about the hips, meters, and its share of the mass.
const TRUNK: [f64; 2] = [0.38, 0.65];
/// Spring frequencies of trunk and arms, of the free leg, and of standing legs, hertz.
const FREQUENCIES: [f64; 3] = [4.0, 18.0, 1.0];
/// Greatest ratio of horizontal to vertical ground force.
const GRIP: f64 = 0.65;
/// Greatest moment that keeps the trunk upright; then its greatest part about the vertical, which friction at the soles must carry; newton meters.
const MOST: f64 = 300.0;
const TWIST: f64 = 40.0;
/// Moment limit of the joints of the free leg, newton meters.
const STRONGEST: f64 = 250.0;

impl Biped {
    /// Computes joint targets for the current phase.
    pub(super) fn drive(&self, sensed: &Sensed, now: &BipedState) -> PoseTarget {
        let mut wanted = PoseTarget::stiff(&self.figure, 1.0, FREQUENCIES[0]);
        let (posture, next) = self.postures(sensed, now);
        posture.aim(&self.figure, Some((&next, sensed.step)), &mut wanted);
        let loads = self.loads(sensed, now);
        let moments = moments(&self.figure, sensed, &loads);
        let carries = self.shared(now, self.pressure(now));
        for (aim, (link, moment)) in wanted.aims.iter_mut().zip(self.figure.links.iter().zip(moments)) {
            aim.moment = moment;
            let leg = (0..2).find(|&side| self.figure.is_below(link.bone, self.legs[side][0]));
            if let Some(side) = leg {
                let free = matches!(self.phase, BipedPhase::Step { free, .. } if free == side);
                let frequency = if free { FREQUENCIES[1] } else { FREQUENCIES[2] };
                *aim = JointTarget { frequency, most: if free { STRONGEST } else { aim.most }, ..*aim };
                if free && carries[side] > 0.0 {
                    aim.frequency = FREQUENCIES[2];
                }
            }
        }
        wanted
    }

    /// Ground forces that the feet should exert on the biped.
    fn loads(&self, sensed: &Sensed, now: &BipedState) -> Vec<Load> {
        let pressure = self.pressure(now);
        let shares = self.shared(now, pressure);
        let (weight, center) = (sensed.gravity.length(), sensed.mass_center);
        let height = (center.y - now.ground).max(0.2);
        let [rate, damping] = HEIGHT;
        let low = self.gait.height * self.height - height;
        let rise =
            (weight + rate * rate * low - 2.0 * damping * rate * sensed.velocity.y).clamp(0.3 * weight, 1.8 * weight);
        let up = sensed.mass * rise;
        let trunk = self.upright(sensed);
        let offset = above(center) - pressure;
        let flat = DVec2::new((offset.x * up + trunk.z) / height, (offset.y * up - trunk.x) / height);
        let flat = flat.clamp_length_max(GRIP * up);
        let force = DVec3::new(flat.x, up, flat.y);
        let middle = above(now.middles[0]) * shares[0] + above(now.middles[1]) * shares[1];
        let mut loads = Vec::with_capacity(2);
        for side in (0..2).filter(|&side| shares[side] > 0.0) {
            let sole = ConvexPolygon::new(&self.soles[side].corners(now.feet[side], 0.005).map(above));
            let place = nearest(&sole, above(now.middles[side]) + pressure - middle);
            loads.push(Load {
                body: self.soles[side].body,
                place: DVec3::new(place.x, now.middles[side].y, place.y),
                force: force * shares[side],
                moment: DVec3::Y * (trunk.y * shares[side]),
            });
        }
        loads
    }

    /// Moment that keeps the trunk upright, newton meters.
    fn upright(&self, sensed: &Sensed) -> DVec3 {
        let (missing, turning) = self.lean(sensed);
        let [rate, damping] = UPRIGHT;
        let [gyration, share] = TRUNK;
        let inertia = sensed.mass * share * gyration * gyration;
        let moment = (missing * (rate * rate) - turning * (2.0 * damping * rate)) * inertia;
        DVec3::new(moment.x, moment.y.clamp(-TWIST, TWIST), moment.z).clamp_length_max(MOST)
    }

    /// Target postures now and one step later; standing legs stay as they are.
    fn postures(&self, sensed: &Sensed, now: &BipedState) -> (Posture, Posture) {
        let mut posture = Posture::of_pose(&self.figure.skeleton, &sensed.pose);
        for bone in 0..posture.rotations.len() {
            let is_leg = self.legs.iter().any(|leg| self.figure.is_below(bone, leg[0]));
            if !is_leg && self.figure.skeleton.bones()[bone].parent.is_some() {
                posture.rotations[bone] = self.posture.rotations[bone];
            }
        }
        if let BipedPhase::Step { free, .. } = self.phase {
            // Start from the posture at ease, so that no twist of the leg persists from step to step.
            for &bone in &self.legs[free] {
                posture.rotations[bone] = self.posture.rotations[bone];
            }
        }
        let mut next = posture.clone();
        if let BipedPhase::Step { free, elapsed, from, to, seconds } = self.phase {
            let share = |elapsed: f64| (elapsed - HANDOVER).max(0.0) / (seconds - HANDOVER).max(0.05);
            let place = |elapsed: f64| self.beside(free, swing(from, to, self.gait.lift, share(elapsed)), now);
            let yaw = self.yaw();
            self.put_foot(&mut posture, free, self.foot_at(free, place(elapsed), yaw));
            next.translations[0] += sensed.velocity * sensed.step;
            self.put_foot(&mut next, free, self.foot_at(free, place(elapsed + sensed.step), yaw));
        }
        (posture, next)
    }

    /// Moves a target of the free foot outward, so that it keeps a distance from the standing foot.
    fn beside(&self, free: usize, place: DVec3, now: &BipedState) -> DVec3 {
        let aside = self.outward(free);
        let missing = NARROW - (above(place) - above(now.middles[1 - free])).dot(aside);
        let by = aside * missing.max(0.0);
        place + DVec3::new(by.x, 0.0, by.y)
    }
}

/// Position of the swing foot at a share of its step: it rises, reaches the target early enough to descend from above, and continues downward if it
/// finds no ground.
fn swing(from: DVec3, to: DVec3, lift: f64, share: f64) -> DVec3 {
    let over = (share / 0.85).clamp(0.0, 1.0);
    let over = over * over * (3.0 - 2.0 * over);
    let flat = from.lerp(to, over);
    let sine = libm::sin(core::f64::consts::PI * share.clamp(0.0, 1.0));
    let down = 0.25 * (share - 1.0).max(0.0) + 0.01 * share;
    flat + DVec3::Y * (lift * sine - down)
}
