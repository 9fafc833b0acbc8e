//! The tree of bones, checked once when it is built and immutable afterwards.

use glam::{DQuat, DVec3};
use thiserror::Error;

/// A bone of the skeleton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bone {
    /// Name, unique within the skeleton.
    pub name: String,
    /// Index of the parent bone; `None` for a root.
    pub parent: Option<usize>,
    /// Position of the bone's frame in its parent's, at rest.
    pub translation: DVec3,
    /// Orientation of the bone's frame in its parent's, at rest.
    pub rotation: DQuat,
    /// Ends of the bone without a child bone (BVH End Sites), in the bone's frame.
    pub ends: Vec<DVec3>,
}

/// Reasons why a list of bones is not a skeleton.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SkeletonError {
    /// A bone is listed before its parent.
    #[error("bone “{bone}” stands before its parent; list parents first")]
    ParentAfterChild {
        /// Name of the child.
        bone: String,
    },
    /// Two bones have the same name; names identify bones in body tables and role files.
    #[error("two bones are named “{bone}”; names must be unique")]
    DuplicateName {
        /// The shared name.
        bone: String,
    },
    /// A position or rotation has a value that is not a finite number.
    #[error("bone “{bone}” has a position or rotation that is not a finite number")]
    NotFinite {
        /// Name of the bone.
        bone: String,
    },
    /// The list has no bones.
    #[error("the skeleton has no bones")]
    Empty,
    /// Arrays whose lengths do not belong together.
    #[error("{bones} bones need {bones} parents and {} numbers of offsets; there are {parents} and {offsets}", 3 * bones)]
    Arrays {
        /// Number of names.
        bones: usize,
        /// Number of parents.
        parents: usize,
        /// Number of numbers of offsets.
        offsets: usize,
    },
}

/// A tree of bones, parents before children, names unique. Lengths in meters once conformed (see `motion::conform`),
/// in file units before.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "BoneList"))]
pub struct Skeleton {
    bones: Vec<Bone>,
    /// The bones that have a parent, grouped by it, in order.
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    children: Vec<usize>,
    /// Where the children of each bone begin in `children`; one entry more than bones.
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    first_child: Vec<usize>,
}

/// A skeleton as it is stored: the bones alone.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct BoneList {
    bones: Vec<Bone>,
}

#[cfg(feature = "serde")]
impl TryFrom<BoneList> for Skeleton {
    type Error = SkeletonError;

    fn try_from(list: BoneList) -> Result<Self, SkeletonError> {
        Self::new(list.bones)
    }
}

#[expect(clippy::len_without_is_empty, reason = "an empty list of bones is not a skeleton")]
impl Skeleton {
    /// Checks the bones and builds the skeleton. Errors name the bone.
    pub fn new(bones: Vec<Bone>) -> Result<Self, SkeletonError> {
        if bones.is_empty() {
            return Err(SkeletonError::Empty);
        }
        let mut names = std::collections::BTreeSet::new();
        for (index, bone) in bones.iter().enumerate() {
            let culprit = || bone.name.clone();
            if bone.parent.is_some_and(|parent| parent >= index) {
                return Err(SkeletonError::ParentAfterChild { bone: culprit() });
            }
            if !names.insert(bone.name.as_str()) {
                return Err(SkeletonError::DuplicateName { bone: culprit() });
            }
            let finite =
                bone.translation.is_finite() && bone.rotation.is_finite() && bone.ends.iter().all(|e| e.is_finite());
            if !finite {
                return Err(SkeletonError::NotFinite { bone: culprit() });
            }
        }
        Ok(Self::with_children(bones))
    }

    fn with_children(bones: Vec<Bone>) -> Self {
        let mut first_child = vec![0; bones.len() + 1];
        for parent in bones.iter().filter_map(|bone| bone.parent) {
            first_child[parent + 1] += 1;
        }
        for bone in 0..bones.len() {
            first_child[bone + 1] += first_child[bone];
        }
        let (mut next, mut children) = (first_child.clone(), vec![0; first_child[bones.len()]]);
        for (index, bone) in bones.iter().enumerate() {
            if let Some(parent) = bone.parent {
                children[next[parent]] = index;
                next[parent] += 1;
            }
        }
        Self { bones, children, first_child }
    }

