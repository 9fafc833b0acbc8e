//! What trees of a world have beside a batch, one tree per lane: contacts with themselves, damping in their joints,
//! rolling resistance.

use glam::{DQuat, DVec3};

use super::damping::LaneDamping;
use super::rig::Rig;
use crate::collision::segment;
use crate::collision::{ObstacleShape, Pose as Placed, each_manifold};
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::Pose;
use crate::rigid::crowd::Settings;
use crate::rigid::crowd::block::{LanesOf, WIDE};
use crate::rigid::crowd::extras::Extras;
use crate::rigid::crowd::look::{AHEAD, NEAR_GAP};
use crate::rigid::crowd::pace::Pace;
use crate::rigid::crowd::pair::LanePair;
use crate::rigid::crowd::touch::LaneContactSolver;
use crate::rigid::model::Collider;
use crate::rigid::motion::{Velocity, halves, vector};
use crate::rigid::rattle::{Mechanism, Rattle};
use crate::rigid::row;
use crate::rigid::state::State;
use crate::rigid::touch::{contact_key, key};

/// A collider of the tree.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    body: usize,
    /// Index of the collider in the world.
    index: u32,
    /// Ends of its axis in the frame of the body (m), and its radius; `None` unless it is a ball or capsule.
    segment: Option<([DVec3; 2], f64)>,
    /// Distance of its farthest point from the center of the body, meters.
    reach: f64,
}

/// Contact of the tree with itself in the last stride.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub key: u64,
    pub bodies: [usize; 2],
    pub point: DVec3,
    pub normal: DVec3,
    pub gap: f64,
    pub surface: (f64, f64),
    /// Impulse along normal and tangents, per second.
    pub force: [f64; 3],
    /// Index among the contacts between bodies in the lanes.
    place: usize,
}

/// Contacts of a tree with itself.
#[derive(Clone, Debug)]
pub(super) struct OwnContacts {
    limbs: Vec<Limb>,
    /// Pairs of colliders that may touch in this step, sorted.
    pub near: Vec<[usize; 2]>,
    pub found: Vec<Found>,
    /// Limbs at the start of the step.
    motions: Vec<Motion>,
    /// Those of the stride before.
    before: Vec<Found>,
    /// Whether no stride of this step was made yet.
    is_new: bool,
}

/// Contacts of trees during a step, one tree per lane.
pub(super) struct OwnExtras<'a, 'b, V: Lanes> {
    pub token: V::Token,
    pub trees: &'a mut [&'b mut OwnContacts],
    pub rig: &'a Rig,
    /// Factorization with the damping of joints.
    pub driven: &'a mut Rattle<V>,
    pub damping: &'a mut LaneDamping<V>,
    /// State at the start of the step, of which the first stride takes impulses.
    pub state: &'a State,
    pub pairs: &'a mut PairBuffers,
}

/// Buffers for the contacts of all lanes.
#[derive(Clone, Debug, Default)]
pub(super) struct PairBuffers {
    /// Pairs of colliders that may touch in any lane, sorted, and their bodies.
    near: Vec<[usize; 2]>,
    wanted: Vec<usize>,
    /// Bodies at the start of a stride, by lane.
    bodies: Vec<[LaneBody; WIDE]>,
    slots: Vec<Slot>,
}

/// A body of a lane: pose, axes and velocity.
#[derive(Clone, Copy, Debug, Default)]
struct LaneBody {
    place: DVec3,
    turn: DQuat,
    axes: [DVec3; 3],
    velocity: DVec3,
    spin: DVec3,
}

/// A contact between two bodies in numbers of the solver, lanes side by side: whether it is near, target, impulse, arms and
/// directions.
type Slot = [[f64; WIDE]; 20];

/// Way beyond its motion within which a pair of a step is looked at, meters.
const MARGIN: f64 = 0.02;

/// A limb at the start of a step.
#[derive(Clone, Copy, Debug)]
struct Motion {
    /// Ends of its axis, meters.
    ends: [DVec3; 2],
    velocity: DVec3,
    /// Greatest speed of a point relative to the center of the body, m/s.
    turning: f64,
}

/// Violation of a joint limit after a stride from which the general method makes the step, radians: 2°.
const TOO_FAR: f64 = 0.035;

/// Whether two segments are nearer to each other than `reach`.
fn is_within(one: [DVec3; 2], other: [DVec3; 2], reach: f64) -> bool {
    let half = |ends: [DVec3; 2]| 0.5 * (ends[1] - ends[0]).length();
    let middles = 0.5 * (one[0] + one[1] - other[0] - other[1]);
    if middles.length() > reach + half(one) + half(other) {
        return false;
    }
    let [s, t] = segment::parameters(one, other);
    segment::at(one, s).distance_squared(segment::at(other, t)) < reach * reach
}

