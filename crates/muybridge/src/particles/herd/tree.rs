//! Tree solver: solves the joints of a ragdoll exactly, from the leaves to the root and back.
//!
//! ```text
//! body at its anchor:  Q(d, ω),  d = δ + ω × r                       ω eliminated: the parent gets a mass M''
//! joint:               d_child = d_parent + gap
//! a locked direction n of the relative rotation, n·(ω_child − ω_parent) = ε:   + ½ κ (z·d + n·ω_parent + e)²,
//!                      v = J'⁻¹n,  z = H'v,  e = v·t' + ε,  κ = 1/(n·v)
//! back:                ω = −(Σ d_i T_i + J'⁻¹t') + Σ κ v (z·d + n·ω_parent + e)
//! ```
//! A hinge always locks two directions; a limit locks one while it is reached. This is elimination on a tree of joints
//! in O(bodies), mathematics 4.6, in the form of articulated bodies (Featherstone).

use super::algebra::{Articulated, Freed, Symmetric, SymmetricFactors};
use super::drive::{self, SpringRows};
use super::kernel::{BlockRows, KernelPace, Scratch};
use super::limit;
use super::plan::BatchModel;
use super::rows::{BlockWidth, LaneValues, Lanes, Sixteen};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// An [`Articulated`] body in each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ArticulatedRows<W: BlockWidth = Sixteen> {
    mass: [[LaneValues<W>; 3]; 2],
    coupling: [[LaneValues<W>; 3]; 3],
    inertia: [[LaneValues<W>; 3]; 2],
    bias: [[LaneValues<W>; 3]; 2],
    is_set: bool,
}

impl<W: BlockWidth> ArticulatedRows<W> {
    pub(super) const NONE: Self = Self {
        mass: [[LaneValues::ZERO; 3]; 2],
        coupling: [[LaneValues::ZERO; 3]; 3],
        inertia: [[LaneValues::ZERO; 3]; 2],
        bias: [[LaneValues::ZERO; 3]; 2],
        is_set: false,
    };

    #[inline(always)]
    pub(super) fn load<V: SingleLanes>(&self, lanes: Lanes<V>) -> Articulated<V> {
        Articulated {
            mass: Symmetric { diagonal: load(lanes, &self.mass[0]), off: load(lanes, &self.mass[1]) },
            coupling: lanes.vectors(&self.coupling),
            inertia: Symmetric { diagonal: load(lanes, &self.inertia[0]), off: load(lanes, &self.inertia[1]) },
            force: lanes.vector(&self.bias[0]),
            torque: lanes.vector(&self.bias[1]),
        }
    }

    #[inline(always)]
    fn store<V: SingleLanes>(&mut self, lanes: Lanes<V>, form: &Articulated<V>) {
        store(lanes, form.mass.diagonal, &mut self.mass[0]);
        store(lanes, form.mass.off, &mut self.mass[1]);
        store(lanes, form.inertia.diagonal, &mut self.inertia[0]);
        store(lanes, form.inertia.off, &mut self.inertia[1]);
        for row in 0..3 {
            lanes.store_vector(form.coupling[row], &mut self.coupling[row]);
        }
        lanes.store_vector(form.force, &mut self.bias[0]);
        lanes.store_vector(form.torque, &mut self.bias[1]);
    }
}

#[inline(always)]
fn load<V: SingleLanes, W: BlockWidth>(lanes: Lanes<V>, rows: &[LaneValues<W>; 3]) -> [V; 3] {
    [lanes.load(&rows[0]), lanes.load(&rows[1]), lanes.load(&rows[2])]
}

#[inline(always)]
fn store<V: SingleLanes, W: BlockWidth>(lanes: Lanes<V>, values: [V; 3], rows: &mut [LaneValues<W>; 3]) {
    for index in 0..3 {
        lanes.store(values[index], &mut rows[index]);
    }
}

