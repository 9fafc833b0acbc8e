//! FBX, through the library ufbx: the skeleton and one clip per animation stack, in meters and y up.
//!
//! ```text
//! bones      bone nodes and nodes that move; other nodes above a bone are folded into the bone
//! world      W = W_parent · local(t), affine, scales and pivots included, in ufbx's y-up right-handed meters
//! rigid      position of W exactly; rotation of W by Gram–Schmidt; local = parent⁻¹ · child
//! frames     t_k = begin + k / fps, at the file's own rate; a rate within 1e-5 of a whole number is that number
//! ```
//! The file's axes and unit are converted here, because only FBX states both; `format` tells the original ones.

mod meshes;

use std::collections::BTreeSet;

use muybridge::character::{Bone, Skeleton};
use muybridge::glam::{DAffine3, DMat3, DQuat, DVec3};
use muybridge::motion::Clip;

use crate::imported::unevaluated;
use crate::{Axis, Error, Imported, Location, split_characters};

pub use meshes::meshes;

/// Bytes that ufbx may allocate, plus [`MEMORY_PER_BYTE`] for each byte of the file.
const MEMORY: usize = 16 << 20;
const MEMORY_PER_BYTE: usize = 100;
/// Greatest number of bones × frames to sample, plus [`SAMPLES_PER_BYTE`] for each byte of the file.
const SAMPLES: usize = 1 << 20;
const SAMPLES_PER_BYTE: usize = 2;
/// Greatest depth of nested nodes.
const DEPTH: u32 = 500;

/// Reads an FBX file, binary or text.
pub fn read(bytes: &[u8]) -> Result<Imported, Error> {
    let scene = ufbx::load_memory(bytes, load_options(bytes.len())).map_err(|error| refusal(&error))?;
    let mut ignored = Vec::new();
    let rig = FbxRig::new(&scene, &mut ignored)?;
    let mut budget = SAMPLES + SAMPLES_PER_BYTE * bytes.len();
    let mut clips = Vec::new();
    for stack in &scene.anim_stacks {
        clips.push(sample(&scene, &rig, stack, &mut budget)?);
    }
    if clips.is_empty() {
        return Err(Error::new(Location::File, "the FBX holds no animation; export it with baked animation"));
    }
    ignored.extend(unread(&scene));
    let mut names = vec![""; rig.skeleton.len()];
    for (node, bone) in (&scene.nodes).into_iter().zip(&rig.bone_of) {
        bone.iter().for_each(|&bone| names[bone] = &node.element.name);
    }
    let characters = split_characters::characters(&rig.skeleton, |bone| names[bone], &clips, &[]);
    Ok(Imported {
        format: format_in_words(&scene),
        skeleton: rig.skeleton,
        clips,
        meters_per_unit: Some(1.0),
        up: Some(Axis::Y),
        characters,
        ignored,
        ..Imported::default()
    })
}

fn refusal(error: &ufbx::Error) -> Error {
    let message = if error.type_ == ufbx::ErrorType::MemoryLimit {
        "the FBX unpacks to far more than a file of its size holds; it is damaged, export it again".to_owned()
    } else {
        let reason = error.description.to_lowercase();
        format!("the FBX cannot be read: {reason}; export it again (FBX 7.4 binary is safest)")
    };
    Error::new(Location::File, message)
}

fn load_options(size: usize) -> ufbx::LoadOpts<'static> {
    let mut options = ufbx::LoadOpts {
        ignore_geometry: true,
        ignore_embedded: true,
        node_depth_limit: DEPTH,
        file_format: ufbx::FileFormat::Fbx,
        inherit_mode_handling: ufbx::InheritModeHandling::HelperNodes,
        space_conversion: ufbx::SpaceConversion::TransformRoot,
        target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        ..Default::default()
    };
    options.temp_allocator.memory_limit = MEMORY + MEMORY_PER_BYTE * size;
    options.result_allocator.memory_limit = MEMORY + MEMORY_PER_BYTE * size;
    options
}

/// The skeleton, and the map from nodes of the scene to its bones.
struct FbxRig {
    skeleton: Skeleton,
    /// Where each bone is at rest, in the world.
    rest: Vec<(DVec3, DQuat)>,
    /// The bone of each node; `None` if the node is no bone.
    bone_of: Vec<Option<usize>>,
    /// Node indices, parents before children.
    order: Vec<usize>,
    /// Whether a node takes the scale of its parent axis by axis. `evaluate_transform` loses such scales two levels down.
    inherits_scale: bool,
}

