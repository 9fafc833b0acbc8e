//! Soft joints against implicit Euler by hand, and the chain of three rods.

use glam::{DQuat, DVec3};

use super::*;
use crate::rigid::Body;
use crate::rigid::joint::{Frame, Joint, Kind};
use crate::rigid::specimens::{Specimen, weigh};

fn run(specimen: &mut Specimen, (hold, h, steps): (Hold, f64, usize), mut seen: impl FnMut(&Specimen)) {
    let mut implicit = Implicit::new(specimen.mechanism());
    for _ in 0..steps {
        let mut state = (core::mem::take(&mut specimen.poses), core::mem::take(&mut specimen.momenta));
        let bodies = &specimen.bodies;
        implicit.step(specimen.mechanism(), (&mut state.0, &mut state.1), (|_| hold, h), |_, _, wrenches| {
            weigh(bodies, wrenches);
        });
        (specimen.poses, specimen.momenta) = state;
        seen(specimen);
    }
}

#[test]
fn v39_a_soft_joint_is_implicit_euler_of_its_spring_and_damper() {
    let body = Body::new(2.0, DVec3::ONE).unwrap();
    let frames = [Frame::at(DVec3::ZERO); 2];
    let joint = Joint { parent: None, child: 0, frames, kind: Kind::Slider, compliance: 0.0 };
    for (stiffness, damping) in [(1e3, 7.0), (1e9, 0.0), (0.0, 30.0), (0.0, 0.0)] {
        let mut specimen =
            Specimen::new(vec![body], vec![joint.clone()], vec![Pose::new(DVec3::Y * 0.1, DQuat::IDENTITY)]);
        let (h, mut place, mut velocity) = (0.01, DVec3::Y * 0.1, DVec3::ZERO);
        for _ in 0..50 {
            run(&mut specimen, (Hold::Soft { stiffness, damping }, h, 1), |_| {});
            // m (v' − v)/h = m g − k (x + h v') − d v'
            let force = DVec3::Y * (-9.81 * 2.0) - place * stiffness;
            velocity = (velocity * 2.0 + force * h) / (2.0 + h * damping + h * h * stiffness);
            place += velocity * h;
            assert!((specimen.poses[0].place() - place).length() < 1e-12, "{stiffness} {damping}");
        }
    }
}

/// Greatest gap (meters) and final energy change (m g L) of three rods released horizontally, over 5 s.
fn chain(h: f64) -> (f64, f64) {
    let mut specimen = Specimen::chain(3, &Kind::Ball);
    let (start, mut gap) = (specimen.energy(), 0.0_f64);
    run(&mut specimen, (Hold::Rigid(1.0), h, libm::round(5.0 / h) as usize), |specimen| {
        gap = gap.max(specimen.gap());
    });
    (gap, (specimen.energy() - start) / 9.81)
}

#[test]
fn h5_the_implicit_step_keeps_three_rods_together_to_a_millimetre_at_1_khz() {
    let (gap, _) = chain(0.001);
    assert!(gap <= 1e-3, "{gap}");
}

#[test]
fn v23_the_implicit_step_loses_energy_as_the_table_says_and_never_blows_up() {
    for (h, gap, energy) in [(0.001, 1e-4, -0.002), (0.01, 1e-2, -0.17), (0.03, 6e-2, -0.98)] {
        let found = chain(h);
        assert!(found.0 > 0.4 * gap && found.0 < 2.5 * gap, "{h}: gap {}", found.0);
        assert!(found.1 < 0.5 * energy && found.1 > 2.0 * energy, "{h}: energy {}", found.1);
    }
}

#[test]
fn x6_a_free_chain_keeps_its_angular_momentum_while_its_joints_gape() {
    let mut specimen = Specimen::random_tree(8, &mut crate::math::random::Random::new(6));
    let pulled = specimen.poses[3].place() + DVec3::new(0.05, -0.02, 0.03);
    specimen.poses[3] = Pose::new(pulled, specimen.poses[3].turn());
    let sum = |specimen: &Specimen| -> DVec3 {
        let of = |(pose, momentum): (&Pose<f64>, &Momentum<f64>)| {
            vector(momentum.angular) + pose.place().cross(vector(momentum.linear))
        };
        specimen.poses.iter().zip(&specimen.momenta).map(of).sum()
    };
    let start = sum(&specimen);
    let mut implicit = Implicit::new(specimen.mechanism());
    for _ in 0..200 {
        let mut state = (core::mem::take(&mut specimen.poses), core::mem::take(&mut specimen.momenta));
        implicit.step(specimen.mechanism(), (&mut state.0, &mut state.1), (|_| Hold::Rigid(0.2), 0.005), |_, _, _| ());
        (specimen.poses, specimen.momenta) = state;
    }
    assert!((sum(&specimen) - start).length() < 1e-12 * start.length().max(1.0), "{}", sum(&specimen) - start);
}
