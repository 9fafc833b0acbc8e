//! Springs of joints against closed forms: frequency, damping, energy and momentum, under every method.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use muybridge::glam::DQuat;

use crate::simulate_contact::Run;

const RIGID: [&str; 3] = ["multipliers", "displacement", "hennix"];
const STILL: &str = "[scene]\nseconds = 6.0\ngravity = [0.0, 0.0, 0.0]\n";

/// Greatest distance of the samples in the last second from the decaying cosine with this frequency and damping ratio.
fn off(way: &[f64], [start, frequency, ratio]: [f64; 3]) -> f64 {
    let (omega, root) = (TAU * frequency, (1.0 - ratio * ratio).sqrt());
    let error = |(frame, way): (usize, &f64)| {
        let time = frame as f64 / 60.0;
        let (sin, cos) = (omega * root * time).sin_cos();
        (way - start * (-ratio * omega * time).exp() * (cos + ratio / root * sin)).abs()
    };
    way.iter().enumerate().skip(300).map(error).fold(0.0, f64::max)
}

#[test]
fn a_spring_swings_at_its_frequency_and_loses_what_its_damping_ratio_says() {
    for (frequency, ratio, bound) in [(0.7, 0.0, 0.005), (2.3, 0.0, 0.05), (1.1, 0.03, 0.005)] {
        let mut scene = STILL.to_owned();
        for (kind, place, keys) in [
            ("hinge", 0.0, "axis = [0.0, 0.0, 1.0]\ntarget = [0.0, 0.0, 0.4]"),
            ("ball", 2.0, "target = [0.0, 0.0, 0.4]"),
            ("slider", 4.0, "axis = [0.0, 0.0, 1.0]\ntarget_travel = 0.4"),
        ] {
            let _ = write!(
                scene,
                "[[box]]\nname = \"{kind}\"\nsize = [0.5, 0.12, 0.2]\nmass = 3.0\nposition = [{}, 1.0, 0.0]\n\
                 [[joint]]\nname = \"at {kind}\"\nkind = \"{kind}\"\nof = \"{kind}\"\nat = [{place}, 1.0, 0.0]\n{keys}\n\
                 frequency = {frequency}\ndamping_ratio = {ratio}\n",
                place + 0.25
            );
        }
        for method in RIGID {
            let run = Run::of(&scene, method);
            let turned = |of: &str| run.turns(of).iter().map(|turn| 2.0 * turn.z.atan2(turn.w) - 0.4).collect();
            let slid = run.points("slider").iter().map(|at| at.z - 0.4).collect();
            let ways: [(&str, Vec<f64>); 3] = [("hinge", turned("hinge")), ("ball", turned("ball")), ("slider", slid)];
            for (kind, way) in ways {
                let error = off(&way, [-0.4, frequency, ratio]);
                // Of 0.4; the greatest is a lag of 1/12 (ω h)² of the way.
                assert!(error < bound, "{method}, {kind}, {frequency} Hz, {ratio}: {error}");
            }
        }
    }
}

/// A free chain of rods with a spring at each joint.
fn chain(kind: &str, rods: u32, frequency: f64) -> String {
    let mut scene = STILL.replace("6.0", "10.0");
    for rod in 0..rods {
        let _ = write!(
            scene,
            "[[box]]\nname = \"rod {rod}\"\nsize = [0.3, 0.06, 0.05]\nmass = {}\nposition = [{}, 2.0, 0.0]\n",
            1.0 + 0.3 * f64::from(rod),
            0.4 * f64::from(rod)
        );
        if rod > 0 {
            let target = if kind == "hinge" { [0.0, 0.0, 0.4] } else { [0.2, 0.3, 0.4] };
            let _ = write!(
                scene,
                "[[joint]]\nname = \"joint {rod}\"\nkind = \"{kind}\"\nof = \"rod {rod}\"\nto = \"rod {}\"\n\
                 at = [{}, 2.0, 0.0]\naxis = [0.0, 0.0, 1.0]\nfrequency = {frequency}\ndamping_ratio = 0.0\ntarget = {target:?}\n",
                rod - 1,
                0.4 * f64::from(rod) - 0.2
            );
        }
    }
    scene
}

