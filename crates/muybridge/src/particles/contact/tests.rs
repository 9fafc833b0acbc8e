//! Tests of contact laws in the smallest loop that steps particles.

use glam::{DQuat, DVec3};

use super::kept::PairMemory;
use super::{Ahead, Contacts, JoinedIslands, Lever, ParticleMotion};
use crate::collision::Obstacle;
use crate::math::random::Random;
use crate::particles::model::{Core, Model, Object, Surface};
use crate::particles::point::Point;
use crate::particles::sleep::Islands;

pub(super) const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// A minimal solver: particles that fall, and contacts.
pub(super) struct Loop {
    pub contacts: Contacts,
    pub obstacles: Vec<Obstacle>,
    pub positions: Vec<DVec3>,
    pub previous: Vec<DVec3>,
    pub inverse_masses: Vec<f64>,
    pub gravity: DVec3,
    pub seconds: f64,
    islands: Islands,
    hangs: Vec<bool>,
}

impl Loop {
    pub fn new(model: &Model, obstacles: Vec<Obstacle>, seconds: f64) -> Self {
        let (positions, gravity) = (model.positions.clone(), GRAVITY);
        let start = |(x, v): (&DVec3, &DVec3)| *x - *v * seconds + gravity * (0.5 * seconds * seconds);
        let previous = positions.iter().zip(&model.velocities).map(start).collect();
        let inverse_masses = model.masses.iter().map(|mass| 1.0 / mass).collect();
        let (contacts, islands, hangs) = (Contacts::new(model), Islands::of(model), vec![false; positions.len()]);
        Self { contacts, obstacles, positions, previous, inverse_masses, gravity, seconds, islands, hangs }
    }

    pub fn step(&mut self) {
        self.find(1);
        self.substep();
    }

    /// Runs the broad phase for some substeps.
    fn find(&mut self, substeps: u32) {
        let h = self.seconds;
        let motion = ParticleMotion {
            positions: &self.positions,
            previous: &self.previous,
            inverse_masses: &self.inverse_masses,
        };
        let ahead = Ahead { seconds: h * f64::from(substeps), last_substep: h, gravity: self.gravity };
        let in_lanes = vec![false; motion.positions.len()];
        self.contacts.find(&self.obstacles, &motion, &ahead, &in_lanes);
    }

    fn substep(&mut self) {
        let h = self.seconds;
        for i in 0..self.positions.len() {
            let now = self.positions[i];
            if self.inverse_masses[i] > 0.0 {
                self.positions[i] = now + (now - self.previous[i]) + self.gravity * (h * h);
            }
            self.previous[i] = now;
        }
        self.obstacles.iter_mut().for_each(|obstacle| obstacle.advance(h));
        let (positions, previous) = (&mut self.positions, &mut self.previous);
        self.contacts.prepare(&self.obstacles, positions, previous, &self.inverse_masses, (self.gravity, h));
        self.contacts.project(positions, previous, |_| true);
        let joined = JoinedIslands { islands: &self.islands, hangs: &self.hangs };
        self.contacts.restitution(joined, positions, previous, (self.gravity, h));
    }

    pub fn displacement(&self, particle: usize) -> DVec3 {
        self.positions[particle] - self.previous[particle]
    }
}

/// A model of balls without joints, all of one object that touches itself.
pub(super) fn balls(places: &[DVec3], velocity: DVec3, radius: f64) -> Model {
    let ball = |(i, _): (usize, &DVec3)| Surface { core: Core::Ball(Point::at(i)), radius, object: 0, part: i };
    Model {
        positions: places.to_vec(),
        velocities: vec![velocity; places.len()],
        masses: vec![0.7; places.len()],
        surfaces: places.iter().enumerate().map(ball).collect(),
        objects: vec![object(0..places.len(), 0.0)],
        ..Model::default()
    }
}

fn object(particles: core::ops::Range<usize>, friction: f64) -> Object {
    Object { touches_itself: true, friction, ..Object::smooth(particles) }
}

#[test]
fn r3_a_particle_on_the_ground_stays_and_none_is_below() {
    for height in [0.0, 0.3, -7.1] {
        let model = balls(&[DVec3::new(0.2, height + 1.0, 0.0)], DVec3::new(0.5, 0.0, 0.0), 0.0);
        let mut run = Loop::new(&model, vec![Obstacle::ground(height).unwrap()], 1.0 / 60.0);
        run.gravity = GRAVITY;
        let mut landed = None;
        for step in 0..200 {
            run.step();
            assert!(run.positions[0].y >= height, "{}", run.positions[0].y - height);
            match landed {
                None if run.positions[0].y == height => landed = Some(step),
                Some(landing) if step == landing + 1 => assert_eq!(run.displacement(0).y, 0.0),
                _ => {}
            }
        }
        run.previous[0] = run.positions[0];
        let rest = run.positions[0];
        for _ in 0..10_000 {
            run.step();
            assert_eq!(run.positions[0], rest);
        }
    }
}

