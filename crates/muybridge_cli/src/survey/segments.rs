//! Segments of an unfinished survey in `OUT.parts/`: files of records that are complete or absent.
//!
//! `plan.json` identifies the survey. A segment holds records, one per line with a checksum, and their number. It is
//! written under a temporary name, synced and renamed to the next free number. It is committed after 64 files or half a
//! second, so a kill costs about that much work; where segments end does not affect the tables. A record counts as long
//! as its file is unchanged; in a later segment it replaces an earlier one.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use muybridge_files::open::regular_file;
use muybridge_files::output::{self, Existing};

use super::kept::{Checksum, FileState, KeptRecord, next_line};
use super::parts_folder::{PLAN, PartsFolder, cannot_be_read, is_segment};
use super::plan::SurveyPlan;
use super::table_file::cannot;
use crate::failure::Failure;

/// Largest number of files in a segment, the size at which it is full, bytes, and longest time between commits.
const FILES: usize = 64;
const FULL: usize = 16 << 20;
const PAUSE: Duration = Duration::from_millis(500);

/// Segments of a survey: committed records, and records not yet committed.
pub struct Segments {
    folder: PartsFolder,
    plan: SurveyPlan,
    checksum: Checksum,
    committed: Vec<PathBuf>,
    /// Where the record of each file of the shard stands; `None` until it is committed.
    places: Vec<Option<SegmentPlace>>,
    /// Number of the next segment.
    number: u64,
    /// Lines of the next segment.
    text: String,
    /// The files in `text`, by index among those of the shard, with the beginnings of their lines.
    open: Vec<(usize, u32)>,
    last: Instant,
}

/// Where a record stands.
#[derive(Clone, Copy)]
struct SegmentPlace {
    /// Index of the segment.
    segment: u32,
    /// Beginning of the line in the segment, bytes.
    offset: u32,
}

/// A segment that was read.
struct ReadSegment {
    /// Its records with the beginnings of their lines.
    records: Vec<(KeptRecord, u32)>,
    /// The line that is damaged, from 1; `None` if all are whole.
    damaged: Option<usize>,
}

/// A segment whose records are read one by one.
struct OpenSegment {
    /// Index of the segment.
    segment: u32,
    file: BufReader<File>,
    /// Where the file is read next, bytes.
    at: u64,
}

/// What was found on resuming.
#[derive(Default)]
struct Losses {
    /// A sentence for each damaged segment.
    damaged: Vec<String>,
    /// Files that have changed since their record was written, by index among those of the shard.
    changed: BTreeSet<usize>,
}

impl Segments {
    /// Begins a survey, without the results of earlier ones.
    pub fn create(folder: &Path, plan: &SurveyPlan) -> Result<Self, Failure> {
        let segments = Self::new(PartsFolder::emptied(folder)?, plan);
        let line = format!("{}\n", plan.line());
        match output::write(&folder.join(PLAN), line.as_bytes(), Existing::Replace) {
            Ok(()) => Ok(segments),
            Err(error) => Err(segments.left_behind(error.into())),
        }
    }

    /// Continues the survey in `folder`; fails with the reason if it is another survey. `files` is its whole list.
    pub fn resume(folder: &Path, plan: &SurveyPlan, files: &[PathBuf]) -> Result<Self, Failure> {
        let folder = PartsFolder::locked(folder)?;
        let there = folder.plan()?;
        let difference = match &there {
            None => Some("by another version of muybridge".into()),
            Some(there) if there.differs(plan).is_some() => there.differs(plan),
            Some(there) if there.shard != plan.shard => {
                Some(format!("of shard {}/{}", there.shard.number, there.shard.of))
            }
            Some(_) => None,
        };
        if let Some(difference) = difference {
            return Err(Failure::Usage(format!(
                "{}: this survey was started {difference}; resume it the same way, or give --force without --resume to \
                 start again",
                folder.path().display()
            )));
        }
        let mut segments = Self::new(folder, plan);
        let losses = segments.read_committed(files)?;
        losses.damaged.iter().for_each(|sentence| say!("muybridge: {sentence}"));
        say!(
            "muybridge: {} of {} files are done already; the survey goes on with the others",
            segments.done(),
            plan.own_files()
        );
        if !losses.changed.is_empty() {
            let changed = losses.changed.len();
            say!("muybridge: {changed} of the files that were done have changed or gone since; they are checked again");
        }
        Ok(segments)
    }

    fn new(folder: PartsFolder, plan: &SurveyPlan) -> Self {
        Self {
            folder,
            plan: plan.clone(),
            checksum: Checksum::of(plan),
            committed: Vec::new(),
            places: vec![None; plan.own_files()],
            number: 0,
            text: String::new(),
            open: Vec::new(),
            last: Instant::now(),
        }
    }

    /// Takes the segments of the folder that are whole and removes the others. `files` is the whole list of the survey.
    fn read_committed(&mut self, files: &[PathBuf]) -> Result<Losses, Failure> {
        let mut losses = Losses::default();
        for name in self.folder.names()? {
            let path = self.folder.path().join(&name);
            if is_segment(&name) {
                self.number = name.trim_end_matches(".jsonl").parse::<u64>().map_or(self.number, |number| number + 1);
                let segment = self.read_segment(&path)?;
                let Some(line) = segment.damaged else {
                    self.take(path, &segment.records, files, &mut losses.changed);
                    continue;
                };
                losses.damaged.push(format!(
                    "{}:{line}: this line does not match its checksum; the files of this segment are checked again",
                    path.display()
                ));
            }
            if is_segment(&name) {
                std::fs::remove_file(&path).map_err(|error| cannot(&path, error))?;
            }
        }
        Ok(losses)
    }

