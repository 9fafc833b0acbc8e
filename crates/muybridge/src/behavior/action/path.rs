//! Paths from the start of an action to its goal, with easing and arc length.
//!
//! ```text
//! line            c(u) = a + u (b − a)
//! Bézier          Bernstein's sum over start, control points, goal, from the nearer end; any degree
//! Catmull–Rom     through the points; tangents half the way from the point before to the one behind
//! Hermite         a (2u³ − 3u² + 1) + m_a (u³ − 2u² + u) + b (3u² − 2u³) + m_b (u³ − u²)
//! by length       u(s) with ∫₀ᵘ ‖c'‖ = s of the whole: five-point Gauss rule on 64 spans, Newton within a span
//! eases           3u² − 2u³;   6u⁵ − 15u⁴ + 10u³, which has no acceleration at its ends
//! ```
//! Specification: mathematics 5.5 (Z13).

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use crate::rigid::joint::curve;

/// A curve in the world, meters, for `u` from 0 to 1. Closures implement it.
pub trait PathCurve: Send + Sync {
    /// Position on the curve at `u`, meters.
    fn at(&self, u: f64) -> DVec3;
}

impl<F: Fn(f64) -> DVec3 + Send + Sync> PathCurve for F {
    fn at(&self, u: f64) -> DVec3 {
        self(u)
    }
}

/// Shape of the path from a start to a goal.
#[derive(Clone, Default)]
pub enum Path {
    /// Straight line.
    #[default]
    Line,
    /// A Bézier curve with these control points between start and goal, meters.
    Bezier(Vec<DVec3>),
    /// Catmull–Rom spline through these points between start and goal, meters.
    CatmullRom(Vec<DVec3>),
    /// Hermite curve with tangents at start and goal, meters per unit of `u`.
    Hermite {
        /// Tangent at the start.
        leaving: DVec3,
        /// Tangent at the goal.
        arriving: DVec3,
    },
    /// Custom curve; it defines its own start and goal.
    Curve(Arc<dyn PathCurve>),
}

/// Easing: relation between time and the parameter of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ease {
    /// Constant rate.
    #[default]
    None,
    /// 3u² − 2u³: at rest at both ends.
    Cubic,
    /// 6u⁵ − 15u⁴ + 10u³: at rest and without acceleration at both ends.
    Quintic,
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line => f.write_str("Line"),
            Self::Bezier(points) => f.debug_tuple("Bezier").field(points).finish(),
            Self::CatmullRom(points) => f.debug_tuple("CatmullRom").field(points).finish(),
            Self::Hermite { leaving, arriving } => {
                f.debug_struct("Hermite").field("leaving", leaving).field("arriving", arriving).finish()
            }
            Self::Curve(_) => f.write_str("Curve(..)"),
        }
    }
}

/// Returns entry `index` of the list start, inner points, goal.
fn among(inner: &[DVec3], (start, goal): (DVec3, DVec3), index: usize) -> DVec3 {
    let before = index.checked_sub(1);
    before.map_or(start, |place| inner.get(place).copied().unwrap_or(goal))
}

impl Path {
    /// Position on the path at `u` from 0 to 1, meters.
    pub fn at(&self, (start, goal): (DVec3, DVec3), u: f64) -> DVec3 {
        match self {
            Self::Line => start + (goal - start) * u,
            Self::Bezier(inner) => {
                let (last, mut choices, mut power) = (inner.len() + 1, 1.0, 1.0);
                // Sum from the nearer end, so that only powers of the smaller share occur: Σ (n over i) vⁱ (1 − v)ⁿ⁻ⁱ p_i.
                let (v, is_turned) = if u <= 0.5 { (u, false) } else { (1.0 - u, true) };
                let point = |index: usize| among(inner, (start, goal), if is_turned { last - index } else { index });
                let ratio = v / (1.0 - v);
                let mut sum = DVec3::ZERO;
                for index in 0..=last {
                    sum += point(index) * (choices * power);
                    choices *= (last - index) as f64 / (index + 1) as f64;
                    power *= ratio;
                }
                sum * (0..last).fold(1.0, |all, _| all * (1.0 - v))
            }
            Self::CatmullRom(inner) => {
                let last = inner.len() + 1;
                curve::spline((last + 1, false), |index| among(inner, (start, goal), index), u * last as f64)[0]
            }
            Self::Hermite { leaving, arriving } => {
                let (u2, u3) = (u * u, u * u * u);
                start * (2.0 * u3 - 3.0 * u2 + 1.0)
                    + *leaving * (u3 - 2.0 * u2 + u)
                    + goal * (3.0 * u2 - 2.0 * u3)
                    + *arriving * (u3 - u2)
            }
            Self::Curve(curve) => curve.at(u),
        }
    }

