//! Output files of a run: clip, film, picture, plate and log.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use muybridge::simulation::wires::wires;
use muybridge::simulation::{InputLog, Recording};
use muybridge_files::formats::{self, FileFormat, extension_of, listed};
use muybridge_files::output::{self, Existing};
use muybridge_files::scene::{Skins, export, skins, write_log};
use muybridge_report::film::{self, FilmError, FilmStyle};

use super::Simulate;
use super::source::SceneSource;
use crate::failure::Failure;
use crate::film::FILM_RATE;
use crate::progress::FileProgress;
use crate::targets::Targets;

/// Output paths of a run, checked before the run.
pub struct RunOutputs<'a> {
    options: &'a Simulate,
    clip: Option<(&'a Path, &'static FileFormat)>,
    look: FilmStyle,
}

/// Files that were written, with notes.
#[derive(Default)]
pub struct WrittenRun {
    /// Written files, in the order of the options.
    pub files: Vec<PathBuf>,
    /// Losses of the clip format, one sentence each.
    pub notes: Vec<String>,
}

impl<'a> RunOutputs<'a> {
    /// Fails if a file exists and may not be replaced, or has an unsuitable extension.
    pub fn new(options: &'a Simulate, seconds: f64) -> Result<Self, Failure> {
        if let Some(at) = options.at.filter(|&at| at > seconds) {
            return Err(Failure::Usage(format!("--at {at} is after the end of the run; give at most {seconds} s")));
        }
        let clip = match &options.out {
            Some(path) => Some((path.as_path(), format(path)?)),
            None => None,
        };
        let pictures = [(&options.gif, "gif"), (&options.png, "png"), (&options.plate, "png")];
        for (path, wanted) in pictures.into_iter().filter_map(|(path, wanted)| Some((path.as_ref()?, wanted))) {
            if extension_of(path) != wanted {
                return Err(Failure::Usage(format!(
                    "{}: this result is a .{wanted} file; give it that extension",
                    path.display()
                )));
            }
        }
        let json = options.json.as_ref().and_then(Option::as_ref);
        let files = [&options.out, &options.gif, &options.png, &options.plate, &options.log];
        let mut targets = Targets::new(options.existing(), options.files());
        for path in files.into_iter().flatten().chain(json) {
            targets.name(path)?;
        }
        let mut look = FilmStyle { dark: options.dark, ..FilmStyle::default() };
        (look.width, look.height) = options.size.unwrap_or((look.width, look.height));
        Ok(Self { options, clip, look })
    }

    /// Whether the files, or the JSON, hold the poses of the run.
    pub fn need_poses(&self) -> bool {
        let Simulate { out, gif, png, plate, json, .. } = self.options;
        [out, gif, png, plate].into_iter().any(Option::is_some) || json.is_some()
    }

    /// Memory in which the files are written: bytes for each byte of the recording, and bytes beside it.
    pub fn memory(&self, seconds: f64) -> (f64, f64) {
        // Measured: numbers as text take six times their bytes.
        let per_byte = self.clip.map_or(0.0, |(_, format)| if *format == formats::BVH { 6.0 } else { 1.5 });
        let pixels = f64::from(self.look.width) * f64::from(self.look.height);
        let film = self.options.gif.as_ref().map_or(0.0, |_| seconds * FILM_RATE * pixels);
        let plate = self.options.plate.as_ref().map_or(0.0, |_| 150e6);
        (per_byte, film + plate)
    }

    /// Writes all requested files; the log if there is one.
    pub fn write(
        &self,
        recording: &Recording,
        source: &SceneSource,
        log: Option<&InputLog>,
    ) -> Result<WrittenRun, Failure> {
        let mut written = WrittenRun::default();
        let existing = self.options.existing();
        if let Some((path, format)) = self.clip {
            let (skins, notes) = match format.holds_runs() {
                true => skins(&source.scene, &source.folder, &source.allowed),
                false => Default::default(),
            };
            written.notes.extend(notes.into_iter().map(|note| format!("{}: {note}", path.display())));
            write_clip((recording, &skins), path, format, existing, &mut written)?;
        }
        let mut drawn = Cow::Borrowed(recording);
        let draws = [&self.options.gif, &self.options.png, &self.options.plate].into_iter().any(Option::is_some);
        let wires = if draws { wires(&source.scene) } else { Vec::new() };
        if !wires.is_empty() {
            drawn.to_mut().tracks.extend(wires);
        }
        let drawn = &*drawn;
        let mut put = |path: &Option<PathBuf>, draw: &dyn Fn() -> Result<Vec<u8>, FilmError>| {
            let Some(path) = path else { return Ok(()) };
            let bytes = draw().map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
            output::write(path, &bytes, existing)?;
            written.files.push(path.clone());
            Ok::<(), Failure>(())
        };
        put(&self.options.gif, &|| self.film(drawn))?;
        put(&self.options.png, &|| film::png(drawn, self.frame(drawn), &self.look))?;
        put(&self.options.plate, &|| film::plate(drawn, &self.look))?;
        if let (Some(path), Some(log)) = (&self.options.log, log) {
            output::write(path, write_log(log).as_bytes(), existing)?;
            written.files.push(path.clone());
        }
        Ok(written)
    }

    fn film(&self, recording: &Recording) -> Result<Vec<u8>, FilmError> {
        let progress = FileProgress::frames(recording.frames);
        let bytes = film::gif(recording, &self.look, FILM_RATE, &mut |done, all| progress.at(done, all));
        progress.finish();
        bytes
    }

    fn frame(&self, recording: &Recording) -> usize {
        let last = recording.frames.saturating_sub(1);
        self.options.at.map_or(last, |time| ((time / recording.frame_time).round() as usize).min(last))
    }
}

fn format(path: &Path) -> Result<&'static FileFormat, Failure> {
    formats::by_extension(&extension_of(path)).filter(|format| format.is_written()).ok_or_else(|| {
        let known = listed(&formats::dotted(FileFormat::is_written), "or");
        let message = format!("the extension does not name a clip format; use one of {known}");
        Failure::Usage(format!("{}: {message}", path.display()))
    })
}

fn write_clip(
    (recording, skins): (&Recording, &Skins),
    path: &Path,
    format: &FileFormat,
    existing: Existing,
    written: &mut WrittenRun,
) -> Result<(), Failure> {
    let (converted, notes) = export(recording, skins, format).map_err(|error| error.in_file(path))?;
    let beside = converted.beside.iter().map(|file| (path.with_file_name(&file.name), file.bytes.as_slice()));
    let files: Vec<(PathBuf, &[u8])> = beside.chain([(path.to_path_buf(), converted.file.as_slice())]).collect();
    output::write_together(&files, existing)?;
    written.files.push(path.to_path_buf());
    written.notes.extend(notes.into_iter().chain(converted.notes).map(|note| format!("{}: {note}", path.display())));
    Ok(())
}
