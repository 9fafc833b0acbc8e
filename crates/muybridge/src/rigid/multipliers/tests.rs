//! Multipliers against textbook reactions, against a dense solution of the whole system, and against reduced
//! coordinates.

use glam::{DMat3, DVec3};

use super::articulated::{accelerations, solved};
use super::*;
use crate::math::random::Random;
use crate::rigid::integrator::Wrench;
use crate::rigid::joint::Kind;
use crate::rigid::specimens::{GRAVITY, KINDS, Specimen, weigh};

const FREE: Feedback = Feedback { stiffness: 0.0, damping: 0.0 };
const BOTH: [Elimination; 2] = [Elimination::Cholesky, Elimination::Tree];

fn solution(specimen: &Specimen, wrenches: &[Wrench], elimination: Elimination) -> Multipliers {
    let mut multipliers = Multipliers::new(specimen.mechanism());
    let state = (specimen.poses.as_slice(), specimen.momenta.as_slice());
    multipliers.solve(specimen.mechanism(), state, wrenches, (elimination, FREE));
    multipliers
}

fn weights(specimen: &Specimen) -> Vec<Wrench> {
    let mut wrenches = vec![Momentum::ZERO; specimen.bodies.len()];
    weigh(&specimen.bodies, &mut wrenches);
    wrenches
}

#[test]
fn h9_a_double_rod_let_go_accelerates_and_pulls_as_in_the_textbook() {
    let specimen = Specimen::chain(2, &Kind::Ball);
    for elimination in BOTH {
        let found = solution(&specimen, &weights(&specimen), elimination);
        let [first, second] = [0, 1].map(|body| halves(&found.accelerations[body]).1.z);
        // Accelerations −9g/7 and 3g/7; joint forces 2g/7 up and g/14 down.
        assert!((first + 12.612_857_142_857).abs() < 1e-9, "{elimination:?}: {first}");
        assert!((second - 4.204_285_714_286).abs() < 1e-9, "{elimination:?}: {second}");
        let pull = |joint: usize| found.rows[joint].wrench(&found.forces[joint]).0;
        assert!((pull(0) - DVec3::Y * 2.802_857_142_857).length() < 1e-9, "{elimination:?}: {}", pull(0));
        assert!((pull(1) - DVec3::Y * -0.700_714_285_714).length() < 1e-9, "{elimination:?}: {}", pull(1));
    }
}

#[test]
fn h10_joint_forces_do_no_work_on_what_the_joints_allow() {
    let mut random = Random::new(10);
    for _ in 0..20 {
        let specimen = Specimen::random_tree(12, &mut random);
        for elimination in BOTH {
            let found = solution(&specimen, &weights(&specimen), elimination);
            let velocity = |body: usize| {
                let (v, w) = specimen.velocity(body);
                [v.x, v.y, v.z, w.x, w.y, w.z]
            };
            let size: f64 = found.forces.iter().flatten().map(|force| force.abs()).sum();
            assert!(found.power(velocity).abs() <= 1e-12 * size, "{elimination:?}: {}", found.power(velocity));
        }
    }
}

#[test]
fn h12_w_is_the_inverse_of_the_mass_matrix() {
    let (mut random, mut largest) = (Random::new(12), 0.0_f64);
    for _ in 0..50 {
        let specimen = Specimen::random_tree(1, &mut random);
        let (body, pose) = (&specimen.bodies[0], &specimen.poses[0]);
        let rotation = DMat3::from_quat(pose.turn());
        let tensor = rotation * DMat3::from_diagonal(body.moments) * rotation.transpose();
        for column in 0..6 {
            let mut unit = [0.0; 6];
            unit[column] = 1.0;
            let (v, w) = halves(&unit);
            let load = [v * body.mass, tensor * w];
            let load = [load[0].x, load[0].y, load[0].z, load[1].x, load[1].y, load[1].z];
            let back = Momentum::of_six(load).velocity(body, &axes(pose));
            for row in 0..6 {
                assert!((back[row] - unit[row]).abs() < 1e-13);
            }
        }
        // Without joints and forces ω changes by Euler's equations.
        let found = solution(&specimen, &[Momentum::ZERO], Elimination::Cholesky);
        let (_, w) = specimen.velocity(0);
        let expected = tensor.inverse() * -w.cross(tensor * w);
        assert!((halves(&found.accelerations[0]).1 - expected).length() < 1e-12);
        largest = largest.max(expected.length());
    }
    assert!(largest > 0.1, "{largest}");
}

