//! Number of passes until joints are closed, and cases in which no pass is needed.

use super::*;
use crate::rigid::displacement::pair::{End, reduced_mass};
use crate::rigid::displacement::rows::Mobility;
use crate::rigid::motion::vector;
use crate::rigid::rattle::{Passes, Rattle};

/// Settings with enough passes for any chain here.
fn patient(method: Displacement) -> Settings {
    Settings { method, passes: 1000, ..Settings::default() }
}

#[test]
fn z22_a_disturbed_chain_of_six_rods_is_closed_within_100_60_and_3_passes() {
    for hangs in [false, true] {
        let mut random = Random::new(7);
        let mut most = [0; 3];
        for _ in 0..200 {
            for (method, most) in METHODS.into_iter().zip(&mut most) {
                let mut chain = Setting::chain(6, hangs, &Kind::Ball).disturbed(&mut random, 5e-3, 0.05);
                let outcome = chain.satisfy(&patient(method));
                assert!(outcome.gap < 1e-4 && outcome.unsatisfied == 0 && outcome.changed, "{outcome:?}");
                *most = outcome.passes.max(*most);
            }
        }
        assert!(most[0] <= 100 && most[1] <= 60 && most[2] <= 3, "{most:?}");
    }
}

#[test]
fn z17_the_literal_rotation_never_closes_a_chain_of_rods() {
    let close = |is_literal: bool| {
        let mut random = Random::new(8);
        let mut chain = Setting::chain(6, false, &Kind::Ball).disturbed(&mut random, 5e-3, 0.05);
        let mut worst = 0.0;
        for _ in 0..1000 {
            worst = 0.0_f64;
            for joint in &chain.joints {
                let bodies = [joint.parent.unwrap(), joint.child];
                let pulled = |poses: &[Pose<f64>]| {
                    let sides = joint.sides(Some(&poses[bodies[0]]), &poses[bodies[1]]);
                    let ends = [0, 1].map(|side: usize| End {
                        mobility: Mobility::of(&rod(), &poses[bodies[side]]),
                        arm: vector(sides[side].anchor.minus(sides[side].center)),
                    });
                    (vector(sides[1].anchor.minus(sides[0].anchor)), ends)
                };
                let (gap, ends) = pulled(&chain.poses);
                worst = worst.max(gap.length());
                let impulse = if is_literal { gap * reduced_mass(&ends) } else { pair::lamouret(&ends, gap) };
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    let pose = &mut chain.poses[bodies[side]];
                    let turn = exp(ends[side].mobility.angular * ends[side].arm.cross(impulse) * sign);
                    *pose = Pose::new(pose.place(), (turn * pose.turn()).normalize());
                }
                let (gap, _) = pulled(&chain.poses);
                for (side, sign) in [0.5, -0.5].into_iter().enumerate() {
                    let pose = &mut chain.poses[bodies[side]];
                    *pose = Pose::new(pose.place() + gap * sign, pose.turn());
                }
            }
        }
        worst
    };
    assert!(close(false) < 1e-9, "{}", close(false));
    assert!(close(true) > 0.05, "{}", close(true));
}

#[test]
fn z23_what_holds_already_is_left_as_it_is_to_the_bit() {
    let bits = |poses: &[Pose<f64>]| -> Vec<[u64; 7]> {
        let of = |pose: &Pose<f64>| {
            let (p, q) = (pose.place(), pose.turn());
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w].map(f64::to_bits)
        };
        poses.iter().map(of).collect()
    };
    for kind in [Kind::Ball, Kind::Hinge, Kind::Universal, Kind::Slider, Kind::Fixed, Kind::Distance { length: 0.3 }] {
        for method in METHODS {
            let mut random = Random::new(9);
            let mut chain = Setting::chain(4, true, &kind).disturbed(&mut random, 5e-2, 0.05);
            let first = chain.satisfy(&patient(method));
            assert!(first.changed && first.unsatisfied == 0, "{kind:?} {method:?} {first:?}");
            let before = bits(&chain.poses);
            let second = chain.satisfy(&patient(method));
            assert!(!second.changed && second.passes == 0, "{kind:?} {method:?} {second:?}");
            assert_eq!(bits(&chain.poses), before);
        }
    }
}

