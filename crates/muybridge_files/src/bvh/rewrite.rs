//! Replaces the motion in the text of a BVH file: only rows whose motion changes are rewritten.
//!
//! ```text
//! position channel   p' = p + Δ_file                              only the channels whose axis moves
//! rotation channels  angles of R' nearest to those of the previous frame, with the whole-turn jumps of the file
//! ```
//! An angle that equals the file's up to rounding keeps its spelling.

use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::log;
use muybridge::motion::{Clip, TimeMap, rotation_at, translation_at};

use super::document::{BvhDocument, BvhJoint, Channel};
use super::euler;
use super::export::rotation_axes;
use super::import::local_transform;
use super::text::{BvhTextRow, Text};
use crate::rewrite::{ClipChange, NEGLIGIBLE_METRES, NEGLIGIBLE_RADIANS};
use crate::{Error, Location};

/// Greatest difference between a new and an old angle that are taken for the same, degrees.
const SAME_ANGLE: f64 = 1e-12;
/// Least change between two frames that is a jump of a whole turn, degrees.
const JUMP: f64 = 270.0;

/// Writes a corrected motion into the file. Also returns notes on negligible movement that its channels cannot hold.
///
/// Fails for a bone that has to move in a way it has no channels for.
pub(crate) fn corrected(
    source: &[u8],
    document: &BvhDocument,
    change: &ClipChange,
) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut rows: Vec<BvhTextRow> = (0..document.frames()).map(BvhTextRow::Same).collect();
    let mut notes = Vec::new();
    let columns = document.columns();
    for (bone, joint) in document.bones().into_iter().enumerate() {
        if change.touches(bone) {
            let (joint, first) = (&document.joints()[joint], columns[joint].start);
            correct_joint(document, joint, first, bone, change, &mut rows, &mut notes)?;
        }
    }
    Ok((Text::new(source, document)?.with_rows(&rows, document), notes))
}

/// Moves the frames of the file to other times; whole frames keep their rows. `clip` is the one clip of the file, with all its joints.
pub(crate) fn retimed(source: &[u8], document: &BvhDocument, clip: &Clip, map: &TimeMap) -> Result<Vec<u8>, Error> {
    let mut rows = Vec::with_capacity(map.frames());
    let mut previous = document.row(0).to_vec();
    for frame in 0..map.frames() {
        if let Some(whole) = map.old_frame(frame) {
            previous.copy_from_slice(document.row(whole));
            rows.push(BvhTextRow::Same(whole));
        } else {
            previous = between(document, clip, map.source(frame), &previous)?;
            rows.push(BvhTextRow::Like(map.source(frame) as usize, previous.clone()));
        }
    }
    Ok(Text::new(source, document)?.with_rows(&rows, document))
}

fn correct_joint(
    document: &BvhDocument,
    joint: &BvhJoint,
    first: usize,
    bone: usize,
    change: &ClipChange,
    rows: &mut [BvhTextRow],
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let range = first..first + joint.channels.len();
    let old = |frame: usize| &document.row(frame)[range.clone()];
    let mut before = old(0).to_vec();
    let (mut lost_way, mut lost_turn) = (0.0_f64, 0.0_f64);
    for frame in 0..document.frames() {
        let (shift, turn) = (change.shift(bone, frame), change.rotation(bone, frame));
        let mut values = old(frame).to_vec();
        if let Some(shift) = shift {
            lost_way = lost_way.max(moved(joint, &mut values, shift).length() * change.meters_per_unit());
        }
        if let Some(turn) = turn {
            let near = continued(&before, old(frame.saturating_sub(1)), old(frame));
            lost_turn = lost_turn.max(turned(joint, &mut values, turn, &near)?);
        }
        if shift.is_some() || turn.is_some() {
            respell(&mut rows[frame], frame, document, range.start, &values);
        }
        before = values;
    }
    let name = &joint.name;
    let lost = |message: String| Err(Error::new(Location::Named(name.clone()), message));
    if lost_way > NEGLIGIBLE_METRES {
        let way = 1000.0 * lost_way;
        return lost(format!(
            "the joint has to move {way:.3} mm and has no position channels for it; protect this bone"
        ));
    }
    if lost_turn > NEGLIGIBLE_RADIANS {
        let turn = lost_turn.to_degrees();
        return lost(format!(
            "the joint has to turn {turn:.4}° and has no rotation channels for it; protect this bone"
        ));
    }
    if lost_way > 0.01 * NEGLIGIBLE_METRES || lost_turn > 0.01 * NEGLIGIBLE_RADIANS {
        notes.push(format!("“{name}” moves a little that its channels cannot hold; left out"));
    }
    Ok(())
}

