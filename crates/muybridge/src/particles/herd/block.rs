//! A lane block of sixteen ragdolls: spawning, stepping, reading.

use glam::{DMat3, DQuat, DVec3};

use super::ceiling;
use super::contact::{BoxRows, Obstacles, PlaneRows};
use super::drive::{DriveRows, JointStrength, JointTurn};
use super::kernel::{BlockRows, KernelPace, Scratch, StepBlock};
use super::pair_contact::{FindPairs, NearPair};
use super::plan::{BatchBody, BatchModel};
use super::push::{self, Acceleration, PushRows};
use super::rows::{BlockWidth, BodyRows, LANES, LaneValues, Sixteen, copy_lane};
use super::{HerdSettings, InstancePlacement};
use crate::math::rest_criterion::rest_weight;
use crate::particles::Model;

/// A static obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HerdObstacle {
    /// A half-space: all points with `normal · x < offset`.
    HalfSpace {
        /// Unit normal, out of the half-space.
        normal: DVec3,
        /// Offset of the plane along the normal, meters.
        offset: f64,
    },
    /// A sphere.
    Ball {
        /// Center in the world, meters.
        center: DVec3,
        /// Radius, meters.
        radius: f64,
    },
    /// A capsule.
    Capsule {
        /// Ends of the axis in the world, meters.
        ends: [DVec3; 2],
        /// Radius, meters.
        radius: f64,
    },
    /// A box.
    Box {
        /// Center in the world, meters.
        center: DVec3,
        /// Rotation from box axes to world axes.
        rotation: DQuat,
        /// Half extents along the box axes, meters.
        half_extents: DVec3,
    },
}

/// Sixteen slots for ragdolls, one per lane.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneBlock<W: BlockWidth = Sixteen> {
    pub(super) bodies: Vec<BodyRows<W>>,
    pub(super) touches: Vec<LaneValues<W>>,
    pub(super) pulled: Vec<[LaneValues<W>; 2]>,
    /// Origin of each lane in the world, whole meters.
    pub(super) origins: [[i32; 3]; LANES],
    pub(super) places: [Place; LANES],
    /// Substeps of the last step of each ragdoll; displacements are per such substep.
    pub(super) substeps: [u32; LANES],
    /// Centers of the bodies when the count of steps at rest began, meters.
    rested_at: Vec<[LaneValues<W>; 3]>,
    pub(super) pairs: Vec<NearPair<W>>,
    /// Limit of the kinetic energy times the square of the substep, kg m²; arbitrary in lanes that are not awake.
    pub(super) ceiling: LaneValues<W>,
    /// Whether each ragdoll may touch another in this step.
    pub(super) meets: [bool; LANES],
    /// Whether each ragdoll can touch nothing in this step.
    pub(super) flies: [bool; LANES],
    /// Substeps of a repeated step, by lane; 0 for ragdolls without a repeat in this step.
    pub(super) taken_again: [u32; LANES],
    /// Drive of the joint of each body; empty until the first drive is set.
    pub(super) drives: Vec<DriveRows<W>>,
    /// Time since the drives were set, seconds.
    pub(super) elapsed: LaneValues<W>,
    /// Acceleration fields of the coming step: one for all bodies, or one per body. Empty until the first call of
    /// `accelerate`.
    pub(super) push: Vec<PushRows<W>>,
}

/// State of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Empty,
    Awake { rested: u32 },
    Asleep,
}

/// Greatest distance of the root from the origin of its lane, meters.
const REACH: f32 = 4.0;

/// Distance at which obstacles are placed for lanes that are not awake, meters.
const NOWHERE: f64 = 1e9;

impl<W: BlockWidth> LaneBlock<W> {
    /// Creates a block with sixteen empty slots.
    pub fn new(plan: &BatchModel) -> Self {
        Self {
            bodies: vec![BodyRows::AT_ORIGIN; plan.bodies.len()],
            touches: vec![LaneValues::ZERO; 2 * plan.capsules.len()],
            pulled: vec![[LaneValues::ZERO; 2]; plan.bodies.len()],
            origins: [[0; 3]; LANES],
            places: [Place::Empty; LANES],
            substeps: [1; LANES],
            rested_at: vec![[LaneValues::ZERO; 3]; plan.bodies.len()],
            pairs: Vec::with_capacity(plan.pairs.len()),
            ceiling: LaneValues::of(|_| f32::MAX),
            meets: [false; LANES],
            flies: [false; LANES],
            taken_again: [0; LANES],
            drives: Vec::new(),
            elapsed: LaneValues::ZERO,
            push: Vec::new(),
        }
    }

