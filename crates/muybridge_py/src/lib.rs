//! The extension module `muybridge._muybridge` of the Python package `muybridge`.

/// The program, for the package's `main`.
#[pyo3::pymodule]
mod _muybridge {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Runs the program with its arguments, its name first, and returns its exit code. Other threads of Python go on.
    #[pyfunction]
    fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| muybridge_cli::run(arguments))
    }
}
