//! `muybridge simulate`: runs scenes and characters under physics and records clips and pictures.

mod compare;
mod json;
mod memory;
mod outputs;
mod poses;
mod run_loop;
mod source;
mod summary;
mod work;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use muybridge::motion::Axis;
use muybridge::particles::Mode;
use muybridge::rigid::integrator::Integrator;
use muybridge::simulation::scene::slot::Choice;
use muybridge::simulation::scene::{FreeBodies, Method, Scene};
use muybridge::simulation::{Count, Recording};
use muybridge_files::formats::{self, FileFormat, SCENE, listed};
use muybridge_files::output::Existing;
use muybridge_files::prepare::{axis_of_word, unit_of_word};
use muybridge_files::scene::{built_in, write};

use crate::failure::Failure;
use crate::options::{mass, positive, rate, size, time};
use crate::progress::style;
use crate::verb_output::{WriteJson, deliver_written};
use memory::MemoryRoom;
use outputs::RunOutputs;
use source::SceneSource;
use summary::RunSummary;

/// Arguments of `muybridge simulate`.
#[derive(Args)]
pub struct Simulate {
    #[arg(value_name = "SCENE|CHARACTER", help = scene_help())]
    scene: Option<PathBuf>,
    /// List the built-in scenes
    #[arg(long)]
    scenes: bool,
    /// Print the scene as TOML, to edit
    #[arg(long)]
    print_scene: bool,
    /// What things are made of, instead of what the scene says: points held together by distances after Jakobsen and Rosen (particles), or rigid
    /// bodies with Lagrange multipliers, with displacement constraints, or with the multipliers and the feedback of Hennix et al.; all
    /// compares the first three
    #[arg(long, value_parser = methods(), help_heading = "The simulation")]
    method: Option<Methods>,
    /// Solver of the particles: shake, xpbd, jakobsen or rosen. Solids are particles then, too
    #[arg(long, value_name = "MODE", value_parser = word::<Mode>, help_heading = "The simulation")]
    particle_mode: Option<Mode>,
    /// Integrator of free rigid bodies: splitting, euler, heun, ziauddin, rk4 or composition4
    #[arg(long, value_name = "NAME", value_parser = word::<Integrator>, help_heading = "The simulation")]
    integrator: Option<Integrator>,
    /// Substeps per frame
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "The simulation")]
    substeps: Option<u32>,
    /// Constraint iterations per substep
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "The simulation")]
    iterations: Option<u32>,
    /// Duration, instead of the scene's
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true, help_heading = "The simulation")]
    seconds: Option<f64>,
    /// Frames per second, instead of the scene's
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true, help_heading = "The simulation")]
    fps: Option<f64>,
    /// Seed of the random numbers, instead of the scene's
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "The simulation")]
    seed: Option<u32>,
    /// Unit of the files of characters, instead of the scene's: m, cm, mm, in, ft or meters per unit
    #[arg(long, value_parser = unit_of_word, help_heading = "Who moves")]
    unit: Option<f64>,
    /// Axis that points up in the files of characters, instead of the scene's: x, y or z
    #[arg(long, value_parser = axis_of_word, help_heading = "Who moves")]
    up: Option<Axis>,
    /// Mass of each ragdoll, instead of the scene's, kg
    #[arg(long, value_name = "KG", value_parser = mass, allow_negative_numbers = true, help_heading = "Who moves")]
    mass: Option<f64>,
    /// Masses, inertias and shapes of the ragdolls, instead of the scene's: MJCF, URDF, body CSV or character.toml
    #[arg(long, value_name = "FILE", help_heading = "Who moves")]
    body: Option<PathBuf>,
    /// Let scenes, logs and models name files outside their folders, too
    #[arg(long, help_heading = "The simulation")]
    allow_outside: bool,
    /// Most memory of the run, such as 512M or 4G: a run that needs more is refused [default: half of what is available]
    #[arg(long, value_name = "SIZE", value_parser = memory::size, help_heading = "The simulation")]
    max_memory: Option<u64>,
    /// Replay the run of a log written by `--log` or the studio, and report whether the result has the same bits
    #[arg(long, value_name = "LOG", help_heading = "The simulation",
          conflicts_with_all = ["scene", "method", "particle_mode", "integrator", "substeps", "iterations", "seconds", "fps", "seed", "unit", "up", "mass", "body", "log"])]
    replay: Option<PathBuf>,
    #[arg(long, short, value_name = "CLIP", help = out_help(), help_heading = "Results")]
    out: Option<PathBuf>,
    /// The run as a film
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    gif: Option<PathBuf>,
    /// A frame of the run as a picture
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    png: Option<PathBuf>,
    /// Time of the picture in the run, seconds [default: the last frame]
    #[arg(long, value_name = "S", requires = "png", value_parser = time, allow_negative_numbers = true, help_heading = "Results")]
    at: Option<f64>,
    /// The run as a plate: exposures side by side, with measures, as PNG
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    plate: Option<PathBuf>,
    /// Width and height of film and picture, pixels
    #[arg(long, value_name = "WxH", value_parser = size, help_heading = "Results")]
    size: Option<(u32, u32)>,
    /// Draw on slate instead of paper
    #[arg(long, help_heading = "Results")]
    dark: bool,
    /// Write all measures as JSON, to FILE or to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Results")]
    json: Option<Option<PathBuf>>,
    /// The scene, with fingerprints of the run, as TOML: --replay repeats and compares the run
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    log: Option<PathBuf>,
    /// Replace existing files
    #[arg(long, help_heading = "Results")]
    force: bool,
}

