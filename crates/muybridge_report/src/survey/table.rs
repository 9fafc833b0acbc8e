//! The two survey tables as CSV, JSON Lines or Parquet, written row by row.
//!
//! CSV has a header with the column names. JSON Lines writes one object per row, clips and flights in one stream; the
//! member `kind` is `"clip"` or `"flight"`, and a clip precedes its flights. Parquet is described in `parquet_table`.

use std::io::{self, Write};

use serde_json::{Map, Value};
use thiserror::Error;

use super::columns::{CLIP_COLUMNS, ColumnReader, FLIGHT_COLUMNS, TableColumn};
use super::parquet_table::ParquetTable;
use super::record::FileRecord;
use super::row::{ClipRow, FlightRow};
use crate::csv;

/// File format of the survey tables.
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
    /// The format for a file extension without dot: csv, jsonl, parquet; `None` if unknown.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    /// Whether flights are written to a second file.
    pub fn has_two_files(self) -> bool {
        self != Self::JsonLines
    }
}

/// Reasons why a table could not be written.
#[derive(Debug, Error)]
pub enum TableError {
    /// Writing to the stream failed.
    #[error(transparent)]
    Stream(#[from] io::Error),
    /// The Parquet writer failed, with its message.
    #[error("{0}")]
    Parquet(String),
}

/// Writer of the survey tables.
pub struct Tables<W: Write + Send> {
    clips: SurveyTable<W, ClipRow>,
    /// Table of flights; `None` if flights are written among the clips.
    flights: Option<SurveyTable<W, FlightRow>>,
}

enum SurveyTable<W: Write + Send, R: 'static> {
    Csv(W, &'static [TableColumn<R>]),
    JsonLines(W, &'static [TableColumn<R>]),
    Parquet(Box<ParquetTable<W, R>>),
}

impl<W: Write + Send> Tables<W> {
    /// Begins tables without rows. `flights` is the stream for flights of formats with two files
    /// ([`TableFormat::has_two_files`]), otherwise unused.
    pub fn new(format: TableFormat, clips: W, flights: Option<W>) -> Result<Self, TableError> {
        let flights = flights.filter(|_| format.has_two_files());
        Ok(Self {
            clips: SurveyTable::new(format, clips, CLIP_COLUMNS)?,
            flights: flights.map(|out| SurveyTable::new(format, out, FLIGHT_COLUMNS)).transpose()?,
        })
    }

    /// Appends the rows of a file.
    pub fn push(&mut self, record: &FileRecord) -> Result<(), TableError> {
        for clip in &record.clips {
            self.clips.push(clip.row.clone())?;
            for flight in &clip.flights {
                match (&mut self.flights, &mut self.clips) {
                    (Some(table), _) => table.push(flight.clone())?,
                    (None, SurveyTable::JsonLines(out, _)) => json_line(out, "flight", FLIGHT_COLUMNS, flight)?,
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    /// Completes the tables and returns the flushed streams: clips, and flights if they have their own.
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

    fn push(&mut self, row: R) -> Result<(), TableError> {
        match self {
            Self::Csv(out, columns) => {
                let cells: Vec<String> = columns.iter().map(|column| cell(column, &row)).collect();
                Ok(writeln!(out, "{}", cells.join(","))?)
            }
            Self::JsonLines(out, columns) => json_line(out, "clip", columns, &row),
            Self::Parquet(table) => table.push(row),
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
