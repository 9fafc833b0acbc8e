//! Storage of instances between calls, and the SIMD lanes loaded from it.

use glam::{DQuat, DVec3};

use super::plan::BatchColliders;
use crate::math::lane_rotation::{LaneRotation, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::composed::StepState;
use crate::rigid::joint::MOST_ROWS;
use crate::rigid::rattle::Mechanism;
use crate::rigid::{Momentum, Pose};

/// Instances per block: the number of lanes of the widest vector.
pub(super) const LANES: usize = 16;

/// Greatest number of f64 lanes.
pub(super) const WIDE: usize = 8;

/// Numbers per body: position, rotation, linear and angular momentum.
const NUMBERS: usize = 13;

/// Numbers of the pose, which come first: position and rotation.
const PLACE: usize = 7;

/// Grid of the origins from which f32 lanes measure positions, meters.
const GRID: f64 = 0.25;

/// Poses, momenta and warm-start impulses of sixteen instances.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InstanceBlock {
    /// Numbers of each body, lanes side by side.
    bodies: Vec<[[f64; LANES]; NUMBERS]>,
    /// Joint impulses of the last two stages, by joint and row.
    multipliers: [Vec<[[f64; LANES]; MOST_ROWS]>; 2],
    /// Contact impulses of the last step by candidate point (feeler): normal and two tangents.
    touching: Vec<[[f64; LANES]; 3]>,
    /// Impulses of joint limits in the last step, by body.
    bounding: Vec<[[f64; LANES]; 2]>,
    /// Wanted stride and recent solver iterations of each lane, see [`super::pace`].
    pub pace: [[f64; LANES]; 2],
}

impl InstanceBlock {
    /// Block of zeros: no instance has a pose yet.
    pub fn new(bodies: usize, joints: usize, plan: &BatchColliders) -> Self {
        let none = vec![[[0.0; LANES]; MOST_ROWS]; joints];
        Self {
            bodies: vec![[[0.0; LANES]; NUMBERS]; bodies],
            multipliers: [none.clone(), none],
            touching: vec![[[0.0; LANES]; 3]; plan.feelers.len()],
            bounding: vec![[[0.0; LANES]; 2]; plan.bounded.len()],
            pace: [[1.0; LANES], [0.0; LANES]],
        }
    }

    /// Writes pose and momentum of one body into a lane.
    pub fn put(&mut self, (lane, body): (usize, usize), pose: &Pose<f64>, momentum: &Momentum<f64>) {
        let (p, q, m, l) = (pose.position, pose.rotation, momentum.linear, momentum.angular);
        let all = [p.x, p.y, p.z, q.axis.x, q.axis.y, q.axis.z, q.w, m.x, m.y, m.z, l.x, l.y, l.z];
        for (row, value) in self.bodies[body].iter_mut().zip(all) {
            row[lane] = value;
        }
    }

    /// Pose and momentum of one body of an instance.
    pub fn body(&self, (lane, body): (usize, usize)) -> (Pose<f64>, Momentum<f64>) {
        let n = self.bodies[body].map(|lanes| lanes[lane]);
        let rotation = DQuat::from_xyzw(n[3], n[4], n[5], n[6]);
        let [place, linear, angular] = [0, 7, 10].map(|at| DVec3::new(n[at], n[at + 1], n[at + 2]));
        (Pose::new(place, rotation), Momentum::from_vectors(linear, angular))
    }

    /// Iterates over all rows of numbers, lanes side by side.
    fn rows(&self) -> impl Iterator<Item = &[f64; LANES]> {
        self.bodies.as_flattened().iter().chain(self.impulses().into_iter().flatten()).chain(&self.pace)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64; LANES]> {
        let Self { bodies, multipliers: [last, before], touching, bounding, pace } = self;
        let impulses = impulses_mut([last, before], touching, bounding);
        bodies.as_flattened_mut().iter_mut().chain(impulses.into_iter().flatten()).chain(pace)
    }

    fn impulses(&self) -> [&[[f64; LANES]]; 4] {
        impulses(&self.multipliers, &self.touching, &self.bounding)
    }

    /// Numbers of bodies, joints and feelers.
    pub fn size(&self) -> [usize; 3] {
        [self.bodies.len(), self.multipliers[0].len(), self.touching.len()]
    }

    /// Resets a lane to its poses in `before`, at rest and without impulses.
    fn put_back(&mut self, lane: usize, before: &Self) {
        for row in self.rows_mut() {
            row[lane] = 0.0;
        }
        for (numbers, old) in self.bodies.iter_mut().zip(&before.bodies) {
            for (row, old) in numbers[..PLACE].iter_mut().zip(old) {
                row[lane] = old[lane];
            }
        }
        self.pace[0][lane] = 1.0;
    }

