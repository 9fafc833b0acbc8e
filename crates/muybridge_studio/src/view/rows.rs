//! Converts a drawing to rows of numbers for the GPU, with positions relative to the eye.

use eframe::egui::Color32;
use muybridge::glam::DVec3;

use super::drawing::{Billboard, Drawing, DrawnMesh, DrawnSolid, Sign, SolidForm, Stroke};
use super::forms::{BALL, BOX, CONE, CYLINDER, KINDS};

/// Instance of a solid: center and stretch, rotation, scale, color.
pub(super) type SolidRow = [f32; 16];
/// Vertex of a mesh: position, normal, color.
pub(super) type MeshRow = [f32; 10];
/// Instance of a line: start and width, end and dash period, color, length before the start.
pub(super) type LineRow = [f32; 13];
/// Instance of a mark: center and size, color, shape.
pub(super) type MarkRow = [f32; 9];

/// The rows of a frame; reused, so that frames of the same size allocate nothing.
#[derive(Default)]
pub(super) struct InstanceRows {
    pub solids: Vec<SolidRow>,
    /// Runs of opaque solids with the same base mesh: index of the mesh, range of rows.
    pub opaque: Vec<(usize, std::ops::Range<u32>)>,
    /// Runs of translucent solids, far to near: index of the base mesh, range of rows.
    pub ghosts: Vec<(usize, std::ops::Range<u32>)>,
    pub meshes: Vec<MeshRow>,
    /// Lines and marks with depth test come first in their lists; each list is followed by the number of those.
    pub lines: Vec<LineRow>,
    pub hidden_lines: u32,
    pub marks: Vec<MarkRow>,
    pub hidden_marks: u32,
}

impl InstanceRows {
    pub(super) fn fill(&mut self, drawing: &Drawing, eye: DVec3) {
        self.fill_solids(&drawing.solids, eye);
        self.meshes.clear();
        for mesh in &drawing.meshes {
            push_mesh(&mut self.meshes, mesh, eye);
        }
        self.fill_lines(drawing, eye);
        self.fill_marks(&drawing.marks, eye);
    }

    fn fill_solids(&mut self, solids: &[DrawnSolid], eye: DVec3) {
        self.solids.clear();
        self.opaque.clear();
        self.ghosts.clear();
        let drawn = |solid: &&DrawnSolid| solid.position.is_finite() && solid.rotation.is_finite();
        for wanted in 0..KINDS {
            let first = self.solids.len() as u32;
            let of_kind = |solid: &&DrawnSolid| solid.color.is_opaque() && kind(solid.form) == wanted;
            self.solids.extend(solids.iter().filter(drawn).filter(of_kind).map(|solid| solid_row(solid, eye)));
            let end = self.solids.len() as u32;
            if end > first {
                self.opaque.push((wanted, first..end));
            }
        }
        let mut ghosts: Vec<&DrawnSolid> =
            solids.iter().filter(drawn).filter(|solid| !solid.color.is_opaque()).collect();
        let away = |solid: &DrawnSolid| solid.position.distance_squared(eye);
        ghosts.sort_by(|a, b| away(b).total_cmp(&away(a)));
        for solid in ghosts {
            let (kind, row) = (kind(solid.form), self.solids.len() as u32);
            self.solids.push(solid_row(solid, eye));
            match self.ghosts.last_mut() {
                Some((last, run)) if *last == kind => run.end = row + 1,
                _ => self.ghosts.push((kind, row..row + 1)),
            }
        }
    }

    fn fill_lines(&mut self, drawing: &Drawing, eye: DVec3) {
        self.lines.clear();
        for on_top in [false, true] {
            let lines = drawing.lines.iter().filter(|line| line.on_top == on_top);
            for line in lines.filter(|line| line.from.is_finite() && line.to.is_finite()) {
                let ([a, b, c], [d, e, f]) = (near(line.from, eye), near(line.to, eye));
                let [red, green, blue, alpha] = channels(line.color);
                let dash = if let Stroke::Dashed(period) = line.stroke { period as f32 } else { 0.0 };
                self.lines.push([a, b, c, line.width, d, e, f, dash, red, green, blue, alpha, line.along as f32]);
            }
            if !on_top {
                self.hidden_lines = self.lines.len() as u32;
            }
        }
    }

    fn fill_marks(&mut self, marks: &[Billboard], eye: DVec3) {
        self.marks.clear();
        for on_top in [false, true] {
            for mark in marks.iter().filter(|mark| mark.on_top == on_top && mark.position.is_finite()) {
                let [x, y, z] = near(mark.position, eye);
                let [red, green, blue, alpha] = channels(mark.color);
                let sign = match mark.sign {
                    Sign::Disc => 0.0,
                    Sign::Circle => 1.0,
                    Sign::Diamond => 2.0,
                    Sign::Warning => 3.0,
                    Sign::Square => 4.0,
                };
                self.marks.push([x, y, z, mark.size, red, green, blue, alpha, sign]);
            }
            if !on_top {
                self.hidden_marks = self.marks.len() as u32;
            }
        }
    }
}

