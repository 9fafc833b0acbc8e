//! Microseconds per ragdoll and step of a herd of humanoids, and quality of the motion.
//!
//! `cargo bench -p muybridge --bench herd`, or one workload by the beginning of its name: `… -- W1b`. W1a: separate
//! ragdolls above the ground; W1b: with self-collision; W2: a heap. Five seconds of steps of 1/60 s with the defaults,
//! CPU time of the process. Quality is measured from poses after every step of one more run: joint gaps (between
//! best-fit rigid frames; the attached points themselves coincide), stretch of edges, penetration of the ground, excess
//! of angular limits.

mod clock;

#[path = "herd/workload.rs"]
mod workload;

use clock::cpu_seconds;
use muybridge::math::Width;
use muybridge::particles::herd::InstancePlacement;
use muybridge::particles::{HerdSettings, Model};
use workload::{Humanoid, Quality, apart, heap, herd, humanoid, model, overlap};

const STEPS: usize = 300;

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let humanoid = humanoid();
    let (bare, touching) = (model(&humanoid, false), model(&humanoid, true));
    println!(
        "| workload | µs | gap max/rms mm | stretch max/rms mm | penetration max/end mm | cone twist axis hinge ° | m/s | overlap middle/end mm |"
    );
    let settings = HerdSettings { rest_steps: 0, ..HerdSettings::default() };
    let heaped = HerdSettings { touch_each_other: true, ..settings.clone() };
    for (name, model, placements, settings) in [
        ("W1a 512", &bare, apart(&humanoid, 512), &settings),
        ("W1b 512", &touching, apart(&humanoid, 512), &settings),
        ("W2 64", &touching, heap(&humanoid), &heaped),
        ("W2 64, through each other", &touching, heap(&humanoid), &settings),
        ("one alone", &bare, apart(&humanoid, 1), &settings),
    ] {
        if !name.starts_with(&only) {
            continue;
        }
        let micros = micros(model, &placements, settings, 3);
        let (quality, overlaps) = quality(&humanoid, model, &placements, settings);
        println!("| {name} | {micros:.2} | {} | {overlaps} |", quality.row());
    }
    if !only.is_empty() && !"by width".starts_with(&only) {
        return;
    }
    println!("\nW1a 128 and one alone, by width");
    for width in Width::all() {
        let settings = HerdSettings { width, ..settings.clone() };
        let [many, one] = [128, 1].map(|count| micros(&bare, &apart(&humanoid, count), &settings, 3));
        println!("| {width} × f32 {} | {many:.2} µs | {one:.2} µs |", width.single_lanes());
    }
    println!("\nW1a, growth (floor: 0.3 µs)");
    for count in [1, 16, 64, 256, 1024, 4096, 16_384] {
        let placements = apart(&humanoid, count);
        let (herd, _) = herd(&bare, HerdSettings::default(), &placements[..1]);
        let micros = micros(&bare, &placements, &settings, 1);
        println!("| {count} | {micros:.2} µs | × floor {:.0} | {} bytes |", micros / 0.3, herd.bytes_per_ragdoll());
    }
}

fn micros(model: &Model, placements: &[InstancePlacement], settings: &HerdSettings, rounds: usize) -> f64 {
    // Large herds run for one second, so that a row does not take minutes.
    let steps = if placements.len() > 1000 { 60 } else { STEPS };
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let (mut herd, _) = herd(model, settings.clone(), placements);
            let start = cpu_seconds();
            (0..steps).for_each(|_| herd.step());
            (cpu_seconds() - start) * 1e6 / (steps * placements.len()) as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}

/// Largest value of each quality measure. For ragdolls in contact also the deepest overlap in the middle and at the end
/// of the run.
fn quality(
    humanoid: &Humanoid,
    model: &Model,
    placements: &[InstancePlacement],
    settings: &HerdSettings,
) -> (Quality, String) {
    let (mut herd, slots) = herd(model, settings.clone(), placements);
    let (mut quality, mut overlaps) = (Quality::default(), Vec::new());
    for step in 1..=STEPS {
        herd.step();
        quality.add(humanoid, model, &herd, &slots, step == STEPS);
        if settings.touch_each_other && step % (STEPS / 2) == 0 {
            overlaps.push(format!("{:.1}", overlap(humanoid, &herd, &slots) * 1e3));
        }
    }
    (quality, overlaps.join("/"))
}
