//! Runs of the same worlds under all three methods.

use glam::{DQuat, DVec3};

use super::contact_tests::{cube, heap};
use super::tests::{chain, energy, gap};
use super::*;
use crate::math::rotation::exp;
use crate::rigid::Kind;
use crate::rigid::displacement::{self, Displacement};
use crate::rigid::model::{Collider, Object};
use crate::rigid::multipliers::Feedback;

pub(super) fn displaced(method: Displacement) -> Method {
    Method::Displacement(displacement::Settings { method, ..displacement::Settings::default() })
}

fn methods() -> [Method; 5] {
    [
        Method::Multipliers,
        displaced(Displacement::Lamouret),
        displaced(Displacement::Block),
        displaced(Displacement::Skeleton),
        Method::Hennix(Feedback { stiffness: 1000.0, damping: 2.0 * libm::sqrt(1000.0) }),
    ]
}

#[test]
fn a_chain_of_four_swings_for_three_seconds_under_every_method() {
    for method in methods() {
        let (model, starts) = chain(4, Kind::Ball);
        let settings = Settings { method, rest_steps: 0, ..Settings::default() };
        let mut world = World::new(model, &starts, settings).unwrap();
        let (start, mut open, mut worst) = (energy(&world), 0.0_f64, 0.0_f64);
        for _ in 0..180 {
            world.step();
            open = open.max(gap(&world));
            worst = worst.max((energy(&world) - start).abs() / 9.81);
        }
        let (most_open, most_energy) = match method {
            Method::Multipliers => (1e-5, 0.1),
            // The source's rotations and translations belong to different impulses, and lose energy.
            Method::Displacement(displacement::Settings { method: Displacement::Lamouret, .. }) => (5e-3, 4.0),
            Method::Displacement(_) => (5e-3, 0.5),
            Method::Hennix(_) => (0.2, 4.0),
        };
        assert!(open < most_open && worst < most_energy, "{method:?}: gap {open}, energy {worst} m g L");
    }
}

#[test]
fn a_jointed_pair_of_boxes_falls_and_rests_on_the_ground_under_every_method() {
    for method in methods() {
        let mut model = heap(&[cube(0.1), cube(0.1)], Object::default());
        model.objects.truncate(1);
        model.solids.iter_mut().for_each(|solid: &mut Collider| solid.object = 0);
        let turn = exp(DVec3::new(0.3, 0.2, 0.5));
        let places = [DVec3::Y, DVec3::Y + turn * (DVec3::X * 0.25)];
        let at = (DVec3::Y + turn * (DVec3::X * 0.125), DQuat::IDENTITY);
        let joint = Joint::between(Some((0, places[0], turn)), (1, places[1], turn), at, Kind::Ball);
        model.joints.push(joint);
        let starts = places.map(|place| Start::at(place, turn));
        let mut world = World::new(model, &starts, Settings { method, ..Settings::default() }).unwrap();
        let first = energy(&world);
        let mut deepest = 0.0_f64;
        for _ in 0..300 {
            world.step();
            deepest = world.contacts().iter().map(|contact| -contact.gap).fold(deepest, f64::max);
            assert!(energy(&world) < first * 1.01, "{method:?}");
        }
        // Feedback pulls a joint together as a spring would, even into the ground.
        let most = if let Method::Hennix(_) = method { 0.03 } else { 0.01 };
        assert!(deepest < most, "{method:?}: {deepest}");
        assert!(world.state.poses.iter().all(|pose| pose.place().y < 0.25), "{method:?}");
        assert!(world.state.asleep[0].is_some(), "{method:?} does not sleep");
    }
}

#[test]
fn what_hangs_at_rest_has_no_velocity_between_steps_under_displacement() {
    // Without the joint's reaction to the last half kick, sensors would read ½h g = 0.01 m/s.
    let (mut model, _) = chain(1, Kind::Ball);
    let turn = exp(DVec3::NEG_Z * core::f64::consts::FRAC_PI_2);
    model.joints.clear();
    let place = DVec3::NEG_Y * 0.5;
    model.joints.push(Joint::between(None, (0, place, turn), (DVec3::ZERO, DQuat::IDENTITY), Kind::Ball));
    for method in methods().into_iter().take(4) {
        let settings = Settings { method, rest_steps: 0, ..Settings::default() };
        let mut world = World::new(model.clone(), &[Start::at(place, turn)], settings).unwrap();
        for _ in 0..60 {
            world.step();
            let [linear, angular] = [world.state.momenta[0].linear, world.state.momenta[0].angular].map(vector);
            assert!(linear.length() < 1e-12 && angular.length() < 1e-12, "{method:?}: {linear} {angular}");
        }
    }
}
