//! Joint motors and rolling resistance of a world: which are solved within the tree, and which as bounded rows.
//!
//! A motor below its torque limit is linear: it becomes a soft row of its joint in the factorization of the tree
//! ([`Soft`]). It costs no iteration, and all bodies feel it at once. A motor that would exceed its limit becomes a
//! bounded row beside contacts for that substep. Dry friction always does, and so does the motor of a loop-closing
//! joint. A slow spring of a tree that touches nothing gives half its impulse before the drift and the same half after
//! it (the implicit midpoint rule), so that it swings without a loss; a fast one stays implicit Euler.
//! A ball joint with unlimited damping and no spring damps all rotations alike: by the whole inertia matrix, not
//! by its value about each axis. A limb resists a rotation about its length a hundredth as much as across it, and every
//! oblique axis would mix the two.
//!
//! ```text
//! D = drag S⁻¹ = drag L Lᵀ        rows l_i with Γ = 1/(h drag), l_i the columns of L;   S as in `composite`
//! ```
//! Rolling resistance uses the contact force of the last substep times a lever arm, implicitly: a moment of `rolling ·
//! N` above 0.1 rad/s, proportionally less below.
//! Specification: mathematics 4.5.1, 4.7, 8.1.

use glam::{DMat3, DVec3};

use super::composite::{self, Composites, is_sound};
use super::joint::{Joint, JointSide, Kind, MOST_ROWS};
use super::model::{Model, Motor};
use super::motion::{Momentum, Pose, vector};
use super::range::frame;
use super::rattle::{Driven, Mechanism, Soft};
use super::row::{self, Aim, ConstraintRow, Contact, Of};
use super::state::State;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;

/// Motors at the poses of a substep. Buffers are reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct Drives {
    composites: Composites,
    /// State of each motor.
    of: Vec<Drive>,
    /// Soft rows of each joint; `None` if the joint is not driven within the tree.
    soft: Vec<Option<Soft>>,
    /// Whether a motor of each joint fits the tree.
    is_taken: Vec<bool>,
    /// Rolling resistance of every body, meters.
    rolling: Vec<f64>,
    /// Rotational damping C of every body; see [`Driven`].
    brakes: Vec<f64>,
    /// Momenta at the start of the substep, before motors.
    before: Vec<Momentum<f64>>,
    any: bool,
    any_halved: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Drive {
    /// Compliance S that a rotation of the joint feels; see [`Composites`]. `None` if undefined.
    felt: Option<DMat3>,
    /// Cholesky factor L in the parent's joint frame, if the motor damps all rotations of a ball joint alike; otherwise
    /// `None`.
    whole: Option<DMat3>,
    /// Whether the motor's rows fit into its joint's block in the tree.
    fits: bool,
    /// Whether the motor is a bounded row beside the tree in this substep.
    is_row: bool,
    /// Inertia to which the frequency refers over the least that the spring can move, at least 1; infinite if unknown.
    leverage: f64,
    /// Whether the motor gives half its impulse before the drift, and half after it.
    is_halved: bool,
    /// Impulse of the motor before the drift of this substep, newton meter seconds about each axis.
    impulse: [f64; 3],
    /// Part of `impulse` from the solution before contacts.
    unhindered: [f64; 3],
}

