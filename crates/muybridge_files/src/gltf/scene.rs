//! Selects the nodes of a document that are bones, and builds the skeleton with its rest pose.
//!
//! Bones are the joints of all skins, the humanoid bones of a VRM, and every node that an animation moves; without a skin, also
//! the rigid meshes below these nodes. All ancestors of a bone are bones. Leaves that only mark the end of a bone ("Head_end")
//! become ends of their parent.

use std::collections::BTreeSet;

use muybridge::character::{Bone, Skeleton};
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::document::GltfDocument;
use super::placement::{NodeLocal, NodeWorld};
use super::target::ChannelTarget;
use super::tree::JsonNode;
use super::vrm::{self, Humanoid};
use crate::split_characters::around;
use crate::{Error, Location};

/// The nodes of a document, and the skeleton built from them.
pub(super) struct BoneScene {
    /// Parent of each node; `None` for a root.
    pub parent: Vec<Option<usize>>,
    /// Local transform of each node at rest.
    pub local: Vec<NodeLocal>,
    /// World transform of each node at rest.
    pub world: Vec<NodeWorld>,
    /// Node of each bone.
    pub node_of_bone: Vec<usize>,
    /// Bone of each node; `None` if the node is no bone.
    pub bone_of_node: Vec<Option<usize>>,
    /// Nearest bone at or above each node; `None` if there is none.
    pub carrier: Vec<Option<usize>>,
    /// Whether the file declares a body: a skin or a humanoid.
    pub has_body: bool,
    /// Humanoid bones that the file declares.
    pub humanoid: Humanoid,
    /// The skeleton; `None` without bones.
    pub skeleton: Option<Skeleton>,
    /// Whether each node is above the character that is read, which it shares with others.
    pub is_above_character: Vec<bool>,
    /// Whether all bones of the document are read, and not those of one character.
    pub is_whole: bool,
    /// Notes on omissions and renamed bones.
    pub notes: Vec<String>,
}

