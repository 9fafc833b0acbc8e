//! Motors of a world and what rolls: which are solved with the tree, and with what.
//!
//! A motor whose moment stays inside its bound is linear, and is a soft row of its joint in the tree's own factorisation
//! ([`Soft`]): it costs no pass and is felt by everything at once. One that would exceed its bound becomes a bounded row beside contacts for that
//! substep. Dry friction is always such a row, and so is the motor of a joint that closes a loop.
//! What rolls on an obstacle is braked by the force of the last substep times a lever arm, implicitly: a moment of `rolling · N` where it turns
//! faster than 0.1 rad/s, less in proportion where slower.
//! Specification: mathematics 4.5.1, 4.7, 8.1.

use glam::DMat3;

use super::composite::Composites;
use super::joint::{Joint, Kind, MOST_ROWS};
use super::model::Model;
use super::motion::{Momentum, Pose, vector};
use super::rattle::{Driven, Mechanism, Soft};
use super::row::{self, Contact, Row};
use super::state::State;

/// Motors at the poses of a substep. Keeps its memory from step to step.
#[derive(Clone, Debug, Default)]
pub struct Drives {
    composites: Composites,
    /// By motor.
    of: Vec<Drive>,
    /// By joint.
    soft: Vec<Option<Soft>>,
    /// Rolling resistance of every body, metres.
    rolling: Vec<f64>,
    /// C of every body; see [`Driven`].
    brakes: Vec<f64>,
    /// Momenta before the motors.
    before: Vec<Momentum<f64>>,
    any: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Drive {
    /// What a turn of the joint feels; see [`Composites`].
    felt: Option<DMat3>,
    /// Whether its joint has room for it in the tree.
    fits: bool,
    /// Whether it is to be a row beside the tree in this substep.
    is_row: bool,
    /// What it gave in this substep, newton metre seconds about each axis.
    impulse: [f64; 3],
    /// The part of it before contacts.
    unhindered: [f64; 3],
}

impl Drives {
    /// Inertia and place of every motor whose bodies are awake, for the substeps of a step.
    pub fn look(&mut self, mechanism: Mechanism<'_>, model: &Model, poses: &[Pose<f64>]) {
        self.of.clear();
        self.of.resize(model.motors.len(), Drive::default());
        self.soft.clear();
        self.soft.resize(model.joints.len(), None);
        self.brakes.clear();
        self.brakes.resize(model.bodies.len(), 0.0);
        self.rolling.resize(model.bodies.len(), 0.0);
        model.greatest(|object| object.rolling, &mut self.rolling);
        if model.motors.is_empty() {
            return;
        }
        self.composites.measure(mechanism, poses);
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let joint = &model.joints[motor.joint];
            let Some(body) = hanging(mechanism, motor.joint).filter(|_| mechanism.forest.has(joint.child)) else {
                continue;
            };
            let anchor = poses[joint.child].point(joint.frames[1].position);
            drive.felt = self.composites.compliance(mechanism.forest, body, poses, anchor);
            drive.fits = drive.felt.is_some() && axes_of(joint) + joint.rows() <= MOST_ROWS;
        }
        // One of a joint: others of the same are rows.
        for (index, motor) in model.motors.iter().enumerate() {
            let is_taken =
                model.motors[..index].iter().zip(&self.of).any(|(other, of)| other.joint == motor.joint && of.fits);
            self.of[index].fits &= !is_taken;
        }
    }

    /// Starts a substep: all motors that fit are in the tree.
    pub fn begin(&mut self, momenta: &[Momentum<f64>]) {
        for drive in &mut self.of {
            drive.is_row = !drive.fits;
        }
        self.before.clear();
        self.before.extend_from_slice(momenta);
    }

    /// Momenta as they were at [`Self::begin`].
    pub fn before(&self) -> &[Momentum<f64>] {
        &self.before
    }

    /// Brakes of the bodies that roll on `contacts`, by the impulses of the last substep.
    pub fn brake(&mut self, mechanism: Mechanism<'_>, state: &State, contacts: &[Contact], h: f64) {
        self.brakes.fill(0.0);
        for contact in contacts {
            let ([Some(body), None] | [None, Some(body)]) = contact.bodies else { continue };
            if let Some(force) = state.force(row::normal_key(contact)) {
                self.brakes[body] += self.rolling[body] * force * h;
            }
        }
        for (body, brake) in self.brakes.iter_mut().enumerate() {
            if *brake > 0.0 {
                let (_, spin) = state.momenta[body].velocities(&mechanism.bodies[body], state.poses[body].turn());
                *brake /= spin.length().max(SLOW);
            }
        }
    }