impl Drives {
    /// Updates inertias of all motors whose bodies are awake, once per step.
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
        self.composites.measure(0.0, mechanism, poses);
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let joint = &model.joints[motor.joint];
            // What resists a slider follows from its row.
            let turns = joint.kind != Kind::Slider;
            let felt = self.composites.of_joint(mechanism, motor.joint, poses).filter(|felt| turns && is_sound(felt));
            drive.felt = felt.map(|felt| felt.single());
            drive.leverage = leverage((model, motor), poses);
            drive.fits = drive.felt.is_some() && axes_of(joint) + joint.rows() <= MOST_ROWS;
            if !motor.has_target() && motor.most == f64::INFINITY && axes_of(joint) == 3 {
                let in_parent = frame(&joint.sides_at(poses)[0]).transpose();
                drive.whole = felt.map(root_of_inverse).filter(is_sound).map(|whole| in_parent * whole.single());
            }
        }
        // One motor per joint fits the tree; further motors of that joint become rows.
        self.is_taken.clear();
        self.is_taken.resize(model.joints.len(), false);
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let is_taken = &mut self.is_taken[motor.joint];
            drive.fits &= !*is_taken;
            *is_taken |= drive.fits;
        }
    }

    /// Inertia about each axis of the motors with a frequency at these poses, kg m²; `None` where it is undefined.
    pub fn inertias(&mut self, mechanism: Mechanism<'_>, model: &Model, poses: &[Pose<f64>]) -> Vec<Option<DVec3>> {
        self.look(mechanism, model, poses);
        let of = |(motor, drive): (&Motor, &Drive)| {
            let sides = model.joints[motor.joint].sides_at(poses);
            let about = |axis: usize| drive.inertia(motor, &sides[0].axes, axis);
            (motor.frequency > 0.0).then_some(())?;
            Some(DVec3::new(about(0)?, about(1)?, about(2)?))
        };
        model.motors.iter().zip(&self.of).map(of).collect()
    }

    /// Starts a substep of `h` seconds: all motors that fit are solved within the tree. `is_touched` tells of a body whether
    /// its tree touches something.
    pub fn begin(&mut self, (model, h): (&Model, f64), momenta: &[Momentum<f64>], is_touched: impl Fn(usize) -> bool) {
        self.any_halved = false;
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            drive.is_row = !drive.fits;
            drive.is_halved = motor.is_slow(drive.leverage, h) && !is_touched(model.joints[motor.joint].child);
            drive.impulse = [0.0; 3];
            self.any_halved |= drive.is_halved;
        }
        self.before.clear();
        self.before.extend_from_slice(momenta);
    }

    /// Momenta at the call of [`Self::begin`].
    pub fn before(&self) -> &[Momentum<f64>] {
        &self.before
    }

    /// Computes rolling resistance of bodies on `contacts` from the impulses of the last substep.
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

    /// Soft rows and rotational damping for a substep of `h` seconds, `elapsed` seconds into the step. `None` if there
    /// are none.
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
            let aim = aim_of((motor, joint), &sides, elapsed);
            let soft = match drive.whole {
                Some(whole) => brake_of(motor, &(frame(&sides[0]) * whole), whole.transpose() * aim.rate, h),
                None => drive.spring(motor, axes_of(joint), (&sides[0].axes, &aim), drive.seconds(h)),
            };
            self.soft[motor.joint] = Some(soft);
            self.any = true;
        }
        self.any.then_some(Driven { soft: &self.soft, brakes: &self.brakes })
    }

    /// Rotational damping C of every body in this substep.
    pub fn brakes(&self) -> &[f64] {
        &self.brakes
    }

    /// Whether any motor or rolling resistance acts within the tree in this substep.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Stores the impulses of soft rows from the solution before contacts.
    pub fn take_unhindered(&mut self, mechanism: Mechanism<'_>, model: &Model, multipliers: &[[f64; MOST_ROWS]]) {
        for drive in &mut self.of {
            drive.unhindered = [0.0; 3];
        }
        self.take(mechanism, model, multipliers);
        for drive in &mut self.of {
            drive.unhindered = drive.impulse;
        }
    }

    /// Updates the motor impulses of a mechanism: impulse before contacts plus that of soft rows in the last solution.
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

    /// Seconds for which a motor acts before the drift of a substep of `h` seconds.
    pub fn seconds(&self, motor: usize, h: f64) -> f64 {
        self.of[motor].seconds(h)
    }

    /// Whether a motor gives half its impulse after the drift.
    pub fn any_halved(&self) -> bool {
        self.any_halved
    }

    /// Whether a motor of each tree gives half its impulse after the drift.
    pub fn halved(&self, mechanism: Mechanism<'_>, model: &Model) -> Vec<bool> {
        let mut of_tree = vec![false; mechanism.forest.trees];
        for (motor, drive) in model.motors.iter().zip(&self.of) {
            of_tree[mechanism.forest.tree[model.joints[motor.joint].child]] |= drive.is_halved;
        }
        of_tree
    }

    /// Adds the halves that act after the drift, at the poses there, to the `sums` of impulses on bodies. `rows` are those
    /// of the motors outside the tree.
    pub fn add_second_halves(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, poses): (&Model, &[Pose<f64>]),
        rows: &[ConstraintRow],
        sums: &mut [[f64; 6]],
    ) {
        for row in rows {
            if let Of::Motor { motor, .. } = row.of {
                self.of[motor].impulse[row::axis_of_motor(row.key)] = row.impulse;
            }
        }
        for (motor, drive) in model.motors.iter().zip(&self.of) {
            let joint = &model.joints[motor.joint];
            if !(drive.is_halved && mechanism.forest.has(joint.child)) {
                continue;
            }
            let sides = joint.sides_at(poses);
            for (axis, impulse) in drive.impulse.iter().enumerate().take(axes_of(joint)) {
                let by = along(joint, &sides, axis);
                for (body, by) in [joint.parent, Some(joint.child)].into_iter().zip(by) {
                    let Some(body) = body else { continue };
                    sums[body].iter_mut().zip(by).for_each(|(sum, by)| *sum += by * impulse);
                }
            }
        }
    }

    /// Turns motors that exceeded their torque limit over `h` seconds into bounded rows. Returns `true` if there are
    /// any.
    pub fn bound(&mut self, model: &Model, h: f64) -> bool {
        let mut any = false;
        for (motor, drive) in model.motors.iter().zip(&mut self.of) {
            let most = motor.most * drive.seconds(h) * (1.0 + ENOUGH);
            if !drive.is_row && drive.impulse.iter().any(|impulse| impulse.abs() > most) {
                drive.is_row = true;
                self.soft[motor.joint] = None;
                any = true;
            }
        }
        any
    }

    /// Adds rows of the motors outside the tree, and of dry friction.
    pub fn add_rows(
        &self,
        mechanism: Mechanism<'_>,
        (model, poses): (&Model, &[Pose<f64>]),
        (h, elapsed): (f64, f64),
        rows: &mut Vec<ConstraintRow>,
    ) {
        for (index, (motor, drive)) in model.motors.iter().zip(&self.of).enumerate() {
            let joint = &model.joints[motor.joint];
            let has_spring = drive.is_row && motor.has_spring();
            if !mechanism.forest.has(joint.child) || !(has_spring || motor.friction > 0.0) {
                continue;
            }
            let sides = joint.sides_at(poses);
            let aim = aim_of((motor, joint), &sides, elapsed);
            let bodies = [joint.parent, Some(joint.child)];
            for axis in 0..axes_of(joint) {
                let inertia = drive.inertia(motor, &sides[0].axes, axis);
                let by = along(joint, &sides, axis);
                let seconds = [drive.seconds(h), h];
                let [spring, friction] = row::of_motor((index, motor), bodies, (axis, by), (&aim, inertia), seconds);
                rows.extend(spring.filter(|_| has_spring));
                rows.extend(friction);
            }
        }
    }
}

