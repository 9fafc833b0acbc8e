//! Forward kinematics: from local transforms to world positions and orientations.
//!
//! ```text
//! p_bone = p_parent + R_parent t_bone,   q_bone = q_parent q_local                       frames in SIMD lanes
//! ```
//! All bones of a block of frames are computed while the block is in the cache. [`WorldMotion`] keeps all blocks. An
//! algorithm that needs each frame once iterates over the clip with one [`WorldBlock`].

use core::ops::Range;

use glam::{DQuat, DVec3};

use super::Clip;
use crate::character::Skeleton;
use crate::math::blocks;
use crate::math::lane_rotation::{LaneVector, Tracks};
use crate::math::lanes::{Kernel, Lanes, Width};

/// World positions and orientations of all bones over a clip, in the layout of [`Clip`]: 56 bytes per bone and frame.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldMotion {
    frames: usize,
    rotations: Vec<f64>,
    positions: Vec<f64>,
}

/// World positions and orientations of all bones over a few frames. 56 bytes per bone and frame of its capacity.
#[derive(Clone, Debug)]
pub struct WorldBlock {
    stride: usize,
    rotations: Vec<f64>,
    positions: Vec<f64>,
}

impl WorldBlock {
    /// A block with room for `frames` frames of `bones` bones.
    pub fn new(bones: usize, frames: usize) -> Self {
        Self { stride: frames, rotations: vec![0.0; 4 * bones * frames], positions: vec![0.0; 3 * bones * frames] }
    }

    /// Number of frames that fit in the cache for `bones` bones: 128 for 24 bones, a multiple of 8 from 16 to 512.
    pub fn frames_in_cache(bones: usize) -> usize {
        let frames = BLOCK_BYTES / (56 * bones.max(1));
        frames.clamp(16, 512) / 8 * 8
    }

    /// Composes each bone with its parent over `frames` of `clip`. Panics if there is no room, if the range exceeds the
    /// clip, or if the clip belongs to another skeleton.
    pub fn fill(&mut self, skeleton: &Skeleton, clip: &Clip, frames: Range<usize>, width: Width) {
        assert_eq!(skeleton.len(), clip.bones(), "a clip of another skeleton");
        assert!(frames.len() <= self.stride, "{} frames in a block of {}", frames.len(), self.stride);
        width.at_most(frames.len()).run(Compose { skeleton, clip, frames, block: self });
    }

    /// World positions of all bones; frame 0 is the first of the range last filled.
    pub(crate) fn positions(&self) -> Tracks<'_> {
        Tracks { values: &self.positions, stride: self.stride }
    }

    /// Writes the world positions of a point fixed to `bone` (in its frame) over the first `frames` frames: three
    /// tracks in `tracks`.
    pub(crate) fn point_track(&self, bone: usize, in_bone: DVec3, frames: usize, width: Width, tracks: &mut [f64]) {
        let kernel =
            PointKernel { positions: self.positions(), rotations: self.rotations(), bone, in_bone, frames, tracks };
        width.at_most(frames).run(kernel);
    }

    /// World orientations of all bones; frame 0 is the first of the range last filled.
    pub(crate) fn rotations(&self) -> Tracks<'_> {
        Tracks { values: &self.rotations, stride: self.stride }
    }
}

/// Size of the poses of a block, bytes; with the body centers 240 KB, a part of the second-level cache. For 24 bones
/// (128 frames) half the size costs 20 % more on clips larger than the cache, twice the size costs 50 % more on smaller
/// clips.
const BLOCK_BYTES: usize = 168 * 1024;

/// Lane kernel that composes bone after bone, parents first.
struct Compose<'a> {
    skeleton: &'a Skeleton,
    clip: &'a Clip,
    frames: Range<usize>,
    block: &'a mut WorldBlock,
}

impl Kernel for Compose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        for (bone, parent) in self.skeleton.bones().iter().map(|bone| bone.parent).enumerate() {
            let local = LocalTracks {
                translations: self.clip.translations_from(bone, self.frames.start),
                rotations: self.clip.rotations_from(bone, self.frames.start),
                frames: self.frames.len(),
            };
            compose_bone::<V>(token, &local, bone, parent, self.block);
        }
    }
}

/// Local transforms of one bone over the frames of a block.
struct LocalTracks<'a> {
    translations: Tracks<'a>,
    rotations: Tracks<'a>,
    frames: usize,
}

