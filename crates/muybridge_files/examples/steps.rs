//! Takes six steps of built-in scenes, those of herds if none is named, and prints the energy after them.
//!
//!     cargo run --release -p muybridge_files --example steps [-- SCENE ...]

use std::path::Path;

use muybridge::simulation::World;
use muybridge_files::scene::{built_in, load, read};

const STEPS: usize = 6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["crowd", "rain"].map(String::from).to_vec();
    }
    for name in names {
        let scene =
            read(built_in::text(&name).ok_or_else(|| format!("there is no built-in scene “{name}”"))?.as_bytes())?;
        let (assets, _) = load(&scene, Path::new(""))?;
        let run = World::new(scene, &assets)?.record_measures(STEPS, &mut World::step);
        let energy = run.measures.last().map(|at| at.kinetic_energy + at.potential_energy);
        println!("{name}: {:.1} J", energy.ok_or("no frame")?);
    }
    Ok(())
}
