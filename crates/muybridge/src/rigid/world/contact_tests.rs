//! Boxes, balls and rods in contact, against theory.

use glam::{DQuat, DVec3};

use super::*;
use crate::collision::shape::Shape;
use crate::collision::{MassProperties, Obstacle, ObstacleShape};
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::model::{Collider, Object};
use crate::rigid::{Body, BroadPhase, NarrowPhase, state};

const G: f64 = 9.81;

/// Model of colliders of density 1000 above a ground plane, each an object of its own.
pub(super) fn heap(shapes: &[Shape], object: Object) -> Model {
    let mut model =
        Model { obstacles: vec![Obstacle::ground(0.0).unwrap().with_friction(object.friction)], ..Model::default() };
    for (index, shape) in shapes.iter().enumerate() {
        let properties = MassProperties::of_shape(shape, 1000.0);
        let moments = DVec3::new(properties.inertia.x_axis.x, properties.inertia.y_axis.y, properties.inertia.z_axis.z);
        model.bodies.push(Body::new(properties.mass, moments).unwrap());
        model.objects.push(object);
        let shape = match *shape {
            Shape::Box { half_extents } => ObstacleShape::Box { half_extents },
            Shape::Capsule { radius, half_length } => ObstacleShape::Capsule { radius, half_length },
            Shape::Sphere { radius } => ObstacleShape::Sphere { radius },
            _ => unreachable!("not used here"),
        };
        model.solids.push(Collider {
            body: index,
            object: index,
            shape,
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
        });
    }
    model
}

pub(super) fn cube(half: f64) -> Shape {
    Shape::Box { half_extents: DVec3::splat(half) }
}

fn depth(world: &World) -> f64 {
    world.contacts().iter().map(|contact| -contact.gap).fold(0.0, f64::max)
}

#[test]
fn h17_a_box_that_rests_on_a_face_does_not_turn_in_ten_seconds() {
    let model = heap(&[cube(0.2)], Object::default());
    let start = Start::at(DVec3::Y * 0.2, exp(DVec3::Y * 0.7));
    let mut world = World::new(model, &[start], Settings { rest_steps: 0, ..Settings::default() }).unwrap();
    for _ in 0..600 {
        world.step();
        let turned = (world.state.poses[0].turn() * start.rotation.conjugate()).xyz().length() * 2.0;
        assert!(turned < 1e-6, "{turned}");
    }
    assert!((world.state.poses[0].place().y - 0.2).abs() < 1.1e-3);
}

#[test]
fn h24_what_falls_a_metre_is_never_deeper_than_5_mm() {
    let mut random = Random::new(4);
    for shape in [cube(0.15), Shape::Capsule { radius: 0.1, half_length: 0.2 }, Shape::Sphere { radius: 0.2 }] {
        for _ in 0..5 {
            let model = heap(core::slice::from_ref(&shape), Object::default());
            let start = Start {
                angular_velocity: random.vector() * 3.0,
                ..Start::at(DVec3::Y * 1.3, exp(random.vector() * 2.0))
            };
            let mut world = World::new(model, &[start], Settings::default()).unwrap();
            for _ in 0..240 {
                world.step();
                assert!(depth(&world) <= 5e-3, "{}", depth(&world));
            }
        }
    }
}

#[test]
fn j36_a_box_at_3_m_s_slides_0_9174_m_with_friction_one_half() {
    let model = heap(&[cube(0.1)], Object { friction: 0.5, ..Object::default() });
    let start = Start { velocity: DVec3::X * 3.0, ..Start::at(DVec3::Y * 0.1, DQuat::IDENTITY) };
    let mut world = World::new(model, &[start], Settings { substeps: 10, ..Settings::default() }).unwrap();
    for _ in 0..120 {
        world.step();
    }
    let slid = world.state.poses[0].place().x;
    assert!((slid / 0.9174 - 1.0).abs() < 5e-3, "{slid}");
}

