//! Drawings as plain lists of solids, lines, marks and meshes. Rooms fill them and tests read them without a renderer.
//!
//! Positions are in meters in the world, y up. Widths of lines and sizes of marks are in points of the screen, so they
//! stay the same at every distance; arrows and solids have sizes in meters.

use eframe::egui::Color32;
use muybridge::character::Character;
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};

/// A solid with its pose and color.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnSolid {
    /// Shape of the solid.
    pub form: SolidForm,
    /// Center of the solid, meters.
    pub position: DVec3,
    /// Rotation of the solid.
    pub rotation: DQuat,
    /// Color; a translucent solid is drawn after all others, far to near, and casts no shadow.
    pub color: Color32,
}

/// Shapes of solids, centered at the origin; lengths in meters, the long axis is y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolidForm {
    /// Capsule: radius, half the distance between the centers of the caps.
    Capsule(f64, f64),
    /// Ellipsoid: semi-axes; a ball if they are equal.
    Ellipsoid(DVec3),
    /// Box: half the edge lengths.
    Box(DVec3),
    /// Cylinder: radius, half the height.
    Cylinder(f64, f64),
    /// Cone: radius of the base, half the height; the tip is at +y.
    Cone(f64, f64),
}

/// A straight line of constant width on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnLine {
    /// Start of the line, meters.
    pub from: DVec3,
    /// End of the line, meters.
    pub to: DVec3,
    /// Width of the line, points.
    pub width: f32,
    /// Color of the line, which may be translucent.
    pub color: Color32,
    /// Solid or dashed.
    pub stroke: Stroke,
    /// Length of the polyline before `from`, meters, so that dashes continue across corners.
    pub along: f64,
    /// Whether the line is drawn on top of everything, even if something is in front of it.
    pub on_top: bool,
}

/// Whether a line is solid or dashed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stroke {
    /// Without gaps.
    #[default]
    Solid,
    /// Dashed with this period in meters; half of each period is drawn.
    Dashed(f64),
}

/// A flat sign that faces the camera and keeps its size on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Billboard {
    /// Center of the mark, meters.
    pub position: DVec3,
    /// Width of the mark, points.
    pub size: f32,
    /// Color of the mark, which may be translucent.
    pub color: Color32,
    /// Shape of the mark.
    pub sign: Sign,
    /// Whether the mark is drawn on top of everything.
    pub on_top: bool,
}

/// Shapes of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A filled circle.
    Disc,
    /// An open circle.
    Circle,
    /// A filled diamond.
    Diamond,
    /// A filled triangle with its base at the bottom: a warning.
    Warning,
    /// A filled square: a handle.
    Square,
}

/// A triangle mesh, visible from both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnMesh {
    /// Vertices, meters.
    pub points: Vec<DVec3>,
    /// Unit normals, one per vertex; if there are fewer, face normals are used.
    pub normals: Vec<DVec3>,
    /// Colors, one per vertex, or one for the whole mesh.
    pub colors: Vec<Color32>,
    /// Triangles as vertex indices; triangles with invalid indices are skipped.
    pub triangles: Vec<[usize; 3]>,
}

/// Everything that is drawn in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Solids to draw.
    pub solids: Vec<DrawnSolid>,
    /// Meshes to draw.
    pub meshes: Vec<DrawnMesh>,
    /// Lines to draw.
    pub lines: Vec<DrawnLine>,
    /// Marks to draw.
    pub marks: Vec<Billboard>,
    /// Height of the floor with its grid of 1 m and 10 cm, meters; `None` for no floor.
    pub floor: Option<f64>,
}

/// Width of an arrow's shaft, points.
const SHAFT: f32 = 3.0;

impl Drawing {
    /// Adds a character's solids; `pose(i)` is the world position and rotation of bone `i`.
    pub fn character(&mut self, character: &Character, pose: impl Fn(usize) -> (DVec3, DQuat), color: Color32) {
        for (bone, body) in character.bodies.iter().enumerate() {
            if !body.shapes.is_empty() {
                self.shapes(&body.shapes, pose(bone), color);
            }
        }
    }

