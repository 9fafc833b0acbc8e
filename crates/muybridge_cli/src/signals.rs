//! Signals: Ctrl-C and a request to end leave nothing half-written, and a limit on file size (`ulimit -f`) is an error.

/// Catches the signal of the limit, so that writing beyond it fails with "File too large".
pub fn catch_file_limit() {
    #[cfg(unix)]
    {
        // A caught signal does not kill the program. The flag is ignored, because the failed write reports the error.
        let caught = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, caught);
    }
}

/// Lets Ctrl-C end the process with exit code 130, and a request to end with 143, after temporary files are removed. On
/// systems other than Unix the process ends at once, and the next run removes its temporary files.
pub fn end_on_signals() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
            std::thread::spawn(move || {
                if let Some(signal) = signals.forever().next() {
                    muybridge_files::output::stop();
                    std::process::exit(128 + signal);
                }
            });
        }
    }
}