#[test]
fn a_box_on_a_slope_stays_below_the_angle_of_friction_and_slides_above() {
    for (slope, slides) in [(0.4, false), (0.6, true)] {
        let up = DVec3::new(-libm::sin(slope), libm::cos(slope), 0.0);
        let mut model = heap(&[cube(0.1)], Object { friction: 0.5, ..Object::default() });
        // Friction angle tan⁻¹ 0.5 = 0.4636.
        model.obstacles[0] = Obstacle::half_space(DVec3::ZERO, up).unwrap().with_friction(0.5);
        let turn = exp(DVec3::Z * slope);
        let mut world = World::new(model, &[Start::at(up * 0.1, turn)], Settings::default()).unwrap();
        for _ in 0..120 {
            world.step();
        }
        let moved = world.state.poses[0].place().distance(up * 0.1);
        let expected = 0.5 * 4.0 * G * (libm::sin(slope) - 0.5 * libm::cos(slope));
        assert!(if slides { (moved / expected - 1.0).abs() < 0.02 } else { moved < 2e-3 }, "{slope} {moved}");
    }
}

#[test]
fn h18_a_particle_hits_the_end_of_a_rod_as_the_closed_form_says() {
    // 1 kg at 1 m/s against the end of a free rod of 1 kg and 1 m: j = 0.2 N s, rod 0.2 m/s and 1.2 rad/s.
    let mut model = heap(
        &[Shape::Sphere { radius: 0.01 }, Shape::Capsule { radius: 0.01, half_length: 0.5 }],
        Object { friction: 0.0, ..Object::default() },
    );
    model.obstacles.clear();
    model.bodies[0] = Body::new(1.0, DVec3::splat(1e-4)).unwrap();
    model.bodies[1] = Body::new(1.0, DVec3::new(1.0 / 12.0, 1e-4, 1.0 / 12.0)).unwrap();
    let starts = [
        Start { velocity: DVec3::X, ..Start::at(DVec3::new(-0.0201, 0.5, 0.0), DQuat::IDENTITY) },
        Start::at(DVec3::ZERO, DQuat::IDENTITY),
    ];
    let settings =
        Settings { gravity: DVec3::ZERO, rest_steps: 0, time_step: 1e-3, substeps: 1, ..Settings::default() };
    let mut world = World::new(model, &starts, settings).unwrap();
    for _ in 0..3 {
        world.step();
    }
    let [particle, rod] = [0, 1].map(|body: usize| {
        world.state.momenta[body].velocities(&world.model.bodies[body], world.state.poses[body].turn())
    });
    assert!((particle.0.x - 0.8).abs() < 1e-3 && (rod.0.x - 0.2).abs() < 1e-3, "{} {}", particle.0, rod.0);
    assert!((rod.1.z + 1.2).abs() < 5e-3, "{}", rod.1);
}

#[test]
fn j6_a_ball_with_restitution_one_half_comes_back_to_a_quarter() {
    for height in [0.5, 1.0, 2.0] {
        let model = heap(&[Shape::Sphere { radius: 0.1 }], Object { restitution: 0.5, ..Object::default() });
        let settings = Settings { time_step: 1.0 / 240.0, substeps: 4, ..Settings::default() };
        let mut world = World::new(model, &[Start::at(DVec3::Y * (height + 0.1), DQuat::IDENTITY)], settings).unwrap();
        let (mut highest, mut has_hit) = (0.0_f64, false);
        for _ in 0..(240.0 * (libm::sqrt(2.0 * height / G) * 2.0)) as u32 {
            world.step();
            let v = vector(world.state.momenta[0].linear).y;
            has_hit |= v > 0.0;
            if has_hit {
                highest = highest.max(world.state.poses[0].place().y - 0.1);
            }
        }
        assert!((highest / (0.25 * height) - 1.0).abs() < 0.03, "{height} {highest}");
    }
}

