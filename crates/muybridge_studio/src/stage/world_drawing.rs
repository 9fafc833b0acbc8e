//! What is drawn of a world: its characters, bodies, lines and meshes as a recording of one frame holds them, and whose they are.

use eframe::egui::Color32;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::kinematics::{pose_of, world_of};
use muybridge::simulation::recording::{Drawn, Track};
use muybridge::simulation::scene::Scene;
use muybridge::simulation::{ContactMark, Recording, Shell, scene::slot::PartPath};

use super::pick::{Met, PickHit, pick};
use crate::theme::{Theme, mix};
use crate::view::{Drawing, DrawnMesh, Ray, Sign, Stroke};

/// A drawing of a world that knows what belongs to whom.
#[derive(Clone, Debug, Default)]
pub struct WorldDrawing {
    /// What is drawn.
    pub drawing: Drawing,
    /// Solids up to such an index belong to whom.
    solids: Vec<(usize, Owner)>,
    /// The track of each mesh.
    meshes: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Bone(usize, usize),
    Track(usize),
}

/// A part of the scene that is under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Under {
    /// The thing, or a bone of one.
    pub part: PartPath,
    /// Where it is touched, metres.
    pub place: DVec3,
    /// That place on the thing, wherever it moves.
    pub spot: PickPoint,
    /// Whether it is an obstacle, which no hand moves.
    pub obstacle: bool,
}

/// A place on a thing of a run, by which it is found in any frame of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickPoint {
    owner: Owner,
    on: On,
}

/// Where on its owner a spot is, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
enum On {
    /// A place in the frame of a bone or body.
    InBody(DVec3),
    /// A point of a line or mesh, and how far from it, world axes.
    Point(usize, DVec3),
}

/// Draws where things touch, and the normals there.
pub fn contacts(touches: &[ContactMark], theme: &Theme, drawing: &mut Drawing) {
    for &ContactMark { place, normal } in touches {
        drawing.path(&[place, place + normal * NORMAL], 2.0, theme.contact, Stroke::Solid);
        drawing.handle(Sign::Disc, place, 6.0, theme.contact);
    }
}

/// Length of a normal as it is drawn, metres.
const NORMAL: f64 = 0.12;

/// The world as it is; what belongs to the thing of the name `chosen` is set off.
pub fn picture(seen: &Recording, chosen: Option<&str>, theme: &Theme) -> WorldDrawing {
    let mut picture = WorldDrawing::default();
    picture.drawing.floor = seen.ground;
    let is_chosen = |name: &str| chosen.is_some_and(|chosen| is_of(name, chosen));
    let mut poses: Vec<(DVec3, DQuat)> = Vec::new();
    for (index, (name, character, clip)) in seen.characters.iter().enumerate() {
        // Shades of one gray, so that a heap reads.
        let gray = mix(theme.body, theme.quiet, (index % 5) as f64 * 0.16);
        let color = if is_chosen(name) { mix(gray, theme.accent, 0.6) } else { gray };
        pose_of(&character.skeleton, clip, 0, &mut poses);
        for (bone, body) in character.bodies.iter().enumerate().filter(|(_, body)| !body.shapes.is_empty()) {
            picture.drawing.shapes(&body.shapes, poses[bone], color);
            picture.solids.push((picture.drawing.solids.len(), Owner::Bone(index, bone)));
        }
    }
    for (index, track) in seen.tracks.iter().enumerate() {
        let set_off = if is_chosen(&track.name) { 0.6 } else { 0.0 };
        draw_track(&mut picture.drawing, track, theme, set_off);
        picture.solids.push((picture.drawing.solids.len(), Owner::Track(index)));
        picture.meshes.resize(picture.drawing.meshes.len(), index);
    }
    picture
}

/// Whether a thing of a run is that of the scene, or one of its grid.
pub fn is_of(name: &str, thing: &str) -> bool {
    name == thing || Scene::numbered(name).is_some_and(|(stem, _)| stem == thing)
}

