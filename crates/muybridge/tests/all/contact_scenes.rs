//! Contact in running worlds: boxes that tumble, stack and slide, colliding ropes and capsules, crossing legs.

use muybridge::collision::shape::Shape;
use muybridge::collision::{MassProperties, Obstacle};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::Random;
use muybridge::particles::contact::{Ahead, Contacts, ParticleMotion};
use muybridge::particles::frame::TriangleFrame;
use muybridge::particles::{
    Anchor, BallJoint, Core, Distance, Model, Object, Placement, Point, RigidBody, Settings, Surface, World,
};

const FRAME: f64 = 1.0 / 60.0;

struct Scene {
    world: World,
}

impl Scene {
    fn new(model: Model, obstacles: Vec<Obstacle>) -> Self {
        let settings = Settings { time_step: FRAME, rest_steps: 0, ..Settings::default() };
        let mut world = World::new(model, settings).expect("a sound model");
        world.obstacles = obstacles;
        Self { world }
    }

    fn frame(&mut self) {
        self.world.step();
    }

    fn run(&mut self, seconds: f64) {
        (0..(seconds / FRAME) as usize).for_each(|_| self.frame());
    }

    fn point(&self, point: &Point) -> DVec3 {
        point.position(&self.world.state.positions)
    }

    fn fastest(&self) -> f64 {
        (0..self.world.state.positions.len()).map(|i| self.world.velocity(i).length()).fold(0.0, f64::max)
    }
}

fn object(model: &Model, first: usize, friction: f64) -> Object {
    Object { touches_itself: true, friction, ..Object::smooth(first..model.positions.len()) }
}

/// Adds a box of 500 kg/m³ with its eight corners and twelve triangles as colliders; returns its corners.
fn add_box(model: &mut Model, half: DVec3, placement: &Placement, friction: f64) -> Vec<Point> {
    let properties = MassProperties::of_shape(&Shape::Box { half_extents: half }, 500.0);
    let body = RigidBody::new(&properties).expect("a box has inertia");
    let first = body.add_to(model, placement);
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        body.point(first, half * DVec3::new(sign(0), sign(1), sign(2)))
    };
    let corners: Vec<Point> = (0..8).map(corner).collect();
    let index = model.objects.len();
    model.objects.push(object(model, first, friction));
    for [a, b, c] in [
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ] {
        let core = Core::Triangle([corners[a], corners[b], corners[c]]);
        model.surfaces.push(Surface { core, radius: 0.005, object: index, part: index });
    }
    corners
}

#[test]
fn a_box_tumbling_in_a_room_stays_inside_gains_no_energy_and_comes_to_rest() {
    let mut model = Model::default();
    let mut placement = Placement::at(DVec3::new(0.0, 1.5, 0.0), DQuat::from_rotation_x(0.5));
    (placement.velocity, placement.angular_velocity) = (DVec3::new(4.0, 1.0, -3.0), DVec3::new(5.0, -7.0, 3.0));
    let corners = add_box(&mut model, DVec3::new(0.3, 0.2, 0.1), &placement, 0.5);
    let room = Obstacle::room(DVec3::new(-1.0, 0.0, -1.0), DVec3::new(1.0, 3.0, 1.0)).unwrap();
    let mut scene = Scene::new(model, vec![room]);
    let mut energy = f64::INFINITY;
    let mut outside: f64 = 0.0;
    for _ in 0..600 {
        scene.frame();
        let now = scene.world.energy();
        assert!(now <= energy * (1.0 + 1e-3) + 0.05, "{now} {energy}");
        energy = energy.min(now);
        for corner in &corners {
            let p = scene.point(corner);
            outside = outside.max(-p.y).max(p.x.abs() - 1.0).max(p.z.abs() - 1.0);
        }
    }
    println!("outside {outside}, fastest {}, edge {}", scene.fastest(), scene.world.worst_stretch());
    assert!(outside < 0.005, "{outside}");
    assert!(scene.fastest() < 0.01, "{}", scene.fastest());
}

#[test]
fn a_stack_of_five_boxes_stands() {
    let mut model = Model::default();
    let stack: Vec<Vec<Point>> = (0..5)
        .map(|i| {
            let place = DVec3::new(0.01 * f64::from(i % 2), 0.206 + 0.411 * f64::from(i), 0.0);
            add_box(&mut model, DVec3::splat(0.2), &Placement::at(place, DQuat::IDENTITY), 0.6)
        })
        .collect();
    let mut scene = Scene::new(model, vec![Obstacle::ground(0.0).unwrap().with_friction(0.6)]);
    scene.world.settings.iterations = 4;
    scene.run(4.0);
    println!("stack fastest {}", scene.fastest());
    for (i, corners) in stack.iter().enumerate() {
        let middle = corners.iter().map(|p| scene.point(p)).sum::<DVec3>() / 8.0;
        // Two skins of 5 mm between boxes, one skin at the ground.
        let expected = DVec3::new(0.01 * (i % 2) as f64, 0.205 + 0.41 * i as f64, 0.0);
        assert!(middle.distance(expected) < 0.01, "{i}: {middle} {expected}");
    }
}