#[test]
fn j5_nothing_leaves_the_box() {
    let mut random = Random::new(5);
    let places: Vec<DVec3> = (0..50).map(|_| (random.vector() + 1.0) * 500.0).collect();
    let mut model = balls(&places, DVec3::ZERO, 0.0);
    model.velocities = (0..50).map(|_| random.vector() * 9000.0).collect();
    model.objects[0].touches_itself = false;
    let room = Obstacle::room(DVec3::ZERO, DVec3::splat(1000.0)).unwrap();
    let mut run = Loop::new(&model, vec![room], 1.0 / 60.0);
    for _ in 0..600 {
        run.step();
        for p in &run.positions {
            assert!(p.min_element() >= 0.0 && p.max_element() <= 1000.0, "{p}");
        }
    }
}

#[test]
fn j7_a_clamp_done_twice_is_a_clamp_done_once() {
    let model = balls(&[DVec3::new(0.0, 0.01, 0.0)], DVec3::new(0.0, -30.0, 0.0), 0.0);
    let slope = Obstacle::half_space(DVec3::new(0.0, -0.1, 0.0), DVec3::new(0.3, 1.0, -0.2)).unwrap();
    let mut run = Loop::new(&model, vec![slope], 1.0 / 60.0);
    run.step();
    let once = run.positions[0];
    run.contacts.project(&mut run.positions, &run.previous, |_| true);
    assert!((run.positions[0] - once).length() < 1e-16);
}

#[test]
fn j6_without_restitution_nothing_comes_back_and_half_of_it_brings_a_quarter_of_the_height() {
    for drop in [0.5, 0.8, 1.0, 1.37, 2.0] {
        for (restitution, share) in [(0.0, 0.0), (0.5, 0.25)] {
            let model = balls(&[DVec3::new(0.0, drop, 0.0)], DVec3::ZERO, 0.0);
            let ground = Obstacle::ground(0.0).unwrap().with_restitution(restitution);
            let mut run = Loop::new(&model, vec![ground], 1.0 / 240.0);
            while run.contacts.touching().count() == 0 {
                run.step();
            }
            let mut highest: f64 = 0.0;
            for _ in 0..200 {
                run.step();
                highest = highest.max(run.positions[0].y);
                assert!(restitution > 0.0 || run.displacement(0).y == 0.0);
            }
            assert!((highest / drop - share).abs() <= 0.03 * share, "{drop}: {}", highest / drop);
        }
    }
}

#[test]
fn j36_three_metres_per_second_at_one_half_stop_in_0_9174_metres() {
    let mut model = balls(&[DVec3::ZERO], DVec3::new(3.0, 0.0, 0.0), 0.0);
    model.objects[0].friction = 0.5;
    let ground = Obstacle::ground(0.0).unwrap().with_friction(0.5);
    let mut run = Loop::new(&model, vec![ground], 1.0 / 600.0);
    (0..1200).for_each(|_| run.step());
    assert!((run.positions[0].x / 0.9174 - 1.0).abs() < 0.005, "{}", run.positions[0].x);
    assert_eq!(run.displacement(0), DVec3::ZERO);
}

#[test]
fn j36_a_slope_holds_what_is_flatter_than_its_friction_and_lets_go_what_is_steeper() {
    for (slope, holds) in [(0.49, true), (0.51, false)] {
        let up = DVec3::new(-slope, 1.0, 0.0);
        let mut model = balls(&[DVec3::ZERO], DVec3::ZERO, 0.0);
        model.objects[0].friction = 0.5;
        let ground = Obstacle::half_space(DVec3::ZERO, up).unwrap().with_friction(0.5);
        let mut run = Loop::new(&model, vec![ground], 1.0 / 600.0);
        (0..600).for_each(|_| run.step());
        let (sine, cosine) = (slope / (1.0 + slope * slope).sqrt(), 1.0 / (1.0 + slope * slope).sqrt());
        let slid = 0.5 * 9.81 * (sine - 0.5 * cosine);
        if holds {
            assert!(run.positions[0].length() < 1e-3);
        } else {
            assert!((run.positions[0].length() / slid - 1.0).abs() < 0.02, "{} {slid}", run.positions[0].length());
        }
    }
}

