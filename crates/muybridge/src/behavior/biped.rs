//! Biped controller: a person stands on two feet, walks, and takes steps to recover from pushes.
//!
//! ```text
//! stand    p = ξ_ref + (1 + κ)(ξ − ξ_ref) inside the soles                                     ξ → ξ_ref at the rate κ ω0
//! step     the free foot lands at ξ(T) − b: at the capture point to stop, or behind and outside of it to keep walking
//! force    F_y = m (g + k (h_ref − h) − d ḣ),   F_x = ((c − p)_x F_y + M_z)/h,   F_z = ((c − p)_z F_y − M_x)/h
//!          M = K φ − D ω upright of the trunk; shared by the standing feet, transferred by the joints as in `virtual_model`
//! ```
//! Standing legs are driven by moments alone, everything else by springs toward a posture; inverse kinematics gives the posture of the free leg.
//! The state machine follows SIMBICON (Yin, Loken, van de Panne 2007), the foot placement Hof 2008, the moments Pratt 2001. Specification:
//! mathematics 8.2 (R21 to R23).

mod legs;
mod phases;

use glam::{DQuat, DVec2, DVec3};

use super::RagdollModel;
use super::capture::{Pendulum, Sway};
use super::pose_target::PoseTarget;
use super::posture::Posture;
use super::sensed::Sensed;
use super::support::{Sole, above};
use crate::character::{Character, Role, Side};
use crate::math::rotation::{about, log};

pub use phases::BipedPhase;

/// Gait settings of a biped; lengths in meters, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaitSettings {
    /// Walking velocity, meters per second, x and z; zero to stand.
    pub velocity: DVec2,
    /// Facing direction, x and z.
    pub facing: DVec2,
    /// Duration of a step, seconds.
    pub step_time: f64,
    /// Lateral distance between the feet, meters.
    pub width: f64,
    /// Height to which a foot is lifted, meters.
    pub lift: f64,
    /// Height of the center of mass over the soles, as a share of its height with straight legs.
    pub height: f64,
}

impl Default for GaitSettings {
    fn default() -> Self {
        Self { velocity: DVec2::ZERO, facing: DVec2::Y, step_time: 0.45, width: 0.18, lift: 0.06, height: 0.96 }
    }
}

/// Behavior that keeps a person on its feet.
#[derive(Clone, Debug, PartialEq)]
pub struct Biped {
    /// Gait settings; may be changed at any time.
    pub gait: GaitSettings,
    /// Whether the biped may take a step to save itself from falling.
    pub may_step: bool,
    /// Current phase: stand, shift or step.
    pub phase: BipedPhase,
    /// Number of steps that have landed.
    pub steps: u32,
    /// Posture of trunk and arms.
    pub posture: Posture,
    figure: RagdollModel,
    soles: [Sole; 2],
    /// Bone of the hips; then the bones of thigh, shank and foot of either leg.
    hips: usize,
    legs: [[usize; 3]; 2],
    /// Height of the center of mass over the soles with straight legs, meters.
    height: f64,
}

/// Reason why a character is no biped.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum BipedError {
    /// The character lacks a required humanoid role.
    #[error("a biped needs a bone with the role {role}; give the character roles (--roles)")]
    NoRole {
        /// Name of the missing role.
        role: &'static str,
    },
    /// A foot has no contact points for a sole.
    #[error("the {side} foot has no contact points; a biped needs a sole on either side")]
    NoSole {
        /// Side of the foot: left or right.
        side: &'static str,
    },
}

/// Quantities of the current step that phases and legs share.
struct BipedState {
    pendulum: Pendulum,
    /// ξ: capture point, meters.
    capture: DVec2,
    /// Height of the ground under the standing feet, meters.
    ground: f64,
    /// World pose of the left and right foot bone; `middles` are the middles of the soles.
    feet: [(DVec3, DQuat); 2],
    middles: [DVec3; 2],
    /// Vertical contact force on either foot, newtons.
    loads: [f64; 2],
}

impl Biped {
    /// Creates a biped from a character and its figure. Errors name the missing role or sole.
    pub(crate) fn new(character: &Character, figure: &RagdollModel) -> Result<Self, BipedError> {
        let bone = |role: Role| figure.bone_of(role).ok_or(BipedError::NoRole { role: role.name() });
        let sole = |side: Side, name| Sole::of(character, figure, side).ok_or(BipedError::NoSole { side: name });
        let leg = |side: Side| -> Result<[usize; 3], BipedError> {
            Ok([bone(Role::UpperLeg(side))?, bone(Role::LowerLeg(side))?, bone(Role::Foot(side))?])
        };
        let soles = [sole(Side::Left, "left")?, sole(Side::Right, "right")?];
        let posture = at_ease(figure);
        let pose = posture.world(&figure.skeleton);
        let under = soles.map(|sole| sole.middle(pose[sole.bone]).y);
        Ok(Self {
            gait: GaitSettings::default(),
            may_step: true,
            phase: BipedPhase::Stand,
            steps: 0,
            height: figure.mass_center(&pose).y - 0.5 * (under[0] + under[1]),
            posture,
            soles,
            hips: bone(Role::Hips)?,
            legs: [leg(Side::Left)?, leg(Side::Right)?],
            figure: figure.clone(),
        })
    }

    /// Soles of the left and right foot.
    pub(crate) fn soles(&self) -> [Sole; 2] {
        self.soles
    }

