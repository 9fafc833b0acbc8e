//! What the menus do with the documents of a room: save, undo, redo; and what is kept of them for recovery.

use std::path::{Path, PathBuf};

use eframe::egui;

use crate::history::History;
use crate::job::JobMode;
use crate::recovery::{Recovery, RecoveryKey};

/// The documents of a kind, of which one at most is shown.
pub trait Documents {
    /// Whether there is something to save; asked each frame.
    fn can_save(&self) -> bool;

    /// What File ▸ Save writes, or File ▸ Save as where it goes `elsewhere`; `None` where there is nothing to save.
    fn save(&self, elsewhere: bool) -> Option<Saving>;

    /// Says that what [`Documents::save`] gave with these tickets is written, however long that took and whatever is shown by now.
    fn saved(&mut self, path: &Path, tickets: &[Ticket]);

    /// Names of the changes that undo takes back and redo makes again.
    fn steps(&self) -> [Option<&str>; 2];

    /// Takes the last change back, or makes it again.
    fn travel(&mut self, way: Way, running: JobMode, ctx: &egui::Context);

    /// Keeps what is changed for recovery, and forgets what is not.
    ///
    /// # Errors
    /// A sentence that names the file.
    fn keep(&mut self, recovery: &Recovery) -> Result<(), String>;

    /// Names of the documents with changes that are in no file.
    fn unsaved(&self) -> Vec<String>;
}

/// Which way through the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Undo.
    Back,
    /// Redo.
    On,
}

/// A document as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    /// The name it would have.
    pub name: String,
    /// Where it was read or saved before, if it may be written there again.
    pub path: Option<PathBuf>,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Of what that is the content: the document, and what else is in the file.
    pub tickets: Vec<Ticket>,
    /// What the format does not hold, one sentence each.
    pub notes: Vec<String>,
    /// A file that goes with it.
    pub beside: Option<Beside>,
}

/// A file beside a document, of the same name with another extension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Its extension.
    pub extension: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether it says nothing that the document does not: it is written then only over one that is there.
    pub is_empty: bool,
}

/// A document at a moment: what is written may be another by the time a dialog is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Tells documents of a room apart.
    pub document: u64,
    /// Revision of its history.
    pub revision: u64,
}

/// Which revisions of a document are on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDisk {
    saved: u64,
    kept: u64,
}

impl OnDisk {
    /// Whether a document of this history has something to save.
    pub fn is_changed<S>(&self, history: &History<S>) -> bool {
        history.revision() != self.saved
    }

    /// Says that a revision of the document is saved.
    pub fn save(&mut self, revision: u64) {
        self.saved = revision;
    }

    /// Says that the document is in no file, though nothing was changed since it was opened: it was recovered.
    pub fn lose(&mut self) {
        (self.saved, self.kept) = (u64::MAX, u64::MAX);
    }

    /// Keeps the `document` of this history for recovery if it is changed and not kept yet; forgets it if it is saved.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn keep<S>(
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
                recovery.keep(document, &bytes)?;
            }
            self.kept = history.revision();
        }
        Ok(())
    }
}

impl Way {
    /// Goes one step this way; false where there is none.
    pub fn step<S>(self, history: &mut History<S>, present: &mut S) -> bool {
        match self {
            Self::Back => history.undo(present),
            Self::On => history.redo(present),
        }
    }
}
