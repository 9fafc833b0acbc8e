//! Framing of a whole run: a camera 30° off the side, the floor in view, everything that moves inside.

use muybridge::character::{Role, Side};
use muybridge::collision::broad_phase::Aabb;
use muybridge::glam::{DMat3, DVec3};
use muybridge::motion::world_of;
use muybridge::simulation::Recording;

use super::camera::{FIELD_OF_VIEW, Fit, PerspectiveCamera, axes};
use super::ground::FloorGrid;
use super::scene_objects::{PERSON, SceneObject, StagePart, extent, person, things};

/// Camera, floor and still things that all pictures of a run share.
pub(super) struct Framing {
    pub camera: PerspectiveCamera,
    pub ground: Option<FloorGrid>,
    /// Things that never move: obstacles and the person for scale.
    pub still: Vec<SceneObject>,
    /// Horizontal unit vector to the right of the picture.
    pub right: DVec3,
}

/// Limits of the frames sampled for framing, and of the things in all of them: fewer frames of a large crowd.
const LOOKS: (usize, usize) = (32, 200_000);

/// Angle of the camera off the side view, radians.
const OFF_THE_SIDE: f64 = core::f64::consts::PI / 6.0;

/// Things deeper than this below the ground do not count for the framing, meters.
const LOST: f64 = 1.0;

/// Bounding box of things.
fn box_of(things: &[SceneObject]) -> Aabb {
    things.iter().map(|thing| extent(thing, DMat3::IDENTITY)).fold(Aabb::NOTHING, with)
}

/// Box enlarged by one with this center and half size; by none that is not finite.
fn with(bounds: Aabb, (center, half): (DVec3, DVec3)) -> Aabb {
    let is_finite = center.is_finite() && half.is_finite();
    if is_finite { bounds.union(Aabb { least: center - half, most: center + half }) } else { bounds }
}

fn size(bounds: &Aabb) -> DVec3 {
    bounds.most - bounds.least
}

fn is_empty(bounds: &Aabb) -> bool {
    bounds.least.x > bounds.most.x
}

/// Frames evenly spread over a run, including the first and last.
pub(super) fn spread(frames: usize, count: usize) -> Vec<usize> {
    let count = count.clamp(1, frames.max(1));
    (0..count).map(|i| i * frames.saturating_sub(1) / (count - 1).max(1)).collect()
}

impl Framing {
    /// Frames a run from its frames `frames`. The picture is `aspect` times as wide as high; the share `under` of its
    /// height at the bottom is kept free for the caption.
    pub(super) fn new(recording: &Recording, frames: &[usize], aspect: f64, under: f64) -> Self {
        let above =
            |thing: &SceneObject| recording.ground.is_none_or(|y| extent(thing, DMat3::IDENTITY).0.y > y - LOST);
        let moving = |&frame: &usize| things(recording, frame, StagePart::Moving).into_iter().filter(above).collect();
        let seen: Vec<Vec<SceneObject>> = frames.iter().map(moving).collect();
        let moving = seen.iter().map(|things| box_of(things)).fold(Aabb::NOTHING, Aabb::union);
        let (near, all) = obstacles(recording, frames, &moving);
        let about = if is_empty(&moving) { moving.union(near) } else { moving };
        let about = if is_empty(&about) { Aabb { least: -DVec3::ONE, most: DVec3::ONE } } else { about };
        let right = travel(&seen).or_else(|| facing(recording)).unwrap_or(DVec3::X);
        let whole = about.union(near);
        let forward = looking(right, &whole);
        let turn = axes(forward);
        let mut still = all;
        let length = size(&whole).length();
        let floor = recording.ground;
        if let Some(floor) = floor.filter(|_| (0.35 * PERSON..9.0 * PERSON).contains(&length)) {
            still.extend(person(beside(&whole, turn, floor), turn.row(0)));
        }
        let half = libm::tan(0.5 * FIELD_OF_VIEW);
        let mut fit = Fit::new(forward, (0.90 * half * aspect, (0.90 - under) * half));
        for thing in seen.iter().flatten() {
            corners(extent(thing, turn)).into_iter().for_each(|corner| fit.add(corner));
        }
        let framed = |thing: &&SceneObject| {
            let (center, half) = extent(thing, DMat3::IDENTITY);
            let inside =
                |low: DVec3, high: DVec3| (center - half).cmpge(low).all() && (center + half).cmple(high).all();
            inside(whole.least - PERSON, whole.most + PERSON)
        };
        for thing in still.iter().filter(framed) {
            corners(extent(thing, turn)).into_iter().for_each(|corner| fit.add(corner));
        }
        if let Some(floor) = floor {
            for (x, z) in [(about.least.x, about.least.z), (about.least.x, about.most.z)] {
                fit.add(turn * DVec3::new(x, floor, z));
                fit.add(turn * DVec3::new(about.least.x + about.most.x - x, floor, about.least.z + about.most.z - z));
            }
        }
        let camera = fit.camera();
        let focus = 0.5 * (about.least + about.most);
        let square = FloorGrid::square(size(&about).max_element());
        let ground = floor.map(|height| FloorGrid { height, square, focus, size: length.max(1.2 * square) });
        Self { camera, ground, still, right: turn.row(0) }
    }
}

