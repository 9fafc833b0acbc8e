//! One tree of a rigid world in a lane: its own model, and its way from the state of the world and back.

use std::sync::Arc;

use glam::DVec3;

use super::own::{Limb, OwnContacts};
use super::rig::{Plane, Rig, is_same};
use crate::collision::Obstacle;
use crate::collision::broad_phase::Aabb;
use crate::collision::near_plane::{Near, plane_near};
use crate::math::lane_rotation::LaneMatrix;
use crate::rigid::crowd::block::LanesOf;
use crate::rigid::crowd::look::{AHEAD, NEAR_GAP};
use crate::rigid::crowd::pace::{LONGEST, MOST_WAY};
use crate::rigid::crowd::plan::is_known;
use crate::rigid::crowd::rows::at;
use crate::rigid::forest::Forest;
use crate::rigid::model::{Collider, Model, Motor, Object, Range};
use crate::rigid::motion::{Velocity, vector};
use crate::rigid::row::{self, Contact};
use crate::rigid::settings::Settings;
use crate::rigid::state::State;
use crate::rigid::touch::{ContactDetector, contact_key, key};
use crate::rigid::world::Report;
use crate::rigid::{Joint, Pose};

/// A tree of a world.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub tree: usize,
    /// Whether lanes step it in this step.
    pub is_in: bool,
    pub rig: Arc<Rig>,
    /// Indices into the world's lists.
    bodies: Vec<usize>,
    joints: Vec<usize>,
    ranges: Vec<usize>,
    motors: Vec<usize>,
    solids: Vec<usize>,
    objects: Vec<usize>,
    /// Obstacles near the tree in this step, and those with a plane near it.
    obstacles: Vec<usize>,
    pub planes: Vec<Plane>,
    pub lanes: LanesOf<f64>,
    pub own: OwnContacts,
    /// Axes and velocity of each body at the start of the step.
    moving: Vec<(LaneMatrix<f64>, Velocity<f64>)>,
    /// Damping rate of each motor, 1/s.
    pub drags: Vec<f64>,
    /// What the last step took: strides, factorizations, solutions, iterations, corrections.
    pub work: [f64; 5],
    /// Greatest joint error after it, meters or radians.
    pub worst: f64,
    /// Solver iterations of its strides, by which trees are placed side by side.
    pub walks: f64,
    contacts: Vec<Contact>,
    impulses: Vec<(u64, f64)>,
}

/// Greatest coordinate of a tree in a lane, meters.
const FARTHEST: f64 = 1e9;

/// Greatest joint error of a step that is accepted, meters or radians.
const ENOUGH: f64 = 1e-5;

/// Bit that tells keys of joint limits in lanes from those of the general method, which has other rows.
const IN_LANES: u64 = 8;

/// What a model has of one tree, as indices into its lists.
#[derive(Clone, Debug, Default)]
pub(super) struct TreePieces {
    joints: Vec<usize>,
    ranges: Vec<usize>,
    motors: Vec<usize>,
    solids: Vec<usize>,
}

impl TreePieces {
    /// The pieces of each tree.
    pub fn of(model: &Model, forest: &Forest) -> Vec<Self> {
        let mut all = vec![Self::default(); forest.trees];
        let of_joint = |joint: usize| forest.tree[model.joints[joint].child];
        (0..model.joints.len()).for_each(|joint| all[of_joint(joint)].joints.push(joint));
        let ranges = model.ranges.iter().enumerate();
        ranges.for_each(|(index, range)| all[of_joint(range.joint)].ranges.push(index));
        let motors = model.motors.iter().enumerate();
        motors.for_each(|(index, motor)| all[of_joint(motor.joint)].motors.push(index));
        let solids = model.solids.iter().enumerate();
        solids.for_each(|(index, solid)| all[forest.tree[solid.body]].solids.push(index));
        all
    }
}

