//! `muybridge fix`: corrects impossible motion with the least change, in the files it came from.

mod sink;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;
use muybridge::analysis::{Analysis, Settings, Severity};
use muybridge::correction::{Bounds, CurveFamily, FixSettings, LONGEST_FLIGHT, Newton, SpinTarget, Tool, Tools};
use muybridge::glam::DVec3;
use muybridge::motion::Clip;
use muybridge_files::fix::{FixedClip, fix_clip};
use muybridge_files::formats::extension_of;
use muybridge_files::open::{OpenOptions, Opened};
use muybridge_files::output::Existing;
use muybridge_files::prepare::{Preparation, prepare};
use muybridge_files::rewrite::{self, Rewritten};
use muybridge_files::{Error, Imported, Location, decimal_comma};
use rayon::prelude::*;

use crate::clips::{characters, joined, no_clip_named, outside};
use crate::failure::Failure;
use crate::film::FilmOptions;
use crate::input_files::{self, InputFile, listed, motion_formats};
use crate::internal_error::within;
use crate::options::{ClipOptions, finite, frames, positive};
use crate::progress::FileProgress;
use crate::targets::{ReportTarget, Targets};
use crate::threads;
use sink::FixSink;

/// Number of files corrected before their results are written: bounds memory and keeps every core busy.
const BATCH: usize = 16;

/// Arguments of `muybridge fix`.
#[derive(Args)]
pub struct Fix {
    #[arg(required = true, help = format!("Motion files ({}) or folders of them", motion_formats()))]
    clips: Vec<PathBuf>,
    /// File to write, or a folder: files of a folder keep their places in it
    #[arg(long, short, value_name = "OUT", help_heading = "The correction")]
    pub out: Option<PathBuf>,
    /// Only these tools: path, time, spin, feet
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', value_parser = tool, help_heading = "The correction")]
    tools: Vec<Tool>,
    /// Bones that must not change, by name or role, comma-separated
    #[arg(long, value_name = "BONES", value_delimiter = ',', help_heading = "The correction")]
    protect: Vec<String>,
    /// Share of the correction, from 0 to 1; below 1 findings may be left, and a second run takes that share of the
    /// rest
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = strength, allow_negative_numbers = true, help_heading = "The correction")]
    strength: f64,
    /// Largest displacement of the root, meters; a correction that needs more is left out, and said
    #[arg(long, value_name = "METERS", default_value_t = 0.10, value_parser = positive, allow_negative_numbers = true, help_heading = "The correction")]
    most_shift: f64,
    /// Largest rotation of a bone against the root, and of the root, degrees: a knee that bends by 20° turns thigh and
    /// shin by 10° each
    #[arg(long, value_name = "DEGREES", default_value_t = 15.0, value_parser = positive, allow_negative_numbers = true, help_heading = "The correction")]
    most_turn: f64,
    /// Leave flights that fall with less than this gravity, in g: something may carry the body. --flight A..B marks one
    /// that is a flight
    #[arg(long, value_name = "G", default_value_t = 0.5, value_parser = finite, allow_negative_numbers = true, help_heading = "The correction")]
    least_gravity: f64,
    /// Fade the change of a flight out over the frames beside it (3 by default); planted feet and hands stay
    #[arg(
        long,
        value_name = "FRAMES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "3",
        value_parser = clap::value_parser!(u16).range(1..=1000),
        help_heading = "The correction"
    )]
    blend: Option<u16>,
    /// Angular momentum of the flights: X,Y,Z in kg m²/s, mean, takeoff, or landing (the one that lands as animated)
    #[arg(long, value_name = "X,Y,Z|mean|takeoff|landing", value_parser = momentum, allow_hyphen_values = true, help_heading = "The correction")]
    momentum: Option<MomentumArg>,
    /// Height of the center of mass at the top of the flights, meters above the floor: sets how long they last
    #[arg(long, value_name = "M", value_parser = positive, allow_negative_numbers = true, conflicts_with = "duration", help_heading = "The correction")]
    apex: Option<f64>,
    /// Duration of the flights, seconds
    #[arg(long, value_name = "S", value_parser = duration, allow_negative_numbers = true, help_heading = "The correction")]
    duration: Option<f64>,
    /// Speed of the center of mass at take-off, m/s: sets how long the flights last between their ends; of the flat and the high
    /// throw at that speed the one that lasts about as long as animated
    #[arg(long, value_name = "M/S", value_parser = positive, allow_negative_numbers = true, conflicts_with_all = ["apex", "duration", "takeoff_velocity"], help_heading = "The correction")]
    takeoff_speed: Option<f64>,
    /// Velocity of the center of mass at take-off, X,Y,Z in m/s, y up: sets how long the flights last and where they land;
    /// what comes after goes along
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, allow_hyphen_values = true, conflicts_with_all = ["apex", "duration", "move_landing"], help_heading = "The correction")]
    takeoff_velocity: Option<DVec3>,
    /// Move the place where the flights begin, X,Y,Z in meters, y up; what comes before goes along
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, allow_hyphen_values = true, help_heading = "The correction")]
    move_takeoff: Option<DVec3>,
    /// Move the place where the flights end, X,Y,Z in meters, y up; what comes after goes along
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_vector, allow_hyphen_values = true, help_heading = "The correction")]
    move_landing: Option<DVec3>,
    /// Share of each step of Newton's method that the spin correction takes, above 0 and at most 1
    #[arg(long, value_name = "GAMMA", default_value_t = 1.0, value_parser = damping, allow_negative_numbers = true, help_heading = "The correction")]
    newton_damping: f64,
    /// Most iterations of Newton's method in the spin correction
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=10_000), help_heading = "The correction")]
    newton_iterations: u16,
    /// Also list seven ballistic paths between the center of mass at frame A and at frame B, from half to one and a half
    /// times the animated time, and the free fall nearest to the motion; a film draws the seven
    #[arg(long, value_name = "A..B", value_parser = frames, help_heading = "Reports")]
    curves: Option<(usize, usize)>,
    /// Refused with a sentence: `check` has it
    #[arg(long, value_name = "MESH", hide = true)]
    ground: Option<PathBuf>,
    /// Only report what would be done
    #[arg(long, help_heading = "The correction")]
    pub dry_run: bool,
    #[command(flatten)]
    options: ClipOptions,
    /// Write all results as JSON, to FILE or to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Reports")]
    pub json: Option<Option<PathBuf>>,
    /// Both motions, one over the other, as one offline page
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    html: Option<PathBuf>,
    #[command(flatten)]
    pub film: FilmOptions,
    /// Replace existing files
    #[arg(long, help_heading = "Reports")]
    pub force: bool,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=threads::MOST), help_heading = "Reports")]
    threads: Option<u16>,
}

