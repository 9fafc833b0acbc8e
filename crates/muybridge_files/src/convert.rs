//! Converts an opened file to the bytes of BVH, glTF, GLB, VRMA or OBJ, with notes on losses.
//!
//! ```text
//! BVH → BVH     the document: its numbers if the motion does not change; names, orders and End Sites always
//! glTF → glTF   the document with new keys where the motion changes; meshes and all else stay
//! any → glTF    skeleton and clips, meters, y up
//! any → VRMA    the humanoid bones of one clip, meters, y up
//! any → BVH     skeleton and one clip, centimeters by default, y up
//! any → OBJ     the skin in one frame, meters, y up
//! ```
//! BVH has no rest rotations: its rest pose is that of angles 0. To keep the skeleton's rest pose, every bone frame is aligned
//! with the world at rest, with `W` the world orientation of a bone at rest:
//!
//! ```text
//! t' = W_parent t,   q' = W_parent q W_bone⁻¹,   end' = W_bone end         joint positions do not change
//! ```
//! Bones at a constant place against their parent, up to rounding of 32-bit floats, get exactly that place as OFFSET, and no
//! position channels.

use muybridge::analysis::ScaledQuantity;
use muybridge::character::units::{self, Stated, Units};
use muybridge::character::{self, Bone, Role, RoleMap, Skeleton};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{Axis, Clip, WorldMotion, conform_clip, conform_skeleton};
use muybridge::simulation::Recording;
use muybridge::skinning::SkinnedMesh;
use std::borrow::Cow;

use crate::formats::FileFormat;
use crate::mesh::obj_writer::ObjText;
use crate::open::{Opened, SourceDocument};
use crate::output::SideFile;
use crate::prepare::unit_in_words;
use crate::recording_gltf::WrittenRecording;
use crate::scene::Skins;
use crate::{Error, Imported, Location, bvh, gltf, magnitude};

/// Writes skeleton and clips into new files.
type NewFilesWriter = fn(ConformedMotion, &Conversion, &mut Vec<String>) -> Result<Vec<Converted>, Error>;
/// Writes clips of a file into the document that they come from.
type DocumentWriter = fn(&Opened, &[usize], &Conversion) -> Option<Result<Conversions, Error>>;
/// Writes a whole simulated run, with the skins of its characters.
type RunWriter = fn(&Recording, &Skins) -> Result<WrittenRecording, Error>;

/// The functions that write clips in a format.
#[derive(Clone, Copy)]
pub(crate) struct MotionWriter {
    /// Writes skeleton and clips into new files. Adds to the notes, one sentence each.
    pub new_files: NewFilesWriter,
    /// Writes the clips with the chosen indices, and keeps everything else of the document that they come from; `None`
    /// where that document cannot become a file of the format.
    pub kept: DocumentWriter,
    /// Writes a whole simulated run; `None` where a file holds one clip of one character.
    pub run: Option<RunWriter>,
    /// Whether [`Conversion::out_unit`] says in which unit lengths are written.
    pub has_own_unit: bool,
}

/// Options of a conversion; empty fields keep what the file has.
#[derive(Clone, Debug, Default)]
pub struct Conversion {
    /// Name for a clip that has none.
    pub title: String,
    /// Name of the only clip to convert; `None` converts all.
    pub clip: Option<String>,
    /// First and last frame to convert, both included; `None` converts all.
    pub frames: Option<(usize, usize)>,
    /// Roles by bone name; they override inferred roles.
    pub roles: Vec<(Role, String)>,
    /// Meters per unit of the source; `None` is as stated or inferred.
    pub unit: Option<f64>,
    /// The axis that points up in the source; `None` is as stated or inferred.
    pub up: Option<Axis>,
    /// Meters per unit of a BVH to write; `None` is the default.
    pub out_unit: Option<f64>,
    /// Factor of the size, by dynamic similarity: times grow by its root, so that falls stay falls (S29). `None` keeps the
    /// size.
    pub resize: Option<f64>,
}

/// The files of a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversions {
    /// One file, or one for each clip if the format holds only one.
    pub files: Vec<Converted>,
    /// Notes on losses and assumptions that concern all files, one sentence each.
    pub notes: Vec<String>,
}

