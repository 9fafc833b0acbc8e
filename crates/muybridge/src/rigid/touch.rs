//! Contact detection of bodies with each other and with obstacles.
//!
//! ```text
//! once a step:      AABBs of all that colliders can reach ──► pairs; once a substep where steps are long
//! once a substep:   manifold of each pair, with a margin for its motion, or the kept one ──► contacts
//! ```
//! Bodies connected by a joint never touch, nor do bodies of one object that overlap at the start, because colliders
//! are coarser than the real shapes, nor those of one tree of joints that overlap by a millimeter: the first links of a
//! rope that is tied to the center of a ball. A sleeping tree wakes in the next step if a body well above the sleep threshold
//! reaches it. Of ragdolls that start in one place, only the deepest contacts of each two count. Specification: mathematics 4.9, 4.10 (H14–H16, H24).

mod limb_home;

use glam::DVec3;

use limb_home::{LimbHome, LimbHomes};

use super::forest::Forest;
use super::kept::{KeptOfPairs, ShapePair};
use super::model::{Collider, Model};
use super::motion::vector;
use super::row::{self, Contact};
use super::settings::{BroadPhase, NarrowPhase, Settings};
use super::state::State;
use crate::collision::broad_phase::{Aabb, BoundsTree};
use crate::collision::manifold::seams::SeamFilter;
use crate::collision::points_and_edges::{self, Cuboid, Overlap};
use crate::collision::sort_and_sweep::SortAndSweep;
use crate::collision::swept::{Swept, least_way, swept};
use crate::collision::thinning::Thinning;
use crate::collision::{Manifold, Obstacle, ObstacleShape, Pose, manifold, simplex_contact};

/// Broad phase and narrow phase, with the pairs of bodies that never touch.
#[derive(Clone, Debug, Default)]
pub struct ContactDetector {
    /// Candidate pairs of colliders, smaller index first.
    solids: Vec<[u32; 2]>,
    /// Candidate pairs of a collider and an obstacle.
    obstacles: Vec<[u32; 2]>,
    /// Pairs of bodies that never touch, smaller index first, sorted.
    apart: Vec<[u32; 2]>,
    boxes: Vec<Aabb>,
    /// Way that each collider may go until the next broad phase, of which its box takes account, meters.
    ways: Vec<f64>,
    /// Successive colliders of one tree of joints, and the box around each such group.
    groups: Vec<core::ops::Range<usize>>,
    group_boxes: Vec<Aabb>,
    /// World pose of each collider, and the greatest speed of its points, m/s.
    placed: Vec<(Pose, f64)>,
    /// Tree over the boxes of the groups.
    tree: BoundsTree,
    sweep: SortAndSweep,
    overlaps: Vec<Overlap>,
    /// Kept manifolds of the pairs of colliders, and then of those with obstacles.
    kept: KeptOfPairs,
    /// Greatest distances of the points of colliders and of obstacles from their own origins, meters.
    sizes: [Vec<f64>; 2],
    /// Manifolds of one collider with obstacles.
    met: SeamFilter,
    /// Distance of the farthest point of each body from its center, meters.
    reaches: Vec<f64>,
    /// Where each body hangs on its parent; `None` without a parent.
    homes: Vec<Option<LimbHome>>,
    /// Bodies deep in an obstacle, by its index, in this substep.
    deep: Vec<(usize, u32)>,
    thinning: Thinning,
    /// Whether contacts of the last search were left out because they were too many.
    is_crowded: bool,
}

/// Number of colliders up to which all pairs of boxes are compared, which is faster than a tree.
const FEW: usize = 32;

/// Greatest number of colliders of a group: a ragdoll is one, a long chain has several.
const GROUPED: usize = 24;

/// Margin of the broad phase beyond the motion predicted from speed, meters.
const SLACK: f64 = 0.005;

/// Contacts of jointed bodies with those of other trees, per awake body: a heap of ragdolls has one. Of more, those of two
/// trees that are not the deepest are left out.
const CROWDED: usize = 4;

