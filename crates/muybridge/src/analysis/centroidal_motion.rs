//! Center of mass, linear and angular momentum of a whole clip, computed in one pass.
//!
//! ```text
//! clip → world poses of a block → body centers → c, P = M dc/dt, H                     mathematics 6.1, 6.2; S1–S3, S37
//! ```
//! A block of frames passes through all stages while it lies in the cache of one core, with frames in SIMD lanes; the poses of the whole clip are
//! never stored. Memory beside the clip (56 bytes per bone and frame): 72 bytes per frame for the result, and per thread one block of 80 bytes per
//! bone and frame (132 frames for 24 bones: 250 KB). The numbers equal those of
//! [`BodyMotion::centroidal_rows`](super::momentum::BodyMotion::centroidal_rows) to the bit.

use glam::DVec3;

use super::momentum::Differences;
use super::momentum_rows::{BodyTrackSet, BodyTracks, FrameBlock, HALO, RowsMut, fill_rows};
use crate::character::Character;
use crate::math::blocks;
use crate::math::lane_rotation::Tracks;
use crate::math::lanes::Width;
use crate::motion::{Clip, WorldBlock};

/// Center of mass and momenta of a clip, one entry per frame in each list.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalMotion {
    /// Center of mass of all bodies, meters. NaN if the character has no mass.
    pub mass_center: Vec<DVec3>,
    /// Linear momentum, kg m/s.
    pub linear_momentum: Vec<DVec3>,
    /// Angular momentum about the center of mass, world axes, kg m²/s.
    pub angular_momentum: Vec<DVec3>,
}

/// Computes the centroidal motion of `character` through `clip` by central differences; the first and last frame use one-sided differences, also of
/// second order. A single frame has no momentum. Panics if the clip belongs to another skeleton.
/// SIMD vectors of any `width` give the same result to the bit.
pub fn centroidal_motion_with_width(character: &Character, clip: &Clip, width: Width) -> CentroidalMotion {
    let bones = character.skeleton.len();
    let rows_per_block = WorldBlock::frames_in_cache(bones);
    centroidal_motion_in_blocks(character, clip, width, rows_per_block)
}

fn centroidal_motion_in_blocks(character: &Character, clip: &Clip, width: Width, block: usize) -> CentroidalMotion {
    let mut motion = CentroidalMotion::zero(clip.frames());
    let carried = carried_by_bones(character);
    let scratch = || Scratch::new(character.skeleton.len(), carried.len(), block + 2 * HALO);
    blocks::for_each(motion.blocks_mut(block), scratch, |scratch, mut rows| {
        let span = FrameBlock::new(rows.range(), clip.frames(), clip.frame_time);
        scratch.world.fill(&character.skeleton, clip, span.view.clone(), width);
        let bodies = scratch.follow(character, &carried, span.view.len(), width);
        fill_rows(bodies, &span, Differences::Central, width, &mut rows);
    });
    motion
}

/// Buffers that a thread reuses from block to block.
struct Scratch {
    world: WorldBlock,
    positions: Vec<f64>,
    stride: usize,
}

impl Scratch {
    fn new(bones: usize, bodies: usize, frames: usize) -> Self {
        Self { world: WorldBlock::new(bones, frames), positions: vec![0.0; 3 * bodies * frames], stride: frames }
    }

    /// Computes the centers of mass of the bodies in the poses of the block.
    fn follow<'a>(
        &'a mut self,
        character: &Character,
        carried: &'a [BodyTracks],
        frames: usize,
        width: Width,
    ) -> BodyTrackSet<'a> {
        for (body, out) in carried.iter().zip(self.positions.chunks_exact_mut(3 * self.stride)) {
            let bone = body.rotation;
            self.world.point_track(bone, character.bodies[bone].center, frames, width, out);
        }
        let positions = Tracks { values: &self.positions, stride: self.stride };
        BodyTrackSet { carried, positions, rotations: self.world.rotations() }
    }
}