/// One converted file.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The clip in the file; `None` if the file has all clips that were asked for.
    pub clip: Option<String>,
    /// Bytes of the file.
    pub file: Vec<u8>,
    /// Buffer files beside it, by relative name.
    pub beside: Vec<SideFile>,
    /// Notes on losses, one sentence each.
    pub notes: Vec<String>,
}

/// Default meters per unit of a BVH: centimeters, as animation tools expect.
pub const BVH_UNIT: f64 = 0.01;

/// Converts an opened file. Errors name the clip or bone; the error for an unknown clip name lists the names of the clips,
/// that for a format which is not written says what to write instead.
pub fn convert(opened: &Opened, format: &FileFormat, how: &Conversion) -> Result<Conversions, Error> {
    let writer = format.writer()?;
    let chosen = chosen(&opened.imported, how)?;
    // A document holds all characters.
    let kept = if opened.imported.character.is_empty() { (writer.kept)(opened, &chosen, how) } else { None };
    kept.unwrap_or_else(|| {
        let mut motion = ConformedMotion::new(&opened.imported, &chosen, how)?;
        match writer.run.is_some() {
            true => motion.take_meshes(opened)?,
            false => motion.notes.extend(without_meshes(&opened.document)),
        }
        motion.write(writer, how)
    })
}

/// Writes a skeleton and clips without a source file, such as those of a simulation.
pub fn write(imported: &Imported, format: &FileFormat, how: &Conversion) -> Result<Conversions, Error> {
    ConformedMotion::new(imported, &chosen(imported, how)?, how)?.write(format.writer()?, how)
}

/// Indices of the clips with the requested name, or of all clips.
fn chosen(imported: &Imported, how: &Conversion) -> Result<Vec<usize>, Error> {
    let clips = &imported.clips;
    let Some(name) = &how.clip else { return Ok((0..clips.len()).collect()) };
    let found: Vec<usize> = (0..clips.len()).filter(|&index| clips[index].name == *name).collect();
    if found.is_empty() {
        let names: Vec<String> = clips.iter().map(|clip| format!("“{}”", clip.name)).collect();
        let message = format!("no clip is named “{name}”; there are {}", names.join(", "));
        return Err(Error::new(Location::File, message));
    }
    Ok(found)
}

/// Cuts a clip to the requested frames; their times stay.
fn cut(clip: &Clip, frames: Option<(usize, usize)>) -> Result<Cow<'_, Clip>, Error> {
    magnitude::check_clip(clip)?;
    let Some((first, last)) = frames else { return Ok(Cow::Borrowed(clip)) };
    if first >= clip.frames() {
        let (name, count) = (&clip.name, clip.frames());
        let message = format!("frame {first} is asked for, but the clip “{name}” has {count}, counted from 0");
        return Err(Error::new(Location::File, message));
    }
    Ok(Cow::Owned(clip.cut(first, last.min(clip.frames() - 1) + 1)))
}

/// Converts a BVH to a BVH.
pub(crate) fn kept_bvh(opened: &Opened, _: &[usize], how: &Conversion) -> Option<Result<Conversions, Error>> {
    let SourceDocument::Bvh(document) = &opened.document else { return None };
    Some(same_bvh(document, opened, how))
}

fn same_bvh(document: &bvh::BvhDocument, opened: &Opened, how: &Conversion) -> Result<Conversions, Error> {
    let imported = &opened.imported;
    let clip = cut(&imported.clips[0], how.frames)?;
    let mut notes = Vec::new();
    let changed = if how.out_unit.is_some() || how.up.is_some() || how.resize.is_some() {
        let motion = ConformedMotion::new(imported, &[0], how)?;
        notes = motion.notes.clone();
        rescaled(document, motion, how)?
    } else if is_resampled(document, opened) {
        bvh::with_motion(document, &clip)?
    } else if clip.frames() < document.frames() {
        let (first, _) = how.frames.unwrap_or((0, 0));
        let rows = (first..first + clip.frames()).flat_map(|frame| document.row(frame).iter().copied()).collect();
        bvh::BvhDocument::new(document.joints().to_vec(), document.frame_time_text().into(), rows)?
    } else {
        document.clone()
    };
    if how.unit.is_some() && how.out_unit.is_none() {
        notes.push("a BVH keeps its unit in a BVH; say which unit to write with --out-unit".into());
    }
    let file = bvh::write(&changed).into_bytes();
    let written = Converted { clip: None, file, beside: Vec::new(), notes: changed.notes().to_vec() };
    Ok(Conversions { files: vec![written], notes })
}

