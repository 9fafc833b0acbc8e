//! Microseconds per step of rigid bodies: the free humanoid of W4 in both orders, and chains of rods of growing length.
//!
//! `cargo bench -p muybridge --bench rigid`, or the humanoid alone with `-- humanoid`. CPU time, the best of several runs.

mod clock;
#[path = "../tests/all/free_humanoid/mod.rs"]
mod free_humanoid;

use clock::cpu_seconds;
use free_humanoid::Figure;
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::Width;
use muybridge::rigid::composed::{FOURTH_ORDER, SECOND_ORDER, StepScheme, StepState, step};
use muybridge::rigid::crowd::{self, Crowd};
use muybridge::rigid::joint::{Frame, MOST_ROWS};
use muybridge::rigid::model::Start;
use muybridge::rigid::rattle::{Passes, Rattle};
use muybridge::rigid::{Body, Forest, Joint, Kind, Model, Momentum, Pose};

const RUNS: usize = 15;

fn main() {
    println!("| free humanoid, 5 s | step | µs per step | energy at end / most | momentum, angular | gap |");
    println!("| ------------------ | ---- | ----------: | -------------------: | ----------------: | --: |");
    for (name, stages) in [("RATTLE", &SECOND_ORDER[..]), ("composed, fourth order", &FOURTH_ORDER[..])] {
        for rate in [240.0, 60.0_f64] {
            for passes in [1, 2, 3] {
                humanoid(name, stages, 1.0 / rate, Passes { most: passes, tolerance: 1e-9, is_warm: true });
            }
        }
    }
    if std::env::args().any(|word| word == "humanoid") {
        return;
    }
    println!("\n| free humanoids in a crowd | width | µs per step and humanoid |");
    println!("| ------------------------: | ----- | -----------------------: |");
    for (count, passes, is_accurate) in
        [(512, 1, false), (8, 3, false), (512, 3, false), (4096, 3, false), (512, 2, true)]
    {
        crowd(count, passes, is_accurate);
    }
    println!("\n| rods in a chain | µs per step | µs per step and rod |");
    println!("| --------------: | ----------: | ------------------: |");
    [10, 100, 1000].into_iter().for_each(chain);
}

/// Seconds per step, the best of several runs.
fn best(mut figure: impl FnMut() -> Figure, (stages, h, passes): (&[f64], f64, Passes), steps: usize) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let mut figure = figure();
        let (bodies, joints, forest) = (figure.bodies.clone(), figure.joints.clone(), figure.forest.clone());
        let mechanism = muybridge::rigid::rattle::Mechanism { bodies: &bodies, joints: &joints, forest: &forest };
        let mut rattle = Rattle::new(0.0, mechanism);
        let start = cpu_seconds();
        for index in 0..steps {
            let mut motion = StepState {
                poses: &mut figure.poses,
                momenta: &mut figure.momenta,
                multipliers: &mut figure.multipliers,
            };
            let plan = StepScheme { stages, step: h, passes, is_factored: index > 0 };
            step(&mut rattle, mechanism, &mut motion, plan, (&|_, _| None, &mut |_, _, _| ()));
        }
        best = best.min((cpu_seconds() - start) / steps as f64);
    }
    best
}

