//! Progress bars on standard error, and the capabilities of standard output.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use muybridge_report::terminal::Style;

/// Time after which progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Time between two pictures of a bar that only counts the seconds.
const TICK: Duration = Duration::from_millis(200);

/// A progress bar on standard error, shown once the work takes more than a second; hidden if standard error is no terminal.
pub struct FileProgress(Option<(ProgressBar, Sender<()>)>);

impl FileProgress {
    /// A bar for `files` files; the time alone for one.
    pub fn new(files: usize) -> Self {
        if files == 1 {
            return Self::begun(1, "{spinner} at work for {elapsed}; Ctrl-C ends it");
        }
        Self::begun(files, "{bar:32} {pos}/{len} clips  {per_sec}  {eta} left")
    }

    /// A bar for `frames` frames of a run or a film.
    pub fn frames(frames: usize) -> Self {
        Self::begun(frames, "{bar:32} {pos}/{len} frames  {per_sec}  {eta} left")
    }

    fn begun(items: usize, template: &str) -> Self {
        let style = ProgressStyle::with_template(template);
        let Some(style) = style.ok().filter(|_| items > 0 && std::io::stderr().is_terminal()) else {
            return Self(None);
        };
        let bar = ProgressBar::with_draw_target(Some(items as u64), ProgressDrawTarget::hidden()).with_style(style);
        let (done, waits) = channel();
        let shown = bar.clone();
        std::thread::spawn(move || {
            if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Self(Some((bar, done)))
    }

    /// Shows `done` of `all` items as finished.
    pub fn at(&self, done: usize, all: usize) {
        if let Some((bar, _)) = &self.0 {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
    }

    /// Counts one more file or frame as finished.
    pub fn step(&self) {
        if let Some((bar, _)) = &self.0 {
            bar.inc(1);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some((bar, _)) = &self.0 {
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
