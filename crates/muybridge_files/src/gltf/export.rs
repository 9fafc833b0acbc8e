//! Writes skeletons and clips as new glTF files: nodes, animations, and a skin without mesh, so that importers see an armature.

use muybridge::character::Skeleton;
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::motion::Clip;
use muybridge::skinning::SkinnedMesh;
use serde_json::{Value, json};

use super::buffer::Buffer;
use super::container;
use super::export_mesh::mesh_and_skin;
use crate::{Error, Location};

/// Options of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// Whether to write a `.glb` with a BIN chunk; otherwise `.gltf` text with the numbers in a data URI.
    pub binary: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self { binary: true }
    }
}

/// Writes a new `.glb` or `.gltf` file of a skeleton and its clips. Lengths must be meters, y up.
///
/// Bones keep their order and names; ends of bones become leaves called "…_end". Each clip is an animation with keys at its
/// frames, as 32-bit floats. Bones that do not move in a clip get no keys.
pub fn export(skeleton: &Skeleton, clips: &[Clip], options: ExportOptions) -> Result<Vec<u8>, Error> {
    export_skinned(skeleton, clips, &[], options)
}

/// As [`export`], with meshes that the bones move, without materials.
pub fn export_skinned(
    skeleton: &Skeleton,
    clips: &[Clip],
    meshes: &[SkinnedMesh],
    options: ExportOptions,
) -> Result<Vec<u8>, Error> {
    let mut file = NewFile::new(skeleton);
    file.add_skins(skeleton)?;
    for mesh in meshes {
        file.add_mesh(skeleton, mesh)?;
    }
    for clip in clips {
        file.add_clip(skeleton, clip)?;
    }
    file.finish(options)
}

/// A glTF file that is being built.
pub(super) struct NewFile {
    /// The root object.
    pub json: Value,
    buffer: Buffer,
    has_common_root: bool,
}

impl NewFile {
    /// Creates the nodes of a skeleton: bone `i` is node `i`, ends follow.
    pub fn new(skeleton: &Skeleton) -> Self {
        let mut nodes: Vec<Value> = Vec::with_capacity(skeleton.len());
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
        for (index, bone) in skeleton.bones().iter().enumerate() {
            nodes.push(json!({
                "name": bone.name, "translation": numbers(bone.translation), "rotation": bone.rotation.to_array(),
            }));
            if let Some(parent) = bone.parent {
                children[parent].push(index);
            }
        }
        for (index, bone) in skeleton.bones().iter().enumerate() {
            for (i, end) in bone.ends.iter().enumerate() {
                let name = if i == 0 { format!("{}_end", bone.name) } else { format!("{}_{}_end", bone.name, i + 1) };
                children[index].push(nodes.len());
                nodes.push(json!({"name": name, "translation": numbers(*end)}));
            }
        }
        for (node, children) in nodes.iter_mut().zip(children).filter(|(_, c)| !c.is_empty()) {
            node["children"] = json!(children);
        }
        let roots: Vec<usize> = skeleton.roots().collect();
        let json = json!({
            "asset": {"version": "2.0", "generator": concat!("Muybridge ", env!("CARGO_PKG_VERSION"))},
            "scene": 0,
            "scenes": [{"nodes": roots}],
            "nodes": nodes,
        });
        Self { json, buffer: Buffer::default(), has_common_root: false }
    }

    /// Adds one skin for each tree of bones, because the joints of a skin need a common root.
    fn add_skins(&mut self, skeleton: &Skeleton) -> Result<(), Error> {
        let rest = skeleton.rest_pose();
        let mut root_of: Vec<usize> = Vec::with_capacity(skeleton.len());
        for (index, bone) in skeleton.bones().iter().enumerate() {
            root_of.push(bone.parent.map_or(index, |parent| root_of[parent]));
        }
        let mut skins = Vec::new();
        for root in skeleton.roots() {
            let joints: Vec<usize> = (0..skeleton.len()).filter(|&bone| root_of[bone] == root).collect();
            let matrices = joints.iter().flat_map(|&bone| inverse_matrix(rest[bone]));
            let accessor = self.buffer.pack("MAT4", matrices)?;
            skins.push(json!({"joints": joints, "skeleton": root, "inverseBindMatrices": accessor}));
        }
        self.json["skins"] = json!(skins);
        Ok(())
    }

    /// Adds a mesh with its skin on a node of its own, beside the bones. Where its joints have several roots, these get a node
    /// above them, because the joints of a skin need a common root.
    fn add_mesh(&mut self, skeleton: &Skeleton, mesh: &SkinnedMesh) -> Result<(), Error> {
        let (written, skin) = mesh_and_skin(&mut self.buffer, mesh)?;
        let tops = skeleton.tops();
        let mut roots = mesh.skin.joints().iter().map(|joint| tops[joint.bone]);
        let first = roots.next();
        if roots.any(|root| Some(root) != first) && !self.has_common_root {
            self.has_common_root = true;
            let bones = self.json["scenes"][0]["nodes"].take();
            let node = self.add("nodes", json!({"name": "bones", "children": bones}));
            self.json["scenes"][0]["nodes"] = json!([node]);
        }
        let (mesh_index, skin) = (self.add("meshes", written), self.add("skins", skin));
        let node = self.add("nodes", json!({"name": mesh.name, "mesh": mesh_index, "skin": skin}));
        if let Some(nodes) = self.json["scenes"][0]["nodes"].as_array_mut() {
            nodes.push(json!(node));
        }
        Ok(())
    }

