//! Segments of an unfinished survey in `OUT.parts/`: files of records that are complete or absent.
//!
//! `plan.json` identifies the survey. Each segment is a file with one record per line, named by the number of its first
//! file. It is written under a temporary name, synced and renamed. A segment is committed after 64 files or half a
//! second, so a kill costs about that much work; segment boundaries do not affect the tables. The plan is written first
//! and removed first: a folder without a plan holds no survey. The running program holds `lock`, which the system
//! releases when the program ends for any reason.

use std::fs::{DirEntry, File, TryLockError};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use muybridge_report::survey::FileRecord;

use super::pending::cannot;
use super::plan::SurveyPlan;
use crate::failure::Failure;

/// Largest number of files in a segment, and longest time between commits.
const FILES: usize = 64;
const PAUSE: Duration = Duration::from_millis(500);

const PLAN: &str = "plan.json";
const LOCK: &str = "lock";

/// Segments of a survey: committed records, and records not yet committed.
pub struct Segments {
    folder: PathBuf,
    plan: SurveyPlan,
    committed: Vec<PathBuf>,
    done: usize,
    open: Vec<String>,
    last: Instant,
    lock: File,
}

impl Segments {
    /// Begins a survey in a new folder.
    pub fn create(folder: &Path, plan: &SurveyPlan) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
        let lock = locked(folder)?;
        let written = write_whole(folder, PLAN, format!("{}\n", plan.line()).as_bytes());
        if let Err(failure) = written {
            let _ = removed(folder);
            return Err(failure);
        }
        Ok(Self::new(folder, plan, Vec::new(), 0, lock))
    }

    /// Whether `folder` holds an unfinished survey.
    pub fn begun(folder: &Path) -> bool {
        folder.join(PLAN).exists()
    }

    /// Continues the survey in `folder`; fails with the reason if it is another survey.
    pub fn resume(folder: &Path, plan: &SurveyPlan) -> Result<Self, Failure> {
        holds_nothing_else(folder)?;
        let lock = locked(folder)?;
        let text = std::fs::read_to_string(folder.join(PLAN)).map_err(|error| cannot_be_read(folder, error))?;
        let there = SurveyPlan::parse(text.trim_end());
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
                folder.display()
            )));
        }
        let (committed, done) = complete_segments(folder, plan)?;
        Ok(Self::new(folder, plan, committed, done, lock))
    }

    fn new(folder: &Path, plan: &SurveyPlan, committed: Vec<PathBuf>, done: usize, lock: File) -> Self {
        let (folder, plan) = (folder.to_path_buf(), plan.clone());
        Self { folder, plan, committed, done, open: Vec::new(), last: Instant::now(), lock }
    }

    /// Number of committed files.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Folder of the segments.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds the record of the next file, and commits if a segment is full or due.
    pub fn append(&mut self, record: &FileRecord) -> Result<(), Failure> {
        self.open.push(record.line());
        if self.open.len() == FILES || self.last.elapsed() >= PAUSE { self.commit() } else { Ok(()) }
    }

    /// Commits the records added since the last commit.
    pub fn commit(&mut self) -> Result<(), Failure> {
        if !self.open.is_empty() {
            let name = format!("{:010}.jsonl", self.done);
            let mut text = self.open.join("\n");
            text.push('\n');
            write_whole(&self.folder, &name, text.as_bytes())?;
            self.committed.push(self.folder.join(name));
            self.done += self.open.len();
            self.open.clear();
        }
        self.last = Instant::now();
        Ok(())
    }

    /// The committed records in order, read one by one.
    pub fn records(&self) -> Result<impl Iterator<Item = Result<FileRecord, Failure>> + use<>, Failure> {
        let positions = self.plan.own_positions();
        let lines = self.committed.clone().into_iter().flat_map(|segment| lines(&segment));
        Ok(lines.zip(positions).map(|((segment, line), position)| {
            let line = line.map_err(|error| cannot_be_read(&segment, error))?;
            let record = FileRecord::parse(&line).map_err(|error| cannot_be_read(&segment, error))?;
            if record.position == position {
                Ok(record)
            } else {
                Err(cannot_be_read(&segment, "a record is missing; survey again with --force and without --resume"))
            }
        }))
    }

    /// Adds advice on `--resume` to a failure; removes the folder if nothing was committed.
    pub fn left_behind(&self, failure: Failure) -> Failure {
        if self.done == 0 {
            let _ = removed(&self.folder);
            return failure;
        }
        Failure::Usage(format!(
            "{failure}; {} of {} files are done and kept in {}. Fix the problem, then continue with --resume",
            self.done,
            self.plan.own_files(),
            self.folder.display()
        ))
    }

    /// Removes the folder after the tables are written.
    pub fn remove(self) -> Result<(), Failure> {
        drop(self.lock);
        removed(&self.folder)
    }
}

/// Removes a folder of segments that no program works on. Fails if the folder holds other files.
pub fn clear(folder: &Path) -> Result<(), Failure> {
    holds_nothing_else(folder)?;
    drop(locked(folder)?);
    removed(folder)
}

