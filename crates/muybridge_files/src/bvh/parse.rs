//! Parses text to a [`BvhDocument`], in one pass with a stack of open joints.

use std::ops::Range;

use muybridge::glam::DVec3;

use super::document::{BvhDocument, BvhJoint, Channel};
use super::export::frame_time_text;
use super::frame_time::{MisreadTime, exact_frame_time, misread};
use super::scan::{Scanner, number, quoted};
use crate::imported::MisreadClock;
use crate::{Axis, Error, decimal_comma};

/// Reads a BVH file. Errors carry line and column; repairs are in [`BvhDocument::notes`].
///
/// A wrong frame count in the header is corrected: every complete row is read. An incomplete last row is dropped. Memory is
/// bounded by the length of the file.
pub fn parse(bytes: &[u8]) -> Result<BvhDocument, Error> {
    let mut scanner = Scanner::new(bytes);
    let mut notes = Vec::new();
    let joints = hierarchy(&mut scanner, &mut notes)?;
    let header = motion_header(&mut scanner)?;
    let channels = joints.iter().map(|joint| joint.channels.len()).sum();
    if channels == 0 {
        return Err(scanner.error(scanner.at, "no joint has CHANNELS; there is no motion to read"));
    }
    let rows = motion_rows(&mut scanner, channels, &mut notes)?;
    let frames = rows.len() / channels;
    match header.frames {
        Some(declared) if declared != frames as f64 => {
            notes.push(format!("The header says {declared} frames, the file holds {frames}; all {frames} were read."));
        }
        Some(_) => {}
        None => notes.push(format!("The header has no “Frames:”; the {frames} rows of the file were read.")),
    }
    let misread = misread(&header.frame_time);
    let frame_time = misread.map_or(header.frame_time.clone(), |meant| frame_time_text(meant.seconds));
    let clock = misread.map(|meant| misread_clock(&header.frame_time, meant));
    notes.extend(clock.as_ref().map(|clock| clock.sentence.clone()));
    Ok(BvhDocument::new(joints, frame_time, rows)?.with_notes(notes, clock))
}

fn hierarchy(scanner: &mut Scanner, notes: &mut Vec<String>) -> Result<Vec<BvhJoint>, Error> {
    if !scanner.word().eq_ignore_ascii_case(b"HIERARCHY") {
        let utf16 = scanner.bytes.starts_with(b"\xFF\xFE") || scanner.bytes.starts_with(b"\xFE\xFF");
        let hint = if utf16 { "it is UTF-16 text, save it as UTF-8" } else { "is it a BVH file?" };
        return Err(scanner.error(0, format!("the file does not begin with HIERARCHY; {hint}")));
    }
    let mut joints: Vec<OpenJoint> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        scanner.skip_blanks();
        let start = scanner.at;
        let word = scanner.word();
        let keyword = word.to_ascii_lowercase();
        match (keyword.as_slice(), open.last().copied()) {
            (b"root", None) | (b"joint", Some(_)) => {
                joints.push(OpenJoint::read(scanner, start, open.last().copied(), notes)?);
                open.push(joints.len() - 1);
            }
            (b"end" | b"endsite" | b"end_site", Some(joint)) => end_site(scanner, start, &mut joints[joint], notes)?,
            (b"offset", Some(joint)) => joints[joint].read_offset(scanner, start)?,
            (b"channels", Some(joint)) => joints[joint].read_channels(scanner, start)?,
            (b"}", Some(joint)) => {
                joints[joint].note_missing_offset(notes);
                open.pop();
            }
            (b"motion", None) if !joints.is_empty() => break,
            (_, innermost) => {
                let at = innermost.map(|joint| (joints[joint].joint.name.as_str(), joints[joint].start));
                return Err(unexpected(scanner, start, word, at));
            }
        }
    }
    Ok(joints.into_iter().map(|open| open.joint).collect())
}

fn unexpected(scanner: &Scanner, start: usize, word: &[u8], innermost: Option<(&str, usize)>) -> Error {
    let found = if word.is_empty() { "the end of the file".into() } else { quoted(word) };
    let message = match innermost {
        Some((name, opened)) => format!(
            "found {found} inside joint {} opened on line {}; expected OFFSET, CHANNELS, JOINT, End Site or “}}”",
            quoted(name.as_bytes()),
            scanner.line_and_column(opened).0
        ),
        None => format!("found {found} between joints; expected ROOT or MOTION (is a “}}” too many before it?)"),
    };
    scanner.error(start, message)
}

/// A joint whose braces are still open.
struct OpenJoint {
    joint: BvhJoint,
    start: usize,
    has_offset: bool,
    has_channels: bool,
}

impl OpenJoint {
    fn read(
        scanner: &mut Scanner,
        start: usize,
        parent: Option<usize>,
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let bytes = scanner.name();
        let name = String::from_utf8_lossy(bytes).into_owned();
        if name.as_bytes() != bytes {
            notes.push(format!("The joint name “{name}” is not UTF-8; what could not be read was replaced."));
        }
        open_brace(scanner, &name)?;
        let joint = BvhJoint { name, parent, offset: DVec3::ZERO, channels: Vec::new(), ends: Vec::new() };
        Ok(Self { joint, start, has_offset: false, has_channels: false })
    }