    /// Memory of a block, bytes.
    pub fn bytes(plan: &BatchModel) -> usize {
        let (bodies, rows) = (plan.bodies.len(), size_of::<LaneValues<W>>());
        size_of::<Self>() + bodies * size_of::<BodyRows<W>>() + (5 * bodies + 2 * plan.capsules.len()) * rows
    }

    /// Adds a ragdoll in a lane.
    pub fn spawn(
        &mut self,
        plan: &BatchModel,
        model: &Model,
        placement: &InstancePlacement,
        lane: usize,
        settings: &HerdSettings,
    ) {
        self.clear(lane);
        let (substep, gravity) = (settings.time_step / f64::from(settings.substeps), settings.gravity);
        self.substeps[lane] = settings.substeps;
        let total: f64 = model.masses.iter().sum();
        let middle = model.positions.iter().zip(&model.masses).map(|(x, m)| *x * *m).sum::<DVec3>() / total;
        let middle = placement.position + placement.rotation * middle;
        // The origin is derived from the placement, so that ragdolls placed whole meters apart have the same bits.
        let origin = placement.position.round().clamp(DVec3::splat(-2e9), DVec3::splat(2e9));
        let origin = if origin.is_finite() { origin } else { DVec3::ZERO };
        self.origins[lane] = origin.to_array().map(|value| value as i32);
        let from_origin = placement.position - origin;
        let motion = |particle: usize| {
            let turned = placement.rotation * model.positions[particle];
            let own = model.velocities.get(particle).copied().unwrap_or_default();
            let arm = turned + placement.position - middle;
            (turned + from_origin, placement.rotation * own + placement.velocity + placement.spin.cross(arm))
        };
        self.set_motion(plan, lane, (substep, gravity), motion);
        self.places[lane] = Place::Awake { rested: 0 };
    }

    /// Sets the bodies of a lane from the position (m, from the origin of the lane) and velocity (m/s) of each particle.
    pub(super) fn set_motion(
        &mut self,
        plan: &BatchModel,
        lane: usize,
        (substep, gravity): (f64, DVec3),
        motion: impl Fn(usize) -> (DVec3, DVec3),
    ) {
        let mut energy = 0.0;
        for (body, rows) in plan.bodies.iter().zip(&mut self.bodies) {
            let motions = body.particles.map(&motion);
            let (at, velocities) = (motions.map(|(at, _)| at), motions.map(|(_, velocity)| velocity));
            let center = weighted(&body.weights, &at);
            let velocities = rigid(body, &at.map(|x| x - center), velocities, substep);
            set(&mut rows.center, lane, center);
            let moved = weighted(&body.weights, &velocities) * substep - 0.5 * gravity * substep * substep;
            set(&mut rows.moved, lane, moved);
            energy += 0.5 * f64::from(body.mass) * moved.length_squared();
            let spread = ceiling::spread(body.moments);
            for axis in 0..3 {
                let shares = body.shares.map(|share| share[axis]);
                set(&mut rows.axes[axis], lane, weighted(&shares, &at.map(|x| x - center)));
                let turned = weighted(&shares, &velocities) * substep;
                set(&mut rows.turned[axis], lane, turned);
                energy += 0.5 * f64::from(spread[axis]) * turned.length_squared();
            }
        }
        self.ceiling.0[lane] = energy as f32;
    }

    /// Empties a lane; returns whether it held a ragdoll.
    pub fn clear(&mut self, lane: usize) -> bool {
        for rows in &mut self.bodies {
            copy_lane((rows, lane), (&BodyRows::AT_ORIGIN, lane));
        }
        self.touches.iter_mut().chain(self.pulled.iter_mut().flatten()).for_each(|row| row.0[lane] = 0.0);
        self.drives.iter_mut().for_each(|rows| rows.release(lane));
        self.origins[lane] = [0; 3];
        self.ceiling.0[lane] = f32::MAX;
        core::mem::replace(&mut self.places[lane], Place::Empty) != Place::Empty
    }

    /// Whether the ragdoll of a lane sleeps.
    pub fn is_asleep(&self, lane: usize) -> bool {
        self.places[lane] == Place::Asleep
    }

