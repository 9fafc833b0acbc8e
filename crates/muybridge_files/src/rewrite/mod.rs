//! Writes a corrected motion back into its file; everything else in the file stays.
//!
//! ```text
//! Opened ──retimed(map)──► Opened ──corrected(original, corrected)──► Opened ──bytes──► Rewritten
//! ```
//! Each step writes the file and reads it again, so that the next analysis sees the file's own numbers. In a BVH, rows change and
//! unchanged numbers keep their spelling; in a glTF, keys change ([`crate::gltf`]). A step without changes gives the same bytes.

pub(crate) mod bvh;
mod change;
pub(crate) mod gltf;

use muybridge::character::units::Units;
use muybridge::motion::{Clip, TimeMap};

pub(crate) use change::ClipChange;

use crate::formats::{FileFormat, GLB};
use crate::open::{self, Opened, SourceDocument};
use crate::output::SideFile;
use crate::{Error, Location};

/// Shift that a format may lose without an error, meters.
pub(crate) const NEGLIGIBLE_METRES: f64 = 1e-6;
/// Rotation that a format may lose without an error, radians.
pub(crate) const NEGLIGIBLE_RADIANS: f64 = 1e-6;

/// A document written as bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The file.
    pub file: Vec<u8>,
    /// Buffer files beside it, by relative name.
    pub beside: Vec<SideFile>,
    /// Notes on losses, one sentence each.
    pub notes: Vec<String>,
    /// Extension of the source: "bvh", "gltf", "glb", "vrm" or "vrma".
    pub extension: &'static str,
}

/// Gives a file the frames of the rate it was read at, and returns notes, one sentence each.
type RateWriter = fn(&Opened) -> Result<(Opened, Vec<String>), Error>;

/// The functions that put a changed motion back into a file of a format. Each gets files of that format alone, and
/// returns the file read again after it was written.
#[derive(Clone, Copy)]
pub(crate) struct MotionRewriter {
    /// Gives a file that was read at another rate than its own the frames of that rate.
    pub at_rate: RateWriter,
    /// Moves the frames of the clip with this index to the times of the map.
    pub retimed: fn(&Opened, usize, &TimeMap) -> Result<Opened, Error>,
    /// Changes the poses of the clip with this index.
    pub corrected: fn(&Opened, usize, &ClipChange<'_>) -> Result<Opened, Error>,
    /// One flag per bone: true where the format has no place for all motions of the bone.
    pub fixed_bones: fn(&Opened) -> Vec<bool>,
    /// Files beside the file that hold its numbers, by the relative name it calls them.
    pub beside: fn(&SourceDocument) -> Vec<SideFile>,
}

fn rewriter(opened: &Opened) -> Result<&'static MotionRewriter, Error> {
    opened.format().rewriter.as_ref().ok_or_else(|| not_writable(opened.format()))
}

/// Makes a file writable: its document then agrees with `opened.imported`.
///
/// A format without rewriter, such as FBX, becomes GLB, in the units and axes it was read in. A file `resampled` at
/// another rate than its own gets that rate into its document. `title` names a clip without a name. Returns notes too, one
/// sentence each.
pub fn writable(opened: Opened, resampled: bool, title: &str) -> Result<(Opened, Vec<String>), Error> {
    match &opened.format().rewriter {
        None => as_glb(&opened, title),
        Some(rewriter) if resampled => (rewriter.at_rate)(&opened),
        Some(_) => Ok((opened, Vec::new())),
    }
}

/// The bytes of the file; exactly those read if nothing was changed.
pub fn bytes(opened: &Opened) -> Rewritten {
    let source = &opened.source;
    let beside = source.format.rewriter.map_or_else(Vec::new, |rewriter| (rewriter.beside)(&opened.document));
    Rewritten { file: source.bytes.clone(), beside, notes: source.notes.clone(), extension: source.extension }
}

