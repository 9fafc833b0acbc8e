//! Reads all triangles of a document as one mesh in the frame of its scene.
//!
//! ```text
//! v' = W_n v                        rigid meshes: the world matrix of the node
//! v' = Σ_j w_j W_j B_j v / Σ_j w_j  skins, as the nodes stand at rest: B_j the inverse bind matrices
//! ```
//! Source: Khronos glTF 2.0 specification, sections 3.7.2 (modes), 3.7.3.3 (skinned meshes ignore their own node).

use std::rc::Rc;

use muybridge::glam::{DMat3, DVec2, DVec3};

use super::accessor::Accessors;
use super::document::GltfDocument;
use super::import::budget;
use super::scene::BoneScene;
use super::tree::JsonNode;
use crate::Error;
use crate::mesh::ReadMesh;

/// Reads the triangles of every mesh that is on a node. Points, lines and compressed parts get a note. Errors name the JSON
/// pointer of the primitive.
pub(crate) fn triangles(document: &GltfDocument) -> Result<ReadMesh, Error> {
    let scene = BoneScene::new(document)?;
    let accessors = Accessors::new(document, budget(document));
    let root = document.root();
    let mut gathering =
        TriangleGatherer { scene: &scene, accessors: &accessors, read: ReadMesh::default(), uv: Vec::new() };
    for (index, node) in root.list("nodes")?.iter().enumerate() {
        let Some(mesh) = node.get("mesh").map(|at| at.non_negative_integer()).transpose()? else { continue };
        let Some(mesh) = root.element("meshes", mesh) else { continue };
        let skin = node
            .get("skin")
            .map(|at| at.non_negative_integer())
            .transpose()?
            .and_then(|skin| root.element("skins", skin));
        for primitive in mesh.list("primitives")? {
            gathering.primitive(&primitive, index, skin.as_ref())?;
        }
    }
    let TriangleGatherer { mut read, uv, .. } = gathering;
    read.mesh.uv = (!uv.is_empty() && uv.len() == read.mesh.points.len()).then_some(uv);
    Ok(read)
}

struct TriangleGatherer<'a> {
    scene: &'a BoneScene,
    accessors: &'a Accessors<'a>,
    read: ReadMesh,
    uv: Vec<DVec2>,
}

