//! Displacement constraints: bodies move as if free, then are shifted and turned until their joints hold.
//!
//! ```text
//! half kick    P += ½h F,  L += ½h τ
//! drift        free bodies over h
//! displace     every joint in turn, again and again: until no gap is above the tolerance, or so many passes
//! velocities   P += p/h,  L += (r × p)/h       p the sum of the pseudo-impulses: v += Δx/h, ω += Δφ/h;  the source leaves them alone
//! half kick    with the forces at the new places
//! ```
//! The last half kick is not yet answered by the joints: what hangs at rest has the momentum `½h F`, and the next step takes it away. A
//! [`World`](super::World) has it answered at the end of its step, so that velocities are those that whoever senses them would see.
//! Three ways to displace (see [`Displacement`]): the source's rotations and translations with the factor it lacks, the exact
//! block of each joint's rows, and all joints at once along their tree. Joints that give keep their pseudo-multiplier over the passes:
//! `C + α λ/h² = 0`. Specification: mathematics 5.1–5.3 (Z17–Z23, Z25); Lamouret, Gascuel, Gascuel 1995; Ziauddin 2001; velocities as in
//! Müller et al. 2020.

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
use super::rattle::Mechanism;
use super::{Joint, Momentum, Pose};
pub use mask::{Axes, Mask};
use rows::Moved;
use skeleton::Skeleton;
use sweep::Sweep;

/// How bodies are brought to where their joints hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Displacement {
    /// Joint by joint as the source does it, the point by a rotation of both bodies and then a translation, with the factor
    /// 1/(1 + ρ) without which chains diverge. The source knows points alone: joints that also hold turns, and those that give, take
    /// [`Displacement::Block`].
    Lamouret,
    /// Joint by joint, all rows of a joint by one exact pseudo-impulse. Steps take [`Displacement::Skeleton`] where that would need hundreds of
    /// passes: loops, and bodies joined to others of fifty times their mass; and where the passes do not close all joints.
    #[default]
    Block,
    /// All joints at once. Where one gives (compliance above 0), or where it makes things worse, [`Displacement::Block`] steps in.
    Skeleton,
}

/// What becomes of velocities when bodies are displaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Velocities {
    /// The displacement by the step is added to them.
    #[default]
    Follow,
    /// Nothing, as in the source: bodies pull at their joints ever faster.
    LeftAlone,
}

/// Along which directions a step pushes bodies to where its joints hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Directions {
    /// Those of the start of the step: the motion is that of SHAKE, whose energy does not drift. Where a body turned far in the step, or
    /// errors grow from pass to pass, those of the end are taken. [`Displacement::Lamouret`] always takes those of the end: its rotations and translations belong to
    /// different impulses, which would bring energy into a chain (10 % of its fall in 5 s at 1/240 s).
    #[default]
    AtStart,
    /// Those where the bodies are, as in the source: every pass is a step of Newton's method, and motion loses energy in proportion to `h`.
    AtEnd,
}

/// When joints are good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// The method.
    pub method: Displacement,
    /// Least gap that is closed, metres.
    pub gap: f64,
    /// Least turn that is taken back, radians.
    pub angle: f64,
    /// At most so many passes over all joints.
    pub passes: u32,
    /// What becomes of velocities.
    pub velocities: Velocities,
    /// Along what a step pushes; [`satisfy`] alone knows no start.
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
    /// Joints a hundred times closer than by default, which runs that are recorded need: a clip has no gaps, and what is not closed
    /// becomes a shaking of the mass center.
    pub fn tight() -> Self {
        Self { gap: 1e-6, angle: 1e-5, passes: 40, ..Self::default() }
    }
}

/// What a call did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Passes that moved something; the last is followed by a look at what is left.
    pub passes: u32,
    /// Whether anything was moved.
    pub changed: bool,
    /// Worst gap that is left, metres.
    pub gap: f64,
    /// Worst angle that is left, radians.
    pub angle: f64,
    /// How many joints, masks and bounds are still beyond the tolerance, or have an error that is no number.
    pub unsatisfied: usize,
}

/// A row that pushes one way: a range, or a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneSided {
    /// The two bodies; `None` for what does not move.
    pub bodies: [Option<usize>; 2],
    /// The rate of `room` by the velocities of either body, world axes, the linear first.
    pub by: [[f64; 6]; 2],
    /// How far there is to the bound, metres or radians; negative beyond it.
    pub room: f64,
    /// Whether `room` is an angle.
    pub is_angle: bool,
}

/// The one-sided row of a number at given poses; `None` where nothing is bounded there.
pub type LimitFn<'a> = &'a dyn Fn(usize, &[Pose<f64>]) -> Option<OneSided>;

