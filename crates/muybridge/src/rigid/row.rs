//! One-sided and bounded equations beside the joints: contacts with friction, ranges, motors.
//!
//! ```text
//! w = J u + Γ λ      λ within [least, most];   contact: λ_n ≥ 0, ‖λ_t‖ ≤ μ λ_n
//! contact            w_n ≥ −gap/h before it touches, ≥ −e w_n(before) at a hit, ≥ 0 while it rests
//! range              w ≥ −room/h
//! spring k, damper d  Γ = 1/(h (h k + d)),  w = rate − B C/h,  B = h k/(h k + d)        implicit Euler, stable for any k
//! k = m ω², d = 2 ζ m ω + drag m               m the inertia that the turn feels with all other joints locked, see `composite`
//! ```
//! Specification: mathematics 4.5.1, 4.7, 4.10 (H17, H18, H24).

use glam::{DQuat, DVec3};

use super::joint::{JointSide, hinge};
use super::model::{Model, Motor};
use super::motion::vector;
use super::range::{LimitRow, frame};
use crate::math::rotation::{exp, log};

/// Where two bodies touch, or are about to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two bodies; `None` for an obstacle.
    pub bodies: [Option<usize>; 2],
    /// Between the two surfaces, metres.
    pub point: DVec3,
    /// From the second body to the first, unit length.
    pub normal: DVec3,
    /// Metres between the surfaces; negative inside.
    pub gap: f64,
    /// Velocity of the second side's surface, m/s: that of a moving obstacle.
    pub velocity: DVec3,
    /// Coulomb friction.
    pub friction: f64,
    /// Share of the normal speed that comes back.
    pub restitution: f64,
    /// By which it is known from step to step.
    pub key: u64,
}

/// What a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    /// A contact (by index): its normal; two tangents follow.
    Contact(usize),
    /// The first or second tangent of the contact two or one rows before.
    Tangent,
    /// A bound of a range.
    Range,
    /// A spring or damper of a motor.
    Motor {
        /// Index into [`Model::motors`].
        motor: usize,
        /// Radians beyond its target.
        missing: f64,
        /// How fast that turns, radians per second.
        rate: f64,
        /// Whether it has its stiffness; if not, that follows from what the row feels, see [`ConstraintRow::driven`].
        is_known: bool,
    },
    /// Dry friction of a joint; its bounds are newton metres until the substep is known.
    Friction,
}

/// Keys of ranges have this bit, those of motors the next.
pub const RANGES: u64 = 1 << 62;
const MOTORS: u64 = 1 << 63;

/// One equation.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintRow {
    /// What it belongs to.
    pub of: Of,
    /// The two bodies; `None` for what does not move.
    pub bodies: [Option<usize>; 2],
    /// By the velocities of either body, the linear first.
    pub by: [[f64; 6]; 2],
    /// What `w` is to be at least (one-sided), or to be.
    pub target: f64,
    /// What is to be won by moving without momentum, per second: depth beyond the slop.
    pub recovery: f64,
    /// Γ.
    pub softness: f64,
    /// Bounds of the impulse.
    pub least: f64,
    /// Bounds of the impulse.
    pub most: f64,
    /// Impulse.
    pub impulse: f64,
    /// By which the impulse is known from step to step.
    pub key: u64,
}

/// How rows are made.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Seconds of the substep.
    pub step: f64,
    /// Depth that is left alone, metres.
    pub slop: f64,
    /// Share of the depth beyond the slop that is taken away in a substep.
    pub recovery: f64,
    /// Greatest speed of recovery, m/s.
    pub fastest: f64,
    /// Slowest approach that bounces, m/s.
    pub bounce: f64,
    /// What falls was given this before contacts are looked at, m/s.
    pub kick: DVec3,
}

impl ConstraintRow {
    fn new(of: Of, bodies: [Option<usize>; 2], by: [[f64; 6]; 2], key: u64) -> Self {
        Self {
            of,
            bodies,
            by,
            target: 0.0,
            recovery: 0.0,
            softness: 0.0,
            least: 0.0,
            most: f64::INFINITY,
            impulse: 0.0,
            key,
        }
    }
}

