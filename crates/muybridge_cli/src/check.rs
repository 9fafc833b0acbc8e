//! `muybridge check`: from motion files to verdicts.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use muybridge::analysis::{Analysis, Limits, Settings, Severity};
use muybridge::samples;
use muybridge_files::open::{self, Opened};
use muybridge_files::output::{self, Existing};
use muybridge_files::prepare::{Preparation, Prepared, analyze, prepare, prepare_sample};
use muybridge_files::{Error, Imported, Location, OpenOptions};
use muybridge_report::terminal::{self, Style, SummaryRow};
use muybridge_report::{ClipReport, Labels, UnreadClip, csv, json, page, plate};
use rayon::prelude::*;

use crate::clip_report::clip_report;
use crate::failure::Failure;
use crate::forces::{self, Forces};
use crate::options::ClipOptions;
use crate::progress::FileProgress;
use crate::targets::{ReportTarget, labels_of};
use crate::verb_output::deliver;

/// Files analysed before their results are written: keeps memory bounded and every core busy.
const BATCH: usize = 32;

/// Arguments of the verb.
#[derive(Args)]
pub struct Check {
    /// Motion files (BVH, glTF, GLB, VRM, VRMA, FBX) or folders of them; without any, a built-in jump
    clips: Vec<PathBuf>,
    #[command(flatten)]
    options: ClipOptions,
    /// What actuators did, and the mass, from the JSON of the `simulate` that recorded the clip: the ground is asked for the rest alone
    #[arg(long, value_name = "RUN.json", requires = "clips", help_heading = "The clip")]
    forces: Option<PathBuf>,
    /// Everything as JSON, to FILE or to standard output
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Reports")]
    json: Option<Option<PathBuf>>,
    /// One row per frame as CSV; with several clips a folder, or a name with {clip}
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    csv: Option<PathBuf>,
    /// The report as one offline page, with a 3D view
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    html: Option<PathBuf>,
    /// The plate: exposures against a measured grid, as PNG
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    plate: Option<PathBuf>,
    /// Draw the plate on slate instead of paper
    #[arg(long, help_heading = "Reports")]
    dark: bool,
    /// Replace existing files
    #[arg(long, help_heading = "Reports")]
    force: bool,
    /// Also say which bone was taken for what and what the reader ignored
    #[arg(long, short, help_heading = "Reports")]
    details: bool,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Reports")]
    threads: Option<u16>,
    /// Print the limits as a TOML file to edit and give back with --limits
    #[arg(long)]
    print_limits: bool,
}

/// One clip, read and analysed, or the sentence why not.
pub struct Checked {
    /// The file as the user named it.
    pub file: String,
    label: String,
    several: bool,
    /// Who moved and what was found.
    pub outcome: Result<Box<(Prepared, Analysis)>, String>,
}

/// What all clips share.
#[derive(Debug)]
pub struct CheckJob {
    opening: OpenOptions,
    preparation: Preparation,
    settings: Settings,
    only: Option<String>,
    /// What actuators did in the recorded run.
    forces: Option<Forces>,
}

impl CheckJob {
    /// Reads the files the options name.
    pub fn new(options: &ClipOptions) -> Result<Self, Failure> {
        Ok(Self {
            opening: options.opening(),
            preparation: options.preparation()?,
            settings: options.settings()?,
            only: options.clip.clone(),
            forces: None,
        })
    }

    /// A clip of a file, prepared and analysed, or the sentence why not.
    fn analyzed(&self, imported: &Imported, index: usize, path: &Path) -> Result<Box<(Prepared, Analysis)>, Error> {
        let prepared =
            |preparation: &Preparation| prepare(imported, index, preparation).map_err(|error| error.in_file(path));
        let Some(forces) = &self.forces else { return Ok(analyzed(prepared(&self.preparation)?, &self.settings)) };
        let (mass, actuated) = forces.of(&imported.clips[index], imported.format.starts_with("glTF"))?;
        // They were on a body of that mass.
        let preparation = Preparation { mass: self.preparation.mass.or(Some(mass)), ..self.preparation.clone() };
        let settings = Settings { actuated, ..self.settings.clone() };
        Ok(analyzed(prepared(&preparation)?, &settings))
    }
}

