//! Soles of a figure, and the nearest point of its support polygon.
//!
//! ```text
//! support polygon   convex hull of the contact points, seen from above (x, z)
//! nearest place     the point of the polygon that is nearest to a given one
//! ```
//! Specification: mathematics 6.5 (S5).

use glam::{DQuat, DVec2, DVec3};

use super::RagdollModel;
use crate::character::{Character, ContactPoint, Role, Side};
use crate::collision::shape::{PlacedShape, Shape};
use crate::math::hull::ConvexPolygon;
use crate::math::plane_fit::PlaneFit;
use crate::ragdoll::RigidRagdoll;
use crate::rigid::model::Collider;

/// Sole: the flat underside of a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sole {
    /// Index into [`RagdollModel::bodies`].
    pub body: usize,
    /// Bone whose frame is the body's frame.
    pub bone: usize,
    /// Least x and z of the sole relative to the bone when the sole is flat, meters.
    pub low: DVec2,
    /// Greatest x and z of the sole relative to the bone when the sole is flat, meters.
    pub high: DVec2,
    /// Height of the underside relative to the bone when the sole is flat, meters.
    pub height: f64,
    /// Orientation of the bone with a flat sole, facing as in the rest pose.
    pub flat: DQuat,
}

impl Sole {
    /// Computes the sole of a character's foot: the rectangle around the contact points of all bones that move with the foot. Its plane is fitted
    /// to these points, since a rest pose does not always have flat feet. `None` if the character has no such foot or no contact points on it.
    pub(crate) fn of(character: &Character, figure: &RagdollModel, side: Side) -> Option<Self> {
        let bone = figure.bone_of(Role::Foot(side))?;
        let body = figure.body_of[bone]?;
        let bone = figure.bodies[body].bone;
        let rest = character.skeleton.rest_pose();
        let own = |contact: &&ContactPoint| figure.body_of[contact.bone] == Some(body);
        let place = |contact: &ContactPoint| {
            let (at, turn) = rest[contact.bone];
            at + turn * contact.position - rest[bone].0 - DVec3::Y * contact.radius
        };
        let mut places: Vec<DVec3> = character.contacts.iter().filter(own).map(place).collect();
        let level = DQuat::from_rotation_arc(normal(&places), DVec3::Y);
        places.iter_mut().for_each(|place| *place = level * *place);
        let first = places.first()?;
        let low = places.iter().fold(*first, |low, place| low.min(*place));
        let high = places.iter().fold(*first, |high, place| high.max(*place));
        let (low_xz, high_xz) = (DVec2::new(low.x, low.z), DVec2::new(high.x, high.z));
        let flat = (level * rest[bone].1).normalize();
        Some(Self { body, bone, low: low_xz, high: high_xz, height: low.y, flat })
    }

    /// Middle of the underside for a foot bone at the given pose, meters.
    pub(crate) fn middle(&self, (place, turn): (DVec3, DQuat)) -> DVec3 {
        let middle = 0.5 * (self.low + self.high);
        place + turn * self.flat.conjugate() * DVec3::new(middle.x, self.height, middle.y)
    }

    /// Corners of the underside, meters; the rectangle is shrunk by `inset` meters on every side.
    pub(crate) fn corners(&self, (place, turn): (DVec3, DQuat), inset: f64) -> [DVec3; 4] {
        let half = (0.5 * (self.high - self.low) - DVec2::splat(inset)).max(DVec2::ZERO);
        let middle = 0.5 * (self.low + self.high);
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| {
            let at = middle + half * DVec2::new(x, z);
            place + turn * self.flat.conjugate() * DVec3::new(at.x, self.height, at.y)
        })
    }

    /// Replaces the colliders of a rigid ragdoll's foot by a box with this underside: a box can press on its edges while a capsule rolls.
    /// `thickness` in meters.
    pub(crate) fn put_under(&self, ragdoll: &mut RigidRagdoll, thickness: f64) {
        let object = ragdoll.model.solids.iter().find(|solid| solid.body == self.body).map_or(0, |solid| solid.object);
        let half = 0.5 * (self.high - self.low);
        let middle = 0.5 * (self.low + self.high);
        let back = self.flat.conjugate();
        let placed = PlacedShape {
            shape: Shape::Box { half_extents: DVec3::new(half.x, 0.5 * thickness, half.y) },
            position: back * DVec3::new(middle.x, self.height + 0.5 * thickness, middle.y),
            rotation: back,
        };
        ragdoll.model.solids.retain(|solid| solid.body != self.body);
        ragdoll.model.solids.push(Collider::of(self.body, object, &placed, &ragdoll.bodies[self.body].frame));
    }
}

/// Upward normal of the plane y = a x + b z + c fitted to points by least squares; straight up if the points lie on a line, or the plane is steeper
/// than any sole.
fn normal(places: &[DVec3]) -> DVec3 {
    let PlaneFit { normal, squares: [xx, zz], determinant, .. } = PlaneFit::of(places);
    if determinant <= 1e-3 * xx * zz {
        return DVec3::Y;
    }
    if normal.y > STEEP { normal } else { DVec3::Y }
}