impl WorldDrawing {
    /// What the ray meets first; `drawing` is what [`Self::drawing`] was, with more after it or not.
    pub fn under(&self, drawing: &Drawing, seen: &Recording, ray: &Ray) -> Option<Under> {
        let Met { place, what, .. } = pick(drawing, ray)?;
        let owner = match what {
            PickHit::Solid(index) => {
                let at = self.solids.partition_point(|(end, _)| *end <= index);
                self.solids.get(at)?.1
            }
            PickHit::Mesh(index) => Owner::Track(*self.meshes.get(index)?),
        };
        let spot = PickPoint::new(owner, place, seen)?;
        match owner {
            Owner::Bone(index, bone) => {
                let (name, character, _) = seen.characters.get(index)?;
                let bone = &character.skeleton.bones().get(bone)?.name;
                Some(Under { part: PartPath(format!("{name}/{bone}")), place, spot, obstacle: false })
            }
            Owner::Track(index) => {
                let track = seen.tracks.get(index)?;
                Some(Under { part: PartPath(track.name.clone()), place, spot, obstacle: track.obstacle })
            }
        }
    }
}

impl PickPoint {
    fn new(owner: Owner, place: DVec3, seen: &Recording) -> Option<Self> {
        let on = match pose(owner, seen) {
            Some((position, rotation)) => On::InBody(rotation.conjugate() * (place - position)),
            None => {
                let points = points(owner, seen)?.iter().enumerate();
                let nearest = points.min_by(|a, b| a.1.distance_squared(place).total_cmp(&b.1.distance_squared(place)));
                nearest.map(|(index, point)| On::Point(index, place - point))?
            }
        };
        Some(Self { owner, on })
    }

    /// Where it is in a frame of the run, metres; `None` if the thing is not in it.
    pub fn place(&self, seen: &Recording) -> Option<DVec3> {
        match self.on {
            On::InBody(place) => pose(self.owner, seen).map(|(position, rotation)| position + rotation * place),
            On::Point(index, aside) => Some(*points(self.owner, seen)?.get(index)? + aside),
        }
    }
}

/// Where a bone or body is; `None` for what has no frame of its own.
fn pose(owner: Owner, seen: &Recording) -> Option<(DVec3, DQuat)> {
    match owner {
        Owner::Bone(index, bone) => {
            let (_, character, clip) = seen.characters.get(index)?;
            (bone < character.skeleton.len()).then(|| world_of(&character.skeleton, clip, bone, 0))
        }
        Owner::Track(index) => match &seen.tracks.get(index)?.drawn {
            Drawn::Body { poses, .. } => poses.last().copied(),
            Drawn::Lines { .. } | Drawn::Mesh { .. } => None,
        },
    }
}

/// The points of a line or mesh.
fn points(owner: Owner, seen: &Recording) -> Option<&[DVec3]> {
    let Owner::Track(index) = owner else { return None };
    match &seen.tracks.get(index)?.drawn {
        Drawn::Lines { points, .. } | Drawn::Mesh { points, .. } => points.last().map(Vec::as_slice),
        Drawn::Body { .. } => None,
    }
}

fn draw_track(drawing: &mut Drawing, track: &Track, theme: &Theme, set_off: f64) {
    let color = |own: Color32| mix(if track.obstacle { theme.obstacle } else { own }, theme.accent, set_off);
    match &track.drawn {
        Drawn::Body { shapes, shell, poses } => {
            if let Some(&pose) = poses.last() {
                drawing.shapes(shapes, pose, color(theme.body));
                drawing.meshes.extend(shell.iter().map(|shell| body_mesh(shell, pose, color(theme.body))));
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
            drawing.meshes.push(DrawnMesh { points: points.clone(), normals, colors, triangles: triangles.clone() });
        }
    }
}

/// The surface of a body where it is; corners are not shared, for edges are sharp.
fn body_mesh(shell: &Shell, (position, rotation): (DVec3, DQuat), color: Color32) -> DrawnMesh {
    let corner = |&index: &usize| shell.mesh.points.get(index).copied().unwrap_or_default();
    let place = |index: &usize| position + rotation * corner(index);
    let points: Vec<DVec3> = shell.mesh.triangles.iter().flatten().map(place).collect();
    let normals = shell.normals.iter().flatten().map(|&normal| rotation * normal).collect();
    let triangles = (0..points.len() / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    DrawnMesh { points, normals, colors: vec![color], triangles }
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
