//! From particles back to poses, and from poses to a clip.
//!
//! ```text
//! body    best rigid rotation of its four particles (particles::body)
//! bone    frame of its body · where it rides
//! clip    rotation = R_parentᵀ R_bone; the skeleton keeps its offsets, only roots move
//! ```

use glam::{DQuat, DVec3};

use super::{Ragdoll, inside};
use crate::motion::{Clip, ClipError};

impl Ragdoll {
    /// World position (m) and orientation of every bone; `positions` are those of the world's particles.
    pub fn pose(&self, positions: &[DVec3]) -> Vec<(DVec3, DQuat)> {
        let frames: Vec<(DVec3, DQuat)> = (0..self.bodies.len()).map(|body| self.body_frame(body, positions)).collect();
        let mut pose: Vec<(DVec3, DQuat)> = Vec::with_capacity(self.rides.len());
        for (bone, ride) in self.rides.iter().enumerate() {
            pose.push(match ride {
                Some(ride) => outside(frames[ride.body], (ride.position, ride.rotation)),
                None => self.parents[bone].map_or(self.locals[bone], |parent| outside(pose[parent], self.locals[bone])),
            });
        }
        pose
    }

    /// Position (m) and orientation of a body.
    pub fn body_frame(&self, body: usize, positions: &[DVec3]) -> (DVec3, DQuat) {
        let first = self.particle(body);
        self.bodies[body].body.frame(&[0, 1, 2, 3].map(|k| positions[first + k]))
    }

    /// Position and orientation of every bone against its parent: offsets of the skeleton in its starting pose, rotations
    /// and the motion of the roots from the particles.
    pub fn local_pose(&self, positions: &[DVec3]) -> Vec<(DVec3, DQuat)> {
        let pose = self.pose(positions);
        let local = |(bone, parent): (usize, &Option<usize>)| match *parent {
            Some(parent) => (self.locals[bone].0, inside(pose[parent], pose[bone]).1),
            None => pose[bone],
        };
        self.parents.iter().enumerate().map(local).collect()
    }

    /// Writes the pose into a frame of a clip of the skeleton; quaternions stay in the hemisphere of the frame before.
    pub fn write_frame(&self, positions: &[DVec3], clip: &mut Clip, frame: usize) {
        for (bone, (translation, rotation)) in self.local_pose(positions).into_iter().enumerate() {
            let before = if frame > 0 { clip.rotation(bone, frame - 1) } else { rotation };
            clip.set_rotation(bone, frame, if rotation.dot(before) < 0.0 { -rotation } else { rotation });
            clip.set_translation(bone, frame, translation);
        }
    }

    /// A clip of recorded positions of the world's particles, one list per frame, `frame_time` seconds apart.
    pub fn clip(&self, recorded: &[Vec<DVec3>], frame_time: f64) -> Result<Clip, ClipError> {
        let mut clip = Clip::new(self.rides.len(), recorded.len(), frame_time)?;
        for (frame, positions) in recorded.iter().enumerate() {
            self.write_frame(positions, &mut clip, frame);
        }
        Ok(clip)
    }
}

fn outside((position, rotation): (DVec3, DQuat), (at, turn): (DVec3, DQuat)) -> (DVec3, DQuat) {
    (position + rotation * at, (rotation * turn).normalize())
}
