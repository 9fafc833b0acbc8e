//! glTF documents small enough to know every number: encodings, names, scales, timing, and comparison with a second reader.

use muybridge::collision::shape::Shape;
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::about;
use muybridge::motion::WorldMotion;
use muybridge_files::gltf::{self, ExportOptions, ImportOptions};
use muybridge_files::{Error, Imported};
use serde_json::{Value, json};

/// A curve: node, path, interpolation, key times, key values.
type Curve<'a> = (usize, &'a str, &'a str, &'a [f64], &'a [f64]);

/// A document that is being built: one buffer, one view per accessor.
#[derive(Default)]
struct Small {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    animations: Vec<Value>,
    root: serde_json::Map<String, Value>,
}

impl Small {
    fn nodes(nodes: Value) -> Self {
        let mut small = Self::default();
        small.root.insert("nodes".into(), nodes);
        small
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend_from_slice(bytes);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, width: usize, numbers: &[f64]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        let view = self.view(&bytes);
        let count = numbers.len() / width;
        let mut accessor = json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind});
        if kind == "SCALAR" {
            accessor["min"] = json!([f64::from(numbers[0] as f32)]);
            accessor["max"] = json!([f64::from(numbers[count - 1] as f32)]);
        }
        self.accessor(accessor)
    }

    fn animate(&mut self, name: &str, curves: &[Curve]) {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (node, path, interpolation, times, values) in curves {
            let input = self.floats("SCALAR", 1, times);
            let (kind, width) = if *path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
            let output = self.floats(kind, width, values);
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
        }
        self.animations.push(json!({"name": name, "samplers": samplers, "channels": channels}));
    }

    fn text(&self) -> String {
        let mut root = self.root.clone();
        root.insert("asset".into(), json!({"version": "2.0"}));
        let coded: String = self.bytes.iter().map(|b| format!("%{b:02x}")).collect();
        if !self.bytes.is_empty() {
            let uri = format!("data:application/octet-stream,{coded}");
            root.insert("buffers".into(), json!([{"byteLength": self.bytes.len(), "uri": uri}]));
            root.insert("bufferViews".into(), json!(self.views));
        }
        root.insert("accessors".into(), json!(self.accessors));
        root.insert("animations".into(), json!(self.animations));
        Value::Object(root).to_string()
    }

    fn document(&self) -> Result<gltf::GltfDocument, Error> {
        gltf::parse(self.text().as_bytes(), &mut |_| None)
    }

    fn read(&self) -> Imported {
        gltf::import(&self.document().unwrap(), &ImportOptions::default()).unwrap()
    }

    fn error(&self) -> Error {
        self.document().and_then(|d| gltf::import(&d, &ImportOptions::default())).unwrap_err()
    }
}

fn every(step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| k as f64 * step).collect()
}

/// Translations with x = t at each time.
fn along_x(times: &[f64]) -> Vec<f64> {
    times.iter().flat_map(|t| [*t, 0.0, 0.0]).collect()
}

#[test]
fn interleaved_sparse_and_normalized_numbers_are_decoded() {
    let mut small = Small::nodes(json!([{"name": "a"}, {"name": "b"}]));
    let times = small.floats("SCALAR", 1, &[0.0, 0.5, 1.0]);
    // Two translations interleaved at a stride of 24 bytes; the second accessor begins at byte 12.
    let numbers = [1.0f32, 2.0, 3.0, -1.0, -2.0, -3.0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let view = small.view(&[numbers.clone(), numbers.clone(), numbers].concat());
    small.views[view]["byteStride"] = json!(24);
    let second = small
        .accessor(json!({"bufferView": view, "byteOffset": 12, "componentType": 5126, "count": 3, "type": "VEC3"}));
    // Rotations as normalized 16-bit integers: a half turn about x in key 1 comes from the sparse part.
    let whole: Vec<u8> = [0i16, 0, 0, 32767].repeat(3).iter().flat_map(|x| x.to_le_bytes()).collect();
    let base = small.view(&whole);
    let indices = small.view(&[1]);
    let values = small.view(&[32767i16, 0, 0, 0].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let turns = small.accessor(json!({"bufferView": base, "componentType": 5122, "normalized": true, "count": 3, "type": "VEC4",
        "sparse": {"count": 1, "indices": {"bufferView": indices, "componentType": 5121}, "values": {"bufferView": values}}}));
    small.animations.push(json!({"samplers": [{"input": times, "output": second}, {"input": times, "output": turns}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}},
                     {"sampler": 1, "target": {"node": 1, "path": "rotation"}}]}));
    let file = small.read();
    assert_eq!(file.clips[0].frames(), 3);
    assert_eq!(file.clips[0].translation(0, 2), DVec3::new(-1.0, -2.0, -3.0));
    assert_eq!(file.clips[0].rotation(1, 1).to_array().map(f64::abs), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(file.clips[0].rotation(1, 2).to_array().map(f64::abs), [0.0, 0.0, 0.0, 1.0]);
    small.bytes[small.views[indices]["byteOffset"].as_u64().unwrap() as usize] = 3;
    assert!(small.error().message.contains("sparse index 3"));
}

#[test]
fn values_that_are_no_numbers_are_named() {
    let mut small = Small::nodes(json!([{}]));
    small.animate("", &[(0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0])]);
    let error = small.error();
    assert_eq!(error.to_string(), ": /animations/0/samplers/0/output: key 1 holds a value that is not a finite number");
}

