//! Friction of joints: what makes a ragdoll come to rest.
//!
//! ```text
//! w = turn of the child − turn of the parent in a substep of length h
//! couple = −w (d h + τ h²/‖w‖),   d = r I,  τ = q I             viscous and dry, at most a quarter of the least moment
//! I      of the lighter side of the joint about it, in the pose of the model
//! ```
//! A couple is equal and opposite on the two bodies: it keeps both momenta. It goes into the tree, which carries it on.

use super::plan::BatchBody;
use super::rows::Lanes;
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;
use crate::particles::Model;
use crate::particles::lighter_side::Sides;

/// Rate at which viscous friction stops a free limb, per second.
const RATE: f64 = 1.5;

/// What dry friction takes from the angular speed of a free limb, radians per second squared.
const SLOWING: f64 = 0.5;

/// Share of the least moment of both bodies that a couple may be per turn; 1 would stop the body within a substep.
const MOST_SHARE: f32 = 0.25;

/// Friction of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointFriction {
    /// d, N m s.
    viscous: f32,
    /// τ, N m.
    dry: f32,
    /// Most of a couple per turn, kg m².
    most: f32,
}

impl JointFriction {
    /// The couple of a substep (seconds) times it, kg m², on the child, less on the parent; from twice the turn of both.
    #[inline(always)]
    pub fn couple<V: SingleLanes>(
        &self,
        lanes: Lanes<V>,
        substep: f32,
        child: LaneVector<V>,
        parent: LaneVector<V>,
    ) -> LaneVector<V> {
        let turn = child.minus(parent);
        let size = turn.dot(turn).sqrt().greatest(lanes.same(1e-12));
        let dry = lanes.same(2.0 * self.dry * substep * substep) / size;
        let share = (lanes.same(self.viscous * substep) + dry).least(lanes.same(self.most));
        turn.scaled(share * lanes.same(-0.5))
    }
}

/// Sets the friction of all joints. Bodies are in the order of the tree.
pub fn set(model: &Model, bodies: &mut [BatchBody]) {
    let sides = Sides::of(model);
    let least = |body: usize| bodies[body].moments.into_iter().fold(f32::INFINITY, f32::min);
    let frictions: Vec<JointFriction> = (0..bodies.len())
        .map(|index| {
            let Some(joint) = &bodies[index].joint else { return JointFriction::default() };
            let inertia = sides.lighter([index, joint.parent].map(|body| bodies[body].particles[0]));
            let most = MOST_SHARE * least(index).min(least(joint.parent));
            JointFriction { viscous: (RATE * inertia) as f32, dry: (SLOWING * inertia) as f32, most }
        })
        .collect();
    for (body, friction) in bodies.iter_mut().zip(frictions) {
        if let Some(joint) = &mut body.joint {
            joint.friction = friction;
        }
    }
}