#[test]
fn h18_a_ball_that_loses_nothing_keeps_its_energy_through_twenty_seconds_of_bounces() {
    for rate in [60.0, 240.0, 1000.0] {
        let model =
            heap(&[Shape::Sphere { radius: 0.1 }], Object { restitution: 1.0, friction: 0.0, ..Object::default() });
        let settings = Settings { time_step: 1.0 / rate, ..Settings::default() };
        let mut world = World::new(model, &[Start::at(DVec3::Y * 2.0, DQuat::IDENTITY)], settings).unwrap();
        let energy = |world: &World| {
            let (pose, body) = (&world.state.poses[0], &world.model.bodies[0]);
            world.state.momenta[0].kinetic_energy(body, pose.turn()) + body.mass * G * pose.place().y
        };
        let start = energy(&world);
        for step in 0..(20.0 * rate) as u32 {
            world.step();
            let share = energy(&world) / start;
            assert!((0.98..1.001).contains(&share), "{rate} Hz, step {step}: {share}");
        }
    }
}

#[test]
fn what_turns_round_at_the_top_or_drifts_without_weight_does_not_fall_asleep() {
    // A ball thrown up at 4 mm/s under a gravity of 2 mm/s² stays below the sleep threshold for seconds; without
    // gravity it drifts forever.
    for (gravity, speed) in [(DVec3::Y * -0.002, DVec3::Y * 0.004), (DVec3::ZERO, DVec3::X * 0.04)] {
        let model = heap(&[Shape::Sphere { radius: 0.1 }], Object::default());
        let mut start = Start::at(DVec3::Y * 2.0, DQuat::IDENTITY);
        start.velocity = speed;
        let mut world = World::new(model, &[start], Settings { gravity, ..Settings::default() }).unwrap();
        for _ in 0..600 {
            world.step();
        }
        let exact = DVec3::Y * 2.0 + speed * 10.0 + 0.5 * gravity * 100.0;
        let off = world.state.poses[0].place() - exact;
        assert!(world.state.asleep[0].is_none() && off.length() < 1e-3, "{gravity} {off}");
    }
}

#[test]
fn a_stack_of_ten_boxes_stands_and_sleeps() {
    let model = heap(&vec![cube(0.1); 10], Object::default());
    let starts: Vec<Start> =
        (0..10).map(|i| Start::at(DVec3::Y * (0.1 + 0.2 * f64::from(i)), DQuat::IDENTITY)).collect();
    let mut world = World::new(model, &starts, Settings::default()).unwrap();
    for _ in 0..600 {
        world.step();
    }
    for (pose, start) in world.state.poses.iter().zip(&starts) {
        assert!(pose.place().distance(start.position) < 0.02, "{} {}", pose.place(), start.position);
    }
    assert!(world.state.asleep.iter().all(Option::is_some), "{:?}", world.state.rest);
}

#[test]
fn a_heap_of_thrown_boxes_and_capsules_comes_to_rest_gains_no_energy_and_sleeps() {
    let mut random = Random::new(12);
    let shapes: Vec<Shape> = (0..24)
        .map(|i| if i % 2 == 0 { cube(0.12) } else { Shape::Capsule { radius: 0.08, half_length: 0.15 } })
        .collect();
    // Without damping a capsule on flat ground would roll forever.
    let model = heap(&shapes, Object { drag: 0.5, ..Object::default() });
    let starts: Vec<Start> = (0..24)
        .map(|i| Start {
            velocity: random.vector() * 2.0,
            angular_velocity: random.vector() * 5.0,
            ..Start::at(
                DVec3::new(f64::from(i % 2) * 0.4, 0.5 + 0.4 * f64::from(i / 4), f64::from(i / 2 % 2) * 0.4),
                exp(random.vector() * 2.0),
            )
        })
        .collect();
    let mut world = World::new(model, &starts, Settings::default()).unwrap();
    let energy = |world: &World| {
        state::kinetic_energy(&world.model, &world.state)
            + state::potential_energy(&world.model, &world.state, world.settings.gravity)
    };
    let (mut last, mut deepest) = (energy(&world), 0.0_f64);
    let first = last;
    for step in 0..900 {
        world.step();
        let now = energy(&world);
        assert!(now <= last + 0.01 * first, "step {step}: {last} → {now}");
        last = now;
        deepest = deepest.max(depth(&world));
    }
    assert!(deepest < 0.02, "{deepest}");
    assert_eq!(world.report().put_back, 0);
    let awake = world.state.asleep.iter().filter(|group| group.is_none()).count();
    assert_eq!(awake, 0, "{:?}", world.state.rest);
}