/// Joint data for the backward pass.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct JointRows<W: BlockWidth = Sixteen> {
    levers: [[LaneValues<W>; 3]; 2],
    gap: [LaneValues<W>; 3],
    by_motion: [[LaneValues<W>; 3]; 3],
    by_itself: [LaneValues<W>; 3],
    pub(super) spring: SpringRows<W>,
    locks: [LockRows<W>; MOST_LOCKS],
    locked: usize,
    limits: [usize; 2],
    /// Whether the swing and angle limits are active by revision: 1 or 0.
    holds: [LaneValues<W>; 2],
}

/// An eliminated locked direction of a joint.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct LockRows<W: BlockWidth = Sixteen> {
    turn: [LaneValues<W>; 3],
    along: [LaneValues<W>; 3],
    about: [LaneValues<W>; 3],
    error: LaneValues<W>,
    stiffness: LaneValues<W>,
    /// Rotation of the joint about this direction by each earlier lock, `n·v`.
    by_earlier: [LaneValues<W>; MOST_LOCKS],
}

/// Greatest number of locks: two of a hinge and its angle, or swing and twist.
const MOST_LOCKS: usize = 3;

impl<W: BlockWidth> JointRows<W> {
    pub(super) const NONE: Self = Self {
        levers: [[LaneValues::ZERO; 3]; 2],
        gap: [LaneValues::ZERO; 3],
        by_motion: [[LaneValues::ZERO; 3]; 3],
        by_itself: [LaneValues::ZERO; 3],
        spring: SpringRows::NONE,
        locks: [LockRows::NONE; MOST_LOCKS],
        locked: 0,
        limits: [usize::MAX; 2],
        holds: [LaneValues::ZERO; 2],
    };
}

impl<W: BlockWidth> LockRows<W> {
    const NONE: Self = Self {
        turn: [LaneValues::ZERO; 3],
        along: [LaneValues::ZERO; 3],
        about: [LaneValues::ZERO; 3],
        error: LaneValues::ZERO,
        stiffness: LaneValues::ZERO,
        by_earlier: [LaneValues::ZERO; MOST_LOCKS],
    };
}

/// Correction of a body by the solve.
#[derive(Clone, Copy, Debug)]
pub struct MotionRows<W: BlockWidth = Sixteen> {
    /// Displacement δ, meters.
    pub shift: [LaneValues<W>; 3],
    /// Rotation ω, radians.
    pub turn: [LaneValues<W>; 3],
}

impl<W: BlockWidth> MotionRows<W> {
    pub(super) const NONE: Self = Self { shift: [LaneValues::ZERO; 3], turn: [LaneValues::ZERO; 3] };

    /// Stores the result of a solve in the lanes of `is_solved`.
    #[inline(always)]
    fn set<V: SingleLanes>(&mut self, lanes: Lanes<V>, is_solved: V::Mask, shift: LaneVector<V>, turn: LaneVector<V>) {
        let shift = LaneVector::select(is_solved, shift, lanes.vector(&self.shift));
        let turn = LaneVector::select(is_solved, turn, lanes.vector(&self.turn));
        lanes.store_vector(shift, &mut self.shift);
        lanes.store_vector(turn, &mut self.turn);
    }
}

/// A locked direction of a joint with its target, and the lanes in which it is active.
#[derive(Clone, Copy)]
pub struct Lock<V> {
    /// Locked direction n.
    pub about: LaneVector<V>,
    /// Target ε of the relative rotation, radians times the length of n.
    pub target: V,
    /// 1 if the lock is active, else 0.
    pub is_on: V,
    /// Violation of the limit at the start of the substep, radians.
    pub excess: V,
}

#[derive(Clone, Copy)]
struct Eliminated<V> {
    turn: LaneVector<V>,
    along: LaneVector<V>,
    about: LaneVector<V>,
    error: V,
    stiffness: V,
}

