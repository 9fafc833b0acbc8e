//! Locked directions of a joint in a substep: two of a hinge, and joint limits that are reached.
//!
//! ```text
//! swing   θ between the first axes, n = x_a × x_b / ‖·‖          dθ = n·ω
//!         of an ellipse: θ − most(φ), a distance after division by its gradient n − most′(φ) (x_b × n)/sin θ
//! angle   τ = atan2(R_32 − R_23, R_22 + R_33),  n = (x_a + x_b)/(1 + x_a·x_b)     dτ = n·ω
//! excess  C = asin(sin(θ − limit));   active where C_predicted > allowed = max(0, p C_before, C_before − recovery), target −(C_predicted − allowed)
//! ```
//! `p` is the share of an old violation that is kept: it is corrected slowly, so that it adds hardly any speed. This
//! module calls no trigonometric function. Specification: mathematics 4.7.

use super::plan::{PlanJoint, PlanRange, PlanSwing};
use super::rows::{BlockWidth, LaneValues, Lanes};
use super::tree::Lock;
use crate::math::lane_angle::angle;
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// Axes of both bodies of a joint at the start of the substep, and their displacements.
pub struct LimitSides<'a, V> {
    /// Axes of the parent and their displacements.
    pub parent: [&'a [LaneVector<V>; 3]; 2],
    /// Axes of the child and their displacements.
    pub child: [&'a [LaneVector<V>; 3]; 2],
    /// Rotation of the child relative to the parent by the last solve, radians.
    pub bent: LaneVector<V>,
    /// Greatest correction of an old violation, radians.
    pub recovery: f32,
}

impl<V: SingleLanes> LimitSides<'_, V> {
    /// One joint axis of parent and child at the start of the substep.
    #[inline(always)]
    fn before(&self, lanes: Lanes<V>, joint: &PlanJoint, axis: usize) -> [LaneVector<V>; 2] {
        let [a, b] = &joint.axes;
        [lanes.combined(self.parent[0], &a[axis]), lanes.combined(self.child[0], &b[axis])]
    }

    /// Predicted joint axis of parent and child.
    #[inline(always)]
    fn predicted(&self, lanes: Lanes<V>, joint: &PlanJoint, axis: usize) -> [LaneVector<V>; 2] {
        let [a, b] = self.before(lanes, joint, axis);
        let [a_axes, b_axes] = &joint.axes;
        [a.plus(lanes.combined(self.parent[1], &a_axes[axis])), b.plus(lanes.combined(self.child[1], &b_axes[axis]))]
    }
}

/// Criterion by which a limit is active.
#[derive(Clone, Copy)]
pub enum RowChoice<V> {
    /// Active if it is predicted to be violated and did not pull in the last substep.
    Predicted {
        /// 1 if the limit pulled in the last substep, else 0.
        pulled: V,
        /// 1 in lanes that are solved and in which the joint is near a limit; results of other lanes are discarded.
        near: V,
    },
    /// Active as decided by the revision.
    Revised {
        /// 1 if active, else 0.
        holds: V,
        /// 1 in lanes that are solved again; other lanes keep their values.
        solved: V,
    },
}

impl<V: SingleLanes> RowChoice<V> {
    /// Criterion by prediction, or by revision if `is_revised`.
    #[inline(always)]
    pub fn new<W: BlockWidth>(
        lanes: Lanes<V>,
        is_revised: bool,
        [pulled, near]: [V; 2],
        holds: &LaneValues<W>,
    ) -> Self {
        if is_revised {
            Self::Revised { holds: lanes.load(holds), solved: near }
        } else {
            Self::Predicted { pulled, near }
        }
    }

    /// Lanes in which the limit may act.
    #[inline(always)]
    fn may_act(self, lanes: Lanes<V>) -> V::Mask {
        lanes.same(0.5).is_below(match self {
            Self::Predicted { near, .. } => near,
            Self::Revised { holds, solved } => holds.least(solved),
        })
    }

