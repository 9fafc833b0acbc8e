//! Reads the skinned meshes of a document: vertices, normals, triangles, and the skin that binds them to the bones.
//!
//! Each primitive of a mesh on a node with a skin becomes one mesh. Vertices stay as in the file; the bind matrix of a joint
//! transforms them to the frame of its bone (see `skin`), also for nodes with scale.

use muybridge::glam::{DAffine3, DVec3};
use muybridge::skinning::{Skin, SkinJoint, SkinnedMesh};

use super::accessor::Accessors;
use super::document::GltfDocument;
use super::import::budget;
use super::look::PrimitiveLook;
use super::scene::BoneScene;
use super::skin::{Binding, Influences, attribute, influences};
use super::tree::JsonNode;
use crate::Error;

/// Primitive modes 4, 5 and 6: triangle list, strip and fan.
const TRIANGLES: usize = 4;
const STRIP: usize = 5;
const FAN: usize = 6;

/// Reads the skinned meshes of a document, in the order of its nodes and their primitives. Bones are those of
/// [`import`](fn@super::import); lengths stay in file units. Primitives without positions, joints or triangles are left out.
pub fn skinned_meshes(document: &GltfDocument) -> Result<Vec<SkinnedMesh>, Error> {
    read_all(document, |_, mesh, _| Ok(mesh))
}

/// As [`skinned_meshes`], each with its look.
pub(crate) fn meshes_with_looks(document: &GltfDocument) -> Result<Vec<(SkinnedMesh, PrimitiveLook)>, Error> {
    read_all(document, |primitive, mesh, accessors| {
        let look = PrimitiveLook::read(primitive, mesh.points.len(), accessors)?;
        Ok((mesh, look))
    })
}

fn read_all<T>(
    document: &GltfDocument,
    finish: impl Fn(&JsonNode, SkinnedMesh, &Accessors) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let scene = BoneScene::new(document)?;
    let accessors = Accessors::new(document, budget(document));
    let root = document.root();
    let mut meshes = Vec::new();
    for node in root.list("nodes")? {
        let (Some(mesh), Some(skin)) = (node.get("mesh"), node.get("skin")) else { continue };
        let (mesh, skin) =
            (root.element("meshes", mesh.non_negative_integer()?), root.element("skins", skin.non_negative_integer()?));
        let (Some(mesh), Some(skin)) = (mesh, skin) else { continue };
        if !scene.has_skin(&skin)? {
            continue;
        }
        let name = mesh.get("name").and_then(|name| name.value.as_str()).unwrap_or_default();
        for primitive in mesh.list("primitives")? {
            let binding = Binding::new(&skin, &scene, &accessors)?;
            if let Some(mesh) = read(&primitive, &binding, &accessors, name)? {
                meshes.push(finish(&primitive, mesh, &accessors)?);
            }
        }
    }
    Ok(meshes)
}

fn read(
    primitive: &JsonNode,
    binding: &Binding,
    accessors: &Accessors,
    name: &str,
) -> Result<Option<SkinnedMesh>, Error> {
    let influences = influences(accessors, primitive)?;
    let mode = primitive.whole_or("mode", TRIANGLES)?;
    let positions = attribute(accessors, primitive, "POSITION")?;
    let (Some(positions), false) = (positions, influences.is_empty() || !(TRIANGLES..=FAN).contains(&mode)) else {
        return Ok(None);
    };
    accessors.spend(24 * positions.len(), primitive)?;
    let points = vectors(&positions);
    let normals = attribute(accessors, primitive, "NORMAL")?.map(|normals| vectors(&normals)).unwrap_or_default();
    let normals = if normals.len() == points.len() { normals } else { Vec::new() };
    let indices = match primitive.get("indices") {
        Some(at) => accessors.numbers(at.non_negative_integer()?)?.iter().map(|&index| index as usize).collect(),
        None => (0..points.len()).collect::<Vec<_>>(),
    };
    if let Some(index) = indices.iter().find(|&&index| index >= points.len()) {
        return Err(primitive.error(format!("there is no vertex {index}; the primitive has {}", points.len())));
    }
    let joints = (binding.joints.iter())
        .map(|&(bone, matrix3, translation)| SkinJoint { bone, bone_from_mesh: DAffine3 { matrix3, translation } })
        .collect();
    let weights: Vec<Vec<(usize, f64)>> = (0..points.len()).map(|vertex| of_vertex(&influences, vertex)).collect();
    let skin = Skin::new(joints, &weights).map_err(|error| primitive.error(error.to_string()))?;
    Ok(Some(SkinnedMesh { name: name.to_owned(), points, normals, triangles: triangles(&indices, mode), skin }))
}

fn vectors(numbers: &[f64]) -> Vec<DVec3> {
    numbers.chunks_exact(3).map(|v| DVec3::new(v[0], v[1], v[2])).collect()
}

/// Joints and weights of a vertex, without zero weights; only the first joint if all weights are zero.
fn of_vertex(influences: &[Influences], vertex: usize) -> Vec<(usize, f64)> {
    let mut all = Vec::new();
    for (joints, weights) in influences {
        let range = 4 * vertex..4 * vertex + 4;
        let (Some(joints), Some(weights)) = (joints.get(range.clone()), weights.get(range)) else { continue };
        all.extend(joints.iter().zip(weights).map(|(&joint, &weight)| (joint as usize, weight)));
    }
    let first = all.first().map(|&(joint, _)| (joint, 1.0));
    all.retain(|(_, weight)| *weight > 0.0);
    if all.is_empty() { first.into_iter().collect() } else { all }
}

/// Corners of the triangles of a list, a strip or a fan.
fn triangles(indices: &[usize], mode: usize) -> Vec<[usize; 3]> {
    let corner = |i: usize| indices[i];
    match mode {
        STRIP => (2..indices.len())
            .map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }.map(corner))
            .collect(),
        FAN => (2..indices.len()).map(|i| [0, i - 1, i].map(corner)).collect(),
        _ => indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    }
}