impl Member {
    /// The tree alone; `None` if lanes cannot step it. A body without a collider is no limb, but may be a mouse anchor.
    pub fn of(model: &Model, forest: &Forest, tree: usize, pieces: TreePieces) -> Option<Self> {
        let TreePieces { joints, ranges, motors, solids } = pieces;
        let mut bodies = forest.of_tree(tree).to_vec();
        bodies.sort_unstable();
        let is_covered = |&body: &usize| solids.iter().any(|&solid| model.solids[solid].body == body);
        let is_tree = joints
            .iter()
            .all(|joint| model.joints[*joint].parent.is_some() && forest.closing.binary_search(joint).is_err());
        let is_limited_once = ranges.windows(2).all(|pair| model.ranges[pair[0]].joint != model.ranges[pair[1]].joint);
        let mut driven: Vec<usize> = motors.iter().map(|&motor| model.motors[motor].joint).collect();
        driven.sort_unstable();
        let is_driven_once = driven.windows(2).all(|pair| pair[0] != pair[1]);
        if bodies.len() < 2
            || !(is_tree && is_limited_once && is_driven_once && bodies.iter().all(is_covered))
            || !solids.iter().all(|&solid| is_known(&model.solids[solid]))
        {
            return None;
        }
        let mut objects: Vec<usize> = solids.iter().map(|&solid| model.solids[solid].object).collect();
        objects.sort_unstable();
        objects.dedup();
        let own = Model {
            bodies: bodies.iter().map(|&body| model.bodies[body]).collect(),
            joints: joints.iter().map(|&joint| joined(&model.joints[joint], &bodies)).collect(),
            ranges: ranges.iter().map(|&range| of_range(&model.ranges[range], &joints)).collect(),
            motors: motors.iter().map(|&motor| of_motor(&model.motors[motor], &joints)).collect(),
            solids: solids.iter().map(|&solid| of_solid(&model.solids[solid], &bodies, &objects)).collect(),
            obstacles: Vec::new(),
            objects: objects.iter().map(|&object| *model.objects.get(object).unwrap_or(&Object::default())).collect(),
        };
        let rig = Rig::of(own, Vec::new())?;
        let mechanism = rig.mechanism();
        let limbs = rig.model.solids.iter().zip(&solids).map(|(solid, &index)| Limb::of(solid, index)).collect();
        let lanes = LanesOf::new(0.0, mechanism, &rig.plan);
        Some(Self {
            tree,
            is_in: false,
            rig: Arc::new(rig),
            bodies,
            joints,
            ranges,
            motors,
            solids,
            objects,
            obstacles: Vec::new(),
            planes: Vec::new(),
            lanes,
            own: OwnContacts::new(limbs),
            moving: Vec::new(),
            drags: Vec::new(),
            work: [0.0; 5],
            worst: 0.0,
            walks: 0.0,
            contacts: Vec::new(),
            impulses: Vec::new(),
        })
    }

    /// First body of the tree.
    pub fn first(&self) -> usize {
        self.bodies[0]
    }

    /// Indices of the tree's colliders.
    pub fn solids(&self) -> &[usize] {
        &self.solids
    }

    /// Contacts after the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Impulses of the last stride, per second.
    pub fn impulses(&self) -> &[(u64, f64)] {
        &self.impulses
    }

    /// Forgets what was near.
    pub fn begin(&mut self) {
        self.own.near.clear();
        self.obstacles.clear();
    }

    /// Adds a pair of the tree's colliders that may touch in this step.
    pub fn near(&mut self, a: usize, b: usize) {
        self.own.near.push([a, b]);
    }

    /// Adds an obstacle that the tree may touch in this step.
    pub fn near_obstacle(&mut self, obstacle: usize) {
        if !self.obstacles.contains(&obstacle) {
            self.obstacles.push(obstacle);
        }
    }

    /// Whether the tree is as it was, and nothing pushes, damps or drives it but the damping of its joints. Fast spins need
    /// more substeps than lanes take.
    pub fn is_free(&self, (model, settings): (&Model, &Settings), state: &State, wrenches: &[[f64; 6]]) -> bool {
        let most_turn = settings.most_turn * f64::from(settings.substeps);
        let is_free = |&body: &usize| {
            let (pose, momentum, of) = (&state.poses[body], &state.momenta[body], &model.bodies[body]);
            let is_slow = |spin: f64| spin * settings.time_step <= most_turn;
            wrenches[body] == [0.0; 6]
                && pose.is_finite()
                && momentum.is_finite()
                && pose.place().abs().max_element() < FARTHEST
                && (is_slow(vector(momentum.angular).length() / of.moments.min_element())
                    || is_slow(momentum.velocities(of, pose.turn()).1.length()))
        };
        self.bodies.iter().all(is_free) && self.is_of(model)
    }

    /// Whether the tree still is as its model says, apart from motors, which may only damp.
    fn is_of(&self, model: &Model) -> bool {
        let Self { bodies, joints, ranges, motors, solids, objects, .. } = self;
        let own = &self.rig.model;
        let same = |(own, &solid): (&Collider, &usize)| is_same(own, &model.solids[solid]);
        let damps = |&motor: &usize| {
            let motor = &model.motors[motor];
            !motor.has_target() && motor.friction == 0.0 && motor.most == f64::INFINITY && motor.rate == DVec3::ZERO
        };
        let joined = |(own, &joint): (&Joint, &usize)| {
            let joint = &model.joints[joint];
            own.frames == joint.frames && own.kind == joint.kind && joint.compliance == 0.0
        };
        own.bodies.iter().zip(bodies).all(|(own, &body)| *own == model.bodies[body])
            && motors.iter().all(damps)
            && own.joints.iter().zip(joints).all(joined)
            && own.ranges.iter().zip(ranges).all(|(own, &range)| own.bounds == model.ranges[range].bounds)
            && own.solids.iter().zip(solids).all(same)
            && own
                .objects
                .iter()
                .zip(objects)
                .all(|(own, &object)| own.drag == 0.0 && model.objects.get(object).is_none_or(|object| own == object))
    }