impl Drive {
    /// Part of a substep of `h` seconds for which the motor acts before the drift, seconds.
    fn seconds(&self, h: f64) -> f64 {
        if self.is_halved { 0.5 * h } else { h }
    }

    /// Inertia about an axis of the parent's frame, kg m²; `None` if undefined.
    fn inertia(&self, motor: &Motor, axes: &[LaneVector<f64>; 3], axis: usize) -> Option<f64> {
        motor.inertia.map(|inertia| inertia[axis]).or_else(|| felt(self.felt, vector(axes[axis])))
    }

    /// Soft rows of a spring with damper, each scaled by the inertia about its axis.
    fn spring(&self, motor: &Motor, count: usize, (axes, aim): (&[LaneVector<f64>; 3], &Aim), h: f64) -> Soft {
        let mut soft = Soft { count, axes: *axes, softness: [0.0; 3], wanted: [0.0; 3] };
        for axis in 0..count {
            let inertia = self.inertia(motor, axes, axis).unwrap_or(0.0);
            let spring = row::spring(motor, (aim.missing[axis], aim.rate[axis]), inertia, h);
            [soft.softness[axis], soft.wanted[axis]] = spring.unwrap_or([NOTHING, 0.0]);
        }
        soft
    }
}

/// Error of the motor `elapsed` seconds into the step.
fn aim_of((motor, joint): (&Motor, &Joint), sides: &[JointSide<f64>; 2], elapsed: f64) -> Aim {
    let aim = row::aim(motor, sides, (&joint.kind, elapsed));
    let missing = match motor.inertia.filter(|_| axes_of(joint) == 3) {
        Some(inertia) => row::uphill(aim.missing, inertia),
        None => aim.missing,
    };
    Aim { missing, ..aim }
}

/// Greatest ratio of the inertia to which a spring's frequency refers to that of the two bodies alone, about its axes. With
/// free joints beyond them, the spring swings faster by its root.
fn leverage((model, motor): (&Model, &Motor), poses: &[Pose<f64>]) -> f64 {
    let joint = &model.joints[motor.joint];
    if joint.kind == Kind::Slider {
        return 1.0;
    }
    let Some(inertia) = motor.inertia else { return f64::INFINITY };
    let Some(alone) = composite::of_bodies_alone(&model.bodies, joint, poses) else { return f64::INFINITY };
    let axes = &joint.sides_at(poses)[0].axes;
    let ratio =
        |axis: usize| felt(Some(alone), vector(axes[axis])).map_or(f64::INFINITY, |least| inertia[axis] / least);
    (0..axes_of(joint)).map(ratio).fold(1.0, f64::max)
}