    /// Wakes the ragdoll of a lane.
    pub fn wake(&mut self, lane: usize) {
        if self.places[lane] == Place::Asleep {
            self.ceiling.0[lane] = 0.0;
        }
        if self.places[lane] != Place::Empty {
            self.places[lane] = Place::Awake { rested: 0 };
        }
    }

    /// Wakes a ragdoll that was hit, with `rested` steps at rest already counted until it is pushed away. Otherwise one
    /// waking ragdoll would wake all that lie around it.
    pub fn disturb(&mut self, lane: usize, rested: u32) {
        self.wake(lane);
        if self.places[lane] != Place::Empty {
            self.places[lane] = Place::Awake { rested };
        }
    }

    /// Puts the ragdoll of a lane to sleep where it is.
    pub fn lay_to_sleep(&mut self, lane: usize) {
        self.places[lane] = Place::Asleep;
        for rows in &mut self.bodies {
            set(&mut rows.moved, lane, DVec3::ZERO);
            rows.turned.iter_mut().for_each(|turned| set(turned, lane, DVec3::ZERO));
        }
    }

    /// Wakes all ragdolls of the block.
    pub fn wake_all(&mut self) {
        (0..W::LANES).for_each(|lane| self.wake(lane));
    }

    /// Whether a lane is empty.
    pub fn is_empty(&self, lane: usize) -> bool {
        self.places[lane] == Place::Empty
    }

    /// Whether a lane holds a ragdoll that does not sleep.
    pub fn is_awake(&self, lane: usize) -> bool {
        matches!(self.places[lane], Place::Awake { .. })
    }

    /// 1 in lanes with an awake ragdoll, else 0.
    fn are_awake(&self) -> LaneValues<W> {
        LaneValues::of(|lane| if self.is_awake(lane) { 1.0 } else { 0.0 })
    }

    /// Number of lanes up to the last that is awake.
    fn filled(&self) -> usize {
        (0..W::LANES).rfind(|&lane| self.is_awake(lane)).map_or(0, |last| last + 1)
    }

    fn is_any_awake(&self) -> bool {
        (0..W::LANES).any(|lane| self.is_awake(lane))
    }

    /// Begins a step: chooses substeps and finds capsule pairs.
    pub fn begin(&mut self, plan: &BatchModel, settings: &HerdSettings) {
        if !self.is_any_awake() {
            return;
        }
        for lane in 0..W::LANES {
            if self.is_awake(lane) {
                self.choose_substeps(plan, settings, lane);
            }
        }
        self.taken_again = [0; LANES];
        if (0..W::LANES).any(|lane| self.meets[lane] && self.is_awake(lane)) {
            self.find_pairs(plan, settings);
        }
    }

    /// Finds pairs of capsules within each ragdoll that may touch each other in this step.
    pub(super) fn find_pairs(&mut self, plan: &BatchModel, settings: &HerdSettings) {
        if !plan.pairs.is_empty() {
            let substeps = LaneValues::of(|lane| self.substeps[lane] as f32);
            let (awake, filled) = (self.are_awake(), self.filled());
            let (bodies, found) = (&self.bodies, &mut self.pairs);
            W::run(settings.width, filled, FindPairs { plan, bodies, substeps, awake, filled, found });
        }
    }

    /// Advances all awake lanes by the substeps of `pace`. The contents of other lanes are overwritten.
    pub fn advance(
        &mut self,
        (plan, settings): (&BatchModel, &HerdSettings),
        pace: &KernelPace,
        (obstacles, rows): (&[HerdObstacle], &mut Obstacles<W>),
        scratch: &mut Scratch<W>,
    ) {
        if !self.is_any_awake() {
            return;
        }
        self.place_obstacles(obstacles, rows);
        let (awake, filled) = (self.are_awake(), self.filled());
        let block = BlockRows {
            bodies: &mut self.bodies,
            touches: &mut self.touches,
            pulled: &mut self.pulled,
            pairs: &self.pairs,
            ceiling: &mut self.ceiling,
            awake: &awake,
            drives: &self.drives,
            elapsed: &mut self.elapsed,
            push: &self.push,
        };
        W::run(settings.width, filled, StepBlock { plan, pace: *pace, obstacles: rows, block, scratch });
    }