impl BoneScene {
    /// Reads the nodes and selects the bones.
    pub fn new(document: &GltfDocument) -> Result<Self, Error> {
        let root = document.root();
        let nodes = root.list("nodes")?;
        let mut notes = Vec::new();
        let parent = parents(&nodes)?;
        let order = parents_first(&nodes, &parent)?;
        let mut local = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            local.push(local_of(node, index, &mut notes)?);
        }
        let mut world = vec![NodeWorld::ORIGIN; nodes.len()];
        for &node in &order {
            world[node] = parent[node].map_or(NodeWorld::ORIGIN, |p| world[p]).child(&local[node]);
        }
        let humanoid = vrm::humanoid(document)?;
        let joints = joints(&root)?;
        let has_body = !joints.is_empty() || !humanoid.nodes.is_empty();
        let mut chosen = choose(&root, &nodes, &parent, &order, &joints, &humanoid, &mut notes)?;
        let mut is_above_character = vec![false; nodes.len()];
        if let Some(roots) = document.part() {
            let (below, above) = around(roots, |node| parent[node], order.iter().copied());
            chosen.iter_mut().enumerate().for_each(|(node, chosen)| *chosen &= below[node] || above[node]);
            is_above_character = above;
        }
        let node_of_bone: Vec<usize> = order.iter().copied().filter(|&n| chosen[n]).collect();
        let mut bone_of_node = vec![None; nodes.len()];
        for (bone, &node) in node_of_bone.iter().enumerate() {
            bone_of_node[node] = Some(bone);
        }
        let mut carrier = vec![None; nodes.len()];
        for &node in &order {
            let above = parent[node].filter(|&parent| !is_above_character[parent]);
            carrier[node] = bone_of_node[node].or_else(|| above.and_then(|parent| carrier[parent]));
        }
        let (skeleton, is_whole) = (None, document.part().is_none());
        let mut scene = Self {
            parent,
            local,
            world,
            node_of_bone,
            bone_of_node,
            carrier,
            has_body,
            humanoid,
            skeleton,
            is_above_character,
            is_whole,
            notes,
        };
        scene.skeleton = scene.build_skeleton(&nodes)?;
        Ok(scene)
    }

    /// Whether the joints of a skin are bones that are read.
    pub fn has_skin(&self, skin: &JsonNode) -> Result<bool, Error> {
        for joint in skin.need("joints")?.elements()? {
            if self.bone_of_node[joint.non_negative_integer()?].is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn build_skeleton(&mut self, nodes: &[JsonNode]) -> Result<Option<Skeleton>, Error> {
        if self.node_of_bone.is_empty() {
            return Ok(None);
        }
        let mut bones = Vec::with_capacity(self.node_of_bone.len());
        let mut names = BTreeSet::new();
        for &node in &self.node_of_bone {
            let name = unique_name(&nodes[node], node, &mut names, &mut self.notes);
            let parent = self.parent[node];
            let parent_world = parent.map_or(NodeWorld::ORIGIN, |p| self.world[p]);
            let (rotation, translation) = parent_world.rigid_child(&self.local[node], &self.world[node]);
            let parent = parent.and_then(|p| self.bone_of_node[p]);
            bones.push(Bone { name, parent, translation, rotation, ends: Vec::new() });
        }
        self.add_ends(nodes, &mut bones)?;
        let skeleton = Skeleton::new(bones).map_err(|e| Error::new(Location::Path("/nodes".into()), e.to_string()))?;
        Ok(Some(skeleton))
    }

    fn add_ends(&self, nodes: &[JsonNode], bones: &mut [Bone]) -> Result<(), Error> {
        for (index, node) in nodes.iter().enumerate() {
            let Some(parent) = self.parent[index].filter(|_| self.bone_of_node[index].is_none()) else { continue };
            let Some(bone) = self.bone_of_node[parent] else { continue };
            if node.count("children") > 0 || node.get("mesh").is_some() || !is_end_name(name_of(node)) {
                continue;
            }
            let frame = &self.world[parent];
            bones[bone].ends.push(frame.rotation.conjugate() * (self.world[index].position - frame.position));
        }
        Ok(())
    }
}

/// Node indices of the joints of all skins.
fn joints(root: &JsonNode) -> Result<BTreeSet<usize>, Error> {
    let mut joints = BTreeSet::new();
    for skin in root.list("skins")? {
        for joint in skin.need("joints")?.elements()? {
            joints.insert(joint.non_negative_integer()?);
        }
    }
    Ok(joints)
}

fn parents(nodes: &[JsonNode]) -> Result<Vec<Option<usize>>, Error> {
    let mut parent = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for child in node.list("children")? {
            parent[child.non_negative_integer()?] = Some(index);
        }
    }
    Ok(parent)
}

/// Node order with parents first: the file order if it is one, else depth first from the roots.
fn parents_first(nodes: &[JsonNode], parent: &[Option<usize>]) -> Result<Vec<usize>, Error> {
    if parent.iter().enumerate().all(|(node, p)| p.is_none_or(|p| p < node)) {
        return Ok((0..nodes.len()).collect());
    }
    let mut order = Vec::with_capacity(nodes.len());
    let mut waiting: Vec<usize> = (0..nodes.len()).rev().filter(|&n| parent[n].is_none()).collect();
    while let Some(node) = waiting.pop() {
        order.push(node);
        for child in nodes[node].list("children")?.iter().rev() {
            waiting.push(child.non_negative_integer()?);
        }
    }
    Ok(order)
}

