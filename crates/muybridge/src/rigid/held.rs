//! Contact anchor during displacement: one point in each body, and a normal.
//!
//! ```text
//! room = gap + n · ((x0 − x0 at the start) − (x1 − x1 at the start))
//! ```
//! Displacement then does not pull a foot into the floor, from which the next substep would throw it out.

use glam::DVec3;

use super::Pose;
use super::displacement::OneSided;
use super::row::Contact;

/// Contact with the poses of its bodies at the start of a substep.
#[derive(Clone, Copy, Debug)]
pub struct ContactAnchor {
    bodies: [Option<usize>; 2],
    /// Contact point in each body's frame; for a missing body its world position at the end of the substep.
    points: [DVec3; 2],
    normal: DVec3,
    gap: f64,
}

impl ContactAnchor {
    /// Anchors a contact at `poses`, for a substep of `h` seconds.
    pub fn new(contact: &Contact, poses: &[Pose<f64>], h: f64) -> Self {
        let points = [0, 1].map(|side: usize| match contact.bodies[side] {
            Some(body) => poses[body].turn().conjugate() * (contact.point_on(side) - poses[body].place()),
            None => contact.point_on(side) + contact.velocity * h,
        });
        // The gap beyond the distance that the two points have along the normal already.
        let gap = contact.gap.max(0.0) - 2.0 * contact.normal.dot(contact.spread);
        Self { bodies: contact.bodies, points, normal: contact.normal, gap }
    }

    /// One-sided row that keeps the bodies apart at `poses`. Initial penetration is left to the velocity solver.
    pub fn one_sided(&self, poses: &[Pose<f64>]) -> OneSided {
        let places = [0, 1].map(|side: usize| match self.bodies[side] {
            Some(body) => poses[body].point(self.points[side]),
            None => self.points[side],
        });
        let by = [0, 1].map(|side: usize| {
            let center = self.bodies[side].map_or(places[side], |body| poses[body].place());
            let push = if side == 0 { self.normal } else { -self.normal };
            let turn = (places[side] - center).cross(push);
            [push.x, push.y, push.z, turn.x, turn.y, turn.z]
        });
        let room = self.gap + self.normal.dot(places[0] - places[1]);
        OneSided { bodies: self.bodies, by, room, is_angle: false }
    }
}
