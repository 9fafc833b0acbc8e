//! Planted limbs: the frames in which the end of each limb stands on something.

use crate::analysis::Analysis;
use crate::character::{Character, Skeleton};
use crate::motion::ik::{Limb, limbs};

/// A limb and the frames in which its end is planted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlantedLimb {
    /// The limb, with its end bone.
    pub limb: Limb,
    /// Planted flags, one per frame of the clip.
    pub frames: Vec<bool>,
}

/// Lists the limbs of `character` whose ends (or their descendants: toes, fingers) touch in some frame of the analysis.
pub(crate) fn planted(character: &Character, analysis: &Analysis) -> Vec<PlantedLimb> {
    let stands = |limb: Limb| {
        let carried = below(&character.skeleton, limb.end);
        let frames: Vec<bool> =
            analysis.per_frame.contacts.iter().map(|bones| bones.iter().any(|&bone| carried[bone])).collect();
        frames.contains(&true).then_some(PlantedLimb { limb, frames })
    };
    limbs(character).into_iter().filter_map(stands).collect()
}

/// Flags the bone and all its descendants, one flag per bone.
pub(super) fn below(skeleton: &Skeleton, bone: usize) -> Vec<bool> {
    let mut flags = vec![false; skeleton.len()];
    flags[bone] = true;
    for child in bone + 1..skeleton.len() {
        flags[child] = skeleton.bones()[child].parent.is_some_and(|parent| flags[parent]);
    }
    flags
}
