//! Picking: the nearest solid or mesh of a drawing that a ray hits.
//!
//! ```text
//! solids   bounding sphere first; then sphere tracing: steps along the ray by the distance to the surface, until it is zero
//! meshes   each triangle: o + s d = a + u (b − a) + v (c − a), u, v, 1 − u − v ≥ 0    (Möller and Trumbore 1997)
//! ```

use muybridge::glam::{DVec2, DVec3};

use crate::view::{Drawing, DrawnMesh, DrawnSolid, Ray, SolidForm};

/// First hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Distance from the ray's origin, meters.
    pub along: f64,
    /// World position of the hit, meters.
    pub place: DVec3,
    /// The solid or mesh that was hit.
    pub what: PickHit,
}

/// Reference to a solid or mesh of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickHit {
    /// Index of a solid.
    Solid(usize),
    /// Index of a mesh.
    Mesh(usize),
}

/// Distance to the surface that counts as a hit, meters.
const TOUCH: f64 = 1e-4;

/// First hit of the ray in a drawing; `None` if it hits nothing.
pub fn pick(drawing: &Drawing, ray: &Ray) -> Option<Met> {
    let mut nearest: Option<Met> = None;
    let mut meet = |along: Option<f64>, what: PickHit| {
        if let Some(along) = along
            && nearest.is_none_or(|met| along < met.along)
        {
            nearest = Some(Met { along, place: ray.origin + ray.direction * along, what });
        }
    };
    for (index, solid) in drawing.solids.iter().enumerate() {
        meet(solid_along(solid, ray), PickHit::Solid(index));
    }
    for (index, mesh) in drawing.meshes.iter().enumerate() {
        meet(mesh_along(mesh, ray), PickHit::Mesh(index));
    }
    nearest
}

fn solid_along(solid: &DrawnSolid, ray: &Ray) -> Option<f64> {
    let reach = solid.form.reach() + 0.01;
    let middle = (solid.position - ray.origin).dot(ray.direction);
    let aside = (ray.origin + ray.direction * middle).distance_squared(solid.position);
    let half = (reach * reach - aside).max(0.0).sqrt();
    if aside > reach * reach || middle + half < 0.0 {
        return None;
    }
    let back = solid.rotation.conjugate();
    let (origin, direction) = (back * (ray.origin - solid.position), back * ray.direction);
    let mut along = (middle - half).max(0.0);
    for _ in 0..96 {
        let distance = distance(&solid.form, origin + direction * along);
        if distance < TOUCH {
            return Some(along);
        }
        along += distance;
        if along > middle + half {
            break;
        }
    }
    None
}

/// Distance of a point to the surface or a lower bound of it, negative inside; meters, in the frame of the solid.
fn distance(form: &SolidForm, point: DVec3) -> f64 {
    let aside = DVec2::new(point.x, point.z).length();
    match *form {
        SolidForm::Capsule(radius, half) => point.distance(DVec3::Y * point.y.clamp(-half, half)) - radius,
        SolidForm::Ellipsoid(axes) => {
            let scaled = (point / axes).length();
            (scaled - 1.0) * axes.min_element()
        }
        SolidForm::Box(half) => {
            let beyond = point.abs() - half;
            beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
        }
        SolidForm::Cylinder(radius, half) => {
            let beyond = DVec2::new(aside - radius, point.y.abs() - half);
            beyond.max(DVec2::ZERO).length() + beyond.max_element().min(0.0)
        }
        SolidForm::Cone(radius, half) => {
            // Outward normal of the slanted side; the base is the second term.
            let normal = DVec2::new(2.0 * half, radius).normalize_or(DVec2::X);
            let slant = normal.dot(DVec2::new(aside, point.y - half));
            slant.max(-half - point.y)
        }
    }
}

fn mesh_along(mesh: &DrawnMesh, ray: &Ray) -> Option<f64> {
    let corners = |triangle: &[usize; 3]| {
        let [a, b, c] = triangle.map(|corner| mesh.points.get(corner).copied());
        Some([a?, b?, c?])
    };
    let all = mesh.triangles.iter().filter_map(corners).filter_map(|corners| triangle_along(corners, ray));
    all.min_by(f64::total_cmp)
}

fn triangle_along([a, b, c]: [DVec3; 3], ray: &Ray) -> Option<f64> {
    let (first, second) = (b - a, c - a);
    let across = ray.direction.cross(second);
    let scale = first.dot(across);
    if scale.abs() < 1e-14 {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(across) / scale;
    let over = from.cross(first);
    let v = ray.direction.dot(over) / scale;
    let along = second.dot(over) / scale;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && along > 0.0).then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::Color32;
    use muybridge::glam::DQuat;

    #[test]
    fn every_form_is_met_where_its_surface_is() {
        let rotation = DQuat::from_rotation_z(0.0);
        let solid = |form| DrawnSolid { form, position: DVec3::new(0.0, 1.0, 0.0), rotation, color: Color32::RED };
        let ray = Ray { origin: DVec3::new(5.0, 1.0, 0.0), direction: DVec3::NEG_X };
        let forms = [
            (SolidForm::Capsule(0.2, 0.5), 4.8),
            (SolidForm::Ellipsoid(DVec3::new(0.3, 0.1, 0.1)), 4.7),
            (SolidForm::Box(DVec3::new(0.25, 1.0, 1.0)), 4.75),
            (SolidForm::Cylinder(0.2, 0.5), 4.8),
            (SolidForm::Cone(0.4, 0.5), 4.8),
        ];
        for (form, along) in forms {
            let drawing = Drawing { solids: vec![solid(form)], ..Drawing::default() };
            let met = pick(&drawing, &ray).unwrap();
            assert!((met.along - along).abs() < 1e-3, "{form:?} at {}", met.along);
            let past = Ray { origin: DVec3::new(5.0, 3.0, 0.0), ..ray };
            assert_eq!(pick(&drawing, &past), None);
        }
    }

    #[test]
    fn of_two_the_nearer_is_met_and_what_is_behind_the_eye_is_not() {
        let ball = |x| DrawnSolid {
            form: SolidForm::Ellipsoid(DVec3::splat(0.1)),
            position: DVec3::X * x,
            rotation: DQuat::IDENTITY,
            color: Color32::RED,
        };
        let corners = vec![DVec3::new(2.0, -1.0, -1.0), DVec3::new(2.0, 1.0, 0.0), DVec3::new(2.0, -1.0, 1.0)];
        let mesh = DrawnMesh { points: corners, triangles: vec![[0, 1, 2]], ..DrawnMesh::default() };
        let drawing =
            Drawing { solids: vec![ball(0.0), ball(6.0), ball(1.0)], meshes: vec![mesh], ..Drawing::default() };
        let ray = Ray { origin: DVec3::X * 5.0, direction: DVec3::NEG_X };
        let met = pick(&drawing, &ray).unwrap();
        assert_eq!((met.what, met.along), (PickHit::Mesh(0), 3.0));
    }
}
