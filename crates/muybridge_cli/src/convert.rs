//! `muybridge convert`: writes motion files in another format.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use muybridge::character::Role;
use muybridge::motion::Axis;
use muybridge_files::convert::{Conversion, Converted, convert};
use muybridge_files::formats::{self, FORMATS, FileFormat, extension_of, listed};
use muybridge_files::output::Existing;
use muybridge_files::prepare::{axis_of_word, unit_of_word};
use muybridge_files::{Error, OpenOptions, decimal_comma, open, roles_file};
use muybridge_report::terminal::visible;

use crate::clips::characters;
use crate::failure::Failure;
use crate::input_files::{expanded, motion_formats, opened};
use crate::internal_error::within;
use crate::options::{frames, rate};
use crate::targets::{MotionFile, ReportTarget, Targets, labels_of};

/// Arguments of `muybridge convert`.
#[derive(Args)]
#[command(override_usage = "muybridge convert [OPTIONS] <A>... <B>")]
pub struct Convert {
    #[arg(required = true, value_name = "A> <B", help = paths_help(), long_help = long_paths_help())]
    paths: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT", value_parser = format, help = to_help())]
    to: Option<&'static FileFormat>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// Unit of A: m, cm, mm, in, ft or meters per unit
    #[arg(long, value_parser = unit_of_word, help_heading = "The clip")]
    unit: Option<f64>,
    /// Axis that points up in A: x, y or z
    #[arg(long, value_parser = axis_of_word, help_heading = "The clip")]
    up: Option<Axis>,
    /// Unit of a BVH to write [default: cm; of a BVH that was one already its own]
    #[arg(long, value_name = "UNIT", value_parser = unit_of_word, help_heading = "The clip")]
    out_unit: Option<f64>,
    /// Make the character FACTOR times as large and slow it down by the root of that, as dynamic similarity asks: a giant ten
    /// times larger moves 3.162 times as slowly, and its falls still are falls
    #[arg(long, value_name = "FACTOR", value_parser = factor, allow_negative_numbers = true, help_heading = "The clip")]
    resize: Option<f64>,
    /// Only the character of that name: its root bone, with #2 and so on where the file holds several of that name
    #[arg(long, value_name = "NAME", help_heading = "The clip")]
    character: Option<String>,
    /// Only the clip of that name
    #[arg(long, value_name = "NAME", help_heading = "The clip")]
    clip: Option<String>,
    /// Frames per second to sample at, instead of the file's own
    #[arg(long, value_name = "HZ", value_parser = rate, help_heading = "The clip")]
    fps: Option<f64>,
    /// Only the frames from A to B, both included, counted from 0
    #[arg(long, value_name = "A..B", value_parser = frames, help_heading = "The clip")]
    frames: Option<(usize, usize)>,
    /// Bones of the humanoid roles (VRMA needs a humanoid), one `role = "bone"` a line
    #[arg(long, value_name = "FILE", help_heading = "The clip")]
    roles: Option<PathBuf>,
}

/// The options that all files of a call share.
struct ConvertJob<'a> {
    convert: &'a Convert,
    to: &'static FileFormat,
    target: &'a Path,
    targets: Targets,
    roles: Vec<(Role, String)>,
    several: bool,
}

impl Convert {
    /// Runs `convert`. Returns the exit code: 0, or 2 if a file could not be converted.
    pub fn run(&self) -> Result<u8, Failure> {
        let Some((target, sources)) = self.paths.split_last().filter(|(_, sources)| !sources.is_empty()) else {
            return Err(Failure::Usage("name a motion to read, and after it the file or folder to write".into()));
        };
        let to = self.format_of(target)?;
        if self.out_unit.is_some() && !to.has_own_unit() {
            let own = listed(&formats::names(FileFormat::has_own_unit), "and");
            let fixed = listed(&formats::names(|format| format.is_written() && !format.has_own_unit()), "and");
            let sentence = format!("--out-unit works for {own} only; {fixed} are in meters by definition");
            return Err(Failure::Usage(sentence));
        }
        let files = expanded(sources);
        let several = files.len() > 1;
        if several && !names_many(target) {
            return Err(Failure::Usage(format!(
                "{}: one file cannot hold {} motions; give a folder and --to {}, or a name with {{clip}}",
                target.display(),
                files.len(),
                to.extension()
            )));
        }
        let roles = match &self.roles {
            Some(path) => roles_file::parse(&open::read(path)?).map_err(|error| error.in_file(path))?,
            None => Vec::new(),
        };
        let mut targets = Targets::new(self.existing(), files.iter().chain(&self.roles).cloned());
        if !several && !names_many(target) {
            targets.name_motion(target)?;
        }
        let mut job = ConvertJob { convert: self, to, target, targets, roles, several };
        let mut code = 0;
        for (source, label) in files.iter().zip(labels_of(&files)) {
            let name = source.display().to_string();
            if let Err(failure) = within(&name, || job.file(source, &label)) {
                if matches!(failure, Failure::Output(_)) {
                    return Err(failure);
                }
                say!("muybridge: {failure}");
                code = 2;
            }
        }
        Ok(code)
    }

