//! Targets of actions in the view: where things are to be, the curves on which they go there, and what can be dragged of both.

use eframe::egui::{Pos2, Rect};
use muybridge::glam::DVec3;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::Action;

use crate::theme::{Theme, mix};
use crate::view::{Camera, Drawing, Sign, Stroke};

/// A place of an action that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Which action.
    pub action: usize,
    /// Which point of its curve; `None`: its goal.
    through: Option<usize>,
}

/// Pieces that a curve is drawn with.
const PIECES: u32 = 48;

/// How near the pointer must be, points of the screen.
const NEAR: f32 = 10.0;

impl Target {
    /// The goal of an action.
    pub fn goal(action: usize) -> Self {
        Self { action, through: None }
    }

    /// Where it is, metres; `None` where the action has no such place.
    pub fn place(&self, scene: &Scene) -> Option<DVec3> {
        let action = scene.actions.get(self.action)?;
        match self.through {
            None => action.to,
            Some(index) => action.through.get(index).copied(),
        }
    }

    /// Moves it.
    pub fn shift(&self, scene: &mut Scene, by: DVec3) {
        let Some(action) = scene.actions.get_mut(self.action) else { return };
        let place = match self.through {
            None => action.to.as_mut(),
            Some(index) => action.through.get_mut(index),
        };
        if let Some(place) = place {
            *place += by;
        }
    }
}

/// The target under the pointer.
pub fn under(scene: &Scene, camera: &Camera, rect: Rect, pointer: Pos2) -> Option<Target> {
    let distance = |target: Target| Some((camera.project(rect, target.place(scene)?)?.distance(pointer), target));
    let nearest = all(scene).filter_map(distance).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.filter(|(distance, _)| *distance < NEAR).map(|(_, target)| target)
}

fn all(scene: &Scene) -> impl Iterator<Item = Target> {
    let of = |(action, about): (usize, &Action)| {
        let through = 0..about.through.len();
        std::iter::once(Target::goal(action)).chain(through.map(move |index| Target { action, through: Some(index) }))
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
            let ends = start.into_iter().chain(action.through.iter().copied()).chain([goal]);
            drawing.path(&ends.collect::<Vec<_>>(), 1.0, theme.quiet, Stroke::Solid);
        }
        for &point in &action.through {
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
