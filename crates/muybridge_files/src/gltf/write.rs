//! Writes a clip back into the document it came from: one animation changes and nothing else.
//!
//! The JSON tree is edited in place, new numbers go behind the old ones at the end of a buffer, and old numbers stay where
//! they are even if nothing refers to them any more. What bones need to stand where the clip says is found by undoing
//! the scales of their parents (`placement`).

use muybridge::character::Skeleton;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};
use serde_json::{Map, Value, json};

use super::accessor::Accessors;
use super::animation::{Curves, Property};
use super::container;
use super::document::Document;
use super::import::{Stage, budget};
use super::keys::Keys;
use super::placement::Local;
use super::scene::Scene;
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
    edit.finish(document)
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

/// A JSON tree and the numbers to be added.
struct Edit {
    json: Value,
    keys: Keys,
    times: usize,
    notes: Vec<String>,
}

impl Edit {
    fn new(document: &Document, clip: &Clip) -> Result<Self, Error> {
        let root = document.root();
        let mut keys = Keys::new(root.count("bufferViews"), root.count("accessors"));
        let mut notes = Vec::new();
        let shift = clip.start_time.min(0.0);
        if shift < 0.0 {
            notes.push(format!("the clip began at {shift} s; it begins at 0 s now, as glTF has no earlier times"));
        }
        let times = keys.times((0..clip.frames()).map(|frame| clip.time(frame) - shift))?;
        Ok(Self { json: document.json.clone(), keys, times, notes })
    }

    fn rewrite(
        &mut self,
        animation: usize,
        scene: &Scene,
        curves: &Curves,
        locals: &[Vec<Local>],
    ) -> Result<(), Error> {
        for (bone, &node) in scene.node_of_bone.iter().enumerate() {
            for property in [Property::Translation, Property::Rotation] {
                let had = curves.tracks.iter().any(|t| t.bone == bone && t.property == property);
                if !had && !moved(property, &scene.local[node], &locals[bone]) {
                    continue;
                }
                if !self.free_of_matrix(node, &scene.local[node]) {
                    continue;
                }
                let output = match property {
                    Property::Rotation => {
                        self.keys.pack("VEC4", 4, locals[bone].iter().flat_map(|l| l.rotation.to_array()))?
                    }
                    _ => self.keys.pack("VEC3", 3, locals[bone].iter().flat_map(|l| l.translation.to_array()))?,
                };
                let path = if property == Property::Rotation { "rotation" } else { "translation" };
                self.set_channel(animation, node, path, output);
            }
        }
        Ok(())
    }

    /// Turns the matrix of a node into translation, rotation and scale, because only those can be animated.
    fn free_of_matrix(&mut self, node: usize, local: &Local) -> bool {
        let Some(members) = self.json["nodes"][node].as_object_mut().filter(|m| m.contains_key("matrix")) else {
            return true;
        };
        if local.shear.is_some() {
            self.notes.push(format!("node {node} is placed by a sheared matrix and could not be moved"));
            return false;
        }
        members.shift_remove("matrix");
        members.insert("translation".into(), json!(local.translation.to_array()));
        members.insert("rotation".into(), json!(local.rotation.to_array()));
        members.insert("scale".into(), json!(local.scale.to_array()));
        self.notes.push(format!("the matrix of node {node} became translation, rotation and scale, to be animated"));
        true
    }

    /// Lets the channel of `node` and `path` read the new keys; a new channel if there is none.
    fn set_channel(&mut self, animation: usize, node: usize, path: &str, output: usize) {
        let times = self.times;
        let animation = &mut self.json["animations"][animation];
        let reads = |channel: &Value| {
            whole(&channel["target"]["node"]) == Some(node) && channel["target"]["path"].as_str() == Some(path)
        };
        let channels = animation["channels"].as_array().map_or(&[][..], Vec::as_slice);
        let found = channels.iter().position(reads);
        let sampler = found.and_then(|c| whole(&channels[c]["sampler"]));
        let users = channels.iter().filter(|c| whole(&c["sampler"]) == sampler).count();
        if let (Some(sampler), 1) = (sampler, users) {
            let members = &mut animation["samplers"][sampler];
            members["input"] = json!(times);
            members["output"] = json!(output);
            if members.get("interpolation").is_some() {
                members["interpolation"] = json!("LINEAR");
            }
            return;
        }
        let samplers = list(animation, "samplers");
        samplers.push(json!({"input": times, "interpolation": "LINEAR", "output": output}));
        let sampler = samplers.len() - 1;
        let channels = list(animation, "channels");
        match found {
            Some(channel) => channels[channel]["sampler"] = json!(sampler),
            None => channels.push(json!({"sampler": sampler, "target": {"node": node, "path": path}})),
        }
    }