    fn read_offset(&mut self, scanner: &mut Scanner, start: usize) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_offset, true) {
            let name = quoted(self.joint.name.as_bytes());
            return Err(scanner.error(start, format!("a second OFFSET in joint {name}; keep one")));
        }
        self.joint.offset = vector(scanner)?;
        Ok(())
    }

    fn read_channels(&mut self, scanner: &mut Scanner, start: usize) -> Result<(), Error> {
        let name = quoted(self.joint.name.as_bytes());
        if std::mem::replace(&mut self.has_channels, true) {
            return Err(scanner.error(start, format!("a second CHANNELS in joint {name}; keep one")));
        }
        scanner.skip_blanks();
        let (at, count) = (scanner.at, scanner.word());
        let count: usize = std::str::from_utf8(count).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
            scanner.error(at, format!("CHANNELS of joint {name} needs a count, found {}", quoted(count)))
        })?;
        for index in 0..count {
            scanner.skip_blanks();
            let (at, word) = (scanner.at, scanner.word());
            let channel = channel(word).ok_or_else(|| {
                let found = quoted(word);
                let ask = format!("channel {} of the {count} of joint {name} should stand here", index + 1);
                scanner.error(at, format!("{ask}, found {found}; known are X/Y/Zposition and X/Y/Zrotation"))
            })?;
            if matches!(channel, Channel::Position(_)) && self.joint.channels.contains(&channel) {
                return Err(scanner.error(at, format!("joint {name} has {} twice; keep one", quoted(word))));
            }
            self.joint.channels.push(channel);
        }
        Ok(())
    }

    fn note_missing_offset(&self, notes: &mut Vec<String>) {
        if !self.has_offset {
            notes.push(format!("Joint “{}” has no OFFSET; it was put at its parent.", self.joint.name));
        }
    }
}

fn end_site(scanner: &mut Scanner, start: usize, parent: &mut OpenJoint, notes: &mut Vec<String>) -> Result<(), Error> {
    scanner.name();
    open_brace(scanner, "End Site")?;
    let mut offset = None;
    loop {
        scanner.skip_blanks();
        let (at, word) = (scanner.at, scanner.word());
        match word.to_ascii_lowercase().as_slice() {
            b"offset" if offset.is_none() => offset = Some(vector(scanner)?),
            b"channels" if scanner.word() == b"0" => {}
            b"channels" => return Err(scanner.error(at, "an End Site has no channels; make it a JOINT")),
            b"}" => break,
            _ => {
                let line = scanner.line_and_column(start).0;
                let found = if word.is_empty() { "the end of the file".into() } else { quoted(word) };
                let message =
                    format!("found {found} in the End Site opened on line {line}; expected one OFFSET and “}}”");
                return Err(scanner.error(at, message));
            }
        }
    }
    match offset {
        Some(offset) => parent.joint.ends.push(offset),
        None => notes.push(format!("An End Site of “{}” has no OFFSET; it was left out.", parent.joint.name)),
    }
    Ok(())
}

fn open_brace(scanner: &mut Scanner, name: &str) -> Result<(), Error> {
    scanner.skip_blanks();
    if scanner.peek() != Some(b'{') {
        return Err(scanner.error(scanner.at, format!("expected “{{” after {}", quoted(name.as_bytes()))));
    }
    scanner.at += 1;
    Ok(())
}

fn vector(scanner: &mut Scanner) -> Result<DVec3, Error> {
    Ok(DVec3::new(scanner.number()?, scanner.number()?, scanner.number()?))
}

fn channel(word: &[u8]) -> Option<Channel> {
    let (axis, kind) = word.split_first()?;
    let axis = match axis.to_ascii_lowercase() {
        b'x' => Axis::X,
        b'y' => Axis::Y,
        b'z' => Axis::Z,
        _ => return None,
    };
    match kind.to_ascii_lowercase().as_slice() {
        b"position" => Some(Channel::Position(axis)),
        b"rotation" => Some(Channel::Rotation(axis)),
        _ => None,
    }
}

/// What is said of a number after “Frame Time:” that is no time in seconds.
fn misread_clock(text: &str, MisreadTime { seconds, unit }: MisreadTime) -> MisreadClock {
    let right = frame_time_text(seconds);
    let sentence =
        format!("The frame time {text} is read as {text} {unit}: write {right}, the seconds from frame to frame.");
    MisreadClock { factor: seconds / text.parse().unwrap_or(seconds), sentence }
}

struct MotionHeader {
    frames: Option<f64>,
    frames_at: Option<Range<usize>>,
    frame_time_at: Range<usize>,
    frame_time: String,
}

