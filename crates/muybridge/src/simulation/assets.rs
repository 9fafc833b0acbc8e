//! What a scene names and does not hold: characters with their clips, triangle meshes.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::scene::{Scene, file_word};
use crate::character::Character;
use crate::motion::Clip;

/// Everything a scene names, by the word it uses.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    /// Characters in metres, y up.
    pub characters: BTreeMap<String, Cast>,
    /// Meshes in metres, y up.
    pub meshes: BTreeMap<String, TriangleMesh>,
}

/// A character and the clips it can play.
#[derive(Clone, Debug)]
pub struct Cast {
    /// Who.
    pub character: Character,
    /// Clips of its skeleton.
    pub clips: Vec<Clip>,
}

/// The clip of a name among those of a character; the error is what to say of the name, and which there are.
pub(super) fn clip_named<'a>(clips: &'a [Clip], name: &str, character: &str) -> Result<&'a Clip, String> {
    clips.iter().find(|clip| clip.name == name).ok_or_else(|| {
        let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
        let there = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        format!("“{name}” is no clip of “{}”; {there}", file_word(character))
    })
}

/// Points and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Metres.
    pub points: Vec<DVec3>,
    /// Three points each.
    pub triangles: Vec<[usize; 3]>,
}

impl Assets {
    /// The character of that word; a sentence where it is not there.
    pub(super) fn cast(&self, word: &str) -> Result<&Cast, String> {
        self.characters.get(word).ok_or_else(|| format!("“{}” has not been loaded", file_word(word)))
    }
}

impl Scene {
    /// Names of the characters it needs.
    pub fn characters(&self) -> BTreeSet<&str> {
        let ragdolls = self.ragdolls.iter().map(|ragdoll| ragdoll.character.as_str());
        ragdolls.chain(self.herds.iter().map(|herd| herd.character.as_str())).collect()
    }

    /// Names of the meshes it needs.
    pub fn meshes(&self) -> BTreeSet<&str> {
        let cloths = self.cloths.iter().map(|cloth| cloth.mesh.as_str());
        let obstacles = self.obstacles.iter().map(|obstacle| obstacle.mesh.as_str());
        let carved = self.carved.iter().map(|body| body.mesh.as_str());
        cloths.chain(carved).chain(obstacles).filter(|name| !name.is_empty()).collect()
    }
}
