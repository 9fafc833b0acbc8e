//! Writes a correction into the keys of a glTF: curves of changed bones get new keys at the changed frames.
//!
//! ```text
//! parents with one scale s for all axes:   t_node' = t_node + Δ/s,   q_node' = q'
//! others:                                  the node is placed so that its bone gets the corrected pose (`placement`)
//! ```
//! A changed frame with a key gets a new value. A changed frame without a key gets one, and so do its neighbors, on the old
//! curve. All other keys stay bit for bit, but keys strictly between two frames are dropped if one of the frames changes, because
//! the correction does not define them.

use std::collections::BTreeMap;

use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;

use super::accessor::Accessors;
use super::animation::Curves;
use super::channels::{Channels, SamplerAccessors};
use super::curve::{KeyCurve, SplinePart};
use super::document::GltfDocument;
use super::edit::GltfEdit;
use super::import::{NodePoses, budget};
use super::placement::NodeLocal;
use super::scene::BoneScene;
use super::target::ChannelTarget;
use super::track::{Interpolation, Property};
use super::tree::JsonNode;
use super::write::WrittenGltf;
use crate::rewrite::ClipChange;
use crate::{Error, Location};

/// Greatest distance of a key from its frame, as a share of the frame time; the reader uses the same.
pub(super) const ON_FRAME: f64 = 0.02;

/// Writes the corrected frames into animation `animation`; `clip` is the clip read from it, in file units.
pub(crate) fn corrected(
    document: &GltfDocument,
    animation: usize,
    clip: &Clip,
    change: &ClipChange,
) -> Result<WrittenGltf, Error> {
    let scene = BoneScene::new(document)?;
    let root = document.root();
    let at = root.animation(animation)?;
    let accessors = Accessors::new(document, budget(document));
    let curves = Curves::new(&at, &scene, &accessors)?;
    let changed = changed_nodes(&scene, &curves, clip, change)?;
    let mut edit = GltfEdit::new(document);
    let mut channels = Channels::new(document, animation);
    for (bone, frames) in changed.iter().enumerate().filter(|(_, frames)| !frames.is_empty()) {
        let node = scene.node_of_bone[bone];
        let rest = &scene.local[node];
        if !edit.free_of_matrix(node, rest) {
            let message = "the bone is placed by a sheared matrix, which cannot be animated; protect this bone";
            return Err(Error::new(Location::Named(name_of(&scene, bone)), message));
        }
        for property in [Property::Translation, Property::Rotation] {
            if let Some(values) = values_of(frames, property) {
                let curve = existing(&at, node, property, &accessors)?;
                let new = new_keys(curve, &values, clip, rest, property);
                channels.set(node, path(property), packed(&mut edit, &new)?);
            }
        }
    }
    channels.write(&mut edit.splice, animation);
    edit.finish()
}

/// Old and new node transform by frame.
type NodeFrames = BTreeMap<usize, (NodeLocal, NodeLocal)>;

/// For each bone, the frames whose node transform must differ from its curves.
fn changed_nodes(
    scene: &BoneScene,
    curves: &Curves,
    clip: &Clip,
    change: &ClipChange,
) -> Result<Vec<NodeFrames>, Error> {
    let mut changed: Vec<NodeFrames> = vec![NodeFrames::new(); clip.bones()];
    let mut stage = NodePoses::new(scene);
    let rest = stage.locals.clone();
    let mut cursors = vec![0; curves.tracks.len()];
    let parents: Vec<Option<usize>> =
        scene.node_of_bone.iter().map(|&node| scene.parent[node].and_then(|p| scene.bone_of_node[p])).collect();
    for frame in 0..clip.frames() {
        stage.locals.copy_from_slice(&rest);
        curves.apply(clip.time(frame), ON_FRAME * clip.frame_time, &mut cursors, &mut stage.locals);
        let mut moved = vec![false; clip.bones()];
        for bone in 0..clip.bones() {
            let old = stage.locals[bone];
            let above_moved = parents[bone].is_some_and(|parent| moved[parent]);
            let new = new_local(&stage, bone, above_moved, clip, frame, change)
                .ok_or_else(|| unreachable_bone(scene, bone, frame))?;
            if new != old {
                changed[bone].insert(frame, (old, new));
            }
            moved[bone] = above_moved || new != old;
            stage.locals[bone] = new;
            stage.worlds[bone] = stage.above(bone).child(&new);
        }
    }
    Ok(changed)
}

