//! A corrected motion written back into the file it came from, with everything else of the file untouched.
//!
//! ```text
//! Opened ──retimed(map)──► Opened ──corrected(original, corrected)──► Opened ──bytes──► Rewritten
//! ```
//! Each step writes the file and reads it again, so that what is analyzed next is what the file says. In a BVH rows
//! change and the numbers that stay keep their spelling; in a glTF keys change ([`crate::gltf`]). A step that changes
//! nothing gives the same bytes.

mod change;

use muybridge::character::units::Units;
use muybridge::motion::{Clip, TimeMap};

pub(crate) use change::ClipChange;

use crate::open::{self, Opened, SourceDocument};
use crate::{Error, Location, bvh, gltf};

/// Lengths that a format may lose without an error, metres.
pub(crate) const NEGLIGIBLE_METRES: f64 = 1e-6;
/// Turns that a format may lose without an error, radians.
pub(crate) const NEGLIGIBLE_RADIANS: f64 = 1e-6;

/// A document as bytes again.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewritten {
    /// The file.
    pub file: Vec<u8>,
    /// Files beside it that hold its numbers, by the relative name it calls them.
    pub beside: Vec<(String, Vec<u8>)>,
    /// What could not be kept as it was, one sentence each.
    pub notes: Vec<String>,
    /// The extension its source has: "bvh", "gltf", "glb", "vrm" or "vrma".
    pub extension: &'static str,
}

/// A file whose document can be written back and says what `opened.imported` says.
///
/// FBX becomes GLB, in the units and axes it was read in. A file `resampled` at another rate than its own gets that rate
/// into its document. `title` names a clip without a name. Returns what there is to say of it, one sentence each.
pub fn writable(opened: Opened, resampled: bool, title: &str) -> Result<(Opened, Vec<String>), Error> {
    match &opened.document {
        SourceDocument::Fbx => as_glb(&opened, title),
        SourceDocument::Bvh(document) if resampled => {
            let changed = bvh::with_motion(document, &opened.imported.clips[0])?;
            let notes = changed.notes().to_vec();
            Ok((open::reopened_bvh(&opened, bvh::write(&changed).into_bytes())?, notes))
        }
        SourceDocument::Gltf(document) if resampled => at_own_rate(&opened, document),
        _ => Ok((opened, Vec::new())),
    }
}

/// The file as bytes: where nothing was changed, exactly those that were read.
pub fn bytes(opened: &Opened) -> Rewritten {
    let beside = match &opened.document {
        SourceDocument::Gltf(document) => gltf::files_beside(document),
        _ => Vec::new(),
    };
    let source = &opened.source;
    Rewritten { file: source.bytes.clone(), beside, notes: source.notes.clone(), extension: source.extension }
}

/// The file with the frames of clip `index` at other times; it has `map.frames()` frames then.
///
/// Whole frames keep their numbers bit for bit. Errors: a map for a clip of another length, FBX, a joint whose channels
/// cannot be turned.
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
    let again = match &opened.document {
        SourceDocument::Bvh(document) => {
            agrees(document, clip)?;
            open::reopened_bvh(opened, bvh::retimed(&opened.source.bytes, document, clip, map)?)?
        }
        SourceDocument::Gltf(document) => {
            let animation = animation_of(document, index)?;
            let written = gltf::retimed(document, animation, clip, map)?;
            let frames = Clip::new(1, map.frames(), clip.frame_time);
            let mut frames = frames.map_err(|error| Error::new(Location::File, error.to_string()))?;
            frames.start_time = clip.start_time;
            same_rate(opened, (index, animation), &frames, written)?
        }
        SourceDocument::Fbx => return Err(not_writable()),
    };
    let found = again.imported.clips[index].frames();
    if found != map.frames() {
        let message = format!("the retimed clip should have {} frames and reads back with {found}", map.frames());
        return Err(Error::new(Location::File, message));
    }
    Ok(again)
}

/// The file with the poses of `corrected` where they differ bit for bit from `original`, in clip `index`.
///
/// Both clips are in metres and y up, as [`crate::prepare()`] made them of this file with these `units`, and of its frame
/// count. Errors: clips of another size, FBX, a bone that has to move in a way the file has no place for.
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
    match &opened.document {
        SourceDocument::Bvh(document) => {
            agrees(document, clip)?;
            let (bytes, notes) = bvh::corrected(&opened.source.bytes, document, &change)?;
            let mut again = open::reopened_bvh(opened, bytes)?;
            again.source.say(notes);
            Ok(again)
        }
        SourceDocument::Gltf(document) => {
            let animation = animation_of(document, index)?;
            let written = gltf::corrected(document, animation, clip, &change)?;
            same_rate(opened, (index, animation), clip, written)
        }
        SourceDocument::Fbx => Err(not_writable()),
    }
}

/// The bones whose motion the file has no full place for, one flag per bone: BVH joints without rotations about three axes,
/// and roots without a position. A correction must leave them alone.
pub fn fixed_bones(opened: &Opened) -> Vec<bool> {
    let SourceDocument::Bvh(document) = &opened.document else { return Vec::new() };
    let of_axes = |joint: &bvh::BvhJoint, turns: bool| {
        let has = |axis| {
            let wanted = if turns { bvh::Channel::Rotation(axis) } else { bvh::Channel::Position(axis) };
            joint.channels.contains(&wanted)
        };
        [crate::Axis::X, crate::Axis::Y, crate::Axis::Z].into_iter().all(has)
    };
    let fixed = |joint: &bvh::BvhJoint| !of_axes(joint, true) || joint.parent.is_none() && !of_axes(joint, false);
    document.joints().iter().map(fixed).collect()
}

