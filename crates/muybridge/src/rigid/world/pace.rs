//! Number of substeps in a step: more for fast rotation, fewer while the world is calm.

use super::World;
use crate::rigid::integrator::Integrator;
use crate::rigid::joint::Joint;
use crate::rigid::model::Motor;
use crate::rigid::settings::Method;

/// Greatest way of a body in joined substeps, meters.
const CALM_WAY: f64 = 0.004;

/// Greatest rotation of a body in joined substeps, radians.
const CALM_TURN: f64 = 0.02;

impl World {
    /// Number of substeps: as many as the fastest rotation requires, and a half or a quarter of the usual number while
    /// everything is calm, see [`Self::joined`].
    pub(super) fn substeps(&self) -> u32 {
        let (mut speed, mut turn) = (0.0_f64, 0.0_f64);
        for &body in &self.awake.order {
            let (pose, momentum) = (&self.state.poses[body], &self.state.momenta[body]);
            let (v, w) = momentum.velocities(&self.model.bodies[body], pose.turn());
            (speed, turn) = (speed.max(v.length()), turn.max(w.length()));
        }
        let seconds = self.settings.time_step;
        let least = self.settings.substeps.max(1);
        let wanted = libm::ceil(turn * seconds / self.settings.most_turn);
        if !wanted.is_finite() {
            return least;
        }
        let joined = self.joined([speed, turn].map(|rate| rate * seconds / f64::from(least)), least);
        (wanted as u32).clamp(least / joined, least.saturating_mul(16))
    }

    /// Number of substeps that are joined to one: 4 or 2 while bodies move and turn little in them, otherwise 1.
    /// `moved` are the greatest way (meters) and rotation (radians) of a body in a substep. A mechanism that swings
    /// from the world keeps its energy only with equal substeps, and springs their stiffness.
    fn joined(&self, moved: [f64; 2], least: u32) -> u32 {
        let awake = |joint: &Joint| self.awake.has(joint.child);
        let is_spring = |motor: &Motor| motor.frequency > 0.0 && awake(&self.model.joints[motor.joint]);
        let swings = |joint: &Joint| (joint.parent.is_none() || joint.compliance > 0.0) && awake(joint);
        let is_plain = self.settings.method == Method::Multipliers
            && self.settings.integrator == Integrator::Splitting
            && self.forest.closing.is_empty()
            && !self.model.joints.iter().any(swings)
            && !self.model.motors.iter().any(is_spring);
        let is_calm = |&joined: &u32| {
            let [way, turn] = moved.map(|moved| moved * f64::from(joined));
            least.is_multiple_of(joined) && way < CALM_WAY && turn < CALM_TURN
        };
        [4, 2].into_iter().find(|joined| is_plain && is_calm(joined)).unwrap_or(1)
    }
}