    /// Lanes in which the limit acts or is violated, of those in which it may act; `None` if there are none.
    #[inline(always)]
    fn chosen(self, lanes: Lanes<V>, is_out: V::Mask) -> Option<V::Mask> {
        match self {
            Self::Predicted { .. } => {
                let is_out = V::both(is_out, self.may_act(lanes));
                V::any(is_out).then_some(is_out)
            }
            Self::Revised { .. } => Some(is_out),
        }
    }
}

/// Upper bound of the rotation of the joint in a substep, from the rotations of both bodies: what they differ by, and what is
/// of second order.
#[inline(always)]
pub fn bend<V: SingleLanes>(lanes: Lanes<V>, own: LaneVector<V>, parent: LaneVector<V>) -> V {
    let turns = own.dot(own) + parent.dot(parent);
    let apart = own.minus(parent);
    apart.dot(apart).sqrt() + turns * lanes.same(2.0)
}

/// Sum of the sizes of the coordinates: an upper bound of the length.
#[inline(always)]
pub fn size<V: SingleLanes>(v: LaneVector<V>) -> V {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// Greatest room that is returned by [`room`], radians: up to this rotation its bounds hold.
const MOST_ROOM: f32 = 0.3;

/// Error of a room by rounding, radians.
const ROUNDING: f32 = 1e-3;

/// Least 1 + cosine of a swing θ at which the angle about the first axis bounds the rotation of the joint. That angle changes
/// `1/cos ½θ` times as fast as the joint turns, and `cos ½θ ≥ ½ (1 + cos θ) − ½ MOST_ROOM` up to a rotation of [`MOST_ROOM`].
const SLOW_ANGLE: f32 = 0.8;

/// Rotation from the predicted pose within which no limit is reached, radians: `x ≥ sin x` for the angle to the limit.
#[inline(always)]
pub fn room<V: SingleLanes>(lanes: Lanes<V>, joint: &PlanJoint, sides: &LimitSides<'_, V>) -> V {
    let (one, tiny) = (lanes.same(1.0), lanes.same(1e-6));
    let mut room = lanes.same(MOST_ROOM);
    if let Some(swing) = &joint.swing {
        let [a, b] = sides.predicted(lanes, joint, 0);
        let cosine = a.dot(b) / (a.dot(a) * b.dot(b)).greatest(tiny).sqrt();
        let sine = (one - cosine * cosine).greatest(lanes.same(0.0)).sqrt();
        room = room.least(cosine * lanes.same(sine_of(swing.cosine)) - sine * lanes.same(swing.cosine));
    }
    if let Some(range) = &joint.range {
        let (sine, cosine, length) =
            from_middle(lanes, range, sides.predicted(lanes, joint, 1), sides.predicted(lanes, joint, 2));
        let out = cosine * lanes.same(sine_of(range.cosine)) - sine.abs() * lanes.same(range.cosine);
        let left = out * (lanes.same(0.5) - lanes.same(0.5 * MOST_ROOM) / length.greatest(tiny));
        room = V::select(lanes.same(SLOW_ANGLE).is_below(length), room.least(left), lanes.same(0.0));
    }
    room - lanes.same(ROUNDING)
}

/// Mask of lanes whose swing is outside its cone.
#[inline(always)]
pub fn swing_is_out<V: SingleLanes>(lanes: Lanes<V>, joint: &PlanJoint, sides: &LimitSides<'_, V>) -> V::Mask {
    let [a, b] = sides.predicted(lanes, joint, 0);
    let zero = lanes.same(0.0);
    let Some(swing) = &joint.swing else { return lanes.same(1.0).is_below(zero) };
    let is_out = is_out_of_cone(lanes, swing, a, b);
    if swing.most[0] == swing.most[1] || !V::any(is_out) {
        return is_out;
    }
    let axes = [[a, b], sides.predicted(lanes, joint, 1), sides.predicted(lanes, joint, 2)];
    V::both(is_out, zero.is_below(out_of_ellipse(lanes, joint, swing, axes).0[0]))
}

/// Mask of lanes whose axes are farther apart than the smaller swing limit.
#[inline(always)]
fn is_out_of_cone<V: SingleLanes>(lanes: Lanes<V>, swing: &PlanSwing, a: LaneVector<V>, b: LaneVector<V>) -> V::Mask {
    // Compares angles, because a substep may have stretched the axes.
    a.dot(b).is_below((a.dot(a) * b.dot(b)).sqrt() * lanes.same(swing.cosine))
}

/// Violation of the swing limit in its direction and as a distance from the ellipse (radians), and the unit gradient of
/// the distance by the relative rotation. The three axes are each of parent and child.
#[inline(always)]
fn out_of_ellipse<V: SingleLanes>(
    lanes: Lanes<V>,
    joint: &PlanJoint,
    swing: &PlanSwing,
    [first, second, third]: [[LaneVector<V>; 2]; 3],
) -> ([V; 2], LaneVector<V>) {
    // The ellipse is fixed to the parent of the model, which may be the child in this tree.
    if joint.is_turned {
        let (excess, gradient) = swung_out(lanes, swing, [first[1], second[1], third[1]], first[0]);
        (excess, -gradient)
    } else {
        swung_out(lanes, swing, [first[0], second[0], third[0]], first[1])
    }
}

/// Violation of the ellipse about `a` by `b`, and the gradient by the rotation of `b` relative to `a`.
#[inline(always)]
fn swung_out<V: SingleLanes>(
    lanes: Lanes<V>,
    swing: &PlanSwing,
    [a, second, third]: [LaneVector<V>; 3],
    b: LaneVector<V>,
) -> ([V; 2], LaneVector<V>) {
    let (tiny, one) = (lanes.same(1e-12), lanes.same(1.0));
    let (about_second, about_third) = (1.0 / (swing.most[0] * swing.most[0]), 1.0 / (swing.most[1] * swing.most[1]));
    let normal = a.cross(b);
    let sine = normal.dot(normal).sqrt();
    let scale = one / sine.greatest(lanes.same(1e-4));
    let about = normal.scaled(scale);
    let (y, z) = (second.dot(b), third.dot(b));
    let p = (y * y + z * z).greatest(tiny);
    let share = p / (z * z * lanes.same(about_second) + y * y * lanes.same(about_third)).greatest(tiny);
    let most = share.sqrt();
    let tilt = share * most * y * z / p * lanes.same(about_second - about_third) * scale;
    let length = one / (one + tilt * tilt).sqrt();
    let gradient = about.plus(b.cross(about).scaled(tilt)).scaled(length);
    let excess = angle(sine, a.dot(b)) - most;
    ([excess, excess * length], gradient)
}

/// Mask of lanes whose angle about the first axis is out of its range.
#[inline(always)]
pub fn range_is_out<V: SingleLanes>(lanes: Lanes<V>, joint: &PlanJoint, sides: &LimitSides<'_, V>) -> V::Mask {
    let Some(range) = &joint.range else { return lanes.same(1.0).is_below(lanes.same(0.0)) };
    let (_, cosine, length) =
        from_middle(lanes, range, sides.predicted(lanes, joint, 1), sides.predicted(lanes, joint, 2));
    V::both(cosine.is_below(length * lanes.same(range.cosine)), lanes.same(NO_ANGLE).is_below(length))
}

/// Share of an old violation that remains after a substep.
const PATIENCE: f32 = 0.9;

/// Violation above which a limit that pulled is not released for a substep, radians.
pub const TOO_FAR: f32 = 0.02;

/// Greatest correction of a limit in a substep, radians: larger Newton steps could diverge.
const MOST: f32 = 0.3;

/// Least correction of a limit after a solve overshot it, radians; negative is back towards the limit.
const LEAST: f32 = -0.02;

/// Locks of the two directions across the axis of a hinge.
#[inline(always)]
pub fn hinge<V: SingleLanes>(lanes: Lanes<V>, joint: &PlanJoint, sides: &LimitSides<'_, V>) -> [Lock<V>; 2] {
    let [a, b] = sides.predicted(lanes, joint, 0);
    let astray = b.cross(a);
    let second = lanes.combined(sides.parent[0], &joint.axes[0][1]);
    let third = lanes.combined(sides.parent[0], &joint.axes[0][2]);
    let (is_on, excess) = (lanes.same(1.0), lanes.same(0.0));
    [
        Lock { about: second, target: (astray.plus(sides.bent)).dot(second), is_on, excess },
        Lock { about: third, target: (astray.plus(sides.bent)).dot(third), is_on, excess },
    ]
}

/// Lock of the swing if it is outside its cone.
#[inline(always)]
pub fn swing<V: SingleLanes>(
    lanes: Lanes<V>,
    joint: &PlanJoint,
    sides: &LimitSides<'_, V>,
    choice: RowChoice<V>,
) -> Option<Lock<V>> {
    let Some(swing) = &joint.swing else { return None };
    if !V::any(choice.may_act(lanes)) {
        return None;
    }
    let [a, b] = sides.predicted(lanes, joint, 0);
    let is_out = choice.chosen(lanes, is_out_of_cone(lanes, swing, a, b))?;
    let [a0, b0] = sides.before(lanes, joint, 0);
    if swing.most[0] != swing.most[1] {
        let axes = [[a0, b0], sides.before(lanes, joint, 1), sides.before(lanes, joint, 2)];
        let ([excess, before], _) = out_of_ellipse(lanes, joint, swing, axes);
        let axes = [[a, b], sides.predicted(lanes, joint, 1), sides.predicted(lanes, joint, 2)];
        let ([_, now], about) = out_of_ellipse(lanes, joint, swing, axes);
        let lock = lock(lanes, about, sides, [before, now], (choice, is_out));
        return Some(Lock { excess: V::select(is_out, excess, lanes.same(0.0)), ..lock });
    }
    let (normal, cosine) = (a.cross(b), a.dot(b));
    let sine = normal.dot(normal).sqrt();
    let (normal0, cosine0) = (a0.cross(b0), a0.dot(b0));
    let sine0 = normal0.dot(normal0).sqrt();
    let (c, s) = (lanes.same(swing.cosine), lanes.same(sine_of(swing.cosine)));
    let scale = lanes.same(1.0) / (sine * sine + cosine * cosine).sqrt();
    let now = beyond(sine * scale, cosine * scale, s, c);
    let before = beyond(sine0, cosine0, s, c);
    let about = normal.scaled(lanes.same(1.0) / sine.greatest(lanes.same(1e-6)));
    Some(lock(lanes, about, sides, [before, now], (choice, is_out)))
}

/// Violation of the limits of a joint, radians; at most 0 inside.
#[inline(always)]
pub fn excess<V: SingleLanes>(lanes: Lanes<V>, joint: &PlanJoint, axes: [&[LaneVector<V>; 3]; 2]) -> V {
    let zero = lanes.same(0.0);
    let none = [LaneVector { x: zero, y: zero, z: zero }; 3];
    let sides = LimitSides { parent: [axes[0], &none], child: [axes[1], &none], bent: none[0], recovery: 0.0 };
    let choice = RowChoice::Revised { holds: lanes.same(1.0), solved: lanes.same(1.0) };
    let mut excess = zero;
    if let Some(lock) = swing(lanes, joint, &sides, choice) {
        excess = excess.greatest(lock.excess);
    }
    if let Some(lock) = range(lanes, joint, &sides, choice) {
        excess = excess.greatest(lock.excess);
    }
    excess
}

/// Least 1 + cosine of a swing; nearer to half a turn the angle about the first axis is undefined.
const NO_ANGLE: f32 = 0.1;

/// Lock of the angle about the first axis if it is out of its range.
#[inline(always)]
pub fn range<V: SingleLanes>(
    lanes: Lanes<V>,
    joint: &PlanJoint,
    sides: &LimitSides<'_, V>,
    choice: RowChoice<V>,
) -> Option<Lock<V>> {
    let Some(range) = &joint.range else { return None };
    if !V::any(choice.may_act(lanes)) {
        return None;
    }
    let half_cosine = lanes.same(range.cosine);
    let (sine, cosine, length) =
        from_middle(lanes, range, sides.predicted(lanes, joint, 1), sides.predicted(lanes, joint, 2));
    let is_out = V::both(cosine.is_below(length * half_cosine), lanes.same(NO_ANGLE).is_below(length));
    let is_out = choice.chosen(lanes, is_out)?;
    let half_sine = lanes.same(sine_of(range.cosine));
    let side = lanes.same(1.0).with_sign_of(sine);
    let scale = lanes.same(1.0) / length.greatest(lanes.same(1e-6));
    let now = beyond(sine * side * scale, cosine * scale, half_sine, half_cosine);
    let (sine0, cosine0, length0) =
        from_middle(lanes, range, sides.before(lanes, joint, 1), sides.before(lanes, joint, 2));
    let scale = lanes.same(1.0) / length0.greatest(lanes.same(1e-6));
    let before = beyond(sine0 * side * scale, cosine0 * scale, half_sine, half_cosine);
    let [a, b] = sides.predicted(lanes, joint, 0);
    let about = if joint.is_hinge {
        a.scaled(side)
    } else {
        a.plus(b).scaled(side / (lanes.same(1.0) + a.dot(b)).greatest(lanes.same(1e-2)))
    };
    Some(lock(lanes, about, sides, [before, now], (choice, is_out)))
}

/// Sine and cosine of the angle from the middle of its range, times the returned length.
#[inline(always)]
fn from_middle<V: SingleLanes>(
    lanes: Lanes<V>,
    range: &PlanRange,
    [a2, b2]: [LaneVector<V>; 2],
    [a3, b3]: [LaneVector<V>; 2],
) -> (V, V, V) {
    let (middle_sine, middle_cosine) = (lanes.same(range.middle[0]), lanes.same(range.middle[1]));
    let (n, d) = (a3.dot(b2) - a2.dot(b3), a2.dot(b2) + a3.dot(b3));
    let (sine, cosine) = (n * middle_cosine - d * middle_sine, d * middle_cosine + n * middle_sine);
    (sine, cosine, (sine * sine + cosine * cosine).sqrt())
}

/// Angle by which one direction is beyond another, from sines and cosines; accurate to a degree at 60°, never less than
/// the sine.
#[inline(always)]
fn beyond<V: SingleLanes>(sine: V, cosine: V, limit_sine: V, limit_cosine: V) -> V {
    let out = sine * limit_cosine - cosine * limit_sine;
    let ahead = cosine * limit_cosine + sine * limit_sine;
    let small = out + out * out * out * 0.16666667;
    let far = small.like(1.2).with_sign_of(out);
    V::select(ahead.is_below(small.like(0.2)), far, small)
}

fn sine_of(cosine: f32) -> f32 {
    (1.0 - cosine * cosine).max(0.0).sqrt()
}

#[inline(always)]
fn lock<V: SingleLanes>(
    lanes: Lanes<V>,
    about: LaneVector<V>,
    sides: &LimitSides<'_, V>,
    [before, now]: [V; 2],
    (choice, is_out): (RowChoice<V>, V::Mask),
) -> Lock<V> {
    let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
    let allowed = (before * lanes.same(PATIENCE)).greatest(before - lanes.same(sides.recovery)).greatest(zero);
    let over = (now - allowed).least(lanes.same(MOST)).greatest(lanes.same(LEAST));
    let is_on = match choice {
        RowChoice::Predicted { pulled, .. } => {
            let is_ready = V::either(pulled.is_below(lanes.same(0.5)), lanes.same(TOO_FAR).is_below(now));
            V::select(V::both(V::both(is_out, zero.is_below(over)), is_ready), one, zero)
        }
        RowChoice::Revised { holds, .. } => holds,
    };
    // Lanes inside the limit report 0: they are computed only because a neighboring lane is outside.
    Lock { about, target: about.dot(sides.bent) - over, is_on, excess: V::select(is_out, before, zero) }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat, DVec3};

    use super::super::plan::BatchModel;
    use super::*;
    use crate::collision::MassProperties;
    use crate::math::arithmetic::Single;
    use crate::math::random::Random;
    use crate::particles::distance;
    use crate::particles::swing_twist::Cone;
    use crate::particles::{Anchor, BallJoint, Model, Placement, RigidBody, SwingTwist};

    const SWING: [f64; 2] = [0.3, 1.2];

    /// Two bodies of these masses with an elliptic cone joint; the heavier is the root of the tree.
    fn plan(masses: [f64; 2]) -> BatchModel {
        let mut model = Model::default();
        let [a, b] = masses.map(|mass| {
            let inertia = DMat3::from_diagonal(DVec3::new(0.02, 0.03, 0.04) * mass);
            let body = RigidBody::new(&MassProperties { mass, center: DVec3::ZERO, inertia }).expect("a body");
            let first = body.add_to(&mut model, &Placement::at(DVec3::ZERO, DQuat::IDENTITY));
            (body.point(first, DVec3::ZERO), [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| body.direction(first, axis)))
        });
        model.attachments.push(BallJoint { a: a.0, b: Anchor::Point(b.0), compliance: 0.0 });
        let twist = [-core::f64::consts::PI, core::f64::consts::PI];
        model.swing_twists.push(SwingTwist { a: a.1, b: b.1, swing: SWING, twist, compliance: 0.0, friction: 0.0 });
        BatchModel::new(&model, crate::particles::herd::joint_friction::Source::Herd).expect("a tree")
    }

    /// Principal axes of a body whose joint frame is at `turn` and has the coordinates `frame` in them.
    fn principal(turn: DQuat, frame: &[[f32; 3]; 3]) -> [LaneVector<Single>; 3] {
        let [x, y, z] = frame.map(|axis| DVec3::from_array(axis.map(f64::from)));
        let turned = DMat3::from_quat(turn) * DMat3::from_cols(x, y, z).transpose();
        [turned.x_axis, turned.y_axis, turned.z_axis].map(|v| LaneVector {
            x: Single(v.x as f32),
            y: Single(v.y as f32),
            z: Single(v.z as f32),
        })
    }

    #[test]
    fn an_elliptic_cone_is_that_of_the_model_whichever_body_hangs_on_the_other() {
        let lanes = Lanes::<Single> { token: (), first: 0 };
        for (masses, is_turned) in [([2.0, 1.0], false), ([1.0, 2.0], true)] {
            let plan = plan(masses);
            let joint = plan.bodies[1].joint.as_ref().expect("it hangs on the other");
            assert_eq!(joint.is_turned, is_turned);
            let mut random = Random::new(3);
            let mut out = 0;
            for _ in 0..300 {
                let turns = [random.rotation(), random.rotation()];
                let axes = turns.map(|turn| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| distance::lanes(turn * axis)));
                let expected = Cone::new(SWING).excess(&axes).angle.max(0.0);
                let [parent, child] = if is_turned { [turns[1], turns[0]] } else { turns };
                let frames = [principal(parent, &joint.axes[0]), principal(child, &joint.axes[1])];
                let found = f64::from(excess(lanes, joint, [&frames[0], &frames[1]]).0);
                assert!((found - expected).abs() < 1e-3, "{masses:?}: {found}, not {expected}");
                out += usize::from(expected > 0.1);
            }
            assert!(out > 100, "{out} out of their cone");
        }
    }
}
