//! A parameter of a rigid world that changes between two steps takes effect in the next one, under every method and by as much as
//! theory says.

use muybridge::collision::{Obstacle, ObstacleShape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::rigid::displacement;
use muybridge::rigid::joint::{Frame, hinge};
use muybridge::rigid::model::{Collider, JointLimit, Motor, Object, Range, Start};
use muybridge::rigid::multipliers::Feedback;
use muybridge::rigid::{Body, Joint, Kind, Method, Model, Settings, World};

const G: f64 = 9.81;
/// Moment of inertia of a box of 2 kg with sides of 0.4 m, kg m².
const MOMENT: f64 = 2.0 * (0.4 * 0.4 + 0.4 * 0.4) / 12.0;

fn methods() -> [Method; 3] {
    let feedback = Feedback { stiffness: 400.0, damping: 40.0 };
    [Method::Multipliers, Method::Displacement(displacement::Settings::default()), Method::Hennix(feedback)]
}

/// One box of 2 kg.
fn model() -> Model {
    let shape = ObstacleShape::Box { half_extents: DVec3::splat(0.2) };
    Model {
        bodies: vec![Body::new(2.0, DVec3::splat(MOMENT)).unwrap()],
        solids: vec![Collider { body: 0, object: 0, shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }],
        objects: vec![Object { friction: 0.32, ..Object::default() }],
        ..Model::default()
    }
}

/// The box on a ground; the friction between them is 0.4.
fn on_ground() -> Model {
    Model { obstacles: vec![Obstacle::ground(0.0).unwrap().with_friction(0.5)], ..model() }
}

/// The box on a joint to the world at the origin.
fn held(kind: Kind) -> Model {
    let joint = Joint { parent: None, child: 0, frames: [Frame::at(DVec3::ZERO); 2], kind, compliance: 0.0 };
    Model { joints: vec![joint], ..model() }
}

fn world(model: Model, start: Start, settings: Settings) -> World {
    World::new(model, &[start], settings).unwrap()
}

/// Position (m), velocity (m/s) and angular velocity (rad/s) of the box.
fn motion(World { state, model, .. }: &World) -> (DVec3, DVec3, DVec3) {
    let (velocity, spin) = state.momenta[0].velocities(&model.bodies[0], state.poses[0].turn());
    (state.poses[0].place(), velocity, spin)
}

fn weightless(method: Method) -> Settings {
    Settings { gravity: DVec3::ZERO, substeps: 1, method, ..Settings::default() }
}

#[test]
fn h22_gravity_and_time_step_have_effect_in_the_next_step() {
    for method in methods() {
        let start = Start { velocity: DVec3::new(1.0, 2.0, -0.5), ..Start::at(DVec3::Y * 5.0, DQuat::IDENTITY) };
        let mut world = world(model(), start, Settings { method, ..Settings::default() });
        world.step();
        let (x, v, _) = motion(&world);
        assert!((v - start.velocity + DVec3::Y * (G / 60.0)).length() < 1e-13, "{method:?}: {v}");
        let (g, h) = (DVec3::new(3.0, -1.0, 7.0), 0.025);
        world.settings = Settings { gravity: g, time_step: h, ..world.settings };
        world.step();
        let (x_next, v_next, _) = motion(&world);
        assert!((v_next - v - g * h).length() < 1e-13, "{method:?}: {v_next}");
        assert!((x_next - x - v * h - g * (0.5 * h * h)).length() < 1e-13, "{method:?}: {x_next}");
    }
}

#[test]
fn h22_the_feedback_of_hennix_has_effect_in_the_next_step() {
    let h = 1.0 / 60.0;
    let with = |stiffness, damping| weightless(Method::Hennix(Feedback { stiffness, damping }));
    let start = Start::at(DVec3::new(0.01, 0.0, 0.0), DQuat::IDENTITY);
    let mut world = world(held(Kind::Ball), start, with(100.0, 20.0));
    // Velocity Verlet of a = −k_s x − k_d v, for a body with its center at the anchor: v + ½ h a is in the second half's a.
    let mut expected = (0.01, 0.0);
    for (stiffness, damping) in [(100.0, 20.0), (400.0, 10.0)] {
        world.settings = with(stiffness, damping);
        world.step();
        let (x, v) = expected;
        let middle: f64 = v - (stiffness * x + damping * v) * 0.5 * h;
        let x = x + middle * h;
        expected = (x, (middle - stiffness * x * 0.5 * h) / (1.0 + 0.5 * h * damping));
        let (place, velocity, _) = motion(&world);
        assert!((place - DVec3::X * expected.0).length() < 1e-15, "{place} {expected:?}");
        assert!((velocity - DVec3::X * expected.1).length() < 1e-14, "{velocity} {expected:?}");
    }
}

#[test]
fn h22_friction_of_an_object_has_effect_in_the_next_step() {
    let h = 1.0 / 60.0;
    for method in methods() {
        let start = Start { velocity: DVec3::X * 5.0, ..Start::at(DVec3::Y * 0.2, DQuat::IDENTITY) };
        let mut world = world(on_ground(), start, Settings { method, ..Settings::default() });
        (0..20).for_each(|_| world.step());
        for (own, friction) in [(0.32, 0.4), (0.08, 0.2), (0.02, 0.1), (0.0, 0.0)] {
            world.model.objects[0].friction = own;
            let before = motion(&world).1.x;
            world.step();
            let lost = before - motion(&world).1.x;
            assert!((lost - friction * G * h).abs() < 1e-5, "{method:?}, {friction}: {lost}");
        }
    }
}

#[test]
fn h22_drag_of_an_object_has_effect_in_the_next_step() {
    for method in methods() {
        let start = Start { velocity: DVec3::X * 3.0, ..Start::at(DVec3::ZERO, DQuat::IDENTITY) };
        let mut world = world(model(), start, weightless(method));
        world.step();
        assert!((motion(&world).1.x - 3.0).abs() < 1e-14);
        world.model.objects[0].drag = 1.2;
        world.step();
        let expected = 3.0 * (-1.2_f64 / 60.0).exp();
        assert!((motion(&world).1.x - expected).abs() < 1e-13, "{method:?}: {} {expected}", motion(&world).1.x);
    }
}

#[test]
fn h22_the_target_of_a_motor_has_effect_in_the_next_step() {
    let h = 1.0 / 60.0;
    for method in methods() {
        let motor = Motor { frequency: 2.0, damping_ratio: 0.7, ..Motor::idle(0) };
        let model = Model { motors: vec![motor], ..held(Kind::Hinge) };
        let mut world = world(model, Start::at(DVec3::ZERO, DQuat::IDENTITY), weightless(method));
        world.step();
        assert_eq!(motion(&world).2, DVec3::ZERO);
        world.model.motors[0].target = DVec3::X * 0.3;
        world.step();
        // Implicit Euler of θ'' = ω² (0.3 − θ) − 2 ζ ω θ'.
        let rate = core::f64::consts::TAU * 2.0;
        let expected = h * rate * rate * 0.3 / (1.0 + 2.0 * 0.7 * rate * h + h * h * rate * rate);
        let found = motion(&world).2;
        assert!((found - DVec3::X * expected).length() < 1e-9, "{method:?}: {found} {expected}");
    }
}

#[test]
fn h22_a_range_has_effect_in_the_next_step() {
    for method in methods() {
        let bounds = |most| Range { joint: 0, bounds: JointLimit::Hinge([-1.0, most]) };
        let model = Model { ranges: vec![bounds(1.0)], ..held(Kind::Hinge) };
        let start = Start { angular_velocity: DVec3::X * 6.0, ..Start::at(DVec3::ZERO, DQuat::IDENTITY) };
        let mut world = world(model, start, weightless(method));
        let angle = |world: &World| hinge::angle(&world.model.joints[0].sides(None, &world.state.poses[0]));
        world.step();
        assert!((motion(&world).2.x - 6.0).abs() < 1e-12);
        // A step would rotate the box by 0.1 rad; the range leaves 0.04.
        let most = angle(&world) + 0.04;
        world.model.ranges[0] = bounds(most);
        world.step();
        assert!((angle(&world) - most).abs() < 1e-5, "{method:?}: {} {most}", angle(&world));
    }
}

#[test]
fn h22_a_ground_that_is_set_moving_takes_along_what_lay_on_it_asleep() {
    let h = 1.0 / 60.0;
    for method in methods() {
        let start = Start::at(DVec3::Y * 0.2, DQuat::IDENTITY);
        let mut world = world(on_ground(), start, Settings { method, ..Settings::default() });
        (0..60).for_each(|_| world.step());
        assert!(world.state.asleep[0].is_some(), "{method:?}");
        world.model.obstacles[0].move_to(DVec3::X * h, DQuat::IDENTITY, h);
        world.wake_all();
        world.step();
        // The box slides, because 1 m/s is more than μ g h.
        let gained = motion(&world).1.x;
        assert!((gained - 0.4 * G * h).abs() < 1e-4, "{method:?}: {gained}");
    }
}

#[test]
fn h22_what_sleeps_feels_another_gravity_in_the_next_step() {
    let h = 1.0 / 60.0;
    for method in methods() {
        let start = Start::at(DVec3::Y * 0.2, DQuat::IDENTITY);
        let mut world = world(on_ground(), start, Settings { method, ..Settings::default() });
        (0..60).for_each(|_| world.step());
        assert!(world.state.asleep[0].is_some(), "{method:?}");
        world.settings.gravity = DVec3::new(6.0, -G, 0.0);
        world.wake_all();
        world.step();
        let gained = motion(&world).1.x;
        assert!((gained - (6.0 - 0.4 * G) * h).abs() < 1e-4, "{method:?}: {gained}");
    }
}
