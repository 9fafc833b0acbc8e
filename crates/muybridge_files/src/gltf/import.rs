//! Converts a glTF document to a skeleton and its clips.
//!
//! Each frame: curves → node transforms → world matrices → rigid bone frames (`placement`) → local rotations and
//! translations of the bones.

use muybridge::character::Skeleton;
use muybridge::collision::shape::PlacedShape;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;

use super::accessor::Accessors;
use super::animation::Curves;
use super::document::GltfDocument;
use super::fit_shapes;
use super::placement::{Handedness, NodeLocal, NodeWorld};
use super::scene::{BoneScene, name_of};
use super::skin::{self, BoneVertices};
use super::timing::{self, FrameTimes};
use super::track::Property;
use super::tree::JsonNode;
use crate::imported::unevaluated;
use crate::{Axis, Error, Imported, split_characters};

/// Options for reading the animations of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// Frames per second to sample at; `None` uses the animation's own key times.
    pub fps: Option<f64>,
}

/// Bytes of memory that reading may take, per byte of the file, and a minimum.
const BYTES_PER_BYTE: usize = 64;
const BYTES_AT_LEAST: usize = 32 << 20;
/// Bytes of a clip per bone and frame.
const CLIP_BYTES: usize = 56;

/// Number of bytes that reading a document may take.
pub(super) fn budget(document: &GltfDocument) -> usize {
    BYTES_AT_LEAST + BYTES_PER_BYTE * document.size()
}

/// Reads the skeleton of a document and every animation as a clip of it.
///
/// A file with a skin or a humanoid but no animation gives its rest pose as a clip of one frame; any other file without
/// animation is an error. Lengths stay in file units, which glTF defines as meters.
pub fn import(document: &GltfDocument, options: &ImportOptions) -> Result<Imported, Error> {
    let scene = BoneScene::new(document)?;
    let root = document.root();
    let Some(skeleton) = scene.skeleton.clone() else { return Err(no_motion(&root)) };
    let accessors = Accessors::new(document, budget(document));
    let mut ignored = [document.notes(), scene.notes.as_slice()].concat();
    let mut clips = Vec::new();
    for (index, animation) in root.list("animations")?.iter().enumerate() {
        let Played { title, clip, notes } = played(&scene, &accessors, animation, index, options)?;
        clips.extend(clip);
        ignored.extend(notes.into_iter().map(|note| format!("{title}: {note}")));
    }
    if clips.is_empty() {
        if !scene.has_body {
            return Err(no_motion(&root));
        }
        ignored.push("the file holds a body and no animation; its rest pose is read as a clip of one frame".into());
        clips.push(rest_clip(&scene, &root)?);
    }
    let roles =
        scene.humanoid.roles.iter().filter_map(|&(node, role)| Some((scene.bone_of_node[node]?, role))).collect();
    let (carried, notes) = skin::bone_vertices(document, &scene, &accessors)?;
    ignored.extend(notes);
    ignored.extend(left_out(&root));
    let shapes = shapes(&carried, &skeleton);
    let skin_points = skin_points(&carried);
    let characters = match document.part() {
        Some(_) => Vec::new(),
        None => {
            let nodes = root.list("nodes")?;
            let name = |bone: usize| match name_of(&nodes[scene.node_of_bone[bone]]) {
                "" => skeleton.bones()[bone].name.as_str(),
                name => name,
            };
            split_characters::characters(&skeleton, name, &clips, &skins(&root, &scene)?)
        }
    };
    Ok(Imported {
        format: format_of(document, &scene),
        skeleton,
        clips,
        meters_per_unit: Some(1.0),
        up: Some(Axis::Y),
        roles,
        shapes,
        skin_points,
        characters,
        character: String::new(),
        companions: Vec::new(),
        ignored,
        ..Imported::default()
    })
}

/// The bones of each skin.
fn skins(root: &JsonNode, scene: &BoneScene) -> Result<Vec<Vec<usize>>, Error> {
    let mut skins = Vec::new();
    for skin in root.list("skins")? {
        let mut bones = Vec::new();
        for joint in skin.need("joints")?.elements()? {
            bones.extend(scene.bone_of_node[joint.non_negative_integer()?]);
        }
        skins.push(bones);
    }
    Ok(skins)
}

/// An animation of a glTF that differs from what was read before.
#[derive(Clone, Copy)]
pub(crate) struct ChangedAnimation {
    /// Index of its clip in [`Imported::clips`].
    pub clip: usize,
    /// Index in the array of animations of the file.
    pub animation: usize,
}

