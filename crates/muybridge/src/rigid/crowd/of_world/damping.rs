//! What resists the turns of a tree's joints and limbs: damping of joints, rolling resistance.
//!
//! ```text
//! ball     rows l_i with Γ = 1/(h drag),   S⁻¹ = L Lᵀ, l_i the columns of L      S of the composites, once a step
//! hinge    the row of its axis a with Γ = a · S a/(h drag)
//! brake    C = rolling · impulse of the contacts/max(ω, slow)
//! ```
//! As in [`crate::rigid::drives`], for motors that only damp, in lanes.

use glam::{DMat3, DVec3};

use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::Pose;
use crate::rigid::composite::Composites;
use crate::rigid::crowd::block::{LanesOf, WIDE};
use crate::rigid::crowd::plan::BatchColliders;
use crate::rigid::drives::{NOTHING, SLOW, root_of_inverse};
use crate::rigid::joint::Kind;
use crate::rigid::model::Model;
use crate::rigid::rattle::{Driven, Mechanism, Rattle, Soft};

/// Damping of a tree's joints in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct TreeDamping {
    /// Damping rate of each motor, 1/s.
    pub drags: Vec<f64>,
    composites: Composites,
    /// Of each motor: L in the axes of the joint's parent for a ball joint, S for a hinge.
    inertias: Vec<DMat3>,
}

impl TreeDamping {
    /// Measures the inertias at the start of a step. Returns `false` if one is not defined.
    pub fn measure(&mut self, mechanism: Mechanism<'_>, model: &Model, poses: &[Pose<f64>]) -> bool {
        self.inertias.clear();
        if model.motors.is_empty() {
            return true;
        }
        self.composites.measure(mechanism, poses);
        for motor in &model.motors {
            let joint = &model.joints[motor.joint];
            let felt = self.composites.of_joint(mechanism, motor.joint, poses);
            let inertia = match (&joint.kind, joint.parent) {
                (Kind::Hinge, _) => felt,
                (_, Some(parent)) => {
                    let in_parent = DMat3::from_quat(poses[parent].turn()).transpose();
                    felt.and_then(root_of_inverse).map(|root| in_parent * root)
                }
                _ => None,
            };
            let Some(inertia) = inertia else { return false };
            self.inertias.push(inertia);
        }
        true
    }
}

/// Damping of one tree per lane.
#[derive(Clone, Debug)]
pub(super) struct LaneDamping<V> {
    /// Matrix and damping rate of each motor.
    inertias: Vec<(LaneMatrix<V>, V)>,
    soft: Vec<Option<Soft<V>>>,
    brakes: Vec<V>,
}

impl<V: Lanes> LaneDamping<V> {
    pub fn new(zero: V, model: &Model) -> Self {
        let (mut soft, brakes) = (vec![None; model.joints.len()], vec![zero; model.bodies.len()]);
        for motor in &model.motors {
            let count = if model.joints[motor.joint].kind == Kind::Hinge { 1 } else { 3 };
            let axes = [LaneVector { x: zero, y: zero, z: zero }; 3];
            soft[motor.joint] = Some(Soft { count, axes, softness: [zero; 3], wanted: [zero; 3] });
        }
        Self { inertias: Vec::with_capacity(model.motors.len()), soft, brakes }
    }

    /// Takes the damping of the trees; the last one fills all lanes that are left.
    #[inline(always)]
    pub fn gather(&mut self, token: V::Token, trees: &[&TreeDamping]) {
        self.inertias.clear();
        for motor in 0..trees[0].inertias.len() {
            let mut numbers = [[0.0; WIDE]; 10];
            for lane in 0..V::WIDTH {
                let tree = trees[lane.min(trees.len() - 1)];
                let columns = tree.inertias[motor].to_cols_array();
                for number in 0..9 {
                    numbers[number][lane] = columns[number];
                }
                numbers[9][lane] = tree.drags[motor];
            }
            let vector = |first: usize| LaneVector {
                x: V::load(token, &numbers[first]),
                y: V::load(token, &numbers[first + 1]),
                z: V::load(token, &numbers[first + 2]),
            };
            let matrix = LaneMatrix { columns: [vector(0), vector(3), vector(6)] };
            self.inertias.push((matrix, V::load(token, &numbers[9])));
        }
    }

    /// Projects the momenta onto the joints after a stride of `stride` steps of `h` seconds, with what resists.
    /// `rolling` is the rolling resistance of each body, meters. Returns whether anything resists, so that the trees were
    /// factored once more.
    #[inline(always)]
    pub fn project(
        &mut self,
        (rattle, driven, mechanism): (&mut Rattle<V>, &mut Rattle<V>, Mechanism<'_>),
        (model, plan, rolling): (&Model, &BatchColliders, &[f64]),
        lanes: &mut LanesOf<V>,
        (h, stride): (f64, V),
    ) -> bool {
        if self.inertias.is_empty() && rolling.iter().all(|&rolling| rolling <= 0.0) {
            rattle.project(mechanism, &mut lanes.momenta);
            return false;
        }
        let zero = stride.like(0.0);
        zero.within(
            #[inline(always)]
            || {
                let mut next = 0;
                for body in 0..mechanism.bodies.len() {
                    let mut pressing = zero;
                    while plan.feelers.get(next).is_some_and(|feeler| feeler.body == body) {
                        pressing = pressing + lanes.touching[next][0];
                        next += 1;
                    }
                    let [.., x, y, z] = lanes.momenta[body].velocity(&mechanism.bodies[body], &rattle.axes[body]);
                    let spin = LaneVector { x, y, z };
                    let spin = spin.dot(spin).sqrt() / stride;
                    self.brakes[body] = (pressing / stride) * rolling[body] / spin.greatest(zero.like(SLOW));
                }
                let (one, h) = (zero.like(1.0), stride * h);
                for (motor, (inertia, drag)) in model.motors.iter().zip(&self.inertias) {
                    let joint = &model.joints[motor.joint];
                    let Some(parent) = joint.parent else { continue };
                    let parent = &rattle.axes[parent];
                    let softness = one / (h * *drag);
                    let [a, b, c] = inertia.columns;
                    let Some(soft) = &mut self.soft[motor.joint] else { continue };
                    let softness = if joint.kind == Kind::Hinge {
                        let x = joint.frames[0].rotation * DVec3::X;
                        let axis = parent.rotate(LaneVector { x: zero + x.x, y: zero + x.y, z: zero + x.z });
                        soft.axes[0] = axis;
                        softness * axis.dot(inertia.rotate(axis))
                    } else {
                        soft.axes = [parent.rotate(a), parent.rotate(b), parent.rotate(c)];
                        softness
                    };
                    soft.softness = [softness.least(zero.like(NOTHING)); 3];
                }
            },
        );
        let resists = Driven { soft: &self.soft, brakes: &self.brakes };
        driven.factor_driven(mechanism, &lanes.poses, (&|_, _| None, 1.0), resists);
        driven.drive(mechanism, &mut lanes.momenta, (resists, true));
        true
    }
}