/// Converts the document to another unit, y up; names, channels and their orders stay.
fn rescaled(document: &bvh::BvhDocument, motion: ConformedMotion, how: &Conversion) -> Result<bvh::BvhDocument, Error> {
    let scale = 1.0 / how.out_unit.unwrap_or(motion.units.meters_per_unit);
    let (skeleton, clips) = turned_like_the_world(motion.skeleton, motion.clips)?;
    let skeleton = conform_skeleton(&skeleton, scale, Axis::Y);
    let clip = conform_clip(&skeleton, &clips[0], scale, Axis::Y);
    let mut joints = document.joints().to_vec();
    for (joint, bone) in joints.iter_mut().zip(skeleton.bones()) {
        joint.offset = bone.translation;
        joint.ends.clone_from(&bone.ends);
    }
    let time = document.frame_time_text().to_string();
    let rows = (0..document.frames()).flat_map(|frame| document.row(frame).iter().copied()).collect();
    bvh::with_motion(&bvh::BvhDocument::new(joints, time, rows)?, &clip)
}

/// Whether the clip has other frames than the document, because another rate was asked for.
fn is_resampled(document: &bvh::BvhDocument, opened: &Opened) -> bool {
    let is_other_rate = |fps: f64| (document.frame_time() * fps - 1.0).abs() >= 1e-9;
    opened.source.fps.is_some_and(|fps| is_other_rate(fps) || opened.imported.clips[0].frames() != document.frames())
}

/// A glTF as glTF, binary or text, with its meshes and everything else in it. `None` where a person corrects its unit or
/// axis or changes its size, which nodes outside the skeleton would not follow.
pub(crate) fn kept_gltf(
    opened: &Opened,
    chosen: &[usize],
    binary: bool,
    how: &Conversion,
) -> Option<Result<Conversions, Error>> {
    let SourceDocument::Gltf(document) = &opened.document else { return None };
    let is_kept = how.unit.is_none() && how.up.is_none() && how.resize.is_none();
    is_kept.then(|| same_gltf(document, opened, chosen, binary, how))
}

/// A VRMA as VRMA; `None` where its roles are replaced, or where its bones do not hang from hips that stand at rest.
pub(crate) fn kept_vrma(opened: &Opened, chosen: &[usize], how: &Conversion) -> Option<Result<Conversions, Error>> {
    let SourceDocument::Gltf(document) = &opened.document else { return None };
    let is_vrma = document.json().pointer("/extensions/VRMC_vrm_animation").is_some();
    (is_vrma && how.roles.is_empty() && hangs_from_hips(&opened.imported))
        .then(|| kept_gltf(opened, chosen, true, how))?
}

/// Whether the hips are above all other humanoid bones, and above the ground at rest.
fn hangs_from_hips(imported: &Imported) -> bool {
    let bones = imported.skeleton.bones();
    let Some(&(hips, _)) = imported.roles.iter().find(|(_, role)| *role == Role::Hips) else { return false };
    let is_below =
        |&(bone, _): &(usize, Role)| std::iter::successors(Some(bone), |&at| bones[at].parent).any(|at| at == hips);
    imported.skeleton.rest_pose()[hips].0.y > 0.0 && imported.roles.iter().all(is_below)
}

