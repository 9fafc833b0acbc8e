//! Chains of rods under RATTLE and its fourth-order composition.

use glam::DVec3;

use super::*;
use crate::math::lane_rotation::LaneVector;
use crate::rigid::joint::{Joint, Kind};
use crate::rigid::motion::vector;
use crate::rigid::specimens::{GRAVITY, Specimen};

/// Steps a specimen under gravity for `seconds`; calls `seen` after every step. Returns the greatest joint error.
fn run(
    specimen: &mut Specimen,
    (stages, h, passes): (&[f64], f64, u32),
    seconds: f64,
    mut seen: impl FnMut(&Specimen),
) -> f64 {
    let (mut worst, mut is_factored) = (0.0_f64, false);
    let mut rattle = Rattle::new(0.0, specimen.mechanism());
    let none = vec![[0.0; MOST_ROWS]; specimen.joints.len()];
    let mut multipliers = [none.clone(), none];
    for _ in 0..libm::round(seconds / h) as usize {
        let mut state = (core::mem::take(&mut specimen.poses), core::mem::take(&mut specimen.momenta));
        let bodies = &specimen.bodies;
        let mut kick = |_: &[Pose<f64>], momenta: &mut [Momentum<f64>], seconds: f64| {
            for (momentum, body) in momenta.iter_mut().zip(bodies) {
                let pushed = vector(momentum.linear) + GRAVITY * (body.mass * seconds);
                momentum.linear = LaneVector::splat((), pushed);
            }
        };
        let mut motion = StepState { poses: &mut state.0, momenta: &mut state.1, multipliers: &mut multipliers };
        let passes = Passes { most: passes, tolerance: 0.0, is_warm: true };
        let plan = StepScheme { stages, step: h, passes, is_factored };
        worst = worst.max(step(&mut rattle, specimen.mechanism(), &mut motion, plan, (&Joint::guide, &mut kick)));
        is_factored = true;
        (specimen.poses, specimen.momenta) = state;
        seen(specimen);
    }
    worst
}

/// Greatest gap (meters), greatest energy error and final energy error (m g L) of three rods released horizontally,
/// over 5 s.
fn chain(stages: &[f64], h: f64, passes: u32) -> [f64; 3] {
    let mut specimen = Specimen::chain(3, &Kind::Ball);
    let start = specimen.energy();
    let (mut gap, mut most, mut last) = (0.0_f64, 0.0_f64, 0.0);
    run(&mut specimen, (stages, h, passes), 5.0, |specimen| {
        last = (specimen.energy() - start).abs() / 9.81;
        (gap, most) = (gap.max(specimen.gap()), most.max(last));
    });
    [gap, most, last]
}

#[test]
fn x15_three_rods_with_two_passes_at_1_400_s_keep_energy_and_joints() {
    let [gap, most, last] = chain(&SECOND_ORDER, 1.0 / 400.0, 2);
    assert!(gap <= 1e-5 && most <= 5e-3 && last <= 5e-4, "{gap} {most} {last}");
}

#[test]
fn h5_three_rods_with_three_passes_at_1_240_s_gape_by_less_than_1e_5() {
    let [gap, most, last] = chain(&SECOND_ORDER, 1.0 / 240.0, 3);
    assert!(gap <= 1e-5, "{gap}");
    // The table has an energy error of 0.010 at most and 0.0003 at the end.
    assert!(most <= 0.015 && last <= 1e-3, "{most} {last}");
}

#[test]
fn v23_rattle_keeps_the_energy_of_three_rods_as_the_table_says() {
    // m g L: 0.055 at 1/100, 0.014 at 1/200, 0.0036 at 1/400.
    for (h, most) in [(100.0, 0.055), (200.0, 0.014), (400.0, 0.0036)] {
        let [gap, found, last] = chain(&SECOND_ORDER, 1.0 / h, 12);
        assert!(gap < 1e-9, "1/{h}: {gap}");
        assert!(found < 1.3 * most && found > 0.7 * most && last < 1.5e-3, "1/{h}: {found} {last}");
    }
}

#[test]
fn x13_the_composition_is_of_fourth_order() {
    let at = |stages: &[f64], steps: f64| {
        let mut specimen = Specimen::chain(3, &Kind::Ball);
        run(&mut specimen, (stages, 0.5 / steps, 12), 0.5, |_| {});
        specimen.poses[2].place()
    };
    let exact = at(&FOURTH_ORDER, 1600.0);
    for (stages, steps, order) in [(&SECOND_ORDER[..], 200.0, 2.0), (&FOURTH_ORDER[..], 50.0, 4.0)] {
        let error = |steps| (at(stages, steps) - exact).length();
        let found = libm::log2(error(steps) / error(2.0 * steps));
        assert!((found - order).abs() < 0.1, "{found}");
    }
}

#[test]
fn impulses_look_ahead_by_the_time_that_stages_stand_for() {
    assert_eq!(ahead(&SECOND_ORDER, 0), 1.0);
    // Two stages of 1 and 3: impulses stand for the times 1/3, 2, 13/3, 6 …
    let found = [0, 1].map(|index| ahead(&[0.25, 0.75], index));
    assert!((found[0] - 7.0 / 5.0).abs() < 1e-12 && (found[1] - 5.0 / 7.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn a_free_tree_keeps_its_angular_momentum_to_rounding() {
    for stages in [&SECOND_ORDER[..], &FOURTH_ORDER[..]] {
        let mut specimen = Specimen::random_tree(8, &mut crate::math::random::Random::new(3));
        let sum = |specimen: &Specimen| -> DVec3 {
            let mass: f64 = specimen.bodies.iter().map(|body| body.mass).sum();
            let bodies = || specimen.bodies.iter().zip(&specimen.poses).zip(&specimen.momenta);
            let center: DVec3 = bodies().map(|((body, pose), _)| pose.place() * (body.mass / mass)).sum();
            let of =
                |momentum: &Momentum<f64>, arm: DVec3| vector(momentum.angular) + arm.cross(vector(momentum.linear));
            bodies().map(|((_, pose), momentum)| of(momentum, pose.place() - center)).sum()
        };
        // Angular momenta of bodies may cancel: the error is measured against the sum of their sizes.
        let size: f64 = specimen
            .poses
            .iter()
            .zip(&specimen.momenta)
            .map(|(pose, momentum)| {
                vector(momentum.angular).length() + pose.place().length() * vector(momentum.linear).length()
            })
            .sum();
        let start = sum(&specimen);
        let gap = run(&mut specimen, (stages, 1.0 / 480.0, 3), 2.0, |_| {});
        let lost = (sum(&specimen) - start).length() / size;
        assert!(lost < 1e-12 && gap < 1e-2, "{lost} {gap}");
    }
}