    /// Height of the center of mass over the soles when the biped stands with its gait settings, meters.
    pub(crate) fn standing_height(&self) -> f64 {
        self.gait.height * self.height
    }

    /// Standing pose: soles flat on the ground at height 0, center of mass over them, legs bent according to the gait.
    pub(crate) fn standing(&self) -> Vec<(DVec3, DQuat)> {
        let yaw = self.yaw();
        let mut posture = self.posture.clone();
        let root = |posture: &mut Posture, at: DVec3| posture.translations[0] = at;
        let straight = self.posture.world(&self.figure.skeleton);
        posture.rotations[0] = (yaw * posture.rotations[0]).normalize();
        let aside = |side: usize| {
            let sign = if side == 0 { 0.5 } else { -0.5 };
            yaw * DVec3::X * (self.gait.width * sign)
        };
        let mut place = DVec3::Y * (straight[0].0.y - (1.0 - self.gait.height) * self.height);
        for _ in 0..40 {
            root(&mut posture, place);
            let mut tried = posture.clone();
            for side in 0..2 {
                self.put_foot(&mut tried, side, self.foot_at(side, aside(side), yaw));
            }
            let center = self.figure.mass_center(&tried.world(&self.figure.skeleton));
            let missing = DVec3::new(0.0, self.gait.height * self.height, 0.0) - center;
            if missing.length() < 1e-12 {
                return tried.world(&self.figure.skeleton);
            }
            place += missing;
        }
        for side in 0..2 {
            self.put_foot(&mut posture, side, self.foot_at(side, aside(side), yaw));
        }
        posture.world(&self.figure.skeleton)
    }

    /// Advances the phase and returns joint targets for the next step.
    pub(crate) fn decide(&mut self, sensed: &Sensed) -> PoseTarget {
        let now = self.now(sensed);
        self.advance(sensed, &now);
        self.drive(sensed, &now)
    }

    fn now(&self, sensed: &Sensed) -> BipedState {
        let feet = self.soles.map(|sole| sensed.pose[sole.bone]);
        let middles = [0, 1].map(|side: usize| self.soles[side].middle(feet[side]));
        let loads = self.soles.map(|sole| {
            sensed
                .touches
                .iter()
                .filter(|touch| touch.body == sole.body)
                .map(|touch| touch.force * touch.normal.y)
                .sum()
        });
        let shares = self.phase.shares();
        let ground = (middles[0].y * shares[0] + middles[1].y * shares[1]).min(middles[0].y.max(middles[1].y));
        let height = sensed.mass_center.y - ground;
        let pendulum = Pendulum::of_height(height.max(0.3 * self.height), sensed.gravity.length());
        let sway = Sway { place: above(sensed.mass_center), velocity: above(sensed.velocity) };
        BipedState { pendulum, capture: pendulum.capture_point(&sway), ground, feet, middles, loads }
    }

    /// Rotation about the vertical from facing +z to the facing direction.
    fn yaw(&self) -> DQuat {
        about(DVec3::Y, libm::atan2(self.gait.facing.x, self.gait.facing.y))
    }

    /// Pose of a foot bone whose sole lies flat with its middle at `middle`.
    fn foot_at(&self, side: usize, middle: DVec3, yaw: DQuat) -> (DVec3, DQuat) {
        let sole = &self.soles[side];
        let turn = (yaw * sole.flat).normalize();
        (middle - sole.middle((DVec3::ZERO, turn)), turn)
    }

    /// Bends the leg by inverse kinematics so that the foot bone has the given pose.
    fn put_foot(&self, posture: &mut Posture, side: usize, (position, rotation): (DVec3, DQuat)) {
        let Some(limb) = self.figure.limb_to(self.legs[side][2]) else { return };
        let goal = crate::motion::ik::Goal { position, rotation };
        let solution = crate::motion::ik::solve_pose(&posture.limb(&self.figure.skeleton, limb), limb, &goal);
        posture.set_from_ik(&solution);
    }

    /// Rotation vector from the trunk's orientation to the upright one, and angular velocity of the trunk.
    fn lean(&self, sensed: &Sensed) -> (DVec3, DVec3) {
        let upright = self.yaw() * self.posture.rotations[0];
        let turn = sensed.pose[self.hips].1;
        let body = self.figure.body_of[self.hips].unwrap_or(0);
        (log(upright * turn.conjugate()), sensed.motions[body].angular_velocity)
    }
}

/// Rest pose with hanging arms.
pub(crate) fn at_ease(figure: &RagdollModel) -> Posture {
    let mut posture = Posture::at_rest(&figure.skeleton);
    for (side, out) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
        let bones = [Role::UpperArm(side), Role::LowerArm(side)].map(|role| figure.bone_of(role));
        let [Some(upper), Some(lower)] = bones else { continue };
        let pose = posture.world(&figure.skeleton);
        let along = (pose[lower].0 - pose[upper].0).normalize_or(DVec3::NEG_Y);
        let down = DVec3::new(0.17 * out, -1.0, 0.0).normalize();
        let turn = DQuat::from_rotation_arc(along, down) * pose[upper].1;
        let parent = figure.skeleton.bones()[upper].parent.map_or(DQuat::IDENTITY, |parent| pose[parent].1);
        posture.rotations[upper] = (parent.conjugate() * turn).normalize();
    }
    posture
}