    fn format_of(&self, target: &Path) -> Result<&'static FileFormat, Failure> {
        let name = target.display();
        if let Some(format) = self.to {
            return Ok(format);
        }
        if target.is_dir() {
            return Err(Failure::Usage(format!("{name}: a folder has no format; give --to {}", written_formats())));
        }
        let is_known = |format: &&FileFormat| format.holds_motion() || format.is_written();
        let Some(format) = formats::by_extension(&extension_of(target)).filter(is_known) else {
            let known = listed(&formats::dotted(FileFormat::is_written), "or");
            let sentence = format!("{name}: motions are written as {known}; name one of these, or give --to");
            return Err(Failure::Usage(sentence));
        };
        format.writable().map_err(|error| error.in_file(target))?;
        Ok(format)
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

impl ConvertJob<'_> {
    /// Converts one file and writes the resulting files.
    fn file(&mut self, source: &Path, label: &str) -> Result<(), Failure> {
        let named = |error: Error| Failure::File(error.in_file(source));
        if !self.several && !names_many(self.target) {
            self.targets.check_motion(source, self.target)?;
        }
        let opened = opened(source, &OpenOptions { fps: self.convert.fps }).map_err(named)?;
        let opened = match &self.convert.character {
            None => opened,
            Some(name) => characters(opened, Some(name)).map_err(named)?.swap_remove(0),
        };
        let how = Conversion {
            title: source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            clip: self.convert.clip.clone(),
            frames: self.convert.frames,
            roles: self.roles.clone(),
            unit: self.convert.unit,
            up: self.convert.up,
            out_unit: self.convert.out_unit,
            resize: self.convert.resize,
        };
        let mut converted = convert(&opened, self.to, &how).map_err(named)?;
        if converted.files.len() > 1 && !names_many(self.target) {
            let clips: Vec<String> =
                converted.files.iter().filter_map(|file| file.clip.as_ref()).map(|clip| format!("“{clip}”")).collect();
            return Err(Failure::Usage(format!(
                "{}: holds {} clips and .{} holds one; choose with --clip ({}), or name a folder with --to {2}",
                source.display(),
                clips.len(),
                self.to.extension(),
                clips.join(", ")
            )));
        }
        let labels = labels(label, &converted.files);
        let targets: Vec<PathBuf> = labels.iter().map(|label| self.place(source, label)).collect::<Result<_, _>>()?;
        for note in &converted.notes {
            say!("{}: {note}", source.display());
        }
        for (file, target) in converted.files.iter_mut().zip(&targets) {
            self.write(source, target, file)?;
        }
        Ok(())
    }

    fn place(&mut self, source: &Path, label: &str) -> Result<PathBuf, Failure> {
        let folder =
            self.target.is_dir() || !self.target.to_string_lossy().contains("{clip}") && names_many(self.target);
        let target = ReportTarget { name: self.target, label, extension: self.to.extension(), several: folder };
        self.targets.place_motion(source, &|number| target.path(number))
    }

    fn write(&mut self, source: &Path, target: &Path, file: &mut Converted) -> Result<(), Failure> {
        let Converted { file: bytes, beside, notes, .. } = file;
        self.targets.write(MotionFile { source, target, bytes, beside })?;
        for note in notes {
            say!("{}: {note}", target.display());
        }
        Ok(writeln!(std::io::stdout(), "{}", visible(&target.display().to_string()))?)
    }
}

/// Whether the target can hold many files: a folder, a name without extension (a new folder), or a name with `{clip}`.
fn names_many(target: &Path) -> bool {
    target.is_dir() || target.to_string_lossy().contains("{clip}") || target.extension().is_none()
}

/// One label per file: the name of its source, with the clip's name if there are several.
fn labels(source: &str, files: &[Converted]) -> Vec<String> {
    let label = |file: &Converted| match &file.clip {
        Some(clip) if files.len() > 1 => format!("{source}_{clip}"),
        _ => source.to_string(),
    };
    files.iter().map(label).collect()
}

fn format(text: &str) -> Result<&'static FileFormat, String> {
    let format = formats::by_extension(text.trim_start_matches('.')).filter(|format| format.is_written());
    format.ok_or_else(written_formats)
}

/// The formats that are written, as --to takes them: "bvh, gltf or glb".
fn written_formats() -> String {
    let extensions: Vec<&str> = FORMATS.iter().filter(|format| format.is_written()).map(|f| f.extension()).collect();
    listed(&extensions, "or")
}

fn factor(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|factor| (1e-3..=1e3).contains(factor))
        .ok_or_else(|| format!("a number from 0.001 to 1000 is needed{}", decimal_comma(text)))
}

fn to_help() -> String {
    format!("Format to write: {} [default: by the extension of B]", written_formats())
}

fn paths_help() -> String {
    format!("Motions to read ({}, folders of them), and last the file or folder to write", motion_formats())
}

fn long_paths_help() -> String {
    let single = listed(&formats::names(FileFormat::holds_one_clip), "and");
    let several = "a file with several needs --clip, a folder with --to, or {clip} in the name";
    format!("{}\n\n{single} hold one clip: {several}.", paths_help())
}
