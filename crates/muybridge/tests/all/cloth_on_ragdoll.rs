//! Momentum exchange of a cloth and the ragdoll it hangs on, in free space, with attachments and contacts.
//!
//! ```text
//! P = Σ m v        kept to rounding: every impulse is applied to one and subtracted from the other
//! H = Σ m x × v    impulses act at one point of both (an attachment) or along the line between two (a stick, the
//!                  normal of a contact), at positions at the beginning of a substep or, for ranges and contacts,
//!                  predicted for its end. The motion of the substep rotates the latter, so that an impulse J loses
//!                  J × (displacement of the substep): in total of first order in the length of a substep
//! friction         acts at the axes of both, which are apart by the thickness: an impulse J adds a couple of at
//!                  most μ J thickness
//! ```

use core::ops::Range;

use muybridge::glam::DVec3;
use muybridge::particles::objects::{Cloth, Grid, Traits};
use muybridge::particles::{Anchor, BallJoint, Point, Settings, World};
use muybridge::ragdoll::{self, RagdollSettings, RagdollStart};
use muybridge::samples;

/// Initial velocities of ragdoll and cloth, m/s.
#[derive(Clone, Copy)]
struct Throw {
    ragdoll: DVec3,
    cloth: DVec3,
}

/// A cape of 80 cm that hangs on both shoulders, 15 cm behind the chest, and its particles.
fn caped(throw: Throw, friction: f64, substeps: u32) -> (World, Range<usize>) {
    let character = samples::humanoid();
    let start = RagdollStart::at_rest(&character.skeleton).with_velocity(throw.ragdoll, DVec3::ZERO);
    let settings = RagdollSettings { friction, ..Default::default() };
    let ragdoll = ragdoll::particles(&character, &start, &settings).expect("it has mass");
    let mut model = ragdoll.model.clone();
    let upright = muybridge::math::rotation::exp(DVec3::X * core::f64::consts::FRAC_PI_2);
    let grid = Grid { position: DVec3::new(0.0, 1.05, -0.25), rotation: upright, ..Grid::square(8, 0.8) };
    let (points, triangles) = grid.mesh().expect("a grid");
    let corners: Vec<usize> = (0..points.len()).filter(|&i| points[i].y > 1.44 && points[i].x.abs() > 0.39).collect();
    let hung = corners.clone();
    let traits = Traits { friction, drag: 0.0, ..Traits::default() };
    let cloth = Cloth { hung, mass: 2.0, velocity: throw.cloth, traits, ..Cloth::new(points, triangles) };
    let built = cloth.add_to(&mut model).expect("a cloth");
    let chest = ragdoll.bone("Chest").expect("it has a chest");
    let (at, turn) = RagdollStart::at_rest(&character.skeleton).pose[chest];
    for corner in corners {
        let point = ragdoll.point(chest, turn.inverse() * (cloth.points[corner] - at)).expect("a body");
        let a = Point::at(built.particles.start + corner);
        model.attachments.push(BallJoint { a, b: Anchor::Point(point), compliance: 0.0 });
    }
    let settings = Settings { gravity: DVec3::ZERO, substeps, ..Settings::default() };
    (World::new(model, settings).expect("a sound model"), built.particles)
}

/// Momentum of some particles, kg m/s.
fn momentum(world: &World, of: Range<usize>) -> DVec3 {
    of.map(|particle| world.velocity(particle) * world.model().masses[particle]).sum()
}

/// Results of a simulated second.
struct Run {
    /// Largest momentum transferred between ragdoll and cloth, kg m/s.
    given: f64,
    /// Largest change of the total momentum, kg m/s.
    lost: f64,
    /// Largest change of the total angular momentum, kg m²/s.
    turned: f64,
    /// Largest number of simultaneous contacts.
    touches: usize,
    /// Total angular momentum at the start, kg m²/s.
    angular: f64,
}

fn run(throw: Throw, friction: f64, substeps: u32) -> Run {
    let (mut world, cloth) = caped(throw, friction, substeps);
    let body = 0..cloth.start;
    let (linear, angular) = (world.momentum(), world.angular_momentum());
    let (own, others) = (momentum(&world, cloth.clone()), momentum(&world, body.clone()));
    let mut run = Run { given: 0.0, lost: 0.0, turned: 0.0, touches: 0, angular: 0.0 };
    for _ in 0..60 {
        world.step();
        let (cloth_now, body_now) = (momentum(&world, cloth.clone()), momentum(&world, body.clone()));
        let sum = (cloth_now - own) + (body_now - others);
        run.given = run.given.max((body_now - others).length());
        run.lost = run.lost.max(sum.length()).max((world.momentum() - linear).length());
        run.turned = run.turned.max((world.angular_momentum() - angular).length());
        run.touches = run.touches.max(world.touches().count());
    }
    run.angular = angular.length();
    run
}

const THROWS: [Throw; 2] = [
    Throw { ragdoll: DVec3::ZERO, cloth: DVec3::new(0.5, 0.0, 4.0) },
    Throw { ragdoll: DVec3::new(-0.3, 0.2, -3.0), cloth: DVec3::ZERO },
];

#[test]
fn a_cloth_and_the_ragdoll_it_hangs_on_give_each_other_momentum_and_lose_none() {
    for throw in THROWS {
        for friction in [0.0, 0.6] {
            let [coarse, fine] = [16, 64].map(|substeps| run(throw, friction, substeps));
            for run in [&coarse, &fine] {
                assert!(run.touches > 0 && run.given > 0.1, "{} places, {} kg m/s given", run.touches, run.given);
                assert!(run.lost < 1e-9 * run.given, "{:e} of {} kg m/s", run.lost, run.given);
            }
            // The error is of first order in the length of a substep; friction adds its couple.
            if friction == 0.0 {
                let [coarse, fine] = [coarse.turned, fine.turned].map(|turned| turned / fine.angular);
                assert!(coarse < 5e-3 && fine < 0.4 * coarse, "{coarse} {fine}");
            }
        }
    }
}