/// Moves the frames of clip `index` to other times; the clip then has `map.frames()` frames.
///
/// Whole frames keep their numbers bit for bit. Fails for a map of another clip length, FBX, or a joint whose channels cannot
/// hold rotations.
pub fn retimed(opened: &Opened, index: usize, map: &TimeMap) -> Result<Opened, Error> {
    let clip = clip_of(opened, index)?;
    let (first, last) = (map.source(0), map.source(map.frames() - 1));
    if first != 0.0 || last != (clip.frames() - 1) as f64 {
        let message = format!("times from frame {first} to {last} for a clip of {} frames", clip.frames());
        return Err(Error::new(Location::File, message));
    }
    if map.is_identity() {
        return Ok(opened.clone());
    }
    let again = (rewriter(opened)?.retimed)(opened, index, map)?;
    let found = again.imported.clips[index].frames();
    if found != map.frames() {
        let message = format!("the retimed clip should have {} frames and reads back with {found}", map.frames());
        return Err(Error::new(Location::File, message));
    }
    Ok(again)
}

/// Writes the poses of `corrected` into clip `index` where they differ bit for bit from `original`.
///
/// Both clips are in meters, y up, from [`crate::prepare()`] on this file with these `units`, and have its number of frames.
/// Fails for clips of another size, FBX, or a bone that has to move in a way the file cannot hold.
pub fn corrected(
    opened: &Opened,
    index: usize,
    units: &Units,
    original: &Clip,
    corrected: &Clip,
) -> Result<Opened, Error> {
    let clip = clip_of(opened, index)?;
    let change = ClipChange::new(&opened.imported.skeleton, clip, units, original, corrected)?;
    if change.is_empty() {
        return Ok(opened.clone());
    }
    (rewriter(opened)?.corrected)(opened, index, &change)
}

/// The bones whose motion the file has no full place for, one flag per bone: BVH joints without rotations about three
/// axes, and roots without a position. A correction must leave them alone.
pub fn fixed_bones(opened: &Opened) -> Vec<bool> {
    opened.format().rewriter.map_or_else(Vec::new, |rewriter| (rewriter.fixed_bones)(opened))
}

fn clip_of(opened: &Opened, index: usize) -> Result<&Clip, Error> {
    opened.imported.clips.get(index).ok_or_else(|| {
        let count = opened.imported.clips.len();
        Error::new(Location::File, format!("there is no clip {index}; the file has {count}, counted from 0"))
    })
}

fn not_writable(format: &FileFormat) -> Error {
    Error::new(Location::File, format!("{} cannot be written; convert it to {} first", format.name, GLB.name))
}

/// A motion as a new GLB.
fn as_glb(opened: &Opened, title: &str) -> Result<(Opened, Vec<String>), Error> {
    let mut clips = opened.imported.clips.clone();
    for clip in clips.iter_mut().filter(|clip| clip.name.is_empty()) {
        clip.name = title.to_string();
    }
    let (meshes, mut notes) = opened.skinned_meshes()?;
    let options = crate::gltf::ExportOptions { binary: true };
    let bytes = crate::gltf::export_skinned(&opened.imported.skeleton, &clips, &meshes, options)?;
    let mut again = open::glb(bytes)?;
    // The file is judged as it was read, by what its own reader sees of a skin.
    again.imported.shapes.clone_from(&opened.imported.shapes);
    again.imported.skin_points.clone_from(&opened.imported.skin_points);
    for (new, old) in again.imported.characters.iter_mut().zip(&opened.imported.characters) {
        new.name.clone_from(&old.name);
    }
    let rates = clips.iter().zip(&again.imported.clips);
    if rates.clone().any(|(old, new)| old.frames() != new.frames()) || clips.len() != again.imported.clips.len() {
        return Err(Error::new(Location::File, "the motion does not read back from a GLB with the same frames"));
    }
    let note = "cannot be written; the motion goes into a GLB with its bones and the meshes that they move";
    notes.insert(0, format!("{} {note}", opened.format().name));
    Ok((again, notes))
}
