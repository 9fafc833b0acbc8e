//! Writing a motion: the file it came from, with the corrections of all open clips of that file.
//!
//! ```text
//! file of the motion ─► for every other changed clip of the file: its frames, its poses ─► bytes
//! ```

use std::sync::Arc;

use muybridge::motion::Clip;
use muybridge_files::convert::{self, Conversion, Converted};
use muybridge_files::formats::GLB;
use muybridge_files::open::{Opened, SourceDocument};
use muybridge_files::prepare::{Preparation, Prepared, prepare};
use muybridge_files::{Axis, Error, Imported, gltf, rewrite};

use super::document::{AnalyzedMotion, MotionDocument, Motions};
use crate::documents::{Saving, Ticket};

/// A motion encoded as a file.
pub(super) struct EncodedMotion {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Notes for the user, one sentence each.
    notes: Vec<String>,
    /// Tickets of the other clips that the file holds in their present state.
    with: Vec<Ticket>,
}

impl Motions {
    /// Encodes a motion as a file, including changes to other clips of the same file; `None` if no format can hold it.
    pub(super) fn whole_file(&self, document: &MotionDocument) -> Option<Saving> {
        let others: Vec<&MotionDocument> = self.list.iter().filter(|other| other.is_beside(document)).collect();
        let EncodedMotion { bytes, notes, with } = document.motion.written(&document.name, &others)?;
        let tickets = std::iter::once(document.ticket()).chain(with).collect();
        Some(Saving { name: document.file_name(), path: None, bytes, tickets, notes, beside: None })
    }
}

impl MotionDocument {
    /// Proposed file name: the original name with "_fixed" appended.
    pub fn file_name(&self) -> String {
        let stem = self.path.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_else(|| self.name.replace(' ', "_"));
        format!("{stem}_fixed.{}", self.motion.extension())
    }

    /// Encodes the motion as a file in its original format (GLB for FBX), with the rest of the file unchanged. A
    /// motion from no file becomes a GLB.
    /// `None` if it cannot be written.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        self.motion.written(&self.name, &[]).map(|written| written.bytes)
    }

    fn ticket(&self) -> Ticket {
        Ticket { document: self.number, revision: self.history.revision() }
    }

    /// Whether this document is another clip of the same opened file and has changes.
    fn is_beside(&self, other: &Self) -> bool {
        let who = |document: &Self| document.original.prepared.character_name.clone();
        let same = |(own, there): (&Arc<Opened>, &Arc<Opened>)| {
            let companions =
                !own.imported.characters.is_empty() && own.imported.characters == there.imported.characters;
            Arc::ptr_eq(own, there) || companions && self.path.is_some() && self.path == other.path
        };
        let is_changed = !Arc::ptr_eq(&self.motion.prepared, &self.original.prepared);
        (self.clip != other.clip || who(self) != who(other))
            && is_changed
            && self.original.file.as_ref().zip(other.original.file.as_ref()).is_some_and(same)
    }

    /// Returns the file with this clip replaced by its present state; `file` must hold the clip as it was opened.
    fn put_into(&self, file: &Opened) -> Result<Opened, Error> {
        let file = &match &self.original.file {
            Some(own) => file.with_character_of(own)?,
            None => file.clone(),
        };
        let retimed = rewrite::retimed(file, self.clip, &self.motion.map)?;
        let before = prepare(&retimed.imported, self.clip, &Preparation::default())?;
        rewrite::corrected(&retimed, self.clip, &before.units, &before.clip, &self.motion.prepared.clip)
    }
}

impl AnalyzedMotion {
    fn extension(&self) -> &'static str {
        match &self.file {
            Some(file) if file.format().is_rewritten() && rewrite::bytes(file).beside.is_empty() => file.extension(),
            _ => GLB.extension(),
        }
    }

    /// Encodes the motion's file with the present state of `others`, which are other clips of it. Files that consist
    /// of several parts become one GLB.
    pub(super) fn written(&self, title: &str, others: &[&MotionDocument]) -> Option<EncodedMotion> {
        let Some(file) = &self.file else { return self.as_glb(title) };
        let Ok((mut writable, mut notes)) = rewrite::writable((**file).clone(), false, title) else {
            return self.as_glb(title);
        };
        let mut with = Vec::new();
        for other in others {
            match other.put_into(&writable) {
                Ok(file) => {
                    writable = file;
                    with.push(other.ticket());
                    notes.push(format!("The file also holds the changes to {}, another clip of it.", other.name));
                }
                Err(error) => notes.push(format!("The changes to {} were not saved: {error}", other.name)),
            }
        }
        let written = rewrite::bytes(&writable);
        notes.extend(written.notes);
        if written.beside.is_empty() {
            return Some(EncodedMotion { bytes: written.file, notes, with });
        }
        let SourceDocument::Gltf(document) = &writable.document else { return self.as_glb(title) };
        let whole = gltf::repack(document, true, None).ok()?;
        notes.extend(whole.notes);
        Some(EncodedMotion { bytes: whole.file, notes, with })
    }

    /// Encodes the motion alone as a GLB.
    fn as_glb(&self, title: &str) -> Option<EncodedMotion> {
        let converted = alone(&self.prepared, self.prepared.clip.clone(), title)?;
        Some(EncodedMotion { bytes: converted.file, notes: Vec::new(), with: Vec::new() })
    }

    /// Encodes the part of the motion `seconds` long around `time` as a GLB: the file, the name of its clip, and
    /// `time` within that clip.
    pub fn around(&self, time: f64, seconds: f64, title: &str) -> Option<(Vec<u8>, String, f64)> {
        let clip = &self.prepared.clip;
        let frame = |time: f64| (time.max(0.0) / clip.frame_time) as usize;
        let first = frame(time - 0.5 * seconds).min(clip.frames() - 1);
        let end = (frame(time + 0.5 * seconds) + 2).min(clip.frames());
        let mut part = clip.cut(first, end);
        let name = if part.name.is_empty() { title.to_owned() } else { part.name.clone() };
        (part.start_time, part.name) = (0.0, name.clone());
        let converted = alone(&self.prepared, part, title)?;
        Some((converted.file, name, time - first as f64 * clip.frame_time))
    }
}

/// Encodes one clip of the character as a GLB without anything else.
fn alone(prepared: &Prepared, clip: Clip, title: &str) -> Option<Converted> {
    let character = &prepared.character;
    let imported = Imported {
        format: GLB.name.into(),
        skeleton: character.skeleton.clone(),
        clips: vec![clip],
        meters_per_unit: Some(1.0),
        up: Some(Axis::Y),
        roles: character.roles.iter().enumerate().filter_map(|(bone, role)| Some((bone, (*role)?))).collect(),
        ..Imported::default()
    };
    let how = Conversion { title: title.to_owned(), ..Conversion::default() };
    convert::write(&imported, &GLB, &how).ok()?.files.into_iter().next()
}
