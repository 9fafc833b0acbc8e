//! A corrected motion in the keys of a glTF: unchanged parts keep their numbers, accessors and JSON.

use crate::rewriting;
use crate::test_files::{here, in_folder, path as data, whole};

use muybridge::character::units::Units;
use muybridge::glam::DVec3;
use muybridge::math::rotation::exp;
use muybridge::motion::{Axis, TimeMap};
use muybridge_files::gltf::renamed_beside;
use muybridge_files::open::SourceDocument;
use muybridge_files::output::SideFile;
use muybridge_files::rewrite::{bytes, corrected, retimed, writable};
use muybridge_files::{Imported, OpenOptions, Opened, Preparation, gltf, open, prepare};
use rewriting::{distance, opened, prepared, prepared_like, same_frame, shifted, spun};
use serde_json::{Value, json};

/// Files and clips: skins in centimeters, scaled nodes, rigid nodes, humanoids, data URIs, files beside, simulated motion.
const CLIPS: [(&str, &str); 11] = [
    ("gltf/Fox.glb", "Run"),
    ("gltf/Fox.glb", "Survey"),
    ("gltf/RobotExpressive.glb", "Jump"),
    ("gltf/RobotExpressive.glb", "Walking"),
    ("gltf/kaykit_rogue.glb", "Jump_Full_Short"),
    ("gltf/kaykit_rogue.glb", "Running_A"),
    ("gltf/kenney_platformer_character.glb", "jump"),
    ("gltf/cesium_man.gltf", ""),
    ("vrm/test.vrma", ""),
    ("truth/mj_jump_120.glb", "clip"),
    ("truth/mj_tumble_120.glb", "clip"),
];

/// Clips of [`CLIPS`] whose file is there.
fn all_clips() -> Vec<(&'static str, &'static str)> {
    here(CLIPS, |case| case.0.into())
}

fn clip_named(opened: &Opened, name: &str) -> usize {
    opened.imported.clips.iter().position(|clip| clip.name == name).unwrap_or_else(|| panic!("{name}"))
}

fn document(opened: &Opened) -> &gltf::GltfDocument {
    match &opened.document {
        SourceDocument::Gltf(document) => document,
        _ => panic!("no glTF"),
    }
}

/// Checks that everything except one animation is kept: old accessors, views and bytes, and all other members.
fn assert_the_rest_is_untouched(name: &str, old: &Opened, new: &Opened, animation: usize) {
    let (old, new) = (document(old), document(new));
    let (a, b) = (old.json().as_object().unwrap(), new.json().as_object().unwrap());
    assert!(a.keys().eq(b.keys()), "{name}: members of the root");
    for (key, before) in a {
        let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
        let (was, is) = (list(before), list(&b[key]));
        match key.as_str() {
            "accessors" | "bufferViews" => assert_eq!(was[..], is[..was.len()], "{name}: {key}"),
            "buffers" => {}
            "nodes" => {
                for (was, is) in was.iter().zip(&is).filter(|(was, _)| was.get("matrix").is_none()) {
                    assert_eq!(was, is, "{name}");
                }
            }
            "animations" => {
                for (index, (was, is)) in was.iter().zip(&is).enumerate() {
                    assert_eq!(was == is, index != animation, "{name}: animation {index}");
                }
            }
            _ => assert_eq!(before, &b[key], "{name}: {key}"),
        }
    }
    for (before, after) in old.buffers().iter().zip(new.buffers()) {
        assert!(after.starts_with(before), "{name}: the bytes of a buffer changed");
    }
}

/// The channels of an animation with their samplers.
fn channels(opened: &Opened, animation: usize) -> Vec<(Value, Value)> {
    let animation = &document(opened).json()["animations"][animation];
    let sampler = |channel: &Value| animation["samplers"][channel["sampler"].as_u64().unwrap() as usize].clone();
    animation["channels"].as_array().unwrap().iter().map(|c| (c["target"].clone(), sampler(c))).collect()
}

fn animation_of(opened: &Opened, clip: usize) -> usize {
    gltf::animations_of_clips(document(opened)).unwrap()[clip]
}