fn respell(row: &mut BvhTextRow, frame: usize, document: &BvhDocument, first: usize, values: &[f64]) {
    let whole = match row {
        BvhTextRow::Like(_, whole) => whole,
        BvhTextRow::Same(_) => {
            *row = BvhTextRow::Like(frame, document.row(frame).to_vec());
            let BvhTextRow::Like(_, whole) = row else { return };
            whole
        }
    };
    whole[first..first + values.len()].copy_from_slice(values);
}

/// Adds a shift to the position channels and returns the part without channels.
fn moved(joint: &BvhJoint, values: &mut [f64], shift: DVec3) -> DVec3 {
    let mut left = shift;
    for (channel, value) in joint.channels.iter().zip(values) {
        if let Channel::Position(axis) = *channel {
            let part = std::mem::take(&mut left[axis as usize]);
            if part != 0.0 {
                *value += part;
            }
        }
    }
    left
}

/// Sets the rotation channels to a rotation, with angles nearest to `near`, and returns the remaining error, radians.
fn turned(joint: &BvhJoint, values: &mut [f64], rotation: DQuat, near: &[f64]) -> Result<f64, Error> {
    let axes = rotation_axes(joint);
    if !euler::is_supported(&axes) {
        let message = "the joint's rotation channels are not two or three different turns; protect this bone";
        return Err(Error::new(Location::Named(joint.name.clone()), message));
    }
    let turns: Vec<usize> = (0..values.len()).filter(|&c| matches!(joint.channels[c], Channel::Rotation(_))).collect();
    let near: Vec<f64> = turns.iter().map(|&channel| near[channel]).collect();
    let angles = euler::decompose(rotation, &axes, &near);
    for (&channel, angle) in turns.iter().zip(angles) {
        if (angle - values[channel]).abs() > SAME_ANGLE {
            values[channel] = angle;
        }
    }
    let (_, reached) = local_transform(joint, values);
    let miss = rotation * reached.conjugate();
    Ok(log(if miss.w < 0.0 { -miss } else { miss }).length())
}

/// Reference for the new numbers of a frame: the previous frame's, plus the file's jumps of whole turns.
fn continued(before: &[f64], old_before: &[f64], old: &[f64]) -> Vec<f64> {
    let jump = |change: f64| if change.abs() > JUMP { 360.0 * libm::round(change / 360.0) } else { 0.0 };
    before.iter().zip(old_before.iter().zip(old)).map(|(&value, (&a, &b))| value + jump(b - a)).collect()
}

/// Numbers of a frame between two; joints that do not move around it keep the numbers of the frame before.
fn between(document: &BvhDocument, clip: &Clip, at: f64, previous: &[f64]) -> Result<Vec<f64>, Error> {
    let model = at as usize;
    let around = model.saturating_sub(1)..(model + 3).min(document.frames());
    let mut values = document.row(model).to_vec();
    let mut first = 0;
    for (bone, joint) in document.joints().iter().enumerate() {
        let range = first..first + joint.channels.len();
        first = range.end;
        let still = around.clone().all(|frame| document.row(frame)[range.clone()] == values[range.clone()]);
        if still {
            continue;
        }
        let (translation, rotation) = (translation_at(clip, bone, at), rotation_at(clip, bone, at));
        let own = &mut values[range.clone()];
        turned(joint, own, rotation, &previous[range])?;
        for (channel, value) in joint.channels.iter().zip(own) {
            if let Channel::Position(axis) = *channel {
                *value = translation[axis as usize];
            }
        }
    }
    Ok(values)
}
