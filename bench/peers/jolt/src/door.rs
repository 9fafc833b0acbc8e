//! Bodies and cloths of TOML scenes in Jolt, with its defaults: a step a frame of ten iterations for velocities and two
//! for positions; five iterations for cloth. `ITERATIONS=20` gives cloth others.

use std::path::Path;

use workloads::door::{self, DoorWorld, JointKind, JointSetup, Limit, Seen, Setup, ShapeKind, ShapeSetup};
use workloads::glam::{DQuat, DVec3};
use workloads::{DT, Pose};

use crate::ffi::{self, Body, Cloth, Joint, Kind, World};

struct Jolt {
    world: World,
    bodies: Vec<i32>,
    setup: Setup,
}

/// Runs the setups of a folder.
pub fn run(folder: &Path) {
    let iterations: i32 = std::env::var("ITERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let peer = if iterations > 0 { format!("Jolt 5.0, {iterations} iterations of cloth") } else { "Jolt 5.0".into() };
    door::run_peer(folder, &peer, &|setup| Ok(Box::new(build(setup, iterations)?)));
}

fn build(setup: &Setup, iterations: i32) -> Result<Jolt, String> {
    let mut world = World::new(vector(setup.gravity), setup.bodies.len() + setup.obstacles.len());
    for obstacle in &setup.obstacles {
        let body = Body { rotation: [0.0, 0.0, 0.0, 1.0], ..skin(obstacle) };
        add(&mut world, &body, std::slice::from_ref(obstacle))?;
    }
    let filters = filters(&mut world, setup);
    let mut bodies = Vec::new();
    for (said, filter) in setup.bodies.iter().zip(filters) {
        let body = Body {
            mass: said.mass as f32,
            moments: vector(said.moments),
            position: vector(said.position),
            rotation: said.rotation.map(|part| part as f32),
            velocity: vector(said.velocity),
            spin: vector(said.spin),
            filter,
            ..said.shapes.first().map_or(Body::default(), skin)
        };
        bodies.push(add(&mut world, &body, &said.shapes)?);
    }
    for joint in &setup.joints {
        world.joint(&held(joint, &bodies)?);
    }
    if let Some(said) = &setup.cloth {
        world.cloth(&Cloth {
            points: said.points.iter().map(|&point| vector(point)).collect(),
            triangles: said.triangles.iter().map(|corners| corners.map(|corner| corner as i32)).collect(),
            pinned: said.pinned.iter().map(|&point| point as i32).collect(),
            mass: said.mass as f32,
            radius: said.radius as f32,
            friction: said.friction as f32,
            damping: said.damping as f32,
            iterations,
        });
    }
    world.ready();
    Ok(Jolt { world, bodies, setup: setup.clone() })
}

fn vector(v: [f64; 3]) -> [f32; 3] {
    v.map(|part| part as f32)
}

/// Friction and restitution, which Jolt has per body.
fn skin(shape: &ShapeSetup) -> Body {
    Body { friction: shape.friction as f32, restitution: shape.restitution as f32, ..Body::default() }
}

fn add(world: &mut World, body: &Body, shapes: &[ShapeSetup]) -> Result<i32, String> {
    let hulls: Vec<Vec<[f32; 3]>> = shapes
        .iter()
        .map(|shape| if let ShapeKind::Hull(points) = &shape.kind { points.as_slice() } else { &[] })
        .map(|points| points.iter().map(|&point| vector(point)).collect())
        .collect();
    let shapes: Vec<_> = shapes.iter().zip(&hulls).map(|(shape, hull)| placed(shape, hull)).collect();
    if shapes.is_empty() {
        return Err("a body without a shape".into());
    }
    world.body(body, &shapes).ok_or_else(|| "a shape that Jolt does not take".into())
}

fn placed<'a>(shape: &ShapeSetup, hull: &'a [[f32; 3]]) -> (Kind<'a>, [f32; 3], [f32; 4]) {
    let mut at = shape.pose();
    let kind = match &shape.kind {
        ShapeKind::HalfSpace => {
            // A slab of 300 m whose top is the plane: Jolt 5.0 has no half-space.
            at = at.mul(&Pose { p: -DVec3::Y, q: DQuat::IDENTITY });
            Kind::Box([150.0, 1.0, 150.0])
        }
        ShapeKind::Sphere(radius) => Kind::Sphere(*radius as f32),
        ShapeKind::Capsule { radius, half_length } => {
            Kind::Capsule { radius: *radius as f32, half_length: *half_length as f32 }
        }
        ShapeKind::Box(half) => Kind::Box(vector(*half)),
        ShapeKind::Hull(_) => Kind::Hull(hull),
    };
    (kind, vector(at.p.to_array()), at.q.to_array().map(|part| part as f32))
}

