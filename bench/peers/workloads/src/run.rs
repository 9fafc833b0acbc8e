//! Times a peer and prints one line of JSON per workload.
//!
//! Environment: `ONLY=W1a,W3` workloads, `SIZES=1,64,512` numbers of ragdolls, `REPS=3` repetitions, `GROW=1` sizes from 1 to 16,384 and cloth from 32² to 256².

use glam::DVec3;
use serde_json::json;

use crate::cloth::{Cloth, ClothWorld, cloth};
use crate::quality::Quality;
use crate::ragdolls::{STEPS, Scene, World, scene};

/// CPU seconds of this process, independent of other processes.
pub fn cpu_time() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

pub(crate) fn from_env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
pub(crate) fn repetitions() -> usize {
    from_env("REPS").and_then(|text| text.parse().ok()).unwrap_or(3)
}
pub(crate) fn wanted(workload: &str) -> bool {
    from_env("ONLY").is_none_or(|list| list.split(',').any(|name| name == workload))
}
fn grows() -> bool {
    from_env("GROW").is_some()
}
fn sizes() -> Vec<usize> {
    let named = from_env("SIZES").map(|list| list.split(',').filter_map(|size| size.parse().ok()).collect());
    let standard = if grows() { vec![1, 16, 64, 512, 4096, 16384] } else { vec![1, 64, 512] };
    named.unwrap_or(standard)
}
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
pub(crate) fn three_digits(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

/// Runs all ragdoll workloads that the environment selects.
pub fn run_all(peer: &str, note: &str, make: &dyn Fn(&Scene) -> Box<dyn World>) {
    run_some(&["W1a", "W1b", "W2"], peer, note, make);
}

/// Runs some ragdoll workloads, if the environment selects them.
pub fn run_some(workloads: &[&str], peer: &str, note: &str, make: &dyn Fn(&Scene) -> Box<dyn World>) {
    for &workload in workloads {
        if wanted(workload) {
            let counts = if workload == "W2" { vec![64] } else { sizes() };
            counts.into_iter().for_each(|count| run_ragdolls(peer, note, workload, count, make));
        }
    }
}

/// Runs the cloth workload W3 in the sizes that the environment selects.
pub fn run_cloths(peer: &str, note: &str, make: &dyn Fn(&Cloth) -> Box<dyn ClothWorld>) {
    if wanted("W3") {
        let sizes: &[usize] = if grows() { &[32, 64, 128, 256] } else { &[64, 128] };
        sizes.iter().for_each(|&size| run_cloth(peer, note, size, make));
    }
}

fn run_ragdolls(peer: &str, note: &str, workload: &str, count: usize, make: &dyn Fn(&Scene) -> Box<dyn World>) {
    let scene = scene(workload, count);
    let ragdolls = scene.instances.len();
    let once = || {
        let mut world = make(&scene);
        let start = cpu_time();
        (0..STEPS).for_each(|_| world.step());
        (cpu_time() - start) * 1e6 / (STEPS * ragdolls) as f64
    };
    let repetitions = if ragdolls == 1 { 3 * repetitions() } else { repetitions() };
    let times: Vec<f64> = (0..repetitions).map(|_| once()).collect();
    let mut world = make(&scene);
    let (mut quality, mut poses, mut velocities) = (Quality::default(), vec![], vec![]);
    let looked_at = if ragdolls > 512 { 1 } else { STEPS };
    for step in 0..STEPS {
        world.step();
        if step + looked_at >= STEPS {
            world.poses(&mut poses);
            world.vels(&mut velocities);
            quality.add(&scene, &poses, &velocities, step + 1 == STEPS);
        }
    }
    let limits = quality.cone_max.max(quality.hinge_lim_max).max(quality.hinge_off_max).max(0.0).to_degrees();
    println!(
        "{}",
        json!({
            "peer": peer, "note": note, "workload": workload, "size": ragdolls,
            "cpu_us": three_digits(median(times)),
            "gap_max_mm": three_digits(quality.sep_max * 1e3),
            "gap_rms_mm": three_digits((quality.sep_sq / quality.sep_n.max(1.0)).sqrt() * 1e3),
            "penetration_max_mm": three_digits(quality.pen_max * 1e3),
            "penetration_end_mm": three_digits(quality.pen_end * 1e3),
            "overlap_end_mm": three_digits(quality.overlap * 1e3),
            "touching_end": quality.touching,
            "deeper_than_1_cm_end": quality.deep,
            "cone_deg": three_digits(quality.cone_max.max(0.0).to_degrees()),
            "hinge_deg": three_digits(quality.hinge_lim_max.max(0.0).to_degrees()),
            "hinge_axis_deg": three_digits(quality.hinge_off_max.to_degrees()),
            "limits_deg": three_digits(limits),
            "speed_max": three_digits(quality.vmax),
            "exploded": quality.nan || quality.vmax > 60.0 || quality.sep_max > 0.5,
        })
    );
}

/// Runs one cloth.
fn run_cloth(peer: &str, note: &str, size: usize, make: &dyn Fn(&Cloth) -> Box<dyn ClothWorld>) {
    let cloth = cloth(size);
    let rest = cloth.pos[0].distance(cloth.pos[1]);
    let once = || {
        let mut world = make(&cloth);
        let start = cpu_time();
        (0..STEPS).for_each(|_| world.step());
        (cpu_time() - start) * 1e6 / STEPS as f64
    };
    let times: Vec<f64> = (0..repetitions()).map(|_| once()).collect();
    let mut world = make(&cloth);
    let (mut positions, mut worst_ever, mut worst, mut mean) = (vec![], 0.0_f64, 0.0_f64, 0.0);
    for _ in 0..STEPS {
        world.step();
        world.positions(&mut positions);
        (worst, mean) = stretch(&cloth, &positions, rest);
        worst_ever = worst_ever.max(worst);
    }
    let broken = positions.iter().any(|p: &DVec3| !p.is_finite());
    println!(
        "{}",
        json!({
            "peer": peer, "note": note, "workload": "W3", "size": size, "cpu_us": three_digits(median(times)),
            "stretch_max_pct": three_digits(worst_ever * 100.0), "stretch_end_pct": three_digits(worst * 100.0),
            "stretch_mean_pct": three_digits(mean * 100.0), "exploded": broken,
            "lowest": three_digits(positions.iter().map(|p| p.y).fold(f64::MAX, f64::min)),
        })
    );
}

fn stretch(cloth: &Cloth, positions: &[DVec3], rest: f64) -> (f64, f64) {
    let strains =
        cloth.structural.iter().map(|e| positions[e[0] as usize].distance(positions[e[1] as usize]) / rest - 1.0);
    let (worst, sum) = strains.fold((0.0_f64, 0.0), |(worst, sum), strain| (worst.max(strain), sum + strain.abs()));
    (worst, sum / cloth.structural.len() as f64)
}
