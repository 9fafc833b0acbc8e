//! The humanoid and the throws of W1 and W2, and quality measures from poses alone.

use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::Random;
use muybridge::particles::herd::{HerdObstacle, InstancePlacement};
use muybridge::particles::{
    Anchor, BallJoint, Core, Direction, Herd, HerdSettings, Hinge, InstanceId, Model, Object, Point, Surface,
    SwingTwist, Tetrahedron,
};

/// A capsule along y with its center at the origin of its frame.
pub struct Capsule {
    pub half: f64,
    pub radius: f64,
    pub mass: f64,
    pub position: DVec3,
    pub rotation: DQuat,
}

/// A joint in the frames of its bodies; the first axis is the twist or hinge axis.
pub struct Joint {
    pub bodies: [usize; 2],
    pub anchors: [DVec3; 2],
    pub frames: [DQuat; 2],
    pub kind: Kind,
}

#[derive(Clone, Copy)]
pub enum Kind {
    Ball { cone: f64, twist: f64 },
    Hinge { least: f64, most: f64 },
}

/// The humanoid: 15 capsules, 14 joints, 1.75 m, 70 kg, arms out, facing +z.
pub struct Humanoid {
    pub bodies: Vec<Capsule>,
    pub joints: Vec<Joint>,
}

impl Capsule {
    /// Principal moments of a solid capsule, kg m².
    pub fn inertia(&self) -> DVec3 {
        let (r, h, pi) = (self.radius, 2.0 * self.half, std::f64::consts::PI);
        let (cylinder, sphere) = (pi * r * r * h, 4.0 / 3.0 * pi * r * r * r);
        let part = |volume: f64| self.mass * volume / (cylinder + sphere);
        let (mc, ms) = (part(cylinder), part(sphere));
        let across = mc * (h * h / 12.0 + r * r / 4.0) + ms * (0.4 * r * r + h * h / 4.0 + 0.375 * h * r);
        DVec3::new(across, mc * r * r * 0.5 + ms * 0.4 * r * r, across)
    }

    fn low(&self, position: DVec3, rotation: DQuat) -> f64 {
        position.y - (rotation * (DVec3::Y * self.half)).y.abs() - self.radius
    }
}

pub fn humanoid() -> Humanoid {
    let quarter = std::f64::consts::FRAC_PI_2;
    let (up, along_x) = (DQuat::IDENTITY, DQuat::from_rotation_z(-quarter));
    let along_z = DQuat::from_rotation_x(quarter);
    let capsule = |half, radius, mass, position: [f64; 3], rotation| Capsule {
        half,
        radius,
        mass,
        position: DVec3::from_array(position),
        rotation,
    };
    let mut bodies = vec![
        capsule(0.07, 0.11, 12.0, [0.0, 0.98, 0.0], along_x),
        capsule(0.06, 0.15, 20.0, [0.0, 1.29, 0.0], up),
        capsule(0.025, 0.095, 5.0, [0.0, 1.65, 0.0], up),
    ];
    for s in [1.0, -1.0] {
        bodies.push(capsule(0.10, 0.045, 2.0, [0.34 * s, 1.43, 0.0], along_x));
        bodies.push(capsule(0.085, 0.04, 1.2, [0.615 * s, 1.43, 0.0], along_x));
        bodies.push(capsule(0.045, 0.035, 0.4, [0.82 * s, 1.43, 0.0], along_x));
        bodies.push(capsule(0.13, 0.07, 8.6, [0.10 * s, 0.71, 0.0], up));
        bodies.push(capsule(0.14, 0.05, 3.3, [0.10 * s, 0.30, 0.0], up));
        bodies.push(capsule(0.08, 0.04, 1.0, [0.10 * s, 0.04, 0.05], along_z));
    }
    let mut joints = Vec::new();
    let mut join = |a: usize, b: usize, at: [f64; 3], axis: DVec3, kind: Kind| {
        let (at, frame) = (DVec3::from_array(at), DQuat::from_rotation_arc(DVec3::X, axis));
        let inside = |body: &Capsule| body.rotation.inverse() * (at - body.position);
        let turned = |body: &Capsule| (body.rotation.inverse() * frame).normalize();
        let (a_body, b_body) = (&bodies[a], &bodies[b]);
        let anchors = [inside(a_body), inside(b_body)];
        joints.push(Joint { bodies: [a, b], anchors, frames: [turned(a_body), turned(b_body)], kind });
    };
    let ball = |cone: f64, twist: f64| Kind::Ball { cone: cone.to_radians(), twist: twist.to_radians() };
    let bend = Kind::Hinge { least: 0.0, most: 140_f64.to_radians() };
    join(0, 1, [0.0, 1.10, 0.0], DVec3::Y, ball(30.0, 20.0));
    join(1, 2, [0.0, 1.50, 0.0], DVec3::Y, ball(40.0, 40.0));
    for (s, first) in [(1.0, 3), (-1.0, 9)] {
        let x = DVec3::X * s;
        join(1, first, [0.19 * s, 1.43, 0.0], x, ball(80.0, 45.0));
        join(first, first + 1, [0.49 * s, 1.43, 0.0], DVec3::Y * -s, bend);
        join(first + 1, first + 2, [0.74 * s, 1.43, 0.0], x, ball(50.0, 20.0));
        join(0, first + 3, [0.10 * s, 0.92, 0.0], DVec3::NEG_Y, ball(60.0, 25.0));
        join(first + 3, first + 4, [0.10 * s, 0.50, 0.0], DVec3::X, bend);
        join(first + 4, first + 5, [0.10 * s, 0.09, 0.0], DVec3::NEG_Y, ball(30.0, 15.0));
    }
    Humanoid { bodies, joints }
}

