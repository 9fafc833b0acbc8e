//! Exports a skeleton and clip to a [`BvhDocument`]: a new hierarchy, or new motion for the hierarchy of a file.

use muybridge::character::Skeleton;
use muybridge::glam::DVec3;
use muybridge::math::rotation::log;
use muybridge::motion::Clip;

use super::document::{BvhDocument, BvhJoint, Channel, is_writable_name};
use super::euler;
use super::frame_time::exact_frame_time;
use super::import::local_transform;
use super::write::push_number;
use crate::{Axis, Error, Location};

/// Options for exporting a BVH file.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportOptions {
    /// Axes of the rotation channels, in file order: three axes, neighbors different.
    pub order: [Axis; 3],
    /// File units per unit of the skeleton: 100 writes meters as centimeters.
    pub scale: f64,
}

impl Default for ExportOptions {
    /// `Zrotation Xrotation Yrotation`, lengths unscaled.
    fn default() -> Self {
        Self { order: [Axis::Z, Axis::X, Axis::Y], scale: 1.0 }
    }
}

/// Greatest distance of a bone from its rest position that needs no position channels, as a share of the skeleton's size.
const STILL: f64 = 1e-9;

/// Builds a document with one joint per bone, depth first. Roots and bones that leave their rest position have six channels,
/// others three. A bone without children or ends gets an End Site at its origin, because other readers require one.
///
/// BVH has no rest rotations: with all angles 0 every bone is aligned with the world, which is not the rest pose. Fails for a
/// clip of another skeleton, an unusable order, or a number that is not finite.
pub fn export(skeleton: &Skeleton, clip: &Clip, options: &ExportOptions) -> Result<BvhDocument, Error> {
    check_bones(skeleton.len(), clip)?;
    if !euler::is_supported(&options.order) {
        return Err(Error::new(
            Location::File,
            "two neighboring axes of the rotation order are equal; use one like ZXY",
        ));
    }
    let (order, children) = depth_first(skeleton);
    let mut notes = Vec::new();
    let still = STILL * extent(skeleton);
    let mut place = vec![0; skeleton.len()];
    let mut joints = Vec::with_capacity(order.len());
    for (index, &bone) in order.iter().enumerate() {
        place[bone] = index;
        let source = &skeleton.bones()[bone];
        let moves = (0..clip.frames()).any(|f| (clip.translation(bone, f) - source.translation).length() > still);
        let mut ends: Vec<DVec3> = source.ends.iter().map(|&end| options.scale * end).collect();
        if ends.is_empty() && children[bone] == 0 {
            ends.push(DVec3::ZERO);
        }
        joints.push(BvhJoint {
            name: writable_name(&source.name, &mut notes),
            parent: source.parent.map(|parent| place[parent]),
            offset: options.scale * source.translation,
            channels: channels(options.order, moves || source.parent.is_none()),
            ends,
        });
    }
    let reference = vec![0.0; joints.iter().map(|joint| joint.channels.len()).sum()];
    let rows = rows(&joints, &order, clip, options.scale, reference);
    Ok(BvhDocument::new(joints, frame_time_text(clip.frame_time), rows)?.with_notes(notes, None))
}

/// Replaces the motion of a document by a clip of its skeleton; names, hierarchy, channels and their orders stay.
///
/// Angles follow the previous frame (the first frame: the document's first row) through multiples of 360° and both Euler
/// solutions, so that curves stay editable. Movement without channels is left out; notes say how much. Fails for a clip of another
/// skeleton, more than three rotation channels in a joint, or two of one axis in a row.
pub fn with_motion(document: &BvhDocument, clip: &Clip) -> Result<BvhDocument, Error> {
    let joints = document.joints();
    check_bones(joints.len(), clip)?;
    if let Some(joint) = joints.iter().find(|joint| !euler::is_supported(&rotation_axes(joint))) {
        let message =
            "the joint's rotation channels are not two or three different turns; no motion can be written to it";
        return Err(Error::new(Location::Named(joint.name.clone()), message));
    }
    let order: Vec<usize> = (0..joints.len()).collect();
    let rows = rows(joints, &order, clip, 1.0, document.row(0).to_vec());
    let keeps_time = clip.frame_time == document.frame_time();
    let time = if keeps_time { document.frame_time_text().to_owned() } else { frame_time_text(clip.frame_time) };
    let changed = BvhDocument::new(joints.to_vec(), time, rows)?;
    let notes = losses(&changed, clip);
    Ok(changed.with_notes(notes, None))
}

fn check_bones(bones: usize, clip: &Clip) -> Result<(), Error> {
    if bones == clip.bones() {
        return Ok(());
    }
    let message = format!("the clip moves {} bones, the skeleton has {bones}; they must belong together", clip.bones());
    Err(Error::new(Location::File, message))
}

