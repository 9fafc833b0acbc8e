//! One tree of a rigid world in a lane: its own model, and its way from the state of the world and back.

use glam::{DQuat, DVec3};

use super::own::{Limb, OwnContacts};
use crate::collision::broad_phase::Aabb;
use crate::collision::near_plane::{Near, plane_near};
use crate::collision::{Obstacle, ObstacleShape};
use crate::rigid::crowd;
use crate::rigid::crowd::BatchScratch;
use crate::rigid::crowd::block::LanesOf;
use crate::rigid::crowd::look::{AHEAD, NEAR_GAP};
use crate::rigid::crowd::pace::{LONGEST, MOST_WAY};
use crate::rigid::crowd::plan::{BatchColliders, is_known};
use crate::rigid::crowd::rows::at;
use crate::rigid::crowd::touch::LaneContactSolver;
use crate::rigid::drives::Drives;
use crate::rigid::forest::Forest;
use crate::rigid::model::{Collider, Model, Motor, Object, Range};
use crate::rigid::motion::vector;
use crate::rigid::rattle::{Mechanism, Rattle};
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
    /// Indices into the world's lists.
    bodies: Vec<usize>,
    joints: Vec<usize>,
    ranges: Vec<usize>,
    motors: Vec<usize>,
    solids: Vec<usize>,
    objects: Vec<usize>,
    /// The tree alone, with the planes near it as obstacles.
    model: Model,
    forest: Forest,
    plan: BatchColliders,
    /// Obstacles near the tree in this step, and those with a plane near it.
    obstacles: Vec<usize>,
    planes: Vec<Plane>,
    scratch: BatchScratch<f64>,
    own: OwnContacts,
    /// The world's limit of the joint above each body.
    bounds: Vec<Option<usize>>,
    strides: u32,
    counted: [u64; 4],
    contacts: Vec<Contact>,
    impulses: Vec<(u64, f64)>,
}

/// Plane of an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plane {
    obstacle: usize,
    normal: DVec3,
    offset: f64,
    friction: f64,
    restitution: f64,
}

/// Greatest coordinate of a tree in a lane, meters.
const FARTHEST: f64 = 1e9;

/// Greatest joint error of a step that is accepted, meters or radians.
const ENOUGH: f64 = 1e-5;

/// Bit that tells keys of joint limits in lanes from those of the general method, which has other rows.
const IN_LANES: u64 = 8;

