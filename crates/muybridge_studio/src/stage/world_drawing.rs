//! Drawing of a world: its characters, bodies, lines and meshes from one recorded frame, and which thing each belongs
//! to.

use eframe::egui::Color32;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{pose_of, world_of};
use muybridge::simulation::recording::{Drawn, Track};
use muybridge::simulation::scene::Scene;
use muybridge::simulation::{ContactMark, Recording, Shell, scene::slot::PartPath};

use super::pick::{Met, PickHit, pick};
use crate::theme::{Theme, mix};
use crate::view::{Drawing, DrawnMesh, Ray, Sign, Stroke};

/// A drawing of a world that knows which thing each part belongs to, for picking.
#[derive(Clone, Debug, Default)]
pub struct WorldDrawing {
    /// The drawing.
    pub drawing: Drawing,
    /// End index of each run of solids in the drawing, and the owner of that run.
    solids: Vec<(usize, Owner)>,
    /// Track index of each mesh.
    meshes: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Bone(usize, usize),
    Track(usize),
}

/// A part of the scene under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Under {
    /// The thing, or a bone of a character.
    pub part: PartPath,
    /// World position of the hit, meters.
    pub place: DVec3,
    /// The same point fixed to the thing, which moves with it.
    pub spot: PickPoint,
    /// Whether the thing is an obstacle, which the mouse cannot move.
    pub obstacle: bool,
}

/// A point fixed to a thing of a run; its position can be found in any frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickPoint {
    owner: Owner,
    on: On,
}

/// Position of a picked point relative to its owner, meters.
#[derive(Clone, Copy, Debug, PartialEq)]
enum On {
    /// Position in the frame of a bone or body.
    InBody(DVec3),
    /// Index of a point of a line or mesh, and offset from that point in world axes.
    Point(usize, DVec3),
}

/// Draws contact points and contact normals.
pub fn contacts(touches: &[ContactMark], theme: &Theme, drawing: &mut Drawing) {
    for &ContactMark { place, normal } in touches {
        drawing.path(&[place, place + normal * NORMAL], 2.0, theme.contact, Stroke::Solid);
        drawing.handle(Sign::Disc, place, 6.0, theme.contact);
    }
}

/// Length of a contact normal in the drawing, meters.
const NORMAL: f64 = 0.12;

/// Draws the world in its present state; the thing named `chosen` is highlighted.
pub fn picture(seen: &Recording, chosen: Option<&str>, theme: &Theme) -> WorldDrawing {
    let mut picture = WorldDrawing::default();
    picture.drawing.floor = seen.ground;
    let is_chosen = |name: &str| chosen.is_some_and(|chosen| is_of(name, chosen));
    let mut poses: Vec<(DVec3, DQuat)> = Vec::new();
    for (index, (name, character, clip)) in seen.characters.iter().enumerate() {
        // Characters get different shades of gray, so that a heap of them is readable.
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

/// Whether a thing of a run is the thing of the scene with that name, or a member of its grid.
pub fn is_of(name: &str, thing: &str) -> bool {
    name == thing || Scene::numbered(name).is_some_and(|(stem, _)| stem == thing)
}

impl WorldDrawing {
    /// Finds the part that the ray hits first; `drawing` is [`Self::drawing`], possibly with more appended.
    pub fn pick(&self, drawing: &Drawing, seen: &Recording, ray: &Ray) -> Option<Under> {
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

    /// Position of the point in a frame of the run, meters; `None` if that frame lacks the thing.
    pub fn position(&self, seen: &Recording) -> Option<DVec3> {
        match self.on {
            On::InBody(place) => pose(self.owner, seen).map(|(position, rotation)| position + rotation * place),
            On::Point(index, aside) => Some(*points(self.owner, seen)?.get(index)? + aside),
        }
    }
}

/// Position and rotation of a bone or body; `None` for lines and meshes.
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

/// Points of a line or mesh; `None` for a bone or body.
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

/// Surface of a body in its present pose; corners are not shared, so that edges stay sharp.
fn body_mesh(shell: &Shell, (position, rotation): (DVec3, DQuat), color: Color32) -> DrawnMesh {
    let corner = |&index: &usize| shell.mesh.points.get(index).copied().unwrap_or_default();
    let place = |index: &usize| position + rotation * corner(index);
    let points: Vec<DVec3> = shell.mesh.triangles.iter().flatten().map(place).collect();
    let normals = shell.normals.iter().flatten().map(|&normal| rotation * normal).collect();
    let triangles = (0..points.len() / 3).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    DrawnMesh { points, normals, colors: vec![color], triangles }
}

/// Point normals: means of the normals of the triangles at each point, weighted by area.
fn normals(points: &[DVec3], triangles: &[[usize; 3]]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; points.len()];
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(|corner| points.get(corner)) else { continue };
        let normal = (*b - *a).cross(*c - *a);
        triangle.iter().for_each(|&corner| sums[corner] += normal);
    }
    sums.into_iter().map(|sum| sum.normalize_or(DVec3::Y)).collect()
}
