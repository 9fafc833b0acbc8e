//! Closed loops with redundant rows: doors, parallelograms and seats move as their one degree of freedom predicts.

use glam::{DQuat, DVec3};

use super::method_tests::displaced;
use super::tests::{chain, energy, gap};
use super::*;
use crate::rigid::Body;
use crate::rigid::displacement::Displacement;
use crate::rigid::joint::{Joint, Kind};

const G: f64 = 9.81;

/// Methods that support loops in long runs: joint-by-joint displacement of points does not.
fn methods() -> [Method; 3] {
    [Method::Multipliers, displaced(Displacement::Block), displaced(Displacement::Skeleton)]
}

/// The same methods with joints as tight as in scenes.
fn tight_methods() -> [Method; 3] {
    methods().map(|method| match method {
        Method::Displacement(how) => {
            Method::Displacement(displacement::Settings { method: how.method, ..displacement::Settings::tight() })
        }
        method => method,
    })
}

fn every(step: f64, method: Method) -> Settings {
    Settings { time_step: step, substeps: 1, rest_steps: 0, most_turn: 10.0, method, ..Settings::default() }
}

/// Joint of a linkage: parent or the world, child, world position and kind.
type Hold = (Option<usize>, usize, DVec3, Kind);

/// Linkage of bodies at given poses, with joints at world positions whose axis is `axis`.
fn linkage(bodies: &[(Body, DVec3, DQuat)], axis: DVec3, joints: &[Hold], settings: Settings) -> World {
    let mut model = Model { bodies: bodies.iter().map(|&(body, ..)| body).collect(), ..Model::default() };
    let turn = DQuat::from_rotation_arc(DVec3::X, axis);
    for (parent, child, at, kind) in joints {
        let of = |body: usize| (body, bodies[body].1, bodies[body].2);
        model.joints.push(Joint::between(parent.map(of), of(*child), (*at, turn), kind.clone()));
    }
    let starts: Vec<Start> = bodies.iter().map(|&(_, place, turn)| Start::at(place, turn)).collect();
    World::new(model, &starts, settings).unwrap()
}

/// Bar from one point to another, square in section.
fn bar(from: DVec3, to: DVec3, mass: f64) -> (Body, DVec3, DQuat) {
    let length = (to - from).length();
    let (along, across) = (2e-3 * mass, mass * length * length / 12.0);
    let body = Body::new(mass, DVec3::new(along, across, across)).unwrap();
    (body, (from + to) * 0.5, DQuat::from_rotation_arc(DVec3::X, (to - from) / length))
}

/// Rotation of a body about an axis since orientation `start`, radians.
fn turned(world: &World, body: usize, start: DQuat, axis: DVec3) -> f64 {
    let turn = world.state.poses[body].turn() * start.conjugate();
    2.0 * libm::atan2(DVec3::new(turn.x, turn.y, turn.z).dot(axis), turn.w)
}

#[test]
fn a_door_on_two_hinges_in_line_swings_as_on_one() {
    // A door 1 m wide, 2 m high and 5 cm thick; about the edge J = m (1² + 0.05²)/12 + m/4. Impulse of 3 N s at its
    // middle.
    let moments = DVec3::new(4.0 + 0.0025, 1.0 + 0.0025, 5.0) / 12.0;
    let door = (Body::new(1.0, moments).unwrap(), DVec3::new(0.5, 1.0, 0.0), DQuat::IDENTITY);
    let inertia = moments.y + 0.25;
    let rate = -1.5 / inertia;
    let hold = |y: f64, kind: Kind| (None, 0, DVec3::Y * y, kind);
    let doors: [&[Hold]; 6] = [
        &[hold(0.3, Kind::Hinge)],
        &[hold(0.3, Kind::Hinge), hold(1.7, Kind::Hinge)],
        &[hold(0.3, Kind::Ball), hold(1.7, Kind::Ball)],
        &[hold(0.3, Kind::Ball), hold(1.7, Kind::Hinge)],
        &[hold(0.3, Kind::Hinge), hold(0.3, Kind::Hinge)],
        &[hold(0.3, Kind::Hinge), hold(1.0, Kind::Ball), hold(1.7, Kind::Hinge), hold(1.7, Kind::Hinge)],
    ];
    for method in methods() {
        for (number, joints) in doors.iter().enumerate() {
            let mut world = linkage(&[door], DVec3::Y, joints, every(1.0 / 240.0, method));
            let start = energy(&world);
            world.hit(0, DVec3::Z * 3.0, door.1).unwrap();
            for _ in 0..240 {
                world.step();
                assert!(gap(&world) < 1e-4);
            }
            let angle = libm::remainder(turned(&world, 0, door.2, DVec3::Y) - rate, core::f64::consts::TAU);
            assert!(angle.abs() < 1e-3, "door {number}, {method:?}: {angle} rad");
            let gained = energy(&world) - start - 0.5 * inertia * rate * rate;
            assert!(gained.abs() < 1e-3, "door {number}, {method:?}: {gained} J");
        }
    }
}