#[test]
fn a_file_that_nobody_changed_is_written_as_it_was_read() {
    for (name, clip) in all_clips() {
        let file = opened(name);
        let index = clip_named(&file, clip);
        let original = std::fs::read(data(name)).unwrap();
        assert_eq!(bytes(&file).file, original, "{name}");
        let ready = prepared(&file, index);
        let same = corrected(&file, index, &ready.units, &ready.clip, &ready.clip).unwrap();
        assert_eq!(bytes(&same).file, original, "{name}");
        let same = retimed(&file, index, &TimeMap::identity(ready.clip.frames())).unwrap();
        assert_eq!(bytes(&same).file, original, "{name}");
    }
}

#[test]
fn roots_that_move_and_turn_change_their_own_curves_in_these_frames_alone() {
    for (name, clip) in all_clips() {
        let file = opened(name);
        let index = clip_named(&file, clip);
        let animation = animation_of(&file, index);
        let before = prepared(&file, index);
        let last = before.clip.frames() - 1;
        let range = (last / 3, 2 * last / 3);
        for (what, wanted, path) in [
            ("moved", shifted(&before, range, DVec3::new(0.02, 0.05, 0.0)), "translation"),
            ("turned", spun(&before, range, 0.6), "rotation"),
        ] {
            let after = corrected(&file, index, &before.units, &before.clip, &wanted)
                .unwrap_or_else(|error| panic!("{name} {clip} {what}: {error}"));
            assert_the_rest_is_untouched(name, &file, &after, animation);
            let back = prepared_like(&after, index, &before);
            assert_eq!(back.clip.frame_time, before.clip.frame_time, "{name} {clip}");
            let off = distance(&before, &wanted, &back.clip);
            assert!(off < 2e-6, "{name} {clip} {what}: {off} m");
            let (old, new) = (channels(&file, animation), channels(&after, animation));
            let roots = before.character.skeleton.roots().count();
            let changed = old.iter().zip(&new).filter(|(old, new)| old != new);
            let changed: Vec<_> = changed.map(|((target, _), _)| target["path"].as_str().unwrap()).collect();
            let added = new.len() - old.len();
            assert!(changed.len() + added <= roots, "{name} {clip} {what}: {changed:?} and {added} new");
            assert!(changed.iter().all(|changed| *changed == path), "{name} {clip} {what}: {changed:?}");
            let mut same = 0;
            for frame in (0..range.0).chain(range.1 + 1..=last) {
                same += usize::from(same_frame(&before.clip, frame, &back.clip, frame));
            }
            let outside = last + 1 - (range.1 + 1 - range.0);
            // The rest rotation of a node with a matrix is rounded to 32-bit floats.
            let rounded = name == "gltf/cesium_man.gltf" && what == "turned";
            assert!(same == outside || rounded, "{name} {clip} {what}: {same} of {outside} frames bitwise");
        }
    }
}

#[test]
fn s12_keys_outside_the_phase_are_shifted_rigidly_in_a_gltf() {
    for (name, clip) in all_clips() {
        let file = opened(name);
        let index = clip_named(&file, clip);
        let before = &file.imported.clips[index];
        let last = before.frames() - 1;
        let (first, end) = (last / 3, 2 * last / 3);
        for intervals in [end - first + 6, (end - first).saturating_sub(2).max(1)] {
            let map = TimeMap::stretched(before.frames(), first, end, intervals).unwrap();
            if map.is_identity() {
                continue;
            }
            let after = retimed(&file, index, &map).unwrap_or_else(|error| panic!("{name} {clip}: {error}"));
            assert_the_rest_is_untouched(name, &file, &after, animation_of(&file, index));
            let now = &after.imported.clips[index];
            assert_eq!((now.frames(), now.frame_time), (map.frames(), before.frame_time), "{name} {clip}");
            let ready = prepared(&file, index);
            let back = prepared_like(&after, index, &ready);
            let expected = map.apply(&ready.clip);
            let (mut outside, mut inside, mut same, mut count) = (0.0_f64, 0.0_f64, 0, 0);
            for frame in 0..now.frames() {
                let cut = |clip: &muybridge::motion::Clip| clip.cut(frame, frame + 1);
                let off = distance(&ready, &cut(&expected), &cut(&back.clip));
                match map.old_frame(frame) {
                    Some(source) if frame <= first || frame >= first + intervals => {
                        same += usize::from(same_frame(&ready.clip, source, &back.clip, frame));
                        count += 1;
                        outside = outside.max(off);
                    }
                    _ => inside = inside.max(off),
                }
            }
            // Sparse curves through an end of the span get a key there, in 32-bit floats.
            let cut =
                [("gltf/Fox.glb", "Run"), ("gltf/kenney_platformer_character.glb", "jump")].contains(&(name, clip));
            assert!(same == count || cut, "{name} {clip}: {same} of {count} frames bitwise");
            assert!(inside < 1e-6, "{name} {clip}: {inside} m from the clip's own splines");
            assert!(bytes(&after).notes.is_empty(), "{name} {clip}: {:?}", bytes(&after).notes);
            assert!(outside < 2e-6, "{name} {clip}: {outside}");
        }
    }
}

