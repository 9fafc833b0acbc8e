//! Meaning of a bone's name: side and body part.
//!
//! Names are cut into words at punctuation, digits and camel case, the side is taken out ("L", "left" at either end or
//! fused as in "lfemur"), and the longest run of the remaining words found in the vocabulary gives the part. So
//! "mixamorig:LeftUpLeg", "DEF-thigh.L", "Bip01 L Thigh" and "lfemur" all say the same thing without being listed.

use super::Side;

/// Body part in a bone's name. Several words are ambiguous between rigs; the bone's chain decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedPart {
    /// Pelvis, or a hip joint if the name has a side.
    Hip,
    /// Any part between pelvis and neck.
    Trunk,
    /// Neck.
    Neck,
    /// Head.
    Head,
    /// Clavicle or collar, unambiguous.
    Clavicle,
    /// "Shoulder": the clavicle in some rigs, the shoulder joint in others.
    Shoulder,
    /// Upper arm, unambiguous.
    UpperArm,
    /// "Arm": the upper arm, or every bone of the arm.
    Arm,
    /// Forearm or elbow.
    LowerArm,
    /// Hand or wrist.
    Hand,
    /// Thigh, unambiguous.
    UpperLeg,
    /// "Leg": the thigh, the shin, or every bone of the leg.
    Leg,
    /// Shin or knee.
    LowerLeg,
    /// Foot or ankle.
    Foot,
    /// Toes or the ball of the foot.
    Toes,
}

/// Meaning of a bone's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// Body part; `None` if the vocabulary has no match or the bone is a helper.
    pub part: Option<NamedPart>,
    /// Left or right; `None` if the name has no side.
    pub side: Option<Side>,
    /// Whether the bone is an IK target, a control, twist, end, finger, face or cloth bone, and so no segment of the
    /// body.
    pub helper: bool,
    /// Whether the name marks a bone that deforms the skin (Rigify: "DEF").
    pub deforms: bool,
}

/// Parses a bone's name.
pub(crate) fn meaning(name: &str) -> Meaning {
    let words = words(name.rsplit(':').next().unwrap_or(name));
    let mut side = None;
    let mut kept: Vec<&str> = Vec::new();
    for word in &words {
        let (said, rest) = split_side(word);
        side = side.or(said);
        if !rest.is_empty() && !FILLERS.contains(&rest) {
            kept.push(rest);
        }
    }
    let helper = kept.iter().any(|word| is_helper(word));
    let part = if helper { None } else { longest_run(&kept) };
    Meaning { part, side, helper, deforms: words.iter().any(|word| word == "def") }
}

const FILLERS: [&str; 14] =
    ["joint", "jnt", "bone", "bind", "def", "org", "bip", "skeleton", "rig", "b", "j", "c", "mixamorig", "biped"];

const HELPERS: [&str; 62] = [
    "ik",
    "fk",
    "mch",
    "pole",
    "target",
    "ctrl",
    "control",
    "controller",
    "twist",
    "roll",
    "rigmesh",
    "mesh",
    "end",
    "nub",
    "slot",
    "handslot",
    "socket",
    "attach",
    "prop",
    "weapon",
    "finger",
    "fingers",
    "thumb",
    "index",
    "middle",
    "ring",
    "pinky",
    "little",
    "palm",
    "metacarpal",
    "eye",
    "eyes",
    "jaw",
    "mouth",
    "lip",
    "tongue",
    "teeth",
    "brow",
    "eyebrow",
    "lid",
    "eyelid",
    "nose",
    "ear",
    "cheek",
    "face",
    "hair",
    "skirt",
    "tail",
    "cape",
    "cloth",
    "breast",
    "bust",
    "tweak",
    "helper",
    "dummy",
    "heel",
    "subtalar",
    "tip",
    "corrective",
    "volume",
    "muscle",
    "adj",
];

