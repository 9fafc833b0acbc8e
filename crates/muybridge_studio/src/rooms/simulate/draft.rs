//! Drawing a figure by hand, after the editor of Rosen (R26): points in a plane, sticks and strings between them,
//! triangles, pins; mirrored and copied. The figure is a `points` thing of the scene, rebuilt after each click.

use eframe::egui::{Pos2, Rect};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::{Points, Scene};

use crate::theme::Theme;
use crate::view::{Drawing, OrbitCamera, Ray, Sign, Stroke};

/// Drawing tool: what a click in the view does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftTool {
    /// Adds a point and joins it to the last point by a stick of fixed length.
    Stick,
    /// Adds a point and joins it to the last point by a string, which keeps at least a fraction of its length.
    String,
    /// Makes a triangle of three points.
    Triangle,
    /// Pins a point or releases it.
    Pin,
    /// Drags a point.
    Move,
    /// Removes a point.
    Erase,
}

impl DraftTool {
    /// All tools, each with its name and tooltip.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (
            Self::Stick,
            "Stick",
            "Click to set points; each is joined to the last by a rigid stick. Click the last point again to end the line.",
        ),
        (
            Self::String,
            "String",
            "The same with strings: at most their length, at least the share that the key slack says.",
        ),
        (Self::Triangle, "Triangle", "Click three points."),
        (Self::Pin, "Pin", "Click a point: it stays where it is, or is let go."),
        (Self::Move, "Move", "Drag a point."),
        (Self::Erase, "Erase", "Click a point: it goes, and what joins it."),
    ];
}

/// A figure while it is drawn.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The current tool.
    pub tool: DraftTool,
    /// Index of the `points` thing in the scene; `None` before the first click.
    pub thing: Option<usize>,
    /// Index of the last point of the line being drawn; `None` between lines.
    pub last: Option<usize>,
    /// Corners of the unfinished triangle.
    corners: Vec<u32>,
    /// Whether positions snap to multiples of 5 cm.
    pub snaps: bool,
    /// Index of the dragged point and the number of its gesture; `None` if nothing is dragged.
    pub dragged: Option<(usize, u64)>,
}

/// Points closer than this count as one point, meters.
const SAME: f64 = 0.01;

/// Greatest distance between click and point for picking, points of the screen.
const NEAR: f32 = 10.0;

impl Draft {
    /// Starts a new figure, or continues the `points` thing with this index.
    pub fn new(thing: Option<usize>) -> Self {
        Self { tool: DraftTool::Stick, thing, last: None, corners: Vec::new(), snaps: true, dragged: None }
    }

    /// Switches to another tool and ends the current line or triangle.
    pub fn take(&mut self, tool: DraftTool) {
        self.tool = tool;
        self.end();
    }

    /// Drops references to points that no longer exist, for example after an undo.
    pub fn mend(&mut self, scene: &Scene) {
        self.thing = self.thing.filter(|index| *index < scene.points.len());
        let count = self.thing.map_or(0, |index| scene.points[index].positions.len());
        self.last = self.last.filter(|last| *last < count);
        self.corners.retain(|corner| (*corner as usize) < count);
        self.dragged = self.dragged.filter(|(point, _)| *point < count);
    }

    /// Ends the current line or triangle.
    pub fn end(&mut self) {
        self.last = None;
        self.corners.clear();
    }

    /// Position of a click with this ray: in the plane of two axes that faces the camera most, through the last point
    /// or the origin.
    pub fn point_on_plane(&self, points: Option<&Points>, camera: &OrbitCamera, ray: &Ray) -> Option<DVec3> {
        let normal = camera.facing_axis();
        let through =
            |points: &Points| points.positions.get(self.last.unwrap_or(points.positions.len().max(1) - 1)).copied();
        let place = ray.meets_plane(points.and_then(through).unwrap_or_default(), normal)?;
        let snapped = (place * 20.0).round() / 20.0;
        // Only the two axes in the plane snap; the plane itself need not lie at a multiple of 5 cm.
        Some(if self.snaps { snapped + normal * (place - snapped).dot(normal) } else { place })
    }

