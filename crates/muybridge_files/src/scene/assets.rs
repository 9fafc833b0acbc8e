//! Loads the characters, clips and meshes that a scene names: built-in ones, or files beside the scene.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use muybridge::analysis::begins_elsewhere;
use muybridge::character::Character;
use muybridge::motion::conform_clip;
use muybridge::samples;
use muybridge::simulation::scene::slot::GREATEST;
use muybridge::simulation::scene::{Cloth, EMBEDDED, Herd, MeshBody, Obstacle, Ragdoll, SceneError, Thing, nearest};
use muybridge::simulation::{Assets, Cast, CharacterSource, Scene, TriangleMesh};
use muybridge::skinning::SkinnedMesh;

use super::embedded::decoded;
use crate::formats::{FileFormat, listed};
use crate::gltf::CharacterSkin;
use crate::mesh::{self, MeshOptions};
use crate::open::{self, OpenOptions};
use crate::prepare::{BodyFile, Preparation, axis_of_word, prepare, prepare_sample, unit_of_word};
use crate::sniff::sniff;
use crate::{AllowedFiles, Error, formats};

/// Built-in meshes, which need no file.
const MESHES: [&str; 2] = ["skittle", "stool"];

/// Built-in characters, which need no file.
const BUILT_IN: [&str; 3] = ["humanoid", "mannequin", "quadruped"];

/// Loads all assets of a scene from `folder`, its folder, and below. Also returns notes on what was left out or assumed, one
/// sentence each.
///
/// # Errors
/// Names the thing whose file cannot be read, and the reason.
pub fn load(scene: &Scene, folder: &Path) -> Result<(Assets, Vec<String>), SceneError> {
    load_with(scene, folder, &AllowedFiles::default())
}

/// As [`load`], where a scene may also name the files that `allowed` names.
///
/// # Errors
/// As [`load`].
pub fn load_with(scene: &Scene, folder: &Path, allowed: &AllowedFiles) -> Result<(Assets, Vec<String>), SceneError> {
    let beside = SceneFolder { folder, allowed };
    let (mut assets, mut notes) = (Assets::default(), Vec::new());
    for source in scene.characters() {
        let name = source.character;
        let ragdoll = scene.ragdolls.iter().position(|ragdoll| ragdoll.source() == source);
        let herd = scene.herds.iter().position(|herd| herd.character == name);
        let kind = if ragdoll.is_some() { Ragdoll::KIND } else { Herd::KIND };
        let fault = |key, message| SceneError { kind, index: ragdoll.or(herd).unwrap_or(0), key, message };
        let preparation = preparation(&beside, &source).map_err(|(key, message)| fault(key, message))?;
        let cast = match built_in(name) {
            Some(mut cast) => {
                if !source.body.is_empty() {
                    let clip = samples::jump();
                    let prepared = prepare_sample(cast.character, clip, &preparation);
                    cast.character = prepared.map_err(|error| fault("body", error.to_string()))?.character;
                }
                cast
            }
            None => cast_of(&beside, name, &preparation, &mut notes).map_err(|message| fault("character", message))?,
        };
        assets.characters.insert(source.word(), cast);
    }
    for name in scene.meshes() {
        let mesh = mesh_of(&beside, name, &mut notes).map_err(|message| {
            let cloth = scene.cloths.iter().position(|cloth| cloth.mesh == name).map(|index| (Cloth::KIND, index));
            let body = scene.carved.iter().position(|body| body.mesh == name).map(|index| (MeshBody::KIND, index));
            let obstacle = scene.obstacles.iter().position(|obstacle| obstacle.mesh == name);
            let obstacle = (Obstacle::KIND, obstacle.unwrap_or(0));
            let (kind, index) = cloth.or(body).unwrap_or(obstacle);
            SceneError { kind, index, key: "mesh", message }
        })?;
        assets.meshes.insert(name.to_owned(), mesh);
    }
    Ok((assets, notes))
}

/// The folder of a scene, and the files that it may name.
struct SceneFolder<'a> {
    folder: &'a Path,
    allowed: &'a AllowedFiles,
}

impl SceneFolder<'_> {
    fn path(&self, name: &str) -> Result<PathBuf, String> {
        self.allowed.path(self.folder, name).map_err(|error| format!("cannot be read: {error}"))
    }

    /// A sentence about a file that cannot be read, without its content unless the user has named the file himself.
    fn unread(&self, path: &Path, error: Error) -> String {
        let is_named = self.allowed.named.iter().any(|named| named == path);
        let error = error.in_file(path);
        format!("cannot be read: {}", if is_named { error } else { error.without_quotes() })
    }
}

