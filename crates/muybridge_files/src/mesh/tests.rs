//! Meshes from texts and from glTF trees built by hand.

use super::*;

fn obj(text: &str, weld: Option<f64>) -> Result<ReadMesh, Error> {
    read(text.as_bytes(), &MeshOptions { weld }, &mut |_| None)
}

fn area(mesh: &ImportedMesh) -> f64 {
    let of =
        |&[a, b, c]: &[usize; 3]| (mesh.points[b] - mesh.points[a]).cross(mesh.points[c] - mesh.points[a]).length();
    0.5 * mesh.triangles.iter().map(of).sum::<f64>()
}

/// A cube of 2 m as quads, with indices from 1 and from the end.
const CUBE: &str = "# cube\no box\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1 0.5 0.5 0.5\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\n\
                    v -1 1 1\nvn 0 0 1\nf 1 4 3 2\nf 5//1 6//1 7//1 8//1\nf -8 -7 -3 -4\nf 2 3 7 6\nf 3 4 8 \\\n 7\nf 4 1 5 8\n";

#[test]
fn a_cube_of_quads_is_twelve_triangles_that_enclose_its_volume() {
    let read = obj(CUBE, None).unwrap();
    assert_eq!((read.mesh.points.len(), read.mesh.triangles.len()), (8, 12));
    assert_eq!(area(&read.mesh), 24.0);
    let solid = muybridge::collision::polyhedron::of_mesh(&read.mesh.points, &read.mesh.triangles, 1.0).unwrap();
    assert!((solid.mass - 8.0).abs() < 1e-12);
    assert!(read.notes.is_empty() && read.mesh.uv.is_none());
}

#[test]
fn points_on_a_seam_are_joined_and_what_is_nothing_is_left_out() {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 -0 0\nv 1 1 1e-9\nv 0 1 0\nv 9 9 9\nvt 0 0\nvt 1 0.5\n\
                f 1/1 2/1 3/2\nf 4/1 5/2 6/2\nf 1/1 1/1 2/2\nl 1 2\n";
    let apart = obj(text, None).unwrap();
    assert_eq!((apart.mesh.points.len(), apart.mesh.triangles.len()), (6, 2));
    assert_eq!(apart.mesh.uv.as_ref().unwrap()[2], DVec2::new(1.0, 0.5));
    assert_eq!(apart.notes.len(), 3, "{:?}", apart.notes);
    let equal = obj(text, Some(0.0)).unwrap();
    assert_eq!((equal.mesh.points.len(), &equal.mesh.triangles[..]), (5, &[[0, 1, 2], [0, 3, 4]][..]));
    let near = obj(text, Some(1e-6)).unwrap();
    assert_eq!((near.mesh.points.len(), &near.mesh.triangles[..]), (4, &[[0, 1, 2], [0, 2, 3]][..]));
    assert_eq!(near.mesh.uv.unwrap().len(), 4);
}

#[test]
fn joining_finds_the_same_points_as_comparing_each_with_each() {
    // A linear congruential generator (Knuth's MMIX); its leading bits are used.
    let mut state = 7_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut point = || DVec3::new(unit(), unit(), unit());
    let mesh = ImportedMesh { points: (0..400).map(|_| point()).collect(), ..ImportedMesh::default() };
    let distance = 0.08;
    let mut kept: Vec<DVec3> = Vec::new();
    for &point in &mesh.points {
        if kept.iter().all(|other| other.distance(point) > distance) {
            kept.push(point);
        }
    }
    assert_eq!(mesh.welded(distance).points, kept);
    assert!(kept.len() < 390 && kept.len() > 100, "{}", kept.len());
}

#[test]
fn bad_texts_get_a_sentence_with_the_line() {
    for (text, line, words) in [
        ("v 0 0\nf 1 1 1\n", 1, "3 numbers were expected"),
        ("v 0 0 0\nv 0 x 0\n", 2, "“x” is not a finite number"),
        ("v 0 0 nan\n", 1, "not a finite number"),
        ("v 0 0 0\n\nf 1 2 3\n", 3, "names point 3, the file has 1"),
        ("v 0 0 0\nf 1 1\n", 2, "at least three corners"),
        ("v 0 0 0\nf 0 1 1\n", 2, "indices count from 1"),
        ("v 0 0 0\nf -2 1 1\n", 2, "back beyond the beginning"),
        ("v 0 0 0\nf 1.5 1 1\n", 2, "a whole number was expected"),
        ("v 0 0 0\nf 1/4 1/4 1/4\n", 2, "texture coordinate 4, the file has 0"),
        ("HIERARCHY\n", 1, "begins no line of an OBJ file"),
    ] {
        let error = obj(text, None).unwrap_err();
        assert_eq!(error.place, Location::Text { line, column: 1 }, "{text:?}: {error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(obj("", None).unwrap_err().to_string().contains("no triangle"));
    assert!(obj(CUBE, Some(f64::NAN)).unwrap_err().to_string().contains("0 or more"));
    assert!(read(&[0, 1, 2], &MeshOptions::default(), &mut |_| None).is_err());
}

/// A unit square in the node's xy plane as a triangle strip with 16-bit indices; its node is mirrored, shifted and scaled.
fn square(index: u16) -> Result<ReadMesh, Error> {
    let points: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let mut bytes: Vec<u8> = points.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    bytes.extend([0, 1, 2, index].iter().flat_map(|index: &u16| index.to_le_bytes()));
    let tree = serde_json::json!({
        "asset": {"version": "2.0"},
        "nodes": [{"children": [1], "translation": [0, 5, 0]}, {"mesh": 0, "scale": [-2, 3, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 5}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5123, "count": 4, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 8},
        ],
        "buffers": [{"byteLength": 56, "uri": "square.bin"}],
    });
    let mut beside = |name: &str| (name == "square.bin").then(|| bytes.clone());
    read(tree.to_string().as_bytes(), &MeshOptions::default(), &mut beside)
}

#[test]
fn a_mirrored_strip_stands_in_the_world_and_keeps_its_outside() {
    let mesh = square(3).unwrap().mesh;
    assert_eq!(mesh.points[3], DVec3::new(-2.0, 8.0, 0.0));
    assert_eq!(area(&mesh), 6.0);
    for [a, b, c] in mesh.triangles {
        let normal = (mesh.points[b] - mesh.points[a]).cross(mesh.points[c] - mesh.points[a]);
        assert!(normal.z > 0.0, "the front of the square faces +z, mirrored in x or not");
    }
    let error = square(9).unwrap_err();
    assert_eq!(error.place, Location::Path("/meshes/0/primitives/0/indices".into()));
    assert!(error.to_string().contains("names point 9; the part has 4 points"), "{error}");
}
