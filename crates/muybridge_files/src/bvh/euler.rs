//! Converts rotations to Euler angles about given axes, continuous with the previous frame.
//!
//! For axes `i, j, k` and `R = R_i(a) R_j(b) R_l(c)`, with `k` the axis that is neither `i` nor `j` and `s = ±1` the
//! sign of the order `i j k`:
//!
//! ```text
//! l = k:  a = atan2(−s R_jk, R_kk);   R' = R_i(−a) R;   b = atan2( s R'_ik, R'_kk),   c = atan2( s R'_ji, R'_jj)
//! l = i:  a = atan2( R_ji, −s R_ki);  R' = R_i(−a) R;   b = atan2(−s R'_ki, R'_ii),   c = atan2(−s R'_jk, R'_jj)
//! ```
//! `a + π` is also a solution. At gimbal lock `a` is undetermined and keeps its value; `b` and `c` follow. Taking `b` and `c`
//! from `R'` makes them agree with the chosen `a`, however badly `a` is conditioned.
//! Source: derived from the products; the orders are those of mathematics 1.3.

use muybridge::glam::{DMat3, DQuat};
use muybridge::math::rotation::about;

use super::import::unit_vector;
use crate::Axis;

/// Whether these axes, in this order, can hold every rotation, or its part that one or two axes can hold.
pub(super) fn is_supported(axes: &[Axis]) -> bool {
    axes.len() <= 3 && axes.windows(2).all(|pair| pair[0] != pair[1])
}

/// Angles in degrees about supported axes whose product is `rotation`. Of all multiples of 360° and both solutions, the angles
/// that change least from `previous` are returned. One or two axes get the angles of the rotation about them; the rest is lost.
pub(super) fn decompose(rotation: DQuat, axes: &[Axis], previous: &[f64]) -> [f64; 3] {
    let degrees = |radians: f64, previous: f64| nearest_turn(radians.to_degrees(), previous);
    match *axes {
        [] => [0.0; 3],
        [axis] => {
            let along = [rotation.x, rotation.y, rotation.z][axis as usize];
            [degrees(2.0 * libm::atan2(along, rotation.w), previous[0]), 0.0, 0.0]
        }
        [i, j] => {
            let (i, j) = (i as usize, j as usize);
            let (k, s) = third(i, j);
            let r = DMat3::from_quat(rotation);
            let (a, b) = (libm::atan2(s * r.col(j)[k], r.col(j)[j]), libm::atan2(s * r.col(k)[i], r.col(i)[i]));
            [degrees(a, previous[0]), degrees(b, previous[1]), 0.0]
        }
        [i, j, l, ..] => {
            let r = DMat3::from_quat(rotation);
            let first = first_angle(r, i, j, l).unwrap_or(previous[0].to_radians());
            let [near, far] = [first, first + std::f64::consts::PI].map(|a| {
                let [b, c] = other_angles(r, a, i, j, l);
                [degrees(a, previous[0]), degrees(b, previous[1]), degrees(c, previous[2])]
            });
            let change = |angles: &[f64; 3]| -> f64 { (0..3).map(|n| (angles[n] - previous[n]).abs()).sum() };
            if change(&far) < change(&near) { far } else { near }
        }
    }
}

/// The axis that is neither `i` nor `j`, and the sign of the order `i j k`.
fn third(i: usize, j: usize) -> (usize, f64) {
    (3 - i - j, if (i + 1) % 3 == j { 1.0 } else { -1.0 })
}

/// Sine of the middle angle (from gimbal lock) below which rounding decides the first angle.
const GIMBAL: f64 = 1e-13;

fn first_angle(r: DMat3, i: Axis, j: Axis, l: Axis) -> Option<f64> {
    let (repeats, i, j) = (i == l, i as usize, j as usize);
    let (k, s) = third(i, j);
    let (sine, cosine) = if repeats { (r.col(i)[j], -s * r.col(i)[k]) } else { (-s * r.col(k)[j], r.col(k)[k]) };
    (sine.abs().max(cosine.abs()) > GIMBAL).then(|| libm::atan2(sine, cosine))
}

fn other_angles(r: DMat3, a: f64, i: Axis, j: Axis, l: Axis) -> [f64; 2] {
    let rest = DMat3::from_quat(about(unit_vector(i), -a)) * r;
    let (repeats, i, j) = (i == l, i as usize, j as usize);
    let (k, s) = third(i, j);
    let at = |row: usize, column: usize| rest.col(column)[row];
    if repeats {
        [libm::atan2(-s * at(k, i), at(i, i)), libm::atan2(-s * at(j, k), at(j, j))]
    } else {
        [libm::atan2(s * at(i, k), at(k, k)), libm::atan2(s * at(j, i), at(j, j))]
    }
}