fn same_gltf(
    document: &gltf::GltfDocument,
    opened: &Opened,
    chosen: &[usize],
    binary: bool,
    how: &Conversion,
) -> Result<Conversions, Error> {
    let imported = &opened.imported;
    let animations = gltf::animations_of_clips(document)?;
    let (mut current, mut notes) = (document.clone(), Vec::new());
    if opened.source.fps.is_some() || how.frames.is_some() {
        for &index in chosen {
            let Some(&animation) = animations.get(index) else { continue };
            let clip = cut(&imported.clips[index], how.frames)?;
            let written = gltf::with_motion(&current, animation, &imported.skeleton, &clip)?;
            current = gltf::reopened(&current, &written)?;
            notes.extend(written.notes);
        }
    }
    if how.frames.is_some() {
        notes.push("the frames keep their times; curves of scales, shapes and other nodes keep all their keys".into());
    }
    let kept: Vec<usize> = chosen.iter().filter_map(|&index| animations.get(index).copied()).collect();
    let keep = how.clip.is_some().then_some(kept.as_slice());
    let written = gltf::repack(&current, binary, keep)?;
    notes.extend(written.notes);
    let file = Converted { clip: None, file: written.file, beside: written.beside, notes: Vec::new() };
    Ok(Conversions { files: vec![file], notes })
}

/// Note that meshes are left out; `None` if the file has none.
fn without_meshes(document: &SourceDocument) -> Option<String> {
    let SourceDocument::Gltf(document) = document else { return None };
    let meshes = document.json()["meshes"].as_array().map_or(0, Vec::len);
    let sentence = format!("only bones and their motion are written; {meshes} meshes are left out");
    (meshes > 0).then_some(sentence)
}

/// Skeleton and clips in meters, y up.
pub(crate) struct ConformedMotion {
    skeleton: Skeleton,
    clips: Vec<Clip>,
    /// Meshes that the bones move; empty where they are not asked for.
    meshes: Vec<SkinnedMesh>,
    roles: RoleMap,
    units: Units,
    /// Size of the written character over that in the file.
    size: f64,
    notes: Vec<String>,
}

impl ConformedMotion {
    fn new(imported: &Imported, chosen: &[usize], how: &Conversion) -> Result<Self, Error> {
        let roles = roles(imported, how)?;
        let stated = Stated {
            format: imported.meters_per_unit,
            format_up: imported.up,
            unit: how.unit,
            up: how.up,
            height: None,
        };
        let units = units::infer(&imported.skeleton, &imported.clips[chosen[0]], &roles, &stated);
        let (meters, up) = (units.meters_per_unit, units.up);
        magnitude::check_unit(meters)?;
        let size = how.resize.unwrap_or(1.0);
        let (lengths, times) = (size * meters, ScaledQuantity::Time.scale(size));
        let skeleton = conform_skeleton(&imported.skeleton, lengths, up);
        let mut clips = Vec::with_capacity(chosen.len());
        for &index in chosen {
            let cut = cut(&imported.clips[index], how.frames)?;
            let mut clip = conform_clip(&imported.skeleton, &cut, lengths, up);
            clip.frame_time *= times;
            clip.start_time *= times;
            if how.frames.is_some() {
                clip.start_time = 0.0;
            }
            if clip.name.is_empty() {
                clip.name.clone_from(&how.title);
            }
            magnitude::check_motion(&skeleton, &clip)?;
            clips.push(clip);
        }
        let mut notes = reading_notes(imported, chosen);
        if imported.meters_per_unit != Some(meters) || imported.up != Some(up) {
            notes.push(format!("{}; {} is up ({})", unit_in_words(&units), up.name(), units.up_source));
        }
        notes.extend(units.suspicious.clone());
        if how.resize.is_some() {
            let rate = clips.first().map_or(0.0, |clip| 1.0 / clip.frame_time);
            notes.push(format!(
                "{size} times as large and {times:.4} times as slow, at {rate:.2} frames per second; convert the result \
                 with --fps for another rate"
            ));
        }
        Ok(Self { skeleton, clips, meshes: Vec::new(), roles, units, size, notes })
    }

    /// Reads the meshes of the file, to be written with the bones.
    fn take_meshes(&mut self, opened: &Opened) -> Result<(), Error> {
        let (meshes, notes) = opened.skinned_meshes()?;
        self.meshes = meshes.into_iter().map(|mesh| mesh.scaled(self.size * self.units.meters_per_unit)).collect();
        self.notes.extend(notes);
        Ok(())
    }

    fn write(mut self, writer: &MotionWriter, how: &Conversion) -> Result<Conversions, Error> {
        let mut notes = std::mem::take(&mut self.notes);
        let mut files = (writer.new_files)(self, how, &mut notes)?;
        said_once(&mut files, &mut notes);
        Ok(Conversions { files, notes })
    }
}

