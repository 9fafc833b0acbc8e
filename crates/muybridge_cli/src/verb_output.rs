//! Writes a verb's JSON and text at the end of its run.

use std::io::Write;
use std::path::PathBuf;

use muybridge_files::output::{self, Existing};

use crate::failure::Failure;

/// Writes the JSON to the named file or to standard output, and the text `told` to standard output unless the JSON is
/// there. `wanted` is the `--json` option: absent, without a file, or with one.
pub fn deliver(
    json: Option<&[u8]>,
    wanted: Option<&Option<PathBuf>>,
    existing: Existing,
    told: &str,
) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match (json, wanted) {
        (Some(bytes), Some(Some(file))) => output::write(file, bytes, existing)?,
        (Some(bytes), _) => return Ok(out.write_all(bytes)?),
        (None, _) => {}
    }
    Ok(out.write_all(told.as_bytes())?)
}