/// What the scene says about the file of a character; the error names the key.
fn preparation(beside: &SceneFolder<'_>, source: &CharacterSource<'_>) -> Result<Preparation, (&'static str, String)> {
    let given = |word: &'static str, text: &str| (!text.is_empty()).then_some((word, text.to_owned()));
    let wrong = |text: &str, needed: String| format!("“{text}” is not {needed}");
    let unit =
        given("unit", source.unit).map(|(key, text)| unit_of_word(&text).map_err(|why| (key, wrong(&text, why))));
    let up = given("up", source.up).map(|(key, text)| axis_of_word(&text).map_err(|why| (key, wrong(&text, why))));
    let body = given("body", source.body).map(|(key, text)| {
        let path = beside.path(&text).map_err(|message| (key, message))?;
        BodyFile::read_with(&path, beside.allowed).map_err(|error| (key, beside.unread(&path, error)))
    });
    let bodies = body.transpose()?.into_iter().collect();
    Ok(Preparation { unit: unit.transpose()?, up: up.transpose()?, bodies, ..Preparation::default() })
}

/// Replaces the file names of a scene by absolute paths, resolved from `folder`, so that the scene can be written anywhere.
pub fn with_whole_paths(scene: &Scene, folder: &Path) -> Scene {
    let mut scene = scene.clone();
    let characters = scene.ragdolls.iter_mut().flat_map(|ragdoll| [&mut ragdoll.character, &mut ragdoll.body]);
    let characters = characters.chain(scene.herds.iter_mut().map(|herd| &mut herd.character));
    let characters = characters.filter(|name| built_in(name).is_none() && !name.starts_with(EMBEDDED));
    let meshes = scene.cloths.iter_mut().map(|cloth| &mut cloth.mesh);
    let meshes = meshes.chain(scene.carved.iter_mut().map(|body| &mut body.mesh));
    let meshes = meshes.chain(scene.obstacles.iter_mut().map(|obstacle| &mut obstacle.mesh));
    let meshes = meshes.filter(|name| built_in_mesh(name).is_none());
    for name in characters.chain(meshes).filter(|name| !name.is_empty()) {
        // Names that are no files stay, so that the same error is reported for them.
        if let Some(whole) = std::path::absolute(folder.join(&*name)).ok().filter(|whole| whole.is_file())
            && let Ok(whole) = whole.into_os_string().into_string()
        {
            *name = whole;
        }
    }
    scene
}

/// Returns a built-in character with its clips; `None` for other names.
pub fn built_in(name: &str) -> Option<Cast> {
    let (character, clips): (Character, Vec<_>) = match name {
        "humanoid" => (samples::humanoid(), vec![samples::jump(), samples::walk()]),
        "mannequin" => (samples::mannequin(), Vec::new()),
        "quadruped" => (samples::quadruped(), Vec::new()),
        _ => return None,
    };
    Some(Cast { character, clips })
}

fn cast_of(
    beside: &SceneFolder<'_>,
    name: &str,
    preparation: &Preparation,
    notes: &mut Vec<String>,
) -> Result<Cast, String> {
    let (path, bytes) = file_of(beside, name)?;
    let told = |error: Error| match decoded(name) {
        Some(_) => format!("cannot be read: {}", error.in_file(&path)),
        None => beside.unread(&path, error),
    };
    cast_in(&path, bytes, preparation, notes).map_err(told)
}

/// Path and bytes of the file of a character.
fn file_of(beside: &SceneFolder<'_>, name: &str) -> Result<(PathBuf, Vec<u8>), String> {
    if let Some(file) = decoded(name) {
        return file;
    }
    let path = beside.path(name)?;
    if path.is_dir() {
        let known = listed(&formats::names(FileFormat::holds_character), "or");
        return Err(format!("“{name}” is a folder; name a file in it: {known}"));
    }
    if !path.exists() {
        let near =
            nearest(name, BUILT_IN.into_iter()).map_or_else(String::new, |near| format!("; did you mean “{near}”?"));
        let known = BUILT_IN.join(", ");
        return Err(format!("“{name}” is neither {known} nor a file at {}{near}", path.display()));
    }
    let bytes = open::read(&path).map_err(|error| beside.unread(&path, error))?;
    Ok((path, bytes))
}

