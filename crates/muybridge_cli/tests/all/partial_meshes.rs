//! Meshes that cover a part of the body, or hang on it: the verdict is that of the same file without a mesh.

use muybridge::character::{Bone, Character, Role, Side, Skeleton};
use muybridge::collision::shape::Shape;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;
use muybridge::samples;
use muybridge_files::gltf::{self, ExportOptions};
use serde_json::{Value, json};

use crate::checking::{Folder, clip};

/// A vertex in the frame of its bone.
type Vertex = (usize, DVec3);

/// Name of a bone of cloth on the chest.
const CAPE: &str = "Cape1";

/// The sample humanoid with a bone of cloth, and its jump.
fn caped_jump() -> (Character, Skeleton, Clip) {
    let (person, jump) = (samples::humanoid(), samples::jump());
    let chest = person.bone_of(Role::UpperChest).or(person.bone_of(Role::Chest));
    let (translation, rotation) = (DVec3::new(0.0, 0.1, -0.12), DQuat::IDENTITY);
    let cape = Bone { name: CAPE.into(), parent: chest, translation, rotation, ends: vec![] };
    let skeleton = Skeleton::new([person.skeleton.bones(), &[cape]].concat()).unwrap();
    let mut clip = Clip::new(skeleton.len(), jump.frames(), jump.frame_time).unwrap();
    for frame in 0..jump.frames() {
        for bone in 0..jump.bones() {
            clip.set_translation(bone, frame, jump.translation(bone, frame));
            clip.set_rotation(bone, frame, jump.rotation(bone, frame));
        }
        clip.set_translation(jump.bones(), frame, translation);
    }
    (person, skeleton, clip)
}

/// Points on the capsules of bones.
fn skin(person: &Character, bones: &[usize]) -> Vec<Vertex> {
    let mut found = Vec::new();
    for &bone in bones {
        for placed in &person.bodies[bone].shapes {
            let Shape::Capsule { radius, half_length } = placed.shape else { panic!("the sample has capsules") };
            for station in -3..=3 {
                let share = f64::from(station) / 3.0;
                let along = share * (half_length + radius);
                let beyond = (along.abs() - half_length).max(0.0);
                let out = (radius * radius - beyond * beyond).max(0.0).sqrt();
                for [x, z] in [
                    [1.0, 0.0],
                    [0.7, 0.7],
                    [0.0, 1.0],
                    [-0.7, 0.7],
                    [-1.0, 0.0],
                    [-0.7, -0.7],
                    [0.0, -1.0],
                    [0.7, -0.7],
                ] {
                    let point = DVec3::new(out * x, along, out * z);
                    found.push((bone, placed.position + placed.rotation * point));
                }
            }
        }
    }
    found
}

/// Points of a strip that hangs down from a point of a bone, as wide as given, in the pose of rest.
fn hanging(skeleton: &Skeleton, bone: usize, from: DVec3, length: f64, width: f64) -> Vec<Vertex> {
    let down = skeleton.rest_pose()[bone].1.conjugate();
    let at = |row: usize, side: f64| from + down * DVec3::new(side * width, -length * row as f64 / 10.0, 0.0);
    (0..=10).flat_map(|row| [-0.5, 0.0, 0.5].map(|side| (bone, at(row, side)))).collect()
}

/// The glTF with a skin of these vertices, each moved by its bone alone.
fn with_mesh(folder: &Folder, document: &Value, name: &str, vertices: &[Vertex]) -> String {
    let mut document = document.clone();
    let mut bytes = Vec::new();
    vertices.iter().for_each(|(_, p)| p.to_array().iter().for_each(|x| bytes.extend((*x as f32).to_le_bytes())));
    vertices.iter().for_each(|(bone, _)| [*bone as u16, 0, 0, 0].iter().for_each(|x| bytes.extend(x.to_le_bytes())));
    vertices.iter().for_each(|_| [1_f32, 0.0, 0.0, 0.0].iter().for_each(|x| bytes.extend(x.to_le_bytes())));
    let count = |key: &str| document[key].as_array().map_or(0, Vec::len);
    let (buffer, view, accessor, skin) = (count("buffers"), count("bufferViews"), count("accessors"), count("skins"));
    let bones = document["skins"][0]["joints"].clone();
    let n = vertices.len();
    let mut push = |key: &str, value: Value| match document[key].as_array_mut() {
        Some(list) => list.push(value),
        None => document[key] = json!([value]),
    };
    push("buffers", json!({"uri": format!("{name}.bin"), "byteLength": bytes.len()}));
    for (at, length) in [(0, 12 * n), (12 * n, 8 * n), (20 * n, 16 * n)] {
        push("bufferViews", json!({"buffer": buffer, "byteOffset": at, "byteLength": length}));
    }
    let attribute = |at: usize, component: u32, kind: &str| json!({"bufferView": view + at, "componentType": component, "count": n, "type": kind});
    push("accessors", attribute(0, 5126, "VEC3"));
    push("accessors", attribute(1, 5123, "VEC4"));
    push("accessors", attribute(2, 5126, "VEC4"));
    let attributes = json!({"POSITION": accessor, "JOINTS_0": accessor + 1, "WEIGHTS_0": accessor + 2});
    push("meshes", json!({"primitives": [{"attributes": attributes, "mode": 0}]}));
    // Without inverse bind matrices the vertices are in the frames of their bones.
    push("skins", json!({"joints": bones}));
    push("nodes", json!({"name": name, "mesh": 0, "skin": skin}));
    folder.file(&format!("{name}.bin"), bytes);
    folder.file(&format!("{name}.gltf"), document.to_string())
}

