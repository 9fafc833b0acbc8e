//! Writes a clip back into the document it came from: one animation changes and nothing else.
//!
//! The JSON text is edited in place (`splice`), new numbers go behind the old ones at the end of a buffer, and old numbers
//! stay where they are even if nothing refers to them any more. What bones need to stand where the clip says is found by
//! undoing the scales of their parents (`placement`).

use muybridge::character::Skeleton;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use serde_json::{Value, json};

use super::accessor::Accessors;
use super::animation::Curves;
use super::channels::{Channels, element, whole};
use super::container;
use super::document::Document;
use super::import::{Stage, budget};
use super::keys::Keys;
use super::placement::Local;
use super::scene::Scene;
use super::splice::Splice;
use super::track::Property;
use crate::{Error, Place};

/// A document as bytes again.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The `.glb` or `.gltf` file.
    pub file: Vec<u8>,
    /// Files beside it that hold its numbers, by the relative URI it names them with.
    pub beside: Vec<(String, Vec<u8>)>,
    /// What could not be kept as it was, one sentence each.
    pub notes: Vec<String>,
}

/// The document with animation `animation` replaced by `clip`, a clip of the skeleton that [`super::import`] made of it.
///
/// Bones get rotation and translation keys at the frames of the clip where they had such curves, or where the clip moves
/// them away from rest. Scales, morph weights and curves of other nodes stay. Lengths are in file units.
pub fn with_motion(document: &Document, animation: usize, skeleton: &Skeleton, clip: &Clip) -> Result<Written, Error> {
    let scene = Scene::new(document)?;
    check_same_skeleton(&scene, skeleton, clip)?;
    let root = document.root();
    let Some(at) = root.element("animations", animation) else {
        let message = format!("there is no animation {animation}; the file has {}", root.count("animations"));
        return Err(Error::new(Place::Path(format!("/animations/{animation}")), message));
    };
    let accessors = Accessors::new(document, budget(document));
    let curves = Curves::new(&at, &scene, &accessors)?;
    let locals = placed(&scene, &curves, skeleton, clip);
    let mut edit = Edit::new(document, clip)?;
    edit.rewrite(animation, &scene, &curves, &locals)?;
    edit.finish()
}

fn check_same_skeleton(scene: &Scene, skeleton: &Skeleton, clip: &Clip) -> Result<(), Error> {
    let own = scene.skeleton.as_ref().map_or(&[][..], Skeleton::bones);
    if own.len() != skeleton.len() || clip.bones() != skeleton.len() {
        let message = format!("a clip of {} bones; the file has {} bones", clip.bones(), own.len());
        return Err(Error::new(Place::Path("/nodes".into()), message));
    }
    match own.iter().zip(skeleton.bones()).find(|(a, b)| a.name != b.name || a.parent != b.parent) {
        Some((a, b)) => {
            let message =
                format!("the clip has “{}” where the file has “{}”; it is of another skeleton", b.name, a.name);
            Err(Error::new(Place::Named(a.name.clone()), message))
        }
        None => Ok(()),
    }
}

/// Node transforms of all bones, bone by bone and frame by frame, that put them where the clip says.
fn placed(scene: &Scene, curves: &Curves, skeleton: &Skeleton, clip: &Clip) -> Vec<Vec<Local>> {
    let world = WorldMotion::new(skeleton, clip);
    let mut stage = Stage::new(scene);
    let rest = stage.locals.clone();
    let mut cursors = vec![0; curves.tracks.len()];
    let mut placed = vec![Vec::with_capacity(clip.frames()); skeleton.len()];
    for frame in 0..clip.frames() {
        stage.locals.copy_from_slice(&rest);
        curves.apply(clip.time(frame), 0.02 * clip.frame_time, &mut cursors, &mut stage.locals);
        for bone in 0..skeleton.len() {
            let above = stage.above(bone);
            let (position, rotation) = (world.position(bone, frame), world.rotation(bone, frame));
            if let Some(mut local) = above.placing(&stage.locals[bone], position, rotation) {
                let last: Option<&Local> = placed[bone].last();
                if last.is_some_and(|last| last.rotation.dot(local.rotation) < 0.0) {
                    local.rotation = -local.rotation;
                }
                stage.locals[bone] = local;
            }
            stage.worlds[bone] = above.child(&stage.locals[bone]);
            placed[bone].push(stage.locals[bone]);
        }
    }
    placed
}

