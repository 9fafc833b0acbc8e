//! Joint drives of a ragdoll in a herd (a batch of equal ragdolls), and a clip that such ragdolls follow.
//!
//! ```text
//! k = s I (2π f)²,  d = s 2 ζ I 2π f      I: a third of the trace of the joint's effective inertia, in the pose in which the ragdoll was made
//! ```
//! A herd's drive has equal stiffness about all axes. A clip is sampled beforehand, step by step, so that a ragdoll that follows it costs little
//! more than a limp one. Specification: mathematics 3.14, 8.1 (R18 to R20).

use glam::{DMat3, DQuat, DVec3};

use super::drive::Led;
use super::drive_particles::felt;
use super::pose_target::{JointTarget, PoseTarget, RootAssist};
use super::root_assist::AssistedMass;
use super::sensed::MassCenterMotion;
use super::{Posture, RagdollModel, root_assist};
use crate::collision::tensor;
use crate::math::input_error::InputError;
use crate::math::rotation::{exp, log};
use crate::motion::Clip;
use crate::particles::herd::{Acceleration, Herd, HerdJoints, InstanceId, JointStrength, JointTurn};
use crate::ragdoll::Ragdoll;
use crate::rigid::composite::Piece;

/// Joint drives of the ragdolls of a herd.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HerdDrives {
    /// Parent and child body of each joint.
    links: Vec<[usize; 2]>,
    /// Effective inertia of each joint, kg m².
    inertia: Vec<f64>,
    /// Center of mass of the first body in the frame of its bone, meters.
    root_center: DVec3,
    mass: f64,
    bodies: Vec<BodyInertia>,
}

/// Mass properties of a body in the frame of its bone.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BodyInertia {
    /// Mass, kilograms.
    mass: f64,
    /// Center of mass, meters.
    center: DVec3,
    /// Inertia about the center of mass, kg m².
    inertia: DMat3,
}

impl HerdDrives {
    /// Creates drives for a herd made from [`Ragdoll::model`].
    pub(crate) fn new(figure: &RagdollModel, ragdoll: &Ragdoll) -> Self {
        let positions = &ragdoll.model.positions;
        let pose = ragdoll.pose(positions);
        let piece = |(body, part): (usize, &crate::ragdoll::BoneBody)| {
            let first = ragdoll.particle(body) - ragdoll.particle(0);
            let mut piece = Piece::NONE;
            for position in &positions[first..first + 4] {
                piece.add(&Piece::of_point(part.body.particle_mass, *position));
            }
            Some(piece)
        };
        let pieces: Vec<Option<Piece>> = ragdoll.bodies.iter().enumerate().map(piece).collect();
        let weight = |(part, own): (&super::figure::RagdollBody, &crate::ragdoll::BoneBody)| {
            let of_one = |rest: &DVec3| tensor::of_point(own.body.particle_mass, *rest - part.center);
            BodyInertia { mass: part.mass, center: part.center, inertia: own.body.rest.iter().map(of_one).sum() }
        };
        let mean = |felt: DMat3| (felt.x_axis.x + felt.y_axis.y + felt.z_axis.z) / 3.0;
        Self {
            links: figure.links.iter().map(|link| link.bodies).collect(),
            inertia: felt(figure, &pieces, |link| pose[link.bone].0).into_iter().map(mean).collect(),
            root_center: figure.bodies.first().map_or(DVec3::ZERO, |part| part.center),
            mass: figure.mass,
            bodies: figure.bodies.iter().zip(&ragdoll.bodies).map(weight).collect(),
        }
    }

    /// Flags the bodies on which the root assist acts; `None` for all bodies.
    fn held(&self, aims: &[JointTarget]) -> Option<Vec<bool>> {
        root_assist::assisted_bodies(self.bodies.len(), self.links.iter().copied(), aims)
    }

    /// Stiffness, damping and torque limit of a joint for an aim.
    fn strength(&self, joint: usize, aim: &JointTarget) -> JointStrength {
        let (strength, _) = aim.shares();
        let (inertia, frequency) = (self.inertia[joint], core::f64::consts::TAU * aim.frequency);
        JointStrength {
            stiffness: strength * inertia * frequency * frequency,
            damping: strength * 2.0 * aim.damping_ratio * inertia * frequency,
            most: aim.most * strength,
        }
    }

    fn apply_root_assist(
        &self,
        (hand, held): (&RootAssist, Option<&[bool]>),
        herd: &mut Herd,
        slot: InstanceId,
    ) -> Result<root_assist::RigidAcceleration, InputError> {
        let step = herd.settings().time_step;
        let pose = herd.pose(slot, 0);
        let (velocity, angular_velocity) = herd.velocity(slot, 0);
        let motion = MassCenterMotion { center: pose.0 + pose.1 * self.root_center, velocity, angular_velocity };
        let place = |body: usize, center: DVec3| {
            let (place, turn) = herd.pose(slot, body);
            place + turn * center
        };
        let all = self.bodies.iter().enumerate().map(|(body, own)| (own.mass, place(body, own.center)));
        let grip = match held {
            Some(held) => AssistedMass::of(held, all),
            None => AssistedMass { center: herd.mass_center(slot), mass: self.mass, whole: self.mass },
        };
        let field = root_assist::field_of(hand, pose, &motion, &grip, step);
        let root_assist::RigidAcceleration { center, linear, angular } = field;
        herd.accelerate_some(slot, held, &Acceleration { center, linear, angular })?;
        Ok(field)
    }

