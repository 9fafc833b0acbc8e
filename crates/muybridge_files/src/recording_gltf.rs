//! Writes a simulated run as a glTF file that viewers and Blender open, with the motion of everything.
//!
//! | in the run | in the file | why |
//! | --- | --- | --- |
//! | character | a tree of bones with the skin and materials of its file, else one skinned mesh of its solids, each solid bound to one joint; equal characters share the meshes | one object and one armature each; every importer reads skins |
//! | rigid body | an animated node with a mesh; equal bodies share the mesh | the smallest thing that moves rigidly |
//! | rope, stalk, stick | a skin with a joint per segment, turned and shifted | tubes keep their roundness, which morph targets between frames do not |
//! | cloth, deforming mesh | morph targets, one per frame (or every n-th), two of them mixed at any time | a joint per point is too much for viewers; Blender reads them as shape keys |
//! | obstacle | as a rigid body or mesh, without keys if it never moves | |
//!
//! One animation holds all keys, one per frame at multiples of the frame time, linear between them, so that the frame rate can
//! be read; `asset.extras` states it too. Lengths are meters, y up. Deforming meshes have no normals: a viewer shades each triangle
//! flat, which is right in every frame.

mod cloth;
pub(crate) mod rig;
pub(crate) mod solids;

use std::collections::BTreeMap;
use std::sync::Arc;

use muybridge::collision::shape::PlacedShape;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::Drawn;
use muybridge::simulation::shell::Shell;
use serde_json::{Value, json};

use crate::gltf::buffer::{self, Buffer};
use crate::gltf::{CharacterSkin, CopiedLooks, ExportOptions, join};
use crate::scene::Skins;
use crate::{Error, Location};

use rig::PiecePose;

/// Options for writing a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingOptions {
    /// Whether to write a `.glb`; otherwise `.gltf` text with the numbers in a data URI.
    pub binary: bool,
    /// Greatest size of the numbers, bytes; a larger run is refused.
    pub most_bytes: usize,
    /// Greatest number of morph targets of a deforming mesh; a longer run keeps every n-th frame.
    pub most_targets: usize,
}

impl Default for RecordingOptions {
    /// Writes a `.glb` of at most 1 GiB, with at most 240 morph targets.
    fn default() -> Self {
        Self { binary: true, most_bytes: 1 << 30, most_targets: 240 }
    }
}

/// A run as a file, with notes on losses, one sentence each.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenRecording {
    /// The `.glb` or `.gltf` file.
    pub file: Vec<u8>,
    /// Notes on what was left out or thinned.
    pub notes: Vec<String>,
}

/// Writes a run as glTF. Errors name the character or track that cannot be written, or the size of the file.
pub fn export(recording: &Recording, skins: &Skins, options: &RecordingOptions) -> Result<WrittenRecording, Error> {
    check(recording, options)?;
    let mut file = RecordingGltf::new(recording, skins);
    for (name, character, clip) in &recording.characters {
        file.character(name, character, clip)?;
    }
    for track in &recording.tracks {
        match &track.drawn {
            Drawn::Body { shapes, shell, poses } => {
                file.body(track, BodyAppearance { shapes, shell: shell.as_deref() }, poses)?
            }
            Drawn::Lines { segments, radius, points } => file.lines(track, segments, *radius, points)?,
            Drawn::Mesh { triangles, points } => file.mesh(track, triangles, points, options.most_targets)?,
        }
    }
    file.finish(ExportOptions { binary: options.binary })
}

/// Checks that a run has frames, at times.
pub(crate) fn check_run(recording: &Recording) -> Result<(), Error> {
    let seconds = recording.frame_time;
    if recording.frames == 0 || !(seconds.is_finite() && seconds > 0.0) {
        let message = format!("a run of {} frames, {seconds} s apart, cannot be written", recording.frames);
        return Err(Error::new(Location::Named(recording.name.clone()), message));
    }
    Ok(())
}

