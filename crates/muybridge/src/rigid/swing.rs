//! Drift of trees of ball joints (chains, ropes, flails): joints hold at its end, at any tension.
//!
//! ```text
//! P̄ = P + ½ Σ Λ,   L̄ = L + ½ Σ ā × Λ        impulse Λ of each joint, ā the mean of its arms before and after
//! x' = drift(x, P̄, L̄, h),   C(x') = 0
//! P' = P + Σ Λ,    L' = L + Σ ā × Λ
//! ```
//! This is the midpoint rule of Simo and Gonzalez. The work of a joint is Λ times the way of its gap, which is zero, so
//! that energy is kept; every Λ acts on two bodies along one line, so that momenta are. RATTLE, whose impulses act along
//! the arms of the start, swings a link of mass m and length ℓ under the tension T like a spring of ω² = 12 T/(m ℓ) and
//! is unstable from ω h = 2 on: 24 N in a chain of 2.5 cm links of 50 g at four substeps. Here any ω is stable.
//!
//! Newton's method solves for Λ and the turns; see `elimination`. Velocities of the joints that P' still has are
//! projected away afterwards, which takes energy from what swings faster than steps can follow. Slack trees, for which
//! RATTLE is stable, stay with it: [`Swing::is_needed`].
//! Specification: mathematics 4.5.2 (H5, X15); Gonzalez 1999, *Mechanical systems subject to holonomic constraints:
//! differential–algebraic formulations and conservative integration*.

mod elimination;

use glam::{DMat3, DVec3};

use super::Body;
use super::drift::drift;
use super::forest::Forest;
use super::joint::{Kind, MOST_ROWS};
use super::motion::{Momentum, Pose, vector};
use super::rattle::Mechanism;
use super::tree::is_pivot;
use elimination::Block;

/// Newton iterations at most: where more would be needed, shorter steps are cheaper.
const MOST: u32 = 8;

/// Gap of a joint that is closed, meters.
const CLOSED: f64 = 1e-7;

/// Share of a turn that its moment misses and that is not yet a turn: tension takes most of it back.
const TURNED: f64 = 0.1;

/// Greatest angle ω h by which RATTLE lets a body swing across a tension within a step.
const STIFF: f64 = 1.5;

/// Share of the last error above which the matrix is factored again.
const SLOW: f64 = 0.01;

/// Buffers for the trees of a mechanism.
#[derive(Clone, Debug, Default)]
pub struct Swing {
    /// Bodies in elimination order.
    links: Vec<Link>,
    blocks: Vec<Block>,
    /// Place of each body in `links`.
    places: Vec<usize>,
    /// Tension of the joints of each body times their arms, newton meters.
    tension: Vec<f64>,
    /// Number of factorizations and solutions since the buffers were made.
    pub count: [u64; 2],
}

/// A body with the joint above it. Vectors along world axes.
#[derive(Clone, Debug)]
struct Link {
    body: usize,
    /// Place of the parent; `None` for roots.
    parent: Option<usize>,
    /// Joint above; `None` for a free root.
    joint: Option<usize>,
    /// Sign of the multipliers: −1 if the body is the joint's parent.
    sign: f64,
    /// Arms to the joint from the centers of body and parent along their principal axes; of the world, its place.
    fixed: [DVec3; 2],
    /// Arms to the middle of the anchors at the start.
    start: [DVec3; 2],
    /// Arms at the end.
    end: [DVec3; 2],
    /// Mean arms, on which the impulse acts.
    mean: [DVec3; 2],
    /// Principal axes at the start and at the end.
    turns: [DMat3; 2],
    /// Pose at the end.
    pose: Pose<f64>,
    /// Constraint error at the end, meters.
    gap: DVec3,
    /// Impulse Λ of the joint on the body.
    impulse: DVec3,
    /// Momentum of the middle.
    middle: Momentum<f64>,
    /// Angular momentum of the middle that the mean arms give, less `middle`.
    missing: DVec3,
}

impl Swing {
    /// Whether all joints of a tree are rigid ball joints without loops.
    pub fn suits(Mechanism { bodies, joints, forest }: Mechanism<'_>) -> bool {
        let is_ball = |&body: &usize| match forest.hangs_by[body] {
            Some(joint) => {
                let joint = &joints[joint];
                joint.kind == Kind::Ball && is_pivot(joint, &bodies[body], forest.is_turned[body])
            }
            None => forest.order.len() > 1,
        };
        forest.closing.is_empty() && forest.order.iter().all(is_ball)
    }