/// A last vector that would exceed the frames starts earlier and writes the same numbers again.
#[inline(always)]
fn compose_bone<V: Lanes>(
    token: V::Token,
    local: &LocalTracks<'_>,
    bone: usize,
    parent: Option<usize>,
    block: &mut WorldBlock,
) {
    let (stride, frames) = (block.stride, local.frames);
    let (parents_positions, positions) = block.positions.split_at_mut(bone * 3 * stride);
    let (parents_rotations, rotations) = block.rotations.split_at_mut(bone * 4 * stride);
    let parents = (Tracks { values: parents_positions, stride }, Tracks { values: parents_rotations, stride });
    for start in (0..frames).step_by(V::WIDTH) {
        let at = start.min(frames - V::WIDTH);
        let translation = local.translations.vector::<V>(token, 0, at);
        let rotation = local.rotations.rotation::<V>(token, 0, at);
        let (position, rotation) = match parent {
            None => (translation, rotation),
            Some(parent) => {
                let turn = parents.1.rotation(token, parent, at);
                (parents.0.vector(token, parent, at).plus(turn.rotate(translation)), turn.after(rotation))
            }
        };
        position.store(positions, stride, at);
        rotation.store(rotations, stride, at);
    }
}

/// Lane kernel for `p + R r`, r a point in the frame of a bone.
struct PointKernel<'a> {
    positions: Tracks<'a>,
    rotations: Tracks<'a>,
    bone: usize,
    in_bone: DVec3,
    frames: usize,
    tracks: &'a mut [f64],
}

impl Kernel for PointKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let in_bone = LaneVector::<V>::splat(token, self.in_bone);
        let stride = self.tracks.len() / 3;
        for start in (0..self.frames).step_by(V::WIDTH) {
            let at = start.min(self.frames - V::WIDTH);
            let position = self.positions.vector(token, self.bone, at);
            let rotation = self.rotations.rotation(token, self.bone, at);
            position.plus(rotation.rotate(in_bone)).store(self.tracks, stride, at);
        }
    }
}

impl WorldMotion {
    /// The same motion with each bone's position raised by a height that depends on it, meters.
    pub(crate) fn raised(&self, by: impl Fn(DVec3) -> f64) -> Self {
        let mut raised = self.clone();
        let bones = raised.positions.len() / (3 * self.frames.max(1));
        for bone in 0..bones {
            for frame in 0..self.frames {
                raised.positions[(3 * bone + 1) * self.frames + frame] += by(self.position(bone, frame));
            }
        }
        raised
    }
}

/// World position and orientation of a bone in one frame, from its ancestors only: for few bones and frames. Panics if
/// the bone or frame does not exist.
pub fn world_of(skeleton: &Skeleton, clip: &Clip, bone: usize, frame: usize) -> (DVec3, DQuat) {
    let (mut position, mut rotation) = (clip.translation(bone, frame), clip.rotation(bone, frame));
    let mut above = skeleton.bones()[bone].parent;
    while let Some(parent) = above {
        let turn = clip.rotation(parent, frame);
        position = clip.translation(parent, frame) + turn * position;
        rotation = turn * rotation;
        above = skeleton.bones()[parent].parent;
    }
    (position, rotation)
}

/// Writes the world position and orientation of every bone in one frame to `poses`, replacing its contents. The clip
/// must have the skeleton's number of bones. Panics if the frame does not exist.
pub fn pose_of(skeleton: &Skeleton, clip: &Clip, frame: usize, poses: &mut Vec<(DVec3, DQuat)>) {
    poses.clear();
    for (bone, own) in skeleton.bones().iter().enumerate() {
        let (above, turn) = own.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| poses[parent]);
        poses.push((above + turn * clip.translation(bone, frame), turn * clip.rotation(bone, frame)));
    }
}

impl WorldMotion {
    /// Composes each bone with its parent in all frames. The clip must have the skeleton's number of bones.
    pub fn new(skeleton: &Skeleton, clip: &Clip) -> Self {
        Self::with_width(skeleton, clip, Width::widest())
    }

