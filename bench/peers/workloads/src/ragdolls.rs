//! Initial poses of the ragdolls of W1 and W2, and the interface of a peer.

use glam::{DQuat, DVec3};

use crate::humanoid::{Body, Humanoid, Pose, humanoid};

/// Duration of a step, seconds.
pub const DT: f64 = 1.0 / 60.0;
/// Number of steps of a run.
pub const STEPS: usize = 300;
/// Gravity along y, m/s².
pub const GRAVITY: f64 = -9.81;
/// Coulomb friction coefficient of all contacts.
pub const FRICTION: f64 = 0.6;
/// Half extents of the ground box; its top face is y = 0.
pub const GROUND: [f64; 3] = [150.0, 1.0, 150.0];

#[derive(Clone, Copy, Debug, Default)]
pub struct Vel {
    pub lin: DVec3,
    pub ang: DVec3,
}

#[derive(Clone, Debug)]
pub struct Scene {
    pub humanoid: Humanoid,
    pub instances: Vec<Pose>,
    pub self_collision: bool,
    /// Whether the ragdolls lie on one another.
    pub is_heap: bool,
}
impl Scene {
    pub fn body_pose(&self, r: usize, b: usize) -> Pose {
        self.instances[r].mul(&self.humanoid.bodies[b].rest)
    }
}

/// A simulated world of a peer: steps and returns poses and velocities; all measures are computed from these.
pub trait World {
    fn step(&mut self);
    /// Writes the poses, ragdoll-major and body-minor.
    fn poses(&mut self, out: &mut Vec<Pose>);
    fn vels(&mut self, out: &mut Vec<Vel>);
}

/// splitmix64 generator, uniform in [0, 1)
pub struct Rng(pub u64);
impl Rng {
    pub fn f(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub fn s(&mut self) -> f64 {
        2.0 * self.f() - 1.0
    }
}

pub fn capsule_low(b: &Body, p: &Pose) -> f64 {
    let e = p.q * DVec3::new(0.0, b.half, 0.0);
    p.p.y - e.y.abs() - b.radius
}
fn place(h: &Humanoid, q: DQuat, low: f64, x: f64, z: f64) -> Pose {
    let c = DVec3::new(0.0, 0.98, 0.0);
    let mut t = Pose { p: -(q * c), q };
    let m = h.bodies.iter().map(|b| capsule_low(b, &t.mul(&b.rest))).fold(f64::MAX, f64::min);
    t.p += DVec3::new(x, low - m, z);
    t
}

/// One rigid transform of the rest pose per ragdoll: lowest point 1 to 2 m above ground, 3 m grid,
/// random orientation. Instance i does not depend on n.
pub fn w1_instances(h: &Humanoid, n: usize) -> Vec<Pose> {
    (0..n)
        .map(|i| {
            let mut r = Rng(1000 + i as u64);
            let q = DQuat::from_xyzw(r.s(), r.s(), r.s(), r.s()).normalize();
            let low = 1.0 + r.f();
            let (gx, gz) = ((i % 23) as f64, (i / 23) as f64);
            place(h, q, low, (gx - 11.0) * 3.0, (gz - 11.0) * 3.0)
        })
        .collect()
}
/// 64 ragdolls lying face down, 4x4 columns 0.95 m apart, 16 sub-layers 0.45 m apart.
pub fn w2_instances(h: &Humanoid) -> Vec<Pose> {
    (0..64)
        .map(|i| {
            let (cx, cz, level) = (i % 4, (i / 4) % 4, i / 16);
            let parity = (cx % 2) + 2 * (cz % 2);
            let layer = level * 4 + parity;
            let yaw = DQuat::from_rotation_y((layer % 4) as f64 * std::f64::consts::FRAC_PI_2);
            let q = yaw * DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2 - 0.05);
            place(h, q, 0.6 + 0.45 * layer as f64, cx as f64 * 0.95 - 1.425, cz as f64 * 0.95 - 1.425)
        })
        .collect()
}

/// Builds a workload. `W1a`: separate, ground only. `W1b`: with self-collision. `W2`: 64 in a heap.
pub fn scene(kind: &str, n: usize) -> Scene {
    let humanoid = humanoid();
    let (instances, self_collision) = match kind {
        "W1a" => (w1_instances(&humanoid, n), false),
        "W1b" => (w1_instances(&humanoid, n), true),
        "W2" => (w2_instances(&humanoid), true),
        _ => panic!("{kind}"),
    };
    Scene { humanoid, instances, self_collision, is_heap: kind == "W2" }
}
