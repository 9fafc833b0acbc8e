//! Files from and to the disk: dialogs on a thread, so that the window stays alive, writing, and what is dropped. On a web page
//! they come through the browser's own dialog, and are written as downloads.

use std::path::Path;
#[cfg(not(target_arch = "wasm32"))]
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};

use eframe::egui;
use muybridge_files::formats::{self, SCENE};

use crate::documents::Saving;
#[cfg(not(target_arch = "wasm32"))]
use crate::job::{Job, JobMode, JobProgress};
use crate::rooms::RoomName;
#[cfg(target_arch = "wasm32")]
use crate::web;
use crate::workspace::FileToOpen;

/// Extensions of files that can be opened, without the dot.
pub fn opens() -> Vec<&'static str> {
    formats::extensions(|format| format.holds_motion() || *format == SCENE)
}

/// A question to the person: which files to open, or where to write one.
pub struct Question {
    #[cfg(not(target_arch = "wasm32"))]
    answer: Job<Vec<FileToOpen>>,
    #[cfg(target_arch = "wasm32")]
    answer: Receiver<Result<Option<FileToOpen>, String>>,
    /// What the file is for.
    pub purpose: Purpose,
}

/// What a file is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be opened.
    Open,
    /// To hold a document of a room.
    Save(Box<Saving>, RoomName),
    /// To hold these bytes, which are no document.
    Export(Vec<u8>),
}

impl Question {
    /// Asks. On the web only what to open: where a download goes is the browser's question.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn ask(purpose: Purpose, name: &str, ctx: &egui::Context) -> Self {
        let dialog = rfd::AsyncFileDialog::new();
        // The dialog is made here, on the main thread, as macOS wants it; only waiting is left to another.
        let asked: Pin<Box<dyn Future<Output = Vec<rfd::FileHandle>> + Send>> = match &purpose {
            Purpose::Open => {
                let files = dialog.add_filter("Motions and scenes", &opens()).pick_files();
                Box::pin(async { files.await.unwrap_or_default() })
            }
            Purpose::Save(..) | Purpose::Export(_) => {
                let file = dialog.set_file_name(name).save_file();
                Box::pin(async { file.await.into_iter().collect() })
            }
        };
        let sources = |files: Vec<rfd::FileHandle>| files.iter().map(|file| FileToOpen::file(file.path())).collect();
        let wait = move |_: &JobProgress| Ok(sources(pollster::block_on(asked)));
        let answer = Job::start(JobMode::Beside, ctx, "Choosing a file", wait);
        Self { answer, purpose }
    }

    /// Asks. On the web only what to open: where a download goes is the browser's question.
    #[cfg(target_arch = "wasm32")]
    pub fn ask(purpose: Purpose, name: &str, ctx: &egui::Context) -> Self {
        let (sender, answer) = channel();
        if purpose == Purpose::Open {
            web::choose(sender, ctx);
        } else {
            // The receiver is at hand.
            let _ = sender.send(Ok(Some(FileToOpen::file(name))));
        }
        Self { answer, purpose }
    }

    /// The answer, once: files, none where the person chose none, or a sentence about why they cannot be had.
    pub fn poll(&self) -> Option<Result<Vec<FileToOpen>, String>> {
        #[cfg(not(target_arch = "wasm32"))]
        let answer = self.answer.poll();
        #[cfg(target_arch = "wasm32")]
        let answer = self.answer.try_recv().ok().map(|answer| answer.map(|file| file.into_iter().collect()));
        answer
    }
}

/// Files dropped on the window, on their way: a browser takes its time to read them.
pub struct Dropped {
    sender: Sender<Result<FileToOpen, String>>,
    read: Receiver<Result<FileToOpen, String>>,
}

impl Default for Dropped {
    fn default() -> Self {
        let (sender, read) = channel();
        Self { sender, read }
    }
}

impl Dropped {
    /// Takes what was dropped since the last frame.
    pub fn take(&self, ctx: &egui::Context) {
        for file in ctx.input(|input| input.raw.dropped_files.clone()) {
            #[cfg(not(target_arch = "wasm32"))]
            // The receiver is at hand.
            let _ = self.sender.send(Ok(FileToOpen::file(file.path())));
            #[cfg(target_arch = "wasm32")]
            web::read(file, self.sender.clone(), ctx);
        }
    }

    /// Those that can be opened, and sentences about those that cannot.
    pub fn poll(&self) -> Vec<Result<FileToOpen, String>> {
        self.read.try_iter().collect()
    }
}

/// Writes a document, and what goes with it.
///
/// # Errors
/// A sentence that names the file.
pub fn save(path: &Path, saving: &Saving) -> Result<(), String> {
    write(path, &saving.bytes)?;
    let Some(beside) = &saving.beside else { return Ok(()) };
    let path = path.with_extension(beside.extension);
    if beside.is_empty && !path.is_file() {
        return Ok(());
    }
    write(&path, &beside.bytes)
}

/// Writes a file: beside it first, then in its place, so that a full disk never costs what was there.
///
/// # Errors
/// A sentence that names the file.
#[cfg(not(target_arch = "wasm32"))]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    muybridge_files::output::write(path, bytes, muybridge_files::output::Existing::Replace)
        .map_err(|error| error.to_string())
}

/// Gives a file to the browser as a download.
///
/// # Errors
/// A sentence that names the file.
#[cfg(target_arch = "wasm32")]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    web::download(path, bytes)
}
