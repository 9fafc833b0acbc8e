//! Edges of the soles over uneven ground: a rigid sole that is tilted against the ground has an edge in it, wherever the joints of the foot are.
//!
//! ```text
//! g_p = min(ground under the corner p, plane of the ground under the middle of the sole at p)      a riser beside a sole is no slope
//! r_p = y_p − g_p,   r_i = height of the sole under the standing point i over the ground there
//! d   = median over flat stances of Σ r_i/σ_i² / Σ 1/σ_i²  −  F      how far the guessed soles lie over those that the joints show
//! e   = d (1 − exp(−(d/12 mm)⁴))      where they agree to a centimeter, the soles know it better
//! clearance = min over the corners of r_p − e
//! ```
//! `F` is the height of the floor that the joints show over the ground, σ_i as in `levels`, 12 mm those of an adult. A sole is level where the foot stands flat on a level
//! floor; on a slope it is level, or along the slope, whichever is nearer to the sole of the rest pose.

use glam::{DQuat, DVec3};

use super::super::contacts::median;
use super::super::frames::Frames;
use super::super::terrain::Terrain;
use super::points::StandingPoint;
use super::{Size, Stance};
use crate::character::{Character, ContactPoint};
use crate::motion::WorldMotion;

/// Cosine of the angle within which a sole was made level by the clip, 5°.
const LEVEL: f64 = 0.996;

/// The sole of a foot.
struct Sole<'a> {
    corners: Vec<&'a ContactPoint>,
    points: Vec<&'a StandingPoint>,
    foot: usize,
    /// Upward normal, in the frame of the foot.
    up: DVec3,
    /// Turn of the sole, in the frame of the foot, that lays it on the ground on which it stands.
    turn: DQuat,
    /// Frames in which heel and toe stand.
    flat: Vec<usize>,
}

/// Height of the lowest edge of the soles over uneven ground, meters, per frame; infinite where no sole is known.
pub(super) fn clearance(
    character: &Character,
    (world, terrain): (&WorldMotion, &Terrain),
    stance: &Stance,
    own_floor: f64,
    (frames, size): (&Frames, &Size),
) -> Vec<f64> {
    let mut clearance = vec![f64::INFINITY; world.frames()];
    let soles: Vec<Sole<'_>> =
        (0..2).filter_map(|side| Sole::new(character, (world, terrain), stance, side, frames)).collect();
    let over = soles.iter().flat_map(|sole| {
        sole.flat.iter().map(|&frame| sole.middle((world, terrain), frame, size) - own_floor).collect::<Vec<_>>()
    });
    let Some(over) = median(over.collect()) else { return clearance };
    let guess = over * (1.0 - super::soles::agreement(over, size.scale));
    for frame in frames.all() {
        let lowest = soles.iter().map(|sole| sole.lowest((world, terrain), frame)).fold(f64::INFINITY, f64::min);
        clearance[frame] = lowest - guess;
    }
    clearance
}

impl<'a> Sole<'a> {
    /// The sole of a side, if three corners of it are known and it ever stands flat.
    fn new(
        character: &'a Character,
        (world, terrain): (&WorldMotion, &Terrain),
        stance: &'a Stance,
        side: usize,
        frames: &Frames,
    ) -> Option<Self> {
        let points: Vec<&StandingPoint> = stance.points.iter().filter(|point| point.part / 2 == side).collect();
        let foot = points.first()?.bone;
        // A knee is no corner of a foot without toes.
        let bones = character.skeleton.bones();
        let is_of_foot = |bone: usize| bone == foot || bones[bone].parent == Some(foot);
        let is_own = |contact: &&ContactPoint| {
            is_of_foot(contact.bone) && stance.part_of(character, contact.bone, contact.position) / 2 == side
        };
        let corners: Vec<&ContactPoint> = character.contacts.iter().filter(is_own).collect();
        let flat: Vec<usize> =
            frames.all().filter(|&f| stance.touches(2 * side, f) && stance.touches(2 * side + 1, f)).collect();
        let mut on_foot = corners.iter().filter(|corner| corner.bone == foot).map(|corner| corner.position);
        let [a, b, c] = [on_foot.next()?, on_foot.next()?, on_foot.next()?];
        let normal = (b - a).cross(c - a).try_normalize()?;
        // The joint of the foot is above its sole.
        let up = normal * (-normal.dot(a)).signum();
        let middle = |up_of: &dyn Fn(usize) -> DVec3| {
            let of = |frame: usize| world.rotation(foot, frame).inverse() * up_of(frame);
            flat.iter().map(|&frame| of(frame)).sum::<DVec3>().try_normalize()
        };
        let level = middle(&|_| DVec3::Y)?;
        let along = middle(&|frame| terrain.normal(world.position(foot, frame)))?;
        let rest = character.skeleton.rest_pose()[foot].1.inverse() * DVec3::Y;
        let lies = up.dot(level) > LEVEL && rest.dot(along) > rest.dot(level);
        let turn = if lies { DQuat::from_rotation_arc(up, along) } else { DQuat::IDENTITY };
        Some(Self { corners, points, foot, up: turn * up, turn, flat })
    }

    /// World positions of the corners in a frame, meters.
    fn places(&self, world: &WorldMotion, frame: usize) -> Vec<DVec3> {
        let place = |corner: &&ContactPoint| world.point(corner.bone, frame, corner.position);
        let places: Vec<DVec3> = self.corners.iter().map(place).collect();
        let rotation = world.rotation(self.foot, frame);
        let (turn, middle) = (rotation * self.turn * rotation.inverse(), middle(&places));
        places.into_iter().map(|place| middle + turn * (place - middle)).collect()
    }

    /// Height of the sole over the ground under its standing points, meters.
    fn middle(&self, (world, terrain): (&WorldMotion, &Terrain), frame: usize, size: &Size) -> f64 {
        let (middle, up) = (middle(&self.places(world, frame)), world.rotation(self.foot, frame) * self.up);
        let (mut sum, mut weights) = (0.0, 0.0);
        for point in &self.points {
            let place = world.point(point.bone, frame, point.offset);
            let under = place - up * (place - middle).dot(up);
            let weight = size.over_sole(point.kind).1.powi(-2);
            sum += weight * (under.y - terrain.height(under));
            weights += weight;
        }
        sum / weights
    }

    /// Height of the lowest corner over the ground, meters.
    fn lowest(&self, (world, terrain): (&WorldMotion, &Terrain), frame: usize) -> f64 {
        let places = self.places(world, frame);
        let middle = middle(&places);
        let Some((height, normal)) = terrain.under(middle) else { return f64::INFINITY };
        let over = |place: DVec3| {
            let apart = place - middle;
            let plane = height - (normal.x * apart.x + normal.z * apart.z) / normal.y;
            place.y - plane.min(terrain.height(place))
        };
        places.into_iter().map(over).fold(f64::INFINITY, f64::min)
    }
}

fn middle(places: &[DVec3]) -> DVec3 {
    places.iter().sum::<DVec3>() / places.len() as f64
}
