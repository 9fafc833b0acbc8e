//! `muybridge check`: analyzes motion files and judges them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use muybridge::analysis::{Limits, Severity, Terrain};
use muybridge_files::mesh::{self, MeshOptions};
use muybridge_files::output::{self, Existing};
use muybridge_files::{Error, Location};
use muybridge_report::film::FilmedMotion;
use muybridge_report::terminal::{self, Style, SummaryRow};
use muybridge_report::{ClipReport, Labels, UnreadClip, csv, json, page, plate};
use rayon::prelude::*;

use crate::clip_report::clip_report;
use crate::clips::{AnalyzedClip, CheckJob, Checked, LabeledFile};
use crate::failure::Failure;
use crate::film::FilmOptions;
use crate::forces;
use crate::input_files::{expanded, motion_formats};
use crate::internal_error::within;
use crate::options::ClipOptions;
use crate::progress::FileProgress;
use crate::targets::{ReportTarget, Targets, labels_of};
use crate::threads;
use crate::verb_output::deliver;

/// Number of files analyzed before their results are written: bounds memory and keeps every core busy.
const BATCH: usize = 32;

/// Arguments of `muybridge check`.
#[derive(Args)]
pub struct Check {
    #[arg(help = format!("Motion files ({}) or folders of them; without any, a built-in jump", motion_formats()))]
    clips: Vec<PathBuf>,
    #[command(flatten)]
    options: ClipOptions,
    /// External forces and mass from the JSON of the `simulate` run that recorded the clip; the ground must supply only
    /// the rest
    #[arg(long, value_name = "RUN.json", requires = "clips", help_heading = "The clip")]
    forces: Option<PathBuf>,
    /// Uneven ground, instead of a level floor: a mesh (OBJ or glTF) in meters, y up, as simulate -o writes a run to OBJ
    #[arg(long, value_name = "MESH", conflicts_with = "floor", help_heading = "The clip")]
    ground: Option<PathBuf>,
    /// Write all results as JSON, to FILE or to standard output
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
    #[command(flatten)]
    film: FilmOptions,
    /// Replace existing files
    #[arg(long, help_heading = "Reports")]
    force: bool,
    /// Also list the spans in which no contact gives the force and moment that the motion asks for; for several clips
    /// a table
    #[arg(long, help_heading = "Reports")]
    residual: bool,
    /// Also list the bone of each role and what the reader ignored
    #[arg(long, short, help_heading = "Reports")]
    details: bool,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=threads::MOST), help_heading = "Reports")]
    threads: Option<u16>,
    /// Print the limits as a TOML file to edit and pass back with --limits
    #[arg(long)]
    print_limits: bool,
}

impl Check {
    /// Runs `check`. Returns the exit code: 0 plausible, 1 findings, 2 unreadable; the largest over all clips.
    pub fn run(&self) -> Result<u8, Failure> {
        if self.print_limits {
            std::io::stdout().write_all(muybridge_files::limits_file::write(&Limits::default()).as_bytes())?;
            return Ok(0);
        }
        self.film.check()?;
        threads::start(self.threads)?;
        let mut job = CheckJob::new(&self.options)?;
        job.forces = self.forces.as_deref().map(forces::read).transpose()?;
        let ground = self.ground.as_deref().map(ground).transpose()?.map(Arc::new);
        job.stand_on(ground.clone());
        let files = expanded(&self.clips);
        let mut sink = CheckSink::new(self, &files, ground.as_deref())?;
        if self.clips.is_empty() {
            sink.write_result(job.check_sample()?)?;
        } else {
            let labels = labels_of(&files);
            let named: Vec<(&PathBuf, String)> = files.iter().zip(labels).collect();
            let progress = FileProgress::new(files.len());
            for batch in named.chunks(BATCH) {
                let checked: Vec<Vec<Checked>> = batch
                    .par_iter()
                    .map(|(path, label)| {
                        let file = LabeledFile { path, label, has_siblings: files.len() > 1 };
                        let checked = job.check_file(&file, &|checked| checked);
                        progress.step();
                        checked
                    })
                    .collect();
                for clip in checked.into_iter().flatten() {
                    sink.write_result(clip)?;
                }
            }
            progress.finish();
        }
        sink.finish()
    }