/// Overlap at the start from which bodies of one tree never touch, meters.
const LINKED: f64 = 1e-3;

impl ContactDetector {
    /// Finds the pairs that never touch, for a model that starts in `state`.
    pub fn new(model: &Model, forest: &Forest, state: &State) -> Self {
        let homes = vec![None; model.bodies.len()];
        let sizes = [model.solids.iter().map(|solid| size(&solid.shape)).collect(), Vec::new()];
        let mut touch = Self { reaches: model.reaches(), sizes, homes, ..Self::default() };
        for joint in &model.joints {
            if let Some(parent) = joint.parent {
                touch.homes[joint.child].get_or_insert(LimbHome { parent, place: joint.frames[1].position });
                touch.apart.push([joint.child.min(parent) as u32, joint.child.max(parent) as u32]);
            }
        }
        touch.sort_apart();
        let poses: Vec<Pose> = model.solids.iter().map(|solid| placed(solid, state)).collect();
        touch.boxes.extend(model.solids.iter().zip(&poses).map(|(solid, pose)| around(&solid.shape, pose)));
        touch.tree.build(&touch.boxes);
        let mut overlapping = Vec::new();
        for a in 0..touch.boxes.len() {
            touch.tree.overlapping(&touch.boxes, &touch.boxes[a], |b| {
                let (one, other) = (&model.solids[a], &model.solids[b]);
                let mut found = Manifold::NONE;
                let is_one = one.object == other.object;
                if b > a
                    && (is_one || forest.tree[one.body] == forest.tree[other.body])
                    && touch.may_touch(model, a, b)
                    && manifold(&one.shape, &poses[a], &other.shape, &poses[b], 0.0, &mut found)
                    && (is_one || found.points().iter().any(|point| point.gap < -LINKED))
                {
                    overlapping.push([one.body.min(other.body) as u32, one.body.max(other.body) as u32]);
                }
            });
        }
        touch.apart.extend(overlapping);
        touch.sort_apart();
        let tree = |solid: usize| forest.tree[model.solids[solid].body];
        for solid in 0..model.solids.len() {
            match touch.groups.last_mut() {
                Some(group) if group.len() < GROUPED && tree(group.start) == tree(solid) => group.end += 1,
                _ => touch.groups.push(solid..solid + 1),
            }
        }
        touch
    }

    fn sort_apart(&mut self) {
        self.apart.sort_unstable();
        self.apart.dedup();
    }

    fn may_touch(&self, model: &Model, a: usize, b: usize) -> bool {
        let (a, b) = (&model.solids[a], &model.solids[b]);
        let pair = [a.body.min(b.body) as u32, a.body.max(b.body) as u32];
        a.body != b.body
            && (a.object != b.object || model.objects[a.object].touches_itself)
            && self.apart.binary_search(&pair).is_err()
    }

