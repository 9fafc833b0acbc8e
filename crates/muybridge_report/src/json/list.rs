//! Streams a JSON document with one list, entry by entry: `{"schema": 1, "clips": [ … ]}`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// Writes the document entry by entry, so that only one entry is in memory at a time.
#[derive(Debug)]
pub(crate) struct ListWriter<W: Write> {
    out: W,
    empty: bool,
}

impl<W: Write> ListWriter<W> {
    /// Opens a document with a schema number and the name of its list.
    pub(crate) fn new(mut out: W, schema: u64, list: &str) -> io::Result<Self> {
        write!(out, "{{\"schema\": {schema}, \"{list}\": [")?;
        Ok(Self { out, empty: true })
    }

    /// Appends an entry.
    pub(crate) fn entry(&mut self, entry: &impl Serialize) -> io::Result<()> {
        self.out.write_all(if self.empty { b"\n" } else { b",\n" })?;
        self.empty = false;
        serde_json::to_writer(&mut self.out, entry).map_err(io::Error::from)
    }

    /// Closes the document with a line break and returns the flushed stream.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(if self.empty { b"]}\n" } else { b"\n]}\n" })?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Converts an entry to a [`Value`].
pub(crate) fn tree(entry: &impl Serialize) -> Value {
    serde_json::to_value(entry).expect("the document has string keys only and serializes without error")
}
