//! Joint drives: springs and dampers toward target rotations, implicit, as part of the tree solve.
//!
//! ```text
//! e        rotation of the child beyond the target, w its rotation relative to the parent in a substep of length h,
//!          ŵ the target rate times h
//! couple h² = −k h² (e + w − ŵ) − d h (w − ŵ) = −κ (w − ŵ) − k h² e,     κ = k h² + d h          k, d of either sign of h: stable
//! + ½ κ ‖ω_child − ω_parent + c‖²,   κ c = κ (w_predicted − ŵ) + k h² e
//! J' = J + κ,  t' = t + κ c,  F = κ J'⁻¹:   free child  ω = −(Σ d_i T_i + J'⁻¹t') + F ω_parent
//! the parent feels C_i = κ T_i,  Y = κ − κ F = J F  and  F t − J J'⁻¹ κ c  as well: no difference of large numbers
//! ```
//! Specification: mathematics 3.14, 4.5.1, 4.7 (R18 to R20).

use glam::{DMat3, DQuat, DVec3};

use super::HerdError;
use super::algebra::{Articulated, Freed, Symmetric, elements, symmetric, three};
use super::joint_friction;
use super::plan::BatchModel;
use super::rows::{BlockWidth, LaneValues, Lanes, Sixteen};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;
use crate::particles::Model;

/// A spring with a damper on the joint between two bodies of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDrive {
    /// Target rotation of the second body relative to the first at the start of the step, in the frames of
    /// [`super::Herd::pose`].
    pub turn: DQuat,
    /// Rate of the target rotation, radians per second, axes of the first body.
    pub rate: DVec3,
    /// Stiffness about all axes, N m per radian.
    pub stiffness: f64,
    /// Damping about all axes, N m s.
    pub damping: f64,
    /// Greatest torque, newton meters.
    pub most: f64,
}

/// Gains and torque limit of a joint drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointStrength {
    /// Stiffness about all axes, N m per radian.
    pub stiffness: f64,
    /// Damping about all axes, N m s.
    pub damping: f64,
    /// Greatest torque, newton meters.
    pub most: f64,
}

impl JointDrive {
    /// Gains and torque limit of this drive.
    pub fn strength(&self) -> JointStrength {
        let &Self { stiffness, damping, most, .. } = self;
        JointStrength { stiffness, damping, most }
    }
}

/// The joints of a model, prepared for batches of it.
#[derive(Clone, Debug)]
pub struct HerdJoints {
    plan: BatchModel,
}

impl HerdJoints {
    /// Prepares the joints of `model`.
    ///
    /// # Errors
    /// A [`HerdError`] if the model does not suit a batch.
    pub fn of(model: &Model) -> Result<Self, HerdError> {
        Ok(Self { plan: BatchModel::new(model, joint_friction::Source::Herd)? })
    }

    /// Converts `turn` and `rate` as in [`JointDrive`], of the second of two bodies (tetrahedra) relative to the first.
    /// `None` if no joint connects the bodies, or if a number is not finite.
    pub fn turn(&self, bodies: [usize; 2], turn: DQuat, rate: DVec3) -> Option<JointTurn> {
        JointTurn::new(&self.plan, self.plan.joint_between(bodies)?, turn, rate)
    }
}

/// Target rotation of a joint drive, converted to f32 for the batches of a model. One value serves all ragdolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTurn {
    /// Index of the child body in tree order.
    pub(super) body: usize,
    /// Target axes of the child at the start of the step, in the axes of the parent.
    target: [[f32; 3]; 3],
    /// Rate of the target, radians per second, axes of the parent.
    rate: [f32; 3],
}

impl JointTurn {
    /// Creates the target for the joint of a child body; `is_turned` means that `turn` and `rate` are of the parent
    /// relative to it.
    pub(super) fn new(
        plan: &BatchModel,
        (body, is_turned): (usize, bool),
        mut turn: DQuat,
        mut rate: DVec3,
    ) -> Option<Self> {
        let joint = plan.bodies[body].joint.as_ref()?;
        if is_turned {
            turn = turn.conjugate();
            rate = -(turn * rate);
        }
        let [above, own] = [plan.bodies[joint.parent].principal, plan.bodies[body].principal];
        let target = above.transpose() * DMat3::from_quat(turn.normalize()) * own;
        let rate = above.transpose() * rate;
        let single = |v: DVec3| v.to_array().map(|value| value as f32);
        let is_good = target.is_finite() && rate.is_finite();
        is_good.then(|| Self { body, target: [0, 1, 2].map(|axis| single(target.col(axis))), rate: single(rate) })
    }

    /// The same target rotation with rate zero.
    pub fn at_rest(self) -> Self {
        Self { rate: [0.0; 3], ..self }
    }
}

/// Drive of a joint in sixteen ragdolls.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct DriveRows<W: BlockWidth = Sixteen> {
    /// Target axes of the child at the start of the step, in the axes of the parent.
    target: [[LaneValues<W>; 3]; 3],
    /// Rate of the target, radians per second, axes of the parent.
    rate: [LaneValues<W>; 3],
    stiffness: LaneValues<W>,
    damping: LaneValues<W>,
    most: LaneValues<W>,
    /// Whether any lane has a torque limit.
    is_bounded: bool,
}

