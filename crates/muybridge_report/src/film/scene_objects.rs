//! Solids and triangles of one frame of a recording, in the world, each with its tone and owner.

use muybridge::character::Character;
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::{Drawn, Track};
use muybridge::simulation::shell::{Shell, creased_normals};

use crate::draw::{Figure, capsule_between};

/// Class of inks in which a thing is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InkTone {
    /// Simulated characters, in a few shades of gray that tell neighbors apart.
    Character(u8),
    /// Simulated rigid bodies.
    Body,
    /// Ropes, stalks and sticks.
    Line,
    /// Cloth and other simulated meshes.
    Cloth,
    /// Obstacles: things that are not simulated.
    Obstacle,
    /// The person for scale.
    Person,
}

/// Number of gray shades of characters.
pub(super) const SHADES: u8 = 5;

/// Geometry of a thing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DrawnForm {
    /// A solid, meters.
    Solid(PlacedShape),
    /// A two-sided triangle, with the surface normals at its corners.
    Triangle { corners: [DVec3; 3], normals: [DVec3; 3] },
}

/// A solid or triangle to draw.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SceneObject {
    pub tone: InkTone,
    /// Owner index. Touching things of one owner have no outline between them.
    pub owner: u32,
    pub form: DrawnForm,
}

/// Selects the moving things of a recording or the obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StagePart {
    /// Simulated characters, bodies, ropes and meshes.
    Moving,
    /// Obstacles and other things that are not simulated.
    Still,
}

/// The things of `part` at a frame. Tracks without data are left out.
pub(super) fn things(recording: &Recording, frame: usize, part: StagePart) -> Vec<SceneObject> {
    let mut things = Vec::new();
    if part == StagePart::Moving {
        for (index, (_, character, clip)) in recording.characters.iter().enumerate() {
            let tone = InkTone::Character((index % usize::from(SHADES)) as u8);
            let owner = index as u32 + 1;
            let solids = posed(character, clip, frame);
            things.extend(solids.into_iter().map(|solid| SceneObject { tone, owner, form: DrawnForm::Solid(solid) }));
        }
    }
    let wanted = |track: &&Track| track.obstacle == (part == StagePart::Still);
    let first = recording.characters.len() as u32 + 1;
    for (index, track) in recording.tracks.iter().enumerate().filter(|(_, track)| wanted(track)) {
        draw_track(track, (frame, first + index as u32), &mut things);
    }
    things
}

/// The solids of a character at a frame; empty if the clip is of another skeleton.
fn posed(character: &Character, clip: &Clip, frame: usize) -> Vec<PlacedShape> {
    poses(character, clip, frame).map_or_else(Vec::new, |poses| Figure::posed(character, &poses).solids)
}

/// World position and rotation of every bone at a frame, at most the last; `None` if the clip is of another skeleton.
fn poses(character: &Character, clip: &Clip, frame: usize) -> Option<Vec<(DVec3, DQuat)>> {
    let bones = character.skeleton.bones();
    if clip.bones() != bones.len() || character.bodies.len() != bones.len() {
        return None;
    }
    let frame = frame.min(clip.frames() - 1);
    let mut poses: Vec<(DVec3, DQuat)> = Vec::with_capacity(bones.len());
    for (index, bone) in bones.iter().enumerate() {
        let (at, turn) = bone.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| poses[parent]);
        poses.push((at + turn * clip.translation(index, frame), turn * clip.rotation(index, frame)));
    }
    Some(poses)
}

/// Center of mass of a character at a frame, meters; `None` without mass.
pub(super) fn mass_center(character: &Character, clip: &Clip, frame: usize) -> Option<DVec3> {
    let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
    for ((position, rotation), body) in poses(character, clip, frame)?.into_iter().zip(&character.bodies) {
        sum += (position + rotation * body.center) * body.mass;
        mass += body.mass;
    }
    (mass > 0.0).then(|| sum / mass).filter(|center| center.is_finite())
}

fn draw_track(track: &Track, (frame, owner): (usize, u32), things: &mut Vec<SceneObject>) {
    let or_obstacle = |tone| if track.obstacle { InkTone::Obstacle } else { tone };
    match &track.drawn {
        Drawn::Body { shapes, shell, poses } => {
            let Some(&pose) = at(poses, frame) else { return };
            let tone = or_obstacle(InkTone::Body);
            let solids = shapes.iter().map(|placed| placed_in(placed, pose));
            things.extend(solids.map(|solid| SceneObject { tone, owner, form: DrawnForm::Solid(solid) }));
            things.extend(shell.iter().flat_map(|shell| shell_in(shell, pose)).map(|form| SceneObject {
                tone,
                owner,
                form,
            }));
        }
        Drawn::Lines { segments, radius, points } => {
            let Some(points) = at(points, frame) else { return };
            let tone = or_obstacle(InkTone::Line);
            for &[from, to] in segments {
                let (Some(&from), Some(&to)) = (points.get(from), points.get(to)) else { continue };
                things.push(SceneObject { tone, owner, form: DrawnForm::Solid(capsule_between(from, to, *radius)) });
            }
        }
        Drawn::Mesh { triangles, points } => {
            let Some(points) = at(points, frame) else { return };
            let tone = or_obstacle(InkTone::Cloth);
            let normals = if track.obstacle { creased_normals } else { smooth_normals }(points, triangles);
            for (corners, normals) in triangles.iter().zip(normals) {
                let [Some(&a), Some(&b), Some(&c)] = corners.map(|corner| points.get(corner)) else { continue };
                things.push(SceneObject { tone, owner, form: DrawnForm::Triangle { corners: [a, b, c], normals } });
            }
        }
    }
}