/// The node transform that gives its bone the corrected pose; `None` if there is no such transform.
fn new_local(
    stage: &NodePoses,
    bone: usize,
    above_moved: bool,
    clip: &Clip,
    frame: usize,
    change: &ClipChange,
) -> Option<NodeLocal> {
    let (above, old) = (stage.above(bone), stage.locals[bone]);
    let (shift, turn) = (change.shift(bone, frame), change.rotation(bone, frame));
    let simple = old.shear.is_none() && old.scale.min_element() > 0.0;
    if let (Some(scale), true) = (above.uniform, simple) {
        let mut new = old;
        if let Some(shift) = shift {
            new.translation += shift / scale;
        }
        if let Some(turn) = turn {
            new.rotation = unless_the_same(old.rotation, turn);
        }
        return Some(new);
    }
    if shift.is_none() && turn.is_none() && !above_moved {
        return Some(old);
    }
    let translation = clip.translation(bone, frame) + shift.unwrap_or(DVec3::ZERO);
    let rotation = turn.unwrap_or(clip.rotation(bone, frame));
    let (position, facing) = (above.position + above.rotation * translation, above.rotation * rotation);
    let placed = above.placing(&old, position, facing.normalize());
    let Some(mut new) = placed else { return (shift.is_none() && turn.is_none()).then_some(old) };
    new.rotation = unless_the_same(old.rotation, new.rotation);
    if new.translation.distance(old.translation) <= 1e-10 * (1.0 + old.translation.length()) {
        new.translation = old.translation;
    }
    Some(new)
}

fn unreachable_bone(scene: &BoneScene, bone: usize, frame: usize) -> Error {
    let message =
        format!("a parent is scaled to nothing in frame {frame}, so that this bone cannot be moved; protect it");
    Error::new(Location::Named(name_of(scene, bone)), message)
}

fn name_of(scene: &BoneScene, bone: usize) -> String {
    scene.skeleton.as_ref().map_or(String::new(), |skeleton| skeleton.bones()[bone].name.clone())
}

/// Greatest angle between rotations that are taken as equal, radians: far below the rounding of 32-bit floats.
const SAME_TURN: f64 = 1e-11;

/// Of the two quaternions of `rotation`, the nearer to `other`; `other` itself if both are the same rotation.
fn unless_the_same(other: DQuat, rotation: DQuat) -> DQuat {
    let by = other.conjugate() * rotation;
    if 2.0 * DVec3::new(by.x, by.y, by.z).length() < SAME_TURN {
        return other;
    }
    if rotation.dot(other) < 0.0 { -rotation } else { rotation }
}

/// New values of a property at the frames where it changes; `None` if it never changes.
fn values_of(frames: &NodeFrames, property: Property) -> Option<BTreeMap<usize, Vec<f64>>> {
    let numbers = |local: &NodeLocal| match property {
        Property::Rotation => local.rotation.to_array().to_vec(),
        _ => local.translation.to_array().to_vec(),
    };
    let pairs = frames.iter().map(|(&frame, (old, new))| (frame, numbers(old), numbers(new)));
    let values: BTreeMap<_, _> = pairs.filter(|(_, old, new)| old != new).map(|(frame, _, new)| (frame, new)).collect();
    (!values.is_empty()).then_some(values)
}

fn path(property: Property) -> &'static str {
    if property == Property::Rotation { "rotation" } else { "translation" }
}

/// A curve already in the file, with its accessors.
struct ExistingSampler {
    curve: KeyCurve,
    keys_in_file: usize,
    input: usize,
}

/// The curve of the first channel that moves `property` of `node`, as in reading; `None` if there is none.
fn existing(
    animation: &JsonNode,
    node: usize,
    property: Property,
    accessors: &Accessors,
) -> Result<Option<ExistingSampler>, Error> {
    let wanted = ChannelTarget { node: Some(node), path: path(property) };
    let mut channels = animation.list("channels")?.into_iter();
    let Some(channel) = channels.find(|channel| ChannelTarget::of(channel.value) == wanted) else {
        return Ok(None);
    };
    let samplers = animation.list("samplers")?;
    let sampler = &samplers[channel.need("sampler")?.non_negative_integer()?];
    let input = sampler.need("input")?.non_negative_integer()?;
    let keys_in_file = accessors.numbers(input)?.len();
    let curve = KeyCurve::read(sampler, accessors, property == Property::Rotation)?;
    Ok(curve.map(|curve| ExistingSampler { curve, keys_in_file, input }))
}

