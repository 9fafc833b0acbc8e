//! Ray casts from the eye against the things of a picture, in camera axes.
//!
//! The eye is the origin and a ray is `t d` with `d_z = 1`, so that `t` is the depth.
//! ```text
//! ball      t² d·d − 2 t d·c + c·c − r² = 0
//! capsule   axis a + s b:  the same for d and a without their parts along b; the ends are balls
//! triangle  w_a = d·(b × c), w_b = d·(c × a), w_c = d·(a × b) of one sign;  t = a·(b × c)/(w_a + w_b + w_c)
//! box, drum, ellipsoid   in their own frames, in which the eye is at −Rᵀ c
//! ```
//! Neighboring triangles share their edge's cross product to the bit, so that no ray passes between them.

use muybridge::collision::shape::Shape;
use muybridge::glam::{DMat3, DVec3};

use super::camera::{Lens, NEAR};
use super::scene_objects::{DrawnForm, InkTone, SceneObject};

/// A thing prepared for ray casts, in camera axes.
pub(super) enum RayTarget {
    Ball { center: DVec3, radius: f64 },
    Capsule { from: DVec3, axis: DVec3, radius: f64, axis2: f64, along: f64, from2: f64 },
    Own { kind: LocalSolid, local_from_camera: DMat3, eye: DVec3, center: DVec3 },
    Triangle { edges: [DVec3; 3], volume: f64, corners: [DVec3; 3], normals: [DVec3; 3] },
}

/// Solids whose ray casts are done in their own frame.
#[derive(Clone, Copy)]
pub(super) enum LocalSolid {
    Box { half: DVec3 },
    Drum { radius: f64, half: f64 },
    Ellipsoid { semi_axes: DVec3 },
}

/// Smallest radius of a line, pixels.
const LEAST_LINE: f64 = 0.75;

impl RayTarget {
    /// Prepares a thing for the rays of `lens`.
    pub(super) fn new(thing: &SceneObject, lens: &Lens) -> Self {
        match &thing.form {
            DrawnForm::Triangle { corners, normals } => {
                let corners = corners.map(|corner| lens.see(corner));
                let [a, b, c] = corners;
                let edges = [b.cross(c), c.cross(a), a.cross(b)];
                Self::Triangle { edges, volume: a.dot(edges[0]), corners, normals: normals.map(|n| lens.turn * n) }
            }
            DrawnForm::Solid(solid) => {
                let center = lens.see(solid.position);
                let turned = lens.turn * DMat3::from_quat(solid.rotation);
                let own = |kind| {
                    let local_from_camera = turned.transpose();
                    Self::Own { kind, local_from_camera, eye: local_from_camera * -center, center }
                };
                // Keep a far rope at least a line wide.
                let least = if thing.tone == InkTone::Line { LEAST_LINE * center.z.max(0.0) / lens.focal } else { 0.0 };
                match solid.shape {
                    Shape::Sphere { radius } => Self::Ball { center, radius },
                    Shape::Capsule { radius, half_length } if half_length <= 1e-9 => Self::Ball { center, radius },
                    Shape::Capsule { radius, half_length } => {
                        let radius = radius.max(least);
                        let (from, axis) = (center - turned.y_axis * half_length, turned.y_axis * (2.0 * half_length));
                        let (axis2, along, from2) = (axis.dot(axis), -axis.dot(from), from.dot(from));
                        Self::Capsule { from, axis, radius, axis2, along, from2 }
                    }
                    Shape::Cylinder { radius, half_length } => own(LocalSolid::Drum { radius, half: half_length }),
                    Shape::Box { half_extents } => own(LocalSolid::Box { half: half_extents }),
                    Shape::Ellipsoid { semi_axes } => own(LocalSolid::Ellipsoid { semi_axes }),
                }
            }
        }
    }

