//! What a heap of 200 ragdolls costs in the Build and simulate room: simulation, interface and drawing, frame by frame, apart.
//!
//! ```sh
//! cargo bench -p muybridge_studio --bench heap --              # [FRAMES] [METHOD[:SUBSTEPS]|herd[:METRES[:SUBSTEPS]] ...]
//! ```
//! Simulation is the time of the solver in a frame, interface everything else the program does in it (looking at the world,
//! panels, lists for the renderer), drawing the time of the graphics adapter, which may be a software rasteriser.

use std::time::Instant;

use muybridge_studio::workspace::{Request, Source};

mod timing;

/// Frames of the window that are drawn as well.
const DRAWN: usize = 10;

fn main() {
    // Cargo says that it is a benchmark.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let frames = arguments.next().and_then(|frames| frames.parse().ok()).unwrap_or(240);
    let methods: Vec<String> = arguments.collect();
    let methods =
        if methods.is_empty() { vec!["herd".into(), "particles".into(), "multipliers".into()] } else { methods };
    println!("200 ragdolls, {frames} frames of 1/60 s; milliseconds: median, 95 of 100, most");
    for method in methods {
        measure(&method, frames);
    }
}

fn measure(method: &str, frames: usize) {
    let mut window = timing::window();
    let text = scene(method);
    let source = Source::with("heap.toml", text.into_bytes());
    window.state_mut().workspace.ask(Request::Open(source));
    window.run_steps(4);
    let Some(run) = window.state_mut().workspace.stage.document.as_mut().and_then(|document| document.run.as_mut())
    else {
        let told = window.state().workspace.messages.latest().map(|message| message.text.clone());
        println!("{method}: {}", told.unwrap_or_default());
        return;
    };
    run.playing = true;
    let [mut solver, mut interface, mut drawing] = [Vec::new(), Vec::new(), Vec::new()];
    let mut steps = 0;
    for frame in 0..frames {
        let start = Instant::now();
        window.step();
        let whole = start.elapsed().as_secs_f64() * 1e3;
        let run = window.state().workspace.stage.document.as_ref().and_then(|document| document.run.as_ref());
        let Some(run) = run else { return };
        let taken = run.world().steps() - steps;
        steps = run.world().steps();
        let spent = run.trace.last().map_or(0.0, |sample| sample.step) * if taken > 0 { 1.0 } else { 0.0 };
        if taken <= 1 {
            solver.push(spent);
            interface.push(whole - spent);
        }
        if frame % (frames / DRAWN).max(1) == 0 {
            let start = Instant::now();
            // What cannot be drawn here is not measured.
            if window.render().is_ok() {
                drawing.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let both: Vec<f64> = solver.iter().zip(&interface).map(|(a, b)| a + b).collect();
    println!("{method}, {steps} steps");
    for (name, times) in [("simulation", solver), ("interface", interface), ("both", both), ("drawing", drawing)] {
        println!("  {name:<11}{}", timing::told(times));
    }
}

/// Two hundred mannequins in a heap, as the built-in scene of sixty-four; those of a herd side by side, touching.
fn scene(method: &str) -> String {
    let (method, substeps) = method.split_once(':').unwrap_or((method, ""));
    if method == "herd" {
        let (spacing, substeps) = substeps.split_once(':').unwrap_or((substeps, ""));
        let spacing = if spacing.is_empty() { "0.6" } else { spacing };
        let substeps = if substeps.is_empty() { String::new() } else { format!("substeps = {substeps}\n") };
        return format!(
            "[scene]\nname = \"heap of 200\"\nground = 0.0\nseconds = 10.0\n\n[[herd]]\nname = \"faller\"\n\
             character = \"mannequin\"\ncount = 200\nspacing = {spacing}\nheight = 1.0\n{substeps}"
        );
    }
    let key = if method == "particles" { "substeps" } else { "rigid_substeps" };
    let substeps = if substeps.is_empty() { String::new() } else { format!("{key} = {substeps}\n") };
    format!(
        "[scene]\nname = \"heap of 200\"\nground = 0.0\nseconds = 10.0\n\n[solver]\nmethod = \"{method}\"\n{substeps}\n\
         [[ragdoll]]\nname = \"faller\"\ncharacter = \"mannequin\"\nposition = [0.0, 0.6, 0.0]\ngrid = [5, 8, 5]\n\
         spacing = [0.9, 1.3, 0.9]\ntumble = true\ntouches_itself = false\n"
    )
}