/// A new BVH for each clip.
pub(crate) fn new_bvh(
    motion: ConformedMotion,
    how: &Conversion,
    notes: &mut Vec<String>,
) -> Result<Vec<Converted>, Error> {
    notes.push(match how.out_unit {
        Some(meters) => format!("lengths are written in units of {meters} m, y up"),
        None => "lengths are written in centimetres, y up; --out-unit writes another unit".into(),
    });
    let (skeleton, clips) = turned_like_the_world(motion.skeleton, motion.clips)?;
    let options = bvh::ExportOptions { scale: 1.0 / how.out_unit.unwrap_or(BVH_UNIT), ..Default::default() };
    let write = |clip: Clip| {
        let (skeleton, clip) = stilled(&skeleton, clip)?;
        let document = bvh::export(&skeleton, &clip, &options)?;
        let name = clip.name.clone();
        // The text is as large as the clip.
        drop(clip);
        let file = bvh::write(&document).into_bytes();
        let notes = document.notes().to_vec();
        Ok(Converted { clip: Some(name), file, beside: Vec::new(), notes })
    };
    clips.into_iter().map(write).collect()
}

/// One new glTF, binary or text, with all clips and meshes.
pub(crate) fn new_gltf(motion: ConformedMotion, binary: bool) -> Result<Vec<Converted>, Error> {
    let ConformedMotion { skeleton, clips, meshes, .. } = &motion;
    let file = gltf::export_skinned(skeleton, clips, meshes, gltf::ExportOptions { binary })?;
    Ok(vec![Converted { clip: None, file, beside: Vec::new(), notes: Vec::new() }])
}

/// A new OBJ for each clip: the skin in its first frame. The error says that there is none.
pub(crate) fn new_obj(
    motion: ConformedMotion,
    how: &Conversion,
    notes: &mut Vec<String>,
) -> Result<Vec<Converted>, Error> {
    let ConformedMotion { skeleton, clips, meshes, .. } = &motion;
    if meshes.is_empty() {
        let message = "an OBJ holds the skin of a character in one frame, and this file has no skin; write .glb for bones and \
                       motion";
        return Err(Error::new(Location::File, message));
    }
    let frame = how.frames.map_or(0, |(first, _)| first);
    notes.push(format!("an OBJ holds the skin in one frame: frame {frame}; --frames K..K chooses another"));
    let write = |clip: &Clip| {
        let world = WorldMotion::new(skeleton, &clip.cut(0, 1));
        let pose: Vec<(DVec3, DQuat)> =
            (0..skeleton.len()).map(|bone| (world.position(bone, 0), world.rotation(bone, 0))).collect();
        let (mut text, mut points) = (ObjText::default(), Vec::new());
        for mesh in meshes {
            mesh.pose_points(&pose, &mut points);
            text.add(&mesh.name, &points, &mesh.triangles);
        }
        Ok(Converted { clip: Some(clip.name.clone()), file: text.finish(), beside: Vec::new(), notes: Vec::new() })
    };
    clips.iter().map(write).collect()
}

/// A new VRMA for each clip. The error names the roles that are needed and missing.
pub(crate) fn new_vrma(motion: ConformedMotion) -> Result<Vec<Converted>, Error> {
    let ConformedMotion { skeleton, clips, roles, .. } = &motion;
    let missing = |role: &Role| roles.bone_of(*role).is_none();
    if missing(&Role::Hips) {
        let names: Vec<&str> = gltf::required().into_iter().filter(missing).map(Role::name).collect();
        let message = format!(
            "a VRMA moves a humanoid, and no bone is known as its {}; name them in a file of lines like \
             hips = \"Pelvis\" and give it with --roles",
            names.join(", ")
        );
        return Err(Error::new(Location::File, message));
    }
    let pairs: Vec<(usize, Role)> =
        roles.roles.iter().enumerate().filter_map(|(bone, role)| Some((bone, (*role)?))).collect();
    let write = |clip: &Clip| {
        let (file, notes) = gltf::export_vrma(skeleton, &pairs, clip)?;
        Ok(Converted { clip: Some(clip.name.clone()), file, beside: Vec::new(), notes })
    };
    clips.iter().map(write).collect()
}

