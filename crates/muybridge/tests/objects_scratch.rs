//! scratch
use muybridge::glam::{DQuat, DVec3};
use muybridge::particles::body::Placement;
use muybridge::particles::objects::*;
use muybridge::particles::*;

#[test]
fn tetra() {
    let placement = Placement { position: DVec3::new(0.1, 0.2, -0.1), rotation: DQuat::from_rotation_z(0.4), velocity: DVec3::new(2.0, 1.0, -1.5), angular_velocity: DVec3::new(3.0, -2.0, 4.0) };
    let mut model = Model::default();
    RegularTetrahedron::new(0.5, placement).add_to(&mut model).expect("a tetrahedron");
    for particle in 0..4 {
        for normal in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z] {
            model.planes.push(Plane { particle, normal, offset: -1.0, both_sides: false });
        }
    }
    let mut world = World::new(model, Settings { mode: Mode::Jakobsen, substeps: 1, iterations: 4, rest_steps: 0, ..Settings::default() }).expect("m");
    for f in 0..40 { world.step(); if f % 4 == 0 { println!("{f} {:?}", world.state.positions); } }
}
#[test]
fn rope() {
    for (tethers, iterations, reverse, mode) in [(true, 1, false, Mode::Shake), (true, 4, false, Mode::Shake), (false, 1, false, Mode::Shake), (false, 2, false, Mode::Shake), (false, 4, false, Mode::Shake), (false, 2, true, Mode::Shake), (true, 2, true, Mode::Shake), (true, 2, false, Mode::Xpbd)] {
        let mut rope = Rope { fixed: [true, false], ..Rope::new(DVec3::new(0.0, 3.0, 0.0), DVec3::new(2.0, 3.0, 0.0)) };
        rope.traits.iterations = Some(iterations);
        let mut model = Model::default();
        rope.add_to(&mut model).unwrap();
        if !tethers { model.distances.retain(|d| d.is_bilateral()); }
        if reverse { model.distances.reverse(); }
        let mut world = World::new(model, Settings { mode, ..Settings::default() }).unwrap();
        let (mut worst, mut at, mut who) = (0.0, 0, 0);
        for f in 0..1200 { world.step(); for (i, d) in world.model().distances.iter().enumerate().filter(|(_, d)| d.is_bilateral()) { let e = d.relative_error(&world.state.positions); if e > worst { (worst, at, who) = (e, f, i); } } }
        println!("{tethers} {iterations} {reverse} {mode:?}: {worst:.4} at {at} stick {who}");
    }
}
#[test]
fn stalk() {
    for (iterations, softness, mass) in [(8, 0.0, 0.1), (20, 0.0, 0.1), (20, 1e-6, 0.1), (20, 1e-5, 0.1)] {
        let mut all = vec![];
        for support in 1..6 {
            let mut plant = Plant { branches: 0, support, softness, mass, ..Plant::new(DVec3::ZERO) };
            plant.traits.iterations = Some(iterations);
            let mut model = Model::default();
            let built = plant.add_to(&mut model).expect("a plant");
            let tip = plant.stalk(built.particles.start, 10);
            let straight = model.positions[tip];
            let mut world = World::new(model, Settings { rest_steps: 0, ..Settings::default() }).expect("a model");
            let mut settle = |force: DVec3| {
                for _ in 0..20 * 60 { world.state.forces[tip] = force; world.step(); }
                (world.state.positions[tip] - straight).length()
            };
            all.push((settle(DVec3::new(0.5, 0.0, 0.0)), settle(DVec3::ZERO)));
        }
        println!("{iterations} {softness} {mass}: {all:.4?}");
    }
}
#[test]
fn cloth() {
    for (order, mode, sub) in [(0, Mode::Shake, 8), (1, Mode::Shake, 8), (1, Mode::Xpbd, 8), (1, Mode::Shake, 16), (2, Mode::Shake, 8), (2, Mode::Xpbd, 8)] {
        for tethers in [0, 2] {
            let grid = Grid::square(19, 1.0);
            let (points, triangles) = grid.mesh().expect("a grid");
            let mut cloth = Cloth::new(points, triangles);
            cloth.pinned = vec![grid.point(0, 0), grid.point(19, 0)];
            cloth.tethers = tethers;
            cloth.traits.drag = 1.0;
            let mut model = Model::default();
            cloth.add_to(&mut model).expect("a cloth");
            if order > 0 {
                let mut used = vec![0u128; 400];
                let mut colored: Vec<(u32, Distance)> = model.distances.iter().map(|d| {
                    if !d.is_bilateral() { return (127, *d); }
                    let [a, b] = d.particles; let c = (!(used[a] | used[b])).trailing_zeros(); used[a] |= 1 << c; used[b] |= 1 << c; (c, *d)
                }).collect();
                colored.sort_by_key(|c| c.0);
                if order == 2 { colored.reverse(); }
                model.distances = colored.into_iter().map(|c| c.1).collect();
            }
            let mut world = World::new(model, Settings { mode, substeps: sub, rest_steps: 0, ..Settings::default() }).expect("m");
            (0..30 * 60).for_each(|_| world.step());
            let speeds: Vec<f64> = (0..400).map(|i| world.velocity(i).length()).collect();
            let top = (0..400).max_by(|&a, &b| speeds[a].total_cmp(&speeds[b])).unwrap();
            let sticks: Vec<f64> = world.model().distances.iter().filter(|d| d.is_bilateral()).map(|d| d.relative_error(&world.state.positions)).collect();
            println!("order {order} {mode:?} sub {sub} tethers {tethers}: worst {:.4} mean {:.5} speed {:.2e} of {top} at {:?} mean speed {:.2e}", sticks.iter().fold(0.0, |a: f64, b| a.max(*b)), sticks.iter().sum::<f64>() / sticks.len() as f64, speeds[top], world.state.positions[top], speeds.iter().sum::<f64>() / 400.0);
        }
    }
}
