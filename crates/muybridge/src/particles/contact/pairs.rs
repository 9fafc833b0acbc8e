//! Broad phase: each collider gets a box that covers its motion in the step; a tree finds overlapping boxes.
//! Specification: mathematics 4.9 (H14).

use glam::DVec3;

use super::kept::{KeptManifolds, PairMemory};
use super::room::{ContactCapacity, make_room};
use super::surfaces::{Skin, Surfaces};
use super::{Ahead, ParticleMotion};
use crate::collision::broad_phase::{Aabb, BoundsTree};
use crate::collision::manifold::seams::SeamFilter;
use crate::collision::sweep::way_at_thin;
use crate::collision::{Obstacle, ObstacleShape, simplex_contact};

/// Candidate pairs in order, and the buffers to find them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Pairs of colliders, the lesser index first.
    pub surfaces: Vec<[u32; 2]>,
    /// What is kept of each pair of colliders within the step.
    pub memory: Vec<PairMemory>,
    /// Pairs of a collider and an obstacle.
    pub obstacles: Vec<[u32; 2]>,
    /// Colliders that take part, and the box and mobility of each.
    members: Vec<u32>,
    boxes: Vec<Aabb>,
    moves: Vec<bool>,
    /// Speed with which each was looked for, m/s.
    speeds: Vec<f64>,
    tree: BoundsTree,
    /// Manifolds of one solid with obstacles.
    pub met: SeamFilter,
    /// Manifolds of solids since the start of the step.
    pub kept: KeptManifolds,
}

/// Margin for motion beyond the current speed, meters.
const SLACK: f64 = 0.005;

impl Pairs {
    pub fn reserve(&mut self, room: &ContactCapacity) {
        make_room(&mut self.surfaces, room.pairs);
        make_room(&mut self.memory, room.pairs);
        make_room(&mut self.obstacles, room.obstacles);
        make_room(&mut self.members, room.surfaces);
        make_room(&mut self.boxes, room.surfaces);
        make_room(&mut self.moves, room.surfaces);
        make_room(&mut self.speeds, room.surfaces);
        self.tree.reserve(room.surfaces);
    }

    pub fn find(
        &mut self,
        surfaces: &Surfaces,
        obstacles: &[Obstacle],
        (motion, in_lanes): (&ParticleMotion, &[bool]),
        ahead: &Ahead,
    ) {
        let takes_part = |&(_, &first): &(u32, &u32)| !in_lanes[first as usize];
        self.members.clear();
        self.members.extend((0..).zip(&surfaces.firsts).filter(takes_part).map(|(surface, _)| surface));
        let skins = || self.members.iter().map(|&surface| &surfaces.list[surface as usize]);
        self.speeds.clear();
        self.speeds.extend(skins().map(|skin| speed(skin, surfaces, motion, ahead.last_substep)));
        self.boxes.clear();
        let reached = |(skin, &speed): (&Skin, &f64)| reach(skin, speed, (surfaces, motion), ahead);
        self.boxes.extend(skins().zip(&self.speeds).map(reached));
        self.moves.clear();
        self.moves.extend(skins().map(|skin| skin.is_free(motion.inverse_masses)));
        self.tree.build(&self.boxes);
        self.find_surfaces(surfaces);
        self.obstacles.clear();
        for (index, obstacle) in obstacles.iter().enumerate() {
            self.find_obstacle(surfaces, (index, obstacle), ahead.seconds);
        }
        self.obstacles.sort_unstable();
    }

    /// Whether one of some colliders has become so fast in a substep of `h` seconds that it may leave its box in `seconds`.
    pub fn are_outrun(
        &self,
        surfaces: &Surfaces,
        motion: &ParticleMotion,
        [h, seconds]: [f64; 2],
        is_wanted: impl Fn(usize) -> bool,
    ) -> bool {
        self.members.iter().zip(&self.speeds).filter(|(surface, _)| is_wanted(**surface as usize)).any(
            |(&surface, known)| {
                (speed(&surfaces.list[surface as usize], surfaces, motion, h) - known) * seconds > 0.5 * SLACK
            },
        )
    }

    /// Greatest way within the step of a rigid collider that may meet a thin obstacle, in its own sizes.
    pub fn way_at_thin(
        &self,
        surfaces: &Surfaces,
        obstacles: &[Obstacle],
        (motion, ahead): (&ParticleMotion, &Ahead),
    ) -> f64 {
        let way = |&[surface, index]: &[u32; 2]| {
            way_of(&surfaces.list[surface as usize], &obstacles[index as usize], surfaces, (motion, ahead))
        };
        self.obstacles.iter().map(way).fold(0.0, f64::max)
    }

