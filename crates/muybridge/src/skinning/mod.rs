//! Linear blend skinning of meshes.
//!
//! ```text
//! B_k  = T_k(bind)                             bone k in the frame of the mesh when it was bound
//! v'   = Σ_k w_k T_k B_k⁻¹ v,  Σ_k w_k = 1     T_k = pose of bone k
//! n'   = unit(M⁻ᵀ n),  M the linear part of the same sum
//! ```
//! Specification: mathematics 8.3 (R25). Poses are rigid; a bind may stretch (scaled nodes of a glTF file).

use glam::{DAffine3, DMat3, DQuat, DVec3};
use thiserror::Error;

/// Reasons why weights are not a valid skin.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SkinError {
    /// A vertex has no joint with positive weight.
    #[error("vertex {vertex} has no positive weight; bind it to at least one joint")]
    NoWeight {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A weight is negative or not a number.
    #[error("vertex {vertex} has the weight {weight}; a weight must be 0 or more")]
    Weight {
        /// Index of the vertex.
        vertex: usize,
        /// Given weight.
        weight: f64,
    },
    /// A vertex names a joint that does not exist.
    #[error("vertex {vertex} is bound to joint {joint}, but the skin has {joints} joints, counted from 0")]
    NoSuchJoint {
        /// Index of the vertex.
        vertex: usize,
        /// Given joint index.
        joint: usize,
        /// Number of joints.
        joints: usize,
    },
    /// A bind matrix has values that are not finite.
    #[error("the inverse bind matrix of joint {joint} has a number that is not finite")]
    Bind {
        /// Index of the joint.
        joint: usize,
    },
}

/// A joint of a skin: a bone with its inverse bind matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SkinJoint {
    /// Bone of the skeleton.
    pub bone: usize,
    /// Inverse bind matrix: from the frame of the mesh to that of the bone, meters.
    pub bone_from_mesh: DAffine3,
}

/// Skin of a mesh: joints, and joint weights of the vertices.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Skin {
    joints: Vec<SkinJoint>,
    /// Joint and weight, vertex by vertex; vertex `i` has the range `starts[i]..starts[i + 1]`.
    influences: Vec<(usize, f64)>,
    starts: Vec<usize>,
}

/// A mesh in its bind pose, with its skin.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SkinnedMesh {
    /// Name in the file.
    pub name: String,
    /// Vertices in the frame of the mesh, meters.
    pub points: Vec<DVec3>,
    /// Unit normals of the vertices; empty if the mesh has none.
    pub normals: Vec<DVec3>,
    /// Corners of the triangles, as vertex indices.
    pub triangles: Vec<[usize; 3]>,
    /// Skin that moves the vertices.
    pub skin: Skin,
}

impl Skin {
    /// Builds a skin from joints and one list of (joint, weight) per vertex. Weights are scaled to the sum 1.
    pub fn new(joints: Vec<SkinJoint>, weights: &[Vec<(usize, f64)>]) -> Result<Self, SkinError> {
        if let Some(joint) = joints.iter().position(|joint| !joint.bone_from_mesh.is_finite()) {
            return Err(SkinError::Bind { joint });
        }
        let mut skin = Self { joints, influences: Vec::new(), starts: vec![0] };
        for (vertex, weights) in weights.iter().enumerate() {
            skin.add(vertex, weights)?;
        }
        Ok(skin)
    }

    fn add(&mut self, vertex: usize, weights: &[(usize, f64)]) -> Result<(), SkinError> {
        let mut sum = 0.0;
        for &(joint, weight) in weights {
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(SkinError::Weight { vertex, weight });
            }
            if joint >= self.joints.len() {
                return Err(SkinError::NoSuchJoint { vertex, joint, joints: self.joints.len() });
            }
            sum += weight;
        }
        if sum <= 0.0 {
            return Err(SkinError::NoWeight { vertex });
        }
        let kept = weights.iter().filter(|(_, weight)| *weight > 0.0);
        self.influences.extend(kept.map(|&(joint, weight)| (joint, weight / sum)));
        self.starts.push(self.influences.len());
        Ok(())
    }

    /// The joints.
    pub fn joints(&self) -> &[SkinJoint] {
        &self.joints
    }

    /// Number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Joints and weights of a vertex; the weights sum to 1.
    pub fn influences(&self, vertex: usize) -> &[(usize, f64)] {
        &self.influences[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// Matrix palette: from the frame of the mesh to the world, one per joint. `pose` has position (m) and orientation
    /// of every bone. A joint whose bone is missing in the pose stays in its bind pose.
    pub(crate) fn palette(&self, pose: &[(DVec3, DQuat)]) -> Vec<DAffine3> {
        let world_from_mesh = |joint: &SkinJoint| match pose.get(joint.bone) {
            Some(&(position, rotation)) => {
                DAffine3::from_rotation_translation(rotation, position) * joint.bone_from_mesh
            }
            None => DAffine3::IDENTITY,
        };
        self.joints.iter().map(world_from_mesh).collect()
    }

    /// Blended matrix of a vertex: the weighted sum of the palette.
    fn blended(&self, vertex: usize, palette: &[DAffine3]) -> DAffine3 {
        let mut sum = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
        for &(joint, weight) in self.influences(vertex) {
            sum.matrix3 += palette[joint].matrix3 * weight;
            sum.translation += palette[joint].translation * weight;
        }
        sum
    }
}

impl SkinnedMesh {
    /// Writes the vertex positions, meters, in a pose of the skeleton (position and orientation of every bone).
    pub fn pose_points(&self, pose: &[(DVec3, DQuat)], points: &mut Vec<DVec3>) {
        let palette = self.skin.palette(pose);
        points.clear();
        let moved = |(vertex, point): (usize, &DVec3)| self.skin.blended(vertex, &palette).transform_point3(*point);
        points.extend(self.points.iter().take(self.skin.len()).enumerate().map(moved));
    }

    /// Writes the unit normals of the vertices in a pose. If a blended matrix has no volume, the normal follows the
    /// vertex's heaviest joint.
    pub fn pose_normals(&self, pose: &[(DVec3, DQuat)], normals: &mut Vec<DVec3>) {
        let palette = self.skin.palette(pose);
        normals.clear();
        let moved = |(vertex, normal): (usize, &DVec3)| {
            let across = across(self.skin.blended(vertex, &palette).matrix3) * *normal;
            across.try_normalize().unwrap_or_else(|| {
                let heaviest =
                    self.skin.influences(vertex).iter().fold((0, -1.0), |a, b| if b.1 > a.1 { *b } else { a });
                (across_of(&palette, heaviest.0) * *normal).normalize_or(*normal)
            })
        };
        normals.extend(self.normals.iter().take(self.skin.len()).enumerate().map(moved));
    }

    /// The mesh with all lengths multiplied by `scale`, from file units to meters.
    pub fn scaled(mut self, scale: f64) -> Self {
        self.points.iter_mut().for_each(|point| *point *= scale);
        self.skin.joints.iter_mut().for_each(|joint| joint.bone_from_mesh.translation *= scale);
        self
    }
}

fn across_of(palette: &[DAffine3], joint: usize) -> DMat3 {
    palette.get(joint).map_or(DMat3::IDENTITY, |map| across(map.matrix3))
}

/// Matrix for normals: the inverse transpose times the determinant, which exists for every matrix. If the matrix
/// mirrors, the normal stays on the outward side.
fn across(m: DMat3) -> DMat3 {
    DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

#[cfg(test)]
mod tests;