#[test]
fn bones_are_joints_and_animated_nodes_with_all_above_them() {
    let mut small = Small::nodes(json!([
        {"name": "scene", "children": [1, 5]},
        {"name": "arm", "children": [2, 3]},
        {"children": [4]},
        {"name": "arm"},
        {"name": "hand_end", "translation": [0, 0.1, 0]},
        {"name": "set dressing", "mesh": 0}
    ]));
    small.root.insert("skins".into(), json!([{"joints": [2, 3]}]));
    small.root.insert("meshes".into(), json!([{"primitives": []}]));
    let file = small.read();
    let names: Vec<&str> = file.skeleton.bones().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["scene", "arm", "node_2", "arm_3"]);
    assert_eq!(file.skeleton.bones()[2].ends, [DVec3::new(0.0, 0.1, 0.0)]);
    assert!(file.ignored.iter().any(|n| n.contains("“arm_3”")), "{:?}", file.ignored);
    assert_eq!(file.clips[0].frames(), 1);
}

#[test]
fn children_come_after_parents_even_if_the_file_lists_them_first() {
    let mut small =
        Small::nodes(json!([{"name": "tip"}, {"name": "middle", "children": [0]}, {"name": "root", "children": [1]}]));
    small.root.insert("skins".into(), json!([{"joints": [0]}]));
    let names: Vec<String> = small.read().skeleton.bones().iter().map(|b| b.name.clone()).collect();
    assert_eq!(names, ["root", "middle", "tip"]);
}

#[test]
fn a_prop_of_one_node_is_a_character_of_one_bone_with_the_shape_of_its_mesh() {
    let mut small = Small::nodes(json!([{"name": "crate", "mesh": 0, "scale": [2, 2, 2]}]));
    let corners: Vec<f64> =
        (0..8).flat_map(|i| [0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -0.5 } else { 0.5 })).collect();
    let positions = small.floats("VEC3", 3, &corners);
    small.root.insert("meshes".into(), json!([{"primitives": [{"attributes": {"POSITION": positions}}]}]));
    small.animate("fall", &[(0, "translation", "LINEAR", &every(0.1, 4), &along_x(&every(0.1, 4)))]);
    let file = small.read();
    assert_eq!((file.skeleton.len(), file.skin_points.len()), (1, 8));
    assert_eq!(file.shapes[0].1.shape, Shape::Box { half_extents: DVec3::ONE });
}

#[test]
fn positions_follow_scales_that_move_and_mirror() {
    let mut small = Small::nodes(json!([
        {"name": "body", "scale": [-1, 1, 1], "children": [1]},
        {"name": "hand", "translation": [1, 0, 0]}
    ]));
    let grow = [1.0, 1.0, 1.0, -2.0, 2.0, 2.0, -3.0, 3.0, 3.0];
    small.animate(
        "grow",
        &[(0, "scale", "LINEAR", &every(0.5, 3), &grow), (1, "translation", "STEP", &[0.0], &[1.0, 0.0, 0.0])],
    );
    let file = small.read();
    let world = WorldMotion::new(&file.skeleton, &file.clips[0]);
    assert_eq!(world.position(1, 2), DVec3::new(-3.0, 0.0, 0.0));
    let told = |what: &str| file.ignored.iter().any(|n| n.contains(what));
    assert!(told("1 bone changes its scale") && told("mirrored"), "{:?}", file.ignored);
}

#[test]
fn a_pause_off_the_grid_does_not_make_the_grid_finer() {
    // Like the fox's run: 1/24 s between keys, with one pause of 4.8 frames.
    let mut times = every(1.0 / 24.0, 17);
    times.extend((0..8).map(|k| 16.0 / 24.0 + 0.2 + f64::from(k) / 24.0));
    let mut small = Small::nodes(json!([{}]));
    small.animate("run", &[(0, "translation", "LINEAR", &times, &along_x(&times))]);
    let file = small.read();
    assert!((file.clips[0].frames_per_second() - 24.0).abs() < 1e-9);
    assert!((file.clips[0].translation(0, 26).x - 26.0 / 24.0).abs() < 1e-6);
    assert!(file.ignored.iter().any(|n| n.contains("a few keys")), "{:?}", file.ignored);
}

