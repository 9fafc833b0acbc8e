//! Candidate contact forces of whole-body control: corners of soles near the ground and other contacts, weighted by how still they are in the clip.
//!
//! ```text
//! share    1/(1 + (v/V)⁴ + (y/Y)⁴)      of a point that in the clip moves at v and is y above the ground
//! rays     n ± μ' t,  n ± μ' t'          edges of a pyramid inside the friction cone
//! ```

use glam::DVec3;

use super::reference::Wished;
use crate::behavior::Sensed;
use crate::behavior::support::Sole;

/// Contact point that may carry load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BearingPoint {
    pub body: usize,
    /// World position, meters.
    pub place: DVec3,
    pub normal: DVec3,
    /// Degree to which the point stands still in the clip, 0 to 1.
    pub share: f64,
    /// Gap above the ground, meters; 0 for contacts.
    pub gap: f64,
}

/// Edge of a friction cone: direction in which the ground may push.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrictionConeEdge {
    pub body: usize,
    pub place: DVec3,
    /// Direction of the force, unit length.
    pub along: DVec3,
    /// Force and moment about the center of mass of a force of one newton.
    pub wrench: [f64; 6],
    pub share: f64,
}

/// V (m/s) and Y (m): speed and height above which a point of the clip does not count as standing.
const STANDS: [f64; 2] = [0.3, 0.03];
/// Gap below which a corner of a sole is lowered onto the ground, meters.
const NEAR: f64 = 0.04;
/// Gap below which a point may carry load, meters.
const BEARS: f64 = 0.01;
/// Share of the friction coefficient that is used, so that the pyramid lies inside the friction cone.
const INSIDE: f64 = 0.7;

/// Degree to which a point of a body stands still in the clip, 0 to 1.
fn share(sensed: &Sensed, wished: &[Wished], (body, bone): (usize, usize), place: DVec3, ground: f64) -> f64 {
    let in_bone = sensed.pose[bone].1.conjugate() * (place - sensed.motions[body].center);
    let (there, velocity) = wished[body].point(in_bone);
    let fast = velocity.length_squared() / (STANDS[0] * STANDS[0]);
    let high = (there.y - ground).max(0.0) / STANDS[1];
    let high = high * high;
    1.0 / (1.0 + fast * fast + high * high)
}

/// Lists the contact points that may carry the figure.
pub(crate) fn bearings(
    (sensed, bones): (&Sensed, &dyn Fn(usize) -> usize),
    wished: &[Wished],
    (soles, ground): (&[Sole], f64),
) -> Vec<BearingPoint> {
    let mut all = Vec::new();
    for sole in soles {
        for place in sole.corners(sensed.pose[sole.bone], 0.0) {
            let gap = place.y - ground;
            if gap < NEAR {
                let share = share(sensed, wished, (sole.body, sole.bone), place, ground);
                all.push(BearingPoint { body: sole.body, place, normal: DVec3::Y, share, gap });
            }
        }
    }
    let is_sole = |body: usize| soles.iter().any(|sole| sole.body == body);
    for touch in sensed.touches.iter().filter(|touch| touch.force > 0.0 && !is_sole(touch.body)) {
        let (body, place) = (touch.body, touch.place);
        let share = share(sensed, wished, (body, bones(body)), place, place.y);
        all.push(BearingPoint { body, place, normal: touch.normal, share, gap: 0.0 });
    }
    all
}

/// Lists the friction cone edges of the contact points that carry load.
pub(crate) fn rays(sensed: &Sensed, bearings: &[BearingPoint], friction: f64) -> Vec<FrictionConeEdge> {
    let mut rays = Vec::with_capacity(4 * bearings.len());
    for bearing in bearings.iter().filter(|bearing| bearing.gap <= BEARS) {
        let across = bearing.normal.any_orthonormal_vector();
        let other = bearing.normal.cross(across);
        for side in [across, -across, other, -other] {
            let along = (bearing.normal + side * (friction * INSIDE)).normalize();
            let moment = (bearing.place - sensed.mass_center).cross(along);
            let wrench = [along.x, along.y, along.z, moment.x, moment.y, moment.z];
            let BearingPoint { body, place, share, .. } = *bearing;
            rays.push(FrictionConeEdge { body, place, along, wrench, share: share.max(1e-6) });
        }
    }
    rays
}

/// Degree to which a foot is planted: the largest share among its corners on the ground.
pub(crate) fn planted(bearings: &[BearingPoint], foot: usize) -> f64 {
    let down = bearings.iter().filter(|bearing| bearing.body == foot && bearing.gap <= BEARS);
    down.map(|bearing| bearing.share).fold(0.0, f64::max)
}
