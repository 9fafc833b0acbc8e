//! A step allocates nothing (J1).

use muybridge::glam::DQuat;
use muybridge::glam::DVec3;
use muybridge::particles::{Distance, Mode, Model, Plane, Point, Settings, Solve, Volume, World};
use muybridge::rigid::displacement::{self, Constraints, Displacement, Mask, Scratch};
use muybridge::rigid::joint::Frame;
use muybridge::rigid::rattle::Mechanism;
use muybridge::rigid::{Body, Forest, Joint, Kind, Momentum, Pose};

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

#[test]
fn z22_a_step_by_displacement_allocates_nothing() {
    let bodies = vec![Body::new(1.0, DVec3::ONE).expect("a body"); 4];
    let frames = [Frame::at(DVec3::X * 0.5), Frame::at(DVec3::X * -0.5)];
    let ball = |parent: Option<usize>, child| Joint { parent, child, frames, kind: Kind::Ball, compliance: 0.0 };
    let joints = [ball(None, 0), ball(Some(0), 1), ball(Some(1), 2), ball(Some(2), 3), ball(None, 3)];
    let forest = Forest::new(bodies.len(), &joints);
    let mechanism = Mechanism { bodies: &bodies, joints: &joints, forest: &forest };
    let masks = [Mask::orientation(1, DQuat::IDENTITY)];
    let constraints = Constraints { masks: &masks, ..Constraints::joints(mechanism) };
    for method in [Displacement::Lamouret, Displacement::Block, Displacement::Skeleton] {
        let settings = displacement::Settings { method, ..Default::default() };
        let mut poses: Vec<_> = (0..4).map(|i| Pose::new(DVec3::X * f64::from(i), DQuat::IDENTITY)).collect();
        let mut momenta = [Momentum::ZERO; 4];
        let mut scratch = Scratch::new(mechanism);
        let counted = allocation_counter::measure(|| {
            for _ in 0..20 {
                let bodies = (&mut poses[..], &mut momenta[..]);
                displacement::step(&constraints, bodies, |_, _, _| Momentum::ZERO, (0.01, &settings), &mut scratch);
            }
        });
        assert_eq!(counted.count_total, 0, "{method:?}");
    }
}
