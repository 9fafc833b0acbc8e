//! Where the ground may push: corners of soles that are near it, and what else touches, by how far the clip has them stand there.
//!
//! ```text
//! share    1/(1 + (v/V)⁴ + (y/Y)⁴)      of a place that in the clip moves at v and is y above the ground
//! rays     n ± μ' t,  n ± μ' t'          edges of a pyramid inside the cone of friction
//! ```

use glam::DVec3;

use super::reference::Wished;
use crate::behavior::Sensed;
use crate::behavior::support::Sole;

/// A place that may bear.
#[derive(Clone, Copy, Debug)]
pub struct Bearing {
    pub body: usize,
    /// Metres.
    pub place: DVec3,
    pub normal: DVec3,
    /// How far the clip has it stand, 0 to 1.
    pub share: f64,
    /// Metres above what it would stand on.
    pub gap: f64,
}

/// A direction in which the ground may push.
#[derive(Clone, Copy, Debug)]
pub struct FrictionConeEdge {
    pub body: usize,
    pub place: DVec3,
    /// Unit length.
    pub along: DVec3,
    /// Force and moment about the mass center of a newton.
    pub wrench: [f64; 6],
    pub share: f64,
}

/// V (m/s) and Y (m): a place of the clip that is faster or higher does not stand.
const STANDS: [f64; 2] = [0.3, 0.03];
/// A corner of a sole this near to the ground is brought onto it, metres.
const NEAR: f64 = 0.04;
/// What is nearer bears, metres.
const BEARS: f64 = 0.01;
/// Share of the friction that is counted on: the pyramid lies inside the cone.
const INSIDE: f64 = 0.7;

/// How far a place of a body stands in the clip.
fn share(sensed: &Sensed, wished: &[Wished], (body, bone): (usize, usize), place: DVec3, ground: f64) -> f64 {
    let in_bone = sensed.pose[bone].1.conjugate() * (place - sensed.motions[body].center);
    let (there, velocity) = wished[body].point(in_bone);
    let fast = velocity.length_squared() / (STANDS[0] * STANDS[0]);
    let high = (there.y - ground).max(0.0) / STANDS[1];
    let high = high * high;
    1.0 / (1.0 + fast * fast + high * high)
}

/// The places that may bear a figure.
pub fn bearings(
    (sensed, bones): (&Sensed, &dyn Fn(usize) -> usize),
    wished: &[Wished],
    (soles, ground): (&[Sole], f64),
) -> Vec<Bearing> {
    let mut all = Vec::new();
    for sole in soles {
        for place in sole.corners(sensed.pose[sole.bone], 0.0) {
            let gap = place.y - ground;
            if gap < NEAR {
                let share = share(sensed, wished, (sole.body, sole.bone), place, ground);
                all.push(Bearing { body: sole.body, place, normal: DVec3::Y, share, gap });
            }
        }
    }
    let is_sole = |body: usize| soles.iter().any(|sole| sole.body == body);
    for touch in sensed.touches.iter().filter(|touch| touch.force > 0.0 && !is_sole(touch.body)) {
        let (body, place) = (touch.body, touch.place);
        let share = share(sensed, wished, (body, bones(body)), place, place.y);
        all.push(Bearing { body, place, normal: touch.normal, share, gap: 0.0 });
    }
    all
}

/// The directions in which they may be pushed.
pub fn rays(sensed: &Sensed, bearings: &[Bearing], friction: f64) -> Vec<FrictionConeEdge> {
    let mut rays = Vec::with_capacity(4 * bearings.len());
    for bearing in bearings.iter().filter(|bearing| bearing.gap <= BEARS) {
        let across = bearing.normal.any_orthonormal_vector();
        let other = bearing.normal.cross(across);
        for side in [across, -across, other, -other] {
            let along = (bearing.normal + side * (friction * INSIDE)).normalize();
            let moment = (bearing.place - sensed.mass_center).cross(along);
            let wrench = [along.x, along.y, along.z, moment.x, moment.y, moment.z];
            let Bearing { body, place, share, .. } = *bearing;
            rays.push(FrictionConeEdge { body, place, along, wrench, share: share.max(1e-6) });
        }
    }
    rays
}

/// How far each foot stands: its most standing corner of those that are down.
pub fn planted(bearings: &[Bearing], foot: usize) -> f64 {
    let down = bearings.iter().filter(|bearing| bearing.body == foot && bearing.gap <= BEARS);
    down.map(|bearing| bearing.share).fold(0.0, f64::max)
}
