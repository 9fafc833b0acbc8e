//! Rows R25 and J22: meshes that follow bones and bodies, as `convert` and `simulate` write them to OBJ.

use muybridge::glam::{DQuat, DVec3};
use muybridge::math::Random;
use serde_json::{Value, json};

use crate::program::{Folder, muybridge};
use crate::rows_shapiro::{HEAD, file};

/// Points of an OBJ file.
fn points(path: &str) -> Vec<DVec3> {
    let text = std::fs::read_to_string(path).expect("a file");
    let point = |line: &str| -> Vec<f64> { line.split(' ').map(|word| word.parse().expect("a number")).collect() };
    text.lines().filter_map(|line| line.strip_prefix("v ")).map(|line| DVec3::from_slice(&point(line))).collect()
}

/// What stands in the buffer: numbers that 32 bits hold exactly, so that files are no source of rounding.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Numbers {
    fn add(&mut self, kind: &str, component: u32, bytes: &[u8], count: usize, bounds: Value) -> usize {
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        let mut accessor =
            json!({"bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": kind});
        if let Value::Object(bounds) = bounds {
            accessor.as_object_mut().expect("a table").extend(bounds);
        }
        self.accessors.push(accessor);
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, values: &[f64], width: usize, bounds: Value) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
        self.add(kind, 5126, &bytes, values.len() / width, bounds)
    }
}

const HIPS: DVec3 = DVec3::new(0.25, 1.0, -0.5);
const SPINE: DVec3 = DVec3::new(0.0, 0.5, 0.125);
/// Turns by 120° about diagonals.
const AT_REST: DQuat = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);
const MOVED: (DVec3, DQuat) = (DVec3::new(-3.0, 2.5, 0.75), DQuat::from_xyzw(-0.5, 0.5, 0.5, 0.5));

/// A skin of two joints in a glTF whose clip has three frames: as it was bound, bent, and bent and moved as a whole. Returns the
/// vertices in the frame of the mesh.
fn skinned(folder: &Folder) -> (String, Vec<DVec3>) {
    let mut random = Random::new(25);
    let dyadic = |value: f64| (256.0 * value).round() / 256.0;
    let vertices: Vec<DVec3> = (0..40).map(|_| random.vector().to_array().map(dyadic).into()).collect();
    let mut numbers = Numbers::default();
    let flat: Vec<f64> = vertices.iter().flat_map(|vertex| vertex.to_array()).collect();
    let low = vertices.iter().fold(DVec3::MAX, |low, vertex| low.min(*vertex)).to_array();
    let high = vertices.iter().fold(DVec3::MIN, |high, vertex| high.max(*vertex)).to_array();
    let positions = numbers.floats("VEC3", &flat, 3, json!({"min": low, "max": high}));
    let joints = numbers.add("VEC4", 5121, &[0, 1, 0, 0].repeat(40), 40, Value::Null);
    let weights: Vec<f64> =
        (0..40).flat_map(|k| [f64::from(k % 5) / 4.0, 1.0 - f64::from(k % 5) / 4.0, 0.0, 0.0]).collect();
    let weights = numbers.floats("VEC4", &weights, 4, Value::Null);
    let corners: Vec<u8> = (0..39).collect();
    let indices = numbers.add("SCALAR", 5121, &corners, 39, Value::Null);
    // The mesh was bound in the pose of rest: the inverse of each bone's pose, column by column.
    let inverse = |place: DVec3| {
        let back = AT_REST.conjugate();
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| back * axis);
        let at = back * -place;
        let mut columns: Vec<f64> = axes.iter().flat_map(|axis| [axis.x, axis.y, axis.z, 0.0]).collect();
        columns.extend([at.x, at.y, at.z, 1.0]);
        columns
    };
    let binds = [inverse(HIPS), inverse(HIPS + AT_REST * SPINE)].concat();
    let binds = numbers.floats("MAT4", &binds, 16, Value::Null);
    let times = numbers.floats("SCALAR", &[0.0, 0.5, 1.0], 1, json!({"min": [0.0], "max": [1.0]}));
    let (rest, bent) = (AT_REST.to_array(), [0.6, 0.0, 0.0, 0.8]);
    let turns = [rest, rest, MOVED.1.to_array()].concat();
    let bends = [[0.0, 0.0, 0.0, 1.0], bent, bent].concat();
    let places: Vec<f64> = [HIPS, HIPS, MOVED.0].iter().flat_map(|place| place.to_array()).collect();
    let outputs = [
        numbers.floats("VEC4", &turns, 4, Value::Null),
        numbers.floats("VEC4", &bends, 4, Value::Null),
        numbers.floats("VEC3", &places, 3, Value::Null),
    ];
    let channel =
        |sampler: usize, node: usize, path: &str| json!({"sampler": sampler, "target": {"node": node, "path": path}});
    let samplers: Vec<Value> = outputs.iter().map(|output| json!({"input": times, "output": output})).collect();
    let document = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "Hips", "translation": HIPS.to_array(), "rotation": rest, "children": [1]},
            {"name": "Spine", "translation": SPINE.to_array()},
            {"name": "Skin", "mesh": 0, "skin": 0},
        ],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": binds}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights}, "indices": indices},
        ]}],
        "animations": [{"name": "bend", "samplers": samplers,
            "channels": [channel(0, 0, "rotation"), channel(1, 1, "rotation"), channel(2, 0, "translation")]}],
        "buffers": [{"uri": "skin.bin", "byteLength": numbers.bytes.len()}],
        "bufferViews": numbers.views,
        "accessors": numbers.accessors,
    });
    std::fs::write(folder.path("skin.bin"), &numbers.bytes).expect("a file");
    (file(folder, "skin.gltf", &document.to_string()), vertices)
}