/// The humanoid as particles: four per body, with its mass, center and inertia.
pub fn model(humanoid: &Humanoid, touches_itself: bool) -> Model {
    let mut model = Model::default();
    for body in &humanoid.bodies {
        let first = model.positions.len();
        let spread = spread(body);
        let rest = corners(spread);
        model.positions.extend(rest.map(|corner| body.position + body.rotation * corner));
        model.masses.extend([body.mass / 4.0; 4]);
        model.velocities.extend([DVec3::ZERO; 4]);
        model.tetrahedra.push(Tetrahedron { particles: [first, first + 1, first + 2, first + 3], rest });
        let part = model.tetrahedra.len() - 1;
        let ends = [-body.half, body.half].map(|y| point(humanoid, part, DVec3::Y * y));
        model.surfaces.push(Surface { core: Core::Segment(ends), radius: body.radius, object: 0, part });
    }
    for joint in &humanoid.joints {
        let [a, b] = joint.bodies;
        let [in_a, in_b] = joint.anchors;
        let axes = |side: usize| {
            [DVec3::X, DVec3::Y, DVec3::Z]
                .map(|axis| direction(humanoid, joint.bodies[side], joint.frames[side] * axis))
        };
        let mut attach = |offset: f64| {
            let at = |side: usize, anchor: DVec3| anchor + joint.frames[side] * (DVec3::X * offset);
            let (a, b) = (point(humanoid, a, at(0, in_a)), point(humanoid, b, at(1, in_b)));
            model.attachments.push(BallJoint { a, b: Anchor::Point(b), compliance: 0.0 });
        };
        match joint.kind {
            Kind::Ball { cone, twist } => {
                attach(0.0);
                let (a, b) = (axes(0), axes(1));
                let limit =
                    SwingTwist { a, b, swing: [cone; 2], twist: [-twist, twist], compliance: 0.0, friction: 0.0 };
                model.swing_twists.push(limit);
            }
            Kind::Hinge { least, most } => {
                attach(-0.05);
                attach(0.05);
                model.hinges.push(Hinge {
                    a: axes(0),
                    b: axes(1),
                    range: [least, most],
                    compliance: 0.0,
                    friction: 0.0,
                });
            }
        }
    }
    let particles = 0..model.positions.len();
    let object = Object { touches_itself, friction: 0.6, ..Object::smooth(particles) };
    model.objects.push(object);
    model
}

/// Root mean square distances of the mass along the axes, meters.
fn spread(body: &Capsule) -> DVec3 {
    let moments = body.inertia() / body.mass;
    let half = 0.5 * moments.element_sum();
    DVec3::new(half - moments.x, half - moments.y, half - moments.z).map(f64::sqrt)
}

