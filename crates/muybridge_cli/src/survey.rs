//! `muybridge survey`: checks a library of motion files and writes tables and statistics.
//!
//! Files are checked in parallel and taken in order; their records are committed to `OUT.parts/` in segments. At the
//! end one pass over the segments writes the tables, the page and the summary. Merging shards is the same pass over
//! other files.

mod merge;
mod outputs;
mod paths;
mod pending;
pub(crate) mod plan;
mod segments;
mod workers;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use muybridge_files::output::Existing;
use muybridge_report::survey::{CLIP_COLUMNS, ClipRecord, ColumnReader, FLIGHT_COLUMNS, FileRecord, TableColumn};

use crate::clip_report::clip_report;
use crate::clips::{CheckJob, Checked, LabeledFile};
use crate::failure::Failure;
use crate::options::ClipOptions;
use crate::progress::FileProgress;
use crate::threads;
use outputs::SurveyOutputs;
use plan::{Shard, SurveyPlan};
use segments::Segments;

/// Arguments of `muybridge survey`.
#[derive(Args)]
pub struct Survey {
    /// Folders of motion files, motion files, or lists (.txt, .list: a path per line, # comments, from the list's folder)
    #[arg(value_name = "PATH", required_unless_present = "columns")]
    paths: Vec<PathBuf>,
    /// The table of clips, .parquet, .csv or .jsonl; flights go beside it as OUT.flights.parquet (in .jsonl, into it)
    #[arg(long, value_name = "OUT", required_unless_present_any = ["merge", "columns"], conflicts_with = "merge")]
    out: Option<PathBuf>,
    /// Statistics and the worst clips as one offline page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Continue an interrupted survey
    #[arg(long, conflicts_with = "merge")]
    resume: bool,
    /// Only every n-th file, from the i-th on: one of n shards that --merge joins
    #[arg(long, value_name = "I/N", conflicts_with = "merge")]
    shard: Option<Shard>,
    /// Join shards: PATH names their tables or the parts beside those (OUT.part)
    #[arg(long, value_name = "OUT")]
    merge: Option<PathBuf>,
    /// Threads to use [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=threads::MOST))]
    threads: Option<u16>,
    /// Replace existing files, and restart an interrupted survey
    #[arg(long)]
    force: bool,
    /// Print the columns of the tables with their meanings
    #[arg(long)]
    columns: bool,
    #[command(flatten)]
    options: ClipOptions,
}

impl Survey {
    /// Runs `survey`. Returns the exit code, 0.
    pub fn run(&self) -> Result<u8, Failure> {
        match (&self.out, &self.merge) {
            _ if self.columns => print_columns()?,
            (_, Some(_)) if format!("{:?}", self.options) != format!("{:?}", ClipOptions::default()) => {
                let sentence = "--merge only joins finished shards, so it takes no options of check; give them when you survey each shard";
                return Err(Failure::Usage(sentence.into()));
            }
            (_, Some(out)) => merge::merge(&self.outputs(out, false)?, &self.paths, self.existing())?,
            (Some(out), None) => self.survey(&self.outputs(out, self.shard.is_some())?)?,
            (None, None) => return Err(Failure::Usage("give the table to write with --out".into())),
        }
        Ok(0)
    }

    fn outputs(&self, out: &Path, is_shard: bool) -> Result<SurveyOutputs, Failure> {
        SurveyOutputs::new(out, self.html.as_deref(), is_shard)
    }

    fn survey(&self, outputs: &SurveyOutputs) -> Result<(), Failure> {
        let job = CheckJob::new(&self.options)?;
        let files = paths::listed(&self.paths)?;
        let plan = SurveyPlan::new(&files, &format!("{job:?}"), self.shard.unwrap_or(Shard::WHOLE));
        let Some(mut segments) = self.segments(&plan, outputs)? else { return Ok(()) };
        check_all(&files, &job, &plan, &mut segments, self.threads())
            .and_then(|()| {
                outputs.write(&plan, segments.records()?, outputs.inside(segments.folder()), self.existing())
            })
            .and_then(|statistics| outputs.print_summary(&statistics))
            .map_err(|failure| segments.left_behind(failure))?;
        segments.remove()
    }

    /// Segments to continue; `None` if the survey is complete already.
    fn segments(&self, plan: &SurveyPlan, outputs: &SurveyOutputs) -> Result<Option<Segments>, Failure> {
        let folder = outputs.parts_folder();
        let begun = Segments::begun(&folder);
        if self.resume && begun {
            let segments = Segments::resume(&folder, plan)?;
            if segments.done() < plan.own_files() {
                outputs.check(self.existing())?;
            }
            say!(
                "muybridge: {} of {} files are done already; the survey goes on with the others",
                segments.done(),
                plan.own_files()
            );
            return Ok(Some(segments));
        }
        if begun && !self.force {
            let folder = folder.display();
            let sentence = "holds an interrupted survey; give --resume to continue it, or --force to start again";
            return Err(Failure::Usage(format!("{folder} {sentence}")));
        }
        let is_complete = self.resume && !self.force && outputs.table().exists();
        if !is_complete {
            outputs.check(self.existing())?;
        }
        if folder.exists() {
            segments::clear(&folder)?;
        }
        if is_complete {
            return outputs.is_complete(plan).map(|()| None);
        }
        Segments::create(&folder, plan).map(Some)
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }

    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Checks the remaining files and commits their records.
fn check_all(
    files: &[PathBuf],
    job: &CheckJob,
    plan: &SurveyPlan,
    segments: &mut Segments,
    threads: usize,
) -> Result<(), Failure> {
    let own: Vec<u64> = plan.own_positions().collect();
    let progress = FileProgress::new(own.len() - segments.done());
    let check = |index: usize| {
        let position = own[index];
        let record = record(&files[position as usize], position, job);
        progress.step();
        record
    };
    let checked =
        workers::in_order(segments.done()..own.len(), threads, &check, &mut |record| segments.append(&record));
    progress.finish();
    checked.and_then(|()| segments.commit())
}

/// Record of a file. If the program fails on a file, its row is that of an unreadable file.
fn record(path: &Path, position: u64, job: &CheckJob) -> FileRecord {
    let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    let kept = |checked: Checked| match &checked.outcome {
        Ok(clip) => ClipRecord::checked(&clip_report(&checked.file, &clip.prepared, &clip.analysis), bytes),
        Err(message) => ClipRecord::unreadable(&checked.file, bytes, message),
    };
    let source = LabeledFile { path, label: "", has_siblings: true };
    FileRecord { position, clips: job.check_file(&source, &kept) }
}

fn print_columns() -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "clips: one row per clip")?;
    print_list(&mut out, CLIP_COLUMNS)?;
    writeln!(out, "\nflights: one row per flight")?;
    print_list(&mut out, FLIGHT_COLUMNS)
}

fn print_list<R>(out: &mut impl Write, columns: &[TableColumn<R>]) -> Result<(), Failure> {
    for column in columns {
        let kind = match column.read {
            ColumnReader::Text(_) => "text",
            ColumnReader::Whole(_) => "whole",
            ColumnReader::Number(_) => "number",
            ColumnReader::Flag(_) => "flag",
        };
        writeln!(out, "  {:<30} {kind:<7} {}", column.name, column.about)?;
    }
    Ok(())
}