/// Value of `--momentum`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MomentumArg(SpinTarget);

/// The options that all files of a call share.
struct FixJob<'a> {
    fix: &'a Fix,
    preparation: Preparation,
    settings: Settings,
    correction: FixSettings,
    targets: &'a Mutex<Targets>,
}

/// A corrected file.
pub struct FixedFile {
    /// Source of the file.
    pub source: InputFile,
    /// File to write; `None` in a dry run.
    pub target: Option<PathBuf>,
    /// Bytes of the file and of the files beside it.
    pub written: Rewritten,
    /// Corrected clips of the file.
    pub clips: Vec<FixedClip>,
    /// Clips that could not be corrected: name and error.
    pub failed: Vec<(String, Failure)>,
    /// Files of the reports of each clip, with their extensions; empty if none are asked for.
    pub reports: Vec<Vec<(PathBuf, &'static str)>>,
    /// Notes about the file, one sentence each.
    pub notes: Vec<String>,
}

impl FixedFile {
    /// Whether the file has more than one clip to report.
    pub fn holds_several(&self) -> bool {
        self.clips.len() + self.failed.len() > 1
    }
}

impl Fix {
    /// Runs `fix`. Returns the exit code: 0 without remaining findings, 1 with findings, 2 if a file could not be
    /// corrected.
    pub fn run(&self) -> Result<u8, Failure> {
        if self.ground.is_some() {
            let message = "fix knows level floors only, not --ground; muybridge check --ground MESH judges a motion on slopes and steps";
            return Err(Failure::Usage(message.into()));
        }
        if self.out.is_none() && !self.dry_run {
            return Err(Failure::Usage(
                "give a file or a folder to write with -o, or --dry-run to see what would be done".into(),
            ));
        }
        self.film.check()?;
        threads::start(self.threads)?;
        // Only the named frames may change, but the analysis needs the frames around them.
        let settings = Settings { frames: None, ..self.options.settings()? };
        let sources = listed(&self.clips);
        let (preparation, correction) = (self.options.preparation()?, self.correction());
        if let Some(out) = self.out.as_deref().filter(|out| sources.len() > 1 && names_a_file(out)) {
            let (out, count) = (out.display(), sources.len());
            return Err(Failure::Usage(format!("{out}: one file cannot hold {count} motions; give a folder")));
        }
        let targets = &Mutex::new(self.targets(&sources)?);
        let job = FixJob { fix: self, preparation, settings, correction, targets };
        let mut sink = FixSink::new(self, sources.len() > 1, targets)?;
        let progress = FileProgress::new(sources.len());
        for batch in sources.chunks(BATCH) {
            let corrected: Vec<(InputFile, Result<FixedFile, Failure>)> = batch
                .par_iter()
                .map(|source| {
                    let name = source.path.display().to_string();
                    let corrected = within(&name, || job.file(source, sources.len() > 1));
                    progress.step();
                    (source.clone(), corrected)
                })
                .collect();
            for (source, corrected) in corrected {
                sink.write_result(&source, corrected)?;
            }
        }
        progress.finish();
        sink.finish()
    }