impl TriangleGatherer<'_> {
    fn primitive(&mut self, primitive: &JsonNode, node: usize, skin: Option<&JsonNode>) -> Result<(), Error> {
        let mode = primitive.whole_or("mode", 4)?;
        let compressed = primitive.value.pointer("/extensions/KHR_draco_mesh_compression").is_some();
        if compressed || !(4..=6).contains(&mode) {
            let why = if compressed { "is compressed; export without compression" } else { "is points or lines" };
            self.read.notes.push(format!("{} {why}; it was left out", primitive.path));
            return Ok(());
        }
        let Some(positions) = self.attribute(primitive, "POSITION")? else {
            self.read.notes.push(format!("{} has no positions; it was left out", primitive.path));
            return Ok(());
        };
        let count = positions.len() / 3;
        let corners = self.corners(primitive, count)?;
        self.accessors.spend(32 * count + 24 * corners.len(), primitive)?;
        let first = self.read.mesh.points.len();
        let mirrored = match skin {
            Some(skin) => self.skinned(primitive, skin, &positions)?,
            None => {
                let frame = self.scene.world[node];
                self.read.mesh.points.extend(vectors(&positions).map(|v| frame.point(v)));
                frame.linear.determinant() < 0.0
            }
        };
        if let Some(bad) = self.read.mesh.points[first..].iter().position(|point| !point.is_finite()) {
            return Err(primitive.error(format!("point {bad} has a position that is not a finite number")));
        }
        let turned = |[a, b, c]: [usize; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        let triangles = triangles_of(&corners, mode).map(|corners| turned(corners.map(|corner| first + corner)));
        self.read.mesh.triangles.extend(triangles);
        if let Some(uv) = self.attribute(primitive, "TEXCOORD_0")?.filter(|uv| uv.len() == 2 * count) {
            self.uv.extend(uv.chunks_exact(2).map(|uv| DVec2::new(uv[0], uv[1])));
        }
        Ok(())
    }

    /// Positions of a skin, moved by its joints; returns whether the joints mirror them.
    fn skinned(&mut self, primitive: &JsonNode, skin: &JsonNode, positions: &[f64]) -> Result<bool, Error> {
        let (Some(joints), Some(weights)) =
            (self.attribute(primitive, "JOINTS_0")?, self.attribute(primitive, "WEIGHTS_0")?)
        else {
            return Err(primitive.error("a part of a skin needs the attributes JOINTS_0 and WEIGHTS_0"));
        };
        let frames = self.joint_frames(skin)?;
        let mut mirrored = false;
        for (index, v) in vectors(positions).enumerate() {
            let range = 4 * index..4 * index + 4;
            let (Some(joints), Some(weights)) = (joints.get(range.clone()), weights.get(range)) else {
                return Err(primitive.error(format!("point {index} has no joints or no weights")));
            };
            let (mut sum, mut total) = (DVec3::ZERO, 0.0);
            for (&joint, &weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                let Some((linear, offset)) = frames.get(joint as usize) else {
                    let message = format!("point {index} hangs on joint {joint}; the skin has {}", frames.len());
                    return Err(primitive.error(message));
                };
                sum += (*linear * v + *offset) * weight;
                total += weight;
                mirrored |= linear.determinant() < 0.0;
            }
            self.read.mesh.points.push(if total > 0.0 { sum / total } else { v });
        }
        Ok(mirrored)
    }

    /// Matrix `W_j B_j` of each joint.
    fn joint_frames(&self, skin: &JsonNode) -> Result<Vec<(DMat3, DVec3)>, Error> {
        let joints = skin.need("joints")?.elements()?;
        let inverse =
            skin.get("inverseBindMatrices").map(|at| self.accessors.numbers(at.non_negative_integer()?)).transpose()?;
        self.accessors.spend(96 * joints.len(), skin)?;
        let mut frames = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let world = self.scene.world[joint.non_negative_integer()?];
            let bind = inverse.as_ref().and_then(|numbers| numbers.get(16 * index..16 * index + 16));
            let column = |m: &[f64], c: usize| DVec3::new(m[c], m[c + 1], m[c + 2]);
            let (linear, offset) = bind.map_or((DMat3::IDENTITY, DVec3::ZERO), |m| {
                (DMat3::from_cols(column(m, 0), column(m, 4), column(m, 8)), column(m, 12))
            });
            frames.push((world.linear * linear, world.point(offset)));
        }
        Ok(frames)
    }

    /// Corners of a primitive in order, each checked to be one of its points.
    fn corners(&self, primitive: &JsonNode, count: usize) -> Result<Vec<usize>, Error> {
        let Some(at) = primitive.get("indices") else { return Ok((0..count).collect()) };
        let numbers = self.accessors.numbers(at.non_negative_integer()?)?;
        self.accessors.spend(8 * numbers.len(), primitive)?;
        if let Some(beyond) = numbers.iter().find(|&&index| index < 0.0 || index >= count as f64) {
            return Err(at.error(format!("a triangle names point {beyond}; the part has {count} points")));
        }
        Ok(numbers.iter().map(|&index| index as usize).collect())
    }

    fn attribute(&self, primitive: &JsonNode, name: &str) -> Result<Option<Rc<Vec<f64>>>, Error> {
        let at = primitive.get("attributes").and_then(|attributes| attributes.get(name));
        at.map(|at| self.accessors.numbers(at.non_negative_integer()?)).transpose()
    }
}

fn vectors(numbers: &[f64]) -> impl Iterator<Item = DVec3> + '_ {
    numbers.chunks_exact(3).map(|v| DVec3::new(v[0], v[1], v[2]))
}

/// Triangles of a list (mode 4), a strip (5) or a fan (6).
fn triangles_of(corners: &[usize], mode: usize) -> impl Iterator<Item = [usize; 3]> + '_ {
    let count = if mode == 4 { corners.len() / 3 } else { corners.len().saturating_sub(2) };
    (0..count).map(move |i| match mode {
        4 => [corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]],
        5 if i % 2 == 1 => [corners[i], corners[i + 2], corners[i + 1]],
        5 => [corners[i], corners[i + 1], corners[i + 2]],
        _ => [corners[0], corners[i + 1], corners[i + 2]],
    })
}
