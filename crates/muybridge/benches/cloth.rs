//! Microseconds per step of a hanging cloth in f32 lanes, and its stretch (W3 of the peers).
//!
//! `cargo bench -p muybridge --bench cloth`. 2 m × 2 m, 0.2 kg/m², horizontal, pinned at the two corners of one edge;
//! 300 steps of 1/60 s. `-- 64,0.1,24` measures one row: columns, drag, substeps. Stretch is that of the grid's edges:
//! the largest of the whole run, and the largest and mean at the end.

mod clock;

use std::time::Instant;

use clock::cpu_seconds;
use muybridge::glam::DVec3;
use muybridge::math::Width;
use muybridge::particles::objects::Cloth;
use muybridge::particles::{ClothLanes, ClothSettings, Mode, Model, Settings, SquareRoot, World};

const STEPS: usize = 300;

fn main() {
    println!(
        "| cloth | drag 1/s | substeps | width | µs per step | ns per particle-substep | stretch max / end / mean % |"
    );
    println!(
        "| ----- | -------: | -------: | ----- | ----------: | ----------------------: | -------------------------: |"
    );
    let asked: Vec<String> =
        std::env::args().filter(|argument| argument.starts_with(|c: char| c.is_ascii_digit())).collect();
    for one in &asked {
        let number = |at: usize, or: f64| one.split(',').nth(at).and_then(|text| text.parse().ok()).unwrap_or(or);
        row(number(0, 64.0) as usize, number(1, 0.1), number(2, 30.0) as u32, Width::widest(), true);
    }
    if !asked.is_empty() {
        return;
    }
    let default = ClothSettings::default();
    for columns in [32, 64, 128, 256] {
        for (drag, substeps) in [(default.drag, default.substeps), (0.1, 24), (0.1, 48)] {
            row(columns, drag, substeps, Width::widest(), true);
        }
        for width in Width::all() {
            row(columns, default.drag, default.substeps, width, false);
        }
    }
    taylor();
}

/// J13: sticks per second with one division each, in single f64 numbers.
fn taylor() {
    let (points, triangles) = grid(64);
    let mut model = Model::default();
    Cloth { pinned: vec![0, 63], tethers: 0, ..Cloth::new(points, triangles) }.add_to(&mut model).expect("a cloth");
    let settings =
        Settings { mode: Mode::Jakobsen, square_root: SquareRoot::Taylor, rest_steps: 0, ..Settings::default() };
    let mut world = World::new(model, settings).expect("a model");
    let start = cpu_seconds();
    (0..200).for_each(|_| world.step());
    let seconds = cpu_seconds() - start;
    let solved = world.constraints_solved() as f64;
    println!("\nTaylor mode in a world of f64: {:.1} million sticks per second", solved / seconds * 1e-6);
}

fn row(columns: usize, drag: f64, substeps: u32, width: Width, quality: bool) {
    let (points, triangles) = grid(columns);
    let settings = ClothSettings { drag, substeps, ..ClothSettings::default() };
    let make = || {
        let mut cloth = ClothLanes::new(&points, &triangles, &[0, columns - 1], settings.clone()).expect("a grid");
        cloth.set_width(width);
        cloth
    };
    let mut micros: Vec<f64> = (0..5)
        .map(|_| {
            let mut cloth = make();
            let steps = if columns > 128 { 30 } else { 60 };
            let (start, start_of_cpu) = (Instant::now(), cpu_seconds());
            (0..steps).for_each(|_| cloth.step());
            let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - start_of_cpu);
            1e6 / steps as f64 * if cfg!(unix) { cpu } else { wall }
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    let micros = micros[2];
    let each = micros * 1e3 / (columns * columns) as f64 / f64::from(substeps);
    let stretch = if quality { stretch(&mut make(), columns) } else { "".to_owned() };
    let (instructions, lanes) = (width.to_string(), width.single_lanes());
    let instructions = instructions.split(' ').next().unwrap_or_default();
    println!("| {columns}² | {drag} | {substeps} | {instructions} × {lanes} | {micros:.0} | {each:.2} | {stretch} |");
}

fn stretch(cloth: &mut ClothLanes, columns: usize) -> String {
    let rest = 2.0 / (columns - 1) as f64;
    let (mut worst, mut end, mut mean) = (0.0_f64, 0.0, 0.0);
    for _ in 0..STEPS {
        cloth.step();
        let points: Vec<DVec3> = cloth.positions().collect();
        (end, mean) = (0.0_f64, 0.0);
        for i in 0..points.len() {
            let right = (i % columns + 1 < columns).then_some(i + 1);
            let below = (i + columns < points.len()).then_some(i + columns);
            for j in [right, below].into_iter().flatten() {
                let strain = points[i].distance(points[j]) / rest - 1.0;
                end = f64::max(end, strain);
                mean += strain.abs();
            }
        }
        mean /= (2 * columns * (columns - 1)) as f64;
        worst = worst.max(end);
    }
    format!("{:.2} / {:.2} / {:.3}", 100.0 * worst, 100.0 * end, 100.0 * mean)
}

/// The cloth of the peers' workload W3.
fn grid(columns: usize) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let side = 2.0 / (columns - 1) as f64;
    let points =
        (0..columns * columns).map(|i| DVec3::new((i % columns) as f64 * side - 1.0, 2.0, (i / columns) as f64 * side));
    let mut triangles = Vec::new();
    for (row, column) in (0..columns - 1).flat_map(|row| (0..columns - 1).map(move |column| (row, column))) {
        let i = row * columns + column;
        let (right, below, across) = (i + 1, i + columns, i + columns + 1);
        if (row + column) % 2 == 0 {
            triangles.extend([[i, below, across], [i, across, right]]);
        } else {
            triangles.extend([[i, below, right], [right, below, across]]);
        }
    }
    (points.collect(), triangles)
}
