//! Forward kinematics: from local transforms to positions and orientations in the world.

use glam::{DQuat, DVec3};

use super::Clip;
use crate::character::Skeleton;

/// World positions and orientations of all bones over a clip, in the layout of [`Clip`].
#[derive(Clone, Debug, PartialEq)]
pub struct WorldMotion {
    frames: usize,
    rotations: Vec<f64>,
    positions: Vec<f64>,
}

impl WorldMotion {
    /// Composes each bone with its parent, frame by frame. The clip must have the skeleton's number of bones.
    pub fn new(skeleton: &Skeleton, clip: &Clip) -> Self {
        assert_eq!(skeleton.len(), clip.bones(), "a clip of another skeleton");
        let frames = clip.frames();
        let mut world = Self {
            frames,
            rotations: vec![0.0; 4 * skeleton.len() * frames],
            positions: vec![0.0; 3 * skeleton.len() * frames],
        };
        for (index, bone) in skeleton.bones().iter().enumerate() {
            for frame in 0..frames {
                let (parent_position, parent_rotation) = bone.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| {
                    (world.position(parent, frame), world.rotation(parent, frame))
                });
                world.set(
                    index,
                    frame,
                    parent_position + parent_rotation * clip.translation(index, frame),
                    parent_rotation * clip.rotation(index, frame),
                );
            }
        }
        world
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Position of the origin of `bone`, metres.
    pub fn position(&self, bone: usize, frame: usize) -> DVec3 {
        let at = |component: usize| self.positions[(bone * 3 + component) * self.frames + frame];
        DVec3::new(at(0), at(1), at(2))
    }

    /// Orientation of `bone`.
    pub fn rotation(&self, bone: usize, frame: usize) -> DQuat {
        let at = |component: usize| self.rotations[(bone * 4 + component) * self.frames + frame];
        DQuat::from_xyzw(at(0), at(1), at(2), at(3))
    }

    /// Component `component` (x, y, z) of the position of `bone`, one value per frame.
    pub fn position_track(&self, bone: usize, component: usize) -> &[f64] {
        &self.positions[(bone * 3 + component) * self.frames..][..self.frames]
    }

    /// Component `component` (x, y, z, w) of the orientation of `bone`, one value per frame.
    pub fn rotation_track(&self, bone: usize, component: usize) -> &[f64] {
        &self.rotations[(bone * 4 + component) * self.frames..][..self.frames]
    }

    /// A point fixed to `bone` (in its frame), in the world.
    pub fn point(&self, bone: usize, frame: usize, in_bone: DVec3) -> DVec3 {
        self.position(bone, frame) + self.rotation(bone, frame) * in_bone
    }

    fn set(&mut self, bone: usize, frame: usize, position: DVec3, rotation: DQuat) {
        for (component, value) in position.to_array().into_iter().enumerate() {
            self.positions[(bone * 3 + component) * self.frames + frame] = value;
        }
        for (component, value) in rotation.to_array().into_iter().enumerate() {
            self.rotations[(bone * 4 + component) * self.frames + frame] = value;
        }
    }
}