#[test]
fn a_joint_given_twice_changes_nothing() {
    for kind in [Kind::Ball, Kind::Hinge, Kind::Universal] {
        for method in methods() {
            let ends = [false, true].map(|is_twice| {
                let (mut model, starts) = chain(2, kind.clone());
                if is_twice {
                    model.joints.extend(model.joints.clone());
                }
                let mut world = World::new(model, &starts, every(1.0 / 240.0, method)).unwrap();
                (0..240).for_each(|_| world.step());
                world.state.poses[1].place()
            });
            // Displacement closes joints to 0.1 mm.
            let most = if method == Method::Multipliers { 1e-6 } else { 1e-3 };
            let apart = ends[0].distance(ends[1]);
            assert!(apart < most, "{kind:?}, {method:?}: {apart} m");
        }
    }
}

/// Arithmetic-geometric mean of two numbers.
fn mean(mut a: f64, mut b: f64) -> f64 {
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), libm::sqrt(a * b));
    }
    a
}

/// Period of a pendulum of a length (meters) released at an angle: 2π √(l/g)/M(1, cos ½α).
fn period(length: f64, angle: f64) -> f64 {
    core::f64::consts::TAU * libm::sqrt(length / G) / mean(1.0, libm::cos(0.5 * angle))
}

/// Steps for five seconds and measures the period from zero crossings of `place` (meters). Asserts that energy is kept
/// to a thousandth of `most` joules and that no gap opens.
fn swing(world: &mut World, most: f64, place: impl Fn(&World) -> f64) -> f64 {
    let (h, start) = (world.settings.time_step, energy(world));
    let (mut last, mut crossings) = (place(world), Vec::new());
    let (mut open, mut changed) = (0.0_f64, 0.0_f64);
    while (world.state.steps as f64) * h < 5.0 {
        world.step();
        let now = place(world);
        if (now > 0.0) != (last > 0.0) {
            crossings.push((world.state.steps as f64 - 1.0 + last / (last - now)) * h);
        }
        last = now;
        open = open.max(gap(world));
        changed = changed.max((energy(world) - start).abs());
    }
    let method = world.settings.method;
    assert!(open < 1e-4, "{method:?}: gap {open}");
    assert!(changed < 1e-3 * most, "{method:?}: {} of the energy", changed / most);
    assert!(crossings.len() > 2, "{method:?}: {crossings:?}");
    2.0 * (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

#[test]
fn a_parallelogram_of_equal_bars_is_a_pendulum_of_five_sixths_of_their_length() {
    // Energies T = ½ (2 m l²/3 + m l²) ω², V = −(2 m l/2 + m l) g cos φ.
    let (angle, expected) = (1.0, period(5.0 / 6.0, 1.0));
    let down = DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    let bars = [bar(DVec3::ZERO, down, 1.0), bar(down, down + DVec3::X, 1.0), bar(DVec3::X + down, DVec3::X, 1.0)];
    let places = [(None, 0, DVec3::ZERO), (Some(0), 1, down), (Some(1), 2, down + DVec3::X), (None, 2, DVec3::X)];
    for method in methods() {
        for balls in [0, 1, 2, 4, 8, 12] {
            let kind = |joint: usize| if balls >> joint & 1 == 1 { Kind::Ball } else { Kind::Hinge };
            let joints: Vec<Hold> =
                places.iter().enumerate().map(|(i, &(above, body, at))| (above, body, at, kind(i))).collect();
            let mut world = linkage(&bars, DVec3::Z, &joints, every(1.0 / 480.0, method));
            let found = swing(&mut world, 2.0 * G, |world| world.state.poses[0].place().x);
            assert!((found / expected - 1.0).abs() < 1e-3, "{balls:b}, {method:?}: {found} s for {expected} s");
        }
    }
}

#[test]
fn a_seat_on_four_hinged_rods_swings() {
    // Energies T = ½ (4 m/3 + M) l² ω², V = −(4 m/2 + M) l g cos φ.
    let (rod, seat, angle) = (0.2, 5.0, 0.5_f64);
    let expected = period((4.0 / 3.0 * rod + seat) / (2.0 * rod + seat), angle);
    let down = DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    let corners = [[0.25, 0.25], [-0.25, 0.25], [0.25, -0.25], [-0.25, -0.25]].map(|[x, z]| DVec3::new(x, 0.0, z));
    let mut bodies = vec![(Body::new(seat, DVec3::new(0.15, 0.3, 0.15)).unwrap(), down, DQuat::IDENTITY)];
    let mut joints = Vec::new();
    for (number, &corner) in corners.iter().enumerate() {
        bodies.push(bar(corner, corner + down, rod));
        joints.push((None, number + 1, corner, Kind::Hinge));
        joints.push((Some(number + 1), 0, corner + down, Kind::Hinge));
    }
    for method in methods() {
        let mut world = linkage(&bodies, DVec3::Z, &joints, every(1.0 / 480.0, method));
        let found = swing(&mut world, (2.0 * rod + seat) * G, |world| world.state.poses[0].place().x);
        assert!((found / expected - 1.0).abs() < 1e-3, "{method:?}: {found} s for {expected} s");
    }
}

#[test]
fn a_rhombus_swings_through_the_places_where_its_bars_lie_in_a_row() {
    // The base is vertical, so all four bars are in a row at the lowest point. There the linkage has two degrees of
    // freedom, and inertia selects one.
    let (angle, expected) = (1.5, period(5.0 / 6.0, 1.5));
    let down = DVec3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    let (top, low) = (DVec3::Y, DVec3::ZERO);
    let bars = [bar(top, top + down, 1.0), bar(top + down, low + down, 1.0), bar(low + down, low, 1.0)];
    for method in tight_methods() {
        let joints = [(None, 0, top), (Some(0), 1, top + down), (Some(1), 2, low + down), (None, 2, low)]
            .map(|(above, body, at)| (above, body, at, Kind::Hinge));
        for rate in [240.0, 480.0, 1000.0] {
            let mut world = linkage(&bars, DVec3::Z, &joints, every(1.0 / rate, method));
            let found = swing(&mut world, 2.0 * G, |world| world.state.poses[0].place().x);
            assert!((found / expected - 1.0).abs() < 1e-3, "{rate}, {method:?}: {found} s for {expected} s");
            let tilt = turned(&world, 1, bars[1].2, DVec3::Z).abs();
            assert!(tilt < 1e-2, "{rate}, {method:?}: {tilt} rad");
        }
    }
}

#[test]
fn a_flat_net_falls_from_two_corners_without_gaps_or_energy_from_nowhere() {
    let across = 6;
    let place = |body: usize| DVec3::new((body % across) as f64, 0.0, (body / across) as f64);
    let ball = Body::new(1.0, DVec3::splat(0.064)).unwrap();
    let bodies: Vec<_> = (0..across * across).map(|body| (ball, place(body), DQuat::IDENTITY)).collect();
    let mut joints: Vec<Hold> = [0, across - 1].map(|corner| (None, corner, place(corner), Kind::Fixed)).to_vec();
    let mut join = |a: usize, b: usize| joints.push((Some(a), b, (place(a) + place(b)) * 0.5, Kind::Ball));
    for body in 0..across * across {
        if body % across > 0 {
            join(body - 1, body);
        }
        if body >= across {
            join(body - across, body);
        }
    }
    let settings = Settings { rest_steps: 0, ..Settings::default() };
    let mut world = linkage(&bodies, DVec3::X, &joints, settings);
    let start = energy(&world);
    for frame in 0..30 {
        world.step();
        let gained = energy(&world) - start;
        assert!(gap(&world) < 1e-3, "{frame}: {}", gap(&world));
        // Of the 330 J of a fall of half a second at most.
        assert!(gained < 0.1, "{frame}: {gained} J");
    }
    assert!(world.state.poses[across * across - 1].place().y < -0.5, "it falls");
}
