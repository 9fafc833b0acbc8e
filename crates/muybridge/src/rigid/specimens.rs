//! Mechanisms shared by tests: chains of rods, double rods, random trees with and without loops; the graph of a net.

use glam::{DQuat, DVec3};

use super::envelope::Ends;
use super::integrator::Wrench;
use super::joint::{Frame, Joint, Kind};
use super::motion::vector;
use super::rattle::Mechanism;
use super::{Body, Forest, Momentum, Pose};
use crate::math::lane_rotation::LaneVector;
use crate::math::random::Random;

pub const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Kinds of joints in random trees.
pub const KINDS: [Kind; 3] = [Kind::Ball, Kind::Hinge, Kind::Universal];

/// Mechanism with its state.
#[derive(Clone)]
pub struct Specimen {
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub forest: Forest,
    pub poses: Vec<Pose<f64>>,
    pub momenta: Vec<Momentum<f64>>,
}

/// Thin uniform rod of 1 kg and 1 m along x.
pub fn rod() -> Body {
    Body::new(1.0, DVec3::new(1e-3, 1.0 / 12.0, 1.0 / 12.0)).unwrap()
}

impl Specimen {
    pub fn new(bodies: Vec<Body>, joints: Vec<Joint>, poses: Vec<Pose<f64>>) -> Self {
        let forest = Forest::new(bodies.len(), &joints);
        let momenta = vec![Momentum::ZERO; bodies.len()];
        Self { bodies, joints, forest, poses, momenta }
    }

    pub fn mechanism(&self) -> Mechanism<'_> {
        Mechanism { bodies: &self.bodies, joints: &self.joints, forest: &self.forest }
    }

    /// Rods in a row along x from the origin; the first is joined to the world.
    pub fn chain(rods: usize, kind: &Kind) -> Self {
        let joint = |child: usize| Joint {
            parent: child.checked_sub(1),
            child,
            frames: [if child == 0 { DVec3::ZERO } else { DVec3::X * 0.5 }, DVec3::X * -0.5].map(Frame::at),
            kind: kind.clone(),
            compliance: 0.0,
        };
        let pose = |rod: usize| Pose::new(DVec3::X * (rod as f64 + 0.5), DQuat::IDENTITY);
        Self::new(vec![rod(); rods], (0..rods).map(joint).collect(), (0..rods).map(pose).collect())
    }

    /// Free random tree with ball, hinge and universal joints, all moving as the joints allow.
    pub fn random_tree(bodies: usize, random: &mut Random) -> Self {
        Self::random_tree_of(&KINDS, bodies, random)
    }

    /// Free random tree with joints of the given kinds.
    pub fn random_tree_of(kinds: &[Kind], bodies: usize, random: &mut Random) -> Self {
        let mut specimen = Self::new(Vec::new(), Vec::new(), Vec::new());
        let mut velocities: Vec<(DVec3, DVec3)> = Vec::new();
        for child in 0..bodies {
            let moments = DVec3::new(0.5 + random.unit(), 0.5 + random.unit(), 0.5 + random.unit());
            specimen.bodies.push(Body::new(0.5 + random.unit(), moments * 0.3).unwrap());
            let place = (random.vector() * 2.0, random.rotation());
            specimen.poses.push(Pose::new(place.0, place.1));
            if child == 0 {
                velocities.push((random.vector(), random.vector()));
                continue;
            }
            let parent = (random.unit() * child as f64) as usize;
            let above = &specimen.poses[parent];
            let (at, turn) = ((above.place() + place.0) * 0.5 + random.vector() * 0.3, random.rotation());
            let kind = kinds[(random.unit() * kinds.len() as f64) as usize].clone();
            let free = match kind {
                Kind::Ball => random.vector(),
                Kind::Hinge => turn * DVec3::X * random.signed(),
                // Relative rotation about the parent's x and the child's y.
                _ => turn * DVec3::new(random.signed(), random.signed(), 0.0),
            };
            let (v0, w0) = velocities[parent];
            let w = w0 + free;
            velocities.push((v0 + w0.cross(at - above.place()) + w.cross(place.0 - at), w));
            let above = (parent, above.place(), above.turn());
            specimen.joints.push(Joint::between(Some(above), (child, place.0, place.1), (at, turn), kind));
        }
        specimen.forest = Forest::new(bodies, &specimen.joints);
        let of = |((body, pose), (v, w)): ((&Body, &Pose<f64>), (DVec3, DVec3))| Momentum::of(body, pose.turn(), v, w);
        specimen.momenta = specimen.bodies.iter().zip(&specimen.poses).zip(velocities).map(of).collect();
        specimen
    }

    /// Adds a joint that closes a loop at the present poses.
    pub fn closed(mut self, (parent, child): (usize, usize), kind: Kind) -> Self {
        let (above, below) = (&self.poses[parent], &self.poses[child]);
        let frame = ((above.place() + below.place()) * 0.5, DQuat::IDENTITY);
        let joint = match kind {
            Kind::Distance { .. } => Joint {
                parent: Some(parent),
                child,
                frames: [Frame::at(DVec3::X * 0.1), Frame::at(DVec3::Y * 0.2)],
                kind: Kind::Distance { length: above.point(DVec3::X * 0.1).distance(below.point(DVec3::Y * 0.2)) },
                compliance: 0.0,
            },
            kind => Joint::between(
                Some((parent, above.place(), above.turn())),
                (child, below.place(), below.turn()),
                frame,
                kind,
            ),
        };
        self.joints.push(joint);
        self.forest = Forest::new(self.bodies.len(), &self.joints);
        self
    }

    /// Total energy in the field of gravity, joules.
    pub fn energy(&self) -> f64 {
        let of = |((body, pose), momentum): ((&Body, &Pose<f64>), &Momentum<f64>)| {
            momentum.kinetic_energy(body, pose.turn()) - body.mass * GRAVITY.dot(pose.place())
        };
        self.bodies.iter().zip(&self.poses).zip(&self.momenta).map(of).sum()
    }

    /// Greatest error of all joints, meters or radians.
    pub fn gap(&self) -> f64 {
        let worst = |joint: &Joint| {
            let sides = joint.sides_at(&self.poses);
            let rows = joint.equations(&sides, joint.guide(&sides).as_ref());
            rows.error[..rows.count].iter().fold(0.0_f64, |worst, error| worst.max(error.abs()))
        };
        self.joints.iter().map(worst).fold(0.0, f64::max)
    }

    /// Velocity and angular velocity of a body.
    pub fn velocity(&self, body: usize) -> (DVec3, DVec3) {
        self.momenta[body].velocities(&self.bodies[body], self.poses[body].turn())
    }
}