impl<W: BlockWidth> DriveRows<W> {
    pub(super) const NONE: Self = Self {
        target: [[LaneValues::ZERO; 3]; 3],
        rate: [LaneValues::ZERO; 3],
        stiffness: LaneValues::ZERO,
        damping: LaneValues::ZERO,
        most: LaneValues::ZERO,
        is_bounded: false,
    };

    /// Sets the drive of a lane; returns whether it is active. Without a target or with invalid numbers the joint is
    /// not driven.
    pub fn set(&mut self, lane: usize, turn: Option<&JointTurn>, strength: &JointStrength) -> bool {
        let &JointStrength { stiffness, damping, most } = strength;
        let is_good = stiffness >= 0.0 && damping >= 0.0 && most >= 0.0 && stiffness.is_finite() && damping.is_finite();
        let turn = turn.filter(|_| is_good);
        let values = if turn.is_some() { [stiffness, damping, most.min(f64::from(f32::MAX))] } else { [0.0; 3] };
        for (row, value) in [&mut self.stiffness, &mut self.damping, &mut self.most].into_iter().zip(values) {
            row.0[lane] = value as f32;
        }
        self.is_bounded |= most < f64::from(f32::MAX);
        if let Some(turn) = turn {
            for axis in 0..3 {
                self.rate[axis].0[lane] = turn.rate[axis];
                for place in 0..3 {
                    self.target[axis][place].0[lane] = turn.target[axis][place];
                }
            }
        }
        values[2] > 0.0 && (values[0] > 0.0 || values[1] > 0.0)
    }

    /// Copies the drive of a lane from another.
    pub fn copy_lane(&mut self, lane: usize, (from, from_lane): (&Self, usize)) {
        let to = self.target.iter_mut().flatten().chain(&mut self.rate);
        let rows = from.target.iter().flatten().chain(&from.rate);
        to.zip(rows).for_each(|(to, from)| to.0[lane] = from.0[from_lane]);
        self.stiffness.0[lane] = from.stiffness.0[from_lane];
        self.damping.0[lane] = from.damping.0[from_lane];
        self.most.0[lane] = from.most.0[from_lane];
        self.is_bounded |= from.is_bounded;
    }

    /// Turns off the drive of a lane.
    pub fn release(&mut self, lane: usize) {
        for row in [&mut self.stiffness, &mut self.damping, &mut self.most] {
            row.0[lane] = 0.0;
        }
    }
}

/// The implicit spring of a drive in a substep.
#[derive(Clone, Copy)]
pub struct Spring<V> {
    /// Effective stiffness κ, kg m².
    pub stiffness: V,
    /// Bias κ c, kg m².
    pub free: LaneVector<V>,
    /// Predicted rotation of the child relative to the parent, radians.
    pub way: LaneVector<V>,
}

/// Spring of a joint from the axes of parent and child and twice their predicted rotations; `None` if no lane has a
/// drive.
#[inline(always)]
pub fn spring<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    substep: f32,
    (rows, elapsed): (&DriveRows<W>, &LaneValues<W>),
    [parent_axes, axes]: [&[LaneVector<V>; 3]; 2],
    [parent_spin, spin]: [LaneVector<V>; 2],
) -> Option<Spring<V>> {
    let (zero, one, h) = (lanes.same(0.0), lanes.same(1.0), lanes.same(substep));
    let pull = lanes.load(&rows.stiffness) * (h * h);
    let stiffness = pull + lanes.load(&rows.damping) * h;
    if !V::any(zero.is_below(stiffness)) {
        return None;
    }
    let rate = in_axes(parent_axes, lanes.vector(&rows.rate));
    let wanted = three!(|axis| in_axes(parent_axes, lanes.vector(&rows.target[axis])));
    // s = 2 sin θ n and u = 2 + 2 cos θ: θ n = t/(1 + 0.07 t²) with t = 2 s/u = 2 tan(θ/2) n, accurate to 0.01 rad up
    // to 100°.
    let [p, q, r] = three!(|axis| wanted[axis].cross(axes[axis]));
    let sine = p.plus(q).plus(r);
    let trace = wanted[0].dot(axes[0]) + wanted[1].dot(axes[1]) + wanted[2].dot(axes[2]);
    let u = (trace + one).greatest(lanes.same(0.02));
    let excess = sine.scaled((u + u) / (u * u + sine.dot(sine) * lanes.same(0.28)));
    let excess = excess.minus(rate.scaled(lanes.load(elapsed)));
    let way = lanes.times(spin.minus(parent_spin), 0.5);
    let free = excess.scaled(pull).plus(way.minus(rate.scaled(h)).scaled(stiffness));
    if !rows.is_bounded {
        return Some(Spring { stiffness, free, way });
    }
    let most = lanes.load(&rows.most) * (h * h);
    let share = (most / free.dot(free).sqrt().greatest(lanes.same(1e-30))).least(one);
    Some(Spring { stiffness: stiffness * share, free: free.scaled(share), way })
}

