//! The midpoint rule of trees of ball joints against theory and against RATTLE.

use glam::{DQuat, DVec3};

use super::*;
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::rigid::joint::Joint;
use crate::rigid::model::Start;
use crate::rigid::rattle::{Passes, Rattle};
use crate::rigid::{Model, Settings, World, state};

/// A chain of rods along x, with its first end at the origin; joined to the world there if `hangs`.
struct Chain {
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    forest: Forest,
    poses: Vec<Pose<f64>>,
    momenta: Vec<Momentum<f64>>,
    multipliers: [Vec<[f64; MOST_ROWS]>; 2],
}

impl Chain {
    fn new(count: usize, hangs: bool) -> Self {
        let at = |body: usize| DVec3::X * (body as f64 + 0.5);
        let of = |body: usize| (body, at(body), DQuat::IDENTITY);
        let join = |above: Option<usize>, body: usize| {
            Joint::between(above.map(of), of(body), (DVec3::X * body as f64, DQuat::IDENTITY), Kind::Ball)
        };
        let mut joints: Vec<Joint> = (1..count).map(|body| join(Some(body - 1), body)).collect();
        joints.extend(hangs.then(|| join(None, 0)));
        // A rod, a brick and a ball in turn.
        let moments = [DVec3::new(0.01, 0.09, 0.09), DVec3::new(0.05, 0.1, 0.13), DVec3::splat(0.1)];
        let bodies: Vec<Body> = (0..count).map(|body| Body::new(1.0, moments[body % 3]).unwrap()).collect();
        let forest = Forest::new(count, &joints);
        let multipliers = [vec![[0.0; MOST_ROWS]; joints.len()], vec![[0.0; MOST_ROWS]; joints.len()]];
        let poses = (0..count).map(|body| Pose::new(at(body), DQuat::IDENTITY)).collect();
        Self { bodies, joints, forest, poses, momenta: vec![Momentum::ZERO; count], multipliers }
    }

    /// Kicks every body by chance.
    fn kicked(mut self, speed: f64) -> Self {
        let mut random = Random::new(5);
        for momentum in &mut self.momenta {
            let mut unit = || (DVec3::new(random.unit(), random.unit(), random.unit()) - 0.5) * speed;
            *momentum = Momentum::from_vectors(unit(), unit() * 0.1);
        }
        self.projected()
    }

    /// Takes away the velocities of the joints.
    fn projected(mut self) -> Self {
        let mechanism = Mechanism { bodies: &self.bodies, joints: &self.joints, forest: &self.forest };
        let mut rattle = Rattle::new(0.0, mechanism);
        rattle.factor(mechanism, &self.poses, &Joint::guide, 1.0);
        rattle.project(mechanism, &mut self.momenta);
        self
    }

    fn swing(&mut self, h: f64, steps: usize) {
        let mechanism = Mechanism { bodies: &self.bodies, joints: &self.joints, forest: &self.forest };
        let mut swing = Swing::default();
        for step in 0..steps {
            let state = (&mut self.poses[..], &mut self.momenta[..]);
            let worst = swing.drift(mechanism, state, &mut self.multipliers, (h, CLOSED));
            assert!(worst.is_some_and(|worst| worst <= CLOSED), "step {step}: {worst:?}");
        }
    }

    fn rattle(&mut self, h: f64, steps: usize) {
        let mechanism = Mechanism { bodies: &self.bodies, joints: &self.joints, forest: &self.forest };
        let mut rattle = Rattle::new(0.0, mechanism);
        let passes = Passes { most: 20, tolerance: 1e-12, is_warm: true };
        rattle.factor(mechanism, &self.poses, &Joint::guide, h);
        for _ in 0..steps {
            let state = (&mut self.poses[..], &mut self.momenta[..]);
            rattle.drift(mechanism, state, &mut self.multipliers, &Joint::guide, (h, passes));
            rattle.factor(mechanism, &self.poses, &Joint::guide, h);
            rattle.project(mechanism, &mut self.momenta);
        }
    }

    fn energy(&self) -> f64 {
        let of = |body: usize| self.momenta[body].kinetic_energy(&self.bodies[body], self.poses[body].turn());
        (0..self.bodies.len()).map(of).sum()
    }

    /// Linear momentum, and angular momentum about the origin.
    fn momentum(&self) -> [DVec3; 2] {
        let each = self.poses.iter().zip(&self.momenta);
        each.fold([DVec3::ZERO; 2], |[p, l], (pose, momentum)| {
            let linear = vector(momentum.linear);
            [p + linear, l + pose.place().cross(linear) + vector(momentum.angular)]
        })
    }
}

