//! Clips from arrays of numbers, as programs hold motions: positions of the root, and rotations of all bones in any form.
//!
//! Arrays are flat and frame by frame: `frames × bones × n` numbers, the last index fastest, as NumPy and PyTorch store them.
//!
//! ```text
//! quaternion   n = 4   x y z w, or w x y z                      divided by its length
//! Euler        n = 3   radians, R = R_a R_b R_c in the order a b c: each angle turns about an axis that the ones before have turned
//! matrix       n = 9   row by row                               its first two columns made orthonormal
//! 6D           n = 6   first column, then the second            e₁ = a₁/|a₁|, e₂ = (a₂ − (e₁·a₂) e₁)/|…|, e₃ = e₁ × e₂
//! axis-angle   n = 3   axis × angle in radians
//! ```
//! Source: Zhou, Barnes, Lu, Yang, Li 2019, "On the continuity of rotation representations in neural networks", eq. 15 (6D).

use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

use super::{Axis, Clip, ClipError};
use crate::character::Skeleton;
use crate::math::rotation::{about, exp};

/// Rotations of all bones against their parents in all frames: a flat array in one of the forms in which programs hold rotations.
/// Its numbers are `f32`, `f64` or another type that converts to `f64` without loss.
#[derive(Clone, Copy, Debug)]
pub enum RotationArray<'a, T> {
    /// Quaternions x, y, z, w.
    Xyzw(&'a [T]),
    /// Quaternions w, x, y, z.
    Wxyz(&'a [T]),
    /// Three angles in radians about the axes in this order; each turns about an axis that the angles before have turned.
    Euler([Axis; 3], &'a [T]),
    /// Rotation matrices, row by row.
    Matrices(&'a [T]),
    /// The first two columns of rotation matrices: three numbers of the first, then three of the second.
    SixD(&'a [T]),
    /// Rotation vectors: unit axis times angle in radians.
    AxisAngle(&'a [T]),
}

/// The reason why arrays are not a clip.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ArrayError {
    /// Root positions that do not come in threes.
    #[error("there are {found} numbers of root positions; give three for each frame")]
    Positions {
        /// Numbers that were given.
        found: usize,
    },
    /// Rotations that are too many or too few for the frames and bones.
    #[error("there are {found} numbers of rotations; {frames} frames × {bones} bones × {numbers} are {}", frames * bones * numbers)]
    Rotations {
        /// Numbers that were given.
        found: usize,
        /// Frames, by the root positions.
        frames: usize,
        /// Bones of the skeleton.
        bones: usize,
        /// Numbers of one rotation in this form.
        numbers: usize,
    },
    /// A number that is NaN or infinite.
    #[error("frame {frame}: the {what} of bone “{bone}” has a number that is not finite")]
    NotFinite {
        /// "position" or "rotation".
        what: &'static str,
        /// Name of the bone.
        bone: String,
        /// Index of the frame, from 0.
        frame: usize,
    },
    /// Numbers that describe no rotation: a quaternion of length 0, columns of length 0 or parallel, a mirrored matrix.
    #[error("frame {frame}: the rotation of bone “{bone}” is none: {why}")]
    NoRotation {
        /// Name of the bone.
        bone: String,
        /// Index of the frame, from 0.
        frame: usize,
        /// The reason, such as "its quaternion has length 0".
        why: &'static str,
    },
    /// No frames, or a frame time that is not a positive number.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

impl Clip {
    /// A clip of `skeleton` from positions of bone 0 (`frames × 3`, in the unit of the skeleton) and rotations of all bones; the
    /// frames are `frame_time` seconds apart. Bones other than bone 0 keep the translation of the skeleton.
    ///
    /// # Errors
    /// If an array has the wrong length or a number in it is not finite or no rotation; errors name the frame and the bone.
    pub fn from_arrays<P, R>(
        skeleton: &Skeleton,
        frame_time: f64,
        root_positions: &[P],
        rotations: RotationArray<'_, R>,
    ) -> Result<Self, ArrayError>
    where
        P: Copy + Into<f64>,
        R: Copy + Into<f64>,
    {
        let (bones, frames) = (skeleton.bones(), root_positions.len() / 3);
        if !root_positions.len().is_multiple_of(3) {
            return Err(ArrayError::Positions { found: root_positions.len() });
        }
        let (numbers, found) = (rotations.numbers(), rotations.values().len());
        if found != frames * bones.len() * numbers {
            return Err(ArrayError::Rotations { found, frames, bones: bones.len(), numbers });
        }
        let mut clip = Self::new(bones.len(), frames, frame_time)?;
        for frame in 0..frames {
            for (index, bone) in bones.iter().enumerate() {
                let not_finite = |what| ArrayError::NotFinite { what, bone: bone.name.clone(), frame };
                let translation = match index {
                    0 => vector(&root_positions[3 * frame..]),
                    _ => bone.translation,
                };
                if !translation.is_finite() {
                    return Err(not_finite("position"));
                }
                clip.set_translation(index, frame, translation);
                let own = &rotations.values()[(frame * bones.len() + index) * numbers..][..numbers];
                if own.iter().any(|&value| !value.into().is_finite()) {
                    return Err(not_finite("rotation"));
                }
                let no_rotation = |why| ArrayError::NoRotation { bone: bone.name.clone(), frame, why };
                let turn = rotations.quaternion(own).map_err(no_rotation)?;
                // q and −q are one rotation; filters need neighbors in one hemisphere.
                let turns_back = frame > 0 && turn.dot(clip.rotation(index, frame - 1)) < 0.0;
                clip.set_rotation(index, frame, if turns_back { -turn } else { turn });
            }
        }
        Ok(clip)
    }
}

impl<'a, T: Copy + Into<f64>> RotationArray<'a, T> {
    fn values(&self) -> &'a [T] {
        match *self {
            Self::Xyzw(values) | Self::Wxyz(values) | Self::Euler(_, values) => values,
            Self::Matrices(values) | Self::SixD(values) | Self::AxisAngle(values) => values,
        }
    }

    /// Numbers of one rotation.
    fn numbers(&self) -> usize {
        match self {
            Self::Xyzw(_) | Self::Wxyz(_) => 4,
            Self::Euler(..) | Self::AxisAngle(_) => 3,
            Self::Matrices(_) => 9,
            Self::SixD(_) => 6,
        }
    }

    /// The unit quaternion of one rotation, or the reason why its numbers are no rotation.
    fn quaternion(&self, own: &[T]) -> Result<DQuat, &'static str> {
        let at = |index: usize| -> f64 { own[index].into() };
        match *self {
            Self::Xyzw(_) => unit(DQuat::from_xyzw(at(0), at(1), at(2), at(3))),
            Self::Wxyz(_) => unit(DQuat::from_xyzw(at(1), at(2), at(3), at(0))),
            Self::Euler(order, _) => {
                Ok(order.iter().enumerate().fold(DQuat::IDENTITY, |turn, (k, axis)| turn * about(axis.unit(), at(k))))
            }
            Self::Matrices(_) => {
                let column = |k: usize| DVec3::new(at(k), at(3 + k), at(6 + k));
                let [first, second, third] = [0, 1, 2].map(column);
                if first.cross(second).dot(third) <= 0.0 {
                    return Err("its matrix has a determinant that is not positive");
                }
                of_columns(first, second)
            }
            Self::SixD(_) => of_columns(vector(own), vector(&own[3..])),
            Self::AxisAngle(_) => Ok(exp(vector(own))),
        }
    }
}

fn vector<T: Copy + Into<f64>>(values: &[T]) -> DVec3 {
    DVec3::new(values[0].into(), values[1].into(), values[2].into())
}

fn unit(turn: DQuat) -> Result<DQuat, &'static str> {
    if turn.length() > SMALLEST { Ok(turn.normalize()) } else { Err("its quaternion has length 0") }
}

/// The rotation whose matrix has these two columns first, once they are made orthonormal.
fn of_columns(first: DVec3, second: DVec3) -> Result<DQuat, &'static str> {
    let first = first.try_normalize().ok_or("its first column has length 0")?;
    let across = second - first * first.dot(second);
    if across.length() <= SMALLEST * second.length() {
        return Err("its second column has length 0 or is parallel to the first");
    }
    let across = across.normalize();
    Ok(DQuat::from_mat3(&DMat3::from_cols(first, across, first.cross(across))).normalize())
}

/// Length of a quaternion, and sine between two columns, below which they say nothing about a direction.
const SMALLEST: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Two bones in three frames, each with a random rotation.
    fn turns() -> (Skeleton, Vec<DQuat>, Vec<f64>) {
        let skeleton = Skeleton::from_arrays(&["hips", "spine"], &[-1, 0], &[0.0, 1.0, 0.0, 0.0, 0.1, 0.0]).unwrap();
        let mut random = Random::new(4);
        (skeleton, (0..6).map(|_| random.rotation()).collect(), (0..9).map(f64::from).collect())
    }

    fn is_these(clip: &Clip, turns: &[DQuat], tolerance: f64) {
        for (index, turn) in turns.iter().enumerate() {
            let found = clip.rotation(index % 2, index / 2);
            assert!(found.dot(*turn).abs() > 1.0 - tolerance, "{index}: {found} {turn}");
        }
    }

    #[test]
    fn one_rotation_is_the_same_in_every_form_and_in_both_precisions() {
        let (skeleton, turns, places) = turns();
        let flat = |of: &dyn Fn(DQuat) -> Vec<f64>| turns.iter().flat_map(|&turn| of(turn)).collect::<Vec<f64>>();
        let clip = |rotations: RotationArray<'_, f64>| Clip::from_arrays(&skeleton, 0.1, &places, rotations).unwrap();
        // Twice the length is the same rotation.
        is_these(&clip(RotationArray::Xyzw(&flat(&|q| (q * 2.0).to_array().to_vec()))), &turns, 1e-14);
        is_these(&clip(RotationArray::Wxyz(&flat(&|q| vec![q.w, q.x, q.y, q.z]))), &turns, 1e-14);
        let matrix = |q| DMat3::from_quat(q);
        let rows = flat(&|q| matrix(q).transpose().to_cols_array().to_vec());
        is_these(&clip(RotationArray::Matrices(&rows)), &turns, 1e-14);
        let columns = flat(&|q| matrix(q).to_cols_array()[..6].to_vec());
        is_these(&clip(RotationArray::SixD(&columns)), &turns, 1e-14);
        is_these(&clip(RotationArray::AxisAngle(&flat(&|q| q.to_scaled_axis().to_array().to_vec()))), &turns, 1e-14);
        // A second way to the same angles: glam's.
        for (order, name) in [
            ([Axis::Z, Axis::X, Axis::Y], glam::EulerRot::ZXY),
            ([Axis::X, Axis::Y, Axis::Z], glam::EulerRot::XYZ),
            ([Axis::Z, Axis::Y, Axis::X], glam::EulerRot::ZYX),
        ] {
            let angles = flat(&|q| <[f64; 3]>::from(q.to_euler(name)).to_vec());
            is_these(&clip(RotationArray::Euler(order, &angles)), &turns, 1e-12);
        }
        let single: Vec<f32> = flat(&|q| q.to_array().to_vec()).into_iter().map(|value| value as f32).collect();
        let places: Vec<f32> = places.iter().map(|&value| value as f32).collect();
        let clip = Clip::from_arrays(&skeleton, 0.1, &places, RotationArray::Xyzw(&single)).unwrap();
        is_these(&clip, &turns, 1e-12);
        assert_eq!(clip.translation(0, 1), DVec3::new(3.0, 4.0, 5.0));
        assert_eq!(clip.translation(1, 2), DVec3::Y * 0.1);
    }

    #[test]
    fn neighboring_quaternions_lie_in_one_hemisphere() {
        let skeleton = Skeleton::from_arrays(&["hips"], &[-1], &[0.0; 3]).unwrap();
        let rotations = RotationArray::Wxyz(&[1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        let clip = Clip::from_arrays(&skeleton, 0.1, &[0.0; 6], rotations).unwrap();
        assert_eq!(clip.rotation(0, 1), DQuat::IDENTITY);
    }

    #[test]
    fn x14_arrays_that_are_no_clip_are_refused_in_words_with_frame_and_bone() {
        let (skeleton, turns, places) = turns();
        let good: Vec<f64> = turns.iter().flat_map(|turn| turn.to_array()).collect();
        let with = |index: usize, value: f64| {
            let mut bad = good.clone();
            bad[index] = value;
            bad
        };
        let refused = |places: &[f64], rotations: RotationArray<'_, f64>| {
            Clip::from_arrays(&skeleton, 0.1, places, rotations).unwrap_err().to_string()
        };
        let cases = [
            (
                refused(&places[..8], RotationArray::Xyzw(&good)),
                "there are 8 numbers of root positions; give three for each frame",
            ),
            (
                refused(&places, RotationArray::Matrices(&good)),
                "there are 24 numbers of rotations; 3 frames × 2 bones × 9 are 54",
            ),
            (
                refused(&places, RotationArray::Xyzw(&with(13, f64::NAN))),
                "frame 1: the rotation of bone “spine” has a number that is not finite",
            ),
            (
                refused(&[0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY, 0.0, 0.0, 0.0], RotationArray::Xyzw(&good)),
                "frame 1: the position of bone “hips” has a number that is not finite",
            ),
            (
                refused(&places, RotationArray::Wxyz(&[0.0; 24])),
                "frame 0: the rotation of bone “hips” is none: its quaternion has length 0",
            ),
            (
                refused(&places, RotationArray::SixD(&[1.0; 36])),
                "frame 0: the rotation of bone “hips” is none: its second column has length 0 or is parallel to the first",
            ),
            (
                refused(
                    &places[..3],
                    RotationArray::Matrices(&[-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].repeat(2)),
                ),
                "frame 0: the rotation of bone “hips” is none: its matrix has a determinant that is not positive",
            ),
            (refused(&[], RotationArray::Xyzw(&[])), "the clip has no frames"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
        let error = Skeleton::from_arrays(&["a", "b"], &[-1, 0], &[0.0; 5]).unwrap_err().to_string();
        assert_eq!(error, "2 bones need 2 parents and 6 numbers of offsets; there are 2 and 5");
    }
}
