//! Manifolds of pairs of shapes with flat faces, kept until the shapes have moved against each other.
//!
//! ```text
//! measured   with a margin [`LOOK`] beyond what the motion of the substep needs
//! kept       points in the frames of both shapes: gap = n · (x_A − x_B), until these have moved by [`KEPT`] or [`TURNED`], or
//!            so fast that the margin no longer covers their motion
//! ```
//! Of two shapes farther apart than the margin nothing is kept but that, until they have come closer. Kept manifolds belong to
//! the state of a world: with them it goes on alike, bit for bit. Specification: mathematics 4.9 (H16).

use glam::DVec3;

use crate::collision::{Manifold, ObstacleShape, Pose, each_manifold};

/// Distance beyond their margin up to which two shapes are measured, meters.
const LOOK: f64 = 0.003;

/// Greatest displacement of the points of two shapes against each other since they were measured, in meters and as a share
/// of the smaller shape.
const KEPT: (f64, f64) = (0.002, 0.02);

/// Greatest rotation of two shapes against each other since they were measured, radians: 1°.
const TURNED: f64 = 0.0175;

/// A manifold with the poses at which it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptManifold {
    /// Pair of colliders; of a collider and obstacle `index`, the second is `u32::MAX - index`.
    pair: [u32; 2],
    /// Pose of the first shape in the frame of the second.
    pose: Pose,
    /// Distance up to which points were looked for, meters.
    reach: f64,
    /// Points in the frames of both shapes, the normal in that of the second.
    manifold: Manifold,
}