/// The three rows of a contact. What hits with v leaves with V = √(e²v² + k²) − k, where k is what gravity has already given it toward the surface
/// within the substep: h above the surface it then has the energy e² v²/2 there, and none is gained. `speed` is that at which the surfaces separate now, m/s; the centers are those of the bodies.
pub fn of_contact(
    index: usize,
    contact: &Contact,
    centers: [DVec3; 2],
    speed: f64,
    rules: &Rules,
) -> [ConstraintRow; 3] {
    let tangent = contact.normal.any_orthonormal_vector();
    let directions = [contact.normal, tangent, contact.normal.cross(tangent)];
    let mut rows = directions.map(|direction| {
        let by = [0, 1].map(|side| {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let turn = (contact.point - centers[side]).cross(direction) * sign;
            let push = direction * sign;
            [push.x, push.y, push.z, turn.x, turn.y, turn.z]
        });
        ConstraintRow::new(Of::Tangent, contact.bodies, by, contact.key)
    });
    for (row, direction) in rows.iter_mut().zip(directions) {
        row.target = contact.velocity.dot(direction);
        row.least = f64::NEG_INFINITY;
    }
    let normal = &mut rows[0];
    normal.of = Of::Contact(index);
    normal.least = 0.0;
    let carried = normal.target;
    let approach = carried - speed;
    let hits = approach > rules.bounce && contact.gap <= approach * rules.step;
    if hits && contact.restitution > 0.0 {
        let falls = |side: usize| if contact.bodies[side].is_some() { rules.kick.dot(contact.normal) } else { 0.0 };
        let kick = (falls(1) - falls(0)).max(0.0);
        let back = contact.restitution * (approach - kick).max(0.0);
        normal.target = carried + libm::sqrt(back * back + kick * kick) - kick;
    } else if contact.gap > 0.0 {
        normal.target = carried - contact.gap / rules.step;
    }
    normal.recovery = recovery(-contact.gap - rules.slop, rules);
    for (number, row) in rows.iter_mut().enumerate() {
        row.key = normal_key(contact).wrapping_add(number as u64);
    }
    rows
}

/// The key of the first row of a contact.
pub fn normal_key(contact: &Contact) -> u64 {
    contact.key.wrapping_mul(4)
}

/// The row of a bound.
pub fn of_bound(
    bound: &LimitRow,
    bodies: [Option<usize>; 2],
    sides: &[JointSide<f64>; 2],
    key: u64,
    rules: &Rules,
) -> ConstraintRow {
    let arms = [0, 1].map(|side: usize| vector(sides[1].anchor) - vector(sides[side].center));
    let by = [0, 1].map(|side| {
        let sign = if side == 1 { 1.0 } else { -1.0 };
        let (push, turn) = (bound.slide * sign, (bound.turn + arms[side].cross(bound.slide)) * sign);
        [push.x, push.y, push.z, turn.x, turn.y, turn.z]
    });
    let mut row = ConstraintRow::new(Of::Range, bodies, by, key);
    row.target = -bound.room.max(0.0) / rules.step;
    // What turns may be taken back ten times as fast as what moves: a limb is a tenth of a metre to a metre.
    let faster = if bound.slide == DVec3::ZERO { 10.0 } else { 1.0 };
    row.recovery = recovery(-bound.room, &Rules { fastest: rules.fastest * faster, ..*rules });
    row
}

fn recovery(depth: f64, rules: &Rules) -> f64 {
    if depth > 0.0 { (depth * rules.recovery / rules.step).min(rules.fastest) } else { 0.0 }
}

/// How far a motor's joint is from its target, and how fast that turns: about the axes of the parent's frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aim {
    /// Radians beyond the target.
    pub missing: DVec3,
    /// Radians per second.
    pub rate: DVec3,
}