#[test]
fn r25_a_skin_is_its_mesh_in_the_pose_it_was_bound_in_and_moves_rigidly_with_all_bones() {
    let folder = Folder::new();
    let (skin, vertices) = skinned(&folder);
    let out = folder.path("skin.obj").display().to_string();
    let frame = |frame: &str| {
        let said =
            muybridge(["convert", &skin, &out, "--force", "--unit", "m", "--up", "y", "--fps", "2", "--frames", frame]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.err.contains("an OBJ holds the skin in one frame"), "{}", said.err);
        points(&out)
    };
    let [bound, bent, moved] = ["0..0", "1..1", "2..2"].map(frame);
    assert_eq!([bound.len(), bent.len(), moved.len()], [40; 3]);
    let turn = MOVED.1 * AT_REST.conjugate();
    for (index, vertex) in vertices.iter().enumerate() {
        assert!(bound[index].distance(*vertex) < 1e-12, "{}, not {vertex}", bound[index]);
        let rigid = MOVED.0 + turn * (bent[index] - HIPS);
        assert!(moved[index].distance(rigid) < 1e-12, "{}, not {rigid}", moved[index]);
    }
    let most = bound.iter().zip(&bent).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(most > 0.3, "the bend moves vertices by {most} m");
    // Vertices of the first joint alone do not see the bend; its share decides on the others.
    assert!((0..40).filter(|index| index % 5 == 4).all(|index| bound[index].distance(bent[index]) < 1e-12));
    let folder = Folder::new();
    let bare = folder.file("bare.bvh", &crate::checking::thrown_bvh(20, 30.0, 9.81));
    let said = muybridge(["convert".into(), bare, folder.path("bare.obj")]);
    assert!(said.code == Some(2) && said.err.contains("this file has no skin"), "{}", said.err);
}

