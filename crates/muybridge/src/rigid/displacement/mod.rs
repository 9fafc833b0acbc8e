//! Displacement constraints: bodies move as if free, then are translated and rotated until their joints are closed.
//!
//! ```text
//! half kick    P += ½h F,  L += ½h τ
//! drift        free bodies over h
//! displace     passes over all joints until no gap exceeds the tolerance, or the greatest number of passes
//! velocities   P += p/h,  L += (r × p)/h       p the sum of the pseudo-impulses: v += Δx/h, ω += Δφ/h;  the source keeps velocities
//! half kick    with the forces at the new poses
//! ```
//! Joints do not yet react to the last half kick: a resting suspended body has the momentum `½h F`, which the next step
//! removes. A [`World`](super::World) projects it at the end of its step, so its velocities are those a sensor should
//! see. There are three methods (see [`Displacement`]): the source's rotations and translations with the missing
//! factor; the exact block of each joint's rows; and all joints at once along their tree. Compliant joints keep their
//! pseudo-multiplier over the passes: `C + α λ/h² = 0`. Specification: mathematics 5.1–5.3 (Z17–Z23, Z25); Lamouret,
//! Gascuel, Gascuel 1995; Ziauddin 2001; velocities as in Müller et al. 2020.

pub mod mask;
pub mod pair;
pub mod rows;
pub mod skeleton;
mod sweep;
#[cfg(test)]
mod tests;

use super::drift::drift as free_drift;
use super::integrator::{Integrator, Moving, Stepper};
use super::joint::MOST_ROWS;
use super::rattle::{Mechanism, Rattle};
use super::{Joint, Momentum, Pose};
pub use mask::{Axes, Mask};
use rows::Moved;
use skeleton::JointSkeleton;
use sweep::Sweep;

/// Method that closes joints by displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Displacement {
    /// Joint by joint as in the source: a rotation of both bodies, then a translation. It includes the factor 1/(1 +
    /// ρ), without which chains diverge. The source covers points only: compliant joints and joints with rotational
    /// rows use [`Displacement::Block`].
    Lamouret,
    /// Joint by joint: all rows of a joint by one exact pseudo-impulse. Steps switch to [`Displacement::Skeleton`] if
    /// blocks would need hundreds of passes, that is for loops and for joints with a mass ratio above fifty. They also
    /// switch if the passes do not close all joints.
    #[default]
    Block,
    /// All joints at once. [`Displacement::Block`] takes over if a joint is compliant (compliance above 0) or if the
    /// error grows.
    Skeleton,
}

/// Effect of a displacement on velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Velocities {
    /// Adds the displacement divided by the time step to the velocities.
    #[default]
    Follow,
    /// Leaves velocities alone, as in the source: bodies pull at their joints ever faster.
    LeftAlone,
}

/// Poses at which a step takes the directions of its constraint rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Directions {
    /// Directions at the start of the step: the motion is that of SHAKE, whose energy does not drift. If a body turned
    /// far in the step, or errors grow from pass to pass, directions at the end are used. [`Displacement::Lamouret`]
    /// always uses those at the end: its rotations and translations belong to different impulses, which would add
    /// energy to a chain (10 % of its fall in 5 s at 1/240 s).
    #[default]
    AtStart,
    /// Directions at the present poses, as in the source: every pass is a step of Newton's method, and motion loses
    /// energy in proportion to `h`.
    AtEnd,
}

/// Method and tolerances of displacement.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Displacement method.
    pub method: Displacement,
    /// Tolerance of gaps, meters: smaller gaps are left.
    pub gap: f64,
    /// Tolerance of angles, radians: smaller errors are left.
    pub angle: f64,
    /// Greatest number of passes over all joints.
    pub passes: u32,
    /// Effect of displacements on velocities.
    pub velocities: Velocities,
    /// Poses at which rows take their directions; [`satisfy`] has no start of a step and ignores this.
    pub directions: Directions,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Displacement::default(),
            gap: 1e-4,
            angle: 1e-3,
            passes: 10,
            velocities: Velocities::default(),
            directions: Directions::default(),
        }
    }
}

impl Settings {
    /// Tolerances a hundred times tighter than the default, for runs that are recorded: a clip has no gaps, so
    /// remaining gaps become jitter of the center of mass.
    pub fn tight() -> Self {
        Self { gap: 1e-6, angle: 1e-5, passes: 40, ..Self::default() }
    }

