//! A CSV text as rows of cells under named columns, each cell with its line and column.

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::{Error, Place};

/// A table with a header line. Comma, semicolon or tab, whichever the header has most of.
pub(crate) struct Table<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    header: StringRecord,
    /// The rows below the header, blank lines left out, each as long as the header.
    pub rows: Vec<StringRecord>,
}

impl<'a> Table<'a> {
    /// Reads the table. Errors: no header, a row of another length, a repeated column, text that is not UTF-8.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let first_line = bytes.split(|&b| b == b'\n' || b == b'\r').find(|line| !line.trim_ascii().is_empty());
        let count = |delimiter: u8| first_line.unwrap_or(b"").iter().filter(|&&b| b == delimiter).count();
        let delimiter = [b',', b';', b'\t'].into_iter().rev().max_by_key(|&d| count(d)).unwrap_or(b',');
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(Trim::All)
            .delimiter(delimiter)
            .from_reader(bytes);
        let mut records = Vec::new();
        for record in reader.into_records() {
            let record = record.map_err(|error| not_text(bytes, &error))?;
            if record.iter().any(|cell| !cell.is_empty()) {
                records.push(record);
            }
        }
        if records.is_empty() {
            return Err(Error::new(Place::File, "the table is empty; it needs a header line with the column names"));
        }
        let header = records.remove(0);
        let table = Self { bytes, delimiter, header, rows: records };
        table.check()?;
        Ok(table)
    }

    fn check(&self) -> Result<(), Error> {
        let header = &self.header;
        for (index, name) in header.iter().enumerate() {
            if !name.is_empty() && header.iter().take(index).any(|other| other.eq_ignore_ascii_case(name)) {
                return Err(self.error(header, index, format!("a second column “{name}”; keep one")));
            }
        }
        for row in &self.rows {
            if row.len() != header.len() {
                let message = format!("the row has {} cells, the header {}", row.len(), header.len());
                return Err(self.error(row, row.len().min(header.len()).saturating_sub(1), message));
            }
        }
        Ok(())
    }

    /// Index of a column by name, in any case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// Index of a column that must be there.
    pub fn column(&self, name: &str) -> Result<usize, Error> {
        self.find(name).ok_or_else(|| {
            let columns: Vec<&str> = self.header.iter().take(20).collect();
            let message = format!("the table has no column “{name}”; it has {}", columns.join(", "));
            self.error(&self.header, 0, message)
        })
    }

    /// Line of a row, from 1.
    pub fn line(&self, row: &StringRecord) -> usize {
        self.place(row, 0).0
    }

    /// The finite number in a cell.
    pub fn number(&self, row: &StringRecord, column: usize) -> Result<f64, Error> {
        let text = row.get(column).unwrap_or("");
        text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| {
            let name = self.header.get(column).unwrap_or("");
            let shown: String = text.chars().take(40).collect();
            self.error(row, column, format!("“{shown}” in column “{name}” is not a finite number"))
        })
    }

    /// The text in a cell that must not be empty.
    pub fn text<'r>(&self, row: &'r StringRecord, column: usize) -> Result<&'r str, Error> {
        row.get(column).filter(|text| !text.is_empty()).ok_or_else(|| {
            let name = self.header.get(column).unwrap_or("");
            self.error(row, column, format!("the cell of column “{name}” is empty"))
        })
    }

    /// An error at a cell.
    pub fn error(&self, row: &StringRecord, column: usize, message: impl Into<String>) -> Error {
        let (line, column) = self.place(row, column);
        Error::new(Place::Text { line, column }, message)
    }

    /// Line of the row's first cell and column of the cell, from 1 (the column of the row's first cell if the cell
    /// stands on a later line, within quotes).
    fn place(&self, row: &StringRecord, cell: usize) -> (usize, usize) {
        let from = row.position().map_or(0, |position| position.byte() as usize).min(self.bytes.len());
        let is_blank = |byte: &&u8| byte.is_ascii_whitespace() && **byte != self.delimiter;
        let start = from + self.bytes[from..].iter().take_while(is_blank).count();
        let (line, line_start) = line_of(self.bytes, start);
        let mut quoted = false;
        let mut delimiters = 0;
        let mut at = start;
        while delimiters < cell && at < self.bytes.len() {
            quoted ^= self.bytes[at] == b'"';
            delimiters += usize::from(!quoted && self.bytes[at] == self.delimiter);
            at += 1;
        }
        (line, String::from_utf8_lossy(&self.bytes[line_start..at]).chars().count() + 1)
    }
}

fn not_text(bytes: &[u8], error: &csv::Error) -> Error {
    let line = error.position().map_or(1, |position| line_of(bytes, position.byte() as usize).0);
    Error::new(Place::Text { line, column: 1 }, format!("the row cannot be read ({error}); save the table as UTF-8"))
}

/// Line of a byte, from 1, and where that line starts. `\n`, `\r\n` and a lone `\r` end a line.
fn line_of(bytes: &[u8], at: usize) -> (usize, usize) {
    let at = at.min(bytes.len());
    let ends = |i: &usize| bytes[*i] == b'\n' || (bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
    let lines = (0..at).filter(|i| ends(i)).count();
    (lines + 1, (0..at).rev().find(ends).map_or(0, |i| i + 1))
}