    /// Copies an instance from a lane of another block.
    pub fn take(&mut self, lane: usize, (from, other): (&Self, usize)) {
        for (row, new) in self.rows_mut().zip(from.rows()) {
            row[lane] = new[other];
        }
    }
}

/// State of one vector of instances in lanes.
#[derive(Clone, Debug)]
pub(super) struct LanesOf<V> {
    pub poses: Vec<Pose<V>>,
    pub momenta: Vec<Momentum<V>>,
    pub multipliers: [Vec<[V; MOST_ROWS]>; 2],
    pub touching: Vec<[V; 3]>,
    pub bounding: Vec<[V; 2]>,
    /// Heights of the planes along their normals.
    pub levels: Vec<V>,
    /// Steps per stride that each lane wants, and recent solver iterations.
    pub pace: [V; 2],
    /// Origins from which positions are measured, meters.
    origins: [[f64; LANES]; 3],
}

impl<V: Lanes> LanesOf<V> {
    pub fn new(zero: V, mechanism: Mechanism<'_>, plan: &BatchColliders) -> Self {
        let pose = Pose::like(zero);
        let none = vec![[zero; MOST_ROWS]; mechanism.joints.len()];
        let still = Momentum { linear: pose.position, angular: pose.position };
        let bodies = mechanism.bodies.len();
        Self {
            poses: vec![pose; bodies],
            momenta: vec![still; bodies],
            multipliers: [none.clone(), none],
            touching: vec![[zero; 3]; plan.feelers.len()],
            bounding: vec![[zero; 2]; plan.bounded.len()],
            levels: vec![zero; plan.planes.len()],
            pace: [zero; 2],
            origins: [[0.0; LANES]; 3],
        }
    }