fn check(recording: &Recording, options: &RecordingOptions) -> Result<(), Error> {
    check_run(recording)?;
    let bones: usize = recording.characters.iter().map(|(_, character, _)| character.skeleton.len()).sum();
    let numbers = |drawn: &Drawn| match drawn {
        Drawn::Body { poses, .. } => poses.len().saturating_mul(7),
        Drawn::Lines { segments, points, .. } => segments.len().saturating_mul(points.len()).saturating_mul(7),
        Drawn::Mesh { points, .. } => {
            points.first().map_or(0, Vec::len).saturating_mul(points.len().min(options.most_targets)).saturating_mul(3)
        }
    };
    let tracks = recording.tracks.iter().map(|track| numbers(&track.drawn)).fold(0_usize, usize::saturating_add);
    let bytes = bones.saturating_mul(recording.frames).saturating_mul(7).saturating_add(tracks).saturating_mul(4);
    if bytes > options.most_bytes {
        let message = format!(
            "the run would take {} MB as glTF, more than {} MB; record fewer frames per second or fewer seconds",
            bytes >> 20,
            options.most_bytes >> 20
        );
        return Err(Error::new(Location::Named(recording.name.clone()), message));
    }
    Ok(())
}

/// Material of a thing, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MaterialKind {
    Character,
    Body,
    Line,
    Cloth,
    Obstacle,
}

/// Names and linear colors of the materials, in file order.
const MATERIALS: [(&str, [f64; 3]); 5] = [
    ("character", [0.32, 0.31, 0.29]),
    ("body", [0.42, 0.40, 0.36]),
    ("line", [0.27, 0.15, 0.07]),
    ("cloth", [0.80, 0.70, 0.55]),
    ("obstacle", [0.42, 0.51, 0.55]),
];

/// The geometry of a rigid body.
#[derive(Clone, Copy, PartialEq)]
struct BodyAppearance<'a> {
    /// Solids, in the frame of the body.
    shapes: &'a [PlacedShape],
    /// Surface of the body; `None` where it is no mesh.
    shell: Option<&'a Shell>,
}

/// The mesh in the file that all rigid bodies of one look share.
struct SharedMesh<'a> {
    look: BodyAppearance<'a>,
    is_obstacle: bool,
    /// Index in the array of meshes.
    mesh: usize,
}

/// A property of a node that an animation changes.
#[derive(Clone, Copy)]
struct AnimatedProperty {
    /// Index of the node.
    node: usize,
    /// "translation", "rotation" or "weights".
    path: &'static str,
}

/// A skin as written: the pieces it was made of, and its indices in the file.
struct Skinned {
    /// Bind pose of each joint, and the shapes bound to it.
    pieces: Vec<(PiecePose, Vec<PlacedShape>)>,
    material: MaterialKind,
    /// Accessor of the inverse bind matrices.
    matrices: usize,
    mesh: Option<usize>,
}

/// The skins of the file of a character as written.
struct Dressed {
    skin: Arc<CharacterSkin>,
    /// Index of each mesh, and its skin with bones for joints.
    written: Vec<(usize, Value)>,
}

/// A glTF file that is being built.
struct RecordingGltf<'a> {
    recording: &'a Recording,
    buffer: Buffer,
    nodes: Vec<Value>,
    roots: Vec<usize>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Meshes of the rigid bodies so far.
    known: Vec<SharedMesh<'a>>,
    /// Skins written so far; ragdolls of a herd share one.
    skinned: Vec<Skinned>,
    /// Skins of the files of the characters.
    given: &'a Skins,
    /// Those that are written.
    dressed: Vec<Dressed>,
    looks: CopiedLooks,
    /// Names of nodes, each with the next number for a duplicate.
    names: BTreeMap<String, usize>,
    notes: Vec<String>,
}