#[test]
fn curves_with_few_keys_are_read_between_them_and_said_to_be() {
    let dense = every(1.0 / 30.0, 31);
    let mut small = Small::nodes(json!([{}, {}, {}]));
    let half_turn = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
    small.animate(
        "mixed",
        &[
            (0, "translation", "LINEAR", &dense, &along_x(&dense)),
            (1, "rotation", "LINEAR", &[0.0, 1.0], &half_turn),
            (2, "translation", "LINEAR", &[0.0, 7.0], &[0.0; 6]),
        ],
    );
    let file = small.read();
    assert_eq!(file.clips[0].frames(), 31, "a constant curve does not lengthen the clip");
    let quarter = about(DVec3::Y, core::f64::consts::FRAC_PI_2);
    assert!(file.clips[0].rotation(1, 15).dot(quarter).abs() > 1.0 - 1e-12);
    assert!(file.ignored.iter().any(|n| n.contains("1 of 2 moving curves")), "{:?}", file.ignored);
}

#[test]
fn splines_are_sampled_between_sparse_keys() {
    let key = |v: f64| [0.0, 0.0, 0.0, v, 0.0, 0.0, 0.0, 0.0, 0.0];
    let values = [key(0.0), key(1.0), key(0.0)].concat();
    let mut small = Small::nodes(json!([{}]));
    small.animate("", &[(0, "translation", "CUBICSPLINE", &[0.0, 1.0, 2.0], &values)]);
    let clip = &small.read().clips[0];
    assert_eq!((clip.frames(), clip.frames_per_second()), (49, 24.0));
    // 3u² − 2u³ at u = 1/4.
    assert!((clip.translation(0, 6).x - 0.156_25).abs() < 1e-12);
}

#[test]
fn a_node_with_a_matrix_gets_a_place_that_can_be_animated_once_it_moves() {
    let turn = [0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0, 6.0, 7.0, 1.0];
    let mut small = Small::nodes(json!([{"name": "stage", "matrix": turn, "children": [1]}, {"name": "ball"}]));
    small.animate("", &[(1, "translation", "LINEAR", &every(0.1, 3), &along_x(&every(0.1, 3)))]);
    let document = small.document().unwrap();
    let file = small.read();
    let unmoved = gltf::with_motion(&document, 0, &file.skeleton, &file.clips[0]).unwrap();
    assert!(unmoved.notes.is_empty() && String::from_utf8_lossy(&unmoved.file).contains("\"matrix\""));
    let mut clip = file.clips[0].clone();
    clip.set_translation(0, 1, DVec3::new(8.0, 6.0, 7.0));
    let moved = gltf::with_motion(&document, 0, &file.skeleton, &clip).unwrap();
    assert!(moved.notes[0].contains("matrix of node 0"));
    let again = gltf::import(&gltf::parse(&moved.file, &mut |_| None).unwrap(), &ImportOptions::default()).unwrap();
    let (one, two) = (WorldMotion::new(&file.skeleton, &clip), WorldMotion::new(&again.skeleton, &again.clips[0]));
    for frame in 0..3 {
        assert!(one.position(1, frame).distance(two.position(1, frame)) < 1e-6);
    }
}

/// The same curves as channels of nodes and as pointers to the properties of nodes (`KHR_animation_pointer`).
#[test]
fn a_pointer_to_a_node_moves_it_and_another_pointer_is_told() {
    let times = every(0.1, 4);
    let turns: Vec<f64> = times.iter().flat_map(|t| about(DVec3::X, *t).to_array()).collect();
    let mut small = Small::nodes(json!([{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 1, 0]}]));
    small.animate(
        "way",
        &[(0, "translation", "LINEAR", &times, &along_x(&times)), (1, "rotation", "LINEAR", &times, &turns)],
    );
    let named = small.read();
    let pointed =
        |pointer: String| json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}});
    for channel in small.animations[0]["channels"].as_array_mut().unwrap() {
        let (node, path) = (channel["target"]["node"].as_u64().unwrap(), channel["target"]["path"].as_str().unwrap());
        channel["target"] = pointed(format!("/nodes/{node}/{path}"));
    }
    let read = small.read();
    assert_eq!((&read.skeleton, &read.clips, &read.ignored), (&named.skeleton, &named.clips, &named.ignored));
    let mut changed = read.clips[0].clone();
    changed.set_translation(0, 2, DVec3::new(9.0, 0.0, 0.0));
    let written = gltf::with_motion(&small.document().unwrap(), 0, &read.skeleton, &changed).unwrap();
    let again = gltf::parse(&written.file, &mut |_| None).unwrap();
    assert_eq!(
        again.json()["animations"][0]["channels"].as_array().unwrap().len(),
        2,
        "the pointers read the new keys"
    );
    let again = gltf::import(&again, &ImportOptions::default()).unwrap();
    assert_eq!(again.clips[0].translation(0, 2), DVec3::new(9.0, 0.0, 0.0));
    small.animations[0]["channels"][1]["target"] = pointed("/materials/0/alphaCutoff".into());
    assert!(small.read().ignored.iter().any(|note| note.contains("1 curve was left out")));
    small.animations[0]["channels"][1]["target"] = pointed("/nodes/7/rotation".into());
    assert!(small.error().message.contains("there is no /nodes/7; the file has 2 nodes"));
}