#[test]
fn any_bone_moves_where_it_is_told_and_its_children_with_it_under_any_scale() {
    for (name, clip) in all_clips() {
        let file = opened(name);
        let index = clip_named(&file, clip);
        let before = prepared(&file, index);
        let last = before.clip.frames() - 1;
        for bone in (1..before.clip.bones()).step_by(7) {
            let mut wanted = before.clip.clone();
            for frame in last / 3..=last / 2 {
                let turn = exp(DVec3::new(0.1, -0.2, 0.15));
                wanted.set_rotation(bone, frame, (before.clip.rotation(bone, frame) * turn).normalize());
                let moved = before.clip.translation(bone, frame) + DVec3::new(0.01, 0.0, -0.02);
                wanted.set_translation(bone, frame, moved);
            }
            match corrected(&file, index, &before.units, &before.clip, &wanted) {
                Ok(after) => {
                    let off = distance(&before, &wanted, &prepared_like(&after, index, &before).clip);
                    assert!(off < 2e-6, "{name} {clip} bone {bone}: {off} m");
                }
                Err(error) => assert!(error.message.contains("protect"), "{name} {clip} bone {bone}: {error}"),
            }
        }
    }
}

#[test]
fn a_root_that_stands_on_another_axis_is_moved_along_it() {
    let file = opened("gltf/Fox.glb");
    let index = clip_named(&file, "Run");
    for up in [Axis::X, Axis::Z] {
        let preparation = Preparation { up: Some(up), unit: Some(0.02), ..Preparation::default() };
        let before = prepare(&file.imported, index, &preparation).unwrap();
        let mut wanted = shifted(&before, (4, 8), DVec3::new(0.1, 0.3, -0.2));
        let root = before.character.skeleton.roots().next().unwrap();
        wanted.set_rotation(root, 6, (exp(DVec3::new(0.3, 0.4, 0.5)) * wanted.rotation(root, 6)).normalize());
        let after = corrected(&file, index, &before.units, &before.clip, &wanted).unwrap();
        let back = prepare(&after.imported, index, &preparation).unwrap();
        let off = distance(&before, &wanted, &back.clip);
        assert!(off < 2e-6, "{up:?}: {off} m");
    }
}

/// Key times and values of the sampler of a channel.
fn keys(opened: &Opened, animation: usize, channel: usize) -> (Vec<f32>, Vec<f32>) {
    let document = document(opened);
    let json = document.json();
    let animation = &json["animations"][animation];
    let sampler = &animation["samplers"][animation["channels"][channel]["sampler"].as_u64().unwrap() as usize];
    let floats = |accessor: &Value| -> Vec<f32> {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        assert_eq!(accessor["componentType"], 5126);
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) + accessor["byteOffset"].as_u64().unwrap_or(0);
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let bytes = &document.buffers()[view["buffer"].as_u64().unwrap() as usize][start as usize..];
        let count = accessor["count"].as_u64().unwrap() as usize * width;
        bytes.chunks_exact(4).take(count).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    (floats(&sampler["input"]), floats(&sampler["output"]))
}

/// A file with a node that moves by a spline, a step and linear curves with few keys, and with morph weights: 11 frames at 30 per
/// second, positions s³ − s with s = 3 t from 0 to 1.
fn few_keys() -> Opened {
    with_channels(&[(0, 0, "translation"), (1, 1, "translation"), (2, 1, "weights"), (3, 1, "scale")])
}