#[test]
fn z22_the_loop_ends_after_so_many_passes_and_says_what_is_left() {
    let mut random = Random::new(10);
    let mut chain = Setting::chain(6, true, &Kind::Ball).disturbed(&mut random, 5e-2, 0.05);
    let outcome = chain.satisfy(&Settings { passes: 2, ..Settings::default() });
    assert_eq!(outcome.passes, 2);
    assert!(outcome.gap > 1e-4 && outcome.unsatisfied > 0, "{outcome:?}");
    let last = &chain.joints[5];
    let gaps = chain.joints.iter().map(|joint| {
        let parent = joint.parent.map(|parent| &chain.poses[parent]);
        crate::rigid::joint::ball::gap(&joint.sides(parent, &chain.poses[joint.child]))
    });
    assert_eq!(outcome.gap, gaps.fold(0.0, f64::max), "{last:?}");
}

/// Four rods between two points 3 m apart: slopes of outer and inner rods, radians below the horizontal.
///
/// In reduced coordinates: the inner rods carry half a weight at the middle, the outer rods three halves. All share the
/// horizontal pull H: tan θ2 = W/(2 H), tan θ1 = 3 W/(2 H), cos θ1 + cos θ2 = 3/2.
fn slopes() -> [f64; 2] {
    let width = |pull: f64| [1.5 / pull, 0.5 / pull].map(|t| 1.0 / libm::sqrt(1.0 + t * t)).iter().sum::<f64>();
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) < 1.5 { low = middle } else { high = middle }
    }
    [1.5 / low, 0.5 / low].map(libm::atan)
}

/// The chain of [`slopes`] in a start pose away from equilibrium.
fn hung() -> Setting {
    let mut chain = Setting::chain(4, true, &Kind::Ball);
    let end = [Frame::at(DVec3::X * 3.0), Frame::at(DVec3::X * 0.5)];
    chain.joints.push(Joint { parent: None, child: 3, frames: end, kind: Kind::Ball, compliance: 0.0 });
    let (bodies, joints) = (chain.bodies, chain.joints);
    // Slopes −θ, −φ, φ, θ with cos θ + cos φ = 3/2, which close the chain.
    let theta = [-0.7, -libm::acos(1.5 - libm::cos(0.7)), libm::acos(1.5 - libm::cos(0.7)), 0.7];
    Setting::new(bodies, joints, placed(theta))
}

fn placed(slopes: [f64; 4]) -> Vec<(DVec3, DQuat)> {
    let mut from = DVec3::ZERO;
    slopes
        .map(|slope| {
            let turn = exp(DVec3::Z * slope);
            let middle = from + turn * DVec3::X * 0.5;
            from += turn * DVec3::X;
            (middle, turn)
        })
        .to_vec()
}

#[test]
fn z25_displacement_multipliers_and_reduced_coordinates_hang_a_chain_the_same_way() {
    let [outer, inner] = slopes();
    let reduced = placed([-outer, -inner, inner, outer]);
    let apart = |poses: &[Pose<f64>]| {
        poses.iter().zip(&reduced).map(|(pose, (place, _))| pose.place().distance(*place)).fold(0.0, f64::max)
    };
    // Displacement with damped motion until rest. The source's form rests a little elsewhere: it balances rotations by
    // one impulse and translations by another.
    for (method, near) in [(Displacement::Block, 1e-6), (Displacement::Skeleton, 1e-6), (Displacement::Lamouret, 1e-2)]
    {
        let mut chain = hung();
        let settings = Settings { method, gap: 1e-12, angle: 1e-12, passes: 400, ..Settings::default() };
        chain.run((0.02, 3000, 0.95), &settings, |_, _, _, _| {});
        assert!(apart(&chain.poses) < near, "{method:?} {}", apart(&chain.poses));
    }
    // The same chain by multipliers (RATTLE).
    let mut chain = hung();
    let Setting { bodies, joints, forest, poses, momenta, .. } = &mut chain;
    let mechanism = Mechanism { bodies, joints, forest };
    let mut rattle = Rattle::new(0.0, mechanism);
    let mut multipliers = [vec![[0.0; MOST_ROWS]; 5], vec![[0.0; MOST_ROWS]; 5]];
    let h = 0.02;
    rattle.factor(mechanism, poses, &Joint::guide, h);
    for _ in 0..3000 {
        for (body, momentum) in momenta.iter_mut().enumerate() {
            let pull = weight(mechanism.bodies, GRAVITY)(body, &poses[body], momentum);
            *momentum = momentum.times(0.95).plus(pull.times(h));
        }
        rattle.project(mechanism, momenta);
        let passes = Passes { most: 10, tolerance: 1e-15, is_warm: false };
        rattle.drift(mechanism, (poses, momenta), &mut multipliers, &Joint::guide, (h, passes));
        rattle.factor(mechanism, poses, &Joint::guide, h);
    }
    assert!(apart(poses) < 1e-12, "{}", apart(poses));
}