impl<V: SingleLanes> Eliminated<V> {
    /// Adds the effective inertia of this lock to the parent.
    #[inline(always)]
    fn add_to(&self, felt: &mut Articulated<V>, lever: LaneVector<V>, gap: LaneVector<V>) {
        let about = self.about.plus(lever.cross(self.along));
        felt.add_row(self.stiffness, self.along, about, self.error + self.along.dot(gap));
    }
}

/// Forward pass: eliminates a body and adds its effective inertia to the parent. The root is solved at once.
#[inline(always)]
pub fn hang_on_parent<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    (plan, pace): (&BatchModel, &KernelPace),
    index: usize,
    form: &Articulated<V>,
    block: &mut BlockRows<'_, W>,
    scratch: &mut Scratch<W>,
) {
    let Some(joint) = &plan.bodies[index].joint else {
        let freed = form.freed(lanes);
        let shift = -SymmetricFactors::new(lanes, &freed.mass).solve(freed.force);
        let turn = turn_of(&freed.by_motion, freed.by_itself, shift);
        let is_solved = lanes.same(0.0).is_below(lanes.load(&scratch.solved));
        scratch.motions[index].set(lanes, is_solved, shift, turn);
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
    let (spin, parent_spin) = (lanes.vector(&scratch.spins[index]), lanes.vector(&scratch.spins[joint.parent]));
    let couple = joint.friction.couple(lanes, pace.substep, spin, parent_spin);
    let mut at_joint = form.at_point(lever);
    at_joint.torque = at_joint.torque.minus(couple);
    let spring = block.drives.get(index).and_then(|rows| {
        drive::spring(lanes, pace.substep, (rows, block.elapsed), [&parent_axes, &axes], [parent_spin, spin])
    });
    let loose = (at_joint.inertia, at_joint.torque);
    if let Some(spring) = &spring {
        spring.hold(&mut at_joint);
    }
    let freed = at_joint.freed(lanes);
    let mut felt = felt_by_parent(&freed, parent_lever, gap);
    felt.torque = felt.torque.plus(couple);

    let rows = &mut scratch.joints[index];
    rows.spring.is_on = false;
    if let Some(spring) = &spring {
        let follow = spring.pass_on((&loose.0, loose.1), &freed, (parent_lever, gap), &mut felt);
        rows.spring.store(lanes, spring, &follow);
    }
    let stiffness = spring.map_or(lanes.same(0.0), |spring| spring.stiffness);
    lanes.store_vector(lever, &mut rows.levers[1]);
    lanes.store_vector(parent_lever, &mut rows.levers[0]);
    lanes.store_vector(gap, &mut rows.gap);
    for row in 0..3 {
        lanes.store_vector(freed.by_motion[row], &mut rows.by_motion[row]);
    }
    lanes.store_vector(freed.by_itself, &mut rows.by_itself);

    // After a hit the angles of the last solve are used: a Newton step from there.
    let zero = lanes.same(0.0);
    let (mut turned, mut parent_turned) = (turned, parent_turned);
    let mut bent = LaneVector { x: zero, y: zero, z: zero };
    if scratch.is_revised {
        let (own, above) = (&scratch.motions[index].turn, &scratch.motions[joint.parent].turn);
        let (own, above) = (lanes.vector(own), lanes.vector(above));
        // Beyond this rotation the Newton step could diverge.
        let size = own.dot(own).greatest(above.dot(above));
        let share = V::select(size.is_below(lanes.same(NEAR * NEAR)), lanes.same(1.0), zero);
        let (own, above) = (own.scaled(share), above.scaled(share));
        bent = own.minus(above);
        turned = solved(turned, own, &axes);
        parent_turned = solved(parent_turned, above, &parent_axes);
    }
    let sides = limit::LimitSides {
        parent: [&parent_axes, &parent_turned],
        child: [&axes, &turned],
        bent,
        recovery: pace.recovery[1],
    };
    rows.locked = 0;
    rows.limits = [usize::MAX; 2];
    if joint.is_hinge {
        let across = limit::hinge(lanes, joint, &sides);
        let first = eliminate(lanes, (&freed, stiffness), across[0], rows);
        first.add_to(&mut felt, parent_lever, gap);
        let second = eliminate(lanes, (&freed, stiffness), across[1], rows);
        second.add_to(&mut felt, parent_lever, gap);
    }
    let [swing_pulled, angle_pulled] = &mut block.pulled[index];
    let solved_lanes = lanes.load(&scratch.solved);
    let mut near = solved_lanes;
    if !scratch.is_revised {
        let bend = limit::bend(lanes, lanes.times(spin, 0.5), lanes.times(parent_spin, 0.5));
        let mut room = lanes.load(&scratch.rooms[index]);
        let is_near = room.is_below(bend);
        if V::any(is_near) {
            room = V::select(is_near, limit::room(lanes, joint, &sides), room);
        }
        near = V::select(room.is_below(zero), solved_lanes, zero);
        // The energy limit may leave the body anywhere on its way.
        lanes.store(room - bend, &mut scratch.rooms[index]);
    }
    let is_solved = zero.is_below(solved_lanes);
    let let_go = V::select(is_solved, zero, lanes.load(swing_pulled));
    let pulled = [lanes.load(swing_pulled), near];
    let choice = limit::RowChoice::new(lanes, scratch.is_revised, pulled, &rows.holds[0]);
    let swing = limit::swing(lanes, joint, &sides, choice);
    if let Some(swing) = swing {
        lanes.store(swing.is_on, &mut rows.holds[0]);
        lanes.store(lanes.load(&scratch.excess).greatest(swing.excess), &mut scratch.excess);
        rows.limits[0] = rows.locked;
        eliminate(lanes, (&freed, stiffness), swing, rows).add_to(&mut felt, parent_lever, gap);
    } else {
        lanes.store(lanes.same(0.0), &mut rows.holds[0]);
        lanes.store(let_go, swing_pulled);
    }
    let let_go = V::select(is_solved, zero, lanes.load(angle_pulled));
    let pulled = [lanes.load(angle_pulled), near];
    let choice = limit::RowChoice::new(lanes, scratch.is_revised, pulled, &rows.holds[1]);
    let angle = limit::range(lanes, joint, &sides, choice);
    if let Some(angle) = angle {
        lanes.store(angle.is_on, &mut rows.holds[1]);
        lanes.store(lanes.load(&scratch.excess).greatest(angle.excess), &mut scratch.excess);
        rows.limits[1] = rows.locked;
        eliminate(lanes, (&freed, stiffness), angle, rows).add_to(&mut felt, parent_lever, gap);
    } else {
        lanes.store(lanes.same(0.0), &mut rows.holds[1]);
        lanes.store(let_go, angle_pulled);
    }

    let above = &mut scratch.articulated[joint.parent];
    let felt = if above.is_set { above.load(lanes).plus(&felt) } else { felt };
    above.store(lanes, &felt);
    above.is_set = true;
    scratch.articulated[index].is_set = false;
}

/// Effective inertia of the child at a point of its parent.
#[inline(always)]
fn felt_by_parent<V: SingleLanes>(freed: &Freed<V>, lever: LaneVector<V>, gap: LaneVector<V>) -> Articulated<V> {
    let zero = gap.x.like(0.0);
    let none = LaneVector { x: zero, y: zero, z: zero };
    let nothing = Symmetric { diagonal: [zero; 3], off: [zero; 3] };
    let mut felt = Articulated { mass: nothing, coupling: [none; 3], inertia: nothing, force: none, torque: none };
    felt.add_point(&freed.mass, lever, freed.force.plus(freed.mass.apply(gap)));
    felt
}

/// Greatest rotation of a correction for which angles are taken from the last solve, radians.
const NEAR: f32 = 0.15;

/// Least share of the compliance of a direction after earlier locks; a smaller share is rounding.
const LEAST_YIELD: f32 = 1e-4;

#[inline(always)]
fn eliminate<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    (freed, stiffness): (&Freed<V>, V),
    lock: Lock<V>,
    rows: &mut JointRows<W>,
) -> Eliminated<V> {
    let n = lock.about;
    let turn = freed.factors.solve(n);
    let mut done = Eliminated {
        turn,
        along: LaneVector { x: freed.by_motion[0].dot(n), y: freed.by_motion[1].dot(n), z: freed.by_motion[2].dot(n) },
        // A spring rotates the child with its parent.
        about: n.minus(turn.scaled(stiffness)),
        error: freed.by_itself.dot(n) + lock.target,
        stiffness: lock.is_on,
    };
    let alone = done.turn.dot(n);
    let mut by_earlier = [LaneValues::ZERO; MOST_LOCKS];
    for (earlier, by_earlier) in rows.locks[..rows.locked].iter().zip(&mut by_earlier) {
        let turn = lanes.vector(&earlier.turn);
        lanes.store(turn.dot(n), by_earlier);
        let shared = lanes.load(&earlier.stiffness) * turn.dot(n);
        done.turn = done.turn.minus(turn.scaled(shared));
        done.along = done.along.minus(lanes.vector(&earlier.along).scaled(shared));
        done.about = done.about.minus(lanes.vector(&earlier.about).scaled(shared));
        done.error = done.error - lanes.load(&earlier.error) * shared;
    }
    let yielding = done.turn.dot(n).greatest(alone * lanes.same(LEAST_YIELD)).greatest(lanes.same(1e-12));
    done.stiffness = lock.is_on / yielding;
    let stored = &mut rows.locks[rows.locked];
    lanes.store_vector(done.turn, &mut stored.turn);
    lanes.store_vector(done.along, &mut stored.along);
    lanes.store_vector(done.about, &mut stored.about);
    lanes.store(done.error, &mut stored.error);
    lanes.store(done.stiffness, &mut stored.stiffness);
    stored.by_earlier = by_earlier;
    rows.locked += 1;
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

/// Backward pass: computes the motion of a body from that of its parent; returns the squared relative rotation.
#[inline(always)]
pub fn follow_parent<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    plan: &BatchModel,
    index: usize,
    block: &mut BlockRows<'_, W>,
    scratch: &mut Scratch<W>,
) -> V {
    let Some(joint) = &plan.bodies[index].joint else {
        scratch.articulated[index].is_set = false;
        return lanes.same(0.0);
    };
    let rows = &scratch.joints[index];
    let parent = &scratch.motions[joint.parent];
    let (shift, turn) = (lanes.vector(&parent.shift), lanes.vector(&parent.turn));
    let lever = lanes.vector(&rows.levers[0]);
    let d = shift.plus(turn.cross(lever)).plus(lanes.vector(&rows.gap));
    let is_solved = lanes.same(0.0).is_below(lanes.load(&scratch.solved));
    let mut own = turn_of(&lanes.vectors(&rows.by_motion), lanes.vector(&rows.by_itself), d);
    if rows.spring.is_on {
        own = own.plus(rows.spring.follow(lanes, turn));
    }
    let zero = lanes.same(0.0);
    let mut moments = [zero; MOST_LOCKS];
    for (lock, moment) in rows.locks[..rows.locked].iter().zip(&mut moments) {
        let along = lanes.vector(&lock.along).dot(d) + lanes.vector(&lock.about).dot(turn) + lanes.load(&lock.error);
        *moment = along * lanes.load(&lock.stiffness);
        own = own.plus(lanes.vector(&lock.turn).scaled(*moment));
    }
    for limit in 0..2 {
        let place = rows.limits[limit];
        if place < rows.locked {
            let on = pulls(lanes, &rows.locks[..rows.locked], place, &moments);
            let pulled = &mut block.pulled[index][limit];
            let on = V::select(is_solved, V::select(on, lanes.same(1.0), zero), lanes.load(pulled));
            lanes.store(on, pulled);
        }
    }
    let lever = lanes.vector(&rows.levers[1]);
    scratch.motions[index].set(lanes, is_solved, d.minus(own.cross(lever)), own);
    let room = lanes.load(&scratch.rooms[index]);
    let left = V::select(is_solved, room - limit::bend(lanes, own, turn), room);
    lanes.store(left, &mut scratch.rooms[index]);
    let bent = own.minus(turn);
    bent.dot(bent)
}

