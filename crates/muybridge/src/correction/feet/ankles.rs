//! Toes and heels that dip under the floor while the rest of the foot is right: the foot turns about its ankle, whose path stays.
//!
//! In a run of frames in which the foot is under the floor, it turns about one horizontal axis through the ankle, by the smallest angle that brings
//! its lowest point to the floor:
//!
//! ```text
//! a = d × y,  d: direction from the ankle to the dipping points, seen from above and fixed in the foot
//! θ = min { θ ≥ 0 : min_i (c_i(θ)_y − r_i) ≥ floor − ε },  θ ≤ 40°,   c_i: center of contact point i, r_i its radius;  ε: 0.5 to 5 mm
//! ```
//!
//! The angle is continuous, since it is zero where the point gets that deep. If no angle brings the whole foot above the floor, the foot is too low
//! as a whole, and it is left to the other steps.

use core::ops::Range;

use glam::{DQuat, DVec3};

use super::FeetSettings;
use super::soles::Soles;
use crate::analysis::clip_contacts::ClipContacts;
use crate::analysis::contacts::runs;
use crate::character::Character;
use crate::correction::bounds::MOST_ANKLE_TURN;
use crate::motion::Clip;
use crate::motion::ik::Limb;

/// Depths under the floor down to which a foot is turned, meters, the first that can be reached: soles are not known to the millimeter.
const DEPTHS: [f64; 4] = [0.0005, 0.001, 0.002, 0.005];
/// Rounding of heights, meters.
const ROUNDING: f64 = 1e-9;
/// Steps in which angles are tried, radians.
const STEP: f64 = 0.01;
/// Halvings of a step.
const HALVINGS: usize = 24;

/// Turns the ends of `limbs` about their joint where they dip. Returns the ends turned, each with its largest rotation, radians.
pub(super) fn turn_dips(
    character: &Character,
    clip: &mut Clip,
    found: &ClipContacts,
    (limbs, lies): (&[Limb], &[bool]),
    (feet, shares): (&FeetSettings, &[f64]),
) -> Vec<(usize, f64)> {
    let mut turned = Vec::new();
    for limb in limbs {
        let least = |depth: &f64| *depth < feet.height;
        let foot = |depth: f64| Foot::new(character, found, (limb, lies), depth);
        let solved = DEPTHS.into_iter().filter(least).find_map(|depth| {
            let foot = foot(depth)?;
            let dips = foot.dips(feet);
            let turns: Option<Vec<_>> = dips.iter().map(|dip| foot.turns(dip.clone())).collect();
            Some((foot, dips, turns?))
        });
        let Some((foot, dips, turns)) = solved else { continue };
        let mut largest: f64 = 0.0;
        for (frame, (axis, angle)) in dips.into_iter().flatten().zip(turns.into_iter().flatten()) {
            let angle = angle * shares[frame];
            largest = largest.max(angle);
            foot.turn(character, clip, frame, DQuat::from_axis_angle(axis, angle));
        }
        if largest > 0.0 {
            turned.push((limb.end, largest));
        }
    }
    turned
}

/// The end of one limb.
struct Foot<'a> {
    found: &'a ClipContacts,
    soles: Soles<'a>,
    end: usize,
    /// Radius of each contact point of the end, meters.
    radii: Vec<f64>,
    /// Depth under the floor that counts as out of it, meters.
    depth: f64,
}

impl<'a> Foot<'a> {
    fn new(
        character: &Character,
        found: &'a ClipContacts,
        (limb, lies): (&Limb, &'a [bool]),
        depth: f64,
    ) -> Option<Self> {
        let soles = Soles::new(character, found, limb, lies)?;
        let radii = soles.points.iter().map(|&point| character.contacts[point].radius).collect();
        Some(Self { found, soles, end: limb.end, radii, depth })
    }

    /// Runs of frames in which the foot is under the floor, somewhere by more than the allowed height.
    fn dips(&self, feet: &FeetSettings) -> Vec<Range<usize>> {
        let range = self.found.range.0..self.found.range.1;
        let frames = self.found.world.frames();
        let under = |frame: usize| range.contains(&frame) && self.soles.clearance(frame) < -self.depth;
        let dips = runs((0..frames).map(under)).into_iter().map(|(first, end)| first..end);
        let deep = |dip: &Range<usize>| dip.clone().any(|frame| self.soles.depth_fault(frame, feet) > 0.0);
        dips.filter(deep).collect()
    }

    /// Center of a contact point relative to the ankle, meters.
    fn arm(&self, at: usize, frame: usize) -> DVec3 {
        let spot = self.found.points.spot(self.soles.points[at], frame);
        spot + self.radii[at] * DVec3::Y - self.found.world.position(self.end, frame)
    }

    /// Axis and angle of each frame of a dip; `None` if the foot cannot be turned out of the floor.
    fn turns(&self, dip: Range<usize>) -> Option<Vec<(DVec3, f64)>> {
        let mut forward = DVec3::ZERO;
        for frame in dip.clone() {
            let in_foot = self.found.world.rotation(self.end, frame).conjugate();
            for at in 0..self.radii.len() {
                let spot = self.found.points.spot(self.soles.points[at], frame);
                let depth = (self.soles.floor - spot.y).max(0.0);
                let arm = self.arm(at, frame);
                forward += in_foot * (depth * DVec3::new(arm.x, 0.0, arm.z));
            }
        }
        let turn = |frame: usize| {
            let way = self.found.world.rotation(self.end, frame) * forward;
            let axis = DVec3::new(way.x, 0.0, way.z).try_normalize()?.cross(DVec3::Y);
            Some((axis, self.angle(frame, axis)?))
        };
        dip.map(turn).collect()
    }

    /// The smallest angle that brings the foot to the floor; `None` if no allowed angle does.
    fn angle(&self, frame: usize, axis: DVec3) -> Option<f64> {
        let ankle = self.found.world.position(self.end, frame).y - self.soles.floor;
        let arms: Vec<DVec3> = (0..self.radii.len()).map(|at| self.arm(at, frame)).collect();
        let is_out = |angle: f64| {
            let turn = DQuat::from_axis_angle(axis, angle);
            arms.iter().zip(&self.radii).all(|(&arm, radius)| ankle + (turn * arm).y - radius > -self.depth - ROUNDING)
        };
        let steps = (MOST_ANKLE_TURN / STEP) as usize;
        let out = (0..=steps).map(|step| step as f64 * STEP).find(|&angle| is_out(angle))?;
        let (mut low, mut high) = ((out - STEP).max(0.0), out);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if is_out(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// Turns the end in a frame of `clip` by a rotation of the world.
    fn turn(&self, character: &Character, clip: &mut Clip, frame: usize, turn: DQuat) {
        let parent = character.skeleton.bones()[self.end].parent;
        let above = parent.map_or(DQuat::IDENTITY, |parent| self.found.world.rotation(parent, frame));
        let rotation = above.conjugate() * turn * above * clip.rotation(self.end, frame);
        clip.set_rotation(self.end, frame, rotation.normalize());
    }
}
