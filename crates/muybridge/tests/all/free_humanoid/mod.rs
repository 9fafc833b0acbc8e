//! The humanoid of the workloads as free, tumbling rigid bodies: workload W4 of the peers.
//!
//! Fifteen capsules, ten balls and four hinges (`samples::mannequin`), no gravity, no ranges; the velocities are those of
//! `bench/peers`, drawn from the same generator.

use muybridge::character::JointRange;
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::Random;
use muybridge::rigid::joint::MOST_ROWS;
use muybridge::rigid::motion::vector;
use muybridge::rigid::rattle::Mechanism;
use muybridge::rigid::{Body, Forest, Joint, Kind, Momentum, Pose};
use muybridge::samples::mannequin;

/// The humanoid and its state.
#[derive(Clone)]
pub struct Figure {
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub forest: Forest,
    pub poses: Vec<Pose<f64>>,
    pub momenta: Vec<Momentum<f64>>,
    pub multipliers: [Vec<[f64; MOST_ROWS]>; 2],
}

/// Conserved quantities of a free humanoid.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Energy, joules.
    pub energy: f64,
    /// Linear momentum, kg m/s.
    pub momentum: DVec3,
    /// Angular momentum about the center of mass, kg m²/s.
    pub angular_momentum: DVec3,
}

impl Figure {
    pub fn new() -> Self {
        let character = mannequin();
        let rest = character.skeleton.rest_pose();
        let (mut bodies, mut poses, mut joints) = (Vec::new(), Vec::new(), Vec::new());
        let mut velocities = vec![(DVec3::new(0.3, 0.2, -0.1), DVec3::new(1.5, 2.0, 0.7))];
        let mut random = Random::new(77);
        for (bone, properties) in character.bodies.iter().enumerate() {
            let at = rest[bone].0;
            let (body, frame) = Body::of(&muybridge::collision::MassProperties {
                mass: properties.mass,
                center: properties.center,
                inertia: properties.inertia,
            })
            .expect("a capsule is a body");
            let (place, turn) = frame.placed(at, DQuat::IDENTITY);
            bodies.push(body);
            poses.push(Pose::new(place, turn));
            let Some(parent) = character.skeleton.bones()[bone].parent else { continue };
            let (kind, axis, relative) = match character.ranges[bone] {
                JointRange::Hinge { axis, .. } => (Kind::Hinge, axis, axis * (3.0 * random.unit())),
                _ => (Kind::Ball, DVec3::X, random.vector() * 2.0),
            };
            let above = (parent, poses[parent].place(), poses[parent].turn());
            let frame = (at, DQuat::from_rotation_arc(DVec3::X, axis));
            joints.push(Joint::between(Some(above), (bone, place, turn), frame, kind));
            let (v0, w0): (DVec3, DVec3) = velocities[parent];
            let w = w0 + relative;
            velocities.push((v0 + w0.cross(at - above.1) + w.cross(place - at), w));
        }
        let of = |((body, pose), (v, w)): ((&Body, &Pose<f64>), (DVec3, DVec3))| Momentum::of(body, pose.turn(), v, w);
        let momenta = bodies.iter().zip(&poses).zip(velocities).map(of).collect();
        let none = vec![[0.0; MOST_ROWS]; joints.len()];
        let forest = Forest::new(bodies.len(), &joints);
        Self { bodies, joints, forest, poses, momenta, multipliers: [none.clone(), none] }
    }

    pub fn mechanism(&self) -> Mechanism<'_> {
        Mechanism { bodies: &self.bodies, joints: &self.joints, forest: &self.forest }
    }

    pub fn kept(&self) -> Kept {
        let mass: f64 = self.bodies.iter().map(|body| body.mass).sum();
        let all = || self.bodies.iter().zip(&self.poses).zip(&self.momenta);
        let center: DVec3 = all().map(|((body, pose), _)| pose.place() * (body.mass / mass)).sum();
        let about = |((_, pose), momentum): ((&Body, &Pose<f64>), &Momentum<f64>)| {
            vector(momentum.angular) + (pose.place() - center).cross(vector(momentum.linear))
        };
        Kept {
            energy: all().map(|((body, pose), momentum)| momentum.kinetic_energy(body, pose.turn())).sum(),
            momentum: self.momenta.iter().map(|momentum| vector(momentum.linear)).sum(),
            angular_momentum: all().map(about).sum(),
        }
    }

    /// Largest distance between the anchors of a joint, meters.
    pub fn gap(&self) -> f64 {
        let of = |joint: &Joint| {
            let anchor = |body: usize, side: usize| self.poses[body].point(joint.frames[side].position);
            joint.parent.map_or(0.0, |parent| anchor(parent, 0).distance(anchor(joint.child, 1)))
        };
        self.joints.iter().map(of).fold(0.0, f64::max)
    }
}
