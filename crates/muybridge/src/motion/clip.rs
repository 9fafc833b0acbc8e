//! A clip: the local rotation and translation of every bone at evenly spaced frames.
//!
//! Numbers are stored bone by bone, component by component, frame by frame, so that SIMD lanes run across frames
//! without gathers: `rotations[(bone * 4 + component) * frames + frame]`. 56 bytes per bone and frame.

use glam::{DQuat, DVec3};
use thiserror::Error;

use crate::math::lane_rotation::Tracks;

/// Reasons why values are not a valid clip.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ClipError {
    /// The clip has no frames.
    #[error("the clip has no frames")]
    Empty,
    /// The frame time is not a positive number.
    #[error("the frame time is {seconds} s; it must be a positive number")]
    FrameTime {
        /// Given frame time, seconds.
        seconds: f64,
    },
    /// A value is not a finite number.
    #[error("bone {bone} has a value that is not a finite number in frame {frame}")]
    NotFinite {
        /// Bone index.
        bone: usize,
        /// Frame index, from 0.
        frame: usize,
    },
}

/// Local transforms of `bones` bones over `frames` frames, `frame_time` seconds apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name in the file; empty if the format has no names.
    pub name: String,
    /// Seconds between frames.
    pub frame_time: f64,
    /// Time of frame 0, seconds.
    pub start_time: f64,
    frames: usize,
    bones: usize,
    rotations: Vec<f64>,
    translations: Vec<f64>,
}

impl Clip {
    /// A clip with all bones at the origin of their parent, unrotated.
    pub fn new(bones: usize, frames: usize, frame_time: f64) -> Result<Self, ClipError> {
        if frames == 0 {
            return Err(ClipError::Empty);
        }
        if !(frame_time.is_finite() && frame_time > 0.0) {
            return Err(ClipError::FrameTime { seconds: frame_time });
        }
        let mut clip = Self {
            name: String::new(),
            frame_time,
            start_time: 0.0,
            frames,
            bones,
            rotations: vec![0.0; bones * 4 * frames],
            translations: vec![0.0; bones * 3 * frames],
        };
        for bone in 0..bones {
            clip.rotations[(bone * 4 + 3) * frames..(bone * 4 + 4) * frames].fill(1.0);
        }
        Ok(clip)
    }

    /// Number of frames, at least 1.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Number of bones.
    pub fn bones(&self) -> usize {
        self.bones
    }

    /// Frames per second.
    pub fn frames_per_second(&self) -> f64 {
        1.0 / self.frame_time
    }

    /// Seconds from the first frame to the last.
    pub fn duration(&self) -> f64 {
        (self.frames - 1) as f64 * self.frame_time
    }

    /// Time of a frame, seconds.
    pub fn time(&self, frame: usize) -> f64 {
        self.start_time + frame as f64 * self.frame_time
    }

    /// Local rotation of `bone`, relative to its parent.
    pub fn rotation(&self, bone: usize, frame: usize) -> DQuat {
        let at = |component: usize| self.rotations[(bone * 4 + component) * self.frames + frame];
        DQuat::from_xyzw(at(0), at(1), at(2), at(3))
    }

    /// Local position of `bone`, in its parent's frame.
    pub fn translation(&self, bone: usize, frame: usize) -> DVec3 {
        let at = |component: usize| self.translations[(bone * 3 + component) * self.frames + frame];
        DVec3::new(at(0), at(1), at(2))
    }

    /// Sets the local rotation of `bone`, relative to its parent; `rotation` must be a unit quaternion.
    pub fn set_rotation(&mut self, bone: usize, frame: usize, rotation: DQuat) {
        for (component, value) in rotation.to_array().into_iter().enumerate() {
            self.rotations[(bone * 4 + component) * self.frames + frame] = value;
        }
    }

    /// Sets the local position of `bone`, in its parent's frame.
    pub fn set_translation(&mut self, bone: usize, frame: usize, translation: DVec3) {
        for (component, value) in translation.to_array().into_iter().enumerate() {
            self.translations[(bone * 3 + component) * self.frames + frame] = value;
        }
    }

