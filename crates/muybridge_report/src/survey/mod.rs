//! Many clips as tables: one row per clip and one per flight, statistics over all of them, and a page.
//!
//! A survey is a stream of [`FileRecord`]s, one per file in the order of the list. [`Tables`] and [`Statistics`] take them
//! one by one, so that a survey of any length needs the memory of a few rows (and of one number per flight, for exact
//! medians). Nothing depends on where the stream was cut or on how many threads made it: the same records give the same
//! bytes.
//!
//! # Columns
//!
//! Names end in the unit: `_m`, `_s`, `_kg`, `_mps` (m/s), `_g` (times the gravity the motion is held against), `_hz`,
//! `_kgmps`, `_kgm2ps`; a `_fraction` and an `_error` are ratios, counts have no ending. Rates are in frames per second
//! (`fps`). What is undefined or infinite is empty in CSV and `null` in JSON Lines and Parquet. The list, with a sentence for
//! each, is [`CLIP_COLUMNS`] and [`FLIGHT_COLUMNS`]; `muybridge survey --columns` prints it.

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
