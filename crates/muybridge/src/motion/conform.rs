//! Converts clips and skeletons from file units and axes to meters and y up.
//!
//! ```text
//! x_conformed = s R x_file,   s = meters per unit,   R = −90° about x (z up), +90° about z (x up), 1 (y up)
//! ```
//! `R` is a proper rotation, so left stays left. It is applied to roots only: all bones below a root are in their
//! parent's frame and only scale (mathematics 1.1: importers rotate z-up data).

use core::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};

use super::Clip;
use crate::character::{Bone, Skeleton};
use crate::math::rotation::about;

/// The up axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Axis {
    /// x up.
    X,
    /// y up: glTF, most BVH.
    Y,
    /// z up: Blender, MuJoCo, many laboratories.
    Z,
}

impl Axis {
    /// The unit vector along the axis.
    pub(crate) fn unit(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }

    /// The letter of the axis: "x", "y" or "z".
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }

    /// Rotation from this axis to y.
    pub fn to_y(self) -> DQuat {
        match self {
            Self::X => about(DVec3::Z, FRAC_PI_2),
            Self::Y => DQuat::IDENTITY,
            Self::Z => about(DVec3::X, -FRAC_PI_2),
        }
    }

    /// Converts a vector from the y-up frame to the frame with this axis up: the inverse of [`Axis::to_y`], without
    /// rounding.
    pub fn vector_from_y(self, v: DVec3) -> DVec3 {
        match self {
            Self::X => DVec3::new(v.y, -v.x, v.z),
            Self::Y => v,
            Self::Z => DVec3::new(v.x, -v.z, v.y),
        }
    }

    /// Converts an orientation from the y-up frame to the frame with this axis up: the inverse of [`Axis::to_y`].
    pub fn orientation_from_y(self, q: DQuat) -> DQuat {
        match self {
            Self::Y => q,
            _ => self.to_y().conjugate() * q,
        }
    }
}

/// Scales all lengths to meters and rotates the roots, at rest and in the clip, so that `up` becomes y.
///
/// A y-up motion in meters is returned bit for bit. Panics if `meters_per_unit` is not a positive number or the clip
/// belongs to another skeleton.
pub fn conform(skeleton: &Skeleton, clip: &Clip, meters_per_unit: f64, up: Axis) -> (Skeleton, Clip) {
    assert_eq!(skeleton.len(), clip.bones(), "a clip of another skeleton");
    (conform_skeleton(skeleton, meters_per_unit, up), conform_clip(skeleton, clip, meters_per_unit, up))
}

/// Conforms the skeleton only, for files with several clips of one skeleton.
pub fn conform_skeleton(skeleton: &Skeleton, meters_per_unit: f64, up: Axis) -> Skeleton {
    assert!(meters_per_unit.is_finite() && meters_per_unit > 0.0, "{meters_per_unit} metres per unit");
    let turn = UpRotation::new(up);
    let bones = skeleton.bones().iter().map(|bone| {
        let root = bone.parent.is_none();
        Bone {
            name: bone.name.clone(),
            parent: bone.parent,
            translation: turn.vector(root, bone.translation) * meters_per_unit,
            rotation: turn.orientation(root, bone.rotation),
            ends: bone.ends.iter().map(|&end| end * meters_per_unit).collect(),
        }
    });
    Skeleton::new(bones.collect()).expect("a skeleton scaled and turned is a skeleton")
}

/// Conforms the clip only, see [`conform`].
pub fn conform_clip(skeleton: &Skeleton, clip: &Clip, meters_per_unit: f64, up: Axis) -> Clip {
    let turn = UpRotation::new(up);
    let mut conformed = clip.clone();
    for (index, bone) in skeleton.bones().iter().enumerate() {
        let root = bone.parent.is_none();
        for frame in 0..clip.frames() {
            conformed.set_translation(
                index,
                frame,
                turn.vector(root, clip.translation(index, frame)) * meters_per_unit,
            );
            if root {
                conformed.set_rotation(index, frame, turn.orientation(root, clip.rotation(index, frame)));
            }
        }
    }
    conformed
}

