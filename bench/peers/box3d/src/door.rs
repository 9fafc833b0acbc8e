//! Bodies of TOML scenes in Box3D, with its default of four sub-steps.

use core::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;

use boxddd::{
    BodyId, BodyType, BoxHull, Capsule, FilterJointDef, Foundation, Hull, MassData, Matrix3, Pos, Result,
    RevoluteJointDef, ShapeDef, Sphere, SphericalJointDef, Transform, Vec3, WeldJointDef,
};
use workloads::door::{self, DoorWorld, JointKind, JointSetup, Limit, Seen, Setup, ShapeKind, ShapeSetup};
use workloads::glam::{DQuat, DVec3};
use workloads::{DT, Pose};

use crate::{SUB_STEPS, frame, rotation, vector};

struct Bodies {
    world: boxddd::World,
    bodies: Vec<BodyId>,
    setup: Setup,
}

/// Runs the setups of a folder.
pub fn run(foundation: &'static Foundation, folder: &Path) {
    door::run_peer(folder, "Box3D", &|setup| {
        if setup.bodies.is_empty() {
            return Err("no bodies".into());
        }
        let bodies = build(foundation, setup).map_err(|error| error.to_string())?;
        Ok(Box::new(bodies))
    });
}

fn build(foundation: &'static Foundation, setup: &Setup) -> Result<Bodies> {
    let gravity = vector(setup.gravity.into());
    let mut world = foundation.create_world(foundation.world_def_builder().gravity(gravity).build()?)?;
    world.enable_sleeping(false)?;
    let fixed = world.create_body(foundation.body_def_builder().build()?)?;
    for obstacle in &setup.obstacles {
        add(&mut world, foundation, fixed, (obstacle, 0))?;
    }
    let mut bodies = Vec::new();
    for body in &setup.bodies {
        let at = vector(body.position.into());
        let def = foundation.body_def_builder().body_type(BodyType::Dynamic).enable_sleep(false);
        let def = def.position(Pos { x: at.x, y: at.y, z: at.z }).rotation(rotation(body.pose().q));
        let def = def.linear_velocity(vector(body.velocity.into())).angular_velocity(vector(body.spin.into()));
        let id = world.create_body(def.build()?)?;
        let group = body.group.map_or(0, |group| -1 - group as i32);
        for shape in &body.shapes {
            add(&mut world, foundation, id, (shape, group))?;
        }
        let column = |axis: usize| vector(DVec3::AXES[axis] * body.moments[axis]);
        let inertia = Matrix3 { cx: column(0), cy: column(1), cz: column(2) };
        world.set_body_mass_data(id, MassData { mass: body.mass as f32, center: vector(DVec3::ZERO), inertia })?;
        bodies.push(id);
    }
    for joint in &setup.joints {
        join(&mut world, (joint.parent.map_or(fixed, |parent| bodies[parent]), bodies[joint.child]), joint)?;
    }
    for &[a, b] in &setup.apart {
        world.create_filter_joint(FilterJointDef::new(bodies[a], bodies[b]))?;
    }
    Ok(Bodies { world, bodies, setup: setup.clone() })
}