/// The numbers of [`few_keys`], read by these channels: sampler, node, path.
fn with_channels(channels: &[(usize, usize, &str)]) -> Opened {
    let frames: Vec<f32> = (0..11).map(|k| 0.1 * k as f32).collect();
    let sparse = [0.0f32, 0.3, 0.7, 1.0];
    let seconds = |s: &[f32]| -> Vec<f32> { s.iter().map(|s| s / 3.0).collect() };
    let x = |s: f32| s * s * s - s;
    let slope = |s: f32| 3.0 * (3.0 * s * s - 1.0);
    let dense: Vec<f32> = frames.iter().flat_map(|&s| [0.0, x(s), 0.0]).collect();
    let spline: Vec<f32> =
        sparse.iter().flat_map(|&s| [slope(s), 0.0, 0.0, x(s), 0.0, 0.0, slope(s), 0.0, 0.0]).collect();
    let weights: Vec<f32> = sparse.iter().flat_map(|&s| [s, 1.0 - s]).collect();
    let steps: Vec<f32> = sparse.iter().flat_map(|&s| [1.0, 1.0 + s, 1.0]).collect();
    let lists = [seconds(&frames), seconds(&sparse), dense, spline, weights, steps];
    let kinds = ["SCALAR", "SCALAR", "VEC3", "VEC3", "SCALAR", "VEC3"];
    let (mut bytes, mut accessors) = (Vec::new(), Vec::new());
    for (list, kind) in lists.iter().zip(kinds) {
        let count = list.len() / if kind == "VEC3" { 3 } else { 1 };
        accessors.push(
            json!({"bufferView": 0, "byteOffset": bytes.len(), "componentType": 5126, "count": count, "type": kind}),
        );
        bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
    }
    let sampler =
        |input: usize, output: usize, how: &str| json!({"input": input, "output": output, "interpolation": how});
    let channel = |(sampler, node, path): &(usize, usize, &str)| json!({"sampler": sampler, "target": {"node": node, "path": path}});
    let channels: Vec<Value> = channels.iter().map(channel).collect();
    let json = json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "a", "children": [1]}, {"name": "b"}],
        "buffers": [{"byteLength": bytes.len(), "uri": "numbers%20of%20it.bin"}],
        "bufferViews": [{"buffer": 0, "byteLength": bytes.len()}],
        "accessors": accessors,
        "animations": [{
            "samplers": [sampler(0, 2, "LINEAR"), sampler(1, 3, "CUBICSPLINE"), sampler(1, 4, "LINEAR"), sampler(1, 5, "STEP"), sampler(1, 5, "LINEAR")],
            "channels": channels,
        }],
    });
    let folder = std::env::temp_dir().join(format!(
        "muybridge_few_keys_{}_{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("few.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    std::fs::write(folder.join("numbers of it.bin"), &bytes).unwrap();
    let opened = open(&path, &OpenOptions::default()).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    opened
}

#[test]
fn sparse_curves_keep_their_keys_and_splines_their_shape_when_time_is_stretched() {
    let file = few_keys();
    assert_eq!(file.imported.clips[0].frames(), 11);
    // Frames 2 to 8 take twice as long.
    let map = TimeMap::stretched(11, 2, 8, 12).unwrap();
    let after = retimed(&file, 0, &map).unwrap();
    assert_eq!((after.imported.clips[0].frames(), after.imported.clips[0].frame_time), (17, 1.0 / 30.0));
    let frames = |times: &[f32]| -> Vec<i32> {
        times.iter().map(|t| (30.0 * t).round() as i32).inspect(|&k| assert!((0..=16).contains(&k))).collect()
    };
    let (times, values) = keys(&after, 0, 0);
    assert_eq!(frames(&times), (0..=16).collect::<Vec<_>>());
    // Half-way between four values of a cubic, the spline through them is the cubic.
    for (k, y) in values.chunks_exact(3).enumerate() {
        let t = 0.1 * map.source(k);
        assert!((f64::from(y[1]) - (t * t * t - t)).abs() < 1e-6, "{k}");
    }
    // The spline has its keys at 0.3 and 0.7, twice as far from 0.2, and one at each end of the span.
    let (times, values) = keys(&after, 0, 1);
    assert_eq!(frames(&times), [0, 2, 4, 12, 14, 16]);
    let old = [0.0, 0.2, 0.3, 0.7, 0.8, 1.0];
    for (k, key) in values.chunks_exact(9).enumerate() {
        let (x, slope) = (old[k] * old[k] * old[k] - old[k], 3.0 * (3.0 * old[k] * old[k] - 1.0));
        let arriving = if (2..=4).contains(&k) { 0.5 * slope } else { slope };
        let leaving = if (1..=3).contains(&k) { 0.5 * slope } else { slope };
        assert!((f64::from(key[3]) - x).abs() < 1e-6, "{k}");
        let ends = (f64::from(key[0]) - arriving, f64::from(key[6]) - leaving);
        assert!((k == 0 || ends.0.abs() < 1e-6) && (k == 5 || ends.1.abs() < 1e-6), "{k}: {ends:?}");
    }
    let (times, values) = keys(&after, 0, 2);
    assert_eq!(frames(&times), [0, 2, 4, 12, 14, 16]);
    assert!(values.chunks_exact(2).zip(old).all(|(w, t)| (f64::from(w[0]) - t).abs() < 1e-6));
    let (times, values) = keys(&after, 0, 3);
    assert_eq!(frames(&times), [0, 4, 12, 16]);
    assert_eq!(values, keys(&file, 0, 3).1);
    assert_eq!(channels(&after, 0)[3].1["interpolation"], "STEP");
}

#[test]
fn keys_that_land_on_a_coarser_grid_still_tell_the_frame_rate() {
    // Linear curves with keys at frames 0, 3, 7 and 10 that move to 0, 4, 12 and 16: every fourth.
    let sparse = with_channels(&[(4, 1, "translation"), (3, 0, "scale")]);
    let map = TimeMap::new(
        [0.0, 0.75, 1.5, 2.25]
            .into_iter()
            .chain((0..8).map(|k| 3.0 + 0.5 * f64::from(k)))
            .chain([7.0, 7.75, 8.5, 9.25, 10.0])
            .collect(),
    )
    .unwrap();
    assert_eq!(map.frames(), 17);
    let dense = retimed(&few_keys(), 0, &map).unwrap();
    assert!(bytes(&dense).notes.is_empty());
    let after = retimed(&sparse, 0, &map).unwrap();
    let clip = &after.imported.clips[0];
    assert_eq!((clip.frames(), clip.frame_time), (17, 1.0 / 30.0));
    assert!(bytes(&after).notes[0].contains("a curve got keys at every frame"), "{:?}", bytes(&after).notes);
    assert_eq!(keys(&after, 0, 0).0.len(), 17);
}

#[test]
fn a_spline_with_few_keys_takes_a_correction_and_is_itself_elsewhere() {
    let file = few_keys();
    let before = &file.imported.clips[0];
    let units = Units {
        meters_per_unit: 1.0,
        unit_source: String::new(),
        up: Axis::Y,
        up_source: String::new(),
        suspicious: None,
    };
    let mut wanted = before.clone();
    for frame in 4..=6 {
        wanted.set_translation(1, frame, before.translation(1, frame) + DVec3::new(0.25, 0.0, 0.5));
    }
    let after = corrected(&file, 0, &units, before, &wanted).unwrap();
    let now = &after.imported.clips[0];
    assert_eq!((now.frames(), now.frame_time), (11, 1.0 / 30.0));
    for frame in 0..11 {
        let off = now.translation(1, frame).distance(wanted.translation(1, frame));
        assert!(off < 1e-7, "{frame}: {off}");
    }
    let (times, values) = keys(&after, 0, 1);
    let frames: Vec<i32> = times.iter().map(|t| (30.0 * t).round() as i32).collect();
    assert_eq!(frames, [0, 3, 4, 5, 6, 7, 10]);
    // Tangents on the outer sides of the corrected frames are those of t³ − t.
    let slope = |s: f32| 3.0 * (3.0 * s * s - 1.0);
    assert!((values[9] - slope(0.3)).abs() < 1e-6 && (values[5 * 9 + 6] - slope(0.7)).abs() < 1e-6);
    assert!((values[9 + 6] - slope(0.3) - 30.0 * 0.25 / 2.0).abs() < 1e-5, "leaving towards the correction");
    assert_eq!(channels(&file, 0)[0], channels(&after, 0)[0]);
    assert_eq!(channels(&file, 0)[2], channels(&after, 0)[2]);
}

#[test]
fn numbers_beside_a_gltf_get_its_name() {
    let file = few_keys();
    let original = bytes(&file);
    assert_eq!((original.extension, original.beside[0].name.as_str()), ("gltf", "numbers of it.bin"));
    let map = TimeMap::stretched(11, 2, 8, 7).unwrap();
    let mut written = bytes(&retimed(&file, 0, &map).unwrap());
    assert!(written.beside[0].bytes.starts_with(&original.beside[0].bytes));
    (written.file, written.beside) = renamed_beside(&written.file, &written.beside, "run 2 größer").unwrap();
    assert_eq!(written.beside.len(), 1);
    assert_eq!(written.beside[0].name, "run 2 größer.bin");
    let text = String::from_utf8(written.file.clone()).unwrap();
    assert!(text.contains("\"run%202%20gr%C3%B6%C3%9Fer.bin\"") && !text.contains("numbers"), "{text}");
    let find = |name: &str| SideFile::find(&written.beside, name);
    let again = gltf::parse(&written.file, &mut |name| find(name)).unwrap();
    assert_eq!(gltf::import(&again, &gltf::ImportOptions::default()).unwrap().clips[0].frames(), 12);
}

#[test]
fn a_rate_asked_for_goes_into_the_file() {
    let files = [("bvh/mass_run.bvh", 60.0), ("gltf/Fox.glb", 30.0), ("truth/mj_jump_120.glb", 40.0)];
    for (name, fps) in here(files, |case| case.0.into()) {
        let file = open(&data(name), &OpenOptions { fps: Some(fps) }).unwrap();
        let clip = file.imported.clips[0].clone();
        let (file, notes) = writable(file, true, "").unwrap();
        let now = &file.imported.clips[0];
        assert_eq!((now.frames(), now.frame_time), (clip.frames(), clip.frame_time), "{name} {notes:?}");
        let before = prepared(&file, 0);
        let wanted = shifted(&before, (3, 6), DVec3::new(0.0, 0.1, 0.0));
        let after = corrected(&file, 0, &before.units, &before.clip, &wanted).unwrap();
        assert!(distance(&before, &wanted, &prepared_like(&after, 0, &before).clip) < 2e-6, "{name}");
        let map = TimeMap::stretched(now.frames(), 3, 6, 5).unwrap();
        assert_eq!(retimed(&after, 0, &map).unwrap().imported.clips[0].frames(), now.frames() + 2, "{name}");
    }
}

#[test]
fn clips_of_every_shared_file_are_corrected_and_retimed_at_its_own_rate() {
    let mut clips = 0;
    for folder in ["gltf", "vrm", "truth"] {
        for path in in_folder(folder) {
            let Ok(file) = open(&path, &OpenOptions::default()) else { continue };
            let SourceDocument::Gltf(_) = &file.document else { continue };
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // Every fourth clip of files with many clips.
            let step = if file.imported.clips.len() > 20 { 4 } else { 1 };
            for (index, clip) in file.imported.clips.iter().enumerate().step_by(step) {
                if clip.frames() < 7 {
                    continue;
                }
                let place = format!("{name} “{}”", clip.name);
                let last = clip.frames() - 1;
                let ready = prepared(&file, index);
                let wanted = shifted(&ready, (2, last - 2), DVec3::new(0.01, 0.02, 0.03));
                let after = corrected(&file, index, &ready.units, &ready.clip, &wanted)
                    .unwrap_or_else(|error| panic!("{place}: {error}"));
                let back = prepared_like(&after, index, &ready);
                let off = distance(&ready, &wanted, &back.clip);
                assert!(off < 2e-6, "{place}: {off} m");
                for intervals in [last, (last - 4) / 2 + 1] {
                    let map = TimeMap::stretched(clip.frames(), 2, last - 2, intervals).unwrap();
                    let after = retimed(&file, index, &map).unwrap_or_else(|error| panic!("{place}: {error}"));
                    let now = &after.imported.clips[index];
                    assert_eq!((now.frames(), now.frame_time), (map.frames(), clip.frame_time), "{place}");
                    assert!(bytes(&after).notes.is_empty(), "{place}: {:?}", bytes(&after).notes);
                    if clips % 8 == 0 {
                        assert_eq!(read_afresh(&after), after.imported, "{place}");
                    }
                }
                clips += 1;
            }
        }
    }
    assert!(clips > if whole() { 50 } else { 4 }, "{clips} clips");
}

/// Reads the written file without the document before.
fn read_afresh(opened: &Opened) -> Imported {
    let written = bytes(opened);
    let beside = |name: &str| SideFile::find(&written.beside, name);
    gltf::import(&gltf::parse(&written.file, &mut |name| beside(name)).unwrap(), &gltf::ImportOptions::default())
        .unwrap()
}