/// One method or a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Methods {
    One(Method),
    /// The first three one after the other, compared.
    All,
}

/// A finished run with its recording and timings.
pub struct SimulatedRun {
    /// The scene with the changes from the options.
    pub scene: Scene,
    /// Source of the scene, as the user named it.
    pub source: String,
    /// Recording of the run.
    pub recording: Recording,
    /// Numbers of simulated particles and bodies.
    pub count: Count,
    /// Total simulated mass, kg.
    pub mass: f64,
    /// Time spent in the solver per frame.
    pub spent: Vec<Duration>,
    /// Notes on omissions and assumptions, one sentence each.
    pub notes: Vec<String>,
    /// Result of the replay; `None` if the run is no replay.
    pub replayed: Option<Replayed>,
}

/// Result of replaying a log.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Number of replayed inputs.
    pub inputs: usize,
    /// Number of steps in the log.
    pub steps: u64,
    /// Number of fingerprints compared; 0 means that the replay proves nothing.
    pub compared: usize,
    /// First difference from the log; `None` if there is none.
    pub difference: Option<String>,
}

impl Simulate {
    /// Runs `simulate`. Returns the exit code: 0, or 1 if a replay differs from its log; errors give 2.
    pub fn run(&self) -> Result<u8, Failure> {
        if self.scenes {
            return list();
        }
        let replayed = self.replay.as_deref().map(run_loop::open).transpose()?;
        let mut source = match &replayed {
            Some((source, _)) => source.clone(),
            None => SceneSource::open(self.scene.as_deref())?,
        };
        self.change(&mut source.scene);
        source.allowed.outside = self.allow_outside;
        source.allowed.named.extend(self.body.as_deref().map(whole));
        source.check()?;
        source.notes.extend(source.unfit());
        if self.print_scene {
            source.notes.iter().for_each(|note| say!("{note}"));
            std::io::stdout().write_all(write(&source.scene).as_bytes())?;
            return Ok(0);
        }
        let length = replayed.as_ref().map(|(source, log)| run_loop::seconds(source, log));
        let seconds = length.unwrap_or(source.scene.setting.seconds);
        let outputs = RunOutputs::new(self, seconds)?;
        source.room = MemoryRoom::new(self.max_memory, outputs.memory(seconds));
        source.keeps_poses = outputs.need_poses() && self.method != Some(Methods::All);
        if self.method == Some(Methods::All) {
            return compare::run(self, &source);
        }
        let (mut run, log) = match &replayed {
            Some((_, log)) => (run_loop::replay(&source, log)?, None),
            None => {
                let (run, log) = run_loop::run(&source, self.log.as_deref())?;
                (run, Some(log))
            }
        };
        let written = outputs.write(&run.recording, &source, log.as_ref())?;
        if self.json.is_some() {
            run.notes.extend(poses::notes(&run));
        }
        for note in run.notes.iter().chain(&written.notes) {
            say!("{note}");
        }
        for warning in &run.recording.warnings {
            say!("warning: {warning}");
        }
        let summary = RunSummary::new(&run);
        let told = summary.text(&run, &written.files, &style());
        let json: WriteJson<'_> = &|out| json::write(&run, &summary, &written.files, out);
        deliver_written(self.json.as_ref().map(|file| (json, file)), self.existing(), &told)?;
        Ok(u8::from(run.replayed.is_some_and(|replayed| replayed.difference.is_some())))
    }