impl Limb {
    /// Ends of the axis at a pose of the body with these axes, meters.
    fn placed(&self, pose: &Pose<f64>, axes: &LaneMatrix<f64>) -> [DVec3; 2] {
        self.segment.map_or([pose.place(); 2], |(ends, _)| {
            ends.map(|end| pose.place() + vector(axes.rotate(LaneVector::splat((), end))))
        })
    }

    fn radius(&self) -> Option<f64> {
        self.segment.map(|(_, radius)| radius)
    }

    pub fn of(solid: &Collider, index: usize) -> Self {
        let along = |half: f64| solid.rotation * DVec3::Y * half;
        let ends = |half: f64| [solid.position - along(half), solid.position + along(half)];
        let segment = match solid.shape {
            ObstacleShape::Sphere { radius } => Some((ends(0.0), radius)),
            ObstacleShape::Capsule { radius, half_length } => Some((ends(half_length), radius)),
            _ => None,
        };
        Self { body: solid.body, index: index as u32, segment, reach: solid.reach() }
    }
}

impl OwnContacts {
    pub fn new(limbs: Vec<Limb>) -> Self {
        Self { limbs, near: Vec::new(), found: Vec::new(), motions: Vec::new(), before: Vec::new(), is_new: true }
    }

    /// Prepares a step: chooses the pairs of limbs that may touch.
    pub fn begin(&mut self, lanes: &LanesOf<f64>, moving: &[(LaneMatrix<f64>, Velocity<f64>)], seconds: f64) {
        let Self { limbs, near, found, motions, .. } = self;
        self.is_new = true;
        found.clear();
        motions.clear();
        motions.extend(limbs.iter().map(|limb| {
            let (axes, velocity) = &moving[limb.body];
            let (velocity, spin) = halves(velocity);
            Motion { ends: limb.placed(&lanes.poses[limb.body], axes), velocity, turning: spin.length() * limb.reach }
        }));
        near.retain(|&[a, b]| {
            let (Some(radius), Some(other_radius)) = (limbs[a].radius(), limbs[b].radius()) else { return true };
            let (one, other) = (&motions[a], &motions[b]);
            let speed = (one.velocity - other.velocity).length() + one.turning + other.turning;
            let reach = radius + other_radius + 2.0 * speed * seconds + MARGIN;
            is_within(one.ends, other.ends, reach)
        });
        near.sort_unstable();
    }

    /// Calls `is` with normal, point, gap and feature of each contact of a pair.
    fn contacts<'a>(
        &self,
        (rig, bodies): (&Rig, impl Fn(usize) -> &'a LaneBody),
        [a, b]: [usize; 2],
        margin: f64,
        mut is: impl FnMut(DVec3, DVec3, f64, u64),
    ) {
        let limbs = &self.limbs;
        if let (Some((first, radius)), Some((second, other_radius))) = (limbs[a].segment, limbs[b].segment) {
            let (own, other) = (bodies(limbs[a].body), bodies(limbs[b].body));
            let one = first.map(|end| own.point(end));
            let other = second.map(|end| other.point(end));
            let [s, t] = segment::parameters(one, other);
            let (on_a, on_b) = (segment::at(one, s), segment::at(other, t));
            let between = on_a - on_b;
            let distance = between.length();
            let gap = distance - radius - other_radius;
            if gap < margin && distance > 0.0 {
                let normal = between / distance;
                let point = 0.5 * (on_a - normal * radius + on_b + normal * other_radius);
                is(normal, point, gap, 0);
            }
            return;
        }
        let [one, other] = [a, b].map(|solid| &rig.model.solids[solid]);
        let pose = |solid: &Collider| {
            let body = bodies(solid.body);
            Placed { position: body.point(solid.position), rotation: (body.turn * solid.rotation).normalize() }
        };
        each_manifold(&one.shape, &pose(one), &other.shape, &pose(other), margin, &mut |manifold| {
            for point in manifold.points() {
                is(manifold.normal, 0.5 * (point.on_a + point.on_b), point.gap, point.feature);
            }
        });
    }
}

impl LaneBody {
    /// A point of the body, meters.
    fn point(&self, in_body: DVec3) -> DVec3 {
        self.place + (self.axes[0] * in_body.x + self.axes[1] * in_body.y + self.axes[2] * in_body.z)
    }

    /// Velocity at `arm` from the center, m/s.
    fn velocity(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }
}

