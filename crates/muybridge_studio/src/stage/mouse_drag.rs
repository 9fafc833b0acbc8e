//! Mouse in a running world: a drag holds and throws the body under the pointer, a Shift drag pushes it.
//!
//! ```text
//! hold   the grabbed point follows the pointer in the plane through it that faces the camera
//! push   J = K (pointer − place) in that plane, K = 60 N s per meter, when the button is released
//! ```

use eframe::egui::{PointerButton, Ui};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::PartPath;

use super::run::RunHandle;
use super::world_drawing::{PickPoint, Under};
use crate::theme::Theme;
use crate::view::{Drawing, OrbitCamera, Ray, Seen, Sign};

/// State of the mouse in a running world.
#[derive(Clone, Debug, Default)]
pub struct MouseDrag {
    doing: Option<Doing>,
    /// The part under the pointer when the button was pressed; a falling body has moved on when the drag begins.
    pressed: Option<Under>,
}

#[derive(Clone, Debug)]
struct Doing {
    part: PartPath,
    spot: PickPoint,
    /// Point that was grabbed, meters, and normal of the plane through it in which the pointer moves.
    place: DVec3,
    normal: DVec3,
    to: DVec3,
    pushes: bool,
}

/// Impulse of a push per length of the drag, newton seconds per meter.
const PUSH: f64 = 60.0;

impl MouseDrag {
    /// Whether a part is held or about to be pushed.
    pub fn is_busy(&self) -> bool {
        self.doing.is_some()
    }

    /// Part that the mouse acts on: at the start of a drag, the part on which the button was pressed; otherwise the
    /// part under the pointer.
    pub fn meant(&mut self, ui: &Ui, seen: &Seen, under: Option<Under>, run: Option<&RunHandle>) -> Option<Under> {
        if seen.response.hovered() && ui.input(|input| input.pointer.primary_pressed()) {
            self.pressed.clone_from(&under);
        }
        if !seen.response.drag_started_by(PointerButton::Primary) {
            return under;
        }
        let pressed = self.pressed.take().zip(run);
        let pressed = pressed.and_then(|(under, run)| Some(Under { place: under.spot.position(run.seen())?, ..under }));
        pressed.or(under)
    }

    /// Whether a drag starting now would grab the part under the pointer.
    pub fn would(run: &RunHandle, under: Option<&Under>, shift: bool) -> bool {
        under.is_some_and(|under| !under.obstacle) && (shift || run.is_playing() || !run.is_at_start())
    }

    /// Handles the mouse in this frame.
    pub fn handle_pointer(
        &mut self,
        ui: &Ui,
        seen: &Seen,
        camera: &OrbitCamera,
        under: Option<&Under>,
        run: &mut RunHandle,
    ) {
        let shift = ui.input(|input| input.modifiers.shift);
        if seen.response.drag_started_by(PointerButton::Primary)
            && Self::would(run, under, shift)
            && let Some(under) = under
        {
            let (part, spot, place, normal) = (under.part.clone(), under.spot, under.place, camera.axes().z_axis);
            if !shift {
                run.grab(&part, spot);
            }
            self.doing = Some(Doing { part, spot, place, normal, to: place, pushes: shift });
        }
        let Some(doing) = &mut self.doing else { return };
        if let Some(to) = seen.ray.and_then(|ray| ray.meets_plane(doing.place, doing.normal)) {
            doing.to = to;
        }
        if !doing.pushes {
            run.move_grab(doing.to);
        }
        if !seen.response.dragged_by(PointerButton::Primary) {
            if doing.pushes {
                run.push(&doing.part, doing.spot, impulse(doing, run));
            } else {
                run.release();
            }
            self.doing = None;
        }
    }

    /// Draws a line from the held point to the pointer, or the arrow of a push.
    pub fn draw(&self, run: &RunHandle, theme: &Theme, drawing: &mut Drawing) {
        let Some(doing) = &self.doing else { return };
        let held = doing.spot.position(run.seen()).unwrap_or(doing.place);
        if doing.pushes {
            let tip = held + (doing.to - doing.place);
            drawing.path(&[held, tip], 3.0, theme.linear_momentum, crate::view::Stroke::Solid);
            drawing.arrow(held, tip, theme.linear_momentum);
        } else {
            drawing.path(&[held, doing.to], 2.0, theme.accent, crate::view::Stroke::Solid);
            drawing.handle(Sign::Circle, doing.to, 12.0, theme.accent);
        }
        drawing.handle(Sign::Disc, held, 8.0, theme.accent);
    }

    /// Caption that describes the hold or push in progress; `None` if there is none.
    pub fn describe(&self, run: &RunHandle) -> Option<String> {
        let doing = self.doing.as_ref()?;
        let push = || format!("Push of {:.1} N s", impulse(doing, run).length());
        Some(if doing.pushes { push() } else { format!("Held with at most {:.0} N", run.grip()) })
    }
}

fn impulse(doing: &Doing, run: &RunHandle) -> DVec3 {
    let most = run.status().mass * 20.0;
    ((doing.to - doing.place) * PUSH).clamp_length_max(most)
}

/// Ray through the point where the button was pressed, as a drag is recognized a few points later.
pub fn pressed_ray(ui: &Ui, seen: &Seen, camera: &OrbitCamera) -> Option<Ray> {
    let origin = ui.input(|input| input.pointer.press_origin()).filter(|_| seen.response.drag_started());
    origin.map(|at| camera.ray(seen.rect, at)).or(seen.ray)
}
