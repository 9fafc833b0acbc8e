//! Records as survey files keep them: a line for each, behind a checksum.
//!
//! Segments and `.part` files hold the same lines: the CRC-32 of the plan and the rest of the line; size and time of the
//! file that was checked; and its record as JSON. The last line counts the records. So a file that is cut, edited, or
//! made of those of several surveys is noticed. The checksum is no signature: who means to deceive can compute it.

use std::fs::Metadata;
use std::io::{BufRead, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use crc32fast::Hasher;
use muybridge_files::formats::extension_of;
use muybridge_report::survey::{ClipRecord, FileRecord};

use super::plan::SurveyPlan;
use crate::named_files::files_named_in;

/// Longest line that is read, bytes. It holds the record of a file with some 100,000 flights.
const LONGEST_LINE: u64 = 64 << 20;

/// The record of a file, and the state of the file when it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRecord {
    /// State of the file just before it was read; `None` if there was no such file.
    pub state: Option<FileState>,
    /// Its rows and counts.
    pub record: FileRecord,
}

/// Tells whether a file, or one of the buffers of a glTF, has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Size of all, bytes.
    bytes: u64,
    /// Time of the last change, nanoseconds since 1970, negative before; `None` if the file system does not know.
    changed: Option<i64>,
}

impl FileState {
    /// The state of a file now; `None` if there is no such file.
    pub fn of(path: &Path) -> Option<Self> {
        let alone =
            |path: &Path| path.metadata().ok().map(|there| Self { bytes: there.len(), changed: changed(&there) });
        let state = alone(path)?;
        let buffers = if extension_of(path) == "gltf" { files_named_in(path) } else { Vec::new() };
        let all = |all: Self, one: Self| Self { bytes: all.bytes + one.bytes, changed: all.changed.max(one.changed) };
        Some(buffers.iter().filter_map(|buffer| alone(buffer)).fold(state, all))
    }
}

/// Time of the last change, nanoseconds since 1970.
fn changed(metadata: &Metadata) -> Option<i64> {
    match metadata.modified().ok()?.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).ok(),
        Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|before| -before),
    }
}

impl KeptRecord {
    /// The record as text; `-` stands for an unknown size or time.
    pub fn text(&self) -> String {
        let number = |number: Option<i128>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let bytes = number(self.state.map(|state| state.bytes.into()));
        let changed = number(self.state.and_then(|state| state.changed).map(i128::from));
        format!("{bytes} {changed} {}", self.record.line())
    }

    /// Reads what [`Self::text`] writes; `None` if it is damaged.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ' ');
        let bytes = parts.next()?.parse().ok();
        let changed = parts.next()?.parse().ok();
        let record = FileRecord::parse(parts.next()?).ok().filter(|record| !record.clips.is_empty())?;
        Some(Self { state: bytes.map(|bytes| FileState { bytes, changed }), record })
    }
}

/// Puts checksums before the lines of one survey, and compares them.
#[derive(Clone)]
pub struct Checksum(Hasher);

impl Checksum {
    /// For the lines of a survey.
    pub fn of(plan: &SurveyPlan) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(plan.line().as_bytes());
        Self(hasher)
    }

    fn number(&self, text: &str) -> u32 {
        let mut hasher = self.0.clone();
        hasher.update(text.as_bytes());
        hasher.finalize()
    }

    fn sealed(&self, text: &str) -> String {
        format!("{:08x} {text}", self.number(text))
    }

    /// The line of a record, without line break. A record too long to be read again becomes that of an unreadable file.
    pub fn record(&self, kept: &KeptRecord) -> String {
        let mut text = kept.text();
        if text.len() as u64 > LONGEST_LINE - 100 {
            let clip = &kept.record.clips[0].row;
            let reason = format!("{}: its rows are longer than {} MB; split the file", clip.file, LONGEST_LINE >> 20);
            let clips = vec![ClipRecord::unreadable(&clip.file, clip.bytes, &reason)];
            text = KeptRecord { state: kept.state, record: FileRecord { clips, ..kept.record } }.text();
        }
        self.sealed(&text)
    }

    /// The last line of a file with so many records, without line break.
    pub fn end(&self, records: usize) -> String {
        self.sealed(&format!("{records} records"))
    }

    /// The content of a line behind its checksum; `None` if it does not match.
    fn content<'a>(&self, line: &'a str) -> Option<&'a str> {
        let (number, text) = line.split_at_checked(9)?;
        (number == format!("{:08x} ", self.number(text))).then_some(text)
    }

    /// The record of a line; `None` if the line is damaged.
    pub fn read_record(&self, line: &str) -> Option<KeptRecord> {
        KeptRecord::parse(self.content(line)?)
    }

    /// Whether a line is the last of a file with so many records.
    pub fn is_end(&self, line: &str, records: usize) -> bool {
        line == self.end(records)
    }
}

/// Reads a line without its line break. `None` at the end of the file, and for a line that is cut, too long, or no text.
pub fn next_line(file: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    file.take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
    (line.pop() == Some(b'\n')).then(|| String::from_utf8(line).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::plan::Shard;

    fn kept(name: &str) -> KeptRecord {
        let clips = vec![ClipRecord::unreadable(name, Some(3), "a reason")];
        KeptRecord { state: None, record: FileRecord { position: 4, clips } }
    }

    #[test]
    fn the_state_of_a_file_is_read_as_it_was_written() {
        for changed in [None, Some(-7), Some(1_800_000_000_123_456_789)] {
            let record = KeptRecord { state: Some(FileState { bytes: 12, changed }), ..kept("a b.bvh") };
            assert_eq!(KeptRecord::parse(&record.text()), Some(record));
        }
    }

    fn checksum(options: &str) -> Checksum {
        Checksum::of(&SurveyPlan::new(&[], options, Shard::WHOLE))
    }

    #[test]
    fn a_changed_letter_and_the_line_of_another_survey_are_noticed() {
        let line = checksum("a").record(&kept("x.bvh"));
        assert_eq!(checksum("a").read_record(&line), Some(kept("x.bvh")));
        assert_eq!(checksum("b").read_record(&line), None);
        assert_eq!(checksum("a").read_record(&line.replace("x.bvh", "y.bvh")), None);
        assert_eq!(checksum("a").read_record("é"), None);
        assert!(checksum("a").is_end(&checksum("a").end(3), 3));
        assert!(!checksum("a").is_end(&checksum("a").end(3), 4));
    }

    #[test]
    fn a_line_is_read_up_to_its_break_and_a_cut_one_not() {
        let mut file = "one\ntwo\nthr".as_bytes();
        assert_eq!(next_line(&mut file).as_deref(), Some("one"));
        assert_eq!(next_line(&mut file).as_deref(), Some("two"));
        assert_eq!(next_line(&mut file), None);
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        assert_eq!(next_line(&mut std::io::BufReader::new(std::io::repeat(b'7'))), None);
    }

    #[test]
    fn rows_too_long_to_be_read_again_become_a_reason() {
        let long = kept(&"x".repeat(LONGEST_LINE as usize));
        // The name is in the row of the reason too, so a real one is short.
        let mut record = kept("x.bvh");
        record.record.clips.extend(long.record.clips);
        let read = checksum("").read_record(&checksum("").record(&record)).unwrap();
        assert_eq!(read.record.clips.len(), 1);
        assert_eq!(read.record.clips[0].row.file, "x.bvh");
    }
}
