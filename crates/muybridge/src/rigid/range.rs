//! Joint limits as one-sided rows: distance to the limit, and its gradient.
//!
//! ```text
//! Q = Q0ᵀ Q1 = swing · twist,   twist = (q_w, q_x a) normalized,  s = log swing ⟂ a,  τ = 2 atan2(q_x, q_w)
//! ω (of 1 against 0, axes of 0) = J_l(s) ṡ + τ̇ (swing a)   ⇒   (τ̇, ṡ_y, ṡ_z) = [swing a, J_l e_y, J_l e_z]⁻¹ ω
//! ellipse of half axes α, β:  room = distance of (s_y, s_z) from it,  its gradient −n,  n the outward normal at the nearest point
//! J_l(s) = 1 + (1 − cos θ)/θ² [s] + (θ − sin θ)/θ³ [s]²
//! ```
//! The rows are exact derivatives: the room shrinks at the rate of its row, so a limit is reached but not passed.
//! Specification: mathematics 1.2, 4.7.

use glam::{DMat3, DQuat, DVec3};

use super::Joint;
use super::joint::{Frame, JointSide, hinge, slider};
use super::model::JointLimit;
use super::motion::{Pose, vector};
use crate::math::ellipse::depth_in_ellipse;
use crate::math::rotation::{cross_matrix, log};

/// One joint limit with its gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitRow {
    /// Distance to the limit, radians (meters); negative beyond the limit.
    pub room: f64,
    /// Derivative of `room` by the angular velocity of the child relative to the parent, world axes. Of unit length for
    /// small swing.
    pub turn: DVec3,
    /// Derivative of `room` by the velocity of the child's anchor relative to the parent's, world axes.
    pub slide: DVec3,
    /// Index of the limit within its joint, 0 to 2.
    pub index: usize,
}

/// Greatest number of limits of a joint.
pub const MOST_BOUNDS: usize = 3;

/// Limits of a joint at its present pose, at most [`MOST_BOUNDS`], in order.
pub fn bounds(range: &JointLimit, sides: &[JointSide<f64>; 2]) -> [Option<LimitRow>; MOST_BOUNDS] {
    match *range {
        JointLimit::Hinge(angles) => {
            let axis = vector(sides[0].axes[0]);
            both_ends(hinge::angle(sides), angles, |sign, room, index| LimitRow {
                room,
                turn: axis * sign,
                slide: DVec3::ZERO,
                index,
            })
        }
        JointLimit::Slider(ends) => {
            let axis = vector(sides[0].axes[0]);
            both_ends(slider::travel(sides), ends, |sign, room, index| LimitRow {
                room,
                turn: DVec3::ZERO,
                slide: axis * sign,
                index,
            })
        }
        JointLimit::Distance(ends) => {
            let offset = vector(sides[1].anchor.minus(sides[0].anchor));
            let (length, along) = (offset.length(), offset.normalize_or(DVec3::X));
            both_ends(length, ends, |sign, room, index| LimitRow {
                room,
                turn: DVec3::ZERO,
                slide: along * sign,
                index,
            })
        }
        JointLimit::SwingTwist { swing, twist } => swing_twist(sides, swing, twist),
    }
}

/// Whether a joint certainly has more than `room` (radians) left to each of its limits, from a bound without
/// trigonometry: `2 asin x ≤ 2 x + (π − 2) x³`. `false` if that cannot be told.
pub fn is_far(range: &JointLimit, joint: &Joint, poses: &[Pose<f64>], room: f64) -> bool {
    let (swing, twist) = match range {
        JointLimit::Hinge(angles) => (f64::INFINITY, angles),
        JointLimit::SwingTwist { swing, twist } => (swing[0].min(swing[1]), twist),
        JointLimit::Slider(_) | JointLimit::Distance(_) => return false,
    };
    let turned =
        |body: Option<usize>, frame: &Frame| body.map_or(DQuat::IDENTITY, |body| poses[body].turn()) * frame.rotation;
    let q = turned(joint.parent, &joint.frames[0]).conjugate() * turned(Some(joint.child), &joint.frames[1]);
    let at_most = |half_sine: f64| (2.0 + (core::f64::consts::PI - 2.0) * half_sine * half_sine) * half_sine;
    let about = libm::sqrt(q.x * q.x + q.w * q.w);
    let swung = at_most(libm::sqrt(q.y * q.y + q.z * q.z));
    let twisted = at_most(q.x.abs() / about);
    swing - swung > room && (-twist[0]).min(twist[1]) - twisted > room
}

/// Limits of an interval; only the nearer end gets a row.
fn both_ends(
    value: f64,
    [least, greatest]: [f64; 2],
    bound: impl Fn(f64, f64, usize) -> LimitRow,
) -> [Option<LimitRow>; MOST_BOUNDS] {
    let (above, below) = (value - least, greatest - value);
    if above < below { [Some(bound(1.0, above, 0)), None, None] } else { [Some(bound(-1.0, below, 1)), None, None] }
}

