//! Pendulums: period, energy, order of convergence, and identical bits every time.

use core::f64::consts::PI;

use muybridge::collision::shape::Shape;
use muybridge::collision::{MassProperties, Obstacle};
use muybridge::glam::{DQuat, DVec3};
use muybridge::particles::{Anchor, BallJoint, Distance, Mode, Placement, RigidBody, Settings, SwingTwist, World};
use muybridge::ragdoll::{self, RagdollSettings, RagdollStart};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{G, bits, chain, plain, steps, weightless, world};

/// A pendulum of 1 m and 1 kg, horizontal and at rest.
fn released() -> muybridge::particles::Model {
    chain(1, 1.0)
}

/// Change of the energy in 10 s, in units of m g L, and the period.
fn ten_seconds(settings: Settings) -> (f64, f64) {
    let mut world = world(released(), settings);
    let (start, mut crossings) = (world.energy(), Vec::new());
    for step in 0..600 {
        let before = world.state.positions[1].x;
        world.step();
        let now = world.state.positions[1].x;
        if before > 0.0 && now <= 0.0 {
            crossings.push((f64::from(step) + before / (before - now)) / 60.0);
        }
    }
    let cycles = (crossings.len() - 1) as f64;
    ((world.energy() - start) / G, (crossings[crossings.len() - 1] - crossings[0]) / cycles)
}

#[test]
fn j44_shake_keeps_the_energy_that_jakobsen_loses() {
    let (change, period) = ten_seconds(plain());
    assert!(change.abs() <= 2e-3, "{change}");
    assert!((period - 2.367842).abs() <= 5e-4 * 2.367842, "{period}");
    let (change, _) = ten_seconds(Settings { mode: Mode::Jakobsen, ..plain() });
    assert!((change + 0.90).abs() < 0.01, "{change}");
}

#[test]
fn x9_the_triple_pendulum_is_where_theory_puts_it_after_a_second() {
    let mut world = world(chain(3, 1.0), Settings { substeps: 10, rest_steps: 0, ..Settings::default() });
    steps(&mut world, 60);
    let expected = [(-0.141615, -0.989922), (-0.304864, -1.976507), (-1.062832, -2.628798)];
    for (position, (x, y)) in world.state.positions[1..].iter().zip(expected) {
        let error = position.distance(DVec3::new(x, y, 0.0));
        assert!(error <= 2e-3, "{error}");
    }
}

/// Angle below the horizontal of a pendulum released horizontally, by Runge–Kutta with small steps.
fn angle(time: f64) -> f64 {
    let count = 20_000;
    let h = time / f64::from(count);
    let slope = |[angle, rate]: [f64; 2]| [rate, G * libm::cos(angle)];
    let along = |state: [f64; 2], slope: [f64; 2], h: f64| [state[0] + h * slope[0], state[1] + h * slope[1]];
    let mut state = [0.0, 0.0];
    for _ in 0..count {
        let k1 = slope(state);
        let k2 = slope(along(state, k1, 0.5 * h));
        let k3 = slope(along(state, k2, 0.5 * h));
        let k4 = slope(along(state, k3, h));
        let mean = [0, 1].map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        state = along(state, mean, h);
    }
    state[0]
}

#[test]
fn x13_shake_is_of_second_order() {
    let exact = DVec3::new(libm::cos(angle(1.0)), -libm::sin(angle(1.0)), 0.0);
    let error = |substeps: u32| {
        let settings = Settings { substeps, iterations: 4, rest_steps: 0, ..Settings::default() };
        let mut world = world(released(), settings);
        steps(&mut world, 60);
        world.state.positions[1].distance(exact)
    };
    let errors: Vec<f64> = [2, 4, 8, 16].map(error).to_vec();
    for pair in errors.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!((order - 2.0).abs() <= 0.1, "order {order}, errors {errors:?}");
    }
}

/// Final bits of ragdolls that fell on the ground, each from its own height.
fn fallen(which: usize) -> Vec<u64> {
    let character = muybridge::samples::humanoid();
    let start =
        RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * (0.4 + 0.1 * which as f64), DQuat::IDENTITY);
    let ragdoll = ragdoll::particles(&character, &start, &RagdollSettings::default()).expect("it has mass");
    let mut world = world(ragdoll.model, Settings { substeps: 8, ..Settings::default() });
    world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
    steps(&mut world, 90);
    bits(&world)
}