    /// Adds a committed segment. Records of files that have changed do not count.
    fn take(&mut self, path: PathBuf, records: &[(KeptRecord, u32)], files: &[PathBuf], changed: &mut BTreeSet<usize>) {
        let segment = self.committed.len() as u32;
        self.committed.push(path);
        for (kept, offset) in records {
            let position = kept.record.position;
            let Some(index) = self.plan.own_index(position) else { continue };
            if FileState::of(&files[position as usize]) == kept.state {
                changed.remove(&index);
                self.places[index] = Some(SegmentPlace { segment, offset: *offset });
            } else {
                changed.insert(index);
                self.places[index] = None;
            }
        }
    }

    /// Reads a segment up to its end or its first damaged line.
    fn read_segment(&self, path: &Path) -> Result<ReadSegment, Failure> {
        let mut file = BufReader::new(regular_file(path)?);
        let mut segment = ReadSegment { records: Vec::new(), damaged: None };
        let mut offset = 0_u64;
        loop {
            let line = next_line(&mut file);
            let (begin, at) = (u32::try_from(offset).ok(), segment.records.len() + 1);
            let Some((line, begin)) = line.zip(begin) else {
                return Ok(ReadSegment { damaged: Some(at), ..segment });
            };
            offset += line.len() as u64 + 1;
            match self.checksum.read_record(&line) {
                Some(kept) => segment.records.push((kept, begin)),
                None if self.checksum.is_end(&line, segment.records.len()) => return Ok(segment),
                None => return Ok(ReadSegment { damaged: Some(at), ..segment }),
            }
        }
    }

    /// Number of committed files.
    pub fn done(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// Indices of the files that remain, among those of the shard.
    pub fn remaining(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|&index| self.places[index].is_none()).collect()
    }

    /// The folder of the segments.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Adds the record of a file, and commits if a segment is full or due.
    pub fn append(&mut self, kept: &KeptRecord) -> Result<(), Failure> {
        self.open.extend(self.plan.own_index(kept.record.position).map(|index| (index, self.text.len() as u32)));
        self.text += &self.checksum.record(kept);
        self.text.push('\n');
        let is_full = self.open.len() == FILES || self.text.len() >= FULL;
        if is_full || self.last.elapsed() >= PAUSE { self.commit() } else { Ok(()) }
    }

    /// Commits the records added since the last commit.
    pub fn commit(&mut self) -> Result<(), Failure> {
        if !self.open.is_empty() {
            let name = format!("{:010}.jsonl", self.number);
            self.text += &self.checksum.end(self.open.len());
            self.text.push('\n');
            let path = self.folder.path().join(name);
            output::write(&path, self.text.as_bytes(), Existing::Replace)?;
            let segment = self.committed.len() as u32;
            self.committed.push(path);
            for (index, offset) in self.open.drain(..) {
                self.places[index] = Some(SegmentPlace { segment, offset });
            }
            self.number += 1;
            self.text.clear();
        }
        self.last = Instant::now();
        Ok(())
    }

    /// The committed records in order, read one by one.
    pub fn records(&self) -> impl Iterator<Item = Result<KeptRecord, Failure>> + '_ {
        let mut opened: Option<OpenSegment> = None;
        self.plan.own_positions().zip(&self.places).map(move |(position, place)| {
            let Some(SegmentPlace { segment, offset }) = *place else {
                return Err(cannot_be_read(self.folder(), "a record is missing; continue with --resume"));
            };
            let path = &self.committed[segment as usize];
            let mut open = match opened.take().filter(|open| open.segment == segment) {
                Some(open) => open,
                None => OpenSegment { segment, file: BufReader::new(regular_file(path)?), at: 0 },
            };
            let ahead = i64::from(offset) - open.at as i64;
            open.file.seek_relative(ahead).map_err(|error| cannot_be_read(path, error))?;
            let line = next_line(&mut open.file).unwrap_or_default();
            open.at = u64::from(offset) + line.len() as u64 + 1;
            opened = Some(open);
            let kept = self.checksum.read_record(&line).filter(|kept| kept.record.position == position);
            kept.ok_or_else(|| cannot_be_read(path, "it was changed meanwhile; continue with --resume"))
        })
    }

    /// Adds advice on `--resume` to a failure; removes the folder if nothing was committed.
    pub fn left_behind(self, failure: Failure) -> Failure {
        let (done, all) = (self.done(), self.plan.own_files());
        if done == 0 {
            let _ = self.folder.remove();
            return failure;
        }
        Failure::Usage(format!(
            "{failure}; {done} of {all} files are done and kept in {}. Fix the problem, then continue with --resume",
            self.folder().display()
        ))
    }

    /// Removes the folder after the tables are written.
    pub fn remove(self) -> Result<(), Failure> {
        self.folder.remove()
    }
}
