//! Which parts of a body its skin covers. Meshes cover a head alone, or add hair, a cape or a sword to a body.
//!
//! ```text
//! near      distance of a vertex from the axis of the capsule of its segment < 3 radii; from an ankle < a leg
//! covered   the near vertices of a segment reach over half of its length, and all around its axis; those of a foot all
//!           around the ankle, and down
//! ```
//! A segment is a capsule by role with the bones that carry it; bones without a role, such as fingers and twist bones,
//! belong to the limb above them. Feet of toys are far larger than their bones tell. Both feet are covered, or neither
//! is: a single boot would make one leg longer.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::landmarks::{FootMarks, Landmarks, LimbMarks};
use super::{ContactPoint, Skeleton};
use crate::collision::shape::{PlacedShape, Shape};

/// Distance from the axis of a segment, in radii of its capsule, beyond which a vertex is not of the body.
const FARTHEST: f64 = 3.0;

/// What the skin of a humanoid shows.
pub(crate) struct Skin {
    /// Contact points on the covered segments.
    pub contacts: Vec<ContactPoint>,
    /// Whether the contact points of a bone are those of the skin.
    pub covers: Vec<bool>,
    /// Whether a bone carries vertices that are not of the body, or too few: then a solid fitted to them is not the bone's.
    pub misleads: Vec<bool>,
}

impl Skin {
    /// Looks at vertices, each with its bone, of the bones `of_body`. `parents` are those of the bones, `shapes` the capsules by role.
    pub(crate) fn new(
        points: &[(usize, DVec3)],
        (of_body, parents): (&[bool], &[Option<usize>]),
        marks: &Landmarks,
        shapes: &[(usize, PlacedShape)],
    ) -> Self {
        let bones = parents.len();
        let segment_of = segments(parents, shapes);
        let mut near: Vec<Vec<(usize, DVec3)>> = vec![Vec::new(); bones];
        let mut misleads = vec![false; bones];
        for &(bone, point) in points {
            let world = placed(marks.pose[bone], point);
            let is_near = |segment: &usize| {
                let foot = marks.feet.iter().zip(&marks.legs).find(|(foot, _)| foot.bone == *segment);
                foot.is_some_and(|(foot, leg)| foot.ankle.distance(world) < leg_length(leg))
                    || capsules(*segment, marks, shapes).any(|own| own.distance(world) < FARTHEST)
            };
            match segment_of[bone].filter(|segment| of_body[bone] && is_near(segment)) {
                Some(segment) => near[segment].push((bone, point)),
                None => misleads[bone] = true,
            }
        }
        let is_covered = |segment: usize| {
            let spots: Vec<DVec3> =
                near[segment].iter().map(|&(bone, point)| placed(marks.pose[bone], point)).collect();
            match marks.feet.iter().find(|foot| foot.bone == segment) {
                Some(foot) => is_shod(foot, &spots),
                None => capsules(segment, marks, shapes).any(|own| own.is_covered(&spots)),
            }
        };
        let mut covered: Vec<bool> = (0..bones).map(is_covered).collect();
        if !marks.feet.iter().all(|foot| covered[foot.bone]) {
            marks.feet.iter().for_each(|foot| covered[foot.bone] = false);
        }
        let covers: Vec<bool> = segment_of.iter().map(|segment| segment.is_some_and(|s| covered[s])).collect();
        misleads.iter_mut().zip(&covers).for_each(|(misleads, covers)| *misleads |= !covers);
        let kept = near.into_iter().enumerate().filter(|(segment, _)| covered[*segment]);
        Self { contacts: extremes(kept.flat_map(|(_, points)| points)), covers, misleads }
    }
}

/// The bone whose capsules each bone belongs to: itself, or the nearest above it.
fn segments(parents: &[Option<usize>], shapes: &[(usize, PlacedShape)]) -> Vec<Option<usize>> {
    let mut segment_of: Vec<Option<usize>> = vec![None; parents.len()];
    for bone in 0..parents.len() {
        let own = shapes.iter().any(|(owner, _)| *owner == bone).then_some(bone);
        segment_of[bone] = own.or_else(|| segment_of[parents[bone]?]);
    }
    segment_of
}

/// A capsule of the reference pose.
struct SkinSegment {
    center: DVec3,
    axis: DVec3,
    half_length: f64,
    radius: f64,
}

