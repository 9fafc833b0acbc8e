//! Pendulums and chains integrated by accelerations: periods, gaps, energy and stability of the feedback.

use glam::{DQuat, DVec3};

use super::*;
use crate::rigid::Body;
use crate::rigid::joint::{Frame, Joint, Kind, hinge, universal};
use crate::rigid::motion::vector;
use crate::rigid::specimens::{GRAVITY, Specimen, weigh};

const EULER: AccelerationMethod =
    AccelerationMethod { integrator: Integrator::ExplicitEuler, ..AccelerationMethod::HENNIX };

fn with(method: AccelerationMethod, stiffness: f64, damping: f64) -> AccelerationMethod {
    AccelerationMethod { feedback: Feedback { stiffness, damping }, ..method }
}

/// Steps a specimen under gravity; calls `seen` with the specimen after every step.
fn run(specimen: &mut Specimen, (method, h, steps): (AccelerationMethod, f64, usize), mut seen: impl FnMut(&Specimen)) {
    let mut accelerator = Accelerator::new(specimen.mechanism());
    for _ in 0..steps {
        let mut state = (core::mem::take(&mut specimen.poses), core::mem::take(&mut specimen.momenta));
        let bodies = &specimen.bodies;
        let weight = |_: &[Pose<f64>], _: &[Momentum<f64>], wrenches: &mut [Wrench]| weigh(bodies, wrenches);
        accelerator.step(specimen.mechanism(), (&mut state.0, &mut state.1), (method, h), weight);
        (specimen.poses, specimen.momenta) = state;
        seen(specimen);
    }
}

/// A body on a joint to the world at the origin. Its center hangs `length` below, turned by `angle` about z.
fn pendulum(body: Body, kind: Kind, length: f64, angle: f64) -> Specimen {
    let turn = crate::math::rotation::about(DVec3::Z, angle);
    // The bead of a distance joint needs no lever; a rod is held at its end.
    let lever = if matches!(kind, Kind::Distance { .. }) { DVec3::ZERO } else { DVec3::Y * length };
    let frames = [DVec3::ZERO, lever].map(|position| Frame {
        position,
        rotation: crate::math::rotation::about(DVec3::Y, -core::f64::consts::FRAC_PI_2),
    });
    let joint = Joint { parent: None, child: 0, frames, kind, compliance: 0.0 };
    let pose = Pose::new(turn * (DVec3::NEG_Y * length), if lever == DVec3::ZERO { DQuat::IDENTITY } else { turn });
    Specimen::new(vec![body], vec![joint], vec![pose])
}

/// Period in seconds: time between two passages of the lowest point in one direction, by the reference method.
fn period(specimen: &mut Specimen, h: f64, steps: usize) -> f64 {
    let (mut last, mut step, mut crossings) = (specimen.poses[0].place().x, 0.0, Vec::new());
    let mut last_speed = 0.0;
    run(specimen, (AccelerationMethod::REFERENCE, h, steps), |specimen| {
        let (x, speed) = (specimen.poses[0].place().x, specimen.velocity(0).0.x);
        if (x > 0.0) != (last > 0.0) {
            // Root of the cubic through positions and velocities at both ends, by Newton's method.
            let (mut s, d) = (last / (last - x), x - last);
            for _ in 0..5 {
                let (a, b) = (h * last_speed - d, -h * speed + d);
                let f = last + s * d + s * (1.0 - s) * ((1.0 - s) * a + s * b);
                let slope = d + (1.0 - 2.0 * s) * ((1.0 - s) * a + s * b) + s * (1.0 - s) * (b - a);
                s -= f / slope;
            }
            crossings.push(h * (step + s));
        }
        (last, last_speed, step) = (x, speed, step + 1.0);
    });
    crossings[2] - crossings[0]
}

#[test]
fn x1_a_simple_pendulum_of_one_metre_has_its_three_periods() {
    let bob = Body::new(1.0, DVec3::ONE).unwrap();
    for (degrees, expected) in [(0.01, 2.006_066_7), (45.0, 2.086_255_9), (90.0, 2.367_841_9)] {
        let mut specimen = pendulum(bob, Kind::Distance { length: 1.0 }, 1.0, f64::to_radians(degrees));
        let found = period(&mut specimen, 0.002, 2000);
        assert!((found - expected).abs() < 1.5e-7, "{degrees}°: {found}");
        assert!(specimen.gap() < 1e-12);
    }
}

