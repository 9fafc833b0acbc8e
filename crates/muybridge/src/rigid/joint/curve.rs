//! Bead on a wire: the child's anchor stays on a curve that is fixed in the parent.
//!
//! ```text
//! u* = argmin ‖c(u) − x1‖:   g(u) = (c − x1)·c' = 0,   u ← u − g/(c'·c' + (c − x1)·c'')     from the nearest sample,
//!                            bisection if Newton's step leaves the bracket
//! C_k = n_k · (x1 − c(u*))   n1, n2 across c';  rows through the child's anchor, as for a slider
//! γ_k = n_k · (γ_ball + 2 ω0 × ṡ − c'' u̇²) + …,   u̇ = t · ṡ/‖c'‖,  ṡ the slip in the parent's frame
//! ```
//! No force acts along the curve: it is frictionless. Specification: mathematics 5.3 (Z20), 4.3.

use glam::{DQuat, DVec3};

use super::{Bias, JointJacobian, JointSide, Lines, Velocities, ball, like};
use crate::math::lanes::Lanes;
use crate::rigid::motion::vector;

/// Curve in the frame of its parent, meters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Curve {
    /// Circle around the x axis.
    Circle {
        /// Radius, meters.
        radius: f64,
    },
    /// Catmull–Rom spline through at least two points.
    Spline {
        /// Points, meters.
        points: Vec<DVec3>,
        /// Whether the last point is joined to the first.
        is_closed: bool,
    },
}

/// Point of a curve nearest to the bead, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guide {
    /// Position c(u*), meters.
    pub place: DVec3,
    /// Unit tangent.
    pub tangent: DVec3,
    /// Unit normals of the curve.
    pub normals: [DVec3; 2],
    /// Second derivative by arc length: curvature vector toward the center of curvature, 1/m.
    pub curvature: DVec3,
}

/// Samples per span in the search for the nearest point.
const SAMPLES: usize = 16;
/// Greatest number of Newton steps; a step outside the bracket is replaced by bisection.
const STEPS: usize = 50;

/// Position and first two derivatives by the parameter.
pub type Jet = [DVec3; 3];

impl Curve {
    /// Number of spans; the parameter runs from 0 to this number.
    fn spans(&self) -> usize {
        match self {
            Self::Circle { .. } => 4,
            Self::Spline { points, is_closed: true } => points.len(),
            Self::Spline { points, is_closed: false } => points.len().saturating_sub(1),
        }
    }

    fn is_closed(&self) -> bool {
        match self {
            Self::Circle { .. } => true,
            Self::Spline { is_closed, .. } => *is_closed,
        }
    }

    /// Position and derivatives at a parameter from 0 to the number of spans.
    pub fn at(&self, u: f64) -> Jet {
        match self {
            Self::Circle { radius } => {
                let rate = core::f64::consts::FRAC_PI_2;
                let (s, c) = (libm::sin(u * rate), libm::cos(u * rate));
                let (out, along) = (DVec3::new(0.0, c, s) * *radius, DVec3::new(0.0, -s, c) * *radius);
                [out, along * rate, -out * (rate * rate)]
            }
            Self::Spline { points, is_closed } => spline((points.len(), *is_closed), |index| points[index], u),
        }
    }

    /// Points along all of it, near enough to each other to draw lines between them.
    pub fn points(&self) -> impl Iterator<Item = DVec3> {
        (0..=self.spans() * SAMPLES).map(|index| self.at(index as f64 / SAMPLES as f64)[0])
    }