/// The skins of the characters of a scene, for a run that is written with them, and notes on what they leave out. A character
/// without a skin, or of a file that cannot be read, has none.
pub fn skins(scene: &Scene, folder: &Path, allowed: &AllowedFiles) -> (Skins, Vec<String>) {
    let beside = SceneFolder { folder, allowed };
    let (mut skins, mut notes) = (Skins::default(), Vec::new());
    for source in scene.characters() {
        let Some((skin, said)) = skin_of(&beside, &source) else { continue };
        if skin.meshes.is_empty() {
            continue;
        }
        let skin = Arc::new(skin);
        let herds = scene
            .herds
            .iter()
            .filter(|herd| source == CharacterSource { character: &herd.character, ..CharacterSource::default() });
        let ragdolls = scene.ragdolls.iter().filter(|ragdoll| ragdoll.source() == source).map(|ragdoll| &ragdoll.name);
        for name in ragdolls.chain(herds.map(|herd| &herd.name)) {
            skins.0.insert(name.clone(), skin.clone());
        }
        notes.extend(said.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    (skins, notes)
}

/// The meshes that the bones of a character move, in meters, and notes.
fn skin_of(beside: &SceneFolder<'_>, source: &CharacterSource<'_>) -> Option<(CharacterSkin, Vec<String>)> {
    if built_in(source.character).is_some() {
        return None;
    }
    let (path, bytes) = file_of(beside, source.character).ok()?;
    let opened = open::decode(&path, bytes, &OpenOptions::default()).ok()?;
    if !opened.imported.characters.is_empty() {
        return None;
    }
    let prepared = prepare(&opened.imported, 0, &preparation(beside, source).ok()?).ok()?;
    let (mut skin, notes) = opened.skin(&path).ok()?;
    let bones = prepared.character.skeleton.len();
    let fits = |mesh: &SkinnedMesh| mesh.skin.joints().iter().all(|joint| joint.bone < bones);
    let meters = prepared.units.meters_per_unit;
    let fitting = skin.meshes.into_iter().filter(|(mesh, _)| fits(mesh));
    skin.meshes = fitting.map(|(mesh, look)| (mesh.scaled(meters), look)).collect();
    Some((skin, notes))
}

/// Meshes that bones move, by the name of a ragdoll or herd.
#[derive(Clone, Debug, Default)]
pub struct Skins(BTreeMap<String, Arc<CharacterSkin>>);

impl Skins {
    /// The meshes of a recorded character, which may be one of a herd.
    pub(crate) fn of(&self, name: &str) -> Option<&Arc<CharacterSkin>> {
        let of_herd = || name.rsplit_once(' ').and_then(|(herd, _)| self.0.get(herd));
        self.0.get(name).or_else(of_herd)
    }
}

/// Reads the character of a file, with all its clips.
fn cast_in(path: &Path, bytes: Vec<u8>, preparation: &Preparation, notes: &mut Vec<String>) -> Result<Cast, Error> {
    if let Some(read) = sniff(path, &bytes).ok().and_then(|format| format.character) {
        return Ok(Cast { character: read(&bytes)?, clips: Vec::new() });
    }
    let mut opened = open::decode(path, bytes, &OpenOptions::default())?;
    if let [first, others @ ..] = &opened.imported.characters[..] {
        let names: Vec<String> = others.iter().map(|other| format!("“{}”", other.name)).collect();
        let sentence = format!("“{}” takes part, without {}", first.name, names.join(", "));
        notes.push(format!("{}: {sentence} (muybridge convert --character NAME writes one alone)", path.display()));
        opened = opened.character(0)?;
    }
    let prepared = prepare(&opened.imported, 0, preparation)?;
    notes.push(format!("{}: {}", path.display(), prepared.unit_in_words()));
    notes.extend(prepared.units.suspicious.iter().map(|doubt| format!("{}: {doubt}", path.display())));
    notes.extend(prepared.ignored.iter().map(|note| format!("{}: {note}", path.display())));
    let (meters, up) = (prepared.units.meters_per_unit, prepared.units.up);
    let others = opened.imported.clips.iter().map(|clip| conform_clip(&opened.imported.skeleton, clip, meters, up));
    let mut clips: Vec<_> = others.collect();
    let title = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    for clip in clips.iter_mut().filter(|clip| clip.name.is_empty()) {
        clip.name.clone_from(&title);
    }
    for clip in clips.iter_mut().filter(|clip| begins_elsewhere(&prepared.character, clip)) {
        *clip = clip.cut(1, clip.frames());
        let name = &clip.name;
        notes.push(format!("{}: the first frame of “{name}” is a pose from elsewhere; left out", path.display()));
    }
    let mut character = prepared.character;
    notes.extend(character.learn_ranges(&clips).map(|note| format!("{}: {note}", path.display())));
    Ok(Cast { character, clips })
}

/// Returns a built-in mesh; `None` for other names.
pub fn built_in_mesh(name: &str) -> Option<TriangleMesh> {
    let (points, triangles) = match name {
        "skittle" => samples::skittle(),
        "stool" => samples::stool(),
        _ => return None,
    };
    Some(TriangleMesh { points, triangles })
}

fn mesh_of(beside: &SceneFolder<'_>, name: &str, notes: &mut Vec<String>) -> Result<TriangleMesh, String> {
    if let Some(mesh) = built_in_mesh(name) {
        return Ok(mesh);
    }
    let path = beside.path(name)?;
    if !path.exists() {
        let near =
            nearest(name, MESHES.into_iter()).map_or_else(String::new, |near| format!("; did you mean “{near}”?"));
        let known = MESHES.join(", ");
        return Err(format!("“{name}” is neither {known} nor a file at {}{near}", path.display()));
    }
    let read = mesh::open(&path, &MeshOptions { weld: Some(0.0) }).map_err(|error| beside.unread(&path, error))?;
    notes.extend(read.notes.iter().map(|note| format!("{}: {note}", path.display())));
    if read.mesh.points.iter().any(|point| point.abs().max_element() > GREATEST) {
        return Err(format!("cannot be read: {}: a point is beyond {GREATEST:e} m; check its unit", path.display()));
    }
    Ok(TriangleMesh { points: read.mesh.points, triangles: read.mesh.triangles })
}