    /// A skeleton from arrays: the name of each bone, the index of its parent (negative for a root), and its rest position in the
    /// parent's frame as three numbers (m). Rest rotations are the identity.
    ///
    /// # Errors
    /// If the lengths do not belong together, and as [`Self::new`].
    pub fn from_arrays<P, T>(names: &[&str], parents: &[P], offsets: &[T]) -> Result<Self, SkeletonError>
    where
        P: Copy + Into<i64>,
        T: Copy + Into<f64>,
    {
        if parents.len() != names.len() || offsets.len() != 3 * names.len() {
            let (bones, parents, offsets) = (names.len(), parents.len(), offsets.len());
            return Err(SkeletonError::Arrays { bones, parents, offsets });
        }
        let bone = |((name, &parent), offset): ((&&str, &P), &[T])| Bone {
            name: (*name).into(),
            parent: usize::try_from(parent.into()).ok(),
            translation: DVec3::new(offset[0].into(), offset[1].into(), offset[2].into()),
            rotation: DQuat::IDENTITY,
            ends: Vec::new(),
        };
        Self::new(names.iter().zip(parents).zip(offsets.chunks_exact(3)).map(bone).collect())
    }

    /// The bones, parents before children.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Number of bones.
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Index of the bone with exactly that name; `None` if there is none.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.bones.iter().position(|bone| bone.name == name)
    }

    /// Bones whose parent is `bone`, in order.
    pub fn children(&self, bone: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[self.first_child[bone]..self.first_child[bone + 1]].iter().copied()
    }

    /// Bones without a parent, in order.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.bones.iter().enumerate().filter(|(_, b)| b.parent.is_none()).map(|(index, _)| index)
    }

    /// Per bone the root of its tree; the bone itself if it is a root.
    pub fn tops(&self) -> Vec<usize> {
        let mut tops: Vec<usize> = (0..self.bones.len()).collect();
        for (bone, own) in self.bones.iter().enumerate() {
            if let Some(parent) = own.parent {
                tops[bone] = tops[parent];
            }
        }
        tops
    }

    /// The skeleton with other rest rotations, one per bone, each against its parent.
    pub fn resting(&self, rotations: &[DQuat]) -> Self {
        let turned = |(bone, &rotation): (&Bone, &DQuat)| Bone { rotation, ..bone.clone() };
        Self::with_children(self.bones.iter().zip(rotations).map(turned).collect())
    }

    /// World positions and orientations of all bones at rest.
    pub fn rest_pose(&self) -> Vec<(DVec3, DQuat)> {
        let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(self.len());
        for bone in &self.bones {
            let (position, rotation) = bone.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| world[parent]);
            world.push((position + rotation * bone.translation, (rotation * bone.rotation).normalize()));
        }
        world
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(name: &str, parent: Option<usize>) -> Bone {
        Bone { name: name.into(), parent, translation: DVec3::Y, rotation: DQuat::IDENTITY, ends: vec![] }
    }

    #[test]
    fn a_bone_before_its_parent_is_refused_by_name() {
        let error = Skeleton::new(vec![bone("hips", Some(1)), bone("root", None)]).unwrap_err();
        assert_eq!(error, SkeletonError::ParentAfterChild { bone: "hips".into() });
    }

    #[test]
    fn two_bones_of_one_name_are_refused() {
        let error = Skeleton::new(vec![bone("a", None), bone("a", Some(0))]).unwrap_err();
        assert_eq!(error, SkeletonError::DuplicateName { bone: "a".into() });
    }

    #[test]
    fn the_children_of_a_bone_are_those_that_name_it_as_their_parent() {
        let parents = [None, Some(0), Some(1), Some(0), None, Some(4), Some(1)];
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let bones = names.iter().zip(parents).map(|(name, parent)| bone(name, parent)).collect();
        let skeleton = Skeleton::new(bones).unwrap();
        for one in 0..parents.len() {
            let named: Vec<usize> = (0..parents.len()).filter(|&other| parents[other] == Some(one)).collect();
            assert_eq!(skeleton.children(one).collect::<Vec<_>>(), named);
        }
    }

    #[test]
    fn offsets_add_up_along_a_chain() {
        let skeleton = Skeleton::new(vec![bone("a", None), bone("b", Some(0)), bone("c", Some(1))]).unwrap();
        assert_eq!(skeleton.rest_pose()[2].0, DVec3::new(0.0, 3.0, 0.0));
    }
}