    /// The files to write beside the motions, named before any work.
    fn targets(&self, sources: &[InputFile]) -> Result<Targets, Failure> {
        let read = sources.iter().map(|source| source.path.clone()).chain(self.options.files());
        let mut targets = Targets::new(self.existing(), read);
        if let Some(Some(file)) = &self.json {
            targets.name(file)?;
        }
        if let Some(out) = self.out.as_deref().filter(|out| !self.dry_run && names_a_file(out)) {
            targets.name_motion(out)?;
        }
        for (name, extension) in self.reports() {
            let several = sources.len() > 1;
            targets.name_reports(&ReportTarget { name, label: "", extension, several })?;
        }
        Ok(targets)
    }

    /// Names and extensions of the reports of each clip.
    pub fn reports(&self) -> impl Iterator<Item = (&Path, &'static str)> {
        let all = [(&self.html, "html"), (&self.film.gif, "gif"), (&self.film.png, "png")];
        all.into_iter().filter_map(|(name, extension)| Some((name.as_deref()?, extension)))
    }

    fn correction(&self) -> FixSettings {
        let ends = [self.move_takeoff, self.move_landing];
        FixSettings {
            tools: if self.tools.is_empty() { Tools::ALL } else { Tools::only(&self.tools) },
            frames: self.options.frames.map(|(first, last)| (first, last + 1)),
            protected: Vec::new(),
            strength: self.strength,
            bounds: Bounds {
                shift: self.most_shift,
                turn: self.most_turn.to_radians(),
                least_gravity: self.least_gravity,
            },
            blend: self.blend.map(usize::from),
            momentum: self.momentum.map(|momentum| momentum.0),
            apex: self.apex,
            duration: self.duration,
            takeoff_speed: self.takeoff_speed,
            takeoff_velocity: self.takeoff_velocity,
            newton: Newton {
                damping: self.newton_damping,
                iterations: self.newton_iterations.into(),
                ..Newton::default()
            },
            ends: ends.iter().any(Option::is_some).then(|| ends.map(Option::unwrap_or_default)),
        }
    }

    /// Policy for existing files.
    pub fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }

    /// Bounds of the change.
    pub fn bounds(&self) -> Bounds {
        self.correction().bounds
    }

    /// The ballistic paths between the two frames asked for.
    pub fn curves_of(&self, analysis: &Analysis) -> Option<CurveFamily> {
        let (first, last) = self.curves?;
        CurveFamily::between(analysis, first, last.min(analysis.frames.saturating_sub(1)))
    }

    /// Whether the clips are played in a loop.
    pub fn looped(&self) -> bool {
        self.options.looped
    }
}