    /// Overrides values of the scene by the options.
    fn change(&self, scene: &mut Scene) {
        let (setting, solver) = (&mut scene.setting, &mut scene.solver);
        setting.seconds = self.seconds.unwrap_or(setting.seconds);
        setting.rate = self.fps.unwrap_or(setting.rate);
        setting.seed = self.seed.unwrap_or(setting.seed);
        let (particles, rigid) = (&mut solver.particles, &mut solver.rigid);
        if let Some(mode) = self.particle_mode {
            particles.mode = mode;
        }
        rigid.integrator = self.integrator.unwrap_or(rigid.integrator);
        particles.substeps = self.substeps.unwrap_or(particles.substeps);
        rigid.substeps = self.substeps.unwrap_or(rigid.substeps);
        particles.constraint_iterations = self.iterations.unwrap_or(particles.constraint_iterations);
        rigid.contact_iterations = self.iterations.unwrap_or(rigid.contact_iterations);
        if let Some(Methods::One(method)) = self.method {
            solver.method = method;
        }
        if self.particle_mode.is_some() && scene.body_method() != scene.solver.method {
            scene.solver.particles.free_bodies = FreeBodies::Particles;
        }
        for ragdoll in &mut scene.ragdolls {
            if let Some(meters) = self.unit {
                ragdoll.unit = meters.to_string();
            }
            if let Some(up) = self.up {
                ragdoll.up = up.name().to_owned();
            }
            ragdoll.mass = self.mass.or(ragdoll.mass);
            if let Some(body) = &self.body {
                ragdoll.body = whole(body).to_string_lossy().into_owned();
            }
        }
    }

    /// The files that the call reads.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        [&self.scene, &self.replay, &self.body].into_iter().flatten().cloned()
    }

    /// Policy for existing files.
    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Absolute path of a file: a scene may lie in another folder than the one the program runs in.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Lists the built-in scenes, one per line; the default scene comes first.
fn list() -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    for (name, text) in built_in::SCENES {
        let words = built_in::not_for(name).join(", ");
        let end = if words.is_empty() { String::new() } else { format!(" (not for {words})") };
        writeln!(out, "{name:<18} {}{end}", built_in::about(text))?;
    }
    Ok(0)
}

fn word<T: Choice + Default>(text: &str) -> Result<T, String> {
    let mut word = T::default();
    let index = word.words().iter().position(|known| *known == text);
    word.set(index.ok_or_else(|| format!("one of {}", word.words().join(", ")))?);
    Ok(word)
}

/// Words of the methods, and `all`.
fn methods() -> impl TypedValueParser<Value = Methods> {
    let words = Method::default().words().iter().copied().chain(["all"]);
    PossibleValuesParser::new(words).map(|given| word(&given).map_or(Methods::All, Methods::One))
}

fn scene_help() -> String {
    let characters = formats::names(FileFormat::holds_character).join(", ");
    format!("A scene ({}), the name of a built-in one, or a character ({characters}) to drop", SCENE.name)
}

fn out_help() -> String {
    let runs = listed(&formats::dotted(FileFormat::holds_runs), "or");
    let motions = listed(&formats::dotted(FileFormat::holds_one_clip), "or");
    format!("The whole run as {runs}; the motion of its one ragdoll as {motions}")
}
