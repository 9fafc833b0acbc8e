//! What a bone is on a human body. The words are VRM's, which glTF authors know.

/// Left or right, the character's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

/// The part of a human body a bone moves. Each role is played by one bone at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Role {
    /// Pelvis.
    Hips,
    /// First bone above the hips.
    Spine,
    /// Thorax.
    Chest,
    /// Second bone of the thorax.
    UpperChest,
    /// Neck.
    Neck,
    /// Head.
    Head,
    /// Clavicle.
    Shoulder(Side),
    /// Shoulder to elbow.
    UpperArm(Side),
    /// Elbow to wrist.
    LowerArm(Side),
    /// From the wrist on.
    Hand(Side),
    /// Hip to knee.
    UpperLeg(Side),
    /// Knee to ankle.
    LowerLeg(Side),
    /// From the ankle on.
    Foot(Side),
    /// From the ball of the foot on.
    Toes(Side),
}