const VOCABULARY: [(&str, NamedPart); 66] = [
    ("hips", NamedPart::Hip),
    ("hip", NamedPart::Hip),
    ("pelvis", NamedPart::Hip),
    ("spine", NamedPart::Trunk),
    ("chest", NamedPart::Trunk),
    ("upperchest", NamedPart::Trunk),
    ("torso", NamedPart::Trunk),
    ("thorax", NamedPart::Trunk),
    ("ribcage", NamedPart::Trunk),
    ("waist", NamedPart::Trunk),
    ("abdomen", NamedPart::Trunk),
    ("ab", NamedPart::Trunk),
    ("belly", NamedPart::Trunk),
    ("trunk", NamedPart::Trunk),
    ("back", NamedPart::Trunk),
    ("lowerback", NamedPart::Trunk),
    ("upperback", NamedPart::Trunk),
    ("lowback", NamedPart::Trunk),
    ("upback", NamedPart::Trunk),
    ("neck", NamedPart::Neck),
    ("lowerneck", NamedPart::Neck),
    ("upperneck", NamedPart::Neck),
    ("head", NamedPart::Head),
    ("skull", NamedPart::Head),
    ("clavicle", NamedPart::Clavicle),
    ("collar", NamedPart::Clavicle),
    ("collarbone", NamedPart::Clavicle),
    ("scapula", NamedPart::Clavicle),
    ("shoulder", NamedPart::Shoulder),
    ("upperarm", NamedPart::UpperArm),
    ("uparm", NamedPart::UpperArm),
    ("humerus", NamedPart::UpperArm),
    ("bicep", NamedPart::UpperArm),
    ("biceps", NamedPart::UpperArm),
    ("arm", NamedPart::Arm),
    ("forearm", NamedPart::LowerArm),
    ("lowerarm", NamedPart::LowerArm),
    ("lowarm", NamedPart::LowerArm),
    ("elbow", NamedPart::LowerArm),
    ("radius", NamedPart::LowerArm),
    ("ulna", NamedPart::LowerArm),
    ("hand", NamedPart::Hand),
    ("wrist", NamedPart::Hand),
    ("upperleg", NamedPart::UpperLeg),
    ("upleg", NamedPart::UpperLeg),
    ("thigh", NamedPart::UpperLeg),
    ("femur", NamedPart::UpperLeg),
    ("leg", NamedPart::Leg),
    ("lowerleg", NamedPart::LowerLeg),
    ("lowleg", NamedPart::LowerLeg),
    ("shin", NamedPart::LowerLeg),
    ("calf", NamedPart::LowerLeg),
    ("shank", NamedPart::LowerLeg),
    ("tibia", NamedPart::LowerLeg),
    ("knee", NamedPart::LowerLeg),
    ("crus", NamedPart::LowerLeg),
    ("foot", NamedPart::Foot),
    ("ankle", NamedPart::Foot),
    ("talus", NamedPart::Foot),
    ("toe", NamedPart::Toes),
    ("toes", NamedPart::Toes),
    ("toebase", NamedPart::Toes),
    ("ball", NamedPart::Toes),
    ("forefoot", NamedPart::Toes),
    ("hipjoint", NamedPart::Hip),
    ("toejoint", NamedPart::Toes),
];

fn part_of(word: &str) -> Option<NamedPart> {
    VOCABULARY.iter().find(|(known, _)| *known == word).map(|&(_, part)| part)
}

fn is_helper(word: &str) -> bool {
    HELPERS.contains(&word)
}

/// Lower-case words of a name, split at characters that are no letters and at camel case. Only the first 128 characters
/// count, so that the search stays small.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().take(128).collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphabetic() {
            words.push(String::new());
            continue;
        }
        let after_lower = at > 0 && letters[at - 1].is_lowercase();
        let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let after_upper = at > 0 && letters[at - 1].is_uppercase();
        if letter.is_uppercase() && (after_lower || (after_upper && before_lower)) {
            words.push(String::new());
        }
        words.last_mut().expect("never empty").extend(letter.to_lowercase());
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Side in a word, and the rest of the word.
fn split_side(word: &str) -> (Option<Side>, &str) {
    if part_of(word).is_some() || is_helper(word) {
        return (None, word);
    }
    for (spelling, side) in [("left", Side::Left), ("right", Side::Right), ("lft", Side::Left), ("rgt", Side::Right)] {
        if let Some(rest) = word.strip_prefix(spelling).or_else(|| word.strip_suffix(spelling)) {
            return (Some(side), rest);
        }
    }
    for (spelling, side) in [("l", Side::Left), ("r", Side::Right)] {
        if let Some(rest) = word.strip_prefix(spelling)
            && (rest.is_empty() || part_of(rest).is_some() || is_helper(rest))
        {
            return (Some(side), rest);
        }
    }
    (None, word)
}

/// Body part of the longest run of consecutive words; of equally long runs, the last.
fn longest_run(words: &[&str]) -> Option<NamedPart> {
    let words = &words[words.len().saturating_sub(12)..];
    (1..=words.len()).rev().find_map(|length| {
        (0..=words.len() - length).rev().find_map(|start| part_of(&words[start..start + length].concat()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{Left, Right};

    #[test]
    fn every_convention_says_left_thigh() {
        for name in [
            "LeftUpLeg",
            "mixamorig:LeftUpLeg",
            "Character1_LeftUpLeg",
            "J_Bip_L_UpperLeg",
            "leftUpperLeg",
            "DEF-thigh.L",
            "thigh_l",
            "Bip01 L Thigh",
            "lfemur",
            "thigh_left",
            "upperleg.l",
            "UpperLeg.L",
        ] {
            let said = meaning(name);
            assert_eq!((said.part, said.side, said.helper), (Some(NamedPart::UpperLeg), Some(Left), false), "{name}");
        }
    }

    #[test]
    fn words_that_begin_like_a_side_are_not_sided() {
        for name in ["lowerback", "LowerBack", "ribcage", "root", "upperneck", "waist_lower"] {
            assert_eq!(meaning(name).side, None, "{name}");
        }
        assert_eq!(meaning("lowerback").part, Some(NamedPart::Trunk));
        assert_eq!(meaning("rradius").side, Some(Right));
        assert_eq!(meaning("rradius").part, Some(NamedPart::LowerArm));
    }

    #[test]
    fn helpers_are_no_parts() {
        for name in [
            "IK-foot.l",
            "control-heel-roll.r",
            "PoleTarget.L",
            "L_Humerus_RIGMESH",
            "LeftForeArmRoll",
            "LeftHandIndex1",
            "LFingers",
            "HeadTop_End",
            "LeftToeEnd",
            "handslot.l",
            "kneeIK.r",
            "lthumb",
            "J_Sec_Hair1",
            "Bip01 R Toe0Nub",
        ] {
            assert!(meaning(name).helper && meaning(name).part.is_none(), "{name}: {:?}", meaning(name));
        }
    }
}
