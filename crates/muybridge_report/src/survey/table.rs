//! The two tables as CSV, as JSON Lines or as Parquet, written row by row.
//!
//! CSV has a header of the column names; JSON Lines has one object per row and both kinds in one stream, each with a member
//! `kind`, `"clip"` or `"flight"`, a clip before its flights; Parquet is described in `parquet_table`.

use std::io::{self, Write};

use serde_json::{Map, Value};
use thiserror::Error;

use super::columns::{CLIP_COLUMNS, ColumnReader, FLIGHT_COLUMNS, TableColumn};
use super::parquet_table::ParquetTable;
use super::record::FileRecord;
use super::row::{ClipRow, FlightRow};
use crate::csv;

/// A file format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated values, two files.
    Csv,
    /// One JSON object per line, one file.
    JsonLines,
    /// Parquet, two files.
    Parquet,
}

impl TableFormat {
    /// The format of a file name's extension, without its dot: csv, jsonl, parquet.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// True where flights have a file of their own.
    pub fn has_two_files(self) -> bool {
        self != Self::JsonLines
    }
}

/// A table that could not be written.
#[derive(Debug, Error)]
pub enum TableError {
    /// The stream refused the bytes.
    #[error(transparent)]
    Stream(#[from] io::Error),
    /// The Parquet writer refused the rows.
    #[error("{0}")]
    Parquet(String),
}

/// The tables of a survey in the making.
pub struct Tables<W: Write + Send> {
    clips: SurveyTable<W, ClipRow>,
    /// `None` where flights are written among the clips.
    flights: Option<SurveyTable<W, FlightRow>>,
}

enum SurveyTable<W: Write + Send, R: 'static> {
    Csv(W, &'static [TableColumn<R>]),
    JsonLines(W, &'static [TableColumn<R>]),
    Parquet(Box<ParquetTable<W, R>>),
}

impl<W: Write + Send> Tables<W> {
    /// Tables without rows. `flights` is where flights go where they have a file of their own
    /// ([`TableFormat::has_two_files`]), and not used otherwise.
    pub fn new(format: TableFormat, clips: W, flights: Option<W>) -> Result<Self, TableError> {
        let flights = flights.filter(|_| format.has_two_files());
        Ok(Self {
            clips: SurveyTable::new(format, clips, CLIP_COLUMNS)?,
            flights: flights.map(|out| SurveyTable::new(format, out, FLIGHT_COLUMNS)).transpose()?,
        })
    }

    /// Appends the rows of a file.
    pub fn take(&mut self, record: &FileRecord) -> Result<(), TableError> {
        for clip in &record.clips {
            self.clips.take(clip.row.clone())?;
            for flight in &clip.flights {
                match (&mut self.flights, &mut self.clips) {
                    (Some(table), _) => table.take(flight.clone())?,
                    (None, SurveyTable::JsonLines(out, _)) => json_line(out, "flight", FLIGHT_COLUMNS, flight)?,
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    /// Completes the tables and gives the streams back, flushed: clips, and flights where they have their own.
    pub fn finish(self) -> Result<(W, Option<W>), TableError> {
        Ok((self.clips.finish()?, self.flights.map(SurveyTable::finish).transpose()?))
    }
}

impl<W: Write + Send, R: Clone> SurveyTable<W, R> {
    fn new(format: TableFormat, mut out: W, columns: &'static [TableColumn<R>]) -> Result<Self, TableError> {
        match format {
            TableFormat::Csv => {
                let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
                writeln!(out, "{}", names.join(","))?;
                Ok(Self::Csv(out, columns))
            }
            TableFormat::JsonLines => Ok(Self::JsonLines(out, columns)),
            TableFormat::Parquet => Ok(Self::Parquet(Box::new(ParquetTable::new(out, columns)?))),
        }
    }

    fn take(&mut self, row: R) -> Result<(), TableError> {
        match self {
            Self::Csv(out, columns) => {
                let cells: Vec<String> = columns.iter().map(|column| cell(column, &row)).collect();
                Ok(writeln!(out, "{}", cells.join(","))?)
            }
            Self::JsonLines(out, columns) => json_line(out, "clip", columns, &row),
            Self::Parquet(table) => table.take(row),
        }
    }

    fn finish(self) -> Result<W, TableError> {
        match self {
            Self::Csv(mut out, _) | Self::JsonLines(mut out, _) => {
                out.flush()?;
                Ok(out)
            }
            Self::Parquet(table) => table.finish(),
        }
    }
}

fn cell<R>(column: &TableColumn<R>, row: &R) -> String {
    let text = |value: Option<String>| value.unwrap_or_default();
    match column.read {
        ColumnReader::Text(read) => csv::quoted(read(row).unwrap_or_default()),
        ColumnReader::Whole(read) => text(read(row).map(|value| value.to_string())),
        ColumnReader::Number(read) => text(read(row).map(|value| value.to_string())),
        ColumnReader::Flag(read) => text(read(row).map(|value| value.to_string())),
    }
}

fn json_line<R>(out: &mut impl Write, kind: &str, columns: &[TableColumn<R>], row: &R) -> Result<(), TableError> {
    let mut object = Map::with_capacity(columns.len() + 1);
    object.insert("kind".to_owned(), kind.into());
    for column in columns {
        let value = match column.read {
            ColumnReader::Text(read) => read(row).map(Value::from),
            ColumnReader::Whole(read) => read(row).map(Value::from),
            ColumnReader::Number(read) => read(row).map(Value::from),
            ColumnReader::Flag(read) => read(row).map(Value::from),
        };
        object.insert(column.name.to_owned(), value.unwrap_or(Value::Null));
    }
    serde_json::to_writer(&mut *out, &Value::Object(object)).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}
