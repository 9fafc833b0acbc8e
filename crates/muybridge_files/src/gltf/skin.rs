//! Collects vertices of skins and rigid meshes, in the frame of the bone that moves each most.
//!
//! ```text
//! p = R_jᵀ L_j (B_j v)    vertex v of a skin: B_j the inverse bind matrix of its heaviest joint j, L_j the scale and
//!                         rotation of the joint in the world, R_j the rotation of its rigid frame
//! p = R_bᵀ (W_n v − x_b)  vertex of a mesh on node n, moved by bone b at x_b
//! ```
//! The first equation does not depend on the pose, so a model whose rest pose is not its bind pose gives the same points.

use std::rc::Rc;

use muybridge::glam::{DMat3, DVec3};

use super::accessor::Accessors;
use super::document::GltfDocument;
use super::scene::BoneScene;
use super::tree::JsonNode;
use crate::Error;

/// Vertices that one bone moves most.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BoneVertices {
    /// Vertices in the bone's frame, file units.
    pub points: Vec<DVec3>,
    /// Whether some vertices belong to a skin rather than a rigid mesh.
    pub skinned: bool,
}

/// Collects the vertices of each bone, with notes on vertices without a bone.
pub(super) fn bone_vertices(
    document: &GltfDocument,
    scene: &BoneScene,
    accessors: &Accessors,
) -> Result<(Vec<BoneVertices>, Vec<String>), Error> {
    let root = document.root();
    let mut gathering = VertexGatherer {
        scene,
        accessors,
        bones: vec![BoneVertices::default(); scene.node_of_bone.len()],
        lost: 0,
        odd: 0,
    };
    for (index, node) in root.list("nodes")?.iter().enumerate() {
        let Some(mesh) = node.get("mesh").map(|m| m.non_negative_integer()).transpose()? else { continue };
        let Some(mesh) = root.element("meshes", mesh) else { continue };
        let skin =
            node.get("skin").map(|s| s.non_negative_integer()).transpose()?.and_then(|s| root.element("skins", s));
        for primitive in mesh.list("primitives")? {
            match &skin {
                Some(skin) if !scene.has_skin(skin)? => {}
                Some(skin) => gathering.skin(&primitive, skin)?,
                None => gathering.rigid(&primitive, index)?,
            }
        }
    }
    let mut notes = Vec::new();
    if gathering.lost > 0 {
        notes.push(format!(
            "mesh parts that no bone moves, or that hold no plain positions, were left out ({})",
            gathering.lost
        ));
    }
    if gathering.odd > 0 {
        notes.push(format!(
            "vertices with joints that are not there or positions that are no numbers were left out ({})",
            gathering.odd
        ));
    }
    Ok((gathering.bones, notes))
}

struct VertexGatherer<'a> {
    scene: &'a BoneScene,
    accessors: &'a Accessors<'a>,
    bones: Vec<BoneVertices>,
    lost: usize,
    odd: usize,
}

impl VertexGatherer<'_> {
    fn rigid(&mut self, primitive: &JsonNode, node: usize) -> Result<(), Error> {
        let (Some(bone), Some(positions)) =
            (self.scene.carrier[node], attribute(self.accessors, primitive, "POSITION")?)
        else {
            self.lost += usize::from(self.scene.is_whole);
            return Ok(());
        };
        self.accessors.spend(8 * positions.len(), primitive)?;
        let (from, frame) = (self.scene.world[node], self.scene.world[self.scene.node_of_bone[bone]]);
        let turned_back = frame.rotation.conjugate();
        for v in positions.chunks_exact(3) {
            let point = turned_back * (from.point(DVec3::new(v[0], v[1], v[2])) - frame.position);
            self.push(bone, point, false);
        }
        Ok(())
    }

    fn skin(&mut self, primitive: &JsonNode, skin: &JsonNode) -> Result<(), Error> {
        let binding = Binding::new(skin, self.scene, self.accessors)?;
        let influences = influences(self.accessors, primitive)?;
        let positions = attribute(self.accessors, primitive, "POSITION")?;
        let (Some(positions), false) = (positions, influences.is_empty()) else {
            self.lost += 1;
            return Ok(());
        };
        self.accessors.spend(8 * positions.len(), primitive)?;
        for (i, v) in positions.chunks_exact(3).enumerate() {
            match heaviest(&influences, i).and_then(|joint| binding.joints.get(joint)) {
                Some(&(bone, linear, offset)) => self.push(bone, linear * DVec3::new(v[0], v[1], v[2]) + offset, true),
                None => self.odd += 1,
            }
        }
        Ok(())
    }

    fn push(&mut self, bone: usize, point: DVec3, skinned: bool) {
        if !point.is_finite() {
            self.odd += 1;
            return;
        }
        self.bones[bone].points.push(point);
        self.bones[bone].skinned |= skinned;
    }
}

