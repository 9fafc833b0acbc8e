//! Acting on rigid bodies from outside: forces, moments and impulses, and waking.
//!
//! A body that does not exist and a number that is not finite are refused. Specification: mathematics 3.16 (J32).

use glam::DVec3;

use super::World;
use crate::math::input_error::InputError;
use crate::rigid::joint::Joint;
use crate::rigid::motion::Momentum;
use crate::rigid::rattle::Mechanism;
use crate::rigid::rest;

impl World {
    /// Adds a force (newtons) at a place (m, world) of a body during the next step. Wakes the body.
    ///
    /// # Errors
    /// If there is no such body, or force or place is not finite.
    pub fn push(&mut self, body: usize, force: DVec3, at: DVec3) -> Result<(), InputError> {
        self.check_body(body)?;
        InputError::check_finite("the place of the force", at)?;
        let moment = (at - self.state.poses[body].place()).cross(force);
        self.push_and_turn(body, force, moment)
    }

    /// Adds a force (newtons) through the center of a body and a moment (newton meters) during the next step. Wakes the body.
    ///
    /// # Errors
    /// If there is no such body, or force or moment is not finite.
    pub fn push_and_turn(&mut self, body: usize, force: DVec3, moment: DVec3) -> Result<(), InputError> {
        self.check_body(body)?;
        InputError::check_finite("the force", force)?;
        InputError::check_finite("the moment", moment)?;
        self.add_wrench(body, force, moment);
        Ok(())
    }

    /// [`World::push_and_turn`] for wrenches that a step computes: without an error, since a controller that diverges must not
    /// stop the run. A wrench that is not finite is left out.
    pub(crate) fn add_wrench(&mut self, body: usize, force: DVec3, moment: DVec3) {
        if !(force.is_finite() && moment.is_finite()) {
            return;
        }
        let wrench = &mut self.scratch.wrenches[body];
        for (sum, value) in wrench.iter_mut().zip(force.to_array().into_iter().chain(moment.to_array())) {
            *sum += value;
        }
        rest::wake(&mut self.state, self.forest.tree[body]);
    }

    /// [`World::add_wrench`] by an impulse (N s) and a moment (N m s) in the next step, spread so that it moves a free body as if
    /// each part had come when the share of `early` in it was left of the step.
    pub(crate) fn add_spread(&mut self, body: usize, sum: [DVec3; 2], early: [DVec3; 2]) {
        let rate = 1.0 / self.settings.time_step;
        let [force, moment] = sum.map(|sum| sum * rate);
        // A force F + R s of s from −1 to 1 over the step T, in n pieces, moves a mass M by (F/2 − R (1 − 1/n²)/6) T²/M.
        let pieces = f64::from(self.settings.substeps.max(2));
        let scale = 6.0 * rate / (1.0 - 1.0 / (pieces * pieces));
        let [ramp, twist] = [0, 1].map(|of| (sum[of] * 0.5 - early[of]) * scale);
        if !(ramp.is_finite() && twist.is_finite()) {
            return;
        }
        self.add_wrench(body, force, moment);
        self.scratch.ramps.push((body, [ramp.x, ramp.y, ramp.z, twist.x, twist.y, twist.z], 0.0));
    }

    /// Gives a body an impulse (N s) at a place (m, world), at once. Wakes the body.
    ///
    /// # Errors
    /// If there is no such body, or impulse or place is not finite.
    pub fn hit(&mut self, body: usize, impulse: DVec3, at: DVec3) -> Result<(), InputError> {
        self.check_body(body)?;
        InputError::check_finite("the impulse", impulse)?;
        InputError::check_finite("the place of the impulse", at)?;
        let turn = (at - self.state.poses[body].place()).cross(impulse);
        InputError::check_finite("the angular impulse", turn)?;
        let [i, t] = [impulse.to_array(), turn.to_array()];
        self.scratch.sums.fill([0.0; 6]);
        self.scratch.sums[body] = [i[0], i[1], i[2], t[0], t[1], t[2]];
        rest::wake(&mut self.state, self.forest.tree[body]);
        let mechanism = Mechanism { bodies: &self.model.bodies, joints: &self.model.joints, forest: &self.forest };
        self.scratch.rattle.factor(mechanism, &self.state.poses, &Joint::guide, self.settings.time_step);
        self.scratch.rattle.absorb(mechanism, &mut self.state.momenta, &self.scratch.sums);
        Ok(())
    }

    /// Takes away the velocity and the angular velocity of a body, and all forces and moments that wait for the next step. A joint
    /// gives back what the bodies that it joins still have.
    ///
    /// # Errors
    /// If there is no such body.
    pub fn halt(&mut self, body: usize) -> Result<(), InputError> {
        self.check_body(body)?;
        self.state.momenta[body] = Momentum::ZERO;
        self.scratch.wrenches[body] = [0.0; 6];
        self.wake_tree(body);
        Ok(())
    }

    /// Wakes a body, all bodies that joints connect to it, and those that fell asleep together with them.
    ///
    /// # Errors
    /// If there is no such body.
    pub fn wake(&mut self, body: usize) -> Result<(), InputError> {
        self.check_body(body)?;
        self.wake_tree(body);
        Ok(())
    }

    /// [`World::wake`] without its check.
    pub(crate) fn wake_tree(&mut self, body: usize) {
        rest::wake(&mut self.state, self.forest.tree[body]);
    }

    fn check_body(&self, body: usize) -> Result<(), InputError> {
        InputError::check_index("body", body, self.state.poses.len())
    }

    /// Wakes every body: needed after a change of the model or of the settings, which sleeping bodies do not feel.
    pub fn wake_all(&mut self) {
        self.state.asleep.fill(None);
        self.state.rest.fill(0);
        self.state.manifolds.clear();
    }
}