    /// Parameter of the point nearest to `target` (meters, the curve's frame).
    pub fn nearest(&self, target: DVec3) -> f64 {
        let (spans, samples) = (self.spans() as f64, self.spans() * SAMPLES);
        let step = spans / samples.max(1) as f64;
        let distance = |index: usize| self.at(index as f64 * step)[0].distance_squared(target);
        let best = (0..=samples).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0) as f64 * step;
        let slope = |u: f64| {
            let [c, first, _] = self.at(self.wrapped(u));
            (c - target).dot(first)
        };
        let (mut low, mut high) = (best - step, best + step);
        if !self.is_closed() {
            (low, high) = (low.max(0.0), high.min(spans));
            if slope(low) >= 0.0 {
                return low;
            }
            if slope(high) <= 0.0 {
                return high;
            }
        }
        let mut u = best;
        for _ in 0..STEPS {
            let [c, first, second] = self.at(self.wrapped(u));
            let (g, rise) = ((c - target).dot(first), first.length_squared() + (c - target).dot(second));
            if g < 0.0 {
                low = u
            } else {
                high = u
            }
            let newton = u - g / rise;
            let next = if rise > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - u).abs() <= 1e-15 * spans {
                break;
            }
            u = next;
        }
        self.wrapped(u)
    }

    fn wrapped(&self, u: f64) -> f64 {
        let spans = self.spans() as f64;
        if self.is_closed() { u - spans * libm::floor(u / spans) } else { u.clamp(0.0, spans) }
    }

    /// Point of the curve nearest to the child's anchor.
    pub fn guide(&self, sides: &[JointSide<f64>; 2]) -> Guide {
        let axes = sides[0].axes.map(vector);
        let frame = glam::DMat3::from_cols(axes[0], axes[1], axes[2]);
        let origin = vector(sides[0].anchor);
        let target = frame.transpose() * (vector(sides[1].anchor) - origin);
        let [place, first, second] = self.at(self.nearest(target));
        let speed = first.length();
        let tangent = if speed > 0.0 { first / speed } else { DVec3::X };
        let curvature =
            if speed > 0.0 { (second - tangent * tangent.dot(second)) / (speed * speed) } else { DVec3::ZERO };
        let turn = DQuat::from_rotation_arc(DVec3::X, tangent);
        Guide {
            place: origin + frame * place,
            tangent: frame * tangent,
            normals: [frame * (turn * DVec3::Y), frame * (turn * DVec3::Z)],
            curvature: frame * curvature,
        }
    }
}

/// Catmull–Rom spline through `count` points, closed or open: position and derivatives at `u`. A tangent is half the
/// difference of the neighboring points.
pub fn spline((count, is_closed): (usize, bool), points: impl Fn(usize) -> DVec3, u: f64) -> Jet {
    if count < 2 {
        return [if count == 1 { points(0) } else { DVec3::ZERO }, DVec3::ZERO, DVec3::ZERO];
    }
    let spans = if is_closed { count } else { count - 1 };
    let span = (libm::floor(u).max(0.0) as usize).min(spans - 1);
    let t = u - span as f64;
    let point = |index: isize| {
        if is_closed {
            points(index.rem_euclid(count as isize) as usize)
        } else if index < 0 {
            points(0) * 2.0 - points(1)
        } else if index as usize >= count {
            points(count - 1) * 2.0 - points(count - 2)
        } else {
            points(index as usize)
        }
    };
    let i = span as isize;
    let [a, b, c, d] = [point(i - 1), point(i), point(i + 1), point(i + 2)];
    let (p1, p2, p3) = ((c - a) * 0.5, a - b * 2.5 + c * 2.0 - d * 0.5, (b - c) * 1.5 + (d - a) * 0.5);
    [b + (p1 + (p2 + p3 * t) * t) * t, p1 + (p2 * 2.0 + p3 * (3.0 * t)) * t, p2 * 2.0 + p3 * (6.0 * t)]
}

/// Adds the two constraint rows.
#[inline(always)]
pub fn rows<V: Lanes>(sides: &[JointSide<V>; 2], guide: &Guide, rows: &mut JointJacobian<V>) {
    let any = sides[1].anchor.x;
    let offset = sides[1].anchor.minus(like(any, guide.place));
    for normal in guide.normals {
        let normal = like(any, normal);
        rows.push_at(sides, sides[1].anchor, normal, offset.dot(normal));
    }
}

/// Adds the bias terms of the two rows, for an anchor on the curve.
pub fn bias(sides: &[JointSide<f64>; 2], velocities: &Velocities, guide: &Guide, bias: &mut Bias) {
    let w0 = velocities.angular[0];
    // Velocity of the bead relative to the parent's point at the bead.
    let arm0 = vector(sides[1].anchor) - vector(sides[0].center);
    let w1 = velocities.angular[1];
    let arm1 = ball::arm(&sides[1]);
    let past = velocities.linear[1] + w1.cross(arm1) - velocities.linear[0] - w0.cross(arm0);
    let along = past.dot(guide.tangent);
    let pull =
        w1.cross(w1.cross(arm1)) - w0.cross(w0.cross(arm0)) - 2.0 * w0.cross(past) - guide.curvature * (along * along);
    for normal in guide.normals {
        bias.push(normal.dot(pull));
    }
}

/// Draws the wire.
pub fn draw(sides: &[JointSide<f64>; 2], curve: &Curve, lines: &mut Lines) {
    let axes = sides[0].axes.map(vector);
    let place = |p: DVec3| vector(sides[0].anchor) + axes[0] * p.x + axes[1] * p.y + axes[2] * p.z;
    let points: Vec<DVec3> = curve.points().map(place).collect();
    lines.extend(points.windows(2).map(|ends| [ends[0], ends[1]]));
}
