//! Points, segments and triangles as one type, and the closest points of any two.
//!
//! The closest points of two simplices are found among those of their parts: a corner and the other simplex, two edges,
//! or an edge that passes through the other simplex, where the distance is zero. Rounded by a radius, simplices are
//! balls, capsules and thick triangles. Specification: mathematics 4.9 (J31).

use glam::DVec3;

use super::segment;

/// Point, segment or triangle with one to three corners, meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simplex {
    /// Corners; those past the count repeat the last.
    pub corners: [DVec3; 3],
    /// Number of corners: 1, 2 or 3.
    pub count: usize,
}

/// Closest points of two simplices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Weights of the corners of the first simplex; the sum is 1.
    pub first: [f64; 3],
    /// Weights of the corners of the second simplex; the sum is 1.
    pub second: [f64; 3],
    /// Vector from the point on the second to the point on the first, meters.
    pub apart: DVec3,
}

impl Closest {
    /// Distance, meters; 0 if the simplices touch or cross.
    pub fn distance(&self) -> f64 {
        self.apart.length()
    }

    fn swapped(self) -> Self {
        Self { first: self.second, second: self.first, apart: -self.apart }
    }
}

impl Simplex {
    /// Simplex of one point.
    pub fn point(a: DVec3) -> Self {
        Self { corners: [a; 3], count: 1 }
    }

    /// Simplex of one segment.
    pub fn segment([a, b]: [DVec3; 2]) -> Self {
        Self { corners: [a, b, b], count: 2 }
    }

    /// Simplex of one triangle.
    pub fn triangle(corners: [DVec3; 3]) -> Self {
        Self { corners, count: 3 }
    }

    /// Weighted sum of the corners.
    pub fn at(&self, weights: [f64; 3]) -> DVec3 {
        self.corners[0] * weights[0] + self.corners[1] * weights[1] + self.corners[2] * weights[2]
    }

    /// Applies `change` to every corner.
    pub fn map(&self, change: impl Fn(DVec3) -> DVec3) -> Self {
        Self { corners: self.corners.map(change), count: self.count }
    }

    /// Interpolates between `self` (0) and `other` (1), corner by corner.
    pub fn mixed(&self, other: &Self, t: f64) -> Self {
        let mix = |i: usize| self.corners[i] * (1.0 - t) + other.corners[i] * t;
        Self { corners: [mix(0), mix(1), mix(2)], count: self.count }
    }

    /// Greatest distance of a corner from its position in `other`, meters.
    pub fn greatest_move(&self, other: &Self) -> f64 {
        let moved = |i: usize| self.corners[i].distance_squared(other.corners[i]);
        moved(0).max(moved(1)).max(moved(2)).sqrt()
    }

    /// Unit normal of a triangle; zero for a triangle without area and for other simplices.
    pub fn normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        if self.count == 3 { (b - a).cross(c - a).normalize_or_zero() } else { DVec3::ZERO }
    }

    /// Ends of the edges: one edge for a segment, three for a triangle.
    fn edges(&self) -> &'static [[usize; 2]] {
        const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
        match self.count {
            1 => &EDGES[..0],
            2 => &EDGES[..1],
            _ => &EDGES,
        }
    }

    /// Weights of the point closest to `point`.
    pub fn closest_to(&self, point: DVec3) -> [f64; 3] {
        match self.count {
            1 => CORNERS[0],
            2 => on_edge([0, 1], segment::parameter(point, [self.corners[0], self.corners[1]])),
            _ => self.closest_on_triangle(point),
        }
    }

    fn closest_on_triangle(&self, point: DVec3) -> [f64; 3] {
        if let Some(inside) = self.foot_inside(point) {
            return inside;
        }
        let mut best = (CORNERS[0], f64::INFINITY);
        for &[i, j] in self.edges() {
            let ends = [self.corners[i], self.corners[j]];
            let t = segment::parameter(point, ends);
            let distance = segment::at(ends, t).distance_squared(point);
            if distance < best.1 {
                best = (on_edge([i, j], t), distance);
            }
        }
        best.0
    }

    /// Weights of the foot of the perpendicular from `point`; `None` if it is outside the triangle.
    fn foot_inside(&self, point: DVec3) -> Option<[f64; 3]> {
        let [a, b, c] = self.corners;
        let normal = (b - a).cross(c - a);
        let area = normal.length_squared();
        let share = |from: DVec3, to: DVec3| (to - from).cross(point - from).dot(normal) / area;
        let (u, v) = (share(b, c), share(c, a));
        let w = 1.0 - u - v;
        (area > 0.0 && u >= 0.0 && v >= 0.0 && w >= 0.0).then_some([u, v, w])
    }

    /// Point at which a segment passes through this triangle: parameter on the segment, and weights in the triangle.
    fn pierced_by(&self, [a, b]: [DVec3; 2]) -> Option<(f64, [f64; 3])> {
        let [p, q, r] = self.corners;
        let normal = (q - p).cross(r - p);
        let (above, below) = (normal.dot(a - p), normal.dot(b - p));
        if above * below > 0.0 || above == below {
            return None;
        }
        let t = above / (above - below);
        let weights = self.foot_inside(segment::at([a, b], t))?;
        Some((t, weights))
    }
}

const CORNERS: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Weights of a single corner.
pub fn corner(i: usize) -> [f64; 3] {
    CORNERS[i]
}

fn on_edge([i, j]: [usize; 2], t: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    weights[i] = 1.0 - t;
    weights[j] = t;
    weights
}