    /// [`WorldMotion::new`] with vectors of a given width; the result has the same bits.
    pub(crate) fn with_width(skeleton: &Skeleton, clip: &Clip, width: Width) -> Self {
        let (bones, frames) = (skeleton.len(), clip.frames());
        let mut rotations = vec![0.0; 4 * bones * frames];
        let mut positions = vec![0.0; 3 * bones * frames];
        let capacity = WorldBlock::frames_in_cache(bones);
        let starts = (0..frames).step_by(capacity);
        let rotation_blocks = blocks::cut_tracks(&mut rotations, frames, capacity);
        let position_blocks = blocks::cut_tracks(&mut positions, frames, capacity);
        let pieces = starts.zip(rotation_blocks).zip(position_blocks).collect();
        let scratch = || WorldBlock::new(bones, capacity);
        blocks::for_each(pieces, scratch, |block, ((first, rotations), positions)| {
            block.fill(skeleton, clip, first..frames.min(first + capacity), width);
            copy_tracks(&block.rotations, capacity, rotations);
            copy_tracks(&block.positions, capacity, positions);
        });
        Self { frames, rotations, positions }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// World position of the origin of `bone`, meters.
    pub fn position(&self, bone: usize, frame: usize) -> DVec3 {
        let at = |component: usize| self.positions[(bone * 3 + component) * self.frames + frame];
        DVec3::new(at(0), at(1), at(2))
    }

    /// World orientation of `bone`.
    pub fn rotation(&self, bone: usize, frame: usize) -> DQuat {
        let at = |component: usize| self.rotations[(bone * 4 + component) * self.frames + frame];
        DQuat::from_xyzw(at(0), at(1), at(2), at(3))
    }

    /// Component `component` (x, y, z) of the world position of `bone`, one value per frame.
    pub(crate) fn position_track(&self, bone: usize, component: usize) -> &[f64] {
        &self.positions[(bone * 3 + component) * self.frames..][..self.frames]
    }

    /// Component `component` (x, y, z, w) of the world orientation of `bone`, one value per frame.
    pub(crate) fn rotation_track(&self, bone: usize, component: usize) -> &[f64] {
        &self.rotations[(bone * 4 + component) * self.frames..][..self.frames]
    }

    /// World position of a point fixed to `bone` (in its frame), meters.
    pub fn point(&self, bone: usize, frame: usize, in_bone: DVec3) -> DVec3 {
        self.position(bone, frame) + self.rotation(bone, frame) * in_bone
    }

    /// Writes the world positions of a point fixed to `bone` (in its frame) in all frames: three tracks of
    /// [`WorldMotion::frames`] numbers each in `tracks`.
    pub(crate) fn point_track(&self, bone: usize, in_bone: DVec3, tracks: &mut [f64]) {
        let (positions, rotations) = (self.tracks(&self.positions), self.tracks(&self.rotations));
        let kernel = PointKernel { positions, rotations, bone, in_bone, frames: self.frames, tracks };
        Width::widest().at_most(self.frames).run(kernel);
    }

    fn tracks<'a>(&self, values: &'a [f64]) -> Tracks<'a> {
        Tracks { values, stride: self.frames }
    }
}

/// Copies the beginning of each track of a block.
fn copy_tracks(block: &[f64], stride: usize, tracks: Vec<&mut [f64]>) {
    for (from, to) in block.chunks_exact(stride).zip(tracks) {
        to.copy_from_slice(&from[..to.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::Bone;
    use crate::math::rotation;

    /// A tree of `bones` bones over `frames` frames, all rotating differently.
    fn any_motion(bones: usize, frames: usize) -> (Skeleton, Clip) {
        let bone = |index: usize| Bone {
            name: format!("bone {index}"),
            parent: (index > 0).then(|| (index - 1) / 2),
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            ends: vec![],
        };
        let skeleton = Skeleton::new((0..bones).map(bone).collect()).unwrap();
        let mut clip = Clip::new(bones, frames, 0.01).unwrap();
        for bone in 0..bones {
            for frame in 0..frames {
                let t = frame as f64 * 0.031 + bone as f64;
                let phi = DVec3::new(libm::sin(t), libm::cos(1.7 * t), libm::sin(2.3 * t + 0.5));
                clip.set_rotation(bone, frame, rotation::exp(phi));
                clip.set_translation(bone, frame, DVec3::new(libm::cos(t), 0.3, libm::sin(0.5 * t)));
            }
        }
        (skeleton, clip)
    }

    #[test]
    fn every_bone_stands_where_its_parent_puts_it() {
        for frames in [1, 2, 3, 7, 8, 9, 600] {
            let (skeleton, clip) = any_motion(9, frames);
            let world = WorldMotion::new(&skeleton, &clip);
            for frame in 0..frames {
                for (index, bone) in skeleton.bones().iter().enumerate() {
                    let (position, turn) = bone.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| {
                        (world.position(parent, frame), world.rotation(parent, frame))
                    });
                    let expected = position + turn * clip.translation(index, frame);
                    assert!((world.position(index, frame) - expected).length() < 4e-15, "bone {index}, frame {frame}");
                    let expected = turn * clip.rotation(index, frame);
                    assert!((world.rotation(index, frame) - expected).length() < 1e-15, "bone {index}, frame {frame}");
                }
            }
        }
    }

    #[test]
    fn the_bits_of_a_pose_depend_neither_on_the_width_nor_on_the_cut() {
        let (skeleton, clip) = any_motion(9, 1203);
        let whole = WorldMotion::with_width(&skeleton, &clip, Width::single());
        for width in Width::all() {
            assert_eq!(WorldMotion::with_width(&skeleton, &clip, width), whole, "{width}");
        }
        let part = WorldMotion::new(&skeleton, &clip.cut(5, 1200));
        for frame in 5..1200 {
            assert_eq!(part.position(8, frame - 5), whole.position(8, frame));
        }
    }
}