    /// Adds the solids of a body at its world pose.
    pub fn shapes(&mut self, shapes: &[PlacedShape], (position, rotation): (DVec3, DQuat), color: Color32) {
        for placed in shapes {
            self.solids.push(DrawnSolid {
                form: SolidForm::of(&placed.shape),
                position: position + rotation * placed.position,
                rotation: (rotation * placed.rotation).normalize(),
                color,
            });
        }
    }

    /// Adds a line from each bone to its parent, on top of everything.
    pub fn skeleton(&mut self, character: &Character, pose: impl Fn(usize) -> (DVec3, DQuat), color: Color32) {
        for (bone, parent) in character.skeleton.bones().iter().enumerate().filter_map(|(i, b)| Some((i, b.parent?))) {
            let line = DrawnLine::new(pose(parent).0, pose(bone).0, 2.0, color);
            self.lines.push(DrawnLine { on_top: true, ..line });
        }
    }

    /// Adds a capsule between two points.
    pub fn rod(&mut self, from: DVec3, to: DVec3, radius: f64, color: Color32) {
        let half = from.distance(to) / 2.0;
        let form = SolidForm::Capsule(radius, half);
        self.solids.push(DrawnSolid { form, position: (from + to) / 2.0, rotation: y_along(to - from), color });
    }

    /// Adds a polyline, solid or dashed.
    pub fn polyline(&mut self, points: &[DVec3], width: f32, color: Color32, stroke: Stroke) {
        let mut along = 0.0;
        for pair in points.windows(2) {
            self.lines.push(DrawnLine { stroke, along, ..DrawnLine::new(pair[0], pair[1], width, color) });
            along += pair[0].distance(pair[1]);
        }
    }

    /// Adds a polyline like [`Drawing::polyline`], on top of everything: for paths inside a body.
    pub fn path(&mut self, points: &[DVec3], width: f32, color: Color32, stroke: Stroke) {
        let first = self.lines.len();
        self.polyline(points, width, color, stroke);
        self.lines[first..].iter_mut().for_each(|line| line.on_top = true);
    }

    /// Adds an arrow with a filled head.
    pub fn arrow(&mut self, from: DVec3, to: DVec3, color: Color32) {
        let length = from.distance(to);
        if !(length > 1e-6 && length.is_finite()) {
            return;
        }
        let head = (0.25 * length).min(0.07);
        let toward = (to - from) / length;
        self.lines.push(DrawnLine::new(from, to - toward * head, SHAFT, color));
        let form = SolidForm::Cone(0.4 * head, 0.5 * head);
        self.solids.push(DrawnSolid { form, position: to - toward * (0.5 * head), rotation: y_along(toward), color });
    }

    /// Adds an arrow from `from` to `to`, with an arc around its foot that turns by the right-hand rule.
    pub fn turning_arrow(&mut self, from: DVec3, to: DVec3, color: Color32) {
        self.arrow(from, to, color);
        let length = from.distance(to);
        if !(length > 1e-6 && length.is_finite()) {
            return;
        }
        let (turn, radius) = (y_along(to - from), (0.2 * length).clamp(0.02, 0.08));
        // Seen from the tip, z to x is counter-clockwise.
        let at = |angle: f64| from + turn * DVec3::new(angle.sin(), 0.0, angle.cos()) * radius;
        let arc: Vec<DVec3> = (0..=20).map(|i| at(f64::from(i) * 0.25)).collect();
        self.polyline(&arc, 2.0, color, Stroke::Solid);
        let (end, heading) = (at(5.0), at(5.02) - at(5.0));
        let form = SolidForm::Cone(0.25 * radius, 0.3 * radius);
        self.solids.push(DrawnSolid { form, position: end, rotation: y_along(heading), color });
    }

    /// Adds a mark.
    pub fn mark(&mut self, sign: Sign, position: DVec3, size: f32, color: Color32) {
        self.marks.push(Billboard { position, size, color, sign, on_top: false });
    }

