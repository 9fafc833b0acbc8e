//! A motion that is open: the file it came from, who moves how, and what was found about it.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui;
use muybridge::analysis::{Analysis, Settings};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::WorldMotion;
use muybridge::samples;
use muybridge_files::open::{self, OpenOptions, Opened};
use muybridge_files::prepare::{Preparation, Prepared, analyze, prepare, prepare_sample};

use crate::history::History;
use crate::job::{Job, Progress, Running};
use crate::messages::Messages;
use crate::recovery::Recovery;
use crate::timeline::Timeline;
use crate::workspace::Source;

/// A motion and everything that follows from it. Large parts are shared: a copy is a snapshot for undo.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Who moves how, metres, y up.
    pub prepared: Arc<Prepared>,
    /// What `muybridge check` says of it.
    pub analysis: Arc<Analysis>,
    /// Positions and orientations of all bones in all frames.
    pub world: Arc<WorldMotion>,
}

/// An open motion.
#[derive(Debug)]
pub struct MotionDocument {
    /// As tab and messages name it.
    pub name: String,
    /// The file; `None` for the sample and for recorded runs.
    pub path: Option<PathBuf>,
    /// The file as it was read, to write a corrected motion back into it; `None` where there is none.
    pub opened: Option<Arc<Opened>>,
    /// Which of its clips this is.
    pub clip: usize,
    /// As it is now.
    pub motion: Motion,
    /// As it was before, and was undone.
    pub history: History<Motion>,
    /// The cursor.
    pub timeline: Timeline,
}

/// All open motions, and those on their way.
#[derive(Debug, Default)]
pub struct Motions {
    /// Open ones, in the order of their tabs.
    pub list: Vec<MotionDocument>,
    /// Which is shown.
    pub shown: usize,
    /// Files being read and analyzed.
    pub opening: Vec<Job<Vec<MotionDocument>>>,
    /// Grows when another motion is shown: views frame it then.
    pub changes: u64,
}

impl Motion {
    /// Analyzes a motion as `muybridge check` does.
    pub fn new(prepared: Prepared) -> Self {
        let analysis = analyze(&prepared, &Settings::default());
        let world = WorldMotion::new(&prepared.character.skeleton, &prepared.clip);
        Self { prepared: Arc::new(prepared), analysis: Arc::new(analysis), world: Arc::new(world) }
    }

    /// Position and orientation of a bone at a frame.
    pub fn pose(&self, bone: usize, frame: usize) -> (DVec3, DQuat) {
        (self.world.position(bone, frame), self.world.rotation(bone, frame))
    }

    /// The box around all bones over all frames, a little larger and down to the floor.
    pub fn extent(&self) -> Option<(DVec3, DVec3)> {
        let bones = 0..self.prepared.character.skeleton.len();
        let points = bones.flat_map(|bone| (0..self.world.frames()).map(move |frame| (bone, frame)));
        let points = points.map(|(bone, frame)| self.world.position(bone, frame)).filter(|point| point.is_finite());
        let (low, high) = points.fold(None, |bounds: Option<(DVec3, DVec3)>, point| {
            let (low, high) = bounds.unwrap_or((point, point));
            Some((low.min(point), high.max(point)))
        })?;
        let floor = self.analysis.floor.unwrap_or(low.y).min(low.y);
        Some((low.with_y(floor) - DVec3::new(0.15, 0.0, 0.15), high + DVec3::splat(0.12)))
    }
}

impl MotionDocument {
    /// A motion without a file.
    pub fn new(name: impl Into<String>, prepared: Prepared) -> Self {
        let motion = Motion::new(prepared);
        let clip = &motion.prepared.clip;
        let timeline = Timeline::new(clip.frames(), clip.frame_time);
        let history = History::default();
        Self { name: name.into(), path: None, opened: None, clip: 0, motion, history, timeline }
    }

    /// Replaces the motion by a changed one; the name is for the menu: "Match flight".
    pub fn change(&mut self, name: &str, motion: Motion) {
        let before = std::mem::replace(&mut self.motion, motion);
        self.history.record(name, before);
        self.follow_clip();
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        self.history.undo(&mut self.motion);
        self.follow_clip();
    }

