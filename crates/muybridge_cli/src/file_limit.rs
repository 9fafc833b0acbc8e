//! A limit on the size of files (`ulimit -f`) as an error that can be told, not as a signal that ends the program.

/// From here on, writing beyond the limit fails with "File too large".
pub fn make_it_an_error() {
    #[cfg(unix)]
    {
        // A signal that is caught does not kill; nobody needs to look at the flag, the failed write says it all.
        let caught = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, caught);
    }
}