/// Entry of a frame, or the last entry of a shorter list.
fn at<T>(list: &[T], frame: usize) -> Option<&T> {
    list.get(frame).or_else(|| list.last())
}

fn placed_in(placed: &PlacedShape, (position, rotation): (DVec3, DQuat)) -> PlacedShape {
    PlacedShape {
        shape: placed.shape.clone(),
        position: position + rotation * placed.position,
        rotation: (rotation * placed.rotation).normalize(),
    }
}

/// Triangles of a body's shell at the given pose.
fn shell_in(shell: &Shell, (position, rotation): (DVec3, DQuat)) -> impl Iterator<Item = DrawnForm> {
    shell.mesh.triangles.iter().zip(&shell.normals).filter_map(move |(corners, normals)| {
        let [Some(&a), Some(&b), Some(&c)] = corners.map(|corner| shell.mesh.points.get(corner)) else { return None };
        let corners = [a, b, c].map(|corner| position + rotation * corner);
        Some(DrawnForm::Triangle { corners, normals: normals.map(|normal| rotation * normal) })
    })
}

/// Smooth normals at the corners of each triangle: area-weighted means over the triangles that share a point.
fn smooth_normals(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<[DVec3; 3]> {
    let flat = |corners: &[usize; 3]| {
        let [Some(&a), Some(&b), Some(&c)] = corners.map(|corner| points.get(corner)) else { return DVec3::ZERO };
        (b - a).cross(c - a)
    };
    let mut sums = vec![DVec3::ZERO; points.len()];
    for corners in triangles {
        for &corner in corners.iter().filter(|&&corner| corner < points.len()) {
            sums[corner] += flat(corners);
        }
    }
    let mean = |corner: usize| sums.get(corner).copied().unwrap_or_default().normalize_or_zero();
    triangles.iter().map(|corners| corners.map(mean)).collect()
}

/// A person of 1.75 m standing at `foot`, broadside along `right`.
pub(super) fn person(foot: DVec3, right: DVec3) -> Vec<SceneObject> {
    let solids = Figure::standing(foot, right, PERSON).solids;
    solids
        .into_iter()
        .map(|solid| SceneObject { tone: InkTone::Person, owner: u32::MAX - 1, form: DrawnForm::Solid(solid) })
        .collect()
}

/// Height of the person for scale, meters.
pub(super) const PERSON: f64 = 1.75;

/// Center and half extents of a thing's bounding box along the axes of `turn` (as rows).
pub(super) fn extent(thing: &SceneObject, turn: muybridge::glam::DMat3) -> (DVec3, DVec3) {
    match &thing.form {
        DrawnForm::Triangle { corners, .. } => {
            let [a, b, c] = corners.map(|corner| turn * corner);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            (0.5 * (low + high), 0.5 * (high - low))
        }
        DrawnForm::Solid(solid) => {
            let capsule_ends = match solid.shape {
                Shape::Sphere { radius } => Some((DVec3::ZERO, radius)),
                Shape::Capsule { radius, half_length } => {
                    Some((turn * (solid.rotation * DVec3::Y) * half_length, radius))
                }
                _ => None,
            };
            if let Some((axis, radius)) = capsule_ends {
                return (turn * solid.position, axis.abs() + radius);
            }
            let measured = crate::draw::CameraSolid::new(solid, turn);
            (measured.center, measured.half)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_are_smooth_over_cloth_and_keep_the_edges_of_obstacles() {
        // A roof of two squares with a right angle between them.
        let points = [
            DVec3::new(-1.0, 0.0, 0.0),
            DVec3::new(-1.0, 0.0, 1.0),
            DVec3::new(0.0, 1.0, 0.0),
            DVec3::new(0.0, 1.0, 1.0),
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(1.0, 0.0, 1.0),
        ];
        let triangles = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
        let cloth = smooth_normals(&points, &triangles);
        assert!((cloth[1][1] - DVec3::Y).length() < 0.4, "the ridge of cloth is round: {}", cloth[1][1]);
        let roof = creased_normals(&points, &triangles);
        let left = DVec3::new(-1.0, 1.0, 0.0).normalize();
        assert!(roof[..2].iter().flatten().all(|normal| normal.distance(left) < 1e-12));
        assert!(smooth_normals(&points, &[[0, 1, 99]])[0].iter().all(|normal| normal.is_finite()));
    }

    #[test]
    fn a_track_with_fewer_frames_stands_where_it_last_was_and_bad_indices_are_left_out() {
        let drawn =
            Drawn::Lines { segments: vec![[0, 1], [1, 7]], radius: 0.1, points: vec![vec![DVec3::ZERO, DVec3::Y]] };
        let track = Track { name: "rope".into(), obstacle: false, drawn };
        let recording = Recording { frame_time: 0.01, frames: 9, tracks: vec![track], ..Recording::default() };
        assert_eq!(things(&recording, 8, StagePart::Moving).len(), 1);
        assert_eq!(things(&recording, 8, StagePart::Still).len(), 0);
    }
}
