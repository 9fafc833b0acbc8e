//! Files from and to the disk: dialogs on a thread, so that the window stays alive, and writing.

use std::path::{Path, PathBuf};
#[cfg(not(target_arch = "wasm32"))]
use std::pin::Pin;

use eframe::egui;

use crate::job::Job;
#[cfg(not(target_arch = "wasm32"))]
use crate::job::{Progress, Running};

/// Files that can be opened, by extension.
pub const OPENS: [&str; 7] = ["bvh", "glb", "gltf", "vrm", "vrma", "fbx", "toml"];

/// A question to the person: which file.
pub struct Question {
    answer: Job<Option<PathBuf>>,
    /// What the file is for.
    pub purpose: Purpose,
}

/// What a file is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be opened.
    Open,
    /// To hold these bytes.
    Save(Vec<u8>),
    /// To hold these bytes, which are no document.
    Export(Vec<u8>),
}

impl Question {
    /// Asks; `None` where there are no dialogs (the web opens files by dropping them).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn ask(purpose: Purpose, name: &str, ctx: &egui::Context) -> Option<Self> {
        let dialog = rfd::AsyncFileDialog::new();
        // The dialog is made here, on the main thread, as macOS wants it; only waiting is left to another.
        let asked: Pin<Box<dyn Future<Output = Option<rfd::FileHandle>> + Send>> = match &purpose {
            Purpose::Open => Box::pin(dialog.add_filter("Motions and scenes", &OPENS).pick_file()),
            Purpose::Save(_) | Purpose::Export(_) => Box::pin(dialog.set_file_name(name).save_file()),
        };
        let wait = move |_: &Progress| Ok(pollster::block_on(asked).map(|file| file.path().to_path_buf()));
        let answer = Job::start(Running::Beside, ctx, "Choosing a file", wait);
        Some(Self { answer, purpose })
    }

    /// Asks; `None` where there are no dialogs (the web opens files by dropping them).
    #[cfg(target_arch = "wasm32")]
    pub fn ask(_purpose: Purpose, _name: &str, _ctx: &egui::Context) -> Option<Self> {
        None
    }

    /// The answer, once: a file, or `None` where the person chose none.
    pub fn poll(&self) -> Option<Option<PathBuf>> {
        self.answer.poll().map(|answer| answer.ok().flatten())
    }
}

/// Writes a file: beside it first, then in its place, so that a full disk never costs what was there.
///
/// # Errors
/// A sentence that names the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    muybridge_files::output::write(path, bytes, muybridge_files::output::Existing::Replace)
        .map_err(|error| error.to_string())
}
