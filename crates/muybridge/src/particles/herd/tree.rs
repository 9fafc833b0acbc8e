//! The joints of a ragdoll solved exactly, from the leaves to the root and back.
//!
//! ```text
//! body at its anchor:  Q(d, ω),  d = δ + ω × r                       free in ω: a mass M'' that the parent feels
//! joint:               d_child = d_parent + gap
//! a locked direction n of the relative turn, n·(ω_child − ω_parent) = ε:   + ½ κ (z·d + n·ω_parent + e)²,
//!                      v = J'⁻¹n,  z = H'v,  e = v·t' + ε,  κ = 1/(n·v)
//! back:                ω = −(Σ d_i T_i + J'⁻¹t') + Σ κ v (z·d + n·ω_parent + e)
//! ```
//! A hinge locks two directions always; a limit locks one while it is reached. This is the elimination of a tree of joints in
//! O(bodies), mathematics 4.6, in the form of articulated bodies.

use super::algebra::{Articulated, Freed, Symmetric};
use super::kernel::{BlockRows, Scratch};
use super::limit;
use super::plan::{Joint, Plan};
use super::rows::{Lanes, Row, ZERO};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// An [`Articulated`] per lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ArticulatedRows {
    mass: [[Row; 3]; 2],
    coupling: [[Row; 3]; 3],
    inertia: [[Row; 3]; 2],
    bias: [[Row; 3]; 2],
    is_set: bool,
}

impl ArticulatedRows {
    pub(super) const NONE: Self = Self {
        mass: [[ZERO; 3]; 2],
        coupling: [[ZERO; 3]; 3],
        inertia: [[ZERO; 3]; 2],
        bias: [[ZERO; 3]; 2],
        is_set: false,
    };

    #[inline(always)]
    pub(super) fn load<V: SingleLanes>(&self, lanes: Lanes<V>) -> Articulated<V> {
        let three = |rows: &[Row; 3]| [lanes.load(&rows[0]), lanes.load(&rows[1]), lanes.load(&rows[2])];
        Articulated {
            mass: Symmetric { diagonal: three(&self.mass[0]), off: three(&self.mass[1]) },
            coupling: lanes.vectors(&self.coupling),
            inertia: Symmetric { diagonal: three(&self.inertia[0]), off: three(&self.inertia[1]) },
            force: lanes.vector(&self.bias[0]),
            torque: lanes.vector(&self.bias[1]),
        }
    }

    #[inline(always)]
    fn store<V: SingleLanes>(&mut self, lanes: Lanes<V>, form: &Articulated<V>) {
        let mut three = |values: [V; 3], rows: &mut [Row; 3]| {
            for (value, row) in values.into_iter().zip(rows) {
                lanes.store(value, row);
            }
        };
        three(form.mass.diagonal, &mut self.mass[0]);
        three(form.mass.off, &mut self.mass[1]);
        three(form.inertia.diagonal, &mut self.inertia[0]);
        three(form.inertia.off, &mut self.inertia[1]);
        for (row, rows) in form.coupling.into_iter().zip(&mut self.coupling) {
            lanes.store_vector(row, rows);
        }
        lanes.store_vector(form.force, &mut self.bias[0]);
        lanes.store_vector(form.torque, &mut self.bias[1]);
    }
}

/// What the way back needs of a joint.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct JointRows {
    levers: [[Row; 3]; 2],
    gap: [Row; 3],
    by_motion: [[Row; 3]; 3],
    by_itself: [Row; 3],
    locks: [LockRows; MOST_LOCKS],
    locked: usize,
    limits: [usize; 2],
}

/// A locked direction.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct LockRows {
    turn: [Row; 3],
    along: [Row; 3],
    about: [Row; 3],
    error: Row,
    stiffness: Row,
}

/// Two of a hinge and its angle; or swing and twist.
const MOST_LOCKS: usize = 3;

impl JointRows {
    pub(super) const NONE: Self = {
        const LOCK: LockRows =
            LockRows { turn: [ZERO; 3], along: [ZERO; 3], about: [ZERO; 3], error: ZERO, stiffness: ZERO };
        Self {
            levers: [[ZERO; 3]; 2],
            gap: [ZERO; 3],
            by_motion: [[ZERO; 3]; 3],
            by_itself: [ZERO; 3],
            locks: [LOCK; MOST_LOCKS],
            locked: 0,
            limits: [usize::MAX; 2],
        }
    };
}

/// What the solve adds to a body.
#[derive(Clone, Copy, Debug)]
pub struct MotionRows {
    /// δ, metres.
    pub shift: [Row; 3],
    /// ω, radians.
    pub turn: [Row; 3],
}

