//! One-sided and bounded constraint rows beside the joints: contacts with friction, joint limits, motors.
//!
//! ```text
//! w = J u + Γ λ      λ within [least, most];   contact: λ_n ≥ 0, ‖λ_t‖ ≤ μ λ_n
//! contact            w_n ≥ −gap/h before contact, ≥ −e w_n(before) at a hit, ≥ 0 at rest
//! range              w ≥ −room/h
//! spring k, damper d  Γ = 1/(h (h k + d)),  w = rate − B C/h,  B = h k/(h k + d)        implicit Euler, stable for any k
//!                    of h/2, and the same impulse again after the drift: implicit midpoint rule, without loss
//! k = m ω², d = 2 ζ m ω + drag m               m: inertia with all other joints locked, see `composite`
//! ```
//! Specification: mathematics 4.5.1, 4.7, 4.10 (H17, H18, H24).

use glam::{DQuat, DVec3};

use super::joint::{JointSide, Kind, hinge, slider};
use super::model::{Model, Motor};
use super::motion::vector;
use super::range::{LimitRow, frame};
use crate::math::rotation::{exp, log};

/// Contact between two bodies or a body and an obstacle, touching or about to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two bodies; `None` for an obstacle.
    pub bodies: [Option<usize>; 2],
    /// Contact point between the two surfaces, meters.
    pub point: DVec3,
    /// Vector from that point to the surface of the first body, and back to that of the second; zero but for fast bodies.
    pub spread: DVec3,
    /// Unit normal from the second body to the first.
    pub normal: DVec3,
    /// Gap between the surfaces, meters; negative for penetration.
    pub gap: f64,
    /// Velocity of the second side's surface, m/s: that of a moving obstacle.
    pub velocity: DVec3,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Key that identifies the contact from step to step.
    pub key: u64,
}

/// Kind of constraint that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    /// Normal row of a contact (by index); its two tangent rows follow.
    Contact(usize),
    /// First or second tangent row of the contact one or two rows before.
    Tangent,
    /// Joint limit.
    Range,
    /// Spring or damper of a motor.
    Motor {
        /// Index into [`Model::motors`].
        motor: usize,
        /// Angle beyond its target, radians.
        missing: f64,
        /// Target rate, radians per second.
        rate: f64,
        /// Whether stiffness is set; if not, it follows from the inertia of the row, see [`ConstraintRow::driven`].
        is_known: bool,
    },
    /// Dry friction of a joint.
    Friction,
}

/// Bit set in keys of joint limits; the next bit marks keys of motors.
pub const RANGES: u64 = 1 << 62;
const MOTORS: u64 = 1 << 63;

/// One constraint equation.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintRow {
    /// Constraint that the row belongs to.
    pub of: Of,
    /// The two bodies; `None` for a side that does not move.
    pub bodies: [Option<usize>; 2],
    /// Jacobian by the velocities of either body, linear part first.
    pub by: [[f64; 6]; 2],
    /// Target of the rate `w`: a minimum for one-sided rows, otherwise a value.
    pub target: f64,
    /// Depenetration speed, applied to positions without momentum: depth beyond the slop per second.
    pub recovery: f64,
    /// Softness Γ.
    pub softness: f64,
    /// Lower bound of the impulse, newton seconds (newton meter seconds).
    pub least: f64,
    /// Upper bound of the impulse, newton seconds (newton meter seconds).
    pub most: f64,
    /// Accumulated impulse.
    pub impulse: f64,
    /// Key that identifies the impulse from step to step.
    pub key: u64,
    /// Bounce of the contact of a normal row; `None` if it has none, and for other rows.
    pub bounce: Option<Bounce>,
}

/// Restitution of a contact in a substep.
#[derive(Clone, Copy, Debug)]
pub struct Bounce {
    /// Slowest approach that closes the gap and bounces, m/s.
    pub least_approach: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Rate of the row at which the surfaces stay together, m/s.
    pub carried: f64,
    /// Least rate of the row without a hit: that at which a gap closes in the substep, m/s.
    pub least: f64,
    /// Approach that gravity has added in the substep, m/s; negative where it draws the sides apart.
    pub kick: f64,
    /// Rate at which the gap closes before the hit, if it does, m/s.
    pub closing: f64,
}

