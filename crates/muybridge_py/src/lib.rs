//! The extension module `muybridge._muybridge` of the Python package `muybridge`.

/// The program, for the package's `main`.
#[pyo3::pymodule]
mod _muybridge {
    use std::ffi::OsString;
    use std::panic::catch_unwind;

    use pyo3::prelude::*;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Exit code of a panic, as of a Rust program.
    const PANIC: u8 = 101;

    /// Runs the program with its arguments, its name first, and returns its exit code. Other threads of Python go on.
    /// `ends_at_once`: Ctrl-C ends the process.
    #[pyfunction]
    fn run(py: Python<'_>, arguments: Vec<OsString>, ends_at_once: bool) -> u8 {
        if ends_at_once {
            muybridge_cli::end_on_signals();
        }
        py.detach(|| catch_unwind(|| muybridge_cli::run(arguments)).unwrap_or(PANIC))
    }
}
