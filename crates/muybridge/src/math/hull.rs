//! Convex hulls in the plane: support polygons and signed distances of points.
//!
//! Monotone chain (Andrew 1979), O(n log n). Signed distance: inside −min distance to an edge line, outside the
//! distance to the polygon. Mean radius: perimeter/2π (S27).
//! Specification: mathematics 6.5 (S5, S27).

use core::f64::consts::PI;

use glam::{DVec2, DVec3};

/// A convex polygon with counter-clockwise corners, no three collinear. One corner is a point, two are a segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConvexPolygon {
    corners: Vec<DVec2>,
}

impl ConvexPolygon {
    /// Convex hull of the points; points that are not finite are ignored.
    pub fn new(points: &[DVec2]) -> Self {
        let mut sorted: Vec<DVec2> = points.iter().copied().filter(|p| p.is_finite()).collect();
        sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        sorted.dedup();
        if sorted.len() < 3 {
            return Self { corners: sorted };
        }
        let mut corners = half(sorted.iter());
        corners.pop();
        corners.extend(half(sorted.iter().rev()));
        corners.pop();
        Self { corners }
    }

    /// The corners, counter-clockwise.
    pub(crate) fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    /// Whether the hull has no point at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Enclosed area; 0 for a point and a segment.
    pub(crate) fn area(&self) -> f64 {
        let Some(&origin) = self.corners.first() else { return 0.0 };
        0.5 * self.edges().map(|(a, b)| (a - origin).perp_dot(b - origin)).sum::<f64>()
    }

    /// Perimeter; for a segment twice its length, 0 for a point.
    pub(crate) fn perimeter(&self) -> f64 {
        self.edges().map(|(a, b)| a.distance(b)).sum()
    }

    /// Radius of the circle with the same perimeter.
    pub(crate) fn mean_radius(&self) -> f64 {
        self.perimeter() / (2.0 * PI)
    }

    /// Distance of `point` to the boundary: negative inside, positive outside; never negative for a point or a segment,
    /// infinite for an empty hull and for a point that is not finite.
    pub fn signed_distance(&self, point: DVec2) -> f64 {
        if !point.is_finite() {
            return f64::INFINITY;
        }
        let outside = self.edges().map(|(a, b)| distance_to_segment(point, a, b)).fold(f64::INFINITY, f64::min);
        if self.corners.len() < 3 {
            return outside;
        }
        let depth =
            self.edges().map(|(a, b)| (b - a).perp_dot(point - a) / a.distance(b)).fold(f64::INFINITY, f64::min);
        if depth >= 0.0 { -depth } else { outside }
    }

    /// Signed distance divided by the mean radius (S27), or by `least_radius` if the hull is smaller: half a foot
    /// length keeps the number finite for a line or point of support.
    pub(crate) fn normalized_distance(&self, point: DVec2, least_radius: f64) -> f64 {
        let distance = self.signed_distance(point);
        if distance == 0.0 { 0.0 } else { distance / self.mean_radius().max(least_radius) }
    }

    fn edges(&self) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
        let count = self.corners.len();
        (0..count).map(move |i| (self.corners[i], self.corners[(i + 1) % count]))
    }
}

/// Ground coordinates (z, x) of a point, in which counter-clockwise is counter-clockwise seen from above.
pub fn on_ground(point: DVec3) -> DVec2 {
    DVec2::new(point.z, point.x)
}

/// Point at height `y` with the given ground coordinates.
pub(crate) fn from_ground(point: DVec2, y: f64) -> DVec3 {
    DVec3::new(point.y, y, point.x)
}

/// Distance of a point in the plane to the segment from `a` to `b`.
pub(crate) fn distance_to_segment(point: DVec2, a: DVec2, b: DVec2) -> f64 {
    let (along, length_squared) = ((point - a).dot(b - a), a.distance_squared(b));
    if along <= 0.0 || length_squared == 0.0 {
        point.distance(a)
    } else if along >= length_squared {
        point.distance(b)
    } else {
        ((b - a).perp_dot(point - a) / libm::sqrt(length_squared)).abs()
    }
}