/// Index of the base mesh of a shape.
fn kind(form: SolidForm) -> usize {
    match form {
        SolidForm::Capsule(..) | SolidForm::Ellipsoid(_) => BALL,
        SolidForm::Box(_) => BOX,
        SolidForm::Cylinder(..) => CYLINDER,
        SolidForm::Cone(..) => CONE,
    }
}

fn solid_row(solid: &DrawnSolid, eye: DVec3) -> SolidRow {
    let (scale, stretch) = match solid.form {
        SolidForm::Capsule(radius, half) => (DVec3::splat(radius), half),
        SolidForm::Ellipsoid(axes) => (axes, 0.0),
        SolidForm::Box(half) => (half, 0.0),
        SolidForm::Cylinder(radius, half) | SolidForm::Cone(radius, half) => (DVec3::new(radius, half, radius), 0.0),
    };
    let ([x, y, z], scale) = (near(solid.position, eye), scale.max(DVec3::splat(1e-6)).as_vec3());
    let turn = solid.rotation.as_quat();
    let [red, green, blue, alpha] = channels(solid.color);
    [x, y, z, stretch as f32, turn.x, turn.y, turn.z, turn.w, scale.x, scale.y, scale.z, 0.0, red, green, blue, alpha]
}

fn push_mesh(rows: &mut Vec<MeshRow>, mesh: &DrawnMesh, eye: DVec3) {
    let smooth = mesh.normals.len() == mesh.points.len();
    for triangle in &mesh.triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(|corner| mesh.points.get(corner)) else { continue };
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            continue;
        }
        let flat = (*b - *a).cross(*c - *a).normalize_or(DVec3::Y);
        for (corner, point) in triangle.iter().zip([a, b, c]) {
            let normal = if smooth { mesh.normals[*corner] } else { flat }.as_vec3();
            let color = mesh.colors.get(*corner).or(mesh.colors.first()).copied().unwrap_or(Color32::GRAY);
            let ([x, y, z], [red, green, blue, alpha]) = (near(*point, eye), channels(color));
            rows.push([x, y, z, normal.x, normal.y, normal.z, red, green, blue, alpha]);
        }
    }
}

fn near(point: DVec3, eye: DVec3) -> [f32; 3] {
    (point - eye).as_vec3().to_array()
}

/// Red, green, blue and opacity, 0 to 1.
pub(super) fn channels(color: Color32) -> [f32; 4] {
    color.to_srgba_unmultiplied().map(|channel| f32::from(channel) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::glam::DQuat;

    #[test]
    fn a_ghost_is_drawn_after_what_is_opaque_far_ones_first() {
        let ball = |x: f64, color| {
            let form = SolidForm::Ellipsoid(DVec3::splat(0.1));
            DrawnSolid { form, position: DVec3::X * x, rotation: DQuat::IDENTITY, color }
        };
        let ghost = Color32::from_white_alpha(90);
        let drawing =
            Drawing { solids: vec![ball(1.0, ghost), ball(5.0, ghost), ball(3.0, Color32::RED)], ..Drawing::default() };
        let mut rows = InstanceRows::default();
        rows.fill(&drawing, DVec3::ZERO);
        assert_eq!(rows.solids.iter().map(|row| row[0]).collect::<Vec<_>>(), [3.0, 5.0, 1.0]);
        assert_eq!((rows.opaque, rows.ghosts), (vec![(BALL, 0..1)], vec![(BALL, 1..3)]));
    }

    #[test]
    fn far_from_the_origin_positions_keep_their_millimetres() {
        let at = DVec3::new(1e5, 0.0, -1e5);
        let mut drawing = Drawing::default();
        drawing.mark(Sign::Disc, at + DVec3::X * 1e-3, 5.0, Color32::RED);
        let mut rows = InstanceRows::default();
        rows.fill(&drawing, at);
        assert!((rows.marks[0][0] - 1e-3).abs() < 1e-9);
    }

    #[test]
    fn what_is_not_a_number_is_not_drawn() {
        let mut drawing = Drawing::default();
        drawing.rod(DVec3::NAN, DVec3::X, 0.1, Color32::RED);
        drawing.polyline(&[DVec3::ZERO, DVec3::NAN], 1.0, Color32::RED, Stroke::Solid);
        let mut rows = InstanceRows::default();
        rows.fill(&drawing, DVec3::ZERO);
        assert!(rows.solids.is_empty() && rows.lines.is_empty());
    }
}