    pub fn motion(&mut self) -> StepState<'_, V> {
        StepState { poses: &mut self.poses, momenta: &mut self.momenta, multipliers: &mut self.multipliers }
    }

    /// Multiplies velocities by a factor, impulses and forces by its square: a change of the time unit.
    #[inline(always)]
    pub fn change(&mut self, factor: V) {
        let one = factor.like(1.0);
        if !V::any(V::either(one.is_below(factor), factor.is_below(one))) {
            return;
        }
        let square = factor * factor;
        for momentum in &mut self.momenta {
            momentum.linear = momentum.linear.scaled(factor);
            momentum.angular = momentum.angular.scaled(factor);
        }
        for list in self.impulses_mut() {
            for value in list {
                *value = *value * square;
            }
        }
    }

    #[inline(always)]
    fn impulses(&self) -> [&[V]; 4] {
        impulses(&self.multipliers, &self.touching, &self.bounding)
    }

    #[inline(always)]
    fn impulses_mut(&mut self) -> [&mut [V]; 4] {
        let [last, before] = &mut self.multipliers;
        impulses_mut([last, before], &mut self.touching, &mut self.bounding)
    }

    /// Copies everything that a step changes.
    pub fn copy(&mut self, other: &Self) {
        self.poses.copy_from_slice(&other.poses);
        self.momenta.copy_from_slice(&other.momenta);
        for (list, other) in self.impulses_mut().into_iter().zip(other.impulses()) {
            list.copy_from_slice(other);
        }
        self.pace = other.pace;
    }

    /// Restores lanes outside `is_live` from `other`.
    #[inline(always)]
    pub fn keep(&mut self, is_live: V::Mask, other: &Self) {
        for (pose, old) in self.poses.iter_mut().zip(&other.poses) {
            pose.position = LaneVector::select(is_live, pose.position, old.position);
            pose.rotation.axis = LaneVector::select(is_live, pose.rotation.axis, old.rotation.axis);
            pose.rotation.w = V::select(is_live, pose.rotation.w, old.rotation.w);
        }
        for (momentum, old) in self.momenta.iter_mut().zip(&other.momenta) {
            momentum.linear = LaneVector::select(is_live, momentum.linear, old.linear);
            momentum.angular = LaneVector::select(is_live, momentum.angular, old.angular);
        }
        for (list, other) in self.impulses_mut().into_iter().zip(other.impulses()) {
            keep(is_live, list, other);
        }
        keep(is_live, &mut self.pace, &other.pace);
    }

    /// Loads instances of a block, starting at lane `first`.
    #[inline(always)]
    pub fn load(&mut self, token: V::Token, plan: &BatchColliders, block: &InstanceBlock, first: usize) {
        if plan.has_origins {
            for (origins, row) in self.origins.iter_mut().zip(&block.bodies[0]) {
                for lane in 0..V::WIDTH {
                    origins[lane] = libm::floor(row[first + lane] * (1.0 / GRID)) * GRID;
                }
            }
        }
        let origins = self.origins;
        let place = |row: &[f64], axis: usize| {
            let mut from = [0.0; LANES];
            for lane in 0..V::WIDTH {
                from[lane] = row[first + lane] - origins[axis][lane];
            }
            V::load(token, &from)
        };
        for (body, numbers) in block.bodies.iter().enumerate() {
            let mut n = [self.poses[body].position.x; NUMBERS];
            for (value, row) in n.iter_mut().zip(numbers) {
                *value = V::load(token, &row[first..]);
            }
            for axis in 0..3 {
                n[axis] = place(&numbers[axis], axis);
            }
            self.put(body, &n);
        }
        for (level, (normal, height)) in self.levels.iter_mut().zip(&plan.planes) {
            let mut from = [0.0; LANES];
            for lane in 0..V::WIDTH {
                let [x, y, z] = [origins[0][lane], origins[1][lane], origins[2][lane]];
                from[lane] = height - (normal.x * x + normal.y * y + normal.z * z);
            }
            *level = V::load(token, &from);
        }
        for (list, rows) in self.impulses_mut().into_iter().zip(block.impulses()) {
            load(token, list, rows, first);
        }
        load(token, &mut self.pace, &block.pace, first);
    }

    /// Loads one instance per lane, each from lanes of width 1; the last one fills all lanes that are left. Levels of planes
    /// are those of the first.
    #[inline(always)]
    pub fn gather(&mut self, token: V::Token, instances: &[&mut LanesOf<f64>]) {
        let of = |lane: usize| &*instances[lane.min(instances.len() - 1)];
        let mut row = [0.0; WIDE];
        for body in 0..self.poses.len() {
            let mut numbers = [[0.0; WIDE]; NUMBERS];
            for lane in 0..V::WIDTH {
                let own = of(lane).numbers(body);
                for number in 0..NUMBERS {
                    numbers[number][lane] = own[number];
                }
            }
            let mut n = [self.pace[0]; NUMBERS];
            for number in 0..NUMBERS {
                n[number] = V::load(token, &numbers[number]);
            }
            self.put(body, &n);
        }
        for (level, &height) in self.levels.iter_mut().zip(&instances[0].levels) {
            *level = level.like(height);
        }
        for (which, list) in self.impulses_mut().into_iter().enumerate() {
            let from: [&[f64]; WIDE] = core::array::from_fn(|lane| of(lane).impulses()[which]);
            for (index, value) in list.iter_mut().enumerate() {
                for lane in 0..V::WIDTH {
                    row[lane] = from[lane][index];
                }
                *value = V::load(token, &row);
            }
        }
        for which in 0..2 {
            for lane in 0..V::WIDTH {
                row[lane] = of(lane).pace[which];
            }
            self.pace[which] = V::load(token, &row);
        }
    }

    /// Stores lanes into instances of width 1, as many as there are.
    #[inline(always)]
    pub fn scatter(&self, instances: &mut [&mut LanesOf<f64>]) {
        let mut row = [0.0; WIDE];
        for body in 0..self.poses.len() {
            let mut numbers = [[0.0; WIDE]; NUMBERS];
            let own = self.numbers(body);
            for number in 0..NUMBERS {
                own[number].store(&mut numbers[number]);
            }
            for (lane, instance) in instances.iter_mut().enumerate() {
                instance.put(body, &core::array::from_fn(|number| numbers[number][lane]));
            }
        }
        for (which, list) in self.impulses().into_iter().enumerate() {
            let mut each = instances.iter_mut();
            let mut to: [&mut [f64]; WIDE] = core::array::from_fn(|_| {
                each.next().map_or(Default::default(), |instance| core::mem::take(&mut instance.impulses_mut()[which]))
            });
            for (index, value) in list.iter().enumerate() {
                value.store(&mut row);
                for (to, row) in to.iter_mut().zip(&row) {
                    if let Some(to) = to.get_mut(index) {
                        *to = *row;
                    }
                }
            }
        }
        for which in 0..2 {
            self.pace[which].store(&mut row);
            for (lane, instance) in instances.iter_mut().enumerate() {
                instance.pace[which] = row[lane];
            }
        }
    }

    /// Sets pose and momentum of a body, in the order of [`InstanceBlock`].
    #[inline(always)]
    fn put(&mut self, body: usize, &[x, y, z, a, b, c, w, ref momentum @ ..]: &[V; NUMBERS]) {
        let &[u, v, q, k, l, m] = momentum;
        let rotation = LaneRotation { axis: LaneVector { x: a, y: b, z: c }, w };
        self.poses[body] = Pose { position: LaneVector { x, y, z }, rotation };
        let (linear, angular) = (LaneVector { x: u, y: v, z: q }, LaneVector { x: k, y: l, z: m });
        self.momenta[body] = Momentum { linear, angular };
    }

    /// Numbers of a body in the order of [`InstanceBlock`].
    #[inline(always)]
    fn numbers(&self, body: usize) -> [V; NUMBERS] {
        let (p, q, m) = (&self.poses[body].position, &self.poses[body].rotation, &self.momenta[body]);
        let (a, l, s) = (q.axis, m.linear, m.angular);
        [p.x, p.y, p.z, a.x, a.y, a.z, q.w, l.x, l.y, l.z, s.x, s.y, s.z]
    }

    /// Lanes whose state holds a NaN or an infinity.
    #[inline(always)]
    fn lost(&self) -> [bool; LANES] {
        let mut sum = self.pace[0].like(0.0);
        for body in 0..self.poses.len() {
            for value in self.numbers(body) {
                // A finite number times 0 is 0; otherwise the sum becomes NaN.
                sum = sum + value * 0.0;
            }
        }
        let mut row = [0.0; LANES];
        sum.store(&mut row);
        row.map(f64::is_nan)
    }

    /// Stores lanes into a block. A diverged instance is reset to its previous pose at rest.
    #[inline(always)]
    pub fn store(&self, block: &mut InstanceBlock, first: usize) {
        let lost = self.lost();
        if lost.contains(&true) {
            let before = block.clone();
            self.store_all(block, first);
            for lane in (0..V::WIDTH).filter(|&lane| lost[lane]) {
                block.put_back(first + lane, &before);
            }
        } else {
            self.store_all(block, first);
        }
    }

    #[inline(always)]
    fn store_all(&self, block: &mut InstanceBlock, first: usize) {
        for (body, numbers) in block.bodies.iter_mut().enumerate() {
            for (row, value) in numbers.iter_mut().zip(self.numbers(body)) {
                value.store(&mut row[first..]);
            }
            for (row, origins) in numbers.iter_mut().zip(&self.origins) {
                for lane in 0..V::WIDTH {
                    row[first + lane] += origins[lane];
                }
            }
        }
        let [last, before] = &mut block.multipliers;
        let rows = impulses_mut([last, before], &mut block.touching, &mut block.bounding);
        for (list, rows) in self.impulses().into_iter().zip(rows) {
            store(list, rows, first);
        }
        store(&self.pace, &mut block.pace, first);
    }
}