#[test]
fn j36_a_box_on_a_slope_stays_below_its_friction_and_slides_above() {
    for (slope, holds) in [(0.45, true), (0.6, false)] {
        let mut model = Model::default();
        let turn = DQuat::from_rotation_z(libm::atan(slope));
        let up = turn * DVec3::Y;
        let corners = add_box(&mut model, DVec3::new(0.3, 0.1, 0.2), &Placement::at(up * 0.106, turn), 0.5);
        let ground = Obstacle::half_space(DVec3::ZERO, up).unwrap().with_friction(0.5);
        let mut scene = Scene::new(model, vec![ground]);
        scene.run(0.5);
        let start = scene.point(&corners[0]);
        scene.run(1.0);
        let moved = scene.point(&corners[0]).distance(start);
        let (sine, cosine) = (up.x.abs(), up.y);
        // The expected slide starts from rest half a second earlier.
        let slid = 0.5 * 9.81 * (sine - 0.5 * cosine) * (1.5 * 1.5 - 0.5 * 0.5);
        println!("{slope}: {moved} {slid}");
        assert!(if holds { moved < 0.002 } else { (moved / slid - 1.0).abs() < 0.05 }, "{slope}: {moved} {slid}");
    }
}

fn rope(model: &mut Model, ends: [DVec3; 2], links: usize, radius: f64) -> usize {
    let first = model.positions.len();
    for i in 0..=links {
        model.positions.push(ends[0].lerp(ends[1], i as f64 / links as f64));
    }
    model.velocities.resize(model.positions.len(), DVec3::ZERO);
    model.masses.resize(model.positions.len(), 0.05);
    let length = ends[0].distance(ends[1]) / links as f64;
    let index = model.objects.len();
    model.objects.push(object(model, first, 0.8));
    for i in first..first + links {
        model.distances.push(Distance::rigid([i, i + 1], length));
        let core = Core::Segment([Point::at(i), Point::at(i + 1)]);
        model.surfaces.push(Surface { core, radius, object: index, part: i });
    }
    first
}

#[test]
fn a_rope_dropped_over_a_ball_hangs_on_it() {
    let mut model = Model::default();
    rope(&mut model, [DVec3::new(-0.5, 0.6, 0.0), DVec3::new(0.5, 0.6, 0.0)], 30, 0.01);
    let ball = Obstacle::sphere(DVec3::ZERO, 0.4).unwrap().with_friction(1.0);
    let mut scene = Scene::new(model, vec![ball]);
    let mut inside: f64 = 0.0;
    for _ in 0..300 {
        scene.frame();
        for pair in scene.world.state.positions.windows(2) {
            inside = inside.max(0.41 - pair[0].lerp(pair[1], 0.5).length()).max(0.41 - pair[0].length());
        }
    }
    let state = &scene.world.state.positions;
    println!("inside {inside}, ends {} {}, fastest {}", state[0], state[30], scene.fastest());
    assert!(inside < 0.001, "{inside}");
    // Half a meter of rope on each side of the top, wound around a circle of 0.41 m.
    let height = 0.41 * libm::cos(0.5 / 0.41);
    assert!((state[0].y - height).abs() < 0.005 && (state[30].y - height).abs() < 0.005, "{height}");
}

#[test]
fn two_capsules_that_are_thrown_at_each_other_never_pass_through() {
    let mut random = Random::new(11);
    for speed in [2.0, 10.0, 40.0, 150.0] {
        for _ in 0..20 {
            let mut model = Model::default();
            for side in [-1.0, 1.0] {
                let axis = if side < 0.0 { DVec3::Y } else { DVec3::Z } + random.vector() * 0.3;
                let center = DVec3::new(0.5 * side, 0.0, 0.0) + random.vector() * 0.02;
                rope(&mut model, [center - axis * 0.5, center + axis * 0.5], 1, 0.03);
                model.velocities.truncate(model.positions.len() - 2);
                model.velocities.extend([DVec3::X * (-side * speed); 2]);
            }
            let mut scene = Scene::new(model, Vec::new());
            scene.world.settings.gravity = DVec3::ZERO;
            let h = scene.world.settings.time_step / 16.0;
            (scene.world.settings.time_step, scene.world.settings.substeps) = (h, 1);
            // Twice the time they need to meet: without contact they would have changed sides.
            for _ in 0..(1.0 / speed / h) as usize {
                scene.frame();
                let p = &scene.world.state.positions;
                let side = (p[1] - p[0]).cross(p[3] - p[2]).dot(p[2] - p[0]);
                assert!(side > 0.0, "{speed}: {p:?}");
            }
            let approach = (scene.world.velocity(0) + scene.world.velocity(1)).x;
            assert!(approach < 0.2 * speed, "{speed}: they have met: {approach}");
        }
    }
}

