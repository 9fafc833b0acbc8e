//! Opening a motion file: its kind is told by its content, and the document is kept so that it can be written back.

use std::path::Path;

use muybridge::motion::Clip;
use muybridge::motion::resample;

use crate::formats::{self, FileFormat, GLB};
use crate::sniff::sniff;
use crate::{Error, Imported, Location, bvh, fbx, gltf};

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

/// Reads the bytes of a file. The error says why it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    if path.is_dir() {
        return Err(Error::new(Location::File, "this is a folder; name the files in it").in_file(path));
    }
    std::fs::read(path).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_string(),
            std::io::ErrorKind::PermissionDenied => "this file may not be read (permission denied)".to_string(),
            _ => format!("this file cannot be read: {error}"),
        };
        Error::new(Location::File, message).in_file(path)
    })
}

/// Reads a BVH again from other bytes.
pub(crate) fn reopened_bvh(before: &Opened, bytes: Vec<u8>) -> Result<Opened, Error> {
    let document = bvh::parse(&bytes)?;
    let imported = bvh::import(&document)?;
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
        false => gltf::import(&document, &options)?,
    };
    let source = FileOrigin { bytes: written.file.clone(), fps, ..before.source.clone() };
    Ok(Opened { imported, document: SourceDocument::Gltf(document), source })
}

/// Reads a glTF at its own frame rate after it was read at another.
pub(crate) fn at_own_rate(opened: &Opened) -> Result<Opened, Error> {
    let SourceDocument::Gltf(document) = &opened.document else { return Ok(opened.clone()) };
    let imported = gltf::import(document, &gltf::ImportOptions::default())?;
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
fn sibling_file(path: &Path, name: &str) -> Option<Vec<u8>> {
    let relative = Path::new(name);
    let inside = relative.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    inside.then(|| std::fs::read(path.parent()?.join(relative)).ok())?
}

/// Resamples all clips at another frame rate; `None` leaves them.
fn at_rate(mut imported: Imported, fps: Option<f64>) -> Imported {
    let Some(fps) = fps else { return imported };
    let slower = |clip: &Clip| resample(clip, fps);
    imported.clips = imported.clips.iter().map(slower).collect();
    imported
}