/// Cosine of 40°: a plane that is steeper in the rest pose is no sole.
const STEEP: f64 = 0.766;

/// Point of a convex polygon nearest to `wanted`; `wanted` itself if the polygon is empty.
pub(crate) fn nearest(polygon: &ConvexPolygon, wanted: DVec2) -> DVec2 {
    if polygon.is_empty() || polygon.corners().len() > 2 && polygon.signed_distance(wanted) <= 0.0 {
        return wanted;
    }
    let corners = polygon.corners();
    let (mut best, mut least) = (corners[0], f64::INFINITY);
    for (index, &a) in corners.iter().enumerate() {
        let b = corners[(index + 1) % corners.len()];
        let (along, length) = (b - a, (b - a).length_squared());
        let share = if length > 0.0 { ((wanted - a).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let place = a + along * share;
        if place.distance_squared(wanted) < least {
            (best, least) = (place, place.distance_squared(wanted));
        }
    }
    best
}

/// Projects a position to the ground plane: x and z.
pub(crate) fn above(place: DVec3) -> DVec2 {
    DVec2::new(place.x, place.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn s5_the_nearest_place_of_a_square_is_itself_inside_and_on_an_edge_or_corner_outside() {
        let square = ConvexPolygon::new(&[DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y]);
        for (wanted, expected) in [([0.3, 0.6], [0.3, 0.6]), ([2.0, 0.5], [1.0, 0.5]), ([-1.0, 3.0], [0.0, 1.0])] {
            assert!((nearest(&square, DVec2::from(wanted)) - DVec2::from(expected)).length() < 1e-15);
        }
        let line = ConvexPolygon::new(&[DVec2::ZERO, DVec2::X]);
        assert!((nearest(&line, DVec2::new(0.4, 2.0)) - DVec2::new(0.4, 0.0)).length() < 1e-15);
        assert_eq!(nearest(&ConvexPolygon::new(&[]), DVec2::X), DVec2::X);
    }

    #[test]
    fn a_foot_that_rests_on_tiptoe_has_its_sole_in_the_plane_of_its_contact_points() {
        // The same foot with its rest pose 20° toe down and 5° aslant: the sole depends on the foot, not on its rest pose.
        let character = samples::humanoid();
        let turn = crate::math::rotation::exp(DVec3::new(0.35, 0.0, 0.09));
        let ground = [[-0.04, -0.06], [0.04, -0.06], [0.05, 0.15], [-0.05, 0.15]];
        let tilted: Vec<DVec3> = ground.iter().map(|&[x, z]| turn * DVec3::new(x, -0.08, z)).collect();
        assert!((normal(&tilted) - turn * DVec3::Y).length() < 1e-12);
        // On a line, or nearly upright, the points give no plane.
        assert_eq!(normal(&tilted[..2]), DVec3::Y);
        let steep: Vec<DVec3> = tilted.iter().map(|place| DQuat::from_rotation_x(0.7) * *place).collect();
        assert_eq!(normal(&steep), DVec3::Y);
        assert_eq!(normal(&[]), DVec3::Y);
        // One foot of the person, with its points turned: the corners of its sole turn with them.
        let start = crate::ragdoll::RagdollStart::at_rest(&character.skeleton);
        let ragdoll = crate::ragdoll::rigid(&character, &start, &crate::ragdoll::RagdollSettings::default()).unwrap();
        let figure = RagdollModel::of_rigid(&character, &ragdoll);
        let sole = Sole::of(&character, &figure, Side::Left).unwrap();
        let mut turned = character.clone();
        let pose = start.pose[sole.bone];
        for contact in turned.contacts.iter_mut().filter(|contact| figure.body_of[contact.bone] == Some(sole.body)) {
            let (at, frame) = start.pose[contact.bone];
            let place = at + frame * contact.position - DVec3::Y * contact.radius - pose.0;
            contact.position = frame.conjugate() * (pose.0 + turn * place + DVec3::Y * contact.radius - at);
        }
        let other = Sole::of(&turned, &figure, Side::Left).unwrap();
        let corners = other.corners(pose, 0.0).map(|corner| turn.conjugate() * (corner - pose.0));
        let heights = corners.map(|corner| (corner.y - sole.height).abs());
        assert!(heights.iter().all(|height| *height < 3e-3), "{heights:?}");
    }

    #[test]
    fn the_soles_of_the_person_lie_on_the_floor_under_its_ankles() {
        let character = samples::humanoid();
        let start = crate::ragdoll::RagdollStart::at_rest(&character.skeleton);
        let ragdoll = crate::ragdoll::rigid(&character, &start, &crate::ragdoll::RagdollSettings::default()).unwrap();
        let figure = RagdollModel::of_rigid(&character, &ragdoll);
        for (side, sign) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
            let sole = Sole::of(&character, &figure, side).unwrap();
            let pose = start.pose[sole.bone];
            let corners = sole.corners(pose, 0.0);
            assert!(corners.iter().all(|corner| corner.y.abs() < 2e-3 && corner.x * sign > 0.0), "{corners:?}");
            assert!(
                corners.iter().any(|corner| corner.z > pose.0.z) && corners.iter().any(|corner| corner.z < pose.0.z)
            );
        }
    }
}
