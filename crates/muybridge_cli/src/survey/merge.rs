//! Merges the parts of all shards of a survey: reads their records in list order and writes them with the usual
//! writers.

use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};

use muybridge_files::output::Existing;
use muybridge_report::survey::FileRecord;

use super::outputs::{SurveyOutputs, part_of};
use super::plan::{Shard, SurveyPlan};
use crate::failure::Failure;

/// A part being read.
struct OpenPart {
    path: PathBuf,
    plan: SurveyPlan,
    lines: Lines<BufReader<File>>,
}

/// Writes `outputs` from the parts of all shards, in any order, named by their tables or their part files.
pub fn merge(outputs: &SurveyOutputs, paths: &[PathBuf], existing: Existing) -> Result<(), Failure> {
    outputs.check(existing)?;
    let mut parts = paths.iter().map(|path| open(path)).collect::<Result<Vec<OpenPart>, Failure>>()?;
    parts.sort_by_key(|part| part.plan.shard);
    let plan = merged_plan(&parts)?;
    let beside = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.with_file_name(format!(".{name}.part"))
    };
    if let Some(folder) = outputs.table().parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| super::pending::cannot(outputs.table(), error))?;
    }
    let count = parts.len() as u64;
    let records = (0..plan.files).map(|position| next(&mut parts[(position % count) as usize], position));
    let statistics = outputs.write(&plan, records, beside, existing)?;
    outputs.print_summary(&statistics)
}

/// Opens the part file at `path`, or the part file beside the table at `path`.
fn open(path: &Path) -> Result<OpenPart, Failure> {
    let is_part = path.extension().is_some_and(|extension| extension == "part");
    let path = if is_part { path.to_path_buf() } else { part_of(path) };
    let refused = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
    let file = File::open(&path).map_err(|error| {
        refused(match error.kind() {
            std::io::ErrorKind::NotFound => {
                "there is no such .part file; muybridge survey --shard writes it beside the table of the shard".into()
            }
            _ => format!("cannot be read: {error}"),
        })
    })?;
    let mut lines = BufReader::new(file).lines();
    let plan = lines.next().and_then(Result::ok).and_then(|line| SurveyPlan::parse(&line));
    let plan = plan.ok_or_else(|| {
        refused("this is not a .part file of a survey; give the ones that muybridge survey --shard wrote".into())
    })?;
    Ok(OpenPart { path, plan, lines })
}

/// Plan of the whole survey. Fails if parts do not belong together. The parts must be sorted by shard.
fn merged_plan(parts: &[OpenPart]) -> Result<SurveyPlan, Failure> {
    let Some(first) = parts.first() else { return Err(Failure::Usage("name the .part files to merge".into())) };
    let name = |part: &OpenPart| part.path.display().to_string();
    for part in &parts[1..] {
        let difference = match part.plan.differs(&first.plan) {
            None if part.plan.shard.of != first.plan.shard.of => Some(format!("in {} shards", part.plan.shard.of)),
            difference => difference,
        };
        if let Some(difference) = difference {
            let (part, first) = (name(part), name(first));
            return Err(Failure::Usage(format!(
                "{part} was surveyed {difference}, unlike {first}; merge only shards of one survey"
            )));
        }
    }
    if let Some(pair) = parts.windows(2).find(|pair| pair[0].plan.shard == pair[1].plan.shard) {
        let Shard { number, of } = pair[0].plan.shard;
        let (a, b) = (name(&pair[0]), name(&pair[1]));
        return Err(Failure::Usage(format!("shard {number}/{of} is given twice, as {a} and {b}; leave one out")));
    }
    let of = first.plan.shard.of;
    let missing: Vec<String> = (1..=of)
        .filter(|&number| !parts.iter().any(|part| part.plan.shard.number == number))
        .map(|number| format!("{number}/{of}"))
        .collect();
    if !missing.is_empty() {
        return Err(Failure::Usage(format!("give the .part files of all shards; missing: {}", missing.join(", "))));
    }
    Ok(SurveyPlan { shard: Shard::WHOLE, ..first.plan.clone() })
}

/// Reads the next record of a part, which must have the given list position.
fn next(part: &mut OpenPart, position: u64) -> Result<FileRecord, Failure> {
    let line = part.lines.next().and_then(Result::ok);
    let record = line.and_then(|line| FileRecord::parse(&line).ok()).filter(|record| record.position == position);
    record.ok_or_else(|| {
        let (path, Shard { number, of }) = (part.path.display(), part.plan.shard);
        Failure::Usage(format!("{path}: this .part file is damaged or incomplete; survey shard {number}/{of} again"))
    })
}