impl Bounce {
    /// Rate after a hit at an approach, m/s: with it, speed and height at the end of the substep belong to a throw from where the
    /// two meet, at the share of the approach that is returned there.
    pub fn wanted(&self, approach: f64) -> f64 {
        let closing = self.closing.min(approach.max(0.0));
        let late = self.kick * (1.0 - closing / approach.max(f64::MIN_POSITIVE));
        let before = (approach - self.kick).max(0.0);
        let met = (before * before + 2.0 * self.kick * closing).max(0.0);
        self.carried + libm::sqrt(self.restitution * self.restitution * met + late * late) - late
    }
}

/// Parameters for the construction of rows.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Length of the substep, seconds.
    pub step: f64,
    /// Penetration slop: depth that is not corrected, meters.
    pub slop: f64,
    /// Share of the depth beyond the slop that a substep removes (Baumgarte).
    pub recovery: f64,
    /// Greatest depenetration speed, m/s.
    pub fastest: f64,
    /// Restitution threshold: slowest approach that bounces, m/s.
    pub bounce: f64,
    /// Velocity that gravity has added to falling bodies before contacts are solved, m/s.
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
            bounce: None,
        }
    }
}

impl Contact {
    /// Contact point on the surface of a side, meters.
    pub fn point_on(&self, side: usize) -> DVec3 {
        if side == 0 { self.point + self.spread } else { self.point - self.spread }
    }

    /// Whether its sides come together in the substep in which they meet. Others stay where they are: what bounces off an obstacle
    /// without loss then keeps its energy to the last digit, as its height belongs to its speed.
    pub fn comes_together(&self) -> bool {
        let bounces_with_loss = self.restitution > 0.0 && self.restitution < 1.0 && self.bodies.contains(&None);
        bounces_with_loss || self.spread != DVec3::ZERO
    }
}

/// What gravity has added to the approach of two sides within the substep, m/s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Falls {
    /// As far as nothing carries them; negative where it draws them apart.
    pub kick: f64,
    /// What the approach will be more, once what carries them has taken the rest from them.
    pub late: f64,
}

/// Adds the three rows of a contact, with its number. A hit at speed v leaves with V = √(e²v² + k²) − k, where k is the
/// approach speed that gravity already added within the substep, negative at a ceiling. At height h above the surface the body then has the energy
/// e² v²/2 there, and gains none. `speed` is the present separation speed, m/s; a gap of `beside` meters at the end of the substep
/// counts as closed, but not if it `is_later`: what is stopped before may still not enter; `centers` are the centers of
/// mass; `falls` returns what gravity adds to the approach, and is told whether it is fast enough for a hit.
pub fn add_contact(
    rows: &mut Vec<ConstraintRow>,
    (index, contact): (usize, &Contact),
    centers: [DVec3; 2],
    (speed, beside, is_later): (f64, f64, bool),
    (rules, falls): (&Rules, impl FnOnce(bool) -> Falls),
) {
    let (first, key) = (rows.len(), normal_key(contact));
    let tangent = contact.normal.any_orthonormal_vector();
    let arms = [contact.point_on(0) - centers[0], centers[1] - contact.point_on(1)];
    for (number, direction) in [contact.normal, tangent, contact.normal.cross(tangent)].into_iter().enumerate() {
        let DVec3 { x, y, z } = direction;
        let (a, b) = (arms[0].cross(direction), arms[1].cross(direction));
        let by = [[x, y, z, a.x, a.y, a.z], [-x, -y, -z, b.x, b.y, b.z]];
        let of = if number == 0 { Of::Contact(index) } else { Of::Tangent };
        rows.push(ConstraintRow::new(of, contact.bodies, by, key.wrapping_add(number as u64)));
        rows[first + number].target = contact.velocity.dot(direction);
        rows[first + number].least = if number == 0 { 0.0 } else { f64::NEG_INFINITY };
    }
    let normal = &mut rows[first];
    let carried = normal.target;
    let approach = carried - speed;
    let Falls { kick, late } =
        if contact.restitution > 0.0 { falls(approach > rules.bounce) } else { Falls::default() };
    let gap_rate = contact.gap.max(0.0) / rules.step;
    let bounce = Bounce {
        // What gravity alone has given within a long substep is no hit.
        least_approach: (rules.bounce + kick.max(0.0)).max((contact.gap - beside) / rules.step),
        restitution: contact.restitution,
        carried,
        least: carried - gap_rate,
        kick,
        closing: if contact.comes_together() { gap_rate } else { 0.0 },
    };
    let meets = contact.gap <= approach * rules.step + beside && !is_later;
    normal.target = if meets && contact.restitution > 0.0 && approach > rules.bounce + kick.max(0.0) {
        bounce.wanted(approach + late)
    } else if meets && contact.spread != DVec3::ZERO {
        // What is swept meets where the normal is, and not where the substep ends.
        carried
    } else {
        bounce.least
    };
    normal.bounce = (contact.restitution > 0.0 && !is_later).then_some(bounce);
    normal.recovery = recovery(-contact.gap - rules.slop, rules);
}