/// The edits of a document and the numbers to be added.
struct Edit<'a> {
    document: &'a Document,
    splice: Splice<'a>,
    keys: Keys,
    times: usize,
    notes: Vec<String>,
}

impl<'a> Edit<'a> {
    fn new(document: &'a Document, clip: &Clip) -> Result<Self, Error> {
        let root = document.root();
        let mut keys = Keys::new(root.count("bufferViews"), root.count("accessors"));
        let mut notes = Vec::new();
        let shift = clip.start_time.min(0.0);
        if shift < 0.0 {
            notes.push(format!("the clip began at {shift} s; it begins at 0 s now, as glTF has no earlier times"));
        }
        let times = keys.times((0..clip.frames()).map(|frame| clip.time(frame) - shift))?;
        Ok(Self { document, splice: Splice::new(&document.container.text), keys, times, notes })
    }

    fn rewrite(
        &mut self,
        animation: usize,
        scene: &Scene,
        curves: &Curves,
        locals: &[Vec<Local>],
    ) -> Result<(), Error> {
        let mut channels = Channels::new(self.document, animation);
        for (bone, &node) in scene.node_of_bone.iter().enumerate() {
            let wanted = |property: Property| {
                let had = curves.tracks.iter().any(|t| t.bone == bone && t.property == property);
                had || moved(property, &scene.local[node], &locals[bone])
            };
            let (shifts, turns) = (wanted(Property::Translation), wanted(Property::Rotation));
            if !(shifts || turns) || !self.free_of_matrix(node, &scene.local[node]) {
                continue;
            }
            if shifts {
                let output = self.keys.pack("VEC3", 3, locals[bone].iter().flat_map(|l| l.translation.to_array()))?;
                channels.set(node, "translation", output);
            }
            if turns {
                let output = self.keys.pack("VEC4", 4, locals[bone].iter().flat_map(|l| l.rotation.to_array()))?;
                channels.set(node, "rotation", output);
            }
        }
        channels.write(&mut self.splice, animation, self.times);
        Ok(())
    }

    /// Turns the matrix of a node into translation, rotation and scale, because only those can be animated.
    fn free_of_matrix(&mut self, node: usize, local: &Local) -> bool {
        if self.document.json["nodes"][node].get("matrix").is_none() {
            return true;
        }
        let span = element(&self.splice, "nodes", node);
        let Some(matrix) = span.and_then(|span| self.splice.member(&span, "matrix")) else { return true };
        if local.shear.is_some() {
            self.notes.push(format!("node {node} is placed by a sheared matrix and could not be moved"));
            return false;
        }
        let members = json!({
            "translation": local.translation.to_array(),
            "rotation": local.rotation.to_array(),
            "scale": local.scale.to_array(),
        });
        let text = members.to_string();
        self.splice.replace(matrix.whole, text[1..text.len() - 1].to_string());
        self.notes.push(format!("the matrix of node {node} became translation, rotation and scale, to be animated"));
        true
    }

