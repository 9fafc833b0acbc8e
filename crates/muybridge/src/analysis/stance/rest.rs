//! What of a body is at rest, whether it carries weight or not.

use glam::DVec3;

use super::super::frames::Frames;
use super::Stance;
use crate::character::{Character, Role, Side};
use crate::motion::WorldMotion;

/// The slowest part of the body in each frame of a clip, by differences over 50 ms to either side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    /// Speed relative to the ground, m/s; infinite outside the analyzed frames.
    pub speed: Vec<f64>,
    /// Vertical velocity, m/s.
    pub rise: Vec<f64>,
    /// Whether that part is no leg.
    pub on_trunk_or_arms: Vec<bool>,
}

/// Number of bones of a body without roles that are looked at.
const MOST_BONES: usize = 60;

impl Rest {
    /// Finds the slowest of the bones that can carry `character`, and of the points on which it stands.
    pub(in crate::analysis) fn new(
        character: &Character,
        world: &WorldMotion,
        stance: &Stance,
        frames: &Frames,
    ) -> Self {
        let bones = carrying(character);
        let reach = frames.within(0.05);
        let velocity = |bone: usize, frame: usize| frames.velocity(|f| world.position(bone, f), frame, reach);
        let count = world.frames();
        let mut rest =
            Self { speed: vec![f64::INFINITY; count], rise: vec![0.0; count], on_trunk_or_arms: vec![false; count] };
        for &(bone, is_leg) in &bones {
            let over_ground = |f| velocity(bone, f) - stance.ground_velocity;
            frames.all().for_each(|f| rest.meet(f, over_ground(f), is_leg));
        }
        // A grip slides a little on its bar.
        if let Some(head) = character.bone_of(Role::Head) {
            for hand in [Side::Left, Side::Right].into_iter().filter_map(|side| character.bone_of(Role::Hand(side))) {
                let hangs = |f: &usize| world.position(hand, *f).y > world.position(head, *f).y;
                frames.all().filter(hangs).for_each(|f| rest.meet(f, velocity(hand, f) / 3.0, false));
            }
        }
        for point in &stance.points {
            let over_ground = |f| frames.velocity(|f| point.track[f], f, reach) - stance.ground_velocity;
            frames.all().for_each(|f| rest.meet(f, over_ground(f), true));
        }
        rest
    }

    fn meet(&mut self, frame: usize, velocity: DVec3, is_leg: bool) {
        let speed = velocity.length();
        if speed < self.speed[frame] {
            self.speed[frame] = speed;
            self.rise[frame] = velocity.y;
            self.on_trunk_or_arms[frame] = !is_leg;
        }
    }
}

/// Bones that can carry the body, each with whether it belongs to a leg.
fn carrying(character: &Character) -> Vec<(usize, bool)> {
    let of_role = |role: Role| match role {
        Role::Foot(_) | Role::Toes(_) | Role::LowerLeg(_) => Some(true),
        Role::Hips | Role::Spine | Role::Chest | Role::UpperChest | Role::Head => Some(false),
        Role::Hand(_) | Role::LowerArm(_) => Some(false),
        _ => None,
    };
    let roles = character.roles.iter().enumerate();
    let carrying: Vec<(usize, bool)> = roles.filter_map(|(bone, role)| Some((bone, role.and_then(of_role)?))).collect();
    if carrying.is_empty() {
        return (0..character.skeleton.len().min(MOST_BONES)).map(|bone| (bone, true)).collect();
    }
    carrying
}
