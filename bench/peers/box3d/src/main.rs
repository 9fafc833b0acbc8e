//! Box3D through its safe bindings `boxddd`.

mod door;

use boxddd::{
    BodyId, BodyType, BoxHull, Capsule, Filter, Foundation, Pos, Quat, Result, RevoluteJointDef, ShapeDef,
    SphericalJointDef, Transform, Vec3,
};
use workloads::glam::{DQuat, DVec3};
use workloads::humanoid::Joint;
use workloads::{DT, FRICTION, GRAVITY, GROUND, Kind, Pose, Scene, Vel, World};

const SUB_STEPS: i32 = 4;

fn vector(a: DVec3) -> Vec3 {
    Vec3::new(a.x as f32, a.y as f32, a.z as f32)
}
fn back(a: Vec3) -> DVec3 {
    DVec3::new(f64::from(a.x), f64::from(a.y), f64::from(a.z))
}
fn rotation(q: DQuat) -> Quat {
    Quat { v: Vec3::new(q.x as f32, q.y as f32, q.z as f32), s: q.w as f32 }
}
/// Converts a joint frame: the workload has the twist and hinge axis on x, Box3D on z.
fn frame(p: &Pose) -> Transform {
    Transform::new(vector(p.p), rotation((p.q * DQuat::from_rotation_arc(DVec3::Z, DVec3::X)).normalize()))
}
fn skin(foundation: &Foundation, density: f64, category_bits: u64, mask_bits: u64) -> Result<ShapeDef> {
    let filter = Filter { category_bits, mask_bits, group_index: 0 };
    foundation.shape_def_builder().density(density as f32).friction(FRICTION as f32).filter(filter).build()
}

struct Ragdolls {
    world: boxddd::World,
    bodies: Vec<BodyId>,
}

fn ragdolls(foundation: &'static Foundation, scene: &Scene) -> Result<Ragdolls> {
    let gravity = Vec3::new(0.0, GRAVITY as f32, 0.0);
    let mut world = foundation.create_world(foundation.world_def_builder().gravity(gravity).build()?)?;
    world.enable_sleeping(false)?;
    let below = Pos { x: 0.0, y: -GROUND[1] as f32, z: 0.0 };
    let ground = world.create_body(foundation.body_def_builder().position(below).build()?)?;
    let slab = BoxHull::new(GROUND[0] as f32, GROUND[1] as f32, GROUND[2] as f32)?;
    world.create_hull_shape(ground, &skin(foundation, 1.0, 1, u64::MAX)?, &slab)?;
    let mask = if scene.self_collision { u64::MAX } else { 1 };
    let mut bodies = vec![];
    for instance in 0..scene.instances.len() {
        let first = bodies.len();
        for (index, part) in scene.humanoid.bodies.iter().enumerate() {
            let pose = scene.body_pose(instance, index);
            let at = vector(pose.p);
            let def = foundation.body_def_builder().body_type(BodyType::Dynamic);
            let def = def.position(Pos { x: at.x, y: at.y, z: at.z }).rotation(rotation(pose.q)).enable_sleep(false);
            let body = world.create_body(def.build()?)?;
            let half = part.half as f32;
            let capsule = Capsule::new([0.0, -half, 0.0], [0.0, half, 0.0], part.radius as f32);
            world.create_capsule_shape(body, &skin(foundation, part.density(), 2, mask)?, &capsule)?;
            let mass = f64::from(world.body_mass(body)?);
            assert!((mass / part.mass - 1.0).abs() < 1e-3, "Box3D weighs {} {mass}", part.name);
            bodies.push(body);
        }
        for joint in &scene.humanoid.joints {
            join(&mut world, bodies[first + joint.a], bodies[first + joint.b], joint)?;
        }
    }
    Ok(Ragdolls { world, bodies })
}

fn join(world: &mut boxddd::World, a: BodyId, b: BodyId, joint: &Joint) -> Result<()> {
    let (in_a, in_b) = (frame(&joint.fa), frame(&joint.fb));
    match joint.kind {
        Kind::Ball { cone, twist } => {
            let def = SphericalJointDef::new(a, b).local_frame_a(in_a).local_frame_b(in_b).collide_connected(false);
            let def = def.cone_limit(true, cone as f32).twist_limit(true, -twist as f32, twist as f32);
            world.create_spherical_joint(def)?;
        }
        Kind::Hinge { min, max } => {
            let def = RevoluteJointDef::new(a, b).local_frame_a(in_a).local_frame_b(in_b).collide_connected(false);
            world.create_revolute_joint(def.limit(true, min as f32, max as f32))?;
        }
    }
    Ok(())
}

fn pose_of(world: &boxddd::World, body: BodyId) -> Pose {
    let at = world.body_transform(body).expect("the body is there");
    let [x, y, z, w] = [at.q.v.x, at.q.v.y, at.q.v.z, at.q.s].map(f64::from);
    let p = DVec3::new(f64::from(at.p.x), f64::from(at.p.y), f64::from(at.p.z));
    Pose { p, q: DQuat::from_xyzw(x, y, z, w).normalize() }
}

impl World for Ragdolls {
    fn step(&mut self) {
        self.world.step(DT as f32, SUB_STEPS).expect("Box3D steps");
    }
    fn poses(&mut self, out: &mut Vec<Pose>) {
        out.clear();
        for &body in &self.bodies {
            out.push(pose_of(&self.world, body));
        }
    }
    fn vels(&mut self, out: &mut Vec<Vel>) {
        out.clear();
        for &body in &self.bodies {
            let lin = back(self.world.body_linear_velocity(body).expect("the body is there"));
            let ang = back(self.world.body_angular_velocity(body).expect("the body is there"));
            out.push(Vel { lin, ang });
        }
    }
}

fn main() {
    let foundation = Foundation::initialize_default().expect("Box3D starts");
    if let Some(folder) = std::env::var_os("DOOR") {
        return door::run(foundation, folder.as_ref());
    }
    workloads::run_all("Box3D", "boxddd 0.4.0, 4 sub-steps (default)", &|scene| {
        Box::new(ragdolls(foundation, scene).expect("Box3D builds the scene"))
    });
}
