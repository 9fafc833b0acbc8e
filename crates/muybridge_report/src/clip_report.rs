//! What a report is written from: one clip, who moves in it, and what was found about it.

use muybridge::analysis::Analysis;
use muybridge::character::{Character, Role, Side};
use muybridge::motion::Clip;

/// One analyzed clip, with everything a table, a picture or a page says about it.
#[derive(Clone, Copy, Debug)]
pub struct ClipReport<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Meters per unit of length of the file.
    pub meters_per_unit: f64,
    /// Why that unit, in words: "inferred: height 1.71 m".
    pub unit_source: &'a str,
    /// The axis of the file that points up: "x", "y" or "z".
    pub up: &'a str,
    /// What was found.
    pub analysis: &'a Analysis,
    /// What the reader left out, one sentence each.
    pub ignored: &'a [String],
    /// Who moves, in meters, y up.
    pub character: &'a Character,
    /// How it moves, in meters, y up.
    pub clip: &'a Clip,
}

/// A file that could not be read, as it appears among the clips.
#[derive(Clone, Copy, Debug)]
pub struct UnreadClip<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Why it could not be read, in a sentence.
    pub error: &'a str,
}

/// The role in words of a file: `hips`, `left_upper_arm`.
pub fn role_name(role: Role) -> String {
    let (side, part) = match role {
        Role::Hips => (None, "hips"),
        Role::Spine => (None, "spine"),
        Role::Chest => (None, "chest"),
        Role::UpperChest => (None, "upper_chest"),
        Role::Neck => (None, "neck"),
        Role::Head => (None, "head"),
        Role::Shoulder(side) => (Some(side), "shoulder"),
        Role::UpperArm(side) => (Some(side), "upper_arm"),
        Role::LowerArm(side) => (Some(side), "lower_arm"),
        Role::Hand(side) => (Some(side), "hand"),
        Role::UpperLeg(side) => (Some(side), "upper_leg"),
        Role::LowerLeg(side) => (Some(side), "lower_leg"),
        Role::Foot(side) => (Some(side), "foot"),
        Role::Toes(side) => (Some(side), "toes"),
    };
    match side {
        None => part.into(),
        Some(Side::Left) => format!("left_{part}"),
        Some(Side::Right) => format!("right_{part}"),
    }
}
