//! What all rooms share: the open documents, messages, preferences, and what rooms ask of the frame around them.

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
    /// What went wrong.
    pub messages: Messages,
    /// Theme and recent files.
    pub preferences: Preferences,
    /// How long work is run.
    pub running: JobMode,
    /// Where documents that are not saved are kept; `None` on the web and in tests.
    pub recovery: Option<Recovery>,
    /// Recovered from earlier runs, to be discarded as soon as this run has kept it.
    pub recovered: Vec<RecoverableFile>,
    /// Whether it was told that something could not be kept.
    told_of_keeping: bool,
    /// What earlier runs left.
    pub left: Vec<RecoverableFile>,
    /// The end of the program is asked for, and something would be lost.
    pub quitting: bool,
    /// It may end all the same.
    pub may_quit: bool,
    requests: Vec<Request>,
}

/// Long work, one of those under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkInProgress {
    /// A file being read and analyzed, by its place in the list of those.
    Opening(usize),
    /// A scene and its world.
    Building,
    /// A correction.
    Correcting,
}

/// How far long work is.
#[derive(Clone, Debug, PartialEq)]
pub struct UnderWay {
    /// Which.
    pub work: WorkInProgress,
    /// What is done, in words: "Opening jump.bvh".
    pub name: String,
    /// 0 to 1; 0 also where the work does not say.
    pub done: f64,
}

/// What a room asks of the frame.
#[derive(Debug)]
pub enum Request {
    /// Go to a room.
    Go(RoomName),
    /// Open a file in the room that takes it.
    Open(FileToOpen),
    /// Ask for a file, then open it.
    Ask,
    /// Save the document of the room that is shown.
    Save,
    /// Open the built-in sample in the Motion room.
    OpenSample,
    /// Open a built-in scene in the Simulate room.
    OpenScene(&'static str),
    /// Show a motion in the Motion room: a recorded run.
    Show(String, Box<Prepared>),
    /// Make a ragdoll of the motion that is shown, as it is at the cursor, and go to the Simulate room.
    Fall,
    /// Ask where to write this file, which is no document of a room: a name and its content.
    Export(String, Vec<u8>),
    /// Open what an earlier run left.
    Recover(RecoverableFile),
    /// Remove it.
    Discard(RecoverableFile),
}

/// A file to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToOpen {
    /// Its path; a bare name where it came without one (dropped on a web page).
    pub path: PathBuf,
    /// Its content where that is already known.
    pub bytes: Option<Vec<u8>>,
    /// Whether an earlier run left it: it is in no file of the person's.
    pub is_recovered: bool,
}

impl FileToOpen {
    /// A file on disk.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), bytes: None, is_recovered: false }
    }

    /// A file whose content is known.
    pub fn with(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Self { path: path.into(), bytes: Some(bytes), is_recovered: false }
    }

    /// Its name without folders.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Its content.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        match &self.bytes {
            Some(bytes) => Ok(bytes.clone()),
            None => muybridge_files::open::read(&self.path).map_err(|error| error.to_string()),
        }
    }
}

impl Workspace {
    /// Nothing open yet.
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

    /// Asks something of the frame; it is done after the room is drawn.
    pub fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    /// What was asked since the last call.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// Names of the documents with changes that are in no file.
    pub fn unsaved(&self) -> Vec<String> {
        let documents: [&dyn Documents; 2] = [&self.motions, &self.stage];
        documents.iter().flat_map(|documents| documents.unsaved()).collect()
    }

    /// All that is under way.
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

    /// Stops waiting for one of those that are under way; the others go on.
    pub fn cancel(&mut self, work: WorkInProgress) {
        match work {
            WorkInProgress::Opening(index) if index < self.motions.opening.len() => {
                drop(self.motions.opening.remove(index))
            }
            WorkInProgress::Opening(_) => {}
            WorkInProgress::Correcting => self.motions.cancel_corrections(),
            WorkInProgress::Building => {
                if self.stage.building.take().is_some() && self.stage.document.is_some() {
                    self.messages.note("Cancelled: what runs is the world from before the change.");
                }
            }
        }
    }

    /// Takes what long work has answered; call it each frame.
    pub fn poll(&mut self, ctx: &egui::Context) {
        self.motions.poll(&mut self.messages);
        self.motions.poll_corrections(&mut self.messages, self.running, ctx);
        self.stage.poll(&mut self.messages, self.running, ctx);
        if !self.under_way().is_empty() {
            ctx.request_repaint_after(std::time::Duration::from_millis(50));
        }
    }

    /// Keeps what is not saved where it can be recovered.
    pub fn keep(&mut self) {
        let Some(recovery) = &self.recovery else { return };
        let kept = [self.stage.keep(recovery), self.motions.keep(recovery)];
        match kept.into_iter().find_map(Result::err) {
            // Tried again next time; what was kept before stays.
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
