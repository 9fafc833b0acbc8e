//! The correction panel: corrects all findings, one flight, or a flight as a slider or a handle asks.

use eframe::egui::{self, Slider, SliderClamping, Ui};
use muybridge::analysis::{Finding, Flight, Severity};
use muybridge::correction::{FixSettings, FlightEnd, SpinTarget, extrapolate_flight};
use muybridge::glam::DVec3;

use super::handles::{APEX, Handle, Wish, spin_foot};
use crate::motions::{AnalyzedMotion, Ask, CorrectionChoices, MotionDocument};
use crate::theme::Theme;
use crate::view::{Drawing, Seen};

/// State of the correction panel.
#[derive(Debug, Default)]
pub struct CorrectionPanel {
    choices: CorrectionChoices,
    /// Whether the motion as it was opened is drawn as a ghost.
    pub original: bool,
    /// Whether the angular momentum of a flight is shown as a draggable arrow.
    arrow: bool,
    /// The drag in progress; `None` if nothing is dragged.
    gesture: Option<Gesture>,
}

/// A drag of a slider or handle. Every request starts from the motion before the drag, and the final one is made on
/// release.
#[derive(Clone, Debug)]
struct Gesture {
    document: u64,
    base: AnalyzedMotion,
    flight: Flight,
    /// Index of the flight.
    index: usize,
    wish: Wish,
    what: DragSource,
}

/// The slider or handle that is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DragSource {
    DurationSlider,
    ApexSlider,
    Handle(Handle),
}

/// Greatest distance at which the pointer grabs a handle, points.
const REACH: f32 = 12.0;

impl CorrectionPanel {
    /// Settings that correct only this finding; `None` if no tool corrects it.
    pub fn mending(&self, motion: &AnalyzedMotion, finding: &Finding) -> Option<FixSettings> {
        self.choices.of_finding(finding, motion.prepared.clip.frames())
    }

    /// Shows buttons, tools and sliders; returns the requested correction.
    pub fn ui(&mut self, ui: &mut Ui, document: &MotionDocument) -> Option<Ask> {
        let mut wanted = None;
        let analysis = &document.shown().analysis;
        let faulty = analysis.findings.iter().any(|finding| finding.severity < Severity::Note);
        ui.horizontal(|ui| {
            let fix = ui.add_enabled(faulty, egui::Button::new("Fix all"));
            let fix = fix.on_hover_text("Fixes all findings with the smallest change, using the tools below");
            if fix.on_disabled_hover_text("There is no error or warning to fix").clicked() {
                wanted = Some(document.correction_request("Fix all", self.choices.settings()));
            }
            ui.toggle_value(&mut self.original, "Original")
                .on_hover_text("Shows the motion as it was opened, as a ghost");
        });
        egui::CollapsingHeader::new("How it is fixed").show(ui, |ui| self.how(ui));
        let at = document.timeline.frame();
        // If the dragged flight became so short that the cursor is outside, the drag keeps it.
        let held = self.gesture.as_ref().map(|gesture| (gesture.index, gesture.flight.clone()));
        let flight = flight_at(document.shown(), at).map(|(index, flight)| (index, flight.clone()));
        if let Some((index, flight)) = flight.or(held) {
            wanted = self.flight(ui, document, (index, &flight)).or(wanted);
        } else if !analysis.flights.is_empty() {
            ui.weak("Move the cursor into a flight to change it alone.");
        }
        wanted
    }

    fn how(&mut self, ui: &mut Ui) {
        let CorrectionChoices { tools, strength, blend } = &mut self.choices;
        ui.horizontal_wrapped(|ui| {
            ui.toggle_value(&mut tools.path, "Path")
                .on_hover_text("Put the center of mass of a flight on its parabola");
            ui.toggle_value(&mut tools.time, "Timing")
                .on_hover_text("Give a flight as many frames as its path needs under gravity");
            ui.toggle_value(&mut tools.spin, "Spin").on_hover_text("Keep the angular momentum of a flight");
            ui.toggle_value(&mut tools.feet, "Feet").on_hover_text("Plant feet that slide, float or sink");
        });
        ui.add(Slider::new(strength, 0.0..=1.0).text("strength").fixed_decimals(2))
            .on_hover_text("How much of the correction to apply; 1 corrects fully");
        ui.add(Slider::new(blend, 0..=30).text("frames of blend"))
            .on_hover_text("Number of frames beside a flight over which its change fades out; 0 turns fading off");
    }

