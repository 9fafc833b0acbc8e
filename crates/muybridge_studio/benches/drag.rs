//! Benchmark of dragging a flight's handle: time of each window frame with its preview, and of the correction on
//! release.
//!
//! ```sh
//! cargo bench -p muybridge_studio --bench drag --              # [FRAMES] [FILE ...]
//! ```
//! Each frame moves the mouse, makes a preview from the motion before the drag, analyzes it and lays out the
//! interface, all in one thread, without drawing. (On one thread, a pointer that never rests gets no full correction.)
//! The frame of the release makes the full correction, which the desktop program makes on a thread for each request.
//! Without files: the sample, a jump of 2.7 s with 22 bones.

use std::path::Path;
use std::time::Instant;

use eframe::egui::{Event, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use muybridge_studio::StudioApp;
use muybridge_studio::motions::MotionDocument;
use muybridge_studio::rooms::motion::handles::Handle;
use muybridge_studio::workspace::{FileToOpen, Request};

mod timing;

fn main() {
    // Cargo passes `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let frames = arguments.next().and_then(|frames| frames.parse().ok()).unwrap_or(120);
    println!("{frames} frames of a drag; milliseconds: median, mean, 95 of 100, most");
    let files: Vec<String> = arguments.collect();
    let sources = files.iter().map(|file| Request::Open(FileToOpen::file(Path::new(file).to_owned())));
    let sources: Vec<Request> = if files.is_empty() { vec![Request::OpenSample] } else { sources.collect() };
    for source in sources {
        measure(source, frames);
    }
}

fn measure(source: Request, frames: usize) {
    let mut window = timing::window();
    window.run_steps(3);
    window.state_mut().workspace.request(source);
    window.run_steps(4);
    let Some(document) = window.state_mut().workspace.motions.current_mut() else {
        let told = window.state().workspace.messages.latest().map(|message| message.text.clone());
        return println!("{}", told.unwrap_or_default());
    };
    let prepared = &document.motion.prepared;
    println!("{}: {} bones, {} frames", document.name, prepared.character.skeleton.len(), prepared.clip.frames());
    let Some(flight) = document.motion.analysis.flights.first().cloned() else { return println!("  no flight") };
    document.timeline.go_to((flight.span.first + flight.span.last) / 2);
    window.run_steps(3);
    for handle in [Handle::Landing, Handle::Top] {
        let motion = window.state().workspace.motions.current().map(|document| document.motion.clone());
        let (Some(motion), Some((camera, rect))) = (motion, window.state().workspace.motions.eye) else { return };
        let flight = &motion.analysis.flights[0];
        let Some(at) = handle.position(&motion, flight).and_then(|place| camera.project(rect, place)) else { return };
        let Dragged { times, shown, last } = drag(&mut window, at, frames);
        let told = timing::told(times);
        println!("  {:<10}{told}, let go {last:.1}; {shown} frames showed another motion", format!("{handle:?}"));
        window.key_press_modifiers(Modifiers::COMMAND, eframe::egui::Key::Z);
        window.run_steps(3);
    }
}

/// Timings of a drag back and forth.
struct Dragged {
    /// Time of each frame, milliseconds.
    times: Vec<f64>,
    /// Number of frames that showed a preview.
    shown: usize,
    /// Time of the frame that releases the button, milliseconds.
    last: f64,
}

fn drag(window: &mut Harness<'static, StudioApp>, from: Pos2, frames: usize) -> Dragged {
    let button = |window: &mut Harness<'static, StudioApp>, pressed: bool| {
        window.event(Event::PointerButton {
            pos: from,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.step();
    };
    window.event(Event::PointerMoved(from));
    window.step();
    button(window, true);
    let mut shown = 0;
    let times = (0..frames).map(|frame| {
        let part = frame % 40;
        let way = part.min(40 - part) as f32;
        window.event(Event::PointerMoved(from + vec2(way, -1.5 * way)));
        let start = Instant::now();
        window.step();
        let spent = start.elapsed().as_secs_f64() * 1e3;
        shown += usize::from(window.state().workspace.motions.current().is_some_and(MotionDocument::is_sketched));
        spent
    });
    let times = times.collect();
    let start = Instant::now();
    button(window, false);
    Dragged { times, shown, last: start.elapsed().as_secs_f64() * 1e3 }
}
