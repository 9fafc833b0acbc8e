//! Crowds of one mechanism: same bits in any crowd, conserved quantities of free bodies, and ground contact.

use muybridge::collision::{Obstacle, ObstacleShape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::Random;
use muybridge::math::Width;
use muybridge::ragdoll::{self, RagdollSettings};
use muybridge::rigid::crowd::{Crowd, CrowdError, Settings};
use muybridge::rigid::model::{Collider, Object, Start};
use muybridge::rigid::motion::vector;
use muybridge::rigid::{Body, Model, Momentum, Pose, range};
use muybridge::samples;

/// Humanoids that tumble, each differently.
fn tumbling(count: usize, settings: Settings) -> (Model, Vec<Vec<Start>>, Crowd) {
    let character = samples::mannequin();
    let mut random = Random::new(7);
    let mut model = Model::default();
    let starts: Vec<Vec<Start>> = (0..count)
        .map(|_| {
            let start = ragdoll::RagdollStart::at_rest(&character.skeleton)
                .moved(random.vector() * 10.0, random.rotation())
                .with_velocity(random.vector() * 5.0, random.vector() * 6.0);
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

/// Humanoids that are thrown at the ground, each differently.
fn thrown(count: usize) -> (Model, Vec<Vec<Start>>) {
    let character = samples::mannequin();
    let mut random = Random::new(21);
    let mut model = Model::default();
    let starts = (0..count)
        .map(|_| {
            let start = ragdoll::RagdollStart::at_rest(&character.skeleton)
                .moved(DVec3::Y * 1.5, random.rotation())
                .with_velocity(random.vector() * 3.0, random.vector() * 4.0);
            let ragdoll = ragdoll::rigid(&character, &start, &RagdollSettings::default()).unwrap();
            model = ragdoll.model;
            ragdoll.starts
        })
        .collect();
    model.obstacles.push(Obstacle::ground(0.0).unwrap());
    (model, starts)
}

/// Largest distance between the anchors of a joint (meters) and largest excess of a range (radians).
fn strain(model: &Model, crowd: &Crowd, instance: usize) -> (f64, f64) {
    let sides = |joint: usize| {
        let joint = &model.joints[joint];
        let at = |body: usize| crowd.body(instance, body).0;
        joint.sides(joint.parent.map(at).as_ref(), &at(joint.child))
    };
    let gap = |joint: usize| vector(sides(joint)[1].anchor.minus(sides(joint)[0].anchor)).length();
    let excess = |range: &muybridge::rigid::model::Range| {
        let bounds = range::bounds(&range.bounds, &sides(range.joint));
        bounds.into_iter().flatten().map(|bound| -bound.room).fold(0.0, f64::max)
    };
    let gap = (0..model.joints.len()).map(gap).fold(0.0, f64::max);
    (gap, model.ranges.iter().map(excess).fold(0.0, f64::max))
}

#[test]
fn x10_what_touches_has_the_same_bits_in_any_crowd_at_any_width_and_on_any_threads() {
    let (model, starts) = thrown(35);
    let run = |starts: &[Vec<Start>], width: Width| {
        let mut crowd = Crowd::touching(&model, starts, Settings::default()).unwrap().with_width(width);
        (0..60).for_each(|_| crowd.step(4));
        bits(&crowd, model.bodies.len())
    };
    let expected = run(&starts, Width::widest());
    for width in Width::all() {
        assert_eq!(run(&starts, width), expected, "{width}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("a pool");
    assert_eq!(pool.install(|| run(&starts, Width::widest())), expected);
    let per_instance = expected.len() / 35;
    let alone = run(&starts[29..30], Width::single());
    assert_eq!(alone, expected[29 * per_instance..30 * per_instance]);
}

#[test]
fn w1a_ragdolls_that_land_stay_whole_and_within_their_ranges_gain_nothing_and_come_to_lie() {
    let (model, starts) = thrown(16);
    let mut crowd = Crowd::touching(&model, &starts, Settings::default()).unwrap();
    let energy = |crowd: &Crowd, instance: usize| {
        let weight = |(index, body): (usize, &Body)| 9.81 * body.mass * crowd.body(instance, index).0.place().y;
        crowd.kinetic_energy(instance) + model.bodies.iter().enumerate().map(weight).sum::<f64>()
    };
    let first: Vec<f64> = (0..16).map(|instance| energy(&crowd, instance)).collect();
    for _ in 0..300 {
        crowd.step(4);
        for (instance, &first) in first.iter().enumerate() {
            let (gap, excess) = strain(&model, &crowd, instance);
            assert!(gap < 1e-5 && excess.to_degrees() < 2.0, "{instance}: gap {gap} m, {}°", excess.to_degrees());
            let energy = energy(&crowd, instance);
            // In flight RATTLE is this accurate, see above.
            assert!(energy < first * 1.003, "{instance}: {energy} J of {first}");
        }
    }
    for instance in 0..16 {
        let kinetic = crowd.kinetic_energy(instance);
        assert!(kinetic < 0.5, "{instance} still has {kinetic} J");
        for solid in &model.solids {
            let pose = crowd.body(instance, solid.body).0;
            let lowest = pose.point(solid.position).y;
            assert!(lowest > 0.0 && lowest < 0.6, "{instance}: body {} at {lowest} m", solid.body);
        }
    }
}

#[test]
fn z1_what_may_touch_falls_as_a_stone_does_in_strides_of_any_length() {
    let (mut model, starts) = thrown(3);
    model.obstacles = vec![Obstacle::ground(-100.0).unwrap()];
    // At rest at first, because fast rotation makes large steps.
    let starts: Vec<Vec<Start>> = starts
        .iter()
        .map(|bodies| bodies.iter().map(|start| Start::at(start.position, start.rotation)).collect())
        .collect();
    let mass: f64 = model.bodies.iter().map(|body| body.mass).sum();
    for longest_step in [0.0, 1.0 / 120.0, 1.0 / 60.0] {
        let settings = Settings { longest_step, ..Settings::default() };
        let mut crowd = Crowd::touching(&model, &starts, settings).unwrap();
        let height = |crowd: &Crowd, instance: usize| {
            let at = |(index, body): (usize, &Body)| crowd.body(instance, index).0.place().y * body.mass;
            model.bodies.iter().enumerate().map(at).sum::<f64>() / mass
        };
        let first: Vec<f64> = (0..3).map(|instance| height(&crowd, instance)).collect();
        for (seconds, steps) in [(0.5, 4), (1.0, 3), (1.5, 1)] {
            (0..120 / steps).for_each(|_| crowd.step(steps));
            for (instance, first) in first.iter().enumerate() {
                let fallen = first - height(&crowd, instance);
                let expected = 0.5 * 9.81 * seconds * seconds;
                assert!((fallen - expected).abs() < 1e-4, "{longest_step}, {seconds} s: {fallen} m of {expected}");
            }
        }
    }
}

#[test]
fn ranges_that_are_met_in_the_air_leave_both_momenta() {
    let (mut model, starts) = thrown(8);
    model.obstacles.clear();
    let settings = Settings { gravity: DVec3::ZERO, ..Settings::default() };
    let mut crowd = Crowd::touching(&model, &starts, settings).unwrap();
    let kept = |crowd: &Crowd, instance: usize| {
        let of = |body: usize| {
            let (pose, momentum) = crowd.body(instance, body);
            let linear = vector(momentum.linear);
            [linear, pose.place().cross(linear) + vector(momentum.angular)]
        };
        (0..model.bodies.len()).map(of).fold([DVec3::ZERO; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    };
    crowd.step(1);
    let first: Vec<_> = (0..8).map(|instance| kept(&crowd, instance)).collect();
    let mut met = 0.0_f64;
    for _ in 0..100 {
        crowd.step(4);
        for (instance, first) in first.iter().enumerate() {
            let now = kept(&crowd, instance);
            for momentum in 0..2 {
                let lost = (now[momentum] - first[momentum]).length() / first[momentum].length();
                // In 400 steps every momentum is rounded to 24 bits some ten times, by 3e-8 of it on average: √4000 ·
                // 3e-8 = 2e-6 for one body with independent errors, five times that for all.
                assert!(lost < 1e-5, "{instance}: {lost}");
            }
            let (gap, excess) = strain(&model, &crowd, instance);
            assert!(gap < 1e-5 && excess.to_degrees() < 2.0, "{instance}: gap {gap} m, {}°", excess.to_degrees());
            met = met.max(excess);
        }
    }
    assert!(met > 0.0, "no range was met");
}

/// A cube of a kilogram on an inclined plane with a friction coefficient.
fn on_a_slope(rise: f64, friction: f64) -> Crowd {
    let turn = DQuat::from_rotation_z(rise);
    let half_extents = DVec3::splat(0.1);
    let solid = Collider {
        body: 0,
        object: 0,
        shape: ObstacleShape::Box { half_extents },
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    let slope = Obstacle::half_space(DVec3::ZERO, turn * DVec3::Y).unwrap().with_friction(friction);
    let model = Model {
        bodies: vec![Body::new(1.0, DVec3::splat(0.02 / 3.0)).unwrap()],
        solids: vec![solid],
        obstacles: vec![slope],
        objects: vec![Object { friction, ..Object::default() }],
        ..Model::default()
    };
    let start = Start::at(turn * DVec3::Y * 0.1, turn);
    Crowd::touching(&model, &[vec![start]], Settings::default()).unwrap()
}

#[test]
fn h17_a_cube_stays_on_a_slope_within_the_angle_of_friction_and_slides_as_coulomb_says_beyond() {
    let rise = 0.4_f64;
    let mut stays = on_a_slope(rise, rise.tan() + 0.1);
    let before = stays.body(0, 0).0.place();
    stays.step(480);
    let crept = (stays.body(0, 0).0.place() - before).length();
    assert!(crept < 5e-3, "{crept} m in two seconds");

    let friction = 0.2;
    let mut slides = on_a_slope(rise, friction);
    slides.step(240);
    let (pose, momentum) = slides.body(0, 0);
    let speed = vector(momentum.linear).length();
    let expected = 9.81 * (rise.sin() - friction * rise.cos());
    assert!((speed / expected - 1.0).abs() < 0.01, "{speed} m/s after a second, {expected} by theory");
    assert!(pose.turn().angle_between(DQuat::from_rotation_z(rise)) < 1e-3);
}

#[test]
fn a_ball_that_gives_back_half_its_speed_rises_to_a_quarter() {
    let shape = ObstacleShape::Sphere { radius: 0.1 };
    let solid = Collider { body: 0, object: 0, shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY };
    let model = Model {
        bodies: vec![Body::new(2.0, DVec3::splat(0.008)).unwrap()],
        solids: vec![solid],
        obstacles: vec![Obstacle::ground(0.0).unwrap()],
        objects: vec![Object { restitution: 0.5, ..Object::default() }],
        ..Model::default()
    };
    let start = Start::at(DVec3::Y * 1.1, DQuat::IDENTITY);
    let mut crowd = Crowd::touching(&model, &[vec![start]], Settings::default()).unwrap();
    // The cube lands after √(2 m/g) = 0.452 s and is at its top half that time later; then it falls.
    crowd.step(115);
    let mut top = 0.0_f64;
    for _ in 0..100 {
        crowd.step(1);
        top = top.max(crowd.body(0, 0).0.place().y - 0.1);
    }
    assert!((top - 0.25).abs() < 0.02, "{top} m");
}

#[test]
fn what_a_crowd_cannot_touch_is_said_in_a_sentence() {
    let (model, starts) = thrown(1);
    let refused = |change: &dyn Fn(&mut Model)| {
        let mut model = model.clone();
        change(&mut model);
        Crowd::touching(&model, &starts, Settings::default()).unwrap_err()
    };
    let round = Obstacle::sphere(DVec3::ZERO, 1.0).unwrap();
    assert_eq!(refused(&|model| model.obstacles.push(round.clone())), CrowdError::Obstacle { obstacle: 1 });
    let cylinder = ObstacleShape::Cylinder { radius: 0.1, half_length: 0.1 };
    assert_eq!(refused(&|model| model.solids[2].shape = cylinder.clone()), CrowdError::Solid { solid: 2 });
    assert_eq!(refused(&|model| model.joints[3].compliance = 1e-6), CrowdError::Joint { joint: 3 });
    let error = refused(&|model| model.obstacles[0].velocity = DVec3::X).to_string();
    assert!(error.starts_with("obstacle 0 is not a half-space at rest"), "{error}");
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