/// What is to hold. Indices of bodies in joints are those of `mechanism.bodies`; masks that name others are left out.
#[derive(Clone, Copy)]
pub struct Constraints<'a> {
    /// Bodies and joints.
    pub mechanism: Mechanism<'a>,
    /// Degrees of freedom held one by one.
    pub masks: &'a [Mask],
    /// One-sided rows, numbered from 0 to `bounds` − 1.
    pub bounds: usize,
    /// Finds them where the bodies are now, each time one is looked at.
    pub bound: LimitFn<'a>,
}

impl<'a> Constraints<'a> {
    /// The joints of a mechanism, and nothing else.
    pub fn joints(mechanism: Mechanism<'a>) -> Self {
        Self { mechanism, masks: &[], bounds: 0, bound: &|_, _| None }
    }
}

/// Share of what a row that closes a loop gives by itself below which others repeat it: joints that hold to a turn of φ leave φ² of a row
/// that they would repeat exactly. Three times the default tolerance, squared.
pub const REPEATED: f64 = 1e-5;

/// The same for velocities between steps. Where the rows of a loop are about to repeat each other (four equal bars in a row), a gap of a
/// micrometre leaves turns of √(1 µm/1 m) open, and rows at such a place would stop the way that all of them leave.
pub const NEARLY_REPEATED: f64 = 1e-4;

/// Room for calls: after [`Scratch::new`] none of them allocates.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Pseudo-impulses on bodies by the last call, kg m and kg m².
    pub impulses: Vec<Momentum<f64>>,
    /// Where the step began.
    start: Vec<Pose<f64>>,
    /// Where bodies are before they are displaced.
    free: Vec<Pose<f64>>,
    /// λ of soft joints.
    multipliers: Vec<[f64; MOST_ROWS]>,
    skeleton: Skeleton,
    stepper: Stepper,
}

impl Scratch {
    /// Room for a mechanism.
    pub fn new(mechanism: Mechanism<'_>) -> Self {
        Self {
            impulses: vec![Momentum::ZERO; mechanism.bodies.len()],
            start: vec![Pose::like(0.0); mechanism.bodies.len()],
            free: vec![Pose::like(0.0); mechanism.bodies.len()],
            multipliers: vec![[0.0; MOST_ROWS]; mechanism.joints.len()],
            skeleton: Skeleton::new(mechanism),
            stepper: Stepper::default(),
        }
    }
}

/// Displaces bodies until everything holds, or for so many passes. `h` (seconds) is the step in which joints that give have done so;
/// rigid ones take no notice of it.
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

/// Whether passes from joint to joint close few of them: around a loop they meet themselves, and what is heavy follows what is light by the
/// ratio of their masses.
fn is_slow(Mechanism { bodies, joints, forest }: Mechanism<'_>) -> bool {
    let is_uneven = |joint: &Joint| {
        let ratio = joint.parent.map_or(1.0, |parent| bodies[parent].mass / bodies[joint.child].mass);
        !(1.0 / UNEVEN..=UNEVEN).contains(&ratio)
    };
    !forest.closing.is_empty() || joints.iter().any(is_uneven)
}

/// Ratio of masses beyond which joints are displaced all at once.
const UNEVEN: f64 = 50.0;

/// Passes until nothing is moved: all joints at once where there is a skeleton and it brings them nearer, else one by one. Returns how many
/// moved something.
fn pass<'a>(sweep: &mut Sweep<'a>, start: Option<&'a [Pose<f64>]>, mut skeleton: Option<&mut Skeleton>) -> u32 {
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

/// A step of `h` seconds. `forces` gives force (newtons) and moment about the center (newton metres, world axes) on a body where bodies are
/// and as they move.
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

/// The step without its forces: a free drift of `h` seconds by an integrator, displacement, and what that makes of velocities.
pub fn drift(
    constraints: &Constraints<'_>,
    (poses, momenta): (&mut [Pose<f64>], &mut [Momentum<f64>]),
    (h, settings, integrator): (f64, &Settings, Integrator),
    scratch: &mut Scratch,
) -> Outcome {
    scratch.start.copy_from_slice(poses);
    let bodies = constraints.mechanism.bodies;
    if integrator == Integrator::Splitting {
        for ((pose, momentum), body) in poses.iter_mut().zip(&*momenta).zip(bodies) {
            *pose = free_drift(body, pose, momentum, h);
        }
    } else {
        scratch.stepper.step(integrator, &mut Moving { bodies, poses, momenta }, h, |_, _, _| ());
    }
    let outcome = displace(constraints, poses, (h, settings), scratch, settings.directions);
    if settings.velocities == Velocities::Follow && outcome.changed {
        for (momentum, impulse) in momenta.iter_mut().zip(&scratch.impulses) {
            *momentum = momentum.plus(impulse.times(1.0 / h));
        }
    }
    outcome
}