impl FixJob<'_> {
    /// Reads, corrects and encodes one file.
    fn file(&self, source: &InputFile, several: bool) -> Result<FixedFile, Failure> {
        let path = &source.path;
        let named = |error: Error| Failure::File(error.in_file(path));
        let options = &self.fix.options;
        let opened = input_files::opened(path, &OpenOptions { fps: options.fps })?;
        let title = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let (mut opened, mut notes) = rewrite::writable(opened, options.fps.is_some(), &title).map_err(named)?;
        let extension = opened.extension();
        let target = match &self.fix.out {
            Some(out) if !self.fix.dry_run => Some(self.target(source, out, several, extension)?),
            _ => None,
        };
        let wanted = characters(opened.clone(), options.character.as_deref()).map_err(named)?;
        let chosen = chosen_clips(&wanted, options.clip.as_deref()).map_err(named)?;
        let (mut clips, mut failed) = (Vec::new(), Vec::new());
        for character in &wanted {
            opened = opened.with_character_of(character).map_err(named)?;
            let imported = &character.imported;
            let named_clip =
                |index: &usize| options.clip.as_ref().is_none_or(|name| imported.clips[*index].name == *name);
            for index in (0..imported.clips.len()).filter(named_clip) {
                match self.clip(&mut opened, index, &mut notes) {
                    Ok(fixed) => clips.push(fixed),
                    // If one clip of several cannot be corrected, it stays unchanged.
                    Err(error) if chosen > 1 => failed.push((title_of(imported, index), named(error))),
                    Err(error) => return Err(named(error)),
                }
            }
        }
        if clips.is_empty() && !failed.is_empty() {
            return Err(failed.swap_remove(0).1);
        }
        let written = rewrite::bytes(&opened);
        notes.extend(written.notes.iter().cloned());
        Ok(FixedFile { source: source.clone(), target, written, clips, failed, reports: Vec::new(), notes })
    }

    fn clip(&self, opened: &mut Opened, index: usize, notes: &mut Vec<String>) -> Result<FixedClip, Error> {
        self.frames_are_inside(&opened.imported.clips[index])?;
        let mut correction = self.protecting(opened, index)?;
        if opened.shares_times()? {
            let duration = correction.apex.or(correction.duration).or(correction.takeoff_speed);
            if duration.is_some() || correction.takeoff_velocity.is_some() {
                let message = "the characters of a BVH share its rows, and --apex, --duration, --takeoff-speed and --takeoff-velocity would move them all; convert it to GLB, where each has times of its own";
                return Err(Error::new(Location::File, message));
            }
            correction.tools.time = false;
            let note = "the characters of a BVH share its rows, so flights keep their numbers of frames; as GLB (muybridge convert) each has times of its own";
            if !notes.iter().any(|other| other == note) {
                notes.push(note.into());
            }
        }
        let preparation = self.preparation.of_character(&opened.imported);
        fix_clip(opened, index, &preparation, &self.settings, &correction)
    }

    /// Path of a corrected file; an error if it may not be written there.
    fn target(&self, source: &InputFile, out: &Path, several: bool, extension: &str) -> Result<PathBuf, Failure> {
        let is_folder =
            several || (source.in_folder && !names_a_file(out)) || out.is_dir() || out.extension().is_none();
        let is_folder = is_folder || ends_with_separator(out);
        let target = if is_folder { out.join(&source.relative).with_extension(extension) } else { out.to_path_buf() };
        if extension_of(&target) != extension {
            return Err(Failure::Usage(format!(
                "{}: {} goes back into the format it came from; name it .{extension}, and change the format with muybridge convert",
                target.display(),
                source.path.display()
            )));
        }
        self.targets.lock().unwrap_or_else(PoisonError::into_inner).check_motion(&source.path, &target)?;
        Ok(target)
    }

    /// Fails if the options name frames that the clip does not have.
    fn frames_are_inside(&self, clip: &Clip) -> Result<(), Error> {
        let settings = Settings { frames: self.correction.frames, ..self.settings.clone() };
        let Some(sentence) = outside(&settings, clip.frames()).or_else(|| self.curves_outside(clip)) else {
            return Ok(());
        };
        let place = if clip.name.is_empty() { Location::File } else { Location::Named(clip.name.clone()) };
        Err(Error::new(place, sentence))
    }

    /// The sentence that says why the clip has no curves between the frames asked for; `None` if it has.
    fn curves_outside(&self, clip: &Clip) -> Option<String> {
        let last = clip.frames() - 1;
        let (first, end) = self.fix.curves?;
        (first >= end.min(last))
            .then(|| format!("--curves needs a frame and a later one, and the last frame of the clip is {last}"))
    }

    /// The settings of the correction, with the protected bones marked.
    fn protecting(&self, opened: &Opened, index: usize) -> Result<FixSettings, Error> {
        let mut correction = self.correction.clone();
        if self.fix.protect.is_empty() {
            return Ok(correction);
        }
        let character = prepare(&opened.imported, index, &self.preparation.of_character(&opened.imported))?.character;
        correction.protected = vec![false; character.skeleton.len()];
        for name in &self.fix.protect {
            let role = muybridge::character::Role::from_name(name).and_then(|role| character.bone_of(role));
            let Some(bone) = character.skeleton.find(name).or(role) else {
                let message = "no bone and no role of that name; see muybridge check --details for both";
                return Err(Error::new(Location::Named(name.clone()), message));
            };
            correction.protected[bone] = true;
        }
        Ok(correction)
    }
}