    /// Wrench of the root assist on a ragdoll in its current pose.
    fn root_assist_wrench(
        &self,
        field: &root_assist::RigidAcceleration,
        held: Option<&[bool]>,
        (herd, slot): (&Herd, InstanceId),
    ) -> Led {
        let (middle, mut led) = (herd.mass_center(slot), Led::default());
        for (body, own) in self.bodies.iter().enumerate().filter(|(body, _)| held.is_none_or(|held| held[*body])) {
            let (place, turn) = herd.pose(slot, body);
            let center = place + turn * own.center;
            let force = field.at(center) * own.mass;
            led.force += force;
            led.moment += (center - middle).cross(force) + turn * (own.inertia * (turn.conjugate() * field.angular));
        }
        led
    }
}

/// A clip prepared for a herd: joint targets for every step.
#[derive(Clone, Debug, PartialEq)]
pub struct HerdTrack {
    drives: HerdDrives,
    /// Duration of a step, seconds.
    step: f64,
    /// Joint rotations at the begin of each step, with their rates, and at the end of the clip; `None` for joints that the herd does not have.
    turns: Vec<Option<JointTurn>>,
    /// Pose and velocities of the root bone at the begin of each step.
    roots: Vec<RootAssist>,
    /// Strengths, frequencies and torque limits of the joints; rotations and rates come from the clip.
    pub aims: Vec<JointTarget>,
    /// Strength of the root assist; `None` for no assist. Position and velocities come from the clip.
    pub lead: Option<RootAssist>,
}

impl HerdTrack {
    /// Prepares a clip for ragdolls of a herd of [`Ragdoll::model`] in steps of `step` seconds, with joints of `strength` (0 to 1) and `frequency`
    /// (hertz), and without root assist.
    pub fn new(
        figure: &RagdollModel,
        ragdoll: &Ragdoll,
        clip: &Clip,
        (step, strength, frequency): (f64, f64, f64),
    ) -> Self {
        let mut aims = PoseTarget::stiff(figure, strength, frequency);
        let (drives, joints) = (HerdDrives::new(figure, ragdoll), HerdJoints::of(&ragdoll.model).ok());
        let joint_turn =
            |(aim, &bodies): (&JointTarget, &[usize; 2])| joints.as_ref()?.turn(bodies, aim.turn, aim.rate);
        let steps = libm::ceil(clip.duration() / step).clamp(1.0, MOST_STEPS) as usize;
        let (mut turns, mut roots) = (Vec::with_capacity(steps * aims.aims.len()), Vec::with_capacity(steps));
        let mut now = Posture::of_clip(clip, 0.0);
        for index in 0..steps {
            let next = Posture::of_clip(clip, (index + 1) as f64 * step);
            now.aim(figure, Some((&next, step)), &mut aims);
            turns.extend(aims.aims.iter().zip(&drives.links).map(joint_turn));
            roots.push(RootAssist {
                position: now.translations[0],
                rotation: now.rotations[0],
                velocity: (next.translations[0] - now.translations[0]) / step,
                angular_velocity: log(next.rotations[0] * now.rotations[0].conjugate()) / step,
                ..super::tracking_error::hand(1.0)
            });
            now = next;
        }
        now.aim(figure, None, &mut aims);
        turns.extend(aims.aims.iter().zip(&drives.links).map(joint_turn));
        Self { drives, step, turns, roots, aims: PoseTarget::stiff(figure, strength, frequency).aims, lead: None }
    }

    /// Number of steps of the clip.
    pub fn steps(&self) -> usize {
        self.roots.len()
    }

    /// Drives a ragdoll during the next step, `at` steps after the clip began: towards the first pose before the clip and towards the
    /// last one after it, at rest. `offset` and `turn` move the clip's ground, turn first. Returns the field of the hand that leads
    /// the root, see `root_assist_wrench`; `None` without a hand.
    ///
    /// # Errors
    /// If there is no ragdoll at that place, or the state of the ragdoll is not finite.
    pub fn apply_pose_target(
        &self,
        at: i64,
        (offset, turn): (DVec3, DQuat),
        herd: &mut Herd,
        slot: InstanceId,
    ) -> Result<Option<root_assist::RigidAcceleration>, InputError> {
        let (last, joints) = (self.roots.len() - 1, self.aims.len());
        let place = usize::try_from(at).unwrap_or(0).min(last);
        let (is_early, is_over) = (at < 0, at > last as i64);
        let is_still = is_early || is_over;
        let row = if is_over { self.roots.len() } else { place } * joints;
        for (joint, aim) in self.aims.iter().enumerate() {
            let Some(turn) = self.turns[row + joint] else { continue };
            let turn = if is_still { turn.at_rest() } else { turn };
            herd.drive_to(slot, &turn, &self.drives.strength(joint, aim))?;
        }
        let Some(hand) = &self.lead else { return Ok(None) };
        let root = &self.roots[place];
        let moves = |rate: DVec3| if is_still { DVec3::ZERO } else { turn * rate };
        let ahead = if is_over { self.step } else { 0.0 };
        let hand = RootAssist {
            position: turn * (root.position + root.velocity * ahead) + offset,
            rotation: (turn * exp(root.angular_velocity * ahead) * root.rotation).normalize(),
            velocity: moves(root.velocity),
            angular_velocity: moves(root.angular_velocity),
            ..*hand
        };
        self.drives.apply_root_assist((&hand, self.drives.held(&self.aims).as_deref()), herd, slot).map(Some)
    }

    /// Wrench of the root assist with acceleration `field` on a ragdoll in its current pose.
    pub(crate) fn root_assist_wrench(
        &self,
        field: &root_assist::RigidAcceleration,
        herd: &Herd,
        slot: InstanceId,
    ) -> Led {
        self.drives.root_assist_wrench(field, self.drives.held(&self.aims).as_deref(), (herd, slot))
    }
}

/// Limit of the steps of a clip: an hour at 240 Hz.
const MOST_STEPS: f64 = 864_000.0;