impl PairBuffers {
    /// Takes the pairs that may touch in a step of some trees.
    pub fn gather(&mut self, trees: &[&mut OwnContacts], rig: &Rig) {
        let Self { near, wanted, bodies, .. } = self;
        near.clear();
        near.extend(trees.iter().flat_map(|own| &own.near));
        near.sort_unstable();
        near.dedup();
        wanted.clear();
        wanted.extend(near.as_flattened().iter().map(|&solid| rig.model.solids[solid].body));
        wanted.sort_unstable();
        wanted.dedup();
        bodies.resize(rig.model.bodies.len(), [LaneBody::default(); WIDE]);
    }

    /// Stores the bodies of all lanes in single numbers.
    #[inline(always)]
    fn place<V: Lanes>(&mut self, touch: &LaneContactSolver<V>, (rattle, lanes): (&Rattle<V>, &LanesOf<V>)) {
        for &body in &self.wanted {
            let (pose, [a, b, c]) = (&lanes.poses[body], rattle.axes[body].columns);
            let [x, y, z, u, v, w] = touch.velocities[body];
            let (velocity, spin) = (LaneVector { x, y, z }, LaneVector { x: u, y: v, z: w });
            let mut rows = [[[0.0; WIDE]; 3]; 7];
            for (row, vector) in rows.iter_mut().zip([pose.position, a, b, c, velocity, spin, pose.rotation.axis]) {
                vector.x.store(&mut row[0]);
                vector.y.store(&mut row[1]);
                vector.z.store(&mut row[2]);
            }
            let mut scalar = [0.0; WIDE];
            pose.rotation.w.store(&mut scalar);
            for lane in 0..V::WIDTH {
                let vector = |row: usize| DVec3::new(rows[row][0][lane], rows[row][1][lane], rows[row][2][lane]);
                self.bodies[body][lane] = LaneBody {
                    place: vector(0),
                    turn: DQuat::from_vec4(vector(6).extend(scalar[lane])),
                    axes: [vector(1), vector(2), vector(3)],
                    velocity: vector(4),
                    spin: vector(5),
                };
            }
        }
    }
}

/// Numbers that the lanes of a vector have in a stride.
struct Pacing {
    live: [f64; WIDE],
    stride: [f64; WIDE],
    ahead: [f64; WIDE],
    hit: [f64; WIDE],
    paired: [f64; WIDE],
}

impl<V: Lanes> OwnExtras<'_, '_, V> {
    /// Finds the contacts of a pair in one lane. `surface` has its friction and restitution; `first` is the number of contacts
    /// of earlier pairs.
    fn find(
        &mut self,
        (lane, pair, surface): (usize, [usize; 2], (f64, f64)),
        (settings, pacing): (&Settings, &mut Pacing),
        first: usize,
    ) {
        let Self { trees, rig, pairs: PairBuffers { bodies: placed, slots, .. }, state, .. } = self;
        let own = &mut *trees[lane];
        let (h, stride) = (settings.time_step, pacing.stride[lane]);
        let limbs = pair.map(|limb| &own.limbs[limb]);
        let (bodies, reach) = (limbs.map(|limb| limb.body), limbs.map(|limb| limb.reach));
        let ids = limbs.map(|limb| limb.index);
        let [one, other] = bodies.map(|body| &placed[body][lane]);
        let turning = one.spin.length() * reach[0] + other.spin.length() * reach[1];
        let fastest = (one.velocity - other.velocity).length() + turning;
        let mut found = core::mem::take(&mut own.found);
        let before = found.len();
        own.contacts(
            (rig, |body| &placed[body][lane]),
            pair,
            fastest * (AHEAD * h) + NEAR_GAP,
            |normal, point, gap, feature| {
                let arms = [point - one.place, point - other.place];
                let approach = -(one.velocity(arms[0]) - other.velocity(arms[1])).dot(normal);
                if gap >= approach.max(0.0) * (AHEAD * h) + NEAR_GAP {
                    return;
                }
                if gap < approach * pacing.ahead[lane] + NEAR_GAP {
                    pacing.hit[lane] = pacing.hit[lane].max(approach);
                }
                let key = contact_key(key(ids[0], ids[1]), feature);
                let force = if own.is_new {
                    [0, 1, 2].map(|row| state.force((4 * key).wrapping_add(row)).unwrap_or(0.0))
                } else {
                    own.before.iter().find(|known| known.key == key).map_or([0.0; 3], |known| known.force)
                };
                let bounces = approach > stride * settings.bounce && gap < approach * h;
                let deep = (-gap - settings.slop).max(0.0) * (settings.recovery / h);
                let target = if surface.1 > 0.0 && bounces {
                    approach * surface.1
                } else if gap > 0.0 {
                    -gap / h
                } else {
                    pacing.paired[lane] = 1.0;
                    deep.min(stride * settings.fastest_recovery)
                };
                let tangent = normal.any_orthonormal_vector();
                let impulse = DVec3::from_array(force) * (h * stride * stride);
                let slot = found.len() - before;
                if slots.len() == slot {
                    slots.push([[0.0; WIDE]; 20]);
                }
                let rows = &mut slots[slot];
                (rows[0][lane], rows[1][lane]) = (1.0, target);
                let vectors = [impulse, arms[0], arms[1], normal, tangent, normal.cross(tangent)];
                for (row, vector) in vectors.into_iter().enumerate() {
                    (0..3).for_each(|axis| rows[2 + 3 * row + axis][lane] = vector[axis]);
                }
                found.push(Found { key, bodies, point, normal, gap, surface, force: [0.0; 3], place: first + slot });
            },
        );
        own.found = found;
    }
}