#[test]
fn j37_what_flies_at_100_m_s_stops_at_a_wall_of_a_centimetre() {
    let mut model = heap(&[Shape::Sphere { radius: 0.02 }], Object::default());
    model.obstacles[0] = Obstacle::cuboid(DVec3::X, DQuat::IDENTITY, DVec3::new(0.005, 5.0, 5.0)).unwrap();
    for offset in 0..20 {
        let position = DVec3::new(-0.1 * f64::from(offset), 0.0, 0.0);
        let start = Start { velocity: DVec3::X * 100.0, ..Start::at(position, DQuat::IDENTITY) };
        let mut world = World::new(model.clone(), &[start], Settings::default()).unwrap();
        for _ in 0..10 {
            world.step();
        }
        assert!(world.state.poses[0].place().x < 0.99, "{}", world.state.poses[0].place());
    }
}

#[test]
fn x10_two_runs_have_the_same_bits() {
    let run = || {
        let mut random = Random::new(2);
        let model = heap(&vec![cube(0.1); 8], Object::default());
        let starts: Vec<Start> =
            (0..8).map(|i| Start::at(DVec3::Y * (0.3 + 0.25 * f64::from(i)), exp(random.vector()))).collect();
        let mut world = World::new(model, &starts, Settings::default()).unwrap();
        (0..120).for_each(|_| world.step());
        world.state.poses.iter().map(|pose| (pose.place(), pose.turn())).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

/// Cubes above each other, thrown together.
fn pile(settings: Settings) -> World {
    let mut random = Random::new(14);
    let shapes: Vec<Shape> = (0..12).map(|_| Shape::Box { half_extents: random.vector().abs() * 0.1 + 0.05 }).collect();
    let starts: Vec<Start> = (0..12)
        .map(|level| {
            let place = random.vector() * 0.1 + DVec3::Y * (0.3 + 0.25 * f64::from(level));
            Start { angular_velocity: random.vector(), ..Start::at(place, random.rotation()) }
        })
        .collect();
    World::new(heap(&shapes, Object::default()), &starts, settings).unwrap()
}

#[test]
fn h14_sorted_lists_find_what_the_tree_of_boxes_finds_bit_for_bit_through_a_pile_that_falls_and_sleeps() {
    let mut tree = pile(Settings::default());
    let mut sorted = pile(Settings { broad_phase: BroadPhase::SortAndSweep, ..Settings::default() });
    for step in 0..300 {
        tree.step();
        sorted.step();
        assert_eq!(tree.state, sorted.state, "{step}");
    }
    assert!(tree.state.asleep.iter().filter(|asleep| asleep.is_some()).count() > 6);
}

#[test]
fn h16_boxes_thrown_together_touch_by_points_and_edges_without_gaining_energy_or_sinking() {
    let settings = Settings { narrow_phase: NarrowPhase::PointsAndEdges, substeps: 8, ..Settings::default() };
    let mut world = pile(settings);
    let energy = |world: &World| -> f64 {
        let of = |((pose, momentum), body): ((&Pose<f64>, &Momentum<f64>), &Body)| {
            momentum.kinetic_energy(body, pose.turn()) + body.mass * G * pose.place().y
        };
        world.state.poses.iter().zip(&world.state.momenta).zip(&world.model.bodies).map(of).sum()
    };
    let start = energy(&world);
    let mut touched = 0;
    for _ in 0..300 {
        world.step();
        touched += world.contacts().len();
        assert!(energy(&world) < start * (1.0 + 1e-9), "{} {start}", energy(&world));
    }
    assert!(touched > 1000, "{touched}");
    // A contact point lost between two edges is found again by the next step; no box falls through.
    for pose in &world.state.poses {
        assert!(pose.place().y > 0.02, "{}", pose.place());
    }
}

#[test]
fn h17_averaged_to_one_point_a_box_on_a_face_rocks_where_manifolds_hold_it() {
    let turned = |narrow_phase: NarrowPhase| {
        let settings = Settings { narrow_phase, rest_steps: 0, ..Settings::default() };
        let tilted = exp(DVec3::Z * 0.02);
        let model = heap(&[Shape::Box { half_extents: DVec3::new(0.4, 0.1, 0.4) }], Object::default());
        let mut world = World::new(model, &[Start::at(DVec3::Y * 0.11, tilted)], settings).unwrap();
        let mut most = 0.0_f64;
        for step in 0..240 {
            world.step();
            let up = world.state.poses[0].turn() * DVec3::Y;
            if step > 120 {
                most = most.max(libm::acos(up.y.min(1.0)));
            }
        }
        most
    };
    let (held, rocks) = (turned(NarrowPhase::Manifolds), turned(NarrowPhase::Averaged));
    assert!(held < 1e-4 && rocks > 1e-3, "{held} {rocks}");
}

/// A flat floor of 800 triangles from −5 to 5, rotated by `slope` about z.
fn floor(slope: f64) -> Obstacle {
    let at = |i: usize| DVec3::new((i % 21) as f64 * 0.5 - 5.0, 0.0, (i / 21) as f64 * 0.5 - 5.0);
    let points: Vec<DVec3> = (0..441).map(|i| exp(DVec3::Z * slope) * at(i)).collect();
    let cells = (0..400).map(|i| i / 20 * 21 + i % 20);
    let triangles: Vec<[usize; 3]> = cells.flat_map(|i| [[i, i + 21, i + 22], [i, i + 22, i + 1]]).collect();
    Obstacle::mesh(&points, &triangles).unwrap()
}

#[test]
fn a_box_slides_over_a_mesh_as_over_a_plane() {
    let mut model = heap(&[cube(0.2)], Object { friction: 0.0, ..Object::default() });
    model.obstacles[0] = floor(0.0).with_friction(0.0);
    let start =
        Start { velocity: DVec3::new(2.0, 0.0, 0.7), ..Start::at(DVec3::new(-3.0, 0.2, -1.0), DQuat::IDENTITY) };
    let mut world = World::new(model, &[start], Settings::default()).unwrap();
    for step in 1..=120 {
        world.step();
        let place = world.state.poses[0].place();
        let expected = start.position + start.velocity * (f64::from(step) / 60.0);
        assert!((place - expected).length() < 2e-3, "{step}: {place} {expected}");
    }
}

#[test]
fn a_ball_rolls_down_a_mesh_with_five_sevenths_of_the_slope() {
    let slope = 0.2;
    let mut model = heap(&[Shape::Sphere { radius: 0.25 }], Object { friction: 0.8, ..Object::default() });
    model.obstacles[0] = floor(slope).with_friction(0.8);
    let turn = exp(DVec3::Z * slope);
    let start = turn * DVec3::new(4.0, 0.25, 0.1);
    let mut world = World::new(model, &[Start::at(start, DQuat::IDENTITY)], Settings::default()).unwrap();
    for _ in 0..90 {
        world.step();
    }
    let rolled = (world.state.poses[0].place() - start).dot(turn * -DVec3::X);
    let expected = 0.5 * 5.0 / 7.0 * G * libm::sin(slope) * 1.5 * 1.5;
    assert!((rolled / expected - 1.0).abs() < 0.02, "{rolled} {expected}");
}
