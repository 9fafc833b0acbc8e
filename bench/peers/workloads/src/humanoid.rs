//! The humanoid of the ragdoll workloads: 15 capsules, 14 joints (10 balls, 4 hinges), 1.75 m, 70 kg, T pose.

use glam::{DQuat, DVec3};

#[derive(Clone, Copy, Debug)]
pub struct Pose {
    pub p: DVec3,
    pub q: DQuat,
}
impl Pose {
    pub fn mul(&self, o: &Pose) -> Pose {
        Pose { p: self.p + self.q * o.p, q: (self.q * o.q).normalize() }
    }
    pub fn pt(&self, v: DVec3) -> DVec3 {
        self.p + self.q * v
    }
}
/// A capsule whose axis is the local Y axis, center of mass at the local origin.
#[derive(Clone, Debug)]
pub struct Body {
    pub name: String,
    pub half: f64,
    pub radius: f64,
    pub mass: f64,
    pub rest: Pose,
}
impl Body {
    pub fn volume(&self) -> f64 {
        let r = self.radius;
        std::f64::consts::PI * r * r * (2.0 * self.half + 4.0 / 3.0 * r)
    }
    pub fn density(&self) -> f64 {
        self.mass / self.volume()
    }
    /// Principal inertia (x, y, z) of a solid capsule along Y.
    pub fn inertia(&self) -> DVec3 {
        let (r, h) = (self.radius, 2.0 * self.half);
        let vc = std::f64::consts::PI * r * r * h;
        let vs = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let (mc, ms) = (self.mass * vc / (vc + vs), self.mass * vs / (vc + vs));
        let iy = mc * r * r * 0.5 + ms * 0.4 * r * r;
        let ix = mc * (h * h / 12.0 + r * r / 4.0) + ms * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r);
        DVec3::new(ix, iy, ix)
    }
}
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Ball with a cone limit on the x axis and a symmetric twist limit about it (radians).
    Ball { cone: f64, twist: f64 },
    /// Hinge about the frame's x axis.
    Hinge { min: f64, max: f64 },
}
/// A joint: `a` is the parent, `b` the child. Frames are local to the bodies; x is the twist or hinge axis.
#[derive(Clone, Debug)]
pub struct Joint {
    pub name: String,
    pub a: usize,
    pub b: usize,
    pub kind: Kind,
    pub fa: Pose,
    pub fb: Pose,
}
#[derive(Clone, Debug)]
pub struct Humanoid {
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
}

fn x_to(axis: DVec3) -> DQuat {
    DQuat::from_rotation_arc(DVec3::X, axis.normalize())
}

/// 15 capsules, 14 joints (10 balls, 4 hinges), 1.75 m, 70 kg, T pose, facing +z, y up.
pub fn humanoid() -> Humanoid {
    let up = DQuat::IDENTITY;
    let along_x = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
    let along_z = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut bodies = vec![];
    let mut add = |name: &str, half, radius, mass, p: [f64; 3], q: DQuat| {
        bodies.push(Body { name: name.into(), half, radius, mass, rest: Pose { p: p.into(), q } });
        bodies.len() - 1
    };
    let pelvis = add("pelvis", 0.07, 0.11, 12.0, [0.0, 0.98, 0.0], along_x);
    let chest = add("chest", 0.06, 0.15, 20.0, [0.0, 1.29, 0.0], up);
    let head = add("head", 0.025, 0.095, 5.0, [0.0, 1.65, 0.0], up);
    let mut limbs = vec![];
    for s in [1.0, -1.0] {
        let n = if s > 0.0 { "l" } else { "r" };
        let ua = add(&format!("{n}_upper_arm"), 0.10, 0.045, 2.0, [0.34 * s, 1.43, 0.0], along_x);
        let fo = add(&format!("{n}_forearm"), 0.085, 0.04, 1.2, [0.615 * s, 1.43, 0.0], along_x);
        let ha = add(&format!("{n}_hand"), 0.045, 0.035, 0.4, [0.82 * s, 1.43, 0.0], along_x);
        let th = add(&format!("{n}_thigh"), 0.13, 0.07, 8.6, [0.10 * s, 0.71, 0.0], up);
        let sh = add(&format!("{n}_shin"), 0.14, 0.05, 3.3, [0.10 * s, 0.30, 0.0], up);
        let ft = add(&format!("{n}_foot"), 0.08, 0.04, 1.0, [0.10 * s, 0.04, 0.05], along_z);
        limbs.push((s, n, ua, fo, ha, th, sh, ft));
    }
    let mut joints = vec![];
    let mut join = |name: String, a: usize, b: usize, p: [f64; 3], axis: DVec3, kind| {
        let f = Pose { p: p.into(), q: x_to(axis) };
        let loc =
            |b: &Body| Pose { p: b.rest.q.inverse() * (f.p - b.rest.p), q: (b.rest.q.inverse() * f.q).normalize() };
        joints.push(Joint { name, a, b, kind, fa: loc(&bodies[a]), fb: loc(&bodies[b]) });
    };
    let d = |x: f64| x.to_radians();
    let ball = |c: f64, t: f64| Kind::Ball { cone: d(c), twist: d(t) };
    let bend = Kind::Hinge { min: 0.0, max: d(140.0) };
    join("spine".into(), pelvis, chest, [0.0, 1.10, 0.0], DVec3::Y, ball(30.0, 20.0));
    join("neck".into(), chest, head, [0.0, 1.50, 0.0], DVec3::Y, ball(40.0, 40.0));
    for (s, n, ua, fo, ha, th, sh, ft) in limbs {
        let x = DVec3::X * s;
        join(format!("{n}_shoulder"), chest, ua, [0.19 * s, 1.43, 0.0], x, ball(80.0, 45.0));
        join(format!("{n}_elbow"), ua, fo, [0.49 * s, 1.43, 0.0], DVec3::Y * -s, bend);
        join(format!("{n}_wrist"), fo, ha, [0.74 * s, 1.43, 0.0], x, ball(50.0, 20.0));
        join(format!("{n}_hip"), pelvis, th, [0.10 * s, 0.92, 0.0], DVec3::NEG_Y, ball(60.0, 25.0));
        join(format!("{n}_knee"), th, sh, [0.10 * s, 0.50, 0.0], DVec3::X, bend);
        join(format!("{n}_ankle"), sh, ft, [0.10 * s, 0.09, 0.0], DVec3::NEG_Y, ball(30.0, 15.0));
    }
    Humanoid { bodies, joints }
}