    /// Index of the point under the pointer; `None` if there is none.
    pub fn pick(points: &Points, camera: &OrbitCamera, rect: Rect, pointer: Pos2) -> Option<usize> {
        let distance = |(index, place): (usize, &DVec3)| Some((camera.project(rect, *place)?.distance(pointer), index));
        let all = points.positions.iter().enumerate().filter_map(distance).filter(|(distance, _)| *distance < NEAR);
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, index)| index)
    }

    /// Applies the tool at a click, on a point or beside all points. Returns the name of the change, or `None` if
    /// nothing changed.
    pub fn click(&mut self, points: &mut Points, on: Option<usize>, place: DVec3) -> Option<&'static str> {
        match self.tool {
            DraftTool::Stick | DraftTool::String => self.join(points, on, place),
            DraftTool::Triangle => self.corner(points, on?),
            DraftTool::Pin => {
                let point = on? as u32;
                if points.fixed.contains(&point) {
                    points.fixed.retain(|&fixed| fixed != point);
                } else {
                    points.fixed.push(point);
                }
                Some("Pin")
            }
            DraftTool::Move => None,
            DraftTool::Erase => {
                erase(points, on?);
                self.end();
                Some("Erase a point")
            }
        }
    }

    fn join(&mut self, points: &mut Points, on: Option<usize>, place: DVec3) -> Option<&'static str> {
        if on.is_some() && on == self.last {
            self.end();
            return None;
        }
        let index = on.unwrap_or_else(|| add(points, place));
        let from = self.last.replace(index);
        let Some(from) = from.map(|from| from as u32) else { return on.is_none().then_some("Set a point") };
        let (pair, is_string) = ([from, index as u32], self.tool == DraftTool::String);
        let list = if is_string { &mut points.strings } else { &mut points.sticks };
        if !has(list, pair) {
            list.push(pair);
        }
        if is_string && points.slack == 0.0 && points.strings.len() == 1 {
            points.slack = 0.5;
        }
        Some(if is_string { "Draw a string" } else { "Draw a stick" })
    }

    fn corner(&mut self, points: &mut Points, on: usize) -> Option<&'static str> {
        if !self.corners.contains(&(on as u32)) {
            self.corners.push(on as u32);
        }
        let &[a, b, c] = self.corners.as_slice() else { return None };
        points.triangles.push([a, b, c]);
        self.corners.clear();
        Some("Make a triangle")
    }

    /// Draws the figure on top of everything, with a preview of the next stick.
    pub fn draw(&self, points: Option<&Points>, pointer: Option<DVec3>, theme: &Theme, drawing: &mut Drawing) {
        let Some(points) = points else {
            if let Some(place) = pointer {
                drawing.handle(Sign::Circle, place, 10.0, theme.accent);
            }
            return;
        };
        let at = |index: u32| points.positions.get(index as usize).copied();
        let mut line = |pair: &[u32; 2], stroke: Stroke| {
            if let (Some(from), Some(to)) = (at(pair[0]), at(pair[1])) {
                drawing.path(&[from, to], 2.5, theme.accent, stroke);
            }
        };
        points.sticks.iter().for_each(|pair| line(pair, Stroke::Solid));
        points.strings.iter().for_each(|pair| line(pair, Stroke::Dashed(0.06)));
        for &[a, b, c] in &points.triangles {
            [[a, b], [b, c], [c, a]].iter().for_each(|pair| line(pair, Stroke::Solid));
        }
        for (index, &place) in points.positions.iter().enumerate() {
            let number = index as u32;
            let is_next = self.last == Some(index) || self.corners.contains(&number);
            let sign = if points.fixed.contains(&number) { Sign::Square } else { Sign::Disc };
            let color = if is_next { theme.ballistic } else { theme.text };
            drawing.handle(sign, place, if is_next { 12.0 } else { 9.0 }, color);
        }
        if let (DraftTool::Stick | DraftTool::String, Some(place)) = (self.tool, pointer) {
            if let Some(from) = self.last.and_then(|last| points.positions.get(last)) {
                drawing.path(&[*from, place], 1.5, theme.quiet, Stroke::Dashed(0.04));
            }
            drawing.handle(Sign::Circle, place, 10.0, theme.accent);
        }
    }
}

fn add(points: &mut Points, place: DVec3) -> usize {
    points.positions.push(place);
    if !points.velocities.is_empty() {
        points.velocities.push(DVec3::ZERO);
    }
    if points.masses.len() > 1 {
        points.masses.push(1.0);
    }
    points.positions.len() - 1
}