    fn finish(mut self, document: &Document) -> Result<Written, Error> {
        let Home { buffer, mut bytes } = Home::of(document, &mut self.json);
        let offset = bytes.len();
        bytes.append(&mut self.keys.bytes);
        let length = bytes.len() - offset;
        self.json["buffers"][buffer]["byteLength"] = json!(bytes.len());
        list(&mut self.json, "bufferViews").push(json!({"buffer": buffer, "byteOffset": offset, "byteLength": length}));
        list(&mut self.json, "accessors").append(&mut self.keys.accessors);
        let mut written = Written { file: Vec::new(), beside: Vec::new(), notes: self.notes };
        let mut bin = document.container.bin.clone();
        match self.json["buffers"][buffer]["uri"].as_str() {
            None => bin = Some(bytes),
            Some(uri) if uri.starts_with("data:") => {
                let head = uri.split_once(',').map_or("", |(head, _)| head);
                let head = if head.ends_with(";base64") { head } else { "data:application/octet-stream;base64" };
                self.json["buffers"][buffer]["uri"] = json!(format!("{head},{}", container::encode_base64(&bytes)));
            }
            Some(uri) => {
                let name = container::decode_percent(uri).and_then(|name| String::from_utf8(name).ok());
                written.beside.push((name.unwrap_or_else(|| uri.to_string()), bytes));
            }
        }
        written.file = if document.is_binary() {
            let text = self.json.to_string();
            container::join_glb(&text, bin.as_deref(), &document.container.other_chunks)?
        } else {
            in_style_of(&document.container.text, &self.json)?.into_bytes()
        };
        Ok(written)
    }
}

/// The buffer that takes the new numbers, and its bytes so far, padded to whole words.
struct Home {
    buffer: usize,
    bytes: Vec<u8>,
}

impl Home {
    fn of(document: &Document, json: &mut Value) -> Self {
        let has_bytes = |buffer: &usize| document.buffers().get(*buffer).is_some_and(|bytes| !bytes.is_empty());
        let in_bin =
            |buffer: &usize| *buffer == 0 && document.container.bin.is_some() && has_uri(json, 0) == Some(false);
        let of_animations = || {
            let view = document.json.pointer("/animations/0/samplers/0/input").and_then(whole);
            let view = view.and_then(|a| whole(&document.json["accessors"][a]["bufferView"]));
            view.and_then(|v| whole(&document.json["bufferViews"][v]["buffer"]))
        };
        let known = Some(0)
            .filter(in_bin)
            .or_else(|| of_animations().filter(has_bytes))
            .or_else(|| (0..document.buffers().len()).find(has_bytes));
        match known {
            Some(buffer) => {
                let mut bytes = document.buffers()[buffer].clone();
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                Self { buffer, bytes }
            }
            None => {
                let buffers = list(json, "buffers");
                buffers.push(json!({"byteLength": 0, "uri": "data:application/octet-stream;base64,"}));
                Self { buffer: buffers.len() - 1, bytes: Vec::new() }
            }
        }
    }
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

fn has_uri(json: &Value, buffer: usize) -> Option<bool> {
    Some(json.get("buffers")?.get(buffer)?.get("uri").is_some())
}

fn whole(value: &Value) -> Option<usize> {
    let float = || value.as_f64().map(|x| x as u64);
    value.as_u64().or_else(float).and_then(|n| usize::try_from(n).ok())
}

/// The list at `key` of an object, made if it is not there.
fn list<'a>(object: &'a mut Value, key: &str) -> &'a mut Vec<Value> {
    let members: &mut Map<String, Value> = object.as_object_mut().expect("checked when the document was parsed");
    let member = members.entry(key).or_insert_with(|| json!([]));
    member.as_array_mut().expect("checked when the document was parsed")
}

/// JSON text on one line or indented, as the original text is.
fn in_style_of(original: &str, json: &Value) -> Result<String, Error> {
    let indented = original.trim_start().split_once('\n').filter(|(first, _)| first.trim_end().len() <= 1);
    let Some((_, rest)) = indented else { return Ok(json.to_string()) };
    let indent: String = rest.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    serde::Serialize::serialize(json, &mut serializer).map_err(|e| Error::new(Place::File, e.to_string()))?;
    if original.ends_with('\n') {
        text.push(b'\n');
    }
    String::from_utf8(text).map_err(|e| Error::new(Place::File, e.to_string()))
}
