//! A BVH file in memory, faithful to its text: names, channel orders and numbers as in the file.

use muybridge::glam::DVec3;

use super::frame_time::exact_frame_time;
use crate::imported::MisreadClock;
use crate::{Axis, Error, Location};

/// Meaning of one number of a motion row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Position: replaces this component of the joint's `OFFSET`; file units.
    Position(Axis),
    /// Rotation of the joint about this axis; degrees. A joint's rotations are multiplied in file order.
    Rotation(Axis),
}

/// A joint of the hierarchy: a `ROOT` or `JOINT`.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhJoint {
    /// Name exactly as in the file; names may repeat.
    pub name: String,
    /// Index of the parent joint; `None` for a root.
    pub parent: Option<usize>,
    /// `OFFSET` from the parent, file units.
    pub offset: DVec3,
    /// Channels in file order.
    pub channels: Vec<Channel>,
    /// Offsets of the joint's End Sites, file units.
    pub ends: Vec<DVec3>,
}

/// A BVH file: joints in file order (depth first) and one row of numbers per frame. Checked when built, then immutable.
///
/// Two documents are equal if they write the same text; notes are not compared.
#[derive(Clone, Debug)]
pub struct BvhDocument {
    joints: Vec<BvhJoint>,
    frame_time_text: String,
    channels: usize,
    rows: Vec<f64>,
    notes: Vec<String>,
    /// The joints that are read, parents before children; `None` for all.
    part: Option<Vec<usize>>,
    misread_clock: Option<MisreadClock>,
}

impl PartialEq for BvhDocument {
    fn eq(&self, other: &Self) -> bool {
        self.joints == other.joints && self.frame_time_text == other.frame_time_text && self.rows == other.rows
    }
}

impl BvhDocument {
    /// Checks that the parts make a BVH file: joints depth first, names that can be written, finite numbers, a positive
    /// frame time, and rows (frame by frame) of one number per channel. Errors name the joint.
    pub fn new(joints: Vec<BvhJoint>, frame_time_text: String, rows: Vec<f64>) -> Result<Self, Error> {
        check_tree(&joints)?;
        let fault = |message: String| Error::new(Location::File, message);
        match frame_time_text.parse::<f64>() {
            Ok(seconds) if seconds.is_finite() && seconds > 0.0 => {}
            _ => return Err(fault(format!("the frame time “{frame_time_text}” is not a positive number of seconds"))),
        }
        let channels: usize = joints.iter().map(|joint| joint.channels.len()).sum();
        if channels == 0 {
            return Err(fault("no joint has channels; there is no motion".into()));
        }
        if rows.is_empty() || !rows.len().is_multiple_of(channels) {
            return Err(fault(format!("{} numbers do not make rows of {channels} channels", rows.len())));
        }
        if let Some(at) = rows.iter().position(|value| !value.is_finite()) {
            return Err(fault(format!("frame {} holds a value that is not a finite number", at / channels)));
        }
        Ok(Self { joints, frame_time_text, channels, rows, notes: Vec::new(), misread_clock: None, part: None })
    }

    /// Sets the notes of the document, and what its text says of the clock if that cannot be meant.
    pub(super) fn with_notes(mut self, notes: Vec<String>, misread_clock: Option<MisreadClock>) -> Self {
        (self.notes, self.misread_clock) = (notes, misread_clock);
        self
    }

    /// The document of which only these joints are read, or all; written are always all.
    pub(crate) fn with_part(mut self, part: Option<Vec<usize>>) -> Self {
        self.part = part;
        self
    }

    /// The joints that are read: bone `i` is joint `bones()[i]`.
    pub(crate) fn bones(&self) -> Vec<usize> {
        self.part.clone().unwrap_or_else(|| (0..self.joints.len()).collect())
    }

    /// The part that is read, if not all.
    pub(crate) fn part(&self) -> Option<&Vec<usize>> {
        self.part.as_ref()
    }

