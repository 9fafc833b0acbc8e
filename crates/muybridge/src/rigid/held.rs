//! A contact as two bodies carry it while they are displaced: two points, one in each, and a normal.
//!
//! ```text
//! room = gap + n · ((x0 − x0 at the start) − (x1 − x1 at the start))
//! ```
//! So that a displacement does not pull a foot into the floor and the next substep throw it out again.

use glam::DVec3;

use super::Pose;
use super::displacement::OneSided;
use super::row::Contact;

/// A contact at the start of a substep.
#[derive(Clone, Copy, Debug)]
pub struct ContactAnchor {
    bodies: [Option<usize>; 2],
    /// The point in either body; a place in the world, at the end of the substep, where there is no body.
    points: [DVec3; 2],
    normal: DVec3,
    gap: f64,
}

impl ContactAnchor {
    /// A contact of bodies at `poses`, for a substep of `h` seconds.
    pub fn new(contact: &Contact, poses: &[Pose<f64>], h: f64) -> Self {
        let points = contact.bodies.map(|body| match body {
            Some(body) => poses[body].turn().conjugate() * (contact.point - poses[body].place()),
            None => contact.point + contact.velocity * h,
        });
        Self { bodies: contact.bodies, points, normal: contact.normal, gap: contact.gap }
    }

    /// The row that keeps the two apart, with bodies at `poses`. Depth there was is for velocities to recover, not for displacement.
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
        let room = self.gap.max(0.0) + self.normal.dot(places[0] - places[1]);
        OneSided { bodies: self.bodies, by, room, is_angle: false }
    }
}