impl FbxRig {
    fn new(scene: &ufbx::Scene, ignored: &mut Vec<String>) -> Result<Self, Error> {
        let moving = moving_nodes(scene);
        let mut order: Vec<usize> = (0..scene.nodes.len()).collect();
        order.sort_by_key(|&node| scene.nodes[node].node_depth);
        let (mut bones, mut names) = (Vec::new(), BTreeSet::new());
        let mut bone_of = vec![None; scene.nodes.len()];
        let mut world = Vec::new();
        for &index in &order {
            let node = &scene.nodes[index];
            let helper = node.is_scale_helper || node.is_geometry_transform_helper || node.is_root;
            if helper || !(node.bone.is_some() || moving[index]) {
                continue;
            }
            let parent = bone_above(node, &bone_of);
            let rest = rigid(affine(&node.node_to_world));
            let (translation, rotation) = parent.map_or(rest, |parent: usize| against(world[parent], rest));
            let name = unique_name(&node.element.name, &mut names, ignored);
            bone_of[index] = Some(bones.len());
            world.push(rest);
            bones.push(Bone { name, parent, translation, rotation, ends: Vec::new() });
        }
        let skeleton = Skeleton::new(bones).map_err(|error| match error {
            muybridge::character::SkeletonError::Empty => Error::new(
                Location::File,
                "the FBX holds neither bones nor animated nodes; export the armature with its animation",
            ),
            other => Error::new(Location::File, other.to_string()),
        })?;
        let inherits_scale = (&scene.nodes).into_iter().any(|node| node.inherit_scale_node.is_some());
        Ok(Self { skeleton, rest: world, bone_of, order, inherits_scale })
    }
}

/// Flags of the nodes that some animation stack moves. Exporters key every node, even the object around an armature, so keys do
/// not count by themselves. If nothing moves, every keyed node counts.
fn moving_nodes(scene: &ufbx::Scene) -> Vec<bool> {
    let mut keyed = vec![false; scene.nodes.len()];
    let mut moving = keyed.clone();
    for stack in &scene.anim_stacks {
        let props = (&stack.layers).into_iter().flat_map(|layer| &layer.anim_props);
        let elements: BTreeSet<u32> = props.map(|animated| animated.element.element_id).collect();
        for (index, node) in (&scene.nodes).into_iter().enumerate() {
            let seen = node.camera.is_none() && node.light.is_none();
            if seen && elements.contains(&node.element.element_id) {
                keyed[index] = true;
                moving[index] = moving[index] || node.bone.is_none() && moves(stack, node);
            }
        }
    }
    let any_bone = (&scene.nodes).into_iter().any(|node| node.bone.is_some());
    if any_bone || moving.contains(&true) { moving } else { keyed }
}

/// Whether a node moves away from its first place at one of 1000 times between begin and end.
fn moves(stack: &ufbx::AnimStack, node: &ufbx::Node) -> bool {
    const TIMES: usize = 1000;
    let at = |k: usize| {
        let time = stack.time_begin + (stack.time_end - stack.time_begin) * k as f64 / TIMES as f64;
        affine(&ufbx::transform_to_matrix(&ufbx::evaluate_transform(&stack.anim, node, time)))
    };
    let first = at(0);
    let scale = 1e-6 * first.matrix3.x_axis.length().max(first.translation.length()).max(1e-12);
    (1..=TIMES).any(|k| !at(k).abs_diff_eq(first, scale))
}

/// The nearest bone above a node.
fn bone_above(node: &ufbx::Node, bone_of: &[Option<usize>]) -> Option<usize> {
    let mut above = node.parent.as_ref();
    while let Some(parent) = above {
        if let Some(bone) = bone_of[parent.element.typed_id as usize] {
            return Some(bone);
        }
        above = parent.parent.as_ref();
    }
    None
}

fn unique_name(name: &str, names: &mut BTreeSet<String>, ignored: &mut Vec<String>) -> String {
    let wanted = if name.is_empty() { "unnamed" } else { name };
    let mut unique = wanted.to_owned();
    let mut count = names.len();
    while !names.insert(unique.clone()) {
        count += 1;
        unique = format!("{wanted} {count}");
    }
    if unique != wanted {
        ignored.push(format!("another bone named “{wanted}” is called “{unique}” here"));
    }
    unique
}

/// Samples one animation stack at the file's frame rate.
fn sample(scene: &ufbx::Scene, rig: &FbxRig, stack: &ufbx::AnimStack, budget: &mut usize) -> Result<Clip, Error> {
    let name = stack.element.name.to_string();
    let rate = whole_rate(scene.settings.frames_per_second);
    let seconds = stack.time_end - stack.time_begin;
    let count = (seconds * rate).round() + 1.0;
    let culprit = |message: String| Error::new(Location::Named(name.clone()), message);
    if !(rate.is_finite() && rate > 0.0 && stack.time_begin.is_finite() && count.is_finite() && count >= 1.0) {
        return Err(culprit(format!("the animation has {rate} frames a second from {} s on", stack.time_begin)));
    }
    let most = *budget / rig.skeleton.len().max(rig.order.len() / 16);
    if count > most as f64 {
        return Err(culprit(format!(
            "the animation lasts {seconds:.1} s, {count:.0} frames, far more than its file holds keys for; cut it before export"
        )));
    }
    let frames = count as usize;
    *budget -= frames * rig.skeleton.len();
    let mut clip = Clip::new(rig.skeleton.len(), frames, 1.0 / rate).map_err(|error| culprit(error.to_string()))?;
    clip.name = name.clone();
    clip.start_time = stack.time_begin;
    for frame in 0..frames {
        pose(scene, rig, &stack.anim, frame, &mut clip).map_err(&culprit)?;
    }
    clip.check_finite().map_err(|error| culprit(error.to_string()))?;
    Ok(clip)
}

