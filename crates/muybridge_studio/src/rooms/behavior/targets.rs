//! Targets of actions in the view: where things are to be, the curves on which they go there, and what can be dragged of both.

use eframe::egui::{Pos2, Rect};
use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::{Action, PathWord};

use crate::theme::{Theme, mix};
use crate::view::{Drawing, OrbitCamera, Ray, Sign, Stroke};

/// A place of an action that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetHandle {
    /// Which action.
    pub action: usize,
    /// Which point of its curve; `None`: its goal.
    through: Option<usize>,
}

/// Pieces that a curve is drawn with.
const PIECES: u32 = 48;

/// How near the pointer must be, points of the screen.
const NEAR: f32 = 10.0;

impl TargetHandle {
    /// The goal of an action.
    pub fn goal(action: usize) -> Self {
        Self { action, through: None }
    }

    /// Where it is, metres; `None` where the action has no such place.
    pub fn place(&self, scene: &Scene) -> Option<DVec3> {
        let action = scene.actions.get(self.action)?;
        match self.through {
            None => action.to,
            Some(index) => action.control_points.get(index).copied(),
        }
    }

    /// Moves it.
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

/// What a click into the view does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetTool {
    /// Chooses a target.
    #[default]
    Select,
    /// Sets the goal of the chosen action, or of a new one.
    Target,
    /// Adds a point to its curve, behind the others.
    Curve,
}

impl TargetTool {
    /// All of them, with name and what a click does.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Select, "Select", "Drag targets and points of curves; while it runs drag bodies, or Shift-drag to push"),
        (Self::Target, "Place target", "Click where it is to go; a new action begins where none is chosen"),
        (Self::Curve, "Draw curve", "Click the points it is to go by, in order; Backspace takes the last one away"),
    ];

    /// Where a click with this ray is: across the axis along which the eye looks most, through the last point of the curve, else the
    /// goal, else where the action begins.
    pub fn place(self, scene: &Scene, action: Option<usize>, camera: &OrbitCamera, ray: &Ray) -> Option<DVec3> {
        let of = |index: usize| {
            let action = scene.actions.get(index)?;
            let last = action.control_points.last().copied().filter(|_| self == Self::Curve);
            last.or(action.to).or_else(|| start(scene, index))
        };
        ray.meets_plane(action.and_then(of).unwrap_or(DVec3::Y), camera.facing_axis())
    }

    /// Does it to an action.
    pub fn set(self, action: &mut Action, place: DVec3) {
        match self {
            Self::Select => {}
            Self::Target => action.to = Some(place),
            Self::Curve => {
                if matches!(action.path, PathWord::Line | PathWord::Hermite) {
                    // The first point makes a curve of what was straight, and tangents are no points.
                    (action.path, action.control_points) = (PathWord::CatmullRom, Vec::new());
                }
                action.control_points.push(place);
            }
        }
    }
}

/// Takes the last point of a curve away; without points it is straight. `false` where there was none.
pub fn shorten(action: &mut Action) -> bool {
    let had = action.control_points.pop().is_some();
    if action.control_points.is_empty() {
        action.path = PathWord::Line;
    }
    had
}

/// The target under the pointer.
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

/// Draws goals and curves of all actions; those of the chosen one stronger, with the points of its curve.
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

/// Where an action will begin, as far as the scene says: where the one before it on the same thing ends, else where its point is.
fn start(scene: &Scene, index: usize) -> Option<DVec3> {
    let action = &scene.actions[index];
    let before = scene.actions[..index].iter().rev().find(|other| other.on == action.on && other.to.is_some());
    before.and_then(|other| other.to).or(action.at)
}
