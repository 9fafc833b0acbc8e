//! A document of one list, written entry by entry: `{"schema": 1, "clips": [ … ]}`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

/// Writes the document, so that many entries need the memory of one.
#[derive(Debug)]
pub(crate) struct ListWriter<W: Write> {
    out: W,
    empty: bool,
}

impl<W: Write> ListWriter<W> {
    /// Opens a document of the schema with that number and a list of that name.
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

    /// Closes the document with a line break and gives the stream back, flushed.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(if self.empty { b"]}\n" } else { b"\n]}\n" })?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// An entry as a tree.
pub(crate) fn tree(entry: &impl Serialize) -> Value {
    serde_json::to_value(entry).expect("the document has string keys only and serializes without error")
}
