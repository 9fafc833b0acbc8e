//! Writes a verb's JSON and text at the end of its run.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use muybridge_files::output::{self, Existing};

use crate::failure::Failure;

/// Function that writes the JSON.
pub type WriteJson<'a> = &'a dyn Fn(&mut dyn Write) -> std::io::Result<()>;

/// Writes the JSON to the named file or to standard output, and the text `told` to standard output unless the JSON is
/// there. `wanted` is the `--json` option: absent, without a file, or with one.
pub fn deliver(
    json: Option<&[u8]>,
    wanted: Option<&Option<PathBuf>>,
    existing: Existing,
    told: &str,
) -> Result<(), Failure> {
    let bytes = json.unwrap_or_default();
    let content: WriteJson<'_> = &|out| out.write_all(bytes);
    deliver_written(json.map(|_| (content, wanted.unwrap_or(&None))), existing, told)
}

/// As [`deliver`], with JSON that is written piece by piece because it is large.
pub fn deliver_written(
    json: Option<(WriteJson<'_>, &Option<PathBuf>)>,
    existing: Existing,
    told: &str,
) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match json {
        Some((content, Some(file))) => output::write_by(file, content, existing)?,
        Some((content, None)) => {
            let mut out = BufWriter::with_capacity(1 << 16, out);
            content(&mut out)?;
            return Ok(out.flush()?);
        }
        None => {}
    }
    Ok(out.write_all(told.as_bytes())?)
}
