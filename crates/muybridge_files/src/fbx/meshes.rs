//! Meshes of an FBX with their skins, to be written into another file.
//!
//! ```text
//! p = R_b⁻¹ W_j B_j v    vertex v of a skin: B_j the bind matrix of cluster j, W_j the node of the cluster at rest, R_b the
//!                        rigid frame of the bone that the node is or hangs from
//! p = R_b⁻¹ W_n v        vertex of a mesh without skin on node n
//! ```
//! Vertices are given in the frame of the world at rest. A vertex with several normals becomes several.

use std::collections::BTreeMap;

use muybridge::glam::{DAffine3, DMat3, DVec3};
use muybridge::skinning::{Skin, SkinJoint, SkinnedMesh};

use super::{FbxRig, affine, bone_above, load_options, refusal};
use crate::{Error, Location};

/// Reads the meshes of an FBX that its bones move. Bones are those of [`super::read`]. Also returns notes on what the meshes lose.
pub fn meshes(bytes: &[u8]) -> Result<(Vec<SkinnedMesh>, Vec<String>), Error> {
    let options = ufbx::LoadOpts { ignore_geometry: false, ..load_options(bytes.len()) };
    let scene = ufbx::load_memory(bytes, options).map_err(|error| refusal(&error))?;
    let rig = FbxRig::new(&scene, &mut Vec::new())?;
    let (mut read, mut still, mut bare) = (Vec::new(), 0, 0);
    for node in &scene.nodes {
        let Some(mesh) = node.mesh.as_ref().filter(|mesh| mesh.num_triangles > 0) else { continue };
        let influences = FbxInfluences::new(&rig, node, mesh);
        if influences.joints.is_empty() {
            still += 1;
            continue;
        }
        bare += usize::from(!mesh.materials.is_empty());
        read.push(skinned(node, mesh, influences)?);
    }
    let mut notes = Vec::new();
    let meshes = |count: usize| if count == 1 { "1 mesh".to_owned() } else { format!("{count} meshes") };
    if still > 0 {
        notes.push(format!("{} that no bone moves left out", meshes(still)));
    }
    if bare > 0 {
        notes.push(format!("{} written without materials and textures", meshes(bare)));
    }
    let shapes = scene.blend_channels.len();
    if shapes > 0 {
        notes.push(format!("{shapes} blend shapes left out"));
    }
    Ok((read, notes))
}

/// The joints of a mesh, and joint and weight of each of its FBX vertices.
struct FbxInfluences {
    joints: Vec<SkinJoint>,
    weights: Vec<Vec<(usize, f64)>>,
}

impl FbxInfluences {
    /// Those of the first skin of a mesh, else the bone that carries its node. Empty where no bone moves it.
    fn new(rig: &FbxRig, node: &ufbx::Node, mesh: &ufbx::Mesh) -> Self {
        let mut found = Self { joints: Vec::new(), weights: vec![Vec::new(); mesh.num_vertices] };
        let skin = (&mesh.skin_deformers).into_iter().next();
        let clusters = skin.map_or(0, |skin| skin.clusters.len());
        let joint_of: Vec<Option<usize>> = (0..clusters)
            .map(|index| {
                let cluster = &skin?.clusters[index];
                let joint = cluster.bone_node.as_ref()?;
                found.joint(rig, joint, affine(&joint.node_to_world) * affine(&cluster.geometry_to_bone))
            })
            .collect();
        let carried =
            |found: &mut Self| found.joint(rig, node, affine(&node.geometry_to_world)).map(|joint| (joint, 1.0));
        for vertex in 0..mesh.num_vertices {
            if let Some(of_vertex) = skin.and_then(|skin| skin.vertices.get(vertex)) {
                let range = of_vertex.weight_begin as usize..(of_vertex.weight_begin + of_vertex.num_weights) as usize;
                let weights = skin.and_then(|skin| skin.weights.get(range)).unwrap_or_default();
                let known = weights.iter().filter(|weight| weight.weight > 0.0 && weight.weight.is_finite());
                let known = known.filter_map(|weight| Some((joint_of[weight.cluster_index as usize]?, weight.weight)));
                found.weights[vertex] = known.collect();
            }
            if found.weights[vertex].is_empty() {
                found.weights[vertex] = carried(&mut found)
                    .or(joint_of.iter().flatten().next().map(|&joint| (joint, 1.0)))
                    .into_iter()
                    .collect();
            }
        }
        found
    }

