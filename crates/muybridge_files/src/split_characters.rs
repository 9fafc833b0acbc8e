//! The characters of a file that holds several, and the part of the file that is one of them.
//!
//! A character is a tree of bones of its own: one with limbs, and not small beside the largest. Trees that one skin joins are one
//! character. A bone that stays where it is and carries several bodies, as exporters put one above a whole scene, is no character.

use muybridge::character::{Bone, Role, Side, Skeleton, roles};
use muybridge::motion::Clip;

use crate::Imported;

/// One of several characters in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCharacter {
    /// Name of its root bone in the file, with `#2` and so on where characters before have the same.
    pub name: String,
    /// Its root bones: several if one skin joins trees of bones.
    pub roots: Vec<usize>,
}

/// Least number of bones of a character, and of tips of its limbs.
const FEWEST_BONES: usize = 5;
const FEWEST_TIPS: usize = 3;
/// Times the bones that the largest character may have and a smaller tree still be one.
const TIMES_LARGER: usize = 4;

/// The characters of a skeleton; empty if it is one or none. `name` gives the name of a bone in the file, `skins` the bones of each
/// skin.
pub(crate) fn characters<'a>(
    skeleton: &Skeleton,
    name: impl Fn(usize) -> &'a str,
    clips: &[Clip],
    skins: &[Vec<usize>],
) -> Vec<FileCharacter> {
    let forest = BoneForest::new(skeleton);
    let mut trees: Vec<usize> = Vec::new();
    let mut waiting: Vec<usize> = skeleton.roots().collect();
    waiting.reverse();
    while let Some(root) = waiting.pop() {
        let bodies = forest.bodies_carried_by(root, clips);
        if bodies.is_empty() { trees.push(root) } else { waiting.extend(bodies.into_iter().rev()) }
    }
    let mut groups: Vec<Vec<usize>> = trees.into_iter().map(|root| vec![root]).collect();
    for skin in skins {
        let is_in = |group: &Vec<usize>| skin.iter().any(|&bone| group.iter().any(|&root| forest.is_in(bone, root)));
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_in);
        groups = apart;
        // One skin around several bodies is still around several.
        let bodies = joined.iter().flatten().filter(|&&root| forest.is_body(root)).count();
        groups.extend(if bodies > 1 { joined } else { vec![joined.concat()] });
        groups.retain(|group| !group.is_empty());
    }
    groups.sort();
    let size = |group: &Vec<usize>| group.iter().map(|&root| forest.below(root).len()).sum::<usize>();
    let largest = groups.iter().map(size).max().unwrap_or(0);
    let is_character = |group: &Vec<usize>| {
        let tips: usize = group.iter().map(|&root| forest.tips(root)).sum();
        let is_limb = group.iter().all(|&root| is_sided(name(root)));
        size(group) >= FEWEST_BONES && TIMES_LARGER * size(group) >= largest && tips >= FEWEST_TIPS && !is_limb
    };
    groups.retain(is_character);
    if groups.len() < 2 {
        return Vec::new();
    }
    let mut found: Vec<FileCharacter> = Vec::with_capacity(groups.len());
    for roots in groups {
        let own = name(roots[0]);
        let same = found.iter().filter(|other| name(other.roots[0]) == own).count();
        let name = if same == 0 { own.to_owned() } else { format!("{own}#{}", same + 1) };
        found.push(FileCharacter { name, roots });
    }
    found
}

/// The bones of a character, parents before children: those below its roots, and those above, which place it.
pub(crate) fn bones_of(skeleton: &Skeleton, roots: &[usize]) -> Vec<usize> {
    let bones = skeleton.bones();
    let (below, above) = around(roots, |bone| bones[bone].parent, 0..bones.len());
    (0..bones.len()).filter(|&bone| below[bone] || above[bone]).collect()
}

/// Which members of a forest are at or below the roots, and which are above them. `order` has all members, parents before children.
pub(crate) fn around(
    roots: &[usize],
    parent: impl Fn(usize) -> Option<usize>,
    order: impl ExactSizeIterator<Item = usize>,
) -> (Vec<bool>, Vec<bool>) {
    let (mut below, mut above) = (vec![false; order.len()], vec![false; order.len()]);
    for member in order {
        below[member] = roots.contains(&member) || parent(member).is_some_and(|parent| below[parent]);
    }
    for &root in roots {
        let mut next = parent(root);
        while let Some(member) = next {
            above[member] = true;
            next = parent(member);
        }
    }
    (below, above)
}

/// Whether a clip moves any of the bones.
pub(crate) fn moves(clip: &Clip, bones: &[usize]) -> bool {
    let is_still = |values: &[f64]| values.windows(2).all(|pair| pair[0] == pair[1]);
    let is_moved = |&bone: &usize| {
        !(0..4).all(|component| is_still(clip.rotation_track(bone, component)))
            || !(0..3).all(|component| is_still(clip.translation_track(bone, component)))
    };
    bones.iter().any(is_moved)
}

/// The trees of a skeleton.
struct BoneForest<'a> {
    skeleton: &'a Skeleton,
    children: Vec<Vec<usize>>,
}

