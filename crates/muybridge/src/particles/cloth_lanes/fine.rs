//! Contact of a sheet with solids that have edges or are finer than its triangles: at points of its faces too.
//!
//! Points divide the sides of a triangle into equal parts, no farther apart than the solid asks. A point that is in the
//! solid is pushed out along the gradient of the signed distance, and its corners by its weights (3.11.1):
//! ```text
//! x_i += w_i c_i Δ / Σ w c²,   Δ, friction and recovery as for the vertices
//! ```

use core::ops::Range;

use glam::DVec3;

use super::contact::RECOVERY;
use super::layout::BLOCK;
use super::meeting::Around;
use super::sheet::Sheet;
use super::sheets::TOUCHING;
use crate::collision::broad_phase::Aabb;
use crate::collision::simplex_contact::signed;
use crate::collision::{Obstacle, Pose};

/// A point of a face that may touch a solid in this frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePoint {
    /// Offset of the x of each corner in the buffers.
    pub corners: [u32; 3],
    pub weights: [f64; 3],
}

/// An obstacle that a sheet may meet at points of its faces.
#[derive(Clone, Debug)]
pub(super) struct FineSolid {
    pub obstacle: usize,
    /// Friction and restitution.
    pub material: [f32; 2],
    /// Distance kept beyond the thickness of the sheet because it is made of chords, meters.
    pub margin: f64,
    /// Number of parts of the side of a triangle.
    pub parts: u32,
    /// Whether flat parts of the sheet on a flat side need vertices only.
    pub has_flat_sides: bool,
    /// Half the least thickness of the obstacle, meters.
    pub half_thickness: f64,
    /// Box of the obstacle during the frame.
    pub bounds: Aabb,
    /// Its points in the list of the sheet.
    pub points: Range<usize>,
}

/// Greatest number of points of a sheet in a frame; with more, the world steps it.
const MOST: usize = 20_000;

/// Cosine of the angle between two normals of one flat side, at least.
const FLAT: f64 = 0.9999;

/// Lists the points of a sheet that may touch a solid, by solid. `margin` is how far a point may come in the frame.
/// Returns whether there are not too many.
pub(super) fn find(
    points: &mut Vec<FacePoint>,
    sheet: &Sheet,
    fine: &mut [FineSolid],
    (obstacles, positions): (&[Obstacle], &[DVec3]),
    margin: f64,
) -> bool {
    points.clear();
    let first = sheet.particles.start;
    for solid in fine {
        let start = points.len();
        let (it, reach) = (&obstacles[solid.obstacle], solid.bounds.grown(margin));
        let mut add = |corners: [u32; 3], weights: [f64; 3]| {
            let corners = corners.map(|corner| sheet.offsets[corner as usize] as u32);
            points.push(FacePoint { corners, weights });
        };
        for vertex in 0..sheet.offsets.len() {
            if reach.overlaps(&Aabb::around([positions[first + vertex]])) {
                add([vertex as u32; 3], [1.0, 0.0, 0.0]);
            }
        }
        for face in sheet.faces.iter().filter(|_| solid.parts > 1) {
            let places = face.corners.map(|corner| positions[first + corner as usize]);
            if !reach.overlaps(&Aabb::around(places)) {
                continue;
            }
            if solid.has_flat_sides {
                let normals = places.map(|place| signed(&it.shape, it.pose().to_local(place), f64::INFINITY).normal);
                if normals[0].dot(normals[1]).min(normals[0].dot(normals[2])) > FLAT {
                    continue;
                }
            }
            each_point(solid.parts, face.owns, &mut |weights| add(face.corners, weights));
        }
        solid.points = start..points.len();
        if points.len() > MOST {
            return false;
        }
    }
    true
}

/// Calls `found` with the weights of the points that divide a triangle, without its corners, and without the sides that
/// it does not own.
fn each_point(parts: u32, owns: [bool; 3], found: &mut dyn FnMut([f64; 3])) {
    for i in 0..=parts {
        for j in 0..=parts - i {
            let counts = [i, j, parts - i - j];
            let zeros = counts.iter().filter(|&&count| count == 0).count();
            // The side opposite to a corner has weight 0 there.
            let on_side = counts.iter().position(|&count| count == 0);
            if zeros == 2 || on_side.is_some_and(|side| !owns[side]) {
                continue;
            }
            found(counts.map(|count| f64::from(count) / f64::from(parts)));
        }
    }
}

