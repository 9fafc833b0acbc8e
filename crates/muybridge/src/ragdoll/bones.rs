//! Bones of a character and the rigid bodies that carry them: computes poses of all bones from the frames of the
//! bodies.
//!
//! ```text
//! bone    frame of its body · attachment
//! clip    rotation = R_parentᵀ R_bone; the skeleton keeps its offsets, and roots move so that mass centers stay
//! ```

use glam::{DQuat, DVec3};

use super::{RagdollStart, inside};
use crate::character::Character;
use crate::math::input_error::InputError;
use crate::motion::{Clip, ClipError};

/// Body that carries each bone.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneMap {
    /// Attachment of each bone to a body; `None` for bones of trees without mass, which stay in the starting pose.
    pub(crate) rides: Vec<Option<Ride>>,
    /// Mass of each body, kilograms.
    pub(super) masses: Vec<f64>,
    /// Names of the bones.
    names: Vec<String>,
    /// Parents of the bones.
    parents: Vec<Option<usize>>,
    /// Local transforms of the bones in the starting pose.
    locals: Vec<(DVec3, DQuat)>,
}

/// Attachment of a bone to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ride {
    /// Index of the body.
    pub body: usize,
    /// Origin of the bone in the frame of the body, meters.
    pub position: DVec3,
    /// Orientation of the bone in the frame of the body.
    pub rotation: DQuat,
}

impl BoneMap {
    pub(super) fn new(character: &Character, start: &RagdollStart, rides: Vec<Option<Ride>>) -> Self {
        let bones = character.skeleton.bones();
        let placed = start.locals(character);
        let local = |(bone, local): (usize, _)| if bones[bone].parent.is_some() { local } else { placed[bone] };
        let unplaced = start.before_placing().locals(character);
        Self {
            rides,
            masses: Vec::new(),
            names: bones.iter().map(|bone| bone.name.clone()).collect(),
            parents: bones.iter().map(|bone| bone.parent).collect(),
            locals: unplaced.into_iter().enumerate().map(local).collect(),
        }
    }

    /// Index of the bone with exactly that name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|bone| bone == name)
    }

    /// Attachment of a bone; `None` if the bone has none or does not exist.
    pub(crate) fn ride(&self, bone: usize) -> Option<Ride> {
        *self.rides.get(bone)?
    }

    /// The error for a bone that does not exist or rides on no body.
    pub(super) fn unknown(&self, bone: usize) -> InputError {
        InputError::NoSuch { what: "bone with a body", index: bone, count: self.rides.iter().flatten().count() }
    }

    /// Offset of a bone from its parent in the starting pose, meters.
    pub(super) fn offset(&self, bone: usize) -> DVec3 {
        self.locals[bone].0
    }

    /// World position (m) and orientation of every bone; `frames` are the poses of the bodies.
    pub(crate) fn pose(&self, frames: &[(DVec3, DQuat)]) -> Vec<(DVec3, DQuat)> {
        let mut pose: Vec<(DVec3, DQuat)> = Vec::with_capacity(self.rides.len());
        for (bone, ride) in self.rides.iter().enumerate() {
            pose.push(match ride {
                Some(ride) => outside(frames[ride.body], (ride.position, ride.rotation)),
                None => self.parents[bone].map_or(self.locals[bone], |parent| outside(pose[parent], self.locals[bone])),
            });
        }
        pose
    }

    /// Position and orientation of every bone relative to its parent, and how far the farthest body was moved, meters.
    /// Offsets are those of the starting pose, so that gaps of joints close: rotations are those of the bodies, and each
    /// root goes where the mass center of what hangs on it stays.
    fn read_out(&self, frames: &[(DVec3, DQuat)]) -> (Vec<(DVec3, DQuat)>, f64) {
        let pose = self.pose(frames);
        let mut local: Vec<(DVec3, DQuat)> = Vec::with_capacity(pose.len());
        // Place of each bone by the offsets, meters, and its root.
        let mut closed: Vec<(DVec3, usize)> = Vec::with_capacity(pose.len());
        for (bone, parent) in self.parents.iter().enumerate() {
            match *parent {
                Some(parent) => {
                    let offset = self.locals[bone].0;
                    local.push((offset, inside(pose[parent], pose[bone]).1));
                    closed.push((closed[parent].0 + pose[parent].1 * offset, closed[parent].1));
                }
                None => {
                    local.push(pose[bone]);
                    closed.push((pose[bone].0, bone));
                }
            }
        }
        let of_body = |(body, &mass): (usize, &f64)| {
            let bone = self.rides.iter().position(|ride| ride.is_some_and(|ride| ride.body == body))?;
            Some((mass, closed[bone].0 - pose[bone].0, closed[bone].1))
        };
        let moves: Vec<(f64, DVec3, usize)> = self.masses.iter().enumerate().filter_map(of_body).collect();
        let mut farthest = 0.0_f64;
        for root in (0..pose.len()).filter(|&bone| self.parents[bone].is_none()) {
            let own = || moves.iter().filter(|it| it.2 == root);
            let mass: f64 = own().map(|it| it.0).sum();
            if mass > 0.0 {
                let back = own().map(|it| it.1 * it.0).sum::<DVec3>() / mass;
                local[root].0 -= back;
                farthest = own().map(|it| it.1.distance(back)).fold(farthest, f64::max);
            }
        }
        (local, farthest)
    }

    /// Writes the pose into a frame of a clip of the skeleton. Quaternions stay in the hemisphere of the previous frame.
    /// Returns how far the farthest body was moved to close the joints, meters.
    pub(crate) fn write_frame(&self, frames: &[(DVec3, DQuat)], clip: &mut Clip, frame: usize) -> f64 {
        let (local, farthest) = self.read_out(frames);
        for (bone, (translation, rotation)) in local.into_iter().enumerate() {
            let before = if frame > 0 { clip.rotation(bone, frame - 1) } else { rotation };
            clip.set_rotation(bone, frame, if rotation.dot(before) < 0.0 { -rotation } else { rotation });
            clip.set_translation(bone, frame, translation);
        }
        farthest
    }

    /// Clip of a recording: poses of the bodies, one list per frame of the clip, `frame_time` seconds apart.
    pub(crate) fn clip(
        &self,
        recorded: impl ExactSizeIterator<Item = Vec<(DVec3, DQuat)>>,
        frame_time: f64,
    ) -> Result<Clip, ClipError> {
        let mut clip = Clip::new(self.rides.len(), recorded.len(), frame_time)?;
        for (frame, frames) in recorded.enumerate() {
            self.write_frame(&frames, &mut clip, frame);
        }
        Ok(clip)
    }
}

fn outside((position, rotation): (DVec3, DQuat), (at, turn): (DVec3, DQuat)) -> (DVec3, DQuat) {
    (position + rotation * at, (rotation * turn).normalize())
}
