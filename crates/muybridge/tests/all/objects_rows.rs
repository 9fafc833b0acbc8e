//! Acceptance rows of ready-made objects: J11, J13, J17, R27.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use muybridge::glam::{DQuat, DVec3};
use muybridge::math::{Arithmetic, LaneVector};
use muybridge::particles::body::Placement;
use muybridge::particles::objects::{Box3, Cloth, Flail, Grid, ObjectRange, Plant, RegularTetrahedron, Rope, Traits};
use muybridge::particles::{Distance, Mode, Model, Plane, Settings, World, distance};

/// A cloth of 1 m × 1 m with 20 × 20 vertices, two corners of one edge pinned, drag 1/s; rotated about that edge.
fn hanging_cloth(turn: f64, tethers: usize) -> World {
    let grid = Grid { rotation: DQuat::from_rotation_x(turn), ..Grid::square(19, 1.0) };
    let (points, triangles) = grid.mesh().expect("a grid");
    let mut cloth = Cloth::new(points, triangles);
    cloth.pinned = vec![grid.point(0, 0), grid.point(19, 0)];
    cloth.tethers = tethers;
    cloth.traits = Traits { drag: 1.0, ..cloth.traits };
    let mut model = Model::default();
    cloth.add_to(&mut model).expect("a cloth");
    // Edges of the grid and both diagonals of its cells.
    let sticks = model.distances.iter().filter(|distance| distance.is_bilateral()).count();
    assert_eq!(sticks, 2 * 20 * 19 + 2 * 19 * 19);
    World::new(model, Settings { substeps: 8, iterations: 1, rest_steps: 0, ..Settings::default() }).expect("a model")
}

/// Largest and mean strain of the sticks, and the largest speed.
fn strain_and_speed(world: &World) -> (f64, f64, f64) {
    let sticks: Vec<f64> = world
        .model()
        .distances
        .iter()
        .filter(|distance| distance.is_bilateral())
        .map(|distance| distance.relative_error(&world.state.positions))
        .collect();
    let mean = sticks.iter().sum::<f64>() / sticks.len() as f64;
    let speed = (0..world.state.positions.len()).map(|i| world.velocity(i).length()).fold(0.0, f64::max);
    (sticks.into_iter().fold(0.0, f64::max), mean, speed)
}

fn hangs_still(turn: f64, tethers: usize, [worst_allowed, mean_allowed, speed_allowed]: [f64; 3]) {
    let mut world = hanging_cloth(turn, tethers);
    (0..30 * 60).for_each(|_| world.step());
    let (worst, mean, speed) = strain_and_speed(&world);
    println!("turn {turn}, {tethers} tethers: worst {worst:.4}, mean {mean:.5}, speed {speed:.2e} m/s");
    assert!(worst <= worst_allowed, "worst strain {worst}");
    assert!(mean <= mean_allowed, "mean strain {mean}");
    assert!(speed < speed_allowed, "{speed} m/s");
}

#[test]
fn j11_a_cloth_released_flat_comes_to_rest_with_little_strain() {
    hangs_still(core::f64::consts::FRAC_PI_2, 0, [0.12, 0.005, 1e-3]);
}

#[test]
fn j11_tethers_take_the_strain_from_the_pins() {
    hangs_still(0.0, 2, [0.02, 0.002, 5e-3]);
}

thread_local! {
    static DIVISIONS: Cell<u32> = const { Cell::new(0) };
    static ROOTS: Cell<u32> = const { Cell::new(0) };
}

/// A number that counts divisions and square roots.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted(f64);

macro_rules! counted {
    ($($operation:ident::$method:ident),*) => {$(
        impl $operation for Counted {
            type Output = Self;
            fn $method(self, other: Self) -> Self { Self(self.0.$method(other.0)) }
        }
        impl $operation<f64> for Counted {
            type Output = Self;
            fn $method(self, other: f64) -> Self { Self(self.0.$method(other)) }
        }
    )*};
}
counted!(Add::add, Sub::sub, Mul::mul);

