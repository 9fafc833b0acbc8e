//! Clips of motion files read, prepared and analyzed under the options of [`ClipOptions`], for every verb that does so.

use std::path::Path;
use std::sync::Arc;

use muybridge::analysis::{Analysis, Settings, Terrain};
use muybridge::samples;
use muybridge_files::formats::FileFormat;
use muybridge_files::prepare::{Preparation, Prepared, analyze, prepare, prepare_sample};
use muybridge_files::{Error, Imported, Location, OpenOptions, Opened};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::forces::ForcesFile;
use crate::input_files::opened;
use crate::internal_error::caught;
use crate::options::ClipOptions;

/// The options that all clips of a call share, with the files that they name already read.
#[derive(Debug)]
pub struct CheckJob {
    opening: OpenOptions,
    preparation: Preparation,
    settings: Settings,
    /// The name of the only clip to analyze; `None` analyzes every clip.
    only: Option<String>,
    /// The name of the only character to analyze; `None` analyzes every character.
    character: Option<String>,
    /// Forces of the actuators in the recorded run; `None` where the whole force is the ground's.
    pub forces: Option<ForcesFile>,
}

/// A file to analyze, and the word that names its reports.
pub struct LabeledFile<'a> {
    /// Where the file is.
    pub path: &'a Path,
    /// Names the reports of the file; unique within the call.
    pub label: &'a str,
    /// Whether the call has other files.
    pub has_siblings: bool,
}

/// A clip of a file after its analysis, or the sentence that says why there is none.
pub struct Checked {
    /// The file as the user named it.
    pub file: String,
    /// Names the reports of the clip.
    pub label: String,
    /// Whether the call has other clips, so that each needs a report file of its own.
    pub several: bool,
    /// The analyzed clip, or a sentence that says why the clip cannot be read.
    pub outcome: Result<Box<AnalyzedClip>, String>,
}

/// A character, its clip and the findings on it.
pub struct AnalyzedClip {
    /// Character and clip, meters, y up.
    pub prepared: Prepared,
    /// The findings on the clip.
    pub analysis: Analysis,
}

/// A clip among those of a file that was read.
#[derive(Clone, Copy)]
struct FileClip<'a> {
    imported: &'a Imported,
    /// Index into the clips of `imported`.
    index: usize,
    /// The format of the file.
    format: &'static FileFormat,
}

impl FileClip<'_> {
    fn name(&self) -> &str {
        &self.imported.clips[self.index].name
    }

    /// A label of the file with the names of clip and character.
    fn label(&self, file: &str) -> String {
        joined(&[file, self.name(), &self.imported.character], "_")
    }

    fn frames(&self) -> usize {
        self.imported.clips[self.index].frames()
    }
}

impl CheckJob {
    /// Reads the files that the options name.
    pub fn new(options: &ClipOptions) -> Result<Self, Failure> {
        Ok(Self {
            opening: options.opening(),
            preparation: options.preparation()?,
            settings: options.settings()?,
            only: options.clip.clone(),
            character: options.character.clone(),
            forces: None,
        })
    }

    /// Judges all clips against uneven ground, if there is any.
    pub fn stand_on(&mut self, terrain: Option<Arc<Terrain>>) {
        self.settings.terrain = terrain;
    }

    /// Reads a file and analyzes its clips. `take` turns each into the part of it that the caller keeps, so that the
    /// clips of a file are not all in memory at once. A panic is an error of the file.
    pub fn check_file<T: Send>(&self, file: &LabeledFile<'_>, take: &(impl Fn(Checked) -> T + Sync)) -> Vec<T> {
        caught(|| self.checked_clips(file, take)).unwrap_or_else(|sentence| {
            let name = file.path.display().to_string();
            let outcome = Err(format!("{name}: {sentence}"));
            vec![take(Checked { file: name, label: file.label.into(), several: file.has_siblings, outcome })]
        })
    }

