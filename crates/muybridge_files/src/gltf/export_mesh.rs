//! Writes skinned meshes into a new glTF file: vertices, triangles, joints and weights, in sets of four.

use muybridge::skinning::{Skin, SkinnedMesh};
use serde_json::{Value, json};

use super::buffer::{ATTRIBUTE, Buffer, rounded};
use crate::Error;

/// Writes a mesh. Returns the mesh and its skin, whose joints are nodes with the numbers of their bones.
pub(super) fn mesh_and_skin(buffer: &mut Buffer, mesh: &SkinnedMesh) -> Result<(Value, Value), Error> {
    let points = rounded(mesh.points.iter().flat_map(|point| point.to_array()))?;
    let indices: Vec<u32> = mesh.triangles.iter().flatten().map(|&corner| corner as u32).collect();
    let mut attributes = json!({"POSITION": buffer.floats("VEC3", &points, Some(ATTRIBUTE))});
    if mesh.normals.len() == mesh.points.len() {
        let normals = rounded(mesh.normals.iter().flat_map(|normal| normal.to_array()))?;
        attributes["NORMAL"] = json!(buffer.floats("VEC3", &normals, Some(ATTRIBUTE)));
    }
    let most = (0..mesh.points.len()).map(|vertex| mesh.skin.influences(vertex).len()).max().unwrap_or(0);
    for set in 0..most.div_ceil(4) {
        let (joints, weights) = influences(&mesh.skin, mesh.points.len(), set);
        attributes[format!("JOINTS_{set}")] = json!(buffer.joints(&joints));
        attributes[format!("WEIGHTS_{set}")] = json!(buffer.floats("VEC4", &weights, Some(ATTRIBUTE)));
    }
    let primitive = json!({"attributes": attributes, "indices": buffer.indices(&indices)});
    let nodes: Vec<usize> = mesh.skin.joints().iter().map(|joint| joint.bone).collect();
    let matrices = mesh.skin.joints().iter().flat_map(|joint| {
        let m = joint.bone_from_mesh;
        let columns = [(m.matrix3.x_axis, 0.0), (m.matrix3.y_axis, 0.0), (m.matrix3.z_axis, 0.0), (m.translation, 1.0)];
        columns.into_iter().flat_map(|(column, last)| [column.x, column.y, column.z, last])
    });
    let matrices = buffer.pack("MAT4", matrices)?;
    Ok((
        json!({"name": mesh.name, "primitives": [primitive]}),
        json!({"name": mesh.name, "joints": nodes, "inverseBindMatrices": matrices}),
    ))
}

/// The joints and weights of all vertices in one set: the influences from `4 set` on, and nothing where there are fewer.
fn influences(skin: &Skin, vertices: usize, set: usize) -> (Vec<[u16; 4]>, Vec<f32>) {
    let (mut joints, mut weights) = (vec![[0; 4]; vertices], vec![0.0; 4 * vertices]);
    for vertex in 0..vertices {
        for (place, &(joint, weight)) in skin.influences(vertex).iter().skip(4 * set).take(4).enumerate() {
            joints[vertex][place] = joint as u16;
            weights[4 * vertex + place] = weight as f32;
        }
    }
    (joints, weights)
}