impl Member {
    /// The tree alone; `None` if lanes cannot step it. A body without a collider is no limb, but may be a mouse anchor.
    pub fn of(model: &Model, forest: &Forest, tree: usize) -> Option<Self> {
        let mut bodies = forest.of_tree(tree).to_vec();
        bodies.sort_unstable();
        let place = |body: usize| bodies.binary_search(&body).ok();
        let chosen =
            |is_in: &dyn Fn(usize) -> bool, count: usize| (0..count).filter(|&index| is_in(index)).collect::<Vec<_>>();
        let joints = chosen(&|joint| place(model.joints[joint].child).is_some(), model.joints.len());
        let of_joint = |joint: usize| joints.binary_search(&joint).ok();
        let ranges = chosen(&|range| of_joint(model.ranges[range].joint).is_some(), model.ranges.len());
        let motors = chosen(&|motor| of_joint(model.motors[motor].joint).is_some(), model.motors.len());
        let solids = chosen(&|solid| place(model.solids[solid].body).is_some(), model.solids.len());
        let is_covered = |&body: &usize| solids.iter().any(|&solid| model.solids[solid].body == body);
        let is_tree =
            joints.iter().all(|joint| model.joints[*joint].parent.is_some() && !forest.closing.contains(joint));
        let is_limited_once = ranges.windows(2).all(|pair| model.ranges[pair[0]].joint != model.ranges[pair[1]].joint);
        if bodies.len() < 2
            || !(is_tree && is_limited_once && bodies.iter().all(is_covered))
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
        let own_forest = Forest::new(own.bodies.len(), &own.joints);
        let plan = BatchColliders::new(&own, &own_forest).ok()?;
        let bounds = (0..bodies.len()).map(|body| {
            let joint = own_forest.hangs_by[body]?;
            own.ranges.iter().position(|range| range.joint == joint).map(|range| ranges[range])
        });
        let bounds = bounds.collect();
        let mechanism = Mechanism { bodies: &own.bodies, joints: &own.joints, forest: &own_forest };
        let lanes = LanesOf::new(0.0, mechanism, &plan);
        let scratch = BatchScratch {
            rattle: Rattle::new(0.0, mechanism),
            touch: LaneContactSolver::new(0.0, own.bodies.len()),
            kept: lanes.clone(),
            lanes,
        };
        let limbs = own.solids.iter().zip(&solids).map(|(solid, &index)| Limb::of(solid, index)).collect();
        let own_contacts = OwnContacts::new(limbs, Rattle::new(0.0, mechanism), Drives::default());
        Some(Self {
            tree,
            is_in: false,
            bodies,
            joints,
            ranges,
            motors,
            solids,
            objects,
            model: own,
            forest: own_forest,
            plan,
            obstacles: Vec::new(),
            planes: Vec::new(),
            scratch,
            own: own_contacts,
            bounds,
            strides: 0,
            counted: [0; 4],
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
            let (pose, momentum) = (&state.poses[body], &state.momenta[body]);
            let (_, spin) = momentum.velocities(&model.bodies[body], pose.turn());
            wrenches[body] == [0.0; 6]
                && pose.is_finite()
                && momentum.is_finite()
                && pose.place().abs().max_element() < FARTHEST
                && spin.length() * settings.time_step <= most_turn
        };
        self.bodies.iter().all(is_free) && self.is_of(model)
    }

    /// Whether the tree still is as its model says, apart from motors, which may only damp.
    fn is_of(&self, model: &Model) -> bool {
        let Self { bodies, joints, ranges, motors, solids, objects, model: own, .. } = self;
        let same = |(own, &solid): (&Collider, &usize)| {
            let solid = &model.solids[solid];
            own.position == solid.position && own.rotation == solid.rotation && is_same(&own.shape, &solid.shape)
        };
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

    /// Finds the planes near the tree. It leaves if it is near anything else.
    pub fn find_planes(&mut self, model: &Model, detector: &ContactDetector, seconds: f64) {
        for (own, &motor) in self.model.motors.iter_mut().zip(&self.motors) {
            own.drag = model.motors[motor].drag;
        }
        if self.obstacles.is_empty() && self.planes.is_empty() {
            return;
        }
        self.obstacles.sort_unstable();
        let reach = self.solids.iter().fold(Aabb::NOTHING, |sum, &solid| sum.union(*detector.bounds(solid)));
        let mut count = 0;
        let mut is_new = false;
        for &index in &self.obstacles {
            let obstacle = &model.obstacles[index];
            match plane_near(obstacle, &reach, seconds) {
                Near::Nothing => {}
                Near::Other => self.is_in = false,
                Near::Plane((normal, offset)) => {
                    let Obstacle { friction, restitution, .. } = *obstacle;
                    let plane = Plane { obstacle: index, normal, offset, friction, restitution };
                    if self.planes.get(count) != Some(&plane) {
                        self.planes.truncate(count);
                        self.planes.push(plane);
                        is_new = true;
                    }
                    count += 1;
                }
            }
        }
        is_new |= count < self.planes.len();
        self.planes.truncate(count);
        if is_new {
            self.model.obstacles = self.planes.iter().map(Plane::obstacle).collect();
            match BatchColliders::new(&self.model, &self.forest) {
                Ok(plan) => self.plan = plan,
                Err(_) => self.is_in = false,
            }
            let lanes = &mut self.scratch.lanes;
            lanes.touching.resize(self.plan.feelers.len(), [0.0; 3]);
            lanes.levels.clear();
            lanes.levels.extend(self.plan.planes.iter().map(|&(_, level)| level));
            self.scratch.kept = lanes.clone();
        }
    }

    /// Steps the tree. Returns `false` if the result is of no use.
    pub fn step(&mut self, settings: &Settings, state: &State) -> bool {
        let substeps = settings.substeps.max(1);
        let of_batch = crowd::Settings {
            time_step: settings.time_step / f64::from(substeps),
            gravity: settings.gravity,
            longest_step: settings.time_step,
            slop: settings.slop,
            bounce: settings.bounce,
            ..crowd::Settings::default()
        };
        self.load(state, of_batch.time_step);
        let Self { model, forest, plan, scratch, own, .. } = self;
        let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest };
        if !own.begin(mechanism, (model, &scratch.lanes), settings.time_step) {
            return false;
        }
        let before = counts(scratch, own);
        scratch.touch.worst = 0.0;
        let mut extras = own.of_step((model, plan), state);
        self.strides = scratch.walk_on((mechanism, &of_batch, plan), substeps, &mut extras);
        let after = counts(scratch, own);
        self.counted = [0, 1, 2, 3].map(|of| after[of] - before[of]);
        let is_sound = scratch.lanes.poses.iter().all(Pose::is_finite)
            && scratch.lanes.momenta.iter().all(|momentum| momentum.is_finite())
            && scratch.touch.worst <= ENOUGH;
        if is_sound {
            self.finish(of_batch.time_step);
        }
        is_sound
    }

    /// Fills the lane from the state of the world.
    fn load(&mut self, state: &State, h: f64) {
        let Self { bodies, joints, plan, planes, solids, bounds, scratch, .. } = self;
        let lanes = &mut scratch.lanes;
        for (place, &body) in bodies.iter().enumerate() {
            (lanes.poses[place], lanes.momenta[place]) = (state.poses[body], state.momenta[body]);
        }
        for (own, of) in lanes.multipliers.iter_mut().zip(&state.multipliers) {
            own.iter_mut().zip(&*joints).for_each(|(own, &joint)| *own = of[joint]);
        }
        let force = |key: u64| state.force(key).map_or(0.0, |force| force * h);
        for (feeler, touching) in plan.feelers.iter().zip(&mut lanes.touching) {
            let key = 4 * contact(solids[feeler.of[0]], planes[feeler.plane].obstacle, feeler.of[1]);
            *touching = [0, 1, 2].map(|row| force(key.wrapping_add(row)));
        }
        for (range, bounding) in bounds.iter().zip(&mut lanes.bounding) {
            *bounding = [0, 1].map(|bound| range.map_or(0.0, |range| force(limit(range, bound))));
        }
        let stride = state.strides[self.tree].min(self.calm(h));
        self.scratch.lanes.pace = [stride, 0.0];
    }

    /// Greatest stride before which no contact comes. The stride before a hit should find it, but a plane that was far in the
    /// last step was not among those looked at.
    fn calm(&self, h: f64) -> f64 {
        let Self { model, plan, scratch: BatchScratch { lanes, .. }, .. } = self;
        let (mut hit, mut seen) = (0.0_f64, None);
        for feeler in &plan.feelers {
            let (body, pose) = (feeler.body, &lanes.poses[feeler.body]);
            let (axes, velocity) = match seen {
                Some((last, axes, velocity)) if last == body => (axes, velocity),
                _ => {
                    let axes = pose.rotation.matrix();
                    (axes, lanes.momenta[body].velocity(&model.bodies[body], &axes))
                }
            };
            seen = Some((body, axes, velocity));
            let (gap, arm) = feeler.gap(&axes, pose, lanes.levels[feeler.plane]);
            let approach = -feeler.directions[0].dot(vector(at(&velocity, arm)));
            if gap < approach * (LONGEST * AHEAD * h) + NEAR_GAP {
                hit = hit.max(approach);
            }
        }
        [LONGEST, 2.0].into_iter().find(|stride| hit * stride * h < MOST_WAY).unwrap_or(1.0)
    }

    /// Finds contacts and impulses after a step.
    fn finish(&mut self, h: f64) {
        let Self { bodies, plan, planes, solids, bounds, scratch, own, .. } = self;
        let (lanes, rattle) = (&scratch.lanes, &scratch.rattle);
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
            let (gap, arm) = feeler.gap(&rattle.axes[feeler.body], pose, lanes.levels[feeler.plane]);
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
                (0..2).for_each(|bound| put(limit(range, bound as u64), bounding[bound]));
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
        let lanes = &self.scratch.lanes;
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
        let [factorizations, tree_solves, passes, corrections] = self.counted;
        work.substeps = work.substeps.max(self.strides);
        work.passes = work.passes.max(passes as u32);
        work.pairs += self.strides as u64 * (self.plan.feelers.len() + self.own.near.len()) as u64;
        work.contacts += self.contacts.len() as u64;
        work.corrections += corrections;
        work.factorizations += factorizations;
        work.tree_solves += tree_solves;
        work.worst_joint = work.worst_joint.max(self.scratch.touch.worst);
    }
}

/// Trees factored and solved, contact iterations and corrections since the buffers were made.
fn counts(scratch: &BatchScratch<f64>, own: &OwnContacts) -> [u64; 4] {
    let ([a, b], [c, d]) = (scratch.rattle.factors.count, own.driven.factors.count);
    let [passes, corrections] = scratch.touch.count;
    [a + c, b + d, passes, corrections]
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

/// Whether two shapes of lanes are the same.
fn is_same(a: &ObstacleShape, b: &ObstacleShape) -> bool {
    match (a, b) {
        (ObstacleShape::Sphere { radius: a }, ObstacleShape::Sphere { radius: b }) => a == b,
        (
            ObstacleShape::Capsule { radius: a, half_length: c },
            ObstacleShape::Capsule { radius: b, half_length: d },
        ) => (a, c) == (b, d),
        (ObstacleShape::Box { half_extents: a }, ObstacleShape::Box { half_extents: b }) => a == b,
        (ObstacleShape::Hull(a), ObstacleShape::Hull(b)) => std::sync::Arc::ptr_eq(a, b),
        _ => false,
    }
}

impl Plane {
    fn obstacle(&self) -> Obstacle {
        Obstacle {
            shape: ObstacleShape::HalfSpace,
            position: self.normal * self.offset,
            rotation: DQuat::from_rotation_arc(DVec3::Y, self.normal),
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            friction: self.friction,
            restitution: self.restitution,
        }
    }
}