impl Div for Counted {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        DIVISIONS.set(DIVISIONS.get() + 1);
        Self(self.0 / other.0)
    }
}

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Arithmetic for Counted {
    type Mask = bool;

    fn like(self, value: f64) -> Self {
        Self(value)
    }
    fn sqrt(self) -> Self {
        ROOTS.set(ROOTS.get() + 1);
        Self(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn floor(self) -> Self {
        Self(self.0.floor())
    }
    fn with_sign_of(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    fn is_below(self, other: Self) -> bool {
        self.0 < other.0
    }
    fn any(mask: bool) -> bool {
        mask
    }
    fn bits(mask: bool) -> u64 {
        u64::from(mask)
    }
    fn both(a: bool, b: bool) -> bool {
        a && b
    }
    fn either(a: bool, b: bool) -> bool {
        a || b
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

#[test]
fn j13_a_stick_in_taylor_mode_takes_one_division_and_no_root() {
    for length in [0.5, 0.9, 1.0, 1.1, 1.9] {
        DIVISIONS.set(0);
        ROOTS.set(0);
        let d = LaneVector { x: Counted(length), y: Counted(0.0), z: Counted(0.0) };
        let pull = distance::taylor(d, Counted(2.0), Counted(1.0));
        assert_eq!((DIVISIONS.get(), ROOTS.get()), (1, 0), "length {length}");
        // The new length is 2ℓr²/(ℓ² + r²) (3.6).
        let new = length - 2.0 * pull.x.0;
        assert!((new - 2.0 * length / (length * length + 1.0)).abs() < 1e-15, "{length} became {new}");
    }
}

/// A tetrahedron of 1 m thrown into a box of 1.2 m, as a tetrahedron or as six sticks.
fn thrown(tied_by_sticks: bool) -> Model {
    let placement = Placement {
        position: DVec3::new(0.05, 0.1, -0.05),
        rotation: DQuat::IDENTITY,
        velocity: DVec3::new(1.0, 0.5, -0.7),
        angular_velocity: DVec3::new(4.0, 3.0, -2.0),
    };
    let mut model = Model::default();
    RegularTetrahedron::new(1.0, placement).add_to(&mut model).expect("a tetrahedron");
    if tied_by_sticks {
        model.tetrahedra.clear();
        model.distances.extend(EDGES.map(|edge| Distance::rigid(edge, 1.0)));
    }
    for particle in 0..4 {
        for normal in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
            model.planes.push(Plane { particle, normal, offset: -0.6, both_sides: false });
        }
    }
    model
}

const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Largest error of an edge, smallest and largest ratio of the volume, and the number of touched pairs among the 24 of
/// corner and side, in half a minute of a box that rotates once in `period` seconds (infinite: not at all).
fn tumbled(model: Model, settings: Settings, period: f64) -> (f64, [f64; 2], usize) {
    let mut world = World::new(model, Settings { rest_steps: 0, ..settings }).expect("a model");
    let (mut worst, mut volumes, mut touched) = (0.0_f64, [f64::INFINITY, 0.0_f64], [false; 24]);
    for frame in 0..30 * 60 {
        let turn = core::f64::consts::TAU * f64::from(frame) / (60.0 * period);
        world.settings.gravity = DVec3::new(libm::sin(turn), -libm::cos(turn), 0.3 * libm::sin(0.37 * turn)) * 9.81;
        world.step();
        let x = &world.state.positions;
        assert!(x.iter().all(|corner| corner.is_finite()));
        for [a, b] in EDGES {
            worst = worst.max((x[a].distance(x[b]) - 1.0).abs());
        }
        let ratio = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) * 2.0_f64.sqrt();
        volumes = [volumes[0].min(ratio), volumes[1].max(ratio)];
        for (touched, plane) in touched.iter_mut().zip(&world.model().planes) {
            *touched |= x[plane.particle].dot(plane.normal) < plane.offset + 1e-3;
        }
    }
    (worst, volumes, touched.into_iter().filter(|touched| *touched).count())
}

fn keeps_its_shape(model: Model, settings: Settings, period: f64) {
    let (worst, volumes, touched) = tumbled(model, settings, period);
    println!("edges {worst:.5}, volumes {volumes:.5?}, {touched} of 24 touched");
    assert!(touched >= 6, "corners have to hit sides: {touched} of 24 did");
    assert!(worst < 0.01, "edge {worst}");
    assert!(volumes[0] >= 0.99 && volumes[1] <= 1.01, "volumes {volumes:?}");
}

/// 60 Hz without substeps, four iterations.
fn jakobsen() -> Settings {
    Settings { mode: Mode::Jakobsen, substeps: 1, iterations: 4, ..Settings::default() }
}

#[test]
fn j17_a_tetrahedron_tumbling_in_a_box_keeps_its_edges_and_its_volume() {
    keeps_its_shape(thrown(false), jakobsen(), f64::INFINITY);
}

#[test]
fn j17_so_does_one_of_six_sticks() {
    keeps_its_shape(thrown(true), jakobsen(), f64::INFINITY);
    let (worst, _, _) = tumbled(thrown(true), Settings { iterations: 1, ..jakobsen() }, f64::INFINITY);
    assert!(worst > 0.02, "one pass is not enough: {worst}");
}

#[test]
fn j17_in_default_mode_it_keeps_them_in_a_box_that_turns() {
    keeps_its_shape(thrown(false), Settings { iterations: 4, ..Settings::default() }, 4.0);
}

/// Simulates a minute in the default mode, cloth as in a scene. Returns the largest stretch of all frames, and that of the last.
fn minute(add: impl FnOnce(&mut Model) -> ObjectRange) -> [f64; 2] {
    let mut model = Model::default();
    let built = add(&mut model);
    assert_eq!(built.particles.len(), model.positions.len());
    assert_eq!(model.objects[built.object].particles, built.particles);
    assert!(!model.surfaces.is_empty(), "something has to be able to touch");
    let mut world = World::new(model, Settings { cloth_substeps: 24, ..Settings::default() }).expect("a model");
    let mut worst = 0.0_f64;
    for _ in 0..60 * 60 {
        world.step();
        worst = worst.max(world.worst_stretch());
    }
    assert!(world.state.positions.iter().all(|position| position.is_finite()));
    let end = world.worst_stretch();
    println!("worst stretch {worst:.5}, {end:.5} at the end");
    [worst, end]
}

#[test]
fn r27_a_rope_runs_a_minute_and_stretches_less_than_2_percent() {
    let rope = Rope { fixed: [true, false], ..Rope::new(DVec3::new(0.0, 3.0, 0.0), DVec3::new(2.0, 3.0, 0.0)) };
    assert!(minute(|model| rope.add_to(model).expect("a rope"))[0] < 0.02);
}

#[test]
fn r27_a_flail_runs_a_minute_and_stretches_less_than_2_percent() {
    let mut flail = Flail::new(DVec3::new(0.0, 3.0, 0.0), DVec3::new(1.5, 3.0, 0.0));
    flail.chain.velocities[1] = DVec3::new(0.0, 0.0, 4.0);
    assert!(minute(|model| flail.add_to(model).expect("a flail"))[0] < 0.02);
}

#[test]
fn r27_j11_a_cloth_runs_a_minute_and_ends_with_a_stretch_of_less_than_12_percent() {
    let grid = Grid::square(19, 1.0);
    let (points, triangles) = grid.mesh().expect("a grid");
    let mut cloth = Cloth::new(points, triangles);
    cloth.pinned = vec![grid.point(0, 0), grid.point(19, 0)];
    let [_, end] = minute(|model| cloth.add_to(model).expect("a cloth"));
    assert!(end < 0.12, "{end}");
}

#[test]
fn r27_a_plant_runs_a_minute() {
    minute(|model| Plant::new(DVec3::ZERO).add_to(model).expect("a plant"));
}

#[test]
fn r27_rigid_bodies_run_a_minute() {
    let placement =
        Placement { angular_velocity: DVec3::new(1.0, 5.0, 2.0), ..Placement::at(DVec3::Y, DQuat::IDENTITY) };
    minute(|model| RegularTetrahedron::new(0.4, placement).add_to(model).expect("a tetrahedron"));
    minute(|model| Box3::new(DVec3::new(0.2, 0.3, 0.5), placement).add_to(model).expect("a box"));
}