/// Number of the clips to correct: those of that name, or all. The error lists the names.
fn chosen_clips(characters: &[Opened], name: Option<&str>) -> Result<usize, Error> {
    let all = || characters.iter().flat_map(|one| &one.imported.clips);
    let count = all().filter(|clip| name.is_none_or(|name| clip.name == name)).count();
    match name {
        Some(name) if count == 0 => {
            Err(Error::new(Location::File, no_clip_named(name, all().map(|clip| clip.name.as_str()))))
        }
        _ => Ok(count),
    }
}

/// Names of a clip and of its character, where there are several.
fn title_of(imported: &Imported, index: usize) -> String {
    joined(&[&imported.clips[index].name, &imported.character], " · ")
}

/// Whether a corrected clip still has errors or warnings.
pub fn has_findings(clip: &FixedClip) -> bool {
    clip.found_after.findings.iter().any(|finding| finding.severity < Severity::Note)
}

/// Whether `out` is the path of a motion file to write; otherwise it is a folder.
fn names_a_file(out: &Path) -> bool {
    input_files::names_a_motion(out) && !out.is_dir() && !ends_with_separator(out)
}

fn ends_with_separator(path: &Path) -> bool {
    path.to_string_lossy().ends_with(std::path::is_separator)
}

fn tool(text: &str) -> Result<Tool, String> {
    Tool::from_name(text).ok_or_else(|| "path, time, spin or feet, comma-separated".into())
}

fn strength(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|value| (0.0..=1.0).contains(value))
        .ok_or_else(|| format!("a number from 0 to 1 is needed{}", decimal_comma(text)))
}

fn damping(text: &str) -> Result<f64, String> {
    let share = positive(text).ok().filter(|share| *share <= 1.0);
    share.ok_or_else(|| format!("a number above 0 and up to 1 is needed{}", decimal_comma(text)))
}

fn duration(text: &str) -> Result<f64, String> {
    positive(text)
        .ok()
        .filter(|&seconds| seconds <= LONGEST_FLIGHT)
        .ok_or_else(|| format!("a number above 0 and up to {LONGEST_FLIGHT} is needed{}", decimal_comma(text)))
}

fn momentum(text: &str) -> Result<MomentumArg, String> {
    let wrong = || "mean, takeoff, landing, or three numbers such as 0,1.5,-30".to_string();
    Ok(MomentumArg(match text {
        "mean" => SpinTarget::Mean,
        "takeoff" => SpinTarget::TakeOff,
        "landing" => SpinTarget::Landing,
        _ => SpinTarget::Given(three(text).ok_or_else(wrong)?),
    }))
}

fn parse_vector(text: &str) -> Result<DVec3, String> {
    three(text).ok_or_else(|| "three numbers such as 0.2,0,-0.1 are needed".into())
}

/// Parses three numbers separated by commas.
fn three(text: &str) -> Option<DVec3> {
    let numbers: Vec<f64> = text.split(',').map(|part| finite(part.trim()).ok()).collect::<Option<_>>()?;
    let given: [f64; 3] = numbers.try_into().ok()?;
    Some(DVec3::from_array(given))
}
