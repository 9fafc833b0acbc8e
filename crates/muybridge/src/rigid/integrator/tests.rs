//! Oscillators, throws and free tops against exact solutions; each method has its characteristic error.

use glam::{DMat3, DQuat, DVec3};

use super::*;

/// Single body with its state and integrator.
struct Single {
    body: Body,
    pose: Pose<f64>,
    momentum: Momentum<f64>,
    stepper: Stepper,
}

impl Single {
    fn new(body: Body, (position, turn): (DVec3, DQuat), (velocity, spin): (DVec3, DVec3)) -> Self {
        let momentum = Momentum::of(&body, turn, velocity, spin);
        Self { body, pose: Pose::new(position, turn), momentum, stepper: Stepper::default() }
    }

    fn step(
        &mut self,
        integrator: Integrator,
        h: f64,
        force: impl Fn(&Pose<f64>, &Momentum<f64>) -> (DVec3, DVec3),
    ) -> f64 {
        let mut moving = Moving {
            bodies: core::slice::from_ref(&self.body),
            poses: core::slice::from_mut(&mut self.pose),
            momenta: core::slice::from_mut(&mut self.momentum),
        };
        self.stepper.step(integrator, &mut moving, h, |poses, momenta, wrenches| {
            let (force, moment) = force(&poses[0], &momenta[0]);
            wrenches[0] = pushed(wrenches[0], (force, moment), 1.0);
        })
    }

    fn velocities(&self) -> (DVec3, DVec3) {
        self.momentum.velocities(&self.body, self.pose.turn())
    }
}

const NOTHING: fn(&Pose<f64>, &Momentum<f64>) -> (DVec3, DVec3) = |_, _| (DVec3::ZERO, DVec3::ZERO);
const ALL: [Integrator; 6] = [
    Integrator::ExplicitEuler,
    Integrator::Heun,
    Integrator::Ziauddin,
    Integrator::Splitting,
    Integrator::RungeKutta4,
    Integrator::Composition4,
];

fn brick() -> Body {
    Body::new(2.0, DVec3::new(1.0, 2.0, 3.0)).unwrap()
}

/// Growth factor of the energy of an oscillator of 1 rad/s in 1000 steps of 0.1 s.
fn growth(integrator: Integrator, place: f64, velocity: f64) -> f64 {
    let mut single = Single::new(brick(), (DVec3::X * place, DQuat::IDENTITY), (DVec3::X * velocity, DVec3::ZERO));
    for _ in 0..1000 {
        single.step(integrator, 0.1, |pose, _| (pose.place() * -2.0, DVec3::ZERO));
    }
    (single.pose.place().length_squared() + single.velocities().0.length_squared())
        / (place * place + velocity * velocity)
}

#[test]
fn h19_explicit_euler_grows_an_oscillator_by_20959_16() {
    // Growth by 1 + (hΩ)² per step.
    let grown = growth(Integrator::ExplicitEuler, 1.0, 0.0);
    assert!((grown - 20_959.16).abs() < 0.005, "{grown}");
    assert!((grown / libm::pow(1.01, 1000.0) - 1.0).abs() < 1e-11);
}

#[test]
fn h20_heun_grows_an_oscillator_by_1_02531() {
    let grown = growth(Integrator::Heun, 1.0, 0.0);
    assert!((grown - 1.02531).abs() < 1e-5, "{grown}");
}

#[test]
fn z1_ziauddin_grows_an_oscillator_by_150_16_and_is_exact_under_a_constant_force() {
    let grown = growth(Integrator::Ziauddin, 1.0, 0.0);
    assert!((grown - 150.16).abs() < 0.01, "{grown}");
    let grown = growth(Integrator::Ziauddin, 0.0, 1.0);
    assert!((grown - 143.12).abs() < 0.01, "{grown}");
    let (start, speed, push) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 4.0, 0.5), DVec3::new(0.3, -9.81, 1.0));
    let mut single = Single::new(brick(), (start, DQuat::IDENTITY), (speed, DVec3::ZERO));
    (0..100).for_each(|_| {
        single.step(Integrator::Ziauddin, 0.01, |_, _| (push * 2.0, DVec3::ZERO));
    });
    assert!((single.pose.place() - (start + speed + push * 0.5)).length() < 1e-12);
}

#[test]
fn h2_a_free_body_keeps_its_momentum_to_the_bit_and_gravity_adds_m_g_t() {
    for integrator in ALL {
        let mut single = Single::new(brick(), (DVec3::Y, DQuat::IDENTITY), (DVec3::new(1.0, 0.5, -0.25), DVec3::X));
        (0..100).for_each(|_| {
            single.step(integrator, 0.01, NOTHING);
        });
        assert_eq!(vector(single.momentum.linear), DVec3::new(2.0, 1.0, -0.5), "{integrator:?}");
        (0..100).for_each(|_| {
            single.step(integrator, 0.01, |_, _| (DVec3::Y * (-9.81 * 2.0), DVec3::ZERO));
        });
        let expected = DVec3::new(2.0, 1.0 - 9.81 * 2.0, -0.5);
        assert!((vector(single.momentum.linear) - expected).length() < 1e-12, "{integrator:?}");
    }
}