    /// Broad phase: finds pairs that may touch within the next `seconds`.
    pub fn look(&mut self, model: &Model, state: &State, awake: &Forest, (settings, seconds): (&Settings, f64)) {
        let fall = settings.gravity.length() * seconds * seconds + SLACK;
        self.boxes.clear();
        self.ways.clear();
        for solid in &model.solids {
            let bounds = around(&solid.shape, &placed(solid, state));
            let way = speed(model, state, solid, &bounds) * seconds + fall;
            self.boxes.push(bounds.grown(way));
            self.ways.push(way);
        }
        let is_awake = |solid: usize| awake.has(model.solids[solid].body);
        let mut pairs = core::mem::take(&mut self.solids);
        pairs.clear();
        match settings.broad_phase {
            BroadPhase::Tree if self.boxes.len() <= FEW => {
                for a in (0..self.boxes.len()).filter(|&a| is_awake(a)) {
                    for b in (0..self.boxes.len()).filter(|&b| b > a || !is_awake(b)) {
                        if self.boxes[a].overlaps(&self.boxes[b]) && self.may_touch(model, a, b) {
                            pairs.push([a.min(b) as u32, a.max(b) as u32]);
                        }
                    }
                }
                pairs.sort_unstable();
            }
            BroadPhase::Tree => {
                let Self { groups, group_boxes, boxes, tree, .. } = &mut *self;
                let around = |group: &core::ops::Range<usize>| {
                    boxes[group.clone()].iter().fold(Aabb::NOTHING, |sum, &bounds| sum.union(bounds))
                };
                group_boxes.clear();
                if groups.len() < boxes.len() {
                    group_boxes.extend(groups.iter().map(around));
                }
                tree.build(if group_boxes.is_empty() { &*boxes } else { &*group_boxes });
                let Self { groups, group_boxes, boxes, tree, .. } = &*self;
                let group_boxes = if group_boxes.is_empty() { boxes } else { group_boxes };
                let is_group_awake = |group: usize| is_awake(groups[group].start);
                for group in (0..groups.len()).filter(|&group| is_group_awake(group)) {
                    tree.overlapping(group_boxes, &group_boxes[group], |other| {
                        if other < group && is_group_awake(other) {
                            return;
                        }
                        for a in groups[group].clone() {
                            let first = if other == group { a + 1 } else { groups[other].start };
                            for b in first..groups[other].end {
                                if boxes[a].overlaps(&boxes[b]) && self.may_touch(model, a, b) {
                                    pairs.push([a.min(b) as u32, a.max(b) as u32]);
                                }
                            }
                        }
                    });
                }
                pairs.sort_unstable();
            }
            BroadPhase::SortAndSweep => {
                self.sweep.update(&self.boxes);
                pairs.extend(self.sweep.pairs().filter(|&[a, b]| {
                    let (a, b) = (a as usize, b as usize);
                    (is_awake(a) || is_awake(b)) && self.may_touch(model, a, b)
                }));
            }
        }
        self.solids = pairs;
        self.obstacles.clear();
        for (index, obstacle) in model.obstacles.iter().enumerate() {
            let reach = reach(obstacle, seconds);
            for (solid, bounds) in self.boxes.iter().enumerate() {
                if is_awake(solid) && reach.is_none_or(|reach| reach.overlaps(bounds)) && !is_above(obstacle, bounds) {
                    self.obstacles.push([solid as u32, index as u32]);
                }
            }
        }
        self.obstacles.sort_unstable();
    }

    /// Marks the trees with a collider near an obstacle or near one of another tree.
    pub fn mark_near(&self, model: &Model, forest: &Forest, is_near: &mut [bool]) {
        let tree = |solid: u32| forest.tree[model.solids[solid as usize].body];
        self.obstacles.iter().for_each(|&[solid, _]| is_near[tree(solid)] = true);
        for [a, b] in self.solids.iter().map(|pair| pair.map(tree)).filter(|[a, b]| a != b) {
            (is_near[a], is_near[b]) = (true, true);
        }
    }

    /// Pairs of colliders that the broad phase found, smaller index first.
    pub fn near_solids(&self) -> &[[u32; 2]] {
        &self.solids
    }

    /// Pairs of a collider and an obstacle that the broad phase found.
    pub fn near_obstacles(&self) -> &[[u32; 2]] {
        &self.obstacles
    }

    /// Whether contacts of the last search were left out because they were too many.
    pub fn is_crowded(&self) -> bool {
        self.is_crowded
    }

    /// Distance of the farthest point of each body from its center, meters.
    pub fn reaches(&self) -> &[f64] {
        &self.reaches
    }

    /// Box that a collider stays in during the step.
    pub fn bounds(&self, solid: usize) -> &Aabb {
        &self.boxes[solid]
    }

    /// Forgets the pairs without an awake body.
    pub fn keep_awake(&mut self, model: &Model, awake: &Forest) {
        let is_awake = |solid: u32| awake.has(model.solids[solid as usize].body);
        self.solids.retain(|&[a, b]| is_awake(a) || is_awake(b));
        self.obstacles.retain(|&[solid, _]| is_awake(solid));
    }

