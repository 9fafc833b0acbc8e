//! rapier3d: impulse joints for ragdolls, soft bodies for cloth.

mod door;

use rapier3d::prelude as rp;
use rapier3d::prelude::*;
use workloads::glam::{DQuat, DVec3};
use workloads::{Cloth, ClothWorld, FRICTION, GRAVITY, GROUND, Kind, Pose, Scene, Vel, World};

fn vector(a: DVec3) -> rp::Vector {
    rp::Vector::new(a.x as f32, a.y as f32, a.z as f32)
}
fn back(a: rp::Vector) -> DVec3 {
    DVec3::new(f64::from(a.x), f64::from(a.y), f64::from(a.z))
}
fn pose(p: &Pose) -> rp::Pose {
    rp::Pose::from_parts(vector(p.p), rp::Rotation::from_xyzw(p.q.x as f32, p.q.y as f32, p.q.z as f32, p.q.w as f32))
}
fn groups(member: Group, filter: Group) -> InteractionGroups {
    InteractionGroups::new(member, filter, InteractionTestMode::And)
}

struct Ragdolls {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

fn empty_world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.gravity = rp::Vector::new(0.0, GRAVITY as f32, 0.0);
    world.integration_parameters.dt = workloads::DT as f32;
    world
}

fn ragdolls(scene: &Scene) -> Ragdolls {
    let mut world = empty_world();
    let (ground, doll) = (Group::GROUP_1, Group::GROUP_2);
    let floor = world.insert_body(RigidBodyBuilder::fixed().translation(rp::Vector::new(0.0, -GROUND[1] as f32, 0.0)));
    let cuboid = ColliderBuilder::cuboid(GROUND[0] as f32, GROUND[1] as f32, GROUND[2] as f32);
    world.insert_collider(cuboid.friction(FRICTION as f32).collision_groups(groups(ground, Group::ALL)), Some(floor));
    let filter = if scene.self_collision { Group::ALL } else { ground };
    let mut bodies = vec![];
    for instance in 0..scene.instances.len() {
        let first = bodies.len();
        for (index, body) in scene.humanoid.bodies.iter().enumerate() {
            let rigid = RigidBodyBuilder::dynamic().pose(pose(&scene.body_pose(instance, index))).can_sleep(false);
            let handle = world.insert_body(rigid);
            let capsule = ColliderBuilder::capsule_y(body.half as f32, body.radius as f32);
            let capsule = capsule.density(body.density() as f32).friction(FRICTION as f32);
            world.insert_collider(capsule.collision_groups(groups(doll, filter)), Some(handle));
            bodies.push(handle);
        }
        for joint in &scene.humanoid.joints {
            world.insert_impulse_joint(bodies[first + joint.a], bodies[first + joint.b], limited(joint));
        }
    }
    Ragdolls { world, bodies }
}

fn limited(joint: &workloads::humanoid::Joint) -> GenericJoint {
    let locked = match joint.kind {
        Kind::Ball { .. } => JointAxesMask::LOCKED_SPHERICAL_AXES,
        Kind::Hinge { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
    };
    let builder = GenericJointBuilder::new(locked).local_frame1(pose(&joint.fa)).local_frame2(pose(&joint.fb));
    let builder = builder.contacts_enabled(false);
    match joint.kind {
        Kind::Ball { cone, twist } => builder
            .limits(JointAxis::AngX, [-twist as f32, twist as f32])
            .limits(JointAxis::AngY, [-cone as f32, cone as f32])
            .limits(JointAxis::AngZ, [-cone as f32, cone as f32])
            .build(),
        Kind::Hinge { min, max } => builder.limits(JointAxis::AngX, [min as f32, max as f32]).build(),
    }
}

fn pose_of(world: &PhysicsWorld, handle: RigidBodyHandle) -> Pose {
    let at = world.bodies[handle].position();
    let r = at.rotation;
    let [x, y, z, w] = [r.x, r.y, r.z, r.w].map(f64::from);
    Pose { p: back(at.translation), q: DQuat::from_xyzw(x, y, z, w).normalize() }
}

impl World for Ragdolls {
    fn step(&mut self) {
        self.world.step();
    }
    fn poses(&mut self, out: &mut Vec<Pose>) {
        out.clear();
        for &handle in &self.bodies {
            out.push(pose_of(&self.world, handle));
        }
    }
    fn vels(&mut self, out: &mut Vec<Vel>) {
        out.clear();
        for &handle in &self.bodies {
            let body = &self.world.bodies[handle];
            out.push(Vel { lin: back(body.linvel()), ang: back(body.angvel()) });
        }
    }
}

struct Soft {
    world: PhysicsWorld,
    body: SoftBodyHandle,
    particles: usize,
}

fn soft(cloth: &Cloth, frequency: f32) -> Soft {
    let (mut world, n, origin) = (empty_world(), cloth.n, cloth.pos[0]);
    let (along, across) = (vector(cloth.pos[n] - origin), vector(cloth.pos[1] - origin));
    let builder = SoftBodyBuilder::cloth(vector(origin), along, across, n, n)
        .mass(cloth.mass as f32)
        .pinned_particles(cloth.pinned.iter().map(|&pinned| pinned as u32))
        .no_surface_collider()
        .can_sleep(false)
        .softness(SpringCoefficients::new(frequency, 1.0));
    let body = world.insert_soft_body(builder);
    Soft { world, body, particles: n * n }
}

impl ClothWorld for Soft {
    fn step(&mut self) {
        self.world.step();
    }
    fn positions(&mut self, out: &mut Vec<DVec3>) {
        out.clear();
        let body = &self.world.soft_bodies[self.body];
        out.extend((0..self.particles).map(|particle| back(body.particle_position(particle))));
    }
}

fn main() {
    if let Some(folder) = std::env::var_os("DOOR") {
        return door::run(folder.as_ref());
    }
    let width = if cfg!(feature = "simd8") { "8-wide" } else { "4-wide" };
    workloads::run_all("rapier 0.36.1", &format!("{width}, 4 sub-steps (default)"), &|scene| Box::new(ragdolls(scene)));
    workloads::run_cloths("rapier 0.36.1", "soft body, 1000 Hz, no collider", &|cloth| Box::new(soft(cloth, 1000.0)));
}
