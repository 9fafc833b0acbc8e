//! Errors of a run: gaps, penetration, limits, speed. Computed from poses alone, the same for every peer.

use glam::DVec3;

use crate::humanoid::{Kind, Pose};
use crate::ragdolls::{Scene, Vel, capsule_low};

#[derive(Default)]
pub struct Quality {
    pub sep_max: f64,
    pub sep_sq: f64,
    pub sep_n: f64,
    pub pen_max: f64,
    pub pen_end: f64,
    pub cone_max: f64,
    pub hinge_off_max: f64,
    pub hinge_lim_max: f64,
    pub vmax: f64,
    pub nan: bool,
    /// Overlap of capsules of different ragdolls in a heap at the end: deepest (meters), touching pairs, and pairs
    /// deeper than 1 cm.
    pub overlap: f64,
    pub touching: usize,
    pub deep: usize,
}

/// Distance of two segments by alternating nearest points; the distance is convex.
fn distance(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let nearest = |point: DVec3, [from, to]: [DVec3; 2]| {
        let along = to - from;
        from + along * ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    let mut on_b = nearest(0.5 * (a[0] + a[1]), b);
    let mut on_a = nearest(on_b, a);
    for _ in 0..30 {
        on_b = nearest(on_a, b);
        on_a = nearest(on_b, a);
    }
    on_a.distance(on_b)
}
fn angle(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}
impl Quality {
    /// Adds the overlaps between capsules of different ragdolls.
    fn add_overlaps(&mut self, s: &Scene, poses: &[Pose]) {
        let bodies = &s.humanoid.bodies;
        let segments: Vec<[DVec3; 2]> = poses
            .iter()
            .zip(bodies.iter().cycle())
            .map(|(pose, body)| [-body.half, body.half].map(|y| pose.pt(DVec3::Y * y)))
            .collect();
        for (i, a) in segments.iter().enumerate() {
            let next = (i / bodies.len() + 1) * bodies.len();
            for (j, b) in segments.iter().enumerate().skip(next) {
                let radii = bodies[i % bodies.len()].radius + bodies[j % bodies.len()].radius;
                if a[0].distance(b[0]) > a[0].distance(a[1]) + b[0].distance(b[1]) + radii {
                    continue;
                }
                let overlap = radii - distance(*a, *b);
                self.overlap = self.overlap.max(overlap);
                self.touching += usize::from(overlap > -1e-3);
                self.deep += usize::from(overlap > 0.01);
            }
        }
    }

    pub fn add(&mut self, s: &Scene, poses: &[Pose], vels: &[Vel], last: bool) {
        let h = &s.humanoid;
        let nb = h.bodies.len();
        if last && s.is_heap {
            self.add_overlaps(s, poses);
        }
        for (r, ps) in poses.chunks(nb).enumerate() {
            for (i, (b, p)) in h.bodies.iter().zip(ps).enumerate() {
                if !p.p.is_finite() || !p.q.is_finite() {
                    self.nan = true;
                }
                let pen = -capsule_low(b, p);
                self.pen_max = self.pen_max.max(pen);
                if last {
                    self.pen_end = self.pen_end.max(pen);
                }
                self.vmax = self.vmax.max(vels[r * nb + i].lin.length());
            }
            for j in &h.joints {
                let (a, b) = (&ps[j.a], &ps[j.b]);
                let d = a.pt(j.fa.p).distance(b.pt(j.fb.p));
                self.sep_max = self.sep_max.max(d);
                self.sep_sq += d * d;
                self.sep_n += 1.0;
                let (qa, qb) = (a.q * j.fa.q, b.q * j.fb.q);
                let dev = angle(qa * DVec3::X, qb * DVec3::X);
                match j.kind {
                    Kind::Ball { cone, .. } => self.cone_max = self.cone_max.max(dev - cone),
                    Kind::Hinge { min, max } => {
                        self.hinge_off_max = self.hinge_off_max.max(dev);
                        let q = (qa.inverse() * qb).normalize();
                        let mut t = 2.0 * q.x.atan2(q.w);
                        if t > std::f64::consts::PI {
                            t -= std::f64::consts::TAU
                        }
                        if t < -std::f64::consts::PI {
                            t += std::f64::consts::TAU
                        }
                        self.hinge_lim_max = self.hinge_lim_max.max((t - max).max(min - t));
                    }
                }
            }
        }
    }
}