    fn flight(&mut self, ui: &mut Ui, document: &MotionDocument, (index, flight): (usize, &Flight)) -> Option<Ask> {
        let mut wanted = None;
        let span = flight.span;
        ui.separator();
        // The refusal is shown above the sliders, so that they do not move.
        if let Some(refusal) = &document.refusal {
            ui.label(egui::RichText::new(refusal).color(Theme::current(ui).ballistic));
        }
        ui.label(format!("Flight {} at {:.2}–{:.2} s, {:.2} g", index + 1, span.start, span.end, flight.gravity));
        ui.horizontal_wrapped(|ui| {
            let fix = self.choices.of_flight(flight, document.motion.prepared.clip.frames());
            let ask = |name: &str, fix: FixSettings| Some(document.correction_request(name, fix));
            if ui
                .button("Fix flight")
                .on_hover_text("Fixes this flight alone, with the tool whose change is noticed least")
                .clicked()
            {
                wanted = ask("Fix flight", fix.clone());
            }
            for (name, spin, words) in SPINS {
                if ui.button(name).on_hover_text(words).clicked() {
                    wanted = ask(name, FixSettings { momentum: Some(spin), ..fix.clone() });
                }
            }
        });
        ui.horizontal_wrapped(|ui| {
            for (name, end, words) in THROWS {
                let motion = &document.motion;
                let thrown = extrapolate_flight(&motion.analysis, flight, motion.prepared.clip.frame_time, end);
                let button = ui.add_enabled(thrown.is_some(), egui::Button::new(name)).on_hover_text(words);
                let clicked = button.on_disabled_hover_text(
                    "This end of the flight is not in the clip, or its velocity would throw the body too high",
                );
                if let (true, Some((duration, ends))) = (clicked.clicked(), thrown) {
                    let fix = self.choices.of_flight(flight, motion.prepared.clip.frames());
                    wanted =
                        Some(document.correction_request(
                            name,
                            FixSettings { duration: Some(duration), ends: Some(ends), ..fix },
                        ));
                }
            }
        });
        ui.checkbox(&mut self.arrow, "Spin as an arrow")
            .on_hover_text("Shows the angular momentum as an arrow; drag its tip in the view");
        let floor = document.shown().analysis.floor.unwrap_or(0.0);
        let words = ["s in the air", "Duration of the flight; the path follows from it"];
        let duration = slide(ui, self.value(DragSource::DurationSlider, span.end - span.start), 0.1..=2.0, words);
        let flight = (index, flight);
        wanted = self.slider_request(document, flight, DragSource::DurationSlider, duration, Wish::Duration).or(wanted);
        let top = flight.1.ballistic_path.iter().map(|at| at.y - floor).fold(0.0, f64::max);
        let words = ["m to the top", "Height of the center of mass at the top; the duration follows from it"];
        let apex = slide(ui, self.value(DragSource::ApexSlider, top), APEX, words);
        self.slider_request(document, flight, DragSource::ApexSlider, apex, Wish::Apex).or(wanted)
    }

    /// Value that a slider shows: the requested one while it is dragged, otherwise the present one.
    fn value(&self, what: DragSource, now: f64) -> f64 {
        match self.gesture.as_ref().filter(|gesture| gesture.what == what).map(|gesture| gesture.wish) {
            Some(Wish::Duration(value) | Wish::Apex(value)) => value,
            _ => now,
        }
    }