    /// Whether a body of the tree swings across the tension of its joints too fast for steps of `h` seconds whose
    /// impulses act along the arms of the start.
    pub fn is_needed(
        &mut self,
        Mechanism { bodies, joints, forest }: Mechanism<'_>,
        poses: &[Pose<f64>],
        multipliers: &[[f64; MOST_ROWS]],
        h: f64,
    ) -> bool {
        self.tension.clear();
        self.tension.resize(bodies.len(), 0.0);
        for &index in forest.order.iter().filter_map(|&body| forest.hangs_by[body].as_ref()) {
            let joint = &joints[index];
            let [x, y, z, ..] = multipliers[index];
            let along = |body: usize, arm: DVec3| DVec3::new(x, y, z).dot(poses[body].turn() * arm);
            self.tension[joint.child] += along(joint.child, joint.frames[1].position);
            if let Some(parent) = joint.parent {
                self.tension[parent] -= along(parent, joint.frames[0].position);
            }
        }
        let most = STIFF * STIFF / (h * h);
        let is_stiff = |&body: &usize| self.tension[body] > most * middle_moment(&bodies[body]);
        forest.order.iter().any(is_stiff)
    }

    /// Drifts for `h` seconds, as [`Rattle::drift`](super::rattle::Rattle::drift). Returns the greatest joint error;
    /// `None`, with nothing moved, if joints do not close within `good` meters.
    pub fn drift(
        &mut self,
        mechanism: Mechanism<'_>,
        (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        multipliers: &mut [Vec<[f64; MOST_ROWS]>; 2],
        (h, good): (f64, f64),
    ) -> Option<f64> {
        self.begin(mechanism, (poses, momenta));
        self.predict(multipliers, h);
        let mut last = f64::INFINITY;
        for pass in 0..=MOST {
            let worst = self.look(mechanism.bodies, (poses, momenta), h);
            if worst <= CLOSED || pass == MOST && worst <= good {
                self.finish((poses, momenta), multipliers, h);
                return Some(worst);
            }
            if !worst.is_finite() {
                break;
            }
            if pass == 0 || worst > SLOW * last {
                self.eliminate(mechanism.bodies, h);
            }
            last = worst;
            self.solve(h);
        }
        None
    }

    fn begin(
        &mut self,
        Mechanism { bodies, joints, forest }: Mechanism<'_>,
        (poses, momenta): (&[Pose<f64>], &[Momentum<f64>]),
    ) {
        self.places.resize(bodies.len(), 0);
        self.links.clear();
        self.blocks.resize(forest.order.len(), Block::NONE);
        for (place, &body) in forest.order.iter().enumerate() {
            self.places[body] = place;
            let turn = matrix(&poses[body]);
            self.links.push(Link::new((body, forest), (&poses[body], turn), momenta[body]));
        }
        for place in (0..self.links.len()).rev() {
            let body = self.links[place].body;
            let Some(joint) = forest.hangs_by[body] else { continue };
            let [above, own] = joints[joint].frames.each_ref().map(|frame| frame.position);
            let [own, above] = if forest.is_turned[body] { [above, own] } else { [own, above] };
            let parent = forest.parent[body].map(|parent| self.places[parent]);
            let (center, arm) = parent.map_or((DVec3::ZERO, above), |parent| self.links[parent].arm(0, above));
            let link = &mut self.links[place];
            link.parent = parent;
            link.fixed = [own, above];
            let (own_center, own) = link.arm(0, own);
            let half = ((center + arm) - (own_center + own)) * 0.5;
            link.start = [own + half, arm - half];
        }
    }

    /// Extrapolates the impulses from those of the last two steps. Momenta of the middle start with their forces alone:
    /// the moments are small differences, which Newton's method finds.
    fn predict(&mut self, [last, before]: &[Vec<[f64; MOST_ROWS]>; 2], h: f64) {
        for place in 0..self.links.len() {
            let link = &mut self.links[place];
            let Some(joint) = link.joint else { continue };
            let ahead = |row: usize| 2.0 * last[joint][row] - before[joint][row];
            link.impulse = DVec3::new(ahead(0), ahead(1), ahead(2)) * (link.sign * h);
            let (parent, half) = (link.parent, Momentum::from_vectors(link.impulse * 0.5, DVec3::ZERO));
            link.middle = link.middle.plus(half);
            if let Some(parent) = parent {
                self.links[parent].middle = self.links[parent].middle.minus(half);
            }
        }
    }

    /// Drifts to the end of the step. Returns the greatest error, meters.
    fn look(&mut self, bodies: &[Body], (poses, momenta): (&[Pose<f64>], &[Momentum<f64>]), h: f64) -> f64 {
        let mut worst = 0.0_f64;
        for place in (0..self.links.len()).rev() {
            let (rest, above) = self.links.split_at_mut(place + 1);
            let link = &mut rest[place];
            link.pose = drift(&bodies[link.body], &poses[link.body], &link.middle, h);
            link.turns[1] = matrix(&link.pose);
            link.missing = vector(momenta[link.body].angular) - vector(link.middle.angular);
            if link.joint.is_none() {
                continue;
            }
            let mut parent = link.parent.map(|parent| &mut above[parent - place - 1]);
            let (center, arm) =
                parent.as_ref().map_or((DVec3::ZERO, link.fixed[1]), |parent| parent.arm(1, link.fixed[1]));
            let (own_center, own) = link.arm(1, link.fixed[0]);
            link.gap = (own_center + own) - (center + arm);
            link.end = [own, arm];
            // Half of the mean gap to either side, so that both arms reach the same point.
            let quarter = link.gap * 0.25;
            link.mean = [(link.start[0] + own) * 0.5 - quarter, (link.start[1] + arm) * 0.5 + quarter];
            worst = greater(worst, link.gap.abs().max_element());
            let half = link.impulse * 0.5;
            link.missing += link.mean[0].cross(half);
            if let Some(parent) = &mut parent {
                parent.missing -= link.mean[1].cross(half);
            }
        }
        let off = |worst: f64, link: &Link| {
            let inertia = middle_moment(&bodies[link.body]);
            greater(worst, TURNED * h / inertia * link.missing.length() * link.fixed[0].length())
        };
        self.links.iter().fold(worst, off)
    }

    fn finish(
        &self,
        (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
        [last, before]: &mut [Vec<[f64; MOST_ROWS]>; 2],
        h: f64,
    ) {
        for link in &self.links {
            poses[link.body] = link.pose;
            let Some(joint) = link.joint else { continue };
            let [own, above] = link.mean.map(|arm| Momentum::from_vectors(link.impulse, arm.cross(link.impulse)));
            momenta[link.body] = momenta[link.body].plus(own);
            if let Some(parent) = link.parent {
                let parent = self.links[parent].body;
                momenta[parent] = momenta[parent].minus(above);
            }
            before[joint] = last[joint];
            let force = link.impulse * (link.sign / h);
            last[joint][..3].copy_from_slice(&force.to_array());
        }
    }
}

impl Link {
    fn new((body, forest): (usize, &Forest), (pose, turn): (&Pose<f64>, DMat3), momentum: Momentum<f64>) -> Self {
        let none = [DVec3::ZERO; 2];
        Self {
            body,
            parent: None,
            joint: forest.hangs_by[body],
            sign: if forest.is_turned[body] { -1.0 } else { 1.0 },
            fixed: none,
            start: none,
            end: none,
            mean: none,
            turns: [turn; 2],
            pose: *pose,
            gap: DVec3::ZERO,
            impulse: DVec3::ZERO,
            middle: momentum,
            missing: DVec3::ZERO,
        }
    }

    /// Center of the body, and an arm of it, with its axes of the start (0) or the end (1).
    fn arm(&self, time: usize, fixed: DVec3) -> (DVec3, DVec3) {
        (self.pose.place(), self.turns[time] * fixed)
    }
}

/// The greater of two errors; infinite if the second is not a number.
fn greater(worst: f64, error: f64) -> f64 {
    if error.is_finite() { worst.max(error) } else { f64::INFINITY }
}

/// The middle one of the principal moments: that of a rod across its length, of a plate about an axis in it.
fn middle_moment(body: &Body) -> f64 {
    let [a, b, c] = body.moments.to_array();
    a.max(b).min(a.min(b).max(c))
}

fn matrix(pose: &Pose<f64>) -> DMat3 {
    let [x, y, z] = pose.rotation.matrix().columns.map(vector);
    DMat3::from_cols(x, y, z)
}

#[cfg(test)]
mod tests;
