//! Runs of several seconds: energies, gaps and momenta.

use super::*;
use crate::math::rotation::log;
use crate::rigid::motion::vector;

/// Greatest gap, greatest rise and fall of the energy, and its final change, in units of m g L of one rod.
#[derive(Debug, Default)]
struct Seen {
    gap: f64,
    risen: f64,
    fallen: f64,
    at_end: f64,
    passes: u32,
    unsatisfied: usize,
}

fn watch(setting: &mut Setting, (h, seconds): (f64, f64), settings: &Settings) -> Seen {
    let bodies = setting.bodies.clone();
    let at_start = energy(&bodies, &setting.poses, &setting.momenta);
    let mut seen = Seen::default();
    setting.run((h, (seconds / h) as usize, 1.0), settings, |_, outcome, poses, momenta| {
        let change = (energy(&bodies, poses, momenta) - at_start) / GRAVITY;
        seen.gap = seen.gap.max(outcome.gap);
        (seen.risen, seen.fallen, seen.at_end) = (seen.risen.max(change), seen.fallen.min(change), change);
        seen.passes = seen.passes.max(outcome.passes);
        seen.unsatisfied += outcome.unsatisfied;
    });
    seen
}

/// Settings with tolerances fine enough for steps of 1/240 s or less.
fn fine(method: Displacement, directions: Directions) -> Settings {
    Settings { method, directions, gap: 1e-7, angle: 1e-7, passes: 200, ..Settings::default() }
}

#[test]
fn a_pendulum_swings_for_five_seconds_and_its_energy_does_not_drift() {
    for method in METHODS {
        let seen =
            watch(&mut Setting::chain(1, true, &Kind::Ball), (1.0 / 240.0, 5.0), &fine(method, Directions::AtStart));
        assert!(seen.unsatisfied == 0 && seen.gap < 1e-7, "{method:?} {seen:?}");
        // The source's form loses a fifth of m g L in five seconds.
        let most = if method == Displacement::Lamouret { 0.25 } else { 2e-4 };
        assert!(seen.risen < 2e-4 && seen.fallen > -most, "{method:?} {seen:?}");
    }
}

#[test]
fn a_rod_swings_as_the_pendulum_of_two_thirds_of_its_length() {
    // Period T(90°) of X1 times √(2/3).
    for method in [Displacement::Block, Displacement::Skeleton] {
        let mut pendulum = Setting::chain(1, true, &Kind::Hinge);
        let (mut crossings, mut last, h) = (Vec::new(), 1.0, 1.0 / 240.0);
        pendulum.run((h, 1200, 1.0), &fine(method, Directions::AtStart), |index, _, poses, _| {
            let x = poses[0].place().x;
            if (x > 0.0) != (last > 0.0) {
                crossings.push(h * (index as f64 + last / (last - x)));
            }
            last = x;
        });
        let period = 2.367_841_9 * libm::sqrt(2.0 / 3.0);
        assert!(((crossings[2] - crossings[0]) / period - 1.0).abs() < 1e-3, "{method:?} {crossings:?}");
    }
}

#[test]
fn a_chain_of_six_rods_swings_for_five_seconds_with_bounded_energy() {
    for (method, directions, [risen, fallen]) in [
        (Displacement::Block, Directions::AtStart, [0.1, 0.05]),
        (Displacement::Skeleton, Directions::AtStart, [0.1, 0.05]),
        // Directions at the end of the step lose up to a third of the 18 m g L that the chain can fall.
        (Displacement::Block, Directions::AtEnd, [0.01, 6.0]),
        // While the chain whips, 200 passes do not always suffice, and remaining gaps change the energy.
        (Displacement::Lamouret, Directions::AtEnd, [2.0, 6.0]),
    ] {
        for gap in [1e-7, 1e-4] {
            let settings = Settings { gap, ..fine(method, directions) };
            let seen = watch(&mut Setting::chain(6, true, &Kind::Ball), (1.0 / 240.0, 5.0), &settings);
            let holds = seen.unsatisfied == 0 && seen.gap < gap;
            assert!(holds || (method == Displacement::Lamouret && seen.gap < 1e-3), "{method:?} {seen:?}");
            assert!(seen.risen < risen && seen.fallen > -fallen, "{method:?} {seen:?}");
        }
    }
}

#[test]
fn the_defaults_stop_after_ten_passes_and_keep_a_chain_together() {
    for method in METHODS {
        let settings = Settings { method, ..Settings::default() };
        let seen = watch(&mut Setting::chain(6, true, &Kind::Ball), (1.0 / 240.0, 5.0), &settings);
        assert!(seen.passes <= 10 && seen.gap < 0.02 && seen.risen < 0.1, "{method:?} {seen:?}");
    }
}