impl<'a> BoneForest<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let mut children = vec![Vec::new(); skeleton.len()];
        for (bone, own) in skeleton.bones().iter().enumerate() {
            if let Some(parent) = own.parent {
                children[parent].push(bone);
            }
        }
        Self { skeleton, children }
    }

    fn is_in(&self, mut bone: usize, root: usize) -> bool {
        while bone != root {
            let Some(parent) = self.skeleton.bones()[bone].parent else { return false };
            bone = parent;
        }
        true
    }

    /// The bones of a tree, parents before children.
    fn below(&self, root: usize) -> Vec<usize> {
        let mut bones = vec![root];
        let mut next = 0;
        while next < bones.len() {
            bones.extend(&self.children[bones[next]]);
            next += 1;
        }
        bones.sort_unstable();
        bones
    }

    fn tips(&self, root: usize) -> usize {
        let bones = self.below(root);
        if bones.len() > 1 { bones.iter().filter(|&&bone| self.children[bone].is_empty()).count() } else { 0 }
    }

    /// The bones below `root` that carry a whole body each; empty unless there are several and `root` is part of none.
    fn bodies_carried_by(&self, root: usize, clips: &[Clip]) -> Vec<usize> {
        let mut bone = root;
        loop {
            if clips.iter().any(|clip| moves(clip, &[bone])) {
                return Vec::new();
            }
            match self.children[bone][..] {
                [] => return Vec::new(),
                [only] => bone = only,
                _ => break,
            }
        }
        let bodies: Vec<usize> = self.children[bone].iter().copied().filter(|&child| self.is_body(child)).collect();
        if bodies.len() > 1 { bodies } else { Vec::new() }
    }

    /// Whether a tree has the legs of a person, and a head or arms.
    fn is_body(&self, root: usize) -> bool {
        let bones = self.below(root);
        if bones.len() < 2 * FEWEST_BONES {
            return false;
        }
        let Ok(own) = Skeleton::new(part(self.skeleton, &bones)) else { return false };
        let found = roles(&own);
        let has = |role: Role| found.bone_of(role).is_some();
        let both = |role: fn(Side) -> Role| has(role(Side::Left)) && has(role(Side::Right));
        both(Role::LowerLeg) && (has(Role::Head) || both(Role::LowerArm))
    }
}

/// Whether a name says left or right.
fn is_sided(name: &str) -> bool {
    let plain = name.to_ascii_lowercase();
    let mut words = plain.split(|letter: char| !letter.is_ascii_alphanumeric());
    plain.contains("left") || plain.contains("right") || words.any(|word| matches!(word, "l" | "r"))
}

/// These bones of a skeleton, parents before children.
fn part(skeleton: &Skeleton, bones: &[usize]) -> Vec<Bone> {
    let new = |bone: usize| bones.binary_search(&bone).ok();
    let of = |&bone: &usize| {
        let old = &skeleton.bones()[bone];
        Bone { parent: old.parent.and_then(new), ..old.clone() }
    };
    bones.iter().map(of).collect()
}

impl Imported {
    /// The name of the character: that of its root bone, with a number where the file holds several of that name.
    pub fn character_name(&self) -> &str {
        if self.character.is_empty() { &self.skeleton.bones()[0].name } else { &self.character }
    }

    /// Only character `index` of [`Imported::characters`], with the clips that move it; all clips if none does.
    pub(crate) fn only_character(&self, index: usize) -> Self {
        let bones = bones_of(&self.skeleton, &self.characters[index].roots);
        let new = |bone: usize| bones.binary_search(&bone).ok();
        let mut clips: Vec<&Clip> = self.clips.iter().filter(|clip| moves(clip, &bones)).collect();
        if clips.is_empty() {
            clips.extend(&self.clips);
        }
        Self {
            format: self.format.clone(),
            skeleton: Skeleton::new(part(&self.skeleton, &bones)).expect("part of a skeleton is one"),
            clips: clips.into_iter().map(|clip| clip.of_bones(&bones)).collect(),
            meters_per_unit: self.meters_per_unit,
            up: self.up,
            roles: self.roles.iter().filter_map(|&(bone, role)| Some((new(bone)?, role))).collect(),
            shapes: self.shapes.iter().filter_map(|(bone, shape)| Some((new(*bone)?, shape.clone()))).collect(),
            skin_points: self.skin_points.iter().filter_map(|&(bone, point)| Some((new(bone)?, point))).collect(),
            misread_clock: self.misread_clock.clone(),
            ignored: self.ignored.clone(),
            characters: Vec::new(),
            character: String::new(),
            companions: Vec::new(),
        }
        .named_as_character(self, index)
    }

    /// This part of a file as character `index` of the whole.
    pub(crate) fn named_as_character(self, whole: &Self, index: usize) -> Self {
        Self {
            characters: whole.characters.clone(),
            character: whole.characters[index].name.clone(),
            companions: whole.skeleton.bones().iter().map(|bone| bone.name.clone()).collect(),
            ..self
        }
    }
}
