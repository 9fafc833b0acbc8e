//! Joint ranges of a creature that has none, such as an animal: learned from its clips, or by a rule.
//!
//! ```text
//! q = F⁻¹ rest⁻¹ local F = swing · twist       y of F along the bone; the clips' greatest and least swing and twist, and rest
//! range = those, and a margin beyond           a bone that no clip turns: the rule's range about rest
//! ```
//! Nothing is learned of a chain without a branch (a rope, a tail, a pendulum), of people, whose ranges are known, and of
//! bodies from model files, whose joints are free because the file says so.

use glam::{DQuat, DVec3};

use super::{Character, JointRange};
use crate::math::rotation::swing_and_twist;
use crate::motion::Clip;

/// Margin beyond what clips show, radians: 20° of swing, 10° of twist.
const BEYOND: [f64; 2] = [0.35, 0.175];

/// Range of a bone that turns in no clip, and of all bones without a clip that moves, radians: swing and twist either way.
const UNSEEN: [f64; 2] = [0.45, 0.175];
const WITHOUT_CLIPS: [f64; 2] = [0.7, 0.26];

/// Least turn of a bone that counts as motion, radians.
const MOVES: f64 = 0.02;

/// Greatest number of frames of a clip that are looked at.
const MOST_FRAMES: usize = 500;

/// Least number of bones with mass of a creature.
const LEAST_BONES: usize = 6;

impl Character {
    /// Gives the joints of a creature without ranges those that its clips show. Returns a note on them, if there are any.
    pub fn learn_ranges(&mut self, clips: &[Clip]) -> Option<String> {
        let skeleton = &self.skeleton;
        let is_branched = (0..skeleton.len()).any(|bone| skeleton.children(bone).count() > 1);
        let heavy = self.bodies.iter().filter(|body| body.mass > 0.0).count();
        let is_free = self.ranges.iter().all(|range| *range == JointRange::Free);
        if !(is_free && is_branched && heavy >= LEAST_BONES && self.weighed_by().is_some()) {
            return None;
        }
        let of_bone = |bone: usize| skeleton.bones()[bone].parent.map(|_| Turns::of(self, bone, clips));
        let turns: Vec<Option<Turns>> = (0..skeleton.len()).map(of_bone).collect();
        let moving = turns.iter().flatten().filter(|own| own.moves()).count();
        let rule = if moving > 0 { UNSEEN } else { WITHOUT_CLIPS };
        self.ranges = turns.iter().map(|own| own.as_ref().map_or(JointRange::Free, |own| own.range(rule))).collect();
        let joints = turns.iter().flatten().count();
        let degrees = |of: [f64; 2]| of.map(|angle| format!("{:.0}°", angle.to_degrees())).join(" of swing and ");
        Some(match moving {
            0 => format!(
                "joint limits of {joints} bones by rule, {} of twist about rest: no clip moves them",
                degrees(rule)
            ),
            _ => format!(
                "joint limits of {moving} bones from its clips and {} of twist beyond; of {} that no clip moves {} about rest",
                degrees(BEYOND),
                joints - moving,
                degrees(rule)
            ),
        })
    }
}

/// What the clips show of one joint: least and greatest swing about x and z and twist about y, radians, rest included.
struct Turns {
    frame: DQuat,
    seen: [[f64; 2]; 3],
}

impl Turns {
    fn of(character: &Character, bone: usize, clips: &[Clip]) -> Self {
        let (bones, own) = (character.skeleton.bones(), &character.skeleton.bones()[bone]);
        let below: DVec3 = character.skeleton.children(bone).map(|child| bones[child].translation).sum();
        let along = below.try_normalize().or((own.rotation.conjugate() * own.translation).try_normalize());
        let frame = DQuat::from_rotation_arc(DVec3::Y, along.unwrap_or(DVec3::Y));
        let mut seen = [[0.0_f64; 2]; 3];
        for clip in clips {
            let stride = clip.frames().div_ceil(MOST_FRAMES).max(1);
            for at in (0..clip.frames()).step_by(stride) {
                let turn = frame.conjugate() * own.rotation.conjugate() * clip.rotation(bone, at) * frame;
                let (swing, twist) = swing_and_twist(turn, DVec3::Y);
                for (seen, angle) in seen.iter_mut().zip([swing.x, twist, swing.z]) {
                    *seen = [seen[0].min(angle), seen[1].max(angle)];
                }
            }
        }
        Self { frame, seen }
    }

    fn moves(&self) -> bool {
        self.seen.iter().any(|[least, most]| most - least > MOVES)
    }

    fn range(&self, rule: [f64; 2]) -> JointRange {
        let [swing, twist] = if self.moves() { BEYOND } else { rule };
        let wider = |[least, most]: [f64; 2], by: f64| [(least - by).max(-MOST), (most + by).min(MOST)];
        let [x, y, z] = self.seen;
        JointRange::SwingTwist {
            frame: self.frame,
            swing_x: wider(x, swing),
            swing_z: wider(z, swing),
            twist: wider(y, twist),
        }
    }
}

/// Greatest swing or twist of a range, radians.
const MOST: f64 = 3.1;