#[test]
fn z5_with_viscous_drag_a_fall_ends_at_m_g_over_c() {
    for integrator in ALL {
        let mut single = Single::new(brick(), (DVec3::ZERO, DQuat::IDENTITY), (DVec3::ZERO, DVec3::ZERO));
        for _ in 0..2000 {
            single.step(integrator, 0.01, |_, momentum| {
                (DVec3::Y * (-9.81 * 2.0) - vector(momentum.linear) * (3.0 / 2.0), DVec3::ZERO)
            });
        }
        let speed = single.velocities().0.y;
        assert!((speed + 9.81 * 2.0 / 3.0).abs() < 1e-6, "{integrator:?}: {speed}");
    }
}

#[test]
fn z6_a_moment_about_a_principal_axis_turns_by_moment_over_inertia() {
    for integrator in ALL {
        for axis in 0..3 {
            let (turn, mut moment) = (exp(DVec3::new(0.4, 1.0, -0.2)), DVec3::ZERO);
            moment[axis] = 0.7;
            let mut single = Single::new(brick(), (DVec3::ZERO, turn), (DVec3::ZERO, DVec3::ZERO));
            single.step(integrator, 0.01, |_, _| (DVec3::ZERO, turn * moment));
            let expected = turn * (moment / brick().moments) * 0.01;
            assert!((single.velocities().1 - expected).length() < 1e-12, "{integrator:?}");
        }
    }
}

#[test]
fn h12_the_gyroscopic_term_is_there() {
    // I dω/dt = −ω × Iω in the body frame, checked by the change of ω over a short step, in every method.
    let (spin, moments) = (DVec3::new(1.0, -2.0, 0.7), brick().moments);
    let expected = -spin.cross(moments * spin) / moments;
    for integrator in ALL {
        let mut single = Single::new(brick(), (DVec3::ZERO, DQuat::IDENTITY), (DVec3::ZERO, spin));
        let h = 1e-6;
        single.step(integrator, h, NOTHING);
        let found = (single.velocities().1 - spin) / h;
        assert!((found - expected).length() < 1e-4, "{integrator:?}: {found} {expected}");
    }
}

/// State of a thrown, spinning body with a spring and a moment, after one second.
fn arrived(integrator: Integrator, steps: usize) -> (DVec3, DQuat, DVec3) {
    let start = (DVec3::new(1.0, 0.3, -0.2), exp(DVec3::new(0.2, 0.1, -0.4)));
    let mut single = Single::new(brick(), start, (DVec3::new(0.1, 1.0, 0.4), DVec3::new(1.0, 2.0, -1.0)));
    for _ in 0..steps {
        single.step(integrator, 1.0 / steps as f64, |pose, _| {
            let place = pose.place();
            (place * -8.0, (pose.turn() * DVec3::X).cross(DVec3::Y) * 2.0)
        });
    }
    (single.pose.place(), single.pose.turn(), single.velocities().1)
}

/// Distance between two final states.
fn apart(a: (DVec3, DQuat, DVec3), b: (DVec3, DQuat, DVec3)) -> f64 {
    let turn = (a.1 - b.1).length().min((a.1 + b.1).length());
    (a.0 - b.0).length() + turn + (a.2 - b.2).length()
}

#[test]
fn x13_the_orders_are_1_2_1_2_4_4() {
    let exact = arrived(Integrator::RungeKutta4, 8192);
    for (integrator, order) in ALL.into_iter().zip([1.0, 2.0, 1.0, 2.0, 4.0, 4.0]) {
        let steps = if order > 1.0 { 128 } else { 1024 };
        let error = |steps| apart(arrived(integrator, steps), exact);
        let found = libm::log2(error(steps) / error(2 * steps));
        assert!((found - order).abs() < 0.1, "{integrator:?}: {found}");
    }
}

#[test]
fn of_the_compositions_suzukis_has_the_least_error_for_its_cost() {
    // Same number of drifts for each: 3 stages of Yoshida, 5 of Suzuki.
    let cube_root = libm::cbrt(2.0);
    let yoshida = 1.0 / (2.0 - cube_root);
    let three = [yoshida, 1.0 - 2.0 * yoshida, yoshida];
    let body = brick();
    let run = |parts: &[f64], steps: usize| {
        let turn = DQuat::IDENTITY;
        let momentum = Momentum::of(&body, turn, DVec3::ZERO, DVec3::new(1.0, 2.0, -1.0));
        let mut pose = Pose::new(DVec3::ZERO, turn);
        for _ in 0..steps {
            for part in parts {
                pose = drift(&body, &pose, &momentum, part / steps as f64);
            }
        }
        pose.turn()
    };
    let exact = run(&SUZUKI, 2000);
    let error = |q: DQuat| (q - exact).length().min((q + exact).length());
    let (by_five, by_three) = (error(run(&SUZUKI, 30)), error(run(&three, 50)));
    assert!(by_five < 0.2 * by_three, "{by_five} {by_three}");
}