    /// The numbers of each joint in a row.
    pub(super) fn columns(&self) -> Vec<std::ops::Range<usize>> {
        let mut first = 0;
        let of = |joint: &BvhJoint| {
            let columns = first..first + joint.channels.len();
            first = columns.end;
            columns
        };
        self.joints.iter().map(of).collect()
    }

    /// The joints in file order: depth first, parents before children.
    pub fn joints(&self) -> &[BvhJoint] {
        &self.joints
    }

    /// Numbers per row: the channels of all joints.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Number of rows, at least 1.
    pub fn frames(&self) -> usize {
        self.rows.len() / self.channels
    }

    /// The numbers of one frame: the channels of all joints in file order.
    pub fn row(&self, frame: usize) -> &[f64] {
        &self.rows[frame * self.channels..][..self.channels]
    }

    /// What the file says of its clock if that cannot be meant.
    pub(crate) fn misread_clock(&self) -> Option<&MisreadClock> {
        self.misread_clock.as_ref()
    }

    /// The number after `Frame Time:` as spelled in the file, or the seconds that it can only mean.
    pub fn frame_time_text(&self) -> &str {
        &self.frame_time_text
    }

    /// Seconds between frames, by [`exact_frame_time`].
    pub fn frame_time(&self) -> f64 {
        exact_frame_time(&self.frame_time_text).expect("checked when built")
    }

    /// Notes on repairs and omissions, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Whether a joint of this name reads back as written: one line, no opening brace, no blanks at its ends.
pub(super) fn is_writable_name(name: &str) -> bool {
    let blank = |byte: Option<&u8>| byte.is_some_and(|&byte| byte <= b' ');
    let bytes = name.as_bytes();
    !bytes.iter().any(|byte| b"{\r\n".contains(byte)) && !blank(bytes.first()) && !blank(bytes.last())
}

fn check_tree(joints: &[BvhJoint]) -> Result<(), Error> {
    let mut open: Vec<usize> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        let fault = |message: &str| Error::new(Location::Named(joint.name.clone()), message);
        while open.last().copied() != joint.parent {
            if open.pop().is_none() {
                return Err(fault("the joint does not follow its parent; list joints depth first"));
            }
        }
        open.push(index);
        if !is_writable_name(&joint.name) {
            return Err(fault("a joint name in BVH is one line without “{” and without blanks at its ends"));
        }
        if !(joint.offset.is_finite() && joint.ends.iter().all(|end| end.is_finite())) {
            return Err(fault("the joint has an offset that is not a finite number"));
        }
        let mut positions = joint.channels.iter().filter(|channel| matches!(channel, Channel::Position(_)));
        let mut seen = Vec::new();
        if positions.any(|channel| seen.contains(&channel) || (seen.push(channel), false).1) {
            return Err(fault("the joint has two position channels of one axis"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: Option<usize>) -> BvhJoint {
        let channels = vec![Channel::Rotation(Axis::X)];
        BvhJoint { name: name.into(), parent, offset: DVec3::ZERO, channels, ends: vec![] }
    }

    #[test]
    fn parts_that_are_no_bvh_file_are_refused_with_the_joint_named() {
        let broken = |joints: Vec<BvhJoint>, time: &str, rows: Vec<f64>| {
            BvhDocument::new(joints, time.into(), rows).unwrap_err()
        };
        let breadth_first = vec![joint("a", None), joint("b", Some(0)), joint("c", Some(0)), joint("d", Some(1))];
        assert_eq!(broken(breadth_first, "0.1", vec![0.0; 4]).place, Location::Named("d".into()));
        assert_eq!(broken(vec![joint("a {", None)], "0.1", vec![0.0]).place, Location::Named("a {".into()));
        assert!(broken(vec![joint("a", None)], "-1", vec![0.0]).message.contains("frame time"));
        assert!(broken(vec![joint("a", None)], "1", vec![f64::NAN]).message.contains("frame 0"));
        assert!(broken(vec![], "1", vec![0.0]).message.contains("channels"));
        let mut twice = joint("a", None);
        twice.channels = vec![Channel::Position(Axis::X), Channel::Position(Axis::X)];
        assert!(broken(vec![twice], "1", vec![0.0; 2]).message.contains("position"));
    }
}
