//! Deforming meshes as morph targets: frame k is target k with weight 1; between two frames both share the weight.

use muybridge::glam::DVec3;
use muybridge::simulation::recording::Track;
use serde_json::json;

use super::{AnimatedProperty, MaterialKind, RecordingGltf, floats};
use crate::gltf::buffer::ATTRIBUTE;
use crate::{Error, Location};

impl RecordingGltf<'_> {
    /// Adds a mesh; if it moves, with a morph target per frame (or every n-th, at most `most`).
    pub(super) fn mesh(
        &mut self,
        track: &Track,
        triangles: &[[usize; 3]],
        points: &[Vec<DVec3>],
        most: usize,
    ) -> Result<(), Error> {
        let Some(start) = points.first().filter(|points| !points.is_empty() && !triangles.is_empty()) else {
            return Ok(());
        };
        let wrong = |message: String| Error::new(Location::Named(track.name.clone()), message);
        if let Some(frame) = points.iter().position(|points| points.len() != start.len()) {
            let (now, first) = (points[frame].len(), start.len());
            return Err(wrong(format!("the mesh has {now} points in frame {frame} and {first} in frame 0")));
        }
        if let Some(index) = triangles.iter().position(|corners| corners.iter().any(|&corner| corner >= start.len())) {
            return Err(wrong(format!("triangle {index} has a corner that is no point of the mesh")));
        }
        let name = self.unique("", &track.name);
        let positions = floats(start.iter().flat_map(|point| point.to_array()), &name)?;
        let indices: Vec<u32> = triangles.iter().flatten().map(|&corner| corner as u32).collect();
        let material = if track.obstacle { MaterialKind::Obstacle } else { MaterialKind::Cloth };
        let position = self.buffer.floats("VEC3", &positions, Some(ATTRIBUTE));
        let indices = self.buffer.indices(&indices);
        let mut primitive =
            json!({"attributes": {"POSITION": position}, "indices": indices, "material": material as usize});
        let kept = self.kept(&name, points, most);
        let mut targets = Vec::new();
        for &frame in &kept {
            // Differences from the rounded positions in the file, so that a viewer's sum is the recorded position to its last bits.
            let moved = points[frame].iter().flat_map(|point| point.to_array()).zip(&positions);
            let deltas = floats(moved.map(|(now, &start)| now - f64::from(start)), &name)?;
            targets.push(json!({"POSITION": self.buffer.floats("VEC3", &deltas, Some(ATTRIBUTE))}));
        }
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        let mesh = self.add_mesh(&name, primitive);
        let node = self.nodes.len();
        self.roots.push(node);
        self.nodes.push(json!({"name": name, "mesh": mesh}));
        if !kept.is_empty() {
            self.meshes[mesh]["weights"] = json!(vec![0.0; kept.len()]);
            self.morph_keys(node, &kept)?;
        }
        Ok(())
    }

    /// Frames that become morph targets: none if the mesh never moves; frame 0 is the mesh itself.
    fn kept(&mut self, name: &str, points: &[Vec<DVec3>], most: usize) -> Vec<usize> {
        let frames = points.len().min(self.recording.frames);
        if points[..frames].iter().all(|frame| *frame == points[0]) {
            return Vec::new();
        }
        let step = (frames - 1).div_ceil(most.max(1)).max(1);
        if step > 1 {
            let kept = (frames - 1).div_ceil(step);
            self.notes.push(format!("{name}: one of {step} frames is kept ({kept} morph targets)"));
        }
        let mut kept: Vec<usize> = (step..frames).step_by(step).collect();
        if kept.last() != Some(&(frames - 1)) {
            kept.push(frames - 1);
        }
        kept
    }

    /// Adds weight keys: at the time of a kept frame its target has weight 1 and all others 0; at the start all are 0.
    fn morph_keys(&mut self, node: usize, kept: &[usize]) -> Result<(), Error> {
        let time = |frame: usize| frame as f64 * self.recording.frame_time;
        let times = std::iter::once(0).chain(kept.iter().copied()).map(time);
        let mut weights = vec![0.0_f32; kept.len() * (kept.len() + 1)];
        for target in 0..kept.len() {
            weights[(target + 1) * kept.len() + target] = 1.0;
        }
        let input = self.buffer.times(times)?;
        let output = self.buffer.floats("SCALAR", &weights, None);
        self.add_channel(AnimatedProperty { node, path: "weights" }, input, output);
        Ok(())
    }
}
