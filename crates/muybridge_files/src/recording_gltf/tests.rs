//! A run built by hand, written and read back by two readers.

use std::f64::consts::TAU;

use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::samples;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::{Drawn, Track};

use super::*;
use crate::gltf::{ImportOptions, import, parse};
use crate::open::{OpenOptions, decode};

/// A jumper, a tumbling box, a rope, a waving sheet and a floor tile over the 151 frames of the jump.
fn run() -> Recording {
    let clip = samples::jump();
    let (frames, frame_time) = (clip.frames(), clip.frame_time);
    let solid = |shape| vec![PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }];
    let phase = |frame: usize| TAU * frame as f64 / frames as f64;
    let tumble = |frame: usize| {
        let turn = DQuat::from_axis_angle(DVec3::ONE.normalize(), 3.0 * phase(frame));
        (DVec3::new(phase(frame), 1.0, 0.0), turn)
    };
    let rope = |frame: usize| (0..5).map(|i| DVec3::new(0.3 * f64::from(i), libm::sin(phase(frame)), 2.0)).collect();
    let wave = |frame: usize| {
        let at = |i: i32, j: i32| DVec3::new(f64::from(i), libm::sin(phase(frame) + f64::from(i)), f64::from(j));
        (0..9).map(|index| at(index % 3, index / 3)).collect()
    };
    let corner = |index: usize| index / 2 * 3 + index % 2;
    let triangles =
        (0..4).flat_map(|i| [[corner(i), corner(i) + 3, corner(i) + 1], [corner(i) + 1, corner(i) + 3, corner(i) + 4]]);
    let track = |name: &str, obstacle, drawn| Track { name: name.into(), obstacle, drawn };
    let tumbling = Drawn::Body {
        shapes: solid(Shape::Box { half_extents: DVec3::splat(0.2) }),
        shell: None,
        poses: (0..frames).map(tumble).collect(),
    };
    let tile = Drawn::Body {
        shapes: solid(Shape::Box { half_extents: DVec3::new(3.0, 0.1, 3.0) }),
        shell: None,
        poses: vec![(-0.1 * DVec3::Y, DQuat::IDENTITY)],
    };
    let segments = (0..4).map(|i| [i, i + 1]).collect();
    Recording {
        name: "everything".into(),
        frame_time,
        frames,
        characters: vec![("jumper".into(), samples::humanoid(), clip)],
        tracks: vec![
            track("crate", false, tumbling),
            track("tile", true, tile),
            track("rope", false, Drawn::Lines { segments, radius: 0.02, points: (0..frames).map(rope).collect() }),
            track(
                "sheet",
                false,
                Drawn::Mesh { triangles: triangles.collect(), points: (0..frames).map(wave).collect() },
            ),
        ],
        chains: Vec::new(),
        measures: Vec::new(),
        exertions: Vec::new(),
        follows: Vec::new(),
        log: Vec::new(),
        warnings: Vec::new(),
        ground: Some(0.0),
    }
}

#[test]
fn the_clip_of_a_character_comes_back_as_it_was_recorded() {
    let recording = run();
    let file = export(&recording, &Skins::default(), &RecordingOptions::default()).unwrap().file;
    let read = import(&parse(&file, &mut |_| None).unwrap(), &ImportOptions::default()).unwrap();
    let (_, character, clip) = &recording.characters[0];
    let found = &read.clips[0];
    assert_eq!((found.frames(), found.start_time), (clip.frames(), 0.0));
    assert!((found.frame_time - clip.frame_time).abs() < 1e-9, "{}", found.frame_time);
    for (index, bone) in character.skeleton.bones().iter().enumerate() {
        let there = read.skeleton.find(&bone.name).unwrap();
        let parent = |skeleton: &muybridge::character::Skeleton, parent: Option<usize>| {
            parent.map(|parent| skeleton.bones()[parent].name.clone())
        };
        let (was, is) = (bone.parent, read.skeleton.bones()[there].parent);
        assert_eq!(parent(&character.skeleton, was), parent(&read.skeleton, is));
        assert_eq!(read.skeleton.bones()[there].ends.len(), bone.ends.len());
        for frame in 0..clip.frames() {
            let turned = clip.rotation(index, frame).dot(found.rotation(there, frame)).abs();
            assert!(turned > 1.0 - 1e-12, "{} {frame}: {turned}", bone.name);
            let apart = clip.translation(index, frame).distance(found.translation(there, frame));
            assert!(apart < 1.2e-7, "{} {frame}: {apart}", bone.name);
        }
    }
}

#[test]
fn each_of_several_characters_is_read_as_it_was_recorded() {
    let mut recording = run();
    let (_, character, mut moved) = recording.characters[0].clone();
    for frame in 0..moved.frames() {
        moved.set_translation(0, frame, moved.translation(0, frame) + DVec3::X * (2.0 + 0.1 * frame as f64));
    }
    recording.characters.push(("second".into(), character, moved));
    let read = |recording: &Recording| {
        let file = export(recording, &Skins::default(), &RecordingOptions::default()).unwrap().file;
        let opened = decode("run.glb".as_ref(), file, &OpenOptions::default()).unwrap();
        opened.characters().unwrap().into_iter().map(|one| one.imported).collect::<Vec<_>>()
    };
    let apart = read(&recording);
    assert_eq!(apart.len(), 2);
    for ((name, character, clip), own) in recording.characters.iter().zip(&apart) {
        let [found] = &own.clips[..] else { panic!("one clip") };
        assert_eq!((&own.character, found.frames()), (name, clip.frames()));
        let bones = character.skeleton.bones();
        for (index, bone) in bones.iter().enumerate() {
            let there = (own.skeleton.bones().iter()).position(|there| there.name.ends_with(&bone.name)).unwrap();
            for frame in 0..clip.frames() {
                let far = clip.translation(index, frame).distance(found.translation(there, frame));
                assert!(far < 1e-6, "{name} {} {frame}: {far}", bone.name);
            }
        }
        // The node above the bones is the only bone that the character does not have.
        assert!(own.skeleton.len() <= bones.len() + 1 && own.shapes.len() <= own.skeleton.len());
    }
    assert_eq!(read(&run())[0].character, "", "one character is the whole file");
}

