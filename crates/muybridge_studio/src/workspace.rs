//! State shared by all rooms: open documents, messages, preferences, and requests to the program.

use std::path::PathBuf;

use eframe::egui;
use muybridge_files::prepare::Prepared;

use crate::documents::Documents;
use crate::job::{Job, JobMode};
use crate::messages::Messages;
use crate::motions::Motions;
use crate::preferences::Preferences;
use crate::recovery::{RecoverableFile, Recovery};
use crate::rooms::RoomName;
use crate::stage::OpenScene;

/// Everything that outlives a visit to a room.
pub struct Workspace {
    /// Open motions: see [`Motions`].
    pub motions: Motions,
    /// The open scene and its world: see [`OpenScene`].
    pub stage: OpenScene,
    /// Errors and notes for the user.
    pub messages: Messages,
    /// Theme and recent files.
    pub preferences: Preferences,
    /// Whether background work runs on threads or at once.
    pub running: JobMode,
    /// Folder for backups of unsaved documents; `None` on the web and in tests.
    pub recovery: Option<Recovery>,
    /// Recovered backups of earlier runs; removed once this run has backed up their documents.
    pub recovered: Vec<RecoverableFile>,
    /// Whether the user was told that a backup failed.
    told_of_keeping: bool,
    /// Backups that earlier runs left, offered on the start page.
    pub left: Vec<RecoverableFile>,
    /// Whether the user wants to quit while there are unsaved changes.
    pub quitting: bool,
    /// Whether the user agreed to quit without saving.
    pub may_quit: bool,
    requests: Vec<Request>,
}

/// Kind of background work in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkInProgress {
    /// Opening a file; its index among the files being read.
    Opening(usize),
    /// Building a scene and its world.
    Building,
    /// Correcting a motion.
    Correcting,
}

/// Background work in progress, for the status line.
#[derive(Clone, Debug, PartialEq)]
pub struct UnderWay {
    /// Kind of the work.
    pub work: WorkInProgress,
    /// Name of the work: "Opening jump.bvh".
    pub name: String,
    /// Fraction that is done, 0 to 1; 0 also if the work reports no progress.
    pub done: f64,
}

/// Request of a room to the program.
#[derive(Debug)]
pub enum Request {
    /// Show a room.
    Go(RoomName),
    /// Open a file in the first room that accepts it.
    Open(FileToOpen),
    /// Show the file dialog, then open the chosen files.
    Ask,
    /// Save the document of the shown room.
    Save,
    /// Open the built-in sample in the Motion room.
    OpenSample,
    /// Open a built-in scene in the Simulate room.
    OpenScene(&'static str),
    /// Show a motion in the Motion room, such as a recorded run: name and motion.
    Show(String, Box<Prepared>),
    /// Make a ragdoll of the shown motion in its state at the cursor, and show the Simulate room.
    Fall,
    /// Ask for a path and write an exported file: proposed name and content.
    Export(String, Vec<u8>),
    /// Open a backup that an earlier run left.
    Recover(RecoverableFile),
    /// Remove a backup that an earlier run left.
    Discard(RecoverableFile),
}

/// A file to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToOpen {
    /// Path of the file; only a name if it came without a path (dropped on a web page).
    pub path: PathBuf,
    /// Content of the file; `None` if it must be read from disk.
    pub bytes: Option<Vec<u8>>,
    /// Whether the file is a recovered backup, whose document is unsaved.
    pub is_recovered: bool,
}

impl FileToOpen {
    /// A file on disk.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), bytes: None, is_recovered: false }
    }

    /// A file whose content is in memory.
    pub fn with(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes: Some(bytes), is_recovered: false }
    }

    /// File name without folders.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Content of the file, read from disk if necessary.
    ///
    /// # Errors
    /// Returns a message that names the file.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        match &self.bytes {
            Some(bytes) => Ok(bytes.clone()),
            None => muybridge_files::open::read(&self.path).map_err(|error| error.to_string()),
        }
    }
}

impl Workspace {
    /// A workspace with no open documents.
    pub fn new(preferences: Preferences, running: JobMode) -> Self {
        Self {
            motions: Motions::default(),
            stage: OpenScene::default(),
            messages: Messages::default(),
            preferences,
            running,
            recovery: None,
            recovered: Vec::new(),
            told_of_keeping: false,
            left: Vec::new(),
            quitting: false,
            may_quit: false,
            requests: Vec::new(),
        }
    }

    /// Makes a request to the program, which handles it after the room is drawn.
    pub fn request(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// Requests since the last call.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// Names of the documents with unsaved changes.
    pub fn unsaved(&self) -> Vec<String> {
        let documents: [&dyn Documents; 2] = [&self.motions, &self.stage];
        documents.iter().flat_map(|documents| documents.unsaved()).collect()
    }

    /// All background work in progress.
    pub fn under_way(&self) -> Vec<UnderWay> {
        fn told<T>(work: WorkInProgress, job: &Job<T>) -> UnderWay {
            UnderWay { work, name: job.name.clone(), done: job.progress.done() }
        }
        let opening =
            self.motions.opening.iter().enumerate().map(|(index, job)| told(WorkInProgress::Opening(index), job));
        let building = self.stage.building.iter().map(|job| told(WorkInProgress::Building, job));
        let correcting = self.motions.bench.job.iter().map(|job| told(WorkInProgress::Correcting, job));
        opening.chain(building).chain(correcting).collect()
    }

    /// Cancels one piece of background work; the others continue.
    pub fn cancel(&mut self, work: WorkInProgress) {
        match work {
            WorkInProgress::Opening(index) if index < self.motions.opening.len() => {
                drop(self.motions.opening.remove(index))
            }
            WorkInProgress::Opening(_) => {}
            WorkInProgress::Correcting => self.motions.cancel_corrections(),
            WorkInProgress::Building => {
                if self.stage.building.take().is_some() && self.stage.document.is_some() {
                    self.messages.note("Canceled: the simulation still runs the scene from before the change.");
                }
            }
        }
    }

    /// Collects the results of background work; to be called every frame.
    pub fn poll(&mut self, ctx: &egui::Context) {
        self.motions.poll(&mut self.messages);
        self.motions.poll_corrections(&mut self.messages, self.running, ctx);
        self.stage.poll(&mut self.messages, self.running, ctx);
        if !self.under_way().is_empty() {
            ctx.request_repaint_after(std::time::Duration::from_millis(50));
        }
    }

    /// Backs up unsaved documents for recovery.
    pub fn save_recovery(&mut self) {
        let Some(recovery) = &self.recovery else { return };
        let kept = [self.stage.save_recovery(recovery), self.motions.save_recovery(recovery)];
        match kept.into_iter().find_map(Result::err) {
            // Tried again next time; older backups stay.
            Some(sentence) if !std::mem::replace(&mut self.told_of_keeping, true) => self.messages.error(sentence),
            Some(_) => {}
            None => {
                self.told_of_keeping = false;
                if self.under_way().is_empty() {
                    self.recovered.drain(..).for_each(|left| Recovery::discard(&left));
                }
            }
        }
    }
}