    /// Turns the movement of a slider into a correction request; all requests of a drag have the same base motion.
    fn slider_request(
        &mut self,
        document: &MotionDocument,
        flight: (usize, &Flight),
        what: DragSource,
        moved: SliderChange,
        wish: fn(f64) -> Wish,
    ) -> Option<Ask> {
        let sketch = moved.value.and_then(|value| self.drag(document, flight, what, |_| Some(wish(value))));
        if moved.is_held { sketch } else { self.let_go(document, |own| own == what) }
    }

    /// Correction request of a drag, if its goal changed; `wish` computes the goal from the motion and flight before
    /// the drag.
    fn drag(
        &mut self,
        document: &MotionDocument,
        (index, flight): (usize, &Flight),
        what: DragSource,
        wish: impl FnOnce((&AnalyzedMotion, &Flight)) -> Option<Wish>,
    ) -> Option<Ask> {
        let goes_on = |own: &Gesture| own.what == what && own.document == document.number;
        let (gesture, before) = match self.gesture.take().filter(goes_on) {
            Some(gesture) => (gesture.clone(), Some(gesture.wish)),
            // The previous drag is not applied yet, so its result would be missing from the base motion.
            None if document.is_sketched() => return None,
            None => {
                let (base, flight, wish) = (document.motion.clone(), flight.clone(), Wish::Duration(0.0));
                (Gesture { document: document.number, base, flight, index, wish, what }, None)
            }
        };
        let now = wish((&gesture.base, &gesture.flight)).or(before)?;
        let gesture = self.gesture.insert(Gesture { wish: now, ..gesture });
        let ask = gesture.correction_request(&self.choices, document);
        (before != Some(now)).then_some(Ask { is_held: true, ..ask })
    }

    /// Final correction request when a drag ends.
    fn let_go(&mut self, document: &MotionDocument, of: impl FnOnce(DragSource) -> bool) -> Option<Ask> {
        let gesture = self.gesture.take_if(|gesture| of(gesture.what))?;
        (gesture.document == document.number).then(|| gesture.correction_request(&self.choices, document))
    }

    /// Whether a slider or handle is being dragged.
    pub fn drags(&self) -> bool {
        self.gesture.is_some()
    }

    /// The handle that is dragged; `None` if no handle is.
    fn held(&self) -> Option<Handle> {
        match self.gesture.as_ref()?.what {
            DragSource::Handle(handle) => Some(handle),
            _ => None,
        }
    }

    /// Position of the dragged handle according to its goal, meters.
    fn wished(&self, handle: Handle) -> Option<DVec3> {
        let gesture = self.gesture.as_ref().filter(|gesture| gesture.what == DragSource::Handle(handle))?;
        handle.wished(&gesture.base, &gesture.flight, gesture.wish)
    }

    /// Whether a handle is being dragged.
    pub fn holds(&self) -> bool {
        self.held().is_some()
    }

    /// Draws the handles of the flight at the cursor.
    pub fn draw(&self, document: &MotionDocument, drawing: &mut Drawing, theme: &Theme) {
        let Some((_, flight)) = flight_at(document.shown(), document.timeline.frame()) else { return };
        for (handle, at) in Handle::of(document.shown(), flight, self.arrow) {
            let at = self.wished(handle).unwrap_or(at);
            if handle == Handle::Spin
                && let Some(foot) = spin_foot(flight)
            {
                drawing.turning_arrow(foot, at, theme.angular_momentum);
            }
            handle.draw(at, self.held() == Some(handle), drawing, theme);
        }
    }