/// Locks a folder; fails if another program holds the lock. On file systems without locks this always succeeds.
fn locked(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(|error| cannot(&path, error))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::Usage(format!(
            "{}: another muybridge process is writing this survey; wait until it ends, or give another --out",
            folder.display()
        ))),
        _ => Ok(lock),
    }
}

/// Removes the files of a survey from the folder, and the folder if it is empty then. The plan is removed first, so
/// that a kill leaves nothing that looks like a survey.
fn removed(folder: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::Usage(format!("{}: cannot be removed: {error}", folder.display()));
    let plan = folder.join(PLAN);
    if plan.exists() {
        std::fs::remove_file(plan).map_err(failed)?;
    }
    for entry in entries(folder)?.into_iter().filter(|entry| is_own(folder, entry)) {
        std::fs::remove_file(entry.path()).map_err(failed)?;
    }
    holds_nothing_else(folder)?;
    std::fs::remove_dir(folder).map_err(failed)
}

/// Fails if the folder holds files that no survey of its table wrote.
fn holds_nothing_else(folder: &Path) -> Result<(), Failure> {
    let Some(other) = entries(folder)?.into_iter().find(|entry| !is_own(folder, entry)) else { return Ok(()) };
    let (folder, other) = (folder.display(), other.file_name());
    let other = other.display();
    Err(Failure::Usage(format!(
        "{folder}: holds {other}, which does not belong to a survey, so the folder is not removed; move the file away, or give another --out"
    )))
}

/// Whether a survey wrote the file: lock, plan, segment, table, or a temporary file of these.
fn is_own(folder: &Path, entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy().into_owned();
    let is_segment = |name: &str| {
        let number = name.strip_suffix(".jsonl");
        number.is_some_and(|number| number.len() == 10 && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_table = |name: &str| {
        let table = folder.file_stem().map(Path::new).unwrap_or(folder);
        let extension = table.extension().unwrap_or_default().to_string_lossy();
        let tables = [
            table.to_path_buf(),
            table.with_added_extension("part"),
            table.with_extension(format!("flights.{extension}")),
        ];
        tables.iter().any(|table| table.as_os_str() == name)
    };
    let is_kept = |name: &str| name == PLAN || is_segment(name);
    let in_the_making = name.strip_suffix(".tmp").is_some_and(|name| is_kept(name) || is_table(name));
    entry.file_type().is_ok_and(|kind| kind.is_file()) && (name == LOCK || is_kept(&name) || in_the_making)
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, Failure> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect);
    entries.map_err(|error| cannot_be_read(folder, error))
}

/// Leading segments that are complete and consecutive, with their number of files; removes all others.
fn complete_segments(folder: &Path, plan: &SurveyPlan) -> Result<(Vec<PathBuf>, usize), Failure> {
    let mut names: Vec<PathBuf> = entries(folder)?.iter().map(DirEntry::path).collect();
    names.retain(|path| path.file_name().is_some_and(|name| name != PLAN && name != LOCK));
    names.sort();
    let mut positions = plan.own_positions();
    let (mut whole, mut done) = (Vec::new(), 0);
    for path in names {
        let expected = path.file_name().is_some_and(|name| *name == *format!("{done:010}.jsonl"));
        let count = expected.then(|| whole_records(&path, &mut positions)).flatten();
        if let Some(count) = count {
            done += count;
            whole.push(path);
        } else {
            std::fs::remove_file(&path).map_err(|error| cannot(&path, error))?;
        }
    }
    Ok((whole, done))
}

/// Number of records in a segment; `None` if a record is damaged or not the next of the plan.
fn whole_records(path: &Path, positions: &mut impl Iterator<Item = u64>) -> Option<usize> {
    let mut count = 0;
    for (_, line) in lines(path) {
        let record = FileRecord::parse(&line.ok()?).ok()?;
        (Some(record.position) == positions.next()).then_some(())?;
        count += 1;
    }
    (count > 0).then_some(count)
}

/// Lines of a file, each with the file's path; a read error takes the place of a line.
fn lines(path: &Path) -> impl Iterator<Item = (PathBuf, std::io::Result<String>)> + use<> {
    let path = path.to_path_buf();
    let (lines, error) = match File::open(&path) {
        Ok(file) => (Some(BufReader::new(file).lines()), None),
        Err(error) => (None, Some(Err(error))),
    };
    lines.into_iter().flatten().chain(error).map(move |line| (path.clone(), line))
}

/// Error "FILE: cannot be read: …".
fn cannot_be_read(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::Usage(format!("{}: cannot be read: {error}", path.display()))
}

/// Writes a file of the folder so that it is complete or absent.
fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let (path, beside) = (folder.join(name), folder.join(format!("{name}.tmp")));
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    // Windows renames no file that is open; it is closed by now.
    written.and_then(|()| std::fs::rename(&beside, &path)).map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        cannot(&path, error)
    })
}
