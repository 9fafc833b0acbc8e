//! Any bytes as a triangle mesh give the same mesh twice, with valid and distinct corners, or an error.

use muybridge_files::mesh::{MeshOptions, read};

pub fn fuzz(bytes: &[u8]) {
    for weld in [None, Some(0.0), Some(0.01)] {
        let read = || read(bytes, &MeshOptions { weld }, &mut |_| Some(bytes[..bytes.len().min(256)].to_vec()));
        let first = read();
        assert_eq!(first, read());
        let Ok(found) = first else { continue };
        let mesh = found.mesh;
        assert!(mesh.points.iter().all(|point| point.is_finite()));
        assert!(mesh.uv.is_none_or(|uv| uv.len() == mesh.points.len()));
        for [a, b, c] in mesh.triangles {
            assert!(a != b && b != c && c != a && a.max(b).max(c) < mesh.points.len());
        }
    }
}
