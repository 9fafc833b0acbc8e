//! Runs a scene step by step and times the steps; replays a log.

use std::path::{Path, PathBuf};
use std::time::Instant;

use muybridge::simulation::scene::{Setting, Thing};
use muybridge::simulation::{InputLog, Scene, SceneError, World};
use muybridge_files::scene::{is_log, load_with, read_log, with_whole_paths};
use muybridge_files::{Error, Location};

use super::source::SceneSource;
use super::{Replayed, SimulatedRun};
use crate::failure::Failure;
use crate::progress::FileProgress;

/// Number of steps between two fingerprints of a log.
const EVERY: u64 = 60;

/// Opens a log; its scene becomes the source.
pub fn open(path: &Path) -> Result<(SceneSource, InputLog), Failure> {
    let bytes = muybridge_files::open::read(path)?;
    if !is_log(&bytes) {
        let message = "this is not an input log; write one with `muybridge simulate SCENE --log FILE`, or export one from the studio";
        return Err(Error::new(Location::File, message).in_file(path).into());
    }
    let log = read_log(&bytes).map_err(|error| error.in_file(path))?;
    Ok((SceneSource::of_log(path, &log, &bytes), log))
}

/// Duration of a replay, seconds.
pub fn seconds(source: &SceneSource, log: &InputLog) -> f64 {
    log.last_step() as f64 / source.scene.setting.rate
}

/// Builds and runs the scene and times each step. With `log_path` the log gets fingerprints, and file names in the
/// scene are made absolute if the log is written to another folder.
pub fn run(source: &SceneSource, log_path: Option<&Path>) -> Result<(SimulatedRun, InputLog), Failure> {
    let steps = source.scene.steps();
    let mut built = BuiltWorld::new(source, steps)?;
    let is_beside = |path: &Path| absolute(path.parent().unwrap_or(Path::new(""))) == absolute(&source.folder);
    let scene = match log_path {
        Some(path) if !is_beside(path) => with_whole_paths(&source.scene, &source.folder),
        _ => source.scene.clone(),
    };
    let marks = log_path.is_some();
    let mut log = InputLog { scene, ..InputLog::default() };
    let run = built.record(source, steps, |world| {
        if marks && world.steps().is_multiple_of(EVERY) {
            log.marks.push((world.steps(), world.fingerprint()));
        }
    })?;
    log.end = Some((built.world.steps(), built.world.fingerprint()));
    Ok((run, log))
}

/// Replays a log. Records the first difference and continues.
pub fn replay(source: &SceneSource, log: &InputLog) -> Result<SimulatedRun, Failure> {
    let steps = usize::try_from(log.last_step()).unwrap_or(usize::MAX);
    let mut built = BuiltWorld::new(source, steps)?;
    let mut build = |scene: &Scene| {
        let (assets, _) = load_with(scene, &source.folder, &source.allowed)?;
        // The recording is that of the scene it began as.
        let wrong = |message: String| SceneError { kind: Setting::KIND, index: 0, key: "name", message };
        source.room.check(&scene.memory(&assets, 0, false)).map_err(wrong)?;
        World::new(scene.clone(), &assets)
    };
    let (mut replay, mut difference) = (log.begin(), None);
    let mut act = |world: &mut World| {
        if let Err(error) = replay.act(world, &mut build) {
            difference.get_or_insert(error.to_string());
        }
    };
    act(&mut built.world);
    let mut run = built.record(source, steps, act)?;
    let compared = log.marks.len() + usize::from(log.end.is_some());
    run.replayed = Some(Replayed { inputs: log.inputs.len(), steps: log.last_step(), compared, difference });
    Ok(run)
}

/// Absolute path of a folder; an empty path is the working directory.
fn absolute(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf())
}

/// A world with the notes from building it.
struct BuiltWorld {
    world: World,
    notes: Vec<String>,
}

impl BuiltWorld {
    /// Builds the world of a scene, if there is memory for it and a recording of `steps` steps.
    fn new(source: &SceneSource, steps: usize) -> Result<Self, Failure> {
        let loaded = load_with(&source.scene, &source.folder, &source.allowed);
        let (assets, loading) = loaded.map_err(|fault| source.failure(&fault))?;
        let too_large = |message: String| Error::new(Location::File, message).in_file(Path::new(&source.name));
        source.room.check(&source.scene.memory(&assets, steps, source.keeps_poses)).map_err(too_large)?;
        let mut notes = source.notes.clone();
        notes.extend(loading);
        let world = World::new(source.scene.clone(), &assets).map_err(|fault| source.failure(&fault))?;
        notes.extend(world.notes().iter().cloned());
        Ok(Self { world, notes })
    }

    /// Records `steps` steps and times them. `after` runs after each step, outside the timing.
    fn record(
        &mut self,
        source: &SceneSource,
        steps: usize,
        mut after: impl FnMut(&mut World),
    ) -> Result<SimulatedRun, Failure> {
        let progress = FileProgress::frames(steps);
        let mut spent = Vec::new();
        let mut step = |world: &mut World| {
            let start = Instant::now();
            world.step();
            spent.push(start.elapsed());
            after(world);
            progress.step();
        };
        let recording = match source.keeps_poses {
            true => self.world.record_steps(steps, &mut step),
            false => self.world.record_measures(steps, &mut step),
        };
        progress.finish();
        if let Some(frame) = recording.diverged_at() {
            let seconds = frame as f64 * recording.frame_time;
            let message = format!(
                "the run diverges: its numbers are not finite from frame {frame} ({seconds:.3} s) on; use more substeps, or \
                 less stiffness, force, speed or difference of masses"
            );
            return Err(Error::new(Location::File, message).in_file(Path::new(&source.name)).into());
        }
        let (scene, name) = (source.scene.clone(), source.name.clone());
        let (count, mass, mut notes) = (self.world.count(), self.world.mass(), std::mem::take(&mut self.notes));
        let later = self.world.notes().iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>();
        notes.extend(later);
        Ok(SimulatedRun { scene, source: name, recording, count, mass, spent, notes, replayed: None })
    }
}