/// Numbers of an accessor as the crate `gltf` reads them.
fn numbers(file: &[u8], accessor: &gltf::Accessor) -> Vec<f32> {
    let bin = gltf::Glb::from_slice(file).unwrap().bin.unwrap().into_owned();
    let view = accessor.view().unwrap();
    let from = view.offset() + accessor.offset();
    let bytes = &bin[from..from + accessor.count() * accessor.size()];
    bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

#[test]
fn another_reader_finds_the_bounds_the_skins_the_keys_and_the_targets() {
    let recording = run();
    let written = export(&recording, &Skins::default(), &RecordingOptions::default()).unwrap();
    let document = gltf::Gltf::from_slice(&written.file).unwrap().document;
    for accessor in document.accessors() {
        let view = accessor.view().unwrap();
        assert!(accessor.offset() + accessor.count() * accessor.size() <= view.length());
        assert_eq!((view.offset() + accessor.offset()) % 4, 0);
    }
    for primitive in document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()) {
        let positions = primitive.get(&gltf::Semantic::Positions).unwrap();
        let values = numbers(&written.file, &positions);
        let bounds = primitive.bounding_box();
        for axis in 0..3 {
            let axis_values = || values.iter().skip(axis).step_by(3).copied();
            assert_eq!(axis_values().fold(f32::INFINITY, f32::min), bounds.min[axis]);
            assert_eq!(axis_values().fold(f32::NEG_INFINITY, f32::max), bounds.max[axis]);
        }
        let count = primitive.indices().unwrap().count();
        assert!(count > 0 && count % 3 == 0);
    }
    assert_eq!(document.skins().count(), 2, "the jumper and the rope");
    let sheet = document.nodes().find(|node| node.name() == Some("sheet")).unwrap().mesh().unwrap();
    let primitive = sheet.primitives().next().unwrap();
    let (base, targets) = (primitive.get(&gltf::Semantic::Positions).unwrap(), primitive.morph_targets());
    let base = numbers(&written.file, &base);
    let Drawn::Mesh { points, .. } = &recording.tracks[3].drawn else { unreachable!() };
    let mut count = 0;
    for (index, target) in targets.enumerate() {
        let deltas = numbers(&written.file, &target.positions().unwrap());
        let frame = points[index + 1].iter().flat_map(|point| point.to_array());
        for ((base, delta), recorded) in base.iter().zip(&deltas).zip(frame) {
            assert!((f64::from(base + delta) - recorded).abs() < 3e-7);
        }
        count += 1;
    }
    assert_eq!(count, recording.frames - 1);
    let tile = document.nodes().find(|node| node.name() == Some("tile")).unwrap().index();
    let channels = document.animations().next().unwrap();
    assert!(channels.channels().all(|channel| channel.target().node().index() != tile), "an obstacle has no keys");
}

#[test]
fn a_long_run_of_cloth_is_thinned_and_a_run_too_large_is_refused() {
    let recording = run();
    let options = RecordingOptions { most_targets: 40, ..RecordingOptions::default() };
    let written = export(&recording, &Skins::default(), &options).unwrap();
    assert_eq!(written.notes.len(), 1, "{:?}", written.notes);
    let document = gltf::Gltf::from_slice(&written.file).unwrap().document;
    let sheet = document.nodes().find(|node| node.name() == Some("sheet")).unwrap().mesh().unwrap();
    assert!((30..=40).contains(&sheet.primitives().next().unwrap().morph_targets().count()));
    let error = export(&recording, &Skins::default(), &RecordingOptions { most_bytes: 1000, ..options }).unwrap_err();
    assert!(error.to_string().contains("fewer frames per second"), "{error}");
}

#[test]
fn what_does_not_fit_together_is_named() {
    let mut recording = run();
    let Drawn::Mesh { points, .. } = &mut recording.tracks[3].drawn else { unreachable!() };
    points[7].pop();
    let error = export(&recording, &Skins::default(), &RecordingOptions::default()).unwrap_err();
    assert!(error.to_string().contains("sheet") && error.to_string().contains("frame 7"), "{error}");
    let mut recording = run();
    let Drawn::Body { poses, .. } = &mut recording.tracks[0].drawn else { unreachable!() };
    poses[3].0.x = f64::NAN;
    let error = export(&recording, &Skins::default(), &RecordingOptions::default()).unwrap_err();
    assert!(error.to_string().contains("crate"), "{error}");
}

#[test]
fn several_characters_keep_their_names_apart_and_an_empty_run_is_a_file() {
    let mut recording = run();
    let again = recording.characters[0].clone();
    recording.characters.push(("second".into(), again.1, again.2));
    let file = export(&recording, &Skins::default(), &RecordingOptions::default()).unwrap().file;
    let document = gltf::Gltf::from_slice(&file).unwrap().document;
    let names: Vec<&str> = document.nodes().filter_map(|node| node.name()).collect();
    assert!(names.contains(&"Hips") && names.contains(&"second.Hips"));
    assert!(names.contains(&"jumper") && names.contains(&"second"), "a node above the bones of each");
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len());
    let empty = Recording { characters: Vec::new(), tracks: Vec::new(), ..run() };
    gltf::Gltf::from_slice(&export(&empty, &Skins::default(), &RecordingOptions::default()).unwrap().file).unwrap();
}