/// Errors of a method in the middle-axis flip.
struct Flip {
    /// Greatest relative error of the energy.
    worst: f64,
    /// First period of ω, and the mean period, seconds.
    first: f64,
    period: f64,
    /// Relative growth of the length of the angular momentum, and relative length of its change as a vector.
    momentum_grown: f64,
    momentum_lost: f64,
}

fn flip(integrator: Integrator, h: f64, seconds: f64) -> Flip {
    let body = Body::new(1.0, DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let spin = DVec3::new(0.01, 2.0, 0.01);
    let mut single = Single::new(body, (DVec3::ZERO, DQuat::IDENTITY), (DVec3::ZERO, spin));
    let energy = single.momentum.kinetic_energy(&body, DQuat::IDENTITY);
    let (mut worst, mut last, mut crossings) = (0.0_f64, spin.y, Vec::new());
    for step in 0..(seconds / h) as usize {
        single.step(integrator, h, NOTHING);
        worst = worst.max((single.momentum.kinetic_energy(&body, single.pose.turn()) / energy - 1.0).abs());
        let y = (single.pose.turn().conjugate() * single.velocities().1).y;
        if (y > 0.0) != (last > 0.0) {
            crossings.push(h * (step as f64 + last / (last - y)));
        }
        last = y;
    }
    let halves = crossings.len() - 1;
    let (momentum, start) = (vector(single.momentum.angular), body.moments * spin);
    Flip {
        worst,
        first: crossings[2] - crossings[0],
        period: 2.0 * (crossings[halves] - crossings[0]) / halves as f64,
        momentum_grown: momentum.length() / start.length() - 1.0,
        momentum_lost: (momentum - start).length() / start.length(),
    }
}

#[test]
fn x4_each_method_is_known_by_what_it_does_to_the_middle_axis_flip() {
    let exact = 21.955_145_879_3;
    // World angular momentum kept, orientation by explicit Euler: energy falls, and the flips come ever faster.
    for (h, share, first) in [(0.01, 0.42, 8.21), (0.001, 0.02, 12.30)] {
        let flip = flip(Integrator::ExplicitEuler, h, 50.0);
        assert!((flip.worst - share).abs() < 0.005, "{h}: {}", flip.worst);
        assert!((flip.first - first).abs() < 0.01, "{h}: {}", flip.first);
        assert_eq!(flip.momentum_lost, 0.0);
    }
    // Explicit Euler on ω: energy and the square of the angular momentum grow alike.
    let flip_of = |integrator| flip(integrator, 0.01, 200.0);
    let ziauddin = flip_of(Integrator::Ziauddin);
    assert!((ziauddin.worst - 0.59).abs() < 0.005 && (ziauddin.period - 21.968).abs() < 1e-3);
    let squared = (1.0 + ziauddin.momentum_grown) * (1.0 + ziauddin.momentum_grown) - 1.0;
    assert!((squared - 0.59).abs() < 0.005, "{squared}");
    // Second and fourth order, with angular momentum kept to the bit.
    let bounds = [
        (Integrator::Heun, 1e-4, 1.0),
        (Integrator::Splitting, 5e-6, 5e-4),
        (Integrator::RungeKutta4, 1e-9, 1e-4),
        (Integrator::Composition4, 1e-10, 1e-7),
    ];
    for (integrator, energy, seconds) in bounds {
        let flip = flip_of(integrator);
        assert!(flip.worst < energy, "{integrator:?}: {}", flip.worst);
        assert!((flip.period - exact).abs() < seconds, "{integrator:?}: {}", flip.period);
        assert_eq!(flip.momentum_lost, 0.0, "{integrator:?}");
    }
    assert!((flip_of(Integrator::Splitting).period - 21.955_547).abs() < 1e-6);
}

#[test]
fn x5_a_symmetric_top_is_back_in_the_body_after_a_period_of_its_precession() {
    let body = Body::new(1.0, DVec3::new(1.0, 1.0, 0.5)).unwrap();
    let start = DVec3::new(0.3, 0.0, 5.0);
    let bounds = [
        (Integrator::Heun, 1e-4),
        (Integrator::Splitting, 1e-5),
        (Integrator::RungeKutta4, 1e-9),
        (Integrator::Composition4, 1e-9),
    ];
    for (integrator, bound) in bounds {
        let mut single = Single::new(body, (DVec3::ZERO, DQuat::IDENTITY), (DVec3::ZERO, start));
        let steps = 4000;
        // Precession rate Ω = (I3 − I1)/I1 ω3 = −2.5 rad/s.
        let h = core::f64::consts::TAU / 2.5 / f64::from(steps);
        (0..steps).for_each(|_| {
            single.step(integrator, h, NOTHING);
        });
        let spin = single.pose.turn().conjugate() * single.velocities().1;
        assert!((spin - start).length() < bound, "{integrator:?}: {spin}");
        // In space the axis has gone round L at ‖L‖/I1.
        let l = vector(single.momentum.angular);
        assert!((l.length() - 2.517_935_7).abs() < 1e-7);
        let axis = exp(l * (h * f64::from(steps))) * DVec3::Z;
        assert!((single.pose.turn() * DVec3::Z - axis).length() < bound, "{integrator:?}");
    }
}

#[test]
fn z2_the_spin_follows_eulers_equations_and_the_turn_is_no_sum_of_angles() {
    let error = |steps| apart(arrived(Integrator::Ziauddin, steps), arrived(Integrator::RungeKutta4, 4096));
    assert!((libm::log2(error(512) / error(1024)) - 1.0).abs() < 0.1);
    // A ball at (1, 1, 0) rad/s turns by that vector in a second, with any number of steps.
    let ball = Body::new(1.0, DVec3::ONE).unwrap();
    let rate = DVec3::new(1.0, 1.0, 0.0);
    let mut single = Single::new(ball, (DVec3::ZERO, DQuat::IDENTITY), (DVec3::ZERO, rate));
    (0..100).for_each(|_| {
        single.step(Integrator::Ziauddin, 0.01, NOTHING);
    });
    assert!((single.pose.turn() - exp(rate)).length() < 1e-12);
}

#[test]
fn z3_angles_plus_rate_times_time_are_27_degrees_off_after_a_second() {
    let rate = DVec3::new(1.0, 1.0, 0.0);
    let summed = DMat3::from_quat(exp(DVec3::X)) * DMat3::from_quat(exp(DVec3::Y));
    let off = crate::math::rotation::log(DQuat::from_mat3(&(summed.transpose() * DMat3::from_quat(exp(rate)))));
    assert!((off.length().to_degrees() - 27.16).abs() < 0.005, "{}", off.length().to_degrees());
}

#[test]
fn h21_a_throw_with_steps_that_vary_by_half_lands_where_it_should() {
    for integrator in [Integrator::Heun, Integrator::Splitting, Integrator::Ziauddin, Integrator::RungeKutta4] {
        let velocity = DVec3::new(3.0, 8.0, -1.0);
        let mut single = Single::new(brick(), (DVec3::ZERO, DQuat::IDENTITY), (velocity, DVec3::ZERO));
        let mut seconds = 0.0;
        for step in 0..150 {
            let h = 0.01 * (1.0 + 0.5 * libm::sin(f64::from(step)));
            single.step(integrator, h, |_, _| (DVec3::Y * (-9.81 * 2.0), DVec3::ZERO));
            seconds += h;
        }
        let expected = velocity * seconds + DVec3::Y * (-0.5 * 9.81 * seconds * seconds);
        assert!((single.pose.place() - expected).length() < 1e-9, "{integrator:?}");
    }
}

#[test]
fn h21_the_controller_keeps_to_its_bounds_and_its_tolerance() {
    let control = StepControl { tolerance: 1e-4 };
    assert_eq!(control.next(0.01, 0.0), 0.02);
    assert_eq!(control.next(0.01, 1e30), 0.005);
    assert_eq!(control.next(0.01, f64::NAN), 0.02);
    assert_eq!(control.next(0.02, 0.0), 0.03);
    assert_eq!(control.next(1.5e-4, 1.0), 1e-4);
    // A planet on a narrow ellipse: small steps near the focus, with the requested error per step.
    let mut single = Single::new(brick(), (DVec3::X, DQuat::IDENTITY), (DVec3::Y * 0.5, DVec3::ZERO));
    let (mut h, mut least, mut greatest) = (0.01_f64, f64::MAX, 0.0_f64);
    for step in 0..2000 {
        let error = single.step(Integrator::Heun, h, |pose, _| {
            let place = pose.place();
            (place * (-2.0 / libm::pow(place.length(), 3.0)), DVec3::ZERO)
        });
        // The two methods differ by ½ h² |a|.
        assert!(error < 2.0 * control.tolerance, "{step}: {error}");
        h = control.next(h, error);
        (least, greatest) = (least.min(h), greatest.max(h));
        assert!((1e-4..=0.03).contains(&h));
    }
    assert!(least < 0.3 * greatest, "{least} {greatest}");
}
