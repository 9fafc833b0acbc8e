//! Reference accelerations by an independent method: the articulated-body algorithm in reduced coordinates, world-frame
//! spatial vectors.
//!
//! ```text
//! v = (ω, v_O), O the origin of the world;   joint at P:  S = [s; P × s] for each free axis s,   q̇ the rates about them
//! c = d/dt(S) q̇                                            the axes move along with the body they are fixed in
//! inward    U = I S,  D = Sᵀ U,  I_p += I − U D⁻¹ Uᵀ,  p_p += p + (I − U D⁻¹ Uᵀ) c + U D⁻¹ (−Sᵀ p)
//! outward   q̈ = D⁻¹ (−Sᵀ p − Uᵀ (a_p + c)),   a = a_p + c + S q̈;   root: I a = −p
//! ```
//! Featherstone 2008, chapter 7; mathematics 4.6 (X8, Z25). This module uses neither multipliers, Jacobians nor the
//! forest.

use glam::{DMat3, DVec3};

use crate::math::rotation::cross_matrix;
use crate::rigid::joint::Kind;
use crate::rigid::motion::vector;
use crate::rigid::specimens::Specimen;

type Six = [f64; 6];
type Matrix = [Six; 6];
/// Quantities S, U, c and D of a joint.
type TreeSweep = (Vec<Six>, Vec<Six>, Six, Vec<Vec<f64>>);

fn six(a: DVec3, b: DVec3) -> Six {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

fn split(v: Six) -> (DVec3, DVec3) {
    (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]))
}

fn times(m: &Matrix, v: Six) -> Six {
    core::array::from_fn(|i| dot(m[i], v))
}

fn dot(a: Six, b: Six) -> f64 {
    (0..6).map(|k| a[k] * b[k]).sum()
}

fn plus(a: Six, b: Six) -> Six {
    core::array::from_fn(|k| a[k] + b[k])
}

/// Solves a regular system of `n` equations by Gaussian elimination with pivoting.
pub fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for column in 0..n {
        let pivot = (column..n).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs())).unwrap();
        a.swap(column, pivot);
        b.swap(column, pivot);
        for row in column + 1..n {
            let factor = a[row][column] / a[column][column];
            for k in column..n {
                let above = a[column][k];
                a[row][k] -= factor * above;
            }
            let above = b[column];
            b[row] -= factor * above;
        }
    }
    for row in (0..n).rev() {
        let rest: f64 = (row + 1..n).map(|k| a[row][k] * b[k]).sum();
        b[row] = (b[row] - rest) / a[row][row];
    }
    b
}

/// Spatial inertia about the origin: m[r][r]ᵀ + I, m[r]; m[r]ᵀ, m.
fn inertia(specimen: &Specimen, body: usize) -> Matrix {
    let (properties, pose) = (&specimen.bodies[body], &specimen.poses[body]);
    let rotation = DMat3::from_quat(pose.turn());
    let (r, m) = (cross_matrix(pose.place()), properties.mass);
    let central = rotation * DMat3::from_diagonal(properties.moments) * rotation.transpose();
    let angular = central + r * r.transpose() * m;
    let mut matrix = [[0.0; 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            matrix[i][j] = angular.col(j)[i];
            matrix[i][3 + j] = m * r.col(j)[i];
            matrix[3 + i][j] = m * r.col(i)[j];
        }
        matrix[3 + i][3 + i] = m;
    }
    matrix
}

