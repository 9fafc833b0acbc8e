//! Soft rows in the blocks of the joints: springs, dampers and damping, solved within the joint tree.
//!
//! ```text
//! J u + Γ λ = 0                   joints, rigid
//! J_s u + Γ_s λ_s = w             soft rows: implicit Euler of spring and damper, Γ_s and w as in `row`
//! (M + C) u = …                   brakes: moments −C ω/h on bodies that roll, implicit as well
//! ```
//! A ball joint has three rows and leaves three rotations, a hinge five and one. With soft rows a joint still has at
//! most six. The factorization thus costs as much as with fixed joints, and unlimited motors need no iterations.
//! Specification: mathematics 4.5.1, 4.6.

use super::closing::rate_of;
use super::sparse::JointExtras;
use super::{Guides, Mechanism, Rattle, equations, sides};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::joint::{JointJacobian, MOST_ROWS};
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::tree::{axes, is_pivot};

/// Motors and rolling resistance of a mechanism in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Driven<'a, V = f64> {
    /// Soft rows, by joint.
    pub soft: &'a [Option<Soft<V>>],
    /// Rotational damping C of each body: moment against its rotation times the substep, kg m²; 0 without damping.
    pub brakes: &'a [V],
}

/// Soft rows of a joint.
#[derive(Clone, Copy, Debug)]
pub struct Soft<V = f64> {
    /// Number of soft rows, at most three; with the rows of the joint at most [`MOST_ROWS`].
    pub count: usize,
    /// Axes of the relative rotation, world, of any length ℓ.
    pub axes: [LaneVector<V>; 3],
    /// Softness Γ of each row, ℓ²/(kg m²).
    pub softness: [V; 3],
    /// Target rates, ℓ radians per second.
    pub wanted: [V; 3],
}

impl<V: Lanes> Rattle<V> {
    /// Factors as [`Self::factor`] does, with soft rows after those of the joints and with rotational damping.
    /// Responses to impulses then include both.
    pub fn factor_driven(
        &mut self,
        mechanism: Mechanism<'_>,
        poses: &[Pose<V>],
        (guide, h): (Guides<'_, V>, f64),
        Driven { soft, brakes }: Driven<'_, V>,
    ) {
        let zero = self.zero;
        zero.within(
            #[inline(always)]
            || {
                let Mechanism { bodies, joints, forest } = mechanism;
                let push_soft = |joint: usize, rows: &mut JointJacobian<V>| {
                    if let Some(soft) = &soft[joint] {
                        soft.axes[..soft.count].iter().for_each(|&axis| rows.push_turn(axis, zero));
                    }
                };
                for &body in &forest.order {
                    self.axes[body] = axes(&poses[body]);
                    self.factors.place(body, &bodies[body], &self.axes[body]);
                    self.factors.brake(body, brakes[body]);
                }
                for &body in &forest.order {
                    let Some(joint) = forest.hangs_by[body] else { continue };
                    let is_turned = forest.is_turned[body];
                    if is_pivot(&joints[joint], &bodies[body], is_turned) {
                        let sides = sides(&joints[joint], (poses, &self.axes));
                        self.factors.hang(body, (&joints[joint], is_turned), &sides);
                        if let Some(soft) = &soft[joint] {
                            self.factors.soften(body, soft.count, &soft.axes, &soft.softness);
                        }
                        continue;
                    }
                    let mut rows = equations(&joints[joint], (poses, &self.axes), guide);
                    push_soft(joint, &mut rows);
                    self.factors.join(body, &rows, is_turned);
                }
                let softness = |joint: usize| {
                    let mut gamma = [zero.like(joints[joint].compliance / (h * h)); MOST_ROWS];
                    if let Some(soft) = &soft[joint] {
                        gamma[joints[joint].rows()..][..soft.count].copy_from_slice(&soft.softness[..soft.count]);
                    }
                    gamma
                };
                self.factors.factor(forest, &softness);
                let extras = JointExtras { soft: &push_soft, softness: &softness, brakes };
                self.factor_closing(mechanism, (poses, guide), &extras);
            },
        );
    }

    /// Applies impulses of soft rows and damping to momenta, with the reactions of the joints. If `holds`, joint
    /// velocities are zero afterwards; otherwise joint rows keep their rates. Call [`Self::factor_driven`] at these
    /// poses first.
    pub fn drive(
        &mut self,
        mechanism: Mechanism<'_>,
        momenta: &mut [Momentum<V>],
        (Driven { soft, brakes }, holds): (Driven<'_, V>, bool),
    ) {
        let zero = self.zero;
        zero.within(
            #[inline(always)]
            || {
                let Mechanism { bodies, joints, forest } = mechanism;
                for &body in &forest.order {
                    self.right[body] = momenta[body].velocity(&bodies[body], &self.axes[body]);
                }
                for &body in &forest.order {
                    let Some(joint) = forest.hangs_by[body] else { continue };
                    let right = &self.right;
                    let rate = self.factors.rate(forest, body, |body| right[body]);
                    let rigid = joints[joint].rows();
                    let asked = &mut self.asked[body];
                    *asked = [zero; MOST_ROWS];
                    if holds {
                        for row in 0..rigid {
                            asked[row] = -rate[row];
                        }
                    }
                    if let Some(soft) = &soft[joint] {
                        for row in 0..soft.count {
                            asked[rigid + row] = soft.wanted[row] - rate[rigid + row];
                        }
                    }
                }
                for (place, &(joint, row)) in self.closing.index.iter().enumerate() {
                    let rate = rate_of(&self.closing.rows[joint], row, &joints[forest.closing[joint]], &self.right);
                    self.closing.values[place] = if holds { -rate } else { zero };
                }
                for &body in &forest.order {
                    let [.., x, y, z] = self.right[body];
                    let taken = LaneVector { x, y, z }.scaled(-brakes[body]);
                    momenta[body].angular = momenta[body].angular.plus(taken);
                    self.right[body] = [zero, zero, zero, taken.x, taken.y, taken.z];
                }
                self.solve(mechanism);
                self.push(forest, momenta);
                self.brake(mechanism, momenta, brakes);
            },
        );
    }

    /// Adds impulses as [`Self::absorb`] does, after [`Self::factor_driven`].
    pub fn absorb_driven(
        &mut self,
        mechanism: Mechanism<'_>,
        (momenta, impulses): (&mut [Momentum<V>], &[[V; 6]]),
        brakes: &[V],
    ) {
        self.absorb(mechanism, momenta, impulses);
        self.brake(mechanism, momenta, brakes);
    }

    /// Applies rotational damping for the velocities of the last solution.
    #[inline(always)]
    fn brake(&self, mechanism: Mechanism<'_>, momenta: &mut [Momentum<V>], brakes: &[V]) {
        for &body in &mechanism.forest.order {
            if V::any(self.zero.is_below(brakes[body])) {
                let [.., x, y, z] = self.factors.nodes[body].velocity;
                let taken = LaneVector { x, y, z }.scaled(-brakes[body]);
                momenta[body].angular = momenta[body].angular.plus(taken);
            }
        }
    }
}