    /// The files to write, named before any work.
    fn targets(&self, files: &[PathBuf]) -> Result<Targets, Failure> {
        let read =
            files.iter().cloned().chain(self.options.files()).chain(self.forces.clone()).chain(self.ground.clone());
        let mut targets = Targets::new(self.existing(), read);
        if let Some(Some(file)) = &self.json {
            targets.name(file)?;
        }
        for (name, report) in self.reports() {
            let (several, extension) = (files.len() > 1, report.extension());
            targets.name_reports(&ReportTarget { name, label: "", extension, several })?;
        }
        Ok(targets)
    }

    /// Names of the reports of each clip.
    fn reports(&self) -> impl Iterator<Item = (&Path, ClipReportFile)> {
        let all = [
            (&self.csv, ClipReportFile::Csv),
            (&self.html, ClipReportFile::Page),
            (&self.plate, ClipReportFile::Plate),
            (&self.film.gif, ClipReportFile::Film),
            (&self.film.png, ClipReportFile::Picture),
        ];
        all.into_iter().filter_map(|(name, report)| Some((name.as_deref()?, report)))
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Reads uneven ground from a mesh.
fn ground(path: &Path) -> Result<Terrain, Failure> {
    let read = mesh::open(path, &MeshOptions::default())?;
    for note in &read.notes {
        say!("{}: {note}", path.display());
    }
    Terrain::new(&read.mesh.points, &read.mesh.triangles).ok_or_else(|| {
        let message =
            "all its triangles are steeper than 80°, so that nothing can stand on it; give a mesh in meters, y up";
        Error::new(Location::File, message).in_file(path).into()
    })
}

/// A file that reports on one clip.
#[derive(Clone, Copy)]
enum ClipReportFile {
    Csv,
    Page,
    Plate,
    Film,
    Picture,
}

impl ClipReportFile {
    fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Page => "html",
            Self::Plate | Self::Picture => "png",
            Self::Film => "gif",
        }
    }
}

/// Writes the reports of one clip after another, and keeps the table and the exit code.
struct CheckSink<'a> {
    check: &'a Check,
    targets: Targets,
    style: Style,
    json: Option<json::AnalysisWriter<Vec<u8>>>,
    rows: Vec<SummaryRow>,
    blocks: Vec<String>,
    code: u8,
    /// Uneven ground, if there is any.
    ground: Option<&'a Terrain>,
}

impl<'a> CheckSink<'a> {
    fn new(check: &'a Check, files: &[PathBuf], ground: Option<&'a Terrain>) -> Result<Self, Failure> {
        let targets = check.targets(files)?;
        let json = check.json.as_ref().map(|_| json::AnalysisWriter::new(Vec::new())).transpose()?;
        let style = crate::progress::style();
        Ok(Self { check, targets, style, json, rows: Vec::new(), blocks: Vec::new(), code: 0, ground })
    }

    fn write_result(&mut self, checked: Checked) -> Result<(), Failure> {
        match &checked.outcome {
            Err(message) => {
                self.code = self.code.max(2);
                self.rows.push(SummaryRow::unreadable(&checked.file, reason(message, &checked.file)));
                say!("muybridge: {message}");
                if let Some(json) = &mut self.json {
                    json.unread(&UnreadClip { file: &checked.file, error: message })?;
                }
            }
            Ok(clip) => {
                return within(&checked.file, || self.found(&checked, clip)).or_else(|failure| self.say(failure));
            }
        }
        Ok(())
    }

    /// Says what went wrong with one file; the others go on, unless nothing can be written at all.
    fn say(&mut self, failure: Failure) -> Result<(), Failure> {
        if matches!(failure, Failure::Output(_)) {
            return Err(failure);
        }
        say!("muybridge: {failure}");
        self.code = 2;
        Ok(())
    }