#[test]
fn h5_a_free_chain_keeps_both_momenta_and_nearly_its_energy() {
    let mut chain = Chain::new(6, false).kicked(2.0);
    let (before, energy) = (chain.momentum(), chain.energy());
    chain.swing(0.01, 500);
    for (now, before) in chain.momentum().into_iter().zip(before) {
        assert!((now - before).length() < 1e-10, "{now} {before}");
    }
    assert!((chain.energy() / energy - 1.0).abs() < 1e-3, "{} {energy}", chain.energy());
}

#[test]
fn x15_it_agrees_with_rattle_to_second_order() {
    let at = |h: f64, steps: usize| {
        let mut chain = Chain::new(4, true).kicked(2.0);
        chain.swing(h, steps);
        chain.poses[3].place()
    };
    let mut exact = Chain::new(4, true).kicked(2.0);
    exact.rattle(0.5 / 4096.0, 4096);
    let [coarse, fine] = [50, 100].map(|steps| (at(0.5 / steps as f64, steps) - exact.poses[3].place()).length());
    assert!(fine < 1e-3 && (libm::log2(coarse / fine) - 2.0).abs() < 0.2, "{coarse} {fine}");
}

#[test]
fn a_chain_stretched_by_a_spinning_end_swings_where_rattle_is_unstable() {
    // A hanging chain that turns about the z axis: the tension at the world is ω² Σ m r.
    let (count, spin) = (12, 4.0);
    let mut chain = Chain::new(count, true);
    let mut random = Random::new(8);
    for body in 0..count {
        let pose = chain.poses[body];
        let velocity = DVec3::Z.cross(pose.place()) * spin;
        // Neighbors are a little off against each other.
        let off = exp(DVec3::Z * (1e-3 * (random.unit() - 0.5)));
        chain.momenta[body] = Momentum::of(&chain.bodies[body], pose.turn(), off * velocity, DVec3::Z * spin);
    }
    let mut chain = chain.projected();
    let tension: f64 = (0..count).map(|body| spin * spin * (body as f64 + 0.5)).sum();
    // ω h of a link: 12 T/(m ℓ) with the moment 0.1 of 1/12.
    let h = 0.05;
    assert!(libm::sqrt(tension / 0.1) * h > 2.0);
    let energy = chain.energy();
    chain.swing(h, 200);
    assert!((chain.energy() / energy - 1.0).abs() < 1e-2, "{} {energy}", chain.energy());
    let force = DVec3::from_slice(&chain.multipliers[0][count - 1][..3]).length();
    assert!((force / tension - 1.0).abs() < 0.05, "{force} {tension}");
}

/// Two hundred links of 2.5 cm, let go level. RATTLE needs eighty solutions a frame, and gains 0.12 J.
#[test]
fn a_long_chain_let_go_level_keeps_its_energy_in_few_solutions() {
    let (count, length, mass) = (200, 0.025, 0.05);
    let across = mass * length * length / 12.0;
    let at = |body: usize| DVec3::X * (length * (body as f64 + 0.5));
    let mut model = Model {
        bodies: vec![Body::new(mass, DVec3::new(0.1 * across, across, across)).unwrap(); count],
        ..Model::default()
    };
    for body in 0..count {
        let above = body.checked_sub(1).map(|above| (above, at(above), DQuat::IDENTITY));
        let place = (DVec3::X * (length * body as f64), DQuat::IDENTITY);
        model.joints.push(Joint::between(above, (body, at(body), DQuat::IDENTITY), place, Kind::Ball));
    }
    let starts: Vec<Start> = (0..count).map(|body| Start::at(at(body), DQuat::IDENTITY)).collect();
    let mut world = World::new(model, &starts, Settings { rest_steps: 0, ..Settings::default() }).unwrap();
    let mut solutions = 0;
    for frame in 0..90 {
        world.step();
        solutions += world.report().tree_solves;
        assert!(world.report().worst_joint <= 1e-6, "{frame}: {}", world.report().worst_joint);
        let energy = state::kinetic_energy(&world.model, &world.state)
            + state::potential_energy(&world.model, &world.state, world.settings.gravity);
        // Of 245 J that it has to fall.
        assert!(energy.abs() < 0.1, "{frame}: {energy}");
    }
    assert!(solutions < 90 * 30, "{solutions}");
}
