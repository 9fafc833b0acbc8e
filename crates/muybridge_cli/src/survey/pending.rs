//! A temporary output file on the same disk: renamed when complete, removed otherwise.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use muybridge_files::output::{self, Existing};
use muybridge_files::{Error, Location};

use crate::failure::Failure;

/// An output file under a temporary name.
pub struct Pending {
    target: PathBuf,
    beside: PathBuf,
    file: Option<BufWriter<File>>,
}

/// Error "OUT: cannot be written: …".
pub fn cannot(path: &Path, error: impl std::fmt::Display) -> Failure {
    Error::new(Location::File, format!("cannot be written: {error}")).in_file(path).into()
}

impl Pending {
    /// Begins a file for `target` under the temporary name `beside`, replacing an existing temporary file.
    pub fn new(target: &Path, beside: PathBuf) -> Result<Self, Failure> {
        let file = File::create(&beside).map_err(|error| cannot(target, error))?;
        Ok(Self { target: target.to_path_buf(), beside, file: Some(BufWriter::with_capacity(1 << 16, file)) })
    }

    /// Final path of the file.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Renames the file to `target`. If `target` exists and may not be replaced, it must hold the same bytes: then the
    /// same survey wrote it and was interrupted right after.
    pub fn finish(mut self, existing: Existing) -> Result<(), Failure> {
        let file = self.file.take().map(BufWriter::into_inner);
        let synced = match file {
            Some(Ok(file)) => file.sync_all(),
            Some(Err(error)) => Err(error.into_error()),
            None => Ok(()),
        };
        synced.map_err(|error| cannot(&self.target, error))?;
        if existing == Existing::Keep && self.target.exists() && !same(&self.target, &self.beside).unwrap_or(false) {
            return Ok(output::check(&self.target, existing)?);
        }
        std::fs::rename(&self.beside, &self.target).map_err(|error| cannot(&self.target, error))
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // On a full disk nothing more is written: the buffer is dropped.
        if let Some(file) = self.file.take() {
            let _ = file.into_parts();
        }
        let _ = std::fs::remove_file(&self.beside);
    }
}

/// Whether two files hold the same bytes.
fn same(a: &Path, b: &Path) -> io::Result<bool> {
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut a, mut b) = (BufReader::new(File::open(a)?).bytes(), BufReader::new(File::open(b)?).bytes());
    loop {
        match (a.next().transpose()?, b.next().transpose()?) {
            (None, None) => return Ok(true),
            (a, b) if a != b => return Ok(false),
            _ => {}
        }
    }
}