    fn found(&mut self, checked: &Checked, clip: &AnalyzedClip) -> Result<(), Failure> {
        let AnalyzedClip { prepared, analysis } = clip;
        let judged = analysis.findings.iter().any(|finding| finding.severity < Severity::Note);
        self.code = self.code.max(u8::from(judged));
        let report = ClipReport { ground: self.ground, ..clip_report(&checked.file, &clip.prepared, &clip.analysis) };
        let labels = Labels {
            file: checked.file.clone(),
            character: report.one_of_several().to_owned(),
            unit: prepared.unit_in_words(),
            notes: prepared.body_notes.clone(),
            dark: self.check.film.dark,
        };
        within(&checked.file, || self.write_reports(checked, &report, &labels)).or_else(|failure| self.say(failure))?;
        if let Some(json) = &mut self.json {
            json.clip(&report)?;
        }
        self.rows.push(SummaryRow::new(analysis, &labels));
        if self.blocks.len() < 2 {
            self.blocks.push(self.block(clip, &labels));
        }
        Ok(())
    }

    fn block(&self, clip: &AnalyzedClip, labels: &Labels) -> String {
        let AnalyzedClip { prepared, analysis } = clip;
        let mut block = terminal::clip_block(analysis, labels, &self.style);
        if self.check.residual {
            block += "\n";
            block += &terminal::residual_list(analysis, &self.style);
        }
        if self.check.details {
            block += "\n";
            block += &terminal::roles_table(analysis, &self.style);
            block += "\n";
            block += &terminal::ignored_list(&prepared.ignored, &self.style);
        }
        block
    }

    /// Writes the requested report files, or none of them if one cannot be written.
    fn write_reports(&mut self, checked: &Checked, report: &ClipReport<'_>, labels: &Labels) -> Result<(), Failure> {
        let mut places = Vec::new();
        for (name, kind) in self.check.reports() {
            let (label, extension) = (checked.label.as_str(), kind.extension());
            let target = ReportTarget { name, label, extension, several: checked.several };
            places.push((self.targets.place(&target)?, kind));
        }
        let title = &Labels { file: report.file_name().into(), ..labels.clone() }.title(&report.analysis.clip);
        let motion = [FilmedMotion { title, report: *report, curves: None }];
        let drawn = |path: &Path, kind| match kind {
            ClipReportFile::Csv => Ok(csv::csv(report.analysis).into_bytes()),
            ClipReportFile::Page => Ok(page::html(report).into_bytes()),
            ClipReportFile::Plate => Ok(plate::plate(report.character, report.clip, report.analysis, labels)?),
            ClipReportFile::Film => self.check.film.film(&motion, path),
            ClipReportFile::Picture => self.check.film.picture(&motion, path),
        };
        let mut contents = Vec::new();
        for (path, kind) in &places {
            contents.push(drawn(path, *kind)?);
        }
        let files: Vec<(PathBuf, &[u8])> =
            places.into_iter().zip(&contents).map(|((path, _), bytes)| (path, bytes.as_slice())).collect();
        Ok(output::write_together(&files, self.check.existing())?)
    }

    /// Prints the remaining results and returns the exit code.
    fn finish(self) -> Result<u8, Failure> {
        let json = self.json.map(|writer| writer.finish()).transpose()?;
        let told = match (self.rows.len(), self.blocks.into_iter().next()) {
            (1, block) => block.unwrap_or_default(),
            _ if self.check.residual => {
                let tables = [terminal::summary_table, terminal::residual_table].map(|of| of(&self.rows, &self.style));
                tables.join("\n")
            }
            _ => format!("{}\n", terminal::summary_table(&self.rows, &self.style).trim_end()),
        };
        deliver(json.as_deref(), self.check.json.as_ref(), self.check.existing(), &told)?;
        Ok(self.code)
    }
}

/// The message without the file name, which the row already shows.
fn reason<'a>(message: &'a str, file: &str) -> &'a str {
    message.strip_prefix(file).map_or(message, |rest| rest.trim_start_matches([':', ' ']))
}
