//! Turns a limit on file size (`ulimit -f`) into an error instead of a signal that ends the program.

/// Catches the signal of the limit, so that writing beyond it fails with "File too large".
pub fn make_it_an_error() {
    #[cfg(unix)]
    {
        // A caught signal does not kill the program. The flag is ignored, because the failed write reports the error.
        let caught = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, caught);
    }
}
