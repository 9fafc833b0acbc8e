//! Merges the parts of all shards of a survey: reads their records in list order and writes them with the usual
//! writers.

use std::path::{Path, PathBuf};

use muybridge_files::output::Existing;

use super::kept::KeptRecord;
use super::outputs::{SurveyOutputs, flights_of, part_of};
use super::part::Part;
use super::parts_folder::PartsFolder;
use super::plan::{Shard, SurveyPlan};
use crate::failure::Failure;

/// Missing shards that are named.
const NAMED: usize = 20;

/// Writes `outputs` from the parts of all shards, in any order, named by their tables or their part files. Tables of flights
/// beside those of clips, which `part*.csv` names as well, have no parts.
pub fn merge(outputs: &SurveyOutputs, paths: &[PathBuf], existing: Existing) -> Result<(), Failure> {
    let flights: Vec<PathBuf> = paths.iter().map(|path| flights_of(path)).collect();
    let part_files: Vec<PathBuf> =
        paths.iter().filter(|path| !flights.contains(path)).map(|path| part_at(path)).collect();
    outputs.check(existing, paths.iter().chain(&part_files))?;
    let mut parts = part_files.iter().map(|path| Part::open(path)).collect::<Result<Vec<Part>, Failure>>()?;
    parts.sort_by_key(|part| part.plan.shard);
    let plan = merged_plan(&parts)?;
    let folder = PartsFolder::emptied(&outputs.parts_folder())?;
    // Another run may have written the tables before this one had the lock.
    let written = outputs.check(existing, []).and_then(|()| {
        let records = Merged { parts: &mut parts, position: 0, files: plan.files };
        outputs.write(&plan, records, existing)
    });
    let removed = folder.remove();
    outputs.print_summary(&written?)?;
    removed
}

/// The part file at `path`, or the one beside the table at `path`.
fn part_at(path: &Path) -> PathBuf {
    let is_part = path.extension().is_some_and(|extension| extension == "part");
    if is_part { path.to_path_buf() } else { part_of(path) }
}

/// The records of all parts in list order, and an error if a part goes on or is cut behind them.
struct Merged<'a> {
    parts: &'a mut [Part],
    position: u64,
    files: u64,
}

impl Iterator for Merged<'_> {
    type Item = Result<KeptRecord, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let position = self.position;
        if position < self.files {
            self.position += 1;
            let count = self.parts.len() as u64;
            return Some(self.parts[(position % count) as usize].next(position));
        }
        self.parts.iter_mut().find_map(|part| part.ended().err()).map(Err)
    }
}

/// Plan of the whole survey. Fails if parts do not belong together. The parts must be sorted by shard.
fn merged_plan(parts: &[Part]) -> Result<SurveyPlan, Failure> {
    let Some(first) = parts.first() else { return Err(Failure::Usage("name the .part files to merge".into())) };
    for part in &parts[1..] {
        let difference = match part.plan.differs(&first.plan) {
            None if part.plan.shard.of != first.plan.shard.of => Some(format!("in {} shards", part.plan.shard.of)),
            difference => difference,
        };
        if let Some(difference) = difference {
            let (part, first) = (part.name(), first.name());
            return Err(Failure::Usage(format!(
                "{part} was surveyed {difference}, unlike {first}; merge only shards of one survey"
            )));
        }
    }
    if let Some(pair) = parts.windows(2).find(|pair| pair[0].plan.shard == pair[1].plan.shard) {
        let Shard { number, of } = pair[0].plan.shard;
        let (a, b) = (pair[0].name(), pair[1].name());
        return Err(Failure::Usage(format!("shard {number}/{of} is given twice, as {a} and {b}; leave one out")));
    }
    let of = first.plan.shard.of;
    let is_there = |number: u64| parts.binary_search_by_key(&number, |part| part.plan.shard.number).is_ok();
    let missing: Vec<String> =
        (1..=of).filter(|&number| !is_there(number)).take(NAMED).map(|number| format!("{number}/{of}")).collect();
    let unnamed = of - parts.len() as u64 - missing.len() as u64;
    let more = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
    if !missing.is_empty() {
        return Err(Failure::Usage(format!(
            "give the .part files of all shards; missing: {}{more}",
            missing.join(", ")
        )));
    }
    Ok(SurveyPlan { shard: Shard::WHOLE, ..first.plan.clone() })
}
