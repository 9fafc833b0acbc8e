//! Soft rows behind those of the joints: springs, dampers and drag of joints, solved with the tree itself.
//!
//! ```text
//! J u + Γ λ = 0                   joints, rigid
//! J_s u + Γ_s λ_s = w             soft rows: implicit Euler of spring and damper, Γ_s and w as in `row`
//! (M + C) u = …                   brakes: moments −C ω/h on bodies that roll, implicit as well
//! ```
//! A ball has three rows and leaves three turns, a hinge five and one: with soft rows a joint still has at most six, so that the
//! factorisation takes as long as one of welded joints, and no pass over rows is needed for what has no bound.
//! Specification: mathematics 4.5.1, 4.6.

use super::closing::rate_of;
use super::{Guides, Mechanism, Rattle, equations, sides};
use crate::math::lane_rotation::LaneVector;
use crate::rigid::joint::MOST_ROWS;
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::tree::{axes, is_pivot};

/// What drives and brakes a mechanism in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Driven<'a> {
    /// Soft rows, by joint.
    pub soft: &'a [Option<Soft>],
    /// C: moment against the turning of each body times the substep, kg m²; 0 where nothing brakes it.
    pub brakes: &'a [f64],
}

/// Soft rows of a joint.
#[derive(Clone, Copy, Debug)]
pub struct Soft {
    /// How many of the three there are; with the rows of the joint no more than [`MOST_ROWS`].
    pub count: usize,
    /// Axes of the relative turn, in the world; of any length ℓ.
    pub axes: [LaneVector<f64>; 3],
    /// Γ of each, ℓ²/(kg m²).
    pub softness: [f64; 3],
    /// Rates they ask for, ℓ radians per second.
    pub wanted: [f64; 3],
}

impl Rattle<f64> {
    /// As [`Self::factor`], with soft rows behind those of the joints, and brakes. What the factors answer to impulses is then the
    /// answer of what is driven and braked.
    pub fn factor_driven(
        &mut self,
        mechanism: Mechanism<'_>,
        poses: &[Pose<f64>],
        (guide, h): (Guides<'_, f64>, f64),
        Driven { soft, brakes }: Driven<'_>,
    ) {
        let Mechanism { bodies, joints, forest } = mechanism;
        for &body in &forest.order {
            self.axes[body] = axes(&poses[body]);
            self.factors.place(body, &bodies[body], &self.axes[body]);
            self.factors.brake(body, brakes[body]);
        }
        for &body in &forest.order {
            let Some(joint) = forest.hangs_by[body] else { continue };
            let is_turned = forest.is_turned[body];
            if soft[joint].is_none() && is_pivot(&joints[joint], &bodies[body], is_turned) {
                let sides = sides(&joints[joint], (poses, &self.axes));
                self.factors.hang(body, (&joints[joint], is_turned), &sides);
                continue;
            }
            let mut rows = equations(&joints[joint], (poses, &self.axes), guide);
            if let Some(soft) = &soft[joint] {
                for &axis in &soft.axes[..soft.count] {
                    rows.push_turn(axis, 0.0);
                }
            }
            self.factors.join(body, &rows, is_turned);
        }
        let rigid = |joint: usize| joints[joint].compliance / (h * h);
        self.factors.factor(forest, &|joint| {
            let mut gamma = [rigid(joint); MOST_ROWS];
            if let Some(soft) = &soft[joint] {
                gamma[joints[joint].rows()..][..soft.count].copy_from_slice(&soft.softness[..soft.count]);
            }
            gamma
        });
        self.factor_closing(mechanism, (poses, guide), &rigid);
    }

    /// Gives momenta what soft rows ask for and brakes take, and what joints make of it. Joints hold afterwards where `holds`; else their rows keep the
    /// rates they had. [`Self::factor_driven`] was called at these poses.
    pub fn drive(
        &mut self,
        mechanism: Mechanism<'_>,
        momenta: &mut [Momentum<f64>],
        (Driven { soft, brakes }, holds): (Driven<'_>, bool),
    ) {
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
            *asked = [0.0; MOST_ROWS];
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
            self.closing.values[place] = if holds { -rate } else { 0.0 };
        }
        for &body in &forest.order {
            let [.., x, y, z] = self.right[body];
            let taken = [x, y, z].map(|rate| -brakes[body] * rate);
            let [x, y, z] = taken;
            momenta[body].angular = momenta[body].angular.plus(LaneVector { x, y, z });
            self.right[body] = [0.0, 0.0, 0.0, x, y, z];
        }
        self.solve(mechanism);
        self.push(forest, momenta);
        self.brake(mechanism, momenta, brakes);
    }

    /// As [`Self::absorb`], after [`Self::factor_driven`].
    pub fn absorb_driven(
        &mut self,
        mechanism: Mechanism<'_>,
        (momenta, impulses): (&mut [Momentum<f64>], &[[f64; 6]]),
        brakes: &[f64],
    ) {
        self.absorb(mechanism, momenta, impulses);
        self.brake(mechanism, momenta, brakes);
    }

    /// What brakes take from the velocities of the last solution.
    fn brake(&self, mechanism: Mechanism<'_>, momenta: &mut [Momentum<f64>], brakes: &[f64]) {
        for &body in &mechanism.forest.order {
            if brakes[body] > 0.0 {
                let [.., x, y, z] = self.factors.nodes[body].velocity;
                let [x, y, z] = [x, y, z].map(|rate| -brakes[body] * rate);
                momenta[body].angular = momenta[body].angular.plus(LaneVector { x, y, z });
            }
        }
    }
}