/// Whether a lock pulls its joint towards the limit instead of pushing it back. Later locks also act about its
/// direction, so its own moment is `κ (x − Σ n·v x')`, with `x` and `x'` as they were eliminated.
#[inline(always)]
fn pulls<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    locks: &[LockRows<W>],
    place: usize,
    moments: &[V; MOST_LOCKS],
) -> V::Mask {
    let stiffness = lanes.load(&locks[place].stiffness);
    let mut moment = moments[place];
    for later in place + 1..locks.len() {
        moment = moment - stiffness * lanes.load(&locks[later].by_earlier[place]) * moments[later];
    }
    let zero = lanes.same(0.0);
    V::both(zero.is_below(moment), zero.is_below(stiffness))
}

/// Active-set update: which limits of a joint are active in the next solve. Returns 1 in lanes with a change.
#[inline(always)]
pub fn revise<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    plan: &BatchModel,
    index: usize,
    block: &BlockRows<'_, W>,
    scratch: &mut Scratch<W>,
) -> V {
    let Some(joint) = &plan.bodies[index].joint else { return lanes.same(0.0) };
    let room = lanes.load(&scratch.rooms[index]);
    let is_near = room.is_below(lanes.same(0.0));
    if !V::any(is_near) {
        // Far limits do not hold.
        return lanes.same(0.0);
    }
    let (child, parent) = (&block.bodies[index], &block.bodies[joint.parent]);
    let (axes, parent_axes) = (lanes.vectors(&child.axes), lanes.vectors(&parent.axes));
    let (own, above) = (scratch.motions[index].turn, scratch.motions[joint.parent].turn);
    let turned = solved(lanes.vectors(&child.turned), lanes.vector(&own), &axes);
    let parent_turned = solved(lanes.vectors(&parent.turned), lanes.vector(&above), &parent_axes);
    let bent = lanes.vector(&own).minus(lanes.vector(&above));
    let sides =
        limit::LimitSides { parent: [&parent_axes, &parent_turned], child: [&axes, &turned], bent, recovery: 0.0 };
    let may_release = !scratch.is_revised;
    let rows = &mut scratch.joints[index];
    let out = [limit::swing_is_out(lanes, joint, &sides), limit::range_is_out(lanes, joint, &sides)];
    let out = [V::both(is_near, out[0]), V::both(is_near, out[1])];
    let mut changed = lanes.same(0.0);
    let is_solved = changed.is_below(lanes.load(&scratch.solved));
    for limit in 0..2 {
        let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
        let held = lanes.load(&rows.holds[limit]);
        let pulls = if may_release { lanes.load(&block.pulled[index][limit]) } else { zero };
        let is_held = zero.is_below(held);
        let now = V::select(is_held, one - pulls, V::select(out[limit], one, zero));
        let now = V::select(is_solved, now, held);
        changed = changed.greatest((now - held).abs());
        lanes.store(now, &mut rows.holds[limit]);
    }
    changed
}

/// Displacements of the axes including the solve.
#[inline(always)]
fn solved<V: SingleLanes>(
    turned: [LaneVector<V>; 3],
    turn: LaneVector<V>,
    axes: &[LaneVector<V>; 3],
) -> [LaneVector<V>; 3] {
    [turned[0].plus(turn.cross(axes[0])), turned[1].plus(turn.cross(axes[1])), turned[2].plus(turn.cross(axes[2]))]
}
