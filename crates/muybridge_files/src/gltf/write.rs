//! Writes a clip back into its document: only one animation changes.
//!
//! The JSON text is edited in place (`splice`), and new numbers are appended to the end of a buffer. Old numbers stay even if
//! nothing refers to them. Node transforms that give the bones the clip's poses are found by undoing the scales of their parents
//! (`placement`).

use muybridge::character::Skeleton;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Clip, WorldMotion};

use super::accessor::Accessors;
use super::animation::Curves;
use super::channels::{Channels, SamplerAccessors};
use super::document::GltfDocument;
use super::edit::GltfEdit;
use super::import::{NodePoses, budget};
use super::placement::NodeLocal;
use super::scene::BoneScene;
use super::track::{Interpolation, Property};
use crate::output::SideFile;
use crate::{Error, Location};

/// A document written as bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenGltf {
    /// The `.glb` or `.gltf` file.
    pub file: Vec<u8>,
    /// Buffer files beside it, by relative URI.
    pub beside: Vec<SideFile>,
    /// Notes on losses, one sentence each.
    pub notes: Vec<String>,
}

/// Replaces animation `animation` by `clip`, a clip of the skeleton that [`super::import`](fn@super::import) returned.
///
/// Bones get rotation and translation keys at the frames of the clip if they had such curves, or if the clip moves them away
/// from rest. Scales, morph weights and curves of other nodes stay. Lengths are in file units.
pub fn with_motion(
    document: &GltfDocument,
    animation: usize,
    skeleton: &Skeleton,
    clip: &Clip,
) -> Result<WrittenGltf, Error> {
    let scene = BoneScene::new(document)?;
    check_same_skeleton(&scene, skeleton, clip)?;
    let root = document.root();
    let at = root.animation(animation)?;
    let accessors = Accessors::new(document, budget(document));
    let curves = Curves::new(&at, &scene, &accessors)?;
    let locals = placed(&scene, &curves, skeleton, clip);
    rewrite(document, animation, clip, &scene, &curves, &locals)
}

fn check_same_skeleton(scene: &BoneScene, skeleton: &Skeleton, clip: &Clip) -> Result<(), Error> {
    let own = scene.skeleton.as_ref().map_or(&[][..], Skeleton::bones);
    if own.len() != skeleton.len() || clip.bones() != skeleton.len() {
        let message = format!("a clip of {} bones; the file has {} bones", clip.bones(), own.len());
        return Err(Error::new(Location::Path("/nodes".into()), message));
    }
    match own.iter().zip(skeleton.bones()).find(|(a, b)| a.name != b.name || a.parent != b.parent) {
        Some((a, b)) => {
            let message =
                format!("the clip has “{}” where the file has “{}”; it is of another skeleton", b.name, a.name);
            Err(Error::new(Location::Named(a.name.clone()), message))
        }
        None => Ok(()),
    }
}

/// Node transforms of all bones, bone by bone and frame by frame, that give the poses of the clip.
fn placed(scene: &BoneScene, curves: &Curves, skeleton: &Skeleton, clip: &Clip) -> Vec<Vec<NodeLocal>> {
    let world = WorldMotion::new(skeleton, clip);
    let mut stage = NodePoses::new(scene);
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
                let last: Option<&NodeLocal> = placed[bone].last();
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

/// Writes an animation with the node transforms `locals`.
fn rewrite(
    document: &GltfDocument,
    animation: usize,
    clip: &Clip,
    scene: &BoneScene,
    curves: &Curves,
    locals: &[Vec<NodeLocal>],
) -> Result<WrittenGltf, Error> {
    let mut edit = GltfEdit::new(document);
    let shift = clip.start_time.min(0.0);
    if shift < 0.0 {
        edit.notes.push(format!("the clip began at {shift} s; it begins at 0 s now, as glTF has no earlier times"));
    }
    let times = edit.keys.times((0..clip.frames()).map(|frame| clip.time(frame) - shift))?;
    let curve = |output: usize| SamplerAccessors { input: times, output, interpolation: Interpolation::Linear };
    let mut channels = Channels::new(document, animation);
    for (bone, &node) in scene.node_of_bone.iter().enumerate() {
        let wanted = |property: Property| {
            let had = curves.tracks.iter().any(|t| t.bone == bone && t.property == property);
            had || moved(property, &scene.local[node], &locals[bone])
        };
        let (shifts, turns) = (wanted(Property::Translation), wanted(Property::Rotation));
        if !(shifts || turns) || !edit.free_of_matrix(node, &scene.local[node]) {
            continue;
        }
        if shifts {
            let output = edit.keys.pack("VEC3", locals[bone].iter().flat_map(|l| l.translation.to_array()))?;
            channels.set(node, "translation", curve(output));
        }
        if turns {
            let output = edit.keys.pack("VEC4", locals[bone].iter().flat_map(|l| l.rotation.to_array()))?;
            channels.set(node, "rotation", curve(output));
        }
    }
    channels.write(&mut edit.splice, animation);
    edit.finish()
}

/// Whether a bone moves away from rest, beyond rounding.
fn moved(property: Property, rest: &NodeLocal, frames: &[NodeLocal]) -> bool {
    let turned = |l: &NodeLocal| {
        let by: DQuat = rest.rotation.conjugate() * l.rotation;
        DVec3::new(by.x, by.y, by.z).length() > 1e-7
    };
    let shifted = |l: &NodeLocal| l.translation.distance(rest.translation) > 1e-9 + 1e-6 * rest.translation.length();
    frames.iter().any(|l| if property == Property::Rotation { turned(l) } else { shifted(l) })
}