    /// Tolerances of a substep that is `share` as long as those asked for: a gap that is left is an acceleration, and so
    /// its square counts. With those of a whole one, a light link between heavy bodies heats up.
    pub(crate) fn in_piece(self, share: f64) -> Self {
        let share = if share < 1.0 { share * share } else { 1.0 };
        Self { gap: self.gap * share, angle: self.angle * share, ..self }
    }
}

/// Result of a displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Passes that moved a body; a final check follows the last pass.
    pub passes: u32,
    /// Whether a body was moved.
    pub changed: bool,
    /// Greatest remaining gap, meters.
    pub gap: f64,
    /// Greatest remaining angle error, radians.
    pub angle: f64,
    /// Number of joints, masks and one-sided rows that are still beyond the tolerance or whose error is NaN.
    pub unsatisfied: usize,
}

/// One-sided constraint row: a joint limit or a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneSided {
    /// The two bodies; `None` for a side that does not move.
    pub bodies: [Option<usize>; 2],
    /// Derivative of `room` by the velocity of either body, world axes, linear part first.
    pub by: [[f64; 6]; 2],
    /// Distance to the limit, meters or radians; negative beyond the limit.
    pub room: f64,
    /// Whether `room` is an angle.
    pub is_angle: bool,
}

/// Function that returns one-sided row `i` at given poses; `None` if that row is inactive there.
pub type LimitFn<'a> = &'a dyn Fn(usize, &[Pose<f64>]) -> Option<OneSided>;

/// Constraints of a displacement. Joints index `mechanism.bodies`; masks with other bodies are ignored.
#[derive(Clone, Copy)]
pub struct Constraints<'a> {
    /// Bodies and joints.
    pub mechanism: Mechanism<'a>,
    /// Masks that lock single degrees of freedom.
    pub masks: &'a [Mask],
    /// Number of one-sided rows.
    pub bounds: usize,
    /// Function that evaluates one-sided rows at the present poses.
    pub bound: LimitFn<'a>,
}

impl<'a> Constraints<'a> {
    /// Constraints with the joints of a mechanism only.
    pub fn joints(mechanism: Mechanism<'a>) -> Self {
        Self { mechanism, masks: &[], bounds: 0, bound: &|_, _| None }
    }
}

/// Pivot ratio below which a loop-closing row counts as redundant. Joints that hold to an angle φ leave φ² of a row
/// that is exactly redundant. The value is the square of three times the default tolerance.
pub const REPEATED: f64 = 1e-5;

/// Pivot ratio for velocities between steps. Near a singular loop (four equal bars in a row) a gap of a micrometer
/// leaves angles of √(1 µm/1 m) open. Rows at such a pose would block the only motion that is left.
pub const NEARLY_REPEATED: f64 = 1e-4;

/// Buffers for calls: after [`Scratch::new`] no call allocates.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Pseudo-impulses on bodies in the last call, kg m and kg m².
    pub impulses: Vec<Momentum<f64>>,
    /// Poses at the start of the step.
    start: Vec<Pose<f64>>,
    /// Momenta at the start of a step by another integrator than splitting.
    momenta: Vec<Momentum<f64>>,
    /// Poses before the displacement.
    free: Vec<Pose<f64>>,
    /// Pseudo-multipliers λ of compliant joints.
    multipliers: Vec<[f64; MOST_ROWS]>,
    skeleton: JointSkeleton,
    stepper: Stepper,
}

impl Scratch {
    /// Allocates buffers for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        Self {
            impulses: vec![Momentum::ZERO; mechanism.bodies.len()],
            start: vec![Pose::like(0.0); mechanism.bodies.len()],
            momenta: vec![Momentum::ZERO; mechanism.bodies.len()],
            free: vec![Pose::like(0.0); mechanism.bodies.len()],
            multipliers: vec![[0.0; MOST_ROWS]; mechanism.joints.len()],
            skeleton: JointSkeleton::new(mechanism),
            stepper: Stepper::default(),
        }
    }

    /// Factorization of the step that displaces all joints at once.
    pub fn rattle(&self) -> &Rattle<f64> {
        &self.skeleton.rattle
    }
}

