//! Progress bars on standard error, and the capabilities of standard output.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use muybridge_report::terminal::Style;

/// A progress bar; hidden if standard error is no terminal or there is only one item.
pub struct FileProgress(Option<ProgressBar>);

impl FileProgress {
    /// A bar for `files` files.
    pub fn new(files: usize) -> Self {
        if files < 2 || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new(files as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} clips  {per_sec}  {eta} left") {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// A bar for `frames` frames of a run or a film.
    pub fn frames(frames: usize) -> Self {
        if frames < 2 || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::new(frames as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} frames  {per_sec}  {eta} left") {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// Shows `done` of `all` items as finished.
    pub fn at(&self, done: usize, all: usize) {
        if let Some(bar) = &self.0 {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
    }

    /// Counts one more file or frame as finished.
    pub fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Text style of standard output: color on a terminal unless `NO_COLOR` is set, ASCII unless the locale is UTF-8. A console
/// of Windows shows colors once it is asked whether it can.
pub fn style() -> Style {
    let terminal = console::Term::stdout();
    let is_terminal = std::io::stdout().is_terminal();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let utf8 = locale.is_none_or(|name| name.to_ascii_lowercase().replace('-', "").contains("utf8"));
    Style {
        color: is_terminal
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && (!cfg!(windows) || terminal.features().colors_supported()),
        unicode: utf8,
        width: if is_terminal { usize::from(terminal.size().1).clamp(60, 100) } else { 80 },
    }
}