#[test]
fn j37_at_100_metres_per_second_nothing_passes_a_wall_of_one_centimetre() {
    let wall = || Obstacle::cuboid(DVec3::new(3.0, 0.0, 0.0), DQuat::IDENTITY, DVec3::new(0.005, 2.0, 2.0)).unwrap();
    let square = [[-2.0, -2.0], [-2.0, 2.0], [2.0, 2.0], [2.0, -2.0]].map(|[y, z]| DVec3::new(3.0, y, z));
    let sheet = || Obstacle::mesh(&square, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let mut random = Random::new(37);
    for radius in [0.0, 0.02] {
        for start in 0..100 {
            let place = DVec3::new(-f64::from(start) * 0.0171, random.signed(), random.signed());
            for obstacle in [wall(), sheet()] {
                let model = balls(&[place], DVec3::new(100.0, 0.0, 0.0), radius);
                let mut run = Loop::new(&model, vec![obstacle], 1.0 / 60.0);
                run.gravity = DVec3::ZERO;
                for _ in 0..30 {
                    run.step();
                    assert!(run.positions[0].x <= 3.0, "{}", run.positions[0]);
                }
                assert!(run.positions[0].x > 2.9, "it reached the wall");
            }
        }
    }
}

#[test]
fn j19_a_point_on_a_stick_lands_where_it_is_sent() {
    let point = Point { particles: [0, 1, 0, 0], weights: [0.75, 0.25, 0.0, 0.0] };
    let lever = Lever::new(&[point], &[1.0]);
    let mut places = [DVec3::ZERO, DVec3::X];
    let change = DVec3::new(0.1, -0.2, 0.3);
    let target = lever.position(&places) + change;
    let mobility = lever.mobility(&[1.0, 1.0]);
    assert!((1.0 / mobility - 1.6).abs() < 1e-15);
    lever.push(change, mobility, &[1.0, 1.0], &mut places);
    assert!((lever.position(&places) - target).length() < 1e-15);
    assert!((places[0] - change * 1.2).length() < 1e-15 && (places[1] - DVec3::X - change * 0.4).length() < 1e-15);
}

/// Pushes points of random tetrahedra with these weights to random targets. Returns the greatest distance from the
/// target, relative to the size of the summed terms.
fn worst_landing(random: &mut Random, weights: impl Fn(&mut Random) -> [f64; 4]) -> f64 {
    let mut worst = 0.0_f64;
    for _ in 0..10_000 {
        let weights = weights(random);
        let inverse_masses = [random.unit(), random.unit(), random.unit(), random.unit() + 0.1];
        let lever = Lever::new(&[Point { particles: [0, 1, 2, 3], weights }], &[1.0]);
        let mut places = [random.vector(), random.vector(), random.vector(), random.vector()];
        let target = lever.position(&places) + DVec3::new(0.01, 0.02, -0.03);
        let sum: f64 = (0..4).map(|i| inverse_masses[i] * weights[i] * weights[i]).sum();
        let mobility = lever.mobility(&inverse_masses);
        assert!((mobility - sum).abs() <= 1e-15 * sum);
        lever.push(target - lever.position(&places), mobility, &inverse_masses, &mut places);
        let size: f64 = (0..4).map(|i| weights[i].abs() * places[i].length()).sum();
        worst = worst.max((lever.position(&places) - target).length() / size.max(1.0));
    }
    worst
}

#[test]
fn j20_a_point_of_a_tetrahedron_lands_where_it_is_sent_whatever_the_masses() {
    let mut random = Random::new(20);
    let inside = worst_landing(&mut random, |random| {
        let shares = [random.unit(), random.unit(), random.unit(), random.unit()];
        let sum: f64 = shares.iter().sum();
        let [a, b, c, _] = shares.map(|share| share / sum);
        [a, b, c, 1.0 - a - b - c]
    });
    // A point outside is a difference of larger numbers, which have larger rounding errors.
    let outside = worst_landing(&mut random, |random| {
        let [a, b, c] = [random.signed(), random.signed(), random.signed()];
        [a, b, c, 1.0 - a - b - c]
    });
    assert!(inside <= 1e-15 && outside <= 1e-15, "{inside:e} {outside:e}");
}

#[test]
fn j21_two_bodies_close_their_gap_and_keep_their_momentum() {
    let mut random = Random::new(21);
    for _ in 0..500 {
        let mut model = balls(&[], DVec3::ZERO, 0.0);
        let mut weights = || {
            let [a, b, c] = [random.unit(), random.unit(), random.unit()];
            [a, b, c, 1.0 - a - b - c]
        };
        for body in 0..2 {
            let particles = [0, 1, 2, 3].map(|i| 4 * body + i);
            let core = Core::Ball(Point { particles, weights: weights() });
            model.surfaces.push(Surface { core, radius: 0.4, object: 0, part: body });
        }
        model.positions = (0..8).map(|_| random.vector()).collect();
        model.masses = (0..8).map(|_| 0.5 + random.unit()).collect();
        model.velocities = vec![DVec3::ZERO; 8];
        let centers = model
            .surfaces
            .iter()
            .map(|s| if let Core::Ball(p) = s.core { p.position(&model.positions) } else { DVec3::ZERO });
        let centers: Vec<DVec3> = centers.collect();
        let apart = centers[0] - centers[1];
        // Both bodies start 1 cm apart and move 11 cm into each other within the step.
        let shift = apart.normalize() * 0.81 - apart;
        (0..4).for_each(|i| model.positions[i] += shift);
        let mut run = Loop::new(&model, Vec::new(), 1.0 / 60.0);
        run.gravity = DVec3::ZERO;
        run.previous.clone_from(&run.positions);
        (0..4).for_each(|i| run.previous[i] += apart.normalize() * 0.12);
        let momentum = |run: &Loop| (0..8).map(|i| run.displacement(i) * model.masses[i]).sum::<DVec3>();
        let before = momentum(&run);
        run.step();
        assert!(run.contacts.touching().count() == 1);
        let after: Vec<DVec3> = model
            .surfaces
            .iter()
            .map(|s| if let Core::Ball(p) = s.core { p.position(&run.positions) } else { DVec3::ZERO })
            .collect();
        assert!((after[0].distance(after[1]) - 0.8).abs() <= 1e-15, "{:e}", after[0].distance(after[1]) - 0.8);
        assert!((momentum(&run) - before).length() <= 1e-15, "{:e}", (momentum(&run) - before).length());
    }
}

#[test]
fn nothing_panics_whatever_the_numbers() {
    let wild = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, 0.0, -0.0, 1e-300, 3.0];
    let mut random = Random::new(9);
    let mut any = || wild[(random.unit() * 8.0) as usize];
    let obstacles = vec![
        Obstacle::ground(0.0).unwrap(),
        Obstacle::room(DVec3::splat(-5.0), DVec3::splat(5.0)).unwrap(),
        Obstacle::sphere(DVec3::ZERO, 1.0).unwrap(),
        Obstacle::capsule([DVec3::ZERO, DVec3::X], 0.2).unwrap(),
        Obstacle::cylinder([DVec3::ZERO, DVec3::X], 0.2).unwrap(),
        Obstacle::cuboid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE).unwrap(),
        Obstacle::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        Obstacle::mesh(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[[0, 1, 2]]).unwrap(),
        Obstacle::height_field(DVec3::ZERO, &[0.0, 1.0, 0.0, 1.0], 2, [1.0; 2]).unwrap(),
    ];
    for _ in 0..200 {
        let places: Vec<DVec3> = (0..6).map(|_| DVec3::new(any(), any(), any())).collect();
        let mut model = balls(&places, DVec3::new(any(), any(), any()), any().abs());
        model.surfaces[0].core = Core::Segment([Point::at(0), Point::at(1)]);
        model.surfaces[1].core = Core::Triangle([Point::at(1), Point::at(2), Point::at(3)]);
        let mut run = Loop::new(&model, obstacles.clone(), any());
        (0..3).for_each(|_| run.step());
    }
}

