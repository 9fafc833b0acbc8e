//! Many clips as tables: one row per clip and one per flight, statistics over all of them, and a page.
//!
//! A survey is a stream of [`FileRecord`]s, one per file in the order of the list. [`Tables`] and [`Statistics`] take
//! the records one by one, so that a survey of any length needs the memory of a few rows (and of one number per flight,
//! for exact medians). The result does not depend on where the stream was cut or on the number of threads: the same
//! records give the same bytes.
//!
//! # Columns
//!
//! Names end in the unit: `_m`, `_s`, `_kg`, `_mps` (m/s), `_g` (multiples of the expected gravity), `_hz`,
//! `_kgmps`, `_kgm2ps`; a `_fraction` and an `_error` are ratios, counts have no ending. Rates are in frames per second
//! (`fps`). Undefined or infinite values are empty in CSV and `null` in JSON Lines and Parquet. [`CLIP_COLUMNS`] and
//! [`FLIGHT_COLUMNS`] list all columns with a description; `muybridge survey --columns` prints them.

mod columns;
mod histogram_chart;
mod page;
mod parquet_table;
mod record;
mod row;
mod statistics;
mod table;
mod worst;

pub use columns::{CLIP_COLUMNS, ColumnReader, FLIGHT_COLUMNS, TableColumn};
pub use page::{PageText, html};
pub use record::{ClipRecord, FileRecord, FindingCount, HistogramCounts};
pub use row::{CheckedClip, ClipRow, FlightRow};
pub use statistics::{BalanceCounts, CharacterCounts, FindingTotals, Statistics};
pub use table::{TableError, TableFormat, Tables};
pub use worst::{UnreadFile, WorstClip, WorstFlight};