/// Two shapes, with the greatest distances of their points from their own origins, meters.
#[derive(Clone, Copy, Debug)]
pub struct ShapePair<'a> {
    pub shapes: [&'a ObstacleShape; 2],
    pub poses: [&'a Pose; 2],
    pub sizes: [f64; 2],
}

impl KeptManifold {
    /// Whether it has all points nearer than `margin` with the first shape at `pose` in the frame of the second.
    fn holds(&self, pose: &Pose, [size, other]: [f64; 2], margin: f64) -> bool {
        let turn = self.pose.rotation.inverse() * pose.rotation;
        let turned = 2.0 * DVec3::new(turn.x, turn.y, turn.z).length();
        let moved = self.pose.position.distance(pose.position) + turned * size;
        let is_near =
            self.manifold.points().is_empty() || turned <= TURNED && moved <= KEPT.0.min(KEPT.1 * size.min(other));
        margin + moved <= self.reach && is_near
    }
}

/// Places of the kept manifolds of the pairs of a list.
#[derive(Clone, Debug, Default)]
pub struct KeptOfPairs {
    /// Index of the manifold of each pair; past the end of the list if there is none.
    of: Vec<u32>,
    wanted: Vec<KeptManifold>,
    /// Indices of the kept manifolds, by pair.
    order: Vec<u32>,
}

impl KeptOfPairs {
    /// Forgets the manifolds of all pairs but `pairs`.
    pub fn keep_only(&mut self, kept: &mut Vec<KeptManifold>, pairs: impl Iterator<Item = [u32; 2]>) {
        let Self { of, wanted, order } = self;
        let pair_at = |index: &u32| kept[*index as usize].pair;
        order.clear();
        order.extend(0..kept.len() as u32);
        order.sort_unstable_by_key(pair_at);
        of.clear();
        wanted.clear();
        for pair in pairs {
            let known = order.binary_search_by_key(&pair, pair_at).ok();
            of.push(known.map_or(u32::MAX, |_| wanted.len() as u32));
            wanted.extend(known.map(|place| kept[order[place] as usize].clone()));
        }
        core::mem::swap(kept, wanted);
    }

    /// Calls `found` with the manifolds of the pair number `index` that have points nearer than `margin`.
    pub fn each(
        &mut self,
        kept: &mut Vec<KeptManifold>,
        (index, pair): (usize, [u32; 2]),
        of: &ShapePair<'_>,
        margin: f64,
        found: &mut dyn FnMut(&Manifold),
    ) {
        let ShapePair { shapes: [a, b], poses, sizes } = *of;
        if !(is_flat(a) && is_flat(b)) {
            return each_manifold(a, poses[0], b, poses[1], margin, found);
        }
        let pose = poses[0].seen_from(poses[1]);
        let known = kept.get(self.of[index] as usize);
        if !known.is_some_and(|known| known.holds(&pose, sizes, margin)) {
            let (mut manifold, reach) = (Manifold::NONE, margin + LOOK);
            each_manifold(a, poses[0], b, poses[1], reach, &mut |one| manifold = *one);
            let one = KeptManifold { pair, pose, reach, manifold: manifold.local(poses) };
            match kept.get_mut(self.of[index] as usize) {
                Some(old) => *old = one,
                None => {
                    self.of[index] = kept.len() as u32;
                    kept.push(one);
                }
            }
        }
        let one = &kept[self.of[index] as usize].manifold;
        if one.points().is_empty() {
            return;
        }
        let one = one.at(poses).without(|point| point.gap > margin);
        if !one.points().is_empty() {
            found(&one);
        }
    }
}

/// Whether the points of a shape stay where they are on it while it touches: not so of what rolls.
fn is_flat(shape: &ObstacleShape) -> bool {
    matches!(shape, ObstacleShape::Box { .. } | ObstacleShape::Hull(_) | ObstacleShape::HalfSpace)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::math::rotation::exp;

    const HALF: [DVec3; 2] = [DVec3::new(0.2, 0.1, 0.3), DVec3::new(0.5, 0.2, 0.5)];

    /// Manifolds of a small box over a large one, measured or kept.
    fn met(kept: &mut Vec<KeptManifold>, of: &mut KeptOfPairs, pose: &Pose) -> Vec<Manifold> {
        let [small, large] = HALF.map(|half_extents| ObstacleShape::Box { half_extents });
        let below = Pose { position: DVec3::Y * -0.2, rotation: DQuat::IDENTITY };
        let sizes = HALF.map(DVec3::length);
        let mut met = Vec::new();
        let pair = ShapePair { shapes: [&small, &large], poses: [pose, &below], sizes };
        of.each(kept, (0, [0, 1]), &pair, 0.001, &mut |one| met.push(*one));
        met
    }

    fn anew(pose: &Pose) -> Vec<Manifold> {
        let (mut kept, mut of) = (Vec::new(), KeptOfPairs::default());
        of.keep_only(&mut kept, core::iter::once([0, 1]));
        met(&mut kept, &mut of, pose)
    }

    fn above(slide: f64, tilt: f64) -> Pose {
        Pose { position: DVec3::new(slide, 0.0995, 0.0), rotation: exp(DVec3::Z * tilt) }
    }

    #[test]
    fn kept_points_have_the_gaps_of_their_corners_and_what_moved_far_is_measured_again() {
        let (mut kept, mut of) = (Vec::new(), KeptOfPairs::default());
        of.keep_only(&mut kept, core::iter::once([0, 1]));
        met(&mut kept, &mut of, &above(0.0, 0.0));
        for (slide, tilt) in [(0.0, 1e-3), (5e-4, -2e-3), (1e-3, 1e-3)] {
            let pose = above(slide, tilt);
            for point in met(&mut kept, &mut of, &pose).iter().flat_map(Manifold::points) {
                // A corner of the small box is above the top of the large one, at y = 0.
                let corner = pose.to_local(point.on_a).abs();
                assert!((corner - HALF[0]).length() < 1e-12 && (point.gap - point.on_a.y).abs() < 1e-12, "{point:?}");
                assert!(point.gap <= 0.001);
            }
        }
        let far = above(0.003, 0.0);
        assert_eq!(met(&mut kept, &mut of, &far), anew(&far));
        assert_eq!(kept.len(), 1);
    }

    #[test]
    fn what_is_far_apart_is_looked_at_again_when_it_comes_nearer_than_its_margin() {
        let (mut kept, mut of) = (Vec::new(), KeptOfPairs::default());
        of.keep_only(&mut kept, core::iter::once([0, 1]));
        for height in [0.2, 0.15, 0.105, 0.102, 0.1015, 0.1009, 0.1] {
            let pose = Pose { position: DVec3::Y * height, rotation: DQuat::IDENTITY };
            assert_eq!(met(&mut kept, &mut of, &pose).is_empty(), height > 0.101, "{height}");
        }
    }
}
