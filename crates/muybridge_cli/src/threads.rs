//! The threads that compute: how many, and what to say if the system gives none.

use std::error::Error;

use crate::failure::Failure;

/// Greatest value of `--threads`.
pub const MOST: i64 = 1024;

/// Starts the threads of the program: so many, or one per core.
pub fn start(threads: Option<u16>) -> Result<(), Failure> {
    let count = threads.map_or(0, usize::from);
    match rayon::ThreadPoolBuilder::new().num_threads(count).build_global() {
        // In a Python program an earlier call has started them.
        Err(error) if error.source().is_some() => Err(refused(&error)),
        _ => Ok(()),
    }
}

/// The sentence about threads that the system does not give.
pub fn refused(error: &dyn Error) -> Failure {
    Failure::Usage(format!("the threads could not be started: {error}; give fewer with --threads"))
}
