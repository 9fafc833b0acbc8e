//! Poses and clips from particles: the frame of a body is the best rigid fit to its four particles.

use glam::{DQuat, DVec3};

use super::Ragdoll;
use crate::motion::{Clip, ClipError};

impl Ragdoll {
    /// World position (m) and orientation of every bone; `positions` are those of the world's particles.
    pub fn pose(&self, positions: &[DVec3]) -> Vec<(DVec3, DQuat)> {
        self.bones.pose(&self.frames(positions))
    }

    /// Position (m) and orientation of a body.
    pub(crate) fn body_frame(&self, body: usize, positions: &[DVec3]) -> (DVec3, DQuat) {
        let first = self.particle(body);
        self.bodies[body].body.frame(&[0, 1, 2, 3].map(|k| positions[first + k]))
    }

    /// Writes the pose into a frame of a clip of the skeleton. Quaternions stay in the hemisphere of the previous
    /// frame. Returns how far the farthest body was moved to close the joints, meters.
    pub(crate) fn write_frame(&self, positions: &[DVec3], clip: &mut Clip, frame: usize) -> f64 {
        self.bones.write_frame(&self.frames(positions), clip, frame)
    }

    /// Clip of recorded positions of the world's particles, one list per frame, `frame_time` seconds apart.
    pub fn clip(&self, recorded: &[Vec<DVec3>], frame_time: f64) -> Result<Clip, ClipError> {
        self.bones.clip(recorded.iter().map(|positions| self.frames(positions)), frame_time)
    }

    /// World position (m) and orientation of every bone, for body poses as returned by [`Self::frames`].
    pub(crate) fn pose_of(&self, frames: &[(DVec3, DQuat)]) -> Vec<(DVec3, DQuat)> {
        self.bones.pose(frames)
    }

    /// Position (m) and orientation of every body.
    pub(crate) fn frames(&self, positions: &[DVec3]) -> Vec<(DVec3, DQuat)> {
        (0..self.bodies.len()).map(|body| self.body_frame(body, positions)).collect()
    }
}