/// Gives the files that hold the numbers the name `stem` in the glTF that names them, so that in the folder of the source
/// they do not replace those of the source.
pub fn renamed_beside(rewritten: &mut Rewritten, stem: &str) -> Result<(), Error> {
    if rewritten.beside.is_empty() {
        return Ok(());
    }
    let (file, beside) = gltf::renamed_beside(&rewritten.file, &rewritten.beside, stem)?;
    (rewritten.file, rewritten.beside) = (file, beside);
    Ok(())
}

fn clip_of(opened: &Opened, index: usize) -> Result<&Clip, Error> {
    opened.imported.clips.get(index).ok_or_else(|| {
        let count = opened.imported.clips.len();
        Error::new(Location::File, format!("there is no clip {index}; the file has {count}, counted from 0"))
    })
}

fn not_writable() -> Error {
    Error::new(Location::File, "FBX cannot be written; convert it to GLB first")
}

/// Refuses a document of other frames than its clip.
fn agrees(document: &bvh::BvhDocument, clip: &Clip) -> Result<(), Error> {
    if document.frames() == clip.frames() && document.frame_time() == clip.frame_time {
        return Ok(());
    }
    Err(Error::new(
        Location::File,
        "the clip was sampled at another rate than the file has; put it into the file first",
    ))
}

fn animation_of(document: &gltf::GltfDocument, index: usize) -> Result<usize, Error> {
    gltf::animations_of_clips(document)?
        .get(index)
        .copied()
        .ok_or_else(|| Error::new(Location::Path("/animations".into()), "the file holds no animation to change"))
}

/// Reads a glTF that was written. Its clip has the times of the frames of `frames`: by its own keys, or by new ones
/// at every frame of one curve or of all, or where other curves of the file say otherwise, by decree.
fn same_rate(
    opened: &Opened,
    changed: (usize, usize),
    frames: &Clip,
    written: gltf::WrittenGltf,
) -> Result<Opened, Error> {
    let fps = opened.source.fps;
    let mut again = open::reopened_gltf(opened, changed, &written, fps)?;
    again.source.say(written.notes.clone());
    if has_frames(&again, changed.0, frames) {
        return Ok(again);
    }
    for curves in [1, usize::MAX] {
        let SourceDocument::Gltf(document) = &again.document else { break };
        let keyed = gltf::with_frame_keys(document, changed.1, frames, curves)?;
        let mut keyed = open::reopened_gltf(&again, changed, &keyed, fps)?;
        if has_frames(&keyed, changed.0, frames) {
            let which = if curves == 1 { "a curve" } else { "all curves that move" };
            keyed
                .source
                .say(vec![format!("{which} got keys at every frame, so that the keys still tell the frame rate")]);
            return Ok(keyed);
        }
    }
    let rate = 1.0 / frames.frame_time;
    let notes = again.source.notes.clone();
    again = open::reopened_gltf(opened, changed, &written, Some(rate))?;
    again.source.notes = notes;
    again.source.say(vec![format!("the keys no longer tell the frame rate; read the file with --fps {rate}")]);
    Ok(again)
}

fn has_frames(opened: &Opened, index: usize, frames: &Clip) -> bool {
    let clip = &opened.imported.clips[index];
    clip.frames() == frames.frames() && (clip.frame_time / frames.frame_time - 1.0).abs() < 1e-6
}

/// An FBX as GLB.
fn as_glb(opened: &Opened, title: &str) -> Result<(Opened, Vec<String>), Error> {
    let mut clips = opened.imported.clips.clone();
    for clip in clips.iter_mut().filter(|clip| clip.name.is_empty()) {
        clip.name = title.to_string();
    }
    let bytes = gltf::export(&opened.imported.skeleton, &clips, gltf::ExportOptions { binary: true })?;
    let again = open::glb(bytes)?;
    let rates = clips.iter().zip(&again.imported.clips);
    if rates.clone().any(|(old, new)| old.frames() != new.frames()) || clips.len() != again.imported.clips.len() {
        return Err(Error::new(Location::File, "the motion does not read back from a GLB with the same frames"));
    }
    let note = "FBX cannot be written; the motion goes into a GLB with its bones and without its meshes";
    Ok((again, vec![note.to_string()]))
}

/// The glTF with the frames it was sampled at as its keys.
fn at_own_rate(opened: &Opened, document: &gltf::GltfDocument) -> Result<(Opened, Vec<String>), Error> {
    let (mut current, mut notes) = (opened.clone(), Vec::new());
    for (index, animation) in gltf::animations_of_clips(document)?.into_iter().enumerate() {
        let SourceDocument::Gltf(before) = &current.document else { break };
        let written = gltf::with_motion(before, animation, &opened.imported.skeleton, &opened.imported.clips[index])?;
        notes.extend(written.notes.iter().cloned());
        current = open::reopened_gltf(&current, (index, animation), &written, opened.source.fps)?;
    }
    let own = open::at_own_rate(&current)?;
    let pairs = own.imported.clips.iter().zip(&opened.imported.clips);
    let mut same = pairs.map(|(a, b)| a.frames() == b.frames() && (a.frame_time / b.frame_time - 1.0).abs() < 1e-6);
    if same.all(|same| same) {
        return Ok((own, notes));
    }
    notes.push("other curves of the file keep their key times; read it with --fps again".into());
    Ok((current, notes))
}