fn swing_twist(sides: &[JointSide<f64>; 2], swing: [f64; 2], twist: [f64; 2]) -> [Option<LimitRow>; MOST_BOUNDS] {
    let [above, below] = [0, 1].map(|side| frame(&sides[side]));
    let pose = SwingTwistAngles::of(&above, &below);
    let world = |in_parent: DVec3| above * in_parent;
    let (s, rates) = (pose.swing, pose.rates());
    let swung = (s != DVec3::ZERO).then(|| {
        let (room, out) = depth_in_ellipse([s.y, s.z], swing);
        LimitRow { room, turn: world(-(rates[1] * out[0] + rates[2] * out[1])), slide: DVec3::ZERO, index: 0 }
    });
    let free_twist = twist[0] <= -core::f64::consts::PI && twist[1] >= core::f64::consts::PI;
    let twisted = both_ends(pose.twist, twist, |sign, room, index| LimitRow {
        room,
        turn: world(rates[0]) * sign,
        slide: DVec3::ZERO,
        index: index + 1,
    });
    let is_free = swing.iter().all(|&most| most >= core::f64::consts::PI);
    [swung.filter(|_| !is_free), twisted[0].filter(|_| !free_twist), None]
}

/// Axes of a joint frame as matrix columns.
pub fn frame(side: &JointSide<f64>) -> DMat3 {
    DMat3::from_cols(vector(side.axes[0]), vector(side.axes[1]), vector(side.axes[2]))
}

/// Swing–twist decomposition of a frame relative to another.
#[derive(Clone, Copy, Debug)]
pub struct SwingTwistAngles {
    /// Swing: rotation vector perpendicular to x, radians, axes of the parent.
    pub swing: DVec3,
    /// Twist about x, radians, −π to π.
    pub twist: f64,
    turned: DQuat,
}

impl SwingTwistAngles {
    /// Decomposes the orientation of the second frame relative to the first.
    pub fn of(above: &DMat3, below: &DMat3) -> Self {
        let q = DQuat::from_mat3(&(above.transpose() * *below)).normalize();
        let q = if q.w < 0.0 { -q } else { q };
        let length = libm::sqrt(q.x * q.x + q.w * q.w);
        // At a swing of half a turn the twist is undefined.
        let about =
            if length > 1e-12 { DQuat::from_xyzw(q.x / length, 0.0, 0.0, q.w / length) } else { DQuat::IDENTITY };
        let turned = q * about.conjugate();
        let swing = log(turned);
        Self { swing: DVec3::new(0.0, swing.y, swing.z), twist: 2.0 * libm::atan2(about.x, about.w), turned }
    }

    /// Derivatives of twist, swing y and swing z by the angular velocity in the parent's axes.
    pub fn rates(&self) -> [DVec3; 3] {
        let (s, theta) = (self.swing, self.swing.length());
        let cross = cross_matrix(s);
        let (a, b) = if theta < 1e-4 {
            (0.5 - theta * theta / 24.0, 1.0 / 6.0 - theta * theta / 120.0)
        } else {
            let t2 = theta * theta;
            ((1.0 - libm::cos(theta)) / t2, (theta - libm::sin(theta)) / (t2 * theta))
        };
        let jacobian = DMat3::IDENTITY + cross * a + cross * cross * b;
        let forward = DMat3::from_cols(self.turned * DVec3::X, jacobian.y_axis, jacobian.z_axis);
        if forward.determinant().abs() < 1e-9 {
            return [DVec3::X, DVec3::Y, DVec3::Z];
        }
        let rows = forward.inverse().transpose();
        [rows.x_axis, rows.y_axis, rows.z_axis]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::math::rotation::exp;
    use crate::rigid::joint::{Frame, Joint, Kind};
    use crate::rigid::motion::Pose;

    #[test]
    fn rooms_of_swing_twist_and_hinge_shrink_as_their_rows_say() {
        let mut random = Random::new(8);
        for case in 0..400 {
            let turn = exp(random.vector() * 1.6);
            let frames = [Frame::at(random.vector()), Frame::at(random.vector())]
                .map(|frame| Frame { rotation: exp(random.vector()), ..frame });
            let joint = Joint { parent: Some(0), child: 1, frames, kind: Kind::Ball, compliance: 0.0 };
            let above = (random.vector(), exp(random.vector()));
            let rate = random.vector();
            let range = JointLimit::SwingTwist { swing: [0.4, 0.9], twist: [-0.3, 0.5] };
            let at = |seconds: f64| {
                let below = (
                    above.0,
                    exp(rate * seconds) * above.1 * frames[0].rotation * turn * frames[1].rotation.conjugate(),
                );
                let pose = Pose::new(below.0, below.1);
                bounds(&range, &joint.sides(Some(&Pose::new(above.0, above.1)), &pose))
            };
            let h = 1e-5;
            for ((before, now), after) in at(-h).iter().zip(at(0.0)).zip(at(h)) {
                let (Some(before), Some(now), Some(after)) = (before, now, after) else { continue };
                if before.index != now.index || after.index != now.index {
                    continue;
                }
                let slope = (after.room - before.room) / (2.0 * h);
                assert!((slope - now.turn.dot(rate)).abs() < 1e-6 * (1.0 + slope.abs()), "{case} {slope} {now:?}");
            }
        }
    }

    #[test]
    fn a_swing_of_a_round_cone_is_the_angle_between_the_axes() {
        let mut random = Random::new(9);
        for _ in 0..200 {
            let (above, below) = (exp(random.vector() * 2.0), exp(random.vector() * 2.0));
            let pose = SwingTwistAngles::of(&DMat3::from_quat(above), &DMat3::from_quat(below));
            let (a, b) = (above * DVec3::X, below * DVec3::X);
            let angle = libm::atan2(a.cross(b).length(), a.dot(b));
            assert!((pose.swing.length() - angle).abs() < 1e-13);
        }
    }
}
