//! Changed motion put back into a glTF: keys change, and meshes, materials and other curves stay.

use muybridge::motion::{Clip, TimeMap};

use super::{ClipChange, MotionRewriter, clip_of};
use crate::gltf::ChangedAnimation;
use crate::open::{self, Opened, SourceDocument};
use crate::output::SideFile;
use crate::{Error, Location, gltf};

/// The rewriter of glTF, GLB, VRM and VRMA files.
pub(crate) const REWRITER: MotionRewriter =
    MotionRewriter { at_rate, retimed, corrected, fixed_bones: |_| Vec::new(), beside };

/// The glTF with the frames it was sampled at as its keys.
fn at_rate(opened: &Opened) -> Result<(Opened, Vec<String>), Error> {
    let document = document(opened)?;
    let (mut current, mut notes) = (opened.clone(), Vec::new());
    for (index, animation) in gltf::animations_of_clips(document)?.into_iter().enumerate() {
        let SourceDocument::Gltf(before) = &current.document else { break };
        let written = gltf::with_motion(before, animation, &opened.imported.skeleton, &opened.imported.clips[index])?;
        notes.extend(written.notes.iter().cloned());
        current =
            open::reopened_gltf(&current, ChangedAnimation { clip: index, animation }, &written, opened.source.fps)?;
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

fn retimed(opened: &Opened, index: usize, map: &TimeMap) -> Result<Opened, Error> {
    let (document, clip) = (document(opened)?, clip_of(opened, index)?);
    let animation = animation_of(document, index)?;
    let written = gltf::retimed(document, animation, clip, map)?;
    let frames = Clip::new(1, map.frames(), clip.frame_time);
    let mut frames = frames.map_err(|error| Error::new(Location::File, error.to_string()))?;
    frames.start_time = clip.start_time;
    same_rate(opened, ChangedAnimation { clip: index, animation }, &frames, written)
}

fn corrected(opened: &Opened, index: usize, change: &ClipChange<'_>) -> Result<Opened, Error> {
    let (document, clip) = (document(opened)?, clip_of(opened, index)?);
    let animation = animation_of(document, index)?;
    let written = gltf::corrected(document, animation, clip, change)?;
    same_rate(opened, ChangedAnimation { clip: index, animation }, clip, written)
}

fn beside(document: &SourceDocument) -> Vec<SideFile> {
    match document {
        SourceDocument::Gltf(document) => gltf::files_beside(document),
        _ => Vec::new(),
    }
}

fn document(opened: &Opened) -> Result<&gltf::GltfDocument, Error> {
    match &opened.document {
        SourceDocument::Gltf(document) => Ok(document),
        _ => Err(super::not_writable(opened.format())),
    }
}

fn animation_of(document: &gltf::GltfDocument, index: usize) -> Result<usize, Error> {
    gltf::animations_of_clips(document)?
        .get(index)
        .copied()
        .ok_or_else(|| Error::new(Location::Path("/animations".into()), "the file holds no animation to change"))
}

/// Reads a glTF again after it was written, so that its clip has the frame times of `frames`. The keys give these times;
/// else one curve gets keys at every frame, or all curves do; else the file is sampled at that rate.
fn same_rate(
    opened: &Opened,
    changed: ChangedAnimation,
    frames: &Clip,
    written: gltf::WrittenGltf,
) -> Result<Opened, Error> {
    let fps = opened.source.fps;
    let mut again = open::reopened_gltf(opened, changed, &written, fps)?;
    again.source.add_notes(written.notes.clone());
    if has_frames(&again, changed.clip, frames) {
        return Ok(again);
    }
    for curves in [1, usize::MAX] {
        let SourceDocument::Gltf(document) = &again.document else { break };
        let keyed = gltf::with_frame_keys(document, changed.animation, frames, curves)?;
        let mut keyed = open::reopened_gltf(&again, changed, &keyed, fps)?;
        if has_frames(&keyed, changed.clip, frames) {
            let which = if curves == 1 { "a curve" } else { "all curves that move" };
            keyed.source.add_notes(vec![format!(
                "{which} got keys at every frame, so that the keys still tell the frame rate"
            )]);
            return Ok(keyed);
        }
    }
    let rate = 1.0 / frames.frame_time;
    let notes = again.source.notes.clone();
    again = open::reopened_gltf(opened, changed, &written, Some(rate))?;
    again.source.notes = notes;
    again.source.add_notes(vec![format!("the keys no longer tell the frame rate; read the file with --fps {rate}")]);
    Ok(again)
}

fn has_frames(opened: &Opened, index: usize, frames: &Clip) -> bool {
    let clip = &opened.imported.clips[index];
    clip.frames() == frames.frames() && (clip.frame_time / frames.frame_time - 1.0).abs() < 1e-6
}
