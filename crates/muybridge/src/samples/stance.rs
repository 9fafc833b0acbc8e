//! Poses of the sample person, with the hip position that gives a wanted center of mass.
//!
//! Angles are in the world about the axis to the left. Positive angles tip upward parts forward and swing hanging parts
//! backward. Leg IK is the triangle of thigh, shank and the line from hip to ankle, knee forward:
//!
//! ```text
//! cos α = (a² + d² − b²)/(2ad),  cos β = (b² + d² − a²)/(2bd),  thigh = φ − α,  shank = φ + β
//! ```
//!
//! in the plane through the body's left axis, rotated by `γ` about the forward axis, so that the foot may be off to a
//! side.

use glam::{DQuat, DVec3};

use super::figures::LEG;
use crate::character::{Character, Role, Side};
use crate::math::rotation::about;
use crate::motion::Clip;

/// Target of a leg.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leg {
    /// World position of the ankle, meters.
    Ankle(DVec3),
    /// Distance (m) and angle (rad) of the ankle from the hip.
    Hang { reach: f64, angle: f64 },
}

/// Pose of the sample person in one frame, without the hip position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleStance {
    /// Lean of the trunk, radians; half of it in the hips, the rest in spine and chest.
    pub(crate) lean: f64,
    /// Swing of the left and right arm against the chest, radians, backward positive.
    pub(crate) arms: [f64; 2],
    /// Targets of the left and right leg.
    pub(crate) legs: [Leg; 2],
    /// Pitch of the left and right foot, radians, toes down positive.
    pub(crate) feet: [f64; 2],
}

/// Local rotations of all bones and the hip position.
#[derive(Clone, Debug)]
pub(crate) struct Posed {
    pub(crate) hips: DVec3,
    pub(crate) rotations: Vec<DQuat>,
    /// World positions and orientations of all bones.
    pub(crate) world: Vec<(DVec3, DQuat)>,
}

/// The sample person with the bone indices of its limbs.
pub(crate) struct Person<'a> {
    character: &'a Character,
    trunk: [usize; 3],
    arms: [usize; 2],
    legs: [[usize; 3]; 2],
}

const SIDES: [Side; 2] = [Side::Left, Side::Right];
/// Angle of hanging arms from the T-pose, radians.
const HANGING: f64 = 1.4;