    /// Soft rows and brakes for a substep of `h` seconds that begins `elapsed` seconds into the step. `None` where there are none.
    pub fn aim(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, poses): (&Model, &[Pose<f64>]),
        (h, elapsed): (f64, f64),
    ) -> Option<Driven<'_>> {
        self.any = self.brakes.iter().any(|&brake| brake > 0.0);
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let joint = &model.joints[motor.joint];
            if drive.is_row || !motor.has_spring() || !mechanism.forest.has(joint.child) {
                continue;
            }
            let sides = joint.sides_at(poses);
            let aim = row::aim(motor, &sides, (joint.kind == Kind::Hinge, elapsed));
            let mut soft = Soft { count: axes_of(joint), axes: sides[0].axes, softness: [0.0; 3], wanted: [0.0; 3] };
            for axis in 0..soft.count {
                let inertia = felt(drive.felt, vector(soft.axes[axis])).unwrap_or(0.0);
                let spring = row::spring(motor, (aim.missing[axis], aim.rate[axis]), inertia, h);
                [soft.softness[axis], soft.wanted[axis]] = spring.unwrap_or([NOTHING, 0.0]);
            }
            self.soft[motor.joint] = Some(soft);
            self.any = true;
        }
        self.any.then_some(Driven { soft: &self.soft, brakes: &self.brakes })
    }

    /// C of every body in this substep.
    pub fn brakes(&self) -> &[f64] {
        &self.brakes
    }

    /// Whether anything is driven or braked in this substep.
    pub fn any(&self) -> bool {
        self.any
    }

    /// What soft rows gave in the solution before contacts.
    pub fn take_unhindered(&mut self, mechanism: Mechanism<'_>, model: &Model, multipliers: &[[f64; MOST_ROWS]]) {
        for drive in &mut self.of {
            drive.unhindered = [0.0; 3];
        }
        self.take(mechanism, model, multipliers);
        for drive in &mut self.of {
            drive.unhindered = drive.impulse;
        }
    }

    /// Impulses of the motors of a mechanism: those before contacts and what soft rows gave in the last solution.
    pub fn take(&mut self, mechanism: Mechanism<'_>, model: &Model, multipliers: &[[f64; MOST_ROWS]]) {
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let joint = &model.joints[motor.joint];
            let Some(soft) = self.soft[motor.joint].filter(|_| !drive.is_row) else { continue };
            if !mechanism.forest.has(joint.child) {
                continue;
            }
            for axis in 0..soft.count {
                drive.impulse[axis] = drive.unhindered[axis] + multipliers[motor.joint][joint.rows() + axis];
            }
        }
    }

    /// Makes rows of the motors that gave more than they may in `h` seconds. `true` where there are any.
    pub fn bound(&mut self, model: &Model, h: f64) -> bool {
        let mut any = false;
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let most = motor.most * h * (1.0 + ENOUGH);
            if !drive.is_row && drive.impulse.iter().any(|impulse| impulse.abs() > most) {
                drive.is_row = true;
                self.soft[motor.joint] = None;
                any = true;
            }
        }
        any
    }

    /// Rows of the motors that are not in the tree.
    pub fn add_rows(
        &self,
        mechanism: Mechanism<'_>,
        (model, poses): (&Model, &[Pose<f64>]),
        (h, elapsed): (f64, f64),
        rows: &mut Vec<Row>,
    ) {
        for (index, (motor, drive)) in model.motors.iter().zip(&self.of).enumerate() {
            let joint = &model.joints[motor.joint];
            let has_spring = drive.is_row && motor.has_spring();
            if !mechanism.forest.has(joint.child) || !(has_spring || motor.friction > 0.0) {
                continue;
            }
            let sides = joint.sides_at(poses);
            let aim = row::aim(motor, &sides, (joint.kind == Kind::Hinge, elapsed));
            let bodies = [joint.parent, Some(joint.child)];
            for axis in 0..axes_of(joint) {
                let direction = vector(sides[0].axes[axis]);
                let inertia = felt(drive.felt, direction);
                let [spring, friction] = row::of_motor((index, motor), bodies, (axis, direction), (&aim, inertia), h);
                rows.extend(spring.filter(|_| has_spring));
                rows.extend(friction);
            }
        }
    }
}

/// Axes about which a joint that fits the tree turns freely; more than it has room for where it does not.
fn axes_of(joint: &Joint) -> usize {
    if joint.kind == Kind::Hinge { 1 } else { 3 }
}

/// The body that hangs by a joint; none where it closes a loop.
fn hanging(mechanism: Mechanism<'_>, joint: usize) -> Option<usize> {
    let Joint { parent, child, .. } = mechanism.joints[joint];
    [Some(child), parent].into_iter().flatten().find(|&body| mechanism.forest.hangs_by[body] == Some(joint))
}

/// kg m² about an axis.
fn felt(compliance: Option<DMat3>, axis: glam::DVec3) -> Option<f64> {
    compliance.map(|felt| 1.0 / axis.dot(felt * axis)).filter(|inertia| inertia.is_finite() && *inertia > 0.0)
}

/// Turning slower than this, radians per second, is braked by less than all that rolling resistance allows.
const SLOW: f64 = 0.1;

/// Γ of what does nothing, 1/(kg m²): enough against any body.
const NOTHING: f64 = 1e60;

/// Share of the greatest moment by which a motor in the tree may exceed it.
const ENOUGH: f64 = 1e-6;