/// Rounds a rate within 1e-5 of a whole number to that number: exporters store 29.99997.
fn whole_rate(rate: f64) -> f64 {
    let whole = rate.round();
    if (rate - whole).abs() <= 1e-5 * whole { whole } else { rate }
}

/// Evaluates all nodes at the time of a frame and writes the local transforms of the bones.
fn pose(scene: &ufbx::Scene, rig: &FbxRig, anim: &ufbx::Anim, frame: usize, clip: &mut Clip) -> Result<(), String> {
    let time = clip.time(frame);
    let evaluated = match rig.inherits_scale {
        true => Some(
            ufbx::evaluate_scene(scene, anim, time, Default::default()).map_err(|e| e.description.to_lowercase())?,
        ),
        false => None,
    };
    let mut world = vec![DAffine3::IDENTITY; scene.nodes.len()];
    let mut bones = vec![(DVec3::ZERO, DQuat::IDENTITY); rig.skeleton.len()];
    for &index in &rig.order {
        let node = &scene.nodes[index];
        let above = node.parent.as_ref().map_or(DAffine3::IDENTITY, |parent| world[parent.element.typed_id as usize]);
        world[index] = if let Some(evaluated) = &evaluated {
            affine(&evaluated.nodes[index].node_to_world)
        } else if node.is_root {
            affine(&node.node_to_world)
        } else {
            above * affine(&ufbx::transform_to_matrix(&ufbx::evaluate_transform(anim, node, time)))
        };
        if let Some(bone) = rig.bone_of[index] {
            bones[bone] = rigid(world[index]);
            let parent = rig.skeleton.bones()[bone].parent;
            let (translation, rotation) = parent.map_or(bones[bone], |parent| against(bones[parent], bones[bone]));
            clip.set_translation(bone, frame, translation);
            clip.set_rotation(bone, frame, rotation);
        }
    }
    Ok(())
}

fn affine(m: &ufbx::Matrix) -> DAffine3 {
    let column = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    DAffine3 {
        matrix3: DMat3::from_cols(
            column(m.m00, m.m10, m.m20),
            column(m.m01, m.m11, m.m21),
            column(m.m02, m.m12, m.m22),
        ),
        translation: column(m.m03, m.m13, m.m23),
    }
}

/// Position and rotation without scale, shear and mirroring; no rotation where a scale is zero.
fn rigid(world: DAffine3) -> (DVec3, DQuat) {
    let m = world.matrix3;
    let x = m.x_axis.normalize_or_zero();
    let y = (m.y_axis - x * x.dot(m.y_axis)).normalize_or_zero();
    if x == DVec3::ZERO || y == DVec3::ZERO {
        return (world.translation, DQuat::IDENTITY);
    }
    (world.translation, DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// Transforms a world pose to the frame of the parent's pose.
fn against(parent: (DVec3, DQuat), child: (DVec3, DQuat)) -> (DVec3, DQuat) {
    let into = parent.1.conjugate();
    (into * (child.0 - parent.0), (into * child.1).normalize())
}

/// Describes version, unit and up axis of the file. Unit and axis come from the conversion at the root node.
fn format_in_words(scene: &ufbx::Scene) -> String {
    let version = scene.metadata.version;
    let kind = if scene.metadata.ascii { "text" } else { "binary" };
    let root = affine(&scene.root_node.node_to_world).matrix3;
    let unit = root.x_axis.length();
    let unit = match (unit * 1e6).round() as i64 {
        10_000 => "centimetres".to_owned(),
        1_000_000 => "metres".to_owned(),
        1_000 => "millimetres".to_owned(),
        25_400 => "inches".to_owned(),
        304_800 => "feet".to_owned(),
        _ => format!("units of {unit} m"),
    };
    let up = root.row(1).abs();
    let up = if up.x == up.max_element() {
        "x"
    } else if up.z == up.max_element() {
        "z"
    } else {
        "y"
    };
    format!("FBX {}.{} {kind}, {unit}, {up} up", version / 1000, version % 1000 / 100)
}

/// Notes on contents besides skeleton and animation: meshes, cameras, lights, constraints.
fn unread(scene: &ufbx::Scene) -> Vec<String> {
    let meshes = (&scene.nodes).into_iter().filter(|node| node.mesh.is_some()).count();
    let counts = [("meshes", meshes), ("cameras", scene.cameras.len()), ("lights", scene.lights.len())];
    let mut notes: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{count} {what} not read"))
        .collect();
    let active = (&scene.constraints).into_iter().filter(|constraint| constraint.active);
    let names: Vec<&str> = active.map(|constraint| &*constraint.element.name).collect();
    if !names.is_empty() {
        notes.push(unevaluated(&names, "FBX"));
    }
    notes
}

#[cfg(test)]
mod tests;