/// Rotation of the roots; `None` without rotation, so that y-up input keeps its bits.
struct UpRotation(Option<DQuat>);

impl UpRotation {
    fn new(up: Axis) -> Self {
        Self((up != Axis::Y).then(|| up.to_y()))
    }

    fn vector(&self, root: bool, v: DVec3) -> DVec3 {
        match self.0 {
            Some(turn) if root => turn * v,
            _ => v,
        }
    }

    fn orientation(&self, root: bool, q: DQuat) -> DQuat {
        match self.0 {
            Some(turn) if root => turn * q,
            _ => q,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation::exp;
    use crate::motion::WorldMotion;

    fn two_bones() -> (Skeleton, Clip) {
        let bone = |name: &str, parent, translation| Bone {
            name: name.into(),
            parent,
            translation,
            rotation: exp(DVec3::new(0.2, 0.1, -0.4)),
            ends: vec![DVec3::new(1.0, 2.0, 3.0)],
        };
        let skeleton = Skeleton::new(vec![
            bone("a", None, DVec3::new(3.0, -1.0, 90.0)),
            bone("b", Some(0), DVec3::new(5.0, 7.0, 11.0)),
        ])
        .unwrap();
        let mut clip = Clip::new(2, 2, 0.1).unwrap();
        for frame in 0..2 {
            let t = frame as f64;
            clip.set_translation(0, frame, DVec3::new(1.0 + t, 2.0, 95.0));
            clip.set_translation(1, frame, DVec3::new(5.0, 7.0, 11.0));
            clip.set_rotation(0, frame, exp(DVec3::new(t, 0.3, 0.5)));
            clip.set_rotation(1, frame, exp(DVec3::new(0.7, -t, 0.5)));
        }
        (skeleton, clip)
    }

    #[test]
    fn z_up_centimetres_become_y_up_metres_with_every_joint_in_its_place() {
        let (skeleton, clip) = two_bones();
        let before = WorldMotion::new(&skeleton, &clip);
        let (upright, moved) = conform(&skeleton, &clip, 0.01, Axis::Z);
        let after = WorldMotion::new(&upright, &moved);
        for frame in 0..2 {
            for bone in 0..2 {
                let p = before.position(bone, frame);
                // −90° about x: (x, y, z) → (x, z, −y).
                let expected = DVec3::new(p.x, p.z, -p.y) * 0.01;
                assert!((after.position(bone, frame) - expected).length() < 1e-14);
            }
        }
        let rest = (skeleton.rest_pose()[1].0, upright.rest_pose()[1].0);
        assert!((rest.1 - DVec3::new(rest.0.x, rest.0.z, -rest.0.y) * 0.01).length() < 1e-14);
        assert_eq!(upright.bones()[1].ends[0], DVec3::new(1.0, 2.0, 3.0) * 0.01);
    }

    #[test]
    fn every_up_axis_turns_to_y_and_handedness_stays() {
        for up in [Axis::X, Axis::Y, Axis::Z] {
            let turn = up.to_y();
            assert!((turn * up.unit() - DVec3::Y).length() < 1e-15);
            assert!(((turn * DVec3::X).cross(turn * DVec3::Y) - turn * DVec3::Z).length() < 1e-15);
        }
    }

    #[test]
    fn what_was_turned_to_y_turns_back() {
        let (v, q) = (DVec3::new(1.0, 2.0, 3.0), exp(DVec3::new(0.3, -0.4, 0.5)));
        for up in [Axis::X, Axis::Y, Axis::Z] {
            assert!((up.vector_from_y(up.to_y() * v) - v).length() < 1e-15);
            assert!((up.orientation_from_y(up.to_y() * q).dot(q) - 1.0).abs() < 1e-15);
            assert_eq!(up.vector_from_y(DVec3::Y), up.unit());
        }
    }

    #[test]
    fn y_up_metres_come_back_bit_for_bit() {
        let (skeleton, clip) = two_bones();
        assert_eq!(conform(&skeleton, &clip, 1.0, Axis::Y), (skeleton, clip));
    }
}