fn humanoid(name: &str, stages: &[f64], h: f64, passes: Passes) {
    let steps = (5.0 / h).round() as usize;
    let seconds = best(Figure::new, (stages, h, passes), steps);
    let mut figure = Figure::new();
    let start = figure.kept();
    let mut rattle = Rattle::new(0.0, figure.mechanism());
    let (mut most, mut end, mut lost, mut gap) = (0.0_f64, 0.0, [0.0_f64; 2], 0.0_f64);
    for _ in 0..steps {
        let mut moved = figure.clone();
        let mut motion =
            StepState { poses: &mut moved.poses, momenta: &mut moved.momenta, multipliers: &mut moved.multipliers };
        let plan = StepScheme { stages, step: h, passes, is_factored: false };
        step(&mut rattle, figure.mechanism(), &mut motion, plan, (&|_, _| None, &mut |_, _, _| ()));
        figure = moved;
        let kept = figure.kept();
        end = kept.energy / start.energy - 1.0;
        most = most.max(end.abs());
        let off = |now: DVec3, before: DVec3| (now - before).length() / before.length();
        let now = [off(kept.momentum, start.momentum), off(kept.angular_momentum, start.angular_momentum)];
        lost = [lost[0].max(now[0]), lost[1].max(now[1])];
        gap = gap.max(figure.gap());
    }
    println!(
        "| {name}, {} passes | 1/{:.0} s | {:.2} | {end:.1e} / {most:.1e} | {:.0e}, {:.0e} | {:.1e} mm |",
        passes.most,
        1.0 / h,
        seconds * 1e6,
        lost[0],
        lost[1],
        gap * 1e3
    );
}

/// Many humanoids of W4, each slightly faster than the one before.
fn crowd(count: usize, passes: u32, is_accurate: bool) {
    let figure = Figure::new();
    let model = Model { bodies: figure.bodies.clone(), joints: figure.joints.clone(), ..Model::default() };
    let starts: Vec<Vec<Start>> = (0..count)
        .map(|instance| {
            let faster = 1.0 + instance as f64 / count as f64;
            let start = |body: usize| {
                let (pose, momentum) = (&figure.poses[body], figure.momenta[body].times(faster));
                let (velocity, angular_velocity) = momentum.velocities(&figure.bodies[body], pose.turn());
                Start { velocity, angular_velocity, ..Start::at(pose.place(), pose.turn()) }
            };
            (0..figure.bodies.len()).map(start).collect()
        })
        .collect();
    let settings = crowd::Settings { gravity: DVec3::ZERO, passes, is_accurate, ..crowd::Settings::default() };
    let made = Crowd::new(&model, &starts, settings).expect("the figure is a model");
    let steps = (40_000 / count).max(20) as u32;
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let mut crowd = made.clone();
        let start = cpu_seconds();
        (0..steps / 4).for_each(|_| crowd.step(4));
        best = best.min((cpu_seconds() - start) / f64::from(steps / 4 * 4) / count as f64);
    }
    let name = if is_accurate { " of fourth order" } else { "" };
    println!("| {count}{name}, {passes} passes | {} | {:.2} |", Width::widest(), best * 1e6);
}

/// A chain of rods that hangs on the world and rotates slowly.
fn chain(rods: usize) {
    let body = Body::new(1.0, DVec3::new(0.01, 1.0 / 12.0, 1.0 / 12.0)).expect("a rod");
    let joint = |child: usize| Joint {
        parent: child.checked_sub(1),
        child,
        frames: [if child == 0 { DVec3::ZERO } else { DVec3::X * 0.5 }, DVec3::X * -0.5].map(Frame::at),
        kind: Kind::Ball,
        compliance: 0.0,
    };
    let joints: Vec<Joint> = (0..rods).map(joint).collect();
    let none = vec![[0.0; MOST_ROWS]; rods];
    let figure = Figure {
        bodies: vec![body; rods],
        forest: Forest::new(rods, &joints),
        joints,
        poses: (0..rods).map(|rod| Pose::new(DVec3::X * (rod as f64 + 0.5), DQuat::IDENTITY)).collect(),
        momenta: vec![Momentum::of(&body, DQuat::IDENTITY, DVec3::ZERO, DVec3::X * 0.1); rods],
        multipliers: [none.clone(), none],
    };
    let passes = Passes { most: 1, tolerance: 0.0, is_warm: true };
    let seconds = best(|| figure.clone(), (&SECOND_ORDER, 1.0 / 240.0, passes), 200_000 / rods);
    println!("| {rods} | {:.2} | {:.3} |", seconds * 1e6, seconds * 1e6 / rods as f64);
}
