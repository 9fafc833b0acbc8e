//! The FBX reader on a scene in text, on damaged files and on rates.

use muybridge::motion::WorldMotion;

use super::*;
use crate::formats::GLB;
use crate::open::SourceDocument;
use crate::{OpenOptions, convert, gltf, open, test_files};

/// A scene in text, and a binary file of the shared data.
fn files() -> Vec<Vec<u8>> {
    let binary = test_files::whole().then(|| std::fs::read(test_files::path("fbx/mj_tumble_30.fbx")).unwrap());
    [text_scene(2.0).into_bytes(), SKIN.to_vec()].into_iter().chain(binary).collect()
}

#[test]
fn a_file_cut_short_anywhere_is_an_error_or_a_clip_never_a_crash() {
    for whole in files() {
        for part in 0..40 {
            let _ = read(&whole[..whole.len() * part / 40]);
            let _ = meshes(&whole[..whole.len() * part / 40]);
        }
        for length in 0..60 {
            assert!(read(&whole[..length]).is_err());
        }
    }
}

#[test]
fn a_file_with_bytes_changed_is_an_error_or_a_clip_never_a_crash() {
    let mut state = 12345_u32;
    for whole in files() {
        for _ in 0..60 {
            let mut changed = whole.clone();
            for _ in 0..8 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = state as usize % changed.len();
                changed[at] ^= (state >> 24) as u8 | 1;
            }
            let _ = (read(&changed), meshes(&changed));
        }
    }
}

#[test]
fn x14_what_is_no_fbx_is_an_error() {
    for bytes in [&b""[..], b"Kaydara FBX Binary  \0\x1a\0", b"v 0 0 0\n", b"; FBX 7.4.0 project file\n", &[0xff; 300]]
    {
        assert!(read(bytes).is_err(), "{bytes:?}");
    }
}

#[test]
fn rates_of_exporters_are_the_whole_numbers_they_mean() {
    assert_eq!(whole_rate(29.99997), 30.0);
    assert_eq!(whole_rate(119.99995), 120.0);
    assert_eq!(whole_rate(29.97), 29.97);
}

/// A text FBX of one node moving by linear keys over `seconds`, in centimeters and z up.
fn text_scene(seconds: f64) -> String {
    let end = (seconds * 46_186_158_000.0) as i64;
    include_str!("ball.fbx").replace("92372316000", &end.to_string())
}

#[test]
fn a_ball_rising_a_hundred_centimetres_along_z_rises_one_metre_along_y() {
    let imported = read(text_scene(2.0).as_bytes()).unwrap();
    assert_eq!(imported.format, "FBX 7.4 text, centimetres, z up");
    let clip = &imported.clips[0];
    assert_eq!(
        (clip.frames(), clip.frames_per_second(), imported.skeleton.bones()[0].name.as_str()),
        (61, 30.0, "Ball")
    );
    let world = WorldMotion::new(&imported.skeleton, clip);
    for frame in 0..clip.frames() {
        let expected = DVec3::Y * (frame as f64 / 60.0);
        assert!((world.position(0, frame) - expected).length() < 1e-6, "{}", world.position(0, frame));
    }
}

#[test]
fn a_small_file_cannot_claim_a_year_of_frames() {
    let error = read(text_scene(3e7).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("cut it"), "{error}");
}

/// Two bones, 1 m high and z up in the file; a sheet of four vertices on both; the upper bone turns by 90° about x.
const SKIN: &[u8] = include_bytes!("skin.fbx");

/// A vertex of the upper bone 0.5 m above the joint turns to 0.5 m before it, one of the lower bone stays, and one that lies on
/// the axis of the joint stays whatever its weights; y is up in what is read.
#[test]
fn a_skin_bends_with_its_bones_and_does_so_too_in_the_glb_that_it_becomes() {
    let opened = open::decode("skin.fbx".as_ref(), SKIN.to_vec(), &OpenOptions::default()).unwrap();
    assert!(opened.imported.ignored.iter().any(|note| note.contains("“look”")), "{:?}", opened.imported.ignored);
    let (read, notes) = meshes(SKIN).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    let conversion = convert::Conversion::default();
    let written = convert::convert(&opened, &GLB, &conversion).unwrap().files.remove(0).file;
    let again = open::decode("skin.glb".as_ref(), written, &OpenOptions::default()).unwrap();
    let SourceDocument::Gltf(document) = &again.document else { panic!("a glTF") };
    let through = gltf::skinned_meshes(document).unwrap();
    for (meshes, imported) in [(&read, &opened.imported), (&through, &again.imported)] {
        let [mesh] = &meshes[..] else { panic!("one mesh") };
        assert_eq!((mesh.points.len(), mesh.triangles.len(), mesh.normals.len()), (4, 2, 4));
        let clip = &imported.clips[0];
        let world = WorldMotion::new(&imported.skeleton, clip);
        for (frame, top) in [(0, DVec3::new(0.0, 1.5, 0.0)), (60, DVec3::new(0.0, 1.0, 0.5))] {
            let pose: Vec<_> =
                (0..clip.bones()).map(|bone| (world.position(bone, frame), world.rotation(bone, frame))).collect();
            let mut points = Vec::new();
            mesh.pose_points(&pose, &mut points);
            let wanted = [DVec3::ZERO, DVec3::new(0.1, 1.0, 0.0), top, DVec3::new(-0.1, 1.0, 0.0)];
            for (point, wanted) in points.iter().zip(wanted) {
                assert!(point.distance(wanted) < 1e-6, "{frame}: {point} {wanted}");
            }
        }
        assert!(mesh.normals.iter().all(|normal| normal.distance(DVec3::Z) < 1e-6), "{:?}", mesh.normals);
    }
}