    /// Drives the joint of a body in a lane to a target rotation, if there is one. The first drive of a block
    /// allocates.
    pub fn drive(
        &mut self,
        bodies: usize,
        (index, turn): (usize, Option<&JointTurn>),
        lane: usize,
        strength: &JointStrength,
    ) {
        if self.drives.is_empty() {
            self.drives = vec![DriveRows::NONE; bodies];
        }
        if self.drives[index].set(lane, turn, strength) {
            // The work of a stiff spring is known only to rounding.
            self.ceiling.0[lane] *= ceiling::LATER;
            self.wake(lane);
        }
    }

    /// Turns off all joint drives of a lane.
    pub fn release(&mut self, lane: usize) {
        self.drives.iter_mut().for_each(|rows| rows.release(lane));
    }

    /// Adds an acceleration field for the coming step to all bodies of a lane, or to some, given with their places in
    /// the plan. The first call allocates.
    pub fn accelerate(&mut self, lane: usize, which: Option<(&[bool], &[usize])>, field: &Acceleration) {
        let center = self.origin(lane);
        push::widen(&mut self.push, which.map_or(1, |_| self.bodies.len()));
        // The field is taken about the origin of the ragdoll, so that fields add up.
        let linear = field.linear + field.angular.cross(center - field.center);
        let left_out = |row: usize| {
            which.is_some_and(|(which, places)| {
                which.iter().zip(places).any(|(is_pushed, place)| *place == row && !is_pushed)
            })
        };
        for (row, rows) in self.push.iter_mut().enumerate() {
            if left_out(row) {
                continue;
            }
            let (linear, angular) = (get(&rows.linear, lane) + linear, get(&rows.angular, lane) + field.angular);
            set(&mut rows.linear, lane, linear);
            set(&mut rows.angular, lane, angular);
        }
        self.wake(lane);
    }

    /// Ends a step: moves origins and puts resting ragdolls to sleep.
    pub fn end(&mut self, plan: &BatchModel, settings: &HerdSettings) {
        self.elapsed = LaneValues::ZERO;
        self.push.fill(PushRows::NONE);
        if !self.is_any_awake() {
            return;
        }
        for lane in 0..W::LANES {
            if self.is_awake(lane) {
                self.follow(lane);
            }
        }
        self.rest(plan, settings);
        for lane in (0..W::LANES).filter(|&lane| !matches!(self.places[lane], Place::Awake { .. })) {
            self.ceiling.0[lane] = f32::MAX;
        }
    }

    /// Places the obstacles relative to the origins of the awake lanes, and far away for other lanes.
    fn place_obstacles(&self, obstacles: &[HerdObstacle], rows: &mut Obstacles<W>) {
        let (mut planes, mut boxes) = (rows.planes.iter_mut(), rows.boxes.iter_mut());
        for obstacle in obstacles {
            let at = |lane: usize| {
                if self.is_awake(lane) { self.origin(lane) } else { DVec3::splat(NOWHERE) }
            };
            match *obstacle {
                HerdObstacle::HalfSpace { normal, offset } => {
                    let Some(plane) = planes.next() else { continue };
                    for lane in 0..W::LANES {
                        let height = if self.is_awake(lane) { offset - normal.dot(at(lane)) } else { -NOWHERE };
                        plane.offset.0[lane] = height as f32;
                    }
                }
                HerdObstacle::Ball { center, .. } | HerdObstacle::Box { center, .. } => {
                    let Some(rounded) = boxes.next() else { continue };
                    (0..W::LANES).for_each(|lane| set(&mut rounded.center, lane, center - at(lane)));
                }
                HerdObstacle::Capsule { ends, .. } => {
                    let Some(rounded) = boxes.next() else { continue };
                    (0..W::LANES).for_each(|lane| set(&mut rounded.center, lane, 0.5 * (ends[0] + ends[1]) - at(lane)));
                }
            }
        }
    }

    /// Moves the origin of a lane by whole meters if its first body is far from it.
    fn follow(&mut self, lane: usize) {
        for axis in 0..3 {
            let away = self.bodies[0].center[axis].0[lane];
            if away.abs() > REACH && away.abs() < 1e6 {
                let metres = away.round();
                self.origins[lane][axis] = self.origins[lane][axis].saturating_add(metres as i32);
                for (rows, since) in self.bodies.iter_mut().zip(&mut self.rested_at) {
                    rows.center[axis].0[lane] -= metres;
                    since[axis].0[lane] -= metres;
                }
            }
        }
    }