/// Bones depth first, and the number of children of each.
fn depth_first(skeleton: &Skeleton) -> (Vec<usize>, Vec<usize>) {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, bone) in skeleton.bones().iter().enumerate().rev() {
        bone.parent.map_or(&mut open, |parent| &mut children[parent]).push(index);
    }
    let mut order = Vec::with_capacity(skeleton.len());
    while let Some(bone) = open.pop() {
        order.push(bone);
        open.extend(&children[bone]);
    }
    (order, children.iter().map(Vec::len).collect())
}

/// Diagonal of the bounding box of the joints at rest.
fn extent(skeleton: &Skeleton) -> f64 {
    let rest = skeleton.rest_pose();
    let low = rest.iter().map(|(position, _)| *position).fold(DVec3::INFINITY, DVec3::min);
    let high = rest.iter().map(|(position, _)| *position).fold(DVec3::NEG_INFINITY, DVec3::max);
    (high - low).length()
}

fn writable_name(name: &str, notes: &mut Vec<String>) -> String {
    if is_writable_name(name) && !name.is_empty() {
        return name.to_owned();
    }
    let plain: String = name.chars().map(|c| if c == '{' || c.is_ascii_control() { '_' } else { c }).collect();
    let plain = plain.trim_matches(' ');
    let plain = if plain.is_empty() { "joint" } else { plain };
    notes
        .push(format!("The bone “{}” is named “{plain}” in the file: BVH cannot write its name.", name.escape_debug()));
    plain.to_owned()
}

fn channels(order: [Axis; 3], with_position: bool) -> Vec<Channel> {
    let positions = [Axis::X, Axis::Y, Axis::Z].map(Channel::Position);
    let rotations = order.map(Channel::Rotation);
    positions.into_iter().filter(|_| with_position).chain(rotations).collect()
}

pub(super) fn rotation_axes(joint: &BvhJoint) -> Vec<Axis> {
    let axis = |channel: &Channel| match *channel {
        Channel::Rotation(axis) => Some(axis),
        Channel::Position(_) => None,
    };
    joint.channels.iter().filter_map(axis).collect()
}

/// Motion rows of a clip; joint `i` moves as bone `bones[i]`. `previous` is the row that the first row follows.
fn rows(joints: &[BvhJoint], bones: &[usize], clip: &Clip, scale: f64, mut previous: Vec<f64>) -> Vec<f64> {
    let axes: Vec<Vec<Axis>> = joints.iter().map(rotation_axes).collect();
    let mut rows = Vec::with_capacity(previous.len() * clip.frames());
    for frame in 0..clip.frames() {
        let mut first = 0;
        for ((joint, axes), &bone) in joints.iter().zip(&axes).zip(bones) {
            let values = &mut previous[first..first + joint.channels.len()];
            let is_turn = |channel: &Channel| matches!(channel, Channel::Rotation(_));
            let before: Vec<f64> =
                joint.channels.iter().zip(&*values).filter(|(channel, _)| is_turn(channel)).map(|(_, &v)| v).collect();
            let angles = euler::decompose(clip.rotation(bone, frame), axes, &before);
            let mut angles = angles.into_iter();
            let translation = scale * clip.translation(bone, frame);
            for (channel, value) in joint.channels.iter().zip(values) {
                *value = match *channel {
                    Channel::Position(axis) => translation[axis as usize],
                    Channel::Rotation(_) => angles.next().unwrap_or(0.0),
                };
            }
            first += joint.channels.len();
        }
        rows.extend_from_slice(&previous);
    }
    rows
}

/// Greatest lost rotation that is taken for rounding, radians.
const LOST_RADIANS: f64 = 1e-9;

/// Notes on motion that joints with fewer than six channels cannot hold, one sentence per joint and kind.
fn losses(document: &BvhDocument, clip: &Clip) -> Vec<String> {
    let mut notes = Vec::new();
    let size = document.joints().iter().map(|joint| joint.offset.length()).sum::<f64>();
    let mut first = 0;
    for (bone, joint) in document.joints().iter().enumerate() {
        let (mut way, mut turn) = (0.0_f64, 0.0_f64);
        if joint.channels.len() < 6 {
            for frame in 0..clip.frames() {
                let values = &document.row(frame)[first..first + joint.channels.len()];
                let (translation, rotation) = local_transform(joint, values);
                way = way.max((clip.translation(bone, frame) - translation).length());
                turn = turn.max(log(clip.rotation(bone, frame) * rotation.conjugate()).length());
            }
        }
        if way > STILL * size {
            notes.push(format!("“{}” moves {way:.6} units that its channels cannot hold; left out.", joint.name));
        }
        if turn > LOST_RADIANS {
            let degrees = turn.to_degrees();
            notes.push(format!("“{}” turns {degrees:.4}° that its channels cannot hold; left out.", joint.name));
        }
        first += joint.channels.len();
    }
    notes
}

/// Decimal text that [`exact_frame_time`] reads as exactly this time, seconds.
pub(super) fn frame_time_text(seconds: f64) -> String {
    let mut text = String::new();
    push_number(&mut text, seconds);
    if exact_frame_time(&text) != Some(seconds) {
        text = format!("{seconds:.20}");
    }
    text
}