fn local_of(node: &JsonNode, index: usize, notes: &mut Vec<String>) -> Result<NodeLocal, Error> {
    if let Some(m) = node.numbers::<16>("matrix")? {
        if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
            return Err(node.need("matrix")?.error("the last row of the matrix must be 0 0 0 1"));
        }
        let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
        return Ok(NodeLocal::from_matrix(DMat3::from_cols(column(0), column(4), column(8)), column(12)));
    }
    let mut local = NodeLocal::IDENTITY;
    if let Some(t) = node.numbers::<3>("translation")? {
        local.translation = DVec3::from_array(t);
    }
    if let Some(s) = node.numbers::<3>("scale")? {
        local.scale = DVec3::from_array(s);
    }
    if let Some(r) = node.numbers::<4>("rotation")? {
        let length = libm::sqrt(r.iter().map(|x| x * x).sum());
        if !(length.is_finite() && length > 1e-6) {
            return Err(node.need("rotation")?.error("a rotation whose four numbers are all zero or huge"));
        }
        if (length - 1.0).abs() > 1e-3 {
            notes.push(format!(
                "the rotation of node {index} is not a unit quaternion (length {length:.4}); scaled to 1"
            ));
        }
        local.rotation = DQuat::from_array(r) * (1.0 / length);
    }
    Ok(local)
}

/// Marks the nodes that are bones.
fn choose(
    root: &JsonNode,
    nodes: &[JsonNode],
    parent: &[Option<usize>],
    order: &[usize],
    joints: &BTreeSet<usize>,
    humanoid: &Humanoid,
    notes: &mut Vec<String>,
) -> Result<Vec<bool>, Error> {
    let mut chosen = vec![false; nodes.len()];
    let mut animated = animated(root, humanoid)?;
    let is_apparatus = |node: &usize| nodes[*node].get("camera").is_some() || is_light(&nodes[*node]);
    let apparatus: Vec<usize> = animated.iter().copied().filter(is_apparatus).collect();
    animated.retain(|node| !is_apparatus(node));
    if !apparatus.is_empty() {
        notes.push(format!("moving cameras and lights were left out ({})", apparatus.len()));
    }
    for &node in joints.iter().chain(humanoid.nodes.iter()).chain(animated.iter()) {
        chosen[node] = true;
    }
    if joints.is_empty() && humanoid.nodes.is_empty() {
        for &node in order {
            let below_a_bone = parent[node].is_some_and(|p| chosen[p]);
            chosen[node] |= below_a_bone && nodes[node].get("mesh").is_some();
        }
    }
    for &node in order.iter().rev() {
        if let Some(parent) = parent[node].filter(|_| chosen[node]) {
            chosen[parent] = true;
        }
    }
    for node in humanoid.not_bones.iter().filter(|&&n| n < nodes.len() && !chosen[n]) {
        notes.push(format!(
            "node {node} (“{}”) drives an expression or the gaze; it is not a bone",
            name_of(&nodes[*node])
        ));
    }
    Ok(chosen)
}

fn is_light(node: &JsonNode) -> bool {
    node.value.pointer("/extensions/KHR_lights_punctual").is_some()
}

fn animated(root: &JsonNode, humanoid: &Humanoid) -> Result<BTreeSet<usize>, Error> {
    let mut animated = BTreeSet::new();
    for animation in root.list("animations")? {
        for channel in animation.list("channels")? {
            let target = ChannelTarget::of(channel.value);
            animated.extend(target.node.filter(|_| target.moves()));
        }
    }
    animated.retain(|node| !humanoid.not_bones.contains(node));
    Ok(animated)
}

pub(super) fn name_of<'a>(node: &JsonNode<'a>) -> &'a str {
    node.value["name"].as_str().unwrap_or_default()
}

fn unique_name(node: &JsonNode, index: usize, names: &mut BTreeSet<String>, notes: &mut Vec<String>) -> String {
    let own = name_of(node);
    let mut name = if own.is_empty() { format!("node_{index}") } else { own.to_string() };
    if names.contains(&name) {
        name = format!("{name}_{index}");
        while names.contains(&name) {
            name.push('_');
        }
        notes.push(format!("several nodes are named “{own}”; node {index} is called “{name}” here"));
    }
    names.insert(name.clone());
    name
}

/// Whether exporters give this name to the far end of the last bone of a chain.
fn is_end_name(name: &str) -> bool {
    const ENDINGS: [&str; 6] = ["_end", " end", "nub", "end site", "endsite", "_tip"];
    let name = name.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}