    fn finish(mut self) -> Result<Written, Error> {
        let document = self.document;
        let Home { buffer, mut bytes } = Home::of(document);
        let offset = bytes.len();
        bytes.append(&mut self.keys.bytes);
        let view = json!({"buffer": buffer, "byteOffset": offset, "byteLength": bytes.len() - offset});
        let accessors = Value::Array(std::mem::take(&mut self.keys.accessors)).to_string();
        self.append_to_root("bufferViews", view.to_string());
        self.append_to_root("accessors", accessors[1..accessors.len() - 1].to_string());
        let mut written = Written { file: Vec::new(), beside: Vec::new(), notes: std::mem::take(&mut self.notes) };
        let mut bin = document.container.bin.clone();
        let uri = document.json.pointer(&format!("/buffers/{buffer}/uri")).and_then(Value::as_str);
        match (element(&self.splice, "buffers", buffer), uri) {
            (None, _) => {
                let uri = data_uri("data:application/octet-stream;base64", &bytes);
                self.append_to_root("buffers", json!({"byteLength": bytes.len(), "uri": uri}).to_string());
            }
            (Some(span), uri) => {
                self.splice.set(&span, "byteLength", &bytes.len().to_string());
                match uri {
                    None => bin = Some(bytes),
                    Some(uri) if uri.starts_with("data:") => {
                        let uri = data_uri(uri.split_once(',').map_or("", |(head, _)| head), &bytes);
                        self.splice.set(&span, "uri", &json!(uri).to_string());
                    }
                    Some(uri) => {
                        let name = container::decode_percent(uri).and_then(|name| String::from_utf8(name).ok());
                        written.beside.push((name.unwrap_or_else(|| uri.to_string()), bytes));
                    }
                }
            }
        }
        let text = self.splice.finish();
        written.file = if document.is_binary() {
            container::join_glb(&text, bin.as_deref(), &document.container.other_chunks)?
        } else {
            let mark: &[u8] = if document.container.text_offset == 3 { &[0xEF, 0xBB, 0xBF] } else { &[] };
            [mark, text.as_bytes()].concat()
        };
        Ok(written)
    }

    fn append_to_root(&mut self, list: &str, added: String) {
        let root = self.splice.root();
        match self.splice.member(&root, list) {
            Some(member) => self.splice.append(&member.value, added),
            None => self.splice.append(&root, format!("\"{list}\":[{added}]")),
        }
    }
}

/// The buffer that takes the new numbers, and its bytes so far, padded to whole words. A new one if none can take them.
struct Home {
    buffer: usize,
    bytes: Vec<u8>,
}

impl Home {
    fn of(document: &Document) -> Self {
        let json = &document.json;
        let has_bytes = |buffer: &usize| document.buffers().get(*buffer).is_some_and(|bytes| !bytes.is_empty());
        let in_bin = |buffer: &usize| has_bytes(buffer) && json["buffers"][*buffer].get("uri").is_none();
        let of_animations = || {
            let accessor = json.pointer("/animations/0/samplers/0/input").and_then(whole)?;
            let view = whole(&json["accessors"][accessor]["bufferView"])?;
            whole(&json["bufferViews"][view]["buffer"])
        };
        let known = Some(0).filter(in_bin).or_else(|| of_animations().filter(has_bytes));
        let known = known.or_else(|| (0..document.buffers().len()).find(has_bytes));
        let Some(buffer) = known else { return Self { buffer: document.buffers().len(), bytes: Vec::new() } };
        let mut bytes = document.buffers()[buffer].clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        Self { buffer, bytes }
    }
}

fn data_uri(head: &str, bytes: &[u8]) -> String {
    let head = if head.ends_with(";base64") { head } else { "data:application/octet-stream;base64" };
    format!("{head},{}", container::encode_base64(bytes))
}

/// Whether a bone stands elsewhere than at rest, beyond the rounding of the arithmetic.
fn moved(property: Property, rest: &Local, frames: &[Local]) -> bool {
    let turned = |l: &Local| {
        let by: DQuat = rest.rotation.conjugate() * l.rotation;
        DVec3::new(by.x, by.y, by.z).length() > 1e-7
    };
    let shifted = |l: &Local| l.translation.distance(rest.translation) > 1e-9 + 1e-6 * rest.translation.length();
    frames.iter().any(|l| if property == Property::Rotation { turned(l) } else { shifted(l) })
}
