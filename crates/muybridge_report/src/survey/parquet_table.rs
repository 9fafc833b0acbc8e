//! A survey table as Parquet: flat, every column optional, Snappy compression, groups of 8192 rows.
//!
//! Text is UTF-8 (`STRING`), whole numbers are 64-bit, numbers are doubles with the bits of the analysis. Groups are cut by
//! the number of rows alone, so the bytes do not depend on how the rows arrived.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::columns::{ColumnReader, TableColumn};
use super::table::TableError;

/// Rows per row group, and the most rows held in memory.
const GROUP: usize = 8192;

/// Writer of a Parquet table.
pub struct ParquetTable<W: Write + Send, R: 'static> {
    out: SerializedFileWriter<W>,
    columns: &'static [TableColumn<R>],
    rows: Vec<R>,
}

impl<W: Write + Send, R> ParquetTable<W, R> {
    /// Begins a table without rows.
    pub fn new(out: W, columns: &'static [TableColumn<R>]) -> Result<Self, TableError> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("survey").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("muybridge {}", env!("CARGO_PKG_VERSION")))
            .build();
        let out = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { out, columns, rows: Vec::new() })
    }

    /// Appends a row.
    pub fn push(&mut self, row: R) -> Result<(), TableError> {
        self.rows.push(row);
        if self.rows.len() == GROUP { self.write_group() } else { Ok(()) }
    }

    /// Writes the last row group and the footer, and returns the stream.
    pub fn finish(mut self) -> Result<W, TableError> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        let mut out = self.out.into_inner()?;
        out.flush()?;
        Ok(out)
    }

    fn write_group(&mut self) -> Result<(), TableError> {
        let mut group = self.out.next_row_group()?;
        for column in self.columns {
            let rows = self.rows.iter();
            match column.read {
                ColumnReader::Text(read) => {
                    write::<ByteArrayType>(&mut group, rows.map(|row| read(row).map(ByteArray::from)))?
                }
                ColumnReader::Whole(read) => write::<Int64Type>(&mut group, rows.map(read))?,
                ColumnReader::Number(read) => write::<DoubleType>(&mut group, rows.map(read))?,
                ColumnReader::Flag(read) => write::<BoolType>(&mut group, rows.map(read))?,
            }
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }
}

fn field<R>(column: &TableColumn<R>) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.read {
        ColumnReader::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnReader::Whole(_) => (Physical::INT64, None),
        ColumnReader::Number(_) => (Physical::DOUBLE, None),
        ColumnReader::Flag(_) => (Physical::BOOLEAN, None),
    };
    Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()
}

/// Writes one column of a row group. Definition level 1 is a value, 0 an empty cell.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), TableError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    let mut writer = group.next_column()?.ok_or_else(|| TableError::Parquet("the schema has fewer columns".into()))?;
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(writer.close()?)
}

impl From<ParquetError> for TableError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(source) => match source.downcast::<std::io::Error>() {
                Ok(error) => Self::Stream(*error),
                Err(source) => Self::Parquet(source.to_string()),
            },
            other => Self::Parquet(other.to_string()),
        }
    }
}