#[test]
fn r25_a_run_is_written_with_the_skin_of_the_file_of_a_character() {
    let folder = Folder::new();
    let (_, vertices) = skinned(&folder);
    let moments = "0.05,0.05,0.05";
    file(&folder, "body.csv", &format!("{HEAD}Hips,3,0,0.1,0,{moments}\nSpine,2,0,0.1,0,{moments}\n"));
    let scene = "[scene]\nseconds = 0.5\nrate = 60\n[[ragdoll]]\nname = \"doll\"\ncharacter = \"skin.gltf\"\nunit = \"m\"\nup = \"y\"\n\
                 body = \"body.csv\"\nposition = [0.5, 2.0, 1.0]\n[[hit]]\nof = \"doll/Spine\"\ntime = 0.1\nimpulse = [4.0, 1.0, 0.0]\n\
                 [[ball]]\nname = \"ball\"\n";
    let scene = file(&folder, "scene.toml", scene);
    for (run, tolerance) in [("run.glb", 1e-6), ("run.gltf", 1e-6), ("run.obj", 1e-12)] {
        let run = folder.path(run).display().to_string();
        let said = muybridge(["simulate", &scene, "-o", &run, "--json"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.err.contains("without shapes"), "{}", said.err);
        let poses: Value = serde_json::from_str(&said.out).expect("JSON");
        let pose = |bone: &str| {
            let entries = poses["poses"].as_array().expect("poses");
            let entry = entries.iter().find(|entry| entry["of"] == *format!("doll/{bone}")).expect("a bone");
            let last = |key: &str| -> Vec<f64> {
                let rows = entry[key].as_array().expect("rows");
                rows.last().and_then(Value::as_array).expect("a row").iter().filter_map(Value::as_f64).collect()
            };
            (DVec3::from_slice(&last("position_m")), DQuat::from_slice(&last("rotation_xyzw")))
        };
        let obj = if tolerance > 1e-9 {
            let obj = folder.path("last.obj").display().to_string();
            let said = muybridge(["convert", &run, &obj, "--force", "--unit", "m", "--up", "y", "--frames", "30..30"]);
            assert_eq!(said.code, Some(0), "{}", said.err);
            obj
        } else {
            run.clone()
        };
        let found = points(&obj);
        assert!(found.len() >= 40, "{run}: {} vertices", found.len());
        // v' = Σ w (p + R B⁻¹ v), with both bones bound at rest.
        let bones = [("Hips", HIPS), ("Spine", HIPS + AT_REST * SPINE)];
        let moved = bones.map(|(bone, at)| (pose(bone), at));
        let away = moved[0].0.0.distance(HIPS);
        assert!(away > 0.5, "it is elsewhere: {away} m");
        for (index, vertex) in vertices.iter().enumerate() {
            let first = (index % 5) as f64 / 4.0;
            let at = |((place, turn), bound): ((DVec3, DQuat), DVec3)| {
                place + turn * (AT_REST.conjugate() * (*vertex - bound))
            };
            let wanted = first * at(moved[0]) + (1.0 - first) * at(moved[1]);
            assert!(found[index].distance(wanted) < 10.0 * tolerance, "{run}: {}, not {wanted}", found[index]);
        }
    }
}

/// The JSON and the numbers of a binary glTF.
fn halves(path: &str) -> (Value, Vec<u8>) {
    let glb = std::fs::read(path).expect("a file");
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
    (serde_json::from_slice(&glb[20..20 + length]).expect("JSON"), glb[28 + length..].to_vec())
}

#[test]
fn a_run_keeps_the_look_of_a_character() {
    let folder = Folder::new();
    let (skin, _) = skinned(&folder);
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(&skin).expect("a file")).expect("JSON");
    // Two pictures: one in the file, one beside it. A third is missing.
    let inside = [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 40]].concat();
    let beside = [b"\xff\xd8\xff".as_slice(), &[9; 30]].concat();
    let mut bytes = std::fs::read(folder.path("skin.bin")).expect("a file");
    let offset = bytes.len();
    bytes.extend(&inside);
    bytes.extend((0..80).flat_map(|k| (k as f32 / 79.0).to_le_bytes()));
    std::fs::write(folder.path("skin.bin"), &bytes).expect("a file");
    std::fs::write(folder.path("coat of arms.jpg"), &beside).expect("a file");
    std::fs::write(folder.path("secret.jpg"), "no picture").expect("a file");
    document["buffers"][0]["byteLength"] = json!(bytes.len());
    let views = document["bufferViews"].as_array_mut().expect("views");
    let view = views.len();
    views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": inside.len()}));
    views.push(json!({"buffer": 0, "byteOffset": offset + inside.len(), "byteLength": 320}));
    let accessors = document["accessors"].as_array_mut().expect("accessors");
    accessors.push(json!({"bufferView": view + 1, "componentType": 5126, "count": 40, "type": "VEC2"}));
    let places = accessors.len() - 1;
    let primitive = &mut document["meshes"][0]["primitives"][0];
    primitive["material"] = json!(1);
    primitive["attributes"]["TEXCOORD_0"] = json!(places);
    document["images"] = json!([{"bufferView": view, "mimeType": "image/png"}, {"uri": "coat%20of%20arms.jpg"}, {"uri": "gone.png"},
        {"uri": "secret.jpg"}]);
    document["samplers"] = json!([{}, {"wrapS": 33071}]);
    document["textures"] = json!([{"source": 2}, {"source": 1, "sampler": 1}, {"source": 0}, {"source": 3}]);
    document["materials"] = json!([
        {"name": "unused", "emissiveTexture": {"index": 0}, "occlusionTexture": {"index": 3}},
        {"name": "coat", "alphaMode": "MASK", "normalTexture": {"index": 2, "scale": 0.5},
            "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1.0, 1.0], "metallicFactor": 0.75,
                "roughnessFactor": 0.125, "baseColorTexture": {"index": 1}},
            "extensions": {"KHR_materials_clearcoat": {"clearcoatTexture": {"index": 2}}}},
    ]);
    document["extensionsUsed"] = json!(["KHR_materials_clearcoat"]);
    file(&folder, "skin.gltf", &document.to_string());
    let scene = "[scene]\nseconds = 0.1\n[[ragdoll]]\nname = \"a\"\ncharacter = \"skin.gltf\"\nunit = \"m\"\nup = \"y\"\n\
                 [[ragdoll]]\nname = \"b\"\ncharacter = \"skin.gltf\"\nunit = \"m\"\nup = \"y\"\nposition = [3, 1, 0]\n";
    let scene = file(&folder, "scene.toml", scene);
    let run = folder.path("run.glb").display().to_string();
    let said = muybridge(["simulate", &scene, "-o", &run]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    for lost in ["gone.png", "secret.jpg"] {
        assert!(said.err.contains(&format!("the picture “{lost}” cannot be read")), "{}", said.err);
    }
    let (written, numbers) = halves(&run);
    let whole = |value: &Value| value.as_u64().expect("an index") as usize;
    let part = |view: &Value| {
        let view = &written["bufferViews"][whole(view)];
        let offset = whole(&view["byteOffset"]);
        numbers[offset..offset + whole(&view["byteLength"])].to_vec()
    };
    let meshes = written["meshes"].as_array().expect("meshes");
    let primitives: Vec<&Value> = meshes.iter().map(|mesh| &mesh["primitives"][0]).collect();
    assert_eq!(primitives.len(), 1, "both share the mesh");
    let accessor = &written["accessors"][whole(&primitives[0]["attributes"]["TEXCOORD_0"])];
    assert_eq!(part(&accessor["bufferView"]), bytes[offset + inside.len()..]);
    let material = &written["materials"][whole(&primitives[0]["material"])];
    let picture = |slot: &Value| {
        let texture = &written["textures"][whole(&slot["index"])];
        let image = &written["images"][whole(&texture["source"])];
        (part(&image["bufferView"]), image["mimeType"].clone(), texture["sampler"].as_u64())
    };
    let surface = &material["pbrMetallicRoughness"];
    assert_eq!((&material["name"], &material["alphaMode"]), (&json!("coat"), &json!("MASK")));
    assert_eq!(surface["baseColorFactor"], json!([0.5, 0.25, 1.0, 1.0]));
    assert_eq!((&surface["metallicFactor"], &surface["roughnessFactor"]), (&json!(0.75), &json!(0.125)));
    assert_eq!(picture(&surface["baseColorTexture"]), (beside, json!("image/jpeg"), Some(1)));
    for slot in [&material["normalTexture"], &material["extensions"]["KHR_materials_clearcoat"]["clearcoatTexture"]] {
        assert_eq!(picture(slot), (inside.clone(), json!("image/png"), None));
    }
    assert_eq!(material["normalTexture"]["scale"], 0.5);
    assert_eq!(written["extensionsUsed"], json!(["KHR_materials_clearcoat"]));
    let unused = written["materials"].as_array().expect("materials").iter().find(|it| it["name"] == "unused");
    assert_eq!(unused.expect("a material"), &json!({"name": "unused"}), "no texture without a picture");
    let obj = folder.path("run.obj").display().to_string();
    let said = muybridge(["simulate", &scene, "-o", &obj]);
    assert!(said.err.contains("materials are left out; a .glb has them"), "{}", said.err);
}

