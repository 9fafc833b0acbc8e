//! Splits a file with several characters into one file per character.

use muybridge::character::{Bone, Skeleton};
use muybridge::motion::Clip;

use crate::Imported;

/// One of several characters in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileCharacter {
    /// Name in the file: of the character's skin, or of its first bone.
    pub name: String,
    /// The character's root bone.
    pub root: usize,
}

impl Imported {
    /// One file per character of [`Imported::figures`], with the clips that move it. Clip names get the character's name: “walker” in
    /// a file of one clip, “jump of walker” in a file of several. Empty if the file holds one character.
    ///
    /// Bones that belong to no character are left out with a note. A clip that moves no character goes to all of them.
    pub fn split_characters(&self) -> Vec<Self> {
        if self.figures.is_empty() {
            return Vec::new();
        }
        let (bones, top) = (self.skeleton.bones(), self.skeleton.tops());
        let owned = |bone: &usize| self.figures.iter().any(|figure| figure.root == top[*bone]);
        let left_over = (0..bones.len()).filter(|bone| !owned(bone)).count();
        let notes =
            (left_over > 0).then(|| format!("{left_over} moving nodes that belong to no character were left out"));
        let mine: Vec<Vec<usize>> = self
            .figures
            .iter()
            .map(|figure| (0..bones.len()).filter(|&bone| top[bone] == figure.root).collect())
            .collect();
        let moved: Vec<Vec<bool>> =
            self.clips.iter().map(|clip| mine.iter().map(|bones| moves(clip, bones)).collect()).collect();
        let of = |(index, figure): (usize, &FileCharacter)| {
            let chosen = self.clips.iter().zip(&moved).filter(|(_, moved)| moved[index] || !moved.contains(&true));
            let clips = chosen.map(|(clip, _)| self.clip_of(clip, &mine[index], &figure.name)).collect();
            let mut file = self.only(&mine[index], clips);
            file.ignored.extend(notes.clone());
            file
        };
        self.figures.iter().enumerate().map(of).filter(|file| !file.clips.is_empty()).collect()
    }

    fn clip_of(&self, clip: &Clip, bones: &[usize], figure: &str) -> Clip {
        let mut own = Clip::new(bones.len(), clip.frames(), clip.frame_time).expect("it has frames as the clip has");
        own.start_time = clip.start_time;
        own.name = match self.clips.len() {
            1 => figure.to_owned(),
            _ => format!("{} of {figure}", clip.name),
        };
        for (new, &bone) in bones.iter().enumerate() {
            for frame in 0..clip.frames() {
                own.set_rotation(new, frame, clip.rotation(bone, frame));
                own.set_translation(new, frame, clip.translation(bone, frame));
            }
        }
        own
    }

    /// The file with only these bones, parents before children, and with other clips.
    fn only(&self, bones: &[usize], clips: Vec<Clip>) -> Self {
        let new = |bone: usize| bones.binary_search(&bone).ok();
        let of = |&bone: &usize| {
            let old = &self.skeleton.bones()[bone];
            Bone { parent: old.parent.and_then(new), ..old.clone() }
        };
        let skeleton = Skeleton::new(bones.iter().map(of).collect()).expect("part of a skeleton is one");
        Self {
            skeleton,
            clips,
            roles: self.roles.iter().filter_map(|&(bone, role)| Some((new(bone)?, role))).collect(),
            shapes: self.shapes.iter().filter_map(|(bone, shape)| Some((new(*bone)?, shape.clone()))).collect(),
            misread_clock: self.misread_clock.clone(),
            skin_points: self.skin_points.iter().filter_map(|&(bone, point)| Some((new(bone)?, point))).collect(),
            figures: Vec::new(),
            format: self.format.clone(),
            meters_per_unit: self.meters_per_unit,
            up: self.up,
            ignored: self.ignored.clone(),
        }
    }
}

/// Whether a clip moves any of the bones.
fn moves(clip: &Clip, bones: &[usize]) -> bool {
    let is_still = |values: &[f64]| values.windows(2).all(|pair| pair[0] == pair[1]);
    let is_moved = |&bone: &usize| {
        !(0..4).all(|component| is_still(clip.rotation_track(bone, component)))
            || !(0..3).all(|component| is_still(clip.translation_track(bone, component)))
    };
    bones.iter().any(is_moved)
}