    /// Adds a mark on top of everything, such as a draggable handle.
    pub fn handle(&mut self, sign: Sign, position: DVec3, size: f32, color: Color32) {
        self.marks.push(Billboard { position, size, color, sign, on_top: true });
    }

    /// Bounding box of solids, meshes and lines: lowest and highest corner; `None` if there are none.
    pub fn bounds(&self) -> Option<(DVec3, DVec3)> {
        let solids = self.solids.iter().flat_map(|solid| {
            let reach = DVec3::splat(solid.form.reach());
            [solid.position - reach, solid.position + reach]
        });
        let meshes = self.meshes.iter().flat_map(|mesh| mesh.points.iter().copied());
        let lines = self.lines.iter().flat_map(|line| [line.from, line.to]);
        let points = solids.chain(meshes).chain(lines).filter(|point| point.is_finite());
        points.fold(None, |bounds, point| {
            let (low, high) = bounds.unwrap_or((point, point));
            Some((low.min(point), high.max(point)))
        })
    }
}

impl DrawnLine {
    /// A solid line that is hidden by things in front of it.
    pub fn new(from: DVec3, to: DVec3, width: f32, color: Color32) -> Self {
        Self { from, to, width, color, stroke: Stroke::Solid, along: 0.0, on_top: false }
    }
}

impl SolidForm {
    /// Converts a collision shape.
    pub fn of(shape: &Shape) -> Self {
        match *shape {
            Shape::Sphere { radius } => Self::Ellipsoid(DVec3::splat(radius)),
            Shape::Capsule { radius, half_length } => Self::Capsule(radius, half_length),
            Shape::Cylinder { radius, half_length } => Self::Cylinder(radius, half_length),
            Shape::Box { half_extents } => Self::Box(half_extents),
            Shape::Ellipsoid { semi_axes } => Self::Ellipsoid(semi_axes),
        }
    }

    /// Radius of the bounding sphere, meters.
    pub fn reach(&self) -> f64 {
        match *self {
            Self::Capsule(radius, half) => radius + half,
            Self::Ellipsoid(axes) => axes.max_element(),
            Self::Box(half) => half.length(),
            Self::Cylinder(radius, half) | Self::Cone(radius, half) => radius.hypot(half),
        }
    }
}

/// Rotation that turns y to a direction; the identity for the zero vector.
pub fn y_along(direction: DVec3) -> DQuat {
    direction.try_normalize().map_or(DQuat::IDENTITY, |unit| DQuat::from_rotation_arc(DVec3::Y, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_across_the_corners_of_a_polyline() {
        let mut drawing = Drawing::default();
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, 0.0)];
        drawing.polyline(&corners, 2.0, Color32::RED, Stroke::Dashed(0.1));
        assert_eq!(drawing.lines.iter().map(|line| line.along).collect::<Vec<_>>(), [0.0, 1.0]);
    }

    #[test]
    fn an_arrow_ends_where_it_points() {
        let mut drawing = Drawing::default();
        let (from, to) = (DVec3::new(1.0, 0.0, 0.0), DVec3::new(1.0, 0.6, 0.8));
        drawing.arrow(from, to, Color32::RED);
        let cone = &drawing.solids[0];
        let SolidForm::Cone(_, half) = cone.form else { panic!("{cone:?}") };
        assert!((cone.position + cone.rotation * (DVec3::Y * half)).distance(to) < 1e-12);
    }

    #[test]
    fn a_rod_reaches_from_point_to_point_and_bounds_hold_it() {
        let mut drawing = Drawing::default();
        let (from, to) = (DVec3::new(-1.0, 1.0, 0.5), DVec3::new(2.0, 0.0, 0.0));
        drawing.rod(from, to, 0.1, Color32::RED);
        let rod = &drawing.solids[0];
        let SolidForm::Capsule(_, half) = rod.form else { panic!("{rod:?}") };
        assert!((rod.position + rod.rotation * (DVec3::Y * half)).distance(to) < 1e-12);
        let (low, high) = drawing.bounds().unwrap();
        assert!(low.cmple(from.min(to)).all() && high.cmpge(from.max(to)).all());
    }
}