/// The filter of each body: one for all bodies that joints, groups and pairs kept apart connect.
fn filters(world: &mut World, setup: &Setup) -> Vec<Option<(i32, i32)>> {
    let mut apart = setup.apart.clone();
    apart.extend(setup.joints.iter().filter_map(|joint| Some([joint.parent?, joint.child])));
    for (a, body) in setup.bodies.iter().enumerate().filter(|(_, body)| body.group.is_some()) {
        let others = setup.bodies.iter().enumerate().skip(a + 1).filter(|(_, other)| other.group == body.group);
        apart.extend(others.map(|(b, _)| [a, b]));
    }
    let mut root: Vec<usize> = (0..setup.bodies.len()).collect();
    let find = |root: &[usize], mut body: usize| {
        while root[body] != body {
            body = root[body];
        }
        body
    };
    for &[a, b] in &apart {
        let (a, b) = (find(&root, a), find(&root, b));
        root[a.max(b)] = a.min(b);
    }
    let mut members = vec![Vec::new(); root.len()];
    let mut places = Vec::new();
    for body in 0..root.len() {
        let first = find(&root, body);
        places.push(members[first].len() as i32);
        members[first].push(body);
    }
    let mut pairs = vec![Vec::new(); root.len()];
    for &[a, b] in &apart {
        pairs[find(&root, a)].push([places[a], places[b]]);
    }
    let mut filters = vec![None; root.len()];
    for (members, pairs) in members.iter().zip(&pairs).filter(|(members, _)| members.len() > 1) {
        let filter = world.filter(members.len(), pairs);
        members.iter().for_each(|&body| filters[body] = Some((filter, places[body])));
    }
    filters
}

fn held(joint: &JointSetup, bodies: &[i32]) -> Result<Joint, String> {
    let single = |range: [f64; 2]| range.map(|angle| angle as f32);
    let (kind, swing, range) = match (joint.kind, joint.limit) {
        (JointKind::Ball, None) => (ffi::JointKind::Point, [0.0; 2], [0.0; 2]),
        (JointKind::Ball, Some(Limit::SwingTwist { swing, twist })) => {
            (ffi::JointKind::SwingTwist, single(swing), single(twist))
        }
        (JointKind::Hinge, None) => (ffi::JointKind::Hinge, [0.0; 2], [-f32::INFINITY, f32::INFINITY]),
        (JointKind::Hinge, Some(Limit::Hinge(range))) => (ffi::JointKind::Hinge, [0.0; 2], single(range)),
        (JointKind::Fixed, None) => (ffi::JointKind::Fixed, [0.0; 2], [0.0; 2]),
        (kind, Some(limit)) => return Err(format!("a joint {kind:?} with a limit {limit:?}")),
    };
    Ok(Joint {
        kind,
        parent: joint.parent.map_or(-1, |parent| bodies[parent]),
        child: bodies[joint.child],
        anchors: joint.anchors.map(vector),
        axes: joint.axes.map(|axes| axes.map(|part| part as f32)),
        swing,
        range,
    })
}

impl DoorWorld for Jolt {
    fn step(&mut self) {
        self.world.step(DT as f32);
    }
    fn look(&mut self) -> Seen {
        if self.setup.cloth.is_some() {
            let points: Vec<DVec3> = self.world.cloth_points().into_iter().map(back).collect();
            return door::look_at_cloth(&self.setup, &points);
        }
        let pose = |&body: &i32| {
            let (place, turn) = self.world.pose(body);
            Pose { p: back(place), q: DQuat::from_array(turn.map(f64::from)).normalize() }
        };
        door::look(&self.setup, &self.bodies.iter().map(pose).collect::<Vec<_>>())
    }
}

fn back(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}