    /// Forgets the kept manifolds of pairs that the broad phase did not find.
    pub fn keep_manifolds(&mut self, model: &Model, state: &mut State) {
        self.sizes[1].clear();
        self.sizes[1].extend(model.obstacles.iter().map(|obstacle| size(&obstacle.shape)));
        let with_obstacles = self.obstacles.iter().map(|&[solid, index]| [solid, u32::MAX - index]);
        self.kept.keep_only(&mut state.manifolds, self.solids.iter().copied().chain(with_obstacles));
    }

    /// Number of pairs that the broad phase found.
    pub fn pairs(&self) -> usize {
        self.solids.len() + self.obstacles.len()
    }

    /// Places the colliders for [`Self::contacts`] at these poses.
    pub fn place(&mut self, model: &Model, state: &State) {
        self.placed.clear();
        self.placed.extend(model.solids.iter().map(|solid| (placed(solid, state), quickness(model, state, solid))));
    }

    /// Whether a collider may leave its box in the next `h` seconds: what a hit has flung is faster than it was when the broad
    /// phase looked. Call it once in each substep, after [`Self::place`].
    pub fn is_outrun(&mut self, model: &Model, awake: &Forest, h: f64) -> bool {
        let mut is_outrun = false;
        for ((solid, way), (_, speed)) in model.solids.iter().zip(&mut self.ways).zip(&self.placed) {
            *way -= speed * h;
            is_outrun |= *way < 0.0 && awake.has(solid.body);
        }
        is_outrun
    }