/// One half of the monotone chain: points in order, without those that do not turn left.
fn half<'a>(sorted: impl Iterator<Item = &'a DVec2>) -> Vec<DVec2> {
    let mut chain: Vec<DVec2> = Vec::new();
    for &point in sorted {
        while let [.., a, b] = chain[..]
            && (b - a).perp_dot(point - a) <= 0.0
        {
            chain.pop();
        }
        chain.push(point);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn square() -> ConvexPolygon {
        ConvexPolygon::new(&[DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y, DVec2::splat(0.5), DVec2::new(0.5, 0.0)])
    }

    /// Corners by brute force: ends of directed pairs with all other points on their left.
    fn brute_force(points: &[DVec2]) -> Vec<DVec2> {
        let is_edge =
            |a: DVec2, b: DVec2| a != b && points.iter().all(|&p| p == a || p == b || (b - a).perp_dot(p - a) > 0.0);
        let mut corners: Vec<DVec2> =
            points.iter().copied().filter(|&a| points.iter().any(|&b| is_edge(a, b))).collect();
        corners.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        corners
    }

    #[test]
    fn s5_the_hull_of_random_points_is_that_of_brute_force() {
        let mut random = Random::new(5);
        for count in 3..40 {
            let points: Vec<DVec2> = (0..count).map(|_| DVec2::new(random.signed(), random.signed())).collect();
            let hull = ConvexPolygon::new(&points);
            let mut corners = hull.corners().to_vec();
            corners.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
            assert_eq!(corners, brute_force(&points));
            assert!(hull.area() > 0.0, "counter-clockwise");
        }
    }

    #[test]
    fn s5_the_unit_square_has_area_1_perimeter_4_and_4_corners() {
        assert_eq!((square().area(), square().perimeter(), square().corners().len()), (1.0, 4.0, 4));
    }

    #[test]
    fn s27_one_outside_the_unit_square_is_1_570796_and_the_center_is_negative() {
        assert!((square().normalized_distance(DVec2::new(2.0, 0.5), 0.0) - core::f64::consts::FRAC_PI_2).abs() < 1e-6);
        assert_eq!(square().signed_distance(DVec2::splat(0.5)), -0.5);
        assert_eq!(square().signed_distance(DVec2::new(0.25, 0.5)), -0.25);
        assert_eq!(square().signed_distance(DVec2::new(4.0, 5.0)), 5.0);
        assert_eq!(square().signed_distance(DVec2::new(1.0, 0.3)), 0.0);
    }

    #[test]
    fn s27_the_distance_outside_is_that_to_the_nearest_of_many_points_of_the_edge() {
        let mut random = Random::new(6);
        let points: Vec<DVec2> = (0..12).map(|_| DVec2::new(random.signed(), random.signed())).collect();
        let hull = ConvexPolygon::new(&points);
        for _ in 0..100 {
            let point = DVec2::new(random.signed(), random.signed()) * 3.0;
            let nearest = hull
                .edges()
                .flat_map(|(a, b)| (0..=1000).map(move |i| a.lerp(b, f64::from(i) / 1000.0)))
                .map(|p| p.distance(point))
                .fold(f64::INFINITY, f64::min);
            assert!((hull.signed_distance(point).abs() - nearest).abs() < 3e-3);
        }
    }

    #[test]
    fn s5_a_segment_has_twice_its_length_around_it_and_a_point_nothing() {
        let segment = ConvexPolygon::new(&[DVec2::ZERO, DVec2::X * 3.0, DVec2::X, DVec2::X * 2.0]);
        assert_eq!((segment.corners().len(), segment.perimeter(), segment.area()), (2, 6.0, 0.0));
        assert_eq!(segment.signed_distance(DVec2::new(1.0, 0.0)), 0.0);
        assert_eq!(segment.signed_distance(DVec2::new(1.0, -2.0)), 2.0);
        let point = ConvexPolygon::new(&[DVec2::ONE, DVec2::ONE]);
        assert_eq!((point.corners().len(), point.perimeter()), (1, 0.0));
        assert_eq!(point.normalized_distance(DVec2::new(1.0, 2.0), 0.125), 8.0);
    }

    #[test]
    fn x14_no_points_and_points_that_are_no_numbers_make_an_empty_hull() {
        let hull = ConvexPolygon::new(&[DVec2::NAN, DVec2::new(f64::INFINITY, 0.0)]);
        assert!(hull.is_empty());
        assert_eq!((hull.area(), hull.perimeter(), hull.signed_distance(DVec2::ZERO)), (0.0, 0.0, f64::INFINITY));
    }

    #[test]
    fn x14_a_point_that_is_no_number_is_never_inside() {
        assert_eq!(square().signed_distance(DVec2::NAN), f64::INFINITY);
        assert_eq!(square().normalized_distance(DVec2::new(0.5, f64::NEG_INFINITY), 0.1), f64::INFINITY);
    }

    #[test]
    fn ground_coordinates_turn_the_same_way_as_a_viewer_above_sees_them() {
        let (a, b) = (DVec3::new(0.0, 1.0, 1.0), DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(on_ground(a).perp_dot(on_ground(b)), a.cross(b).y);
        assert_eq!(from_ground(on_ground(a), 1.0), a);
    }
}
