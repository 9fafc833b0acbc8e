//! A step allocates nothing (J1).

use muybridge::glam::DVec3;
use muybridge::particles::{Distance, Mode, Model, Plane, Point, Settings, Solve, Volume, World};

/// A net with a corner held, a floor and a volume.
fn net() -> Model {
    let side = 8;
    let mut model = Model::default();
    for i in 0..side {
        for j in 0..side {
            let particle = i * side + j;
            model.positions.push(DVec3::new(i as f64, 1.0, j as f64) * 0.1);
            model.velocities.push(DVec3::ZERO);
            model.masses.push(0.1);
            model.planes.push(Plane { particle, normal: DVec3::Y, offset: 0.0, both_sides: false });
            if i > 0 {
                model.distances.push(Distance::rigid([particle - side, particle], 0.1));
            }
            if j > 0 {
                model.distances.push(Distance { compliance: 1e-4, ..Distance::rigid([particle - 1, particle], 0.1) });
            }
        }
    }
    model.volumes.push(Volume { particles: [0, 1, 8, 20], rest: 0.0, compliance: 1.0 });
    model
}

#[test]
fn j1_a_step_allocates_nothing() {
    for mode in [Mode::Shake, Mode::Xpbd, Mode::Jakobsen, Mode::Rosen] {
        for solve in [Solve::OneByOne, Solve::ConjugateGradients] {
            let settings = Settings { mode, solve, substeps: 4, ..Settings::default() };
            let mut world = World::new(net(), settings).expect("a sound net");
            world.pin(0, world.state.positions[0]);
            world.drag(Point::at(63), DVec3::ONE, 10.0);
            world.step();
            let counted = allocation_counter::measure(|| (0..60).for_each(|_| world.step()));
            assert_eq!(counted.count_total, 0, "{mode:?} {solve:?}");
        }
    }
    let counted = allocation_counter::measure(|| drop(net()));
    assert!(counted.count_total > 0, "the counter counts");
}