    /// Depth at which the ray `d` enters the thing; `None` if it misses.
    pub(super) fn depth(&self, d: DVec3) -> Option<f64> {
        let depth = match self {
            Self::Ball { center, radius } => ball(d, *center, *radius)?,
            Self::Capsule { from, axis, radius, axis2, along, from2 } => {
                let (bard, rdoa, dd) = (axis.dot(d), -from.dot(d), d.dot(d));
                let a = axis2 * dd - bard * bard;
                let b = axis2 * rdoa - along * bard;
                let c = axis2 * from2 - along * along - radius * radius * axis2;
                let h = b * b - a * c;
                if h < 0.0 {
                    return None;
                }
                let t = (-b - h.sqrt()) / a;
                let y = along + t * bard;
                if y > 0.0 && y < *axis2 { t } else { ball(d, if y <= 0.0 { *from } else { *from + *axis }, *radius)? }
            }
            Self::Own { kind, local_from_camera, eye, .. } => kind.depth(*eye, *local_from_camera * d)?,
            Self::Triangle { edges, volume, .. } => {
                let [u, v, w] = edges.map(|edge| d.dot(edge));
                let outside = (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0);
                if outside {
                    return None;
                }
                volume / (u + v + w)
            }
        };
        (depth > NEAR).then_some(depth)
    }

    /// Unit normal, in camera axes, where the ray `d` enters at `depth`. A triangle's normal faces the viewer.
    pub(super) fn normal(&self, d: DVec3, depth: f64) -> DVec3 {
        let point = d * depth;
        let normal = match self {
            Self::Ball { center, .. } => point - *center,
            Self::Capsule { from, axis, axis2, .. } => {
                let along = ((point - *from).dot(*axis) / axis2).clamp(0.0, 1.0);
                point - *from - *axis * along
            }
            Self::Own { kind, local_from_camera, eye, .. } => {
                local_from_camera.transpose() * kind.normal(*eye + *local_from_camera * point)
            }
            Self::Triangle { edges, normals, .. } => {
                let weights = edges.map(|edge| d.dot(edge));
                let sum = weights[0] + weights[1] + weights[2];
                let normal = (normals[0] * weights[0] + normals[1] * weights[1] + normals[2] * weights[2]) / sum;
                if normal.dot(d) > 0.0 { -normal } else { normal }
            }
        };
        normal.normalize_or_zero()
    }

    /// Left, top, right and bottom of the pixels that the thing can cover; `None` if it is behind the eye or not
    /// finite.
    pub(super) fn bounds(&self, lens: &Lens) -> Option<[f64; 4]> {
        let balls = |balls: &[(DVec3, f64)]| {
            let mut all = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
            for &(center, radius) in balls {
                let (x, y) = (reach(center.x, center.z, radius), reach(center.y, center.z, radius));
                all[0] = all[0].min(lens.center.0 + lens.focal * x.0);
                all[1] = all[1].min(lens.center.1 - lens.focal * y.1);
                all[2] = all[2].max(lens.center.0 + lens.focal * x.1);
                all[3] = all[3].max(lens.center.1 - lens.focal * y.0);
            }
            let ahead = balls.iter().any(|(center, radius)| center.z + radius > NEAR);
            let finite = balls.iter().all(|(center, radius)| center.is_finite() && radius.is_finite());
            (ahead && finite).then_some(all)
        };
        match self {
            Self::Ball { center, radius } => balls(&[(*center, *radius)]),
            Self::Capsule { from, axis, radius, .. } => balls(&[(*from, *radius), (*from + *axis, *radius)]),
            Self::Own { kind, center, local_from_camera, .. } => kind.bounds(*center, *local_from_camera, &balls),
            Self::Triangle { corners, .. } => balls(&corners.map(|corner| (corner, 0.0))),
        }
    }
}

impl LocalSolid {
    fn depth(self, eye: DVec3, d: DVec3) -> Option<f64> {
        match self {
            Self::Box { half } => slab(eye, d, half).map(|(enter, _)| enter),
            Self::Ellipsoid { semi_axes } => ball(d / semi_axes, -eye / semi_axes, 1.0),
            Self::Drum { radius, half } => {
                let (a, b) = (d.x * d.x + d.z * d.z, d.x * eye.x + d.z * eye.z);
                let c = eye.x * eye.x + eye.z * eye.z - radius * radius;
                let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
                if a > 0.0 {
                    let h = b * b - a * c;
                    if h < 0.0 {
                        return None;
                    }
                    (enter, leave) = ((-b - h.sqrt()) / a, (-b + h.sqrt()) / a);
                } else if c > 0.0 {
                    return None;
                }
                let (near, far) = between(eye.y, d.y, half);
                let (enter, leave) = (enter.max(near), leave.min(far));
                (enter <= leave).then_some(enter)
            }
        }
    }