/// Jacobian of a motor's axis.
fn along(joint: &Joint, sides: &[JointSide<f64>; 2], axis: usize) -> [[f64; 6]; 2] {
    let direction = vector(sides[0].axes[axis]);
    match joint.kind {
        Kind::Slider => row::relative(sides, direction, DVec3::ZERO),
        _ => row::relative(sides, DVec3::ZERO, direction),
    }
}

/// Soft rows that damp all rotations alike. `turns` are the columns of L, `rates` the target rates along them.
fn brake_of(motor: &Motor, turns: &DMat3, rates: DVec3, h: f64) -> Soft {
    let softness = (1.0 / (h * motor.drag)).min(NOTHING);
    let axes = [turns.x_axis, turns.y_axis, turns.z_axis].map(|turn| LaneVector::splat((), turn));
    Soft { count: 3, axes, softness: [softness; 3], wanted: rates.to_array() }
}

/// Number of motor axes: 1 for a hinge or slider, otherwise 3, too many for universal and fixed joints to fit the tree.
fn axes_of(joint: &Joint) -> usize {
    if matches!(joint.kind, Kind::Hinge | Kind::Slider) { 1 } else { 3 }
}

/// Inertia about an axis, kg m²; `None` if undefined.
fn felt(compliance: Option<DMat3>, axis: DVec3) -> Option<f64> {
    compliance.map(|felt| 1.0 / axis.dot(felt * axis)).filter(|inertia| inertia.is_finite() && *inertia > 0.0)
}

/// Matrix L with L Lᵀ = S⁻¹; unsound if S⁻¹ is not positive definite.
#[inline(always)]
pub(in crate::rigid) fn root_of_inverse<V: Lanes>(compliance: LaneMatrix<V>) -> LaneMatrix<V> {
    let [a, b, c] = compliance.inverse().columns;
    let zero = a.x.like(0.0);
    let x = a.x.sqrt();
    let (l, m) = (a.y / x, a.z / x);
    let y = (b.y - l * l).sqrt();
    let n = (b.z - l * m) / y;
    let z = (c.z - m * m - n * n).sqrt();
    let second = LaneVector { x: zero, y, z: n };
    LaneMatrix { columns: [LaneVector { x, y: l, z: m }, second, LaneVector { x: zero, y: zero, z }] }
}

/// Angular speed below which rolling resistance fades in proportion, radians per second.
pub(in crate::rigid) const SLOW: f64 = 0.1;

/// Softness Γ of a row without effect, 1/(kg m²): large against any body's inverse inertia.
pub(in crate::rigid) const NOTHING: f64 = 1e60;

/// Share by which a motor in the tree may exceed its torque limit.
const ENOUGH: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation::exp;
    use crate::rigid::joint::Frame;
    use crate::rigid::model::Start;
    use crate::rigid::{Body, Settings, World};

    /// A rod pinned at its center loses the share 1 − 1/(1 + r h) of its spin in a substep, however the joint's axes
    /// lie: implicit Euler of ω̇ = −r ω.
    #[test]
    fn what_brakes_a_ball_brakes_turns_along_and_across_a_limb_alike() {
        let (rate, settings) = (3.0, Settings { gravity: DVec3::ZERO, rest_steps: 0, ..Settings::default() });
        let substeps = 20 * settings.substeps;
        let expected = (1.0 + rate * settings.time_step / f64::from(settings.substeps)).powi(-(substeps as i32));
        let mut random = Random::new(3);
        for case in 0..12 {
            let turn = random.rotation();
            let axes = random.rotation();
            let frames = [
                Frame { rotation: axes, ..Frame::at(DVec3::ZERO) },
                Frame { rotation: (turn.conjugate() * axes).normalize(), ..Frame::at(DVec3::ZERO) },
            ];
            let model = Model {
                bodies: vec![Body::new(2.0, DVec3::new(1e-3, 0.2, 0.2)).unwrap()],
                joints: vec![Joint { parent: None, child: 0, frames, kind: Kind::Ball, compliance: 0.0 }],
                motors: vec![Motor { drag: rate, ..Motor::idle(0) }],
                ..Model::default()
            };
            let spin = turn * (exp(DVec3::X * f64::from(case)) * DVec3::AXES[case as usize % 2]);
            let start = Start { angular_velocity: spin, ..Start::at(DVec3::ZERO, turn) };
            let mut world = World::new(model, &[start], settings).unwrap();
            (0..20).for_each(|_| world.step());
            assert_eq!(world.report().substeps, settings.substeps);
            let (_, now) = world.state.momenta[0].velocities(&world.model.bodies[0], world.state.poses[0].turn());
            assert!((now - spin * expected).length() < 1e-9, "{case}: {now} {}", spin * expected);
        }
    }
}