/// A curve with new keys; `input` is the accessor of its times if these stay.
struct NewKeys {
    curve: KeyCurve,
    input: Option<usize>,
}

fn new_keys(
    existing: Option<ExistingSampler>,
    values: &BTreeMap<usize, Vec<f64>>,
    clip: &Clip,
    rest: &NodeLocal,
    property: Property,
) -> NewKeys {
    let Some(ExistingSampler { mut curve, keys_in_file, input }) = existing else {
        let times = (0..clip.frames()).map(|frame| clip.time(frame)).collect();
        let mut curve = match property {
            Property::Rotation => KeyCurve::constant(times, &rest.rotation.to_array(), true),
            _ => KeyCurve::constant(times, &rest.translation.to_array(), false),
        };
        values.iter().for_each(|(&frame, value)| curve.part_mut(frame, SplinePart::Value).copy_from_slice(value));
        return NewKeys { curve, input: None };
    };
    let before = curve.times.clone();
    set_frames(&mut curve, values, clip);
    let same = curve.times == before && before.len() == keys_in_file;
    NewKeys { curve, input: same.then_some(input) }
}

/// Sets these values at these frames of the curve.
fn set_frames(curve: &mut KeyCurve, values: &BTreeMap<usize, Vec<f64>>, clip: &Clip) {
    let near = ON_FRAME * clip.frame_time;
    let around = |&frame: &usize| [frame.wrapping_sub(1), frame, frame + 1];
    let frames: Vec<usize> = values.keys().flat_map(around).filter(|&frame| frame < clip.frames()).collect();
    for &frame in &frames {
        curve.insert(clip.time(frame), near);
    }
    drop_between(curve, values, clip);
    let old = curve.clone();
    let key = |frame: usize| old.key_at(clip.time(frame), near);
    let off = |frame: usize| -> Option<Vec<f64>> {
        let (new, key) = (values.get(&frame)?, key(frame)?);
        Some(new.iter().zip(old.part(key, SplinePart::Value)).map(|(new, old)| new - old).collect())
    };
    for (&frame, value) in values {
        let Some(key) = key(frame) else { continue };
        curve.part_mut(key, SplinePart::Value).copy_from_slice(value);
    }
    if curve.interpolation != Interpolation::CubicSpline {
        return;
    }
    for frame in frames.into_iter().collect::<std::collections::BTreeSet<_>>() {
        let Some(key) = key(frame) else { continue };
        let (before, after) = (frame.checked_sub(1).and_then(off), off(frame + 1));
        let part = |side: &Option<Vec<f64>>, i: usize| side.as_ref().map_or(0.0, |off| off[i]);
        let changes = values.contains_key(&frame);
        for i in 0..curve.width {
            let slope = (part(&after, i) - part(&before, i)) / (2.0 * clip.frame_time);
            // Beside corrected frames, the curve keeps its old tangent on the other side.
            if changes || before.is_some() {
                curve.part_mut(key, SplinePart::Arriving)[i] += slope;
            }
            if changes || after.is_some() {
                curve.part_mut(key, SplinePart::Leaving)[i] += slope;
            }
        }
    }
}

/// Drops the keys between two frames if one of the frames changes.
fn drop_between(curve: &mut KeyCurve, values: &BTreeMap<usize, Vec<f64>>, clip: &Clip) {
    for key in (0..curve.times.len()).rev() {
        let at = (curve.times[key] - clip.start_time) / clip.frame_time;
        if (at - libm::round(at)).abs() <= ON_FRAME || at < 0.0 {
            continue;
        }
        let frame = at as usize;
        if values.contains_key(&frame) || values.contains_key(&(frame + 1)) {
            curve.remove(key);
        }
    }
}

/// Appends the keys of a curve to the buffer.
fn packed(edit: &mut GltfEdit, new: &NewKeys) -> Result<SamplerAccessors, Error> {
    let curve = &new.curve;
    let input = match new.input {
        Some(input) => input,
        None => edit.keys.times(curve.times.iter().copied())?,
    };
    let kind = if curve.turns { "VEC4" } else { "VEC3" };
    let output = edit.keys.pack(kind, curve.values.iter().copied())?;
    Ok(SamplerAccessors { input, output, interpolation: curve.interpolation })
}