fn add(
    world: &mut boxddd::World,
    foundation: &Foundation,
    body: BodyId,
    (shape, group): (&ShapeSetup, i32),
) -> Result<()> {
    let filter = boxddd::Filter { category_bits: 1, mask_bits: u64::MAX, group_index: group };
    let skin: ShapeDef = foundation
        .shape_def_builder()
        .density(1000.0)
        .friction(shape.friction as f32)
        .restitution(shape.restitution as f32)
        .filter(filter)
        .build()?;
    let pose = shape.pose();
    match &shape.kind {
        ShapeKind::HalfSpace => {
            // A slab whose top is the plane.
            let slab: Vec<Vec3> = slab().iter().map(|&corner| vector(pose.pt(corner))).collect();
            world.create_created_hull_shape(body, &skin, &Hull::from_points(slab, 8)?)?;
        }
        ShapeKind::Sphere(radius) => {
            world.create_sphere_shape(body, &skin, &Sphere::new(vector(pose.p), *radius as f32))?;
        }
        ShapeKind::Capsule { radius, half_length } => {
            let [a, b] = [-half_length, *half_length].map(|y| vector(pose.pt(DVec3::Y * y)));
            world.create_capsule_shape(body, &skin, &Capsule::new(a, b, *radius as f32))?;
        }
        ShapeKind::Box(half) if pose.p == DVec3::ZERO && pose.q == DQuat::IDENTITY => {
            let [x, y, z] = half.map(|half| half as f32);
            world.create_hull_shape(body, &skin, &BoxHull::new(x, y, z)?)?;
        }
        ShapeKind::Box(half) => {
            let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = |c: usize| DVec3::from(*half) * DVec3::new(sign(c, 0), sign(c, 1), sign(c, 2));
            let points: Vec<Vec3> = (0..8).map(|c| vector(pose.pt(corner(c)))).collect();
            world.create_created_hull_shape(body, &skin, &Hull::from_points(points, 8)?)?;
        }
        ShapeKind::Hull(points) => {
            let points: Vec<Vec3> = points.iter().map(|&point| vector(pose.pt(point.into()))).collect();
            world.create_created_hull_shape(body, &skin, &Hull::from_points(points, 64)?)?;
        }
    }
    Ok(())
}

/// Corners of a slab of 300 m with its top at y = 0.
fn slab() -> [DVec3; 8] {
    let side = |corner: usize, bit: usize| if corner >> bit & 1 == 0 { -150.0 } else { 150.0 };
    [0, 1, 2, 3, 4, 5, 6, 7].map(|c: usize| DVec3::new(side(c, 0), if c & 2 == 0 { 0.0 } else { -2.0 }, side(c, 2)))
}

/// Greatest twist limit that Box3D takes, radians.
const MOST_TWIST: f64 = 0.98 * PI;

fn join(world: &mut boxddd::World, (a, b): (BodyId, BodyId), joint: &JointSetup) -> Result<()> {
    let local = |side: usize| Pose { p: joint.anchors[side].into(), q: DQuat::from_array(joint.axes[side]) };
    let [in_a, in_b]: [Transform; 2] = [0, 1].map(|side| frame(&local(side)));
    match joint.kind {
        JointKind::Ball => {
            let mut def =
                SphericalJointDef::new(a, b).local_frame_a(in_a).local_frame_b(in_b).collide_connected(false);
            if let Some(Limit::SwingTwist { swing, twist }) = joint.limit {
                // A round cone as wide as the ellipse in the mean; Box3D has none wider than a right angle, and no whole twist.
                let cone = 0.5 * (swing[0] + swing[1]);
                let [least, most] = twist.map(|angle| angle.clamp(-MOST_TWIST, MOST_TWIST) as f32);
                def = def.cone_limit(cone <= FRAC_PI_2, cone.min(FRAC_PI_2) as f32).twist_limit(true, least, most);
            }
            world.create_spherical_joint(def)?;
        }
        JointKind::Hinge => {
            let mut def =
                RevoluteJointDef::new(a, b).local_frame_a(in_a).local_frame_b(in_b).collide_connected(false);
            if let Some(Limit::Hinge([least, most])) = joint.limit {
                def = def.limit(true, least as f32, most as f32);
            }
            world.create_revolute_joint(def)?;
        }
        JointKind::Fixed => {
            let def = WeldJointDef::new(a, b).local_frame_a(in_a).local_frame_b(in_b).collide_connected(false);
            world.create_weld_joint(def)?;
        }
    }
    Ok(())
}

impl DoorWorld for Bodies {
    fn step(&mut self) {
        self.world.step(DT as f32, SUB_STEPS).expect("Box3D steps");
    }
    fn look(&mut self) -> Seen {
        let poses: Vec<Pose> = self.bodies.iter().map(|&body| crate::pose_of(&self.world, body)).collect();
        door::look(&self.setup, &poses)
    }
}
