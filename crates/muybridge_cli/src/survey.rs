//! `muybridge survey`: checks a library of motion files and writes tables and statistics.
//!
//! Files are checked in parallel and taken in order; their records are committed to `OUT.parts/` in segments. At the
//! end one pass over the segments writes the tables, the page and the summary. Merging shards is the same pass over
//! other files.

pub(crate) mod kept;
mod merge;
mod outputs;
mod part;
mod parts_folder;
mod paths;
pub(crate) mod plan;
mod run_lock;
mod segments;
mod table_file;
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
use kept::{FileState, KeptRecord};
use outputs::SurveyOutputs;
use parts_folder::PartsFolder;
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
            (_, Some(out)) => {
                let outputs = self.outputs(out, false)?;
                self.may_begin(&outputs)?;
                merge::merge(&outputs, &self.paths, self.existing())?;
            }
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
        let Some(mut segments) = self.segments(&plan, &files, outputs)? else { return Ok(()) };
        let outcome = check_all(&files, &job, &plan, &mut segments, self.threads())
            .and_then(|()| outputs.write(&plan, segments.records(), self.existing()))
            .and_then(|statistics| outputs.print_summary(&statistics));
        match outcome {
            Ok(()) => segments.remove(),
            Err(failure) => Err(segments.left_behind(failure)),
        }
    }

    /// Segments to continue; `None` if the survey is complete already.
    fn segments(
        &self,
        plan: &SurveyPlan,
        files: &[PathBuf],
        outputs: &SurveyOutputs,
    ) -> Result<Option<Segments>, Failure> {
        let folder = outputs.parts_folder();
        let options = self.options.files();
        let check = || outputs.check(self.existing(), files.iter().chain(&self.paths).chain(&options));
        let is_begun = PartsFolder::is_begun(&folder);
        if self.resume && is_begun {
            let segments = Segments::resume(&folder, plan, files)?;
            if segments.done() < plan.own_files() {
                check()?;
            }
            return Ok(Some(segments));
        }
        self.may_begin(outputs)?;
        let is_complete = self.resume && !self.force && outputs.table().exists();
        if is_complete {
            if folder.exists() {
                PartsFolder::emptied(&folder)?.remove()?;
            }
            return outputs.is_complete(plan, files).map(|()| None);
        }
        check()?;
        let segments = Segments::create(&folder, plan)?;
        // Another run may have written the tables before this one had the lock.
        match outputs.check(self.existing(), []) {
            Ok(()) => Ok(Some(segments)),
            Err(failure) => Err(segments.left_behind(failure)),
        }
    }

    /// Fails if the results of an interrupted survey would be lost.
    fn may_begin(&self, outputs: &SurveyOutputs) -> Result<(), Failure> {
        let folder = outputs.parts_folder();
        if !PartsFolder::is_begun(&folder) || self.force {
            return Ok(());
        }
        // A run that works on the folder has locked it, and may be through by now.
        let locked = PartsFolder::locked(&folder)?;
        let is_begun = PartsFolder::is_begun(&folder);
        locked.unlock();
        if !is_begun {
            return Ok(());
        }
        let sentence = "holds an interrupted survey; give --resume to continue it, or --force to start again";
        Err(Failure::Usage(format!("{} {sentence}", folder.display())))
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
    let remaining = segments.remaining();
    let progress = FileProgress::new(remaining.len());
    let check = |index: usize| {
        let position = own[remaining[index]];
        let path = &files[position as usize];
        // A file that changes while it is read has another state afterwards.
        let state = FileState::of(path);
        let record = record(path, position, job);
        progress.step();
        KeptRecord { state, record }
    };
    let checked = workers::in_order(0..remaining.len(), threads, &check, &mut |kept| segments.append(&kept));
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