/// All impulses: of joints in the last stage and the stage before, of contacts, of joint limits.
#[inline(always)]
fn impulses<'a, T>(
    [last, before]: &'a [Vec<[T; MOST_ROWS]>; 2],
    touching: &'a [[T; 3]],
    bounding: &'a [[T; 2]],
) -> [&'a [T]; 4] {
    [last.as_flattened(), before.as_flattened(), touching.as_flattened(), bounding.as_flattened()]
}

/// Mutable version of [`impulses`].
#[inline(always)]
fn impulses_mut<'a, T>(
    [last, before]: [&'a mut [[T; MOST_ROWS]]; 2],
    touching: &'a mut [[T; 3]],
    bounding: &'a mut [[T; 2]],
) -> [&'a mut [T]; 4] {
    [last.as_flattened_mut(), before.as_flattened_mut(), touching.as_flattened_mut(), bounding.as_flattened_mut()]
}

#[inline(always)]
fn load<V: Lanes>(token: V::Token, values: &mut [V], rows: &[[f64; LANES]], first: usize) {
    for (value, row) in values.iter_mut().zip(rows) {
        *value = V::load(token, &row[first..]);
    }
}

#[inline(always)]
fn store<V: Lanes>(values: &[V], rows: &mut [[f64; LANES]], first: usize) {
    for (value, row) in values.iter().zip(rows) {
        value.store(&mut row[first..]);
    }
}

#[inline(always)]
fn keep<V: Lanes>(is_live: V::Mask, values: &mut [V], old: &[V]) {
    for (value, &old) in values.iter_mut().zip(old) {
        *value = V::select(is_live, *value, old);
    }
}
