//! Bodies of TOML scenes in rapier, with impulse joints and its default of four sub-steps.

use std::path::Path;

use rapier3d::prelude as rp;
use rapier3d::prelude::*;
use workloads::Pose;
use workloads::door::{self, DoorWorld, JointKind, JointSetup, Limit, Seen, Setup, ShapeKind, ShapeSetup};
use workloads::glam::{DQuat, DVec3};

use crate::{empty_world, groups, pose, pose_of, vector};

struct Bodies {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    setup: Setup,
}

/// Runs the setups of a folder.
pub fn run(folder: &Path) {
    door::run_peer(folder, "rapier 0.36.1", &|setup| Ok(Box::new(build(setup)?)));
}

fn build(setup: &Setup) -> Result<Bodies, String> {
    if setup.bodies.is_empty() {
        return Err("no bodies".into());
    }
    let mut world = empty_world();
    world.gravity = vector(setup.gravity.into());
    let fixed = world.insert_body(RigidBodyBuilder::fixed());
    for obstacle in &setup.obstacles {
        world.insert_collider(collider(obstacle)?.density(0.0), Some(fixed));
    }
    let mut bodies = Vec::new();
    for body in &setup.bodies {
        let moments = vector(body.moments.into());
        let mass = MassProperties::new(rp::Vector::ZERO, body.mass as f32, moments);
        let rigid = RigidBodyBuilder::dynamic().pose(pose(&body.pose())).can_sleep(false);
        let rigid = rigid.linvel(vector(body.velocity.into())).angvel(vector(body.spin.into()));
        let handle = world.insert_body(rigid.additional_mass_properties(mass));
        // Bodies of a group that does not touch itself have a bit of their own, which they do not ask for.
        let own = body.group.map_or(Group::GROUP_1, |group| Group::from_bits_truncate(2 << (group % 30)));
        let filter = if body.group.is_some() { Group::ALL - own } else { Group::ALL };
        for shape in &body.shapes {
            let collider = collider(shape)?.density(0.0).collision_groups(groups(own, filter));
            world.insert_collider(collider, Some(handle));
        }
        bodies.push(handle);
    }
    for joint in &setup.joints {
        let parent = joint.parent.map_or(fixed, |parent| bodies[parent]);
        world.insert_impulse_joint(parent, bodies[joint.child], limited(joint));
    }
    for &[a, b] in &setup.apart {
        let free = GenericJointBuilder::new(JointAxesMask::empty()).contacts_enabled(false).build();
        world.insert_impulse_joint(bodies[a], bodies[b], free);
    }
    Ok(Bodies { world, bodies, setup: setup.clone() })
}

fn collider(shape: &ShapeSetup) -> Result<ColliderBuilder, String> {
    let at = shape.pose();
    let (builder, at) = match &shape.kind {
        ShapeKind::HalfSpace => {
            (ColliderBuilder::cuboid(150.0, 1.0, 150.0), at.mul(&Pose { p: -DVec3::Y, q: DQuat::IDENTITY }))
        }
        ShapeKind::Sphere(radius) => (ColliderBuilder::ball(*radius as f32), at),
        ShapeKind::Capsule { radius, half_length } => {
            (ColliderBuilder::capsule_y(*half_length as f32, *radius as f32), at)
        }
        ShapeKind::Box([x, y, z]) => (ColliderBuilder::cuboid(*x as f32, *y as f32, *z as f32), at),
        ShapeKind::Hull(points) => {
            let points: Vec<rp::Vector> = points.iter().map(|&point| vector(point.into())).collect();
            (ColliderBuilder::convex_hull(&points).ok_or("a flat hull")?, at)
        }
    };
    Ok(builder.position(pose(&at)).friction(shape.friction as f32).restitution(shape.restitution as f32))
}

fn limited(joint: &JointSetup) -> GenericJoint {
    let locked = match joint.kind {
        JointKind::Ball => JointAxesMask::LOCKED_SPHERICAL_AXES,
        JointKind::Hinge => JointAxesMask::LOCKED_REVOLUTE_AXES,
        JointKind::Fixed => JointAxesMask::LOCKED_FIXED_AXES,
    };
    let local = |side: usize| pose(&Pose { p: joint.anchors[side].into(), q: DQuat::from_array(joint.axes[side]) });
    let builder = GenericJointBuilder::new(locked).local_frame1(local(0)).local_frame2(local(1));
    let builder = builder.contacts_enabled(false);
    match joint.limit {
        Some(Limit::SwingTwist { swing: [y, z], twist: [least, most] }) => builder
            .limits(JointAxis::AngX, [least as f32, most as f32])
            .limits(JointAxis::AngY, [-y as f32, y as f32])
            .limits(JointAxis::AngZ, [-z as f32, z as f32])
            .build(),
        Some(Limit::Hinge([least, most])) => builder.limits(JointAxis::AngX, [least as f32, most as f32]).build(),
        None => builder.build(),
    }
}

impl DoorWorld for Bodies {
    fn step(&mut self) {
        self.world.step();
    }
    fn look(&mut self) -> Seen {
        let poses: Vec<Pose> = self.bodies.iter().map(|&body| pose_of(&self.world, body)).collect();
        door::look(&self.setup, &poses)
    }
}
