//! Opening a motion file: its kind is told by its content, and the document is kept so that it can be written back.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use muybridge::motion::Clip;
use muybridge::motion::resample;
use muybridge::skinning::SkinnedMesh;

use crate::formats::{self, FBX, FileFormat, GLB};
use crate::gltf::CharacterSkin;
use crate::sniff::sniff;
use crate::{AllowedFiles, Error, Imported, Location, bvh, fbx, gltf, split_characters};

/// Options of the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OpenOptions {
    /// Frames per second to sample at; `None` keeps the file's own rate.
    pub fps: Option<f64>,
}

/// A motion file in memory: skeleton and clips, and the document they were read from.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Skeleton and clips.
    pub imported: Imported,
    /// The faithful document, for writing a motion back into the file.
    pub document: SourceDocument,
    /// Bytes and origin of the file, for writing unchanged parts byte for byte.
    pub(crate) source: FileOrigin,
}

impl Opened {
    /// The format of the file.
    pub fn format(&self) -> &'static FileFormat {
        self.source.format
    }

    /// The file once for each of its characters, each time with the bones and clips of that one alone; once if it holds one.
    ///
    /// All of them have the whole document, so that what is written into it leaves the others as they are.
    pub fn characters(self) -> Result<Vec<Self>, Error> {
        match self.imported.characters.len() {
            0 => Ok(vec![self]),
            several => (0..several).map(|index| self.character(index)).collect(),
        }
    }

    /// This file with that one of its characters that `other` is, which was opened from the same file.
    pub fn with_character_of(&self, other: &Self) -> Result<Self, Error> {
        let name = &other.imported.character;
        let index = other.imported.characters.iter().position(|character| character.name == *name);
        index.map_or_else(|| Ok(self.clone()), |index| self.character(index))
    }

    /// The file with character `index` of [`Imported::characters`] alone, whichever of them this is.
    pub fn character(&self, index: usize) -> Result<Self, Error> {
        let whole = self.whole()?;
        let roots = &whole.imported.characters[index].roots;
        let (imported, document) = match &whole.document {
            SourceDocument::Bvh(document) => {
                let bones = split_characters::bones_of(&whole.imported.skeleton, roots);
                let document = document.clone().with_part(Some(bones));
                (whole.imported.only_character(index), SourceDocument::Bvh(document))
            }
            SourceDocument::Gltf(document) => {
                // Read anew: its clips have the times of its own keys.
                let document = gltf::part_of(document.clone(), roots)?;
                let own = gltf::import(&document, &gltf::ImportOptions { fps: whole.source.fps })?;
                (own.named_as_character(&whole.imported, index), SourceDocument::Gltf(document))
            }
            SourceDocument::ReadOnly => (whole.imported.only_character(index), SourceDocument::ReadOnly),
        };
        Ok(Self { imported, document, source: whole.source.clone() })
    }

    /// The file with all its characters. One that is only read stays the character that it is.
    fn whole(&self) -> Result<Cow<'_, Self>, Error> {
        let (imported, document) = match &self.document {
            _ if self.imported.character.is_empty() => return Ok(Cow::Borrowed(self)),
            SourceDocument::ReadOnly => return Ok(Cow::Borrowed(self)),
            SourceDocument::Bvh(document) => {
                let document = document.clone().with_part(None);
                (at_rate(bvh::import(&document)?, self.source.fps), SourceDocument::Bvh(document))
            }
            SourceDocument::Gltf(document) => {
                let document = document.clone().with_part(None);
                let options = gltf::ImportOptions { fps: self.source.fps };
                (gltf::import(&document, &options)?, SourceDocument::Gltf(document))
            }
        };
        let characters = self.imported.characters.clone();
        let imported = Imported { characters, ..imported };
        Ok(Cow::Owned(Self { imported, document, source: self.source.clone() }))
    }

    /// Whether frames of this character can be moved to other times only together with other characters that move: in a BVH.
    pub fn shares_times(&self) -> Result<bool, Error> {
        let SourceDocument::Bvh(document) = &self.document else { return Ok(false) };
        let Some(part) = document.part() else { return Ok(false) };
        let whole = bvh::import(&document.clone().with_part(None))?;
        let others: Vec<usize> = (0..whole.skeleton.len()).filter(|bone| part.binary_search(bone).is_err()).collect();
        Ok(split_characters::moves(&whole.clips[0], &others))
    }

    /// The meshes that the bones move, in file units, with notes on what they lose, one sentence each.
    pub(crate) fn skinned_meshes(&self) -> Result<(Vec<SkinnedMesh>, Vec<String>), Error> {
        match &self.document {
            SourceDocument::Gltf(document) => {
                let meshes = gltf::skinned_meshes(document)?;
                let note =
                    "the meshes are written without materials, textures and shapes; those without a skin are left out";
                let notes = (document.json()["meshes"].is_array()).then(|| note.to_owned());
                Ok((meshes, notes.into_iter().collect()))
            }
            SourceDocument::ReadOnly if *self.format() == FBX && self.imported.character.is_empty() => {
                fbx::meshes(&self.source.bytes)
            }
            _ => Ok(Default::default()),
        }
    }

    /// As [`Self::skinned_meshes`], with materials; `path` is that of the file, beside which its pictures are.
    pub(crate) fn skin(&self, path: &Path) -> Result<(CharacterSkin, Vec<String>), Error> {
        let SourceDocument::Gltf(document) = &self.document else {
            let (meshes, notes) = self.skinned_meshes()?;
            let meshes = meshes.into_iter().map(|mesh| (mesh, Default::default())).collect();
            return Ok((CharacterSkin { meshes, ..CharacterSkin::default() }, notes));
        };
        let (materials, mut notes) = gltf::Materials::read(document, &|name| sibling_file(path, name));
        let note = "the meshes are written with their materials, but without shapes; those without a skin are left out";
        notes.extend(document.json()["meshes"].is_array().then(|| note.to_owned()));
        Ok((CharacterSkin { meshes: gltf::meshes_with_looks(document)?, materials }, notes))
    }

    /// The extension of the file, without the dot; the usual one of its format where the file has one of another format.
    pub fn extension(&self) -> &'static str {
        self.source.extension
    }
}

