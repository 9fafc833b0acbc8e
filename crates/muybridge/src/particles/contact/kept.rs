//! Manifolds of solids that are kept within a step, and measured again once the shapes have moved.
//!
//! ```text
//! measured   with a margin [`LOOK`] beyond what the motion of the substep needs
//! kept       points in the frames of both shapes, until these have moved by [`KEPT`] against each other, or so fast
//!            that the margin no longer covers their motion
//! ```
//! Specification: mathematics 4.9 (H16).

use super::surfaces::SolidShape;
use crate::collision::obstacle::Pose;
use crate::collision::{Manifold, each_manifold};

/// Distance beyond their reach up to which two solids are measured, meters: they need no measurement until they have
/// moved by it.
pub(super) const LOOK: f64 = 0.01;

/// Greatest displacement of two shapes against each other since they were measured, meters.
const KEPT: f64 = 0.002;

/// What is kept of a pair of colliders within a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairMemory {
    /// Lower bound of the distance of the cores, meters; −∞ if unknown.
    pub apart: f64,
    /// Index of the manifold of two solids; past the end of the list if there is none.
    kept: u32,
    /// Whether the colliders fly, and a hit in this substep has changed the way of one.
    pub has_hit: bool,
}

impl PairMemory {
    pub const NONE: Self = Self { apart: f64::NEG_INFINITY, kept: u32::MAX, has_hit: false };
}

/// Manifolds of the pairs of solids, and of solids with obstacles, since the start of the step.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptManifolds {
    pairs: Vec<KeptPair>,
    /// Solids in order of their pairs with obstacles.
    solids: Vec<KeptSolid>,
    /// Indices of obstacles, and manifolds in the frames of solid and obstacle.
    with_obstacles: Vec<(u32, Manifold)>,
}

/// When and how far a solid was measured.
#[derive(Clone, Copy, Debug)]
struct SolidMeasurement {
    /// Pose of the solid, in the frame of the other if that moves.
    pose: Pose,
    /// Distance up to which points were looked for, meters.
    reach: f64,
}

impl SolidMeasurement {
    /// Whether it knows all points nearer than `reach` with the solid at `pose`.
    fn holds(&self, solid: &SolidShape, pose: &Pose, reach: f64) -> bool {
        reach + KEPT <= self.reach && solid.greatest_move(pose, &self.pose) <= KEPT
    }
}

#[derive(Clone, Copy, Debug)]
struct KeptPair {
    measured: SolidMeasurement,
    /// Points in the frames of both solids, the normal in that of the second.
    manifold: Manifold,
}

#[derive(Clone, Copy, Debug)]
struct KeptSolid {
    measured: SolidMeasurement,
    /// Range of its manifolds in the list.
    range: [usize; 2],
}

impl KeptManifolds {
    /// Forgets all manifolds.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.solids.clear();
        self.with_obstacles.clear();
    }

    /// Manifold of two solids at `poses` with all points nearer than `reach`, and a lower bound of their distance, meters.
    pub fn between(
        &mut self,
        memory: &mut PairMemory,
        solids: [&SolidShape; 2],
        poses: [&Pose; 2],
        reach: f64,
    ) -> (Manifold, f64) {
        let pose = poses[0].seen_from(poses[1]);
        let kept = self.pairs.get(memory.kept as usize);
        if let Some(kept) = kept.filter(|kept| kept.measured.holds(solids[0], &pose, reach)) {
            let manifold = kept.manifold.at(poses);
            return (manifold, manifold.least_gap().min(kept.measured.reach) - KEPT);
        }
        let (mut manifold, margin) = (Manifold::NONE, reach + LOOK);
        each_manifold(&solids[0].shape, poses[0], &solids[1].shape, poses[1], margin, &mut |one| manifold = *one);
        let kept = KeptPair { measured: SolidMeasurement { pose, reach: margin }, manifold: manifold.local(poses) };
        match self.pairs.get_mut(memory.kept as usize) {
            Some(old) => *old = kept,
            None => {
                memory.kept = self.pairs.len() as u32;
                self.pairs.push(kept);
            }
        }
        (manifold, manifold.least_gap().min(margin))
    }

    /// Whether the manifolds of the solid number `index` with obstacles that stand still hold at `pose`.
    pub fn holds(&self, index: usize, solid: &SolidShape, pose: &Pose, reach: f64) -> bool {
        self.solids.get(index).is_some_and(|kept| kept.measured.holds(solid, pose, reach))
    }

    /// Manifolds of the solid number `index`, by the index of the obstacle, in the frames of both.
    pub fn of_solid(&self, index: usize) -> &[(u32, Manifold)] {
        self.solids.get(index).map_or(&[], |kept| &self.with_obstacles[kept.range[0]..kept.range[1]])
    }

    /// Keeps manifolds of the solid number `index`, all known ones before it.
    pub fn keep(&mut self, index: usize, pose: &Pose, reach: f64, manifolds: impl FnOnce(&mut Vec<(u32, Manifold)>)) {
        let start = self.with_obstacles.len();
        manifolds(&mut self.with_obstacles);
        let measured = SolidMeasurement { pose: *pose, reach };
        let kept = KeptSolid { measured, range: [start, self.with_obstacles.len()] };
        match self.solids.get_mut(index) {
            Some(old) => *old = kept,
            None => self.solids.push(kept),
        }
    }
}