    /// Calls `found` with every collider that takes part and whose box overlaps `bounds`.
    pub fn near(&self, bounds: &Aabb, found: &mut dyn FnMut(usize, &Aabb)) {
        self.tree.overlapping(&self.boxes, bounds, |at| found(self.members[at] as usize, &self.boxes[at]));
    }

    /// Sum of the capacities of the lists.
    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        let pairs = self.surfaces.capacity() + self.memory.capacity() + self.obstacles.capacity();
        pairs + self.members.capacity() + self.boxes.capacity() + self.moves.capacity()
    }

    fn find_surfaces(&mut self, surfaces: &Surfaces) {
        self.surfaces.clear();
        let (moves, members, pairs) = (&self.moves, &self.members, &mut self.surfaces);
        for a in (0..self.boxes.len()).filter(|&a| moves[a]) {
            self.tree.overlapping(&self.boxes, &self.boxes[a], |b| {
                let pair = [members[a.min(b)], members[a.max(b)]];
                if (b > a || !moves[b]) && surfaces.may_touch(pair[0] as usize, pair[1] as usize) {
                    pairs.push(pair);
                }
            });
        }
        pairs.sort_unstable();
        self.kept.clear();
        self.memory.clear();
        self.memory.resize(pairs.len(), PairMemory::NONE);
    }

    fn find_obstacle(&mut self, surfaces: &Surfaces, (index, obstacle): (usize, &Obstacle), seconds: f64) {
        let (moves, members, pairs) = (&self.moves, &self.members, &mut self.obstacles);
        let mut found = |at: usize| {
            if moves[at] && !surfaces.list[members[at] as usize].is_proxy {
                pairs.push([members[at], index as u32]);
            }
        };
        let bounds = match obstacle.shape {
            ObstacleShape::HalfSpace | ObstacleShape::Room { .. } => None,
            _ => simplex_contact::bounds(&obstacle.shape).map(|local| in_world(obstacle, local, seconds)),
        };
        if let Some(bounds) = bounds {
            self.tree.overlapping(&self.boxes, &bounds, found);
            return;
        }
        let moved = obstacle.velocity.length() * seconds;
        for (at, bounds) in self.boxes.iter().enumerate() {
            // A rotating room is so rare that the search may be slow.
            if obstacle.spin != DVec3::ZERO || may_leave(obstacle, &bounds.grown(moved)) {
                found(at);
            }
        }
    }
}

/// Way of a rigid collider within the step at a thin obstacle, see [`way_at_thin`].
fn way_of(skin: &Skin, obstacle: &Obstacle, surfaces: &Surfaces, (motion, ahead): (&ParticleMotion, &Ahead)) -> f64 {
    if skin.body.is_none() || ahead.last_substep <= 0.0 {
        return 0.0;
    }
    let [(now, half), (before, _)] =
        [motion.positions, motion.previous].map(|positions| surfaces.bounds(skin, positions).middle_and_half());
    let reach = (half.length() + skin.radius, ahead.gravity.length() * ahead.seconds * ahead.seconds + SLACK);
    way_at_thin(obstacle, (now, (now - before) / ahead.last_substep), reach, ahead.seconds)
}

/// Greatest speed of the points of a collider, m/s.
fn speed(skin: &Skin, surfaces: &Surfaces, motion: &ParticleMotion, last_substep: f64) -> f64 {
    let moved = surfaces.greatest_move(skin, motion.positions, motion.previous);
    if last_substep > 0.0 { moved / last_substep } else { 0.0 }
}

/// Box that a collider can reach within the step.
fn reach(skin: &Skin, speed: f64, (surfaces, motion): (&Surfaces, &ParticleMotion), ahead: &Ahead) -> Aabb {
    let fall = ahead.gravity.length() * ahead.seconds * ahead.seconds;
    surfaces.bounds(skin, motion.positions).grown(skin.radius + speed * ahead.seconds + fall + SLACK)
}

/// Box around an obstacle now and at the end of the step.
pub(in crate::particles) fn in_world(obstacle: &Obstacle, local: Aabb, seconds: f64) -> Aabb {
    let at = |seconds: f64| local.placed(&obstacle.pose_after(seconds));
    let (_, half) = local.middle_and_half();
    let turn = obstacle.spin.length() * seconds;
    at(0.0).union(at(seconds)).grown(half.length() * 0.5 * turn * turn)
}

/// Whether some corner of a box is not on the free side of a half-space or room.
pub(in crate::particles) fn may_leave(obstacle: &Obstacle, bounds: &Aabb) -> bool {
    let corner = |i: usize| {
        let pick = |axis: usize| if i >> axis & 1 == 0 { bounds.least[axis] } else { bounds.most[axis] };
        obstacle.pose().to_local(DVec3::new(pick(0), pick(1), pick(2)))
    };
    (0..8).map(corner).any(|p| simplex_contact::signed(&obstacle.shape, p, 0.0).distance < 0.0)
}