impl<'a> RecordingGltf<'a> {
    fn new(recording: &'a Recording, given: &'a Skins) -> Self {
        Self {
            recording,
            buffer: Buffer::default(),
            nodes: Vec::new(),
            roots: Vec::new(),
            meshes: Vec::new(),
            skins: Vec::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
            known: Vec::new(),
            skinned: Vec::new(),
            given,
            dressed: Vec::new(),
            looks: CopiedLooks::default(),
            names: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Makes a node name unique: `name`, else `owner.name`, else a name with a number.
    fn unique(&mut self, owner: &str, name: &str) -> String {
        let longer = if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") };
        for free in [name, &longer] {
            if !free.is_empty() && !self.names.contains_key(free) {
                self.names.insert(free.to_owned(), 2);
                return free.to_owned();
            }
        }
        let mut next = self.names.get(&longer).copied().unwrap_or(2);
        let free = loop {
            let numbered = format!("{longer}.{next}");
            next += 1;
            if !self.names.contains_key(&numbered) {
                break numbered;
            }
        };
        self.names.insert(longer, next);
        self.names.insert(free.clone(), 2);
        free
    }

    /// Adds a mesh of one primitive; returns its index.
    fn add_mesh(&mut self, name: &str, primitive: Value) -> usize {
        self.meshes.push(json!({"name": name, "primitives": [primitive]}));
        self.meshes.len() - 1
    }

    /// Adds keys of a node's property at every frame of the run.
    fn add_keys(&mut self, property: AnimatedProperty, kind: &str, values: Vec<f32>) -> Result<(), Error> {
        let times = (0..self.recording.frames).map(|frame| frame as f64 * self.recording.frame_time);
        let input = self.buffer.times(times)?;
        let output = self.buffer.floats(kind, &values, None);
        self.add_channel(property, input, output);
        Ok(())
    }

    fn add_channel(&mut self, property: AnimatedProperty, input: usize, output: usize) {
        let AnimatedProperty { node, path } = property;
        self.channels.push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        self.samplers.push(json!({"input": input, "output": output}));
    }

    fn finish(mut self, options: ExportOptions) -> Result<WrittenRecording, Error> {
        let Buffer { bytes, views, accessors, .. } = self.buffer;
        let materials: Vec<Value> = MATERIALS
            .iter()
            .map(|(name, [red, green, blue])| {
                let surface = json!({
                    "baseColorFactor": [red, green, blue, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8,
                });
                json!({"name": name, "pbrMetallicRoughness": surface, "doubleSided": *name == "cloth"})
            })
            .collect();
        let rate = 1.0 / self.recording.frame_time;
        let mut json = json!({
            "asset": {
                "version": "2.0",
                "generator": concat!("Muybridge ", env!("CARGO_PKG_VERSION")),
                "extras": {"framesPerSecond": rate, "frames": self.recording.frames},
            },
        });
        if !self.channels.is_empty() {
            let name = if self.recording.name.is_empty() { "run" } else { &self.recording.name };
            json["animations"] = json!([{"name": name, "channels": self.channels, "samplers": self.samplers}]);
        }
        if !self.roots.is_empty() {
            json["scene"] = json!(0);
            json["scenes"] = json!([{"name": self.recording.name, "nodes": self.roots}]);
        }
        let lists = [
            ("nodes", std::mem::take(&mut self.nodes)),
            ("meshes", self.meshes),
            ("skins", self.skins),
            ("materials", materials),
            ("accessors", accessors),
            ("bufferViews", views),
        ];
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            json[key] = Value::Array(list);
        }
        self.looks.write(&mut json);
        if !bytes.is_empty() {
            json["buffers"] = json!([{"byteLength": bytes.len()}]);
        }
        Ok(WrittenRecording { file: join(json, &bytes, options)?, notes: self.notes })
    }
}

/// Converts numbers to 32-bit floats. The error names `owner`.
fn floats(values: impl Iterator<Item = f64>, owner: &str) -> Result<Vec<f32>, Error> {
    buffer::rounded(values).map_err(|error| Error { place: Location::Named(owner.to_owned()), ..error })
}

#[cfg(test)]
mod tests;
