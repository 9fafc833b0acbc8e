//! An output file of a survey: a new one, or one that is there already and must hold the same bytes.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use muybridge_files::open::regular_file;
use muybridge_files::output::{self, Existing, Pending};
use muybridge_files::{Error, Location};

use crate::failure::Failure;

/// A file being written.
pub struct TableFile {
    content: Content,
    existing: Existing,
}

enum Content {
    New(Pending),
    /// Read along with what is written. A survey that was killed while its files got their names left it.
    There(BufReader<File>),
}

/// Error "OUT: cannot be written: …".
pub fn cannot(path: &Path, error: impl std::fmt::Display) -> Failure {
    Error::new(Location::File, format!("cannot be written: {error}")).in_file(path).into()
}

impl TableFile {
    /// Begins the file `path`. If it exists and may not be replaced, what is written is compared with it.
    pub fn new(path: &Path, existing: Existing) -> Result<Self, Failure> {
        let content = match existing == Existing::Keep && path.exists() {
            true => Content::There(BufReader::new(regular_file(path)?)),
            false => Content::New(Pending::new(path, existing)?),
        };
        Ok(Self { content, existing })
    }

    /// Gives the file its name. Fails if `path` is there already and holds other bytes.
    pub fn finish(self, path: &Path) -> Result<(), Failure> {
        match self.content {
            Content::New(pending) => Ok(pending.finish()?),
            Content::There(mut there) => match there.read(&mut [0]) {
                Ok(0) => Ok(()),
                _ => Ok(output::check(path, self.existing)?),
            },
        }
    }
}

impl Write for TableFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let there = match &mut self.content {
            Content::New(pending) => return pending.write(bytes),
            Content::There(there) => there,
        };
        let mut same = vec![0; bytes.len()];
        match there.read_exact(&mut same) {
            Ok(()) if same == bytes => Ok(bytes.len()),
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(error),
            _ => Err(io::Error::other("it exists already, with other content; give --force to replace it")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.content {
            Content::New(pending) => pending.flush(),
            Content::There(_) => Ok(()),
        }
    }
}