    /// Narrow phase: contacts at the poses of `state`, for a substep of `h` seconds. Call [`Self::place`] at these poses first.
    pub fn contacts(
        &mut self,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        (awake, h): (&Forest, f64),
        found: &mut Vec<Contact>,
    ) {
        let is_awake = |body: usize| awake.has(body);
        let most = CROWDED * awake.order.len();
        let mut room = 2 * most;
        self.is_crowded = false;
        self.thinning.begin();
        for (index, &[a, b]) in self.solids.iter().enumerate() {
            let (one, other) = (&model.solids[a as usize], &model.solids[b as usize]);
            let [(place, speed), (other_place, other_speed)] = [a, b].map(|solid| self.placed[solid as usize]);
            let margin = settings.slop + (speed + other_speed) * h;
            let bodies = [one.body, other.body].map(|body| Some(body).filter(|&body| is_awake(body)));
            let surface = row::surface(model, [Some(one.object), Some(other.object)], (0.0, 0.0));
            let poses = [place, other_place];
            let first = found.len();
            let mut put = |manifold: &Manifold| add(manifold, bodies, surface, key(a, b), found);
            if let (NarrowPhase::PointsAndEdges, Some(pair)) = (settings.narrow_phase, cuboids([one, other], &poses)) {
                if let Some(manifold) = points_and_edges::averaged(&pair[0], &pair[1], &mut self.overlaps) {
                    put(&manifold);
                }
            } else if let Some(met) = self.swept((model, awake), state, [a, b], (h, surface.1 > 0.0)) {
                put(&met);
                // Displacement pulls limbs after what bounces, whose impulse is then worth more than the energy of the hit.
                let is_pulled = surface.1 > 0.0 && settings.method.is_displaced() && are_jointed(awake, [one, other]);
                for (contact, point) in found[first..].iter_mut().zip(met.points()).filter(|_| !is_pulled) {
                    contact.spread = (point.on_a - point.on_b) * 0.5;
                }
            } else {
                let is_whole = settings.narrow_phase == NarrowPhase::Manifolds;
                let homes = LimbHomes { list: &self.homes, reaches: &self.reaches };
                let shapes = [&one.shape, &other.shape];
                let sizes = [a, b].map(|solid| self.sizes[0][solid as usize]);
                let pair = ShapePair { shapes, poses: [&poses[0], &poses[1]], sizes };
                let mut kept = core::mem::take(&mut state.manifolds);
                self.kept.each(&mut kept, (index, [a, b]), &pair, margin, &mut |manifold| {
                    let all = [Some(one.body), Some(other.body)];
                    let home = homes.lead_out(all, (shapes, &poses), manifold, state, (margin, false));
                    let manifold = home.as_ref().unwrap_or(manifold);
                    let averaged = manifold.averaged();
                    put(if is_whole { manifold } else { &averaged });
                });
                state.manifolds = kept;
            }
            if bodies.contains(&None) && found.len() > first {
                wake(model, settings, state, [one.body, other.body], &found[first..]);
            }
            if found.len() > room {
                self.is_crowded |= thin(&mut self.thinning, awake, found);
                room = 2 * found.len().max(most);
            }
        }
        self.is_crowded |= thin(&mut self.thinning, awake, found);
        self.deep.clear();
        let mut number = self.solids.len();
        for pairs in self.obstacles.chunk_by(|one, other| one[0] == other[0]) {
            let solid = pairs[0][0];
            let one = &model.solids[solid as usize];
            let (place, speed) = self.placed[solid as usize];
            self.met.clear();
            for &[_, index] in pairs {
                let obstacle = &model.obstacles[index as usize];
                let passing = obstacle.velocity.length()
                    + obstacle.spin.length() * obstacle.position.distance(state.poses[one.body].place());
                let margin = settings.slop + (speed + passing) * h;
                let (met, homes) = (&mut self.met, LimbHomes { list: &self.homes, reaches: &self.reaches });
                let above = self.homes[one.body].map(|home| (home.parent, index));
                let is_led = above.is_some_and(|above| self.deep.contains(&above));
                let deep = &mut self.deep;
                let poses = [place, obstacle.pose()];
                let shapes = [&one.shape, &obstacle.shape];
                let sizes = [self.sizes[0][solid as usize], self.sizes[1][index as usize]];
                let pair = ShapePair { shapes, poses: [&poses[0], &poses[1]], sizes };
                let mut kept = core::mem::take(&mut state.manifolds);
                self.kept.each(&mut kept, (number, [solid, u32::MAX - index]), &pair, margin, &mut |manifold| {
                    if homes.is_deep(one.body, &one.shape, manifold) {
                        deep.push((one.body, index));
                    }
                    let bodies = [Some(one.body), None];
                    let home = homes.lead_out(bodies, (shapes, &poses), manifold, state, (margin, is_led));
                    met.add(index, home.as_ref().unwrap_or(manifold));
                });
                state.manifolds = kept;
                number += 1;
            }
            let shape = |index: u32| (&model.obstacles[index as usize].shape, model.obstacles[index as usize].pose());
            let (_, spin) = velocities(model, state, one);
            self.met.each(shape, |index, manifold| {
                let obstacle = &model.obstacles[index as usize];
                let surface = row::surface(model, [Some(one.object), None], (obstacle.friction, obstacle.restitution));
                let averaged = manifold.averaged();
                let manifold = if settings.narrow_phase == NarrowPhase::Manifolds { manifold } else { &averaged };
                let first = found.len();
                add(manifold, [Some(one.body), None], surface, key(solid, u32::MAX - index), found);
                for contact in &mut found[first..] {
                    contact.velocity = surface_velocity(obstacle, contact, (state.poses[one.body].place(), spin), h);
                }
            });
        }
    }

