//! What is drawn of a world: its characters, bodies, lines and meshes as a recording of one frame holds them.

use eframe::egui::Color32;
use muybridge::glam::{DQuat, DVec3};
use muybridge::simulation::Recording;
use muybridge::simulation::recording::{Drawn, Track};

use crate::theme::{Theme, mix};
use crate::view::{Drawing, Mesh};

/// The world as it is.
pub fn drawing(seen: &Recording, theme: &Theme) -> Drawing {
    let mut drawing = Drawing { floor: seen.ground, ..Drawing::default() };
    for (index, (_, character, clip)) in seen.characters.iter().enumerate() {
        // Shades of one gray, so that a heap reads.
        let color = mix(theme.body, theme.quiet, (index % 5) as f64 * 0.16);
        let mut poses: Vec<(DVec3, DQuat)> = Vec::with_capacity(character.skeleton.len());
        for (bone, about) in character.skeleton.bones().iter().enumerate() {
            let (at, turn) = about.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| poses[parent]);
            poses.push((at + turn * clip.translation(bone, 0), turn * clip.rotation(bone, 0)));
        }
        drawing.character(character, |bone| poses[bone], color);
    }
    for track in &seen.tracks {
        draw_track(&mut drawing, track, theme);
    }
    drawing
}

fn draw_track(drawing: &mut Drawing, track: &Track, theme: &Theme) {
    let color = |own: Color32| if track.obstacle { theme.obstacle } else { own };
    match &track.drawn {
        Drawn::Body { shapes, poses } => {
            if let Some(&pose) = poses.last() {
                drawing.shapes(shapes, pose, color(theme.body));
            }
        }
        Drawn::Lines { segments, radius, points } => {
            let Some(points) = points.last() else { return };
            for [from, to] in segments.iter().copied() {
                if let (Some(&from), Some(&to)) = (points.get(from), points.get(to)) {
                    drawing.rod(from, to, *radius, color(theme.quiet));
                }
            }
        }
        Drawn::Mesh { triangles, points } => {
            let Some(points) = points.last() else { return };
            let normals = if track.obstacle { Vec::new() } else { normals(points, triangles) };
            let colors = vec![color(theme.cloth)];
            drawing.meshes.push(Mesh { points: points.clone(), normals, colors, triangles: triangles.clone() });
        }
    }
}

/// Means over the triangles that share a point, weighted by area.
fn normals(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; points.len()];
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(|corner| points.get(corner)) else { continue };
        let normal = (*b - *a).cross(*c - *a);
        triangle.iter().for_each(|&corner| sums[corner] += normal);
    }
    sums.into_iter().map(|sum| sum.normalize_or(DVec3::Y)).collect()
}