/// The capsules of a bone in the reference pose.
fn capsules<'a>(
    bone: usize,
    marks: &'a Landmarks,
    shapes: &'a [(usize, PlacedShape)],
) -> impl Iterator<Item = SkinSegment> + 'a {
    let own = shapes.iter().filter(move |(owner, _)| *owner == bone);
    own.filter_map(move |(_, shape)| {
        let Shape::Capsule { radius, half_length } = shape.shape else { return None };
        let axis = marks.pose[bone].1 * (shape.rotation * DVec3::Y);
        Some(SkinSegment { center: placed(marks.pose[bone], shape.position), axis, half_length, radius })
    })
}

impl SkinSegment {
    /// Distance of a point from the axis between the centers of the caps, in radii.
    fn distance(&self, point: DVec3) -> f64 {
        let from = point - self.center;
        let along = from.dot(self.axis).clamp(-self.half_length, self.half_length);
        from.distance(along * self.axis) / self.radius
    }

    /// Whether points lie along at least half of the capsule, and in each of eight directions around its axis.
    fn is_covered(&self, points: &[DVec3]) -> bool {
        let (side, up) = self.axis.any_orthonormal_pair();
        let reach = |direction: DVec3| {
            points.iter().map(|point| direction.dot(*point - self.center)).fold(f64::NEG_INFINITY, f64::max)
        };
        let around = [-1.0, 0.0, 1.0].into_iter().flat_map(|a| [-1.0, 0.0, 1.0].map(|b| (a, b)));
        let mut outward = around.filter(|&around| around != (0.0, 0.0)).map(|(a, b)| (a * side + b * up).normalize());
        let length = reach(self.axis) + reach(-self.axis);
        length > self.half_length + self.radius && outward.all(|direction| reach(direction) > 0.2 * self.radius)
    }
}

/// Whether points surround the ankle in the plane of the sole, reach along half of the foot, and half-way down to the sole.
fn is_shod(foot: &FootMarks, points: &[DVec3]) -> bool {
    let reach = |direction: DVec3| {
        points.iter().map(|point| direction.dot(*point - foot.ankle)).fold(f64::NEG_INFINITY, f64::max)
    };
    let left = foot.up.cross(foot.forward);
    let [ahead, behind, left, right] = [foot.forward, -foot.forward, left, -left].map(reach);
    let surrounds = ahead.min(behind).min(left).min(right) > 0.0;
    surrounds && ahead + behind > 0.5 * foot.length && reach(-foot.up) > 0.5 * foot.height
}

fn leg_length(leg: &LimbMarks) -> f64 {
    let [hip, knee, ankle, _] = leg.points;
    hip.distance(knee) + knee.distance(ankle)
}

fn placed((position, rotation): (DVec3, DQuat), point: DVec3) -> DVec3 {
    position + rotation * point
}

/// Bones without vertices on themselves, their parent, or any bone below: the skin says nothing of where they touch.
pub(crate) fn bare_bones(skeleton: &Skeleton, points: &[(usize, DVec3)]) -> Vec<bool> {
    let bones = skeleton.bones();
    let mut has_skin = vec![false; bones.len()];
    points.iter().for_each(|(bone, _)| has_skin[*bone] = true);
    let mut has_below = has_skin.clone();
    for bone in (0..bones.len()).rev() {
        if let Some(parent) = bones[bone].parent {
            has_below[parent] |= has_below[bone];
        }
    }
    let is_bare = |bone: usize| !has_below[bone] && !bones[bone].parent.is_some_and(|parent| has_skin[parent]);
    (0..bones.len()).map(is_bare).collect()
}

/// Contact points at the extremes of each bone's vertices toward the faces, edges and corners of a cube.
pub(crate) fn extremes(points: impl Iterator<Item = (usize, DVec3)>) -> Vec<ContactPoint> {
    let mut by_bone: BTreeMap<usize, Vec<DVec3>> = BTreeMap::new();
    for (bone, point) in points {
        by_bone.entry(bone).or_default().push(point);
    }
    let mut contacts = Vec::new();
    for (bone, points) in by_bone {
        let mut chosen: Vec<usize> = (0..27).filter(|&at| at != 13).map(|at| extreme(&points, direction(at))).collect();
        chosen.sort_unstable();
        chosen.dedup();
        contacts.extend(chosen.into_iter().map(|at| ContactPoint { bone, position: points[at], radius: 0.0 }));
    }
    contacts
}

fn direction(at: usize) -> DVec3 {
    let step = |digit: usize| (at / digit % 3) as f64 - 1.0;
    DVec3::new(step(1), step(3), step(9))
}

fn extreme(points: &[DVec3], along: DVec3) -> usize {
    let reach = |at: &usize| along.dot(points[*at]);
    (0..points.len()).max_by(|a, b| reach(a).total_cmp(&reach(b)).then(b.cmp(a))).expect("a bone with skin has points")
}
