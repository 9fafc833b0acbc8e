//! `muybridge simulate`: scenes and characters under physics, recorded as clips and pictures.

mod json;
mod outputs;
mod source;
mod summary;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use muybridge::simulation::scene::slot::Choice;
use muybridge::simulation::scene::{ModeWord, Scene};
use muybridge::simulation::{Recording, World};
use muybridge_files::output::Existing;
use muybridge_files::scene::{built_in, write};

use crate::delivery::deliver;
use crate::failure::Failure;
use crate::options::{positive, rate};
use crate::progress::{Progress, style};
use outputs::Outputs;
use source::Source;
use summary::Summary;

/// Arguments of the verb.
#[derive(Args)]
pub struct Simulate {
    /// A scene (TOML), the name of a built-in one, or a character (BVH, glTF, GLB, VRM, FBX, character.toml) to drop
    #[arg(value_name = "SCENE|CHARACTER")]
    scene: Option<PathBuf>,
    /// List the built-in scenes
    #[arg(long)]
    scenes: bool,
    /// Print the scene as TOML, to edit
    #[arg(long)]
    print_scene: bool,
    /// How bodies are simulated
    #[arg(long, value_enum, default_value = "particles", help_heading = "The simulation")]
    method: Method,
    /// Solver of the particles: shake, xpbd, jakobsen or rosen
    #[arg(long, value_name = "MODE", value_parser = mode, help_heading = "The simulation")]
    mode: Option<ModeWord>,
    /// Substeps per frame
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "The simulation")]
    substeps: Option<u32>,
    /// Passes over the constraints per substep
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "The simulation")]
    iterations: Option<u32>,
    /// How long, instead of what the scene says
    #[arg(long, value_name = "S", value_parser = positive, help_heading = "The simulation")]
    seconds: Option<f64>,
    /// Frames per second, instead of what the scene says
    #[arg(long, value_name = "HZ", value_parser = rate, help_heading = "The simulation")]
    rate: Option<f64>,
    /// What chance follows from, instead of what the scene says
    #[arg(long, value_name = "N", help_heading = "The simulation")]
    seed: Option<u32>,
    /// The characters as a clip: .glb, .gltf or .vrma, and .bvh if there is one
    #[arg(long, short, value_name = "CLIP", help_heading = "Results")]
    out: Option<PathBuf>,
    /// The run as a film
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    gif: Option<PathBuf>,
    /// A frame of the run as a picture
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    png: Option<PathBuf>,
    /// Which frame of the run the picture shows, in seconds [default: the last]
    #[arg(long, value_name = "S", value_parser = time, help_heading = "Results")]
    at: Option<f64>,
    /// The run in exposures side by side, with measures, as PNG
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    plate: Option<PathBuf>,
    /// Width and height of film and picture, pixels
    #[arg(long, value_name = "W,H", value_parser = size, help_heading = "Results")]
    size: Option<(u32, u32)>,
    /// Draw on slate instead of paper
    #[arg(long, help_heading = "Results")]
    dark: bool,
    /// Everything measured as JSON, to FILE or to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Results")]
    json: Option<Option<PathBuf>>,
    /// Replace existing files
    #[arg(long, help_heading = "Results")]
    force: bool,
}

/// How bodies are simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Method {
    /// Points held together by distances, after Jakobsen and Rosen
    Particles,
    /// Rigid bodies with Lagrange multipliers
    Multipliers,
    /// Rigid bodies with displacement constraints
    Displacement,
}

/// A run and what it took.
pub struct Run {
    /// The scene as it was run.
    pub scene: Scene,
    /// Where it came from, as the user named it.
    pub source: String,
    /// What it left.
    pub recording: Recording,
    /// Particles that were moved.
    pub particles: usize,
    /// Time in the solver, all frames together, and of the slowest.
    pub spent: (Duration, Duration),
    /// What was left out or assumed, one sentence each.
    pub notes: Vec<String>,
}

