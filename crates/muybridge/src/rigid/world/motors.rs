//! Motors in a substep: those in the tree act before contacts, those at their torque limit as rows among contacts.

use super::Scratch;
use crate::rigid::displacement::Velocities::Follow;
use crate::rigid::drives::Drives;
use crate::rigid::joint::Joint;
use crate::rigid::model::Model;
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::Of;
use crate::rigid::settings::{Method, Settings};
use crate::rigid::solver::Solver;
use crate::rigid::state::State;

impl Scratch {
    /// Enforces joints and applies motors in the tree, before contacts.
    pub(super) fn drive(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        (h, elapsed): (f64, f64),
    ) {
        // Displacement closes joints behind the drift. What touches, and motors, must not see velocities that the joints will not
        // allow: a spring would carry less than the joints then let fall on it.
        let holds = match settings.method {
            Method::Multipliers => true,
            Method::Displacement(how) => {
                how.velocities == Follow && !(self.contacts.is_empty() && model.motors.is_empty())
            }
            Method::Hennix(_) => false,
        };
        let Self { rattle, driven, drives, .. } = self;
        if let Some(driving) = drives.aim(mechanism, (model, &state.poses), (h, elapsed)) {
            driven.factor_driven(mechanism, &state.poses, (&Joint::guide, h), driving);
            driven.drive(mechanism, &mut state.momenta, (driving, holds));
            drives.take_unhindered(mechanism, model, &driven.factors.multipliers);
        } else if holds {
            rattle.project(mechanism, &mut state.momenta);
        }
    }

    /// Gives the second half of slow springs, after the drift, with the reactions of the joints. `rattle` must be factored
    /// at the present poses.
    pub(super) fn drive_again(&mut self, mechanism: Mechanism<'_>, model: &Model, state: &mut State) {
        let is_halved = self.drives.halved(mechanism, model);
        let mut forest = core::mem::take(&mut self.again);
        forest.leave_out(mechanism.forest, |tree| !is_halved[tree]);
        let halved = Mechanism { forest: &forest, ..mechanism };
        self.sums.fill([0.0; 6]);
        self.drives.add_second_halves(halved, (model, &state.poses), &self.solver.rows, &mut self.sums);
        self.rattle.absorb(halved, &mut state.momenta, &self.sums);
        self.again = forest;
    }
}

/// Sets the stiffness of springs with unknown inertia from the effective inertia of their rows.
pub(super) fn stiffen(solver: &mut Solver, drives: &Drives, model: &Model, h: f64) {
    for index in 0..solver.rows.len() {
        let Of::Motor { motor, missing, rate, is_known: false } = solver.rows[index].of else { continue };
        let inertia = 1.0 / solver.compliance(index);
        let seconds = drives.seconds(motor, h);
        solver.rows[index] = solver.rows[index].driven(&model.motors[motor], (missing, rate), inertia, seconds);
    }
}
