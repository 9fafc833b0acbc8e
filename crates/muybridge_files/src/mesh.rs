//! Triangle meshes, for cloth, skins and obstacles.
//!
//! All parts of a file become one mesh in the frame of its scene. Cloth needs triangles that share their points: a file
//! splits points where normals or texture coordinates differ, and [`ImportedMesh::welded`] joins them again.

mod obj;
pub(crate) mod obj_writer;
mod weld;

use std::path::Path;

use muybridge::glam::{DVec2, DVec3};

use crate::formats::{self, FileFormat, listed};
use crate::sniff::sniff;
use crate::{Error, Location, gltf};

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedMesh {
    /// Points in units of the file; each is a corner of a triangle.
    pub points: Vec<DVec3>,
    /// Triangles as three different indices into `points`, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Texture coordinates of each point; `None` unless all parts of the file have them.
    pub uv: Option<Vec<DVec2>>,
}

/// A mesh, with notes on what was left out, one sentence each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadMesh {
    /// The mesh.
    pub mesh: ImportedMesh,
    /// Notes on ignored contents.
    pub notes: Vec<String>,
}

/// Options for reading a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshOptions {
    /// Weld distance in units of the file: closer points become one; 0 joins equal points, `None` joins nothing.
    pub weld: Option<f64>,
}

/// Reads a mesh from a file and, for a `.gltf`, from the files beside it. Errors name the file, the line or the JSON pointer of
/// the primitive, and the mistake.
pub fn open(path: &Path, options: &MeshOptions) -> Result<ReadMesh, Error> {
    let bytes = crate::open::read(path)?;
    let mut resolve = |name: &str| crate::open::sibling_file(path, name);
    read(&bytes, options, &mut resolve).map_err(|error| error.in_file(path))
}

/// Reads a mesh from the bytes of a file; its content tells the format. `resolve` returns the bytes of a file beside a
/// glTF, given its relative URI.
pub fn read(
    bytes: &[u8],
    options: &MeshOptions,
    resolve: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
) -> Result<ReadMesh, Error> {
    if let Some(distance) = options.weld.filter(|distance| !(distance.is_finite() && *distance >= 0.0)) {
        let message = format!("points cannot be joined over {distance}; give a distance of 0 or more");
        return Err(Error::new(Location::File, message));
    }
    // The only JSON with a mesh is glTF, and OBJ has no mark.
    let is_json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start().starts_with(b"{");
    let name = if is_json { "mesh.gltf" } else { "mesh.obj" };
    let reader = sniff(Path::new(name), bytes).ok().and_then(|format| format.mesh);
    let mut read = reader.map_or_else(|| obj::read(bytes), |read| read(bytes, resolve))?;
    if let Some(distance) = options.weld {
        read.mesh = read.mesh.welded(distance);
    }
    read.drop_what_is_nothing();
    if read.mesh.triangles.is_empty() {
        let needed = listed(&formats::names(FileFormat::holds_mesh), "or");
        let message = format!("there is no triangle in it; export the mesh as triangles to {needed}");
        return Err(Error::new(Location::File, message));
    }
    Ok(read)
}

/// Reads the triangles of a glTF, binary or text.
pub(crate) fn of_gltf(bytes: &[u8], resolve: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Result<ReadMesh, Error> {
    gltf::triangles(&gltf::parse(bytes, resolve)?)
}

/// Reads the triangles of an OBJ.
pub(crate) fn of_obj(bytes: &[u8]) -> Result<ReadMesh, Error> {
    obj::read(bytes)
}

/// Lists the formats of meshes for a sentence: "OBJ and GLB".
fn known() -> String {
    listed(&formats::names(FileFormat::holds_mesh), "and")
}

impl ReadMesh {
    /// Drops degenerate triangles, and points that belong to no triangle.
    fn drop_what_is_nothing(&mut self) {
        let (before, points) = (self.mesh.triangles.len(), self.mesh.points.len());
        self.mesh.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        let mut kept = vec![false; points];
        self.mesh.triangles.iter().flatten().for_each(|&corner| kept[corner] = true);
        let mut now = Vec::with_capacity(points);
        let mut count = 0;
        for &keep in &kept {
            now.push(count);
            count += usize::from(keep);
        }
        self.mesh.triangles.iter_mut().flatten().for_each(|corner| *corner = now[*corner]);
        let mut keep = kept.iter();
        self.mesh.points.retain(|_| *keep.next().unwrap_or(&false));
        if let Some(uv) = &mut self.mesh.uv {
            let mut keep = kept.iter();
            uv.retain(|_| *keep.next().unwrap_or(&false));
        }
        let lost = before - self.mesh.triangles.len();
        if lost > 0 {
            self.notes.push(format!("{lost} triangles with two corners in one point were left out"));
        }
        if points > count {
            self.notes.push(format!("{} points that belong to no triangle were left out", points - count));
        }
    }
}

#[cfg(test)]
mod tests;