/// Vector with coordinates `v` in the given axes.
#[inline(always)]
fn in_axes<V: SingleLanes>(axes: &[LaneVector<V>; 3], v: LaneVector<V>) -> LaneVector<V> {
    axes[0].scaled(v.x).plus(axes[1].scaled(v.y)).plus(axes[2].scaled(v.z))
}

impl<V: SingleLanes> Spring<V> {
    /// Adds the spring to the articulated inertia of the child at its joint.
    #[inline(always)]
    pub fn hold(&self, child: &mut Articulated<V>) {
        child.inertia.diagonal = three!(|axis| child.inertia.diagonal[axis] + self.stiffness);
        child.torque = child.torque.plus(self.free);
    }

    /// Adds the spring to the parent, with its lever to the joint. `inertia` and `torque` are those of the child
    /// without the spring. Returns F, which maps a rotation of the parent to one of the child.
    #[inline(always)]
    pub fn pass_on(
        &self,
        (inertia, torque): (&Symmetric<V>, LaneVector<V>),
        freed: &Freed<V>,
        (lever, gap): (LaneVector<V>, LaneVector<V>),
        felt: &mut Articulated<V>,
    ) -> Symmetric<V> {
        let inverse = freed.factors.inverse();
        let follow: Symmetric<V> = symmetric!(|i, j| inverse.at(i, j) * self.stiffness);
        let coupling = three!(|i| freed.by_motion[i].scaled(self.stiffness));
        let [a, b, c] = coupling;
        // (ω × r)·C ω = ½ ω·([r] C + its transpose) ω.
        let turned = three!(|j| elements(lever.cross(super::algebra::column(&coupling, j))));
        let held: Symmetric<V> = symmetric!(|i, j| inertia.at(i, 0) * follow.at(0, j)
            + inertia.at(i, 1) * follow.at(1, j)
            + inertia.at(i, 2) * follow.at(2, j));
        felt.inertia = symmetric!(|i, j| felt.inertia.at(i, j) + (turned[j][i] + turned[i][j]) + held.at(i, j));
        for i in 0..3 {
            felt.coupling[i] = felt.coupling[i].plus(coupling[i]);
        }
        let bias = follow.apply(torque).minus(inertia.apply(inverse.apply(self.free)));
        let moved = a.scaled(gap.x).plus(b.scaled(gap.y)).plus(c.scaled(gap.z));
        felt.torque = felt.torque.plus(bias).plus(moved);
        follow
    }
}

/// Spring data for the backward pass.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct SpringRows<W: BlockWidth = Sixteen> {
    /// Matrix F from parent to child rotation: diagonal, then elements 01, 02, 12.
    follow: [[LaneValues<W>; 3]; 2],
    stiffness: LaneValues<W>,
    free: [LaneValues<W>; 3],
    way: [LaneValues<W>; 3],
    /// Whether the joint has a spring.
    pub is_on: bool,
}

impl<W: BlockWidth> SpringRows<W> {
    pub(super) const NONE: Self = Self {
        follow: [[LaneValues::ZERO; 3]; 2],
        stiffness: LaneValues::ZERO,
        free: [LaneValues::ZERO; 3],
        way: [LaneValues::ZERO; 3],
        is_on: false,
    };

    #[inline(always)]
    pub fn store<V: SingleLanes>(&mut self, lanes: Lanes<V>, spring: &Spring<V>, follow: &Symmetric<V>) {
        for i in 0..3 {
            lanes.store(follow.diagonal[i], &mut self.follow[0][i]);
            lanes.store(follow.off[i], &mut self.follow[1][i]);
        }
        lanes.store(spring.stiffness, &mut self.stiffness);
        lanes.store_vector(spring.free, &mut self.free);
        lanes.store_vector(spring.way, &mut self.way);
        self.is_on = true;
    }

    /// Rotation of the child caused by a rotation of the parent.
    #[inline(always)]
    pub fn follow<V: SingleLanes>(&self, lanes: Lanes<V>, parent: LaneVector<V>) -> LaneVector<V> {
        let [diagonal, off] = &self.follow;
        let follow = Symmetric { diagonal: three!(|i| lanes.load(&diagonal[i])), off: three!(|i| lanes.load(&off[i])) };
        follow.apply(parent)
    }

    /// Positive work of the spring in the substep, by which the energy may grow, kg m². `bent` is the rotation of the
    /// child relative to the parent by the solve.
    #[inline(always)]
    pub fn work<V: SingleLanes>(&self, lanes: Lanes<V>, bent: LaneVector<V>) -> V {
        let couple = lanes.vector(&self.free).plus(bent.scaled(lanes.load(&self.stiffness)));
        let way = lanes.vector(&self.way);
        // The spring torque acts through the whole substep, including the predicted motion.
        let work = -couple.dot(way.plus(bent));
        work.greatest(lanes.same(0.0))
    }
}