    /// Makes it again.
    pub fn redo(&mut self) {
        self.history.redo(&mut self.motion);
        self.follow_clip();
    }

    /// The time line after the clip became another.
    fn follow_clip(&mut self) {
        let clip = &self.motion.prepared.clip;
        (self.timeline.frames, self.timeline.frame_time) = (clip.frames(), clip.frame_time);
        self.timeline.time = self.timeline.time.clamp(0.0, self.timeline.duration());
    }
}

impl Motions {
    /// The motion that is shown.
    pub fn current(&self) -> Option<&MotionDocument> {
        self.list.get(self.shown)
    }

    /// The same, to change it.
    pub fn current_mut(&mut self) -> Option<&mut MotionDocument> {
        self.list.get_mut(self.shown)
    }

    /// Adds a motion and shows it.
    pub fn show(&mut self, document: MotionDocument) {
        self.shown = self.list.len();
        self.list.push(document);
        self.changes += 1;
    }

    /// Closes a motion.
    pub fn close(&mut self, index: usize) {
        if index < self.list.len() {
            self.list.remove(index);
            self.shown = self.shown.min(self.list.len().saturating_sub(1));
            self.changes += 1;
        }
    }

    /// Starts reading and analyzing a file.
    pub fn open(&mut self, source: Source, running: Running, ctx: &egui::Context) {
        let name = format!("Opening {}", source.name());
        self.opening.push(Job::start(running, ctx, name, move |progress| read(&source, progress)));
    }

    /// Starts analyzing the built-in jump at two thirds of its speed: it falls with less than half of gravity.
    pub fn open_sample(&mut self, running: Running, ctx: &egui::Context) {
        let work = |_: &Progress| {
            let mut slow = samples::jump();
            slow.frame_time *= 1.5;
            let prepared = prepare_sample(samples::humanoid(), slow, &Preparation::default());
            let prepared = prepared.map_err(|error| error.to_string())?;
            Ok(vec![MotionDocument::new("floating jump", prepared)])
        };
        self.opening.push(Job::start(running, ctx, "Opening the sample", work));
    }

    /// Takes what was read.
    pub fn poll(&mut self, messages: &mut Messages) {
        let mut waiting = Vec::new();
        for job in std::mem::take(&mut self.opening) {
            match job.poll() {
                None => waiting.push(job),
                Some(Err(sentence)) => messages.error(sentence),
                Some(Ok(documents)) => {
                    let first = self.list.len();
                    for document in documents {
                        let notes = &document.motion.prepared.ignored;
                        notes.iter().for_each(|note| messages.note(format!("{}: {note}", document.name)));
                        self.show(document);
                    }
                    self.shown = first.min(self.list.len().saturating_sub(1));
                }
            }
        }
        self.opening = waiting;
    }

    /// Keeps changed motions for recovery. None can be changed here yet, so none has to be kept.
    pub fn keep(&mut self, _recovery: &Recovery) -> Result<(), String> {
        Ok(())
    }
}

/// The clips of a file, each prepared and analyzed as `muybridge check` does.
fn read(source: &Source, progress: &Progress) -> Result<Vec<MotionDocument>, String> {
    let told = |error: muybridge_files::Error| error.in_file(&source.path).to_string();
    let opened = open::decode(&source.path, source.read()?, &OpenOptions::default()).map_err(told)?;
    let opened = Arc::new(opened);
    let clips = opened.imported.clips.len();
    let mut documents = Vec::with_capacity(clips);
    for clip in 0..clips {
        if progress.cancelled() {
            break;
        }
        let prepared = prepare(&opened.imported, clip, &Preparation::default()).map_err(told)?;
        let name = match (clips, prepared.clip.name.as_str()) {
            (1, _) => source.name(),
            (_, "") => format!("{} {}", source.name(), clip + 1),
            (_, name) => format!("{} {name}", source.name()),
        };
        let document = MotionDocument::new(name, prepared);
        let path = Some(source.path.clone());
        documents.push(MotionDocument { path, opened: Some(opened.clone()), clip, ..document });
        progress.set((clip + 1) as f64 / clips as f64);
    }
    Ok(documents)
}
