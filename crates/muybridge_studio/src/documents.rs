//! Save, undo, redo and recovery backups for the documents of a room.

use std::path::{Path, PathBuf};

use eframe::egui;

use crate::history::History;
use crate::job::JobMode;
use crate::recovery::{Recovery, RecoveryKey};

/// All open documents of one kind; at most one of them is shown.
pub trait Documents {
    /// Whether there is a document to save; called every frame.
    fn can_save(&self) -> bool;

    /// File content for File ▸ Save, or for File ▸ Save as if `elsewhere`; `None` if there is nothing to save.
    fn save(&self, elsewhere: bool) -> Option<Saving>;

    /// Marks the documents of these tickets as saved at `path`. The tickets come from [`Documents::save`]; another
    /// document may be shown by now.
    fn saved(&mut self, path: &Path, tickets: &[Ticket]);

    /// Names of the changes that undo and redo would make, in that order; `None` if there is none.
    fn steps(&self) -> [Option<&str>; 2];

    /// Undoes the last change or redoes the last undone one.
    fn travel(&mut self, way: Way, running: JobMode, ctx: &egui::Context);

    /// Backs up documents with unsaved changes for recovery, and removes the backups of all others.
    ///
    /// # Errors
    /// Returns a message that names the file that could not be written.
    fn save_recovery(&mut self, recovery: &Recovery) -> Result<(), String>;

    /// Names of the documents with unsaved changes.
    fn unsaved(&self) -> Vec<String>;
}

/// Direction through the undo history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Backward: undo.
    Back,
    /// Forward: redo.
    On,
}

/// A document as the bytes of a file, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// File name that is proposed in the dialog.
    pub name: String,
    /// Path that the document was read from or saved to; `None` if it has none or must not overwrite it.
    pub path: Option<PathBuf>,
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Documents stored in `bytes`, each with its revision.
    pub tickets: Vec<Ticket>,
    /// Losses of the file format, one sentence each.
    pub notes: Vec<String>,
    /// A second file to write beside the document; `None` if one file is enough.
    pub beside: Option<Beside>,
}

/// A file beside a document, with the same name and another extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Extension of the file beside the document, without a dot.
    pub extension: &'static str,
    /// Content of the file beside the document.
    pub bytes: Vec<u8>,
    /// Whether the file adds nothing to the document; it is then written only over an existing file.
    pub is_empty: bool,
}

/// A document at one revision. The document may have changed by the time the file dialog is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Number of the document, unique within its room.
    pub document: u64,
    /// Revision of the document's undo history.
    pub revision: u64,
}

/// Revisions of a document that are on disk: the saved one and the recovery backup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDisk {
    saved: u64,
    kept: u64,
}

impl OnDisk {
    /// Whether a document with this undo history has unsaved changes.
    pub fn is_changed<S>(&self, history: &History<S>) -> bool {
        history.revision() != self.saved
    }

    /// Marks a revision of the document as saved.
    pub fn save(&mut self, revision: u64) {
        self.saved = revision;
    }

    /// Marks an unchanged document as unsaved; for a recovered document, which is in no file yet.
    pub fn lose(&mut self) {
        (self.saved, self.kept) = (u64::MAX, u64::MAX);
    }

    /// Backs up a `document` with unsaved changes, unless this revision is backed up already; removes the backup of a
    /// saved document.
    ///
    /// # Errors
    /// Returns a message that names the document that could not be backed up.
    pub fn save_recovery<S>(
        &mut self,
        history: &History<S>,
        recovery: &Recovery,
        document: RecoveryKey<'_>,
        bytes: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Result<(), String> {
        if !self.is_changed(history) {
            recovery.forget(document);
        } else if self.kept != history.revision() {
            if let Some(bytes) = bytes() {
                recovery.save_recovery(document, &bytes)?;
            }
            self.kept = history.revision();
        }
        Ok(())
    }
}

impl Way {
    /// Undoes or redoes one step; returns false if there is none.
    pub fn step<S>(self, history: &mut History<S>, present: &mut S) -> bool {
        match self {
            Self::Back => history.undo(present),
            Self::On => history.redo(present),
        }
    }
}
