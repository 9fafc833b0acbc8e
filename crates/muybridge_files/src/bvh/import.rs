//! Converts a [`BvhDocument`] to a skeleton and a clip.

use std::collections::{BTreeMap, BTreeSet};

use muybridge::character::{Bone, Skeleton};
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::about;
use muybridge::motion::Clip;

use super::document::{BvhDocument, BvhJoint, Channel};
use crate::{Axis, Error, Imported, Location, split_characters};

/// Converts a document to its skeleton and clip; bone `i` is joint `i`, or the joint `i` of the part that is read. Lengths are in file
/// units, axes as in the file.
///
/// Repeated and empty joint names are made unique. In skeletons of 12 or more joints, End Sites longer than half the
/// skeleton are left out. Both are noted in [`Imported::ignored`], after the notes of the document.
pub fn import(document: &BvhDocument) -> Result<Imported, Error> {
    let mut ignored = document.notes().to_vec();
    let part = document.bones();
    let clip = clip(document, &part)?;
    let joints: Vec<&BvhJoint> = part.iter().map(|&joint| &document.joints()[joint]).collect();
    let names = unique_names(&joints, &mut ignored);
    let bones = names.into_iter().zip(&joints).map(|(name, joint)| Bone {
        name,
        parent: joint.parent.and_then(|parent| part.binary_search(&parent).ok()),
        translation: joint.offset,
        rotation: DQuat::IDENTITY,
        ends: joint.ends.clone(),
    });
    let mut bones: Vec<Bone> = bones.collect();
    drop_far_ends(&mut bones, &mut ignored);
    let skeleton = Skeleton::new(bones).map_err(|error| Error::new(Location::File, error.to_string()))?;
    let misread_clock = document.misread_clock().cloned();
    let clips = vec![clip];
    let characters = match document.part() {
        Some(_) => Vec::new(),
        None => split_characters::characters(&skeleton, |bone| joints[bone].name.as_str(), &clips, &[]),
    };
    Ok(Imported { format: "BVH".into(), skeleton, clips, characters, misread_clock, ignored, ..Imported::default() })
}

pub(super) fn unit_vector(axis: Axis) -> DVec3 {
    [DVec3::X, DVec3::Y, DVec3::Z][axis as usize]
}

/// Local position and rotation of a joint from its numbers in a row.
pub(super) fn local_transform(joint: &BvhJoint, values: &[f64]) -> (DVec3, DQuat) {
    let (mut translation, mut rotation) = (joint.offset, DQuat::IDENTITY);
    for (channel, &value) in joint.channels.iter().zip(values) {
        match *channel {
            Channel::Position(axis) => translation[axis as usize] = value,
            Channel::Rotation(axis) => rotation *= about(unit_vector(axis), value.to_radians()),
        }
    }
    (translation, rotation.normalize())
}

/// Entries a clip may have beyond those in proportion to the file's numbers: joints without channels take no bytes in the file
/// but 56 bytes per frame in memory.
const FREE_ENTRIES: usize = 1_000_000;
const ENTRIES_PER_NUMBER: usize = 16;

fn clip(document: &BvhDocument, part: &[usize]) -> Result<Clip, Error> {
    let (bones, frames) = (part.len(), document.frames());
    let numbers = document.channels() * frames;
    if bones.saturating_mul(frames) > ENTRIES_PER_NUMBER * numbers + FREE_ENTRIES {
        let message =
            format!("{bones} joints share {} channels; remove the joints that do not move", document.channels());
        return Err(Error::new(Location::File, message));
    }
    let mut clip = Clip::new(bones, frames, document.frame_time())
        .map_err(|error| Error::new(Location::File, error.to_string()))?;
    let columns = document.columns();
    for (bone, &joint) in part.iter().enumerate() {
        let (joint, columns) = (&document.joints()[joint], &columns[joint]);
        for frame in 0..frames {
            let values = &document.row(frame)[columns.clone()];
            let (translation, rotation) = local_transform(joint, values);
            clip.set_translation(bone, frame, translation);
            clip.set_rotation(bone, frame, rotation);
        }
    }
    Ok(clip)
}

/// Unique joint names: repeated names get the first free number from 2.
fn unique_names(joints: &[&BvhJoint], ignored: &mut Vec<String>) -> Vec<String> {
    let spelled: BTreeSet<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    let mut given: BTreeSet<String> = BTreeSet::new();
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names = Vec::with_capacity(joints.len());
    for joint in joints {
        let base = if joint.name.is_empty() { "joint" } else { joint.name.as_str() };
        let mut name = joint.name.clone();
        let number = next.entry(base).or_insert(2);
        while name.is_empty() || given.contains(&name) || (name != joint.name && spelled.contains(name.as_str())) {
            name = format!("{base}_{number}");
            *number += 1;
        }
        if name != joint.name {
            ignored.push(format!("A joint named “{}” is called “{name}” here: names must be unique.", joint.name));
        }
        given.insert(name.clone());
        names.push(name);
    }
    names
}

/// Least number of joints of a skeleton whose long End Sites are taken for errors.
const JOINTS_OF_A_BODY: usize = 12;

/// Removes End Sites further from their joint than half the diagonal of the joints at rest.
fn drop_far_ends(bones: &mut [Bone], ignored: &mut Vec<String>) {
    if bones.len() < JOINTS_OF_A_BODY {
        return;
    }
    let mut rest: Vec<DVec3> = Vec::with_capacity(bones.len());
    for bone in bones.iter() {
        rest.push(bone.parent.map_or(DVec3::ZERO, |parent| rest[parent] + bone.translation));
    }
    let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let limit = 0.5 * (high - low).length();
    if !limit.is_finite() {
        return;
    }
    for bone in bones {
        bone.ends.retain(|end| {
            let keep = end.length() <= limit;
            if !keep {
                let far = Some(end.length()).filter(|far| far.is_finite()).map(|far| format!("{far:.4}"));
                let far = far.unwrap_or_else(|| format!("{:e}", end.abs().max_element()));
                ignored.push(format!(
                    "The End Site of “{}” is {far} units from its joint, more than half the size of the skeleton; it was left out.",
                    bone.name
                ));
            }
            keep
        });
    }
}