    /// Outward normal at a surface point, not normalized.
    fn normal(self, point: DVec3) -> DVec3 {
        match self {
            Self::Ellipsoid { semi_axes } => point / (semi_axes * semi_axes),
            Self::Box { half } => {
                let ratio = (point / half).abs();
                let most = ratio.max_element();
                let keep = |value: f64, ratio: f64| if ratio >= most { value } else { 0.0 };
                DVec3::new(keep(point.x, ratio.x), keep(point.y, ratio.y), keep(point.z, ratio.z))
            }
            Self::Drum { radius, half } => {
                let side = DVec3::new(point.x, 0.0, point.z);
                if side.length() / radius >= point.y.abs() / half { side } else { DVec3::Y * point.y }
            }
        }
    }

    fn bounds(self, center: DVec3, local_from_camera: DMat3, balls: &BoundsOfBalls<'_>) -> Option<[f64; 4]> {
        let half = match self {
            Self::Ellipsoid { semi_axes } => return balls(&[(center, semi_axes.max_element())]),
            Self::Drum { radius, half } => DVec3::new(radius, half, radius),
            Self::Box { half } => half,
        };
        let sign = |bit: usize, corner: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |i: usize| {
            let offset = half * DVec3::new(sign(0, i), sign(1, i), sign(2, i));
            (center + local_from_camera.transpose() * offset, 0.0)
        };
        balls(&std::array::from_fn::<_, 8, _>(corner))
    }
}

/// Computes the image rectangle around balls (center, radius); `None` if they are out of sight.
type BoundsOfBalls<'a> = dyn Fn(&[(DVec3, f64)]) -> Option<[f64; 4]> + 'a;

/// Depth at which the ray `d` enters a ball; `None` if it misses.
fn ball(d: DVec3, center: DVec3, radius: f64) -> Option<f64> {
    let (a, b, c) = (d.dot(d), d.dot(center), center.dot(center) - radius * radius);
    let h = b * b - a * c;
    (h >= 0.0).then(|| (b - h.sqrt()) / a)
}

/// Depths at which a ray enters and leaves a box around the origin; `None` if it misses.
fn slab(eye: DVec3, d: DVec3, half: DVec3) -> Option<(f64, f64)> {
    let spans = [between(eye.x, d.x, half.x), between(eye.y, d.y, half.y), between(eye.z, d.z, half.z)];
    let enter = spans[0].0.max(spans[1].0).max(spans[2].0);
    let leave = spans[0].1.min(spans[1].1).min(spans[2].1);
    (enter <= leave).then_some((enter, leave))
}

/// Interval of `t` in which `from + t rate` is within `half` of 0.
fn between(from: f64, rate: f64, half: f64) -> (f64, f64) {
    if rate == 0.0 {
        return if from.abs() <= half {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        };
    }
    let (a, b) = ((-half - from) / rate, (half - from) / rate);
    (a.min(b), a.max(b))
}

