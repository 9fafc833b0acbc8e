//! Why the program cannot go on: a sentence for standard error, exit code 2.

use thiserror::Error;

/// A failure of the whole call.
#[derive(Debug, Error)]
pub enum Failure {
    /// A file that could not be read or written.
    #[error(transparent)]
    File(#[from] muybridge_files::Error),
    /// A picture that could not be drawn.
    #[error("the plate could not be drawn: {0}")]
    Plate(#[from] muybridge_report::plate::PlateError),
    /// Options that do not go together.
    #[error("{0}")]
    Usage(String),
    /// Standard output is gone.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}
