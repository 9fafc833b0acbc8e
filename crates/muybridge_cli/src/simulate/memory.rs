//! Refuses a run that would need more memory than it may take, before it is built.
//!
//! Available is the least of the free memory of the machine, the limits of its control groups (containers) and the limit
//! on address space (`ulimit -v`).

use std::path::{Path, PathBuf};

use muybridge::simulation::MemoryEstimate;

/// Limit on a system that does not tell what is available, bytes.
const UNKNOWN: u64 = 4 << 30;

/// Memory of the program before it builds anything, bytes.
const PROGRAM: f64 = 12e6;

/// Sizes by their letters, bytes.
const UNITS: [(&str, u64); 4] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40)];

/// The memory that a run may take.
#[derive(Clone, Copy, Debug)]
pub struct MemoryRoom {
    /// Most memory, bytes.
    limit: f64,
    /// Memory of the files that are written, as bytes for each byte of the recording, and bytes beside it.
    files: (f64, f64),
}

impl Default for MemoryRoom {
    /// Half of what is available, for a run that writes no files.
    fn default() -> Self {
        Self::new(None, (0.0, 0.0))
    }
}

impl MemoryRoom {
    /// At most `limit` bytes, else half of what is available. `files` are the bytes for each byte of the recording in
    /// which the files are written, and the bytes beside it.
    pub fn new(limit: Option<u64>, files: (f64, f64)) -> Self {
        let limit = limit.unwrap_or_else(|| available().map_or(UNKNOWN, |bytes| bytes / 2));
        Self { limit: limit as f64, files }
    }

    /// Fails with a sentence if a run needs more.
    pub fn check(&self, run: &MemoryEstimate) -> Result<(), String> {
        let (per_byte, beside) = self.files;
        let recording = run.parts.last().map_or(0.0, |part| part.bytes as f64);
        let files = recording * per_byte + beside;
        let needed = PROGRAM + run.bytes() as f64 + files;
        if needed <= self.limit {
            return Ok(());
        }
        let largest = run.largest().map(|part| (part.name.as_str(), part.bytes as f64));
        let largest = largest.into_iter().chain([("the files of the run", files)]).max_by(|a, b| a.1.total_cmp(&b.1));
        let (name, bytes) = largest.unwrap_or(("the program", PROGRAM));
        Err(format!(
            "the run needs about {} of memory, but may take {}; {name} asks for most of it ({}); make the scene smaller, \
             shorten it by --seconds or --fps, or allow more by --max-memory {}",
            in_words(needed),
            in_words(self.limit),
            in_words(bytes),
            rounded_up(needed),
        ))
    }
}

/// Parses a size: bytes, or 512M, 4G, 1.5GiB.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "a size is needed, such as 512M, 4G or a number of bytes".to_string();
    let word = text.trim().to_ascii_uppercase();
    let plain = word.strip_suffix("IB").or(word.strip_suffix('B')).unwrap_or(&word);
    let unit = UNITS.iter().find_map(|(letter, bytes)| Some((plain.strip_suffix(letter)?, *bytes)));
    let (number, bytes) = unit.unwrap_or((plain, 1));
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let size = number * bytes as f64;
    if (1.0..1e18).contains(&size) { Ok(size as u64) } else { Err(wrong()) }
}

/// A size in words: "2.9 TiB".
fn in_words(bytes: f64) -> String {
    let unit = UNITS.iter().rev().find(|(_, unit)| bytes >= *unit as f64);
    unit.map_or_else(|| format!("{bytes:.0} bytes"), |(letter, unit)| format!("{:.1} {letter}iB", bytes / *unit as f64))
}

/// A size that is no smaller, as `--max-memory` takes it.
fn rounded_up(bytes: f64) -> String {
    let (letter, unit) = if bytes > 2.0 * UNITS[2].1 as f64 { UNITS[2] } else { UNITS[1] };
    format!("{}{letter}", (bytes / unit as f64).ceil())
}

/// Memory that this process may still take, bytes; `None` where the system does not tell.
fn available() -> Option<u64> {
    let limits = [free_on_machine(), address_space()].into_iter().flatten().chain(control_groups());
    limits.min()
}

/// Memory that programs can take without swapping, bytes: `MemAvailable` of Linux.
fn free_on_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1 << 10))
}

/// Limit of the address space (`ulimit -v`), bytes.
fn address_space() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Limits of the control groups that this process is in, of both versions, bytes.
fn control_groups() -> impl Iterator<Item = u64> {
    let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut files: Vec<PathBuf> = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = match controllers {
            "" => (Path::new("/sys/fs/cgroup"), "memory.max"),
            _ if controllers.split(',').any(|word| word == "memory") => {
                (Path::new("/sys/fs/cgroup/memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // In a container the root may be that of its own group.
        let own = root.join(path.trim_start_matches('/'));
        files.extend(own.ancestors().take_while(|folder| folder.starts_with(root)).map(|folder| folder.join(name)));
    }
    files.into_iter().filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, bytes) in [("512M", 512 << 20), ("4G", 4 << 30), ("1.5gib", 3 << 29), ("2 kB", 2048), ("4096", 4096)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1G", "nan", "inf", "1e300T", "0", "4X"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!((rounded_up(3.0e9), rounded_up(1e6)), ("3G".into(), "1M".into()));
        assert_eq!(in_words(1536.0 * (1u64 << 30) as f64), "1.5 TiB");
    }
}