/// Greatest gap that a point leaves and that closes all the same where another point of its face closes, meters. Corners of a
/// face that lies askew by a hair bounce in one substep: in two, they would turn the body.
pub const BESIDE: f64 = 1e-4;

/// Key of the first row of a contact.
pub fn normal_key(contact: &Contact) -> u64 {
    contact.key.wrapping_mul(4)
}

/// Row of a joint limit.
pub fn of_bound(
    bound: &LimitRow,
    bodies: [Option<usize>; 2],
    sides: &[JointSide<f64>; 2],
    key: u64,
    rules: &Rules,
) -> ConstraintRow {
    let mut row = ConstraintRow::new(Of::Range, bodies, relative(sides, bound.slide, bound.turn), key);
    row.target = -bound.room.max(0.0) / rules.step;
    // Angular corrections may be ten times as fast as linear ones: a limb is a tenth of a meter to a meter long.
    let faster = if bound.slide == DVec3::ZERO { 10.0 } else { 1.0 };
    row.recovery = recovery(-bound.room, &Rules { fastest: rules.fastest * faster, ..*rules });
    row
}

/// Jacobian of the rate at which the child's anchor moves along `slide` and the child turns about `turn`, relative to
/// the parent, world axes.
pub fn relative(sides: &[JointSide<f64>; 2], slide: DVec3, turn: DVec3) -> [[f64; 6]; 2] {
    [(0, -1.0), (1, 1.0)].map(|(side, sign)| {
        let arm = vector(sides[1].anchor) - vector(sides[side].center);
        let (push, turn) = (slide * sign, (turn + arm.cross(slide)) * sign);
        [push.x, push.y, push.z, turn.x, turn.y, turn.z]
    })
}

fn recovery(depth: f64, rules: &Rules) -> f64 {
    if depth > 0.0 { (depth * rules.recovery / rules.step).min(rules.fastest) } else { 0.0 }
}

/// Motor error: angle beyond the target, and the target's rate, about the axes of the parent's frame; of a slider, meters
/// along x.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aim {
    /// Angle beyond the target, radians.
    pub missing: DVec3,
    /// Rate of the target, radians per second.
    pub rate: DVec3,
}

/// Error of a motor of a joint of `kind`, `elapsed` seconds into a step.
pub fn aim(motor: &Motor, sides: &[JointSide<f64>; 2], (kind, elapsed): (&Kind, f64)) -> Aim {
    let missing = if !motor.has_target() {
        DVec3::ZERO
    } else if *kind == Kind::Slider {
        DVec3::X * (slider::travel(sides) - motor.target.x - motor.rate.x * elapsed)
    } else if *kind == Kind::Hinge {
        // About a single axis the angle may exceed half a turn.
        let target = motor.target.x + motor.rate.x * elapsed;
        let missing = hinge::angle(sides) - target;
        DVec3::X * if motor.is_direct { missing } else { libm::remainder(missing, core::f64::consts::TAU) }
    } else {
        let turned = DQuat::from_mat3(&(frame(&sides[0]).transpose() * frame(&sides[1]))).normalize();
        log(turned * (exp(motor.rate * elapsed) * exp(motor.target)).conjugate())
    };
    Aim { missing, rate: motor.rate }
}

/// Turn whose product with the inertias about the axes is the gradient of ½ Σ I φ²: J⁻ᵀ(φ) I φ = I `uphill`, with the left
/// Jacobian J of rotations. The moments −I φ alone would do work on the way round a closed path.
pub fn uphill(turn: DVec3, inertia: DVec3) -> DVec3 {
    let (moment, angle) = (inertia * turn, turn.length());
    let share = match 0.5 * angle {
        half if half > 1e-3 => (1.0 - half / libm::tan(half)) / (angle * angle),
        _ => 1.0 / 12.0,
    };
    let across = turn.cross(moment);
    (moment + across * 0.5 + turn.cross(across) * share) / inertia
}

