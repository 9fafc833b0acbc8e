//! Wires on which joints keep points of things, as tracks for pictures: nothing else shows where a bead may go.

use glam::DVec3;

use super::recording::{Drawn, Track};
use super::scene::{JointKind, Scene};

/// Radius of a wire that is drawn, meters.
const RADIUS: f64 = 0.004;

/// The wires of a scene that are fixed in the world; those that things carry are left out.
pub fn wires(scene: &Scene) -> Vec<Track> {
    let beads = scene.joints.iter().filter(|joint| joint.kind == JointKind::Curve && joint.to.is_none());
    let track = |joint: &super::scene::Joint| {
        let (turn, from) = (joint.frame(), joint.other_end());
        let points: Vec<DVec3> = joint.wire().points().map(|point| from + turn * point).collect();
        let segments = (1..points.len()).map(|end| [end - 1, end]).collect();
        let drawn = Drawn::Lines { segments, radius: RADIUS, points: vec![points] };
        Track { name: joint.name.clone(), obstacle: true, drawn }
    };
    beads.map(track).collect()
}
