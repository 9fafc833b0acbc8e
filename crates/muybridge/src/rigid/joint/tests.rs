//! Compares rows and biases with five-point differences of C along motions of constant velocity.

use glam::{DMat3, DQuat, DVec3};

use super::*;
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::motion::vector;

/// Two bodies that satisfy a joint, with their velocities.
struct Case {
    joint: Joint,
    poses: [(DVec3, DQuat); 2],
    velocities: Velocities,
}

fn turn(random: &mut Random) -> DQuat {
    exp(random.vector() * 2.0)
}

/// Joint whose frames agree up to `free`: a rotation and a shift in the joint's frame that the kind leaves free.
fn case(kind: Kind, random: &mut Random, (turned, shifted): (DQuat, DVec3)) -> Case {
    let parent = (random.vector(), turn(random));
    let child = (random.vector(), turn(random));
    let frame = (random.vector(), turn(random));
    let mut joint = Joint::between(Some((0, parent.0, parent.1)), (1, child.0, child.1), frame, kind);
    // The child's frame is rotated and shifted relative to the parent's; the child's pose stays.
    let at = (frame.0 + frame.1 * shifted, frame.1 * turned);
    let back = child.1.conjugate();
    joint.frames[1] = Frame { position: back * (at.0 - child.0), rotation: (back * at.1).normalize() };
    let velocities = Velocities {
        linear: [random.vector(), random.vector()],
        angular: [random.vector() * 2.0, random.vector() * 2.0],
    };
    Case { joint, poses: [parent, child], velocities }
}

impl Case {
    fn sides(&self, seconds: f64) -> [JointSide<f64>; 2] {
        let pose = |side: usize| {
            let (p, q) = self.poses[side];
            let v = &self.velocities;
            Pose::new(p + v.linear[side] * seconds, exp(v.angular[side] * seconds) * q)
        };
        self.joint.sides(Some(&pose(0)), &pose(1))
    }

    fn rows(&self, seconds: f64) -> JointJacobian<f64> {
        let sides = self.sides(seconds);
        let guide = self.joint.guide(&sides);
        self.joint.equations(&sides, guide.as_ref())
    }

    fn check(&self) {
        let sides = self.sides(0.0);
        let guide = self.joint.guide(&sides);
        let rows = self.rows(0.0);
        assert_eq!(rows.count, self.joint.rows());
        let (rate, bias) = (rows.rate(&self.velocities), self.joint.bias(&sides, &self.velocities, guide.as_ref()));
        let h = 1e-3;
        let at = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|n| self.rows(n * h).error);
        for row in 0..rows.count {
            assert!(at[2][row].abs() < 1e-12, "{:?} row {row} is not satisfied: {}", self.joint.kind, at[2][row]);
            let first = (8.0 * (at[3][row] - at[1][row]) - (at[4][row] - at[0][row])) / (12.0 * h);
            assert!((first - rate[row]).abs() < 1e-7, "{:?} row {row}: {first} {}", self.joint.kind, rate[row]);
            let second =
                (16.0 * (at[3][row] + at[1][row]) - (at[4][row] + at[0][row]) - 30.0 * at[2][row]) / (12.0 * h * h);
            assert!((second - bias[row]).abs() < 1e-7, "{:?} row {row}: {second} {}", self.joint.kind, bias[row]);
        }
    }
}

#[test]
fn h8_rows_and_bias_of_a_ball_are_the_derivatives_of_its_gap() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let free = (turn(&mut random), DVec3::ZERO);
        case(Kind::Ball, &mut random, free).check();
    }
}

#[test]
fn h8_the_two_misprinted_entries_are_those_of_the_cross_product() {
    // Equation 24: the third row of −[r0] is (−a_y, a_x, 0), and (a_y, −a_x, 0) for the other body.
    let [parent, child] =
        [Pose::new(DVec3::ZERO, DQuat::IDENTITY), Pose::new(DVec3::new(3.0, 0.0, 0.0), DQuat::IDENTITY)];
    let frames = [Frame::at(DVec3::new(1.0, 2.0, 5.0)), Frame::at(DVec3::new(-2.0, 2.0, 5.0))];
    let joint = Joint { parent: Some(0), child: 1, frames, kind: Kind::Ball, compliance: 0.0 };
    let rows = joint.equations(&joint.sides(Some(&parent), &child), None);
    // With C = x1 − x0 the signs are those of the child first.
    assert_eq!(vector(rows.angular[1][2]), DVec3::new(2.0, 2.0, 0.0));
    assert_eq!(vector(rows.angular[0][2]), DVec3::new(-2.0, 1.0, 0.0));
}

