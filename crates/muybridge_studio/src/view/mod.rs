//! The 3D view: drawing, camera, and mouse control of the camera.
//!
//! ```text
//! room fills a [`Drawing`] ─► [`Viewport::show`] paints it and moves the camera ─► [`Seen`]: pointer, ray under it, rectangle
//! ```
//! Left or middle drag turns the camera, Shift or right drag pans it, the wheel or a pinch zooms. A room that handles
//! something under the pointer calls [`Viewport::held`]; a left drag then belongs to the room until the button is
//! released.

pub mod camera;
pub mod drawing;
mod forms;
mod pipelines;
pub mod renderer;
mod rows;
mod targets;

use std::sync::Arc;

use eframe::egui::{self, Key, PointerButton, Pos2, Rect, Sense, Ui};
use eframe::egui_wgpu;
use muybridge::glam::DVec3;

pub use camera::{OrbitCamera, Ray, ViewAxis};
pub use drawing::{Billboard, Drawing, DrawnLine, DrawnMesh, DrawnSolid, Sign, SolidForm, Stroke};

use crate::shortcuts::{Shortcut, key, with_ctrl};
use crate::theme::Theme;

/// A 3D view of a room.
#[derive(Clone, Debug)]
pub struct Viewport {
    /// Camera of the view.
    pub camera: OrbitCamera,
    /// Number that distinguishes the views of a window.
    number: u64,
    held: bool,
    /// Box to frame when the view is shown next, lowest and highest corner, meters; `None` to keep the camera.
    wanted: Option<(DVec3, DVec3)>,
}

/// Result of showing a view: input of this frame.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Rectangle of the view on the screen, points.
    pub rect: Rect,
    /// egui's response with clicks and drags.
    pub response: egui::Response,
    /// Position of the pointer while it is over the view or drags from it; otherwise `None`.
    pub pointer: Option<Pos2>,
    /// Ray under the pointer; `None` if there is no pointer.
    pub ray: Option<Ray>,
}

/// Keyboard shortcuts of every view.
pub const SHORTCUTS: &[Shortcut] = &[
    key(Key::F, "Frame everything"),
    key(Key::Num1, "From the front"),
    key(Key::Num3, "From the right"),
    key(Key::Num7, "From above"),
    with_ctrl(Key::Num1, "From behind"),
    with_ctrl(Key::Num3, "From the left"),
    with_ctrl(Key::Num7, "From below"),
    key(Key::Num5, "Parallel or perspective"),
];

impl Viewport {
    /// Creates a view; `number` must be unique in the program.
    pub fn new(number: u64) -> Self {
        Self { camera: OrbitCamera::default(), number, held: false, wanted: None }
    }

    /// Frames this box when the view is shown next.
    pub fn frame_next(&mut self, low: DVec3, high: DVec3) {
        self.wanted = Some((low, high));
    }

    /// Sets whether a left drag that begins now belongs to the room instead of the camera. Call it each frame in which
    /// the room drags something or could start to.
    pub fn held(&mut self, held: bool) {
        self.held = held;
    }

    /// Paints a drawing into the remaining space and moves the camera with mouse and keys. “Frame everything” frames
    /// `extent`, or the drawing if `extent` is `None`.
    pub fn show(&mut self, ui: &mut Ui, drawing: Arc<Drawing>, extent: Option<(DVec3, DVec3)>) -> Seen {
        let size = ui.available_size().max(egui::vec2(32.0, 32.0));
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, "3D view"));
        let aspect = f64::from(rect.width() / rect.height());
        if let Some((low, high)) = self.wanted.take() {
            self.camera.frame(low, high, aspect);
        }
        self.drag(ui, &response);
        self.keys(ui, &drawing, extent, aspect);
        let theme = Theme::current(ui);
        let painting = renderer::Painting { view: self.number, rect, drawing, camera: self.camera, theme };
        ui.painter().rect_filled(rect, 0.0, theme.backdrop[1]);
        ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, painting));
        compass(ui, rect, &self.camera, &theme);
        let pointer = response.hover_pos().or_else(|| response.interact_pointer_pos());
        Seen { rect, ray: pointer.map(|at| self.camera.ray(rect, at)), pointer, response }
    }

    fn drag(&mut self, ui: &Ui, response: &egui::Response) {
        let height = f64::from(response.rect.height());
        let motion = response.drag_delta();
        let (right, down) = (f64::from(motion.x), f64::from(motion.y));
        let shift = ui.input(|input| input.modifiers.shift);
        let turns =
            response.dragged_by(PointerButton::Middle) || (response.dragged_by(PointerButton::Primary) && !self.held);
        if response.dragged_by(PointerButton::Secondary) || (turns && shift) {
            self.camera.pan(right, down, height);
        } else if turns {
            self.camera.orbit(right, down);
        }
        if response.contains_pointer() {
            let (scrolled, pinched) = ui.input(|input| (input.smooth_scroll_delta.y, input.zoom_delta()));
            self.camera.zoom((f64::from(scrolled) * 0.003).exp() * f64::from(pinched));
        }
    }

    fn keys(&mut self, ui: &Ui, drawing: &Drawing, extent: Option<(DVec3, DVec3)>, aspect: f64) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let pressed =
            |wanted: Key| ui.input(|input| input.key_pressed(wanted) && !input.modifiers.shift && !input.modifiers.alt);
        let opposite = ui.input(|input| input.modifiers.command);
        let sides = [
            (Key::Num1, ViewAxis::Front, ViewAxis::Back),
            (Key::Num3, ViewAxis::Right, ViewAxis::Left),
            (Key::Num7, ViewAxis::Top, ViewAxis::Bottom),
        ];
        for (wanted, side, other) in sides {
            if pressed(wanted) {
                self.camera.look_from(if opposite { other } else { side });
            }
        }
        if pressed(Key::Num5) {
            self.camera.orthographic = !self.camera.orthographic;
        }
        if pressed(Key::F)
            && let Some((low, high)) = extent.or_else(|| drawing.bounds())
        {
            self.camera.frame(low, high, aspect);
        }
    }
}

/// Draws the world axes in a corner of the view.
fn compass(ui: &Ui, rect: Rect, camera: &OrbitCamera, theme: &Theme) {
    let (middle, length) = (rect.right_top() + egui::vec2(-38.0, 38.0), 22.0);
    let axes = camera.axes();
    let mut ends: Vec<(DVec3, &str)> = [(DVec3::X, "x"), (DVec3::Y, "y"), (DVec3::Z, "z")].into();
    ends.sort_by(|a, b| axes.z_axis.dot(a.0).total_cmp(&axes.z_axis.dot(b.0)));
    for (axis, name) in ends {
        let toward = egui::vec2(axes.x_axis.dot(axis) as f32, -axes.y_axis.dot(axis) as f32);
        let color = if axis == DVec3::Y { theme.text } else { theme.quiet };
        ui.painter().line_segment([middle, middle + toward * length], egui::Stroke::new(1.5, color));
        let at = middle + toward * (length + 8.0);
        ui.painter().text(at, egui::Align2::CENTER_CENTER, name, egui::FontId::proportional(11.0), color);
    }
}