#[test]
fn x2_a_rod_about_its_end_swings_in_1_6379466_seconds() {
    let rod = Body::new(1.0, DVec3::new(1.0 / 12.0, 1e-3, 1.0 / 12.0)).unwrap();
    for kind in [Kind::Hinge, Kind::Ball] {
        let found = period(&mut pendulum(rod, kind, 0.5, 1e-3), 0.002, 2000);
        // An amplitude of 1e-3 lengthens the period by 1e-6/16.
        assert!((found - 1.637_946_6).abs() < 2.5e-7, "{found}");
    }
}

#[test]
fn x3_a_conical_pendulum_at_30_degrees_goes_round_in_1_8668554_seconds() {
    let bob = Body::new(1.0, DVec3::ONE).unwrap();
    let angle = f64::to_radians(30.0);
    let mut specimen = pendulum(bob, Kind::Distance { length: 1.0 }, 1.0, angle);
    let radius = libm::sin(angle);
    let speed = libm::sqrt(9.81 * radius * libm::tan(angle));
    specimen.momenta[0] = Momentum::of(&bob, DQuat::IDENTITY, DVec3::Z * speed, DVec3::ZERO);
    let start = specimen.poses[0].place();
    let steps = 1000;
    run(&mut specimen, (AccelerationMethod::REFERENCE, 1.866_855_4 / steps as f64, steps), |_| {});
    assert!((specimen.poses[0].place() - start).length() < 5e-7, "{}", specimen.poses[0].place() - start);
}

#[test]
fn h11_a_gap_decays_as_the_feedback_says() {
    // A body held at its center on a rail: its height is the gap, and C̈ + k_d Ċ + k_s C = 0 holds exactly.
    let (stiffness, damping) = (400.0, 40.0);
    for elimination in [Elimination::Cholesky, Elimination::Tree] {
        let mut specimen = pendulum(Body::new(2.0, DVec3::ONE).unwrap(), Kind::Slider, 0.0, 0.0);
        specimen.poses[0] = Pose::new(DVec3::Y * 0.1, DQuat::IDENTITY);
        let method = AccelerationMethod {
            integrator: Integrator::RungeKutta4,
            elimination,
            ..with(AccelerationMethod::HENNIX, stiffness, damping)
        };
        run(&mut specimen, (method, 0.001, 200), |_| {});
        // Critically damped from rest: C(t) = C0 (1 + k t) e^(−k t), k = 20; the rail carries the weight.
        let expected = 0.1 * 5.0 * libm::exp(-4.0);
        let place = specimen.poses[0].place();
        assert!((place - DVec3::Y * expected).length() < 1e-7, "{elimination:?}: {place}");
    }
}

#[test]
fn h11_explicit_euler_holds_a_gap_iff_the_step_fits_the_feedback() {
    // h k_s < k_d < 2/h + h k_s/2, either side of both bounds.
    let h = 0.01;
    let decays = |stiffness: f64, damping: f64| {
        let mut specimen = pendulum(Body::new(2.0, DVec3::ONE).unwrap(), Kind::Slider, 0.0, 0.0);
        specimen.poses[0] = Pose::new(DVec3::Y * 0.1, DQuat::IDENTITY);
        run(&mut specimen, (with(EULER, stiffness, damping), h, 12_000), |_| {});
        specimen.poses[0].place().length() < 0.02
    };
    for stiffness in [100.0, 2500.0, 15_000.0] {
        let bounds = [h * stiffness, 2.0 / h + 0.5 * h * stiffness];
        assert!(decays(stiffness, bounds[0] * 1.05) && !decays(stiffness, bounds[0] * 0.95), "{stiffness}");
        assert!(decays(stiffness, bounds[1] * 0.995) && !decays(stiffness, bounds[1] * 1.005), "{stiffness}");
    }
}

/// Greatest gap (meters) and greatest energy error (in m g L) of three rods released horizontally, until `seconds` or
/// until the run diverges.
fn chain(method: AccelerationMethod, h: f64, seconds: f64) -> (f64, f64) {
    let mut specimen = Specimen::chain(3, &Kind::Ball);
    let start = specimen.energy();
    let (mut gap, mut energy) = (0.0_f64, 0.0_f64);
    run(&mut specimen, (method, h, libm::round(seconds / h) as usize), |specimen| {
        let off = (specimen.energy() - start).abs() / 9.81;
        gap = if specimen.gap() > gap || specimen.gap().is_nan() { specimen.gap() } else { gap };
        energy = if off > energy || off.is_nan() { off } else { energy };
    });
    (gap, energy)
}