/// Rods of 1 m as crank, coupler and rocker between two pivots 1.5 m apart: the crank is nearly level, the others hang
/// below.
fn four_bars(kind: &Kind) -> Setting {
    let mut bars = Setting::chain(3, true, kind);
    let rotation = bars.joints[0].frames[0].rotation;
    let frames = [DVec3::X * 1.5, DVec3::X * 0.5].map(|position| Frame { position, rotation });
    bars.joints.push(Joint { parent: None, child: 2, frames, kind: kind.clone(), compliance: 0.0 });
    let (a, b) = (exp(DVec3::Z * -0.2) * DVec3::X, DVec3::X * 1.5);
    let half = (b - a) * 0.5;
    let c = a + half + DVec3::Z.cross(half).normalize() * -libm::sqrt(1.0 - half.length_squared());
    let placed = [[DVec3::ZERO, a], [a, c], [c, b]].map(|[from, to]| {
        let along = to - from;
        ((from + to) * 0.5, exp(DVec3::Z * libm::atan2(along.y, along.x)))
    });
    Setting::new(bars.bodies, bars.joints, placed.to_vec())
}

#[test]
fn four_bars_in_a_loop_swing_for_five_seconds() {
    for method in METHODS {
        for kind in [Kind::Ball, Kind::Hinge] {
            for settings in [fine(method, Directions::AtStart), Settings { method, passes: 100, ..Settings::default() }]
            {
                let seen = watch(&mut four_bars(&kind), (1.0 / 240.0, 5.0), &settings);
                assert!(seen.unsatisfied == 0 && seen.gap < settings.gap, "{method:?} {seen:?}");
                assert!(seen.risen < 0.05 && seen.fallen > -2.0, "{method:?} {seen:?}");
            }
        }
    }
}

#[test]
fn every_kind_of_joint_holds_in_a_chain_of_four() {
    let kinds = [Kind::Ball, Kind::Hinge, Kind::Universal, Kind::Slider, Kind::Fixed, Kind::Distance { length: 0.3 }];
    for kind in kinds {
        for method in METHODS {
            let settings = Settings { method, passes: 200, ..Settings::default() };
            let mut chain = Setting::chain(4, true, &kind).disturbed(&mut Random::new(20), 5e-2, 0.05);
            let patient = Settings { passes: 1000, ..settings };
            assert!(chain.satisfy(&patient).unsatisfied == 0);
            let seen = watch(&mut chain, (1.0 / 240.0, 2.0), &settings);
            // Bounds relative to the 12 m g L that the rods can fall. Rods on short links whip.
            assert!(seen.unsatisfied == 0 && seen.risen < 0.2, "{kind:?} {method:?} {seen:?}");
        }
    }
}

#[test]
fn z17_a_chain_in_the_air_keeps_both_momenta() {
    for (method, most) in [(Displacement::Block, 1e-12), (Displacement::Skeleton, 1e-12), (Displacement::Lamouret, 0.1)]
    {
        let mut random = Random::new(21);
        let mut chain = Setting::chain(6, false, &Kind::Ball);
        chain.gravity = 0.0;
        chain.run((1.0 / 240.0, 1, 1.0), &Settings::default(), |_, _, _, _| {});
        for (momentum, pose) in chain.momenta.iter_mut().zip(&chain.poses) {
            // Rotation of the whole about its middle, plus a spin of each rod.
            let spin = DVec3::new(0.5, 1.0, 2.0);
            *momentum =
                Momentum::of(&rod(), pose.turn(), spin.cross(pose.place() - DVec3::X * 3.0), spin + random.vector());
        }
        let momenta = |poses: &[Pose<f64>], momenta: &[Momentum<f64>]| {
            let linear: DVec3 = momenta.iter().map(|momentum| vector(momentum.linear)).sum();
            let of = |(pose, momentum): (&Pose<f64>, &Momentum<f64>)| {
                vector(momentum.angular) + pose.place().cross(vector(momentum.linear))
            };
            (linear, poses.iter().zip(momenta).map(of).sum::<DVec3>())
        };
        let before = momenta(&chain.poses, &chain.momenta);
        let mut after = before;
        chain.run((1.0 / 240.0, 480, 1.0), &fine(method, Directions::AtStart), |_, _, poses, seen| {
            after = momenta(poses, seen);
        });
        let change = [(after.0 - before.0).length(), (after.1 - before.1).length() / before.1.length()];
        assert!(change[0] < 1e-12 && change[1] < most, "{method:?} {change:?}");
    }
}

