//! Acceptance of bodies that are not people: a quadruped and a thrown thing, weighed and judged without a human map
//! (S32).

use crate::thrown;

use muybridge::analysis::{Settings, VelocityDifference, Verdict, analyze};
use muybridge::character::{BodySettings, Bone, CharacterEvidence, Skeleton, assemble};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation::exp;
use muybridge::motion::Clip;
use muybridge::samples;
use thrown::{GRAVITY, analysis};

/// Frames of standing before and after, and of the leap, at 60 frames per second.
const STANDING: usize = 30;
const AIR: usize = 20;

#[test]
fn s32_a_quadruped_that_leaps_is_judged_without_a_human_map() {
    let dog = samples::quadruped();
    let frames = 2 * STANDING + AIR;
    let speed = 0.5 * GRAVITY * (AIR + 1) as f64 / 60.0;
    let rise = |frame: usize| {
        let t = (frame + 1).saturating_sub(STANDING).min(AIR + 1) as f64 / 60.0;
        (speed * t - 0.5 * GRAVITY * t * t, 1.5 * t)
    };
    let mut clip = Clip::new(dog.skeleton.len(), frames, 1.0 / 60.0).unwrap();
    // The withers are lowered by 2 cm, because the fore legs are shorter, so that all four paws stand.
    let withers = dog.skeleton.find("Withers").unwrap();
    for (bone, own) in dog.skeleton.bones().iter().enumerate() {
        for frame in 0..frames {
            let (up, ahead) = if own.parent.is_none() { rise(frame) } else { (0.0, 0.0) };
            let lowered = if bone == withers { -0.02 } else { 0.0 };
            clip.set_translation(bone, frame, own.translation + DVec3::new(0.0, up + lowered, ahead));
        }
    }
    let found = analysis(&dog, &clip, VelocityDifference::Central);
    assert!(found.roles.is_empty());
    assert!((found.mass - 20.0).abs() < 1e-12);
    assert_eq!(found.flights.len(), 1);
    let flight = &found.flights[0];
    assert!(flight.span.first.abs_diff(STANDING) <= 1 && flight.span.last.abs_diff(STANDING + AIR - 1) <= 1);
    assert!((flight.gravity - 1.0).abs() <= 1e-9, "{}", flight.gravity);
    assert!(flight.angular_momentum_change <= 1e-9);
    let standing = 5..STANDING - 5;
    assert!(standing.clone().all(|frame| found.per_frame.contacts[frame].len() >= 4), "all four paws");
    assert!(standing.clone().all(|frame| found.per_frame.support_margin[frame].unwrap() > 0.0));
}

#[test]
fn s32_a_thrown_box_is_one_body_that_falls_with_one_g_and_keeps_its_spin() {
    let bone =
        Bone { name: "crate".into(), parent: None, translation: DVec3::ZERO, rotation: DQuat::IDENTITY, ends: vec![] };
    let skeleton = Skeleton::new(vec![bone]).unwrap();
    let half_extents = DVec3::new(0.1, 0.2, 0.3);
    let solid = PlacedShape { shape: Shape::Box { half_extents }, position: DVec3::ZERO, rotation: DQuat::IDENTITY };
    let evidence = CharacterEvidence { shapes: &[(0, solid)], ..CharacterEvidence::default() };
    let settings = BodySettings { mass: Some(3.0), ..BodySettings::default() };
    let thing = assemble(&skeleton, &evidence, &settings).unwrap().character;
    assert_eq!(thing.bodies.len(), 1);
    let square = half_extents * half_extents;
    let truth = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
    assert!((thing.bodies[0].inertia - DMat3::from_diagonal(truth)).abs_diff_eq(DMat3::ZERO, 1e-12), "m/3 (b² + c²)");

    let spin = DVec3::Y * 6.0;
    let clip = thrown::throw(60, 60.0, GRAVITY, DVec3::new(2.0, 6.0, 1.0), spin);
    let found = analyze(&thing, &clip, &Settings::default());
    assert_eq!((found.flights.len(), found.floor), (1, None));
    let flight = &found.flights[0];
    assert_eq!((flight.span.first, flight.span.last), (0, 59));
    assert!((flight.gravity - 1.0).abs() <= 1e-9, "{}", flight.gravity);
    assert!(flight.angular_momentum_error_norm <= 1e-12);
    for momentum in &found.per_frame.angular_momentum {
        assert!((momentum.unwrap() - DVec3::Y * (6.0 * truth.y)).length() <= 1e-12, "{momentum:?}");
    }
    assert_eq!((found.findings.len(), found.verdict), (0, Verdict::Plausible));
}

#[test]
fn s32_a_ball_that_bounces_flies_between_the_bounces() {
    let bone =
        Bone { name: "Ball".into(), parent: None, translation: DVec3::ZERO, rotation: DQuat::IDENTITY, ends: vec![] };
    let skeleton = Skeleton::new(vec![bone]).unwrap();
    let radius = 0.11;
    let solid = PlacedShape { shape: Shape::Sphere { radius }, position: DVec3::ZERO, rotation: DQuat::IDENTITY };
    let evidence = CharacterEvidence { shapes: &[(0, solid)], ..CharacterEvidence::default() };
    let ball = assemble(&skeleton, &evidence, &BodySettings::default()).unwrap().character;
    // The body bounces every 0.6 s and is on the floor for one frame at each bounce.
    let period = 36;
    let clip = thrown::clip(4 * period + 1, 60.0, |t| {
        let since = ((60.0 * t).round() as usize % period) as f64 / 60.0;
        let height = 0.5 * GRAVITY * since * (period as f64 / 60.0 - since);
        (DVec3::new(0.8 * t, radius + height, 0.0), exp(DVec3::Z * -2.0 * t))
    });
    let found = analysis(&ball, &clip, VelocityDifference::Central);
    assert!(found.floor.unwrap().abs() < 0.02, "{:?}", found.floor);
    assert_eq!(found.flights.len(), 4, "{:?}", found.flights.iter().map(|f| f.span).collect::<Vec<_>>());
    for flight in &found.flights {
        assert!((flight.gravity - 1.0).abs() < 1e-6, "{}", flight.gravity);
    }
}
