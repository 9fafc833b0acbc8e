//! Targets of actions in the 3D view: goals, curves toward them, and the points that can be dragged.

use eframe::egui::{Pos2, Rect};
use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::{Action, PathWord};

use crate::theme::{Theme, mix};
use crate::view::{Drawing, OrbitCamera, Ray, Sign, Stroke};

/// A draggable point of an action: its goal or a point of its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetHandle {
    /// Index of the action in the scene.
    pub action: usize,
    /// Index of the point on the action's curve; `None` for the goal.
    through: Option<usize>,
}

/// Number of line segments that a curve is drawn with.
const PIECES: u32 = 48;

/// Greatest distance between pointer and target for picking, points of the screen.
const NEAR: f32 = 10.0;

impl TargetHandle {
    /// Handle for the goal of an action.
    pub fn goal(action: usize) -> Self {
        Self { action, through: None }
    }

    /// Position of the target, meters; `None` if the action has no such point.
    pub fn place(&self, scene: &Scene) -> Option<DVec3> {
        let action = scene.actions.get(self.action)?;
        match self.through {
            None => action.to,
            Some(index) => action.control_points.get(index).copied(),
        }
    }

    /// Moves the target by a vector, meters.
    pub fn shift(&self, scene: &mut Scene, by: DVec3) {
        let Some(action) = scene.actions.get_mut(self.action) else { return };
        let place = match self.through {
            None => action.to.as_mut(),
            Some(index) => action.control_points.get_mut(index),
        };
        if let Some(place) = place {
            *place += by;
        }
    }
}

/// Tool that decides about a click in the view: select, place a goal, or add a point to a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetTool {
    /// Selects a target.
    #[default]
    Select,
    /// Sets the goal of the selected action, or of a new one.
    Target,
    /// Appends a point to the curve of the selected action.
    Curve,
}

impl TargetTool {
    /// All tools, each with its name and its tooltip.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Select, "Select", "Drag targets and points of curves; while it runs drag bodies, or Shift-drag to push"),
        (Self::Target, "Place target", "Click where it is to go; a new action begins where none is chosen"),
        (Self::Curve, "Draw curve", "Click the points it is to go by, in order; Backspace takes the last one away"),
    ];

    /// Position of a click with this ray, on a plane that faces the camera. The plane goes through the last point of
    /// the curve, else the goal, else the start of the action.
    pub fn place(self, scene: &Scene, action: Option<usize>, camera: &OrbitCamera, ray: &Ray) -> Option<DVec3> {
        let of = |index: usize| {
            let action = scene.actions.get(index)?;
            let last = action.control_points.last().copied().filter(|_| self == Self::Curve);
            last.or(action.to).or_else(|| start(scene, index))
        };
        ray.meets_plane(action.and_then(of).unwrap_or(DVec3::Y), camera.facing_axis())
    }

    /// Applies the tool to an action at the clicked position.
    pub fn set(self, action: &mut Action, place: DVec3) {
        match self {
            Self::Select => {}
            Self::Target => action.to = Some(place),
            Self::Curve => {
                if matches!(action.path, PathWord::Line | PathWord::Hermite) {
                    // The first point turns a straight path into a curve; the tangents of a Hermite path are dropped,
                    // as they are no points.
                    (action.path, action.control_points) = (PathWord::CatmullRom, Vec::new());
                }
                action.control_points.push(place);
            }
        }
    }
}

/// Removes the last point of a curve; without points the path becomes a line. Returns `false` if there was no point.
pub fn shorten(action: &mut Action) -> bool {
    let had = action.control_points.pop().is_some();
    if action.control_points.is_empty() {
        action.path = PathWord::Line;
    }
    had
}

/// Nearest target within reach of the pointer; `None` if there is none.
pub fn pick(scene: &Scene, camera: &OrbitCamera, rect: Rect, pointer: Pos2) -> Option<TargetHandle> {
    let distance = |target: TargetHandle| Some((camera.project(rect, target.place(scene)?)?.distance(pointer), target));
    let nearest = all(scene).filter_map(distance).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|(distance, _)| *distance < NEAR).map(|(_, target)| target)
}

fn all(scene: &Scene) -> impl Iterator<Item = TargetHandle> {
    let of = |(action, about): (usize, &Action)| {
        let through = 0..about.control_points.len();
        std::iter::once(TargetHandle::goal(action))
            .chain(through.map(move |index| TargetHandle { action, through: Some(index) }))
    };
    scene.actions.iter().enumerate().flat_map(of)
}

/// Draws goals and curves of all actions. The selected action is drawn stronger, with the points of its curve.
pub fn draw(scene: &Scene, chosen: Option<usize>, theme: &Theme, drawing: &mut Drawing) {
    for (index, action) in scene.actions.iter().enumerate() {
        let Some(goal) = action.to else { continue };
        let is_chosen = chosen == Some(index);
        let color = if is_chosen { theme.ballistic } else { mix(theme.quiet, theme.ballistic, 0.45) };
        let start = start(scene, index);
        if let (Some(start), Some(path)) = (start, action.path()) {
            let at = |piece: u32| path.at((start, goal), f64::from(piece) / f64::from(PIECES));
            let points: Vec<DVec3> = (0..=PIECES).map(at).collect();
            let width = if is_chosen { 2.5 } else { 1.5 };
            drawing.path(&points, width, color, Stroke::Dashed(0.06));
        }
        if is_chosen {
            let ends = start.into_iter().chain(action.control_points.iter().copied()).chain([goal]);
            drawing.path(&ends.collect::<Vec<_>>(), 1.0, theme.quiet, Stroke::Solid);
        }
        for &point in &action.control_points {
            drawing.handle(Sign::Square, point, if is_chosen { 10.0 } else { 6.0 }, color);
        }
        drawing.handle(Sign::Diamond, goal, if is_chosen { 14.0 } else { 10.0 }, color);
    }
}

/// Estimated start of an action: the goal of the previous action on the same thing, else the action's own point.
fn start(scene: &Scene, index: usize) -> Option<DVec3> {
    let action = &scene.actions[index];
    let before = scene.actions[..index].iter().rev().find(|other| other.on == action.on && other.to.is_some());
    before.and_then(|other| other.to).or(action.at)
}