/// Byte ranges of the numbers of the header of the motion.
pub(super) struct NumberPlaces {
    /// The count after “Frames:”.
    pub frames: Option<Range<usize>>,
    /// The number after “Frame Time:”.
    pub frame_time: Range<usize>,
    /// Offset of the rows.
    pub rows: usize,
}

/// Finds the numbers of the header in a text that [`parse`] reads.
pub(super) fn places(bytes: &[u8]) -> Result<NumberPlaces, Error> {
    let mut scanner = Scanner::new(bytes);
    hierarchy(&mut scanner, &mut Vec::new())?;
    let header = motion_header(&mut scanner)?;
    let mark = bytes.len() - scanner.bytes.len();
    let shifted = |range: Range<usize>| range.start + mark..range.end + mark;
    let frames = header.frames_at.map(shifted);
    Ok(NumberPlaces { frames, frame_time: shifted(header.frame_time_at), rows: scanner.at + mark })
}

fn motion_header(scanner: &mut Scanner) -> Result<MotionHeader, Error> {
    let (mut frames, mut frames_at, mut frame_time) = (None, None, None);
    let mut frame_time_at = 0..0;
    loop {
        scanner.skip_blanks();
        let start = scanner.at;
        let mut key = scanner.letters().to_ascii_lowercase();
        if key == b"frame" {
            key.extend(scanner.letters().to_ascii_lowercase());
        }
        if key.is_empty() {
            break;
        }
        scanner.skip_blanks();
        if scanner.peek() == Some(b':') {
            scanner.at += 1;
        }
        match key.as_slice() {
            b"frames" if frames.is_none() => {
                scanner.skip_blanks();
                let start = scanner.at;
                frames = Some(scanner.number()?);
                frames_at = Some(start..scanner.at);
            }
            b"frametime" if frame_time.is_none() => {
                let text = positive_time(scanner)?;
                frame_time_at = scanner.at - text.len()..scanner.at;
                frame_time = Some(text);
            }
            _ => {
                let found = quoted(&key);
                let ask = "expected one “Frames:”, one “Frame Time:” and rows of numbers";
                return Err(scanner.error(start, format!("found {found} in MOTION; {ask}")));
            }
        }
    }
    let frame_time = frame_time.ok_or_else(|| {
        scanner.error(scanner.at, "MOTION has no “Frame Time:”; add the seconds between frames before the rows")
    })?;
    Ok(MotionHeader { frames, frames_at, frame_time_at, frame_time })
}

fn positive_time(scanner: &mut Scanner) -> Result<String, Error> {
    scanner.skip_blanks();
    let (start, word) = (scanner.at, scanner.word());
    let text = String::from_utf8_lossy(word).into_owned();
    if exact_frame_time(&text).is_none() {
        let hint = decimal_comma(&text);
        let message = format!("the frame time {} is not a positive number of seconds{hint}", quoted(word));
        return Err(scanner.error(start, message));
    }
    Ok(text)
}

/// Reads all complete rows. A row may span several lines if it ends with a line, and a line may hold several rows.
fn motion_rows(scanner: &mut Scanner, channels: usize, notes: &mut Vec<String>) -> Result<Vec<f64>, Error> {
    let mut rows: Vec<f64> = Vec::with_capacity((scanner.bytes.len() - scanner.at) / 8);
    let (mut in_row, mut row_start, mut row_runs_on) = (0, scanner.at, false);
    loop {
        let line_ended = scanner.skip_blanks();
        let start = scanner.at;
        if start == scanner.bytes.len() {
            break;
        }
        if in_row == 0 {
            (row_start, row_runs_on) = (start, false);
        } else {
            row_runs_on |= line_ended;
        }
        while scanner.bytes.get(scanner.at).is_some_and(|&byte| byte > b' ') {
            scanner.at += 1;
        }
        let word = &scanner.bytes[start..scanner.at];
        let cut_off = || scanner.at == scanner.bytes.len() && in_row > 0;
        match number(word) {
            Some(value) => rows.push(value),
            None if cut_off() => break,
            None => return Err(scanner.not_a_number(start, word)),
        }
        in_row += 1;
        if in_row == channels {
            let ends_with_line = scanner.peek().is_none() || scanner.skip_blanks() || scanner.peek().is_none();
            if row_runs_on && !ends_with_line {
                return Err(scanner.error(row_start, wrong_length(channels)));
            }
            in_row = 0;
        }
    }
    if rows.len() < channels {
        let message = format!("no complete row of numbers: the joints have {channels} channels");
        return Err(scanner.error(row_start, message));
    }
    if in_row > 0 {
        rows.truncate(rows.len() - rows.len() % channels);
        let line = scanner.line_and_column(row_start).0;
        notes.push(format!(
            "The last row (line {line}) is cut off after {in_row} of {channels} numbers; it was left out."
        ));
    }
    Ok(rows)
}

fn wrong_length(channels: usize) -> String {
    format!("the row of numbers that begins here is not {channels} long, which the joints' channels ask for")
}