/// Corners of an uneven octahedron, and its faces as OBJ counts them.
const ROCK: [[f64; 3]; 6] =
    [[0.3, 0.0, 0.05], [-0.25, 0.02, 0.0], [0.0, 0.4, 0.0], [0.03, -0.35, 0.0], [0.0, 0.04, 0.2], [0.0, 0.0, -0.3]];
const FACES: &str = "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

#[test]
fn j22_a_mesh_embedded_in_four_particles_moves_rigidly_and_swings_about_an_embedded_point() {
    let corners: String = ROCK.map(|[x, y, z]| format!("v {x} {y} {z}\n")).concat();
    let scene = "[scene]\nseconds = 1.0\nrate = 120\n[solver]\nframes_before_sleep = 0\n[solver.particles]\n\
                 free_bodies = \"particles\"\n[[body]]\nname = \"rock\"\nmesh = \"rock.obj\"\nmass = 3.0\n\
                 position = [0.5, 1.0, 0.0]\nrotation = [0.3, -0.2, 0.5]\nvelocity = [0.5, 1.0, -0.3]\nspin = [2.0, -1.0, 1.5]\n";
    let held = "[[joint]]\nname = \"pivot\"\nkind = \"ball\"\nof = \"rock\"\nat = [0.5, 1.25, -0.25]\n";
    for mode in ["shake", "xpbd", "jakobsen", "rosen"] {
        for (is_held, scene) in [(false, scene.to_owned()), (true, scene.to_owned() + held)] {
            let folder = Folder::new();
            folder.file("rock.obj", &(corners.clone() + FACES));
            let scene = [file(&folder, "scene.toml", &scene), folder.path("run.obj").display().to_string()];
            let said = muybridge(["simulate", &scene[0], "-o", &scene[1], "--json", "--particle-mode", mode]);
            assert_eq!(said.code, Some(0), "{}", said.err);
            let run: Value = serde_json::from_str(&said.out).expect("JSON");
            let rock = &run["poses"][0];
            let numbers = |key: &str, frame: usize| -> Vec<f64> {
                rock[key][frame].as_array().expect("numbers").iter().map(|n| n.as_f64().expect("a number")).collect()
            };
            let pose = |frame: usize| {
                let turn = DQuat::from_slice(&numbers("rotation_xyzw", frame));
                (DVec3::from_slice(&numbers("position_m", frame)), turn)
            };
            let ((_, before), (to, after)) = (pose(0), pose(120));
            assert!(before.angle_between(after) > 0.5, "{mode}: it turns");
            let vertices = points(&scene[1]);
            assert_eq!(vertices.len(), 6);
            for (index, vertex) in vertices.iter().enumerate() {
                let rigid = to + after * DVec3::from(ROCK[index]);
                assert!(vertex.distance(rigid) < 1e-12, "{mode}: {vertex}, not {rigid}");
                for other in 0..index {
                    let length = DVec3::from(ROCK[index]).distance(ROCK[other].into());
                    assert!((vertex.distance(vertices[other]) - length).abs() < 1e-12, "{mode}");
                }
            }
            // The point of the joint has weights that are solved for; the particles hold it in space to rounding.
            let gap = run["worst"]["gap_m"]["value"].as_f64().unwrap_or_default();
            assert!(gap < 1e-13 && (is_held || gap == 0.0), "{mode}: {gap} m");
        }
    }
}
