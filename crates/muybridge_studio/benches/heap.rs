//! Benchmark of a heap of 200 ragdolls in the Build & simulate room: time on the window's thread and on the
//! simulation's thread.
//!
//! ```sh
//! cargo bench -p muybridge_studio --bench heap --              # [FRAMES] [METHOD[:SUBSTEPS]|herd[:METERS[:SUBSTEPS]] ...]
//! ```
//! A frame of the window comes every 1/60 s, or as soon as the previous one is done. CPU is the processor time of all
//! threads of the process per frame, simulation and interface together (on Unix). The others are wall-clock times:
//! "window" is a frame's work on the window's thread (panels, lists for the renderer); "step" is one step of the
//! solver on the other thread; "look" is a snapshot of the world for drawing on that thread. "drawing" is the time of
//! the graphics adapter, which may be a software rasterizer, measured separately while the simulation is paused. The
//! frames with the most CPU time are listed with their steps.

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use muybridge_studio::StudioApp;
use muybridge_studio::job::JobMode;
use muybridge_studio::stage::RunHandle;
use muybridge_studio::workspace::{FileToOpen, Request};

mod timing;

/// Number of frames whose drawing is measured.
const DRAWN: usize = 5;

/// One frame in this many measures the time of a snapshot.
const LOOKED: usize = 20;

/// Length of a frame of the window.
const FRAME: Duration = Duration::from_micros(16_667);

fn main() {
    // Cargo passes `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let frames = arguments.next().and_then(|frames| frames.parse().ok()).unwrap_or(240);
    let methods: Vec<String> = arguments.collect();
    let methods =
        if methods.is_empty() { vec!["herd".into(), "particles".into(), "multipliers".into()] } else { methods };
    println!("200 ragdolls, {frames} frames of the window; milliseconds: median, mean, 95 of 100, most");
    for method in methods {
        measure(&method, frames);
    }
}

fn measure(method: &str, frames: usize) {
    let mut window = timing::window();
    window.state_mut().workspace.running = JobMode::Beside;
    let source = FileToOpen::with("heap.toml", scene(method).into_bytes());
    window.state_mut().workspace.request(Request::Open(source));
    let built = (0..1200).any(|_| {
        window.step();
        std::thread::sleep(Duration::from_millis(50));
        run(&mut window).is_some()
    });
    if !built {
        let told = window.state().workspace.messages.latest().map(|message| message.text.clone());
        return println!("{method}: {}", told.unwrap_or_default());
    }
    let [mut frame_times, mut steps, mut looks, mut cpu] = [const { Vec::new() }; 4];
    // Steps before the frame, steps in the frame, and CPU time of the frame.
    let mut costs: Vec<(u64, u64, f64)> = Vec::new();
    let mut last = 0;
    run(&mut window).into_iter().for_each(|run| run.play(true));
    for frame in 0..frames {
        let (start, spent, before) = (Instant::now(), cpu_so_far(), last);
        window.step();
        frame_times.push(start.elapsed().as_secs_f64() * 1e3);
        let Some(run) = run(&mut window) else { return };
        if std::mem::replace(&mut last, run.status().steps) != run.status().steps {
            steps.push(run.status().spent);
        }
        if frame % LOOKED == 0 {
            looks.extend(run.query(|recorded| {
                let mut seen = recorded.world().snapshot();
                let start = Instant::now();
                recorded.world().snapshot_into(&mut seen);
                start.elapsed().as_secs_f64() * 1e3
            }));
        }
        std::thread::sleep(FRAME.saturating_sub(start.elapsed()));
        if let (Some(from), Some(to)) = (spent, cpu_so_far()) {
            cpu.push(to - from);
            costs.push((before, last - before, to - from));
        }
    }
    println!("{method}, {last} steps");
    let drawn = drawn(&mut window);
    let rows = [("CPU", cpu), ("window", frame_times), ("step", steps), ("look", looks), ("drawing", drawn)];
    for (name, times) in rows {
        println!("  {name:<8}{}", timing::told(times));
    }
    // A late window frame may contain two steps, or none.
    let all: f64 = costs.iter().map(|(.., cpu)| cpu).sum();
    println!("  CPU, all of it by steps: {:.2}", all / last.max(1) as f64);
    costs.sort_by(|a, b| b.2.total_cmp(&a.2));
    let told = |(before, steps, cpu): &(u64, u64, f64)| format!("{cpu:.1} with {steps} steps from {before}");
    let worst: Vec<String> = costs.iter().take(8).map(told).collect();
    println!("  most CPU: {}", worst.join(", "));
}

/// Processor time of all threads of the process so far, milliseconds; `None` if the system does not tell.
fn cpu_so_far() -> Option<f64> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6)
    }
    #[cfg(not(unix))]
    None
}

fn run<'a>(window: &'a mut Harness<'static, StudioApp>) -> Option<&'a mut RunHandle> {
    window.state_mut().workspace.stage.document.as_mut().and_then(|document| document.run.as_mut())
}

/// Times of drawing a frame, milliseconds; empty if nothing can be drawn.
fn drawn(window: &mut Harness<'static, StudioApp>) -> Vec<f64> {
    run(window).into_iter().for_each(|run| run.play(false));
    let draw = |_| {
        window.step();
        let start = Instant::now();
        window.render().ok().map(|_| start.elapsed().as_secs_f64() * 1e3)
    };
    (0..DRAWN).filter_map(draw).collect()
}

/// Scene text with a heap of 200 mannequins, like the built-in heap of 64; a herd stands side by side, touching.
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
    let key = if method == "particles" { "particles.substeps" } else { "rigid.substeps" };
    let substeps = if substeps.is_empty() { String::new() } else { format!("{key} = {substeps}\n") };
    format!(
        "[scene]\nname = \"heap of 200\"\nground = 0.0\nseconds = 10.0\n\n[solver]\nmethod = \"{method}\"\n{substeps}\n\
         [[ragdoll]]\nname = \"faller\"\ncharacter = \"mannequin\"\nposition = [0.0, 0.6, 0.0]\ngrid = [5, 8, 5]\n\
         spacing = [0.9, 1.3, 0.9]\nrandom_orientation = true\nself_collision = false\n"
    )
}