    /// Manifold of two colliders that are so fast that it must be swept; `None` for others. What lands, without a bounce, on what
    /// hangs on something fixed does so as on an obstacle.
    fn swept(
        &self,
        (model, awake): (&Model, &Forest),
        state: &State,
        pair: [u32; 2],
        (h, bounces): (f64, bool),
    ) -> Option<Manifold> {
        let [(_, one), (_, other)] = pair.map(|solid| self.placed[solid as usize]);
        let solids = pair.map(|solid| &model.solids[solid as usize]);
        let size = solids[0].reach().min(solids[1].reach());
        let way = (one + other) * h;
        if way <= least_way(size, false) {
            return None;
        }
        let are_jointed = are_jointed(awake, solids);
        let lands = !bounces && solids.iter().any(|solid| awake.hangs_by[solid.body].is_some());
        if way <= least_way(size, are_jointed || lands) {
            return None;
        }
        let of = |side: usize| {
            let (solid, (pose, _)) = (solids[side], self.placed[pair[side] as usize]);
            let (center, velocities) = (state.poses[solid.body].place(), velocities(model, state, solid));
            Swept { shape: &solid.shape, pose, center, velocities, reach: solid.reach(), skin: 0.0 }
        };
        swept([&of(0), &of(1)], (h, are_jointed || lands))
    }
}

/// Whether one of two colliders has joints to others that are awake.
fn are_jointed(awake: &Forest, solids: [&Collider; 2]) -> bool {
    solids.iter().any(|solid| is_jointed(awake, awake.tree[solid.body]))
}

fn is_jointed(awake: &Forest, tree: usize) -> bool {
    awake.of_tree(tree).len() > 1
}

/// Thins the contacts of jointed bodies with those of other trees, if they are too many. Returns whether some went.
fn thin(thinning: &mut Thinning, awake: &Forest, found: &mut Vec<Contact>) -> bool {
    let before = found.len();
    thinning.thin(found, CROWDED * awake.order.len(), |contact| {
        let [Some(a), Some(b)] = contact.bodies.map(|body| body.map(|body| awake.tree[body])) else { return None };
        let pair = (a.min(b) as u64) << 32 | a.max(b) as u64;
        (a != b && is_jointed(awake, a) && is_jointed(awake, b)).then_some((pair, contact.gap))
    });
    found.len() < before
}

/// Mean velocity of an obstacle's surface along a contact in the coming `h` seconds, m/s; across it, that at their start. A point
/// that turns moves along a chord, v + ½ h ω × (ω × r): along the tangent, what rides on a turntable would drift outward. So does
/// the point of the body, about its own center and with its own spin: no body could follow chords of all its corners.
fn surface_velocity(obstacle: &Obstacle, contact: &Contact, (center, spin): (DVec3, DVec3), h: f64) -> DVec3 {
    let turning = obstacle.spin.cross(contact.point - obstacle.position);
    let bend = match obstacle.spin {
        DVec3::ZERO => DVec3::ZERO,
        of => (of.cross(turning) - spin.cross(spin.cross(contact.point - center))) * (0.5 * h),
    };
    obstacle.velocity + turning + bend.reject_from_normalized(contact.normal)
}

/// Marks a sleeping tree to wake if a moving body hits it fast enough.
fn wake(model: &Model, settings: &Settings, state: &mut State, bodies: [usize; 2], contacts: &[Contact]) {
    let Some(side) = (0..2).find(|&side| contacts[0].bodies[side].is_some()) else { return };
    let (body, sleeper) = (bodies[side], bodies[1 - side]);
    let (v, w) = state.momenta[body].velocities(&model.bodies[body], state.poses[body].turn());
    let place = state.poses[body].place();
    let is_hit = contacts.iter().any(|contact| {
        let speed = (v + w.cross(contact.point - place)).length();
        contact.gap <= speed * settings.time_step && speed > WAKES * settings.rest_speed
    });
    if is_hit {
        let tree = state.trees[sleeper];
        state.rest[tree] = 0;
    }
}

/// Multiple of the sleep threshold above which a contact wakes a body.
const WAKES: f64 = 4.0;

fn add(
    manifold: &Manifold,
    bodies: [Option<usize>; 2],
    (friction, restitution): (f64, f64),
    key: u64,
    found: &mut Vec<Contact>,
) {
    for point in manifold.points() {
        found.push(Contact {
            bodies,
            point: (point.on_a + point.on_b) * 0.5,
            spread: DVec3::ZERO,
            normal: manifold.normal,
            gap: point.gap,
            velocity: DVec3::ZERO,
            friction,
            restitution,
            key: contact_key(key, point.feature),
        });
    }
}