impl<V: Lanes> Extras<V> for OwnExtras<'_, '_, V> {
    #[inline(always)]
    fn touch(
        &mut self,
        touch: &mut LaneContactSolver<V>,
        (rattle, lanes): (&Rattle<V>, &LanesOf<V>),
        (settings, pace): (&Settings, &Pace<V>),
    ) {
        let token = self.token;
        let none = [0.0; WIDE];
        let mut pacing = Pacing { live: none, stride: none, ahead: none, hit: none, paired: none };
        pace.live.store(&mut pacing.live);
        pace.stride.store(&mut pacing.stride);
        touch.unrest.ahead.store(&mut pacing.ahead);
        touch.unrest.hit.store(&mut pacing.hit);
        for (own, _) in self.trees.iter_mut().zip(pacing.live).filter(|&(_, live)| live > 0.0) {
            core::mem::swap(&mut own.found, &mut own.before);
            own.found.clear();
        }
        self.pairs.place(touch, (rattle, lanes));
        for index in 0..self.pairs.near.len() {
            let pair = self.pairs.near[index];
            let [a, b] = pair.map(|solid| &self.rig.model.solids[solid]);
            let surface = row::surface(&self.rig.model, [Some(a.object), Some(b.object)], (0.0, 0.0));
            self.pairs.slots.clear();
            for lane in 0..self.trees.len() {
                if pacing.live[lane] > 0.0 && self.trees[lane].near.binary_search(&pair).is_ok() {
                    self.find((lane, pair, surface), (settings, &mut pacing), touch.pairs.len());
                }
            }
            for rows in &self.pairs.slots {
                let number = |row: usize| V::load(token, &rows[row]);
                let vector = |row: usize| LaneVector { x: number(row), y: number(row + 1), z: number(row + 2) };
                let geometry = ([vector(5), vector(8)], [vector(11), vector(14), vector(17)]);
                let wanted = (number(1), [number(2), number(3), number(4)]);
                touch.pairs.push(LanePair::new([a.body, b.body], number(0), geometry, surface.0, wanted));
                (touch.is_busy[a.body], touch.is_busy[b.body]) = (true, true);
            }
        }
        for (own, _) in self.trees.iter_mut().zip(pacing.live).filter(|&(_, live)| live > 0.0) {
            own.is_new = false;
        }
        touch.unrest.hit = V::load(token, &pacing.hit);
        touch.paired = V::load(token, &pacing.paired);
    }

    #[inline(always)]
    fn project(
        &mut self,
        touch: &mut LaneContactSolver<V>,
        (rattle, mechanism): (&mut Rattle<V>, Mechanism<'_>),
        lanes: &mut LanesOf<V>,
        (settings, pace): (&Settings, &Pace<V>),
    ) {
        let h = settings.time_step;
        let (mut live, mut stride) = ([0.0; WIDE], [0.0; WIDE]);
        pace.live.store(&mut live);
        pace.stride.store(&mut stride);
        for (lane, own) in self.trees.iter_mut().enumerate().filter(|&(lane, _)| live[lane] > 0.0) {
            for found in &mut own.found {
                let mut rows = [[0.0; WIDE]; 3];
                for axis in 0..3 {
                    touch.pairs[found.place].impulse[axis].store(&mut rows[axis]);
                }
                found.force = rows.map(|row| row[lane] / (h * stride[lane] * stride[lane]));
            }
        }
        let Self { rig, driven, damping, .. } = self;
        // A hit turned a light limb farther than the walks foresaw and than could be held: the lane is of no use.
        let is_beyond = touch.least_room(&rig.plan).is_below(touch.zero.like(-TOO_FAR));
        let is_lost = V::both(is_beyond, touch.zero.like(0.5).is_below(pace.live));
        touch.worst = V::select(is_lost, touch.zero.like(f64::INFINITY), touch.worst);
        let by = (rattle, &mut **driven, mechanism);
        if damping.project(by, (&rig.model, &rig.plan, &rig.rolling), lanes, (h, pace.stride)) {
            touch.work.count(pace.live, [1.0, 0.0]);
        }
    }
}