#[test]
fn r24_a_contact_on_a_hull_moves_as_the_map_of_the_triangle_predicts() {
    let mut random = Random::new(24);
    for _ in 0..200 {
        let mut model = Model::default();
        let placement = Placement {
            position: random.vector(),
            rotation: random.rotation(),
            velocity: random.vector() * 3.0,
            angular_velocity: random.vector() * 5.0,
        };
        let corners = add_box(&mut model, DVec3::new(0.3, 0.2, 0.1), &placement, 0.0);
        let triangle = [0, 1, 2].map(|i| model.positions[i]);
        let frame = TriangleFrame::at(triangle);
        for corner in &corners {
            let place = corner.position(&model.positions);
            let maps: [DMat3; 3] = frame.point_matrices(place);
            let predicted: DVec3 = (0..3).map(|i| maps[i] * model.velocities[i]).sum();
            let rigid = placement.velocity + placement.angular_velocity.cross(place - placement.position);
            assert!((corner.position(&model.velocities) - predicted).length() < 1e-9);
            assert!((predicted - rigid).length() < 1e-9);
        }
    }
}

/// Two legs of two capsules each, hanging from hips 0.2 m apart.
fn legs() -> Model {
    let mut model = Model::default();
    for side in [-1.0, 1.0] {
        let first = model.positions.len();
        model.positions.extend([1.0, 0.55, 0.1].map(|height| DVec3::new(0.1 * side, height, 0.0)));
        for i in 0..2 {
            let core = Core::Segment([Point::at(first + i), Point::at(first + i + 1)]);
            model.surfaces.push(Surface { core, radius: 0.05, object: 0, part: first + i });
            model.distances.push(Distance::rigid([first + i, first + i + 1], 0.45));
        }
    }
    model.velocities = vec![DVec3::ZERO; 6];
    model.masses = vec![f64::INFINITY, 3.0, 2.0, f64::INFINITY, 3.0, 2.0];
    model.objects.push(object(&model, 0, 0.0));
    model
}

#[test]
fn r28_knees_and_shins_never_come_closer_than_their_skins_in_10000_random_poses() {
    let (model, mut random) = (legs(), Random::new(28));
    let mut scene = Scene::new(model.clone(), Vec::new());
    scene.world.settings.gravity = DVec3::ZERO;
    scene.world.settings.iterations = 4;
    let mut nearest = f64::INFINITY;
    for _ in 0..10_000 {
        // Every particle is thrown toward a random pose.
        let state = &mut scene.world.state;
        for i in [1, 2, 4, 5] {
            let reach = if i % 3 == 1 { 0.45 } else { 0.9 };
            let hip = model.positions[i - i % 3];
            let goal = hip + DVec3::new(random.signed(), -random.unit(), random.signed()).normalize() * reach;
            let speed = ((goal - state.positions[i]) * 4.0).clamp_length_max(8.0);
            state.previous[i] = state.positions[i] - speed * scene.world.settings.substep();
        }
        scene.frame();
        let p = &scene.world.state.positions;
        for a in [[0, 1], [1, 2]] {
            for b in [[3, 4], [4, 5]] {
                let [first, second] = [a, b].map(|pair| pair.map(|i| p[i]));
                let [s, t] = muybridge::collision::segment::parameters(first, second);
                let apart = first[0].lerp(first[1], s).distance(second[0].lerp(second[1], t));
                nearest = nearest.min(apart);
            }
        }
    }
    println!("nearest {nearest}");
    assert!(nearest > 0.1 - 0.001, "{nearest}");
}

#[test]
fn a_hanging_chain_of_bodies_touches_nothing_it_is_joined_to() {
    let mut model = Model::default();
    let half = DVec3::new(0.1, 0.2, 0.1);
    let mut links: Vec<Vec<Point>> = Vec::new();
    for i in 0..3 {
        let place = DVec3::new(0.0, -0.3 * f64::from(i), 0.0);
        links.push(add_box(&mut model, half, &Placement::at(place, DQuat::IDENTITY), 0.5));
    }
    for pair in links.windows(2) {
        let attachment = BallJoint { a: pair[0][0], b: Anchor::Point(pair[1][2]), compliance: 0.0 };
        model.attachments.push(attachment);
    }
    let mut contacts = Contacts::new(&model);
    let inverse_masses: Vec<f64> = model.masses.iter().map(|mass| 1.0 / mass).collect();
    let (positions, previous) = (&model.positions[..], &model.positions[..]);
    let motion = ParticleMotion { positions, previous, inverse_masses: &inverse_masses };
    let ahead = Ahead { seconds: FRAME, last_substep: 0.0, gravity: DVec3::ZERO };
    contacts.find(&[], &motion, &ahead, &vec![false; positions.len()]);
    for [a, b] in contacts.may_meet() {
        assert_eq!((a / 12).abs_diff(b / 12), 2, "only the first and the third are not joined");
    }
}