    /// Adds an element to a list of the root, which may be new, and returns its index.
    fn add(&mut self, list: &str, element: Value) -> usize {
        match self.json.get_mut(list).and_then(Value::as_array_mut) {
            Some(elements) => {
                elements.push(element);
                elements.len() - 1
            }
            None => {
                self.json[list] = json!([element]);
                0
            }
        }
    }

    /// Adds an animation with the frames of a clip.
    pub fn add_clip(&mut self, skeleton: &Skeleton, clip: &Clip) -> Result<(), Error> {
        if clip.bones() != skeleton.len() {
            let message = format!("clip “{}” has {} bones, the skeleton {}", clip.name, clip.bones(), skeleton.len());
            return Err(Error::new(Location::Named(clip.name.clone()), message));
        }
        let frames = 0..clip.frames();
        let shift = clip.start_time.min(0.0);
        let times = self.buffer.times(frames.clone().map(|f| clip.time(f) - shift))?;
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (index, bone) in skeleton.bones().iter().enumerate() {
            let turns = frames.clone().any(|f| turned(bone.rotation, clip.rotation(index, f)));
            if turns || index == 0 {
                let turns = frames.clone().map(|f| clip.rotation(index, f));
                let numbers = continuous(turns).flat_map(|q| q.to_array());
                let output = self.buffer.pack("VEC4", numbers)?;
                channels.push(json!({"sampler": samplers.len(), "target": {"node": index, "path": "rotation"}}));
                samplers.push(json!({"input": times, "output": output}));
            }
            if frames.clone().any(|f| clip.translation(index, f).distance(bone.translation) > 1e-9) {
                let numbers = frames.clone().flat_map(|f| clip.translation(index, f).to_array());
                let output = self.buffer.pack("VEC3", numbers)?;
                channels.push(json!({"sampler": samplers.len(), "target": {"node": index, "path": "translation"}}));
                samplers.push(json!({"input": times, "output": output}));
            }
        }
        let mut animation = json!({"channels": channels, "samplers": samplers});
        if !clip.name.is_empty() {
            animation["name"] = json!(clip.name);
        }
        self.add("animations", animation);
        Ok(())
    }

    /// Returns the bytes of the file.
    pub fn finish(mut self, options: ExportOptions) -> Result<Vec<u8>, Error> {
        let Buffer { bytes, views, accessors, .. } = self.buffer;
        self.json["accessors"] = Value::Array(accessors);
        self.json["bufferViews"] = Value::Array(views);
        self.json["buffers"] = json!([{"byteLength": bytes.len()}]);
        join(self.json, &bytes, options)
    }
}

/// Joins a document and the bytes of its only buffer, if any, to a file.
pub(crate) fn join(mut json: Value, bytes: &[u8], options: ExportOptions) -> Result<Vec<u8>, Error> {
    if options.binary {
        return container::join_glb(&json.to_string(), (!bytes.is_empty()).then_some(bytes), &[]);
    }
    if !bytes.is_empty() {
        let uri = format!("data:application/octet-stream;base64,{}", container::encode_base64(bytes));
        json["buffers"][0]["uri"] = json!(uri);
    }
    let text = serde_json::to_string_pretty(&json).map_err(|e| Error::new(Location::File, e.to_string()))?;
    Ok((text + "\n").into_bytes())
}

fn numbers(v: DVec3) -> [f64; 3] {
    v.to_array()
}

/// Whether a bone is rotated against its rest pose, beyond rounding.
pub(crate) fn turned(rest: DQuat, now: DQuat) -> bool {
    (rest.conjugate() * now).xyz().length() > 1e-9
}

/// Chooses quaternion signs so that rotations have no jumps.
pub(crate) fn continuous(turns: impl Iterator<Item = DQuat>) -> impl Iterator<Item = DQuat> {
    let mut last: Option<DQuat> = None;
    turns.map(move |turn| {
        let turn = if last.is_some_and(|last| last.dot(turn) < 0.0) { -turn } else { turn };
        last = Some(turn);
        turn
    })
}

/// The matrix, column by column, from the world to a rigid frame.
pub(crate) fn inverse_matrix((position, rotation): (DVec3, DQuat)) -> [f64; 16] {
    let turn = DMat3::from_quat(rotation.conjugate());
    let shift = turn * -position;
    let columns = [(turn.x_axis, 0.0), (turn.y_axis, 0.0), (turn.z_axis, 0.0), (shift, 1.0)];
    std::array::from_fn(|i| {
        let (column, last) = columns[i / 4];
        [column.x, column.y, column.z, last][i % 4]
    })
}