/// Box shapes of two colliders at their poses; `None` if one is not a box.
fn cuboids(solids: [&Collider; 2], poses: &[Pose; 2]) -> Option<[Cuboid; 2]> {
    let of = |side: usize| match solids[side].shape {
        ObstacleShape::Box { half_extents } => Some(Cuboid::new(half_extents, &poses[side])),
        _ => None,
    };
    Some([of(0)?, of(1)?])
}

/// Key of a contact of a pair of colliders, of which `feature` says the point.
pub fn contact_key(pair: u64, feature: u64) -> u64 {
    (pair ^ feature.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 5
}

/// Key of a pair of colliders; of a collider and obstacle `index`, `b` is `u32::MAX - index`.
pub fn key(a: u32, b: u32) -> u64 {
    (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Greatest distance of a point of a shape from its origin, meters.
fn size(shape: &ObstacleShape) -> f64 {
    simplex_contact::bounds(shape).map_or(f64::INFINITY, |size| size.least.abs().max(size.most.abs()).length())
}

/// World pose of a collider.
fn placed(solid: &Collider, state: &State) -> Pose {
    let pose = &state.poses[solid.body];
    let turn = pose.turn();
    Pose { position: pose.place() + turn * solid.position, rotation: (turn * solid.rotation).normalize() }
}

/// AABB of a shape; empty for unbounded shapes.
fn around(shape: &ObstacleShape, pose: &Pose) -> Aabb {
    simplex_contact::bounds(shape).map_or(Aabb::NOTHING, |local| local.placed(pose))
}

/// Whether a box is above a half-space at rest.
fn is_above(obstacle: &Obstacle, bounds: &Aabb) -> bool {
    let normal = obstacle.rotation * DVec3::Y;
    let (center, half) = (0.5 * (bounds.least + bounds.most), 0.5 * (bounds.most - bounds.least));
    matches!(obstacle.shape, ObstacleShape::HalfSpace)
        && (obstacle.velocity, obstacle.spin) == (DVec3::ZERO, DVec3::ZERO)
        && normal.dot(center - obstacle.position) > normal.abs().dot(half)
}

/// AABB that an obstacle sweeps; `None` for unbounded shapes.
fn reach(obstacle: &Obstacle, seconds: f64) -> Option<Aabb> {
    if matches!(obstacle.shape, ObstacleShape::HalfSpace | ObstacleShape::Room { .. }) {
        return None;
    }
    let now = around(&obstacle.shape, &obstacle.pose());
    let then = around(&obstacle.shape, &obstacle.pose_after(seconds));
    let half = 0.5 * (now.most - now.least).length();
    Some(now.union(then).grown(half * (obstacle.spin.length() * seconds).min(1.0)))
}

/// Greatest speed of a point of a collider within its AABB, m/s.
fn speed(model: &Model, state: &State, solid: &Collider, bounds: &Aabb) -> f64 {
    let (v, w) = velocities(model, state, solid);
    v.length() + w.length() * 0.5 * (bounds.most - bounds.least).length()
}

/// Greatest speed of a point of a collider, m/s.
fn quickness(model: &Model, state: &State, solid: &Collider) -> f64 {
    let (v, w) = velocities(model, state, solid);
    v.length() + w.length() * solid.reach()
}

fn velocities(model: &Model, state: &State, solid: &Collider) -> (DVec3, DVec3) {
    let body = solid.body;
    let momentum = &state.momenta[body];
    if vector(momentum.linear) == DVec3::ZERO && vector(momentum.angular) == DVec3::ZERO {
        return (DVec3::ZERO, DVec3::ZERO);
    }
    momentum.velocities(&model.bodies[body], state.poses[body].turn())
}
