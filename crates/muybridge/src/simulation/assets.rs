//! Characters with clips and triangle meshes that a scene names but does not hold.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::scene::slot::GREATEST;
use super::scene::{Ragdoll, Scene, file_word};
use crate::character::{Body, Bone, Character};
use crate::collision::shape::{PlacedShape, Shape};
use crate::motion::Clip;

/// All files of a scene, by the word that the scene uses for each.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    /// Characters by word, in meters, y up.
    pub characters: BTreeMap<String, Cast>,
    /// Meshes by word, in meters, y up.
    pub meshes: BTreeMap<String, TriangleMesh>,
}

/// A character and the clips it can play.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The character: skeleton, masses, joint limits.
    pub character: Character,
    /// Clips of its skeleton.
    pub clips: Vec<Clip>,
}

/// Finds a character's clip by name. The error names the clips that exist.
pub(super) fn clip_named<'a>(clips: &'a [Clip], name: &str, character: &str) -> Result<&'a Clip, String> {
    clips.iter().find(|clip| clip.name == name).ok_or_else(|| {
        let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
        let there = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        format!("names “{name}”, but “{}” has no clip of that name; {there}", file_word(character))
    })
}

/// A mesh of points and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Positions, meters.
    pub points: Vec<DVec3>,
    /// Triangles, as three indices of points each.
    pub triangles: Vec<[usize; 3]>,
}

impl Assets {
    /// Finds a loaded character by its word; the error is a sentence.
    pub(super) fn cast(&self, word: &str) -> Result<&Cast, String> {
        let name = file_word(word);
        let cast = self.characters.get(word).ok_or_else(|| format!("names “{name}”, which has not been loaded"))?;
        cast.beyond().map_or(Ok(cast), |what| {
            Err(format!(
                "names “{name}”, in which {what} is beyond {GREATEST:e}; check the unit and the numbers of the file"
            ))
        })
    }
}

impl Cast {
    /// A quantity that is too large to compute with, in words; `None` if there is none.
    fn beyond(&self) -> Option<String> {
        // A number that is not finite is beyond, too.
        let far = |numbers: &[f64]| !numbers.iter().all(|number| number.abs() <= GREATEST);
        let far_off = |place: &DVec3| far(&place.to_array());
        let far_shape = |placed: &PlacedShape| {
            far_off(&placed.position)
                || match placed.shape {
                    Shape::Sphere { radius } => far(&[radius]),
                    Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                        far(&[radius, half_length])
                    }
                    Shape::Box { half_extents: sizes } | Shape::Ellipsoid { semi_axes: sizes } => far_off(&sizes),
                }
        };
        let far_body = |body: &Body| {
            far(&[body.mass])
                || far_off(&body.center)
                || far(&body.inertia.to_cols_array())
                || body.shapes.iter().any(far_shape)
        };
        let Character { skeleton, bodies, contacts, .. } = &self.character;
        let bones = skeleton.bones();
        let far_bone = |bone: &Bone| far_off(&bone.translation) || bone.ends.iter().any(far_off);
        if let Some(bone) = bones.iter().position(far_bone) {
            return Some(format!("a length of bone {}", bone + 1));
        }
        if let Some(bone) = bodies.iter().position(far_body) {
            return Some(format!("the mass, a moment or a shape of bone {}", bone + 1));
        }
        if let Some(contact) = contacts.iter().position(|at| far_off(&at.position) || far(&[at.radius])) {
            return Some(format!("contact {}", contact + 1));
        }
        let moves_far = |clip: &Clip| {
            (0..clip.bones()).any(|bone| (0..3).any(|component| far(clip.translation_track(bone, component))))
        };
        self.clips.iter().position(moves_far).map(|clip| format!("a place in clip {}", clip + 1))
    }
}

/// How the file of a character is read; an empty word is as the file says, or inferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CharacterSource<'a> {
    /// The file, or the name of a built-in character.
    pub character: &'a str,
    /// Unit of the file.
    pub unit: &'a str,
    /// Axis that points up in the file.
    pub up: &'a str,
    /// File of masses.
    pub body: &'a str,
}

impl CharacterSource<'_> {
    /// The word of the character in [`Assets::characters`].
    pub fn word(&self) -> String {
        let Self { character, unit, up, body } = self;
        let options = [unit, up, body].map(|word| format!("\n{word}")).concat();
        if options.trim().is_empty() { (*character).to_owned() } else { format!("{character}{options}") }
    }
}

impl Ragdoll {
    /// How its character is read.
    pub fn source(&self) -> CharacterSource<'_> {
        CharacterSource { character: &self.character, unit: &self.unit, up: &self.up, body: &self.body }
    }
}

impl Scene {
    /// The characters that the scene needs.
    pub fn characters(&self) -> BTreeSet<CharacterSource<'_>> {
        let of = |character| CharacterSource { character, ..CharacterSource::default() };
        let herds = self.herds.iter().map(|herd| of(&herd.character));
        self.ragdolls.iter().map(Ragdoll::source).chain(herds).collect()
    }

    /// Words of the meshes that the scene needs.
    pub fn meshes(&self) -> BTreeSet<&str> {
        let cloths = self.cloths.iter().map(|cloth| cloth.mesh.as_str());
        let obstacles = self.obstacles.iter().map(|obstacle| obstacle.mesh.as_str());
        let carved = self.carved.iter().map(|body| body.mesh.as_str());
        cloths.chain(carved).chain(obstacles).filter(|name| !name.is_empty()).collect()
    }
}
