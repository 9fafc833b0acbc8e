//! Minimal BVH and glTF readers for the library's tests on shared clips; the full readers are in another crate.
use crate::test_files;

use muybridge::character::{Bone, Skeleton};
use muybridge::glam::{DMat4, DQuat, DVec3};
use muybridge::math::rotation::about;
use muybridge::motion::Clip;
use serde_json::Value;

/// Skeleton and clip of a BVH file; position channels replace offsets.
pub fn bvh(path: &str) -> (Skeleton, Clip) {
    let text = std::fs::read_to_string(test_files::path(path)).unwrap();
    let (hierarchy, motion) = text.split_once("MOTION").unwrap();
    let mut words = hierarchy.split_whitespace().peekable();
    let mut bones: Vec<Bone> = Vec::new();
    let mut channels: Vec<(usize, String)> = Vec::new();
    let mut stack: Vec<Option<usize>> = Vec::new();
    let mut pending: Option<usize> = None;
    while let Some(word) = words.next() {
        match word {
            "ROOT" | "JOINT" => {
                let parent = stack.iter().rev().find_map(|&bone| bone);
                let mut name = String::from(words.next().unwrap());
                while words.peek().is_some_and(|&next| next != "{") {
                    name = format!("{name} {}", words.next().unwrap());
                }
                pending = Some(bones.len());
                bones.push(Bone { name, parent, translation: DVec3::ZERO, rotation: DQuat::IDENTITY, ends: vec![] });
            }
            "End" => pending = None,
            "{" => stack.push(pending),
            "}" => drop(stack.pop()),
            "OFFSET" => {
                let offset = DVec3::from_array([(); 3].map(|()| words.next().unwrap().parse().unwrap()));
                match stack.last().unwrap() {
                    Some(bone) => bones[*bone].translation = offset,
                    None => bones[stack.iter().rev().find_map(|&bone| bone).unwrap()].ends.push(offset),
                }
            }
            "CHANNELS" => {
                let count: usize = words.next().unwrap().parse().unwrap();
                let bone = stack.last().unwrap().unwrap();
                channels.extend((0..count).map(|_| (bone, words.next().unwrap().to_lowercase())));
            }
            _ => {}
        }
    }
    let clip = motion_of(&bones, &channels, motion);
    (Skeleton::new(bones).unwrap(), clip)
}

fn motion_of(bones: &[Bone], channels: &[(usize, String)], motion: &str) -> Clip {
    let (head, rows) = motion.split_once("Time:").unwrap();
    assert!(head.contains("Frames"));
    let mut numbers = rows.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let frame_time = numbers.next().unwrap();
    let numbers: Vec<f64> = numbers.collect();
    let frames = numbers.len() / channels.len();
    let mut clip = Clip::new(bones.len(), frames, frame_time).unwrap();
    for frame in 0..frames {
        let mut rotations = vec![DQuat::IDENTITY; bones.len()];
        let mut translations: Vec<DVec3> = bones.iter().map(|bone| bone.translation).collect();
        for ((bone, channel), value) in channels.iter().zip(&numbers[frame * channels.len()..]) {
            let axis = usize::from(channel.as_bytes()[0] - b'x');
            if channel.ends_with("position") {
                translations[*bone][axis] = *value;
            } else {
                rotations[*bone] *= about(DVec3::AXES[axis], value.to_radians());
            }
        }
        for bone in 0..bones.len() {
            clip.set_rotation(bone, frame, rotations[bone].normalize());
            clip.set_translation(bone, frame, translations[bone]);
        }
    }
    clip
}

/// Every node of a glTF file as a bone at rest; scales apply to the nodes below.
pub fn gltf(path: &str) -> Skeleton {
    let bytes = std::fs::read(test_files::path(path)).unwrap();
    let json = if bytes.starts_with(b"glTF") {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        &bytes[20..20 + length]
    } else {
        &bytes[..]
    };
    let json: Value = serde_json::from_slice(json).unwrap();
    let nodes = json["nodes"].as_array().unwrap();
    let children = |node: usize| -> Vec<usize> {
        nodes[node]["children"].as_array().into_iter().flatten().map(|c| c.as_u64().unwrap() as usize).collect()
    };
    let is_child = |node: usize| (0..nodes.len()).any(|other| children(other).contains(&node));
    let mut bones: Vec<Bone> = Vec::new();
    let mut open: Vec<(usize, Option<usize>, DVec3)> =
        (0..nodes.len()).rev().filter(|&node| !is_child(node)).map(|node| (node, None, DVec3::ONE)).collect();
    while let Some((node, parent, scale)) = open.pop() {
        let (own, rotation, translation) = local(&nodes[node]);
        let mut name = nodes[node]["name"].as_str().map_or_else(|| format!("node {node}"), str::to_owned);
        if bones.iter().any(|bone| bone.name == name) {
            name = format!("{name}.{node}");
        }
        bones.push(Bone { name, parent, translation: scale * translation, rotation, ends: vec![] });
        open.extend(children(node).into_iter().rev().map(|child| (child, Some(bones.len() - 1), scale * own)));
    }
    Skeleton::new(bones).unwrap()
}

fn local(node: &Value) -> (DVec3, DQuat, DVec3) {
    let numbers = |key: &str| -> Option<Vec<f64>> {
        Some(node[key].as_array()?.iter().map(|value| value.as_f64().unwrap()).collect())
    };
    if let Some(matrix) = numbers("matrix") {
        return DMat4::from_cols_slice(&matrix).to_scale_rotation_translation();
    }
    let vector = |key: &str, default: DVec3| numbers(key).map_or(default, |v| DVec3::from_slice(&v));
    let rotation = numbers("rotation").map_or(DQuat::IDENTITY, |v| DQuat::from_slice(&v).normalize());
    (vector("scale", DVec3::ONE), rotation, vector("translation", DVec3::ZERO))
}