    /// Counts the steps at rest and puts ragdolls to sleep. A ragdoll is at rest while all its bodies stay near their
    /// places at the start of the count; for very light bodies the tolerance is larger.
    fn rest(&mut self, plan: &BatchModel, settings: &HerdSettings) {
        let steps = settings.steps_to_rest();
        if steps == 0 {
            return;
        }
        let most = (settings.rest_speed * settings.time_step * f64::from(steps)) as f32;
        let mut furthest = [0.0_f32; LANES];
        let mean = plan.mass / plan.bodies.len() as f32;
        for ((rows, since), body) in self.bodies.iter().zip(&self.rested_at).zip(&plan.bodies) {
            let counts = rest_weight(body.mass.into(), mean.into()) as f32;
            for lane in 0..W::LANES {
                let [x, y, z] = core::array::from_fn(|axis| rows.center[axis].0[lane] - since[axis].0[lane]);
                furthest[lane] = furthest[lane].max(counts * (x * x + y * y + z * z));
            }
        }
        for lane in 0..W::LANES {
            let Place::Awake { rested } = &mut self.places[lane] else { continue };
            if *rested > 0 && furthest[lane] < most * most {
                *rested += 1;
            } else {
                *rested = 1;
                for (rows, since) in self.bodies.iter().zip(&mut self.rested_at) {
                    (0..3).for_each(|axis| since[axis].0[lane] = rows.center[axis].0[lane]);
                }
            }
            if *rested > steps {
                self.lay_to_sleep(lane);
            }
        }
    }

    /// Number of steps in which the ragdoll has stayed near one place.
    pub fn rested(&self, lane: usize) -> u32 {
        if let Place::Awake { rested } = self.places[lane] { rested } else { 0 }
    }

    /// Position (meters) and rotation of a body in the world.
    pub fn pose(&self, body: &BatchBody, place: usize, lane: usize) -> (DVec3, DQuat) {
        let rows = &self.bodies[place];
        let axes = DMat3::from_cols(get(&rows.axes[0], lane), get(&rows.axes[1], lane), get(&rows.axes[2], lane));
        let turn = DQuat::from_mat3(&(nearest_rotation(axes) * body.principal.transpose())).normalize();
        (self.origin(lane) + get(&rows.center, lane) - turn * body.center, turn)
    }

