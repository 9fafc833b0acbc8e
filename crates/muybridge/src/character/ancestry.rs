//! Ancestry of bones: constant-time queries about a skeleton's tree.

use super::Skeleton;

/// Parent, children, depth and subtree of every bone.
pub(crate) struct Family {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    depth: Vec<usize>,
    /// Number of bones in the subtree of each bone, itself included.
    size: Vec<usize>,
    /// Position in a depth-first order: the subtree of `b` is `first[b] .. first[b] + size[b]`.
    first: Vec<usize>,
}

impl Family {
    pub(crate) fn new(skeleton: &Skeleton) -> Self {
        let count = skeleton.len();
        let parents: Vec<Option<usize>> = skeleton.bones().iter().map(|bone| bone.parent).collect();
        let mut family = Self {
            children: vec![Vec::new(); count],
            depth: vec![0; count],
            size: vec![1; count],
            first: vec![0; count],
            parents,
        };
        for bone in 0..count {
            if let Some(parent) = family.parents[bone] {
                family.children[parent].push(bone);
                family.depth[bone] = family.depth[parent] + 1;
            }
        }
        for bone in (0..count).rev() {
            if let Some(parent) = family.parents[bone] {
                family.size[parent] += family.size[bone];
            }
        }
        let mut next_root = 0;
        let mut next_child = vec![0; count];
        for bone in 0..count {
            match family.parents[bone] {
                Some(parent) => {
                    family.first[bone] = family.first[parent] + 1 + next_child[parent];
                    next_child[parent] += family.size[bone];
                }
                None => {
                    family.first[bone] = next_root;
                    next_root += family.size[bone];
                }
            }
        }
        family
    }

    pub(crate) fn parent(&self, bone: usize) -> Option<usize> {
        self.parents[bone]
    }

    pub(crate) fn children(&self, bone: usize) -> &[usize] {
        &self.children[bone]
    }

    pub(crate) fn depth(&self, bone: usize) -> usize {
        self.depth[bone]
    }

    /// Number of bones in the subtree, the bone itself included.
    pub(crate) fn size(&self, bone: usize) -> usize {
        self.size[bone]
    }

    /// Whether `bone` is a descendant of `ancestor`; false for `ancestor` itself.
    pub(crate) fn is_below(&self, bone: usize, ancestor: usize) -> bool {
        let (at, from) = (self.first[bone], self.first[ancestor]);
        at > from && at < from + self.size[ancestor]
    }

    /// Deepest bone that is an ancestor of both bones, or one of them; `None` in different trees.
    pub(crate) fn common_ancestor(&self, a: usize, b: usize) -> Option<usize> {
        let mut at = a;
        while at != b && !self.is_below(b, at) {
            at = self.parents[at]?;
        }
        Some(at)
    }

    /// Length of the bones from one joint to another, whatever the pose.
    pub(crate) fn reach(&self, skeleton: &Skeleton, from: usize, to: usize) -> f64 {
        let top = self.common_ancestor(from, to);
        let bones = self.path(from, to).into_iter().filter(|&bone| Some(bone) != top);
        bones.map(|bone| skeleton.bones()[bone].translation.length()).sum()
    }

    /// The bones from `from` to `to`, both included, through their common ancestor; empty in different trees.
    pub(crate) fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let Some(top) = self.common_ancestor(from, to) else { return Vec::new() };
        let climb = |start: usize| {
            let mut bones = vec![start];
            while *bones.last().expect("never empty") != top {
                let last = *bones.last().expect("never empty");
                bones.extend(self.parents[last]);
            }
            bones
        };
        let mut path = climb(from);
        path.extend(climb(to).into_iter().rev().skip(1));
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::Bone;
    use glam::{DQuat, DVec3};

    #[test]
    fn descent_and_paths_of_a_small_tree() {
        // 0 ─ 1 ─ 2, 1 ─ 4, 0 ─ 3 ; 5 apart
        let parents = [None, Some(0), Some(1), Some(0), Some(1), None];
        let bones = parents.iter().enumerate().map(|(at, &parent)| Bone {
            name: at.to_string(),
            parent,
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            ends: vec![],
        });
        let family = Family::new(&Skeleton::new(bones.collect()).unwrap());
        assert!(family.is_below(2, 0) && family.is_below(4, 1) && !family.is_below(3, 1) && !family.is_below(1, 1));
        assert_eq!(family.common_ancestor(2, 3), Some(0));
        assert_eq!(family.common_ancestor(2, 5), None);
        assert_eq!(family.path(2, 3), [2, 1, 0, 3]);
        assert_eq!(family.path(4, 4), [4]);
    }
}