#[test]
fn constraints_of_a_vrm_and_meshes_of_draco_are_named_in_what_was_left_out() {
    let times = every(0.1, 3);
    let constraint = json!({"VRMC_node_constraint": {"constraint": {"roll": {"source": 0, "rollAxis": "X"}}}});
    let mut small =
        Small::nodes(json!([{"name": "arm", "children": [1]}, {"name": "twist", "extensions": constraint}]));
    small.root.insert("extensionsUsed".into(), json!(["KHR_draco_mesh_compression"]));
    small.animate("way", &[(0, "translation", "LINEAR", &times, &along_x(&times))]);
    let ignored = small.read().ignored.join("\n");
    assert!(ignored.contains("1 constraint is not evaluated (VRMC_node_constraint: “twist”)"), "{ignored}");
    assert!(ignored.contains("KHR_draco_mesh_compression"), "{ignored}");
}

#[test]
fn a_humanoid_bone_cannot_be_two_nodes() {
    let mut small = Small::nodes(json!([{}, {}]));
    let bones = json!([{"bone": "hips", "node": 0}, {"bone": "hips", "node": 1}, {"bone": "head", "node": -1}]);
    small.root.insert("extensions".into(), json!({"VRM": {"humanoid": {"humanBones": bones}}}));
    assert!(small.error().to_string().starts_with(": /extensions/VRM/humanoid/humanBones/1:"));
}

/// Reads exported files with the `gltf` crate, which validates them independently.
#[test]
fn a_second_reader_finds_the_same_nodes_and_keys_in_what_is_exported() {
    let times = every(1.0 / 60.0, 10);
    let mut small = Small::nodes(
        json!([{"name": "a", "children": [1], "rotation": [0.6, 0, 0, 0.8]}, {"name": "b", "translation": [0, 2, 0]}]),
    );
    let turns: Vec<f64> = times.iter().flat_map(|t| about(DVec3::Z, 3.0 * t).to_array()).collect();
    small.animate(
        "spin",
        &[(0, "translation", "LINEAR", &times, &along_x(&times)), (1, "rotation", "LINEAR", &times, &turns)],
    );
    let file = small.read();
    let document = small.document().unwrap();
    let rewritten = gltf::with_motion(&document, 0, &file.skeleton, &file.clips[0]).unwrap().file;
    ::gltf::Gltf::from_slice(&rewritten).expect("a valid document after writing back");
    let bytes = gltf::export(&file.skeleton, &file.clips, ExportOptions { binary: true }).unwrap();
    let second = ::gltf::Gltf::from_slice(&bytes).expect("a valid new document");
    let blob = second.blob.clone().unwrap();
    assert_eq!(second.skins().next().unwrap().joints().count(), 2);
    let animation = second.animations().next().unwrap();
    assert_eq!(animation.name(), Some("spin"));
    let mut seen = 0;
    for channel in animation.channels() {
        let bone = channel.target().node().index();
        let reader = channel.reader(|_| Some(&blob));
        let keys: Vec<f32> = reader.read_inputs().unwrap().collect();
        assert!(keys.iter().zip(&times).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-7));
        match reader.read_outputs().unwrap() {
            ::gltf::animation::util::ReadOutputs::Rotations(rotations) => {
                for (frame, q) in rotations.into_f32().enumerate() {
                    let q = DQuat::from_array(q.map(f64::from));
                    assert!(q.dot(file.clips[0].rotation(bone, frame)).abs() > 1.0 - 1e-7);
                    seen += 1;
                }
            }
            ::gltf::animation::util::ReadOutputs::Translations(places) => {
                for (frame, place) in places.enumerate() {
                    let place = DVec3::from_array(place.map(f64::from));
                    assert!(place.distance(file.clips[0].translation(bone, frame)) < 1e-7);
                    seen += 1;
                }
            }
            _ => panic!("nothing else was written"),
        }
    }
    // Rotations of both bones (the root always has keys) and translations of the first.
    assert_eq!(seen, 30);
}