/// The file that an [`Opened`] was read from.
#[derive(Clone, Debug)]
pub(crate) struct FileOrigin {
    /// The bytes of the file itself.
    pub bytes: Vec<u8>,
    /// The format of the file.
    pub format: &'static FileFormat,
    /// The extension of the file, one of its format.
    pub extension: &'static str,
    /// Frame rate at which it was read, 1/s; `None` is the file's own rate.
    pub fps: Option<f64>,
    /// Notes on losses when a motion was written into it, one sentence each.
    pub notes: Vec<String>,
}

impl FileOrigin {
    /// Adds notes that are not there yet.
    pub fn add_notes(&mut self, notes: Vec<String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }
}

/// The document a motion was read from.
#[derive(Clone, Debug)]
pub enum SourceDocument {
    /// A BVH file.
    Bvh(bvh::BvhDocument),
    /// A glTF, GLB, VRM or VRMA file.
    Gltf(gltf::GltfDocument),
    /// A format that is read, not written, such as FBX.
    ReadOnly,
}

/// Reads the motion file at `path`. Errors name the file and the place in it.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    let bytes = read(path)?;
    decode(path, bytes, options)
        .map_err(|error| if error.file.as_os_str().is_empty() { error.in_file(path) } else { error })
}

/// Reads the bytes of a regular file. The error says why it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    regular_file(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// Opens a regular file to read it. A folder, pipe, socket or device is an error, as is a link to one: they may never end.
pub fn regular_file(path: &Path) -> Result<File, Error> {
    let failed = |error| unreadable(path, &error);
    // Opening a pipe waits for its writer, so that its kind is asked before, and again of what was opened.
    is_regular(path, &std::fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    is_regular(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

fn is_regular(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    let message = match metadata {
        _ if metadata.is_file() => return Ok(()),
        _ if metadata.is_dir() => "this is a folder; name the files in it",
        _ => "this is a pipe, a socket or a device; give a regular file",
    };
    Err(Error::new(Location::File, message).in_file(path))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let message = match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::PermissionDenied => "this file may not be read (permission denied)".to_string(),
        _ => format!("this file cannot be read: {error}"),
    };
    Error::new(Location::File, message).in_file(path)
}

/// The same character of the file as before.
fn named_like(mut imported: Imported, before: &Imported) -> Imported {
    if !before.character.is_empty() {
        imported.character.clone_from(&before.character);
        imported.characters.clone_from(&before.characters);
        imported.companions.clone_from(&before.companions);
    }
    imported
}

/// Reads a BVH again from other bytes.
pub(crate) fn reopened_bvh(before: &Opened, bytes: Vec<u8>) -> Result<Opened, Error> {
    let part = match &before.document {
        SourceDocument::Bvh(document) => document.part().cloned(),
        _ => None,
    };
    let document = bvh::parse(&bytes)?.with_part(part);
    let imported = named_like(bvh::import(&document)?, &before.imported);
    let source = FileOrigin { bytes, fps: None, ..before.source.clone() };
    Ok(Opened { imported, document: SourceDocument::Bvh(document), source })
}

/// A glTF read again after it was written, at its own rate or another. Nothing but the animation `changed` differs.
pub(crate) fn reopened_gltf(
    before: &Opened,
    changed: gltf::ChangedAnimation,
    written: &gltf::WrittenGltf,
    fps: Option<f64>,
) -> Result<Opened, Error> {
    let SourceDocument::Gltf(document) = &before.document else { return glb(written.file.clone()) };
    let document = gltf::reopened(document, written)?;
    let options = gltf::ImportOptions { fps };
    let imported = match fps == before.source.fps {
        true => gltf::with_animation_read_again(&document, &before.imported, changed, &options)?,
        false => named_like(gltf::import(&document, &options)?, &before.imported),
    };
    let source = FileOrigin { bytes: written.file.clone(), fps, ..before.source.clone() };
    Ok(Opened { imported, document: SourceDocument::Gltf(document), source })
}

/// Reads a glTF at its own frame rate after it was read at another.
pub(crate) fn at_own_rate(opened: &Opened) -> Result<Opened, Error> {
    let SourceDocument::Gltf(document) = &opened.document else { return Ok(opened.clone()) };
    let imported = named_like(gltf::import(document, &gltf::ImportOptions::default())?, &opened.imported);
    let source = FileOrigin { fps: None, ..opened.source.clone() };
    Ok(Opened { imported, document: opened.document.clone(), source })
}

/// Reads a GLB from memory.
pub(crate) fn glb(bytes: Vec<u8>) -> Result<Opened, Error> {
    let document = gltf::parse(&bytes, &mut |_| None)?;
    let imported = gltf::import(&document, &gltf::ImportOptions::default())?;
    let source = FileOrigin { bytes, format: &GLB, extension: GLB.extension(), fps: None, notes: Vec::new() };
    Ok(Opened { imported, document: SourceDocument::Gltf(document), source })
}

/// Reads the bytes of a motion file. `path` tells its format where the content does not, and where the files are that it
/// names. Errors name the place in the file, not the file.
pub fn decode(path: &Path, bytes: Vec<u8>, options: &OpenOptions) -> Result<Opened, Error> {
    let refused = |sentence: &str| Error::new(Location::File, sentence);
    let format = sniff(path, &bytes).map_err(|sentence| refused(&sentence))?;
    let (imported, document) = format.motion.map_err(refused)?(path, &bytes, options)?;
    let own = formats::extension_of(path);
    let extension = format.extensions.iter().find(|known| **known == own).unwrap_or(&format.extensions[0]);
    // What is written back has the right clock.
    let bytes = match &document {
        SourceDocument::Bvh(bvh) if bvh.misread_clock().is_some() => bvh::with_clock(&bytes, bvh)?,
        _ => bytes,
    };
    let source = FileOrigin { bytes, format, extension, fps: options.fps, notes: Vec::new() };
    Ok(Opened { imported, document, source })
}

/// Reads a BVH.
pub(crate) fn bvh_motion(_: &Path, bytes: &[u8], options: &OpenOptions) -> Result<(Imported, SourceDocument), Error> {
    let document = bvh::parse(bytes)?;
    let imported = at_rate(bvh::import(&document)?, options.fps);
    Ok((imported, SourceDocument::Bvh(document)))
}

/// Reads a glTF, binary or text, with the files that it names.
pub(crate) fn gltf_motion(
    path: &Path,
    bytes: &[u8],
    options: &OpenOptions,
) -> Result<(Imported, SourceDocument), Error> {
    let document = gltf::parse(bytes, &mut |name| sibling_file(path, name))?;
    let imported = gltf::import(&document, &gltf::ImportOptions { fps: options.fps })?;
    Ok((imported, SourceDocument::Gltf(document)))
}

/// Reads an FBX.
pub(crate) fn fbx_motion(_: &Path, bytes: &[u8], options: &OpenOptions) -> Result<(Imported, SourceDocument), Error> {
    Ok((at_rate(fbx::read(bytes)?, options.fps), SourceDocument::ReadOnly))
}

/// Reads a file that a glTF names; only files inside the glTF's folder are read.
pub(crate) fn sibling_file(path: &Path, name: &str) -> Option<Vec<u8>> {
    let relative = Path::new(name);
    let is_plain = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    is_plain.then(|| read(&AllowedFiles::default().path(path.parent()?, name).ok()?).ok())?
}

/// Resamples all clips at another frame rate; `None` leaves them.
fn at_rate(mut imported: Imported, fps: Option<f64>) -> Imported {
    let Some(fps) = fps else { return imported };
    let slower = |clip: &Clip| resample(clip, fps);
    imported.clips = imported.clips.iter().map(slower).collect();
    imported
}
