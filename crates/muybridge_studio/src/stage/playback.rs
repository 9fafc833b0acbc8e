//! Replay of a run from its input log, step by step, with a report of the result.
//!
//! ```text
//! log ─► before the first step and after every step: same inputs, state hashes compared ─► the same bits, or the first difference
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use muybridge::simulation::input_log::Input;
use muybridge::simulation::{InputLog, LoggedWorld, Replay, Scene, World};
use muybridge_files::AllowedFiles;
use muybridge_files::scene::load_with;

use super::engine::RunMessage;

/// An input log that is being replayed.
#[derive(Debug)]
pub struct Playback {
    replay: Replay<Arc<InputLog>>,
    /// Folder that relative paths in the log's scenes refer to.
    folder: PathBuf,
    /// The run before its first step.
    start: LoggedWorld,
    /// The scene in its present state.
    scene: Scene,
    /// First difference between the run and its log; `None` while they agree.
    difference: Option<String>,
    is_over: bool,
}

impl Playback {
    /// Starts a replay of `log`; `start` is a run of its scene before the first step.
    pub fn new(log: Arc<InputLog>, folder: PathBuf, start: LoggedWorld) -> Self {
        let scene = log.scene.clone();
        Self { replay: Replay::new(log), folder, start, scene, difference: None, is_over: false }
    }

    /// Number of the last step of the log.
    pub fn last_step(&self) -> u64 {
        self.replay.log().last_step()
    }

    /// Whether the replay has reached the end of the log.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// First difference between the run and its log; `None` if they agree so far.
    pub fn difference(&self) -> Option<&str> {
        self.difference.as_deref()
    }

    /// Restarts the replay; returns the run before its first step.
    pub fn begin_again(&mut self, told: &mut Vec<RunMessage>) -> LoggedWorld {
        self.replay = self.replay.anew();
        self.scene = self.replay.log().scene.clone();
        (self.difference, self.is_over) = (None, false);
        told.push(RunMessage::Became(Box::new(self.scene.clone())));
        self.start.clone()
    }

    /// Applies the logged inputs; to be called before the first step and after every step. Returns whether settings or
    /// things changed, and whether the world was replaced.
    pub fn redo(&mut self, run: &mut LoggedWorld, told: &mut Vec<RunMessage>) -> (bool, bool) {
        if self.is_over {
            return (false, false);
        }
        let from = self.replay.inputs_done();
        let folder = &self.folder;
        let mut build = |scene: &Scene| {
            load_with(scene, folder, &AllowedFiles::everywhere())
                .and_then(|(assets, _)| World::new(scene.clone(), &assets))
        };
        if let Err(error) = run.redo(&mut self.replay, &mut build)
            && self.difference.is_none()
        {
            self.difference = Some(error.to_string());
            told.push(RunMessage::Error(format!("The replay differs from the logged run: {error}.")));
        }
        let (mut became, mut is_other_world) = (false, false);
        for (_, input) in &self.replay.log().inputs[from..self.replay.inputs_done()] {
            match input {
                Input::Tune(settings) => {
                    (self.scene.setting, self.scene.solver) = (settings.setting.clone(), settings.solver.clone());
                    became = true;
                }
                Input::Change(scene) => {
                    self.scene = Scene::clone(scene);
                    (became, is_other_world) = (true, true);
                }
                _ => {}
            }
        }
        if became {
            told.push(RunMessage::Became(Box::new(self.scene.clone())));
        }
        if run.world().steps() >= self.last_step() {
            self.is_over = true;
            told.push(RunMessage::Note(self.verdict()));
        }
        (became, is_other_world)
    }

    /// Report on the finished replay.
    fn verdict(&self) -> String {
        let log = self.replay.log();
        let (inputs, steps) = (log.inputs.len(), log.last_step());
        let inputs = if inputs == 1 { "1 input".into() } else { format!("{inputs} inputs") };
        let done = format!("The log was replayed, {steps} steps with {inputs}");
        match &self.difference {
            Some(difference) => format!("{done}, but the result differs from the logged run: {difference}."),
            None if log.marks.is_empty() && log.end.is_none() => {
                format!("{done}; the log has no fingerprints, so the result was not compared.")
            }
            None => format!("{done}; the state has the same bits up to step {}.", self.replay.agreed()),
        }
    }

    /// Note for the user that another input ended the replay at `step`.
    pub fn left_at(&self, step: u64) -> String {
        format!(
            "The replay ended at step {step} of {}, because you changed the run; it goes on without the log.",
            self.last_step()
        )
    }
}