/// Closest points of two simplices.
pub fn closest(a: &Simplex, b: &Simplex) -> Closest {
    if a.count > b.count {
        return closest(b, a).swapped();
    }
    if [a.count, b.count] == [2, 2] {
        let [s, t] = segment::parameters([a.corners[0], a.corners[1]], [b.corners[0], b.corners[1]]);
        let (first, second) = (on_edge([0, 1], s), on_edge([0, 1], t));
        return Closest { first, second, apart: a.at(first) - b.at(second) };
    }
    if let Some(crossing) = crossing(a, b) {
        return crossing;
    }
    let mut best = Closest { first: CORNERS[0], second: CORNERS[0], apart: DVec3::INFINITY };
    let mut least = f64::INFINITY;
    let mut offer = |first: [f64; 3], second: [f64; 3]| {
        let apart = a.at(first) - b.at(second);
        if apart.length_squared() < least {
            least = apart.length_squared();
            best = Closest { first, second, apart };
        }
    };
    for i in 0..a.count {
        offer(CORNERS[i], b.closest_to(a.corners[i]));
    }
    if a.count > 1 {
        for i in 0..b.count {
            offer(a.closest_to(b.corners[i]), CORNERS[i]);
        }
    }
    for &[i, j] in a.edges() {
        for &[k, l] in b.edges() {
            // Ends of edges are corners, which are already considered.
            if let Some([s, t]) = segment::between_lines([a.corners[i], a.corners[j]], [b.corners[k], b.corners[l]]) {
                offer(on_edge([i, j], s), on_edge([k, l], t));
            }
        }
    }
    best
}

/// Point at which an edge of one simplex passes through the other; `None` if there is none.
fn crossing(a: &Simplex, b: &Simplex) -> Option<Closest> {
    if b.count < 3 {
        return None;
    }
    for &[i, j] in a.edges() {
        if let Some((t, second)) = b.pierced_by([a.corners[i], a.corners[j]]) {
            return Some(Closest { first: on_edge([i, j], t), second, apart: DVec3::ZERO });
        }
    }
    let edges = if a.count == 3 { b.edges() } else { &[] };
    for &[i, j] in edges {
        if let Some((t, first)) = a.pierced_by([b.corners[i], b.corners[j]]) {
            return Some(Closest { first, second: on_edge([i, j], t), apart: DVec3::ZERO });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Least distance over a fine sample of the first simplex, refined about its best point: an independent
    /// computation.
    fn sampled(a: &Simplex, b: &Simplex) -> f64 {
        let distance = |u: f64, v: f64| {
            let point = a.at([1.0 - u - v, u, v]);
            point.distance(b.at(b.closest_to(point)))
        };
        let (mut best, mut width) = ((1.0 / 3.0, if a.count == 3 { 1.0 / 3.0 } else { 0.0 }), 0.5);
        for _ in 0..120 {
            let center = best;
            let mut least = distance(best.0, best.1);
            for i in -6..=6 {
                for j in if a.count == 3 { -6..=6 } else { 0..=0 } {
                    let u = (center.0 + width * f64::from(i) / 6.0).clamp(0.0, 1.0);
                    let v = (center.1 + width * f64::from(j) / 6.0).clamp(0.0, 1.0 - u);
                    if distance(u, v) < least {
                        (least, best) = (distance(u, v), (u, v));
                    }
                }
            }
            width *= 0.75;
        }
        distance(best.0, best.1)
    }

    #[test]
    fn j31_capsules_and_triangles_are_as_far_apart_as_brute_force_sampling_says() {
        let mut random = Random::new(31);
        for _ in 0..100_000 {
            let capsule = Simplex::segment([random.vector(), random.vector()]);
            let triangle = Simplex::triangle([random.vector(), random.vector(), random.vector()]);
            let found = closest(&capsule, &triangle);
            // The distance to a convex set is convex along the segment, so ternary search finds the minimum.
            let at = |t: f64| {
                let point = segment::at([capsule.corners[0], capsule.corners[1]], t);
                point.distance(triangle.at(triangle.closest_to(point)))
            };
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if at(a) < at(b) { high = b } else { low = a }
            }
            assert!((found.distance() - at(0.5 * (low + high))).abs() < 1e-6, "{capsule:?} {triangle:?}");
        }
    }

    #[test]
    fn triangles_are_as_far_apart_as_sampling_says() {
        let mut random = Random::new(32);
        let mut triangle = || Simplex::triangle([random.vector(), random.vector(), random.vector()]);
        for _ in 0..300 {
            let (a, b) = (triangle(), triangle().map(|p| p + DVec3::X));
            let (found, sampled) = (closest(&a, &b).distance(), sampled(&a, &b));
            assert!((found - sampled).abs() < 1e-5, "{found} {sampled}");
        }
    }

    #[test]
    fn the_weights_give_the_points_that_are_apart() {
        let mut random = Random::new(33);
        for _ in 0..1000 {
            let a = Simplex::segment([random.vector(), random.vector()]);
            let b = Simplex::triangle([random.vector(), random.vector(), random.vector()]);
            for (a, b) in [(a, b), (b, a)] {
                let found = closest(&a, &b);
                assert!((a.at(found.first) - b.at(found.second) - found.apart).length() < 1e-12);
            }
        }
    }

    #[test]
    fn a_triangle_without_area_is_its_edges() {
        let line = Simplex::triangle([DVec3::ZERO, DVec3::X, DVec3::X * 2.0]);
        let found = closest(&Simplex::point(DVec3::new(1.5, 1.0, 0.0)), &line);
        assert_eq!(found.distance(), 1.0);
    }
}
