//! Bodies that share particles, in a running world: two shared particles make a hinge, one a ball joint.

use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::log;
use muybridge::particles::frame::TriangleFrame;
use muybridge::particles::{Distance, Model, Settings, Tetrahedron, World};

/// Relative rotation of two bodies since the start, from triangles of three of their particles.
struct Relative {
    triangles: [[usize; 3]; 2],
    middle: DQuat,
}

impl Relative {
    fn at_start(triangles: [[usize; 3]; 2], positions: &[DVec3]) -> Self {
        let [first, second] = triangles.map(|corners| TriangleFrame::at(corners.map(|i| positions[i])).rotation());
        Self { triangles, middle: second.conjugate() * first }
    }

    fn turn(&self, positions: &[DVec3]) -> DVec3 {
        let [first, second] = self.triangles.map(|corners| TriangleFrame::at(corners.map(|i| positions[i])).rotation());
        log((second * self.middle * first.conjugate()).normalize())
    }
}

/// Largest angle between the axis of relative rotation and the edge 0–1, over 10 s.
fn worst_axis_error(mut world: World, relative: &Relative) -> f64 {
    let (mut worst, mut turned) = (0.0_f64, 0.0_f64);
    for _ in 0..600 {
        world.step();
        let positions = &world.state.positions;
        let (turn, edge) = (relative.turn(positions), positions[1] - positions[0]);
        if turn.length() > 0.1 {
            worst = worst.max(libm::atan2(turn.cross(edge).length(), turn.dot(edge).abs()));
        }
        turned = turned.max(turn.length());
    }
    assert!(turned > 1.0, "the hinge has moved by {turned} only: {:?}", world.state.positions);
    worst
}

fn settings() -> Settings {
    Settings { iterations: 60, rest_steps: u32::MAX, ..Settings::default() }
}

#[test]
fn r8_two_triangles_that_share_two_particles_are_a_hinge() {
    let positions = vec![DVec3::ZERO, DVec3::X * 0.5, DVec3::new(0.2, 0.4, 0.0), DVec3::new(0.3, -0.4, 0.1)];
    let spin = DVec3::new(0.7, -1.1, 0.9);
    let mut velocities: Vec<DVec3> = positions.iter().map(|x| spin.cross(*x) + DVec3::Y * 40.0).collect();
    velocities[2] += DVec3::Z * 0.9;
    let stick = |[a, b]: [usize; 2]| Distance::rigid([a, b], (positions[b] - positions[a]).length());
    let model = Model {
        masses: vec![1.0, 2.0, 0.5, 0.8],
        distances: [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3]].map(stick).to_vec(),
        velocities,
        positions: positions.clone(),
        ..Model::default()
    };
    let relative = Relative::at_start([[2, 0, 1], [1, 3, 0]], &positions);
    let worst = worst_axis_error(World::new(model, settings()).unwrap(), &relative);
    println!("axis of the hinge of triangles off by {worst:e}");
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn j25_two_tetrahedra_that_share_two_particles_are_a_hinge() {
    let corners = [DVec3::ZERO, DVec3::X * 0.5, DVec3::new(0.2, 0.4, 0.0), DVec3::new(0.2, 0.2, 0.4)];
    let below = [DVec3::new(0.3, -0.4, 0.1), DVec3::new(0.1, -0.3, -0.4)];
    let positions = [&corners[..], &below[..]].concat();
    let body = |particles: [usize; 4]| Tetrahedron { particles, rest: particles.map(|i| positions[i]) };
    let spin = DVec3::new(0.7, -1.1, 0.9);
    let mut velocities: Vec<DVec3> = positions.iter().map(|x| spin.cross(*x) + DVec3::Y * 40.0).collect();
    velocities[2] += DVec3::Z * 0.4 + DVec3::Y * 0.1;
    velocities[3] += DVec3::Z * 0.2 - DVec3::Y * 0.5;
    let model = Model {
        masses: vec![2.0, 2.5, 0.5, 0.8, 0.7, 0.6],
        tetrahedra: vec![body([0, 1, 2, 3]), body([1, 0, 4, 5])],
        velocities,
        positions: positions.clone(),
        ..Model::default()
    };
    let relative = Relative::at_start([[2, 3, 1], [0, 4, 5]], &positions);
    let worst = worst_axis_error(World::new(model, settings()).unwrap(), &relative);
    println!("axis of the hinge of tetrahedra off by {worst:e}");
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn r8_j25_two_tetrahedra_that_share_one_particle_are_a_ball_joint() {
    let first = [DVec3::ZERO, DVec3::X * 0.5, DVec3::new(0.2, 0.4, 0.0), DVec3::new(0.2, 0.2, 0.4)];
    let positions = [&first[..], &[-first[1], -first[2], -first[3]][..]].concat();
    let body = |particles: [usize; 4]| Tetrahedron { particles, rest: particles.map(|i| positions[i]) };
    let spins = [DVec3::new(0.7, -1.1, 0.9), DVec3::new(-1.2, 0.6, 0.4)];
    let model = Model {
        masses: vec![2.0, 0.5, 0.8, 0.7, 0.6, 0.9, 0.4],
        tetrahedra: vec![body([0, 1, 2, 3]), body([0, 4, 5, 6])],
        velocities: (0..7).map(|i| spins[i / 4].cross(positions[i])).collect(),
        positions: positions.clone(),
        ..Model::default()
    };
    let relative = Relative::at_start([[1, 2, 3], [4, 5, 6]], &positions);
    let mut world = World::new(model, settings()).unwrap();
    let (mut least, mut most) = (DVec3::ZERO, DVec3::ZERO);
    for _ in 0..600 {
        world.step();
        let now = &world.state.positions;
        let turn = relative.turn(now);
        (least, most) = (least.min(turn), most.max(turn));
        // The shared particle is at the position that each body gives it.
        for corners in [[1, 2, 3], [4, 5, 6]] {
            let [was, is] = [&positions, now].map(|places| TriangleFrame::at(corners.map(|i| places[i])));
            let in_body = was.matrix().transpose() * (positions[0] - positions[corners[0]]);
            assert!((now[corners[0]] + is.matrix() * in_body - now[0]).length() < 1e-9);
        }
    }
    assert!((most - least).min_element() > 0.5, "it turns about every axis: {least} {most}");
}