#[test]
fn left_alone_velocities_are_those_of_a_free_fall() {
    let settings = Settings { velocities: Velocities::LeftAlone, passes: 100, ..Settings::default() };
    let mut pendulum = Setting::chain(1, true, &Kind::Hinge);
    pendulum.run((0.01, 20, 1.0), &settings, |index, outcome, _, momenta| {
        let speed = vector(momenta[0].linear).y;
        assert!((speed + GRAVITY * 0.01 * (index + 1) as f64).abs() < 1e-12 && outcome.unsatisfied == 0);
    });
}

#[test]
fn a_soft_joint_gives_by_compliance_times_force() {
    let (mass, compliance) = (2.0, 1e-3);
    let frames = [Frame::at(DVec3::ZERO); 2];
    let joint = Joint { parent: None, child: 0, frames, kind: Kind::Ball, compliance };
    for method in METHODS {
        let body = Body::new(mass, DVec3::ONE).unwrap();
        let mut hung = Setting::new(vec![body], vec![joint.clone()], vec![(DVec3::ZERO, DQuat::IDENTITY)]);
        hung.run((0.01, 2000, 0.9), &fine(method, Directions::AtStart), |_, _, _, _| {});
        let place = hung.poses[0].place().y;
        // At rest the momentum is the half kick of the previous step. A share of 0.9 is kept: (0.9 + 1)/2 of the weight
        // pulls.
        assert!((place / (-mass * GRAVITY * compliance) - 0.95).abs() < 1e-4, "{method:?} {place}");
    }
}

#[test]
fn a_hinge_stops_at_its_bound_and_stays_there() {
    let least = -0.5;
    let angle = |poses: &[Pose<f64>]| log(poses[0].turn()).z;
    let bound = |_: usize, poses: &[Pose<f64>]| {
        let by = [[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0; 6]];
        Some(OneSided { bodies: [Some(0), None], by, room: angle(poses) - least, is_angle: true })
    };
    for method in METHODS {
        let mut pendulum = Setting::chain(1, true, &Kind::Hinge);
        let Setting { bodies, joints, forest, poses, momenta, .. } = &mut pendulum;
        let mechanism = Mechanism { bodies, joints, forest };
        let constraints = Constraints { bounds: 1, bound: &bound, ..Constraints::joints(mechanism) };
        let mut scratch = Scratch::new(mechanism);
        let settings = Settings { passes: 100, ..fine(method, Directions::AtStart) };
        let mut lowest = 0.0_f64;
        for _ in 0..480 {
            let bodies = (&mut poses[..], &mut momenta[..]);
            step(&constraints, bodies, weight(mechanism.bodies, GRAVITY), (1.0 / 240.0, &settings), &mut scratch);
            lowest = lowest.min(angle(poses));
        }
        assert!(lowest > least - 1e-3, "{method:?} {lowest}");
        assert!((angle(poses) - least).abs() < 1e-3, "{method:?} {}", angle(poses));
    }
}

#[test]
fn a_light_chain_carries_a_thousand_times_its_links() {
    // Links of 1 kg and 1 m that carry 3 m g swing across at up to 2 √(9 m g/(1 kg · 1 m)), 190 and 590 rad/s: steps
    // below 2/ω resolve that.
    for (mass, h) in [(100.0, 1.0 / 240.0), (1000.0, 1.0 / 960.0)] {
        for method in [Displacement::Block, Displacement::Skeleton] {
            let mut chain = Setting::chain(10, true, &Kind::Ball);
            // A ball of radius 0.3 m.
            chain.bodies[9] = Body::new(mass, DVec3::splat(0.4 * 0.09 * mass)).unwrap();
            let start = energy(&chain.bodies, &chain.poses, &chain.momenta);
            let bodies = chain.bodies.clone();
            let (mut open, mut risen, mut fallen) = (0.0_f64, 0.0_f64, 0.0_f64);
            let settings = Settings { method, ..Settings::tight() };
            chain.run((h, (4.0 / h) as usize, 1.0), &settings, |_, outcome, poses, momenta| {
                let gained = energy(&bodies, poses, momenta) - start;
                (risen, fallen) = (risen.max(gained), fallen.min(gained));
                open = open.max(outcome.gap);
            });
            let fall = mass * GRAVITY * 10.0;
            assert!(open < 1e-5, "{method:?}, {mass} kg: gap {open}, {risen} {fallen} of {fall} J");
            assert!(
                risen < 1e-2 * fall && fallen > -1e-2 * fall,
                "{method:?}, {mass} kg: {risen} {fallen} of {fall} J"
            );
        }
    }
}
