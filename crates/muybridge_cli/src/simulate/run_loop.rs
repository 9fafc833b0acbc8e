//! A scene run and timed, step by step; a run of a log done again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use muybridge::simulation::{InputLog, Recording, World};
use muybridge_files::scene::{is_log, load, read_log, with_whole_paths};
use muybridge_files::{Error, Location};

use super::source::SceneSource;
use super::{Replayed, SimulatedRun};
use crate::failure::Failure;
use crate::progress::FileProgress;

/// Steps between two fingerprints of a log.
const EVERY: u64 = 60;

/// A log, and its scene as a source.
pub fn open(path: &Path) -> Result<(SceneSource, InputLog), Failure> {
    let bytes = muybridge_files::open::read(path)?;
    if !is_log(&bytes) {
        let message = "this is not the log of a run: `muybridge simulate SCENE --log FILE` writes one, and the studio";
        return Err(Error::new(Location::File, message).in_file(path).into());
    }
    let log = read_log(&bytes).map_err(|error| error.in_file(path))?;
    Ok((SceneSource::of_log(path, &log, &bytes), log))
}

/// How long a run is that is done again.
pub fn seconds(source: &SceneSource, log: &InputLog) -> f64 {
    log.last_step() as f64 / source.scene.setting.rate
}

/// Builds the scene, runs it, and takes the time of each step; with fingerprints in the log if it is to be written, to a file from where what the scene
/// names is found.
pub fn run(source: &SceneSource, log_path: Option<&Path>) -> Result<(SimulatedRun, InputLog), Failure> {
    let mut built = BuiltWorld::new(source)?;
    let is_beside = |path: &Path| absolute(path.parent().unwrap_or(Path::new(""))) == absolute(&source.folder);
    let scene = match log_path {
        Some(path) if !is_beside(path) => with_whole_paths(&source.scene, &source.folder),
        _ => source.scene.clone(),
    };
    let marks = log_path.is_some();
    let mut log = InputLog { scene, ..InputLog::default() };
    let run = built.record(source, source.scene.steps(), |world| {
        if marks && world.steps().is_multiple_of(EVERY) {
            log.marks.push((world.steps(), world.fingerprint()));
        }
    });
    log.end = Some((built.world.steps(), built.world.fingerprint()));
    Ok((run, log))
}

/// Does the run of a log again; a difference is remembered, and the run goes on.
pub fn replay(source: &SceneSource, log: &InputLog) -> Result<SimulatedRun, Failure> {
    let mut built = BuiltWorld::new(source)?;
    let mut build = |scene: &muybridge::simulation::Scene| {
        load(scene, &source.folder).and_then(|(assets, _)| World::new(scene.clone(), &assets))
    };
    let (mut replay, mut difference) = (log.begin(), None);
    let mut act = |world: &mut World| {
        if let Err(error) = replay.act(world, &mut build) {
            difference.get_or_insert(error.to_string());
        }
    };
    act(&mut built.world);
    let steps = usize::try_from(log.last_step()).unwrap_or(usize::MAX);
    let mut run = built.record(source, steps, act);
    let compared = log.marks.len() + usize::from(log.end.is_some());
    run.replayed = Some(Replayed { inputs: log.inputs.len(), steps: log.last_step(), compared, difference });
    Ok(run)
}

/// A folder from the root of all; the working one where it has no name.
fn absolute(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}

/// A world and what was said in building it.
struct BuiltWorld {
    world: World,
    notes: Vec<String>,
}

impl BuiltWorld {
    fn new(source: &SceneSource) -> Result<Self, Failure> {
        let (assets, loading) = load(&source.scene, &source.folder).map_err(|fault| source.failure(&fault))?;
        let mut notes = source.notes.clone();
        notes.extend(loading);
        let world = World::new(source.scene.clone(), &assets).map_err(|fault| source.failure(&fault))?;
        notes.extend(world.notes().iter().cloned());
        Ok(Self { world, notes })
    }

    /// Goes on by so many steps; `after` each of them something is done that does not count as its time.
    fn record(&mut self, source: &SceneSource, steps: usize, mut after: impl FnMut(&mut World)) -> SimulatedRun {
        let progress = FileProgress::frames(steps);
        let mut spent = Vec::new();
        let recording: Recording = self.world.record_steps(steps, &mut |world| {
            let start = Instant::now();
            world.step();
            spent.push(start.elapsed());
            after(world);
            progress.step();
        });
        progress.finish();
        let (scene, name) = (source.scene.clone(), source.name.clone());
        let (count, mass, notes) = (self.world.count(), self.world.mass(), std::mem::take(&mut self.notes));
        SimulatedRun { scene, source: name, recording, count, mass, spent, notes, replayed: None }
    }
}