impl Check {
    /// Runs the verb; the exit code is 0 plausible, 1 findings, 2 unreadable, the largest over all clips.
    pub fn run(&self) -> Result<u8, Failure> {
        if self.print_limits {
            std::io::stdout().write_all(muybridge_files::limits_file::write(&Limits::default()).as_bytes())?;
            return Ok(0);
        }
        if let Some(threads) = self.threads {
            let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
        }
        let mut job = CheckJob::new(&self.options)?;
        job.forces = self.forces.as_deref().map(forces::read).transpose()?;
        if let Some(Some(file)) = &self.json {
            output::check(file, self.existing())?;
        }
        let mut sink = CheckSink::new(self)?;
        if self.clips.is_empty() {
            sink.take(sample(&job)?)?;
        } else {
            let files = expanded(&self.clips);
            let labels = labels_of(&files);
            let named: Vec<(&PathBuf, String)> = files.iter().zip(labels).collect();
            let progress = FileProgress::new(files.len());
            for batch in named.chunks(BATCH) {
                let checked: Vec<Vec<Checked>> = batch
                    .par_iter()
                    .map(|(path, label)| {
                        let checked = check_file(path, label, files.len() > 1, &job, &|checked| checked);
                        progress.step();
                        checked
                    })
                    .collect();
                for clip in checked.into_iter().flatten() {
                    sink.take(clip)?;
                }
            }
            progress.finish();
        }
        sink.finish()
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// What `take` makes of the clips of a file, one by one, so that what it drops is not held for all.
pub fn check_file<T: Send>(
    path: &Path,
    label: &str,
    several: bool,
    job: &CheckJob,
    take: &(impl Fn(Checked) -> T + Sync),
) -> Vec<T> {
    let file = path.display().to_string();
    let one = |label: String, several, outcome| take(Checked { file: file.clone(), label, several, outcome });
    let imported = match opened(path, &job.opening) {
        Ok(opened) => opened.imported,
        Err(error) => return vec![one(label.into(), several, Err(error.to_string()))],
    };
    let mut figures = imported.apart();
    if figures.is_empty() {
        figures.push(imported);
    }
    let clips: Vec<(&Imported, usize)> =
        figures.iter().flat_map(|figure| (0..figure.clips.len()).map(move |index| (figure, index))).collect();
    let chosen: Vec<(&Imported, usize)> =
        clips.iter().copied().filter(|&clip| job.only.as_ref().is_none_or(|only| name(clip) == only)).collect();
    if chosen.is_empty() {
        let message = no_clip_named(job.only.as_deref().unwrap_or(""), clips.iter().copied().map(name));
        return vec![one(label.into(), several, Err(format!("{file}: {message}")))];
    }
    let several = several || chosen.len() > 1;
    let check = |&(imported, index): &(&Imported, usize)| {
        let name = name((imported, index));
        let label = if clips.len() > 1 && !name.is_empty() { format!("{label}_{name}") } else { label.to_string() };
        let frames = imported.clips[index].frames();
        let outcome = outside(&job.settings, frames).map_or(Ok(()), |sentence| Err(format!("{file}: {sentence}")));
        let outcome = outcome.and_then(|()| job.analyzed(imported, index, path).map_err(|error| error.to_string()));
        one(label, several, outcome)
    };
    chosen.par_iter().map(check).collect()
}

/// The name of a clip of a file.
fn name((imported, index): (&Imported, usize)) -> &str {
    &imported.clips[index].name
}

/// That none of the clips has the name.
pub fn no_clip_named<'a>(name: &str, clips: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = clips.filter(|name| !name.is_empty()).map(|name| format!("“{name}”")).collect();
    let there =
        if names.is_empty() { "its clips have no names".into() } else { format!("there are {}", names.join(", ")) };
    format!("no clip is named “{name}”; {there}")
}

/// Why frames that the user names are not in a clip of `frames` frames, if they are not.
pub fn outside(settings: &Settings, frames: usize) -> Option<String> {
    let last = frames - 1;
    let starts = [("--frames", settings.frames.map(|(first, _)| first))];
    let flights = settings.flights.iter().map(|&(first, _)| ("--flight", Some(first)));
    let supports = settings.supports.iter().map(|&(first, _)| ("--support", Some(first)));
    let mut named = starts.into_iter().chain(flights).chain(supports);
    let (option, first) = named.find(|(_, first)| first.is_some_and(|first| first > last))?;
    Some(format!("{option} begins at frame {}, but the last frame of the clip is {last}", first.unwrap_or_default()))
}

fn analyzed(prepared: Prepared, settings: &Settings) -> Box<(Prepared, Analysis)> {
    let analysis = analyze(&prepared, settings);
    Box::new((prepared, analysis))
}

/// The built-in jump.
fn sample(job: &CheckJob) -> Result<Checked, Failure> {
    let (character, clip) = (samples::humanoid(), samples::jump());
    let prepared = prepare_sample(character, clip, &job.preparation)?;
    let outcome = Ok(analyzed(prepared, &job.settings));
    Ok(Checked { file: "built-in jump".into(), label: "jump".into(), several: false, outcome })
}

/// Extensions of motion files.
pub const MOTION: [&str; 6] = ["bvh", "gltf", "glb", "vrm", "vrma", "fbx"];

/// The files named, and the motion files in the folders named, in the order of their names. A folder that cannot be listed
/// or holds no motion stands for itself, so that [`opened`] says why in its place and the other files go on.
pub fn expanded(clips: &[PathBuf]) -> Vec<PathBuf> {
    let is_motion = |path: &Path| {
        path.extension().is_some_and(|e| MOTION.contains(&e.to_string_lossy().to_ascii_lowercase().as_str()))
    };
    let mut files = Vec::new();
    for path in clips {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let entries: Vec<_> = std::fs::read_dir(&folder).map_or_else(|error| vec![Err(error)], Iterator::collect);
            if entries.iter().any(Result::is_err) {
                files.push(folder);
            }
            for entry in entries.into_iter().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                } else if is_motion(&entry.path()) {
                    files.push(entry.path());
                }
            }
        }
        files[before..].sort();
        if files.len() == before {
            files.push(path.clone());
        }
    }
    files
}