    /// Component `component` (x, y, z, w) of the rotation of `bone`, one value per frame.
    pub fn rotation_track(&self, bone: usize, component: usize) -> &[f64] {
        &self.rotations[(bone * 4 + component) * self.frames..][..self.frames]
    }

    /// Component `component` (x, y, z) of the position of `bone`, one value per frame.
    pub fn translation_track(&self, bone: usize, component: usize) -> &[f64] {
        &self.translations[(bone * 3 + component) * self.frames..][..self.frames]
    }

    /// Local rotation of `bone` from frame `first` on, as item 0 of tracks.
    pub(super) fn rotations_from(&self, bone: usize, first: usize) -> Tracks<'_> {
        Tracks { values: &self.rotations[bone * 4 * self.frames + first..], stride: self.frames }
    }

    /// Local position of `bone` from frame `first` on, as item 0 of tracks.
    pub(super) fn translations_from(&self, bone: usize, first: usize) -> Tracks<'_> {
        Tracks { values: &self.translations[bone * 3 * self.frames + first..], stride: self.frames }
    }

    /// Copies the frames `first..end` to a new clip; times are kept. Panics if the range is empty or out of bounds.
    pub fn cut(&self, first: usize, end: usize) -> Self {
        assert!(first < end && end <= self.frames, "frames {first}..{end} of a clip of {}", self.frames);
        let pick = |values: &[f64]| {
            let mut picked = Vec::with_capacity(values.len() / self.frames * (end - first));
            for track in values.chunks_exact(self.frames) {
                picked.extend_from_slice(&track[first..end]);
            }
            picked
        };
        Self {
            name: self.name.clone(),
            frame_time: self.frame_time,
            start_time: self.time(first),
            frames: end - first,
            bones: self.bones,
            rotations: pick(&self.rotations),
            translations: pick(&self.translations),
        }
    }

    /// The clip of some of its bones, in the order given.
    pub fn of_bones(&self, bones: &[usize]) -> Self {
        let pick = |values: &[f64], components: usize| {
            let length = components * self.frames;
            bones.iter().flat_map(|bone| &values[bone * length..][..length]).copied().collect()
        };
        Self {
            name: self.name.clone(),
            bones: bones.len(),
            rotations: pick(&self.rotations, 4),
            translations: pick(&self.translations, 3),
            ..*self
        }
    }

    /// Checks that all values are finite. The error names bone and frame of the first value that is not.
    pub fn check_finite(&self) -> Result<(), ClipError> {
        for (values, components) in [(&self.rotations, 4), (&self.translations, 3)] {
            if let Some(at) = values.iter().position(|v| !v.is_finite()) {
                return Err(ClipError::NotFinite { bone: at / (components * self.frames), frame: at % self.frames });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_what_is_read() {
        let mut clip = Clip::new(2, 3, 0.1).unwrap();
        let turn = crate::math::rotation::exp(DVec3::new(0.1, 0.2, 0.3));
        clip.set_rotation(1, 2, turn);
        clip.set_translation(0, 1, DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(clip.rotation(1, 2), turn);
        assert_eq!(clip.rotation(1, 1), DQuat::IDENTITY);
        assert_eq!(clip.translation_track(0, 2), [0.0, 3.0, 0.0]);
        assert_eq!(clip.cut(1, 3).translation(0, 0), DVec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn x14_empty_clips_and_bad_frame_times_are_errors() {
        assert_eq!(Clip::new(1, 0, 0.1).unwrap_err(), ClipError::Empty);
        assert!(matches!(Clip::new(1, 1, f64::NAN), Err(ClipError::FrameTime { .. })));
        let mut clip = Clip::new(2, 2, 0.1).unwrap();
        clip.set_translation(1, 1, DVec3::new(0.0, f64::NAN, 0.0));
        assert_eq!(clip.check_finite().unwrap_err(), ClipError::NotFinite { bone: 1, frame: 1 });
    }
}