/// Contact point of a vertex with a solid, and the normal there; `None` if it does not touch.
pub(super) fn touch(sheet: &Sheet, solid: &FineSolid, it: &Obstacle, place: DVec3) -> Option<(DVec3, DVec3)> {
    let here = signed(&it.shape, it.pose().to_local(place), f64::INFINITY);
    let normal = it.rotation * here.normal;
    let touches = here.distance <= sheet.radius + solid.margin + TOUCHING;
    touches.then(|| (place - normal * here.distance, normal))
}

/// A substep of a sheet among fine solids.
pub(super) struct Substep<'a, 'b> {
    pub around: &'a Around<'b>,
    /// Share of the frame that is over at its start and at its end, and the origin of the sheet then.
    pub shares: [f64; 2],
    pub origins: [DVec3; 2],
    /// Greatest recovery, and greatest approach without a bounce, meters.
    pub most: [f64; 2],
}

/// Pushes the points of a sheet out of the solids. Returns the depth of the deepest at the start of the substep, meters.
pub(super) fn keep_out(sheet: &mut Sheet, points: &[FacePoint], fine: &[FineSolid], substep: &Substep) -> f64 {
    let mut deepest = 0.0_f64;
    for solid in fine {
        let obstacle = &substep.around.obstacles[solid.obstacle];
        let poses = substep.shares.map(|share| obstacle.pose_after((share - 1.0) * substep.around.seconds));
        for point in &points[solid.points.clone()] {
            deepest = deepest.max(push_out(sheet, point, (solid, obstacle), &poses, substep));
        }
    }
    deepest
}

/// Pushes a point out; returns its depth at the start of the substep, meters.
fn push_out(
    sheet: &mut Sheet,
    point: &FacePoint,
    (solid, obstacle): (&FineSolid, &Obstacle),
    poses: &[Pose; 2],
    substep: &Substep,
) -> f64 {
    let radius = sheet.radius + solid.margin;
    let depth = |place: DVec3, pose: &Pose| {
        let here = signed(&obstacle.shape, pose.to_local(place), f64::INFINITY);
        (pose.rotation * here.normal, radius - here.distance)
    };
    let x = substep.origins[1] + point.position(&sheet.now);
    let (normal, now) = depth(x, &poses[1]);
    // NaN compares false.
    if now.is_nan() || now <= 0.0 {
        return 0.0;
    }
    let old = substep.origins[0] + point.position(&sheet.before);
    let earlier = depth(old, &poses[0]).1.max(0.0);
    let recovered = (earlier * RECOVERY).min(substep.most[0]);
    let out = now - earlier + recovered;
    let weights = point.corners.map(|at| match sheet.mass_at(at as usize) {
        mass if mass > 0.0 => 1.0 / mass,
        _ => 0.0,
    });
    let mobility: f64 = (0..3).map(|i| weights[i] * point.weights[i] * point.weights[i]).sum();
    if out <= 0.0 || mobility <= 0.0 {
        return (earlier - solid.margin).max(0.0);
    }
    let moved = x + normal * out;
    let surface = moved - poses[0].to_world(poses[1].to_local(moved));
    let slip = moved - old - normal * recovered - surface;
    let along = slip.dot(normal);
    let across = slip - normal * along;
    let [friction, restitution] = solid.material.map(f64::from);
    let stopped = (friction * (out - recovered) / across.length().max(1e-12)).min(1.0);
    let approach = out - recovered - along;
    let back = if approach > substep.most[1] { restitution * approach } else { 0.0 };
    let moves = [normal * out - across * stopped, normal * (recovered - back)];
    for (numbers, by) in [&mut sheet.now, &mut sheet.before].into_iter().zip(moves) {
        for i in 0..3 {
            let by = by * (weights[i] * point.weights[i] / mobility);
            for axis in 0..3 {
                numbers[point.corners[i] as usize + axis * BLOCK] += by[axis] as f32;
            }
        }
    }
    (earlier - solid.margin).max(0.0)
}

impl FacePoint {
    fn position(&self, numbers: &[f32]) -> DVec3 {
        let axis = |axis: usize| {
            let at = |i: usize| self.weights[i] * f64::from(numbers[self.corners[i] as usize + axis * BLOCK]);
            at(0) + at(1) + at(2)
        };
        DVec3::new(axis(0), axis(1), axis(2))
    }
}