/// Displaces bodies until all constraints hold, for at most `settings.passes` passes. `h` is the time step in seconds;
/// only compliant joints depend on it.
pub fn satisfy(
    constraints: &Constraints<'_>,
    poses: &mut [Pose<f64>],
    (h, settings): (f64, &Settings),
    scratch: &mut Scratch,
) -> Outcome {
    displace(constraints, poses, (h, settings), scratch, Directions::AtEnd)
}

fn displace(
    constraints: &Constraints<'_>,
    poses: &mut [Pose<f64>],
    (h, settings): (f64, &Settings),
    scratch: &mut Scratch,
    directions: Directions,
) -> Outcome {
    let Scratch { impulses, start, free, multipliers, skeleton, .. } = scratch;
    impulses.fill(Momentum::ZERO);
    multipliers.fill([0.0; MOST_ROWS]);
    let is_step = directions == Directions::AtStart;
    let is_soft = constraints.mechanism.joints.iter().any(|joint| joint.compliance > 0.0);
    let is_by_block = is_step && settings.method == Displacement::Block && !is_soft;
    let is_slow = is_by_block && is_slow(constraints.mechanism);
    let at_once = is_slow || settings.method == Displacement::Skeleton && !is_soft;
    let may_change = is_by_block && !is_slow;
    if may_change {
        free.copy_from_slice(poses);
    }
    let moved = Moved { bodies: constraints.mechanism.bodies, poses, impulses };
    let mut sweep = Sweep::new(constraints, (moved, multipliers), (h, settings));
    let is_symmetric = is_step && settings.method != Displacement::Lamouret;
    let start = (is_symmetric && sweep.is_near(start)).then_some(&start[..]);
    let mut passes = pass(&mut sweep, start, at_once.then_some(&mut *skeleton));
    if may_change && passes == settings.passes && !sweep.joints_hold() {
        sweep.begin_again(free);
        passes = pass(&mut sweep, start, Some(skeleton));
    }
    Outcome { passes, changed: passes > 0, ..sweep.look() }
}

/// Whether passes joint by joint converge slowly: a loop feeds its errors back, and a heavy body behind a light one
/// slows them by the mass ratio.
fn is_slow(Mechanism { bodies, joints, forest }: Mechanism<'_>) -> bool {
    let is_uneven = |joint: &Joint| {
        let ratio = joint.parent.map_or(1.0, |parent| bodies[parent].mass / bodies[joint.child].mass);
        !(1.0 / UNEVEN..=UNEVEN).contains(&ratio)
    };
    !forest.closing.is_empty() || joints.iter().any(is_uneven)
}

/// Mass ratio beyond which all joints are displaced at once.
const UNEVEN: f64 = 50.0;

/// Makes passes until nothing moves. A pass with a skeleton moves all joints at once if that reduces the error,
/// otherwise joint by joint. Returns the number of passes that moved a body.
fn pass<'a>(sweep: &mut Sweep<'a>, start: Option<&'a [Pose<f64>]>, mut skeleton: Option<&mut JointSkeleton>) -> u32 {
    sweep.start = start;
    let mut passes = 0;
    let mut least = f64::INFINITY;
    while passes < sweep.most_passes() {
        let joints_moved = skeleton.as_mut().is_some_and(|skeleton| sweep.at_once(skeleton, passes == 0));
        let moved = sweep.beside() | (joints_moved || sweep.joints());
        if !moved {
            break;
        }
        passes += 1;
        if sweep.worst > 2.0 * least {
            sweep.start = None;
        }
        least = least.min(core::mem::take(&mut sweep.worst));
    }
    passes
}