/// The calling thread steps a world, so the number of threads cannot change the result. But many worlds step at once,
/// each on any thread, and must share nothing. Herds and crowds, which run on several threads, have their own tests.
#[test]
fn x10_the_same_bits_on_every_run_and_of_worlds_side_by_side_on_any_number_of_threads() {
    let alone: Vec<_> = (0..6).map(fallen).collect();
    assert!(alone.windows(2).all(|pair| pair[0] != pair[1]), "they are others");
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let side_by_side: Vec<_> = pool.install(|| (0..6).into_par_iter().map(fallen).collect());
        assert!(side_by_side == alone, "{threads} threads");
    }
    let run = || {
        let mut model = chain(12, 0.2);
        model.distances.push(Distance { most: 2.0, least: 0.3, ..Distance::rigid([2, 9], 1.0) });
        model.distances.push(Distance { compliance: 1e-3, damping: 1.0, ..Distance::rigid([1, 12], 2.0) });
        let mut world = world(model, Settings::default());
        steps(&mut world, 240);
        bits(&world)
    };
    assert_eq!(run(), run());
}

#[test]
fn a_chain_that_was_saved_goes_on_bit_for_bit() {
    let mut first = world(chain(8, 0.25), Settings::default());
    first.drag(muybridge::particles::Point::at(8), DVec3::new(1.0, 1.0, 1.0), 30.0).unwrap();
    steps(&mut first, 50);
    let saved = first.save();
    steps(&mut first, 70);
    let mut second: World = world(chain(8, 0.25), Settings::default());
    second.restore(saved).expect("a state of the same model");
    steps(&mut second, 70);
    assert_eq!(bits(&first), bits(&second));
    assert_eq!(first.state, second.state);
}

#[test]
fn momentum_of_a_free_chain_stays_to_rounding_and_with_shake_its_angular_momentum() {
    let mut model = chain(6, 0.3);
    model.masses[0] = 4.0;
    model.velocities = (0..7).map(|i| DVec3::new(0.1, f64::from(i) * 0.4, f64::from(i * i) * 0.1)).collect();
    for mode in [Mode::Shake, Mode::Xpbd, Mode::Rosen] {
        let settings = Settings { gravity: DVec3::ZERO, mode, rest_steps: 0, ..Settings::default() };
        let mut world = world(model.clone(), settings);
        let (linear, angular) = (world.momentum(), world.angular_momentum());
        steps(&mut world, 300);
        assert!((world.momentum() - linear).length() < 1e-9, "{mode:?}");
        let change = (world.angular_momentum() - angular).length();
        // A velocity is a difference of positions 15 m out, divided by a substep: rounded by 6e-12 m/s in each of
        // 19,200. With present gradients the forces of a substep act at its end: the spin decays, to first order in h.
        assert!(change < if mode == Mode::Shake { 1e-8 } else { 0.05 * angular.length() }, "{mode:?} {change}");
    }
}

/// A limb of 1 kg, 0.2 m from its joint to a base a million times as heavy, rotates at 1 rad/s without external force.
/// About the joint its moment of inertia is 25 times its own, so viscous friction of 10 /s slows it by ω' = −0.4 ω −
/// 0.5, the last term by dry friction: ω = 2.25 e^{−0.4 t} − 1.25, and it rests after ln 1.8/0.4 = 1.47 s.
#[test]
fn friction_of_a_joint_stops_a_whole_limb() {
    let cube = |density: f64| {
        let properties = MassProperties::of_shape(&Shape::Box { half_extents: DVec3::splat(0.05) }, density);
        RigidBody::new(&properties).expect("a solid")
    };
    let (base, limb) = (cube(1e9), cube(1e3));
    let (mut model, arm) = (muybridge::particles::Model::default(), DVec3::X * 0.2);
    let first = base.add_to(&mut model, &Placement::at(DVec3::ZERO, DQuat::IDENTITY));
    let second = limb.add_to(&mut model, &Placement::at(arm, DQuat::IDENTITY));
    let b = Anchor::Point(limb.point(second, -arm));
    model.attachments.push(BallJoint { a: base.point(first, DVec3::ZERO), b, compliance: 0.0 });
    let axes = |body: &RigidBody, first| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| body.direction(first, axis));
    let (a, b, twist) = (axes(&base, first), axes(&limb, second), [-PI, PI]);
    model.swing_twists.push(SwingTwist { a, b, swing: [PI; 2], twist, compliance: 0.0, friction: 10.0 });
    let mut world = world(model, Settings { rest_steps: 0, substeps: 16, ..weightless() });
    let seconds = world.state.last_substep;
    for particle in second..second + 4 {
        let way = DVec3::Y.cross(world.state.positions[particle]) * seconds;
        world.state.previous[particle] = world.state.positions[particle] - way;
    }
    let speed = |world: &World| {
        let ways = (second..second + 4).map(|i| world.state.positions[i] - world.state.previous[i]);
        ways.sum::<DVec3>().length() / (4.0 * arm.x * world.state.last_substep)
    };
    steps(&mut world, 30);
    let exact = 2.25 * libm::exp(-0.2) - 1.25;
    assert!((speed(&world) - exact).abs() < 0.01 * exact, "{} of {exact}", speed(&world));
    steps(&mut world, 70);
    assert!(speed(&world) < 5e-3, "{}", speed(&world));
}
