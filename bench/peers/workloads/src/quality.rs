//! What of a run is wrong: gaps, penetration, limits, speed. Computed from poses alone, the same for every peer.

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
}
fn angle(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}
impl Quality {
    pub fn add(&mut self, s: &Scene, poses: &[Pose], vels: &[Vel], last: bool) {
        let h = &s.humanoid;
        let nb = h.bodies.len();
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
