//! Writes skinned meshes into a new glTF file: vertices, triangles, joints and weights, in sets of four.

use muybridge::skinning::SkinnedMesh;
use serde_json::{Value, json};

use super::buffer::{ATTRIBUTE, Buffer, rounded};
use crate::Error;

/// Writes a mesh. Returns the mesh and its skin, whose joints are nodes with the numbers of their bones.
pub(crate) fn mesh_and_skin(buffer: &mut Buffer, mesh: &SkinnedMesh) -> Result<(Value, Value), Error> {
    let points = rounded(mesh.points.iter().flat_map(|point| point.to_array()))?;
    let indices: Vec<u32> = mesh.triangles.iter().flatten().map(|&corner| corner as u32).collect();
    let mut attributes = json!({"POSITION": buffer.floats("VEC3", &points, Some(ATTRIBUTE))});
    if mesh.normals.len() == mesh.points.len() {
        let normals = rounded(mesh.normals.iter().flat_map(|normal| normal.to_array()))?;
        attributes["NORMAL"] = json!(buffer.floats("VEC3", &normals, Some(ATTRIBUTE)));
    }
    let influences: Vec<_> = (0..mesh.points.len()).map(|vertex| merged(mesh.skin.influences(vertex))).collect();
    let most = influences.iter().map(Vec::len).max().unwrap_or(0);
    for set in 0..most.div_ceil(4) {
        let (joints, weights) = one_set(&influences, set);
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

/// Joints and weights of a vertex, with each joint once.
fn merged(influences: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut merged: Vec<(usize, f64)> = Vec::with_capacity(influences.len());
    for &(joint, weight) in influences {
        match merged.iter_mut().find(|(known, _)| *known == joint) {
            Some((_, sum)) => *sum += weight,
            None => merged.push((joint, weight)),
        }
    }
    merged
}

/// The joints and weights of all vertices in one set: the influences from `4 set` on, and nothing where there are fewer.
fn one_set(influences: &[Vec<(usize, f64)>], set: usize) -> (Vec<[u16; 4]>, Vec<f32>) {
    let (mut joints, mut weights) = (vec![[0; 4]; influences.len()], vec![0.0; 4 * influences.len()]);
    for (vertex, influences) in influences.iter().enumerate() {
        for (place, &(joint, weight)) in influences.iter().skip(4 * set).take(4).enumerate() {
            joints[vertex][place] = joint as u16;
            weights[4 * vertex + place] = weight as f32;
        }
    }
    (joints, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_that_a_vertex_has_twice_is_written_once_and_a_fifth_joint_goes_into_a_second_set() {
        let once = vec![(2, 0.25), (7, 0.75)];
        assert_eq!(merged(&[(2, 0.125), (7, 0.75), (2, 0.125)]), once);
        let five: Vec<(usize, f64)> = (1..=5).map(|joint| (joint, 0.2)).collect();
        let (joints, weights) = one_set(&[once.clone(), five.clone()], 0);
        assert_eq!((joints, &weights[..4]), (vec![[2, 7, 0, 0], [1, 2, 3, 4]], &[0.25, 0.75, 0.0, 0.0][..]));
        let (joints, weights) = one_set(&[once, five], 1);
        assert_eq!((joints, weights), (vec![[0; 4], [5, 0, 0, 0]], vec![0.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0]));
    }
}