fn corners(spread: DVec3) -> [DVec3; 4] {
    [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
        .map(|corner| DVec3::from_array(corner) * spread)
}

fn weights(humanoid: &Humanoid, body: usize, at: DVec3) -> ([usize; 4], [f64; 4]) {
    let spread = spread(&humanoid.bodies[body]);
    let corners = corners(DVec3::ONE);
    (std::array::from_fn(|k| 4 * body + k), corners.map(|corner| 0.25 * corner.dot(at / spread)))
}

fn point(humanoid: &Humanoid, body: usize, at: DVec3) -> Point {
    let (particles, weights) = weights(humanoid, body, at);
    Point { particles, weights: weights.map(|weight| weight + 0.25) }
}

fn direction(humanoid: &Humanoid, body: usize, along: DVec3) -> Direction {
    let (particles, weights) = weights(humanoid, body, along);
    Direction { particles, weights }
}

fn placed(humanoid: &Humanoid, rotation: DQuat, low: f64, x: f64, z: f64) -> InstancePlacement {
    let position = -(rotation * DVec3::new(0.0, 0.98, 0.0));
    let lowest = |body: &Capsule| body.low(position + rotation * body.position, rotation * body.rotation);
    let least = humanoid.bodies.iter().map(lowest).fold(f64::MAX, f64::min);
    InstancePlacement { position: position + DVec3::new(x, low - least, z), rotation, ..InstancePlacement::default() }
}

/// W1: ragdolls with random orientation, one to two meters above the ground, three meters apart.
pub fn apart(humanoid: &Humanoid, count: usize) -> Vec<InstancePlacement> {
    let one = |i: usize| {
        let mut random = Random::new(1000 + i as u64);
        let [x, y, z, w] = std::array::from_fn(|_| random.signed());
        let low = 1.0 + random.unit();
        let (row, column) = ((i % 23) as f64, (i / 23) as f64);
        placed(humanoid, DQuat::from_xyzw(x, y, z, w).normalize(), low, (row - 11.0) * 3.0, (column - 11.0) * 3.0)
    };
    (0..count).map(one).collect()
}

/// W2: 64 ragdolls face down, crossed in layers.
pub fn heap(humanoid: &Humanoid) -> Vec<InstancePlacement> {
    let quarter = std::f64::consts::FRAC_PI_2;
    let one = |i: usize| {
        let (x, z, level) = (i % 4, (i / 4) % 4, i / 16);
        let layer = level * 4 + (x % 2) + 2 * (z % 2);
        let yaw = DQuat::from_rotation_y((layer % 4) as f64 * quarter);
        let rotation = yaw * DQuat::from_rotation_x(quarter - 0.05);
        let along = |k: usize| k as f64 * 0.95 - 1.425;
        placed(humanoid, rotation, 0.6 + 0.45 * layer as f64, along(x), along(z))
    };
    (0..64).map(one).collect()
}

/// A herd of humanoids over the ground.
pub fn herd(model: &Model, settings: HerdSettings, placements: &[InstancePlacement]) -> (Herd, Vec<InstanceId>) {
    let mut herd = Herd::new(model, settings).expect("the humanoid is a herd");
    herd.set_obstacles(&[HerdObstacle::HalfSpace { normal: DVec3::Y, offset: 0.0 }]);
    let slots = placements.iter().map(|placement| herd.spawn(placement).unwrap()).collect();
    (herd, slots)
}

/// Deepest overlap of capsules of different ragdolls, meters.
pub fn overlap(humanoid: &Humanoid, herd: &Herd, slots: &[InstanceId]) -> f64 {
    let segments: Vec<Vec<[DVec3; 2]>> = slots
        .iter()
        .map(|&slot| {
            let ends = |(index, body): (usize, &Capsule)| {
                let (position, rotation) = herd.pose(slot, index);
                [-body.half, body.half].map(|y| position + rotation * (DVec3::Y * y))
            };
            humanoid.bodies.iter().enumerate().map(ends).collect()
        })
        .collect();
    let mut deepest = 0.0_f64;
    for (i, first) in segments.iter().enumerate() {
        for second in &segments[i + 1..] {
            if first[0][0].distance(second[0][0]) > 2.5 {
                continue;
            }
            for (a, one) in first.iter().zip(&humanoid.bodies) {
                for (b, two) in second.iter().zip(&humanoid.bodies) {
                    deepest = deepest.max(one.radius + two.radius - distance(*a, *b));
                }
            }
        }
    }
    deepest
}

/// Distance of two segments by alternating nearest points; the distance is convex.
fn distance(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let nearest = |point: DVec3, [from, to]: [DVec3; 2]| {
        let along = to - from;
        from + along * ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    let mut on_a = 0.5 * (a[0] + a[1]);
    let mut on_b = nearest(on_a, b);
    for _ in 0..30 {
        on_a = nearest(on_b, a);
        on_b = nearest(on_a, b);
    }
    on_a.distance(on_b)
}

/// Largest errors of a run.
#[derive(Clone, Debug, Default)]
pub struct Quality {
    pub gap: f64,
    pub squared_gaps: f64,
    pub gaps: f64,
    pub stretch: f64,
    pub squared_stretches: f64,
    pub stretches: f64,
    pub penetration: f64,
    pub penetration_at_end: f64,
    pub cone: f64,
    pub twist: f64,
    pub hinge_axis: f64,
    pub hinge: f64,
    pub fastest: f64,
    pub is_broken: bool,
}

impl Quality {
    /// Adds the current state of a herd.
    pub fn add(&mut self, humanoid: &Humanoid, model: &Model, herd: &Herd, slots: &[InstanceId], is_end: bool) {
        let mut positions = Vec::new();
        for &slot in slots {
            let poses: Vec<(DVec3, DQuat)> = (0..humanoid.bodies.len()).map(|body| herd.pose(slot, body)).collect();
            for (index, body) in humanoid.bodies.iter().enumerate() {
                let (position, rotation) = poses[index];
                self.is_broken |= !(position.is_finite() && rotation.is_finite());
                let depth = -body.low(position, rotation);
                self.penetration = self.penetration.max(depth);
                if is_end {
                    self.penetration_at_end = self.penetration_at_end.max(depth);
                }
                self.fastest = self.fastest.max(herd.velocity(slot, index).0.length());
            }
            for joint in &humanoid.joints {
                self.add_joint(joint, &poses);
            }
            herd.positions(slot, &mut positions);
            self.add_stretch(model, &positions);
        }
    }

    fn add_joint(&mut self, joint: &Joint, poses: &[(DVec3, DQuat)]) {
        let [a, b] = joint.bodies.map(|body| poses[body]);
        let gap = (a.0 + a.1 * joint.anchors[0]).distance(b.0 + b.1 * joint.anchors[1]);
        self.gap = self.gap.max(gap);
        self.squared_gaps += gap * gap;
        self.gaps += 1.0;
        let (a, b) = (a.1 * joint.frames[0], b.1 * joint.frames[1]);
        let (x, y) = (a * DVec3::X, b * DVec3::X);
        let off = x.cross(y).length().atan2(x.dot(y));
        let relative = DMat3::from_quat((a.inverse() * b).normalize());
        let turn = (relative.y_axis.z - relative.z_axis.y).atan2(relative.y_axis.y + relative.z_axis.z);
        match joint.kind {
            Kind::Ball { cone, twist } => {
                self.cone = self.cone.max(off - cone);
                self.twist = self.twist.max(turn.abs() - twist);
            }
            Kind::Hinge { least, most } => {
                self.hinge_axis = self.hinge_axis.max(off);
                // Half a turn past the middle of the range the nearer limit changes, so the angle is measured from the
                // middle.
                self.hinge = self.hinge.max((turn - most).max(least - turn));
            }
        }
    }

    fn add_stretch(&mut self, model: &Model, positions: &[DVec3]) {
        for tetrahedron in &model.tetrahedra {
            for i in 0..4 {
                for j in 0..i {
                    let [a, b] = [i, j].map(|k| positions[tetrahedron.particles[k]]);
                    let rest = tetrahedron.rest[i].distance(tetrahedron.rest[j]);
                    let stretch = (a.distance(b) - rest).abs();
                    self.stretch = self.stretch.max(stretch);
                    self.squared_stretches += stretch * stretch;
                    self.stretches += 1.0;
                }
            }
        }
    }

    /// A table row in millimeters and degrees.
    pub fn row(&self) -> String {
        let rms = |squares: f64, count: f64| 1e3 * (squares / count.max(1.0)).sqrt();
        format!(
            "{:6.3}/{:6.4} | {:6.3}/{:6.4} | {:6.2}/{:6.3} | {:5.2} {:5.2} {:5.2} {:5.2} | {:5.1} {}",
            self.gap * 1e3,
            rms(self.squared_gaps, self.gaps),
            self.stretch * 1e3,
            rms(self.squared_stretches, self.stretches),
            self.penetration * 1e3,
            self.penetration_at_end * 1e3,
            self.cone.to_degrees(),
            self.twist.to_degrees(),
            self.hinge_axis.to_degrees(),
            self.hinge.to_degrees(),
            self.fastest,
            if self.is_broken || self.fastest > 60.0 { "BROKEN" } else { "" }
        )
    }
}