#[test]
fn h6_rows_and_bias_of_a_hinge_match_finite_differences() {
    let mut random = Random::new(2);
    for _ in 0..50 {
        let free = (exp(DVec3::X * random.vector().x), DVec3::ZERO);
        case(Kind::Hinge, &mut random, free).check();
    }
}

#[test]
fn h7_rows_and_bias_of_a_universal_joint_match_finite_differences() {
    let mut random = Random::new(3);
    for _ in 0..50 {
        // Rotation about the parent's x, then about the child's y.
        let free = (exp(DVec3::X * random.vector().x) * exp(DVec3::Y * random.vector().y), DVec3::ZERO);
        case(Kind::Universal, &mut random, free).check();
    }
}

#[test]
fn h8_rows_and_bias_of_sliders_and_fixed_joints_match_finite_differences() {
    let mut random = Random::new(4);
    for _ in 0..50 {
        let free = (DQuat::IDENTITY, DVec3::X * random.vector().x);
        for (kind, free) in [(Kind::Slider, free), (Kind::Fixed, (DQuat::IDENTITY, DVec3::ZERO))] {
            let mut case = case(kind, &mut random, free);
            // Both bodies turn together, as the joint requires.
            case.velocities.angular[1] = case.velocities.angular[0];
            case.check();
        }
    }
}

#[test]
fn h8_rows_and_bias_of_a_distance_match_finite_differences() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let shift = random.vector() + DVec3::splat(0.2);
        let free = (turn(&mut random), shift);
        case(Kind::Distance { length: shift.length() }, &mut random, free).check();
    }
}

#[test]
fn z20_rows_and_bias_of_a_bead_match_finite_differences() {
    let mut random = Random::new(6);
    let points: Vec<DVec3> = (0..6).map(|_| random.vector()).collect();
    for curve in [Curve::Circle { radius: 0.7 }, Curve::Spline { points, is_closed: true }] {
        for i in 0..20 {
            let place = curve.at(0.37 + f64::from(i) * 0.19)[0];
            let free = (turn(&mut random), place);
            let mut case = case(Kind::Curve(curve.clone()), &mut random, free);
            // Removes the velocity that the rows constrain; otherwise the rotation of the normals would contribute.
            let sides = case.sides(0.0);
            let guide = case.joint.guide(&sides).unwrap();
            let rate = case.rows(0.0).rate(&case.velocities);
            case.velocities.linear[1] -= guide.normals[0] * rate[0] + guide.normals[1] * rate[1];
            case.check_bead();
        }
    }
}

impl Case {
    /// Checks rows and bias as [`Self::check`] does, with the normals of the middle sample: rotation of the normals
    /// about the tangent is arbitrary.
    fn check_bead(&self) {
        let sides = self.sides(0.0);
        let guide = self.joint.guide(&sides).unwrap();
        let bias = self.joint.bias(&sides, &self.velocities, Some(&guide));
        let h = 1e-3;
        let frame = |seconds: f64| DMat3::from_quat(exp(self.velocities.angular[0] * seconds));
        let error = |seconds: f64| {
            let sides = self.sides(seconds);
            let there = self.joint.guide(&sides).unwrap();
            // Normals of the middle sample, carried along with the parent.
            guide.normals.map(|n| (frame(seconds) * n).dot(vector(sides[1].anchor) - there.place))
        };
        let at = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|n| error(n * h));
        for row in 0..2 {
            let second =
                (16.0 * (at[3][row] + at[1][row]) - (at[4][row] + at[0][row]) - 30.0 * at[2][row]) / (12.0 * h * h);
            assert!((second - bias[row]).abs() < 2e-4 * (1.0 + bias[row].abs()), "row {row}: {second} {}", bias[row]);
        }
    }
}
