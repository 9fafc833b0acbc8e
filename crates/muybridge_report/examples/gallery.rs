//! Draws the built-in scenes into a folder: a picture, a film and a plate of each.
//!
//!     cargo run --release -p muybridge_report --example gallery -- FOLDER [SCENE ...]

use std::path::{Path, PathBuf};
use std::time::Instant;

use muybridge::simulation::World;
use muybridge_files::output::{Existing, write};
use muybridge_files::scene::{self, built_in};
use muybridge_report::film::{self, FilmStyle};

/// Moment of the picture, as a share of the run.
const MOMENT: f64 = 0.4;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder to draw into")?);
    let wanted: Vec<String> = arguments.collect();
    for (name, text) in built_in::SCENES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            draw(&folder, name, text).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

fn draw(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let start = Instant::now();
    let scene = scene::read(text.as_bytes())?;
    let (assets, _) = scene::load(&scene, Path::new(""))?;
    let mut world = World::new(scene, &assets)?;
    let recording = world.record();
    let ran = start.elapsed();
    let (light, dark) = (
        FilmStyle { width: 1280, height: 720, ..FilmStyle::default() },
        FilmStyle { dark: true, ..FilmStyle::default() },
    );
    let frame = ((recording.frames - 1) as f64 * MOMENT) as usize;
    let save = |ending: &str, bytes: &[u8]| write(&folder.join(format!("{name}{ending}")), bytes, Existing::Replace);
    let start = Instant::now();
    save(".png", &film::png(&recording, frame, &light)?)?;
    let picture = start.elapsed();
    save("_last.png", &film::png(&recording, recording.frames - 1, &dark)?)?;
    save("_plate.png", &film::plate(&recording, &light)?)?;
    let start = Instant::now();
    let gif = film::gif(&recording, &FilmStyle { dark: false, ..dark }, 25.0, &mut |_, _| ())?;
    save(".gif", &gif)?;
    println!(
        "{name:18} {:5} frames in {:6.2} s   picture {:6.3} s   film {:6.2} s, {:5} kB",
        recording.frames,
        ran.as_secs_f64(),
        picture.as_secs_f64(),
        start.elapsed().as_secs_f64(),
        gif.len() / 1024
    );
    Ok(())
}
