//! The text of a BVH file with some rows replaced: unchanged rows keep every byte, blanks and number spellings included.

use std::ops::Range;

use super::document::BvhDocument;
use super::parse::{NumberPlaces, places};
use super::write::push_number;
use crate::Error;

/// A row of the text to write.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BvhTextRow {
    /// A row of the old text, byte for byte.
    Same(usize),
    /// New numbers in the layout of an old row; numbers that differ in their bits are respelled.
    Like(usize, Vec<f64>),
}

impl BvhTextRow {
    /// Index of the old row that gives the layout.
    fn model(&self) -> usize {
        match *self {
            Self::Same(frame) | Self::Like(frame, _) => frame,
        }
    }
}

/// The bytes of a BVH file and the ranges of its rows.
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    frames: Option<Range<usize>>,
    rows: Vec<Range<usize>>,
}

impl<'a> Text<'a> {
    /// Finds the rows of `document` in the bytes it was parsed from.
    pub fn new(bytes: &'a [u8], document: &BvhDocument) -> Result<Self, Error> {
        let NumberPlaces { frames, rows: mut at, .. } = places(bytes)?;
        let mut rows = Vec::with_capacity(document.frames());
        for _ in 0..document.frames() {
            let mut row = at..at;
            for channel in 0..document.channels() {
                let number = word(bytes, at);
                if channel == 0 {
                    row.start = number.start;
                }
                at = number.end;
            }
            rows.push(row.start..at);
        }
        Ok(Self { bytes, frames, rows })
    }

    /// Writes the text with these rows; the count after “Frames:” changes only if the number of rows does.
    pub fn with_rows(&self, rows: &[BvhTextRow], document: &BvhDocument) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.bytes.len() / self.rows.len() * (rows.len() + 1));
        self.push_head(&mut text, rows.len());
        for (index, row) in rows.iter().enumerate() {
            match row {
                BvhTextRow::Same(frame) => text.extend_from_slice(&self.bytes[self.rows[*frame].clone()]),
                BvhTextRow::Like(frame, values) => self.push_respelled(&mut text, *frame, document.row(*frame), values),
            }
            if index + 1 < rows.len() {
                text.extend_from_slice(self.gap_after(row.model()));
            }
        }
        text.extend_from_slice(&self.bytes[self.rows[self.rows.len() - 1].end..]);
        text
    }

    fn push_head(&self, text: &mut Vec<u8>, frames: usize) {
        let start = self.rows[0].start;
        match &self.frames {
            Some(count) if frames != self.rows.len() => {
                text.extend_from_slice(&self.bytes[..count.start]);
                text.extend_from_slice(frames.to_string().as_bytes());
                text.extend_from_slice(&self.bytes[count.end..start]);
            }
            _ => text.extend_from_slice(&self.bytes[..start]),
        }
    }

    fn push_respelled(&self, text: &mut Vec<u8>, frame: usize, old: &[f64], new: &[f64]) {
        let mut at = self.rows[frame].start;
        for (old, &new) in old.iter().zip(new) {
            let number = word(self.bytes, at);
            if old.to_bits() == new.to_bits() {
                text.extend_from_slice(&self.bytes[at..number.end]);
            } else {
                text.extend_from_slice(&self.bytes[at..number.start]);
                let mut spelled = String::new();
                push_number(&mut spelled, new);
                text.extend_from_slice(spelled.as_bytes());
            }
            at = number.end;
        }
    }

    /// Bytes between a row and the next; after the last row, the bytes before it.
    fn gap_after(&self, frame: usize) -> &'a [u8] {
        let first = frame.min(self.rows.len().saturating_sub(2));
        match self.rows.get(first + 1) {
            Some(next) => &self.bytes[self.rows[first].end..next.start],
            None => b"\n",
        }
    }
}

/// The text with the frame time of its document, which differs where the text does not state it in seconds.
pub(crate) fn with_clock(bytes: &[u8], document: &BvhDocument) -> Result<Vec<u8>, Error> {
    let number = places(bytes)?.frame_time;
    Ok([&bytes[..number.start], document.frame_time_text().as_bytes(), &bytes[number.end..]].concat())
}

/// The next word at or after a byte.
fn word(bytes: &[u8], at: usize) -> Range<usize> {
    let blank = |byte: &u8| *byte <= b' ';
    let start = at + bytes[at..].iter().position(|byte| !blank(byte)).unwrap_or(bytes.len() - at);
    start..start + bytes[start..].iter().position(blank).unwrap_or(bytes.len() - start)
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    const ODD: &[u8] = b"\xEF\xBB\xBFHIERARCHY\r\nroot Hips {\r\n offset 0 0 0 channels 2 Yposition zROTATION\r\n}\r\n\
        Motion\r\nFRAMES:\t3\r\nFrame Time: .0083333\r\n  +1.50  -2e1\r\n 1.0\t007 \r\n\r\n3 4\r\n 5";

    #[test]
    fn rows_that_stay_keep_every_byte_and_changed_numbers_alone_are_spelled_anew() {
        let document = parse(ODD).unwrap();
        assert_eq!(document.frames(), 3);
        let text = Text::new(ODD, &document).unwrap();
        let same: Vec<BvhTextRow> = (0..3).map(BvhTextRow::Same).collect();
        assert_eq!(text.with_rows(&same, &document), ODD);
        let rows = [BvhTextRow::Same(0), BvhTextRow::Like(1, vec![1.0, 8.25]), BvhTextRow::Same(2)];
        let changed = String::from_utf8(text.with_rows(&rows, &document)).unwrap();
        assert_eq!(changed, String::from_utf8_lossy(ODD).replace("007", "8.25"));
        let rows =
            [BvhTextRow::Same(0), BvhTextRow::Like(0, vec![1.5, -15.0]), BvhTextRow::Same(1), BvhTextRow::Same(2)];
        let longer = String::from_utf8(text.with_rows(&rows, &document)).unwrap();
        assert!(
            longer.ends_with(
                "FRAMES:\t4\r\nFrame Time: .0083333\r\n  +1.50  -2e1\r\n +1.50  -15\r\n 1.0\t007 \r\n\r\n3 4\r\n 5"
            ),
            "{longer}"
        );
        assert_eq!(parse(longer.as_bytes()).unwrap().frames(), 4);
    }
}