#[test]
fn h5_the_reference_keeps_three_rods_together_to_1e_10() {
    // Energy errors of fourth order: 2e-3, 8.8e-5 and 6.0e-6 m g L.
    let errors = [(0.01, 2.5e-3), (0.005, 1.2e-4), (0.0025, 8e-6)].map(|(h, bound)| {
        let (gap, energy) = chain(AccelerationMethod::REFERENCE, h, 5.0);
        assert!(gap <= 1e-10 && energy <= bound, "{h}: {gap} {energy}");
        energy
    });
    assert!(errors[1] > 8.0 * errors[2] && errors[0] > 8.0 * errors[1], "{errors:?}");
}

#[test]
fn v23_the_methods_of_the_source_drift_and_gain_energy_as_the_table_says() {
    // Euler with k_s = 100, k_d = 20: 1e-2 m and 0.63 m g L at 1 ms, blown up at 10 ms; a little more where arms go to a common point.
    let (gap, energy) = chain(EULER, 0.001, 5.0);
    assert!((5e-3..2e-2).contains(&gap) && (0.5..0.9).contains(&energy), "{gap} {energy}");
    let (gap, _) = chain(EULER, 0.01, 5.0);
    assert!(gap.is_nan() || gap >= 0.5, "{gap}");
    // Heun: 3e-5 and 1e-3 at 1 ms, 4e-2 and 0.11 at 10 ms; a smaller gap where arms go to a common point.
    let (gap, energy) = chain(AccelerationMethod::HENNIX, 0.001, 5.0);
    assert!(gap < 6e-5 && energy < 2e-3, "{gap} {energy}");
    let (gap, energy) = chain(AccelerationMethod::HENNIX, 0.01, 5.0);
    assert!((1e-3..8e-2).contains(&gap) && (0.05..0.25).contains(&energy), "{gap} {energy}");
}

#[test]
fn h6_h7_axes_stay_aligned_to_1e_6() {
    for kind in [Kind::Hinge, Kind::Universal] {
        let mut specimen = Specimen::chain(3, &kind);
        // Axes across the rods, one in another direction, so that the chain leaves the plane.
        let turns = [DVec3::Y, DVec3::new(0.3, 1.0, 0.4), DVec3::new(0.0, 0.2, 1.0)];
        for (joint, axis) in specimen.joints.iter_mut().zip(turns) {
            let rotation = DQuat::from_rotation_arc(DVec3::X, axis.normalize());
            joint.frames.iter_mut().for_each(|frame| frame.rotation = rotation);
        }
        let mut worst = 0.0_f64;
        run(&mut specimen, (AccelerationMethod::REFERENCE, 0.005, 400), |specimen| {
            for joint in &specimen.joints {
                let sides = joint.sides_at(&specimen.poses);
                let off =
                    if joint.kind == Kind::Hinge { hinge::misalignment(&sides) } else { universal::skew(&sides).abs() };
                worst = worst.max(off);
            }
        });
        assert!(worst <= 1e-6, "{kind:?}: {worst}");
        assert!(specimen.poses[2].place().distance(DVec3::X * 2.5) > 0.5, "it moves");
    }
}

#[test]
fn h22_a_changed_parameter_takes_effect_in_the_next_step() {
    let mut specimen = pendulum(Body::new(2.0, DVec3::ONE).unwrap(), Kind::Slider, 0.0, 0.0);
    specimen.poses[0] = Pose::new(DVec3::Y * 0.1, DQuat::IDENTITY);
    let h = 0.01;
    for stiffness in [0.0, 100.0, 40.0] {
        let (before, place) = (specimen.velocity(0).0, specimen.poses[0].place());
        run(&mut specimen, (with(EULER, stiffness, 0.0), h, 1), |_| {});
        let expected = before - place * (stiffness * h);
        assert!((specimen.velocity(0).0 - expected).length() < 1e-15, "{stiffness}");
    }
}

#[test]
fn h20_dense_and_tree_lead_to_the_same_motion() {
    let mut runs = [Elimination::Cholesky, Elimination::Tree].map(|elimination| {
        let mut specimen = Specimen::chain(3, &Kind::Ball);
        run(&mut specimen, (AccelerationMethod { elimination, ..AccelerationMethod::HENNIX }, 0.005, 200), |_| {});
        specimen
    });
    let [dense, tree] = &mut runs;
    for body in 0..3 {
        assert!((dense.poses[body].place() - tree.poses[body].place()).length() < 1e-9);
    }
    assert!(vector(dense.momenta[0].linear).length() > 0.1 && GRAVITY.y < 0.0);
}