/// Solution of the whole system | M −Jᵀ; J 0 | by elimination with pivoting.
fn whole(specimen: &Specimen, found: &Multipliers, wrenches: &[Wrench]) -> Vec<f64> {
    let bodies = specimen.bodies.len() * 6;
    let rows: usize = found.rows.iter().map(|rows| rows.count).sum();
    let n = bodies + rows;
    let (mut matrix, mut right) = (vec![vec![0.0; n]; n], vec![0.0; n]);
    for (body, properties) in specimen.bodies.iter().enumerate() {
        let rotation = DMat3::from_quat(specimen.poses[body].turn());
        let tensor = rotation * DMat3::from_diagonal(properties.moments) * rotation.transpose();
        let (_, w) = specimen.velocity(body);
        let moment = vector(wrenches[body].angular) - w.cross(tensor * w);
        for i in 0..3 {
            matrix[body * 6 + i][body * 6 + i] = properties.mass;
            right[body * 6 + i] = vector(wrenches[body].linear)[i];
            right[body * 6 + 3 + i] = moment[i];
            for j in 0..3 {
                matrix[body * 6 + 3 + i][body * 6 + 3 + j] = tensor.col(j)[i];
            }
        }
    }
    let mut at = bodies;
    for (index, joint) in specimen.joints.iter().enumerate() {
        let sides = joint.sides_at(&specimen.poses);
        let (v1, w1) = specimen.velocity(joint.child);
        let (v0, w0) = joint.parent.map(|parent| specimen.velocity(parent)).unwrap_or_default();
        let bias = joint.bias(&sides, &Velocities { linear: [v0, v1], angular: [w0, w1] }, None);
        for row in 0..found.rows[index].count {
            let [own, above] = found.rows[index].six(row);
            for k in 0..6 {
                for (body, value) in [(Some(joint.child), own[k]), (joint.parent, above[k])] {
                    let Some(body) = body else { continue };
                    matrix[at][body * 6 + k] = value;
                    matrix[body * 6 + k][at] = -value;
                }
            }
            right[at] = -bias[row];
            at += 1;
        }
    }
    solved(matrix, right)
}

#[test]
fn h13_dense_and_tree_match_the_whole_system_on_trees_and_loops() {
    let mut random = Random::new(13);
    for bodies in [2, 5, 9, 16] {
        for looped in 0..3 {
            // Loops of ball joints only: with hinges there would be more rows than degrees of freedom.
            let kinds = if looped > 0 { &[Kind::Ball][..] } else { &KINDS };
            let mut specimen = Specimen::random_tree_of(kinds, bodies, &mut random);
            for kind in [Kind::Distance { length: 1.0 }, Kind::Ball].into_iter().take(looped) {
                let joined = |a, b| specimen.joints.iter().any(|joint| joint.parent == Some(a) && joint.child == b);
                let apart = |&(a, b): &(usize, usize)| a < b && !joined(a, b);
                let pair = (0..bodies * bodies).rev().map(|n| (n % bodies, n / bodies)).find(apart);
                specimen = match pair.filter(|_| bodies > 4) {
                    Some(pair) => specimen.closed(pair, kind),
                    None => specimen,
                };
            }
            assert_eq!(specimen.forest.closing.len(), if bodies > 4 { looped } else { 0 });
            let wrenches = weights(&specimen);
            for elimination in BOTH {
                let found = solution(&specimen, &wrenches, elimination);
                let exact = whole(&specimen, &found, &wrenches);
                let size = exact[..bodies * 6].iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                for (index, expected) in exact.iter().enumerate().take(bodies * 6) {
                    let value = found.accelerations[index / 6][index % 6];
                    let off = (value - expected).abs() / size;
                    assert!(off <= 1e-12, "{elimination:?} {bodies} bodies, {looped} loops: {off}");
                }
            }
        }
    }
}

