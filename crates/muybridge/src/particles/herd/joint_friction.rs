//! Joint friction: lets a ragdoll come to rest.
//!
//! ```text
//! w = rotation of the child less that of the parent in a substep of length h
//! couple = −w (d h + τ h²/‖w‖),   d = r I,  τ = q I             viscous and dry; at most ¼ of the least moment
//! I      of the lighter side of the joint about the joint, in the pose of the model
//! ```
//! The torque is equal and opposite on the two bodies, so linear and angular momentum are kept. It enters the tree
//! solve.

use super::plan::BatchBody;
use super::rows::Lanes;
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;
use crate::particles::lighter_side::Sides;
use crate::particles::{Direction, Model};

/// Rate at which viscous friction stops a free limb, 1/s.
const RATE: f64 = 1.5;

/// Deceleration of a free limb by dry friction, radians per second squared.
const SLOWING: f64 = 0.5;

/// Deceleration by dry friction per rate of viscous friction of the model, rad/s: see [`crate::particles::SwingTwist::friction`].
const DRY: f64 = 0.05;

/// Limit of the friction torque per rotation, as a share of the least moment of both bodies. With 1 a body would stop
/// within a substep.
const MOST_SHARE: f32 = 0.25;

/// Friction of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointFriction {
    /// Viscous coefficient d, N m s.
    viscous: f32,
    /// Dry friction torque τ, N m.
    dry: f32,
    /// Limit of the torque times the squared substep per rotation, kg m².
    most: f32,
}

impl JointFriction {
    /// Friction torque times the squared substep, kg m², on the child relative to the parent, from twice the rotations
    /// of both.
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

/// Where the friction of the joints comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// That of a herd, the same rate for all joints.
    Herd,
    /// The rates of the model's joint limits.
    Model,
}

/// Sets the friction of all joints. `bodies` are in tree order.
pub fn set(model: &Model, bodies: &mut [BatchBody], source: Source) {
    let sides = Sides::of(model);
    let least = |body: usize| bodies[body].moments.into_iter().fold(f32::INFINITY, f32::min);
    let frictions: Vec<JointFriction> = (0..bodies.len())
        .map(|index| {
            let Some(joint) = &bodies[index].joint else { return JointFriction::default() };
            let pair = [index, joint.parent].map(|body| bodies[body].particles[0]);
            let inertia = sides.lighter(pair);
            let most = MOST_SHARE * least(index).min(least(joint.parent));
            let (viscous, dry) = match source {
                Source::Herd => (RATE * inertia, SLOWING * inertia),
                Source::Model => {
                    let rate = rate(model, pair);
                    (rate * alone([index, joint.parent].map(|body| &bodies[body])), DRY * rate * inertia)
                }
            };
            JointFriction { viscous: viscous as f32, dry: dry as f32, most }
        })
        .collect();
    for (body, friction) in bodies.iter_mut().zip(frictions) {
        if let Some(joint) = &mut body.joint {
            joint.friction = friction;
        }
    }
}

/// Friction rate of the joint between the bodies of two particles, 1/s.
fn rate(model: &Model, pair: [usize; 2]) -> f64 {
    let is_between = |a: &Direction, b: &Direction| {
        let ends = [a, b].map(|axis| axis.particles);
        ends.iter().any(|end| end.contains(&pair[0])) && ends.iter().any(|end| end.contains(&pair[1]))
    };
    let swings = model.swing_twists.iter().filter(|joint| is_between(&joint.a[0], &joint.b[0])).map(|it| it.friction);
    let hinges = model.hinges.iter().filter(|joint| is_between(&joint.a[0], &joint.b[0])).map(|it| it.friction);
    swings.chain(hinges).fold(0.0, f64::max)
}

/// Moment that resists the relative rotation of two bodies without others, averaged over axes, kg m².
fn alone(bodies: [&BatchBody; 2]) -> f64 {
    let [a, b] = bodies.map(|body| f64::from(body.moments.iter().sum::<f32>() / 3.0));
    a * b / (a + b)
}