fn has(list: &[[u32; 2]], [a, b]: [u32; 2]) -> bool {
    list.iter().any(|pair| *pair == [a, b] || *pair == [b, a])
}

/// Removes a point and all that joins it; the indices of later points decrease by one.
fn erase(points: &mut Points, gone: usize) {
    points.positions.remove(gone);
    if gone < points.velocities.len() {
        points.velocities.remove(gone);
    }
    if points.masses.len() > 1 && gone < points.masses.len() {
        points.masses.remove(gone);
    }
    let gone = gone as u32;
    let lower = |index: &mut u32| *index -= u32::from(*index > gone);
    points.sticks.retain(|pair| !pair.contains(&gone));
    points.strings.retain(|pair| !pair.contains(&gone));
    points.triangles.retain(|triangle| !triangle.contains(&gone));
    points.fixed.retain(|&fixed| fixed != gone);
    points.sticks.iter_mut().chain(&mut points.strings).flatten().for_each(lower);
    points.triangles.iter_mut().flatten().chain(&mut points.fixed).for_each(lower);
}

/// Adds the mirror image in the plane x = 0. Points in that plane are shared, and parts that already have an image get
/// no second one.
pub fn mirror(points: &mut Points) {
    let count = points.positions.len();
    let image: Vec<u32> = (0..count)
        .map(|index| {
            let place = points.positions[index];
            let wanted = DVec3::new(-place.x, place.y, place.z);
            let there = points.positions.iter().position(|other| other.distance(wanted) < SAME);
            there.unwrap_or_else(|| {
                let new = add(points, wanted);
                if let Some(&velocity) = points.velocities.get(index) {
                    points.velocities.resize(new + 1, DVec3::ZERO);
                    points.velocities[new] = DVec3::new(-velocity.x, velocity.y, velocity.z);
                }
                if points.masses.len() > 1 {
                    let mass = points.masses.get(index).copied().unwrap_or(1.0);
                    points.masses.resize(new + 1, 1.0);
                    points.masses[new] = mass;
                }
                new
            }) as u32
        })
        .collect();
    let of = |index: u32| image.get(index as usize).copied().unwrap_or(index);
    for list in [&mut points.sticks, &mut points.strings] {
        for pair in list.clone() {
            let mirrored = pair.map(of);
            if !has(list, mirrored) {
                list.push(mirrored);
            }
        }
    }
    for [a, b, c] in points.triangles.clone() {
        let mirrored = [of(a), of(c), of(b)];
        let same = |other: &[u32; 3]| mirrored.iter().all(|corner| other.contains(corner));
        if !points.triangles.iter().any(same) {
            points.triangles.push(mirrored);
        }
    }
    for fixed in points.fixed.clone() {
        if !points.fixed.contains(&of(fixed)) {
            points.fixed.push(of(fixed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_figure_and_its_image_share_what_lies_between_them() {
        let (mut points, mut draft) = (Points::default(), Draft::new(None));
        let clicks =
            [(None, [0.0, 1.7]), (None, [0.0, 1.4]), (None, [0.3, 1.2]), (None, [0.3, 0.9]), (Some(3), [0.3, 0.9])];
        for (on, [x, y]) in clicks {
            draft.click(&mut points, on, DVec3::new(x, y, 0.0));
        }
        assert_eq!((points.positions.len(), points.sticks.len(), draft.last), (4, 3, None));
        mirror(&mut points);
        assert_eq!((points.positions.len(), points.sticks.len()), (6, 5));
        let twice = points.clone();
        mirror(&mut points);
        assert_eq!(points, twice);
    }

    #[test]
    fn a_point_that_goes_takes_its_sticks_and_the_others_keep_theirs() {
        let (mut points, mut draft) = (Points::default(), Draft::new(None));
        for x in 0..4 {
            draft.click(&mut points, None, DVec3::X * f64::from(x));
        }
        draft.take(DraftTool::Erase);
        draft.click(&mut points, Some(1), DVec3::ZERO);
        assert_eq!(points.sticks, [[1, 2]]);
        assert_eq!(points.positions[1], DVec3::X * 2.0);
    }
}