/// Adds the weights of bodies to wrenches.
pub fn weigh(bodies: &[Body], wrenches: &mut [Wrench]) {
    for (wrench, body) in wrenches.iter_mut().zip(bodies) {
        wrench.linear = LaneVector::splat((), vector(wrench.linear) + GRAVITY * body.mass);
    }
}

/// Edges of a net of `across` by `across` nodes, in random order.
pub fn net(across: usize) -> Vec<Ends> {
    let mut edges = Vec::new();
    for node in 0..across * across {
        if node % across > 0 {
            edges.push([Some(node - 1), Some(node)]);
        }
        if node >= across {
            edges.push([Some(node - across), Some(node)]);
        }
    }
    let mut random = Random::new(3);
    for place in (1..edges.len()).rev() {
        edges.swap(place, (random.unit() * (place + 1) as f64) as usize);
    }
    edges
}

/// Graph Laplacian of edges, by lines: 2 on the diagonal and ±1 where two share a node; singular by its cycles.
pub struct Laplacian {
    edges: Vec<Ends>,
    /// A right-hand side that has a solution: that of a potential drop along each edge.
    pub right: Vec<f64>,
}

impl Laplacian {
    pub fn of(edges: Vec<Ends>) -> Self {
        let mut random = Random::new(5);
        let flow: Vec<f64> = edges.iter().map(|_| random.unit() - 0.5).collect();
        let mut own = Self { edges, right: Vec::new() };
        own.right = (0..flow.len()).map(|i| own.product(&flow, i)).collect();
        own
    }

    pub fn value(&self, i: usize, j: usize) -> f64 {
        let sign = |line: usize, node: usize| if self.edges[line][0] == Some(node) { -1.0 } else { 1.0 };
        let common = self.edges[i].into_iter().flatten().filter(|&node| self.edges[j].contains(&Some(node)));
        common.map(|node| sign(i, node) * sign(j, node)).sum()
    }

    fn product(&self, x: &[f64], i: usize) -> f64 {
        (0..x.len()).map(|j| self.value(i, j) * x[j]).sum()
    }

    /// Checks that a solution fits and leaves one line out for each cycle of a connected graph of so many nodes.
    pub fn check(&self, solution: &[f64], nodes: usize) {
        for (i, right) in self.right.iter().enumerate() {
            assert!((self.product(solution, i) - right).abs() < 1e-9, "{i}");
        }
        let free = solution.iter().filter(|&&value| value == 0.0).count();
        assert_eq!(free, self.edges.len() - (nodes - 1), "as many as cycles");
    }
}