impl MotionRows {
    pub(super) const NONE: Self = Self { shift: [ZERO; 3], turn: [ZERO; 3] };
}

/// Direction and target of the relative turn, and where it holds (1 or 0).
#[derive(Clone, Copy)]
pub struct Lock<V> {
    /// n.
    pub about: LaneVector<V>,
    /// ε, radians times the length of n.
    pub target: V,
    /// 1 where locked, 0 elsewhere.
    pub is_on: V,
}

#[derive(Clone, Copy)]
struct Eliminated<V> {
    turn: LaneVector<V>,
    along: LaneVector<V>,
    about: LaneVector<V>,
    error: V,
    stiffness: V,
}

/// Eliminates a body: its parent feels it from now on. The first body has its motion at once.
#[inline(always)]
pub fn hang_on_parent<V: SingleLanes>(
    lanes: Lanes<V>,
    plan: &Plan,
    index: usize,
    form: &Articulated<V>,
    block: &mut BlockRows<'_>,
    scratch: &mut Scratch,
) {
    let Some(joint) = &plan.bodies[index].joint else {
        let freed = form.freed(lanes);
        let shift = -super::algebra::Factors::new(lanes, &freed.mass).solve(freed.force);
        let turn = turn_of(&freed.by_motion, freed.by_itself, shift);
        let motion = &mut scratch.motions[index];
        lanes.store_vector(shift, &mut motion.shift);
        lanes.store_vector(turn, &mut motion.turn);
        return;
    };
    let (child, parent) = (&block.bodies[index], &block.bodies[joint.parent]);
    let (axes, parent_axes) = (lanes.vectors(&child.axes), lanes.vectors(&parent.axes));
    let lever = lanes.combined(&axes, &joint.anchors[1]);
    let parent_lever = lanes.combined(&parent_axes, &joint.anchors[0]);
    let (turned, parent_turned) = (lanes.vectors(&child.turned), lanes.vectors(&parent.turned));
    let gap = lanes.vector(&parent.center).minus(lanes.vector(&child.center)).plus(parent_lever.minus(lever)).plus(
        (lanes.vector(&parent.moved).plus(lanes.combined(&parent_turned, &joint.anchors[0])))
            .minus(lanes.vector(&child.moved).plus(lanes.combined(&turned, &joint.anchors[1]))),
    );
    let freed = form.at_point(lever).freed(lanes);
    let mut felt = felt_by_parent(&freed, parent_lever, gap);

    let rows = &mut scratch.joints[index];
    lanes.store_vector(lever, &mut rows.levers[1]);
    lanes.store_vector(parent_lever, &mut rows.levers[0]);
    lanes.store_vector(gap, &mut rows.gap);
    for (row, stored) in freed.by_motion.into_iter().zip(&mut rows.by_motion) {
        lanes.store_vector(row, stored);
    }
    lanes.store_vector(freed.by_itself, &mut rows.by_itself);

    let sides = limit::Sides { parent: [&parent_axes, &parent_turned], child: [&axes, &turned] };
    rows.locked = 0;
    rows.limits = [usize::MAX; 2];
    let mut lock = |lock: Lock<V>| {
        let done = eliminate(lanes, &freed, lock, rows);
        let about = done.about.plus(parent_lever.cross(done.along));
        felt.add_row(done.stiffness, done.along, about, done.error + done.along.dot(gap));
        rows.locked += 1;
        rows.locked - 1
    };
    if joint.is_hinge {
        for across in limit::hinge(lanes, joint, &sides) {
            lock(across);
        }
    }
    let limits = limits(lanes, joint, &sides, index, block, lock);
    rows.limits = limits;

    let above = &mut scratch.articulated[joint.parent];
    let felt = if above.is_set { above.load(lanes).plus(&felt) } else { felt };
    above.store(lanes, &felt);
    above.is_set = true;
    scratch.articulated[index].is_set = false;
}

/// Locks what is out of its range; says which lock belongs to which limit.
#[inline(always)]
fn limits<V: SingleLanes>(
    lanes: Lanes<V>,
    joint: &Joint,
    sides: &limit::Sides<'_, V>,
    index: usize,
    block: &mut BlockRows<'_>,
    mut lock: impl FnMut(Lock<V>) -> usize,
) -> [usize; 2] {
    let mut found = [usize::MAX; 2];
    let [swing_pulled, angle_pulled] = &mut block.pulled[index];
    if let Some(swing) = &joint.swing
        && let Some(active) = limit::swing(lanes, joint, swing, sides, lanes.load(swing_pulled))
    {
        found[0] = lock(active);
    }
    if let Some(range) = &joint.range
        && let Some(active) = limit::range(lanes, joint, range, sides, lanes.load(angle_pulled))
    {
        found[1] = lock(active);
    }
    for (pulled, found) in [swing_pulled, angle_pulled].into_iter().zip(found) {
        if found == usize::MAX {
            lanes.store(lanes.same(0.0), pulled);
        }
    }
    found
}