/// As [`import`](fn@import), after only animation `animation` of the document changed since `before` was imported; clip `index` is
/// that animation's.
pub(crate) fn with_animation_read_again(
    document: &GltfDocument,
    before: &Imported,
    changed: ChangedAnimation,
    options: &ImportOptions,
) -> Result<Imported, Error> {
    let ChangedAnimation { clip: index, animation } = changed;
    let scene = BoneScene::new(document)?;
    let root = document.root();
    let (Some(skeleton), Some(at)) = (scene.skeleton.clone(), root.element("animations", animation)) else {
        return import(document, options);
    };
    let accessors = Accessors::new(document, budget(document));
    let Played { title, clip, notes } = played(&scene, &accessors, &at, animation, options)?;
    let Some(clip) = clip else { return import(document, options) };
    let mut imported = Imported { skeleton, ..before.clone() };
    imported.clips[index] = clip;
    let prefix = format!("{title}: ");
    let is_own = |note: &String| note.starts_with(&prefix);
    if imported.clips.iter().filter(|other| other.name == imported.clips[index].name).count() == 1 {
        let at = imported.ignored.iter().position(is_own).unwrap_or(imported.ignored.len());
        imported.ignored.retain(|note| !is_own(note));
        imported.ignored.splice(at..at, notes.into_iter().map(|note| prefix.clone() + &note));
    }
    Ok(imported)
}

/// An animation read as a clip.
struct Played {
    /// Name of the animation in notes.
    title: String,
    /// The clip; `None` if the animation moves no bone.
    clip: Option<Clip>,
    notes: Vec<String>,
}

fn played(
    scene: &BoneScene,
    accessors: &Accessors,
    animation: &JsonNode,
    index: usize,
    options: &ImportOptions,
) -> Result<Played, Error> {
    let curves = Curves::new(animation, scene, accessors)?;
    let title =
        if curves.name.is_empty() { format!("animation {index}") } else { format!("clip “{}”", curves.name) };
    let mut notes = curves.notes.clone();
    if curves.tracks.is_empty() {
        if scene.is_whole {
            notes.push("it moves no bone and was left out".into());
        }
        return Ok(Played { title, clip: None, notes });
    }
    let times = timing::frame_times(&curves, options.fps, animation)?;
    notes.extend(times.notes.iter().cloned());
    let clip = sample(scene, &curves, &times, accessors, animation, &mut notes)?;
    Ok(Played { title, clip: Some(clip), notes })
}

/// Fits a solid to each bone that moves enough vertices.
fn shapes(carried: &[BoneVertices], skeleton: &Skeleton) -> Vec<(usize, PlacedShape)> {
    let fitted = |(bone, carried): (usize, &BoneVertices)| {
        let shape = match carried.skinned {
            true => fit_shapes::capsule(&carried.points, direction_of(bone, skeleton)),
            false => fit_shapes::solid(&carried.points),
        };
        Some((bone, shape?))
    };
    carried.iter().enumerate().filter_map(fitted).collect()
}

/// Direction of a bone: to its only child, or to its only end; `None` if it has several or none.
fn direction_of(bone: usize, skeleton: &Skeleton) -> Option<DVec3> {
    let children: Vec<usize> = skeleton.children(bone).take(2).collect();
    match (children.as_slice(), skeleton.bones()[bone].ends.as_slice()) {
        ([child], []) => Some(skeleton.bones()[*child].translation),
        ([], [end]) => Some(*end),
        _ => None,
    }
}

fn skin_points(carried: &[BoneVertices]) -> Vec<(usize, DVec3)> {
    let of_bone = |(bone, carried): (usize, &BoneVertices)| -> Vec<(usize, DVec3)> {
        fit_shapes::farthest(&carried.points).into_iter().map(|point| (bone, point)).collect()
    };
    carried.iter().enumerate().flat_map(of_bone).collect()
}

fn no_motion(root: &JsonNode) -> Error {
    let (meshes, nodes) = (root.count("meshes"), root.count("nodes"));
    let what = match (meshes, nodes) {
        (0, 0) => "holds neither meshes nor nodes".to_string(),
        (0, nodes) => format!("holds {nodes} nodes without a skin"),
        (1, _) => "holds one mesh".to_string(),
        (meshes, _) => format!("holds {meshes} meshes"),
    };
    let at = JsonNode { path: "/animations".into(), ..root.clone() };
    at.error(format!(
        "this glTF file {what} but no animation that moves a node: a model without motion; export it together with an animation"
    ))
}

fn sample(
    scene: &BoneScene,
    curves: &Curves,
    times: &FrameTimes,
    accessors: &Accessors,
    at: &JsonNode,
    notes: &mut Vec<String>,
) -> Result<Clip, Error> {
    let bones = scene.node_of_bone.len();
    accessors.spend(bones.saturating_mul(times.frames).saturating_mul(CLIP_BYTES), at)?;
    let mut clip = Clip::new(bones, times.frames, times.step).map_err(|e| at.error(e.to_string()))?;
    clip.name.clone_from(&curves.name);
    clip.start_time = times.start;
    let mut stage = NodePoses::new(scene);
    let mut cursors = vec![0; curves.tracks.len()];
    for frame in 0..times.frames {
        curves.apply(clip.time(frame), 0.02 * times.step, &mut cursors, &mut stage.locals);
        stage.place();
        stage.write(&mut clip, frame);
    }
    clip.check_finite().map_err(|e| at.error(e.to_string()))?;
    note_scales(scene, curves, &stage, notes);
    Ok(clip)
}