    /// Finds the planes near the tree. It leaves if it is near anything else. Returns whether they are others than before.
    pub fn find_planes(&mut self, model: &Model, detector: &ContactDetector, seconds: f64) -> bool {
        self.drags.clear();
        self.drags.extend(self.motors.iter().map(|&motor| model.motors[motor].drag));
        if self.obstacles.is_empty() && self.rig.planes.is_empty() {
            return false;
        }
        self.obstacles.sort_unstable();
        let reach = self.solids.iter().fold(Aabb::NOTHING, |sum, &solid| sum.union(*detector.bounds(solid)));
        self.planes.clear();
        for &index in &self.obstacles {
            let obstacle = &model.obstacles[index];
            match plane_near(obstacle, &reach, seconds) {
                Near::Nothing => {}
                Near::Other => self.is_in = false,
                Near::Plane((normal, offset)) => {
                    let Obstacle { friction, restitution, .. } = *obstacle;
                    self.planes.push(Plane { obstacle: index, normal, offset, friction, restitution });
                }
            }
        }
        self.planes != self.rig.planes
    }

    /// Changes the planes.
    pub fn take(&mut self, rig: Arc<Rig>) {
        self.lanes.touching.resize(rig.plan.feelers.len(), [0.0; 3]);
        self.lanes.levels.clear();
        self.lanes.levels.extend(rig.plan.planes.iter().map(|&(_, level)| level));
        self.rig = rig;
    }

    /// Prepares a step.
    pub fn begin_step(&mut self, settings: &Settings, state: &State) {
        self.load(state, settings.time_step / f64::from(settings.substeps.max(1)));
        self.own.begin(&self.lanes, &self.moving, settings.time_step);
    }

    /// Ends a step of `h` seconds a substep. Returns `false` if the result is of no use.
    pub fn end_step(&mut self, h: f64) -> bool {
        let is_sound = self.lanes.poses.iter().all(Pose::is_finite)
            && self.lanes.momenta.iter().all(|momentum| momentum.is_finite())
            && self.worst <= ENOUGH;
        if is_sound {
            self.finish(h);
        }
        is_sound
    }

    /// Fills the lane from the state of the world.
    fn load(&mut self, state: &State, h: f64) {
        let Self { bodies, joints, ranges, solids, lanes, rig, moving, .. } = self;
        let Rig { plan, planes, bounds, .. } = &**rig;
        for (place, &body) in bodies.iter().enumerate() {
            (lanes.poses[place], lanes.momenta[place]) = (state.poses[body], state.momenta[body]);
        }
        for (own, of) in lanes.multipliers.iter_mut().zip(&state.multipliers) {
            own.iter_mut().zip(&*joints).for_each(|(own, &joint)| *own = of[joint]);
        }
        for (range, bounding) in bounds.iter().zip(&mut lanes.bounding) {
            let known = range.map_or(&[][..], |range| state.forces_at_least(limit(ranges[range], 0)));
            let force = |key: u64| known.iter().take(2).find(|force| force.0 == key).map_or(0.0, |force| force.1 * h);
            *bounding = [0, 1].map(|bound| range.map_or(0.0, |range| force(limit(ranges[range], bound))));
        }
        let motion = lanes.poses.iter().zip(&lanes.momenta).zip(&rig.model.bodies);
        moving.clear();
        moving.extend(motion.map(|((pose, momentum), body)| {
            let axes = pose.rotation.matrix();
            (axes, momentum.velocity(body, &axes))
        }));
        let mut hit = 0.0_f64;
        for (feeler, touching) in plan.feelers.iter().zip(&mut lanes.touching) {
            let (axes, velocity) = &moving[feeler.body];
            let (gap, arm) = feeler.gap(axes, &lanes.poses[feeler.body], lanes.levels[feeler.plane]);
            let approach = -feeler.directions[0].dot(vector(at(velocity, arm)));
            if gap < approach * (LONGEST * AHEAD * h) + NEAR_GAP {
                hit = hit.max(approach);
            }
            *touching = [0.0; 3];
            // What is farther was not touched in the last step.
            if gap < NEAR_GAP {
                let key = 4 * contact(solids[feeler.of[0]], planes[feeler.plane].obstacle, feeler.of[1]);
                for &(found, force) in state.forces_from(key).iter().take(3) {
                    if let Some(row) = touching.get_mut(found.wrapping_sub(key) as usize) {
                        *row = force * h;
                    }
                }
            }
        }
        // No contact comes before the end of a stride. The one before a hit should find it, but a plane that was far in the
        // last step was not among those looked at.
        let calm = [LONGEST, 2.0].into_iter().find(|stride| hit * stride * h < MOST_WAY).unwrap_or(1.0);
        lanes.pace = [state.strides[self.tree].min(calm), 0.0];
    }