/// Smallest and largest `x/z` of a ball at (x, z) in camera axes; (−1e9, 1e9) if the ball reaches behind the near
/// plane.
fn reach(x: f64, z: f64, radius: f64) -> (f64, f64) {
    let w = z * z - radius * radius;
    if z - radius <= NEAR || w <= 0.0 {
        return (-1e9, 1e9);
    }
    let root = radius * (x * x + w).max(0.0).sqrt();
    ((x * z - root) / w, (x * z + root) / w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::collision::shape::PlacedShape;

    use crate::draw::CameraSolid;
    use crate::film::camera::PerspectiveCamera;
    use muybridge::glam::DQuat;

    /// Ray depths agree with the zeros of the solid's signed distance, and rays that miss stay outside.
    #[test]
    fn rays_meet_solids_where_their_distance_is_zero() {
        let camera = PerspectiveCamera { eye: DVec3::new(0.4, 0.9, 3.0), target: DVec3::ZERO, field_of_view: 0.6 };
        let lens = camera.lens((64, 64), (32.0, 32.0));
        let shapes = [
            Shape::Sphere { radius: 0.3 },
            Shape::Capsule { radius: 0.15, half_length: 0.3 },
            Shape::Cylinder { radius: 0.2, half_length: 0.3 },
            Shape::Box { half_extents: DVec3::new(0.3, 0.2, 0.1) },
            Shape::Ellipsoid { semi_axes: DVec3::new(0.3, 0.2, 0.1) },
        ];
        let rotation = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize();
        for shape in shapes {
            let solid = PlacedShape { shape: shape.clone(), position: DVec3::new(0.1, -0.1, 0.2), rotation };
            let measured = CameraSolid::new(&solid, DMat3::IDENTITY);
            let cast = RayTarget::new(
                &SceneObject { tone: InkTone::Body, owner: 0, form: DrawnForm::Solid(solid.clone()) },
                &lens,
            );
            let bounds = cast.bounds(&lens).unwrap();
            let mut met = 0;
            for index in 0..64 * 64 {
                let (x, y) = (f64::from(index % 64) + 0.5, f64::from(index / 64) + 0.5);
                let d = lens.ray(x, y);
                let world = |t: f64| lens.eye + lens.world(d) * t;
                let Some(t) = cast.depth(d) else {
                    let least = (0..600).map(|i| measured.distance(world(2.0 + f64::from(i) * 0.004)));
                    assert!(least.fold(f64::INFINITY, f64::min) > -2e-3, "{shape:?} at {x} {y}");
                    continue;
                };
                met += 1;
                assert!(measured.distance(world(t)).abs() < 1e-9, "{shape:?}: {}", measured.distance(world(t)));
                let normal = lens.world(cast.normal(d, t));
                assert!((normal.length() - 1.0).abs() < 1e-9 && normal.dot(lens.world(d)) < 1e-9);
                assert!(measured.distance(world(t) + normal * 1e-3) > 5e-4);
                assert!(x >= bounds[0] && x <= bounds[2] && y >= bounds[1] && y <= bounds[3], "{shape:?}");
            }
            assert!(met > 30, "{shape:?}: {met}");
        }
    }

    #[test]
    fn two_triangles_of_a_square_leave_no_gap_and_are_met_at_their_plane() {
        let camera = PerspectiveCamera { eye: DVec3::new(0.3, 0.2, 4.0), target: DVec3::ZERO, field_of_view: 0.5 };
        let lens = camera.lens((97, 97), (48.5, 48.5));
        let corner = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::ONE, DVec3::new(-1.0, 1.0, 1.0)];
        let triangle = |corners: [DVec3; 3]| {
            let thing = SceneObject {
                tone: InkTone::Cloth,
                owner: 0,
                form: DrawnForm::Triangle { corners, normals: [DVec3::Z; 3] },
            };
            RayTarget::new(&thing, &lens)
        };
        let halves = [triangle([corner[0], corner[1], corner[2]]), triangle([corner[0], corner[2], corner[3]])];
        for index in 0..97 * 97 {
            let d = lens.ray(f64::from(index % 97) + 0.5, f64::from(index / 97) + 0.5);
            let world = lens.world(d);
            // The square lies in the plane z = (y + 1)/2.
            let t = (0.5 * (lens.eye.y + 1.0) - lens.eye.z) / (world.z - 0.5 * world.y);
            let point = lens.eye + world * t;
            let inside = point.x.abs() < 0.999 && point.y.abs() < 0.999;
            let met = halves.iter().find_map(|half| half.depth(d));
            if inside {
                assert!((met.unwrap() - t).abs() < 1e-9);
            } else if point.x.abs() > 1.001 || point.y.abs() > 1.001 {
                assert!(met.is_none());
            }
        }
    }
}