fn nearest_turn(degrees: f64, previous: f64) -> f64 {
    degrees + 360.0 * libm::round((previous - degrees) / 360.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    fn orders() -> impl Iterator<Item = [Axis; 3]> {
        let all = (0..27).map(|n| [AXES[n / 9], AXES[n / 3 % 3], AXES[n % 3]]);
        all.filter(|order| is_supported(order))
    }

    /// The rotation of these angles (degrees) about these axes, multiplied left to right.
    fn compose(axes: &[Axis], degrees: &[f64]) -> DQuat {
        let turn = |(axis, angle): (&Axis, &f64)| about(unit_vector(*axis), angle.to_radians());
        axes.iter().zip(degrees).map(turn).fold(DQuat::IDENTITY, |product, turn| product * turn).normalize()
    }

    /// Numbers spread evenly over 0..1, from a Weyl sequence.
    fn spread(n: usize) -> [f64; 3] {
        [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_2].map(|a| (n as f64 * a).fract())
    }

    #[test]
    fn z3_angles_come_back_in_all_12_orders_to_1e_12_rad() {
        assert_eq!(orders().count(), 12);
        for order in orders() {
            for n in 0..10_000 {
                let [a, b, c] = spread(n);
                let middle = if order[0] == order[2] { 0.1 + 179.8 * b } else { -89.9 + 179.8 * b };
                let angles = [360.0 * a - 180.0, middle, 360.0 * c - 180.0];
                let near = angles.map(|angle| angle + 3.0 * (a - 0.5));
                let back = decompose(compose(&order, &angles), &order, &near);
                for n in 0..3 {
                    // Nearness to gimbal lock magnifies the rounding of the rotation.
                    let lock = if order[0] == order[2] { middle.to_radians().sin() } else { middle.to_radians().cos() };
                    let error = (back[n] - angles[n]).to_radians().abs();
                    assert!(error < 1e-15 * 4.0 / lock + 1e-14 && error < 1e-12, "{order:?} {angles:?} {back:?}");
                }
            }
        }
    }

    #[test]
    fn at_gimbal_lock_the_rotation_is_kept_and_the_first_angle_does_not_move() {
        for order in orders() {
            let locked = if order[0] == order[2] { 0.0 } else { 90.0 };
            for offset in [0.0, 1e-9, -1e-7, 1e-5] {
                let rotation = compose(&order, &[20.0, locked + offset, 50.0]);
                let back = decompose(rotation, &order, &[33.0, locked, 37.0]);
                let error = (compose(&order, &back) * rotation.conjugate()).to_array();
                assert!(error[..3].iter().all(|e| e.abs() < 1e-14), "{order:?} {offset}: {error:?}");
                assert!(offset != 0.0 || back[0] == 33.0, "{order:?}: {back:?}");
            }
        }
    }

    #[test]
    fn a_steady_turn_through_the_lock_and_past_180_degrees_has_no_jump() {
        for order in orders() {
            let mut previous = [0.0, 0.0, 0.0];
            for step in 1..=720 {
                let angles = [0.5, 1.0, 0.25].map(|rate| rate * f64::from(step));
                let rotation = compose(&order, &angles);
                let angles_now = decompose(rotation, &order, &previous);
                let change = (0..3).map(|n| (angles_now[n] - previous[n]).abs()).fold(0.0, f64::max);
                assert!(change < 1.6, "{order:?} step {step}: {previous:?} to {angles_now:?}");
                let locked = if order[0] == order[2] { step % 180 == 0 } else { step % 180 == 90 };
                let error = (0..3).map(|n| (angles_now[n] - angles[n]).abs()).fold(0.0, f64::max);
                assert!(error < 1e-6 || locked, "{order:?} step {step}: {angles_now:?}");
                previous = angles_now;
            }
        }
    }

    #[test]
    fn hinges_and_pairs_keep_what_they_can_hold() {
        let hinge = decompose(compose(&[Axis::Z], &[200.0]), &[Axis::Z], &[190.0]);
        assert!((hinge[0] - 200.0).abs() < 1e-12);
        for pair in [[Axis::X, Axis::Y], [Axis::Z, Axis::X], [Axis::Y, Axis::X], [Axis::X, Axis::Z]] {
            let back = decompose(compose(&pair, &[-70.0, 130.0]), &pair, &[-60.0, 120.0]);
            assert!((back[0] + 70.0).abs() < 1e-12 && (back[1] - 130.0).abs() < 1e-12, "{pair:?}: {back:?}");
        }
        assert!(!is_supported(&[Axis::X, Axis::X]) && !is_supported(&[Axis::X, Axis::Y, Axis::Z, Axis::X]));
    }
}