/// The joints of a skin: bone, and transform of vertices into its frame.
pub(super) struct Binding {
    pub joints: Vec<(usize, DMat3, DVec3)>,
}

impl Binding {
    pub fn new(skin: &JsonNode, scene: &BoneScene, accessors: &Accessors) -> Result<Self, Error> {
        let joints = skin.need("joints")?.elements()?;
        let inverse =
            skin.get("inverseBindMatrices").map(|at| accessors.numbers(at.non_negative_integer()?)).transpose()?;
        accessors.spend(104 * joints.len(), skin)?;
        let mut binding = Self { joints: Vec::with_capacity(joints.len()) };
        for (i, joint) in joints.iter().enumerate() {
            let node = joint.non_negative_integer()?;
            let Some(bone) = scene.bone_of_node[node] else {
                return Err(joint.error("the joint is no bone"));
            };
            let (linear, offset) = match inverse.as_ref().and_then(|numbers| numbers.get(16 * i..16 * i + 16)) {
                Some(m) => {
                    let column = |c: usize| DVec3::new(m[c], m[c + 1], m[c + 2]);
                    (DMat3::from_cols(column(0), column(4), column(8)), column(12))
                }
                None => (DMat3::IDENTITY, DVec3::ZERO),
            };
            let world = scene.world[node];
            let stretch = DMat3::from_quat(world.rotation.conjugate()) * world.linear;
            binding.joints.push((bone, stretch * linear, stretch * offset));
        }
        Ok(binding)
    }
}

/// Numbers of a `JOINTS` and a `WEIGHTS` attribute, four per vertex.
pub(super) type Influences = (Rc<Vec<f64>>, Rc<Vec<f64>>);

/// Numbers of an attribute; `None` if it is absent or compressed.
pub(super) fn attribute(
    accessors: &Accessors,
    primitive: &JsonNode,
    name: &str,
) -> Result<Option<Rc<Vec<f64>>>, Error> {
    let compressed = primitive.value.pointer("/extensions/KHR_draco_mesh_compression").is_some();
    let Some(at) = primitive.get("attributes").and_then(|a| a.get(name)).filter(|_| !compressed) else {
        return Ok(None);
    };
    Ok(Some(accessors.numbers(at.non_negative_integer()?)?))
}

/// All joints and weights of a primitive.
pub(super) fn influences(accessors: &Accessors, primitive: &JsonNode) -> Result<Vec<Influences>, Error> {
    let mut influences = Vec::new();
    while let (Some(joints), Some(weights)) = (
        attribute(accessors, primitive, &format!("JOINTS_{}", influences.len()))?,
        attribute(accessors, primitive, &format!("WEIGHTS_{}", influences.len()))?,
    ) {
        influences.push((joints, weights));
    }
    Ok(influences)
}

/// The joint with the largest weight on vertex `i`, the first if several are equal; `None` without weights.
fn heaviest(influences: &[Influences], i: usize) -> Option<usize> {
    let mut best: Option<(f64, f64)> = None;
    for (joints, weights) in influences {
        let range = 4 * i..4 * i + 4;
        for (&joint, &weight) in joints.get(range.clone())?.iter().zip(weights.get(range)?) {
            if weight > best.map_or(0.0, |(_, heaviest)| heaviest) {
                best = Some((joint, weight));
            }
        }
    }
    best.map(|(joint, _)| joint as usize)
}
