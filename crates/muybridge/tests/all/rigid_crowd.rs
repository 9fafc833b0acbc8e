//! Crowds of one mechanism: the same bits in any crowd, and what free bodies keep.

use muybridge::glam::DVec3;
use muybridge::math::lanes::Width;
use muybridge::math::random::Random;
use muybridge::ragdoll::{self, RagdollSettings};
use muybridge::rigid::crowd::{Crowd, CrowdError, Settings};
use muybridge::rigid::model::Start;
use muybridge::rigid::motion::vector;
use muybridge::rigid::{Body, Model, Momentum, Pose};
use muybridge::samples;

/// Humanoids that tumble, each in its own way.
fn tumbling(count: usize, settings: Settings) -> (Model, Vec<Vec<Start>>, Crowd) {
    let character = samples::mannequin();
    let mut random = Random::new(7);
    let mut model = Model::default();
    let starts: Vec<Vec<Start>> = (0..count)
        .map(|_| {
            let start = ragdoll::Start::at_rest(&character.skeleton)
                .moved(random.vector() * 10.0, random.rotation())
                .thrown(random.vector() * 5.0, random.vector() * 6.0);
            let ragdoll = ragdoll::rigid(&character, &start, &RagdollSettings::default()).unwrap();
            model = ragdoll.model;
            ragdoll.starts
        })
        .collect();
    let crowd = Crowd::new(&model, &starts, settings).unwrap();
    (model, starts, crowd)
}

fn bits(crowd: &Crowd, bodies: usize) -> Vec<u64> {
    let of = |(pose, momentum): (Pose<f64>, Momentum<f64>)| {
        let rotation = pose.turn();
        [pose.place(), rotation.xyz(), vector(momentum.linear), vector(momentum.angular)]
            .into_iter()
            .flat_map(|v| v.to_array().map(f64::to_bits))
            .chain([rotation.w.to_bits()])
            .collect::<Vec<_>>()
    };
    (0..crowd.len()).flat_map(|i| (0..bodies).map(move |b| (i, b))).flat_map(|(i, b)| of(crowd.body(i, b))).collect()
}

#[test]
fn x10_an_instance_has_the_same_bits_in_any_crowd_at_any_width_on_any_threads_and_however_its_steps_are_cut() {
    let (model, starts, mut crowd) = tumbling(11, Settings::default());
    crowd.step(24);
    let expected = bits(&crowd, model.bodies.len());
    for width in Width::all() {
        let mut other = Crowd::new(&model, &starts, Settings::default()).unwrap().with_width(width);
        (0..8).for_each(|_| other.step(3));
        assert_eq!(bits(&other, model.bodies.len()), expected, "{width}");
    }
    for threads in [1, 2, 5] {
        let mut other = Crowd::new(&model, &starts, Settings::default()).unwrap().with_width(Width::single());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| other.step(24));
        assert_eq!(bits(&other, model.bodies.len()), expected, "{threads} threads");
    }
    let mut alone = Crowd::new(&model, &starts[9..10], Settings::default()).unwrap();
    alone.step(24);
    let per_instance = expected.len() / 11;
    assert_eq!(bits(&alone, model.bodies.len()), expected[9 * per_instance..10 * per_instance]);
}

#[test]
fn w4_every_instance_keeps_its_energy_momentum_and_joints() {
    let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
    let (model, starts, mut crowd) = tumbling(16, settings);
    let spin = |crowd: &Crowd, instance: usize| -> DVec3 {
        let of = |body: usize| {
            let (pose, momentum) = crowd.body(instance, body);
            pose.place().cross(vector(momentum.linear)) + vector(momentum.angular)
        };
        (0..model.bodies.len()).map(of).sum()
    };
    crowd.step(1);
    let before: Vec<_> = (0..16).map(|i| (crowd.kinetic_energy(i), spin(&crowd, i))).collect();
    for _ in 0..20 {
        crowd.step(12);
        for (instance, (energy, angular)) in before.iter().enumerate() {
            let lost = crowd.kinetic_energy(instance) / energy - 1.0;
            assert!(lost.abs() < 3e-3, "{instance}: {lost}");
            let turned = (spin(&crowd, instance) - *angular).length() / angular.length();
            assert!(turned < 1e-12, "{instance}: {turned}");
            for joint in &model.joints {
                let at = |body: usize| crowd.body(instance, body).0;
                let sides = joint.sides(joint.parent.map(at).as_ref(), &at(joint.child));
                let errors = joint.errors(&sides, None);
                assert!(errors[..3].iter().all(|error| error.abs() < 2e-5), "{instance}: {errors:?}");
            }
        }
    }
    assert_eq!(starts.len(), crowd.len());
}

#[test]
fn z1_a_crowd_falls_as_a_stone_does() {
    let (model, _, mut crowd) = tumbling(3, Settings::default());
    let center = |crowd: &Crowd, instance: usize| {
        let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
        let at = |(index, body): (usize, &Body)| crowd.body(instance, index).0.place() * body.mass;
        model.bodies.iter().enumerate().map(at).sum::<DVec3>() / mass
    };
    let start: Vec<DVec3> = (0..3).map(|i| center(&crowd, i)).collect();
    crowd.step(120);
    let half: Vec<DVec3> = (0..3).map(|i| center(&crowd, i)).collect();
    crowd.step(120);
    for instance in 0..3 {
        let bend = center(&crowd, instance) - 2.0 * half[instance] + start[instance];
        assert!((bend - DVec3::new(0.0, -9.81 * 0.25, 0.0)).length() < 1e-9, "{bend}");
    }
}

#[test]
fn what_is_no_crowd_is_said_in_a_sentence() {
    let (model, mut starts, _) = tumbling(2, Settings::default());
    starts[1][3].velocity.x = f64::NAN;
    let error = Crowd::new(&model, &starts, Settings::default()).unwrap_err().to_string();
    assert!(error.starts_with("instance 1: "), "{error}");
    assert!(matches!(Crowd::new(&Model::default(), &[Vec::new()], Settings::default()), Err(CrowdError::Empty)));
    let none = Crowd::new(&model, &[], Settings::default()).unwrap();
    assert!(none.is_empty());
}
