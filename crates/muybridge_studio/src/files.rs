//! File dialogs, file writing, and files dropped on the window. Dialogs run on a thread, so that the window stays
//! responsive.
//! On a web page the browser's own dialog reads files, and written files become downloads.

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

/// A pending file dialog: which files to open, or where to write one.
pub struct Question {
    #[cfg(not(target_arch = "wasm32"))]
    answer: Job<Vec<FileToOpen>>,
    #[cfg(target_arch = "wasm32")]
    answer: Receiver<Result<Option<FileToOpen>, String>>,
    /// Purpose of the file that is asked for.
    pub purpose: Purpose,
}

/// Purpose of a file dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Files to be opened.
    Open,
    /// A document of a room to be saved.
    Save(Box<Saving>, RoomName),
    /// Other bytes to be exported, such as a recorded run.
    Export(Vec<u8>),
}

impl Question {
    /// Opens the file dialog. Saving asks for a path, proposing `name`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_dialog(purpose: Purpose, name: &str, ctx: &egui::Context) -> Self {
        let dialog = rfd::AsyncFileDialog::new();
        // macOS needs the dialog to be created on the main thread; only the waiting is done on another thread.
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

    /// Opens the browser's file dialog to open a file. Saving asks nothing here, as the browser chooses where a
    /// download goes.
    #[cfg(target_arch = "wasm32")]
    pub fn open_dialog(purpose: Purpose, name: &str, ctx: &egui::Context) -> Self {
        let (sender, answer) = channel();
        if purpose == Purpose::Open {
            web::choose(sender, ctx);
        } else {
            // The receiver is held by this struct, so sending cannot fail.
            let _ = sender.send(Ok(Some(FileToOpen::file(name))));
        }
        Self { answer, purpose }
    }

    /// Result of the dialog, returned once: the chosen files (none if canceled), or a message about why they cannot be
    /// read.
    pub fn poll(&self) -> Option<Result<Vec<FileToOpen>, String>> {
        #[cfg(not(target_arch = "wasm32"))]
        let answer = self.answer.poll();
        #[cfg(target_arch = "wasm32")]
        let answer = self.answer.try_recv().ok().map(|answer| answer.map(|file| file.into_iter().collect()));
        answer
    }
}

/// Files dropped on the window that are still being read; a browser reads them asynchronously.
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
    /// Takes the files dropped since the last frame.
    pub fn take(&self, ctx: &egui::Context) {
        for file in ctx.input(|input| input.raw.dropped_files.clone()) {
            #[cfg(not(target_arch = "wasm32"))]
            // The receiver is held by `self`, so sending cannot fail.
            let _ = self.sender.send(Ok(FileToOpen::file(file.path())));
            #[cfg(target_arch = "wasm32")]
            web::read(file, self.sender.clone(), ctx);
        }
    }

    /// Dropped files that are ready to open, and messages about files that cannot be read.
    pub fn poll(&self) -> Vec<Result<FileToOpen, String>> {
        self.read.try_iter().collect()
    }
}

/// Writes a document and the file beside it.
///
/// # Errors
/// Returns a message that names the file.
pub fn save(path: &Path, saving: &Saving) -> Result<(), String> {
    write(path, &saving.bytes)?;
    let Some(beside) = &saving.beside else { return Ok(()) };
    let path = path.with_extension(beside.extension);
    if beside.is_empty && !path.is_file() {
        return Ok(());
    }
    write(&path, &beside.bytes)
}

/// Writes a file: first to a temporary file beside it, then renamed, so that a full disk never destroys the old file.
///
/// # Errors
/// Returns a message that names the file.
#[cfg(not(target_arch = "wasm32"))]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    muybridge_files::output::write(path, bytes, muybridge_files::output::Existing::Replace)
        .map_err(|error| error.to_string())
}

/// Offers a file to the browser as a download.
///
/// # Errors
/// Returns a message that names the file.
#[cfg(target_arch = "wasm32")]
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    web::download(path, bytes)
}
