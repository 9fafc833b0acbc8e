//! Changed motion put back into a BVH: its rows change, and numbers that stay keep their spelling.

use muybridge::motion::{Clip, TimeMap};

use super::{ClipChange, MotionRewriter, clip_of};
use crate::open::{self, Opened, SourceDocument};
use crate::{Axis, Error, Location, bvh};

/// The rewriter of BVH files.
pub(crate) const REWRITER: MotionRewriter =
    MotionRewriter { at_rate, retimed, corrected, fixed_bones, beside: |_| Vec::new() };

fn at_rate(opened: &Opened) -> Result<(Opened, Vec<String>), Error> {
    let changed = bvh::with_motion(document(opened)?, clip_of(opened, 0)?)?;
    let notes = changed.notes().to_vec();
    Ok((open::reopened_bvh(opened, bvh::write(&changed).into_bytes())?, notes))
}

fn retimed(opened: &Opened, index: usize, map: &TimeMap) -> Result<Opened, Error> {
    let (document, clip) = (document(opened)?, clip_of(opened, index)?);
    agrees(document, clip)?;
    let whole = match document.part() {
        Some(_) => &bvh::import(&document.clone().with_part(None))?.clips[0],
        None => clip,
    };
    open::reopened_bvh(opened, bvh::retimed(&opened.source.bytes, document, whole, map)?)
}

fn corrected(opened: &Opened, index: usize, change: &ClipChange<'_>) -> Result<Opened, Error> {
    let (document, clip) = (document(opened)?, clip_of(opened, index)?);
    agrees(document, clip)?;
    let (bytes, notes) = bvh::corrected(&opened.source.bytes, document, change)?;
    let mut again = open::reopened_bvh(opened, bytes)?;
    again.source.add_notes(notes);
    Ok(again)
}

fn fixed_bones(opened: &Opened) -> Vec<bool> {
    let Ok(document) = document(opened) else { return Vec::new() };
    let of_axes = |joint: &bvh::BvhJoint, turns: bool| {
        let has = |axis| {
            let wanted = if turns { bvh::Channel::Rotation(axis) } else { bvh::Channel::Position(axis) };
            joint.channels.contains(&wanted)
        };
        [Axis::X, Axis::Y, Axis::Z].into_iter().all(has)
    };
    let fixed = |joint: &bvh::BvhJoint| !of_axes(joint, true) || joint.parent.is_none() && !of_axes(joint, false);
    document.bones().into_iter().map(|joint| fixed(&document.joints()[joint])).collect()
}

fn document(opened: &Opened) -> Result<&bvh::BvhDocument, Error> {
    match &opened.document {
        SourceDocument::Bvh(document) => Ok(document),
        _ => Err(super::not_writable(opened.format())),
    }
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