/// Lists the bodies that have mass, with their track indices: one rotation track per bone, one position track per listed body.
fn carried_by_bones(character: &Character) -> Vec<BodyTracks> {
    let bones = character.bodies.iter().enumerate().filter(|(_, body)| body.mass > 0.0);
    bones
        .enumerate()
        .map(|(position, (bone, body))| BodyTracks { position, rotation: bone, mass: body.mass, inertia: body.inertia })
        .collect()
}

impl CentroidalMotion {
    pub(super) fn zero(frames: usize) -> Self {
        let zero = vec![DVec3::ZERO; frames];
        Self { mass_center: zero.clone(), linear_momentum: zero.clone(), angular_momentum: zero }
    }

    /// Splits the rows into mutable blocks of `length` rows.
    pub(super) fn blocks_mut(&mut self, length: usize) -> Vec<RowsMut<'_>> {
        let Self { mass_center, linear_momentum, angular_momentum } = self;
        RowsMut { first: 0, mass_center, linear_momentum, angular_momentum }.cut(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::momentum::BodyMotion;
    use crate::character::{Body, Bone, JointRange, Skeleton};
    use crate::math::rotation;
    use crate::motion::WorldMotion;
    use glam::{DMat3, DQuat};

    fn centroidal_motion(character: &Character, clip: &Clip) -> CentroidalMotion {
        centroidal_motion_with_width(character, clip, Width::widest())
    }

    /// Pseudo-random number in −1…1 that depends on `seed` alone.
    fn any(seed: usize) -> f64 {
        let mixed = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn any_vector(seed: usize) -> DVec3 {
        DVec3::new(any(3 * seed), any(3 * seed + 1), any(3 * seed + 2))
    }

    /// A character whose bones have inertias with off-diagonals; some bones have no mass.
    fn any_character(bones: usize) -> Character {
        let bone = |index: usize| Bone {
            name: format!("bone {index}"),
            parent: (index > 0).then(|| (any(index).abs() * index as f64) as usize),
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            ends: vec![],
        };
        let body = |index: usize| {
            if index % 5 == 3 {
                return Body::none();
            }
            let axes = DMat3::from_quat(rotation::exp(any_vector(index + 50)));
            let solid = DVec3::new(1.0, 1.5, 0.8) * (0.02 + 0.01 * any(index + 70));
            let inertia = axes * DMat3::from_diagonal(solid) * axes.transpose();
            Body { mass: 3.0 + 2.0 * any(index + 90), center: 0.2 * any_vector(index), inertia, shapes: vec![] }
        };
        Character {
            skeleton: Skeleton::new((0..bones).map(bone).collect()).unwrap(),
            bodies: (0..bones).map(body).collect(),
            ranges: vec![JointRange::Free; bones],
            roles: vec![None; bones],
            contacts: vec![],
            body_source: "any".into(),
            measured_contacts: true,
        }
    }

    /// A clip whose bones rotate by up to `swing` radians about wandering axes.
    fn any_clip(bones: usize, frames: usize, swing: f64) -> Clip {
        let mut clip = Clip::new(bones, frames, 1.0 / 120.0).unwrap();
        for bone in 0..bones {
            let (offset, rate) = (0.3 * any_vector(bone + 7), any_vector(bone + 400));
            for frame in 0..frames {
                let t = frame as f64 * 0.05;
                let phi = DVec3::new(libm::sin(t * rate.x), libm::sin(t * rate.y + 1.0), libm::sin(t * rate.z + 2.0));
                clip.set_rotation(bone, frame, rotation::exp(phi * swing));
                let travel = if bone == 0 { DVec3::new(t, libm::sin(t), 0.3 * t) } else { DVec3::ZERO };
                clip.set_translation(bone, frame, offset + travel);
            }
        }
        clip
    }

    fn close(found: DVec3, expected: DVec3, scale: f64) {
        assert!((found - expected).length() <= 1e-12 * scale, "{found} != {expected}");
    }

    fn largest(rows: &[DVec3]) -> f64 {
        rows.iter().map(|row| row.length()).fold(0.0, f64::max)
    }

    #[test]
    fn s3_one_pass_in_lanes_is_the_sum_over_bodies_frame_by_frame() {
        for (bones, frames) in [(1, 5), (24, 3), (24, 4), (7, 17), (24, 130), (61, 700)] {
            let (character, clip) = (any_character(bones), any_clip(bones, frames, 0.7));
            let bodies = BodyMotion::new(&character, &WorldMotion::new(&character.skeleton, &clip));
            let found = centroidal_motion(&character, &clip);
            let scale = largest(&found.angular_momentum);
            for frame in 1..frames - 1 {
                let expected = bodies.angular_momentum(frame - 1, frame, frame + 1, clip.frame_time);
                close(found.angular_momentum[frame], expected, scale);
                assert_eq!(found.mass_center[frame], bodies.mass_center(frame));
                let step = bodies.mass_center(frame + 1) - bodies.mass_center(frame - 1);
                let momentum = character.mass() * step / (2.0 * clip.frame_time);
                close(found.linear_momentum[frame], momentum, largest(&found.linear_momentum));
            }
        }
    }

    #[test]
    fn s37_turns_near_half_a_turn_between_two_frames_are_taken_step_by_step() {
        let (character, clip) = (any_character(6), any_clip(6, 90, 40.0));
        let bodies = BodyMotion::new(&character, &WorldMotion::new(&character.skeleton, &clip));
        let found = centroidal_motion(&character, &clip);
        let scale = largest(&found.angular_momentum);
        for frame in 1..89 {
            let expected = bodies.angular_momentum(frame - 1, frame, frame + 1, clip.frame_time);
            close(found.angular_momentum[frame], expected, scale);
        }
    }

    #[test]
    fn s37_whole_clip_forms_are_the_frame_by_frame_forms() {
        for frames in [2, 3, 9, 1200] {
            let (character, clip) = (any_character(9), any_clip(9, frames, 0.7));
            let bodies = BodyMotion::new(&character, &WorldMotion::new(&character.skeleton, &clip));
            let backward = bodies.centroidal_rows(clip.frame_time, Differences::Backward).angular_momentum;
            let steps = bodies.half_step_angular_momentum_rows(clip.frame_time);
            let scale = largest(&backward);
            assert_eq!(steps.len(), frames - 1);
            for frame in 1..frames {
                close(backward[frame], bodies.angular_momentum(frame - 1, frame, frame, clip.frame_time), scale);
                let step = bodies.half_step_angular_momentum(frame - 1, clip.frame_time);
                close(steps[frame - 1], step, scale);
            }
            close(backward[0], bodies.angular_momentum(0, 0, 1, clip.frame_time), scale);
            let centers: Vec<DVec3> = (0..frames).map(|frame| bodies.mass_center(frame)).collect();
            assert_eq!(bodies.centroidal_rows(clip.frame_time, Differences::Central).mass_center, centers);
            let central = bodies.centroidal_rows(clip.frame_time, Differences::Central);
            assert_eq!(central, centroidal_motion(&character, &clip));
        }
    }

    #[test]
    fn s37_the_ends_of_a_parabola_with_a_steady_spin_are_exact() {
        let character = any_character(1);
        let mut clip = Clip::new(1, 6, 1.0 / 30.0).unwrap();
        let (spin, velocity, gravity) = (DVec3::new(1.0, 7.0, -2.0), DVec3::new(1.0, 3.0, 0.2), DVec3::Y * -9.81);
        let center = character.bodies[0].center;
        for frame in 0..6 {
            let t = clip.time(frame);
            let turn = rotation::exp(spin * t);
            clip.set_rotation(0, frame, turn);
            clip.set_translation(0, frame, velocity * t + 0.5 * gravity * t * t - turn * center);
        }
        let found = centroidal_motion(&character, &clip);
        for frame in 0..6 {
            let momentum = character.mass() * (velocity + gravity * clip.time(frame));
            close(found.linear_momentum[frame], momentum, 100.0);
            let turn = DMat3::from_quat(clip.rotation(0, frame));
            let expected = turn * character.bodies[0].inertia * turn.transpose() * spin;
            close(found.angular_momentum[frame], expected, 1.0);
        }
    }

    #[test]
    fn one_frame_has_a_mass_center_and_no_momentum_and_two_have_one_step() {
        let character = any_character(5);
        let single = centroidal_motion(&character, &any_clip(5, 1, 0.7));
        assert!(single.mass_center[0].is_finite());
        assert_eq!((single.linear_momentum[0], single.angular_momentum[0]), (DVec3::ZERO, DVec3::ZERO));
        let clip = any_clip(5, 2, 0.7);
        let two = centroidal_motion(&character, &clip);
        let step = (two.mass_center[1] - two.mass_center[0]) * character.mass() / clip.frame_time;
        for frame in 0..2 {
            close(two.linear_momentum[frame], step, step.length());
        }
        let bodies = BodyMotion::new(&character, &WorldMotion::new(&character.skeleton, &any_clip(5, 1, 0.7)));
        assert!(bodies.half_step_angular_momentum_rows(0.01).is_empty());
    }

    #[test]
    fn without_mass_there_is_no_mass_center_and_no_panic() {
        let mut character = any_character(3);
        character.bodies = vec![Body::none(); 3];
        let motion = centroidal_motion(&character, &any_clip(3, 20, 0.7));
        assert!(motion.mass_center.iter().all(|center| center.is_nan()));
    }

    /// FNV-1a hash of all numbers of a motion.
    fn hash(motion: &CentroidalMotion) -> u64 {
        let rows = [&motion.mass_center, &motion.linear_momentum, &motion.angular_momentum];
        let numbers = rows.into_iter().flatten().flat_map(|row| row.to_array());
        numbers.fold(0xCBF2_9CE4_8422_2325, |hash, number| (hash ^ number.to_bits()).wrapping_mul(0x0100_0000_01B3))
    }

    #[test]
    fn the_bits_depend_neither_on_the_width_nor_on_the_blocks() {
        for (bones, frames, swing) in [(24, 1001, 0.7), (6, 333, 40.0), (5, 11, 0.7)] {
            let (character, clip) = (any_character(bones), any_clip(bones, frames, swing));
            let single = hash(&centroidal_motion_with_width(&character, &clip, Width::single()));
            for width in Width::all() {
                for block in [1, 7, 64, 256, 2000] {
                    let found = centroidal_motion_in_blocks(&character, &clip, width, block);
                    assert_eq!(hash(&found), single, "{width}, blocks of {block}");
                }
                let bodies = BodyMotion::new(&character, &WorldMotion::with_width(&character.skeleton, &clip, width));
                let rows = bodies.centroidal_rows_with_width(clip.frame_time, Differences::Central, width);
                assert_eq!(hash(&rows), single, "{width}, from bodies");
                let steps = bodies.half_step_angular_momentum_rows_with_width(clip.frame_time, width);
                assert_eq!(steps, bodies.half_step_angular_momentum_rows_with_width(clip.frame_time, Width::single()));
            }
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn the_bits_do_not_depend_on_the_number_of_threads() {
        let (character, clip) = (any_character(24), any_clip(24, 4000, 0.7));
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (hash(&centroidal_motion(&character, &clip)), WorldMotion::new(&character.skeleton, &clip)))
        };
        let one = with_threads(1);
        assert_eq!(with_threads(2), one);
        assert_eq!(with_threads(5), one);
    }
}