impl Simulate {
    /// Runs the verb; the exit code is 0, failures are 2.
    pub fn run(&self) -> Result<u8, Failure> {
        if self.scenes {
            return list();
        }
        let name = match self.method {
            Method::Particles => None,
            Method::Multipliers => Some("multipliers"),
            Method::Displacement => Some("displacement"),
        };
        if let Some(name) = name {
            let sentence =
                format!("--method {name} is not there yet; particles is, and the same scene will run under both");
            return Err(Failure::Usage(sentence));
        }
        let mut source = Source::open(self.scene.as_deref())?;
        self.change(&mut source.scene);
        source.check()?;
        if self.print_scene {
            std::io::stdout().write_all(write(&source.scene).as_bytes())?;
            return Ok(0);
        }
        let outputs = Outputs::new(self)?;
        let run = simulate(source)?;
        let written = outputs.write(&run.recording)?;
        for note in run.notes.iter().chain(&written.notes) {
            eprintln!("{note}");
        }
        let summary = Summary::new(&run);
        let json = self.json.as_ref().map(|_| json::document(&run, &summary, &written.files));
        let json = json.transpose().map_err(|error| Failure::Usage(format!("the JSON cannot be written: {error}")))?;
        let told = summary.text(&run, &written.files, &style());
        deliver(json.as_deref(), self.json.as_ref(), self.existing(), &told)?;
        Ok(0)
    }

    /// What the options say over the scene.
    fn change(&self, scene: &mut Scene) {
        let (setting, solver) = (&mut scene.setting, &mut scene.solver);
        setting.seconds = self.seconds.unwrap_or(setting.seconds);
        setting.rate = self.rate.unwrap_or(setting.rate);
        setting.seed = self.seed.unwrap_or(setting.seed);
        solver.mode = self.mode.unwrap_or(solver.mode);
        solver.substeps = self.substeps.unwrap_or(solver.substeps);
        solver.iterations = self.iterations.unwrap_or(solver.iterations);
    }

    /// What to do where a file exists.
    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Builds the scene, runs it, and takes the time of each step.
fn simulate(source: Source) -> Result<Run, Failure> {
    let (assets, mut notes) =
        muybridge_files::scene::load(&source.scene, &source.folder).map_err(|f| source.failure(&f))?;
    let mut world = World::new(source.scene.clone(), &assets).map_err(|fault| source.failure(&fault))?;
    notes.extend(world.notes().iter().cloned());
    let progress = Progress::frames(source.scene.steps());
    let (mut all, mut slowest) = (Duration::ZERO, Duration::ZERO);
    let recording = world.record_by(&mut |world| {
        let start = Instant::now();
        world.step();
        let spent = start.elapsed();
        (all, slowest) = (all + spent, slowest.max(spent));
        progress.step();
    });
    progress.finish();
    let particles = world.particles().state.positions.len();
    Ok(Run { scene: source.scene, source: source.name, recording, particles, spent: (all, slowest), notes })
}

/// The built-in scenes, a line each, the one that runs when none is named first.
fn list() -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    for (name, text) in built_in::SCENES {
        writeln!(out, "{name:<18} {}", built_in::about(text))?;
    }
    Ok(0)
}

fn mode(text: &str) -> Result<ModeWord, String> {
    let mut word = ModeWord::default();
    let index = word.words().iter().position(|known| *known == text);
    word.set(index.ok_or_else(|| format!("one of {}", word.words().join(", ")))?);
    Ok(word)
}

fn time(text: &str) -> Result<f64, String> {
    let time = text.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0);
    time.ok_or_else(|| "a number of 0 or more is needed".into())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || "two whole numbers such as 640,360 are needed".to_string();
    let (width, height) = text.split_once([',', 'x']).ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    Ok((number(width)?, number(height)?))
}

/// The extension of a file in lower case.
fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}
