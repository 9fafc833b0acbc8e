//! Degenerate input gives an error that names the culprit, or a documented result; never a panic.

use muybridge::glam::DVec3;
use muybridge::particles::{
    Distance, Mode, Model, Object, Plane, Point, Settings, Solve, Surface, Tetrahedron, Volume, World,
};

use super::{chain, points, steps, world};

fn error(change: impl FnOnce(&mut Model)) -> String {
    let mut model = chain(11, 1.0);
    change(&mut model);
    World::new(model, Settings::default()).expect_err("a model that is wrong").to_string()
}

#[test]
fn x14_errors_name_list_index_and_what_is_wrong() {
    let stick = |particles| Distance::rigid(particles, 1.0);
    let cases: [(String, &str); 14] = [
        (
            error(|m| m.distances[3].particles = [0, 17]),
            "distance 3 names particle 17, but the model has 12 particles, counted from 0",
        ),
        (error(|m| m.distances[2] = stick([4, 4])), "distance 2 names particle 4 twice; its particles must differ"),
        (error(|m| m.distances[1].compliance = -1.0), "distance 1 has compliance -1; it must be 0 or more"),
        (
            error(|m| m.distances[1].least = 2.0),
            "distance 1 has lengths from 2 to 1; the least must not exceed the greatest",
        ),
        (error(|m| m.distances[0].share = f64::NAN), "distance 0 has share NaN; it must be from 0 to 1"),
        (
            error(|m| m.positions[2].y = f64::NAN),
            "particle 2 has position [2, NaN, 0]; its components must be finite numbers",
        ),
        (
            error(|m| m.velocities[5].z = f64::INFINITY),
            "particle 5 has velocity [0, 0, inf]; its components must be finite numbers",
        ),
        (
            error(|m| m.masses[4] = 0.0),
            "particle 4 has mass 0 kg; give a positive mass, or infinity for a particle that nothing moves",
        ),
        (error(|m| m.masses.truncate(11)), "model 0 has 12 positions, but 11 masses; give one for each particle"),
        (
            error(|m| m.objects.push(Object::smooth(3..20))),
            "object 0 has the particle range 3 to 20, but the model has 12 particles",
        ),
        (
            error(|m| m.objects = vec![Object::smooth(0..6), Object::smooth(5..8)]),
            "object 1 starts at particle 5, which belongs to the object before it; objects must not overlap",
        ),
        (
            error(|m| m.tetrahedra.push(Tetrahedron { particles: [0, 1, 2, 3], rest: [DVec3::ZERO; 4] })),
            "tetrahedron 0 has its four corners in one plane; a tetrahedron needs a volume",
        ),
        (
            error(|m| m.planes.push(Plane { particle: 0, normal: DVec3::Y * 2.0, offset: 0.0, both_sides: true })),
            "plane 0 has normal [0, 2, 0]; it must be a unit vector",
        ),
        (
            error(|m| {
                let core = muybridge::particles::Core::Ball(Point::at(0));
                m.surfaces.push(Surface { core, radius: 0.1, object: 2, part: 0 });
            }),
            "surface 0 names object 2, but the model has 0 objects, counted from 0",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let standing = Settings { time_step: 0.0, ..Settings::default() };
    let error = World::new(chain(1, 1.0), standing).expect_err("no time step");
    assert_eq!(error.to_string(), "settings 0 have a time step of 0 s; it must be a positive number");
}

#[test]
fn x14_nothing_panics_whatever_is_done() {
    let modes = [Mode::Shake, Mode::Xpbd, Mode::Jakobsen, Mode::Rosen];
    for (mode, solve) in modes.into_iter().flat_map(|mode| [(mode, Solve::OneByOne), (mode, Solve::ConjugateGradients)])
    {
        let mut model = chain(5, 1.0);
        model.volumes.push(Volume { particles: [0, 1, 2, 3], rest: 1.0, compliance: 0.0 });
        let mut world = world(model, Settings { mode, solve, ..Settings::default() });
        for index in [0, 3, 99] {
            let before = world.state.clone();
            world.push(index, DVec3::NAN).unwrap_err();
            world.hit(index, DVec3::INFINITY).unwrap_err();
            world.set_velocity(index, DVec3::NAN).unwrap_err();
            world.pin(index, DVec3::NAN).unwrap_err();
            world.drag(Point::at(index), DVec3::NAN, 1.0).unwrap_err();
            world.drag(Point::at(index), DVec3::ZERO, f64::NAN).unwrap_err();
            world.bomb(DVec3::NAN, 1.0).unwrap_err();
            world.bomb(DVec3::ZERO, f64::NAN).unwrap_err();
            assert_eq!(world.state, before, "what is refused changes nothing");
            if let Some(force) = world.state.forces.get_mut(index) {
                *force = DVec3::NAN;
            }
            world.step();
            assert_eq!(world.unpin(index).is_ok(), index < 99);
            assert_eq!(world.release(&Point::at(index)).is_ok(), index < 99);
            assert_eq!(world.wake(index).is_ok(), index < 99);
            let _ = (world.velocity(index), world.central_velocity(index), world.is_asleep(index));
        }
        world.settings = Settings { substeps: 0, iterations: 0, gravity: DVec3::NAN, mode, ..Settings::default() };
        world.step();
        let _ = (world.energy(), world.worst_stretch(), world.angular_momentum());
        world.state.positions.pop();
        let before = world.state.clone();
        world.step();
        assert_eq!(world.state.positions.len(), before.positions.len(), "a state that was cut does not step");
    }
}

#[test]
fn x14_a_force_that_is_no_number_leaves_its_island_where_it_was_and_others_go_on() {
    let mut model = chain(3, 1.0);
    model.positions.extend([DVec3::Y, DVec3::Y * 2.0]);
    model.velocities.extend([DVec3::ZERO; 2]);
    model.masses.extend([1.0; 2]);
    model.distances.push(Distance::rigid([4, 5], 1.0));
    let mut world = world(model, Settings::default());
    let mut alone = world.clone();
    steps(&mut alone, 10);
    world.state.forces[3] = DVec3::NAN;
    steps(&mut world, 10);
    assert!(world.state.positions[..4].iter().all(|place| place.is_finite()));
    assert_eq!(world.state.positions[4..], alone.state.positions[4..]);
}

#[test]
fn x14_an_empty_world_steps() {
    let mut world = world(Model::default(), Settings::default());
    steps(&mut world, 3);
    assert_eq!(world.state.steps, 3);
    assert_eq!(world.energy(), 0.0);
    let other = World::new(points(&[DVec3::ZERO]), Settings::default()).expect("one particle");
    let refused = world.restore(other.save()).expect_err("a state of another model").to_string();
    assert_eq!(
        refused,
        "state 0 has 1 positions, or other lists of the wrong length, but the model has 0 particles; restore a state of this model"
    );
}