    /// Handles the mouse in the view. Returns whether the pointer is at a handle, and the correction that dragging it
    /// requests.
    pub fn handle_pointer(
        &mut self,
        document: &MotionDocument,
        seen: &Seen,
        upright: bool,
        project: impl Fn(DVec3) -> Option<egui::Pos2>,
    ) -> (bool, Option<Ask>) {
        // If the dragged flight became so short that the cursor is outside, the drag keeps it.
        let now = flight_at(document.shown(), document.timeline.frame());
        let held = self.gesture.as_ref().map(|gesture| (gesture.index, &gesture.flight));
        let flight = now.or(held).map(|(index, flight)| (index, flight.clone()));
        let Some((index, flight)) = flight else { return (false, None) };
        let handles = Handle::of(document.shown(), &flight, self.arrow).into_iter();
        let away = handles.filter_map(|(handle, at)| Some((handle, project(at)?.distance(seen.pointer?))));
        let near = away.filter(|(_, away)| *away < REACH).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(handle, _)| handle);
        let held = self.held();
        if held.is_some() && !seen.response.dragged_by(egui::PointerButton::Primary) {
            return (near.is_some(), self.let_go(document, |what| matches!(what, DragSource::Handle(_))));
        }
        if let Some(handle) = near.filter(|_| held.is_none()) {
            seen.response.clone().on_hover_text_at_pointer(handle.describe());
        }
        let grabbed = near.filter(|_| seen.response.drag_started_by(egui::PointerButton::Primary));
        let (Some(handle), Some(ray)) = (held.or(grabbed), seen.ray) else { return (near.is_some(), None) };
        let wish = |(motion, flight): (&AnalyzedMotion, &Flight)| handle.wish(motion, flight, &ray, upright);
        (true, self.drag(document, (index, &flight), DragSource::Handle(handle), wish))
    }
}

impl Gesture {
    /// Correction request for the drag's goal, based on the motion before the drag.
    fn correction_request(&self, choices: &CorrectionChoices, document: &MotionDocument) -> Ask {
        let fix = self.wish.among(choices.of_flight(&self.flight, self.base.prepared.clip.frames()));
        Ask { base: self.base.clone(), ..document.correction_request(self.wish.name(), fix) }
    }
}

/// Angular momentum buttons: name, goal, tooltip.
const SPINS: [(&str, SpinTarget, &str); 3] = [
    ("Mean spin", SpinTarget::Mean, "Sets the angular momentum of the flight to its mean"),
    ("Take-off spin", SpinTarget::TakeOff, "Sets the angular momentum of the flight to its value at take-off"),
    (
        "Landing spin",
        SpinTarget::Landing,
        "Sets the angular momentum so that the body lands in the orientation that was animated",
    ),
];

/// Buttons that compute a flight from its velocity at one end: name, which end, tooltip.
const THROWS: [(&str, FlightEnd, &str); 2] = [
    (
        "As it takes off",
        FlightEnd::TakeOff,
        "Computes duration and landing from the velocity at take-off; the motion after the flight moves along",
    ),
    (
        "As it lands",
        FlightEnd::Landing,
        "Computes duration and take-off from the velocity at landing; the motion before the flight moves along",
    ),
];

/// The flight at a frame, with its index.
fn flight_at(motion: &AnalyzedMotion, frame: usize) -> Option<(usize, &Flight)> {
    let flights = motion.analysis.flights.iter().enumerate();
    flights.into_iter().find(|(_, flight)| (flight.span.first..=flight.span.last).contains(&frame))
}

/// Result of showing a slider.
struct SliderChange {
    /// New value; `None` if the slider was not moved.
    value: Option<f64>,
    is_held: bool,
}

/// Shows a slider for a value that is stored elsewhere.
fn slide(ui: &mut Ui, value: f64, range: std::ops::RangeInclusive<f64>, [text, words]: [&str; 2]) -> SliderChange {
    // The value is rounded as the slider does, so that showing it does not count as a change.
    let shown = (value * 100.0).round() / 100.0;
    let mut moved = shown;
    // A value outside the range is shown unchanged until the user moves the slider.
    let slider = Slider::new(&mut moved, range).clamping(SliderClamping::Edits).text(text).fixed_decimals(2);
    let response = ui.add(slider).on_hover_text(words);
    let is_held = response.dragged() && !response.drag_stopped();
    SliderChange { value: (moved != shown).then_some(moved), is_held }
}