    /// Velocity of the center and angular velocity. ω is the least-squares fit to the motion of the axes, `Σ (f² − f
    /// fᵀ) ω = Σ f × Δf`, because a hit may have stretched the axes.
    pub fn velocity(&self, place: usize, lane: usize, settings: &HerdSettings) -> (DVec3, DVec3) {
        if self.is_asleep(lane) {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let (substep, gravity) = (settings.time_step / f64::from(self.substeps[lane]), settings.gravity);
        let rows = &self.bodies[place];
        let (axes, turned) =
            ([0, 1, 2].map(|a| get(&rows.axes[a], lane)), [0, 1, 2].map(|a| get(&rows.turned[a], lane)));
        let turn = axes.iter().zip(turned).map(|(axis, turned)| axis.cross(turned)).sum::<DVec3>();
        let square = axes.iter().map(|axis| axis.length_squared()).sum::<f64>();
        let columns = DMat3::from_cols(axes[0], axes[1], axes[2]);
        let spread = DMat3::IDENTITY * square - columns * columns.transpose();
        (get(&rows.moved, lane) / substep + 0.5 * gravity * substep, spread.inverse() * turn / substep)
    }

    /// Center of mass of a lane, meters.
    pub fn mass_center(&self, plan: &BatchModel, lane: usize) -> DVec3 {
        let of = |(body, rows): (&BatchBody, &BodyRows<W>)| get(&rows.center, lane) * f64::from(body.mass);
        self.origin(lane) + plan.bodies.iter().zip(&self.bodies).map(of).sum::<DVec3>() / f64::from(plan.mass)
    }

    /// Writes the positions of the particles of the model, meters.
    pub fn positions(&self, plan: &BatchModel, lane: usize, positions: &mut [DVec3]) {
        for (body, rows) in plan.bodies.iter().zip(&self.bodies) {
            let center = self.origin(lane) + get(&rows.center, lane);
            let axes = DMat3::from_cols(get(&rows.axes[0], lane), get(&rows.axes[1], lane), get(&rows.axes[2], lane));
            for (&particle, &corner) in body.particles.iter().zip(&body.corners) {
                positions[particle] = center + axes * corner;
            }
        }
    }

    pub(super) fn origin(&self, lane: usize) -> DVec3 {
        DVec3::from_array(self.origins[lane].map(f64::from))
    }
}

/// Creates rows for obstacles with one friction coefficient; each block fills in their places.
pub fn obstacle_rows<W: BlockWidth>(obstacles: &[HerdObstacle], friction: f32) -> Obstacles<W> {
    let mut rows = Obstacles::default();
    for obstacle in obstacles {
        let single = |v: DVec3| v.to_array().map(|value| value as f32);
        let mut rounded = |turn: DQuat, half: DVec3, radius: f64| {
            let axes = [turn * DVec3::X, turn * DVec3::Y, turn * DVec3::Z].map(single);
            rows.boxes.push(BoxRows {
                center: [LaneValues::ZERO; 3],
                axes,
                half: single(half),
                radius: radius as f32,
                friction,
            });
        };
        match *obstacle {
            HerdObstacle::HalfSpace { normal, .. } => {
                rows.planes.push(PlaneRows { normal: single(normal), offset: LaneValues::ZERO, friction });
            }
            HerdObstacle::Ball { radius, .. } => rounded(DQuat::IDENTITY, DVec3::ZERO, radius),
            HerdObstacle::Box { rotation, half_extents, .. } => rounded(rotation, half_extents, 0.0),
            HerdObstacle::Capsule { ends, radius } => {
                let axis = ends[1] - ends[0];
                let turn = DQuat::from_rotation_arc(DVec3::X, axis.normalize_or(DVec3::X));
                rounded(turn, DVec3::X * (0.5 * axis.length()), radius);
            }
        }
    }
    rows
}

/// Reads a vector from a lane.
pub fn get<W: BlockWidth>(rows: &[LaneValues<W>; 3], lane: usize) -> DVec3 {
    DVec3::new(f64::from(rows[0].0[lane]), f64::from(rows[1].0[lane]), f64::from(rows[2].0[lane]))
}

/// Writes a vector into a lane.
pub fn set<W: BlockWidth>(rows: &mut [LaneValues<W>; 3], lane: usize, v: DVec3) {
    for (row, value) in rows.iter_mut().zip(v.to_array()) {
        row.0[lane] = value as f32;
    }
}

fn weighted(weights: &[f64; 4], values: &[DVec3; 4]) -> DVec3 {
    weights.iter().zip(values).map(|(weight, value)| *value * *weight).sum()
}

/// The velocities of the particles of a body, m/s, or those of the rigid motion with the same momentum and angular momentum
/// if they would bend the body in a substep. A hit on one particle does.
fn rigid(body: &BatchBody, arms: &[DVec3; 4], velocities: [DVec3; 4], substep: f64) -> [DVec3; 4] {
    let of = |axis: usize, values: &[DVec3; 4]| weighted(&body.shares.map(|share| share[axis]), values);
    let (axes, rates) = ([0, 1, 2].map(|axis| of(axis, arms)), [0, 1, 2].map(|axis| of(axis, &velocities)));
    let strain = |a: usize, b: usize| axes[a].dot(rates[b]) + axes[b].dot(rates[a]);
    let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    let worst = pairs.into_iter().map(|(a, b)| strain(a, b).abs()).fold(0.0, f64::max) * substep;
    let turn = rates.iter().map(|rate| rate.length_squared()).fold(0.0, f64::max) * substep * substep;
    if worst <= BENDS + 3.0 * turn.min(BENDS) {
        return velocities;
    }
    let mass = f64::from(body.mass);
    let center = weighted(&body.weights, &velocities);
    let swept = arms.iter().zip(velocities).zip(body.weights).map(|((arm, v), weight)| arm.cross(v) * (weight * mass));
    let angular: DVec3 = swept.sum();
    let spin = |axis: usize| axes[axis] * (angular.dot(axes[axis]) / f64::from(body.moments[axis]));
    let spin = spin(0) + spin(1) + spin(2);
    arms.map(|arm| center + spin.cross(arm))
}

/// Strain in a substep that counts as bending.
const BENDS: f64 = 1e-3;

/// Nearest rotation of a matrix that is nearly a rotation: Newton steps of the polar decomposition.
fn nearest_rotation(matrix: DMat3) -> DMat3 {
    let step = |m: DMat3| m * (DMat3::IDENTITY * 3.0 - m.transpose() * m) * 0.5;
    step(step(step(matrix)))
}
