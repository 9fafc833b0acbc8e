//! Reads a CSV text to rows of cells under named columns, each cell with line and column.

use std::collections::BTreeSet;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::{Error, Location, decimal_comma};

/// A table with a header line. The delimiter is the comma, semicolon or tab that is most frequent in the header.
pub(crate) struct CsvTable<'a> {
    bytes: &'a [u8],
    delimiter: u8,
    header: StringRecord,
    header_line: usize,
    /// Rows below the header without blank lines; each is as long as the header.
    pub rows: Vec<CsvRow>,
}

/// A row of a table.
pub(crate) struct CsvRow {
    /// Line number, from 1.
    pub line: usize,
    cells: StringRecord,
}

impl CsvRow {
    /// Text of a cell; empty beyond the last cell.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).unwrap_or("")
    }
}

impl<'a> CsvTable<'a> {
    /// Reads a table. Fails without a header, for a row of another length, a repeated column, or text that is not UTF-8.
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
        let mut records = reader.into_records();
        let (mut at, mut line) = (0, 1);
        let mut next = || -> Result<Option<CsvRow>, Error> {
            for cells in records.by_ref() {
                let cells = cells.map_err(|error| not_text(bytes, &error))?;
                let start = first_cell(bytes, delimiter, &cells);
                line += line_ends(bytes, at, start);
                at = start;
                if cells.iter().any(|cell| !cell.is_empty()) {
                    return Ok(Some(CsvRow { line, cells }));
                }
            }
            Ok(None)
        };
        let Some(CsvRow { line: header_line, cells: header }) = next()? else {
            return Err(Error::new(Location::File, "the table is empty; it needs a header line with the column names"));
        };
        let mut table = Self { bytes, delimiter, header, header_line, rows: Vec::new() };
        table.check_header()?;
        while let Some(row) = next()? {
            table.check_length(&row)?;
            table.rows.push(row);
        }
        Ok(table)
    }

    fn check_header(&self) -> Result<(), Error> {
        let mut names = BTreeSet::new();
        for (index, name) in self.header.iter().enumerate() {
            if !name.is_empty() && !names.insert(name.to_ascii_lowercase()) {
                return Err(self.error_in(&self.header, self.header_line, index, format!("a second column “{name}”")));
            }
        }
        Ok(())
    }

    fn check_length(&self, row: &CsvRow) -> Result<(), Error> {
        let (cells, columns) = (row.cells.len(), self.header.len());
        if cells == columns {
            return Ok(());
        }
        let may_be_commas = self.delimiter == b',' && cells > columns;
        let hint = if may_be_commas { "; numbers need a decimal point, for a comma begins the next cell" } else { "" };
        let message = format!("the row has {cells} cells, the header {columns}{hint}");
        Err(self.error(row, cells.min(columns).saturating_sub(1), message))
    }

    /// Index of a column by name, in upper or lower case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// Index of a required column.
    pub fn column(&self, name: &str) -> Result<usize, Error> {
        self.find(name).ok_or_else(|| {
            let columns: Vec<&str> = self.header.iter().take(20).collect();
            let message = format!("the table has no column “{name}”; it has {}", columns.join(", "));
            self.error_in(&self.header, self.header_line, 0, message)
        })
    }

    /// Parses the finite number in a cell.
    pub fn number(&self, row: &CsvRow, column: usize) -> Result<f64, Error> {
        let text = row.cell(column);
        text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(|| {
            let name = self.header.get(column).unwrap_or("");
            let shown: String = text.chars().take(40).collect();
            let hint = decimal_comma(text);
            self.error(row, column, format!("“{shown}” in column “{name}” is not a finite number{hint}"))
        })
    }

    /// Text of a cell that must not be empty.
    pub fn text<'r>(&self, row: &'r CsvRow, column: usize) -> Result<&'r str, Error> {
        Some(row.cell(column)).filter(|text| !text.is_empty()).ok_or_else(|| {
            let name = self.header.get(column).unwrap_or("");
            self.error(row, column, format!("the cell of column “{name}” is empty"))
        })
    }

    /// An error at a cell.
    pub fn error(&self, row: &CsvRow, column: usize, message: impl Into<String>) -> Error {
        self.error_in(&row.cells, row.line, column, message)
    }

    fn error_in(&self, cells: &StringRecord, line: usize, cell: usize, message: impl Into<String>) -> Error {
        Error::new(Location::Text { line, column: self.text_column(cells, cell) }, message)
    }

    /// Column of a cell in characters from the start of the row's line, from 1.
    fn text_column(&self, cells: &StringRecord, cell: usize) -> usize {
        let start = first_cell(self.bytes, self.delimiter, cells);
        let is_end = |&byte: &u8| byte == b'\n' || byte == b'\r';
        let line_start = self.bytes[..start].iter().rposition(is_end).map_or(0, |end| end + 1);
        let (mut at, mut delimiters, mut quoted) = (start, 0, false);
        while delimiters < cell && at < self.bytes.len() {
            quoted ^= self.bytes[at] == b'"';
            delimiters += usize::from(!quoted && self.bytes[at] == self.delimiter);
            at += 1;
        }
        String::from_utf8_lossy(&self.bytes[line_start..at]).chars().count() + 1
    }
}

/// Offset of the first cell of a row, after the blank lines before it.
fn first_cell(bytes: &[u8], delimiter: u8, cells: &StringRecord) -> usize {
    let from = cells.position().map_or(0, |position| position.byte() as usize).min(bytes.len());
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace() && **byte != delimiter;
    from + bytes[from..].iter().take_while(is_blank).count()
}

fn not_text(bytes: &[u8], error: &csv::Error) -> Error {
    let at = error.position().map_or(0, |position| position.byte() as usize);
    let line = 1 + line_ends(bytes, 0, at);
    Error::new(Location::Text { line, column: 1 }, format!("the row cannot be read ({error}); save the table as UTF-8"))
}

/// Number of line ends in a range of the bytes: `\n`, `\r\n` or a lone `\r`.
fn line_ends(bytes: &[u8], from: usize, to: usize) -> usize {
    let ends = |&i: &usize| bytes[i] == b'\n' || (bytes[i] == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
    (from..to.min(bytes.len())).filter(ends).count()
}