/// Makes a step of `h` seconds. `forces` returns force (newtons) and moment about the center of mass (newton meters,
/// world axes) on a body at its present pose and momentum.
pub fn step(
    constraints: &Constraints<'_>,
    (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
    forces: impl Fn(usize, &Pose<f64>, &Momentum<f64>) -> Momentum<f64>,
    (h, settings): (f64, &Settings),
    scratch: &mut Scratch,
) -> Outcome {
    let kick = |poses: &[Pose<f64>], momenta: &mut [Momentum<f64>]| {
        for (body, (pose, momentum)) in poses.iter().zip(momenta).enumerate() {
            *momentum = momentum.plus(forces(body, pose, momentum).times(0.5 * h));
        }
    };
    kick(poses, momenta);
    let outcome = self::drift(constraints, (poses, momenta), (h, settings, Integrator::Splitting), scratch);
    kick(poses, momenta);
    outcome
}

/// Makes a step of the bodies of the forest without forces: free drift of `h` seconds by an integrator, displacement, and the
/// velocity change that follows from it.
pub fn drift(
    constraints: &Constraints<'_>,
    (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
    (h, settings, integrator): (f64, &Settings, Integrator),
    scratch: &mut Scratch,
) -> Outcome {
    scratch.start.copy_from_slice(poses);
    let joints = Constraints::joints(constraints.mechanism);
    let is_open = |outcome: &Outcome| outcome.gap > OPEN * settings.gap || outcome.angle > OPEN * settings.angle;
    let was_open = is_open(&look(&joints, poses, (h, settings), scratch));
    let Mechanism { bodies, forest, .. } = constraints.mechanism;
    if integrator == Integrator::Splitting {
        for &body in &forest.order {
            poses[body] = free_drift(&bodies[body], &poses[body], &momenta[body], h);
        }
    } else {
        scratch.momenta.copy_from_slice(momenta);
        scratch.stepper.step(integrator, &mut Moving { bodies, poses, momenta }, h, |_, _, _| ());
        for body in (0..bodies.len()).filter(|&body| !forest.has(body)) {
            (poses[body], momenta[body]) = (scratch.start[body], scratch.momenta[body]);
        }
    }
    let mut outcome = displace(constraints, poses, (h, settings), scratch, settings.directions);
    if settings.velocities == Velocities::LeftAlone || !outcome.changed {
        return outcome;
    }
    for tree in 0..constraints.mechanism.forest.trees {
        let most = if was_open { 0.0 } else { MORE };
        follow(constraints.mechanism, tree, (poses, momenta), (&scratch.impulses, h), most);
    }
    if is_open(&outcome) && is_open(&look(&joints, poses, (h, settings), scratch)) {
        // What is left open would become speed in the next step.
        let passes = outcome.passes;
        let settings = Settings { method: Displacement::Skeleton, ..*settings };
        outcome = satisfy(&joints, poses, (h, &settings), scratch);
        outcome.passes += passes;
    }
    outcome
}

/// Errors of the constraints at these poses.
fn look(
    constraints: &Constraints<'_>,
    poses: &mut [Pose<f64>],
    (h, settings): (f64, &Settings),
    Scratch { impulses, multipliers, .. }: &mut Scratch,
) -> Outcome {
    let moved = Moved { bodies: constraints.mechanism.bodies, poses, impulses };
    Sweep::new(constraints, (moved, multipliers), (h, settings)).look()
}

/// Adds the displacement of a tree divided by the time step to its velocities. Joints do no work, so they cannot add the share
/// `most` of the kinetic energy T. Where a slack chain of light links with a heavy end becomes taut, they would: a displacement
/// along straight directions throws the links, which throw the end. Then the share s counts with which T stays as it is:
///
/// ```text
/// T(p + s δ) = T + b s + a s²        s = −b / a, from 0 to 1
/// ```
fn follow(
    Mechanism { bodies, joints, forest }: Mechanism<'_>,
    tree: usize,
    (poses, momenta): (&[Pose<f64>], &mut [Momentum<f64>]),
    (impulses, h): (&[Momentum<f64>], f64),
    most: f64,
) {
    let tree = forest.of_tree(tree);
    let energy = |body: usize, momentum: Momentum<f64>| momentum.kinetic_energy(&bodies[body], poses[body].turn());
    let added = |body: usize| impulses[body].times(1.0 / h);
    let [mut before, mut after, mut alone] = [0.0; 3];
    for &body in tree {
        before += energy(body, momenta[body]);
        after += energy(body, momenta[body].plus(added(body)));
        alone += energy(body, added(body));
    }
    let is_soft = || tree.iter().any(|&body| forest.hangs_by[body].is_some_and(|joint| joints[joint].compliance > 0.0));
    let gains = after > (1.0 + most) * before && !is_soft();
    let share = if gains { ((alone + before - after) / alone).clamp(0.0, 1.0) } else { 1.0 };
    for &body in tree {
        momenta[body] = momenta[body].plus(added(body).times(share));
    }
}

/// Share of its kinetic energy that a step of displacement may give to a tree, and take in the next: a rope that whips gets a
/// tenth. Nothing, where joints were left open: to close them adds what opened them.
const MORE: f64 = 0.5;

/// Error from which a joint counts as left open, in tolerances.
const OPEN: f64 = 100.0;