/// The obstacles, and a bounding box around those not much larger than the moving things.
fn obstacles(recording: &Recording, frames: &[usize], moving: &Aabb) -> (Aabb, Vec<SceneObject>) {
    let all = things(recording, frames.last().copied().unwrap_or(0), StagePart::Still);
    let most = if is_empty(moving) { f64::INFINITY } else { 2.5 * size(moving).max_element().max(0.2) };
    let near = all.iter().map(|thing| extent(thing, DMat3::IDENTITY));
    let near = near.filter(|(_, half)| 2.0 * half.max_element() <= most);
    (near.fold(Aabb::NOTHING, with), all)
}

/// Horizontal direction of travel, or else of the largest extent; `None` if there is neither.
fn travel(seen: &[Vec<SceneObject>]) -> Option<DVec3> {
    let centers = |things: &[SceneObject]| -> Vec<DVec3> {
        let centers = things.iter().map(|thing| extent(thing, DMat3::IDENTITY).0);
        centers.filter(|center| center.is_finite()).map(|center| DVec3::new(center.x, 0.0, center.z)).collect()
    };
    let mean = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let means: Vec<DVec3> = seen.iter().map(|things| mean(&centers(things))).collect();
    let way = means.last().copied().unwrap_or_default() - means.first().copied().unwrap_or_default();
    let points: Vec<DVec3> = seen.iter().flat_map(|things| centers(things)).collect();
    let middle = mean(&points);
    let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
    for offset in points.iter().map(|&point| point - middle) {
        (xx, xz, zz) = (xx + offset.x * offset.x, xz + offset.x * offset.z, zz + offset.z * offset.z);
    }
    let count = points.len().max(1) as f64;
    let spread = ((xx + zz) / count).max(0.0).sqrt();
    if way.length() > 0.7 * spread && way.length() > 1e-6 {
        return way.try_normalize();
    }
    // Long axis of the cloud of points, unless the cloud is as wide as long.
    let apart = libm::hypot(xx - zz, 2.0 * xz);
    if apart < 0.25 * (xx + zz) || apart == 0.0 {
        return None;
    }
    let angle = 0.5 * libm::atan2(2.0 * xz, xx - zz);
    Some(DVec3::new(libm::cos(angle), 0.0, libm::sin(angle)))
}

/// Direction in which the first character faces at the start, from its hips.
fn facing(recording: &Recording) -> Option<DVec3> {
    let (_, character, clip) = recording.characters.first()?;
    let leg = |side| {
        let bone = character.bone_of(Role::UpperLeg(side)).filter(|_| clip.bones() == character.skeleton.len())?;
        Some(world_of(&character.skeleton, clip, bone, 0).0)
    };
    let across = leg(Side::Left)? - leg(Side::Right)?;
    let facing = across.cross(DVec3::Y);
    (facing.length() > 0.3 * across.length()).then(|| facing.normalize())
}

/// View direction of the camera: travel goes to the right, the camera is 30° ahead of the side view, and higher for
/// flatter scenes.
fn looking(right: DVec3, whole: &Aabb) -> DVec3 {
    let extent = size(whole);
    let flat = libm::hypot(extent.x, extent.z) / extent.y.max(0.05 * extent.max_element()).max(1e-9);
    let down = 0.24 + 0.30 * ((flat - 1.5) / 4.0).clamp(0.0, 1.0);
    let side = DVec3::Y.cross(right);
    let level = side * libm::cos(OFF_THE_SIDE) - right * libm::sin(OFF_THE_SIDE);
    level * libm::cos(down) - DVec3::Y * libm::sin(down)
}

/// Position of the person for scale: left of everything in the picture, as far back as the middle.
fn beside(whole: &Aabb, turn: DMat3, floor: f64) -> DVec3 {
    let (right, away) = (turn.row(0), DVec3::Y.cross(turn.row(0)));
    let middle = 0.5 * (whole.least + whole.most);
    let half = 0.5 * size(whole);
    let reach = |axis: DVec3| axis.abs().dot(DVec3::new(half.x, 0.0, half.z));
    let foot = middle - right * (reach(right) + 0.35 * PERSON) + away * (0.3 * reach(away));
    DVec3::new(foot.x, floor, foot.z)
}

fn corners((center, half): (DVec3, DVec3)) -> [DVec3; 8] {
    let sign = |bit: usize, corner: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
    std::array::from_fn(|i| center + half * DVec3::new(sign(0, i), sign(1, i), sign(2, i)))
}

/// Frames that the framing is computed from.
pub(super) fn looks(recording: &Recording) -> Vec<usize> {
    let (most, crowd) = LOOKS;
    let count = crowd / things(recording, 0, StagePart::Moving).len().max(1);
    spread(recording.frames, count.clamp(3, most))
}