/// Notes of the reader, without those on clips that are not converted.
fn reading_notes(imported: &Imported, chosen: &[usize]) -> Vec<String> {
    let of = |index: usize| format!("clip “{}”:", imported.clips[index].name);
    let dropped: Vec<String> = (0..imported.clips.len()).filter(|index| !chosen.contains(index)).map(of).collect();
    let kept = imported.ignored.iter().filter(|note| !dropped.iter().any(|clip| note.starts_with(clip)));
    kept.map(|note| format!("in reading: {note}")).collect()
}

/// Moves notes shared by all files to the common notes.
fn said_once(files: &mut [Converted], notes: &mut Vec<String>) {
    let [first, others @ ..] = files else { return };
    let shared: Vec<String> =
        first.notes.iter().filter(|note| others.iter().all(|file| file.notes.contains(note))).cloned().collect();
    for file in files {
        file.notes.retain(|note| !shared.contains(note));
    }
    notes.extend(shared);
}

fn roles(imported: &Imported, how: &Conversion) -> Result<RoleMap, Error> {
    let found = if imported.roles.is_empty() {
        character::roles_in_motion(&imported.skeleton, imported.clips.first())
    } else {
        character::declared(&imported.skeleton, &imported.roles)
    };
    character::overridden(&imported.skeleton, &found, &how.roles)
        .map_err(|error| Error::new(Location::File, error.to_string()))
}

/// Rotates all bone frames to align with the world at rest, so that the rest pose has no rotations.
fn turned_like_the_world(skeleton: Skeleton, mut clips: Vec<Clip>) -> Result<(Skeleton, Vec<Clip>), Error> {
    let bones = skeleton.bones();
    if bones.iter().all(|bone| bone.rotation == DQuat::IDENTITY) {
        return Ok((skeleton, clips));
    }
    let world: Vec<DQuat> = skeleton.rest_pose().into_iter().map(|(_, rotation)| rotation).collect();
    let above = |bone: &Bone| bone.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
    let turned = bones.iter().zip(&world).map(|(bone, &own)| Bone {
        name: bone.name.clone(),
        parent: bone.parent,
        translation: above(bone) * bone.translation,
        rotation: DQuat::IDENTITY,
        ends: bone.ends.iter().map(|&end| own * end).collect(),
    });
    let turned = checked(turned.collect())?;
    for clip in &mut clips {
        for (index, bone) in bones.iter().enumerate() {
            let (above, back) = (above(bone), world[index].conjugate());
            for frame in 0..clip.frames() {
                let (translation, rotation) = (clip.translation(index, frame), clip.rotation(index, frame));
                clip.set_translation(index, frame, above * translation);
                clip.set_rotation(index, frame, (above * rotation * back).normalize());
            }
        }
    }
    Ok((turned, clips))
}

/// Greatest movement of a bone against its parent that is taken for rounding, as a share of the length of all bones.
const ROUNDING: f64 = 1e-6;

/// Removes movement by rounding: such bones get a constant place in skeleton and clip.
fn stilled(skeleton: &Skeleton, mut clip: Clip) -> Result<(Skeleton, Clip), Error> {
    let length: f64 = skeleton.bones().iter().map(|bone| bone.translation.length()).sum();
    let mut bones = skeleton.bones().to_vec();
    for (index, bone) in bones.iter_mut().enumerate().filter(|(_, bone)| bone.parent.is_some()) {
        let places = (0..clip.frames()).map(|frame| clip.translation(index, frame));
        let (low, high) = places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), p| (a.min(p), b.max(p)));
        if (high - low).length() > ROUNDING * length {
            continue;
        }
        bone.translation = 0.5 * (low + high);
        (0..clip.frames()).for_each(|frame| clip.set_translation(index, frame, bone.translation));
    }
    Ok((checked(bones)?, clip))
}

fn checked(bones: Vec<Bone>) -> Result<Skeleton, Error> {
    Skeleton::new(bones).map_err(|error| Error::new(Location::File, error.to_string()))
}

#[cfg(test)]
mod tests;