/// Softness Γ and target rate w of a spring with damper, from the inertia about its axis (kg m²). `None` if the row has
/// no effect. `missing` and `rate` are those of its [`Aim`].
pub fn spring(motor: &Motor, (missing, rate): (f64, f64), inertia: f64, h: f64) -> Option<[f64; 2]> {
    let frequency = core::f64::consts::TAU * motor.frequency;
    let stiffness = inertia * frequency * frequency + motor.stiffness;
    let damping = (2.0 * motor.damping_ratio * frequency + motor.drag) * inertia;
    let sum = h * stiffness + damping;
    let values = [1.0 / (h * sum), rate - missing / h * (h * stiffness / sum)];
    (sum > 0.0 && values.iter().all(|value| value.is_finite())).then_some(values)
}

/// Rows of a motor about one axis (by number, with its Jacobian): spring with damper, and dry friction. If the inertia is
/// unknown, [`ConstraintRow::driven`] completes the spring later. They act for `seconds` each.
pub fn of_motor(
    (index, motor): (usize, &Motor),
    bodies: [Option<usize>; 2],
    (axis, by): (usize, [[f64; 6]; 2]),
    (aim, inertia): (&Aim, Option<f64>),
    seconds: [f64; 2],
) -> [Option<ConstraintRow>; 2] {
    let key = MOTORS | (index as u64) << 4 | (axis as u64) << 1;
    let (missing, rate) = (aim.missing[axis], aim.rate[axis]);
    let spring = motor.has_spring().then(|| {
        let row =
            ConstraintRow::new(Of::Motor { motor: index, missing, rate, is_known: inertia.is_some() }, bodies, by, key);
        inertia.map_or(row, |inertia| row.driven(motor, (missing, rate), inertia, seconds[0]))
    });
    let most = motor.friction * seconds[1];
    let friction = (most > 0.0).then(|| ConstraintRow {
        least: -most,
        most,
        ..ConstraintRow::new(Of::Friction, bodies, by, key | 1)
    });
    [spring, friction]
}

/// Number of the axis of a motor's row, from its key.
pub fn axis_of_motor(key: u64) -> usize {
    (key >> 1 & 3) as usize
}

impl ConstraintRow {
    /// Sets stiffness and damping of a motor row from its `inertia` (kg m²).
    pub fn driven(&self, motor: &Motor, aim: (f64, f64), inertia: f64, h: f64) -> Self {
        let Some([softness, target]) = spring(motor, aim, inertia, h) else {
            return Self { least: 0.0, most: 0.0, ..*self };
        };
        Self { softness, target, least: -motor.most * h, most: motor.most * h, ..*self }
    }
}

impl Motor {
    /// Whether a substep of `h` seconds resolves the spring, so that it needs no damping from implicit Euler. It may move as
    /// little as the inertia of its frequency over `leverage`.
    pub fn is_slow(&self, leverage: f64, h: f64) -> bool {
        let frequency = core::f64::consts::TAU * self.frequency;
        let damping = (2.0 * self.damping_ratio * frequency + self.drag) * leverage;
        let fastest = (frequency * libm::sqrt(leverage)).max(damping);
        self.frequency > 0.0 && self.stiffness == 0.0 && fastest * h <= SLOW
    }

    /// Whether the motor has a spring or damping, apart from dry friction.
    pub fn has_spring(&self) -> bool {
        self.has_target() || self.drag > 0.0
    }

    /// Whether the motor has a spring.
    pub fn has_target(&self) -> bool {
        self.frequency > 0.0 || self.stiffness > 0.0
    }
}

/// Greatest angle of a spring's swing, and share of its speed that damping takes, in a substep that resolves it.
const SLOW: f64 = 0.5;

/// Friction and restitution of two objects in contact.
pub fn surface(model: &Model, objects: [Option<usize>; 2], other: (f64, f64)) -> (f64, f64) {
    let of = |object: Option<usize>| {
        object
            .and_then(|object| model.objects.get(object))
            .map_or(other, |object| (object.friction, object.restitution))
    };
    let [a, b] = objects.map(of);
    (libm::sqrt(a.0 * b.0), a.1.max(b.1))
}