/// The aim of a motor `elapsed` seconds into a step; about x alone where `only_x`.
pub fn aim(motor: &Motor, sides: &[JointSide<f64>; 2], (only_x, elapsed): (bool, f64)) -> Aim {
    let missing = if motor.frequency == 0.0 {
        DVec3::ZERO
    } else if only_x {
        // About one axis a turn may pass half a circle.
        let target = motor.target.x + motor.rate.x * elapsed;
        DVec3::X * libm::remainder(hinge::angle(sides) - target, core::f64::consts::TAU)
    } else {
        let turned = DQuat::from_mat3(&(frame(&sides[0]).transpose() * frame(&sides[1]))).normalize();
        log(turned * (exp(motor.rate * elapsed) * exp(motor.target)).conjugate())
    };
    Aim { missing, rate: motor.rate }
}

/// Γ and the rate w that the row of a spring with damper asks for, by the inertia it feels (kg m²); `None` where it does nothing.
/// `missing` and `rate` are those of its [`Aim`].
pub fn spring(motor: &Motor, (missing, rate): (f64, f64), inertia: f64, h: f64) -> Option<[f64; 2]> {
    let frequency = core::f64::consts::TAU * motor.frequency;
    let stiffness = inertia * frequency * frequency;
    let damping = (2.0 * motor.damping_ratio * frequency + motor.drag) * inertia;
    let sum = h * stiffness + damping;
    let values = [1.0 / (h * sum), rate - missing / h * (h * stiffness / sum)];
    (sum > 0.0 && values.iter().all(|value| value.is_finite())).then_some(values)
}

/// Rows of a motor about one axis (by number and direction): spring with damper, and dry friction. Where the inertia is not known the
/// spring waits for [`ConstraintRow::driven`].
pub fn of_motor(
    (index, motor): (usize, &Motor),
    bodies: [Option<usize>; 2],
    (axis, direction): (usize, DVec3),
    (aim, inertia): (&Aim, Option<f64>),
    h: f64,
) -> [Option<ConstraintRow>; 2] {
    let by = [-direction, direction].map(|turn| [0.0, 0.0, 0.0, turn.x, turn.y, turn.z]);
    let key = MOTORS | (index as u64) << 4 | (axis as u64) << 1;
    let (missing, rate) = (aim.missing[axis], aim.rate[axis]);
    let spring = motor.has_spring().then(|| {
        let row =
            ConstraintRow::new(Of::Motor { motor: index, missing, rate, is_known: inertia.is_some() }, bodies, by, key);
        inertia.map_or(row, |inertia| row.driven(motor, (missing, rate), inertia, h))
    });
    let most = motor.friction * h;
    let friction = (most > 0.0).then(|| ConstraintRow {
        least: -most,
        most,
        ..ConstraintRow::new(Of::Friction, bodies, by, key | 1)
    });
    [spring, friction]
}

impl ConstraintRow {
    /// Stiffness and damping of a motor's row that feels `inertia` (kg m²).
    pub fn driven(&self, motor: &Motor, aim: (f64, f64), inertia: f64, h: f64) -> Self {
        let Some([softness, target]) = spring(motor, aim, inertia, h) else {
            return Self { least: 0.0, most: 0.0, ..*self };
        };
        Self { softness, target, least: -motor.most * h, most: motor.most * h, ..*self }
    }
}

impl Motor {
    /// Whether there is more to it than dry friction.
    pub fn has_spring(&self) -> bool {
        self.frequency > 0.0 || self.drag > 0.0
    }
}

/// Friction and restitution of two objects that touch.
pub fn surface(model: &Model, objects: [Option<usize>; 2], other: (f64, f64)) -> (f64, f64) {
    let of = |object: Option<usize>| {
        object
            .and_then(|object| model.objects.get(object))
            .map_or(other, |object| (object.friction, object.restitution))
    };
    let [a, b] = objects.map(of);
    (libm::sqrt(a.0 * b.0), a.1.max(b.1))
}