fn rest_clip(scene: &BoneScene, root: &JsonNode) -> Result<Clip, Error> {
    let mut clip = Clip::new(scene.node_of_bone.len(), 1, 1.0 / 30.0).map_err(|e| root.error(e.to_string()))?;
    let mut stage = NodePoses::new(scene);
    stage.place();
    stage.write(&mut clip, 0);
    clip.check_finite().map_err(|e| root.error(e.to_string()))?;
    Ok(clip)
}

/// Node and bone transforms of a scene at one time.
pub(super) struct NodePoses {
    parent: Vec<Option<usize>>,
    /// Node transforms; to be set before [`NodePoses::place`].
    pub locals: Vec<NodeLocal>,
    /// World transforms.
    pub worlds: Vec<NodeWorld>,
    last: Vec<DQuat>,
    mirrored: bool,
    collapsed: bool,
}

impl NodePoses {
    /// Starts with the bones at rest.
    pub fn new(scene: &BoneScene) -> Self {
        let bones = scene.node_of_bone.len();
        let parent = scene.node_of_bone.iter().map(|&n| scene.parent[n].and_then(|p| scene.bone_of_node[p])).collect();
        let locals = scene.node_of_bone.iter().map(|&n| scene.local[n]).collect();
        let (worlds, last) = (vec![NodeWorld::ORIGIN; bones], vec![DQuat::IDENTITY; bones]);
        Self { parent, locals, worlds, last, mirrored: false, collapsed: false }
    }

    /// Computes world transforms from node transforms, parents first.
    pub fn place(&mut self) {
        for bone in 0..self.locals.len() {
            self.worlds[bone] = self.above(bone).child(&self.locals[bone]);
            self.mirrored |= self.worlds[bone].kind == Handedness::Mirrored;
            self.collapsed |= self.worlds[bone].kind == Handedness::Collapsed;
        }
    }

    /// World transform of the parent of a bone.
    pub fn above(&self, bone: usize) -> NodeWorld {
        self.parent[bone].map_or(NodeWorld::ORIGIN, |p| self.worlds[p])
    }

    fn write(&mut self, clip: &mut Clip, frame: usize) {
        for bone in 0..self.locals.len() {
            let (rotation, translation): (DQuat, DVec3) =
                self.above(bone).rigid_child(&self.locals[bone], &self.worlds[bone]);
            let rotation = if frame > 0 && rotation.dot(self.last[bone]) < 0.0 { -rotation } else { rotation };
            self.last[bone] = rotation;
            clip.set_rotation(bone, frame, rotation);
            clip.set_translation(bone, frame, translation);
        }
    }
}

fn note_scales(scene: &BoneScene, curves: &Curves, stage: &NodePoses, notes: &mut Vec<String>) {
    let scaled = curves.tracks.iter().filter(|t| t.property == Property::Scale && t.varies()).count();
    if scaled > 0 {
        let who = if scaled == 1 { "1 bone changes its".into() } else { format!("{scaled} bones change their") };
        notes.push(format!("{who} scale; positions follow it, bodies keep their size"));
    }
    if stage.mirrored {
        notes.push("some bones are mirrored by a negative scale; their frames are turned to be right-handed".into());
    }
    if stage.collapsed {
        notes.push("some bones are scaled to nothing; their rotations are those of their curves alone".into());
    }
    let matrix_moved = curves.tracks.iter().any(|t| scene.local[scene.node_of_bone[t.bone]].shear.is_some());
    if matrix_moved {
        notes.push("an animated node is placed by a sheared matrix; the curves act on its position only".into());
    }
}

fn format_of(document: &GltfDocument, scene: &BoneScene) -> String {
    let kind = if document.is_binary() { "glTF 2.0 binary" } else { "glTF 2.0" };
    match scene.humanoid.format {
        "" => kind.to_string(),
        vrm => format!("{vrm} ({kind})"),
    }
}

/// Notes on contents besides bones and motion.
fn left_out(root: &JsonNode) -> Vec<String> {
    let counted = |(key, one): (&str, &str)| match root.count(key) {
        0 => None,
        1 => Some(format!("1 {one} was left out")),
        many => Some(format!("{many} {one}s were left out")),
    };
    let kinds = [("cameras", "camera"), ("materials", "material"), ("images", "image")];
    let mut sentences: Vec<String> = kinds.into_iter().filter_map(counted).collect();
    if root.value.pointer("/extensions/KHR_lights_punctual").is_some() {
        sentences.push("the lights were left out".into());
    }
    let uses =
        |name: &str| root.value["extensionsUsed"].as_array().is_some_and(|used| used.iter().any(|one| *one == name));
    if uses("KHR_draco_mesh_compression") {
        sentences.push("meshes compressed with KHR_draco_mesh_compression were left out; the motion needs none".into());
    }
    let constrained = |node: &&JsonNode| node.value.pointer("/extensions/VRMC_node_constraint").is_some();
    let nodes = root.list("nodes").unwrap_or_default();
    let names: Vec<&str> = nodes
        .iter()
        .filter(constrained)
        .map(|node| node.value["name"].as_str().unwrap_or("a node without a name"))
        .collect();
    if !names.is_empty() {
        sentences.push(unevaluated(&names, "VRMC_node_constraint"));
    }
    sentences
}