impl<'a> Person<'a> {
    pub(crate) fn new(character: &'a Character) -> Self {
        let bone = |role| character.bone_of(role).expect("the sample person has every limb");
        Self {
            character,
            trunk: [Role::Hips, Role::Spine, Role::Chest].map(bone),
            arms: SIDES.map(|side| bone(Role::UpperArm(side))),
            legs: SIDES.map(|side| [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)].map(bone)),
        }
    }

    /// The pose whose center of mass has the height and depth of `center`; the pose is symmetric across.
    ///
    /// Moving the hips by the error moves the center of mass by the error less the share of the planted legs, which is
    /// below one half: the error at least halves each time, down to the rounding of a meter.
    pub(crate) fn balanced(&self, stance: &SampleStance, center: DVec3) -> Posed {
        let mut hips = center;
        for _ in 0..80 {
            let posed = self.posed(stance, hips);
            let error = center - self.center(&posed);
            hips += error;
            if error.length() < 1e-15 {
                break;
            }
        }
        self.posed(stance, hips)
    }

    /// The pose with the hips at a given position.
    pub(crate) fn posed(&self, stance: &SampleStance, hips: DVec3) -> Posed {
        let turn = |angle: f64| about(DVec3::X, angle);
        let bones = self.character.skeleton.bones();
        let mut rotations: Vec<DQuat> = bones.iter().map(|bone| bone.rotation).collect();
        for (bone, share) in self.trunk.into_iter().zip([0.5, 0.25, 0.25]) {
            rotations[bone] = turn(share * stance.lean);
        }
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            rotations[self.arms[side]] = turn(stance.arms[side]) * about(DVec3::Z, sign * HANGING);
        }
        for (side, [upper, lower, foot]) in self.legs.into_iter().enumerate() {
            let hip = hips + turn(0.5 * stance.lean) * bones[upper].translation;
            let line = match stance.legs[side] {
                Leg::Ankle(ankle) => ankle - hip,
                Leg::Hang { reach, angle } => turn(angle) * DVec3::new(0.0, -reach, 0.0),
            };
            let aside = about(DVec3::Z, libm::atan2(line.x, -line.y));
            let (thigh, shank) = leg_angles(aside.conjugate() * line);
            rotations[upper] = turn(-0.5 * stance.lean) * aside * turn(thigh);
            rotations[lower] = turn(shank - thigh);
            rotations[foot] = turn(-shank) * aside.conjugate() * turn(stance.feet[side]);
        }
        let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(bones.len());
        for (index, bone) in bones.iter().enumerate() {
            world.push(match bone.parent.map(|parent| world[parent]) {
                Some((position, rotation)) => (position + rotation * bone.translation, rotation * rotations[index]),
                None => (hips, rotations[index]),
            });
        }
        Posed { hips, rotations, world }
    }

    /// Center of mass, meters.
    pub(crate) fn center(&self, posed: &Posed) -> DVec3 {
        let bodies = self.character.bodies.iter().zip(&posed.world);
        let moment: DVec3 = bodies.map(|(body, (p, q))| (*p + *q * body.center) * body.mass).sum();
        moment / self.character.mass()
    }

    /// Length (m) and angle (rad) of the line from hip to ankle.
    pub(crate) fn hang(&self, posed: &Posed, side: usize) -> (f64, f64) {
        let [upper, _, foot] = self.legs[side];
        let v = posed.world[foot].0 - posed.world[upper].0;
        (libm::sqrt(v.y * v.y + v.z * v.z), libm::atan2(-v.z, -v.y))
    }

    /// Angular momentum between two poses about the center of mass and the axis to the left, times the time step, kg
    /// m².
    pub(crate) fn turning(&self, from: &Posed, to: &Posed) -> f64 {
        let (start, end) = (self.center(from), self.center(to));
        let mut sum = 0.0;
        for (bone, body) in self.character.bodies.iter().enumerate() {
            let ((p0, q0), (p1, q1)) = (from.world[bone], to.world[bone]);
            let (r0, r1) = (p0 + q0 * body.center - start, p1 + q1 * body.center - end);
            let spin = crate::math::rotation::log(q1 * q0.conjugate()).x;
            let left = q0.conjugate() * DVec3::X;
            sum += body.mass * (r0 + r1).cross(r1 - r0).x * 0.5 + left.dot(body.inertia * left) * spin;
        }
        sum
    }

    /// Writes the pose into a frame of a clip.
    pub(crate) fn write(&self, posed: &Posed, clip: &mut Clip, frame: usize) {
        for (index, bone) in self.character.skeleton.bones().iter().enumerate() {
            clip.set_rotation(index, frame, posed.rotations[index].normalize());
            clip.set_translation(index, frame, if bone.parent.is_none() { posed.hips } else { bone.translation });
        }
    }
}

/// Angles of thigh and shank whose ends are `line` apart; a longer line is cut to the leg's length.
fn leg_angles(line: DVec3) -> (f64, f64) {
    let [a, b, _] = LEG;
    let d = libm::sqrt(line.y * line.y + line.z * line.z).min((a + b) * (1.0 - 1e-9));
    let along = libm::atan2(-line.z, -line.y);
    let angle = |adjacent: f64, opposite: f64| {
        let cosine = (adjacent * adjacent + d * d - opposite * opposite) / (2.0 * adjacent * d);
        libm::atan2(libm::sqrt((1.0 - cosine * cosine).max(0.0)), cosine)
    };
    (along - angle(a, b), along + angle(b, a))
}

/// Smooth step from 0 to 1 with zero rate and acceleration at both ends: `6t⁵ − 15t⁴ + 10t³`.
pub(crate) fn ease(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

/// Quintic polynomial with position, velocity and acceleration `from` at 0 and `to` at `seconds`, evaluated at `t`.
pub(crate) fn quintic(from: [f64; 3], to: [f64; 3], seconds: f64, t: f64) -> f64 {
    let h = seconds;
    let (p0, v0, a0) = (from[0], from[1] * h, from[2] * h * h);
    let (p1, v1, a1) = (to[0], to[1] * h, to[2] * h * h);
    let d = p1 - p0 - v0 - 0.5 * a0;
    let (e, f) = (v1 - v0 - a0, a1 - a0);
    let (c3, c4, c5) = (10.0 * d - 4.0 * e + 0.5 * f, -15.0 * d + 7.0 * e - f, 6.0 * d - 3.0 * e + 0.5 * f);
    let s = t / h;
    p0 + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))
}