    fn checked_clips<T: Send>(&self, file: &LabeledFile<'_>, take: &(impl Fn(Checked) -> T + Sync)) -> Vec<T> {
        let name = file.path.display().to_string();
        let one = |label: String, several, outcome| take(Checked { file: name.clone(), label, several, outcome });
        let unread = |sentence: String| vec![one(file.label.into(), file.has_siblings, Err(sentence))];
        let opened = match opened(file.path, &self.opening) {
            Ok(opened) => opened,
            Err(error) => return unread(error.to_string()),
        };
        let format = opened.format();
        let characters = match characters(opened, self.character.as_deref()) {
            Ok(characters) => characters,
            Err(error) => return unread(error.in_file(file.path).to_string()),
        };
        let clips_of = |imported| move |index| FileClip { imported, index, format };
        let clips: Vec<FileClip<'_>> =
            characters.iter().flat_map(|one| (0..one.imported.clips.len()).map(clips_of(&one.imported))).collect();
        let is_asked_for = |clip: &FileClip<'_>| self.only.as_ref().is_none_or(|only| clip.name() == only);
        let chosen: Vec<FileClip<'_>> = clips.iter().copied().filter(is_asked_for).collect();
        if chosen.is_empty() {
            let sentence = no_clip_named(self.only.as_deref().unwrap_or(""), clips.iter().map(FileClip::name));
            return unread(format!("{name}: {sentence}"));
        }
        let several = file.has_siblings || chosen.len() > 1;
        let check = |clip: &FileClip<'_>| {
            let label = if clips.len() > 1 { clip.label(file.label) } else { file.label.to_string() };
            let outcome = match outside(&self.settings, clip.frames()) {
                Some(sentence) => Err(format!("{name}: {sentence}")),
                None => self.analyzed(*clip, file.path).map_err(|error| error.to_string()),
            };
            one(label, several, outcome)
        };
        chosen.par_iter().map(check).collect()
    }

    /// The built-in jump, analyzed like a clip of a file.
    pub fn check_sample(&self) -> Result<Checked, Failure> {
        let prepared = prepare_sample(samples::humanoid(), samples::jump(), &self.preparation)?;
        let outcome = Ok(AnalyzedClip::new(prepared, &self.settings));
        Ok(Checked { file: "built-in jump".into(), label: "jump".into(), several: false, outcome })
    }

    /// Prepares and analyzes a clip. Errors name `path`.
    fn analyzed(&self, clip: FileClip<'_>, path: &Path) -> Result<Box<AnalyzedClip>, Error> {
        let FileClip { imported, index, format } = clip;
        let preparation = self.preparation.of_character(imported);
        let prepared =
            |preparation: &Preparation| prepare(imported, index, preparation).map_err(|error| error.in_file(path));
        let Some(forces) = &self.forces else {
            return Ok(AnalyzedClip::new(prepared(&preparation)?, &self.settings));
        };
        let actuated = forces.of(&imported.clips[index], &imported.character, format.names_clips)?;
        // The forces act on a body of the recorded mass.
        let mass = preparation.mass.or(Some(actuated.mass_kg));
        let preparation = Preparation { mass, ..preparation };
        let settings = Settings { actuated: actuated.per_frame.clone(), ..self.settings.clone() };
        Ok(AnalyzedClip::new(prepared(&preparation)?, &settings))
    }
}

impl AnalyzedClip {
    fn new(prepared: Prepared, settings: &Settings) -> Box<Self> {
        let analysis = analyze(&prepared, settings);
        Box::new(Self { prepared, analysis })
    }
}

/// The parts that are not empty, with `between` between.
pub fn joined(parts: &[&str], between: &str) -> String {
    parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

/// The characters of a file, or the one of that name. The error lists the names.
pub fn characters(opened: Opened, name: Option<&str>) -> Result<Vec<Opened>, Error> {
    let mut characters = opened.characters()?;
    let Some(name) = name else { return Ok(characters) };
    let names: Vec<String> = characters.iter().map(|one| format!("“{}”", one.imported.character_name())).collect();
    characters.retain(|one| one.imported.character_name() == name);
    match characters.is_empty() {
        true => {
            let message = format!("no character is named “{name}”; there are {}", names.join(", "));
            Err(Error::new(Location::File, message))
        }
        false => Ok(characters),
    }
}

/// The sentence for a clip name that no clip has; it lists the names of the clips.
pub fn no_clip_named<'a>(name: &str, clips: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = clips.filter(|name| !name.is_empty()).map(|name| format!("“{name}”")).collect();
    let there =
        if names.is_empty() { "its clips have no names".into() } else { format!("there are {}", names.join(", ")) };
    format!("no clip is named “{name}”; {there}")
}

/// The sentence for frames in the options that a clip of `frames` frames does not have; `None` if it has them all.
pub fn outside(settings: &Settings, frames: usize) -> Option<String> {
    let last = frames - 1;
    let starts = [("--frames", settings.frames.map(|(first, _)| first))];
    let flights = settings.flights.iter().map(|&(first, _)| ("--flight", Some(first)));
    let supports = settings.supports.iter().map(|&(first, _)| ("--support", Some(first)));
    let mut named = starts.into_iter().chain(flights).chain(supports);
    let (option, first) = named.find(|(_, first)| first.is_some_and(|first| first > last))?;
    Some(format!("{option} begins at frame {}, but the last frame of the clip is {last}", first.unwrap_or_default()))
}