#[test]
fn h13_the_tree_of_n_bodies_takes_2_n_minus_1_eliminations() {
    for bodies in [2, 8, 64] {
        let specimen = Specimen::random_tree(bodies, &mut Random::new(7));
        let found = solution(&specimen, &weights(&specimen), Elimination::Tree);
        assert_eq!(found.tree.factors.eliminations, 2 * (bodies - 1));
    }
}

#[test]
fn h13_a_row_that_repeats_others_takes_no_force_and_moves_nothing() {
    // Two hinges on one axis: five rows twice (H-E7).
    let once = Specimen::chain(3, &Kind::Hinge);
    let mut twice = once.clone();
    twice.joints.push(once.joints[2].clone());
    twice.forest = super::super::Forest::new(3, &twice.joints);
    for elimination in BOTH {
        let found = [&once, &twice].map(|specimen| solution(specimen, &weights(specimen), elimination));
        for body in 0..3 {
            for k in 0..6 {
                let [a, b] = [0, 1].map(|at: usize| found[at].accelerations[body][k]);
                assert!((a - b).abs() < 1e-8, "{elimination:?}: {a} {b}");
            }
        }
        assert!(found[1].forces.iter().flatten().all(|force| force.is_finite()));
    }
}

#[test]
fn x8_accelerations_match_an_articulated_body_algorithm_in_reduced_coordinates() {
    let mut random = Random::new(8);
    for _ in 0..50 {
        let specimen = Specimen::random_tree(8, &mut random);
        let forces: Vec<DVec3> =
            specimen.bodies.iter().map(|body| GRAVITY * body.mass + random.vector() * 10.0).collect();
        let wrenches: Vec<Wrench> =
            forces.iter().map(|&f| Momentum { linear: LaneVector::splat((), f), ..Momentum::ZERO }).collect();
        let exact = accelerations(&specimen, &forces);
        let size = exact.iter().fold(0.0_f64, |size, (a, alpha)| size.max(a.length()).max(alpha.length()));
        for elimination in BOTH {
            let found = solution(&specimen, &wrenches, elimination);
            for (body, (a, alpha)) in exact.iter().enumerate() {
                let (linear, angular) = halves(&found.accelerations[body]);
                let off = ((linear - *a).length() + (angular - *alpha).length()) / size;
                assert!(off <= 1e-11, "{elimination:?}: {off}");
            }
        }
    }
}

#[test]
fn z25_reduced_coordinates_and_multipliers_agree_on_a_hanging_chain() {
    // The hanging chain at rest: neither method moves it, and the first joint carries all the weight.
    let mut specimen = Specimen::chain(4, &Kind::Ball);
    let turn = crate::math::rotation::about(DVec3::Z, -core::f64::consts::FRAC_PI_2);
    for (rod, pose) in specimen.poses.iter_mut().enumerate() {
        *pose = Pose::new(DVec3::NEG_Y * (rod as f64 + 0.5), turn);
    }
    let forces: Vec<DVec3> = specimen.bodies.iter().map(|body| GRAVITY * body.mass).collect();
    let reduced = accelerations(&specimen, &forces);
    for elimination in BOTH {
        let found = solution(&specimen, &weights(&specimen), elimination);
        for (body, (a, alpha)) in reduced.iter().enumerate() {
            let (linear, angular) = halves(&found.accelerations[body]);
            assert!(linear.length() + angular.length() < 1e-6 && a.length() + alpha.length() < 1e-6);
            assert!((linear - *a).length() + (angular - *alpha).length() < 1e-12, "{elimination:?}");
        }
        let carried = found.rows[0].wrench(&found.forces[0]).0;
        assert!((carried - DVec3::Y * (4.0 * 9.81)).length() < 1e-9);
    }
}
