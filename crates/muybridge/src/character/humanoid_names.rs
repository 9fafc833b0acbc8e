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
    if let [letter] = &words[..]
        && ["c", "t", "l", "s"].contains(&letter.as_str())
        && name.ends_with(|last: char| last.is_ascii_digit())
    {
        // A vertebra: Xsens's T12, L5.
        let part = if letter == "c" { NamedPart::Neck } else { NamedPart::Trunk };
        return Meaning { part: Some(part), side: None, helper: false, deforms: false };
    }
    let mut side = None;
    let mut kept: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map_or("", |word| word.as_str());
        let (said, rest) = split_side(word, next);
        side = side.or(said);
        if !rest.is_empty() && !FILLERS.contains(&rest) {
            kept.push(rest);
        }
    }
    let helper = kept.iter().any(|word| is_helper(word));
    let part = if helper { None } else { longest_run(&kept) };
    Meaning { part, side, helper, deforms: words.iter().any(|word| word == "def") }
}

/// Whether the first of two names is the left one of a pair that differs by a side only, in the languages of most
/// files; `None` for other names.
pub(crate) fn named_sides(a: &str, b: &str) -> Option<bool> {
    const LEFT: [&str; 11] = ["left", "links", "gauche", "izq", "sini", "sx", "esq", "左", "왼", "лев", "lew"];
    const RIGHT: [&str; 11] = ["right", "rechts", "droite", "der", "destr", "dx", "dir", "右", "오른", "прав", "praw"];
    let [mut a, mut b] = [a, b].map(|name| {
        // Converters number all nodes: "LeftLeg_012".
        let name = name.trim_end_matches(|last: char| last.is_ascii_digit() || "_. ".contains(last));
        name.chars().take(128).flat_map(char::to_lowercase).collect::<Vec<char>>()
    });
    let ahead = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    (a, b) = (a.split_off(ahead), b.split_off(ahead));
    let behind = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    a.truncate(a.len() - behind);
    b.truncate(b.len() - behind);
    let [a, b] = [a, b].map(|letters| letters.into_iter().collect::<String>());
    let says = |word: &str, list: &[&str]| {
        !word.is_empty() && list.iter().any(|known| known.starts_with(word) || word.starts_with(known))
    };
    match (says(&a, &LEFT) && says(&b, &RIGHT), says(&a, &RIGHT) && says(&b, &LEFT)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

const FILLERS: [&str; 14] =
    ["joint", "jnt", "bone", "bind", "def", "org", "bip", "skeleton", "rig", "b", "j", "c", "mixamorig", "biped"];

const HELPERS: [&str; 76] = [
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
    "bun",
    "pocket",
    "capsule",
    "thumbs",
    "ｉｋ",
    "捩",
    "目",
    "指",
    "髪",
    "袖",
    "胸親",
    "キャンセル",
    "スカート",
    "ネクタイ",
];

const VOCABULARY: [(&str, NamedPart); 92] = [
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
    ("stomach", NamedPart::Trunk),
    ("upperbody", NamedPart::Trunk),
    ("lowerbody", NamedPart::Hip),
    ("shldr", NamedPart::Shoulder),
    ("uarm", NamedPart::UpperArm),
    ("farm", NamedPart::LowerArm),
    ("uleg", NamedPart::UpperLeg),
    ("lleg", NamedPart::LowerLeg),
    ("下半身", NamedPart::Hip),
    ("上半身", NamedPart::Trunk),
    ("首", NamedPart::Neck),
    ("頭", NamedPart::Head),
    ("肩", NamedPart::Clavicle),
    ("腕", NamedPart::UpperArm),
    ("ひじ", NamedPart::LowerArm),
    ("肘", NamedPart::LowerArm),
    ("手首", NamedPart::Hand),
    ("足", NamedPart::UpperLeg),
    ("ひざ", NamedPart::LowerLeg),
    ("膝", NamedPart::LowerLeg),
    ("足首", NamedPart::Foot),
    ("つま先", NamedPart::Toes),
    ("爪先", NamedPart::Toes),
    ("足先", NamedPart::Toes),
    ("腰", NamedPart::Trunk),
    ("胸", NamedPart::Trunk),
];

fn part_of(word: &str) -> Option<NamedPart> {
    VOCABULARY.iter().find(|(known, _)| *known == word).map(|&(_, part)| part)
}

fn is_helper(word: &str) -> bool {
    HELPERS.contains(&word) || HELPERS.iter().any(|helper| !helper.is_ascii() && word.contains(helper))
}

/// Lower-case words of a name, split at characters that are no letters and at camel case. Only the first 128 characters
/// count, so that the search stays small.
pub(crate) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().take(128).collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphabetic() {
            words.push(String::new());
            continue;
        }
        if at > 0 && letters[at - 1].is_alphabetic() && is_ideographic(letters[at - 1]) != is_ideographic(letter) {
            words.push(String::new());
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

/// Whether a letter belongs to a script of East Asia, whose words end where Latin letters begin.
fn is_ideographic(letter: char) -> bool {
    ('\u{3040}'..'\u{ff00}').contains(&letter)
}

/// Side in a word, and the rest of the word.
fn split_side<'a>(word: &'a str, next: &str) -> (Option<Side>, &'a str) {
    // OptiTrack's "LUArm" falls into "lu" and "arm".
    if ["lu", "lf", "ll", "ru", "rf", "rl"].contains(&word) && ["arm", "leg"].contains(&next) {
        return (Some(if word.starts_with('l') { Side::Left } else { Side::Right }), &word[1..]);
    }
    if part_of(word).is_some() || is_helper(word) {
        return (None, word);
    }
    const SPELLINGS: [(&str, Side); 6] = [
        ("left", Side::Left),
        ("right", Side::Right),
        ("lft", Side::Left),
        ("rgt", Side::Right),
        ("左", Side::Left),
        ("右", Side::Right),
    ];
    for (spelling, side) in SPELLINGS {
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