    /// The joint of the bone at or above a node; `world_from_mesh` transforms vertices as the node has them at rest.
    fn joint(&mut self, rig: &FbxRig, node: &ufbx::Node, world_from_mesh: DAffine3) -> Option<usize> {
        let own = rig.bone_of[node.element.typed_id as usize];
        let bone = own.or_else(|| bone_above(node, &rig.bone_of))?;
        if let Some(known) = self.joints.iter().position(|joint| joint.bone == bone) {
            return Some(known);
        }
        let (position, rotation) = rig.rest[bone];
        let bone_from_world = DAffine3::from_rotation_translation(rotation, position).inverse();
        self.joints.push(SkinJoint { bone, bone_from_mesh: bone_from_world * world_from_mesh });
        Some(self.joints.len() - 1)
    }
}

/// A mesh with its vertices in the frame of the world at rest.
fn skinned(node: &ufbx::Node, mesh: &ufbx::Mesh, influences: FbxInfluences) -> Result<SkinnedMesh, Error> {
    let name = node.element.name.to_string();
    let world_from_mesh = affine(&node.geometry_to_world);
    let side = world_from_mesh.matrix3.determinant();
    let world_from_mesh = if side.abs() > 1e-30 && side.is_finite() { world_from_mesh } else { DAffine3::IDENTITY };
    let (mesh_from_world, m) = (world_from_mesh.inverse(), world_from_mesh.matrix3);
    // The inverse transpose up to a factor: normals stay on the outer side where the matrix mirrors.
    let across = DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
        * m.determinant().signum();
    let mut gathered = Corners { mesh, known: BTreeMap::new(), vertices: Vec::new(), normals: Vec::new() };
    // In the order of the file, whatever the order of the triangles.
    for corner in 0..mesh.num_indices {
        gathered.vertex(corner);
    }
    let (mut triangles, mut corners) = (Vec::new(), Vec::new());
    for &face in &mesh.faces {
        let count = ufbx::triangulate_face_vec(&mut corners, mesh, face) as usize;
        for corner in corners[..3 * count].chunks_exact(3) {
            let [a, b, c] = [corner[0], corner[1], corner[2]].map(|corner| gathered.vertex(corner as usize));
            triangles.push(if m.determinant() < 0.0 { [a, c, b] } else { [a, b, c] });
        }
    }
    let Corners { vertices, normals, .. } = gathered;
    let point = |&vertex: &usize| world_from_mesh.transform_point3(vector(&mesh.vertices[vertex]));
    let points: Vec<DVec3> = vertices.iter().map(point).collect();
    let wrong = |what: String| Error::new(Location::Named(name.clone()), what);
    if points.iter().any(|point| !point.is_finite()) {
        return Err(wrong("a vertex of the mesh is no number".into()));
    }
    let normals = normals.into_iter().map(|normal| (across * normal).normalize_or(DVec3::Y)).collect();
    let bound = |joint: SkinJoint| SkinJoint { bone_from_mesh: joint.bone_from_mesh * mesh_from_world, ..joint };
    let joints = influences.joints.into_iter().map(bound).collect();
    let weights: Vec<_> = vertices.iter().map(|&vertex| influences.weights[vertex].clone()).collect();
    let skin = Skin::new(joints, &weights).map_err(|error| wrong(error.to_string()))?;
    Ok(SkinnedMesh { name, points, normals, triangles, skin })
}

/// Corners of faces, gathered to vertices with one normal each.
struct Corners<'a> {
    mesh: &'a ufbx::Mesh,
    /// The vertex of each pair of a position and a normal.
    known: BTreeMap<(u32, u32), usize>,
    /// The position of each vertex.
    vertices: Vec<usize>,
    /// The normal of each vertex; empty if the mesh has none.
    normals: Vec<DVec3>,
}

impl Corners<'_> {
    fn vertex(&mut self, corner: usize) -> usize {
        let position = self.mesh.vertex_indices[corner];
        let of_normals = Some(&self.mesh.vertex_normal).filter(|normals| normals.exists);
        let normal = of_normals.map_or(0, |normals| normals.indices[corner]);
        let next = self.vertices.len();
        let vertex = *self.known.entry((position, normal)).or_insert(next);
        if vertex == next {
            self.vertices.push(position as usize);
            self.normals.extend(of_normals.map(|normals| vector(&normals.values[normal as usize])));
        }
        vertex
    }
}

fn vector(v: &ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}
