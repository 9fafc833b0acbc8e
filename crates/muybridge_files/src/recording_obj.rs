//! Writes the last frame of a simulated run as an OBJ file: the surfaces of all bodies, characters, cloth and obstacles.

use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::WorldMotion;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::Drawn;

use crate::mesh::obj_writer::ObjText;
use crate::recording_gltf::rig::shapes_of;
use crate::recording_gltf::solids::NormalMesh;
use crate::recording_gltf::{WrittenRecording, check_run};
use crate::scene::Skins;
use crate::{Error, Location};

/// Writes the last frame of a run. The error says that a run has no frames or is not finite.
pub(crate) fn export(recording: &Recording, skins: &Skins) -> Result<WrittenRecording, Error> {
    check_run(recording)?;
    if recording.diverged_at().is_some() {
        let message = "the run has numbers that are not finite, which no file holds".to_owned();
        return Err(Error::new(Location::Named(recording.name.clone()), message));
    }
    let mut text = ObjText::default();
    let (last, mut has_materials) = (recording.frames - 1, false);
    for (name, character, clip) in &recording.characters {
        let world = WorldMotion::new(&character.skeleton, &clip.cut(last, last + 1));
        if let Some(skin) = skins.of(name) {
            has_materials |= !skin.materials.is_empty();
            let bones = 0..character.skeleton.len();
            let pose: Vec<(DVec3, DQuat)> =
                bones.map(|bone| (world.position(bone, 0), world.rotation(bone, 0))).collect();
            let mut points = Vec::new();
            for (mesh, _) in &skin.meshes {
                mesh.pose_points(&pose, &mut points);
                text.add(&format!("{name}/{}", mesh.name), &points, &mesh.triangles);
            }
            continue;
        }
        for ((index, bone), shapes) in character.skeleton.bones().iter().enumerate().zip(shapes_of(character)) {
            let pose = (world.position(index, 0), world.rotation(index, 0));
            add_surface(&mut text, &format!("{name}/{}", bone.name), &NormalMesh::of(&shapes), pose);
        }
    }
    let mut lines = 0;
    for track in &recording.tracks {
        match &track.drawn {
            Drawn::Body { shapes, shell, poses } => {
                let Some(&pose) = poses.last() else { continue };
                add_surface(&mut text, &track.name, &NormalMesh::of(shapes), pose);
                if let Some(shell) = shell {
                    text.add(&track.name, &moved(&shell.mesh.points, pose), &shell.mesh.triangles);
                }
            }
            Drawn::Lines { segments, points, .. } => {
                lines += 1;
                text.add(&track.name, points.last().map_or(&[], Vec::as_slice), segments);
            }
            Drawn::Mesh { triangles, points } => {
                text.add(&track.name, points.last().map_or(&[], Vec::as_slice), triangles);
            }
        }
    }
    let mut notes = vec![format!("an OBJ holds one frame: the last one, at {} s", last as f64 * recording.frame_time)];
    if has_materials {
        notes.push("materials are left out; a .glb has them".to_owned());
    }
    if lines > 0 {
        notes.push(format!("{lines} things of rounded lines are lines without thickness"));
    }
    Ok(WrittenRecording { file: text.finish(), notes })
}

fn add_surface(text: &mut ObjText, name: &str, surface: &NormalMesh, pose: (DVec3, DQuat)) {
    if surface.points.is_empty() {
        return;
    }
    let triangles: Vec<[usize; 3]> =
        surface.triangles.iter().map(|corners| corners.map(|corner| corner as usize)).collect();
    text.add(name, &moved(&surface.points, pose), &triangles);
}

fn moved(points: &[DVec3], (place, turn): (DVec3, DQuat)) -> Vec<DVec3> {
    points.iter().map(|point| place + turn * *point).collect()
}
