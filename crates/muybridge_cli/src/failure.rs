//! Errors that end the program: a sentence on standard error, exit code 2.

use thiserror::Error;

/// An error of the whole command.
#[derive(Debug, Error)]
pub enum Failure {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] muybridge_files::Error),
    /// The plate could not be drawn.
    #[error("the plate could not be drawn: {0}")]
    Plate(#[from] muybridge_report::plate::PlateError),
    /// Options are invalid or do not go together.
    #[error("{0}")]
    Usage(String),
    /// A panic in the work on a file.
    #[error("{file}: {sentence}")]
    Internal {
        /// The file as the user named it.
        file: String,
        /// The sentence about the panic.
        sentence: String,
    },
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}