    /// Finds contacts and impulses after a step.
    fn finish(&mut self, h: f64) {
        let Self { bodies, ranges, solids, lanes, own, rig, .. } = self;
        let Rig { plan, planes, bounds, .. } = &**rig;
        self.contacts.clear();
        self.impulses.clear();
        let mut put = |key: u64, impulse: f64| {
            if impulse != 0.0 {
                self.impulses.push((key, impulse / h));
            }
        };
        for (feeler, touching) in plan.feelers.iter().zip(&lanes.touching) {
            let key = contact(solids[feeler.of[0]], planes[feeler.plane].obstacle, feeler.of[1]);
            (0..3).for_each(|row| put((4 * key).wrapping_add(row as u64), touching[row]));
            let pose = &lanes.poses[feeler.body];
            let (gap, arm) = feeler.gap(&pose.rotation.matrix(), pose, lanes.levels[feeler.plane]);
            if gap <= 0.0 || touching[0] > 0.0 {
                self.contacts.push(Contact {
                    bodies: [Some(bodies[feeler.body]), None],
                    point: pose.place() + vector(arm),
                    spread: DVec3::ZERO,
                    normal: feeler.directions[0],
                    gap,
                    velocity: DVec3::ZERO,
                    friction: feeler.friction,
                    restitution: feeler.restitution,
                    key,
                });
            }
        }
        for (range, bounding) in bounds.iter().zip(&lanes.bounding) {
            if let Some(range) = *range {
                (0..2).for_each(|bound| put(limit(ranges[range], bound as u64), bounding[bound]));
            }
        }
        for found in &own.found {
            (0..3).for_each(|row| put((4 * found.key).wrapping_add(row as u64), found.force[row] * h));
            let [a, b] = found.bodies;
            let (friction, restitution) = found.surface;
            self.contacts.push(Contact {
                bodies: [Some(bodies[a]), Some(bodies[b])],
                point: found.point,
                spread: DVec3::ZERO,
                normal: found.normal,
                gap: found.gap,
                velocity: DVec3::ZERO,
                friction,
                restitution,
                key: found.key,
            });
        }
    }

    /// Writes the motion into the state of the world.
    pub fn store(&self, state: &mut State) {
        let lanes = &self.lanes;
        for (place, &body) in self.bodies.iter().enumerate() {
            (state.poses[body], state.momenta[body]) = (lanes.poses[place], lanes.momenta[place]);
        }
        for (own, of) in lanes.multipliers.iter().zip(&mut state.multipliers) {
            own.iter().zip(&self.joints).for_each(|(own, &joint)| of[joint] = *own);
        }
        state.strides[self.tree] = lanes.pace[0];
    }

    /// Adds what the last step took.
    pub fn add_to(&self, work: &mut Report) {
        let [strides, factorizations, tree_solves, passes, corrections] = self.work.map(|count| count as u64);
        work.substeps = work.substeps.max(strides as u32);
        work.passes = work.passes.max(passes as u32);
        work.pairs += strides * (self.rig.plan.feelers.len() + self.own.near.len()) as u64;
        work.contacts += self.contacts.len() as u64;
        work.corrections += corrections;
        work.factorizations += factorizations;
        work.tree_solves += tree_solves;
        work.worst_joint = work.worst_joint.max(self.worst);
    }
}

/// Key of the contact of a collider's point with an obstacle.
fn contact(solid: usize, obstacle: usize, point: usize) -> u64 {
    contact_key(key(solid as u32, u32::MAX - obstacle as u32), point as u64)
}

/// Key of a joint limit.
fn limit(range: usize, bound: u64) -> u64 {
    row::RANGES | (range as u64) << 4 | IN_LANES | bound
}

fn joined(joint: &Joint, bodies: &[usize]) -> Joint {
    let place = |body: usize| bodies.binary_search(&body).unwrap_or(0);
    Joint { child: place(joint.child), parent: joint.parent.map(place), ..joint.clone() }
}

fn of_range(range: &Range, joints: &[usize]) -> Range {
    Range { joint: joints.binary_search(&range.joint).unwrap_or(0), ..*range }
}

fn of_motor(motor: &Motor, joints: &[usize]) -> Motor {
    Motor { joint: joints.binary_search(&motor.joint).unwrap_or(0), ..*motor }
}

fn of_solid(solid: &Collider, bodies: &[usize], objects: &[usize]) -> Collider {
    let place = |list: &[usize], of: usize| list.binary_search(&of).unwrap_or(0);
    Collider { body: place(bodies, solid.body), object: place(objects, solid.object), ..solid.clone() }
}
