//! Seams of obstacles: contacts that only their inner edges make.
//!
//! Where two obstacles lie flush, the side of one is covered by the other, and its edge is no edge. A shape that slides or
//! rolls across meets it all the same, within rounding, and would stumble. A contact point `q` of obstacle B with normal
//! `n` is left out if another obstacle A, which the shape touches with a normal `n_A` other than `n`, reaches `q`, and B does
//! not go on from `q` along `n_A`. In a corner B goes on, and both contacts stay. Specification: mathematics 4.9.

use glam::DVec3;

use super::Manifold;
use crate::collision::obstacle::{ObstacleShape, Pose};
use crate::collision::simplex_contact::signed;

/// Distance of flush obstacles up to which one reaches the other, meters.
const FLUSH: f64 = 1e-4;

/// Distance at which an obstacle is looked for beyond a point, meters.
const BEYOND: f64 = 1e-3;

/// Cosine above which two normals are one.
const PARALLEL: f64 = 0.9999;

/// Manifolds of one shape with obstacles, by the index of the obstacle, from which points at seams are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeamFilter {
    list: Vec<(u32, Manifold)>,
}

impl SeamFilter {
    /// Removes all manifolds.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds a manifold with an obstacle.
    pub fn add(&mut self, obstacle: u32, manifold: &Manifold) {
        self.list.push((obstacle, *manifold));
    }

    /// Calls `found` with each manifold without points at seams. `placed` returns shape and pose of an obstacle.
    pub fn each<'a>(&self, placed: impl Fn(u32) -> (&'a ObstacleShape, Pose), mut found: impl FnMut(u32, &Manifold)) {
        for (index, manifold) in &self.list {
            let own = placed(*index);
            let goes_on = |q: DVec3, along: DVec3| distance(&own, q + along * BEYOND) < 0.5 * BEYOND;
            let is_covered = |q: DVec3| {
                self.list.iter().any(|(other, of_other)| {
                    other != index
                        && of_other.normal.dot(manifold.normal) < PARALLEL
                        && !goes_on(q, of_other.normal)
                        && distance(&placed(*other), q) < FLUSH
                })
            };
            let exposed = manifold.without(|point| is_covered(point.on_b));
            if exposed.count > 0 {
                found(*index, &exposed);
            }
        }
    }
}

fn distance((shape, pose): &(&ObstacleShape, Pose), q: DVec3) -> f64 {
    signed(shape, pose.to_local(q), f64::INFINITY).distance
}