#[test]
fn chains_on_springs_without_damping_neither_gain_nor_lose_energy() {
    // The greatest kinetic energy of a swing comes back; which swing has it depends on the modes, so the bound is wide.
    for (kind, rods, frequency, share) in [("hinge", 2, 3.0, 0.01), ("hinge", 5, 1.0, 0.1), ("ball", 2, 1.0, 0.02)] {
        let scene = chain(kind, rods, frequency);
        for method in RIGID {
            let run = Run::of(&scene, method);
            let kinetic = run.per_frame("kinetic_energy_j");
            let greatest = |frames: &[f64]| frames.iter().copied().fold(0.0, f64::max);
            let (first, last) = (greatest(&kinetic[..300]), greatest(&kinetic[300..]));
            // The feedback of `hennix` answers the turns of a substep one later.
            let share = if method == "hennix" { 3.0 * share } else { share };
            assert!((last / first - 1.0).abs() < share, "{method}, {rods} by {kind}: {first} J, later {last} J");
            let spin = run.vectors("angular_momentum_kgm2ps");
            let gained = spin.iter().map(|spin| spin.length()).fold(0.0, f64::max);
            assert!(gained < 1e-9, "{method}, {rods} by {kind}: {gained} kg m²/s");
        }
    }
}

#[test]
fn a_spring_is_as_stiff_whichever_way_its_bodies_are_turned() {
    // Two rods that a hinge on their length joins, free; of particles, the spring once kept the axes of the start.
    let scene = |spin: f64| {
        format!(
            "{STILL}[[box]]\nname = \"a\"\nsize = [0.1, 0.1, 0.6]\nmass = 50.0\nposition = [0.0, 2.0, 0.0]\nspin = [{spin}, 0.0, 0.0]\n\
             [[box]]\nname = \"b\"\nsize = [0.08, 0.3, 0.08]\nmass = 1.0\nposition = [0.0, 2.0, 0.0]\nspin = [{spin}, 0.0, 0.0]\n\
             [[joint]]\nname = \"j\"\nkind = \"hinge\"\nof = \"b\"\nto = \"a\"\nat = [0.0, 2.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n\
             frequency = 1.0\ndamping_ratio = 0.0\ntarget = [0.0, 0.0, 0.3]\n"
        )
    };
    let swings = |run: &Run| {
        let (a, b) = (run.turns("a"), run.turns("b"));
        let away = |(a, b): (&DQuat, &DQuat)| {
            let turn = a.conjugate() * *b;
            2.0 * turn.z.atan2(turn.w) - 0.3
        };
        let way: Vec<f64> = a.iter().zip(&b).map(away).collect();
        way.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count()
    };
    for method in ["shake", "multipliers", "displacement", "hennix"] {
        let count = [0.0, 1.3].map(|spin| swings(&Run::of(&scene(spin), method)));
        assert!(count[0].abs_diff(12) <= 1 && count[1].abs_diff(12) <= 1, "{method}: {count:?} of 12");
    }
}

#[test]
fn springs_friction_and_motors_of_joints_carry_a_weight() {
    // A bar of 1.2 kg whose middle is 0.4 m from its hinge. Spring: sag ω² I = m g l cos(sag). Friction of 6 N m holds 4.7.
    // Motor of rate d: it lags by m g l / (I d) where the bar is level.
    let (mass, arm, sides) = (1.2, 0.4, [0.8, 0.1, 0.3]);
    let inertia = mass * ((sides[0] * sides[0] + sides[1] * sides[1]) / 12.0 + arm * arm);
    let moment = mass * 9.81 * arm;
    let omega = TAU * 1.5;
    let sag = (0..60).fold(0.0_f64, |sag, _| moment * sag.cos() / (omega * omega * inertia));
    let mut scene = "[scene]\nseconds = 4.0\n[solver]\nframes_before_sleep = 0\n".to_owned();
    for (name, keys) in [
        ("spring", "frequency = 1.5\ndamping_ratio = 0.7"),
        ("friction", "friction = 6.0"),
        ("motor", "motor_damping = 400.0"),
    ] {
        let place = scene.len() as f64;
        let _ = write!(
            scene,
            "[[box]]\nname = \"{name}\"\nsize = {sides:?}\nmass = {mass}\nposition = [{}, 0, 0]\n\
             [[joint]]\nname = \"at {name}\"\nkind = \"hinge\"\nof = \"{name}\"\nat = [{place}, 0, 0]\naxis = [0, 0, 1]\n{keys}\n",
            place + arm
        );
    }
    for method in RIGID {
        let run = Run::of(&scene, method);
        let angle = |name: &str| run.turns(name).last().map(|turn| -2.0 * turn.z.atan2(turn.w)).unwrap();
        let (spring, friction, motor) = (angle("spring"), angle("friction"), angle("motor"));
        let lag = moment / (inertia * 400.0) * 4.0;
        assert!((spring / sag - 1.0).abs() < 2e-3, "{method}: {spring}, of {sag}");
        assert!(friction.abs() < 1e-3, "{method}: {friction}");
        assert!((motor / lag - 1.0).abs() < 0.02, "{method}: {motor}, of {lag}");
    }
}
