//! The `.part` file of a shard: its plan, a line for each record, and their number.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use muybridge_files::open::regular_file;
use muybridge_files::output::Existing;

use super::kept::{Checksum, KeptRecord, next_line};
use super::plan::{Shard, SurveyPlan};
use super::table_file::{TableFile, cannot};
use crate::failure::Failure;

/// A part being read.
pub struct Part {
    path: PathBuf,
    /// The shard that it holds.
    pub plan: SurveyPlan,
    checksum: Checksum,
    file: BufReader<File>,
    read: usize,
}

/// A part being written.
pub struct NewPart {
    path: PathBuf,
    file: TableFile,
    checksum: Checksum,
    written: usize,
}

impl Part {
    /// Opens the part file at `path`.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let refused = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            let sentence =
                "there is no such .part file; muybridge survey --shard writes it beside the table of the shard";
            return Err(refused(sentence.into()));
        }
        let mut file = BufReader::new(regular_file(path)?);
        let plan = next_line(&mut file).and_then(|line| SurveyPlan::parse(&line)).ok_or_else(|| {
            refused("this is not a .part file of a survey; give the ones that muybridge survey --shard wrote".into())
        })?;
        if let Some(other) = plan.unreadable() {
            return Err(refused(format!("this .part file was written {other}; survey the shard again")));
        }
        Ok(Self { path: path.to_path_buf(), checksum: Checksum::of(&plan), plan, file, read: 0 })
    }

    /// The path as it is shown.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the next record, which must have the given list position.
    pub fn next(&mut self, position: u64) -> Result<KeptRecord, Failure> {
        let line = next_line(&mut self.file);
        let kept = line.and_then(|line| self.checksum.read_record(&line));
        let kept = kept.filter(|kept| kept.record.position == position).ok_or_else(|| self.damaged())?;
        self.read += 1;
        Ok(kept)
    }

    /// Fails unless all of the file was read.
    pub fn ended(&mut self) -> Result<(), Failure> {
        let line = next_line(&mut self.file);
        let is_end = line.is_some_and(|line| self.checksum.is_end(&line, self.read));
        let is_last = is_end && std::io::Read::read(&mut self.file, &mut [0]).is_ok_and(|more| more == 0);
        if is_last { Ok(()) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> Failure {
        let (path, line, Shard { number, of }) = (self.path.display(), self.read + 2, self.plan.shard);
        Failure::Usage(format!(
            "{path}:{line}: this .part file is damaged or incomplete: the line does not match its checksum; survey shard \
             {number}/{of} again"
        ))
    }
}

impl NewPart {
    /// Begins a part with its plan.
    pub fn new(path: &Path, existing: Existing, plan: &SurveyPlan) -> Result<Self, Failure> {
        let (path, file) = (path.to_path_buf(), TableFile::new(path, existing)?);
        let mut part = Self { path, file, checksum: Checksum::of(plan), written: 0 };
        part.line(&plan.line())?;
        Ok(part)
    }

    /// Adds a record.
    pub fn push(&mut self, kept: &KeptRecord) -> Result<(), Failure> {
        self.written += 1;
        self.line(&self.checksum.record(kept))
    }

    /// Adds the number of records, and gives the file its name.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.line(&self.checksum.end(self.written))?;
        self.file.finish(&self.path)
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.file, "{line}").map_err(|error| cannot(&self.path, error))
    }
}