    /// Parameter at which the share `s` of the arc length (0 to 1) is covered.
    pub(crate) fn by_length(&self, ends: (DVec3, DVec3), s: f64) -> f64 {
        if matches!(self, Self::Line) {
            return s;
        }
        let speed = |u: f64| {
            let (a, b) = ((u - REACH).max(0.0), (u + REACH).min(1.0));
            (self.at(ends, b) - self.at(ends, a)).length() / (b - a)
        };
        let mut behind = [0.0; SPANS + 1];
        for span in 0..SPANS {
            let [from, to] = [span, span + 1].map(|end| end as f64 / SPANS as f64);
            behind[span + 1] = behind[span] + length(&speed, from, to);
        }
        let wanted = s * behind[SPANS];
        let span = behind.partition_point(|&length| length <= wanted).saturating_sub(1);
        if span >= SPANS || behind[SPANS] <= 0.0 {
            return s;
        }
        let [from, to] = [span, span + 1].map(|end| end as f64 / SPANS as f64);
        let (mut low, mut high) = (from, to);
        let mut u = from + (to - from) * ((wanted - behind[span]) / (behind[span + 1] - behind[span]));
        for _ in 0..STEPS {
            let off = behind[span] + length(&speed, from, u) - wanted;
            if off > 0.0 {
                high = u;
            } else {
                low = u;
            }
            let next = u - off / speed(u);
            let next = if next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - u).abs() <= 1e-15 {
                break;
            }
            u = next;
        }
        u
    }
}

impl Ease {
    /// Path parameter after the share `u` of the time; 0 before the start and 1 after the end.
    pub(crate) fn of(self, u: f64) -> f64 {
        let u = u.clamp(0.0, 1.0);
        match self {
            Self::None => u,
            Self::Cubic => u * u * (3.0 - 2.0 * u),
            Self::Quintic => u * u * u * (10.0 + u * (6.0 * u - 15.0)),
        }
    }
}

/// Number of spans over which the arc length is summed.
const SPANS: usize = 64;
/// Maximal number of Newton steps; each at least keeps the bracket.
const STEPS: usize = 60;
/// Half the parameter distance for the finite difference of a speed: the cube root of double precision, where rounding and curvature cause the same
/// error.
const REACH: f64 = 6e-6;

/// Nodes and weights of the five-point Gauss rule on −1 to 1.
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

fn length(speed: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    half * GAUSS.iter().map(|(at, weight)| weight * speed(middle + half * at)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use core::f64::consts::{PI, TAU};

    use super::*;

    const ENDS: (DVec3, DVec3) = (DVec3::ZERO, DVec3::new(3.0, 0.0, 0.0));

    #[test]
    fn z13_curves_begin_at_the_start_end_at_the_goal_and_pass_their_points() {
        let inner = vec![DVec3::new(1.0, 2.0, 0.0), DVec3::new(2.0, 2.0, 1.0)];
        let hermite = Path::Hermite { leaving: DVec3::Y, arriving: DVec3::Z };
        for path in [Path::Line, Path::Bezier(inner.clone()), Path::CatmullRom(inner.clone()), hermite.clone()] {
            assert_eq!(path.at(ENDS, 0.0), ENDS.0, "{path:?}");
            assert!((path.at(ENDS, 1.0) - ENDS.1).length() < 1e-15, "{path:?}");
        }
        let through = Path::CatmullRom(inner.clone());
        for (at, point) in inner.iter().enumerate() {
            assert!((through.at(ENDS, (at + 1) as f64 / 3.0) - *point).length() < 1e-15);
        }
        // Bernstein's sum: 3 (1−u)² u p1 + 3 (1−u) u² p2 + u³ p3.
        let (u, v) = (0.3, 0.7);
        let sum = inner[0] * (3.0 * v * v * u) + inner[1] * (3.0 * v * u * u) + ENDS.1 * (u * u * u);
        assert!((Path::Bezier(inner).at(ENDS, u) - sum).length() < 1e-15);
        let slope = (hermite.at(ENDS, 1e-6) - hermite.at(ENDS, 0.0)) / 1e-6;
        assert!((slope - DVec3::Y).length() < 1e-4, "{slope}");
    }

    #[test]
    fn z13_by_length_a_bent_path_is_gone_along_at_one_speed() {
        // A circle with an accelerating parameter: the angle goes with u².
        let circle = |u: f64| DVec3::new(libm::cos(TAU * u * u), libm::sin(TAU * u * u), 0.0);
        let path = Path::Curve(Arc::new(circle));
        for k in 1..40 {
            let s = f64::from(k) / 40.0;
            let place = path.at(ENDS, path.by_length(ENDS, s));
            let expected = DVec3::new(libm::cos(TAU * s), libm::sin(TAU * s), 0.0);
            assert!((place - expected).length() < 1e-7, "{s}: {place} {expected}");
        }
        let still = Path::CatmullRom(vec![DVec3::ZERO; 3]);
        assert!(still.by_length((DVec3::ZERO, DVec3::ZERO), 0.5).is_finite());
    }

    #[test]
    fn eases_begin_and_end_at_rest_and_the_quintic_without_acceleration() {
        let d = 1e-4;
        for (ease, curvature) in [(Ease::Cubic, 6.0), (Ease::Quintic, 0.0)] {
            assert_eq!(
                [ease.of(0.0), ease.of(0.5), ease.of(1.0), ease.of(7.0), ease.of(-1.0)],
                [0.0, 0.5, 1.0, 1.0, 0.0]
            );
            assert!(ease.of(d) / d < 4e-4);
            assert!((1.0 - ease.of(1.0 - d)) / d < 4e-4);
            let second = (ease.of(2.0 * d) - 2.0 * ease.of(d)) / (d * d);
            assert!((second - curvature).abs() < 0.02, "{ease:?} {second}");
        }
        assert!((Ease::Cubic.of(0.25) - 0.5 * (1.0 - libm::cos(PI * 0.25))).abs() < 0.02);
    }
}
