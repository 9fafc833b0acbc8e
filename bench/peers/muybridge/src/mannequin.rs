//! The workload's humanoid as a model of particles: four per body, with its mass, center and inertia.

use muybridge::collision::MassProperties;
use muybridge::glam::{DMat3, DVec3};
use muybridge::particles::body::{Placement, RigidBody};
use muybridge::particles::{Anchor, BallJoint, Core, Direction, Hinge, Model, Object, Point, Surface, SwingTwist};
use workloads::humanoid::{Body, Joint};
use workloads::{FRICTION, Humanoid, Kind};

/// Half the distance between the two points that make a hinge, meters.
const HINGE: f64 = 0.05;

/// A body and its first particle.
struct Placed {
    body: RigidBody,
    first: usize,
}

impl Placed {
    fn point(&self, in_body: DVec3) -> Point {
        self.body.point(self.first, in_body)
    }
    fn direction(&self, in_body: DVec3) -> Direction {
        self.body.direction(self.first, in_body)
    }
}

/// Builds the particle model of one ragdoll in the rest pose; its tetrahedra are the bodies, in order.
pub fn model(humanoid: &Humanoid, touches_itself: bool) -> Model {
    let mut model = Model::default();
    let bodies: Vec<Placed> = humanoid.bodies.iter().map(|body| add_body(&mut model, body)).collect();
    for joint in &humanoid.joints {
        add_joint(&mut model, joint, &bodies[joint.a], &bodies[joint.b]);
    }
    let particles = 0..model.positions.len();
    let object = Object { touches_itself, friction: FRICTION, ..Object::smooth(particles) };
    model.objects.push(object);
    model
}

fn add_body(model: &mut Model, capsule: &Body) -> Placed {
    let inertia = DMat3::from_diagonal(capsule.inertia());
    let properties = MassProperties { mass: capsule.mass, center: DVec3::ZERO, inertia };
    let body = RigidBody::new(&properties).expect("a capsule is a body");
    let first = body.add_to(model, &Placement::at(capsule.rest.p, capsule.rest.q));
    let placed = Placed { body, first };
    let part = model.tetrahedra.len() - 1;
    let ends = [-capsule.half, capsule.half].map(|y| placed.point(DVec3::Y * y));
    model.surfaces.push(Surface { core: Core::Segment(ends), radius: capsule.radius, object: 0, part });
    placed
}

fn add_joint(model: &mut Model, joint: &Joint, a: &Placed, b: &Placed) {
    let frames = [(a, &joint.fa), (b, &joint.fb)];
    let [in_a, in_b] = frames.map(|(body, at)| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| body.direction(at.q * axis)));
    let mut attach = |offset: f64| {
        let [a, b] = frames.map(|(body, at)| body.point(at.pt(DVec3::X * offset)));
        model.attachments.push(BallJoint { a, b: Anchor::Point(b), compliance: 0.0 });
    };
    match joint.kind {
        Kind::Ball { cone, twist } => {
            attach(0.0);
            let limit = SwingTwist {
                a: in_a,
                b: in_b,
                swing: [cone; 2],
                twist: [-twist, twist],
                compliance: 0.0,
                friction: 0.0,
            };
            model.swing_twists.push(limit);
        }
        Kind::Hinge { min, max } => {
            attach(-HINGE);
            attach(HINGE);
            model.hinges.push(Hinge { a: in_a, b: in_b, range: [min, max], compliance: 0.0, friction: 0.0 });
        }
    }
}