/// Accelerations (m/s² and rad/s²) of the bodies of a tree in which every parent comes before its child. `forces` act
/// at the centers of mass. The first body is joined to the world if its joint has no parent, and free if it has no
/// joint.
pub fn accelerations(specimen: &Specimen, forces: &[DVec3]) -> Vec<(DVec3, DVec3)> {
    let count = specimen.bodies.len();
    let velocity: Vec<Six> = (0..count)
        .map(|body| {
            let (v, w) = specimen.velocity(body);
            six(w, v - w.cross(specimen.poses[body].place()))
        })
        .collect();
    let mut tensors: Vec<Matrix> = (0..count).map(|body| inertia(specimen, body)).collect();
    let mut bias: Vec<Six> = (0..count)
        .map(|body| {
            let ((w, v), (k, l)) = (split(velocity[body]), split(times(&tensors[body], velocity[body])));
            let (force, place) = (forces[body], specimen.poses[body].place());
            plus(six(w.cross(k) + v.cross(l), w.cross(l)), six(-place.cross(force), -force))
        })
        .collect();
    let hanging = |body: usize| specimen.joints.iter().find(|joint| joint.child == body);
    let mut kept: Vec<Option<TreeSweep>> = vec![None; count];
    for body in (0..count).rev() {
        let Some(joint) = hanging(body) else { continue };
        let (axes, turning) = motion_space(specimen, joint, &velocity);
        let u: Vec<Six> = axes.iter().map(|&s| times(&tensors[body], s)).collect();
        let d: Vec<Vec<f64>> = axes.iter().map(|&s| u.iter().map(|&u| dot(s, u)).collect()).collect();
        if let Some(parent) = joint.parent {
            // Reduced inertia I − U D⁻¹ Uᵀ, column by column.
            let mut reduced = tensors[body];
            for column in 0..6 {
                let x = solved(d.clone(), u.iter().map(|u| u[column]).collect());
                for row in 0..6 {
                    reduced[row][column] -= u.iter().zip(&x).map(|(u, x)| u[row] * x).sum::<f64>();
                }
            }
            let x = solved(d.clone(), axes.iter().map(|&s| -dot(s, bias[body])).collect());
            let mut passed = plus(bias[body], times(&reduced, turning));
            for (u, x) in u.iter().zip(&x) {
                passed = plus(passed, u.map(|u| u * x));
            }
            bias[parent] = plus(bias[parent], passed);
            for row in 0..6 {
                tensors[parent][row] = plus(tensors[parent][row], reduced[row]);
            }
        }
        kept[body] = Some((axes, u, turning, d));
    }
    let mut spatial = vec![[0.0; 6]; count];
    for body in 0..count {
        spatial[body] = if let (Some(joint), Some((axes, u, turning, d))) = (hanging(body), kept[body].take()) {
            let above = plus(joint.parent.map_or([0.0; 6], |parent| spatial[parent]), turning);
            let right = axes.iter().zip(&u).map(|(&s, &u)| -dot(s, bias[body]) - dot(u, above)).collect();
            let rates = solved(d, right);
            axes.iter().zip(rates).fold(above, |sum, (s, rate)| plus(sum, s.map(|s| s * rate)))
        } else {
            let matrix = tensors[body].iter().map(|row| row.to_vec()).collect();
            let a = solved(matrix, bias[body].iter().map(|p| -p).collect());
            core::array::from_fn(|k| a[k])
        };
    }
    let classical = |body: usize| {
        let (alpha, a) = split(spatial[body]);
        let (place, (v, w)) = (specimen.poses[body].place(), specimen.velocity(body));
        (a + alpha.cross(place) + w.cross(v), alpha)
    };
    (0..count).map(classical).collect()
}

/// Free directions of a joint, and the velocity-dependent acceleration of the child.
fn motion_space(specimen: &Specimen, joint: &crate::rigid::Joint, velocity: &[Six]) -> (Vec<Six>, Six) {
    let sides = joint.sides_at(&specimen.poses);
    let at = vector(sides[1].anchor);
    let (above, own) = (joint.parent.map_or([0.0; 6], |parent| velocity[parent]), velocity[joint.child]);
    let ((w0, v0), (w1, _)) = (split(above), split(own));
    let slip = v0 + w0.cross(at);
    let relative = w1 - w0;
    // Free axes, and the angular velocity of the body that each is fixed in; world axes do not turn.
    let free: Vec<(DVec3, DVec3)> = match joint.kind {
        Kind::Ball => DVec3::AXES.map(|axis| (axis, DVec3::ZERO)).to_vec(),
        Kind::Hinge => vec![(vector(sides[0].axes[0]), w0)],
        Kind::Universal => vec![(vector(sides[0].axes[0]), w0), (vector(sides[1].axes[1]), w1)],
        _ => panic!("the algorithm has no motion space for {:?}", joint.kind),
    };
    let axes: Vec<Six> = free.iter().map(|&(s, _)| six(s, at.cross(s))).collect();
    // Rates about the axes from the relative angular velocity by least squares, which are exact here.
    let gram = free.iter().map(|(a, _)| free.iter().map(|(b, _)| a.dot(*b)).collect()).collect();
    let rates = solved(gram, free.iter().map(|(a, _)| a.dot(relative)).collect());
    let turning = free.iter().zip(rates).fold([0.0; 6], |sum, (&(s, carrier), rate)| {
        let turned = carrier.cross(s);
        plus(sum, six(turned, slip.cross(s) + at.cross(turned)).map(|c| c * rate))
    });
    (axes, turning)
}