#[test]
fn what_is_known_of_distances_from_the_substep_before_changes_no_contact() {
    let mut random = Random::new(31);
    for _ in 0..20 {
        let places: Vec<DVec3> = (0..60).map(|_| random.vector() * 0.4).collect();
        let mut model = balls(&places, DVec3::ZERO, 0.02);
        model.velocities = (0..60).map(|_| random.vector() * 3.0).collect();
        model.surfaces.truncate(20);
        for (i, surface) in model.surfaces.iter_mut().enumerate() {
            let [a, b, c] = [3 * i, 3 * i + 1, 3 * i + 2].map(Point::at);
            surface.core = if i % 2 == 0 { Core::Triangle([a, b, c]) } else { Core::Segment([a, b]) };
        }
        let mut kept = Loop::new(&model, vec![Obstacle::ground(-0.5).unwrap()], 1.0 / 960.0);
        let mut measured = Loop::new(&model, vec![Obstacle::ground(-0.5).unwrap()], 1.0 / 960.0);
        let mut touched = 0;
        for substep in 0..64 {
            if substep % 16 == 0 {
                kept.find(16);
                measured.find(16);
            }
            measured.contacts.pairs.memory.fill(PairMemory::NONE);
            kept.substep();
            measured.substep();
            assert_eq!(kept.positions, measured.positions);
            assert_eq!(kept.contacts.touching().collect::<Vec<_>>(), measured.contacts.touching().collect::<Vec<_>>());
            touched += kept.contacts.touching().count();
        }
        assert!(touched > 20, "{touched}");
        let skipped = kept.contacts.pairs.memory.iter().filter(|memory| memory.apart > 0.0).count();
        assert!(skipped > 10, "{skipped} of {}", kept.contacts.pairs.memory.len());
    }
}