/// The child as a mass at a point of its parent.
#[inline(always)]
fn felt_by_parent<V: SingleLanes>(freed: &Freed<V>, lever: LaneVector<V>, gap: LaneVector<V>) -> Articulated<V> {
    let zero = gap.x.like(0.0);
    let none = LaneVector { x: zero, y: zero, z: zero };
    let nothing = Symmetric { diagonal: [zero; 3], off: [zero; 3] };
    let mut felt = Articulated { mass: nothing, coupling: [none; 3], inertia: nothing, force: none, torque: none };
    felt.add_point(&freed.mass, lever, freed.force.plus(freed.mass.apply(gap)));
    felt
}

#[inline(always)]
fn eliminate<V: SingleLanes>(lanes: Lanes<V>, freed: &Freed<V>, lock: Lock<V>, rows: &mut JointRows) -> Eliminated<V> {
    let n = lock.about;
    let mut done = Eliminated {
        turn: freed.factors.solve(n),
        along: LaneVector { x: freed.by_motion[0].dot(n), y: freed.by_motion[1].dot(n), z: freed.by_motion[2].dot(n) },
        about: n,
        error: freed.by_itself.dot(n) + lock.target,
        stiffness: lock.is_on,
    };
    for earlier in &rows.locks[..rows.locked] {
        let turn = lanes.vector(&earlier.turn);
        let shared = lanes.load(&earlier.stiffness) * turn.dot(n);
        done.turn = done.turn.minus(turn.scaled(shared));
        done.along = done.along.minus(lanes.vector(&earlier.along).scaled(shared));
        done.about = done.about.minus(lanes.vector(&earlier.about).scaled(shared));
        done.error = done.error - lanes.load(&earlier.error) * shared;
    }
    done.stiffness = lock.is_on / done.turn.dot(n).greatest(lanes.same(1e-12));
    let stored = &mut rows.locks[rows.locked];
    lanes.store_vector(done.turn, &mut stored.turn);
    lanes.store_vector(done.along, &mut stored.along);
    lanes.store_vector(done.about, &mut stored.about);
    lanes.store(done.error, &mut stored.error);
    lanes.store(done.stiffness, &mut stored.stiffness);
    done
}

#[inline(always)]
fn turn_of<V: SingleLanes>(
    by_motion: &[LaneVector<V>; 3],
    by_itself: LaneVector<V>,
    d: LaneVector<V>,
) -> LaneVector<V> {
    let [a, b, c] = by_motion;
    -(a.scaled(d.x).plus(b.scaled(d.y)).plus(c.scaled(d.z)).plus(by_itself))
}

/// The motion of a body from that of its parent.
#[inline(always)]
pub fn follow_parent<V: SingleLanes>(
    lanes: Lanes<V>,
    plan: &Plan,
    index: usize,
    block: &mut BlockRows<'_>,
    scratch: &mut Scratch,
) {
    let Some(joint) = &plan.bodies[index].joint else {
        scratch.articulated[index].is_set = false;
        return;
    };
    let rows = &scratch.joints[index];
    let parent = &scratch.motions[joint.parent];
    let (shift, turn) = (lanes.vector(&parent.shift), lanes.vector(&parent.turn));
    let lever = lanes.vector(&rows.levers[0]);
    let d = shift.plus(turn.cross(lever)).plus(lanes.vector(&rows.gap));
    let mut own = turn_of(&lanes.vectors(&rows.by_motion), lanes.vector(&rows.by_itself), d);
    for (place, lock) in rows.locks[..rows.locked].iter().enumerate() {
        let along = lanes.vector(&lock.along).dot(d) + lanes.vector(&lock.about).dot(turn) + lanes.load(&lock.error);
        own = own.plus(lanes.vector(&lock.turn).scaled(along * lanes.load(&lock.stiffness)));
        for (limit, pulled) in rows.limits.into_iter().zip(&mut block.pulled[index]) {
            if limit == place {
                let zero = lanes.same(0.0);
                let on = V::both(zero.is_below(along), zero.is_below(lanes.load(&lock.stiffness)));
                lanes.store(V::select(on, lanes.same(1.0), zero), pulled);
            }
        }
    }
    let lever = lanes.vector(&rows.levers[1]);
    let motion = &mut scratch.motions[index];
    lanes.store_vector(d.minus(own.cross(lever)), &mut motion.shift);
    lanes.store_vector(own, &mut motion.turn);
}