#[test]
fn hair_capes_swords_and_parts_of_a_body_change_no_verdict() {
    let folder = Folder::new("partial_meshes");
    let (person, skeleton, jump) = caped_jump();
    let written = gltf::export(&skeleton, std::slice::from_ref(&jump), ExportOptions { binary: false }).unwrap();
    let document: Value = serde_json::from_slice(&written).unwrap();
    let bare = clip([folder.file("bare.gltf", &written)]);
    assert_eq!(bare["verdict"], "plausible");

    let bone = |role: Role| person.bone_of(role).unwrap();
    let all: Vec<usize> = (0..person.skeleton.len()).collect();
    let feet: Vec<usize> = [Side::Left, Side::Right]
        .into_iter()
        .flat_map(|side| [Role::Foot(side), Role::Toes(side)])
        .filter_map(|role| person.bone_of(role))
        .collect();
    let but_feet: Vec<usize> = all.iter().copied().filter(|bone| !feet.contains(bone)).collect();
    let trunk: Vec<usize> = [Role::Hips, Role::Spine, Role::Chest, Role::UpperChest]
        .into_iter()
        .filter_map(|r| person.bone_of(r))
        .collect();
    let (head, hand) = (bone(Role::Head), bone(Role::Hand(Side::Right)));
    let (top, cape) = (trunk[trunk.len() - 1], skeleton.find(CAPE).unwrap());
    let hair = hanging(&skeleton, head, DVec3::new(0.0, 0.1, -0.1), 0.9, 0.2);
    let sword = hanging(&skeleton, hand, DVec3::ZERO, 1.7, 0.05);
    let left_foot: Vec<usize> = feet[..feet.len() / 2].to_vec();
    let cases = [
        ("head", skin(&person, &[head])),
        ("hand", skin(&person, &[hand])),
        ("torso", skin(&person, &trunk)),
        ("barefoot", skin(&person, &but_feet)),
        ("boot", skin(&person, &left_foot)),
        ("hair", [skin(&person, &[head]), hair].concat()),
        ("cape", hanging(&skeleton, top, DVec3::new(0.0, 0.1, -0.15), 1.8, 0.5)),
        ("cape_of_its_own_bone", hanging(&skeleton, cape, DVec3::ZERO, 1.8, 0.5)),
        ("sword", [skin(&person, &[hand]), sword.clone()].concat()),
        ("sword_alone", sword.clone()),
    ];
    for (name, vertices) in &cases {
        let found = clip([with_mesh(&folder, &document, name, vertices)]);
        for key in ["verdict", "findings", "floor_m", "flights", "feet", "balance"] {
            assert_eq!(found[key], bare[key], "{name}: {key}");
        }
        assert_eq!(found["per_frame"]["contacts"], bare["per_frame"]["contacts"], "{name}");
    }
    let whole = skin(&person, &all);
    for (name, vertices) in [("whole", whole.clone()), ("whole_with_sword", [whole, sword].concat())] {
        let found = clip([with_mesh(&folder, &document, name, &vertices)]);
        let floors = [&found, &bare].map(|clip| clip["floor_m"].as_f64().unwrap());
        assert!((floors[0] - floors[1]).abs() < 0.02, "{name}: {floors:?}");
        assert_eq!((&found["verdict"], &found["findings"]), (&bare["verdict"], &bare["findings"]), "{name}");
    }
}
