//! The workload's humanoids as rigid bodies: one world with joints by multipliers and the defaults of `rigid`.

use muybridge::collision::{Obstacle, ObstacleShape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::rigid::joint::Frame;
use muybridge::rigid::model::{Collider, JointLimit, Object, Range, Start};
use muybridge::rigid::{Body, Joint, Kind as JointKind, Model, Settings, World as RigidWorld};
use workloads::humanoid::{Body as Capsule, Joint as Linked};
use workloads::{DT, FRICTION, GRAVITY, Kind, Pose, Scene, Vel, World};

/// A world with one object per ragdoll.
pub struct Rigid(RigidWorld);

/// Builds a world of all ragdolls with the settings of the workloads.
pub fn rigid(scene: &Scene) -> Rigid {
    let mut model = Model::default();
    let mut starts = Vec::new();
    for ragdoll in 0..scene.instances.len() {
        add(&mut model, scene);
        starts.extend(starts_of(scene, ragdoll));
    }
    model.obstacles.push(ground());
    let settings = Settings { time_step: DT, gravity: DVec3::Y * GRAVITY, rest_steps: 0, ..Settings::default() };
    Rigid(RigidWorld::new(model, &starts, settings).expect("the humanoids are sound"))
}

/// Adds a ragdoll to the model.
pub fn add(model: &mut Model, scene: &Scene) {
    let (first, object) = (model.bodies.len(), model.objects.len());
    for (body, capsule) in scene.humanoid.bodies.iter().enumerate() {
        model.bodies.push(Body::new(capsule.mass, capsule.inertia()).expect("a capsule is a body"));
        model.solids.push(solid(first + body, object, capsule));
    }
    for joint in &scene.humanoid.joints {
        join(model, first, joint);
    }
    model.objects.push(Object { friction: FRICTION, touches_itself: scene.self_collision, ..Object::default() });
}

/// Initial poses of the bodies of one ragdoll.
pub fn starts_of(scene: &Scene, ragdoll: usize) -> Vec<Start> {
    let start = |body: usize| {
        let Pose { p, q } = scene.body_pose(ragdoll, body);
        Start::at(p, q)
    };
    (0..scene.humanoid.bodies.len()).map(start).collect()
}

/// The ground below the ragdolls.
pub fn ground() -> Obstacle {
    Obstacle::ground(0.0).expect("a height").with_friction(FRICTION)
}

/// A capsule collider along y; the library's capsules are along y as well.
fn solid(body: usize, object: usize, capsule: &Capsule) -> Collider {
    let shape = ObstacleShape::Capsule { radius: capsule.radius, half_length: capsule.half };
    Collider { body, object, shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }
}

fn join(model: &mut Model, first: usize, joint: &Linked) {
    let frame = |at: &Pose| Frame { position: at.p, rotation: at.q };
    let (kind, bounds) = match joint.kind {
        Kind::Ball { cone, twist } => {
            (JointKind::Ball, JointLimit::SwingTwist { swing: [cone; 2], twist: [-twist, twist] })
        }
        Kind::Hinge { min, max } => (JointKind::Hinge, JointLimit::Hinge([min, max])),
    };
    model.ranges.push(Range { joint: model.joints.len(), bounds });
    let frames = [frame(&joint.fa), frame(&joint.fb)];
    model.joints.push(Joint { parent: Some(first + joint.a), child: first + joint.b, frames, kind, compliance: 0.0 });
}

impl World for Rigid {
    fn step(&mut self) {
        self.0.step();
    }
    fn poses(&mut self, out: &mut Vec<Pose>) {
        out.clear();
        out.extend(self.0.state.poses.iter().map(|pose| Pose { p: pose.place(), q: pose.turn() }));
    }
    fn vels(&mut self, out: &mut Vec<Vel>) {
        let RigidWorld { state, model, .. } = &self.0;
        out.clear();
        out.extend(state.momenta.iter().zip(&model.bodies).zip(&state.poses).map(|((momentum, body), pose)| {
            let (lin, ang) = momentum.velocities(body, pose.turn());
            Vel { lin, ang }
        }));
    }
}
