//! Signals: Ctrl-C and a request to end leave nothing half-written, and a limit on file size (`ulimit -f`) is an error.

/// Catches the signals. After Ctrl-C the exit code is 130, after a request to end 143. On systems other than Unix the
/// program ends at once, and the next run removes its temporary files.
pub fn catch() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
        // A caught signal does not kill the program. The flag is ignored, because the failed write reports the error.
        let caught = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(SIGXFSZ, caught);
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