/// Reads a file of [`expanded`]; of a folder, why there is none of its files.
pub fn opened(path: &Path, options: &OpenOptions) -> Result<Opened, Error> {
    if !path.is_dir() {
        return open::open(path, options);
    }
    let listed = std::fs::read_dir(path).and_then(|mut entries| entries.try_for_each(|entry| entry.map(drop)));
    let why =
        listed.map_or_else(|error| format!("cannot be listed: {error}"), |()| "no motion files in this folder".into());
    Err(Error::new(Location::File, why).in_file(path))
}

/// Where results go, one clip at a time.
struct CheckSink<'a> {
    check: &'a Check,
    style: Style,
    json: Option<json::AnalysisWriter<Vec<u8>>>,
    rows: Vec<SummaryRow>,
    blocks: Vec<String>,
    code: u8,
}

impl<'a> CheckSink<'a> {
    fn new(check: &'a Check) -> Result<Self, Failure> {
        let json = check.json.as_ref().map(|_| json::AnalysisWriter::new(Vec::new())).transpose()?;
        Ok(Self { check, style: crate::progress::style(), json, rows: Vec::new(), blocks: Vec::new(), code: 0 })
    }

    fn take(&mut self, checked: Checked) -> Result<(), Failure> {
        match &checked.outcome {
            Err(message) => {
                self.code = self.code.max(2);
                self.rows.push(SummaryRow::unreadable(&checked.file, reason(message, &checked.file)));
                eprintln!("muybridge: {message}");
                if let Some(json) = &mut self.json {
                    json.unread(&UnreadClip { file: &checked.file, error: message })?;
                }
            }
            Ok(found) => self.found(&checked, &found.0, &found.1)?,
        }
        Ok(())
    }

    fn found(&mut self, checked: &Checked, prepared: &Prepared, analysis: &Analysis) -> Result<(), Failure> {
        let judged = analysis.findings.iter().any(|finding| finding.severity < Severity::Note);
        self.code = self.code.max(u8::from(judged));
        let labels = Labels { file: checked.file.clone(), unit: prepared.unit_in_words(), dark: self.check.dark };
        let report = clip_report(&checked.file, prepared, analysis);
        if let Err(failure) = self.write_reports(checked, &report, &labels) {
            eprintln!("muybridge: {failure}");
            self.code = 2;
        }
        if let Some(json) = &mut self.json {
            json.clip(&report)?;
        }
        self.rows.push(SummaryRow::new(analysis, &labels));
        if self.blocks.len() < 2 {
            self.blocks.push(self.block(prepared, analysis, &labels));
        }
        Ok(())
    }

    fn block(&self, prepared: &Prepared, analysis: &Analysis, labels: &Labels) -> String {
        let mut block = terminal::clip_block(analysis, labels, &self.style);
        if self.check.details {
            block += "\n";
            block += &terminal::roles_table(analysis, &self.style);
            block += "\n";
            block += &terminal::ignored_list(&prepared.ignored, &self.style);
        }
        block
    }

    /// Writes the files asked for; none of them if one may not be written.
    fn write_reports(&self, checked: &Checked, report: &ClipReport<'_>, labels: &Labels) -> Result<(), Failure> {
        let target = |name: &Option<PathBuf>, extension| {
            let target = |name| ReportTarget { name, label: &checked.label, extension, several: checked.several };
            let path = name.as_deref().map(|name| target(name).path()).transpose()?;
            path.map(|path| output::check(&path, self.check.existing()).map(|()| path).map_err(Failure::from))
                .transpose()
        };
        let csv = target(&self.check.csv, "csv")?;
        let html = target(&self.check.html, "html")?;
        let plate = target(&self.check.plate, "png")?;
        if let Some(path) = csv {
            output::write(&path, csv::csv(report.analysis).as_bytes(), self.check.existing())?;
        }
        if let Some(path) = html {
            output::write(&path, page::html(report).as_bytes(), self.check.existing())?;
        }
        if let Some(path) = plate {
            let picture = plate::plate(report.character, report.clip, report.analysis, labels)?;
            output::write(&path, &picture, self.check.existing())?;
        }
        Ok(())
    }

    /// Prints what is left to print and gives the exit code.
    fn finish(self) -> Result<u8, Failure> {
        let json = self.json.map(|writer| writer.finish()).transpose()?;
        let told = match (self.rows.len(), self.blocks.into_iter().next()) {
            (1, block) => block.unwrap_or_default(),
            _ => format!("{}\n", terminal::summary_table(&self.rows, &self.style).trim_end()),
        };
        deliver(json.as_deref(), self.check.json.as_ref(), self.check.existing(), &told)?;
        Ok(self.code)
    }
}

/// The message without the name of the file, which stands at the head of the row already.
fn reason<'a>(message: &'a str, file: &str) -> &'a str {
    message.strip_prefix(file).map_or(message, |rest| rest.trim_start_matches([':', ' ']))
}
