//! What resists the turns of a tree's joints and limbs: damping of joints, rolling resistance.
//!
//! ```text
//! ball     rows l_i with Γ = 1/(h drag),   S⁻¹ = L Lᵀ, l_i the columns of L      S of the composites, once a step
//! hinge    the row of its axis a with Γ = a · S a/(h drag)
//! brake    C = rolling · impulse of the contacts/max(ω, slow)
//! ```
//! As in [`crate::rigid::drives`], for motors that only damp, in lanes.

use glam::DVec3;

use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
use crate::rigid::Pose;
use crate::rigid::composite::{Composites, is_sound};
use crate::rigid::crowd::block::{LanesOf, WIDE};
use crate::rigid::crowd::plan::BatchColliders;
use crate::rigid::drives::{NOTHING, SLOW, root_of_inverse};
use crate::rigid::joint::Kind;
use crate::rigid::model::Model;
use crate::rigid::rattle::{Driven, Mechanism, Rattle, Soft};

/// Damping of one tree per lane.
#[derive(Clone, Debug)]
pub(super) struct LaneDamping<V> {
    composites: Composites<V>,
    /// Of each motor: L in the axes of the joint's parent for a ball joint, S for a hinge; and the damping rate, 1/s.
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
        Self { composites: Composites::default(), inertias: Vec::with_capacity(model.motors.len()), soft, brakes }
    }

    /// Takes the damping rates of the trees' motors, 1/s, and measures what their joints feel at the start of a step; the last
    /// tree fills all lanes that are left. Returns the lanes in which that is defined.
    #[inline(always)]
    pub fn gather(
        &mut self,
        token: V::Token,
        drags: &[&[f64]],
        (mechanism, model, poses): (Mechanism<'_>, &Model, &[Pose<V>]),
    ) -> V::Mask {
        let zero = V::splat(token, 0.0);
        let Self { composites, inertias, .. } = self;
        inertias.clear();
        let mut sound = zero.is_below(zero.like(1.0));
        if model.motors.is_empty() {
            return sound;
        }
        zero.within(
            #[inline(always)]
            || composites.measure(zero, mechanism, poses),
        );
        for (number, motor) in model.motors.iter().enumerate() {
            let mut rates = [0.0; WIDE];
            for (lane, rate) in rates.iter_mut().enumerate().take(V::WIDTH) {
                *rate = drags[lane.min(drags.len() - 1)][number];
            }
            let joint = &model.joints[motor.joint];
            let nothing = LaneMatrix::diagonal([zero; 3]);
            let is_hinge = joint.kind == Kind::Hinge;
            let inertia = zero.within(
                #[inline(always)]
                || {
                    let felt = composites.of_joint(mechanism, motor.joint, poses).unwrap_or(nothing);
                    let inertia = if is_hinge { felt } else { root_of_inverse(felt) };
                    sound = V::both(sound, is_sound(&inertia));
                    match joint.parent {
                        Some(parent) if !is_hinge => poses[parent].rotation.matrix().transposed().times(inertia),
                        _ => inertia,
                    }
                },
            );
            inertias.push((inertia, V::load(token, &rates)));
        }
        sound
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
                        let axis = parent.rotate(LaneVector::like(zero, x));
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
